"""adjudge import: one short command per format, and one that finds the format out; what they share is in `_take`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

import adjudge
from adjudge.cli import options
from adjudge.cli.line_files import LinesCommand
from adjudge.cli.output import counting, now, on_clash, say, show_json, typed
from adjudge.cli.sources import columns_of, lower_of
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.data.absent import split_by_spaces
from adjudge.data.packed import size_of
from adjudge.formats.files import mapped

if TYPE_CHECKING:
    from adjudge.data.incoming import ImportReport, Item

AUTO = "auto"


class ByFormat(TyperGroup):
    """The commands by format; words that begin with none of their names are `auto`'s."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [AUTO, *args]
        if args and args[0] == AUTO:
            self._refuse_options_of_others(args[1:])
        return super().parse_args(ctx, args)

    def _refuse_options_of_others(self, args: list[str]) -> None:
        """Name the format that has an option which finding out the format does not have."""
        by_format = {name: {o for p in c.params for o in p.opts} for name, c in self.commands.items()}
        for word, value in zip(args, [*args[1:], ""], strict=True):
            option, _, joined = word.partition("=")
            is_source = option == "--source" and Path(joined or value).is_file()  # else whose scores
            if not is_source and (not option.startswith("--") or option in by_format[AUTO]):
                continue
            if name := next(
                (name for name, options in by_format.items() if name != AUTO and option in options), None
            ):
                raise UsageError(
                    f"{option} is an option of one format, which must be named: adjudge import {name}"
                    f" {shlex.join(args)}"
                )


imports = typer.Typer(
    cls=ByFormat,
    help="Read summaries, documents, ratings or scores that you have into an evaluation."
    "\n\nWithout a format, `adjudge import FILE... EVALUATION`, it is found out by what is in the files, and said.",
    subcommand_metavar="[FORMAT] FILE... EVALUATION",
    epilog="Example: adjudge import cnn.parquet my-eval --map reference=highlights",
    no_args_is_help=True,
)

IMPORTS = {
    "auto": "adjudge import auto outputs.jsonl my-eval",
    "lines": "adjudge import lines 'system_*.txt' --reference 'ref*.txt' --source src.txt line-eval",
    "folder": "adjudge import folder outputs folder-eval --pattern '{system}/{topic}.txt'"
    " --reference-pattern 'reference/{topic}.txt'",
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
Systems = Annotated[
    str | None,
    typer.Option(
        "--systems", metavar="A,B,...", help="Columns that hold a system's summaries.", show_default=False
    ),
]
SystemNames = Annotated[
    str | None, typer.Option("--system-names", metavar="A,B,...", help="Systems of a list of summaries.")
]
System = Annotated[str | None, typer.Option(help="Whose summaries; the file's name unless given.")]
ByLine = Annotated[bool, typer.Option("--by-line", help="Files are aligned: the line number is the topic.")]
Role = Annotated[
    str | None, typer.Option(help="Of summaries that do not say: peer (unless given), reference or both.")
]
Kind = Annotated[str | None, typer.Option(help="Of systems that do not say: machine, baseline or human.")]
References = Annotated[
    str | None, typer.Option("--reference-names", metavar="A,B,...", help="Writers of a list of references.")
]
NoQuotes = Annotated[
    bool, typer.Option("--no-quotes", help="A quotation mark is a character like any other.")
]
Encoding = Annotated[str, typer.Option(help="Of the files.")]
MaxLine = Annotated[str, typer.Option("--max-line", metavar="SIZE", help="A longer line is refused.")]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="For all measures in the files.")]
Source = Annotated[str, typer.Option(help="Whose scores: measures are named SOURCE:NAME.")]
SentenceMark = Annotated[
    str | None,
    typer.Option(
        "--sentence-mark",
        metavar="TEXT|none",
        help="Ends a sentence within a line; <q> and its like unless given.",
        show_default=False,
    ),
]
Length = Annotated[
    int | None, typer.Option(min=1, metavar="WORDS", help="Target length where the file has none.")
]


@imports.command(AUTO, epilog=f"Example: {IMPORTS[AUTO]}")
def auto(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files, or folders of them.", show_default=False),
    ] = None,
    evaluation: options.Folder = Path(),
    mapped: options.Map = None,
    systems: Systems = None,
    system: System = None,
    role: Role = None,
    kind: Kind = None,
    length: Length = None,
    form: options.FormGiven = None,
    system_names: SystemNames = None,
    reference_names: References = None,
    by_line: ByLine = False,
    measure: Annotated[
        str | None, typer.Option("-m", "--measure", metavar="NAME", help="Of scores that do not say.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Whose scores: measures are named SOURCE:NAME.", show_default=False)
    ] = None,
    lower_is_better: Lower = False,
    topic: Annotated[str | None, typer.Option(help="Of all of DUC's documents; else their folder.")] = None,
    root: Annotated[
        Path | None,
        typer.Option("--root", metavar="DIR", help="Where the files of ROUGE's settings are now."),
    ] = None,
    delimiter: options.Delimiter = None,
    no_quotes: NoQuotes = False,
    max_line: MaxLine = "64MB",
    encoding: Annotated[str | None, typer.Option(help="Of the files.", show_default=False)] = None,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Any of these formats, or Parquet or Excel: found out by what is in the files. The word itself may be left out."""
    from adjudge.formats.recognise import recognise

    files = _check_words(files or [], evaluation)
    recognised = recognise(
        files,
        evaluation=str(evaluation),
        delimiter=delimiter,
        quotes=not no_quotes,
        encoding=encoding,
        arguments=_arguments_given(ctx),
    )
    arguments: dict[str, Any] = {
        "columns": columns_of(mapped),
        "systems": _names(systems),
        "system": system,
        "role": role,
        "kind": kind,
        "length": length,
        "form": form,
        "system_names": _names(system_names),
        "reference_names": _names(reference_names),
        "by_line": by_line,
        "measure": measure,
        "source": source,
        "lower_is_better": lower_is_better,
        "topic": topic,
        "root": root,
        "delimiter": delimiter,
        "encoding": encoding,
    }
    chosen = {name: value for name, value in arguments.items() if value}
    if no_quotes:
        chosen["quotes"] = False
    if recognised.format not in ("parquet", "folder"):
        chosen["max_line"] = size_of("--max-line", max_line)
    items = recognised.read(**chosen)
    begun = list(islice(items, 1))  # what must be asked is asked before the evaluation is opened
    _take(evaluation, chain(begun, items), replace, skip, dry_run, json, read_as=recognised.words)


def _arguments_given(ctx: typer.Context) -> list[Argument]:
    """The options on the command line, as arguments of an importer."""
    arguments: list[Argument] = []
    for option in ctx.command.params:
        source = ctx.get_parameter_source(option.name or "")
        if option.param_type_name == "option" and source is not None and source.name == "COMMANDLINE":
            value = ctx.params[option.name or ""]
            name = max(option.opts, key=len).removeprefix("--")
            if name == "map":
                arguments += [mapped(field, column) for field, column in columns_of(value).items()]
            else:
                arguments.append(Argument(name, value if isinstance(value, bool | list) else [value]))
    return arguments


def _matching(path: Path) -> list[Path]:
    """The files that a pattern in quotes names; a path as it is."""
    if path.exists() or not any(sign in str(path) for sign in "*?["):
        return [path]
    root = Path(path.anchor)
    if matches := sorted(root.glob(str(path.relative_to(root)) if path.anchor else str(path))):
        return matches
    raise UsageError(f"{path}: no file matches this pattern")


def _check_words(files: list[Path], evaluation: Path) -> list[Path]:
    """The files, where there are any. A first word that is neither a file nor a format may be mistyped."""
    if not files:
        words = f"FILE... {evaluation}" if evaluation.is_dir() else f"{evaluation} my-eval"
        what = "the file to import" if evaluation.is_dir() else "the evaluation's folder"
        raise UsageError(f"{what} is missing: adjudge import {words}")
    if ordered := _in_order([*files, evaluation]):
        raise UsageError(
            "the format comes first, then the files, and the evaluation last:"
            f" {shlex.join(['adjudge', 'import', *ordered])}"
        )
    typed_words = [str(path) for path in files]
    for at, path in enumerate(files):
        if not path.exists() and (whole := split_by_spaces(typed_words, at)):
            raise UsageError(
                f"{path}: no such file; a name with spaces stands in quotes: {shlex.quote(whole)}"
            )
    files = [file for path in files for file in _matching(path)]
    for path in files:
        _check_apart(path, evaluation, "import")
    first = str(files[0])
    if not files[0].exists() and "." not in first and len(files) > 1:
        formats = [name for name in IMPORTS if name != AUTO]
        raise UsageError(
            f"{quoted(first)} is neither a file nor a format{nearest(first, formats)};"
            f" formats: {', '.join(formats)}"
        )
    return files


def _in_order(words: list[Path]) -> list[str] | None:
    """The words as they must stand, where they do not: a format, files, and a folder that is an evaluation or new."""
    formats = [word for word in words if str(word) in IMPORTS and not word.exists()]
    files = [word for word in words if word.is_file()]
    folders = [word for word in words if word not in formats and word not in files]
    if len(formats) > 1 or len(folders) != 1 or not files:
        return None
    if folders[0].exists() and not (folders[0] / "evaluation.toml").exists():
        return None
    ordered = [*formats, *files, *folders]
    return None if ordered == words else [str(word) for word in ordered]


def _check_apart(path: Path, evaluation: Path, command: str) -> None:
    """Refuse a folder of files as the evaluation that they are imported into."""
    if path.is_dir() and evaluation.is_dir() and path.samefile(evaluation):
        raise UsageError(
            f"{path} is named as the folder to import and as the evaluation: name another folder for the evaluation,"
            f" such as adjudge {command} {shlex.quote(str(path))} my-eval"
        )


@imports.command("lines", cls=LinesCommand, epilog=f"Example: {IMPORTS['lines']}")
def lines(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="A file per system, or patterns in quotes.", show_default=False),
    ] = None,
    *,
    evaluation: options.Folder,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="FILE", help="References, a file or a pattern; may be repeated."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="FILE", help="The documents, a file or a pattern; may be repeated."),
    ] = None,
    topics: Annotated[
        Path | None, typer.Option("--topics", metavar="FILE", help="Names of the topics; else line numbers.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Of the systems: machine, baseline or human.")] = None,
    length: Annotated[
        int | None, typer.Option(min=1, metavar="WORDS", help="Target length of all summaries.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--form", metavar="FORM", help="Of all summaries: abstract, extract.")
    ] = None,
    sentence_mark: SentenceMark = None,
    max_line: MaxLine = "64MB",
    encoding: Encoding = "utf-8",
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Text files with one summary a line: line n is topic n in all of them, the file's name is the system."""
    from adjudge.formats import linefiles

    items = linefiles.read(
        files or (),
        references=reference or (),
        sources=source or (),
        topics=topics,
        kind=kind,
        length=length,
        form=form,
        sentence_mark=sentence_mark,
        there=adjudge.open(evaluation, create=True).topic_names(),
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


Patterns = Annotated[
    list[str] | None,
    typer.Option(
        "--pattern",
        metavar="PATTERN",
        help="Paths of summaries below DIR: {topic}, {system}, {length}, {form}, *; may be repeated.",
        show_default=False,
    ),
]


@imports.command("folder", epilog=f"Example: {IMPORTS['folder']}")
def folder(
    texts: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder with the texts.", show_default=False)
    ],
    evaluation: options.Folder,
    pattern: Patterns = None,
    reference_pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--reference-pattern", metavar="PATTERN", help="Paths of references: {topic}, {writer}, ..."
        ),
    ] = None,
    source_pattern: Annotated[
        list[str] | None,
        typer.Option("--source-pattern", metavar="PATTERN", help="Paths of documents: {topic}, {document}."),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Of paths without {system}; their folder unless given.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Of the systems: machine, baseline or human.")] = None,
    length: Annotated[
        int | None, typer.Option(min=1, metavar="WORDS", help="Target length of paths without {length}.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--form", metavar="FORM", help="Of paths without {form}: abstract, extract.")
    ] = None,
    max_size: Annotated[
        str, typer.Option("--max-size", metavar="SIZE", help="A larger file is refused.")
    ] = "64MB",
    encoding: Annotated[str | None, typer.Option(help="Of the files; else UTF-8 or Windows-1252.")] = None,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """A folder with a file per summary, plain text or pyrouge's HTML; the paths say topic and system."""
    from adjudge.formats import textfolder

    _check_apart(texts, evaluation, "import folder")
    items = textfolder.read(
        texts,
        pattern=pattern,
        reference_pattern=reference_pattern,
        source_pattern=source_pattern,
        system=system,
        kind=kind,
        length=length,
        form=form,
        max_size=size_of("--max-size", max_size),
        encoding=encoding,
    )
    _take(evaluation, items, replace, skip, dry_run, json)


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
    mapped: options.Map = None,
    systems: Systems = None,
    system: System = None,
    role: Role = None,
    kind: Kind = None,
    length: Length = None,
    form: options.FormGiven = None,
    system_names: SystemNames = None,
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
        systems=_names(systems),
        role=cast(Any, role),
        kind=kind,
        length=length,
        form=form,
        system_names=_names(system_names),
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
    mapped: options.Map = None,
    systems: Systems = None,
    system: System = None,
    role: Role = None,
    kind: Kind = None,
    length: Length = None,
    form: options.FormGiven = None,
    system_names: SystemNames = None,
    reference_names: References = None,
    by_line: ByLine = False,
    delimiter: options.Delimiter = None,
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
        systems=_names(systems),
        role=cast(Any, role),
        kind=kind,
        length=length,
        form=form,
        system_names=_names(system_names),
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
    lower: options.LowerNames = None,
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
        lower_is_better=lower_of(lower_is_better, _names(",".join(lower or ()))) or False,
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
    lower: options.LowerNames = None,
    length: Length = None,
    form: options.FormGiven = None,
    mapped: options.Map = None,
    delimiter: options.Delimiter = None,
    no_quotes: NoQuotes = False,
    decimal: options.Decimal = None,
    transpose: options.Transpose = False,
    leave_out: options.LeaveOut = None,
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
        lower_is_better=lower_of(lower_is_better, _names(",".join(lower or ()))) or False,
        length=length,
        form=form,
        columns=columns_of(mapped),
        delimiter=delimiter,
        quotes=not no_quotes,
        max_line=size_of("--max-line", max_line),
        encoding=encoding,
        decimal=decimal,
        transpose=transpose,
        leave_out=leave_out or (),
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
    evaluation: Path,
    items: Iterable[Item],
    replace: bool,
    skip: bool,
    dry_run: bool,
    json: bool,
    *,
    read_as: str | None = None,
) -> None:
    """Carry an import out and tell what became of it; exit 1 where nothing could be read."""
    policy = on_clash(replace, skip)
    e = adjudge.open(evaluation, create=True)
    with counting("read") as tick:
        report = e.take(items, on_clash=policy, dry_run=dry_run, progress=tick, what=typed(), when=now())
    if json:
        show_json(report.as_dict() | ({} if read_as is None else {"read_as": read_as}))
    else:
        if read_as is not None:
            say(f"read as: {read_as}")
        for line in report.lines("command"):
            say(line)
        if report.read and not dry_run:
            say(f"next: {next_step(report, shlex.quote(str(evaluation)))}")
    if not report.read:
        why = next((f": {reason} ({report.first[reason]})" for reason in report.left_out), "")
        raise DataError(f"nothing could be read, and nothing was imported{why}")


def next_step(report: ImportReport, evaluation: str) -> str:
    """What to type after an import, by what it brought and what the evaluation has now."""
    if report.scores:
        return f"adjudge compare {evaluation}"
    if report.holds >= {"peers", "references"}:
        return f"adjudge score {evaluation}"
    if "peers" in report.holds:
        return (
            f"import references, then adjudge score {evaluation}; or let people judge: adjudge people add {evaluation}"
            f" NAME, then adjudge assign {evaluation} --protocol rating --assessor NAME"
        )
    if "scores" in report.holds:
        return f"adjudge compare {evaluation}"
    return f"import the summaries of systems, such as adjudge import lines 'system_*.txt' {evaluation}"


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []
