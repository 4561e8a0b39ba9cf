"""The commands, in the order of the way through: Set up, Judge, Score, Compare, Trust, Report.

A command's module is imported when the command is called, so that `adjudge --help` loads none of the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from adjudge import __version__
from adjudge.analyses import declaration
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.options import ADVANCED, OUTPUT, READING

SET_UP, JUDGE, SCORE, COMPARE, TRUST, REPORT = "Set up", "Judge", "Score", "Compare", "Trust", "Report"
GROUPS = (SET_UP, JUDGE, SCORE, COMPARE, TRUST, REPORT)
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
ABOUT = "Which summarizers are really better, and how sure can we be?"
MAX_UNPACKED = "How far a compressed file may unpack, such as 4GB."


@dataclass(frozen=True)
class Command:
    """A command or a group of commands: where it stands in the help, what it does, and where it is.

    A single command has an example, which runs as printed; a group's commands have their own.
    """

    name: str
    about: str
    example: str = ""
    where: str = ""
    """`module:function`; unless said, `command` of the module of its name, or the group of that name."""
    group: str = ""

    def load(self) -> Any:
        return _loaded(self)

    def listed(self) -> Any:
        """What a list of commands shows of it, without loading it."""
        return TyperCommand(self.name, help=self.about, rich_help_panel=self.group)


@cache
def _loaded(command: Command) -> Any:
    """Made once: reading the options takes 10 to 30 ms, again and again where one process runs many commands."""
    usual = f"{command.name}:{'command' if command.example else command.name}"
    module, name = (command.where or usual).split(":")
    if module == "analysis":
        from adjudge.cli.analysis import command_of

        run: Any = command_of(name)
    else:
        run = getattr(import_module(f"adjudge.cli.{module}"), name)
    if isinstance(run, typer.Typer):
        group = typer.main.get_group(run)  # a group also where it has one command only
        group.name = command.name
        return arranged(group)
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=SETTINGS,
    )
    own_class = getattr(import_module(f"adjudge.cli.{module}"), "COMMAND_CLASS", None)
    app.command(command.name, cls=own_class, epilog=f"Example: {command.example}")(run)
    return arranged(typer.main.get_command(app))


def arranged(command: Any) -> Any:
    """The same command, its help easy to read: paragraphs as they fit, no type for switches, panels in their order.

    Few options stand together, without panels.
    """
    original = command.get_help_option

    def help_option(ctx: Any) -> Any:
        return _plain(original(ctx))

    command.get_help_option = help_option
    command.help = "\n\n".join(" ".join(text.split()) for text in (command.help or "").split("\n\n"))
    for parameter in command.params:
        _plain(parameter)
    _in_panels([parameter for parameter in command.params if parameter.param_type_name == "option"])
    command.params.sort(key=_rank)  # which keeps the order within a panel
    for inner in getattr(command, "commands", {}).values():
        arranged(inner)
    return command


def _in_panels(options: Sequence[Any]) -> None:
    shown = [option for option in options if not option.hidden]
    if len(shown) <= MOST_FIRST:
        for option in shown:
            option.rich_help_panel = None


def _rank(parameter: Any) -> int:
    """Arguments, what people need first, panels that one command has, those that all have."""
    if parameter.param_type_name == "argument":
        return 0
    panel = getattr(parameter, "rich_help_panel", None)
    return 1 if panel is None else LAST.index(panel) + 3 if panel in LAST else 2


MOST_FIRST = 10
"""Options that a command shows before all others."""
LAST = (OUTPUT, READING, ADVANCED)
"""Panels that every command shows below its own, in their order."""


def _plain(option: Any) -> Any:
    if getattr(option, "is_flag", False):
        option.metavar = ""
    return option


def analysis(function: str) -> Command:
    """The command of an analysis, as the declaration of its public function has it."""
    cls = declaration(function)
    about = (cls.__doc__ or "").partition("\n")[0]
    return Command(cls.NAME, about, cls.EXAMPLE, f"analysis:{function}", cls.GROUP)


def _in(group: str, *commands: Command) -> Iterator[Command]:
    """Commands that the help lists together."""
    return (replace(command, group=group) for command in commands)


COMMANDS = (
    *_in(
        SET_UP,
        Command(
            "init",
            "Make an empty evaluation folder, with comments on what goes where.",
            "adjudge init new-eval",
        ),
        Command(
            "demo",
            "Make a small example evaluation: 12 topics, 4 writers, 9 systems, invented news.",
            "adjudge demo demo-eval",
        ),
        Command(
            "import",
            "Read texts, ratings or scores into an evaluation.",
            where="imports:imports",
        ),
        Command(
            "check",
            "Say what an evaluation has, what is missing and what looks wrong. Exit 1 on errors.",
            "adjudge check my-eval",
        ),
        Command(
            "show",
            "Show what an evaluation holds, or the texts of a topic or a system.",
            "adjudge show my-eval --topic d01",
        ),
        Command(
            "withdraw",
            "Leave a system's or topic's summaries out of all scores; the files keep them.",
            'adjudge withdraw my-eval --system vague --topic d03 --why "wrong input"',
            where="edits:withdraw",
        ),
        Command(
            "rename",
            "Rename a system or a topic everywhere: files, scores, judgments.",
            'adjudge rename my-eval --system fluent --to fluent-v1 --why "a second version is coming"',
            where="edits:rename",
        ),
        Command(
            "remove",
            "Delete a system, a topic, or a system's summaries of a topic from the files.",
            'adjudge remove my-eval --system garbled --why "not ours"',
            where="edits:remove",
        ),
        Command(
            "undo",
            "Take back the last change of the files.",
            "adjudge undo my-eval --dry-run",
            where="undo:undo",
        ),
        Command(
            "history",
            "List the last changes of the files, and which can be taken back.",
            "adjudge history my-eval",
            where="undo:history",
        ),
        Command(
            "units",
            "Split summaries into sentences and references into discourse units, for judging.",
            "adjudge units my-eval",
        ),
        Command(
            "baselines",
            "Add the lead and coverage baselines as systems, made from the documents.",
            "adjudge baselines my-eval",
        ),
    ),
    *_in(
        JUDGE,
        Command("people", "Add the people who judge in the browser, and print their links."),
        Command(
            "assign",
            "Assign summaries to assessors: evenly, in blind order, with repeats on request.",
            "adjudge assign my-eval --protocol rating --per-summary 2 --repeats 0.1 --seed 1",
        ),
        Command(
            "serve",
            "Start the website on which people judge.",
            "adjudge serve my-eval --port 8000",
        ),
        Command("judgments", "Import, list, export and delete people's judgments."),
        Command(
            "judge", "Let programs judge (simulated, learned, language models), and see what they are worth."
        ),
        Command("prefer", "Ask which of two is better, and rank systems by the answers."),
    ),
    *_in(
        SCORE,
        Command(
            "measures",
            "List all measures and presets, or explain one: options and citation.",
            "adjudge measures rouge-2",
        ),
        Command(
            "rouge",
            "Score text files by ROUGE, BLEU and others, and compare the systems; no folder needed.",
            "adjudge rouge a.txt b.txt --reference ref.txt",
        ),
        Command(
            "rouge155",
            "Run ROUGE-1.5.5: its options and settings in, its numbers and its output out.",
            "adjudge rouge155 -a -d -n 2 -m settings.xml",
        ),
        Command(
            "score",
            "Score what is new or has changed: what people judged, and ROUGE-1, 2, L and Lsum.",
            'adjudge score my-eval -m "rouge-1,rouge-2(refs=jackknife)"',
        ),
        Command(
            "scores",
            "List the scores, or export them as a long table or a matrix.",
            "adjudge scores my-eval --csv scores.csv",
        ),
    ),
    analysis("compare_all"),
    analysis("anova"),
    analysis("topics"),
    analysis("slices"),
    analysis("examples"),
    analysis("groups"),
    analysis("lengths"),
    analysis("plan"),
    analysis("simulate"),
    analysis("agreement"),
    analysis("dossiers"),
    analysis("meta"),
    analysis("mismatch"),
    analysis("stability"),
    *_in(
        REPORT,
        Command(
            "report",
            "Write a web page with all results, and their tables as CSV and LaTeX.",
            "adjudge report my-eval -o report",
        ),
        Command(
            "reproduce",
            "Make every table and figure of a paper from your data, as a page and files.",
            "adjudge reproduce duc-2002 my-eval -o duc-2002",
        ),
        Command(
            "figure",
            "Draw a figure as SVG, PNG or PDF, with its data as CSV.",
            "adjudge figure forest my-eval -m rouge-2 -o forest.svg",
        ),
    ),
)

FIRST = {
    "rouge": "Score text files by ROUGE and others, and compare the systems.",
    "import": "Read texts, ratings or scores into an evaluation.",
    "score": "Score what people judged, and ROUGE; with -m other measures.",
    "compare": "Rank the systems, and say which differ significantly.",
    "report": "Write a web page with all results.",
    "figure": "Draw a figure as SVG, PNG or PDF.",
    "serve": "Start the website on which people judge.",
    "demo": "Make a small example evaluation to try things on.",
}
"""What a newcomer needs, in the order in which the help shows it."""
LISTING = "adjudge.listing"  # set in a context while its commands are listed
HELP = "help"


class InOrder(TyperGroup):
    """The commands in the order of the way through; loaded when they are called, not when they are listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {command.name: command.listed() for command in COMMANDS}

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name == HELP:
            return _help_command()
        chosen = next((command for command in COMMANDS if command.name == cmd_name), None)
        if chosen is None:
            return None
        return chosen.listed() if ctx.meta.get(LISTING) else chosen.load()

    def get_params(self, ctx: Any) -> Any:
        return [_plain(option) for option in super().get_params(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write("\n".join(first_screen()) + "\n")

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        ctx.meta[LISTING] = True
        return super().shell_complete(ctx, incomplete)


def first_screen() -> Iterator[str]:
    """What a newcomer needs, then the names of all commands, in 40 lines of 80 columns."""
    yield "Usage: adjudge COMMAND ..."
    yield ""
    yield ABOUT
    yield ""
    yield "Start here"
    for name, about in FIRST.items():
        yield f"  {name:<9} {about}"
    yield ""
    yield "More commands"
    for group in GROUPS:
        if names := [c.name for c in COMMANDS if c.group == group and c.name not in FIRST]:
            yield f"  {group:<9} {' '.join(names)}"
    yield ""
    yield "  adjudge COMMAND --help    What a command does, its options and an example."
    yield "  adjudge help all          All commands, with a line each."
    yield ""
    yield "Options"
    yield "  --version                 Print the version."
    yield f"  --max-unpacked SIZE       {MAX_UNPACKED}"


def all_commands() -> Iterator[str]:
    """A line for every command, under the headings of the way through."""
    for number, group in enumerate(GROUPS):
        if number:
            yield ""
        yield group
        for command in COMMANDS:
            if command.group == group:
                for name, about in _lines_of(command.name, command):
                    yield f"  {name:<{NAMES_WIDTH}} {about}"


NAMES_WIDTH = max(len("judgments import summeval"), *(len(command.name) for command in COMMANDS))


def _lines_of(name: str, command: Any) -> Iterator[tuple[str, str]]:
    """A command with its line; of a group those of its commands, which is why it is loaded."""
    if isinstance(command, Command):
        if command.example:
            yield name, command.about
            return
        command = command.load()
    if not hasattr(command, "commands"):
        yield name, command.help.partition("\n")[0]
    for inner, one in getattr(command, "commands", {}).items():
        yield from _lines_of(f"{name} {inner}", one)


@cache
def _help_command() -> Any:
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=SETTINGS)
    made.command(HELP, epilog="Example: adjudge help compare")(_help)
    return arranged(typer.main.get_command(made))


def _help(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND|all]", help="A command, such as judge llm, or all.", show_default=False
        ),
    ] = None,
) -> None:
    """Show the help of a command, or a line for every command."""
    if words == ["all"]:
        print("\n".join(all_commands()))
        return
    at: Any = context.parent
    command = at.command
    for word in words or ():
        inner = command.get_command(at, word) if hasattr(command, "get_command") else None
        if inner is None:
            names = command.list_commands(at) if hasattr(command, "list_commands") else []
            raise UsageError(
                f"no command {quoted(word)}{nearest(word, names)}; `adjudge help all` lists them"
            )
        command, at = inner, type(context)(inner, parent=at, info_name=word)
    print(command.get_help(at))


app = typer.Typer(
    name="adjudge",
    cls=InOrder,
    help=ABOUT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"adjudge {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    max_unpacked: Annotated[
        str | None,
        typer.Option(
            "--max-unpacked",
            metavar="SIZE",
            help=MAX_UNPACKED,
            show_default=False,
        ),
    ] = None,
) -> None:
    if max_unpacked is not None:
        from adjudge.data.packed import size_of, unpacking_up_to

        context.with_resource(unpacking_up_to(size_of("--max-unpacked", max_unpacked)))
