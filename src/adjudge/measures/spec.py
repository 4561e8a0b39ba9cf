"""The spec language: `rouge-2(stat=f, stem=none)` to a measure and back."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from adjudge.errors import UsageError, nearest, quoted
from adjudge.measures.base import Make, Measure

_SPEC = re.compile(r"\s*(?P<name>[^()\s][^()]*?)\s*(?:\((?P<options>[^()]*)\))?\s*")


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """The name and the options as written."""
    match = _SPEC.fullmatch(text)
    if not match:
        raise UsageError(f"{quoted(text)} is not a measure; expected name or name(option=value, ...)")
    options: dict[str, str] = {}
    for part in filter(str.strip, (match["options"] or "").split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise UsageError(f"{quoted(part.strip())} in {quoted(text)}: expected option=value")
        if key in options:
            raise UsageError(f"{quoted(text)} gives {key} twice")
        options[key] = value
    return match["name"], options


def build(make: Make, name: str, options: dict[str, str]) -> Measure:
    """A measure from options as written: `make` is a Measure class, or a partial of one."""
    cls: Any = getattr(make, "func", make)  # a partial carries its class as func
    kinds = {f.name: f.default for f in fields(cls) if f.name not in cls.FIXED}
    values: dict[str, Any] = {}
    for key, written in options.items():
        if key not in kinds:
            known = f"it has: {', '.join(kinds)}" if kinds else "it has none"
            raise UsageError(f"{name} has no option {quoted(key)}{nearest(key, kinds)}; {known}")
        values[key] = _value(name, key, written, kinds[key], cls.OPTIONS.get(key))
    return make(**values)


def _value(name: str, key: str, written: str, default: object, choices: tuple[str, ...] | None) -> Any:
    if choices is not None:
        if written not in choices:
            raise UsageError(
                f"{name}: {key}={written}{nearest(written, choices)}; expected one of: {', '.join(choices)}"
            )
        return written
    if isinstance(default, bool):
        if written not in ("true", "false"):
            raise UsageError(f"{name}: {key}={written}; expected true or false")
        return written == "true"
    if isinstance(default, (int, float)):
        try:
            return type(default)(written)
        except ValueError:
            raise UsageError(f"{name}: {key}={written}; expected a number") from None
    return written
