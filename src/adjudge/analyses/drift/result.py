"""Two versions of a judge on the same things: shifts, agreement with people, rankings. The mathematics is in stats/."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.drift import Drift
from adjudge.analyses.gathered import Gathered
from adjudge.analyses.judges.bench import (
    AspectBench,
    LookUp,
    answers_with,
    by_assessor,
    by_question,
    column_answers,
    in_order,
    titled,
)
from adjudge.analyses.questions import GivenAnswer, at_target
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability.repeats import self_agreement
from adjudge.assessors.cards import JudgeCard, read_cards
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table, with_interval
from adjudge.core.words import listed, natural
from adjudge.data.folder import Folder
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.judgments.protocol import QUALITY
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
        """Ties in one ranking do not count."""
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
    topics: int
    same: ClusteredShare
    """Of the things that both answered for: how many got the same answer."""
    repeats: tuple[int, int] | None
    """Of the old version: how often it gave the same answer when asked again, and how often it was."""
    shift: DriftShift | None
    """None of pairs, where which is first says nothing."""
    systems: Mapping[str, DriftShift]
    p: Mapping[Tested, float]
    people: AgreementChange
    ranking: RankingChange | None
    better: Better
    pairs: bool
    tests: Mapping[Tested, SwapTest] = field(repr=False)
    notes: tuple[Note, ...]
    p_adjusted: Mapping[Tested, float] = field(default_factory=dict)
    """Corrected for everything that is tested of all questions."""

    def changed(self, alpha: float) -> tuple[Tested, ...]:
        """What changed significantly."""
        return tuple(name for name, p in self.p_adjusted.items() if p <= alpha)

    @property
    def identical(self) -> bool:
        return self.same.hits == self.same.n and (self.shift is None or self.shift.mean == 0)

    @property
    def milder(self) -> bool:
        assert self.shift is not None
        return (self.shift.mean > 0) == (self.better == "higher")


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DriftResult(Result):
    """What changed from one version of a judge to another."""

    asked: Drift
    name: str
    old: str
    new: str
    questions: tuple[QuestionDrift, ...]
    cards: tuple[tuple[str, str, str, str], ...]
    """What differs in the two cards: protocol, field, old and new value."""
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
        return any(2.0 ** (1 - q.same.clusters) * both <= self.alpha for q in self.questions)

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

        level = 1 - self.alpha
        yield Table.of(
            "drift",
            map(_row, self.questions),
            Column("protocol", show="varies"),
            "question things topics",
            *with_interval("same", "same answer", level, format=".2f", tiny=False),
            Column("repeats", "at repeats", format=".2f", show="varies"),
            Column("repeats_n", show="never"),
            *with_interval("shift", "mean shift", level, format="+.3f", tiny=False),
            Column("alpha_old", "alpha, old", tiny=False),
            Column("alpha_new", "alpha, new", tiny=False),
            *with_interval("alpha_change", "change", level, ends="alpha", format="+.3f", tiny=False),
            Column("tau", "tau of rankings", format=".2f", tiny=False),
            Column("turned", "pairs turned"),
            Column("conclusions", "conclusions changed"),
            Column("why", "why no alpha", show="varies"),
            title=f"{self.name}: from {self.old} to {self.new}",
        )
        yield Table.of(
            "drift-tests",
            (
                (q.question, words.TESTED[name], p, q.p_adjusted.get(name), name in q.changed(self.alpha))
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
        further = (
            Table.of(
                "drift-systems",
                (
                    (q.question, name, s.things, s.mean, s.low, s.high, s.p, s.p_adjusted)
                    for q in self.questions
                    for name, s in q.systems.items()
                ),
                "question system things",
                *with_interval("shift", "mean shift", level, ends="", format="+.3f", tiny=False),
                Column("p", format=".4f"),
                Column("p_adjusted", "p after Holm", format=".4f"),
                title="The shift of every system",
            ),
            Table.of(
                "drift-pairs",
                (
                    (q.question, pair.a, pair.b, pair.old, pair.new, words.changed_pair(pair))
                    for q in self.questions
                    if q.ranking is not None
                    for pair in q.ranking.changed
                ),
                "question a b",
                Column("old", "a less b, old", format="+.3f"),
                Column("new", "a less b, new", format="+.3f"),
                "change",
                title="Pairs of systems whose order or conclusion changed (Wilcoxon's test, Holm over pairs)",
            ),
            Table.of(
                "drift-cards",
                self.cards,
                Column("protocol", show="varies"),
                "field",
                Column("old", self.old),
                Column("new", self.new),
                title="What differs in their cards",
            ),
        )
        yield from (table for table in further if table.rows)


def _row(q: QuestionDrift) -> dict[str, Any]:
    row: dict[str, Any] = {
        "protocol": q.source,
        "question": q.question,
        "things": q.same.n,
        "topics": q.topics,
        "same": q.same.share,
        "same_low": q.same.low,
        "same_high": q.same.high,
        "alpha_old": q.people.old,
        "alpha_new": q.people.new,
        "alpha_change": q.people.change.value,
        "alpha_low": q.people.change.low,
        "alpha_high": q.people.change.high,
        "why": q.people.change.why,
    }
    if q.repeats is not None:
        row |= {"repeats": q.repeats[0] / q.repeats[1], "repeats_n": q.repeats[1]}
    if q.shift is not None:
        row |= {"shift": q.shift.mean, "shift_low": q.shift.low, "shift_high": q.shift.high}
    if (r := q.ranking) is not None:
        row |= {"tau": r.tau, "turned": r.turned, "conclusions": r.conclusions}
    return row


# The analysis


def drift_of(scores: Scores, asked: Drift, old: str, new: str) -> DriftResult:
    """What changed, question by question."""
    versions, gathered, refused = _both(scores, asked, old, new)
    names = (*asked.question, *(asked.measure or ()))
    aspects = [v.bench.aspect for v in versions]
    for text in names:
        if text not in aspects:
            raise UsageError(
                f"{old} and {new} did not both answer {quoted(text)}{nearest(text, aspects)}; there are:"
                f" {listed(aspects)}"
            )
    versions = [v for v in versions if not names or v.bench.aspect in names]
    clusters = {
        name: k for k, name in enumerate(dict.fromkeys(c for v in versions for c in v.bench.clusters))
    }
    # as many swaps as resamples; more where the smallest p, corrected for so many tests, would not fall below alpha
    least = math.ceil(4 * PER_QUESTION * len(versions) / asked.alpha)
    swaps = max(asked.resamples, min(least, MOST_SWAPS))
    signs = swap_signs(generator(asked.seed, "judges/drift/swaps"), len(clusters), swaps)
    questions = [_drifted(v, signs, clusters, asked) for v in versions]
    # p corrected for everything that is tested: swaps together, repeats by Holm; half of alpha each, if both are
    swapped = [(k, name) for k, q in enumerate(questions) for name in q.tests]
    repeated: list[tuple[int, Tested]] = [(k, "repeats") for k, q in enumerate(questions) if "repeats" in q.p]
    p = [
        *joint_p([questions[k].tests[name] for k, name in swapped]),
        *holm([questions[k].p[name] for k, name in repeated]),
    ]
    both = 1 + bool(swapped and repeated)
    adjusted = dict(zip([*swapped, *repeated], (min(both * float(value), 1.0) for value in p), strict=True))
    cards, with_cards = _card_changes(scores, old, new, {v.bench.source for v in versions})
    return DriftResult(
        asked=asked,
        name=scores.name,
        old=old,
        new=new,
        questions=tuple(
            replace(q, p_adjusted={name: adjusted[k, name] for name in q.p}) for k, q in enumerate(questions)
        ),
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
    alone: tuple[int, int]
    """Things that the old, and the new, version alone answered for."""
    repeats: tuple[int, int] | None


def _both(
    data: Scores, asked: Drift, old: str, new: str
) -> tuple[list[_Versions], Gathered | None, list[str]]:
    """The questions that both versions answered, or why there are none."""
    gathered, answers = answers_with(data, [old, new])
    assessors = {answer.assessor for answer in answers}
    if {old, new}.isdisjoint(assessors) and {old, new} <= set(data.measures):
        answers = [
            a for name in (old, new) for a in column_answers(data, name, question=SCORE, assessor=name)
        ]
        assessors |= {old, new}
    if left := {old, new} & set(asked.without):
        raise UsageError(f"{left.pop()} cannot be both a version of the judge and left out")
    for name in (old, new, *asked.without):
        if name not in assessors:
            judges = gathered.judgments.by_judge if gathered is not None and name in (old, new) else ()
            near = among(name, sorted({*assessors, *judges}, key=natural))
            raise UsageError(f"{data.name} has no answers by {quoted(name)}{near}")
    kept, refused = at_target(
        [answer for answer in answers if answer.assessor not in asked.without],
        length=None if asked.length == "unset" else asked.length,
        form=asked.form,
    )
    repeats = {
        (row.protocol, row.question): (row.same, row.answers)
        for row in (self_agreement(gathered) if gathered is not None else ())
        if row.assessor == old and row.part == "all"
    }
    look_up = LookUp.of(data, gathered, leave=data.measures)
    made = [_versions(look_up, answered, old, new, repeats) for answered in by_question(kept)]
    versions = [v for v in made if v is not None]
    if not versions:
        raise DataError(
            f"{data.name}: there is nothing that both {old} and {new} answered for"
            + (f" ({refused[0]})" if refused else "")
        )
    benches = titled([v.bench for v in versions])
    named = [replace(v, bench=bench) for v, bench in zip(versions, benches, strict=True)]
    return named, gathered, refused


def _versions(
    look_up: LookUp,
    answered: Sequence[GivenAnswer],
    old: str,
    new: str,
    repeats: Mapping[tuple[str, str], tuple[int, int]],
) -> _Versions | None:
    """One question; None where the two versions share nothing."""
    by = by_assessor(answered, (old, new))
    before, after = by.get(old, {}), by.get(new, {})
    things = before.keys() & after.keys()
    if not things:
        return None
    people = {
        who: values
        for who, values in by.items()
        if who not in (old, new) and not is_anonymous(who) and not things.isdisjoint(values)
    }
    rows = in_order(answered, things)
    bench = look_up.bench(new, rows, people, after)
    source, question = rows[0].source, rows[0].question
    repeated = None
    if source is None:
        # the first answer about a thing is compared with all later ones
        same = sum(a.value == before[a.thing] for a in answered if a.assessor == old) - len(before)
        again = sum(a.assessor == old for a in answered) - len(before)
        repeated = (same, again) if again else None
    elif not bench.pairs and not question.startswith(QUALITY):
        # repeats of all quality questions are counted together, and of pairs in whatever order they were shown
        repeated = repeats.get((source, question))
    return _Versions(
        bench=bench,
        old=np.array([before[row.thing] for row in rows]),
        alone=(len(before) - len(things), len(after) - len(things)),
        repeats=repeated,
    )


def _drifted(
    versions: _Versions, signs: FloatArray, clusters: Mapping[str, int], asked: Drift
) -> QuestionDrift:
    """One question; the swaps are those of all questions, by cluster."""
    bench, level = versions.bench, 1 - asked.alpha
    old, new = versions.old, bench.given
    both, scale, cluster = (
        np.concatenate([old, new]),
        np.array(bench.scale),
        checks.clusters_of(bench.clusters, old.size),
    )
    signs = signs[:, [clusters[name] for name in dict.fromkeys(bench.clusters)]]
    difference = new - old
    difference[np.abs(difference) <= 1e-12 * float(np.abs(both).max())] = 0.0
    # a mean over probabilities lies between two choices: the nearest, where the scale is known
    compared = old, new
    if bench.categories is not None and not bench.pairs:
        compared = bench.on_scale(old), bench.on_scale(new)
    alike = (compared[0] == compared[1]) | (difference == 0)
    same = clustered_share(
        np.bincount(cluster, weights=alike).astype(int).tolist(), np.bincount(cluster).tolist(), level=level
    )
    notes = []
    if not bench.pairs and cluster.max(initial=0) > 0 and is_off_scale(both, scale):
        # by ranks among the answers of both, so that a shift from one to the other stays one
        edges = (scale[1:] + scale[:-1]) / 2
        people = np.where(np.isnan(bench.answers), MISSING, np.searchsorted(edges, bench.answers, "left"))
        codes = mapped_codes(both, np.vstack([people, people]), np.tile(cluster, 2), scale.size)
        compared = scale[codes[: old.size]], scale[codes[old.size :]]
        ends = (float(both.min()), float(both.max())), (bench.scale[0], bench.scale[-1])
        notes.append(Note.of("put-on-scale", question=bench.aspect, answers=ends[0], scale=ends[1]))
    if any(versions.alone):
        only_old, only_new = versions.alone
        notes.append(Note.of("answered-by-one", question=bench.aspect, old=only_old, new=only_new))
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
    agreement, changed = agreement_change(
        *compared,
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
    return QuestionDrift(
        question=bench.aspect,
        source=bench.source,
        topics=len(set(bench.topics)),
        same=same,
        repeats=versions.repeats,
        shift=shift,
        systems=systems,
        p=p,
        people=agreement,
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
        conclusions.append(
            {(p.a, p.b): (p.result.difference, p.different) for p in compared.pairs[compared.test]}
        )
    old, new = conclusions
    pairs = []
    for (a, b), (was, old_found) in old.items():
        now, new_found = new[a, b] if (a, b) in new else (-new[b, a][0], new[b, a][1])
        pairs.append(ChangedPair(a=a, b=b, old=was, new=now, old_found=old_found, new_found=new_found))
    return RankingChange(
        tau=kendall(*(np.nanmean(cells.judge, axis=0) for cells in (before, after))).tau,
        systems=len(before.systems),
        pairs=len(old),
        changed=tuple(pair for pair in pairs if pair.turned or pair.concluded_otherwise),
    )


# Cards


def _card_changes(
    data: Scores, old: str, new: str, sources: set[str | None]
) -> tuple[tuple[tuple[str, str, str, str], ...], tuple[bool, bool]]:
    """What differs in the cards under the protocols that are compared, and whether there are cards at all."""
    if data.folder is None:
        return (), (False, False)
    folder = Folder.open(data.folder)
    cards = [
        {card.protocol: _fields(card) for card in read_cards(folder, name) if card.protocol in sources}
        for name in (old, new)
    ]
    changes = []
    for protocol in sorted(set(cards[0]) & set(cards[1])):
        before, after = (of[protocol] for of in cards)
        for name in sorted({*before, *after}, key=lambda key: (key.count("."), key)):
            values = before.get(name), after.get(name)
            if values[0] != values[1]:
                changes.append((protocol, name, _shown(values[0]), _shown(values[1])))
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
