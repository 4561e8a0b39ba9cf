"""Protocols: what assessors are asked and on which scale, read from TOML files. What a kind of them asks: `kinds/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from adjudge.core.errors import ClashError, DataError, UsageError, nearest, quoted
from adjudge.data.folder import Folder, parse_toml, read_text
from adjudge.data.layout import PROTOCOLS, SETTINGS, check_plain_file, check_plain_folder
from adjudge.judgments.kinds import KINDS
from adjudge.judgments.kinds.base import NOTES, Choice, Protocol, ProtocolFile, Question, Value
from adjudge.judgments.kinds.coverage import QUALITY, UNIT, UNMARKED, inconsistency
from adjudge.judgments.kinds.mismatch import BETWEEN_TAGS, LONGEST_TAG, MOST_TAGS, TAGS, check_tags, same_tag
from adjudge.judgments.kinds.preference import PREFERENCE
from adjudge.judgments.kinds.rating import RATING
from adjudge.judgments.pyramid import PYRAMID, PYRAMID_PEER

__all__ = [
    "BETWEEN_TAGS",
    "LONGEST_TAG",
    "MOST_TAGS",
    "NOTES",
    "PREFERENCE",
    "PYRAMID",
    "PYRAMID_PEER",
    "QUALITY",
    "RATING",
    "TAGS",
    "UNIT",
    "UNMARKED",
    "Choice",
    "Protocol",
    "Question",
    "Value",
    "check_tags",
    "inconsistency",
    "load_protocol",
    "new_protocol_files",
    "own_protocol_file",
    "own_protocols",
    "parse_protocol",
    "protocol_file",
    "protocol_names",
    "protocol_of",
    "protocols_of",
    "read",
    "same_tag",
]


def protocol_names() -> tuple[str, ...]:
    """The protocols that come with Adjudge."""
    return tuple(
        sorted(
            file.name.removesuffix(".toml") for file in _shipped().iterdir() if file.name.endswith(".toml")
        )
    )


def load_protocol(name: str | Path) -> Protocol:
    """A protocol by name, or from a file of one's own (anything that ends in .toml)."""
    if str(name).endswith(".toml"):
        path = Path(name)
        text = read_text(path)
        return replace(parse_protocol(text, str(path)), source=text)
    if name not in protocol_names():
        raise UsageError(
            f"no protocol {quoted(str(name))}{nearest(str(name), protocol_names())};"
            f" there are: {', '.join(protocol_names())}, or a file that ends in .toml"
        )
    return parse_protocol((_shipped() / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")


def parse_protocol(text: str, where: str) -> Protocol:
    """A protocol from TOML; a mistake is one line."""
    return read(parse_toml(text, Path(where)), where)


def _shipped() -> Any:
    return files("adjudge.judgments") / "protocols"


def protocol_of(folder: Folder, name: str | None = None) -> Protocol:
    """A protocol by name, or from a file of one's own; the evaluation's own unless one is named.

    Files of one's own lie in the folder: the one that evaluation.toml names, and those in protocols/, where an import
    keeps the protocol of its judgments.
    """
    chosen = name or folder.settings.protocol
    if chosen is None:
        raise UsageError(f'{folder.path}: no protocol is named; set protocol = "duc-2002" in evaluation.toml')
    if name is None and chosen.endswith(".toml"):
        return load_protocol(_own_file(folder, chosen))
    return own_protocols(folder).get(chosen) or load_protocol(chosen)


def own_protocols(folder: Folder) -> dict[str, Protocol]:
    """The protocols that lie in a folder, by name; the one that evaluation.toml names comes first."""
    return {protocol.name: protocol for _, protocol in reversed(_own(folder))}


def own_protocol_file(folder: Folder, name: str) -> str | None:
    """The file of a protocol that lies in a folder; None for any other."""
    return next((str(path) for path, protocol in _own(folder) if protocol.name == name), None)


def _own(folder: Folder) -> list[tuple[Path, Protocol]]:
    configured = folder.settings.protocol
    paths = (
        [path]
        if configured and configured.endswith(".toml") and (path := _own_file(folder, configured)).exists()
        else []
    )
    if check_plain_folder(folder.path / PROTOCOLS):
        paths += sorted((folder.path / PROTOCOLS).glob("*.toml"))
    for file in paths:
        check_plain_file(file)
    return [(file, load_protocol(file)) for file in dict.fromkeys(paths)]


def protocols_of(folder: Folder, names: Iterable[str]) -> dict[str, Protocol]:
    """Those of the protocols of these names that are known: shipped ones, and those that lie in the folder.

    The names may come from a store, so none is taken for a path.
    """
    in_folder, shipped = own_protocols(folder), protocol_names()
    by_name = {
        name: in_folder.get(name) or (load_protocol(name) if name in shipped else None) for name in names
    }
    return {name: protocol for name, protocol in by_name.items() if protocol is not None}


def protocol_file(name: str) -> str:
    """protocols/my-rating--1f3a....toml: where a folder keeps the protocol of judgments that were imported."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "protocol"
    return f"{PROTOCOLS}/{slug}--{blake2b(name.encode(), digest_size=6).hexdigest()}.toml"


def new_protocol_files(folder: Folder, used: Iterable[Protocol]) -> dict[str, str]:
    """The files that a folder lacks of the protocols of an import: their names and texts.

    One that has the name of another protocol is refused: its judgments could not be told from the other's.
    """
    in_folder = own_protocols(folder)
    new_files: dict[str, str] = {}
    for protocol in used:
        there = in_folder.get(protocol.name)
        if there is None and protocol.name in protocol_names():
            there = load_protocol(protocol.name)
        if there is None and protocol.source:
            new_files[protocol_file(protocol.name)] = protocol.source
        elif there is not None and there != protocol:
            raise ClashError(
                f"{folder.path}: there is another protocol {quoted(protocol.name)} already;"
                " give yours a name of its own (name = ... in its file)"
            )
    return new_files


def _own_file(folder: Folder, name: str) -> Path:
    """The file that evaluation.toml names: in the folder, and no link on the way."""
    parts = PurePosixPath(name).parts
    if PurePosixPath(name).is_absolute() or ".." in parts or "\\" in name or ":" in name:
        raise DataError(
            f"{folder.path / SETTINGS}: protocol is {quoted(name)}, which leaves the folder; put the file into it"
        )
    for k in range(1, len(parts)):
        check_plain_folder(folder.path.joinpath(*parts[:k]))
    check_plain_file(folder.path / name)
    return folder.path / name


COMMON = ("name", "version", "kind", "title", "guidelines")


def read(data: Mapping[str, Any], where: str) -> Protocol:
    """A protocol from what its file holds."""
    file = ProtocolFile(where)
    kind = KINDS[file.one_of("kind", data.get("kind"), KINDS)]
    keys = (*COMMON, *kind.KEYS)
    for key in data:
        if key not in keys:
            file.fail(f"{quoted(key)} is not known{nearest(key, keys)} in a {kind.KIND} protocol")
    return kind(
        name=file.text("name", data.get("name")),
        version=file.text("version", data.get("version")),
        kind=kind.KIND,
        title=file.text("title", data.get("title")),
        guidelines=file.text("guidelines", data.get("guidelines", "")).strip(),
        **kind.parse(file, data),
    )
