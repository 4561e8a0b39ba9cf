"""DUCView's pyramids (.pyr) and peer annotations (.pan), in and out.

A .pan holds its pyramid whole. Where it is the same as another file's, it is kept once; where it differs, beside it,
and each annotation names the pyramid that it was held against. How files are taken apart lives in ducview_markup.py
and ducview_model.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from adjudge.data.incoming import LeftOut
from adjudge.data.lines import MAX_LINE, open_bytes
from adjudge.data.rows import Summary, System, Topic
from adjudge.errors import AdjudgeError, FormatError
from adjudge.formats.ducview_markup import DeclaresEntities, Notes, parse
from adjudge.formats.ducview_model import Read, read_annotation, read_pyramid
from adjudge.formats.ducview_text import Name
from adjudge.formats.ducview_write import exported, pan, pyr, write_pan, write_pyr
from adjudge.formats.files import (
    BASELINES,
    BYTE_ORDER_MARK,
    Once,
    Paths,
    Place,
    bare_name,
    decoded,
    find_files,
    nist_kind,
    reading,
)
from adjudge.judgments.intake import Item
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, load_protocol
from adjudge.judgments.pyramid import PeerAnnotation
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id

__all__ = ["exported", "pan", "pyr", "read", "write_pan", "write_pyr"]

ASSESSOR = "ducview"
SUFFIXES = (".pyr", ".pan")
ENTITIES = LeftOut("file that declares entities: not read")
NO_PYRAMID = LeftOut("file without a pyramid")
NO_ANNOTATION = LeftOut("peer annotation without an annotation: its pyramid alone is kept")
OTHER_PYRAMID = LeftOut("pyramid that differs from an earlier file's of the topic: kept beside it")
AGAIN = LeftOut("second annotation of a peer by one assessor (say who made it with --assessor)")
OTHER_TEXT = LeftOut(
    "text of a summary that differs from an earlier file's: the earlier one is kept as the summary"
)
OTHER_ENCODING = LeftOut("file that is not in the encoding it declares: read as UTF-8 or Windows-1252")

_ANYWAY = (b"utf", b"ucs", b"iso-10646")  # UTF-8 is tried anyway, and who reads this is not in UTF-16
_DECLARED = re.compile(rb"""^\s{0,20}<\?xml[^<>]{0,200}?encoding\s{0,5}=\s{0,5}["']([A-Za-z0-9._-]{1,40})""")


def read(
    paths: Paths,
    *,
    evaluation: str,
    assessor: str = ASSESSOR,
    baselines: int = BASELINES,
    encoding: str | None = None,
    max_size: int = MAX_LINE,
) -> Iterator[Item]:
    """Topics, systems, summaries, tasks and answers of .pyr and .pan files, or of folders of them.

    Names come from the headers of the references (D0601.M.250.A.B) and from the names of the .pan files
    (D0601.M.250.A.17.pan). Without `encoding` a file's own declaration holds, then UTF-8, then Windows-1252 for
    the bytes that are none.
    """
    files: list[Path] = []
    for path, left in find_files(paths, SUFFIXES, deep=True):
        if left:
            yield str(path), left
        else:
            files.append(path)
    intake = _Intake(evaluation, assessor, baselines)
    for path in sorted(files, key=_is_pan):  # pyramids first: those of the annotations are mostly the same
        yield from intake.file(path, _bytes(path, max_size), encoding)


def _is_pan(path: Path) -> bool:
    return bare_name(path).lower().endswith(".pan")


def _bytes(path: Path, max_size: int) -> bytes:
    with reading(path), open_bytes(path) as stream:
        raw = stream.read(max_size + 1)
    if len(raw) > max_size:
        raise FormatError(f"the file is larger than {max_size:,} bytes", file=path)
    return raw


def _decoded(raw: bytes, place: Place, encoding: str | None) -> str:
    """The text of a file, with plain newlines. No byte is dropped: offsets count characters."""
    if encoding is None and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    declared = _DECLARED.search(raw[:400])
    if encoding is None and declared and not declared[1].lower().startswith(_ANYWAY):
        try:
            return decoded(raw, place, declared[1].decode("ascii"))
        except AdjudgeError:
            place.notes.append(OTHER_ENCODING)
    return decoded(raw, place, encoding)


@dataclass
class _Intake:
    """One import: what has been seen, so that it is yielded once."""

    evaluation: str
    assessor: str
    baselines: int
    once: Once = field(default_factory=Once)
    texts: dict[tuple[str, str, int | None], str] = field(default_factory=dict)
    pyramids: dict[str, set[str]] = field(default_factory=dict)
    annotated: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.version = load_protocol("pyramid").version

    def file(self, path: Path, raw: bytes, encoding: str | None) -> Iterator[Item]:
        place, note = Place(path, 1), Notes()
        try:
            top = parse(_decoded(raw, place, encoding), note)
        except DeclaresEntities:
            yield place.item(ENTITIES)
            return
        yield from place.noted()
        outer = top.first("peerannotation") or top
        holder = outer.first("pyramid")
        if holder is None:
            yield place.item(NO_PYRAMID)
            return
        found = read_pyramid(holder, note)
        inner = outer.first("annotation")
        annotation = read_annotation(inner, found.pyramid, note) if inner is not None else None
        for line, reason in note.found:
            yield Place(path, line).item(LeftOut(reason))
        name = file_name(path, found)
        yield from self.pyramid(place, name, found)
        if annotation is not None:
            yield from self.peer(place, name, annotation)
        elif _is_pan(path):
            yield place.item(NO_ANNOTATION)

    def pyramid(self, place: Place, name: Name, found: Read) -> Iterator[Item]:
        """The topic, its references, and the pyramid, where they are new."""
        pyramid, about = found.pyramid, found.layout.about or name
        row = place.row(Topic, {"topic": name.topic, "task": about.task, "selector": about.selector})
        yield from self.once.new(place, row)
        topic = row.topic
        for reference in pyramid.references:
            roles = ["peer", "reference"] if nist_kind(reference.system) == "human" else ["reference"]
            ref = TextRef(reference.system, reference.length)
            yield from self.summary(place, topic, ref, "human", roles, pyramid.text_of(reference))
        digest = pyramid.digest()
        known = self.pyramids.setdefault(topic, set())
        if digest not in known:
            if known:
                yield place.item(OTHER_PYRAMID)
            known.add(digest)
            id = stable_id(PYRAMID, self.assessor, topic, digest)
            yield from self.answered(place, id, topic, None, PYRAMID, pyramid.to_answer())

    def peer(self, place: Place, name: Name, annotation: PeerAnnotation) -> Iterator[Item]:
        """The peer, its text and its annotation; an assessor has one annotation of a peer."""
        peer = TextRef(name.who, name.length)
        id = stable_id(PYRAMID_PEER, self.assessor, name.topic, peer.system, peer.length)
        if id in self.annotated:
            yield place.item(AGAIN)
            return
        self.annotated.add(id)
        topic, kind = str(name.topic), nist_kind(name.who, self.baselines)
        yield from self.summary(place, topic, peer, kind, ["peer"], annotation.text.strip("\n"))
        yield from self.answered(place, id, topic, peer, PYRAMID_PEER, annotation.to_answer())

    def summary(
        self, place: Place, topic: str, ref: TextRef, kind: str | None, roles: list[str], text: str
    ) -> Iterator[Item]:
        """A system and its text, where they are new."""
        yield from self.once.new(place, place.row(System, {"system": ref.system, "kind": kind}))
        key = (topic, ref.system, ref.length)
        if key in self.texts:
            if self.texts[key] != text:
                yield place.item(OTHER_TEXT)
            return
        self.texts[key] = text
        row = {"topic": topic, "system": ref.system, "length": ref.length, "roles": roles, "text": text}
        yield place.item(place.row(Summary, row))

    def answered(
        self, place: Place, id: str, topic: str, peer: TextRef | None, question: str, answer: dict[str, Any]
    ) -> Iterator[Item]:
        """A task and its answer. The answer keeps the text that it is about, so the task needs no hash of it."""
        yield str(place), Task(id, self.evaluation, self.assessor, "pyramid", self.version, topic, peer)
        event = stable_id(id, json.dumps(answer, sort_keys=True))
        yield (
            str(place),
            Event(event, self.evaluation, id, self.assessor, question, answer, origin="imported"),
        )


def file_name(path: Path, found: Read) -> Name:
    """Topic and peer of a file. The topic is what the headers say, so that all files of a topic meet."""
    stem = unquote(re.sub(r"(~[0-9]+)?\.(pyr|pan)$", "", bare_name(path), flags=re.IGNORECASE))
    name, about = Name.parse(stem), found.layout.about
    topic = about.topic if about is not None else None
    if about is None or topic is None:
        return replace(name, topic=name.topic or stem)
    if name.topic is not None:
        return replace(name, topic=topic)
    rest = stem[len(topic) :].strip("._- ") if stem.lower().startswith(topic.lower()) else ""
    return replace(about, who=rest or stem)  # the length is that of the references
