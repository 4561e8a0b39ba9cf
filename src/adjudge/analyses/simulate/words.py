"""What is said of simulations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed
from adjudge.stats.power.rates import LEVEL

if TYPE_CHECKING:
    from adjudge.analyses.simulate.result import Outcome, Simulation, What

WHAT_WORDS: Mapping[What, str] = {
    "power": "that differ",
    "size": "that do not",
    "any": "any that does not",
    "any-holm": "any that does not, Holm with Tarone's steps",
}
NOTHING = "nothing could have been found"
TOO_FEW = "too few simulations to say"
OF_TWO = {
    "power": "By {test} the difference is found in {rate} of {simulations}",
    "size": "By {test} a difference that is not there is found in {rate} of {simulations}",
}
CORRECTED = {"any-holm": ", corrected as a comparison is (Holm with Tarone's steps),"}
OF_MANY = {
    "power": "By {test} {rate} of the pairs that differ are found, over {simulations}",
    "size": "By {test} {rate} of the pairs that do not differ are found, over {simulations}",
    "any": "By {test} some pair that does not differ is found in {rate} of {simulations}",
    "any-holm": f"By {{test}}{CORRECTED['any-holm']} some pair that does not differ is found in {{rate}} of"
    " {simulations}",
}
NOTES = {
    "pairs-not-tested": lambda test, n: f"{test}: {counted(n, 'pair')} could not be tested",
    "out-of-reach-in-some": lambda test, kind, n, simulations: (
        f"{test}{f' ({kind})' if kind else ''}: in {n:,} of {counted(simulations, 'simulation')} no p could have been"
        " low enough"
    ),
    "fewer-resamples-than-a-comparison": lambda tests, resamples, wanted: (
        f"{listed(tests)}: {counted(resamples, 'resample')} here; a comparison of so many"
        f" pairs takes {wanted:,} ({Argument('resamples')})"
    ),
}


def sentences(result: Simulation) -> Iterator[str]:
    """How often each test found something, a sentence for each row."""
    templates = OF_TWO if result.model.systems == 2 else OF_MANY
    for outcome in result.outcomes:
        if not outcome.reachable:
            corrected = CORRECTED.get(outcome.what, "")
            yield f"By {outcome.words}{corrected} {NOTHING}: {_why_nothing(result, outcome)}."
            continue
        how_often = templates[outcome.what].format(
            test=outcome.words,
            rate=percent(outcome.rate),
            simulations=counted(outcome.simulations, "simulation"),
        )
        verdict = f": {outcome.verdict(result.alpha)}" if outcome.what == "size" else ""
        yield f"{how_often} ({LEVEL * 100:.0f} % interval {outcome.interval(result.alpha)}){verdict}."


def _why_nothing(result: Simulation, outcome: Outcome) -> str:
    if math.isnan(outcome.smallest):
        return "no pair could be tested"
    alpha = f"{result.alpha:g}".removeprefix("0")
    least = f"the smallest p that there could be is {outcome.smallest:.3g}"
    if outcome.what == "any-holm" and outcome.smallest <= result.alpha:
        pairs = counted(result.model.systems * (result.model.systems - 1) // 2, "pair")
        return f"{least}, too large for a correction over {pairs} at alpha {alpha}"
    return f"{least}, above alpha {alpha}"


def percent(share: float, digits: int = 1) -> str:
    """`5.0 %`"""
    return f"{100 * share:.{digits}f} %"
