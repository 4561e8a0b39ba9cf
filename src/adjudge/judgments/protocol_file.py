"""Reading a protocol's file, with every mistake said in one line. What a protocol means lives in protocol.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from adjudge.errors import FormatError, nearest, quoted
from adjudge.judgments.protocol import (
    KINDS,
    QUALITY,
    RATING,
    UNIT,
    UNIT_KINDS,
    UNMARKED,
    Choice,
    Protocol,
    Question,
    plain,
)

COMMON = ("name", "version", "kind", "title", "guidelines")
OWN = {
    "coverage": ("units", "completeness", "unmarked", "quality"),
    "rating": ("aspects",),
    "pyramid": (),
    "preference": ("of", "tie", "skip", "preference"),
}


def read(data: Mapping[str, Any], where: str) -> Protocol:
    """A protocol from what its file holds."""
    file = _File(where)
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
    return Protocol(**common)


class _File:
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
