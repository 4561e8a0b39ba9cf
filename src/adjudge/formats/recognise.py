"""Which format a file has, by its first bytes and what is in it, whatever it is called.

`recognise` says it in words and reads it. What is no file to import, or could be read in several ways, is answered with
the commands to type: `Undecided`.
"""

from __future__ import annotations

import inspect
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.core.errors import (
    AdjudgeError,
    DataError,
    FormatError,
    Undecided,
    UsageError,
    Way,
    nearest,
    quoted,
)
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed
from adjudge.data.absent import absent_words
from adjudge.data.incoming import Item
from adjudge.data.json_records import text_start, whole_records
from adjudge.data.lines import MAX_LINE
from adjudge.data.packed import open_bytes
from adjudge.formats.files import LFS, Paths, argument_of, json_objects, read_cells, reading
from adjudge.formats.headings import SYSTEM
from adjudge.formats.linefiles import REFERENCES, SOURCES
from adjudge.formats.records import (
    EITHER,
    RECORD,
    is_column,
    looks_like_texts,
    single_texts,
    wide_prefix,
)
from adjudge.formats.scoretable import holds_scores

_LOOK = 20  # records, rows or lines that are looked at
_VALUE = ("value", "score")
_MEASURE = ("measure", "metric")
_WINNER = ("winner", "preference", "preferred")
_NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*%?|\s*|(?i:nan|n/?a|null)")
_ROUGE_LINE = re.compile(r"\S.*? ROUGE-\S+ (Average_[RPF]: |Eval \S|M_count: )")
_BARS = re.compile(r"(\|\s+)+[A-Za-z][A-Za-z ]*")  # NIST draws a header so, a line a column
_SIGNS = {",": "commas", ";": "';'", "\t": "tabs", "|": "'|'"}
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
_ARROW = (
    "an Arrow file: datasets.Dataset.from_file(FILE).to_parquet(...) makes a Parquet file of it, in Python"
)
_NOT_TEXT = (
    (b"%PDF", "a PDF"),
    (LFS, "a pointer of Git LFS, not the file itself: `git lfs pull` brings it"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ARROW1", _ARROW),
    (b"\xff\xff\xff\xff", _ARROW),
    (b"\x80\x04", "a Python pickle"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls): save it as .xlsx or CSV"),
)


@dataclass(frozen=True, kw_only=True)
class Recognised:
    """What files are: the format by the name that `adjudge import` has for it, and in words."""

    format: str
    words: str
    paths: tuple[Path, ...]

    @property
    def reader(self) -> Callable[..., Iterator[Item]]:
        module, name = READERS[self.format]
        reader: Callable[..., Iterator[Item]] = getattr(import_module(f"adjudge.formats.{module}"), name)
        return reader

    def read(self, **options: Any) -> Iterator[Item]:
        """What the format's reader yields, with its options; those that it does not have are refused."""
        parameters = inspect.signature(self.reader).parameters
        if strange := [name for name in options if name not in parameters]:
            names = listed([str(argument_of(name)) for name in strange])
            raise UsageError(f"{_several(self.paths)} was read as {self.words}, which takes no {names}")
        if "ask" in parameters:
            options["ask"] = True
        return self.reader(self.paths, **options)


READERS = {
    "csv": ("records", "read_table"),
    "jsonl": ("records", "read_jsonl"),
    "parquet": ("records", "read_parquet"),
    "summeval": ("summeval", "read"),
    "sacrerouge": ("sacrerouge", "read"),
    "duc": ("duc", "read"),
    "scores": ("scoretable", "read"),
    "rouge155": ("rouge155", "read_summaries"),
    "rouge-output": ("rouge155", "read_output"),
    "folder": ("textfolder", "read_found"),
}


def read(paths: Paths, **options: Any) -> Iterator[Item]:
    """What files of any known format hold; the options are those of its reader."""
    looked = {name: options[name] for name in ("delimiter", "quotes", "encoding") if name in options}
    recognised = recognise(paths, **looked)
    check_options(recognised.reader, options)
    return recognised.read(**options)


def check_options(reader: Callable[..., Iterator[Item]], options: Iterable[str]) -> None:
    """Refuse options that a reader does not have, with those that it has."""
    names = [name for name in inspect.signature(reader).parameters if name not in ("paths", "data", "ask")]
    for name in options:
        if name not in names:
            raise UsageError(f"no option {quoted(name)}{nearest(name, names)}; there are: {', '.join(names)}")


def recognise(
    paths: Paths,
    *,
    evaluation: str = "EVALUATION",
    delimiter: str | None = None,
    quotes: bool = True,
    encoding: str | None = None,
    arguments: Sequence[Argument] = (),
) -> Recognised:
    """What the files are. `evaluation` is the folder that the calls in a message name, `arguments` what they take."""
    files = tuple(map(Path, paths))
    if not files:
        raise UsageError("no file to read")
    look = _Look(files, evaluation, delimiter, quotes, encoding or "utf-8")
    looks = [(path, look.at(path)) for path in files]
    formats = {format for _, (format, _) in looks}
    if len(formats) > 1:
        ways = [
            Way(
                command=["import", str(path), evaluation],
                function=f"Evaluation.import_data({in_quotes(path)})",
                arguments=look.arguments_for(path, arguments),
                meaning=words,
            )
            for path, (_, words) in looks
        ]
        raise Undecided(
            "the files have several formats, and are imported one by one", ways, between="and then"
        )
    format, words = looks[0][1]
    all_words = dict.fromkeys(words for _, (_, words) in looks)
    return Recognised(format=format, words="; ".join(all_words) if len(all_words) < 4 else words, paths=files)


@dataclass(frozen=True)
class _Look:
    """How files are looked at, and what they are imported into."""

    files: tuple[Path, ...]
    evaluation: str
    delimiter: str | None
    quotes: bool
    encoding: str
    names: dict[Path, set[str]] = field(
        default_factory=dict
    )  # of the columns of files that have been looked at

    def arguments_for(self, path: Path, arguments: Sequence[Argument]) -> list[Argument]:
        """The arguments that were given, but for columns that a file does not have."""
        names = self.names.get(path)
        return [
            argument
            for argument in arguments
            if names is None or argument.name != "columns" or {*argument.value.values()} <= {*names, ""}
        ]

    def at(self, path: Path) -> tuple[str, str]:
        """The format of a file or a folder, and what it is in words."""
        with reading(path):
            if path.is_dir():
                return self._folder(path)
            if not path.is_file():
                if path.exists():
                    return self._text(path)  # a pipe: whatever is read from it would be gone
                raise DataError(f"{path}: no such file{absent_words(path)}")
            with path.open("rb") as stream:
                start = stream.read(64)
            if not start:
                raise FormatError("empty: there is nothing to read", file=path)
            return self._file(path, start)

    def _file(self, path: Path, start: bytes) -> tuple[str, str]:
        from adjudge.formats.duc import is_summary

        if start.startswith(b"PAR1"):
            from adjudge.formats.parquet import ParquetRows

            table = ParquetRows(path)
            self.names[path] = {*table.names}
            names = {name.strip().casefold() for name in table.names}
            if names & {*SYSTEM} and names & {*_VALUE} and not names & {*RECORD["text"]}:
                raise self._to_compare(path, "a Parquet file of scores")
            if names & {*_WINNER}:
                raise self._preferences(path, "a Parquet file of preferences", as_judgments=False)
            return "parquet", f"Parquet of {_content(table.names)}"
        if start.startswith(b"PK\x03\x04"):
            return self._zip(path)
        for magic, what in _NOT_TEXT:
            if start.startswith(magic):
                raise self._unknown(path, what.replace("FILE", repr(str(path))))
        if is_summary(path):
            return "duc", "a DUC summary"
        with open_bytes(path) as stream:
            inside = stream.read(64)
        if start.startswith(_PACKED) and inside.startswith(b"PAR1"):
            raise self._unknown(path, "a packed Parquet file: unpack it first")
        return self._text(path)

    # Folders

    def _folder(self, path: Path) -> tuple[str, str]:
        from adjudge.formats.duc import is_summary
        from adjudge.formats.textfolder import find_layout, texts_below, ways_to_read

        if (path / "evaluation.toml").exists():
            raise UsageError(
                f"{path} is an evaluation, no file to import: the files come first and the evaluation last,"
                f" adjudge import FILE... {self.evaluation}"
            )
        files = [file for file in sorted(path.rglob("*")) if file.is_file() and not file.name.startswith(".")]
        if not files:
            raise FormatError("nothing to read in this folder", file=path)
        for file in files[:_LOOK]:
            if is_summary(file) or "<doc>" in text_start(file).lower():
                return "duc", "a folder of DUC's documents or summaries"
        kinds = set()
        for file in files[:_LOOK]:
            try:
                kinds.add(self.at(file))
            except AdjudgeError:
                kinds.add(("", ""))
        formats = {format for format, _ in kinds}
        if len(formats) == 1 and formats <= {"csv", "jsonl", "parquet", "summeval", "sacrerouge", "scores"}:
            format = formats.pop()
            return format, f"a folder of files, each {sorted(words for _, words in kinds)[0]}"
        names = texts_below(path)
        try:
            find_layout(path, names)
        except UsageError:
            ways = [
                replace(
                    way,
                    command=["import", "folder", str(path), self.evaluation],
                    function=f"Evaluation.import_folder({in_quotes(path)})",
                )
                for way in ways_to_read(names)
            ]
            many = counted(len(names), "file")
            raise Undecided(
                f"{path} is a folder of {many} that are not tables of one format, and what their paths mean is not"
                f" clear ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})",
                ways,
            ) from None
        return "folder", "a folder of texts, a file each"

    # Tables in packages

    def _zip(self, path: Path) -> tuple[str, str]:
        try:
            with zipfile.ZipFile(path) as packed:
                names = packed.namelist()
        except Exception:  # whatever a damaged archive makes zipfile raise
            raise FormatError("not a zip file that can be read: is it cut off?", file=path) from None
        if any(name.startswith("xl/") for name in names):
            return self._table(path, "Excel")
        if any(name.startswith("word/") for name in names):
            raise self._unknown(path, "a Word document")
        raise self._unknown(path, "a zip file: unpack it, and import what is inside")

    # Texts

    def _text(self, path: Path) -> tuple[str, str]:
        if not path.is_file():
            return "csv", "a table"
        try:
            start = text_start(path, self.encoding, 1 << 16)
        except OSError:  # zero bytes as in UTF-16, which it is not
            raise self._unknown(path, "no text file") from None
        first = start.lstrip()[:1]
        if not first:
            raise FormatError("nothing but spaces: there is nothing to read", file=path)
        if first in "{[":
            return self._json(path)
        if "\0" in start[:4096]:
            raise self._unknown(path, "no text file")
        if first == "<":
            text = start.lower()
            if re.search(r"<rouge[-_]eval", text):
                return "rouge155", "settings of ROUGE-1.5.5"
            if re.search(r"<doc(\s[^<>]*)?>", text):
                return "duc", "DUC's documents"
            if re.search(r"<(pyramid|peerannotation)\b", text):
                raise self._judgments(path, "a pyramid of DUCView", "ducview")
            raise self._unknown(path, "marked up text of an unknown kind")
        lines = [line.rstrip("\r") for line in start.split("\n")[:200]]
        if any(_ROUGE_LINE.match(line) for line in lines):
            return "rouge-output", "what ROUGE-1.5.5 printed"
        if any(_BARS.fullmatch(line) for line in lines[:40]):
            raise self._judgments(path, "a table of NIST's judgments", "nist")
        named = [line.split() for line in lines if line.strip() and not line.startswith("#")][:_LOOK]
        if named and all(
            len(names) > 1 and all((path.parent / name).is_file() or Path(name).is_file() for name in names)
            for names in named
        ):
            return "rouge155", "a list of files for ROUGE-1.5.5"
        if self._is_table(path, start):
            return self._table(path, "CSV")
        raise self._lines(path)

    def _json(self, path: Path) -> tuple[str, str]:
        objects = json_objects(path, max_line=MAX_LINE, encoding=self.encoding, column_test=_is_name)
        sample = [record for _, record in islice(objects, _LOOK)]
        self.names[path] = {str(key) for record in sample for key in record}
        keys = {str(key).strip().casefold() for record in sample for key in record}
        array = text_start(path, self.encoding).lstrip().startswith("[")
        whole = (
            whole_records(path, max_line=MAX_LINE, encoding=self.encoding, column_test=_is_name) is not None
        )
        what = "a JSON array" if array else "JSON" if whole else "JSON lines"
        if keys & {"expert_annotations", "turker_annotations"}:
            return "summeval", "SummEval's annotations"
        if {"instance_id", "summarizer_id"} <= keys and (
            "metrics" in keys
            or "references" in keys
            or any(isinstance(r.get("summary"), dict) for r in sample)
        ):
            return "sacrerouge", "sacrerouge's records"
        if sample and sample[0].get("kind") in ("judgments", "person", "task", "event"):
            raise self._judgments(path, f"{what} of judgments", "records")
        if keys & {*_WINNER} and not keys & {*RECORD["text"]}:
            raise self._preferences(path, f"{what} of preferences", as_judgments=False)
        names = list(dict.fromkeys(str(key) for record in sample for key in record))
        texts = [name for name in names if looks_like_texts(sample, name)]
        scores = (keys & {*SYSTEM} and keys & {*_VALUE}) or (not texts and holds_scores(names, sample))
        if scores and not keys & {*RECORD["text"]}:
            raise self._to_compare(path, f"{what} of scores")
        by_topic = " by topic" if what == "JSON" and names == ["topic", "text"] else ""
        return "jsonl", f"{what} of {_content(names, sample)}{by_topic}"

    # Tables of text

    def _is_table(self, path: Path, start: str) -> bool:
        """Whether the first line names columns: some are known, or rows of numbers follow."""
        sign = self._sign(start)
        first = next(line for line in start.split("\n") if line.strip())
        names = [name.strip().strip('"').casefold() for name in first.split(sign)]
        if len(names) < 2:
            return False
        usual = {alias for aliases in RECORD.values() for alias in aliases} | {
            *EITHER,
            *_VALUE,
            *_MEASURE,
            *_WINNER,
        }
        if {*names} & usual or any(map(wide_prefix, names)):
            return True
        rows = [line.split(sign) for line in start.split("\n")[1:_LOOK] if line.strip()]
        even = [len(row) == len(names) for row in rows]
        short = all(len(name) <= 60 and len(name.split()) <= 6 for name in names)
        return bool(rows) and short and (all(even[:-1]) and even[0])

    def _sign(self, start: str) -> str:
        if self.delimiter is not None:
            return {"tab": "\t", "\\t": "\t"}.get(self.delimiter, self.delimiter)
        first = next((line for line in start.split("\n") if line.strip()), "")
        return max("\t;|,", key=first.count) if any(sign in first for sign in "\t;|,") else ","

    def _table(self, path: Path, kind: str) -> tuple[str, str]:
        between = "" if kind == "Excel" else self._between(path)
        table = read_cells(
            path,
            delimiter=self.delimiter,
            quotes=self.quotes,
            unnamed_first=True,
            encoding=self.encoding,
        )
        header, cells = table[0], table[1]
        rows: list[dict[str, Any]] = []
        with suppress(FormatError):  # the reader tells it, with what to do
            rows.extend(dict(zip(header, row, strict=True)) for _, row in islice(cells, _LOOK))
        self.names[path] = {*header}
        names = {name.casefold() for name in header}
        if {"task", "worker"} <= names or {"worker_id", "label"} <= names:
            raise self._judgments(path, f"a {kind} table of a crowd's answers", "crowd")
        if names & {*_WINNER}:
            raise self._preferences(path, f"a {kind} table of preferences")
        texts = [name for name in header[1:] if looks_like_texts(rows, name)]
        if names & {*SYSTEM} and names & {*_VALUE} and not texts and not names & {*RECORD["text"]}:
            return "scores", f"{kind} of scores, one a row{between}"
        if not texts and not names & {*RECORD["text"]} and rows and holds_scores(header, rows):
            return "scores", f"{kind} of scores, a row for each topic and system{between}"
        numbers = [name for name in header[1:] if rows and all(_NUMBER.fullmatch(row[name]) for row in rows)]
        text_columns = {
            name for name in names if any(name in RECORD[f] for f in ("text", "document", "reference"))
        }
        if len(numbers) == len(header) - 1 and numbers and not text_columns:
            return "scores", f"{kind} of scores, a column per system{between}"
        return "csv", f"{kind} of {_content(header, rows, cells=True)}{between}"

    def _between(self, path: Path) -> str:
        sign = self._sign(text_start(path, self.encoding))
        return f", {_SIGNS.get(sign, repr(sign))} between columns"

    # What is no file to import

    def _lines(self, path: Path) -> Undecided:
        """Plain text: one of several files that are aligned line by line, or one text."""
        roles: dict[str, list[str]] = {"reference": [], "source": [], "": []}
        for file in self.files:
            name = file.name.lower()
            if re.search(r"(^|[^a-z])(refs?|references?|gold|targets?|tgt|human)([^a-z]|$)", name):
                roles["reference"].append(str(file))
            elif re.search(r"(^|[^a-z])(src|sources?|docs?|documents?|articles?|inputs?)([^a-z]|$)", name):
                roles["source"].append(str(file))
            else:
                roles[""].append(str(file))
        others = [
            Argument(f"{role}s", roles[role], flag=role) for role in ("reference", "source") if roles[role]
        ]
        return Undecided(
            f"{path} is plain text, no table",
            [
                Way(
                    command=["import", "lines", *roles[""], self.evaluation],
                    function=f"Evaluation.import_lines({json.dumps(roles[''])})",
                    arguments=others,
                    meaning=f"a summary a line, a file per system; {REFERENCES} and {SOURCES} name files of those",
                )
            ],
        )

    def _unknown(self, path: Path, what: str) -> UsageError:
        return UsageError(
            f"{path}: {what}; expected CSV, JSON, Parquet, Excel, or a format of `adjudge import`"
        )

    def _to_compare(self, path: Path, what: str) -> Undecided:
        return Undecided(
            f"{path} is {what}",
            [
                Way(
                    command=["compare", str(path)],
                    function=f"adjudge.compare({in_quotes(path)})",
                    meaning="as it is, without a folder",
                )
            ],
        )

    def _preferences(self, path: Path, what: str, *, as_judgments: bool = True) -> Undecided:
        fit = Way(
            command=["prefer", "fit", str(path)],
            function=f"adjudge.prefer({in_quotes(path)})",
            meaning="strengths, without a folder",
        )
        kept = Way(
            command=["prefer", "import", str(path), self.evaluation],
            function=f"Evaluation.prefer.read({in_quotes(path)})",
            meaning="as judgments",
        )
        return Undecided(f"{path} is {what}", [fit, *([kept] if as_judgments else [])])

    def _judgments(self, path: Path, what: str, format: str) -> Undecided:
        command = ["judgments", "import", format, str(path), self.evaluation]
        return Undecided(f"{path} is {what}", [Way(command=command, meaning="as judgments")])


def in_quotes(path: Path) -> str:
    return json.dumps(str(path), ensure_ascii=False)


def _is_name(key: str) -> bool:
    """Whether a key of an object is the name of a column, of this format or of those that others read."""
    return is_column(key) or key.strip().casefold() in (*_VALUE, *_MEASURE, *_WINNER, "worker", "worker_id")


def _several(paths: Sequence[Path]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {counted(len(paths) - 1, 'more', 'more')}"


def _content(names: Sequence[str], sample: Sequence[dict[str, Any]] = (), *, cells: bool = False) -> str:
    """What a table of texts holds, by the names of its columns and its first records."""
    single = single_texts(sample, names, cells=cells)
    plain = {name.strip().casefold() for name in names if name not in single}
    written = single or plain & {*RECORD["text"]} - {*EITHER, "text"} or any(map(wide_prefix, plain))
    if plain & {*RECORD["outputs"]}:
        return "texts, a list of systems' summaries a row"
    return "summaries" if written or (plain & {*SYSTEM} and plain & {*RECORD["text"]}) else "texts"
