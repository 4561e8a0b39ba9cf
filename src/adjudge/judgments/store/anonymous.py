"""Names for assessors of whom nothing is known. Whoever computes something about persons asks here first."""

from __future__ import annotations

ANONYMOUS = "anonymous"
"""Whoever it was: several people may stand behind this name."""

CROWD = "crowd-anonymous"
"""A crowd of which only positions in a list are known, and no position is a person."""


def is_anonymous(assessor: str) -> bool:
    """Whether a name stands for nobody in particular: `anonymous`, or anything that ends in `-anonymous`."""
    return assessor == ANONYMOUS or assessor.endswith(f"-{ANONYMOUS}")
