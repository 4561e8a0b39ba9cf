"""What is said of counts of significant differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.counts.result import CountsByMeasure, CountsTable

HEADINGS = {
    "pairs": "Significant differences among all pairs of systems",
    "human-machine": "Significant differences between humans and machines: all (human/machine {better})",
    "like-human": "Machines within some human's {level:g} % interval of the mean (averages), or not different from some"
    " human (tests)",
}


NOTES = {
    "no-scores": lambda data, titles: f"{data} has no scores of {listed(titles)}",
    "several-assessors": lambda data, measure, n: (
        f"{'' if data is None else f'{data}: '}{measure}: the scores come from {n} assessors: what is said holds for"
        " these assessors; `adjudge compare` asks whether it would for others"
    ),
}


def sentences(result: CountsTable) -> Iterator[Spoken]:
    for measure in result.measures:
        yield _pairs(result, measure)
        if not measure.humans:
            yield (
                f"On {measure.named} no system is human, so nothing is said of humans and machines:"
                f" name the humans with {Argument('human', 'PATTERN')}, or by their kind."
            )
        elif not measure.machines:
            yield f"On {measure.named} every system is human."
        else:
            yield _directions(measure)
            yield _levels(result, measure)


def _pairs(result: CountsTable, measure: CountsByMeasure) -> str:
    tests = measure.tests
    pairs = tests[0].pairs
    if not pairs:
        return f"On {measure.named} there are fewer than two systems, so no pair."
    alpha = f"{result.asked.alpha:g}".removeprefix("0")
    untested = [
        f"{t.untested:,} could not be tested{f': {next(iter(t.why))}' if t.why else ''}" if t.untested else ""
        for t in tests
    ]
    rest = []
    if len(set(untested)) == 1:  # what holds for all tests is said once
        rest, untested = untested[:1], [""] * len(tests)
    differ = ", ".join(
        f"{test.different:,} by {test.words}{f' ({words})' if words else ''}"
        for test, words in zip(tests, untested, strict=True)
    )
    alike = len({test.out_of_reach for test in tests}) == 1
    for test in tests[:1] if alike else tests:
        if n := test.out_of_reach:
            by = "" if alike else f"by {test.words} "
            reach = "its" if n == 1 else "their"
            rest.append(f"{by}{n:,} could not have been found (no p within {reach} reach is at most {alpha})")
    return (
        f"On {measure.named}, of {counted(pairs, 'pair')} of systems these differ:"
        f" {differ} (p <= {alpha}, uncorrected){''.join(f'; {words}' for words in rest if words)}."
    )


def _directions(measure: CountsByMeasure) -> str:
    better = "better" if measure.better else "higher"
    by_test = "; ".join(
        f"by {test.words} the human is {better} in {test.human_better:,}, the machine in {test.machine_better:,}"
        + (f", {test.cross_untested:,} could not be tested" if test.cross_untested else "")
        + (f", {test.cross_out_of_reach:,} could not have been found" if test.cross_out_of_reach else "")
        for test in measure.tests
    )
    return f"Of {counted(measure.cross, 'pair')} of a human and a machine: {by_test}."


def _levels(result: CountsTable, measure: CountsByMeasure) -> str:
    """Who passes for human, by averages and by tests."""
    by_test = ", ".join(
        f"{test.like_some} by {test.words} ({test.like_all} of them from every human)"
        for test in measure.tests
    )
    beyond = f" and {measure.beyond} more beyond one" if measure.beyond else ""
    no_interval = sum(human.low != human.low for human in measure.humans)
    without = f"; {counted(no_interval, 'human has', 'humans have')} no interval" if no_interval else ""
    uneven = len({h.n for h in measure.humans} | {m.n for m in measure.machines}) > 1
    silent = sum(not machine.n for machine in measure.machines)
    without += f"; {counted(silent, 'machine has', 'machines have')} no scores" if silent else ""
    topics = "; the averages are over different topics" if uneven else ""
    return (
        f"By averages {measure.within} of {counted(len(measure.machines), 'machine')}"
        f" {'lies' if measure.within == 1 else 'lie'} within some human's {result.asked.level * 100:g} % interval of"
        f" the mean{beyond}{without}{topics}; these are not significantly different from some human: {by_test}."
    )
