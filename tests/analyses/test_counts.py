"""Rankel's tables: counts by hand, by a loop that anyone can follow, and in words."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.approving import Approved, words_of
from tests.properties import examples

import adjudge
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.counts import Counts
from adjudge.analyses.counts.result import CountsTable, rankel_tables
from adjudge.core.errors import UsageError
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.stats.paired import PairedTest, differences, paired_t, wilcoxon
from adjudge.stats.pairs import PairCounts, PairResults, columns_of_pairs, t_pairs, wilcoxon_pairs
from adjudge.stats.resampling.engine import Statistic
from adjudge.stats.resampling.swaps import hb_pairs, mc_pairs

PairTest = Callable[[Any], PairResults]


def matrix(
    values: Any, systems: Sequence[str], better: Better = "higher", measure: str = "rouge-2"
) -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    topics = tuple(f"d{k}" for k in range(array.shape[0]))
    info = MeasureInfo(measure, better, signature=f"{measure}|v:1")
    return ScoreMatrix(array, np.isfinite(array).astype(int), topics, tuple(systems), info)


def of_pairs(test: str, found: Sequence[PairedTest], columns: int) -> PairResults:
    first, second = columns_of_pairs(columns)

    def array(name: str, kind: type) -> Any:
        return np.array([getattr(each, name) for each in found], dtype=kind)

    counts = PairCounts(
        first,
        second,
        array("n", int),
        array("difference", float),
        array("wins", int),
        array("losses", int),
        array("ties", int),
    )
    return PairResults(
        test,
        counts,
        array("statistic", float),
        array("p", float),
        tuple(each.method for each in found),
        f"{test}:loop",
        why={k: each.why for k, each in enumerate(found) if each.why},
    )


def loop(test: str, one: Callable[[Any, Any], PairedTest]) -> PairTest:
    """A test of all pairs from a test of one."""

    def run(values: Any) -> PairResults:
        pairs = combinations(range(values.shape[1]), 2)
        return of_pairs(test, [one(values[:, i], values[:, j]) for i, j in pairs], values.shape[1])

    return run


WILCOXON = loop("wilcoxon", wilcoxon)
T = loop("t", paired_t)


def said(answers: dict[tuple[int, int], tuple[float, float]]) -> PairTest:
    """A test that says what it is told: statistic and p by pair of columns; NaN is untested."""

    def run(values: Any) -> PairResults:
        def one(i: int, j: int) -> PairedTest:
            statistic, p = answers[i, j]
            if math.isnan(p):
                return PairedTest("t", why="needs two topics that both have, has 1", n=1)
            d = differences(values[:, i], values[:, j])
            return PairedTest("t", statistic, p, d.n, "t", d.mean, d.wins, d.losses, d.ties)

        found = [one(i, j) for i, j in combinations(range(values.shape[1]), 2)]
        return of_pairs("t", found, values.shape[1])

    return run


# Machines m and n, humans g and h. Means: m 2.0, n 5.0, g 4.0, h 9.0; over four topics each.
# g: 3 5 3 5, s = 1.1547, t(3; .975) = 3.1824: 4 +/- 1.8374, so 2.163 to 5.837: n is within, m is not.
# h: 9 9 9 9, 9 to 9: neither is.
HAND = [[1, 2.6, 4, 9], [3, 5.4, 6, 9], [1, 3.8, 4, 9], [3, 4.2, 6, 9]]
SYSTEMS = ("m", "g", "n", "h")
KINDS = {"m": "machine", "n": "baseline", "g": "human", "h": "human"}
ANSWERS = {
    (0, 1): (-3.0, 0.01),  # m against g: g is higher
    (0, 2): (-5.0, 0.001),  # m against n: of no interest but in the first table
    (0, 3): (-9.0, 0.05),  # m against h: h is higher, and .05 counts
    (1, 2): (-2.0, 0.03),  # g against n: the machine is higher
    (1, 3): (-1.0, 0.2),  # g against h
    (2, 3): (-0.5, 0.05001),  # n against h: above .05
}


def test_a_small_case_by_hand() -> None:
    found = rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(ANSWERS)})
    (counts,) = found.measures
    (test,) = counts.tests
    assert (test.pairs, test.different, test.untested) == (6, 4, 0)
    assert counts.cross == 4
    assert (test.cross_different, test.human_better, test.machine_better) == (3, 2, 1)
    m, n = test.machines
    assert (m.system, m.alike, m.better_than, m.worse_than) == ("m", (), (), ("g", "h"))
    assert (n.system, n.alike, n.better_than, n.worse_than) == ("n", ("h",), ("g",), ())
    assert (test.like_some, test.like_all) == (1, 0)
    assert [(h.system, h.n, h.mean) for h in counts.humans] == [("g", 4, 4.0), ("h", 4, 9.0)]
    assert counts.humans[0].low == pytest.approx(4 - 1.8374, abs=1e-4)
    assert math.isnan(counts.humans[1].low)  # all at one score
    assert math.isnan(counts.humans[1].high)
    assert [(each.within, each.beyond) for each in counts.machines] == [((), ()), (("g",), ())]
    assert (counts.within, counts.beyond) == (1, 0)


def test_sentences_by_hand(approved: Approved) -> None:
    approved(words_of(rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(ANSWERS)})))


def test_lower_is_better_turns_the_sides_round(approved: Approved) -> None:
    found = rankel_tables(matrix(HAND, SYSTEMS, "lower"), KINDS, {"t": said(ANSWERS)})
    (counts,) = found.measures
    (test,) = counts.tests
    assert (test.different, test.human_better, test.machine_better) == (4, 1, 2)
    m, n = test.machines
    assert (m.better_than, m.worse_than) == (("g", "h"), ())
    assert (n.better_than, n.worse_than) == ((), ("g",))
    assert [(each.within, each.beyond) for each in counts.machines] == [((), ("g",)), (("g",), ())]
    assert (counts.within, counts.beyond) == (1, 1)
    approved(words_of(found))


def test_a_description_is_higher_not_better(approved: Approved) -> None:
    found = rankel_tables(matrix(HAND, SYSTEMS, None), KINDS, {"t": said(ANSWERS)})
    approved([*words_of(found), list(found.tables())[1].title])


def test_the_side_is_that_of_the_statistic_not_of_the_means() -> None:
    values = np.array([[0.0, 0.1]] * 19 + [[100.0, 0.0]])
    found = rankel_tables(matrix(values, ("m", "h")), {"h": "human"}, {"wilcoxon": WILCOXON})
    assert values.mean(axis=0)[0] > values.mean(axis=0)[1]
    assert found.measures[0].tests[0].human_better == 1


def test_untested_pairs_are_counted_apart(approved: Approved) -> None:
    answers = {**ANSWERS, (0, 1): (math.nan, math.nan), (1, 3): (math.nan, math.nan)}
    found = rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(answers)})
    (test,) = found.measures[0].tests
    assert (test.pairs, test.different, test.untested, test.cross_untested) == (6, 3, 2, 1)
    assert test.machines[0].untested == ("g",)
    assert test.why == {"needs two topics that both have, has 1": 2}
    approved(words_of(found), "one test")
    several = rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(answers), "sign": said(ANSWERS)})
    approved(words_of(several, beyond=found), "two tests")
    assert "3, 2 untested" in found.to_latex()
    assert "2 (1/1), 1 untested" in found.to_latex()


def twin(
    values: Any, human: list[bool], sign: int, one: Callable[[Any, Any], PairedTest]
) -> tuple[dict[str, int], dict[int, dict[str, list[int]]], dict[int, list[int]]]:
    """What is counted, pair by pair."""
    total = dict.fromkeys(
        ("pairs", "different", "untested", "never", "human", "machine", "cross_untested"), 0
    )
    machines: dict[int, dict[str, list[int]]] = {
        m: {"alike": [], "better": [], "worse": [], "untested": [], "out of reach": []}
        for m, is_h in enumerate(human)
        if not is_h
    }
    for i, j in combinations(range(len(human)), 2):
        result = one(values[:, i], values[:, j])
        total["pairs"] += 1
        total["untested"] += math.isnan(result.p)
        total["different"] += result.p < 0.05
        # All differences on one side are the furthest out that a test of ranks can see.
        d = np.abs(values[:, i] - values[:, j])
        never = one is wilcoxon and result.p >= 0.05 and one(d, np.zeros(d.size)).p >= 0.05
        never |= result.p >= 0.05 and not np.nansum(d)  # nothing but ties
        total["never"] += never
        if human[i] == human[j]:
            continue
        h, m = (i, j) if human[i] else (j, i)
        lead = result.statistic * sign if h == i else -result.statistic * sign
        if math.isnan(result.p):
            total["cross_untested"] += 1
            machines[m]["untested"].append(h)
        elif never:
            machines[m]["out of reach"].append(h)
        elif result.p >= 0.05:
            machines[m]["alike"].append(h)
        elif lead > 0:
            total["human"] += 1
            machines[m]["worse"].append(h)
        else:
            total["machine"] += 1
            machines[m]["better"].append(h)
    within: dict[int, list[int]] = {m: [] for m in machines}
    for m in machines:
        mine = [v for v in values[:, m] if v == v]
        for h in (h for h, is_h in enumerate(human) if is_h):
            theirs = [v for v in values[:, h] if v == v]
            if mine and len(theirs) > 1:
                most = max(theirs.count(v) for v in theirs)
                if most > 1 and len(theirs) - most < 5:
                    continue  # at a ceiling there is no interval
                half = stats.t.ppf(0.975, len(theirs) - 1) * stats.sem(theirs)
                if abs(np.mean(mine) - np.mean(theirs)) <= half + 1e-12:
                    within[m].append(h)
    return total, machines, within


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, list[bool], Better]:
    topics, systems = draw(st.integers(1, 14)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shift = rng.normal(size=systems) * draw(st.sampled_from([0.0, 1.0, 3.0]))
    values = rng.normal(size=(topics, 1)) + rng.normal(size=(topics, systems)) + shift
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.3, 0.9]))] = math.nan
    return (
        np.round(values, draw(st.integers(0, 4))),
        [bool(b) for b in rng.random(systems) < 0.5],
        draw(st.sampled_from(["higher", "lower"])),
    )


@examples(80)
@given(cases())
def test_counts_are_those_of_a_plain_loop(case: tuple[Any, list[bool], Better]) -> None:
    values, human, better = case
    names = [f"{'h' if is_human else 'm'}{k}" for k, is_human in enumerate(human)]
    kinds = {name: "human" for name in names if name[0] == "h"}
    found = rankel_tables(matrix(values, names, better), kinds, {"wilcoxon": WILCOXON, "t": T})
    (counts,) = found.measures
    for test, one in zip(counts.tests, (wilcoxon, paired_t), strict=True):
        total, machines, within = twin(values, human, -1 if better == "lower" else 1, one)
        assert total == {
            "pairs": test.pairs,
            "different": test.different,
            "untested": test.untested,
            "never": test.out_of_reach,
            "human": test.human_better,
            "machine": test.machine_better,
            "cross_untested": test.cross_untested,
        }
        assert [m.system for m in test.machines] == [names[m] for m in machines]
        for machine, expected in zip(test.machines, machines.values(), strict=True):
            named = {key: tuple(names[h] for h in humans) for key, humans in expected.items()}
            assert named == {
                "alike": machine.alike,
                "better": machine.better_than,
                "worse": machine.worse_than,
                "untested": machine.untested,
                "out of reach": machine.out_of_reach,
            }
        assert {m.system: m.within for m in counts.machines} == {
            names[m]: tuple(names[h] for h in humans) for m, humans in within.items()
        }
    assert list(found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)
    assert len(found.to_frame()) == 2


def test_the_pairs_are_as_many_as_in_the_paper() -> None:
    # Rankel et al. 2011, heads of tables 1 and 2: systems with 8 humans among them, pairs, human-machine pairs.
    for systems, pairs, cross in ((66, 2145, 464), (61, 1830, 424), (51, 1275, 344)):
        names = [*(f"m{k}" for k in range(systems - 8)), *(f"h{k}" for k in range(8))]
        kinds = dict.fromkeys(names[-8:], "human")
        values = np.zeros((1, systems))
        (counts,) = rankel_tables(matrix(values, names), kinds, {"t": T}).measures
        assert (counts.tests[0].pairs, counts.cross) == (pairs, cross)


def halves() -> tuple[ScoreMatrix, dict[str, str]]:
    """As at TAC 2010: every human summarised half of the topics, so two humans may share none."""
    rng = np.random.default_rng(11)
    names = [*(f"m{k}" for k in range(9)), *(f"h{k}" for k in range(4))]
    values = rng.normal(size=(24, 1)) + rng.normal(scale=0.3, size=(24, 13))
    values += np.array([*np.linspace(-2.5, -0.1, 9), 0.0, 0.0, 0.0, 0.0])
    for k in range(4):
        values[k % 2 :: 2, 9 + k] = math.nan
    return matrix(values, names), dict.fromkeys(names[9:], "human")


def test_humans_with_half_of_the_topics(approved: Approved) -> None:
    found = rankel_tables(*halves(), {"t": T, "wilcoxon": WILCOXON})
    (counts,) = found.measures
    assert [human.n for human in counts.humans] == [12] * 4
    for test in counts.tests:
        assert test.untested == 4  # h0 and h2 against h1 and h3 have no topic in common
        assert test.cross_untested == 0
        assert test.machine_better == 0
        # The paper's argument: paired tests tell more machines from humans than averages do.
        assert test.like_some < counts.within
    approved(words_of(found))


def test_without_humans_a_sentence_takes_the_place_of_the_tables(approved: Approved) -> None:
    found = rankel_tables(matrix(HAND, SYSTEMS), {}, {"t": said(ANSWERS)})
    assert found.measures[0].tests[0].different == 4
    approved(words_of(found), "machines")
    assert len(found.all_tables) == 1
    assert found.to_frame()["human_better"].isna().all()
    everyone = rankel_tables(matrix(HAND, SYSTEMS), dict.fromkeys(SYSTEMS, "human"), {"t": said(ANSWERS)})
    approved(list(everyone.sentences())[1:], "humans")
    assert everyone.to_frame("machines").empty


def test_latex_has_a_row_per_measure_and_a_column_per_test() -> None:
    two = [matrix(HAND, SYSTEMS), replace(matrix(HAND, SYSTEMS, "lower", "a_b"), length=50)]
    found = rankel_tables(two, KINDS, {"t": said(ANSWERS), "mc_w": said(ANSWERS)})
    latex = found.to_latex()
    assert latex.startswith(
        r"""\begin{tabular}{lrrr}
\toprule
measure & pairs & paired t & mc\_w \\
\midrule
rouge-2 & 6 & 4 & 4 \\
a\_b at 50 words & 6 & 4 & 4 \\
\bottomrule
\end{tabular}
% Pairs of systems that differ significantly: p <= .05, not corrected

\begin{tabular}{lrrr}
\toprule
measure & pairs & paired t & mc\_w \\
\midrule
rouge-2 & 4 & 3 (2/1) & 3 (2/1) \\
a\_b at 50 words & 4 & 3 (1/2) & 3 (1/2) \\
\bottomrule
\end{tabular}
% Pairs of a human and a machine that differ significantly: all (human/machine better); p <= .05, not corrected

\begin{tabular}{lrrrr}
\toprule
measure & machines & averages & paired t & mc\_w \\
\midrule
rouge-2 & 2 & 1 & 1 & 1 \\
a\_b at 50 words & 2 & 1 & 1 & 1 \\
\bottomrule
\end{tabular}
% Machines that pass for human: mean within some human's 95 % interval (averages), not significantly different from"""
        r""" some human (tests)"""
    )
    assert latex.endswith(
        """% counts|rouge-2|v:1|topics:4|pool:mean|test:t:loop|test:t:loop|counts:p<=0.05:none|interval:t:0.95
% a_b|v:1|length:50|topics:4|pool:mean|test:t:loop|test:t:loop|counts:p<=0.05:none|interval:t:0.95"""
    )


def test_frames_and_json() -> None:
    found = rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(ANSWERS)})
    row = found.to_frame().iloc[0]
    cutoffs = ["statistic", "cutoff", "cutoff_least", "cutoff_most"]  # a test that says no cut-off
    assert row[cutoffs].isna().all()
    assert row[["data", "why"]].isna().all()  # of several data sets alone
    assert row.drop(["data", "why", "length", "form", *cutoffs]).to_dict() == {
        "measure": "rouge-2",
        "test": "t",
        "pairs": 6,
        "different": 4,
        "untested": 0,
        "out_of_reach": 0,
        "humans": 2,
        "machines": 2,
        "human_machine_pairs": 4,
        "human_machine_different": 3,
        "human_better": 2,
        "machine_better": 1,
        "human_machine_untested": 0,
        "human_machine_out_of_reach": 0,
        "machines_like_some_human": 1,
        "machines_like_every_human": 0,
        "machines_within_some_interval": 1,
        "machines_beyond_an_interval": 0,
    }
    machines = found.to_frame("machines")
    shown = machines[["system", "humans", "not_different_from", "mean_within", "alike", "worse_than"]]
    assert shown.to_numpy().tolist() == [["m", 2, 0, 0, "", "g, h"], ["n", 2, 1, 1, "h", ""]]
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    test = data["measures"][0]["tests"][0]
    assert (test["different"], test["human_machine"]["human_better"]) == (4, 2)
    assert [machine["alike"] for machine in test["machines"]] == [[], ["h"]]
    assert data["measures"][0]["machines"][1]["within"] == ["g"]
    assert data["sentences"] == list(found.sentences())


def test_alpha_and_level_are_said(approved: Approved) -> None:
    def table(**options: Any) -> CountsTable:
        asked = Counts(**options)
        return rankel_tables(matrix(HAND, SYSTEMS), KINDS, {"t": said(ANSWERS)}, asked=asked)

    found = table(alpha=0.02, level=0.999)
    assert found.measures[0].tests[0].different == 2
    assert found.measures[0].within == 2  # m's mean of 2 lies in 4 -/+ 12.92 * 0.5774
    approved(words_of(found))
    assert found.signature.endswith("|counts:p<=0.02:none|interval:t:0.999")
    with pytest.raises(UsageError, match="alpha is 5"):
        table(alpha=5)
    with pytest.raises(UsageError, match="level is 95"):
        table(level=95)


def test_what_cannot_be_counted_is_refused() -> None:
    one = matrix(HAND, SYSTEMS)
    with pytest.raises(UsageError, match="no measure"):
        rankel_tables([], KINDS, {"t": T})
    with pytest.raises(UsageError, match="no test"):
        rankel_tables(one, KINDS, {})
    with pytest.raises(UsageError, match='test "t": 1 results for 6 pairs'):
        rankel_tables(one, KINDS, {"t": lambda values: T(values[:, :2])})
    with pytest.raises(UsageError, match="one-sided"):
        rankel_tables(one, KINDS, {"t": lambda values: replace(T(values), alternative="greater")})


@pytest.mark.parametrize(
    "values",
    [[[1.0]], [[1.0, 2.0]], [[1.0, 1.0]] * 3, [[math.nan] * 3] * 2, [[1.0, math.nan], [2.0, math.nan]]],
)
def test_odd_matrices_give_a_result_or_a_reason(values: list[list[float]]) -> None:
    names = [f"s{k}" for k in range(len(values[0]))]
    found = rankel_tables(matrix(values, names), {"s0": "human"}, {"t": T, "wilcoxon": WILCOXON})
    assert all(found.sentences())
    assert r"\toprule" in found.to_latex()
    json.dumps(found.as_dict(), allow_nan=False)


def test_one_system_is_no_pair(approved: Approved) -> None:
    found = rankel_tables(matrix([[1.0], [2.0]], ["m"]), {}, {"t": T})
    assert found.measures[0].tests[0].pairs == 0
    approved(words_of(found))


def test_a_human_with_one_topic_has_no_interval(approved: Approved) -> None:
    values = [[1.0, 1.0], [2.0, math.nan]]
    found = rankel_tables(matrix(values, ["m", "h"]), {"h": "human"}, {"t": T})
    assert math.isnan(found.measures[0].humans[0].low)
    approved(words_of(found))
    assert found.measures[0].machines[0].within == ()


def test_a_mean_on_the_bound_is_within_but_for_rounding() -> None:
    human = np.array([0.1, 0.2, 0.4])
    bound = human.mean() + stats.t.ppf(0.975, 2) * stats.sem(human)
    for machine, within in ((bound * (1 + 1e-14), ("h",)), (bound + 1e-9, ())):
        values = np.column_stack([np.full(3, machine), human])
        found = rankel_tables(matrix(values, ["m", "h"]), {"h": "human"}, {"t": T})
        assert found.measures[0].machines[0].within == within


def test_a_human_at_a_ceiling_has_no_interval_as_in_the_league() -> None:
    values = np.column_stack([np.linspace(4.0, 5.0, 12), [5.0] * 9 + [4.0, 3.0, 4.0]])
    found = rankel_tables(matrix(values, ["m", "h"]), {"h": "human"}, {"t": T})
    assert math.isnan(found.measures[0].humans[0].low)
    assert math.isnan(
        next(s.low for s in compare_matrix(matrix(values, ["m", "h"])).standings if s.system == "h")
    )


def test_five_hundred_systems() -> None:
    def flat(values: Any) -> PairResults:
        first, second = columns_of_pairs(values.shape[1])
        whole, p = np.full(first.size, 2), np.full(first.size, 0.5)
        counts = PairCounts(first, second, whole, p, whole, whole, whole)
        return PairResults("t", counts, p, p, ("t",) * first.size, "flat")

    names = [f"s{k}" for k in range(500)]
    kinds = dict.fromkeys(names[:8], "human")
    values = np.tile([[1.0], [1.5]], 500)
    (counts,) = rankel_tables(matrix(values, names), kinds, {"t": flat}).measures
    assert (counts.tests[0].pairs, counts.cross, counts.within) == (124_750, 3936, 492)
    assert (counts.tests[0].like_some, counts.tests[0].like_all) == (492, 492)


def test_machine_by_machine_the_tables_are_the_frame() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal([0.0, 0.2, 0.4, 2.0, 2.1], 1.0, size=(12, 5))
    kinds = {"s3": "human", "s4": "human"}
    systems = tuple(f"s{k}" for k in range(5))
    matrix = ScoreMatrix(
        values, np.ones((12, 5), int), tuple(f"t{k}" for k in range(12)), systems, MeasureInfo("m")
    )
    found = rankel_tables(matrix, kinds, {"t": t_pairs, "wilcoxon": wilcoxon_pairs})
    [table] = [table for table in found.all_tables if table.name.startswith("machines-")]
    frame = found.to_frame("machines")
    for machine, averages, *alike in table.rows:
        rows = frame[frame["system"] == machine].set_index("test")
        assert [rows.loc[test, "not_different_from"] for test in ("t", "wilcoxon")] == alike
        assert rows["mean_within"].iloc[0] == averages


def test_what_could_not_have_been_found_is_not_alike(approved: Approved) -> None:
    """Five topics: the smallest two-sided p of signs is 2/32 = .0625, above .05, and that of t has no bound."""
    values = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 7.0], [3.0, 5.0, 8.0], [4.0, 7.0, 9.0], [5.0, 7.5, 11.0]])
    kinds = {"m": "machine", "n": "machine", "h": "human"}
    tests = {"wilcoxon": wilcoxon_pairs, "t": t_pairs}
    found = rankel_tables(matrix(values, list(kinds)), kinds, tests)
    ranks, t = found.measures[0].tests
    assert (ranks.different, ranks.out_of_reach, t.different, t.out_of_reach) == (0, 3, 3, 0)
    assert [(each.alike, each.out_of_reach) for each in ranks.machines] == [((), ("h",)), ((), ("h",))]
    assert (ranks.like_some, ranks.like_all) == (0, 0)
    approved(words_of(found))
    assert "0, 3 out of reach" in found.table("pairs").to_text()
    assert found.to_frame()["out_of_reach"].tolist() == [3, 0]
    assert found.to_frame("machines")["out_of_reach"].tolist() == ["h", "h", "", ""]
    # With a larger alpha they are within reach, and found.
    wide = (
        rankel_tables(matrix(values, list(kinds)), kinds, tests, asked=Counts(alpha=0.07))
        .measures[0]
        .tests[0]
    )
    assert (wide.different, wide.out_of_reach) == (3, 0)


def test_too_few_resamples_find_nothing() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)) + np.array([0.0, 3.0, 6.0]))
    few = adjudge.counts(frame, tests=("mc:mean", "hb:t"), resamples=18)  # no p below 1/19 = .053
    assert [(t.different, t.out_of_reach) for t in few.measures[0].tests] == [(0, 3), (0, 3)]
    enough = adjudge.counts(frame, tests=("mc:mean", "hb:t"), resamples=20)
    assert [(t.different, t.out_of_reach) for t in enough.measures[0].tests] == [(3, 0), (3, 0)]


def test_a_machine_without_scores_is_not_outside(approved: Approved) -> None:
    values = np.array([[1.0, math.nan, 2.0], [2.0, math.nan, 3.0], [3.0, math.nan, 5.0]])
    kinds = {"m": "machine", "n": "machine", "h": "human"}
    found = rankel_tables(matrix(values, list(kinds)), kinds, {"t": t_pairs})
    approved(words_of(found))


@examples(30)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.sampled_from(["greater", "less", "two-sided"]))
def test_whoever_has_a_p_below_alpha_is_beyond_the_cutoff(topics: int, seed: int, alternative: Any) -> None:
    """The cut-off c is the smallest with at most alpha of the resamples above it; p counts those that tie, too."""
    values = np.random.default_rng(seed).integers(1, 6, (topics, 4)).astype(float)
    for run in (mc_pairs, hb_pairs):
        for statistic in get_args(Statistic):
            found = run(
                values,
                rng=np.random.default_rng(seed),
                statistic=statistic,
                resamples=199,
                alpha=0.1,
                alternative=alternative,
            )
            assert found.cutoff is not None
            sign = -1 if alternative == "less" else 1
            size = np.abs(found.statistic) if alternative == "two-sided" else sign * found.statistic
            beyond = size > sign * found.cutoff
            assert beyond[found.p < 0.1].all()


def test_scores_of_any_size_have_intervals() -> None:
    values = np.random.default_rng(1).normal(size=(12, 4)) + np.array([0.0, 5.0, 0.0, 9.0])
    names, kinds = ["m", "n", "g", "h"], {"g": "human", "h": "human"}
    plain, huge = (
        rankel_tables(matrix(values * scale, names), kinds, {"wilcoxon": wilcoxon_pairs})
        for scale in (1.0, 2.0**980)
    )
    assert list(huge.sentences()) == list(plain.sentences())
    assert [h.high for h in huge.measures[0].humans] == [h.high * 2.0**980 for h in plain.measures[0].humans]


# Several data sets side by side


def year(seed: int, machines: int, measures: Sequence[str]) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    names = [*(f"m{k}" for k in range(machines)), "H1"]
    return pd.DataFrame(
        [
            (measure, f"t{topic}", name, rng.normal(k / 2, 1))
            for measure in measures
            for topic in range(15)
            for k, name in enumerate(names)
        ],
        columns=["measure", "topic", "system", "value"],
    )


def test_data_sets_have_the_counts_that_each_has_by_itself(approved: Approved) -> None:
    counts: Any = adjudge.counts  # it takes the options of tables too
    years = {"2009": year(1, 4, ["r", "p"]), "2010": year(2, 3, ["r", "q"])}
    found = counts(years, tests=("t", "mc:w"), human="H*", seed=3)
    assert found.data == ("2009", "2010")
    alone = [
        (name, m)
        for name, frame in years.items()
        for m in counts(frame, tests=("t", "mc:w"), human="H*", seed=3).measures
    ]
    assert [replace(m, data=None) for m in found.measures] == [m for _, m in alone]
    assert [m.data for m in found.measures] == [name for name, _ in alone]

    pairs, *_ = found.tables()
    by = {m.named: [m.tests[0].pairs, *(t.different for t in m.tests)] for m in found.measures}
    assert [row[0] for row in pairs.rows] == ["r", "p", "q"]
    assert [c.over for c in pairs.columns if c.show == "always"] == [
        "",
        *["2009: 10 pairs of 5 systems"] * 2,
        *["2010: 6 pairs of 4 systems"] * 2,
    ]
    for row in pairs.rows:
        for name, cells in (("2009", row[1:4]), ("2010", row[4:7])):
            if (expected := by.get(f"{row[0]} ({name})")) is None:
                assert cells == (None, None, None)
            else:
                assert [int(str(cell)) for cell in cells] == expected
    assert sum(None in row for row in pairs.rows) == 2
    approved(words_of(found))


def test_years_of_other_lengths_stand_in_one_row() -> None:
    """Unless a year has several: then lengths are rows."""
    years = {"2009": year(1, 4, ["r"]).assign(length=100), "2010": year(2, 4, ["r"]).assign(length=250)}
    found = adjudge.counts(years)
    pairs, *_ = found.tables()
    assert [row[0] for row in pairs.rows] == ["r"]
    alone = {name: adjudge.counts(frame).measures[0].tests for name, frame in years.items()}
    [row] = pairs.records()
    for name, tests in alone.items():
        assert row[f"wilcoxon in {name}"] == f"{tests[2].different}"
    assert [note.code for note in found.notes()] == ["targets-differ"]
    both = pd.concat([years["2009"], years["2010"]])
    several = adjudge.counts({"2009": both, "2010": years["2010"]})
    pairs, *_ = several.tables()
    assert [row[0] for row in pairs.rows] == ["r at 100 words", "r at 250 words"]
    assert [(gone.data, gone.length) for gone in several.absent] == [("2010", 100)]


def test_what_is_counted_of_stands_above_a_year_where_all_its_measures_have_it() -> None:
    fewer = year(1, 4, ["r", "p"])
    fewer = fewer[(fewer["measure"] == "r") | (fewer["system"] != "m0")]
    counts: Any = adjudge.counts
    found = counts({"2009": fewer, "2010": year(2, 58, ["r"])}, tests=("t",), human="H*")
    pairs, crossed, like = (
        [(c.over, c.title) for c in table.columns if c.show == "always"][1:]
        for table in list(found.tables())[:3]
    )
    last = ("2010: 1,711 pairs of 59 systems", "paired t")
    assert pairs == [("2009", "pairs"), ("2009", "paired t"), last]
    assert crossed[-1] == ("2010: 58 = 58 x 1 pairs", "paired t")
    assert like[-2:] == [("2010: 58 machines", "averages"), ("2010: 58 machines", "paired t")]


def test_a_measure_of_one_data_set_has_empty_rows_with_the_reason_in_the_other() -> None:
    found = adjudge.counts({"a": year(1, 3, ["r", "p"]), "b": year(2, 3, ["r"])}, tests=("t", "mc"))
    frame = found.to_frame()
    empty = (frame["data"] == "b") & (frame["measure"] == "p")
    gone = frame[empty]
    assert gone["why"].tolist() == ["b has no scores of p"] * 2
    assert gone["statistic"].fillna("").tolist() == ["", "mean"]
    assert gone[["pairs", "different", "cutoff", "humans"]].isna().all(axis=None)
    assert frame[~empty]["why"].isna().all()
    assert frame[~empty]["pairs"].notna().all()
    data = found.as_dict()
    assert data["data"] == ["a", "b"]
    assert [(each["data"], each["measure"], each["why"]) for each in data["absent"]] == [
        ("b", "p", "b has no scores of p")
    ]


def test_a_named_measure_must_be_in_some_data_set() -> None:
    years = {"a": year(1, 3, ["r", "p"]), "b": year(2, 3, ["r"])}
    found = adjudge.counts(years, ["p", "r"], tests=("t",))
    assert [m.named for m in found.measures] == ["p (a)", "r (a)", "r (b)"]
    with pytest.raises(UsageError, match='no scores of "q"'):
        adjudge.counts(years, ["r", "q"])
    with pytest.raises(UsageError, match="no data set"):
        adjudge.counts({})


def test_a_heading_says_what_is_resampled() -> None:
    frame = year(1, 3, ["r"])

    def headings(**options: Any) -> list[str]:
        return [column.title for column in adjudge.counts(frame, **options).table().columns[2:]]

    assert headings(tests=("mc", "hb", "mc:w", "t")) == [
        "random swaps of the mean",
        "hybrid bootstrap of T^p",
        "random swaps of W",
        "paired t",
    ]
    assert headings(tests=("mc", "hb:t"), statistic="w") == [
        "random swaps of W",
        "hybrid bootstrap of T^p",
    ]
    assert " by random swaps of W (" in adjudge.counts(frame, tests=("mc",), statistic="w").headline()


def test_cutoffs_of_every_test_are_in_csv_and_json() -> None:
    """Theoretical ones are SciPy's quantiles; resampled ones are quantiles of the null distributions."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal([0.0, 0.5, 1.0], 1, (20, 3)), columns=["a", "b", "c"])
    tests = ("t-unpaired", "t", "wilcoxon", "sign", "welch", "mc:w", "mc:t-unpaired", "hb:w")
    found = adjudge.counts(frame, tests=tests, resamples=400, seed=2)
    rows = found.to_frame().set_index("test")
    assert rows["cutoff"].notna().all()
    assert rows.loc["t", "cutoff"] == pytest.approx(stats.t.ppf(0.975, 19), rel=1e-12)
    assert rows.loc["t-unpaired", "cutoff"] == pytest.approx(stats.t.ppf(0.975, 38), rel=1e-12)
    # Printed tables of Wilcoxon's test: n = 20, the smaller sum at most 52, so |W| >= 210 - 104.
    assert rows.loc["wilcoxon", ["cutoff", "cutoff_least", "cutoff_most"]].tolist() == [106.0] * 3
    freedom = [
        (u + v) ** 2 / ((u**2 + v**2) / 19)
        for u, v in combinations(frame.to_numpy().var(axis=0, ddof=1).tolist(), 2)
    ]
    assert rows.loc["welch", "cutoff_most"] == pytest.approx(stats.t.ppf(0.975, min(freedom)), rel=1e-10)
    for test in ("mc:w", "mc:t-unpaired", "hb:w"):
        assert rows.loc[test, "cutoff_least"] <= rows.loc[test, "cutoff"] <= rows.loc[test, "cutoff_most"]
    # Under swaps W is nearly normal with variance n(n + 1)(2n + 1) / 6; 400 resamples leave the quantile some noise.
    assert rows.loc["mc:w", "cutoff"] == pytest.approx(1.96 * math.sqrt(20 * 21 * 41 / 6), rel=0.1)
    data = found.as_dict()["measures"][0]["tests"]
    assert [each["cutoff"] for each in data] == rows["cutoff"].tolist()
