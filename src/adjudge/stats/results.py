"""Frozen results of statistics, and their sentences in plain words. Nothing is computed here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

from adjudge.stats import checks

Better = Literal["higher", "lower"]

TEST_WORDS = {
    "wilcoxon": "paired Wilcoxon",
    "t": "paired t",
    "t-unpaired": "unpaired t",
    "welch": "Welch's unpaired t",
    "sign": "sign test",
    "mc": "random swaps",
    "hb": "hybrid bootstrap",
    "exact": "exact permutation",
}
# A method that the test's name already says needs no words.
METHOD_WORDS = {"exact": ", exact", "normal": ", normal approximation", "rounded": " of rounded scores"}


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test of x against y, topic by topic, two-sided unless `alternative` says otherwise.

    `statistic` is signed: positive where x is higher. `n` counts the topics that both have.
    `wins`, `losses` and `ties` count the topics where x is higher than, lower than and equal to
    y, whichever direction is better. Where the test cannot be computed, `why` says why,
    `statistic` and `p` are NaN and `method` is None.
    """

    test: str
    statistic: float
    p: float
    n: int
    method: str | None
    difference: float
    wins: int
    losses: int
    ties: int
    why: str | None = None
    alternative: str = "two-sided"
    """greater: whether x is higher was asked; less: whether it is lower."""

    @classmethod
    def undefined(
        cls,
        test: str,
        why: str,
        *,
        n: int = 0,
        difference: float = math.nan,
        wins: int = 0,
        losses: int = 0,
        ties: int = 0,
    ) -> Self:
        """A test that cannot be computed, with what is known all the same."""
        return cls(test, math.nan, math.nan, n, None, difference, wins, losses, ties, why)

    def sentence(
        self, a: str, b: str, better: Better | None = "higher", *, alpha: float = 0.05, correction: str = ""
    ) -> str:
        """What the test says of x, called a, and y, called b.

        The direction comes from the statistic, which is what the test is about. Where the means
        point the other way, the sentence says so. `better=None` is for descriptions, such as a
        word count, where higher is not better: then the sentence says "higher". `correction` stands before
        the p, with a space at its end, where p was corrected for many tests.
        """
        checks.share("alpha", alpha)
        name = TEST_WORDS[self.test]
        if self.method is None:
            return f"{a} and {b} cannot be compared ({name}: {self.why})"
        sign = -1 if better == "lower" else 1
        counts = (self.wins, self.losses)[::sign]
        sided = "" if self.alternative == "two-sided" else ", one-sided"
        basis = f"{name}{_by(self.test, self.method)}{sided}, {correction}{p_words(self.p, alpha)}, {_topics(self.n)}"
        verb = "wins" if better else "is higher"
        if self.p >= alpha:
            ties = f", tied on {self.ties}" if self.ties else ""
            won = f"{a} {verb} on {counts[0]}, {b} on {counts[1]}{ties}"
            if self.alternative == "two-sided":
                return f"{a} and {b} cannot be told apart ({basis}; {won})"
            wished = (self.alternative == "greater") == (better != "lower")
            words = ("better", "worse") if better else ("higher", "lower")
            return f"{a} is not shown to be {words[not wished]} than {b} ({basis}; {won})"
        word = "better" if better else "higher"
        first = self.statistic * sign > 0
        winner, loser, won_on = (a, b, counts[0]) if first else (b, a, counts[1])
        but = f", but {loser} has the {word} mean" if self.statistic * self.difference < 0 else ""
        return f"{winner} is {word} than {loser} ({basis}; {winner} {verb} on {won_on}{but})"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `resamples` is None where nothing was resampled."""

    low: float
    high: float
    level: float
    method: str
    resamples: int | None = None


def p_words(p: float, alpha: float = 0.05) -> str:
    """A p-value as text: "p = .003", "p < .001".

    Three decimals, or as many as show on which side of alpha it is.
    """
    if p == 1:
        return "p = 1"
    digits = max(3, 1 + math.ceil(-math.log10(alpha)))
    while digits < 17 and (round(p, digits) < alpha) != (p < alpha):
        digits += 1
    least = 10.0**-digits
    if p < least:
        return f"p < {_decimals(least, digits)}"
    if p > 1 - least:
        return f"p > {_decimals(1 - least, digits)}"
    return f"p = {_decimals(p, digits)}"


def _by(test: str, method: str) -> str:
    return "" if method == test else METHOD_WORDS.get(method, "")


def _decimals(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def _topics(n: int) -> str:
    return f"n = {n} topic" if n == 1 else f"n = {n} topics"
