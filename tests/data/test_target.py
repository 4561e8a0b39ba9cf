"""Lengths and forms of summaries: one value in their keys, written only where it is set."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ClashError, FormatError
from adjudge.data.collection import references_for
from adjudge.data.lines import dump_json
from adjudge.data.rows import Summary, Unit
from adjudge.data.target import FORMS, Target
from adjudge.data.units import make_units
from adjudge.evaluation import Evaluation

targets = st.builds(Target, st.none() | st.integers(1, 500), st.none() | st.sampled_from(FORMS))


@pytest.mark.parametrize(
    ("target", "words", "written", "parts"),
    [
        (Target(), "no set length", {"length": None}, (None,)),
        (Target(1), "1 word", {"length": 1}, (1,)),
        (Target(200), "200 words", {"length": 200}, (200,)),
        (Target(None, "extract"), "extract", {"length": None, "form": "extract"}, (None, "form:extract")),
        (
            Target(200, "extract"),
            "200 words, extract",
            {"length": 200, "form": "extract"},
            (200, "form:extract"),
        ),
    ],
)
def test_a_target_in_words_in_files_and_in_ids(
    target: Target, words: str, written: dict[str, object], parts: tuple[object, ...]
) -> None:
    assert str(target) == words
    assert target.as_dict() == written
    assert target.parts == parts


@given(targets)
def test_a_target_reads_back(target: Target) -> None:
    assert Target.of(json.loads(dump_json(target.as_dict()))) == target


@given(st.lists(targets))
def test_what_is_unset_sorts_first(some: list[Target]) -> None:
    ordered = sorted(some, key=lambda target: target.order)
    lengths = [target.length or 0 for target in ordered]
    assert lengths == sorted(lengths)
    for a, b in pairwise(ordered):
        assert a.length != b.length or a.form is None or (b.form is not None and a.form <= b.form)


def test_an_unset_form_leaves_rows_as_they_were() -> None:
    # the bytes that were written before there were forms
    summary = Summary("t", "s", "Rain.", 50)
    assert dump_json(summary.as_dict()) == (
        '{"topic": "t", "system": "s", "length": 50, "roles": ["peer"], "author": null, "text": "Rain.",'
        ' "withdrawn": null}'
    )
    unit = Unit("t", "s", "sentence", "s1", 0, 5, "Rain.", 50)
    assert dump_json(unit.as_dict()) == (
        '{"topic": "t", "system": "s", "length": 50, "kind": "sentence", "id": "s1", "start": 0, "end": 5,'
        ' "text": "Rain.", "edited": false}'
    )
    assert list(Summary("t", "s", "Rain.", 50, form="extract").as_dict())[:4] == [
        "topic",
        "system",
        "length",
        "form",
    ]


def test_a_form_is_one_of_two() -> None:
    with pytest.raises(FormatError, match=r'"form" is "headline", expected one of: abstract, extract'):
        Summary.parse({"topic": "t", "system": "s", "text": "", "form": "headline"})


def test_abstracts_and_extracts_of_one_length_are_two_summaries(make: Callable[..., Evaluation]) -> None:
    e = make(
        *(Summary("t", "s", f"Its {form}.", 200, form=form) for form in FORMS), Summary("t", "s", "?", 200)
    )
    assert [s.target for s in e.collection.peers("t")] == [
        Target(200, "abstract"),
        Target(200, "extract"),
        Target(200),
    ]
    with pytest.raises(ClashError, match='topic "t", system "s", length 200, form "extract"'):
        e.take([("test", Summary("t", "s", "Another.", 200, form="extract"))])
    make_units(e.folder)
    e = Evaluation.open(e.folder.path)
    assert {u.of for u in e.collection.units["t"]} == {s.key for s in e.collection.peers("t")}


def test_a_summary_that_stands_twice_is_named_with_its_form(make: Callable[..., Evaluation]) -> None:
    e = make(Summary("t", "s", "A text.", 200, form="extract"))
    path = e.folder.path / "summaries.jsonl"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(FormatError, match="the same topic, system, length, form as line 1"):
        _ = Evaluation.open(e.folder.path).collection


def met(peer: Target, *references: Target) -> list[Target]:
    """The targets of the references that a peer meets, among one by each of several people."""
    given = [Summary("t", f"r{k}", "", *each[:1], form=each.form) for k, each in enumerate(references)]
    return [r.target for r in references_for(Summary("t", "p", "", *peer[:1], form=peer.form), given)]


A, E, BARE = Target(200, "abstract"), Target(200, "extract"), Target(200)


@pytest.mark.parametrize(
    ("peer", "references", "expected"),
    [
        (E, [A, E, BARE], [E]),
        (E, [A, BARE], [BARE]),
        (E, [A], []),
        (BARE, [A, E, BARE], [BARE]),
        (BARE, [A, A], [A, A]),
        (BARE, [A, E], []),
        (E, [Target(400, "extract"), A], []),
        (E, [Target(None, "extract"), A], [Target(None, "extract")]),
        (BARE, [A, Target(400, "extract")], [A]),
        (Target(), [A, E], []),
        (Target(), [E, E], [E, E]),
        (Target(None, "extract"), [A, E], [E]),
        (Target(50), [Target(100)], []),
        (Target(50), [Target(100), Target()], [Target()]),
        (Target(), [Target(100), Target(100)], [Target(100), Target(100)]),
        (Target(), [Target(100), Target(50)], []),
    ],
)
def test_a_peer_meets_references_of_its_length_and_form(
    peer: Target, references: list[Target], expected: list[Target]
) -> None:
    assert met(peer, *references) == expected


@given(st.none() | st.sampled_from([50, 100]), st.lists(st.none() | st.sampled_from([50, 100]), max_size=4))
def test_without_forms_the_rule_is_that_of_lengths(peer: int | None, references: list[int | None]) -> None:
    same = [n for n in references if n == peer]
    unset = [n for n in references if n is None]
    one = references if len(set(references)) == 1 else []
    expected = same or (one if peer is None else unset)
    assert [target.length for target in met(Target(peer), *map(Target, references))] == expected
