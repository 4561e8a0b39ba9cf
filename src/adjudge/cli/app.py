"""The commands, in the order of the way through: Set up, Judge, Score, Compare, Trust, Report.

A command's module is imported when the command is called, so that `adjudge --help` loads none of the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from adjudge import __version__
from adjudge.analyses import declaration

SET_UP, JUDGE, SCORE, COMPARE, TRUST, REPORT = "Set up", "Judge", "Score", "Compare", "Trust", "Report"
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


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
        return without_types(group)
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=SETTINGS,
    )
    own_class = getattr(import_module(f"adjudge.cli.{module}"), "COMMAND_CLASS", None)
    app.command(command.name, cls=own_class, epilog=f"Example: {command.example}")(run)
    return without_types(typer.main.get_command(app))


def without_types(command: Any) -> Any:
    """The same command; its help names no type for options that are there or not."""
    original = command.get_help_option

    def help_option(ctx: Any) -> Any:
        return _plain(original(ctx))

    command.get_help_option = help_option
    for option in command.params:
        _plain(option)
    for inner in getattr(command, "commands", {}).values():
        without_types(inner)
    return command


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
        Command("init", "Make an empty, valid, commented evaluation folder.", "adjudge init new-eval"),
        Command(
            "demo",
            "Make a small evaluation to try things on: 12 topics, 4 writers, 9 systems, invented news.",
            "adjudge demo demo-eval",
        ),
        Command(
            "import",
            "Read summaries, documents, ratings or scores that you have into an evaluation.",
            where="imports:imports",
        ),
        Command(
            "check",
            "Say what is there, what is missing and what looks wrong; exit 1 on errors.",
            "adjudge check my-eval",
        ),
        Command(
            "show",
            "Show what the evaluation holds: all of it in tables, or the texts of a topic or a system.",
            "adjudge show my-eval --topic d01",
        ),
        Command(
            "withdraw",
            "Leave a system's or topic's summaries out of all scores, but keep them in the files.",
            'adjudge withdraw my-eval --system vague --topic d03 --why "wrong input"',
            where="edits:withdraw",
        ),
        Command(
            "rename",
            "Give a system or a topic another name everywhere, in scores and judgments too.",
            'adjudge rename my-eval --system fluent --to fluent-v1 --why "a second version is coming"',
            where="edits:rename",
        ),
        Command(
            "remove",
            "Take a system, a topic, or one system's summaries of a topic out of the files.",
            'adjudge remove my-eval --system garbled --why "not ours"',
            where="edits:remove",
        ),
        Command(
            "undo",
            "Take back the last import, units, baselines, withdraw, rename or remove.",
            "adjudge undo my-eval --dry-run",
            where="undo:undo",
        ),
        Command(
            "history",
            "List the last changes of the files, and whether they can be taken back.",
            "adjudge history my-eval",
            where="undo:history",
        ),
        Command(
            "units",
            "Split summaries into sentences, and references into discourse units, with ids that stay.",
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
        Command("people", "Say who may judge in the browser, and give them their links."),
        Command(
            "assign",
            "Say who judges what, in which order: even shares of topics and systems, blind order, planted repeats.",
            "adjudge assign my-eval --protocol rating --per-summary 2 --repeats 0.1 --seed 1",
        ),
        Command(
            "serve",
            "Start the annotation app, in which people judge in a browser.",
            "adjudge serve my-eval --port 8000",
        ),
        Command("judgments", "Bring people's judgments in, look at them, take them out again."),
        Command(
            "judge", "Let programs judge (simulated, learned, language models), and say what they are worth."
        ),
        Command(
            "prefer", "Preferences instead of references: ask which of two is better, and fit strengths."
        ),
    ),
    *_in(
        SCORE,
        Command(
            "measures",
            "List every measure and preset with a line, or explain one with its options and citation.",
            "adjudge measures rouge-2",
        ),
        Command(
            "rouge",
            "Score files with a text a line by ROUGE, BLEU and their like, without a folder, and compare the systems.",
            "adjudge rouge a.txt b.txt --reference ref.txt",
        ),
        Command(
            "rouge155",
            "ROUGE-1.5.5 as it was: the original's options and settings in, its numbers and its print out.",
            "adjudge rouge155 -a -d -n 2 -m settings.xml",
        ),
        Command(
            "score",
            "Score what is new or has changed since: what people judged, and ROUGE-1, 2, L and Lsum where none is"
            " named.",
            'adjudge score my-eval -m "rouge-1,rouge-2(refs=jackknife)"',
        ),
        Command(
            "scores",
            "List what has been scored; export it as a long table or as a matrix.",
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
            "Write a page to read, with its tables as CSV and LaTeX; it opens without a network.",
            "adjudge report my-eval -o report",
        ),
        Command(
            "figure",
            "Draw a figure for a paper or a talk, as SVG, PNG or PDF, with the drawn rows beside it.",
            "adjudge figure forest my-eval -m rouge-2 -o forest.svg",
        ),
    ),
)

LISTING = "adjudge.listing"  # set in a context while its commands are listed


class InOrder(TyperGroup):
    """The commands in the order of the way through; loaded when they are called, not when they are listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {command.name: command.listed() for command in COMMANDS}

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        chosen = next((command for command in COMMANDS if command.name == cmd_name), None)
        if chosen is None:
            return None
        return chosen.listed() if ctx.meta.get(LISTING) else chosen.load()

    def get_params(self, ctx: Any) -> Any:
        return [_plain(option) for option in super().get_params(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        ctx.meta[LISTING] = True
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        ctx.meta[LISTING] = True
        return super().shell_complete(ctx, incomplete)


app = typer.Typer(
    name="adjudge",
    cls=InOrder,
    help="Which summarizers are really better, and how sure can we be?",
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
            help="What a compressed file may unpack to, such as 4GB; before the command. Without it a hundred times its"
            " size, or 16 MB (Parquet: 256 MB).",
            show_default=False,
        ),
    ] = None,
) -> None:
    if max_unpacked is not None:
        from adjudge.data.packed import size_of, unpacking_up_to

        context.with_resource(unpacking_up_to(size_of("--max-unpacked", max_unpacked)))
