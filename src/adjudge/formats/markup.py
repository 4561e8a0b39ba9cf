"""Markup that no XML parser would take: tags, comments and entities of DUC's files, in linear time.

Nothing is declared, nested or expanded here: a tag is what stands between < and >, an entity a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.entities import html5

from adjudge.data.incoming import LeftOut
from adjudge.formats.files import Place

UNKNOWN_ENTITY = LeftOut("unknown entity dropped")

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


def tokens(text: str) -> Iterator[Tag | str]:
    """Tags and the texts between them; comments and declarations are skipped."""
    at, no_comment_ends = 0, False
    while found := _TAG.search(text, at):
        if found.start() > at:
            yield text[at : found.start()]
        at = found.end()
        inside = found.group()[1:-1]
        if found.group() == "<!--":
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

    def replace(found: re.Match[str]) -> str:
        known = character(found[1])
        known = character(found[1].lower()) if known is None else known
        if known is None:
            place.notes.append(UNKNOWN_ENTITY)
        return known or ""

    return ENTITY.sub(replace, text)


def character(entity: str) -> str | None:
    """What an entity stands for by the names that HTML has, or None."""
    return unescape(f"&{entity};") if entity.startswith("#") or f"{entity};" in html5 else None
