"""Assessors as a sample in `compare`: for whom a conclusion holds, and which answer makes the groups."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.approving import Approved, words_of
from tests.cli.running import called

import adjudge
from adjudge.analyses.tests import ASSESSORS, THESE
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.stats.linear.judged_pairs import judged_pairs


def judged(
    *,
    systems: int = 4,
    topics: int = 20,
    assessors: int = 3,
    disagreement: float = 0.5,
    step: float = 0.25,
    dropped: float = 0.0,
    seed: int = 1,
) -> pd.DataFrame:
    """Ratings by assessors who like different systems; the systems' true means rise in steps."""
    rng = np.random.default_rng(seed)
    severity, ease = rng.normal(0, 0.4, assessors), rng.normal(0, 0.4, topics)
    liking = rng.normal(0, disagreement, (systems, assessors))
    fit = rng.normal(0, 0.3, (systems, topics))
    rows = [
        (
            f"s{s}",
            f"t{t:02}",
            f"a{a}",
            step * s + severity[a] + ease[t] + liking[s, a] + fit[s, t] + rng.normal(0, 0.4),
        )
        for s in range(systems)
        for t in range(topics)
        for a in range(assessors)
        if rng.random() >= dropped
    ]
    return pd.DataFrame(rows, columns=["system", "topic", "assessor", "coherence"])


LIKINGS = judged()


def test_both_answers_stand_in_the_headline_where_they_differ(approved: Approved) -> None:
    found = adjudge.compare(LIKINGS)
    these, others = found.tested[THESE], found.tested[ASSESSORS]
    assert these.different.sum() > others.different.sum()
    assert not (others.different & ~these.different).any()
    approved(words_of(found))
    assert found.test == ASSESSORS
    assert found.sampled


def test_the_means_squares_of_a_crossed_design_make_the_test() -> None:
    """By hand, of two systems' differences d[topic, assessor]: V = (MS_T + max(0, MS_A - MS_E)) / N."""
    frame = judged(systems=2, assessors=4)
    found = adjudge.compare(frame)
    cells = frame.pivot(index="topic", columns=["system", "assessor"], values="coherence")
    d = (cells["s1"] - cells["s0"]).to_numpy()
    topics, assessors = d.shape
    of_topics = assessors * d.mean(axis=1).var(ddof=1)
    of_assessors = topics * d.mean(axis=0).var(ddof=1)
    left = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
    rest = (left**2).sum() / (topics - 1) / (assessors - 1)
    variance = max(of_topics, of_topics + of_assessors - rest) / d.size
    pair = found.pairs[ASSESSORS][0]
    assert found.population is not None
    assert found.population.pairs is not None
    assert pair.result.difference == pytest.approx(d.mean() if pair.a == "s1" else -d.mean())
    error, df = found.population.pairs.similar.error[0], found.population.pairs.similar.df[0]
    assert error == pytest.approx(np.sqrt(variance))
    assert pair.result.p == pytest.approx(2 * stats.t.sf(abs(d.mean()) / error, df))


def test_fixed_effects_make_the_groups_that_topics_alone_make(approved: Approved) -> None:
    """Of two systems it is Student's t of topics' means; of more, their variances are moderated."""
    two = LIKINGS[LIKINGS["system"].isin(["s0", "s3"])]
    fixed = adjudge.compare(two, assessor_effects="fixed")
    alone = adjudge.compare(two.groupby(["system", "topic"], as_index=False)["coherence"].mean())
    assert fixed.pairs[THESE][0].result.p == pytest.approx(alone.pairs["t"][0].result.p)
    fixed = adjudge.compare(LIKINGS, assessor_effects="fixed")
    alone = adjudge.compare(LIKINGS.groupby(["system", "topic"], as_index=False)["coherence"].mean())
    assert [(s.system, s.group) for s in fixed.standings] == [(s.system, s.group) for s in alone.standings]
    assert fixed.test == THESE
    assert ASSESSORS in fixed.tested
    approved(fixed.headline())
    assert alone.population is None


def test_intervals_agree_with_the_test_that_makes_the_groups() -> None:
    found = adjudge.compare(judged(assessors=8, disagreement=0.2, step=0.5))
    frame = found.to_frame("pairs")
    frame = frame[frame["test"] == ASSESSORS]
    without_zero = (frame["low"] >= 0) & (frame["high"] > 0) | (frame["high"] <= 0) & (frame["low"] < 0)
    assert 0 < (frame["conclusion"] == "differ").sum() < len(frame)
    assert (without_zero == (frame["conclusion"] == "differ")).all()


def test_one_assessor_speaks_for_nobody_else(approved: Approved) -> None:
    one = LIKINGS[LIKINGS["assessor"] == "a0"]
    found = adjudge.compare(one)
    assert found.test == "t"
    assert found.notes_of("these-assessors-only")
    approved(words_of(found))
    with pytest.raises(DataError, match="cannot be a random factor: one assessor"):
        adjudge.compare(one, assessor_effects="random")


def test_two_assessors_of_two_systems_are_too_few(approved: Approved) -> None:
    found = adjudge.compare(judged(systems=2, assessors=2))
    assert not found.sampled
    assert found.notes_of("these-assessors-only")
    approved(words_of(found))


def test_few_assessors_are_said_to_be_few_and_many_are_not() -> None:
    few, many = adjudge.compare(LIKINGS), adjudge.compare(judged(assessors=10))
    assert few.notes_of("few-assessors")
    assert not many.notes_of("few-assessors")


@pytest.mark.parametrize(
    "options",
    [
        {"correct": "westfall-young"},
        {"cluster": "assessor", "test": "mc"},
        {"pool": "median"},
    ],
)
def test_what_is_asked_for_besides_may_leave_these_assessors_only(
    options: dict[str, str], approved: Approved
) -> None:
    frame = LIKINGS
    if options.get("cluster"):
        frame = LIKINGS[LIKINGS["assessor"] == "a" + (LIKINGS["topic"].str[1:].astype(int) % 3).astype(str)]
    found = adjudge.compare(frame, **options)  # type: ignore[arg-type]
    assert not found.sampled
    assert found.notes_of("these-assessors-only")
    approved(found.notes_of("these-assessors-only"))
    with pytest.raises(DataError, match="random factor"):
        adjudge.compare(frame, assessor_effects="random", **options)  # type: ignore[arg-type]


def test_scores_without_assessors_have_no_such_effects() -> None:
    plain = LIKINGS.groupby(["system", "topic"], as_index=False)["coherence"].mean()
    assert adjudge.compare(plain).population is None
    with pytest.raises(DataError, match="name no assessor"):
        adjudge.compare(plain, assessor_effects="random")
    with pytest.raises(UsageError, match='assessor_effects is "rnadom" .nearest: "random"'):
        adjudge.compare(LIKINGS, assessor_effects="rnadom")  # type: ignore[arg-type]


def test_scores_of_which_some_name_no_assessor_are_for_these_only(approved: Approved) -> None:
    frame = LIKINGS.copy()
    frame.loc[0, "assessor"] = None
    found = adjudge.compare(frame)
    assert not found.sampled
    approved(found.notes_of("these-assessors-only"))


def test_a_mild_assessor_does_not_lift_the_systems_that_they_judged(approved: Approved) -> None:
    """s0 is better, but judged mostly by the harsh one: means are adjusted for who judged."""
    rng = np.random.default_rng(5)
    rows = [
        (f"s{s}", f"t{t:02}", f"a{a}", 0.5 * (s == 0) + 2.0 * a + rng.normal(0, 0.1))
        for s in range(3)
        for t in range(30)
        for a in range(4)
        if s == 2 or (a < 2) == (s == 0) or (t + a) % 5 == 0
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "assessor", "coherence"])
    found = adjudge.compare(frame)
    raw = frame.groupby("system")["coherence"].mean()
    assert raw["s0"] < raw["s1"]
    assert found.standings[0].system == "s0"
    by_name = {s.system: s.adjusted for s in found.standings}
    assert by_name["s0"] - by_name["s1"] == pytest.approx(0.5, abs=0.15)
    assert found.ordering == "assessors"
    approved(found.warnings())


def test_systems_in_another_order_have_the_same_pairs() -> None:
    frame = judged(systems=5, dropped=0.3, assessors=5)
    found = adjudge.compare(frame)
    assert found.population is not None
    pairs = found.population.pairs
    assert pairs is not None
    names = list(found.matrix.systems)
    again = judged_pairs(
        frame["coherence"].to_numpy(),
        frame["topic"].astype("category").cat.codes.to_numpy(),
        frame["system"].map(names.index).to_numpy(),
        frame["assessor"].astype("category").cat.codes.to_numpy(),
        size=len(names),
    )
    np.testing.assert_allclose(pairs.difference, again.difference, rtol=1e-4)
    for one, other in ((pairs.these, again.these), (pairs.similar, again.similar)):
        for name in ("error", "df", "statistic", "p"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(pairs.deviations.similar, again.deviations.similar, rtol=1e-4)
    for (a, b), pair in zip(combinations(names, 2), found.pairs[ASSESSORS], strict=True):
        assert (pair.a, pair.b) == (a, b)


def test_one_side_has_half_the_p(approved: Approved) -> None:
    both = adjudge.compare(LIKINGS, against="s0", correct="none")
    side = adjudge.compare(LIKINGS, against="s0", correct="none", side="better")
    for two, one in zip(both.pairs[ASSESSORS], side.pairs[ASSESSORS], strict=True):
        half = two.result.p / 2
        assert one.result.p == pytest.approx(half if two.result.statistic > 0 else 1 - half)
    approved(side.headline())


def test_equivalence_is_for_assessors_like_them_too() -> None:
    frame = judged(step=0.0, disagreement=0.3)
    margin = 0.5
    sampled, fixed = (adjudge.compare(frame, margin=margin, assessor_effects=e) for e in ("random", "fixed"))
    assert sampled.equivalence is not None
    assert fixed.equivalence is not None
    assert fixed.same.sum() > sampled.same.sum()
    assert sampled.population is not None
    pairs = sampled.population.pairs
    assert pairs is not None
    sure = pairs.similar
    low = stats.t.sf((pairs.difference + margin) / sure.error, sure.df)
    high = stats.t.cdf((pairs.difference - margin) / sure.error, sure.df)
    np.testing.assert_allclose(sampled.equivalence.p_same, np.maximum(low, high))


def test_measures_with_and_without_assessors_are_one_family_across_measures() -> None:
    plain = LIKINGS.groupby(["system", "topic"], as_index=False)["coherence"].mean()
    long = [frame.rename(columns={"coherence": "value"}) for frame in (LIKINGS, plain)]
    both = pd.concat([long[0].assign(measure="coherence"), long[1].assign(measure="words", assessor=None)])
    found = adjudge.compare_all(both, across="measures")
    sampled, other = found
    assert (sampled.test, other.test) == (ASSESSORS, "t")
    p = np.concatenate([c.tested[c.test].results.p for c in found])
    order, expected = np.argsort(p), np.empty(p.size)
    expected[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    np.testing.assert_allclose(np.concatenate([c.tested[c.test].adjusted for c in found]), expected)
    assert "(coherence)" in found.table().caption
    assert "(words)" in found.table().caption


def test_methods_name_the_model_and_the_assessors(approved: Approved) -> None:
    methods = adjudge.compare(LIKINGS).methods()
    assert {"patterson1971", "satterthwaite1946", "smyth2004"} <= set(methods.keys)
    approved(re.split(r"(?<=\.) (?=[A-Z0-9])", methods.text))


def test_files_frames_and_folders_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    LIKINGS.to_csv(file, index=False)
    [from_file] = json.loads(called(tmp_path, "compare", "scores.csv", "--json").stdout)
    frame = adjudge.compare(LIKINGS).as_dict()
    assert from_file["population"] == frame["population"]
    assert from_file["population"]["assessors"] == ["a0", "a1", "a2"]
    assert from_file["population"]["design"] == "crossed"
    assert from_file["population"]["differ"]["fixed"] > from_file["population"]["differ"]["random"]
    folder = tmp_path / "e"
    assert called(tmp_path, "import", "scores", "scores.csv", str(folder)).returncode == 0
    [from_folder] = json.loads(called(tmp_path, "compare", str(folder), "--json").stdout)
    assert from_folder["population"] == from_file["population"]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 6, 12])
def test_little_data_never_ends_in_a_crash(rows: int) -> None:
    """One topic, one system, a single judgment: an answer or one line that says what is missing."""
    frame = judged(systems=2, topics=3, assessors=2).sample(rows, random_state=rows)
    try:
        said = adjudge.compare(frame).headline()
    except AdjudgeError as error:
        said = str(error)
    assert said
    assert "nan" not in said


def test_without_an_assessor_like_is_compared_with_like(approved: Approved) -> None:
    """Three assessors of two systems allow a sample, two do not: both answers are then for those who judged."""
    frame = judged(systems=2, assessors=3, disagreement=0.1, step=1.0)
    found = adjudge.compare(frame, without="a2")
    assert not found.sampled
    assert found.changes is not None
    assert not found.changes.sampled
    assert (found.changes.before, found.changes.after) == (1, 1)
    four = adjudge.compare(judged(assessors=4), without="a3")
    assert four.changes is not None
    assert four.changes.sampled
    approved(four.changes.headline())


def test_repeats_and_references_are_pooled_as_the_matrix_pools_them() -> None:
    """A repeated judgment counts once within its reference, so that the means stay those of the matrix."""
    frame = judged(topics=8).rename(columns={"coherence": "value"}).assign(measure="coverage", repeat=0)
    both = pd.concat([frame.assign(reference="r1"), frame.assign(reference="r2", value=frame["value"] ** 2)])
    again = both[both["reference"] == "r1"].sample(30, random_state=3)
    found = adjudge.compare(pd.concat([both, again.assign(repeat=1, value=again["value"] + 1)]))
    assert found.sampled
    assert found.ordering == ""
    assert all(s.adjusted == pytest.approx(s.mean) for s in found.standings)


@pytest.mark.parametrize("dropped", [0.0, 0.3])
@pytest.mark.parametrize("assessors", [3, 8])
@pytest.mark.parametrize("disagreement", [0.0, 0.5])
def test_the_wider_claim_never_finds_more(dropped: float, assessors: int, disagreement: float) -> None:
    """p of every pair, before and after correction, and so the number of pairs."""
    found = adjudge.compare(
        judged(systems=6, topics=10, assessors=assessors, disagreement=disagreement, dropped=dropped)
    )
    these, others = found.tested[THESE], found.tested[ASSESSORS]
    assert (others.results.p >= these.results.p).all()
    assert (others.adjusted >= these.adjusted).all()
    assert others.different.sum() <= these.different.sum()


def test_topics_of_a_set_are_one_observation(approved: Approved) -> None:
    """Where a column says so, unasked; with one topic a set nothing changes; few sets speak for themselves."""
    frame = judged(systems=3, topics=24, disagreement=0.1)
    place = frame["topic"].str[1:].astype(int)
    plain = adjudge.compare(frame)
    for size, changed in ((1, False), (3, True), (8, False)):
        found = adjudge.compare(frame.assign(set="set" + (place // size).astype(str)))
        assert (found.codes is not None) == changed
        for test in (THESE, ASSESSORS):
            same = found.tested[test].results.p.tolist() == plain.tested[test].results.p.tolist()
            assert same == (not changed)
        approved([note.code for note in found.notes()], f"{size} a set")
        approved(found.warnings(), f"{size} a set, said")
    grouped = frame.assign(set="set" + (place // 3).astype(str)).drop(columns="assessor")
    pooled = grouped.groupby(["system", "topic", "set"], as_index=False)["coherence"].mean()
    means = pooled.groupby(["system", "set"])["coherence"].mean().unstack()
    by_set = adjudge.compare(pooled)
    for pair in by_set.pairs["t"]:
        expected = stats.ttest_rel(means.loc[pair.a], means.loc[pair.b]).pvalue
        assert pair.result.p == pytest.approx(expected)
    alone = adjudge.compare(pooled, cluster="none")
    assert alone.codes is None
    assert "means" not in by_set.headline()
    by_ranks = adjudge.compare(pooled, test="wilcoxon")
    assert by_ranks.codes is None


def test_a_strict_and_a_lenient_assessor_of_different_systems_are_not_compared(approved: Approved) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (system, f"t{t:02}", who, level + rng.normal(0, 0.2))
        for system, who, level in (("x", "strict", 2.0), ("y", "lenient", 4.0))
        for t in range(20)
    ]
    found = adjudge.compare(pd.DataFrame(rows, columns=["system", "topic", "assessor", "quality"]))
    assert not found.tested[found.test].different.any()
    approved(words_of(found))


def test_zeros_and_ones_are_tested_exactly(approved: Approved) -> None:
    rng = np.random.default_rng(4)
    share = pd.DataFrame(
        {name: (rng.random(40) < p).astype(float) for name, p in (("a", 0.9), ("b", 0.5), ("c", 0.1))},
        index=[f"t{k}" for k in range(40)],
    )
    found = adjudge.compare(share)
    assert found.test == "sign"
    for pair in found.pairs["sign"]:
        x, y = share[pair.a], share[pair.b]
        wins, decided = int((x > y).sum()), int((x != y).sum())
        assert pair.result.p == pytest.approx(stats.binomtest(wins, decided).pvalue)
        assert pair.different == (not pair.low < 0 < pair.high)
    for standing in found.standings:
        ones = int(share[standing.system].sum())
        exact = stats.binomtest(ones, 40).proportion_ci(0.95, method="exact")
        assert (standing.low, standing.high) == pytest.approx((exact.low, exact.high))
    approved(words_of(found))
    everywhere = share.assign(d=1.0)
    [last] = [s for s in adjudge.compare(everywhere).standings if s.system == "d"]
    assert (last.low, last.high) == pytest.approx((0.025 ** (1 / 40), 1.0))


def test_a_constant_shift_borrows_the_variance_of_the_others() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(20, 3))
    wide = pd.DataFrame({"a": values[:, 0], "b": values[:, 0] + 0.1, "c": values[:, 1], "d": values[:, 2]})
    wide.index = [f"t{k}" for k in range(20)]
    found = adjudge.compare(wide)
    [pair] = [pair for pair in found.pairs["t"] if {pair.a, pair.b} == {"a", "b"}]
    assert 0 < pair.result.p < 1
    assert not math.isnan(pair.low)
    shifts = pd.DataFrame({name: values[:, 0] + k for k, name in enumerate("abcd")}, index=wide.index)
    for result in (adjudge.compare(shifts), adjudge.groups(shifts)):
        differ = result.as_dict()["conclusions"]["differ"]
        assert differ == 6
    assert adjudge.compare(shifts).pairs["t"][0].result.p == 2.0**-19


def test_wilcoxons_count_stands_beside(approved: Approved) -> None:
    rng = np.random.default_rng(8)
    level = np.exp(12 * rng.normal(size=40))
    skewed = pd.DataFrame(
        {"a": level, "b": 0.8 * level, "c": 0.6 * level}, index=[f"t{k}" for k in range(40)]
    )
    found = adjudge.compare(skewed)
    assert found.as_dict()["wilcoxon"] == {"differ": 3}
    assert found.tested["t"].different.sum() < 3
    approved(list(found.sentences("python")))
    assert adjudge.compare(skewed, test="wilcoxon").as_dict()["wilcoxon"] is None


def test_a_design_whose_last_cell_leaves_no_noise_by_chance_is_still_tested() -> None:
    """Whole-number ratings, two of eight assessors a summary: topic:assessor is left out before the answer is."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(40):
        rows = [
            (f"s{s}", f"t{t:02}", f"a{a}", float(np.clip(np.rint(2 + 0.6 * s + rng.normal(0, 0.8)), 1, 5)))
            for s in range(5)
            for t in range(20)
            for a in rng.choice(8, size=2, replace=False)
        ]
        frame = pd.DataFrame(rows, columns=["system", "topic", "assessor", "coherence"])
        compared = adjudge.compare(frame)
        assert compared.sampled
        assert not np.isnan(compared.tested[ASSESSORS].results.p).any()
        found += "topic:assessor" not in compared.population.pairs.components  # type: ignore[union-attr]
    assert found  # the case is met


def test_names_that_differ_by_capitals_alone_are_noted() -> None:
    frame = LIKINGS.copy()
    frame.loc[frame.index[::2], "assessor"] = frame["assessor"].str.upper()
    assert adjudge.compare(frame).notes_of("assessors-of-one-name")


def test_effect_sizes_say_for_whom_they_are(approved: Approved) -> None:
    approved(adjudge.compare(LIKINGS, effects=True).notes_of("effects-over-topics"))
