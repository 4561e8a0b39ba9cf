"""Designs of judging: groups that shared topics join, and degrees of freedom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.judging import judge_freedom, judging_groups


@pytest.mark.parametrize(
    ("judges", "groups", "systems", "expected"),
    [
        (3, 1, 12, 22),
        (2, 1, 2, 1),
        (30, 10, 5, 80),
        (1, 1, 5, 0),
        (60, 60, 5, 236),
        (3, 3, 2, 2),
        (4, 2, 3, 4),
        (8, 1, 2, 7),
    ],
)
def test_degrees_of_freedom(judges: int, groups: int, systems: int, expected: int) -> None:
    assert judge_freedom(judges, groups, systems) == expected


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=14))
def test_groups_are_those_that_a_walk_reaches(pairs: list[tuple[int, int]]) -> None:
    found = judging_groups(pairs)
    judges = {judge for judge, _ in pairs}
    assert set(found) == judges
    assert set(found.values()) == set(range(len(set(found.values()))))
    reach = {judge: {judge} for judge in judges}
    for _ in judges:
        for judge in judges:
            topics = {topic for other, topic in pairs if other in reach[judge]}
            reach[judge] |= {other for other, topic in pairs if topic in topics}
    for judge in judges:
        assert {other for other in judges if found[other] == found[judge]} == reach[judge]
