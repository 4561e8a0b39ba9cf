"""Agreement with people over topics: which systems count, what is missing, intervals, and the words."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats
from tests.approving import Approved

from adjudge.analyses.preferences.measures import agreements
from adjudge.analyses.scores import Scores
from adjudge.core.errors import DataError, UsageError
from adjudge.data.scores import MeasureInfo, Score, ScoreTable

NAN = math.nan
SYSTEMS = ("a", "b", "c", "h")
KINDS = {"a": "machine", "b": "machine", "c": "baseline", "h": "human"}


def data_of(
    values: dict[str, dict[str, tuple[float, ...]]],
    better: dict[str, str | None] | None = None,
    length: int | None = None,
) -> Scores:
    rows = [
        Score(
            measure,
            topic,
            system,
            value,
            length if measure != "expert:all" else None,
            why="lost" if math.isnan(value) else None,
        )
        for measure, topics in values.items()
        for topic, row in topics.items()
        for system, value in zip(SYSTEMS, row, strict=False)
    ]
    infos = [MeasureInfo(m, (better or {}).get(m, "higher")) for m in values]  # type: ignore[arg-type]
    return Scores("test", ScoreTable.from_rows(rows, infos), KINDS)


HUMAN: dict[str, tuple[float, ...]] = {"t1": (1.0, 2.0, 3.0, 0.0), "t2": (3.0, 2.0, 2.0, 9.0)}
EASY = data_of(
    {
        "human": HUMAN,
        "good": {"t1": (0.1, 0.2, 0.3, 0.9), "t2": (0.3, 0.2, 0.1, 0.0)},
        "loss": {"t1": (0.3, 0.2, 0.1, 0.0), "t2": (0.1, 0.1, 0.3, 0.0)},
    },
    {"loss": "lower"},
)


def test_machines_and_baselines_count_humans_do_not() -> None:
    good, loss = agreements(EASY, "human", ["good", "loss"])
    assert [t.share for t in good.topics] == [1, 1]
    assert [t.pairs for t in good.topics] == [3, 2]  # b and c tie on t2, in people's eyes
    assert [t.share for t in loss.topics] == [1, 0.5]  # of a>b a tie, of a>c right
    assert (good.mean, good.n, good.pairs) == (1, 2, 5)
    assert loss.mean == 0.75


def test_everybody_counts_where_asked() -> None:
    good = agreements(EASY, "human", ["good"], systems="all")[0]
    assert [(t.agreed, t.pairs) for t in good.topics] == [(3, 6), (2, 5)]
    assert good.mean == pytest.approx((3 / 6 + 2 / 5) / 2)


def test_half_credit() -> None:
    loss = agreements(EASY, "human", ["loss"], half=True)[0]
    assert [t.share for t in loss.topics] == [1, 0.75]
    assert "ties:half" in loss.signature


def test_people_whose_numbers_are_errors() -> None:
    data = data_of(
        {"errors": HUMAN, "good": {t: tuple(-v for v in row) for t, row in HUMAN.items()}},
        {"errors": "lower"},
    )
    assert agreements(data, "errors", ["good"])[0].mean == 1


def test_the_interval_is_students_over_topics() -> None:
    random = np.random.default_rng(3)
    topics = [f"t{k}" for k in range(30)]
    human = {t: tuple(random.normal(size=3)) for t in topics}
    scores = {t: tuple(np.array(human[t]) + random.normal(size=3)) for t in topics}
    other = {t: tuple(random.normal(size=3)) for t in topics}
    found = agreements(data_of({"human": human, "m": scores, "o": other}), "human", level=0.9)
    shares = np.array([[t.share for t in each.topics] for each in found]).T
    for each, column in zip(found, shares.T, strict=True):
        low, high = stats.t.interval(0.9, 29, column.mean(), stats.sem(column))
        assert each.low == pytest.approx(low)
        assert each.high == pytest.approx(high)
    assert found[0].low < found[0].mean < found[0].high
    assert found[0].mean > found[1].mean  # a check that can fail: noise agrees less
    alone = agreements(data_of({"human": human, "m": scores}), "human", level=0.9)[0]
    assert (alone.low, alone.high) == (found[0].low, found[0].high)


def test_what_is_missing_is_counted(approved: Approved) -> None:
    data = data_of({"human": HUMAN | {"t3": (1.0, 2.0, NAN)}, "m": {"t1": (1.0, NAN, 3.0), "t3": (1.0, 2.0)}})
    found = agreements(data, "human", ["m"])[0]
    assert [(t.topic, t.pairs, t.missing, bool(t.why)) for t in found.topics] == [
        ("t1", 1, 2, False),
        ("t2", 0, 3, True),
        ("t3", 1, 2, False),
    ]
    assert (found.n, found.missing) == (2, 7)
    approved(found.warnings())


def test_all_ties_say_why(approved: Approved) -> None:
    data = data_of({"human": {"t1": (1.0, 1.0, 1.0)}, "m": {"t1": (1.0, 2.0, 3.0)}})
    found = agreements(data, "human", ["m"])[0]
    assert math.isnan(found.mean)
    approved(found.headline())
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["agreement"] is None


def test_one_topic_has_no_interval(approved: Approved) -> None:
    data = data_of({"human": {"t1": (1.0, 2.0)}, "m": {"t1": (1.0, 2.0)}})
    found = agreements(data, "human", ["m"])[0]
    assert found.mean == 1
    assert math.isnan(found.low)
    approved(found.headline())


def test_shares_that_hardly_vary_have_no_interval() -> None:
    """As in `compare`: fewer than five topics differ from the commonest number."""
    for off, known in ((4, False), (5, True)):
        human: dict[str, tuple[float, ...]] = {f"t{k}": (1.0, 2.0, 3.0) for k in range(12)}
        scores: dict[str, tuple[float, ...]] = {
            f"t{k}": (1.0, 2.0, 3.0) if k >= off else (2.0, 1.0, 3.0) for k in range(12)
        }
        found = agreements(data_of({"human": human, "m": scores}), "human", ["m"])[0]
        assert math.isfinite(found.low) == known


def test_lengths() -> None:
    many = [
        Score("human", "t1", s, v, n)
        for n, order in ((50, (1, 2)), (100, (2, 1)))
        for s, v in zip("ab", order, strict=True)
    ]
    same = [Score("m", r.topic, r.system, r.value if r.length == 50 else 0.0, r.length) for r in many]
    data = Scores("test", ScoreTable.from_rows([*many, *same]), KINDS)
    assert agreements(data, "human", ["m"], length=50)[0].mean == 1
    assert agreements(data, "human", ["m"], length=100)[0].mean == 0
    both = agreements(data, "human", ["m"], length="all")[0]
    assert [(t.topic, t.share) for t in both.topics] == [("t1 @ 50", 1), ("t1 @ 100", 0)]
    with pytest.raises(UsageError, match="several lengths"):
        agreements(data, "human", ["m"])


def test_people_who_know_no_lengths() -> None:
    data = data_of({"expert:all": {"t1": (1.0, 2.0)}, "m": {"t1": (1.0, 2.0)}}, length=100)
    assert agreements(data, "expert:all", ["m"], length=100)[0].mean == 1


def test_out(approved: Approved) -> None:
    good = agreements(EASY, "human", ["good"])[0]
    # An interval of 1 to 1 would say too much.
    approved(good.headline())
    assert list(good.to_frame()["share"]) == [1, 1]
    assert r"t1 & 1.000 & 3 \\" in good.to_latex()
    assert good.as_dict()["tables"]["agreement"][1]["human_ties"] == 1
    assert good.signature == "agreement|good|human:human|systems:machine|ties:strict|interval:t:topics"


def test_mistakes() -> None:
    described = data_of({"human": HUMAN, "words": HUMAN}, {"words": None})
    with pytest.raises(UsageError, match="words is a description"):
        agreements(described, "human", ["words"])
    with pytest.raises(UsageError, match="people=words is a description"):
        agreements(described, "words", ["human"])
    with pytest.raises(DataError, match="nothing has been scored that could agree with human"):
        agreements(described, "human")
    with pytest.raises(UsageError, match='systems is "people"'):
        agreements(EASY, "human", ["good"], systems="people")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match='no scores of "godo"'):
        agreements(EASY, "human", ["godo"])
