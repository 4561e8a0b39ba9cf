"""SummEval's annotations: a summary a line, with its source, its references and people's ratings.

Fabbri et al. 2021, "SummEval: Re-evaluating Summarization Evaluation".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats.files import NO_TEXT, Once, Paths, Place, json_items, scalar, shown, type_name

SCALE = (1, 5)
_KEYS = (
    "id",
    "model_id",
    "decoded",
    "text",
    "references",
    "expert_annotations",
    "turker_annotations",
)
_NO_RATING = LeftOut("no rating")


def read(paths: Paths, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[Item]:
    """Texts and ratings of SummEval files, or of every JSONL file in a folder.

    An expert is a position in the list, so experts become assessors expert-1, expert-2, ...; crowd
    workers change from line to line, so theirs become repeats without an assessor.
    """
    reader = _Reader()
    yield from json_items(paths, reader.items, _KEYS, max_line=max_line, encoding=encoding)


class _Reader:
    """What is remembered from line to line: whom and what has been described."""

    def __init__(self) -> None:
        self._once = Once()
        self._measures: set[str] = set()

    def items(self, place: Place, record: dict[str, Any]) -> Iterator[Item]:
        data = {"topic": scalar(place, "id", record.get("id")), "task": "single"}
        topic = place.row(Topic, data, {"topic": "id"})
        yield from self._once.new(place, topic)
        yield from self._source(place, topic.topic, record.get("text"))
        data = {"system": scalar(place, "model_id", record.get("model_id")), "kind": "machine"}
        system = place.row(System, data, {"system": "model_id"})
        yield from self._once.new(place, system)
        yield from self._summary(place, topic.topic, system.system, "peer", "decoded", record.get("decoded"))
        yield from self._references(place, topic.topic, record.get("references"))
        key = (topic.topic, system.system)
        yield from self._ratings(place, key, "expert", _list(place, record, "expert_annotations"))
        yield from self._ratings(place, key, "crowd", _list(place, record, "turker_annotations"))

    def _source(self, place: Place, topic: str, text: object) -> Iterator[Item]:
        if text is None:
            yield place.item(LeftOut("no source text"))
        else:
            data = {"topic": topic, "id": "1", "text": place.text("text", text)}
            yield place.item(place.row(Document, data))

    def _references(self, place: Place, topic: str, texts: object) -> Iterator[Item]:
        if texts is not None and not isinstance(texts, list):
            raise place.wrong(f'"references" is {type_name(texts)}, expected a list of texts')
        for number, text in enumerate(texts or (), 1):
            name = f"reference-{number}"
            yield from self._once.new(place, System(name, kind="human"))
            yield from self._summary(place, topic, name, "reference", "references", text)

    def _summary(
        self, place: Place, topic: str, system: str, role: str, column: str, text: object
    ) -> Iterator[Item]:
        if text is None:
            yield place.item(NO_TEXT)
        else:
            data = {"topic": topic, "system": system, "roles": [role], "text": place.text(column, text)}
            yield place.item(place.row(Summary, data))

    def _ratings(
        self, place: Place, key: tuple[str, str], who: str, annotations: list[object]
    ) -> Iterator[Item]:
        for position, ratings in enumerate(annotations):
            if not isinstance(ratings, dict):
                raise place.wrong(
                    f"{who} annotation {position + 1} is {type_name(ratings)}, expected an object"
                )
            for aspect, value in ratings.items():
                measure = f"{who}:{place.name(f'{who} aspect', aspect)}"
                yield from self._described(place, measure)
                if value is None:
                    yield place.item(_NO_RATING)
                    continue
                person = f"expert-{position + 1}" if who == "expert" else None
                repeat = 0 if who == "expert" else position
                number = _rating(place, measure, value)
                yield place.item(Score(measure, *key, number, assessor=person, repeat=repeat))

    def _described(self, place: Place, measure: str) -> Iterator[Item]:
        if measure not in self._measures:
            self._measures.add(measure)
            signature = f"{measure}|imported|summeval|scale:{SCALE[0]}-{SCALE[1]}"
            yield place.item(MeasureInfo(measure, "higher", SCALE, signature))


def _list(place: Place, record: dict[str, Any], key: str) -> list[object]:
    value = record.get(key)
    if value is not None and not isinstance(value, list):
        raise place.wrong(f"{shown(key)} is {type_name(value)}, expected a list")
    return value or []


def _rating(place: Place, measure: str, value: object) -> float:
    low, high = SCALE
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        found = shown(value) if isinstance(value, str | int | float) else type_name(value)
        raise place.wrong(f"{measure} is {found}, expected a number from {low} to {high}")
    return float(value)
