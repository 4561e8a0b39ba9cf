"""Pyramids and peer annotations from answers: every field is checked, a mistake is one line.

Which pyramid an annotation was held against is decided here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from adjudge.errors import DataError, quoted
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, plain
from adjudge.judgments.pyramid import Contributor, Expressed, Part, PeerAnnotation, Pyramid, Reference, Scu
from adjudge.judgments.tasks import Judged

T = TypeVar("T")
LARGEST = 10**9


def pyramid_of(answer: Any) -> Pyramid:
    """The pyramid that an answer to `pyramid` holds."""
    fields = _object(answer, PYRAMID)
    references = tuple(
        Reference(
            _name(each, "system", where),
            None if each.get("length") is None else _whole(each, "length", where, least=1),
            _whole(each, "start", where),
            _whole(each, "end", where),
        )
        for where, each in _objects(fields, "references", PYRAMID)
    )
    _refuse_twice([r.system for r in references], "reference", PYRAMID)
    pyramid = Pyramid(
        _text(fields, "text", PYRAMID),
        tuple(
            Scu(
                _whole(each, "uid", where, least=1),
                _text(each, "label", where),
                _contributors(each, where),
                _optional(each, "comment", where),
            )
            for where, each in _objects(fields, "scus", PYRAMID)
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
                _whole(each, "uid", where),
                _contributors(each, where),
                _optional(each, "comment", where),
            )
            for where, each in _objects(fields, "scus", PYRAMID_PEER)
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
    found = []
    for each in judged:
        if PYRAMID in each.answers:
            pyramid = pyramid_of(each.answers[PYRAMID].answer)
            found.append(Built(each, pyramid, pyramid.digest()))
    return found


def pyramid_for(annotation: PeerAnnotation, assessor: str, pyramids: Iterable[Built]) -> Built | str:
    """The pyramid that an annotation was held against, or why there is none.

    It is the one that the annotation names; where that is not there any more (somebody went on building), the
    only one of the same assessor, or else the only one there is.
    """
    candidates = list(pyramids)
    own = [each for each in candidates if each.judged.task.assessor == assessor]
    named = [each for each in candidates if each.digest == annotation.pyramid]
    if named:
        return next((each for each in named if each in own), named[0])
    for some in (own, candidates):
        if len(some) == 1:
            return some[0]
    return (
        "there are several pyramids, and none is the one it was held against" if candidates else "no pyramid"
    )


def _contributors(fields: Mapping[str, Any], where: str) -> tuple[Contributor, ...]:
    return tuple(
        Contributor(
            _parts(each, place), _optional(each, "reference", place), _optional(each, "comment", place)
        )
        for place, each in _objects(fields, "contributors", where)
    )


def _parts(fields: Mapping[str, Any], where: str) -> tuple[Part, ...]:
    parts = tuple(
        Part(_whole(each, "start", place), _whole(each, "end", place), _text(each, "text", place))
        for place, each in _objects(fields, "parts", where)
    )
    if not parts:
        raise DataError(f"{where}: no parts, expected the words that express the unit")
    return parts


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: {plain(value)}, expected an object")
    return value


def _objects(fields: Mapping[str, Any], name: str, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, each with its place."""
    value = fields.get(name)
    if not isinstance(value, list | tuple):
        raise DataError(f'{where}: "{name}" is {plain(value)}, expected a list')
    step = ": " if where in (PYRAMID, PYRAMID_PEER) else "."
    places = (f"{where}{step}{name}[{number}]" for number in range(len(value)))
    return [(place, _object(each, place)) for place, each in zip(places, value, strict=True)]


def _whole(fields: Mapping[str, Any], name: str, where: str, *, least: int = 0) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST:
        raise DataError(f'{where}: "{name}" is {plain(value)}, expected a whole number, {least} or more')
    return value


def _text(fields: Mapping[str, Any], name: str, where: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise DataError(f'{where}: "{name}" is {plain(value)}, expected a text')
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
            raise DataError(f"{where}: {name} {plain(value)} stands {times} times")
