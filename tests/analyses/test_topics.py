"""Topics: standings, intervals and words follow from the matrix and the measure's direction."""

from __future__ import annotations

import json
import math
import re
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.approving import Approved, words_of

from adjudge.analyses.topics import Topics
from adjudge.analyses.topics.result import FEW, TopicsResult
from adjudge.analyses.topics.result import topics_of_matrix as result_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.stats.ranks import friedman, kruskal_wallis

NAN = math.nan
PAGE = (Path(__file__).parents[2] / "docs" / "topics.md").read_text(encoding="utf-8")


def matrix(values: list[list[float]] | np.ndarray, better: Better = "higher") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    holes = tuple((f"t{i}", f"s{j}", "lost") for i, j in np.argwhere(np.isnan(array)))
    return ScoreMatrix(
        array,
        np.isfinite(array).astype(int),
        tuple(f"t{i}" for i in range(array.shape[0])),
        tuple(f"s{j}" for j in range(array.shape[1])),
        MeasureInfo("m", better, signature="m|v:1"),
        missing=holes,
    )


@pytest.fixture
def planted() -> np.ndarray:
    """t0 is far below t1 and t2, t3 far above; ten systems alike but for noise."""
    rng = np.random.default_rng(5)
    return np.asarray(np.array([[0.0], [3.0], [3.0], [6.0]]) + rng.normal(size=(4, 10)))


def topics_of_matrix(scores: ScoreMatrix, **asked: Any) -> TopicsResult:
    return result_of(scores, Topics(**asked))


def codes(result: TopicsResult) -> list[str]:
    return [note.code for note in result.notes()]


def test_the_numbers_are_those_of_scipy(planted: np.ndarray) -> None:
    found = topics_of_matrix(matrix(planted))
    assert found.over_topics.p == pytest.approx(stats.kruskal(*planted).pvalue, rel=1e-12)
    assert found.over_systems.p == pytest.approx(stats.kruskal(*planted.T).pvalue, rel=1e-12)
    friedman = stats.friedmanchisquare(*planted.T)
    assert found.systems_blocked.test.p == pytest.approx(friedman.pvalue, rel=1e-12)
    assert found.topics_blocked.test.p == pytest.approx(stats.friedmanchisquare(*planted).pvalue, rel=1e-12)
    ranks = stats.rankdata(planted).reshape(planted.shape)
    for standing in found.standings:
        row = int(standing.topic[1])
        assert standing.mean == pytest.approx(planted[row].mean())
        assert standing.sd == pytest.approx(planted[row].std(ddof=1))
        assert standing.mean_rank == pytest.approx(ranks[row].mean())
        assert standing.low < standing.mean_rank < standing.high


def test_the_planted_differences_are_found_and_said(planted: np.ndarray, approved: Approved) -> None:
    found = topics_of_matrix(matrix(planted), against="t0")
    assert [s.topic for s in found.standings][::3] == ["t3", "t0"]
    by_topic = {s.topic: s for s in found.standings}
    assert by_topic["t0"].from_chosen is None
    assert by_topic["t3"].from_chosen is True
    assert found.ends() == (["t3"], ["t0"])
    assert by_topic["t0"].differs == 3
    assert (found.over_topics.p < 0.001, found.topics_blocked.test.p < 0.001) == (True, True)
    assert found.systems_blocked.test.p > 0.05
    approved(words_of(found))


def test_which_differ_is_what_the_pairs_say(planted: np.ndarray) -> None:
    found = topics_of_matrix(matrix(planted), against="t1")
    pairs = found.to_frame("pairs")
    assert len(pairs) == 6
    assert list(pairs["different"]) == list(pairs["p"] < 0.05)
    assert (pairs["difference"] > 0).all()  # the easier first
    assert sum(s.differs for s in found.standings) == 2 * pairs["different"].sum()
    of_chosen = pairs[(pairs["a"] == "t1") | (pairs["b"] == "t1")]
    assert of_chosen["different"].sum() == sum(bool(s.from_chosen) for s in found.standings)
    assert pairs["different"].sum() == 5


def test_lower_is_better_turns_easy_and_hard_round(planted: np.ndarray, approved: Approved) -> None:
    found = topics_of_matrix(matrix(planted, "lower"), against="t0")
    assert found.ends() == (["t0"], ["t3"])
    approved(words_of(found, beyond=topics_of_matrix(matrix(planted))), "lower")
    both = topics_of_matrix(matrix(planted, "lower"), against="t1")
    assert both.from_chosen() == {
        "t0": "differs",
        "t1": "chosen",
        "t2": "does not differ significantly",
        "t3": "differs",
    }
    approved(words_of(both)[-2:], "both ways")


def test_a_description_is_higher_or_lower_but_never_hard(planted: np.ndarray, approved: Approved) -> None:
    found = topics_of_matrix(matrix(planted, None), against="t1")
    approved(words_of(found, beyond=topics_of_matrix(matrix(planted))))
    assert found.ends() == (["t3"], ["t0"])
    assert (found.facts()["first"], found.facts()["last"]) == (["t3"], ["t0"])


def test_systems_hide_topics_without_blocks(approved: Approved) -> None:
    # Systems far apart, topics a little: ranked all together the topics drown, in blocks they stand out.
    values = np.arange(8)[None, :] * 10.0 + np.arange(5)[:, None]
    found = topics_of_matrix(matrix(values))
    assert found.over_topics.p > 0.9
    assert found.topics_blocked.test.p < 0.001
    approved(words_of(found))


def test_missing_cells_are_counted_and_named(planted: np.ndarray, approved: Approved) -> None:
    planted = planted.copy()
    planted[2:, 0] = NAN
    planted[0, 1] = NAN
    found = topics_of_matrix(matrix(planted))
    assert {s.topic: s.n for s in found.standings} == {"t0": 9, "t1": 10, "t2": 9, "t3": 9}
    assert codes(found) == ["missing-scores", "topics-of-unequal-size"]
    approved(words_of(found))
    assert found.signature.endswith("|blocks:skillings-mack:ties-corrected")
    assert found.systems_blocked.friedman.dropped == 3


def test_a_topic_without_scores_stands_last(planted: np.ndarray, approved: Approved) -> None:
    values = np.insert(planted, 0, NAN, axis=0)
    found = topics_of_matrix(matrix(values), against="t0")
    last = found.standings[-1]
    assert (last.topic, last.n, last.differs) == ("t0", 0, 0)
    assert np.isnan([last.mean, last.sd, last.mean_rank, last.low, last.high]).all()
    assert codes(found) == ["missing-scores", "topics-without-scores"]
    assert found.from_chosen() == dict.fromkeys(["t4", "t2", "t3", "t1"], "no scores") | {"t0": "chosen"}
    assert (found.over_topics.groups, found.over_topics.total) == (4, 40)
    approved(words_of(found, beyond=topics_of_matrix(matrix(planted))))
    assert r"t0 & 0 & -- & -- & -- & -- \\" in found.to_latex()
    assert found.as_dict()["tables"]["topics"][-1]["mean"] is None
    assert np.isnan(found.to_frame("pairs")["p"]).sum() == 4


def test_systems_never_compared_are_warned_about(approved: Approved) -> None:
    values = np.full((8, 4), NAN)
    values[:4, :2] = values[4:, 2:] = np.random.default_rng(1).normal(size=(4, 2))
    found = topics_of_matrix(matrix(values))
    (parts,) = [note.data for note in found.notes() if note.code == "systems-without-common-topics"]
    assert parts == {"parts": 2}
    approved(found.warnings())


def test_few_scores_are_warned_about(approved: Approved) -> None:
    rng = np.random.default_rng(2)
    few = topics_of_matrix(matrix(rng.normal(size=(3, FEW - 1))))
    assert [(note.code, note.data) for note in few.notes()] == [("few-scores-on-a-topic", {"n": FEW - 1})]
    approved(few.warnings())
    assert not codes(topics_of_matrix(matrix(rng.normal(size=(3, FEW)))))


ODD = [
    [[1.0]],
    [[1.0, 2.0]],
    [[1.0], [2.0]],
    [[1.0, 1.0], [1.0, 1.0]],
    [[1.0, NAN], [2.0, NAN]],
    [[1.0, 2.0], [NAN, NAN]],
    [[1.0, 2.0], [2.0, 3.0]],
    [[0.0] * 30] * 2,
    [[1.0, NAN], [NAN, 1.0]],
    [[1.0, 2.0, 3.0]] * 4,
    np.arange(1000.0).reshape(2, 500),
    np.arange(1000.0).reshape(500, 2),
]


@pytest.mark.parametrize("values", ODD, ids=lambda v: str(np.shape(v)))
@pytest.mark.parametrize("against", [None, "t0"])
def test_odd_matrices_give_a_result_or_a_reason(values: list[list[float]], against: str | None) -> None:
    found = topics_of_matrix(matrix(values), against=against)
    assert len(found.standings) == len(values)
    assert "nan" not in "\n".join(found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.to_latex().count(r"\\") == len(values) + 1
    assert len(found.to_frame()) == len(values)
    if len(values) < 100:
        assert len(found.to_frame("pairs")) == len(values) * (len(values) - 1) // 2
    assert (found.over_topics.why is None) == (sum(bool(s.n) for s in found.standings) > 1)


def test_one_topic_and_one_system_say_so(approved: Approved) -> None:
    one = topics_of_matrix(matrix([[1.0, 2.0]]), against="t0")
    approved(words_of(one), "topic")
    alone = topics_of_matrix(matrix([[1.0], [2.0]]))
    assert (one.systems_blocked.test.why is not None, alone.systems_blocked.test.why is not None) == (
        True,
        True,
    )
    approved(words_of(alone), "system")


def test_ties_alone_do_not_differ(approved: Approved) -> None:
    found = topics_of_matrix(matrix([[2.0] * 5] * 3), against="t1")
    assert found.pairs_out_of_reach() == 3
    assert set(found.from_chosen().values()) == {"chosen", "could not have been found to differ"}
    approved(words_of(found))


def test_topics_that_tie_at_an_end_are_all_named(approved: Approved) -> None:
    values = np.array([[1.0] * 6, [1.0] * 6, [5.0] * 6])
    found = topics_of_matrix(matrix(values))
    assert found.ends() == (["t2"], ["t0", "t1"])
    assert found.standings[0].mean_rank == 15.5
    approved(words_of(found))


def test_nothing_at_all_is_one_line() -> None:
    with pytest.raises(DataError, match=r"m: every score is missing \(lost\)"):
        topics_of_matrix(matrix([[NAN], [NAN]]))
    with pytest.raises(DataError, match="m: no scores"):
        topics_of_matrix(matrix(np.zeros((0, 0))))
    with pytest.raises(UsageError, match=r'm has no scores on topic "t10" \(nearest: "t0"\)'):
        topics_of_matrix(matrix([[1.0]]), against="t10")
    with pytest.raises(UsageError, match="alpha is 2, expected a number between 0 and 1"):
        topics_of_matrix(matrix([[1.0]]), alpha=2)
    bare = ScoreMatrix(np.full((1, 1), NAN), np.zeros((1, 1)), ("t",), ("s",), MeasureInfo("m"))
    with pytest.raises(DataError, match="no reason given"):
        topics_of_matrix(bare)


def test_frames_latex_and_json(planted: np.ndarray) -> None:
    found = topics_of_matrix(matrix(planted), against="t0")
    assert list(found.to_frame().columns) == [
        "measure",
        "length",
        "form",
        "topic",
        "n",
        "mean",
        "sd",
        "mean_rank",
        "low",
        "high",
        "differs",
        "from_chosen",
    ]
    assert r"95\% interval" in found.to_latex()
    assert found.to_latex().endswith(f"% {found.signature}")
    data = found.as_dict()
    assert json.loads(json.dumps(data, allow_nan=False))["first"] == ["t3"]
    assert data["over_topics"]["total"] == 40
    assert data["systems_blocked"]["friedman"]["f_df"] == [9, 27]
    assert data["sentences"] == list(found.sentences())
    odd = ScoreMatrix(
        planted, np.ones((4, 10)), ("a_b", "&", "50%", "^"), tuple("abcdefghij"), MeasureInfo("m")
    )
    assert r"a\_b &" in topics_of_matrix(odd).to_latex()


def test_alpha_and_length_are_in_the_signature_and_the_title(planted: np.ndarray) -> None:
    long = ScoreMatrix(
        planted,
        np.ones((4, 10)),
        tuple("abcd"),
        tuple("abcdefghij"),
        MeasureInfo("m", signature="m|v:1"),
        100,
    )
    found = topics_of_matrix(long, alpha=0.01)
    assert found.signature == (
        "topics(alpha=0.01)|m|v:1|length:100|topics:4|systems:10|pool:mean|test:kruskal-wallis:tukey-mean-ranks:0.01|blocks:friedman"
    )
    assert found.matrix.length == 100
    assert "100" in found.headline()
    wide, narrow = found.standings[0], topics_of_matrix(long).standings[0]
    assert wide.high - wide.low > narrow.high - narrow.low


def test_an_infinite_f_is_null_in_json() -> None:
    data = topics_of_matrix(matrix([[1.0, 2.0, 3.0]] * 4)).as_dict()
    assert data["systems_blocked"]["friedman"]["f"] is None
    assert data["systems_blocked"]["friedman"]["f_p"] == pytest.approx(6.0**-3)


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    code = found.group(1)
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_names_the_bound_of_the_code() -> None:
    assert f"fewer than {['no', 'one', 'two', 'three', 'four', 'five'][FEW]} scores" in PAGE


# What could not have been found is not said to be alike


def test_one_score_a_topic_can_find_nothing(approved: Approved) -> None:
    found = topics_of_matrix(matrix(np.array([[1.0], [2.0], [3.0]])), against="t0")
    assert found.over_topics.p == pytest.approx(math.exp(-1))  # H is 2 with two degrees of freedom
    assert found.pairs_out_of_reach() == 3
    assert list(found.from_chosen().values()).count("could not have been found to differ") == 2
    approved(words_of(found))  # nothing of variance: one score each explains all of it, always


def test_three_topics_and_two_systems_are_too_few_for_blocks(approved: Approved) -> None:
    found = topics_of_matrix(matrix(np.array([[1.0, 2.0], [3.0, 5.0], [6.0, 9.0]])))
    # Friedman over systems: three topics that agree have chi-squared 3, p = .083 with one degree of freedom.
    assert found.systems_blocked.friedman.smallest_p == pytest.approx(stats.chi2.sf(3, 1))
    assert found.systems_blocked.friedman.p > 0.05
    approved(words_of(found), "three")
    four = topics_of_matrix(matrix(np.array([[1.0, 2.0], [3.0, 5.0], [6.0, 9.0], [7.0, 9.0]])))
    assert four.systems_blocked.friedman.p == pytest.approx(stats.chi2.sf(4, 1))
    approved(words_of(four), "four")


@settings(deadline=None, max_examples=15)
@given(
    st.sampled_from([(1, 2), (1, 3), (2, 2), (2, 3), (3, 2)]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 3, 100]),
)
def test_the_smallest_p_is_that_of_the_best_order(size: tuple[int, int], seed: int, grid: int) -> None:
    """All orders of the scores, one by one."""
    n, k = size
    values = np.random.default_rng(seed).integers(0, grid, (k, n)).astype(float)
    orders = {tuple(order) for order in permutations(values.ravel().tolist())}
    found = kruskal_wallis(values, groups="rows")
    least = min(kruskal_wallis(np.reshape(order, (k, n)), groups="rows").p for order in orders)
    assert found.smallest_p == pytest.approx(least)
    if n > 1:
        rows = [sorted(set(permutations(row.tolist()))) for row in values.T]
        least = min(friedman(np.array(each)).p for each in product(*rows))
        assert friedman(values.T).smallest_p == pytest.approx(least)


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=3), st.integers(0, 2**32 - 1))
def test_no_order_of_unequal_groups_undercuts_the_smallest_p(sizes: list[int], seed: int) -> None:
    total = sum(sizes)
    scores = np.random.default_rng(seed).integers(0, 5, total).astype(float)
    values = np.full((len(sizes), 3), math.nan)
    place = [(g, j) for g, size in enumerate(sizes) for j in range(size)]
    if sum(size > 0 for size in sizes) < 2:
        return
    rows, columns = zip(*place, strict=True)
    found = []
    for order in set(permutations(scores.tolist())):
        values[rows, columns] = order
        found.append(kruskal_wallis(values, groups="rows"))
    assert min(test.p for test in found) >= found[0].smallest_p - 1e-12
    # Two groups are within reach exactly where some order of the scores makes them differ.
    for a in range(len(sizes)):
        reach = found[0].within_reach(a, np.arange(len(sizes)))
        differ = np.any([test.different_from(a) for test in found], axis=0)
        others = np.arange(len(sizes)) != a
        np.testing.assert_array_equal(reach[others], differ[others])


def test_the_order_of_topics_is_not_contradicted_by_their_means() -> None:
    """One huge score makes the mean of a topic the highest, and not its rank."""
    values = np.array([[1.0, 1.1, 1.2, 1.3, 900.0], [2.0, 2.1, 2.2, 2.3, 2.4], [3.0, 3.1, 3.2, 3.3, 3.4]])
    found = topics_of_matrix(matrix(values))
    assert found.ends() == (["t2"], ["t0"])
    assert [s.mean_rank for s in found.standings] == [12.0, 7.0, 5.0]
    assert found.standings[-1].mean == pytest.approx(180.92)


def test_scores_of_any_size_have_a_spread() -> None:
    values = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 3.5]])
    huge = topics_of_matrix(matrix(values * 2.0**980)).standings
    plain = topics_of_matrix(matrix(values)).standings
    assert [(s.mean, s.sd) for s in huge] == [(s.mean * 2.0**980, s.sd * 2.0**980) for s in plain]


@pytest.mark.parametrize("hole", [False, True])
def test_equal_scores_have_no_intervals(hole: bool) -> None:
    values = np.full((3, 4), 0.5)
    if hole:
        values[2, 3] = np.nan
    found = topics_of_matrix(matrix(values))
    assert all(math.isnan(s.low) and math.isnan(s.high) for s in found.standings)
    assert [row["low"] for row in found.as_dict()["tables"]["topics"]] == [None] * 3
    assert "all-scores-equal" in codes(found)
    assert found.pairs_out_of_reach() == 3
    assert all(not test.smallest_p <= 0.05 for test in (found.over_topics, found.over_systems))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(2, 6))
def test_intervals_of_mean_ranks_are_among_the_ranks(seed: int, topics: int, systems: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, size=(topics, systems)).astype(float)
    found = topics_of_matrix(matrix(values))
    assert (found.over_topics.variance == 0) == all(math.isnan(s.low) for s in found.standings)
    for s in found.standings:
        if not math.isnan(s.low):
            assert 1 <= s.low < s.high <= topics * systems
            assert s.low <= s.mean_rank <= s.high
