"""Which factors matter, and how much of the variation each accounts for: score rows in, ANOVA tables out.

`anova` makes an `Anova`. The mathematics is in stats/; names, directions and words are here.
"""

from __future__ import annotations

from adjudge.comparisons.anova.components import Components
from adjudge.comparisons.anova.model import anova
from adjudge.comparisons.anova.result import Anova

__all__ = ["Anova", "Components", "anova"]
