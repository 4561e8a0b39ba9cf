"""What is said of reasons why statistics cannot be computed: a text for every code, approved once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.approving import Approved

from adjudge.analyses import phrasebook
from adjudge.analyses.anova.words import REASONS as ANOVA
from adjudge.analyses.compare.words import THESE_ONLY
from adjudge.analyses.meta.words.curves import NO_CURVE
from adjudge.analyses.stability.words import NOT_DRAWN
from adjudge.core.results import Note

DATA: Mapping[str, Mapping[str, Any]] = {
    "refused": {"text": "the model is too large"},
    "variance-not-apart": {"term": "topic"},
    "same-groups": {"first": "topic", "second": "assessor"},
    "few-rows": {"needs": 4, "n": 3},
    "few-freedom": {"needs": 3, "df": 2},
    "freedom-of-rows": {"df": 12, "n": 40},
    "one-row-each": {"factor": "kind", "unit": "system"},
    "few-systems": {"systems": 1},
    "few-in-common": {"n": 1},
    "constant": {"n": 10},
    "few-for-bootstrap": {"n": 5, "needs": 6},
    "few-varied": {"varied": 4, "n": 10, "needs": 5},
    "too-large": {"columns": 500},
    "swaps-topics": {"correct": "westfall-young"},
    "pooled": {"pool": "max"},
    "one-unit": {"n": 1, "unit": "topic"},
    "unnamed": {"n": 3, "scores": 30},
}


@pytest.mark.parametrize(
    "texts",
    [phrasebook.REASONS, ANOVA, NOT_DRAWN, THESE_ONLY, NO_CURVE],
    ids=["shared", "anova", "stability", "compare", "curves"],
)
def test_every_reason(texts: Mapping[str, str | Callable[..., str]], approved: Approved) -> None:
    codes = [
        code for code in texts if texts is phrasebook.REASONS or texts[code] != phrasebook.REASONS.get(code)
    ]
    data = {**DATA, **({"one-level": {"factor": "topic"}} if texts is ANOVA else {})}
    approved(f"{code}: {Note.of(code, **data.get(code, {})).words(texts)}" for code in codes)
