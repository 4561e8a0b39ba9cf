"""How to get a report again: the commands. Knows what they are called, runs none."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison


def commands(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """To be given in the evaluation's folder. Comparisons made in the same way share a line."""
    scored = dict.fromkeys(c.measure for c in comparisons if not _imported(c.measure))
    found = [f"adjudge score .{_measures(scored)}"] if scored else []
    lengths = {comparison.matrix.length for comparison in comparisons}
    length = f" --length {lengths.pop()}" if len(lengths) == 1 and None not in lengths else ""
    alike: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        alike.setdefault(_options(comparison), {})[comparison.measure] = None
    return (*found, *(f"adjudge report .{_measures(m)}{length}{options}" for options, m in alike.items()))


def _measures(measures: Iterable[str]) -> str:
    return "".join(f" -m {_quoted(measure)}" for measure in measures)


def _options(comparison: Comparison) -> str:
    """The seed, and what is not as it would be anyway; some of that can be asked for in Python only."""
    from adjudge.comparisons.tests import Choices

    asked, usual = comparison.choices, Choices()
    changed = {
        f.name: getattr(asked, f.name)
        for f in fields(asked)
        if f.name != "seed" and getattr(asked, f.name) != getattr(usual, f.name)
    }
    options = "".join(f" --{k} {changed.pop(k)}" for k in ("test", "correct") if k in changed)
    rest = ", ".join(f"{k}={v}" for k, v in changed.items())
    return f"{options} --seed {asked.seed}{f'  # and, in Python: {rest}' if rest else ''}"


def _imported(measure: str) -> bool:
    """Scores made elsewhere have a colon in their name: there is nothing to run for them."""
    return ":" in measure.partition("(")[0]


def _quoted(measure: str) -> str:
    """In double quotes, which every shell knows, where that is safe."""
    return shlex.quote(measure) if set(measure) & set('"$`\\!%') else f'"{measure}"'
