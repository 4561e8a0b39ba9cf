"""Texts without a folder: the same numbers as rouge-score and sacrebleu, one type of result, and the comparison."""

from __future__ import annotations

import json
import math
from collections import UserList
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from tests.approving import Approved
from tests.properties import examples

import adjudge
from adjudge.analyses.compare.texts import TextScores
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.measures.presets import USUAL

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SCORER = rouge_scorer.RougeScorer(list(TYPES), use_stemmer=True)
WORDS = ["the", "storm", "storms", "stormed", "was", "running", "of", "Of,", ".", "don't", "dying", "3"]
texts = st.one_of(st.just(""), st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
rows = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=2, max_size=2)), min_size=2, max_size=6)

A = ["The storm came on Monday.", "It rained a lot.", "", "People ran.", "The dam broke at night."]
B = ["A storm came.", "It did not rain.", "Nothing was said.", "People were running.", "The dam held."]
R = [
    "The storm came late on Monday.",
    "It rained.",
    "Nothing was said.",
    "People ran away.",
    "The dam broke.",
]


@examples(25)
@given(rows)
def test_line_by_line_it_is_rouge_score(given_rows: list[tuple[str, str, list[str]]]) -> None:
    systems = {"a": [row[0] for row in given_rows], "b": [row[1] for row in given_rows]}
    references = [row[2] for row in given_rows]
    found = adjudge.rouge(systems, references)
    for system, own in systems.items():
        wanted = [SCORER.score_multi(r, text) for r, text in zip(references, own, strict=True)]
        for spec, name in zip(USUAL, TYPES, strict=True):
            for stat, field in (("f", "fmeasure"), ("recall", "recall"), ("precision", "precision")):
                theirs = [getattr(each[name], field) for each in wanted]
                ours = found.scores_of(f"{spec}(stat={stat})", system)
                assert ours == pytest.approx(theirs, abs=1e-9), (name, stat)


@pytest.mark.parametrize("references", [[[r] for r in R], [[r, b] for r, b in zip(R, B, strict=True)]])
def test_corpus_scores_are_what_sacrebleu_prints(references: list[list[str]]) -> None:
    found = adjudge.rouge(A, references, "bleu,chrf,ter")
    streams = [list(each) for each in zip(*references, strict=True)]
    for metric, each in zip((BLEU(), CHRF(), TER()), found.corpus, strict=True):
        assert each.value == pytest.approx(metric.corpus_score(A, streams).score, abs=1e-9)
        assert each.signature == str(metric.get_signature())
    alone = [
        BLEU(effective_order=True).sentence_score(a, r).score for a, r in zip(A, references, strict=True)
    ]
    assert found.scores_of("bleu") == pytest.approx([min(each, 100.0) for each in alone])
    assert found.mean("bleu") != pytest.approx(found.corpus[0].value)  # which is why both are named
    assert list(found.table().to_frame()["corpus"]) == [each.value for each in found.corpus]


def test_one_text_with_several_references(approved: Approved) -> None:
    for references in (
        ["A storm came on Monday.", "It stormed."],
        ("A storm came on Monday.", "It stormed."),
    ):
        found = adjudge.rouge("The storm came.", references)
        assert (found.texts, found.references) == (("1",), (2,))
        wanted = SCORER.score_multi(list(references), "The storm came.")
        assert found.mean(USUAL[1]) == pytest.approx(wanted["rouge2"].fmeasure)
    assert adjudge.rouge("a b", "a c", "rouge-1").mean("rouge-1") == 0.5
    approved(adjudge.rouge("a b", "a c", "rouge-1").headline())


@pytest.mark.parametrize("kind", [list, tuple, UserList, np.array, pd.Series, iter])
def test_two_lists_are_pairs_whatever_holds_them(kind: Any) -> None:
    found = adjudge.rouge(kind(A), kind(R), "rouge-2")
    alone = [adjudge.rouge(a, r, "rouge-2").mean("rouge-2") for a, r in zip(A, R, strict=True)]
    assert found.scores_of("rouge-2") == pytest.approx(alone)
    assert found.mean("rouge-2") == pytest.approx(fmean(alone))


def test_items_may_have_several_references_each() -> None:
    found = adjudge.rouge(["a b", "c d"], [["a x", "a b"], "c"], "rouge-1")
    assert found.scores_of("rouge-1") == pytest.approx((1.0, 2 / 3))
    assert found.references == (1, 2)
    assert found.table().title == "Means over 2 texts, 1 to 2 references each"


def test_the_result_is_one_type_and_shows_itself() -> None:
    for found in (adjudge.rouge("a", "a"), adjudge.rouge(A, R), adjudge.rouge({"x": A, "y": B}, R)):
        assert isinstance(found, TextScores)
        table = found.table()
        assert {"F", "recall", "precision"} <= {column.name for column in table.columns}
        assert repr(found).startswith(table.title)
        assert "<table" in found._repr_html_()
        assert found.headline().endswith(".")
        assert set(found.to_frame()["measure"]) == set(found.measures)
        read = json.loads(found.to_json())
        assert read["texts"] == len(found.texts)
        assert read["scores"][USUAL[0]][found.systems[0]] == list(found.scores_of(USUAL[0], found.systems[0]))
        titles = [row["measure"] for row in table.records()]
        assert titles[0] == "ROUGE-1"  # of one reference nothing is said of the best
        assert {each["title"] for each in read["means"]} >= {"ROUGE-2", "ROUGE-2 recall"}


def test_means_of_one_system_have_intervals() -> None:
    found = adjudge.rouge(A, R, "rouge-1,words")
    (rouge, words) = found.table().records()
    x = np.array(found.scores_of("rouge-1"))
    half = 2.7764451051977987 * x.std(ddof=1) / math.sqrt(5)  # R 4.2.2: qt(.975, 4)
    assert rouge["low"] == pytest.approx(max(x.mean() - half, 0))
    assert rouge["high"] == pytest.approx(min(x.mean() + half, 1))
    assert (rouge["mean"], words["F"]) == (None, None)
    assert words["mean"] == pytest.approx(fmean(len(a.split()) for a in A))


def test_the_comparison_is_compare() -> None:
    found = adjudge.rouge({"x": A * 3, "y": B * 3}, R * 3)
    theirs = found.comparisons()
    assert [c.measure for c in theirs] == list(USUAL)
    frame = pd.DataFrame({s: found.scores_of(USUAL[1], s) for s in ("x", "y")}, index=found.texts)
    apart = adjudge.compare(frame)
    assert theirs[1].test == apart.test == "t"
    assert theirs[1].pairs["t"][0].p_adjusted == apart.pairs["t"][0].p_adjusted
    assert adjudge.compare(found, USUAL[1]).standings == theirs[1].standings
    assert found.headline() == f"On ROUGE-1, {theirs[0].headline()}"


def test_a_title_says_what_it_must_where_two_would_be_alike() -> None:
    found = adjudge.rouge("a", "a", "rouge-1,rouge-1(refs=mean)")
    assert [row["measure"] for row in found.table().records()] == ["ROUGE-1", "ROUGE-1, mean over references"]
    assert [found.infos[m].title for m in found.compared] == ["ROUGE-1", "ROUGE-1, mean over references"]


def test_recall_and_precision_of_one_rouge_share_a_row() -> None:
    found = adjudge.rouge("a b c", "a b", "rouge-1(stat=recall),rouge-1(stat=precision),bleu")
    row = next(found.table().records())
    assert (row["measure"], row["recall"]) == ("ROUGE-1", 1.0)
    assert row["precision"] == pytest.approx(2 / 3)
    assert "F" not in {column.name for column in found.table().columns}


def test_blank_texts_are_counted_and_scored_as_empty(approved: Approved) -> None:
    found = adjudge.rouge(A, ["", *R[1:]], "rouge-1")
    assert found.blank == {"peer": 1, "references": 1}
    approved(found.notes())
    assert (found.scores_of("rouge-1")[0], found.scores_of("rouge-1")[2]) == (0.0, 0.0)


def test_a_system_may_be_called_as_a_reference() -> None:
    found = adjudge.rouge({"reference-1": A, "the reference-1": B}, R, "rouge-1")
    assert found.scores_of("rouge-1", "reference-1") == adjudge.rouge(A, R, "rouge-1").scores_of("rouge-1")
    assert not any(math.isnan(v) for s in found.systems for v in found.scores_of("rouge-1", s))


def test_processes_change_nothing() -> None:
    alone = adjudge.rouge({"x": A * 300, "y": B * 300}, R * 300, "rouge-1,words")
    assert adjudge.rouge({"x": A * 300, "y": B * 300}, R * 300, "rouge-1,words", workers=2) == alone


WRONG: list[tuple[Sequence[Any], str]] = [
    ((1, ["a"]), "a int, expected a text or a list of texts"),
    ((b"a", ["a"]), "a bytes, expected a text"),
    (("a", 1), "the references: a int"),
    (("a", []), "the references: an empty list"),
    (("a", [["b"]]), "number 1 is \"['b']\" (list), expected a text"),
    (("a", {"b": "c"}), "the references: a dict"),
    ((["a"], "b"), "the references are one text, expected a list of as many as there are texts"),
    ((["a", "b"], ["a"]), "2 texts of peer and references for 1, expected as many"),
    ((["a", None], ["a", "b"]), 'number 2 is "None" (NoneType)'),
    ((["a", "b"], ["a", float("nan")]), "the references of text 2: a float"),
    ((["a"], [[]]), "the references of text 1: an empty list"),
    (([], []), "an empty list"),
    (({}, "a"), "there are no systems"),
    (({"x": "a", "y": ["b"]}, "a"), "some systems have one text and some have several"),
    (({1: "a"}, "a"), "expected its name as a text"),
    (("a", "b", 3), "expected a text such as rouge-2"),
    (("a", "b", []), "no measures are named"),
    (("a", "b", "coverage"), "coverage needs judgments, and here are only texts and references"),
    (("a", "b", "rouge-1,js"), "js needs documents"),
    (("a", "b", "expert:coherence"), "names imported scores"),
]


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_wrong_types_and_measures_are_one_line(given: Sequence[Any], said: str) -> None:
    with pytest.raises(AdjudgeError) as error:
        adjudge.rouge(*given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_asking_for_what_is_not_there() -> None:
    found = adjudge.rouge({"x": "a", "y": "b"}, "a", "rouge-1")
    with pytest.raises(UsageError, match="name one of the systems: x, y"):
        found.mean("rouge-1")
    with pytest.raises(UsageError, match='there is no system "z": x, y'):
        found.mean("rouge-1", "z")
    with pytest.raises(UsageError, match='there is no "rouge-2"'):
        found.mean("rouge-2", "x")
    with pytest.raises(DataError, match="not basic elements"):
        adjudge.rouge("The dam broke.", "a|b|c", "rouge-be")


def test_what_has_no_order_or_is_no_list_of_texts_is_refused() -> None:
    frame = pd.DataFrame({"pred": A, "ref": R})
    with pytest.raises(UsageError, match="a DataFrame, expected one column of it"):
        adjudge.rouge(frame, R)
    with pytest.raises(UsageError, match="a DataFrame, expected one column of it"):
        adjudge.rouge(A, frame[["ref"]])
    with pytest.raises(UsageError, match="a set, which has no order"):
        adjudge.rouge(A, set(R))
    assert adjudge.rouge(frame["pred"], frame["ref"], "rouge-1").mean("rouge-1") == pytest.approx(
        adjudge.rouge(A, R, "rouge-1").mean("rouge-1")
    )


def test_rouge_lsum_needs_line_breaks_or_sentences_split_by_rule(approved: Approved) -> None:
    text, reference = (
        "A storm hit the town. Two died. The dam held.",
        "The dam held. Two people were killed. A storm hit.",
    )
    by_line = adjudge.rouge(text.replace(". ", ".\n"), reference.replace(". ", ".\n"), "rouge-lsum")
    whole = adjudge.rouge(text, reference, "rouge-l,rouge-lsum")
    split = adjudge.rouge(text, reference, "rouge-lsum", split_sentences=True)
    assert split.mean("rouge-lsum(split=sentences)") == by_line.mean("rouge-lsum") > whole.mean("rouge-lsum")
    assert whole.mean("rouge-lsum") == whole.mean("rouge-l")
    assert by_line.notes() == split.notes() == []
    approved(whole.notes())
