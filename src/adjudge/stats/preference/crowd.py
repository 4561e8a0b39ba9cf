"""Strengths of items and reliabilities of assessors, estimated together (Crowd-BT).

Chen, Bennett, Collins-Thompson and Horvitz (2013) add one number per assessor to Bradley and Terry's model: assessor
k says the truth of the model with probability eta_k, and the opposite otherwise,

    P(k prefers i to j) = eta_k p_ij + (1 - eta_k) (1 - p_ij),     p_ij = v_i / (v_i + v_j).

An eta of 1 is a good assessor, 0.5 one who clicks at random, 0 one who has mixed up the buttons. The estimate is the
mode of the posterior under two priors. Every eta has a Beta(9, 2) distribution, as if each assessor had been seen to
give eight true answers and one false one already: this also decides between a solution and its mirror image (all etas
and all strengths turned over), which explain answers equally well. Every item has won and lost `regularise` times
against an opponent of strength 1 that is not there, as in bradley_terry.py.

It is written here because crowd-kit has another model (NoisyBradleyTerry, with a bias in place of the opposite answer),
seeds NumPy's global generator, gives no standard errors, and brings nltk, pyarrow, scikit-learn and transformers along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit, xlogy

from adjudge.core.errors import UsageError
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.bradley_terry import REGULARISER, Strengths, fit


@dataclass(frozen=True)
class CrowdPosterior:
    """Minus the log posterior of (log strengths, reliabilities), with its derivatives.

    Constants are left out. A tie is half an answer each way. `who` numbers those who answered; the number after the
    last one stands for unknown assessors, whose eta is 1.
    """

    answers: PairAnswers
    who: IntArray
    assessors: int
    scale: float
    prior: tuple[float, float]

    def chances(
        self, log: FloatArray, eta: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """p that the first one is better, eta of who answered, P(first was preferred) and P(second was)."""
        gap = log[self.answers.first] - log[self.answers.second]
        better, worse = expit(gap), expit(-gap)
        reliability = np.append(eta, 1.0)[self.who]
        return (
            better,
            reliability,
            reliability * better + (1 - reliability) * worse,
            reliability * worse + (1 - reliability) * better,
        )

    def value(self, log: FloatArray, eta: FloatArray) -> float:
        _, _, first, second = self.chances(log, eta)
        won, weight = self.answers.won, self.answers.weight
        likelihood = weight @ (xlogy(won, first) + xlogy(1 - won, second))
        held = self.scale * float(np.sum(log_expit(log) + log_expit(-log)))
        a, b = self.prior
        return -float(likelihood + held + np.sum(xlogy(a - 1, eta) + xlogy(b - 1, 1 - eta)))

    def slopes(self, log: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        better, reliability, first, second = self.chances(log, eta)
        by_chance = self._by_chance(first, second)
        by_gap = by_chance * (2 * reliability - 1) * better * (1 - better)
        n = self.answers.n
        by_log = np.bincount(self.answers.first, by_gap, minlength=n) - np.bincount(
            self.answers.second, by_gap, minlength=n
        )
        by_eta = np.bincount(self.who, by_chance * (2 * better - 1), minlength=self.assessors + 1)[:-1]
        a, b = self.prior
        held = self.scale * (1 - 2 * expit(log))
        return -(by_log + held), -(by_eta + (a - 1) / eta - (b - 1) / (1 - eta))

    def _by_chance(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """The derivative of the log likelihood by P(first was preferred), answer by answer."""
        won, weight = self.answers.won, self.answers.weight
        return np.asarray(weight * (won / first - (1 - won) / second))

    def hessian(self, log: FloatArray, eta: FloatArray) -> FloatArray:
        """Second derivatives by log strengths, then reliabilities."""
        n = self.answers.n
        better, reliability, first, second = self.chances(log, eta)
        won, weight = self.answers.won, self.answers.weight
        slope, bend = self._by_chance(first, second), -weight * (won / first**2 + (1 - won) / second**2)
        steep = better * (1 - better)
        along, across = (2 * reliability - 1) * steep, 2 * better - 1
        gaps = -(bend * along**2 + slope * along * (1 - 2 * better))
        both = -(bend * along * across + slope * 2 * steep)
        one, other, by = self.answers.first, self.answers.second, n + self.who
        matrix = np.zeros((n + self.assessors + 1,) * 2)
        for rows, columns, values in (
            (one, one, gaps),
            (other, other, gaps),
            (one, other, -gaps),
            (other, one, -gaps),
            (one, by, both),
            (by, one, both),
            (other, by, -both),
            (by, other, -both),
            (by, by, -bend * across**2),
        ):
            np.add.at(matrix, (rows, columns), values)
        items, people = np.arange(n), np.arange(n, n + self.assessors)
        a, b = self.prior
        matrix[items, items] += 2 * self.scale * expit(log) * expit(-log)
        matrix[people, people] += (a - 1) / eta**2 + (b - 1) / (1 - eta) ** 2
        return matrix[:-1, :-1]  # the last one stands for answers by unknown assessors


PRIOR = (9.0, 2.0)
"""Of reliabilities: the two parameters of a Beta distribution."""
FARTHEST = 20.0
"""Reliabilities stop at log odds of this size: 1 less 2e-9."""


@dataclass(frozen=True)
class CrowdFit:
    strengths: Strengths
    reliability: FloatArray
    """eta of assessors 0, 1, ...; NaN for one without answers."""
    errors: FloatArray
    """Standard errors of the etas, from the curvature of the posterior at its mode; NaN where there is none."""
    counts: IntArray
    """Answers of each assessor."""
    unknown: int
    """Answers by unknown assessors, which were taken to be reliable."""
    plain: Strengths
    """What the same answers give when all assessors are taken to be reliable."""
    truth: PairAnswers
    """The answers with `won` as the chance that the first item deserved to win, given what its assessor said.

    Wins of these answers, plain or propagated, can be fitted in place of the others'.
    """
    prior: tuple[float, float]
    """Of reliabilities."""
    why: str | None = None
    """Why standard errors are missing."""

    @property
    def converged(self) -> bool:
        return self.strengths.converged

    @property
    def change(self) -> FloatArray:
        """By how much log strengths move because assessors differ."""
        return np.asarray(self.strengths.log - self.plain.log)


def fit_crowd(
    answers: PairAnswers,
    *,
    regularise: float | None = None,
    prior: tuple[float, float] = PRIOR,
    tolerance: float = 1e-8,
    most: int = 2000,
) -> CrowdFit:
    """The mode of the posterior: by L-BFGS from the plain fit, then by Newton's steps.

    Answers by unknown assessors (-1) count as reliable, for nothing is known against them; with no others,
    the plain fit comes out. `regularise=None` is `REGULARISER` always, not only where items are not strongly connected:
    an answer of an assessor with a low eta joins nothing.
    """
    scale = REGULARISER if regularise is None else regularise
    if not (np.isfinite(scale) and scale > 0):
        raise UsageError(
            f"regularise is {scale}, and must be above 0: without it strengths may have no maximum"
        )
    if len(prior) != 2 or not all(np.isfinite(number) and number >= 1 for number in prior):
        raise UsageError(f"the prior of reliabilities is {prior}: two numbers from 1 up are needed")
    used = answers.take(answers.weight > 0)
    people = int(answers.who.max(initial=-1)) + 1
    who = np.where(used.who >= 0, used.who, people)
    model = CrowdPosterior(used, who, people, scale, prior)
    plain = fit(used.wins(), regularise=scale)
    log, eta, error, variance = _mode(model, plain.log, tolerance, most)
    counts = np.bincount(who, minlength=people + 1)[:-1]
    # The chance that the first item deserved to win, by Bayes: its assessor was right, or wrong about the
    # second.
    better, reliability, first, second = model.chances(log, eta)
    won = model.answers.won
    return CrowdFit(
        strengths=replace(plain, values=np.exp(log - log.mean()), error=error, converged=error <= tolerance),
        reliability=np.where(counts > 0, eta, np.nan),
        errors=np.where(counts > 0, np.sqrt(variance), np.nan),
        counts=counts,
        unknown=int(np.sum(used.who < 0)),
        plain=plain,
        truth=replace(
            used,
            won=np.asarray(
                won * reliability * better / first + (1 - won) * (1 - reliability) * better / second
            ),
        ),
        prior=prior,
        why=_why(variance, eta),
    )


def _why(variance: FloatArray, eta: FloatArray) -> str | None:
    missing = np.isnan(variance)
    if not missing.any():
        return None
    if np.all(_at_edge(eta[missing])):
        return f"{missing.sum()} of {len(eta)} reliabilities are at the edge, where the posterior does not level off"
    return "the posterior is not curved downwards where the search ended"


def _at_edge(eta: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(logit(eta)) > FARTHEST - 0.01)


def _mode(
    model: CrowdPosterior, start: FloatArray, tolerance: float, most: int
) -> tuple[FloatArray, FloatArray, float, FloatArray]:
    """Log strengths and reliabilities, how far Newton would still go, and the variances of reliabilities."""
    n = len(start)
    a, b = model.prior

    def falling(x: FloatArray) -> tuple[float, FloatArray]:
        eta = expit(x[n:])
        by_log, by_eta = model.slopes(x[:n], eta)
        return model.value(x[:n], eta), np.concatenate([by_log, by_eta * eta * (1 - eta)])

    x = np.concatenate([start, np.full(model.assessors, logit(a / (a + b)))])
    bounds = [(None, None)] * n + [(-FARTHEST, FARTHEST)] * model.assessors
    options = {"maxiter": most, "maxfun": 2 * most, "gtol": 1e-6, "ftol": 1e-15, "maxcor": 30}
    result = minimize(falling, x, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return _newton(model, result.x[:n], expit(result.x[n:]), tolerance)


def _newton(
    model: CrowdPosterior, log: FloatArray, eta: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, float, FloatArray]:
    """A few last steps, since L-BFGS stops where the posterior no longer seems to change."""
    n, size = len(log), np.inf
    missing = np.full(len(eta), np.nan)
    for _ in range(20):
        # Reliabilities at the edge stay there; the others are free.
        free = np.concatenate([np.ones(n, bool), ~_at_edge(eta)])
        try:
            factor = cho_factor(model.hessian(log, eta)[np.ix_(free, free)])
        except LinAlgError:
            return log, eta, float(size), missing
        step = np.zeros(n + len(eta))
        step[free] = cho_solve(factor, np.concatenate(model.slopes(log, eta))[free])
        size = float(np.max(np.abs(step[:n]), initial=0.0))
        new_log, new_eta = log - step[:n], eta - step[n:]
        inside = np.all((new_eta > 0) & (new_eta < 1))
        now = model.value(log, eta)
        # Near the mode values differ by rounding only, and a step that is right may seem to lead upwards.
        if size <= tolerance / 1000 or not inside or model.value(new_log, new_eta) > now + 1e-10 * abs(now):
            break
        log, eta = new_log, new_eta
    inverse = cho_solve(factor, np.eye(int(free.sum())))
    variance = np.append(np.zeros(n), missing)
    variance[free] = np.diagonal(inverse)
    return log, eta, size, variance[n:]
