"""Tags of mismatches are judgments: they are kept with who gave them, travel with exports, and change no score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.analyses.mismatch_making import UNITS, make

from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.formats.answer_table import answer_table
from adjudge.judgments.protocol import load_protocol, parse_protocol
from adjudge.judgments.store.records import read_records, write_records
from adjudge.judgments.tagging import take_tags

SAID = {("other", "Crashes"): 1.0, ("other", "Ministers"): 1.0} | {("copy", u.split()[0]): 1.0 for u in UNITS}
TAGS = ("paraphrase", "generalisation", "style", "perspective")


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    return make(tmp_path / "e", SAID, topics=("t1", "t2"))


def tag(e: Evaluation, who: str, *tags: str, number: int = 0) -> None:
    page = e.mismatch("nams").pages()[number]
    with e.store() as store:
        take_tags(store, e.protocol("mismatch"), [(who, page, tags)])


def tags(e: Evaluation) -> list[tuple[str, tuple[str, ...]]]:
    return [(g.assessor, g.tags) for unit in e.mismatch("nams").mismatches for g in unit.mismatch_tags]


def test_the_protocol_has_the_papers_tags_and_takes_own_ones() -> None:
    protocol = load_protocol("mismatch")
    assert tuple(choice.value for choice in protocol.tags) == TAGS
    assert list(protocol.asked()) == ["tags"]
    protocol.check("tags", {"tags": ["style", "Zahl statt Wort", "数"]})
    protocol.check("tags", None)
    for wrong in (
        [],
        ["a", "A "],
        ["a", "A"],
        ["a;b"],
        ["a\nb"],
        [""],
        ["x" * 101],
        [3],
        "style",
        None,
        ["a"] * 21,
    ):
        with pytest.raises(DataError, match="tags"):
            protocol.check("tags", {"tags": wrong})
    with pytest.raises(DataError):
        protocol.check("unit:e1", {"tags": ["style"]})


@pytest.mark.parametrize(
    ("tags", "problem"),
    [
        ('ask = "Why?"\nchoices = ["a", "A"]', "one is given twice"),
        ('ask = "Why?"\nchoices = ["a"]', "expected two choices or more"),
        ('choices = ["a", "b"]', "tags.ask"),
        ('ask = "Why?"\nchoices = ["a", "b"]\ncolour = 1', '"colour" is not known'),
    ],
)
def test_an_own_protocol_is_checked(tags: str, problem: str) -> None:
    text = f'name = "own"\nversion = "1"\nkind = "mismatch"\ntitle = "Own"\n[tags]\n{tags}\n'
    with pytest.raises(FormatError, match=problem):
        parse_protocol(text, "own.toml")


def test_own_tags_to_choose_from_are_a_protocol_of_ones_own(evaluation: Evaluation) -> None:
    (evaluation.path / "protocols").mkdir()
    (evaluation.path / "protocols" / "why.toml").write_text(
        'name = "why"\nversion = "2"\nkind = "mismatch"\ntitle = "Why"\n[tags]\nask = "Why?"\nchoices = ["a", "b"]\n'
    )
    e = Evaluation.open(evaluation.path)
    found = e.mismatch("nams", protocol="why")
    assert found.tags == ("a", "b")
    e.assign_mismatches(found, ["ann"], protocol="why")
    with e.store() as store:
        assert {(t.protocol, t.version) for t in store.tasks() if t.asked} == {("why", "2")}
    with pytest.raises(UsageError, match="duc-2001 is a coverage protocol, expected one for mismatches"):
        e.mismatch("nams", protocol="duc-2001")


def test_the_latest_tags_of_a_person_count_and_all_stay_in_the_history(evaluation: Evaluation) -> None:
    e = evaluation
    for given in (("style",), ("paraphrase", "style"), ("style",)):
        tag(e, "ann", *given)
    tag(e, "ben", "own tag")
    assert tags(e) == [("ann", ("style",)), ("ben", ("own tag",))]
    tag(e, "ben")
    assert tags(e) == [("ann", ("style",))]
    with e.store() as store:
        assert [event.answer for event in store.events(question="tags")] == [
            {"tags": ["style"]},
            {"tags": ["paraphrase", "style"]},
            {"tags": ["style"]},
            {"tags": ["own tag"]},
            None,
        ]


def test_tags_are_counted_with_intervals(evaluation: Evaluation) -> None:
    e = evaluation
    tag(e, "ann", "paraphrase", number=0)
    tag(e, "ben", "Paraphrase", "own", number=0)  # the same tag, and another
    tag(e, "ann", "style", "paraphrase", number=1)
    tag(e, "ann", "perspective", number=3)
    result = e.mismatch("nams")
    rows = {row["tag"]: row for row in result.table("tags").records()}
    assert {name: (row["mismatches"], row["tagged"]) for name, row in rows.items()} == {
        "paraphrase": (2, 3),
        "style": (1, 3),
        "perspective": (1, 3),
        "own": (1, 3),
    }
    shares = [result.tag_share(tag, "missed") for tag in ("paraphrase", "style", "perspective", "own")]
    assert all(share.low < share.share < share.high for share in shares)
    assert "3 of 4 mismatches tagged, by 2 people." in result.table().sentences
    assert result.table().row(kind="missed")["tagged"] == 3


def test_tags_stay_when_another_measure_finds_the_same_mismatch(evaluation: Evaluation) -> None:
    tag(evaluation, "ann", "style")
    (given,) = evaluation.mismatch("rouge-2-recall").mismatches[0].mismatch_tags
    assert given.tags == ("style",)
    none = evaluation.mismatch("nams", uncovered=0.01, covered=0.9)
    assert none.mismatches == ()
    assert [note.data for note in none.notes() if note.code == "tagged-and-no-mismatch"] == [{"n": 1}]


def test_tags_survive_export_and_import(evaluation: Evaluation, tmp_path: Path) -> None:
    e = evaluation
    tag(e, "ann", "style", "own; ".strip("; "))
    e.assign_mismatches(e.mismatch("nams"), ["ann"])
    with e.store() as store:
        write_records(store, tmp_path / "all.jsonl")
        before = [task for task in store.tasks() if task.asked]
    assert len(before) == 4
    copy = make(tmp_path / "copy", {}, topics=("t1", "t2"))
    (copy.path / "judgments.sqlite").unlink()
    with copy.store() as store:
        read_records(store, tmp_path / "all.jsonl")
        assert [task for task in store.tasks() if task.asked] == before
    assert tags(Evaluation.open(copy.path)) == [("ann", ("style", "own"))]


def test_tags_stand_in_the_flat_table(evaluation: Evaluation) -> None:
    tag(evaluation, "ann", "style", "paraphrase")
    with evaluation.store() as store:
        (row,) = [row for row in answer_table(store).records() if row["question"] == "tags"]
    assert (row["protocol"], row["system"], row["assessor"], row["value"]) == (
        "mismatch",
        "other",
        "ann",
        "style; paraphrase",
    )


def test_own_tags_that_name_people_go_under_pseudonyms(evaluation: Evaluation) -> None:
    from adjudge.judgments.store.records import records

    tag(evaluation, "ann", "as ann said")
    with evaluation.store() as store:
        text = str([r for r in records(store, pseudonyms=True) if r.get("question") == "tags"])
    assert "ann" not in text.replace("channel", "")


def test_tags_change_no_score(evaluation: Evaluation) -> None:
    e = evaluation
    e.score("coverage")
    tag(e, "ann", "style")
    e = Evaluation.open(e.path)
    assert e.stale_judged() == {}
    assert [(scored.new, scored.changed) for scored in e.score("coverage")] == [((), ())]


def test_tags_of_texts_that_changed_do_not_count(evaluation: Evaluation) -> None:
    tag(evaluation, "ann", "style")
    path = evaluation.path / "summaries.jsonl"
    path.write_text(path.read_text().replace("stepped down", "stepped back"))
    e = Evaluation.open(evaluation.path)
    assert any(judged.task.protocol == "mismatch" for judged, _ in e.judgments().left_out)


def test_a_renamed_system_keeps_its_tags(evaluation: Evaluation) -> None:
    tag(evaluation, "ann", "style")
    evaluation.rename("another", "test", system="other")
    e = Evaluation.open(evaluation.path)
    assert tags(e) == [("ann", ("style",))]
    tag(e, "ann", "perspective")  # found again, though its id was made from the old name
    assert tags(e) == [("ann", ("perspective",))]
    with e.store() as store:
        asked = [task for task in store.tasks() if task.asked]
    assert len(asked) == 1
    page = e.mismatch("nams").pages()[0]
    old = replace(page, key=page.key._replace(peer=replace(page.key.peer, system="other")))
    with e.store() as store:  # a new system of the old name has a task of its own
        take_tags(store, e.protocol("mismatch"), [("ann", old, ("style",))])
        assert len([task for task in store.tasks() if task.asked]) == 2


def test_handing_out_adds_what_is_missing_after_what_there_is(evaluation: Evaluation) -> None:
    e = evaluation
    with e.store() as store:
        store.accounts.add("ben")
    first = e.assign_mismatches(e.mismatch("nams"), ["ann", "ben", "ann"])
    assert (first.tasks, first.there, first.assessors) == (8, 0, ("ann", "ben"))
    again = e.assign_mismatches(e.mismatch("nams"), ["ann"])
    assert (again.tasks, again.there) == (0, 4)
    with e.store() as store:
        mine = store.tasks(assessor="ann")
    assert [task.protocol for task in mine] == ["duc-2001"] * 6 + ["mismatch"] * 4
    given = [(t.topic, (t.asked or {})["unit"]) for t in mine[6:]]
    found = [(u.unit.topic, u.unit.id) for u in e.mismatch("nams").mismatches]
    assert sorted(given) == sorted(found)
    assert given != found, "in an order that follows from no name"
    assert UNITS[1] in [u.unit.text for u in e.mismatch("nams").mismatches]
    with pytest.raises(DataError, match='no person "an".*add them with: adjudge people add'):
        e.assign_mismatches(e.mismatch("nams"), ["an"])
    with pytest.raises(UsageError, match="nobody is named"):
        e.assign_mismatches(e.mismatch("nams"), [])


def test_other_ways_of_handing_out_refuse_mismatches(evaluation: Evaluation) -> None:
    with pytest.raises(UsageError, match="hand them out with Evaluation.assign_mismatches"):
        evaluation.assign("mismatch", assessors=["ann"])
    with pytest.raises(UsageError, match="simulated assessors do not"):
        evaluation.simulate_judgments("mismatch")
