"""ROUGE by name: the specs of this family alone. All measures, and extensions, are registry.py's.

Looking a ROUGE up here loads neither the other measures nor what is installed besides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from adjudge.measures.base import Measure
from adjudge.measures.rouge.family import Rouge, RougeL, RougeLines, RougeN, RougeS, RougeW
from adjudge.measures.spec import build, split_spec

Make = Callable[..., Measure]

NAMES: dict[str, Make] = {
    **{f"rouge-{n}": partial(RougeN, n=n) for n in range(1, 10)},
    "rouge-l": RougeL,
    "rouge-lsum": RougeLines,
    "rouge-w": RougeW,
    "rouge-s4": partial(RougeS, skip=4),
    "rouge-su4": partial(RougeS, skip=4, unigrams=True),
    "rouge-s*": partial(RougeS, skip=-1),
    "rouge-su*": partial(RougeS, skip=-1, unigrams=True),
}
_ANY_SKIP = re.compile(r"rouge-s(u?)(\d{1,4})")


def find(name: str) -> Make | None:
    """What makes the ROUGE of this name, where it is one."""
    if match := _ANY_SKIP.fullmatch(name):
        return partial(RougeS, skip=int(match[2]), unigrams=bool(match[1]))
    return NAMES.get(name)


def parse(specs: Sequence[str]) -> list[Rouge] | None:
    """The measures of these specs, each once; None where one is not a ROUGE's."""
    split = [split_spec(spec) for spec in specs]
    makes = [find(name) for name, _ in split]
    if None in makes:
        return None
    built = (build(make, *spec) for make, spec in zip(makes, split, strict=True) if make)
    return cast(list[Rouge], list(dict.fromkeys(each for measure in built for each in measure.expanded())))
