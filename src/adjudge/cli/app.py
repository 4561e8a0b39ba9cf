"""The commands, in the order of the way through: Set up, Judge, Score, Compare, Trust, Report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from adjudge import __version__
from adjudge.cli import (
    anova,
    assign,
    baselines,
    check,
    compare,
    demo,
    edits,
    groups,
    init,
    lengths,
    measures,
    plan,
    report,
    rouge,
    rouge155,
    score,
    scores,
    serve,
    show,
    simulate,
    topics,
    units,
)
from adjudge.cli.imports import IMPORTS, imports
from adjudge.cli.judge import JUDGE as JUDGE_EXAMPLES
from adjudge.cli.judge import judge
from adjudge.cli.judgments import JUDGMENTS, judgments
from adjudge.cli.people import PEOPLE, people
from adjudge.cli.prefer import PREFER, prefer

SET_UP, JUDGE, SCORE, COMPARE, REPORT = "Set up", "Judge", "Score", "Compare", "Report"


@dataclass(frozen=True)
class Command:
    """A command, where it stands in the help, and an example that runs as printed."""

    name: str
    run: Callable[..., Any]
    group: str
    example: str


COMMANDS = (
    Command("init", init.command, SET_UP, "adjudge init new-eval"),
    Command("demo", demo.command, SET_UP, "adjudge demo demo-eval"),
    Command("check", check.command, SET_UP, "adjudge check my-eval"),
    Command("show", show.command, SET_UP, "adjudge show my-eval --topic d01"),
    Command(
        "withdraw",
        edits.withdraw,
        SET_UP,
        'adjudge withdraw my-eval --system vague --topic d03 --why "wrong input"',
    ),
    Command(
        "rename",
        edits.rename,
        SET_UP,
        'adjudge rename my-eval --system fluent --to fluent-v1 --why "a second version is coming"',
    ),
    Command("remove", edits.remove, SET_UP, 'adjudge remove my-eval --system garbled --why "not ours"'),
    Command("units", units.command, SET_UP, "adjudge units my-eval"),
    Command("baselines", baselines.command, SET_UP, "adjudge baselines my-eval"),
    Command(
        "assign",
        assign.command,
        JUDGE,
        "adjudge assign my-eval --protocol rating --per-summary 2 --repeats 0.1 --seed 1",
    ),
    Command("serve", serve.command, JUDGE, "adjudge serve my-eval --port 8000"),
    Command("measures", measures.command, SCORE, "adjudge measures rouge-2"),
    Command(
        "rouge",
        rouge.command,
        SCORE,
        "adjudge rouge --peer summary.txt --reference model-a.txt --reference model-b.txt",
    ),
    Command("rouge155", rouge155.command, SCORE, "adjudge rouge155 -a -d -n 2 -m settings.xml"),
    Command("score", score.command, SCORE, 'adjudge score my-eval -m rouge-1 -m "rouge-2(refs=jackknife)"'),
    Command("scores", scores.command, SCORE, "adjudge scores my-eval --csv scores.csv"),
    Command("compare", compare.command, COMPARE, "adjudge compare my-eval -m rouge-1 --against random"),
    Command("anova", anova.command, COMPARE, "adjudge anova my-eval -m rouge-2 --pool humans"),
    Command("topics", topics.command, COMPARE, "adjudge topics my-eval -m rouge-2 --against d04"),
    Command(
        "groups", groups.command, COMPARE, "adjudge groups my-eval -m rouge-2 --contrast humans-machines"
    ),
    Command("lengths", lengths.command, COMPARE, "adjudge lengths lengths.csv -m coverage"),
    Command("plan", plan.command, COMPARE, "adjudge plan my-eval -m rouge-2 --difference 0.01"),
    Command(
        "simulate",
        simulate.command,
        COMPARE,
        "adjudge simulate --topics 24 --difference 0.5 --simulations 500",
    ),
    Command("report", report.command, REPORT, "adjudge report my-eval -o report"),
)


class InOrder(TyperGroup):
    """Lists commands in the order of the way through; typer would put groups of commands last."""

    def list_commands(self, ctx: Any) -> list[str]:
        order = [command.name for command in COMMANDS]
        order.insert(order.index("check"), "import")
        order.insert(order.index("assign"), "people")
        order[order.index("measures") : order.index("measures")] = ["judgments", "judge", "prefer"]
        return sorted(super().list_commands(ctx), key=order.index)


app = typer.Typer(
    name="adjudge",
    cls=InOrder,
    help="Which summarizers are really better, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"adjudge {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


app.add_typer(imports, name="import", rich_help_panel=SET_UP)
app.add_typer(judgments, name="judgments", rich_help_panel=JUDGE)
app.add_typer(judge, name="judge", rich_help_panel=JUDGE)
app.add_typer(people, name="people", rich_help_panel=JUDGE)
app.add_typer(prefer, name="prefer", rich_help_panel=JUDGE)
for command in COMMANDS:
    app.command(command.name, rich_help_panel=command.group, epilog=f"Example: {command.example}")(
        command.run
    )

EXAMPLES = (
    {command.name: command.example for command in COMMANDS}
    | {f"import {name}": example for name, example in IMPORTS.items()}
    | {f"judgments {name}": example for name, example in JUDGMENTS.items()}
    | {f"judge {name}": example for name, example in JUDGE_EXAMPLES.items()}
    | {f"people {name}": example for name, example in PEOPLE.items()}
    | {f"prefer {name}": example for name, example in PREFER.items()}
)
