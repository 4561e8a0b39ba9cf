"""Similarities of sentences by name: of words, of embeddings, or any function.

NumPy is loaded when a similarity is first computed, since measures that only name one must start quickly.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.words import one_line
from adjudge.text.embeddings import NEEDED, minilm, model_signature

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]


Function = Callable[[list[str], list[str]], Any]
Similarity = str | Function

GROUP = "adjudge.similarities"
DEFAULT = "tfidf-jaccard"
OF_WORDS = ("tfidf-jaccard", "tfidf", "jaccard")
SIMILARITIES = (*OF_WORDS, "embedding")
"""The built-in ones; installed packages may add to them."""

SLACK = 1e-6  # how far rounding, in 32 bits too, may carry a function's values out of the range
_TOGETHER = 1000  # sentences that are encoded at once: their tokens' vectors take memory, and are not needed


class SentenceSimilarity(Protocol):
    """A set of sentences that others are compared with, from 0 (nothing alike) to 1 (the same)."""

    def among(self) -> FloatArray:
        """Of every sentence with every other: n x n."""

    def to(self, texts: Sequence[str]) -> FloatArray:
        """Of other texts (rows) with the sentences (columns)."""


def sentence_similarity(similarity: Similarity, sentences: Sequence[str]) -> SentenceSimilarity:
    """The similarity to a set of sentences: by a name, or by a function of two lists of texts that gives a matrix."""
    if isinstance(sentences, str):
        raise UsageError("sentences: a text, expected a list of sentences")
    name = similarity_name(similarity)
    if similarity in OF_WORDS:
        from adjudge.text.word_similarity import WordSimilarity

        return WordSimilarity(sentences, name)
    if similarity == "embedding":
        return EmbeddingSimilarity(sentences)
    return FunctionSimilarity(_function(similarity), sentences, name)


def similarity_name(similarity: Similarity) -> str:
    """How a similarity is called in tables; unknown names are answered with the nearest known ones."""
    if isinstance(similarity, str):
        if similarity not in all_similarities():
            raise UsageError(
                f"no similarity {quoted(similarity)}{nearest(similarity, all_similarities())};"
                f" there are: {', '.join(all_similarities())}"
            )
        return similarity
    if not callable(similarity):
        kind = type(similarity).__name__
        raise UsageError(f"similarity: it is {kind}, expected a name or a function of two lists of texts")
    function: Any = similarity.func if isinstance(similarity, partial) else similarity
    function = function if hasattr(function, "__qualname__") else type(function)
    return f"{function.__module__}.{function.__qualname__}"


def similarity_signature(similarity: Similarity) -> str:
    """Enough to get the same similarities again: `similarity:tfidf-jaccard|idf:source-sentences|words:characters`."""
    name = similarity_name(similarity)
    parts = [f"similarity:{name}"]
    if name in OF_WORDS:
        parts += ["idf:source-sentences"] if name.startswith("tfidf") else []
        parts += ["words:characters"]
    elif name == "embedding":
        parts += [model_signature()]
    elif isinstance(similarity, str) and (dist := _plugged()[name].dist):
        parts += [f"from:{dist.name} {dist.version}"]
    return "|".join(parts)


def check_similarity(similarity: Similarity) -> None:
    """Say before the work starts that a name is unknown, an extra missing, a function none of two lists."""
    name = similarity_name(similarity)
    if name == "embedding" and any(find_spec(module) is None for module in NEEDED):
        raise UsageError('embedding needs an extra: pip install "adjudge[embeddings]"')
    if name not in SIMILARITIES:
        _function(similarity)


def all_similarities() -> tuple[str, ...]:
    """All names: the built-in ones, then those that installed packages register."""
    return (*SIMILARITIES, *_plugged())


class EmbeddingSimilarity:
    """Cosines of the vectors of all-MiniLM-L6-v2, an extra.

    A cosine below 0 counts as 0: sentences with nothing in common are as unlike as can be, and a preference says
    nothing of them, least of all the opposite.
    """

    def __init__(self, sentences: Sequence[str]):
        self._vectors: dict[str, FloatArray] = {}
        self._own = self._encoded(sentences)

    def among(self) -> FloatArray:
        """Of every sentence with every other: n x n, symmetric, 1 on the diagonal of what is not empty."""
        import numpy as np

        cosines = self._cosines(self._own)
        return np.maximum(cosines, cosines.T)

    def to(self, texts: Sequence[str]) -> FloatArray:
        """Of other texts (rows) with the sentences (columns)."""
        return self._cosines(self._encoded(texts))

    def _encoded(self, texts: Sequence[str]) -> FloatArray:
        """A row per text. One text has one vector, since a model rounds otherwise beside other texts."""
        import numpy as np

        encoder = minilm()
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for start in range(0, len(new), _TOGETHER):
            some = new[start : start + _TOGETHER]
            self._vectors.update(
                (text, embedded.text) for text, embedded in zip(some, encoder.encode(some), strict=True)
            )
        return np.array([self._vectors[text] for text in texts])

    def _cosines(self, rows: FloatArray) -> FloatArray:
        import numpy as np

        if not (len(rows) and len(self._own)):
            return np.zeros((len(rows), len(self._own)))
        # Rounded, so that the order in which a library of linear algebra adds up makes no difference.
        return np.clip(np.round(rows @ self._own.T, 12), 0.0, 1.0)


class FunctionSimilarity:
    """Any function `f(texts_a, texts_b)` that gives a matrix with a row per text of the first list. It is checked."""

    def __init__(self, function: Function, sentences: Sequence[str], name: str = ""):
        self.name = name or similarity_name(function)
        self._function = function
        self._own = list(sentences)

    def among(self) -> FloatArray:
        """Of every sentence with every other: n x n, as the function has it."""
        return self.to(self._own)

    def to(self, texts: Sequence[str]) -> FloatArray:
        """Of other texts (rows) with the sentences (columns)."""
        try:
            matrix = self._function(list(texts), list(self._own))
        except Exception as error:  # it is somebody else's code
            raise DataError(f"similarity {self.name} failed: {one_line(error)}") from error
        return checked(self.name, matrix, texts, self._own)


def checked(name: str, returned: Any, rows: Sequence[str], columns: Sequence[str]) -> FloatArray:
    """A matrix that a function gave, of the right shape, with numbers from 0 to 1."""
    import numpy as np

    what = f"similarity {name} gave"
    try:
        matrix = np.asarray(returned.toarray() if hasattr(returned, "toarray") else returned)
    except ValueError:
        raise DataError(f"{what} rows of different lengths, expected a matrix") from None
    expected = (len(rows), len(columns))
    if matrix.shape != expected:
        raise DataError(
            f"{what} the shape {matrix.shape}, expected {expected}: a row per text of the first list"
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{what} values of type {matrix.dtype}, expected numbers")
    values = matrix.astype(np.float64)
    wrong = ~((values >= -SLACK) & (values <= 1 + SLACK))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise DataError(
            f"{what} {values[row, column]:.6g} for {quoted(rows[row])} and {quoted(columns[column])},"
            f" expected a number from 0 to 1 ({np.count_nonzero(wrong):,} of {wrong.size:,} values are wrong)"
        )
    return np.clip(values, 0.0, 1.0)


@cache
def _plugged() -> dict[str, EntryPoint]:
    return registered(entry_points(group=GROUP))


def registered(entries: Iterable[EntryPoint]) -> dict[str, EntryPoint]:
    """Entry points by name; a name belongs to one similarity. They are loaded when they are asked for."""
    by_name: dict[str, EntryPoint] = {}
    for entry in entries:
        if entry.name in by_name or entry.name in SIMILARITIES:
            raise UsageError(f"{_place(entry)}: there is another similarity of that name")
        if not re.fullmatch(r"\w[\w.-]*", entry.name):
            raise UsageError(
                f"{_place(entry)}: a similarity's name has letters, digits, hyphens and dots only"
            )
        by_name[entry.name] = entry
    return by_name


def _function(similarity: Similarity) -> Function:
    """The function that an entry point stands for, or the one given, if it takes two lists."""
    if isinstance(similarity, str):
        place = _place(_plugged()[similarity])
        try:
            function = _plugged()[similarity].load()
        except Exception as error:  # any module can be behind an entry point
            raise UsageError(f"{place}: cannot be loaded: {one_line(error)}") from None
    else:
        place, function = f"similarity {similarity_name(similarity)}", similarity
    try:
        inspect.signature(function).bind([], [])
    except TypeError as error:
        raise UsageError(f"{place}: cannot be called with two lists of texts: {error}") from None
    except ValueError:
        pass  # some compiled functions do not tell what they take
    return function  # type: ignore[no-any-return]


def _place(entry: EntryPoint) -> str:
    source = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
    return f"the entry point {quoted(entry.name)} ({entry.value}{source})"
