"""Levels of model units: the shortest of an author's references in which a unit still appears. Scores: measures/judged.

An author who writes 200, 100, 50 and 10 words on a topic drops what matters least, so what is left ranks the units
(Over and Liggett 2002, "compare MUs across target lengths to get a simple 4-level ranking").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from adjudge.core.errors import DataError, quoted
from adjudge.data.collection import Collection, load
from adjudge.data.edit import ChangedFolder
from adjudge.data.folder import Folder
from adjudge.data.history import ChangeNote
from adjudge.data.lines import dump_json
from adjudge.data.rows import Key, Summary, Unit
from adjudge.data.transaction import Transaction
from adjudge.text.sentences import sentences
from adjudge.text.stop import FUNCTION, content_words, stop_words
from adjudge.text.words import unicode_words

LEVEL = "level"
"""The field of a unit's row."""
APPEARS = 0.5
"""A unit appears in a reference where one of its sentences has this share of the unit's content words, or more."""


@dataclass
class LevelsReport:
    """How many units got which level, how many kept the level that a person gave, how many have none."""

    levels: Counter[int] = field(default_factory=Counter)
    kept: int = 0
    without: int = 0
    why_final: str | None = None
    """Why it cannot be undone, where that is so."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "levels": dict(sorted(self.levels.items())),
            "edited_kept": self.kept,
            "without": self.without,
        }


def unit_levels(collection: Collection) -> dict[Key, int]:
    """The level of every unit of a reference, by the unit's key.

    A unit appears at a length where one sentence of the same author's reference of that length on the topic holds
    half of its distinct content words or more (words that are no function words, in lower case). Its level is the
    shortest such length, at most its own. Units of an author who wrote one length have no level.
    """
    levels: dict[Key, int] = {}
    for topic, units in collection.units.items():
        references = collection.references(topic)
        of = {r.key: r for r in references}
        sentence_words = {
            r.key: [_content(span.text) for span in sentences(r.text, collection.settings.language)]
            for r in references
        }
        for unit in units:
            reference = of.get(unit.of)
            if reference is not None and len(author_lengths(reference, references)) > 1:
                levels[unit.key] = _level(unit, shorter(reference, references), sentence_words)
    return levels


def author_lengths(reference: Summary | None, references: Iterable[Summary]) -> list[int]:
    """The target lengths at which a reference's author wrote references of its topic; none, where it has none."""
    if reference is None or reference.length is None:
        return []
    return sorted({r.length for r in references if _version(r, reference) and r.length is not None})


def shorter(reference: Summary, references: Iterable[Summary]) -> list[Summary]:
    """The same author's references that are shorter, the shortest first."""
    length = reference.length
    versions = [
        (r.length, r)
        for r in references
        if length is not None and r.length is not None and r.length < length and _version(r, reference)
    ]
    return [r for _, r in sorted(versions, key=lambda version: version[0])]


def _version(other: Summary, reference: Summary) -> bool:
    """Whether two references differ in length alone: extracts are no shorter versions of abstracts."""
    return author(other) == author(reference) and other.form == reference.form


def author(summary: Summary) -> str:
    """Who wrote a reference; the system, where the row does not say."""
    return summary.author or summary.system


def level_of(unit: Unit) -> int | None:
    """The level in a unit's row; None where there is none, or what stands there is no length."""
    level = unit.extra.get(LEVEL)
    return level if isinstance(level, int) and not isinstance(level, bool) and level > 0 else None


def add_levels(folder: Folder, *, when: str = "") -> LevelsReport:
    """Write every unit's level into units.jsonl. A unit that a person edited keeps the level it has."""
    with Transaction(folder.path) as change:
        report = stage_levels(folder, change)
        counts = {"gave levels to": {"units": report.levels.total()}}
        change.note(ChangeNote(what="levels", when=when, counts=counts))
        change.commit()
        report.why_final = change.why_final
    return report


def stage_levels(folder: Folder, change: Transaction) -> LevelsReport:
    """As `add_levels`, within a change that is not committed yet, and may have made the units."""
    report = LevelsReport()
    folder = ChangedFolder(folder.path, folder.settings, change)
    collection = load(folder)
    if not collection.units:
        raise DataError(f"{folder.path}: no units yet; make them with: adjudge units")
    levels = unit_levels(collection)
    # The levels that units of each reference may have: its author's lengths up to its own.
    allowed: dict[Key, list[int]] = {}
    for topic in collection.topics:
        references = collection.references(topic)
        for r in references:
            allowed[r.key] = [n for n in author_lengths(r, references) if n <= (r.length or 0)]
    scratch = change.scratch(Unit.FILE)
    with scratch.open("w", encoding="utf-8", newline="\n") as out:
        for line, unit in folder.rows(Unit):
            if unit.edited and LEVEL in unit.extra:
                _check(unit, allowed, f"{Unit.FILE}:{line}")
                report.kept += 1
            else:
                unit = _with_level(unit, levels.get(unit.key))
            level = level_of(unit)
            if level is not None:
                report.levels[level] += 1
            elif unit.of in allowed:
                report.without += 1
            out.write(dump_json(unit.as_dict()) + "\n")
    scratch.replace(change.stage(Unit.FILE))
    return report


def _with_level(unit: Unit, level: int | None) -> Unit:
    """The unit with its level; a level that no longer holds is removed."""
    extra = {name: value for name, value in unit.extra.items() if name != LEVEL}
    return replace(unit, extra=extra if level is None else {**extra, LEVEL: level})


def _check(unit: Unit, allowed: dict[Key, list[int]], where: str) -> None:
    level, levels = unit.extra[LEVEL], allowed.get(unit.of, [])
    if level is not None and (level_of(unit) is None or level not in levels):
        choices = ", ".join(map(str, levels)) or "none: the unit is of no reference with a target length"
        raise DataError(f'{where}: "{LEVEL}" is {quoted(str(level))}, expected null or one of: {choices}')


def _level(unit: Unit, versions: Sequence[Summary], sentence_words: dict[Key, list[frozenset[str]]]) -> int:
    wanted = _content(unit.text)
    for version in versions:
        if not wanted or version.length is None:
            continue
        if any(len(wanted & words) >= APPEARS * len(wanted) for words in sentence_words[version.key]):
            return version.length
    assert unit.length is not None
    return unit.length


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return frozenset(content_words((word.lower() for word in unicode_words(text)), stop_words(FUNCTION)))
