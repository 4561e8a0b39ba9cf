"""Descriptions against plain twins and hand counts; the page that documents the measures on texts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.measures.describe import (
    GRAM_SIZES,
    Compression,
    FragmentCoverage,
    FragmentDensity,
    Novel,
    Repeated,
    Runs,
    Sentences,
    fragments,
    suffix_order,
)
from adjudge.measures.divergence import JensenShannon, KullbackLeibler, SourceCosine
from adjudge.measures.extracts import Extract
from adjudge.measures.nams import Nams
from adjudge.measures.spec import build, split_spec

PAGE = (Path(__file__).parents[2] / "docs" / "measures-text.md").read_text(encoding="utf-8")
DESCRIPTIONS: dict[str, Callable[..., Measure]] = {
    "sentences": Sentences,
    "compression": Compression,
    "fragment-coverage": FragmentCoverage,
    "fragment-density": FragmentDensity,
    **{f"novel-{n}": partial(Novel, n=n) for n in GRAM_SIZES},
    **{f"repeated-{n}": partial(Repeated, n=n) for n in GRAM_SIZES},
}
OTHERS: dict[str, Callable[..., Measure]] = {
    "nams": Nams,
    "js": JensenShannon,
    "kl": KullbackLeibler,
    "source-cosine": SourceCosine,
    "extract": Extract,
}
texts = st.lists(st.sampled_from(["oak", "elm", "ash"]), max_size=12).map(" ".join)


def parsed(text: str) -> Measure:
    name, options = split_spec(text)
    return build(DESCRIPTIONS[name], name, options)


def topic(summary: str, *documents: str, language: str = "en") -> TopicBatch:
    return TopicBatch(
        Topic("t"),
        (Summary("t", "s", summary),),
        documents=tuple(Document("t", f"d{k}", text) for k, text in enumerate(documents)),
        language=language,
    )


def value(spec: str, summary: str, *documents: str) -> float:
    (row,) = parsed(spec).score(topic(summary, *documents))
    assert row.measure == spec
    assert (row.why is None) == (not math.isnan(row.value))
    return row.value


def why(spec: str, summary: str, *documents: str) -> str | None:
    (row,) = parsed(spec).score(topic(summary, *documents))
    assert math.isnan(row.value)
    return row.why


def grams(text: str, n: int) -> list[str]:
    w = text.split()
    return [" ".join(w[k : k + n]) for k in range(len(w) - n + 1)]


@settings(deadline=None)  # the first example loads lists and libraries
@given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(GRAM_SIZES))
def test_novel_and_repeated_equal_the_twins(summary: str, documents: list[str], n: int) -> None:
    ours, theirs = grams(summary, n), [g for text in documents for g in grams(text, n)]
    again = sum(gram in ours[:k] for k, gram in enumerate(ours))
    assert_share(f"repeated-{n}", again, len(ours), summary)
    new = sum(gram not in theirs for gram in ours)
    assert_share(f"novel-{n}", new, len(ours) if any(documents) else 0, summary, *documents)


def assert_share(spec: str, part: int, of: int, *given: str) -> None:
    if of:
        assert value(spec, *given) == pytest.approx(part / of)
    else:
        assert why(spec, *given)


def twin_fragments(words: list[str], documents: list[list[str]]) -> list[int]:
    """Try every start in every document; the longest match is the fragment."""
    sizes, at = [], 0
    while at < len(words):
        best = 0
        for document in documents:
            for start in range(len(document)):
                size = 0
                while words[at : at + size + 1] == document[start : start + size + 1] != []:
                    size += 1
                    if at + size == len(words) or start + size == len(document):
                        break
                best = max(best, size)
        sizes += [best] if best else []
        at += max(best, 1)
    return sizes


@settings(deadline=None)
@given(texts, st.lists(texts, max_size=3))
def test_fragments_equal_the_twin(summary: str, documents: list[str]) -> None:
    words, source = summary.split(), [text.split() for text in documents]
    sizes = fragments(words, Runs(source))
    assert sizes == twin_fragments(words, source)
    if words and any(source):
        assert value("fragment-coverage", summary, *documents) == pytest.approx(sum(sizes) / len(words))
        density = sum(size**2 for size in sizes) / len(words)
        assert value("fragment-density", summary, *documents) == pytest.approx(density)
        novel = value("novel-1", summary, *documents)
        assert value("fragment-coverage", summary, *documents) == pytest.approx(1 - novel)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=40))
def test_suffixes_are_sorted(codes: list[int]) -> None:
    assert suffix_order(codes) == sorted(range(len(codes)), key=lambda start: codes[start:])


def test_small_texts_have_suffixes_too() -> None:
    assert suffix_order([]) == []
    assert suffix_order([0]) == [0]
    assert suffix_order([1, 0]) == [1, 0]


def test_fragments_by_hand() -> None:
    source = "The storm flooded the harbour. Ten ships sank."
    summary = "The storm flooded a harbour and ten ships sank"
    # the storm flooded | a | harbour | and | ten ships sank
    assert value("fragment-coverage", summary, source) == pytest.approx(7 / 9)
    assert value("fragment-density", summary, source) == pytest.approx((9 + 1 + 9) / 9)
    assert value("fragment-density", source, source) == 8.0


def test_the_longest_run_is_found_where_it_overlaps_a_shorter_one() -> None:
    # the paper's own loop goes on behind the first match, a a, and misses a a b
    assert fragments(["a", "a", "b"], Runs([["a", "a", "a", "b"]])) == [3]


def test_runs_do_not_go_over_from_one_document_to_the_next() -> None:
    assert value("fragment-density", "storm flood", "storm", "flood") == 1.0
    assert value("fragment-density", "storm flood", "storm flood") == 2.0
    assert value("novel-2", "storm flood", "storm", "flood") == 1.0
    assert value("novel-2", "storm flood", "storm flood") == 0.0


def test_a_monotonous_source_is_no_trap() -> None:
    source = ["a"] * 60_000
    assert fragments(["a"] * 30_000 + ["b"] + ["a"] * 3, Runs([source, source])) == [30_000, 3]


def test_by_hand() -> None:
    source = "Storms flooded the harbour. Ten ships sank - and more."
    assert value("sentences", "It rained. It poured! Mr. Lee left.") == 3.0
    assert value("sentences", "") == 0.0
    assert value("compression", "Ten ships - sank.", source) == pytest.approx(3 / 9)
    assert value("compression", "Ten ships sank.", source, "One two three.") == pytest.approx(3 / 12)
    assert value("compression", "", source) == 0.0
    assert value("novel-1", "Ten boats sank", source) == pytest.approx(1 / 3)
    assert value("novel-2", "Ten boats sank", source) == 1.0
    assert value("novel-2", "Ships sank and sank", source) == pytest.approx(1 / 3)
    assert value("novel-1", "ten TEN boats", source) == pytest.approx(1 / 3)
    assert value("repeated-1", "to be or not to be") == pytest.approx(2 / 6)
    assert value("repeated-2", "to be or not to be") == pytest.approx(1 / 5)
    assert value("repeated-3", "to be or not to be") == 0.0
    assert value("repeated-4", "a a a a a a") == pytest.approx(2 / 3)


def test_stems_and_other_scripts() -> None:
    assert value("novel-1", "flooding storm", "Storms flooded") == 1.0
    assert value("novel-1(stem=porter)", "flooding storm", "Storms flooded") == 0.0
    assert value("novel-1", "Наводнение", "наводнение в порту") == 0.0
    assert why("novel-1(words=rouge)", "Наводнение", "Наводнение") == "the source has no words"


def test_what_is_missing_says_why() -> None:
    for spec in ("compression", "novel-2", "fragment-coverage", "fragment-density"):
        assert why(spec, "Ten ships sank.") == "the topic has no document"
    for spec in ("compression", "novel-1", "fragment-coverage", "fragment-density"):
        assert why(spec, "Ten ships sank.", "--", "") == "the source has no words"
    for spec in ("novel-1", "fragment-coverage", "repeated-1"):
        assert why(spec, " - ", "Ten ships sank.") == "the summary has no words"
    assert why("repeated-3", "Ten ships") == "the summary has no trigrams"
    assert why("novel-4", "Ten ships sank", "Ten ships sank today") == "the summary has no 4-grams"
    assert value("novel-4", "Ten ships sank today", "Ten ships sank") == 1.0  # a short source has none


def test_descriptions_have_no_direction_and_their_text_is_their_identity() -> None:
    for name in DESCRIPTIONS:
        measure = parsed(name)
        assert measure.better is None
        assert str(measure) == measure.name == name
        assert measure.ABOUT.endswith("(a description, no direction)")
        assert measure.CITATION
        with_documents = name not in ("sentences",) and not name.startswith("repeated")
        assert measure.needs == (frozenset({"documents"}) if with_documents else frozenset())
    assert str(parsed("novel-2( words=rouge, stem = lovins )")) == "novel-2(stem=lovins, words=rouge)"
    with pytest.raises(UsageError, match='no stemmer "portr"'):
        parsed("novel-2(stem=portr)")
    for family in (Novel, Repeated):
        with pytest.raises(UsageError, match="-5: expected n-grams of 1 to 4 words"):
            family(n=5)


def test_one_topic_serves_all_descriptions() -> None:
    batch = topic("Ten boats sank. Ten boats sank.", "Ten ships sank in the harbour.")
    specs = [*DESCRIPTIONS, "novel-1(stem=porter)", "fragment-density(stem=porter)"]
    together = [row.value for spec in specs for row in parsed(spec).score(batch)]
    alone = [value(spec, batch.peers[0].text, batch.documents[0].text) for spec in specs]
    assert together == alone


def test_the_page_documents_every_measure_option_and_choice() -> None:
    for name, make in {**DESCRIPTIONS, **OTHERS}.items():
        cls: Any = getattr(make, "func", make)
        assert f"`{name}`" in PAGE
        assert [option for option in make().options() if f"`{option}`" not in PAGE] == []
        for choices in (*cls.OPTIONS.values(), *getattr(cls, "EXAMPLES", {}).values()):
            assert [choice for choice in choices if f"`{choice}`" not in PAGE] == []
