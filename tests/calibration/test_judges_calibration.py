"""How often verdicts on judges are wrong, where the truth is known: by the order, by the level, and the offset.

Three assessors and a judge that is one more of them, on six systems, with answers from 1 to 5. As a program it prints
the table of docs/calibration.md: python -m tests.calibration.test_judges_calibration
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from tests.analyses.judges.judge_making import copy_of, made_bench

from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.agreement import judge_agreement
from adjudge.analyses.judges.bench import JudgeBenches
from adjudge.analyses.judges.verdict import STEPS

TIMES = 300
BETTER = STEPS.index("no better than a measure")
"""From here on a judge is better than what costs nothing."""


def rates(topics: int, times: int, resamples: int = 200) -> dict[str, dict[str, float]]:
    """By judge: how often its order, and its level, is better than the controls, is below a person's, has an offset.

    `one more` is a further assessor, `half less` the same but half a step lower; `random` and `length` know nothing.
    """
    counts: dict[str, Counter[str]] = {}
    for seed in range(times):
        rng = np.random.default_rng([7, seed, topics])
        bench = made_bench(rng, topics=topics, length=0.0, measures=())
        answers = {
            "one more": bench.judge_answers,
            "half less": bench.judge_answers - 0.5,
            "random": rng.choice(bench.answers.ravel(), bench.words.size),
            "length": copy_of(bench, bench.words),
        }
        benches = tuple(bench.with_judge(name, given) for name, given in answers.items())
        options = Judges(resamples=resamples, seed=seed)
        for verdict in judge_agreement(JudgeBenches("made", tuple(answers), benches), options).verdicts:
            found = counts.setdefault(verdict.judge, Counter())
            for name, decided in (("order", verdict.order), ("level", verdict.level)):
                if (
                    decided is None
                ):  # on five topics most answers of half a step less may lie outside the scale
                    continue
                found[f"{name} better"] += STEPS.index(decided.step) >= BETTER
                found[f"{name} below"] += decided.assessor is not None and decided.assessor.high < 0
            found["offset"] += verdict.offset.low > 0 or verdict.offset.high < 0
            found["worthless"] += verdict.worthless
    names = ("order better", "level better", "order below", "level below", "offset", "worthless")
    return {judge: {name: found[name] / times for name in names} for judge, found in counts.items()}


def hold(found: dict[str, dict[str, float]], most: float) -> None:
    for judge in ("random", "length"):
        assert found[judge]["order better"] <= most, found
        assert found[judge]["level better"] <= most, found
    for name in ("order below", "level below", "offset"):
        assert found["one more"][name] <= most, found
    assert found["one more"]["worthless"] == found["half less"]["worthless"] == 0, found
    for name in ("order better", "order below"):
        assert found["half less"][name] == found["one more"][name], found


def test_who_knows_nothing_is_seldom_better_and_half_a_step_less_is_seen() -> None:
    """Of 12 with a level of .05 more than 3 are as rare as 1 in 450."""
    found = rates(12, 12, resamples=100)
    hold(found, 3 / 12)
    assert found["half less"]["offset"] >= 9 / 12


@pytest.mark.slow
@pytest.mark.parametrize("topics", [5, 10, 30])
def test_verdicts_are_wrong_in_at_most_six_percent(topics: int) -> None:
    hold(rates(topics, TIMES), 0.06 + 2 * math.sqrt(0.06 * 0.94 / TIMES))


def main() -> None:
    for topics in (5, 10, 30):
        for judge, found in rates(topics, TIMES).items():
            cells = " | ".join(f"{100 * rate:.1f}" for rate in found.values())
            print(f"| {topics} | {judge} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
