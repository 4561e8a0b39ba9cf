"""units.jsonl: sentences and discourse units of summaries, with ids that stay.

A unit's id comes from its own text, so it survives changes elsewhere in the summary, and so a row that a
person changed can be told from one that was made here: its id no longer fits its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from adjudge.data.folder import Folder
from adjudge.data.history import ChangeNote, shortened
from adjudge.data.lines import dump_json
from adjudge.data.rows import Key, Summary, Unit
from adjudge.data.transaction import Transaction
from adjudge.text.edus import edus
from adjudge.text.sentences import Span, sentences

GroupKey = tuple[Key, str]
SPLITTERS: dict[str, Callable[[str, str], list[Span]]] = {"sentence": sentences, "edu": edus}


@dataclass
class UnitsReport:
    """What a run made, kept and could not keep."""

    made: Counter[str] = field(default_factory=Counter)
    edited: int = 0
    astray: list[str] = field(default_factory=list)
    dropped: int = 0
    levels: Any = None
    """Where levels were given too: how many, as `adjudge.judgments.levels` counts them."""
    why_final: str | None = None
    """Why the run cannot be undone, where that is so."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "units": dict(self.made),
            "edited_summaries_kept": self.edited,
            "edits_that_no_longer_fit": self.astray,
            "dropped_without_summary": self.dropped,
            "cannot_be_undone": self.why_final,
        } | ({} if self.levels is None else {"levels": self.levels.as_dict()})


def make_units(
    folder: Folder,
    *,
    edus_for: str = "references",
    progress: Callable[[int], None] = lambda n: None,
    also: Callable[[Transaction], None] = lambda change: None,
    what: str = "units",
    when: str = "",
) -> UnitsReport:
    """Split every summary into sentences, and the references (or `all`) into discourse units.

    Units that a person edited stay as they are. `also` adds to the change before it is made; `what` and `when` are for
    the history.
    """
    with Transaction(folder.path) as change:
        report = stage_units(folder, change, edus_for=edus_for, progress=progress, what=what, when=when)
        also(change)
        change.commit()
        report.why_final = change.why_final
    return report


def stage_units(
    folder: Folder,
    change: Transaction,
    *,
    edus_for: str = "references",
    progress: Callable[[int], None] = lambda n: None,
    what: str = "units",
    when: str = "",
) -> UnitsReport:
    """As `make_units`, within a change that is not committed yet."""
    report = UnitsReport()
    by_group = _known(folder)
    with change.stage(Unit.FILE).open("w", encoding="utf-8", newline="\n") as out:
        for number, (_, summary) in enumerate(folder.rows(Summary), 1):
            kinds = ["sentence", "edu"] if summary.is_reference or edus_for == "all" else ["sentence"]
            for kind in kinds:
                before = by_group.pop((summary.key, kind), [])
                units = _units(summary, kind, before, folder.settings.language, report)
                report.made[kind] += len(units)
                out.writelines(dump_json(unit.as_dict()) + "\n" for unit in units)
            if number % 64 == 0:
                progress(number)
    report.dropped = sum(map(len, by_group.values()))
    change.note(ChangeNote(what=shortened(what), when=when, counts={"made": {"units": report.made.total()}}))
    return report


def unit_id(kind: str, text: str, occurrence: int = 1) -> str:
    """`s` or `e`, then a digest of the text; a repeated text gets its number."""
    digest = blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{kind[0]}{digest}" + (f"-{occurrence}" if occurrence > 1 else "")


def split(summary: Summary, kind: str, language: str) -> list[Unit]:
    """The units of a summary as the splitter sees them."""
    seen: Counter[str] = Counter()
    units = []
    for span in SPLITTERS[kind](summary.text, language):
        seen[span.text] += 1
        units.append(
            Unit(
                topic=summary.topic,
                system=summary.system,
                length=summary.length,
                form=summary.form,
                kind=kind,
                id=unit_id(kind, span.text, seen[span.text]),
                start=span.start,
                end=span.end,
                text=span.text,
            )
        )
    return units


def fits(units: Iterable[Unit], text: str) -> bool:
    """Whether every unit's text is what the summary has at its offsets."""
    return all(text[unit.start : unit.end] == unit.text for unit in units)


def _units(summary: Summary, kind: str, before: list[Unit], language: str, report: UnitsReport) -> list[Unit]:
    if not before or not _by_hand(before, summary.text):
        return split(summary, kind, language)
    report.edited += 1
    if not fits(before, summary.text):
        target = "".join(f", {name} {value}" for name, value in summary.target._asdict().items() if value)
        report.astray.append(f'topic "{summary.topic}", system "{summary.system}"{target} ({kind})')
    return [unit if _made_here(unit) else replace(unit, edited=True) for unit in before]


def _by_hand(units: list[Unit], text: str) -> bool:
    """Whether a person changed a summary's units: a flag, an id that does not fit, a unit taken out."""
    if any(unit.edited or not _made_here(unit) for unit in units):
        return True
    return fits(units, text) and not _covers(units, text)


def _made_here(unit: Unit) -> bool:
    return unit.id.split("-")[0] == unit_id(unit.kind, unit.text)


def _covers(units: list[Unit], text: str) -> bool:
    inside = bytearray(len(text))
    for unit in units:
        inside[unit.start : unit.end] = b"\1" * (unit.end - unit.start)
    return all(flag or char.isspace() for flag, char in zip(inside, text, strict=True))


def _known(folder: Folder) -> dict[GroupKey, list[Unit]]:
    by_group: dict[GroupKey, list[Unit]] = {}
    for _, unit in folder.rows(Unit):
        by_group.setdefault((unit.of, unit.kind), []).append(unit)
    return by_group


def misfits(summaries: Iterable[Summary], units: dict[str, list[Unit]]) -> Iterator[str]:
    """Summaries whose units no longer fit their text."""
    texts: dict[Key, str] = {summary.key: summary.text for summary in summaries}
    seen: set[tuple[Key, str]] = set()
    for unit in (unit for group in units.values() for unit in group):
        key = unit.of
        if (key, unit.kind) not in seen and key in texts and not fits([unit], texts[key]):
            seen.add((key, unit.kind))
            yield f'topic "{unit.topic}", system "{unit.system}" ({unit.kind})'
