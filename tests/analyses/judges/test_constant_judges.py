"""A judge that says nothing passes the alternative-annotator test, and is called worthless on the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyses.judges.judge_making import made_bench

from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.agreement import judge_agreement
from adjudge.analyses.judges.alternative import alternative
from adjudge.analyses.judges.bench import JudgeBenches


@pytest.mark.parametrize(("skew", "error", "answer"), [(0.0, 1.3, 3.0), (2.5, 0.8, 5.0)])
def test_constants_pass_and_are_worthless(skew: float, error: float, answer: float) -> None:
    """Without skew, where people agree a little: whoever stays in the middle is nearer to the others than each is."""
    bench = made_bench(np.random.default_rng(3), topics=60, error=error, skew=skew)
    share = np.mean(bench.answers == answer)
    assert (share > 0.5) == (skew > 0)
    said = bench.with_judge("constant", np.full(len(bench.topics), answer))
    benches = JudgeBenches(name="made", judges=("constant",), benches=(said,))
    options = Judges(resamples=300)
    (test,) = alternative(benches, options).aspects
    assert test.of_judge.passes
    (verdict,) = judge_agreement(benches, options).verdicts
    assert verdict.worthless
