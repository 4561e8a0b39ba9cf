"""What the ID of an EVAL says where it is named like NIST's: D0601.M.250.A-B is topic, task, length, selector, and
the reference that was left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NIST = re.compile(
    r"(?P<topic>[^.]+)\.(?P<task>[MS])\.(?P<length>[1-9][0-9]{0,5})\.(?P<selector>[^.-]+)(?:-(?P<out>[^.]+))?"
)
_TASKS = {"M": "multi", "S": "single"}


@dataclass(frozen=True, slots=True)
class EvalName:
    """A topic, and what else its name says."""

    topic: str
    length: int | None = None
    task: str | None = None
    selector: str | None = None
    left_out: str | None = None

    @classmethod
    def parse(cls, text: str) -> EvalName:
        """Any other ID is the topic as it stands."""
        found = _NIST.fullmatch(text)
        if found is None:
            return cls(text)
        return cls(
            found["topic"], int(found["length"]), _TASKS[found["task"]], found["selector"], found["out"]
        )


def is_person(name: str) -> bool:
    """At NIST a letter is a person and a number a system."""
    return len(name) == 1 and name.isascii() and name.isalpha()
