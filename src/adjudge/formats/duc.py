"""What NIST gave out for DUC and TAC: documents as SGML that never was well-formed, summaries as files.

A file named like D0601.M.250.A.17 is a summary (duc_summaries.py); any other is searched for <DOC>s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Document, Topic
from adjudge.formats import newsdates
from adjudge.formats.duc_summaries import is_summary, read_summary
from adjudge.formats.files import Once, Paths, Place, Unused, byte_lines, find_files, one_of
from adjudge.formats.markup import characters, decoded, paragraphs, refuse_declarations, tokens
from adjudge.formats.records import ROLES, Role

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


def read(
    paths: Paths,
    *,
    topic: str | None = None,
    role: Role | None = None,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Documents and summaries of files, or of all files in a folder and below it.

    The topic of a document is the folder its file lies in, or `topic`; that of a summary stands in the
    file's name. Without `role`, people's summaries (a letter) are peers and references, systems' (a
    number) peers. Without `encoding`, UTF-8 is tried and Windows-1252 used for the bytes that are not.
    `max_line` bounds a document, a summary and a line, in bytes.
    """
    one_of("--role", role, ROLES)
    once = Once()
    for path, left in find_files(paths, deep=True):
        if left:
            yield str(path), left
        elif is_summary(path):
            yield from read_summary(path, once, role=role, max_line=max_line, encoding=encoding)
        else:
            yield from _read_documents(path, once, topic, max_line, encoding)


def _read_documents(
    path: Path, once: Once, topic: str | None, max_line: int, encoding: str | None
) -> Iterator[Item]:
    unused = Unused("element {} not used")
    name = topic or _folder(path)
    for place, raw in _split(path, max_line):
        if isinstance(raw, LeftOut):
            yield place.item(raw)
            continue
        found = _parse(decoded(raw, place, encoding), place)
        yield from unused(place, found.unused)
        yield from _document(place, once, name, found)
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
                raise begun.wrong(f"the <DOC> is longer than {max_line:,} bytes; allow more with --max-line")
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
    if not number and (found := _ID.search(attributes)):
        number = found[1]
    return _Found(number or None, named.get("text"), named.get("headline"), named.get("date"), unused)


def _document(place: Place, once: Once, topic: str, found: _Found) -> Iterator[Item]:
    if found.number is None:
        yield place.item(LeftOut("<DOC> without <DOCNO>"))
    elif found.text is None:
        yield place.item(LeftOut("<DOC> without <TEXT>"))
    else:
        date = newsdates.from_line(found.date or "") or newsdates.from_number(found.number)
        if date is None and found.date:
            yield place.item(LeftOut("date not understood"))
        yield from once.new(place, place.row(Topic, {"topic": topic}))
        data = {"topic": topic, "id": found.number, "date": date, "text": place.text("TEXT", found.text)}
        if found.headline:
            data["headline"] = place.text("HEADLINE", found.headline)
        yield place.item(place.row(Document, data, {"id": "DOCNO"}))
