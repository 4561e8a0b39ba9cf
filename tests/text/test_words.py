from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.text.words import (
    WORD_RULES,
    character_words,
    count_words,
    first_words,
    rouge_words,
    share_kept,
    unicode_words,
    word_spans,
)

ASCII = st.text(st.characters(max_codepoint=127))


def plain_rouge_words(text: str) -> list[str]:
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in text)
    return kept.lower().split()


def plain_unicode_words(text: str) -> list[str]:
    words = [""]
    for c in text:
        kind = unicodedata.category(c)
        inside = kind[0] == "M" or c in "\u200c\u200d"
        if c.isalnum() or (inside and words[-1]):
            words[-1] += c
        elif c != "\u00ad":
            words.append("")
    return [word.lower() for word in words if word]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The well-known café isn't open.", ["the", "well", "known", "caf", "isn", "t", "open"]),
        ("$2.6 million, up 5%", ["2", "6", "million", "up", "5"]),
        ("naïve_word", ["na", "ve", "word"]),
        ("273\u212a", ["273"]),  # the kelvin sign is no ASCII letter, though its lower case is
        ("", []),
    ],
)
def test_rouge_words(text: str, words: list[str]) -> None:
    assert rouge_words(text) == words


@given(st.text())
def test_rouge_words_are_what_plain_loops_find(text: str) -> None:
    assert rouge_words(text) == plain_rouge_words(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café Müller", ["café", "müller"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("ที่นี่ ภาษาไทย", ["ที่นี่", "ภาษาไทย"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("Maria’s, l’eau", ["maria", "s", "l", "eau"]),
        ("co\u00adoperate café", ["cooperate", "café"]),
        ("❤\ufe0f x_y é", ["x", "y", "é"]),
        ("ΟΔΟΣ", ["οδος"]),
    ],
)
def test_unicode_words(text: str, words: list[str]) -> None:
    assert unicode_words(text) == words


@given(st.text())
def test_unicode_words_are_what_plain_loops_find(text: str) -> None:
    assert unicode_words(text) == plain_unicode_words(text)


@given(ASCII)
def test_both_rules_agree_on_ascii(text: str) -> None:
    assert unicode_words(text) == rouge_words(text)


def test_the_rules_differ_beyond_ascii() -> None:
    assert WORD_RULES["rouge"]("café") != WORD_RULES["unicode"]("café")
    assert list(WORD_RULES) == ["rouge", "unicode", "characters"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" . , -- ", 0), ("He won - 3:1 .", 3), ("state-of-the-art U.S. forces", 3), ("½ é _ '", 2)],
)
def test_count_words(text: str, count: int) -> None:
    assert count_words(text) == count


@given(st.text())
def test_count_words_is_what_a_plain_loop_counts(text: str) -> None:
    assert count_words(text) == sum(any(c.isalnum() for c in token) for token in text.split())


def test_first_words_keeps_the_characters() -> None:
    text = "  The «old»\n harbour , he said .\n"
    assert first_words(text, 0) == ""
    assert first_words(text, 2) == "  The «old»"
    assert first_words(text, 4) == "  The «old»\n harbour , he"
    assert first_words(text, 5) == first_words(text, 99) == text


@given(st.text(), st.integers(0, 12))
def test_first_words_cuts_a_prefix_of_that_many_words(text: str, n: int) -> None:
    cut = first_words(text, n)
    assert text.startswith(cut)
    assert count_words(cut) == min(n, count_words(text))


def test_first_words_refuses_a_negative_count() -> None:
    with pytest.raises(UsageError, match="cut after -1 words, expected 0 or more"):
        first_words("a b", -1)


def test_scripts_without_spaces_go_sign_by_sign() -> None:
    assert character_words("東京の雨 and 3 cafés") == ["東", "京", "の", "雨", "and", "3", "cafés"]
    assert character_words("น้ำท่วม") == ["น้", "ำ", "ท่", "ว", "ม"]
    assert character_words("हिन्दी words") == unicode_words("हिन्दी words")
    assert character_words("plain ASCII-text") == rouge_words("plain ASCII-text")


@given(st.text())
def test_signs_hold_what_the_words_hold(text: str) -> None:
    assert "".join(character_words(text)) == "".join(unicode_words(text))


@pytest.mark.parametrize("rule", list(WORD_RULES))
@given(st.text(st.one_of(st.characters(), st.sampled_from("aB \u00adท่東京カéİ'"))))
def test_words_stand_where_their_spans_say(rule: str, text: str) -> None:
    found = [text[a:b].replace("\u00ad", "").lower() for a, b in word_spans(text, rule)]
    assert found == WORD_RULES[rule](text)


def test_what_a_rule_throws_away() -> None:
    assert share_kept("東京の雨", rouge_words("東京の雨")) == 0.0
    assert share_kept("A café.", rouge_words("A café.")) == pytest.approx(4 / 5)
    assert share_kept("...", []) == 1.0
