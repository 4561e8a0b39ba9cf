"""What to draw where nobody chose: measures and targets that are tried in turn, till a figure can be drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.core.errors import AdjudgeError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.data.target import Target


def choices(
    scores: Scores, options: FigureOptions, measures: Iterable[Sequence[str]] | None = None
) -> list[FigureOptions]:
    """What to try: the figure's own choice of measures first, then one; all targets, then the one with most scores.

    What `options` say stays. `measures` are other measures to try than people's first and the first with a direction.
    """
    from adjudge.analyses.meta.cells import human_measures

    tried: list[Sequence[str]] = [options.measures]
    if not options.measures and measures is not None:
        tried = list(measures)
    elif not options.measures and len(scores.measures) > 1:
        with suppress(UsageError):
            tried.append(human_measures(scores, ())[:1])
        tried.append([name for name in scores.measures if scores.info[name].better is not None][:1])
    to_try: dict[FigureOptions, None] = {}
    for named in tried:
        to_try[choice := replace(options, measures=tuple(named))] = None
        if (main := main_target(scores, choice)) is not None:
            to_try[replace(choice, length=main.length, form=main.form)] = None
            to_try[replace(choice, form=main.form)] = None  # for figures of all lengths
    return list(to_try)


def main_target(scores: Scores, options: FigureOptions) -> Target | None:
    """The target with most scores, of those that the options leave; None where one is left, or all are asked for."""
    from adjudge.data.scores import targets_of

    if isinstance(options.length, str):
        return None
    frame = scores.frame
    if options.measures:
        frame = frame[frame["measure"].isin(scores.resolved(list(options.measures)))]
    left = {
        target: (count, *target.order)
        for target, count in Counter(targets_of(frame)).items()
        if options.length in (None, target.length) and options.form in (None, target.form)
    }
    return max(left, key=lambda target: left[target]) if len(left) > 1 else None


def first_drawn(
    spec: FigureSpec, scores: Scores, asked: Iterable[FigureOptions], *, on_paper: bool = False
) -> tuple[Figure | None, str]:
    """The figure by the first of the options by which it can be drawn; if by none, why not."""
    why, lacking = "", ""
    one = spec.one_target or (on_paper and spec.panels)
    for options in sorted(asked, key=lambda choice: one and choice.length is None):
        try:
            if spec.too_long is not None and (reason := spec.too_long(scores, options)):
                return None, reason
            return spec.drawn(scores, options), ""
        except UsageError as error:
            why = why or str(error)
        except AdjudgeError as error:
            lacking = lacking or str(error)  # what the data lacks says more than which option is wrong
    return None, lacking or why
