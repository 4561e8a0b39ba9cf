"""Corpus BLEU against sacrebleu, its tests against full enumeration, a plain twin and sacrebleu's own."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu import BLEU
from sacrebleu.significance import PairedTest

from adjudge.comparisons.corpus import CorpusComparison, compare_corpus_bleu, count_topics
from adjudge.data.rows import Summary, Topic
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.bleu import Bleu
from adjudge.stats.bleu import TIE, WIDTH, bootstrap_bleu, corpus_bleu, paired_bleu
from adjudge.stats.checks import FloatArray, IntArray

Texts = dict[str, dict[str, str]]  # topic, then system


def invent(topics: int, mistakes: dict[str, float], seed: int = 1) -> tuple[Texts, Texts]:
    """Two references a topic, and systems that get each word of the first one wrong with some chance."""
    rng = random.Random(seed)
    vocabulary = [f"w{k}" for k in range(60)]
    peers: Texts = {}
    references: Texts = {}
    for topic in (f"t{k}" for k in range(topics)):
        words = rng.choices(vocabulary, k=rng.randint(12, 30))
        other = [w if rng.random() < 0.7 else rng.choice(vocabulary) for w in words]
        references[topic] = {"ann": " ".join(words), "bob": " ".join(other)}
        peers[topic] = {
            system: " ".join(w if rng.random() > chance else rng.choice(vocabulary) for w in words)
            for system, chance in mistakes.items()
        }
    return peers, references


def batches(peers: Texts, references: Texts) -> list[TopicBatch]:
    return [
        TopicBatch(
            Topic(topic),
            tuple(Summary(topic, system, text) for system, text in texts.items()),
            tuple(Summary(topic, s, text, roles=("reference",)) for s, text in references[topic].items()),
        )
        for topic, texts in peers.items()
    ]


def compared(topics: int = 12, resamples: int = 300, **mistakes: float) -> CorpusComparison:
    made = batches(*invent(topics, mistakes or {"good": 0.1, "same": 0.1, "poor": 0.6}))
    return compare_corpus_bleu(made, rng=generator(0, "test"), resamples=resamples)


# The score


@pytest.mark.parametrize("smooth", Bleu.OPTIONS["smooth"])
@pytest.mark.parametrize("tokenize", ["13a", "char"])
def test_corpus_bleu_is_sacrebleus(smooth: str, tokenize: str) -> None:
    # sacrebleu 2.6.0: BLEU(...).corpus_score, effective order off, as its command line has it
    peers, references = invent(9, {"a": 0.3, "b": 0.7, "c": 0.97})
    measure = Bleu(smooth=smooth, tokenize=tokenize, lowercase=True)
    result = compare_corpus_bleu(
        batches(peers, references), rng=generator(0, "x"), resamples=10, measure=measure
    )
    streams = [[references[t][who] for t in peers] for who in ("ann", "bob")]
    theirs = BLEU(smooth_method=smooth, tokenize=tokenize, lowercase=True)
    for standing in result.standings:
        expected = theirs.corpus_score([peers[t][standing.system] for t in peers], streams).score
        assert standing.bleu == pytest.approx(expected, abs=1e-9)
    by_mean = [np.mean([theirs.corpus_score([peers[t]["a"]], [[references[t]["ann"]]]).score for t in peers])]
    assert result.standings[0].bleu != pytest.approx(by_mean[0], abs=0.1)  # it is no mean of topics


counts_of_one = st.lists(st.integers(0, 6), min_size=4, max_size=4).flatmap(
    lambda grams: st.tuples(
        st.integers(0, 8),
        st.integers(0, 8),
        *(st.integers(0, n) for n in sorted(grams, reverse=True)),
        *(st.just(n) for n in sorted(grams, reverse=True)),
    )
)


@given(counts_of_one, st.sampled_from(Bleu.OPTIONS["smooth"]))
def test_any_counts_give_what_sacrebleu_gives(counts: tuple[int, ...], smooth: str) -> None:
    expected = BLEU.compute_bleu(
        list(counts[2:6]), list(counts[6:]), counts[0], counts[1], smooth_method=smooth
    ).score
    assert corpus_bleu(counts, smooth=smooth) == pytest.approx(expected, abs=1e-9)


def score(rows: IntArray) -> float:
    """Of rows of counts, by sacrebleu."""
    total = rows.sum(axis=0).tolist()
    return float(BLEU.compute_bleu(total[2:6], total[6:], total[0], total[1], smooth_method="exp").score)


# The randomization test


def enumerated(a: IntArray, b: IntArray) -> float:
    """All the ways to swap, one by one."""
    observed, as_far = abs(score(a) - score(b)), 0
    for swaps in product((False, True), repeat=len(a)):
        mask = np.array(swaps)[:, None]
        difference = abs(score(np.where(mask, b, a)) - score(np.where(mask, a, b)))
        as_far += difference >= observed - 1e-9
    return as_far / 2.0 ** len(a)


@pytest.mark.parametrize(("better", "seed"), [(0.3, 1), (0.45, 2), (0.5, 3)])
def test_randomization_agrees_with_all_the_ways_to_swap(better: float, seed: int) -> None:
    data = count_topics(batches(*invent(8, {"a": better, "b": 0.55}, seed)))
    exact = enumerated(data.counts[:, 0], data.counts[:, 1])
    resamples = 20_000
    (test,) = paired_bleu(data.counts, data.present, rng=generator(1, "swap"), resamples=resamples)
    assert test.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / resamples) + 1 / resamples)
    assert 0.005 < exact < 0.995  # one that the test can miss on both sides


def test_the_observed_arrangement_always_counts() -> None:
    """With two topics every swap is as far out or a tie: rounding must not decide."""
    data = count_topics(batches(*invent(2, {"a": 0.0, "b": 0.9})))
    exact = enumerated(data.counts[:, 0], data.counts[:, 1])
    (test,) = paired_bleu(data.counts, data.present, rng=generator(0, "two"), resamples=4000)
    assert exact == 0.5
    assert test.p == pytest.approx(0.5, abs=0.04)


def twin(a: IntArray, b: IntArray, rng: np.random.Generator, resamples: int) -> tuple[FloatArray, FloatArray]:
    """Swapped and drawn differences with the same stream, one topic at a time."""
    swapped, drawn = [], []
    for _ in range(resamples):
        coins = rng.random(len(a)) < 0.5
        x = np.array([b[t] if coin else a[t] for t, coin in enumerate(coins)])
        y = np.array([a[t] if coin else b[t] for t, coin in enumerate(coins)])
        swapped.append(score(x) - score(y))
    for _ in range(resamples):
        rows = rng.integers(0, len(a), len(a))
        drawn.append(score(a[rows]) - score(b[rows]))
    return np.array(swapped), np.array(drawn)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 7), st.integers(1, 150), st.integers(0, 1000))
def test_both_resamplings_equal_the_twin(topics: int, resamples: int, seed: int) -> None:
    data = count_topics(batches(*invent(topics, {"a": 0.3, "b": 0.5}, seed)))
    (test,) = paired_bleu(data.counts, data.present, rng=generator(seed, "t"), resamples=resamples)
    a, b = data.counts[:, 0], data.counts[:, 1]
    swapped, drawn = twin(a, b, generator(seed, "t"), resamples)
    np.testing.assert_allclose(test.swapped, swapped, atol=1e-9)
    np.testing.assert_allclose(test.resampled, drawn, atol=1e-9)
    observed = abs(score(a) - score(b))
    assert test.difference == pytest.approx(score(a) - score(b), abs=1e-9)
    far = sum(abs(d) >= observed - 1e-9 for d in swapped)
    assert test.p == pytest.approx((far + 1) / (resamples + 1))
    centred = drawn - drawn.mean()
    assert test.p_bootstrap == pytest.approx((sum(abs(centred) >= observed - 1e-9) + 1) / (resamples + 1))
    assert test.won == pytest.approx(np.mean([0.5 + np.sign(d) / 2 for d in drawn]), abs=1e-9)
    assert [test.low, test.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-9)


# sacrebleu's own tests


@pytest.mark.parametrize("other", [0.42, 0.46])
def test_the_tests_of_sacrebleu_agree(other: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # sacrebleu 2.6.0: PairedTest(..., test_type="ar" | "bs", n_samples=...), its default seed
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    peers, references = invent(40, {"a": 0.4, "b": other}, seed=5)
    resamples = 4000
    theirs: dict[str, Any] = {}
    for kind in ("ar", "bs"):
        test = PairedTest(
            [(s, [peers[t][s] for t in peers]) for s in ("a", "b")],
            {"BLEU": BLEU()},
            [[references[t][who] for t in peers] for who in ("ann", "bob")],
            test_type=kind,
            n_samples=resamples,
        )
        theirs[kind] = test()[1]["BLEU"][1]
    data = count_topics(batches(peers, references))
    (ours,) = paired_bleu(data.counts, data.present, rng=generator(3, "sb"), resamples=resamples)
    error = 4 * math.sqrt(2 * 0.25 / resamples)
    assert ours.p == pytest.approx(theirs["ar"].p_value, abs=error)
    # theirs counts absolute differences that lie above their mean by more: one side of ours
    sizes = np.abs(ours.resampled)
    one_sided = (np.sum(sizes - sizes.mean() > abs(ours.difference)) + 1) / (resamples + 1)
    assert one_sided == pytest.approx(theirs["bs"].p_value, abs=error)
    assert ours.p_bootstrap > one_sided
    low, high = bootstrap_bleu(data.counts, data.present, rng=generator(4, "ci"), resamples=resamples)
    assert (high[1] - low[1]) / 2 == pytest.approx(theirs["bs"].ci, rel=0.1)


# The comparison


def test_a_plain_comparison() -> None:
    result = compared()
    frame = result.to_frame()
    assert frame["system"].tolist()[-1] == "poor"
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["group"].tolist() == ["a", "a", "b"]
    assert (frame["low"] < frame["bleu"]).all()
    assert (frame["bleu"] < frame["high"]).all()
    assert (frame["n"] == 12).all()
    pairs = result.pairs_frame()
    assert pairs["different"].tolist() == [False, True, True]
    assert (pairs["p"] <= pairs["p_adjusted"]).all()
    assert (pairs["p"] >= 1 / 301).all()
    assert pairs["won"].iloc[1] == 1.0
    first, second = frame["system"][:2]
    assert result.sentence() == (
        f"On corpus BLEU {first} and {second} cannot be told from the best; 2 of 3 pairs of systems differ."
    )
    said = list(result.sentences())
    assert len(said) == 3
    assert said[1].startswith(
        f"{first} is better than poor on corpus BLEU (paired approximate randomization,"
    )
    assert "300 resamples" in said[1]
    assert "n = 12 topics" in said[1]
    assert result.pairs[0].sentence().startswith(f"{first} and {second} cannot be told apart on corpus BLEU")
    with pytest.raises(FrozenInstanceError):
        result.alpha = 0.1  # type: ignore[misc]


def test_the_same_generator_gives_the_same_numbers_and_the_signature_says_how() -> None:
    assert compared().pairs == compared().pairs
    other = compare_corpus_bleu(
        batches(*invent(12, {"good": 0.1, "same": 0.1, "poor": 0.6})), rng=generator(1, "test"), resamples=300
    )
    assert other.pairs != compared().pairs
    signature = compared().signature
    assert signature.startswith(
        "corpus-bleu|tokenize:13a|smooth:exp|lowercase:false|refs:together|sacrebleu:"
    )
    assert (
        "|topics:12|interval:bootstrap-percentile:0.95:300|test:approximate-randomization:300:" in signature
    )


def test_a_missing_summary_is_named_and_pairs_use_what_both_have() -> None:
    peers, references = invent(10, {"a": 0.2, "b": 0.3, "c": 0.4})
    del peers["t0"]["b"], peers["t1"]["b"], peers["t4"]["c"]
    result = compare_corpus_bleu(batches(peers, references), rng=generator(0, "m"), resamples=200)
    sizes = {frozenset((pair.a, pair.b)): pair.result.n for pair in result.pairs}
    assert sizes == {frozenset("ab"): 8, frozenset("ac"): 9, frozenset("bc"): 7}
    assert {s.system: s.n for s in result.standings} == {"a": 10, "b": 8, "c": 9}
    assert result.counts.missing == (
        ("t0", "b", "no summary"),
        ("t1", "b", "no summary"),
        ("t4", "c", "no summary"),
    )
    assert "3 summaries missing" in result.warnings()[0]
    (pair,) = [p for p in result.pairs if {p.a, p.b} == {"a", "b"}]
    both = [t for t in peers if "b" in peers[t]]
    streams = [[references[t][who] for t in both] for who in ("ann", "bob")]
    a, b = (BLEU().corpus_score([peers[t][s] for t in both], streams).score for s in (pair.a, pair.b))
    assert pair.result.difference == pytest.approx(a - b, abs=1e-9)


def test_people_who_meet_fewer_references_are_named() -> None:
    peers, references = invent(6, {"machine": 0.3})
    made = []
    for batch in batches(peers, references):
        ann = Summary(batch.topic.topic, "ann", references[batch.topic.topic]["ann"])
        made.append(TopicBatch(batch.topic, (*batch.peers, ann), batch.references))
    result = compare_corpus_bleu(made, rng=generator(0, "u"), resamples=50)
    assert result.counts.uneven == ("ann",)
    assert "ann met fewer references" in " ".join(result.warnings())


def test_too_few_topics_say_so() -> None:
    one = compared(1, a=0.2, b=0.4)
    assert math.isnan(one.pairs[0].result.p)
    assert one.pairs[0].sentence() == (
        f"{one.pairs[0].a} and {one.pairs[0].b} cannot be compared on corpus BLEU"
        " (needs two topics that both have, has 1)"
    )
    assert math.isnan(one.standings[0].low)
    assert one.sentence() == "On corpus BLEU no two systems can be told apart (1 pair)."
    few = compared(3, a=0.0, b=0.9)
    assert "the smallest p after Holm's correction is not below 0.05" in few.warnings()[0]
    assert compared(12, resamples=200, a=0.1, b=0.9).warnings() == []
    alone = compared(3, a=0.2)
    assert alone.sentence().startswith("One system has scores: a, corpus BLEU ")
    assert alone.pairs_frame().empty


def test_one_text_against_itself_is_no_difference() -> None:
    peers, references = invent(6, {"a": 0.3})
    peers = {t: {"a": texts["a"], "b": texts["a"]} for t, texts in peers.items()}
    result = compare_corpus_bleu(batches(peers, references), rng=generator(0, "same"), resamples=100)
    (pair,) = result.pairs
    assert (pair.result.p, pair.result.p_bootstrap, pair.result.won) == (1.0, 1.0, 0.5)
    assert [s.rank for s in result.standings] == [1, 1]


def test_lengths_are_not_mixed() -> None:
    topic = Topic("t")
    peers = (Summary("t", "a", "one two", 50), Summary("t", "a", "one two three", 100))
    references = (Summary("t", "r", "one two three four", 100, ("reference",)),)
    batch = TopicBatch(topic, peers, references)
    with pytest.raises(UsageError, match="several lengths .50, 100.: choose one"):
        count_topics([batch])
    with pytest.raises(UsageError, match="no summary of length 10; there are: 50, 100"):
        count_topics([batch], length=10)
    with pytest.raises(DataError, match="no summary can be scored: no reference of length 50"):
        count_topics([batch], length=50)
    assert count_topics([batch], length=100).counts[0, 0, 0] == 3
    with pytest.raises(DataError, match="no summary can be scored: there are no peers"):
        count_topics([])


def test_wrong_arguments_are_named() -> None:
    data = count_topics(batches(*invent(3, {"a": 0.2, "b": 0.4})))
    rng = generator(0, "x")
    with pytest.raises(UsageError, match="resamples: expected a whole number of at least 1"):
        paired_bleu(data.counts, data.present, rng=rng, resamples=0)
    with pytest.raises(UsageError, match="level: expected a number between 0 and 1"):
        bootstrap_bleu(data.counts, data.present, rng=rng, level=95)
    with pytest.raises(UsageError, match=f"topics x systems x {WIDTH}"):
        paired_bleu(data.counts[..., :4], data.present, rng=rng)
    with pytest.raises(UsageError, match="alpha"):
        compare_corpus_bleu([], rng=rng, alpha=5)


def test_the_tolerance_is_below_any_real_difference() -> None:
    """One hit more in a million n-grams moves BLEU by far more than what counts as a tie."""
    many = np.array([10**6, 10**6, 5 * 10**5, 10**5, 10**4, 10**3, 10**6, 10**6, 10**6, 10**6])
    more = many + np.eye(WIDTH, dtype=int)[2]
    assert corpus_bleu(more) - corpus_bleu(many) > 1000 * TIE * corpus_bleu(many)


def test_the_page_shows_what_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "measures-libraries.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    demo = [sys.executable, "-m", "adjudge", "demo", "my-eval"]
    subprocess.run(demo, cwd=tmp_path, capture_output=True, check=True)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("On corpus BLEU ")
    assert "p_bootstrap" in done.stdout
