"""What is said of words that no command takes: one line, with what to type instead.

Typer prints its usage in a box of several lines, and knows neither the words of other tools nor our examples.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from adjudge.core.errors import UsageError, nearest, quoted

_SYSTEMS = frozenset(
    [
        "hyp",
        "hyps",
        "hypothesis",
        "hypotheses",
        "pred",
        "preds",
        "prediction",
        "predictions",
        "candidate",
        "candidates",
        "cand",
        "system",
        "systems",
        "peers",
        "input",
        "i",
        "p",
        "s",
        "sys",
        "output",
        "outputs",
    ]
)
"""What other tools call the option for systems' files."""
_SAME: Mapping[str, tuple[str, ...]] = {
    "--reference": ("ref", "refs", "references", "r", "target", "targets", "gold", "tgt", "t", "models"),
    "--source": ("src", "sources", "s", "documents", "articles", "input"),
    "--measure": ("metric", "metrics", "measures", "rouge-types", "rouge_types", "scores"),
    "--system": ("systems", "model", "models"),
    "--topic": ("topics", "id", "document"),
    "--against": ("baseline-system", "versus", "vs", "base"),
    "--delimiter": ("sep", "separator", "delim", "d"),
    "--correct": ("correction", "adjust", "p-adjust", "method"),
    "--seed": ("random-seed", "random_state", "random-state", "rng"),
    "--lower-is-better": ("lower", "minimize", "lower-better", "ascending"),
    "--out": ("output", "output-dir", "outdir", "o"),
    "--csv": ("output", "out", "o", "save", "to-csv"),
    "--map": ("columns", "column", "col", "rename", "field"),
    "--pattern": ("glob", "filename-pattern", "system-filename-pattern", "template"),
    "--reference-pattern": ("model-pattern", "model-filename-pattern", "ref-pattern", "references-pattern"),
    "--workers": ("jobs", "j", "n-jobs", "processes", "num-workers", "threads"),
    "--dry-run": ("check", "n", "simulate", "test-run"),
    "--json": ("as-json", "format-json"),
    "--test": ("tests", "significance", "paired-bs", "paired-ar"),
    "--human": ("humans", "people"),
    "--baseline": ("baselines",),
    "--length": ("lengths", "words", "limit", "max-words", "l"),
}
"""What other tools, or we in other commands, call an option; the first that the command has is meant."""


_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "--help": ("help", "usage", "man"),
    "compare": (
        "rank",
        "ranking",
        "test",
        "significance",
        "leaderboard",
        "ttest",
        "wilcoxon",
        "bootstrap",
        "diff",
    ),
    "score": ("evaluate", "eval", "metrics", "compute", "measure"),
    "rouge": ("rouge-score", "rouge_score", "rougescore", "pyrouge", "files2rouge", "sacrebleu"),
    "rouge -m bleu": ("bleu",),
    "rouge -m chrf": ("chrf",),
    "import": ("load", "add", "read", "ingest"),
    "init": ("new", "create", "start"),
    "serve": ("annotate", "label", "app", "web"),
    "prefer fit": ("elo", "bradley-terry", "duels", "arena", "preferences"),
}
"""Names that people try first, by what they mean."""


def usage_words(error: Any, words: Sequence[str]) -> str:
    """One line on a usage error of Typer's, whichever release raised it; `words` are those after `adjudge`."""
    command, path = _command(words) if error.ctx is None else (error.ctx.command, _path(error.ctx))
    example = f"for example: {_example(command, path)}"
    if hasattr(error, "possibilities"):
        return _no_option(error.option_name, command, path, words)
    if hasattr(error, "option_name"):
        return f"{_with_value(error.option_name, command)}; {example}"
    if hasattr(error, "param_type"):
        return f"{_shown(error.param)} is missing; {example}"
    if getattr(error, "param", None) is not None:
        return f"{_shown(error.param)}: {error.message.rstrip('.')}; {example}"
    if hasattr(command, "list_commands"):
        return _no_command(_unknown(words, command), command, path, words)
    if extra := re.search(r"\(([^()]+)\)\.?$", error.message):
        if whole := _with_measures(words, command):
            return f"a measure stands after -m; say: {shlex.join(['adjudge', *whole])}"
        taken = [_shown(each) for each in command.params if each.param_type_name == "argument"]
        name = path.removeprefix("adjudge ")
        if taken == ["SCORES"]:
            return f"{name} takes {too_many_tables(extra[1])}"
        return f"{name} takes {' '.join(taken) or 'options only'}, and {extra[1]} is too much; {example}"
    return f"{error.message.rstrip('.')}; {example}"


# Options


def _no_option(name: str, command: Any, path: str, words: Sequence[str]) -> str:
    """What the option is called here, and the whole command with it where every word has a meaning."""
    own = _options(command)
    meant = _meant(name, command)
    if meant is None:
        close = nearest(name, own, most=2)
        return f"{_short(path)}no option {name}{close}; `{path} --help` lists its options"
    what = f"it is {meant} here" if meant else "the files of systems are named without an option"
    whole = _corrected(words, command, path)
    said = f"say: {shlex.join(['adjudge', *whole])}" if whole else f"for example: {_example(command, path)}"
    return f"{_short(path)}no option {name}, {what}; {said}"


def _meant(name: str, command: Any) -> str | None:
    """The option that is meant by one that there is not; "" for the files of systems, which have none."""
    own = _options(command)
    word = name.lstrip("-").casefold()
    for option, others in _SAME.items():
        if option in own and word in (option.lstrip("-"), *others):
            return option
    if word in _SYSTEMS and any(each.name == "files" for each in command.params):
        return ""
    close = get_close_matches(name, own, n=2, cutoff=0.8)
    return close[0] if len(close) == 1 else None


def _corrected(words: Sequence[str], command: Any, path: str) -> list[str] | None:
    """The words with the options that are meant. Where systems had an option, files without are references."""
    own = _options(command)
    found: list[str] = []
    bare: list[int] = []  # places of words that are no options and no values of them
    valued = False
    dropped: int | None = None  # where the first option of systems was
    for word in words:
        name, equals, value = word.partition("=")
        if not word.startswith("-") or len(word) < 2:
            if not valued:
                bare.append(len(found))
            found.append(word)
            valued = False
            continue
        meant = name if name in own else _meant(name, command)
        if meant is None:
            return None
        if meant:
            found.append(f"{meant}{equals}{value}")
        else:
            dropped = len(found) if dropped is None else dropped
            found.extend([value] if equals else [])
        valued = not equals and (not meant or not _is_flag(meant, command))
    if dropped is not None and "--reference" in own and "--reference" not in found:
        for place in reversed([each for each in bare if each < dropped and found[each] not in path.split()]):
            found.insert(place, "--reference")
    return found


def _options(command: Any) -> list[str]:
    named = [option for each in command.params for option in each.opts if option.startswith("-")]
    return [*named, "--help"]


def _is_flag(option: str, command: Any) -> bool:
    return any(option in each.opts and getattr(each, "is_flag", False) for each in command.params)


def _with_value(message_name: str, command: Any) -> str:
    metavar = next((each.metavar for each in command.params if message_name in each.opts), None)
    return f"{message_name} needs a value: {message_name} {metavar or 'VALUE'}"


# Commands


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


def _no_command(name: str, command: Any, path: str, words: Sequence[str]) -> str:
    """The command that is meant, with the words that follow where the name alone is another."""
    if path == "adjudge":
        meant = next((own for own, others in _COMMANDS.items() if name.casefold() in others), None)
        if meant is not None:
            rest = [] if meant == "--help" else words[words.index(name) + 1 :]
            if meant == "score" and any(Path(word).is_file() for word in rest[:1]):
                meant = "compare"
            return f"no command {quoted(name)}; say: {shlex.join(['adjudge', *meant.split(), *rest])}"
    close = nearest(name, command.list_commands(None))
    return f"{_short(path)}no command {quoted(name)}{close}; `{path} --help` lists its commands"


def too_many_tables(extra: str) -> str:
    """What a command that takes one table says of another."""
    return (
        f"one folder or table, and {extra} is too much: put all systems into one table,"
        " a column each; files with a text a line: adjudge rouge a.txt b.txt --reference ref.txt"
    )


def with_measures(words: Sequence[str]) -> list[str] | None:
    """The words with -m before what is a measure and no path; None where there is nothing of the kind."""
    from adjudge.measures.registry import parse_measure

    found: list[str] = []
    moved: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before.startswith("-") or word.startswith("-") or Path(word).exists() or len(found) < 1:
            found.append(word)
            continue
        try:
            parse_measure(word)
            moved.append(word)
        except UsageError:
            found.append(word)
    return [*found, "-m", ",".join(moved)] if moved else None


def _with_measures(words: Sequence[str], command: Any) -> list[str] | None:
    """As `with_measures`, of a command that takes measures."""
    return with_measures(words) if "--measure" in _options(command) else None


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
    options = sorted((each for each in parameter.opts if each.startswith("-")), key=len)
    return options[-1] if options else str(parameter.metavar or parameter.name.upper())


def _example(command: Any, path: str) -> str:
    """The command's own example, or a way to see one."""
    return (command.epilog or "").removeprefix("Example: ") or f"{path} --help"
