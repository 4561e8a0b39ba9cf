"""The prompt: a protocol's own words and a task's texts in a template that a user can see, edit and version.

A template is plain text. A line `[system]` or `[user]` begins a message, `{{question}}` is a place that is filled;
nothing in it is executed. Texts come between two lines with a token that occurs in none of them, and no prompt
names a system.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.assessors.llm.answers import (
    TOP,
    AnswerForm,
    Score,
    answer_form,
    check_weighted,
    weighted_form,
)
from adjudge.assessors.llm.exchange import ChatRequest, Message
from adjudge.core.errors import DataError, FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection, by_date, references_for
from adjudge.data.folder import read_text
from adjudge.data.rows import Summary
from adjudge.judgments.kinds import KINDS
from adjudge.judgments.kinds.base import Prompt, Protocol, running_text
from adjudge.judgments.pairs.sides import side_now
from adjudge.judgments.tasks import Task, TextRef
from adjudge.text.headers import hidden_spans, shown

COMMON = ("boundary", "question", "scale", "answer")
PLACES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    name: ((*COMMON, *kind.PLACES), kind.MAY_SHOW) for name, kind in KINDS.items() if kind.PLACES
}
"""By kind of protocol: the places that a template must have, and those that it may have."""
SHOWN = ("documents", "reference")
"""What a judge may be shown beside what is judged."""
ROLES = ("system", "user")
LARGEST = 100_000
"""Characters of a template."""

_ROLE = re.compile(r"^\[([a-z]+)\][ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{\s*(.*?)\s*\}\}")


# The template


@dataclass(frozen=True)
class PromptTemplate:
    """Messages with places to fill."""

    kind: str
    text: str
    source: str = ""
    """Where it comes from, for people."""

    @property
    def hash(self) -> str:
        return sha256(self.text.encode()).hexdigest()[:12]

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """Roles with their texts."""
        parts = _ROLE.split(self.text)
        return tuple((role, text.strip()) for role, text in zip(parts[1::2], parts[2::2], strict=True))

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_PLACE.findall(self.text)))

    def filled(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages with all places filled; the lines around one that has nothing to say are taken out."""
        return tuple({"role": role, "content": _filled(text, values)} for role, text in self.messages)


def _filled(text: str, values: Mapping[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        return values[match[1]]  # once: what a text holds is never a place

    parts: list[str] = []
    for block in re.split(r"\n[ \t]*\n", text):
        names = _PLACE.findall(block)
        if len(names) == 1 and _PLACE.fullmatch(block.strip()) and not values[names[0]]:
            continue
        parts.append(_PLACE.sub(fill, block))
    return "\n\n".join(parts)


def shipped_template(kind: str) -> PromptTemplate:
    """The template that comes with Adjudge for a kind of protocol."""
    text = (files("adjudge.assessors.llm") / "templates" / f"{kind}.txt").read_text(encoding="utf-8")
    return PromptTemplate(kind=kind, text=text, source="adjudge")


def load_template(kind: str, path: Path | None = None) -> PromptTemplate:
    """A template of one's own from a file, or the one that is shipped."""
    if path is None:
        return shipped_template(kind)
    if not path.is_file():
        problem = "is no plain file" if path.exists() else "there is no such file"
        raise FormatError(f"{problem}; expected a template", file=path)
    return parse_template(read_text(path), kind, str(path))


def parse_template(text: str, kind: str, where: str) -> PromptTemplate:
    """A template, checked: a mistake is one line."""

    def fail(what: str) -> FormatError:
        return FormatError(what, file=where)

    if len(text) > LARGEST:
        raise fail(f"a template has at most {LARGEST:,} characters")
    parts = _ROLE.split(text)
    if parts[0].strip() or len(parts) == 1:
        raise fail("a template begins with a line [system] or [user]")
    for role in parts[1::2]:
        if role not in ROLES:
            raise fail(f"no message [{role}]{nearest(role, ROLES)}; there are: [system], [user]")
    if "user" not in parts[1::2]:
        raise fail("there is no message [user]")
    must, may = PLACES[kind]
    template = PromptTemplate(kind=kind, text=text, source=where)
    for name in template.places:
        if name not in (*must, *may):
            raise fail(
                f"no place {{{{{name}}}}} in the prompt of a {kind} protocol{nearest(name, (*must, *may))};"
                f" there are: {', '.join(sorted((*must, *may)))}"
            )
    missing = [name for name in must if name not in template.places]
    if missing:
        raise fail(f"the place {{{{{missing[0]}}}}} is missing in the prompt of a {kind} protocol")
    return template


# What is shown


def default_shown(protocol: Protocol) -> tuple[str, ...]:
    """What people may open beside what they judge: the documents, where the question is not about two texts alone."""
    return ("documents",) if protocol.of_whole_summaries else ()


def check_shown(names: Iterable[str], protocol: Protocol) -> tuple[str, ...]:
    """Some of what may be shown, in one order."""
    wanted = list(names)
    for name in wanted:
        if name not in SHOWN:
            raise UsageError(
                f"{Argument('show')} is {quoted(name)}{nearest(name, SHOWN)}, expected {' or '.join(SHOWN)}"
            )
    if "reference" in wanted and protocol.has_reference:
        raise UsageError(f"{protocol.name} compares with a reference, which is always shown")
    return tuple(name for name in SHOWN if name in wanted)


@dataclass(frozen=True)
class PosedQuestion:
    """One question of a task as it is put to a model."""

    task: Task
    question: str
    """The id that the answer's event carries."""
    form: AnswerForm
    messages: tuple[Message, ...]
    cut_words: int = 0
    """Words of the documents that were left out."""

    def request(
        self, *, temperature: float, seed: int | None, max_tokens: int | None = None, again: int = 0
    ) -> ChatRequest:
        return ChatRequest(
            messages=self.messages,
            schema=self.form.schema(),
            choices=self.form.choices,
            max_tokens=self.form.max_tokens if max_tokens is None else max_tokens,
            temperature=temperature,
            seed=seed,
            again=again,
        )


@dataclass
class Prompter:
    """Puts the questions of a protocol about the texts of a collection."""

    collection: Collection
    protocol: Protocol
    template: PromptTemplate
    show: tuple[str, ...] = ()
    max_words: int | None = None
    """Of a topic's documents together; what is more is cut, and counted. What is judged is never cut."""
    score: Score = "top"
    cut: Counter[str] = field(default_factory=Counter)
    """By topic, words of its documents that no prompt shows."""
    _read: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kind(self.protocol)
        if self.score == "weighted":
            if not self._is_weighable:
                raise UsageError(
                    f"a weighted score is for ratings, and {self.protocol.name} is a {self.protocol.kind} protocol:"
                    f" take {TOP}"
                )
            for question in self.protocol.questions:
                check_weighted(question)
        lost = [name for name in self.show if name not in self.template.places]
        if lost:
            raise UsageError(
                f"{Argument('show')} names {quoted(lost[0])}, and the template has no place {{{{{lost[0]}}}}} for it:"
                f" put it into the template, or leave {lost[0]} out of {Argument('show')}"
            )

    @property
    def _is_weighable(self) -> bool:
        """Whether every question is one of a summary as a whole, on a scale of its own."""
        return self.protocol.of_whole_summaries and self.protocol.compares is None

    def asked(self, task: Task, *, planted: Mapping[str, str] | None = None) -> list[PosedQuestion]:
        """The questions of a task that need no other answer first.

        `planted` puts other texts in the place of those that are judged, by role (peer, left, right).
        """
        return [self._put(task, prompt) for prompt in self.protocol.prompts(task, self, planted or {})]

    def last(self, task: Task, answers: Mapping[str, Mapping[str, Any]]) -> PosedQuestion | None:
        """The question that depends on the other answers; None where these leave nothing to ask."""
        prompt = self.protocol.last_prompt(task, self, answers)
        return None if prompt is None else self._put(task, prompt)

    def side(self, task: Task, role: str) -> str:
        """The text of a side of a pair, as people read it."""
        side = (task.left if role == "left" else task.right) or {}
        side = side_now(side, task.hashes.get(role), task.topic, self.collection)
        if "document" not in side:
            return running_text(self.summary(task.topic, TextRef.named(side)).text)
        for document in self.collection.documents.get(task.topic, ()):
            if document.id == side["document"]:
                hidden = hidden_spans(document.text)
                return shown(document.text, int(side["start"]), int(side["end"]), hidden=hidden) or "…"
        raise DataError(f"task {quoted(task.id)}: a text of this task is not there any more")

    # Texts

    def summary(self, topic: str, text: TextRef) -> Summary:
        for summary in self.collection.summaries.get(topic, ()):
            if TextRef.of(summary) == text:
                return summary
        raise DataError(f"{topic}: the summary of {quoted(text.system)} is not there any more")

    def _peer(self, task: Task) -> Summary:
        assert task.peer is not None
        return self.summary(task.topic, task.peer)

    def _documents(self, topic: str) -> tuple[str, int]:
        """The documents as people read them, cut to the words that are allowed; and how many words were cut."""
        if "documents" not in self.show:
            return "", 0
        if topic not in self._read:
            left, cut = self.max_words, 0
            parts: list[str] = []
            for n, document in enumerate(by_date(self.collection.documents.get(topic, ())), 1):
                text = running_text(document.text)
                if left is not None:
                    text, lost = cut_to(text, left)
                    left, cut = max(0, left - len(text.split())), cut + lost
                head = f"Document {n}" + (f", {document.date}" if document.date else "")
                if text:
                    parts.append(f"{head}:\n{text}")
            self._read[topic] = "\n\n".join(parts), cut
        return self._read[topic]

    def _shown_reference(self, task: Task) -> str:
        if "reference" not in self.show:
            return ""
        peers = [self._peer(task)] if task.peer is not None else []
        there = self.collection.references(task.topic)
        if peers:
            there = references_for(peers[0], there)
        elif task.left is not None and "system" in task.left and task.right is not None:
            sides = {task.left["system"], task.right["system"]}
            there = [reference for reference in there if reference.system not in sides]
        return running_text(there[0].text) if there else ""

    def _put(self, task: Task, prompt: Prompt) -> PosedQuestion:
        if self.score == "weighted":
            form = weighted_form(self.protocol.question(prompt.question))
        else:
            form = answer_form(prompt.answer_field, prompt.choices, words=prompt.words, units=prompt.marks)
        documents, cut = self._documents(task.topic)
        if cut:
            self.cut[task.topic] = cut
        row = self.collection.topics.get(task.topic)
        data = {"documents": documents, "reference": self._shown_reference(task), **prompt.texts}
        if row is not None and row.question:
            data["topic"] = row.question
        shared = (data.get("topic", ""), documents)
        made_of = shared if documents else (text for name, text in data.items() if name != "unit")
        token = boundary(data.values(), made_of)
        heads = {**HEADS, **prompt.heads}
        values = dict.fromkeys((*PLACES[self.protocol.kind][0], *PLACES[self.protocol.kind][1]), "")
        values |= {
            name: f"{heads[name]}:\n{token}\n{text}\n{token}"
            for name, text in data.items()
            if text or name in prompt.texts
        }
        values |= {
            "boundary": token,
            "guidelines": " ".join(self.protocol.guidelines.split()),
            "question": prompt.ask,
            "scale": form.scale(),
            "answer": form.instruction(),
        }
        return PosedQuestion(task, prompt.question, form, self.template.filled(values), cut)


HEADS = {
    "topic": "What the summary is to answer",
    "documents": "The documents",
    "reference": "A reference summary",
    "summary": "The summary to be judged",
    "unit": "The unit of the reference that is asked about (the current model unit)",
    "left": "Text A",
    "right": "Text B",
}


def check_kind(protocol: Protocol) -> None:
    """Refuse protocols that no prompt asks."""
    if protocol.kind not in PLACES:
        *most, last = PLACES
        raise UsageError(
            f"{protocol.name} is a {protocol.kind} protocol, and a language model is asked"
            f" {', '.join(most)} and {last} protocols"
        )


def boundary(texts: Iterable[str], made_of: Iterable[str]) -> str:
    """A token that occurs in none of the texts, made of some of them.

    Where it is made of what several prompts share, these begin alike, and servers need not read the beginning again.
    """
    every, some = "\0".join(texts), "\0".join(made_of)
    for n in count():
        token = f"TEXT-{sha256(f'{n} {some}'.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        if token not in every:
            return token
    raise AssertionError("unreachable")


def cut_to(text: str, words: int) -> tuple[str, int]:
    """The first words of a text, its lines kept, and how many words were cut."""
    total = len(text.split())
    if total <= words:
        return text, 0
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    return (text[: ends[words - 1]] if words else ""), total - words


def cut_words(cut: Mapping[str, int]) -> str | None:
    """How much of the documents was not shown, in words."""
    if not cut:
        return None
    return (
        f"{counted(sum(cut.values()), 'word')} of the documents of {counted(len(cut), 'topic')} cut"
        f" ({listed(sorted(cut), most=3)})"
    )
