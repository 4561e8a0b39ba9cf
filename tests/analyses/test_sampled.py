"""Assessors as a sample in `compare`: for whom a conclusion holds, and which answer makes the groups."""

from __future__ import annotations

import json
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
from adjudge.analyses.compare.words import tally
from adjudge.analyses.conclusions import OUT_OF_REACH
from adjudge.analyses.tests import ASSESSORS
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
    these, others = found.tested["wilcoxon"], found.tested[ASSESSORS]
    assert these.different.sum() > others.different.sum()
    assert these.different.sum() > others.different.sum()
    approved(words_of(found))
    assert found.test == ASSESSORS
    assert found.sampled


def test_the_means_squares_of_a_crossed_design_make_the_test() -> None:
    """By hand, of two systems' differences d[topic, assessor]: V = max(MS_T, MS_T + MS_A - MS_E) / N."""
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
    error, df = found.population.pairs.error[0], found.population.pairs.df[0]
    assert (
        np.sqrt(variance) <= error < 1.02 * np.sqrt(variance)
    )  # the larger of its own and REML's, of the same rows
    assert pair.result.p == pytest.approx(2 * stats.t.sf(abs(d.mean()) / error, df))


def test_fixed_effects_make_the_groups_that_topics_alone_make(approved: Approved) -> None:
    fixed = adjudge.compare(LIKINGS, assessor_effects="fixed")
    alone = adjudge.compare(LIKINGS.groupby(["system", "topic"], as_index=False)["coherence"].mean())
    assert [(s.system, s.group) for s in fixed.standings] == [(s.system, s.group) for s in alone.standings]
    assert [s.low for s in fixed.standings] == pytest.approx([s.low for s in alone.standings])
    assert fixed.test == "wilcoxon"
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
    assert found.test == "wilcoxon"
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
        {"cluster": "type", "test": "mc"},
        {"pool": "median"},
    ],
)
def test_what_is_asked_for_besides_may_leave_these_assessors_only(
    options: dict[str, str], approved: Approved
) -> None:
    frame = LIKINGS.assign(type=np.where(LIKINGS["topic"] < "t10", "one", "two"))
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
    for name in ("difference", "statistic", "n", "error", "df", "p", "pooled_error", "own_error", "own_df"):
        np.testing.assert_allclose(getattr(pairs, name), getattr(again, name), rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(pairs.deviations.error, again.deviations.error, rtol=1e-4)
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
    low = stats.t.sf((pairs.difference + margin) / pairs.error, pairs.df)
    high = stats.t.cdf((pairs.difference - margin) / pairs.error, pairs.df)
    np.testing.assert_allclose(sampled.equivalence.p_same, np.maximum(low, high))


def test_measures_with_and_without_assessors_are_one_family_across_measures() -> None:
    plain = LIKINGS.groupby(["system", "topic"], as_index=False)["coherence"].mean()
    long = [frame.rename(columns={"coherence": "value"}) for frame in (LIKINGS, plain)]
    both = pd.concat([long[0].assign(measure="coherence"), long[1].assign(measure="words", assessor=None)])
    found = adjudge.compare_all(both, across="measures")
    sampled, other = found
    assert (sampled.test, other.test) == (ASSESSORS, "wilcoxon")
    p = np.concatenate([c.tested[c.test].results.p for c in found])
    order, expected = np.argsort(p), np.empty(p.size)
    expected[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    np.testing.assert_allclose(np.concatenate([c.tested[c.test].adjusted for c in found]), expected)
    assert "(coherence)" in found.table().caption
    assert "(words)" in found.table().caption


def test_methods_name_the_model_and_the_assessors(approved: Approved) -> None:
    methods = adjudge.compare(LIKINGS).methods()
    assert {"patterson1971", "satterthwaite1946", "wilcoxon1945"} <= set(methods.keys)
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


def test_a_test_of_few_topics_that_finds_less_for_these_is_explained(approved: Approved) -> None:
    """Six topics let Wilcoxon's test find nothing after Holm's correction, and the t-test something."""
    found = adjudge.compare(judged(topics=6, assessors=4, disagreement=0.05, step=1.5))
    only = found.tested[ASSESSORS].different & ~found.tested["wilcoxon"].different
    assert only.any()
    assert found.notes_of("only-for-assessors-like-them")
    approved(found.warnings())
    other = adjudge.compare(judged(step=1.5, disagreement=0.5))
    assert not other.notes_of("only-for-assessors-like-them")


def test_differences_that_these_topics_could_not_have_shown_are_not_said_to_be_none(
    approved: Approved,
) -> None:
    few = judged(systems=6, topics=6, disagreement=0.02, step=1.0, seed=3)
    c = adjudge.compare(few)
    these, like = c.tested["wilcoxon"], c.tested[ASSESSORS]
    # two-sided, six topics have no p below 2 / 2**6 = .031, and 15 pairs need one of .0033 at first
    assert these.count(OUT_OF_REACH) == 15
    assert like.different.sum() > 0
    assert these.different.sum() == 0
    approved([tally(c), c.headline()])


def test_pairs_out_of_reach_for_these_assessors_are_counted_beside_those_that_differ(
    approved: Approved,
) -> None:
    frame = judged(systems=4, topics=12, disagreement=0.02, step=1.0, seed=3)
    few = frame[(frame["system"] != "s0") | (frame["topic"] < "t04")]
    c = adjudge.compare(few)
    unseen = c.tested["wilcoxon"].count(OUT_OF_REACH)
    assert unseen == 3  # those of s0, on four topics
    assert c.tested[ASSESSORS].count(OUT_OF_REACH) == 0
    approved(tally(c))


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


def test_the_methods_of_many_assessors_take_a_pairs_own_error(approved: Approved) -> None:
    few, many = (adjudge.compare(judged(assessors=n)).methods().text for n in (3, 12))
    twelve = re.split(r"(?<=\.) (?=[A-Z0-9])", many)
    approved([sentence for sentence in twelve if sentence not in few])
