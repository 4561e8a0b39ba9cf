"""evaluation.toml: written by people, checked here; after `init` no command rewrites it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import FormatError, nearest, quoted

FILE = "evaluation.toml"

TEMPLATE = """\
# An Adjudge evaluation. People write this file; no command changes it after `adjudge init`.
# What is evaluated stands beside it, one JSON object a line:
#   summaries.jsonl   {{"topic", "system", "length", "roles", "author", "text", "withdrawn"}}   needed
#   documents.jsonl   {{"topic", "id", "date", "text"}}
#   topics.jsonl      {{"topic", "set", "type", "task", "selector", "title", "question"}}
#   systems.jsonl     {{"system", "kind", "label", "group"}}        kind: machine, baseline, human
#   units.jsonl       made by `adjudge units`; edit it by hand and set "edited": true
#   scores/           made by `adjudge score` and `adjudge import scores`

name = {name}

# The language of the texts (ISO 639-1). It chooses the sentence rules, stop words and stemmers.
language = "en"

# Target lengths in words that summaries were asked for. Leave it empty where there was none.
lengths = []

# What assessors are asked: duc-2001, duc-2002, pyramid, preference, rating.
# protocol = "duc-2002"

# Where judgments are kept. Unset: judgments.sqlite in this folder.
# database = "postgresql+psycopg://user@host/name"
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """What evaluation.toml says."""

    name: str
    language: str = "en"
    lengths: tuple[int, ...] = ()
    protocol: str | None = None
    database: str | None = None


_KNOWN = ("name", "language", "lengths", "protocol", "database")


def render(name: str) -> str:
    """A new, commented evaluation.toml."""
    return TEMPLATE.format(name=json.dumps(name, ensure_ascii=False))  # a TOML string too


def read(folder: Path) -> Settings:
    """The settings of a folder; a folder without the file gets its own name and the defaults."""
    path = folder / FILE
    try:
        with path.open("rb") as stream:
            data = tomllib.load(stream)
    except FileNotFoundError:
        return Settings(name=folder.resolve().name)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"not TOML: {error}", file=path) from None
    for key in data:
        if key not in _KNOWN:
            raise FormatError(f"unknown setting {quoted(key)}{nearest(key, _KNOWN)}", file=path)
    return Settings(
        name=_text(data, "name", path) or folder.resolve().name,
        language=_text(data, "language", path) or "en",
        lengths=_lengths(data, path),
        protocol=_text(data, "protocol", path),
        database=_text(data, "database", path),
    )


def _text(data: dict[str, Any], key: str, path: Path) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise FormatError(f"{key} is {quoted(value)}, expected a text in quotes", file=path)
    return value


def _lengths(data: dict[str, Any], path: Path) -> tuple[int, ...]:
    value = data.get("lengths", [])
    if not isinstance(value, list) or not all(type(v) is int and v > 0 for v in value):
        raise FormatError(
            f"lengths is {quoted(value)}, expected numbers of words such as [50, 100]", file=path
        )
    return tuple(value)
