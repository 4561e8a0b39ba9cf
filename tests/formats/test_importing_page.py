"""docs/importing.md: its files are written as they stand there, and its commands run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import called

from adjudge.cli.imports import FORMATS
from adjudge.data.folder import Folder
from adjudge.formats.records import RECORD

PAGE = Path(__file__).parents[2] / "docs" / "importing.md"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[dict[str, str], str]]:
    """Every command of the page, with the files that stand between it and the one before."""
    found: list[tuple[dict[str, str], str]] = []
    files: dict[str, str] = {}
    for language, name, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if name:
            files[name] = content
        elif language == "sh":
            found.append((files, content.strip()))
            files = {}
    return found


def test_the_page_has_an_example_for_every_format() -> None:
    words = {command.split()[2] for _, command in examples()}
    formats = {word if word in FORMATS else "auto" for word in words}
    assert formats == {"auto", "lines", "folder", "jsonl", "csv", "summeval", "sacrerouge", "duc", "scores"}


@pytest.mark.parametrize(("files", "command"), examples(), ids=[command for _, command in examples()])
def test_examples_import(files: dict[str, str], command: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    Folder.init(tmp_path / "my-eval")
    words = shlex.split(command)
    assert words[0] == "adjudge"
    if "jsonl" in words:  # one kind in a process of its own, as people start it
        start = [sys.executable, "-m", *words]
        done = subprocess.run(start, cwd=tmp_path, capture_output=True, text=True)
    else:
        done = called(tmp_path, *words[1:])
    assert (done.returncode, done.stderr) == (0, "")
    assert "added" in done.stdout or "scores:" in done.stdout


def test_the_question_is_asked_as_the_page_shows_it(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    asked = re.search(r"```console\n\$ adjudge (.*)\n(.*)\n```", text)
    assert asked is not None
    files = next(files for files, _ in examples() if "cnn.csv" in files)
    (tmp_path / "cnn.csv").write_text(files["cnn.csv"], encoding="utf-8")
    Folder.init(tmp_path / "my-eval")
    done = called(tmp_path, *asked[1].split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{asked[2]}\n")


def test_the_page_lists_every_known_name_of_a_column() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = {name for field, aliases in RECORD.items() for name in (field, *aliases)}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
