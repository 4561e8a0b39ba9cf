"""A result over lengths as frames, LaTeX and JSON. Nothing is computed here."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.lengths.result import AtLength, LengthsResult
from adjudge.wording import tex

if TYPE_CHECKING:
    import pandas as pd

STANDING_COLUMNS = ["measure", "length", "system", "rank", "n", "mean", "centred", "group"]
LENGTH_COLUMNS = [
    "measure",
    "length",
    "topics",
    "systems",
    "df",
    "mean_square",
    "critical",
    "hsd",
    "pairs",
    "told_apart",
]
AGREEMENT_COLUMNS = ["measure", "a", "b", "n", "tau", "p", "method", "low", "high", "only", "why"]


def standings_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    rows = [
        {"measure": r.measure, "length": each.column, **asdict(standing)}
        for each in r.columns
        for standing in each.standings
    ]
    frame = pd.DataFrame(rows, columns=STANDING_COLUMNS)
    return frame.astype({"rank": "Int64"})


def lengths_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([_length_row(r, each) for each in r.columns], columns=LENGTH_COLUMNS)


def agreement_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(_agreement_rows(r), columns=AGREEMENT_COLUMNS)


def to_latex(r: LengthsResult) -> str:
    columns = r.columns
    head = " & ".join(rf"\multicolumn{{2}}{{c}}{{{tex(each.column)}}}" for each in columns)
    lines = [
        rf"\begin{{tabular}}{{l{'rl' * len(columns)}}}",
        r"\toprule",
        rf"system & {head} \\",
        r"\midrule",
    ]
    for system in r.systems():
        cells = " & ".join(_cell(each, system) for each in columns)
        lines.append(rf"{tex(system)} & {cells} \\")
    lines.append(r"\midrule")
    for name, values in (
        ("residual mean square", [each.tukey.mean_square for each in columns]),
        ("HSD", [each.tukey.hsd for each in columns]),
    ):
        cells = " & ".join(f"{'--' if value != value else f'{value:.4f}'} &" for value in values)
        lines.append(rf"{name} & {cells} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {r.signature}"])


def as_dict(r: LengthsResult) -> dict[str, Any]:
    return {
        "measure": r.measure,
        "better": r.info.better,
        "signature": r.signature,
        "sentences": list(r.sentences()),
        "lengths": [
            _json(_length_row(r, each)) | {"standings": [_json(asdict(s)) for s in each.standings]}
            for each in r.columns
        ],
        "agreement": [_json(row) for row in _agreement_rows(r)],
        "left_out": [
            {"length": e.length, "topics": e.topics, "systems": list(e.systems)} for e in r.left_out
        ],
        "missing": {each.column: [list(hole) for hole in each.matrix.missing] for each in r.columns},
        "warnings": r.warnings(),
    }


def _length_row(r: LengthsResult, each: AtLength) -> dict[str, Any]:
    found = each.tukey
    return {
        "measure": r.measure,
        "length": each.column,
        "topics": len(each.matrix.topics),
        "systems": found.columns,
        "df": int(found.df),
        "mean_square": found.mean_square,
        "critical": found.critical,
        "hsd": found.hsd,
        "pairs": each.pairs,
        "told_apart": each.told_apart,
    }


def _agreement_rows(r: LengthsResult) -> list[dict[str, Any]]:
    return [
        {
            "measure": r.measure,
            "a": each.a,
            "b": each.b,
            "n": each.tau.n,
            "tau": each.tau.tau,
            "p": each.tau.p,
            "method": each.tau.method,
            "low": each.interval.low,
            "high": each.interval.high,
            "only": ", ".join(each.only),
            "why": each.tau.why,
        }
        for each in (*r.between_lengths, *r.between_tasks)
    ]


def _cell(each: AtLength, system: str) -> str:
    standing = each.standing(system)
    if standing is None or standing.centred != standing.centred:
        return "-- &"
    return f"{standing.centred:+.4f} & {standing.group}"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}
