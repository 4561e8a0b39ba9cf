"""Two versions of a judge on the same things, test by test. The mathematics is in stats/."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.drift import Drift
from adjudge.analyses.drift.words import NOBODY, TESTED
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, benches_of
from adjudge.analyses.judges.controls import Footing
from adjudge.analyses.judges.words.agreement import ONE_ANSWER
from adjudge.analyses.scores import Scores
from adjudge.assessors.cards import JudgeCard, read_cards
from adjudge.core.engine import generator
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table, with_interval
from adjudge.data.folder import Folder
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.judge_drift import (
    DriftTest,
    agreement_change,
    mean_shift,
    same_answers,
    shift_p,
    swap_signs,
    systems_p,
)
from adjudge.stats.multiple import holm
from adjudge.stats.ranks import kendall
from adjudge.stats.shares import clustered_share

RESULTS = ("missing", "planted", "words_cut")
"""Of a card's settings: what came out, and is no setting."""
LONGEST = 60
"""Characters of a setting that a table shows."""
PER_QUESTION = 4
"""Tests."""
MOST_SWAPS = 20_000

Tested = Literal["same", "shift", "people", "systems", "ranking"]
"""Same answers beside repeats, the mean shift, agreement with people, whether the shift depends on the system, tau."""


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionDrift:
    """What changed in the answers to one question."""

    bench: AspectBench
    """The new version's answers and people's, about what both versions answered for."""
    tests: Mapping[Tested, DriftTest]
    systems: Mapping[str, DriftTest]
    """The mean shift of every system."""
    turned: tuple[tuple[str, str], ...]
    """Pairs of systems in another order; ties in one ranking do not count."""
    notes: tuple[Note, ...]

    @property
    def question(self) -> str:
        return self.bench.aspect

    def changed(self, alpha: float) -> tuple[Tested, ...]:
        """What changed significantly."""
        return tuple(name for name, test in self.tests.items() if test.p_adjusted <= alpha)


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
    left_out: tuple[str, ...]

    @property
    def tested(self) -> int:
        return sum(not math.isnan(test.p) for q in self.questions for test in q.tests.values())

    def findable(self) -> bool:
        """Whether any p could have been small enough: swaps of c clusters have p of 2 / 2^c at least."""
        least = min(2.0 ** (1 - len(set(q.bench.clusters))) for q in self.questions)
        by_repeats = any(not math.isnan(q.tests["same"].p) for q in self.questions)
        return by_repeats or self.tested * least <= self.asked.alpha

    def how(self) -> str:
        o = self.asked
        return (
            f"drift:{self.old}:{self.new}|interval:t:clusters|swaps:topics:holm:{o.alpha:g}"
            f"|bootstrap:topics:expanded-percentile:{o.resamples}|seed:{o.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        facts = {"name": self.name, "old": self.old, "new": self.new, "alpha": self.asked.alpha}
        return {**facts, "turned": {q.question: q.turned for q in self.questions}}

    def notes(self) -> Iterator[Note]:
        for why in self.left_out:
            yield Note.of("left-out", why=why)
        for q in self.questions:
            for note in q.notes:
                yield replace(note, data={**note.data, "about": q.question})
        if self.tested > 1:
            yield Note.of("corrected", tests=self.tested)
        if not any(q.bench.again[1] for q in self.questions):
            yield Note.of("no-repeats", old=self.old)

    def tables(self) -> Iterator[Table]:
        alpha, old, new = self.asked.alpha, Column("old", self.old), Column("new", self.new)
        yield Table.of(
            "drift",
            (
                vars(q.bench)
                | asdict(test)
                | {"things": len(q.bench.topics), "test": TESTED[name]}
                | {"changed": None if math.isnan(test.p) else name in q.changed(alpha)}
                for q in self.questions
                for name, test in q.tests.items()
            ),
            Column("source", "protocol", show="varies"),
            Column("aspect", "question"),
            Column("things", show="varies"),
            *("test", old, new),
            *with_interval("size", None, 1 - alpha, ends="", tiny=False),
            Column("p", format=".4f"),
            Column("p_adjusted", "p, corrected", format=".4f"),
            "changed",
            Column("why", "why not", show="varies"),
            title=f"{self.name}: from {self.old} to {self.new}",
        )
        yield Table.of(
            "drift-systems",
            (
                {"aspect": q.question, "system": system, **asdict(shift)}
                for q in self.questions
                for system, shift in q.systems.items()
            ),
            Column("aspect", "question"),
            "system",
            *with_interval("size", "mean shift", 1 - alpha, ends="", format="+.3f", tiny=False),
            title="The shift of every system",
        )
        if self.cards:
            columns = (Column("protocol", show="varies"), "field", old, new)
            yield Table.of("drift-cards", self.cards, *columns, title="What differs in their cards")


def drift_of(scores: Scores, asked: Drift, old: str, new: str) -> DriftResult:
    """What changed, question by question."""
    names = (*asked.question, *(asked.measure or ()))
    columns = scores.folder is None and not names and {old, new} <= set(scores.measures)
    benches = benches_of(
        scores,
        new,
        question=old if columns else names,
        length=None if asked.length == "unset" else asked.length,
        form=asked.form,
        without=asked.without,
        beside=None if columns else old,
    )
    # more swaps than resamples where the smallest p, corrected for so many tests, would not fall below alpha
    least = math.ceil(4 * PER_QUESTION * len(benches.benches) / asked.alpha)
    swaps = max(asked.resamples, min(least, MOST_SWAPS))
    questions = [_drifted(bench, asked, old, swaps) for bench in benches.benches]
    p = iter(holm([test.p for q in questions for test in q.tests.values()]).tolist())
    cards, lacking = _card_changes(scores, (old, new), benches)
    return DriftResult(
        asked=asked,
        name=scores.name,
        old=old,
        new=new,
        questions=tuple(
            replace(q, tests={name: replace(test, p_adjusted=next(p)) for name, test in q.tests.items()})
            for q in questions
        ),
        cards=cards,
        lacking=lacking,
        left_out=benches.notes,
        about_scores=tuple(benches.gathered.notes("the comparison")) if benches.gathered else (),
    )


def _drifted(everything: AspectBench, asked: Drift, old_name: str, swaps: int) -> QuestionDrift:
    """One question; p are not corrected yet. The bench has the new version as its judge, the old one as a person."""
    # of two columns the old one is all there is of people
    names = everything.people
    at = names.index(old_name) if old_name in names else 0
    there = np.stack([~np.isnan(everything.answers[:, at]), ~np.isnan(everything.judge_answers)])
    bench = everything.take(there.all(axis=0))
    old, new, level = bench.answers[:, at], bench.judge_answers, 1 - asked.alpha
    bench = replace(
        bench,
        people=(*names[:at], *names[at + 1 :]),
        answers=np.delete(bench.answers, at, axis=1),
        again=(0, 0) if bench.pairs else bench.again,  # a pair may have come again in another order
    )
    cluster = checks.clusters_of(bench.clusters, old.size)
    signs = swap_signs(generator(asked.seed, "judges/drift/swaps"), len(set(bench.clusters)), swaps)
    difference = new - old
    difference[np.abs(difference) <= 1e-12 * max(np.abs(old).max(), np.abs(new).max())] = 0.0
    alike = difference == 0
    if bench.categories is not None and not bench.pairs:
        # a mean over probabilities lies between two choices: the nearest
        alike |= bench.on_scale(old) == bench.on_scale(new)
    same = clustered_share(
        np.bincount(cluster, weights=alike).astype(int).tolist(), np.bincount(cluster).tolist(), level=level
    )
    tests: dict[Tested, DriftTest] = {"same": same_answers(same, *bench.again)}
    if not bench.pairs:  # of which the first is nothing more than the first
        shift, p = mean_shift(difference, cluster, level), shift_p(difference, cluster, signs)
        tests["shift"] = replace(shift, old=float(old.mean()), new=float(new.mean()), p=p)
    tests["people"], notes = _people(bench, old, old_name, asked, swaps)
    of_systems, systems, turned = _systems(bench, old, signs, level)
    if left := int((~there.all(axis=0)).sum()):
        notes = (*notes, Note.of("answered-by-one", things=left))
    return QuestionDrift(bench=bench, tests=tests | of_systems, systems=systems, turned=turned, notes=notes)


def _people(
    bench: AspectBench, old: FloatArray, name: str, asked: Drift, swaps: int
) -> tuple[DriftTest, tuple[Note, ...]]:
    """Agreement with people, on their scale as a dossier puts it: both versions together, so that a shift stays one."""
    twice = bench.take(np.tile(np.arange(old.size), 2))
    answers = np.concatenate([old, bench.judge_answers])
    footing = Footing.of(twice.with_judge(f"{name} and {bench.judge}", answers))
    codes = footing.judge_codes.reshape(2, -1)
    things = codes.shape[1]
    if not things:
        return DriftTest(why=NOBODY), ()
    test = agreement_change(
        codes,
        footing.people[:things],
        footing.scale,
        footing.cluster[:things],
        swap_signs(generator(asked.seed, "judges/drift/swaps"), footing.clusters, swaps),
        rng=generator(asked.seed, "judges/drift/people"),
        level=1 - asked.alpha,
        resamples=asked.resamples,
    )
    if math.isnan(test.size):
        test = replace(test, why=ONE_ANSWER)
    return test, footing.notes if footing.rank_note is None else (*footing.notes, footing.rank_note)


def _systems(
    bench: AspectBench, old: FloatArray, signs: FloatArray, level: float
) -> tuple[dict[Tested, DriftTest], dict[str, DriftTest], tuple[tuple[str, str], ...]]:
    """Whether the shift depends on the system, and tau of the rankings; every system's shift; which pairs turned."""
    before, after = bench.with_judge("", old).cells(), bench.cells()
    if before is None or after is None:
        return {}, {}, ()
    better = after.judge - before.judge
    topic, system = np.nonzero(~np.isnan(better))
    cluster = checks.clusters_of(after.clusters, len(after.topics))[topic]
    shift = (-better if bench.better == "lower" else better)[topic, system]
    shifts = {
        name: mean_shift(shift[system == k], cluster[system == k], level)
        for k, name in enumerate(after.systems)
    }
    if len(shifts) < 2:
        return {}, shifts, ()
    one, other = (np.round(np.nanmean(cells.judge, axis=0), 12) for cells in (before, after))
    tests: dict[Tested, DriftTest] = {
        "systems": DriftTest(
            p=systems_p(shift, system, checks.clusters_of(topic, topic.size), cluster, signs)
        ),
        "ranking": DriftTest(size=kendall(one, other).tau),
    }
    order = np.subtract.outer(one, one) * np.subtract.outer(other, other)
    turned = zip(*np.nonzero(np.triu(order < 0)), strict=True)
    return tests, shifts, tuple((after.systems[a], after.systems[b]) for a, b in turned)


# Cards


def _card_changes(
    scores: Scores, judges: tuple[str, str], benches: JudgeBenches
) -> tuple[tuple[tuple[str, str, str, str], ...], tuple[str, ...]]:
    """What differs in the cards under the protocols that are compared, and who has none."""
    if scores.folder is None:
        return (), judges
    folder, sources = Folder.open(scores.folder), {bench.source for bench in benches.benches}
    before, after = (
        {card.protocol: _fields(card) for card in read_cards(folder, name) if card.protocol in sources}
        for name in judges
    )
    changes = [
        (protocol, name, _shown(before[protocol].get(name)), _shown(after[protocol].get(name)))
        for protocol in sorted(before.keys() & after.keys())
        for name in sorted({**before[protocol], **after[protocol]}, key=lambda name: (name.count("."), name))
        if before[protocol].get(name) != after[protocol].get(name)
    ]
    return tuple(changes), tuple(n for n, cards in zip(judges, (before, after), strict=True) if not cards)


def _fields(card: JudgeCard) -> dict[str, Any]:
    """What a judge's answers depend on; not what they cost, nor how many there are."""
    fields: dict[str, Any] = {"kind": card.kind, "model": card.model, "family": card.family}
    for key, value in card.settings.items():
        inside = (
            {f"{key}.{name}": inner for name, inner in value.items()} if isinstance(value, Mapping) else {}
        )
        if key not in RESULTS:
            fields |= inside or {key: value}
    return fields


def _shown(value: Any) -> str:
    text = "-" if value is None else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
