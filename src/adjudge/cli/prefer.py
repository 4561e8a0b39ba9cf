"""Options of the studies of preferences, and what they stand for. The commands are in prefer_study.py."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import (
    counting,
    deliver,
    progress,
    say,
    show_json,
    show_table,
    warn,
    worker_count,
    write_csv,
)
from adjudge.cli.sources import length_of
from adjudge.errors import DataError, UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.preferences import PreferenceFit
    from adjudge.evaluation import Evaluation
    from adjudge.formats.preferences import Preferences
    from adjudge.judgments.batch import Judgments
    from adjudge.measures.judged.preference import Preference
    from adjudge.trust.preferences import Columns, Convergence, PaperTable, Rows


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
    from adjudge.trust.preferences import columns

    with progress("scoring") as tick:
        return columns(e.folder, e.collection, judgments, specs, workers=worker_count(workers), progress=tick)


def need_human(columns: Columns, human: str) -> None:
    """What people say must be there."""
    from adjudge.trust.preferences import expanded

    if why := columns.why.get(expanded(human)[0]):
        raise DataError(f"--human {human}: {why}")


class WithRows:
    """A table with the rows that were asked for."""

    def __init__(self, table: PaperTable, rows: Rows):
        self.table, self.rows = table, rows

    def as_dict(self) -> dict[str, Any]:
        return self.table.as_dict()

    def to_latex(self) -> str:
        return self.table.to_latex(self.rows)


def means(e: Evaluation, measure: str) -> Any:
    """A row per system and length: the mean over topics, the best first."""
    import pandas as pd

    data = e.data()
    rows = []
    for length in data.table.each_length(measure):
        matrix = data.matrix(measure, length=length)
        for system, column in zip(matrix.systems, matrix.values.T, strict=True):
            known = column[column == column]
            rows.append(
                {
                    "measure": measure,
                    "system": system,
                    "kind": data.kind(system),
                    "length": length,
                    "topics": len(known),
                    "mean": float(known.mean()) if len(known) else float("nan"),
                }
            )
    return pd.DataFrame(rows).sort_values("mean", ascending=False, kind="stable")


def number(value: float) -> str:
    return "-" if value != value else f"{value:.4f}"


def show_paper(table: PaperTable, rows: Rows, named: dict[str, str]) -> None:
    """A table, what it says, and of every heading that is new what stands behind it."""
    heads, lines = table.printed(rows)
    show_table(heads, lines, title=table.title)
    for line in table.sentences():
        say(line)
    for line in (*table.reasons(), *table.notes):
        warn(line)
    for heading, signature in table.signatures.items():
        if named.get(heading) != signature:
            named[heading] = signature
            say(f"{heading}: {signature}", "dim")
    say(table.signature, "dim")


def show_trajectories(found: Convergence, *, topics: bool = False) -> None:
    """Means over topics, the other measures, and every topic with its interval where that is asked for."""
    from adjudge.trust.preferences import shown

    say(f"Agreement with {found.human} by the number of answers per topic", "bold")
    show_table(
        ("answers>", "agreement>", "topics>"),
        [(n, f"{mean:.3f}", topics) for n, mean, topics in found.mean()],
    )
    print()
    show_table(("measure", "agreement>"), [(name, shown(value)) for name, value in found.lines().items()])
    if topics:
        print()
        show_table(
            ("topic", "answers>", "agreement>", f"{found.level:.0%} of runs"),
            [
                (topic.topic, point.n, f"{point.mean:.3f}", f"{point.low:.3f}-{point.high:.3f}")
                for topic in found.measured
                for point in topic.points
            ],
        )
    for line in found.sentences():
        say(line)
    reasons = {topic.why: 0 for topic in found.topics if topic.why}
    for topic in found.topics:
        if topic.why:
            reasons[topic.why] += 1
    for why, count in reasons.items():
        warn(f"{count:,} without a trajectory: {why}")
    for note in found.notes:
        warn(note)
    say(found.signature, "dim")


MOST_SHOWN, MOST_COLUMNS, WIDEST = 30, 12, 70


def frame_of(fit: PreferenceFit, matrix: bool) -> Any:
    frame = fit.pairs_frame() if matrix else fit.to_frame()
    frame.insert(0, "of", fit.title)
    return frame


def show(fit: PreferenceFit, matrix: bool, *, alone: bool) -> None:
    from adjudge.comparisons.preferences import interval, number, ranks

    say(f"{fit.title} ({counted(len(fit.items), 'item')}, {counted(fit.answers, 'answer')})", "bold")
    shown = fit.standings[:MOST_SHOWN]
    show_table(
        (">", "item", "strength>", f"{fit.level:.0%} interval", "ranks", "wins>", "losses>", "ties>"),
        [
            (
                each.rank or "-",
                _cut(each.item),
                "-" if each.rank is None else f"{each.strength:.3g}",
                interval(each),
                ranks(each),
                number(each.wins),
                number(each.losses),
                number(each.ties),
            )
            for each in shown
        ],
    )
    if len(shown) < len(fit.standings):
        say(f"and {counted(len(fit.standings) - len(shown), 'other')}; --csv writes them all")
    if matrix:
        _matrix(fit)
    if fit.annotators:
        _annotators(fit)
    if matrix or fit.annotators:
        print()
    say(fit.sentence())
    if not alone:
        for line in fit.warnings():
            warn(f"{fit.title}: {line}")
    say(fit.signature, "dim")


def _matrix(fit: PreferenceFit) -> None:
    frame = fit.win_probabilities().iloc[:MOST_COLUMNS, :MOST_COLUMNS]
    names = [_cut(name, 16) for name in frame.columns]
    print()
    rows = [
        [name, *("-" if p != p else f"{p:.2f}" for p in row)]
        for name, row in zip(names, frame.to_numpy().tolist(), strict=True)
    ]
    show_table(
        ("", *(f"{name}>" for name in names)), rows, title="how likely the row's is preferred to the column's"
    )
    if len(fit.fitted) > MOST_COLUMNS:
        say(f"the {MOST_COLUMNS} strongest; --csv with --matrix writes every pair")


def _annotators(fit: PreferenceFit) -> None:
    print()
    rows = [each.cells() for each in fit.annotators]
    show_table(tuple(rows[0]), [tuple(row.values()) for row in rows])


def _cut(text: str, most: int = WIDEST) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


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
    from adjudge.trust.preferences import plainest

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
    from adjudge.trust.preferences import LINES
    from adjudge.trust.preferences import converge as run

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
    from adjudge.trust.preferences import minutes_of, paper_tables, specs

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


prefer = typer.Typer(
    help="Preferences instead of references: ask which of two is better, and fit strengths.",
    no_args_is_help=True,
)

PREFER = {
    "sample": "adjudge prefer sample my-eval --count 20 --annotator ann --annotator bob --repeats 0.1 --seed 1",
    "import": "adjudge prefer import arena.csv my-eval",
    "export": "adjudge prefer export my-eval pairs.csv --open --batch 100",
    "fit": "adjudge prefer fit arena.csv --matrix",
}
PROTOCOLS = {"sentences": "preference-sentences", "summaries": "preference-summaries"}
HOWS = ("random", "information", "variance")
OFS = ("sentences", "summaries", "systems")
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
SimilarityName = Annotated[
    str, typer.Option("--similarity", metavar="NAME", help="How alike sentences are, such as tfidf-jaccard.")
]


@prefer.command("sample", epilog=f"Example: {PREFER['sample']}")
def sample(
    evaluation: options.Folder,
    count: Annotated[int, typer.Option("--count", min=0, help="New pairs per topic.")] = 200,
    how: Annotated[
        str, typer.Option("--how", metavar="HOW", help=f"How pairs are chosen: {', '.join(HOWS)}.")
    ] = "random",
    of: Annotated[
        str, typer.Option("--of", metavar="WHAT", help=f"Pairs of: {', '.join(PROTOCOLS)}.")
    ] = "sentences",
    annotator: Annotated[
        list[str] | None,
        typer.Option(
            "--annotator",
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
    similarity: SimilarityName = "tfidf-jaccard",
    topic: Topics = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Make tasks: pairs of source sentences, or of summaries, that nobody was asked about yet.

    --how information or variance looks at the answers so far and asks what they leave open.
    """
    from adjudge.formats.preferences import read_preferences

    _one_of("--how", how, HOWS)
    _one_of("--of", of, PROTOCOLS)
    known = None if checks is None else read_preferences(checks)
    e = adjudge.open(evaluation)
    with progress("choosing pairs") as bar:
        found = e.prefer.sample(
            of,
            count=count,
            how=how,
            annotators=annotator or (),
            per_pair=per_pair,
            repeats=repeats,
            seed=seed,
            topics=topic or (),
            checks=known,
            similarity=similarity,
            progress=bar,
        )
    if json:
        show_json(found.as_dict())
    else:
        for line in found.lines():
            say(line)


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
    json: options.Json = False,
) -> None:
    """Read answers: an answered batch, by its task ids, or a CSV with topic, two systems or sentences, and winner."""
    from adjudge.formats import crowd
    from adjudge.formats.batches import is_batch, read_batch
    from adjudge.formats.preferences import is_about_sentences, read_sentence_answers
    from adjudge.judgments.intake import take

    e = adjudge.open(evaluation)
    batch = is_batch(file)
    asked = e.protocol(PROTOCOLS["sentences"])
    sentences = not batch and is_about_sentences(file, e.collection, asked)
    with e.store() as store, counting("Reading") as bar:
        if batch:
            items = read_batch(file, store, e.prefer.protocols())
        elif sentences:
            items = read_sentence_answers(file, e.collection, asked, evaluation=store.evaluation)
        else:
            items = crowd.read(
                [file], evaluation=store.evaluation, protocol=PROTOCOLS["summaries"], length=length
            )
        taken = take(e.folder, store, items, progress=bar)
    what = "an answered batch" if batch else f"preferences between {'sentences' if sentences else 'systems'}"
    if json:
        show_json({"read": what, **taken.as_dict()})
        return
    say(f"{file}: {what}")
    for line in taken.lines():
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
        typer.Option("--of", metavar="WHAT", help=f"Pairs of: {', '.join(PROTOCOLS)}; all unless given."),
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
    from adjudge.formats.batches import export_batches

    if open_ and answers:
        raise UsageError("--open and --answers exclude each other")
    if not open_ and (batch is not None or hit > 1):
        raise UsageError("--batch and --hit belong to --open")
    _one_of("--form", form, FORMS)
    if of is not None:
        _one_of("--of", of, PROTOCOLS)
    e = _need(evaluation)
    if not open_:
        _export_answers(e, file, of, form, topic, json)
        return
    protocols = {name: p for name, p in e.prefer.protocols().items() if of in (None, p.of)}
    with e.store() as store:
        found = export_batches(store, e.collection, protocols, file, batch=batch, hit=hit, topics=topic or ())
    if json:
        show_json(
            {"files": [str(f) for f in found.files], "pairs": found.pairs, "left_out": dict(found.left_out)}
        )
        return
    for each in found.files:
        say(str(each))
    say(f"{counted(found.pairs, 'pair')} that nobody has answered, in {counted(len(found.files), 'file')}")
    for why, n in found.left_out.items():
        warn(f"{counted(n, 'pair')} left out: {why}")


@prefer.command("fit", epilog=f"Example: {PREFER['fit']}")
def fit(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="An evaluation's folder, or a CSV: left,right,winner or model_a,model_b,winner.",
        ),
    ],
    of: Annotated[
        str | None, typer.Option("--of", metavar="WHAT", help=f"Of a folder: strengths of {', '.join(OFS)}.")
    ] = None,
    topic: Topics = None,
    length: options.Length = None,
    annotators: Annotated[
        bool, typer.Option("--annotators", help="How reliable every annotator is.")
    ] = False,
    checks: Checks = None,
    smooth: Annotated[
        bool, typer.Option("--smooth/--no-smooth", help="Of sentences: an answer tells of similar ones too.")
    ] = True,
    similarity: SimilarityName = "tfidf-jaccard",
    matrix: Annotated[bool, typer.Option("--matrix", help="How likely each wins against each.")] = False,
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Of the intervals.")] = 200,
    level: Annotated[float, typer.Option("--level", help="Of intervals.")] = 0.95,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Bradley-Terry strengths with intervals and ranks, from a folder's answers or a bare CSV.

    Systems over several topics: whole topics are drawn again for the intervals, otherwise answers. --csv writes one
    row per item; with --matrix, one per pair.
    """
    from adjudge.formats.preferences import read_preferences

    if of is not None:
        _one_of("--of", of, OFS)
    if checks is not None and not annotators:
        raise UsageError("--checks holds annotators against known answers: say --annotators too")
    known = None if checks is None else read_preferences(checks)
    how: dict[str, Any] = {
        "level": level,
        "resamples": resamples,
        "seed": seed,
        "annotators": annotators,
        "checks": known,
    }
    with progress("fitting") as bar:
        if source.is_dir():
            found = _need(source).prefer.fit(
                of,
                topics=topic or (),
                length=length,
                similarity=similarity if smooth else None,
                progress=bar,
                **how,
            )
        else:
            if of is not None or length is not None:
                raise UsageError(
                    f"--of and --length belong to a folder; the items of {source} are what it names"
                )
            found = [_fit_file(read_preferences(source), source, topic, how)]
    if len({fit.title for fit in found}) == 1:
        for line in found[0].warnings():
            warn(line)
    deliver(
        found,
        lambda fit: frame_of(fit, matrix),
        lambda fit: show(fit, matrix, alone=len(found) == 1),
        json=json,
        csv=csv,
        latex=latex,
    )


def _fit_file(
    given: Preferences, source: Path, topics: list[str] | None, how: dict[str, Any]
) -> PreferenceFit:
    from adjudge.comparisons.preferences import arena

    return arena(given.only(topics) if topics else given, title=source.name, **how)


def _export_answers(
    e: Evaluation, file: Path, of: str | None, form: str, topics: list[str] | None, json: bool
) -> None:
    from adjudge.formats.preferences import write_preferences
    from adjudge.judgments.pairs.judged import batches, kinds, sentence_rows, summary_rows

    judgments = e.judgments()
    found = kinds(judgments)
    chosen = of or (next(iter(found)) if len(found) == 1 else None)
    if chosen is None:
        if not found:
            raise DataError(f"{e.path}: no preferences yet; bring them in with: adjudge prefer import")
        raise UsageError(
            "there are answers about sentences and about summaries: say --of sentences or --of summaries"
        )
    rows_of = sentence_rows if chosen == "sentences" else summary_rows
    rows = (row for batch in batches(e.collection, judgments, topics or ()) for row in rows_of(batch))
    written = write_preferences(file, rows, form=form)  # type: ignore[arg-type]
    if json:
        show_json({"file": str(file), "answers": written})
    else:
        say(f"{file}: {counted(written, 'answer')}")


def _need(path: Path) -> Evaluation:
    e = adjudge.open(path)
    if not e.has_judgments:
        raise DataError(f"{path}: nobody has been asked yet; make tasks with: adjudge prefer sample {path}")
    return e


def _one_of(option: str, value: str, choices: Any) -> None:
    if value not in choices:
        raise UsageError(f"{option} is {quoted(value)}, expected one of: {', '.join(choices)}")


for _name, _run in (("simulate", simulate), ("score", score), ("converge", converge), ("report", report)):
    prefer.command(_name, epilog=f"Example: {STUDIES[_name]}")(_run)
