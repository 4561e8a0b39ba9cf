"""The posterior of Crowd-BT with its derivatives. Its mode, and what is said of it, is in crowd.py."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, xlogy

from adjudge.stats.preference.answers import Answers, FloatArray, IntArray


@dataclass(frozen=True)
class CrowdPosterior:
    """Minus the log posterior of (log strengths, reliabilities), with its derivatives.

    Constants are left out. A tie is half an answer each way. `who` numbers those who answered; the number after the
    last one stands for nobody knows whom, whose eta is 1.
    """

    answers: Answers
    who: IntArray
    annotators: int
    scale: float
    prior: tuple[float, float]

    def chances(
        self, log: FloatArray, eta: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """p that the first one is better, eta of who answered, P(first was preferred) and P(second was)."""
        gap = log[self.answers.first] - log[self.answers.second]
        better, worse = expit(gap), expit(-gap)
        own = np.append(eta, 1.0)[self.who]
        return better, own, own * better + (1 - own) * worse, own * worse + (1 - own) * better

    def value(self, log: FloatArray, eta: FloatArray) -> float:
        _, _, first, second = self.chances(log, eta)
        won, weight = self.answers.won, self.answers.weight
        said = weight @ (xlogy(won, first) + xlogy(1 - won, second))
        held = self.scale * float(np.sum(log_expit(log) + log_expit(-log)))
        a, b = self.prior
        return -float(said + held + np.sum(xlogy(a - 1, eta) + xlogy(b - 1, 1 - eta)))

    def slopes(self, log: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        better, own, first, second = self.chances(log, eta)
        by_chance = self._by_chance(first, second)
        by_gap = by_chance * (2 * own - 1) * better * (1 - better)
        n = self.answers.n
        by_log = np.bincount(self.answers.first, by_gap, minlength=n) - np.bincount(
            self.answers.second, by_gap, minlength=n
        )
        by_eta = np.bincount(self.who, by_chance * (2 * better - 1), minlength=self.annotators + 1)[:-1]
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
        better, own, first, second = self.chances(log, eta)
        won, weight = self.answers.won, self.answers.weight
        slope, bend = self._by_chance(first, second), -weight * (won / first**2 + (1 - won) / second**2)
        steep = better * (1 - better)
        along, across = (2 * own - 1) * steep, 2 * better - 1
        gaps = -(bend * along**2 + slope * along * (1 - 2 * better))
        both = -(bend * along * across + slope * 2 * steep)
        one, other, by = self.answers.first, self.answers.second, n + self.who
        found = np.zeros((n + self.annotators + 1,) * 2)
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
            np.add.at(found, (rows, columns), values)
        items, people = np.arange(n), np.arange(n, n + self.annotators)
        a, b = self.prior
        found[items, items] += 2 * self.scale * expit(log) * expit(-log)
        found[people, people] += (a - 1) / eta**2 + (b - 1) / (1 - eta) ** 2
        return found[:-1, :-1]  # the last one stands for answers by nobody knows whom
