"""Basic elements (Hovy, Lin, Zhou and Fukumoto 2006): HEAD|MODIFIER|RELATION a line, counted as ROUGE-1.5.5 does."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from adjudge.errors import FormatError, UsageError, quoted
from adjudge.measures.rouge.plain import NOTHING, Counts, overlap
from adjudge.rouge155.limits import fields
from adjudge.rouge155.options import BE_MODES
from adjudge.text.porter155 import stem as porter

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_NIL = "nil"


def basic_elements(
    lines: Iterable[str], mode: str, *, stem: bool = False, exceptions: Mapping[str, str] | None = None
) -> Counter[Hashable]:
    """What a text has to match.

    H      heads that stand alone (the modifier is NIL)
    HM     head and modifier, where there is a modifier
    HMR    all three, where there is a relation
    HM1    head and modifier, also NIL
    HMR1   all three, where there is a modifier
    HMR2   all three, always
    """
    if mode not in BE_MODES:
        raise UsageError(f"the mode is {quoted(mode)}, expected one of: {', '.join(BE_MODES)}")
    counted: Counter[Hashable] = Counter()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        parts = line.translate(_LOWER).split("|")
        if len(parts) != 3 or not parts[2]:
            raise FormatError(
                f"{quoted(line)} is no basic element, expected HEAD|MODIFIER|RELATION", line=number
            )
        head, modifier, relation = parts
        had_modifier = modifier != _NIL
        if stem:
            head, modifier = (_stemmed(part, exceptions or {}) for part in (head, modifier))
        found: tuple[str, ...]
        match mode:  # H and HM look for NIL after stemming, HMR1 before
            case "H":
                found, counts = (head,), modifier == _NIL
            case "HM" | "HM1":
                found, counts = (head, modifier), modifier != _NIL or mode == "HM1"
            case _:
                found = (head, modifier, relation)
                counts = {"HMR": relation != _NIL, "HMR1": had_modifier, "HMR2": True}[mode]
        if counts:
            counted[found] += 1
    return counted


def _stemmed(text: str, exceptions: Mapping[str, str]) -> str:
    """Every word of a head or modifier of more than three letters; short words too where there are several."""
    if len(text) <= 3:
        return text
    return " ".join(_stem(word, exceptions) for word in fields(text))


def _stem(word: str, exceptions: Mapping[str, str]) -> str:
    if not any(c.isascii() and c.isalnum() for c in word):
        return word
    return exceptions[word] if word in exceptions else porter(word)


def be_counts(
    peer: Sequence[str], references: Sequence[Sequence[str]], mode: str = "HM", *, stem: bool = False
) -> Counts:
    """Hits of a peer's basic elements in all references, and what recall and precision divide them by."""
    own = basic_elements(peer, mode, stem=stem)
    return sum((overlap(own, basic_elements(r, mode, stem=stem)) for r in references), NOTHING)
