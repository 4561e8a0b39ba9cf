"""Units: ids that stay, edits that survive."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from adjudge.data.rows import Summary, Unit
from adjudge.data.units import unit_id
from adjudge.evaluation import Evaluation

Make = Callable[..., Evaluation]
TEXT = "Dock workers walked out on Monday after talks collapsed. The ministry offered to mediate."


def rows(e: Evaluation) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (e.path / "units.jsonl").read_text().splitlines()]


def write(e: Evaluation, units: list[dict[str, Any]]) -> None:
    (e.path / "units.jsonl").write_text("".join(json.dumps(u) + "\n" for u in units))


@pytest.fixture
def e(make: Make) -> Evaluation:
    evaluation = make(Summary("t", "ann", TEXT, roles=("reference",)), Summary("t", "s", TEXT))
    evaluation.units()
    return evaluation


def test_sentences_of_all_and_discourse_units_of_references(e: Evaluation) -> None:
    found = [(u["system"], u["kind"], u["text"]) for u in rows(e)]
    assert found == [
        ("ann", "sentence", "Dock workers walked out on Monday after talks collapsed."),
        ("ann", "sentence", "The ministry offered to mediate."),
        ("ann", "edu", "Dock workers walked out on Monday"),
        ("ann", "edu", "after talks collapsed."),
        ("ann", "edu", "The ministry offered to mediate."),
        ("s", "sentence", "Dock workers walked out on Monday after talks collapsed."),
        ("s", "sentence", "The ministry offered to mediate."),
    ]
    assert all(TEXT[u["start"] : u["end"]] == u["text"] for u in rows(e))
    e.units(edus_for="all")
    assert sum(u["kind"] == "edu" for u in rows(e)) == 6


def test_ids_depend_on_the_unit_alone(e: Evaluation, make: Make) -> None:
    other = make(Summary("t", "ann", "A new start. " + TEXT, roles=("reference",)), name="other")
    other.units()
    ids = {(u["kind"], u["text"]): u["id"] for u in rows(e)}
    assert {(u["kind"], u["text"]): u["id"] for u in rows(other)}.items() >= ids.items()
    assert len(set(ids.values())) == len(ids)


def test_a_repeated_text_gets_a_number(make: Make) -> None:
    evaluation = make(Summary("t", "s", "No. No way! No way! No way!"))
    evaluation.units()
    ids = [u["id"] for u in rows(evaluation) if u["text"] == "No way!"]
    first = unit_id("sentence", "No way!")
    assert ids == [first, f"{first}-2", f"{first}-3"]


def test_a_second_run_changes_nothing(e: Evaluation) -> None:
    before = (e.path / "units.jsonl").read_bytes()
    report = e.units()
    assert (e.path / "units.jsonl").read_bytes() == before
    assert report.edited == 0


def merged(units: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first two discourse units joined by hand, as an annotator would."""
    a, b = (u for u in units if u["kind"] == "edu" and u["start"] < 50)
    joined = {**a, "end": b["end"], "text": TEXT[a["start"] : b["end"]]}
    return [joined if u is a else u for u in units if u is not b]


@pytest.mark.parametrize("flag", [True, False])
def test_edits_survive_with_and_without_the_flag(e: Evaluation, flag: bool) -> None:
    edited = merged(rows(e))
    if flag:
        edited = [{**u, "edited": u["kind"] == "edu"} for u in edited]
    write(e, edited)
    report = e.units()
    assert report.edited == 1
    assert [(u["id"], u["text"]) for u in rows(e)] == [(u["id"], u["text"]) for u in edited]
    assert any(u["edited"] for u in rows(e))
    e.units()
    assert [u["text"] for u in rows(e)] == [u["text"] for u in edited]


def test_a_unit_taken_out_by_hand_stays_out(e: Evaluation) -> None:
    write(e, rows(e)[1:])
    assert e.units().edited == 1
    assert rows(e)[0]["text"] == "The ministry offered to mediate."


def test_a_changed_text_is_split_again_but_edits_are_only_reported(e: Evaluation) -> None:
    write(e, merged(rows(e)))
    path = e.path / "summaries.jsonl"
    path.write_text(path.read_text().replace("Dock workers", "Harbour pilots"))
    report = e.units()
    assert report.astray == ['topic "t", system "ann" (edu)']
    assert "Harbour pilots walked out on Monday after talks collapsed." in [u["text"] for u in rows(e)]
    assert [f.code for f in e.check().findings if f.severity == "error"] == ["units-astray"]


def test_units_of_summaries_that_are_gone_are_dropped_and_counted(e: Evaluation) -> None:
    path = e.path / "summaries.jsonl"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    assert e.units().dropped == 2


def test_unit_rows_keep_what_people_add(e: Evaluation) -> None:
    write(e, [{**u, "edited": True, "level": 2} for u in rows(e)])
    e.units()
    assert all(u["level"] == 2 for u in rows(e))
    assert all(isinstance(u, Unit) for us in e.collection.units.values() for u in us)
