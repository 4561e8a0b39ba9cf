"""How many examples a property is tried on; no tests here."""

from __future__ import annotations

from hypothesis import settings

QUICK, EXHAUSTIVE = 25, 200
"""Where a property does not say how many it needs, in `make test` and in `make test-all`."""
LEAST = 15


def examples(most: int) -> settings:
    """So many in `make test-all`, and a third of them in `make test`: every run draws others."""
    if settings().max_examples < EXHAUSTIVE:
        most = min(most, max(LEAST, most // 3))
    return settings(max_examples=most)
