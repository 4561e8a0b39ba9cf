"""Dates of news documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.formats.duc import date_in_line, date_in_number


@pytest.mark.parametrize(
    ("number", "date"),
    [
        ("AP880911-0016", "1988-09-11"),
        ("WSJ911031-0012", "1991-10-31"),
        ("LA060490-0083", "1990-06-04"),
        ("SJMN91-06184003", "1991-07-03"),
        ("FR940104-0-00003", "1994-01-04"),
        ("APW19980602.0004", "1998-06-02"),
        ("NYT_ENG_20041007.0256", "2004-10-07"),
        ("FT923-5089", None),
        ("FBIS4-67721", None),
        ("AP881311-0016", None),
        ("SJMN91-06400003", None),
        ("SJMN91-06000003", None),
        ("document 7", None),
        ("A" * 100_000, None),
    ],
)
def test_from_number(number: str, date: str | None) -> None:
    assert date_in_number(number) == date


@pytest.mark.parametrize(
    ("line", "date"),
    [
        (" 1998-06-02 00:18 ", "1998-06-02T00:18"),
        ("1998-06-02", "1998-06-02"),
        ("1998-06-02 25:00", "1998-06-02"),
        ("06/02/1998 09:27:00", "1998-06-02T09:27"),
        ("10/31/91", "1991-10-31"),
        ("June 4, 1990, Monday, Home Edition", "1990-06-04"),
        ("Sunday,\n Sept. 11, 1988", "1988-09-11"),
        ("2 MAR 94", "1994-03-02"),
        ("Marketing 12, 1990", None),
        ("920730", "1992-07-30"),
        ("= 19911031", "1991-10-31"),
        ("February 30, 1990", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_from_line(line: str, date: str | None) -> None:
    assert date_in_line(line) == date


@given(st.text())
def test_any_text_has_a_date_or_none(text: str) -> None:
    for found in (date_in_line(text), date_in_number(text)):
        assert found is None or len(found) in (10, 16)
