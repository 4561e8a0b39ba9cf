"""Counts with the right plural, and lists in a sentence."""

from __future__ import annotations

from adjudge.wording import counted, listed


def test_counts() -> None:
    assert counted(1, "topic") == "1 topic"
    assert counted(1200, "topic") == "1,200 topics"
    assert counted(0, "summary", "summaries") == "0 summaries"


def test_lists() -> None:
    assert [listed(names) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert listed("abcdefgh") == "a, b, c, d, e and 3 others"
    assert listed("abcdef") == "a, b, c, d, e and f"
