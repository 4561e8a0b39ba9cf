"""What is said of counts of significant differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import too_few
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.counts.result import CountsByMeasure, CountsTable

HEADINGS = {
    "pairs": "Pairs of systems that differ significantly: p <= {alpha}, not corrected",
    "human-machine": "Pairs of a human and a machine that differ significantly: {which}p <= {alpha}, not corrected",
    "like-human": "Machines that pass for human: mean within some human's {level:g} % interval (averages), not"
    " significantly different from some human (tests)",
}


NOTES = {
    "no-scores": lambda data, titles: f"{data} has no scores of {listed(titles)}",
    "one-target": lambda data, target: (
        f"{'' if data is None else f'{data}: '}only summaries of {target} are counted, of which there are most scores"
    ),
    "targets-differ": lambda targets: (
        f"the summaries differ: {listed([f'{target} in {data}' for target, data in targets])}"
    ),
    "several-assessors": lambda data, measure, n: (
        f"{'' if data is None else f'{data}, '}{measure}: {n} assessors judged, and this holds for them alone;"
        " `adjudge compare` also answers for assessors like them"
    ),
}


def counted_of(table: str, m: CountsByMeasure) -> str:
    """What a table counts of, above the columns of a data set: `464 = 58 x 8 pairs`."""
    people, machines = len(m.humans), len(m.machines)
    if table == "like-human":
        return counted(machines, "machine")
    cross = table == "human-machine"
    of = f"{counted(m.tests[0].pairs, 'pair')} of {counted(people + machines, 'system')}"
    if cross:
        of = f"{m.cross:,} = {machines:,} x {people:,} {'pair' if m.cross == 1 else 'pairs'}"
    untested = m.never_tested(cross=cross)
    return f"{of}, {untested:,} untested" if untested else of


def sentences(result: CountsTable) -> Iterator[Spoken]:
    usual = ("pairs", "human-machine", "like-human")
    tables = [name for name in usual if name in result.picked] or usual
    if result.picked and len(result.measures) > 1 and "like-human" not in tables:  # the rows say the rest
        yield from (_summed(result, cross=name == "human-machine") for name in tables)
        return
    for measure in result.measures:
        if "pairs" in tables:
            yield _pairs(result, measure)
        if set(tables) == {"pairs"}:
            continue
        if not measure.humans:
            yield (
                f"{measure.named}: no system is known to be human. Name the humans with {Argument('human', 'PATTERN')}."
            )
        elif not measure.machines:
            yield f"{measure.named}: every system is human."
        else:
            if "human-machine" in tables:
                yield _directions(measure, alone="pairs" not in tables)
            if "like-human" in tables:
                yield _levels(result, measure, alone="pairs" not in tables)


def _summed(result: CountsTable, *, cross: bool) -> str:
    """How many pairs each test finds in all rows of a table."""
    rows = [m for m in result.measures if m.cross or not cross]
    pairs = sum(m.cross if cross else m.tests[0].pairs for m in rows)
    tests = list(zip(*(m.tests for m in rows), strict=True))
    by_test = [
        f"{sum(t.cross_different if cross else t.different for t in of):,} by {of[0].words}" for of in tests
    ]
    words = f"Of {counted(pairs, 'pair')}{' of a human and a machine' if cross else ''} in all rows,"
    words += f" these differ significantly: {listed(by_test, most=len(by_test))}"
    if cross:
        better = "better" if all(m.better for m in rows) else "better, or higher,"
        machine = [f"{sum(t.machine_better for t in of):,} by {of[0].words}" for of in tests]
        words += f"; the machine is the {better} one in {listed(machine, most=len(machine))}"
    if untested := max(sum(t.cross_untested if cross else t.untested for t in of) for of in tests):
        why = "" if cross else f": {next(iter(why for m in rows for t in m.tests for why in t.why))}"
        words += f"; {untested:,} could not be tested{why}"
    return f"{words}."


def _pairs(result: CountsTable, measure: CountsByMeasure) -> str:
    tests = measure.tests
    pairs = tests[0].pairs
    if not pairs:
        return f"{measure.named}: fewer than two systems, nothing to compare."
    alpha = f"{result.asked.alpha:g}".removeprefix("0")
    untested = [
        f"{t.untested:,} could not be tested{f': {next(iter(t.why))}' if t.why else ''}" if t.untested else ""
        for t in tests
    ]
    rest = []
    if len(set(untested)) == 1:  # what holds for all tests is said once
        rest, untested = untested[:1], [""] * len(tests)
    by_test = [
        f"{test.different:,} by {test.words}{f' ({words})' if words else ''}"
        for test, words in zip(tests, untested, strict=True)
    ]
    differ = listed(by_test, most=len(by_test))
    alike = len({test.out_of_reach for test in tests}) == 1
    for test in tests[:1] if alike else tests:
        if n := test.out_of_reach:
            by = "" if alike else f"by {test.words} "
            rest.append(f"{by}{too_few(n, 'topics', result.asked.alpha)}")
    return (
        f"{measure.named}: pairs that differ, of {pairs:,}: {differ} (p <= {alpha}, not corrected)"
        f"{''.join(f'; {words}' for words in rest if words)}."
    )


def _directions(measure: CountsByMeasure, *, alone: bool) -> str:
    better = "better" if measure.better else "higher"
    by_test = "; ".join(
        f"by {test.words}: the human is {better} in {test.human_better:,}, the machine in {test.machine_better:,}"
        + (f", {test.cross_untested:,} could not be tested" if test.cross_untested else "")
        + (f", {test.cross_out_of_reach:,} could not differ" if test.cross_out_of_reach else "")
        for test in measure.tests
    )
    of = f"{counted(measure.cross, 'pair')} of a human and a machine"
    return f"{measure.named}: of {of}, {by_test}." if alone else f"Of {of}, {by_test}."


def _levels(result: CountsTable, measure: CountsByMeasure, *, alone: bool) -> str:
    """Who passes for human, by averages and by tests."""
    by_test = ", ".join(
        f"{test.like_some} by {test.words} ({test.like_all} from any human)" for test in measure.tests
    )
    beyond = (
        f", {measure.beyond} more {'is' if measure.beyond == 1 else 'are'} better than one"
        if measure.beyond
        else ""
    )
    no_interval = sum(human.low != human.low for human in measure.humans)
    without = f"; {counted(no_interval, 'human has', 'humans have')} no interval" if no_interval else ""
    uneven = len({h.n for h in measure.humans} | {m.n for m in measure.machines}) > 1
    silent = sum(not machine.n for machine in measure.machines)
    without += f"; {counted(silent, 'machine has', 'machines have')} no scores" if silent else ""
    topics = "; the averages are over different topics" if uneven else ""
    have = "has" if measure.within == 1 else "have"
    passing = f"{measure.named}: passing" if alone else "Passing"
    return (
        f"{passing} for human, by averages: {measure.within} of {counted(len(measure.machines), 'machine')} {have} a"
        f" mean within some human's {result.asked.level * 100:g} % interval{beyond}{without}{topics}. By tests, not"
        f" significantly different from some human: {by_test}."
    )
