"""Likelihoods of answers to pairs: ties as half wins, by Davidson or by Rao and Kupper; with an effect of position.

With log strengths l, item i shown first and item j second, let e = l_i - l_j + d, where d is the effect of being shown
first (0 without one). The chances of the first, of a tie and of the second are

    half         s(e), none, s(-e): a tie counts as half a win each           s(x) = 1 / (1 + exp(-x))
    davidson     exp(e/2), nu, exp(-e/2), divided by their sum                Davidson 1970; Davidson and Beaver 1977
    rao-kupper   s(e - t), the rest, s(-e - t), with theta = exp(t) > 1       Rao and Kupper 1967

All three log-likelihoods are concave in l, d and log nu or t, so Newton's steps find the maximum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import expit, log_expit

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers

TieModel = Literal["half", "davidson", "rao-kupper"]
TIE_MODELS: tuple[TieModel, ...] = get_args(TieModel)

MOST = 200  # of Newton's steps; along a way without end the log-likelihood gains e times less each time
SMALL = 1e-12  # of a gain in log-likelihood, beside 1 + its size
LONGEST = 4.0  # of a step, in log strengths


class Slopes(NamedTuple):
    """First derivatives and the observed information, over log strengths, position, tie parameter."""

    gradient: FloatArray
    information: FloatArray


@dataclass(frozen=True)
class PairLikelihood:
    """Counts of wins of the first, ties and wins of the second, in rows, with the model that they are read by.

    `unit` numbers what is independent: clusters, or answers. A point is a vector of the n log strengths, then the
    effect of position, then log nu or t, the last two where the model has them.
    """

    n: int
    first: IntArray
    second: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    unit: IntArray
    model: TieModel = "half"
    position: bool = False

    @property
    def threshold(self) -> bool:
        """Whether there is a parameter of ties."""
        return self.model != "half"

    @property
    def size(self) -> int:
        return self.n + self.position + self.threshold

    @property
    def weight(self) -> FloatArray:
        return self.wins + self.ties + self.losses

    def take(self, rows: np.ndarray) -> PairLikelihood:
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            wins=self.wins[rows],
            ties=self.ties[rows],
            losses=self.losses[rows],
            unit=self.unit[rows],
        )

    def start(self) -> FloatArray:
        point = np.zeros(self.size)
        if self.threshold:
            point[-1] = 0.5
        return point

    def away(self, point: FloatArray) -> FloatArray:
        """e of every row."""
        shift = point[self.n] if self.position else 0.0
        return np.asarray(point[self.first] - point[self.second] + shift)

    def logs(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of every row, the logarithms of the chances of the first and of the second."""
        away = self.away(point)
        if self.model == "davidson":
            total = np.logaddexp(np.logaddexp(away / 2, -away / 2), point[-1])
            return np.asarray(away / 2 - total), np.asarray(-away / 2 - total)
        tie = point[-1] if self.threshold else 0.0
        return np.asarray(log_expit(away - tie)), np.asarray(log_expit(-away - tie))

    def value(self, point: FloatArray) -> float:
        """The log-likelihood; minus infinity where the tie parameter is not allowed."""
        away = self.away(point)
        if self.model == "half":
            return float(self.wins @ log_expit(away) + self.losses @ log_expit(-away))
        tie = point[-1]
        if self.model == "davidson":
            total = np.logaddexp(np.logaddexp(away / 2, -away / 2), tie)
            return float((self.wins - self.losses) @ away / 2 + self.ties.sum() * tie - self.weight @ total)
        if tie <= 0:
            return -np.inf
        up, down = self.wins + self.ties, self.losses + self.ties
        more = self.ties.sum() * (
            2 * tie + np.log1p(-np.exp(-2 * tie))
        )  # log(e^2t - 1), which may not overflow
        return float(up @ log_expit(away - tie) + down @ log_expit(-away - tie) + more)

    def slopes(self, point: FloatArray) -> Slopes:
        return self._summed(*self.row_slopes(point))

    def row_slopes(self, point: FloatArray) -> tuple[FloatArray, ...]:
        """Of every row: by e, by e twice; then by the tie parameter, by both, by it twice, where there is one.

        The first derivatives are of the log-likelihood, the second ones of its negative.
        """
        away = self.away(point)
        if self.model == "half":
            chance = expit(away)
            by_away = self.wins * expit(-away) - self.losses * chance
            return by_away, self.weight * chance * (1 - chance)
        tie = point[-1]
        if self.model == "davidson":
            logs = np.array([away / 2, -away / 2, np.full(len(away), tie)])
            one, two, none = np.exp(logs - np.logaddexp.reduce(logs))
            by_away = (self.wins - self.losses - self.weight * (one - two)) / 2
            return (
                by_away,
                self.weight * (one + two - (one - two) ** 2) / 4,
                self.ties - self.weight * none,
                -self.weight * none * (one - two) / 2,
                self.weight * none * (1 - none),
            )
        up, down = self.wins + self.ties, self.losses + self.ties
        one, two = expit(away - tie), expit(-away - tie)
        bent_up, bent_down = up * one * (1 - one), down * two * (1 - two)
        return (
            up * (1 - one) - down * (1 - two),
            bent_up + bent_down,
            -up * (1 - one) - down * (1 - two) + self.ties * 2 / -np.expm1(-2 * tie),
            bent_down - bent_up,
            bent_up + bent_down + self.ties * 4 * np.exp(-2 * tie) / np.expm1(-2 * tie) ** 2,
        )

    def _summed(
        self,
        by_away: FloatArray,
        away_away: FloatArray,
        by_tie: FloatArray | None = None,
        away_tie: FloatArray | None = None,
        tie_tie: FloatArray | None = None,
    ) -> Slopes:
        n, size = self.n, self.size
        gradient, information = np.zeros(size), np.zeros((size, size))
        gradient[:n] = self._ends(by_away)
        cells = np.bincount(self.first * n + self.second, away_away, n * n).reshape(n, n)
        cells = cells + cells.T
        information[:n, :n] = np.diag(cells.sum(axis=1)) - cells
        if self.position:
            gradient[n] = by_away.sum()
            information[n, n] = away_away.sum()
            information[n, :n] = information[:n, n] = self._ends(away_away)
        if by_tie is not None and away_tie is not None and tie_tie is not None:
            gradient[-1] = by_tie.sum()
            information[-1, -1] = tie_tie.sum()
            information[-1, :n] = information[:n, -1] = self._ends(away_tie)
            if self.position:
                information[-1, n] = information[n, -1] = away_tie.sum()
        return Slopes(gradient=gradient, information=information)

    def _ends(self, values: FloatArray) -> FloatArray:
        """Every row's value added to its first item and taken from its second."""
        return np.asarray(
            np.bincount(self.first, values, self.n) - np.bincount(self.second, values, self.n), np.float64
        )


def likelihood_of(
    answers: PairAnswers, unit: IntArray, *, ties: TieModel = "half", position: bool = False
) -> PairLikelihood:
    """The answers' likelihood; answers to the same pair in the same unit are added up.

    A tie model without a tie to fit is plain Bradley-Terry: the likelihood grows as the tie parameter goes to its end.
    """
    if ties not in TIE_MODELS:
        raise UsageError(f"ties: unknown value {quoted(ties)}; expected one of {', '.join(TIE_MODELS)}")
    tied = answers.won == 0.5
    if ties != "half" and not np.all(tied | (answers.won == 0) | (answers.won == 1)):
        raise DataError(
            f"ties: {ties} knows a win, a tie and a loss; an answer is worth another share of a win"
        )
    if ties != "half" and not answers.weight[tied].sum() > 0:
        ties = "half"
    turn = (answers.first > answers.second) & (not position)
    first = np.where(turn, answers.second, answers.first)
    second = np.where(turn, answers.first, answers.second)
    won = np.where(turn, 1 - answers.won, answers.won)
    keys, row = np.unique(np.stack([unit, first, second]), axis=1, return_inverse=True)
    row = row.ravel()

    def total(share: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(row, answers.weight * share, keys.shape[1]), np.float64)

    half = ties == "half"
    return PairLikelihood(
        n=answers.n,
        unit=keys[0],
        first=keys[1],
        second=keys[2],
        wins=total(won if half else (won == 1).astype(np.float64)),
        ties=total(np.zeros(len(won)) if half else tied.astype(np.float64)),
        losses=total(1 - won if half else (won == 0).astype(np.float64)),
        model=ties,
        position=position,
    )


def merged(like: PairLikelihood) -> PairLikelihood:
    """The same likelihood, with rows of all units added up."""
    keys, row = np.unique(like.first * like.n + like.second, return_inverse=True)

    def total(counts: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(row, counts, len(keys)), np.float64)

    return replace(
        like,
        first=keys // like.n,
        second=keys % like.n,
        unit=np.zeros(len(keys), np.int64),
        wins=total(like.wins),
        ties=total(like.ties),
        losses=total(like.losses),
    )


def held(information: FloatArray, part: IntArray) -> FloatArray:
    """The information with the strengths of every part held at their mean, so that it can be inverted."""
    n = len(part)
    same = part[:, None] == part
    pinned = information.copy()
    scale = max(float(np.diag(information)[:n].max(initial=0.0)), np.finfo(float).tiny)
    pinned[:n, :n] += scale * same / same.sum(axis=1)
    return pinned


class Top(NamedTuple):
    """Where the log-likelihood is largest."""

    point: FloatArray
    value: float
    pull: float
    """By how much the largest log-likelihood grows with the number that a contrast is held at; 0 without one."""


def climb_model(
    like: PairLikelihood,
    part: IntArray,
    *,
    start: FloatArray | None = None,
    contrast: FloatArray | None = None,
    at: float = 0.0,
) -> Top:
    """The maximum by Newton's steps, halved until they go up; with `contrast`, among points where it is `at`.

    A contrast is of the strengths, or of these and the effect of position.
    `part` says which strengths are held together: one mean of 0 for each. Where there is no finite maximum the point
    goes far out, until the log-likelihood gains nothing more.
    """
    point = like.start() if start is None else start.copy()
    if contrast is not None:
        # Any way onto the plane will do; this one moves no further than it must.
        strengths = point[: len(contrast)]
        strengths += contrast * (at - contrast @ strengths) / (contrast @ contrast)
    value, pull, quiet = like.value(point), 0.0, 0
    for _ in range(MOST):
        gradient, information = like.slopes(point)
        step, multiplier = _step(gradient, held(information, part), contrast)
        if not (np.isfinite(step).all() and math.isfinite(multiplier)):
            break  # so far out that the log-likelihood is flat: there is no way up
        pull = multiplier
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        far = 1.0
        while (best := like.value(point + far * step)) < value and far > 1e-6:
            far /= 2
        if best < value:
            break
        quiet = quiet + 1 if best - value <= SMALL * (1 + abs(value)) else 0
        value, point = best, point + far * step
        if quiet == 2:  # one step more, which squares what is left
            break
    return Top(point=point, value=value, pull=pull)


def _step(gradient: FloatArray, matrix: FloatArray, contrast: FloatArray | None) -> tuple[FloatArray, float]:
    """Newton's step, and how strongly the contrast is pulled where it is held (Lagrange's multiplier)."""
    size = len(gradient)
    ridge = 1e-12 * float(np.diag(matrix).max())
    matrix = matrix + ridge * np.eye(size)
    if contrast is None:
        return np.asarray(np.linalg.solve(matrix, gradient)), 0.0
    held_at = np.zeros(size)
    held_at[: len(contrast)] = contrast
    both = np.linalg.solve(matrix, np.column_stack([gradient, held_at]))
    with np.errstate(
        invalid="ignore", over="ignore", divide="ignore"
    ):  # where nearly nothing is left to go by
        multiplier = float(held_at @ both[:, 0] / (held_at @ both[:, 1]))
        return np.asarray(both[:, 0] - multiplier * both[:, 1]), multiplier


def regularised(like: PairLikelihood, often: float) -> PairLikelihood:
    """One item more, the last: every other one wins and loses so often against it, shown first as often as second."""
    every, last = np.arange(like.n), np.full(like.n, like.n)
    counts = np.full(2 * like.n, often / 2)

    def more(rows: np.ndarray, new: np.ndarray) -> np.ndarray:
        return np.concatenate([rows, new])

    return replace(
        like,
        n=like.n + 1,
        first=more(like.first, np.concatenate([every, last])),
        second=more(like.second, np.concatenate([last, every])),
        wins=more(like.wins, counts),
        ties=more(like.ties, np.zeros(2 * like.n)),
        losses=more(like.losses, counts),
        unit=more(like.unit, np.full(2 * like.n, -1)),
    )
