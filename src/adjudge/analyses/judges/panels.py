"""Panels: several judges as one, by their mean or vote, and how many independent judges they are worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.controls import answers_on_scale
from adjudge.analyses.judges.options import JudgeOptions
from adjudge.core.errors import UsageError
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed, number_word
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.panels import (
    JudgeError,
    PanelErrors,
    PanelEstimate,
    panel_answers,
    panel_errors,
)

PanelHow = Literal["mean", "vote", "none"]
RULES = {
    "mean": "the mean of its judges' answers",
    "vote": (
        "the most common answer of its judges; of equally common ones the median of these, of pairs a tie"
    ),
}


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
        notes = (
            *notes,
            f"{own[0].aspect}: the panel has no answer for {counted(missing, 'thing')} that not all of its judges"
            " answered for",
        )
    given = panel_answers(_votes(own) if how == "vote" else answers, how, pairs=own[0].pairs)
    named = own[0].with_judge(panel_name([each.judge for each in own], how), given)
    return replace(named, panel=True, notes=notes)


def with_panel(benches: JudgeBenches, how: str) -> JudgeBenches:
    """The same judges, and their panel as one more, on every question that two of them answered."""
    checks.one_of("how", how, get_args(PanelHow))
    if how == "none":
        return benches
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

    def sentences(self) -> Iterator[str]:
        found, k = self.errors, len(self.judges)
        if found.worth.why is not None:
            yield (
                f"{self.aspect}: how many independent judges {listed(self.judges)} are worth cannot be said:"
                f" {self.why()}."
            )
        else:
            yield (
                f"{self.aspect}: the errors of {counted(k, 'judge')} have a mean correlation of"
                f" {_value(found.correlation)}, so they are worth {_value(found.worth)} judges with independent"
                f" errors{self._together()}."
            )
        if self.how != "none" and found.best is not None:
            yield f"{self.aspect}: {self._gained(found, self.judges[found.best])}"

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

    def _together(self) -> str:
        """Whether errors go together, against each other, or neither is seen."""
        found = self.errors.correlation
        if found.high < 0:
            return (
                f"; their errors go against each other, which makes them worth more than {len(self.judges)}"
            )
        return "; that their errors go together at all is not seen" if found.low <= 0 else ""

    def _gained(self, found: PanelErrors, best: str) -> str:
        gain = found.gain
        what = f"the error variance of their {self.how}"
        if gain.why is not None:
            return f"{what} cannot be estimated ({gain.why})."
        side = "below" if gain.value >= 0 else "above"
        size = f"{100 * abs(gain.value):.0f}% {side} that of {best}, the best of them here"
        if math.isnan(gain.low):
            return f"{what} is {size} (no interval: {gain.why_no_interval})."
        interval = f"{100 * gain.low:+.0f}% to {100 * gain.high:+.0f}% of it taken away"
        if gain.low <= 0 <= gain.high:
            return f"{what} is {size} ({interval}): a difference from the best judge is not shown."
        return f"{what} is {size} ({interval})."


def _value(found: PanelEstimate, form: str = ".2f") -> str:
    if math.isnan(found.low):
        return f"{found.value:z{form}} (no interval: {found.why_no_interval})"
    if math.isinf(found.high):
        return f"{found.value:z{form}} ({found.low:z{form}} or more)"
    return f"{found.value:z{form}} ({found.low:z{form}} to {found.high:z{form}})"


@dataclass(frozen=True, repr=False, eq=False)
class PanelsResult(Tabular):
    """Of every question: how far judges' errors go together, how many judges that makes, and what a panel gains."""

    name: str
    aspects: tuple[AspectPanel, ...]
    how: str
    options: JudgeOptions

    def headline(self) -> str:
        known = [each for each in self.aspects if each.errors.worth.why is None]
        if not known:
            return "How many independent judges they are worth cannot be said."
        worth = [each.errors.worth.value for each in known]
        sizes = sorted({len(each.judges) for each in known})
        who = (
            f"{number_word(sizes[0]).capitalize()}{f' to {number_word(sizes[-1])}' * (len(sizes) > 1)} judges"
        )
        many = f"{min(worth):.2f}" if len(known) == 1 else f"{min(worth):.2f} to {max(worth):.2f}"
        over = "" if len(known) == 1 else f", over {counted(len(known), 'question')}"
        against = [each.aspect for each in known if each.errors.correlation.high < 0]
        why = "" if len(known) == 1 else f" on {listed(against)}"
        opposed = f": their errors go against each other{why}" if against else ""
        return f"{who} are worth {many} with independent errors{over}{opposed}."

    def sentences(self) -> Iterator[str]:
        for each in self.aspects:
            yield from each.sentences()
        alone = [
            each.aspect
            for each in self.aspects
            if each.errors.why is None and math.isnan(each.errors.people_error)
        ]
        if alone:
            yield (
                f"{listed(alone)}: no thing was judged by two assessors, so people's own error is not known. It counts"
                " as an error that all judges share, which as a rule makes them look worth less than they are."
            )

    def table(self) -> Table:
        level = f"{100 * self.options.level:.4g}% from"
        panel = Column("panel_sd", f"error SD of the {self.how}", show=self._with_panel)
        return Table(
            name="panels",
            title="Panels: how many judges with independent errors the judges are worth",
            columns=(
                Column("aspect", "question"),
                Column("judges"),
                Column("things"),
                Column("topics"),
                Column("assessors"),
                Column("people_error", "error SD of people's mean"),
                Column("correlation", "mean correlation of errors", format=".2f", tiny=False),
                Column("correlation_low", level, format=".2f", tiny=False),
                Column("correlation_high", "to", format=".2f", tiny=False),
                Column("worth", "worth", format=".2f"),
                Column("worth_low", level, format=".2f"),
                Column("worth_high", "to", format=".2f"),
                Column("uncorrected", "with people's error left in", format=".2f"),
                panel,
                Column("best", "best judge", show=self._with_panel),
                Column("gain", "error variance taken away", format="+.2f", show=self._with_panel, tiny=False),
                Column("gain_low", level, format="+.2f", show=self._with_panel, tiny=False),
                Column("gain_high", "to", format="+.2f", show=self._with_panel, tiny=False),
                Column("weighted_sd", "error SD, best weights", show="never"),
                Column("why", "why not", show="varies"),
            ),
            rows=tuple(self._row(each) for each in self.aspects),
            said=(self.headline(), *self.sentences()),
            notes=self.notes(),
            signature=self.signature,
        )

    @property
    def _with_panel(self) -> Any:
        return "never" if self.how == "none" else "always"

    def _row(self, each: AspectPanel) -> tuple[Cell, ...]:
        found = each.errors
        return (
            each.aspect,
            len(each.judges),
            found.things,
            found.clusters,
            each.assessors,
            found.people_error,
            *_cells(found.correlation),
            *_cells(found.worth),
            found.uncorrected if math.isfinite(found.uncorrected) else None,
            None if found.panel is None else found.panel.sd.value,
            None if found.best is None else each.judges[found.best],
            *_cells(found.gain),
            found.weighted_sd,
            each.why_not,
        )

    def tables(self) -> Tables:
        return Tables((self.table(), self._by_judge(), *map(self._correlations, self.aspects)))

    def _by_judge(self) -> Table:
        level = f"{100 * self.options.level:.4g}% from"
        rows: list[tuple[Cell, ...]] = []
        for aspect in self.aspects:
            known: list[tuple[str, JudgeError]] = list(zip(aspect.judges, aspect.errors.judges, strict=True))
            if aspect.errors.panel is not None:
                known.append((panel_name(aspect.judges, aspect.how), aspect.errors.panel))
            rows += [
                (
                    aspect.aspect,
                    judge,
                    each.slope,
                    *_cells(each.sd),
                    *_cells(each.truth),
                    each.sd.why or each.sd.why_no_interval,
                )
                for judge, each in known
            ]
        return Table(
            name="panel-judges",
            title="Every judge's error, on people's scale",
            columns=(
                Column("aspect", "question"),
                Column("judge"),
                Column("slope", "slope", format=".2f"),
                Column("sd", "error SD"),
                Column("sd_low", level),
                Column("sd_high", "to"),
                Column("truth", "correlation with the truth", format=".2f", tiny=False),
                Column("truth_low", level, format=".2f", tiny=False),
                Column("truth_high", "to", format=".2f", tiny=False),
                Column("why", "why not", show="varies"),
            ),
            rows=tuple(rows),
        )

    def _correlations(self, aspect: AspectPanel) -> Table:
        return Table(
            name=f"panel-correlations-{aspect.aspect}",
            title=f"Correlations between judges' errors, {aspect.aspect}",
            columns=(
                Column("judge"),
                *(Column(name, format=".2f", tiny=False) for name in aspect.judges),
            ),
            rows=tuple(
                (name, *map(float, row))
                for name, row in zip(aspect.judges, aspect.errors.correlations, strict=True)
            ),
        )

    def notes(self) -> tuple[str, ...]:
        found = [
            "errors are what a judge's answers hold beyond a straight line on the truth, which is what the mean of very"
            " many assessors like these would be: neither severity nor a narrower use of the scale is an error",
        ]
        if self.how != "none":
            found.append(f"the panel's answer is {RULES[self.how]}")
        if any(each.pairs for each in self.aspects):
            found.append("of pairs the answers are 1, 0 and half a tie")
        found += [
            f"{each.aspect}: {counted(each.left_out, 'thing')} that not all judges answered for left out"
            for each in self.aspects
            if each.left_out
        ]
        return tuple(found)

    @property
    def signature(self) -> str:
        o = self.options
        return (
            f"panel:{self.how}|errors:partial:disattenuated|bootstrap:topics:expanded-percentile:{o.resamples}"
            f"|seed:{o.seed}|v:{__version__}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        found: dict[str, Any] = plain(
            {
                "panel": self.how,
                "headline": self.headline(),
                "sentences": list(self.sentences()),
                "interval": self.options.level,
                "aspects": [
                    {
                        "aspect": each.aspect,
                        "judges": list(each.judges),
                        "assessors": each.assessors,
                        "left_out": each.left_out,
                        **asdict(replace(each.errors, correlations=np.zeros((0, 0)))),
                        "correlations": each.errors.correlations.tolist(),
                        "best": None if each.errors.best is None else each.judges[each.errors.best],
                    }
                    for each in self.aspects
                ],
                "notes": list(self.notes()),
                "signature": self.signature,
            }
        )
        return found


def _cells(found: PanelEstimate) -> tuple[Cell, Cell, Cell]:
    return found.value, found.low, found.high if math.isfinite(found.high) else None


def panels(
    benches: JudgeBenches,
    options: JudgeOptions | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    how: str = "mean",
) -> PanelsResult:
    """How far the errors of several judges go together, question by question, and what their panel gains.

    With `how="none"` there is no panel, but its judges' errors are told all the same. Intervals resample the sets of
    topics, or topics.
    """
    checks.one_of("how", how, get_args(PanelHow))
    chosen = options or JudgeOptions()
    asked, found = list(_by_aspect(benches)), []
    for done, own in enumerate(asked):
        progress(done, len(asked))
        found.append(_aspect_panel(own, chosen, how))
    return PanelsResult(name=benches.name, aspects=tuple(found), how=how, options=chosen)


def _aspect_panel(benches: Sequence[AspectBench], options: JudgeOptions, how: str) -> AspectPanel:
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
