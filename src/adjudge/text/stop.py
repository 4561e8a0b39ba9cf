"""Stop words of a language, from the `stop-words` package, and English function words. Words: words.py."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cache

from adjudge.errors import UsageError, nearest, quoted
from adjudge.text.function_words import FUNCTION_WORDS
from adjudge.text.words import unicode_words

FUNCTION = "function"
"""Name of the list of English words of the closed classes; the package's English one is four times as wide."""


def stop_words(name: str) -> frozenset[str]:
    """The stop words of a language, by code or English name: "en", "en-GB", "english"; or "function".

    Each entry stands there in lower case and as the words that `unicode_words` makes of it
    ("don't", but also "don" and "t"), so that the set fits words of either kind. Entries with
    white space can equal no word and are left out.
    """
    wanted = name.strip().casefold()
    if wanted == FUNCTION:
        return FUNCTION_WORDS
    known = _languages()
    for key in (wanted, wanted.replace("_", "-").split("-")[0]):
        if key in known:
            return _load(known[key])
    hint = nearest(wanted, known) or f" (known: {', '.join(sorted(set(known.values())))})"
    raise UsageError(f"no stop words for language {quoted(name)}{hint}")


def content_words(words: Iterable[str], stop: AbstractSet[str]) -> list[str]:
    """The words that are not in `stop`, in order, repetitions kept."""
    return [word for word in words if word not in stop]


@cache
def _languages() -> dict[str, str]:
    """Every accepted name -> the package's own name of that language."""
    from stop_words import LANGUAGE_MAPPING

    return {**LANGUAGE_MAPPING, **{language: language for language in LANGUAGE_MAPPING.values()}}


@cache
def _load(language: str) -> frozenset[str]:
    from stop_words import get_stop_words

    entries = [entry.lower() for entry in get_stop_words(language) if not any(map(str.isspace, entry))]
    return frozenset(entries).union(*map(unicode_words, entries))
