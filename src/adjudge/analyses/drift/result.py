"""Two versions of a judge on the same things: shifts, agreement with people, rankings. The mathematics is in stats/."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.drift import Drift
from adjudge.analyses.gathered import Gathered, gather, gathered_of
from adjudge.analyses.judges.bench import (
    AspectBench,
    answer_direction,
    column_answers,
    measures_with_assessors,
    two_summaries,
)
from adjudge.analyses.questions import GivenAnswer, at_target, scored_answers, stored_answers
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability.repeats import self_agreement
from adjudge.assessors.cards import JudgeCard, read_cards
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import listed, natural
from adjudge.data.folder import Folder
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.judgments.protocol import PREFERENCE, QUALITY
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.judge_agreement import MISSING, is_off_scale, mapped_codes
from adjudge.stats.judge_drift import (
    AgreementChange,
    DriftShift,
    SwapTest,
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
SCORE = "score"
"""The question that two columns of scores answer."""
PER_QUESTION = 3
"""Tests by swaps."""
MOST_SWAPS = 20_000

Tested = Literal["shift", "systems", "people", "repeats"]
"""The mean shift, whether it depends on the system, agreement with people, same answers beside repeats."""


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
    def concluded_otherwise(self) -> bool:
        return self.old_found != self.new_found or (self.old_found and self.turned)


@dataclass(frozen=True)
class RankingChange:
    """The two rankings of systems."""

    tau: float
    systems: int
    pairs: int
    changed: tuple[ChangedPair, ...]

    @property
    def turned(self) -> int:
        """Pairs of systems whose order is another; ties in one ranking do not count."""
        return sum(pair.turned for pair in self.changed)

    @property
    def conclusions(self) -> int:
        """Pairs that one version finds different, and the other does not, or the other way round."""
        return sum(pair.concluded_otherwise for pair in self.changed)


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
    """Of the old version: how often it gave the same answer when asked again, and how often it was."""
    shift: DriftShift | None
    """None of pairs, where which is first says nothing."""
    systems: Mapping[str, DriftShift]
    p: Mapping[Tested, float]
    people: AgreementChange
    ranking: RankingChange | None
    better: Better = "higher"
    pairs: bool = False
    p_adjusted: Mapping[Tested, float] = field(default_factory=dict)
    """Corrected for everything that is tested of all questions."""
    tests: Mapping[Tested, SwapTest] = field(default_factory=dict, repr=False)
    notes: tuple[Note, ...] = ()

    def found(self, alpha: float) -> tuple[Tested, ...]:
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


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DriftResult(Result):
    """What changed from one version of a judge to another."""

    asked: Drift
    name: str
    old: str
    new: str
    questions: tuple[QuestionDrift, ...]
    cards: tuple[CardChange, ...]
    with_cards: tuple[bool, bool]
    """Whether there are cards of the old and of the new version."""
    refused: tuple[str, ...] = ()
    """Why answers were left out."""

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    def findable(self) -> bool:
        """Whether any p could have been small enough: swaps of c clusters have p of 2 / 2^c at least."""
        both = 1 + any("repeats" in q.p for q in self.questions)
        return any(2.0 ** (1 - q.clusters) * both <= self.alpha for q in self.questions)

    def how(self) -> str:
        return (
            f"drift:{self.old}:{self.new}|interval:t:clusters|swaps:topics:westfall-young:{self.alpha:g}"
            f"|bootstrap:topics:expanded-percentile:{self.asked.resamples}|seed:{self.asked.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {"name": self.name, "old": self.old, "new": self.new, "alpha": self.alpha}

    def notes(self) -> Iterator[Note]:
        for why in self.refused:
            yield Note.of("left-out", why=why)
        for q in self.questions:
            yield from q.notes
        if all(q.identical for q in self.questions):
            return
        tests = sum(not math.isnan(p) for q in self.questions for p in q.p.values())
        if tests > 1:
            yield Note.of("corrected", tests=tests)
        if not any(q.repeats for q in self.questions):
            yield Note.of("no-repeats", old=self.old)

    def tables(self) -> Iterator[Table]:
        from adjudge.analyses.drift import words

        level = f"{100 * (1 - self.alpha):.4g}% from"

        def bounded(name: str, heading: str, form: str, low: str, high: str) -> tuple[Column, ...]:
            columns = ((name, heading), (low, level), (high, "to"))
            return tuple(Column(at, title, format=form, tiny=False) for at, title in columns)

        yield Table.of(
            "drift",
            map(self._row, self.questions),
            Column("protocol", show="varies"),
            "question things topics",
            *bounded("same", "same answer", ".2f", "same_low", "same_high"),
            Column("repeats", "at repeats", format=".2f", show="varies"),
            Column("repeats_n", show="never"),
            *bounded("shift", "mean shift", "+.3f", "shift_low", "shift_high"),
            Column("alpha_old", "alpha, old", tiny=False),
            Column("alpha_new", "alpha, new", tiny=False),
            *bounded("alpha_change", "change", "+.3f", "alpha_low", "alpha_high"),
            Column("tau", "tau of rankings", format=".2f", tiny=False),
            Column("turned", "pairs turned"),
            Column("conclusions", "conclusions changed"),
            Column("why", "why no alpha", show="varies"),
            title=f"{self.name}: from {self.old} to {self.new}",
        )
        yield Table.of(
            "drift-tests",
            (
                (q.question, words.TESTED[name], p, q.p_adjusted.get(name), name in q.found(self.alpha))
                for q in self.questions
                for name, p in q.p.items()
            ),
            "question",
            Column("tested", "what"),
            Column("p", format=".4f"),
            Column("p_adjusted", "p, corrected", format=".4f"),
            "changed",
            title="What is tested: p by swapping the two versions' answers in whole topics",
        )
        systems = [
            (q.question, name, s.things, s.mean, s.low, s.high, s.p, s.p_adjusted)
            for q in self.questions
            for name, s in q.systems.items()
        ]
        if systems:
            yield Table.of(
                "drift-systems",
                systems,
                "question system things",
                *bounded("shift", "mean shift", "+.3f", "low", "high"),
                Column("p", format=".4f"),
                Column("p_adjusted", "p after Holm", format=".4f"),
                title="The shift of every system",
            )
        pairs = [
            (q.question, pair.a, pair.b, pair.old, pair.new, words.changed_pair(pair))
            for q in self.questions
            if q.ranking is not None
            for pair in q.ranking.changed
        ]
        if pairs:
            yield Table.of(
                "drift-pairs",
                pairs,
                "question a b",
                Column("old", "a less b, old", format="+.3f"),
                Column("new", "a less b, new", format="+.3f"),
                "change",
                title="Pairs of systems whose order or conclusion changed (Wilcoxon's test, Holm over pairs)",
            )
        if self.cards:
            yield Table.of(
                "drift-cards",
                self.cards,
                Column("protocol", show="varies"),
                "field",
                Column("old", self.old),
                Column("new", self.new),
                title="What differs in their cards",
            )

    def _row(self, q: QuestionDrift) -> dict[str, Any]:
        r, people = q.ranking, q.people
        row: dict[str, Any] = {
            "protocol": q.source,
            "question": q.question,
            "things": q.things,
            "topics": q.topics,
            "same": q.same.share,
            "same_low": q.same.low,
            "same_high": q.same.high,
            "alpha_old": people.old,
            "alpha_new": people.new,
            "alpha_change": people.difference,
            "alpha_low": people.low,
            "alpha_high": people.high,
            "why": people.why or people.why_no_interval,
        }
        if q.repeats is not None:
            row |= {"repeats": q.repeats[0] / q.repeats[1], "repeats_n": q.repeats[1]}
        if q.shift is not None:
            row |= {"shift": q.shift.mean, "shift_low": q.shift.low, "shift_high": q.shift.high}
        if r is not None:
            row |= {"tau": r.tau, "turned": r.turned, "conclusions": r.conclusions}
        return row


# The analysis


def drift_of(scores: Scores, asked: Drift, old: str, new: str) -> DriftResult:
    """What changed, question by question."""
    versions, gathered, refused = _asked(scores, asked, old, new)
    named = (*asked.question, *(asked.measure or ()))
    there = [each.bench.aspect for each in versions]
    for text in named:
        if text not in there:
            raise UsageError(
                f"{old} and {new} did not both answer {quoted(text)}{nearest(text, there)}; there are: {listed(there)}"
            )
    versions = [each for each in versions if not named or each.bench.aspect in named]
    clusters = dict.fromkeys(name for each in versions for name in each.bench.clusters)
    # as many swaps as resamples; more where the smallest p, corrected for so many tests, would not fall below alpha
    least = math.ceil(4 * PER_QUESTION * len(versions) / asked.alpha)
    swaps = max(asked.resamples, min(least, MOST_SWAPS))
    signs = swap_signs(generator(asked.seed, "judges/drift/swaps"), len(clusters), swaps)
    at = {name: k for k, name in enumerate(clusters)}
    questions = _corrected([_drifted(each, signs, at, asked) for each in versions])
    cards, with_cards = _card_changes(scores, old, new, {each.bench.source for each in versions})
    return DriftResult(
        asked=asked,
        name=scores.name,
        old=old,
        new=new,
        questions=tuple(questions),
        cards=cards,
        with_cards=with_cards,
        refused=tuple(refused),
        about_scores=tuple(gathered.notes("the comparison")) if gathered is not None else (),
    )


@dataclass(frozen=True, eq=False)
class _Versions:
    """One question: what both versions, and people where there are any, answered about the same things."""

    bench: AspectBench
    """The new version's answers."""
    old: FloatArray
    only_old: int
    """Things that one version alone answered for."""
    only_new: int
    repeats: tuple[int, int] | None

    def on_scale(self, values: FloatArray) -> FloatArray:
        """The nearest choice, where the scale is known: a mean over probabilities lies between two."""
        unknown = self.bench.categories is None or self.bench.pairs
        return values if unknown else self.bench.on_scale(values)

    def by_rank(self) -> tuple[FloatArray, FloatArray] | None:
        """Both versions' answers on people's scale, where they are on another one; None where they are not.

        Ranks are among the answers of both, so that a shift from one to the other stays one.
        """
        bench = self.bench
        both, scale = np.concatenate([self.old, bench.given]), np.array(bench.scale)
        cluster = checks.clusters_of(bench.clusters, self.old.size)
        if bench.pairs or cluster.max(initial=0) == 0 or not is_off_scale(both, scale):
            return None
        edges = (scale[1:] + scale[:-1]) / 2
        people = np.where(np.isnan(bench.answers), MISSING, np.searchsorted(edges, bench.answers, "left"))
        codes = mapped_codes(both, np.vstack([people, people]), np.tile(cluster, 2), scale.size)
        return scale[codes[: self.old.size]], scale[codes[self.old.size :]]


def _asked(
    data: Scores, asked: Drift, old: str, new: str
) -> tuple[list[_Versions], Gathered | None, list[str]]:
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
            _need(data, name, assessors, everybody)
    for name in asked.without:
        if name in (old, new):
            raise UsageError(f"{name} cannot be both a version of the judge and left out")
        _need(data, name, assessors, assessors)
    length = None if asked.length == "unset" else asked.length
    kept, refused = at_target(
        [each for each in answers if each.assessor not in asked.without], length=length, form=asked.form
    )
    by_question: dict[tuple[str | None, str, str], list[GivenAnswer]] = {}
    for each in kept:
        by_question.setdefault((each.source, each.question, each.part), []).append(each)
    repeats = {
        (each.protocol, each.question): (each.same, each.answers)
        for each in (self_agreement(gathered) if gathered is not None else ())
        if each.assessor == old and each.part == "all"
    }
    versions = [
        both
        for given in by_question.values()
        if (both := _versions(data, gathered, given, old, new, repeats)) is not None
    ]
    if not versions:
        raise DataError(
            f"{data.name}: there is nothing that both {old} and {new} answered for"
            + (f" ({refused[0]})" if refused else "")
        )
    names = [made.bench.aspect for made in versions]
    for k, made in enumerate(versions):
        aspect, source = made.bench.aspect, made.bench.source
        if names.count(aspect) > 1 and source:
            versions[k] = replace(made, bench=replace(made.bench, aspect=f"{source}/{aspect}"))
    return versions, gathered, refused


def _need(data: Scores, name: str, there: set[str], nearby: set[str]) -> None:
    if name not in there:
        near = among(name, sorted(nearby, key=natural))
        raise UsageError(f"{data.name} has no answers by {quoted(name)}{near}")


def _versions(
    data: Scores,
    gathered: Gathered | None,
    given: Sequence[GivenAnswer],
    old: str,
    new: str,
    repeats: Mapping[tuple[str, str], tuple[int, int]],
) -> _Versions | None:
    """One question; None where the two versions share nothing."""
    source, question, part = given[0].source, given[0].question, given[0].part
    pairs = question == PREFERENCE
    by: dict[str, dict[Hashable, list[float]]] = {}
    first: dict[Hashable, GivenAnswer] = {}
    for each in given:
        if not is_anonymous(each.assessor):
            first.setdefault(each.thing, each)
            by.setdefault(each.assessor, {}).setdefault(each.thing, []).append(each.value)
    before, after = by.get(old, {}), by.get(new, {})
    things = [thing for thing in before if thing in after]
    things.sort(key=lambda thing: (natural(first[thing].topic), repr(thing)))
    if not things:
        return None
    people = [who for who in by if who not in (old, new) and any(thing in by[who] for thing in things)]
    people.sort(key=natural)

    def value(who: str, thing: Hashable) -> float:
        values = by[who].get(thing)
        if values is None:
            return math.nan
        # a pair may be asked in both orders, which are one answer; of other repeats the first counts
        return math.fsum(values) / len(values) if pairs and who in (old, new) else values[0]

    again = [(values[0], later) for values in before.values() for later in values[1:]]
    if source is not None:
        # repeats of all quality questions are counted together, and of pairs in whatever order they were shown
        repeated = None if pairs or question.startswith(QUALITY) else repeats.get((source, question))
    else:
        repeated = (sum(one == two for one, two in again), len(again)) if again else None
    rows = [first[thing] for thing in things]
    sets = {name: topic.set for name, topic in data.topics.items() if topic.set is not None}
    both = [two_summaries(thing) if pairs else None for thing in things]
    protocols = gathered.judgments.protocols if gathered is not None else {}
    answers = [[value(who, thing) for who in people] for thing in things]
    return _Versions(
        bench=AspectBench(
            judge=new,
            aspect=f"{question}, {part}" if part else question,
            source=source,
            topics=tuple(each.topic for each in rows),
            clusters=tuple(sets.get(each.topic, each.topic) for each in rows),
            systems=tuple(each.system for each in rows),
            sides=tuple(None if each is None else (each[0].system, each[1].system) for each in both),
            people=tuple(people),
            answers=np.array(answers).reshape(len(things), len(people)),
            given=np.array([value(new, thing) for thing in things]),
            categories=rows[0].categories,
            words=np.full(len(things), np.nan),
            measures={},
            better=answer_direction(data, protocols, source, question),
            pairs=pairs,
        ),
        old=np.array([value(old, thing) for thing in things]),
        only_old=len(before) - len(things),
        only_new=len(after) - len(things),
        repeats=repeated,
    )


def _drifted(versions: _Versions, signs: FloatArray, at: Mapping[str, int], asked: Drift) -> QuestionDrift:
    """One question; the swaps are those of all questions, by cluster."""
    bench, level = versions.bench, 1 - asked.alpha
    old, new = versions.old, bench.given
    signs = signs[:, [at[name] for name in dict.fromkeys(bench.clusters)]]
    difference = new - old
    size = max(float(np.abs(new).max()), float(np.abs(old).max()))
    difference[np.abs(difference) <= 1e-12 * size] = 0.0
    codes = checks.clusters_of(bench.clusters, difference.size)
    on_scale = versions.on_scale(old), versions.on_scale(new)
    alike = (on_scale[0] == on_scale[1]) | (difference == 0)
    same = clustered_share(
        np.bincount(codes, weights=alike).astype(int).tolist(), np.bincount(codes).tolist(), level=level
    )
    tests: dict[Tested, SwapTest] = {}
    shift = None
    if not bench.pairs:
        shift, tests["shift"] = mean_shift(difference, signs, clusters=bench.clusters, level=level)
    rows = list(bench.scored())
    names = sorted({name for _, _, name, _ in rows}, key=natural)
    systems: Mapping[str, DriftShift] = {}
    if names:
        shifts, depends = system_shifts(
            [difference[k] if is_first else -difference[k] for k, _, _, is_first in rows],
            [names.index(name) for _, _, name, _ in rows],
            signs,
            topics=[topic for _, topic, _, _ in rows],
            clusters=[bench.clusters[k] for k, _, _, _ in rows],
            level=level,
        )
        systems = dict(zip(names, shifts, strict=True))
        if depends is not None:
            tests["systems"] = depends
    ranked = versions.by_rank()
    people, changed = agreement_change(
        *(ranked or on_scale),
        bench.answers,
        signs,
        rng=generator(asked.seed, "judges/drift/people"),
        clusters=bench.clusters,
        level=level,
        resamples=asked.resamples,
        mirrored=bench.pairs,
    )
    if changed is not None:
        tests["people"] = changed
    p = {name: test.p for name, test in tests.items()}
    if versions.repeats is not None and not math.isnan(apart := repeats_p(same, *versions.repeats)):
        p["repeats"] = apart
    notes = []
    if ranked is not None:
        both, scale = np.concatenate([old, new]), bench.scale
        ends = (float(both.min()), float(both.max())), (scale[0], scale[-1])
        notes.append(Note.of("put-on-scale", question=bench.aspect, answers=ends[0], scale=ends[1]))
    if versions.only_old or versions.only_new:
        only = {"old": versions.only_old, "new": versions.only_new}
        notes.append(Note.of("answered-by-one", question=bench.aspect, **only))
    return QuestionDrift(
        question=bench.aspect,
        source=bench.source,
        things=difference.size,
        topics=len(set(bench.topics)),
        clusters=len(set(bench.clusters)),
        same=same,
        repeats=versions.repeats,
        shift=shift,
        systems=systems,
        p=p,
        people=people,
        ranking=_ranked(versions, asked),
        better=bench.better,
        pairs=bench.pairs,
        tests=tests,
        notes=tuple(notes),
    )


def _ranked(versions: _Versions, asked: Drift) -> RankingChange | None:
    """The rankings by both versions, and what `adjudge compare` would conclude from each."""
    bench = versions.bench
    before, after = bench.with_judge("", versions.old).cells(), bench.cells()
    if before is None or after is None or len(before.systems) < 2 or len(before.topics) < 2:
        return None
    conclusions: list[dict[tuple[str, str], tuple[float, bool]]] = []
    for cells in (before, after):
        matrix = ScoreMatrix(
            values=cells.judge,
            counts=(~np.isnan(cells.judge)).astype(np.int64),
            topics=cells.topics,
            systems=cells.systems,
            info=MeasureInfo(measure=bench.aspect, better="higher"),
        )
        compared = compare_matrix(matrix, Compare(alpha=asked.alpha, seed=asked.seed))
        pairs = compared.pairs[compared.test]
        conclusions.append({(pair.a, pair.b): (pair.result.difference, pair.different) for pair in pairs})
    old, new = conclusions
    changed = []
    for (a, b), (was, old_found) in old.items():
        now, new_found = new[a, b] if (a, b) in new else (-new[b, a][0], new[b, a][1])
        pair = ChangedPair(a=a, b=b, old=was, new=now, old_found=old_found, new_found=new_found)
        if pair.turned or pair.concluded_otherwise:
            changed.append(pair)
    return RankingChange(
        tau=kendall(*(np.nanmean(cells.judge, axis=0) for cells in (before, after))).tau,
        systems=len(before.systems),
        pairs=len(old),
        changed=tuple(changed),
    )


def _corrected(questions: Sequence[QuestionDrift]) -> list[QuestionDrift]:
    """p corrected for everything that is tested: swaps together, repeats by Holm; half of alpha each, if both are."""
    swapped = [(k, name) for k, q in enumerate(questions) for name in q.tests]
    repeated: list[tuple[int, Tested]] = [(k, "repeats") for k, q in enumerate(questions) if "repeats" in q.p]
    both = 1 + bool(swapped and repeated)
    p = [
        *joint_p([questions[k].tests[name] for k, name in swapped]),
        *holm([questions[k].p[name] for k, name in repeated]),
    ]
    by = {key: min(both * float(value), 1.0) for key, value in zip([*swapped, *repeated], p, strict=True)}
    return [replace(q, p_adjusted={name: by[k, name] for name in q.p}) for k, q in enumerate(questions)]


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
    changes = []
    for protocol in sorted(set(cards[0]) & set(cards[1])):
        before, after = (_fields(of[protocol]) for of in cards)
        for name in sorted({*before, *after}, key=lambda key: (key.count("."), key)):
            if before.get(name) != after.get(name):
                one, other = _shown(before.get(name)), _shown(after.get(name))
                changes.append(CardChange(protocol, name, one, other))
    return tuple(changes), (bool(cards[0]), bool(cards[1]))


def _fields(card: JudgeCard) -> dict[str, Any]:
    """What a judge's answers depend on; not what they cost, nor how many there are."""
    values: dict[str, Any] = {"kind": card.kind, "model": card.model, "family": card.family}

    def add(prefix: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                add(f"{prefix}.{key}" if prefix else str(key), inner)
        else:
            values.setdefault(prefix, value)

    add("", {key: value for key, value in card.settings.items() if key not in RESULTS})
    return values


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}... ({len(str(value)):,} characters)"
