"""Lengths: averaged within topics first, compared one at a time, and compared with each other."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import typer
from scipy import stats
from tests.approving import Approved, words_of
from typer.testing import CliRunner

from adjudge.analyses.lengths import Lengths, lengths
from adjudge.analyses.lengths.result import LengthsResult, lengths_of_matrices
from adjudge.analyses.lengths.words import short_decimal
from adjudge.analyses.scores import Scores
from adjudge.cli.analysis import command_of
from adjudge.core.errors import AdjudgeError, DataError
from adjudge.data.rows import Row, Summary, System, Topic
from adjudge.data.scores import (
    Better,
    LengthLeftOut,
    MeasureInfo,
    Score,
    ScoreMatrix,
    ScoreTable,
    average_lengths,
)
from adjudge.evaluation import Evaluation
from adjudge.stats.linear.studentized import studentized_range_isf
from adjudge.stats.linear.tukey import tukey
from adjudge.stats.multiple import holm
from adjudge.stats.ranks import EXACT_UP_TO, LISTED_UP_TO

PAGE = (Path(__file__).parents[2] / "docs" / "lengths.md").read_text(encoding="utf-8")
SYSTEMS = {"16": 0.0, "19": 0.05, "20": -0.02, "24": 0.03, "25": -0.08, "MANUAL": 0.2}
NOISE = {10: 0.2, 50: 0.12, 100: 0.1, 200: 0.08}


def rows(topics: int = 20, seed: int = 0, skip: Iterable[tuple[int, str]] = ((10, "24"),)) -> list[Score]:
    """Coverage at four lengths: the shorter the target, the larger the noise; 24 made no 10-word summaries."""
    rng = np.random.default_rng(seed)
    made = []
    for topic in range(topics):
        level = rng.normal(0.3, 0.1)
        for length, noise in NOISE.items():
            for system, effect in SYSTEMS.items():
                value = float(level + effect + rng.normal(0, noise))
                if (length, system) not in skip:
                    made.append(Score("coverage", f"D{topic:03d}", system, value, length=length))
    return made


def table(made: list[Score], better: Better = "higher") -> ScoreTable:
    return ScoreTable.from_rows(made, [MeasureInfo("coverage", better, signature="coverage|v:1")])


def scored(scores: ScoreTable, tasks: dict[str, str]) -> Scores:
    topics = {name: Topic(name, task=task) for name, task in tasks.items()}
    return Scores("test", scores, topics=topics)


@pytest.fixture(scope="module")
def duc() -> LengthsResult:
    tasks = {f"D{k:03d}": "single" if k % 2 else "multi" for k in range(20)}
    return lengths(scored(table(rows()), tasks), "coverage")


def test_each_length_is_its_own_comparison(duc: LengthsResult) -> None:
    scores = table(rows())
    for each in duc.lengths:
        matrix = scores.matrix("coverage", length=each.length)
        alone = tukey(matrix.values)
        alone_p = [
            stats.ttest_rel(*matrix.values[:, pair].T).pvalue
            for pair in combinations(range(matrix.values.shape[1]), 2)
        ]
        assert each.tests.p == pytest.approx(holm(alone_p))
        assert each.tukey.mean_square == alone.mean_square
        centred = (matrix.values - matrix.values.mean(axis=1, keepdims=True)).mean(axis=0)
        for j, system in enumerate(matrix.systems):
            [standing] = [s for s in each.standings if s.system == system]
            assert standing.centred == pytest.approx(centred[j])
            assert standing.mean == pytest.approx(matrix.values[:, j].mean())
    assert [each.column for each in duc.columns] == ["10", "50", "100", "200", "all"]
    assert [each.tukey.columns for each in duc.columns] == [5, 6, 6, 6, 6]
    assert "24" not in [s.system for s in duc.lengths[0].standings]


def test_standings_are_ranked_with_letters(duc: LengthsResult) -> None:
    last = duc.lengths[-1]
    assert [s.system for s in last.standings] == ["MANUAL", "19", "24", "16", "20", "25"]
    assert [s.rank for s in last.standings] == [1, 2, 3, 4, 5, 6]
    assert last.standings[0].group == "a"
    assert last.standings[-1].group not in ("a", "")
    assert duc.systems() == ("MANUAL", "19", "24", "16", "20", "25")


def test_all_lengths_average_what_every_system_has(duc: LengthsResult, approved: Approved) -> None:
    assert duc.together is not None
    scores = table(rows())
    kept = [scores.matrix("coverage", length=n).select(list(SYSTEMS)).values for n in (50, 100, 200)]
    found = duc.together.matrix.select(list(SYSTEMS))
    assert found.values == pytest.approx(np.mean(kept, axis=0))
    assert (found.counts == 3).all()
    assert duc.left_out == (LengthLeftOut(10, 20, ("24",)),)
    assert [note.code for note in duc.notes()] == ["length-left-out-of-the-mean"]
    approved(duc.warnings())


def test_noise_grows_as_the_target_shrinks(duc: LengthsResult, approved: Approved) -> None:
    squares = [each.tukey.mean_square for each in duc.lengths]
    assert squares == sorted(squares, reverse=True)
    widths = [each.tukey.hsd for each in duc.lengths]
    assert widths == sorted(widths, reverse=True)
    noise = duc.to_frame("noise").set_index("length")["told_apart"]
    assert (noise["10"], noise["all"]) == (1, 10)
    approved(duc.sentences())


def test_noise_that_does_not_grow_is_said_too(approved: Approved) -> None:
    turned = [replace(s, length={10: 200, 50: 50, 100: 100, 200: 10}[s.length or 0]) for s in rows(skip=())]
    found = lengths(table(turned), "coverage")
    approved(next(found.sentences()))


def test_rankings_agree_by_kendalls_tau(duc: LengthsResult) -> None:
    assert [(a.a, a.b) for a in duc.between_lengths[:3]] == [
        ("10 words", "50 words"),
        ("10 words", "100 words"),
        ("10 words", "200 words"),
    ]
    assert len(duc.between_lengths) == 6
    scores = table(rows())
    means = {n: scores.matrix("coverage", length=n).to_frame().mean() for n in NOISE}
    for agreement, (a, b) in zip(duc.between_lengths[3:5], ((50, 100), (50, 200)), strict=True):
        expected = stats.kendalltau(means[a], means[b][means[a].index])
        assert agreement.tau.tau == pytest.approx(expected.statistic)
        assert agreement.only == ()
    assert duc.between_lengths[0].only == ("24",)
    assert duc.between_lengths[0].tau.n == 5
    tau, interval = duc.between_lengths[0].tau, duc.between_lengths[0].interval
    assert (tau.tau, round(tau.p, 3), interval.low, interval.high) == pytest.approx((0.6, 0.233, 0, 1))


def test_single_and_multi_documents_are_compared(duc: LengthsResult) -> None:
    assert len(duc.between_tasks) == 5
    at_50 = duc.between_tasks[1]
    assert (at_50.a, at_50.b) == ("single documents, 50 words", "multi documents, 50 words")
    frame = table(rows()).matrix("coverage", length=50).to_frame()
    odd = [int(topic[1:]) % 2 == 1 for topic in frame.index]
    expected = stats.kendalltau(frame[odd].mean(), frame[[not each for each in odd]].mean())
    assert at_50.tau.tau == pytest.approx(expected.statistic)
    # Two rankings that are the same have no interval that means anything: none is said.
    same = duc.between_tasks[-1]
    assert (same.tau.tau, same.interval.low, same.interval.high) == (1, 1, 1)
    assert lengths(table(rows()), "coverage").between_tasks == ()


def test_the_seed_decides_and_nothing_else() -> None:
    scores = table(rows())

    def ends(seed: int) -> list[float]:
        return [a.interval.low for a in lengths(scores, "coverage", seed=seed, resamples=50).between_lengths]

    assert ends(0) == ends(0) != ends(1)
    assert lengths(scores, "coverage").signature == (
        "lengths(measure=coverage)|coverage|v:1|lengths:10,50,100,200|model:system+topic|t:0.95|tau-b:bootstrap-percentile:2000|seed:0"
    )


def test_lower_is_better_turns_the_ranking_round() -> None:
    low = lengths(table(rows(), "lower"), "coverage")
    assert [s.system for s in low.lengths[-1].standings][-1] == "MANUAL"
    high = lengths(table(rows()), "coverage")
    assert [a.tau.tau for a in low.between_lengths] == [a.tau.tau for a in high.between_lengths]


def matrix(values: list[list[float]], systems: str, topics: Iterable[str]) -> ScoreMatrix:
    array = np.array(values, dtype=float)
    names = tuple(topics)
    holes = tuple((names[i], systems[j], "lost") for i, j in np.argwhere(np.isnan(array)))
    return ScoreMatrix(
        array, np.isfinite(array).astype(int), names, tuple(systems), MeasureInfo("m"), missing=holes
    )


def test_a_length_counts_on_a_topic_where_everybody_there_has_it() -> None:
    nan = math.nan
    short = matrix([[1, 2, 3], [1, 2, nan], [nan, nan, 5]], "abc", ["t1", "t2", "t3"])
    long = matrix([[3, 4, 5], [3, 4, nan], [7, nan, nan]], "abc", ["t1", "t2", "t3"])
    found, left_out = average_lengths({50: short, 100: long})
    assert found.values[0].tolist() == [2.0, 3.0, 4.0]
    # c is nowhere on t2: it takes no length from a and b, and is missing.
    assert found.values[1, :2].tolist() == [2.0, 3.0]
    # On t3 a and c have no length in common.
    assert np.isnan(found.values[2]).all()
    assert found.missing == (
        ("t2", "c", "lost"),
        ("t3", "a", "no length that every system on this topic has"),
        ("t3", "b", "lost"),
        ("t3", "c", "no length that every system on this topic has"),
    )
    assert left_out == (LengthLeftOut(50, 1, ("a",)), LengthLeftOut(100, 1, ("c",)))
    assert found.counts.tolist() == [[2, 2, 2], [2, 2, 0], [0, 0, 0]]
    assert found.info.signature == "m|lengths:averaged-within-topics"


def test_topics_and_systems_need_not_be_the_same_at_every_length() -> None:
    short = matrix([[1, 2]], "ab", ["t1"])
    long = matrix([[4, 3], [6, 5]], "ba", ["t1", "t2"])
    found, left_out = average_lengths({50: short, 100: long})
    assert found.topics == ("t1", "t2")
    assert found.values.tolist() == [[2.0, 3.0], [5.0, 6.0]]
    assert left_out == ()


def test_rows_of_topics_and_lengths_become_topics() -> None:
    scores = table(rows())
    found = scores.matrix("coverage", length="all").averaged()
    direct, _ = average_lengths({n: scores.matrix("coverage", length=n) for n in NOISE})
    assert found.topics == direct.topics
    assert found.select(list(SYSTEMS)).values == pytest.approx(direct.select(list(SYSTEMS)).values)
    one = table([s for s in rows() if s.length == 50]).matrix("coverage", length="all")
    assert one.averaged() is one


def test_an_unset_length_is_one_of_several() -> None:
    made = [replace(s, length=None) if s.length == 10 else s for s in rows(skip=())]
    found = lengths(table(made), "coverage")
    assert [each.column for each in found.columns] == ["unset", "50", "100", "200", "all"]
    assert found.lengths[0].name == "no set length"
    merged = table(made).matrix("coverage", length="all").averaged()
    assert found.together is not None
    assert merged.select(list(SYSTEMS)).values == pytest.approx(
        found.together.matrix.select(list(SYSTEMS)).values
    )


def test_one_length_has_nothing_to_be_compared_with(approved: Approved) -> None:
    found = lengths(table([s for s in rows() if s.length == 50]), "coverage")
    assert found.together is None
    assert found.between_lengths == ()
    approved(words_of(found))


@pytest.mark.parametrize(
    "made",
    [
        [Score("coverage", "t", "a", 1.0, length=10)],
        [Score("coverage", "t", "a", 1.0, length=10), Score("coverage", "t", "b", 2.0, length=10)],
        [Score("coverage", "t", "a", 1.0, length=10), Score("coverage", "t", "b", 2.0, length=50)],
        [Score("coverage", t, s, 1.0, length=n) for t in "tu" for s in "ab" for n in (10, 50)],
        [Score("coverage", "t", "a", 1.0, length=10), Score("coverage", "u", "b", 2.0, length=10)],
        [Score("coverage", "t", "a", 1.0, length=10), Score.missing("coverage", "t", "b", "lost", 10)],
    ],
)
def test_odd_tables_give_a_result_or_a_reason(made: list[Score]) -> None:
    found = lengths(scored(table(made), {"t": "single", "u": "multi"}), "coverage")
    assert list(found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.to_latex().endswith(found.signature)
    assert len(found.to_frame()) >= 1
    assert set(found.to_frame("noise")["length"]) == {each.column for each in found.columns}
    assert list(found.to_frame("agreement").columns)[:4] == ["measure", "a", "b", "n"]


def test_nothing_at_all_is_one_line() -> None:
    with pytest.raises(DataError, match="no scores at any length"):
        lengths_of_matrices({})
    with pytest.raises(DataError, match="coverage: every score is missing"):
        lengths(table([Score.missing("coverage", "t", "a", "lost", 10)]), "coverage")


def test_missing_cells_are_counted(approved: Approved) -> None:
    made = [s for s in rows() if (s.topic, s.system, s.length) != ("D003", "19", 100)]
    found = lengths(table(made), "coverage")
    approved(found.warnings())
    assert found.lengths[2].tests.method == "t"


def test_frames_latex_and_json(duc: LengthsResult) -> None:
    frame = duc.to_frame()
    assert list(frame.columns) == [
        "measure",
        "length",
        "form",
        "system",
        "rank",
        "n",
        "mean",
        "centred",
        "group",
    ]
    assert len(frame) == 5 + 4 * 6
    noise = duc.to_frame("noise")
    assert noise["df"].tolist() == [76, 95, 95, 95, 95]
    assert noise["told_apart"].tolist() == [1, 5, 9, 8, 10]
    latex = duc.to_latex()
    assert latex.count(r"\\") == 1 + 6 + 1 + 5
    assert r"24 & -- &  & " in latex  # all are machines, which is not said
    found = duc.as_dict()
    assert found["tables"]["standings"][0]["system"] == "MANUAL"
    assert found["left_out"] == [{"length": 10, "topics": 20, "systems": ["24"]}]
    assert len(found["tables"]["agreement"]) == 11


# The command.


@pytest.fixture
def run() -> Callable[..., tuple[int, str, str]]:
    app = typer.Typer()
    app.command()(command_of("lengths"))

    def call(*arguments: object) -> tuple[int, str, str]:
        found = CliRunner().invoke(app, [str(a) for a in arguments])
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found.exit_code, found.stdout, found.stderr

    return call


@pytest.fixture
def long_table(tmp_path: Path) -> Path:
    path = tmp_path / "coverage.csv"
    frame = table(rows()).to_frame()
    frame[["measure", "topic", "system", "length", "value"]].to_csv(path, index=False)
    return path


def test_the_command_shows_tables_and_sentences(
    run: Callable[..., tuple[int, str, str]], long_table: Path
) -> None:
    code, out, err = run(long_table, "-m", "coverage")
    assert code == 0
    assert "coverage (higher is better, 4 lengths): " in out
    assert "scores minus the mean of their topic" in out
    assert "noise (residual mean square) grows as summaries get shorter" in out
    assert "1 of 10" in out
    assert "note: 10 words left out of the mean on 20 topics" in err


def test_the_command_writes_json_csv_and_latex(
    run: Callable[..., tuple[int, str, str]], long_table: Path, tmp_path: Path
) -> None:
    found = json.loads(run(long_table, "--json")[1])
    assert found[0]["measure"] == "coverage"
    assert [each["length"] for each in found[0]["tables"]["noise"]] == ["10", "50", "100", "200", "all"]
    target = tmp_path / "out.csv"
    assert run(long_table, "--csv", target)[1] == ""
    assert len(target.read_text(encoding="utf-8").splitlines()) == 1 + 29
    assert run(long_table, "--latex")[1].startswith(r"\begin{tabular}")


def test_the_command_pools_humans(run: Callable[..., tuple[int, str, str]], long_table: Path) -> None:
    found = json.loads(run(long_table, "--json", "--human", "MANUAL,19", "--pool-humans")[1])
    systems = {row["system"] for row in found[0]["tables"]["standings"] if row["length"] == "50"}
    assert systems == {"HUMANS", "16", "20", "24", "25"}


def test_the_command_knows_the_tasks_of_a_folder(
    run: Callable[..., tuple[int, str, str]], make: Callable[..., Evaluation]
) -> None:
    made: list[Row] = [System(s) for s in "abc"]
    for k in range(6):
        made.append(Topic(f"t{k}", task="single" if k % 2 else "multi"))
        for n in (5, 20):
            made += [Summary(f"t{k}", s, f"one {'word ' * (k + j + n)}", n) for j, s in enumerate("abc")]
    e = make(*made)
    e.score("words")
    found = json.loads(run(e.path, "-m", "words", "--json")[1])
    assert any("single documents" in row["a"] for row in found[0]["tables"]["agreement"])
    single = json.loads(run(e.path, "-m", "words", "--topics", "task=single", "--json")[1])
    assert {each["topics"] for each in single[0]["tables"]["noise"]} == {3}
    with pytest.raises(AdjudgeError, match='no topic with task "both"; there are: multi, single'):
        run(e.path, "-m", "words", "--topics", "task=both")


def test_a_task_without_topics_is_one_line(
    run: Callable[..., tuple[int, str, str]], long_table: Path
) -> None:
    with pytest.raises(AdjudgeError, match='topics have no column "task"'):
        run(long_table, "--topics", "task=multi")


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_has_the_numbers_of_the_code_and_of_duc() -> None:
    assert f"exact without ties (up to {EXACT_UP_TO} systems) and with at most {LISTED_UP_TO} systems" in PAGE
    assert f"{Lengths().resamples:,} resamples" in PAGE
    # Over and Liggett 2002: 57 sets, 11 systems, 560 residual degrees of freedom.
    widths = [
        studentized_range_isf(0.05, 11, 560) * math.sqrt(ms / 57) for ms in (0.0060058, 0.0105670, 0.0150015)
    ]
    assert "{:.3f}, {:.3f} and {:.3f} at 200, 100 and 50 words".format(*widths) in PAGE


def test_noise_that_prints_alike_does_not_grow(approved: Approved) -> None:
    """What is said follows from the numbers beside it, not from digits that nobody sees."""
    scores = [
        Score("m", f"d{k}", s, float(v), length=10) for k in range(6) for s, v in (("a", k % 3), ("b", k))
    ]
    longer = [replace(s, value=s.value * (1 - 1e-9), length=50) for s in scores]
    found = lengths(table([*scores, *longer]), "m")
    approved(next(found.sentences()))


def test_no_sign_stands_before_nothing() -> None:
    assert [short_decimal(value) for value in (-0.001, 0.0, -0.0, 0.004, -1.0, 1.0, -0.25)] == [
        ".00",
        ".00",
        ".00",
        ".00",
        "-1",
        "1",
        "-.25",
    ]


def test_scores_too_large_for_a_variance_are_one_line() -> None:
    scores = [Score("m", f"d{k}", s, 1e300 * k, length=n) for k in range(4) for s in "ab" for n in (10, 50)]
    with pytest.raises(
        DataError, match=r"^m: a score of 3e\+300 is too large for a variance: divide all scores$"
    ):
        lengths(table(scores), "m")
