"""adjudge simulate: outcomes add up, streams do not depend on chunks of workers, words say what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from tests.approving import Approved, words_of
from typer.testing import CliRunner, Result

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.conclusions import resamples_for
from adjudge.analyses.simulate import Simulate, simulate
from adjudge.analyses.simulate.result import CHUNK, Outcome, Simulation
from adjudge.analyses.simulate.result import simulate_model as simulate_as_asked
from adjudge.analyses.tests import TESTS
from adjudge.cli.analysis import command_of
from adjudge.core.engine import generator
from adjudge.core.errors import AdjudgeError, UsageError
from adjudge.core.options import declared
from adjudge.data.scores import MeasureInfo, ScoreMatrix
from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import adjust
from adjudge.stats.power.generate import NOISES, ScoreModel, draw
from adjudge.stats.power.rates import Rate

QUICK = ("wilcoxon", "t", "t-unpaired", "sign")
app = typer.Typer()
app.command()(command_of("simulate"))


def simulate_model(model: ScoreModel, tests: Sequence[str] = (), **options: Any) -> Simulation:
    return simulate_as_asked(model, Simulate(tests=tests, **options))


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments))
    if isinstance(done.exception, AdjudgeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def matrix(scores: FloatArray) -> ScoreMatrix:
    topics, systems = (
        tuple(f"{letter}{k}" for k in range(size)) for letter, size in zip("ts", scores.shape, strict=True)
    )
    return ScoreMatrix(scores, np.ones(scores.shape), topics, systems, MeasureInfo("score"))


def test_counts_are_those_of_a_plain_loop() -> None:
    model, simulations = ScoreModel(12, (0.6, 0.0)), CHUNK + 30
    found = simulate_model(model, ["t", "wilcoxon"], simulations=simulations, seed=3)
    matrices = [
        matrix
        for chunk, size in ((0, CHUNK), (1, 30))
        for matrix in draw(model, size, generator(3, "simulate/scores", chunk))
    ]
    hits = sum(pairs.t_pairs(matrix).p[0] < 0.05 for matrix in matrices)
    rate = Rate(int(hits), simulations)
    t = found.of("t")
    assert (t.what, t.rate, t.low, t.high) == ("power", rate.rate, rate.low, rate.high)
    assert [o.test for o in found.outcomes] == ["t", "wilcoxon"]


def test_many_systems_are_counted_by_pair_and_by_simulation() -> None:
    model = ScoreModel(15, (0.8, 0.0, 0.0, 0.0), missing_half=True)
    found = simulate_model(model, ["t"], simulations=60, seed=1)
    power, size, anyone, corrected = [], [], [], []
    for matrix in draw(model, 60, generator(1, "simulate/scores", 0)):
        p = pairs.t_pairs(matrix).p  # pairs (0,1), (0,2), (0,3) differ, (1,2), (1,3), (2,3) do not
        power.append(np.mean(p[:3] <= 0.05))
        size.append(np.mean(p[3:] <= 0.05))
        anyone.append((p[3:] <= 0.05).any())
        corrected.append((adjust(p, "holm")[3:] <= 0.05).any())  # t can reach any p: Tarone changes nothing
    rates = {o.what: o.rate for o in found.outcomes}
    counts: dict[str, Any] = {"power": power, "size": size, "any": anyone, "any-holm": corrected}
    expected = {what: float(np.mean(each)) for what, each in counts.items()}
    assert rates == pytest.approx(expected)
    interval = found.of("t", "power")
    # Pairs of a simulation share the first system: the interval is wider than if all were independent.
    alone = Rate(round(float(np.sum(power)) * 3), 180)
    assert interval.high - interval.low > alone.high - alone.low


def test_workers_and_other_tests_change_nothing() -> None:
    model = ScoreModel(8)
    alone = simulate_model(model, ["mc"], simulations=CHUNK + 20, resamples=99)
    together = simulate_model(model, ["t", "mc", "hb"], simulations=CHUNK + 20, resamples=99, workers=2)
    assert alone.of("mc") == together.of("mc")


def test_a_larger_number_of_simulations_begins_with_the_smaller() -> None:
    few, many = (
        simulate_model(ScoreModel(8), ["sign"], simulations=n, seed=5).of("sign") for n in (CHUNK, 2 * CHUNK)
    )
    rest = many.rate * 2 * CHUNK - few.rate * CHUNK
    assert 0 <= rest <= CHUNK


def test_words_for_two_systems(approved: Approved) -> None:
    found = simulate_model(ScoreModel(10, topic_sd=3), QUICK, simulations=200)
    approved(found.sentences())
    assert found.of("t-unpaired").verdict(0.05) == "conservative"
    assert found.title == "10 topics, 2 systems, difference 0, 200 simulations"
    assert "|topics:10|means:0,0|noise:normal|topic-sd:3|simulations:200|" in found.signature
    planted = simulate_model(ScoreModel(10, (1.0, 0.0)), ["t"], simulations=50)
    approved(planted.sentences(), "planted")


def test_words_for_many_systems(approved: Approved) -> None:
    found = simulate_model(ScoreModel(10, (0.5, 0.0, 0.0)), ["wilcoxon"], simulations=20)
    assert [o.what for o in found.outcomes] == ["power", "size", "any", "any-holm"]
    approved(found.sentences())
    approved(found.table().to_text(), "table")


def test_the_correction_is_that_of_a_comparison() -> None:
    """Six topics, ties: pairs that cannot be found do not burden the others, as in `compare`; Holm finds less."""
    model = ScoreModel(7, (0.0,) * 4, step=1.0, bounds=(1.0, 5.0))
    found = simulate_model(model, ["wilcoxon"], simulations=CHUNK, seed=8, alpha=0.2).of(
        "wilcoxon", "any-holm"
    )
    compared = holm = within = 0
    for scores in draw(model, CHUNK, generator(8, "simulate/scores", 0)):
        result = compare_matrix(matrix(scores), Compare(test="wilcoxon", alpha=0.2, correct="holm"))
        pairs_found = result.pairs["wilcoxon"]
        compared += any(pair.different for pair in pairs_found)
        within += any(pair.conclusion in ("differ", "not significantly different") for pair in pairs_found)
        holm += bool((adjust(pairs.wilcoxon_pairs(scores).p, "holm") <= 0.2).any())
    assert (found.rate, found.reachable) == (compared / CHUNK, within)
    assert holm < compared
    assert 0 < within < CHUNK


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "exact", "mc", "hb"])
@pytest.mark.parametrize("means", [(0.0, 0.0), (9.0, 0.0), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("topics", [2, 3])
def test_where_nothing_could_be_found_that_is_said(test: str, means: tuple[float, ...], topics: int) -> None:
    found = simulate_model(ScoreModel(topics, means), [test], simulations=130, resamples=99)
    for outcome in found.outcomes:
        assert (outcome.rate, outcome.reachable) == (0, 0)
        assert outcome.verdict(0.05) == "no finding is possible"
        if test != "hb":
            assert outcome.smallest == 2 / 2**topics
    # Paired t can reach any p, on two topics as well.
    assert simulate_model(ScoreModel(topics, means), ["t"], simulations=130).outcomes[0].reachable == 130


def test_scores_that_all_tie_can_show_nothing() -> None:
    found = simulate_model(
        ScoreModel(20, step=1000.0), ["t", "wilcoxon", "hb"], simulations=130, resamples=99
    )
    assert [o.verdict(0.05) for o in found.outcomes] == ["no finding is possible"] * 3
    assert "agrees" not in found.table().to_text()


def test_what_could_be_found_after_a_correction_alone_is_said(approved: Approved) -> None:
    """Six topics can reach .03125: enough for one pair, not for ten."""
    found = simulate_model(ScoreModel(6, (0.0,) * 5), ["wilcoxon"], simulations=130)
    assert found.of("wilcoxon", "size").reachable == 130
    corrected = found.of("wilcoxon", "any-holm")
    assert (corrected.rate, corrected.reachable) == (0, 0)
    assert corrected.smallest == 2 / 2**6
    approved(found.sentences())


def test_simulations_in_which_nothing_could_be_found_are_counted(approved: Approved) -> None:
    model = ScoreModel(6, step=1.0, bounds=(1.0, 5.0))
    found = simulate_model(model, ["wilcoxon"], simulations=200, seed=2)
    drawn = np.concatenate(
        [draw(model, size, generator(2, "simulate/scores", k)) for k, size in enumerate((CHUNK, CHUNK))]
    )
    untied = int((drawn[..., 0] != drawn[..., 1]).all(axis=1).sum())  # of five signs the smallest p is .0625
    assert 0 < untied < 200
    assert found.of("wilcoxon").reachable == untied
    approved(found.warnings())


def test_a_p_of_alpha_is_a_difference_as_in_a_comparison() -> None:
    """Five topics on one side: p = 1/16."""
    found = simulate_model(ScoreModel(5, (50.0, 0.0)), ["sign"], simulations=20, alpha=0.0625)
    assert found.of("sign").rate == 1
    scores = draw(ScoreModel(5, (50.0, 0.0)), 1, np.random.default_rng(0))[0]
    (pair,) = compare_matrix(matrix(scores), Compare(test="sign", alpha=0.0625)).pairs["sign"]
    assert pair.different


def test_few_simulations_do_not_agree_with_alpha() -> None:
    few, enough = (simulate_model(ScoreModel(20), ["t"], simulations=n, seed=1).of("t") for n in (126, 127))
    assert (few.verdict(0.05), enough.verdict(0.05)) == ("too few simulations to say", "agrees with alpha")


def test_rounding_puts_no_end_of_an_interval_on_the_other_side_of_alpha() -> None:
    outcome = Outcome(
        test="t",
        words="paired t",
        what="size",
        rate=0.01,
        low=0.002,
        high=0.04997,
        simulations=200,
        untested=0,
        reachable=200,
        smallest=0.0,
    )
    assert outcome.verdict(0.05) == "conservative"
    assert outcome.interval(0.05) == "0.2 % to 4.997 %"


def test_random_swaps_name_the_resamples_of_a_comparison(approved: Approved) -> None:
    found = simulate_model(ScoreModel(8, (0.0,) * 5), ["t", "mc"], simulations=3, resamples=1000)
    wanted = resamples_for(Compare(), 10)
    approved(found.warnings())
    assert f"{wanted:,}" in found.warnings()[0]
    assert simulate_model(ScoreModel(8, (0.0,) * 5), ["mc"], simulations=1, resamples=wanted).warnings() == []


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--difference", value) for value in ("1e300", "-1e300", "1e7", "inf", "nan")),
        *(("--topic-sd", value) for value in ("1e300", "inf", "nan")),
        *(
            (name, value)
            for name in ("--unequal", "--uneven", "--round")
            for value in ("1e300", "1e-300", "inf")
        ),
    ],
)
@pytest.mark.filterwarnings("error")
def test_numbers_that_overflow_are_refused_in_one_line(option: str, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        run(option, value, "--simulations", "5", "--tests", "t,wilcoxon")
    assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("error")
def test_large_numbers_that_are_taken_are_simulated_right() -> None:
    rates = [
        simulate_model(model, ["t", "wilcoxon", "sign", "t-unpaired"], simulations=20).outcomes
        for model in (ScoreModel(12, (1e6, 0.0)), ScoreModel(12, (1e6, 0.0), noise="t3", unequal=1e6))
    ]
    assert [o.rate for o in rates[0]] == [1.0] * 4
    assert all(o.untested == 0 for row in rates for o in row)
    far = simulate_model(ScoreModel(20, topic_sd=1e6), ["t"], simulations=1000, seed=2).of("t")
    assert far.low < 0.05 < far.high


def test_what_could_not_be_tested_is_counted(approved: Approved) -> None:
    # On one topic no test can be had; on two, ratings are often the same twice.
    nothing = simulate_model(ScoreModel(1), ["t"], simulations=10)
    assert nothing.of("t").rate == 0
    assert nothing.of("t").untested == 10
    approved(words_of(nothing))
    some = simulate_model(ScoreModel(2, step=1, bounds=(1, 5)), ["t"], simulations=100)
    assert 0 < some.of("t").untested < 100


def test_results_as_frame_and_json() -> None:
    found = simulate_model(ScoreModel(6, (0.5, 0.0, 0.0)), ["t", "sign"], simulations=20)
    frame = found.to_frame()
    assert list(frame.columns) == [
        "topics",
        "systems",
        "alpha",
        "test",
        "what",
        "rate",
        "low",
        "high",
        "simulations",
        "untested",
        "reachable",
        "smallest",
        "verdict",
    ]
    assert len(frame) == 8
    whole = found.as_dict()
    assert json.loads(json.dumps(whole, allow_nan=False))["tables"]["simulation"][0]["test"] == "t"
    assert whole["model"]["means"] == [0.5, 0.0, 0.0]


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    simulate_model(
        ScoreModel(5), ["sign"], simulations=CHUNK + 1, progress=lambda done, of: seen.append((done, of))
    )
    assert seen == [(CHUNK, CHUNK + 1), (CHUNK + 1, CHUNK + 1)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tests": ["wilcox"]}, 'no test "wilcox"'),
        ({"simulations": 0}, "simulations is 0, expected a whole number, 1 or more"),
        ({"alpha": 1}, "alpha is 1, expected a number between 0 and 1"),
        ({"resamples": 0}, "resamples is 0, expected a whole number, 1 or more"),
        ({"seed": -1}, "seed is -1, expected a whole number, 0 or more"),
    ],
)
def test_a_wrong_call_is_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate_model(ScoreModel(5), **wrong)
    with pytest.raises(UsageError, match="hb was not simulated; there are: sign"):
        simulate_model(ScoreModel(5), ["sign"], simulations=1).of("hb")


def test_the_command_prints_a_row_per_test() -> None:
    printed = run(
        "--n-topics", "10", "--simulations", "40", "--resamples", "99", "--show-signature"
    ).stdout.splitlines()
    assert printed[0] == "10 topics, 2 systems, difference 0, 40 simulations"
    assert len(printed) == 3 + len(TESTS)
    assert printed[2].startswith("paired Wilcoxon ")
    assert printed[-1].startswith("simulate(n_topics=10, simulations=40, resamples=99)|topics:10|")


def test_the_command_takes_every_option() -> None:
    line = (
        "--n-topics 9 --n-systems 3 --difference 0.4 --noise t3 --topic-sd 0.5 --unequal 2 --uneven 3 --shared 0.2"
        " --missing-half --round 0.1 --tests t,hb:w --simulations 20 --alpha 0.1 --resamples 49 --seed 4 --json"
    )
    [whole] = json.loads(run(*line.split()).stdout)
    model = ScoreModel(9, (0.4, 0.0, 0.0), 0.5, "t3", 2.0, 3.0, 0.2, missing_half=True, step=0.1)
    again = simulate_model(model, ["t", "hb:w"], simulations=20, alpha=0.1, resamples=49, seed=4)
    expected = json.loads(json.dumps(again.as_dict()))
    assert {name: whole[name] for name in ("model", "tables", "sentences")} == {
        name: expected[name] for name in ("model", "tables", "sentences")
    }
    assert Simulate.parse(whole["signature"]) == Simulate(**whole["asked"])


def test_ratings_are_rounded_and_kept_within() -> None:
    [whole] = json.loads(run("--ratings", "--tests", "sign", "--simulations", "5", "--json").stdout)
    assert (whole["model"]["step"], whole["model"]["bounds"]) == (1.0, [1.0, 5.0])
    with pytest.raises(UsageError, match="^ratings are whole numbers: give no step to round to"):
        run("--ratings", "--round", "0.1")


def test_csv_of_the_command(tmp_path: Path) -> None:
    target = tmp_path / "sizes.csv"
    assert run("--tests", "t,sign", "--simulations", "10", "--csv", str(target)).stdout == ""
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("topics,systems,alpha,test,what,rate,low,high,")
    assert len(lines) == 3


def test_every_noise_can_be_asked_for() -> None:
    assert declared(Simulate)["noise"][0].choices == NOISES


def test_scores_give_what_is_not_said(tmp_path: Path) -> None:
    rows = [f"t{k},{k}.5,{k}.{k}" for k in range(9)]
    (tmp_path / "s.csv").write_text("\n".join(["topic,a,b", *rows]) + "\n", encoding="utf-8")
    assert simulate(tmp_path / "s.csv", tests="t", simulations=1).model.topics == 9
    assert run(str(tmp_path / "s.csv"), "--tests", "t", "--simulations", "1").stdout.startswith("9 topics")


def test_a_simulation_is_frozen() -> None:
    found = simulate_model(ScoreModel(5), ["sign"], simulations=1)
    assert isinstance(found, Simulation)
    with pytest.raises(AttributeError):
        found.alpha = 0.1  # type: ignore[misc]


def test_a_test_named_twice_runs_once() -> None:
    found = simulate_model(ScoreModel(5), ["hb", "hb:t", "hb"], simulations=2, resamples=9)
    assert [o.test for o in found.outcomes] == ["hb"]


def test_topics_are_chosen_of_scores_alone() -> None:
    with pytest.raises(UsageError, match="^topics is about scores, and none are given: "):
        simulate(topics="task=multi")
