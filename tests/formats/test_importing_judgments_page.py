"""docs/importing-judgments.md: its files are read as its commands say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.data.incoming import Remark
from adjudge.formats import crowd, nist, see
from adjudge.formats.summeval import read_judgments
from adjudge.judgments.intake import Item
from adjudge.judgments.tasks import Event

PAGE = Path(__file__).parents[2] / "docs" / "importing-judgments.md"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
READERS: dict[str, Callable[..., Iterator[Item]]] = {
    "nist": nist.read,
    "see": see.read,
    "summeval": read_judgments,
    "crowd": crowd.read,
}


def blocks() -> list[tuple[str, str, str]]:
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def examples() -> list[tuple[str, str, str]]:
    """Every command, with the file above it and what stands in it."""
    found = []
    name = text = ""
    for language, file, content in blocks():
        if file:
            name, text = file, content
        elif language == "sh":
            found.append((content.strip(), name, text))
    return found


def options(words: list[str]) -> dict[str, Any]:
    pairs = zip(words[::2], words[1::2], strict=True)
    named = {name.removeprefix("--").replace("-", "_"): value for name, value in pairs}
    return {name: int(value) if value.isdigit() else value for name, value in named.items()}


def test_every_format_has_an_example() -> None:
    assert {shlex.split(command)[3] for command, _, _ in examples()} == set(READERS)


@pytest.mark.parametrize(("command", "name", "text"), examples(), ids=[each[0] for each in examples()])
def test_the_examples_are_read(command: str, name: str, text: str, tmp_path: Path) -> None:
    words = shlex.split(command)
    assert words[:3] == ["adjudge", "judgments", "import"]
    assert words[4:6] == [name, "my-eval"]
    (tmp_path / name).write_text(text, encoding="utf-8")
    items = list(READERS[words[3]]([tmp_path / name], evaluation="my-eval", **options(words[6:])))
    assert not [thing for _, thing in items if isinstance(thing, Remark)]
    assert [thing for _, thing in items if isinstance(thing, Event)]


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = {name: text for _, name, text in blocks() if name}["content.table"]
    (tmp_path / "content.table").write_text(file, encoding="utf-8")
    (code,) = (text for language, _, text in blocks() if language == "python")
    exec(code, {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[:4] == [f"content.table:7 {kind}" for kind in ("Topic", "System", "Task", "Event")]


def test_every_name_of_a_column_is_listed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for names in crowd.NAMES.values() for name in names if f"`{name}`" not in text] == []
