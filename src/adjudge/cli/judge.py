"""adjudge judge: assessors that are programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from typer.core import TyperCommand

import adjudge
from adjudge.cli import judge_learned, judge_llm, options
from adjudge.cli.analysis import add_command
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import tell
from adjudge.core.words import counted

ABOUT = "Let programs judge (simulated, learned, language models), and see what they are worth."

judge = typer.Typer(help=ABOUT, no_args_is_help=True)

JUDGE = {
    "simulate": "adjudge judge simulate my-eval --protocol duc-2002 --assessors 3 --noise 0.1 --seed 1",
    "train": judge_learned.TRAIN,
    "apply": judge_learned.APPLY,
    "llm": judge_llm.EXAMPLE,
}


@judge.command("simulate", epilog=f"Example: {JUDGE['simulate']}")
def simulate(
    evaluation: options.Folder,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="Protocol: what people are asked. By default that of evaluation.toml.",
            autocompletion=complete_protocols,
        ),
    ] = None,
    assessors: Annotated[
        int, typer.Option("--assessors", min=1, metavar="N", help="Number of assessors.")
    ] = 3,
    per_summary: Annotated[
        int | None,
        typer.Option(
            "--per-summary", min=1, metavar="N", help="Assessors per page or pair.", show_default="all"
        ),
    ] = None,
    noise: Annotated[
        float, typer.Option("--noise", min=0, help="Noise of every answer, as a share of the scale.")
    ] = 0.1,
    bias: Annotated[
        float, typer.Option("--bias", help="How far the mildest and the strictest assessor are off.")
    ] = 0.0,
    drift: Annotated[
        float, typer.Option("--drift", help="How much milder assessors become from first to last.")
    ] = 0.0,
    inconsistency: Annotated[
        float, typer.Option("--inconsistency", min=0, max=1, help="Share of answers that are random.")
    ] = 0.0,
    repeats: Annotated[
        float,
        typer.Option("--repeats", min=0, max=1, metavar="SHARE", help="Share of tasks that are asked twice."),
    ] = 0.0,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Let simulated assessors with known bias and noise judge; marked as simulated.

    They answer from what the texts have in common. For trying things out and for planning: their answers say nothing
    about the systems.
    """
    e = adjudge.open(evaluation)
    report = e.simulate_judgments(
        protocol,
        assessors=assessors,
        per_summary=per_summary,
        noise=noise,
        bias=bias,
        drift=drift,
        inconsistency=inconsistency,
        repeats=repeats,
        seed=seed,
    )
    first, *lines = report.lines()
    tell(json, report.as_dict(), [f"{counted(assessors, 'simulated assessor')}: {first}", *lines])


def _add(name: str, command: Callable[..., None], own_class: type[TyperCommand] = TyperCommand) -> None:
    judge.command(name, cls=own_class, epilog=f"Example: {JUDGE[name]}")(command)


_add("train", judge_learned.train)
_add("apply", judge_learned.apply)
_add("llm", judge_llm.llm, judge_llm.COMMAND_CLASS)
add_command(judge, "judge_report")
add_command(judge, "judge_drift")
