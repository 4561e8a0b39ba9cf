"""What several analyses say: notes by code, counts of pairs, for whom something holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adjudge.core.phrases import Argument, Door, Phrase, Spoken, spoken
from adjudge.core.results import Note
from adjudge.core.words import counted

NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "missing-scores": lambda n, why: f"{counted(n, 'missing score')} ({why})",
    "several-assessors": lambda n: (
        f"the scores come from {n} assessors: what is said holds for these assessors;"
        " `adjudge compare` asks whether it would for others"
    ),
    "length-with-most-scores": lambda shown: Phrase(
        "{shown} is looked at, the target length with most scores: {length} chooses another",
        shown=shown,
        length=Argument("length"),
    ),
    "form-with-most-scores": lambda shown: Phrase(
        "{shown} is looked at, the form with most scores: {form} chooses another",
        shown=shown,
        form=Argument("form"),
    ),
}
"""Texts of notes that several analyses have."""


def either(names: list[str]) -> str:
    """`a, b or c`."""
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def note_text(note: Note, door: Door = "python") -> str:
    """The text of a note that several analyses have."""
    made = NOTES[note.code]
    return spoken(made.format(**note.data) if isinstance(made, str) else made(**note.data), door)
