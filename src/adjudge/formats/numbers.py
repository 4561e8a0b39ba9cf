"""Numbers as people write them in tables: with a decimal point or a decimal comma, which the table tells."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from adjudge.core.errors import UsageError, quoted
from adjudge.core.phrases import Argument

Decimal = Literal[".", ","]
DECIMALS: tuple[Decimal, ...] = get_args(Decimal)
MISSING = ("", "nan", "na", "n/a", "null", "#n/a", "none")

DECIMAL = Argument("decimal")

_LONGEST = 60
_POINT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?([0-9]*,[0-9]+|[0-9]+,)([eE][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_GROUPED = {  # thousands set off by the other sign
    ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?"),
    ",": re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?"),
}


def check_decimal(decimal: str | None) -> Decimal | None:
    """An option, as a user gave it."""
    sign = {"comma": ",", "point": ".", "dot": "."}.get(decimal or "", decimal)
    for choice in DECIMALS:
        if sign == choice:
            return choice
    if decimal is None:
        return None
    raise UsageError(f"{DECIMAL} is {quoted(decimal)}, expected . or ,")


def tells_decimal(text: str) -> Decimal | Literal["?"] | None:
    """What a cell tells of its table's numbers: a decimal point, a decimal comma, "?" for either, None for neither.

    0,5 and 12,34 have a decimal comma; 1,234 may be a thousand and more.
    """
    text = text.strip().removesuffix("%").rstrip()
    if "," not in text and "." not in text:
        return None
    if _POINT.fullmatch(text):
        return "."
    if _GROUPED["."].fullmatch(text):
        return "." if "." in text else "?" if text.count(",") == 1 else "."
    if _COMMA.fullmatch(text) or _GROUPED[","].fullmatch(text):
        return ","
    return None


def number_of(text: str, decimal: Decimal = ".", *, grouped: bool = False) -> float | None:
    """A finite number, NaN where the cell says that there is none, or None where it is no number.

    Thousands may be set off by the sign that is not the decimal one where that is clear (1,234.5), and with
    `grouped` everywhere. 36.4% is 0.364, as in a spreadsheet.
    """
    text = text.strip()
    if text.endswith("%"):
        hundred = None if "%" in text[:-1] else number_of(text[:-1], decimal, grouped=grouped)
        if hundred is None or math.isnan(hundred):
            return None
        return hundred / 100
    if decimal == "." and len(text) <= _LONGEST and _POINT.fullmatch(text):  # nearly all there are
        value = float(text)
        return value if math.isfinite(value) else None
    if text.lower() in MISSING:
        return math.nan
    if len(text) > _LONGEST:
        return None
    if _GROUPED[decimal].fullmatch(text) and (grouped or tells_decimal(text) == decimal):
        text = text.replace("." if decimal == "," else ",", "")
    if decimal == ",":
        if "." in text:
            return None
        text = text.replace(",", ".", 1)
    if _POINT.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    return None


def may_be_thousands(text: str) -> bool:
    """Whether a number with a point, such as 1.364, is a thousand and more to those who write decimal commas."""
    return _THOUSANDS.fullmatch(text.strip()) is not None


def is_number(text: str) -> bool:
    """Whether a cell is a number by some decimal sign, or missing."""
    return any(number_of(text, sign, grouped=True) is not None for sign in DECIMALS)


@dataclass(frozen=True)
class NumberStyle:
    """How a table writes its numbers: as was asked for (`asked`), or as its cells tell."""

    decimal: Decimal = "."
    asked: bool = False
    settled: bool = True
    """Whether a cell has told, or somebody; otherwise the next one with a sign will."""
    percent: bool = False
    """Whether there are numbers with a % sign."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found out, for a note."""
        commas = ("with decimal commas",) if self.decimal == "," and not self.asked else ()
        return (*commas, *(["with % as hundredths (50% is 0.5)"] * self.percent))

    def read(self, text: str) -> float:
        """A number, NaN where it is missing; a ValueError says what is wrong."""
        value = number_of(text, self.decimal, grouped=self.asked)
        if value is not None:
            return value
        problem = f"is {quoted(text.strip())}, expected a number{_hint(text, self.decimal)}"
        if not self.asked and tells_decimal(text):
            sign = "comma" if self.decimal == "," else "point"
            may = number_of(text, self.decimal, grouped=True) is not None
            hint = f"; if it is a thousand or more, say {say_decimal(self.decimal)}" if may else ""
            raise ValueError(f"{problem} with a decimal {sign}, as others here{hint}")
        if self.asked and is_number(text):
            sign = "comma" if self.decimal == "," else "point"
            other = "." if self.decimal == "," else ","
            raise ValueError(
                f"{problem} with a decimal {sign}, as {DECIMAL} says: leave {DECIMAL} out, or say {say_decimal(other)}"
            )
        raise ValueError(problem)


def say_decimal(sign: str) -> Argument:
    return Argument("decimal", f'"{sign}"')


def _hint(text: str, decimal: Decimal) -> str:
    """What to write in place of a cell that is no number."""
    plain = text.strip()
    if plain.endswith("%") and number_of(plain[:-1], decimal, grouped=True) is not None:
        return ": write all of them without the percent sign"
    if any(sign.isdigit() for sign in plain) and not plain.startswith("#"):  # not #DIV/0!
        return ""
    return ", or nothing, nan or NA where there is none"


def style_of(texts: Iterable[str]) -> NumberStyle:
    """What the first cell with a decimal sign tells; a UsageError where all that have one may be either."""
    doubtful = ""
    for text in texts:
        told = tells_decimal(text)
        if told == "?":
            doubtful = doubtful or text.strip()
        elif told is not None:
            return NumberStyle(told)
    if not doubtful:
        return NumberStyle(settled=False)
    raise UsageError(
        f"{quoted(doubtful)} is {doubtful.replace(',', '.')} or {doubtful.replace(',', '')}:"
        f" say which with {say_decimal(',')} or {say_decimal('.')}"
    )
