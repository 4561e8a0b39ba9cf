"""Where systems tie, cost decides: only what follows is said, and who states nothing is named."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.approving import Approved

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.cost import amount, cheapest, parameters
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.data.rows import System
from adjudge.data.scores import Better, MeasureInfo, Score, ScoreTable

FAIR = [0.30, 0.32, 0.34, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48]
NEAR = [v + (0.01 if k % 2 else -0.0125) for k, v in enumerate(FAIR)]
FAR = [v - 0.2 - k / 100 for k, v in enumerate(FAIR)]


def compared(columns: Mapping[str, list[float]], better: Better = "higher") -> Comparison:
    rows = [Score("m", f"t{k}", name, v) for name, values in columns.items() for k, v in enumerate(values)]
    return compare_matrix(ScoreTable.from_rows(rows, [MeasureInfo("m", better)]).matrix("m"), Compare())


def systems(**stated: System) -> dict[str, System]:
    return stated


@pytest.fixture
def two_and_one() -> Comparison:
    """a and b may each be the best, c is worse than both."""
    found = compared({"a": FAIR, "b": NEAR, "c": FAR})
    assert found.candidates() == ["a", "b"]
    return found


def test_the_cheapest_of_those_that_do_not_differ(two_and_one: Comparison, approved: Approved) -> None:
    stated = systems(
        a=System("a", cost=12.5, currency="USD"),
        b=System("b", cost=0.8, currency="USD"),
        c=System("c", cost=0.01, currency="USD"),  # cheaper, and worse
    )
    found = cheapest(two_and_one, stated)
    assert found is not None
    assert found.systems == ("b",)
    approved(found.headline())
    assert found.as_dict()["stated"] == {"a": 12.5, "b": 0.8}
    assert list(found.to_frame()["least"]) == ["no", "yes"]


def test_who_states_nothing_is_named(two_and_one: Comparison, approved: Approved) -> None:
    three = compared(
        {"a": FAIR, "b": NEAR, "d": [v + 0.001 * (-1) ** k for k, v in enumerate(FAIR)], "c": FAR}
    )
    stated = systems(a=System("a", cost=2), b=System("b", cost=2), d=System("d"))
    found = cheapest(three, stated)
    assert found is not None
    assert set(found.systems) == {"a", "b"}
    # d might take less still, so that nothing is said of all three
    assert found.silent == ("d",)
    approved(found.headline(), "one is silent")
    stated = systems(a=System("a", cost=2), b=System("b", cost=2), d=System("d", cost=3))
    found = cheapest(three, stated)
    assert found is not None
    assert set(found.systems) == {"a", "b"}
    approved(found.headline(), "all state")


def test_humans_are_set_apart_and_never_called_the_cheapest_by_silence(
    two_and_one: Comparison, approved: Approved
) -> None:
    three = compared(
        {"a": FAIR, "b": NEAR, "ada": [v + 0.001 * (-1) ** k for k, v in enumerate(FAIR)], "c": FAR}
    )
    assert set(three.candidates() or ()) == {"a", "b", "ada"}
    stated = systems(a=System("a", cost=3), b=System("b", cost=2), ada=System("ada", kind="human"))
    found = cheapest(three, stated)
    assert found is not None
    assert (found.systems, found.humans, found.silent) == (("b",), ("ada",), ())
    approved(found.headline())
    # one machine and a human leave nothing to choose between
    two = compared({"a": FAIR, "ada": NEAR, "c": FAR})
    assert cheapest(two, systems(a=System("a", cost=3), ada=System("ada", kind="human"))) is None
    # a human who states a cost is compared, and is said to be one
    paid = systems(a=System("a", cost=3), b=System("b", cost=2), ada=System("ada", kind="human", cost=1))
    found = cheapest(three, paid)
    assert found is not None
    assert found.systems == ("ada",)
    approved(found.headline(), "a human is paid")


def test_one_that_states_a_cost_is_not_called_the_cheapest(two_and_one: Comparison) -> None:
    assert cheapest(two_and_one, systems(a=System("a", cost=1), b=System("b"))) is None
    assert cheapest(two_and_one, {}) is None


def test_several_currencies_are_not_compared(two_and_one: Comparison, approved: Approved) -> None:
    stated = systems(
        a=System("a", cost=1, currency="USD", size=7e9), b=System("b", cost=2, currency="EUR", size=1.5e8)
    )
    found = cheapest(two_and_one, stated)
    assert found is not None
    assert (found.by, found.systems) == ("size", ("b",))
    approved(found.headline())
    assert cheapest(two_and_one, stated, by="cost") is None


def test_a_single_best_and_a_description_need_no_cost() -> None:
    stated = {name: System(name, cost=k + 1, latency=0.5) for k, name in enumerate("abc")}
    alone = compared({"a": [v + 0.3 + k / 100 for k, v in enumerate(FAIR)], "b": NEAR, "c": FAR})
    assert alone.candidates() == ["a"]
    assert cheapest(alone, stated) is None
    assert cheapest(compared({"a": FAIR, "b": NEAR}, better=None), stated) is None


@pytest.mark.parametrize(
    ("value", "text"), [(7e9, "7B"), (1.25e8, "125M"), (900, "900"), (1.5e12, "1.5T"), (2048, "2.048k")]
)
def test_sizes_are_short(value: float, text: str) -> None:
    assert parameters(value) == text


def test_amounts_have_no_exponent() -> None:
    assert [amount(v) for v in (0, 0.00012, 1234567, 3)] == ["0", "0.00012", "1,235,000", "3"]
