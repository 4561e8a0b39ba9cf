"""What commands that compare share: where scores come from, and how a result is shown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import adjudge
from adjudge.cli import options
from adjudge.cli.output import not_over, warn
from adjudge.core.errors import ClashError, DataError, UsageError, quoted
from adjudge.data.layout import SETTINGS
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.evaluation import Evaluation


L = TypeVar("L")

KINDS: Mapping[str, tuple[Any, Any]] = {
    "human": (options.Human, None),
    "baseline": (options.Baseline, None),
    "lower_is_better": (options.Lower, False),
}
TABLE: Mapping[str, tuple[Any, Any]] = {
    "mapped": (options.Map, None),
    "delimiter": (options.Delimiter, None),
    "encoding": (options.Encoding, "utf-8"),
    "decimal": (options.Decimal, None),
    "transpose": (options.Transpose, False),
    "leave_out": (options.LeaveOut, None),
    "assessors": (options.Assessors, None),
    "lower": (options.LowerNames, None),
    "topics": (options.Topics, None),
    "without": (options.Without, None),
}
"""The options that say how to read a table, and whose scores to leave out, with their defaults."""


def takes_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `KINDS` where it takes `table`, and those of `TABLE` last; `table` holds them."""

    @wraps(command)
    def with_options(*args: Any, **arguments: Any) -> None:
        from adjudge.data.reading import reading_once
        from adjudge.formats.scoretable import TableOptions

        typed = {name: arguments.pop(name) for name in (*KINDS, *TABLE)}
        typed["columns"] = columns_of(typed.pop("mapped"))
        if arguments["scores"] is not None:
            not_over(arguments.get("csv"), arguments["scores"])
        for name in ("leave_out", "assessors", "topics", "without", "human", "baseline"):
            typed[name] = tuple(typed[name] or ())
        typed["lower_is_better"] = (
            lower_of(typed["lower_is_better"], tuple(typed.pop("lower") or ())) or False
        )
        with reading_once():  # such commands only look
            command(*args, **arguments, table=TableOptions(**typed))

    command.__annotations__.pop("table")  # Typer knows the other types
    signature = inspect.signature(command, eval_str=True)
    shown: dict[str, tuple[Any, Any]] = {}
    for parameter in signature.parameters.values():
        declared = {parameter.name: (parameter.annotation, parameter.default)}
        shown |= KINDS if parameter.name == "table" else declared
    shown |= TABLE
    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, (kind, default) in shown.items()
        ]
    )
    with_options.__annotations__ = {name: kind for name, (kind, _) in shown.items()}
    return with_options


def open_judged(path: Path, advice: str) -> Evaluation:
    """An evaluation that has a store; one is not made only to find nothing in it."""
    e = adjudge.open(path)
    if not e.has_judgments:
        raise DataError(f"{path}: {advice}")
    return e


def lower_of(every: bool, names: L) -> bool | L:
    """Of which measures lower scores are better: of all, or of those that are named."""
    if every and names:
        raise UsageError("--lower-is-better is for all measures, --lower for some: say one of them")
    return every or names


def length_of(text: str | None) -> int | Literal["all"] | None:
    """A number of words, or all."""
    if text is None or text == "all":
        return "all" if text else None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--length is {quoted(text)}, expected a number of words or all")
    return int(text)


def warn_of(scores: Scores, measures: Iterable[str]) -> None:
    """What a reader of these measures should know first, each thing once."""
    shown = dict.fromkeys(measures)
    for line in dict.fromkeys(line for measure in shown for line in scores.notes(measure, door="command")):
        warn(line)
    warn_of_judges(scores, shown)


def warn_of_judges(scores: Scores, measures: Collection[str]) -> None:
    """What a program is worth whose judgments were analysed, and what cannot be had without some assessors."""
    if any(map(judge_of, measures)):
        from adjudge.analyses.judges.result import verdicts_on

        for line in verdicts_on(scores, measures):
            warn(line)
    if scores.refused and set(measures) >= set(scores.measures):  # whoever names measures is told of those
        for why in scores.refusals():
            warn(why)


def check_page_outputs(
    out: Path | None, csv: Path | None, *, json: bool, latex: bool, markdown: bool
) -> None:
    """Say before the work what could not be printed or written after it."""
    flags = {"--json": json, "--latex": latex, "--markdown": markdown, "--csv -": str(csv) == "-"}
    printed = [name for name, there in flags.items() if there]
    if len(printed) > 1:
        raise UsageError(f"{printed[0]} and {printed[1]} both print: say one of them")
    if out is not None and (out / SETTINGS).exists():
        raise UsageError(f"{out} is an evaluation, and a page has a folder of its own: say -o page")
    if out is not None and out.exists() and not out.is_dir():
        raise ClashError(f"{out}: is a file, expected a folder or nothing")
    if csv is not None and str(csv) != "-" and not csv.parent.is_dir():
        raise DataError(f"{csv}: no such folder")


def columns_of(mapped: list[str] | None) -> dict[str, str]:
    """FIELD=COLUMN, as often as it was given."""
    columns: dict[str, str] = {}
    for pair in mapped or ():
        field, equals, column = pair.partition("=")
        if not (field and equals):
            raise UsageError(f"--map is {quoted(pair)}, expected FIELD=COLUMN such as text=decoded")
        if field in columns:
            raise UsageError(f"--map gives {quoted(field)} twice")
        columns[field] = column
    return columns
