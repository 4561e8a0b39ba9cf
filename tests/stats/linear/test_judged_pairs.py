"""Comparisons of systems with assessors as a sample: closed forms, REML, designs, what cannot be said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjudge.stats.linear import judged_pairs as module
from adjudge.stats.linear.judged_pairs import JudgedPairs, judged_pairs
from adjudge.stats.pairs import columns_of_pairs

Judged = tuple[Any, Any, Any, Any]


def made(
    rng: np.random.Generator,
    *,
    systems: int = 4,
    groups: int = 1,
    topics: int = 12,
    judges: int = 3,
    disagree: float = 0.4,
) -> Judged:
    """Values, topics, systems, assessors: groups of so many assessors who judge so many topics each."""
    shape = systems, groups, topics, judges
    system, group, topic, judge = (each.ravel() for each in np.indices(shape))
    values = (
        0.3 * system
        + rng.normal(0, 1.0, (groups, topics))[group, topic]
        + rng.normal(0, 0.8, (groups, judges))[group, judge]
        + rng.normal(0, 0.5, (groups, topics, judges))[group, topic, judge]
        + rng.normal(0, 0.6, (systems, groups, topics))[system, group, topic]
        + rng.normal(0, disagree, (systems, groups, judges))[system, group, judge]
        + rng.normal(0, 1.0, system.size)
    )
    return values, group * topics + topic, system, group * judges + judge


def by_rows(data: Judged, size: int, monkeypatch: pytest.MonkeyPatch) -> JudgedPairs:
    """The same by REML on the rows."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "_balanced", lambda _: None)
        return judged_pairs(*data, size=size)


@pytest.mark.parametrize(
    ("groups", "topics", "judges"), [(1, 20, 3), (1, 9, 6), (4, 5, 3), (12, 4, 1), (8, 1, 3), (5, 6, 2)]
)
def test_mean_squares_of_balanced_designs_give_what_reml_on_the_rows_gives(
    groups: int, topics: int, judges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = made(np.random.default_rng(3), systems=5, groups=groups, topics=topics, judges=judges)
    found, rows = judged_pairs(*data, size=5), by_rows(data, 5, monkeypatch)
    assert found.components.keys() == rows.components.keys()
    for name, variance in found.components.items():
        assert variance == pytest.approx(rows.components[name], rel=1e-4, abs=1e-6), name
    assert found.difference == pytest.approx(rows.difference, abs=1e-9)
    assert found.means.estimate == pytest.approx(rows.means.estimate, abs=1e-9)
    assert found.means.error == pytest.approx(rows.means.error, rel=1e-5)
    assert found.means.df == pytest.approx(rows.means.df, rel=1e-4)


def test_a_plain_crossed_design_has_the_textbook_errors() -> None:
    values, topic, system, judge = made(np.random.default_rng(5), systems=3, topics=15, judges=4)
    found = judged_pairs(values, topic, system, judge, size=3)
    cube = np.empty((3, 15, 4))
    cube[system, topic, judge] = values
    centred = cube - cube.mean(axis=0)

    def squares(means: Any, times: int, df: int) -> float:
        return float(times * np.sum(means**2)) / df

    topics = centred.mean(axis=2) - centred.mean(axis=(1, 2))[:, None]
    judges = centred.mean(axis=1) - centred.mean(axis=(1, 2))[:, None]
    rest = centred - centred.mean(axis=2, keepdims=True) - centred.mean(axis=1, keepdims=True)
    rest = rest + centred.mean(axis=(1, 2), keepdims=True)
    t, a, e = squares(topics, 4, 2 * 14), squares(judges, 15, 2 * 3), squares(rest, 1, 2 * 14 * 3)
    pooled = 2 * (t + a - e) / 60
    df = (t + a - e) ** 2 / (t**2 / 28 + a**2 / 6 + e**2 / 84)
    for k, (i, j) in enumerate(zip(*columns_of_pairs(3), strict=True)):
        d = cube[i] - cube[j]
        own_t = 4 * d.mean(axis=1).var(ddof=1)
        own_a = 15 * d.mean(axis=0).var(ddof=1)
        left = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0, keepdims=True) + d.mean()
        own = max(own_t, own_t + own_a - float(np.sum(left**2)) / (14 * 3)) / 60
        assert found.difference[k] == pytest.approx(d.mean())
        assert found.error[k] == pytest.approx(np.sqrt(max(pooled, own)))
        assert found.df[k] == pytest.approx(df, rel=1e-6)


def test_one_assessor_speaks_for_nobody_else() -> None:
    found = judged_pairs(*made(np.random.default_rng(1), judges=1), size=4)
    assert (found.design, found.judges, found.judge_df) == ("one judge", 1, 0)
    assert found.unavailable is not None
    assert "one assessor" in found.unavailable
    assert np.isnan(found.p).all()
    assert set(found.why.values()) == {found.unavailable}
    assert not np.isnan(found.difference).any()
