"""Panels: several judges as one, by their mean or vote, and how many independent judges they are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.controls import answers_on_scale
from adjudge.core.errors import UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import listed
from adjudge.stats.checks import FloatArray
from adjudge.stats.panels import (
    PanelErrors,
    PanelEstimate,
    panel_answers,
    panel_errors,
)

# A panel is a judge


def panel_name(judges: Sequence[str], how: str) -> str:
    """`panel (mean of a, b and c)`; of many judges their number."""
    return f"panel ({how} of {listed(judges) if len(judges) <= 4 else f'{len(judges)} judges'})"


def panel_bench(benches: Sequence[AspectBench], how: str) -> AspectBench:
    """Several judges' answers to one question as those of one judge, about the things that people answered for.

    The panel answers where all of its judges do.
    """
    own, answers = _together(benches)
    notes = own[0].notes
    some, whole = ~np.isnan(answers).all(axis=1), ~np.isnan(answers).any(axis=1)
    if missing := int(np.count_nonzero(some & ~whole)):
        notes = (*notes, Note.of("not-answered-by-all", things=missing))
    given = panel_answers(_votes(own) if how == "vote" else answers, how, pairs=own[0].pairs)
    named = own[0].with_judge(panel_name([each.judge for each in own], how), given)
    return replace(named, panel=True, notes=notes)


def with_panel(benches: JudgeBenches, how: str) -> JudgeBenches:
    """The same judges, and their panel as one more, on every question that two of them answered."""
    found = [panel_bench(own, how) for own in _by_aspect(benches) if len(own) > 1]
    if not found:
        raise UsageError(
            f"a panel needs two judges that answered the same question: {listed(benches.judges)}"
        )
    names = dict.fromkeys(each.judge for each in found)
    return replace(benches, judges=(*benches.judges, *names), benches=(*benches.benches, *found))


def _by_aspect(benches: JudgeBenches) -> Iterator[tuple[AspectBench, ...]]:
    """The judges of every question, panels left out."""
    for aspect in dict.fromkeys(each.aspect for each in benches.benches):
        own = tuple(each for each in benches.beside(aspect) if not each.panel)
        if own:
            yield own


def _together(benches: Sequence[AspectBench]) -> tuple[list[AspectBench], FloatArray]:
    """Benches of one question on the same things, those that people answered for, and the judges' answers side by
    side."""
    # what only a judge answered for differs from bench to bench; what people did is the same, and in one order
    own = [each.take(np.asarray(~np.isnan(each.answers).all(axis=1))) for each in benches]
    if not own or any(
        (each.aspect, each.source, each.topics, each.systems, each.sides)
        != (own[0].aspect, own[0].source, own[0].topics, own[0].systems, own[0].sides)
        for each in own
    ):
        raise UsageError("a panel is of judges of one question, beside the same people")
    return own, np.column_stack([each.given for each in own])


def _votes(benches: Sequence[AspectBench]) -> FloatArray:
    """Answers as choices: means over probabilities go to the nearest, answers on another scale than people's to those
    of the same rank; of a pair to a side, or a tie."""
    return np.column_stack(
        [(np.sign(each.given - 0.5) + 1) / 2 if each.pairs else answers_on_scale(each) for each in benches]
    )


# What a panel is worth


@dataclass(frozen=True, eq=False)
class AspectPanel:
    """The judges of one question as a panel."""

    aspect: str
    judges: tuple[str, ...]
    assessors: int
    how: str
    left_out: int
    """Things that some judges, but not all, answered for."""
    errors: PanelErrors
    pairs: bool = False

    def why(self) -> str | None:
        """Why it cannot be said, with the judges whose errors cannot be estimated."""
        if self.errors.why is not None:
            return self.errors.why
        return (
            "; ".join(
                f"{judge}: {each.sd.why}"
                for judge, each in zip(self.judges, self.errors.judges, strict=True)
                if each.sd.why is not None
            )
            or self.errors.worth.why
        )

    @property
    def why_not(self) -> str | None:
        """Why a cell of the table is empty."""
        worth = self.errors.worth
        if worth.why is not None:
            return self.why()
        return (
            "worth: without an upper end, for errors may cancel out"
            if math.isinf(worth.high)
            else worth.why_no_interval
        )


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PanelsResult(Result):
    """Of every question: how far judges' errors go together, how many judges that makes, and what a panel gains."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.panels"

    asked: Judges
    name: str
    aspects: tuple[AspectPanel, ...]

    def how(self) -> str:
        o = self.asked
        return (
            f"panel:{o.panel}|errors:partial:disattenuated|bootstrap:topics:expanded-percentile:{o.resamples}"
            f"|seed:{o.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "panel": self.asked.panel,
            "level": self.asked.level,
            "judges": {each.aspect: each.judges for each in self.aspects},
        }

    def notes(self) -> Iterator[Note]:
        yield Note.of("what-errors-are")
        if self.asked.panel != "none":
            yield Note.of("panel-rule", rule=self.asked.panel)
        if any(each.pairs for each in self.aspects):
            yield Note.of("answers-of-pairs")
        for each in self.aspects:
            if each.left_out:
                yield Note.of("not-answered-by-all", aspect=each.aspect, things=each.left_out)

    def tables(self) -> Iterator[Table]:
        level = f"{100 * self.asked.level:.4g}% from"
        show: Any = "never" if self.asked.panel == "none" else "always"

        def bounded(name: str, heading: str, form: str = ".3f", **more: Any) -> tuple[Column, ...]:
            ends = ((name, heading), (f"{name}_low", level), (f"{name}_high", "to"))
            return tuple(Column(at, title, format=form, **more) for at, title in ends)

        yield Table.of(
            "panels",
            map(_row, self.aspects),
            Column("aspect", "question"),
            "judges things topics assessors",
            Column("people_error", "error SD of people's mean"),
            *bounded("correlation", "mean correlation of errors", ".2f", tiny=False),
            *bounded("worth", "worth", ".2f"),
            Column("panel_sd", f"error SD of the {self.asked.panel}", show=show),
            Column("best", "best judge", show=show),
            *bounded("gain", "error variance taken away", "+.2f", show=show, tiny=False),
            Column("why", "why not", show="varies"),
            title="Panels: how many judges with independent errors the judges are worth",
        )
        rows: list[tuple[Cell, ...]] = []
        for aspect in self.aspects:
            errors = list(zip(aspect.judges, aspect.errors.judges, strict=True))
            if aspect.errors.panel is not None:
                errors.append((panel_name(aspect.judges, aspect.how), aspect.errors.panel))
            for judge, own in errors:
                why = own.sd.why or own.sd.why_no_interval
                rows.append((aspect.aspect, judge, own.slope, *_cells(own.sd), *_cells(own.truth), why))
        yield Table.of(
            "panel-judges",
            rows,
            Column("aspect", "question"),
            "judge",
            Column("slope", format=".2f"),
            *bounded("sd", "error SD"),
            *bounded("truth", "correlation with the truth", ".2f", tiny=False),
            Column("why", "why not", show="varies"),
            title="Every judge's error, on people's scale",
        )
        for aspect in self.aspects:
            yield Table.of(
                f"panel-correlations-{aspect.aspect}",
                (
                    (name, *map(float, row))
                    for name, row in zip(aspect.judges, aspect.errors.correlations, strict=True)
                ),
                "judge",
                *(Column(name, format=".2f", tiny=False) for name in aspect.judges),
                title=f"Correlations between judges' errors, {aspect.aspect}",
            )


def _row(aspect: AspectPanel) -> tuple[Cell, ...]:
    errors = aspect.errors
    return (
        aspect.aspect,
        len(aspect.judges),
        errors.things,
        errors.clusters,
        aspect.assessors,
        errors.people_error,
        *_cells(errors.correlation),
        *_cells(errors.worth),
        None if errors.panel is None else errors.panel.sd.value,
        None if errors.best is None else aspect.judges[errors.best],
        *_cells(errors.gain),
        aspect.why_not,
    )


def _cells(found: PanelEstimate) -> tuple[Cell, Cell, Cell]:
    return found.value, found.low, found.high if math.isfinite(found.high) else None


def panels(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> PanelsResult:
    """How far the errors of several judges go together, question by question, and what their panel gains.

    Without a panel its judges' errors are told all the same. Intervals resample the sets of topics, or topics.
    """
    questions, aspects = list(_by_aspect(benches)), []
    for done, own in enumerate(questions):
        progress(done, len(questions))
        aspects.append(_aspect_panel(own, asked))
    return PanelsResult(asked=asked, name=benches.name, aspects=tuple(aspects))


def _aspect_panel(benches: Sequence[AspectBench], options: Judges) -> AspectPanel:
    how = options.panel
    own, answers = _together(benches)
    some, whole = ~np.isnan(answers).all(axis=1), ~np.isnan(answers).any(axis=1)
    panel = None
    if how != "none" and len(own) > 1:
        panel = panel_bench(benches, how).given
    return AspectPanel(
        aspect=own[0].aspect,
        judges=tuple(each.judge for each in own),
        assessors=len(own[0].people),
        how=how,
        left_out=int(np.count_nonzero(some & ~whole)),
        errors=panel_errors(
            answers,
            own[0].answers,
            rng=options.rng("panels"),
            panel=panel,
            clusters=own[0].clusters,
            resamples=options.resamples,
            level=options.level,
        ),
        pairs=own[0].pairs,
    )
