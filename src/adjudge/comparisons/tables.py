"""A comparison as frames, LaTeX and JSON. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.choices import Test
from adjudge.wording import tex

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.comparisons.result import Comparison, Standing

PAIR_COLUMNS = [
    "measure",
    "a",
    "b",
    "n",
    "test",
    "statistic",
    "p",
    "p_adjusted",
    "difference",
    "low",
    "high",
    "wins",
    "losses",
    "ties",
    "method",
    "why",
]


def standings_frame(c: Comparison) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(s) for s in c.standings])


def pairs_frame(c: Comparison) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([row for test in c.tested for row in _pair_rows(c, test)], columns=PAIR_COLUMNS)


def effects_frame(c: Comparison) -> pd.DataFrame:
    frame = c.effects.to_frame()[c.family]
    names = c.matrix.systems
    frame.insert(0, "a", [names[i] for i in frame.pop("first")])
    frame.insert(1, "b", [names[i] for i in frame.pop("second")])
    frame.insert(0, "measure", c.measure)
    return frame.reset_index(drop=True)


def _pair_rows(c: Comparison, test: Test) -> Iterator[dict[str, Any]]:
    import numpy as np

    tested, effects, names = c.tested[test], c.effects, c.matrix.systems
    results, counts = tested.results, tested.results.counts
    for k in np.flatnonzero(c.family).tolist():
        yield {
            "measure": c.measure,
            "a": names[counts.first[k]],
            "b": names[counts.second[k]],
            "n": int(counts.n[k]),
            "test": test,
            "statistic": float(results.statistic[k]),
            "p": float(results.p[k]),
            "p_adjusted": float(tested.adjusted[k]),
            "difference": float(counts.difference[k]),
            "low": float(effects.mean.low[k]),
            "high": float(effects.mean.high[k]),
            "wins": int(counts.wins[k]),
            "losses": int(counts.losses[k]),
            "ties": int(counts.ties[k]),
            "method": results.method[k],
            "why": results.why.get(k) or tested.left_out.get(k),
        }


def to_latex(c: Comparison) -> str:
    lines = [r"\begin{tabular}{rlrrlll}", r"\toprule"]
    lines.append(rf"& system & $n$ & mean & {c.level:.0%} interval & ranks & group \\".replace("%", r"\%"))
    lines.append(r"\midrule")
    lines += [
        rf"{s.rank} & {tex(s.system)} & {s.n} & {s.mean:.4f} & {_interval(s)} & {ranks(s, '--')} & {s.group} \\"
        for s in c.standings
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {c.signature}"])


def as_dict(c: Comparison) -> dict[str, Any]:
    return {
        "measure": c.measure,
        "better": c.matrix.info.better,
        "length": c.matrix.length,
        "topics": len(c.matrix.topics),
        "signature": c.signature,
        "headline": c.headline(),
        "sentences": list(c.sentences())[1:],
        "standings": [_json(asdict(s)) for s in c.standings],
        "pairs": [_json(row) for test in c.tested for row in _pair_rows(c, test)],
        "missing": [list(m) for m in c.matrix.missing],
        "warnings": c.warnings(),
    }


def ranks(standing: Standing, dash: str = "-") -> str:
    """The ranks that the significant differences leave open: 2-4."""
    if standing.best == standing.worst:
        return str(standing.best)
    return f"{standing.best}{dash}{standing.worst}"


def _interval(standing: Standing) -> str:
    if standing.low != standing.low:
        return "--"  # a single topic has no interval
    return f"[{standing.low:.4f}, {standing.high:.4f}]"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}
