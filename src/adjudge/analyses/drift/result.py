"""Drift: two versions of a judge on the same things, and what changed. `adjudge judge drift`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.gathered import Gathered, gather, gathered_of, multiplier
from adjudge.analyses.judges.bench import (
    answer_direction,
    column_answers,
    measures_with_assessors,
    two_summaries,
)
from adjudge.analyses.questions import GivenAnswer, at_target, scored_answers, stored_answers
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.stability.repeats import self_agreement
from adjudge.assessors.cards import JudgeCard, read_cards
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed, natural
from adjudge.data.folder import Folder
from adjudge.data.scores import AllLengths, Better, MeasureInfo, ScoreMatrix
from adjudge.judgments.protocol import PREFERENCE, QUALITY
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.judge_agreement import MISSING, is_off_scale, mapped_codes
from adjudge.stats.judge_drift import (
    AgreementChange,
    DriftShift,
    SwapTest,
    SystemShifts,
    agreement_change,
    joint_p,
    mean_shift,
    repeats_p,
    swap_signs,
    system_shifts,
)
from adjudge.stats.multiple import holm
from adjudge.stats.ranks import kendall
from adjudge.stats.shares import ClusteredShare, clustered_share

RESULTS = ("missing", "planted", "words_cut")
"""Of a card's settings: what came out, and is no setting."""
LONGEST = 60
"""Characters of a setting that a table shows."""
MOST_NAMED = 6
"""Systems, or pairs of systems, that a sentence names."""
SCORE = "score"
"""The question that two columns of scores answer."""
PER_QUESTION = 3
"""Tests by swaps."""
MOST_SWAPS = 20_000
WHAT = {
    "shift": "mean shift",
    "systems": "shift depends on the system",
    "people": "agreement with people",
    "repeats": "same answers, beside repeats",
}
"""What is tested."""


@dataclass(frozen=True)
class DriftOptions:
    """How drift is computed."""

    alpha: float = 0.05
    resamples: int = 1000
    seed: int = 0

    @property
    def level(self) -> float:
        return 1 - self.alpha

    def swaps(self, tests: int) -> int:
        """As many as resamples; more where the smallest p, corrected for so many tests, would not fall below alpha."""
        return max(self.resamples, min(math.ceil(4 * tests / self.alpha), MOST_SWAPS))

    def rng(self, what: str) -> np.random.Generator:
        return generator(self.seed, f"judges/drift/{what}")


# What both answered


@dataclass(frozen=True, eq=False)
class DriftAnswers:
    """One question: what two versions of a judge, and people where there are any, answered about the same things."""

    question: str
    source: str | None
    topics: tuple[str, ...]
    clusters: tuple[str, ...]
    systems: tuple[str | None, ...]
    sides: tuple[tuple[str, str] | None, ...]
    old: FloatArray
    new: FloatArray
    people: tuple[str, ...]
    answers: FloatArray
    """Things x people."""
    categories: tuple[float, ...] | None
    better: Better
    pairs: bool
    only_old: int
    """Things that one version alone answered for."""
    only_new: int
    repeats: tuple[int, int] | None = None
    """Of the old version: how often it gave the same answer when asked again, and how often it was."""

    def on_scale(self, values: FloatArray) -> FloatArray:
        """The nearest choice, where the scale is known: a mean over probabilities lies between two."""
        if self.categories is None or self.pairs:
            return values
        scale = np.array(sorted(self.categories))
        near = np.abs(np.nan_to_num(values)[..., None] - scale).argmin(axis=-1)
        return np.asarray(np.where(np.isnan(values), np.nan, scale[near]))

    @property
    def scale(self) -> FloatArray:
        """The choices, or what people used."""
        if self.categories is not None:
            return np.array(sorted(self.categories))
        return np.unique(self.answers[~np.isnan(self.answers)])

    def by_rank(self) -> tuple[FloatArray, FloatArray] | None:
        """Both versions' answers on people's scale, where they are on another one; None where they are not.

        Ranks are among the answers of both, so that a shift from one to the other stays one.
        """
        both, scale = np.concatenate([self.old, self.new]), self.scale
        cluster = checks.clusters_of(self.clusters, self.old.size)
        if self.pairs or cluster.max(initial=0) == 0 or not is_off_scale(both, scale):
            return None
        edges = (scale[1:] + scale[:-1]) / 2
        people = np.where(np.isnan(self.answers), MISSING, np.searchsorted(edges, self.answers, "left"))
        codes = mapped_codes(both, np.vstack([people, people]), np.tile(cluster, 2), scale.size)
        return scale[codes[: self.old.size]], scale[codes[self.old.size :]]

    def scored(self) -> Iterator[tuple[int, str, bool]]:
        """Every thing with a system that it counts for, and whether as the first of a pair."""
        for k, (system, sides) in enumerate(zip(self.systems, self.sides, strict=True)):
            if sides is not None:
                yield k, sides[0], True
                yield k, sides[1], False
            elif system is not None:
                yield k, system, True

    def matrix(self, values: FloatArray) -> ScoreMatrix | None:
        """Systems' scores on topics, higher is better."""
        topics = {name: k for k, name in enumerate(dict.fromkeys(self.topics))}
        systems = {
            name: k for k, name in enumerate(sorted({name for _, name, _ in self.scored()}, key=natural))
        }
        if len(systems) < 2 or len(topics) < 2:
            return None
        sums, n = np.zeros((2, len(topics), len(systems)))
        for k, name, first in self.scored():
            at = topics[self.topics[k]], systems[name]
            sums[at] += values[k] if first else 1 - values[k]
            n[at] += 1
        found = np.divide(sums, n, out=np.full(sums.shape, np.nan), where=n > 0)
        return ScoreMatrix(
            values=-found if self.better == "lower" else found,
            counts=n.astype(np.int64),
            topics=tuple(topics),
            systems=tuple(systems),
            info=MeasureInfo(measure=self.question, better="higher"),
        )


# What changed


@dataclass(frozen=True)
class ChangedPair:
    """Two systems whose order, or whose conclusion, is another with the new version."""

    a: str
    b: str
    old: float
    """The mean of a less that of b, higher is better."""
    new: float
    old_found: bool
    new_found: bool
    """Whether they differ significantly."""

    @property
    def turned(self) -> bool:
        return self.old * self.new < 0

    @property
    def change(self) -> str:
        if self.old_found and self.new_found:
            return "contradicted"
        if self.old_found or self.new_found:
            said = "found by the old version alone" if self.old_found else "found by the new version alone"
            return f"{said}; order turned" if self.turned else said
        return "order turned, found by neither"


@dataclass(frozen=True)
class RankingChange:
    """The two rankings of systems."""

    tau: float
    systems: int
    pairs: int
    turned: int
    """Pairs of systems whose order is another; ties in one ranking do not count."""
    conclusions: int
    """Pairs that one version finds different, and the other does not, or the other way round."""
    changed: tuple[ChangedPair, ...]
    test: str = "wilcoxon"


@dataclass(frozen=True, eq=False)
class QuestionDrift:
    """What changed in the answers to one question."""

    question: str
    source: str | None
    things: int
    topics: int
    clusters: int
    same: ClusteredShare
    repeats: tuple[int, int] | None
    shift: DriftShift | None
    """None of pairs, where which is first says nothing."""
    systems: Mapping[str, DriftShift]
    p: Mapping[str, float]
    """By what is tested; see WHAT."""
    people: AgreementChange
    ranking: RankingChange | None
    answers: tuple[tuple[float, int, int], ...]
    """Answers, and how often each version gave them; empty where there are very many."""
    better: Better = "higher"
    pairs: bool = False
    p_adjusted: Mapping[str, float] = field(default_factory=dict)
    """Corrected for everything that is tested of all questions."""
    tests: Mapping[str, SwapTest] = field(default_factory=dict, repr=False)
    remarks: tuple[str, ...] = ()

    def found(self, alpha: float) -> tuple[str, ...]:
        """What changed significantly."""
        return tuple(name for name, p in self.p_adjusted.items() if p <= alpha)

    @property
    def identical(self) -> bool:
        return self.same.hits == self.same.n and (self.shift is None or self.shift.mean == 0)

    @property
    def milder(self) -> bool:
        assert self.shift is not None
        return (self.shift.mean > 0) == (self.better == "higher")


@dataclass(frozen=True)
class CardChange:
    """A field of two judges' cards that differs."""

    protocol: str
    field: str
    old: str
    new: str


@dataclass(frozen=True, repr=False, eq=False)
class DriftResult(Tabular):
    """What changed from one version of a judge to another."""

    name: str
    old: str
    new: str
    questions: tuple[QuestionDrift, ...]
    cards: tuple[CardChange, ...]
    known: tuple[bool, bool]
    """Whether there are cards of the old and of the new version."""
    options: DriftOptions
    notes: tuple[str, ...] = ()

    @property
    def alpha(self) -> float:
        return self.options.alpha

    def headline(self) -> str:
        if all(q.identical for q in self.questions):
            return f"{self.new} gave the same answers as {self.old} throughout."
        changes = [(q.question, listed(list(self._changes(q)))) for q in self.questions]
        if any(said for _, said in changes):
            several = len(self.questions) > 1
            told = "; ".join(f"{name}: {said}" if several else said for name, said in changes if said)
            return f"From {self.old} to {self.new}: {told}."
        if not self._findable():
            clusters = max(q.clusters for q in self.questions)
            few = f"{counted(clusters, 'topic')} {'is' if clusters == 1 else 'are'} too few"
            return f"No change from {self.old} to {self.new} could have been found: {few}."
        same, of = sum(q.same.hits for q in self.questions), sum(q.same.n for q in self.questions)
        return (
            f"No change from {self.old} to {self.new} is shown; {counted(of - same, 'answer')} of {of:,} differ"
            f"{self._as_usual()}."
        )

    def _as_usual(self) -> str:
        known = all(q.repeats is not None for q in self.questions)
        return (
            f", which is not shown to be another share than when {self.old} is asked again" if known else ""
        )

    def _findable(self) -> bool:
        """Whether any p could have been small enough: swaps of c clusters have p of 2 / 2^c at least."""
        both = 1 + any("repeats" in q.p for q in self.questions)
        return any(2.0 ** (1 - q.clusters) * both <= self.alpha for q in self.questions)

    def _changes(self, q: QuestionDrift) -> Iterator[str]:
        found = q.found(self.alpha)
        if "shift" in found and q.shift is not None:
            yield f"it became {'milder' if q.milder else 'stricter'} by {abs(q.shift.mean):.2f}"
        if "systems" in found:
            turned = q.ranking.turned if q.ranking is not None else 0
            order = f" ({counted(turned, 'pair')} of systems in another order)" if turned else ""
            yield f"the shift depends on the system{order}"
        if "people" in found:
            yield (
                f"agreement with people {'rose' if q.people.difference > 0 else 'fell'} from alpha"
                f" {q.people.old:z.2f} to {q.people.new:z.2f}"
            )
        if "repeats" in found:
            yield f"answers differ more often than when {self.old} is asked again"

    def sentences(self) -> Iterator[str]:
        for q in self.questions:
            yield from self._of_question(q)
        yield self._of_cards()

    def _of_question(self, q: QuestionDrift) -> Iterator[str]:
        title = f"{q.question}: "
        what = "pair" if q.pairs else "thing"
        yield (
            f"{title}the same answer for {_share(q.same.share)} ({_share(q.same.low)} to {_share(q.same.high)}) of"
            f" {counted(q.things, what)} of {counted(q.topics, 'topic')}{self._repeated(q)}."
        )
        if q.identical:
            return
        found = q.found(self.alpha)
        if q.shift is not None:
            size = f"{q.shift.mean:+.3f}{_interval(q.shift)}"
            if "shift" in found:
                yield f"{title}{self.new} is {'milder' if q.milder else 'stricter'}: {size}, {_p(q, 'shift')}."
            else:
                yield f"{title}no shift is shown: {size}, {_p(q, 'shift')}."
        if "systems" in q.p:
            if "systems" in found:
                yield f"{title}the shift depends on the system ({_p(q, 'systems')}){self._most(q)}."
            else:
                yield f"{title}that the shift depends on the system is not shown ({_p(q, 'systems')})."
        if q.people.why is None:
            size = f"{q.people.old:z.3f} to {q.people.new:z.3f} ({q.people.difference:+.3f}{_ends(q.people)})"
            said = "changed" if "people" in found else "is not shown to have changed"
            yield (
                f"{title}agreement with {counted(q.people.people, 'assessor')} {said}: alpha from {size},"
                f" {_p(q, 'people')}."
            )
        elif not q.people.people:
            yield f"{title}nobody else answered for these, so agreement with people is not known."
        if q.ranking is not None:
            yield f"{title}{self._of_ranking(q.ranking)}"

    def _repeated(self, q: QuestionDrift) -> str:
        if q.repeats is None:
            return ""
        same, of = q.repeats
        than = _share(same / of)
        said = f"; {self.old} asked again gives its own answer for {than} of {counted(of, 'answer')}"
        if "repeats" not in q.p:
            return said
        shown = "shown" if "repeats" in q.found(self.alpha) else "not shown"
        return f"{said}; that the versions differ more often than that is {shown} ({_p(q, 'repeats')})"

    def _most(self, q: QuestionDrift) -> str:
        own = [(name, each) for name, each in q.systems.items() if each.p_adjusted <= self.alpha]
        own.sort(key=lambda pair: -abs(pair[1].mean))
        if not own:
            return ""
        names = [f"{name} {each.mean:+.2f}" for name, each in own]
        return f"; taken alone these shifted: {listed(names, most=MOST_NAMED)}"

    def _of_ranking(self, r: RankingChange) -> str:
        said = (
            f"the rankings of {counted(r.systems, 'system')} have tau {r.tau:z.2f}"
            if not math.isnan(r.tau)
            else f"one ranking of {counted(r.systems, 'system')} has only ties"
        )
        if not r.changed:
            return f"{said}; no pair of systems changes its order or its conclusion."
        pairs = [f"{each.a} and {each.b}" for each in r.changed if each.turned]
        turned = f"; {r.turned or 'none'} of {counted(r.pairs, 'pair')} turned" + (
            f" ({'; '.join(pairs[:MOST_NAMED])}{' ...' * (len(pairs) > MOST_NAMED)})" if pairs else ""
        )
        changed = counted(r.conclusions, "conclusion") if r.conclusions else "no conclusion"
        return f"{said}{turned}; {changed} changed."

    def _of_cards(self) -> str:
        if not any(self.known):
            return "Nothing is known of how the two were made: there are no cards of them."
        if not all(self.known):
            lacking = self.old if self.known[1] else self.new
            return f"There is no card of {lacking}, so what differs in how the two were made is not known."
        if not self.cards:
            return "Their cards say the same: model, prompt and parameters."
        fields = dict.fromkeys(each.field for each in self.cards)
        return f"Their cards differ in {listed(list(fields))}."

    # Tables

    def table(self) -> Table:
        level = f"{100 * self.options.level:.4g}% from"
        return Table(
            name="drift",
            title=f"{self.name}: from {self.old} to {self.new}",
            columns=(
                Column("protocol", show="varies"),
                Column("question"),
                Column("things"),
                Column("topics"),
                Column("same", "same answer", format=".2f", tiny=False),
                Column("same_low", level, format=".2f", tiny=False),
                Column("same_high", "to", format=".2f", tiny=False),
                Column("repeats", "at repeats", format=".2f", show="varies"),
                Column("repeats_n", show="never"),
                Column("shift", "mean shift", format="+.3f", tiny=False),
                Column("shift_low", level, format="+.3f", tiny=False),
                Column("shift_high", "to", format="+.3f", tiny=False),
                Column("alpha_old", "alpha, old", tiny=False),
                Column("alpha_new", "alpha, new", tiny=False),
                Column("alpha_change", "change", format="+.3f", tiny=False),
                Column("alpha_low", level, format="+.3f", tiny=False),
                Column("alpha_high", "to", format="+.3f", tiny=False),
                Column("tau", "tau of rankings", format=".2f", tiny=False),
                Column("turned", "pairs turned"),
                Column("conclusions", "conclusions changed"),
                Column("why", "why no alpha", show="varies"),
            ),
            rows=tuple(self._row(q) for q in self.questions),
            said=(self.headline(), *self.sentences()),
            notes=self.all_notes(),
            signature=self.signature,
        )

    def _row(self, q: QuestionDrift) -> tuple[Cell, ...]:
        shift, people, r = q.shift, q.people, q.ranking
        return (
            q.source,
            q.question,
            q.things,
            q.topics,
            q.same.share,
            q.same.low,
            q.same.high,
            None if q.repeats is None else q.repeats[0] / q.repeats[1],
            None if q.repeats is None else q.repeats[1],
            *((None,) * 3 if shift is None else (shift.mean, shift.low, shift.high)),
            people.old,
            people.new,
            people.difference,
            people.low,
            people.high,
            None if r is None else r.tau,
            None if r is None else r.turned,
            None if r is None else r.conclusions,
            people.why or people.why_no_interval,
        )

    def tables(self) -> Tables:
        found = [self.table(), self._tests()]
        found += [each for each in (self._systems(), self._pairs(), self._answers()) if each.rows]
        found += [self._cards()] if self.cards else []
        return Tables(tuple(found))

    def _tests(self) -> Table:
        return Table(
            name="drift-tests",
            title="What is tested: p by swapping the two versions' answers in whole topics",
            columns=(
                Column("question"),
                Column("tested", "what"),
                Column("p", "p", format=".4f"),
                Column("p_adjusted", "p, corrected", format=".4f"),
                Column("changed"),
            ),
            rows=tuple(
                (q.question, WHAT[name], p, q.p_adjusted.get(name), name in q.found(self.alpha))
                for q in self.questions
                for name, p in q.p.items()
            ),
        )

    def _systems(self) -> Table:
        level = f"{100 * self.options.level:.4g}% from"
        return Table(
            name="drift-systems",
            title="The shift of every system",
            columns=(
                Column("question"),
                Column("system"),
                Column("things"),
                Column("shift", "mean shift", format="+.3f", tiny=False),
                Column("low", level, format="+.3f", tiny=False),
                Column("high", "to", format="+.3f", tiny=False),
                Column("p", "p", format=".4f"),
                Column("p_adjusted", "p after Holm", format=".4f"),
            ),
            rows=tuple(
                (q.question, name, s.things, s.mean, s.low, s.high, s.p, s.p_adjusted)
                for q in self.questions
                for name, s in q.systems.items()
            ),
        )

    def _pairs(self) -> Table:
        return Table(
            name="drift-pairs",
            title="Pairs of systems whose order or conclusion changed (Wilcoxon's test, Holm over pairs)",
            columns=(
                Column("question"),
                Column("a"),
                Column("b"),
                Column("old", "a less b, old", format="+.3f"),
                Column("new", "a less b, new", format="+.3f"),
                Column("change"),
            ),
            rows=tuple(
                (q.question, each.a, each.b, each.old, each.new, each.change)
                for q in self.questions
                if q.ranking is not None
                for each in q.ranking.changed
            ),
        )

    def _answers(self) -> Table:
        return Table(
            name="drift-answers",
            title="How often each answer was given",
            columns=(Column("question"), Column("answer", format="g"), Column("old"), Column("new")),
            rows=tuple(
                (q.question, answer, old, new) for q in self.questions for answer, old, new in q.answers
            ),
        )

    def _cards(self) -> Table:
        return Table(
            name="drift-cards",
            title="What differs in their cards",
            columns=(
                Column("protocol", show="varies"),
                Column("field"),
                Column("old", self.old),
                Column("new", self.new),
            ),
            rows=tuple((each.protocol, each.field, each.old, each.new) for each in self.cards),
        )

    def all_notes(self) -> tuple[str, ...]:
        tests = sum(not math.isnan(p) for q in self.questions for p in q.p.values())
        found = [*self.notes, *(each for q in self.questions for each in q.remarks)]
        if tests > 1 and not all(q.identical for q in self.questions):
            found.append(
                f"p is corrected for {tests} tests (Westfall and Young 1993, step-down); intervals are not, so one may"
                " exclude 0 where the test does not find a change"
            )
        if not any(q.repeats for q in self.questions) and not all(q.identical for q in self.questions):
            found.append(
                f"how often {self.old} would differ from itself is not known: nothing was asked of it twice"
            )
        return tuple(found)

    @property
    def signature(self) -> str:
        o = self.options
        return (
            f"drift:{self.old}:{self.new}|interval:t:clusters|swaps:topics:westfall-young:{o.alpha:g}"
            f"|bootstrap:topics:expanded-percentile:{o.resamples}|seed:{o.seed}|v:{__version__}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        found: dict[str, Any] = plain(
            {
                "name": self.name,
                "old": self.old,
                "new": self.new,
                "headline": self.headline(),
                "sentences": list(self.sentences()),
                "alpha": self.alpha,
                "questions": [
                    asdict(replace(q, systems={}, p={}, p_adjusted={}, tests={}))
                    | {
                        "same": {
                            "share": q.same.share,
                            "low": q.same.low,
                            "high": q.same.high,
                            "same": q.same.hits,
                            "of": q.same.n,
                        },
                        "repeats": None if q.repeats is None else {"same": q.repeats[0], "of": q.repeats[1]},
                        "systems": {name: asdict(each) for name, each in q.systems.items()},
                        "tests": {
                            name: {
                                "p": p,
                                "p_adjusted": q.p_adjusted.get(name),
                                "changed": name in q.found(self.alpha),
                            }
                            for name, p in q.p.items()
                        },
                        "answers": [
                            {"answer": answer, "old": old, "new": new} for answer, old, new in q.answers
                        ],
                    }
                    for q in self.questions
                ],
                "cards": [asdict(each) for each in self.cards],
                "notes": list(self.all_notes()),
                "signature": self.signature,
            }
        )
        for each in found["questions"]:
            del each["p"], each["p_adjusted"]
        return found


def _share(value: float) -> str:
    return f"{100 * value:.0f}%" if value in (0, 1) or 0.005 <= value < 0.995 else f"{100 * value:.1f}%"


def _interval(shift: DriftShift) -> str:
    return "" if math.isnan(shift.low) else f" ({shift.low:+.3f} to {shift.high:+.3f})"


def _ends(change: AgreementChange) -> str:
    return "" if math.isnan(change.low) else f", {change.low:+.3f} to {change.high:+.3f}"


def _p(q: QuestionDrift, name: str) -> str:
    p = q.p_adjusted[name]
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"


# The analysis


def judge_drift(
    scores: Source,
    old: str,
    new: str,
    *,
    question: str | Sequence[str] = (),
    length: int | AllLengths | None = None,
    form: str | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> DriftResult:
    """What changed from one version of a judge to another: `judge_drift("my-eval", "gpt-may", "gpt-june")`.

    `old` and `new` are assessors of a folder or of a table, or two columns of scores, and only what both answered
    counts. Everybody else is people; there need not be any. `question` names some questions or measures. Tests swap the
    two versions' answers in whole sets of topics, or topics, and p is corrected for all of them. `without` leaves out
    people.
    """
    multiplier(alpha)  # says what is wrong with alpha
    checks.count("resamples", resamples, least=100)
    if old == new:
        raise UsageError(f"drift is between two versions of a judge, and both are {quoted(old)}")
    data = scores_of(scores)
    how = DriftOptions(alpha=alpha, resamples=resamples, seed=seed)
    asked, gathered, notes = _asked(data, old, new, length, form, without)
    named = (question,) if isinstance(question, str) else tuple(question)
    for text in named:
        there = [each.question for each in asked]
        if text not in there:
            raise UsageError(
                f"{old} and {new} did not both answer {quoted(text)}{nearest(text, there)}; there are: {listed(there)}"
            )
    asked = [each for each in asked if not named or each.question in named]
    everywhere = {name: k for k, name in enumerate(dict.fromkeys(c for each in asked for c in each.clusters))}
    signs = swap_signs(how.rng("swaps"), len(everywhere), how.swaps(PER_QUESTION * len(asked)))
    found = _corrected([_drifted(each, signs, everywhere, how) for each in asked])
    cards, known = _card_changes(data, old, new, {each.source for each in asked})
    left = gathered.notes("the comparison") if gathered is not None else ()
    return DriftResult(
        name=data.name,
        old=old,
        new=new,
        questions=tuple(found),
        cards=cards,
        known=known,
        options=how,
        notes=(*notes, *left),
    )


def _asked(
    data: Scores,
    old: str,
    new: str,
    length: int | AllLengths | None,
    form: str | None,
    without: str | Sequence[str],
) -> tuple[list[DriftAnswers], Gathered | None, list[str]]:
    """The questions that both versions answered, or why there are none."""
    gathered = gathered_of(data)
    answers: list[GivenAnswer] = []
    everybody: set[str] = set()
    if gathered is not None:
        everybody |= set(gathered.judgments.by_judge)
        gathered = gather(gathered.collection, gathered.judgments.with_judges([old, new]))
        answers += stored_answers(gathered)
    measures = measures_with_assessors(data)
    answers += scored_answers(data, measures, length="all", form=None).answers if measures else []
    assessors = {each.assessor for each in answers}
    everybody |= assessors
    if {old, new}.isdisjoint(assessors) and {old, new} <= set(data.measures):
        answers = [
            each for name in (old, new) for each in column_answers(data, name, question=SCORE, assessor=name)
        ]
    else:
        for name in (old, new):
            if name not in assessors:
                raise UsageError(
                    f"{data.name} has no answers by {quoted(name)}{among(name, sorted(everybody, key=natural))}"
                )
    left = {without} if isinstance(without, str) else set(without)
    for name in left:
        if name in (old, new):
            raise UsageError(f"{name} cannot be both a version of the judge and left out")
        if name not in assessors:
            raise UsageError(
                f"{data.name} has no answers by {quoted(name)}{among(name, sorted(assessors, key=natural))}"
            )
    kept, refused = at_target(
        [each for each in answers if each.assessor not in left], length=length, form=form
    )
    own: dict[tuple[str | None, str, str], list[GivenAnswer]] = {}
    for each in kept:
        own.setdefault((each.source, each.question, each.part), []).append(each)
    repeats = _stored_repeats(gathered, old)
    found = [
        made
        for (source, name, part), given in own.items()
        if (made := _answers(data, gathered, source, name, part, given, old, new, repeats)) is not None
    ]
    if not found:
        raise DataError(
            f"{data.name}: there is nothing that both {old} and {new} answered for"
            + (f" ({refused[0]})" if refused else "")
        )
    names = [each.question for each in found]
    found = [
        replace(each, question=f"{each.source}/{each.question}")
        if names.count(each.question) > 1 and each.source
        else each
        for each in found
    ]
    return found, gathered, [f"{why}: left out" for why in refused]


def _stored_repeats(gathered: Gathered | None, old: str) -> dict[tuple[str, str], tuple[int, int]]:
    """By protocol and kind of question: how often the old version gave the same answer when asked again."""
    if gathered is None:
        return {}
    return {
        (each.protocol, each.question): (each.same, each.answers)
        for each in self_agreement(gathered)
        if each.assessor == old and each.part == "all"
    }


def _answers(
    data: Scores,
    gathered: Gathered | None,
    source: str | None,
    question: str,
    part: str,
    given: Sequence[GivenAnswer],
    old: str,
    new: str,
    repeats: Mapping[tuple[str, str], tuple[int, int]],
) -> DriftAnswers | None:
    """One question; None where the two versions share nothing."""
    pairs = question == PREFERENCE
    by: dict[str, dict[Hashable, list[float]]] = {}
    first: dict[Hashable, GivenAnswer] = {}
    for each in given:
        if not is_anonymous(each.assessor):
            first.setdefault(each.thing, each)
            by.setdefault(each.assessor, {}).setdefault(each.thing, []).append(each.value)
    mine, other = by.get(old, {}), by.get(new, {})
    things = sorted(
        (thing for thing in mine if thing in other),
        key=lambda thing: (natural(first[thing].topic), repr(thing)),
    )
    if not things:
        return None
    people = sorted(
        (who for who in by if who not in (old, new) and any(thing in by[who] for thing in things)),
        key=natural,
    )

    def value(who: str, thing: Hashable) -> float:
        found = by[who].get(thing)
        if found is None:
            return math.nan
        # a pair may be asked in both orders, which are one answer; of other repeats the first counts
        return math.fsum(found) / len(found) if pairs and who in (old, new) else found[0]

    again = [(values[0], each) for values in mine.values() for each in values[1:]]
    if source is not None:
        # repeats of all quality questions are counted together, and of pairs in whatever order they were shown
        known = None if pairs or question.startswith(QUALITY) else repeats.get((source, question))
    else:
        known = (sum(one == two for one, two in again), len(again)) if again else None
    rows = [first[thing] for thing in things]
    sets = {name: topic.set for name, topic in data.topics.items() if topic.set is not None}
    both = [two_summaries(thing) if pairs else None for thing in things]
    protocols = gathered.judgments.protocols if gathered is not None else {}
    return DriftAnswers(
        question=f"{question}, {part}" if part else question,
        source=source,
        topics=tuple(each.topic for each in rows),
        clusters=tuple(sets.get(each.topic, each.topic) for each in rows),
        systems=tuple(each.system for each in rows),
        sides=tuple(None if each is None else (each[0].system, each[1].system) for each in both),
        old=np.array([value(old, thing) for thing in things]),
        new=np.array([value(new, thing) for thing in things]),
        people=tuple(people),
        answers=np.array([[value(who, thing) for who in people] for thing in things]).reshape(
            len(things), len(people)
        ),
        categories=rows[0].categories,
        better=answer_direction(data, protocols, source, question),
        pairs=pairs,
        only_old=len(mine) - len(things),
        only_new=len(other) - len(things),
        repeats=known,
    )


def _drifted(
    own: DriftAnswers, signs: FloatArray, everywhere: Mapping[str, int], how: DriftOptions
) -> QuestionDrift:
    """One question; the swaps are those of all questions, by cluster."""
    signs = signs[:, [everywhere[name] for name in dict.fromkeys(own.clusters)]]
    difference = own.new - own.old
    size = max(float(np.abs(own.new).max()), float(np.abs(own.old).max()))
    difference[np.abs(difference) <= 1e-12 * size] = 0.0
    codes = checks.clusters_of(own.clusters, difference.size)
    alike = (own.on_scale(own.old) == own.on_scale(own.new)) | (difference == 0)
    same = clustered_share(
        np.bincount(codes, weights=alike).astype(int).tolist(),
        np.bincount(codes).tolist(),
        level=how.level,
    )
    tests: dict[str, SwapTest] = {}
    shift = None
    if not own.pairs:
        shift, tests["shift"] = mean_shift(difference, signs, clusters=own.clusters, level=how.level)
    systems = _by_system(own, difference, signs, how)
    names = sorted({name for _, name, _ in own.scored()}, key=natural)
    if systems.test is not None:
        tests["systems"] = systems.test
    ranked = own.by_rank()
    people, changed = agreement_change(
        *(ranked or (own.on_scale(own.old), own.on_scale(own.new))),
        own.answers,
        signs,
        rng=how.rng("people"),
        clusters=own.clusters,
        level=how.level,
        resamples=how.resamples,
        mirrored=own.pairs,
    )
    if changed is not None:
        tests["people"] = changed
    p = {name: each.p for name, each in tests.items()}
    if own.repeats is not None and not math.isnan(apart := repeats_p(same, *own.repeats)):
        p["repeats"] = apart
    remarks = []
    if ranked is not None:
        both, scale = np.concatenate([own.old, own.new]), own.scale
        remarks.append(
            f"{own.question}: answers from {both.min():.4g} to {both.max():.4g} are put on people's scale of"
            f" {scale[0]:.4g} to {scale[-1]:.4g} by rank among both versions' answers, for alpha"
        )
    if own.only_old or own.only_new:
        remarks.append(
            f"{own.question}: left out what one version alone answered for: the old one"
            f" {counted(own.only_old, 'thing')}, the new one {own.only_new:,}"
        )
    return QuestionDrift(
        question=own.question,
        source=own.source,
        things=difference.size,
        topics=len(set(own.topics)),
        clusters=len(set(own.clusters)),
        same=same,
        repeats=own.repeats,
        shift=shift,
        systems=dict(zip(names, systems.systems, strict=True)),
        p=p,
        people=people,
        ranking=_ranked(own, how),
        answers=_counted(own),
        better=own.better,
        pairs=own.pairs,
        tests=tests,
        remarks=tuple(remarks),
    )


def _by_system(
    own: DriftAnswers, difference: FloatArray, signs: FloatArray, how: DriftOptions
) -> SystemShifts:
    rows = list(own.scored())
    at = {name: k for k, name in enumerate(sorted({name for _, name, _ in rows}, key=natural))}
    if not at:
        return SystemShifts(systems=(), test=None)
    return system_shifts(
        [difference[k] if first else -difference[k] for k, _, first in rows],
        [at[name] for _, name, _ in rows],
        signs,
        topics=[own.topics[k] for k, _, _ in rows],
        clusters=[own.clusters[k] for k, _, _ in rows],
        level=how.level,
    )


MOST_ANSWERS = 12


def _counted(own: DriftAnswers) -> tuple[tuple[float, int, int], ...]:
    old, new = own.on_scale(own.old), own.on_scale(own.new)
    there = sorted({*old.tolist(), *new.tolist(), *(() if own.pairs else own.categories or ())})
    if len(there) > MOST_ANSWERS:
        return ()
    return tuple((each, int((old == each).sum()), int((new == each).sum())) for each in there)


def _ranked(own: DriftAnswers, how: DriftOptions) -> RankingChange | None:
    """The rankings by both versions, and what `adjudge compare` would conclude from each."""
    before, after = own.matrix(own.old), own.matrix(own.new)
    if before is None or after is None:
        return None
    chosen = Compare(alpha=how.alpha, seed=how.seed)
    old, new = (_conclusions(compare_matrix(each, chosen)) for each in (before, after))
    means = [np.nanmean(each.values, axis=0) for each in (before, after)]
    tau = kendall(*means).tau
    changed = []
    turned = conclusions = 0
    for (a, b), (was, old_found) in old.items():
        now, new_found = new[a, b] if (a, b) in new else (-new[b, a][0], new[b, a][1])
        pair = ChangedPair(a=a, b=b, old=was, new=now, old_found=old_found, new_found=new_found)
        other = old_found != new_found or (old_found and pair.turned)
        turned, conclusions = turned + pair.turned, conclusions + other
        if pair.turned or other:
            changed.append(pair)
    return RankingChange(
        tau=tau,
        systems=len(before.systems),
        pairs=len(old),
        turned=turned,
        conclusions=conclusions,
        changed=tuple(changed),
    )


def _conclusions(found: Comparison) -> dict[tuple[str, str], tuple[float, bool]]:
    """By pair of systems: the mean difference, and whether it was found."""
    return {(each.a, each.b): (each.result.difference, each.different) for each in found.pairs[found.test]}


def _corrected(found: Sequence[QuestionDrift]) -> list[QuestionDrift]:
    """p corrected for everything that is tested: swaps together, repeats by Holm; half of alpha each, if both are."""
    swapped = [(k, name) for k, each in enumerate(found) for name in each.tests]
    repeated = [(k, "repeats") for k, each in enumerate(found) if "repeats" in each.p]
    both = 1 + bool(swapped and repeated)
    p = [*joint_p([found[k].tests[name] for k, name in swapped]), *holm([found[k].p[n] for k, n in repeated])]
    by = {key: min(both * float(each), 1.0) for key, each in zip([*swapped, *repeated], p, strict=True)}
    return [replace(each, p_adjusted={name: by[k, name] for name in each.p}) for k, each in enumerate(found)]


# Cards


def _card_changes(
    data: Scores, old: str, new: str, sources: set[str | None]
) -> tuple[tuple[CardChange, ...], tuple[bool, bool]]:
    """What differs in the cards under the protocols that are compared, and whether there are cards at all."""
    if data.folder is None:
        return (), (False, False)
    folder = Folder.open(data.folder)
    cards = [
        {card.protocol: card for card in read_cards(folder, name) if card.protocol in sources}
        for name in (old, new)
    ]
    found = []
    for protocol in sorted(set(cards[0]) & set(cards[1])):
        before, after = (_fields(each[protocol]) for each in cards)
        for name in sorted({*before, *after}, key=lambda key: (key.count("."), key)):
            one, other = before.get(name), after.get(name)
            if one != other:
                found.append(CardChange(protocol, name, _shown(one), _shown(other)))
    return tuple(found), (bool(cards[0]), bool(cards[1]))


def _fields(card: JudgeCard) -> dict[str, Any]:
    """What a judge's answers depend on; not what they cost, nor how many there are."""
    found: dict[str, Any] = {"kind": card.kind, "model": card.model, "family": card.family}

    def add(prefix: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, each in value.items():
                add(f"{prefix}.{key}" if prefix else str(key), each)
        else:
            found.setdefault(prefix, value)

    add("", {key: value for key, value in card.settings.items() if key not in RESULTS})
    return found


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}... ({len(str(value)):,} characters)"
