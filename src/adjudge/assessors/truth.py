"""The hidden truth that simulated assessors answer from: given, taken from the texts, or from pyramids.

Everything is a number from 0 (the low end of a scale) to 1 (its high end).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean
from typing import Any, TypeVar

from adjudge.core.errors import DataError, quoted
from adjudge.data.collection import Collection, SourceSentence, references_for
from adjudge.data.rows import Summary, Unit
from adjudge.data.units import split
from adjudge.judgments.judging_page import place_side
from adjudge.judgments.protocol import QUALITY, RATING, Protocol
from adjudge.judgments.pyramid import UNMATCHED, Part, PeerAnnotation, Pyramid
from adjudge.judgments.tasks import Task, TextRef, units_of
from adjudge.text.stop import FUNCTION, content_words, stop_words
from adjudge.text.words import unicode_words

K = TypeVar("K")
V = TypeVar("V")
Page = tuple[str, TextRef, TextRef]
"""Topic, peer, reference."""
About = tuple[str, TextRef, str]
"""Topic, peer, and the key of a quality question or an aspect."""

MARK = 0.25
"""A peer unit is marked when it alone has this share of a model unit's content words, as texts tell."""
FORM = {
    "quality:1": "capitals",
    "quality:4": "ends",
    "quality:11": "repeats",
    "quality:grammaticality": "ends",
    "quality:cohesion": "repeats",
    "quality:coherence": "repeats",
    "rating:fluency": "ends",
    "rating:coherence": "repeats",
    "rating:1": "ends",
    "rating:2": "repeats",
}
"""Which sign of bad form a question is answered from, as texts tell; other errors leave no sign and are none."""


@dataclass(frozen=True, slots=True)
class UnitTruth:
    """How much of a model unit a peer expresses, and in which of its units."""

    completeness: float
    marked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Truth:
    """What is true. A question that it says nothing about cannot be answered."""

    units: Mapping[Page, Mapping[str, UnitTruth]] = field(default_factory=dict)
    """Of every model unit of a page, by id, in the order of the reference."""
    relevant: Mapping[Page, frozenset[str]] = field(default_factory=dict)
    """Peer units that are relevant to the reference's subject."""
    peer_units: Mapping[tuple[str, TextRef], tuple[str, ...]] = field(default_factory=dict)
    levels: Mapping[About, float] = field(default_factory=dict)
    """Where on its scale a quality question or an aspect stands. Of DUC-2002's questions 0 is no error."""
    worth: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """How good a side of a preference is, by topic and `side_key`."""
    pyramids: Mapping[str, Pyramid] = field(default_factory=dict)
    annotations: Mapping[tuple[str, TextRef], PeerAnnotation] = field(default_factory=dict)

    def page(self, task: Task) -> Mapping[str, UnitTruth]:
        page = _known(self.units, _page(task), task, "the units of")
        if not page:
            raise DataError(f"task {quoted(task.id)}: the reference has no units (adjudge units makes them)")
        return page

    def relevant_of(self, task: Task) -> frozenset[str]:
        return _known(self.relevant, _page(task), task, "the relevant units of")

    def units_of_peer(self, task: Task) -> tuple[str, ...]:
        return _known(self.peer_units, (task.topic, _peer(task)), task, "the peer's units of")

    def level(self, task: Task, key: str) -> float:
        return _known(self.levels, (task.topic, _peer(task), key), task, f"{quoted(key)} of")

    def worth_of(self, task: Task, side: Mapping[str, Any] | None) -> float:
        return _known(self.worth, (task.topic, side_key(side or {})), task, "a side of")


def side_key(side: Mapping[str, Any]) -> str:
    """A side of a preference as a key: what it names, whatever the order; what is null does not count."""
    return json.dumps({name: value for name, value in side.items() if value is not None}, sort_keys=True)


def _page(task: Task) -> Page:
    if task.reference is None:
        raise DataError(f"task {quoted(task.id)}: no reference to compare the peer with")
    return task.topic, _peer(task), task.reference


def _peer(task: Task) -> TextRef:
    if task.peer is None:
        raise DataError(f"task {quoted(task.id)}: no peer to judge")
    return task.peer


def _known(by_key: Mapping[K, V], key: K, task: Task, what: str) -> V:
    if key not in by_key:
        peer = f", {quoted(task.peer.system)}" if task.peer else ""
        raise DataError(f"task {quoted(task.id)}: nothing is known of {what} {quoted(task.topic)}{peer}")
    return by_key[key]


# From texts


def truth_from_texts(collection: Collection, protocol: Protocol) -> Truth:
    """The truth as shared words show it: crude, but deterministic, and it orders systems roughly as people would.

    Of a model unit a peer expresses the share of its content words that the marked peer units hold together.
    Peer units that share any content word with the reference are relevant.
    """
    units: dict[Page, dict[str, UnitTruth]] = {}
    relevant: dict[Page, frozenset[str]] = {}
    for topic, peer, reference in _pages(collection):
        page = (topic, _ref(peer), _ref(reference))
        model = _units(collection, protocol, reference, protocol.model_units)
        peer_units = _units(collection, protocol, peer, protocol.peer_units)
        units[page] = {unit.id: _shared(unit, peer_units) for unit in model}
        subject = _content(reference.text)
        relevant[page] = frozenset(unit.id for unit in peer_units if _content(unit.text) & subject)
    return _completed(collection, protocol, units, relevant)


def _shared(model: Unit, peer: Sequence[Unit]) -> UnitTruth:
    wanted = _content(model.text)
    if not wanted:
        return UnitTruth(0.0)
    marked = [unit for unit in peer if len(wanted & _content(unit.text)) >= MARK * len(wanted)]
    words = frozenset[str]().union(*(_content(unit.text) for unit in marked))
    return UnitTruth(len(wanted & words) / len(wanted), tuple(unit.id for unit in marked))


# From pyramids


def truth_from_pyramids(
    collection: Collection,
    protocol: Protocol,
    pyramids: Mapping[str, Pyramid],
    annotations: Mapping[tuple[str, TextRef], PeerAnnotation],
) -> Truth:
    """The truth as pyramids show it: the share of a model unit's content units that the peer expresses.

    A fact stands in a unit where its words do. A model unit without facts is not expressed. Peer units that hold any
    content word of the reference are relevant. Annotations are by topic and peer.
    """
    units: dict[Page, dict[str, UnitTruth]] = {}
    relevant: dict[Page, frozenset[str]] = {}
    for topic, peer, reference in _pages(collection):
        page = (topic, _ref(peer), _ref(reference))
        if topic not in pyramids or page[:2] not in annotations:
            continue
        peer_units = _units(collection, protocol, peer, protocol.peer_units)
        model = _units(collection, protocol, reference, protocol.model_units)
        facts = _facts_of_units(pyramids[topic], reference, model)
        units_by_fact: dict[int, list[str]] = {}
        for scu in annotations[page[:2]].scus:
            if scu.uid != UNMATCHED and scu.contributors:
                parts = [part for contributor in scu.contributors for part in contributor.parts]
                places = [place for part in parts for place in _place(peer.text, part)]
                units_by_fact[scu.uid] = [
                    u.id for u in peer_units if any(u.start < e and s < u.end for s, e in places)
                ]
        units[page] = {unit: _expressed(wanted, units_by_fact) for unit, wanted in facts.items()}
        subject = _content(reference.text)
        relevant[page] = frozenset(unit.id for unit in peer_units if _content(unit.text) & subject)
    return _completed(collection, protocol, units, relevant, pyramids, annotations)


def _facts_of_units(pyramid: Pyramid, reference: Summary, units: Sequence[Unit]) -> dict[str, set[int]]:
    """The content units in each model unit, in the order of the text."""
    facts: dict[str, set[int]] = {unit.id: set() for unit in units}
    for scu in pyramid.scus:
        parts = [p for c in scu.contributors if c.reference == reference.system for p in c.parts]
        for start, end in (place for part in parts for place in _place(reference.text, part)):
            for unit in units:
                if unit.start < end and start < unit.end:
                    facts[unit.id].add(scu.uid)
    return facts


def _expressed(wanted: set[int], units_by_fact: Mapping[int, Sequence[str]]) -> UnitTruth:
    common = sorted(wanted & units_by_fact.keys())
    if not common:
        return UnitTruth(0.0)
    return UnitTruth(
        len(common) / len(wanted), tuple(dict.fromkeys(u for uid in common for u in units_by_fact[uid]))
    )


def _place(text: str, part: Part) -> list[tuple[int, int]]:
    """Where a part's words stand in a summary; offsets count in the annotated text, which may have other lines."""
    start = part.start if text[part.start : part.end] == part.text else text.find(part.text)
    return [(start, start + len(part.text))] if start >= 0 else []


# What both have in common


def _completed(
    collection: Collection,
    protocol: Protocol,
    units: Mapping[Page, Mapping[str, UnitTruth]],
    relevant: Mapping[Page, frozenset[str]],
    pyramids: Mapping[str, Pyramid] | None = None,
    annotations: Mapping[tuple[str, TextRef], PeerAnnotation] | None = None,
) -> Truth:
    """Content and form of every peer, from which ratings and preferences follow."""
    content: dict[tuple[str, TextRef], list[float]] = {}
    for (topic, peer, _), page in units.items():
        if page:
            content.setdefault((topic, peer), []).append(fmean(u.completeness for u in page.values()))
    peer_units, levels, worth = {}, {}, {}
    for topic in collection.topics:
        for summary in collection.peers(topic):
            ref = _ref(summary)
            summary_units = _units(collection, protocol, summary, protocol.peer_units)
            peer_units[topic, ref] = tuple(unit.id for unit in summary_units)
            form = form_errors([unit.text for unit in summary_units])
            completeness = content.get((topic, ref), ())
            good = fmean(completeness) if completeness else None
            for question in protocol.questions:
                level = _level(question.id, form, good, errors=isinstance(question.values[0], str))
                if level is not None:
                    levels[topic, ref, question.id.partition(":")[2]] = level
            if good is not None:
                worth[topic, side_key(ref.as_dict())] = good
    return Truth(
        units=units,
        relevant=relevant,
        peer_units=peer_units,
        levels=levels,
        worth=worth,
        pyramids=pyramids or {},
        annotations=annotations or {},
    )


def _level(id: str, form: Mapping[str, float], content: float | None, *, errors: bool) -> float | None:
    """Quality is form, and so are some ratings; any other rating is content."""
    sign = FORM.get(id)
    if id.startswith(RATING) and sign is None:
        return content
    amount = form[sign] if sign is not None else 0.0
    return amount if id.startswith(QUALITY) and errors else 1 - amount


def form_errors(sentences: Sequence[str]) -> dict[str, float]:
    """Signs of bad form, as shares of the sentences: a small letter first, no stop at the end, words said before."""
    if not sentences:
        return {"capitals": 0.0, "ends": 0.0, "repeats": 0.0}
    small = [text[:1].islower() for text in sentences]
    cut = [
        not text.rstrip().rstrip("\"')]\u201d\u2019").endswith((".", "!", "?", "\u2026"))
        for text in sentences
    ]
    again = []
    words_before: set[str] = set()
    for text in sentences:
        words = _content(text)
        again.append(bool(words) and len(words & words_before) >= 0.5 * len(words))
        words_before |= words
    return {"capitals": fmean(small), "ends": fmean(cut), "repeats": fmean(again)}


def _pages(collection: Collection) -> Iterator[tuple[str, Summary, Summary]]:
    for topic in collection.topics:
        references = collection.references(topic)
        for peer in collection.peers(topic):
            for reference in references_for(peer, references):
                yield topic, peer, reference


def _units(collection: Collection, protocol: Protocol, summary: Summary, kind: str) -> list[Unit]:
    """A summary's units; where a protocol does not ask about units, they are made if the folder has none."""
    units = units_of(collection.units.get(summary.topic, ()), _ref(summary), kind)
    shows_units = protocol.units_shown("peer") is not None
    return units or ([] if shows_units else split(summary, kind, collection.settings.language))


def _ref(summary: Summary) -> TextRef:
    return TextRef.of(summary)


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return frozenset(content_words((word.lower() for word in unicode_words(text)), stop_words(FUNCTION)))


EVEN = 0.5
"""Where sentences stand that are all worth the same."""


def truth_from_worth(worth: Mapping[str, Mapping[str, float]]) -> Truth:
    """What simulated assessors need to answer pairs: by topic, what every side is worth, by its `side_key`.

    Any numbers will do, such as those of Zopf 2018, equations 6 and 8: a topic's are spread from 0, the least, to 1,
    the most, since assessors' faults are shares of a scale. What is not a number is not known, so a pair with it
    cannot be answered.
    """
    scaled = {}
    for topic, sides in worth.items():
        numbers = [value for value in sides.values() if math.isfinite(value)]
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        for side, value in sides.items():
            if math.isfinite(value):
                scaled[topic, side] = (value - low) / (high - low) if high > low else EVEN
    return Truth(worth=scaled)


def worth_by_side(sentences: Sequence[SourceSentence], worth: Sequence[float]) -> dict[str, float]:
    """What each sentence of a topic is worth, by the `side_key` of its places, as `truth_from_worth` takes it."""
    if len(sentences) != len(worth):
        raise DataError(f"{len(worth)} numbers for {len(sentences)} sentences")
    return {
        side_key(place_side(place)): float(value)
        for sentence, value in zip(sentences, worth, strict=True)
        for place in sentence.places
    }
