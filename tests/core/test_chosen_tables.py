"""Tables of a result that are chosen by name bring what they say and what is noted of them; tables made of things."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import pytest

import adjudge
from adjudge.core.errors import UsageError
from adjudge.core.table import Column, Table


@dataclass
class Thing:
    name: str
    size: float


@pytest.mark.parametrize("rows", [[("a", 0.5)], [{"name": "a", "size": 0.5}], [Thing("a", 0.5)]])
def test_a_table_of_tuples_mappings_or_things(rows: list[object]) -> None:
    table = Table.of("t", rows, "name size", title="Sizes")
    assert table == Table("t", (Column("name"), Column("size")), (("a", 0.5),), title="Sizes")


@pytest.fixture(scope="module")
def rated() -> pd.DataFrame:
    rows = [
        (f"t{t}", s, who, (t * n + k) % 4)
        for t in range(6)
        for n, s in enumerate("xyz")
        for k, who in enumerate("ab")
    ]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
    return pd.concat([frame.assign(measure="one"), frame.assign(measure="two")])


def test_a_name_may_stand_for_several_tables(rated: pd.DataFrame) -> None:
    result = adjudge.stability(rated, draws=100, progress=lambda done, of: None)
    assert [table.name for table in result.all_tables] == [
        "judge-noise-one",
        "beats-one",
        "judge-noise-two",
        "beats-two",
    ]
    both = result.only(["judge-noise"])
    assert both.picked == ("judge-noise-one", "judge-noise-two")
    said = dict.fromkeys(line for name in both.picked for line in result.about(name))
    assert list(both.sentences()) == list(said)
    with pytest.raises(UsageError, match='no table "noise"'):
        result.only(["noise"])
    assert adjudge.stability(rated, draws=100).asked == result.asked  # who is told is no option


def test_a_note_comes_with_its_tables(rated: pd.DataFrame) -> None:
    result = adjudge.agreement(rated, resamples=10)
    by_system = result.only(["agreement-by-system"])
    assert set(result.warnings()) < set(by_system.warnings())
    assert {note["code"] for note in by_system.as_dict()["notes"]} >= {"alpha-of-one-system"}
    assert result.only(["pyramids"]).warnings() == []
