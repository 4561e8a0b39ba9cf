"""Preferences as a measure: a topic worked by hand, what the paper found, and what cannot be scored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.preference_making import (
    a_batch,
    annotation,
    answered,
    clusters,
    prefer,
    pyramid_judgments,
    weighted_pyramid,
)

from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import TopicBatch, batch_of
from adjudge.judgments.pairs.answers import human_answers
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.measures.judged.preference import SCALE, SOURCES, Preference
from adjudge.measures.judged.preference_strengths import (
    ALL,
    Recipe,
    among,
    annotated_sentences,
    answers_of,
    nearest,
    pyramid_worth,
    redundancy,
    reference_worth,
    similarity_of,
    simulated_answers,
    strengths_of,
    summary_weights,
)
from adjudge.measures.registry import parse_measure
from adjudge.stats.preference.answers import FloatArray, propagated
from adjudge.stats.preference.bradley_terry import REGULARISER, fit
from adjudge.stats.preference.crowd import fit_crowd
from adjudge.text.similarity import SentenceSimilarity

# The topic by hand. S* and its words, for Jaccard:
#
#     0 the dam broke    1 rain fell all night    2 nobody was hurt    3 a mill was lost


def fresh(batch: TopicBatch, **changes: Any) -> TopicBatch:
    """Another batch, which remembers nothing of the first."""
    return replace(batch, _kept={}, **changes)


def jaccard(batch: TopicBatch) -> SentenceSimilarity:
    return similarity_of(batch, "jaccard")


def texts_of(batch: TopicBatch) -> list[str]:
    return [sentence.text for sentence in topic_sentences(batch)]


def test_the_sentences_are_a_set_with_all_their_places() -> None:
    found = topic_sentences(a_batch())
    assert [each.text for each in found] == [
        "The dam broke.",
        "Rain fell all night.",
        "Nobody was hurt.",
        "A mill was lost.",
    ]
    assert [(p.document, p.start, p.end) for p in found[0].places] == [("one", 0, 14), ("two", 17, 31)]


# Equation 4


def test_equation_4_by_hand() -> None:
    """14, 16 and 23 characters of 53: sentence 0, sentence 3, and one that is like nothing."""
    batch = a_batch("The dam broke. A mill was lost. Colourless green ideas.", "A mill  broke.\nRain!", "")
    found = summary_weights(
        [peer.text for peer in batch.peers], texts_of(batch), jaccard(batch), penalty="none", language="en"
    )
    assert found[0] == pytest.approx([14 / 53, 0, 0, 16 / 53])
    # {a, mill, broke}: 1/5 of sentence 0, 2/5 of sentence 3; {rain}: 1/4 of sentence 1. 13 and 5 characters.
    assert found[1] == pytest.approx([0, 5 / 18, 0, 13 / 18])
    assert np.isnan(found[2]).all()
    v = np.array([1.6, 0.4, 1.2, 0.8])
    assert found[0] @ v == pytest.approx((14 * 1.6 + 16 * 0.8) / 53)


def test_of_equally_near_sentences_the_first_by_its_text_counts() -> None:
    alike = np.array([[0.2, 0.5, 0.5 + 1e-16], [0.0, 0.0, 0.0], [0.1, 0.0, 0.3]])
    assert nearest(alike, ["c", "b", "a"]).tolist() == [2, -1, 2]
    assert nearest(alike, ["c", "a", "b"]).tolist() == [1, -1, 2]


# Equation 5

AGAIN = ["The dam broke.", "The dam broke.", "Nobody was hurt at the dam."]
# Bigrams: the-dam 3 times, dam-broke twice, four others once: 9 in all, 2 in each of the first two, 5 in the third.


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        ("sentence", [(1 / 3 + 1 / 2) / 2, (1 / 3 + 1 / 2) / 2, (4 + 1 / 3) / 5]),
        ("printed", [(1 / 3 + 1 / 2) / 9, (1 / 3 + 1 / 2) / 9, (4 + 1 / 3) / 9]),
        ("none", [1, 1, 1]),
    ],
)
def test_equation_5_by_hand(penalty: str, expected: list[float]) -> None:
    assert redundancy(AGAIN, penalty) == pytest.approx(expected)  # type: ignore[arg-type]


def test_saying_a_thing_within_a_sentence_again_is_redundant_too() -> None:
    assert redundancy(["go go go go"], "sentence") == pytest.approx([1 / 3])
    assert redundancy(["one two three"], "sentence") == [1.0]


def test_a_sentence_without_bigrams_keeps_all_but_for_the_printed_formula() -> None:
    assert redundancy(["Stop.", "It went on."], "sentence") == [1.0, 1.0]
    assert redundancy(["Stop.", "It went on."], "printed") == [0.0, 1.0]
    assert redundancy(["Stop."], "printed") == [1.0]


SENTENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=6).map(" ".join), max_size=5)


@settings(deadline=None)
@given(SENTENCES)
def test_redundancy_as_a_plain_loop_has_it(own: list[str]) -> None:
    def bigrams(text: str) -> list[str]:
        words = text.split()
        return [f"{words[k]} {words[k + 1]}" for k in range(len(words) - 1)]

    every = [gram for text in own for gram in bigrams(text)]
    for penalty in ("sentence", "printed"):
        expected = []
        for text in own:
            grams = bigrams(text)
            total = sum(grams.count(gram) / every.count(gram) for gram in set(grams))
            divisor = len(grams) if penalty == "sentence" else len(every)
            expected.append(total / divisor if divisor else 1.0)
        assert redundancy(own, penalty) == pytest.approx(expected)


# Equations 6 to 8


def test_equation_6_by_hand() -> None:
    """{the dam broke at night} has 3 of 5 words with sentence 0 and 1 of 8 with 1; {nobody died} 1 of 4 with 2."""
    batch = a_batch(references=["The dam broke at night.", "Nobody died."])
    assert reference_worth(batch, jaccard(batch)) == pytest.approx([3 / 5, 1 / 8, 1 / 4, 0])
    assert reference_worth(batch, jaccard(batch), without="r1") == pytest.approx([3 / 5, 1 / 8, 0, 0])
    assert np.isnan(reference_worth(a_batch(), jaccard(batch))).all()


PeerWords = dict[int, Sequence[str]]
PEER = "The dam broke and a mill was lost. Rain fell all night and nobody was hurt."


def annotated(**more: PeerWords) -> TopicBatch:
    pyramid = weighted_pyramid({1: 3, 2: 2, 3: 1})
    units: PeerWords = {
        1: ["The dam", "broke"],
        2: ["a mill was lost"],
        3: ["nobody was hurt"],
        0: ["all night"],
    }
    peers = {"p0": annotation(PEER, units, pyramid)}
    peers |= {name: annotation(PEER, words, pyramid) for name, words in more.items()}
    return a_batch(*[PEER] * len(peers), judged=pyramid_judgments(pyramid, peers))


def test_equations_7_and_8_by_hand() -> None:
    """The first peer sentence has unit 1 twice and unit 2: 3 + 2; the second has unit 3: 1. Sentences 0 (3/8) and 3
    (4/8) are nearest to the first, 1 (4/8) and 2 (3/8) to the second."""
    batch = annotated()
    assert annotated_sentences(batch) == [
        ("Rain fell all night and nobody was hurt.", 1),
        ("The dam broke and a mill was lost.", 5),
    ]
    assert pyramid_worth(batch, jaccard(batch)) == pytest.approx([5, 1, 1, 5])
    # Without reference C unit 1 weighs 2; without A nobody says unit 3.
    assert pyramid_worth(batch, jaccard(batch), without="C") == pytest.approx([4, 1, 1, 4])
    assert pyramid_worth(batch, jaccard(batch), without="A") == pytest.approx([3, 0, 0, 3])
    assert np.isnan(pyramid_worth(a_batch(PEER), jaccard(batch))).all()


def test_equal_sentences_that_were_annotated_differently_are_averaged() -> None:
    batch = annotated(p1={1: ["The dam broke"], 3: ["Rain fell", "hurt"]})
    assert pyramid_worth(batch, jaccard(batch)) == pytest.approx([(5 + 3) / 2, 1, 1, (5 + 3) / 2])


def test_a_part_that_is_misplaced_is_found_by_its_words() -> None:
    batch = annotated()
    judged = batch.judgments[1]
    event = judged.answers["pyramid-peer"]
    parts = event.answer["scus"][2]["contributors"][0]["parts"][0]
    assert PEER[parts["start"] : parts["end"]] == parts["text"] == "nobody was hurt"
    parts["start"], parts["end"] = 0, 3
    assert pyramid_worth(fresh(batch), jaccard(batch)) == pytest.approx([5, 1, 1, 5])


def test_a_source_sentence_like_no_annotated_one_is_worth_nothing() -> None:
    pyramid = weighted_pyramid({1: 3})
    peers = {"p0": annotation("The dam broke.", {1: ["dam"]}, pyramid)}
    batch = a_batch("The dam broke.", judged=pyramid_judgments(pyramid, peers))
    assert pyramid_worth(batch, jaccard(batch)) == pytest.approx([3, 0, 0, 0])


def test_simulated_answers_and_what_equal_worth_is() -> None:
    worth = np.array([5.0, 1.0, 1.0, math.nan])
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 3)]
    half, paper = simulated_answers(worth, pairs), simulated_answers(worth, pairs, "paper")
    assert half.won.tolist() == [1, 0, 0.5, 0.5]
    assert paper.won.tolist() == [1, 0, 0, 0]  # a win of b over a otherwise
    assert len(simulated_answers(worth, [])) == 0


# People's answers


def test_answers_are_found_by_place_or_by_text() -> None:
    batch = a_batch()
    by_place = answered(batch, [(0, 1, "left"), (2, 3, "right")])
    elsewhere = prefer(
        5, "left", "bea", "t", {"document": "two", "start": 17, "end": 31}, {"text": "A mill\n was lost."}
    )
    moved = answered(batch, [(1, 2, "tie")], start=7)[0]
    moved = replace(moved, task=replace(moved.task, left={"document": "gone", "start": 0, "end": 9}))
    found = human_answers(fresh(batch, judgments=(*by_place, elsewhere, moved)))
    answers = found.answers
    assert list(zip(answers.first, answers.second, answers.won, strict=True)) == [
        (0, 1, 1),
        (2, 3, 0),
        (0, 3, 1),
        (1, 2, 0.5),
    ]
    assert found.assessors == ("ann", "bea")
    assert answers.who.tolist() == [0, 0, 1, 0]
    assert found.left_out == {}


def test_what_is_skipped_or_strange_is_left_out_and_counted() -> None:
    batch = a_batch()
    place: dict[str, object] = {"document": "one", "start": 0, "end": 14}
    again: dict[str, object] = {"document": "two", "start": 17, "end": 31}
    judged = [
        *answered(batch, [(0, 1, "skip"), (0, 1, "skip"), (0, 2, "left"), (0, 2, "left")]),
        prefer(10, "left", "ann", "t", place, {"document": "one", "start": 3, "end": 14}),
        prefer(11, "left", "ann", "t", place, again),
        prefer(12, "left", "ann", "t", {"system": "a"}, {"system": "b"}, of="summaries"),
        prefer(13, "left", "sim", "t", place, {"document": "two", "start": 0, "end": 16}, origin="simulated"),
    ]
    found = human_answers(fresh(batch, judgments=tuple(judged)))
    assert len(found.answers) == 3  # asked twice is two answers
    assert found.simulated == 1
    assert sorted(found.left_out.values()) == [1, 1, 2]
    assert found.left_out["skipped"] == 2
    only = fresh(batch, judgments=tuple(judged[:2]))
    (note,) = Preference().warnings([only])
    assert note == "2 preferences between sentences left out: 2 skipped"
    assert rows(Preference(), fresh(only, peers=batch_with("A dam."))) == {
        "p0": "none of 2 preferences between sentences counts: skipped"
    }


def batch_with(*texts: str) -> tuple[Summary, ...]:
    return a_batch(*texts).peers


def rows(measure: Preference, batch: TopicBatch) -> dict[str, float | str]:
    """By system: the value, or why there is none."""
    return {row.system: row.value if row.why is None else row.why for row in measure.score(batch)}


# The measure


def two_sentences(*texts: str, judged: bool = True) -> TopicBatch:
    """Sentence 0 wins three times, sentence 1 once."""
    documents = (Document("t", "d", "The dam broke. The dam was old."),)
    batch = TopicBatch(Topic("t"), batch_with(*texts), documents=documents)
    given = [(0, 1, "left"), (1, 0, "right"), (0, 1, "left"), (0, 1, "right")]
    return fresh(batch, judgments=tuple(answered(batch, given))) if judged else batch


def test_two_sentences_by_hand() -> None:
    """Strengths 3 to 1, with mean 1: 1.5 and 0.5. Smoothed with similarity q = 2/5: (3 + q^2) to (1 + 3 q^2)."""
    batch = two_sentences("The dam broke.", "The dam was old.", "The dam broke. The dam was old.", " \n")
    plain = rows(Preference(smooth=False, similarity="jaccard", penalty="none"), batch)
    assert plain["p0"] == pytest.approx(1.5, rel=1e-8)
    assert plain["p1"] == pytest.approx(0.5, rel=1e-8)
    assert plain["p2"] == pytest.approx((14 * 1.5 + 16 * 0.5) / 30, rel=1e-8)
    assert plain["p3"] == "the summary is empty"
    q = 2 / 5
    ratio = (3 + q**2) / (1 + 3 * q**2)
    smooth = rows(Preference(similarity="jaccard", penalty="none"), batch)
    assert smooth["p0"] == pytest.approx(2 * ratio / (1 + ratio), rel=1e-8)
    penalised = rows(Preference(smooth=False, similarity="jaccard"), batch)
    # the-dam stands twice: (1/2 + 1) / 2 of the first is left, (1/2 + 1 + 1) / 3 of the second
    assert penalised["p2"] == pytest.approx((14 * 1.5 * 3 / 4 + 16 * 0.5 * 5 / 6) / 30, rel=1e-8)


def test_a_summary_of_all_sentences_equally_is_average() -> None:
    """Sentences of one length, each once: the mean of strengths with mean 1."""
    batch, worth = clusters(1, groups=5, each=3)
    texts = texts_of(batch)
    long = max(map(len, texts))
    padded = [text[:-1] + "x" * (long - len(text)) + "." for text in texts]
    documents = (Document("t", "d", " ".join(padded)),)
    whole = fresh(batch, documents=documents, peers=batch_with(" ".join(padded)))
    judged = answered(
        whole, [(a, b, "left" if worth[a] > worth[b] else "right") for a, b in combinations(range(15), 2)]
    )
    found = rows(Preference(penalty="none"), fresh(whole, judgments=tuple(judged)))
    assert found["p0"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("source", "batch", "why"),
    [
        ("man", TopicBatch(Topic("t"), batch_with("A.")), "the topic has no document"),
        ("man", a_batch("A dam."), "no preference between the topic's sentences was given"),
        (
            "man+ref",
            a_batch("A dam.", references=["A dam."]),
            "no preference between the topic's sentences was given",
        ),
        ("ref", a_batch("A dam."), "the topic has no reference"),
        ("py", a_batch("A dam.", references=["A dam."]), "no peer has a pyramid annotation"),
        (
            "ref",
            TopicBatch(Topic("t"), batch_with("A."), batch_with("A."), (Document("t", "d", "One dam."),)),
            "the documents have fewer than two sentences",
        ),
        (
            "ref",
            TopicBatch(Topic("t"), batch_with("A."), batch_with("A."), (Document("t", "d", "..."),)),
            "the documents have fewer than two sentences",
        ),
        (
            "ref",
            fresh(a_batch("A dam."), references=batch_with("A dam.")),
            "the only reference is by the same system",
        ),
    ],
)
def test_what_cannot_be_scored_says_why(source: str, batch: TopicBatch, why: str) -> None:
    assert rows(Preference(source), batch) == {"p0": why}


def test_all_ties_make_all_sentences_equal() -> None:
    batch = two_sentences("The dam broke.", judged=False)
    judged = answered(batch, [(0, 1, "tie"), (1, 0, "tie")])
    assert rows(Preference(), fresh(batch, judgments=tuple(judged)))["p0"] == pytest.approx(1.0)


def test_nobody_is_held_against_words_of_their_own() -> None:
    """p0 wrote the first reference too: only the second one counts for p0, both count for the others."""
    texts = "The dam broke.", "Nobody was hurt."
    batch = replace(
        a_batch(*texts, "The dam broke.", "Nobody was hurt."),
        references=tuple(
            Summary("t", f"p{k}", text, 10, ("peer", "reference")) for k, text in enumerate(texts)
        ),
    )
    measure = Preference("ref", simulated="all", smooth=False)
    found = {row.system: row.value for row in measure.score(batch)}
    assert found["p2"] == pytest.approx(found["p3"])  # both references say one of them
    assert found["p0"] < found["p2"]
    assert found["p1"] < found["p3"]


# What is drawn


def test_the_papers_numbers_are_the_defaults() -> None:
    assert Preference("man").recipe().simulated == 0
    assert Preference("man").recipe().asked == ALL
    for source in SOURCES[1:3]:
        assert Preference(source).recipe().simulated == 1000
    for source in SOURCES[3:]:
        assert Preference(source).recipe().simulated == 200
    batch, _ = clusters(1, groups=12, each=5)  # 60 sentences, 1,770 pairs
    batch = replace(
        batch, references=(Summary("t", "r", topic_sentences(batch)[0].text, None, ("reference",)),)
    )
    assert len(need(batch, Preference("ref").recipe())) == 1000
    human = answered(batch, [(a, b, "left") for a, b in combinations(range(30), 2)])
    both = fresh(batch, judgments=tuple(human))
    assert len(need(both, Preference("man+ref").recipe())) == len(human) + 200
    assert len(need(both, Preference("man+ref", asked="50", simulated="7").recipe())) == 57
    every = need(both, Preference("ref", simulated="all").recipe())
    assert len({frozenset(pair) for pair in every[:, :2].tolist()}) == len(every) == 1770
    assert len(need(both, Preference(asked="9999").recipe())) == len(human)


def need(batch: TopicBatch, recipe: Recipe) -> FloatArray:
    found = answers_of(fresh(batch), recipe)
    assert not isinstance(found, str)
    return np.column_stack([found.first, found.second, found.won])


def test_what_is_drawn_depends_on_seed_and_topic_alone() -> None:
    batch, _ = clusters(2)
    batch = replace(
        batch, references=(Summary("t", "r", topic_sentences(batch)[0].text, None, ("reference",)),)
    )
    batch = fresh(batch, judgments=tuple(answered(batch, [(a, a + 1, "left") for a in range(50)])))
    measure = Preference("man+ref", asked="20", simulated="30")
    one = need(batch, measure.recipe())
    assert (one == need(batch, measure.recipe())).all()
    assert (one == need(fresh(batch, judgments=batch.judgments[::-1]), measure.recipe())).all()
    assert not (one == need(batch, replace(measure, seed=1).recipe())).all()
    assert not (one == need(fresh(batch, topic=Topic("u")), measure.recipe())).all()


@pytest.mark.parametrize("source", ["man", "ref", "man+ref"])
def test_the_order_of_documents_does_not_matter(source: str) -> None:
    batch, worth = clusters(3, groups=6, each=4)
    texts = texts_of(batch)
    rng = np.random.default_rng(0)
    given = [
        (a, b, "left" if worth[a] > worth[b] else "right") for a, b in rng.integers(0, 12, (60, 2)) if a != b
    ]
    peers = batch_with(" ".join(texts[:3]), " ".join(texts[5:9]), "C1 c2 c3 g1w1.")
    batch = replace(
        batch, peers=peers, references=(Summary("t", "r", " ".join(texts[2:6]), None, ("reference",)),)
    )
    batch = fresh(batch, judgments=tuple(answered(batch, given)))
    other = fresh(batch, documents=batch.documents[::-1])
    measure = Preference(source, simulated="40" if source != "man" else "paper")
    assert texts_of(other) != texts
    assert rows(measure, other) == pytest.approx(rows(measure, batch), rel=1e-6)


# What the paper found


def ordered(worth: FloatArray, strengths: FloatArray) -> float:
    """Table 4: the share of pairs of different worth that the strengths put in the right order."""
    a, b = np.triu_indices(len(worth), 1)
    differ = np.abs(worth[a] - worth[b]) > 1e-9
    right = np.sign(worth[a] - worth[b]) == np.sign(strengths[a] - strengths[b])
    return float(right[differ].mean())


def fitted(
    batch: TopicBatch, worth: FloatArray, pairs: Sequence[tuple[int, int]], *, smooth: bool
) -> FloatArray:
    answers = simulated_answers(worth, pairs)
    return fit(propagated(answers, among(batch, "tfidf-jaccard")) if smooth else answers.wins()).values


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_perfect_pairs_order_all_sentences_and_smoothing_hurts(seed: int) -> None:
    """Table 4, pyr: .987 without smoothing (1 with all pairs), .941 with it."""
    batch, worth = clusters(seed, groups=8, each=5, spread=3.0)
    worth = np.round(worth, 1)  # some are equal
    pairs = list(combinations(range(len(worth)), 2))
    assert ordered(worth, fitted(batch, worth, pairs, smooth=False)) == 1
    assert 0.5 < ordered(worth, fitted(batch, worth, pairs, smooth=True)) < 0.98


def noisy(worth: FloatArray, pairs: Sequence[tuple[int, int]], rng: np.random.Generator) -> FloatArray:
    """The strengths of a share of all pairs, a quarter of the answers wrong; without and with smoothing."""
    answers = simulated_answers(worth, pairs)
    return np.where(rng.random(len(answers)) < 0.25, 1 - answers.won, answers.won)


def test_smoothing_helps_with_few_noisy_answers() -> None:
    """Table 4, man: .683 without smoothing, .727 with it, 200 answers. Here 60 sentences in 12 clusters, 100 answers of
    which a quarter is wrong, 20 topics: the share rises by .08 or more on average (it is .125), nearly everywhere."""
    gains = []
    for seed in range(20):
        batch, worth = clusters(100 + seed)
        rng = np.random.default_rng(seed)
        pairs = [(int(a), int(b)) for a, b in rng.integers(0, len(worth), (100, 2)) if a != b]
        answers = simulated_answers(worth, pairs)
        answers = replace(answers, won=noisy(worth, pairs, rng))
        alike = among(batch, "tfidf-jaccard")
        plain, smooth = fit(answers.wins()).values, fit(propagated(answers, alike)).values
        gains.append(ordered(worth, smooth) - ordered(worth, plain))
    assert np.mean(gains) > 0.08
    assert np.mean(np.array(gains) > 0) >= 0.9


def a_crowd(seed: int) -> tuple[TopicBatch, FloatArray]:
    """Three who know, and three who have mixed up the buttons half of the time; 60 answers each."""
    batch, worth = clusters(seed)
    rng = np.random.default_rng(seed)
    judged = []
    for number, name in enumerate(["a", "b", "c", "x", "y", "z"]):
        given = []
        for a, b in rng.integers(0, len(worth), (60, 2)):
            right = rng.random() < (0.95 if name < "d" else 0.5)
            if a != b:
                given.append((int(a), int(b), "left" if (worth[a] > worth[b]) == right else "right"))
        judged += answered(batch, given, assessor=name, start=100 * number)
    return fresh(batch, judgments=tuple(judged)), worth


def test_a_crowd_is_believed_as_far_as_it_deserves() -> None:
    """Without smoothing the strengths are Crowd-BT's own; with it they order sentences better than belief in all."""
    batch, worth = a_crowd(1)
    own = fit_crowd(human_answers(batch).answers, regularise=0.1).strengths
    recipe = Preference(smooth=False, regularise="0.1", crowd=True).recipe()
    found = strengths_of(batch, recipe)
    assert not isinstance(found, str)
    assert found.log == pytest.approx(own.log, abs=1e-6)
    gains = []
    for seed in range(8):
        batch, worth = a_crowd(seed)
        both = [strengths_of(batch, Preference(crowd=crowd).recipe()) for crowd in (True, False)]
        with_crowd, without = (ordered(worth, each.values) for each in both if not isinstance(each, str))
        gains.append(with_crowd - without)
    assert np.mean(gains) > 0.01


def test_without_a_maximum_and_without_a_regulariser_there_is_no_score() -> None:
    batch = two_sentences("The dam broke.", judged=False)
    judged = tuple(answered(batch, [(0, 1, "left")]))
    (why,) = rows(Preference(smooth=False, regularise="0"), fresh(batch, judgments=judged)).values()
    assert "maximum" in str(why)
    assert rows(Preference(smooth=False), fresh(batch, judgments=judged))["p0"] > 1  # type: ignore[operator]


@pytest.mark.parametrize("options", [{}, {"smooth": False}, {"penalty": "none"}, {"similarity": "jaccard"}])
def test_the_best_sentences_beat_the_worst(options: dict[str, object]) -> None:
    batch, worth = clusters(7)
    order = np.argsort(worth)
    texts = texts_of(batch)
    best, worst = (" ".join(texts[k] for k in some) for some in (order[-1:-20:-5], order[:20:5]))
    rng = np.random.default_rng(7)
    given = [
        (int(a), int(b), "left" if worth[a] > worth[b] else "right")
        for a, b in rng.integers(0, len(worth), (300, 2))
        if a != b
    ]
    batch = fresh(batch, peers=batch_with(best, worst, f"{best} {best}"))
    batch = fresh(batch, judgments=tuple(answered(batch, given)))
    found = {row.system: row.value for row in Preference(**options).score(batch)}  # type: ignore[arg-type]
    assert found["p0"] > 1 > found["p1"]
    if options.get("penalty") == "none":
        assert found["p2"] == pytest.approx(found["p0"])
    else:
        assert found["p2"] == pytest.approx(found["p0"] / 2)  # everything is said twice


# The demo


@pytest.fixture(scope="module")
def demo(judged_few: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return Evaluation.open(copytree(judged_few, tmp_path_factory.mktemp("demo") / "e"))


def test_the_demos_pyramids_are_put_in_order_by_all_pairs(demo: Evaluation) -> None:
    """Every pair of sentences with different pyramid scores is ordered correctly: Table 4's share is 1."""
    recipe = Recipe(parts=("py",), smooth=False, simulated=ALL)
    judgments = demo.judgments()
    for topic in demo.collection.topics:
        batch = batch_of(demo.collection, topic, judgments)
        worth = pyramid_worth(batch, similarity_of(batch, recipe.similarity))
        assert len(set(worth)) > 2
        strengths = strengths_of(batch, recipe)
        assert not isinstance(strengths, str)
        assert ordered(worth, strengths.values) == 1


def test_the_demo_from_end_to_end(demo: Evaluation) -> None:
    *found, nobody = demo.score("preference(source=ref)", "preference(source=py)", "preference")
    table = demo.scores()
    for scored in found:
        assert scored.missing == {}
        matrix = table.matrix(scored.measure)
        assert np.isfinite(matrix.values).all()
        means = dict(zip(matrix.systems, matrix.values.mean(axis=0), strict=True))
        assert means["greedy-best"] > means["vague"]
        assert means["greedy-best"] > means["random"]
    assert set(nobody.missing) == {"no preference between the topic's sentences was given"}


# The text form


@pytest.mark.parametrize(
    "text",
    [
        "preference",
        "preference(source=man+ref+py, similarity=jaccard, smooth=false, penalty=printed, ties=paper)",
        "preference(source=man+py, asked=200, simulated=all, seed=3, regularise=0.5)",
    ],
)
def test_its_text_is_its_identity(text: str) -> None:
    assert str(parse_measure(text)) == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("source=all", "expected one of: man, ref, py"),
        ("similarity=nothing", "no similarity"),
        ("penalty=hard", "expected one of"),
        ("asked=0", "expected all, or a number from 1"),
        ("asked=paper", "expected all"),
        ("asked=-3", "expected all"),
        ("simulated=some", "expected paper or all, or a number from 1"),
        ("seed=-1", "0 or more"),
        ("regularise=much", "expected auto or a number"),
        ("regularise=nan", "expected auto or a number"),
        ("regularise=-1", "expected auto or a number"),
        ("crowd=true, source=ref", "people's answers alone"),
        ("crowds=true", "no option"),
    ],
)
def test_wrong_options_are_refused(options: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_measure(f"preference({options})")


def test_the_signature_says_what_makes_a_difference() -> None:
    assert SCALE == REGULARISER
    man = Preference().signature()
    assert man.startswith(
        "preference|source:man|smooth:true|penalty:sentence|asked:all|regularise:auto:0.1|crowd:false|"
    )
    assert "|similarity:tfidf-jaccard|idf:source-sentences|" in man
    assert "|simulated:1000|seed:0|" in Preference("ref").signature("4")
    assert "|ties:half|asked:all|simulated:200|seed:0|" in Preference("man+py").signature()
    assert "idf" not in Preference(similarity="jaccard").signature()
    assert "seed" not in Preference("py", simulated="all").signature()
    assert "|seed:0|" in Preference("py", simulated="all", ties="paper").signature()
    assert "|seed:0|" in Preference(asked="10").signature()


def test_what_it_needs_depends_on_the_source() -> None:
    assert {source: sorted(Preference(source).needs) for source in SOURCES} == {
        "man": ["documents", "judgments"],
        "ref": ["documents", "references"],
        "py": ["documents", "judgments"],
        "man+ref": ["documents", "judgments", "references"],
        "man+py": ["documents", "judgments"],
        "man+ref+py": ["documents", "judgments", "references"],
    }
