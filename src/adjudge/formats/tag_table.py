"""Tags of mismatches from a table: the rows of a mismatch analysis as CSV, with the tags filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.core.errors import DataError, FormatError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.formats.files import Place, read_cells
from adjudge.judgments.protocol import BETWEEN_TAGS, check_tags, same_tag
from adjudge.judgments.tagging import MismatchKey, check_kind
from adjudge.judgments.tasks import TextRef

NEEDED = ("topic", "system", "reference", "unit", "kind", "tags")
OPTIONAL = ("length", "form", "reference_length", "reference_form", "tagged_by")


@dataclass(frozen=True)
class TagRow:
    """A row: of which mismatch, who tagged it (None where the row does not say), and how."""

    place: Place
    key: MismatchKey
    assessor: str | None
    tags: tuple[str, ...]


def read_tags(path: str | Path) -> Iterator[TagRow]:
    """The rows that say something: with tags, or with somebody whose tags are gone."""
    path = Path(path)
    cells = read_cells(path)
    missing = [name for name in NEEDED if name not in cells.header]
    if missing:
        raise FormatError(
            f"no column {quoted(missing[0])}; expected the table of mismatches, as a CSV file",
            file=path,
        )
    at = {name: cells.header.index(name) for name in (*NEEDED, *OPTIONAL) if name in cells.header}
    for line, row in cells.rows:
        place = Place(path, line)
        values = {name: row[column].strip() for name, column in at.items()}
        tags = split_tags(values["tags"], place)
        who = values.get("tagged_by") or None
        if tags or who:
            yield TagRow(place, _key(values, place), who and place.name("tagged_by", who), tags)


def _key(values: dict[str, str], place: Place) -> MismatchKey:
    try:
        kind = check_kind(values["kind"])
    except UsageError as error:
        raise place.wrong(error.text) from None

    def text(system: str, length: str, form: str) -> TextRef:
        words = values.get(length)
        return TextRef(
            place.name(system, values[system]),
            place.whole_number(length, words, least=1) if words else None,
            values.get(form) or None,
        )

    return MismatchKey(
        topic=place.name("topic", values["topic"]),
        peer=text("system", "length", "form"),
        reference=text("reference", "reference_length", "reference_form"),
        unit=values["unit"],
        kind=kind,
    )


def split_tags(cell: str, place: Place) -> tuple[str, ...]:
    """`paraphrase; style` as tags, each once."""
    tags: dict[str, str] = {}
    for tag in cell.split(BETWEEN_TAGS):
        if tag := " ".join(tag.split()):
            tags.setdefault(same_tag(tag), tag)
    if tags:
        try:
            check_tags(list(tags.values()))
        except DataError as error:
            raise place.wrong(error.text) from None
    return tuple(tags.values())


def one_each(rows: Sequence[TagRow], by: str | None) -> list[tuple[str, TagRow]]:
    """Who tagged what, each once: a row without a name is `by`'s."""
    tagged: dict[tuple[str, MismatchKey], TagRow] = {}
    for row in rows:
        who = row.assessor or by
        if who is None:
            raise row.place.wrong(
                f'tags by nobody: fill in "tagged_by", or say with {Argument("by", flag="tagged-by")} who tagged them'
            )
        if (other := tagged.get((who, row.key))) is not None and other.tags != row.tags:
            raise row.place.wrong(f"{who} tagged the same mismatch otherwise in line {other.place.line}")
        tagged[who, row.key] = row
    return [(who, row) for (who, _), row in tagged.items()]
