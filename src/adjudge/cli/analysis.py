"""Commands made from declarations of analyses: their options, their help, and how results are printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.analyses import declaration
from adjudge.analyses.base import Analysis, AnyAnalysis, silent
from adjudge.cli import options
from adjudge.cli.output import (
    not_over,
    now_in_words,
    progress,
    say,
    say_pieces,
    say_signature,
    show,
    show_json,
    warn,
    write_text,
)
from adjudge.cli.sources import check_page_outputs, warn_of_judges
from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.options import ADVANCED, Kind, Option, asks_for, declared, parse_options
from adjudge.core.results import Parts, Result, Results, warnings_of
from adjudge.core.table import joined
from adjudge.core.words import counted
from adjudge.data.packed import PACKED

if TYPE_CHECKING:
    pass

MORE = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MORE",
        help="With --counts: more data sets, named by their files or as NAME=FILE: 2009=tac09.csv"
        " 2010=tac10.csv.",
        show_default=False,
    ),
]
OUTPUTS: Mapping[str, tuple[Any, Any]] = {
    "json": (options.Json, False),
    "csv": (options.Csv, None),
    "latex": (options.Latex, False),
    "markdown": (options.Markdown, False),
    "methods": (options.Methods, False),
    "out": (options.OutFolder, None),
    "table": (options.OnlyTable, None),
    "show_signature": (options.ShowSignature, False),
    "signature": (options.FromSignature, None),
}
"""What every analysis can be printed as; methods and pages some have."""
MOST_SENTENCES = 8
"""Of a part, where all parts are told in short."""


ACTIONS: Mapping[str, str] = {"mismatch": "adjudge.cli.tagging"}
"""By the name of an analysis: the module with what its command does beside looking.

`PARAMETERS` are its options, `check` refuses them before the work, `act` does it with the results.
"""


def command_of(name: str) -> Callable[..., None]:
    """The command of an analysis, with an option for each of its own, and of the analyses that share the command."""
    cls = declaration(name)
    variants = {flag: declaration(function) for flag, function in cls.VARIANTS.items()}
    actions = import_module(ACTIONS[name]) if name in ACTIONS else None

    def command(**typed: Any) -> None:
        to_do = {} if actions is None else {action: typed.pop(action) for action in actions.PARAMETERS}
        outputs = {output: typed.pop(output) for output in OUTPUTS if output in typed}
        sources = [typed.pop("scores", None), *(typed.pop("more", None) or ())]
        lower = tuple(typed.pop("lower", None) or ())
        signature = outputs.pop("signature")
        outputs.pop("show_signature")
        chosen = _chosen(cls, variants, typed, signature)
        if outputs.get("methods") and not chosen.METHODS:
            raise UsageError(f"{_called(cls, variants, chosen)} takes no --methods")
        asked = _asked(chosen, typed, signature)
        out = outputs.pop("out", None)
        if chosen.PAGE:
            forms = {form: outputs[form] for form in ("json", "latex", "markdown")}
            check_page_outputs(out, outputs["csv"], **forms)
        if out is not None:
            asked = {**chosen.ON_A_PAGE, **asked}
        if lower:
            if asked.get("lower_is_better"):
                raise UsageError("--lower-is-better is for all measures, --lower for some: say one of them")
            asked["lower_is_better"] = lower
        source = _source(cls, chosen, variants, sources)
        for path in source.values() if isinstance(source, Mapping) else filter(None, (source,)):
            not_over(outputs["csv"], path)
        if actions is not None:
            actions.check(to_do, outputs["csv"])
        results = _results(chosen, asked, source)
        if actions is not None:
            results, done, lines = actions.act(
                source, results, to_do, lambda: _results(chosen, asked, source)
            )
            print_results(results, **outputs, done=done)
            if (
                not any(outputs[form] for form in ("json", "latex", "markdown"))
                and str(outputs["csv"]) != "-"
            ):
                for line in lines:
                    say(line)
            return
        if out is not None:
            module, _, write = chosen.PAGE.partition(":")
            files = getattr(import_module(module), write)(results[0], out, made_at=now_in_words())
            warn(f"{files[0]}: open it in a browser ({len(files) - 1} files beside it)")
        if out is None or outputs["json"] or outputs["csv"] or outputs["latex"] or outputs["markdown"]:
            print_results(results, **outputs)
        else:
            print_warnings(results)

    parameters = list(_parameters(cls, variants))
    if actions is not None:
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters += [
            inspect.Parameter(action, keyword, annotation=annotation, default=None)
            for action, annotation in actions.PARAMETERS.items()
        ]
    command.__doc__ = inspect.getdoc(cls)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def add_command(group: typer.Typer, function: str) -> None:
    """The command of an analysis in a group of commands, by the last word of its name: `fit` of `prefer fit`."""
    cls = declaration(function)
    group.command(cls.NAME.split()[-1], epilog=f"Example: {cls.EXAMPLE}")(command_of(function))


Variants = Mapping[str, type[AnyAnalysis[Any]]]


def _chosen(
    cls: type[AnyAnalysis[Any]], variants: Variants, typed: Mapping[str, Any], signature: str | None
) -> type[AnyAnalysis[Any]]:
    """Which of the analyses that share a command is asked for; what it does not take is refused."""
    flags = [flag for flag in variants if typed.get(flag)]
    flags += [flag for flag, variant in variants.items() if signature and asks_for(variant, signature)]
    if len(set(flags)) > 1:
        raise UsageError(f"--{flags[0]} and --{flags[1]} ask for different analyses: say one of them")
    chosen = variants[flags[0]] if flags else cls
    for name, value in typed.items():
        if value is None or value is False or name in declared(chosen) or name in flags:
            continue
        whose = [flag for flag, variant in variants.items() if name in declared(variant)]
        if flags or not whose:
            raise UsageError(f"{_called(cls, variants, chosen)} takes no {_flag(name, cls, variants)}")
        raise UsageError(f"{_flag(name, cls, variants)} is for --{whose[0]}")
    return chosen


def _flag(name: str, cls: type[AnyAnalysis[Any]], variants: Variants) -> str:
    for analysis in (cls, *variants.values()):
        if name in declared(analysis):
            return f"--{(declared(analysis)[name][0].command or name).replace('_', '-')}"
    return f"--{name.replace('_', '-')}"


def _called(cls: type[AnyAnalysis[Any]], variants: Variants, chosen: type[AnyAnalysis[Any]]) -> str:
    flags = (f" --{flag}" for flag, variant in variants.items() if variant is chosen)
    return f"{cls.NAME}{next(flags, '')}"


def _source(
    cls: type[AnyAnalysis[Any]], chosen: type[AnyAnalysis[Any]], variants: Variants, sources: Sequence[Any]
) -> Any:
    """What the analysis reads: a path, or several by their names where it takes several."""
    if chosen.SEVERAL_SOURCES:
        return data_sets([str(source) for source in sources])
    if len(sources) > 1:
        from adjudge.cli.usage import is_measure, too_many_tables

        if measure := next(filter(is_measure, map(str, sources)), None):
            raise UsageError(f"a measure stands after -m, as -m {measure}; for example: {cls.EXAMPLE}")
        several = [flag for flag, variant in variants.items() if variant.SEVERAL_SOURCES]
        hint = f"; several data sets, as years, are for --{several[0]}" if several else ""
        called = _called(cls, variants, chosen)
        raise UsageError(f"{called} takes {too_many_tables(str(sources[1]))}{hint}")
    return sources[0]


def data_sets(texts: Sequence[str]) -> Any:
    """Data sets by their names: as said, NAME=PATH, or as their files are called; a single one needs none."""
    named: dict[str, Path] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not (sign and name and path) or Path(text).exists():
            name, path = _name_of(Path(text)), text
            if len(texts) == 1:
                return Path(text)
        if name in named:
            raise UsageError(f"two data sets are called {quoted(name)}: give them others, as NAME={path}")
        named[name] = Path(path)
    return named


def _name_of(path: Path) -> str:
    """A file's or a folder's name without what says how it is written."""
    if str(path) == "-":
        return "standard input"
    name = Path(path.resolve().name)
    if path.is_dir():
        return str(name)
    return name.with_suffix("").stem if name.suffix in PACKED else name.stem


def _asked(cls: type[AnyAnalysis[Any]], typed: Mapping[str, Any], signature: str | None) -> dict[str, Any]:
    """The options by their names: those of a signature, and over them what was typed."""
    asked = {} if signature is None else parse_options(cls, signature)
    for name, (about, kind) in declared(cls).items():
        value = typed.get(name)
        if value is not None and (value is not False or getattr(cls, name) is True):
            asked[name] = _value(value, about, kind)
    return asked


def _value(value: Any, about: Option, kind: Kind) -> Any:
    if kind == "pairs":
        from adjudge.cli.sources import columns_of

        return columns_of(value)
    if about.words and isinstance(value, str) and value not in about.words:
        try:
            return int(value) if kind == "whole number" else float(value)
        except ValueError:
            return value  # which is refused with what is expected
    return value


def _results(cls: type[AnyAnalysis[Any]], asked: dict[str, Any], source: Any) -> list[Result]:
    """The results, as many as the command runs the analysis for."""
    from adjudge.data.reading import reading_once

    working = progress(cls.WORK) if cls.WORK else nullcontext(silent)
    with reading_once(), working as told:  # analyses only look
        wanted = cls(**asked, progress=told)
        scores: Any = None if source is None else wanted.read(source)
        results = list(_run_each(wanted, scores))
        for one in scores.values() if isinstance(scores, Mapping) else filter(None, (scores,)):
            if issubclass(cls, Analysis):
                parts = [part for result in results for part in parts_of(result)]
                warn_of_judges(one, dict.fromkeys(name for part in parts for name in part.measures_used))
        return results


def _run_each(wanted: AnyAnalysis[Any], scores: Any) -> Iterator[Result]:
    """The results; some analyses leave out measures that they cannot take, where none was named."""
    analyses = wanted.to_run(scores)
    lenient = wanted.LEAVES_OUT_REFUSED and not getattr(wanted, "measure", None)
    refused: list[AdjudgeError] = []
    for one in analyses:
        try:
            yield one.run(scores)
        except AdjudgeError as error:
            if not lenient:
                raise
            refused.append(error)
    if refused and len(refused) == len(analyses):
        raise refused[0]
    for why in refused:
        warn(f"left out: {why.text}")


def _parameters(cls: type[AnyAnalysis[Any]], variants: Variants) -> Iterable[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY

    def option(name: str, analysis: type[AnyAnalysis[Any]], panel: str = "") -> inspect.Parameter:
        about, kind = declared(analysis)[name]
        default = next(f.default for f in fields(analysis) if f.name == name)
        about = replace(about, panel=about.panel or panel)
        annotation = options.annotation_of(name, about, kind, default)
        off = kind in ("switch", "switch or texts") and not default
        return inspect.Parameter(name, keyword, annotation=annotation, default=False if off else None)

    source: Any = options.Scores
    if not issubclass(cls, Analysis):
        called, what = cls.SOURCE
        source = Annotated[
            Path,
            typer.Argument(metavar=called.upper(), help=f"{what[0].upper()}{what[1:]}.", show_default=False),
        ]
    needed = inspect.Parameter("scores", keyword, annotation=source)
    yield needed.replace(default=None) if cls.SCORES_OPTIONAL else needed
    if any(analysis.SEVERAL_SOURCES for analysis in (cls, *variants.values())):
        yield inspect.Parameter("more", keyword, annotation=MORE, default=None)
    for name, (about, _) in declared(cls).items():
        if not about.by_name:
            continue
        yield option(name, cls)
        if name == "lower_is_better":
            yield inspect.Parameter("lower", keyword, annotation=options.LowerNames, default=None)
    taken = set(declared(cls))
    for flag, variant in variants.items():
        if flag in declared(variant):
            yield option(flag, variant, panel=f"With --{flag}")
        else:
            help_text = (variant.__doc__ or "").partition("\n")[0]
            switch = Annotated[bool, typer.Option(f"--{flag}", help=help_text, rich_help_panel=ADVANCED)]
            yield inspect.Parameter(flag, keyword, annotation=switch, default=False)
        taken.add(flag)
        for name, (about, _) in declared(variant).items():
            if about.by_name and name not in taken:
                yield option(name, variant, panel=f"With --{flag}")
                taken.add(name)
    for name, (annotation, default) in OUTPUTS.items():
        if (name != "methods" or cls.METHODS) and (name != "out" or cls.PAGE):
            yield inspect.Parameter(name, keyword, annotation=annotation, default=default)


def parts_of(result: Result) -> Sequence[Result]:
    """The results that are shown one below the other."""
    return result.results if isinstance(result, Results) else [result]


def print_results(
    results: Sequence[Result],
    *,
    table: Sequence[str] | None = None,
    json: bool = False,
    csv: Path | None = None,
    latex: bool = False,
    markdown: bool = False,
    methods: bool = False,
    done: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Results as CSV, JSON, LaTeX or Markdown, or for people; notes go to standard error, each once.

    `done` is what JSON says besides.
    """
    if latex and markdown:
        raise UsageError("--latex and --markdown print the same table: choose one")
    parts = [part for result in results for part in parts_of(result)]
    if csv is not None:
        name = table[0] if table else parts[0].csv_table
        write_text(joined([part.rows_of(name) for part in parts]).to_csv(), csv)
    shown = [part.only(table) if table else part for part in parts]
    if json:
        show_json([{**part.as_dict(), **done} for part in shown])
    elif latex or markdown or methods:
        texts, paragraphs = [], []
        for result in results:
            one = result.only(table) if table else result
            texts += [one.to_latex()] if latex else [one.to_markdown()] if markdown else []
            if methods and (paragraph := result.methods()) is not None:
                texts.append(paragraph.in_markdown if markdown else paragraph.latex)
                paragraphs.append(paragraph)
        if paragraphs:  # what they cite, each work once
            every = paragraphs[0].and_of(paragraphs[1:])
            texts.append(every.references_in_markdown() if markdown else every.bibtex)
        print("\n\n".join(texts))
    elif csv is None:
        for number, part in enumerate(shown):
            if number:
                print()
            if isinstance(part, Parts):
                show_parts(part)
            else:
                show_one(part)
        for result in results:
            if isinstance(result, Results) and (lines := result.joint("command")):
                print()
                for line in lines:
                    say(line)
    print_warnings(results)


def print_warnings(results: Sequence[Result]) -> None:
    """Each note once."""
    for line in dict.fromkeys(warnings_of(results, "command")):
        warn(line)


def show_one(result: Result) -> None:
    """The tables, a picture of letters, and what is said.

    Where several tables speak for themselves, the headline comes first, and each says its own below it.
    """
    sentences = list(result.sentences("command"))
    with_rows = [table for table in result.all_tables if table.rows] or result.all_tables[:1]
    tables = [(table, list(result.about(table.name, "command"))) for table in with_rows]
    told: set[str] = set()
    several = len(tables) > 1 and any(lines for _, lines in tables)
    if several and not result.ROWS_SAY_ALL:
        say(sentences[0], "bold")
        print()
        told.add(sentences[0])
    for number, (table, lines) in enumerate(tables):
        if number:
            print()
        name = f" ({table.name})" if several else ""
        if table.title:
            say(f"{table.title}{name}", "bold")
        show(replace(table, title="", rows=table.rows[: table.first]))
        if table.first is not None and len(table.rows) > table.first:
            say(f"and {counted(len(table.rows) - table.first, 'other row')}; --csv writes them all")
        for sentence in lines if several or result.ROWS_SAY_ALL else ():
            if sentence not in told:
                say(sentence)
                told.add(sentence)
    drawn = result.drawn()
    if isinstance(drawn, str) and drawn:
        print(drawn)
    elif drawn:
        say_pieces(drawn)
    if len(tables) > 1 and set(sentences) - told and not result.ROWS_SAY_ALL:
        print()
    for sentence in () if result.ROWS_SAY_ALL else sentences:
        if sentence not in told:
            say(sentence)
    say_signature(result.signature)


def show_parts(result: Parts) -> None:
    """Every part that was asked for with its tables, of others what they say; then the tables of the main one."""
    if result.title:
        say(result.title, "bold")
    if (summary := result.summed_up) is not None:
        show_first(summary)
        print()
        others = ", ".join(name for name in result.QUESTIONS if name != result.FIRST)
        say(f"--part NAME shows more: {others}; -o FOLDER writes all as a page, LaTeX and CSV", "dim")
        say_signature(result.signature)
        return
    for name, part in result.parts_shown().items():
        say(result.QUESTIONS[name], "bold")
        if name == result.FIRST and not result.picked:
            show_first(part)
        elif result.picked or name in result.in_full:
            show_one(part)
        else:
            lines = list(part.sentences("command"))
            for line in lines[:MOST_SENTENCES]:
                say(f"- {line}")
            if len(lines) > MOST_SENTENCES:
                say(f"- and {len(lines) - MOST_SENTENCES} more: --part {name}")
        print()
    if result.in_short:
        for table in result.parts[result.MAIN].all_tables if result.MAIN in result.parts else ():
            say(table.title, "bold")
            show(replace(table, title=""))
            print()
    say_signature(result.signature)
    if result.in_short:
        say("--part NAME shows the tables of a part, -o FOLDER writes all as a page, LaTeX and CSV", "dim")


def show_first(summary: Result) -> None:
    """What sums the others up: its sentences, then its table."""
    for sentence in summary.sentences("command"):
        say(sentence)
    for table in summary.all_tables:
        print()
        say(table.title, "bold")
        show(replace(table, title="", rows=table.rows[: table.first]))
        if table.first is not None and len(table.rows) > table.first:
            say(f"and {counted(len(table.rows) - table.first, 'other row')}: --table {table.name} --csv FILE")
