"""Texts made to fool measures: what they are made of, and when they cannot be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import DataError
from adjudge.data.fooling import BIGRAM_LIST, DISTORTIONS, made_text, made_texts
from adjudge.data.rows import Document, Summary
from adjudge.evaluation import Evaluation
from adjudge.text.words import count_words

SOURCE = (
    Document("t", "d1", "The storm hit the coast. Nobody was hurt."),
    Document("t", "d2", "The storm hit the harbour. The coast was flooded, and ships sank."),
)
TEXT = "The storm hit the coast. Ships sank in the harbour. Nobody was hurt."


def made(
    kind: str,
    text: str = TEXT,
    source: Sequence[Document] = SOURCE,
    *,
    words: int | None = None,
    language: str = "en",
) -> str:
    return made_text(kind, text, words or count_words(text), Random(1), source, language)


def bigram_list(words: int, source: Sequence[Document] = SOURCE) -> str:
    return made(BIGRAM_LIST, "", source, words=words)


def test_the_most_frequent_bigrams_each_once() -> None:
    # the coast, the storm, storm hit and hit the are there twice; the rest once, in the order of the documents
    assert bigram_list(8) == "the storm storm hit hit the the coast"
    assert bigram_list(13) == "the storm storm hit hit the the coast nobody was was hurt the"


def test_a_list_ends_where_the_source_has_no_more() -> None:
    words = bigram_list(1000).split()
    assert len(words) == 2 * 12
    assert max(Counter(zip(words[::2], words[1::2], strict=True)).values()) == 1


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=30), st.integers(1, 40))
def test_a_list_is_its_plain_twin(words: list[str], length: int) -> None:
    counts = Counter(pairwise(words))
    order = sorted(counts, key=lambda b: (-counts[b], list(counts).index(b)))
    twin = [word for bigram in order for word in bigram][:length]
    assert bigram_list(length, [Document("t", "d", " ".join(words))]).split() == twin


def test_lists_have_the_length_asked_for_or_the_mean_of_the_topic(make: Callable[..., Evaluation]) -> None:
    e = make(
        *SOURCE,
        Summary("t", "a", "one two three"),
        Summary("t", "b", "one two three four five six seven"),
        Summary("t", "a", "one", 9),
        Summary("u", "a", "no documents here"),
    )
    peers = [s for s in e.collection.all_summaries() if s.is_peer]
    texts, left_out = made_texts(BIGRAM_LIST, peers, e.collection)
    assert {s.length: count_words(s.text) for s in texts} == {None: 5, 9: 9}
    assert left_out == {"the topic has no documents": 1}


def test_shuffles_keep_what_they_shuffle() -> None:
    words = made("shuffled-words")
    assert words != TEXT
    assert sorted(words.split()) == sorted(TEXT.split())
    shuffled = made("shuffled-sentences")
    parts = ["The storm hit the coast.", "Ships sank in the harbour.", "Nobody was hurt."]
    assert shuffled != TEXT
    assert all(part in shuffled for part in parts)
    assert len(shuffled) == len(TEXT)


def test_sentences_that_end_with_their_lines_still_do() -> None:
    text = "Storm hits the coast\nShips sank in the harbour\nNobody was hurt"
    assert sorted(made("shuffled-sentences", text).split("\n")) == sorted(text.split("\n"))


def test_repeated_truncated_and_padded() -> None:
    assert made("repeated") == "The storm hit the coast. The storm hit the coast. The storm hit"
    assert count_words(made("repeated")) == count_words(TEXT)
    assert made("truncated") == "The storm hit the coast. Ships sank"
    # of the sentences that are not in the summary, the one with the more frequent bigrams comes first
    assert made("padded-source") == (
        f"{TEXT} The storm hit the harbour. The coast was flooded, and ships sank."
    )
    noise = made("padded-noise")
    assert noise.startswith(f"{TEXT} ")
    assert count_words(noise) == 2 * count_words(TEXT)


def test_padding_ends_at_twice_the_length() -> None:
    assert made("padded-source", "Ships sank.") == "Ships sank. The storm"


@pytest.mark.parametrize("kind", ["shuffled-words", "padded-noise"])
def test_the_seed_decides(make: Callable[..., Evaluation], kind: str) -> None:
    e = make(*SOURCE, Summary("t", "a", TEXT), Summary("u", "a", TEXT))

    def texts(seed: int, topics: tuple[str, ...] = ("t", "u")) -> dict[str, str]:
        own = [s for s in e.collection.all_summaries() if s.topic in topics]
        return {s.topic: s.text for s in made_texts(kind, own, e.collection, seed=seed)[0]}

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)
    assert texts(1)["t"] != texts(1)["u"]
    assert texts(1, ("u",)) == {"u": texts(1)["u"]}  # whatever other topics there are


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("shuffled-words", "storm", "the summary has one word"),
        ("shuffled-words", "storm storm", "the summary has one word"),
        ("shuffled-sentences", "One sentence only.", "the summary has one sentence"),
        ("repeated", "One sentence only.", "the summary has one sentence"),
        ("truncated", "storm", "the summary has one word"),
        ("truncated", " ... ", "the summary is empty"),
    ],
)
def test_what_cannot_be_made_says_why(kind: str, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        made(kind, text)


def test_padding_needs_a_source_and_stop_words() -> None:
    with pytest.raises(DataError, match="no documents"):
        made("padded-source", source=())
    with pytest.raises(DataError, match="no sentence beyond"):
        made("padded-source", SOURCE[0].text, SOURCE[:1])
    with pytest.raises(DataError, match="no stop words for the language tlh"):
        made("padded-noise", language="tlh")
    assert count_words(made("padded-noise", language="de")) == 2 * count_words(TEXT)


def test_every_kind_changes_the_text() -> None:
    assert all(made(kind) != TEXT for kind in DISTORTIONS)
