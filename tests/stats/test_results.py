"""The sentences of results."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace

import pytest

from adjudge.errors import UsageError
from adjudge.stats.paired import Interval, PairedTest, p_words

BETTER = PairedTest("wilcoxon", 520.0, 0.0031, 46, "exact", 0.12, wins=34, losses=11, ties=1)
WORSE = replace(BETTER, statistic=-520.0, difference=-0.12, wins=11, losses=34)
ALIKE = PairedTest("t", 0.4, 0.69, 46, "t", 0.01, wins=24, losses=20, ties=2)


def test_a_difference_names_the_better_one_first() -> None:
    expected = "(paired Wilcoxon, exact, p = .003, n = 46 topics; {} wins on 34)"
    assert BETTER.sentence("A", "B") == "A is better than B " + expected.format("A")
    assert WORSE.sentence("A", "B") == "B is better than A " + expected.format("B")


def test_lower_can_be_better() -> None:
    assert BETTER.sentence("A", "B", "lower") == (
        "B is better than A (paired Wilcoxon, exact, p = .003, n = 46 topics; B wins on 34)"
    )


def test_a_description_is_higher_not_better() -> None:
    assert WORSE.sentence("A", "B", None) == (
        "B is higher than A (paired Wilcoxon, exact, p = .003, n = 46 topics; B is higher on 34)"
    )


def test_no_difference_says_so_and_counts_both_sides() -> None:
    assert ALIKE.sentence("A", "B") == (
        "A and B are not significantly different (paired t, p = .690, n = 46 topics; A wins on 24, B on 20, tied on 2)"
    )
    assert "A wins on 20, B on 24" in ALIKE.sentence("A", "B", "lower")
    assert "tied" not in replace(ALIKE, ties=0).sentence("A", "B")


def test_alpha_decides() -> None:
    assert BETTER.sentence("A", "B", alpha=0.003).startswith("A and B are not significantly different")
    with pytest.raises(UsageError, match="alpha: expected a number between 0 and 1, got 5"):
        BETTER.sentence("A", "B", alpha=5)


def test_means_that_point_the_other_way_are_mentioned() -> None:
    odd = replace(BETTER, difference=-0.5)
    assert odd.sentence("A", "B").endswith("; A wins on 34, but B has the better mean)")
    assert odd.sentence("A", "B", "lower").endswith("; B wins on 34, but A has the better mean)")


def test_the_undefined_says_why() -> None:
    result = PairedTest.undefined("t", "needs two topics that both have, has 1", n=1, wins=1)
    assert math.isnan(result.statistic)
    assert math.isnan(result.p)
    assert result.method is None
    assert (result.n, result.wins, result.losses) == (1, 1, 0)
    assert result.sentence("A", "B") == (
        "A and B cannot be compared (paired t: needs two topics that both have, has 1)"
    )


@pytest.mark.parametrize(
    ("p", "alpha", "words"),
    [
        (0.0031, 0.05, "p = .003"),
        (0.0004, 0.05, "p < .001"),
        (1e-300, 0.05, "p < .001"),
        (0.2, 0.05, "p = .200"),
        (0.9997, 0.05, "p > .999"),
        (1.0, 0.05, "p = 1"),
        (0.05, 0.05, "p = .050"),
        (0.04998, 0.05, "p = .04998"),  # .050 would look as if it were not below .05
        (0.00099, 0.001, "p = .00099"),
        (0.0007, 0.0005, "p = .00070"),  # "< .001" would leave the side open
    ],
)
def test_p_is_short_but_never_on_the_wrong_side(p: float, alpha: float, words: str) -> None:
    assert p_words(p, alpha) == words


def test_results_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        BETTER.p = 0.5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Interval(0.1, 0.2, 0.95, "percentile", 2000).low = 0.0  # type: ignore[misc]
