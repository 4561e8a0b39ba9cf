"""Sets of measures under one name, written out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from adjudge.measures.spec import same_name, split_specs

PRESETS: dict[str, tuple[str, ...]] = {
    # ROUGE-1.5.5 -c 95 -r 1000 -n 2 -2 4 -u -m -l 100, as TAC ran it
    "tac": tuple(f"{name}(limit=100w)" for name in ("rouge-1", "rouge-2", "rouge-l", "rouge-su4")),
    # RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True).score_multi
    "rouge-score": tuple(
        f"{name}(stat=f, stem=porter-nltk, refs=max{more})"
        for name, more in (
            ("rouge-1", ""),
            ("rouge-2", ""),
            ("rouge-l", ", level=sentence"),
            ("rouge-lsum", ""),
        )
    ),
}
ABOUT = {
    "tac": "recall as TAC and DUC ran ROUGE-1.5.5: stemmed, first 100 words",
    "rouge-score": "F as rouge-score gives it: its stemmer, best reference; the default",
}
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


def advice(topics: Collection[str]) -> tuple[str, ...]:
    """What somebody who named no measure should know of these topics: DUC's and TAC's are reported in another way."""
    if topics and all(_DUC_TOPIC.fullmatch(topic) for topic in topics):
        return (
            "topics are named as DUC's and TAC's are: ROUGE as they ran it is -m tac (recall, first 100 words)",
        )
    return ()
