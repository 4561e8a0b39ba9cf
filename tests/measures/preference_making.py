"""Topics with preferences for tests: one worked by hand, and generated ones; no tests here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np

from adjudge.data.rows import Document, Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.judging_page import place_side
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.pyramid import Contributor, Expressed, Part, PeerAnnotation, Pyramid, Reference, Scu
from adjudge.judgments.tasks import Event, Judged, Task, TextRef, text_hash
from adjudge.stats.preference.answers import FloatArray

DOCUMENTS = (
    Document("t", "one", "The dam broke. Rain fell all\nnight."),
    Document("t", "two", "Nobody was hurt. The dam broke. A mill was lost."),
)
# S*: 0 The dam broke.  1 Rain fell all night.  2 Nobody was hurt.  3 A mill was lost.


def a_batch(*texts: str, judged: Iterable[Judged] = (), references: Iterable[str] = ()) -> TopicBatch:
    """The topic by hand, with peers p0, p1, ... and references r0, r1, ..."""
    peers = tuple(Summary("t", f"p{k}", text, 10) for k, text in enumerate(texts))
    refs = tuple(Summary("t", f"r{k}", text, 10, ("reference",)) for k, text in enumerate(references))
    return TopicBatch(Topic("t"), peers, refs, DOCUMENTS, judgments=tuple(judged))


def answered(
    batch: TopicBatch, given: Iterable[tuple[int, int, str]], *, assessor: str = "ann", start: int = 0
) -> list[Judged]:
    """Answers to pairs of a batch's sentences: (left, right, winner)."""
    sentences = topic_sentences(batch)
    numbers = count(start)
    return [
        prefer(
            next(numbers),
            winner,
            assessor,
            batch.topic.topic,
            place_side(sentences[a].places[0]),
            place_side(sentences[b].places[0]),
            {"left": text_hash(sentences[a].text), "right": text_hash(sentences[b].text)},
        )
        for a, b, winner in given
    ]


def prefer(
    number: int,
    winner: str,
    assessor: str,
    topic: str,
    left: dict[str, object],
    right: dict[str, object],
    hashes: dict[str, str] | None = None,
    *,
    of: str = "sentences",
    origin: str = "human",
) -> Judged:
    task = Task(
        f"q{number:05}",
        "e",
        assessor,
        f"preference-{of}",
        "1",
        topic,
        left=left,
        right=right,
        hashes=hashes or {},
    )
    event = Event(
        f"a{number}",
        "e",
        task.id,
        assessor,
        "preference",
        {"winner": winner},
        origin=origin,  # type: ignore[arg-type]
    )
    return Judged(task, {"preference": event})


def annotation(text: str, units: dict[int, Sequence[str]], pyramid: Pyramid) -> PeerAnnotation:
    """What a peer expresses: the words of every unit, each time that it does."""

    def part(words: str) -> Part:
        return Part(text.index(words), text.index(words) + len(words), words)

    return PeerAnnotation(
        text,
        tuple(Expressed(uid, tuple(Contributor((part(w),)) for w in said)) for uid, said in units.items()),
        pyramid.digest(),
    )


def weighted_pyramid(weights: dict[int, int]) -> Pyramid:
    """A pyramid of references A, B, C, ...: the first `weight` of them express a unit."""
    names = "ABCDEFGH"[: max(weights.values())]
    scus = tuple(
        Scu(uid, f"unit {uid}", tuple(Contributor((Part(0, 4, "some"),), name) for name in names[:weight]))
        for uid, weight in weights.items()
    )
    return Pyramid("some words", scus, tuple(Reference(name, 10, 0, 10) for name in names))


def pyramid_judgments(pyramid: Pyramid, peers: dict[str, PeerAnnotation]) -> list[Judged]:
    def judged(id: str, peer: str | None, question: str, answer: object) -> Judged:
        task = Task(id, "e", "pat", "pyramid", "1", "t", None if peer is None else TextRef(peer, 10))
        return Judged(task, {question: Event(f"e-{id}", "e", id, "pat", question, answer)})

    own = [judged("pyramid", None, "pyramid", pyramid.to_answer())]
    return own + [judged(name, name, "pyramid-peer", peer.to_answer()) for name, peer in peers.items()]


# A topic of clusters: sentences of a cluster share words, and are worth about the same


def clusters(
    seed: int, *, groups: int = 12, each: int = 5, spread: float = 0.5
) -> tuple[TopicBatch, FloatArray]:
    """A topic of `groups` things said in `each` ways, shuffled over four documents; and what every sentence is worth:
    its group's number, and up to `spread` of its own."""
    rng = np.random.default_rng(seed)
    said, worth = [], {}
    for group in range(groups):
        for _ in range(each):
            own = [f"g{group}w{k}" for k in rng.choice(6, 4, replace=False)]
            common = [f"c{k}" for k in rng.choice(20, 3, replace=False)]
            text = " ".join([*own, *common]).capitalize() + "."
            said.append(text)
            worth[text] = group + spread * rng.random()
    rng.shuffle(said)
    documents = tuple(Document("t", f"d{k}", " ".join(said[k::4])) for k in range(4))
    batch = TopicBatch(Topic("t"), (), documents=documents)
    return batch, np.array([worth[sentence.text] for sentence in topic_sentences(batch)])
