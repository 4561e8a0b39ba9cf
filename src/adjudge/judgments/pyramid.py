"""Pyramids of content units and what peers express of them: plain data, and the answers that hold them.

A pyramid is one answer (question `pyramid`), a peer's annotation another (`pyramid-peer`); both are saved whole every
time, with the text that their offsets count in. Reading them back checks every field; a mistake is one line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, TypeVar

from adjudge.core.errors import DataError, quoted, quoted_json
from adjudge.data.target import Target
from adjudge.judgments.tasks import Judged

T = TypeVar("T")
PYRAMID, PYRAMID_PEER = "pyramid", "pyramid-peer"
"""The questions: for the pyramid of a topic's references, and for what a peer expresses of it."""
LARGEST = 10**9  # of whole numbers in an answer
UNMATCHED = 0
"""The uid under which a peer's annotation collects what matches no unit of the pyramid."""

MISPLACED = "part whose label is not what stands at its offsets"
SEVERAL = "contributor with parts in several references: it counts as the first one's"
HOMELESS = "contributor that is in none of the references: it counts, and stays when a reference is left out"
TWICE = "SCU with several contributors from one reference: its weight counts all of them"
EMPTY = "SCU without contributors: it weighs nothing"
UNKNOWN = "SCU that the pyramid does not have: it counts as matching nothing"


@dataclass(frozen=True, slots=True)
class Part:
    """Some words at [start, end): `text` is what the assessor saw there."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Contributor:
    """Words of one text that express a unit. `reference` is whose they are, in a pyramid, where that is known."""

    parts: tuple[Part, ...]
    reference: str | None = None
    comment: str | None = None

    @property
    def label(self) -> str:
        """The words in the order of the text."""
        return "...".join(part.text for part in sorted(self.parts, key=lambda part: (part.start, part.end)))


@dataclass(frozen=True, slots=True)
class Scu:
    """A content unit: a label, and the words of each reference that express it."""

    uid: int
    label: str
    contributors: tuple[Contributor, ...] = ()
    comment: str | None = None

    @property
    def weight(self) -> int:
        return len(self.contributors)


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference's text: [start, end) of the pyramid's."""

    system: str
    length: int | None
    start: int
    end: int
    form: str | None = None

    @property
    def target(self) -> Target:
        return Target(self.length, self.form)


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The content units of a topic's references.

    `text` is all references, each under its header; `pattern` the regular expression of the headers, where a file
    had one.
    """

    text: str
    scus: tuple[Scu, ...]
    references: tuple[Reference, ...] = ()
    pattern: str | None = None
    saved_as: str | None = None
    """The digest under which it was saved, where a reference has been renamed since."""

    @property
    def weights(self) -> dict[int, int]:
        return {scu.uid: scu.weight for scu in self.scus}

    @property
    def contributors(self) -> int:
        return sum(scu.weight for scu in self.scus)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(reference.system for reference in self.references)

    def tiers(self) -> dict[int, int]:
        """How many units there are of each weight, the heaviest first."""
        return dict(sorted(Counter(scu.weight for scu in self.scus).items(), reverse=True))

    def by_weight(self) -> list[Scu]:
        """The units, the heaviest first, as DUCView lists them for a peer; equals stay in the pyramid's order."""
        return sorted(self.scus, key=lambda scu: -scu.weight)

    def text_of(self, reference: Reference) -> str:
        """One reference's text, without the space around it."""
        lines = self.text[reference.start : reference.end].strip("\n").split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def without(self, system: str) -> Pyramid:
        """The pyramid of the other references: a unit that only this one expresses is gone."""
        left = (
            replace(scu, contributors=tuple(c for c in scu.contributors if c.reference != system))
            for scu in self.scus
        )
        return replace(
            self,
            scus=tuple(scu for scu in left if scu.contributors),
            references=tuple(r for r in self.references if r.system != system),
            saved_as=None,
        )

    def with_name(self, old: str, new: str) -> Pyramid:
        """The pyramid after a reference's system got another name. Its digest stays: annotations refer to it."""
        if old not in self.systems:
            return self
        scus = (
            replace(
                scu,
                contributors=tuple(
                    replace(c, reference=new) if c.reference == old else c for c in scu.contributors
                ),
            )
            for scu in self.scus
        )
        references = (replace(r, system=new) if r.system == old else r for r in self.references)
        return replace(self, scus=tuple(scus), references=tuple(references), saved_as=self.digest())

    def digest(self) -> str:
        """Identifies this pyramid. The order of units and comments on them do not count."""
        if self.saved_as is not None:
            return self.saved_as
        units = sorted(
            [scu.uid, scu.label, sorted(_places(contributor) for contributor in scu.contributors)]
            for scu in self.scus
        )
        references = [[r.system, *r.target.parts] for r in self.references]
        data = json.dumps([self.text, references, units], ensure_ascii=True)
        return blake2b(data.encode("ascii"), digest_size=16).hexdigest()

    def to_answer(self) -> dict[str, Any]:
        """The answer to the question `pyramid`."""
        return {
            "text": self.text,
            "references": [
                {"system": r.system, "length": r.length, "start": r.start, "end": r.end}
                | r.target.form_dict()
                for r in self.references
            ],
            "pattern": self.pattern,
            "scus": [
                {"uid": scu.uid, "label": scu.label, "contributors": _contributors(scu.contributors)}
                | _comment(scu.comment)
                for scu in self.scus
            ],
        }


@dataclass(frozen=True, slots=True)
class Expressed:
    """A unit that a peer expresses, and where: every time it does is a contributor."""

    uid: int
    contributors: tuple[Contributor, ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """What one peer expresses. `pyramid` is the digest of the pyramid that it was compared with, where known."""

    text: str
    scus: tuple[Expressed, ...]
    pyramid: str | None = None

    def times(self) -> dict[int, int]:
        """How often each unit is expressed; units that are not expressed are left out."""
        return {scu.uid: len(scu.contributors) for scu in self.scus if scu.contributors}

    def to_answer(self) -> dict[str, Any]:
        """The answer to the question `pyramid-peer`."""
        return {
            "pyramid": self.pyramid,
            "text": self.text,
            "scus": [
                {"uid": scu.uid, "contributors": _contributors(scu.contributors)} | _comment(scu.comment)
                for scu in self.scus
            ],
        }


def annotation_of_reference(pyramid: Pyramid, system: str) -> PeerAnnotation:
    """What a reference expresses, as the pyramid itself says: its own contributors, at their places there.

    Compared with the pyramid of the other references, its own units match nothing.
    """
    expressed = (
        Expressed(
            scu.uid, tuple(replace(c, reference=None) for c in scu.contributors if c.reference == system)
        )
        for scu in pyramid.scus
    )
    return PeerAnnotation(pyramid.text, tuple(scu for scu in expressed if scu.contributors), pyramid.digest())


# What people should look at


def findings(pyramid: Pyramid) -> Iterator[tuple[int, str]]:
    """What is odd in a pyramid, by unit. Nothing of it stops a score."""
    for scu in pyramid.scus:
        if not scu.contributors:
            yield scu.uid, EMPTY
        for contributor in scu.contributors:
            for part in contributor.parts:
                if not stands(part, pyramid.text):
                    yield scu.uid, MISPLACED
            homes = {home(part, pyramid) for part in contributor.parts}
            if len(homes) > 1:
                yield scu.uid, SEVERAL
            if contributor.reference is None and pyramid.references:
                yield scu.uid, HOMELESS
        writers = Counter(c.reference for c in scu.contributors if c.reference is not None)
        if any(times > 1 for times in writers.values()):
            yield scu.uid, TWICE


def peer_findings(annotation: PeerAnnotation, pyramid: Pyramid) -> Iterator[tuple[int, str]]:
    """What is odd in a peer's annotation, by unit."""
    weights = pyramid.weights
    for scu in annotation.scus:
        if scu.contributors and scu.uid != UNMATCHED and scu.uid not in weights:
            yield scu.uid, UNKNOWN
        for contributor in scu.contributors:
            for part in contributor.parts:
                if not stands(part, annotation.text):
                    yield scu.uid, MISPLACED


def stands(part: Part, text: str) -> bool:
    """Whether the words are at their offsets. White space does not count: DUCView's labels lose line ends."""
    return part.end <= len(text) and _squashed(text[part.start : part.end]) == _squashed(part.text)


def home(part: Part, pyramid: Pyramid) -> str | None:
    """Whose words these are: by their offsets, or, where those are wrong, by the only text that has the words."""
    if not stands(part, pyramid.text):
        words = _squashed(part.text)
        having = [r for r in pyramid.references if words in _squashed(pyramid.text[r.start : r.end])]
        if words and len(having) == 1:
            return having[0].system
    if part.end <= part.start:  # no place at all
        return None
    return next(
        (r.system for r in pyramid.references if part.start < r.end), None
    )  # headers come before texts


def _squashed(text: str) -> str:
    return "".join(text.split())


# Answers


def _places(contributor: Contributor) -> list[Any]:
    return [
        contributor.reference or "",
        sorted([part.start, part.end, part.text] for part in contributor.parts),
    ]


def _contributors(contributors: Iterable[Contributor]) -> list[dict[str, Any]]:
    return [
        ({} if c.reference is None else {"reference": c.reference})
        | {"parts": [{"start": p.start, "end": p.end, "text": p.text} for p in c.parts]}
        | _comment(c.comment)
        for c in contributors
    ]


def _comment(comment: str | None) -> dict[str, Any]:
    return {} if comment is None else {"comment": comment}


def pyramid_of(answer: Any) -> Pyramid:
    """The pyramid that an answer to `pyramid` holds."""
    fields = _object(answer, PYRAMID)
    references = tuple(
        Reference(
            _name(reference, "system", where),
            None if reference.get("length") is None else _whole(reference, "length", where, least=1),
            _whole(reference, "start", where),
            _whole(reference, "end", where),
            None if reference.get("form") is None else _name(reference, "form", where),
        )
        for where, reference in _objects(fields, "references", PYRAMID)
    )
    _refuse_twice([r.system for r in references], "reference", PYRAMID)
    pyramid = Pyramid(
        _text(fields, "text", PYRAMID),
        tuple(
            Scu(
                _whole(scu, "uid", where, least=1),
                _text(scu, "label", where),
                _read_contributors(scu, where),
                _optional(scu, "comment", where),
            )
            for where, scu in _objects(fields, "scus", PYRAMID)
        ),
        references,
        _optional(fields, "pattern", PYRAMID),
    )
    _refuse_twice([scu.uid for scu in pyramid.scus], "uid", PYRAMID)
    strange = {c.reference for scu in pyramid.scus for c in scu.contributors} - {None, *pyramid.systems}
    if strange:
        raise DataError(f"{PYRAMID}: a contributor of {quoted(min(map(str, strange)))}, who is no reference")
    return pyramid


def annotation_of(answer: Any) -> PeerAnnotation:
    """The annotation that an answer to `pyramid-peer` holds."""
    fields = _object(answer, PYRAMID_PEER)
    annotation = PeerAnnotation(
        _text(fields, "text", PYRAMID_PEER),
        tuple(
            Expressed(
                _whole(scu, "uid", where),
                _read_contributors(scu, where),
                _optional(scu, "comment", where),
            )
            for where, scu in _objects(fields, "scus", PYRAMID_PEER)
        ),
        _optional(fields, "pyramid", PYRAMID_PEER),
    )
    _refuse_twice([scu.uid for scu in annotation.scus], "uid", PYRAMID_PEER)
    return annotation


@dataclass(frozen=True)
class Built:
    """A pyramid that somebody built."""

    judged: Judged
    pyramid: Pyramid
    digest: str


def built(judged: Iterable[Judged]) -> list[Built]:
    """The pyramids among a topic's judgments."""
    pyramids = []
    for judgment in judged:
        if PYRAMID in judgment.answers:
            # A pyramid under the names that its references' systems got after it was saved.
            pyramid = pyramid_of(judgment.answers[PYRAMID].answer)
            saved_at = judgment.answers[PYRAMID].received_at or ""
            for when, old, new in judgment.task.renamed:
                if saved_at <= when:
                    pyramid = pyramid.with_name(old, new)
            pyramids.append(Built(judgment, pyramid, pyramid.digest()))
    return pyramids


def pyramid_for(annotation: PeerAnnotation, assessor: str, pyramids: Iterable[Built]) -> Built | str:
    """The pyramid that an annotation was compared with, or why there is none.

    It is the one that the annotation names; where that is not there any more (somebody went on building), the
    only one of the same assessor, or else the only one there is.
    """
    candidates = list(pyramids)
    of_assessor = [candidate for candidate in candidates if candidate.judged.task.assessor == assessor]
    named = [candidate for candidate in candidates if candidate.digest == annotation.pyramid]
    if named:
        return next((candidate for candidate in named if candidate in of_assessor), named[0])
    for some in (of_assessor, candidates):
        if len(some) == 1:
            return some[0]
    return (
        "there are several pyramids, and none is the one it was compared with" if candidates else "no pyramid"
    )


def _read_contributors(fields: Mapping[str, Any], where: str) -> tuple[Contributor, ...]:
    return tuple(
        Contributor(
            _parts(contributor, place),
            _optional(contributor, "reference", place),
            _optional(contributor, "comment", place),
        )
        for place, contributor in _objects(fields, "contributors", where)
    )


def _parts(fields: Mapping[str, Any], where: str) -> tuple[Part, ...]:
    parts = tuple(
        Part(_whole(part, "start", place), _whole(part, "end", place), _text(part, "text", place))
        for place, part in _objects(fields, "parts", where)
    )
    if not parts:
        raise DataError(f"{where}: no parts, expected the words that express the unit")
    return parts


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: {quoted_json(value)}, expected an object")
    return value


def _objects(fields: Mapping[str, Any], name: str, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, each with its place."""
    value = fields.get(name)
    if not isinstance(value, list | tuple):
        raise DataError(f'{where}: "{name}" is {quoted_json(value)}, expected a list')
    step = ": " if where in (PYRAMID, PYRAMID_PEER) else "."
    places = (f"{where}{step}{name}[{number}]" for number in range(len(value)))
    return [(place, _object(entry, place)) for place, entry in zip(places, value, strict=True)]


def _whole(fields: Mapping[str, Any], name: str, where: str, *, least: int = 0) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST:
        raise DataError(
            f'{where}: "{name}" is {quoted_json(value)}, expected a whole number, {least} or more'
        )
    return value


def _text(fields: Mapping[str, Any], name: str, where: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise DataError(f'{where}: "{name}" is {quoted_json(value)}, expected a text')
    return value


def _name(fields: Mapping[str, Any], name: str, where: str) -> str:
    value = _text(fields, name, where)
    if not value:
        raise DataError(f'{where}: "{name}" is empty, expected a name')
    return value


def _optional(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name, where)


def _refuse_twice(values: list[T], name: str, where: str) -> None:
    for value, times in Counter(values).items():
        if times > 1:
            raise DataError(f"{where}: {name} {quoted_json(value)} stands {times} times")
