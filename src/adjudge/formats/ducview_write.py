"""Pyramids and annotations as DUCView's files. Reading them is ducview.py."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from adjudge.core.errors import DataError, quoted
from adjudge.formats.ducview import SummaryName, lay_out
from adjudge.formats.markup import ILLEGAL
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import (
    UNMATCHED,
    Contributor,
    Expressed,
    PeerAnnotation,
    Pyramid,
    annotation_of,
    built,
    pyramid_for,
)
from adjudge.judgments.tasks import Judged, TextRef

_UNMATCHED_LABEL = "All non-matching SCUs go here"
_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
_SPECIAL = re.compile('[&<>"\r\n\t]')

# DUCView reads with a validating parser, so its files declare what they hold.
_PYRAMID_TYPE = """\
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)*>
 <!ATTLIST scu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED start CDATA #REQUIRED end CDATA #REQUIRED>
"""
_PEER_TYPE = """\
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>
"""


def write_pyr(pyramid: Pyramid, path: str | Path) -> None:
    """A pyramid as a .pyr file."""
    Path(path).write_text(pyr(pyramid), encoding="utf-8", newline="\n")


def write_pan(pyramid: Pyramid, annotation: PeerAnnotation, path: str | Path) -> None:
    """A peer's annotation, with the pyramid that it was made with, as a .pan file."""
    Path(path).write_text(pan(pyramid, annotation), encoding="utf-8", newline="\n")


def pyr(pyramid: Pyramid) -> str:
    """The text of a .pyr file."""
    return _file("pyramid", _PYRAMID_TYPE, _pyramid(pyramid))


def pan(pyramid: Pyramid, annotation: PeerAnnotation) -> str:
    """The text of a .pan file."""
    inside = [
        "<peerAnnotation>",
        *_pyramid(pyramid),
        *_annotation(pyramid, annotation),
        "</peerAnnotation>",
    ]
    return _file("peerAnnotation", _PEER_TYPE + _PYRAMID_TYPE, inside)


def _file(root: str, type: str, lines: Iterator[str] | Sequence[str]) -> str:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE {root} [\n{type}]>\n\n'
    return head + "\n".join(lines) + "\n"


def _pyramid(pyramid: Pyramid) -> Iterator[str]:
    yield "<pyramid>"
    if pyramid.pattern is not None:
        yield f"<startDocumentRegEx>{_literal(pyramid.pattern)}</startDocumentRegEx>"
    yield from _text(pyramid.text)
    for scu in pyramid.scus:
        yield f' <scu uid="{scu.uid}" label="{_quoted(scu.label)}"{_comment(scu.comment)}>'
        yield from _contributors(scu.contributors)
        yield " </scu>"
    yield "</pyramid>"


def _annotation(pyramid: Pyramid, annotation: PeerAnnotation) -> Iterator[str]:
    """All units of the pyramid, the heaviest first, as DUCView lists them; then what matches none."""
    yield "<annotation>"
    yield from _text(annotation.text)
    weights = pyramid.weights
    expressed = {unit.uid: unit for unit in annotation.scus if unit.uid in weights}
    for scu in pyramid.by_weight():
        yield from _peer_scu(expressed.get(scu.uid, Expressed(scu.uid)), f"({scu.weight}) {scu.label}")
    others = [
        unit for unit in annotation.scus if unit.uid not in weights
    ]  # DUCView stops at units it does not know
    comments = [unit.comment for unit in others if unit.comment is not None]
    unmatched = tuple(contributor for unit in others for contributor in unit.contributors)
    yield from _peer_scu(Expressed(UNMATCHED, unmatched, " / ".join(comments) or None), _UNMATCHED_LABEL)
    yield "</annotation>"


def _peer_scu(scu: Expressed, label: str) -> Iterator[str]:
    yield f' <peerscu uid="{scu.uid}" label="{_quoted(label)}"{_comment(scu.comment)}>'
    yield from _contributors(scu.contributors)
    yield " </peerscu>"


def _contributors(contributors: Sequence[Contributor]) -> Iterator[str]:
    for contributor in contributors:
        yield f'  <contributor label="{_quoted(contributor.label)}"{_comment(contributor.comment)}>'
        for part in contributor.parts:
            yield f'   <part label="{_quoted(part.text)}" start="{part.start}" end="{part.end}"/>'
        yield "  </contributor>"


def _text(text: str) -> Iterator[str]:
    yield " <text>"
    yield from (f"  <line>{_quoted(line)}</line>" for line in text.split("\n"))
    yield " </text>"


def _comment(comment: str | None) -> str:
    return "" if comment is None else f' comment="{_quoted(comment)}"'


def _quoted(text: str) -> str:
    """Text for an element or an attribute: line ends and tabs as numbers, or a parser would change them."""
    return _SPECIAL.sub(lambda sign: _SIGNS[sign[0]], ILLEGAL.sub("\ufffd", text))


def _literal(text: str) -> str:
    """DUCView writes its expression as CDATA, and reads only the first piece of it."""
    plain = not ("]]>" in text or "\r" in text)
    return f"<![CDATA[{ILLEGAL.sub(chr(0xFFFD), text)}]]>" if plain else _quoted(text)


# A whole evaluation


def exported(judged: Iterable[Judged]) -> Iterator[tuple[str, str]]:
    """All pyramids and annotations among judgments as files: name below a folder, and text.

    The files of several assessors stand in a folder each, and so do those of peers that have a form, and repeats.
    Raises DataError for an annotation whose pyramid is not there.
    """
    topics: dict[str, list[Judged]] = {}
    for judgment in judged:
        if judgment.answers.keys() & {PYRAMID, PYRAMID_PEER}:
            topics.setdefault(judgment.task.topic, []).append(judgment)
    several = len({judgment.task.assessor for some in topics.values() for judgment in some}) > 1
    names: Counter[str] = Counter()
    for topic, some in topics.items():
        pyramids = built(some)
        for one in pyramids:
            name = _folder(one.judged, several) + _safe(topic)
            names[name] += 1
            yield f"{name}{f'~{names[name]}' if names[name] > 1 else ''}.pyr", pyr(one.pyramid)
        for judgment in some:
            if PYRAMID_PEER not in judgment.answers or judgment.task.peer is None:
                continue
            annotation = annotation_of(judgment.answers[PYRAMID_PEER].answer)
            against = pyramid_for(annotation, judgment.task.assessor, pyramids)
            if isinstance(against, str):
                raise DataError(f"topic {quoted(topic)}, peer {quoted(judgment.task.peer.system)}: {against}")
            form = f"{_safe(judgment.task.peer.form)}/" if judgment.task.peer.form else ""
            folder, name = (
                _folder(judgment, several) + form,
                _peer_file(topic, judgment.task.peer, against.pyramid),
            )
            names[folder + name] += 1
            again = names[folder + name] - 1
            yield f"{folder}{f'repeat-{again}/' if again else ''}{name}", pan(against.pyramid, annotation)


def _folder(judged: Judged, several: bool) -> str:
    return f"{_safe(judged.task.assessor)}/" if several else ""


def _peer_file(topic: str, peer: TextRef, pyramid: Pyramid) -> str:
    about = lay_out(pyramid.text, pyramid.pattern).about or SummaryName("")
    return f"{_safe(str(SummaryName(peer.system, topic, about.task, peer.length, about.selector)))}.pan"


def _safe(name: str) -> str:
    """A name as a part of a path on any system; reading turns it back."""
    plain = quote(name, safe=" ").replace(
        "~", "%7E"
    )  # that sign stands before the number of a second pyramid
    return f"%2E{plain[1:]}" if plain.startswith(".") else plain
