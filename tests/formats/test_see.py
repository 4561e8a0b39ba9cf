"""DUC-2002's table of SEE results, written here in its shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import DataError, UsageError
from adjudge.data.incoming import Remark
from adjudge.data.rows import System, Topic
from adjudge.formats import see
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.intake import Item
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.base import Measure
from adjudge.measures.judged.coverage import AdjustedCoverage, Coverage, Unmarked
from adjudge.measures.judged.quality import QualityErrors

QUALITY = list("010020030000")


def row(**changes: str) -> list[str]:
    """A page of D061: a peer of 100 words with eight units, five of them marked."""
    values = {
        "set": "D061",
        "task": "M",
        "document": "-",
        "length": "100",
        "c4": "J",
        "c5": "B",
        "c6": "K",
        "c7": "x",
        "peer": "19",
        "c9": "y",
        "relevant": "0.60",
        "peer_units": "8",
        "marked": "5",
        "unmarked": "3",
        "model_units": "11",
        "mean": "0.309",
        "median": "0.200",
        "sd": "0.354",
        "adjusted_mean": "0.215",
        "adjusted_median": "0.140",
        "adjusted_sd": "0.236",
    } | changes
    cells = list(values.values())
    quality = changes.get("quality", " ".join(QUALITY)).split()
    if "quality" in values:
        cells.remove(values["quality"])
    return [*cells[:10], *quality, *cells[10:]]


def header(**names: str) -> str:
    """37 lines: a title, a column each, and the line of bars."""
    columns = ["c" + str(n) for n in range(33)]
    for column, name in names.items():
        columns[int(column.removeprefix("c"))] = name
    lines = ["SEE results", "phase 1", ""] + ["| " * n + name for n, name in enumerate(columns)]
    return "\n".join([*lines, "| " * 33]) + "\n"


def write(path: Path, *rows: Sequence[str], head: str | None = None, between: str = "  ") -> Path:
    file = path / "short.results.table"
    text = (header() if head is None else head) + "".join(between.join(cells) + "\n" for cells in rows)
    file.write_text(text, encoding="utf-8")
    return file


def read(*paths: Path, **options: Any) -> list[Item]:
    return list(see.read(paths, evaluation="e", **options))


def of(items: Sequence[Item], kind: type) -> list[Any]:
    return [thing for _, thing in items if isinstance(thing, kind)]


def reasons(items: Sequence[Item]) -> Counter[str]:
    return Counter(left.reason for left in of(items, Remark))


def judged(items: Sequence[Item]) -> Judged:
    (task,) = of(items, Task)
    return Judged(task, {event.question: event for event in of(items, Event)})


def score(measure: Measure, items: Sequence[Item]) -> float:
    page = judged(items)
    (found,) = measure.score(TopicBatch(Topic(page.task.topic), (), judgments=(page,)))
    return found.value


def test_the_header_has_37_lines() -> None:
    assert header().count("\n") == 37
    assert len(row()) == 33


@pytest.mark.parametrize("between", ["  ", "\t"])
def test_a_page_is_a_task_with_its_answers(tmp_path: Path, between: str) -> None:
    items = read(write(tmp_path, row(), between=between), assessor="nist")
    assert of(items, Topic) == [Topic("D061", set="D061", task="multi")]
    assert of(items, System) == [System("19")]
    page = judged(items)
    assert (page.task.assessor, page.task.peer, page.task.reference) == ("nist", TextRef("19", 100), None)
    assert page.task.protocol == "duc-2002"
    values = [page.answers[f"quality:{n}"].answer["value"] for n in range(1, 13)]
    assert values == ["0", "1-5", "0", "0", "6-10", "0", "0", ">10", "0", "0", "0", "0"]
    assert page.answers["unmarked"].answer == {"relevant": 0.6}
    assert page.answers["coverage"].answer == {
        "mean": 0.309,
        "median": 0.2,
        "sd": 0.354,
        "adjusted_mean": 0.215,
        "adjusted_median": 0.14,
        "adjusted_sd": 0.236,
        "peer_units": 8,
        "marked": 5,
        "unmarked": 3,
        "model_units": 11,
    }
    assert page.origin == "imported"
    assert not reasons(items)


def test_measures_give_what_the_table_has(tmp_path: Path) -> None:
    items = read(write(tmp_path, row()), assessor="nist")
    assert score(Coverage(), items) == 0.309
    assert score(Coverage(stat="median"), items) == 0.2
    assert score(AdjustedCoverage(), items) == 0.215
    assert score(QualityErrors(), items) == 3
    assert score(QualityErrors(question="8"), items) == 3
    assert score(Unmarked(), items) == 3
    assert score(Unmarked(count="relevant"), items) == pytest.approx(1.8)


@pytest.mark.parametrize("value", ["0.3", None, True, float("nan"), [1]])
def test_a_sum_that_is_no_number_is_refused(value: object) -> None:
    protocol = load_protocol("duc-2002")
    protocol.check("coverage", {"mean": 0.3, "units": 5})
    with pytest.raises(DataError, match="expected a number"):
        protocol.check("coverage", {"mean": value})
    with pytest.raises(DataError, match="no question"):
        protocol.check("coverage", {"mean": 0.3}, model_units=["1"])


def test_a_single_document_has_a_topic_of_its_own(tmp_path: Path) -> None:
    """A document may be in two sets."""
    pages = [row(task="S", document="AP880911-0016"), row(task="S", document="AP880911-0016", set="D062")]
    items = read(write(tmp_path, *pages), assessor="nist")
    assert of(items, Topic) == [
        Topic("D061.AP880911-0016", set="D061", task="single"),
        Topic("D062.AP880911-0016", set="D062", task="single"),
    ]


def test_lengths_with_zeros_in_front_and_without_any(tmp_path: Path) -> None:
    items = read(write(tmp_path, row(length="010"), row(length="-")), assessor="nist")
    assert [t.peer for t in of(items, Task)] == [TextRef("19", 10), TextRef("19", None)]


def test_the_answers_on_quality_may_be_words(tmp_path: Path) -> None:
    words = "0 1-5 0 6-10 0 >10 0 0 0 0 0 0"
    items = read(write(tmp_path, row(quality=words)), assessor="nist")
    answers = judged(items).answers
    assert [answers[f"quality:{n}"].answer["value"] for n in range(1, 13)] == words.split()


def test_a_page_without_quality_is_read(tmp_path: Path) -> None:
    """Headlines were not asked about."""
    items = read(write(tmp_path, row(quality=" ".join("-" * 12))), assessor="nist")
    assert set(judged(items).answers) == {"unmarked", "coverage"}
    assert not reasons(items)


def test_percent_and_no_unmarked_units(tmp_path: Path) -> None:
    items = read(write(tmp_path, row(relevant="60")), assessor="nist")
    assert judged(items).answers["unmarked"].answer == {"relevant": 0.6}
    items = read(write(tmp_path, row(relevant="0", marked="8", unmarked="0")), assessor="nist")
    assert "unmarked" not in judged(items).answers


def test_assessor_and_reference_from_the_header_or_from_given_columns(tmp_path: Path) -> None:
    drawn = header(c5="Model author", c6="Assessor", c8="Peer")
    for items in (
        read(write(tmp_path, row(), head=drawn)),
        read(write(tmp_path, row()), assessor_column=6, reference_column=5),
    ):
        task = judged(items).task
        assert (task.assessor, task.reference) == ("K", TextRef("B", 100))
    with pytest.raises(UsageError, match="assessor_column is 8"):
        read(write(tmp_path, row()), assessor_column=8)


def test_where_nobody_is_named_the_assessor_is_anonymous_and_it_is_said(tmp_path: Path) -> None:
    items = read(write(tmp_path, row(), row()))
    first, second = of(items, Task)
    assert first.assessor == "anonymous"
    assert second.repeat_of == first.id
    assert reasons(items) == {see.NO_ASSESSOR.reason: 2}


def test_what_is_wrong_is_counted_and_the_rest_kept(tmp_path: Path) -> None:
    pages = [
        row()[:-1],
        row(peer="-"),
        row(task="S"),
        row(length="ten"),
        row(mean="1.3", peer="20"),
        row(relevant="0.5", peer="21"),
        row(relevant="?", peer="22"),
        row(quality="7" + " 0" * 11, peer="23"),
        row(peer_units="9", peer="24"),
        ["the", "end"],
        row(peer="1"),
    ]
    items = read(write(tmp_path, *pages), assessor="nist")
    assert [t.peer.system for t in of(items, Task)] == ["20", "21", "22", "23", "24", "1"]
    assert reasons(items) == {
        see.OTHER_WIDTH.reason: 1,
        see.NO_NAME.reason: 2,
        see.STRANGE_NAME.reason: 1,
        see.STRANGE_NUMBER.reason: 2,
        "answer that is none of the protocol's choices": 2,
        see.SUMS.reason: 1,
        see.NO_ROW.reason: 1,
    }
    assert of(items, System)[-1] == System("1", kind="baseline")


def test_a_broken_first_row_is_not_taken_for_the_header(tmp_path: Path) -> None:
    items = read(write(tmp_path, row()[:20], row()), assessor="nist")
    assert reasons(items) == {see.OTHER_WIDTH.reason: 1}


def test_files_without_rows_are_named(tmp_path: Path) -> None:
    assert reasons(read(write(tmp_path, head=""))) == {"file without records": 1}
    assert reasons(read(write(tmp_path))) == {see.NO_ROWS.reason: 1}


def test_importing_twice_gives_the_same_ids(tmp_path: Path) -> None:
    file = write(tmp_path, row(), row(peer="A"))
    assert read(file, assessor="nist") == read(file, assessor="nist")
