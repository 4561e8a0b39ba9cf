"""Small good files of the formats that are read, a few rows each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from adjudge.data.incoming import Item
from adjudge.formats import duc, sacrerouge, scoretable, summeval
from adjudge.formats.records import read_jsonl, read_table

from .shapes import lines

Read = Callable[[list[Path]], Iterator[Item]]

LONG = [
    {
        "topic": f"d{n}",
        "system": "lead",
        "text": f"Text {n}.",
        "length": 100,
        "role": "peer",
        "kind": "machine",
        "title": "T",
        "task": "single",
        "date": "1990-01-01",
        "author": "x",
        "references": ["R1", "R2"],
        "documents": [{"id": "1", "date": "1990-01-01", "text": "S"}, "S2"],
    }
    for n in range(3)
]
WIDE = [{"id": n, "summary:a": "A", "summary:b": "B", "reference:C": "C", "article": "S"} for n in range(3)]
SUMMEVAL = [
    {
        "id": f"cnn-{n}",
        "model_id": "M8",
        "decoded": "D.",
        "text": "S.",
        "references": ["R1", "R2"],
        "expert_annotations": [{"coherence": 1}],
        "turker_annotations": [{"coherence": 5}],
    }
    for n in range(3)
]
SACREROUGE: list[Any] = [
    {
        "instance_id": f"d{n}",
        "summarizer_id": "17",
        "summarizer_type": "peer",
        "summary": {"text": ["One.", "Two."]},
        "references": [{"summarizer_id": "A", "text": "R"}],
        "documents": [{"filename": "f", "text": "S"}],
        "metrics": {"rouge-1": {"recall": 0.5}},
    }
    for n in range(3)
]
CSV = (
    "topic,system,summary,length,role,reference\r\n"
    'd1,lead,"One, two.",100,peer,R\r\n'
    "d2,lead,Three.,,both,\r\n"
)
SCORES = "system,topic,measure,value,length,assessor,kind\nlead,d1,m,0.5,100,ann,machine\nlead,d2,m,,100,,\n"
MATRIX = "topic,lead,lsa\nd1,0.5,1\nd2,nan,-1e-3\n"
SGML = "".join(
    f"<DOC>\n<DOCNO> AP88091{n}-0016 </DOCNO>\n<DATE>June {n}, 1990</DATE><HEAD>H &AMP; x</HEAD>\n"
    f"<TEXT>\n<P>\nText &LR; {n}.\n</P>\n</TEXT>\n</DOC>\n"
    for n in range(1, 4)
)
SEE = '<html><body>\n<a name="1">[1]</a> <a href="#1" id=1>One &amp; two.</a>\n</body></html>\n'

FILES: dict[str, tuple[str, str, Read]] = {
    "long": ("a.jsonl", lines(*LONG), read_jsonl),
    "wide": ("a.jsonl", lines(*WIDE), read_jsonl),
    "summeval": ("a.jsonl", lines(*SUMMEVAL), summeval.read),
    "sacrerouge": ("a.jsonl", lines(*SACREROUGE), sacrerouge.read),
    "csv": ("a.csv", CSV, read_table),
    "scores": ("a.csv", SCORES, scoretable.read),
    "matrix": ("a.csv", MATRIX, scoretable.read),
    "documents": ("AP88", SGML, duc.read),
    "summary": ("D0601.M.250.A.17", SEE, duc.read),
}

NIST = (
    "Topic\n|  Selector\n|  |  Assessor\n|  |  |  Summarizer\n|  |  |  |  Score\n|  |  |  |  |\n"
    "D0601\tA\tB\t1\t2\nD0601\tA\tB\t17\t4\nD0602\tD\tD\tE\t5\n"
)
_SEE_ROW = (
    "D061 M - 100 J B K x 19 y 0 1 0 0 2 0 0 3 0 0 0 0 0.60 8 5 3 11 0.309 0.200 0.354 0.215 0.140 0.236"
)
SEE_TABLE = "\n".join([*(f"c{n}" for n in range(36)), "|  |", "\t".join(_SEE_ROW.split()), ""])
SETTINGS = """<?xml version="1.0"?>
<ROUGE-EVAL version="1.5.5">
<EVAL ID="D1">
<PEER-ROOT>.</PEER-ROOT>
<MODEL-ROOT>.</MODEL-ROOT>
<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>
<PEERS><P ID="1">a.txt</P><P ID='2'>c.txt</P></PEERS>
<MODELS><M ID="A">m.txt</M></MODELS>
</EVAL>
</ROUGE-EVAL>
"""
ROUGE_OUTPUT = """---------------------------------------------
fluent ROUGE-1 Average_R: 0.38076 (95%-conf.int. 0.36170 - 0.39893)
.............................................
fluent ROUGE-1 Eval 1.fluent R:0.36534 P:0.39796 F:0.38095
fluent ROUGE-1 Eval 2.fluent R:0.39161 P:0.44681 F:0.41739
"""
PROTOCOL = """\
name = "mine"
version = "1"
kind = "rating"
title = "My own"

[[aspects]]
key = "wit"
ask = "How witty is it?"
choices = [{ value = 1, label = "dull" }, { value = 2, label = "witty" }]
"""
SETTINGS_TOML = """\
name = "small"
language = "en"
lengths = [100, 200]
protocol = "rating"
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "topics": [{"topic": "t1", "set": "s", "type": "x", "task": "single", "title": "T"}, {"topic": "t2"}],
    "systems": [
        {"system": "a", "kind": "machine", "label": "A", "cost": 1.5},
        {"system": "b", "kind": "human"},
    ],
    "documents": [{"topic": "t1", "id": "d1", "date": "1990-01-01", "text": "A storm. It rained."}],
    "summaries": [
        {"topic": "t1", "system": "a", "length": 100, "form": "abstract", "roles": ["peer"], "text": "A."}
    ],
    "units": [
        {"topic": "t1", "system": "a", "length": 100, "form": "abstract", "kind": "sentence", "id": "1"}
        | {"start": 0, "end": 2, "text": "A."}
    ],
}
