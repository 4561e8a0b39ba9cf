"""sacrerouge's JSON lines: summaries with their references and documents, and metrics, told apart by keys.

Deutsch and Roth 2020, "SacreROUGE: An Open-Source Library for Using and Developing Summarization
Evaluation Metrics".
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import Score
from adjudge.formats.files import NO_TEXT, Once, Paths, Place, json_items, scalar, shown, type_name
from adjudge.formats.scoretable import ImportedMeasures

_KEYS = [
    "instance_id",
    "summarizer_id",
    "summarizer_type",
    "summary",
    "references",
    "document",
    "documents",
    "metrics",
]
_NO_NUMBER = LeftOut("metric that is not a number")


def read(
    paths: Paths,
    *,
    references_as_peers: bool = False,
    source: str = "sacrerouge",
    lower_is_better: bool | Collection[str] = False,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Texts and scores of sacrerouge files, or of every JSONL file in a folder.

    Nested metrics are flattened with "_": {"rouge-1": {"recall": 0.4}} is sacrerouge:rouge-1_recall.
    With `references_as_peers` references are judged too, each compared with the others.
    """
    measures = ImportedMeasures(source, lower_is_better)
    reader = _SacrerougeRecords(measures, ["peer", "reference"] if references_as_peers else ["reference"])
    yield from json_items(paths, reader.items, _KEYS, max_line=max_line, encoding=encoding)
    measures.check()


class _SacrerougeRecords:
    """What is remembered from line to line: topics, systems and measures that have been described."""

    def __init__(self, measures: ImportedMeasures, reference_roles: list[str]) -> None:
        self._measures = measures
        self._roles = {"peer": ["peer"], "reference": reference_roles}
        self._once = Once()

    def items(self, place: Place, record: dict[str, Any]) -> Iterator[Item]:
        if "summary" not in record and "metrics" not in record:
            raise place.wrong('neither "summary" nor "metrics" in the line')
        role = record.get("summarizer_type", "peer")
        if not isinstance(role, str) or role not in self._roles:
            actual = shown(role) if isinstance(role, str) else type_name(role)
            raise place.wrong(f'"summarizer_type" is {actual}, expected peer or reference')
        topic = place.row(
            Topic,
            {"topic": scalar(place, "instance_id", record.get("instance_id"))},
            {"topic": "instance_id"},
        )
        yield from self._once.new(place, topic)
        who = self._system(place, record.get("summarizer_id"), role)
        yield from self._once.new(place, who)
        yield from self._documents(place, topic.topic, record)
        if "summary" in record:
            yield from self._summary(place, topic.topic, who.system, role, "summary", record["summary"])
        yield from self._references(place, topic.topic, record.get("references"))
        metrics = record.get("metrics")
        if metrics is not None and not isinstance(metrics, dict):
            raise place.wrong(f'"metrics" is {type_name(metrics)}, expected an object')
        for name, value in _flat(metrics or {}):
            number = _number(value)
            if number is None:
                yield place.item(_NO_NUMBER)
                continue
            measure = self._measures.text(place, "metrics", name)
            yield from self._measures.describe(place, name, measure, "sacrerouge")
            yield place.item(Score(measure, topic.topic, who.system, number))

    def _system(self, place: Place, name: object, role: str) -> System:
        kind = "human" if role == "reference" else None
        data = {"system": scalar(place, "summarizer_id", name), "kind": kind}
        return place.row(System, data, {"system": "summarizer_id"})

    def _summary(
        self, place: Place, topic: str, system: str, role: str, column: str, value: object
    ) -> Iterator[Item]:
        text = _text(place, column, value)
        if text is None:
            yield place.item(NO_TEXT)
        else:
            data = {"topic": topic, "system": system, "roles": self._roles[role], "text": text}
            yield place.item(place.row(Summary, data))

    def _references(self, place: Place, topic: str, values: object) -> Iterator[Item]:
        if values is not None and not isinstance(values, list):
            raise place.wrong(f'"references" is {type_name(values)}, expected a list')
        for number, value in enumerate(values or (), 1):
            name = value.get("summarizer_id") if isinstance(value, dict) else None
            who = self._system(place, f"reference-{number}" if name is None else name, "reference")
            yield from self._once.new(place, who)
            yield from self._summary(place, topic, who.system, "reference", "references", value)

    def _documents(self, place: Place, topic: str, record: Mapping[str, Any]) -> Iterator[Item]:
        several = record.get("documents")
        if several is not None and not isinstance(several, list):
            raise place.wrong(f'"documents" is {type_name(several)}, expected a list')
        one = record.get("document")
        for number, value in enumerate(([] if one is None else [one]) + (several or []), 1):
            text = _text(place, "document", value)
            if text is None:
                yield place.item(LeftOut("document without text"))
                continue
            fields = value if isinstance(value, dict) else {}
            name = next(
                (fields[key] for key in ("id", "filename") if fields.get(key) is not None), str(number)
            )
            data = {
                "topic": topic,
                "id": scalar(place, "document id", name),
                "date": scalar(place, "document date", fields.get("date")),
                "text": text,
            }
            yield place.item(place.row(Document, data, {"id": "document id", "date": "document date"}))


def _text(place: Place, column: str, value: object) -> str | None:
    """A text, or sentences, or either under `text`, or all this under `summary`."""
    if isinstance(value, dict):
        value = value.get("summary", value)
    if isinstance(value, dict):
        value = value.get("text")
    if isinstance(value, list):
        return "\n".join(place.text(column, sentence) for sentence in value)
    return None if value is None else place.text(column, value)


def _flat(metrics: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Nested names joined by "_". Not recursive: files nest as deep as they like."""
    open_items = [iter(metrics.items())]
    names: list[str] = []
    while open_items:
        name, value = next(open_items[-1], (None, None))
        if name is None:
            open_items.pop()
            if names:
                names.pop()
        elif isinstance(value, dict):
            names.append(name)
            open_items.append(iter(value.items()))
        else:
            yield "_".join([*names, name]), value


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
