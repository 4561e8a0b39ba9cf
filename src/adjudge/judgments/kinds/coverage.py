"""Coverage, as in DUC-2001 and 2002: how much of each unit of a reference a summary expresses, and in which units.

Then how much of the unmarked units is relevant, and questions on the summary's quality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from adjudge.core.errors import DataError, quoted, quoted_json
from adjudge.core.words import counted
from adjudge.data.collection import references_for
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.judging_page import JudgingPage
from adjudge.judgments.kinds.base import (
    AskedPage,
    Choice,
    Given,
    KnownTruth,
    NotAskedNow,
    PageTexts,
    Prompt,
    PromptTexts,
    Protocol,
    ProtocolFile,
    Question,
    Role,
    Seat,
    TaskUnits,
    running_text,
)
from adjudge.judgments.kinds.keys import question_keys
from adjudge.judgments.tasks import Task, TextRef, units_of
from adjudge.text.headers import hidden_spans, paragraphs, shown

UNIT, UNMARKED, QUALITY = "unit:", "unmarked", "quality:"
SUMMED = "coverage"
"""What a page came to, in numbers, where units were not kept (SEE's tables): an answer that nobody is asked for."""
UNIT_KINDS = ("sentence", "edu")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""What a page and a prompt call the units of a summary."""
UNITS_HEAD = "The units of the summary to be judged, a letter before each"
UNMARKED_HEAD = "The unmarked units of the summary to be judged"


@dataclass(frozen=True, repr=False)
class CoverageProtocol(Protocol):
    KIND = "coverage"
    KEYS = ("units", "completeness", "unmarked", "quality")
    VALUES: ClassVar[Mapping[str, str]] = {"unit": "completeness", UNMARKED: "relevant", "quality": "value"}
    COLUMNS = ("marked",)
    IN_TABLES = True
    PLACES = ("summary", "reference", "unit")
    MAY_SHOW = ("guidelines", "topic", "documents")

    @property
    def measures(self) -> tuple[str, ...]:
        counts_errors = any("0" in question.values for question in self.questions)
        return ("coverage", *(["quality-errors" if counts_errors else "quality"] if self.questions else []))

    @classmethod
    def parse(cls, file: ProtocolFile, data: Mapping[str, Any]) -> dict[str, Any]:
        units = file.table("units", data.get("units"))
        completeness = file.question("completeness", data.get("completeness"), UNIT)
        if not all(isinstance(v, int | float) and 0 <= v <= 1 for v in completeness.values):
            file.fail("[completeness]: choices are shares, from 0 to 1")
        fields: dict[str, Any] = {
            "model_units": file.one_of("units.model", units.get("model"), UNIT_KINDS),
            "peer_units": file.one_of("units.peer", units.get("peer"), UNIT_KINDS),
            "completeness": completeness,
            "questions": file.questions("quality", data.get("quality", []), QUALITY, least=0),
        }
        if "unmarked" in data:
            unmarked = file.question("unmarked", data["unmarked"], UNMARKED)
            # By the number of unmarked units, those of the choices that can be said of them.
            reduced: dict[int, tuple[float, ...]] = {}
            for number, values in file.table("unmarked.reduced", data["unmarked"].get("reduced", {})).items():
                if not number.isdigit() or not isinstance(values, list):
                    file.fail(
                        f"[unmarked.reduced]: {quoted(number)} is no number of units with a list of choices"
                    )
                if any(value not in unmarked.values for value in values):
                    file.fail(f"[unmarked.reduced]: {number} has a choice that is not among [unmarked]'s")
                reduced[int(number)] = tuple(values)
            fields |= {"unmarked": unmarked, "reduced": reduced}
        return fields

    @property
    def has_reference(self) -> bool:
        return True

    def units_shown(self, role: Role) -> str | None:
        return self.peer_units if role == "peer" else self.model_units

    def pages(
        self, topic: str, peers: Sequence[Summary], references: Sequence[Summary], units: Sequence[Unit]
    ) -> Iterator[JudgingPage]:
        """Every peer with every reference that it is compared with."""
        by_text: dict[TextRef, list[Unit]] = {}
        for unit in units:
            by_text.setdefault(TextRef.of(unit), []).append(unit)
        for peer in peers:
            for reference in references_for(peer, references):
                both = [*by_text.get(TextRef.of(peer), ()), *by_text.get(TextRef.of(reference), ())]
                hashes = self.hashes(peer, reference, both)
                yield JudgingPage(
                    topic, peers=(peer,), reference=reference, models=(reference,), hashes=hashes
                )

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        yield from (f"{UNIT}{unit}" for unit in model_units)
        if self.unmarked is not None:
            yield UNMARKED
        yield from (question.id for question in self.questions)

    def asked_page(self, model_units: Sequence[str] = (), peer_units: Sequence[str] = ()) -> AskedUnits:
        return AskedUnits(self, tuple(model_units), tuple(peer_units))

    def quality_questions(self) -> tuple[Question, ...]:
        return self.questions

    # Answers

    def check_answer(self, question: str, answer: Mapping[str, Any], units: TaskUnits) -> None:
        if question.startswith(UNIT):
            assert self.completeness is not None
            if units.model is not None and question.removeprefix(UNIT) not in units.model:
                raise DataError(f"{question}: the reference has no such unit")
            marked = answer.get("marked")
            if not isinstance(marked, list) or not all(isinstance(unit, str) for unit in marked):
                raise DataError(f'{question}: "marked" is {quoted_json(marked)}, expected a list of unit ids')
            if len(set(marked)) < len(marked):
                raise DataError(f"{question}: a unit is marked twice")
            strange = [unit for unit in marked if units.peer is not None and unit not in units.peer]
            if strange:
                raise DataError(f"{question}: the peer has no unit {quoted(strange[0])}")
            try:
                self.completeness.check(answer.get("completeness"))
            except DataError as error:
                raise DataError(f"{question}: {error}") from None
        elif question == UNMARKED and self.unmarked is not None:
            value = answer.get("relevant")
            self.unmarked.check(value)
            left = units.unmarked
            if left is not None and value not in [c.value for c in self.unmarked_choices(left)]:
                raise DataError(f"unmarked: {quoted_json(value)} cannot be said of {left} unmarked units")
        elif question == SUMMED and units.model is None:
            for name, value in answer.items():
                if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                    raise DataError(f"{question}: {quoted(name)} is {quoted_json(value)}, expected a number")
        else:
            self.question(question).check(answer.get("value"))

    def unmarked_choices(self, unmarked: int) -> tuple[Choice, ...]:
        if self.unmarked is None or not unmarked:
            return ()
        allowed = self.reduced.get(unmarked)
        return tuple(c for c in self.unmarked.choices if allowed is None or c.value in allowed)

    def fields_of(self, question: str) -> frozenset[str]:
        fields = super().fields_of(question)
        return fields | {"marked"} if question.startswith(UNIT) else fields

    def is_linked(self, question: str) -> bool:
        return question == UNMARKED or question.startswith(UNIT)

    def renamed(self, question: str, answer: Any, units: Mapping[str, str]) -> Given:
        if not question.startswith(UNIT):
            return question, answer
        unit = units.get(question.removeprefix(UNIT))
        if unit is None:
            raise DataError("no such unit")
        if isinstance(answer, Mapping) and isinstance(answer.get("marked"), list):
            marked = [units.get(key) if isinstance(key, str) else None for key in answer["marked"]]
            if None in marked:
                raise DataError("no such unit")
            answer = {**answer, "marked": marked}
        return f"{UNIT}{unit}", answer

    @classmethod
    def cells(cls, question: str, answer: Any) -> dict[str, Any]:
        cells = super().cells(question, answer)
        return cells | {"marked": " ".join(answer["marked"])} if question.startswith(UNIT) else cells

    # The page in the browser

    def page(self, task: Task, texts: PageTexts) -> CoveragePage:
        assert task.peer is not None
        assert task.reference is not None
        assert self.completeness is not None
        peer, reference = texts.summary(task.topic, task.peer), texts.summary(task.topic, task.reference)
        units = texts.collection.units.get(task.topic, ())
        model_units = units_of(units, TextRef.of(reference), self.model_units)
        peer_units = units_of(units, TextRef.of(peer), self.peer_units)
        keys = texts.unit_keys
        before = () if texts.said_before == "hide" else _said_before(task, self, peer_units, texts)
        numbers = [str(n) for n in range(1, len(model_units) + 1)]
        return CoveragePage(
            model=_shown(reference, model_units, keys, numbers),
            peer=_shown(peer, peer_units, keys, [_letter(n) for n in range(len(peer_units))]),
            paragraphs=paragraphs(peer.text),
            completeness=self.completeness,
            unmarked=self.unmarked,
            unmarked_choices={n: self.unmarked_choices(n) for n in range(1, len(peer_units) + 1)},
            quality=self.questions,
            before=tuple(answer.keyed(keys) for answer in before if answer.unit in keys),
            said_before=texts.said_before,
        )

    # Simulated assessors

    def simulated(self, seat: Seat, task: Task, truth: KnownTruth) -> Iterator[Given]:
        """Every model unit, then the units that were never marked, then quality."""
        assert self.completeness is not None
        scale = [float(value) for value in self.completeness.values]  # shares, checked when the file was read
        peer_units = truth.units_of_peer(task)
        left = set(peer_units)
        for id, unit in truth.page(task).items():
            chosen = scale[seat.choose(unit.completeness, scale)] if peer_units else 0.0
            marked = list(unit.marked) or [seat.pick(peer_units)] if chosen else []
            left.difference_update(marked)
            yield f"{UNIT}{id}", {"marked": marked, "completeness": chosen}
        choices = [choice.value for choice in self.unmarked_choices(len(left))]
        if choices:
            share = len(left & truth.relevant_of(task)) / len(left)
            shares = [float(value) for value in choices]
            yield UNMARKED, {"relevant": choices[seat.choose(share, shares)]}
        yield from super().simulated(seat, task, truth)

    # Language models

    def prompts(self, task: Task, texts: PromptTexts, planted: Mapping[str, str]) -> Iterator[Prompt]:
        assert self.completeness is not None
        assert task.peer is not None
        assert task.reference is not None
        reference = texts.summary(task.topic, task.reference)
        units = units_of(texts.collection.units.get(task.topic, ()), task.reference, self.model_units)
        hidden = hidden_spans(reference.text)
        peer_units = self._lettered(task, texts)
        for unit in units:
            shown_texts = {
                "reference": running_text(reference.text),
                "summary": _lines(peer_units),
                "unit": shown(reference.text, unit.start, unit.end, hidden=hidden) or "…",
            }
            yield Prompt(
                f"{UNIT}{unit.id}",
                self.completeness.ask,
                shown_texts,
                self.completeness.choices,
                answer_field="completeness",
                marks=tuple((letter, id) for letter, id, _ in peer_units),
                heads={"summary": UNITS_HEAD},
            )
        summary = planted.get("peer") or texts.summary(task.topic, task.peer).text
        for question in self.questions:  # the summary for its own sake
            yield Prompt(question.id, question.ask, {"summary": running_text(summary)}, question.choices)

    def last_prompt(
        self, task: Task, texts: PromptTexts, answers: Mapping[str, Mapping[str, Any]]
    ) -> Prompt | None:
        assert task.reference is not None
        marked = {
            unit
            for question, answer in answers.items()
            if question.startswith(UNIT)
            for unit in answer.get("marked", ())
        }
        left = [row for row in self._lettered(task, texts) if row[1] not in marked]
        choices = self.unmarked_choices(len(left))
        if not choices or self.unmarked is None:
            return None
        shown_texts = {
            "reference": running_text(texts.summary(task.topic, task.reference).text),
            "summary": _lines(left),
        }
        return Prompt(
            UNMARKED,
            self.unmarked.ask,
            shown_texts,
            choices,
            answer_field="relevant",
            heads={"summary": UNMARKED_HEAD},
        )

    @property
    def last_question(self) -> str | None:
        return None if self.unmarked is None else UNMARKED

    def comes_before_last(self, question: str) -> bool:
        return question.startswith(UNIT)

    def counted_as(self, question: str) -> str:
        """Units together, every other question by itself."""
        if question.startswith(UNIT):
            return "units"
        return question if question.startswith(QUALITY) else super().counted_as(question)

    def _lettered(self, task: Task, texts: PromptTexts) -> list[tuple[str, str, str]]:
        """Units of the summary: the letter that the prompt has for each, its id and its text."""
        assert task.peer is not None
        text = texts.summary(task.topic, task.peer).text
        units = units_of(texts.collection.units.get(task.topic, ()), task.peer, self.peer_units)
        hidden = hidden_spans(text)
        return [
            (_letter(n), unit.id, shown(text, unit.start, unit.end, hidden=hidden) or "…")
            for n, unit in enumerate(units)
        ]


def _letter(n: int) -> str:
    return LETTERS[n] if n < len(LETTERS) else str(n + 1)


def _lines(units: Sequence[tuple[str, str, str]]) -> str:
    return "\n".join(f"{letter}) {text}" for letter, _, text in units)


def inconsistency(answer: Mapping[str, Any]) -> str | None:
    """What does not fit in a unit's answer: marks without content, or content without marks."""
    marked, completeness = answer["marked"], answer["completeness"]
    if marked and not completeness:
        return "marked, but none of it is said to be expressed"
    return (
        "nothing is marked, but some of it is said to be expressed" if completeness and not marked else None
    )


@dataclass(frozen=True)
class AskedUnits(AskedPage):
    """What is asked about unmarked units depends on the other answers."""

    def unmarked(self, answers: Mapping[str, Any]) -> frozenset[str]:
        """The units of the summary that no answer marks."""
        marked = (
            answers[question]["marked"] for question in map(UNIT.__add__, self.model) if question in answers
        )
        return frozenset(self.peer).difference(*marked)

    def asked(self, answers: Mapping[str, Any]) -> list[str]:
        """Of unmarked units nothing, where all are marked."""
        nothing = not self.protocol.unmarked_choices(len(self.unmarked(answers)))
        return [question for question in self.every if question != UNMARKED or not nothing]

    def standing(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        standing = super().standing({q: answer for q, answer in answers.items() if q != UNMARKED})
        if UNMARKED in answers and self._is_offered(UNMARKED, answers[UNMARKED]):
            try:
                self._check_choice(answers[UNMARKED], standing)
            except DataError:
                return standing
            standing[UNMARKED] = answers[UNMARKED]
        return standing

    def check_now(self, question: str, answer: Any, answers: Mapping[str, Any]) -> None:
        if question != UNMARKED or answer is None:
            return
        standing = self.standing(answers)
        if any(f"{UNIT}{unit}" not in standing for unit in self.model):
            raise NotAskedNow(
                "the unmarked units are asked about when every unit of the reference is answered"
            )
        self._check_choice(answer, standing)

    def _check_choice(self, answer: Mapping[str, Any], answers: Mapping[str, Any]) -> None:
        unmarked = len(self.unmarked(answers))
        if not unmarked:
            raise NotAskedNow("every unit of the summary is marked: nothing is asked about unmarked ones")
        if answer["relevant"] not in [choice.value for choice in self.protocol.unmarked_choices(unmarked)]:
            raise NotAskedNow(f"this cannot be said of {counted(unmarked, 'unmarked unit')}")

    def reopened(self, question: str, answer: Any, answers: Mapping[str, Any]) -> str | None:
        """The question about unmarked units, where it is answered and others are marked now than before."""
        if not question.startswith(UNIT) or UNMARKED not in answers:
            return None
        after = {**answers, question: answer or {"marked": []}}
        return UNMARKED if self.unmarked(answers) != self.unmarked(after) else None


@dataclass(frozen=True)
class ShownUnit:
    """A unit as the page shows it. `name` is what people call it: 1, 2, 3 in the reference; a, b, c in the summary.

    `id` is the one that the browser knows (web/blind).
    """

    id: str
    name: str
    text: str


@dataclass(frozen=True)
class Before:
    """An earlier answer of the same person: these units of this summary, against this unit, came to so much."""

    unit: str
    marked: tuple[str, ...]
    completeness: float

    def keyed(self, keys: Mapping[str, str]) -> Before:
        """With the ids that the browser knows."""
        return replace(self, unit=keys[self.unit], marked=tuple(keys[unit] for unit in self.marked))


@dataclass(frozen=True)
class CoveragePage:
    """Everything on the page but the answers, which come with their numbers (web/pages/tasks)."""

    model: tuple[ShownUnit, ...]
    peer: tuple[ShownUnit, ...]
    paragraphs: tuple[str, ...]
    """The summary as running text, for whoever judges its quality without the units' boundaries."""
    completeness: Question
    unmarked: Question | None
    unmarked_choices: Mapping[int, tuple[Choice, ...]]
    quality: tuple[Question, ...]
    before: tuple[Before, ...]
    said_before: str

    keys = staticmethod(question_keys)

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {
            "model": [unit.id for unit in self.model],
            "peer": [unit.id for unit in self.peer],
            "completeness": [asdict(choice) for choice in self.completeness.choices],
            "unmarked": {n: [asdict(c) for c in choices] for n, choices in self.unmarked_choices.items()},
            "quality": [{"id": q.id, "values": list(q.values), "keys": self.keys(q)} for q in self.quality],
            "before": [asdict(answer) for answer in self.before],
            "saidBefore": self.said_before,
        }


def _shown(
    summary: Summary, units: Sequence[Unit], keys: Mapping[str, str], names: Sequence[str]
) -> tuple[ShownUnit, ...]:
    hidden = hidden_spans(summary.text)
    return tuple(
        ShownUnit(keys[unit.id], name, shown(summary.text, unit.start, unit.end, hidden=hidden) or "…")
        for unit, name in zip(units, names, strict=True)
    )


def _said_before(
    task: Task, protocol: Protocol, peer_units: Sequence[Unit], texts: PageTexts
) -> tuple[Before, ...]:
    """Answers to the same model unit for sentences that this summary holds word for word; the latest one counts.

    Lin and Hovy 2002 found that the same sentences got different answers, and asked for tools that show it. A planted
    repeat asks how far people agree with themselves, so it quotes neither its original nor anything that was answered
    after the original was begun, and may have been taken from there; nor does the original quote its repeat.
    """
    same = {task.id, task.repeat_of or task.id}
    begun = None if task.repeat_of is None else texts.begun(task.repeat_of)
    here = {_words(unit.text): unit.id for unit in reversed(peer_units)}
    latest: dict[tuple[str, frozenset[str]], tuple[int, Before]] = {}
    for judged in texts.earlier:
        other = judged.task
        if (
            same & {other.id, other.repeat_of}
            or (other.topic, other.reference) != (task.topic, task.reference)
            or not other.peer
        ):
            continue
        if (other.protocol, other.hashes.get("reference")) != (task.protocol, task.hashes.get("reference")):
            continue
        units = units_of(texts.collection.units.get(other.topic, ()), other.peer, protocol.peer_units)
        words = {unit.id: _words(unit.text) for unit in units}
        for question, event in judged.answers.items():
            if not question.startswith(UNIT) or not event.answer["marked"]:
                continue
            if begun is not None and (event.seq or 0) > begun:
                continue
            marked = [here.get(words.get(unit_id, "")) for unit_id in event.answer["marked"]]
            if None in marked:
                continue
            ids = tuple(unit_id for unit_id in marked if unit_id is not None)
            unit = question.removeprefix(UNIT)
            key, seq = (unit, frozenset(ids)), event.seq or 0
            if key not in latest or seq > latest[key][0]:
                latest[key] = (seq, Before(unit, ids, float(event.answer["completeness"])))
    return tuple(before for _, before in latest.values())


def _words(text: str) -> str:
    return " ".join(text.split())
