"""Measures by name: the built-in ones, and those that installed packages register."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from importlib.metadata import entry_points
from typing import Any

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.measures.base import Make, Measure
from adjudge.measures.bleu import Bleu, Chrf, Ter
from adjudge.measures.describe import (
    GRAM_SIZES,
    Compression,
    FragmentCoverage,
    FragmentDensity,
    Novel,
    Repeated,
    Sentences,
    Words,
)
from adjudge.measures.divergence import JensenShannon, KullbackLeibler, SourceCosine
from adjudge.measures.embedding import Embedding
from adjudge.measures.extracts import Extract
from adjudge.measures.judged.coverage import (
    AdjustedCoverage,
    Coverage,
    CoverageByLevel,
    LevelWeightedCoverage,
    Recall,
    Retention,
    Uncovered,
    Unmarked,
)
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.pyramid import PyramidScore, PyramidUnits
from adjudge.measures.judged.quality import Quality, QualityErrors
from adjudge.measures.judged.rating import Rating
from adjudge.measures.judged.wins import Wins
from adjudge.measures.nams import Nams
from adjudge.measures.plugin import registered
from adjudge.measures.presets import PRESETS, is_pattern, matching, written_out
from adjudge.measures.rouge.elements import RougeBe
from adjudge.measures.rouge.family import ROUGE_NAMES, find_rouge
from adjudge.measures.spec import build, judge_of, same_name, split_spec
from adjudge.measures.synonyms import meant

GROUP = "adjudge.measures"


BUILT_IN: dict[str, Make] = {
    **ROUGE_NAMES,
    "rouge-be": RougeBe,
    "bleu": Bleu,
    "chrf": Chrf,
    "ter": Ter,
    "embedding": Embedding,
    "nams": Nams,
    "js": JensenShannon,
    "kl": KullbackLeibler,
    "source-cosine": SourceCosine,
    "extract": Extract,
    "words": Words,
    "sentences": Sentences,
    "compression": Compression,
    **{f"novel-{n}": partial(Novel, n=n) for n in GRAM_SIZES},
    **{f"repeated-{n}": partial(Repeated, n=n) for n in GRAM_SIZES},
    "fragment-coverage": FragmentCoverage,
    "fragment-density": FragmentDensity,
    "recall": Recall,
    "retention": Retention,
    "coverage": Coverage,
    "length-adjusted-coverage": AdjustedCoverage,
    "uncovered": Uncovered,
    "coverage-by-level": CoverageByLevel,
    "level-weighted-coverage": LevelWeightedCoverage,
    "unmarked": Unmarked,
    "quality": Quality,
    "quality-errors": QualityErrors,
    "rating": Rating,
    "pyramid": PyramidScore,
    "pyramid-units": PyramidUnits,
    "preference": Preference,
    "wins": Wins,
}


@cache
def registry() -> dict[str, Make]:
    """All measures: the built-in ones, then those that installed packages register."""
    return registered(BUILT_IN, entry_points(group=GROUP), reserved=PRESETS)


def parse_measure(text: str) -> Measure:
    """`rouge-2(stat=f)` as a measure; unknown names are answered with the nearest known ones."""
    try:
        name, options = split_spec(text)
        return build(_find(name), name, options)
    except UsageError:
        if instead := _rewritten(text):
            raise UsageError(f"{quoted(text)} is not a measure: write {instead}") from None
        raise


def _rewritten(text: str) -> str | None:
    """A spec, or several, that was written in another form: `rouge-2[stat=f]`, `rouge-2(f)`, `rouge-1 rouge-2`."""
    makes = registry()
    words = text.split()
    if len(words) > 1 and all(same_name(word, makes) for word in words):
        return f"a comma between measures: {','.join(words)}"
    plain = text.casefold()
    name = max((candidate for candidate in makes if plain.startswith(candidate)), key=len, default=None)
    if name is None:
        return None
    rest = text[len(name) :]
    if rest[:1].isalnum() and "=" not in rest:
        return None
    options = [f"{key}={value}" for key, value in _OPTION.findall(rest)]
    if not options and (option := _option_of(makes[name], rest.strip(" ()[]{}:"))):
        options = [option]
    instead = f"{name}({', '.join(options)})"
    if not options or instead == text:
        return None
    try:
        build(makes[name], *split_spec(instead))
    except UsageError:
        return None
    return f'it "{instead}", in quotes'


_OPTION = re.compile(r"([a-z_]+) *= *([^\s,()\[\]{}]+)")


def _option_of(make: Make, value: str) -> str | None:
    """The one option that has this choice."""
    choices: Any = getattr(make, "func", make)
    keys = [key for key, allowed in choices.OPTIONS.items() if allowed and value in allowed]
    return f"{keys[0]}={value}" if len(keys) == 1 else None


def _find(name: str) -> Make:
    """What makes the measure of this name, without regard to case."""
    makes = registry()
    if key := same_name(name, makes):
        return makes[key]
    if make := find_rouge(name.lower()):  # rouge-s7: any number may take the place of the one that is listed
        return make
    if ":" in name:
        raise UsageError(f"{quoted(name)} names imported scores: they are there or not, never computed here")
    if preset := same_name(name, PRESETS):
        raise UsageError(f"{preset} stands for several measures, expected one: {', '.join(PRESETS[preset])}")
    if advice := meant(name):
        raise UsageError(f"no measure {quoted(name)}: {advice}")
    hint = nearest(name.lower(), [*makes, *PRESETS])
    raise UsageError(f"no measure {quoted(name)}{hint}; list them with: adjudge measures")


def parse_measures(texts: str | Iterable[str]) -> list[Measure]:
    """Several specs, each once; a preset or a pattern stands for its measures, `stat=all` for three."""
    specs = []
    for text in written_out(texts):
        names = matching(text, registry()) if is_pattern(text) else [text]
        if not names:
            raise UsageError(f"no measure is called {quoted(text)}; list them with: adjudge measures")
        specs += names
    return list(dict.fromkeys(measure for spec in specs for measure in parse_measure(spec).expanded()))


def is_published(spec: str) -> bool:
    """Whether a measure is a known one, computed here or elsewhere; nobody's formula, plug-in, judge or new measure."""
    source, colon, name = spec.partition(":")
    try:
        name = split_spec(name if colon and "(" not in source else spec)[0]
    except UsageError:
        return False
    return judge_of(spec) is None and (same_name(name, BUILT_IN) is not None or meant(name) is not None)


def titled(spec: str, *, one_reference: bool = False) -> str:
    """What tables call a measure: `ROUGE-2 F, best reference`; of imported scores, `coherence (expert)`.

    Where every text has one reference, nothing is said of what is made of several.
    """
    source, colon, name = spec.partition(":")
    if colon and "(" not in source:
        return f"{name} ({source})"
    try:
        measure = parse_measure(spec)
        return measure.title_of_one_reference() if one_reference else measure.title
    except UsageError:  # of a plug-in that is not installed
        return spec
