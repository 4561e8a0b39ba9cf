"""Scores with some of the references: as an evaluation gives them that holds no others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from adjudge.data.rows import Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.registry import parse_measure
from adjudge.measures.rouge import scoring
from adjudge.measures.run import score_batches

WORDS = ("storm", "rain", "wind", "flood", "river", "town", "people", "water", "house", "road", "bridge")
WRITERS = ("ann", "bob", "cy", "dee")


def text(rng: np.random.Generator) -> str:
    return " ".join(rng.choice(WORDS, size=12)) + ". " + " ".join(rng.choice(WORDS, size=8)) + "."


@pytest.fixture
def batches() -> list[TopicBatch]:
    """Machines, a writer who is a peer too, and a topic with fewer references."""
    rng = np.random.default_rng(5)
    found = []
    for topic in ("t1", "t2", "t3"):
        references = tuple(
            Summary(topic, name, text(rng), roles=("peer", "reference") if name == "ann" else ("reference",))
            for name in WRITERS[: 2 if topic == "t3" else 4]
        )
        peers = tuple(Summary(topic, name, text(rng)) for name in ("x", "y", "z"))
        found.append(TopicBatch(Topic(topic), (*peers, references[0]), references))
    return found


CHOICES: list[Sequence[set[str]]] = [
    [set(WRITERS)] * 3,
    [{"ann"}, {"ann"}, {"bob"}],
    [{"bob", "dee"}, {"ann", "cy"}, {"ann", "bob"}],
    [{"ann", "bob", "cy"}] * 3,
    [set(), {"bob"}, set()],
    [set()] * 3,
]


def plainly(spec: str, batches: Sequence[TopicBatch], writers: Sequence[set[str]]) -> list[float]:
    """Scored one topic at a time, from batches that never had other references."""
    found = []
    for batch, kept in zip(batches, writers, strict=True):
        left = tuple(r for r in batch.references if r.system in kept)
        alone = TopicBatch(batch.topic, batch.peers, left)
        rows = score_batches([parse_measure(spec)], [alone])
        for peer in batch.peers:
            values = [r.value for r in rows if r.system == peer.system and not math.isnan(r.value)]
            found.append(float(np.mean(values)) if values else math.nan)
    return found


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    "spec",
    [
        "rouge-1",
        "rouge-2(stat=f)",
        "rouge-l",
        "rouge-w(stat=f)",
        "rouge-su4(refs=mean)",
        "rouge-1(refs=best)",
        "rouge-1(stat=f, refs=max)",
        "rouge-2(refs=jackknife)",
    ],
)
def test_rouge_counts_pairs_once(
    spec: str, plain: bool, batches: list[TopicBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = parse_measure(spec)
    expected = [plainly(spec, batches, choice) for choice in CHOICES]
    monkeypatch.setattr(scoring, "PLAIN_UP_TO", 1e9 if plain else -1.0)
    assert measure.shares_references
    found = list(measure.score_with_references(batches, CHOICES))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.isnan(found[1][3])  # ann's own reference alone is nothing to be compared with


@pytest.mark.parametrize("spec", ["nams", "chrf"])
def test_others_are_scored_anew(spec: str, batches: list[TopicBatch]) -> None:
    measure = parse_measure(spec)
    assert not measure.shares_references
    found = list(measure.score_with_references(batches, CHOICES))
    np.testing.assert_allclose(found, [plainly(spec, batches, choice) for choice in CHOICES], atol=1e-12)


def test_no_text_is_forgotten_or_kept_from_an_earlier_choice(batches: list[TopicBatch]) -> None:
    measure = parse_measure("nams")
    used = [replace(batch, _kept={}) for batch in batches]
    score_batches([measure], used)
    first = list(measure.score_with_references(used, CHOICES[:3]))
    again = list(measure.score_with_references(used, CHOICES[2::-1]))
    np.testing.assert_array_equal(first, again[::-1])
