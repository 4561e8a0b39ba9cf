"""Where the summaries are that ROUGE-1.5.5's settings name: as they stand, or below another root."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from adjudge.formats.files import Place, reading, shown
from adjudge.formats.rouge155_settings import Listed

Side = Literal["peer", "model"]


@dataclass(slots=True)
class Files:
    """Finds files. `root` is the folder that has them now; `closed` refuses what lies outside a file's own root.

    Below a new root a file is looked for under as much of its old path as is there: of /old/duc/peers/a.spl
    first DIR/old/duc/peers/a.spl, then DIR/duc/peers/a.spl, DIR/peers/a.spl, DIR/a.spl. The first file of an
    old root decides for all of that root.
    """

    settings: Path
    root: Path | None = None
    closed: bool = False
    _folders: dict[tuple[str, Side], Path] = field(default_factory=dict)

    def find(self, listed: Listed, side: Side) -> Path | None:
        """The file, or None where there is none."""
        place = Place(self.settings, listed.line)
        if self.root is None:
            return self._as_it_stands(listed, place)
        return self._below(self.root, listed, side, place)

    def expected(self, listed: Listed) -> str:
        """The file in words, for a message."""
        return "/".join(part for part in (listed.root.rstrip("/"), listed.name) if part)

    def _as_it_stands(self, listed: Listed, place: Place) -> Path | None:
        name = listed.name.lstrip("/")  # the original puts a slash between root and name, whatever they are
        folders = [Path(listed.root)]
        if not folders[0].is_absolute():
            folders.append(self.settings.parent / listed.root)
        for folder in folders:
            if is_file(folder / name):
                if self.closed:
                    _must_stay(folder / name, folder, place)
                return folder / name
        return None

    def _below(self, root: Path, listed: Listed, side: Side, place: Place) -> Path | None:
        name = _parts(listed.name)
        if ".." in name:
            raise place.wrong(f"{shown(listed.name)} leaves the folder {root}")
        known = self._folders.get((listed.root, side))
        for folder in [known] if known else _candidates(root, _parts(listed.root)):
            path = folder.joinpath(*name)
            if is_file(path):
                _must_stay(path, root, place)
                self._settle(listed, side, folder, place)
                return path
        return None

    def _settle(self, listed: Listed, side: Side, folder: Path, place: Place) -> None:
        """Remember the folder; peers and models that had two folders must not end up in one."""
        for (old, other), taken in self._folders.items():
            if other != side and old != listed.root and taken == folder:
                raise place.wrong(
                    f"peers and models are in two folders here, but both are found in {folder}:"
                    " give the folder above the two as --root"
                )
        self._folders[listed.root, side] = folder


def is_file(path: Path) -> bool:
    with reading(path):
        return path.is_file()


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]


def _candidates(root: Path, old: list[str]) -> list[Path]:
    for k in range(len(old) - 1, -1, -1):
        if old[k] == "..":  # what was above the old root says nothing about the new one
            old = old[k + 1 :]
            break
    return [root.joinpath(*old[k:]) for k in range(len(old) + 1)]


def _must_stay(path: Path, home: Path, place: Place) -> None:
    try:
        inside = path.resolve().is_relative_to(home.resolve())
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        raise place.wrong(f"{shown(path)} leaves the folder {home}: a path to somewhere else is not followed")
