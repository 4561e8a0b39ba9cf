"""What a judge has to beat: answers that cost nothing, beside which every judge is shown.

A constant, answers at random, length, and the best of the automatic measures. A number (length, a measure) is put on
people's scale by what the other topics tell. Where something is chosen, such as the best constant, the direction of
length or the best of the measures, it is chosen by its agreement with the very people that the judge is compared with:
an advantage for the control, and never for the judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from adjudge.analyses.judges.bench import AspectBench, JudgeCells
from adjudge.core.results import Note
from adjudge.core.words import counted
from adjudge.stats.agreement import MOST_CATEGORIES, ahead
from adjudge.stats.checks import FloatArray, IntArray, clusters_of
from adjudge.stats.judge_agreement import (
    MISSING,
    answer_counts,
    is_off_scale,
    mapped_codes,
    order_by_topic,
    pair_signs,
    people_agreement,
    topic_means,
    topics_of_pairs,
)

ControlKind = Literal["constant", "random", "length", "measure"]
LEAST_SHARED = 10
"""Things that two people must both have judged; where no two did, people are taken as interchangeable."""
GROUPS = 20
"""Of about equal size, into which answers are put that are on no scale of choices."""
LEAST_KNOWN = 0.5
"""Of the things: a number that is known of fewer is no control."""


@dataclass(frozen=True, eq=False)
class Footing:
    """A judge and people on the things that both judged, as answers on one scale and as orders within topics."""

    bench: AspectBench
    scale: FloatArray
    edges: FloatArray
    """Between the choices: a value up to an edge counts as the choice below it."""
    by_rank: bool = False
    """Whether the judge's answers are on another scale than people's, so that they are put on it as measures are."""
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, bench: AspectBench) -> Footing:
        own, notes = bench.take(bench.judged), []
        answered = np.flatnonzero((~np.isnan(own.answers)).any(axis=0))
        people = tuple(own.people[int(k)] for k in answered)
        own = replace(own, people=people, answers=own.answers[:, answered])
        there = ~np.isnan(own.answers)
        shared = there.T.astype(np.int64) @ there
        pairs = shared[np.triu_indices(len(own.people), 1)]
        several = int(np.count_nonzero(there.sum(axis=1) > 1))
        if pairs.size and pairs.max() < LEAST_SHARED <= several:
            own = _seated(own)
            notes.append(Note.of("interchangeable", least=LEAST_SHARED))
        scale = np.array(own.scale)
        edges = (scale[1:] + scale[:-1]) / 2
        if scale.size > MOST_CATEGORIES:
            answers = own.answers[~np.isnan(own.answers)]
            notes.append(Note.of("grouped", answers=scale.size, groups=GROUPS))
            edges = np.unique(np.quantile(answers, np.arange(1, GROUPS) / GROUPS))
            edges = edges[edges < answers.max()]
            group = np.searchsorted(edges, answers, "left")
            scale = np.bincount(group, weights=answers) / np.bincount(group)
        by_rank = len(set(own.clusters)) > 1 and _is_apart(own, edges)
        if scale.size and not by_rank:
            notes += _nearest_notes(own, edges)
        return cls(bench=own, scale=scale, edges=edges, by_rank=by_rank, notes=tuple(notes))

    @property
    def rank_note(self) -> Note | None:
        """That the judge's answers were put on people's scale."""
        if not self.by_rank:
            return None
        given, scale = self.bench.given, self.bench.scale
        ends = (float(given.min()), float(given.max())), (scale[0], scale[-1])
        return Note.of("put-on-scale", judge=self.bench.judge, answers=ends[0], scale=ends[1])

    @property
    def alone(self) -> str | None:
        """Why there is no agreement of people with each other."""
        if len(self.bench.people) > 1:
            return None
        return "one person alone answered" if self.bench.named else "people's answers do not say who answered"

    def codes(self, values: FloatArray) -> IntArray:
        """Every value as the place of the nearest choice, the lower of two."""
        return np.where(np.isnan(values), MISSING, np.searchsorted(self.edges, values, "left"))

    @cached_property
    def given(self) -> IntArray:
        """The judge's answers: the nearest choices, or where they are on another scale, those at the same ranks."""
        if not self.by_rank:
            return self.codes(self.bench.given)
        return mapped_codes(self.bench.given, self.people, self.cluster, self.scale.size)

    @cached_property
    def people(self) -> IntArray:
        return self.codes(self.bench.answers)

    @cached_property
    def cluster(self) -> IntArray:
        return clusters_of(self.bench.clusters, len(self.bench.topics))

    @property
    def clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def topics(self) -> int:
        return len(set(self.bench.topics))

    # Orders within topics: of pairs, each pair; of other things, all pairs of a topic's systems

    @cached_property
    def cells(self) -> JudgeCells | None:
        return None if self.bench.pairs else self.bench.cells()

    @property
    def why_no_order(self) -> str | None:
        if not self.bench.pairs and self.cells is None:
            return "answers are not about systems"
        ordered = np.nan_to_num(self.mean_signs) != 0
        return None if ordered.any() else "people order no two summaries of a topic"

    @cached_property
    def topic(self) -> IntArray:
        """Of every pair."""
        if not self.bench.pairs:
            return topics_of_pairs(*(self.cells.judge.shape if self.cells is not None else (0, 0)))
        return clusters_of(self.bench.topics, len(self.bench.topics))

    @cached_property
    def topic_cluster(self) -> IntArray:
        """The cluster of every topic."""
        found = np.zeros(len(set(self.bench.topics)), np.int64)
        found[clusters_of(self.bench.topics, len(self.bench.topics))] = self.cluster
        return found

    def signs(self, values: FloatArray) -> FloatArray:
        """How a judge that gives things these values orders every pair."""
        if self.bench.pairs:
            return ahead(values, np.full(values.size, 0.5))
        cells = self.bench.with_judge("", values).cells()
        return np.zeros(0) if cells is None else pair_signs(cells.judge)

    @cached_property
    def mean_signs(self) -> FloatArray:
        """How people's mean orders every pair."""
        return self.signs_without(None)

    def signs_without(self, without: int | None) -> FloatArray:
        """The same of people but for one."""
        kept = [k for k in range(len(self.bench.people)) if k != without]
        if self.bench.pairs:
            mean = replace(self.bench, answers=self.bench.answers[:, kept]).people_mean
            return ahead(mean, np.full(mean.size, 0.5))
        if self.cells is None:
            return np.zeros(0)
        return pair_signs(replace(self.cells, people=self.cells.people[kept]).people_mean)

    def assessor_signs(self, k: int) -> FloatArray:
        if self.bench.pairs:
            return ahead(self.bench.answers[:, k], np.full(len(self.bench.answers), 0.5))
        return np.zeros(0) if self.cells is None else pair_signs(self.cells.people[k])

    def order(self, signs: FloatArray) -> FloatArray:
        """Agreement with people's mean on every topic."""
        return order_by_topic(self.mean_signs, signs, self.topic, self.topic_cluster.size)


def _is_apart(bench: AspectBench, edges: FloatArray) -> bool:
    """Whether a judge's answers are on another scale than people's.

    Where people's answers are numbers rather than choices, also one that is so narrow beside theirs that different
    answers fall into one group of theirs.
    """
    scale = np.array(bench.scale)
    narrow = scale.size > MOST_CATEGORIES and _is_one(bench.given, edges)
    return not bench.pairs and (narrow or is_off_scale(bench.given, scale))


def _is_one(given: FloatArray, edges: FloatArray) -> bool:
    """Whether different answers are all nearest to one choice."""
    return bool(np.unique(given).size > 1 and np.unique(np.searchsorted(edges, given, "left")).size == 1)


def _nearest_notes(bench: AspectBench, edges: FloatArray) -> Iterator[Note]:
    """What the nearest choice makes of a judge's answers."""
    outside = int(np.count_nonzero((bench.given < bench.scale[0]) | (bench.given > bench.scale[-1])))
    if outside:
        yield Note.of("outside-the-scale", judge=bench.judge, n=outside)
    if _is_one(bench.given, edges):
        low, high = float(bench.given.min()), float(bench.given.max())
        yield Note.of("nearest-to-one-choice", judge=bench.judge, low=low, high=high)


def answers_on_scale(bench: AspectBench) -> FloatArray:
    """A judge's answers as choices on people's scale, as agreement takes them."""
    footing = Footing.of(bench)
    found = bench.on_scale(bench.given)
    if footing.by_rank:
        found[bench.judged] = footing.scale[footing.given]
    return found


def _seated(bench: AspectBench) -> AspectBench:
    """People as interchangeable: the first answer about each thing, the second, and so on."""
    there = ~np.isnan(bench.answers)
    most = int(there.sum(axis=1).max())
    order = np.argsort(~there, axis=1, kind="stable")[:, :most]
    return replace(
        bench,
        people=tuple(f"answer {k + 1}" for k in range(most)),
        answers=np.take_along_axis(bench.answers, order, axis=1),
    )


@dataclass(frozen=True, eq=False)
class Control:
    """Somebody who answers without judging."""

    kind: ControlKind
    name: str
    why: str | None = None
    """There is none."""
    codes: IntArray | FloatArray | None = None
    """As `people_agreement` takes judges: answers, or counts of those that are drawn from at random."""
    signs: FloatArray | None = None
    """Of pairs within topics."""
    criteria: tuple[str, ...] = ("alpha", "within")
    """What it decides: a measure may be the best by one alone."""
    notes: tuple[Note, ...] = ()

    @property
    def words(self) -> str:
        """In a sentence."""
        return "answers at random" if self.kind == "random" else self.name

    @property
    def title(self) -> str:
        """In a table."""
        if self.kind == "random":
            return "answers at random, as often as people give them"
        if self.kind != "measure" or self.why is not None:
            return self.name
        by = "" if len(self.criteria) > 1 else " by alpha" if "alpha" in self.criteria else " within topics"
        return f"{self.name} (best measure{by})"


def controls_of(footing: Footing) -> tuple[Control, ...]:
    """The constant, chance, length, and the measure (or two, where the best differs between the criteria)."""
    return (_constant(footing), _random(footing), _length(footing), *_measures(footing))


def _missing(kind: ControlKind, name: str, why: str) -> Control:
    return Control(kind=kind, name=name, why=why)


def _constant(footing: Footing) -> Control:
    """The one answer that agrees best with people; the more common of two."""
    things, q = len(footing.bench.topics), footing.scale.size
    common = np.bincount(footing.people[footing.people != MISSING], minlength=q)
    every = [
        Control(
            kind="constant",
            name=f"always answering {footing.scale[code]:g}",
            codes=np.full(things, code, np.int64),
            signs=np.zeros(footing.topic.size),
        )
        for code in np.argsort(-common, kind="stable")
    ]
    return max(every, key=lambda each: round(_agreement(footing, each)[0], 12))


def _random(footing: Footing) -> Control:
    """Answers at random with the shares of people's; in expectation, so nothing is drawn."""
    return Control(
        kind="random",
        name="answers at random",
        codes=answer_counts(footing.people, footing.cluster, footing.clusters, footing.scale.size),
        signs=np.zeros(footing.topic.size),
    )


def _length(footing: Footing) -> Control:
    """Length in the direction that agrees better with people, by each criterion."""
    if np.isnan(footing.bench.words).all():
        return _missing("length", "length", "the lengths of the texts are not known")
    longer, shorter = (_number(footing, "length", "length", sign * footing.bench.words) for sign in (1, -1))
    if longer.why is not None:
        return longer
    both = [_agreement(footing, each) for each in (longer, shorter)]
    by_alpha, by_order = (shorter if both[1][at] > both[0][at] else longer for at in (0, 1))
    ways = ["shorter" if each is shorter else "longer" for each in (by_alpha, by_order)]
    note = Note.of("direction-of-length", by_alpha=ways[0], within=ways[1])
    return replace(by_alpha, signs=by_order.signs, notes=(*longer.notes, note))


def _number(footing: Footing, kind: ControlKind, name: str, values: FloatArray) -> Control:
    """A number of every thing as a judge, the better the higher; its place on the scale is that of other topics."""
    missing = int(np.count_nonzero(np.isnan(values)))
    if values.size - missing < LEAST_KNOWN * values.size:
        return _missing(
            kind, name, f"it is known of {values.size - missing:,} of {counted(values.size, 'thing')}"
        )
    if footing.clusters < 2:
        return _missing(
            kind, name, "its place on people's scale is learned from other topics: there are none"
        )
    rising = footing.bench.better == "higher"
    oriented = values if rising else -values
    note = Note.of("control-unknown", name=name, things=missing)
    return Control(
        kind=kind,
        name=name,
        codes=mapped_codes(oriented, footing.people, footing.cluster, footing.scale.size),
        signs=footing.signs(oriented + 0.5 if footing.bench.pairs else oriented),
        notes=(note,) if missing else (),
    )


def _agreement(footing: Footing, control: Control) -> tuple[float, float]:
    """By alpha and within topics, with all people; what cannot be computed is below everything."""
    if control.codes is None or control.signs is None:
        return -math.inf, -math.inf
    once = np.ones((1, footing.clusters))
    alpha = people_agreement(
        [control.codes], footing.people, scale=footing.scale, cluster=footing.cluster, times=once
    ).judges[0, 0, 0]
    within = topic_means(footing.order(control.signs), footing.topic_cluster, once)[0]
    return tuple(-math.inf if math.isnan(each) else float(each) for each in (alpha, within))  # type: ignore[return-value]


def _measures(footing: Footing) -> Iterator[Control]:
    """The best measure by alpha, and within topics: each by its agreement with people.

    Where the judge, or people's answers, are a column of a table, that column is no measure to beat.
    """
    bench = footing.bench
    found = [
        _number(footing, "measure", name, values)
        for name, values in bench.measures.items()
        if name not in (bench.judge, bench.aspect)
    ]
    known = [each for each in found if each.codes is not None]
    if not known:
        why = found[0].why if found else "no automatic measure was scored"
        yield _missing("measure", "an automatic measure", why or "")
        return
    agreement = [_agreement(footing, each) for each in known]
    best = [max(range(len(known)), key=lambda k: agreement[k][at]) for at in (0, 1)]
    chosen = (Note.of("best-of-measures", measures=len(known)),)
    for at in dict.fromkeys(best):
        criteria = tuple(name for name, own in zip(("alpha", "within"), best, strict=True) if own == at)
        notes = (*known[at].notes, *(chosen if len(known) > 1 else ()))
        yield replace(known[at], criteria=criteria, notes=notes)
