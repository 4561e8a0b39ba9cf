"""Figures of preferences draw the strengths and chances of their fit."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn
from tests.approving import Approved

import adjudge
from adjudge.analyses.preferences.figures import labels

HOSTILE = "<u>' || \"x\n\u202e=2"


def duels(*names: str, rounds: int = 3) -> list[tuple[str, str]]:
    """Each beats the later ones more often than not."""
    return [
        (a, b) if k < rounds else (b, a)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for k in range(rounds + 1)
    ]


def test_strengths_with_their_intervals(approved: Approved) -> None:
    fit = adjudge.prefer(duels(HOSTILE, "b", "c", "d"))
    figure = fit.figure()
    check_drawn(figure)
    placed = [each for each in fit.standings if each.rank is not None]
    for name in ("strength", "low", "high", "rank", "wins", "losses", "ties"):
        assert figure.data[name].tolist() == [getattr(each, name) for each in placed]
    assert figure.data["text"].tolist() == [each.item for each in placed]
    approved(figure.words)


def test_open_intervals_reach_the_edge(approved: Approved) -> None:
    fit = adjudge.prefer([("a", "b"), ("a", "b"), ("a", "c"), ("b", "c"), ("c", "b")])
    figure = fit.figure("strengths")
    check_drawn(figure)
    opened = {each.item: each.open or "" for each in fit.standings}
    assert opened["a"] == "above"
    assert dict(zip(figure.data["text"], figure.data["open"], strict=True)) == opened
    assert math.isnan(figure.data["high"][0])
    approved(figure.words)


def test_parts_are_told_apart(approved: Approved) -> None:
    fit = adjudge.prefer([*duels("a", "b"), *duels("x", "y")])
    for name in ("strengths", "win-probabilities"):
        check_drawn(fit.figure(name))
    assert set(fit.figure("strengths").data["part"]) == {"part 1", "part 2"}
    approved(fit.figure("strengths").words, "strengths")
    wins = fit.figure("win-probabilities")
    approved(wins.words, "win-probabilities")
    apart = wins.data[(wins.data["item"] == "a") & (wins.data["other"] == "x")]
    assert apart["shown"].tolist() == ["–"]


def test_regularised_strengths_have_no_intervals(approved: Approved) -> None:
    fit = adjudge.prefer(duels("a", "b", "c"), regularise=0.5)
    figure = fit.figure()
    check_drawn(figure)
    assert figure.data["low"].isna().all()
    approved(figure.words)
    check_drawn(fit.figure("win-probabilities"))


def test_win_probabilities_in_the_order_of_strength(approved: Approved) -> None:
    fit = adjudge.prefer(duels(HOSTILE, "b", "c", rounds=30))
    figure = fit.figure("win-probabilities")
    check_drawn(figure)
    square = fit.win_probabilities()
    for row in figure.data.itertuples():
        expected = square.loc[row.item, row.other]
        assert row.probability == pytest.approx(expected, nan_ok=True)
        assert math.isnan(expected) == (row.item == row.other)
    assert figure.data["item"].tolist()[::3] == list(square.index)
    differ = {frozenset((each.a, each.b)) for each in fit.pairs if each.verdict == "differ"}
    assert differ
    bold = figure.data[figure.data["different"]]
    assert {frozenset(pair) for pair in zip(bold["item"], bold["other"], strict=True)} == differ
    assert len(differ) == 3
    approved(figure.words)


def test_of_many_items_the_ends_are_drawn(approved: Approved) -> None:
    names = [f"s{k}" for k in range(70)]
    given = [pair for a, b in pairwise(names) for pair in ((a, b), (a, b), (b, a))]
    fit = adjudge.prefer(given)
    figure = fit.figure()
    assert len(figure.data) == 60
    approved(figure.words)
    wins = fit.figure("win-probabilities")
    assert len(wins.data) == 400
    approved(wins.words, "win-probabilities")


def test_long_names_are_cut_and_stay_different() -> None:
    found = labels(["word " * 40, "word " * 41, "a\nb"], [1, 1, 2])
    assert found[0].endswith("…")
    assert len(set(found)) == 3
    assert found[2] == "2. a b"
