"""Headers, names, and the regular expressions of files: the same matches as re has, and none that stalls."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.ducview import (
    MOST_MATCHES,
    MOST_STEPS,
    NO_PATTERN,
    NO_REFERENCES,
    OUR_PATTERN,
    PATTERN_MISSES,
    PATTERN_REFUSED,
    TWO_TOPICS,
    PatternRefused,
    SummaryName,
    compose,
    lay_out,
    matches,
)

# Regular expressions

ATOM = st.sampled_from(
    ["a", "b", "-", r"\.", r"\n", r"\d", r"\w", r"\S", "[ab]", "[^a]", "[a-c-]", ".", r"[\d\n]"]
)
PIECE = st.recursive(
    ATOM,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=5,
)


def longest(pattern: str, text: str) -> list[tuple[int, int]]:
    """The plain twin: from left to right, at each place the longest stretch that is the pattern, whole."""
    compiled, found, at = re.compile(pattern), [], 0
    while at < len(text):
        end = next((e for e in range(len(text), at, -1) if compiled.fullmatch(text, at, e)), None)
        if end is not None:
            found.append((at, end))
        at = end or at + 1
    return found


@settings(max_examples=400, deadline=None)
@given(pattern=PIECE, text=st.text(alphabet="abc-.1 \n", max_size=12))
def test_matches_are_those_of_the_plain_twin(pattern: str, text: str) -> None:
    assert matches(pattern, text) == longest(pattern, text)


def test_the_expression_of_a_real_shape_of_file() -> None:
    text = "#4\n\n-----\n D0736-B.M.100.H.G\n-----\n\nfoo\n\n-----\n D0736-B.M.100.H.H\n-----\n\nbar\n"
    pattern = r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"
    assert matches(pattern, text) == [found.span() for found in re.finditer(pattern, text)]


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "[",
        "[]",
        "[a",
        "*",
        "a{",
        "a{x}",
        "a{3,1}",
        "(?=a)",
        "(?i)a",
        "^a",
        "a$",
        r"\p{L}",
        r"\b",
        r"\1",
        "[a[b]]",
        "[a&&b]",
        "[z-a]",
        "\\",
        "[^]a]",
        r"\Qa\E",
        "a**",
        "a" * 1001,
        "(a{99}){99}",
        "(){999}{999}",
    ],
)
def test_what_is_not_taken_is_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        matches(pattern, "")


def test_a_pattern_that_matches_everywhere_or_works_too_long_is_refused() -> None:
    with pytest.raises(PatternRefused, match="more than"):
        matches("a", "a" * (MOST_MATCHES + 1))
    with pytest.raises(PatternRefused, match="too long for this text"):
        matches("a{400}", "b" * (MOST_STEPS // 400))


def test_searches_that_come_to_nothing_count() -> None:
    """Each of them goes through the whole rest of the text: together they would take hours."""
    for pattern in ("(?:a*b)?", "(?:a*b)?c*", "(?:[ab]*a[ab]{60}c)?", "[ab]*a[ab]{60}c|a"):
        with pytest.raises(PatternRefused, match="too long for this text"):
            matches(pattern, "ab" * 200_000)


def test_halves_of_characters_are_characters() -> None:
    assert matches("a\ud800", "\ud83da\ud83d") == [(1, 3)]


def test_groups_may_be_as_deep_as_they_like() -> None:
    assert matches("(" * 200 + "a" + ")" * 200, "ba") == [(1, 2)]


def test_patterns_that_stall_others_come_to_an_end() -> None:
    """A matcher that backtracks needs some 2 to the 5,000 steps for each of them."""
    for pattern in ("(a+)+b", "((a*)*)*b", "(a|a)*b", "([^x]*)*[^x]*y"):
        assert matches(pattern, "a" * 5_000) == []


# Names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("D0601.M.250.A.17", SummaryName("17", "D0601", "multi", 250, "A")),
        ("D0736-B.M.100.H.G", SummaryName("G", "D0736-B", "multi", 100, "H")),
        ("d061j.S.50.b.C", SummaryName("C", "d061j", "single", 50, "b")),
        ("a.b.M.0.-.gpt-3.5", SummaryName("gpt-3.5", "a.b", "multi", None, None)),
        (" Model one ", SummaryName("Model one")),
        ("D0601.X.250.A.17", SummaryName("D0601.X.250.A.17")),
        ("D06\x0101.M.250.A.17", SummaryName("D06\x0101.M.250.A.17")),
    ],
)
def test_names(text: str, name: SummaryName) -> None:
    assert SummaryName.parse(text) == name
    if name.topic is not None:
        assert str(name) == text.strip()


def test_a_selector_that_does_not_fit_is_left_out_of_the_name() -> None:
    assert str(SummaryName("x", "t", "single", None, "two words")) == "t.S.0.-.x"


# References


def found(text: str, pattern: str | None) -> dict[str, str]:
    return {r.system: text[r.start : r.end].strip("\n") for r in lay_out(text, pattern).references}


RULED = "----\n T.M.9.X.A\n----\n\none\ntwo\n\n----\n T.M.9.X.B\n----\n\nthree\n"
TWO = {"A": "one\ntwo", "B": "three"}


@pytest.mark.parametrize(
    ("pattern", "notes"),
    [
        (r"-+\n T\.M\.9\.X\.[A-Z]\n-+\n", ()),
        (r"T\.M\.9\.X", ()),  # inside the header's line
        (None, (NO_PATTERN,)),
        ("  ", (NO_PATTERN,)),
        ("nowhere", (PATTERN_MISSES,)),
        (r"T\.M\.9\.X\.A", (PATTERN_MISSES,)),
        ("(?m)^T", (PATTERN_REFUSED,)),
    ],
)
def test_references_by_expression_or_by_headers(pattern: str | None, notes: tuple[str, ...]) -> None:
    assert found(RULED, pattern) == TWO
    layout = lay_out(RULED, pattern)
    assert layout.notes == notes
    assert layout.about == SummaryName("A", "T", "multi", 9, "X")
    assert [r.length for r in layout.references] == [9, 9]


def test_headers_without_rules_and_rules_without_names() -> None:
    assert found("T.M.9.X.A\none\n\nT.M.9.X.B\nthree", None) == {"A": "one", "B": "three"}
    assert found("===\nFirst\n===\none\n===\nSecond\n===\ntwo", None) == {"First": "one", "Second": "two"}
    # names of NIST's win over other lines between rules, and a rule that ends a header begins no other
    assert found(RULED + "\n----\nThe end\n----\n", None)["B"].startswith("three")


def test_a_pyramid_without_any_header_has_no_known_references() -> None:
    layout = lay_out("just text", None)
    assert layout.references == ()
    assert layout.about is None
    assert layout.notes == (NO_PATTERN, NO_REFERENCES)


def test_names_that_are_missing_or_stand_twice_get_a_number() -> None:
    assert list(found("-----\none\n-----\ntwo\n", r"-+\n")) == ["reference-1", "reference-2"]
    assert list(found(RULED.replace("X.B", "X.A"), None)) == ["A", "A-2"]


def test_several_topics_are_noted_and_the_most_frequent_one_taken() -> None:
    text = RULED + "\n----\n U.M.9.X.C\n----\n\nfour"
    layout = lay_out(text, None)
    assert layout.notes == (NO_PATTERN, TWO_TOPICS)
    assert layout.about is not None
    assert layout.about.topic == "T"


def test_what_is_composed_is_found_again() -> None:
    names = [
        SummaryName("A", "T", "multi", 100, "X"),
        SummaryName("b c", "T", "multi", 100, "X"),
        SummaryName("d.e", "T", "multi", None),
    ]
    text, references = compose(zip(names, ["one\n\ntwo", "three", "four "], strict=True))
    assert [text[r.start : r.end] for r in references] == ["one\n\ntwo", "three", "four "]
    for pattern in (OUR_PATTERN, None):
        assert found(text, pattern) == {"A": "one\n\ntwo", "b c": "three", "d.e": "four "}
        assert [r.length for r in lay_out(text, pattern).references] == [100, 100, None]
