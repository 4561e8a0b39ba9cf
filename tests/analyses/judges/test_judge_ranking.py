"""The ranking of systems that a judge reproduces, against plain loops, and what it says where little is known."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import adjudge
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import POOLED, AspectBench, JudgeBenches, benches_of
from adjudge.analyses.judges.ranking import TEST, RankingResult, SharedConclusions, ranking
from adjudge.analyses.judges.words.ranking import about_aspect
from adjudge.analyses.scores import scores_of
from adjudge.stats.checks import FloatArray

TOPICS, SYSTEMS, PEOPLE = 30, 8, 3


def made(noise: float = 0.6, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Assessors x topics x systems, and what is true of topics x systems."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(1, 2.4, SYSTEMS) + rng.normal(size=(TOPICS, SYSTEMS)) * 0.5
    return worth + rng.normal(size=(PEOPLE, TOPICS, SYSTEMS)) * noise, worth


def bench(people: FloatArray, judge: FloatArray, **more: Any) -> AspectBench:
    _, topics, systems = people.shape
    things = topics * systems
    named = tuple(f"t{k // systems}" for k in range(things))
    flat = people.reshape(len(people), things).T
    return AspectBench(
        judge="program",
        aspect="overall",
        source="rating",
        topics=named,
        clusters=more.pop("clusters", named),
        systems=tuple(f"s{k % systems}" for k in range(things)),
        sides=(None,) * things,
        people=tuple(f"p{k}" for k in range(len(people))),
        answers=flat,
        judge_answers=judge.ravel(),
        categories=None,
        words=more.pop("words", np.full(things, np.nan)),
        measures=more.pop("measures", {}),
        **more,
    )


def ranked(*benches: AspectBench, **options: Any) -> RankingResult:
    return ranking(
        JudgeBenches(name="made", judges=("program",), benches=benches),
        Judges(**{"resamples": 100} | options),
    )


def different(values: FloatArray) -> dict[tuple[int, int], int]:
    """By pair of columns, which is better by the test of `compare` with Holm's correction; 0 where none is."""
    tests: dict[str, Any] = {
        "wilcoxon": (stats.wilcoxon, lambda d: np.sign(stats.rankdata(abs(d)) @ np.sign(d))),
        "t": (lambda d: stats.ttest_1samp(d, 0), lambda d: np.sign(d.mean())),
    }
    test, sign = tests[TEST]
    pairs = list(itertools.combinations(range(values.shape[1]), 2))
    p = [test(values[:, a] - values[:, b]).pvalue for a, b in pairs]
    found = multipletests(p, method="holm")[0]
    signs = [sign(values[:, a] - values[:, b]) for a, b in pairs]
    return {pair: int(sign) * int(yes) for pair, sign, yes in zip(pairs, signs, found, strict=True)}


def counted(people: FloatArray, other: FloatArray) -> dict[str, int]:
    by_people, by_other = different(people), different(other)
    found = dict.fromkeys(("same", "opposite", "only_people", "only_measure", "neither"), 0)
    for pair, one in by_people.items():
        two = by_other[pair]
        if one and two:
            found["same" if one == two else "opposite"] += 1
        else:
            found["only_people" if one else "only_measure" if two else "neither"] += 1
    return found


def cells(each: SharedConclusions | None) -> dict[str, float]:
    assert each is not None
    return {
        name: getattr(each, name) for name in ("same", "opposite", "only_people", "only_measure", "neither")
    }


def tau(x: FloatArray, y: FloatArray) -> float:
    return float(stats.kendalltau(x.mean(axis=0), y.mean(axis=0)).statistic)


def test_tau_equals_scipys_and_the_interval_that_of_meta(tmp_path: Path) -> None:
    people, worth = made()
    judge = worth + np.random.default_rng(1).normal(size=worth.shape)
    lines = ["measure,topic,system,assessor,value"]
    for t, s in itertools.product(range(TOPICS), range(SYSTEMS)):
        lines += [f"overall,t{t},s{s},p{k},{people[k, t, s]!r}" for k in range(PEOPLE)]
        lines.append(f"program,t{t},s{s},,{judge[t, s]!r}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines).replace("np.float64(", "").replace(")", ""), encoding="utf-8")
    found = ranking(benches_of(scores_of(file), "program"), Judges(resamples=200, seed=3)).aspects[0]
    assert found.of_judge.tau == pytest.approx(tau(judge, people.mean(axis=0)))
    meta = adjudge.meta(
        file, "program", people="overall", parts="correlations", resamples=200, seed=3
    ).to_frame()
    row = meta[(meta["level"] == "system") & (meta["coefficient"] == "kendall-b")].iloc[0]
    assert (found.of_judge.tau, found.of_judge.low, found.of_judge.high) == (
        row["value"],
        row["low"],
        row["high"],
    )


def test_one_assessor_is_compared_with_the_others_as_the_judge_is() -> None:
    people, worth = made()
    judge = worth + np.random.default_rng(1).normal(size=worth.shape)
    found = ranked(bench(people, judge)).aspects[0]
    rest = [np.delete(people, k, axis=0).mean(axis=0) for k in range(PEOPLE)]
    assert found.of_judge.with_rest == pytest.approx(np.mean([tau(judge, each) for each in rest]))
    assert found.assessor == pytest.approx(np.mean([tau(people[k], each) for k, each in enumerate(rest)]))
    assert found.of_judge.difference == pytest.approx(found.of_judge.with_rest - found.assessor)
    counts = [counted(each, judge) for each in rest]
    own = cells(found.conclusion("judge", "all but one"))
    assert own == pytest.approx({name: np.mean([each[name] for each in counts]) for name in own})
    counts = [counted(each, people[k]) for k, each in enumerate(rest)]
    assessor = cells(found.conclusion("assessor", "all but one"))
    assert assessor == pytest.approx({name: np.mean([each[name] for each in counts]) for name in assessor})


@pytest.mark.parametrize("kind", ["good", "useless", "reversed"])
def test_conclusions_equal_plain_loops(kind: str) -> None:
    people, worth = made()
    rng = np.random.default_rng(2)
    noise = rng.normal(size=worth.shape)
    judge = {"good": worth, "useless": worth * 0, "reversed": -worth}[kind] + noise
    found = ranked(bench(people, judge, named=False)).aspects[0]
    assert cells(found.conclusion("judge")) == counted(people.mean(axis=0), judge)
    opposite = found.conclusion("judge")
    assert opposite is not None
    assert len(found.contradicted) == opposite.opposite
    if kind == "reversed":
        assert found.of_judge.high < 0
        assert found.contradicted
        assert all(int(a[1:]) > int(b[1:]) for a, b in found.contradicted)  # people find later systems better
        assert ": the reverse of people's" in next(about_aspect(found, 0.95))
    elif kind == "useless":
        assert found.of_judge.low <= 0 <= found.of_judge.high
        assert next(about_aspect(found, 0.95)).endswith("not significantly above 0.")
        assert ranked(bench(people, judge)).aspects[0].of_judge.difference_high < 0


def test_conclusions_are_for_these_assessors_and_for_assessors_like_these(tmp_path: Path) -> None:
    """Those for assessors like these are what `compare` finds."""
    rng = np.random.default_rng(11)
    people, worth = made()
    people = people + rng.normal(size=(PEOPLE, 1, SYSTEMS)) * 0.2  # tastes
    found = ranked(bench(people, worth))
    wide, narrow = (found.aspects[0].conclusion("judge", beside) for beside in ("like these", "these"))
    lines = ["measure,topic,system,assessor,value"]
    for t, s, k in itertools.product(range(TOPICS), range(SYSTEMS), range(PEOPLE)):
        lines.append(f"overall,t{t},s{s},p{k},{float(people[k, t, s])!r}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    compared = adjudge.compare(file).tested["assessors"]
    assert wide is not None
    assert narrow is not None
    assert wide.people_find == int((compared.conclusion == 0).sum())
    assert 0 < wide.people_find <= narrow.people_find
    (sentence,) = [text for text in found.sentences() if "differences between systems" in text]
    assert (
        f"of {narrow.people_find:.0f} differences between systems that these three assessors find" in sentence
    )
    assert (
        f"For assessors like these three: {wide.people_find:.0f} differences, of which program finds"
        in sentence
    )
    alone = ranked(bench(people[:1], worth))
    assert alone.aspects[0].conclusion("judge", "like these") is None
    assert any("people's conclusions are for these assessors only" in note for note in alone.warnings())


def test_a_judge_that_answers_as_people_do_on_average_comes_to_all_their_conclusions() -> None:
    people, _ = made()
    found = ranked(bench(people, people.mean(axis=0), named=False)).aspects[0]
    own = found.conclusion("judge")
    assert own is not None
    assert (own.same, own.opposite, own.only_people, own.only_measure) == (own.people_find, 0, 0, 0)
    assert own.people_find > 0
    assert found.of_judge.tau == 1
    assert "(no interval: the correlation is 1" in next(about_aspect(found, 0.95))


def test_a_constant_ranks_nothing() -> None:
    people, worth = made()
    found = ranked(bench(people, np.full(worth.shape, 4.0)))
    own = found.aspects[0]
    assert math.isnan(own.of_judge.tau)
    assert found.headline() == (
        "On overall, program's ranking of systems has no tau with people's: program gives all 8 systems the same value."
    )
    said = list(found.sentences())
    assert said[1].startswith("On overall, tau with the other assessors: a person")
    concluded = own.conclusion("judge")
    assert concluded is not None
    assert concluded.same == concluded.opposite == concluded.only_measure == 0
    assert concluded.only_people == concluded.people_find > 0
    assert "program finds 0, reverses 0" in said[2]
    assert found.table().row(kind="assessor")["with_rest"] == own.assessor


def test_controls_stand_in_the_same_table() -> None:
    people, worth = made()
    rng = np.random.default_rng(4)
    judge = rng.normal(size=worth.shape)
    words = 100 - 10 * worth.ravel()
    found = ranked(
        bench(people, judge, words=words, measures={"M1": rng.normal(size=worth.size), "M2": worth.ravel()})
    )
    rows = found.to_frame().set_index("kind")
    assert list(rows.index) == ["judge", "length", "measure", "assessor"]
    assert rows.loc["measure", "name"] == "M2"
    assert rows.loc["measure", "tau"] == pytest.approx(tau(worth, people.mean(axis=0)))
    assert rows.loc["length", "tau"] == pytest.approx(tau(-worth, people.mean(axis=0)))
    assert "M2 (best of 2 measures)" in list(found.sentences())[-1]
    assert {each.kind for each in found.aspects[0].conclusions} == {"judge", "length", "measure", "assessor"}


def test_lower_answers_can_be_better() -> None:
    people, worth = made()
    judge = worth + np.random.default_rng(1).normal(size=worth.shape)
    more = {"words": worth.ravel() * 50, "measures": {"M": worth.ravel()}}
    one = ranked(bench(people, judge, **more)).aspects[0]
    two = ranked(bench(-people, -judge, better="lower", **more)).aspects[0]
    assert [each.tau for each in one.taus] == [each.tau for each in two.taus]
    assert one.conclusions == two.conclusions


def test_pairs_rank_systems_by_the_duels_they_win() -> None:
    rng = np.random.default_rng(6)
    worth = np.linspace(0, 2, 7)
    rows = [(t, a, b) for t in range(25) for a, b in itertools.combinations(range(7), 2)]
    wins = np.array([rng.random(4) < 1 / (1 + math.exp(worth[b] - worth[a])) for _, a, b in rows])
    lengths = np.array([worth[b] - worth[a] for _, a, b in rows])  # the worse, the longer
    answers = wins[:, :3].astype(float)
    topics = tuple(f"t{t}" for t, _, _ in rows)
    own = AspectBench(
        judge="program",
        aspect="preference",
        source="preference",
        topics=topics,
        clusters=topics,
        systems=(None,) * len(rows),
        sides=tuple((f"s{a}", f"s{b}") for _, a, b in rows),
        people=("p0", "p1", "p2"),
        answers=answers,
        judge_answers=wins[:, 3].astype(float),
        categories=(0, 0.5, 1),
        words=lengths,
        measures={"M": -lengths},
        pairs=True,
    )
    found = ranked(own).aspects[0]
    assert found.of_judge.systems == 7
    assert found.of_judge.tau > 0.6
    people = np.zeros((7,))
    for (_, a, b), given in zip(rows, answers.mean(axis=1), strict=True):
        people[a] += given
        people[b] += 1 - given
    expected = stats.kendalltau(np.arange(7), people).statistic
    assert [each.tau for each in found.taus[1:]] == pytest.approx([-expected, expected])


def test_what_the_judge_left_out_counts_for_nobody() -> None:
    people, worth = made()
    judge = worth.copy()
    judge[:10] = np.nan
    found = ranked(bench(people, judge, named=False)).aspects[0]
    assert found.of_judge.tau == pytest.approx(tau(judge[10:], people[:, 10:].mean(axis=0)))
    assert cells(found.conclusion("judge")) == counted(people[:, 10:].mean(axis=0), judge[10:])
    assert found.ranks is not None
    means = people[:, 10:].mean(axis=(0, 1))
    assert [each.system for each in found.ranks.systems] == [f"s{k}" for k in np.argsort(-means)]


def test_assessors_who_judged_little_have_no_conclusions_of_their_own() -> None:
    people, worth = made()
    people[2, 10:] = np.nan
    found = ranked(bench(people, worth)).aspects[0]
    assessor = found.conclusion("assessor", "all but one")
    assert assessor is not None
    assert assessor.assessors == 2


def test_sets_of_topics_are_resampled_whole() -> None:
    people, worth = made()
    judge = worth + np.random.default_rng(1).normal(size=worth.shape)
    sets = tuple(f"set{k // (SYSTEMS * 3)}" for k in range(TOPICS * SYSTEMS))
    found = ranked(bench(people, judge, clusters=sets))
    assert any("10 sets of inputs" in note for note in found.warnings())
    assert any("tests of pairs treat topics as independent" in note for note in found.warnings())
    assert found.aspects[0].of_judge.tau == ranked(bench(people, judge)).aspects[0].of_judge.tau


def test_only_the_interval_says_on_which_side_of_an_assessor_a_judge_is() -> None:
    people, worth = made()
    own = ranked(bench(people, worth)).aspects[0]
    for low, high, words in (
        (-0.4, -0.1, "; below a person (95% interval of the difference -0.40 to -0.10)."),
        (0.1, 0.4, "; above a person (95% interval of the difference +0.10 to +0.40)."),
        (-0.4, 0.1, "which does not prove it as good (95% interval of the difference"),
    ):
        found = replace(own, taus=(replace(own.of_judge, difference_low=low, difference_high=high),))
        assert words in list(about_aspect(found, 0.95))[1]


# Where little is known


def test_people_who_find_nothing_have_no_conclusions_to_share() -> None:
    rng = np.random.default_rng(8)
    people = rng.normal(size=(3, 12, 6))
    found = ranked(bench(people, rng.normal(size=(12, 6)) + 2 * np.arange(6)))
    own = found.aspects[0].conclusion("judge")
    assert own is not None
    assert own.people_find == 0
    assert own.only_measure > 0
    assert list(found.sentences())[2] == (
        f"On overall, these three assessors find no difference on 15 pairs of systems, program finds"
        f" {own.only_measure:.0f}."
    )


def test_few_systems() -> None:
    people, worth = made()
    two = ranked(bench(people[:, :, :2], worth[:, :2])).aspects[0]
    assert math.isnan(two.of_judge.tau)
    assert two.of_judge.why == "fewer than 3 systems have both values (2)"
    assert two.conclusion("judge") is not None
    one = ranked(bench(people[:, :, :1], worth[:, :1]))
    assert one.headline() == (
        "On overall, program's ranking cannot be compared with people's: one system (s0) was judged, and there is"
        " nothing to rank."
    )
    assert one.rows_of().rows == ()
    five = ranked(bench(people[:, :, :5], worth[:, :5])).aspects[0]
    assert "(no interval: fewer than 6 systems to resample (5))" in next(about_aspect(five, 0.95))


def test_nobody_to_compare_with() -> None:
    people, worth = made()
    alone = ranked(bench(people[:1], worth)).aspects[0]
    assert list(about_aspect(alone, 0.95))[1] == (
        "On overall, a person's ranking cannot be compared with the others': people's answers come from one assessor"
        " (p0)."
    )
    pooled = ranked(replace(bench(people[:1], worth), people=(POOLED,), named=False))
    assert pooled.aspects[0].of_judge.tau == pytest.approx(tau(worth, people[0]))
    assert list(pooled.sentences())[1].endswith("the scores name no assessors.")
    assert not any(each.beside == "all but one" for each in pooled.aspects[0].conclusions)
    assert "assessor" not in pooled.to_frame()["kind"].tolist()


def test_no_systems_no_ranking() -> None:
    people, worth = made()
    own = bench(people, worth)
    found = ranked(replace(own, systems=(None,) * len(own.topics)))
    assert found.aspects[0].why == "no summaries of systems were judged"
    assert not found.aspects[0].taus


def test_one_topic() -> None:
    people, worth = made()
    found = ranked(bench(people[:, :1], worth[:1]))
    assert not math.isnan(found.aspects[0].of_judge.tau)
    assert math.isnan(found.aspects[0].of_judge.low)
    assert len(list(found.sentences())) >= 3


def test_every_form_has_the_same_numbers() -> None:
    people, worth = made()
    judge = worth + np.random.default_rng(1).normal(size=worth.shape)
    found = ranked(bench(people, judge), replace(bench(people, -judge), aspect="fluency"))
    told = json.loads(found.to_json())
    taus = [row["tau"] for row in told["tables"]["ranking"] if row["kind"] == "judge"]
    assert taus == [each.of_judge.tau for each in found.aspects]
    assert told["questions"][1]["contradicted"]
    assert tuple(table.name for table in found.all_tables) == (
        "ranking",
        "ranking-conclusions",
        "ranking-ranks-overall",
        "ranking-ranks-fluency",
    )
    assert "on overall and -0." in found.headline()
    silent = replace(bench(people, judge * 0), aspect="grammar")
    assert ranked(bench(people, judge), silent).headline().endswith("; no tau on grammar.")
    assert found.of("program", "fluency").of_judge.tau < 0
    shown = found.to_frame("ranking-conclusions")
    assert set(shown["beside"]) == {"these", "like these", "all but one"}
    assert "|resample:all|R:100|" in found.signature
    again = ranked(bench(people, judge), replace(bench(people, -judge), aspect="fluency"))
    assert json.loads(again.to_json()) == told


# SummEval


@pytest.mark.shared_data
def test_summeval_experts_rank_systems_alike_and_a_constant_does_not(shared_data: Path) -> None:
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        records = sorted(map(json.loads, file), key=lambda each: (each["id"], each["model_id"]))
    answers = np.array([[float(who["coherence"]) for who in each["expert_annotations"]] for each in records])
    cube = answers.T.reshape(3, 100, 12)
    found = ranked(bench(cube[1:], cube[0])).aspects[0]
    assert found.of_judge.tau == pytest.approx(tau(cube[0], cube[1:].mean(axis=0)))
    assert found.of_judge.low > 0.5
    # the interval of this difference ends near 0, on which side depends on the resamples: only its middle is asserted
    alone = tau(cube[0], cube[1]) / 2 + tau(cube[0], cube[2]) / 2
    assert found.of_judge.difference == pytest.approx(alone - tau(cube[1], cube[2]))
    own = found.conclusion("judge")
    assert own is not None
    assert own.opposite == 0
    assert own.same > own.only_people
    constant = ranked(bench(cube, np.full((100, 12), 4.0))).aspects[0]
    assert math.isnan(constant.of_judge.tau)
