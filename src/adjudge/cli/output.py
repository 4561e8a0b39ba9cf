"""How commands print: tables, JSON, progress. Decides nothing about the data."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from adjudge.cli.streams import print_data, print_json
from adjudge.core.errors import UsageError, quoted
from adjudge.core.phrases import spoken
from adjudge.core.table import Column, Table
from adjudge.data import transaction
from adjudge.data.transaction import write_whole

if TYPE_CHECKING:
    from adjudge.core.engine import Workers
    from adjudge.data.incoming import OnClash


_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console() -> Console:
    """For people. In a pipe there is no colour, and lines are as long as they are."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def say(text: str, style: str = "") -> None:
    """A line or a text. Texts may come from strangers: what would command a terminal is shown, not sent."""
    console().print(Text(_COMMANDS.sub("\N{REPLACEMENT CHARACTER}", spoken(text, "command")), style=style))


SHOW_SIGNATURE = ContextVar("show_signature", default=False)


def say_signature(text: str) -> None:
    """How it was computed, where the command was asked for that by --show-signature."""
    if text and SHOW_SIGNATURE.get():
        say(text, "dim")


STYLES: Mapping[str, str] = {
    "title": "bold",
    "heading": "underline",
    "first": "bold cyan",
    "second": "bold yellow",
}


def say_pieces(pieces: Sequence[tuple[str, str]]) -> None:
    """Texts in pieces, each as its style has it; the last ends a line."""
    text = Text()
    for piece, style in pieces:
        shown = (c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in piece)
        text.append("".join(shown), style=STYLES.get(style, ""))
    console().print(text, end="")


def warn(text: str) -> None:
    """On standard error, so that it never mixes with what a script reads."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(
        Text(f"note: {spoken(text, 'command')}", style="yellow")
    )


def show_json(value: Any) -> None:
    from adjudge.core.table import json_parts

    for part in json_parts(value):
        print_json(part)
    print()


def tell(json: bool, data: Any, lines: Iterable[str]) -> None:
    """What was done: as JSON for scripts, or in lines for people."""
    if json:
        show_json(data)
        return
    for line in lines:
        say(line)


def show(table: Table) -> None:
    """A result's table, with its title: fitted to a terminal's width, and as wide as it is in a pipe."""
    if table.title:
        say(table.title)  # a table's own title would be broken to the table's width
    lines = table.lines(console().width if sys.stdout.isatty() else None)
    say(next(lines), "bold")
    for line in lines:
        print(_COMMANDS.sub("\N{REPLACEMENT CHARACTER}", line))


def show_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """A plain table; columns whose name ends in `>` stand right, as numbers do."""
    heads = tuple(Column(name.removesuffix(">"), right=name.endswith(">")) for name in columns)
    cells = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows)
    show(Table(name="", columns=heads, rows=cells, title=title or ""))


def not_over(target: Path | None, *inputs: str | Path, option: str = "--csv") -> None:
    """Refuse to write over a file that is read."""
    for path in map(Path, inputs):
        if target is not None and target.exists() and path.exists() and target.samefile(path):
            raise UsageError(
                f"{target} is what is read, and would be written over: give {option} another name"
            )


def write_csv(frame: Any, target: Path) -> None:
    """A frame as CSV into a file, or to standard output for `-`: with full precision, but no minus zero."""
    from adjudge.core.table import frame_to_csv

    text = frame_to_csv(frame.assign(**{name: frame[name] + 0.0 for name in frame.select_dtypes("floating")}))
    write_text(text, target)


def write_text(text: str, target: Path) -> None:
    """A text into a file, or to standard output for `-`."""
    if str(target) == "-":
        print_data(text)
        return
    write_whole(target, text)


def _tell_on_a_terminal(text: str) -> None:
    if sys.stderr.isatty():
        warn(text)


transaction.tell = _tell_on_a_terminal


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """Progress of work whose size is not known; silent where standard error is no terminal."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description} {task.completed:,}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda n: bar.update(task, completed=n)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of work whose size is known; silent where standard error is no terminal."""
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of or None)


def on_clash(replace: bool, skip: bool) -> OnClash:
    if replace and skip:
        raise UsageError("--replace and --skip exclude each other")
    return "replace" if replace else "skip" if skip else "refuse"


def worker_count(text: str) -> Workers:
    if text == "auto":
        return "auto"
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--workers is {quoted(text)}, expected a number of processes or auto")
    return int(text)


def now_in_words() -> str:
    """The time as a page shows it."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


def now() -> str:
    """The time, to the second; only the command line looks at the clock."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def typed() -> str:
    """The command as it was typed, for an evaluation's history."""
    return shlex.join(sys.argv[1:])
