"""What every protocol has, and what a kind of protocols decides: the class that each kind extends.

The rooms above ask a protocol for what it decides and never which kind it is. What they have and a kind needs (a
simulated assessor's eyes, a browser's ids) is given to it as an argument, so a kind imports nothing from them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, TypeVar
from typing import Protocol as Structure

from adjudge.core.errors import DataError, FormatError, nearest, quoted, quoted_json
from adjudge.data.collection import Collection as Texts
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.judging_page import JudgingPage
from adjudge.judgments.pyramid import PeerAnnotation, Pyramid
from adjudge.judgments.tasks import Judged, Task, TextRef, text_hash, units_hash, units_of
from adjudge.text.headers import paragraphs

NOTES = ("comment", "flag")
"""Questions of every protocol, which are answered with a text."""

T = TypeVar("T")
Value = float | str
Role = Literal["peer", "reference"]
Given = tuple[str, Any]
"""A question's id and the answer."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers to choose from."""

    value: Value
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `id` is what events carry."""

    id: str
    ask: str
    choices: tuple[Choice, ...]
    label: str = ""

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(choice.value for choice in self.choices)

    @property
    def key(self) -> str:
        """The id without what says the kind of question."""
        return self.id.partition(":")[2]

    def check(self, value: object) -> None:
        """One of the choices; whole numbers and decimals are the same."""
        if isinstance(value, bool) or value not in self.values:
            raise DataError(
                f"{self.id}: {quoted_json(value)} is no answer,"
                f" expected one of: {', '.join(map(str, self.values))}"
            )


class TaskUnits(NamedTuple):
    """The units that answers to a task may name, and how many are unmarked; None where that is not known."""

    model: Collection[str] | None = None
    peer: Collection[str] | None = None
    unmarked: int | None = None


class NotAskedNow(DataError):
    """An answer that the page does not offer as things stand. Its text may be shown: it holds no id and no name."""


# What the rooms above give to a kind


class Seat(Structure):
    """A simulated assessor at one task (assessors/simulated)."""

    def choose(self, truth: float, positions: Sequence[float]) -> int: ...
    def slip(self, chosen: int, choices: int) -> int: ...
    def pick(self, things: Sequence[T]) -> T: ...
    def ahead(self, left: float, right: float) -> float: ...
    def coin(self) -> bool: ...


class TrueUnit(Structure):
    @property
    def completeness(self) -> float: ...
    @property
    def marked(self) -> tuple[str, ...]: ...


class KnownTruth(Structure):
    """What simulated assessors see, with their faults (assessors/truth)."""

    @property
    def pyramids(self) -> Mapping[str, Pyramid]: ...
    @property
    def annotations(self) -> Mapping[tuple[str, TextRef], PeerAnnotation]: ...
    def page(self, task: Task) -> Mapping[str, TrueUnit]: ...
    def relevant_of(self, task: Task) -> frozenset[str]: ...
    def units_of_peer(self, task: Task) -> tuple[str, ...]: ...
    def level(self, task: Task, key: str) -> float: ...
    def worth_of(self, task: Task, side: Mapping[str, Any] | None) -> float: ...


Sit = Callable[[Task, int], Seat]
"""An assessor at a task that they judge for the first time (0), the second (1), ..."""


class PromptTexts(Structure):
    """The texts of tasks for a language model (assessors/llm/prompts)."""

    collection: Texts

    def summary(self, topic: str, text: TextRef) -> Summary: ...
    def side(self, task: Task, role: str) -> str: ...


@dataclass(frozen=True)
class Prompt:
    """A question as it is put to a language model. `texts` go to the template's places of these names."""

    question: str
    ask: str
    texts: Mapping[str, str]
    choices: tuple[Choice, ...]
    answer_field: str = "value"
    words: tuple[str, ...] = ()
    """What the model writes for each choice, where that is not its value."""
    marks: tuple[tuple[str, str], ...] | None = None
    """Units that can be marked beside the answer: the prompt's names for them, and their ids."""
    heads: Mapping[str, str] = field(default_factory=dict)
    """What stands above a text, where it is not what usually stands above texts of that place."""


@dataclass(frozen=True)
class PageTexts:
    """What the app has for the page of one task (web/pages/tasks)."""

    collection: Texts
    summary: Callable[[str, TextRef], Summary]
    unit_keys: Mapping[str, str]
    """The browser's ids of the task's units."""
    said_before: str
    """How the page shows what the person said of the same sentences before, as evaluation.toml has it."""
    earlier: Iterable[Judged]
    """The person's judgments."""
    begun: Callable[[str], int | None]
    """The number of the first answer to a task."""


class PageBody(Structure):
    """Everything on a page but the answers: what its template prints, and what its script works on."""

    def state(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class AskedPage:
    """What a protocol asks of one task, given the ids of the units that its page shows."""

    protocol: Protocol
    model: tuple[str, ...] = ()
    peer: tuple[str, ...] = ()

    @property
    def every(self) -> list[str]:
        """The ids of all questions, asked now or later."""
        return list(self.protocol.asked(self.model))

    def asked(self, answers: Mapping[str, Any]) -> list[str]:
        """The questions that are asked as things stand."""
        return self.every

    def standing(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The answers that the protocol still offers. One that it does not is open again: its question has changed."""
        return {
            question: answer for question, answer in answers.items() if self._is_offered(question, answer)
        }

    def _is_offered(self, question: str, answer: Any) -> bool:
        try:
            self.protocol.check(question, answer, model_units=self.model, peer_units=self.peer)
        except DataError:
            return False
        return True

    def is_done(self, answers: Mapping[str, Any]) -> bool:
        """Whether everything is answered that is asked as things stand."""
        standing = self.standing(answers)
        return all(question in standing for question in self.asked(standing))

    def check_now(self, question: str, answer: Any, answers: Mapping[str, Any]) -> None:
        """Refuses an answer to a question that is not asked yet, or not in this way (NotAskedNow)."""

    def reopened(self, question: str, answer: Any, answers: Mapping[str, Any]) -> str | None:
        """The question whose answer counts no more after this one, since it is another question now."""
        return None


@dataclass(frozen=True, repr=False)
class Protocol:
    """A protocol. Which fields are set depends on its kind; a kind of its own fields declares them in its class."""

    name: str
    version: str
    kind: str
    title: str
    guidelines: str = ""
    model_units: str = "edu"
    peer_units: str = "sentence"
    completeness: Question | None = None
    unmarked: Question | None = None
    reduced: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    """Quality questions of a coverage protocol, aspects of a rating."""
    of: Literal["sentences", "summaries"] = "summaries"
    tie: bool = False
    skip: bool = False
    ask: str = ""
    tags: tuple[Choice, ...] = ()
    """Of a mismatch protocol: those to choose from; people may add their own."""
    source: str = field(default="", repr=False, compare=False)
    """The file's text, of a protocol of one's own."""

    KIND: ClassVar[str] = ""
    """Its name in protocol files; that of its template and script in the browser, and of its prompt's template."""
    KEYS: ClassVar[tuple[str, ...]] = ()
    """What its file holds beside what every protocol's does."""
    VALUES: ClassVar[Mapping[str, str]] = {}
    """Its questions, by what stands before the colon of an id, each with the field of an answer that is its value."""
    COLUMNS: ClassVar[tuple[str, ...]] = ()
    """Columns of its own in the table of answers; see `cells`."""
    LABEL: ClassVar[str] = "Summary"
    """What a task is called in an assessor's list: Summary 3."""
    IN_BROWSER: ClassVar[bool] = True
    """Whether it is judged in the browser."""
    IS_SCORED: ClassVar[bool] = True
    """Whether scores come from its answers."""
    IN_TABLES: ClassVar[bool] = False
    """Whether tables of judged peers count its answers (analyses/gathered)."""
    IS_WHOLE: ClassVar[bool] = True
    """Whether a page is judged as a whole; else questions come one by one, such as a file for each aspect."""
    BY_REFERENCE: ClassVar[bool] = True
    """Whether a score from it names the reference of its task."""
    PLACES: ClassVar[tuple[str, ...]] = ()
    """Of a prompt's template: the texts that it must have a place for; none where no language model is asked."""
    MAY_SHOW: ClassVar[tuple[str, ...]] = ("guidelines", "topic", "documents", "reference")
    """Of a prompt's template: what it may have a place for."""

    def __repr__(self) -> str:
        """The same for every kind: signatures of judges hold a hash of it."""
        shown = (
            f"{attribute.name}={getattr(self, attribute.name)!r}"
            for attribute in fields(self)
            if attribute.repr
        )
        return f"Protocol({', '.join(shown)})"

    @property
    def measures(self) -> tuple[str, ...]:
        """What its answers are scored by where no measure is named."""
        return ()

    # Its file

    @classmethod
    def parse(cls, file: ProtocolFile, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from what its file holds."""
        return {}

    # What it asks, and of what

    @property
    def compares(self) -> Literal["sentences", "summaries"] | None:
        """What is compared, where pairs are judged."""
        return None

    @property
    def of_whole_summaries(self) -> bool:
        """Whether it asks about one summary, or two, and nothing beside."""
        return False

    @property
    def has_reference(self) -> bool:
        """Whether a page compares a peer with a reference."""
        return False

    def units_shown(self, role: Role) -> str | None:
        """The kind of units in which a page shows its peer or its reference; None where it shows the text."""
        return None

    def why_not_assigned(self) -> str | None:
        """Why tasks cannot be handed out beforehand."""
        return None

    def why_not_simulated(self) -> str | None:
        """Why simulated assessors do not answer it."""
        return None

    def pages(
        self, topic: str, peers: Sequence[Summary], references: Sequence[Summary], units: Sequence[Unit]
    ) -> Iterator[JudgingPage]:
        """Everything to judge of a topic's summaries, in the order in which they are given."""
        for peer in peers:
            yield JudgingPage(topic, peers=(peer,), models=tuple(references), hashes=self.hashes(peer))

    def hashes(
        self, peer: Summary, reference: Summary | None = None, units: Sequence[Unit] = ()
    ) -> dict[str, str]:
        """What a task keeps of the texts that are judged in it."""
        texts: dict[Role, Summary | None] = {"peer": peer, "reference": reference}
        hashes: dict[str, str] = {
            role: text_hash(text.text) for role, text in texts.items() if text is not None
        }
        for role, text in texts.items():
            if text is not None and (kind := self.units_shown(role)) is not None:
                hashes[f"{role}-units"] = units_hash(units_of(units, TextRef.of(text), kind))
        return hashes

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        """The ids of all questions of a task, in their order."""
        yield from (question.id for question in self.questions)

    def asked_page(self, model_units: Sequence[str] = (), peer_units: Sequence[str] = ()) -> AskedPage:
        """What is asked of a task with these units."""
        return AskedPage(self, tuple(model_units), tuple(peer_units))

    def question(self, id: str) -> Question:
        """A quality question or an aspect, by the id that events carry."""
        for question in self.questions:
            if question.id == id:
                return question
        ids = [question.id for question in self.questions]
        raise DataError(f"{self.name} has no question {quoted(id)}{nearest(id, ids)}")

    def quality_questions(self) -> tuple[Question, ...]:
        """Its questions on quality."""
        return ()

    # Answers

    def check(
        self,
        question: str,
        answer: Any,
        *,
        model_units: Collection[str] | None = None,
        peer_units: Collection[str] | None = None,
        unmarked: int | None = None,
    ) -> None:
        """Refuse an answer that this protocol does not know. None takes an answer back and is always allowed.

        Unit ids and the number of unmarked units are checked where they are given.
        """
        if answer is None:
            return
        if not isinstance(answer, Mapping):
            raise DataError(f"{question}: the answer is {quoted_json(answer)}, expected an object")
        if question in NOTES:
            if not isinstance(answer.get("text"), str):
                raise DataError(f'{question}: expected {{"text": ...}}')
        else:
            self.check_answer(question, answer, TaskUnits(model_units, peer_units, unmarked))

    def check_answer(self, question: str, answer: Mapping[str, Any], units: TaskUnits) -> None:
        """As `check`, for an object that answers a question of its own."""
        self.question(question).check(answer.get("value"))

    def unmarked_choices(self, unmarked: int) -> tuple[Choice, ...]:
        """The choices for a number of unmarked units; none where there are none."""
        return ()

    def fields_of(self, question: str) -> frozenset[str]:
        """What an answer to a question holds when it comes from a page."""
        return frozenset(
            {"text" if question in NOTES else self.VALUES.get(question.partition(":")[0], "value")}
        )

    def is_linked(self, question: str) -> bool:
        """Whether its answer depends on others of the page, or changes another question."""
        return False

    def renamed(self, question: str, answer: Any, units: Mapping[str, str]) -> Given:
        """A question and its answer with other names for the units; refuses a unit that has none."""
        return question, answer

    @classmethod
    def cells(cls, question: str, answer: Any) -> dict[str, Any]:
        """An answer in the table of answers: its value, and the kind's own columns."""
        name = "text" if question in NOTES else cls.VALUES.get(question.partition(":")[0], "value")
        return {"value": answer.get(name) if isinstance(answer, Mapping) else None}

    # The page in the browser

    def page(self, task: Task, texts: PageTexts) -> PageBody:
        """Everything that the page of a task shows but the answers."""
        raise DataError(f"{self.name} is not judged in the browser")

    # Simulated assessors

    def simulator(
        self, truth: KnownTruth, sit: Sit, tasks: Sequence[tuple[Task, int]]
    ) -> Callable[[Task, int], Iterator[Given]]:
        """How simulated assessors answer a task; `tasks` are all that they are given."""
        return lambda task, time: self.simulated(sit(task, time), task, truth)

    def simulated(self, seat: Seat, task: Task, truth: KnownTruth) -> Iterator[Given]:
        """A simulated assessor's answers to a task."""
        for question in self.questions:
            chosen = seat.choose(truth.level(task, question.key), positions(question.values))
            yield question.id, {"value": question.values[chosen]}

    # Language models

    def prompts(self, task: Task, texts: PromptTexts, planted: Mapping[str, str]) -> Iterator[Prompt]:
        """The questions of a task that need no other answer first.

        `planted` has other texts for some of those that are judged, by role (peer, left, right).
        """
        yield from ()

    def last_prompt(
        self, task: Task, texts: PromptTexts, answers: Mapping[str, Mapping[str, Any]]
    ) -> Prompt | None:
        """The question that depends on the other answers; None where there is none for these."""
        return None

    @property
    def last_question(self) -> str | None:
        """The id of the question that depends on the others' answers."""
        return None

    def comes_before_last(self, question: str) -> bool:
        """Whether a question must be answered before the last one can be asked."""
        return False

    def counted_as(self, question: str) -> str:
        """Under which name a question's answers are counted."""
        return question.partition(":")[2] or question


def positions(values: Sequence[Value]) -> list[float]:
    """The positions of choices on their scale, from 0 to 1: by their numbers, or in the order of the protocol."""
    if len(values) < 2:
        return [0.0 for _ in values]
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return [at / (len(values) - 1) for at in range(len(values))]
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) for number in numbers]


def running_text(text: str) -> str:
    """A text as people read it: its paragraphs, without headers that may name who wrote it."""
    return "\n".join(paragraphs(text))


class ProtocolFile:
    """Reads the parts of a protocol's file; a mistake is one line."""

    def __init__(self, where: str):
        self.where = where

    def fail(self, what: str) -> NoReturn:
        raise FormatError(what, file=Path(self.where))

    def text(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            self.fail(
                f'no text "{name}"' if value is None else f'"{name}" is {quoted_json(value)}, expected a text'
            )
        return value

    def one_of(self, name: str, value: object, allowed: Collection[str]) -> Any:
        if value not in allowed:
            self.fail(f'"{name}" is {quoted_json(value)}, expected one of: {", ".join(allowed)}')
        return value

    def flag(self, name: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.fail(f'"{name}" is {quoted_json(value)}, expected true or false')
        return value

    def table(self, name: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self.fail(f"no table [{name}]")
        return value

    def questions(self, name: str, value: object, prefix: str, *, least: int) -> tuple[Question, ...]:
        """Questions that have a key: [[name]]."""
        if not isinstance(value, list) or len(value) < least:
            self.fail(f"no [[{name}]]: expected {least} or more")
        questions = tuple(self.question(name, entry, prefix, keyed=True) for entry in value)
        if len({question.id for question in questions}) < len(questions):
            self.fail(f"[[{name}]]: two have the same key")
        return questions

    def question(self, name: str, value: object, prefix: str, *, keyed: bool = False) -> Question:
        data = self.table(name, value)
        keys = ("ask", "choices", "label", "key", "reduced")
        for key in data:
            if key not in keys:
                self.fail(f"[{name}]: {quoted(key)} is not known{nearest(key, keys)}")
        id = f"{prefix}{self.text(f'{name}.key', data.get('key'))}" if keyed else prefix
        ask = self.text(f"{name}.ask", data.get("ask"))
        label = self.text(f"{name}.label", data.get("label", data.get("key", "")))
        return Question(id, ask, self.choices(name, data.get("choices")), label)

    def choices(self, name: str, value: object) -> tuple[Choice, ...]:
        if not isinstance(value, list) or len(value) < 2:
            self.fail(f"[{name}]: expected two choices or more")
        choices = tuple(self.choice(name, entry) for entry in value)
        if len({choice.value for choice in choices}) < len(choices):
            self.fail(f"[{name}]: two choices have the same value")
        return choices

    def choice(self, name: str, value: object) -> Choice:
        if isinstance(value, str):
            return Choice(value, value)
        data = self.table(f"{name}.choices", value)
        if not isinstance(data.get("value"), int | float | str) or isinstance(data["value"], bool):
            self.fail(f"[{name}]: a choice has no value")
        return Choice(
            data["value"], self.text(f"{name}.choices.label", data.get("label", str(data["value"])))
        )
