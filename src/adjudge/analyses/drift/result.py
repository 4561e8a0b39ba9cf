"""Two versions of a judge on the same things: shifts, agreement with people, rankings. The mathematics is in stats/."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
from adjudge.analyses.questions import at_target
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
    agreement_change,
    joint_p,
    mean_shift,
    repeats_p,
    shift_test,
    swap_p,
    swap_signs,
    systems_test,
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
class RankingChange:
    """The two rankings of systems."""

    tau: float
    systems: int
    pairs: int
    turned: tuple[tuple[str, str], ...]
    """Pairs of systems in another order; ties in one ranking do not count."""
    conclusions: int
    """Pairs that one version finds different, and the other does not, or the other way round."""


@dataclass(frozen=True, eq=False, kw_only=True)
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
    people: AgreementChange
    ranking: RankingChange | None
    better: Better
    tests: Mapping[Tested, FloatArray] = field(repr=False)
    p: Mapping[Tested, float]
    p_adjusted: Mapping[Tested, float] = field(default_factory=dict)
    """Corrected for everything that is tested of all questions."""
    notes: tuple[Note, ...]

    def changed(self, alpha: float) -> tuple[Tested, ...]:
        """What changed significantly."""
        return tuple(name for name, p in self.p_adjusted.items() if p <= alpha)

    @property
    def identical(self) -> bool:
        return self.same.hits == self.same.n and (self.shift is None or self.shift.mean == 0)


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
    lacking: tuple[str, ...]
    """Those of the two that have no card."""
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
        from adjudge.analyses.drift.words import TESTED

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
                (q.question, TESTED[name], p, q.p_adjusted.get(name), name in q.changed(self.alpha))
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
            (q.question, name, s.things, s.mean, s.low, s.high)
            for q in self.questions
            for name, s in q.systems.items()
        ]
        if systems:
            yield Table.of(
                "drift-systems",
                systems,
                "question system things",
                *with_interval("shift", "mean shift", level, ends="", format="+.3f", tiny=False),
                title="The shift of every system",
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
        row |= {"tau": r.tau, "turned": len(r.turned), "conclusions": r.conclusions}
    return row


# The analysis


def drift_of(scores: Scores, asked: Drift, old: str, new: str) -> DriftResult:
    """What changed, question by question."""
    versions, gathered, refused = _versions(scores, asked, old, new)
    names = (*asked.question, *(asked.measure or ()))
    aspects = [v.bench.aspect for v in versions]
    for text in names:
        if text not in aspects:
            raise UsageError(
                f"{old} and {new} did not both answer {quoted(text)}{nearest(text, aspects)}; there are:"
                f" {listed(aspects)}"
            )
    versions = [v for v in versions if not names or v.bench.aspect in names]
    clusters = list(dict.fromkeys(c for v in versions for c in v.bench.clusters))
    # as many swaps as resamples; more where the smallest p, corrected for so many tests, would not fall below alpha
    least = math.ceil(4 * PER_QUESTION * len(versions) / asked.alpha)
    swaps = max(asked.resamples, min(least, MOST_SWAPS))
    signs = swap_signs(generator(asked.seed, "judges/drift/swaps"), len(clusters), swaps)
    of_cluster = dict(zip(clusters, signs.T, strict=True))
    questions = [_drifted(v, of_cluster, asked) for v in versions]
    # p corrected for everything that is tested: swaps together, repeats by Holm; half of alpha each, if both are
    swapped = [(k, name) for k, q in enumerate(questions) for name in q.tests]
    repeated: list[tuple[int, Tested]] = [(k, "repeats") for k, q in enumerate(questions) if "repeats" in q.p]
    p = [
        *joint_p([questions[k].tests[name] for k, name in swapped]),
        *holm([questions[k].p[name] for k, name in repeated]),
    ]
    both = 1 + bool(swapped and repeated)
    adjusted = dict(zip([*swapped, *repeated], (min(both * float(value), 1.0) for value in p), strict=True))
    cards, lacking = _card_changes(scores, (old, new), {v.bench.source for v in versions})
    return DriftResult(
        asked=asked,
        name=scores.name,
        old=old,
        new=new,
        questions=tuple(
            replace(q, p_adjusted={name: adjusted[k, name] for name in q.p}) for k, q in enumerate(questions)
        ),
        cards=cards,
        lacking=lacking,
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


def _versions(
    scores: Scores, asked: Drift, old: str, new: str
) -> tuple[list[_Versions], Gathered | None, list[str]]:
    """The questions that both versions answered, or why there are none."""
    gathered, answers = answers_with(scores, [old, new])
    assessors = {answer.assessor for answer in answers}
    if {old, new}.isdisjoint(assessors) and {old, new} <= set(scores.measures):
        answers = [
            a for name in (old, new) for a in column_answers(scores, name, question=SCORE, assessor=name)
        ]
        assessors |= {old, new}
    if left := {old, new} & set(asked.without):
        raise UsageError(f"{left.pop()} cannot be both a version of the judge and left out")
    for name in (old, new, *asked.without):
        if name not in assessors:
            judges = gathered.judgments.by_judge if gathered is not None and name in (old, new) else ()
            near = among(name, sorted({*assessors, *judges}, key=natural))
            raise UsageError(f"{scores.name} has no answers by {quoted(name)}{near}")
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
    look_up = LookUp.of(scores, gathered, leave=scores.measures)
    versions = []
    for answered in by_question(kept):
        by = by_assessor(answered, (old, new))
        before, after = by.pop(old, {}), by.pop(new, {})
        things = before.keys() & after.keys()
        if not things:
            continue
        people = {
            who: of_one
            for who, of_one in by.items()
            if not is_anonymous(who) and not things.isdisjoint(of_one)
        }
        rows = in_order(answered, things)
        bench = look_up.bench(new, rows, people, after)
        repeated = None
        if bench.source is None:
            # the first answer about a thing is compared with all later ones
            same = [answer.value == before[answer.thing] for answer in answered if answer.assessor == old]
            again = len(same) - len(before)
            repeated = (sum(same) - len(before), again) if again else None
        elif not bench.pairs and not rows[0].question.startswith(QUALITY):
            # repeats of all quality questions are counted together, and of pairs in whatever order they were shown
            repeated = repeats.get((bench.source, rows[0].question))
        alone = len(before) - len(things), len(after) - len(things)
        versions.append(_Versions(bench, np.array([before[row.thing] for row in rows]), alone, repeated))
    if not versions:
        raise DataError(
            f"{scores.name}: there is nothing that both {old} and {new} answered for"
            + (f" ({refused[0]})" if refused else "")
        )
    benches = titled([v.bench for v in versions])
    return [replace(v, bench=b) for v, b in zip(versions, benches, strict=True)], gathered, refused


def _drifted(versions: _Versions, of_cluster: Mapping[str, FloatArray], asked: Drift) -> QuestionDrift:
    """One question; the swaps, by cluster, are those of all questions."""
    bench, level = versions.bench, 1 - asked.alpha
    old, new = versions.old, bench.judge_answers
    both, scale = np.concatenate([old, new]), np.array(bench.scale)
    cluster = checks.clusters_of(bench.clusters, old.size)
    signs = np.column_stack([of_cluster[name] for name in dict.fromkeys(bench.clusters)])
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
    if not bench.pairs and signs.shape[1] > 1 and is_off_scale(both, scale):
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
    tests: dict[Tested, FloatArray] = {}
    if not bench.pairs:
        tests["shift"] = shift_test(difference, cluster, signs)
    rows = list(bench.scored())
    names = sorted({name for _, _, name, _ in rows}, key=natural)
    shifts = np.array([difference[k] if is_first else -difference[k] for k, _, _, is_first in rows])
    of = np.array([names.index(name) for _, _, name, _ in rows])
    at = cluster[[k for k, _, _, _ in rows]]
    if len(names) > 1:
        topics = checks.clusters_of([topic for _, topic, _, _ in rows], len(rows))
        tests["systems"] = systems_test(shifts, of, topics, at, signs)
    agreement, changed = agreement_change(
        compared,
        bench.answers,
        cluster,
        signs,
        rng=generator(asked.seed, "judges/drift/people"),
        level=level,
        resamples=asked.resamples,
        mirrored=bench.pairs,
    )
    if changed is not None:
        tests["people"] = changed
    p = {name: float(swap_p(test)[0]) for name, test in tests.items()}
    if versions.repeats is not None and not math.isnan(apart := repeats_p(same, *versions.repeats)):
        p["repeats"] = apart
    return QuestionDrift(
        question=bench.aspect,
        source=bench.source,
        topics=len(set(bench.topics)),
        same=same,
        repeats=versions.repeats,
        shift=None if bench.pairs else mean_shift(difference, cluster, level),
        systems={name: mean_shift(shifts[of == k], at[of == k], level) for k, name in enumerate(names)},
        people=agreement,
        ranking=_ranked(versions, asked),
        better=bench.better,
        tests=tests,
        p=p,
        notes=tuple(notes),
    )


def _ranked(versions: _Versions, asked: Drift) -> RankingChange | None:
    """The rankings by both versions, and what `adjudge compare` would conclude from each."""
    bench = versions.bench
    before, after = bench.with_judge("", versions.old).cells(), bench.cells()
    if before is None or after is None or len(before.systems) < 2 or len(before.topics) < 2:
        return None
    differences: list[dict[tuple[str, str], float]] = []
    better: list[set[tuple[str, str]]] = []
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
        differences.append({(p.a, p.b): p.result.difference for p in pairs})
        better.append({(p.a, p.b) if p.result.difference > 0 else (p.b, p.a) for p in pairs if p.different})
    old, new = differences
    signed = {**new, **{(b, a): -difference for (a, b), difference in new.items()}}
    one_alone = {frozenset(pair) for pair in better[0] ^ better[1]}
    return RankingChange(
        tau=kendall(*(np.nanmean(cells.judge, axis=0) for cells in (before, after))).tau,
        systems=len(before.systems),
        pairs=len(old),
        turned=tuple(pair for pair, difference in old.items() if difference * signed[pair] < 0),
        conclusions=len(one_alone),
    )


# Cards


def _card_changes(
    scores: Scores, judges: tuple[str, str], sources: set[str | None]
) -> tuple[tuple[tuple[str, str, str, str], ...], tuple[str, ...]]:
    """What differs in the cards under the protocols that are compared, and who has none."""
    if scores.folder is None:
        return (), judges
    folder = Folder.open(scores.folder)
    before, after = (
        {card.protocol: _fields(card) for card in read_cards(folder, name) if card.protocol in sources}
        for name in judges
    )
    changes = []
    for protocol in sorted(before.keys() & after.keys()):
        one, other = before[protocol], after[protocol]
        for name in sorted({*one, *other}, key=lambda key: (key.count("."), key)):
            if one.get(name) != other.get(name):
                changes.append((protocol, name, _shown(one.get(name)), _shown(other.get(name))))
    return tuple(changes), tuple(n for n, cards in zip(judges, (before, after), strict=True) if not cards)


def _fields(card: JudgeCard) -> dict[str, Any]:
    """What a judge's answers depend on; not what they cost, nor how many there are."""

    def flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield from flat(f"{name}.{key}" if name else str(key), inner)
        else:
            yield name, value

    settings = {key: value for key, value in card.settings.items() if key not in RESULTS}
    return {**dict(flat("", settings)), "kind": card.kind, "model": card.model, "family": card.family}


def _shown(value: Any) -> str:
    text = "-" if value is None else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}... ({len(str(value)):,} characters)"
