"""Measures by name. Built-ins and extensions come in through the same door."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.metadata import entry_points

from adjudge.errors import UsageError, nearest, quoted
from adjudge.measures.base import Measure
from adjudge.measures.rouge import ROUGE_N, RougeN
from adjudge.measures.spec import build, split_spec
from adjudge.measures.words import Words

GROUP = "adjudge.measures"

Make = Callable[..., Measure]

BUILT_IN: dict[str, Make] = {
    **{f"rouge-{n}": partial(RougeN, n=n) for n in ROUGE_N},
    "words": Words,
}


@cache
def registry() -> dict[str, Make]:
    """All measures: the built-in ones, then those that installed packages register."""
    found = dict(BUILT_IN)
    for entry in entry_points(group=GROUP):
        if entry.name in found:
            raise UsageError(
                f"the package that registers the measure {quoted(entry.name)} clashes with another"
            )
        found[entry.name] = entry.load()
    return found


def parse_measure(text: str) -> Measure:
    """`rouge-2(stat=f)` as a measure; unknown names are answered with the nearest known ones."""
    name, options = split_spec(text)
    known = registry()
    if name not in known:
        if ":" in name:
            raise UsageError(
                f"{quoted(name)} names imported scores: they are there or not, never computed here"
            )
        raise UsageError(f"no measure {quoted(name)}{nearest(name, known)}; list them with: adjudge measures")
    return build(known[name], name, options)


def parse_measures(texts: Iterable[str]) -> list[Measure]:
    """Several specs, each once."""
    return list(dict.fromkeys(parse_measure(text) for text in texts))
