"""Measures by formula: means of the scores of others, raw and standardised, from every source of scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved
from typer.testing import CliRunner

import adjudge
from adjudge.analyses.scores import Scores, scores_of
from adjudge.cli.app import app
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note
from adjudge.data.scores import MeasureInfo, ScoreTable
from adjudge.measures.registry import parse_measure
from adjudge.measures.spec import split_formula, split_specs

QUALITY = "mean(quality(q=1)..quality(q=5))"
NIST = "mean(rating(aspect=1)..rating(aspect=5))"


def made() -> pd.DataFrame:
    """Five questions by two assessors and two automatic measures, 10 topics x 4 systems."""
    rng = np.random.default_rng(17)
    rows: list[tuple[object, ...]] = []
    for topic in range(1, 11):
        for s, system in enumerate(("alpha", "beta", "gamma", "delta")):
            at = (f"d{topic}", system)
            for q in range(1, 6):
                for who in ("ann", "bob"):
                    given = int(np.clip(round(3 + 0.5 * s + rng.normal()), 1, 5))
                    rows.append((f"quality(q={q})", *at, who, given))
            rows.append(("rouge", *at, None, 0.2 + 0.05 * s + 0.1 * rng.random()))
            rows.append(("ter", *at, None, 80 - 3 * s + 9 * rng.normal()))
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return made()


@pytest.fixture
def scores(frame: pd.DataFrame) -> Scores:
    return adjudge.read_scores(frame, lower_is_better=["ter"])


def wide(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Topics x systems by pandas, in the order of a matrix."""
    rows = frame[frame["measure"] == measure]
    table = rows.groupby(["topic", "system"])["value"].mean().unstack()
    return table.loc[[f"d{k}" for k in range(1, 11)], sorted(table.columns)]


# What the texts mean


def test_the_text_is_the_identity(scores: Scores) -> None:
    for text, own in {
        QUALITY: QUALITY,
        "Mean( QUALITY(q=1) .. quality(q=5) )": QUALITY,
        "zmean(rouge,ter)": "zmean(rouge, ter)",
        "zmean(mean(quality(q=1)..quality(q=3)), rouge)": "zmean(mean(quality(q=1)..quality(q=3)), rouge)",
        "mean(quality(q=2), quality(q=1))": "mean(quality(q=2), quality(q=1))",
    }.items():
        assert scores.resolve(text) == own
        assert scores.resolve(own) == own
        assert scores.matrix(text).measure == own
    assert scores.resolved(f"rouge,{QUALITY}, zmean(rouge, ter)") == ["rouge", QUALITY, "zmean(rouge, ter)"]
    assert QUALITY not in scores.measures
    assert len(scores.resolved()) == 7


def test_commas_inside_brackets_of_any_depth_split_nothing() -> None:
    assert split_specs("a,b(c=1, d=2)") == ["a", "b(c=1, d=2)"]
    assert split_specs("mean(a, b(c=1, d=2), e), f") == ["mean(a, b(c=1, d=2), e)", "f"]
    assert split_formula("zmean(a, b(c=1, d=2), mean(e, f))") == (
        "zmean",
        ["a", "b(c=1, d=2)", "mean(e, f)"],
    )
    assert split_formula("meaning(a, b)") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mean(quality(q=1)..quality(q=6))", r'no scores of "quality\(q=6\)" \(nearest: "quality\(q=5\)"'),
        ("mean(rouge, ters)", r'no scores of "ters" \(nearest: "ter"\)'),
        ("mean()", "names a measure that is empty"),
        ("mean(rouge)", r'"mean\(rouge\)" is of one measure, expected two or more'),
        ("mean(rouge, ROUGE)", "names rouge twice"),
        ("mean(quality(q=1)..quality(q=3), quality(q=2))", r"names quality\(q=2\) twice"),
        ("mean(rouge..ter)", "its ends must differ in one number and nothing else"),
        ("mean(quality(q=1)..quality(q=1))", "its ends must differ in one number and nothing else"),
        ("mean(quality(q=4)..quality(q=1))", "a range from 4 to 1; expected the lower number first"),
        ("mean(..rouge)", "is not a range of measures"),
        (
            "mean(rouge, ter)",
            r"of rouge higher is better, of ter lower is better; zmean\(rouge, ter\) standardises",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(scores: Scores, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        scores.resolve(text)


def test_measures_of_different_ranges_have_no_raw_mean(frame: pd.DataFrame) -> None:
    infos = [
        MeasureInfo("rouge", range=(0, 1)),
        MeasureInfo("ter", range=(0, 100)),
        MeasureInfo("quality(q=1)"),
    ]
    table = ScoreTable.from_frame(frame, infos)
    with pytest.raises(UsageError, match=r"rouge goes from 0 to 1, ter from 0 to 100; zmean\(rouge, ter\)"):
        Scores("s", table).matrix("mean(rouge, ter)")
    described = ScoreTable.from_frame(frame, [MeasureInfo("rouge", better=None)])
    with pytest.raises(UsageError, match="rouge has no better or worse, unlike the other measures"):
        Scores("s", described).matrix("zmean(rouge, ter)")


def test_a_measure_that_varies_much_more_is_pointed_out(frame: pd.DataFrame, approved: Approved) -> None:
    scores = adjudge.read_scores(frame, lower_is_better="none")
    text = scores.resolve("mean(rouge, ter)")
    spread = [wide(frame, m).to_numpy().std(ddof=1) for m in ("ter", "rouge")]
    [note] = [note for note in scores.notes(text) if "zmean(rouge, ter)" in note]
    assert f"{spread[0] / spread[1]:.1f}" in note
    approved(note)
    assert not any("zmean" in note for note in scores.notes(scores.resolve(QUALITY)))


def test_a_range_takes_what_is_there_and_says_so(frame: pd.DataFrame, approved: Approved) -> None:
    scores = scores_of(frame[frame["measure"] != "quality(q=3)"])
    text = scores.resolve(QUALITY)
    assert text == "mean(quality(q=1), quality(q=2), quality(q=4), quality(q=5))"
    approved(scores.notes(text))
    names = pd.DataFrame(
        [(f"q{k:02}-x2", f"d{t}", s, k * t) for k in range(9, 12) for t in (1, 2) for s in "ab"],
        columns=["measure", "topic", "system", "value"],
    )
    matrix = scores_of(names).matrix("mean(q09-x2..q11-x2)")
    assert matrix.measure == "mean(q09-x2..q11-x2)"
    assert matrix.values.tolist() == [[10.0, 10.0], [20.0, 20.0]]


def test_a_measure_with_the_name_of_a_formula_is_taken_as_it_is(frame: pd.DataFrame) -> None:
    own = frame[frame["measure"] == "rouge"].assign(measure="mean(a, b)")
    scores = scores_of(pd.concat([frame, own]))
    np.testing.assert_array_equal(scores.matrix("mean(a, b)").values, scores.matrix("rouge").values)
    assert scores.matrix("zmean(mean(a, b), ter)").measure == "zmean(mean(a, b), ter)"


def test_commas_of_a_formula_set_no_details_apart() -> None:
    assert (
        MeasureInfo("m", title="ROUGE-L (sentence) F, best, of 3").words
        == "ROUGE-L (sentence) F (best, of 3)"
    )
    assert MeasureInfo("m", title="mean(a, b(c=1, d=2))").words == "mean(a, b(c=1, d=2))"
    assert MeasureInfo("m", title="mean(a, b), 100 words").words == "mean(a, b) (100 words)"


# The numbers


def test_a_raw_mean_is_that_of_pandas(frame: pd.DataFrame, scores: Scores) -> None:
    matrix = scores.matrix(QUALITY)
    expected = sum(wide(frame, f"quality(q={q})") for q in range(1, 6)) / 5
    np.testing.assert_allclose(matrix.values, expected.to_numpy(), rtol=1e-14)
    assert matrix.counts.tolist() == [[2] * 4] * 10
    assert matrix.info.better == "higher"
    assert matrix.signature == f"{QUALITY}|raw|per:assessor|imported|DataFrame"
    rows = scores.of(QUALITY)
    by = ["topic", "system", "assessor"]
    asked = frame[frame["measure"].str.startswith("quality")].groupby(by)["value"].mean()
    found = {(row.topic, row.system, row.assessor): row.value for row in rows.itertuples()}
    assert found == pytest.approx(asked.to_dict(), rel=1e-14)


def test_a_standardised_mean_turns_what_is_better_when_lower(frame: pd.DataFrame, scores: Scores) -> None:
    z = {
        m: (wide(frame, m) - wide(frame, m).to_numpy().mean()) / wide(frame, m).to_numpy().std(ddof=1)
        for m in ("quality(q=1)", "rouge", "ter")
    }
    matrix = scores.matrix("zmean(quality(q=1), rouge, ter)")
    expected = (z["quality(q=1)"] + z["rouge"] - z["ter"]) / 3
    np.testing.assert_allclose(matrix.values, expected.to_numpy(), atol=1e-13)
    assert (matrix.info.better, matrix.info.range) == ("higher", (None, None))
    # Assessors gave one part of it and nobody the others: it has none.
    assert scores.assessors("zmean(quality(q=1), rouge, ter)") == ()
    assert matrix.signature.startswith("zmean(quality(q=1), rouge, ter)|z:all-cells|per:cell|")
    judged = scores.matrix("zmean(quality(q=1), quality(q=2))")
    assert "|per:assessor|" in judged.signature
    both = [wide(frame, f"quality(q={q})") for q in (1, 2)]
    expected = sum((w - w.to_numpy().mean()) / w.to_numpy().std(ddof=1) for w in both) / 2
    np.testing.assert_allclose(judged.values, expected.to_numpy(), atol=1e-13)
    assert scores.assessors("zmean(quality(q=1), quality(q=2))") == ("ann", "bob")


def test_what_does_not_vary_cannot_be_standardised(frame: pd.DataFrame) -> None:
    flat = frame[frame["measure"] == "rouge"].assign(measure="flat", value=0.5)
    scores = scores_of(pd.concat([frame, flat]))
    with pytest.raises(UsageError, match=r"zmean\(flat, rouge\): flat is the same everywhere"):
        scores.matrix("zmean(flat, rouge)")


def test_a_cell_without_a_part_is_missing_with_the_reason(frame: pd.DataFrame) -> None:
    gone = (frame["measure"] == "quality(q=2)") & (frame["topic"] == "d3") & (frame["system"] == "beta")
    scores = scores_of(frame[~gone])
    matrix = scores.matrix(QUALITY)
    assert int(np.isnan(matrix.values).sum()) == 1
    assert matrix.missing == (("d3", "beta", "quality(q=2): no score"),)
    told = frame.assign(value=frame["value"].mask(gone), why=gone.map({True: "the page was lost"}))
    assert Scores("s", ScoreTable.from_frame(told)).matrix(QUALITY).missing == (
        ("d3", "beta", "quality(q=2): the page was lost"),
    )


def test_parts_that_share_no_summary_are_refused(frame: pd.DataFrame) -> None:
    lengths = frame["measure"].map({"rouge": 100.0})
    with pytest.raises(
        DataError,
        match=r"zmean\(rouge, ter\): no summary has a score of every part; length: rouge 100, ter unset",
    ):
        scores_of(frame.assign(length=lengths)).matrix("zmean(rouge, ter)")
    topics = frame["topic"].mask(frame["measure"] == "rouge", "other " + frame["topic"])
    with pytest.raises(DataError, match="no summary has a score of every part$"):
        scores_of(frame.assign(topic=topics)).matrix("zmean(rouge, ter)")


def test_lengths_are_kept_apart(frame: pd.DataFrame) -> None:
    both = pd.concat([frame.assign(length=50), frame.assign(length=100, value=frame["value"] + 1)])
    scores = scores_of(both)
    with pytest.raises(UsageError, match="several lengths"):
        scores.matrix(QUALITY)
    shorter, longer = (scores.matrix(QUALITY, length=n).values for n in (50, 100))
    np.testing.assert_allclose(longer - shorter, 1, rtol=1e-13)


def test_an_assessor_who_answered_a_part_is_left_out_and_counted(
    frame: pd.DataFrame, approved: Approved
) -> None:
    gone = (
        (frame["measure"] == "quality(q=2)")
        & (frame["topic"] == "d3")
        & (frame["system"] == "beta")
        & (frame["assessor"] == "bob")
    )
    scores = scores_of(frame[~gone])
    matrix = scores.matrix(QUALITY)
    assert not matrix.missing
    rows = frame[(frame["topic"] == "d3") & (frame["system"] == "beta") & (frame["assessor"] == "ann")]
    at = matrix.topics.index("d3"), matrix.systems.index("beta")
    assert matrix.values[at] == pytest.approx(rows["value"].mean(), rel=1e-14)
    approved(scores.notes(QUALITY))


def test_other_assessors_of_every_part_leave_none(frame: pd.DataFrame) -> None:
    renamed = frame["assessor"].mask(frame["measure"] == "quality(q=1)", frame["assessor"] + "'")
    scores = scores_of(frame.assign(assessor=renamed))
    assert scores.assessors("mean(quality(q=1), quality(q=2))") == ()
    expected = (wide(frame, "quality(q=1)") + wide(frame, "quality(q=2)")) / 2
    np.testing.assert_allclose(
        scores.matrix("mean(quality(q=1), quality(q=2))").values, expected.to_numpy(), rtol=1e-14
    )


def test_what_is_said_of_the_parts_is_said_of_the_formula(frame: pd.DataFrame, approved: Approved) -> None:
    scores = replace(scores_of(frame), warnings={"rouge": [Note.of("withdrawn-left-out", n=1)]})
    [line] = scores.notes(scores.resolve("zmean(rouge, ter)"))
    approved(line)
    assert line in scores.unsaid_notes("zmean(rouge, ter)")


def test_without_an_assessor(frame: pd.DataFrame) -> None:
    scores = scores_of(frame)
    both = scores.matrix(QUALITY)
    alone = scores.without("bob")
    expected = scores_of(frame[frame["assessor"] != "bob"]).matrix(QUALITY)
    np.testing.assert_array_equal(alone.matrix(QUALITY).values, expected.values)
    assert "without:bob" in alone.matrix(QUALITY).signature
    np.testing.assert_array_equal(scores.matrix(QUALITY).values, both.values)
    with pytest.raises(UsageError, match="rouge has no assessors: bob cannot be left out"):
        alone.matrix("zmean(rouge, quality(q=1))")


# Wherever a measure is named


def test_compare_and_anova_take_a_formula_as_they_take_the_means(frame: pd.DataFrame) -> None:
    by = ["topic", "system", "assessor"]
    means = frame[frame["measure"].str.startswith("quality")].groupby(by)["value"].mean().reset_index()
    found = adjudge.compare(frame, QUALITY, test="t")
    given = adjudge.compare(means.assign(measure="linguistic"), test="t")
    assert found.matrix.measure == QUALITY
    columns = ["a", "b", "difference", "p", "p_adjusted"]
    pd.testing.assert_frame_equal(
        found.to_frame("pairs")[columns], given.to_frame("pairs")[columns], check_exact=False, rtol=1e-9
    )
    assert found.as_dict()["measure"] == QUALITY
    assert found.sampled
    table = adjudge.anova(frame, QUALITY).to_frame()
    same = adjudge.anova(means.assign(measure="linguistic")).to_frame()
    np.testing.assert_allclose(
        table.select_dtypes("number").to_numpy(float), same.select_dtypes("number").to_numpy(float), rtol=1e-9
    )


def _as_csv(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_csv(folder / "scores.csv", index=False)
    return folder / "scores.csv"


def _as_folder(frame: pd.DataFrame, folder: Path) -> Path:
    _as_csv(frame, folder)
    for words in (
        ["init", str(folder / "e")],
        ["import", "scores", str(folder / "scores.csv"), str(folder / "e")],
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    return folder / "e"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (_as_csv, QUALITY),
        (_as_folder, "mean(imported:quality(q=1)..imported:quality(q=5))"),
    ],
)
def test_every_command_takes_a_formula(
    frame: pd.DataFrame, tmp_path: Path, source: Callable[[pd.DataFrame, Path], Path], text: str
) -> None:
    path = str(source(frame, tmp_path))
    expected = adjudge.compare(frame, QUALITY).to_frame()["mean"].tolist()

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, [*words])
        assert done.exit_code == 0, (words, done.output)
        return done.stdout

    found = json.loads(run("compare", path, "-m", text, "--json"))
    assert [each["mean"] for each in found[0]["tables"]["league"]] == pytest.approx(expected)
    assert text in run("compare", path, "-m", f"{text},{text.replace('mean', 'zmean')}").replace("\n", " ")
    assert text in run("anova", path, "-m", text, "--json")
    assert text in run("topics", path, "-m", text, "--json")
    assert text in run("compare", path, "-m", text, "--counts", "--json")
    assert text in run("agreement", path, "-m", text, "--json")


@pytest.mark.parametrize(("measure", "linguistic"), [("rating", NIST), ("quality", QUALITY)])
def test_nists_linguistic_row_comes_from_nists_file(tmp_path: Path, measure: str, linguistic: str) -> None:
    names = ("Topic", "Selector", "Assessor", "Summarizer", "Question", "Score")
    drawn = "".join("|\t" * k + name + "\n" for k, name in enumerate(names)) + "|\t" * 6 + "\n"
    rng = np.random.default_rng(5)
    rows = [
        (f"D060{t}", "A", who, system, q, int(rng.integers(1, 6)))
        for t in range(1, 7)
        for who in "BC"
        for system in ("1", "17", "23", "E")
        for q in range(1, 6)
    ]
    text = drawn + "".join("\t".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "linguistic_quality.table").write_text(text)
    e = str(tmp_path / "e")

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, [*words])
        assert done.exit_code == 0, (words, done.output)
        return done.stdout

    run("init", e)
    run("judgments", "import", "nist", str(tmp_path / "linguistic_quality.table"), e)
    run("score", e, "-m", measure)
    found = json.loads(run("compare", e, "-m", linguistic, "--json"))
    frame = pd.DataFrame(rows, columns=["topic", "selector", "who", "system", "q", "value"])
    expected = frame.groupby("system")["value"].mean()
    assert {each["system"]: each["mean"] for each in found[0]["tables"]["league"]} == pytest.approx(
        expected.to_dict()
    )
    [counted] = json.loads(run("compare", e, "-m", linguistic, "--counts", "--json"))
    assert [measure["measure"] for measure in counted["measures"]] == [linguistic]
    assert counted["measures"][0]["tests"][0]["human_machine"]["human_machine_pairs"] == 3
    exported = run("scores", e, "-m", linguistic, "--csv", "-")
    assert len(exported.splitlines()) == 1 + 6 * 2 * 4
    assert linguistic in run("scores", e, "-m", linguistic)
    assert run("scores", e, "-m", linguistic, "--matrix", "--csv", "-").startswith("topic,1,17,23,E\n")
    with pytest.raises(DataError, match=r"run: adjudge score .* -m rouge-2"):
        adjudge.compare(e, f"zmean(rouge-2, {linguistic})")
    scores = adjudge.open(e).scores()
    rows_of = scores.table.of(scores.resolve(linguistic)).set_index(["topic", "system", "assessor"])["value"]
    by_person = frame.groupby(["topic", "system", "who"])["value"].mean()
    assert rows_of.to_dict() == pytest.approx(by_person.to_dict())
    lines = ["system,topic,measure,value"]
    lines += [
        f"{s},D060{t},made,{t * len(s) % 5 + int(s == 'E')}"
        for s in ("1", "17", "23", "E")
        for t in range(1, 7)
    ]
    (tmp_path / "made.csv").write_text("\n".join(lines) + "\n")
    run("import", "scores", str(tmp_path / "made.csv"), e)
    assert linguistic in run("meta", e, "--people", linguistic, "--json")
    assert CliRunner().invoke(app, ["score", e, "-m", linguistic]).exit_code != 0


def test_one_question_by_itself_and_a_range_of_which_too_few_are_scored(tmp_path: Path) -> None:
    text = "Topic\n|\tAssessor\n|\t|\tSummarizer\n|\t|\t|\tQuestion\n|\t|\t|\t|\tScore\n" + "|\t" * 5 + "\n"
    text += "".join(
        f"D{t}\tB\t{s}\t{q}\t{1 + (t + s + q) % 5}\n" for t in (1, 2) for s in (7, 8) for q in (1, 2, 3)
    )
    (tmp_path / "quality.table").write_text(text)
    e, table = str(tmp_path / "e"), str(tmp_path / "quality.table")
    for words in (["init", e], ["judgments", "import", "nist", table, e], ["score", e, "-m", "quality(q=1)"]):
        assert CliRunner().invoke(app, words).exit_code == 0
    with pytest.raises(DataError) as error:
        adjudge.compare(e, "mean(quality(q=1)..quality(q=3))")
    assert str(error.value).endswith('; the range takes all of: -m "quality(q=1),quality(q=2),quality(q=3)"')
    assert adjudge.open(e).scores().matrix("quality(q=1)").values.tolist() == [[5, 1], [1, 2]]
    with pytest.raises(DataError, match=r'"4"; the questions are: 1, 2, 3 \(linguistic-quality\)'):
        adjudge.open(e).score(["quality(q=4)"])


def test_a_formula_is_not_scored_but_computed() -> None:
    with pytest.raises(UsageError, match="is computed from scores that are there: score its measures"):
        parse_measure("mean(rouge-1, rouge-2)")
