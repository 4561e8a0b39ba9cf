"""Summaries as ROUGE-1.5.5's settings list them, as rows: peers, and models as references.

EVALs that differ in the reference left out (NIST's jackknife) are one topic again, with all references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Summary, System, Topic
from adjudge.errors import UsageError
from adjudge.formats.files import Once, Paths, Place, bare_name, find_files, shown, stem
from adjudge.formats.markup import characters, decoded
from adjudge.formats.rouge155_files import Files, Side
from adjudge.formats.rouge155_names import EvalName, is_person
from adjudge.formats.rouge155_settings import Listed, Trial, known_format, read_list, read_settings
from adjudge.formats.rouge155_units import read_bytes, units

MISSING = LeftOut("summary file is missing (--root names the folder that has them now)")
NO_SUMMARIES = LeftOut("basic elements (SIMPLE) are no summaries")
NO_UNITS = LeftOut("summary file without units of its format")
UNSEEN = LeftOut("unit, or part of one, that is not on one line: ROUGE-1.5.5 does not see it")

_SETTINGS, _LIST = ".xml", ".lst"
_ANCHOR = re.compile(r"<a\s[^<>]*\bid\s*=|<S\s[^<>]*\bSNTNO\s*=", re.IGNORECASE)


def read(
    paths: Paths,
    *,
    root: str | Path | None = None,
    form: str | None = None,
    system: str | None = None,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Summaries of settings files (XML), or of lists (.lst), which need `form` and take `system` as their peer.

    `root` is the folder that has the files now; nothing outside it is read, and without it nothing outside
    the roots that the settings name. Without `encoding`, UTF-8 is tried and Windows-1252 used for other bytes.
    """
    folder = None if root is None else Path(root)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"--root is {shown(folder)}, which is no folder")
    form = None if form is None else known_format(form)
    once = Once()
    for path, left in find_files(paths, (_SETTINGS, _LIST)):
        if left:
            yield str(path), left
            continue
        trials = _trials(path, form, system, max_line)
        yield from _File(Files(path, folder, closed=True), once, max_line, encoding).items(trials)


def _trials(path: Path, form: str | None, system: str | None, max_line: int) -> list[Trial]:
    name = bare_name(path).lower()
    if name.endswith(_LIST) or (form and not name.endswith(_SETTINGS)):
        if form is None:
            raise UsageError(f"{path} is a list, which does not say its format: add --format SPL, SEE or ISI")
        peer = Place(path, 1).name("--system", system or stem(path).removesuffix(_LIST))
        return read_list(path, form, peer, max_line=max_line)
    return read_settings(path, max_line=max_line)


@dataclass(slots=True)
class _Gathered:
    """A topic at one length: every file once, in the order of the settings."""

    name: EvalName
    line: int
    peers: dict[tuple[str, Path], tuple[int, str]] = field(default_factory=dict)
    models: dict[tuple[str, Path], tuple[int, str]] = field(default_factory=dict)


class _File:
    """One settings file."""

    def __init__(self, files: Files, once: Once, max_line: int, encoding: str | None) -> None:
        self._files, self._once = files, once
        self._max_line, self._encoding = max_line, encoding

    def items(self, trials: list[Trial]) -> Iterator[Item]:
        topics: dict[tuple[str, int | None], _Gathered] = {}
        missing: set[tuple[str, str, str]] = set()
        for trial in trials:
            name = EvalName.parse(trial.id)
            here = topics.setdefault((name.topic, name.length), _Gathered(name, trial.line))
            sides: list[tuple[Side, list[Listed], dict[tuple[str, Path], tuple[int, str]]]] = [
                ("peer", list(trial.peers.values()), here.peers),
                ("model", trial.models, here.models),
            ]
            for side, listed, into in sides:
                for each in listed:
                    path = self._files.find(each, side)
                    if path is not None:
                        into.setdefault((each.id, path), (each.line, trial.format))
                    elif (side, each.root, each.name) not in missing:
                        missing.add((side, each.root, each.name))
                        yield Place(self._files.settings, each.line).item(MISSING)
        if not any(here.peers or here.models for here in topics.values()):
            first = next(each for trial in trials for each in (*trial.peers.values(), *trial.models))
            raise Place(self._files.settings, first.line).wrong(
                f"no file {shown(self._files.expected(first))}, nor any other that is named here:"
                " --root DIR names the folder that has them now"
            )
        renamed = {name for here in topics.values() for name in self._two_writers(here)}
        for here in topics.values():
            yield from self._topic(here, renamed)

    def _two_writers(self, here: _Gathered) -> Iterator[str]:
        """IDs that a peer and a model of one topic share although their texts differ."""
        models: dict[str, list[Path]] = {}
        for name, path in here.models:
            models.setdefault(name, []).append(path)
        for name, path in here.peers:
            if any(not self._same(path, other) for other in models.get(name, ())):
                yield name

    def _same(self, path: Path, other: Path) -> bool:
        return path == other or self._bytes(path) == self._bytes(other)

    def _bytes(self, path: Path) -> bytes:
        return read_bytes(path, max_size=self._max_line)

    def _topic(self, here: _Gathered, renamed: set[str]) -> Iterator[Item]:
        place, name = Place(self._files.settings, here.line), here.name
        data = {"topic": name.topic, "task": name.task, "selector": name.selector}
        yield from self._once.new(place, place.row(Topic, data))
        writers = {w for w, _ in here.models}
        both = {w for w, _ in here.peers} & writers - renamed
        for (peer, path), (line, form) in here.peers.items():
            roles = ["peer", "reference"] if peer in both else ["peer"]
            human = peer in both or (name.length is not None and is_person(peer))
            yield from self._summary(name, peer, path, line, form, roles, human)
        for (model, path), (line, form) in here.models.items():
            if model not in both:
                writer = f"reference-{model}" if model in renamed else model
                yield from self._summary(name, writer, path, line, form, ["reference"], True)

    def _summary(
        self, name: EvalName, system: str, path: Path, line: int, form: str, roles: list[str], human: bool
    ) -> Iterator[Item]:
        place = Place(self._files.settings, line)
        text = self._text(Place(path, 1), form)
        if isinstance(text, LeftOut):
            yield str(path), text
            return
        row = place.row(System, {"system": system, "kind": "human" if human else None})
        yield from self._once.new(place, row)
        data = {
            "topic": name.topic,
            "system": row.system,
            "length": name.length,
            "roles": roles,
            "text": place.text("text", text[0]),
        }
        yield place.item(place.row(Summary, data))
        yield from place.noted()
        yield from ((str(path), note) for note in text[1])

    def _text(self, place: Place, form: str) -> tuple[str, list[LeftOut]] | LeftOut:
        """A unit a line, as the original sees them, but with entities as characters."""
        if form == "SIMPLE":
            return NO_SUMMARIES
        raw = self._bytes(place.path)
        if b"\0" in raw:
            raise place.wrong("a NUL byte: this is no text file")
        text = decoded(raw, place, self._encoding).removeprefix("\ufeff")
        found = units(text, form)
        if form == "SPL":
            return "\n".join(line.rstrip() for line in found), place.notes
        if not found:
            return NO_UNITS
        unseen = len(_ANCHOR.findall(text)) - len(found) + sum(unit.endswith("\n") for unit in found)
        lines = [" ".join(characters(unit, place).split()) for unit in found]
        return "\n".join(lines), [*place.notes, *[UNSEEN] * max(unseen, 0)]
