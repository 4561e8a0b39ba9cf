"""A folder from a stranger: whatever lies in it, no command reads, changes or makes a file outside it."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.running import called, examples

from adjudge.data.folder import Folder
from adjudge.data.layout import LOCK, STAGING
from adjudge.data.rows import Summary
from adjudge.data.transaction import JOURNAL, LARGEST_JOURNAL, Transaction
from adjudge.errors import DataError

SCORE = "scores/rouge-1--0123456789ab.parquet"
COMMANDS = {name: line for name, line in examples().items() if "my-eval" in line}
Hostile = Callable[[Path, Path], None]
"""What a stranger does to a folder, given also a folder that belongs to the user."""


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A stranger's evaluation, and the user's own files beside it."""
    folder, mine = tmp_path / "my-eval", tmp_path / "mine"
    for each in (folder, mine):
        each.mkdir()
    rows = [Summary("t1", system, f"Text of {system}.", roles=("peer",)) for system in "ab"]
    (folder / "summaries.jsonl").write_text("".join(f"{json.dumps(r.as_dict())}\n" for r in rows))
    (mine / "summaries.jsonl").write_text((folder / "summaries.jsonl").read_text().replace("Text", "Secret"))
    (mine / "victim.txt").write_text("mine")
    (mine / "evaluation.toml").write_text('name = "secret"\n')
    sqlite3.connect(mine / "judgments.sqlite").close()
    return folder, mine


def journal(replace: object, remove: object = ()) -> Hostile:
    """A journal, and files to put in place for the names that it has."""

    def made(folder: Path, mine: Path) -> None:
        staging = folder / STAGING
        staging.mkdir()
        for name in replace if isinstance(replace, list) else []:
            if isinstance(name, str) and "\0" not in name and not Path(name).is_absolute():
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                (staging / name).write_text("theirs")
        text = json.dumps(
            {"replace": replace, "remove": list(remove) if isinstance(remove, tuple) else remove}
        )
        (staging / JOURNAL).write_text(text.replace("MINE", str(mine)))

    return made


def raw(text: str | bytes) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        (folder / STAGING).mkdir()
        (folder / STAGING / JOURNAL).write_bytes(text.encode() if isinstance(text, str) else text)

    return made


def link(name: str, target: str) -> Hostile:
    """A name in the folder that leads to the user's files."""

    def made(folder: Path, mine: Path) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(mine / target)

    return made


def both(first: Hostile, second: Hostile) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        first(folder, mine)
        second(folder, mine)

    return made


def pipe(name: str) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return made


def staged_link(folder: Path, mine: Path) -> None:
    journal(["topics.jsonl"])(folder, mine)
    (folder / STAGING / "topics.jsonl").unlink()
    (folder / STAGING / "topics.jsonl").symlink_to(mine / "victim.txt")


def staged_pipe(folder: Path, mine: Path) -> None:
    journal(["topics.jsonl"])(folder, mine)
    (folder / STAGING / "topics.jsonl").unlink()
    os.mkfifo(folder / STAGING / "topics.jsonl")


def staged_folder_of_links(folder: Path, mine: Path) -> None:
    journal([])(folder, mine)
    (folder / STAGING / JOURNAL).write_text(json.dumps({"replace": [SCORE], "remove": []}))
    (mine / SCORE).parent.mkdir()
    (mine / SCORE).write_text("mine")
    (folder / STAGING / "scores").symlink_to(mine / "scores")


def staging_elsewhere(folder: Path, mine: Path) -> None:
    (mine / JOURNAL).write_text(json.dumps({"replace": ["summaries.jsonl"], "remove": []}))
    (folder / STAGING).symlink_to(mine)


HOSTILE: dict[str, Hostile] = {
    "replace by absolute path": journal(["MINE/victim.txt"]),
    "replace above": journal(["../mine/victim.txt"]),
    "replace above, through scores": journal(["scores/../../mine/victim.txt"]),
    "replace with dots that stay": journal(["./topics.jsonl"]),
    "replace a name with a backslash": journal(["..\\mine\\victim.txt"]),
    "replace a name with NUL": journal(["topics.jsonl\0"]),
    "replace the settings": journal(["evaluation.toml"]),
    "replace the lock": journal([LOCK]),
    "replace the database": journal(["judgments.sqlite"]),
    "replace a file twice": journal(["topics.jsonl", "topics.jsonl"]),
    "replace and remove a file": journal(["topics.jsonl"], ("topics.jsonl",)),
    "remove by absolute path": journal([], ("MINE/victim.txt",)),
    "remove above": journal([], ("../mine/victim.txt",)),
    "remove the journal": journal([], (f"{STAGING}/{JOURNAL}",)),
    "names that are numbers": journal([1, None, ["a"]]),
    "a text of names": journal("summaries.jsonl"),
    "no list": journal({"topics.jsonl": 1}, 7),
    "not JSON": raw("{"),
    "no object": raw("[]"),
    "null": raw("null"),
    "empty": raw(""),
    "a key twice": raw('{"replace": [], "remove": [], "replace": ["/etc/passwd"]}'),
    "another key": raw('{"replace": [], "remove": [], "run": "rm"}'),
    "add to the history from above": raw(
        '{"replace": [], "remove": [], "history": {"add": "../../mine", "drop": []}}'
    ),
    "drop from above": raw('{"replace": [], "remove": [], "history": {"add": null, "drop": ["../../mine"]}}'),
    "drop the folder": raw('{"replace": [], "remove": [], "history": {"add": null, "drop": ["."]}}'),
    "a history that is a list": raw('{"replace": [], "remove": [], "history": ["000001"]}'),
    "a history with another key": raw(
        '{"replace": [], "remove": [], "history": {"add": null, "drop": [], "run": "rm"}}'
    ),
    "the history is a link": link(".history", "."),
    "the history is a pipe": pipe(".history"),
    "a staged entry is a link": both(
        raw('{"replace": [], "remove": [], "history": {"add": "000001", "drop": []}}'),
        link(f"{STAGING}/.history", "."),
    ),
    "a key missing": raw('{"replace": []}'),
    "not UTF-8": raw(b'{"replace": ["\xff"], "remove": []}'),
    "nested deeply": raw("[" * 100_000),
    "a number of many digits": raw('{"replace": [' + "9" * 5_000 + '], "remove": []}'),
    "huge": raw(b" " * (LARGEST_JOURNAL + 1)),
    "a staged file is a link": staged_link,
    "a staged file is a pipe": staged_pipe,
    "the staged scores are a link": staged_folder_of_links,
    "the scores are a link": both(link("scores", "."), journal([SCORE])),
    "the scores are a link that leads nowhere": both(link("scores", "new"), journal([SCORE])),
    "staging is a link": staging_elsewhere,
    "staging is a link that leads nowhere": link(STAGING, "new"),
    "the journal is a link": both(raw(""), link(f"{STAGING}/{JOURNAL}", "victim.txt")),
    "the journal is a pipe": both(raw(""), pipe(f"{STAGING}/{JOURNAL}")),
    "the lock is a link": link(LOCK, "victim.txt"),
    "the lock is a link that leads nowhere": link(LOCK, "new"),
    "the lock is a pipe": pipe(LOCK),
    "texts are a link": link("summaries.jsonl", "summaries.jsonl"),
    "texts are a link that leads nowhere": both(link("topics.jsonl", "new"), link("units.jsonl", "new2")),
    "texts are a pipe": pipe("documents.jsonl"),
    "settings are a link": link("evaluation.toml", "evaluation.toml"),
    "settings are a link that leads nowhere": link("evaluation.toml", "new"),
    "the log of changes is a link": link("changes.jsonl", "victim.txt"),
    "judgments are a link": link("judgments.sqlite", "judgments.sqlite"),
    "judgments are a link that leads nowhere": link("judgments.sqlite", "new"),
    "the database's log is a link": link("judgments.sqlite-wal", "victim.txt"),
    "a pending change is a link": link(".tasks.json", "victim.txt"),
    "a score file is a link": link(SCORE, "victim.txt"),
    "a protocol is a link": link("protocols/own.toml", "evaluation.toml"),
}


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


@pytest.mark.parametrize("name", HOSTILE)
def test_opening_a_hostile_folder_is_refused_in_one_line(place: tuple[Path, Path], name: str) -> None:
    folder, mine = place
    HOSTILE[name](folder, mine)
    before = everything(mine)
    names = {path.name for path in folder.iterdir()}
    with pytest.raises(DataError) as refused:
        Folder.open(folder)
    assert "\n" not in str(refused.value)
    assert "emove" in str(refused.value) or "put the" in str(refused.value)
    with pytest.raises(DataError), Transaction(folder):
        pass
    assert everything(mine) == before
    assert {path.name for path in folder.iterdir()} - names <= {LOCK}


WORST = (
    "replace by absolute path",
    "replace above, through scores",
    "remove above",
    "the scores are a link",
    "staging is a link",
    "the lock is a link that leads nowhere",
    "texts are a link",
    "judgments are a link",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_touches_a_file_outside(place: tuple[Path, Path], command: str) -> None:
    folder, mine = place
    clean = everything(folder)
    for name in WORST:
        HOSTILE[name](folder, mine)
        before = everything(mine)
        done = called(folder.parent, *shlex.split(COMMANDS[command])[1:])
        assert done.returncode in (1, 2), (name, done.stdout)
        assert "Traceback" not in done.stderr
        assert everything(mine) == before, name
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for kept, content in clean.items():
            (folder / kept).write_bytes(content or b"")


def test_making_an_evaluation_follows_no_link(place: tuple[Path, Path]) -> None:
    folder, mine = place
    (folder / "summaries.jsonl").unlink()
    link("evaluation.toml", "new")(folder, mine)
    before = everything(mine)
    with pytest.raises(DataError, match=r"evaluation\.toml: is a link"):
        Folder.init(folder)
    assert everything(mine) == before


def test_a_history_of_links_is_dropped_and_not_followed(place: tuple[Path, Path]) -> None:
    folder, mine = place
    (folder / ".history").mkdir()
    (folder / ".history" / "000001").symlink_to(mine)
    (folder / ".history" / "000002").mkdir()
    (folder / ".history" / "000002" / "scores").symlink_to(mine)
    drop = '{"replace": [], "remove": [], "history": {"add": null, "drop": ["000001", "000002", "000003"]}}'
    raw(drop)(folder, mine)
    before = everything(mine)
    Folder.open(folder)
    assert list((folder / ".history").iterdir()) == []
    assert everything(mine) == before


def test_a_journal_of_ones_own_is_still_finished(place: tuple[Path, Path]) -> None:
    folder, mine = place
    journal(["topics.jsonl", SCORE], ("units.jsonl",))(folder, mine)
    (folder / "units.jsonl").write_text("")
    (folder / STAGING / "topics.jsonl").write_text('{"topic": "t1"}\n')
    Folder.open(folder)
    assert (folder / "topics.jsonl").exists()
    assert (folder / SCORE).exists()
    assert not (folder / STAGING).exists()
    assert not (folder / "units.jsonl").exists()
