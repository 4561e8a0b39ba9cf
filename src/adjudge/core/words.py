"""Words that messages and pages share: counts with the right plural, lists, numbers, names in LaTeX."""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Sequence

LARGE = 1e12  # a number that is no longer written out
SMALL = 0.0005  # one that three decimals show as 0
_ZERO = re.compile(r"[+ ]?0\.000+")
ROUNDING = (
    2e-15  # what is left of equal numbers that were added up in another order, as a share of their size
)
LONGEST = 200  # characters of somebody else's message


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 topic`, `1,200 topics`, `2 summaries` (where the plural is not the word with an s, say it)."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def listed(names: Sequence[str], *, most: int = 6) -> str:
    """`a, b and c`; of many names the first few, and how many more."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} others"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def number_word(n: int) -> str:
    """`three`, up to ten; then `11`."""
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"


def decimal(value: float, form: str = ".4f", *, scale: float = 0.0) -> str:
    """A number as people read it: as `form` says, never as minus zero, and not with hundreds of digits.

    One that is not 0 and would look like it with three decimals or more has its first digits shown: 1.0e-300. But it is
    0 where it is the rounding of numbers as large as `scale`.
    """
    if abs(value) <= ROUNDING * scale:
        value = 0.0
    sign = form[:1] if form[:1] in ("+", " ") else ""
    if form.endswith("f") and abs(value) >= LARGE:
        form = f"{sign}.6g"
    text = format(float(value), f"{sign}z{form.removeprefix(sign)}")
    if 0 < abs(value) < SMALL and _ZERO.fullmatch(text):
        return format(float(value), f"{sign}.1e")
    return text


def p_words(p: float, alpha: float = 0.05) -> str:
    """A p-value in a sentence: `p = .003`, `p < .001`, `p = 1`.

    Three decimals, or as many as show on which side of alpha it is.
    """
    if p == 1:
        return "p = 1"
    digits = max(3, 1 + math.ceil(-math.log10(alpha)))
    while digits < 17 and (round(p, digits) > alpha, round(p, digits) < alpha) != (p > alpha, p < alpha):
        digits += 1
    least = 10.0**-digits
    sign, shown = ("<", least) if p < least else (">", 1 - least) if p > 1 - least else ("=", p)
    return f"p {sign} {f'{shown:.{digits}f}'.removeprefix('0')}"


def p_number(p: float, digits: int = 4) -> str:
    """A p-value in a table: `.0123`, and never 0: `< .0001`; empty where there is none."""
    if math.isnan(p):
        return ""
    sign, shown = ("< ", 10.0**-digits) if p < 10.0**-digits else ("", p)
    return f"{sign}{f'{shown:.{digits}f}'.removeprefix('0')}"


def percent(share: float) -> str:
    """`25 %`; below one per cent with a digit more; never 0 or 100 for what is not quite so."""
    if math.isnan(share):
        return "an unknown part"
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %" if share >= 0.01 or share == 0 else f"{share * 100:.1f} %"


def exact_percent(share: float) -> str:
    """A level or a limit that somebody chose, with all its digits: `95 %`, `99.9 %`."""
    return f"{100 * share:.4g} %"


def _commands(form: str, signs: str, names: str) -> dict[str, str]:
    return {sign: form.format(name) for sign, name in zip(signs, names.split(), strict=True)}


_TEX = (
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": r"\textbar{}"}  # other signs in most text fonts
    | {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "\xa0": "~"}
    | _commands(r"\{}{{}}", "ßøØæÆœŒłŁı…†‡§¶", "ss o O ae AE oe OE l L i ldots dag ddag S P")
    | _commands(r"$\{}$", "↑↓←→±×·≤", "uparrow downarrow leftarrow rightarrow pm times cdot leq")
    | _commands(r"$\{}$", "≥≈≠∞µΓΔΘΛ", "geq approx neq infty mu Gamma Delta Theta Lambda")
    | _commands(r"$\{}$", "αβγδεζηθικλ", "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda")
    | _commands(r"$\{}$", "μνξπρστυφχψω", "mu nu xi pi rho sigma tau upsilon phi chi psi omega")
    | _commands(r"$\{}$", "ΞΠΣΦΨΩ", "Xi Pi Sigma Phi Psi Omega")
)
_ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0308\u0304\u0307\u0306\u030c\u030b\u0327\u030a\u0323\u0331",
        "`'^~\"=.uvHcrdb",
        strict=True,
    )
)


def tex(text: str) -> str:
    """Text as LaTeX prints it, in any encoding of fonts; letters of scripts other than Latin and Greek stay."""
    pieces: list[str] = []
    for c in unicodedata.normalize("NFC", text):
        parts = unicodedata.normalize("NFD", c)
        base, marks = parts[0], parts[1:]
        if c == "-" and pieces and pieces[-1] == "-":
            pieces.append("{}")  # two hyphens would become a dash
        if len(marks) == 1 and base.isascii() and marks in _ACCENTS:
            pieces.append(rf"\{_ACCENTS[marks]}{{{base}}}")
        else:
            pieces.append(_TEX.get(c, c if c.isprintable() else " "))
    return "".join(pieces)


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


def capitalised(text: str) -> str:
    """With a capital letter at its beginning; the others stay as they are."""
    return text[:1].upper() + text[1:]


def in_shell(text: str) -> str:
    """In double quotes, which every shell knows, where that is safe."""
    return shlex.quote(text) if set(text) & set('"$`\\!%') else f'"{text}"'
