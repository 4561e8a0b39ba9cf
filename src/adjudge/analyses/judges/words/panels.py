"""What is said of several judges as one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed, number_word

if TYPE_CHECKING:
    from adjudge.analyses.judges.panels import AspectPanel, PanelsResult

RULES = {
    "mean": "the mean of its judges' answers",
    "vote": "the most common answer of its judges; of equally common ones the median of these, of pairs a tie",
}
NOTES = {
    "panel-rule": lambda rule: f"a panel's answer is {RULES[rule]}",
    "chosen-elsewhere": (
        "the best judges on a topic are chosen by the other topics, so a lucky choice does not count"
    ),
    "not-answered-by-all": lambda aspect, things: (
        f"{aspect}: {counted(things, 'thing')} left out, not answered by all judges"
    ),
    "people-alone": lambda aspects: (
        f"{listed(aspects)}: nothing was judged by two people, so people's errors count as errors that all judges"
        " share; judges are mostly worth more than this"
    ),
}


def sentences(result: PanelsResult) -> Iterator[str]:
    from adjudge.analyses.judges.panels import why_unknown

    one = len(result.aspects) == 1
    worths = [panel for panel in result.aspects if not math.isnan(panel.errors.worth.value)]
    if worths:
        worth = [f"{panel.errors.worth.value:.2f}{'' if one else f' on {panel.aspect}'}" for panel in worths]
        most = number_word(max(len(panel.judges) for panel in worths)).capitalize()
        yield f"{most} judges are worth {listed(worth)} independent ones."
    for panel in result.aspects:
        if why := why_unknown(panel):
            yield f"{panel.aspect}: how many independent judges they are worth is unknown ({why})."
    for panel in result.aspects:
        if len(panel.sizes) > 1:
            yield f"{panel.aspect}: {_beside_the_best(panel, result.asked.margin)}."


def _beside_the_best(panel: AspectPanel, margin: float) -> str:
    """All judges beside the best one, and how many are enough."""
    best, everyone, less = panel.sizes[0], panel.sizes[-1], panel.sizes[0].less
    text = (
        f"alpha with people: all together {everyone.alpha.value:z.3f}, the best one {best.alpha.value:z.3f}"
    )
    if less.is_known:
        shown = "" if less.low > 0 or less.high < 0 else "not significant, "
        text += f" ({shown}difference {less.value:+.3f}, {less.low:+.3f} to {less.high:+.3f})"
    enough = panel.enough(margin)
    if enough is None or enough is everyone:
        return f"{text}; fewer are not shown to be enough (less than {margin:g} below all)"
    verb = "is" if enough is best else "are"
    return f"{text}; {listed(enough.judges)} {verb} enough (less than {margin:g} below all)"
