"""Levels of model units: references of several lengths worked by hand, and levels that people gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import DataError
from adjudge.data.rows import Summary, Unit
from adjudge.evaluation import Evaluation
from adjudge.judgments.levels import add_levels, author_lengths, level_of, unit_levels

# One author's references of one topic, as DUC-2002 had them cut: what matters least goes first.
LONG = "The dam broke after heavy rain. Eleven people died. A mill and its bakery were wrecked. Of them it was so."
MIDDLE = "After rain the old dam broke. Eleven died."
SHORT = "Dam broke."
# content words of the long one     in the middle one          in the short one     level
#   dam broke heavy rain            dam broke rain  3 of 4     dam broke  2 of 4    10
#   eleven people died              eleven died     2 of 3     -                    50
#   mill bakery wrecked             -                          -                    100
#   (function words only)           -                          -                    100, its own
WANTED = {"The dam": 10, "Eleven": 50, "A mill": 100, "Of them": 100}


def written(make: Callable[..., Evaluation]) -> Evaluation:
    def reference(text: str, length: int, system: str = "ann", author: str | None = "ann") -> Summary:
        return Summary("t", system, text, length, ("reference",), author)

    e = make(
        reference(LONG, 100),
        reference(MIDDLE, 50, "ann-50"),
        reference(SHORT, 10),
        reference("A dam broke in the valley.", 100, "bob", None),
        Summary("t", "lead", "The dam broke.", 100),
    )
    e.units()
    return e


def rows(e: Evaluation) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (e.path / "units.jsonl").read_text(encoding="utf-8").splitlines()]


def rewrite(path: Path, found: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in found)
    (path / "units.jsonl").write_text(text, encoding="utf-8")


def test_a_level_is_the_shortest_length_at_which_a_unit_still_appears(
    make: Callable[..., Evaluation],
) -> None:
    collection = written(make).collection
    levels = unit_levels(collection)
    long = [
        u for u in collection.units["t"] if u.system == "ann" and u.length == 100 and u.kind == "sentence"
    ]
    assert {u.text: levels[u.key] for u in long} == {
        u.text: next(level for start, level in WANTED.items() if u.text.startswith(start)) for u in long
    }
    middle = [u for u in collection.units["t"] if u.system == "ann-50" and u.kind == "sentence"]
    assert [levels[u.key] for u in middle] == [10, 50]


def test_one_length_ranks_nothing_and_peers_have_no_levels(make: Callable[..., Evaluation]) -> None:
    collection = written(make).collection
    assert {key[1] for key in unit_levels(collection)} == {"ann", "ann-50"}
    bob = next(r for r in collection.references("t") if r.system == "bob")
    assert author_lengths(bob, collection.references("t")) == [100]


def test_levels_are_written_and_written_again_the_same(make: Callable[..., Evaluation]) -> None:
    e = written(make)
    before = rows(e)
    report = add_levels(e.folder)
    after = rows(e)
    assert [{k: v for k, v in row.items() if k != "level"} for row in after] == before
    assert report.kept == 0
    assert sum(report.levels.values()) == sum("level" in row for row in after) > 0
    assert report.without == sum(row["system"] == "bob" for row in after)
    assert report.as_dict()["levels"] == dict(sorted(report.levels.items()))
    add_levels(e.folder)
    assert rows(e) == after


def test_an_edited_unit_keeps_the_level_a_person_gave(make: Callable[..., Evaluation]) -> None:
    e = written(make)
    add_levels(e.folder)
    found = rows(e)
    mill = next(row for row in found if row["text"].startswith("A mill") and row["kind"] == "sentence")
    mill |= {"level": 50, "edited": True}
    dam = next(row for row in found if row["text"].startswith("The dam") and row["kind"] == "sentence")
    dam["level"] = 100  # not said to be edited: made again
    rewrite(e.path, found)
    report = add_levels(e.folder)
    assert report.kept == 1
    by_id = {(row["id"], row["length"]): row["level"] for row in rows(e) if row["system"] == "ann"}
    assert by_id[mill["id"], 100] == 50
    assert by_id[dam["id"], 100] == 10


@pytest.mark.parametrize("wrong", [75, "50", True, 0, 200])
def test_a_level_by_hand_is_one_of_the_authors_lengths(make: Callable[..., Evaluation], wrong: Any) -> None:
    e = written(make)
    found = rows(e)
    found[0] |= {"level": wrong, "edited": True}
    rewrite(e.path, found)
    with pytest.raises(
        DataError, match=r'units\.jsonl:1: "level" is .*, expected null or one of: 10, 50, 100'
    ):
        add_levels(e.folder)
    assert rows(e) == found  # nothing was written


def test_without_units_it_says_what_to_do(make: Callable[..., Evaluation]) -> None:
    with pytest.raises(DataError, match="adjudge units"):
        add_levels(make(Summary("t", "ann", LONG, 100, ("reference",))).folder)


@pytest.mark.parametrize(("level", "read"), [(50, 50), (None, None), ("50", None), (0, None), (True, None)])
def test_what_is_no_length_is_no_level(level: Any, read: int | None) -> None:
    assert level_of(Unit("t", "ann", "edu", "m", 0, 1, "x", extra={"level": level})) == read
