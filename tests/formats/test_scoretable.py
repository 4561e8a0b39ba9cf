"""Score tables made elsewhere, long and as a matrix."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import pytest

from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.rows import System, Topic
from adjudge.data.scorefiles import find
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats import scoretable

from .shapes import Imported, Refused, Write, things


def info(measure: str, file: str, better: Any = "higher") -> MeasureInfo:
    return MeasureInfo(measure, better, (None, None), f"{measure}|imported|file:{file}")


def test_a_long_table_gives_exact_items(write: Write) -> None:
    write(
        "s.csv",
        "system,topic,measure,value,length,assessor,reference,repeat,why,kind,note\n"
        "lead,d1,rouge-2,0.25,100,,A,,,baseline,x\n"
        "lead,d1,ter,1e-1,,ann,,2,,baseline,y\n",
    )
    items = list(scoretable.read(["s.csv"], lower_is_better={"ter"}))
    assert items == [
        ("s.csv:1", LeftOut('column "note" not used')),
        ("s.csv:2", System("lead", kind="baseline")),
        ("s.csv:2", info("imported:rouge-2", "s.csv")),
        ("s.csv:2", Score("imported:rouge-2", "d1", "lead", 0.25, length=100, reference="A")),
        ("s.csv:3", info("imported:ter", "s.csv", "lower")),
        ("s.csv:3", Score("imported:ter", "d1", "lead", 0.1, assessor="ann", repeat=2)),
    ]


@pytest.mark.parametrize(
    ("better", "names"),
    [
        (
            "lower",
            "ter|TER|wer|Word error rate|edit_distance|log-perplexity|ppl|cosine distance|mer|Levenshtein|rmse",
        ),
        ("higher", "rouge-1|expert:coherence|human_judge|accuracy|informativeness"),
        (None, "m0|master|loser|errors|1-ter|1 - wer|neg_ter|wer_inverse|fkgl|latency"),
    ],
)
def test_a_name_says_which_scores_are_better_or_does_not(better: str | None, names: str) -> None:
    assert {scoretable.direction_by_name(name) for name in names.split("|")} == {better}


def test_lower_is_better_by_name_unless_somebody_says_otherwise(write: Write) -> None:
    write("s.csv", "system,topic,measure,value\nlead,d1,ter,1\nlead,d1,m0,1\n")

    def directions(**options: Any) -> dict[str, Any]:
        read = things(scoretable.read(["s.csv"], **options))
        return {thing.measure: thing.better for thing in read if isinstance(thing, MeasureInfo)}

    assert directions() == {"imported:ter": "lower", "imported:m0": "higher"}
    assert directions(lower_is_better=["none"]) == {"imported:ter": "higher", "imported:m0": "higher"}
    assert directions(lower_is_better=["m0"]) == {"imported:ter": "higher", "imported:m0": "lower"}
    noted = [thing.reason for thing in things(scoretable.read(["s.csv"])) if isinstance(thing, Noted)]
    assert len(noted) == 1
    assert str(noted[0]).startswith("ter: lower is taken as better")


def test_a_long_table_may_say_what_topics_share(write: Write) -> None:
    write(
        "s.csv",
        "system,topic,value,set,type,task,selector\n"
        "a,d1,1,S1,event,multi,Kim\nb,d1,2,S1,event,multi,Kim\na,d2,1,S1,,,\nb,d3,2,,,,\n",
    )
    found = things(scoretable.read(["s.csv"]))
    assert [thing for thing in found if isinstance(thing, Topic)] == [
        Topic("d1", set="S1", type="event", task="multi", selector="Kim"),  # once, not for each of its rows
        Topic("d2", set="S1"),
    ]


def test_a_matrix_gives_exact_items(write: Write) -> None:
    write("bleurt.tsv", "\tlead\tlsa\nd1\t0.5\t-1\nd2\t.5\t1.\n")
    assert things(scoretable.read(["bleurt.tsv"], length=50)) == [
        info("imported:bleurt", "bleurt.tsv"),
        Score("imported:bleurt", "d1", "lead", 0.5, length=50),
        Score("imported:bleurt", "d1", "lsa", -1.0, length=50),
        Score("imported:bleurt", "d2", "lead", 0.5, length=50),
        Score("imported:bleurt", "d2", "lsa", 1.0, length=50),
    ]
    named = things(scoretable.read(["bleurt.tsv"], measure="m", source="ours", lower_is_better=True))
    assert named[0] == info("ours:m", "bleurt.tsv", "lower")


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "NA", "n/a", " "])
def test_what_is_missing_is_a_missing_score(
    write: Write, imported: Imported, cell: str, tmp_path: Path
) -> None:
    write("m.csv", f"topic,lead\nd1,{cell}\nd2,1\n")
    first, second = [thing for thing in things(scoretable.read(["m.csv"])) if isinstance(thing, Score)]
    assert math.isnan(first.value)
    assert first.why == "missing in m.csv"
    assert second == Score("imported:m", "d2", "lead", 1.0)
    assert imported(scoretable.read(["m.csv"])).scores == {"imported:m": 2}
    stored = find(tmp_path / "my-eval", "imported:m")
    assert stored is not None
    assert stored.table.matrix("imported:m").missing == (("d1", "lead", "missing in m.csv"),)


def test_a_long_table_may_say_why(write: Write) -> None:
    write("m.csv", "system,topic,score,why\nlead,d1,,timed out\nlead,d2,1,rounded\n")
    scores = [thing for thing in things(scoretable.read(["m.csv"])) if isinstance(thing, Score)]
    assert [score.why for score in scores] == ["timed out", "rounded"]
    assert {score.measure for score in scores} == {"imported:m"}


def test_columns_may_be_mapped(write: Write) -> None:
    write("m.csv", "phase,peer,eval,recall,precision\nx,M1,d1,0.5,0.25\n")
    columns = {"system": "peer", "topic": "eval", "value": "recall"}
    found = things(scoretable.read(["m.csv"], columns=columns, measure="r"))
    assert found[-1] == Score("imported:r", "d1", "M1", 0.5)
    assert found[:2] == [LeftOut('column "phase" not used'), LeftOut('column "precision" not used')]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "m.csv: empty, expected a header line"),
        (b"topic\nd1\n", 'm.csv:1: one column only, "topic", expected a matrix'),
        (b"topic,lead\nd1,0,5\n", "m.csv:2: the row has 3 cells"),
        (b"topic;lead\nd1\n", 'say --delimiter ";"'),
        (b"topic,lead\nd1,many\n", 'm.csv:2: "lead" is "many", expected a number'),
        (b"topic,lead\nd1,inf\n", 'm.csv:2: "lead" is "inf", expected a number'),
        (b"topic,lead\nd1,1e999\n", 'm.csv:2: "lead" is "1e999", expected a number'),
        (b"topic,lead\nd1,1_0\n", 'm.csv:2: "lead" is "1_0", expected a number'),
        (b"topic,lead\nd1," + b"1" * 200 + b"x\n", "expected a number"),
        (b"topic,lead\n,1\n", 'm.csv:2: "topic" is ""'),
        (b"topic,lead\nd1,1\nd1,2\n", "m.csv:3: a second score of imported:m"),
        (b"topic,lead,lead\nd1,1,2\n", 'm.csv:1: 2 columns are named "lead"'),
        (b"topic,,lead\nd1,1,2\n", "m.csv:1: column 2 has no name"),
        (b"topic,\x1b\nd1,1\n", "control character"),
        (b'topic,lead\nd1,"1\n', "m.csv:2: a quote is opened and not closed"),
        (b"topic,lead\nd1,\0\n", "m.csv:2: a NUL byte"),
        (b"topic,lead\nd\xe9,1\n", "m.csv:2: byte 0xe9"),
        (b"topic,system,rouge\nd1,lead,x\n", "m.csv:1: no column for the value among topic, system, rouge"),
        (
            b"system,d1,d2\nlead,1,2\n",
            "m.csv:1: no column for the topic among system, d1, d2: say --map topic=COLUMN;",
        ),
        (b"topic,system,value,kind\nd1,lead,1,robot\n", 'm.csv:2: "kind" is "robot"'),
        (b"topic,system,value,length\nd1,lead,1,0\n", 'm.csv:2: "length" is "0"'),
        (b"topic,system,value,length\nd1,lead,1,99999999999\n", 'm.csv:2: "length" is "99999999999"'),
        (b"topic,system,value,repeat\nd1,lead,1,-1\n", 'm.csv:2: "repeat" is "-1"'),
        (b"topic,system,value,assessor\nd1,lead,1, x\n", 'm.csv:2: "assessor" is " x"'),
        (b"topic,system,value,measure\nd1,lead,1,\n", 'm.csv:2: "measure" is ""'),
        (b"topic,id,system,value\nd1,1,lead,1\n", 'columns "topic" and "id" may both be the topic'),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: bytes, expected: str) -> None:
    write("m.csv", content)
    assert expected in refused(scoretable.read(["m.csv"]))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"lower_is_better": ["te"]}, "--lower te: no such measure"),
        ({"lower_is_better": "te"}, "--lower te: no such measure"),
        ({"measure": "x"}, '--measure names what a file does not, but m.csv has a column "measure"'),
        ({"length": 0}, "--length is 0"),
        ({"source": ""}, '--prefix is ""'),
        ({"columns": {"text": "x"}}, '--map "text": no such field'),
        ({"columns": {"value": "val"}}, 'has no column "val" (nearest: "value")'),
    ],
)
def test_wrong_arguments(write: Write, refused: Refused, options: dict[str, Any], expected: str) -> None:
    write("m.csv", "system,topic,measure,value\nlead,d1,ter,1\n")
    assert expected in refused(scoretable.read(["m.csv"], **options))


def test_archives_lengths_and_links(write: Write, refused: Refused, imported: Imported) -> None:
    packed = gzip.compress(b"topic,lead\n" + b"".join(b"d%d,1\n" % n for n in range(3000)))
    write("m.csv.gz", packed[: len(packed) // 2])
    assert "cannot be read" in refused(scoretable.read(["m.csv.gz"]))
    write("m.csv", "topic,lead\nd1," + "1" * 100)
    assert "longer than 50 bytes" in refused(scoretable.read(["m.csv"], max_line=50))
    write("in/a.csv", "topic,lead\nd1,1\n")
    Path("in/b.csv").symlink_to("../m.csv")
    assert "leaves the folder" in refused(scoretable.read(["in"]))
    Path("in/b.csv").unlink()
    assert imported(scoretable.read(["in"])).scores == {"imported:a": 1}


def test_a_header_alone_is_counted(write: Write, imported: Imported) -> None:
    write("m.csv", "topic,lead\n")
    assert imported(scoretable.read(["m.csv"])).left_out == {"file without records": 1}
