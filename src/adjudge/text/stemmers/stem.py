"""Stemmers by name, and the stems of many words at once. docs/stemmers.md says which to choose for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.text.stemmers import lovins, porter

STEMMERS = ("porter-155", "porter-nltk", "porter", "lovins", "none")
SHORTEST = 4  # ROUGE-1.5.5 and rouge-score stem only words longer than three letters
REMEMBERED = 200_000  # words whose stems are kept, for each stemmer; some 30 MB

Stem = Callable[[str], str]


def stem_words(words: Sequence[str], stemmer: str, exceptions: Mapping[str, str] | None = None) -> list[str]:
    """Every word's stem, in order. Words come in lower case, as text/words.py gives them.

    A word longer than three letters that is in `exceptions` becomes its base form there and is not stemmed
    further, as in ROUGE-1.5.5 (see porter.load_exceptions). `none` leaves every word as it is.
    """
    if stemmer == "none":
        return list(words)
    stems = _stems(stemmer)
    if not exceptions:
        return [stems[word] for word in words]
    return [
        exceptions[word] if len(word) >= SHORTEST and word in exceptions else stems[word] for word in words
    ]


def stemmer_names() -> tuple[str, ...]:
    """All names that `stem_words` knows: STEMMERS, then Snowball's stemmers by language."""
    import Stemmer

    return STEMMERS + tuple(sorted(set(Stemmer.algorithms()).difference(STEMMERS)))


class _StemCache(dict[str, str]):
    """Word -> stem, worked out at first use. Starts anew when full, so memory stays bounded."""

    def __init__(self, stem: Stem):
        super().__init__()
        self._stem = stem

    def __missing__(self, word: str) -> str:
        if len(self) >= REMEMBERED:
            self.clear()
        self[word] = stem = self._stem(word)
        return stem


@cache
def _stems(stemmer: str) -> _StemCache:
    match stemmer:
        case "porter-155":
            return _StemCache(_of_long_words(porter.stem_155))
        case "porter-nltk":
            return _StemCache(_of_long_words(porter.stem_nltk))
        case "porter":
            return _StemCache(_of_long_words(_snowball("porter")))
        case "lovins":
            return _StemCache(lovins.stem)
        case _:
            return _StemCache(_snowball(stemmer))


def _of_long_words(stem: Stem) -> Stem:
    return lambda word: word if len(word) < SHORTEST else stem(word)


def _snowball(name: str) -> Stem:
    """A stemmer of PyStemmer, without its own cache, which several threads may not share."""
    names = stemmer_names()
    if name not in names:
        hint = nearest(name, names) or f" (known: {', '.join(names)})"
        raise UsageError(f"no stemmer {quoted(name)}{hint}")
    import Stemmer

    stem: Stem = Stemmer.Stemmer(name, 0).stemWord
    return stem
