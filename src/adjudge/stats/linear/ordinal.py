"""Cumulative link mixed models with crossed random terms, by Laplace's approximation: ratings that are ordinal.

    P(rating <= level j) = F(threshold_j - b - sum_k sigma_k v_k),    F logistic, v_k ~ N(0, 1) for every cell of term k

with b the effect of the row's group (a system): a group with a larger effect has higher ratings. R's ordinal::clmm
(Christensen 2019) is the same model with the same approximation. The random effects are at their conditional mode
for every trial value of the parameters; the integral over them is that of the normal density with the curvature
there (Tierney and Kadane 1986; Pinheiro and Chao 2006).

Random effects of one topic (topic, topic:assessor, system:topic) have nothing to do with those of another once the
others (assessor, system:assessor) are known. So the equations are small dense blocks, one for each topic, solved
together, and a border: 3,600 ratings with 1,600 random effects take milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, logit

from adjudge.core.errors import UsageError
from adjudge.core.threads import one_thread
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import LinearModel, Term, cells_around, slots, within

LOGISTIC = math.pi / math.sqrt(3)
"""The standard deviation of the logistic distribution, which a rating's own noise has on the latent scale."""

MOST_NUMBERS = 30_000_000
"""Numbers that the blocks and their border may have together: 240 MB each time."""

STEP = 1e-4
"""Of central differences of the slope."""

NEAR_ZERO = 0.15
"""Standard deviations below this are tried at 0."""

TOO_FAR = 30.0
"""A standard deviation beyond this says that the likelihood has no maximum: a rating's own noise has 1.8."""

SETTLED = 1e-8
"""What a Newton step would still gain in log-likelihood where the search has converged."""

NEAR = 1e-5
"""What the last step gained where the curvature before it serves after it too: standard errors change by 0.1 %."""

MOST_STEPS, SMALLEST = 6, 1e-3
"""Newton steps at the end of the search, and the smallest part of one."""

Progress = Callable[[int], None]
"""Hears how many values of the parameters were tried."""


@dataclass(frozen=True)
class OrdinalCriterion:
    """The criterion at some parameters."""

    value: float
    """Minus the log-likelihood by Laplace's approximation."""
    slope: FloatArray
    """Its derivative by thresholds, effects (but the first) and standard deviations."""


@dataclass(frozen=True)
class Curvature:
    """The random effects' second derivatives at their mode, solved: blocks G, border, and what joins them."""

    blocks: FloatArray
    """The inverse of each block by itself: blocks x slots x slots."""
    joined: FloatArray
    """Blocks' inverses times what joins them to the border: blocks x slots x border."""
    border: FloatArray
    """The inverse of what is left of the border without the blocks: its part of the whole inverse."""
    log_det: float

    def solve(self, right: FloatArray) -> FloatArray:
        count, slots, width = self.joined.shape
        inside, rest = right[: count * slots].reshape(count, slots), right[count * slots :]
        outer = self.border @ (rest - np.tensordot(self.joined, inside, axes=([0, 1], [0, 1])))
        inner = np.einsum("tkl,tl->tk", self.blocks, inside) - self.joined @ outer
        return np.concatenate([inner.ravel(), outer.reshape(width)])


class Laplace:
    """A design and its ratings; `at(thresholds, effects, deviations)` is the criterion there.

    Random effects stand in one vector: blocks of `slots` places each, those that no effect has stay 0, then the border.
    """

    def __init__(self, ratings: IntArray, groups: IntArray, terms: Sequence[Term]):
        """Ratings are numbered from 0 and every one occurs; so are groups, and there may be one."""
        self.ratings, self.groups = ratings, groups
        self.n = int(ratings.size)
        self.levels = int(ratings.max()) + 1
        self.size = int(groups.max()) + 1
        blocked, members = _blocks(terms)
        self.count = blocked.size if blocked is not None else 0
        inside = slots(blocked, [terms[k] for k in members]) if blocked is not None else []
        self.slots = max((int(slot.max(initial=-1)) + 1 for _, slot in inside), default=0)
        self.width = 0
        self.cells: list[IntArray] = []
        """Of every term, the places of its cells."""
        for k, term in enumerate(terms):
            if k in members:
                block, slot = inside[members.index(k)]
                self.cells.append(block * self.slots + slot)
            else:
                self.cells.append(self.count * self.slots + self.width + np.arange(term.size))
                self.width += term.size
        numbers = self.count * self.slots * (self.slots + self.width) + self.width**2
        if numbers > MOST_NUMBERS:
            raise UsageError(
                f"the model is too large: its equations have {numbers:,} numbers, at most {MOST_NUMBERS:,}"
            )
        self.at_rows = np.array(
            [self.cells[k][term.codes] for k, term in enumerate(terms)], dtype=np.int64
        ).reshape(len(terms), self.n)
        """Of every term and row, the place of the row's cell."""
        outside = [k for k in range(len(terms)) if k not in members]
        slot_of = self.at_rows % max(1, self.slots)
        start = self.count * self.slots
        self._pairs = {
            "blocks": _pair_places(members, members, self.at_rows, slot_of, self.slots),
            "joined": _pair_places(members, outside, self.at_rows, self.at_rows - start, self.width),
            "border": _pair_places(outside, outside, self.at_rows - start, self.at_rows - start, self.width),
        }
        self.mode = np.zeros(self.count * self.slots + self.width)
        """The random effects in units of their standard deviations, where they were last."""

    def at(self, thresholds: FloatArray, effects: FloatArray, deviations: FloatArray) -> OrdinalCriterion:
        """The criterion; `effects` are of all groups but the first, whose effect is 0.

        Its slope holds what the mode moves with the parameters: the criterion's direct derivatives, and those of the
        log determinant through the mode, by one more solution of the same equations.
        """
        rows = self._mode(thresholds, effects, deviations)
        curved = self._curvature(rows.weight, deviations)
        value = -float(rows.log_p.sum()) + 0.5 * float(self.mode @ self.mode) + 0.5 * curved.log_det
        spread, traces = self._spread(curved, deviations)
        # d log det / d eta of every row, and what the mode answers.
        bend = spread * rows.weight_slope
        answer = curved.solve(self._onto(bend, deviations))
        moved = self.linear(answer, deviations)
        by_row = -rows.slope + 0.5 * (bend - rows.weight * moved)
        upper = -rows.by_upper + 0.5 * (spread * rows.bend_upper + moved * rows.density_upper)
        lower = -rows.by_lower + 0.5 * (spread * rows.bend_lower + moved * rows.density_lower)
        by_threshold = (
            np.bincount(self.ratings, upper, self.levels)[:-1]
            + np.bincount(self.ratings, lower, self.levels)[1:]
        )
        by_deviation = np.zeros(deviations.size)
        for k in np.flatnonzero(deviations):
            modes = self.mode[self.at_rows[k]]
            by_deviation[k] = float(by_row @ modes) + 0.5 * float(rows.slope @ answer[self.at_rows[k]])
            by_deviation[k] += traces[k] / deviations[k]
        return OrdinalCriterion(
            value=value,
            slope=np.concatenate(
                [by_threshold, np.bincount(self.groups, by_row, self.size)[1:], by_deviation]
            ),
        )

    def _mode(self, thresholds: FloatArray, effects: FloatArray, deviations: FloatArray) -> _Rows:
        """The random effects' mode, by Newton's method from where they were last; the objective is convex."""
        fixed = np.append(0.0, effects)[self.groups]
        mode = self.mode
        rows = _rows(thresholds, self.ratings, fixed + self.linear(mode, deviations))
        best = -float(rows.log_p.sum()) + 0.5 * float(mode @ mode)
        for _ in range(100):
            slope = mode - self._onto(rows.slope, deviations)
            step = self._curvature(rows.weight, deviations).solve(slope)
            gain = float(slope @ step)
            if not math.isfinite(gain):
                raise FloatingPointError("no mode")
            size = 1.0
            while True:
                trial = mode - size * step
                rows = _rows(thresholds, self.ratings, fixed + self.linear(trial, deviations))
                value = -float(rows.log_p.sum()) + 0.5 * float(trial @ trial)
                if value <= best + 1e-12 * abs(best) or size < 1e-6:
                    break
                size /= 2
            mode, best = trial, value
            if gain < 1e-10:  # the step that was just taken leaves the square of that
                break
        self.mode = mode
        return rows

    def linear(self, effects: FloatArray, deviations: FloatArray) -> FloatArray:
        """What random effects add to every row."""
        return np.asarray(deviations @ effects[self.at_rows])

    def _onto(self, rows: FloatArray, deviations: FloatArray) -> FloatArray:
        """The transpose of that."""
        sums = np.zeros(self.mode.size)
        for places, deviation in zip(self.at_rows, deviations, strict=True):
            sums += deviation * np.bincount(places, rows, sums.size)
        return sums

    def _curvature(self, weight: FloatArray, deviations: FloatArray) -> Curvature:
        def summed(name: str, *shape: int) -> FloatArray:
            pairs = self._pairs[name]
            scale = deviations[pairs.first] * deviations[pairs.second]
            weights = (scale[:, None] * weight).ravel()
            sums = np.bincount(pairs.places.ravel(), weights, math.prod(shape))
            return sums.reshape(shape).astype(np.float64, copy=False)  # of no pairs it counts

        blocks = summed("blocks", self.count, self.slots, self.slots) + np.eye(self.slots)
        joined = summed("joined", self.count, self.slots, self.width)
        border = summed("border", self.width, self.width) + np.eye(self.width)
        inverse: FloatArray = np.linalg.inv(blocks).astype(np.float64, copy=False)
        through = inverse @ joined
        flat = self.count * self.slots
        left = border - joined.reshape(flat, self.width).T @ through.reshape(flat, self.width)
        return Curvature(
            blocks=inverse,
            joined=through,
            border=np.linalg.inv(left).astype(np.float64, copy=False),
            log_det=float(np.linalg.slogdet(blocks)[1].sum() + np.linalg.slogdet(left)[1]),
        )

    def _inverse(self, curved: Curvature) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The blocks of the whole inverse, and its parts between them and the border."""
        across = curved.joined @ curved.border
        return curved.blocks + across @ np.swapaxes(curved.joined, 1, 2), -across, curved.border

    def _spread(self, curved: Curvature, deviations: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of every row the variance of its linear predictor given the data; of every term, q - tr(inverse)."""
        blocks, across, border = self._inverse(curved)
        spread = np.zeros(self.n)
        for name, part, twice in (("blocks", blocks, 1), ("joined", across, 2), ("border", border, 1)):
            pairs = self._pairs[name]
            scale = twice * deviations[pairs.first] * deviations[pairs.second]
            spread += scale @ part.ravel()[pairs.places]
        diagonal = self._diagonal(blocks, border)
        return spread, np.array([cells.size - diagonal[cells].sum() for cells in self.cells])

    def _diagonal(self, blocks: FloatArray, border: FloatArray) -> FloatArray:
        return np.concatenate([np.diagonal(blocks, axis1=1, axis2=2).ravel(), border.diagonal()])

    def ended(
        self, thresholds: FloatArray, effects: FloatArray, deviations: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, Curvature]:
        """At the end: every row's linear predictor and its variance; every place's variance; the curvature."""
        rows = self._mode(thresholds, effects, deviations)
        curved = self._curvature(rows.weight, deviations)
        blocks, _, border = self._inverse(curved)
        predictor = np.append(0.0, effects)[self.groups] + self.linear(self.mode, deviations)
        return predictor, self._spread(curved, deviations)[0], self._diagonal(blocks, border), curved


@dataclass(frozen=True)
class _Pairs:
    """Pairs of terms, and the place in a matrix to which each row adds for each pair."""

    first: IntArray
    second: IntArray
    places: IntArray


def _pair_places(
    first: Sequence[int], second: Sequence[int], row: IntArray, column: IntArray, width: int
) -> _Pairs:
    pairs = [(a, b) for a in first for b in second]
    places = [row[a] * width + column[b] for a, b in pairs]
    return _Pairs(
        first=np.array([a for a, _ in pairs], dtype=np.int64),
        second=np.array([b for _, b in pairs], dtype=np.int64),
        places=np.array(places, dtype=np.int64).reshape(len(pairs), row.shape[1]),
    )


def _blocks(terms: Sequence[Term]) -> tuple[Term | None, list[int]]:
    """The term whose cells divide others into blocks at the least cost, and the terms that it divides."""
    best: tuple[float, Term | None, list[int]] = (math.inf, None, [])
    for term in terms:
        members = [k for k, other in enumerate(terms) if within(term, other)]
        filled = np.zeros(term.size)
        for k in members:
            filled += np.bincount(cells_around(term, terms[k]), minlength=term.size)
        slots, width = filled.max(), sum(other.size for k, other in enumerate(terms) if k not in members)
        cost = float(term.size * slots * (slots + width) ** 2 + width**3)
        if cost < best[0]:
            best = cost, term, members
    return best[1], best[2]


@dataclass(frozen=True)
class _Rows:
    """Every row's log-probability and derivatives, by its linear predictor eta and by both its thresholds."""

    log_p: FloatArray
    slope: FloatArray
    """d log p / d eta."""
    weight: FloatArray
    """Minus its second derivative."""
    weight_slope: FloatArray
    by_upper: FloatArray
    """d log p by the threshold above the rating."""
    by_lower: FloatArray
    density_upper: FloatArray
    """The slope's derivative by the threshold above."""
    density_lower: FloatArray
    bend_upper: FloatArray
    """The weight's derivative by the threshold above."""
    bend_lower: FloatArray


def _rows(thresholds: FloatArray, ratings: IntArray, predictor: FloatArray) -> _Rows:
    """With u and l the thresholds above and below, less eta: log p = log F(u) + log F(-l) + log(1 - exp(l - u)).

    So the logistic link has derivatives without quotients of small numbers, however far a rating is in a tail.
    """
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    upper, lower = ends[ratings + 1] - predictor, ends[ratings] - predictor
    gap = (ends[1:] - ends[:-1])[ratings]
    above, below = expit(upper), expit(lower)
    density_upper, density_lower = above * (1 - above), below * (1 - below)
    bend_upper, bend_lower = density_upper * (1 - 2 * above), density_lower * (1 - 2 * below)
    near = 1 / np.expm1(gap)
    return _Rows(
        log_p=log_expit(upper) + log_expit(-lower) + np.log(-np.expm1(-gap)),
        slope=above + below - 1,
        weight=density_upper + density_lower,
        weight_slope=-(bend_upper + bend_lower),
        by_upper=1 - above + near,
        by_lower=-below - near,
        density_upper=density_upper,
        density_lower=density_lower,
        bend_upper=bend_upper,
        bend_lower=bend_lower,
    )


# The search


class _Search:
    """Parameters as one vector without constraints: the first threshold, logarithms of gaps, effects, deviations.

    Deviations may have either sign: the criterion does not see it, so that 0 is no boundary but where the slope
    is 0, and a variance of 0 is found as any other.
    """

    def __init__(
        self, laplace: Laplace, free: IntArray, terms: int, progress: Progress | None, tried: int = 0
    ):
        self.laplace, self.free, self.terms = laplace, free, terms
        self.progress, self.tried = progress, tried

    def unpacked(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        cuts = self.laplace.levels - 1
        thresholds = x[0] + np.append(0.0, np.cumsum(np.exp(np.clip(x[1:cuts], -30, 30))))
        deviations = np.zeros(self.terms)
        deviations[self.free] = x[cuts + self.laplace.size - 1 :]
        return thresholds, x[cuts : cuts + self.laplace.size - 1], deviations

    def packed(self, thresholds: FloatArray, effects: FloatArray, deviations: FloatArray) -> FloatArray:
        return np.concatenate([thresholds[:1], np.log(np.diff(thresholds)), effects, deviations[self.free]])

    def at(self, x: FloatArray) -> tuple[float, FloatArray]:
        """The criterion and its slope; infinite where it cannot be computed, which ends a search's step."""
        self.tried += 1
        if self.progress is not None:
            self.progress(self.tried)
        mode = self.laplace.mode
        try:
            with np.errstate(all="ignore"):
                criterion = self.laplace.at(*self.unpacked(x))
        except (np.linalg.LinAlgError, FloatingPointError):
            criterion = OrdinalCriterion(math.inf, np.zeros(0))
        if not (math.isfinite(criterion.value) and np.isfinite(criterion.slope).all()):
            self.laplace.mode = np.zeros_like(mode)
            return math.inf, np.zeros_like(x)
        cuts, size = self.laplace.levels - 1, self.laplace.size - 1
        by_threshold = criterion.slope[:cuts]
        after = np.cumsum(by_threshold[::-1])[::-1]
        slope = np.concatenate(
            [
                after[:1],
                after[1:] * np.exp(np.clip(x[1:cuts], -30, 30)),
                criterion.slope[cuts : cuts + size],
                criterion.slope[cuts + size :][self.free],
            ]
        )
        return criterion.value, slope

    def curvature(self, x: FloatArray) -> FloatArray:
        """Second derivatives, by central differences of the slope."""
        rows = [
            (self.at(x + STEP * unit)[1] - self.at(x - STEP * unit)[1]) / (2 * STEP)
            for unit in np.eye(x.size)
        ]
        matrix = np.array(rows).reshape(x.size, x.size)
        return np.asarray((matrix + matrix.T) / 2)

    def descend(self, x: FloatArray) -> FloatArray:
        """Quasi-Newton steps in units in which the criterion is bent alike in all directions at the start."""
        from scipy.optimize import minimize

        slope = self.at(x)[1]
        rows = np.array([self.at(x + STEP * unit)[1] - slope for unit in np.eye(x.size)]) / STEP
        values, vectors = np.linalg.eigh((rows + rows.T) / 2)
        unit = vectors / np.sqrt(np.maximum(np.abs(values), 1e-4 * np.abs(values).max()))

        def criterion(z: FloatArray) -> tuple[float, FloatArray]:
            value, slope = self.at(x + unit @ z)
            return value, unit.T @ slope

        with np.errstate(all="ignore"):
            done = minimize(
                criterion, np.zeros(x.size), jac=True, method="BFGS", options={"gtol": 1e-3, "maxiter": 500}
            )
        return np.asarray(x + unit @ done.x)

    def polish(self, x: FloatArray) -> tuple[FloatArray, float, FloatArray]:
        """Newton steps at the end, what another one would gain, and the curvature there."""
        bent, gain = np.zeros((0, 0)), math.inf
        for _ in range(MOST_STEPS):
            value, slope = self.at(x)
            if not gain < NEAR:
                bent = self.curvature(x)
            step = np.linalg.pinv(bent, hermitian=True) @ slope
            gain = 0.5 * abs(float(slope @ step))
            size = 1.0
            if gain >= SETTLED:
                while size > SMALLEST and not self.at(x - size * step)[0] <= value:
                    size /= 2
            if gain < SETTLED or size <= SMALLEST:
                break
            x = x - size * step
        return x, gain, bent


# Fits


@dataclass(frozen=True)
class OrdinalFit:
    """A fitted cumulative link mixed model. Where there is none, numbers are NaN and `why` says why."""

    levels: FloatArray
    """The values that occur, ascending."""
    n: int
    deviations: FloatArray
    """Standard deviations of the random terms."""
    thresholds: FloatArray = field(default_factory=lambda: np.zeros(0))
    """One fewer, on the latent scale."""
    effects: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Of every group; the first is 0."""
    covariance: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """Of the thresholds and the effects but the first."""
    modes: tuple[FloatArray, ...] = ()
    """Of every random term and each of its observed cells: the conditional mode."""
    mode_errors: tuple[FloatArray, ...] = ()
    """Their standard deviations given the data and the parameters."""
    log_likelihood: float = math.nan
    why: str | None = None
    end: OrdinalEnd | None = field(default=None, repr=False, compare=False)

    def contrasts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Combinations of the groups' effects, a row of weights each, and their standard errors."""
        cuts = self.thresholds.size
        part = weights[:, 1:]
        variance = np.einsum("ij,jk,ik->i", part, self.covariance[cuts:, cuts:], part)
        return weights @ self.effects, np.sqrt(variance)


@dataclass(frozen=True)
class OrdinalEnd:
    """Where the search ended, for predictions."""

    laplace: Laplace
    predictor: FloatArray
    """Every row's linear predictor at the mode."""
    spread: FloatArray
    """Its variance given the data."""
    curved: Curvature


def fit_ordinal(
    values: npt.ArrayLike,
    factors: Sequence[npt.ArrayLike],
    *,
    fixed: int,
    random: Sequence[Sequence[int]] = (),
    start: npt.ArrayLike | None = None,
    names: Sequence[str] = (),
    progress: Progress | None = None,
) -> OrdinalFit:
    """Fit by maximum likelihood, as clmm(rating ~ system + (1 | topic) + (1 | assessor)); without random terms as clm.

    `fixed` is the position of the factor whose levels have effects; every one of them occurs. `random` are terms as in
    model.py. `start` are standard deviations to begin with, as ratios to the noise, such as a linear model's. NaN
    values are left out. `names` are what random terms are called in a reason. `progress` hears of every step.
    """
    keys = [tuple(sorted(key)) for key in random]
    model = LinearModel(values, factors, [(fixed,), *keys])
    if not model.n:
        return _undefined(np.zeros(0), len(keys), 0, "there are no ratings")
    levels, ratings = np.unique(model.scores, return_inverse=True)
    groups = model.factors[fixed]
    if levels.size < 2:
        return _undefined(levels, len(keys), model.n, "all ratings are the same")
    if np.unique(groups).size <= groups.max():
        raise UsageError(f"factors[{fixed}]: a level has no rating; count levels from 0 without gaps")
    apart = separation(ratings, groups)
    if apart is not None:
        return _undefined(levels, len(keys), model.n, "no group overlaps enough with the others")
    ratios = np.full(len(keys), 0.5) if start is None else checks.numbers("start", start, dimensions=1)
    if ratios.size != len(keys):
        raise UsageError(f"start: {ratios.size} ratios for {len(keys)} random terms")
    laplace = Laplace(ratings.reshape(-1).astype(np.int64), groups, [model.term(key) for key in keys])
    names = names or [f"random term {k}" for k in range(1, len(keys) + 1)]
    with one_thread(laplace.width):
        return _fitted(laplace, levels, np.clip(ratios, 0.2, 3.0), names, progress)


def _fitted(
    laplace: Laplace, levels: FloatArray, ratios: FloatArray, names: Sequence[str], progress: Progress | None
) -> OrdinalFit:
    terms = ratios.size
    shares = np.cumsum(np.bincount(laplace.ratings, minlength=laplace.levels))[:-1] / laplace.n
    thresholds = logit(shares) * math.sqrt(1 + float(ratios @ ratios))
    search = _Search(laplace, np.arange(terms), terms, progress)
    x = search.packed(thresholds, np.zeros(laplace.size - 1), LOGISTIC * ratios)
    x = search.descend(x)
    search, x = _at_zero(search, x)
    x, gain, bent = search.polish(x)
    thresholds, effects, deviations = search.unpacked(x)
    if deviations.size and np.abs(deviations).max() > TOO_FAR:
        far = int(np.abs(deviations).argmax())
        return _undefined(
            levels, terms, laplace.n, f"the standard deviation of {names[far]} grows without bound"
        )
    if not gain < 1e-4:
        return _undefined(levels, terms, laplace.n, "the search for the maximum did not converge")
    value, _ = search.at(x)
    covariance = _covariance(search, x, bent)
    if covariance is None:
        return _undefined(
            levels, terms, laplace.n, "the likelihood is flat at its maximum: no standard errors"
        )
    deviations = np.abs(deviations)
    laplace.mode = np.zeros_like(laplace.mode)  # of the signs as they are now
    predictor, spread, variances, curved = laplace.ended(thresholds, effects, deviations)
    return OrdinalFit(
        levels=levels,
        thresholds=thresholds,
        effects=np.append(0.0, effects),
        covariance=covariance,
        deviations=deviations,
        modes=tuple(d * laplace.mode[cells] for d, cells in zip(deviations, laplace.cells, strict=True)),
        mode_errors=tuple(
            d * np.sqrt(variances[cells]) for d, cells in zip(deviations, laplace.cells, strict=True)
        ),
        log_likelihood=-value,
        n=laplace.n,
        end=OrdinalEnd(laplace=laplace, predictor=predictor, spread=spread, curved=curved),
    )


def _at_zero(search: _Search, x: FloatArray) -> tuple[_Search, FloatArray]:
    """Small standard deviations are 0 where that is as good: all of them, or else one after the other."""
    deviations = np.abs(search.unpacked(x)[2])
    small = [
        k for k in search.free[np.argsort(deviations[search.free])].tolist() if deviations[k] < NEAR_ZERO
    ]
    for out in (small, *([k] for k in small)) if small else ():
        if not set(out) <= set(search.free.tolist()):
            continue
        fewer = _Search(
            search.laplace,
            search.free[~np.isin(search.free, out)],
            search.terms,
            search.progress,
            search.tried,
        )
        value, _ = search.at(x)
        without = fewer.descend(fewer.packed(*search.unpacked(x)))
        if fewer.at(without)[0] <= value + 1e-7:
            search, x = fewer, without
        search.tried = fewer.tried
    return search, x


def _covariance(search: _Search, x: FloatArray, curvature: FloatArray) -> FloatArray | None:
    """Of thresholds and effects, from the curvature by all parameters; thresholds from their gaps."""
    try:
        np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return None
    cuts, size = search.laplace.levels - 1, search.laplace.levels + search.laplace.size - 2
    turn = np.eye(size)
    gaps = np.append(1.0, np.exp(x[1:cuts]))
    turn[:cuts, :cuts] = np.tril(np.ones((cuts, cuts))) * gaps
    return np.asarray(turn @ np.linalg.inv(curvature)[:size, :size] @ turn.T)


def _undefined(levels: FloatArray, terms: int, n: int, why: str) -> OrdinalFit:
    return OrdinalFit(levels=levels, n=n, deviations=np.full(terms, math.nan), why=why)


def separation(ratings: npt.ArrayLike, groups: npt.ArrayLike) -> tuple[list[int], list[int]] | None:
    """Groups so far apart that their distance has no finite estimate: the lower ones and the upper ones.

    That is where, for some level, all ratings of the one are at most there and all ratings of the other at least: every
    shift of the upper groups, and of the thresholds above the level, makes all ratings more likely, whatever the random
    effects are. The smaller side is as small as can be.
    """
    ratings, groups = np.asarray(ratings), np.asarray(groups)
    size = int(groups.max()) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, groups, ratings)
    np.maximum.at(high, groups, ratings)
    best: tuple[list[int], list[int]] | None = None
    for level in np.unique(ratings):
        below, above = high <= level, low >= level
        if not (below | above).all():
            continue
        either = np.flatnonzero(below & above).tolist()
        lower = np.flatnonzero(below & ~above).tolist()
        upper = np.flatnonzero(above & ~below).tolist()
        # Those that fit on either side stand with the larger one, unless the other would be empty.
        for one in ((lower + either, upper), (lower, upper + either)):
            if all(one) and (best is None or min(map(len, one)) < min(map(len, best))):
                best = sorted(one[0]), sorted(one[1])
    return best


# What the model expects, and whether the ratings look like it

NODES = 31
"""Of Gauss-Hermite quadrature over one normal variable."""


def level_shares(thresholds: FloatArray, at: npt.ArrayLike, spread: npt.ArrayLike) -> FloatArray:
    """How often each level is expected where the linear predictor is normal about `at` with this variance."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    centre, variance = np.broadcast_arrays(np.asarray(at, dtype=float), np.asarray(spread, dtype=float))
    predictor = centre[..., None] + np.sqrt(np.maximum(variance, 0.0))[..., None] * nodes
    below = expit(thresholds[:, None] - predictor[..., None, :]) @ (weights / weights.sum())
    ends = np.zeros((*centre.shape, 1))
    return np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1)


@dataclass(frozen=True)
class ScaleCheck:
    """How often each level was given in each group of rows, and how often the fitted model expects it.

    The statistic is Freeman and Tukey's, 4 times the sum of (sqrt(observed) - sqrt(expected))^2, to which levels that
    are hardly expected add little. p compares it with ratings drawn from the fitted model, the random effects from
    their distribution given the data (a posterior predictive check; Gelman, Meng and Stern 1996).
    Nothing is fitted again, so that p is rather too large than too small.
    """

    observed: IntArray
    """Groups x levels."""
    expected: FloatArray
    statistic: float
    p: float
    resamples: int
    power: float
    """How often the check finds one group whose ratings have twice the noise of the others."""


def scale_check(
    fit: OrdinalFit, groups: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 499
) -> ScaleCheck:
    """Do groups of rows (systems, assessors) use the scale as the model says, but for a shift of each?"""
    if fit.end is None:
        raise UsageError(f"there is no fitted model: {fit.why}")
    codes = np.asarray(groups, dtype=np.int64)
    laplace, size, levels = fit.end.laplace, int(codes.max()) + 1, fit.levels.size
    shares = level_shares(fit.thresholds, fit.end.predictor, fit.end.spread)
    expected = np.array([np.bincount(codes, column, size) for column in shares.T]).T
    root = np.sqrt(expected)

    def counts(ratings: IntArray) -> IntArray:
        return np.bincount(codes * levels + ratings, minlength=size * levels).reshape(size, levels)

    def distance(observed: IntArray) -> float:
        return 4 * float(((np.sqrt(observed) - root) ** 2).sum())

    observed = counts(laplace.ratings)
    statistic = distance(observed)
    fixed = fit.effects[laplace.groups]
    # Draws of the random effects given the data are normal about their mode with the curvature there.
    curved, mode = fit.end.curved, laplace.mode.copy()
    blocks, border = np.linalg.cholesky(curved.blocks), np.linalg.cholesky(curved.border)

    def draw() -> FloatArray:
        outer = border @ rng.standard_normal(laplace.width)
        inner = np.einsum("tkl,tl->tk", blocks, rng.standard_normal((laplace.count, laplace.slots)))
        return np.asarray(mode + np.concatenate([(inner - curved.joined @ outer).ravel(), outer]))

    # What a group with twice the noise gives is drawn beside, so that p does not depend on it.
    [aside] = rng.spawn(1)
    as_fitted, as_violated = np.empty(resamples), np.empty(resamples)
    with one_thread(laplace.width):
        for k in range(resamples):
            predictor = fixed + laplace.linear(draw(), fit.deviations)
            noise = rng.logistic(size=predictor.size)
            as_fitted[k] = distance(counts(np.searchsorted(fit.thresholds, predictor + noise)))
            noise = noise * np.where(codes == aside.integers(size), 2, 1)
            as_violated[k] = distance(counts(np.searchsorted(fit.thresholds, predictor + noise)))
    larger = int((as_fitted >= statistic * (1 - 1e-12)).sum())
    return ScaleCheck(
        observed=observed,
        expected=expected,
        statistic=statistic,
        p=(larger + 1) / (resamples + 1),
        resamples=resamples,
        power=float((as_violated > np.quantile(as_fitted, 0.95)).mean()),
    )
