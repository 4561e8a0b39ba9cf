"""adjudge prefer: ask which of two is better, bring the answers in and out, fit strengths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, deliver, progress, say, show_json, warn
from adjudge.cli.prefer_show import frame_of, show
from adjudge.cli.prefer_study import STUDIES, converge, report, score, simulate
from adjudge.errors import DataError, UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.preferences.fitting import PreferenceFit
    from adjudge.evaluation import Evaluation
    from adjudge.formats.preferences import Preferences

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
    from adjudge.formats.batch_answers import is_batch, read_batch
    from adjudge.formats.sentence_answers import is_about_sentences, read_sentence_answers
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
    from adjudge.comparisons.preferences.arena import arena

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
