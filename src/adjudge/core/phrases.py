"""Texts that name arguments: a reader in Python sees `alpha`, one at the command line its option.

A message names an argument in an f-string: `f"{Argument('alpha')} is 2, expected less"`. The text then holds both names
between marks, until it is shown: `spoken` keeps the one of the reader's door. Errors and results do so by themselves.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Door = Literal["python", "command"]
Spoken = str
"""A text that may name arguments."""

MARKS = _BEGIN, _OR, _END = "\x01", "\x02", "\x03"
"""Not printable, so that no quoted text of a user holds them."""
_EITHER = re.compile(f"{_BEGIN}([^{_OR}]*){_OR}([^{_END}]*){_END}")


def either(python: str, command: str) -> Spoken:
    """A text that differs by the door."""
    return f"{_BEGIN}{python}{_OR}{command}{_END}"


def spoken(text: object, door: Door) -> str:
    """A text for a reader at a door."""
    plain = str(text)
    return _EITHER.sub(r"\1" if door == "python" else r"\2", plain) if _BEGIN in plain else plain


@dataclass(frozen=True)
class Argument:
    """An argument of a public function, perhaps with a value: `alpha=0.01`, on the command line `--alpha 0.01`.

    A text is shown as it is. On the command line a truth value is a switch, and a mapping or a list is an option for
    every entry: `Argument("columns", {"topic": "id"}, flag="map")` is `columns={"topic": "id"}` and `--map topic=id`.
    """

    name: str
    value: Any = None
    flag: str = ""
    """On the command line, where that is called otherwise."""

    def __str__(self) -> Spoken:
        return either(self.at("python"), self.at("command"))

    def at(self, door: Door) -> str:
        if door == "python":
            return self.name if self.value is None else f"{self.name}={in_code(self.value)}"
        if isinstance(self.value, str):
            return f"{self.option} {self.value}"
        return in_one_line(self.words)

    @property
    def option(self) -> str:
        no = "no-" if self.value is False else ""
        return f"--{no}{(self.flag or self.name).replace('_', '-')}"

    @property
    def words(self) -> list[str]:
        """The words on the command line."""
        if self.value is None or isinstance(self.value, bool):
            return [self.option]
        if isinstance(self.value, Mapping):
            values = [f"{key}={value}" for key, value in self.value.items()]
        else:
            values = list(map(str, self.value if isinstance(self.value, list) else [self.value]))
        return [word for value in values for word in (self.option, value)]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call that a reader may make: `adjudge units my-eval --kind edu`, in Python `Evaluation.units(kind="edu")`."""

    arguments: Sequence[Argument] = ()
    command: Sequence[str] = ()
    """The words on the command line after the program's name and before the options."""
    function: str = ""
    """In Python, with what it takes by place: `Evaluation.import_folder("texts")`; empty where there is none."""

    @property
    def words(self) -> list[str]:
        """The words on the command line, after the program's name."""
        return [*self.command, *(word for argument in self.arguments for word in argument.words)]

    def __str__(self) -> Spoken:
        arguments = in_call(self.arguments)
        if not self.command:
            return either(arguments, in_one_line(self.words))
        command = in_one_line(["adjudge", *self.words])
        if not self.function:
            return command
        comma = ", " if arguments and not self.function.endswith("()") else ""
        return either(f"{self.function.removesuffix(')')}{comma}{arguments})", command)


def in_call(arguments: Iterable[Argument]) -> str:
    """Arguments of one call in Python; entries of one mapping or list are joined."""
    joined: dict[str, Any] = {}
    for argument in arguments:
        value, before = argument.value, joined.get(argument.name)
        if isinstance(before, Mapping):
            value = {**before, **value}
        elif isinstance(before, list):
            value = [*before, *value]
        joined[argument.name] = value
    return ", ".join(
        f"{name}={in_code([value] if isinstance(value, str) else value)}" for name, value in joined.items()
    )


def in_code(value: object) -> str:
    """A value as Python writes it; a text as it is, and in quotes where it is the one of a list."""
    if not isinstance(value, Mapping | list):
        return str(value)
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


def in_one_line(words: Sequence[str]) -> str:
    """Words as a shell takes them; what would break the line, or do worse to a terminal, is written as its number."""
    return " ".join(shlex.quote(word) if word.isprintable() else _by_numbers(word) for word in words)


def _by_numbers(word: str) -> str:
    signs = (c if c.isprintable() and c not in "\\'" else f"\\U{ord(c):08x}" for c in word)
    return f"$'{''.join(signs)}'"
