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
from adjudge.analyses.judges.words.agreement import (
    A_MEASURE,
    ALWAYS,
    AT_RANDOM,
    NO_LENGTHS,
    NO_LEVEL_OF_PAIRS,
    NO_MEASURE,
    NO_ORDER,
    NO_OTHER_TOPICS,
    NO_SYSTEMS,
    NOBODY_ELSE,
    few_known,
    other_scale,
)
from adjudge.core.results import Note
from adjudge.stats.agreement import MOST_CATEGORIES, ahead
from adjudge.stats.checks import FloatArray, IntArray, clusters_of
from adjudge.stats.judge_agreement import (
    MISSING,
    RaterPairs,
    answer_counts,
    is_evident,
    is_off_scale,
    levels_of,
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
    other_scale: bool = False
    """Whether the judge's answers are on another scale than people's: its level says nothing."""
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, bench: AspectBench) -> Footing:
        both, notes = bench.take(bench.judged), []
        answered = np.flatnonzero((~np.isnan(both.answers)).any(axis=0))
        people, answers = tuple(both.people[int(k)] for k in answered), both.answers[:, answered]
        there = ~np.isnan(answers)
        shared = (there.T.astype(np.int64) @ there)[np.triu_indices(len(people), 1)]
        if shared.size and shared.max() < LEAST_SHARED <= np.count_nonzero(there.sum(axis=1) > 1):
            # people as interchangeable: the first answer about each thing, the second, and so on
            order = np.argsort(~there, axis=1, kind="stable")[:, : int(there.sum(axis=1).max())]
            people = tuple(f"answer {k + 1}" for k in range(order.shape[1]))
            answers = np.take_along_axis(answers, order, axis=1)
            notes.append(Note.of("interchangeable", least=LEAST_SHARED))
        both = replace(both, people=people, answers=answers)
        choices = scale = np.array(both.scale)
        edges, grouped = (scale[1:] + scale[:-1]) / 2, scale.size > MOST_CATEGORIES
        if grouped:
            values = answers[~np.isnan(answers)]
            notes.append(Note.of("grouped", answers=scale.size, groups=GROUPS))
            edges = np.unique(np.quantile(values, np.arange(1, GROUPS) / GROUPS))
            edges = edges[edges < values.max()]
            group = np.searchsorted(edges, values, "left")
            scale = np.bincount(group, weights=values) / np.bincount(group)
        judged, judge = both.judge_answers, bench.judge
        one_choice = (
            np.unique(judged).size > 1 and np.unique(np.searchsorted(edges, judged, "left")).size == 1
        )
        # where people's answers are numbers rather than choices, a judge may also be too narrow beside theirs
        other_scale = not both.pairs and (
            (grouped and one_choice)
            or is_off_scale(judged, choices)
            or (both.apart and not is_evident(judged, choices))
        )
        if scale.size and not (other_scale and len(set(both.clusters)) > 1):
            if outside := int(np.count_nonzero((judged < choices[0]) | (judged > choices[-1]))):
                notes.append(Note.of("outside-the-scale", judge=judge, n=outside))
            if one_choice:
                ends = {"low": float(judged.min()), "high": float(judged.max())}
                notes.append(Note.of("nearest-to-one-choice", judge=judge, **ends))
        return cls(bench=both, scale=scale, edges=edges, other_scale=other_scale, notes=tuple(notes))

    @property
    def by_rank(self) -> bool:
        """Whether the judge's answers as they stand are put on people's scale, as measures are."""
        return self.other_scale and self.clusters > 1

    @property
    def why_no_level(self) -> str | None:
        """Why the level of the judge's answers cannot be compared with people's."""
        if self.bench.pairs:
            return NO_LEVEL_OF_PAIRS
        if not self.other_scale:
            return None
        answers, scale = self.bench.judge_answers, self.bench.scale
        return other_scale(float(answers.min()), float(answers.max()), scale[0], scale[-1])

    @property
    def rank_note(self) -> Note | None:
        """That the judge's answers were put on people's scale."""
        if not self.by_rank:
            return None
        answers, scale = self.bench.judge_answers, self.bench.scale
        ends = (float(answers.min()), float(answers.max())), (scale[0], scale[-1])
        return Note.of("put-on-scale", judge=self.bench.judge, answers=ends[0], scale=ends[1])

    @property
    def alone(self) -> str | None:
        """Why there is no agreement of people with each other."""
        return None if len(self.bench.people) > 1 else NOBODY_ELSE[self.bench.named]

    def codes(self, values: FloatArray) -> IntArray:
        """Every value as the place of the nearest choice, the lower of two."""
        return np.where(np.isnan(values), MISSING, np.searchsorted(self.edges, values, "left"))

    @cached_property
    def judge_codes(self) -> IntArray:
        """The judge's answers: the nearest choices, or where they are on another scale, those at the same ranks."""
        return self.ranked(self.bench.judge_answers) if self.by_rank else self.codes(self.bench.judge_answers)

    @property
    def has_ranks(self) -> bool:
        """Whether answers can be put on people's scale by rank, as other topics tell; a pair's answer has none."""
        return self.clusters > 1 and not self.bench.pairs

    def ranked(self, values: FloatArray) -> IntArray:
        """Answers as those of people at the same ranks."""
        codes = mapped_codes(levels_of(values), self.people, self.cluster, self.scale.size)
        return np.where(np.isnan(values), MISSING, codes)

    @cached_property
    def ranked_people(self) -> IntArray:
        """Those of every assessor, by rank."""
        return np.stack([self.ranked(answers) for answers in self.bench.answers.T], axis=1)

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
            return NO_SYSTEMS
        return None if np.nan_to_num(self.mean_signs).any() else NO_ORDER

    @cached_property
    def topic(self) -> IntArray:
        """Of every pair."""
        if not self.bench.pairs:
            return topics_of_pairs(*(self.cells.judge.shape if self.cells is not None else (0, 0)))
        return clusters_of(self.bench.topics, len(self.bench.topics))

    @cached_property
    def topic_cluster(self) -> IntArray:
        """The cluster of every topic."""
        clusters = np.zeros(len(set(self.bench.topics)), np.int64)
        clusters[clusters_of(self.bench.topics, len(self.bench.topics))] = self.cluster
        return clusters

    @cached_property
    def judge_signs(self) -> FloatArray:
        """How the judge orders every pair, whatever its scale: rounding is judged by how far its answers reach."""
        answers = self.bench.judge_answers
        wide = float(np.ptp(answers))
        if self.bench.pairs or not 0 < wide < math.inf:
            return self.signs(answers)
        return self.signs((answers - answers.min()) / wide)

    def signs(self, values: FloatArray) -> FloatArray:
        """How a judge that gives things these values orders every pair."""
        cells = None if self.bench.pairs else self.bench.with_judge("", values).cells()
        return self._signs(values, None if cells is None else cells.judge)

    def _signs(self, pairs: FloatArray, cells: FloatArray | None) -> FloatArray:
        """How every pair is ordered, by what is said of it, or by topics x systems."""
        if self.bench.pairs:
            return ahead(pairs, np.full(pairs.size, 0.5))
        return np.zeros(0) if cells is None else pair_signs(cells)

    @cached_property
    def mean_signs(self) -> FloatArray:
        """How people's mean orders every pair."""
        return self.signs_without(None)

    def signs_without(self, without: int | None) -> FloatArray:
        """The same of people but for one."""
        kept = [k for k in range(len(self.bench.people)) if k != without]
        people = replace(self.bench, answers=self.bench.answers[:, kept])
        cells = None if self.cells is None else replace(self.cells, people=self.cells.people[kept])
        return self._signs(people.people_mean, None if cells is None else cells.people_mean)

    def assessor_signs(self, k: int) -> FloatArray:
        return self._signs(self.bench.answers[:, k], None if self.cells is None else self.cells.people[k])

    def order(self, signs: FloatArray) -> FloatArray:
        """Agreement with people's mean on every topic."""
        return order_by_topic(self.mean_signs, signs, self.topic, self.topic_cluster.size)


def answers_on_scale(bench: AspectBench) -> FloatArray:
    """A judge's answers as choices on people's scale, as agreement takes them."""
    footing = Footing.of(bench)
    choices = bench.on_scale(bench.judge_answers)
    if footing.by_rank:
        choices[bench.judged] = footing.scale[footing.judge_codes]
    return choices


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

    def decides(self, criterion: str) -> bool:
        """Answers by rank are compared with the measure whose alpha is the highest."""
        return ("within" if criterion == "within" else "alpha") in self.criteria


def controls_of(footing: Footing, pairs: RaterPairs | None = None) -> Iterator[Control]:
    """The constant, chance, length, and the measure (or two, where the best differs between the criteria)."""
    things, size, tied = len(footing.bench.topics), footing.scale.size, np.zeros(footing.topic.size)
    # the one answer that agrees best with people; the more common of two
    common = np.bincount(footing.people[footing.people != MISSING], minlength=size)
    constants = [
        Control(
            kind="constant",
            name=ALWAYS.format(footing.scale[code]),
            codes=np.full(things, code, np.int64),
            signs=tied,
        )
        for code in np.argsort(-common, kind="stable")
    ]
    pairs = pairs or once(footing)
    agreement = {control.name: _agreement(footing, control, pairs)[0] for control in constants}
    yield max(constants, key=lambda control: round(agreement[control.name], 12))
    # answers at random with the shares of people's, in expectation: nothing is drawn
    counts = answer_counts(footing.people, footing.cluster, footing.clusters, size)
    yield Control(kind="random", name=AT_RANDOM, codes=counts, signs=tied)
    yield _length(footing, pairs)
    yield from _measures(footing, pairs)


def once(footing: Footing) -> RaterPairs:
    """Alpha of the data alone, in no draws."""
    return RaterPairs(footing.scale, footing.cluster, np.ones((1, footing.clusters)), kept=1)


def _length(footing: Footing, pairs: RaterPairs) -> Control:
    """Length in the direction that agrees better with people, by each criterion."""
    if np.isnan(footing.bench.words).all():
        return Control(kind="length", name="length", why=NO_LENGTHS)
    longer, shorter = (_number(footing, "length", "length", sign * footing.bench.words) for sign in (1, -1))
    if longer.why is not None:
        return longer
    both = [_agreement(footing, control, pairs) for control in (longer, shorter)]
    by_alpha, by_order = (shorter if both[1][at] > both[0][at] else longer for at in (0, 1))
    ways = ["shorter" if control is shorter else "longer" for control in (by_alpha, by_order)]
    note = Note.of("direction-of-length", by_alpha=ways[0], within=ways[1])
    return replace(by_alpha, signs=by_order.signs, notes=(*longer.notes, note))


def _number(footing: Footing, kind: ControlKind, name: str, values: FloatArray) -> Control:
    """A number of every thing as a judge, the better the higher; its place on the scale is that of other topics."""
    missing = int(np.count_nonzero(np.isnan(values)))
    if values.size - missing < LEAST_KNOWN * values.size:
        return Control(kind=kind, name=name, why=few_known(values.size - missing, values.size))
    if footing.clusters < 2:
        return Control(kind=kind, name=name, why=NO_OTHER_TOPICS)
    oriented = values if footing.bench.better == "higher" else -values
    note = Note.of("control-unknown", name=name, things=missing)
    return Control(
        kind=kind,
        name=name,
        codes=mapped_codes(oriented, footing.people, footing.cluster, footing.scale.size),
        signs=footing.signs(oriented + 0.5 if footing.bench.pairs else oriented),
        notes=(note,) if missing else (),
    )


def _agreement(footing: Footing, control: Control, pairs: RaterPairs) -> tuple[float, float]:
    """By alpha and within topics, with all people; what cannot be computed is below everything."""
    if control.codes is None or control.signs is None:
        return -math.inf, -math.inf
    alpha = people_agreement([control.codes], footing.people, pairs).judges[0, 0, 0]
    within = topic_means(footing.order(control.signs), footing.topic_cluster, pairs.times)[0]
    first, second = np.nan_to_num([alpha, within], nan=-math.inf).tolist()
    return first, second


def _measures(footing: Footing, pairs: RaterPairs) -> Iterator[Control]:
    """The best measure by alpha, and within topics: each by its agreement with people.

    Where the judge, or people's answers, are a column of a table, that column is no measure to beat.
    """
    bench = footing.bench
    every = [
        _number(footing, "measure", name, values)
        for name, values in bench.measures.items()
        if name not in (bench.judge, bench.aspect)
    ]
    scored = [control for control in every if control.why is None]
    if not scored:
        yield Control(kind="measure", name=A_MEASURE, why=every[0].why if every else NO_MEASURE)
        return
    agreement = [_agreement(footing, control, pairs) for control in scored]
    best = {
        name: max(range(len(scored)), key=lambda k: agreement[k][at])
        for at, name in enumerate(("alpha", "within"))
    }
    chosen = (Note.of("best-of-measures", measures=len(scored)),) if len(scored) > 1 else ()
    for at in dict.fromkeys(best.values()):
        criteria = tuple(name for name, place in best.items() if place == at)
        yield replace(scored[at], criteria=criteria, notes=(*scored[at].notes, *chosen))
