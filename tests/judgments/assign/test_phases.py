"""NIST's phases on a collection made by hand, and nobody judging themselves."""

from __future__ import annotations

import pytest
from tests.judgments.assign.making import COVERAGE, PREFERENCE, collection, people, planned, summaries

from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary, Topic

# Over and Liggett 2002: phase 1 "assessor is model author, but not the document selector", phase 2 "assessor is
# neither document selector nor model author".
WHO = ["ann", "bob", "cat", "dan"]


def hand_made() -> Collection:
    """t1: ann selected, bob wrote (as author), cat wrote (as system). t2: bob selected and wrote. t3: nobody said."""
    texts = [
        Topic("t1", selector="ann"),
        Topic("t2", selector="bob"),
        Topic("t3"),
        Summary("t1", "model-1", "By Bob.", 100, ("reference",), author="bob"),
        Summary("t1", "cat", "By the third.", 100, ("reference",)),
        Summary("t2", "model-1", "Again.", 100, ("reference",), author="bob"),
        Summary("t3", "dan", "The last one.", 100, ("peer", "reference")),
    ]
    return collection(*texts, *summaries(3, 2))


def pairs(texts: Collection, **how: object) -> set[tuple[str, str, str, str]]:
    found = planned(texts, WHO, COVERAGE, **how)
    return {
        (t.assessor, t.topic, t.peer.system, t.reference.system)
        for t in found.tasks
        if t.peer is not None and t.reference is not None
    }


def test_phase_1_is_for_the_author_who_did_not_select() -> None:
    expected = {("bob", "t1", s, "model-1") for s in ("s1", "s2")}
    expected |= {("cat", "t1", s, "cat") for s in ("s1", "s2")}
    expected |= {("dan", "t3", s, "dan") for s in ("s1", "s2")}
    assert pairs(hand_made(), phase=1) == expected
    found = planned(hand_made(), WHO, COVERAGE, phase=1)
    assert found.nobody == ("t2/s1 against model-1", "t2/s2 against model-1")
    assert "2 pages that nobody may judge in phase 1: t2" in found.notes
    assert {task.phase for task in found.tasks} == {1}


def test_phase_2_is_for_whoever_did_neither() -> None:
    found = planned(hand_made(), WHO, COVERAGE, phase=2, per_summary=4)
    by_page: dict[tuple[str, str], set[str]] = {}
    for who, topic, _, reference in pairs(hand_made(), phase=2, per_summary=4):
        by_page.setdefault((topic, reference), set()).add(who)
    assert by_page == {
        ("t1", "model-1"): {"cat", "dan"},
        ("t1", "cat"): {"bob", "dan"},
        ("t2", "model-1"): {"ann", "cat", "dan"},
        ("t3", "dan"): {"ann", "bob", "cat"},
    }
    assert len(found.short) == 8
    assert "8 pages that fewer than 4 may judge in phase 2: t1, t2 and t3" in found.notes
    assert "1 topic does not say who selected the documents, so anybody may have: t3" in found.notes


def test_without_a_phase_only_ones_own_summary_is_left_out() -> None:
    assert {who for who, *_ in pairs(hand_made(), per_summary=4)} == set(WHO)
    found = planned(hand_made(), WHO, per_summary=4)
    judges = {t.assessor for t in found.tasks if t.peer is not None and t.peer.system == "dan"}
    assert judges == {"ann", "bob", "cat"}
    assert found.short == ("t3/dan",)
    assert "nobody judges a summary of their own (dan)" in found.notes
    assert {task.phase for task in found.tasks} == {None}


def test_an_author_does_not_judge_a_pair_with_their_own_summary() -> None:
    texts = collection(
        Summary("t1", "x", "One.", author="ann"), Summary("t1", "y", "Two."), Summary("t1", "z", "Three.")
    )
    found = planned(texts, ["ann", "bob"], PREFERENCE, per_summary=2)
    seen = {
        who: {
            frozenset((t.left["system"], t.right["system"]))
            for t in found.tasks
            if t.assessor == who and t.left and t.right
        }
        for who in ("ann", "bob")
    }
    assert seen["ann"] == {frozenset("yz")}
    assert seen["bob"] == {frozenset("yz"), frozenset("xy"), frozenset("xz")}


@pytest.mark.parametrize(("phase", "expected"), [(1, {"bob", "cat"}), (2, {"dan"})])
def test_a_rating_goes_by_all_references_of_the_topic(phase: int, expected: set[str]) -> None:
    found = planned(hand_made(), WHO, phase=phase, per_summary=3, topics=["t1"])
    assert {task.assessor for task in found.tasks} == expected


def test_the_phases_count_apart_but_nobody_gets_a_page_twice() -> None:
    texts = hand_made()
    one = planned(texts, WHO, COVERAGE, phase=1)
    two = planned(texts, WHO, COVERAGE, phase=2, tasks=one.tasks)
    assert len(two.tasks) == 8  # every page once more, although one person has six of them
    both = [*one.tasks, *two.tasks]
    assert len({(t.assessor, t.topic, t.peer, t.reference) for t in both}) == len(both)
    assert planned(texts, WHO, COVERAGE, phase=1, tasks=both).tasks == ()
    free = planned(texts, WHO, COVERAGE, per_summary=2, tasks=both)
    assert {task.topic for task in free.tasks} == {"t2"}  # the others have two by now


def test_where_nobody_may_judge_anything_the_reason_is_one_line() -> None:
    texts = collection(*summaries(2, 2, references=["x", "y"]))
    with pytest.raises(
        DataError, match="in phase 1: the references are by x and y, the assessors are a1 and a2"
    ):
        planned(texts, people(2), COVERAGE, phase=1)
    with pytest.raises(DataError, match="all summaries are by the assessors themselves"):
        planned(collection(Summary("t1", "ann", "Mine.")), ["ann"])
    with pytest.raises(DataError, match="there are no references"):
        planned(collection(*summaries(1, 2)), people(2), phase=1)
    with pytest.raises(UsageError, match="the phase is 3, expected 1 or 2"):
        planned(texts, people(2), phase=3)
