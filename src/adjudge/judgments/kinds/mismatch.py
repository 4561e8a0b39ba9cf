"""Tags of mismatches: why people and a measure differ on a unit of a reference (judgments/tagging makes the tasks)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from unicodedata import category

from adjudge.core.errors import DataError, nearest, quoted, quoted_json
from adjudge.core.phrases import Argument, either
from adjudge.judgments.kinds.base import Choice, PageTexts, Protocol, ProtocolFile, TaskUnits
from adjudge.judgments.kinds.keys import keys_of
from adjudge.judgments.tasks import Task
from adjudge.text.headers import hidden_spans
from adjudge.text.segments import Segment, segments

TAGS = "tags"
MOST_TAGS, LONGEST_TAG, BETWEEN_TAGS = 20, 100, ";"


@dataclass(frozen=True, repr=False)
class MismatchProtocol(Protocol):
    KIND = "mismatch"
    KEYS = ("tags",)
    VALUES: ClassVar[Mapping[str, str]] = {TAGS: "tags"}
    LABEL = "Mismatch"
    IS_SCORED = False

    @classmethod
    def parse(cls, file: ProtocolFile, data: Mapping[str, Any]) -> dict[str, Any]:
        tags = file.table("tags", data.get("tags"))
        for key in tags:
            if key not in ("ask", "choices"):
                file.fail(f"[tags]: {quoted(key)} is not known{nearest(key, ('ask', 'choices'))}")
        choices = file.choices("tags", tags.get("choices"))
        try:
            check_tags([choice.value for choice in choices])
        except DataError as error:
            file.fail(f"[tags]: {error}")
        return {"tags": choices, "ask": file.text("tags.ask", tags.get("ask"))}

    def why_not_assigned(self) -> str | None:
        how = either("Evaluation.assign_mismatches", f"`adjudge mismatch {Argument('assign').option}`")
        return f"{self.name} tags mismatches, which a measure finds: hand them out with {how}"

    def why_not_simulated(self) -> str | None:
        return f"{self.name} tags mismatches, which simulated assessors do not"

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        yield TAGS

    def check_answer(self, question: str, answer: Mapping[str, Any], units: TaskUnits) -> None:
        if question != TAGS:
            self.question(question)  # which it does not have
        check_tags(answer.get("tags"))

    @classmethod
    def cells(cls, question: str, answer: Any) -> dict[str, Any]:
        tags = super().cells(question, answer)["value"]
        return {"value": f"{BETWEEN_TAGS} ".join(map(str, tags)) if isinstance(tags, list) else tags}

    def page(self, task: Task, texts: PageTexts) -> MismatchTask:
        """What was found when the task was made; the texts are as they were then."""
        assert task.peer is not None
        assert task.reference is not None
        asked: Mapping[str, Any] = task.asked if isinstance(task.asked, Mapping) else {}
        peer, reference = (
            texts.summary(task.topic, task.peer).text,
            texts.summary(task.topic, task.reference).text,
        )
        start, end = _spans(asked, "at")[0] if _spans(asked, "at") else (0, len(reference))
        hidden = hidden_spans(reference)
        in_unit = [(start + a, start + b) for a, b in _spans(asked, "in_unit")]

        def shown_text(first: int, last: int) -> str:
            return "".join(piece.text for piece in segments(reference, start=first, end=last, hidden=hidden))

        value = asked.get("value")
        return MismatchTask(
            says=SAYS.get(str(asked.get("kind")), "").format(measure=asked.get("measure")),
            measure=str(asked.get("measure")),
            value=f"{value:.3f}" if _is_number(value) else "–",
            people=", ".join(
                f"{100 * share:.4g} %" for share in _listed(asked, "completeness") if _is_number(share)
            ),
            unit=tuple(segments(reference, in_unit, start=start, end=end, hidden=hidden)),
            before=shown_text(0, start),
            after=shown_text(end, len(reference)),
            peer=tuple(
                segments(peer, _spans(asked, "marked"), _spans(asked, "in_peer"), hidden=hidden_spans(peer))
            ),
            finds=asked.get("in_peer") is not None,
            ask=self.ask,
            tags=self.tags,
            keys=keys_of([choice.label for choice in self.tags]),
        )


def check_tags(tags: object) -> None:
    """Tags are short texts, each once: the protocol's and people's own."""
    if not isinstance(tags, list) or not 0 < len(tags) <= MOST_TAGS:
        raise DataError(f"tags: {quoted_json(tags)} is no list of 1 to {MOST_TAGS} tags")
    for tag in tags:
        if not isinstance(tag, str) or tag != tag.strip() or not 0 < len(tag) <= LONGEST_TAG:
            raise DataError(
                f"tags: {quoted_json(tag)} is no tag, expected a text of 1 to {LONGEST_TAG} characters"
            )
        if BETWEEN_TAGS in tag or any(category(sign) in ("Cc", "Zl", "Zp") for sign in tag):
            raise DataError(
                f"tags: {quoted_json(tag)} is no tag: it holds a semicolon or a control character"
            )
    if len({same_tag(tag) for tag in tags}) < len(tags):
        raise DataError("tags: one is given twice")


def same_tag(tag: str) -> str:
    """By which tags are counted as the same: case and the number of spaces make none another."""
    return " ".join(tag.split()).casefold()


SAYS = {
    "missed": "People say that the summary expresses all of the unit. {measure} calls it uncovered.",
    "credited": "People say that the summary expresses nothing of the unit. {measure} calls it covered.",
}


@dataclass(frozen=True)
class MismatchTask:
    """Everything on the page but the answer. Nothing here names a system or a person."""

    says: str
    measure: str
    value: str
    people: str
    unit: tuple[Segment, ...]
    before: str
    """What the reference says before the unit,"""
    after: str
    """and after it."""
    peer: tuple[Segment, ...]
    finds: bool
    ask: str
    tags: tuple[Choice, ...]
    keys: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {
            "tags": [choice.value for choice in self.tags],
            "keys": list(self.keys),
            "most": MOST_TAGS,
            "longest": LONGEST_TAG,
        }


def _listed(asked: Mapping[str, Any], name: str) -> list[Any]:
    listed = asked.get(name)
    return listed if isinstance(listed, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spans(asked: Mapping[str, Any], name: str) -> list[tuple[int, int]]:
    """Places in a text, as far as they are some: a store may hold what strangers wrote."""
    spans: Iterable[Any] = [asked.get(name)] if name == "at" else _listed(asked, name)
    return [
        (span[0], span[1])
        for span in spans
        if isinstance(span, list | tuple) and len(span) == 2 and all(type(n) is int and n >= 0 for n in span)
    ]
