"""SummEval's JSON lines: a summary a line, with its source, its references and people's ratings.

Fabbri et al. 2021, "SummEval: Re-evaluating Summarization Evaluation".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import DataError
from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats.answers import STRANGE_ANSWER, ImportedAnswers, Judgment, protocol_of_kind, whole
from adjudge.formats.files import NO_TEXT, Once, Paths, Place, json_items, scalar, shown, type_name
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import CROWD, TextRef, text_hash

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item as JudgmentItem

SCALE = (1, 5)
PROTOCOL = "rating"
NO_RATING = LeftOut("no rating")
NO_ASPECT = LeftOut("rating on an aspect that the protocol does not have")
_KEYS = ["id", "model_id", "decoded", "text", "references", "expert_annotations", "turker_annotations"]


def read(paths: Paths, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[Item]:
    """Texts and ratings of SummEval files, or of every JSONL file in a folder: the ratings as scores.

    An expert is a position in the list, so experts become assessors expert-1, expert-2, ...; crowd
    workers change from line to line, so theirs become repeats without an assessor.
    """
    reader = _SummevalRecords()
    yield from json_items(paths, reader.scored, _KEYS, max_line=max_line, encoding=encoding)


def read_judgments(
    paths: Paths,
    *,
    evaluation: str,
    protocol: str = PROTOCOL,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[JudgmentItem]:
    """Texts and ratings of SummEval files, or of every JSONL file in a folder: the ratings as tasks and answers.

    Experts are expert-1, expert-2, ... as in `read`. Positions of the crowd are repeats of one assessor who is nobody
    in particular (`crowd-anonymous`): there are no statistics about single workers.
    """
    reader = _SummevalRecords()
    answers = ImportedAnswers(evaluation, protocol_of_kind(protocol, RatingProtocol))

    def judged(place: Place, record: dict[str, Any]) -> Iterator[JudgmentItem]:
        return reader.judged(place, record, answers)

    yield from json_items(paths, judged, _KEYS, max_line=max_line, encoding=encoding)


@dataclass(frozen=True, slots=True)
class _Rating:
    """What one person gave; `group` is expert or crowd, `position` the person's place in the list."""

    group: str
    aspect: str
    position: int
    value: float | None

    @property
    def measure(self) -> str:
        return f"{self.group}:{self.aspect}"

    @property
    def assessor(self) -> str | None:
        return f"expert-{self.position + 1}" if self.group == "expert" else None

    @property
    def repeat(self) -> int:
        return 0 if self.group == "expert" else self.position


class _SummevalRecords:
    """What is remembered from line to line: which topics, systems and measures have been described."""

    def __init__(self) -> None:
        self._once = Once()
        self._measures: set[str] = set()

    def scored(self, place: Place, record: dict[str, Any]) -> Iterator[Item]:
        topic, system = _subject(place, record)
        yield from self._texts(place, record, topic, system)
        for rating in _ratings(place, record):
            if rating.measure not in self._measures:
                self._measures.add(rating.measure)
                signature = f"{rating.measure}|imported|summeval|scale:{SCALE[0]}-{SCALE[1]}"
                yield place.item(MeasureInfo(rating.measure, "higher", SCALE, signature))
            if rating.value is None:
                yield place.item(NO_RATING)
            else:
                yield place.item(
                    Score(
                        rating.measure,
                        topic.topic,
                        system.system,
                        rating.value,
                        assessor=rating.assessor,
                        repeat=rating.repeat,
                    )
                )

    def judged(
        self, place: Place, record: dict[str, Any], answers: ImportedAnswers
    ) -> Iterator[JudgmentItem]:
        topic, system = _subject(place, record)
        hashes: dict[str, str] = {}
        for where, row in self._texts(place, record, topic, system):
            if isinstance(row, Summary) and row.is_peer:
                hashes = {"peer": text_hash(row.text)}
            yield where, row
        for rating in _ratings(place, record):
            answer = _answer(answers, rating)
            if isinstance(answer, LeftOut):
                yield place.item(answer)
                continue
            judgment = Judgment(
                assessor=rating.assessor or CROWD,
                topic=topic.topic,
                peer=TextRef(system.system),
                hashes=hashes,
                time=rating.repeat,
            )
            yield from answers.items(place, judgment, answer)

    def _texts(self, place: Place, record: dict[str, Any], topic: Topic, system: System) -> Iterator[Item]:
        yield from self._once.new(place, topic)
        source, references = record.get("text"), record.get("references")
        if source is None:
            yield place.item(LeftOut("no source text"))
        else:
            data = {"topic": topic.topic, "id": "1", "text": place.text("text", source)}
            yield place.item(place.row(Document, data))
        yield from self._once.new(place, system)
        yield from _summary(place, topic, system, "peer", "decoded", record.get("decoded"))
        if references is not None and not isinstance(references, list):
            raise place.wrong(f'"references" is {type_name(references)}, expected a list of texts')
        for number, text in enumerate(references or (), 1):
            writer = System(f"reference-{number}", kind="human")
            yield from self._once.new(place, writer)
            yield from _summary(place, topic, writer, "reference", "references", text)


def _subject(place: Place, record: dict[str, Any]) -> tuple[Topic, System]:
    topic = {"topic": scalar(place, "id", record.get("id")), "task": "single"}
    system = {"system": scalar(place, "model_id", record.get("model_id")), "kind": "machine"}
    return place.row(Topic, topic, {"topic": "id"}), place.row(System, system, {"system": "model_id"})


def _summary(
    place: Place, topic: Topic, system: System, role: str, column: str, text: object
) -> Iterator[Item]:
    if text is None:
        yield place.item(NO_TEXT)
    else:
        data = {
            "topic": topic.topic,
            "system": system.system,
            "roles": [role],
            "text": place.text(column, text),
        }
        yield place.item(place.row(Summary, data))


def _ratings(place: Place, record: dict[str, Any]) -> Iterator[_Rating]:
    for group, key in (("expert", "expert_annotations"), ("crowd", "turker_annotations")):
        people = record.get(key)
        if people is not None and not isinstance(people, list):
            raise place.wrong(f"{shown(key)} is {type_name(people)}, expected a list")
        for position, annotation in enumerate(people or ()):
            if not isinstance(annotation, dict):
                raise place.wrong(
                    f"{group} annotation {position + 1} is {type_name(annotation)}, expected an object"
                )
            for name, value in annotation.items():
                aspect = place.name(f"{group} aspect", name)
                number = None if value is None else _number(place, f"{group}:{aspect}", value)
                yield _Rating(group=group, aspect=aspect, position=position, value=number)


def _number(place: Place, measure: str, value: object) -> float:
    low, high = SCALE
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        actual = shown(value) if isinstance(value, str | int | float) else type_name(value)
        raise place.wrong(f"{measure} is {actual}, expected a number from {low} to {high}")
    return float(value)


def _answer(answers: ImportedAnswers, rating: _Rating) -> dict[str, Any] | LeftOut:
    """A rating as an answer to the protocol's question about its aspect."""
    if rating.value is None:
        return NO_RATING
    question = f"{RATING}{rating.aspect}"
    if question not in (asked.id for asked in answers.protocol.questions):
        return NO_ASPECT
    answer = {"value": whole(rating.value)}
    try:
        answers.protocol.check(question, answer)
    except DataError:
        return STRANGE_ANSWER
    return {question: answer}
