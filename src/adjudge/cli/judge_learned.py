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

if TYPE_CHECKING:
    from adjudge.assessors.learned.training import TrainedJudge

TRAIN = "adjudge judge train my-eval --protocol duc-2002 -o judge.json --rules"
APPLY = "adjudge judge apply my-eval judge.json --name tree"

Protocol = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="A protocol that asks how much of each model unit is expressed.",
        autocompletion=complete_protocols,
        show_default=False,
    ),
]


def train(
    evaluation: options.Folder,
    protocol: Protocol = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to save the judge, as JSON."),
    ] = None,
    learner: Annotated[
        str, typer.Option("--learner", metavar="NAME", help="tree, forest, logistic or majority.")
    ] = "tree",
    expand: Annotated[
        str,
        typer.Option(
            "--expand",
            metavar="HOW",
            help="What stands beside a model unit: units with the full score of other systems (others), of all"
            " systems as Lin and Hovy print it (paper), or nothing (none).",
        ),
    ] = "others",
    stem: Annotated[str, typer.Option("--stem", metavar="STEMMER", help="As in nams.")] = "porter",
    stop: Annotated[str, typer.Option("--stop", metavar="LIST", help="Stop words, as in nams.")] = "function",
    rules: Annotated[bool, typer.Option("--rules", help="Print what was learned.")] = False,
    without: options.Without = None,
    alpha: options.LevelAlpha = 0.05,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, metavar="N", help="Bootstrap resamples of topics.")
    ] = 1000,
    seed: options.Seed = 0,
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Learn to judge completeness as people did, and say how far that agrees with them on systems left out.

    For every system a judge is trained on all others and compared with people on this one: Krippendorff's ordinal
    alpha, with an interval over topics, beside the majority class and chance (Lin and Hovy 2002, section 5.1).
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
            help="Its name as an assessor; its learner's unless given.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="What it is asked; what it was trained on unless given.",
            autocompletion=complete_protocols,
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
) -> None:
    """Let a learned judge answer every model unit; its answers are marked as learned, and kept apart from people's.

    What it was trained on is answered by models that were trained without the system in question. Questions on quality
    stay open. Applying it again adds nothing.
    """
    applied = adjudge.open(evaluation).apply_judge(judge, name=name, protocol=protocol)
    if json:
        show_json(applied.as_dict())
        return
    for line in applied.lines():
        say(line)
    say_signature(applied.card.signature)
