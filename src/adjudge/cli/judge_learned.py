"""adjudge judge train, adjudge judge apply: the learned judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import progress, say, say_signature, show, show_json, warn, write_csv
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED

if TYPE_CHECKING:
    from adjudge.assessors.learned.training import TrainedJudge

TRAIN = "adjudge judge train my-eval --protocol duc-2002 -o judge.json --rules"
APPLY = "adjudge judge apply my-eval judge.json --name tree"

Protocol = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="Protocol that asks how much of each model unit is expressed.",
        autocompletion=complete_protocols,
        show_default=False,
    ),
]


def train(
    evaluation: options.Folder,
    protocol: Protocol = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Save the judge in this file, as JSON."),
    ] = None,
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="Learner: tree, forest, logistic or majority.")
    ] = "tree",
    expand: Annotated[
        str,
        typer.Option(
            "--expand",
            rich_help_panel=ADVANCED,
            metavar="HOW",
            help="Add to a model unit the units with full score by other systems (others), by all"
            " systems as in the paper (paper), or nothing (none).",
        ),
    ] = "others",
    stem: Annotated[
        str, typer.Option("--stem", rich_help_panel=ADVANCED, metavar="STEMMER", help="Stemmer, as in nams.")
    ] = "porter",
    stop: Annotated[
        str,
        typer.Option(
            "--stop", rich_help_panel=ADVANCED, metavar="LIST", help="List of stop words, as in nams."
        ),
    ] = "function",
    rules: Annotated[bool, typer.Option("--rules", help="Print the learned rules.")] = False,
    without: options.Without = None,
    alpha: options.LevelAlpha = 0.05,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples", rich_help_panel=ADVANCED, min=0, metavar="N", help="Bootstrap resamples of topics."
        ),
    ] = 1000,
    seed: options.Seed = 0,
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Train a judge on people's answers, and say how well it agrees on unseen systems.

    Each system is judged by a model trained on the other systems. Agreement is Krippendorff's ordinal alpha, with an
    interval over topics, next to the majority class and chance (Lin and Hovy 2002, section 5.1).
    """
    from adjudge.assessors.learned.features import EXPAND
    from adjudge.assessors.learned.learners import LEARNERS

    options.one_of("--learner", learner, LEARNERS)
    options.one_of("--expand", expand, EXPAND)
    options.share("--alpha", alpha)
    if csv is not None and csv == output:
        raise UsageError(f"{output} is where the judge is saved: give --csv another name")
    e = adjudge.open(evaluation)
    with progress("training") as bar:
        trained = e.train_judge(
            protocol,
            learner=learner,
            expand=expand,  # type: ignore[arg-type]
            stem=stem,
            stop=stop,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            without=tuple(without or ()),
            progress=bar,
        )
    if output is not None:
        trained.save(output)
    if csv is not None:
        write_csv(trained.to_frame(), csv)
    if json:
        show_json(trained.as_dict())
    elif latex:
        print(trained.to_latex())
    elif markdown:
        print(trained.to_markdown())
    elif csv is None:
        _show(trained, rules=rules, output=output)


def _show(trained: TrainedJudge, *, rules: bool, output: Path | None) -> None:
    table = trained.table()
    say(table.title, "bold")
    show(replace(table, title=""))
    print()
    show(trained.controls_table())
    for title, lines in trained.rules().items() if rules else ():
        print()
        say(f"{title} model units: an answer, and its share of the training answers that came there", "bold")
        for line in lines:
            say(line)
    print()
    for line in [*table.sentences, *([f"Saved as {output}."] if output is not None else [])]:
        say(line)
    for line in table.notes:
        warn(line)
    say_signature(table.signature)


def apply(
    evaluation: options.Folder,
    judge: Annotated[
        Path, typer.Argument(metavar="JUDGE", help="A file that judge train wrote.", show_default=False)
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Name of the judge; by default its learner's.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="Protocol: what people are asked. By default that of the training.",
            autocompletion=complete_protocols,
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
) -> None:
    """Let a trained judge answer; its answers are marked and kept apart from people's.

    It answers every model unit. Systems of the training are judged by models trained without them. Questions on quality
    stay open. Applying it again adds nothing.
    """
    applied = adjudge.open(evaluation).apply_judge(judge, name=name, protocol=protocol)
    if json:
        show_json(applied.as_dict())
        return
    for line in applied.lines():
        say(line)
    say_signature(applied.card.signature)
