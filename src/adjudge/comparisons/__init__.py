"""Which systems really differ: a score matrix in, a ranking with intervals, tests and groups out.

choices   what can be asked for
testing   runs tests over all pairs and corrects them
result    the frozen comparison
words     what it says in plain words
tables    what it is as a frame, LaTeX, JSON
run       puts it together

The mathematics is in stats/; names, directions and words are here.
"""

from __future__ import annotations

from adjudge.comparisons.pairs import PAIR_COLUMNS, Comparison, Pair, Standing, compare
from adjudge.comparisons.tests import (
    ALL,
    ALPHA,
    CORRECTIONS,
    LEVEL,
    RESAMPLES,
    SIDES,
    STATISTICS,
    TESTS,
    ZEROS,
    Choices,
    Test,
    choices,
)

__all__ = [
    "ALL",
    "ALPHA",
    "CORRECTIONS",
    "LEVEL",
    "PAIR_COLUMNS",
    "RESAMPLES",
    "SIDES",
    "STATISTICS",
    "TESTS",
    "ZEROS",
    "Choices",
    "Comparison",
    "Pair",
    "Standing",
    "Test",
    "choices",
    "compare",
]
