"""The commands that make a report again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.reports.words import commands

Make = Callable[..., Comparison]
Values = Mapping[str, Sequence[float]]


@pytest.fixture
def compared(compared: Make) -> Make:
    """By the usual test, which nobody named."""
    return partial(compared, test=None)


def plain(found: Sequence[str]) -> list[str]:
    """Without the remark on the fewer resamples that all comparisons of these tests have."""
    return [line.replace("  # and, in Python: resamples=200", "") for line in found]


def test_comparisons_made_alike_share_a_line(compared: Make, three: Values) -> None:
    found = [compared(three), compared(three, measure="js(stem=none, smooth=1)", better="lower")]
    assert plain(commands(found)) == [
        'adjudge score . -m "rouge-2" -m "js(stem=none, smooth=1)"',
        'adjudge report . -m "rouge-2" -m "js(stem=none, smooth=1)" --seed 0',
    ]


def test_what_is_not_usual_is_said(compared: Make, three: Values) -> None:
    found = [compared(three, test="wilcoxon", seed=7), compared(three, measure="rouge-1", alpha=0.01)]
    assert commands(found)[1:] == (
        'adjudge report . -m "rouge-2" --test wilcoxon --seed 7  # and, in Python: resamples=200',
        'adjudge report . -m "rouge-1" --seed 0  # and, in Python: alpha=0.01, resamples=200',
    )


def test_imported_scores_are_not_scored_again(compared: Make, three: Values) -> None:
    assert plain(commands([compared(three, measure="expert:coherence")])) == [
        'adjudge report . -m "expert:coherence" --seed 0'
    ]


def test_one_length_is_named_and_several_are_not(compared: Make, three: Values) -> None:
    def at(length: int) -> Comparison:
        comparison = compared(three)
        return replace(comparison, matrix=replace(comparison.matrix, length=length))

    assert plain(commands([at(100)]))[1] == 'adjudge report . -m "rouge-2" --length 100 --seed 0'
    assert plain(commands([at(50), at(100)]))[1:] == ['adjudge report . -m "rouge-2" --seed 0']


def test_a_name_cannot_run_a_command(compared: Make, three: Values) -> None:
    measure = "x:$(rm -r ~)`y`\"'"
    found = plain(commands([compared(three, measure=measure)]))
    assert [shlex.split(line) for line in found] == [["adjudge", "report", ".", "-m", measure, "--seed", "0"]]
    assert "-m 'x:$(rm -r ~)`y`" in found[0]
