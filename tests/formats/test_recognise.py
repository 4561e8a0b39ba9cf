"""What a file is, by its first bytes and what is in it, whatever it is called."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge.core.errors import AdjudgeError, FormatError, Undecided, UsageError
from adjudge.core.phrases import Argument
from adjudge.data.rows import Summary
from adjudge.formats.files import mapped
from adjudge.formats.recognise import READERS, Recognised, read, recognise

from .shapes import Write, lines, rows

SUMMEVAL = {"id": "1", "model_id": "M8", "decoded": "x", "expert_annotations": [{"coherence": 4}]}
SACREROUGE = {
    "instance_id": "d1",
    "summarizer_id": "17",
    "summarizer_type": "peer",
    "metrics": {"rouge-1": {"recall": 40.0}},
}
SETTINGS = '<ROUGE_EVAL version="1.55">\n<EVAL ID="1">\n</EVAL>\n</ROUGE_EVAL>\n'
OUTPUT = (
    "---------------------------------------------\n17 ROUGE-2 Average_R: 0.1 (95%-conf.int. 0.1 - 0.2)\n"
)
DOC = "<DOC>\n<DOCNO> AP880911-0016 </DOCNO>\n<TEXT>\nRain fell.\n</TEXT>\n</DOC>\n"


def parquet(*records: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(records)), out)
    return out.getvalue()


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name in names:
            file.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize("name", ["data", "data.txt", "data.csv", "data.json", "data.parquet"])
@pytest.mark.parametrize(
    ("content", "format", "words"),
    [
        ("topic,system,summary\nd1,a,Rain fell.\n", "csv", "CSV of summaries, commas between columns"),
        ('"id","summary:bart"\n"1","Rain, fell."\n', "csv", "CSV of summaries, commas between columns"),
        ("article,highlights,id\nRain fell.,Rain.,1\n", "csv", "CSV of texts, commas between columns"),
        (
            "topic,a,b\nd1,0.1,0.2\nd2,0.3,\n",
            "scores",
            "CSV of scores, a column per system, commas between columns",
        ),
        (",a,b\nd1,1,2\n", "scores", "CSV of scores, a column per system, commas between columns"),
        ("system,topic,value\na,d1,1\n", "scores", "CSV of scores, one a row, commas between columns"),
        (lines({"id": "1", "prediction": "x"}), "jsonl", "JSON lines of summaries"),
        (json.dumps([{"id": "1", "prediction": "x"}]), "jsonl", "a JSON array of summaries"),
        (json.dumps({"data": [{"id": "1", "article": "x"}]}), "jsonl", "JSON of texts"),
        (json.dumps({"id": "1", "output": "x"}, indent=2), "jsonl", "JSON of summaries"),
        (lines(SUMMEVAL), "summeval", "SummEval's annotations"),
        (json.dumps([SUMMEVAL]), "summeval", "SummEval's annotations"),
        (lines(SACREROUGE), "sacrerouge", "sacrerouge's records"),
        (SETTINGS, "rouge155", "settings of ROUGE-1.5.5"),
        (OUTPUT, "rouge-output", "what ROUGE-1.5.5 printed"),
        (DOC, "duc", "DUC's documents"),
        (parquet({"id": "1", "prediction": "x"}), "parquet", "Parquet of summaries"),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value and len(value) < 30 else "",
)
def test_content_tells_the_format(
    write: Write, name: str, content: str | bytes, format: str, words: str
) -> None:
    found = recognise([write(name, content)])
    assert (found.format, found.words) == (format, words)


def test_a_packed_file_is_looked_into(write: Write) -> None:
    path = write("x.jsonl.gz", gzip.compress(lines({"id": "1", "prediction": "x"}).encode()))
    assert recognise([path]).words == "JSON lines of summaries"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_an_array_may_have_a_byte_order_mark(write: Write, encoding: str) -> None:
    records = [{"id": "1", "prediction": "Grüße, 雨."}, {"id": "2", "prediction": "Zwei."}]
    text = json.dumps(records, ensure_ascii=False)
    path = write("x.json", text.encode(encoding))
    assert recognise([path]).words == "a JSON array of summaries"
    assert Summary("1", "x", "Grüße, 雨.") in rows(read([path]))


@pytest.mark.shared_data
def test_the_real_summeval_is_recognised(summeval_file: Path) -> None:
    assert recognise([summeval_file]).format == "summeval"


def test_names_of_nist_tell_summaries(write: Write) -> None:
    assert recognise([write("D0601.M.250.A.17", "Rain fell.\n")]).format == "duc"


def test_a_list_of_files_that_are_there_is_rouges(write: Write) -> None:
    write("peer.txt", "Rain.\n")
    write("model.txt", "It rained.\n")
    assert recognise([write("x.lst", "peer.txt model.txt\n")]).format == "rouge155"
    with pytest.raises(Undecided, match="plain text"):
        recognise([write("y.lst", "peer.txt other.txt\n")])


@pytest.mark.parametrize(
    ("content", "ways"),
    [
        ("model_a,model_b,winner\na,b,model_a\n", ["prefer fit x", "prefer import x my-eval"]),
        (lines({"model_a": "a", "model_b": "b", "winner": "tie"}), ["prefer fit x"]),
        ("task,worker,label\nd1/a,w1,3\n", ["judgments import crowd x my-eval"]),
        ("<pyramid>\n</pyramid>\n", ["judgments import ducview x my-eval"]),
        ("Topic\n|  Selector\n|  |  Assessor\n|  |  |\nD1\tA\tB\n", ["judgments import nist x my-eval"]),
        (lines({"kind": "judgments", "format": 1}), ["judgments import records x my-eval"]),
        (parquet({"topic": "d1", "system": "a", "value": 1.0}), ["compare x"]),
        (lines({"topic": "d1", "system": "a", "value": 1.0}), ["compare x"]),
        ("Rain fell on Monday, they said.\nSnow fell.\n", ["import lines x my-eval"]),
    ],
)
def test_what_another_command_reads_is_answered_with_it(
    write: Write, content: str | bytes, ways: list[str]
) -> None:
    with pytest.raises(Undecided) as asked:
        recognise([write("x", content)], evaluation="my-eval")
    assert [" ".join(way.words) for way in asked.value.ways] == ways
    assert "`adjudge " + ways[0] + "`" in asked.value.with_commands(["adjudge", "import", "x", "my-eval"])


def test_aligned_files_of_lines_are_answered_with_the_command(write: Write) -> None:
    paths = [
        write(name, "Rain fell, it said.\nSnow.\n") for name in ("bart.txt", "ref.txt", "t5.txt", "src.txt")
    ]
    with pytest.raises(Undecided) as asked:
        recognise(paths, evaluation="e")
    assert list(asked.value.ways[0].words) == [
        *("import", "lines", "bart.txt", "t5.txt"),
        *("e", "--reference", "ref.txt", "--source", "src.txt"),
    ]


@pytest.mark.parametrize(
    ("content", "expected", "kind"),
    [
        (b"", "x: empty: there is nothing to read", FormatError),
        (b"  \n\n", "x: nothing but spaces", FormatError),
        (b"%PDF-1.4", "x: a PDF; expected CSV, JSON, Parquet, Excel", UsageError),
        (b"SQLite format 3\0", "x: an SQLite database", UsageError),
        (b"\xff\xff\xff\xff\0\0", "x: an Arrow file: datasets.Dataset.from_file\\('x'\\)", UsageError),
        (b"\x80\x04\x95", "x: a Python pickle", UsageError),
        (zipped("samples/1.json"), "x: a zip file: unpack it", UsageError),
        (zipped("word/document.xml"), "x: a Word document", UsageError),
        (b"PK\x03\x04 and no more", "x: not a zip file that can be read", FormatError),
        (b"<html><body>Rain</body></html>", "x: marked up text of an unknown kind", UsageError),
        (b"\1\0\2\0\3", "x: no text file", UsageError),
    ],
)
def test_what_is_no_file_to_import_is_one_line(
    write: Write, content: bytes, expected: str, kind: type[AdjudgeError]
) -> None:
    with pytest.raises(kind, match=expected) as error:
        recognise([write("x", content)])
    assert len(str(error.value).splitlines()) == 1


def test_files_of_several_formats_are_imported_one_by_one(write: Write) -> None:
    paths = [write("a.csv", "id,prediction\n1,x\n"), write("b.csv", "topic,a,b\nd1,1,2\n")]
    with pytest.raises(Undecided) as asked:
        recognise(paths, evaluation="e")
    assert asked.value.with_commands(["adjudge", "import", "a.csv", "b.csv", "e"]) == (
        "the files have several formats, and are imported one by one. Type"
        " `adjudge import a.csv e` (CSV of summaries, commas between columns) and then"
        " `adjudge import b.csv e` (CSV of scores, a column per system, commas between columns)"
    )


# Folders


def folder(write: Write, *names: str, content: str = "Rain fell, it said.\n") -> Path:
    for name in names:
        write(f"texts/{name}", content)
    return Path("texts")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda w: folder(w, "bart/d1.txt", "bart/d2.txt"), "{system}/{topic}.txt"),
        (lambda w: folder(w, "d1.bart.txt", "d2.bart.txt"), "{topic}.{system}.txt"),
        (lambda w: folder(w, "bart/d1.html"), "{system}/{topic}.html"),
    ],
)
def test_a_folder_of_texts_is_answered_with_the_command(
    write: Write, make: Callable[[Write], Path], expected: str
) -> None:
    with pytest.raises(Undecided) as asked:
        recognise([make(write)], evaluation="my-eval")
    assert list(asked.value.ways[0].words) == ["import", "folder", "texts", "my-eval", "--pattern", expected]


def test_a_folder_of_ducs_or_of_one_kind_of_table_is_read(write: Write) -> None:
    assert recognise([folder(write, "d061/AP1", content=DOC)]).format == "duc"
    write("runs/bart.csv", "id,prediction\n1,x\n")
    write("runs/t5.csv", "id,prediction\n1,y\n")
    found = recognise([Path("runs")])
    assert found.words == "a folder of files, each CSV of summaries, commas between columns"
    assert {s.system for s in rows(found.read()) if isinstance(s, Summary)} == {"bart", "t5"}


def test_an_evaluation_is_no_file_to_import(write: Write) -> None:
    write("my-eval/evaluation.toml", "")
    with pytest.raises(UsageError, match="my-eval is an evaluation, no file to import"):
        recognise([Path("my-eval")])


# Options


def test_options_that_a_format_has_not_are_refused(write: Write) -> None:
    found = recognise([write("a.csv", "topic,a,b\nd1,1,2\n")])
    with pytest.raises(UsageError, match=r"a.csv was read as CSV of scores, .* takes no by_line and system"):
        found.read(by_line=True, system="x")


def test_every_format_has_a_reader() -> None:
    for format in READERS:
        assert callable(Recognised(format=format, words="", paths=()).reader)


def test_a_folder_whose_layout_is_clear_is_taken(write: Write) -> None:
    for name in ("bart/1.txt", "bart/2.txt", "gold/1.txt", "gold/2.txt", "articles/1.txt", "articles/2.txt"):
        write(f"texts/{name}", f"Text of {name}.\n")
    found = recognise([Path("texts")])
    assert (found.format, found.words) == ("folder", "a folder of texts, a file each")
    summaries = [row for row in rows(found.read(length=100)) if isinstance(row, Summary)]
    assert {(s.topic, s.system, s.length, s.is_peer) for s in summaries} == {
        (topic, system, 100, system == "bart") for topic in "12" for system in ("bart", "gold")
    }


def test_a_folder_whose_layout_is_not_clear_is_answered_with_commands(write: Write) -> None:
    for name in ("bart/1.txt", "references/other.txt"):
        write(f"texts/{name}", "A text.\n")
    with pytest.raises(Undecided) as asked:
        recognise([Path("texts")], evaluation="E")
    assert [" ".join(way.words) for way in asked.value.ways] == [
        "import folder texts E --pattern {system}/{topic}.txt --reference-pattern references/{topic}.txt"
    ]


def test_commands_for_several_formats_keep_what_was_said(write: Write) -> None:
    paths = [
        write("cnn.parquet", parquet({"id": "1", "article": "Rain.", "highlights": "Wet."})),
        write("xsum.jsonl", lines({"id": "1", "document": "Rain.", "summary": "Wet."})),
    ]
    arguments = [mapped("reference", "highlights"), mapped("kind", ""), Argument("length", 20)]
    with pytest.raises(Undecided) as asked:
        recognise(paths, evaluation="E", arguments=arguments)
    first, second = (list(way.words[3:]) for way in asked.value.ways)
    assert first == ["--map", "reference=highlights", "--map", "kind=", "--length", "20"]
    assert second == ["--map", "kind=", "--length", "20"]
