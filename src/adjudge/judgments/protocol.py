"""Protocols: what assessors are asked and on which scale, read from TOML files."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NoReturn, get_args
from unicodedata import category

from adjudge.core.errors import ClashError, DataError, FormatError, UsageError, nearest, quoted
from adjudge.data.folder import Folder, parse_toml, read_text
from adjudge.data.layout import PROTOCOLS, SETTINGS, check_plain_file, check_plain_folder

Kind = Literal["coverage", "rating", "pyramid", "preference", "mismatch"]
KINDS: tuple[Kind, ...] = get_args(Kind)
UNIT_KINDS = ("sentence", "edu")
UNIT, UNMARKED, QUALITY, RATING, PREFERENCE = "unit:", "unmarked", "quality:", "rating:", "preference"
PYRAMID, PYRAMID_PEER = "pyramid", "pyramid-peer"
TAGS = "tags"
MOST_TAGS, LONGEST_TAG, BETWEEN_TAGS = 20, 100, ";"
NOTES = ("comment", "flag")  # of every protocol

Value = float | str


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

    def check(self, value: object) -> None:
        """One of the choices; whole numbers and decimals are the same."""
        if isinstance(value, bool) or value not in self.values:
            raise DataError(
                f"{self.id}: {plain(value)} is no answer, expected one of: {', '.join(map(str, self.values))}"
            )


@dataclass(frozen=True)
class Protocol:
    """A protocol. Which fields are set depends on its kind."""

    name: str
    version: str
    kind: Kind
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

    def question(self, id: str) -> Question:
        """A quality question or an aspect, by the id that events carry."""
        for each in self.questions:
            if each.id == id:
                return each
        known = [each.id for each in self.questions]
        raise DataError(f"{self.name} has no question {quoted(id)}{nearest(id, known)}")

    def unmarked_choices(self, unmarked: int) -> tuple[Choice, ...]:
        """The choices for a number of unmarked units; none where there are none."""
        if self.unmarked is None or not unmarked:
            return ()
        allowed = self.reduced.get(unmarked)
        return tuple(c for c in self.unmarked.choices if allowed is None or c.value in allowed)

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        """The ids of all questions of a task, in their order."""
        match self.kind:
            case "coverage":
                yield from (f"{UNIT}{unit}" for unit in model_units)
                if self.unmarked is not None:
                    yield UNMARKED
                yield from (question.id for question in self.questions)
            case "rating":
                yield from (question.id for question in self.questions)
            case "preference":
                yield PREFERENCE
            case "pyramid":
                yield PYRAMID
            case "mismatch":
                yield TAGS

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
            raise DataError(f"{question}: the answer is {plain(answer)}, expected an object")
        if question in NOTES:
            if not isinstance(answer.get("text"), str):
                raise DataError(f'{question}: expected {{"text": ...}}')
        elif question.startswith(UNIT) and self.completeness is not None:
            self._check_unit(question, answer, model_units, peer_units)
        elif question == UNMARKED and self.unmarked is not None:
            self._check_unmarked(answer, unmarked)
        elif question == PREFERENCE and self.kind == "preference":
            winners = ("left", "right", *("tie",) * self.tie, *("skip",) * self.skip)
            if answer.get("winner") not in winners:
                raise DataError(
                    f"preference: {plain(answer.get('winner'))} won, expected one of: {', '.join(winners)}"
                )
        elif question in (PYRAMID, PYRAMID_PEER) and self.kind == "pyramid":
            if not isinstance(answer.get("scus"), Sequence):
                raise DataError(f'{question}: no list "scus"')
        elif question == TAGS and self.kind == "mismatch":
            check_tags(answer.get("tags"))
        else:
            self.question(question).check(answer.get("value"))

    def _check_unit(
        self,
        question: str,
        answer: Mapping[str, Any],
        model_units: Collection[str] | None,
        peer_units: Collection[str] | None,
    ) -> None:
        assert self.completeness is not None
        unit = question.removeprefix(UNIT)
        if model_units is not None and unit not in model_units:
            raise DataError(f"{question}: the reference has no such unit")
        marked = answer.get("marked")
        if not isinstance(marked, list) or not all(isinstance(each, str) for each in marked):
            raise DataError(f'{question}: "marked" is {plain(marked)}, expected a list of unit ids')
        if len(set(marked)) < len(marked):
            raise DataError(f"{question}: a unit is marked twice")
        strange = [each for each in marked if peer_units is not None and each not in peer_units]
        if strange:
            raise DataError(f"{question}: the peer has no unit {quoted(strange[0])}")
        try:
            self.completeness.check(answer.get("completeness"))
        except DataError as error:
            raise DataError(f"{question}: {error}") from None

    def _check_unmarked(self, answer: Mapping[str, Any], unmarked: int | None) -> None:
        assert self.unmarked is not None
        value = answer.get("relevant")
        self.unmarked.check(value)
        if unmarked is not None and value not in [c.value for c in self.unmarked_choices(unmarked)]:
            raise DataError(f"unmarked: {plain(value)} cannot be said of {unmarked} unmarked units")


def inconsistency(answer: Mapping[str, Any]) -> str | None:
    """What does not fit in a unit's answer: marks without content, or content without marks."""
    marked, completeness = answer["marked"], answer["completeness"]
    if marked and not completeness:
        return "marked, but none of it is said to be expressed"
    return (
        "nothing is marked, but some of it is said to be expressed" if completeness and not marked else None
    )


def check_tags(tags: object) -> None:
    """Tags are short texts, each once: the protocol's and people's own."""
    if not isinstance(tags, list) or not 0 < len(tags) <= MOST_TAGS:
        raise DataError(f"tags: {plain(tags)} is no list of 1 to {MOST_TAGS} tags")
    for tag in tags:
        if not isinstance(tag, str) or tag != tag.strip() or not 0 < len(tag) <= LONGEST_TAG:
            raise DataError(f"tags: {plain(tag)} is no tag, expected a text of 1 to {LONGEST_TAG} characters")
        if BETWEEN_TAGS in tag or any(category(sign) in ("Cc", "Zl", "Zp") for sign in tag):
            raise DataError(f"tags: {plain(tag)} is no tag: it holds a semicolon or a control character")
    if len({same_tag(tag) for tag in tags}) < len(tags):
        raise DataError("tags: one is given twice")


def same_tag(tag: str) -> str:
    """By which tags are counted as the same: case and the number of spaces make none another."""
    return " ".join(tag.split()).casefold()


def plain(value: object) -> str:
    """A value as JSON, in printable characters and cut short, for messages."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if text.isprintable() else json.dumps(value, default=str).replace("\x7f", "\\u007f")
    return text if len(text) <= 60 else f"{text[:57]}..."


def protocol_names() -> tuple[str, ...]:
    """The protocols that come with Adjudge."""
    return tuple(
        sorted(
            each.name.removesuffix(".toml") for each in _shipped().iterdir() if each.name.endswith(".toml")
        )
    )


def load_protocol(name: str | Path) -> Protocol:
    """A protocol by name, or from a file of one's own (anything that ends in .toml)."""
    if str(name).endswith(".toml"):
        path = Path(name)
        text = read_text(path)
        return replace(parse_protocol(text, str(path)), source=text)
    if name not in protocol_names():
        raise UsageError(
            f"no protocol {quoted(str(name))}{nearest(str(name), protocol_names())};"
            f" there are: {', '.join(protocol_names())}, or a file that ends in .toml"
        )
    return parse_protocol((_shipped() / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")


def parse_protocol(text: str, where: str) -> Protocol:
    """A protocol from TOML; a mistake is one line."""
    return read(parse_toml(text, Path(where)), where)


def _shipped() -> Any:
    return files("adjudge.judgments") / "protocols"


def protocol_of(folder: Folder, name: str | None = None) -> Protocol:
    """A protocol by name, or from a file of one's own; the evaluation's own unless one is named.

    Files of one's own lie in the folder: the one that evaluation.toml names, and those in protocols/, where an import
    keeps the protocol of its judgments.
    """
    chosen = name or folder.settings.protocol
    if chosen is None:
        raise UsageError(f'{folder.path}: no protocol is named; set protocol = "duc-2002" in evaluation.toml')
    if name is None and chosen.endswith(".toml"):
        return load_protocol(_own_file(folder, chosen))
    return own_protocols(folder).get(chosen) or load_protocol(chosen)


def own_protocols(folder: Folder) -> dict[str, Protocol]:
    """The protocols that lie in a folder, by name; the one that evaluation.toml names comes first."""
    return {protocol.name: protocol for _, protocol in reversed(_own(folder))}


def own_protocol_file(folder: Folder, name: str) -> str | None:
    """The file of a protocol that lies in a folder; None for any other."""
    return next((str(path) for path, protocol in _own(folder) if protocol.name == name), None)


def _own(folder: Folder) -> list[tuple[Path, Protocol]]:
    own = folder.settings.protocol
    paths = [path] if own and own.endswith(".toml") and (path := _own_file(folder, own)).exists() else []
    if check_plain_folder(folder.path / PROTOCOLS):
        paths += sorted((folder.path / PROTOCOLS).glob("*.toml"))
    for each in paths:
        check_plain_file(each)
    return [(each, load_protocol(each)) for each in dict.fromkeys(paths)]


def protocols_of(folder: Folder, names: Iterable[str]) -> dict[str, Protocol]:
    """Those of the protocols of these names that are known: shipped ones, and those that lie in the folder.

    The names may come from a store, so none is taken for a path.
    """
    own, shipped = own_protocols(folder), protocol_names()
    known = {name: own.get(name) or (load_protocol(name) if name in shipped else None) for name in names}
    return {name: protocol for name, protocol in known.items() if protocol is not None}


def protocol_file(name: str) -> str:
    """protocols/my-rating--1f3a....toml: where a folder keeps the protocol of judgments that were imported."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "protocol"
    return f"{PROTOCOLS}/{slug}--{blake2b(name.encode(), digest_size=6).hexdigest()}.toml"


def new_protocol_files(folder: Folder, used: Iterable[Protocol]) -> dict[str, str]:
    """The files that a folder lacks of the protocols of an import: their names and texts.

    One that has the name of another protocol is refused: its judgments could not be told from the other's.
    """
    own = own_protocols(folder)
    found: dict[str, str] = {}
    for protocol in used:
        there = own.get(protocol.name)
        if there is None and protocol.name in protocol_names():
            there = load_protocol(protocol.name)
        if there is None and protocol.source:
            found[protocol_file(protocol.name)] = protocol.source
        elif there is not None and there != protocol:
            raise ClashError(
                f"{folder.path}: there is another protocol {quoted(protocol.name)} already;"
                " give yours a name of its own (name = ... in its file)"
            )
    return found


def _own_file(folder: Folder, name: str) -> Path:
    """The file that evaluation.toml names: in the folder, and no link on the way."""
    parts = PurePosixPath(name).parts
    if PurePosixPath(name).is_absolute() or ".." in parts or "\\" in name or ":" in name:
        raise DataError(
            f"{folder.path / SETTINGS}: protocol is {quoted(name)}, which leaves the folder; put the file into it"
        )
    for k in range(1, len(parts)):
        check_plain_folder(folder.path.joinpath(*parts[:k]))
    check_plain_file(folder.path / name)
    return folder.path / name


COMMON = ("name", "version", "kind", "title", "guidelines")
OWN = {
    "coverage": ("units", "completeness", "unmarked", "quality"),
    "rating": ("aspects",),
    "pyramid": (),
    "preference": ("of", "tie", "skip", "preference"),
    "mismatch": ("tags",),
}


def read(data: Mapping[str, Any], where: str) -> Protocol:
    """A protocol from what its file holds."""
    file = _ProtocolFile(where)
    kind = file.one_of("kind", data.get("kind"), KINDS)
    for key in data:
        if key not in (*COMMON, *OWN[kind]):
            file.fail(f"{quoted(key)} is not known{nearest(key, (*COMMON, *OWN[kind]))} in a {kind} protocol")
    common: dict[str, Any] = {key: file.text(key, data.get(key)) for key in ("name", "version", "title")}
    common |= {"kind": kind, "guidelines": file.text("guidelines", data.get("guidelines", "")).strip()}
    if kind == "coverage":
        return Protocol(**common, **file.coverage(data))
    if kind == "rating":
        return Protocol(**common, questions=file.questions("aspects", data.get("aspects"), RATING, least=1))
    if kind == "preference":
        return Protocol(**common, **file.preference(data))
    if kind == "mismatch":
        return Protocol(**common, **file.mismatch(data))
    return Protocol(**common)


class _ProtocolFile:
    def __init__(self, where: str):
        self.where = where

    def fail(self, what: str) -> NoReturn:
        raise FormatError(what, file=Path(self.where))

    def text(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            self.fail(
                f'no text "{name}"' if value is None else f'"{name}" is {plain(value)}, expected a text'
            )
        return value

    def one_of(self, name: str, value: object, known: Sequence[str]) -> Any:
        if value not in known:
            self.fail(f'"{name}" is {plain(value)}, expected one of: {", ".join(known)}')
        return value

    def flag(self, name: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.fail(f'"{name}" is {plain(value)}, expected true or false')
        return value

    def table(self, name: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self.fail(f"no table [{name}]")
        return value

    def coverage(self, data: Mapping[str, Any]) -> dict[str, Any]:
        units = self.table("units", data.get("units"))
        completeness = self.question("completeness", data.get("completeness"), UNIT)
        if not all(isinstance(v, int | float) and 0 <= v <= 1 for v in completeness.values):
            self.fail("[completeness]: choices are shares, from 0 to 1")
        found: dict[str, Any] = {
            "model_units": self.one_of("units.model", units.get("model"), UNIT_KINDS),
            "peer_units": self.one_of("units.peer", units.get("peer"), UNIT_KINDS),
            "completeness": completeness,
            "questions": self.questions("quality", data.get("quality", []), QUALITY, least=0),
        }
        if "unmarked" in data:
            unmarked = self.question("unmarked", data["unmarked"], UNMARKED)
            found |= {"unmarked": unmarked, "reduced": self.reduced(data["unmarked"], unmarked)}
        return found

    def reduced(self, data: Mapping[str, Any], unmarked: Question) -> dict[int, tuple[float, ...]]:
        found: dict[int, tuple[float, ...]] = {}
        for number, values in self.table("unmarked.reduced", data.get("reduced", {})).items():
            if not number.isdigit() or not isinstance(values, list):
                self.fail(
                    f"[unmarked.reduced]: {quoted(number)} is no number of units with a list of choices"
                )
            if any(value not in unmarked.values for value in values):
                self.fail(f"[unmarked.reduced]: {number} has a choice that is not among [unmarked]'s")
            found[int(number)] = tuple(values)
        return found

    def preference(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "of": self.one_of("of", data.get("of"), ("sentences", "summaries")),
            "tie": self.flag("tie", data.get("tie", False)),
            "skip": self.flag("skip", data.get("skip", False)),
            "ask": self.text("preference.ask", self.table("preference", data.get("preference")).get("ask")),
        }

    def mismatch(self, data: Mapping[str, Any]) -> dict[str, Any]:
        tags = self.table("tags", data.get("tags"))
        for key in tags:
            if key not in ("ask", "choices"):
                self.fail(f"[tags]: {quoted(key)} is not known{nearest(key, ('ask', 'choices'))}")
        choices = self.choices("tags", tags.get("choices"))
        try:
            check_tags([choice.value for choice in choices])
        except DataError as error:
            self.fail(f"[tags]: {error}")
        return {"tags": choices, "ask": self.text("tags.ask", tags.get("ask"))}

    def questions(self, name: str, value: object, prefix: str, *, least: int) -> tuple[Question, ...]:
        if not isinstance(value, list) or len(value) < least:
            self.fail(f"no [[{name}]]: expected {least} or more")
        found = tuple(self.question(name, each, prefix) for each in value)
        if len({each.id for each in found}) < len(found):
            self.fail(f"[[{name}]]: two have the same key")
        return found

    def question(self, name: str, value: object, prefix: str) -> Question:
        data = self.table(name, value)
        known = ("ask", "choices", "label", "key", "reduced")
        for key in data:
            if key not in known:
                self.fail(f"[{name}]: {quoted(key)} is not known{nearest(key, known)}")
        id = f"{prefix}{self.text(f'{name}.key', data.get('key'))}" if prefix in (QUALITY, RATING) else prefix
        ask = self.text(f"{name}.ask", data.get("ask"))
        label = self.text(f"{name}.label", data.get("label", data.get("key", "")))
        return Question(id, ask, self.choices(name, data.get("choices")), label)

    def choices(self, name: str, value: object) -> tuple[Choice, ...]:
        if not isinstance(value, list) or len(value) < 2:
            self.fail(f"[{name}]: expected two choices or more")
        found = tuple(self.choice(name, each) for each in value)
        if len({choice.value for choice in found}) < len(found):
            self.fail(f"[{name}]: two choices have the same value")
        return found

    def choice(self, name: str, value: object) -> Choice:
        if isinstance(value, str):
            return Choice(value, value)
        data = self.table(f"{name}.choices", value)
        if not isinstance(data.get("value"), int | float | str) or isinstance(data["value"], bool):
            self.fail(f"[{name}]: a choice has no value")
        return Choice(
            data["value"], self.text(f"{name}.choices.label", data.get("label", str(data["value"])))
        )
