"""Sets of measures under one name, written out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from adjudge.measures.spec import same_name, split_specs

PRESETS: dict[str, tuple[str, ...]] = {
    # ROUGE-1.5.5 -c 95 -r 1000 -n 2 -2 4 -u -m -l 100, as TAC ran it
    "tac": tuple(
        f"{name}(limit=100w)" for name in ("rouge-1-recall", "rouge-2-recall", "rouge-l-recall", "rouge-su4")
    ),
    # RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True).score_multi
    "rouge-score": ("rouge-1", "rouge-2", "rouge-l", "rouge-lsum"),
    "lin-hovy-2002": (
        *("recall", "retention", "coverage"),
        *(f"nams(weights={w}, stem={s})" for s in ("none", "lovins", "porter") for w in ("c1", "c2", "c3")),
    ),
    "duc-2002": ("coverage", "length-adjusted-coverage", "uncovered", "unmarked", "quality-errors"),
    "rankel-2011": ("rating", "pyramid", "rouge-2-recall(limit=100w)", "rouge-su4(limit=100w)"),
    "zopf-2018": ("js", *(f"rouge-{n}-recall" for n in range(1, 5)), "rouge-su4", "pyramid", "preference"),
}
ABOUT = {
    "tac": "recall as TAC and DUC ran ROUGE-1.5.5: stemmed, first 100 words",
    "rouge-score": "F as rouge-score gives it: its stemmer, best reference; the default",
    "lin-hovy-2002": "Lin and Hovy 2002: what people marked, and NAMS with its three weightings and stemmers",
    "duc-2002": "Over and Liggett 2002: coverage, also adjusted for length, unmarked units and quality questions",
    "rankel-2011": "Rankel and others 2011: responsiveness and other ratings, pyramid, ROUGE-2 and SU4 recall",
    "zopf-2018": "Zopf 2018: JS, ROUGE-1 to 4 and SU4 recall, pyramid and preferences of sentences",
}
PAPERS = ("lin-hovy-2002", "duc-2002", "rankel-2011", "zopf-2018")
"""Presets of papers: of these, what cannot be had here is left out."""
_DUC_TOPIC = re.compile(r"D(\d{3,5}[A-Z]{0,2}|\d{2}[A-Z])(-[A-Z])?", re.IGNORECASE)
USUAL = PRESETS["rouge-score"]
"""What `score` and `rouge` choose where no measure is named: what the field reports."""


def written_out(texts: str | Iterable[str]) -> list[str]:
    """Specs, one or several in a text: split at commas, presets replaced by what they stand for."""
    specs: list[str] = []
    for text in split_specs(texts):
        preset = same_name(text, PRESETS)
        specs += PRESETS[preset] if preset else [text]
    return specs


def is_pattern(text: str) -> bool:
    """Whether a text stands for several names: `nams*`. The star of `rouge-su*` is a name's own."""
    return "*" in text and not re.fullmatch(r"rouge-su?\*(\(.*\))?", text.strip(), re.IGNORECASE)


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern such as `nams*` stands for, without regard to case."""
    return [name for name in names if fnmatchcase(name.casefold(), pattern.casefold().replace("[", "[[]"))]


def advice(topics: Collection[str]) -> tuple[str, ...]:
    """What somebody who named no measure should know of these topics: DUC's and TAC's are reported in another way."""
    if topics and all(_DUC_TOPIC.fullmatch(topic) for topic in topics):
        return (
            "topics are named as DUC's and TAC's are: ROUGE as they ran it is -m tac (recall, first 100 words)",
        )
    return ()
