"""adjudge prefer simulate, score, converge, report: what preferences are worth. Asking for them: prefer.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import (
    deliver,
    progress,
    say,
    show_json,
    show_table,
    warn,
    worker_count,
    write_csv,
)
from adjudge.cli.prefer_study_options import (
    Asked,
    Crowd,
    Half,
    Human,
    Penalty,
    Similarity,
    SimulatedPairs,
    Smooth,
    Systems,
    Ties,
    need_human,
    preference_of,
    scored_columns,
    systems_of,
)
from adjudge.cli.prefer_study_show import WithRows, means, number, show_paper, show_trajectories
from adjudge.cli.sources import length_of
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.trust.preferences.paper_table import Rows

STUDIES = {
    "simulate": "adjudge prefer simulate my-eval --from ref --count 100 --annotators 3 --noise 0.1 --seed 1",
    "score": "adjudge prefer score my-eval --source man+ref --simulated 100",
    "converge": 'adjudge prefer converge my-eval --human "rating(aspect=relevance)" --runs 10 --step 50',
    "report": 'adjudge prefer report my-eval --human "rating(aspect=relevance)" --topics',
}
"""Examples that run as printed, on an evaluation with documents, references, ratings and preferences."""


def simulate(
    evaluation: options.Folder,
    origin: Annotated[
        str, typer.Option("--from", metavar="ref|py", help="What they know: the references, or the pyramids.")
    ] = "ref",
    annotators: Annotated[int, typer.Option("--annotators", min=1, help="How many.")] = 3,
    count: Annotated[int, typer.Option("--count", min=1, help="Pairs per topic.")] = 200,
    per_pair: Annotated[int, typer.Option("--per-pair", min=1, help="How many answer each pair.")] = 1,
    noise: Annotated[
        float,
        typer.Option("--noise", min=0, help="In shares of a topic's range of worth, for each sentence."),
    ] = 0.1,
    bias: Annotated[
        float,
        typer.Option("--bias", help="How far annotators lean to the left side, or to the right, at most."),
    ] = 0.0,
    inconsistency: Annotated[
        float, typer.Option("--inconsistency", min=0, max=1, help="How often an answer is the other one.")
    ] = 0.0,
    similarity: Similarity = "tfidf-jaccard",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Have simulated annotators say which of two sentences matters more; always marked as simulated.

    Every call asks about new pairs. What they say is no evidence about people; it is for planning and trying out.
    """
    e = adjudge.open(evaluation)
    with progress("finding out what sentences are worth") as tick:
        found = e.prefer.simulate(
            origin,
            annotators=annotators,
            count=count,
            per_pair=per_pair,
            noise=noise,
            bias=bias,
            inconsistency=inconsistency,
            similarity=similarity,
            seed=seed,
            progress=tick,
        )
    if json:
        show_json(found.as_dict())
        return
    for line in found.lines():
        say(line)


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
    csv: options.Csv = None,
) -> None:
    """Score the summaries by preferences between sentences, and say under which name.

    The scores are kept like all others: compare, anova and report take the measure by the name that is printed.
    """
    from adjudge.trust.preferences.columns import plainest

    measure = plainest(
        preference_of(source, similarity, smooth, penalty, ties, asked, simulated, seed, crowd)
    )
    e = adjudge.open(evaluation)
    with progress("scoring") as tick:
        found = e.score(measure, workers=worker_count(workers), progress=tick)[0]
    frame = means(e, found.measure)
    for note in (*found.notes, *(f"{count:,} missing: {why}" for why, count in found.missing.items())):
        warn(note)
    if csv is not None:
        write_csv(frame, csv)
    if json:
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        show_json({"measure": found.measure, "signature": found.signature, "means": rows})
    elif csv is None:
        say(found.measure, "bold")
        rows = [
            (r["system"], r["kind"], r["length"] or "", r["topics"], number(r["mean"]))
            for r in frame.to_dict("records")
        ]
        show_table(("system", "kind", "length>", "topics>", "mean>"), rows)
        say(found.signature, "dim")


def converge(
    evaluation: options.Folder,
    human: Human,
    step: Annotated[int, typer.Option("--step", min=1, help="Answers from one point to the next.")] = 10,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Random orders of the answers.")] = 100,
    topics: Annotated[bool, typer.Option("--topics", help="Every topic with its interval.")] = False,
    systems: Systems = "machine",
    length: options.Length = None,
    similarity: Similarity = "tfidf-jaccard",
    smooth: Smooth = True,
    penalty: Penalty = "sentence",
    seed: options.Seed = 0,
    workers: options.Workers = "1",
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """How agreement with people grows with the number of answers, beside ROUGE and JS (figure 3 of Zopf 2018).

    n answers are drawn at random from those of a topic, for n = 10, 20, ... and all, --runs times each.
    """
    from adjudge.judgments.batch import batches_of
    from adjudge.trust.preferences.columns import LINES
    from adjudge.trust.preferences.converge import converge as run

    who = systems_of(systems)
    base = preference_of("man", similarity, smooth, penalty, "half", "all", "paper", seed)
    e = adjudge.open(evaluation)
    judgments = e.judgments()
    columns = scored_columns(e, judgments, [*LINES.values(), human], workers)
    need_human(columns, human)
    with progress("drawing answers") as tick:
        found = run(
            batches_of(e.collection, judgments),
            columns.data,
            human,
            LINES,
            similarity=base.similarity,
            smooth=smooth,
            penalty=penalty,  # type: ignore[arg-type]
            step=step,
            runs=runs,
            systems=who,  # type: ignore[arg-type]
            length=length,
            seed=seed,
            workers=worker_count(workers),
            progress=tick,
        )
    for name, measure in LINES.items():
        if measure in columns.why:
            warn(f"{name}: {columns.why[measure]}")
    deliver(
        [found],
        lambda c: c.to_frame(),
        lambda c: show_trajectories(c, topics=topics),
        json=json,
        csv=csv,
        latex=latex,
    )


def report(
    evaluation: options.Folder,
    human: Human,
    measure: options.Measures = None,
    systems: Systems = "machine",
    length: options.Lengths = None,
    topics: Annotated[bool, typer.Option("--topics", help="With a row per topic.")] = False,
    sets: Annotated[bool, typer.Option("--sets", help="With a row per document set.")] = False,
    half: Half = False,
    similarity: Similarity = "tfidf-jaccard",
    smooth: Smooth = True,
    penalty: Penalty = "sentence",
    ties: Ties = "half",
    asked: Asked = "all",
    simulated: SimulatedPairs = "paper",
    crowd: Crowd = False,
    idle: Annotated[
        float, typer.Option("--idle", min=1, metavar="SECONDS", help="A longer pause counts as this.")
    ] = 120.0,
    level: Annotated[float, typer.Option("--level", help="Of intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option("--resamples", min=1, help="Of topics, for intervals.")] = 2000,
    seed: options.Seed = 0,
    workers: options.Workers = "auto",
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """The four tables of Zopf 2018 for this evaluation: agreement with people, and order of sentences.

    Scores what the tables need and is not scored yet. With -m, one more table holds the measures named.
    """
    from adjudge.judgments.batch import batches_of
    from adjudge.trust.preferences.minutes import minutes_of
    from adjudge.trust.preferences.tables import paper_tables, specs

    if topics and sets:
        raise UsageError("--topics and --sets exclude each other")
    who = systems_of(systems)
    rows: Rows = "topic" if topics else "set" if sets else "mean"
    base = preference_of("man", similarity, smooth, penalty, ties, asked, simulated, seed, crowd)
    e = adjudge.open(evaluation)
    judgments = e.judgments()
    columns = scored_columns(e, judgments, [*specs(base).values(), human, *(measure or ())], workers)
    need_human(columns, human)
    found = paper_tables(
        columns,
        batches_of(e.collection, judgments),
        human,
        minutes_of(e.folder, cap=idle),
        base=base,
        more=measure or (),
        systems=who,  # type: ignore[arg-type]
        length=length_of(length),
        half=half,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    named: dict[str, str] = {}
    deliver(
        [WithRows(table, rows) for table in found],
        lambda t: t.table.to_frame(rows),
        lambda t: show_paper(t.table, rows, named),
        json=json,
        csv=csv,
        latex=latex,
    )
