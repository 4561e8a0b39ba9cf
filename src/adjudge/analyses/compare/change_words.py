"""What is said of conclusions that change without some assessors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.compare.without import ConclusionChanges, Pairs

MOST = 6
"""Pairs that a sentence names; the table has all of them."""
NOTES: dict[str, str] = {}
CHANGES = {
    "lost": "no longer different",
    "gained": "different only without",
    "turned": "the other way round",
}


def title(changes: ConclusionChanges) -> str:
    return f"What changes on {changes.measure} without {listed(changes.left_out)}"


def sentences(changes: ConclusionChanges) -> Iterator[str]:
    """How many pairs differ before and after, and what changes."""
    yield _headline(changes)
    word = "best" if changes.directed else "highest"
    if changes.gone:
        yield f"Nobody else judged {listed(changes.gone)}."
    if changes.lost:
        yield f"No longer significantly different: {_pairs(changes.lost)}."
    if changes.gained:
        yield f"Different only without {listed(changes.left_out)}: {_pairs(changes.gained)}."
    if changes.turned:
        yield f"Different the other way round: {_pairs(changes.turned)}."
    if changes.candidates_before is not None and changes.candidates_after is not None:
        if changes.candidates_changed:
            yield (
                f"The candidates for the {word} are {listed(changes.candidates_after)} instead of"
                f" {listed(changes.candidates_before)}."
            )
        else:
            yield f"The candidates for the {word} are the same."
    if changes.moves:
        moves = [f"{move.system} from {move.before} to {move.after}" for move in changes.moves]
        yield f"Ranks by the mean move: {listed(moves)}."
    else:
        yield "No system's rank by the mean moves."


def _headline(changes: ConclusionChanges) -> str:
    who, before, after = listed(changes.left_out), changes.before, changes.after
    if not changes.pairs:
        return f"Without {who} no pair of systems is left to compare with what all assessors say."
    of = counted(changes.pairs, "pair")
    whom = " for assessors like those who judged" if changes.sampled else ""
    if not (changes.lost or changes.gained or changes.turned):
        if before:
            return f"Without {who} the same {before:,} of {of} {_verb(before)}{whom}."
        return f"Neither with nor without {who} does any of {of} differ significantly{whom}."
    if after == before:
        return f"Without {who} as many of {of} differ{whom}, {after:,}, but others or the other way round."
    return f"Without {who} {after:,} instead of {before:,} of {of} {_verb(after)}{whom}."


def _verb(n: int) -> str:
    return "differs" if n == 1 else "differ"


def _pairs(pairs: Pairs) -> str:
    words = "; ".join(f"{a} and {b}" for a, b in pairs[:MOST])
    return f"{words}; and {len(pairs) - MOST:,} more" if len(pairs) > MOST else words
