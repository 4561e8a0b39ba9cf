"""The spec language: `rouge-2(stat=f, stem=none)` to a measure and back, and `mean(a, b)` over measures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.measures.base import Make, Measure

FORMULAS = ("mean", "zmean")
"""What can be computed from the scores of several measures."""
_FORMULA = re.compile(rf"\s*({'|'.join(FORMULAS)})\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_SPEC = re.compile(r"\s*(?P<name>[^()\s][^()]*?)\s*(?:\((?P<options>[^()]*)\))?\s*")


def split_specs(texts: str | Iterable[str]) -> list[str]:
    """`a,b(c=1, d=2)` as two specs: commas outside brackets stand between measures."""
    specs: list[str] = []
    for text in listed_specs(texts):
        parts = split_outside(text, ",")
        if not all(parts):
            raise UsageError(f"{quoted(text)} names a measure that is empty; expected a,b")
        specs += parts
    return specs


def split_outside(text: str, separator: str) -> list[str]:
    """A text split where a separator stands outside all brackets."""
    parts, start, depth, at = [], 0, 0, 0
    while at < len(text):
        depth = max(0, depth + (text[at] == "(") - (text[at] == ")"))
        if not depth and text.startswith(separator, at):
            parts.append(text[start:at].strip())
            start = at = at + len(separator)
        else:
            at += 1
    return [*parts, text[start:].strip()]


def split_formula(text: str) -> tuple[str, list[str]] | None:
    """`mean(a, b(c=1))` as its name and what stands in its brackets; None of any other text."""
    match = _FORMULA.fullmatch(text)
    return (match[1].lower(), split_outside(match[2], ",")) if match else None


def listed_specs(texts: str | Iterable[str]) -> list[str]:
    """Measures as they were given: a text, or several texts."""
    several = [texts] if isinstance(texts, str) else list(texts) if isinstance(texts, Iterable) else [texts]
    if not all(isinstance(text, str) for text in several):
        raise UsageError(f"measures are {quoted(texts)}, expected a text such as rouge-2, or a list of texts")
    return several


def same_name(name: str, names: Iterable[str]) -> str | None:
    """The known name that this is, without regard to case where only one fits."""
    there = list(names)
    if name in there:
        return name
    close = [other for other in there if other.casefold() == name.casefold()]
    return close[0] if len(close) == 1 else None


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """The name and the options as written."""
    if split_formula(text):
        raise UsageError(
            f"{quoted(text)} is computed from scores that are there: score its measures, and name it in compare,"
            " anova or another analysis"
        )
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


def judge_of(text: str) -> str | None:
    """The program whose judgments a measure is of, by its text: `rating(aspect=overall, by=smollm2)`."""
    if "by=" not in text:
        return None
    try:
        _, options = split_spec(text)
    except UsageError:
        return None
    return options.get("by")


def build(make: Make, name: str, options: dict[str, str]) -> Measure:
    """A measure from options as written: `make` is a Measure class, or a partial of one."""
    cls: Any = getattr(make, "func", make)  # a partial carries its class as func
    in_name = {*cls.FIXED, *(option for option in cls.NAMED if option in getattr(make, "keywords", ()))}
    kinds = {f.name: f.default for f in fields(cls) if f.name not in in_name}
    values: dict[str, Any] = {}
    for option, written in options.items():
        key = same_name(option, kinds)
        if key is None:
            choices = f"it has: {', '.join(kinds)}" if kinds else "it has none"
            raise UsageError(f"{name} has no option {quoted(option)}{nearest(option, kinds)}; {choices}")
        if key in values:
            raise UsageError(f"{name}: gives {key} twice")
        values[key] = _value(name, key, written, kinds[key], cls.OPTIONS.get(key))
    return make(**values)


def _value(name: str, key: str, written: str, default: object, choices: tuple[str, ...] | None) -> Any:
    if choices is not None:
        choice = same_name(written, choices)
        if choice is None:
            raise UsageError(
                f"{name}: {key}={written}{nearest(written, choices)}; expected one of: {', '.join(choices)}"
            )
        return choice
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
