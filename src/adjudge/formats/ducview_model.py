"""From elements to pyramids and annotations: every oddity is noted, and what can be kept is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudge.formats.ducview_markup import Node, Notes
from adjudge.formats.ducview_text import Layout, lay_out
from adjudge.judgments.pyramid import (
    UNKNOWN,
    UNMATCHED,
    Contributor,
    Expressed,
    Part,
    PeerAnnotation,
    Pyramid,
    Scu,
    findings,
    home,
    peer_findings,
)

NO_TEXT = "pyramid or annotation without text: its offsets point nowhere"
NO_UID = "SCU of a pyramid without a number of its own: it got a new one"
NO_PEER_UID = "SCU of a peer without a number: it counts as matching nothing"
UID_TWICE = "SCU of a pyramid with a number that another one has: it got a new one"
MERGED = "SCU that stands twice in an annotation: its contributors were put together"
NO_LABEL = "SCU or part without a label: taken from the text"
FOUND = "part without offsets: found by its label"
LOST = "part without offsets, and its label is not in the text: it counts, but has no place"
NO_PART = "part without offsets and label: left out"
NO_PARTS = "contributor without parts: its label was taken for one"
NO_WORDS = "contributor without parts and label: left out"

_NUMBER = re.compile(r"\s*[0-9]{1,9}\s*")


@dataclass(frozen=True)
class Read:
    """A pyramid as read, with what its headers say."""

    pyramid: Pyramid
    layout: Layout


def read_pyramid(node: Node, note: Notes) -> Read:
    """The pyramid that an element holds."""
    text = _text(node, note)
    expression = node.first("startdocumentregex")
    pattern = expression.text if expression is not None else None
    if (
        pattern and "\n" in pattern
    ):  # laid out on lines of its own: in an expression a line end is written \\n
        pattern = pattern.strip()
    layout = lay_out(text, pattern)
    for reason in layout.notes:
        note(expression.line if expression else node.line, reason)
    bare = Pyramid(text, (), layout.references, pattern)
    lines: dict[int, int] = {}
    scus: list[Scu] = []
    for element, uid in _numbered(list(node.all("scu")), note):
        contributors = tuple(
            replace(each, reference=home(each.parts[0], bare)) for each in _contributors(element, text, note)
        )
        label = element.attributes.get("label")
        if label is None:
            note(element.line, NO_LABEL)
            label = contributors[0].label if contributors else ""
        scus.append(Scu(uid, label, contributors, _comment(element)))
        lines[uid] = element.line
    pyramid = replace(bare, scus=tuple(scus))
    for uid, reason in findings(pyramid):
        note(lines[uid], reason)
    return Read(pyramid, layout)


def read_annotation(node: Node, pyramid: Pyramid, note: Notes) -> PeerAnnotation:
    """The annotation that an element holds. Units that the peer does not express are not kept; what it is said to
    express of units that nobody knows matches nothing."""
    text = _text(node, note)
    known = {UNMATCHED, *pyramid.weights}
    found: dict[int, Expressed] = {}
    lines: dict[int, int] = {}
    for element in node.all("peerscu"):
        uid = _number(element, "uid")
        contributors = tuple(_contributors(element, text, note))
        if uid is None or uid not in known:
            if contributors:
                note(element.line, NO_PEER_UID if uid is None else UNKNOWN)
            uid = UNMATCHED
        elif uid in found and uid != UNMATCHED:
            note(element.line, MERGED)
        found[uid] = _joined(found.get(uid), Expressed(uid, contributors, _comment(element)))
        lines.setdefault(uid, element.line)
    in_order = [scu.uid for scu in pyramid.by_weight()] + [UNMATCHED]
    ordered = (found[uid] for uid in in_order if uid in found)
    kept = tuple(each for each in ordered if each.contributors or each.comment is not None)
    annotation = PeerAnnotation(text, kept, pyramid.digest())
    for uid, reason in peer_findings(annotation, pyramid):
        note(lines[uid], reason)
    return annotation


def _joined(one: Expressed | None, other: Expressed) -> Expressed:
    if one is None:
        return other
    comments = [each for each in (one.comment, other.comment) if each is not None]
    return Expressed(one.uid, one.contributors + other.contributors, " / ".join(comments) or None)


def _numbered(elements: list[Node], note: Notes) -> Iterator[tuple[Node, int]]:
    """Units with their numbers; a number that is missing, 0 or taken is replaced by one that is free."""
    numbers = [_number(element, "uid") for element in elements]
    free = max((number for number in numbers if number), default=0) + 1
    taken: set[int] = set()
    for element, number in zip(elements, numbers, strict=True):
        if not number or number in taken:
            note(element.line, UID_TWICE if number else NO_UID)
            number, free = free, free + 1
        taken.add(number)
        yield element, number


def _contributors(scu: Node, text: str, note: Notes) -> Iterator[Contributor]:
    for element in scu.all("contributor"):
        parts = tuple(part for each in element.all("part") if (part := _part(each, text, note)))
        label = element.attributes.get("label", "")
        if not parts and label.strip():
            note(element.line, NO_PARTS)
            parts = (_placed(label, text, element.line, note),)
        if parts:
            yield Contributor(parts, comment=_comment(element))
        else:
            note(element.line, NO_WORDS)


def _part(element: Node, text: str, note: Notes) -> Part | None:
    start, end = _number(element, "start"), _number(element, "end")
    label = element.attributes.get("label")
    if start is None or end is None:
        if label is None or not label.strip():
            note(element.line, NO_PART)
            return None
        return _placed(label, text, element.line, note)
    if label is None:
        note(element.line, NO_LABEL)
        label = text[start:end]
    return Part(start, end, label)


def _placed(label: str, text: str, line: int, note: Notes) -> Part:
    """A part where the text has its words, white space aside; without a place where it has not."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    words = "".join(label.split())
    at = "".join(text.split()).find(words) if words else -1
    note(line, FOUND if at >= 0 else LOST)
    return Part(places[at], places[at + len(words) - 1] + 1, label) if at >= 0 else Part(0, 0, label)


def _text(node: Node, note: Notes) -> str:
    text = node.first("text")
    if text is None:
        note(node.line, NO_TEXT)
        return ""
    return "\n".join(line.text for line in text.all("line"))


def _number(element: Node, name: str) -> int | None:
    value = element.attributes.get(name, "")
    return int(value) if _NUMBER.fullmatch(value) else None


def _comment(element: Node) -> str | None:
    return element.attributes.get("comment", "").strip() or None
