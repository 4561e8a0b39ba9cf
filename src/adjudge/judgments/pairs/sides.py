"""Which text a side of a pair means, and the texts of a topic that can be compared: one rule, for everybody.

A sentence is known by its text: it stays the same sentence wherever it stands in the topic's documents, also after the
documents were edited around it. A task keeps the hash of that text; where it has none, the side's own text counts, and
where there is none either, the sentence that stands at the side's place. A summary is known by its system, length and
form, and must still read as it did when it was judged.

Loads no NumPy: `adjudge check` follows the rule too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from adjudge.core.errors import UsageError, quoted
from adjudge.data.collection import Collection, SourceSentence, source_sentences
from adjudge.data.rows import Document, Summary
from adjudge.judgments.protocol import PREFERENCE, Protocol, load_protocol
from adjudge.judgments.tasks import Event, Task, TextRef, text_hash

if TYPE_CHECKING:
    from adjudge.judgments.batch import TopicBatch

Side = Mapping[str, Any]
Pair = tuple[int, int]
SentenceAt = tuple[str, int, int]
"""Document, start, end."""

WON = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""How much the left side wins; skipping says nothing."""
_KEPT = 32  # topics whose sentences are remembered


# What a side says


def named_sentence(side: Side | None, hash: str | None) -> str | None:
    """The hash of the sentence that a side names by its text; None where it names a place alone, or a summary."""
    if side is None or is_summary(side):
        return None
    if hash is None and isinstance(side.get("text"), str):
        return text_hash(" ".join(side["text"].split()))
    return hash


def named_place(side: Side) -> SentenceAt | None:
    """The place in a document that a side names."""
    document, start, end = (side.get(name) for name in ("document", "start", "end"))
    if isinstance(document, str) and isinstance(start, int) and isinstance(end, int):
        return document, start, end
    return None


def named_summary(side: Side | None) -> TextRef | None:
    """The summary that a side names."""
    return TextRef.named(side) if side is not None and isinstance(side.get("system"), str) else None


def is_summary(side: Side) -> bool:
    return "system" in side


def sides_of(task: Task) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """What the left and the right side of a task name, as keys: tasks about the same two texts have the same two."""
    return _key(task.left, task.hashes.get("left")), _key(task.right, task.hashes.get("right"))


def _key(side: Side | None, hash: str | None) -> tuple[object, ...]:
    if side is None:
        return ("nothing",)
    if is_summary(side):
        return "summary", TextRef.named(side)
    name = named_sentence(side, hash)
    return ("sentence", name) if name is not None else ("place", *(named_place(side) or ()))


# The texts of a topic


@dataclass(frozen=True)
class PairPool:
    """Texts of one topic that can be compared, numbered, each with the side that a new task has for it."""

    topic: str
    texts: tuple[str, ...]
    sides: tuple[Side, ...]
    places: Mapping[SentenceAt, int] = field(default_factory=dict)
    """Every place where a sentence stands; a side names the first."""

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        return tuple(map(text_hash, self.texts))

    @cached_property
    def by_text(self) -> dict[str, int]:
        """The numbers of texts by their hash."""
        return {digest: number for number, digest in enumerate(self.hashes)}

    @cached_property
    def _by_summary(self) -> dict[TextRef | None, int]:
        return {named_summary(side): number for number, side in enumerate(self.sides) if is_summary(side)}

    @cached_property
    def twins(self) -> list[Pair]:
        """Pairs of the same text, which nobody should be asked about."""
        same: dict[str, list[int]] = {}
        for number, digest in enumerate(self.hashes):
            same.setdefault(digest, []).append(number)
        return [(a, b) for group in same.values() for k, a in enumerate(group) for b in group[k + 1 :]]

    def number(self, side: Side | None, hash: str | None) -> int | None:
        """Which text a task's side means; None where it is not here, or no longer as it was."""
        if side is None:
            return None
        if is_summary(side):
            number = self._by_summary.get(named_summary(side))
            return number if number is None or hash in (None, self.hashes[number]) else None
        if (named := named_sentence(side, hash)) is not None:
            return self.by_text.get(named)
        place = named_place(side)
        return None if place is None else self.places.get(place)

    def numbers(self, task: Task) -> tuple[int | None, int | None]:
        """The texts that the left and the right side of a task mean."""
        return (
            self.number(task.left, task.hashes.get("left")),
            self.number(task.right, task.hashes.get("right")),
        )

    def pair(self, task: Task) -> Pair | None:
        """The two texts of a task, left and right, where both are here."""
        left, right = self.numbers(task)
        return None if left is None or right is None or left == right else (left, right)

    def asked(self, task: Task, pair: Pair) -> Task:
        """A task about two of the texts, left and right."""
        left, right = pair
        return replace(
            task,
            left=dict(self.sides[left]),
            right=dict(self.sides[right]),
            hashes={"left": self.hashes[left], "right": self.hashes[right]},
        )

    def only(self, kept: Sequence[int]) -> PairPool:
        """Some of the texts, numbered anew."""
        new = {number: at for at, number in enumerate(kept)}
        return PairPool(
            topic=self.topic,
            texts=tuple(self.texts[n] for n in kept),
            sides=tuple(self.sides[n] for n in kept),
            places={place: new[n] for place, n in self.places.items() if n in new},
        )


def sentences_of(documents: Iterable[Document], language: str) -> tuple[SourceSentence, ...]:
    """S*, the sentences of a topic's documents (Zopf 2018, section 4.1), remembered for the topics seen last."""
    return _sentences(tuple((document.id, document.text) for document in documents), language)


@lru_cache(maxsize=_KEPT)
def _sentences(texts: tuple[tuple[str, str], ...], language: str) -> tuple[SourceSentence, ...]:
    return source_sentences((Document("any", id, text) for id, text in texts), language)


def topic_sentences(batch: TopicBatch) -> tuple[SourceSentence, ...]:
    """S*: the items that a topic's answers are about, in the order of the documents."""
    return sentences_of(batch.documents, batch.language)


def sentence_pool(topic: str, documents: Iterable[Document], language: str) -> PairPool:
    """All sentences of a topic's documents."""
    sentences = sentences_of(documents, language)
    return PairPool(
        topic=topic,
        texts=tuple(sentence.text for sentence in sentences),
        sides=tuple(
            {"document": place.document, "start": place.start, "end": place.end}
            for place in (sentence.places[0] for sentence in sentences)
        ),
        places={
            (place.document, place.start, place.end): number
            for number, sentence in enumerate(sentences)
            for place in sentence.places
        },
    )


def topic_pool(batch: TopicBatch) -> PairPool:
    """The sentences of a topic, as its answers are about them."""
    return batch.once(
        "preference/pool", lambda: sentence_pool(batch.topic.topic, batch.documents, batch.language)
    )


def pools_of(collection: Collection, topic: str, protocol: Protocol) -> list[PairPool]:
    """The pools of a topic: one of sentences, or one of summaries per length and form."""
    if protocol.compares is None:
        raise UsageError(
            f"{quoted(protocol.name)} is a {protocol.kind} protocol; expected one for preferences"
        )
    if protocol.compares == "sentences":
        pool = sentence_pool(topic, collection.documents.get(topic, ()), collection.settings.language)
        return [pool] if len(pool) else []
    peers = collection.peers(topic)
    return [
        _summary_pool(topic, [peer for peer in peers if peer.target == target])
        for target in dict.fromkeys(peer.target for peer in peers)
    ]


def _summary_pool(topic: str, peers: Sequence[Summary]) -> PairPool:
    return PairPool(
        topic=topic,
        texts=tuple(peer.text for peer in peers),
        sides=tuple(TextRef.of(peer).as_dict() for peer in peers),
    )


def texts_of(pools: Iterable[PairPool], task: Task) -> tuple[str, str] | None:
    """The two texts that an assessor is to see; None where they are not there, or not as they were."""
    for pool in pools:
        if (pair := pool.pair(task)) is not None:
            return pool.texts[pair[0]], pool.texts[pair[1]]
    return None


# What changed since


def side_changed(side: Side, hash: str, role: str, topic: str, collection: Collection) -> str | None:
    """Why a side no longer means what was judged, in words; None where it does."""
    if is_summary(side):
        name = named_summary(side)
        summary = next((s for s in collection.summaries.get(topic, ()) if TextRef.of(s) == name), None)
        if summary is None:
            return f"the {role} summary is gone or withdrawn"
        return None if text_hash(summary.text) == hash else f"the {role} summary's text has changed"
    if "document" not in side:
        return None
    documents = collection.documents.get(topic, ())
    document = next((candidate for candidate in documents if candidate.id == side["document"]), None)
    if document is not None and text_hash(sentence_at(document.text, side)) == hash:
        return None  # where it was, which spares finding all sentences
    if sentence_pool(topic, documents, collection.settings.language).number(side, hash) is not None:
        return None
    if document is None:
        return f"the document of the {role} sentence is gone"
    return f"the {role} sentence has changed in its document"


def side_now(side: Side, hash: str | None, topic: str, collection: Collection) -> Side:
    """A side as a new task would name it: a sentence at the place where it stands now."""
    if hash is None or "document" not in side:
        return side
    documents = collection.documents.get(topic, ())
    if any(d.id == side["document"] and text_hash(sentence_at(d.text, side)) == hash for d in documents):
        return side
    pool = sentence_pool(topic, documents, collection.settings.language)
    number = pool.number(side, hash)
    return side if number is None else pool.sides[number]


def sentence_at(text: str, side: Side) -> str:
    """The sentence that stands at a side's place in a document's text, its white space collapsed.

    A place that is none, or lies outside the text, has nothing.
    """
    start, end = side.get("start"), side.get("end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
        return ""
    return " ".join(text[start:end].split())


# Tasks about pairs


def judged_pairs(batch: TopicBatch, of: Literal["sentences", "summaries"]) -> Iterator[tuple[Task, Event]]:
    """The answered tasks of protocols that compare two of these, with the answer that counts now."""
    asked: dict[str, bool] = {}
    for judged in batch.judgments:
        name, event = judged.task.protocol, judged.answers.get(PREFERENCE)
        if event is None or not isinstance(event.answer, Mapping):
            continue
        if name not in asked:
            protocol = batch.protocols.get(name) or load_protocol(name)
            asked[name] = protocol.compares == of
        if asked[name]:
            yield judged.task, event


def done(tasks: Sequence[Task], answered: Mapping[str, Any]) -> set[str]:
    """The tasks that have an answer: their own, or that of somebody else whose task they became (formats/batches)."""
    copied = {content(task) for task in tasks if task.id in answered}
    return {task.id for task in tasks if content(task) in copied}


def content(task: Task) -> tuple[object, ...]:
    """What a task shares with the copy that somebody else answered, and with no other task."""
    return task.topic, task.position, *sides_of(task)
