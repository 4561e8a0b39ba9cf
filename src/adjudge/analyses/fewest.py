"""What results say of how few of their observations decide who comes first: facts, and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.stats.fewest import Fewest

FEW, MANY = 0.05, 0.25
"""Shares of the observations up to which first place rests on few of them, and from which on many."""
MOST_NAMED = 5
"""Observations that a sentence names."""
LONGEST = 60
"""Characters that their names may take."""
INFLUENCE, OF_STRENGTHS = "broderick2020", "huang2026"
"""The works that a search by influence rests on."""


def fewest_facts(
    fewest: Fewest | None,
    names: Sequence[str],
    what: str,
    labels: Sequence[str] = (),
    cites: Sequence[str] = (INFLUENCE,),
) -> dict[str, Any] | None:
    """`names` are those of systems or items, `labels` those of all observations, where they have any."""
    if fewest is None:
        return None
    return {
        "of": fewest.of,
        "what": what,
        "first": [names[k] for k in fewest.first],
        "fewest": len(fewest.left_out) or None,
        "left_out": [labels[k] for k in fewest.left_out] if labels else None,
        "share": fewest.share if fewest.left_out else None,
        "then": [names[k] for k in fewest.then],
        "exact": fewest.exact,
        "cites": [] if fewest.exact or not fewest.left_out else list(cites),
        "why": fewest.why,
    }


def fewest_words(
    fewest: Fewest | None,
    names: Sequence[str],
    *,
    what: str,
    labels: Sequence[str] = (),
    item: str = "system",
) -> str:
    """A sentence; empty where there is nothing to say. `labels` are names of all observations, where they have any."""
    if fewest is None or len(fewest.first) == len(names):  # no other could come first
        return ""
    first, others = [names[k] for k in fewest.first], [names[k] for k in fewest.then]
    if fewest.why == "never":
        return f"No choice of {what}s puts another {item} first: none is better than {listed(first)} on any {what}."
    if fewest.why == "not-found":
        return f"No set of {what}s was found without which another {item} comes first."
    if not fewest.left_out:
        return ""
    n, of = len(fewest.left_out), f"{counted(fewest.of, what)}{_share(fewest)}"
    number = f"{'' if fewest.exact else 'at most '}{n:,} of {of}"
    names_shown = listed([labels[k] for k in fewest.left_out[:MOST_NAMED]]) if labels else ""
    named = bool(labels) and n <= MOST_NAMED and len(names_shown) <= LONGEST
    which = names_shown if named else "it" if n == 1 else "them"
    if len(first) > 1:
        then = f"{listed(others)} {'comes first' if len(others) == 1 else 'do'}"
        return f"{listed(first)} share first place; without {number}{f' ({which})' if named else ''}, {then}."
    if n == 1 or fewest.share <= FEW:
        then = f"{listed(others)} {'comes first' if len(others) == 1 else 'share first place'}"
        return f"First place rests on {number}: without {which}, {then}."
    if fewest.share < MANY:
        right = "the right " if fewest.exact and not named else ""
        return (
            f"Leaving out {right}{number}{f' ({which})' if named else ''} would put {listed(others)} first."
        )
    if fewest.exact:
        return f"{first[0]} comes first unless {n:,} or more of {of} are left out."
    return f"No set of fewer than {n:,} of {of} was found without which another {item} comes first."


def _share(fewest: Fewest) -> str:
    """` (0.25%)`, where there are too many observations to see it."""
    if fewest.of < 100 or len(fewest.left_out) == 1:
        return ""
    percent = 100 * fewest.share
    return f" ({percent:.0f}%)" if percent >= 10 else f" ({percent:.2g}%)"
