"""How often a measure orders pairs of systems as people do: with ties, by confidence, and by means.

tie_accuracy        within topics, with ties (acc-eq, Deutsch et al. 2023), the measure's ties calibrated
soft_accuracies     system means, by how sure each is of the order (Thompson et al. 2024)
mean_accuracies     system means (Kocmi et al. 2021), also among the pairs that are close to people

Values are topics x systems, higher is better, NaN is missing. Only cells in which people and the measure both have a
value count. Intervals are for the number that studies of the same size give on average: within topics with other topics
(or clusters of topics, where those are given) and the same systems and assessors; of system means with other systems
and topics, and the same assessors.

A measure that ties every pair orders nothing, and people who tie every pair ask for no order: no number then, but a
reason. This is so of accuracy with ties too, which would only be the share of pairs that people tie, whatever the
measure is like.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import LEAST_CLUSTERS, cluster_draws
from adjudge.stats.bootstrap import percentile_limits
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.correlation import LEFT_OUT, split_variance, tau_variance, too_few
from adjudge.stats.paired import noise_of, settled, steps

FOLDS = 10
MOST_CANDIDATES = 10_000
"""Thresholds that folds and resamples choose among; of more, so many evenly spaced ones."""
AT_ONCE = 4_000_000
"""Numbers that are held together."""
SAME = 1e-12
"""Accuracies that are no further apart are equal; the smallest threshold is then the choice."""

Resample = Literal["systems", "inputs", "both"]
"""What intervals of accuracies of system means draw anew."""

NO_PAIR = "no topic has two systems that people and the measure both scored"
NO_COMMON_TOPIC = "no two systems have a topic that people and the measure both scored"
ONE_SYSTEM = "needs two systems, has {n}"
PEOPLE_TIE_TOPICS = "people see no difference between summaries of any topic"
MEASURE_TIES_TOPICS = "the measure gives all summaries of a topic the same score, so that it orders none"
PEOPLE_TIE_SYSTEMS = "people's means of all systems are the same"
MEASURE_TIES_SYSTEMS = "the measure's means of all systems are the same, so that it orders none"
NO_SPREAD = "it is the same in every resample"
NO_PAIR_WITHOUT_ONE = "without one of the systems there is no pair"


def scaled(values: FloatArray) -> tuple[FloatArray, int]:
    """Times a power of 2, exactly, so that the largest is about 1 in size; and the exponent that was taken out.

    Sums, differences and squares of scores such as 1e300 would overflow.
    """
    top = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
    exponent = math.frexp(top)[1]
    return (np.ldexp(values, -exponent) if exponent else values), exponent


# Pairs within topics, with ties


@dataclass(frozen=True, slots=True, kw_only=True)
class TieAccuracy:
    """Pairwise accuracy with ties: (concordant + tied by both) / all pairs, per topic, then the mean over topics.

    A pair is tied by the measure where its scores differ by no more than a threshold, epsilon.
    """

    uncalibrated: float = math.nan
    """With epsilon 0."""
    uncalibrated_low: float = math.nan
    uncalibrated_high: float = math.nan
    calibrated: float = math.nan
    """With the epsilon that is best for these topics: flattering, since it was chosen on them."""
    epsilon: float = math.nan
    crossed: float = math.nan
    """Cross-validated: each fold of topics with the epsilon that is best for the others."""
    low: float = math.nan
    high: float = math.nan
    """Of the cross-validated one; epsilon is chosen anew, fold by fold, in every resample."""
    level: float
    folds: int = 0
    topics: int
    """That have a pair."""
    pairs: int
    human_ties: int
    """Of the pairs, those that people tie."""
    ties: int
    """Of the pairs, those that the measure ties with the calibrated epsilon."""
    missing: int
    """Pairs, and topics without any, that lack a score do not count: so many pairs."""
    clusters: int = 0
    resamples: int = 0
    sampled: bool = False
    """Whether folds and resamples chose among MOST_CANDIDATES thresholds instead of all."""
    why: str | None = None
    """Why there is no number at all."""
    why_not_crossed: str | None = None
    why_no_interval: str | None = None
    """Of the cross-validated one."""
    why_no_uncalibrated_interval: str | None = None


def tie_accuracy(
    people: npt.ArrayLike,
    measure: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> TieAccuracy:
    """Accuracy with ties and tie calibration: Deutsch, Foster and Freitag 2023, "Ties Matter".

    One epsilon serves all topics. Every observed difference is tried; of equally good ones the smallest is chosen.
    Clusters of topics stay together in folds and resamples, and a topic that a resample holds twice stays in its fold.
    """
    judged, scored = _both(
        checks.numbers("people", people, dimensions=2), checks.numbers("measure", measure, dimensions=2)
    )
    checks.count("folds", folds, least=2)
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    judged, _ = scaled(judged)
    scored, exponent = scaled(scored)
    tied_pairs = _TiedPairs.of(judged, scored)
    if tied_pairs.why is not None:
        return TieAccuracy(
            level=level,
            topics=tied_pairs.kept.size,
            pairs=tied_pairs.pairs,
            human_ties=tied_pairs.human_ties,
            ties=tied_pairs.tied,
            missing=tied_pairs.missing,
            why=tied_pairs.why,
            why_not_crossed=tied_pairs.why,
            why_no_interval=tied_pairs.why,
            why_no_uncalibrated_interval=tied_pairs.why,
        )
    cluster, many = _renumbered(checks.clusters_of(clusters, len(judged))[tied_pairs.kept])
    further, epsilon, best = tied_pairs.best()
    plain = float(tied_pairs.base.mean())
    curves, sampled = tied_pairs.curves()
    of_fold = rng.permutation(many) % min(folds, many)
    draws = cluster_draws(rng, many, resamples)
    why_not_crossed = None if many > 1 else "all topics are one cluster: none are left to choose epsilon on"
    why_no_interval = why_not_crossed or _why_no_interval(many, len(draws))
    crossed = low = high = low_0 = high_0 = math.nan
    if why_not_crossed is None:
        crossed = float(_cross_validated(curves, np.ones((1, many)), cluster, of_fold)[0])
    why_not_0 = why_no_interval
    if why_no_interval is None:
        low, high, why_no_interval = _limits(
            _cross_validated(curves, draws, cluster, of_fold), crossed, level
        )
        times = draws[:, cluster]
        low_0, high_0, why_not_0 = _limits(times @ tied_pairs.base / times.sum(axis=1), plain, level)
    return TieAccuracy(
        uncalibrated=plain,
        uncalibrated_low=low_0,
        uncalibrated_high=high_0,
        calibrated=best,
        epsilon=float(np.ldexp(epsilon, exponent)),
        crossed=crossed,
        low=low,
        high=high,
        level=level,
        folds=int(min(folds, many)),
        topics=tied_pairs.kept.size,
        pairs=tied_pairs.pairs,
        human_ties=tied_pairs.human_ties,
        ties=tied_pairs.tied + further,
        missing=tied_pairs.missing,
        clusters=many,
        resamples=len(draws) if why_no_interval is None or why_not_0 is None else 0,
        sampled=sampled,
        why_not_crossed=why_not_crossed,
        why_no_interval=why_no_interval,
        why_no_uncalibrated_interval=why_not_0,
    )


@dataclass(frozen=True, slots=True)
class _TiedPairs:
    """All pairs of all topics, those that the measure tells apart in the order of its differences.

    A larger threshold makes a pair tied: a gain where people tie it, a loss where it was concordant, else nothing.
    """

    kept: IntArray
    """Topics that have a pair; `row` counts in these."""
    base: FloatArray
    """Per kept topic: the accuracy with epsilon 0."""
    weight: FloatArray
    """Per kept topic: 1 / its pairs."""
    difference: FloatArray
    """Ascending, with the topic and the gain of each."""
    row: npt.NDArray[np.int32]
    gain: npt.NDArray[np.int8]
    ends: IntArray
    """The last of each run of differences that are equal but for noise: what a threshold can tell apart."""
    pairs: int
    human_ties: int
    tied: int
    missing: int
    why: str | None = None

    @classmethod
    def of(cls, people: FloatArray, measure: FloatArray) -> _TiedPairs:
        topics, systems = people.shape
        i, j = np.triu_indices(systems, 1)
        counts, right = np.zeros((2, topics), dtype=np.int64)
        human_ties = tied = 0
        parts: list[tuple[FloatArray, FloatArray, npt.NDArray[np.int32], npt.NDArray[np.int8]]] = []
        for t in range(topics):  # one topic at a time: of many systems, all pairs of all topics are many
            there = ~np.isnan(people[t, i] - people[t, j])
            a, b = i[there], j[there]
            judged = np.sign(_difference(people[t], a, b))
            scored = _difference(measure[t], a, b)
            apart = scored != 0
            counts[t] = judged.size
            right[t] = np.count_nonzero(judged == np.sign(scored))
            human_ties += int(np.count_nonzero(judged == 0))
            tied += judged.size - int(np.count_nonzero(apart))
            judged, scored = judged[apart], scored[apart]
            gain = np.where(judged == 0, 1, -(judged == np.sign(scored)).astype(np.int8)).astype(np.int8)
            noise = noise_of(measure[t, a], measure[t, b])[apart]
            parts.append((np.abs(scored), noise, np.full(gain.size, t, dtype=np.int32), gain))
        kept = np.flatnonzero(counts)
        pairs = int(counts.sum())
        missing = topics * i.size - pairs
        why = None
        if not pairs:
            why = NO_PAIR if systems > 1 else ONE_SYSTEM.format(n=systems)
        elif human_ties == pairs:
            why = PEOPLE_TIE_TOPICS
        elif tied == pairs:
            why = MEASURE_TIES_TOPICS
        size, noise = (np.concatenate([part[k] for part in parts] or [np.zeros(0)]) for k in (0, 1))
        row = np.concatenate([part[2] for part in parts] or [np.zeros(0, dtype=np.int32)])
        gain = np.concatenate([part[3] for part in parts] or [np.zeros(0, dtype=np.int8)])
        order = np.argsort(size, kind="stable")
        size, noise = size[order], noise[order]
        starts = np.flatnonzero(steps(size, noise)) if size.size else np.zeros(0, dtype=np.int64)
        place = np.zeros(topics, dtype=np.int32)
        place[kept] = np.arange(kept.size, dtype=np.int32)
        return cls(
            kept=kept,
            base=right[kept] / counts[kept],
            weight=1 / counts[kept],
            difference=size,
            row=place[row[order]],
            gain=gain[order],
            ends=np.append(starts[1:], size.size) - 1 if size.size else starts,
            pairs=pairs,
            human_ties=human_ties,
            tied=tied,
            missing=missing,
            why=why,
        )

    def best(self) -> tuple[int, float, float]:
        """How many pairs the best threshold ties further, the threshold, and the mean accuracy with it."""
        curve = np.cumsum(self.gain * self.weight[self.row])[self.ends] / self.kept.size
        first = int(_first_best(np.append(0.0, curve)[None])[0])
        if not first:
            return 0, 0.0, float(self.base.mean())
        at = int(self.ends[first - 1])
        return at + 1, float(self.difference[at]), float(self.base.mean() + curve[first - 1])

    def curves(self) -> tuple[FloatArray, bool]:
        """Each topic's accuracy at the thresholds that can be best for some choice of topics, 0 the first of them.

        Accuracy rises only where a pair that people tie becomes tied, so no other threshold is ever the choice.
        """
        rises = np.zeros(self.ends.size, dtype=np.bool_)
        rises[np.searchsorted(self.ends, np.flatnonzero(self.gain > 0))] = True
        ends = self.ends[rises]
        sampled = ends.size > MOST_CANDIDATES
        if sampled:
            ends = ends[np.linspace(0, ends.size - 1, MOST_CANDIDATES).astype(np.int64)]
        # A pair is tied from the first of these thresholds on that is no smaller than its difference.
        reached = int(ends[-1]) + 1 if ends.size else 0
        at = np.searchsorted(ends, np.arange(reached)) + 1
        width, rows = ends.size + 1, self.row[:reached]
        gains = np.bincount(
            rows.astype(np.int64) * width + at,
            weights=self.gain[:reached] * self.weight[rows],
            minlength=self.kept.size * width,
        )
        accuracy = self.base[:, None] + np.cumsum(gains.reshape(-1, width), axis=1)
        return accuracy, sampled


def _difference(values: FloatArray, a: IntArray, b: IntArray) -> FloatArray:
    return settled(values[a] - values[b], noise_of(values[a], values[b]))


def _first_best(curves: FloatArray) -> IntArray:
    """In each row, the first place that is no worse than any other but for noise."""
    best = curves.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(curves >= best - SAME * np.maximum(np.abs(best), 1), axis=1))


def _cross_validated(
    curves: FloatArray, draws: FloatArray, cluster: IntArray, of_fold: IntArray
) -> FloatArray:
    """For each row of how often clusters count: the mean accuracy of topics by what is best for the other folds."""
    width, folds = curves.shape[1], int(of_fold.max()) + 1
    step = max(AT_ONCE // (width * (folds + 1)), 1)
    topics = [np.flatnonzero(of_fold[cluster] == k) for k in range(folds)]
    means = []
    for start in range(0, len(draws), step):
        times = draws[start : start + step][:, cluster]
        parts = [times[:, rows] @ curves[rows] for rows in topics]
        sizes = [times[:, rows].sum(axis=1) for rows in topics]
        total, size = sum(parts), sum(sizes)
        right = np.zeros(len(times))
        for part, fold_size in zip(parts, sizes, strict=True):
            # A resample may hold one fold alone: any epsilon is as good.
            others = np.maximum(size - fold_size, 1)[:, None]
            chosen = _first_best((total - part) / others)
            right += part[np.arange(len(times)), chosen]
        means.append(right / size)
    return np.concatenate(means)


# System means


@dataclass(frozen=True, slots=True)
class MeanAccuracy:
    """How far a measure orders pairs of systems, by what they reach over all topics, as people do."""

    value: float
    low: float
    high: float
    level: float
    pairs: int
    """Of systems, that count."""
    human_ties: int
    """Of these, pairs with equal means to people."""
    missing: int
    """Pairs of systems without a common topic."""
    cells: int
    """In which people and the measure both have a value."""
    topics: int
    clusters: int
    resamples: int
    swaps: int = 0
    """Of soft accuracy: the random swaps that its p-values come from."""
    all_swaps: bool = False
    """Whether they are all there are."""
    why: str | None = None
    why_no_interval: str | None = None


def mean_accuracies(
    people: npt.ArrayLike,
    measures: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    closer_than: float | None = None,
    resample: Resample = "both",
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> tuple[MeanAccuracy, ...]:
    """Of each measure: the share of system pairs whose means it orders as people do. Kocmi et al. 2021.

    As their formula has it, all pairs count, and a pair that both tie is ordered alike. A pair's means are over the
    topics on which both systems have both scores. With `closer_than`, only the pairs that are less than so far apart to
    people count; which those are stays as observed in every resample. Intervals: see `_Tally.half_width`.
    """
    study = _Given.of(people, measures, clusters, resamples, level)

    def order(sums: FloatArray, noise: FloatArray) -> FloatArray:
        return np.asarray(np.sign(settled(sums, noise)))

    how = _How(
        observed=lambda sums, noise: order(sums.sum(axis=0), noise),
        resampled=lambda times, sums, noise: order(times @ sums, noise),
        alike=lambda ours, theirs: np.asarray(ours == theirs, dtype=np.float64),
        ordinal=True,
    )
    return study.accuracies(how, rng, resample, closer_than=closer_than)


def soft_accuracies(
    people: npt.ArrayLike,
    measures: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    swaps: int = 1000,
    signs: npt.ArrayLike | None = None,
    both: bool = True,
    resample: Resample = "both",
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> tuple[MeanAccuracy, ...]:
    """Of each measure: the mean over system pairs of 1 - |p_people - p_measure|. Thompson et al. 2024.

    p is that of the one-sided paired permutation test that one system is better than the other: the systems' scores are
    swapped on random topics, on the same ones for people, all measures and all pairs; clusters of topics are swapped
    together. p = (k+1)/(R+1), and exact where there are no more than `swaps` other ways to swap. The authors' program
    has k/R, so that its 1 - accuracy is (R+1)/R of this one. Where swaps tie with what was observed, as ratings on a
    scale do, |p_people - p_measure| depends on which of two systems is tested for being the better one: the mean of
    both directions counts, so that the order of systems does not matter. With `both` false it is the first of a pair,
    as in the authors' program. `signs`, swaps x clusters of 1 and -1, take the place of random ones.

    In resamples p has its normal approximation: random signs give the sum of differences d the variance sum of d**2.
    Intervals: see `_Tally.half_width`.
    """
    checks.count("swaps", swaps, least=1)
    study = _Given.of(people, measures, clusters, resamples, level)
    used = swap_signs(rng, study.clusters, swaps) if signs is None else study.signs(signs)

    def observed(ours: FloatArray, theirs: FloatArray) -> FloatArray:
        return 1 - np.abs(ours - theirs)

    how = _How(
        observed=lambda sums, noise: _swap_p(used, sums, noise)[: 2 if both else 1],
        resampled=lambda times, sums, noise: _normal_p(times, sums),
        alike=observed,
        width=len(used),
    )
    all_swaps = signs is None and len(used) + 1 == 1 << study.clusters
    accuracies = study.accuracies(how, rng, resample)
    return tuple(replace(accuracy, swaps=len(used), all_swaps=all_swaps) for accuracy in accuracies)


def swap_signs(rng: np.random.Generator, clusters: int, swaps: int) -> FloatArray:
    """Swaps x clusters: -1 where two systems change places. All ways but the observed one, where those are few."""
    if clusters < 63 and 2**clusters - 1 <= swaps:
        number = np.arange(1, 2**clusters)
        swapped = (number[:, None] >> np.arange(clusters)) & 1
    else:
        swapped = rng.integers(0, 2, size=(swaps, clusters))
    return np.asarray(1 - 2 * swapped, dtype=np.float64)


def _swap_p(signs: FloatArray, values: FloatArray, noise: FloatArray) -> FloatArray:
    """Of clusters x pairs: the p of the first being better, and of the second, (k+1)/(R+1) each."""
    swapped, observed = signs @ values, values.sum(axis=0)
    counts = [np.count_nonzero(swapped >= observed - noise, axis=0)]
    counts.append(np.count_nonzero(swapped <= observed + noise, axis=0))
    return (np.stack(counts) + 1) / (len(signs) + 1)


def _normal_p(times: FloatArray, values: FloatArray) -> FloatArray:
    # By each pair's own size: squares of differences that are small beside those of other pairs would vanish.
    top = np.abs(values).max(axis=0, initial=0.0)
    values = np.ldexp(values, -np.frexp(top)[1])
    size = np.sqrt(times @ values**2)
    return np.asarray(ndtr(-(times @ values) / np.where(size > 0, size, 1)))


@dataclass(frozen=True, slots=True)
class _How:
    """What is computed of people and of a measure, from sums of pairs' differences over clusters (clusters x pairs)
    and the noise of their totals, and how far the two agree, pair by pair."""

    observed: Callable[[FloatArray, FloatArray], FloatArray]
    resampled: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    """Resamples x pairs, for how often clusters count."""
    alike: Callable[[FloatArray, FloatArray], FloatArray]
    ordinal: bool = False
    """Whether a pair is right or wrong, as in Kendall's tau."""
    width: int = 0
    """Numbers that it holds of each pair."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Some pairs of systems, on the cells that some measures share."""

    first: IntArray
    second: IntArray
    there: BoolArray
    """Topics x pairs: whether the pair has all four scores."""
    common: FloatArray
    """Clusters x pairs: on how many topics."""

    def summed(self, values: FloatArray, member: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Differences over the topics of each cluster; and how far two equal totals may be apart but for rounding."""
        a, b = values[:, self.first], values[:, self.second]
        noise = np.where(self.there, noise_of(a, b), 0.0)
        return member @ settled(np.where(self.there, a - b, 0.0), noise), noise.sum(axis=0)


@dataclass(frozen=True, slots=True)
class _Given:
    """People and measures on the topics on which people have a pair, each scaled to about 1."""

    people: FloatArray
    exponent: int
    """Of the power of 2 by which people's scores were divided."""
    measures: FloatArray
    member: FloatArray
    """Clusters x topics: 1 where the topic is the cluster's."""
    resamples: int
    level: float

    @classmethod
    def of(
        cls,
        people: npt.ArrayLike,
        measures: npt.ArrayLike,
        clusters: Sequence[Any] | None,
        resamples: int,
        level: float,
    ) -> _Given:
        scored = checks.numbers("measures", measures, dimensions=3)
        judged = checks.numbers("people", people, dimensions=2)
        if scored.shape[1:] != judged.shape:
            raise UsageError(
                f"people and measures: expected the same topics and systems, got {judged.shape} and {scored.shape[1:]}"
            )
        checks.count("resamples", resamples, least=0)
        checks.share("level", level)
        kept = np.count_nonzero(~np.isnan(judged), axis=1) > 1
        cluster, many = _renumbered(checks.clusters_of(clusters, len(judged))[kept])
        member = np.zeros((many, cluster.size))
        member[cluster, np.arange(cluster.size)] = 1
        kept_people, exponent = scaled(judged[kept])
        return cls(
            people=kept_people,
            exponent=exponent,
            measures=np.array([scaled(scores)[0] for scores in scored[:, kept]]).reshape(
                len(scored), *kept_people.shape
            ),
            member=member,
            resamples=resamples,
            level=level,
        )

    @property
    def clusters(self) -> int:
        return len(self.member)

    def signs(self, values: npt.ArrayLike) -> FloatArray:
        signs = checks.numbers("signs", values, dimensions=2)
        if signs.shape[1] != self.clusters or not np.isin(signs, (-1, 1)).all():
            raise UsageError(
                f"signs: expected 1 and -1 in {self.clusters} columns, one for each cluster of topics"
            )
        return signs

    def alike(self) -> dict[bytes, list[int]]:
        """Measures that have the same cells: people's differences are computed once for these."""
        groups: dict[bytes, list[int]] = {}
        for m, measure in enumerate(self.measures):
            groups.setdefault(np.packbits(np.isnan(measure) | np.isnan(self.people)).tobytes(), []).append(m)
        return groups

    def pairs(self, cells: BoolArray, width: int) -> Iterator[_Pairs]:
        """All pairs of systems, so many at a time that memory stays small."""
        i, j = np.triu_indices(cells.shape[1], 1)
        step = max(AT_ONCE // max(len(cells), width, 1), 1)
        for start in range(0, i.size, step):
            a, b = i[start : start + step], j[start : start + step]
            there = cells[:, a] & cells[:, b]
            yield _Pairs(first=a, second=b, there=there, common=self.member @ there)

    def accuracies(
        self, how: _How, rng: np.random.Generator, resample: Resample, *, closer_than: float | None = None
    ) -> tuple[MeanAccuracy, ...]:
        """The means over pairs of how far each measure and people agree, with intervals."""
        checks.one_of("resample", resample, get_args(Resample))
        bound = math.inf
        if closer_than is not None:
            with np.errstate(over="ignore"):
                bound = float(np.ldexp(closer_than, -self.exponent))
        draws = cluster_draws(rng, self.clusters, self.resamples)
        times = np.concatenate([np.ones((1, self.clusters)), draws])
        results: dict[int, MeanAccuracy] = {}
        for members in self.alike().values():
            cells = ~np.isnan(self.people) & ~np.isnan(self.measures[members[0]])
            tallies = {m: _Tally(cells, times) for m in members}
            for pairs in self.pairs(cells, max(len(times), how.width)):
                ours, noise = pairs.summed(np.where(cells, self.people, np.nan), self.member)
                apart = settled(ours.sum(axis=0), noise) / np.maximum(pairs.common.sum(axis=0), 1)
                counts = (pairs.common.sum(axis=0) > 0) & (np.abs(apart) < bound)
                people = how.observed(ours, noise), how.resampled(times, ours, noise)
                for m, tally in tallies.items():
                    theirs, noise = pairs.summed(np.where(cells, self.measures[m], np.nan), self.member)
                    observed = how.alike(people[0], how.observed(theirs, noise))
                    tally.add(
                        pairs,
                        counts,
                        apart,
                        orders=bool(settled(theirs.sum(axis=0), noise).any()),
                        observed=observed.mean(axis=0) if observed.ndim > 1 else observed,
                        resampled=how.alike(people[1], how.resampled(times, theirs, noise)),
                    )
            for m, tally in tallies.items():
                results[m] = self._accuracy(tally, how, resample, closer_than)
        return tuple(results[m] for m in range(len(self.measures)))

    def _accuracy(
        self, tally: _Tally, how: _How, resample: Resample, closer_than: float | None
    ) -> MeanAccuracy:
        systems, many = self.people.shape[1], int(np.count_nonzero(tally.used))
        why = None
        if systems < 2:
            why = ONE_SYSTEM.format(n=systems)
        elif not tally.pairs and tally.missing == math.comb(systems, 2):
            why = NO_COMMON_TOPIC
        elif not tally.pairs:
            why = f"people's means of no two systems are less than {closer_than:g} apart"
        elif not tally.people_order:
            why = PEOPLE_TIE_SYSTEMS
        elif not tally.measure_orders:
            why = MEASURE_TIES_SYSTEMS
        value = tally.total / tally.pairs if why is None else math.nan
        low = high = math.nan
        why_no_interval = why
        if resample != "systems":
            why_no_interval = why_no_interval or _why_no_interval(many, self.resamples)
        if resample != "inputs":
            why_no_interval = why_no_interval or too_few("systems", tally.systems)
        if why_no_interval is None:
            half = tally.half_width(
                value, ordinal=how.ordinal, resample=resample, clusters=many, level=self.level
            )
            low, high, why_no_interval = _about(value, half, tally.pairs)
        return MeanAccuracy(
            value=value,
            low=low,
            high=high,
            level=self.level,
            pairs=tally.pairs,
            human_ties=tally.human_ties,
            missing=tally.missing,
            cells=int(np.count_nonzero(tally.cells)),
            topics=int(np.count_nonzero(tally.cells.sum(axis=1) > 1)),
            clusters=many,
            resamples=len(tally.sums) - 1 if why_no_interval is None else 0,
            why=why,
            why_no_interval=why_no_interval,
        )


class _Tally:
    """One measure's sums over all pairs: as observed, without each system, and in resamples, of which the first is all
    topics."""

    def __init__(self, cells: BoolArray, times: FloatArray) -> None:
        systems = cells.shape[1]
        self.cells, self.times = cells, times
        self.total, self.pairs, self.human_ties, self.missing = 0.0, 0, 0, 0
        self.people_order = self.measure_orders = False
        self.used = np.zeros(times.shape[1], dtype=np.bool_)
        self.sums, self.sizes = np.zeros((2, len(times)))
        self.pairs_of, self.of_system = np.zeros((2, systems))
        """Of each system, in the resample of all topics."""
        # Every system is left out of as many resamples as another, give or take one.
        self.left = np.arange(min(len(times) - 1, LEFT_OUT)) % max(systems, 1)
        self.pairs_of_left, self.of_left = np.zeros((2, len(self.left)))

    def add(
        self,
        pairs: _Pairs,
        counts: BoolArray,
        apart: FloatArray,
        *,
        orders: bool,
        observed: FloatArray,
        resampled: FloatArray,
    ) -> None:
        n = pairs.common.sum(axis=0)
        self.missing += int(np.count_nonzero(n == 0))
        self.people_order |= bool(apart.any())
        self.measure_orders |= orders
        self.total += float(observed[counts].sum())
        self.pairs += int(np.count_nonzero(counts))
        self.human_ties += int(np.count_nonzero(apart[counts] == 0))
        self.used |= pairs.common[:, counts].any(axis=1)
        there = np.broadcast_to(counts, resampled.shape)
        if not pairs.common[:, counts].all():  # else every resample has every pair
            there = there & (self.times @ pairs.common > 0)
        values = np.where(there, resampled, 0.0)
        self.sums += values.sum(axis=1)
        self.sizes += np.count_nonzero(there, axis=1)
        some = slice(1, len(self.left) + 1)
        for ends in (pairs.first, pairs.second):
            np.add.at(self.pairs_of, ends, there[0])
            np.add.at(self.of_system, ends, values[0])
            mine = ends == self.left[:, None]
            self.pairs_of_left += np.count_nonzero(there[some] & mine, axis=1)
            self.of_left += np.where(mine, values[some], 0.0).sum(axis=1)

    @property
    def systems(self) -> int:
        """That have a pair."""
        return int(np.count_nonzero(self.pairs_of))

    def half_width(
        self, value: float, *, ordinal: bool, resample: Resample, clusters: int, level: float
    ) -> float:
        """Of the interval of the logit of an accuracy; NaN where without one system there is no pair.

        Over systems the variance is the jackknife's, with systems - 1 degrees of freedom. Where pairs are right or
        wrong, and all count, an accuracy is (1 + tau) / 2: then it is that of Kendall's tau of normal systems (Esscher
        1924), since of few systems the jackknife finds too much. Over topics it is the bootstrap's, with Student's t;
        not its percentiles, for resampled means have the noise of topics twice, so that resamples are less accurate
        than what was observed. What resampled topics do to single systems is in the variance over systems already;
        only the rest is added (see `all_correlation_intervals`).
        """

        def reach(df: float) -> float:
            return float(stdtrit(min(df, 1e12), (1 + level) / 2)) ** 2

        n, there = self.systems, self.pairs_of > 0
        inside = _inside(value, self.pairs)
        per_logit = (inside * (1 - inside)) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            accuracy = self.sums / self.sizes
            without = (self.sums[0] - self.of_system) / (self.sizes[0] - self.pairs_of)
            some = slice(1, len(self.left) + 1)
            left = (self.sums[some] - self.of_left) / (self.sizes[some] - self.pairs_of_left)
        square = 0.0
        if resample != "inputs":
            square = reach(n - 1) * (n - 1) * float(np.var(without[there])) / per_logit
            if ordinal and self.pairs == math.comb(n, 2):
                square = reach(np.inf) * float(tau_variance(np.array(2 * inside - 1), n)) / 4 / per_logit
        if resample != "systems":
            t = reach(clusters - 1) * clusters / (clusters - 1) / per_logit
            change = ((left - accuracy[some]) - (without[self.left] - accuracy[0]))[there[self.left]]
            # Of steps, such as an order, leaving out finds too much: single systems have no more than the whole.
            common, single = split_variance(accuracy[1:, None], change[:, None], n, n)
            whole = t * float(common[0] + single[0])
            square = whole if resample == "inputs" else max(square + t * float(common[0]), whole)
        return math.sqrt(square)


def _inside(value: float, pairs: int) -> float:
    """Where all pairs are right, or none, half a pair counts as not."""
    return value if 0 < value < 1 else abs(value - 0.5 / pairs)


def _about(value: float, half: float, pairs: int) -> tuple[float, float, str | None]:
    """The interval whose logits are so far from that of the value; or why there is none."""
    if not half > SAME:
        return math.nan, math.nan, NO_PAIR_WITHOUT_ONE if math.isnan(half) else NO_SPREAD
    inside = _inside(value, pairs)
    ends = (math.log(inside / (1 - inside)) + side * half for side in (-1, 1))
    low, high = (float(end) for end in expit(list(ends)))
    return min(low, value), max(high, value), None


def _both(people: FloatArray, measure: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both, with NaN where either has none."""
    if people.shape != measure.shape:
        raise UsageError(f"people and measure: expected one shape, got {people.shape} and {measure.shape}")
    both = ~np.isnan(people) & ~np.isnan(measure)
    return np.where(both, people, np.nan), np.where(both, measure, np.nan)


def _renumbered(cluster: IntArray) -> tuple[IntArray, int]:
    distinct, number = np.unique(cluster, return_inverse=True)
    return number.astype(np.int64), distinct.size


def _why_no_interval(clusters: int, draws: int) -> str | None:
    if clusters < LEAST_CLUSTERS:
        return f"needs {LEAST_CLUSTERS} topics or clusters of topics, has {clusters}"
    return None if draws > 1 else "nothing was resampled"


def _limits(drawn: FloatArray, value: float, level: float) -> tuple[float, float, str | None]:
    """Percentiles of a share, widened to the value, since resamples may all lie to one side; or why there are none."""
    low, high = (float(limit) for limit in percentile_limits(drawn, level, axis=0))
    low, high = min(low, value), max(high, value)
    return (low, high, None) if high - low > SAME else (math.nan, math.nan, NO_SPREAD)
