"""What a source's sentence is worth by pyramid annotations of the peers (Zopf 2018, equations 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pyramid import Part, PeerAnnotation, stands
from adjudge.measures.judged.preference_texts import NEAR, text_spans, topic_sentences
from adjudge.measures.judged.pyramid import PyramidPeer, pyramid_peers
from adjudge.measures.similarities import SentenceSimilarity
from adjudge.stats.preference.answers import FloatArray


def pyramid_worth(
    batch: TopicBatch, similarity: SentenceSimilarity, *, without: str | None = None
) -> FloatArray:
    """w_p, the weight of the content units in the annotated sentence that is likest (Zopf 2018, equations 7 and 8).

    T+ is every peer that somebody annotated. Where several of its sentences are equally near, as where systems took
    the same one, their weights are averaged: annotations of equal sentences differ, as the paper's first footnote
    says. A sentence like none of them is worth 0. Units weigh as if `without` had written no reference. NaN where
    nothing is annotated.
    """
    found = annotated_sentences(batch, without=without)
    if not found:
        return np.full(len(topic_sentences(batch)), np.nan)
    texts, weights = zip(*found, strict=True)
    alike = similarity.to(texts)
    best = alike.max(axis=0)
    near = (alike >= best - NEAR) & (alike > 0)
    sums = near.T.astype(np.float64) @ np.asarray(weights, dtype=np.float64)
    return np.asarray(sums / np.maximum(near.sum(axis=0), 1))


def annotated_sentences(batch: TopicBatch, *, without: str | None = None) -> list[tuple[str, int]]:
    """The sentences of every annotated peer, each with the weight of the unique units in it, in a fixed order."""
    return batch.once(
        ("preference/annotated", without),
        lambda: sorted(each for one in pyramid_peers(batch) for each in _of_peer(batch, one, without)),
    )


def _of_peer(batch: TopicBatch, peer: PyramidPeer, without: str | None) -> Iterator[tuple[str, int]]:
    if peer.annotation is None or peer.against is None:
        return
    pyramid = peer.against.pyramid
    weights = (pyramid if without is None else pyramid.without(without)).weights
    start, end = 0, len(peer.annotation.text)
    if peer.annotation.text == pyramid.text:  # a reference, marked in the pyramid itself
        start, end = next(((r.start, r.end) for r in pyramid.references if r.system == peer.system), (0, 0))
    marked = list(_marked(peer.annotation, weights))
    for span in text_spans(peer.annotation.text[start:end], batch.language):
        low, high = start + span.start, start + span.end
        inside = {uid for uid, (at, to) in marked if at < high and low < to}
        yield " ".join(span.text.split()), sum(weights[uid] for uid in inside)


def _marked(annotation: PeerAnnotation, weights: Mapping[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The units of the pyramid that are marked, each with every place."""
    for scu in annotation.scus:
        if weights.get(scu.uid):
            for contributor in scu.contributors:
                for part in contributor.parts:
                    if (place := _place(annotation.text, part)) is not None:
                        yield scu.uid, place


def _place(text: str, part: Part) -> tuple[int, int] | None:
    """Where a part's words stand: at their offsets, or where the text has them; None where it does not."""
    if stands(part, text):
        return part.start, part.end
    start = text.find(part.text)
    return None if start < 0 or not part.text else (start, start + len(part.text))
