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
from adjudge.core.table import Cell, Column, Table, with_interval
from adjudge.core.words import listed
from adjudge.stats.checks import FloatArray
from adjudge.stats.judge_agreement import DrawnValue
from adjudge.stats.panels import PanelErrors, panel_answers, panel_errors

# A panel is a judge


def panel_name(judges: Sequence[str], how: str) -> str:
    """`panel (mean of a, b and c)`; of many judges their number."""
    return f"panel ({how} of {listed(judges) if len(judges) <= 4 else f'{len(judges)} judges'})"


def panel_bench(benches: Sequence[AspectBench], how: str) -> AspectBench:
    """Several judges' answers to one question as those of one judge, about the things that people answered for.

    The panel answers where all of its judges do.
    """
    members, answers, missing = _together(benches)
    if how == "vote":
        # as choices: means over probabilities are the nearest, of a pair a side or a tie
        answers = np.column_stack(
            [(np.sign(m.judge_answers - 0.5) + 1) / 2 if m.pairs else answers_on_scale(m) for m in members]
        )
    one = members[0].with_judge(
        panel_name([m.judge for m in members], how),
        panel_answers(answers, how, pairs=members[0].pairs),
    )
    notes = (Note.of("not-answered-by-all", things=missing),) if missing else ()
    return replace(one, panel=True, notes=(*one.notes, *notes))


def with_panel(benches: JudgeBenches, how: str) -> JudgeBenches:
    """The same judges, and their panel as one more, on every question that two of them answered."""
    panels = [panel_bench(members, how) for members in _by_aspect(benches) if len(members) > 1]
    if not panels:
        raise UsageError(
            f"a panel needs two judges that answered the same question: {listed(benches.judges)}"
        )
    names = dict.fromkeys(panel.judge for panel in panels)
    return replace(benches, judges=(*benches.judges, *names), benches=(*benches.benches, *panels))


def _by_aspect(benches: JudgeBenches) -> list[list[AspectBench]]:
    """The judges of every question, panels left out."""
    aspects: dict[str, list[AspectBench]] = {}
    for bench in benches.benches:
        if not bench.panel:
            aspects.setdefault(bench.aspect, []).append(bench)
    return list(aspects.values())


def _together(benches: Sequence[AspectBench]) -> tuple[list[AspectBench], FloatArray, int]:
    """Benches of one question on the things that people answered for, the judges' answers side by side, and about how
    many things some judges, but not all, answered."""
    # what only a judge answered for differs from bench to bench; what people did is the same, and in one order
    members = [bench.take(np.asarray(~np.isnan(bench.answers).all(axis=1))) for bench in benches]
    if len({(m.aspect, m.source, m.topics, m.systems, m.sides) for m in members}) != 1:
        raise UsageError("a panel is of judges of one question, beside the same people")
    answers = np.column_stack([m.judge_answers for m in members])
    missing = np.isnan(answers)
    return members, answers, int(np.count_nonzero(missing.any(axis=1) & ~missing.all(axis=1)))


# What a panel is worth


@dataclass(frozen=True, eq=False)
class AspectPanel:
    """The judges of one question as a panel."""

    aspect: str
    judges: tuple[str, ...]
    assessors: int
    left_out: int
    """Things that some judges, but not all, answered for."""
    errors: PanelErrors
    pairs: bool


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
            "judges": {panel.aspect: panel.judges for panel in self.aspects},
        }

    def notes(self) -> Iterator[Note]:
        yield Note.of("what-errors-are")
        if self.asked.panel != "none":
            yield Note.of("panel-rule", rule=self.asked.panel)
        if any(panel.pairs for panel in self.aspects):
            yield Note.of("answers-of-pairs")
        for panel in self.aspects:
            if panel.left_out:
                yield Note.of("not-answered-by-all", aspect=panel.aspect, things=panel.left_out)

    def tables(self) -> Iterator[Table]:
        from adjudge.analyses.judges.words.panels import why_empty

        level = self.asked.level
        show: Any = "never" if self.asked.panel == "none" else "always"
        yield Table.of(
            "panels",
            (
                (
                    *(panel.aspect, len(panel.judges), errors.things, errors.clusters, panel.assessors),
                    errors.people_error,
                    *_cells(errors.correlation),
                    *_cells(errors.worth),
                    None if errors.panel is None else errors.panel.sd.value,
                    None if errors.best is None else panel.judges[errors.best],
                    *_cells(errors.gain),
                    why_empty(panel),
                )
                for panel in self.aspects
                for errors in (panel.errors,)
            ),
            Column("aspect", "question"),
            "judges things topics assessors",
            Column("people_error", "error SD of people's mean"),
            *with_interval("correlation", "mean correlation of errors", level, format=".2f", tiny=False),
            *with_interval("worth", "worth", level, format=".2f"),
            Column("panel_sd", f"error SD of the {self.asked.panel}", show=show),
            Column("best", "best judge", show=show),
            *with_interval("gain", "error variance taken away", level, format="+.2f", show=show, tiny=False),
            Column("why", "why not", show="varies"),
            title="Panels: how many judges with independent errors the judges are worth",
        )
        yield Table.of(
            "panel-judges",
            (
                (panel.aspect, judge, error.slope, *_cells(error.sd), error.sd.why)
                for panel in self.aspects
                for judge, error in zip(
                    (*panel.judges, panel_name(panel.judges, self.asked.panel)),
                    (*panel.errors.judges, panel.errors.panel),
                    strict=True,
                )
                if error is not None
            ),
            Column("aspect", "question"),
            "judge",
            Column("slope", format=".2f"),
            *with_interval("sd", "error SD", level),
            Column("why", "why not", show="varies"),
            title="Every judge's error, on people's scale",
        )


def _cells(value: DrawnValue) -> tuple[Cell, Cell, Cell]:
    return value.value, value.low, value.high if math.isfinite(value.high) else None


def panels(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> PanelsResult:
    """How far the errors of several judges go together, question by question, and what their panel gains.

    Without a panel its judges' errors are told all the same. Intervals resample the sets of topics, or topics.
    """
    questions, aspects = _by_aspect(benches), []
    for done, of_question in enumerate(questions):
        progress(done, len(questions))
        members, answers, missing = _together(of_question)
        one, panel = members[0], None
        if asked.panel != "none" and len(members) > 1:
            panel = panel_bench(of_question, asked.panel).judge_answers
        errors = panel_errors(
            answers,
            one.answers,
            rng=asked.rng("panels"),
            panel=panel,
            clusters=one.clusters,
            resamples=asked.resamples,
            level=asked.level,
        )
        judges = tuple(m.judge for m in members)
        aspects.append(AspectPanel(one.aspect, judges, len(one.people), missing, errors, one.pairs))
    return PanelsResult(asked=asked, name=benches.name, aspects=tuple(aspects))
