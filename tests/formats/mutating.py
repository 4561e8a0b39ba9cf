"""Small good files of every format that is read, and what chance makes of them.

A case is one reader: a good file and what reads it. A mutation is drawn from a generator, so that a case and a number
give the same bytes again: `mutated("judge", 17)`.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.formats import samples

from adjudge.analyses.scores import Scores
from adjudge.assessors import cards
from adjudge.assessors.cards import JudgeCard
from adjudge.assessors.learned.features import FEATURES
from adjudge.assessors.learned.judge import FORMAT, VERSION, load_judge
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.completion import read_completion
from adjudge.core.errors import AdjudgeError
from adjudge.data import scorefiles
from adjudge.data.collection import load
from adjudge.data.folder import Folder
from adjudge.data.lines import dump_json
from adjudge.data.scores import MeasureInfo, Score, ScoreTable
from adjudge.formats import crowd, ducview, linefiles, nist, rouge155, see, summeval, tag_table
from adjudge.formats.preferences import read_preferences
from adjudge.formats.recognise import read as read_any
from adjudge.formats.records import read_jsonl, read_parquet, read_table
from adjudge.judgments.protocol import load_protocol

Read = Callable[[Path], object]
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One reader: what a good file is called and holds, how it is read, and which mutations it gets."""

    file: str
    content: Callable[[], bytes]
    read: Read
    kind: str = "bytes"
    """bytes, json (a value, or one a line), parquet or zip: what besides bytes is changed."""
    beside: tuple[str, ...] = ()
    """Files that must lie there too; each holds `One.`, but evaluation.toml."""


def exhausted(read: Callable[..., Iterable[object]], **options: Any) -> Read:
    return lambda path: sum(1 for _ in read([path], **options))


def _compared(path: Path) -> object:
    found = Scores.read(path)
    return [found.matrix(name, length=length, form=form) for name, length, form in found.targets()[:2]]


def _judge(path: Path) -> object:
    judge = load_judge(path)
    return judge.signature(), judge.rules(), judge.classes()


def _card(path: Path) -> object:
    return cards._read(path)


def _folder(path: Path) -> object:
    return load(Folder.open(path.parent))


def _reply(path: Path) -> object:
    """A reply as it is kept, by a file that may come from a stranger."""
    with ReplyStore.at(":memory:") as store:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        try:
            store._run("INSERT INTO replies VALUES (1, 'k', 'm', '', '', '', ?)", [text])
        except (AdjudgeError, UnicodeEncodeError):
            return None
        return store.get("k")


def _rouge_settings(path: Path) -> object:
    return [rouge155.read_settings(path), *rouge155.read_summaries([path])]


def _text(text: str) -> Callable[[], bytes]:
    return lambda: text.encode()


def _lines(rows: Iterable[object]) -> Callable[[], bytes]:
    return lambda: "".join(dump_json(row) + "\n" for row in rows).encode()


def _table() -> pa.Table:
    rows = [(f"t{n}", system, n + at / 2) for n in range(1, 4) for at, system in enumerate("abc")]
    topic, system, value = zip(*rows, strict=True)
    return pa.table({"topic": list(topic), "system": list(system), "value": list(value)})


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def _score_file() -> bytes:
    rows = [Score("m", f"t{n}", system, n / 3) for n in range(3) for system in "ab"]
    info = MeasureInfo("m")
    stored = scorefiles.ScoreFile(info, ScoreTable.from_rows(rows, [info]), "computed", {"t0": "x"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.parquet"
        scorefiles.write(path, stored)
        return path.read_bytes()


def _workbook() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (("topic", "a", "b"), ("t1", 0.5, 1), ("t2", 0.25, 2), ("t3", 0.75, 3)):
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def _learned() -> bytes:
    tree = {
        "kind": "tree",
        "classes": [0.0, 1.0],
        "feature": [0, -1, -1],
        "threshold": [0.5, 0.0, 0.0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "counts": [[2, 2], [2, 0], [0, 2]],
    }
    linear = {
        "kind": "linear",
        "classes": [0.0, 1.0],
        "mean": [0.0] * len(FEATURES),
        "scale": [1.0] * len(FEATURES),
        "weights": [[0.5] * len(FEATURES)] * 2,
        "constant": [0.0, 0.1],
    }
    seen = {
        "evaluation": "e",
        "answers": 4,
        "decisions": 4,
        "topics": 2,
        "assessors": ["ann"],
        "simulated": False,
    }
    models = {"original": {"model": tree, "without": {"lead": linear}}}
    forest = {"kind": "forest", "trees": [tree]}
    models |= {"expanded": {"model": forest, "without": {}}}
    judge = {
        "format": FORMAT,
        "version": VERSION,
        "learner": "tree",
        "options": {"expand": "others", "stem": "porter", "stop": "function", "words": "unicode"},
        "seed": 0,
        "protocol": "duc-2002",
        "protocol_version": "1",
        "labels": [[0.0, "none"], [1.0, "all"]],
        "trained_on": seen | {"peers": {"lead": ["abc"]}},
        "models": {"": models},
    }
    return json.dumps(judge).encode()


def _judge_card() -> bytes:
    card = JudgeCard(
        "judge", "language-model", "rating", "m", settings={"a": [1]}, asked=3, invalid={"refused": 1}
    )
    return json.dumps(card.__dict__).encode()


KEPT: dict[str, object] = {
    "text": "4",
    "why": None,
    "finish": "stop",
    "tokens": [[["4", -0.1]]],
    "prompt_tokens": 3,
    "answer_tokens": 1,
}
KEPT |= {"cost": 0.1, "seconds": 0.2, "attempts": 1}
COMPLETION = {
    "choices": [{"message": {"content": "4"}, "finish_reason": "stop", "logprobs": {"content": []}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
}
PREFERENCES = "topic,left,right,winner,assessor\nt1,a,b,left,ann\nt1,b,c,right,bob\nt2,a,c,tie,ann\n"
RATED = {"topic": "t1", "system": "a", "value": 0.5}
RATINGS = [
    RATED,
    RATED | {"system": "b", "value": 1},
    RATED | {"topic": "t2"},
    RATED | {"topic": "t2", "system": "b"},
]

CASES: dict[str, Case] = {
    **{
        name: Case(file, _text(text), exhausted(read), "json" if file.endswith(".jsonl") else "bytes")
        for name, (file, text, read) in samples.FILES.items()
    },
    "found out": Case("a.csv", _text(samples.CSV), exhausted(read_any)),
    "found out, JSON": Case("a.jsonl", _lines(samples.LONG), exhausted(read_any), "json"),
    "found out, Excel": Case("a.xlsx", _workbook, exhausted(read_any), "zip"),
    "array": Case("a.json", lambda: json.dumps(samples.LONG).encode(), exhausted(read_jsonl), "json"),
    "Parquet of texts": Case(
        "a.parquet",
        lambda: _parquet(pa.Table.from_pylist([row | {"documents": ["S"]} for row in samples.LONG])),
        exhausted(read_parquet),
        "parquet",
    ),
    "Excel of texts": Case(
        "a.xlsx", _workbook, exhausted(read_table, columns={"text": "a"}, system="s"), "zip"
    ),
    "compare CSV": Case("a.csv", _text(samples.MATRIX), _compared),
    "compare JSON": Case("a.jsonl", _lines(RATINGS), _compared, "json"),
    "compare Parquet": Case("a.parquet", lambda: _parquet(_table()), _compared, "parquet"),
    "compare Excel": Case("a.xlsx", _workbook, _compared, "zip"),
    "compare a score file": Case("a.parquet", _score_file, _compared, "parquet"),
    "score file": Case("a.parquet", _score_file, scorefiles.read, "parquet"),
    "preferences": Case("a.csv", _text(PREFERENCES), read_preferences),
    "preferences in Parquet": Case(
        "a.parquet",
        lambda: _parquet(pa.table({"winner": ["a", "b"], "loser": ["b", "c"], "topic": ["1", "2"]})),
        read_preferences,
        "parquet",
    ),
    "crowd": Case(
        "a.csv",
        _text("task,worker,label\nd1/lead,w1,4\nd1/lead,w2,5.0\na/b/ours,w1,1\n"),
        exhausted(crowd.read, evaluation="e", aspect="fluency"),
    ),
    "NIST": Case("content.table", _text(samples.NIST), exhausted(nist.read, evaluation="e")),
    "SEE": Case("a.table", _text(samples.SEE_TABLE), exhausted(see.read, evaluation="e")),
    "DUCView": Case(
        "D0901.pyr",
        (HERE / "data" / "ducview" / "good" / "D0901.pyr").read_bytes,
        exhausted(ducview.read, evaluation="e"),
    ),
    "SummEval's ratings": Case(
        "a.jsonl", _lines(samples.SUMMEVAL), exhausted(summeval.read_judgments, evaluation="e"), "json"
    ),
    "ROUGE's settings": Case(
        "s.xml", _text(samples.SETTINGS), _rouge_settings, beside=("a.txt", "c.txt", "m.txt")
    ),
    "ROUGE's output": Case("out.txt", _text(samples.ROUGE_OUTPUT), exhausted(rouge155.read_output)),
    "tags": Case(
        "a.csv",
        _text(
            "topic,system,reference,unit,kind,tags,tagged_by\nt1,a,b,1,missed,name;date,ann\nt2,b,a,2,missed,,\n"
        ),
        lambda path: list(tag_table.read_tags(path)),
    ),
    "a text a line": Case(
        "lead.txt",
        _text("One.\n"),
        lambda path: list(linefiles.read([path], references=[path.with_name("ref.txt")])),
        beside=("ref.txt",),
    ),
    "learned judge": Case("judge.json", _learned, _judge, "json"),
    "judge's card": Case("judge--0123456789ab.json", _judge_card, _card, "json"),
    "kept reply": Case("reply.json", lambda: json.dumps(KEPT).encode(), _reply, "json"),
    "completion": Case(
        "body.json",
        lambda: json.dumps(COMPLETION).encode(),
        lambda path: read_completion(path.read_bytes(), "application/json"),
        "json",
    ),
    "protocol": Case("mine.toml", _text(samples.PROTOCOL), load_protocol),
    "evaluation.toml": Case("evaluation.toml", _text(samples.SETTINGS_TOML), _folder),
    **{
        f"{name}.jsonl": Case(f"{name}.jsonl", _lines(rows), _folder, "json", beside=("evaluation.toml",))
        for name, rows in samples.ROWS.items()
    },
}


# Mutations


JUNK = [
    *(
        b'"',
        b"\n",
        b"\r",
        b"\0",
        b"{",
        b"]",
        b",",
        b";",
        b"\t",
        b"<",
        b">",
        b"&",
        b"<DOC>",
        b"</DOC>",
        b"<!--",
    ),
    *(
        b"\xed\xa0\x80",
        b"\\ud83d",
        b"\xe2\x80\xa8",
        b"<TEXT>",
        b"<a id=1>",
        b"\x1b",
        b"\xc2\x85",
        b"NaN",
        b"1e999",
    ),
    *(
        b"&#0;",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"'''",
        b'"""',
        b"[[",
        b"[" * 1200,
        b"9" * 5000,
        b"\xf0\x9f",
        b"=1+1",
    ),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        1.5,
        -0.0,
        10**400,
        2**63,
        1e308,
        float("nan"),
        float("inf"),
        -float("inf"),
    ),
    *(
        "",
        " ",
        "x",
        "x" * 300,
        "\ud83d",
        "\x1b[2J",
        "\u202e",
        "nan",
        "1e999",
        "peer",
        "both",
        "human",
        "rating",
    ),
    *([], {}, [None], [[]], {"": None}, {"a": {"a": {}}}, [1, "a", None], "\0", ["x"] * 50),
]


@cache
def good(case: str) -> bytes:
    return CASES[case].content()


def mutated(case: str, number: int) -> bytes:
    """What chance makes of the good file of a case: always the same of a number."""
    rng = random.Random(f"{case} {number}")
    content, kind = good(case), CASES[case].kind
    if kind == "json" and rng.random() < 0.7:
        content = _other_json(content, rng)
    elif kind == "parquet" and rng.random() < 0.7:
        content = _other_parquet(content, rng)
    elif kind == "zip" and rng.random() < 0.7:
        content = _other_zip(content, rng)
    if kind not in ("json", "parquet", "zip") or content is good(case) or rng.random() < 0.1:
        content = other_bytes(content, rng)
    return content


def other_bytes(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(content) + 1)
        match rng.choice(("bit", "byte", "insert", "cut", "drop", "swap", "repeat", "digits")):
            case "bit" if at < len(content):
                content = content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
            case "byte":
                content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
            case "insert":
                content = content[:at] + rng.choice(JUNK) + content[at:]
            case "cut":
                content = content[:at]
            case "drop":
                content = content[:at] + content[at + rng.randrange(1, 20) :]
            case "swap":
                other = rng.randrange(len(content) + 1)
                low, high = sorted((at, other))
                content = content[:low] + content[high:] + content[low:high]
            case "repeat":
                content = content[:at] + content[at : at + 40] * rng.choice((2, 3)) + content[at:]
            case "digits":
                digits = [k for k, byte in enumerate(content) if 48 <= byte < 58]
                if digits:
                    at = rng.choice(digits)
                    content = (
                        content[:at] + rng.choice((b"-", b"9" * 400, b"1e5", b"0x1")) + content[at + 1 :]
                    )
    return content


def _places(value: Any) -> list[tuple[Any, ...]]:
    """The way to every value inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *rest) for key, each in inside for rest in _places(each))]


def _replaced(value: Any, place: tuple[Any, ...], rng: random.Random) -> Any:
    if not place:
        return rng.choice(VALUES)
    copy = dict(value) if isinstance(value, dict) else list(value)
    key, *rest = place
    how = rng.random()
    if rest or how < 0.7:
        copy[key] = _replaced(value[key], tuple(rest), rng)
    elif how < 0.85:
        del copy[key]
    elif isinstance(copy, dict):
        copy[str(rng.choice(("", "x", "topic", "\ud83d", "kind")))] = copy.pop(key)
    else:
        copy.append(rng.choice(VALUES))
    return copy


def _other_json(content: bytes, rng: random.Random) -> bytes:
    lines = content.decode().splitlines()
    values = [json.loads(line) for line in lines]
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(values))
        values[at] = _replaced(values[at], rng.choice(_places(values[at])), rng)
    text = "\n".join(json.dumps(value) for value in values)
    if rng.random() < 0.05:
        deep = rng.choice((100, 900, 990, 1100, 50_000))
        text = text.replace(rng.choice(('""', "null", "1", "true")), "[" * deep + "]" * deep, 1)
    return text.encode()


STRANGE: list[Callable[[int], pa.Array]] = [
    lambda n: pa.nulls(n),
    lambda n: pa.nulls(n, pa.string()),
    lambda n: pa.array([b"\xff\xfe"] * n, pa.binary()),
    lambda n: pa.array([b"\xff\xfe"] * n, pa.binary()).view(pa.string()),  # text that is not UTF-8
    lambda n: pa.DictionaryArray.from_arrays(
        pa.array([0] * n, pa.int32()), pa.array([b"\xc3\x28"], pa.binary()).view(pa.string())
    ),
    lambda n: pa.array([["a", None]] * n),
    lambda n: pa.ListArray.from_arrays(
        pa.array(range(n + 1), pa.int32()), pa.array([b"\x80"] * n, pa.binary()).view(pa.string())
    ),
    lambda n: pa.array([{"a": 1, "b": [None]}] * n),
    lambda n: pa.array([[("k", 1), ("k", 2)]] * n, pa.map_(pa.string(), pa.int64())),
    lambda n: pa.array(["a"] * n).dictionary_encode(),
    lambda n: pa.array([10**15] * n, pa.int64()).cast(pa.timestamp("s")),
    lambda n: pa.array([2**62] * n, pa.int64()).view(pa.timestamp("us", tz="Nowhere/Land")),
    lambda n: pa.array([2**62] * n, pa.int64()).view(pa.timestamp("ns")),
    lambda n: pa.array([-(2**31)] * n, pa.int32()).view(pa.date32()),
    lambda n: pa.array([2**62] * n, pa.int64()).view(pa.duration("s")),
    lambda n: pa.array([1] * n, pa.int32()).view(pa.time32("ms")),
    lambda n: pa.array([None, *["1.5"] * (n - 1)]).cast(pa.decimal128(38, 3)),
    lambda n: pa.array([float("nan"), float("inf")] * n, pa.float64())[:n],
    lambda n: pa.array([1.5] * n, pa.float16()),
    lambda n: pa.array([2**64 - 1] * n, pa.uint64()),
    lambda n: pa.array([True, None] * n)[:n],
    lambda n: pa.array([b"1234"] * n, pa.binary(4)),
    lambda n: pa.array([[[[[1]]]]] * n),
    lambda n: pa.array(["\x1b[2J", "=1+1"] * n)[:n],
    lambda n: pa.array(["1,5", "1.500"] * n)[:n],
]
NAMES = [
    "",
    " ",
    "topic",
    "TOPIC",
    "a.b",
    "\x1b",
    "\ufffd",
    "index",
    "__index_level_0__",
    "value",
    "0",
    "x" * 300,
]
PANDAS: list[Any] = [
    {"index_columns": ["topic"], "columns": [], "column_indexes": []},
    {
        "index_columns": [{"kind": "range", "name": None, "start": 0, "stop": 10**12, "step": 1}],
        "columns": [],
    },
    {
        "index_columns": ["nowhere"],
        "columns": [{"name": "a", "field_name": "x", "numpy_type": "datetime64[ns]"}],
    },
    {
        "index_columns": [],
        "columns": [{"name": "value", "pandas_type": "categorical", "numpy_type": "object"}],
    },
    {"index_columns": None, "columns": 3},
    {"column_indexes": [{"pandas_type": "datetime", "numpy_type": "datetime64[ns]"}], "index_columns": []},
    [],
    "x",
]


def _other_parquet(content: bytes, rng: random.Random) -> bytes:
    """Other columns, names and notes; each is a file as other programs could have written it."""
    table = pq.read_table(io.BytesIO(content))
    said = dict(table.schema.metadata or {})
    kept = dict(said)
    for _ in range(rng.choice((1, 1, 2))):
        match rng.choice(("column", "column", "column", "name", "twice", "pandas", "about", "rows", "drop")):
            case "column":
                at = rng.randrange(table.num_columns)
                column = rng.choice(STRANGE)(table.num_rows) if table.num_rows else pa.nulls(0)
                table = table.set_column(at, table.schema.names[at], column)
            case "name":
                names = list(table.schema.names)
                names[rng.randrange(len(names))] = rng.choice(NAMES)
                table = table.rename_columns(names)
            case "twice":
                at = rng.randrange(table.num_columns)
                table = table.append_column(table.schema.names[at], table.column(at))
            case "pandas":
                kept[b"pandas"] = rng.choice((json.dumps(rng.choice(PANDAS)).encode(), b"\xff{", b"[" * 2000))
            case "about" if b"adjudge" in said and kept[b"adjudge"] == said[b"adjudge"]:
                kept[b"adjudge"] = _other_json(kept[b"adjudge"], rng)
                kept.pop(b"adjudge-digest", None)
            case "about":
                kept[rng.choice((b"adjudge", b"\xff", b"ARROW:schema"))] = rng.choice(
                    (b"{}", b"\xff", b"[1]")
                )
            case "rows":
                table = rng.choice((table.slice(0, 0), table.slice(0, 1), pa.concat_tables([table] * 3)))
            case "drop" if table.num_columns > 1:
                table = table.remove_column(rng.randrange(table.num_columns))
    if b"adjudge" in kept and rng.random() < 0.7:
        kept.pop(b"adjudge-digest", None)
    try:
        written = _parquet(table.replace_schema_metadata(kept))
    except (pa.ArrowException, ValueError):  # not a file that can be written
        return content
    if rng.random() < 0.1:  # a name that is not UTF-8, which no program writes
        name = rng.choice(table.schema.names).encode()
        if name:
            written = written.replace(name, b"\xff" * len(name))
    return written


XML_JUNK = [
    "",
    "NaN",
    "#REF!",
    "1e999",
    "99999999999999999999",
    "-1",
    "A",
    "ZZZZ9999999",
    "&#0;",
    "&lol;",
    "\x01",
]


def _other_zip(content: bytes, rng: random.Random) -> bytes:
    """Other parts of a workbook: cut, gone, twice, or with other values in their XML."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice([*parts, *["xl/worksheets/sheet1.xml"] * 4])
        if name not in parts:
            continue
        text = parts[name].decode("utf-8", "replace")
        match rng.choice(("value", "value", "value", "gone", "bytes", "kind", "cells")):
            case "value":
                at = [k for k, sign in enumerate(text) if sign in '">']
                if at:
                    start = rng.choice(at) + 1
                    end = min((k for sign in '"<' if (k := text.find(sign, start)) >= 0), default=start)
                    text = text[:start] + rng.choice(XML_JUNK) + text[end:]
            case "gone":
                parts.pop(name)
                continue
            case "bytes":
                parts[name] = other_bytes(parts[name], rng)
                continue
            case "kind":
                kinds = ("s", "str", "b", "e", "d", "inlineStr", "n", "zz")
                text = text.replace('t="n"', f't="{rng.choice(kinds)}"', rng.choice((1, -1)))
            case "cells":
                far = rng.choice(("XFD1048576", "A0", "1A", "AAAA1", "B999999", "", "C1:D4"))
                text = text.replace('r="B2"', f'r="{far}"').replace('ref="A1:C4"', f'ref="A1:{far}"')
        parts[name] = text.encode("utf-8", "replace")
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return sink.getvalue()


def laid_out(case: str, folder: Path) -> Path:
    """Where a case's file goes, with what must lie beside it."""
    made = CASES[case]
    (folder / "topic").mkdir(exist_ok=True)
    for name in made.beside:
        text = samples.SETTINGS_TOML if name == "evaluation.toml" else "One.\n"
        (folder / "topic" / name).write_text(text)
    return folder / "topic" / made.file


def fault(case: str, number: int, path: Path) -> str | None:
    """What is wrong with how a reader takes a mutated file; None where it reads it, or says in a line why not."""
    path.write_bytes(mutated(case, number))
    try:
        CASES[case].read(path)
    except AdjudgeError as error:
        text = str(error)
        if len(text.splitlines()) != 1 or len(text) > 20_000:
            return f"{case} {number}: not one line: {text[:300]!r}"
    except Exception as error:
        return f"{case} {number}: {type(error).__name__}: {str(error)[:300]}"
    return None
