"""How often a measure orders pairs of systems as people do: with ties, by confidence, and by means.

tie_accuracy        within topics, with ties (acc-eq, Deutsch et al. 2023), the measure's ties calibrated
soft_accuracies     system means, by how sure each is of the order (Thompson et al. 2024)
mean_accuracies     system means (Kocmi et al. 2021), also among the pairs that are close to people

Values are topics x systems, higher is better, NaN is missing. Only cells in which people and the measure both have a
value count. Intervals are percentiles of resampled topics, or of clusters of topics where those are given: they are
for the number that as many other topics would give on average, with the same systems and assessors. Where all resamples
give one value there is no interval.

A measure that ties every pair orders nothing, and people who tie every pair ask for no order: no number then, but a
reason. This is so of accuracy with ties too, which would only be the share of pairs that people tie, whatever the
measure is like.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import LEAST_CLUSTERS, cluster_draws
from adjudge.stats.bootstrap import percentile_limits
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import noise_of, settled, steps

FOLDS = 10
MOST_CANDIDATES = 10_000
"""Thresholds that folds and resamples choose among; of more, so many evenly spaced ones."""
AT_ONCE = 4_000_000
"""Numbers that are held together."""
SAME = 1e-12
"""Accuracies that are no further apart are equal; the smallest threshold is then the choice."""

NO_PAIR = "no topic has two systems that people and the measure both scored"
NO_COMMON_TOPIC = "no two systems have a topic that people and the measure both scored"
ONE_SYSTEM = "needs two systems, has {n}"
PEOPLE_TIE_TOPICS = "people see no difference between summaries of any topic"
MEASURE_TIES_TOPICS = "the measure gives all summaries of a topic the same score, so that it orders none"
PEOPLE_TIE_SYSTEMS = "people's means of all systems are the same"
MEASURE_TIES_SYSTEMS = "the measure's means of all systems are the same, so that it orders none"
NO_SPREAD = "it is the same in every resample"


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
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> tuple[MeanAccuracy, ...]:
    """Of each measure: the share of system pairs whose means it orders as people do. Kocmi et al. 2021.

    As their formula has it, all pairs count, and a pair that both tie is ordered alike. A pair's means are over the
    topics on which both systems have both scores. With `closer_than`, only the pairs that are less than so far apart to
    people count; which those are stays as observed in every resample.
    """
    study = _Given.of(people, measures, clusters, resamples, level)
    draws = cluster_draws(rng, study.clusters, resamples)

    def alike(sums: _PairSums, times: FloatArray) -> FloatArray:
        judged, scored = sums.totals(times)
        return np.asarray(np.sign(judged) == np.sign(scored), dtype=np.float64)

    def observed(sums: _PairSums) -> FloatArray:
        return np.asarray(alike(sums, np.ones((1, study.clusters)))[0])

    return tuple(
        study.mean_accuracy(measure, observed, alike, draws, closer_than=closer_than)
        for measure in study.measures
    )


def soft_accuracies(
    people: npt.ArrayLike,
    measures: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    swaps: int = 1000,
    signs: npt.ArrayLike | None = None,
    both: bool = True,
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
    Resampled differences are noisier than the observed ones, so resampled accuracies are lower: the percentiles are
    moved with their middle to the accuracy.
    """
    checks.count("swaps", swaps, least=1)
    study = _Given.of(people, measures, clusters, resamples, level)
    used = swap_signs(rng, study.clusters, swaps) if signs is None else study.signs(signs)
    draws = cluster_draws(rng, study.clusters, resamples)

    def observed(sums: _PairSums) -> FloatArray:
        ours, theirs = (
            _swap_p(used, values, noise)
            for values, noise in ((sums.judged, sums.judged_noise), (sums.scored, sums.scored_noise))
        )
        apart = np.abs(ours - theirs)
        return np.asarray(1 - (apart.mean(axis=0) if both else apart[0]))

    def resampled(sums: _PairSums, times: FloatArray) -> FloatArray:
        ours, theirs = (_normal_p(times, values) for values in (sums.judged, sums.scored))
        return 1 - np.abs(ours - theirs)

    return tuple(
        study.mean_accuracy(
            measure,
            observed,
            resampled,
            draws,
            centred=True,
            swaps=len(used),
            all_swaps=signs is None and len(used) + 1 == 1 << study.clusters,
        )
        for measure in study.measures
    )


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
    from scipy.special import ndtr

    # By each pair's own size: squares of differences that are small beside those of other pairs would vanish.
    top = np.abs(values).max(axis=0, initial=0.0)
    values = np.ldexp(values, -np.frexp(top)[1])
    size = np.sqrt(times @ values**2)
    return np.asarray(ndtr(-(times @ values) / np.where(size > 0, size, 1)))


@dataclass(frozen=True, slots=True)
class _PairSums:
    """Differences of some pairs of systems, summed over the topics of each cluster: clusters x pairs."""

    judged: FloatArray
    scored: FloatArray
    judged_noise: FloatArray
    """By pair: how far a sum over all topics may be from another and still be equal but for rounding."""
    scored_noise: FloatArray
    common: FloatArray
    """Topics on which the pair has all four scores."""

    def totals(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sums over clusters that count so many times."""
        return (
            settled(times @ self.judged, self.judged_noise),
            settled(times @ self.scored, self.scored_noise),
        )


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

    def pair_sums(self, measure: FloatArray, width: int) -> Iterator[_PairSums]:
        """All pairs of systems, so many at a time that memory stays small."""
        judged, scored = _both(self.people, measure)
        i, j = np.triu_indices(judged.shape[1], 1)
        step = max(AT_ONCE // max(len(judged), width, 1), 1)
        for start in range(0, i.size, step):
            a, b = i[start : start + step], j[start : start + step]
            there = ~np.isnan(judged[:, a] - judged[:, b])
            (d, noise), (e, noise_too) = (_summed(scores, a, b, there) for scores in (judged, scored))
            yield _PairSums(
                judged=self.member @ d,
                scored=self.member @ e,
                judged_noise=noise,
                scored_noise=noise_too,
                common=self.member @ there,
            )

    def mean_accuracy(
        self,
        measure: FloatArray,
        observed: Callable[[_PairSums], FloatArray],
        resampled: Callable[[_PairSums, FloatArray], FloatArray],
        draws: FloatArray,
        *,
        closer_than: float | None = None,
        centred: bool = False,
        swaps: int = 0,
        all_swaps: bool = False,
    ) -> MeanAccuracy:
        """The mean over pairs of what is observed of each, with percentiles of its resampled means."""
        total, pairs, human_ties, missing = 0.0, 0, 0, 0
        people_order = measure_orders = False
        bound = math.inf
        if closer_than is not None:
            with np.errstate(over="ignore"):
                bound = float(np.ldexp(closer_than, -self.exponent))
        sums, sizes = np.zeros((2, len(draws)))
        used = np.zeros(self.clusters, dtype=np.bool_)
        for part in self.pair_sums(measure, max(len(draws), swaps)):
            n = part.common.sum(axis=0)
            missing += int(np.count_nonzero(n == 0))
            apart = settled(part.judged.sum(axis=0), part.judged_noise) / np.maximum(n, 1)
            counts = n > 0
            people_order |= bool(apart.any())
            measure_orders |= bool(settled(part.scored.sum(axis=0), part.scored_noise).any())
            if closer_than is not None:
                counts &= np.abs(apart) < bound
            total += float(observed(part)[counts].sum())
            pairs += int(np.count_nonzero(counts))
            human_ties += int(np.count_nonzero(apart[counts] == 0))
            used |= part.common[:, counts].any(axis=1)
            complete = bool(part.common[:, counts].all())  # then every resample has every pair
            there = np.broadcast_to(counts, (len(draws), counts.size))
            there = there if complete else there & (draws @ part.common > 0)
            sums += np.where(there, resampled(part, draws), 0.0).sum(axis=1)
            sizes += np.count_nonzero(there, axis=1)
        value = total / pairs if pairs else math.nan
        systems, many = self.people.shape[1], int(np.count_nonzero(used))
        why = None
        if systems < 2:
            why = ONE_SYSTEM.format(n=systems)
        elif not pairs and missing == math.comb(systems, 2):
            why = NO_COMMON_TOPIC
        elif not pairs:
            why = f"people's means of no two systems are less than {closer_than:g} apart"
        elif not people_order:
            why = PEOPLE_TIE_SYSTEMS
        elif not measure_orders:
            why = MEASURE_TIES_SYSTEMS
        value = value if why is None else math.nan
        why_no_interval = why or _why_no_interval(many, len(draws))
        low = high = math.nan
        if why_no_interval is None:
            with np.errstate(invalid="ignore"):  # a resample without any pair: 0/0
                low, high, why_no_interval = _limits(sums / sizes, value, self.level, centred=centred)
        both = ~np.isnan(self.people) & ~np.isnan(measure)
        return MeanAccuracy(
            value=value,
            low=low,
            high=high,
            level=self.level,
            pairs=pairs,
            human_ties=human_ties,
            missing=missing,
            cells=int(np.count_nonzero(both)),
            topics=int(np.count_nonzero(both.sum(axis=1) > 1)),
            clusters=many,
            resamples=len(draws) if why_no_interval is None else 0,
            swaps=swaps,
            all_swaps=all_swaps,
            why=why,
            why_no_interval=why_no_interval,
        )


def _summed(values: FloatArray, a: IntArray, b: IntArray, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Differences of pairs by topic, 0 where missing; and by pair the noise of their sum."""
    noise = np.where(there, noise_of(values[:, a], values[:, b]), 0.0)
    return settled(np.where(there, values[:, a] - values[:, b], 0.0), noise), noise.sum(axis=0)


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


def _limits(
    drawn: FloatArray, value: float, level: float, *, centred: bool = False
) -> tuple[float, float, str | None]:
    """Percentiles, of a share; or why there are none.

    Resampled topics add noise of their own, which can move all resamples one way. So percentiles are widened to the
    value, which is then within them; centred, they are moved with the middle of all resamples to the value.
    """
    low, high = (float(limit) for limit in percentile_limits(drawn, level, axis=0))
    if centred:
        shift = value - float(np.nanmedian(drawn))
        low, high = max(low + shift, 0.0), min(high + shift, 1.0)
    low, high = min(low, value), max(high, value)
    return (low, high, None) if high - low > SAME else (math.nan, math.nan, NO_SPREAD)
