from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.sentences import line_cuts

SENTENCE_A_LINE = "Merson angered Townsend\nTownsend replied\nThey made up"
WRAPPED = "Merson angered Townsend by\nwriting that he was not\ngood enough. Townsend\nreplied."


def test_only_a_wrapped_text_keeps_its_lines_together() -> None:
    assert line_cuts(SENTENCE_A_LINE) == [24, 41]
    assert line_cuts(WRAPPED) == []


def test_a_third_of_the_open_breaks_decides() -> None:
    three_open = "Ports closed on Monday\n{}\nNo ship left\nThe union met"
    assert line_cuts(three_open.format("as talks failed")) == []
    assert len(line_cuts(three_open.format("As talks failed"))) == 3


def test_breaks_after_a_stop_do_not_count() -> None:
    assert line_cuts('"we won." \nthe coach said.\nthen he left .') != []


def test_a_blank_line_cuts_a_wrapped_text() -> None:
    text = WRAPPED + "\n\n" + WRAPPED
    assert line_cuts(text) == [len(WRAPPED) + 1, len(WRAPPED) + 2]


@pytest.mark.parametrize(("width", "wrapped"), [(30, False), (60, True), (200, False)])
def test_without_capitals_the_width_decides(width: int, wrapped: bool) -> None:
    word = "abcd"
    line = " ".join([word] * (width // 5))
    assert (line_cuts("\n".join([line] * 4)) == []) is wrapped


def test_without_capitals_a_short_line_shows_that_breaks_were_meant() -> None:
    long = " ".join(["abcd"] * 12)
    assert len(line_cuts(f"{long}\nabcd\n{long}\n{long}")) == 3


@given(st.text(st.sampled_from("aB. \n\r\u2028")))
def test_cuts_are_ordered_and_stand_after_line_ends(text: str) -> None:
    cuts = line_cuts(text)
    assert cuts == sorted(set(cuts))
    assert all(0 < cut < len(text) and text[cut - 1] in "\n\r\u2028" for cut in cuts)
