"""Line files: one text a line, and line n of every file belongs to the same topic.

`read` yields them as rows. What it shares with `adjudge rouge`: `read_line_file` reads one, `expand` finds files by
patterns, `refuse_two_uses` and `check_aligned` refuse what does not go together, `system_names` names the systems,
`SentenceMarks` turns marks such as <q> into line breaks.
"""

from __future__ import annotations

import glob
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, natural
from adjudge.data.absent import split_by_spaces
from adjudge.data.incoming import Item, LeftOut, Noted
from adjudge.data.lines import MAX_LINE, decode, open_text
from adjudge.data.packed import first_bytes
from adjudge.data.rows import KINDS, Document, Summary, System, Topic
from adjudge.data.target import FORMS, Target
from adjudge.formats.files import (
    EMPTY_FILE,
    JSON_LINES,
    TABLES,
    Paths,
    Place,
    bare_name,
    one_of,
    reading,
    shown,
    stem,
    whole_length,
)

OneOrMore = str | Path | Paths
"""A path or a pattern, or several."""
_PATTERN = re.compile(r"[*?[]")
_MOST_FILES = 12  # with their counts in a message, and
_MOST_NAMED = 5  # as they would be typed

BLANK_SUMMARY = Noted("blank line taken as an empty summary")
BLANK_REFERENCE = Noted("blank line taken as an empty reference")
NO_DOCUMENT = LeftOut("blank line instead of a document")
REFERENCES, SOURCES = Argument("references", flag="reference"), Argument("sources", flag="source")


def read_line_file(path: str | Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> list[str]:
    """The lines of a file without their ends, blank ones too; see `line_texts`."""
    return list(line_texts(path, max_line=max_line, encoding=encoding))


def line_texts(path: str | Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a file one by one, without their ends, blank ones too.

    Only \\n and \\r\\n end a line: U+2028, form feeds and their like stand inside a text. The last line needs no end.
    Packed files are unpacked; a byte order mark says UTF-16 and UTF-32, whatever `encoding` is.
    """
    path = Path(path)
    with reading(path):
        source = open_text(path, encoding)
        with source.stream as stream:
            number = 0
            while raw := stream.readline(max_line + 1):
                number += 1
                if len(raw) > max_line:
                    raise FormatError(
                        f"the line is longer than {max_line:,} bytes; allow more with {Argument('max_line')}",
                        file=path,
                        line=number,
                    )
                yield _text(decode(raw, source.encoding, path, number), path, number)


def _text(line: str, path: Path, number: int) -> str:
    text = line.removeprefix("\ufeff") if number == 1 else line
    if "\0" in text:
        raise FormatError("a NUL byte: this is no text file", file=path, line=number)
    if text.endswith("\n"):
        return text[:-1].removesuffix("\r")
    if number == 1 and "\r" in text:
        raise FormatError(
            "its lines end in carriage returns alone: save it with Unix or Windows line ends", file=path
        )
    return text


# As rows


def read(
    paths: OneOrMore,
    *,
    references: OneOrMore = (),
    sources: OneOrMore = (),
    topics: str | Path | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    sentence_mark: str | None = None,
    there: Iterable[str] = (),
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Summaries of systems, a file each, with references and documents on the same lines of files of their own.

    Paths may be patterns. A file's name is the system, or the writer of the references. The number of the line is the
    topic, as with `by_line` of `read_jsonl` and `read_table`, unless `topics` is a file with a name a line. A blank
    line is an empty summary. `kind` is that of the systems; `length` and `form` are those of all summaries.
    `sentence_mark` stands between sentences; see `SentenceMarks`. `there` are the topics of the evaluation: where they
    are lines too, there must be as many.
    """
    one_of("kind", kind, KINDS)
    one_of("form", form, FORMS)
    whole_length(length)
    systems, writers, documents = expand(paths), expand(references, REFERENCES), expand(sources, SOURCES)
    names = expand([topics] if topics else [], Argument("topics", flag="topic-names"))
    refuse_two_uses({"system": systems, "reference": writers, "source": documents, "list of topics": names})
    if not systems and not writers and not documents:
        raise UsageError(f"no files to read: give one a system, and others with {REFERENCES} and {SOURCES}")
    texts = partial(line_texts, max_line=max_line, encoding=encoding)
    count = _count_lines([*systems, *writers, *documents, *names], texts)
    if not count:
        yield str([*systems, *writers, *documents][0]), EMPTY_FILE
        return
    if not names:
        _check_against(there, count)
    named = _topic_names(names[0], texts) if names else [str(n) for n in range(1, count + 1)]
    first = [*names, *systems, *writers, *documents][0]
    for line, topic in enumerate(named, 1):
        yield Place(first, line).item(Place(first, line).row(Topic, {"topic": topic}))
    aligned = _Aligned(named, texts, SentenceMarks(sentence_mark), Target(length, form))
    for path in documents:
        yield from aligned.documents(path, "1" if len(documents) == 1 else stem(path))
    called = system_names([*systems, *writers])
    for path in writers:
        yield from aligned.summaries(path, called[path], "reference", "human")
    for path in systems:
        yield from aligned.summaries(path, called[path], "peer", kind)


@dataclass(frozen=True)
class _Aligned:
    """Turns files into rows, line by line, once their lines have been counted."""

    topics: Sequence[str]
    texts: Callable[[Path], Iterator[str]]
    marks: SentenceMarks
    target: Target

    def _lines(self, path: Path) -> Iterator[tuple[Place, str, str]]:
        for number, (topic, line) in enumerate(zip(self.topics, self.texts(path), strict=True), 1):
            place = Place(path, number)
            text, mark = self.marks.split(line)
            if mark is not None:
                place.notes.append(
                    Noted(
                        f"{shown(mark)} taken as the end of a sentence ({Argument('sentence_mark', 'none')} keeps it)"
                    )
                )
            yield place, topic, text if text.strip() else ""

    def documents(self, path: Path, name: str) -> Iterator[Item]:
        for place, topic, text in self._lines(path):
            data = {"topic": topic, "id": name, "text": text}
            yield place.item(place.row(Document, data) if text else NO_DOCUMENT)
            yield from place.noted()

    def summaries(self, path: Path, system: str, role: str, kind: str | None) -> Iterator[Item]:
        start = Place(path, 1)
        yield start.item(start.row(System, {"system": system, "kind": kind}))
        for place, topic, text in self._lines(path):
            if not text:
                place.notes.append(BLANK_REFERENCE if role == "reference" else BLANK_SUMMARY)
            data = {"topic": topic, "system": system, **self.target.as_dict(), "roles": [role], "text": text}
            yield place.item(place.row(Summary, data))
            yield from place.noted()


def _count_lines(paths: Sequence[Path], texts: Callable[[Path], Iterator[str]]) -> int:
    """How many lines every file has; files that differ are refused."""
    counts: dict[Path, int] = {}
    blank_last: list[Path] = []
    refuse_other_files(paths)
    for path in paths:
        blank = False
        counts[path] = 0
        for text in texts(path):
            counts[path] += 1
            blank = not text.strip()
        if blank:
            blank_last.append(path)
    check_aligned(counts, blank_last)
    return counts[paths[0]]


def _check_against(there: Iterable[str], count: int) -> None:
    """Refuse fewer or more lines than an evaluation has, where its topics are the numbers of lines."""
    topics = set(there)
    if topics and len(topics) != count and topics == {str(n) for n in range(1, len(topics) + 1)}:
        raise FormatError(
            f"the evaluation has {counted(len(topics), 'line')} as topics, and these files have {count:,}: line n must"
            f" be the same topic in all; name the topics with {Argument('topics', 'FILE')} if they are others"
        )


def _topic_names(path: Path, texts: Callable[[Path], Iterator[str]]) -> list[str]:
    lines: dict[str, int] = {}
    for number, line in enumerate(texts(path), 1):
        first = lines.setdefault(line.strip(), number)
        if first != number:
            raise Place(path, number).wrong(f"{shown(line.strip())} names the topic of line {first} already")
    return list(lines)


_BINARY = {b"PAR1": "a Parquet file", b"PK\x03\x04": "an Excel, Word or zip file"}
_NO_TABLE = {
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "a file of an old Word or Excel",
    b"{\\rt": "a rich text file",
}


def refuse_other_files(paths: Iterable[Path]) -> None:
    """Refuse files that hold more than a text a line: tables, by their names and first bytes, and JSON."""
    by_suffix = {**dict.fromkeys(JSON_LINES, "JSON"), **dict.fromkeys(TABLES, "a table with columns")}
    for path in paths:
        for suffix, what in by_suffix.items():
            if bare_name(path).lower().endswith(suffix):
                raise UsageError(
                    f"{path} is named as {what}: adjudge import {path} EVALUATION; if every line of it is a text and"
                    " nothing else, name it .txt"
                )
        with reading(path):
            start = first_bytes(path, 4)
        if what := next((what for magic, what in _BINARY.items() if start.startswith(magic)), ""):
            raise UsageError(
                f"{path} is {what}, expected a text a line: adjudge import {path} EVALUATION, or save its text as .txt"
            )
        if what := next((what for magic, what in _NO_TABLE.items() if start.startswith(magic)), ""):
            raise UsageError(f"{path} is {what}, expected a text a line: save its text as .txt")
        if start[:1] in (b"{", b"[") and _is_json(path):
            raise UsageError(f"{path} holds JSON, expected a text a line: adjudge import {path} EVALUATION")


def _is_json(path: Path) -> bool:
    """Whether the first line is JSON, or begins an array over several lines."""
    with reading(path):
        line = next(line_texts(path), "").strip()
    if line in ("{", "["):
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


# Several files


def expand(patterns: OneOrMore, argument: Argument | str = "FILE") -> list[Path]:
    """The files that paths and patterns name, each once, those of one pattern in the order of their names.

    A file that is there is taken as it is named, so that its name may hold a bracket.
    """
    files: dict[Path, Path] = {}
    names = list(map(str, [patterns] if isinstance(patterns, str | Path) else patterns))
    for at, pattern in enumerate(names):
        path = Path(pattern)
        with reading(path):
            there = path.exists()
        if there or not _PATTERN.search(pattern):
            if path.is_dir():
                raise _is_folder(argument, path)
            if not there and (whole := split_by_spaces(names, at)):
                raise UsageError(
                    f"{pattern}: no such file; a name with spaces stands in quotes: {shlex.quote(whole)}"
                )
            matched = [path]
        else:
            # as shells do it: no hidden files, any pattern is legal
            matches = glob.glob(pattern, recursive=True)  # noqa: PTH207
            matched = [Path(name) for name in matches if Path(name).is_file()]
            if not matched:
                raise UsageError(
                    f"{argument} {quoted(pattern)} matches no file in {_looked_in(pattern)}{_instead(pattern)}"
                )
        for file in sorted(matched, key=lambda file: natural(str(file))):
            files.setdefault(file.resolve(), file)
    return list(files.values())


def _is_folder(argument: Argument | str, path: Path) -> UsageError:
    if (path / "evaluation.toml").exists():
        return UsageError(
            f"{argument} {path} is an evaluation, expected files: score it with: adjudge score {path}"
        )
    return UsageError(
        f"{argument} {path} is a folder: say '{path / '*.txt'}' where every line is a text, or adjudge import folder"
        f" {path} EVALUATION where every file is one"
    )


def _instead(pattern: str) -> str:
    """The files that lie where a pattern looked, if they are few."""
    names = [file.name for file in natural_order(_looked_in(pattern)) if file.suffix == Path(pattern).suffix]
    return f"; there are: {', '.join(names)}" if 0 < len(names) <= _MOST_FILES else ""


def natural_order(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names; none where there is no such folder."""
    if not folder.is_dir():
        return []
    files = (file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    return sorted(files, key=lambda file: natural(file.name))


def _looked_in(pattern: str) -> Path:
    """The folder that a pattern begins at."""
    parts = Path(pattern).parts
    plain = next(n for n, part in enumerate(parts) if _PATTERN.search(part))
    return Path(*parts[:plain]).resolve()


def check_aligned(counts: Mapping[Path, int], blank_last: Iterable[Path] = ()) -> None:
    """Refuse files of unequal numbers of lines, with every file's number."""
    if len(set(counts.values())) < 2:
        return
    blank = set(blank_last)
    sizes = [
        f"{path} {counted(n, 'line')}{' (the last is blank)' if path in blank else ''}"
        for path, n in counts.items()
    ]
    more = [f"{len(sizes) - _MOST_FILES:,} more files"] if len(sizes) > _MOST_FILES else []
    ends = ", and ".join(f"delete the blank line at the end of {path}" for path in counts if path in blank)
    raise FormatError(
        f"the files are not aligned, line n must be the same topic in all: {', '.join(sizes[:_MOST_FILES] + more)}"
        f"{f'; {ends}' if ends and len(blank) < len(counts) else ''}"
    )


def refuse_two_uses(files: Mapping[str, Sequence[Path]]) -> None:
    """Refuse a file that is given for two uses, such as "system" and "reference"."""
    uses: dict[Path, str] = {}
    for use, paths in files.items():
        for path in paths:
            earlier = uses.setdefault(path.resolve(), use)
            if earlier != use:
                others = [str(other) for other in files[earlier] if other.resolve() != path.resolve()]
                instead = f"as {earlier}s say {' '.join(others)}" if 0 < len(others) <= _MOST_NAMED else ""
                raise UsageError(
                    f"{path} is given as a {earlier} and as a {use}:"
                    f" {instead or f'leave it out of the {earlier}s, or of the {use}s'}"
                )


def system_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The systems' names: those of the files, and of the folders where files are named alike.

    bart/test.txt and pegasus/test.txt are bart and pegasus; with others beside them, bart-test and pegasus-test.
    """
    alike: dict[str, list[Path]] = {}
    for path in paths:
        alike.setdefault(stem(path), []).append(path)
    names: dict[Path, str] = {}
    for name, files in alike.items():
        if len(files) == 1:
            names[files[0]] = name
            continue
        for path, folder in zip(files, _differing_folders(files), strict=True):
            names[path] = folder if len(alike) == 1 else f"{folder}-{name}"
    taken: dict[str, Path] = {}
    for path, name in names.items():
        if taken.setdefault(name, path) != path:
            raise UsageError(
                f"{taken[name]} and {path} would both be system {shown(name)}: rename one of the files"
            )
    return {path: names[path] for path in paths}


def _differing_folders(paths: Sequence[Path]) -> list[str]:
    """The folders' names at the level nearest to the files at which all differ."""
    above = [[folder.name for folder in path.resolve().parents] for path in paths]
    for level in zip(*above, strict=False):
        if len(set(level)) == len(level) and all(level):
            return list(level)
    two = " and ".join(map(str, paths[:2]))
    raise UsageError(f"{two} would both be system {shown(stem(paths[0]))}: rename one of the files")


# Sentences of a text that stands on one line

_KNOWN_MARKS = ("<q>", "<n>", "<S_SEP>", "[X_SEP]", "<t>", "</t>", "<s>", "</s>")
NO_MARK = "none"


class SentenceMarks:
    """Turns the marks that stand for sentence ends in line files into line breaks.

    Without a mark of the caller's: those that are in use, such as <q> in the files of CNN/Daily Mail's models. They are
    no words, and would be counted as such. With "none", nothing is changed.
    """

    def __init__(self, mark: str | None = None) -> None:
        if mark is not None and not mark.strip():
            raise UsageError(f'{Argument("sentence_mark")} is blank, expected a mark such as "<q>", or none')
        marks = _KNOWN_MARKS if mark is None else () if mark == NO_MARK else (mark,)
        self._marks = re.compile("|".join(map(re.escape, marks))) if marks else None

    def split(self, text: str) -> tuple[str, str | None]:
        """The text with a sentence a line, and the first mark that was found in it."""
        first = self._marks.search(text) if self._marks else None
        if first is None or self._marks is None:
            return text, None
        parts = (part.strip() for part in self._marks.split(text))
        return "\n".join(part for part in parts if part), first.group()
