"""How sure Bradley-Terry strengths are: standard errors from the curvature, and the bootstrap over answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError, quoted
from adjudge.core.words import counted
from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated
from adjudge.stats.preference.bradley_terry import REGULARISER, Strengths, climb
from adjudge.stats.preference.duels import Duels, of_pairs, packed, parts, with_opponent

Unit = Literal["answer", "cluster"]

_TOLERANCE = 1e-8  # of the last step; the error is about its square
_MOST = 1000


def standard_errors(wins: npt.ArrayLike, strengths: Strengths) -> FloatArray:
    """Of log strengths that sum to zero: from the inverse of minus the second derivatives (the Hessian).

    They rest on wins being counts of independent answers; a matrix that knowledge was propagated in holds none. An
    explicit regulariser counts as answers. NaN for all where `no_standard_errors` has a reason.
    """
    n = len(strengths.values)
    duels = packed(wins)
    if duels.n != n:
        raise UsageError(f"strengths: expected those of {duels.n} items, got {n}")
    if no_standard_errors(strengths):
        return np.full(n, np.nan)
    if n == 1:
        return np.zeros(1)
    values = strengths.values
    if strengths.regularised:
        duels = with_opponent(duels, strengths.regularised)
        values = np.append(values, strengths.opponent)
    share = values[duels.first] / (values[duels.first] + values[duels.second])
    weights = (duels.up + duels.down) * share * (1 - share)
    information = np.zeros((duels.n, duels.n))
    information[duels.first, duels.second] = information[duels.second, duels.first] = -weights
    degree = -information.sum(axis=1)
    np.fill_diagonal(information, degree)
    # All strengths can move together freely; holding that down changes nothing once the mean is taken off.
    inverse = np.linalg.inv(information + degree.mean() / duels.n)[:n, :n]
    centred = inverse - inverse.mean(axis=0) - inverse.mean(axis=1)[:, None] + inverse.mean()
    return np.asarray(np.sqrt(np.maximum(np.diag(centred), 0.0)))


def no_standard_errors(strengths: Strengths) -> str | None:
    """Why there are none, or nothing."""
    if not strengths.connected:
        return "no standard errors: there is no finite maximum, so the curvature is the regulariser's, not the answers'"
    return None


@dataclass(frozen=True)
class Bootstrapped:
    """Log strengths of resamples of the answers, a row each; every row sums to zero."""

    logs: FloatArray
    by: Unit
    units: int
    """How many answers, or clusters, were drawn each time, out of as many."""
    regularised: int = 0
    """Resamples that were regularised only because their items were not strongly connected."""
    undefined: int = 0
    """Resamples without a finite maximum where regularising was forbidden: rows of NaN that nothing is made of."""
    why: str | None = None
    """Why there is nothing: then all is NaN."""

    def intervals(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Percentile intervals of the log strengths, low and high. Efron and Tibshirani 1993, ch. 13."""
        if not 0 < level < 1:
            raise UsageError(f"level: expected a number between 0 and 1, got {level!r}")
        if not len(self._kept):
            return (np.full(self.logs.shape[1], np.nan),) * 2
        low, high = np.quantile(self._kept, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high

    @cached_property
    def _kept(self) -> FloatArray:
        return self.logs[~np.isnan(self.logs).any(axis=1)]

    def words(self) -> str:
        """What was drawn, and what had to be done about it, in a sentence."""
        if self.why:
            return f"No bootstrap: {self.why}."
        count = len(self.logs)
        text = f"{counted(count, 'bootstrap resample')} of {counted(self.units, self.by)}"
        if self.regularised:
            text += (
                f", {self.regularised:,} of them regularised ({REGULARISER:g} wins and losses for every item)"
            )
            text += " because they were not strongly connected"
        if self.undefined:
            text += f", {self.undefined:,} of them left out because they have no finite maximum"
        return f"{text}."


def bootstrap(
    answers: PairAnswers,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    by: Unit = "answer",
    similarity: FloatArray | None = None,
    regularise: float | None = None,
) -> Bootstrapped:
    """Strengths of resamples: answers, or whole clusters of them, drawn with replacement and fitted again.

    Percentiles of few clusters are too narrow: with 3 to 5 of them `contrasts` has intervals that hold.

    With a `similarity` each resample is propagated. `regularise` is as in `fit`; with 0, a resample without a finite
    maximum is left out. The draws of a resample depend on the generator and on its number alone.
    """
    if by not in get_args(Unit):
        raise UsageError(f"by: unknown value {quoted(by)}; expected one of {', '.join(get_args(Unit))}")
    if resamples < 1:
        raise UsageError(f"resamples: expected a whole number of at least 1, got {resamples!r}")
    unit = np.arange(len(answers)) if by == "answer" else np.unique(answers.cluster, return_inverse=True)[1]
    units = int(unit.max(initial=-1)) + 1
    if units < 2:
        why = f"needs two {by}s, has one" if units else "there are no answers"
        return Bootstrapped(np.full((resamples, answers.n), np.nan), by, units, why=why)
    duels = _duels(answers, similarity)
    start = _strengths(duels(np.ones(len(answers))), regularise or None)[0]
    logs = np.empty((resamples, answers.n))
    lonely = 0
    for k in range(resamples):
        drawn = np.bincount(rng.integers(0, units, size=units), minlength=units)
        values, connected = _strengths(duels(drawn[unit].astype(np.float64)), regularise, start)
        logs[k] = np.log(values / np.exp(np.log(values).mean()))
        lonely += not connected
    return Bootstrapped(
        logs, by, units, lonely if regularise is None else 0, lonely if regularise == 0 else 0
    )


def _strengths(
    duels: Duels, regularise: float | None, start: FloatArray | None = None
) -> tuple[FloatArray, bool]:
    """Strengths as in `fit`, without a bound (NaN where there are none), and whether the items are connected."""
    connected = not parts(duels).any()
    if regularise == 0 and not connected:
        return np.full(duels.n, np.nan), connected
    scale = (0.0 if connected else REGULARISER) if regularise is None else regularise
    if scale:
        duels = with_opponent(duels, scale)
        start = None if start is None else np.append(start, 1.0)
    values = climb(duels, start, tolerance=_TOLERANCE, most=_MOST, certify=False).values
    return values[:-1] if scale else values, connected


def _duels(answers: PairAnswers, similarity: FloatArray | None) -> Callable[[FloatArray], Duels]:
    """The duels when each answer counts so many times. Without a similarity the pairs are found once."""
    if similarity is not None:
        return lambda times: packed(propagated(replace(answers, weight=answers.weight * times), similarity))
    low, high = np.minimum(answers.first, answers.second), np.maximum(answers.first, answers.second)
    keys, pair = np.unique(low * answers.n + high, return_inverse=True)
    up = answers.weight * np.where(answers.first < answers.second, answers.won, 1 - answers.won)
    down = answers.weight - up
    empty = of_pairs(answers.n, keys // answers.n, keys % answers.n, np.zeros(len(keys)), np.zeros(len(keys)))

    def total(side: FloatArray, times: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(pair, side * times, len(keys)), np.float64)

    return lambda times: empty.but(total(up, times), total(down, times))
