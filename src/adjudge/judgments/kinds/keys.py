"""Which keys give which answer. A key stands on its button, and a digit never means another number than its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

from adjudge.judgments.kinds.base import Question

ORDINALS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0")
TAKEN = "b"
"""Letters that mean something else beside questions: `b` hides the units' boundaries."""

_COUNT = re.compile(
    r"(?P<sign>[<>≤≥])?\s*(?P<first>[0-9]+)(\s*[-–—…]\s*(?P<last>[0-9]+)|\s*[-–—…+].*|\s+[^\s%].*)?"
)


def question_keys(question: Question) -> tuple[str, ...]:
    """The keys of a question's choices."""
    return keys_of([choice.label for choice in question.choices])


def keys_of(labels: Sequence[str]) -> tuple[str, ...]:
    """The keys of every choice, by its label; the first one stands on the button. None where none is left.

    Labels that are no numbers are counted: 1 for the first. Where labels are numbers or ranges of numbers, digits mean
    themselves: of `0`, `1-5`, `6-10` and `>10`, 0 gives `0`, 1 to 5 give `1-5`, 6 to 9 give `6-10`, and > gives `>10`;
    0 gives `10` where there is no 0. Other labels beside numbers have a letter.
    """
    counts = [_COUNT.fullmatch(label.strip()) for label in labels]
    if not any(counts):
        return tuple(ORDINALS[n] if n < len(ORDINALS) else "" for n in range(len(labels)))
    keys = [""] * len(labels)
    for n in sorted(
        range(len(labels)), key=lambda n: len(_own(counts[n]))
    ):  # a number comes before a range with it
        keys[n] = "".join(key for key in _own(counts[n]) if key not in "".join(keys))
    for n, count in enumerate(counts):
        if count and count[0] == "10" and "0" not in "".join(keys):
            keys[n] = "0"
    for n, label in enumerate(labels):
        if not keys[n]:
            letters = [*(c for c in label.lower() if c in ascii_lowercase), *ascii_lowercase]
            keys[n] = next((c for c in letters if c not in TAKEN and c not in "".join(keys)), "")
    return tuple(keys)


def _own(count: re.Match[str] | None) -> str:
    """The keys that say a number, or a number of a range; the sign of what is above or below one."""
    if count is None:
        return ""
    if count["sign"]:
        return count["sign"] if count["sign"] in "<>" else ""
    first, last = int(count["first"][:3]), int((count["last"] or count["first"])[:3])
    return "".join(map(str, range(first, min(last, 9) + 1)))
