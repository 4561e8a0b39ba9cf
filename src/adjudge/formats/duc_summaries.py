"""Summaries named like NIST's: D0601.M.250.A.17 is topic, task, length, selector and summarizer.

Plain text, or HTML as the evaluation program SEE wrote it: one unit a line, each in `<a ... id=N>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from adjudge.data.incoming import Item
from adjudge.data.rows import Summary, System, Topic
from adjudge.formats.files import NIST_TASKS, Once, Place, bare_name, byte_lines
from adjudge.formats.markup import characters, decoded, refuse_declarations, tokens
from adjudge.formats.records import ROLES, Role

_NAME = re.compile(
    r"(?P<topic>[^.]+)\.(?P<task>[MS])\.(?P<length>[0-9]{1,6})\.(?P<selector>[^.]+)"
    r"\.(?P<who>[A-Za-z]|[0-9]{1,6})(\.html?|\.txt|\.see)?",
    re.IGNORECASE,
)
_SEE = re.compile(r"<a\s[^<>]*\bid\s*=", re.IGNORECASE)
_HAS_ID = re.compile(r"\bid\s*=", re.IGNORECASE)


def is_summary(path: Path) -> bool:
    """Whether the file is named like a summary of NIST's."""
    return _NAME.fullmatch(bare_name(path)) is not None


def read_summary(
    path: Path, once: Once, *, role: Role | None, max_line: int, encoding: str | None
) -> Iterator[Item]:
    """The topic, system and summary of one such file."""
    place = Place(path, 1)
    named = _NAME.fullmatch(bare_name(path))
    if named is None:
        raise place.wrong("not named TOPIC.M.LENGTH.SELECTOR.SUMMARIZER")
    human = named["who"].isalpha()
    data = {"topic": named["topic"], "task": NIST_TASKS[named["task"].upper()], "selector": named["selector"]}
    topic = place.row(Topic, data)
    system = place.row(System, {"system": named["who"], "kind": "human" if human else None})
    text = _text(path, place, max_line, encoding)
    yield from once.new(place, topic)
    yield from once.new(place, system)
    summary = {
        "topic": topic.topic,
        "system": system.system,
        "length": place.whole_number("length", named["length"], least=1),
        "roles": list(ROLES[role or ("both" if human else "peer")]),
        "text": text,
    }
    yield place.item(place.row(Summary, summary))
    yield from place.noted()


def _text(path: Path, place: Place, max_line: int, encoding: str | None) -> str:
    lines: list[bytes] = []
    size = 0
    for number, line in byte_lines(path, max_line=max_line):
        refuse_declarations(line, Place(path, number))
        size += len(line)
        if size > max_line:
            raise place.wrong(f"the summary is longer than {max_line:,} bytes; allow more with --max-line")
        lines.append(line)
    text = decoded(b"".join(lines), place, encoding)
    is_html = text.lstrip()[:5].lower() == "<html"
    if is_html and "</html" not in text.lower():
        raise place.wrong("no </html>: is the file cut off?")
    if _SEE.search(text):
        return "\n".join(_units(text, place))
    if is_html:
        raise place.wrong("HTML without units, expected <a href=... id=1>text</a>")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def _units(text: str, place: Place) -> Iterator[str]:
    unit: list[str] | None = None
    for token in tokens(text):
        if isinstance(token, str):
            if unit is not None:
                unit.append(characters(token, place))
        elif token.name == "A" and token.closes and unit is not None:
            yield " ".join("".join(unit).split())
            unit = None
        elif token.name == "A" and unit is not None:
            raise place.wrong("an <a> begins inside a unit: is a </a> missing?")
        elif token.name == "A" and _HAS_ID.search(token.attributes):
            unit = []
    if unit is not None:
        raise place.wrong("the last unit is not closed: is the file cut off?")
