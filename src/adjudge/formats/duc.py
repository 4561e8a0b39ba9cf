"""What NIST gave out for DUC and TAC: documents in SGML that is often not well-formed, and summaries as files.

A file named like D0601.M.250.A.17 is a summary: topic, task, length, selector and summarizer. It is plain text, or HTML
as the evaluation program SEE wrote it, one unit a line, each in `<a ... id=N>`. Any other file is searched for <DOC>s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from adjudge.core.phrases import Argument
from adjudge.data.incoming import Item, LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.target import FORMS
from adjudge.formats.files import (
    NIST_TASKS,
    Once,
    Paths,
    Place,
    Unused,
    bare_name,
    byte_lines,
    decoded,
    from_files,
    one_of,
)
from adjudge.formats.markup import characters, read_marked_up, refuse_declarations, tokens
from adjudge.formats.records import ROLES, Role


def read(
    paths: Paths,
    *,
    topic: str | None = None,
    role: Role | None = None,
    form: str | None = None,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Documents and summaries of files, or of all files in a folder and below it.

    The topic of a document is the folder its file lies in, or `topic`; that of a summary stands in the
    file's name. Without `role`, people's summaries (a letter) are peers and references, systems' (a
    number) peers. `form` is that of all summaries: names do not tell abstracts and extracts apart, which
    DUC-2002 had of one length. Without `encoding`, UTF-8 is tried and Windows-1252 used for the bytes that are not.
    `max_line` bounds a document, a summary and a line, in bytes.
    """
    one_of("role", role, ROLES)
    one_of("form", form, FORMS)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        if is_summary(path):
            return read_summary(path, once, role=role, form=form, max_line=max_line, encoding=encoding)
        return _read_documents(path, once, topic, max_line, encoding)

    yield from from_files(paths, items, deep=True)


# Documents

_OPEN = re.compile(rb"<doc(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSE = re.compile(rb"</doc\s*>", re.IGNORECASE)
_ANY_TAG = re.compile(rb"<[^<>]*>")
_ID = re.compile(r"""\bid\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)
_FIELDS = {
    "DOCNO": "number",
    "TEXT": "text",
    "LEADPARA": "text",
    "LP": "text",
    "HEADLINE": "headline",
    "HEAD": "headline",
    "HL": "headline",
    "DATE": "date",
    "DATE_TIME": "date",
    "DATE1": "date",
    "DD": "date",
}
_PARAGRAPH = ("P", "S", "BR")
_INLINE = (*_PARAGRAPH, "F")  # tags that stand inside a field and do not end it


def _read_documents(
    path: Path, once: Once, topic: str | None, max_line: int, encoding: str | None
) -> Iterator[Item]:
    unused = Unused("element {} not used")
    name = topic or _folder(path)
    for place, raw in _split(path, max_line):
        if isinstance(raw, LeftOut):
            yield place.item(raw)
            continue
        doc = _parse(decoded(raw, place, encoding), place)
        yield from unused(place, doc.unused)
        if doc.number is None:
            yield place.item(LeftOut("<DOC> without <DOCNO>"))
        elif doc.text is None:
            yield place.item(LeftOut("<DOC> without <TEXT>"))
        else:
            date = date_in_line(doc.date or "") or date_in_number(doc.number)
            if date is None and doc.date:
                yield place.item(Noted("date not understood"))
            yield from once.new(place, place.row(Topic, {"topic": name}))
            data = {"topic": name, "id": doc.number, "date": date, "text": place.text("TEXT", doc.text)}
            if doc.headline:
                data["headline"] = place.text("HEADLINE", doc.headline)
            yield place.item(place.row(Document, data, {"id": "DOCNO"}))
        yield from place.noted()


def _folder(path: Path) -> str:
    name = path.parent.name
    return path.parent.resolve().name if name in ("", "..") else name


def _split(path: Path, max_line: int) -> Iterator[tuple[Place, bytes | LeftOut]]:
    """The file's <DOC>s, one at a time, each with the place where it begins."""
    parts: list[bytes] = []
    begun: Place | None = None
    stray: Place | None = None
    size = count = 0
    for number, line in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        refuse_declarations(line, place)
        at = 0
        while at < len(line):
            if begun is None:
                opens = _OPEN.search(line, at)
                outside = line[at : opens.start() if opens else len(line)]
                if stray is None and _ANY_TAG.sub(b"", outside).strip():
                    stray = place
                if opens is None:
                    break
                begun, parts, size, at = place, [opens.group()], 0, opens.end()
            closes = _CLOSE.search(line, at)
            end = closes.start() if closes else len(line)
            if _OPEN.search(line, at, end):
                raise place.wrong(f"a <DOC> begins before the one of line {begun.line} has ended")
            size += end - at
            if size > max_line:
                raise begun.wrong(
                    f"the <DOC> is longer than {max_line:,} bytes; allow more with {Argument('max_line')}"
                )
            parts.append(line[at:end])
            at = len(line)
            if closes:
                yield begun, b"".join(parts)
                begun, at, count = None, closes.end(), count + 1
    if begun is not None:
        raise begun.wrong("the <DOC> is not closed: is the file cut off?")
    if not count:
        yield Place(path, 1), LeftOut("file without <DOC>")
    elif stray is not None:
        yield stray, LeftOut("text outside <DOC>")


@dataclass
class _Found:
    """What a <DOC> holds, before it is checked."""

    number: str | None = None
    text: str | None = None
    headline: str | None = None
    date: str | None = None
    unused: list[str] = field(default_factory=list)


def _parse(doc: str, place: Place) -> _Found:
    pieces: dict[str, list[str]] = {}
    attributes = ""
    current: str | None = None  # the field that text goes to
    opened = ""  # the tag that began it
    unused: list[str] = []
    for token in tokens(doc):
        if isinstance(token, str):
            if current is not None:
                pieces[current].append(characters(token, place))
        elif token.name == "DOC":
            attributes = attributes or token.attributes
        elif token.closes and token.name == opened:
            current, opened = None, ""
        elif current is not None and (token.closes or current == "text" or token.name in _INLINE):
            pieces[current].append("\n\n" if token.name in _PARAGRAPH else " ")
        elif not token.closes and token.name not in _INLINE:
            current, opened = _FIELDS.get(token.name), token.name
            if current is None:
                unused.append(token.name)
            else:
                pieces.setdefault(current, []).append("\n\n")
    named = {name: paragraphs("".join(texts)) for name, texts in pieces.items()}
    number = " ".join(named.get("number", "").split())
    if not number and (match := _ID.search(attributes)):
        number = match[1]
    return _Found(
        number=number or None,
        text=named.get("text"),
        headline=named.get("headline"),
        date=named.get("date"),
        unused=unused,
    )


def paragraphs(text: str) -> str:
    """Hard-wrapped text as one paragraph a line. A blank or an indented line begins a new one."""
    result: list[list[str]] = [[]]
    for line in text.split("\n"):
        words = line.split()
        if not words or line.startswith(("  ", "\t")):
            result.append([])
        result[-1].extend(words)
    return "\n".join(" ".join(words) for words in result if words)


# Summaries

_NAME = re.compile(
    r"(?P<topic>[^.]+)\.(?:(?P<task>[MS])|(?P<each>P))\.(?P<length>[0-9]{1,6})\.(?P<selector>[^.]+)"
    r"\.(?P<who>[A-Za-z]|[0-9]{1,6})(?(each)\.(?P<document>[^.]+))(\.html?|\.txt|\.see|\.spl)?",
    re.IGNORECASE,
)
IS_SEE = re.compile(r"<a\s[^<>]*\bid\s*=", re.IGNORECASE)
_HAS_ID = re.compile(r"\bid\s*=", re.IGNORECASE)


def is_summary(path: Path) -> bool:
    """Whether the file is named like a summary of NIST's."""
    return _NAME.fullmatch(bare_name(path)) is not None


def read_summary(
    path: Path,
    once: Once,
    *,
    role: Role | None,
    form: str | None = None,
    max_line: int,
    encoding: str | None,
) -> Iterator[Item]:
    """The topic, system and summary of one such file."""
    place = Place(path, 1)
    named = _NAME.fullmatch(bare_name(path))
    if named is None:
        raise place.wrong(
            "not named TOPIC.M.LENGTH.SELECTOR.SUMMARIZER or SET.P.LENGTH.SELECTOR.SUMMARIZER.DOCUMENT"
        )
    human = named["who"].isalpha()
    data = {"topic": named["topic"], "selector": named["selector"]}
    if named["document"]:  # of one document of a set: as SEE's tables name it
        data |= {"topic": f"{named['topic']}.{named['document']}", "set": named["topic"], "task": "single"}
    else:
        data["task"] = NIST_TASKS[named["task"].upper()]
    topic = place.row(Topic, data)
    system = place.row(System, {"system": named["who"], "kind": "human" if human else None})
    text = _text(path, place, max_line, encoding)
    yield from once.new(place, topic)
    yield from once.new(place, system)
    summary = {
        "topic": topic.topic,
        "system": system.system,
        "length": place.whole_number("length", named["length"], least=1),
        "form": form,
        "roles": list(ROLES[role or ("both" if human else "peer")]),
        "text": text,
    }
    yield place.item(place.row(Summary, summary))
    yield from place.noted()


def _text(path: Path, place: Place, max_line: int, encoding: str | None) -> str:
    text = decoded(read_marked_up(path, "the summary is", max_line=max_line), place, encoding)
    is_html = text.lstrip()[:5].lower() == "<html"
    if is_html and "</html" not in text.lower():
        raise place.wrong("no </html>: is the file cut off?")
    if IS_SEE.search(text):
        return "\n".join(see_units(text, place))
    if is_html:
        raise place.wrong("HTML without units, expected <a href=... id=1>text</a>")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def see_units(text: str, place: Place) -> Iterator[str]:
    """The units of SEE's HTML, `<a href=... id=1>text</a>`."""
    unit: list[str] | None = None
    for token in tokens(text):
        if isinstance(token, str):
            if unit is not None:
                unit.append(characters(token, place))
        elif token.name == "A" and token.closes and unit is not None:
            yield " ".join("".join(unit).split())
            unit = None
        elif token.name == "A" and unit is not None:
            raise place.wrong("an <a> begins inside a unit: is a </a> missing?")
        elif token.name == "A" and _HAS_ID.search(token.attributes):
            unit = []
    if unit is not None:
        raise place.wrong("the last unit is not closed: is the file cut off?")


# When a document was written, from its date line or from its number: ISO 8601, or nothing

_MONTHS = [
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
]
_LONGEST = 200  # characters of a date line that are looked at
_CENTURY = 50  # 88 is 1988, 04 is 2004

_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)(?:[T ]+(\d\d):(\d\d))?", re.ASCII)
_DIGITS = re.compile(r"(?<!\d)(\d{8}|\d{6})(?!\d)", re.ASCII)
_AMERICAN = re.compile(r"(?<!\d)(\d\d?)/(\d\d?)/(\d{4}|\d\d)(?!\d)(?:\s+(\d\d):(\d\d))?", re.ASCII)
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? +(\d\d?)(?:st|nd|rd|th)?,? +(\d{4}|\d\d)\b", re.ASCII)
_DAY_FIRST = re.compile(r"\b(\d\d?) +([A-Za-z]{3,9})\.?,? +(\d{4}|\d\d)\b", re.ASCII)
_YEAR_AND_DAY = re.compile(r"SJMN(\d\d)-06(\d{3})\d+", re.ASCII)
_NUMBERED = re.compile(r"([A-Z]+)[_A-Z]*(\d{8}|\d{6})[-._]\d.*", re.ASCII)


def date_in_line(text: str) -> str | None:
    """The date in a date line, in the forms that news wires used, with the time where one is given."""
    text = " ".join(text[:_LONGEST].split())
    if match := _ISO.search(text):
        year, month, day, *clock = match.groups()
        return _iso(year, month, day, clock)
    if match := _AMERICAN.search(text):
        month, day, year, *clock = match.groups()
        return _iso(year, month, day, clock)
    for match in _MONTH_FIRST.finditer(text):
        if month := _month(match[1]):
            return _iso(match[3], month, match[2])
    for match in _DAY_FIRST.finditer(text):
        if month := _month(match[2]):
            return _iso(match[3], month, match[1])
    if match := _DIGITS.search(text):
        return _compact(match[1])
    return None


def date_in_number(number: str) -> str | None:
    """The date in a document's number.

    AP880911-0016 and WSJ911031-0012 are year, month, day; LA060490-0083 is month, day, year;
    SJMN91-06184003 is the year and the day of the year; APW19980602.0004 has the year in full.
    FT923-5089 holds a quarter and a running number: no date.
    """
    number = number[:_LONGEST]
    if match := _YEAR_AND_DAY.fullmatch(number):
        year = match[1]
        that_day = date(_year(year), 1, 1) + timedelta(days=int(match[2]) - 1)
        return that_day.isoformat() if that_day.year == _year(year) else None
    if match := _NUMBERED.fullmatch(number):
        wire, digits = match.groups()
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
