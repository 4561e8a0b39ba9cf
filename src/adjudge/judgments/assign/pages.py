"""What there is to judge, page by page, and who may judge it.

A page is what one task shows: a peer and a reference (coverage), a peer (rating, pyramid), a topic's references
(pyramid), two peers of one length and form (preference of summaries), or two sentences (preference of sentences).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection, SentencePlace, SourceSentence, references_for
from adjudge.data.rows import Summary, Topic, Unit
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Task, TextRef, task_hashes, text_hash

PageKey = tuple[str, frozenset[TextRef], TextRef | None]
UnitsOf = Mapping[TextRef, Sequence[Unit]]
SentencePairs = Mapping[str, Sequence[tuple[SourceSentence, SourceSentence]]]
"""By topic: which sentence to show on the left, and which on the right."""


@dataclass(frozen=True)
class JudgingPage:
    """One thing to judge. The first side of a pair is on the left, unless a task swaps them."""

    topic: str
    peers: tuple[Summary, ...] = ()
    reference: Summary | None = None
    models: tuple[Summary, ...] = ()
    """Whose authors count in phases: the page's reference, or all of the topic's where a page has none."""
    sentences: tuple[SourceSentence, ...] = ()
    """The two sides of a pair of sentences."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """Of what is judged, by role; a pair's follow from its sides."""
    number: int = 0
    """Of a pair of summaries: which of the topic's pairs it is."""

    @property
    def key(self) -> PageKey:
        reference = None if self.reference is None else TextRef.of(self.reference)
        return self.topic, frozenset(map(TextRef.of, self.peers)), reference

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(peer.system for peer in self.peers)

    @property
    def is_pair(self) -> bool:
        return len(self.peers) == 2 or bool(self.sentences)

    def fields(self, *, swapped: bool = False) -> dict[str, Any]:
        """What a task of this page holds: which texts, and their hashes."""
        if not self.is_pair:
            peer = TextRef.of(self.peers[0]) if self.peers else None
            reference = None if self.reference is None else TextRef.of(self.reference)
            return {"peer": peer, "reference": reference, "hashes": self.hashes}
        sides = self._sides()[::-1] if swapped else self._sides()
        (left, left_text), (right, right_text) = sides
        hashes = {"left": text_hash(left_text), "right": text_hash(right_text)}
        return {"left": left, "right": right, "hashes": hashes}

    def _sides(self) -> list[tuple[dict[str, Any], str]]:
        """Both sides of a pair as a task names them, with their texts. Of a sentence the first place counts."""
        if self.sentences:
            return [(place_side(each.places[0]), each.text) for each in self.sentences]
        return [(TextRef.of(each).as_dict(), each.text) for each in self.peers]

    def is_of(self, task: Task) -> bool:
        """Whether a task of this page's key shows these very texts; a hash that it does not have is not looked at."""
        swapped = task.left is not None and task.left["system"] != self.peers[0].system
        now = self.fields(swapped=swapped)["hashes"]
        return all(now.get(role, hash) == hash for role, hash in task.hashes.items())


@dataclass(frozen=True)
class JudgingPages:
    """The pages, and in words why others were left out."""

    pages: tuple[JudgingPage, ...]
    notes: tuple[str, ...] = field(default=())


def place_side(place: SentencePlace) -> dict[str, Any]:
    """A sentence as a side of a preference: one of its places."""
    return {"document": place.document, "start": place.start, "end": place.end}


def key_of(task: Task) -> PageKey:
    """The page that a task shows."""
    if task.left is not None and task.right is not None:
        return task.topic, frozenset(map(TextRef.named, (task.left, task.right))), None
    return task.topic, frozenset([task.peer] if task.peer else []), task.reference


def pages_of(collection: Collection, protocol: Protocol, topics: Sequence[str] = ()) -> JudgingPages:
    """Every page of the topics (all, unless some are named), in an order that does not depend on the files."""
    check_protocol(protocol)
    names = sorted(set(topics) or collection.topics)
    for name in names:
        collection.need_topic(name)
    if protocol.kind == "coverage":
        need_units(collection, protocol, names)
    found: list[JudgingPage] = []
    notes = Counter[str]()
    for name in names:
        found.extend(_of_topic(collection, protocol, name, notes))
    if not found:
        raise DataError(f"there is nothing to judge under {protocol.name}{_why(notes)}")
    return JudgingPages(
        tuple(found), tuple(f"{counted(n, 'peer')} {why}" for why, n in sorted(notes.items()))
    )


def check_protocol(protocol: Protocol) -> None:
    """Refuse protocols whose tasks cannot be handed out beforehand."""
    if protocol.kind == "pyramid":
        raise UsageError(
            f"{protocol.name} is a pyramid protocol, and assign knows coverage, rating and preference"
        )
    if protocol.kind == "mismatch":
        raise UsageError(
            f"{protocol.name} tags mismatches, which a measure finds: hand them out with `adjudge mismatch --assign`"
        )
    if protocol.kind == "preference" and protocol.of == "sentences":
        raise UsageError(
            f"{protocol.name} compares sentences: their pairs come from `adjudge prefer sample`,"
            " and from the sampler while people judge"
        )


def need_units(collection: Collection, protocol: Protocol, topics: Sequence[str]) -> None:
    """A coverage page shows units: every text that is not empty must have some."""
    if missing := without_units(collection, protocol, topics):
        texts = counted(len(missing), "summary has", "summaries have")
        raise DataError(
            f"{texts} no units to judge by {protocol.name} ({listed(missing, most=3)}); run: adjudge units"
        )


def without_units(collection: Collection, protocol: Protocol, topics: Sequence[str] = ()) -> list[str]:
    """Summaries that have no units though a coverage page shows some, as TOPIC/SYSTEM; of all topics unless named."""
    missing: list[str] = []
    for topic in (topics or sorted(collection.topics)) if protocol.kind == "coverage" else ():
        units = {(TextRef.of(unit), unit.kind) for unit in collection.units.get(topic, ())}
        for summary in collection.summaries.get(topic, ()):
            kinds = [protocol.peer_units] * summary.is_peer + [protocol.model_units] * summary.is_reference
            if summary.text.strip() and any((TextRef.of(summary), kind) not in units for kind in kinds):
                missing.append(f"{topic}/{summary.system}")
    return missing


def _of_topic(
    collection: Collection, protocol: Protocol, topic: str, notes: Counter[str]
) -> Iterator[JudgingPage]:
    """A topic's pages for people, by name; an empty reference is not shown."""
    peers = sorted(collection.peers(topic), key=_by_name)
    references = sorted(collection.references(topic), key=_by_name)
    for peer in peers if protocol.kind == "coverage" else ():
        if not any(reference.text.strip() for reference in references_for(peer, references)):
            notes["without a reference to be compared with: left out"] += 1
    for page in topic_pages(collection, protocol, topic, peers, references):
        if page.reference is None or page.reference.text.strip():
            yield page


def topic_pages(
    collection: Collection,
    protocol: Protocol,
    topic: str,
    peers: Sequence[Summary],
    references: Sequence[Summary],
) -> Iterator[JudgingPage]:
    """Everything that a protocol asks of a topic's summaries, in the order in which they are given."""
    match protocol.kind:
        case "coverage":
            units = _by_text(collection.units.get(topic, ()))
            for peer in peers:
                for reference in references_for(peer, references):
                    own = [*units.get(TextRef.of(peer), ()), *units.get(TextRef.of(reference), ())]
                    hashes = task_hashes(peer, reference, own, protocol)
                    yield JudgingPage(
                        topic, peers=(peer,), reference=reference, models=(reference,), hashes=hashes
                    )
        case "preference":
            for number, pair in enumerate(combinations(peers, 2)):
                if pair[0].target == pair[1].target:
                    yield JudgingPage(topic, peers=pair, models=tuple(references), number=number)
        case _:
            if protocol.kind == "pyramid":
                yield JudgingPage(topic, models=tuple(references))
            for peer in peers:
                hashes = task_hashes(peer, None, (), protocol)
                yield JudgingPage(topic, peers=(peer,), models=tuple(references), hashes=hashes)


def sentence_pages(topic: str, pairs: SentencePairs) -> Iterator[JudgingPage]:
    """A topic's pairs of sentences; one that was chosen twice is asked once."""
    for pair in dict.fromkeys(pairs.get(topic, ())):
        if pair[0] == pair[1]:
            raise UsageError(f"{topic}: a sentence is paired with itself: {quoted(pair[0].text)}")
        yield JudgingPage(topic, sentences=pair)


def _by_text(units: Sequence[Unit]) -> UnitsOf:
    found: dict[TextRef, list[Unit]] = {}
    for unit in units:
        found.setdefault(TextRef.of(unit), []).append(unit)
    return found


def _by_name(summary: Summary) -> tuple[str, int, str]:
    return TextRef.of(summary).order


def _why(notes: Counter[str]) -> str:
    return "".join(f": {counted(n, 'peer')} {why}" for why, n in notes.most_common(1))


def some_pairs(
    pages: Sequence[JudgingPage],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    there: Container[PageKey],
    rng: np.random.Generator,
) -> tuple[JudgingPage, ...]:
    """`many` pairs of every topic: those that are judged already, then others, of the summaries with fewest so far.

    A pair that nobody may judge is not drawn.
    """
    by_topic: dict[str, dict[PageKey, JudgingPage]] = {}
    for page in pages:
        by_topic.setdefault(page.topic, {})[page.key] = page
    kept = {key for own in by_topic.values() for key in own if key in there}
    seen = Counter(text for _, texts, _ in kept for text in texts)
    for topic in (list(by_topic)[k] for k in rng.permutation(len(by_topic))):
        kept |= _new_pairs(topic, by_topic[topic], many, allowed, kept, seen, rng)
    return tuple(page for own in by_topic.values() for key, page in own.items() if key in kept)


def _new_pairs(
    topic: str,
    pages: Mapping[PageKey, JudgingPage],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    kept: Container[PageKey],
    seen: Counter[TextRef],
    rng: np.random.Generator,
) -> set[PageKey]:
    """A topic's new pairs: even within the topic first, over topics next, by chance where both are equal."""
    own = {key for key in pages if key in kept}
    left = {key for key in pages if key not in own and allowed[key]}
    here = Counter(text for _, texts, _ in own for text in texts)
    names = list(dict.fromkeys(TextRef.of(peer) for page in pages.values() for peer in page.peers))
    drawn: set[PageKey] = set()
    for _ in range(min(len(left), many - len(own))):
        chance = dict(zip(names, rng.random(len(names)).tolist(), strict=True))
        order = sorted(names, key=lambda text: (here[text], seen[text], chance[text]))
        best = next(key for pair in combinations(order, 2) if (key := (topic, frozenset(pair), None)) in left)
        left.remove(best)
        drawn.add(best)
        for counts in (here, seen):
            counts.update(best[1])
    return drawn


# Who may judge

PHASES = (1, 2)


def check_phase(phase: int | None) -> None:
    if phase is not None and phase not in PHASES:
        raise UsageError(f"the phase is {phase}, expected 1 or 2")


def may_judge(assessors: Set[str], page: JudgingPage, topic: Topic, phase: int | None = None) -> Set[str]:
    """Who of the assessors may be given a page. Who selected the documents matters where the topic says it."""
    free = assessors - names(page.peers)
    if phase is None:
        return free
    free = free - {topic.selector}
    if phase == 1:
        return free & {writer(model) for model in page.models}
    return free - names(page.models)


def writer(summary: Summary) -> str:
    """Who wrote a summary: its author where that is known, else its system."""
    return summary.author or summary.system


def names(summaries: Iterable[Summary]) -> set[str | None]:
    """Everybody who could have written one of the summaries. Strict, since leaving somebody out costs little."""
    return {name for summary in summaries for name in (summary.author, summary.system)}
