"""Results as ROUGE-1.5.5 prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cmp_to_key
from pathlib import Path

from adjudge.errors import UsageError
from adjudge.formats.rouge155 import DEFAULT_SYSTEM, Files, read_list, read_settings
from adjudge.measures.rouge155.evaluate import Result, Say, evaluate
from adjudge.measures.rouge155.options import Options

_RULE, _DOTS = "-" * 45, "." * 45
_NUMBER = re.compile(r"[0-9]+")


def run(
    settings: Path,
    options: Options,
    *,
    system: str | None = None,
    every: bool = False,
    form: str | None = None,
    root: Path | None = None,
    warn: Say = lambda text: None,
) -> Iterator[str]:
    """The lines that the original prints for a settings file, or with `form` for a list of files."""
    files = Files(settings, root)
    if form is not None:
        name = system or DEFAULT_SYSTEM
        yield from lines(evaluate(read_list(settings, form, name), files, options, name, warn), options)
        return
    if system is None and not every:
        raise UsageError("whose summaries? Give a system's ID after the settings, or -a for all")
    chosen = None if every else system
    yield from lines(evaluate(read_settings(settings), files, options, chosen, warn), options)


def lines(results: Iterator[Result], options: Options) -> Iterator[str]:
    for result in results:
        name = f"{result.peer} {result.measure}"
        yield _RULE
        if result.intervals is None:
            models, peers, hits = map(int, result.totals)
            yield f"{name} M_count: {models} P_count: {peers} H_count: {hits}"
        else:
            for letter, i in zip("RPF", result.intervals, strict=True):
                around = f"({options.confidence}%-conf.int. {i.low:.5f} - {i.high:.5f})"
                yield f"{name} Average_{letter}: {i.average:.5f} {around}"
        if options.details:
            yield _DOTS
            shown = "{:.15g}" if options.count else "{:.5f}"
            for trial in sorted(sorted(result.trials), key=cmp_to_key(_in_order)):
                r, p, f = map(shown.format, result.trials[trial])
                yield f"{name} Eval {trial} R:{r} P:{p} F:{f}"


def _in_order(a: str, b: str) -> int:
    """By the number at the start where both have one, else by text."""
    first, second = _NUMBER.match(a), _NUMBER.match(b)
    if first and second:
        x, y = float(first[0]), float(second[0])
        return (x > y) - (x < y)
    return (a > b) - (a < b)
