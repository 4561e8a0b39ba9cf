"""An evaluation that must survive bad input, and small files to import."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import spoken
from adjudge.data.folder import Folder
from adjudge.data.incoming import ImportReport, Item, take_all
from adjudge.data.rows import Summary
from adjudge.data.scores import MeasureInfo, Score

from .shapes import Attempt, Imported, Refused, Write


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, with all its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@cache
def _existing() -> dict[str, bytes]:
    """The files of an evaluation that holds something already."""
    items: Sequence[Item] = [
        ("here:1", Summary("old", "lead", "An old summary.")),
        ("here:2", MeasureInfo("imported:old")),
        ("here:3", Score("imported:old", "old", "lead", 0.5)),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "my-eval"
        take_all(Folder.init(folder), items)
        return bytes_of(folder)


def _attempt(folder: Path, items: Iterable[Item]) -> ImportReport | AdjudgeError:
    """Import, or an error of one line that leaves the folder as it was, byte for byte."""
    if not folder.exists():
        for name, content in _existing().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    before = bytes_of(folder)
    try:
        return take_all(Folder.open(folder), items)
    except AdjudgeError as error:
        failure = error
    assert len(str(failure).splitlines()) == 1
    assert bytes_of(folder) == before
    return failure


@pytest.fixture(scope="session")
def attempt() -> Attempt:
    return _attempt


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """The one line that an import ends with on the command line; fails where it does not."""

    def run(items: Iterable[Item]) -> str:
        result = _attempt(tmp_path / "my-eval", items)
        assert isinstance(result, AdjudgeError), result
        return spoken(result.text, "command").removesuffix(". Nothing was imported")

    return run


@pytest.fixture
def imported(tmp_path: Path) -> Imported:
    """The report of an import that goes through."""

    def run(items: Iterable[Item]) -> ImportReport:
        result = _attempt(tmp_path / "my-eval", items)
        if isinstance(result, AdjudgeError):
            raise result
        return result

    return run


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file in a folder that becomes the current one, so that places are short."""
    monkeypatch.chdir(tmp_path)

    def run(name: str, content: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return run


@pytest.fixture
def summeval_file(shared_data: Path) -> Path:
    return shared_data / "summeval" / "model_annotations.12systems.jsonl"
