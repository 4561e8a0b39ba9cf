"""Words that messages and pages share: counts with the right plural, lists, numbers, names in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

LARGE = 1e12  # a number that is no longer written out
SMALL = 0.0005  # one that three decimals show as 0
_ZERO = re.compile(r"[+ ]?0\.000+")
LONGEST = 200  # characters of somebody else's message


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 topic`, `1,200 topics`, `2 summaries` (where the plural is not the word with an s, say it)."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def listed(names: Sequence[str], *, most: int = 6) -> str:
    """`a, b and c`; of many names the first few, and how many more."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} others"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def decimal(value: float, form: str = ".4f") -> str:
    """A number as people read it: as `form` says, never as minus zero, and not with hundreds of digits.

    One that is not 0 and would look like it with three decimals or more has its first digits shown: 1.0e-300.
    """
    sign = form[:1] if form[:1] in ("+", " ") else ""
    if form.endswith("f") and abs(value) >= LARGE:
        form = f"{sign}.6g"
    text = format(float(value), f"{sign}z{form.removeprefix(sign)}")
    if 0 < abs(value) < SMALL and _ZERO.fullmatch(text):
        return format(float(value), f"{sign}.1e")
    return text


def tex(text: str) -> str:
    """Text as LaTeX prints it."""
    special = {c: rf"\{c}" for c in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"<": "$<$", ">": "$>$"}  # other signs in most text fonts
    return "".join(special.get(c, c) for c in text)


def natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """How names sort: numbers in them by their size, so that d2 comes before d10."""
    parts = re.findall(r"0*([0-9]+)|([^0-9]+)", name)
    return [(0, len(number), number) if number else (1, 0, text) for number, text in parts], name


def one_line(error: BaseException) -> str:
    """Somebody else's exception in one line."""
    text = " ".join(str(error).split())
    short = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__


def as_sentence(text: str) -> str:
    """With a full stop, unless it ends in a sign that ends a sentence."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
