"""Conclusions of measures beside people's: five cells, from the tests of `compare`."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.approving import Approved

import adjudge
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.conclusions import AGREEMENTS, ConclusionAgreement, ConclusionsResult
from adjudge.analyses.meta.conclusions import agree_on_conclusions as conclusions_of_run
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.scores import Scores, scores_of
from adjudge.core.errors import UsageError
from adjudge.data.scores import Among
from adjudge.formats.scoretable import TableOptions

COLUMNS = ["measure", "topic", "system", "assessor", "value"]
NAMES = ("m1", "m2", "m3", "m4", "H1", "H2")


def rows_of(
    measure: str, values: Any, names: Sequence[str], who: str | None = None
) -> list[tuple[object, ...]]:
    return [
        (measure, f"t{t}", name, who, float(values[t][s]))
        for t in range(len(values))
        for s, name in enumerate(names)
        if not math.isnan(values[t][s])
    ]


def evaluation(seed: int = 0, *, topics: int = 25, holes: float = 0.0) -> pd.DataFrame:
    """Three assessors, a measure that follows the systems' quality, one that turns it round, one that is noise."""
    rng = np.random.default_rng(seed)
    quality, hard = np.linspace(0, 1.5, len(NAMES)), rng.normal(0, 1, (topics, 1))
    rows: list[tuple[object, ...]] = []
    for who in ("ann", "bob", "cid"):
        values = np.clip(np.round(3 + quality + hard + rng.normal(0, 1, (topics, len(NAMES)))), 1, 5)
        rows += rows_of("overall", values, NAMES, who)
    for measure, slope in (("good", 0.8), ("reverse", -0.8), ("noise", 0.0)):
        values = slope * quality + hard + rng.normal(0, 0.7, (topics, len(NAMES)))
        values[rng.random(values.shape) < holes] = np.nan
        rows += rows_of(measure, values, NAMES)
    return pd.DataFrame(rows, columns=COLUMNS)


def scores(frame: pd.DataFrame) -> Scores:
    return scores_of(frame, human="H*")


def concluded(c: Any) -> dict[frozenset[str], tuple[str, str | None]]:
    """A comparison's conclusion of every pair, and who is better where they differ."""
    found = {}
    for pair in c.pairs[c.test]:
        sign = pair.result.statistic * (-1 if c.matrix.info.better == "lower" else 1)
        better = (pair.a if sign > 0 else pair.b) if pair.different else None
        found[frozenset((pair.a, pair.b))] = (pair.conclusion, better)
    return found


def loop(people: Mapping[frozenset[str], Any], measure: Mapping[frozenset[str], Any]) -> Counter[str | None]:
    """The five cells, as anybody would count them; None is a pair that one of them could not test."""
    cells: Counter[str | None] = Counter()
    for pair in people.keys() | measure.keys():
        no = ("not comparable", None)
        (said, first), (also, second) = people.get(pair, no), measure.get(pair, no)
        if {said, also} & {"not tested", "not comparable"}:
            cells[None] += 1
        elif first and second:
            cells["same" if first == second else "opposite"] += 1
        else:
            cells["only_people" if first else "only_measure" if second else "neither"] += 1
    return cells


def counts(found: ConclusionAgreement) -> Counter[str | None]:
    cells: Counter[str | None] = Counter({name: found.count(k) for k, name in enumerate(AGREEMENTS)})
    cells[None] = found.untested
    return +cells


def agree_on_conclusions(cells: Cells, **options: Any) -> ConclusionsResult:
    return conclusions_of_run(MetaRun(cells, Meta(**options)))


def without_assessors(cells: Cells) -> Cells:
    """People as one measure, their mean."""
    pooled = (replace(human, assessors=(), by_assessor=human.values[None]) for human in cells.humans)
    return replace(cells, humans=tuple(pooled))


def one_of(
    found: ConclusionsResult, measure: str, human: str | None = None, among: Among = "all"
) -> ConclusionAgreement:
    [one] = [
        row
        for row in found.agreements
        if (row.measure.measure, row.among) == (measure, among) and human in (None, row.human.measure)
    ]
    return one


@pytest.mark.parametrize("among", ["all", "machines", "human-machine"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "t", "correct": "none"},
        {"test": "mc:t", "correct": "bh", "resamples": 400, "seed": 3},
        {"test": "wilcoxon", "correct": "westfall-young"},
        {"test": "hb", "correct": "bonferroni", "assessor_effects": "fixed", "resamples": 2000},
    ],
)
def test_cells_are_those_of_a_plain_loop_over_two_comparisons(options: dict[str, Any], among: Among) -> None:
    data = scores(evaluation(1))
    people = adjudge.compare(data, "overall", among=among, **options)
    own = {name: value for name, value in options.items() if name != "assessor_effects"}
    cells = cells_of(data) if own == options else without_assessors(cells_of(data))
    found = agree_on_conclusions(cells, **own)
    for measure in ("good", "reverse", "noise"):
        c = adjudge.compare(data, measure, among=among, **own)
        one = one_of(found, measure, among=among)
        assert counts(one) == loop(concluded(people), concluded(c))
        assert one.people.test == people.tested[people.test].results.test
        by_pair = {frozenset((row["a"], row["b"])): row for row in one.pair_records()}
        assert len(by_pair) == one.pairs
        for side, comparison in (("people", people), ("measure", c)):
            for pair in comparison.pairs[comparison.test]:
                row = by_pair[frozenset((pair.a, pair.b))]
                assert row[f"{side}_p"] == pytest.approx(pair.p_adjusted, rel=1e-9, nan_ok=True)
                sign = 1 if row["a"] == pair.a else -1
                assert row[f"{side}_difference"] == pytest.approx(
                    sign * pair.result.difference, rel=1e-9, abs=1e-12
                )


@pytest.mark.parametrize("options", [{}, {"test": "wilcoxon"}])
@pytest.mark.parametrize("topics", [12, 24])
def test_sets_are_the_sample_where_they_are_in_a_comparison(topics: int, options: dict[str, Any]) -> None:
    """Not four sets, eight; and not by Wilcoxon's test, which takes topics one by one."""
    frame = evaluation(3, topics=topics)
    frame["set"] = "s" + (frame["topic"].str[1:].astype(int) // 3).astype(str)
    data = scores(frame)
    found = agree_on_conclusions(cells_of(data), among=("all",), **options)
    people = adjudge.compare(data, "overall", **options)
    for measure in ("good", "reverse", "noise"):
        c = adjudge.compare(data, measure, **options)
        one = one_of(found, measure)
        assert counts(one) == loop(concluded(people), concluded(c))
        by_pair = {frozenset((row["a"], row["b"])): row for row in one.pair_records()}
        for side, comparison in (("people", people), ("measure", c)):
            for pair in comparison.pairs[comparison.test]:
                p = by_pair[frozenset((pair.a, pair.b))][f"{side}_p"]
                assert p == pytest.approx(pair.p_adjusted, rel=1e-9)


def test_assessors_are_a_sample(approved: Approved) -> None:
    cells = cells_of(scores(evaluation(2)))
    random, fixed = (one_of(agree_on_conclusions(c), "good") for c in (cells, without_assessors(cells)))
    assert (random.people.test, fixed.people.test) == ("assessors", "t")
    assert random.people.population is not None
    assert random.people.population.effects == "random"
    approved(agree_on_conclusions(cells).warnings())


def test_one_assessor_or_scores_that_name_nobody_hold_for_these_only(approved: Approved) -> None:
    frame = evaluation(2)
    alone = frame[(frame["assessor"] != "bob") & (frame["assessor"] != "cid")]
    found = agree_on_conclusions(cells_of(scores(alone)))
    assert one_of(found, "good").people.test == "t"
    approved(found.warnings(), "one assessor")
    frame.loc[frame["assessor"] == "bob", "assessor"] = None
    found = agree_on_conclusions(cells_of(scores(frame), "overall", ["good", "noise"]))
    assert one_of(found, "good").people.test == "t"
    approved(found.warnings(), "unnamed")


# Every cell on data made for it: two systems on twelve topics, so that one pair is in one cell


def two(difference: float) -> list[list[float]]:
    """Scores of a and b; a is better by about so much on every topic."""
    wobble = [0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0.15, -0.25, 0.05, -0.05, 0.12, -0.12]
    return [[float(k % 4) + difference + w, float(k % 4)] for k, w in enumerate(wobble)]


@pytest.mark.parametrize(
    ("people", "measure", "cell"),
    [
        (1.0, 0.7, "same"),
        (-1.0, -0.7, "same"),
        (1.0, -0.7, "opposite"),
        (1.0, 0.0, "only_people"),
        (0.0, -0.7, "only_measure"),
        (0.0, 0.0, "neither"),
    ],
)
@pytest.mark.parametrize("lower", [False, True])
def test_a_case_of_every_cell(people: float, measure: float, cell: str, lower: bool) -> None:
    values = np.array(two(measure)) * (-1 if lower else 1)
    frame = pd.DataFrame([*rows_of("p", two(people), "ab"), *rows_of("m", values, "ab")], columns=COLUMNS)
    data = Scores.of_frame(frame, TableOptions(lower_is_better=("m",) if lower else False))
    found = agree_on_conclusions(cells_of(data, "p"))
    one = one_of(found, "m")
    assert counts(one) == {cell: 1}
    assert one.precision == pytest.approx(
        {"same": 1.0, "opposite": 0.0, "only_measure": 0.0}.get(cell, math.nan), nan_ok=True
    )
    assert one.recall == pytest.approx(
        {"same": 1.0, "opposite": 0.0, "only_people": 0.0}.get(cell, math.nan), nan_ok=True
    )
    [row] = found.to_frame("conclusion-pairs").to_dict("records")
    assert row["agreement"] == cell
    assert row["people_better"] == ({1.0: "a", -1.0: "b"}.get(people))
    assert row["measure_better"] == ({0.7: "a", -0.7: "b"}.get(measure))
    assert ("contradictions" in [table.name for table in found.all_tables]) == (cell == "opposite")


def test_sentences_say_what_the_cells_hold(approved: Approved) -> None:
    for differences in (
        (1.0, 0.7),
        (1.0, -0.7, 0.0),
        (0.0, 0.7, 0.0),
        (1.0, 0.7, 0.0),
        (1.0, -0.7, -0.6, -0.8, -1.0, 0.7),
    ):
        people, *measures = differences
        rows = rows_of("p", two(people), "ab")
        rows += [row for k, each in enumerate(measures) for row in rows_of(f"m{k}", two(each), "ab")]
        found = agree_on_conclusions(cells_of(scores_of(pd.DataFrame(rows, columns=COLUMNS)), "p"))
        approved(found.sentences(), ", ".join(map(str, differences)))


def test_what_people_could_not_have_found_is_counted_apart(approved: Approved) -> None:
    """On five topics no signed-rank p is at most .05; the measure has twelve, and uses them where asked to."""
    frame = pd.DataFrame([*rows_of("p", two(1.0)[:5], "ab"), *rows_of("m", two(0.7), "ab")], columns=COLUMNS)
    data = scores_of(frame)
    found = agree_on_conclusions(cells_of(data, "p", all_topics=True), test="wilcoxon")
    one = one_of(found, "m")
    assert counts(one) == {"only_measure": 1}
    assert one.record()["only_measure_people_could_not_find"] == 1
    assert one.record()["neither_people_could_not_find"] == 0
    assert one.without_people == 14
    approved(found.sentences())
    assert "could not be found" in [column.title for column in found.all_tables[0].printed()[0]]
    # On the judged topics the measure has no more.
    one = one_of(agree_on_conclusions(cells_of(data, "p"), test="wilcoxon"), "m")
    assert counts(one) == {"neither": 1}
    assert (
        one.record()["neither_people_could_not_find"] == one.record()["neither_measure_could_not_find"] == 1
    )


def test_measure_and_people_are_tested_on_the_summaries_that_both_have(approved: Approved) -> None:
    frame = evaluation(4, holes=0.15)
    frame = frame[~((frame["measure"] == "overall") & frame["topic"].isin(["t0", "t1"]))]
    found = agree_on_conclusions(cells_of(scores(frame)), among=("all",))
    for measure in ("good", "reverse", "noise"):
        has = frame[frame["measure"] == measure].set_index(["topic", "system"]).index
        judged = frame[frame["measure"] == "overall"].set_index(["topic", "system"]).index
        common = has.intersection(judged)
        both = frame[frame.set_index(["topic", "system"]).index.isin(common)]
        one = one_of(found, measure)
        people, automatic = (adjudge.compare(scores(both), m) for m in ("overall", measure))
        assert counts(one) == loop(concluded(people), concluded(automatic))
        assert one.without_measure == len(judged.unique().difference(has))
    approved(found.warnings())


def test_a_system_that_a_measure_has_no_score_of_is_in_no_cell(approved: Approved) -> None:
    frame = evaluation(5)
    frame = frame[~((frame["measure"] == "good") & (frame["system"] == "m2"))]
    found = agree_on_conclusions(cells_of(scores(frame)), among=("all",))
    one = one_of(found, "good")
    assert (one.pairs, one.tested, one.untested) == (15, 10, 5)
    gone = [row for row in one.pair_records() if row["agreement"] is None]
    assert all("m2" in (row["a"], row["b"]) for row in gone)
    assert all("not comparable" in row["why"] for row in gone)
    assert one_of(found, "noise").untested == 0
    approved(found.warnings())
    people, measure = (
        adjudge.compare(scores(frame[frame["system"] != "m2"]), m) for m in ("overall", "good")
    )
    expected = loop(concluded(people), concluded(measure))
    expected[None] = 5
    assert counts(one) == expected


def test_lengths_are_averaged_within_topics_as_in_a_comparison() -> None:
    rng = np.random.default_rng(7)
    rows = [
        (measure, f"t{t}", system, length, who, rng.normal(s * scale, 1))
        for measure, who, scale in (("p", "ann", 0.8), ("p", "bob", 0.8), ("m", None, 0.6))
        for t in range(10)
        for s, system in enumerate("abcd")
        for length in (50, 100)
        if (t, length, system) != (3, 100, "b")
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "length", "assessor", "value"])
    data = scores_of(frame)
    one = one_of(agree_on_conclusions(cells_of(data, length="all")), "m")
    people, measure = (adjudge.compare(data, m, length="all") for m in ("p", "m"))
    assert counts(one) == loop(concluded(people), concluded(measure))
    by_pair = {frozenset((row["a"], row["b"])): row for row in one.pair_records()}
    for pair in measure.pairs[measure.test]:
        assert by_pair[frozenset((pair.a, pair.b))]["measure_p"] == pytest.approx(pair.p_adjusted, rel=1e-9)


def test_frames_tables_and_json_say_the_same() -> None:
    found = agree_on_conclusions(cells_of(scores(evaluation(6))))
    frame, pairs = found.to_frame(), found.to_frame("conclusion-pairs")
    assert len(frame) == 3 * 3
    assert list(dict.fromkeys(frame["among"])) == ["machines", "all", "human-machine"]
    for row in frame.to_dict("records"):
        own = pairs[(pairs["measure"] == row["measure"]) & (pairs["among"] == row["among"])]
        assert len(own) == row["pairs"] == {"all": 15, "machines": 6, "human-machine": 8}[row["among"]]
        for cell in AGREEMENTS:
            assert (own["agreement"] == cell).sum() == row[cell]
            assert row[f"share_{cell}"] == pytest.approx(row[cell] / row["tested"])
        assert row["agreement"] == pytest.approx(row["share_same"] + row["share_neither"])
        nothing = row["share_only_measure"] + row["share_neither"]
        assert row["agreement_if_nothing_found"] == pytest.approx(nothing)
    opposite = pairs[pairs["agreement"] == "opposite"]
    assert len(opposite) > 0
    assert len(found.table("contradictions").rows) == len(opposite)
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert len(data["tables"]["conclusion-pairs"]) == len(pairs)
    assert [row["same"] for row in data["tables"]["conclusions"]] == frame["same"].tolist()
    assert data["sentences"] == list(found.sentences())
    assert found.headline() == data["sentences"][0]
    assert r"\toprule" in found.to_latex()
    assert "same" in repr(found)


def test_what_cannot_be_asked_is_refused() -> None:
    frame = evaluation(1)
    machines = cells_of(scores_of(frame[~frame["system"].str.startswith("H")]))
    with pytest.raises(UsageError, match="has not both humans and machines"):
        agree_on_conclusions(machines, among=("machines", "all"))
    assert {each.among for each in agree_on_conclusions(machines).agreements} == {"all"}
    with pytest.raises(UsageError, match='the test is "w"'):
        agree_on_conclusions(machines, test="w")


def holm(p: Sequence[float]) -> list[float]:
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    worst = 0.0
    for at, k in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - at) * p[k]))
        adjusted[k] = worst
    return adjusted.tolist()


@pytest.mark.shared_data
def test_summeval_by_scipys_paired_t(shared_data: Path) -> None:
    """Experts' coherence and relevance, assessors as they are, beside two plain measures: SciPy's p, Holm's rule."""
    lines = (
        (shared_data / "summeval" / "model_annotations.12systems.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    rows: list[tuple[object, ...]] = []
    for record in map(json.loads, lines):
        key = record["id"], record["model_id"]
        for aspect in ("coherence", "relevance"):
            for who, given in enumerate(record["expert_annotations"]):
                rows.append((aspect, *key, f"e{who}", float(given[aspect])))
        words, reference = record["decoded"].lower().split(), set(record["references"][0].lower().split())
        rows.append(("recall", *key, None, len(reference & set(words)) / len(reference)))
        rows.append(("shortness", *key, None, -float(len(words))))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    cells = cells_of(scores_of(frame), ["coherence", "relevance"])
    found = agree_on_conclusions(without_assessors(cells), test="t")
    means = frame.groupby(["measure", "topic", "system"])["value"].mean().unstack()

    def tested(measure: str) -> dict[tuple[str, str], int]:
        values = means.loc[measure]
        pairs = list(combinations(values.columns, 2))
        results = [stats.ttest_rel(values[a], values[b]) for a, b in pairs]
        adjusted = holm([float(each.pvalue) for each in results])
        return {
            pair: int(np.sign(each.statistic)) * (p <= 0.05)
            for pair, each, p in zip(pairs, results, adjusted, strict=True)
        }

    for human in ("coherence", "relevance"):
        people = tested(human)
        for measure in ("recall", "shortness"):
            own = tested(measure)
            expected = Counter(
                "neither"
                if not (people[pair] or own[pair])
                else "only_measure"
                if not people[pair]
                else "only_people"
                if not own[pair]
                else "same"
                if people[pair] == own[pair]
                else "opposite"
                for pair in people
            )
            one = one_of(found, measure, human)
            assert one.pairs == 66
            assert counts(one) == expected
    assert sum(each.count(k) > 0 for each in found.agreements for k in range(5)) > 12  # the cells are filled


def test_tests_of_different_kinds_are_said_to_be_so() -> None:
    """A measure that is the mean of the assessors need not find what they find: theirs is another test."""
    frame = evaluation(3)
    mean = frame[frame["measure"] == "overall"].groupby(["topic", "system"], as_index=False)["value"].mean()
    same = mean.assign(measure="same", assessor=None)[COLUMNS]
    cells = cells_of(scores(pd.concat([frame, same])), "overall")
    assert not agree_on_conclusions(cells).notes_of("tests-of-two-kinds")
    for effects in ("random", "fixed"):
        run = MetaRun(cells, Meta(test="wilcoxon"))
        assert conclusions_of_run(run, assessor_effects=effects).notes_of("tests-of-two-kinds")
    for test in ("t", "wilcoxon"):
        fixed = agree_on_conclusions(without_assessors(cells), test=test)
        assert not fixed.notes_of("tests-of-two-kinds")
        assert one_of(fixed, "same").agreeing == one_of(fixed, "same").tested, "one test, one conclusion"


def test_populations_do_not_depend_on_the_order_of_rows() -> None:
    frame = evaluation(4)
    few = frame[(frame["measure"] == "good") & (frame.index % 5 < 2)].assign(measure="few")
    frame = pd.concat([frame, few])
    turned = [
        agree_on_conclusions(cells_of(scores(rows), "overall")).as_dict()["populations"]
        for rows in (frame, frame.iloc[::-1])
    ]
    by = [{(p["among"], tuple(p["measures"])): p for p in each} for each in turned]
    assert {which: p["design"] for which, p in by[0].items()} == {
        which: p["design"] for which, p in by[1].items()
    }
    assert by[0]["all", ("few",)]["design"] == "assigned"
    assert by[0]["all", ("good", "noise", "reverse")]["design"] == "crossed"


def test_a_system_that_divides_assessors_is_named() -> None:
    rng = np.random.default_rng(3)
    rows: list[tuple[str, str, str, str | None, float]] = []
    for topic in range(12):
        for k in range(7):
            for name, liking in zip("ABC", (-2, 2, 0), strict=True):
                value = k / 5 + (liking if k == 5 else 0) + rng.normal(0, 0.3)
                rows.append(("overall", f"t{topic}", f"s{k}", name, value))
            rows.append(("near", f"t{topic}", f"s{k}", None, k / 5 + rng.normal(0, 0.3)))
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])
    found = adjudge.meta(frame, parts="conclusions")
    (people,) = found["conclusions"].as_dict()["populations"]
    assert people["unequal"]["system"] == "s5"
    assert people["unequal"]["p"] < 0.05
    assert any("s5" in line and "assessors" in line for line in found.warnings())
