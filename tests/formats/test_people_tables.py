"""Tables as people have them: assessors in columns, other names, counts and dates; the same from every library."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved
from tests.properties import examples

import adjudge
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import spoken
from adjudge.formats.headings import describes, named_columns, people_columns

JUDGED = """\
doc,model,human1,human2,human3,judge
d1,gpt,5,4,5,4
d1,t5,3,3,2,3
d2,gpt,4,4,3,5
d2,t5,2,3,3,1
d3,gpt,5,5,4,4
d3,t5,3,2,2,2
"""


Read = Callable[..., Scores]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """The scores of a table in a file; as a DataFrame it holds the same."""

    def of(text: str, **options: Any) -> Scores:
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        from_file = adjudge.read_scores(path, **options)
        frame = pd.read_csv(io.StringIO(text), sep=None, engine="python", dtype=str, keep_default_na=False)
        in_memory = adjudge.read_scores(frame, **options)
        assert cells(in_memory) == cells(from_file)
        assert [info.better for info in in_memory.info.values()] == [
            info.better for info in from_file.info.values()
        ]
        return from_file

    return of


def cells(scores: Scores) -> set[tuple[Any, ...]]:
    """Every score with its key, whatever the measure of a table with one is called."""
    only = len(scores.measures) == 1
    return {
        ("" if only else row.measure, row.topic, row.system, row.assessor, row.value) for row in scores.rows()
    }


# Who judged


def test_columns_of_people_are_assessors_of_one_measure(read: Read) -> None:
    scores = read(JUDGED)
    assert scores.measures == ("human", "judge")
    assert scores.assessors("human") == ("human1", "human2", "human3")
    assert scores.assessors("judge") == ()
    assert scores.matrix("human").values.tolist() == [[14 / 3, 8 / 3], [11 / 3, 8 / 3], [14 / 3, 7 / 3]]
    assert scores.matrix("judge").values.tolist() == [[4, 3], [5, 1], [4, 2]]
    assert [scores.by_people(measure) for measure in scores.measures] == [True, False]


def test_each_column_may_be_a_measure_of_its_own(read: Read) -> None:
    scores = read(JUDGED, columns={"assessor": ""})
    assert scores.measures == ("human1", "human2", "human3", "judge")
    assert scores.assessors() == ()


HEADERS = {
    "numbers": "human1,human2,human3,judge",
    "another number": "rater_1,rater_2,rater_3,gpt4",
    "letters": "annotator A,annotator B,Annotator C,llm_judge",
    "short": "ann1,ann2,ann3,judge1",
    "capitals": "HUMAN_1,HUMAN_2,JUDGE,BLEU",
    "aspects": "coherence_1,coherence_2,fluency_1,fluency_2",
    "aspects of raters": "rater1 coherence,rater2 coherence,rater1 fluency,judge_coherence",
    "two groups": "expert_1_coherence,expert_2_coherence,turker_1_coherence,turker_2_coherence",
    "a mean beside": "human1,human2,human_mean,human_std",
    "one column": "human,judge,rouge1,rouge2",
    "one column per aspect": "human_coherence,human_fluency,gpt_coherence,bleu1",
    "letters and numbers": "H1,H2,H3,judge",
    "measures with numbers": "rouge1,rouge2,bleu-1,bleu-2",
    "letters of measures": "bertscore_p,bertscore_r,bertscore_f1,rougeL",
    "questions": "q1,q2,q3,q4",
    "ids": "annotator_id,human_id,n_raters,judge",
}


@pytest.mark.parametrize("numbers", [True, False])
def test_whose_ratings_columns_hold(numbers: bool, approved: Approved) -> None:
    """`numbers`: all hold whole numbers, as ratings do."""
    lines = []
    for name, header in HEADERS.items():
        names = header.split(",")
        people = people_columns(names, names if numbers else ())
        lines.append(f"{name}: {header}")
        lines += [f"  {column}: {r.measure} by {r.assessor}" for column, r in people.ratings.items()]
        lines += [f"  {column}: sums up" for column in people.sums]
    approved("\n".join(lines), "ratings" if numbers else "decimals")


@pytest.mark.parametrize(
    ("names", "assessors", "expected"),
    [
        ("ann,bob,judge", "ann,bob", {"ann": ("rating", "ann"), "bob": ("rating", "bob")}),
        (
            "coherence_ann,coherence_bob,fluency_ann",
            "ann,bob",
            {
                "coherence_ann": ("coherence", "ann"),
                "fluency_ann": ("fluency", "ann"),
                "coherence_bob": ("coherence", "bob"),
            },
        ),
        (
            "useful_1,useful_2",
            "useful_*",
            {"useful_1": ("useful", "assessor-1"), "useful_2": ("useful", "assessor-2")},
        ),
        (
            "useful1,useful2",
            "1,2",
            {"useful1": ("useful", "assessor-1"), "useful2": ("useful", "assessor-2")},
        ),
        (
            "human1,human2,human3",
            "human1,human3",
            {"human1": ("human", "human1"), "human3": ("human", "human3")},
        ),
    ],
)
def test_assessors_may_be_named(names: str, assessors: str, expected: dict[str, tuple[str, str]]) -> None:
    ratings = named_columns(names.split(","), assessors.split(","), None)
    assert {name: (rating.measure, rating.assessor) for name, rating in ratings.items()} == expected


def test_assessors_of_a_table_of_one_system(read: Read) -> None:
    rows = [line.split(",") for line in JUDGED.splitlines() if ",t5," not in line]
    alone = "\n".join(",".join([row[0], *row[2:]]) for row in rows) + "\n"
    scores = read(alone, assessors="human1,human2,human3")
    assert (scores.measures, scores.assessors()) == (("human", "judge"), ("human1", "human2", "human3"))
    assert scores.matrix("human").systems == ("system",)
    assert read(alone).matrix().systems == ("human1", "human2", "human3", "judge")  # a matrix, which says so


LONG = pd.read_csv(io.StringIO(JUDGED)).melt(
    ["doc", "model"], ["human1", "human2", "human3"], var_name="annotator", value_name="rating"
)


@pytest.mark.parametrize("numbers", [True, False])
def test_a_long_table_names_its_assessors_in_other_words(read: Read, numbers: bool) -> None:
    long = LONG.assign(annotator=LONG["annotator"].str[-1].astype(int)) if numbers else LONG
    scores = read(long.to_csv(index=False))
    expected = adjudge.read_scores(pd.read_csv(io.StringIO(JUDGED)))
    assert scores.measures == ("rating",)
    assert scores.assessors() == (("1", "2", "3") if numbers else ("human1", "human2", "human3"))
    np.testing.assert_array_equal(scores.matrix().values, expected.matrix("human").values)


def test_a_long_table_may_hold_several_aspects(read: Read) -> None:
    long = pd.concat(
        [LONG.assign(aspect="coherence"), LONG.assign(aspect="fluency", rating=6 - LONG["rating"])]
    )
    scores = read(long.to_csv(index=False))
    assert scores.measures == ("coherence", "fluency")
    np.testing.assert_allclose(scores.matrix("coherence").values, 6 - scores.matrix("fluency").values)


def test_a_number_of_the_row_is_no_topic(read: Read) -> None:
    numbered = "\n".join(f"{n},{line}" if n else f"id,{line}" for n, line in enumerate(JUDGED.splitlines()))
    assert read(numbered + "\n").matrix("judge").topics == ("d1", "d2", "d3")


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "no such column": (JUDGED, {"assessors": "humn1"}),
    "no numbers": (JUDGED.replace("d1,gpt,5", "d1,gpt,good"), {"assessors": "human1,human2"}),
    "an assessor in every row": (
        "doc,model,assessor,score\nd1,gpt,ann,1\nd1,t5,ann,2\n",
        {"assessors": "score"},
    ),
    "two places for scores": (
        "doc,model,score,human1\nd1,gpt,1,2\n",
        {"columns": {"value": "score"}, "assessors": "human1"},
    ),
    "a measure of that name": (JUDGED.replace("judge", "human"), {"assessors": "human1,human2,human3"}),
    "several measures": (JUDGED, {"measure": "quality"}),
    "a topic and system twice": (JUDGED + "d2,t5,4,3,3,1\n", {}),
    "a row twice": (JUDGED + "d2,t5,2,3,3,1\n", {}),
    "a column tells": ("doc,model,who,score\nd1,gpt,ann,1\nd1,gpt,bob,2\n", {}),
    "a judge may be a program": ("doc,model,judge,score\nd1,gpt,A,1\nd1,gpt,B,2\n", {}),
    "a number tells": ("doc,model,try,score\nd1,gpt,1,1\nd1,gpt,2,2\n", {}),
    "two topics": ("doc,item,model,human1,human2\nd1,i1,gpt,1,2\nd1,i1,t5,1,2\n", {}),
    "two assessors": ("doc,model,annotator,rater,score\nd1,gpt,a,b,1\nd1,t5,a,b,1\n", {}),
    "an unknown name": ("item,condition,score\nd1,gpt,1\nd1,t5,2\n", {}),
}


def test_what_cannot_be_read_so_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, approved: Approved
) -> None:
    monkeypatch.chdir(tmp_path)
    told = []
    for name, (table, options) in REFUSED.items():
        Path("t.csv").write_text(table, encoding="utf-8")
        told.append(name)
        for source in ("t.csv", pd.read_csv("t.csv")):
            with pytest.raises(AdjudgeError, match=".") as refused:
                adjudge.read_scores(source, **options)
            assert "\n" not in str(refused.value)
            told.append(f"  {spoken(refused.value.text, 'command')}")
    approved(told)


# What is no measure

DESCRIBED = "topic,system,human,n_words,year,size,exact\n" + "".join(
    f"d{topic},{system},{(topic * 7 + place) % 5},{50 + (topic * 13 + place) % 40},{1990 + topic},{place * 7},"
    f"{(topic + place) % 2}\n"
    for topic in range(1, 10)
    for place, system in enumerate(["a", "b", "c"])
)


def test_counts_and_years_are_in_no_ranking_unless_they_are_named(read: Read) -> None:
    scores = read(DESCRIBED)
    assert scores.people_first() == ["human", "exact"]
    assert [c.measure for c in adjudge.compare_all(scores)] == ["human", "exact"]
    assert {name for name in scores.measures if scores.info[name].better is None} == {
        "n_words",
        "year",
        "size",
    }
    assert scores.resolved("n_words") == ["n_words"]
    assert read(DESCRIBED, lower_is_better="n_words").info["n_words"].better == "lower"
    assert read(DESCRIBED, lower_is_better=True).info["n_words"].better is None
    assert read(DESCRIBED, columns={"value": "year"}).matrix().info.better == "higher"


def test_what_is_the_same_for_all_systems_or_all_topics_is_a_description(read: Read) -> None:
    odd = DESCRIBED.replace("year", "x").replace("size", "y")
    assert {name for name in read(odd).measures if read(odd).info[name].better is None} == {
        "n_words",
        "x",
        "y",
    }


def test_a_table_of_a_description_alone_shows_it(read: Read) -> None:
    words = read("doc,model,n_words\n" + "".join(f"d{k},{s},{k + ord(s)}\n" for k in range(6) for s in "ab"))
    assert words.people_first() == ["n_words"]
    assert words.matrix().info.better is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("n_words,word_count,summary_length,total_tokens,num_sentences,length", True),
        ("year,pub_date,created_at,latency_s,time,cost,price_usd,api_cost,params,seed,age", True),
        ("doc_id,WorkTimeInSeconds,Duration,n_raters,temperature", True),
        (
            "rouge1,accuracy,num_errors,error_count,human,judge,coverage,length_ratio,compression,time_to_read",
            False,
        ),
        ("id_rouge,yearbook,costly,wordiness,sentence_bleu,token_f1,date_accuracy", False),
    ],
)
def test_names_of_descriptions(names: str, expected: bool) -> None:
    assert [describes(name) for name in names.split(",")] == [expected] * len(names.split(","))


def test_lengths_of_texts_are_no_target_lengths(read: Read) -> None:
    rows = [line.split(",") for line in DESCRIBED.splitlines()]
    texts = (
        "\n".join(",".join([*row[:3], "length" if not k else str(100 + k)]) for k, row in enumerate(rows))
        + "\n"
    )
    scores = read(texts)
    assert scores.lengths("human") == (None,)
    assert scores.info["length"].better is None
    targets = "\n".join(
        ",".join([*row[:3], "length" if not k else str(50 + 50 * (k % 3))]) for k, row in enumerate(rows)
    )
    assert read(targets + "\n").lengths("human") == (50, 100, 150)


NOTED: dict[str, tuple[str, dict[str, Any]]] = {
    "human1-3": (JUDGED, {}),
    "named": (JUDGED, {"assessors": "human1,human2"}),
    "letters": (JUDGED.replace("human1,human2,human3", "annotator A,annotator B,annotator C"), {}),
    "one": (JUDGED.replace("human2,human3", "bleu,meteor"), {}),
    "a mean": (JUDGED.replace("human3", "human_mean"), {}),
    "aspects": (
        "doc,model," + ",".join(f"{a}_{k}" for a in ("coherence", "fluency") for k in (1, 2, 3)) + "\n"
        "d1,gpt,1,2,3,4,5,1\nd1,t5,1,2,3,4,5,1\n",
        {},
    ),
    "descriptions": (DESCRIBED, {}),
    "a description": ("doc,model,n_words\nd1,a,1\nd1,b,2\n", {}),
    "a matrix": ("doc,human1,human2,human3,judge\nd1,1,2,3,4\nd2,2,2,3,4\n", {}),
    "one system": (
        "doc,human1,human2,human3,judge\nd1,1,2,3,4\nd2,2,2,3,4\n",
        {"assessors": "human1,human2,human3"},
    ),
}


def test_what_was_found_out_is_said(tmp_path: Path, approved: Approved) -> None:
    lines = []
    for name, (table, options) in NOTED.items():
        path = tmp_path / "t.csv"
        path.write_text(table, encoding="utf-8")
        scores = adjudge.read_scores(path, **options)
        notes = dict.fromkeys(
            note for measure in scores.measures for note in scores.notes(measure, door="command")
        )
        lines += [name, *(f"  {note}" for note in notes)]
    approved("\n".join(lines))


# Frames of any library

PANDAS = pd.read_csv(io.StringIO(JUDGED))
ARROW = pa.Table.from_pandas(PANDAS)
KINDS: dict[str, Callable[[], Any]] = {
    "polars": lambda: pl.from_arrow(ARROW),
    "polars, lazy": lambda: pl.from_arrow(ARROW).lazy(),  # type: ignore[union-attr]
    "polars, of categories": lambda: pl.DataFrame(ARROW).with_columns(
        pl.col("doc").cast(pl.Categorical), pl.col("model").cast(pl.Enum(["t5", "gpt"]))
    ),
    "an Arrow table": lambda: ARROW,
    "a batch": lambda: ARROW.to_batches()[0],
    "a reader of batches": lambda: ARROW.to_reader(),
    "an index of two levels": lambda: PANDAS.set_index(["doc", "model"]),
    "categories": lambda: PANDAS.astype({"doc": "category", "model": "category"}),
    "nullable": lambda: PANDAS.convert_dtypes(),
    "Arrow's types": lambda: PANDAS.convert_dtypes(dtype_backend="pyarrow"),
    "texts": lambda: PANDAS.astype(str),
    "decimal commas": lambda: PANDAS.assign(judge=[f"{judge},0" for judge in PANDAS["judge"]]),
    "capitals": lambda: PANDAS.rename(columns={"doc": "DOC", "model": "Model"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_of_any_library_holds_the_same(kind: str) -> None:
    expected, scores = adjudge.read_scores(PANDAS), adjudge.read_scores(KINDS[kind]())
    assert cells(scores) == cells(expected)
    assert scores.assessors("human") == expected.assessors("human")


def test_missing_numbers_of_nullable_columns_are_missing() -> None:
    frame = PANDAS.astype({"human1": "Int64"})
    frame.loc[0, "human1"] = pd.NA
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert adjudge.read_scores(table).matrix("human").values[0].tolist() == [4.5, 8 / 3]


def test_every_analysis_takes_them() -> None:
    expected = adjudge.compare(PANDAS, "judge")
    for table in (pl.from_pandas(PANDAS).lazy(), ARROW):
        assert adjudge.compare(table, "judge").to_frame().equals(expected.to_frame())
        assert adjudge.agreement(table).headline() == adjudge.agreement(PANDAS).headline()
    named = adjudge.compare(PANDAS, "human", assessors=["human1", "human2"])
    assert named.matrix.values[0].tolist() == [4.5, 3.0]


def test_preferences_texts_and_records_take_them(tmp_path: Path) -> None:
    duels = pd.DataFrame({"winner": ["a", "b", "a"], "loser": ["b", "c", "c"]})
    expected = adjudge.prefer(duels).to_frame()
    for table in (pl.from_pandas(duels), pl.from_pandas(duels).lazy(), pa.Table.from_pandas(duels)):
        assert adjudge.prefer(table).to_frame().equals(expected)
    texts, references = ["a storm came"], ["the storm came"]
    mean = adjudge.rouge(texts, references).to_frame()
    assert adjudge.rouge(pl.Series(texts), pa.chunked_array([references])).to_frame().equals(mean)
    assert adjudge.rouge(pa.array(texts), pd.Series(references)).to_frame().equals(mean)
    with pytest.raises(AdjudgeError, match="expected one column of it"):
        adjudge.rouge(pl.DataFrame({"text": texts}), references)  # type: ignore[arg-type]
    runs = pl.DataFrame(
        {
            "topic": ["d1", "d1"],
            "system": ["a", "b"],
            "summary": ["Rain.", "Sun."],
            "references": [["x", "y"]] * 2,
        }
    )
    for k, table in enumerate((runs, runs.lazy(), runs.to_arrow(), runs.to_pandas())):
        e = adjudge.open(tmp_path / f"e{k}", create=True)
        e.import_data(table)
        assert len(list(e.collection.all_summaries())) == 4


@pytest.mark.parametrize(
    ("names", "first"),
    [("doc,Model Name,summary", "d1"), ("item_id,method,summary", "7"), ("Doc,model,output", "d1")],
)
def test_texts_have_topics_by_less_usual_names_too(tmp_path: Path, names: str, first: str) -> None:
    (tmp_path / "t.csv").write_text(f"{names}\n{first},a,Rain fell on Monday.\n{first},b,It rained.\n")
    e = adjudge.open(tmp_path / "e", create=True)
    e.import_data(tmp_path / "t.csv")
    assert sorted((s.topic, s.system) for s in e.collection.all_summaries()) == [(first, "a"), (first, "b")]


def test_a_document_is_no_name_of_a_topic(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "doc,model,summary\nRain fell on Monday in the town.,a,Rain fell.\nSnow fell on Tuesday in town.,a,Snow fell.\n"
    )
    with pytest.raises(AdjudgeError, match="no column for the topic"):
        adjudge.open(tmp_path / "e", create=True).import_data(tmp_path / "t.csv")


# Any order, any place


@examples(40)
@given(
    st.lists(st.tuples(*[st.integers(1, 5)] * 8), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_columns_in_any_order_are_the_same_table(rows: list[tuple[int, ...]], random: Any) -> None:
    """Ten obvious lines: every number goes to its key."""
    table: list[dict[str, Any]] = [
        {
            "doc": f"d{k}",
            "model": system,
            **dict(zip(("human1", "human2", "judge", "n_words"), four, strict=True)),
        }
        for k, row in enumerate(rows)
        for system, four in (("a", row[:4]), ("b", row[4:]))
    ]
    expected: set[tuple[Any, ...]] = set()
    for row in table:
        for who in ("human1", "human2"):
            expected.add(("human", row["doc"], row["model"], who, float(row[who])))
        for measure in ("judge", "n_words"):
            expected.add((measure, row["doc"], row["model"], None, float(row[measure])))
    names = list(table[0])
    random.shuffle(names)
    random.shuffle(table)
    assert cells(adjudge.read_scores(pd.DataFrame(table)[names])) == expected
