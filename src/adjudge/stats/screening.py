"""A share of yes from a judge's answers, corrected for how often the judge is wrong.

Rogan and Gladen (1978): where the judge says yes to a share q of all, recognises a share Se of what people say yes to
(sensitivity) and Sp of what they say no to (specificity), people would say yes to (q + Sp - 1) / (Se + Sp - 1). The
interval for estimated Se and Sp is Lang and Reiczigel's (2014, equations 6, 7, 16 and 17).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks

USELESS = (
    "sensitivity and specificity add up to no more than 1, so that the judge's yes says nothing of people's"
)

TOO_FEW = (
    "sensitivity and specificity add up to more than 1, but no longer with one right and one wrong answer added to each"
    " as the interval needs: there are too few labels to tell whether the judge's yes says anything of people's"
)


@dataclass(frozen=True)
class Screening:
    """How a judge's answers agree with people's: of how many yes and no it recognises how many."""

    yes: float
    """What people say yes to; shares where several people did not agree."""
    yes_found: float
    no: float
    no_found: float

    @property
    def sensitivity(self) -> float:
        return self.yes_found / self.yes if self.yes > 0 else math.nan

    @property
    def specificity(self) -> float:
        return self.no_found / self.no if self.no > 0 else math.nan

    @property
    def why(self) -> str | None:
        """Why no share can be corrected by it, if so."""
        if not (self.yes > 0 and self.no > 0):
            never = "yes" if not self.yes > 0 else "no"
            return f"people never said {never}, so that nothing is known of how the judge answers there"
        return USELESS if not self.sensitivity + self.specificity > 1 else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "yes": self.yes,
            "yes_found": self.yes_found,
            "no": self.no,
            "no_found": self.no_found,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "why": self.why,
        }


@dataclass(frozen=True)
class CorrectedShare:
    """A share of yes as people would say it; NaN where it cannot be told, and why."""

    estimate: float
    low: float
    high: float
    level: float
    why: str | None = None


def screen(people: npt.ArrayLike, judge: npt.ArrayLike) -> Screening:
    """Sensitivity and specificity from answers to the same things: 1 is yes, 0 no, shares where people differ."""
    y, f = checks.pair(people, judge)
    if not (np.all((y >= 0) & (y <= 1)) and np.all((f >= 0) & (f <= 1))):
        raise UsageError("answers of yes and no are 1 and 0, or shares between them")
    return Screening(
        yes=float(y.sum()),
        yes_found=float((y * f).sum()),
        no=float((1 - y).sum()),
        no_found=float(((1 - y) * (1 - f)).sum()),
    )


def corrected_share(yes: float, n: float, judge: Screening, *, level: float = 0.95) -> CorrectedShare:
    """The share of n things that people would say yes to, where the judge says so to `yes` of them.

    The estimate is Rogan and Gladen's, kept within 0 and 1, and so is Lang and Reiczigel's interval: Wald's about
    estimates with answers added (z^2 to the n things, half of them yes; one right and one wrong to the answers for
    sensitivity and for specificity), shifted for the curvature. Where these added answers take sensitivity and
    specificity to a sum of 1 or less, the share is undefined. Where it would leave out the estimate, it reaches to
    it; where it lies beyond 0 or 1, the judge is another here than on the labels, and the share is undefined. The three
    samples are taken as independent.
    """
    from scipy.special import ndtri

    checks.share("level", level)
    if not 0 <= yes <= n or not n > 0:
        raise UsageError(f"yes and n: {yes:g} of {n:g}")
    if judge.why is not None:
        return CorrectedShare(estimate=math.nan, low=math.nan, high=math.nan, level=level, why=judge.why)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    rate, things = (yes + z2 / 2) / (n + z2), n + z2
    right, ill = (judge.yes_found + 1) / (judge.yes + 2), judge.yes + 2
    cleared, well = (judge.no_found + 1) / (judge.no + 2), judge.no + 2
    better = right + cleared - 1
    if not better > 0:
        return CorrectedShare(estimate=math.nan, low=math.nan, high=math.nan, level=level, why=TOO_FEW)
    share = (rate + cleared - 1) / better
    of_right, of_cleared = right * (1 - right) / ill, cleared * (1 - cleared) / well
    variance = (rate * (1 - rate) / things + share**2 * of_right + (1 - share) ** 2 * of_cleared) / better**2
    middle = share + 2 * z2 * (share * of_right - (1 - share) * of_cleared)
    reach = math.sqrt(z2 * variance)
    estimate = (yes / n + judge.specificity - 1) / (judge.sensitivity + judge.specificity - 1)
    if not (middle + reach > 0 and middle - reach < 1):
        seldom = ("fewer", "specificity") if not middle + reach > 0 else ("more", "sensitivity")
        why = (
            f"the judge says yes to {seldom[0]} than its {seldom[1]}"
            " on people's labels allows, so that it answers otherwise here than there"
        )
        return CorrectedShare(estimate=math.nan, low=math.nan, high=math.nan, level=level, why=why)
    low, high, kept = (min(1.0, max(0.0, bound)) for bound in (middle - reach, middle + reach, estimate))
    return CorrectedShare(estimate=kept, low=min(low, kept), high=max(high, kept), level=level)
