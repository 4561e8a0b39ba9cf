"""Pyramid scores: a page worked by hand, to the last digit; a plain twin; who is scored against which pyramid."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.data.ducview import make
from tests.judgments.pyramid_making import a_pyramid, an_annotation, annotated_by, built_by, collected
from tests.properties import examples

from adjudge.data.rows import Summary, Topic
from adjudge.data.scores import Score
from adjudge.formats.ducview import read
from adjudge.formats.ducview_write import exported
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pyramid import Pyramid
from adjudge.judgments.tasks import Event, Judged
from adjudge.measures.judged.pyramid import (
    PyramidScore,
    PyramidUnits,
    Tally,
    average_size,
    reachable,
    scored,
    tally,
)
from adjudge.measures.spec import build, split_spec

DUCVIEW = Path(__file__).parent.parent / "formats" / "data" / "ducview"

# The page
#
# The pyramid of three references, B, C and D (tests/formats/data/ducview/good/D0901.pyr):
#
#     unit   1  2  3  4  5  6  7  8  9
#     B      x  x  x     x  x
#     C      x  x  x  x        x     x
#     D      x  x  x  x  x        x
#     weight 3  3  3  2  2  1  1  1  1      17 contributors, 17 / 3 = 5.67 a reference: 6 rounded half up, 5 down
#
#     the heaviest 5 weigh 3+3+3+2+2 = 13, the heaviest 6 weigh 14, the heaviest 7 weigh 15
#
# Peer 17 expresses unit 1 twice, 3 and 6 once, and one thing that is in no reference.
#     weight 3 + 3 + 1 = 7;  3 distinct + 1 repeated + 1 unmatched = 5 units
#     original       7 / 13
#     modified       7 / 14                 DUCView: 7 / 13
#     comprehensive  2 x 7 / (13 + 14)      DUCView: 2 x 7 / (13 + 13)
#
# Peer 22 expresses 1, 2, 3, 4, 5, 6 and 9, once each, and nothing else.
#     weight 15;  7 units
#     original       15 / 15
#     modified       15 / 14                DUCView: 15 / 13, capped at 1
#     comprehensive  2 x 15 / (15 + 14)     DUCView: the mean of 1 and 1
#
# Peer 1 has nothing marked at all: modified 0, and no original score.
#
# Leaving out one reference in turn, for peer 17 (units 1, 3, 6, five units in all):
#     without B      weights 2 2 2 2 1 - 1 1 1   12 / 2 = 6            peer 2 + 2     = 4; of 5: 9, of 6: 10
#     without C      weights 2 2 2 1 2 1 - 1 -   11 / 2 = 5.5: 6 or 5  peer 2 + 2 + 1 = 5; of 5: 9, of 6: 10
#     without D      weights 2 2 2 1 1 1 1 - 1   11 / 2 = 5.5: 6 or 5  peer 2 + 2 + 1 = 5; of 5: 8, of 6: 9
#     original       (4/9 + 5/9 + 5/8) / 3
#     modified       (4/10 + 5/10 + 5/9) / 3     DUCView: (4/10 + 5/9 + 5/8) / 3
#
# B wrote a reference, and is scored against C and D alone, by what the pyramid has of it: units 1, 2, 3, 5 and 6.
#     weight 2 + 2 + 2 + 1 = 7 (6 is B's own);  4 distinct + 1 unmatched = 5 units
#     original       7 / 9
#     modified       7 / 10
#     comprehensive  2 x 7 / (9 + 10)


def batch_of(judged: Iterable[Judged], peers: Iterable[str], topic: str = "t") -> TopicBatch:
    summaries = tuple(Summary(topic, name, "text", 100) for name in peers)
    return TopicBatch(Topic(topic), summaries, judgments=tuple(judged))


def the_page(folder: Path = DUCVIEW / "good") -> TopicBatch:
    judged = collected(read([folder], evaluation="e"))
    return batch_of(judged, ["17", "22", "1", "B", "C", "D"], "D0901")


def values(measure: PyramidScore | PyramidUnits, batch: TopicBatch) -> dict[str, float]:
    return {row.system: row.value for row in measure.score(batch)}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"stat": "original"}, {"17": 7 / 13, "22": 1.0, "1": math.nan, "B": 7 / 9}),
        ({"stat": "modified"}, {"17": 0.5, "22": 15 / 14, "1": 0.0, "B": 0.7}),
        ({"stat": "comprehensive"}, {"17": 14 / 27, "22": 30 / 29, "1": math.nan, "B": 14 / 19}),
        ({"stat": "original", "rounding": "ducview"}, {"17": 7 / 13, "22": 1.0, "1": math.nan}),
        ({"stat": "modified", "rounding": "ducview"}, {"17": 7 / 13, "22": 1.0, "1": 0.0, "B": 0.7}),
        ({"stat": "comprehensive", "rounding": "ducview"}, {"17": 14 / 26, "22": 1.0, "1": math.nan}),
        ({"stat": "original", "refs": "jackknife"}, {"17": math.fsum([4 / 9, 5 / 9, 5 / 8]) / 3, "B": 7 / 9}),
        ({"refs": "jackknife"}, {"17": math.fsum([4 / 10, 5 / 10, 5 / 9]) / 3, "1": 0.0, "B": 0.7}),
        ({"refs": "jackknife", "rounding": "ducview"}, {"17": math.fsum([4 / 10, 5 / 9, 5 / 8]) / 3}),
    ],
)
def test_the_page_to_the_last_digit(options: dict[str, str], expected: dict[str, float]) -> None:
    found = values(PyramidScore(**options), the_page())
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


def test_the_page_as_counts() -> None:
    counted = {
        count: values(PyramidUnits(count), the_page())
        for count in ("all", "matched", "repeated", "unmatched", "weight")
    }
    assert {count: found["17"] for count, found in counted.items()} == {
        "all": 5,
        "matched": 3,
        "repeated": 1,
        "unmatched": 1,
        "weight": 7,
    }
    assert {count: found["B"] for count, found in counted.items()} == {
        "all": 5,
        "matched": 4,
        "repeated": 0,
        "unmatched": 1,
        "weight": 7,
    }


def test_without_anything_marked_the_original_score_says_why() -> None:
    rows = {row.system: row for row in PyramidScore("original").score(the_page())}
    assert rows["1"].why == "nothing is marked in the summary"


@pytest.mark.parametrize("name", ["good", *make.ODD])
def test_scores_survive_the_way_out_and_back(name: str, tmp_path: Path) -> None:
    before = the_page(DUCVIEW / name)
    for file, text in exported(before.judgments):
        (tmp_path / file).write_text(text, encoding="utf-8")
    after = the_page(tmp_path)
    for stat in ("original", "modified", "comprehensive"):
        for refs in ("all", "jackknife"):
            measure = PyramidScore(stat, refs=refs)
            assert [repr(row) for row in measure.score(after)] == [repr(row) for row in measure.score(before)]


# Arithmetic


def test_halves_round_up_and_ducview_rounds_down() -> None:
    for contributors, references, nist, ducview in [
        (10, 4, 3, 2),
        (11, 4, 3, 2),
        (9, 4, 2, 2),
        (2, 4, 1, 0),
        (1, 4, 0, 0),
        (12, 4, 3, 3),
        (5, 2, 3, 2),
    ]:
        pyramid = a_pyramid(dict.fromkeys(range(1, contributors + 1), "A"), "ABCD"[:references])
        assert average_size(pyramid, "nist") == nist
        assert average_size(pyramid, "ducview") == ducview


def plain_score(said: dict[int, str], writers: str, times: dict[int, int], stat: str, rounding: str) -> float:
    """The twin: every step as a page would have it, with lists and loops."""
    heavy = sorted((len(letters) for letters in said.values()), reverse=True)
    own, size = 0, 0
    for uid, n in times.items():
        size += n
        own += len(said.get(uid, "")) if n else 0

    def best(n: int) -> int:
        return sum(weight for rank, weight in enumerate(heavy, 1) if rank <= n)

    average = sum(heavy) / len(writers)
    model = best(math.floor(average + 0.5) if rounding == "nist" else math.floor(average))
    original = own / best(size) if best(size) else math.nan
    modified = own / model if model else math.nan
    if rounding == "ducview" and modified > 1:
        modified = 1.0
    if stat == "original":
        return original
    if stat == "modified":
        return modified
    if math.isnan(original + modified):
        return math.nan
    return 2 / (1 / original + 1 / modified) if own else 0.0


LETTERS = st.sets(st.sampled_from("ABCD"), min_size=1).map(lambda who: "".join(sorted(who)))


@examples(300)
@given(
    said=st.dictionaries(st.integers(1, 8), LETTERS, max_size=8),
    times=st.dictionaries(st.integers(0, 10), st.integers(0, 3), max_size=8),
    stat=st.sampled_from(["original", "modified", "comprehensive"]),
    rounding=st.sampled_from(["nist", "ducview"]),
    refs=st.sampled_from(["all", "jackknife"]),
)
def test_scores_are_those_of_the_plain_twin(
    said: dict[int, str], times: dict[int, int], stat: str, rounding: str, refs: str
) -> None:
    pyramid = a_pyramid(said, "ABCD")
    batch = batch_of(
        [built_by("ann", pyramid), annotated_by("ann", "s", an_annotation(times, pyramid))], ["s"]
    )
    (row,) = PyramidScore(stat, rounding, refs).score(batch)
    left_out = list("ABCD") if refs == "jackknife" else [""]
    expected = []
    for out in left_out:
        rest = {uid: letters.replace(out, "") if out else letters for uid, letters in said.items()}
        rest = {uid: letters for uid, letters in rest.items() if letters}
        expected.append(plain_score(rest, "ABCD".replace(out, "") if out else "ABCD", times, stat, rounding))
    assert row.value == pytest.approx(sum(expected) / len(expected), rel=1e-12, nan_ok=True)
    assert (row.why is None) == (not math.isnan(row.value))
    assert row.value <= 1 or math.isnan(row.value) or (rounding == "nist" and stat != "original")


def test_a_unit_that_is_expressed_twice_counts_once_and_what_is_not_there_matches_nothing() -> None:
    pyramid = a_pyramid({1: "AB", 2: "A"})
    once, twice = an_annotation({1: 1}), an_annotation({1: 2, 77: 2, 2: 0})
    assert tally(pyramid, once) == Tally(weight=2, matched=1, repeated=0, unmatched=0)
    assert tally(pyramid, twice) == Tally(weight=2, matched=1, repeated=1, unmatched=2)
    assert [reachable(pyramid, n) for n in (0, 1, 2, 9)] == [0, 2, 3, 3]


@pytest.mark.parametrize(
    ("pyramid", "stat", "why"),
    [
        (a_pyramid({}, "AB"), "original", "the pyramid is empty"),
        (a_pyramid({}, "AB"), "modified", "the references have less than one content unit on average"),
        (a_pyramid({1: "A"}, "ABC"), "modified", "the references have less than one content unit on average"),
        (
            replace(a_pyramid({1: ""}), references=()),
            "modified",
            "how many references the pyramid has is not known",
        ),
    ],
)
def test_what_cannot_be_computed_says_why(pyramid: Pyramid, stat: str, why: str) -> None:
    value, said = scored(pyramid, an_annotation({1: 1, 0: 1}), stat, "nist")
    assert math.isnan(value)
    assert said == why


# Rows


def rows(measure: PyramidScore, *judged: Judged, peers: str = "s") -> list[Score]:
    return list(measure.score(batch_of(judged, peers.split())))


def test_a_row_for_every_assessor_and_repeat() -> None:
    pyramid = a_pyramid({1: "AB", 2: "A", 3: "B"})
    one, two = an_annotation({1: 1}, pyramid), an_annotation({2: 1}, pyramid)
    found = rows(
        PyramidScore(),
        built_by("ann", pyramid),
        annotated_by("ann", "s", one),
        annotated_by("ann", "s", two, "again"),
        annotated_by("bob", "s", two),
        annotated_by("bob", "u", None),
    )
    assert [(r.system, r.assessor, r.repeat, r.value, r.why) for r in found] == [
        ("s", "ann", 0, 2 / 3, None),
        ("s", "ann", 1, 1 / 3, None),
        ("s", "bob", 0, 1 / 3, None),
        ("u", "bob", 0, pytest.approx(math.nan, nan_ok=True), "not annotated yet"),
    ]
    assert {(r.topic, r.length, r.reference) for r in found} == {("t", 100, None)}


def test_annotations_are_held_against_the_pyramid_they_name() -> None:
    one, two = a_pyramid({1: "AB", 2: "A"}), a_pyramid({1: "A", 2: "AB"})
    found = rows(
        PyramidScore("original"),
        built_by("ann", one, "p1"),
        built_by("bob", two, "p2"),
        annotated_by("bob", "s", an_annotation({1: 1}, one)),
        annotated_by("bob", "u", an_annotation({1: 1}, two)),
    )
    assert [row.value for row in found] == [1.0, 0.5]


def test_without_a_pyramid_or_with_a_broken_answer_the_row_says_why() -> None:
    pyramid = a_pyramid({1: "AB"})
    broken = built_by("ann", pyramid)
    answers: dict[str, Event] = {q: replace(e, answer={"scus": 1}) for q, e in broken.answers.items()}
    bad_peer = annotated_by("ann", "s", an_annotation({1: 1}))
    bad_answers = {q: replace(e, answer={"scus": []}) for q, e in bad_peer.answers.items()}
    (none,) = rows(PyramidScore(), annotated_by("ann", "s", an_annotation({1: 1}, pyramid)))
    (unread,) = rows(
        PyramidScore(), Judged(broken.task, answers), annotated_by("ann", "s", an_annotation({1: 1}, pyramid))
    )
    (peer,) = rows(PyramidScore(), built_by("ann", pyramid), Judged(bad_peer.task, bad_answers))
    assert none.why == unread.why == "no pyramid"
    assert peer.why == 'pyramid-peer: "text" is null, expected a text'
    batch = batch_of([Judged(broken.task, answers)], [])
    assert PyramidScore().warnings([batch]) == ["1 pyramid cannot be read and was left out"]


def test_judgments_of_other_protocols_are_not_looked_at() -> None:
    judged = annotated_by("ann", "s", an_annotation({1: 1}))
    other = Judged(replace(judged.task, protocol="duc-2002"), judged.answers)
    assert rows(PyramidScore(), built_by("ann", a_pyramid({1: "AB"})), other) == []


def test_a_reference_that_is_a_peer_needs_no_annotation_but_may_have_one() -> None:
    pyramid = a_pyramid({1: "AB", 2: "A", 3: "BC"})
    built = built_by("ann", pyramid)
    own = rows(PyramidScore("original"), built, peers="A")
    assert [(r.system, r.assessor, r.value) for r in own] == [("A", "ann", 1 / 3)]  # 1 of 2 + 1
    annotated = rows(
        PyramidScore("original"), built, annotated_by("ann", "A", an_annotation({3: 1}, pyramid)), peers="A B"
    )
    assert [(r.system, r.value) for r in annotated] == [("A", 1.0), ("B", 1.0)]
    assert rows(PyramidScore(), built, peers="Z") == []


def test_of_several_pyramids_a_reference_is_held_against_the_one_in_use() -> None:
    old, new = a_pyramid({1: "AB", 2: "B"}), a_pyramid({1: "AB", 2: "AB"})
    peers = [annotated_by("ann", name, an_annotation({1: 1}, new)) for name in ("s", "u")]
    found = rows(
        PyramidScore("original"), built_by("ann", old, "p"), built_by("ann", new, "q"), *peers, peers="A"
    )
    assert [(r.system, r.value) for r in found if r.system == "A"] == [("A", 1.0)]
    assert len(found) == 3


def test_a_pyramid_without_references_cannot_be_jackknifed_and_one_reference_is_not() -> None:
    nameless = replace(a_pyramid({1: ""}), references=())
    (row,) = rows(
        PyramidScore("original", refs="jackknife"),
        built_by("ann", nameless),
        annotated_by("ann", "s", an_annotation({0: 1}, nameless)),
    )
    assert row.why == "which references the pyramid has is not known"
    single = a_pyramid({1: "A"})
    (row,) = rows(
        PyramidScore(refs="jackknife"),
        built_by("ann", single),
        annotated_by("ann", "s", an_annotation({1: 1}, single)),
    )
    assert row.value == 1.0


# What people should know


def warned(measure: PyramidScore, *judged: Judged, peers: str = "s") -> list[str]:
    return measure.warnings([batch_of(judged, peers.split())])


def test_warnings() -> None:
    pyramid = a_pyramid({1: "AB", 2: "A"})
    built = built_by("ann", pyramid)
    bare, full = an_annotation({1: 1}, pyramid), an_annotation({1: 1, 0: 1}, pyramid)
    assert warned(PyramidScore(), built, annotated_by("ann", "s", bare)) == []
    assert warned(PyramidScore("original"), built, annotated_by("ann", "s", full)) == []
    assert warned(PyramidScore("original"), built, annotated_by("ann", "s", bare)) == [
        "annotations that mark nothing outside the pyramid: 1 of 1; where assessors were not asked to, only the"
        " modified score means something"
    ]
    writer = (built, annotated_by("ann", "s", full))
    assert warned(PyramidScore(), *writer, peers="s A") == [
        "peers who wrote a reference are scored against one reference fewer than the others:"
        " the option refs=jackknife is fair to all"
    ]
    assert warned(PyramidScore(refs="jackknife"), *writer, peers="s A") == []
    gone = annotated_by("ann", "s", an_annotation({1: 1, 0: 1}, a_pyramid({1: "B"})))
    assert warned(PyramidScore(), built, gone) == [
        "1 annotation was made on a pyramid that has changed since: units that are gone match nothing"
    ]


# As a measure


def made(text: str, kind: Any = PyramidScore) -> Any:
    name, options = split_spec(text)
    return build(kind, name, options)


def test_its_text_is_its_identity() -> None:
    text = "pyramid(stat=comprehensive, rounding=ducview, refs=jackknife)"
    assert str(made(text)) == text
    assert str(made("pyramid(stat=modified)")) == "pyramid"
    assert str(made("pyramid-units(count=repeated)", PyramidUnits)) == "pyramid-units(count=repeated)"
    assert made("pyramid").signature().startswith("pyramid|stat:modified|rounding:nist|refs:all|v:")
    assert "rounding" not in made("pyramid(stat=original)").signature()
    assert PyramidUnits.better is None
