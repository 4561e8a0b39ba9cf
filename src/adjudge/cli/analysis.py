"""Commands made from declarations of analyses: their options, their help, and how results are printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.analyses import declaration
from adjudge.analyses.base import Analysis
from adjudge.cli import options
from adjudge.cli.completion import complete_measures, complete_systems
from adjudge.cli.output import not_over, say, show, show_json, warn, write_csv
from adjudge.core.errors import UsageError
from adjudge.core.options import READING, Kind, Option, declared, parse_options
from adjudge.core.results import Result

COMPLETION: Mapping[str, Callable[..., list[str]]] = {
    "measure": complete_measures,
    "system": complete_systems,
}
TYPES: Mapping[Kind, Any] = {
    "text": str | None,
    "whole number": int | None,
    "number": float | None,
    "switch": bool,
    "texts": list[str] | None,
    "pairs": list[str] | None,
    "switch or texts": bool,
}
LOWER = Annotated[
    list[str] | None,
    typer.Option(
        "--lower",
        metavar="A,B,...",
        help="Measures of which lower scores are better. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
OUTPUTS: Mapping[str, tuple[Any, Any]] = {
    "signature": (
        Annotated[
            str | None,
            typer.Option(
                "--signature",
                metavar="TEXT",
                help="Ask for what a signature says; options that are typed come before it.",
                rich_help_panel="Advanced",
                show_default=False,
            ),
        ],
        None,
    ),
    "table": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--table",
                metavar="NAME",
                help="Only this table; may be repeated. --csv writes the first.",
                rich_help_panel="Advanced",
                show_default=False,
            ),
        ],
        None,
    ),
    "json": (options.Json, False),
    "csv": (options.Csv, None),
    "latex": (options.Latex, False),
    "markdown": (options.Markdown, False),
}
"""What every analysis can be printed as."""


def command_of(name: str) -> Callable[..., None]:
    """The command of an analysis, with an option for each of its own."""
    cls = declaration(name)

    def command(**typed: Any) -> None:
        outputs = {output: typed.pop(output) for output in OUTPUTS}
        source = typed.pop("scores")
        not_over(outputs["csv"], source)
        lower = tuple(typed.pop("lower", None) or ())
        asked = _asked(cls, typed, outputs.pop("signature"))
        if lower:
            if asked.get("lower_is_better"):
                raise UsageError("--lower-is-better is for all measures, --lower for some: say one of them")
            asked["lower_is_better"] = lower
        _print(_results(cls, asked, source), **outputs)

    command.__doc__ = inspect.getdoc(cls)
    command.__signature__ = inspect.Signature(list(_parameters(cls)))  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in _parameters(cls)}
    return command


def _asked(cls: type[Analysis[Any]], typed: Mapping[str, Any], signature: str | None) -> dict[str, Any]:
    """The options by their names: those of a signature, and over them what was typed."""
    asked = {} if signature is None else parse_options(cls, signature)
    for name, (about, kind) in declared(cls).items():
        value = typed.get(name)
        if value is not None and value is not False:
            asked[name] = _value(value, about, kind)
    return asked


def _value(value: Any, about: Option, kind: Kind) -> Any:
    if kind == "pairs":
        from adjudge.cli.imports import columns_of

        return columns_of(value)
    if about.words and isinstance(value, str) and value not in about.words:
        try:
            return int(value) if kind == "whole number" else float(value)
        except ValueError:
            return value  # which is refused with what is expected
    return value


def _results(cls: type[Analysis[Any]], asked: dict[str, Any], source: Any) -> list[Result]:
    """The results, as many as the command runs the analysis for."""
    from adjudge.data.reading import reading_once

    with reading_once():  # analyses only look
        wanted = cls(**asked)
        scores = wanted.read(source)
        if cls.RUNS == "once":
            return [wanted.run(scores)]
        if cls.RUNS == "measure":
            return [
                replace(wanted, measure=name).run(scores) for name in scores.resolved(wanted.measure or ())
            ]
        targets = scores.each(wanted.measure or (), length=wanted.length, form=wanted.form)
        return [
            replace(wanted, measure=measure, length=length, form=form).run(scores)
            for measure, length, form in targets
        ]


def _parameters(cls: type[Analysis[Any]]) -> Iterable[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    yield inspect.Parameter("scores", keyword, annotation=options.Scores)
    defaults = {f.name: f.default for f in fields(cls)}
    for name, (about, kind) in declared(cls).items():
        if not about.by_name:
            continue
        default = defaults[name]
        yield inspect.Parameter(
            name,
            keyword,
            annotation=_annotation(name, about, kind, default),
            default=False if kind in ("switch", "switch or texts") else None,
        )
        if name == "lower_is_better":
            yield inspect.Parameter("lower", keyword, annotation=LOWER, default=None)
    for name, (annotation, default) in OUTPUTS.items():
        yield inspect.Parameter(name, keyword, annotation=annotation, default=default)


def _annotation(name: str, about: Option, kind: Kind, default: Any) -> Any:
    flag = f"--{(about.command or name).replace('_', '-')}"
    flags = [f"-{about.short}", flag] if about.short else [flag]
    repeated = " May be repeated." if kind in ("texts", "pairs") else ""
    limits = f" {about.limits[0].upper()}{about.limits[1:]}." if about.choices else ""
    shown = "" if default in (None, (), False) else str(default)
    return Annotated[
        str | None if about.words else TYPES[kind],
        typer.Option(
            *flags,
            help=f"{about.help}{limits}{repeated}",
            metavar=about.metavar or None,
            show_default=about.unset or shown or False,
            rich_help_panel=about.panel or None,
            autocompletion=COMPLETION.get(about.of or ""),
        ),
    ]


def _print(
    results: Sequence[Result],
    *,
    table: Sequence[str] | None,
    json: bool,
    csv: Path | None,
    latex: bool,
    markdown: bool,
) -> None:
    """Results as CSV, JSON, LaTeX or Markdown, or for people; notes go to standard error, each once."""
    results = [result.only(table) if table else result for result in results]
    if csv is not None:
        import pandas as pd

        write_csv(pd.concat([result.to_frame() for result in results]), csv)
    if json:
        show_json([result.as_dict() for result in results])
    elif latex:
        print("\n\n".join(result.to_latex() for result in results))
    elif markdown:
        print("\n\n".join(result.to_markdown() for result in results))
    elif csv is None:
        for number, result in enumerate(results):
            if number:
                print()
            _show(result)
    for line in dict.fromkeys(line for result in results for line in result.warnings("command")):
        warn(line)


def _show(result: Result) -> None:
    """The tables, a picture of letters, and what is said."""
    for number, table in enumerate(result.all_tables):
        if number:
            print()
        if table.title:
            say(table.title, "bold")
        show(replace(table, title=""))
    if drawn := result.drawn():
        print(drawn)
    if len(result.all_tables) > 1:
        print()
    for sentence in result.sentences("command"):
        say(sentence)
    say(result.signature, "dim")
