"""Texts in pieces: nothing lost, every mark where it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.segments import Segment, segments

spans = st.lists(st.tuples(st.integers(-3, 30), st.integers(-3, 30)), max_size=5)


@given(st.text(max_size=25), spans, spans, spans, st.integers(0, 25), st.integers(0, 25))
def test_a_plain_twin(
    text: str,
    one: list[tuple[int, int]],
    two: list[tuple[int, int]],
    hidden: list[tuple[int, int]],
    start: int,
    end: int,
) -> None:
    """Sign by sign."""

    def covers(some: list[tuple[int, int]], at: int) -> bool:
        return any(a <= at < b for a, b in some)

    found = segments(text, one, two, start=start, end=end, hidden=hidden)
    signs = [(sign, piece.marks) for piece in found for sign in piece.text]
    assert signs == [
        (text[at], (covers(one, at), covers(two, at)))
        for at in range(start, min(end, len(text)))
        if not covers(hidden, at)
    ]
    assert all(piece.text for piece in found)


def test_an_example() -> None:
    assert segments("a storm came", [(2, 7)], [(2, 12)]) == [
        Segment("a ", (False, False)),
        Segment("storm", (True, True)),
        Segment(" came", (False, True)),
    ]
