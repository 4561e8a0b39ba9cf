"""Divergences from the source against plain twins, SciPy and hand counts."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cosine, jensenshannon

from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures import topicwords
from adjudge.measures.base import Measure
from adjudge.measures.divergence import JensenShannon, KullbackLeibler, SourceCosine
from adjudge.measures.spec import build, split_spec

FAMILIES: dict[str, Any] = {"js": JensenShannon, "kl": KullbackLeibler, "source-cosine": SourceCosine}
word = st.sampled_from(["oak", "elm", "ash", "fir", "yew"])
texts = st.lists(word, min_size=1, max_size=12).map(" ".join)
smoothing = st.sampled_from([0.0, 0.0005, 0.005, 1.0])


def parsed(text: str) -> Measure:
    name, options = split_spec(text)
    return build(FAMILIES[name], name, options)


def topic(summary: str, *documents: str) -> TopicBatch:
    return TopicBatch(
        Topic("t"),
        (Summary("t", "s", summary),),
        documents=tuple(Document("t", f"d{k}", text) for k, text in enumerate(documents)),
    )


def value(measure: Measure, summary: str, *documents: str) -> float:
    (row,) = measure.score(topic(summary, *documents))
    assert (row.why is None) == (not math.isnan(row.value))
    return row.value


def why(measure: Measure, summary: str, *documents: str) -> str | None:
    (row,) = measure.score(topic(summary, *documents))
    assert math.isnan(row.value)
    return row.why


def distributions(
    summary: str, documents: list[str], n: int, smooth: float
) -> tuple[list[float], list[float]]:
    """Both texts' smoothed probabilities, word type by word type."""

    def grams(text: str) -> list[str]:
        w = text.split()
        return [" ".join(w[k : k + n]) for k in range(len(w) - n + 1)]

    ours, theirs = Counter(grams(summary)), Counter(g for text in documents for g in grams(text))
    vocabulary = sorted({*ours, *theirs})
    bins = max(1.5 * len(theirs), len(vocabulary))
    return tuple(
        [(bag[w] + smooth) / (bag.total() + smooth * bins) for w in vocabulary] for bag in (ours, theirs)
    )  # type: ignore[return-value]


def bits(p: list[float], q: list[float]) -> float:
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a)


@settings(deadline=None)  # the first example loads lists and libraries
@given(texts, st.lists(texts, min_size=1, max_size=3), st.integers(1, 2), smoothing)
def test_divergences_equal_the_twin(summary: str, documents: list[str], n: int, smooth: float) -> None:
    options: dict[str, Any] = {"n": n, "smooth": smooth, "stem": "none"}
    if len(summary.split()) < n or max(len(d.split()) for d in documents) < n:
        assert "has no bigrams" in str(why(JensenShannon(**options), summary, *documents))
        return
    p, q = distributions(summary, documents, n, smooth)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    js = value(JensenShannon(**options), summary, *documents)
    assert js == pytest.approx(bits(p, middle) / 2 + bits(q, middle) / 2, abs=1e-12)
    assert 0 <= js <= 1
    for direction, first, second in (("summary-source", p, q), ("source-summary", q, p)):
        measure = KullbackLeibler(**options, direction=direction)
        if any(a and not b for a, b in zip(first, second, strict=True)):
            assert "infinite without smoothing" in str(why(measure, summary, *documents))
        else:
            assert value(measure, summary, *documents) == pytest.approx(bits(first, second), abs=1e-12)


@settings(deadline=None)
@given(texts, texts)
def test_unsmoothed_equals_scipy(summary: str, document: str) -> None:
    p, q = distributions(summary, [document], 1, 0.0)
    expected = float(jensenshannon(p, q, base=2)) ** 2
    ours = JensenShannon(stem="none", smooth=0.0)
    assert value(ours, summary, document) == pytest.approx(expected, abs=1e-9)
    assert value(ours, summary, document) == pytest.approx(value(ours, document, summary), abs=1e-12)


def test_counted_by_hand() -> None:
    plain = parsed("js(smooth=0, stem=none)")
    assert value(plain, "storm flood", "storm flood") == 0.0
    assert value(plain, "storm flood", "storm flood storm flood") == 0.0
    assert value(plain, "storm", "flood") == 1.0
    # p = (1, 0), q = (1/2, 1/2), mean (3/4, 1/4)
    expected = (math.log2(4 / 3) + math.log2(2 / 3) / 2 + math.log2(2) / 2) / 2
    assert value(plain, "storm", "storm flood") == pytest.approx(expected)
    one_way = parsed("kl(smooth=0, stem=none)")
    assert value(one_way, "storm", "storm flood") == 1.0
    assert why(parsed("kl(smooth=0, stem=none, direction=source-summary)"), "storm", "storm flood") == (
        "infinite without smoothing: the source has words that the summary lacks"
    )
    assert why(one_way, "storm flood", "storm") == (
        "infinite without smoothing: the summary has words that the source lacks"
    )


def test_smoothing_by_hand() -> None:
    # Louis and Nenkova 2013: B = 1.5 |V| = 3, delta = 0.0005; storm 1 of 1 and 1 of 2, flood 0 and 1
    p = [1.0005 / 1.0015, 0.0005 / 1.0015]
    q = [1.0005 / 2.0015, 1.0005 / 2.0015]
    assert value(parsed("kl(stem=none)"), "storm", "storm flood") == pytest.approx(bits(p, q))
    back = parsed("kl(stem=none, direction=source-summary)")
    assert value(back, "storm", "storm flood") == pytest.approx(bits(q, p))
    assert value(back, "storm", "storm flood") > 4 > value(parsed("kl(stem=none)"), "storm", "storm flood")


@settings(deadline=None)
@given(texts, texts)
def test_a_divergence_is_hardly_ever_negative(summary: str, document: str) -> None:
    # Smoothing leaves at most 0.0005 B / N to words in neither text.
    left = 0.0005 * 1.5 * 5
    assert value(KullbackLeibler(stem="none"), summary, document) > -2 * left


def test_with_many_new_words_the_distributions_still_sum_to_one() -> None:
    new = " ".join(f"word{k}" for k in range(200))
    assert 0.7 < value(JensenShannon(stem="none"), new, "storm") <= 1.0
    # with 1.5 bins for the source's one word, its 201 smoothed probabilities would sum to 1.1
    assert (1 + 0.0005 * 201) / (1 + 0.0005 * 1.5) > 1.09
    for p in distributions(new, ["storm"], 1, 0.0005):
        assert sum(p) == pytest.approx(1)


def test_documents_count_together_but_do_not_run_into_each_other() -> None:
    assert value(parsed("js(smooth=0)"), "storm flood", "storm", "flood") == 0.0
    # bigrams of the source: b c; d a
    assert why(parsed("kl(smooth=0, n=2)"), "c d", "b c", "d a") == (
        "infinite without smoothing: the summary has bigrams that the source lacks"
    )
    assert value(parsed("kl(smooth=0, n=2)"), "b c", "b c", "d a") == 1.0


def test_stems_and_stop_words() -> None:
    assert value(parsed("js(smooth=0)"), "storms raging", "storm rages") == 0.0
    assert value(parsed("js(smooth=0, stem=none)"), "storms raging", "storm rages") == 1.0
    assert value(parsed("js(smooth=0, stop=en)"), "the storm", "a storm") == 0.0
    assert value(parsed("js(smooth=0)"), "the storm", "a storm") == pytest.approx(0.5)


def test_a_better_summary_diverges_less() -> None:
    source = "Storm floods port. Storm floods town. Storm breaks dyke. Minister visits town."
    good, poor = "Storm floods town.", "Minister smiles kindly."
    for spec in ("js", "js(n=2)", "kl", "kl(direction=source-summary)"):
        measure = parsed(spec)
        assert measure.better == "lower"
        assert value(measure, good, source) < value(measure, poor, source)
    cosine_measure = parsed("source-cosine")
    assert cosine_measure.better == "higher"
    assert value(cosine_measure, good, source) > value(cosine_measure, poor, source)


@settings(deadline=None)
@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_the_cosine_equals_the_twin(summary: str, documents: list[str]) -> None:
    ours, theirs = Counter(summary.split()), Counter(" ".join(documents).split())
    vocabulary = [*{*ours, *theirs}]
    expected = 1 - float(cosine([ours[w] for w in vocabulary], [theirs[w] for w in vocabulary]))
    found = value(SourceCosine(stem="none"), summary, *documents)
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 <= found <= 1


def test_the_cosine_by_hand() -> None:
    assert value(SourceCosine(), "storm", "storm flood") == pytest.approx(1 / math.sqrt(2))
    assert value(SourceCosine(), "storm the the", "storm") == pytest.approx(1 / math.sqrt(5))
    assert value(SourceCosine(stop="en"), "storm the the", "storm") == 1.0
    assert value(SourceCosine(), "", "storm") == 0.0
    assert value(SourceCosine(), "flood", "storm") == 0.0


def test_what_is_missing_says_why() -> None:
    for measure in (JensenShannon(), KullbackLeibler(), SourceCosine()):
        assert why(measure, "storm") == "the topic has no document"
        assert why(measure, "storm", "...", "") == "the source has no words"
    for other in (JensenShannon(), KullbackLeibler()):
        assert why(other, " - ", "storm") == "the summary has no words"
    assert why(JensenShannon(stop="en"), "of the", "storm") == "the summary has no content words"
    assert why(JensenShannon(stop="en"), "storm", "of the") == "the source has no content words"
    assert why(JensenShannon(n=2), "storm", "storm flood") == "the summary has no bigrams"


def test_measures_of_different_options_do_not_share_what_differs() -> None:
    source, summary = "the storms flooded the town while the minister slept", "the storm flooded a minister"
    specs = [
        "js",
        "js(stem=none)",
        "js(stop=en)",
        "js(n=2)",
        "js(smooth=0)",
        "kl",
        "kl(stop=en)",
        "kl(direction=source-summary)",
        "source-cosine",
        "source-cosine(stop=en)",
    ]
    batch = topic(summary, source)
    together = [row.value for spec in specs for row in parsed(spec).score(batch)]
    assert together == [value(parsed(spec), summary, source) for spec in specs]
    assert len(set(together)) == len(specs)


@pytest.mark.parametrize(
    "spec", ["js", "js(stop=en, n=2)", "kl(direction=source-summary)", "source-cosine(stem=lovins)"]
)
def test_text_and_measure_are_one_to_one(spec: str) -> None:
    assert str(parsed(spec)) == spec
    assert parsed(str(parsed(spec))) == parsed(spec)


@settings(deadline=None)
@given(st.floats(0, 1e9), st.sampled_from([1, 2]), st.sampled_from(["none", "de"]))
def test_numbers_keep_their_text(smooth: float, n: int, stop: str) -> None:
    measure = JensenShannon(smooth=smooth, n=n, stop=stop)
    assert parsed(str(measure)) == measure
    assert str(JensenShannon(smooth=-0.0)) == str(JensenShannon(smooth=0.0)) == str(JensenShannon(smooth=0))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("js(n=3)", "js: n=3; expected 1 (words) or 2 (bigrams)"),
        ("kl(n=0)", "kl: n=0; expected 1 (words) or 2 (bigrams)"),
        ("js(smooth=-1)", "js: smooth=-1.0; expected a number, 0 or more"),
        ("js(smooth=nan)", "js: smooth=nan; expected a number, 0 or more"),
        ("kl(smooth=inf)", "kl: smooth=inf; expected a number, 0 or more"),
        ("kl(direction=both)", "direction=both; expected one of: summary-source, source-summary"),
        ("js(direction=summary-source)", 'js has no option "direction"'),
        ("source-cosine(stop=klingon)", 'no stop words for language "klingon"'),
    ],
)
def test_wrong_options(spec: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parsed(spec)
    assert said in str(error.value)


def test_a_source_is_cut_once_for_all_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[int] = []

    def counting(words: list[str], stemmer: str) -> list[str]:
        cut.append(len(words))
        return words

    monkeypatch.setattr(topicwords, "stem_words", counting)
    source = " ".join(f"w{k}" for k in np.random.default_rng(3).zipf(1.3, 20_000) % 5_000)
    peers = tuple(Summary("t", f"s{k}", source[k * 100 : k * 100 + 600]) for k in range(50))
    batch = TopicBatch(Topic("t"), peers, documents=(Document("t", "d", source),))
    rows = [row for spec in ("js", "kl", "source-cosine") for row in parsed(spec).score(batch)]
    assert len(rows) == 150
    assert all(row.value > 0 for row in rows)
    assert cut.count(20_000) == 1
    assert len(cut) == 51
