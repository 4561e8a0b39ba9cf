"""Target lengths held against each other: lengths are compared one at a time, or averaged within a topic first.

averaging  one row per topic out of several lengths
run        from scores to the result
result     the frozen result
words      what it says in plain words
tables     what it is as frames, LaTeX, JSON

The mathematics is in stats/; names, directions and words are here. Over and Liggett 2002.
"""

from __future__ import annotations

from adjudge.comparisons.lengths.averaging import LeftOut, averaged, averaged_within_topics
from adjudge.comparisons.lengths.result import Agreement, AtLength, LengthsResult
from adjudge.comparisons.lengths.run import LEVEL, RESAMPLES, lengths, lengths_of, of_topics

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "Agreement",
    "AtLength",
    "LeftOut",
    "LengthsResult",
    "averaged",
    "averaged_within_topics",
    "lengths",
    "lengths_of",
    "of_topics",
]
