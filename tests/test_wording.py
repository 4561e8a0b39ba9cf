"""Counts with the right plural, lists in a sentence, numbers without minus zero."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.words import as_sentence, counted, decimal, listed, natural, tex


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


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (-0.0, ".4f", "0.0000"),
        (-0.00004, ".2f", "0.00"),
        (-0.00006, ".4f", "-0.0001"),
        (-0.2, ",.0f", "0"),
        (-1234.5, "+,.1f", "-1,234.5"),
        (-0.0, ".3g", "0"),
        (-0.001, ".0%", "0%"),
    ],
)
def test_no_number_is_minus_zero(value: float, form: str, expected: str) -> None:
    assert decimal(value, form) == expected


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6))
def test_a_number_that_is_not_zero_keeps_its_sign(value: float, digits: int) -> None:
    shown = decimal(value, f".{digits}f")
    fixed = f"{value:.{digits}f}" if abs(value) < 1e12 else f"{value:.6g}"
    small = digits > 2 and float(fixed) == 0 != value
    assert float(shown) == float(f"{value:.1e}" if small else fixed)
    assert shown.startswith("-") == (float(shown) < 0)


def test_a_sentence_ends_once() -> None:
    assert as_sentence("no quotes around it?") == "no quotes around it?"
    assert as_sentence("no such file") == "no such file."


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (1e-300, ".4f", "1.0e-300"),
        (-3.2e-5, ".4f", "-3.2e-05"),
        (0.00005, ".4f", "0.0001"),
        (3.2e-5, "+.4f", "+3.2e-05"),
        (0.0, ".4f", "0.0000"),
        (0.0004, ".3f", "4.0e-04"),
        (0.004, ".2f", "0.00"),  # shares and ranks are told to two digits
    ],
)
def test_a_number_that_is_not_zero_does_not_look_like_it(value: float, form: str, expected: str) -> None:
    assert decimal(value, form) == expected


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b & 50%", r"a\_b \& 50\%"),
        ("model--v2 -- x---y", r"model-{}-v2 -{}- x-{}-{}-y"),
        ("Müller Łódź naïve Şi", r"M\"{u}ller \L{}\'{o}d\'{z} na\"{i}ve \c{S}i"),
        ("n\u0303", r"\~{n}"),  # a letter and its accent as two characters
        ("β ≥ 1 ↓ ±2 α", r"$\beta$ $\geq$ 1 $\downarrow$ $\pm$2 $\alpha$"),
        ("“so” – ‘it’ is…", r"``so'' -- `it' is\ldots{}"),
        ("tab\tand\nline\x1b[31m", "tab and line [31m"),
        ("写作", "写作"),
    ],
)
def test_text_as_latex_prints_it(text: str, latex: str) -> None:
    assert tex(text) == latex
