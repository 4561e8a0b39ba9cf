"""What is said of simulations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument
from adjudge.core.words import capitalised, counted, listed
from adjudge.stats.power.rates import LEVEL

if TYPE_CHECKING:
    from adjudge.analyses.simulate.result import Outcome, Simulation, What

WHAT_WORDS: Mapping[What, str] = {
    "power": "true differences",
    "size": "false findings",
    "any": "any false finding",
    "any-holm": "any false finding, Holm-Tarone",
}
NOTHING = "no finding is possible"
TOO_FEW = "too few simulations to say"
OF_TWO = {
    "power": "{test}: the difference is found in {rate} of {simulations}",
    "size": "{test}: false findings in {rate} of {simulations}",
}
CORRECTED = {"any-holm": " with Holm-Tarone"}
OF_MANY = {
    "power": "{test}: {rate} of the pairs that differ are found, over {simulations}",
    "size": "{test}: false findings in {rate} of the pairs that do not differ, over {simulations}",
    "any": "{test}: at least one false finding in {rate} of {simulations}",
    "any-holm": f"{{test}}{CORRECTED['any-holm']}: at least one false finding in {{rate}} of {{simulations}}",
}
NOTES = {
    "pairs-not-tested": lambda test, n: f"{test}: {counted(n, 'pair')} could not be tested",
    "out-of-reach-in-some": lambda test, kind, n, simulations: (
        f"{test}{f' ({kind})' if kind else ''}: in {n:,} of {counted(simulations, 'simulation')} no p could be low"
        " enough"
    ),
    "fewer-resamples-than-a-comparison": lambda tests, resamples, wanted: (
        f"{listed(tests)}: {counted(resamples, 'resample')}; a comparison of so many pairs takes {wanted:,}"
        f" ({Argument('resamples')})"
    ),
}


def sentences(result: Simulation) -> Iterator[str]:
    """How often each test found something, a sentence for each row."""
    templates = OF_TWO if result.model.systems == 2 else OF_MANY
    for outcome in result.outcomes:
        if not outcome.reachable:
            corrected = CORRECTED.get(outcome.what, "")
            yield f"{capitalised(outcome.words)}{corrected}: {NOTHING}, as {_why_nothing(result, outcome)}."
            continue
        how_often = templates[outcome.what].format(
            test=capitalised(outcome.words),
            rate=percent(outcome.rate),
            simulations=counted(outcome.simulations, "simulation"),
        )
        verdict = f": {outcome.verdict(result.alpha)}" if outcome.what == "size" else ""
        yield f"{how_often} ({LEVEL * 100:.0f} % interval {outcome.interval(result.alpha)}){verdict}."


def _why_nothing(result: Simulation, outcome: Outcome) -> str:
    if math.isnan(outcome.smallest):
        return "no pair could be tested"
    alpha = f"{result.alpha:g}".removeprefix("0")
    least = f"no p can be below {outcome.smallest:.3g}"
    if outcome.what == "any-holm" and outcome.smallest <= result.alpha:
        pairs = counted(result.model.systems * (result.model.systems - 1) // 2, "pair")
        return f"{least}, too much for a correction over {pairs} at alpha {alpha}"
    return f"{least}, which is above alpha {alpha}"


def percent(share: float, digits: int = 1) -> str:
    """`5.0 %`"""
    return f"{100 * share:.{digits}f} %"
