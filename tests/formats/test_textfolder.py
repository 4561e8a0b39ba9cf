"""Folders with a file per summary: what a path means, which layouts are found, which are not clear."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.core.errors import UsageError
from adjudge.core.phrases import spoken
from adjudge.data.incoming import Item
from adjudge.data.rows import Document, Summary, System
from adjudge.formats.textfolder import PathPattern, find_layout, read, ways_to_read

from .shapes import Imported, Refused, Write, reasons, rows

Fill = Callable[..., Path]


@pytest.fixture
def fill(write: Write) -> Fill:
    """Write files below the folder `texts`; each holds its own path."""

    def run(*names: str) -> Path:
        for name in names:
            write(f"texts/{name}", f"In {name}.\n")
        return Path("texts")

    return run


def summaries(items: Iterable[Item]) -> set[tuple[str, str, str]]:
    return {
        (row.topic, row.system, "".join(role[0] for role in row.roles))
        for row in rows(items)
        if isinstance(row, Summary)
    }


def test_a_folder_per_system_beside_references_and_sources(fill: Fill) -> None:
    folder = fill(
        "a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt", "gold/1.txt", "gold/2.txt", "src/1.txt", "src/2.txt"
    )
    found = list(
        read(
            folder,
            pattern="{system}/{topic}.txt",
            reference_pattern="gold/{topic}.txt",
            source_pattern="src/{topic}.txt",
            kind="machine",
            length=50,
            form="abstract",
        )
    )
    assert summaries(found) == {
        *((topic, system, "p") for topic in "12" for system in "ab"),
        ("1", "gold", "r"),
        ("2", "gold", "r"),
    }
    assert [row for row in rows(found) if isinstance(row, System)] == [
        System("a", "machine"),
        System("b", "machine"),
        System("gold", "human"),
    ]
    assert Document("1", "1", "In src/1.txt.") in rows(found)
    peer = next(row for row in rows(found) if isinstance(row, Summary))
    assert (peer.text, peer.length, peer.form) == ("In a/1.txt.", 50, "abstract")


def test_writers_lengths_forms_and_documents_are_told_by_the_path(fill: Fill) -> None:
    folder = fill(
        "peers/d1.50.extract.lead", "peers/d1.100.abstract.lead", "models/d1.B.50", "docs/d1/AP-1.txt"
    )
    found = list(
        read(
            folder,
            pattern="peers/{topic}.{length}.{form}.{system}",
            reference_pattern="models/{topic}.{writer}.{length}",
            source_pattern="docs/{topic}/{document}.txt",
        )
    )
    assert {(s.system, s.length, s.form) for s in rows(found) if isinstance(s, Summary)} == {
        ("lead", 50, "extract"),
        ("lead", 100, "abstract"),
        ("B", 50, None),
    }
    assert [(d.topic, d.id) for d in rows(found) if isinstance(d, Document)] == [("d1", "AP-1")]


def test_pyrouges_folders_with_its_patterns_and_its_html(write: Write) -> None:
    for number in ("001", "002"):
        write(f"texts/system/news.{number}.txt", "Rain fell.\nIt was wet.\n")
        for writer in "AB":
            write(
                f"texts/model/news.{writer}.{number}.html",
                '<html>\n<head>\n<title>dummy title</title>\n</head>\n<body bgcolor="white">\n'
                '<a name="1">[1]</a> <a href="#1" id=1>R&amp;D people said so.</a>\n'
                '<a name="2">[2]</a> <a href="#2" id=2>It rained.</a>\n</body>\n</html>',
            )
    options: dict[str, Any] = {
        "pattern": r"system/news.{topic:\d+}.txt",
        "reference_pattern": r"model/news.{writer:[A-Z]}.{topic:\d{3}}.html",
    }
    found = list(read("texts", system="ours", **options))
    assert summaries(found) == {(t, s, "r") for t in ("001", "002") for s in "AB"} | {
        ("001", "ours", "p"),
        ("002", "ours", "p"),
    }
    texts = {row.system: row.text for row in rows(found) if isinstance(row, Summary)}
    assert (texts["A"], texts["ours"]) == ("R&D people said so.\nIt rained.", "Rain fell.\nIt was wet.")
    assert summaries(read("texts", **options)) >= {("001", "system", "p")}, "else the folder names the system"
    assert summaries(read("texts")) == summaries(read("texts", **options)), "the layout is found"


def test_files_that_match_no_pattern_are_counted(fill: Fill, write: Write) -> None:
    folder = fill("a/1.txt", "a/notes.md", "b/2.log", "b/3.log", "README")
    write("texts/.DS_Store", b"\0")
    assert reasons(read(folder, pattern="{system}/{topic}.txt")) == [
        "hidden file",
        "file that matches no pattern (without an ending)",
        "file that matches no pattern (.md)",
        "file that matches no pattern (.log)",
        "file that matches no pattern (.log)",
    ]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("{system}{topic}.txt", "{system} and {topic} with nothing between them"),
        ("{system}*{topic}.txt", "{system} and {topic} with nothing between them"),
        ("{system}/{id}.txt", "has {id}, expected {topic}, {system}, {length}, {form}"),
        ("{system}/{topics}.txt", '{topics} (nearest: "topic")'),
        ("{system}/1.txt", "has no {topic}"),
        ("{system/{topic}.txt", "a brace that is not closed"),
        ("../{system}/{topic}.txt", "leaves the folder"),
        ("/{system}/{topic}.txt", "leaves the folder"),
        ("{system}/{topic:[}.txt", "is no pattern"),
        ("{writer}/{topic}.txt", "has {writer}"),
    ],
)
def test_patterns_that_cannot_be_meant(pattern: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        PathPattern("pattern", pattern)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_path_that_can_be_read_in_two_ways_is_refused(fill: Fill, refused: Refused) -> None:
    folder = fill("d1.gpt-3.5.txt")
    said = refused(read(folder, pattern="{topic}.{system}.txt"))
    assert 'topic "d1", system "gpt-3.5" or topic "d1.gpt-3", system "5"' in said
    assert "{topic:[^._]+}" in said
    assert summaries(read(folder, pattern="{topic:[^._]+}.{system}.txt")) == {("d1", "gpt-3.5", "p")}


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("{topic}/{system}.txt", "d.1/gpt-3.5.txt", {"topic": "d.1", "system": "gpt-3.5"}),
        ("{system}/*/{topic}.txt", "a/run7/1.txt", {"topic": "1", "system": "a"}),
        ("{topic}/{topic}.{system}", "d1/d1.a", {"topic": "d1", "system": "a"}),
        ("{topic}/{topic}.{system}", "d1/d2.a", None),
        ("{system}/{topic}.txt", "a/b/1.txt", None),
        ("{system}/{topic}.txt", "a/1.txt.bak", None),
        ("{system}(1)/{topic}.txt", "a(1)/1.txt", {"topic": "1", "system": "a"}),
        ("{topic:[0-9]+}{system}.txt", "12ab.txt", {"topic": "12", "system": "ab"}),
        ("{topic}.{length}.{system}", "d1.100.a", {"topic": "d1", "length": "100", "system": "a"}),
        ("{topic}.{length}.{system}", "d1.long.a", None),
    ],
)
def test_what_a_path_means(pattern: str, path: str, found: dict[str, str] | None) -> None:
    assert PathPattern("pattern", pattern).match(path) == found


def test_two_patterns_that_match_alike_are_refused(fill: Fill, refused: Refused) -> None:
    folder = fill("a/1.txt")
    said = refused(read(folder, pattern="{system}/{topic}.txt", reference_pattern="{writer}/{topic}.txt"))
    assert "a/1.txt matches --pattern" in said
    said = refused(read(folder, pattern="{system}/{topic}.html"))
    assert "matches --pattern '{system}/{topic}.html'; there are: a/1.txt" in said


FOUND = [
    (
        ["bart/1.txt", "bart/2.txt", "t5/1.txt", "t5/2.txt", "reference/1.txt", "reference/2.txt"],
        "--pattern '{system}/{topic}.txt' --reference-pattern 'reference/{topic}.txt'",
    ),
    (
        [f"{part}/{n}_{part}.txt" for part in ("decoded", "reference") for n in ("000", "001")],
        "--pattern 'decoded/{topic}_decoded.txt' --reference-pattern 'reference/{topic}_reference.txt'",
    ),
    (
        ["output/0.dec", "output/1.dec", "refs/0.ref", "refs/1.ref", "articles/0.txt", "articles/1.txt"],
        "--pattern 'output/{topic}.dec' --reference-pattern 'refs/{topic}.ref' --source-pattern 'articles/{topic}.txt'",
    ),
    (
        ["system/news.1.txt", "system/news.2.txt", *(f"model/news.{w}.{t}.txt" for w in "AB" for t in (1, 2))],
        "--pattern 'system/news.{topic}.txt' --reference-pattern 'model/news.{writer}.{topic}.txt'",
    ),
    (
        ["system_summaries/1.txt", "system_summaries/2.txt", "model_summaries/1.A.txt", "model_summaries/2.A.txt",
         "model_summaries/1.B.txt"],
        "--pattern 'system_summaries/{topic}.txt' --reference-pattern 'model_summaries/{topic}.{writer}.txt'",
    ),
    (
        ["systems/a/1.txt", "systems/b/1.txt", "systems/a/2.txt", "references/X/1.txt", "references/X/2.txt"],
        "--pattern 'systems/{system}/{topic}.txt' --reference-pattern 'references/{writer}/{topic}.txt'",
    ),
    (
        ["d1/bart.txt", "d1/reference.txt", "d2/bart.txt", "d2/reference.txt", "d1/source.txt", "d2/source.txt"],
        "--pattern '{topic}/{system}.txt' --reference-pattern '{topic}/{writer:reference}.txt'"
        " --source-pattern '{topic}/source.txt'",
    ),
    (
        ["bart/1.txt", "bart/2.txt", "source/1.txt", "source/2.txt", "notes.md"],
        "--pattern 'bart/{topic}.txt' --source-pattern 'source/{topic}.txt'",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("names", "layout"), FOUND)
def test_layouts_that_are_found(fill: Fill, imported: Imported, names: list[str], layout: str) -> None:
    folder = fill(*names)
    found = find_layout(folder, sorted(names))
    assert spoken(found, "command") == layout
    report = imported(read(folder))
    noted = f"layout found: {spoken(found, 'python')}"
    assert noted in report.noted
    left_out = [reason for reason in report.left_out if "pattern" in reason]
    assert left_out == (["file that matches no pattern (.md)"] if "notes.md" in names else [])
    assert report.first[noted] == "texts"


@pytest.mark.parametrize(
    ("names", "ways"),
    [
        (["a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt"], ["'{system}/{topic}.txt'", "'{topic}/{system}.txt'"]),
        (["model/1.txt", "gpt/1.txt"], ["'{system}/{topic}.txt'", "'{topic}/{system}.txt'"]),
        (["a.1.out", "b.1.out"], ["'{topic}.{system}.out'", "'{system}.{topic}.out'"]),
        (["a/1.txt", "reference/other.txt"], ["'{system}/{topic}.txt'"]),
        (["a/1.txt", "b.txt"], ["'{system}/{topic}.txt'"]),
        (["peers/D1.17", "models/D1.A"], ["'{system}/{topic}*'"]),
    ],
)
def test_layouts_that_are_not_clear_say_what_to_type(
    fill: Fill, refused: Refused, names: list[str], ways: list[str]
) -> None:
    said = refused(read(fill(*names)))
    assert said.startswith("texts: the layout is not clear; say --pattern ")
    assert [way for way in ways if way not in said] == []


def test_nists_names_have_a_command_of_their_own(fill: Fill, refused: Refused) -> None:
    said = refused(read(fill("models/D0601.M.250.A.B", "peers/D0601.M.250.A.17")))
    assert said.endswith("adjudge import duc texts EVALUATION")


def test_texts_in_any_encoding_packed_or_empty(write: Write) -> None:
    write("texts/a/1.txt", "zwölf\r\n".encode("utf-16"))
    write("texts/a/2.txt", b"\xef\xbb\xbfeins\n")
    write("texts/a/3.txt", b"zw\xf6lf")
    write("texts/a/4.txt", " \n\n")
    write("texts/a/5.txt.gz", gzip.compress("fünf\u2028sechs\n".encode()))
    write("texts/ref/4.txt", "")
    found = list(read("texts", pattern="a/{topic}.txt", reference_pattern="ref/{topic}.txt"))
    texts = [row.text for row in rows(found) if isinstance(row, Summary)]
    assert texts == ["zwölf", "eins", "zwölf", "", "fünf\u2028sechs", ""]
    assert reasons(found) == [
        "bytes that are not UTF-8 read as Windows-1252",
        "empty file taken as an empty summary",
        "empty file taken as an empty reference",
    ]


def test_what_is_no_text_is_refused(write: Write, refused: Refused) -> None:
    write("texts/a/1.txt", b"PK\x03\x04\0\0")
    assert "texts/a/1.txt:1: a NUL byte" in refused(read("texts", pattern="{system}/{topic}.txt"))
    write("texts/a/1.txt", "<html><body><p>Rain.</p></body></html>")
    assert "HTML without units" in refused(read("texts", pattern="{system}/{topic}.txt"))
    assert refused(read("absent")) == f"absent: no such folder in {Path.cwd()}"
    assert refused(read("texts/a/1.txt")) == "texts/a/1.txt: is a file, expected a folder"


def test_links_out_of_the_folder_are_refused(fill: Fill, write: Write, refused: Refused) -> None:
    folder = fill("a/1.txt")
    write("secret/2.txt", "Secret.")
    (folder / "b").symlink_to(Path("secret").resolve())
    assert "a link to somewhere else is not followed" in refused(read(folder, pattern="{system}/{topic}.txt"))


def test_from_python_in_one_call(fill: Fill) -> None:
    folder = fill("a/1.txt", "a/2.txt", "reference/1.txt", "reference/2.txt")
    e = adjudge.open("my-eval", create=True)
    report = e.import_folder(folder, kind="machine")
    assert report.added == {"topics": 2, "systems": 2, "summaries": 4}
    again = e.import_folder(
        folder, pattern="{system}/{topic}.txt", reference_pattern=["reference/{topic}.txt"]
    )
    assert not again.is_change


def test_an_evaluation_inside_the_folder_is_not_read(fill: Fill, write: Write) -> None:
    folder = fill("a/1.txt", "reference/1.txt")
    write("texts/my-eval/evaluation.toml", 'name = "x"\n')
    write("texts/my-eval/1.txt", "Not a summary.")
    write("texts/my-eval/scores/1.txt", "Not a summary.")
    found = list(read(folder))
    assert summaries(found) == {("1", "a", "p"), ("1", "reference", "r")}
    assert "evaluation inside the folder" in reasons(found)


@pytest.mark.parametrize(
    ("names", "pattern", "said"),
    [
        (
            ["bart/1.txt", "references/1.txt"],
            "{system}/{topic}.txt",
            'makes "references" a system, which is named as references: add --reference-pattern'
            " 'references/{topic}.txt', or where it is a system, --pattern 'references/{topic}.txt'",
        ),
        (
            ["bart/1.txt", "articles/1.txt"],
            "{system}/{topic}.txt",
            "add --source-pattern 'articles/{topic}.txt'",
        ),
        (
            ["system/1.txt", "model/1.txt"],
            "{system}/{topic}.txt",
            "add --reference-pattern 'model/{topic}.txt'",
        ),
        (["1.bart.txt", "1.gold.txt"], "{topic}.{system}.txt", "add --reference-pattern '{topic}.gold.txt'"),
        (
            ["bart/d1.txt", "bart/d2.txt", "gold/d1.A.txt", "gold/d1.B.txt", "gold/d2.A.txt"],
            "{system}/{topic}.txt",
            "add --reference-pattern 'gold/{topic}.{writer}.txt', or where it is a system, --pattern"
            " 'gold/{topic}.txt'",
        ),
    ],
)
def test_references_and_sources_do_not_become_systems_unless_written_out(
    fill: Fill, refused: Refused, names: list[str], pattern: str, said: str
) -> None:
    folder = fill(*names)
    message = refused(read(folder, pattern=pattern))
    assert said in message
    added = message.partition("add ")[2].split("'")[1]
    option = message.partition("add --")[2].split()[0].replace("-", "_")
    given: dict[str, Any] = {"pattern": pattern, option: added}
    other = next(name for name in ("bart", "system") if any(name in each for each in names))
    assert peers(read(folder, **given)) == {other}
    if "/" in pattern and "{writer}" not in added:
        assert peers(read(folder, pattern=[pattern, added])) > {other}


def peers(items: Iterable[Item]) -> set[str]:
    return {row.system for row in rows(items) if isinstance(row, Summary) and row.is_peer}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["1.bart.txt", "1.ref.txt"], "--pattern {topic}.{system}.txt --reference-pattern {topic}.ref.txt"),
        (["1.txt", "2.txt"], "--pattern {topic}.txt --system NAME"),
        (["a/1.txt", "gold/1.txt"], "--pattern {system}/{topic}.txt --reference-pattern gold/{topic}.txt"),
        (["d1.bart.100.txt", "d1.lead.100.txt", "d2.bart.50.txt"], "--pattern {topic}.{system}.{length}.txt"),
        (["bart_d1_100.txt", "bart_d2_100.txt"], "--pattern {system}_{topic}_{length}.txt"),
        (
            ["models/gpt/1.txt", "models/t5/1.txt", "refs/1.txt"],
            "--pattern models/{system}/{topic}.txt --reference-pattern refs/{topic}.txt",
        ),
    ],
)
def test_ways_to_read_a_folder_can_be_taken(fill: Fill, names: list[str], words: str) -> None:
    folder = fill(*names)
    way = ways_to_read(names)[0]
    assert " ".join(way.words) == words
    given: dict[str, Any] = {}
    for option, value in zip(way.words[::2], way.words[1::2], strict=True):
        given.setdefault(option.removeprefix("--").replace("-", "_"), []).append(value)
    if "system" in given:
        given["system"] = given["system"][0]
    assert len([row for row in rows(read(folder, **given)) if isinstance(row, Summary)]) == len(names)


def test_a_file_beside_the_folders_does_not_hide_the_layout(fill: Fill, imported: Imported) -> None:
    folder = fill(*(f"{f}/{n}_{f}.txt" for f in ("decoded", "reference") for n in "12"), "log.txt")
    report = imported(read(folder))
    assert report.added["summaries"] == 4
    assert report.left_out["file that matches no pattern (.txt)"] == 1


def test_references_of_no_topic_of_the_systems_are_refused(fill: Fill, refused: Refused) -> None:
    folder = fill("bart/d1.txt", "gold/d1.A.txt", "gold/d1.B.txt")
    said = refused(read(folder, pattern="{system}/{topic}.txt", reference_pattern="gold/{topic}.txt"))
    assert 'no reference is of a topic of the systems: "gold/{topic}.txt" gives such as "d1.A"' in said
    assert '"{system}/{topic}.txt" such as "d1"' in said
