"""How often two vectors order pairs the same way: agreement with people (Zopf 2018, equation 1). No rankings here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE

Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Of the pairs in which people see a difference, the share that a measure orders as they do.

    Every pair is one of `pairs`, `human_ties` and `missing`.
    """

    share: float
    """NaN where there is no pair to order."""
    agreed: int
    """Pairs that the measure orders as people do."""
    pairs: int
    """Pairs that count: people see a difference, and both have a number."""
    ties: int
    """Of those, the pairs in which the measure sees no difference."""
    human_ties: int = 0
    missing: int = 0
    """Pairs in which a number is missing."""
    half: bool = False
    """Whether a tie of the measure counts half; else it does not agree."""
    why: str | None = None


def pair_agreement(
    human: npt.ArrayLike, measure: npt.ArrayLike, *, better: Direction = "higher", half: bool = False
) -> PairAgreement:
    """Equation 1, strictly: a tie of the measure does not agree, unless `half` gives it half.

    Of `human`, higher is better. What differs by floating-point noise alone is tied. Owczarzak et al. 2012 count
    such agreements between measures; without ties the share is (tau + 1) / 2, with tau of Kendall 1938.
    """
    values = checks.numbers("measure", measure, dimensions=1)
    counted = _counted(human, values[None, :], better)
    agreed, pairs, ties = (int(each[0]) for each in (counted.agreed, counted.pairs, counted.ties))
    share = (agreed + ties / 2 * half) / pairs if pairs else math.nan
    return PairAgreement(
        share,
        agreed,
        pairs,
        ties,
        counted.human_ties,
        int(counted.missing[0]),
        half,
        None if pairs else _why(values.size, counted.human_ties, int(counted.missing[0])),
    )


def agreement_shares(
    human: npt.ArrayLike, measures: npt.ArrayLike, *, better: Direction = "higher", half: bool = False
) -> FloatArray:
    """The shares of many measures, one a row; NaN where there is no pair to order."""
    counted = _counted(human, checks.numbers("measures", measures, dimensions=2), better)
    with np.errstate(invalid="ignore"):  # no pairs: 0/0
        return np.asarray((counted.agreed + counted.ties / 2 * half) / counted.pairs)


@dataclass(frozen=True, slots=True)
class _Counted:
    agreed: IntArray
    pairs: IntArray
    ties: IntArray
    missing: IntArray
    human_ties: int


def _counted(human: npt.ArrayLike, measures: FloatArray, better: Direction) -> _Counted:
    """One item against all later ones at a time, so that memory stays small with thousands of items."""
    people = checks.numbers("human", human, dimensions=1)
    checks.one_of("better", better, ("higher", "lower"))
    if people.size != measures.shape[1]:
        raise UsageError(f"human and measure: expected one length, got {people.size} and {measures.shape[1]}")
    agreed, pairs, ties, missing = np.zeros((4, len(measures)), np.int64)
    human_ties = 0
    for at in range(people.size - 1):
        said = ahead(people[at], people[at + 1 :])
        human_ties += int(np.count_nonzero(said == 0))
        kept = np.abs(said) == 1  # NaN is not
        found = ahead(measures[:, at, None], measures[:, at + 1 :][:, kept])
        if better == "lower":
            found = -found
        known = ~np.isnan(found)
        agreed += np.count_nonzero(found == said[kept], axis=1)
        pairs += np.count_nonzero(known, axis=1)
        ties += np.count_nonzero(found == 0, axis=1)
        missing += np.count_nonzero(~known, axis=1) + np.count_nonzero(np.isnan(said))
    return _Counted(agreed, pairs, ties, missing, human_ties)


def ahead(one: Any, others: FloatArray) -> FloatArray:
    """1 where one is higher than the other, -1 where lower, 0 where equal but for noise; NaN where one is missing."""
    difference: FloatArray = one - others
    noise = NOISE * np.maximum(np.abs(one), np.abs(others))
    found: FloatArray = np.sign(difference)
    found[np.abs(difference) <= noise] = 0.0
    return found


def _why(items: int, human_ties: int, missing: int) -> str:
    if items < 2:
        return f"needs two summaries, has {items}"
    if not human_ties:
        return "every pair lacks a score"
    return "people see no difference" + (" where both are scored" if missing else "")
