"""Mismatches between people and a measure: exactly those that were planted, with counts that follow from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import norm
from tests.analyses.mismatch_making import COPY, OTHER, UNITS, make
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.mismatch.result import CutOffs, MismatchResult
from adjudge.core.errors import DataError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.measures.registry import parse_measure

ENGINEERS, CRASHES, MINISTERS = "Engineers", "Crashes", "Ministers"


def planted(path: Path) -> Evaluation:
    """People: `other` says all of the crashes (in other words), `copy` nothing of the ministers."""
    said = {("other", CRASHES): 1.0, ("copy", ENGINEERS): 1.0, ("copy", CRASHES): 0.75}
    return make(path, said)


def named(result: MismatchResult) -> list[tuple[str | None, str, str]]:
    return [(unit.kind, unit.peer.system, unit.unit.text) for unit in result.mismatches]


def test_exactly_the_planted_mismatches_are_found(tmp_path: Path) -> None:
    result = planted(tmp_path / "e").mismatch("nams")
    assert named(result) == [("missed", "other", UNITS[1]), ("credited", "copy", UNITS[2])]
    missed, credited = result.mismatches
    assert missed.match.value == pytest.approx(1 / 3 * 1 / 3)  # one stem of three ("crash"), no bigram of two
    assert credited.match.value == pytest.approx(1.0)
    assert [unit.text for unit in missed.marked] == ["F-16S CRASH IN MID-AIR."]
    assert [OTHER[a:b] for a, b in missed.match.in_peer or ()] == ["CRASH"]
    assert [UNITS[1][a:b] for a, b in missed.match.in_unit or ()] == ["Crashes"]
    assert [COPY[a:b] for a, b in credited.match.in_peer or ()] == ["Ministers", "resigned", "yesterday"]


def test_a_set_in_which_both_agree_has_none(tmp_path: Path) -> None:
    result = make(tmp_path / "e", {("copy", u.split()[0]): 1.0 for u in UNITS}).mismatch("nams")
    assert result.mismatches == ()
    assert result.table().row(kind="missed") == {
        "kind": "missed",
        "about": "people: fully covered, NAMS: not covered",
        "mismatches": 0,
        "units": 3,
        "share": 0.0,
        "low": 0.0,
        "high": pytest.approx(wilson(0, 3)[1]),
        "topics": 1,
        "tagged": 0,
    }
    assert "to tag" not in str(result)


def wilson(hits: int, n: int) -> tuple[float, float]:
    z2, p = norm.ppf(0.975) ** 2, hits / n
    middle, half = p + z2 / (2 * n), (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5
    return (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)


def test_counts_are_of_the_units_of_which_people_say_the_same(tmp_path: Path, approved: Approved) -> None:
    result = planted(tmp_path / "e").mismatch("nams")
    rows = {row["kind"]: row for row in result.table().records()}
    assert (rows["missed"]["mismatches"], rows["missed"]["units"]) == (1, 2)  # other/crashes, copy/engineers
    assert (rows["credited"]["mismatches"], rows["credited"]["units"]) == (1, 6)
    assert (rows["missed"]["low"], rows["missed"]["high"]) == pytest.approx(wilson(1, 2))
    calls = {row["people"]: row for row in result.table("calls").records()}
    assert sum(cell for row in calls.values() for cell in row.values() if isinstance(cell, int)) == 9
    assert calls["between"]["covered"] == 1  # copy/crashes, 75 %
    systems = {(row["kind"], row["system"]): row for row in result.table("mismatches-by-system").records()}
    assert systems["missed", "other"]["mismatches"] == 1
    assert systems["missed", "copy"]["mismatches"] == 0
    assert systems["missed", "half"]["units"] == 0
    approved(words_of(result))


def test_several_assessors_must_all_say_so_or_most_of_them(tmp_path: Path, approved: Approved) -> None:
    said = {
        ("other", CRASHES): (1.0, 1.0, 0.5),
        ("other", MINISTERS): (1.0, 0.0, 0.0),
        ("copy", ENGINEERS): (0.0, 0.0, 1.0),
    }
    e = make(tmp_path / "e", said, assessors=("ann", "ben", "cy"))
    credited = [("credited", "copy", UNITS[1]), ("credited", "copy", UNITS[2])]
    assert named(e.mismatch("nams")) == credited
    most = e.mismatch("nams", agree="majority")
    assert named(most) == [("missed", "other", UNITS[1]), ("credited", "copy", UNITS[0]), *credited]
    approved(words_of(most))
    assert [each.assessor for each in most.mismatches[0].assessed] == ["ann", "ben", "cy"]


@pytest.mark.parametrize(
    ("completeness", "agree", "call"),
    [
        ((1.0,), "all", "all"),
        ((0.0,), "majority", "none"),
        ((1.0, 0.0), "all", "between"),
        ((1.0, 0.0), "majority", "between"),  # half is not more than half
        ((1.0, 1.0, 0.0), "majority", "all"),
        ((0.2, 0.0, 0.0), "majority", "none"),
    ],
)
def test_what_people_call_a_unit(completeness: tuple[float, ...], agree: str, call: str) -> None:
    assert CutOffs(agree=agree).people(completeness) == call  # type: ignore[arg-type]


def test_the_cut_offs_are_options_and_are_stated(tmp_path: Path, approved: Approved) -> None:
    e = planted(tmp_path / "e")
    wide = e.mismatch("nams", full=0.75, none=0.25, covered=0.5, uncovered=0.05)
    half = [("credited", "half", UNITS[0]), ("credited", "half", UNITS[2])]  # 1/3 2/3 + 2/3 1/2 = 0.56
    assert named(wide) == [
        half[0],
        ("credited", "copy", UNITS[2]),
        half[1],
    ]  # other/crashes has 0.11: above 0.05
    approved(words_of(wide))
    assert "people:full>=0.75,none<=0.25,agree:all|measure:covered>=0.5,uncovered<=0.05" in wide.signature
    for wrong in (
        {"full": 0.2, "none": 0.4},
        {"covered": 0.1},
        {"uncovered": -1},
        {"agree": "some"},
        {"level": 2},
    ):
        with pytest.raises(UsageError):
            e.mismatch("nams", **wrong)


def test_recall_of_rouge_can_be_asked_and_other_measures_say_which_can(tmp_path: Path) -> None:
    e = planted(tmp_path / "e")
    assert named(e.mismatch("rouge-2-recall")) == [
        ("missed", "other", UNITS[1]),
        ("credited", "copy", UNITS[2]),
    ]
    with pytest.raises(
        UsageError, match=r"js gives no value of a single model unit; those that do: rouge-1-recall, .*nams"
    ):
        e.mismatch("js")
    with pytest.raises(UsageError, match="of ROUGE only recall does, such as rouge-2-recall"):
        e.mismatch("rouge-2")


def test_units_that_a_measure_says_nothing_of_are_counted_apart(tmp_path: Path, approved: Approved) -> None:
    e = make(tmp_path / "e", {("copy", "Engineers"): 1.0})
    result = e.mismatch("rouge-4-recall")  # no unit has four words
    assert all(unit.measure == "unknown" for unit in result.units)
    assert result.mismatches == ()
    approved(result.warnings())


def test_no_judgments_of_units_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "e")
    with pytest.raises(DataError, match="no model unit was judged"):
        e.mismatch()


def test_planted_repeats_do_not_count(tmp_path: Path, approved: Approved) -> None:
    """They are answered the other way round here."""
    e = make(tmp_path / "e", {("other", CRASHES): 1.0}, topics=("t1", "t2", "t3", "t4"), repeats=0.5)
    with e.store() as store:
        assert any(task.repeat_of is not None for task in store.tasks())
    result = e.mismatch("nams")
    assert [unit.kind for unit in result.mismatches] == ["missed"] * 4 + ["credited"] * 12
    assert {len(unit.assessed) for unit in result.units} == {1}
    approved(result.about_scores)


def test_intervals_over_several_topics_allow_for_clusters(tmp_path: Path, approved: Approved) -> None:
    e = make(tmp_path / "e", {("other", CRASHES): 1.0, ("copy", ENGINEERS): 1.0}, topics=("t1", "t2", "t3"))
    share = e.mismatch("nams").share("missed")
    assert (share.hits, share.n, share.clusters, share.design_effect) == (3, 6, 3, 1.0)
    approved(words_of(e.mismatch("nams")))


def test_it_is_the_same_from_everywhere(tmp_path: Path) -> None:
    e = planted(tmp_path / "e")
    for _ in range(2):
        assert (
            named(adjudge.mismatch(e.path, "nams")) == named(e.mismatch("nams")) == named(adjudge.mismatch(e))
        )
    result = e.mismatch()
    frame = result.to_frame()
    assert list(frame["kind"]) == ["missed", "credited"]
    assert list(frame["unit_text"]) == [UNITS[1], UNITS[2]]
    assert frame["marked_text"][0] == "F-16S CRASH IN MID-AIR."
    assert result.as_dict()["mismatches"][0]["assessed"][0]["completeness"] == 1.0
    assert parse_measure("nams").signature() in result.signature
    for text in (result.to_latex(), result.to_markdown(), result._repr_html_(), repr(result)):
        assert "missed" in text


def test_length_and_form_choose(tmp_path: Path) -> None:
    e = planted(tmp_path / "e")
    with pytest.raises(
        DataError, match="nobody judged a unit against a summary of 100 words; judged: lengths unset"
    ):
        e.mismatch(length=100)
    with pytest.raises(DataError, match='a summary in the form "extract"; judged: forms unset'):
        e.mismatch(form="extract")
    assert named(e.mismatch(form="unset")) == named(e.mismatch())


def test_several_lengths_and_forms_are_counted_together_and_said(tmp_path: Path, approved: Approved) -> None:
    e = make(tmp_path / "e", {("other", CRASHES): 1.0}, lengths=(100, 50), forms=("abstract", "extract"))
    every, short, one = e.mismatch(), e.mismatch(length=50), e.mismatch(length=50, form="extract")
    assert len(every.units) == 2 * len(short.units) == 4 * len(one.units)
    approved([*every.warnings(), *short.warnings()])
    assert one.warnings() == []


def test_without_some_assessors(tmp_path: Path) -> None:
    said = {("other", CRASHES): (1.0, 1.0, 0.0), ("copy", CRASHES): (0.5, 0.5, 0.5)}
    e = make(tmp_path / "e", said, assessors=("ann", "ben", "cy"))
    assert ("missed", "other", UNITS[1]) not in named(e.mismatch())
    alone = make(tmp_path / "two", {key: v[:2] for key, v in said.items()}, assessors=("ann", "ben"))
    for without in ("cy", ["cy"]):
        found = adjudge.mismatch(e, without=without)
        assert named(found) == named(alone.mismatch())
        assert {each.assessor for unit in found.units for each in unit.assessed} == {"ann", "ben"}
    with pytest.raises(UsageError, match='nobody named "cyd" judged .nearest: "cy"'):
        e.mismatch(without="cyd")
    with pytest.raises(DataError, match="without ann, ben and cy no model unit was judged"):
        e.mismatch(without=("ann", "ben", "cy"))
