"""adjudge prefer: ask which of two is better, bring answers in and out, fit strengths, see what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.analysis import add_command
from adjudge.cli.output import (
    counting,
    progress,
    say,
    say_signature,
    show_json,
    show_table,
    tell,
    warn,
    worker_count,
    write_csv,
)
from adjudge.cli.sources import open_judged
from adjudge.core.errors import UsageError
from adjudge.core.words import counted, decimal

if TYPE_CHECKING:
    from adjudge.evaluation import Evaluation

prefer = typer.Typer(
    help="Ask which of two is better, and rank systems by the answers.",
    no_args_is_help=True,
)

PREFER = {
    "sample": "adjudge prefer sample my-eval --per-topic 20 --assessor ann --assessor bob --repeats 0.1 --seed 1",
    "import": "adjudge prefer import arena.csv my-eval",
    "export": "adjudge prefer export my-eval pairs.csv --open --batch 100",
    "simulate": "adjudge prefer simulate my-eval --from ref --per-topic 100 --assessors 3 --noise 0.1 --seed 1",
    "score": "adjudge prefer score my-eval --from man+ref --simulated 100",
}
"""Examples that run as printed; those of the studies on an evaluation with documents, references, ratings and
preferences."""

KINDS = ("sentences", "summaries")
HOWS = ("random", "information", "variance")
FORMS = ("left-right", "models")

Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="TOPIC", help="Only these topics. May be repeated.", show_default=False),
]
Checks = Annotated[
    Path | None,
    typer.Option(
        "--checks", metavar="FILE", help="CSV of pairs with a known winner: topic,left,right,winner."
    ),
]
Similarity = Annotated[
    str,
    typer.Option(
        "--similarity",
        metavar="NAME",
        help="Similarity of sentences: tfidf-jaccard, tfidf, jaccard or embedding.",
    ),
]
Smooth = Annotated[
    bool, typer.Option("--smooth/--no-smooth", help="An answer counts for similar sentences too.")
]
Penalty = Annotated[
    str,
    typer.Option("--penalty", metavar="HOW", help="Penalty for repetition. One of: sentence, printed, none."),
]
Asked = Annotated[str, typer.Option("--asked", metavar="N|all", help="Number of people's answers to use.")]
SimulatedPairs = Annotated[
    str,
    typer.Option(
        "--simulated",
        metavar="N|paper|all",
        help="Pairs to simulate for ref and py; paper: 200 with people's answers, 1000 alone.",
    ),
]
Ties = Annotated[
    str,
    typer.Option(
        "--simulated-ties", metavar="HOW", help="How simulated assessors answer a tie. One of: half, paper."
    ),
]
Crowd = Annotated[
    bool, typer.Option("--crowd", help="Weight assessors by their agreement with the others (Crowd-BT).")
]


# Ask


@prefer.command("sample", epilog=f"Example: {PREFER['sample']}")
def sample(
    evaluation: options.Folder,
    count: Annotated[int, typer.Option("--per-topic", min=0, metavar="N", help="Pairs per topic.")] = 200,
    how: Annotated[
        str, typer.Option("--how", metavar="HOW", help=f"How pairs are chosen: {', '.join(HOWS)}.")
    ] = "random",
    of: Annotated[
        str, typer.Option("--of", metavar="WHAT", help=f"Pairs of {' or '.join(KINDS)}.")
    ] = "sentences",
    assessor: Annotated[
        list[str] | None,
        typer.Option(
            "--assessor",
            metavar="NAME",
            help="Who judges. May be repeated. By default whoever comes.",
            show_default=False,
        ),
    ] = None,
    per_pair: Annotated[int, typer.Option("--per-pair", min=1, help="Assessors per pair.")] = 1,
    repeats: Annotated[
        float,
        typer.Option(
            "--repeats",
            min=0,
            max=1,
            metavar="SHARE",
            help="Share of tasks that are asked twice, the second time with sides exchanged.",
        ),
    ] = 0.0,
    checks: Checks = None,
    similarity: Similarity = "tfidf-jaccard",
    topic: Topics = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Choose pairs of sentences or summaries to ask people about.

    --how information or variance chooses the pairs that the answers so far leave most open.
    """
    from adjudge.formats.preferences import read_preferences

    options.one_of("--how", how, HOWS)
    options.one_of("--of", of, KINDS)
    answered = None if checks is None else read_preferences(checks)
    e = adjudge.open(evaluation)
    with progress("choosing pairs") as bar:
        report = e.prefer.sample(
            of,
            count=count,
            how=how,  # type: ignore[arg-type]
            assessors=assessor or (),
            per_pair=per_pair,
            repeats=repeats,
            seed=seed,
            topics=topic or (),
            checks=answered,
            similarity=similarity,
            progress=bar,
        )
    tell(json, report.as_dict(), report.lines())


# In and out


@prefer.command("import", epilog=f"Example: {PREFER['import']}")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A CSV of preferences, or an answered batch.", show_default=False
        ),
    ],
    evaluation: options.Folder,
    length: options.Length = None,
    form: options.Form = None,
    json: options.Json = False,
) -> None:
    """Read answers: an answered batch, or a CSV with topic, two sides and the winner."""
    e = adjudge.open(evaluation)
    with counting("Reading") as bar:
        what, taken = e.prefer.read(file, length=length, form=form, progress=bar)
    if json:
        show_json({"read": what, **taken.as_dict()})
        return
    say(f"{file}: {what}")
    for line in taken.lines("command"):
        say(line)


@prefer.command("export", epilog=f"Example: {PREFER['export']}")
def export(
    evaluation: options.Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV file to write.", show_default=False)],
    open_: Annotated[
        bool, typer.Option("--open", help="Write pairs that wait for an answer, for a crowd platform.")
    ] = False,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="WHAT", help=f"Pairs of {' or '.join(KINDS)}."),
    ] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="With --open: rows per file.")] = None,
    hit: Annotated[int, typer.Option("--hit", min=1, help="With --open: pairs per row.")] = 1,
    form: Annotated[
        str, typer.Option("--layout", metavar="LAYOUT", help=f"Columns of answers: {', '.join(FORMS)}.")
    ] = "left-right",
    topic: Topics = None,
    json: options.Json = False,
) -> None:
    """Write pairs for a crowd platform, without names of systems, or the answers."""
    if not open_ and (batch is not None or hit > 1):
        raise UsageError("--batch and --hit belong to --open")
    options.one_of("--layout", form, FORMS)
    if of is not None:
        options.one_of("--of", of, KINDS)
    e = open_judged(
        evaluation, f"nobody has been asked yet; make tasks with: adjudge prefer sample {evaluation}"
    )
    if not open_:
        written = e.prefer.export_answers(file, of=of, form=form, topics=topic or ())  # type: ignore[arg-type]
        for note in written.notes:
            warn(note)
        tell(
            json,
            {"file": str(file), "answers": written.answers},
            [f"{file}: {counted(written.answers, 'answer')}"],
        )
        return
    exported = e.prefer.export(file, of=of, batch=batch, hit=hit, topics=topic or ())
    if json:
        show_json(
            {
                "files": [str(path) for path in exported.files],
                "pairs": exported.pairs,
                "left_out": dict(exported.left_out),
            }
        )
        return
    for path in exported.files:
        say(str(path))
    say(
        f"{counted(exported.pairs, 'pair')} that nobody has answered, in {counted(len(exported.files), 'file')}"
    )
    for why, n in exported.left_out.items():
        warn(f"{counted(n, 'pair')} left out: {why}")


add_command(prefer, "prefer")


# What preferences are worth


@prefer.command("simulate", epilog=f"Example: {PREFER['simulate']}")
def simulate(
    evaluation: options.Folder,
    origin: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FROM",
            help="What the simulated assessors know: references (ref) or pyramids (py).",
        ),
    ] = "ref",
    assessors: Annotated[
        int, typer.Option("--assessors", min=1, metavar="N", help="Number of assessors.")
    ] = 3,
    count: Annotated[int, typer.Option("--per-topic", min=1, metavar="N", help="Pairs per topic.")] = 200,
    per_pair: Annotated[int, typer.Option("--per-pair", min=1, help="Assessors per pair.")] = 1,
    noise: Annotated[
        float,
        typer.Option(
            "--noise", min=0, help="Noise of every sentence's worth, as a share of the topic's range."
        ),
    ] = 0.1,
    bias: Annotated[
        float,
        typer.Option("--bias", help="How far assessors lean to one side, at most."),
    ] = 0.0,
    inconsistency: Annotated[
        float, typer.Option("--inconsistency", min=0, max=1, help="Share of answers that are random.")
    ] = 0.0,
    similarity: Similarity = "tfidf-jaccard",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Let simulated assessors say which of two sentences matters more; marked as simulated.

    Every call asks about new pairs. For trying things out and for planning: their answers say nothing about people.
    """
    e = adjudge.open(evaluation)
    with progress("finding out what sentences are worth") as tick:
        report = e.prefer.simulate(
            origin,  # type: ignore[arg-type]
            assessors=assessors,
            count=count,
            per_pair=per_pair,
            noise=noise,
            bias=bias,
            inconsistency=inconsistency,
            similarity=similarity,
            seed=seed,
            progress=tick,
        )
    tell(json, report.as_dict(), report.lines())


@prefer.command("score", epilog=f"Example: {PREFER['score']}")
def score(
    evaluation: options.Folder,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FROM",
            help="Whose answers: people's (man), simulated from references (ref) or pyramids (py), or"
            " sums such as man+ref.",
        ),
    ] = "man",
    similarity: Similarity = "tfidf-jaccard",
    smooth: Smooth = True,
    penalty: Penalty = "sentence",
    ties: Ties = "half",
    asked: Asked = "all",
    simulated: SimulatedPairs = "paper",
    crowd: Crowd = False,
    seed: options.Seed = 0,
    workers: options.Workers = "auto",
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
    csv: options.Csv = None,
) -> None:
    """Score summaries by people's preferences between sentences.

    compare, anova and report take the measure by the name that is printed.
    """
    from adjudge.analyses.preferences.measures import plainest
    from adjudge.measures.judged.preference import Preference

    for flag, name, value in (
        ("--from", "source", source),
        ("--penalty", "penalty", penalty),
        ("--simulated-ties", "ties", ties),
    ):
        options.one_of(flag, value, Preference.OPTIONS[name])
    measure = plainest(
        Preference(
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
    )
    e = adjudge.open(evaluation)
    with progress("scoring") as tick:
        scored = e.score(measure, workers=worker_count(workers), progress=tick)[0]
    frame = _means(e, scored.measure)
    for note in (*scored.notes, *(f"{count:,} missing: {why}" for why, count in scored.missing.items())):
        warn(note)
    if csv is not None:
        write_csv(frame, csv)
    if json:
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        show_json({"measure": scored.measure, "signature": scored.signature, "means": rows})
    elif csv is None:
        say(scored.measure, "bold")
        several = frame["form"].nunique(dropna=False) > 1
        rows = [
            (
                *(r["system"], r["kind"], r["length"] or ""),
                *([r["form"] or ""] if several else []),
                *(r["topics"], "-" if r["mean"] != r["mean"] else decimal(r["mean"])),
            )
            for r in frame.to_dict("records")
        ]
        shown = ("system", "kind", "length>", *(["form"] if several else []), "topics>", "mean>")
        show_table(shown, rows)
        say_signature(scored.signature)


def _means(e: Evaluation, measure: str) -> Any:
    """A row per system, length and form: the mean over topics, the best first."""
    import pandas as pd

    data = e.scores()
    rows = []
    for _, length, form in data.targets([measure]):
        matrix = data.matrix(measure, length=length, form=form)
        for system, column in zip(matrix.systems, matrix.values.T, strict=True):
            scored = column[column == column]
            rows.append(
                {
                    "measure": measure,
                    "system": system,
                    "kind": data.kind(system),
                    "length": length,
                    "form": matrix.target.form,
                    "topics": len(scored),
                    "mean": float(scored.mean()) if len(scored) else float("nan"),
                }
            )
    return pd.DataFrame(rows).sort_values("mean", ascending=False, kind="stable")


add_command(prefer, "preferences_needed")
add_command(prefer, "preference_tables")
