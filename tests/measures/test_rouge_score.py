"""On the same texts Google's rouge-score (0.1.2, a test-only dependency) has the same numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from tests.properties import examples

import adjudge
from adjudge.demo.build import stories
from adjudge.measures.presets import PRESETS
from adjudge.measures.rouge.many import rouge_many

TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL", "rouge-lsum": "rougeLsum"}
SCORER = rouge_scorer.RougeScorer(list(TYPES.values()), use_stemmer=True)
VOCABULARY = [
    "the",
    "storm",
    "storms",
    "stormed",
    "was",
    "were",
    "cats",
    "running",
    "of",
    "Of,",
    ".",
    "-",
    "don't",
    "dying",
]
words = st.sampled_from(VOCABULARY)
texts = st.lists(st.lists(words, max_size=12).map(" ".join), max_size=4).map("\n".join)


def theirs(peer: str, references: list[str]) -> list[float]:
    found = SCORER.score_multi(references, peer)
    return [found[name].fmeasure for name in TYPES.values()]


@examples(150)
@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_the_preset_is_rouge_score(peer: str, references: list[str]) -> None:
    ours = adjudge.rouge(peer, references, ["rouge-score"])
    assert [name.split("(")[0] for name in ours.compared] == list(TYPES)
    assert [ours.mean(name) for name in ours.compared] == pytest.approx(theirs(peer, references), abs=1e-9)


def test_on_the_demo_through_the_kernels() -> None:
    peers, references = [], []
    for story in stories():
        for text in (*story["systems"].values(), story["references"]["ada"]):
            peers.append("\n".join(text))
            references.append(["\n".join(story["references"][w]) for w in ("ben", "chloe", "dev")])
    found = rouge_many(peers, references, ["rouge-score"])
    assert len(found) == len(PRESETS["rouge-score"])
    for k, values in enumerate(zip(*found.values(), strict=True)):
        assert list(values) == pytest.approx(theirs(peers[k], references[k]), abs=1e-9)


def test_recall_and_precision_of_one_reference() -> None:
    peer, reference = (
        "The cat sat on the mat.\nIt was happy.",
        "A cat was sitting on the mats.\nHappy it was.",
    )
    scores = SCORER.score(reference, peer)
    for ours, name in TYPES.items():
        level = ", level=sentence" if ours == "rouge-l" else ""
        for stat in ("recall", "precision"):
            spec = f"{ours}(stat={stat}, stem=porter-nltk{level})"
            found = adjudge.rouge(peer, [reference], spec)
            wanted = getattr(scores[name], stat if stat == "precision" else "recall")
            assert found.mean(spec) == pytest.approx(wanted, abs=1e-9)
