"""From a text to the words that ROUGE counts: split, limit, cut into words, stop, stem."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

from adjudge.core.errors import DataError, UsageError
from adjudge.text.sentences import sentences
from adjudge.text.stemmers.porter import load_exceptions
from adjudge.text.stemmers.stem import STEMMERS, stem_words
from adjudge.text.stop import stop_words
from adjudge.text.words import WORD_RULES, word_spans

SPLITS = ("sentences", "lines")
Stem = Callable[[list[str]], list[str]]


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many words (white-space separated) or bytes (UTF-8); 0 is no limit."""

    words: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Stemming:
    """Stems of words by a stemmer's name, with a list of irregular forms or without."""

    name: str
    exceptions: Mapping[str, str] | None = None

    def __call__(self, words: list[str]) -> list[str]:
        return stem_words(words, self.name, self.exceptions)


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A text's words, as a whole (n-grams, skip-bigrams, clipping) and by sentence (L and W)."""

    words: list[str]
    sentences: list[list[str]]


@dataclass(frozen=True)
class Preparation:
    """How texts become words. `stem` maps a list of words; `stop` is looked up before stemming."""

    rule: str = "rouge"
    limit: Limit = field(default_factory=Limit)
    stop: AbstractSet[str] = frozenset()
    stem: Stem | None = None

    def __call__(self, lines: Sequence[str]) -> PreparedText:
        """The words of a text given as sentences."""
        raw = self.unstemmed(lines)
        if self.stem is None:
            return raw
        return PreparedText(self.stem(raw.words), [self.stem(words) for words in raw.sentences])

    def unstemmed(self, lines: Sequence[str]) -> PreparedText:
        """The same before stemming, which the fast way does once per distinct word."""
        if not self.limit.words and not self.limit.bytes:
            split = [self._words(line) for line in lines]
            return PreparedText(split[0] if len(split) == 1 else list(chain.from_iterable(split)), split)
        whole, by_sentence = limited(lines, self.limit)
        split = [self._words(line) for line in by_sentence]
        same = not self.limit.bytes
        return PreparedText(
            [w for words in split for w in words] if same else self._words(" ".join(whole)), split
        )

    def placed(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """The words of a text as they are counted, each with its place; a limit is not looked at."""
        pairs = list(zip(WORD_RULES[self.rule](text), word_spans(text, self.rule), strict=True))
        kept = [(word, span) for word, span in pairs if word not in self.stop]
        words = [word for word, _ in kept]
        return list(
            zip(words if self.stem is None else self.stem(words), (span for _, span in kept), strict=True)
        )

    def _words(self, text: str) -> list[str]:
        words = WORD_RULES[self.rule](text)
        return [word for word in words if word not in self.stop] if self.stop else words


def split_text(text: str, how: str, language: str = "en") -> list[str]:
    """A text's sentences: its lines, or what the sentence rules find."""
    if how == "lines":
        return [line for line in text.split("\n") if line]
    return [span.text for span in sentences(text, language)]


def limited(lines: Sequence[str], limit: Limit) -> tuple[list[str], list[str]]:
    """A text cut to a limit, as the original cuts it: once for whole texts, once for sentences.

    Its byte limit counts the bytes of sentences without the blanks between them; and for L and W it forgets to
    add them up, so that every sentence before the first that alone exceeds the limit stays whole.
    """
    if limit.words:
        kept = _first_words(lines, limit.words)
        return kept, kept
    if limit.bytes:
        return _first_bytes(lines, limit.bytes, add_up=True), _first_bytes(lines, limit.bytes, add_up=False)
    return list(lines), list(lines)


def _first_words(lines: Sequence[str], most: int) -> list[str]:
    kept: list[str] = []
    left = most
    for line in lines:
        words = line.split()
        if len(words) >= left:
            return [*kept, " ".join(words[:left])]
        kept.append(line)
        left -= len(words)
    return kept


def _first_bytes(lines: Sequence[str], most: int, *, add_up: bool) -> list[str]:
    kept: list[str] = []
    left = most
    for line in lines:
        encoded = line.encode("utf-8")
        if len(encoded) >= left:
            return [*kept, encoded[:left].decode("utf-8", "ignore")]
        kept.append(line)
        left -= len(encoded) if add_up else 0
    return kept


# By name: stemmers, stop lists, and ROUGE-1.5.5's own data where a user has a copy

DATA = "ADJUDGE_ROUGE_DATA"
EXCEPTIONS = "porter-155-exc"
SMART = "smart_common_words.txt"


@cache
def preparation(words: str, stem: str, stop: str, limit: Limit) -> Preparation:
    """How texts become words under these options. Names are checked here."""
    return Preparation(words, limit, _stop(stop), _stem(stem))


def check_names(stem: str, stop: str) -> None:
    """Unknown names are answered before any work starts."""
    if stem not in (*STEMMERS, EXCEPTIONS):
        stem_words([], stem)
    if stop not in ("none", "smart"):
        stop_words(stop)


def _stop(name: str) -> frozenset[str]:
    if name == "none":
        return frozenset()
    return read_stop_list(data_folder("stop=smart") / SMART) if name == "smart" else stop_words(name)


def _stem(name: str) -> Stemming | None:
    if name == "none":
        return None
    if name == EXCEPTIONS:
        return Stemming("porter-155", load_exceptions(data_folder(f"stem={EXCEPTIONS}")))
    return Stemming(name)


def data_folder(what: str) -> Path:
    """The data folder of a user's own copy of ROUGE-1.5.5, which has its own licence and is not part of this."""
    folder = os.environ.get(DATA)
    if not folder:
        raise UsageError(f"{what} reads the data folder of a copy of ROUGE-1.5.5: set {DATA} to it")
    return Path(folder)


def read_stop_list(path: Path) -> frozenset[str]:
    """A word a line, as the original's smart_common_words.txt has them."""
    try:
        return frozenset(path.read_text(encoding="utf-8", errors="replace").split())
    except OSError as error:
        raise DataError(f"{path}: no stop list can be read here: {error.strerror}") from None
