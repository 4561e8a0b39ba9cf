"""Counts with the right plural, and lists in a sentence."""

from __future__ import annotations

from adjudge.wording import counted, listed, natural


def test_counts() -> None:
    assert counted(1, "topic") == "1 topic"
    assert counted(1200, "topic") == "1,200 topics"
    assert counted(0, "summary", "summaries") == "0 summaries"


def test_lists() -> None:
    assert [listed(names) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert listed("abcdefgh") == "a, b, c, d, e and 3 others"
    assert listed("abcdef") == "a, b, c, d, e and f"


def test_names_sort_by_the_numbers_in_them() -> None:
    names = ["d10", "d2", "d02", "D1", "a", "10", "9", "d2b", "², d", "d" + "9" * 5000]
    assert sorted(names, key=natural) == ["9", "10", "D1", "a", "d02", "d2", "d2b", "d10", names[-1], "², d"]
