"""Pyramids of content units and what peers express of them: plain data, and the answers that hold them.

A pyramid is one answer (question `pyramid`), a peer's annotation another (`pyramid-peer`); both are saved whole every
time, with the text that their offsets count in. Reading them back, with checks, lives in pyramid_answers.py; scores
live in measures/judged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

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
    """Some words, and where they stand: `text` is what the assessor saw at [start, end)."""

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
    """Whose text stands at [start, end) of the pyramid's."""

    system: str
    length: int | None
    start: int
    end: int


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
        )

    def digest(self) -> str:
        """What tells this pyramid from another one. The order of units and comments on them do not count."""
        units = sorted(
            [scu.uid, scu.label, sorted(_places(contributor) for contributor in scu.contributors)]
            for scu in self.scus
        )
        references = [[r.system, r.length] for r in self.references]
        data = json.dumps([self.text, references, units], ensure_ascii=True)
        return blake2b(data.encode("ascii"), digest_size=16).hexdigest()

    def to_answer(self) -> dict[str, Any]:
        """The answer to the question `pyramid`."""
        return {
            "text": self.text,
            "references": [
                {"system": r.system, "length": r.length, "start": r.start, "end": r.end}
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
    """What one peer expresses. `pyramid` is the digest of the pyramid that it was held against, where known."""

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

    Held against the pyramid of the other references, its own units match nothing.
    """
    own = (
        Expressed(
            scu.uid, tuple(replace(c, reference=None) for c in scu.contributors if c.reference == system)
        )
        for scu in pyramid.scus
    )
    return PeerAnnotation(pyramid.text, tuple(scu for scu in own if scu.contributors), pyramid.digest())


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
    known = pyramid.weights
    for scu in annotation.scus:
        if scu.contributors and scu.uid != UNMATCHED and scu.uid not in known:
            yield scu.uid, UNKNOWN
        for contributor in scu.contributors:
            for part in contributor.parts:
                if not stands(part, annotation.text):
                    yield scu.uid, MISPLACED


def stands(part: Part, text: str) -> bool:
    """Whether the words stand at their offsets. White space does not count: DUCView's labels lose line ends."""
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
