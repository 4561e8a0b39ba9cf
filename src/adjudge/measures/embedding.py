"""How alike embeddings of summaries and references are: of whole texts, or token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from adjudge.core.errors import UsageError
from adjudge.data.rows import Key
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, no_reference
from adjudge.text.embeddings import MODEL, NEEDED, EmbeddedText, minilm, model_signature


@dataclass(frozen=True)
class Embedding(Measure):
    """Cosines between a summary and its references in the vector space of all-MiniLM-L6-v2 (English).

    mode=sentence  the cosine of the two texts' vectors, each the mean over the text's tokens (Reimers and
                   Gurevych 2019)
    mode=token     every token meets the token of the other text that is most like it; recall is the mean
                   over the reference's tokens, precision over the summary's, f their harmonic mean (Zhang et
                   al. 2020, BERTScore, without idf weights and rescaling)
    refs           mean over the references, max of them, or jackknife: the mean over leaving out each
                   reference in turn of the max of the others, which is fair to people who wrote one

    A text of more tokens than the model takes goes through it in windows; nothing is cut off. An empty
    summary has 0.
    """

    mode: str = "sentence"
    stat: str = "f"
    refs: str = "mean"

    FAMILY = "embedding"
    TITLE = "embedding similarity"
    ABOUT = "cosine of sentence embeddings, or greedy matching of token embeddings"
    CITATION = "Reimers and Gurevych 2019, Sentence-BERT; Zhang et al. 2020, BERTScore"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "mode": ("sentence", "token"),
        "stat": ("f", "recall", "precision"),
        "refs": ("mean", "max", "jackknife"),
    }
    range = (-1.0, 1.0)
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    EXTRA = "embeddings"
    MODULES = NEEDED

    def __post_init__(self) -> None:
        if self.mode == "sentence" and self.stat != "f":
            raise UsageError(
                f"embedding: stat={self.stat} says something of mode=token alone; add mode=token"
            )

    def signed_options(self) -> dict[str, Any]:
        return {k: v for k, v in self.options().items() if k != "stat" or self.mode == "token"}

    def signature(self, references: str = "") -> str:
        about, _, ours = super().signature(references).rpartition("|")
        return f"{about}|{model_signature()}|{ours}"

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        """The model has read English; texts in another language get numbers all the same."""
        others = {batch.language for batch in batches if batch.language.partition("-")[0] != "en"}
        return (
            [f"embedding: {MODEL} was trained on English, not on {', '.join(sorted(others))}"]
            if others
            else []
        )

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        yield from self.score_many([self], [batch])

    @classmethod
    def score_many(cls, measures: Sequence[Measure], batches: Sequence[TopicBatch]) -> Iterator[Score]:
        """A topic's texts go through the model together, once for all measures, and are then forgotten."""
        for batch in batches:
            # Peers and references of a topic; one text is encoded once, whoever wrote it.
            summaries = (*batch.peers, *batch.references)
            texts = list(dict.fromkeys(summary.text for summary in summaries))
            vectors = dict(zip(texts, minilm().encode(texts), strict=True))
            encoded = {summary.key: vectors[summary.text] for summary in summaries}
            for measure in measures:
                if isinstance(measure, Embedding):
                    yield from measure.compare(batch, encoded)

    def compare(self, batch: TopicBatch, encoded: dict[Key, EmbeddedText]) -> Iterator[Score]:
        """Scores from texts that are encoded already, by the summaries' keys."""
        for peer in batch.peers:
            written = batch.references_for(peer)
            references = [encoded[r.key] for r in written if not encoded[r.key].empty]
            if not written:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
            elif not references:
                yield self.missing(batch, peer, "the references have no words")
            elif encoded[peer.key].empty:
                yield self.row(batch, peer, 0.0)
            else:
                values = [self.likeness(encoded[peer.key], reference) for reference in references]
                wrote_one = any(r.system == peer.system for r in batch.references)
                yield self.row(batch, peer, over_references(values, self.refs, wrote_one=wrote_one))

    def likeness(self, peer: EmbeddedText, reference: EmbeddedText) -> float:
        """Of two texts that have words; rounding is not let out of the range."""
        if self.mode == "sentence":
            value = float(peer.text @ reference.text)
        else:
            cosines = peer.tokens @ reference.tokens.T
            precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
            value = {"precision": precision, "recall": recall, "f": harmonic(precision, recall)}[self.stat]
        return min(1.0, max(-1.0, value))


def harmonic(precision: float, recall: float) -> float:
    """F; where the two do not make a positive sum, nothing is alike and it is 0."""
    both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0.0


def over_references(values: Sequence[float], refs: str, *, wrote_one: bool) -> float:
    """One number from the likeness to each reference."""
    if refs == "mean":
        return sum(values) / len(values)
    if refs == "jackknife" and len(values) > 1 and not wrote_one:
        rest = [max(v for k, v in enumerate(values) if k != out) for out in range(len(values))]
        return sum(rest) / len(rest)
    return max(values)
