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
    help="Preferences instead of references: ask which of two is better, and fit strengths.",
    no_args_is_help=True,
)

PREFER = {
    "sample": "adjudge prefer sample my-eval --count 20 --assessor ann --assessor bob --repeats 0.1 --seed 1",
    "import": "adjudge prefer import arena.csv my-eval",
    "export": "adjudge prefer export my-eval pairs.csv --open --batch 100",
    "simulate": "adjudge prefer simulate my-eval --from ref --count 100 --assessors 3 --noise 0.1 --seed 1",
    "score": "adjudge prefer score my-eval --source man+ref --simulated 100",
}
"""Examples that run as printed; those of the studies on an evaluation with documents, references, ratings and
preferences."""

KINDS = ("sentences", "summaries")
HOWS = ("random", "information", "variance")
FORMS = ("left-right", "models")

Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="T", help="A topic's name; may be repeated.", show_default=False),
]
Checks = Annotated[
    Path | None,
    typer.Option(
        "--checks", metavar="FILE", help="CSV of pairs whose winner is known: topic,left,right,winner."
    ),
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
    bool, typer.Option("--crowd", help="Believe assessors as far as they agree with the others (Crowd-BT).")
]


# Ask


@prefer.command("sample", epilog=f"Example: {PREFER['sample']}")
def sample(
    evaluation: options.Folder,
    count: Annotated[int, typer.Option("--count", min=0, help="New pairs per topic.")] = 200,
    how: Annotated[
        str, typer.Option("--how", metavar="HOW", help=f"How pairs are chosen: {', '.join(HOWS)}.")
    ] = "random",
    of: Annotated[
        str, typer.Option("--of", metavar="WHAT", help=f"Pairs of: {', '.join(KINDS)}.")
    ] = "sentences",
    assessor: Annotated[
        list[str] | None,
        typer.Option(
            "--assessor",
            metavar="NAME",
            help="Who is asked; may be repeated. Whoever comes unless given.",
            show_default=False,
        ),
    ] = None,
    per_pair: Annotated[
        int, typer.Option("--per-pair", min=1, help="How many are asked about each pair.")
    ] = 1,
    repeats: Annotated[
        float,
        typer.Option("--repeats", min=0, max=1, help="Share of tasks that comes again, sides exchanged."),
    ] = 0.0,
    checks: Checks = None,
    similarity: Similarity = "tfidf-jaccard",
    topic: Topics = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Make tasks: pairs of source sentences, or of summaries, that nobody was asked about yet.

    --how information or variance looks at the answers so far and asks what they leave open.
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
    """Read answers: an answered batch, by its task ids, or a CSV with topic, two systems or sentences, and winner."""
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
        bool, typer.Option("--open", help="Pairs that wait for an answer, for a crowd platform.")
    ] = False,
    answers: Annotated[bool, typer.Option("--answers", help="The answers (the default).")] = False,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="WHAT", help=f"Pairs of: {', '.join(KINDS)}; all unless given."),
    ] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="With --open: rows per file.")] = None,
    hit: Annotated[int, typer.Option("--hit", min=1, help="With --open: pairs per row.")] = 1,
    form: Annotated[
        str, typer.Option("--form", metavar="FORM", help=f"Of answers: {', '.join(FORMS)}.")
    ] = "left-right",
    topic: Topics = None,
    json: options.Json = False,
) -> None:
    """Write pairs for a crowd platform, without names of systems; or the answers as left,right,winner."""
    if open_ and answers:
        raise UsageError("--open and --answers exclude each other")
    if not open_ and (batch is not None or hit > 1):
        raise UsageError("--batch and --hit belong to --open")
    options.one_of("--form", form, FORMS)
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
        str, typer.Option("--from", metavar="ref|py", help="What they know: the references, or the pyramids.")
    ] = "ref",
    assessors: Annotated[int, typer.Option("--assessors", min=1, help="How many.")] = 3,
    count: Annotated[int, typer.Option("--count", min=1, help="Pairs per topic.")] = 200,
    per_pair: Annotated[int, typer.Option("--per-pair", min=1, help="How many answer each pair.")] = 1,
    noise: Annotated[
        float,
        typer.Option("--noise", min=0, help="In shares of a topic's range of worth, for each sentence."),
    ] = 0.1,
    bias: Annotated[
        float,
        typer.Option("--bias", help="How far assessors lean to the left side, or to the right, at most."),
    ] = 0.0,
    inconsistency: Annotated[
        float, typer.Option("--inconsistency", min=0, max=1, help="How often an answer is the other one.")
    ] = 0.0,
    similarity: Similarity = "tfidf-jaccard",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Have simulated assessors say which of two sentences matters more; always marked as simulated.

    Every call asks about new pairs. What they say is no evidence about people; it is for planning and trying out.
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
        str, typer.Option("--source", metavar="FROM", help="man, ref, py, man+ref, man+py or man+ref+py.")
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
    """Score the summaries by preferences between sentences, and say under which name.

    The scores are kept like all others: compare, anova and report take the measure by the name that is printed.
    """
    from adjudge.analyses.preferences.measures import plainest
    from adjudge.measures.judged.preference import Preference

    for option, value in {"source": source, "penalty": penalty, "ties": ties}.items():
        options.one_of(f"--{option}", value, Preference.OPTIONS[option])
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
