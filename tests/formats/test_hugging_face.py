"""Tables as people download them from Hugging Face: Parquet, CSV, JSON, frames and dicts, from a file of each shape."""

from __future__ import annotations

import json
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import adjudge
from adjudge.core.errors import FormatError, Undecided, UsageError, Way
from adjudge.core.phrases import spoken
from adjudge.data.incoming import Item
from adjudge.data.packed import unpacking_up_to
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats.files import mapped
from adjudge.formats.recognise import recognise
from adjudge.formats.records import (
    FILE_NAME,
    MEANS_ONLY,
    ROW_NUMBERS,
    SPLIT,
    list_in,
    read_frame,
    read_jsonl,
    read_parquet,
    read_table,
)

from .shapes import Write, lines, reasons, rows, things

SOURCES = ["Rain fell on Monday in the west.", "Snow fell in the north, and roads were closed."]
GOLD = ["It rained in the west.", "Snow closed the roads."]
SYSTEMS = ["gpt4", "llama", "pegasus"]
Records = list[dict[str, Any]]


def xsum() -> Records:
    return [{"document": SOURCES[n], "summary": GOLD[n], "id": str(100 + n)} for n in range(2)]


def cnn_dailymail() -> Records:
    return [{"article": SOURCES[n], "highlights": GOLD[n], "id": f"f{n}"} for n in range(2)]


def samsum() -> Records:
    return [{"id": f"138{n}", "dialogue": SOURCES[n], "summary": GOLD[n]} for n in range(2)]


def multi_news() -> Records:
    bars = f"{SOURCES[0]} ||||| {SOURCES[1]}"
    return [{"document": f"{bars} {n}", "summary": GOLD[n]} for n in range(2)]


def billsum() -> Records:
    return [{"text": SOURCES[n], "summary": GOLD[n], "title": f"Act {n}"} for n in range(2)]


def mteb() -> Records:
    """SummEval as mteb has it, with 3 of its 16 systems."""
    return [
        {
            "machine_summaries": [f'It\'s said "{word}" on day {n}.' for word in ("rain", "snow", "hail")],
            "human_summaries": [GOLD[n], "Another one, by hand."],
            "relevance": [1.5, 2.0, 3.0],
            "coherence": [4.0, 3.25, 2.0],
            "fluency": [5.0, 4.75, 4.0],
            "consistency": [1.0, 2.0, 5.0 - n],
            "text": SOURCES[n],
            "id": f"cnn-{n}",
        }
        for n in range(2)
    ]


def by_columns() -> Records:
    return [
        {"id": f"d{n}", "article": SOURCES[n], **{s: f"{GOLD[n]} Says {s}." for s in SYSTEMS}}
        for n in range(2)
    ]


# Each shape in each kind of file


def as_parquet(records: Records, stem: str) -> Path:
    path = Path(f"{stem}.parquet")
    pq.write_table(pa.Table.from_pylist(records), path)
    return path


def as_jsonl(records: Records, stem: str) -> Path:
    Path(f"{stem}.jsonl").write_text(lines(*records), encoding="utf-8")
    return Path(f"{stem}.jsonl")


def as_array(records: Records, stem: str) -> Path:
    Path(f"{stem}.json").write_text(json.dumps(records, indent=1), encoding="utf-8")
    return Path(f"{stem}.json")


def as_minified(records: Records, stem: str) -> Path:
    pd.DataFrame(records).to_json(f"{stem}.json", orient="records")
    return Path(f"{stem}.json")


def as_pandas_json(records: Records, stem: str) -> Path:
    pd.DataFrame(records).to_json(f"{stem}.json")
    return Path(f"{stem}.json")


def as_viewer_json(records: Records, stem: str) -> Path:
    page = {"features": [{"name": name} for name in records[0]], "num_rows_total": 2}
    found = [{"row_idx": n, "row": row, "truncated_cells": []} for n, row in enumerate(records)]
    Path(f"{stem}.json").write_text(json.dumps({**page, "rows": found}), encoding="utf-8")
    return Path(f"{stem}.json")


def as_csv(records: Records, stem: str) -> Path:
    pd.DataFrame(records).to_csv(f"{stem}.csv", index=False)
    return Path(f"{stem}.csv")


def as_csv_of_arrays(records: Records, stem: str) -> Path:
    """What becomes of a Parquet file that pandas read: lists are NumPy's, which are written without commas."""
    pd.read_parquet(as_parquet(records, stem)).to_csv(f"{stem}.csv", index=False)
    return Path(f"{stem}.csv")


KINDS = [
    as_parquet,
    as_jsonl,
    as_array,
    as_minified,
    as_pandas_json,
    as_viewer_json,
    as_csv,
    as_csv_of_arrays,
]
Kind = Callable[[Records, str], Path]
in_every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(path: Path, **options: Any) -> list[Item]:
    return list(recognise([path]).read(**options))


def texts(items: list[Item], kind: type) -> list[Any]:
    return [row for row in rows(items) if isinstance(row, kind)]


@in_every_kind
def test_summeval_as_mteb_has_it_needs_no_map_and_says_that_ratings_are_means(kind: Kind) -> None:
    items = read(kind(mteb(), "summeval"))
    assert texts(items, Topic) == [Topic("cnn-0"), Topic("cnn-1")]
    assert texts(items, Document) == [Document("cnn-0", "1", SOURCES[0]), Document("cnn-1", "1", SOURCES[1])]
    assert texts(items, System) == [
        System("system-1"),
        System("system-2"),
        System("system-3"),
        System("reference-1", kind="human"),
        System("reference-2", kind="human"),
    ]
    assert texts(items, Summary)[:4] == [
        Summary("cnn-0", "system-1", 'It\'s said "rain" on day 0.'),
        Summary("cnn-0", "system-2", 'It\'s said "snow" on day 0.'),
        Summary("cnn-0", "system-3", 'It\'s said "hail" on day 0.'),
        Summary("cnn-0", "reference-1", GOLD[0], roles=("reference",)),
    ]
    scores = [thing for thing in things(items) if isinstance(thing, Score)]
    assert len(scores) == 2 * 4 * 3
    assert Score("mean:coherence", "cnn-0", "system-2", 3.25) in scores
    assert Score("mean:consistency", "cnn-1", "system-3", 4.0) in scores
    described = {thing.measure: thing for thing in things(items) if isinstance(thing, MeasureInfo)}
    assert described["mean:relevance"] == MeasureInfo(
        "mean:relevance", "higher", (None, None), "mean:relevance|imported|means-only"
    )
    assert reasons(items) == [MEANS_ONLY.reason] * 2
    assert "means only" in MEANS_ONLY.reason


@in_every_kind
@pytest.mark.parametrize(
    ("records", "source", "gold"),
    [
        (xsum, "document", "summary"),
        (cnn_dailymail, "article", "highlights"),
        (samsum, "dialogue", "summary"),
        (billsum, "text", "summary"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_lone_summary_is_asked_about_and_both_answers_work(
    kind: Kind, records: Callable[[], Records], source: str, gold: str
) -> None:
    path = kind(records(), "set")
    with pytest.raises(Undecided) as asked:
        read(path)
    assert asked.value.with_commands(["adjudge", "import", str(path), "my-eval"]) == (
        f'{path}: "{gold}" is the reference in one data set and a system\'s summary in another. Type'
        f" `adjudge import {path} my-eval --map reference={gold}` (references) or"
        f' `adjudge import {path} my-eval --map text={gold} --system set` (summaries of the system "set")'
    )
    topics = [str(record.get("id", n)) for n, record in enumerate(records(), 1)]
    as_reference = read(path, columns={"reference": gold})
    assert texts(as_reference, Document) == [
        Document(topic, "1", text) for topic, text in zip(topics, SOURCES, strict=True)
    ]
    assert texts(as_reference, Summary) == [
        Summary(topic, "reference-1", text, roles=("reference",))
        for topic, text in zip(topics, GOLD, strict=True)
    ]
    as_output = read(path, columns={"text": gold}, system="set")
    assert texts(as_output, Document) == texts(as_reference, Document)
    assert texts(as_output, Summary) == [
        Summary(topic, "set", text) for topic, text in zip(topics, GOLD, strict=True)
    ]
    by_role = read(path, role="reference")
    assert [(s.system, s.text, s.roles) for s in texts(by_role, Summary)] == [
        ("set", text, ("reference",)) for text in GOLD
    ]
    by_system = read(path, system="bart")
    assert [(s.system, s.text) for s in texts(by_system, Summary)] == [("bart", text) for text in GOLD]


@in_every_kind
def test_multi_news_has_several_sources_in_one_text_and_no_column_for_the_topic(kind: Kind) -> None:
    path = kind(multi_news(), "news")
    with pytest.raises(Undecided, match='columns={"reference": "summary"}'):
        read(path)
    items = read(path, columns={"reference": "summary"})
    assert texts(items, Topic) == [Topic("1"), Topic("2")]
    assert texts(items, Document)[:2] == [
        Document("1", "1", SOURCES[0]),
        Document("1", "2", f"{SOURCES[1]} 0"),
    ]
    assert reasons(items) == [ROW_NUMBERS.reason, SPLIT.reason, SPLIT.reason]


@in_every_kind
def test_columns_that_look_like_systems_are_offered_as_such(kind: Kind) -> None:
    path = kind(by_columns(), "outputs")
    with pytest.raises(Undecided) as asked:
        read(path)
    command = asked.value.with_commands(["adjudge", "import", str(path), "my-eval"])
    assert "columns gpt4, llama, pegasus hold texts, and nothing says whose" in command
    assert f"`adjudge import {path} my-eval --systems gpt4,llama,pegasus` (a column per system)" in command
    items = read(path, systems=["gpt4", "llama", "pegasus"])
    assert [(s.topic, s.system) for s in texts(items, Summary)] == [
        (f"d{n}", system) for n in range(2) for system in SYSTEMS
    ]
    assert reasons(items) == []
    left = read(path, columns={"text": ""})
    assert texts(left, Summary) == []
    assert reasons(left) == [f'column "{name}" not used' for name in SYSTEMS]


def test_a_gold_column_beside_systems_is_asked_about_with_them() -> None:
    path = as_csv([{**row, "summary": GOLD[n]} for n, row in enumerate(by_columns())], "outputs")
    with pytest.raises(Undecided) as asked:
        read(path)
    assert [list(way.words) for way in asked.value.ways] == [
        ["--map", "reference=summary", "--systems", "gpt4,llama,pegasus"],
        ["--systems", "gpt4,llama,pegasus,summary"],
        ["--map", "text="],
    ]
    items = read(path, systems=SYSTEMS, columns={"reference": "summary"})
    assert len([s for s in texts(items, Summary) if s.roles == ("reference",)]) == 2
    with pytest.raises(Undecided, match='both "summary" and "gpt4" hold summaries'):
        read(path, systems=SYSTEMS)


def test_a_source_under_an_unknown_name_is_told_by_its_length() -> None:
    records = [{"body": SOURCES[n] * 9, "gpt4": GOLD[n], "llama": f"{GOLD[n]} Indeed."} for n in range(2)]
    path = as_jsonl(records, "outputs")
    with pytest.raises(Undecided) as asked:
        read(path)
    assert [list(way.words) for way in asked.value.ways] == [
        ["--map", "document=body", "--systems", "gpt4,llama"]
    ]
    items = read(path, columns={"document": "body"}, systems=["gpt4", "llama"])
    assert len(texts(items, Document)) == 2
    assert len(texts(items, Summary)) == 4


def either(column: str) -> list[list[str]]:
    return [["--map", f"reference={column}"], ["--map", f"text={column}", "--system", "a"]]


@pytest.mark.parametrize(
    ("record", "ways"),
    [
        # A source and both names that may be either: which is which is asked.
        (
            {"article": SOURCES[0], "highlights": GOLD[0], "summary": GOLD[1]},
            [
                ["--map", "reference=highlights", "--map", "text=summary"],
                ["--map", "reference=summary", "--map", "text=highlights"],
            ],
        ),
        ({"summary": GOLD[0]}, either("summary")),
        ({"highlights": GOLD[0]}, either("highlights")),
        ({"article": SOURCES[0], "abstract": GOLD[0]}, either("abstract")),
        (
            {"dialogue": SOURCES[0], "summary": GOLD[0], "topic": "greeting"},
            [["--map", "topic=id"], ["--map", "topic=topic"]],
        ),
        (
            {"article": SOURCES[0], "gpt4": GOLD[0]},
            [["--systems", "gpt4"], ["--map", "reference=gpt4"], ["--map", "text="]],
        ),
        (
            {"article": SOURCES[0], "reference": GOLD[0], "my model, v2": GOLD[1]},
            [["--map", "summary:my model, v2=my model, v2"], ["--map", "text="]],
        ),
        (
            {"summary": GOLD[0], "machine_summaries": GOLD},
            [["--map", "reference=summary"], ["--map", "document=summary"], ["--map", "text="]],
        ),
    ],
)
def test_what_is_ambiguous_is_asked_about(record: dict[str, Any], ways: list[list[str]]) -> None:
    path = as_jsonl([{"id": "d1", **record}], "a")
    with pytest.raises(Undecided) as asked:
        read(path)
    assert sorted(list(way.words) for way in asked.value.ways) == sorted(ways)
    assert asked.value.exit_code == 2
    assert len(str(asked.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            {"article": SOURCES[0], "highlights": GOLD[0], "prediction": "P."},
            ["a:P.", f"reference-1:{GOLD[0]}"],
        ),
        ({"article": SOURCES[0], "reference": GOLD[0], "summary": "S."}, ["a:S.", f"reference-1:{GOLD[0]}"]),
        (
            {"source": SOURCES[0], "target": GOLD[0], "generated_text": "G."},
            ["a:G.", f"reference-1:{GOLD[0]}"],
        ),
        ({"system_outputs": {"bart": "B.", "t5": "T."}}, ["bart:B.", "t5:T."]),
        (
            {"outputs": [{"model": "bart", "summary": "B."}, {"model": "t5", "summary": "T."}]},
            ["bart:B.", "t5:T."],
        ),
        ({"model": "bart", "summary": "B.", "article": SOURCES[0]}, ["bart:B."]),
        ({"text": SOURCES[0], "machine_summaries": ["X."], "summary": GOLD[0], "role": None}, None),
    ],
)
def test_what_stands_beside_a_column_tells_what_it_is(
    record: dict[str, Any], expected: list[str] | None
) -> None:
    path = as_jsonl([{"id": "d1", **record}], "a")
    if expected is None:
        with pytest.raises(Undecided):
            read(path)
        return
    found = [f"{s.system}:{s.text}" for s in texts(read(path), Summary)]
    assert found == expected


def test_a_named_format_asks_as_well_where_a_source_is_there() -> None:
    path = as_csv(xsum(), "xsum")
    with pytest.raises(Undecided):
        list(read_table([path]))
    with pytest.raises(Undecided):
        list(read_jsonl([as_array(xsum(), "xsum")]))
    # Without a source, a file of topics and texts is one system's, as it has always been.
    plain = as_jsonl([{"id": "1", "summary": "One."}], "lead")
    assert Summary("1", "lead", "One.") in rows(read_jsonl([plain]))


def test_the_files_name_as_a_system_is_said() -> None:
    items = read(as_csv([{"id": "1", "prediction": "One."}], "bart"))
    assert texts(items, Summary) == [Summary("1", "bart", "One.")]
    assert reasons(items) == [FILE_NAME.reason]
    assert reasons(read(as_csv([{"id": "1", "prediction": "One."}], "bart"), system="x")) == []


def test_several_files_have_no_system_in_the_command() -> None:
    paths = [as_csv(xsum(), name) for name in ("bart", "t5")]
    with pytest.raises(Undecided) as asked:
        list(recognise(paths).read())
    assert [list(way.words) for way in asked.value.ways] == [
        ["--map", "reference=summary"],
        ["--map", "text=summary"],
    ]
    found = [s for s in rows(recognise(paths).read(columns={"text": "summary"})) if isinstance(s, Summary)]
    assert {s.system for s in found} == {"bart", "t5"}


# Rows as topics


def test_the_index_that_pandas_wrote_is_the_topic_where_nothing_else_is() -> None:
    pd.DataFrame(billsum(), index=[7, 9]).to_csv("bills.csv")
    items = read(Path("bills.csv"), columns={"reference": "summary"})
    assert [t.topic for t in texts(items, Topic)] == ["7", "9"]
    pd.DataFrame(xsum()).to_csv("xsum.csv")
    items = read(Path("xsum.csv"), columns={"reference": "summary"})
    assert [t.topic for t in texts(items, Topic)] == ["100", "101"]
    assert reasons(items) == ['column "(no name)" not used']


def test_rows_are_no_topics_where_a_source_comes_again(write: Write) -> None:
    write("a.csv", "article,prediction\nRain fell.,One.\nRain fell.,Two.\n")
    with pytest.raises(FormatError, match="a.csv:3: the same source as at a.csv:2: a row is not a topic"):
        read(Path("a.csv"))
    assert len(texts(read(Path("a.csv"), by_line=True), Summary)) == 2


def test_rows_of_several_files_are_no_topics(write: Write) -> None:
    paths = [write(f"{name}.csv", "article,prediction\nRain fell.,One.\n") for name in "ab"]
    with pytest.raises(FormatError, match="no column for the topic"):
        list(recognise(paths).read())


# Lists in cells, and lists that do not fit


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'it\\'s']", ["a", "it's"]),
        ("['a'\n 'b, c']", ["a", "b, c"]),
        ("[\"it's\" 'b']", ["it's", "b"]),
        ("[1.5 2.  3.25]", [1.5, 2.0, 3.25]),
        ("['a', None]", ["a", None]),
        ("[]", []),
        ('{"bart": "x"}', {"bart": "x"}),
        ("[He said] no.", None),
        ("[sic]", None),
        ("['a', __import__('os')]", None),
        ("a, b", None),
    ],
)
def test_lists_in_cells(cell: str, expected: object) -> None:
    assert list_in(cell) == expected


def test_a_text_that_looks_like_a_list_stays_a_text(write: Write) -> None:
    write("a.csv", 'id,prediction,reference\n1,[1],"[1, 2]"\n2,[sic],"[""One."", ""Two.""]"\n')
    found = [(s.system, s.text) for s in texts(read(Path("a.csv")), Summary)]
    assert found == [
        *(("a", "[1]"), ("reference-1", "[1, 2]"), ("a", "[sic]")),
        *(("reference-1", "One."), ("reference-2", "Two.")),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"machine_summaries": ["One."]}, '"machine_summaries" holds 1 texts, 3 before'),
        ({"machine_summaries": "One."}, '"machine_summaries" is a text, expected a list of texts'),
        ({"coherence": [1.0]}, '"coherence" is 1 values, expected one for each of 3 texts'),
        ({"coherence": ["a", 1, 2]}, '"coherence" holds a text, expected finite numbers'),
        ({"machine_summaries": ["One.", 2, "Three."]}, '"machine_summaries" is a number, expected a text'),
        (
            {"machine_summaries": [{"by": "x"}] * 3},
            '"machine_summaries" holds objects with by, expected a system and a text in each',
        ),
    ],
)
def test_a_row_that_does_not_fit_is_refused(change: dict[str, Any], expected: str) -> None:
    first, second = mteb()
    with pytest.raises(FormatError, match=f"a.jsonl:2: {expected}"):
        read(as_jsonl([first, {**second, **change}], "a"))


def test_texts_of_a_list_may_be_missing_and_named() -> None:
    first, second = mteb()
    second["machine_summaries"][1] = None
    items = read(as_parquet([first, second], "a"), system_names=["M8", "M11", "M22"])
    assert [s.system for s in texts(items, Summary) if s.is_peer] == ["M8", "M11", "M22", "M8", "M22"]
    assert "no text" in reasons(items)
    with pytest.raises(FormatError, match="holds 3 texts, system_names has 2"):
        read(Path("a.parquet"), system_names=["M8", "M11"])


# Parquet


def test_parquet_names_what_it_does_not_use_and_reads_nothing_of_it() -> None:
    records = [{**row, "url": f"https://x/{n}", "embedding": [0.5] * 3} for n, row in enumerate(xsum())]
    items = list(read_parquet([as_parquet(records, "a")], columns={"reference": "summary"}))
    assert reasons(items) == ['column "url" not used', 'column "embedding" not used']
    assert items[-1][0] == "a.parquet:2"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PAR1 and no more", "a.parquet: not a Parquet file that can be read"),
        (b"PAR1" + b"\0" * 100 + b"PAR1", "a.parquet: not a Parquet file that can be read"),
    ],
)
def test_a_broken_parquet_file_is_one_line(write: Write, content: bytes, expected: str) -> None:
    path = write("a.parquet", content)
    with pytest.raises(FormatError, match=expected) as error:
        read(path)
    assert len(str(error.value).splitlines()) == 1


def test_parquet_is_read_some_rows_at_a_time() -> None:
    writer = pq.ParquetWriter("big.parquet", pa.schema([("id", "string"), ("document", "string")]))
    with writer:
        for part in range(40):
            ids = [f"{part}-{n}" for n in range(250)]
            writer.write_table(pa.table({"id": ids, "document": [f"{i} " + "x" * 4000 for i in ids]}))
    items = read_parquet([Path("big.parquet")])
    next(items)
    tracemalloc.start()
    count = sum(1 for _ in items)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 40 * 250 * 2 - 1
    assert peak < 8_000_000  # of 40 MB


@pytest.mark.parametrize("nested", [False, True])
def test_a_text_that_is_stored_once_and_repeats_is_counted_as_often(nested: bool) -> None:
    """300 kB in the file, 3 GB in memory: refused before they are there, in lists too."""
    text = pa.array(["x" * 300_000])
    index = pa.array([0] * 10_000, pa.int32())
    column: Any = pa.DictionaryArray.from_arrays(index, text)
    if nested:
        column = pa.ListArray.from_arrays(pa.array([0, 10_000], pa.int32()), column)
    ids = [str(n) for n in range(len(column))]
    pq.write_table(pa.table({"id": ids, "human_summaries": column, "document": ids}), "bomb.parquet")
    with (
        unpacking_up_to(50_000_000),
        pytest.raises(FormatError, match="unpacks to more than 50,000,000 bytes"),
    ):
        read(Path("bomb.parquet"))


# Python


def test_a_frame_and_a_list_of_dicts_read_as_a_file_does() -> None:
    from_file = rows(read(as_parquet(mteb(), "a")))
    frame = pd.read_parquet("a.parquet")  # lists are NumPy arrays
    assert rows(read_frame(frame)) == from_file
    assert rows(read_frame(mteb())) == from_file
    assert rows(read_frame(iter(mteb()))) == from_file


def test_a_frame_is_asked_about_in_arguments() -> None:
    frame = pd.DataFrame(cnn_dailymail())
    with pytest.raises(UsageError) as asked:
        list(read_frame(frame, name="cnn"))
    assert str(asked.value) == (
        'cnn: "highlights" is the reference in one data set and a system\'s summary in another: say'
        ' columns={"reference": "highlights"} (references), or'
        ' columns={"text": "highlights"}, system="NAME" (summaries of the system "NAME")'
    )
    found = rows(read_frame(frame, columns={"reference": "highlights"}))
    assert Summary("f0", "reference-1", GOLD[0], roles=("reference",)) in found
    with pytest.raises(UsageError, match=r'systems="gpt4,llama,pegasus" \(a column per system\)'):
        list(read_frame(pd.DataFrame(by_columns())))


def test_missing_values_of_frames_are_missing() -> None:
    frame = pd.DataFrame({"id": [1, 2, 3], "prediction": ["One.", None, float("nan")], "x": [pd.NaT] * 3})
    items = list(read_frame(frame, system="bart"))
    assert [row for row in rows(items) if isinstance(row, Summary)] == [Summary("1", "bart", "One.")]
    assert reasons(items).count("no text") == 2


def splits() -> dict[str, Any]:
    class Split:
        column_names = ("id",)

    return {"train": Split(), "test": Split()}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([{"id": 1, "prediction": "One."}], "no column for the system: say system=NAME"),
        (["One."], "record 1 is str, expected a dict"),
        (3, "the data is int, expected a DataFrame or a list of dicts"),
        ("nothing", "the data is str"),
        ({"id": 1}, "the data is a mapping, expected lists by column"),
        ({"id": [1], "text": ["One.", "Two."]}, "different numbers of values: id 1 and text 2"),
        (splits(), r"the splits train and test: take one, such as data\['train'\]"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), '2 columns are named "a"'),
    ],
)
def test_what_is_no_table_is_refused(data: Any, expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        list(read_frame(data))


def test_an_evaluation_takes_files_frames_and_dicts(tmp_path: Path) -> None:
    e = adjudge.init(tmp_path / "my-eval")
    report = e.import_data(as_parquet(mteb(), "a"))
    assert report.added["summaries"] == 10
    assert report.scores["mean:coherence"] == 6
    frame = pd.DataFrame([{"id": f"cnn-{n}", "bart": "Rain.", "t5": "Snow."} for n in range(2)])
    assert e.import_data(frame, systems=["bart", "t5"]).added["summaries"] == 4
    dicts = [{"id": f"cnn-{n}", "prediction": "Hail."} for n in range(2)]
    assert e.import_data(dicts, system="lead", dry_run=True).added["summaries"] == 2
    assert e.import_data([as_csv(dicts, "lead")]).added["summaries"] == 2
    texts_now = [s for each in e.collection.summaries.values() for s in each]
    assert len({s.system for s in texts_now if s.is_peer}) == 6
    assert e.compare("mean:coherence").headline()


# What nobody named


def beside(**columns: list[Any]) -> Records:
    """References and sources with further columns of four values."""
    base = [
        {"id": f"d{n}", "article": f"It was {word} that day.", "reference": f"{word.title()}."}
        for n, word in enumerate(("rain", "snow", "hail", "fog"))
    ]
    return [
        {**record, **{name: values[n] for name, values in columns.items()}} for n, record in enumerate(base)
    ]


SHORT = ["Rain.", "It snowed.", "Hail fell here.", "Fog."]


@in_every_kind
def test_short_texts_that_nobody_named_are_asked_about(kind: Kind) -> None:
    path = kind(beside(gpt4=SHORT, llama=[text.lower() for text in SHORT]), "x")
    with pytest.raises(Undecided) as asked:
        read(path)
    assert [way.words for way in asked.value.ways] == [["--systems", "gpt4,llama"], ["--map", "text="]]
    found = texts(read(path, systems=["gpt4", "llama"]), Summary)
    assert sorted(s.text for s in found if s.system == "gpt4") == sorted(SHORT)
    assert {s.roles for s in texts(read(path, columns={"text": ""}), Summary)} == {("reference",)}


@pytest.mark.parametrize(
    "values",
    [
        ["Rain", "Snow", "Hail", "Fog"],
        ["Rain fell.", "Rain fell.", "Snow.", "Fog came."],
        ["On 3 March 2020 it rained.", "Snow in May.", "3.5 mm", "Fog."],
    ],
)
def test_texts_may_have_one_word_and_repeat(values: list[str]) -> None:
    with pytest.raises(Undecided, match="column bart holds texts"):
        read(as_csv(beside(bart=values), "x"))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("split", ["train", "dev", "test", "extra"]),
        ("genre", ["news", "sport", "news", "sport"]),
        ("count", ["1", "2,5", "30 %", "-4e3"]),
        ("day", ["2020-01-02", "03/04/2021", "1.5.1999", "2020-01-02T10:00:00Z"]),
        ("day", ["Mon, 2 Mar 2020", "5 May 2020 10:00 GMT", "June 1st, 1999", "Sunday, July 4 2021"]),
        ("where", ["https://a.org/b c".replace(" ", ""), "www.b.org", "news/1.txt", "http://c.org"]),
        ("uid", ["a1", "b2", "x_y", "d#4"]),
        ("checked", ["yes", "no", "true", "False"]),
        ("lang", ["Dutch", "English", "French", "German"]),
        ("number", [1.5, 2.5, 3.5, 4.5]),
        ("empty", ["", "", "", ""]),
    ],
)
def test_what_is_no_text_is_not_asked_about(name: str, values: list[Any]) -> None:
    items = read(as_csv(beside(**{name: values}), "x"))
    assert len(texts(items, Summary)) == 4
    assert f'column "{name}" not used' in reasons(items)


def test_categories_are_not_offered_beside_longer_texts() -> None:
    long = [f"A text of some length that tells of {word}" for word in SHORT]
    with pytest.raises(Undecided) as asked:
        read(as_csv(beside(gpt4=long, area=["west", "north", "south", "east"]), "x"))
    assert asked.value.ways[0].words == ["--systems", "gpt4"]


def test_summaries_under_an_unknown_name_beside_a_system_are_asked_about() -> None:
    with pytest.raises(Undecided) as asked:
        read(as_csv([{"id": "1", "system": "a", "decoded_text": "Rain."}], "x"))
    assert [way.words for way in asked.value.ways] == [["--map", "text=decoded_text"]]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"summary": "s", "output": "o"}, ["--map", "text=output", "--map", "reference=summary"]),
        ({"prediction": "o", "summary": "s"}, ["--map", "text=prediction", "--map", "reference=summary"]),
        ({"text": "d", "output": "o"}, ["--map", "text=output", "--map", "document=text"]),
        ({"output": "o", "candidate": "s"}, ["--systems", "output,candidate"]),
        (
            {"summary": "s", "output": "o", "candidate": "c"},
            ["--systems", "output,candidate", "--map", "reference=summary"],
        ),
        (
            {"summary": "s", "output": "o", "llama": "A text of several words."},
            ["--systems", "output,llama", "--map", "reference=summary"],
        ),
        ({"reference": "r", "summary": "s", "output": "o"}, ["--systems", "output,summary"]),
    ],
)
def test_two_columns_of_texts_are_offered_with_both_in_use(record: dict[str, str], words: list[str]) -> None:
    path = (
        as_csv([{"id": "1", "article": "Rain."} | record], "x")
        if "text" not in record
        else as_csv([record], "x")
    )
    for items in (recognise([path]).read(), read_table([path])):
        with pytest.raises(Undecided) as asked:
            list(items)
        assert asked.value.ways[0].words == words


def test_the_first_way_with_two_columns_of_texts_uses_both() -> None:
    path = as_csv([{"id": "1", "article": "Rain.", "summary": "It rained.", "output": "Wet."}], "x")
    found = texts(read(path, columns={"text": "output", "reference": "summary"}), Summary)
    assert {(s.text, s.roles) for s in found} == {("Wet.", ("peer",)), ("It rained.", ("reference",))}


@in_every_kind
@pytest.mark.parametrize("column", ["sumary", "nope"])
def test_a_column_that_is_not_there_is_named_before_anything_else(kind: Kind, column: str) -> None:
    nearest = ' \\(nearest: "summary"\\)' if column == "sumary" else ""
    for records in (xsum(), [record | {"bart": f"{record['summary']} Again."} for record in xsum()]):
        with pytest.raises(
            UsageError, match=f'columns: x.* has no column "{column}"{nearest}; it has: '
        ) as said:
            read(kind(records, "x"), columns={"reference": column})
        assert not isinstance(said.value, Undecided)


def test_a_key_that_comes_later_is_not_missed(write: Write) -> None:
    records = [{"id": str(n), "article": f"Text {n}."} for n in range(12)]
    write("x.jsonl", lines(*records, {"id": "x", "article": "Last.", "gold": "One."}))
    assert len(texts(read(Path("x.jsonl"), columns={"reference": "gold"}), Summary)) == 1


# Tables in JSON


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table"])
@pytest.mark.parametrize("index", [False, True])
def test_every_form_that_pandas_writes_is_the_same_table(orient: Any, index: bool) -> None:
    frame = pd.DataFrame(by_columns())
    frame = frame.set_index("id") if index and orient != "records" else frame
    frame.to_json("x.json", orient=orient)
    found = texts(read(Path("x.json"), systems=SYSTEMS), Summary)
    assert {(s.topic, s.system, s.text) for s in found} == {
        (record["id"], system, record[system]) for record in by_columns() for system in SYSTEMS
    }


def test_texts_by_topic_and_lists_by_column(write: Write) -> None:
    path = write("bart.json", json.dumps({"a1": "Rain fell.", "b2": "Snow fell."}))
    assert recognise([path]).words == "JSON of texts by topic"
    assert texts(read(path), Summary) == [
        Summary("a1", "bart", "Rain fell."),
        Summary("b2", "bart", "Snow fell."),
    ]
    columns = {"predictions": ["Rain fell.", "Snow fell."], "references": GOLD}
    path = write("t5.json", json.dumps(columns, indent=1))
    assert recognise([path]).words == "JSON of summaries"
    with pytest.raises(
        FormatError, match="no column for the topic among predictions, references: .*by_line=True"
    ):
        read(path)
    found = texts(read(path, by_line=True), Summary)
    assert {(s.topic, s.system, s.text) for s in found} == {
        ("1", "t5", "Rain fell."),
        ("2", "t5", "Snow fell."),
        ("1", "reference-1", GOLD[0]),
        ("2", "reference-1", GOLD[1]),
    }


def test_systems_by_topic_are_a_column_each(write: Write) -> None:
    path = write("x.json", json.dumps({s: {"d1": "Rain fell hard.", "d2": f"{s} snows."} for s in SYSTEMS}))
    with pytest.raises(Undecided) as asked:
        read(path)
    assert asked.value.ways[0].words == ["--systems", ",".join(SYSTEMS)]
    assert {s.topic for s in texts(read(path, systems=SYSTEMS), Summary)} == {"d1", "d2"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["Rain.", "Snow."], "a list of texts that says no topics.*adjudge import lines"),
        ([["d1", "Rain."]], "a list of lists that says no names of columns"),
    ],
)
def test_lists_that_are_no_records_say_what_to_do(write: Write, value: object, expected: str) -> None:
    with pytest.raises(FormatError, match=expected):
        read(write("x.json", json.dumps(value)))


# Names


def test_whole_numbers_with_decimals_are_names_without(write: Write) -> None:
    path = as_parquet([{"id": 1.0, "prediction": "One."}, {"id": 2.0, "prediction": "Two."}], "x")
    items = read(path)
    assert [s.topic for s in texts(items, Summary)] == ["1", "2"]
    assert reasons(items).count("whole number with decimals (1.0) taken as a name without (1)") == 2
    with pytest.raises(FormatError, match='"id" is a number'):
        read(as_parquet([{"id": 1.5, "prediction": "One."}], "x"))


@pytest.mark.parametrize(
    ("column", "what"), [("label", "system"), ("group", "system"), ("title", "topic"), ("type", "topic")]
)
def test_a_field_that_differs_by_row_says_how_to_leave_it_out(column: str, what: str) -> None:
    records = [{"id": "1", "system": "a", "summary": "One.", "length": n, column: f"v{n}"} for n in (1, 2)]
    path = as_csv(records, "x")
    with pytest.raises(
        FormatError, match=f'x.csv:3: .* a {what} has one {column}; .* say columns={{"{column}": ""}}'
    ):
        read(path)
    assert len(texts(read(path, columns={column: ""}), Summary)) == 2


def test_a_reference_that_is_named_as_a_system_is_noted() -> None:
    items = read(as_csv(beside(gpt4=SHORT), "x"), systems=["gpt4", "reference"])
    assert [reason for reason in reasons(items) if "as systems says" in reason] == [
        'column "reference" taken as a system, as systems says; without it there, it is the reference'
    ]
    plain = read(as_csv(beside(gpt4=SHORT), "x"), systems=["gpt4"])
    assert not any("as systems says" in reason for reason in reasons(plain))


@pytest.mark.parametrize(
    ("reader", "other"),
    [
        (
            lambda: read_jsonl([as_csv(xsum(), "x")]),
            "is a table, no JSON: adjudge import csv x.csv EVALUATION",
        ),
        (lambda: read_table([as_jsonl(xsum(), "x")]), "is JSON: adjudge import jsonl x.jsonl EVALUATION"),
        (lambda: read_table([as_array(xsum(), "x")]), "is JSON: adjudge import jsonl x.json EVALUATION"),
        (
            lambda: read_table([as_parquet(xsum(), "x")]),
            "a Parquet file: adjudge import x.parquet EVALUATION",
        ),
        (
            lambda: read_jsonl([as_parquet(xsum(), "x")]),
            "a Parquet file: adjudge import x.parquet EVALUATION",
        ),
    ],
)
def test_a_file_of_another_format_names_the_command(reader: Callable[[], Any], other: str) -> None:
    with pytest.raises(FormatError, match=other):
        list(reader())


# From Python


def test_frames_by_index_dicts_of_lists_and_names_in_one_text(tmp_path: Path) -> None:
    frame = pd.DataFrame(by_columns())
    expected = {(f"d{n}", s) for n in range(2) for s in ("gpt4", "llama")}
    unknown = frame.rename(columns={"id": "which"}).set_index("which")
    for data in (frame, frame.set_index("id"), unknown, frame.to_dict("list"), frame.to_dict("series")):
        found = rows(read_frame(data, systems="gpt4, llama"))
        assert {(s.topic, s.system) for s in found if isinstance(s, Summary)} == expected
    e = adjudge.open(tmp_path / "my-eval", create=True)
    with pytest.raises(UsageError, match='no option "sytems" \\(nearest: "systems"'):
        e.import_data(frame, sytems=["gpt4"])
    with pytest.raises(UsageError, match='no option "colums" \\(nearest: "columns"'):
        e.import_data(as_csv(by_columns(), "x"), colums={})
    assert not e.path.exists()


def test_a_name_that_would_break_the_line_is_typed_by_its_number() -> None:
    way = Way(arguments=[mapped("summary:p\u2028e'er\\", "p\x1b[31m")], meaning="so")
    line = spoken(Undecided("which", [way]).text, "command").partition("say ")[2].removesuffix(" (so)")
    assert line.isprintable()
    told = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], check=True, capture_output=True, env={"LC_ALL": "C.UTF-8"}
    ).stdout.decode("utf-8")
    assert told.split("\0")[:-1] == way.words
