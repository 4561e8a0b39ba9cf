"""adjudge simulate: outcomes add up, streams do not depend on chunks of workers, words say what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from adjudge.cli import simulate as cli
from adjudge.comparisons.simulate import CHUNK, TESTS, Simulation, simulate_model
from adjudge.engine import generator
from adjudge.errors import AdjudgeError, UsageError
from adjudge.stats import pairs
from adjudge.stats.multiple import adjust
from adjudge.stats.power.generate import NOISES, ScoreModel, draw
from adjudge.stats.power.rates import Rate

QUICK = ("wilcoxon", "t", "t-unpaired", "sign")
app = typer.Typer()
app.command()(cli.command)


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments))
    if isinstance(done.exception, AdjudgeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


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
        power.append(np.mean(p[:3] < 0.05))
        size.append(np.mean(p[3:] < 0.05))
        anyone.append((p[3:] < 0.05).any())
        corrected.append((adjust(p, "holm")[3:] < 0.05).any())
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


def test_words_for_two_systems() -> None:
    found = simulate_model(ScoreModel(10, topic_sd=3), QUICK, simulations=200)
    said = list(found.sentences())
    t = found.of("t-unpaired")
    assert said[2] == (
        f"By unpaired t a difference that is not there is found in {100 * t.rate:.1f} % of 200 simulations"
        f" (99 % interval {100 * t.low:.1f} % to {100 * t.high:.1f} %): conservative."
    )
    assert found.title == "10 topics, 2 systems, difference 0, 200 simulations"
    assert found.signature.startswith("simulate|topics:10|means:0,0|noise:normal|topic-sd:3|simulations:200|")
    planted = simulate_model(ScoreModel(10, (1.0, 0.0)), ["t"], simulations=50)
    assert next(planted.sentences()).startswith("By paired t the difference is found in ")
    assert "alpha" not in next(planted.sentences())


def test_words_for_many_systems() -> None:
    found = simulate_model(ScoreModel(10, (0.5, 0.0, 0.0)), ["wilcoxon"], simulations=20)
    power, size, anyone, corrected = found.sentences()
    assert power.startswith("By paired Wilcoxon ")
    assert " of the pairs that differ are found, over 20 simulations (99 % interval " in power
    assert " of the pairs that do not differ are found, over " in size
    assert "some pair that does not differ is found in" in anyone
    assert corrected.startswith("By paired Wilcoxon, Holm-corrected, some pair")


def test_what_could_not_be_tested_is_counted() -> None:
    # On one topic no test can be had; on two, ratings are often the same twice.
    nothing = simulate_model(ScoreModel(1), ["t"], simulations=10)
    assert nothing.of("t").rate == 0
    assert nothing.warnings() == ["paired t: 10 pairs could not be tested"]
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
        "verdict",
    ]
    assert len(frame) == 8
    whole = found.as_dict()
    assert json.loads(json.dumps(whole, allow_nan=False))["outcomes"][0]["test"] == "t"
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
        ({"tests": []}, "no test to simulate"),
        ({"simulations": 0}, "simulations: expected a whole number of at least 1"),
        ({"alpha": 1}, "alpha: expected a number between 0 and 1"),
        ({"resamples": 0}, "resamples: expected a whole number of at least 1"),
        ({"seed": -1}, "the seed is -1, expected 0 or more"),
    ],
)
def test_a_wrong_call_is_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate_model(ScoreModel(5), **wrong)
    with pytest.raises(UsageError, match="hb was not simulated; there are: sign"):
        simulate_model(ScoreModel(5), ["sign"], simulations=1).of("hb")


def test_the_command_prints_a_row_per_test() -> None:
    printed = run("--topics", "10", "--simulations", "40", "--resamples", "99").stdout.splitlines()
    assert printed[0] == "10 topics, 2 systems, difference 0, 40 simulations"
    assert len(printed) == 3 + len(TESTS)
    assert printed[2].startswith("paired Wilcoxon ")
    assert printed[-1].startswith("simulate|topics:10|")


def test_the_command_takes_every_option() -> None:
    line = (
        "--topics 9 --systems 3 --difference 0.4 --noise t3 --topic-sd 0.5 --unequal 2 --uneven 3 --shared 0.2"
        " --missing-half --round 0.1 --tests t,hb:w --simulations 20 --alpha 0.1 --resamples 49 --seed 4 --json"
    )
    whole = json.loads(run(*line.split()).stdout)
    model = ScoreModel(9, (0.4, 0.0, 0.0), 0.5, "t3", 2.0, 3.0, 0.2, missing_half=True, step=0.1)
    again = simulate_model(model, ["t", "hb:w"], simulations=20, alpha=0.1, resamples=49, seed=4)
    assert whole == json.loads(json.dumps(again.as_dict()))


def test_ratings_are_rounded_and_kept_within() -> None:
    whole = json.loads(run("--ratings", "--tests", "sign", "--simulations", "5", "--json").stdout)
    assert (whole["model"]["step"], whole["model"]["bounds"]) == (1.0, [1.0, 5.0])
    with pytest.raises(UsageError, match="--ratings and --round exclude each other"):
        run("--ratings", "--round", "0.1")


def test_csv_of_the_command(tmp_path: Path) -> None:
    target = tmp_path / "sizes.csv"
    assert run("--tests", "t,sign", "--simulations", "10", "--csv", str(target)).stdout == ""
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("topics,systems,alpha,test,what,rate,low,high,")
    assert len(lines) == 3


def test_the_help_names_every_noise() -> None:
    assert [noise for noise in NOISES if noise not in cli.NOISES] == []


def test_a_simulation_is_frozen() -> None:
    found = simulate_model(ScoreModel(5), ["sign"], simulations=1)
    assert isinstance(found, Simulation)
    with pytest.raises(AttributeError):
        found.alpha = 0.1  # type: ignore[misc]


def test_a_test_named_twice_runs_once() -> None:
    found = simulate_model(ScoreModel(5), ["hb", "hb:t", "hb"], simulations=2, resamples=9)
    assert [o.test for o in found.outcomes] == ["hb"]
