"""When a news document was written, from its date line or from its number. ISO 8601, or nothing."""

from __future__ import annotations

import re
from datetime import date, timedelta

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_LONGEST = 200  # characters of a date line that are looked at
_CENTURY = 50  # 88 is 1988, 04 is 2004

_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)(?:[T ]+(\d\d):(\d\d))?", re.ASCII)
_DIGITS = re.compile(r"(?<!\d)(\d{8}|\d{6})(?!\d)", re.ASCII)
_AMERICAN = re.compile(r"(?<!\d)(\d\d?)/(\d\d?)/(\d{4}|\d\d)(?!\d)(?:\s+(\d\d):(\d\d))?", re.ASCII)
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? +(\d\d?)(?:st|nd|rd|th)?,? +(\d{4}|\d\d)\b", re.ASCII)
_DAY_FIRST = re.compile(r"\b(\d\d?) +([A-Za-z]{3,9})\.?,? +(\d{4}|\d\d)\b", re.ASCII)
_YEAR_AND_DAY = re.compile(r"SJMN(\d\d)-06(\d{3})\d+", re.ASCII)
_NUMBERED = re.compile(r"([A-Z]+)[_A-Z]*(\d{8}|\d{6})[-._]\d.*", re.ASCII)


def from_line(text: str) -> str | None:
    """The date in a date line, in the forms that news wires used, with the time where one is given."""
    text = " ".join(text[:_LONGEST].split())
    if found := _ISO.search(text):
        year, month, day, *clock = found.groups()
        return _iso(year, month, day, clock)
    if found := _AMERICAN.search(text):
        month, day, year, *clock = found.groups()
        return _iso(year, month, day, clock)
    for found in _MONTH_FIRST.finditer(text):
        if month := _month(found[1]):
            return _iso(found[3], month, found[2])
    for found in _DAY_FIRST.finditer(text):
        if month := _month(found[2]):
            return _iso(found[3], month, found[1])
    if found := _DIGITS.search(text):
        return _compact(found[1])
    return None


def from_number(number: str) -> str | None:
    """The date in a document's number.

    AP880911-0016 and WSJ911031-0012 are year, month, day; LA060490-0083 is month, day, year;
    SJMN91-06184003 is the year and the day of the year; APW19980602.0004 has the year in full.
    FT923-5089 holds a quarter and a running number: no date.
    """
    number = number[:_LONGEST]
    if found := _YEAR_AND_DAY.fullmatch(number):
        return _day_of_year(found[1], int(found[2]))
    if found := _NUMBERED.fullmatch(number):
        wire, digits = found.groups()
        return _compact(digits[4:] + digits[:4] if wire == "LA" and len(digits) == 6 else digits)
    return None


def _compact(digits: str) -> str | None:
    return _iso(digits[:-4], digits[-4:-2], digits[-2:])


def _month(name: str) -> str | None:
    numbers = (str(n) for n, full in enumerate(_MONTHS, 1) if full.startswith(name.lower()))
    return next(numbers, None)


def _year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) == 4 else year + (1900 if year >= _CENTURY else 2000)


def _iso(year: str, month: str, day: str, clock: list[str | None] | None = None) -> str | None:
    try:
        text = date(_year(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
    hour, minute = clock or (None, None)
    if hour is None or minute is None or int(hour) > 23 or int(minute) > 59:
        return text
    return f"{text}T{hour}:{minute}"


def _day_of_year(year: str, day: int) -> str | None:
    found = date(_year(year), 1, 1) + timedelta(days=day - 1)
    return found.isoformat() if found.year == _year(year) else None
