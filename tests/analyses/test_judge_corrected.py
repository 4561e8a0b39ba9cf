"""Systems compared with a judge's scores corrected by people's: whose scores count, what is said, the level."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from tests.approving import Approved, words_of
from tests.cli.running import called

import adjudge
from adjudge.analyses.compare import compare
from adjudge.analyses.corrected import compare_corrected, prefer_corrected
from adjudge.analyses.corrected.result import CorrectedComparison
from adjudge.analyses.corrected.words import saving, validity
from adjudge.core.errors import DataError, UsageError
from adjudge.core.phrases import Door
from adjudge.data.scores import MeasureInfo, Pool, ScoreTable
from adjudge.demo.build import build
from adjudge.judgments.tasks import Event, stable_id
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import holm
from adjudge.stats.ppi import FROM_ZERO, powered_mean
from adjudge.stats.screening import corrected_share, screen

WORTH = {"alpha": 0.5, "beta": 0.3, "gamma": 0.0, "lead": -0.7}
TOPICS, DRAWN = 80, 24


def rated(
    *, noise: float = 0.4, bias: float = 0.8, seed: int = 1, worth: dict[str, float] | None = None
) -> pd.DataFrame:
    """ann and ben rated every system on some topics drawn at random; a program on all, and it likes lead too well."""
    rng = np.random.default_rng(seed)
    drawn = set(rng.permutation(TOPICS)[:DRAWN].tolist())
    rows: list[tuple[str, str, str, float]] = []
    for topic in range(TOPICS):
        for system, mean in (worth or WORTH).items():
            truth = 3 + mean + rng.normal(0, 0.7)
            given = {who: truth + rng.normal(0, 0.3) for who in ("ann", "ben")}
            if topic in drawn:
                rows += [(f"d{topic}", system, who, value) for who, value in given.items()]
            score = truth + 0.5 + bias * (system == "lead") + rng.normal(0, noise)
            rows.append((f"d{topic}", system, "program", score))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "overall"])


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return rated()


@pytest.fixture(scope="module")
def found(frame: pd.DataFrame) -> CorrectedComparison:
    return compare_corrected(frame, judge="program")


def sides(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People's means and the judge's scores, topics x systems."""
    own = frame[frame["assessor"] == "program"]
    others = frame[frame["assessor"] != "program"]
    return (
        others.pivot_table(index="topic", columns="system", values="overall"),
        own.pivot(index="topic", columns="system", values="overall"),
    )


# The numbers


def test_every_pair_is_the_powered_mean_of_its_differences(
    frame: pd.DataFrame, found: CorrectedComparison
) -> None:
    people, judged = sides(frame)
    more = judged.drop(index=people.index)
    raw = []
    for pair in found.pairs:
        y, f, g = (
            (each[pair.a] - each[pair.b]).to_numpy() for each in (people, judged.loc[people.index], more)
        )
        plain = powered_mean(y, f, g)
        assert (pair.labelled, pair.unlabelled) == (DRAWN, TOPICS - DRAWN)
        assert pair.weight == pytest.approx(plain.weight, rel=1e-9)
        assert pair.difference == pytest.approx(plain.estimate, rel=1e-9)
        assert pair.people == pytest.approx(y.mean(), rel=1e-9)
        assert pair.effective == pytest.approx(plain.effective, rel=1e-9)
        assert pair.these_p == pytest.approx(plain.p(), rel=1e-9)
        assert pair.ratio >= plain.ratio
        raw.append(plain.p())
        assert pair.df <= DRAWN - 2
    np.testing.assert_allclose([pair.these_p_adjusted for pair in found.pairs], holm(raw), rtol=1e-9)
    assert found.differ_for_these() == int((holm(raw) <= 0.05).sum()) > 0


def test_means_of_systems_are_corrected_each_by_itself(
    frame: pd.DataFrame, found: CorrectedComparison
) -> None:
    people, judged = sides(frame)
    for s in found.standings:
        more = judged[s.system].drop(index=people.index)
        plain = powered_mean(people[s.system], judged.loc[people.index, s.system], more)
        assert (s.mean, s.low, s.high) == pytest.approx((plain.estimate, *plain.interval()), rel=1e-9)
        assert s.people == pytest.approx(people[s.system].mean())
        assert s.judge == pytest.approx(judged[s.system].mean())
    # The judge likes lead better than people do, and the correction takes that off.
    lead = found.standing("lead")
    assert lead.judge - lead.people > 1
    assert lead.mean == pytest.approx(3 + WORTH["lead"], abs=0.35)


def test_a_topic_that_everybody_judged_leaves_the_classical_result(
    frame: pd.DataFrame, approved: Approved
) -> None:
    people, _ = sides(frame)
    both = frame[frame["topic"].isin(people.index)]
    found = compare_corrected(both, judge="program")
    alone = compare(both[both["assessor"] != "program"], test="t", assessor_effects="fixed")
    for pair, known in zip(found.pairs, alone.pairs["t"], strict=True):
        assert {pair.a, pair.b} == {known.a, known.b}
        assert abs(pair.difference) == pytest.approx(abs(known.result.difference), rel=1e-9)
        assert pair.these_p_adjusted == pytest.approx(known.p_adjusted, rel=1e-9)
        assert pair.weight == 0
        assert pair.effective == pytest.approx(DRAWN)
    assert all(pair.saved == 0 for pair in found.pairs)
    approved([str(saving(found)), validity(found)])


def test_one_system_against_all_and_sides(approved: Approved) -> None:
    found = compare_corrected(rated(), judge="program", against="lead", side="better", correct="bonferroni")
    assert [pair.b for pair in found.pairs] == ["lead"] * 3
    assert found.candidates() is None
    both = compare_corrected(rated(), judge="program", against="lead", correct="none")
    for one, two in zip(found.pairs, both.pairs, strict=True):
        assert one.p == pytest.approx(two.p / 2 if two.difference > 0 else 1 - two.p / 2)
        assert one.p_adjusted == pytest.approx(min(1, 3 * one.p))
    approved(both.headline())
    with pytest.raises(UsageError, match='against "led": no such system \\(nearest: "lead"\\)'):
        compare_corrected(rated(), judge="program", against="led")


def test_where_lower_is_better_the_order_turns() -> None:
    scores = adjudge.read_scores(rated(), lower_is_better=True)
    found = compare_corrected(scores, judge="program")
    assert found.standings[0].system == "lead"
    assert found.candidates() == ["lead"]


def test_a_judge_whose_low_scores_are_good_is_turned(frame: pd.DataFrame) -> None:
    people, judged = sides(frame)
    wide = pd.DataFrame({"overall": people.stack(), "errors": -judged.stack()}).reset_index()
    plain = compare_corrected(wide.assign(errors=-wide["errors"]), "overall", judge="errors")
    turned = compare_corrected(adjudge.read_scores(wide, lower_is_better="errors"), "overall", judge="errors")
    unsaid = compare_corrected(wide, "overall", judge="errors")
    for one, two, three in zip(plain.pairs, turned.pairs, unsaid.pairs, strict=True):
        assert two.difference == pytest.approx(one.difference, rel=1e-9)
        assert one.weight == pytest.approx(two.weight)
        assert two.weight > 0.1
        assert three.weight == 0
    assert turned.standing("lead").judge == pytest.approx(-judged["lead"].mean())


# Whose scores


def test_a_judge_is_an_assessor_or_a_measure_of_its_own(
    frame: pd.DataFrame, found: CorrectedComparison
) -> None:
    people, judged = sides(frame)
    wide = pd.DataFrame({"overall": people.stack(), "program": judged.stack()}).reset_index()
    other = compare_corrected(wide, judge="program")
    assert other.measure == "overall"
    assert [s.system for s in other.standings] == [s.system for s in found.standings]
    # Another measure has another scale, so that lambda is free above 1: here none was clipped.
    for one, two in zip(found.pairs, other.pairs, strict=True):
        assert one.difference == pytest.approx(two.difference, rel=1e-9)
    hundredth = wide.assign(program=wide["program"] / 100)
    again = compare_corrected(hundredth, "overall", judge="program")
    for one, two in zip(other.pairs, again.pairs, strict=True):
        assert two.weight == pytest.approx(100 * one.weight, rel=1e-9)
        assert two.difference == pytest.approx(one.difference, rel=1e-9)


def test_the_judges_scores_are_never_among_peoples(frame: pd.DataFrame) -> None:
    mad = frame.assign(overall=frame["overall"].where(frame["assessor"] != "program", -50.0))
    found = compare_corrected(mad, judge="program")
    people, _ = sides(frame)
    for s in found.standings:
        assert s.people == pytest.approx(people[s.system].mean())
        assert s.mean == pytest.approx(s.people)  # a judge that says one thing adds nothing
    assert found.assessors == ("ann", "ben")
    assert all(pair.weight == 0 for pair in found.pairs)


def test_names_that_mean_nobody_are_answered(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match='no scores by "progam".*nearest: "program"'):
        compare_corrected(frame, judge="progam")
    with pytest.raises(DataError, match="program alone gave scores"):
        compare_corrected(frame[frame["assessor"] == "program"], judge="program")
    people, judged = sides(frame)
    wide = pd.DataFrame({"overall": people.stack(), "program": judged.stack()}).reset_index()
    with pytest.raises(UsageError, match="cannot be corrected by itself"):
        compare_corrected(wide, "program", judge="program")
    with pytest.raises(UsageError, match="several measures .*choose the one that people gave"):
        compare_corrected(wide.assign(rouge=1.0), judge="program")
    with pytest.raises(UsageError, match="expected one of: none, bonferroni, holm, bh"):
        compare_corrected(frame, judge="program", correct="westfall-young")


def test_nothing_in_common_is_said(frame: pd.DataFrame, approved: Approved) -> None:
    people, _ = sides(frame)
    apart = frame[(frame["assessor"] != "program") | ~frame["topic"].isin(people.index)]
    with pytest.raises(DataError, match="judged none of the summaries that people judged"):
        compare_corrected(apart, judge="program")
    few = frame[(frame["assessor"] == "program") | frame["topic"].isin(people.index[:3])]
    found = compare_corrected(few, judge="program")
    assert {pair.why for pair in found.pairs} == {"needs 4 labelled topics, has 3"}
    approved(words_of(found))
    assert {pair.conclusion for pair in found.pairs} == {"not tested"}


def test_what_one_side_did_not_judge_is_counted(frame: pd.DataFrame, approved: Approved) -> None:
    people, _ = sides(frame)
    gone = people.index[0]
    by_program = frame["assessor"] == "program"
    left = by_program & (frame["topic"] == gone)
    left |= ~by_program & (frame["system"] == "beta") & (frame["topic"] == people.index[1])
    left |= ~by_program & (frame["system"] == "gamma")
    left |= by_program & (frame["system"] == "alpha") & (frame["topic"] == people.index[2])
    found = compare_corrected(frame[~left], judge="program")
    # Pairs have different numbers of topics, and the sentences say so.
    approved(words_of(found))
    assert {pair.unlabelled for pair in found.pairs} == {56, 57}
    assert found.pair("alpha", "beta").labelled == DRAWN - 3
    assert found.pair("alpha", "lead").labelled == DRAWN - 2
    assert found.pair("beta", "lead").labelled == DRAWN - 2


# What is said


def test_the_saving_is_said_with_its_numbers(found: CorrectedComparison, approved: Approved) -> None:
    effective = [pair.effective for pair in found.pairs]
    middle = math.floor(np.median(effective))
    assert middle > DRAWN
    assert max(0, *(math.floor(pair.saved) for pair in found.pairs)) > 0
    approved(words_of(found))


def test_no_saving_is_said_too(approved: Approved) -> None:
    noise = rated(noise=30.0, seed=4)
    found = compare_corrected(noise, judge="program")
    approved(str(saving(found)))
    assert max(pair.saved for pair in found.pairs) < 5


def test_topics_that_were_plainly_chosen_are_refused_unless_vouched_for(approved: Approved) -> None:
    frame = rated()
    own = frame["assessor"] == "program"
    level = frame[own].groupby("topic")["overall"].mean().sort_values()
    turned = dict(zip(level.index, level.index, strict=True))
    people, _ = sides(frame)
    # The topics that people judged become those which the judge finds worst.
    worst, drawn = list(level.index[:DRAWN]), list(people.index)
    for one, two in zip(
        [t for t in worst if t not in drawn], [t for t in drawn if t not in worst], strict=True
    ):
        turned[one], turned[two] = two, one
    chosen = frame.assign(
        topic=frame["topic"].where(own, frame["topic"].map({v: k for k, v in turned.items()}))
    )
    with pytest.raises(DataError, match=r"hardly drawn at random.*p = 0\.0001\); if .*say at_random"):
        compare_corrected(chosen, judge="program")
    found = compare_corrected(chosen, judge="program", at_random=True)
    assert found.random_p <= 0.001
    assert found.notes_of("hardly-random")
    approved(words_of(found))


def test_ratings_at_a_ceiling_are_warned_of(frame: pd.DataFrame, found: CorrectedComparison) -> None:
    assert not found.notes_of("skewed")
    ceiling = frame.assign(overall=-np.exp(3 * (3 - frame["overall"]).clip(lower=-1)))
    skewed = compare_corrected(ceiling, judge="program")
    assert max(abs(pair.skewness) for pair in skewed.pairs) >= 2
    assert skewed.notes_of("skewed")


def test_rare_large_differences_are_seen_in_the_judges_scores(approved: Approved) -> None:
    rng = np.random.default_rng(3)
    rare = np.where(rng.random(100) < 0.15, 3.0, 0.0)
    labelled = np.flatnonzero(rare == 0)[:10]  # a draw without any of them
    people = np.column_stack([3 + rare, np.full(100, 3.0)]) + rng.normal(0, 0.2, (100, 2))
    given = np.full((100, 2), np.nan)
    given[labelled] = people[labelled]
    frame = wide(given, people + rng.normal(0, 0.3, (100, 2)))
    [pair] = compare_corrected(frame, "people", judge="program", at_random=True).pairs
    assert abs(pair.skewness) < 1.5  # people's differences do not show it
    assert pair.high < 0.45  # and the interval misses the truth
    assert pair.skewed
    approved(compare_corrected(frame, "people", judge="program", at_random=True).notes_of("skewed"))


def wide(people: FloatArray, judge: FloatArray) -> pd.DataFrame:
    """Topics x systems of both sides, as a table with a measure each."""
    names = list("abcdefgh")[: people.shape[1]]
    index = pd.MultiIndex.from_product([range(len(people)), names], names=["topic", "system"])
    return pd.DataFrame({"people": people.ravel(), "program": judge.ravel()}, index=index).reset_index()


# For whom


def tasted(
    *, taste: float, assessors: int = 4, systems: int = 4, seed: int = 1, severity: Sequence[float] = ()
) -> pd.DataFrame:
    """Equal systems that assessors like differently; 25 of 60 topics judged by all, the judge judged every one."""
    rng = np.random.default_rng(seed)
    likes = taste * rng.normal(size=(systems, assessors)) + np.array([*severity] or [0.0] * assessors)
    rows = []
    for topic in range(60):
        worth = 3 + rng.normal(0, 0.5, systems)
        for system in range(systems):
            if topic < 25:
                given = worth[system] + likes[system] + rng.normal(0, 1, assessors)
                rows += [(f"d{topic}", f"s{system}", f"a{who}", value) for who, value in enumerate(given)]
            rows.append((f"d{topic}", f"s{system}", "program", worth[system] + rng.normal(0, 0.5)))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "overall"])


def test_tastes_widen_every_difference_and_leave_the_estimate(approved: Approved) -> None:
    frame = tasted(taste=1.0)
    liked = compare_corrected(frame, judge="program", at_random=True)
    assert liked.sampled
    assert liked.assessor_df == 9
    assert liked.assessor_variance == pytest.approx(2, rel=0.8)
    assert liked.count("differ") < liked.differ_for_these()
    by_people = frame[frame["assessor"] != "program"]
    people = by_people.pivot_table(index="topic", columns=["system", "assessor"], values="overall")
    judged = frame[frame["assessor"] == "program"].pivot(index="topic", columns="system", values="overall")
    for pair in liked.pairs:
        y = (people[pair.a] - people[pair.b]).mean(axis=1)
        f = (judged[pair.a] - judged[pair.b])[y.index]
        g = (judged[pair.a] - judged[pair.b]).drop(index=y.index)
        these = powered_mean(y, f, g, clip=FROM_ZERO)
        assert pair.difference == pytest.approx(these.estimate)
        assert pair.these_p == pytest.approx(these.p())
        assert pair.p > pair.these_p
        assert pair.p_adjusted >= pair.these_p_adjusted
        assert pair.effective == pytest.approx(these.effective)
        assert pair.assessor_share > 0.3
        least = liked.assessor_variance / 4  # what all pairs show, over four assessors
        assert pair.assessor_share >= least / (least + these.variance) * (1 - 1e-9)
    approved(words_of(liked))
    facts = liked.as_dict()
    assert (facts["effects"], facts["assessor_df"]) == ("random", 9)
    assert "p for these four alone" in liked.table("pairs").to_text()


def test_more_topics_do_not_reduce_what_assessors_add() -> None:
    few, many = (
        compare_corrected(frame, judge="program", at_random=True)
        for frame in (tasted(taste=1.0), pd.concat([tasted(taste=1.0), _copied(tasted(taste=1.0))]))
    )
    assert min(pair.assessor_share for pair in many.pairs) > max(
        0.5, min(p.assessor_share for p in few.pairs)
    )


def _copied(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(topic="again-" + frame["topic"])


def test_why_only_these_assessors_are_spoken_of(approved: Approved) -> None:
    frame = tasted(taste=0.3)
    person = frame["assessor"] != "program"
    number = frame["topic"].str[1:].astype(int) + frame["system"].str[1:].astype(int)
    first = frame["assessor"].isin(["a0", "a1"])
    cases = {
        "one": frame[~person | (frame["assessor"] == "a0")],
        "no name": frame.assign(assessor=frame["assessor"].where(frame["assessor"] != "a0", None)),
        "apart": frame[~person | (frame["assessor"].str[1:] == (number % 4).astype(str))],
        "too few": frame[(~person | first) & frame["system"].isin(["s0", "s1"])],
        "median": frame,
    }
    for name, table in cases.items():
        pool: Pool = "median" if name == "median" else "mean"
        alone = compare_corrected(table, judge="program", at_random=True, pool=pool)
        assert not alone.sampled
        assert all(pair.p == pair.these_p for pair in alone.pairs)
        approved([alone.headline(), *alone.notes_of("these-assessors-only")], name)


def test_severity_does_not_pass_for_a_difference(approved: Approved) -> None:
    # a0 is strict and judged s0 mostly; the lenient ones the others.
    frame = tasted(taste=0.0, severity=(-2.0, 1.0, 1.0, 1.0))
    strict, first = frame["assessor"] == "a0", frame["system"] == "s0"
    even = frame["topic"].str[1:].astype(int) % 5 == 0
    fifth = frame[(frame["assessor"] == "program") | ((strict == first) ^ even)]
    found = compare_corrected(fifth, judge="program", at_random=True)
    assert found.count("differ") == 0
    assert max(abs(pair.people) for pair in found.pairs) < 0.8
    means = fifth[fifth["assessor"] != "program"].groupby("system")["overall"].mean()
    assert means["s1"] - means["s0"] > 1
    approved(found.notes_of("severity-adjusted"))


def test_systems_that_no_assessor_compares_are_not_tested(approved: Approved) -> None:
    frame = tasted(taste=0.0, severity=(-2.0, 1.0, 1.0, 1.0))
    strict, first = frame["assessor"] == "a0", frame["system"] == "s0"
    apart = frame[(frame["assessor"] == "program") | (strict == first)]
    found = compare_corrected(apart, judge="program", at_random=True)
    assert {frozenset((p.a, p.b)) for p in found.pairs if p.conclusion == "not tested"} == {
        frozenset(("s0", other)) for other in ("s1", "s2", "s3")
    }
    approved(found.notes_of("not-tested"))
    yes_no = apart.assign(overall=(apart["overall"] > 3).astype(float))
    found = compare_corrected(yes_no, judge="program", at_random=True)
    assert all(math.isnan(p.p) for p in found.pairs if "s0" in (p.a, p.b))


# The scale


@pytest.mark.parametrize(("scale", "word"), [(1e160, "large"), (1e-200, "small")])
def test_scores_whose_squares_do_not_fit_are_refused(frame: pd.DataFrame, scale: float, word: str) -> None:
    value = frame["overall"] * scale
    table = frame.drop(columns="overall").assign(measure="overall", value=value)
    with pytest.raises(
        DataError, match=f"people's scores are too {word} to be squared, up to .*change their unit"
    ):
        compare_corrected(table, "overall", judge="program")


def test_a_judge_on_a_scale_that_nobody_declared_saves_what_it_would_on_peoples(frame: pd.DataFrame) -> None:
    own = frame["assessor"] == "program"
    small = frame.assign(overall=frame["overall"].where(~own, frame["overall"] / 20))
    one, two = (compare_corrected(each, judge="program") for each in (frame, small))
    for a, b in zip(one.pairs, two.pairs, strict=True):
        assert b.weight == pytest.approx(20 * a.weight, rel=1e-9)
        assert (b.difference, b.low, b.high) == pytest.approx((a.difference, a.low, a.high), rel=1e-9)
    assert str(saving(two)) == str(saving(one))
    assert max(pair.saved for pair in two.pairs) > 0


def test_on_a_declared_scale_lambda_at_its_limit_is_said(frame: pd.DataFrame, approved: Approved) -> None:
    own = frame["assessor"] == "program"
    timid = frame.assign(overall=frame["overall"].where(~own, 3 + frame["overall"] / 20))
    rows = timid.assign(measure="overall", value=timid["overall"])
    for ends, limited in (((0.0, 10.0), True), ((0.0, None), False), ((None, None), False)):
        table = ScoreTable.from_frame(rows, [MeasureInfo("overall", better="higher", range=ends)])
        found = compare_corrected(table, judge="program")
        assert bool(found.notes_of("lambda-at-limit")) == limited
        if limited:
            approved(found.notes_of("lambda-at-limit"))
        assert all((pair.weight == 1) == limited for pair in found.pairs)


# What is saved


def shared_on(frame: pd.DataFrame, shared: int) -> pd.DataFrame:
    """The judge judged only so many of people's topics, and all the others."""
    people, _ = sides(frame)
    alone = people.index[shared:]
    return frame[(frame["assessor"] != "program") | ~frame["topic"].isin(alone)]


def test_topics_that_people_judged_without_the_judge_count_against_a_saving(
    frame: pd.DataFrame, approved: Approved
) -> None:
    found = compare_corrected(shared_on(frame, 6), judge="program", at_random=True)
    assert found.judgments == 6 * 4 * 2
    assert {(pair.labelled, pair.all_labelled) for pair in found.pairs} == {(6, DRAWN)}
    doors: tuple[Door, Door] = ("python", "command")
    for door in doors:
        approved(list(found.sentences(door)), door)
    assert [pair.saved for pair in found.pairs] == [max(0, pair.effective - DRAWN) for pair in found.pairs]
    people, _ = sides(frame)
    for pair in found.pairs:
        d = people[pair.a] - people[pair.b]
        ends = ttest_1samp(d, 0).confidence_interval(found.interval_level)
        assert (pair.all_people, pair.all_people_low, pair.all_people_high) == pytest.approx(
            (d.mean(), ends.low, ends.high)
        )
    assert "people alone, all their topics" in found.table("pairs").to_text()
    assert f"; {DRAWN} topics)" in found.table("pairs").to_text()


def test_a_saving_beyond_all_that_people_judged_counts_judgments_in_use(
    frame: pd.DataFrame, approved: Approved
) -> None:
    exact = frame.pivot_table(index=["topic", "system"], columns="assessor", values="overall")
    judge = exact["program"]  # which people nearly agree with
    rng = np.random.default_rng(4)
    near = {who: judge + rng.normal(0, 0.05, len(judge)) for who in ("ann", "ben")}
    rows = frame.set_index(["topic", "system"])
    for who, values in near.items():
        rows.loc[rows["assessor"] == who, "overall"] = values.reindex(
            rows.index[rows["assessor"] == who]
        ).to_numpy()
    table = shared_on(rows.reset_index(), DRAWN - 4)
    # A system that the judge did not judge is not in use.
    extra = [(topic, "unseen", "ann", 3.0) for topic in table["topic"].unique()]
    table = pd.concat([table, pd.DataFrame(extra, columns=table.columns)])
    found = compare_corrected(table, judge="program")
    assert found.judgments == (DRAWN - 4) * 8
    spared = math.floor(np.median([pair.effective for pair in found.pairs]) - DRAWN + 1e-9)
    assert spared > 0
    approved(str(saving(found)))


def test_a_constant_judge_is_worth_what_people_judged(approved: Approved) -> None:
    rng = np.random.default_rng(9)
    people = np.full((40, 4), np.nan)
    people[:12] = rng.normal(3, 1, (12, 4))
    found = compare_corrected(wide(people, np.full((40, 4), 3.0)), "people", judge="program")
    assert [pair.effective for pair in found.pairs] == pytest.approx([12] * 6)
    approved(str(saving(found)))


def test_people_who_judged_some_systems_of_every_topic_leave_something_to_the_judge(
    approved: Approved,
) -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(3, 1, (60, 3))
    people = truth + rng.normal(0, 0.2, truth.shape)
    people[np.arange(60), np.arange(60) % 3] = np.nan  # two of three systems on every topic
    found = compare_corrected(
        wide(people, truth + rng.normal(0, 0.2, truth.shape)), "people", judge="program"
    )
    assert found.unlabelled == 0
    assert {pair.unlabelled for pair in found.pairs} == {40}
    spared = math.floor(np.median([pair.effective for pair in found.pairs]) - 20 + 1e-9)
    # 120 judgments gave every pair 20 topics.
    assert spared > 0
    approved([str(saving(found)), validity(found)])


# Few different values


def test_ties_of_few_topics_are_compared_and_noted() -> None:
    rng = np.random.default_rng(1)
    judged = rng.normal(0, 1, (30, 2))
    people = np.full((30, 2), np.nan)
    people[:4] = [[3, 3], [3.5, 3], [3, 3], [4.5, 3]]
    found = compare_corrected(wide(people, judged), "people", judge="program", at_random=True)
    [pair] = found.pairs
    assert (pair.why, pair.labelled) == (None, 4)
    assert not found.notes_of("most-differences-the-same")
    people[4:10] = [[3, 3]] * 5 + [[2.5, 3]]
    found = compare_corrected(wide(people, judged), "people", judge="program", at_random=True)
    [pair] = found.pairs
    assert pair.few_values
    assert found.notes_of("most-differences-the-same")


def test_a_pair_that_hardly_varies_has_a_difference_without_an_interval() -> None:
    people = np.full((40, 2), np.nan)
    people[:20] = [[4.0, 3.0]] * 18 + [[3.5, 3.0], [4.5, 3.0]]
    judged = np.random.default_rng(1).normal(0, 1, (40, 2))
    found = compare_corrected(wide(people, judged), "people", judge="program", at_random=True)
    [pair] = found.pairs
    assert pair.conclusion == "not tested"
    assert pair.why is not None
    assert math.isnan(pair.low)
    assert abs(pair.difference) == pytest.approx(1, abs=0.1)
    assert found.standing("b").mean == pytest.approx(3.0)
    assert math.isnan(found.standing("b").low)


def test_an_interval_that_a_step_down_test_cuts_at_zero_does_not_hold_it() -> None:
    cut = 0
    for seed in range(40):
        found = compare_corrected(rated(seed=seed), judge="program", at_random=True)
        for pair in found.pairs:
            shown = pair.ends()
            if pair.conclusion == "differ" and 0.0 in (pair.low, pair.high):
                cut += 1
                assert shown.startswith("above 0 to ") or shown.endswith(" to below 0")
                assert f"({shown})" in found.table("pairs").to_text()
            else:
                assert "above" not in shown
        if cut:
            return
    pytest.fail("no league had such an interval")


@pytest.mark.parametrize(("systems", "level"), [(2, "0.95"), (3, "0.9833"), (4, "0.9917"), (8, "0.9982")])
def test_the_level_of_intervals_is_said_with_enough_digits(systems: int, level: str) -> None:
    rng = np.random.default_rng(1)
    people = rng.normal(0, 1, (30, systems))
    people[10:] = np.nan
    found = compare_corrected(
        wide(people, rng.normal(0, 1, (30, systems))), "people", judge="program", at_random=True
    )
    assert f"intervals at {level} each" in found.table("pairs").title


def test_a_result_shows_itself(found: CorrectedComparison) -> None:
    records = json.loads(json.dumps(found.as_dict()))
    assert records["judge"] == "program"
    assert len(records["tables"]["pairs"]) == 6
    assert records["tables"]["pairs"][0]["saved"] == pytest.approx(found.pairs[0].saved)
    assert list(found.to_frame()["system"]) == [s.system for s in found.standings]
    pairs = found.to_frame("pairs")
    assert list(pairs["weight"]) == [pair.weight for pair in found.pairs]
    assert {"measure", "judge", "people", "difference", "ratio", "effective", "conclusion"} <= {
        *pairs.columns
    }
    assert found.headline() in repr(found)
    assert "corrected mean" in found.to_latex()
    assert "judge:program" in found.signature
    for pair in found.pairs:
        assert f"{pair.weight:.2f}" in found.table("pairs").to_text()
        # An interval agrees with the test.
        assert (pair.low >= 0 or pair.high <= 0) == (pair.conclusion == "differ")


def test_the_same_seed_gives_the_same_result(frame: pd.DataFrame, found: CorrectedComparison) -> None:
    shuffled = frame.sample(frac=1, random_state=3)
    again = compare_corrected(shuffled, judge="program")
    assert [asdict_rounded(pair) for pair in again.pairs] == [asdict_rounded(pair) for pair in found.pairs]


def asdict_rounded(pair: Any) -> dict[str, Any]:
    return {k: round(v, 9) if isinstance(v, float) else v for k, v in vars(pair).items()}


# A folder


def test_a_program_that_judged_in_a_folder(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    e = adjudge.open(tmp_path / "demo")
    e.simulate_judgments("rating", assessors=2, seed=1)
    protocol, rng = e.protocol("rating"), np.random.default_rng(2)
    with e.store() as store:
        first = [task for task in store.tasks(protocol="rating") if task.assessor == "simulated-1"]
        tasks = [replace(t, id=stable_id("test", t.id), assessor="program") for t in first]
        store.add_tasks(tasks)
        store.append(
            [
                Event(
                    id=stable_id("test", task.id, question.id),
                    evaluation=task.evaluation,
                    task=task.id,
                    assessor="program",
                    question=question.id,
                    answer={"value": int(rng.integers(1, 6))},
                    origin="language-model",
                )
                for task in tasks
                for question in protocol.questions
            ]
        )
    measure = "rating(aspect=coherence)"
    e.score(measure)
    with pytest.raises(DataError, match=r"by=program\) has not been scored here"):
        compare_corrected(e, measure, judge="program")
    e.score("rating(aspect=coherence, by=program)")
    found = compare_corrected(tmp_path / "demo", measure, judge="program")
    assert found.assessors == ("simulated-1", "simulated-2")
    assert found.measure == measure
    assert found.unlabelled == 0
    with pytest.raises(UsageError, match="is of the judge program"):
        compare_corrected(e, "rating(aspect=coherence, by=program)", judge="program")


# Yes or no


def yes_or_no(share: dict[str, float], *, right: float, cleared: float, seed: int) -> pd.DataFrame:
    """People and a program answer yes or no; nobody but the program judged `new`."""
    rng = np.random.default_rng(seed)
    drawn = set(rng.permutation(100)[:40].tolist())
    rows: list[tuple[str, str, str, float]] = []
    for topic in range(100):
        for system, yes in share.items():
            truth = rng.random() < yes
            if topic in drawn and system != "new":
                rows.append((f"d{topic}", system, "ann", float(truth)))
            said = rng.random() < (right if truth else 1 - cleared)
            rows.append((f"d{topic}", system, "program", float(said)))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "faithful"])


def test_a_system_without_labels_has_rogan_and_gladens_share(approved: Approved) -> None:
    frame = yes_or_no({"a": 0.7, "b": 0.4, "new": 0.5}, right=0.9, cleared=0.8, seed=3)
    found = compare_corrected(frame, judge="program")
    assert {s.system: s.method for s in found.standings} == {
        "a": "ppi++",
        "b": "ppi++",
        "new": "rogan-gladen",
    }
    both = frame.pivot_table(index=["topic", "system"], columns="assessor", values="faithful").dropna()
    judge = screen(both["ann"], both["program"])
    said = frame[(frame["system"] == "new")]["faithful"]
    share, new = corrected_share(said.sum(), 100, judge), found.standing("new")
    assert (new.mean, new.low, new.high) == pytest.approx((share.estimate, share.low, share.high))
    assert (new.labelled, new.judged) == (0, 100)
    assert math.isnan(new.people)
    approved(words_of(found))
    assert found.pair("a", "new").conclusion == "not tested"
    assert found.pair("a", "b").conclusion == "differ"
    assert found.as_dict()["screening"]["sensitivity"] == pytest.approx(judge.sensitivity)


def test_a_judge_at_random_says_nothing_of_a_system_without_labels(approved: Approved) -> None:
    frame = yes_or_no({"a": 0.7, "b": 0.4, "new": 0.5}, right=0.4, cleared=0.5, seed=3)
    found = compare_corrected(frame, judge="program")
    new = found.standing("new")
    assert (new.rank, new.method) == (None, "none")
    assert new.why is not None
    approved(words_of(found))


def test_systems_with_labels_are_corrected_by_these_and_not_by_sensitivity(approved: Approved) -> None:
    # One system with all its labels yes, one with some no, one with three labels that belie the judge.
    rng = np.random.default_rng(5)
    people = np.full((60, 4), np.nan)
    people[:20, 0], people[:20, 1] = 1.0, np.arange(20) >= 5
    people[:20, 2] = np.arange(20) % 2
    people[:3, 3] = 0.0
    judged = np.where(rng.random((60, 4)) < 0.9, np.nan_to_num(people, nan=1.0), 0.5).round()
    judged[:, 3] = 1.0
    found = compare_corrected(wide(people, judged), "people", judge="program", at_random=True)
    assert [found.standing(s).method for s in "abcd"] == ["ppi++", "ppi++", "ppi++", "rogan-gladen"]
    a, b, d = (found.standing(s) for s in "abd")
    assert (a.mean, a.people) == (1.0, 1.0)
    assert math.isnan(a.low)
    assert a.why is not None
    assert 0 <= b.low <= b.people <= b.high <= 1
    assert d.people == 0 < d.low
    approved(found.warnings())


# Preferences


def duels(*, seed: int, topics: int = 60, drawn: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    names = list(WORTH)
    chosen = set(rng.permutation(topics)[:drawn].tolist())
    rows = []
    for topic in range(topics):
        own = {name: worth + rng.normal(0, 0.8) for name, worth in WORTH.items()}
        for k, a in enumerate(names):
            for b in names[k + 1 :]:
                for who, steep in (("ann", 1.0), ("ben", 1.0), ("program", 2.0)):
                    if who == "program" or topic in chosen:
                        wins = rng.random() < 1 / (1 + math.exp(-steep * (own[a] - own[b])))
                        rows.append((f"d{topic}", a, b, a if wins else b, who))
    return pd.DataFrame(rows, columns=["topic", "a", "b", "winner", "assessor"])


def test_strengths_of_people_made_surer_by_a_judge(approved: Approved) -> None:
    frame = duels(seed=2)
    found = prefer_corrected(frame, judge="program")
    alone = adjudge.prefer(frame[frame["assessor"] != "program"])
    for s in found.standings:
        assert s.people == pytest.approx(alone.standing(s.system).log, abs=1e-6)
        assert (s.labelled, s.judged) == (20, 60)
    assert found.title == "Bradley-Terry log strengths"
    approved(str(saving(found)))
    assert found.judgments == 20 * 6 * 2
    fewer = frame[(frame["assessor"] != "program") | ~frame["topic"].isin(found.labelled[:5])]
    assert prefer_corrected(fewer, judge="program").judgments == 15 * 6 * 2
    assert found.assessors == ("ann", "ben")
    assert "corrected log strength" in found.table().to_text()
    with pytest.raises(UsageError, match='no answers by "judge"'):
        prefer_corrected(frame, judge="judge")
    with pytest.raises(DataError, match="do not say on which topic"):
        prefer_corrected(frame.drop(columns="topic"), judge="program")


def test_strengths_in_a_folder_with_a_program_apart_from_people(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    e = adjudge.open(tmp_path / "demo")
    e.simulate_judgments("preference-summaries", assessors=2, noise=0.3, seed=1)
    with e.store() as store:
        tasks = {t.id: t for t in store.tasks(protocol="preference-summaries") if t.assessor == "simulated-1"}
        copies = {t.id: replace(t, id=stable_id("copy", t.id), assessor="program") for t in tasks.values()}
        store.add_tasks(copies.values())
        given = [each for each in store.events() if each.task in tasks]
        store.append(
            [
                replace(
                    each,
                    id=stable_id("copy", each.id),
                    task=copies[each.task].id,
                    assessor="program",
                    origin="language-model",
                )
                for each in given
            ]
        )
    alone = adjudge.prefer(tmp_path / "demo")
    found = prefer_corrected(tmp_path / "demo", judge="program")
    assert found.assessors == ("simulated-1", "simulated-2")
    for s in found.standings:
        assert s.people == pytest.approx(alone.standing(s.system).log, abs=1e-6)
    assert found.unlabelled == 0
    # Whoever is named is the judge, a person too; the others are people, the program stays out.
    named = prefer_corrected(tmp_path / "demo", judge="simulated-2")
    assert named.assessors == ("simulated-1",)
    said = called(tmp_path, "prefer", "fit", "demo", "--judge", "program")
    assert said.returncode == 0, said.stderr
    assert found.headline() in said.stdout
    refused = called(tmp_path, "prefer", "fit", "demo", "--judge", "program", "--of", "sentences")
    assert "takes no --of" in refused.stderr


def test_strengths_without_a_maximum_are_refused() -> None:
    frame = duels(seed=2)
    people = frame["assessor"] != "program"
    always = frame.assign(winner=frame["winner"].where(~people | (frame["b"] != "lead"), frame["a"]))
    with pytest.raises(DataError, match="no finite maximum"):
        prefer_corrected(always, judge="program")


# The level


def draw(judge: str, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Ratings of five equal systems on 100 topics, and a judge's scores; a biased one likes some systems better."""
    quality = rng.normal(0, 0.5, (100, 1)) + rng.normal(0, 0.7, (100, 5))
    given = [np.clip(np.round(3 + quality + rng.normal(0, 0.5, quality.shape)), 1, 5) for _ in range(2)]
    y = np.mean(given, axis=0)
    f = {
        "good": y + rng.normal(0, 0.4, y.shape),
        "useless": rng.normal(3, 1, y.shape),
        "biased": 1 + 0.6 * y + np.linspace(0, 1.5, 5) + rng.normal(0, 0.4, y.shape),
    }
    return y, f[judge]


@pytest.mark.parametrize("judge", ["good", "biased"])
def test_a_league_of_equals_errs_seldom(judge: str) -> None:
    rng = np.random.default_rng(5)
    any_found = 0
    for _ in range(12):
        y, f = draw(judge, rng)
        y[rng.permutation(100)[20:]] = np.nan
        found = compare_corrected(wide(y, f), "people", judge="program", at_random=True)
        any_found += found.count("differ") > 0
    assert any_found <= 3  # of 12 with a chance of .05 each: more has a chance of .002


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [10, 20, 50])
@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_league_tables_keep_their_level(judge: str, drawn: int) -> None:
    """Every pair is the powered mean of its differences, corrected by Holm, as shown above."""
    rng, times = np.random.default_rng(drawn), 2000
    any_found = held = told = means_held = means_told = 0
    for _ in range(times):
        y, f = draw(judge, rng)
        differences = [(y[:, i] - y[:, j], f[:, i] - f[:, j]) for i in range(5) for j in range(i + 1, 5)]
        pairs = [powered_mean(d[:drawn], e[:drawn], e[drawn:]) for d, e in differences]
        pairs = [pair for pair in pairs if pair.why is None]
        p = np.array([pair.p() for pair in pairs])
        any_found += bool(holm(p).min() <= 0.05)
        held += int((p > 0.05).sum())
        told += len(pairs)
        mean = powered_mean(y[:drawn, 0], f[:drawn, 0], f[drawn:, 0])
        if mean.why is None:
            means_told += 1
            means_held += mean.interval()[0] <= 3 <= mean.interval()[1]
    found, covered, means = any_found / times, held / told, means_held / means_told
    print(
        f"{judge} judge, {drawn} of 100 topics: any pair found {found:.3f}, pairs covered {covered:.3f},"
        f" means covered {means:.3f}"
    )
    assert found <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / times)
    assert 0.94 <= covered <= 0.975
    assert 0.935 <= means <= 0.975
