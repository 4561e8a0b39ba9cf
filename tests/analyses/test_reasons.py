"""What is said of reasons why statistics cannot be computed: a text for every code, approved once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.approving import Approved

from adjudge.analyses import phrasebook
from adjudge.analyses.anova.words import REASONS as ANOVA
from adjudge.analyses.compare.words import THESE_ONLY
from adjudge.analyses.meta.words.curves import NO_CURVE
from adjudge.analyses.meta.words.hotelling import REASONS as HOTELLING
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


FAMILIES = {
    "shared": phrasebook.REASONS,
    "anova": ANOVA,
    "stability": NOT_DRAWN,
    "compare": THESE_ONLY,
    "curves": NO_CURVE,
    "hotelling": HOTELLING,
}
OWN: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "anova": {"one-level": {"factor": "topic"}},
    "hotelling": {"few-topics": {"measures": 3, "n": 3}, "constant": {"measures": 1}},
}
"""Data of codes that mean something of their own there."""


@pytest.mark.parametrize("family", FAMILIES)
def test_every_reason(family: str, approved: Approved) -> None:
    shared, data = phrasebook.REASONS, {**DATA, **OWN.get(family, {})}
    texts = {k: v for k, v in FAMILIES[family].items() if family == "shared" or v != shared.get(k)}
    approved(f"{code}: {Note.of(code, **data.get(code, {})).words(texts)}" for code in texts)
