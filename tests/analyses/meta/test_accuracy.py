"""The part of a meta-evaluation on pairwise accuracies."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved, words_of

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.accuracy import accuracy_all
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import COLUMNS, MetaRun
from adjudge.analyses.preferences.measures import agreements
from adjudge.analyses.scores import scores_of
from adjudge.stats.pairwise import mean_accuracies, soft_accuracies, tie_accuracy

OPTIONS = Meta(resamples=60)


def frame(topics: int = 12, systems: int = 5) -> pd.DataFrame:
    """People who give whole numbers, and measures that follow them, that go against them, and that know nothing."""
    draw = np.random.default_rng(2)
    rows: list[dict[str, Any]] = []
    for t in range(topics):
        for s in range(systems):
            truth = s / 2 + draw.normal()
            values = {
                "follows": truth + draw.normal(),
                "against": draw.normal() - truth,
                "random": draw.normal(),
            }
            for k, assessor in enumerate(("ann", "bob")):
                given = float(np.clip(round(truth + k / 4 + 2), 1, 5))
                rows.append(
                    {"measure": "overall", "value": given, "assessor": assessor, "topic": t, "system": s}
                )
            rows += [
                {"measure": m, "value": v, "assessor": None, "topic": t, "system": s}
                for m, v in values.items()
            ]
    found = pd.DataFrame(rows)
    found["topic"] = [f"t{t}" for t in found["topic"]]
    found["system"] = [f"s{s}" for s in found["system"]]
    return found


def cells(data: pd.DataFrame | None = None) -> Cells:
    return cells_of(scores_of(frame() if data is None else data), "overall")


def test_every_accuracy_of_every_measure() -> None:
    given = cells()
    found = accuracy_all(MetaRun(given, OPTIONS))
    assert [each.coefficient for each in found.rows if each.measure.measure == "follows"] == [
        "agreement",
        "acc-eq",
        "acc-eq-calibrated",
        "acc-eq-cross-validated",
        "soft-pairwise",
        "pairwise",
    ]
    assert {(each.coefficient, each.level) for each in found.rows} == {
        *((name, "input") for name in ("agreement", "acc-eq", "acc-eq-calibrated", "acc-eq-cross-validated")),
        *((name, "system") for name in ("soft-pairwise", "pairwise")),
    }
    people = given.humans[0].values
    rng = np.random.default_rng(0)
    for at, measure in enumerate(given.measures):
        own = {each.coefficient: each for each in found.rows if each.measure.measure == measure.measure}
        ties = tie_accuracy(people, given.automatic[at], rng=rng, resamples=0)
        assert own["acc-eq"].value == ties.uncalibrated
        assert (own["acc-eq-calibrated"].value, own["acc-eq-calibrated"].epsilon) == (
            ties.calibrated,
            ties.epsilon,
        )
        assert math.isnan(own["acc-eq-calibrated"].low)
        assert own["pairwise"].value == mean_accuracies(people, given.automatic, rng=rng)[at].value
        soft = soft_accuracies(people, given.automatic, rng=rng, swaps=4000, resamples=0)[at].value
        assert own["soft-pairwise"].value == pytest.approx(soft, abs=0.1)
        for each in own.values():
            assert math.isnan(each.low) or each.low <= each.value <= each.high


def test_agreement_is_that_of_preferences() -> None:
    """Equation 1, topic by topic, with the same interval over topics."""
    data = frame()
    found = accuracy_all(MetaRun(cells(data), OPTIONS))
    for expected in agreements(scores_of(data), "overall", ["follows", "against", "random"]):
        (own,) = (
            each for each in found.of(coefficient="agreement") if each.measure.measure == expected.measure
        )
        assert (own.value, own.low, own.high) == pytest.approx((expected.mean, expected.low, expected.high))
        assert own.low < own.value < own.high
        assert (own.n, own.pairs) == (expected.n, expected.pairs)
        shares = {
            each.topic: each.agreement.share for each in found.by_topic if each.measure == expected.measure
        }
        assert shares == {each.topic: each.share for each in expected.topics}
    assert len(found.table("agreement-by-topic").rows) == 36


def test_sentences_name_level_and_coefficient_and_follow_from_the_numbers(approved: Approved) -> None:
    found = accuracy_all(MetaRun(cells(), OPTIONS))
    assert found.headline() == next(found.sentences())
    approved(found.sentences())


def test_measures_that_are_equally_good_are_named_together(approved: Approved) -> None:
    data = frame()
    twin = data[data["measure"] == "follows"].assign(measure="follows-too")
    found = accuracy_all(MetaRun(cells(pd.concat([data, twin])), OPTIONS))
    approved(found.headline())


def test_levels_never_share_a_column_or_a_table() -> None:
    found = accuracy_all(MetaRun(cells(), OPTIONS))
    for table in found.tables():
        level = table.name.split("-")[1]
        assert f"at the {level} level" in table.title
        assert {each.name for each in table.columns} & {"agreement", "pairwise"} == {
            {"input": "agreement", "system": "pairwise"}[level]
        }


def test_pairs_that_are_close_to_people(approved: Approved) -> None:
    given = cells()
    options = Meta(resamples=60, closer_than=0.6)
    found = accuracy_all(MetaRun(given, options))
    means = np.nanmean(given.humans[0].values, axis=0)
    apart = np.abs(means[:, None] - means)[np.triu_indices(5, 1)]
    close = int(np.count_nonzero(apart < 0.6))
    assert 0 < close < 10
    rows = found.of(coefficient="pairwise-closer")
    assert {each.pairs for each in rows} == {close}
    assert {each.closer_than for each in rows} == {0.6}
    approved(found.sentences())
    none = accuracy_all(MetaRun(given, Meta(resamples=60, closer_than=1e-6)))
    rows = none.of(coefficient="pairwise-closer")
    assert all(math.isnan(each.value) and each.pairs == 0 for each in rows)
    assert rows[0].why
    approved(words_of(none, beyond=found), "none")


def test_missing_scores_are_counted(approved: Approved) -> None:
    data = frame()
    gone = (data["measure"] == "random") & (data["topic"] == "t3") & data["system"].isin(["s0", "s1"])
    found = accuracy_all(MetaRun(cells(data[~gone]), OPTIONS))
    (ties,) = (each for each in found.of(coefficient="acc-eq") if each.measure.measure == "random")
    assert (ties.missing, ties.pairs) == (7, 12 * 10 - 7)  # of 5 systems' pairs on the topic, 3 remain
    assert [note.data for note in found.notes() if note.data.get("n") == 7]
    approved(found.warnings())


def test_a_measure_without_scores_says_so(approved: Approved) -> None:
    data = frame()
    data = data[(data["measure"] != "random") | ((data["topic"] == "t1") & (data["system"] == "s1"))]
    found = accuracy_all(MetaRun(cells(data), OPTIONS))
    own = [each for each in found.of(level="input") if each.measure.measure == "random"]
    assert len({each.why for each in own}) == 1
    approved(words_of(found))


def test_a_constant_measure_has_no_agreement_to_speak_of(approved: Approved) -> None:
    """It ties everything, and orders nothing: a blank with its reason, in every accuracy."""
    data = frame()
    data.loc[data["measure"] == "random", "value"] = 1.0
    found = accuracy_all(MetaRun(cells(data), OPTIONS))
    own = {each.coefficient: each for each in found.rows if each.measure.measure == "random"}
    assert len(own) == 6
    for each in own.values():
        assert np.isnan([each.value, each.low, each.high]).all()
        assert each.why is not None
        assert "same" in each.why
    blanks = [line for line in found.warnings() if "random" in line]
    assert len(blanks) >= 3
    approved(blanks)
    assert all(
        math.isnan(each.agreement.share) and each.agreement.why
        for each in found.by_topic
        if each.measure == "random"
    )
    assert not any("random" in each for each in found.sentences())
    # People who see no difference ask for no order.
    data = frame()
    data.loc[data["measure"] == "overall", "value"] = 3.0
    blank = accuracy_all(MetaRun(cells(data), OPTIONS))
    assert all(math.isnan(each.value) and each.why and "people" in each.why for each in blank.rows)


def test_a_measure_that_ties_some_topics_is_wrong_there() -> None:
    """Equation 1 counts what the measure ties as not agreed; else it would gain by saying nothing."""
    data = frame()
    data.loc[(data["measure"] == "follows") & (data["topic"] == "t2"), "value"] = 1.0
    found = accuracy_all(MetaRun(cells(data), OPTIONS))
    (one,) = (each for each in found.by_topic if (each.measure, each.topic) == ("follows", "t2"))
    assert (one.agreement.share, one.agreement.why) == (0, None)
    (own,) = (each for each in found.of(coefficient="agreement") if each.measure.measure == "follows")
    assert own.n == 12


def test_no_interval_without_spread_and_one_rule_for_few_topics() -> None:
    data = frame()
    means = data[data["measure"] == "overall"].groupby(["topic", "system"], as_index=False)["value"].mean()
    people = means.assign(measure="same", assessor=None)
    found = accuracy_all(MetaRun(cells(pd.concat([data, people])), OPTIONS))
    same = [each for each in found.rows if each.measure.measure == "same"]
    for each in same:
        assert each.value == pytest.approx(1)
        assert np.isnan([each.low, each.high]).all()
        assert each.why_no_interval
        assert str(each.shown()) == "1.000"
    few = accuracy_all(MetaRun(cells(data[data["topic"].isin(["t0", "t1", "t2", "t3"])]), OPTIONS))
    assert all(math.isnan(each.low) for each in few.rows)
    assert {each.why_no_interval for each in few.of(coefficient="agreement")} == {"needs 5 topics, has 4"}


def test_sentences_name_all_who_share_the_lowest_and_never_order_equals(approved: Approved) -> None:
    data = frame()
    twin = data[data["measure"] == "against"].assign(measure="against-too")
    found = accuracy_all(MetaRun(cells(pd.concat([data, twin])), OPTIONS))
    both = pd.concat([data[data["measure"].isin(["overall", "against"])], twin])
    alone = data[data["measure"].isin(["overall", "against"])]
    approved(found.headline(), "lowest")
    approved(accuracy_all(MetaRun(cells(both), OPTIONS)).sentences(), "equal")
    approved(accuracy_all(MetaRun(cells(alone), OPTIONS)).headline(), "alone")


def test_agreement_topic_by_topic_is_a_frame() -> None:
    found = accuracy_all(MetaRun(cells(), OPTIONS))
    held = found.to_frame("agreement-by-topic")
    assert len(held) == 36
    assert {"measure", "human", "among", "topic", "share", "pairs", "why"} <= set(held.columns)
    own = held.groupby("measure")["share"].mean()
    for each in found.of(coefficient="agreement"):
        assert each.value == pytest.approx(own[each.measure.measure])


@pytest.mark.filterwarnings("error")
def test_very_large_scores() -> None:
    plain = accuracy_all(MetaRun(cells(), OPTIONS))
    data = frame()
    automatic = data["measure"] != "overall"
    data.loc[automatic, "value"] *= 1e300
    found = accuracy_all(MetaRun(cells(data), OPTIONS))
    for one, other in zip(plain.rows, found.rows, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), nan_ok=True
        )
    assert list(found.sentences()) == list(plain.sentences())


def test_one_topic_and_one_system_say_why(approved: Approved) -> None:
    data = frame()
    one = accuracy_all(MetaRun(cells(data[data["topic"] == "t1"]), OPTIONS))
    (crossed, *_) = one.of(coefficient="acc-eq-cross-validated")
    assert crossed.why is not None
    alone = accuracy_all(MetaRun(cells(data[data["system"] == "s1"]), OPTIONS))
    assert all(math.isnan(each.value) and each.why for each in alone.rows)
    approved(alone.sentences())


def test_sets_of_topics_are_resampled_together() -> None:
    given = replace(cells(), clusters=tuple(f"d{k % 6}" for k in range(12)))
    found = accuracy_all(MetaRun(given, OPTIONS))
    assert found.clustered
    assert "sets" in found.signature
    (own, *_) = found.of(coefficient="agreement")
    plain, *_ = accuracy_all(MetaRun(cells(), OPTIONS)).of(coefficient="agreement")
    assert own.value == plain.value
    assert (own.low, own.high) != (plain.low, plain.high)


def test_the_same_everywhere_and_as_json() -> None:
    given = cells()
    found, again = accuracy_all(MetaRun(given, OPTIONS)), accuracy_all(MetaRun(given, OPTIONS))
    assert json.dumps(found.as_dict(), allow_nan=False) == json.dumps(again.as_dict(), allow_nan=False)
    held = found.to_frame()
    assert tuple(held.columns[: len(COLUMNS)]) == COLUMNS
    assert len(held) == len(found.rows) == 18
    assert "acc-eq" in found.to_latex()
    assert accuracy_all(MetaRun(given, Meta(resamples=60, seed=1))).rows != found.rows
