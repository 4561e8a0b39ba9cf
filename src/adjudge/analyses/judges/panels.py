"""Panels: several judges as one, by their mean or vote; what they are worth, and how many of them are enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.controls import Footing, answers_on_scale
from adjudge.core.errors import UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, with_interval
from adjudge.core.words import listed
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import DrawnValue, RaterPairs, drawn_value, draws_of, mean_alpha
from adjudge.stats.panels import PanelErrors, panel_answers, panel_errors

MOST_CHOICES = 300
"""Panels of one size that are looked at; sizes of which there are more are left out."""

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
class PanelSize:
    """Some of the judges as a panel, or one alone: those that agree best with people."""

    judges: tuple[str, ...]
    """The best on all topics."""
    alpha: DrawnValue
    """With people; on every topic of those that were the best on the others."""
    less: DrawnValue
    """Alpha of all judges together less this one."""


@dataclass(frozen=True, eq=False)
class AspectPanel:
    """The judges of one question as a panel."""

    aspect: str
    judges: tuple[str, ...]
    left_out: int
    """Things that some judges, but not all, answered for."""
    errors: PanelErrors
    sizes: tuple[PanelSize, ...]
    """From one judge to all of them."""

    def enough(self, margin: float) -> PanelSize | None:
        """The smallest panel that is shown to agree hardly less than all judges together."""
        return next((size for size in self.sizes if size.less.high < margin), None)


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PanelsResult(Result):
    """Of every question: how many independent judges these are, and how well panels of them agree with people."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.panels"

    asked: Judges
    name: str
    aspects: tuple[AspectPanel, ...]

    def how(self) -> str:
        o = self.asked
        return (
            f"panel:{o.panel}|errors:partial:disattenuated|chosen:leave-one-cluster-out|margin:{o.margin:g}"
            f"|bootstrap:topics:expanded-percentile:{o.resamples}|seed:{o.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {"panel": self.asked.panel, "level": self.asked.level, "margin": self.asked.margin}

    def notes(self) -> Iterator[Note]:
        yield Note.of("panel-rule", rule=self.asked.panel)
        yield Note.of("chosen-elsewhere")
        for panel in self.aspects:
            if panel.left_out:
                yield Note.of("not-answered-by-all", aspect=panel.aspect, things=panel.left_out)
        if alone := [panel.aspect for panel in self.aspects if panel.errors.alone]:
            yield Note.of("people-alone", aspects=alone)

    def tables(self) -> Iterator[Table]:
        level = self.asked.level
        yield Table.of(
            "panels",
            (
                (
                    *(panel.aspect, len(panel.judges), panel.errors.things, panel.errors.clusters),
                    *_cells(panel.errors.correlation),
                    *_cells(panel.errors.worth),
                    why_unknown(panel),
                )
                for panel in self.aspects
            ),
            Column("aspect", "question"),
            "judges things topics",
            *with_interval("correlation", "mean correlation of errors", level, format=".2f", tiny=False),
            *with_interval("worth", "worth", level, format=".2f"),
            Column("why", "why not", show="varies"),
            title="How many judges with independent errors the judges are worth",
        )
        yield Table.of(
            "panel-sizes",
            (
                (panel.aspect, len(size.judges), listed(size.judges), *_cells(size.alpha), *_cells(size.less))
                for panel in self.aspects
                for size in panel.sizes
            ),
            Column("aspect", "question"),
            "judges",
            Column("best", "the best of so many"),
            *with_interval("alpha", None, level, tiny=False),
            *with_interval("less", "all together: more", level, format="+.3f", tiny=False),
            title=f"Agreement with people by the {self.asked.panel} of so many judges, chosen on other topics",
        )


def why_unknown(panel: AspectPanel) -> str | None:
    """Why it cannot be said what the judges are worth, with those whose errors cannot be estimated."""
    named = zip(panel.judges, panel.errors.unknown, strict=False)
    return "; ".join(f"{judge}: {why}" for judge, why in named if why) or panel.errors.worth.why


def _cells(value: DrawnValue) -> tuple[Cell, Cell, Cell]:
    return value.value, value.low, value.high if math.isfinite(value.high) else None


def panels(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> PanelsResult:
    """How far the errors of judges go together, question by question, and how well panels of them agree with people.

    Intervals resample the sets of topics, or topics.
    """
    questions, aspects = _by_aspect(benches), []
    for done, of_question in enumerate(questions):
        progress(done, len(questions))
        members, answers, missing = _together(of_question)
        errors = panel_errors(
            answers,
            members[0].answers,
            rng=asked.rng("panels"),
            clusters=members[0].clusters,
            resamples=asked.resamples,
            level=asked.level,
        )
        whole = ~np.isnan(answers).any(axis=1)
        sizes = _sizes([member.take(whole) for member in members], asked) if whole.any() else ()
        judges = tuple(member.judge for member in members)
        aspects.append(AspectPanel(members[0].aspect, judges, missing, errors, tuple(sizes)))
    return PanelsResult(asked=asked, name=benches.name, aspects=tuple(aspects))


def _sizes(members: Sequence[AspectBench], asked: Judges) -> Iterator[PanelSize]:
    """Panels of one judge, two and so on. Which judges is chosen by alpha, on every cluster of topics by the others."""

    def footing(chosen: Sequence[AspectBench]) -> Footing:
        return Footing.of(panel_bench(chosen, asked.panel) if len(chosen) > 1 else chosen[0])

    everyone = footing(members)
    times = draws_of(asked.rng("panels/sizes"), everyone.clusters, asked.resamples)
    elsewhere = np.vstack([np.ones(everyone.clusters), 1 - np.eye(everyone.clusters)])

    def alpha(codes: IntArray, times: FloatArray) -> FloatArray:
        pairs = RaterPairs(everyone.scale, everyone.cluster, times, kept=1)
        return mean_alpha(codes, everyone.people, pairs)

    of_all = alpha(everyone.judge_codes, times)
    for size in range(1, len(members) + 1):
        if math.comb(len(members), size) > MOST_CHOICES:
            continue
        choices = list(combinations(members, size))
        codes = np.stack([footing(chosen).judge_codes for chosen in choices])
        best = np.nan_to_num([alpha(row, elsewhere) for row in codes], nan=-2).argmax(axis=0)
        held_out = alpha(codes[best[1:][everyone.cluster], np.arange(codes.shape[1])], times)
        yield PanelSize(
            tuple(member.judge for member in choices[best[0]]),
            drawn_value(held_out, everyone.clusters, asked.level),
            drawn_value(of_all - held_out, everyone.clusters, asked.level),
        )
