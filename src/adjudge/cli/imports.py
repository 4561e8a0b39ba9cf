"""adjudge import: a command per format, by a table of what its reader takes, and one that finds the format out."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import adjudge
from adjudge.cli import options
from adjudge.cli.line_files import LinesCommand
from adjudge.cli.output import counting, now, on_clash, say, show_json, typed
from adjudge.cli.sources import columns_of, lower_of
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.options import ADVANCED, READING
from adjudge.core.phrases import Argument
from adjudge.data.absent import split_by_spaces
from adjudge.data.packed import size_of
from adjudge.formats.files import mapped
from adjudge.judgments.next_step import after_import

if TYPE_CHECKING:
    from adjudge.data.incoming import Item

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
        for word in args:
            option = word.partition("=")[0]
            if not option.startswith("--") or option in by_format[AUTO]:
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
    help="Read texts, ratings or scores into an evaluation."
    "\n\nThe format is recognised, or named: `adjudge import [FORMAT] FILE... EVALUATION`.",
    subcommand_metavar="[FORMAT] FILE... EVALUATION",
    epilog="Example: adjudge import cnn.parquet my-eval --map reference=highlights",
    no_args_is_help=True,
)

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Files, or folders of files.", show_default=False)
]
Systems = Annotated[
    str | None,
    typer.Option(
        "--systems",
        rich_help_panel=ADVANCED,
        metavar="A,B,...",
        help="Columns with one system's summaries each.",
        show_default=False,
    ),
]
SystemNames = Annotated[
    str | None,
    typer.Option(
        "--system-names",
        rich_help_panel=ADVANCED,
        metavar="A,B,...",
        help="Names of the systems, where a field is a list of summaries.",
    ),
]
System = Annotated[
    str | None,
    typer.Option("--system", metavar="SYSTEM", help="Name of the system; by default the file's name."),
]
ByLine = Annotated[
    bool,
    typer.Option("--by-line", rich_help_panel=ADVANCED, help="The line number is the topic, in all files."),
]
Role = Annotated[
    str | None, typer.Option(help="Role of summaries that do not say: peer (default), reference or both.")
]
Kind = Annotated[
    str | None, typer.Option(help="Kind of systems that do not say: machine, baseline or human.")
]
References = Annotated[
    str | None,
    typer.Option(
        "--reference-names",
        rich_help_panel=ADVANCED,
        metavar="A,B,...",
        help="Names of the writers, where a field is a list of references.",
    ),
]
NoQuotes = Annotated[
    bool,
    typer.Option("--no-quotes", help="Quotation marks are ordinary characters.", rich_help_panel=READING),
]
MaxLine = Annotated[
    str,
    typer.Option("--max-line", metavar="SIZE", help="Longest line that is read.", rich_help_panel=ADVANCED),
]
Lower = options.Lower
PREFIX = "Prefix of the measures' names, before the colon: who computed the scores."
Source = Annotated[str, typer.Option("--prefix", metavar="NAME", help=PREFIX)]
SentenceMark = Annotated[
    str | None,
    typer.Option(
        "--sentence-mark",
        metavar="TEXT|none",
        help="What ends a sentence within a line; none: nothing does. By default <q> and similar marks.",
        show_default=False,
    ),
]
MaxSize = Annotated[
    str,
    typer.Option("--max-size", metavar="SIZE", help="Largest file that is read.", rich_help_panel=ADVANCED),
]


def _text(about: str, *flags: str, **more: Any) -> tuple[Any, None]:
    return Annotated[str | None, typer.Option(*flags, help=about, **more)], None


def _path(flag: str, metavar: str, about: str, **more: Any) -> tuple[Any, None]:
    return Annotated[Path | None, typer.Option(flag, metavar=metavar, help=about, **more)], None


def _several(flag: str, metavar: str, about: str, **more: Any) -> tuple[Any, None]:
    return Annotated[list[str] | None, typer.Option(flag, metavar=metavar, help=about, **more)], None


def _system(about: str) -> tuple[Any, None]:
    return _text(about, "--system", metavar="SYSTEM")


def _topic(about: str, **more: Any) -> tuple[Any, None]:
    return _text(about, "--topic", metavar="TOPIC", **more)


def _length(about: str) -> tuple[Any, None]:
    return Annotated[int | None, typer.Option("--length", min=1, metavar="WORDS", help=about)], None


def _form(about: str) -> tuple[Any, None]:
    return _text(about, "--form", metavar="FORM")


def _measure(about: str) -> tuple[Any, None]:
    return _text(about, "-m", "--measure", metavar="NAME")


LENGTH = _length("Target length of the summaries, in words, where the file does not say.")
KIND_OF_ALL = _text("Kind of systems that do not say: machine, baseline or human.")
OFTEN_OLD = options.encoding("UTF-8 or Windows-1252"), None
"""The encoding of files that may be older than UTF-8."""
UTF_8 = options.Encoding, "utf-8"


Options = Mapping[str, tuple[Any, Any]]
RECORDS: Options = {
    "mapped": (options.Map, None),
    "systems": (Systems, None),
    "system": (System, None),
    "role": (Role, None),
    "kind": (Kind, None),
    "length": LENGTH,
    "form": (options.FormGiven, None),
    "system_names": (SystemNames, None),
    "reference_names": (References, None),
    "by_line": (ByLine, False),
}
TABLE: Options = {"delimiter": (options.Delimiter, None), "no_quotes": (NoQuotes, False)}


@dataclass(frozen=True, kw_only=True)
class Format:
    """A command: who reads the files, and the options that this takes, with their types and defaults."""

    reader: str = ""
    """`module:function` of `adjudge.formats`."""
    help: str
    example: str
    options: Options = field(default_factory=dict)
    largest: str = "max_line"
    encoding: tuple[Any, Any] = UTF_8
    files: Any = Files
    files_needed: bool = True
    command: type[TyperCommand] | None = None

    def parameters(self) -> Options:
        """Everything that can be typed, in the order of the help."""
        return {
            "files": (self.files, inspect.Parameter.empty if self.files_needed else None),
            "evaluation": (options.Folder, Path() if self.reader == "" else inspect.Parameter.empty),
            **self.options,
            self.largest: (MaxLine if self.largest == "max_line" else MaxSize, "64MB"),
            "encoding": self.encoding,
            "replace": (options.Replace, False),
            "skip": (options.Skip, False),
            "dry_run": (options.DryRun, False),
            "json": (options.Json, False),
        }


FORMATS: Mapping[str, Format] = {
    AUTO: Format(
        help="Read any of these formats, Parquet or Excel; the format is recognised.",
        example="adjudge import auto outputs.jsonl my-eval",
        files_needed=False,
        options={
            **RECORDS,
            "measure": _measure("Name of the measure, where the file does not say."),
            "source": _text(PREFIX, "--prefix", metavar="NAME", show_default=False, rich_help_panel=ADVANCED),
            "lower_is_better": (Lower, False),
            "topic": _topic(
                "Topic of all of DUC's documents; by default their folder.", rich_help_panel=ADVANCED
            ),
            "root": _path(
                "--root", "DIR", "Folder of the files that ROUGE's settings name.", rich_help_panel=ADVANCED
            ),
            **TABLE,
        },
        encoding=(options.encoding("recognised"), None),
    ),
    "lines": Format(
        reader="linefiles:read",
        help="Read text files with a summary per line: line n is topic n, each file is a system.",
        example="adjudge import lines 'system_*.txt' --reference 'ref*.txt' --source src.txt line-eval",
        command=LinesCommand,
        files=Annotated[
            list[str] | None,
            typer.Argument(metavar="FILE", help="A file per system; patterns in quotes.", show_default=False),
        ],
        files_needed=False,
        options={
            "references": _several(
                "--reference", "FILE", "References: a file or a pattern in quotes. May be repeated."
            ),
            "sources": _several(
                "--source", "FILE", "Documents: a file or a pattern in quotes. May be repeated."
            ),
            "topics": _path(
                "--topic-names", "FILE", "Names of the topics, one per line; by default line numbers."
            ),
            "kind": KIND_OF_ALL,
            "length": _length("Target length of the summaries, in words."),
            "form": _form("Form of the summaries: abstract or extract."),
            "sentence_mark": (SentenceMark, None),
        },
    ),
    "folder": Format(
        reader="textfolder:read",
        help="Read a folder with a file per summary (text or pyrouge's HTML).",
        example="adjudge import folder outputs folder-eval --pattern '{system}/{topic}.txt'"
        " --reference-pattern 'reference/{topic}.txt'",
        files=Annotated[
            Path, typer.Argument(metavar="DIR", help="The folder with the texts.", show_default=False)
        ],
        options={
            "pattern": _several(
                "--pattern",
                "PATTERN",
                "Paths of summaries in DIR, with {topic}, {system}, {length}, {form}, *. May be repeated.",
                show_default=False,
            ),
            "reference_pattern": _several(
                "--reference-pattern",
                "PATTERN",
                "Paths of references, with {topic}, {writer}, ... May be repeated.",
            ),
            "source_pattern": _several(
                "--source-pattern",
                "PATTERN",
                "Paths of documents, with {topic}, {document}. May be repeated.",
            ),
            "system": _system("Name of the system, where paths lack {system}; by default the folder's name."),
            "kind": KIND_OF_ALL,
            "length": _length("Target length of the summaries, in words, where the file does not say."),
            "form": _form("Form of the summaries where the file does not say: abstract or extract."),
        },
        largest="max_size",
        encoding=OFTEN_OLD,
    ),
    "summeval": Format(
        reader="summeval:read",
        help="Read SummEval's JSONL: summaries, references, sources and ratings.",
        example="adjudge import summeval model_annotations.jsonl my-eval",
    ),
    "jsonl": Format(
        reader="records:read_jsonl",
        help="Read JSON lines: a summary per line, a file per system, or a field per system.",
        example="adjudge import jsonl outputs.jsonl my-eval --map text=decoded",
        options=RECORDS,
    ),
    "csv": Format(
        reader="records:read_table",
        help="Read CSV or TSV: a summary per row, a file per system, or a column per system.",
        example="adjudge import csv baseline-7.csv tuned-7.csv my-eval --length 100",
        options={**RECORDS, **TABLE},
    ),
    "sacrerouge": Format(
        reader="sacrerouge:read",
        help="Read sacrerouge's JSONL: summaries with references, or scores computed there.",
        example="adjudge import sacrerouge summaries-sacrerouge.jsonl my-eval",
        options={
            "references_as_peers": (
                Annotated[
                    bool,
                    typer.Option(
                        "--references-as-peers", help="Score references too, each against the others."
                    ),
                ],
                False,
            ),
            "source": (Source, "sacrerouge"),
            "lower_is_better": (Lower, False),
            "lower": (options.LowerNames, None),
        },
    ),
    "duc": Format(
        reader="duc:read",
        help="Read DUC's documents (<DOC>, <DOCNO>, <TEXT>) and summaries (D0601.M.250.A.17).",
        example="adjudge import duc duc-docs my-eval",
        options={
            "topic": _topic("Topic of all of DUC's documents; by default their folder."),
            "role": _text("Role of summaries that do not say: peer (default), reference or both."),
            "form": _form("Form of the summaries: abstract or extract."),
        },
        encoding=OFTEN_OLD,
    ),
    "scores": Format(
        reader="scoretable:read",
        help="Read scores computed elsewhere: a score per row, or a matrix with systems as columns.",
        example="adjudge import scores bertscore.csv my-eval",
        options={
            "measure": _measure("Name of the measure, where the file does not say."),
            "source": (Source, "imported"),
            "lower_is_better": (Lower, False),
            "lower": (options.LowerNames, None),
            "length": LENGTH,
            "form": (options.FormGiven, None),
            "mapped": (options.Map, None),
            **TABLE,
            "decimal": (options.Decimal, None),
            "transpose": (options.Transpose, False),
            "leave_out": (options.LeaveOut, None),
            "assessors": (options.Assessors, None),
        },
    ),
    "rouge155": Format(
        reader="rouge155:read_summaries",
        help="Read the summaries that ROUGE-1.5.5's settings (XML or .lst) name.",
        example="adjudge import rouge155 settings.xml my-eval --root summaries",
        options={
            "root": _path("--root", "DIR", "Folder of the files that ROUGE's settings name."),
            "form": _text("Format of a list's files: SPL, SEE or ISI.", "--format", metavar="FORMAT"),
            "system": _system("Name of the system; by default the file's name."),
        },
        encoding=OFTEN_OLD,
    ),
    "rouge-output": Format(
        reader="rouge155:read_output",
        help="Read the scores that ROUGE-1.5.5 printed with -d.",
        example="adjudge import rouge-output rouge.txt my-eval",
        options={"source": (Source, "rouge155")},
        encoding=OFTEN_OLD,
    ),
}


def _auto(
    files: list[Path], evaluation: Path, ctx: typer.Context, typed: dict[str, Any]
) -> tuple[Iterable[Item], str]:
    """What is in files whose format is found out, and how they are read, in words."""
    from adjudge.formats.recognise import recognise

    arguments = _arguments(typed)
    recognised = recognise(
        _check_words(files, evaluation),
        evaluation=str(evaluation),
        delimiter=arguments["delimiter"],
        quotes=arguments["quotes"],
        encoding=arguments["encoding"],
        arguments=_arguments_given(ctx),
    )
    chosen = {name: value for name, value in arguments.items() if value and name != "quotes"}
    if not arguments["quotes"]:
        chosen["quotes"] = False
    if recognised.format in ("parquet", "folder"):
        del chosen["max_line"]
    items = recognised.read(**chosen)
    begun = list(islice(items, 1))  # what must be asked is asked before the evaluation is opened
    return chain(begun, items), recognised.words


def _command(name: str, made: Format) -> Callable[..., None]:
    """The command of a format."""

    def command(ctx: typer.Context, files: Any, evaluation: Path, **typed: Any) -> None:
        how = {word: typed.pop(word) for word in ("replace", "skip", "dry_run", "json")}
        if name == AUTO:
            items, read_as = _auto(files or [], evaluation, ctx, typed)
            _take(evaluation, items, **how, read_as=read_as)
            return
        if name == "folder":
            _check_apart(files, evaluation, "import folder")
        arguments = _arguments(typed)
        if name == "lines":
            arguments["there"] = adjudge.open(evaluation, create=True).topic_names()
        module, _, function = made.reader.partition(":")
        read = getattr(import_module(f"adjudge.formats.{module}"), function)
        _take(evaluation, read(files or (), **arguments), **how)

    parameters = {"ctx": (typer.Context, inspect.Parameter.empty), **made.parameters()}
    command.__doc__ = made.help
    command.__annotations__ = {word: kind for word, (kind, _) in parameters.items()}
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for word, (kind, default) in parameters.items()
        ]
    )
    return command


for _name, _format in FORMATS.items():
    imports.command(_name, cls=_format.command, epilog=f"Example: {_format.example}")(
        _command(_name, _format)
    )


def _arguments(typed: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as readers call and take it."""
    arguments = dict(typed)
    for name in ("systems", "system_names", "reference_names"):
        if name in arguments:
            arguments[name] = _names(arguments[name])
    for name in ("references", "sources", "leave_out", "assessors"):
        if name in arguments:
            arguments[name] = arguments[name] or ()
    for name in ("max_line", "max_size"):
        if name in arguments:
            arguments[name] = size_of(Argument(name).option, arguments[name])
    if "mapped" in arguments:
        arguments["columns"] = columns_of(arguments.pop("mapped"))
    if "no_quotes" in arguments:
        arguments["quotes"] = not arguments.pop("no_quotes")
    if "lower" in arguments:
        lower = _names(",".join(arguments.pop("lower") or ()))
        arguments["lower_is_better"] = lower_of(arguments["lower_is_better"], lower) or False
    return arguments


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
        formats = [name for name in FORMATS if name != AUTO]
        raise UsageError(
            f"{quoted(first)} is neither a file nor a format{nearest(first, formats)};"
            f" formats: {', '.join(formats)}"
        )
    return files


def _in_order(words: list[Path]) -> list[str] | None:
    """The words as they must stand, where they do not: a format, files, and a folder that is an evaluation or new."""
    formats = [word for word in words if str(word) in FORMATS and not word.exists()]
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
            say(str(after_import(evaluation, report.holds, scores=bool(report.scores))))
    if not report.read:
        why = next((f": {reason} ({report.first[reason]})" for reason in report.left_out), "")
        raise DataError(f"nothing could be read, and nothing was imported{why}")


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []
