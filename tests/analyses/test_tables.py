"""Scores as people have them, in files and frames, through the command line and from Python."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved
from tests.cli.running import called

import adjudge
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.rows import Summary

RNG = np.random.default_rng(15)
WIDE = pd.DataFrame(
    np.round(RNG.random((10, 3)) + np.array([0.3, 0.2, 0.0]), 4),
    columns=["A", "B", "C"],
    index=[f"d{k}" for k in range(10)],
).rename_axis("topic")
LONG = WIDE.reset_index().melt("topic", var_name="system", value_name="value")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    WIDE.to_csv(tmp_path / "plain.csv")
    WIDE.to_csv(tmp_path / "excel.csv", sep=";", decimal=",", encoding="utf-16")
    LONG.rename(columns={"topic": "Fall", "system": "Programm", "value": "Punkte"}).to_csv(
        tmp_path / "german.txt", sep="\t", decimal=",", index=False
    )
    WIDE.T.rename_axis("system").to_csv(tmp_path / "transposed.csv")
    return tmp_path


MAPPED = ("--map", "topic=Fall", "--map", "system=Programm", "--map", "value=Punkte")
WAYS: dict[str, tuple[str, ...]] = {
    "excel.csv": (),
    "german.txt": MAPPED,
    "transposed.csv": ("--transpose",),
}


def means(folder: Path, *arguments: str) -> dict[str, float]:
    done = called(folder, "compare", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    found = found[0] if isinstance(found, list) else found
    return {each["system"]: each["mean"] for each in found["tables"]["league"]}


def test_compare_reads_each_shape(folder: Path) -> None:
    plain = means(folder, "plain.csv")
    assert plain == pytest.approx(WIDE.mean().to_dict())
    for name, options in WAYS.items():
        assert means(folder, name, *options) == pytest.approx(plain)


def test_standard_input_is_any_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WIDE.to_parquet(folder / "p.parquet")
    for name in ("plain.csv", "excel.csv", "p.parquet"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / name).read_bytes())))
        assert means(folder, "-") == pytest.approx(WIDE.mean().to_dict())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"winner;loser\nx;y\ny;x\n")))
    done = called(folder, "prefer", "fit", "-")
    assert done.returncode == 0
    assert "note: stdin: " in done.stderr
    assert done.stdout.startswith("stdin (2 items, 2 answers)")


@pytest.mark.parametrize("command", ["topics", "anova", "groups", "plan", "report"])
def test_every_command_takes_the_options_of_tables(folder: Path, command: str) -> None:
    outputs = []
    for name, options in {"plain.csv": (), **WAYS}.items():
        (folder / "out").mkdir(exist_ok=True)
        more = ("-o", f"{name}-report") if command == "report" else ("--csv", "-")
        done = called(folder, command, name, *options, *more)
        assert done.returncode == 0, done.stderr
        if command == "report":
            [league] = (folder / f"{name}-report").glob("*-league.csv")
            done_text = league.read_text(encoding="utf-8")
        else:
            done_text = done.stdout
        outputs.append(done_text.replace(name.partition(".")[0], "NAME"))
    assert len({re.sub(r"\d+\.\d+", lambda n: f"{float(n[0]):.4f}", text) for text in outputs}) == 1


def test_lengths_takes_them_too(folder: Path) -> None:
    both = pd.concat([LONG.assign(length=50), LONG.assign(length=100, value=LONG["value"] + 0.1)])
    both.to_csv(folder / "l.csv", sep=";", decimal=",", index=False)
    done = called(folder, "lengths", "l.csv", "--csv", "-")
    assert done.returncode == 0, done.stderr
    assert "note: l.csv: " in done.stderr


def test_what_was_found_out_is_said_once(folder: Path, approved: Approved) -> None:
    done = called(folder, "compare", "excel.csv")
    approved(done.stderr)
    assert "read as" not in called(folder, "compare", "plain.csv").stderr


def test_a_wrong_delimiter_and_a_folder_are_one_line(folder: Path) -> None:
    done = called(folder, "compare", "excel.csv", "--delimiter", ",")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        'adjudge: --delimiter is ",", but ";" stands between the columns of excel.csv: say --delimiter ";"'
    ]
    adjudge.init(folder / "eval")
    done = called(folder, "topics", "eval", "--decimal", ",")
    assert done.returncode == 2
    assert "--decimal is for a table of numbers" in done.stderr


def test_a_matrix_that_may_be_transposed_is_told(folder: Path, approved: Approved) -> None:
    WIDE.T.rename_axis(None).to_csv(folder / "t.csv")
    done = called(folder, "compare", "t.csv")
    approved(done.stderr)
    assert "transpose" not in called(folder, "compare", "t.csv", "--transpose").stderr
    done = called(folder, "compare", "transposed.csv")
    assert done.returncode == 1
    assert "no column for the topic among system, d0" in done.stderr
    assert "or --transpose where rows are systems and columns topics" in done.stderr
    assert done.stderr.rstrip().endswith("means alone cannot be tested")
    done = called(folder, "compare", "german.txt", *MAPPED, "--transpose")
    assert "--transpose is for a matrix, but german.txt names topic and system in every row" in done.stderr
    frame = adjudge.read_scores(WIDE.T.rename_axis(None))
    approved(frame.notes("score"), "python")


def test_further_columns_of_a_matrix_are_used(tmp_path: Path) -> None:
    wide = WIDE.reset_index()
    wide.insert(1, "set", ["s1", "s2"] * 5)
    wide.insert(2, "assessor", ["ann", "bob"] * 5)
    wide["reference"] = 0.5  # which may well be a system
    wide.to_csv(tmp_path / "m.csv", index=False)
    for source in (tmp_path / "m.csv", wide):
        found = adjudge.read_scores(source)
        assert found.topic_values("set", ["d0", "d1"]) == ("s1", "s2")
        assert set(found.frame["assessor"]) == {"ann", "bob"}
        assert found.matrix().systems == ("A", "B", "C", "reference")
        off = adjudge.read_scores(source, columns={"set": "", "assessor": ""})
        assert off.matrix().systems == ("A", "B", "C", "reference")
        assert any('"set"' in note for note in off.notes(off.measures[0]))


def test_a_column_per_measure(tmp_path: Path) -> None:
    frame = LONG.rename(columns={"value": "rouge1"}).assign(rouge2=LONG["value"] / 2, prompt="summarise")
    frame.to_csv(tmp_path / "m.csv", index=False)
    for source in (tmp_path / "m.csv", frame, frame.set_index(["topic", "system"])):
        found = adjudge.read_scores(source)
        assert found.measures == ("rouge1", "rouge2")
        np.testing.assert_allclose(
            found.matrix("rouge2").to_frame().loc[WIDE.index, ["A", "B", "C"]], WIDE / 2
        )
        assert '"prompt"' in found.notes("rouge1")[0]
    named = adjudge.read_scores(frame, columns={"value": "rouge2"}, measure="r")
    assert named.measures == ("r",)
    with pytest.raises(
        UsageError, match="measure names one measure, but DataFrame has several: rouge1, rouge2"
    ):
        adjudge.read_scores(frame, measure="r")


# Frames

FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "index": lambda: WIDE,
    "index without a name": lambda: WIDE.rename_axis(None),
    "first column": lambda: WIDE.reset_index(),
    "long": lambda: LONG,
    "long, filtered": lambda: LONG[LONG["value"] > -1].sample(frac=1, random_state=1),
    "long, other names": lambda: LONG.set_axis(["doc_id", "model", "score"], axis=1),
    "MultiIndex": lambda: LONG.set_index(["topic", "system"]),
    "topic as index of a long frame": lambda: LONG.set_index("topic"),
    "pivot": lambda: LONG.pivot(index="topic", columns="system", values="value"),
    "texts": lambda: WIDE.astype(str),
    "decimal commas": lambda: WIDE.map(lambda value: str(value).replace(".", ",")),
    "objects": lambda: WIDE.astype(object),
}


@pytest.mark.parametrize("shape", FRAMES)
def test_every_frame_gives_the_same(shape: str) -> None:
    found = adjudge.compare(FRAMES[shape]())
    np.testing.assert_array_equal(found.matrix.to_frame().loc[WIDE.index, ["A", "B", "C"]], WIDE)


def test_numbers_for_names_and_holes() -> None:
    numbered = WIDE.reset_index(drop=True).set_axis([1, 2, 3], axis=1)
    found = adjudge.compare(numbered)
    assert set(found.matrix.systems) == {"1", "2", "3"}
    assert found.matrix.topics == tuple(map(str, range(10)))
    holes = WIDE.astype(object)
    holes.iloc[0, 0], holes.iloc[1, 1] = None, ""
    assert len(adjudge.read_scores(holes).matrix().missing) == 2
    levels = LONG.assign(other=1.0).pivot(index="topic", columns="system", values=["value", "other"])
    assert set(adjudge.read_scores(levels).measures) == {"value", "other"}


@pytest.mark.parametrize(
    "wrong",
    [
        *(3, None, [1, 2], {}, (), b"x", WIDE["A"], WIDE.to_numpy(), object()),
        *(pd.DataFrame(), pd.DataFrame({"a": ["x"]}), WIDE.set_axis(["A", "A", "B"], axis=1)),
        WIDE.set_index([["a"] * 10, ["b"] * 10]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_no_table_is_one_line(wrong: object) -> None:
    for analysis in (adjudge.compare, adjudge.groups, adjudge.topics, adjudge.anova, adjudge.plan):
        with pytest.raises(AdjudgeError) as caught:
            analysis(wrong)
        assert "\n" not in str(caught.value)


def test_measures_are_a_text_or_a_list(tmp_path: Path) -> None:
    frame = LONG.rename(columns={"value": "m1"}).assign(m2=LONG["value"] / 2)
    assert adjudge.compare(frame, ["m2"]).measure == adjudge.compare(frame, "m2").measure == "m2"
    for one in ("m2", ["m2"], ("m2",)):
        assert len(adjudge.report(frame, tmp_path / "r", one)) == 8
    assert [m.measure for m in adjudge.counts(frame, "m1").measures] == ["m1"]
    for analysis in (adjudge.groups, adjudge.topics, adjudge.anova, adjudge.plan):
        assert analysis(frame, ["m2"]).to_frame().equals(analysis(frame, "m2").to_frame())
    for several in (["m1", "m2"], "m1,m2"):
        with pytest.raises(UsageError, match=r"not 2 \(m1 and m2\): choose one, or .* adjudge.compare_all"):
            adjudge.compare(frame, several)
    with pytest.raises(UsageError, match="measure is 3, expected a text, or several"):
        adjudge.compare(frame, 3)  # type: ignore[arg-type]


def test_what_was_read_is_in_the_result(tmp_path: Path) -> None:
    turned = WIDE.T.rename_axis(None)
    told = adjudge.read_scores(turned)  # who reads has the notes there
    [note] = told.notes("score")
    assert note in adjudge.compare(turned).table().notes
    assert note in repr(adjudge.compare(turned))
    assert all(note in each.table().notes for each in adjudge.compare_all(turned))
    assert note in adjudge.anova(turned).table().notes
    assert note not in repr(adjudge.compare(told))


def test_analyses_take_the_options_of_tables(tmp_path: Path) -> None:
    api: Any = adjudge  # checkers know the options of `read_scores` there alone
    turned = WIDE.T.rename_axis(None)
    expected = api.compare(WIDE).to_frame()
    pd.testing.assert_frame_equal(api.compare(turned, transpose=True).to_frame(), expected)
    pd.testing.assert_frame_equal(api.compare(scores=turned, transpose=True).to_frame(), expected)
    turned.to_csv(tmp_path / "score.csv", sep=";", decimal=",")
    for analysis in (api.groups, api.topics, api.anova, api.plan, api.counts):
        pd.testing.assert_frame_equal(
            analysis(tmp_path / "score.csv", transpose=True, decimal=",").to_frame(),
            analysis(WIDE).to_frame(),
        )
    assert api.compare(WIDE, human="A").kinds["A"] == "human"
    assert api.compare(WIDE, lower_is_better=True).matrix.info.better == "lower"
    with pytest.raises(UsageError, match="is for a table of numbers"):
        api.compare(adjudge.read_scores(WIDE), transpose=True)
    with pytest.raises(
        DataError, match="DataFrame: is empty, expected topics in rows and systems in columns"
    ):
        api.compare(pd.DataFrame())


def test_a_title_says_the_only_length() -> None:
    one = LONG.assign(length=100)
    assert adjudge.compare(one).table().title == "score, 100 words (higher is better, 10 topics)"
    assert adjudge.compare(one).table().title == adjudge.compare_all(one)[0].table().title
    with pytest.raises(UsageError, match=r"several lengths \(50, 100\): choose one"):
        adjudge.compare(pd.concat([one, LONG.assign(length=50)]))
    assert adjudge.compare(one, length="all").table().title.startswith("score")


def test_a_preset_that_is_not_scored_is_named_as_typed(tmp_path: Path) -> None:
    called(tmp_path, "init", "my-eval")
    LONG.to_csv(tmp_path / "m.csv", index=False)
    called(tmp_path, "import", "scores", "m.csv", "my-eval")
    done = called(tmp_path, "compare", "my-eval", "-m", "tac")
    assert done.stderr == (
        "adjudge: rouge-1-recall(limit=100w) has not been scored here; run: adjudge score my-eval -m tac\n"
    )
    done = called(tmp_path, "compare", "my-eval", "-m", "rouge-2(limit=100w)")
    assert done.stderr.endswith('run: adjudge score my-eval -m "rouge-2(limit=100w)"\n')


def test_some_measures_are_better_when_lower(tmp_path: Path, approved: Approved) -> None:
    frame = LONG.rename(columns={"value": "ter"}).assign(fkgl=LONG["value"] * 2, rouge1=LONG["value"] / 2)
    frame.to_csv(tmp_path / "m.csv", index=False)
    done = called(tmp_path, "compare", "m.csv", "--json")
    approved(done.stderr)
    for options in (("--lower", "ter,FKGL"), ("--lower", "ter", "--lower", "fkgl")):
        done = called(tmp_path, "compare", "m.csv", *options, "--json")
        found = {each["measure"]: each["tables"]["league"][0]["system"] for each in json.loads(done.stdout)}
        best = {"ter": WIDE.mean().idxmin(), "fkgl": WIDE.mean().idxmin(), "rouge1": WIDE.mean().idxmax()}
        assert (found, done.stderr) == (best, "")
    python = adjudge.read_scores(frame, lower_is_better="ter,fkgl")
    assert [python.info[m].better for m in ("ter", "fkgl", "rouge1")] == ["lower", "lower", "higher"]
    approved(adjudge.read_scores(frame).notes("ter"), "python")
    done = called(tmp_path, "topics", "m.csv", "-m", "ter", "--lower", "ter", "--lower-is-better")
    assert (
        done.stderr == "adjudge: --lower-is-better is for all measures, --lower for some: say one of them\n"
    )
    assert called(tmp_path, "report", "m.csv", "--lower", "ter", "-o", "r").returncode == 0
    assert "--lower &#34;ter&#34;" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    called(tmp_path, "init", "eval")
    done = called(tmp_path, "import", "scores", "m.csv", "eval", "--lower", "ter,fkgl")
    assert done.returncode == 0, done.stderr
    info = adjudge.open(tmp_path / "eval").scores().info
    assert [info[f"imported:{m}"].better for m in ("ter", "fkgl", "rouge1")] == ["lower", "lower", "higher"]


# Preferences

DUELS = [("x", "y"), ("y", "z"), ("x", "z"), ("z", "x"), ("y", "x")]


def test_prefer_takes_frames_files_and_tuples(tmp_path: Path) -> None:
    frame = pd.DataFrame(DUELS, columns=["winner", "loser"])
    frame.to_csv(tmp_path / "p.csv", sep=";", index=False)
    sided = [(min(pair), max(pair), pair[0]) for pair in DUELS]
    sources = [frame, tmp_path / "p.csv", str(tmp_path / "p.csv"), DUELS, sided, frame.to_dict("records")]
    strengths = [
        {each.item: each.strength for each in adjudge.prefer(source).standings} for source in sources
    ]
    assert all(found == pytest.approx(strengths[0]) for found in strengths)
    for names in (["chosen", "rejected"], ["Preferred", "dispreferred"], ["better", "worse"]):
        known = adjudge.prefer(frame.set_axis(names, axis=1))
        assert {each.item: each.strength for each in known.standings} == pytest.approx(strengths[0])
    with pytest.raises(
        DataError, match=r'columns=\{"winner": "COLUMN", "loser": "COLUMN"\}, or columns=\{"left": "COLUMN", '
    ) as refused:
        adjudge.prefer(frame.set_axis(["good", "bad"], axis=1))
    assert "--map winner=COLUMN --map loser=COLUMN, or --map left=COLUMN " in spoken(
        refused.value.text, "command"
    )
    mapped = adjudge.prefer(
        frame.set_axis(["good", "bad"], axis=1), columns={"winner": "good", "loser": "bad"}
    )
    assert {each.item: each.strength for each in mapped.standings} == pytest.approx(strengths[0])


@pytest.mark.parametrize(
    "wrong",
    [3, None, [1, 2], {}, [], ["xy"], [("a", "b"), ("a", "b", "a")], WIDE, WIDE["A"], "no.csv", [("a",)]],
    ids=str,
)
def test_what_is_no_preference_is_one_line(wrong: object) -> None:
    with pytest.raises(AdjudgeError) as caught:
        adjudge.prefer(wrong)
    assert "\n" not in str(caught.value)


# The report


def test_a_report_of_a_file_is_a_page_with_tables(folder: Path) -> None:
    done = called(folder, "report", "excel.csv", "--human", "A", "--decimal", ",")
    assert done.returncode == 0, done.stderr
    page = unescape((folder / "report" / "index.html").read_text(encoding="utf-8"))
    assert '>adjudge report "excel.csv" --human "A" --decimal "," -m "excel" --seed 0\n' in page
    assert "1 human" in page
    assert "adjudge score" not in page
    assert "Summaries" not in page
    assert {path.name for path in (folder / "report").iterdir()} == {
        "index.html",
        *(f"excel-{name}" for name in ("league.csv", "league.tex", "pairs.csv", "scores.csv")),
        *("paper-table.md", "paper-methods.tex", "paper-references.bib"),
    }
    scores = pd.read_csv(folder / "report" / "excel-scores.csv", index_col="topic")
    pd.testing.assert_frame_equal(scores.loc[WIDE.index, list(WIDE)], WIDE)


def test_a_header_without_scores_is_data() -> None:
    with pytest.raises(DataError, match="no scores"):
        adjudge.compare(WIDE.iloc[:0].reset_index())


def test_a_page_says_each_note_once(folder: Path, approved: Approved) -> None:
    for source in (folder / "excel.csv", adjudge.read_scores(folder / "excel.csv")):
        adjudge.report(source, folder / "once")
        page = unescape((folder / "once" / "index.html").read_text(encoding="utf-8"))
        assert page.count("with decimal commas") == 1
    e = adjudge.init(folder / "e")
    e.take([("test", Summary("t1", "a", "A storm."))])
    (folder / "own.csv").write_text("topic,a,b\n" + "".join(f"t{k},{k},{k + 1 + k % 3}\n" for k in range(8)))
    e.import_data(folder / "own.csv")
    e.withdraw(system="a", why="off topic")
    again = adjudge.open(e.path)
    [note] = again.scores().notes(again.scores().resolve())
    approved(note)
    again.report(folder / "page")
    page = unescape((folder / "page" / "index.html").read_text(encoding="utf-8"))
    assert page.count(note) == 1
