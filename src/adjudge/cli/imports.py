"""adjudge import: one short command per format; what they share is in `_take`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, on_clash, say, show_json
from adjudge.data.packed import size_of
from adjudge.errors import UsageError, quoted

if TYPE_CHECKING:
    from adjudge.data.incoming import Item

imports = typer.Typer(
    help="Read summaries, documents, ratings or scores that you have into an evaluation.",
    no_args_is_help=True,
)

IMPORTS = {
    "summeval": "adjudge import summeval model_annotations.jsonl my-eval",
    "jsonl": "adjudge import jsonl outputs.jsonl my-eval --map text=decoded",
    "csv": "adjudge import csv baseline-7.csv tuned-7.csv my-eval --length 100",
    "sacrerouge": "adjudge import sacrerouge summaries-sacrerouge.jsonl my-eval",
    "duc": "adjudge import duc duc-docs my-eval",
    "scores": "adjudge import scores bertscore.csv my-eval",
    "rouge155": "adjudge import rouge155 settings.xml my-eval --root summaries",
    "rouge-output": "adjudge import rouge-output rouge.txt my-eval",
}

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Files, or folders of them.", show_default=False)
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        help="Where a field stands (FIELD= for nowhere); may be repeated.",
        show_default=False,
    ),
]
ByLine = Annotated[bool, typer.Option("--by-line", help="Files are aligned: the line number is the topic.")]
Role = Annotated[str, typer.Option(help="Of summaries that do not say: peer, reference or both.")]
Kind = Annotated[str | None, typer.Option(help="Of systems that do not say: machine, baseline or human.")]
References = Annotated[
    str | None, typer.Option("--reference-names", metavar="A,B,...", help="Writers of a list of references.")
]
Delimiter = Annotated[
    str | None, typer.Option(help="Between columns, such as ';' or tab; else found out.", show_default=False)
]
NoQuotes = Annotated[
    bool, typer.Option("--no-quotes", help="A quotation mark is a character like any other.")
]
Encoding = Annotated[str, typer.Option(help="Of the files.")]
MaxLine = Annotated[str, typer.Option("--max-line", metavar="SIZE", help="A longer line is refused.")]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="For all measures in the files.")]
Source = Annotated[str, typer.Option(help="Whose scores: measures are named SOURCE:NAME.")]
Length = Annotated[
    int | None, typer.Option(min=1, metavar="WORDS", help="Target length where the file has none.")
]


@imports.command("summeval", epilog=f"Example: {IMPORTS['summeval']}")
def summeval(
    files: Files,
    evaluation: options.Folder,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """SummEval's JSONL: summaries, references, sources, and the ratings of experts and crowd."""
    from adjudge.formats import summeval

    items = summeval.read(files, max_line=size_of("--max-line", max_line), encoding=encoding)
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("jsonl", epilog=f"Example: {IMPORTS['jsonl']}")
def jsonl(
    files: Files,
    evaluation: options.Folder,
    mapped: Map = None,
    system: Annotated[str | None, typer.Option(help="Whose summaries; the file's name unless given.")] = None,
    role: Role = "peer",
    kind: Kind = None,
    length: Length = None,
    form: options.FormGiven = None,
    reference_names: References = None,
    by_line: ByLine = False,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """One JSON object a line: a long file, a file per system, or a column per system (summary:NAME)."""
    from adjudge.formats.records import read_jsonl

    items = read_jsonl(
        files,
        system=system,
        role=cast(Any, role),
        kind=kind,
        length=length,
        form=form,
        reference_names=_names(reference_names),
        columns=columns_of(mapped),
        by_line=by_line,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("csv", epilog=f"Example: {IMPORTS['csv']}")
def csv(
    files: Files,
    evaluation: options.Folder,
    mapped: Map = None,
    system: Annotated[str | None, typer.Option(help="Whose summaries; the file's name unless given.")] = None,
    role: Role = "peer",
    kind: Kind = None,
    length: Length = None,
    form: options.FormGiven = None,
    reference_names: References = None,
    by_line: ByLine = False,
    delimiter: Delimiter = None,
    no_quotes: NoQuotes = False,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """CSV or TSV with a header: a long file, a file per system, or a column per system (summary:NAME)."""
    from adjudge.formats.records import read_table

    items = read_table(
        files,
        system=system,
        role=cast(Any, role),
        kind=kind,
        length=length,
        form=form,
        reference_names=_names(reference_names),
        columns=columns_of(mapped),
        by_line=by_line,
        delimiter=delimiter,
        quotes=not no_quotes,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("sacrerouge", epilog=f"Example: {IMPORTS['sacrerouge']}")
def sacrerouge(
    files: Files,
    evaluation: options.Folder,
    references_as_peers: Annotated[
        bool, typer.Option("--references-as-peers", help="Judge references too, each against the others.")
    ] = False,
    source: Source = "sacrerouge",
    lower_is_better: Lower = False,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """sacrerouge's JSONL: summaries with their references, or the metrics of a run made there."""
    from adjudge.formats import sacrerouge

    items = sacrerouge.read(
        files,
        references_as_peers=references_as_peers,
        source=source,
        lower_is_better=lower_is_better,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("duc", epilog=f"Example: {IMPORTS['duc']}")
def duc(
    files: Files,
    evaluation: options.Folder,
    topic: Annotated[str | None, typer.Option(help="Of all documents; else their folder.")] = None,
    role: Annotated[str | None, typer.Option(help="Of the summaries: peer, reference or both.")] = None,
    form: Annotated[
        str | None,
        typer.Option("--form", metavar="FORM", help="Of the summaries: abstract, extract."),
    ] = None,
    max_line: MaxLine = "64MB",
    encoding: Annotated[str | None, typer.Option(help="Of the files; else UTF-8 or Windows-1252.")] = None,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """DUC's documents (<DOC>, <DOCNO>, <TEXT>) and summaries (D0601.M.250.A.17), files or folders."""
    from adjudge.formats import duc

    items = duc.read(
        files,
        topic=topic,
        role=cast(Any, role),
        form=form,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("scores", epilog=f"Example: {IMPORTS['scores']}")
def scores(
    files: Files,
    evaluation: options.Folder,
    measure: Annotated[
        str | None, typer.Option("-m", "--measure", metavar="NAME", help="Of files that do not say.")
    ] = None,
    source: Source = "imported",
    lower_is_better: Lower = False,
    length: Length = None,
    form: options.FormGiven = None,
    mapped: Map = None,
    delimiter: Delimiter = None,
    no_quotes: NoQuotes = False,
    decimal: options.Decimal = None,
    transpose: options.Transpose = False,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Scores made elsewhere: a long CSV (system,topic,measure,value) or a matrix with systems as columns."""
    from adjudge.formats import scoretable

    items = scoretable.read(
        files,
        measure=measure,
        source=source,
        lower_is_better=lower_is_better,
        length=length,
        form=form,
        columns=columns_of(mapped),
        delimiter=delimiter,
        quotes=not no_quotes,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
        decimal=decimal,
        transpose=transpose,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("rouge155", epilog=f"Example: {IMPORTS['rouge155']}")
def rouge155(
    files: Files,
    evaluation: options.Folder,
    root: Annotated[
        Path | None, typer.Option("--root", metavar="DIR", help="Where the files are now, if moved.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="Of a list's files: SPL, SEE or ISI.")
    ] = None,
    system: Annotated[str | None, typer.Option(help="A list's peer; the file's name unless given.")] = None,
    max_line: MaxLine = "64MB",
    encoding: Annotated[str | None, typer.Option(help="Of the files; else UTF-8 or Windows-1252.")] = None,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Summaries that ROUGE-1.5.5's settings (XML, or a .lst) name; NIST's jackknife becomes one topic again."""
    from adjudge.formats.rouge155 import read_summaries

    items = read_summaries(
        files,
        root=root,
        form=form,
        system=system,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


@imports.command("rouge-output", epilog=f"Example: {IMPORTS['rouge-output']}")
def rouge_output(
    files: Files,
    evaluation: options.Folder,
    source: Source = "rouge155",
    max_line: MaxLine = "64MB",
    encoding: Annotated[str | None, typer.Option(help="Of the files; else UTF-8 or Windows-1252.")] = None,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """What ROUGE-1.5.5 printed with -d: recall, precision and F of every evaluation, as scores made elsewhere."""
    from adjudge.formats.rouge155 import read_output

    items = read_output(files, source=source, max_line=size_of("--max-line", max_line), encoding=encoding)
    _take(evaluation, items, replace, skip, dry_run, json)


def _take(
    evaluation: Path, items: Iterable[Item], replace: bool, skip: bool, dry_run: bool, json: bool
) -> None:
    policy = on_clash(replace, skip)
    e = adjudge.open(evaluation)
    with counting("read") as tick:
        report = e.take(items, on_clash=policy, dry_run=dry_run, progress=tick)
    if json:
        show_json(report.as_dict())
    else:
        for line in report.lines():
            say(line)


def columns_of(mapped: list[str] | None, option: str = "--map") -> dict[str, str]:
    """FIELD=COLUMN, as often as it was given."""
    columns: dict[str, str] = {}
    for pair in mapped or ():
        field, equals, column = pair.partition("=")
        if not (field and equals):
            raise UsageError(f"{option} is {quoted(pair)}, expected FIELD=COLUMN such as text=decoded")
        if field in columns:
            raise UsageError(f"{option} gives {quoted(field)} twice")
        columns[field] = column
    return columns


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []
