"""A fit of preferences as frames, LaTeX, JSON and words. Nothing is fitted here."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import quoted
from adjudge.wording import counted, listed, tex

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.comparisons.preferences.fitting import PreferenceFit, Standing

MOST_NAMED = 3  # in a sentence
MOST_IN_JSON = 100  # items up to which every pair is there too
FEW_TOPICS = 5
"""Fewer clusters than this make a bootstrap over them too narrow to trust."""


def standings_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(each) for each in fit.standings])


def _order(fit: PreferenceFit) -> list[int]:
    """The numbers of fitted items, best first."""
    place = {fit.items[item]: k for k, item in enumerate(fit.fitted)}
    return [place[each.item] for each in fit.standings if each.rank is not None]


def matrix_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    order = _order(fit)
    names = [fit.items[fit.fitted[k]] for k in order]
    return pd.DataFrame(fit.strengths.probability()[np.ix_(order, order)], index=names, columns=names)


def pairs_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    order = _order(fit)
    chance = fit.strengths.probability()
    tail = (1 - fit.level) / 2
    logs = kept_logs(fit)
    rows = []
    for k, a in enumerate(order):
        others = order[k + 1 :]
        low, high = np.full((2, len(others)), np.nan)
        if len(logs) and others:
            drawn = 1 / (1 + np.exp(logs[:, others] - logs[:, [a]]))
            low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
        name = fit.items[fit.fitted[a]]
        rows += [
            (name, fit.items[fit.fitted[b]], float(chance[a, b]), float(low[at]), float(high[at]))
            for at, b in enumerate(others)
        ]
    return pd.DataFrame(rows, columns=["a", "b", "probability", "low", "high"])


def kept_logs(fit: PreferenceFit) -> Any:
    """Log strengths of the resamples that have any."""
    if fit.drawn is None or fit.drawn.why:
        return np.empty((0, len(fit.fitted)))
    return fit.drawn.logs[~np.isnan(fit.drawn.logs).any(axis=1)]


def annotators_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([each.as_dict() for each in fit.annotators])


def ranks(each: Standing, dash: str = "-") -> str:
    """The ranks that the interval leaves: 2-4."""
    if each.best is None:
        return "-" * len(dash)
    return str(each.best) if each.best == each.worst else f"{each.best}{dash}{each.worst}"


def interval(each: Standing, between: str = " to ") -> str:
    return "-" if each.low != each.low else f"{each.low:.3g}{between}{each.high:.3g}"


def number(value: float) -> str:
    """A count, which weights may make a decimal."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def to_latex(fit: PreferenceFit) -> str:
    lines = [r"\begin{tabular}{rlrllrrr}", r"\toprule"]
    head = rf"& item & strength & {fit.level:.0%} interval & ranks & wins & losses & ties \\"
    lines += [head.replace("%", r"\%"), r"\midrule"]
    for each in fit.standings:
        if each.rank is None:
            lines.append(rf"-- & {tex(each.item)} & -- & -- & -- & 0 & 0 & 0 \\")
            continue
        counts = " & ".join(number(n) for n in (each.wins, each.losses, each.ties))
        lines.append(
            rf"{each.rank} & {tex(each.item)} & {each.strength:.3g} & {interval(each, '--')} & {ranks(each, '--')}"
            rf" & {counts} \\"
        )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {fit.signature}"])


def as_dict(fit: PreferenceFit) -> dict[str, Any]:
    small = len(fit.fitted) <= MOST_IN_JSON
    matrix = matrix_frame(fit).to_numpy().tolist() if small else None
    return {
        "title": fit.title,
        "signature": fit.signature,
        "sentence": fit.sentence(),
        "items": [plain(asdict(each)) for each in fit.standings],
        "answers": fit.answers,
        "topics": fit.topics,
        "resampled": "topics" if fit.by == "cluster" else "answers",
        "resamples": len(kept_logs(fit)),
        "level": fit.level,
        "seed": fit.seed,
        "smooth": fit.similarity,
        "regularised": fit.strengths.regularised,
        "fit": fit.strengths.words(),
        "parts": int(fit.strengths.components.max()) + 1,
        "converged": bool(fit.strengths.converged),
        "iterations": int(fit.strengths.iterations),
        "error": plain({"error": float(fit.strengths.error)})["error"],
        "win_probability": matrix and [[plain({"p": p})["p"] for p in row] for row in matrix],
        "annotators": [plain(each.as_dict()) for each in fit.annotators],
        "left_out": dict(fit.left_out),
        "warnings": fit.warnings(),
    }


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON knows neither NaN nor infinity."""
    return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in row.items()}


# In words


def shown(item: str) -> str:
    """A name as it stands in a sentence: that of a system plain, a text in quotes and cut short."""
    return item if len(item) <= 30 and " " not in item else quoted(item)


def sentence(fit: PreferenceFit) -> str:
    ranked = [each for each in fit.standings if each.rank is not None]
    top = [each for each in ranked if each.rank == 1]
    if len(top) == len(ranked):
        return f"No item is preferred to another in {counted(fit.answers, 'answer')}: all are equally strong."
    if len(top) > 1:
        return (
            f"{listed([shown(each.item) for each in top])} are equally strong, and stronger than the others."
        )
    first, second = ranked[0], ranked[1]
    chance = first.strength / (first.strength + second.strength)
    found = (
        f"{shown(first.item)} is preferred most: it would win {chance:.0%} of its duels with {shown(second.item)},"
        " the next"
    )
    if first.best is None:
        return f"{found}; with {counted(fit.answers, 'answer')} no interval can be given."
    rivals = [each for each in ranked[1:] if each.best == 1]
    what = "topics" if fit.by == "cluster" else "answers"
    if rivals:
        few = len(rivals) <= MOST_NAMED
        names = listed([shown(each.item) for each in rivals]) if few else f"{len(rivals):,} others"
        return f"{found}. When {what} are drawn again, {names} may be first as well."
    return f"{found}. It is first in nearly all samples of {what} drawn again ({fit.level:.0%})."


def warnings(fit: PreferenceFit) -> list[str]:
    found = list(fit.notes)
    if fit.strengths.regularised or not fit.strengths.converged:
        found.append(fit.strengths.words().removesuffix("."))
    if fit.drawn is None:
        found.append("no intervals: no resamples were asked for")
    elif fit.drawn.why:
        found.append(f"no intervals: {fit.drawn.why}")
    elif fit.by == "answer":
        found.append(f"intervals come from answers drawn again, {_why_answers(fit)}")
    elif fit.topics < FEW_TOPICS:
        found.append(f"intervals come from {counted(fit.topics, 'topic')} drawn again: too few to trust them")
    if fit.drawn is not None and (fit.drawn.regularised or fit.drawn.undefined):
        found.append(fit.drawn.words().removesuffix("."))
    if fit.similarity is not None:
        found.append("answers were propagated to similar items, so strengths have no standard errors")
    missing = sum(each.rank is None for each in fit.standings)
    if missing:
        found.append(f"{counted(missing, 'item has', 'items have')} no strength: nobody was asked about them")
    found += [f"{counted(n, 'answer')} left out: {why}" for why, n in fit.left_out.items()]
    for each in fit.annotators:
        found += [f"{each.name}: {warning}" for warning in each.warnings]
    return found


def _why_answers(fit: PreferenceFit) -> str:
    if fit.topics > 1:
        return "not topics: they hold for these topics alone"
    return "since there is one topic" if fit.topics == 1 else "since no topics are known"
