"""Similarity of words: beside a plain twin, scikit-learn, and numbers counted by hand."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from tests.properties import examples

from adjudge.core.compiled import PLATFORMS, Bare
from adjudge.core.errors import UsageError
from adjudge.demo.build import stories
from adjudge.text import word_similarity
from adjudge.text.word_similarity import COSINE, FloatArray, WordSimilarity
from adjudge.text.words import character_words, unicode_words

KINDS = st.sampled_from(sorted(COSINE))
WORDS = st.sampled_from(["a", "b", "c", "D", "e1", "été", "кот", "漢", "字漢", "...", "l'eau"])
SENTENCE = st.lists(WORDS, max_size=9).map(" ".join)
TEXT = SENTENCE | st.text(max_size=12)
KERNELS = [each for each in vars(word_similarity).values() if isinstance(each, Bare)]


def demo_sentences() -> list[str]:
    return [text for story in stories() for document in story["documents"] for text in document["text"]]


def twin(texts: list[str], sentences: list[str], kind: str) -> FloatArray:
    """Pair by pair, with dictionaries."""
    own = [Counter(character_words(sentence)) for sentence in sentences]
    others = [Counter(character_words(text)) for text in texts]

    def weight(word: str) -> float:
        return math.log((1 + len(own)) / (1 + sum(word in bag for bag in own))) + 1

    def pair(a: Counter[str], b: Counter[str]) -> float:
        if not a or not b:
            return 0.0
        x, y = ({word: count * weight(word) for word, count in bag.items()} for bag in (a, b))
        cosine = (
            sum(x[w] * y[w] for w in x.keys() & y.keys()) / math.hypot(*x.values()) / math.hypot(*y.values())
        )
        jaccard = len(x.keys() & y.keys()) / len(x.keys() | y.keys())
        return {"tfidf": cosine, "jaccard": jaccard, "tfidf-jaccard": (cosine + jaccard) / 2}[kind]

    return np.array([[pair(a, b) for b in own] for a in others]).reshape(len(others), len(own))


def theirs(
    sentences: list[str], analyzer: Callable[[str], list[str]], **options: Any
) -> dict[str, FloatArray]:
    """Two vectorisers of scikit-learn and the usual products. Every sentence must have a word."""
    weighted = TfidfVectorizer(analyzer=analyzer, **options).fit_transform(sentences)
    there = CountVectorizer(analyzer=analyzer, binary=True).fit_transform(sentences)
    cosine, both = (weighted @ weighted.T).toarray(), (there @ there.T).toarray()
    size = np.asarray(there.sum(axis=1)).ravel()
    jaccard = both / (size[:, None] + size[None, :] - both)
    return {"tfidf": cosine, "jaccard": jaccard, "tfidf-jaccard": (cosine + jaccard) / 2}


# The same numbers as others


@examples(300)
@given(st.lists(SENTENCE, max_size=7), st.lists(TEXT, max_size=4), KINDS)
def test_the_fast_one_equals_the_plain_twin(sentences: list[str], texts: list[str], kind: str) -> None:
    fast = WordSimilarity(sentences, kind)
    np.testing.assert_allclose(fast.among(), twin(sentences, sentences, kind), rtol=0, atol=1e-14)
    np.testing.assert_allclose(fast.to(texts), twin(texts, sentences, kind), rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", COSINE)
@pytest.mark.parametrize("analyzer", [unicode_words, character_words])
def test_sentences_of_the_demo_are_as_alike_as_in_scikit_learn(
    kind: str, analyzer: Callable[[str], list[str]]
) -> None:
    # scikit-learn 1.9.1: TfidfVectorizer(analyzer=...), CountVectorizer(analyzer=..., binary=True)
    sentences = demo_sentences()
    assert len(sentences) > 300
    expected = theirs(sentences, analyzer)[kind]
    np.testing.assert_allclose(WordSimilarity(sentences, kind).among(), expected, rtol=0, atol=1e-12)


@examples(100)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join).filter(character_words), min_size=1))
def test_any_sentences_are_as_alike_as_in_scikit_learn(sentences: list[str]) -> None:
    for kind, expected in theirs(sentences, character_words).items():
        np.testing.assert_allclose(WordSimilarity(sentences, kind).among(), expected, rtol=0, atol=1e-12)


def test_another_idf_would_be_noticed() -> None:
    sentences = demo_sentences()
    ours = WordSimilarity(sentences, "tfidf").among()
    for options in ({"smooth_idf": False}, {"sublinear_tf": True}, {"use_idf": False}):
        assert np.abs(theirs(sentences, unicode_words, **options)["tfidf"] - ours).max() > 0.01


# Words that no sentence has


def test_an_unseen_word_is_counted_by_hand() -> None:
    sentences = WordSimilarity(["a b", "a c"], "tfidf"), WordSimilarity(["a b", "a c"], "jaccard")
    # a is in both: ln(3 / 3) + 1; b in one: ln(3 / 2) + 1; z in none: ln(3 / 1) + 1, twice
    b, z = math.log(1.5) + 1, 2 * (math.log(3) + 1)
    cosine, jaccard = sentences[0].to(["a z z"]), sentences[1].to(["a z z"])
    assert cosine[0, 0] == pytest.approx(1 / math.sqrt(1 + b * b) / math.sqrt(1 + z * z), abs=1e-15)
    assert jaccard[0, 0] == pytest.approx(1 / 3, abs=1e-15)
    both = WordSimilarity(["a b", "a c"]).to(["a z z"])
    assert both[0, 0] == pytest.approx((cosine[0, 0] + jaccard[0, 0]) / 2, abs=1e-15)


def test_that_is_where_scikit_learn_differs() -> None:
    """It drops such words: a text of one known word among ten new ones would be as near as the word alone."""
    sentences, text = ["storm hits coast", "talks fail"], "storm of words that say nothing"
    model = TfidfVectorizer(analyzer=unicode_words).fit(sentences)
    dropped = (model.transform([text]) @ model.transform(sentences).T).toarray()
    ours = WordSimilarity(sentences, "tfidf")
    np.testing.assert_allclose(ours.to(["storm"]), dropped, atol=1e-15)
    assert ours.to([text])[0, 0] < dropped[0, 0] / 2


@examples(100)
@given(st.lists(SENTENCE, max_size=5), st.lists(TEXT, max_size=4), KINDS)
def test_a_row_does_not_depend_on_the_texts_beside_it(
    sentences: list[str], texts: list[str], kind: str
) -> None:
    fast = WordSimilarity(sentences, kind)
    together = fast.to(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_array_equal(fast.to([text])[0], row)


# What holds exactly


@examples(200)
@given(st.lists(TEXT, max_size=8), KINDS)
def test_symmetric_from_0_to_1_and_exactly_1_with_itself(sentences: list[str], kind: str) -> None:
    fast = WordSimilarity(sentences, kind)
    found = fast.among()
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(fast.to(sentences), found)
    assert found.min(initial=0.0) >= 0
    assert found.max(initial=1.0) <= 1
    assert np.diagonal(found).tolist() == [1.0 if character_words(text) else 0.0 for text in sentences]


def test_sentences_of_the_same_words_are_exactly_alike() -> None:
    rng = np.random.default_rng(3)
    sentences = demo_sentences()[:100]
    shuffled = [" -- ".join(rng.permutation(unicode_words(text)).tolist()).upper() for text in sentences]
    found = WordSimilarity([*sentences, *shuffled]).among()
    assert np.all(np.diagonal(found[:100, 100:]) == 1)
    assert np.all(np.diagonal(WordSimilarity(sentences).to(shuffled)) == 1)


@examples(100)
@given(st.lists(SENTENCE, min_size=1, max_size=7), KINDS, st.randoms(use_true_random=False))
def test_the_order_of_sentences_makes_no_difference(sentences: list[str], kind: str, random: Any) -> None:
    order = random.sample(range(len(sentences)), len(sentences))
    found, other = (WordSimilarity(each, kind).among() for each in (sentences, [sentences[k] for k in order]))
    np.testing.assert_allclose(other, found[np.ix_(order, order)], rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 150])
def test_both_halves_are_filled(n: int) -> None:
    sentences = demo_sentences()[:n]
    np.testing.assert_array_equal(WordSimilarity(sentences).among(), WordSimilarity(sentences).to(sentences))


# Corners


def test_nothing_is_like_nothing() -> None:
    none = WordSimilarity([])
    assert none.among().shape == (0, 0)
    assert none.to(["a", "b"]).shape == (2, 0)
    some = WordSimilarity(["a b", "", "..."])
    assert some.to([]).shape == (0, 3)
    np.testing.assert_array_equal(some.to(["", "- -", "z"]), np.zeros((3, 3)))
    np.testing.assert_array_equal(some.among(), [[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(WordSimilarity(["", "!"]).to(["a"]), [[0, 0]])


def test_case_and_punctuation_say_nothing() -> None:
    assert WordSimilarity(["Storm hits coast."]).to(['"storm" HITS -- coast'])[0, 0] == 1


def test_where_words_are_not_spaced_signs_are_words() -> None:
    cat, dog = "猫が好きです。", "犬が好きです。"  # "I like cats", "I like dogs"
    assert unicode_words(cat) != unicode_words(dog)  # one word each
    assert WordSimilarity([cat, dog], "jaccard").among()[0, 1] == pytest.approx(5 / 7)


def test_an_unknown_kind_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as error:
        WordSimilarity(["a"], "jacard")
    assert str(error.value) == (
        'no similarity of words "jacard" (nearest: "jaccard", "tfidf-jaccard");'
        " there are: tfidf-jaccard, tfidf, jaccard"
    )


# The kernels


def test_numba_and_object_files_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = demo_sentences()[:70]
    fast = WordSimilarity(sentences)
    found, held = fast.among(), fast.to(["A storm of new words.", *sentences[:3]])
    assert len(KERNELS) == 3
    for each in KERNELS:
        monkeypatch.setattr(word_similarity, each.function.__name__, each.dispatcher)
    slow = WordSimilarity(sentences)
    np.testing.assert_array_equal(slow.among(), found)
    np.testing.assert_array_equal(slow.to(["A storm of new words.", *sentences[:3]]), held)


@pytest.mark.skipif(sys.platform not in PLATFORMS, reason="numba does the work here")
def test_once_compiled_it_starts_without_numba() -> None:
    code = (
        "import sys; from adjudge.text.word_similarity import WordSimilarity\n"
        "s = WordSimilarity(['a b', 'a c']); s.among(); s.to(['a'])\n"
        "print(*{'numba', 'scipy', 'sklearn'} & {*sys.modules})"
    )
    for _ in range(2):  # the first one may have to compile
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
