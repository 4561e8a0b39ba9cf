"""Options of the studies of preferences, and what they stand for. The commands are in prefer_study.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.output import progress, worker_count
from adjudge.errors import DataError, UsageError, quoted

if TYPE_CHECKING:
    from adjudge.evaluation import Evaluation
    from adjudge.judgments.batch import Judgments
    from adjudge.measures.judged.preference import Preference
    from adjudge.trust.preferences.columns import Columns

WHO = ("machine", "all")
Human = Annotated[
    str,
    typer.Option(
        "--human", metavar="SPEC", help="What people say: expert:relevance, coverage, ...", show_default=False
    ),
]
Systems = Annotated[
    str, typer.Option("--systems", metavar="WHO", help="Whose summaries: machine (and baselines), all.")
]
Similarity = Annotated[
    str,
    typer.Option(
        "--similarity", metavar="NAME", help="Of sentences: tfidf-jaccard, tfidf, jaccard, embedding."
    ),
]
Smooth = Annotated[
    bool, typer.Option("--smooth/--no-smooth", help="Let an answer speak for similar sentences too.")
]
Penalty = Annotated[
    str, typer.Option("--penalty", metavar="HOW", help="For saying things twice: sentence, printed, none.")
]
Asked = Annotated[str, typer.Option("--asked", metavar="N|all", help="How many of people's answers to draw.")]
SimulatedPairs = Annotated[
    str,
    typer.Option(
        "--simulated",
        metavar="N|paper|all",
        help="Pairs to simulate for ref and py: paper is 200 beside people's answers, 1000 alone.",
    ),
]
Ties = Annotated[
    str, typer.Option("--ties", metavar="HOW", help="Simulated answers of equal worth: half, paper.")
]
Crowd = Annotated[
    bool, typer.Option("--crowd", help="Believe annotators as far as they agree with the others (Crowd-BT).")
]
Half = Annotated[bool, typer.Option("--half", help="A measure's tie agrees by half, instead of not at all.")]


def preference_of(
    source: str,
    similarity: str,
    smooth: bool,
    penalty: str,
    ties: str,
    asked: str,
    simulated: str,
    seed: int,
    crowd: bool = False,
) -> Preference:
    """The measure that the options stand for; its own checks say what is wrong with them."""
    from adjudge.measures.judged.preference import Preference

    for option, value in (("source", source), ("penalty", penalty), ("ties", ties)):
        known = Preference.OPTIONS[option]
        if value not in known:
            raise UsageError(f"--{option} is {quoted(value)}, expected one of: {', '.join(known)}")
    return Preference(
        source=source,
        similarity=similarity,
        smooth=smooth,
        penalty=penalty,
        ties=ties,
        asked=asked,
        simulated=simulated,
        seed=seed,
        crowd=crowd,
    )


def systems_of(systems: str) -> str:
    if systems not in WHO:
        raise UsageError(f"--systems is {quoted(systems)}, expected one of: {', '.join(WHO)}")
    return systems


def scored_columns(e: Evaluation, judgments: Judgments, specs: Iterable[str], workers: str) -> Columns:
    from adjudge.trust.preferences.columns import columns

    with progress("scoring") as tick:
        return columns(e.folder, e.collection, judgments, specs, workers=worker_count(workers), progress=tick)


def need_human(columns: Columns, human: str) -> None:
    """What people say must be there."""
    from adjudge.trust.preferences.columns import expanded

    if why := columns.why.get(expanded(human)[0]):
        raise DataError(f"--human {human}: {why}")
