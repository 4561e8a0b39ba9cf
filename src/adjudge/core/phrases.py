"""Sentences whose words depend on the door: an argument is `alpha=` in Python and `--alpha` on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Door = Literal["python", "command"]


@dataclass(frozen=True)
class Argument:
    """An argument of a public function, perhaps with a value: `alpha=0.01`, on the command line `--alpha 0.01`."""

    name: str
    value: str | None = None
    flag: str = ""
    """On the command line, where that is called otherwise."""

    def at(self, door: Door) -> str:
        if door == "python":
            return f"{self.name}={self.value}" if self.value is not None else self.name
        flag = f"--{(self.flag or self.name).replace('_', '-')}"
        return flag if self.value is None else f"{flag} {self.value}"


class Phrase:
    """A template with named parts, of which arguments are shown as the reader's door has them. `str` is Python's."""

    def __init__(self, template: str, **parts: object):
        self.template, self.parts = template, parts

    def at(self, door: Door) -> str:
        def shown(part: object) -> object:
            return part.at(door) if isinstance(part, Argument | Phrase) else part

        return self.template.format_map({name: shown(part) for name, part in self.parts.items()})

    def __str__(self) -> str:
        return self.at("python")


Spoken = str | Phrase


def spoken(text: object, door: Door) -> str:
    """A text or a phrase for a reader at a door."""
    return text.at(door) if isinstance(text, Phrase) else str(text)
