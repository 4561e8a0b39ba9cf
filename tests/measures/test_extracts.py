"""Co-selection of sentences against a plain twin, statsmodels' kappa and hand counts."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.extracts import Extract, SourceSentences, kappa
from adjudge.measures.spec import build, split_spec

SOURCE = [
    "Storms flooded the harbour on Monday.",
    "Ten ships sank within an hour.",
    "The mayor asked for help.",
    "Soldiers came on Tuesday.",
    "Schools will open next week.",
]
NEW = ["Nobody had seen such waves before.", "Insurers expect large claims this year."]
sets = st.sets(st.integers(0, 4))


def parsed(text: str) -> Extract:
    measure = build(Extract, *split_spec(text))
    assert isinstance(measure, Extract)
    return measure


def rows(measure: Extract, peer: str, references: list[str], documents: list[str]) -> list[Score]:
    batch = TopicBatch(
        Topic("t"),
        (Summary("t", "s", peer),),
        tuple(Summary("t", f"r{k}", text, roles=("reference",)) for k, text in enumerate(references)),
        tuple(Document("t", f"d{k}", text) for k, text in enumerate(documents)),
    )
    return list(measure.score(batch))


def value(measure: Extract, peer: str, reference: str, *documents: str) -> float:
    (row,) = rows(measure, peer, [reference], list(documents) or [" ".join(SOURCE)])
    assert row.reference == "r0"
    return row.value


def some(numbers: set[int]) -> str:
    return " ".join(SOURCE[k] for k in sorted(numbers))


@settings(deadline=None)  # the first example loads lists and libraries
@given(sets, sets.filter(bool), st.integers(0, 2), st.sampled_from(Extract.OPTIONS["match"]))
def test_every_stat_equals_the_twin(peer: set[int], model: set[int], new: int, match: str) -> None:
    text = f"{some(peer)} {' '.join(NEW[:new])}"
    both = len(peer & model)
    precision, recall = both / max(len(peer) + new, 1), both / len(model)

    def ours(stat: str) -> float:
        return value(Extract(stat=stat, match=match), text, some(model))

    assert ours("precision") == pytest.approx(precision)
    assert ours("recall") == pytest.approx(recall)
    assert ours("f") == pytest.approx(2 * precision * recall / (precision + recall) if both else 0.0)
    marks = [(k in peer, k in model) for k in range(5)]
    agreed = sum(a == b for a, b in marks) / 5
    chance = (len(peer) * len(model) + (5 - len(peer)) * (5 - len(model))) / 25
    expected = math.nan if chance == 1 else (agreed - chance) / (1 - chance)
    assert ours("kappa") == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
def test_kappa_equals_statsmodels(both: int, first: int, second: int, neither: int) -> None:
    n = both + first + second + neither
    found = kappa(both + first, both + second, both, n)
    if both == n:
        assert math.isnan(found)
        return
    table = [[both, first], [second, neither]]
    assert found == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)
    assert -1 <= found <= 1


def test_counted_by_hand() -> None:
    # peer takes 0, 1 and a sentence of its own; the reference takes 1, 2
    peer, reference = some({0, 1}) + " " + NEW[0], some({1, 2})
    assert value(parsed("extract"), peer, reference) == pytest.approx(2 / 5)
    assert value(parsed("extract(stat=precision)"), peer, reference) == pytest.approx(1 / 3)
    assert value(parsed("extract(stat=recall)"), peer, reference) == pytest.approx(1 / 2)
    # agreed on 1, 3, 4 of five; by chance 2/5 * 2/5 + 3/5 * 3/5 = 13/25
    assert value(parsed("extract(stat=kappa)"), peer, reference) == pytest.approx((15 - 13) / (25 - 13))


def test_white_space_case_and_copies_do_not_matter() -> None:
    copy = "  STORMS flooded the\nharbour   on monday. "
    assert value(parsed("extract"), copy, SOURCE[0]) == 1.0
    assert value(parsed("extract"), f"{SOURCE[0]} {SOURCE[0]}", SOURCE[0]) == 1.0
    # the same sentence in two documents is one sentence: 2 in all
    assert value(parsed("extract(stat=kappa)"), SOURCE[0], SOURCE[0], SOURCE[0], some({0, 1})) == 1.0


def test_nearest_finds_what_exact_does_not() -> None:
    near = "Storms flooded the big harbour on Monday."
    assert value(parsed("extract"), near, SOURCE[0]) == 0.0
    assert value(parsed("extract(match=nearest)"), near, SOURCE[0]) == 1.0
    assert value(parsed("extract(match=nearest, by=cosine)"), near, SOURCE[0]) == 1.0
    # 6 words shared, 7 in either; cosine 6 / sqrt(6 * 7)
    assert value(parsed("extract(match=nearest, least=0.85)"), near, SOURCE[0]) == 1.0
    assert value(parsed("extract(match=nearest, least=0.86)"), near, SOURCE[0]) == 0.0
    assert value(parsed("extract(match=nearest, by=cosine, least=0.92)"), near, SOURCE[0]) == 1.0
    assert value(parsed("extract(match=nearest, by=cosine, least=0.93)"), near, SOURCE[0]) == 0.0


def test_references_may_be_near_too() -> None:
    near = "Ten ships sank within one hour."
    assert value(parsed("extract(match=nearest)"), SOURCE[1], near) == 1.0


def twin_nearest(sentence: list[str], source: list[list[str]], by: str, least: float) -> int | None:
    """Measure the likeness to every sentence; the first of the best."""

    def likeness(other: list[str]) -> float:
        a, b = Counter(sentence), Counter(other)
        if by == "jaccard":
            return len({*a} & {*b}) / max(len({*a} | {*b}), 1)
        norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
        return sum(a[w] * b[w] for w in a) / norm if norm else 0.0

    for k, other in enumerate(source):
        if other == sentence:
            return k
    best = max(range(len(source)), key=lambda k: (likeness(source[k]), -k), default=None)
    return None if best is None or likeness(source[best]) < least else best


some_words = st.lists(st.sampled_from(["oak", "elm", "ash", "fir"]), min_size=1, max_size=5)


@settings(deadline=None)
@given(
    some_words,
    st.lists(some_words, max_size=6, unique_by=tuple),
    st.sampled_from(Extract.OPTIONS["by"]),
    st.sampled_from([0.01, 0.5, 0.9]),
)
def test_nearest_equals_the_twin(sentence: list[str], source: list[list[str]], by: str, least: float) -> None:
    index = SourceSentences((" ".join(words) for words in source), "unicode")
    assert index.nearest(" ".join(sentence), by, least) == twin_nearest(sentence, source, by, least)


def test_the_same_sentence_wins_over_one_with_the_same_words() -> None:
    index = SourceSentences(["elm oak", "oak elm"], "unicode")
    assert index.nearest("Oak  elm", "jaccard", 0.5) == 1


def test_a_row_for_every_reference() -> None:
    found = rows(
        parsed("extract(stat=recall)"), some({0}), [some({0}), some({0, 1}), some({2})], [" ".join(SOURCE)]
    )
    assert [(r.reference, r.value) for r in found] == [("r0", 1.0), ("r1", 0.5), ("r2", 0.0)]


def test_what_is_missing_says_why() -> None:
    def why(measure: Extract, peer: str, references: list[str], documents: list[str]) -> tuple[Any, Any]:
        (row,) = rows(measure, peer, references, documents)
        assert math.isnan(row.value)
        return row.reference, row.why

    whole = [" ".join(SOURCE)]
    assert why(Extract(), SOURCE[0], [], whole) == (None, "the topic has no reference")
    assert why(Extract(), SOURCE[0], [SOURCE[0]], []) == (None, "the topic has no document")
    assert why(Extract(), SOURCE[0], [SOURCE[0]], [" "]) == (None, "the source has no sentences")
    for reference in (NEW[0], ""):
        assert why(Extract(), SOURCE[0], [reference], whole) == (
            "r0",
            "no sentence of the reference is in the source",
        )
    assert why(Extract(stat="kappa"), whole[0], whole, whole) == (
        "r0",
        "summary and reference take every source sentence: they could not but agree",
    )


def test_a_peer_that_takes_nothing_scores_zero() -> None:
    for stat in ("f", "precision", "recall", "kappa"):
        for peer in ("", NEW[0]):
            assert value(Extract(stat=stat), peer, SOURCE[0]) == 0.0


def test_measures_of_different_options_do_not_share_what_differs() -> None:
    near = f"Storms flooded the harbour. {SOURCE[1]} Ships sank in the harbour."
    specs = ["extract", "extract(match=nearest)", "extract(match=nearest, least=0.1)"]
    batch = TopicBatch(
        Topic("t"),
        (Summary("t", "s", near),),
        (Summary("t", "r0", some({0, 1}), roles=("reference",)),),
        (Document("t", "d", " ".join(SOURCE)),),
    )
    together = [row.value for spec in specs for row in parsed(spec).score(batch)]
    assert together == [value(parsed(spec), near, some({0, 1})) for spec in specs]
    assert len(set(together)) == len(specs)


def test_text_range_and_wrong_options() -> None:
    for spec in ("extract", "extract(stat=kappa, match=nearest, by=cosine, least=0.7)"):
        assert str(parsed(spec)) == spec
    assert parsed("extract").info().range == (0.0, 1.0)
    assert parsed("extract(stat=kappa)").info().range == (-1.0, 1.0)
    assert "least" not in parsed("extract").signed_options()
    assert parsed("extract(match=nearest)").signed_options()["least"] == 0.5
    for least in ("0", "1.5", "nan"):
        with pytest.raises(UsageError, match="extract: least=.*expected a number above 0, at most 1"):
            parsed(f"extract(least={least})")
    with pytest.raises(UsageError, match="stat=mean; expected one of: f, precision, recall, kappa"):
        parsed("extract(stat=mean)")
