"""Two systems are one pair: nothing is corrected for, and no sentence counts pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from tests.approving import Approved

import adjudge
from adjudge.analyses.compare.words import pair_sentence
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.phrasebook import pairs_differ


def two_systems() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (f"t{t:02}", s, a, round(float(rng.normal(3 + 0.3 * (s == "b"), 1)), 2))
        for t in range(20)
        for s in "ab"
        for a in "xyz"
    ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "score"])


def test_one_pair_is_not_counted_and_not_corrected(approved: Approved) -> None:
    frame = two_systems()
    comparison = adjudge.compare(frame)
    stable = adjudge.stability(frame, seed=1)
    (pair,) = comparison.pairs[comparison.test]
    said = [*comparison.sentences(), pair_sentence(comparison, pair), *stable.sentences()]
    for text in said:
        assert "1 pair" not in text
        assert "Holm" not in text
    approved(said)


def test_a_correction_over_one_test_is_none() -> None:
    holm = CORRECTIONS["holm"]
    assert (holm.corrected(1), holm.corrected(2)) == ("", "Holm-corrected ")
    assert (holm.over_pairs(1), holm.over_pairs(3)) == ("", ", Holm's correction for all pairs")
    assert CORRECTIONS["none"].corrected(9) == ""
    assert pairs_differ(0, 1) == "the two do not differ significantly"
    assert pairs_differ(1, 1) == "the two differ significantly"
    assert pairs_differ(1, 3) == "1 of 3 pairs differs significantly"
