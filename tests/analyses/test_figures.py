"""Figures of comparisons draw the numbers of their results, and say what is missing."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn
from tests.approving import Approved

from adjudge.analyses.anova import anova
from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.compare import compare
from adjudge.analyses.compare.words import tally
from adjudge.analyses.groups import groups
from adjudge.analyses.lengths import lengths
from adjudge.analyses.lengths.figures import SPECS as SPECS_OF_LENGTHS
from adjudge.analyses.plan import plan
from adjudge.analyses.plan.designs import DesignStudy
from adjudge.analyses.scores import Scores
from adjudge.analyses.topics import topics
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.picture import HEAT, Figure
from adjudge.data.scores import MeasureInfo, ScoreTable

HOSTILE = '<script>&"x"\u202e \x07'


def made(
    systems: int = 6, n: int = 12, *, missing: Any = (), seed: int = 1, names: Any = None, spread: float = 1.0
) -> pd.DataFrame:
    """Topics d3, d1, d2 ... in the file's order, systems s0 ... from the worst to the best."""
    rng = np.random.default_rng(seed)
    topic = rng.normal(0, 0.1, n)
    called = names or [f"s{j}" for j in range(systems)]
    return pd.DataFrame(
        [
            {
                "topic": f"d{(i + 2) % n + 1}",
                "system": called[j],
                "measure": "m",
                "value": 0.3 + 0.05 * j + topic[i] + rng.normal(0, 0.05 * spread),
                "kind": {0: "baseline", systems - 1: "human"}.get(j, "machine"),
            }
            for i in range(n)
            for j in range(systems)
            if (i, j) not in missing
        ]
    )


def judged(seed: int = 4, assessors: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 0.05, (assessors, 4))
    rows = []
    for i in range(10):
        topic = rng.normal(0, 0.1, 4)
        for j in range(4):
            for a in range(assessors):
                value = 0.3 + 0.1 * j + topic[j] + own[a, j] + rng.normal(0, 0.05)
                rows.append(
                    {"topic": f"d{i}", "system": f"s{j}", "assessor": f"a{a}", "measure": "m", "value": value}
                )
    return pd.DataFrame(rows)


def several_lengths(**more: Any) -> pd.DataFrame:
    frames = [
        made(4, 8, seed=length, spread=200 / length, **more).assign(length=length)
        for length in (50, 100, 200)
    ]
    return pd.concat(frames, ignore_index=True).drop(columns="kind")


# The map of topics by systems


@pytest.mark.parametrize("order", ["rank", "given"])
def test_heat_has_every_cell_in_its_order_and_step(order: Any, approved: Approved) -> None:
    frame = made(missing={(0, 5), (3, 2)})
    comparison = compare(frame, "m")
    figure = comparison.figure("heat", order=order)
    check_drawn(figure)
    data = figure.data
    assert len(data) == 12 * 6
    values = comparison.matrix.to_frame()
    drawn = data.assign(system=data["system"].str.replace(" (baseline)", "", regex=False))
    for row in drawn.itertuples():
        assert row.value == values.at[row.topic, row.system] or math.isnan(row.value)
    low, high = np.nanmin(values), np.nanmax(values)
    expected = np.minimum(6, ((drawn["value"] - low) / (high - low) * len(HEAT)).astype("Float64") // 1)
    assert drawn["step"].astype("Float64").equals(expected.rename("step"))
    lost = data[data["value"].isna()]
    assert {*zip(lost["topic"], lost["system"], strict=True)} == {("d3", "s5"), ("d6", "s2")}
    assert set(lost["range"]) == {"no score"}
    if order == "given":
        approved(figure.words)
    systems, topic_names = list(dict.fromkeys(drawn["system"])), list(dict.fromkeys(drawn["topic"]))
    if order == "given":
        assert systems == ["s0", "s1", "s2", "s3", "s4", "s5"]  # the human last, and last in the file
        assert topic_names == list(dict.fromkeys(frame["topic"]))
        assert topic_names[0] == "d3"
    else:
        ranked = [s.system for s in comparison.standings]
        assert systems == [*(s for s in ranked if s != "s5"), "s5"]
        assert topic_names == [s.topic for s in topics(frame, "m").standings]
    assert set(data.loc[data["kind"] == "human", "part"]) == {"humans"}
    assert set(data.loc[data["kind"] != "human", "part"]) == {"machines and baselines"}


def lower_is_better(frame: pd.DataFrame) -> Scores:
    kinds = dict(zip(frame["system"], frame["kind"], strict=True))
    table = ScoreTable.from_frame(frame.drop(columns="kind"), [MeasureInfo("m", better="lower")])
    return Scores("scores", table, kinds)


def test_lower_scores_are_stronger_first_and_left_of_nought_where_they_are_better(approved: Approved) -> None:
    comparison = compare(lower_is_better(made()), "m")
    heat = comparison.figure("heat")
    check_drawn(heat)
    assert heat.data.loc[heat.data["value"].idxmin(), "step"] == 6
    assert heat.data.loc[heat.data["value"].idxmax(), "step"] == 0
    approved([heat.words, comparison.figure("forest", against="s0").words])
    assert list(comparison.figure("league").data["system"]) == ["s0", "s1", "s2", "s3", "s4", "s5"]
    forest = comparison.figure("forest", against="s0")
    assert (forest.data["difference"] > 0).all()
    square = comparison.figure("matrix").data
    assert set(square[square["row"] == "s0 (baseline)"]["sign"]) <= {"+", "", "?"}
    assert "+" in set(square[square["row"] == "s0 (baseline)"]["sign"])
    ranks = groups(lower_is_better(made()), "m").figure().data
    assert ranks[ranks["part"] == "system"].iloc[0]["system"] == "s0"


def test_a_step_of_the_heat_map_names_the_values_it_stands_for() -> None:
    figure = compare(made(), "m").figure("heat")
    for row in figure.data.itertuples():
        low, high = (float(end) for end in row.range.split(" to "))
        assert low - 0.006 <= row.value <= high + 0.006


def test_heat_maps_of_one_value_of_one_system_and_of_very_many() -> None:
    one = made(1, 3).assign(value=0.5)
    figure = compare(one, "m").figure("heat")
    check_drawn(figure)
    assert set(figure.data["range"]) == {"0.500"}
    with pytest.raises(UsageError, match="201 systems are too many"):
        compare(made(201, 2), "m").figure("heat")
    with pytest.raises(UsageError, match="expected rank or given"):
        compare(one, "m").figure("heat", order="best")


def test_names_that_are_drawn_alike_stay_apart() -> None:
    names = ["a\u202e", "a", f"{HOSTILE}", "x" * 300]
    comparison = compare(made(4, 6, names=names), "m")
    for kind in ("heat", "league", "matrix", "forest"):
        figure = comparison.figure(kind)
        check_drawn(figure)
        assert "<script>" not in figure.to_svg()
    assert comparison.figure("league").data["system"].nunique() == 4
    figure = groups(made(4, 6, names=names), "m").figure()
    check_drawn(figure)


# Topics


def test_topics_are_drawn_with_the_results_intervals_and_coloured_by_the_chosen_one() -> None:
    result = topics(made(8, 20, seed=3), "m", against="d4")
    figure = result.figure()
    check_drawn(figure)
    data = figure.data.set_index("topic")
    assert list(data.index) == [s.topic for s in result.standings]
    for s in result.standings:
        assert (data.at[s.topic, "low"], data.at[s.topic, "high"]) == (s.low, s.high)
        assert data.at[s.topic, "mean_rank"] == s.mean_rank
        word = (
            "chosen"
            if s.from_chosen is None
            else "differs"
            if s.from_chosen
            else "does not differ significantly"
        )
        assert data.at[s.topic, "compared"] == word
    # In a balanced design intervals and tests say the same.
    chosen = data.loc["d4"]
    overlap = (data["low"] <= chosen["high"]) & (data["high"] >= chosen["low"])
    assert (overlap == (data["compared"] != "differs")).all()
    assert 0 < (data["compared"] == "differs").sum() < 19
    assert "compared" not in topics(made(), "m").figure().data


def test_topics_that_could_not_differ_or_have_no_scores_say_so(approved: Approved) -> None:
    frame = made(1, 5)
    figure = topics(frame, "m", against="d1").figure()
    assert set(figure.data["compared"]) == {"chosen", "could not have been found to differ"}
    silent = pd.concat(
        [made(4, 6), pd.DataFrame([{"topic": "dx", "system": "s1", "measure": "m", "value": math.nan}])]
    )
    figure = topics(silent, "m", against="d1").figure()
    check_drawn(figure)
    assert figure.data.iloc[-1]["compared"] == "no scores"
    approved(figure.words)


# Pairs


def test_the_matrix_says_of_every_pair_what_the_comparison_says() -> None:
    holes = {(i, 0) for i in range(6)} | {(i, 5) for i in range(6, 12)}
    comparison = compare(made(missing=holes, spread=1.5), "m")
    figure = comparison.figure("matrix")
    check_drawn(figure)
    drawn = {(r.row.split(" ")[0], r.column.split(" ")[0]): r for r in figure.data.itertuples()}
    assert len(drawn) == 6 * 5
    words = {"not significantly different", "? could not have been found", "× no topic in common"}
    for pair in comparison.pairs[comparison.test]:
        there, back = drawn[pair.a, pair.b], drawn[pair.b, pair.a]
        if pair.different:
            assert there.result == "+ row is better than column"
            assert back.result == "– row is worse than column"
            assert there.difference == -back.difference == pair.result.difference
        else:
            assert there.result == back.result
            assert there.result in words
            assert there.result.endswith(
                {"not comparable": "no topic in common"}.get(pair.conclusion, pair.conclusion)
            )
    assert drawn["s0", "s5"].result == "× no topic in common"
    assert figure.words.startswith(tally(comparison)[:12].capitalize())


def test_the_matrix_shows_pairs_that_were_not_asked_for() -> None:
    one = compare(made(), "m", against="s2").figure("matrix").data
    asked = one["row"].eq("s2") | one["column"].eq("s2")
    assert (one.loc[~asked, "result"] == "not asked for").all()
    assert (one.loc[asked, "result"] != "not asked for").all()
    with pytest.raises(UsageError, match="no pair to draw"):
        compare(made(1), "m").figure("matrix")


def test_the_forest_has_the_pairs_intervals_the_largest_difference_first() -> None:
    comparison = compare(made(), "m")
    figure = comparison.figure("forest")
    check_drawn(figure)
    pairs = {(p.a, p.b): p for p in comparison.pairs[comparison.test]}
    assert len(figure.data) == len(pairs) == 15
    for row in figure.data.itertuples():
        pair = pairs[row.a, row.b]
        assert (row.difference, row.low, row.high) == (pair.result.difference, pair.low, pair.high)
        assert row.conclusion == pair.conclusion
    assert figure.data["difference"].abs().is_monotonic_decreasing
    assert f"{sum(p.different for p in pairs.values())} of 15 pairs" in figure.words
    assert "verdict" not in figure.data


def test_a_forest_against_one_system_takes_it_from_all_others() -> None:
    comparison = compare(made(), "m")
    for chosen in ("s0", "s3", "s5"):
        data = comparison.figure("forest", against=chosen).data
        assert set(data["b"]) == {chosen}
        assert data["difference"].is_monotonic_decreasing
        means = comparison.matrix.to_frame().mean()
        for row in data.itertuples():
            assert row.difference == pytest.approx(means[row.a] - means[chosen], abs=1e-12)
            assert row.low <= row.difference <= row.high
    with pytest.raises(UsageError, match="no such system"):
        comparison.figure("forest", against="s9")
    with pytest.raises(UsageError, match="choose one system with against"):
        compare(made(14), "m").figure("forest")


def test_a_forest_shows_the_margin_open_ends_and_what_has_no_interval(approved: Approved) -> None:
    comparison = compare(made(), "m", margin=0.08)
    figure = comparison.figure("forest")
    same = [p.same for p in comparison.pairs[comparison.test]]
    assert sum(same) == 1
    approved(figure.words)
    assert (
        sum(figure.data["verdict"].isin(["equivalent", "different by less than the margin"])) == sum(same) > 0
    )
    check_drawn(figure)
    sided = compare(made(), "m", against="s2", side="better").figure("forest")
    check_drawn(sided)
    assert sided.data["high"].isna().all()
    assert sided.data["low"].notna().all()
    approved(sided.words, "one-sided")
    apart = compare(made(3, 8, missing={(i, i % 2) for i in range(8)}), "m").figure("forest")
    check_drawn(apart)
    assert apart.data.iloc[-1]["conclusion"] == "not comparable"
    approved(apart.words, "not comparable")
    same_everywhere = made(2, 6).assign(value=lambda f: f["system"].str[1].astype(float))
    bare = compare(same_everywhere, "m").figure("forest")
    check_drawn(bare)
    approved(bare.words, "no interval")


# Rankings


def test_the_league_draws_means_intervals_and_letters(approved: Approved) -> None:
    comparison = compare(made(), "m")
    figure = comparison.figure()
    assert figure.name == "league"
    check_drawn(figure)
    for s, row in zip(comparison.standings, figure.data.itertuples(), strict=True):
        assert (row.mean, row.low, row.high, row.group) == (s.mean, s.low, s.high, s.group)
        assert row.system == s.system
        assert row.kind == comparison.kinds[s.system]
    assert "unadjusted" not in figure.data
    approved(figure.words)
    approved(compare(made(), "m", against="s1").figure("league").words, "against one")


def test_the_league_tells_adjusted_means_from_those_that_the_intervals_are_of(approved: Approved) -> None:
    comparison = compare(made(missing={(0, 1), (1, 1), (2, 4)}), "m")
    figure = comparison.figure("league")
    check_drawn(figure)
    rows = figure.data.itertuples()
    for s, row in zip(comparison.standings, rows, strict=True):
        assert (row.mean, row.unadjusted) == (s.adjusted, s.mean)
        assert row.low < row.unadjusted < row.high
    approved(figure.words)


def test_the_league_of_sampled_assessors_has_their_intervals(approved: Approved) -> None:
    comparison = compare(judged(), "m")
    assert comparison.sampled
    figure = comparison.figure("league")
    approved(figure.words)
    assert list(figure.data["low"]) == [s.low for s in comparison.standings]


def test_the_critical_difference_diagram_has_the_ranks_the_bars_and_the_difference() -> None:
    found = groups(made(7, 20, spread=2), "m")
    figure = found.figure()
    check_drawn(figure)
    data, diagram = figure.data, found.diagram
    systems = data[data["part"] == "system"]
    assert list(systems["system"]) == [found.matrix.systems[k] for k in diagram.order]
    assert list(systems["rank"]) == [diagram.ranks[k] for k in diagram.order]
    bars = data[data["part"] == "alike"]
    expected = [(diagram.ranks[c[0]], diagram.ranks[c[-1]]) for c in diagram.cliques()]
    assert list(zip(bars["rank"], bars["end"], strict=True)) == expected
    assert expected
    [cd] = data[data["part"] == "critical difference"].itertuples()
    assert cd.end - cd.rank == pytest.approx(diagram.cd)
    assert f"{diagram.cd:.2f}" in figure.words
    # Demsar 2006: q(0.05; k, inf) / sqrt(2) sqrt(k (k + 1) / (6 N)); q / sqrt(2) is 2.949 for 7 (his table 5a)
    assert diagram.cd == pytest.approx(2.949 * math.sqrt(7 * 8 / (6 * 20)), abs=2e-3)
    one_side = systems.groupby("side")["y"]
    assert (
        one_side.apply(lambda y: y.sort_values().diff().min()) > 0.99
    ).all()  # a line of text for each name
    for a, b in combinations(bars.itertuples(), 2):
        assert a.y != b.y or a.end < b.rank


def test_critical_difference_diagrams_of_many_and_of_few() -> None:
    check_drawn(groups(made(40, 30, spread=3), "m").figure())
    with pytest.raises(UsageError, match="61 systems are too many for a picture, which takes 60"):
        groups(made(61, 3), "m").figure()
    with pytest.raises(DataError, match="two systems"):
        groups(made(1, 3), "m").figure()
    tied = groups(made(3, 2).assign(value=0.5), "m").figure()
    check_drawn(tied)


# Plans


def test_power_curves_pass_through_the_plans_own_numbers() -> None:
    found = plan(made(4, 12, spread=2), "m", simulations=200)
    figure = found.figure()
    check_drawn(figure)
    table = found.to_frame("powers")
    drawn = figure.data.set_index(["curve", "topics"])["power"]
    for need, name in found.curves():
        of = table[(table["test"] == need.test) & (table["compared"] == need.compared)]
        for row in of.itertuples():
            assert drawn[name, row.topics] == row.power
    assert figure.data["topics"].nunique() > len(found.sizes)
    assert set(figure.data["have"]) == {12}
    assert set(figure.data["wanted"]) == {0.8}
    one = drawn["t, one pair"] if "t, one pair" in drawn else drawn["wilcoxon, one pair"]
    assert one.iloc[-1] > one.iloc[0]


@pytest.fixture(scope="module")
def study() -> DesignStudy:
    found = plan(judged(), "m", simulations=100).designs
    assert found is not None
    return found


def test_d_study_curves_have_the_standard_error_and_reliability_of_brennans_formulas(
    study: DesignStudy, approved: Approved
) -> None:
    figure = study.figure()
    check_drawn(figure)
    crossed = study.crossed
    assert crossed is not None
    wide = figure.data.pivot(index=["assessors", "topics"], columns="quantity", values="value")
    for (assessors, n), row in wide.iterrows():
        j = int(assessors.split()[0])
        variance = crossed.topics / n + crossed.likings / j + crossed.residual / (n * j)  # of a difference
        assert row["standard error of a difference"] == pytest.approx(math.sqrt(variance))
        reliable = study.system_variance / (study.system_variance + variance / 2)
        assert row["reliability of systems' means"] == pytest.approx(reliable)
    now = study.now
    assert now is not None
    here = figure.data[figure.data["now"] & (figure.data["quantity"] == "power")]
    assert list(here["value"]) == [now.power]
    approved(figure.words)
    assert figure.title.endswith(", m")


# Interactions


def test_interactions_are_drawn_as_cell_means_with_the_test(approved: Approved) -> None:
    frame = judged()
    found = anova(frame, "m")
    figure = found.figure()
    check_drawn(figure)
    expected = frame.groupby(["system", "assessor"])["value"].mean()
    for row in figure.data.itertuples():
        assert row.mean == pytest.approx(expected[row.system, row.level])
        assert row.n == 10
    wide = expected.unstack()
    left = wide.sub(wide.mean(axis=1), axis=0).sub(wide.mean(axis=0), axis=1) + wide.to_numpy().mean()
    for row in figure.data.itertuples():
        assert row.departure == pytest.approx(left.at[row.system, row.level], abs=1e-12)
    assert "assessor:system" in [each.term for each in found.beside]
    approved(figure.words, "assessor")
    by_topic = found.figure("interaction", by="topic")
    assert by_topic.data["level"].nunique() == 10
    approved(by_topic.words, "topic")


def test_an_interaction_that_cannot_be_tested_says_so_and_many_lines_fade() -> None:
    found = anova(made(12, 6, missing={(2, 3)}), "m")
    figure = found.figure()
    check_drawn(figure)
    assert "not tested: no system has two scores on one topic" in figure.words
    assert "1 cell has no score" in figure.words
    coloured = set(figure.data["series"]) - {"other systems"}
    assert len(coloured) == 6
    squares = (figure.data["departure"] ** 2).groupby(figure.data["system"]).sum()
    assert coloured == set(squares.nlargest(6).index)
    with pytest.raises(UsageError, match='no factor "assessor"'):
        found.figure("interaction", by="assessor")
    with pytest.raises(UsageError, match="of another factor"):
        found.figure("interaction", by="system")


# Target lengths


def test_means_and_boxes_by_length_draw_the_results_numbers(approved: Approved) -> None:
    frame = several_lengths(missing={(1, 1)})
    result = lengths(frame, "m")
    means = result.figure()
    check_drawn(means)
    drawn = means.data.set_index(["length", "system"])
    for each in result.lengths:
        for s in each.standings:
            assert drawn.at[(each.name, s.system), "mean"] == s.mean
    boxes = result.figure("length-boxes")
    check_drawn(boxes)
    known = frame.assign(topic_mean=frame.groupby(["length", "topic"])["value"].transform("mean"))
    known["centred"] = known["value"] - known["topic_mean"]
    expected = known.set_index(["length", "system", "topic"])["centred"]
    there = boxes.data.dropna(subset="centred")
    assert len(there) == len(expected)
    for row in there.itertuples():
        assert row.centred == pytest.approx(
            expected[int(row.length.split()[0]), row.system, row.topic], abs=1e-12
        )
    for each in result.lengths:
        for s in each.standings:
            own = there[(there["length"] == each.name) & (there["system"] == s.system)]["centred"]
            assert own.mean() == pytest.approx(s.centred, abs=1e-12)
    approved(boxes.words)


def test_figures_of_lengths_hold_with_one_length_and_a_system_that_lacks_one(approved: Approved) -> None:
    one = lengths(made(3, 5).drop(columns="kind").assign(length=100), "m")
    for kind in one.FIGURES:
        check_drawn(one.figure(kind))
    approved(one.figure().words, "one length")
    frame = several_lengths()
    part = lengths(frame[(frame["system"] != "s3") | (frame["length"] != 50)], "m").figure()
    check_drawn(part)
    approved(part.words, "a mean is missing")


# By name


def test_figures_of_lengths_can_be_had_by_name() -> None:
    scores = Scores.of_frame(several_lengths())
    assert {spec.name for spec in SPECS_OF_LENGTHS} == {"length-means", "length-boxes"}
    for spec in SPECS_OF_LENGTHS:
        check_drawn(spec.drawn(scores, FigureOptions()))
        with pytest.raises(UsageError, match="leave length out"):
            spec.drawn(scores, FigureOptions(length=100))


@pytest.mark.parametrize("spec", CATALOGUE.values(), ids=lambda spec: spec.name)
def test_figures_of_a_file_with_one_system_or_one_topic_are_drawn_or_refused_in_words(spec: Any) -> None:
    for frame in (made(1, 3), made(3, 1)):
        try:
            figure: Figure = spec.drawn(Scores.of_frame(frame), FigureOptions())
        except AdjudgeError as error:
            assert str(error)
        else:
            check_drawn(figure)
