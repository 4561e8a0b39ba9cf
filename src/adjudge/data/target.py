"""What a summary was asked for: how many words, in which form. Both belong to its key, and either may be unset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from adjudge.core.words import counted

FORMS = ("abstract", "extract")


class Target(NamedTuple):
    """A target length in words and a form. A plain tuple underneath, so that keys that hold one are JSON."""

    length: int | None = None
    form: str | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Target:
        """As it stands in a row, a record or a side of a pair."""
        return cls(data.get("length"), data.get("form"))

    def as_dict(self) -> dict[str, Any]:
        """As it is written: a form that is unset is not, so that what was written before there were forms stays."""
        return {"length": self.length} | self.form_dict()

    def form_dict(self) -> dict[str, str]:
        return {} if self.form is None else {"form": self.form}

    @property
    def parts(self) -> tuple[str | int | None, ...]:
        """What ids are made of: the length, and the form where there is one."""
        return (self.length,) if self.form is None else (self.length, f"form:{self.form}")

    @property
    def order(self) -> tuple[int, str]:
        """For sorting: what is unset comes first."""
        return self.length or 0, self.form or ""

    def __str__(self) -> str:
        """`200 words, extract`; `no set length` where nothing is set."""
        words = [] if self.length is None else [counted(self.length, "word")]
        return ", ".join([*words, *([] if self.form is None else [self.form])]) or "no set length"
