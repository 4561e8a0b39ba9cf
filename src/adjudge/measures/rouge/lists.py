"""What ROUGE's words are made with: stemmers, stop lists, and the original's own data where a user has it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from adjudge.errors import DataError, UsageError
from adjudge.measures.rouge.texts import Limit, Preparation, Stemming
from adjudge.text.stemmers.porter import load_exceptions
from adjudge.text.stemmers.stem import STEMMERS, stem_words
from adjudge.text.stop import stop_words

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
