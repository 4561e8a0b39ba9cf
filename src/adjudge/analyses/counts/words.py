"""What is said of counts of significant differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.counts.result import CountsByMeasure, CountsByTest, CountsTable

HEADINGS = {
    "pairs": "Significant differences among all pairs of systems",
    "human-machine": "Significant differences between humans and machines: all (human/machine {better})",
    "like-human": "Machines within some human's {level:g} % interval of the mean (averages), or not different from some"
    " human (tests)",
}


def _several_assessors(data: str | None, measure: str, n: int) -> str:
    where = "" if data is None else f"{data}: "
    return (
        f"{where}{measure}: the scores come from {n} assessors: what is said holds for these assessors;"
        " `adjudge compare` asks whether it would for others"
    )


NOTES = {
    "no-scores": lambda data, titles: f"{data} has no scores of {listed(titles)}",
    "several-assessors": _several_assessors,
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
    pairs = measure.tests[0].pairs
    if not pairs:
        return f"On {measure.named} there are fewer than two systems, so no pair."
    alpha = f"{result.alpha:g}".removeprefix("0")
    untested = [_untested(test) for test in measure.tests]
    same = untested[0] if len(set(untested)) == 1 else ""  # what holds for all tests is said once
    brackets = ["" if same else f" ({words})" if words else "" for words in untested]
    differ = ", ".join(
        f"{test.different:,} by {test.words}{words}"
        for test, words in zip(measure.tests, brackets, strict=True)
    )
    rest = "".join(f"; {words}" for words in (same, *_out_of_reach(measure.tests, alpha)) if words)
    basis = "uncorrected" if result.correction == "none" else f"corrected by {result.correction}"
    return (
        f"On {measure.named}, of {counted(pairs, 'pair')} of systems these differ:"
        f" {differ} (p <= {alpha}, {basis}){rest}."
    )


def _untested(test: CountsByTest) -> str:
    if not test.untested:
        return ""
    first = f": {next(iter(test.why))}" if test.why else ""
    return f"{test.untested:,} could not be tested{first}"


def _out_of_reach(tests: Sequence[CountsByTest], alpha: str) -> Iterator[str]:
    alike = len({test.out_of_reach for test in tests}) == 1
    for test in tests[:1] if alike else tests:
        if test.out_of_reach:
            by = "" if alike else f"by {test.words} "
            reach = "its" if test.out_of_reach == 1 else "their"
            yield f"{by}{test.out_of_reach:,} could not have been found (no p within {reach} reach is at most {alpha})"


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
        f" {'lies' if measure.within == 1 else 'lie'} within some human's {result.level * 100:g} % interval of the"
        f" mean{beyond}{without}{topics}; these are not significantly different from some human: {by_test}."
    )
