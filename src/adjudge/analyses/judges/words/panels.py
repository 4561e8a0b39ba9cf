"""What is said of several judges as one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed, number_word

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
    yield _headline(result)
    for aspect in result.aspects:
        for sentence in _about(aspect):
            yield f"{aspect.aspect}: {sentence}"
    panels = result.aspects
    if alone := [p.aspect for p in panels if p.errors.why is None and math.isnan(p.errors.people_error)]:
        yield (
            f"{listed(alone)}: no thing was judged by two assessors, so people's own error is not known. It counts as"
            " an error that all judges share, which as a rule makes them look worth less than they are."
        )


def why_unknown(panel: AspectPanel) -> str | None:
    """Why it cannot be said what the judges are worth, with those whose errors cannot be estimated."""
    errors = zip(panel.judges, panel.errors.judges, strict=True)
    unknown = [f"{judge}: {error.sd.why}" for judge, error in errors if math.isnan(error.sd.value)]
    return panel.errors.why or "; ".join(unknown) or panel.errors.worth.why


def why_empty(panel: AspectPanel) -> str | None:
    """Why a cell of the table is empty."""
    worth = panel.errors.worth
    if math.isnan(worth.value):
        return why_unknown(panel)
    return "worth: without an upper end, for errors may cancel out" if math.isinf(worth.high) else worth.why


def _headline(result: PanelsResult) -> str:
    aspects = [panel for panel in result.aspects if not math.isnan(panel.errors.worth.value)]
    if not aspects:
        return "How many independent judges they are worth cannot be said."
    worth = [panel.errors.worth.value for panel in aspects]
    sizes = sorted({len(panel.judges) for panel in aspects})
    who = f"{number_word(sizes[0]).capitalize()}{f' to {number_word(sizes[-1])}' * (len(sizes) > 1)} judges"
    against = [panel.aspect for panel in aspects if panel.errors.correlation.high < 0]
    if len(aspects) == 1:
        opposed = ": their errors go against each other" if against else ""
        return f"{who} are worth {worth[0]:.2f} with independent errors{opposed}."
    opposed = f": their errors go against each other on {listed(against)}" if against else ""
    return (
        f"{who} are worth {min(worth):.2f} to {max(worth):.2f} with independent errors, over"
        f" {counted(len(aspects), 'question')}{opposed}."
    )


def _about(aspect: AspectPanel) -> Iterator[str]:
    errors, k = aspect.errors, len(aspect.judges)
    if math.isnan(errors.worth.value):
        yield f"how many independent judges {listed(aspect.judges)} are worth cannot be said: {why_unknown(aspect)}."
    else:
        together = ""
        if errors.correlation.high < 0:
            together = f"; their errors go against each other, which makes them worth more than {k}"
        elif errors.correlation.low <= 0:
            together = "; that their errors go together at all is not seen"
        yield (
            f"the errors of {counted(k, 'judge')} have a mean correlation of {_value(errors.correlation)}, so they are"
            f" worth {_value(errors.worth)} judges with independent errors{together}."
        )
    if aspect.how != "none" and errors.best is not None:
        yield f"the error variance of their {aspect.how} {_gained(errors.gain, aspect.judges[errors.best])}"


def _gained(gain: DrawnValue, best: str) -> str:
    if math.isnan(gain.value):
        return f"cannot be estimated ({gain.why})."
    side = "below" if gain.value >= 0 else "above"
    size = f"is {100 * abs(gain.value):.0f}% {side} that of {best}, the best of them here"
    if math.isnan(gain.low):
        return f"{size} (no interval: {gain.why})."
    interval = f"{100 * gain.low:+.0f}% to {100 * gain.high:+.0f}% of it taken away"
    if gain.low <= 0 <= gain.high:
        return f"{size} ({interval}): a difference from the best judge is not shown."
    return f"{size} ({interval})."


def _value(estimate: DrawnValue) -> str:
    if math.isnan(estimate.low):
        return f"{estimate.value:z.2f} (no interval: {estimate.why})"
    if math.isinf(estimate.high):
        return f"{estimate.value:z.2f} ({estimate.low:z.2f} or more)"
    return f"{estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f})"
