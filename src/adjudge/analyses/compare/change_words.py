"""What is said of conclusions that change without some assessors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import enumerated
from adjudge.core.words import capitalised, counted, listed

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
    word = "top" if changes.directed else "highest"
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
                f"{capitalised(word)} group: {enumerated(changes.candidates_after) or 'none'} instead of"
                f" {enumerated(changes.candidates_before) or 'none'}."
            )
        else:
            yield f"The {word} group is the same."
    if changes.moves:
        moves = [f"{move.system} from {move.before} to {move.after}" for move in changes.moves]
        yield f"Ranks by the mean move: {listed(moves)}."
    else:
        yield "Ranks by the mean are the same."


def _headline(changes: ConclusionChanges) -> str:
    who, before, after = listed(changes.left_out), changes.before, changes.after
    if not changes.pairs:
        return f"Without {who} no pair of systems is left."
    of = counted(changes.pairs, "pair")
    whom = ", for assessors like those who judged" if changes.sampled else ""
    if not (changes.lost or changes.gained or changes.turned):
        if before:
            return f"Without {who}: the same {before:,} of {of} {_verb(before)}{whom}."
        return f"No pair differs significantly with or without {who}{whom}."
    if after == before:
        return f"Without {who}: {after:,} of {of} {_verb(after)} as before{whom}, but not the same or not the same way."
    return f"Without {who}: {after:,} of {of} {_verb(after)} instead of {before:,}{whom}."


def _verb(n: int) -> str:
    return "differs" if n == 1 else "differ"


def _pairs(pairs: Pairs) -> str:
    words = "; ".join(f"{a} and {b}" for a, b in pairs[:MOST])
    return f"{words}; and {len(pairs) - MOST:,} more" if len(pairs) > MOST else words
