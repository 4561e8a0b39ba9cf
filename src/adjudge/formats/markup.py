"""Markup that no XML parser would take, in linear time: tags, comments, entities, declarations.

Nothing is declared, nested or expanded here: a tag is what stands between < and >, an entity a character. `html.parser`
will not do: where tags do not end, its time grows with the square of the text (Python 3.11), and it loses attributes
that hold quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.entities import html5
from pathlib import Path

from adjudge.core.phrases import Argument
from adjudge.data.incoming import Noted
from adjudge.formats.files import Place, byte_lines

UNKNOWN_ENTITY = Noted("unknown entity dropped")

# No pattern here can start inside its own match ([^<>]), so that searching stays linear.
_TAG = re.compile(r"<(?:!--|/?[A-Za-z][^<>]*>|![^<>]*>|\?[^<>]*>)")
ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow, and that UTF-8 cannot hold."""
_DECLARED = re.compile(rb"<!entity|<!doctype[^<>\[]*\[", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tag:
    """`<P>` is Tag("P", "", False), `</P>` is Tag("P", "", True); names are upper case."""

    name: str
    attributes: str
    closes: bool


def refuse_declarations(line: bytes, place: Place) -> None:
    """A file that declares entities is not one of NIST's, and may blow up whoever expands them."""
    if _DECLARED.search(line):
        raise place.wrong("declares entities or a document type of its own, which is not read")


def read_marked_up(path: Path, what: str, *, max_line: int) -> bytes:
    """All bytes of a file that declares nothing and is not too long; `what` is the file and its verb in the message."""
    parts: list[bytes] = []
    size = 0
    for number, line in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        refuse_declarations(line, place)
        size += len(line)
        if size > max_line:
            raise place.wrong(
                f"{what} longer than {max_line:,} bytes; allow more with {Argument('max_line')}"
            )
        parts.append(line)
    raw = b"".join(parts)
    refuse_declarations(raw, Place(path, 1))  # one that is spread over lines
    return raw


def tokens(text: str) -> Iterator[Tag | str]:
    """Tags and the texts between them; comments and declarations are skipped."""
    at, no_comment_ends = 0, False
    while match := _TAG.search(text, at):
        if match.start() > at:
            yield text[at : match.start()]
        at = match.end()
        inside = match.group()[1:-1]
        if match.group() == "<!--":
            end = -1 if no_comment_ends else text.find("-->", at)
            if end < 0:  # never closed: let the rest count as text, and look for no end again
                no_comment_ends = True
            else:
                at = end + 3
        elif inside[0] not in "!?":
            name, _, attributes = inside.lstrip("/").replace("\n", " ").partition(" ")
            yield Tag(name.strip("/\t\r").upper(), attributes, inside.startswith("/"))
    if at < len(text):
        yield text[at:]


def characters(text: str, place: Place) -> str:
    """Entities as characters; those that nobody knows are dropped, and noted."""

    def replace(match: re.Match[str]) -> str:
        char = character(match[1])
        char = character(match[1].lower()) if char is None else char
        if char is None:
            place.notes.append(UNKNOWN_ENTITY)
        return char or ""

    return ENTITY.sub(replace, text)


def character(entity: str) -> str | None:
    """What an entity stands for by the names that HTML has, or None."""
    return unescape(f"&{entity};") if entity.startswith("#") or f"{entity};" in html5 else None
