"""Texts side by side: n-grams and units against what is worked out by hand, the choice of topics and systems."""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved
from tests.cli.running import called

import adjudge
from adjudge.analyses.examples.result import ExamplesResult, Why, _worth, default_pair, topics_to_show
from adjudge.analyses.examples.words import counts, why
from adjudge.core.errors import DataError, UsageError
from adjudge.data.reading import reading_once
from adjudge.measures.judged.coverage import Coverage, Recall, Uncovered

HOSTILE = "<script>alert(1)</script> {{ 7 * 7 }} \x1b[31m the cat"


@pytest.fixture(scope="session")
def judged(shown: Path) -> Path:
    return shown / "my-eval"


def made(folder: Path, topics: dict[str, tuple[str, str, list[str]]], **about: str) -> Path:
    """An evaluation of two systems, a and b: by topic their texts and the references."""
    adjudge.init(folder)
    rows: list[dict[str, object]] = []
    for topic, (a, b, references) in topics.items():
        rows += [{"topic": topic, "system": "a", "text": a}, {"topic": topic, "system": "b", "text": b}]
        rows += [
            {"topic": topic, "system": f"r{k}", "text": text, "roles": ["reference"]}
            for k, text in enumerate(references)
        ]
    lines = [{"topic": topic, **about} for topic in topics]
    (folder / "topics.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (folder / "summaries.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


def found(folder: Path, measure: str) -> ExamplesResult:
    e = adjudge.open(folder)
    e.score(measure)
    return e.examples(measure, between=("a", "b"))


CATS = {"t1": ("the cat sat on a mat", "a dog on the mat", ["the cat sat on the mat"])}


def test_bigrams_that_one_has_and_the_other_lacks(tmp_path: Path, approved: Approved) -> None:
    result = found(made(tmp_path / "e", CATS), "rouge-2-recall")
    (only,) = result.examples
    assert only.scores == pytest.approx((3 / 5, 2 / 5))
    assert only.only_first == ("the cat", "cat sat", "sat on")
    assert only.only_second == ("on the", "the mat")
    a, b = only.texts
    assert (a.first, a.second) == (((0, 14),), ())
    assert (b.first, b.second) == ((), ((6, 16),))
    (reference,) = only.references
    assert (reference.first, reference.second) == (((0, 14),), ((12, 22),))
    assert a.counts == (3, 5, 1, None, None)
    approved(counts(result, a))
    pieces = [(piece.text, piece.marks) for piece in reference.pieces()]
    assert pieces == [
        ("the cat sat ", (True, False)),
        ("on", (True, True)),
        (" the mat", (False, True)),
    ]


def test_only_the_surplus_is_marked(tmp_path: Path) -> None:
    """An n-gram counts as often as both have it: what b hits as well made no difference."""
    texts = {"t1": ("red red red", "red", ["red blue red"])}
    (only,) = found(made(tmp_path / "e", texts), "rouge-1-recall").examples
    assert only.only_first == ("red",)
    assert only.texts[0].first == ((4, 7),)
    assert only.references[0].first == ((9, 12),)
    assert only.texts[1].second == ()


def test_stems_stop_words_and_limits_are_the_measures(tmp_path: Path) -> None:
    texts = {"t1": ("the cats ran garden", "the dogs slept", ["the cat runs garden"])}
    folder = made(tmp_path / "e", texts)
    (only,) = found(folder, "rouge-1-recall").examples
    assert only.only_first == ("cat", "garden")  # "ran" and "runs" have different stems
    (only,) = found(folder, "rouge-1-recall(limit=2w)").examples
    assert only.only_first == ("cat",)
    result = found(folder, "rouge-1-recall(stop=en)")
    (only,) = result.examples
    assert only.only_first == ("cat", "garden")
    assert only.texts[0].counts is not None
    assert only.texts[0].counts[:2] == (2, 3)


def test_of_the_best_reference_only_its_own_hits_count(tmp_path: Path, approved: Approved) -> None:
    texts = {"t1": ("one two three", "four five", ["one two three", "two four five"])}
    result = found(made(tmp_path / "e", texts), "rouge-1(stem=porter-155)")
    (only,) = result.examples
    assert set(only.only_first) == {"one", "two", "three"}  # not the "two" of the second reference
    assert set(only.only_second) == {"four", "five"}
    approved(result.warnings())


def test_pairs_of_words(tmp_path: Path) -> None:
    (only,) = found(made(tmp_path / "e", CATS), "rouge-s4").examples
    hits = [text.counts[0] for text in only.texts if text.counts]
    total = only.texts[0].counts[1] if only.texts[0].counts else 0
    assert only.scores == pytest.approx((hits[0] / total, hits[1] / total))
    assert len(only.only_first) - len(only.only_second) == hits[0] - hits[1]


def test_other_measures_show_texts_alone_and_say_so(tmp_path: Path, approved: Approved) -> None:
    result = found(made(tmp_path / "e", CATS), "rouge-l-recall")
    assert result.made == "nothing"
    approved(result.sentences())
    assert all(not text.first and not text.second for text in result.examples[0].texts)
    assert result.examples[0].references[0].text == "the cat sat on the mat"


def test_counts_are_the_scores_on_the_demo(judged: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(judged, tmp_path / "e")
    with pytest.raises(DataError, match="rouge-2-recall has not been scored here, only rouge-2"):
        adjudge.examples(folder, "rouge-2-recall", between="lead,fluent", show=6)
    adjudge.open(folder).score("rouge-2-recall")
    result = adjudge.examples(folder, "rouge-2-recall", between="lead,fluent", show=6)
    assert result.between == ("fluent", "lead")  # the better one first
    for each in result.examples:
        for text, score in zip(each.texts, each.scores, strict=True):
            assert text.counts is not None
            hits, total = text.counts[:2]
            assert hits / total == pytest.approx(score, abs=1e-6)


@reading_once()
def test_units_are_those_that_people_answered(judged: Path) -> None:
    """At the length and form that are shown: the demo has others, and an author's units at several lengths."""
    e = adjudge.open(judged)
    result = e.examples("coverage", between=("fluent", "vague"), show=2, length=100, form="abstract")
    assert result.made == "units"
    for each in result.examples:
        raw: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for own in e.judgments().by_topic[each.topic]:
            task = own.task
            asked = task.peer and (task.peer.length, task.peer.form) == (100, "abstract")
            if task.protocol.startswith("duc") and asked and task.peer and task.reference:
                for question, event in own.answers.items():
                    if question.startswith("unit:"):
                        key = (task.reference.system, question.removeprefix("unit:"))
                        raw[key][task.peer.system].append(event.answer["completeness"])
        texts = {(u.system, u.id): u.text for u in e.collection.units[each.topic] if u.kind == "edu"}
        a, b = result.between
        expected = {
            (key[0], texts[key]): (fmean(said[a]), fmean(said[b]))
            for key, said in raw.items()
            if said.get(a) and said.get(b) and abs(fmean(said[a]) - fmean(said[b])) >= 0.25 - 1e-9
        }
        units = {(u.reference, u.text): (u.a, u.b) for u in each.units}
        assert set(units) == set(expected)
        for key, means in expected.items():
            assert units[key] == pytest.approx(means)
        assert expected
        for reference in each.references:
            marked = {reference.text[s:t] for s, t in (*reference.first, *reference.second)}
            assert marked == {text for system, text in expected if system == reference.system}


@reading_once()
def test_the_default_pair_is_said(judged: Path) -> None:
    comparison = adjudge.compare(judged, "rouge-2", length=100, form="abstract")
    (first, second), pick = default_pair(comparison)
    names = [s.system for s in comparison.standings]
    assert first == names[0]
    differ = {p.b for p in comparison.pairs[comparison.test] if p.different and p.a == first}
    assert second == next(name for name in names[1:] if name in differ)
    assert pick == "next-different"
    result = adjudge.examples(judged, "rouge-2")  # at the target with most scores
    assert (result.pick, result.picked_pair) == (pick, (first, second))
    called = map(result.called, (first, second))
    first_name, second_name = called
    assert first_name in list(result.sentences())[1]
    assert second_name in list(result.sentences())[1]


def test_without_a_significant_difference_the_two_best(tmp_path: Path, approved: Approved) -> None:
    folder = made(tmp_path / "e", CATS | {"t2": ("x y", "x z", ["x y"])})
    adjudge.open(folder).score("rouge-1-recall")
    result = adjudge.examples(folder, "rouge-1-recall")
    approved(result.sentences())


def test_topics_are_of_both_directions_and_a_usual_one() -> None:
    frame = pd.DataFrame(
        {"a": [9.0, 5.0, 5.0, 5.0, 1.0], "b": [1.0, 4.0, 3.0, 4.0, 2.0]}, index=[f"d{k}" for k in range(5)]
    )
    matrix = adjudge.read_scores(frame).matrix()
    chosen = [(matrix.topics[at], why) for at, why in topics_to_show(matrix, 4)]
    assert chosen == [
        ("d0", Why("a", 1)),
        ("d4", Why("b", 1)),
        ("d2", Why()),
        ("d1", Why("a", 3)),
    ]
    assert np.mean(frame["a"] - frame["b"]) == pytest.approx(2.2)


def test_changed_texts_are_left_out(tmp_path: Path, approved: Approved) -> None:
    folder = made(tmp_path / "e", CATS | {"t2": ("x y", "x z", ["x y"])})
    adjudge.open(folder).score("rouge-1-recall")
    path = folder / "summaries.jsonl"
    path.write_text(path.read_text().replace("a dog on the mat", "another text"))
    result = adjudge.examples(folder, "rouge-1-recall", between="a,b")
    assert [each.topic for each in result.examples] == ["t2"]
    approved(note.replace(str(folder), "EVALUATION") for note in result.warnings())


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    folder = made(tmp_path / "e", CATS)
    adjudge.open(folder).score("rouge-1-recall")
    with pytest.raises(UsageError, match="texts of two systems stand side by side, not of 1"):
        adjudge.examples(folder, "rouge-1-recall", between="a")
    with pytest.raises(UsageError, match='no scores of system "c"'):
        adjudge.examples(folder, "rouge-1-recall", between="a,c")
    with pytest.raises(UsageError, match="show is 0"):
        adjudge.examples(folder, "rouge-1-recall", show=0)
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0]}, index=["t1", "t2"])
    with pytest.raises(DataError, match="need an evaluation's folder"):
        adjudge.examples(frame, between="a,b")


def test_the_command(tmp_path: Path) -> None:
    texts = {"t1": (HOSTILE, "a dog", ["the cat"])}
    folder = made(tmp_path / "e", texts)
    adjudge.open(folder).score("rouge-2-recall")
    done = called(tmp_path, "examples", "e", "-m", "rouge-2-recall", "--between", "a,b")
    assert done.returncode == 0, done.stderr
    assert "«the cat»" in done.stdout
    assert "\x1b" not in done.stdout
    printed = json.loads(called(tmp_path, "examples", "e", "--between", "a,b", "--json").stdout)[0]
    assert printed["examples"][0]["only_first"] == ["the cat"]
    assert printed["examples"][0]["texts"][0]["text"] == HOSTILE
    csv = called(tmp_path, "examples", "e", "--between", "a,b", "--csv", "-").stdout
    assert csv.startswith("measure,topic,")


COMPARED = {
    "t1": ("the cat sat on a mat", "a dog on the mat", ["the cat sat on the mat", "a cat sat", "on the mat"])
}


@pytest.mark.parametrize("stat", ["recall", "precision", "f"])
@pytest.mark.parametrize("refs", ["pooled", "max"])
def test_the_counts_in_words_give_the_score(tmp_path: Path, stat: str, refs: str) -> None:
    """Also of several references: a summary's own n-grams then count once for each that it is compared with."""
    result = found(made(tmp_path / "e", COMPARED), f"rouge-1(stat={stat}, stem=porter-155, refs={refs})")
    (only,) = result.examples
    for text, score in zip(only.texts, only.scores, strict=True):
        said = counts(result, text)
        hits, total, *own = (int(n) for n in re.findall(r"(?<!r)\b\d+", said))
        recall, precision = hits / total, hits / (own[0] * (own[1] if len(own) > 1 else 1)) if own else 0
        worked_out = {
            "recall": recall,
            "precision": precision,
            "f": 2 * recall * precision / (recall + precision) if own else 0,
        }
        assert worked_out[stat] == pytest.approx(score)
        assert ("the reference by r" in said) == (refs == "max")


@pytest.mark.parametrize("refs", ["mean", "jackknife"])
def test_averages_over_references_are_said(tmp_path: Path, refs: str, approved: Approved) -> None:
    """The counts are of all references together: their ratio is another number."""
    result = found(made(tmp_path / "e", COMPARED), f"rouge-1-recall(refs={refs})")
    (only,) = result.examples
    assert only.texts[0].counts is not None
    hits, total = only.texts[0].counts[:2]
    assert hits / total != pytest.approx(only.scores[0])
    approved(result.warnings())


def test_whoever_wrote_a_reference_is_marked_as_a_summary(tmp_path: Path, approved: Approved) -> None:
    """The same text stands there twice: as a reference it has what the other hits, as a summary what it hits."""
    folder = made(tmp_path / "e", {"t1": ("one two", "five six", ["one five", "two nine"])})
    path = folder / "summaries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["system"] == "r0":
            row["roles"] = ["reference", "peer"]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    e = adjudge.open(folder)
    e.score("rouge-1-recall")
    result = e.examples("rouge-1-recall", between=("a", "r0"))
    (only,) = result.examples
    a, own = only.texts
    assert (a.system, a.first, a.second) == ("a", ((0, 7),), ())
    assert (own.system, own.first, own.second) == ("r0", (), ())  # it has "one", which hits nothing elsewhere
    assert {t.system: t.first for t in only.references} == {"r0": ((0, 3),), "r1": ((0, 3),)}
    approved(result.warnings())


def test_no_difference_at_all_is_said(tmp_path: Path, approved: Approved) -> None:
    texts = {"t1": ("x y", "x y", ["x y z"]), "t2": ("q", "q", ["q r"])}
    result = found(made(tmp_path / "e", texts), "rouge-1-recall")
    approved([result.headline(), why(result, result.examples[0], str)])
    assert [each.why for each in result.examples] == [Why(tied=True)]


def test_a_unit_counts_once_for_every_assessor_and_for_whom_it_counts_more() -> None:
    """Repeats of a page are one; at a threshold a unit may count more where less of it is expressed on average."""
    once_each = {"ann": [1.0, 1.0, 1.0], "bob": [0.0]}
    assert _worth(Coverage(), once_each) == 0.5
    some, most = {"ann": [1.0], "bob": [0.0]}, {"ann": [0.75], "bob": [0.75]}
    assert _worth(Recall(threshold=4), some) > _worth(Recall(threshold=4), most)
    assert _worth(Uncovered(), some) < _worth(Uncovered(), most)  # nothing missing is better


def test_what_counts_for_both_has_both_signs_in_a_terminal(tmp_path: Path) -> None:
    folder = made(tmp_path / "e", CATS)
    adjudge.open(folder).score("rouge-2-recall")
    printed = called(tmp_path, "examples", "e", "--between", "a,b").stdout
    assert "«the cat sat »‹«on»›‹ the mat›" in printed
    assert "counts for b only: on the; the mat" in printed
