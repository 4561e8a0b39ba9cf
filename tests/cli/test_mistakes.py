"""What newcomers do wrong at the front door: one line each, which says what to type next or what to mend.

Every row starts from the same small files and its own, and tells the exit code and the end that helps. A command that
a message gives whole is run as it stands there.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.cli.running import call, called

from adjudge.cli.app import COMMANDS

Content = str | bytes


def six(line: Callable[[int], str]) -> str:
    return "".join(line(k) for k in range(1, 7))


def matrix(header: str, row: Callable[[int], str]) -> str:
    return f"{header}\n{six(lambda k: row(k) + chr(10))}"


def records(*rows: Mapping[str, Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return packed.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (("topic", "bart", "t5"), *((f"t{k}", k / 10, k / 9) for k in range(1, 7))):
        book.active.append(row)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


FILES: Mapping[str, Content] = {
    "scores.csv": matrix("topic,bart,t5", lambda k: f"t{k},0.{k}1,0.{k + 1}{k}"),
    "long.csv": "topic,system,measure,value\n"
    + six(lambda k: f"t{k},bart,rouge-1,0.{k}1\nt{k},t5,rouge-1,0.{k}{k}\n"),
    "duels.csv": "winner,loser\nbart,t5\nt5,lead\nbart,lead\nlead,t5\nt5,bart\n",
    "bart.txt": six(lambda k: f"Rain fell in place {k}{' again' * k}.\n"),
    "t5.txt": six(lambda k: f"It rained {k} times{' there' * (k % 4)}.\n"),
    "ref.txt": six(lambda k: f"Rain fell {k} times in place {k}.\n"),
    "src.txt": six(lambda k: f"On day {k} rain fell {k} times in place {k}. Nobody minded.\n"),
    "outputs.jsonl": six(lambda k: records({"id": str(k), "system": "pegasus", "summary": f"Rain {k}."})),
    "outputs.csv": "id,prediction\n1,It rained.\n2,It snowed.\n",
}
"""What people have: a matrix and a long table of scores, duels, line files, summaries in tables."""

NO_REFERENCE = records({"topic": "1", "system": "a", "text": "A."})
A_SUMMARY = {"topic": "1", "system": "a", "text": "Rain fell."}
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)
WORD = zipped("[Content_Types].xml", "word/document.xml")
ARCHIVE = zipped("bart.txt", "t5.txt")
ROUGE = "rouge bart.txt --reference ref.txt"


@dataclass(frozen=True)
class Mistake:
    """`then` is a command that the message gives whole, and that runs."""

    name: str
    line: str
    code: int
    said: str
    files: Mapping[str, Content] = field(default_factory=dict)
    then: str | None = None


M = Mistake

WRONG_FILE = [
    M("scores to import lines", "import lines scores.csv new", 2, "adjudge import scores.csv EVALUATION"),
    M("duels to compare", "compare duels.csv", 1, "say: ", then="adjudge prefer fit duels.csv"),
    M("a line file to compare", "compare bart.txt", 1, "say: adjudge rouge FILE --reference FILE"),
    M("line files to compare", "compare bart.txt t5.txt", 2, "adjudge rouge a.txt b.txt --reference ref.txt"),
    M(
        "summaries to compare",
        "compare outputs.jsonl",
        1,
        "holds texts, expected scores",
        then="adjudge import outputs.jsonl my-eval",
    ),
    M(
        "a folder of texts to compare",
        "compare texts",
        1,
        "to import what is in it: adjudge import texts my-eval",
        {"texts/a/1.txt": "Rain."},
    ),
    M(
        "a folder of texts to score",
        "score texts",
        1,
        "to import what is in it: adjudge import texts my-eval",
        {"texts/a/1.txt": "Rain."},
    ),
    M(
        "a folder of texts to prefer fit",
        "prefer fit texts",
        1,
        "adjudge import texts my-eval",
        {"texts/a/1.txt": "Rain."},
    ),
    M(
        "an evaluation without answers to prefer fit",
        "prefer fit my-eval",
        1,
        "adjudge prefer sample my-eval",
    ),
    M(
        "scores to prefer fit",
        "prefer fit scores.csv",
        1,
        "--map winner=COLUMN",
        then="adjudge compare scores.csv",
    ),
    M(
        "an evaluation to rouge",
        "rouge my-eval --reference ref.txt",
        2,
        "is an evaluation",
        then="adjudge score my-eval",
    ),
    M("scores to rouge", "rouge scores.csv --reference ref.txt", 2, "adjudge import scores.csv EVALUATION"),
    M(
        "JSON lines to rouge",
        "rouge outputs.jsonl --reference ref.txt",
        2,
        "adjudge import outputs.jsonl EVALUATION",
    ),
    M(
        "JSON named .txt to rouge",
        "rouge x.txt --reference ref.txt",
        2,
        "adjudge import x.txt EVALUATION",
        {"x.txt": FILES["outputs.jsonl"]},
    ),
    M(
        "scores as JSON without topics",
        "compare s.json",
        1,
        "say --map topic=COLUMN",
        {"s.json": '[{"system": "bart", "value": 0.1}]'},
    ),
    M("a PDF to import", "import p.pdf new", 2, "a PDF; expected CSV, JSON", {"p.pdf": PDF}),
    M(
        "a PDF to import lines",
        "import lines p.pdf new",
        2,
        "is a PDF, expected a text a line: save its text as .txt",
        {"p.pdf": PDF},
    ),
    M(
        "a PDF to rouge",
        "rouge p.pdf --reference ref.txt",
        2,
        "is a PDF, expected a text a line: save its text as .txt",
        {"p.pdf": PDF},
    ),
    M(
        "a PDF to compare",
        "compare p.pdf",
        1,
        "is a PDF file, expected a table (CSV, TSV or .xlsx)",
        {"p.pdf": PDF},
    ),
    M("a Word document to import", "import d.docx new", 2, "a Word document; expected CSV", {"d.docx": WORD}),
    M(
        "a Word document to rouge",
        "rouge d.docx --reference ref.txt",
        2,
        "save its text as .txt",
        {"d.docx": WORD},
    ),
    M(
        "an archive to import",
        "import z.zip new",
        2,
        "unpack it, and import what is inside",
        {"z.zip": ARCHIVE},
    ),
    M(
        "an archive to import folder",
        "import folder z.zip new",
        1,
        "unpack an archive first",
        {"z.zip": ARCHIVE},
    ),
    M("an archive to compare", "compare z.zip", 1, "unpack it, or save it as CSV", {"z.zip": ARCHIVE}),
    M("an old Excel file to compare", "compare x.xls", 1, "save it as .xlsx or CSV", {"x.xls": OLD_EXCEL}),
    M("an old Excel file named .csv", "compare x.csv", 1, "save it as .xlsx or CSV", {"x.csv": OLD_EXCEL}),
    M("an empty table", "compare e.csv", 1, "e.csv: empty, expected a header line", {"e.csv": ""}),
    M("an empty system", "import lines e.txt new", 1, "e.txt", {"e.txt": ""}),
    M("an empty reference", "rouge bart.txt --reference e.txt", 1, "e.txt 0 lines", {"e.txt": ""}),
    M("an empty JSON file", "import e.jsonl new", 1, "e.jsonl: empty", {"e.jsonl": ""}),
    M(
        "a file where the evaluation stands",
        "score scores.csv",
        1,
        "is a file",
        then="adjudge import scores.csv my-eval",
    ),
    M(
        "a file of texts to check",
        "check outputs.jsonl",
        1,
        "is a file",
        then="adjudge import outputs.jsonl my-eval",
    ),
]

NOT_THERE = [
    M("a file that is not there", "compare absent.csv", 1, "absent.csv: no such file or folder in /"),
    M("a name with a typo", "compare score.csv", 1, '(nearest: "scores.csv")'),
    M("another ending", "compare scores.tsv", 1, '(nearest: "scores.csv")'),
    M("no ending", "rouge bart --reference ref.txt", 1, '(nearest: "bart.txt")'),
    M(
        "an evaluation with a typo",
        "score my-evl",
        1,
        '(nearest: "my-eval"); make an evaluation with: adjudge init my-evl',
    ),
    M("a folder that is not there", "compare data/scores.csv", 1, "(there is no folder data)"),
    M("an address of scores", "compare https://example.org/s.csv", 1, "curl -LO https://example.org/s.csv"),
    M(
        "an address to import",
        "import https://example.org/x.jsonl new",
        1,
        "curl -LO https://example.org/x.jsonl",
    ),
    M(
        "a data set of the Hub",
        "import EdinburghNLP/xsum new",
        1,
        'load_dataset("EdinburghNLP/xsum", split="test")',
    ),
    M("~ in quotes", "compare '~/absent.csv'", 1, f"say {Path.home() / 'absent.csv'}"),
    M(
        "a name with a space",
        "import lines my sys.txt new",
        2,
        "quotes: 'my sys.txt'",
        {"my sys.txt": "Rain.\n"},
    ),
    M(
        "a name with a space to import",
        "import my data.csv new",
        2,
        "quotes: 'my data.csv'",
        {"my data.csv": "id,text\n1,A\n"},
    ),
    M(
        "a pattern that matches nothing",
        "rouge 'sys*.txt' --reference ref.txt",
        2,
        "; there are: bart.txt, ref.txt, src.txt, t5.txt",
    ),
    M(
        "references that match nothing",
        "rouge bart.txt --reference 'model*.txt'",
        2,
        '--reference "model*.txt" matches no file',
    ),
    M(
        "a pattern that takes the reference too",
        "rouge '*.txt' --reference ref.txt",
        2,
        "as systems say bart.txt src.txt t5.txt",
    ),
    M(
        "an unquoted pattern of references",
        "rouge bart.txt t5.txt --reference ref.txt src.txt",
        2,
        "--reference 'ref*.txt'",
    ),
]
if Path("a\\b") == Path("a/b"):  # pragma: no cover: Windows
    BACKSLASHES: list[Mistake] = []
else:
    BACKSLASHES = [
        M(
            "a path of Windows",
            r"rouge 'd\bart.txt' --reference ref.txt",
            1,
            "say d/bart.txt",
            {"d/bart.txt": "x\n"},
        )
    ]

WORDS = [
    M("the folder first", "import new bart.txt", 2, "the evaluation last: adjudge import bart.txt new"),
    M(
        "the evaluation first",
        "import my-eval lines t5.txt",
        2,
        "last: ",
        then="adjudge import lines t5.txt my-eval",
    ),
    M(
        "the format last",
        "import bart.txt t5.txt lines new",
        2,
        "first",
        then="adjudge import lines bart.txt t5.txt new",
    ),
    M(
        "plain text without its format",
        "import bart.txt new",
        2,
        "plain text",
        then="adjudge import lines bart.txt new",
    ),
    M("no evaluation", "score -m rouge-1", 2, "EVALUATION is missing; for example: adjudge score my-eval"),
    M("no scores", "compare", 2, "SCORES is missing; for example: adjudge compare my-eval"),
    M(
        "no folder to import into",
        "import lines bart.txt t5.txt",
        1,
        "folder, which comes last, such as my-eval",
    ),
    M(
        "nothing after import folder",
        "import folder",
        2,
        "DIR is missing; for example: adjudge import folder",
    ),
    M("an option without its value", "compare scores.csv -m", 2, "-m needs a value: -m SPEC"),
    M(
        "references as another system",
        "rouge bart.txt t5.txt ref.txt",
        2,
        "no --reference",
        then="adjudge rouge bart.txt t5.txt --reference ref.txt",
    ),
    M("no system", "rouge --reference ref.txt", 2, "say adjudge rouge system.txt --reference references.txt"),
    M(
        "a measure without -m",
        "score my-eval rouge-1 rouge-2",
        2,
        "a measure stands after -m, as -m rouge-1; for example: adjudge score my-eval",
    ),
    M("two tables", "compare scores.csv long.csv", 2, "long.csv is too much: put all systems into one table"),
    M("a value after a flag", "undo my-eval --dry-run yes", 2, "undo takes EVALUATION, and yes is too much"),
    M("no reason", "remove my-eval --system t5", 2, "--why is missing; for example: adjudge remove my-eval"),
    M(
        "an option with a typo",
        "compare scores.csv --aganist t5",
        2,
        'compare has no option --aganist (nearest: "--against"',
    ),
    M(
        "an option in capitals",
        "compare scores.csv --Against t5",
        2,
        'compare has no option --Against (nearest: "--against"',
    ),
    M(
        "an option that means nothing",
        "compare scores.csv --wibble",
        2,
        "`adjudge compare --help` lists its options",
    ),
    M("a command with a typo", "comapre scores.csv", 2, '(nearest: "compare"'),
    M("a command of a group with a typo", "prefer fti duels.csv", 2, '(nearest: "fit")'),
    M("a word where a number stands", "compare scores.csv --seed x", 2, "--seed: "),
    M(
        "a number out of range",
        "compare scores.csv --alpha 5",
        2,
        "alpha is 5, expected a number between 0 and 1",
    ),
    M("a test by another name", "compare scores.csv --test t-test", 2, "expected one of: wilcoxon, t, "),
    M("a delimiter in words", "compare scores.csv --delimiter comma", 2, "expected one character, or tab"),
]

MEASURES = [
    M("only rouge", f"{ROUGE} -m rouge", 2, "type rouge-score (F of ROUGE-1, 2, L and Lsum) or tac"),
    M("ROUGE2", f"{ROUGE} -m ROUGE2-R", 2, 'type "rouge-2-recall" (recall'),
    M(
        "spaces between measures",
        f"{ROUGE} -m 'rouge-1 rouge-2'",
        2,
        "write a comma between measures: rouge-1,rouge-2",
    ),
    M("BERTScore", f"{ROUGE} -m bertscore", 2, "adjudge import scores FILE EVALUATION -m bertscore"),
    M("a value without its option", f"{ROUGE} -m 'rouge-2(f)'", 2, 'write it "rouge-2(stat=f)", in quotes'),
    M("square brackets", f"{ROUGE} -m 'rouge-2[stat=f]'", 2, 'write it "rouge-2(stat=f)", in quotes'),
    M("an open bracket", f"{ROUGE} -m 'rouge-2(stat=f'", 2, 'write it "rouge-2(stat=f)", in quotes'),
    M("no brackets", f"{ROUGE} -m 'rouge-2 stat=f'", 2, 'write it "rouge-2(stat=f)", in quotes'),
    M(
        "an option that the measure has not",
        f"{ROUGE} -m 'rouge-2(stemmer=none)'",
        2,
        '(nearest: "stem"); it has: stat',
    ),
    M(
        "a value that the option has not",
        f"{ROUGE} -m 'rouge-2(stat=f1)'",
        2,
        '(nearest: "f"); expected one of: recall',
    ),
    M("a measure of judgments", f"{ROUGE} -m coverage", 2, "put them into a folder with adjudge import"),
    M("a system in capitals", "compare my-eval --against BART", 2, '(nearest: "bart")'),
    M(
        "a system that is not there",
        "compare scores.csv --against lead",
        2,
        "no such system; there are: bart, t5",
    ),
    M("a topic in capitals", "topics scores.csv --against T1", 2, '(nearest: "t1"'),
    M("a topic that is not there", "show my-eval --topic 9", 2, 'no topic "9"; there are: 1, 2, 3, 4, 5, 6'),
    M("a measure of a file that has one", "compare scores.csv -m rouge-1", 2, "it has: scores"),
]

TABLES = [
    M(
        "two columns of one name",
        "compare d.csv",
        1,
        '"bart": give each a name of its own',
        {"d.csv": "topic,bart,bart\nt1,1,2\n"},
    ),
    M(
        "a topic twice",
        "compare d.csv",
        1,
        "d.csv:3: two scores of measure d, topic t1, system bart (lines 2 and 3): leave one of the rows out",
        {"d.csv": "topic,bart,t5\nt1,1,2\nt1,2,3\n"},
    ),
    M("Latin-1", "compare l.csv", 1, "--encoding latin-1", {"l.csv": b"topic,caf\xe9,t5\nt1,1,2\nt2,2,3\n"}),
    M(
        "Latin-1 in lines",
        "rouge l.txt --reference ref.txt",
        1,
        "--encoding latin-1",
        {"l.txt": b"caf\xe9\n" * 6},
    ),
    M(
        "decimal commas between commas",
        "compare c.csv",
        1,
        "decimal commas in it? Write it with another delimiter",
        {"c.csv": matrix("topic,bart,t5", lambda k: f"t{k},0,{k}1,0,{k}2")},
    ),
    M("the wrong delimiter", "compare scores.csv --delimiter ';'", 2, 'say --delimiter ","'),
    M(
        "thousands, or decimals",
        "compare k.csv",
        2,
        'say which with --decimal "," or --decimal "."',
        {"k.csv": matrix("topic,bart,t5", lambda k: f't{k},"1,{k}00","1,{k}50"')},
    ),
    M(
        "a word for a missing score",
        "compare n.csv",
        1,
        "or nothing, nan or NA where there is none",
        {"n.csv": matrix("topic,bart,t5", lambda k: f"t{k},{k}1,{'missing' if k == 3 else k}")},
    ),
    M(
        "an error of a spreadsheet",
        "compare n.csv",
        1,
        "or nothing, nan or NA where there is none",
        {"n.csv": matrix("topic,bart,t5", lambda k: f"t{k},{k}1,{'#DIV/0!' if k == 3 else k}")},
    ),
    M(
        "a short row",
        "compare r.csv",
        1,
        "an empty cell needs its delimiter too",
        {"r.csv": "topic,bart,t5\nt1,1,2\nt2,2\nt3,1,3\n"},
    ),
    M(
        "a long row",
        "compare r.csv",
        1,
        "r.csv:3: the row has 4 cells, the header 3",
        {"r.csv": "topic,bart,t5\nt1,1,2\nt2,2,3,4\nt3,1,3\n"},
    ),
    M(
        "no header",
        "compare h.csv",
        1,
        "put a row of names above it, such as topic,system1,system2",
        {"h.csv": six(lambda k: f"t{k},0.{k}1,0.{k}2\n")},
    ),
    M(
        "the header twice",
        "compare h.csv",
        1,
        'h.csv:2: "bart" stands here as in the first row: delete this row',
        {"h.csv": f"topic,bart,t5\n{FILES['scores.csv']!s}"},
    ),
    M(
        "systems in rows",
        "compare t.csv",
        1,
        "or --transpose where rows are systems",
        {"t.csv": "system,t1,t2,t3\nbart,1,2,3\nt5,2,3,3\n"},
    ),
    M("a header alone", "compare o.csv", 1, "a header without rows", {"o.csv": "topic,bart,t5\n"}),
    M(
        "a map to no column",
        "compare long.csv --map value=scores",
        2,
        "it has: topic, system, measure, value",
    ),
    M(
        "a map the wrong way round",
        "import outputs.csv new --map prediction=text",
        2,
        "the field comes first, --map text=prediction",
    ),
    M("a map with a typo", "import outputs.csv new --map txt=prediction", 2, '(nearest: "text")'),
    M(
        "a map with a colon",
        "import outputs.csv new --map text:prediction",
        2,
        "expected FIELD=COLUMN such as text=decoded",
    ),
    M(
        "a winner that did not play",
        "prefer fit w.csv",
        1,
        'the name of one of the two, "y" and "z"',
        {"w.csv": "a,b,winner\nx,y,x\ny,z,w\n"},
    ),
    M(
        "duels without a winner",
        "prefer fit w.csv",
        1,
        "say --map winner=COLUMN",
        {"w.csv": "a,b\nx,y\ny,z\n"},
    ),
    M(
        "duels without a header",
        "prefer fit w.csv",
        1,
        "expected winner,loser, or a,b,winner",
        {"w.csv": "x,y\ny,x\nx,z\n"},
    ),
]

TEXTS = [
    M(
        "fewer lines",
        "rouge bart.txt s.txt --reference ref.txt",
        1,
        "bart.txt 6 lines, s.txt 2 lines, ref.txt 6 lines",
        {"s.txt": "a\nb\n"},
    ),
    M(
        "a blank line at the end",
        "import lines b.txt --reference ref.txt new",
        1,
        "delete the blank line at the end of b.txt",
        {"b.txt": "x\n" * 6 + "\n"},
    ),
    M(
        "topics that do not fit",
        "import lines bart.txt new --topic-names n.txt",
        1,
        "bart.txt 6 lines, n.txt 2 lines",
        {"n.txt": "a\nb\n"},
    ),
    M(
        "other texts again",
        "import lines bart.txt my-eval",
        1,
        "--replace takes the new ones, --skip keeps the old ones",
        {"bart.txt": "New.\n" * 6},
    ),
    M(
        "a wrong role",
        "import outputs.jsonl new --role refrence",
        2,
        "expected one of: peer, reference, both",
    ),
    M(
        "a list for a text",
        "import x.jsonl new",
        1,
        'x.jsonl:1: "text" is a list, expected a text',
        {"x.jsonl": records({**A_SUMMARY, "text": ["A."]})},
    ),
    M(
        "a number for a text",
        "import x.jsonl new",
        1,
        'x.jsonl:1: "text" is a number, expected a text',
        {"x.jsonl": records({**A_SUMMARY, "text": 7})},
    ),
    M(
        "a list of texts",
        "import x.json new",
        1,
        "write one text a line, and `adjudge import lines FILE EVALUATION` reads them",
        {"x.json": '["A.", "B."]'},
    ),
    M(
        "a comma after the last",
        "import x.json new",
        1,
        "delete the comma before it",
        {"x.json": f"[{json.dumps(A_SUMMARY)},\n]"},
    ),
    M(
        "single quotes",
        "import x.json new",
        1,
        "Python writes them so with json.dumps",
        {"x.json": f"[{A_SUMMARY}]"},
    ),
    M(
        "a line cut off",
        "import x.jsonl new",
        1,
        "must end with }",
        {"x.jsonl": json.dumps(A_SUMMARY)[:-1] + "\n"},
    ),
    M(
        "commas between lines of JSON",
        "import x.jsonl new",
        1,
        "delete the comma between the objects",
        {"x.jsonl": f"{json.dumps(A_SUMMARY)},\n" * 2},
    ),
    M(
        "no column of topics among texts",
        "import csv x.csv new",
        2,
        "`adjudge import csv x.csv new --systems bart_out --by-line`",
        {"x.csv": "n,bart_out\n1,Rain fell.\n"},
    ),
    M(
        "no references",
        "score old",
        1,
        "adjudge import lines EVALUATION --reference FILE",
        {"old/summaries.jsonl": NO_REFERENCE},
    ),
    M(
        "nothing to score",
        "score old",
        1,
        "import some: adjudge import FILE old",
        {"old/evaluation.toml": 'name = "old"\n'},
    ),
    M(
        "comparing before scoring",
        "compare old",
        1,
        "run: adjudge score old",
        {"old/summaries.jsonl": NO_REFERENCE},
    ),
    M(
        "a wrong role in the evaluation",
        "score old",
        1,
        'expected ["peer"], ["reference"] or both',
        {"old/summaries.jsonl": records({**A_SUMMARY, "roles": ["model"]})},
    ),
    M(
        "other names in the evaluation",
        "score old",
        1,
        'old/summaries.jsonl:1: no "topic"',
        {"old/summaries.jsonl": records({"id": "1", "summary": "A."})},
    ),
    M("nothing to undo", "undo old", 2, "nothing to undo", {"old/summaries.jsonl": NO_REFERENCE}),
    M("undo after judging", "undo judged", 1, "adjudge judgments remove EVALUATION --protocol rating --why"),
    M(
        "a report into a file",
        "report scores.csv -o bart.txt",
        1,
        "bart.txt: is a file, expected a folder or nothing",
    ),
    M("a report into the evaluation", "report my-eval -o my-eval", 2, "say -o report"),
    M("CSV into no folder", "compare scores.csv --csv out/pairs.csv", 1, "make it with: mkdir -p out"),
    M(
        "CSV into a folder",
        "compare scores.csv --csv my-eval",
        1,
        "name a file in it, such as my-eval/scores.csv",
    ),
    M("CSV over what is read", "compare scores.csv --csv scores.csv", 2, "give --csv another name"),
    M("init on a file", "init bart.txt", 1, "bart.txt: is a file, expected a folder or nothing"),
]

MISTAKES = [*WRONG_FILE, *NOT_THERE, *BACKSLASHES, *WORDS, *MEASURES, *TABLES, *TEXTS]

NOTED = [
    M(
        "percent signs",
        "compare p.csv",
        0,
        "read with % as hundredths",
        {"p.csv": matrix("topic,bart,t5", lambda k: f"t{k},{k}1%,{k}2%")},
    ),
    M(
        "no column of topics",
        "compare i.csv",
        0,
        "no column names the topics, rows do by their number",
        {"i.csv": matrix("bart,t5,lead", lambda k: f"0.{k}1,0.{k}2,0.{k}3")},
    ),
    M(
        "an Excel file named .csv",
        "compare x.csv",
        0,
        "note: x.csv: read as an Excel workbook",
        {"x.csv": workbook()},
    ),
    M(
        "semicolons and decimal commas",
        "compare c.csv",
        0,
        'read with ";" between columns, with decimal commas',
        {"c.csv": matrix("topic;bart;t5", lambda k: f"t{k};0,{k}1;0,{k}2")},
    ),
    M(
        "pandas' index",
        "compare i.csv",
        0,
        'note: i.csv: column "" not used',
        {"i.csv": matrix(",topic,bart,t5", lambda k: f"{k},t{k},0.{k}1,0.{k}2")},
    ),
    M(
        "pandas' index, read and written again",
        "compare i.csv",
        0,
        'column "Unnamed: 0" not used',
        {"i.csv": matrix("Unnamed: 0,topic,system,score", lambda k: f"{k},t{k},bart,0.{k}1")},
    ),
    M(
        "a transposed matrix",
        "compare t.csv",
        0,
        "if rows are systems and columns are topics, say --transpose",
        {"t.csv": ",t1,t2,t3,t4,t5,t6\nbart,1,2,3,4,5,6\nt5,2,3,3,4,5,7\n"},
    ),
    M(
        "nan",
        "compare n.csv",
        0,
        "note: t5: 1 missing",
        {"n.csv": matrix("topic,bart,t5", lambda k: f"t{k},{k}1,{'nan' if k == 3 else k}")},
    ),
    M(
        "blank lines",
        "rouge b.txt t5.txt --reference ref.txt",
        0,
        "note: b: 2 of 6 texts are blank, and scored as empty",
        {"b.txt": "a\n\nb\n\nc\nd\n"},
    ),
    M(
        "blank lines in an import",
        "import lines b.txt new --dry-run",
        0,
        "noted 2: blank line taken as an empty summary",
        {"b.txt": "a\n\nb\n\nc\nd\n"},
    ),
    M(
        "line files as whole texts",
        "rouge --peer bart.txt --reference ref.txt",
        0,
        "say: adjudge rouge bart.txt --reference ref.txt",
    ),
    M(
        "a key that means nothing",
        "import x.jsonl new --dry-run",
        0,
        'column "rolls" not used',
        {"x.jsonl": records({**A_SUMMARY, "rolls": "reference"})},
    ),
    M(
        "JSON of one object",
        "import x.json new --dry-run",
        0,
        "would add 1 topic, 1 system, 1 summary",
        {"x.json": json.dumps(A_SUMMARY)},
    ),
    M(
        "one system",
        "compare o.csv",
        0,
        "One system has scores: nothing to compare",
        {"o.csv": matrix("topic,bart", lambda k: f"t{k},0.{k}")},
    ),
    M(
        "one topic",
        "compare o.csv",
        0,
        "needs two topics that both have, has 1",
        {"o.csv": "topic,bart,t5\nt1,0.1,0.2\n"},
    ),
    M(
        "all scores equal",
        "compare o.csv",
        0,
        "the two tie on every topic",
        {"o.csv": matrix("topic,bart,t5", lambda k: f"t{k},0.5,0.5")},
    ),
    M("the same import again", "import lines bart.txt my-eval", 0, "nothing new"),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    for name, content in FILES.items():
        write(folder / name, content)
    for name in ("my-eval", "judged"):
        lines = ("bart.txt", "t5.txt", "--reference", "ref.txt", "--source", "src.txt")
        assert called(folder, "import", "lines", *lines, name).returncode == 0
    assert called(folder, "score", "my-eval", "-m", "rouge-1").returncode == 0
    assert (
        called(folder, "judge", "simulate", "judged", "--protocol", "rating", "--assessors", "1").returncode
        == 0
    )
    return folder


@pytest.fixture
def here(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "work"))


def write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def held(folder: Path) -> dict[str, bytes]:
    """All files but locks, which say who looked last."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def commands() -> dict[tuple[str, ...], set[str]]:
    """Every command by its words, with its options."""

    def walk(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], set[str]]]:
        yield words, {option for each in command.params for option in each.opts} | {"--help"}
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk((*words, name), inner)

    found = dict(pair for each in COMMANDS for pair in walk((each.name,), each.load()))
    return {(): {"--help", "--version"}, **found}


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, ...], set[str]]:
    return commands()


def beginning(words: list[str], known: Mapping[tuple[str, ...], set[str]]) -> tuple[str, ...]:
    """The longest command that the words begin with."""
    return next(tuple(words[:n]) for n in (3, 2, 1, 0) if tuple(words[:n]) in known)


def ids(rows: list[Mistake]) -> list[str]:
    return [row.name for row in rows]


def test_there_are_more_than_eighty_and_none_is_told_twice() -> None:
    assert len(MISTAKES) >= 80
    assert len(set(ids([*MISTAKES, *NOTED]))) == len(MISTAKES) + len(NOTED)
    assert len({(row.line, str(row.files)) for row in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("row", MISTAKES, ids=ids(MISTAKES))
def test_a_mistake_is_one_line_that_says_what_to_do(
    here: Path, row: Mistake, known: Mapping[tuple[str, ...], set[str]]
) -> None:
    for name, content in row.files.items():
        write(here / name, content)
    before = held(here)
    words = shlex.split(row.line)
    done = called(here, *words)
    assert (done.returncode, done.stderr.count("\n")) == (row.code, 1), done.stderr
    assert done.stderr.startswith("adjudge: ")
    assert row.said in done.stderr
    assert held(here) == before
    suggested = [shlex.split(each) for each in re.findall(r"adjudge ((?:[a-z0-9-]+ ?)+)", done.stderr[9:])]
    own = known[beginning(words, known)].union(*(known[beginning(each, known)] for each in suggested))
    if words[0] == "import":
        own |= known["import", "auto"]
    if words[0] == "undo":  # which names what would be undone
        own |= known["import", "lines"]
    assert all(beginning(each, known) for each in suggested if not each[0].startswith("-"))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", done.stderr)) - {
        word.partition("=")[0] for word in words
    }
    assert named <= own, named - own
    if row.then is not None:
        assert row.then in done.stderr
        again = called(here, *shlex.split(row.then)[1:])
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("row", NOTED, ids=ids(NOTED))
def test_what_can_be_taken_is_taken_and_said(here: Path, row: Mistake) -> None:
    for name, content in row.files.items():
        write(here / name, content)
    before = held(here)
    done = called(here, *shlex.split(row.line))
    assert done.returncode == 0, done.stderr
    assert row.said in done.stderr + done.stdout
    assert all(line.startswith("note: ") for line in done.stderr.splitlines())
    assert held(here) == before


def test_an_index_changes_no_number(here: Path) -> None:
    plain = called(here, "compare", "scores.csv", "--json")
    lines = str(FILES["scores.csv"]).splitlines()
    write(here / "indexed" / "scores.csv", "".join(f"{k or ''},{line}\n" for k, line in enumerate(lines)))
    indexed = called(here, "compare", "indexed/scores.csv", "--json")
    assert (
        json.loads(indexed.stdout)[0]["tables"]["league"] == json.loads(plain.stdout)[0]["tables"]["league"]
    )


def test_numbered_systems_and_topics_are_names(here: Path) -> None:
    write(here / "nist.csv", matrix("1,2,3", lambda k: f"{k},0.{k}1,0.{k}2"))
    (found,) = json.loads(called(here, "compare", "nist.csv", "--json").stdout)
    assert {each["system"] for each in found["tables"]["league"]} == {"2", "3"}


def test_a_process_of_its_own_says_the_same(here: Path) -> None:
    for line in ("rouge --hyp bart.txt --ref ref.txt", "comapre scores.csv", "score"):
        alone, inside = call(here, *line.split()), called(here, *line.split())
        assert (alone.returncode, alone.stdout, alone.stderr) == (2, "", inside.stderr)
