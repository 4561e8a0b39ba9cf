"""What a page holds: sections, words, notes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import FrozenInstanceError, replace

import pytest

from adjudge import __version__
from adjudge.analyses.compare.pairs import Comparison
from adjudge.core.errors import UsageError
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary
from adjudge.reports.page import MOST_LINES, build_page

Make = Callable[..., Comparison]
Values = Mapping[str, Sequence[float]]
NAN = float("nan")


def test_a_page_of_one_measure(compared: Make, three: Values, news: Collection) -> None:
    page = build_page(news, [compared(three)], notes={"rouge-2": ["a note"]}, made_at="today")
    (section,) = page.sections
    assert (page.name, page.made_at, page.notes) == ("News", "today", ())
    assert (section.notes, section.notes_hint) == (("a note",), "read the note first")
    assert (page.version, page.seed) == (__version__, "0")
    assert page.overview is None
    assert (section.anchor, section.title, section.direction) == ("rouge-2", "rouge-2", "higher is better")
    assert section.headline == (
        "The good one is significantly better than every other system. 2 of 3 pairs differ significantly."
    )
    assert section.pairs is not None
    assert section.differences is not None
    assert section.differences.about == "2 of 3 pairs differ significantly."
    assert len(section.differences.lines.shown) == 2
    assert section.missing.shown == ()
    assert section.tables[0].name == "rouge-2-league.csv"


def test_a_page_is_frozen(compared: Make, three: Values, empty: Collection) -> None:
    page = build_page(empty, [compared(three)])
    with pytest.raises(FrozenInstanceError):
        page.name = "other"  # type: ignore[misc]


def test_nothing_to_compare_is_a_wrong_call(empty: Collection) -> None:
    with pytest.raises(UsageError, match="at least one comparison"):
        build_page(empty, [])


def test_notes_are_for_measures_of_the_report(compared: Make, three: Values, empty: Collection) -> None:
    with pytest.raises(UsageError, match=r'"rouge-3" is none \(nearest: "rouge-2"\)'):
        build_page(empty, [compared(three)], notes={"rouge-3": ["a note"]})


def test_withdrawn_summaries_are_named(compared: Make, three: Values, news: Collection) -> None:
    withdrawn = tuple(Summary(t, "bad", "x", 100, withdrawn="off topic") for t in ("t0", "t1"))
    page = build_page(replace(news, withdrawn=withdrawn), [compared(three)])
    assert page.notes == ("bad: 2 withdrawn summaries left out (off topic)",)
    assert page.sections[0].notes_hint == ""


def test_the_words_say_the_direction_the_test_and_the_interval(
    compared: Make, three: Values, empty: Collection
) -> None:
    (section,) = build_page(empty, [compared(three, better="lower", test="t", alpha=0.01)]).sections
    order, interval, letters = section.reading
    assert order.endswith("lower is better.")
    assert "95 % interval of the mean (Student's t)" in interval
    assert "paired t, " in letters
    assert "at .01)" in letters
    assert section.headline.startswith("Top group: bad, fair (not distinguishable).")


def test_a_description_claims_nothing(compared: Make, three: Values, empty: Collection) -> None:
    (section,) = build_page(empty, [compared(three, measure="words", better=None)]).sections
    assert section.headline == (
        "On words, a description, nothing is better or worse: means run from 0.389 (bad) to 0.635 (good)."
    )
    assert (section.pairs, section.differences, section.pairs_about) == (None, None, "")
    assert len(section.reading) == 2
    assert section.direction == "a description, no direction"


def test_one_system_is_shown_and_not_compared(compared: Make, empty: Collection) -> None:
    (section,) = build_page(empty, [compared({"a": [0.1, 0.2, 0.3]})]).sections
    assert section.headline == "One system has scores: nothing to compare."
    assert (section.pairs, section.differences) == (None, None)
    assert not section.league.grouped
    (section,) = build_page(empty, [compared({"a": [0.1, 0.3]}, better=None)]).sections
    assert section.headline == "On rouge-2, a description, a has a mean of 0.20."


def test_one_topic_has_means_and_no_more(compared: Make, empty: Collection) -> None:
    (section,) = build_page(empty, [compared({"a": [0.5], "b": [0.4]})]).sections
    assert section.headline.startswith("No difference can be found: needs two topics")
    assert section.differences is not None
    assert section.differences.about.startswith("No difference can be found: needs two topics")
    assert "no intervals" in section.reading[1]
    assert not section.notes


def test_scores_that_do_not_vary_have_no_bar_to_explain(compared: Make, empty: Collection) -> None:
    (section,) = build_page(empty, [compared({"a": [0.5] * 6, "b": [0.4] * 6})]).sections
    assert section.reading[1] == (
        "No interval of the mean for a and b: fewer than five topics differ"
        " from a score that occurs more than once."
    )


def test_what_is_missing_is_listed_and_warned_of(compared: Make, news: Collection) -> None:
    columns = {"good": [0.5, 0.6, NAN], "fair": [0.4, 0.5, 0.6], "gone": [NAN, NAN, NAN]}
    (section,) = build_page(news, [compared(columns)]).sections
    assert set(section.missing.shown) == {
        "The good one: 1 missing (no summary)",
        "gone: 3 missing (no summary)",
    }
    assert any("different topics" in note for note in section.notes)
    assert section.notes_hint == "read the note first"
    assert [row.name.system for row in section.league.rows] == ["good", "fair"]


def test_long_lists_are_folded(compared: Make, empty: Collection) -> None:
    columns = {f"s{k}": [k + t / 100 for t in range(12)] for k in range(7)}
    (section,) = build_page(empty, [compared(columns)]).sections
    assert section.differences is not None
    lines = section.differences.lines
    assert (len(lines.shown), len(lines.folded), lines.more) == (MOST_LINES, 11, "11 more")


def test_several_lengths_are_told_apart(compared: Make, three: Values, empty: Collection) -> None:
    def at(length: int) -> Comparison:
        comparison = compared(three)
        return replace(comparison, matrix=replace(comparison.matrix, length=length))

    page = build_page(empty, [at(50), at(1000)])
    assert [s.title for s in page.sections] == ["rouge-2, 50 words", "rouge-2, 1,000 words"]
    assert [s.anchor for s in page.sections] == ["rouge-2-50-words", "rouge-2-1-000-words"]
    assert page.overview is not None


def test_many_systems_are_in_the_csv(compared: Make, empty: Collection) -> None:
    columns = {f"s{k:02}": [k / 10, k / 20, k / 30] for k in range(31)}
    (section,) = build_page(empty, [compared(columns)]).sections
    assert section.pairs is None
    assert section.pairs_about.startswith("With 31 systems")


def test_importing_the_report_is_quick() -> None:
    code = (
        "import sys, adjudge.reports.page;"
        "print([m for m in ('numpy', 'pandas', 'jinja2', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
