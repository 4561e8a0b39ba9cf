"""What is said of several judges as one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed, number_word, percent

if TYPE_CHECKING:
    from adjudge.analyses.judges.panels import AspectPanel, PanelsResult
    from adjudge.stats.judge_agreement import DrawnValue

RULES = {
    "mean": "the mean of its judges' answers",
    "vote": "the most common answer of its judges; of equally common ones the median of these, of pairs a tie",
}
NOTES = {
    "what-errors-are": (
        "errors are what a judge's answers hold beyond a straight line on the truth, which is what the mean of very"
        " many assessors like these would be: neither severity nor a narrower use of the scale is an error"
    ),
    "panel-rule": lambda rule: f"the panel's answer is {RULES[rule]}",
    "answers-of-pairs": "of pairs the answers are 1, 0 and half a tie",
    "not-answered-by-all": lambda aspect, things: (
        f"{aspect}: {counted(things, 'thing')} that not all judges answered for left out"
    ),
}


def sentences(result: PanelsResult) -> Iterator[str]:
    worths = [panel for panel in result.aspects if not math.isnan(panel.errors.worth.value)]
    if worths:
        worth = [f"{panel.errors.worth.value:.2f} on {panel.aspect}" for panel in worths]
        sizes = sorted({len(panel.judges) for panel in worths})
        who = (
            f"{number_word(sizes[0]).capitalize()}{f' to {number_word(sizes[-1])}' * (len(sizes) > 1)} judges"
        )
        size = f"{worths[0].errors.worth.value:.2f}" if len(worths) == 1 else listed(worth)
        yield f"{who} are worth {size} with independent errors."
    else:
        yield "How many independent judges they are worth cannot be said."
    for panel in result.aspects:
        for sentence in _about(panel, result.asked.panel):
            yield f"{panel.aspect}: {sentence}"
    if alone := [
        p.aspect for p in result.aspects if p.errors.why is None and math.isnan(p.errors.people_error)
    ]:
        yield (
            f"{listed(alone)}: no thing was judged by two assessors, so people's own error is not known. It counts as"
            " an error that all judges share, which as a rule makes them look worth less than they are."
        )


def why_empty(panel: AspectPanel) -> str | None:
    """Why it cannot be said what the judges are worth, with those whose errors cannot be estimated."""
    errors = zip(panel.judges, panel.errors.judges, strict=True)
    unknown = [f"{judge}: {error.sd.why}" for judge, error in errors if math.isnan(error.sd.value)]
    return panel.errors.why or "; ".join(unknown) or panel.errors.worth.why


def _about(panel: AspectPanel, how: str) -> Iterator[str]:
    errors, gain = panel.errors, panel.errors.gain
    if math.isnan(errors.worth.value):
        yield f"how many independent judges {listed(panel.judges)} are worth cannot be said: {why_empty(panel)}."
    else:
        yield (
            f"the errors of {counted(len(panel.judges), 'judge')} have a mean correlation of"
            f" {_value(errors.correlation)}, so they are worth {_value(errors.worth)} judges with independent errors."
        )
    if how == "none" or errors.best is None:
        return
    text = f"the error variance of their {how} cannot be estimated ({gain.why})"
    if not math.isnan(gain.value):
        side = "below" if gain.value >= 0 else "above"
        best = panel.judges[errors.best]
        text = (
            f"the error variance of their {how} is {percent(abs(gain.value))} {side} that of {best}, the best of them"
            " here"
        )
        if math.isnan(gain.low):
            text += f" (no interval: {gain.why})"
        else:
            text += f" ({100 * gain.low:+.0f} % to {100 * gain.high:+.0f} % of it taken away)"
            if gain.low <= 0 <= gain.high:
                text += ": a difference from the best judge is not shown"
    yield f"{text}."


def _value(estimate: DrawnValue) -> str:
    if math.isnan(estimate.low):
        return f"{estimate.value:z.2f} (no interval: {estimate.why})"
    if math.isinf(estimate.high):
        return f"{estimate.value:z.2f} ({estimate.low:z.2f} or more)"
    return f"{estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f})"
