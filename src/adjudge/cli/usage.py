"""What is said of words that no command takes: one line, with the command's example.

Typer prints its usage in a box of several lines, and does not know our examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from adjudge.core.errors import UsageError, nearest, quoted


def usage_words(error: Any, words: Sequence[str]) -> str:
    """One line on a usage error of Typer's, whichever release raised it; `words` are those after `adjudge`."""
    command, path = _command(words) if error.ctx is None else (error.ctx.command, _path(error.ctx))
    example = f"for example: {_example(command, path)}"
    if hasattr(error, "possibilities"):
        close = nearest(error.option_name.casefold(), _options(command), most=2)
        return f"{_short(path)}no option {error.option_name}{close}; `{path} --help` lists its options"
    if hasattr(error, "option_name"):
        return f"{_with_value(error.option_name, command)}; {example}"
    if hasattr(error, "param_type"):
        return f"{_shown(error.param)} is missing; {example}"
    if getattr(error, "param", None) is not None:
        return f"{_shown(error.param)}: {error.message.rstrip('.')}; {example}"
    if hasattr(command, "list_commands"):
        return _no_command(_unknown(words, command), command, path)
    if extra := re.search(r"\(([^()]+)\)\.?$", error.message):
        measures = filter(is_measure, extra[1].split()) if "--measure" in _options(command) else iter(())
        if (measure := next(measures, None)) is not None:
            return f"a measure stands after -m, as -m {measure}; {example}"
        taken = [_shown(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
        name = path.removeprefix("adjudge ")
        if taken == ["SCORES"]:
            return f"{name} takes {too_many_tables(extra[1])}"
        return f"{name} takes {' '.join(taken) or 'options only'}, and {extra[1]} is too much; {example}"
    return f"{error.message.rstrip('.')}; {example}"


def _options(command: Any) -> list[str]:
    named = [option for parameter in command.params for option in parameter.opts if option.startswith("-")]
    return [*named, "--help"]


def _with_value(message_name: str, command: Any) -> str:
    metavar = next(
        (parameter.metavar for parameter in command.params if message_name in parameter.opts), None
    )
    return f"{message_name} needs a value: {message_name} {metavar or 'VALUE'}"


def _command(words: Sequence[str]) -> tuple[Any, str]:
    """The command that the words begin with, and what it is called."""
    from adjudge.cli.app import app

    command: Any = typer.main.get_command(app)
    path = ["adjudge"]
    for word in words:
        inner = command.get_command(_Bare(), word) if hasattr(command, "list_commands") else None
        if inner is None:
            break
        command = inner
        path.append(word)
    return command, " ".join(path)


def _no_command(name: str, command: Any, path: str) -> str:
    close = nearest(name, command.list_commands(None))
    return f"{_short(path)}no command {quoted(name)}{close}; `{path} --help` lists its commands"


def too_many_tables(extra: str) -> str:
    """What a command that takes one table says of another."""
    return (
        f"one folder or table, and {extra} is too much: put all systems into one table,"
        " a column each; files with a text a line: adjudge rouge a.txt b.txt --reference ref.txt"
    )


def is_measure(word: str) -> bool:
    """Whether a word names a measure, and no file."""
    from adjudge.measures.registry import parse_measure

    try:
        return not Path(word).exists() and bool(parse_measure(word))
    except UsageError:
        return False


class _Bare:
    """As much of a context as finding a command needs."""

    meta: Mapping[str, Any] = {}


def _unknown(words: Sequence[str], command: Any) -> str:
    """The first word that is none of the command's, after those that led to it."""
    at = words.index(command.name) + 1 if command.name in words else 0
    return next((word for word in words[at:] if not word.startswith("-")), "")


def _path(context: Any) -> str:
    """`adjudge compare`, however the program was started."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return " ".join(["adjudge", *names])


def _short(path: str) -> str:
    """Whose options or commands are spoken of; nobody's where it is the program."""
    return f"{path.removeprefix('adjudge ')} has " if path != "adjudge" else ""


def _shown(parameter: Any) -> str:
    """An option by its long name, an argument as the help shows it."""
    options = sorted((name for name in parameter.opts if name.startswith("-")), key=len)
    return options[-1] if options else str(parameter.metavar or parameter.name.upper())


def _example(command: Any, path: str) -> str:
    """The command's own example, or a way to see one."""
    return (command.epilog or "").removeprefix("Example: ") or f"{path} --help"
