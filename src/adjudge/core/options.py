"""Options declared once: a frozen dataclass whose fields are what may be asked for.

    @dataclass(frozen=True, kw_only=True)
    class Topics(Declared):
        NAME = "topics"
        alpha: float = option(0.05, above=0, below=1, help="A p up to this is a difference.")

From the fields come validation with "did you mean", the text that can be given back (`topics(alpha=0.01)`), the
signature and documentation of the public function, the command with its help, and the table in the documentation.
"""

from __future__ import annotations

import inspect
import math
import re
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.phrases import Argument, spoken

OPTION = "option"
_QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)
Kind = Literal[
    "text",
    "whole number",
    "number",
    "number or text",
    "switch",
    "texts",
    "whole numbers",
    "pairs",
    "switch or texts",
]
Of = Literal["system", "topic", "measure", "assessor"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """What is known of one option beyond its name, type and default."""

    help: str
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Of a number: texts that it may be instead, such as "all"."""
    least: float | None = None
    above: float | None = None
    below: float | None = None
    most: float | None = None
    of: Of | None = None
    """What it names, for completion."""
    metavar: str = ""
    command: str = ""
    """Its name on the command line where that is another: `measure` for `measures`."""
    short: str = ""
    """A letter on the command line: `m`."""
    unset: str = ""
    """What None means, in words."""
    panel: str = ""
    """Where the help shows it: first, unless it is Advanced or about reading a table."""
    by_name: bool = True
    """False where a command takes it otherwise, or not at all."""
    by_place: bool = False
    """Whether a command takes it by its place, after the scores."""

    @property
    def limits(self) -> str:
        """The values that are taken, in words; empty where all of the type are."""
        if self.choices:
            return f"one of: {', '.join(self.choices)}"
        low = None if self.least is None else f"{self.least:g} or more"
        high = None if self.most is None else f"{self.most:g} or less"
        if self.above is not None and self.below is not None:
            return f"a number between {self.above:g} and {self.below:g}"
        low = low if self.above is None else f"a number above {self.above:g}"
        high = high if self.below is None else f"below {self.below:g}"
        return ", ".join(filter(None, (low, high)))


def option(default: Any, *, compare: bool = True, **about: Any) -> Any:
    """A field of a declaration; see `Option` for what may be said about it.

    With `compare=False` it changes no number, such as how many processes work, and is in no signature.
    """
    return field(default=default, compare=compare, metadata={OPTION: Option(**about)})


ADVANCED, READING, OUTPUT = "Advanced", "Reading a table", "Output"
"""Panels of the help, below the options that people need first."""

SHARED: Mapping[str, Mapping[str, Any]] = {
    "alpha": {
        "default": 0.05,
        "above": 0,
        "below": 1,
        "panel": ADVANCED,
        "help": "Significance level of the tests.",
    },
    "level": {"default": 0.95, "above": 0, "below": 1, "help": "Confidence level of the intervals."},
    "seed": {"default": 0, "least": 0, "panel": ADVANCED, "help": "Seed of everything random."},
    "pool_humans": {"default": False, "help": "Treat all humans as one system, HUMANS."},
}
"""Options that several analyses have, declared once."""


def shared(name: str, **changes: Any) -> Any:
    """A field of a declaration that others have too; `changes` are what is said otherwise here."""
    about = {**SHARED[name], **changes}
    return option(about.pop("default"), **about)


@dataclass(frozen=True)
class Declared:
    """Something that can be asked for: a subclass is a frozen dataclass whose fields are its options.

    Equal declarations ask for the same. `str` gives the text that parses back to an equal one.
    """

    NAME: ClassVar[str] = ""
    """What people type."""

    def __post_init__(self) -> None:
        for name, (about, kind) in declared(type(self)).items():
            value = getattr(self, name)
            if (made := MADE.get(kind)) is not None:
                value = made(value, about)
                object.__setattr__(self, name, value)
            check(name, value, about, kind, getattr(type(self), name, None))
        self.check()

    def check(self) -> None:
        """What options must be to each other; a subclass refuses what makes no sense together."""

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        kept = declared(type(self))
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name in kept and f.compare and getattr(self, f.name) != f.default
        }

    def __str__(self) -> str:
        options = ", ".join(f"{name}={written(value)}" for name, value in self.changed().items())
        return f"{self.NAME}({options})" if options else self.NAME

    @classmethod
    def parse(cls, text: str) -> Self:
        """The declaration that `topics(alpha=0.01)` stands for; what follows the brackets is not read."""
        return cls(**parse_options(cls, text))


_known: dict[type[Declared], Mapping[str, tuple[Option, Kind]]] = {}


def declared(cls: type[Declared]) -> Mapping[str, tuple[Option, Kind]]:
    """The options of a declaration, in their order, each with what is known of it and the kind of its values."""
    if cls not in _known:
        hints = get_type_hints(cls)
        _known[cls] = {
            f.name: (_with_literals(f.metadata[OPTION], hints[f.name]), _kind(hints[f.name]))
            for f in fields(cls)
            if OPTION in f.metadata
        }
    return _known[cls]


def _with_literals(about: Option, hint: Any) -> Option:
    """With the texts that the type names as choices; of a number, as what it may be instead."""
    texts = tuple(text for part in _parts(hint) if get_origin(part) is Literal for text in get_args(part))
    if not texts:
        return about
    return replace(about, choices=texts) if _kind(hint) in ("text", "texts") else replace(about, words=texts)


def _kind(hint: Any) -> Kind:
    parts = {part for part in _parts(hint) if part is not type(None)}
    plain = {part for part in parts if get_origin(part) is not Literal}
    origins = {get_origin(part) or part for part in plain}
    if Mapping in origins:
        return "pairs"
    if origins & {Sequence, Collection}:
        if any(get_args(part) == (int,) for part in plain):
            return "whole numbers"
        return "switch or texts" if bool in origins else "texts"
    if bool in origins:
        return "switch"
    if float in origins:
        return "number or text" if str in origins else "number"
    return "whole number" if int in origins else "text"


def _parts(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, types.UnionType):
        for part in get_args(hint):
            yield from _parts(part)
    else:
        yield hint


def _texts(value: Any, about: Option) -> Any:
    """Several names as a tuple, whichever way they were given; None stays. Choices may stand in one text, or be all."""
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, Sequence):
        return value
    if about.choices and all(isinstance(text, str) for text in value):
        parts = tuple(dict.fromkeys(part.strip() for text in value for part in text.split(",")))
        return about.choices if parts == ("all",) and "all" not in about.choices else parts
    return tuple(value)


def _whole_numbers(value: Any, about: Option) -> Any:
    """One or several numbers as a tuple; in a text with commas between them. What is no number stays, to be refused."""
    parts = _texts(value, about)
    if hasattr(parts, "__index__") and not isinstance(parts, bool):
        return (int(parts),)
    if not isinstance(parts, tuple):
        return value
    split = [p for part in parts for p in (part.split(",") if isinstance(part, str) else [part])]
    return tuple(int(p) if isinstance(p, str) and p.strip().isdecimal() else p for p in split)


def _number_or_text(value: Any, about: Option) -> Any:
    """A number, also where it was given as a text; another text stays."""
    try:
        return value if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return value


MADE: Mapping[Kind, Callable[[Any, Option], Any]] = {
    "texts": _texts,
    "whole numbers": _whole_numbers,
    "number or text": _number_or_text,
}
"""What is made of a value before it is checked."""


# Checking


def check(name: str, value: Any, about: Option, kind: Kind, default: Any) -> None:
    """Refuse a value that an option does not take."""
    if value is None and default is None:
        return
    if kind == "switch":
        if not isinstance(value, bool):
            _refuse(name, value, about, "True or False")
    elif kind == "texts":
        if not isinstance(value, tuple) or not all(isinstance(text, str) for text in value):
            _refuse(name, value, about, "a text, or several")
        for text in value:
            _check_choice(name, text, about)
    elif kind == "text":
        if not isinstance(value, str):
            _refuse(name, value, about, about.limits or "a text")
        _check_choice(name, value, about)
    elif kind == "whole numbers":
        if not isinstance(value, tuple):
            _refuse(name, value, about, "a whole number, or several")
        for number in value:
            _check_number(name, number, about, "whole number")
    elif kind in ("whole number", "number"):
        _check_number(name, value, about, kind)
    elif kind == "number or text" and not isinstance(value, str):
        _check_number(name, value, about, "number")


def _check_choice(name: str, value: str, about: Option) -> None:
    if about.choices and value not in about.choices:
        raise UsageError(
            f"{Argument(name, flag=about.command)} is {quoted(value)}{nearest(value, about.choices)};"
            f" expected {about.limits}"
        )


def _check_number(name: str, value: Any, about: Option, kind: Kind) -> None:
    if isinstance(value, str) and value in about.words:
        return
    limits = about.limits
    what = limits if limits.startswith("a number") else ", ".join(filter(None, (f"a {kind}", limits)))
    if about.words:
        what += f", or {' or '.join(about.words)}"
    whole = isinstance(value, int) or hasattr(value, "__index__")
    real = whole or isinstance(value, float) or hasattr(value, "__float__")
    if isinstance(value, bool | str) or not (whole if kind == "whole number" else real):
        _refuse(name, value, about, what)
    inside = (
        (about.least is None or value >= about.least)
        and (about.most is None or value <= about.most)
        and (about.above is None or value > about.above)
        and (about.below is None or value < about.below)
    )
    if not inside or math.isnan(value):
        _refuse(name, value, about, what)


def _refuse(name: str, value: Any, about: Option, expected: str) -> None:
    shown = (
        f"{value:g}" if isinstance(value, float) else quoted(value) if isinstance(value, str) else str(value)
    )
    raise UsageError(f"{Argument(name, flag=about.command)} is {shown}, expected {expected}")


# As text


def written(value: Any) -> str:
    """A value as the text of a declaration has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "+".join(_in_quotes(f"{name}={value}") for name, value in value.items())
    if isinstance(value, tuple | list | frozenset | set):
        return "+".join(written(element) for element in value)
    text = repr(value) if isinstance(value, float) else str(value)
    return (
        _in_quotes(text)
        if any(sign in text for sign in ',()=+"|') or text != text.strip() or not text
        else text
    )


def _in_quotes(text: str) -> str:
    """A quote inside is doubled."""
    return '"' + text.replace('"', '""') + '"'


def asks_for(cls: type[Declared], text: str) -> bool:
    """Whether a text such as `topics(alpha=0.01)|...` is of this declaration."""
    return text.strip().partition("|")[0].partition("(")[0].strip() == cls.NAME


def parse_options(cls: type[Declared], text: str) -> dict[str, Any]:
    """The options that a text gives, checked by name."""
    head = text.strip().partition("|")[0]
    name, bracket, _ = head.partition("(")
    rest = text.strip()[len(name) + 1 :] if bracket else ""
    if name.strip() != cls.NAME:
        raise UsageError(
            f"{quoted(text)} is no signature of {cls.NAME}; expected {cls.NAME}(option=value, ...)"
        )
    options = declared(cls)
    chosen: dict[str, Any] = {}
    for key, values in _split(rest):
        if key not in options:
            raise UsageError(f"{cls.NAME} has no option {quoted(key)}{nearest(key, options)}")
        chosen[key] = _read(values, options[key][1], options[key][0], key)
    return chosen


def _split(text: str) -> Iterator[tuple[str, list[str]]]:
    """`a=1, b="x y"+z)...` as names with their values; what follows the closing bracket is not read."""
    at, size = 0, len(text)
    while at < size and text[at] != ")":
        equals = text.find("=", at)
        if equals < 0:
            return
        key, at = text[at:equals].strip(" ,"), equals + 1
        values: list[str] = []
        while True:
            if quotes := _QUOTED.match(text, at):
                values.append(quotes[1].replace('""', '"'))
                at = quotes.end()
            else:
                end = min((p for sign in "+,)" if (p := text.find(sign, at)) >= 0), default=size)
                values.append(text[at:end].strip())
                at = end
            if at < size and text[at] == "+":
                at += 1
                continue
            break
        yield key, values


def _read(values: Sequence[str], kind: Kind, about: Option, name: str) -> Any:
    if kind in ("texts", "whole numbers"):
        return tuple(values)
    if kind == "pairs":
        return {pair.partition("=")[0]: pair.partition("=")[2] for pair in values}
    text = values[0]
    if kind == "switch or texts" and text not in ("yes", "no"):
        return tuple(values)
    if kind in ("switch", "switch or texts"):
        return text == "yes"
    if kind in ("whole number", "number") and text not in about.words:
        try:
            return int(text) if kind == "whole number" else float(text)
        except ValueError:
            _refuse(name, text, about, about.limits or f"a {kind}")
    return text


# As a function


def documented(cls: type[Declared], about: str) -> str:
    """A docstring with a line for every option, as `help()` shows it."""
    lines = [about, "", "Options:"]
    in_order = sorted(declared(cls).items(), key=lambda entry: entry[1][0].panel == READING)
    for name, (option, _) in in_order:
        limits = f" ({option.limits})" if option.limits else ""
        lines.append(f"    {name}: {spoken(option.help, 'python')}{limits}")
    return "\n".join(lines)


def signature_of(cls: type[Declared], *first: inspect.Parameter) -> inspect.Signature:
    """The signature of a function that takes the options of a declaration, those for reading tables last."""
    options = declared(cls)
    parameters = [
        parameter for parameter in inspect.signature(cls).parameters.values() if parameter.name in options
    ]
    return inspect.Signature(
        [*first, *sorted(parameters, key=lambda parameter: options[parameter.name][0].panel == READING)]
    )
