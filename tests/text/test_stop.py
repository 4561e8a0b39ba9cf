from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.text.stop import content_words, stop_words
from adjudge.text.words import unicode_words


@pytest.mark.parametrize("name", ["en", "EN", "english", " English ", "en-GB", "en_US"])
def test_a_language_has_several_names(name: str) -> None:
    assert stop_words(name) is stop_words("en")


# stop-words 2025.11.4, get_stop_words("en") has 1,333 entries, get_stop_words("fr") 348.
def test_function_words_carry_no_content() -> None:
    words = stop_words("function")
    assert {"the", "of", "and", "don't", "t", "them"} <= words
    assert not {"bill", "fire", "research", "harbour", "first", "year"} & words
    assert content_words(unicode_words("They don't know of the fire"), words) == ["know", "fire"]
    assert words < stop_words("en") | words


def test_the_package_gives_the_words() -> None:
    assert {"the", "of", "and", "don't"} <= stop_words("en")
    assert {"le", "des", "avec"} <= stop_words("fr")
    assert not {"harbour", "strike"} & stop_words("en")
    assert stop_words("fr") != stop_words("en")


def test_pieces_at_an_apostrophe_are_stop_words_too() -> None:
    assert content_words(unicode_words("They don't know we're here, l'eau"), stop_words("en")) == ["eau"]
    assert content_words(unicode_words("qu'il l'eau"), stop_words("fr")) == ["eau"]


@pytest.mark.parametrize("name", ["en", "gu", "vi", "he", "tr"])
def test_every_stop_word_can_equal_a_word(name: str) -> None:
    for word in stop_words(name):
        assert word == word.lower()
        assert len(word.split()) == 1


def test_an_unknown_language_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r'^no stop words for language "englsh" \(nearest: "english".*\)$'):
        stop_words("englsh")
    with pytest.raises(UsageError, match=r"\(known: arabic, .*, vietnamese\)$"):
        stop_words("xx")


@given(st.lists(st.sampled_from(["the", "dock", "of", "strike"])))
def test_content_words_keep_order_and_repetitions(words: list[str]) -> None:
    kept = content_words(words, {"the", "of"})
    assert kept == list(filter(lambda word: word in ("dock", "strike"), words))


def test_the_libraries_are_loaded_at_first_use_only() -> None:
    code = (
        "import sys, adjudge.text as t; before = {'stop_words', 'sentencex'} & set(sys.modules);"
        "t.stop_words('en'); t.sentences('A b. C d.');"
        "print(sorted(before), sorted({'stop_words', 'sentencex', 'numpy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[] ['sentencex', 'stop_words']"
