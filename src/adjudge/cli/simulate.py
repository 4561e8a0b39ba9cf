"""adjudge simulate"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

import adjudge
from adjudge.analyses.tests import ALL, ALPHA, RESAMPLES, TESTS
from adjudge.cli import options
from adjudge.cli.output import progress, show_json, worker_count, write_csv
from adjudge.cli.sources import show_result

NOISES = "normal, t3 (heavy tails), uniform, skewed, lognormal"


def command(
    topics: Annotated[int, typer.Option("--topics", min=1, help="Topics.")] = 48,
    systems: Annotated[int, typer.Option("--systems", min=2, help="Systems.")] = 2,
    difference: Annotated[
        float, typer.Option("--difference", "-d", help="By what the first system is better than the others.")
    ] = 0.0,
    noise: Annotated[str, typer.Option("--noise", metavar="NOISE", help=f"{NOISES}.")] = "normal",
    topic_sd: Annotated[float, typer.Option("--topic-sd", help="How far topics differ.")] = 1.0,
    unequal: Annotated[
        float,
        typer.Option("--unequal", metavar="RATIO", help="Noise of the last system over that of the first."),
    ] = 1.0,
    uneven: Annotated[
        float,
        typer.Option("--uneven", metavar="RATIO", help="Noise of the noisiest topic over the quietest."),
    ] = 1.0,
    shared: Annotated[
        float, typer.Option("--shared", metavar="R", help="Correlation of two systems' noise on a topic.")
    ] = 0.0,
    missing_half: Annotated[
        bool, typer.Option("--missing-half", help="Every second system lacks half of the topics.")
    ] = False,
    rounded: Annotated[
        float | None, typer.Option("--round", metavar="STEP", help="Round scores to multiples of this.")
    ] = None,
    ratings: Annotated[bool, typer.Option("--ratings", help="Whole scores from 1 to 5.")] = False,
    tests: Annotated[
        str,
        typer.Option(
            "--tests",
            metavar="TESTS",
            help=f"With commas between: {', '.join(TESTS)}; mc:w for a statistic; or all.",
        ),
    ] = ALL,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="How many.")] = 2000,
    alpha: Annotated[float, typer.Option("--alpha", help="A p up to this is a difference.")] = ALPHA,
    resamples: Annotated[int, typer.Option("--resamples", min=1, help="Of mc and hb.")] = RESAMPLES,
    seed: options.Seed = 0,
    workers: options.Workers = "1",
    json: options.Json = False,
    csv: options.Csv = None,
) -> None:
    """How often tests find a difference that is there, or is not, in simulated scores.

    Scores are system + topic + noise; the noise has a standard deviation of 1, which is the unit of everything.
    Without --difference what is found is not there: then a test should find it as often as alpha says.
    """
    chosen = TESTS if tests == ALL else tuple(name for name in tests.split(",") if name.strip())
    with progress("simulating") as bar:
        found = adjudge.simulate(
            topics=topics,
            systems=systems,
            difference=difference,
            noise=noise,
            topic_sd=topic_sd,
            unequal=unequal,
            uneven=uneven,
            shared=shared,
            missing_half=missing_half,
            rounded=rounded,
            ratings=ratings,
            tests=chosen,
            simulations=simulations,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            workers=worker_count(workers),
            progress=bar,
        )
    if csv is not None:
        write_csv(found.to_frame(), csv)
    if json:
        show_json(found.as_dict())
    elif csv is None:
        show_result(replace(found.table(), said=()))
