"""adjudge judge: assessors that are programs."""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import judge_llm, options
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import say, show_json
from adjudge.wording import counted

judge = typer.Typer(help="Let programs judge: language models, simulated assessors.", no_args_is_help=True)

JUDGE = {
    "llm": judge_llm.EXAMPLE,
    "simulate": "adjudge judge simulate my-eval --protocol duc-2002 --assessors 3 --noise 0.1 --seed 1",
}
judge.command("llm", cls=judge_llm.COMMAND_CLASS, epilog=f"Example: {JUDGE['llm']}")(judge_llm.llm)


@judge.command("simulate", epilog=f"Example: {JUDGE['simulate']}")
def simulate(
    evaluation: options.Folder,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="What they are asked; evaluation.toml's unless given.",
            autocompletion=complete_protocols,
        ),
    ] = None,
    assessors: Annotated[int, typer.Option("--assessors", min=1, help="How many.")] = 3,
    per_summary: Annotated[
        int | None,
        typer.Option("--per-summary", min=1, help="How many judge each summary; all unless given."),
    ] = None,
    noise: Annotated[
        float, typer.Option("--noise", min=0, help="Of every answer, in shares of the scale.")
    ] = 0.1,
    bias: Annotated[
        float, typer.Option("--bias", help="How far the mildest and the strictest are off, each way.")
    ] = 0.0,
    drift: Annotated[
        float, typer.Option("--drift", help="How much milder they get from first to last.")
    ] = 0.0,
    inconsistency: Annotated[
        float, typer.Option("--inconsistency", min=0, max=1, help="How often an answer is any answer.")
    ] = 0.0,
    repeats: Annotated[
        float, typer.Option("--repeats", min=0, max=1, help="Share of tasks that is asked twice.")
    ] = 0.0,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Fill a protocol with assessors of known bias and noise, from what the texts share; always marked as simulated.

    For trying things out and for planning: what they say is no evidence about the systems.
    """
    e = adjudge.open(evaluation)
    found = e.simulate_judgments(
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
    if json:
        show_json(found.as_dict())
    else:
        say(f"{counted(assessors, 'simulated assessor')}: {found.lines()[0]}")
        for line in found.lines()[1:]:
            say(line)
