"""adjudge judgments: bring people's answers in, look at them, take them out again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.analysis import add_command
from adjudge.cli.imports import Files
from adjudge.cli.output import counting, now, say, show_json, show_table, tell, typed, warn
from adjudge.cli.sources import columns_of, open_judged
from adjudge.cli.streams import print_data
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted
from adjudge.data.transaction import write_whole
from adjudge.judgments.next_step import after_assigning, after_judging

if TYPE_CHECKING:
    from adjudge.evaluation import Evaluation
    from adjudge.judgments.intake import Item
    from adjudge.judgments.store.records import RecordCounts

judgments = typer.Typer(help="Import, list, export and delete people's judgments.", no_args_is_help=True)
imports = typer.Typer(help="Read judgments that you have.", no_args_is_help=True)
judgments.add_typer(imports, name="import")

JUDGMENTS = {
    "import nist": "adjudge judgments import nist content.table my-eval --aspect content",
    "import see": "adjudge judgments import see duc2002.results my-eval",
    "import ducview": "adjudge judgments import ducview pyramids my-eval",
    "import summeval": "adjudge judgments import summeval model_annotations.jsonl my-eval",
    "import crowd": "adjudge judgments import crowd crowd.csv my-eval --aspect fluency",
    "import records": "adjudge judgments import records judgments.jsonl my-eval",
    "list": "adjudge judgments list my-eval",
    "tables": "adjudge judgments tables my-eval",
    "export": "adjudge judgments export my-eval answers.jsonl --pseudonyms",
    "backup": "adjudge judgments backup my-eval backup.sqlite",
    "erase": "adjudge judgments erase my-eval simulated-1",
    "remove": 'adjudge judgments remove my-eval --protocol rating --why "a pilot study"',
    "confirm": "adjudge judgments confirm my-eval",
}

Length = Annotated[
    int | None,
    typer.Option("--length", min=1, metavar="WORDS", help="Target length of the summaries, in words."),
]
Form = Annotated[
    str | None,
    typer.Option("--form", metavar="FORM", help="Form of the summaries: abstract or extract."),
]
Assessor = Annotated[
    str | None, typer.Option("--assessor", metavar="NAME", help="Who judged, where the file does not say.")
]
Aspect = Annotated[
    str | None,
    typer.Option("--aspect", metavar="NAME", help="What was rated: content, overall, fluency, ..."),
]
ProtocolName = Annotated[
    str | None,
    typer.Option("--protocol", metavar="NAME", help="Protocol under which people judged."),
]


@imports.command("nist", epilog=f"Example: {JUDGMENTS['import nist']}")
def nist(
    files: Files,
    evaluation: options.Folder,
    aspect: Aspect = None,
    protocol: ProtocolName = None,
    length: Length = None,
    form: Form = None,
    encoding: options.EncodingFound = None,
    json: options.Json = False,
) -> None:
    """Read NIST's tables of responsiveness and linguistic quality."""
    from adjudge.formats import nist

    e = adjudge.open(evaluation)
    items = nist.read(
        files,
        evaluation=e.settings.name,
        aspect=aspect,
        protocol=_protocol(e, protocol),
        length=length,
        form=form,
        encoding=encoding,
    )
    _take(e, items, json)


@imports.command("see", epilog=f"Example: {JUDGMENTS['import see']}")
def see(
    files: Files,
    evaluation: options.Folder,
    assessor: Assessor = None,
    assessor_column: Annotated[
        int | None,
        typer.Option("--assessor-column", min=0, help="Number of the column that says who judged, from 0."),
    ] = None,
    reference_column: Annotated[
        int | None,
        typer.Option(
            "--reference-column",
            min=0,
            help="Number of the column that says who wrote the reference, from 0.",
        ),
    ] = None,
    form: Form = None,
    encoding: options.EncodingFound = None,
    json: options.Json = False,
) -> None:
    """Read DUC-2002's tables of SEE results: coverage, unmarked units, quality questions."""
    from adjudge.formats import see

    e = adjudge.open(evaluation)
    items = see.read(
        files,
        evaluation=e.settings.name,
        assessor=assessor,
        assessor_column=assessor_column,
        reference_column=reference_column,
        form=form,
        encoding=encoding,
    )
    _take(e, items, json)


@imports.command("ducview", epilog=f"Example: {JUDGMENTS['import ducview']}")
def ducview(
    files: Files,
    evaluation: options.Folder,
    assessor: Assessor = None,
    encoding: options.EncodingFound = None,
    json: options.Json = False,
) -> None:
    """Read DUCView's pyramids (.pyr) and peer annotations (.pan)."""
    from adjudge.formats import ducview

    e = adjudge.open(evaluation)
    items = ducview.read(
        files, evaluation=e.settings.name, assessor=assessor or ducview.ASSESSOR, encoding=encoding
    )
    _take(e, items, json)


@imports.command("summeval", epilog=f"Example: {JUDGMENTS['import summeval']}")
def summeval(files: Files, evaluation: options.Folder, json: options.Json = False) -> None:
    """Read the ratings of experts and crowd in SummEval's JSONL."""
    from adjudge.formats.summeval import read_judgments

    e = adjudge.open(evaluation)
    _take(e, read_judgments(files, evaluation=e.settings.name), json)


@imports.command("crowd", epilog=f"Example: {JUDGMENTS['import crowd']}")
def crowd(
    files: Files,
    evaluation: options.Folder,
    aspect: Aspect = None,
    protocol: ProtocolName = None,
    length: Length = None,
    form: Form = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Which column has a field (FIELD= for none). May be repeated.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Worker that is a program: its answers are kept apart from people's. May be repeated.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Read a CSV with task, worker and label, or a column per aspect."""
    from adjudge.formats import crowd

    e = adjudge.open(evaluation)
    items = crowd.read(
        files,
        evaluation=e.settings.name,
        aspect=aspect,
        protocol=_protocol(e, protocol) or crowd.PROTOCOL,
        length=length,
        form=form,
        columns=columns_of(column),
    )
    _take(e, items, json, judges=judge or ())


@imports.command("records", epilog=f"Example: {JUDGMENTS['import records']}")
def records(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `judgments export` wrote.", show_default=False)
    ],
    evaluation: options.Folder,
    merge: Annotated[
        bool, typer.Option("--merge", help="Add another store's answers to the existing ones.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Read the answers that `judgments export` wrote; nothing is lost."""
    from adjudge.judgments.protocol import protocols_of
    from adjudge.judgments.store.records import read_records
    from adjudge.judgments.store.store import open_store

    e = adjudge.open(evaluation)
    if not e.has_judgments:  # a file that is refused makes no store
        with TemporaryDirectory() as scratch, open_store(Path(scratch), e.settings.name) as trial:
            read_records(trial, file, merge=merge)
    with e.store() as store:
        added = read_records(store, file, merge=merge, folder=e.folder)
        named = {task.protocol for task in store.tasks()}
    tell(json, asdict(added), [f"{_words(added)} added"])
    for name in sorted(named - protocols_of(e.folder, named).keys()):
        warn(
            f"the protocol {quoted(name)} is not here: its judgments are left out until its file lies in protocols/"
        )


@judgments.command("list", epilog=f"Example: {JUDGMENTS['list']}")
def list_(evaluation: options.Folder, topic: options.Topic = None, json: options.Json = False) -> None:
    """List who judged what, contradictions, and judgments that are out of date."""
    from adjudge.analyses.judged.overview import overview
    from adjudge.analyses.judged.words import odd_lines

    e = _need(evaluation)
    with e.store() as store:
        tasks = [task for task in store.tasks() if topic in (None, task.topic)]
        todo = after_judging(evaluation, store)
    result = overview(tasks, e.judgments(), topic=topic)
    if json:
        show_json(result.as_dict())
        return
    show_table(
        ("assessor", "protocol", "origin", "tasks>", "judged>", "answers>"),
        [(r.assessor, r.protocol, r.origin, r.tasks, r.judged, r.answers) for r in result.rows],
    )
    for line in odd_lines(result):
        say(line)
    if any(row.answers for row in result.rows):
        say(str(todo))
    elif result.rows:
        say(str(after_assigning(evaluation)))


add_command(judgments, "judged_tables")


@judgments.command("export", epilog=f"Example: {JUDGMENTS['export']}")
def export(
    evaluation: options.Folder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A JSONL file to write, - for standard output, or a CSV table (.csv); with --ducview a folder.",
            show_default=False,
        ),
    ],
    pseudonyms: Annotated[bool, typer.Option("--pseudonyms", help="Replace names by pseudonyms.")] = False,
    ducview: Annotated[
        bool, typer.Option("--ducview", help="Write pyramids as DUCView's .pyr and .pan files.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Write all tasks and answers, as JSON lines or as a CSV table.

    JSON lines have every answer ever given; `judgments import records` reads them back. A file that ends in .csv has
    the current answers, a row each.
    """
    from adjudge.judgments.protocol import own_protocols
    from adjudge.judgments.store.records import print_records, write_records

    if ducview:
        if pseudonyms:
            raise UsageError("--ducview files name no assessor but their folders do: leave --pseudonyms out")
        _export_ducview(_need(evaluation), file, json)
        return
    if file.suffix.lower() == ".csv":
        _export_csv(_need(evaluation), file, pseudonyms, json)
        return
    e = _need(evaluation)
    protocols = list(own_protocols(e.folder).values())
    with e.store() as store:
        if str(file) == "-":
            if json:
                raise UsageError("the records go to standard output with `-`: leave --json out")
            print_records(store, print_data, pseudonyms=pseudonyms, protocols=protocols)
            return
        written = write_records(store, file, pseudonyms=pseudonyms, protocols=protocols)
    tell(json, asdict(written) | {"file": str(file)}, [f"{file}: {_words(written)}"])


@judgments.command("backup", epilog=f"Example: {JUDGMENTS['backup']}")
def backup(
    evaluation: options.Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.", show_default=False)],
    json: options.Json = False,
) -> None:
    """Copy the database safely, even while people are judging.

    Copying the file itself could lose answers.
    """
    from adjudge.judgments.store.backup import backup as copy

    with _need(evaluation).store() as store:
        written = copy(store, file)
    tell(json, {"file": str(written)}, [f"{written}: a backup of the judgments of {evaluation}"])


@judgments.command("erase", epilog=f"Example: {JUDGMENTS['erase']}")
def erase(
    evaluation: options.Folder,
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="Whose name is erased.", show_default=False)
    ],
    json: options.Json = False,
) -> None:
    """Replace a person's name by a pseudonym everywhere; the answers stay."""
    with _need(evaluation).store() as store:
        erased = store.people.erase_name(person)
    tell(json, {"person": erased.id}, [f"the name is gone; the answers stay, under {erased.id}"])


@judgments.command("remove", epilog=f"Example: {JUDGMENTS['remove']}")
def remove(
    evaluation: options.Folder,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="Protocol whose tasks and answers are deleted.",
            show_default=False,
        ),
    ],
    why: Annotated[
        str, typer.Option("--why", help="The reason; it is kept in changes.jsonl.", show_default=False)
    ],
    assessor: Annotated[
        str | None,
        typer.Option(
            "--assessor",
            metavar="NAME",
            help="Only those of this assessor.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Delete a protocol's tasks and answers for good. Make a backup first."""
    removed = _need(evaluation).remove_judgments(protocol, why, assessor=assessor, when=now())
    tell(json, removed.as_dict(), removed.lines())


@judgments.command("confirm", epilog=f"Example: {JUDGMENTS['confirm']}")
def confirm(evaluation: options.Folder, json: options.Json = False) -> None:
    """Allow the use of the database that evaluation.toml names."""
    address, file = adjudge.open(evaluation).confirm_database()
    tell(json, {"database": address, "file": str(file)}, [f"{address} is confirmed (in {file})"])


def _take(e: Evaluation, items: Iterable[Item], json: bool, judges: Sequence[str] = ()) -> None:
    with counting("Reading") as progress:
        taken = e.take_judgments(items, judges=judges, progress=progress, what=typed(), when=now())
    tell(json, taken.as_dict(), taken.lines("command"))


def _export_csv(e: Evaluation, file: Path, pseudonyms: bool, json: bool) -> None:
    from adjudge.formats.answer_table import answer_table

    with e.store() as store:
        table = answer_table(store, pseudonyms=pseudonyms)
    write_whole(file, table.to_csv())
    done = f"{file}: {counted(len(table.rows), 'answer')} that count now"
    tell(json, {"file": str(file), "answers": len(table.rows)}, [done])


def _protocol(e: Evaluation, name: str | None) -> str | None:
    """A protocol as readers take it: one that lies in the folder is a file."""
    from adjudge.judgments.protocol import own_protocol_file

    return None if name is None else own_protocol_file(e.folder, name) or name


def _export_ducview(e: Evaluation, folder: Path, json: bool) -> None:
    from adjudge.formats.ducview_write import exported

    with e.store() as store:
        files = list(exported(store.current()))
    if not files:
        raise DataError(f"{e.path}: there are no pyramids to write")
    try:
        for name, text in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None
    tell(
        json,
        {"files": [str(folder / name) for name, _ in files]},
        [f"{folder}: {counted(len(files), 'file')}"],
    )


def _words(counts: RecordCounts) -> str:
    people = counted(counts.people, "person", "people")
    return f"{people}, {counted(counts.tasks, 'task')} and {counted(counts.events, 'answer')}"


def _need(path: Path) -> Evaluation:
    return open_judged(path, "no judgments yet; bring them in with: adjudge judgments import")
