"""What is said of assessors: who is named, on what evidence, and what could not be tested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.methods import cite
from adjudge.core.words import counted, decimal, exact_percent, listed, p_words, percent

if TYPE_CHECKING:
    from adjudge.analyses.assessors.result import AssessorDossier, AssessorFlag, Dossiers, Family

NOTHING_SHARED = "no two assessors judged the same thing"
LOOKED_AT: dict[Family, str] = {
    "deviation": "severity",
    "erratic": "agreement with the others",
    "inconsistent": "own repeats",
    "drift": "drift",
    "pace": "haste",
}
"""What can be looked at."""
REASONS: dict[str, str] = {
    "one-assessor": "there is only one assessor",
    "nobody-else": "nobody else judged what {who} judged",
    "one-of-two": "with two assessors, it cannot be said which one is off",
    "copies-leave-two": (
        "who gave the same answers counts as one, so there are two to compare, and it cannot be said which one is off"
    ),
    "one-topic": "{who} shares only {topics} with others",
    "constant": "all answers of {who} are the same, so there is no correlation",
    "nothing-twice": "{who} judged nothing twice",
    "nobody-twice": "nobody else judged anything twice",
    "no-trend": "too few topics to see a trend",
    "no-order": "the order of judgments is unknown",
    "no-time": "how long judgments took is unknown",
    "scores-alone": "scores alone do not say when people judged, or how fast",
    "unread": "{unread}",
}
"""Why something could not be tested of somebody."""


def _reason(why: str, who: str, topics: int, unread: str) -> str:
    return REASONS[why].format(who=who, topics=counted(topics, "topic"), unread=unread)


def _untested(why: str, assessors: Sequence[str], everybody: bool, topics: int, unread: str) -> str:
    text = _reason(why, assessors[0], topics, unread)
    return text if everybody or "{who}" in REASONS[why] else f"{listed(assessors)}: {text}"


def _two_differ(
    a: str, b: str, difference: float, low: float, high: float, topics: int, p: float, alpha: float
) -> str:
    word = "above" if difference > 0 else "below"
    near, far = sorted((abs(low), abs(high)))
    return (
        f"{a} is {abs(difference):.3f} {word} {b} on the same things ({exact_percent(1 - alpha)} interval {near:.3f} to"
        f" {far:.3f}; t over {counted(topics, 'topic')}, {p_words(p, alpha)})"
    )


OF_TWO: dict[str, Callable[..., str]] = {
    "two-differ": _two_differ,
    "two-opposed": lambda a, b, correlation, low, high: (
        f"{a} and {b} order things in opposite ways (correlation {correlation:.2f}, {low:.2f} to {high:.2f}), so one of"
        " them may read the scale the wrong way round"
    ),
}
"""How two differ."""
NOTES: dict[str, Callable[..., str] | str] = {
    "scores-of-nobody": lambda n: f"{counted(n, 'score')} without an assessor left out",
    "anonymous-scores": lambda n: f"{counted(n, 'score')} by anonymous assessors left out",
    "scores-without-value": lambda n: f"{counted(n, 'score')} without a value left out",
    "not-compared": "the systems cannot be compared: {why}",
    "one-system": "only one system has scores: nothing to compare",
    "nothing-shared": NOTHING_SHARED,
    "compared-with-nobody": lambda assessors: f"nobody else judged what {listed(assessors)} judged",
    "untested": _untested,
    "nobody-repeats": "nobody judged anything twice: whether assessors repeat their own answers is unknown",
    "few-repeats": lambda n: (
        f"{counted(n, 'repeat')} in all: too few to compare how well assessors repeat their answers"
    ),
    "same-answers": lambda assessors, things: (
        f"{listed(assessors)} gave the same answers to all {things:,} things that both judged: if one is a copy, there"
        " is one assessor less"
    ),
    "only-flagged-left-out": "of {n} assessors, only those who stand out were left out in turn",
}


def sentences(result: Dossiers) -> Iterator[str]:
    """The headline, then the evidence for every flag, and what changes without those who are named."""
    yield _headline(result)
    # Copies have one sentence for all of them.
    yield from dict.fromkeys(flag_sentence(result, row, flag) for row in result.flagged for flag in row.flags)
    named = {row.assessor for row in result.flagged}
    for left in result.left_out:
        if left.assessor in named and left.changes is not None:
            yield left.changes.headline()


def _headline(result: Dossiers) -> str:
    """Who is named, and for what."""
    start, number = f"On {result.title},", counted(len(result.rows), "assessor")
    tested = result.tested()
    if not any(tested.values()) and not result.flagged:
        differ = [OF_TWO[note.code](**note.data) for note in result.of_two()]
        why = _why_nothing(result)
        if differ:
            return f"{start} {', and '.join(differ)}; {why}."
        return f"{start} no test can be made of {number}: {why}."
    untested = [LOOKED_AT[what] for what, there in tested.items() if not there]
    rest = f" Not tested: {', '.join(untested)}." if untested else ""
    if not result.flagged:
        alone = [row.assessor for row in result.untested_rows]
        if len(alone) + 1 == len(result.rows) > 1:
            (one,) = (row.assessor for row in result.rows if row.assessor not in alone)
            return (
                f"{start} {one} does not stand out significantly. {listed(alone)} could not be tested.{rest}"
            )
        if alone:
            number = f"the {counted(len(result.rows) - len(alone), 'assessor')} who could be tested"
            rest = f" {listed(alone)} could not be tested.{rest}"
        return f"{start} none of {number} stands out significantly.{rest}"
    named = [f"{row.assessor} ({', '.join(row.codes)})" for row in result.flagged]
    return f"{start} {len(named)} of {number} {'stands' if len(named) == 1 else 'stand'} out: {listed(named)}.{rest}"


def _why_nothing(result: Dossiers) -> str:
    if result.nothing_shared:
        return NOTHING_SHARED
    first = result.first_reason()
    if first is None:
        return "too few things were judged by several"
    row, why = first
    return _reason(why, row.assessor, row.topics, result.judged.unread)


def flag_sentence(result: Dossiers, row: AssessorDossier, flag: AssessorFlag) -> str:
    """What is named, with the numbers that it follows from."""
    from adjudge.analyses.assessors.result import FAST_PAGES, FASTEST, HONEST, SLOWER

    who, level, more = row.assessor, exact_percent(1 - result.alpha), flag.evidence
    things = ("page", "pages") if result.judged.pages else ("summary", "summaries")
    on = f"on {row.shared:,} shared {things[row.shared != 1]}"
    over = f"over {counted(row.topics, 'topic')}"

    def basis(how: str) -> str:
        corrected = f", corrected over {counted(flag.tests, 'test')}" if flag.tests > 1 else ""
        return f"{how}, {p_words(flag.p, result.alpha)}{corrected}"

    if flag.family == "deviation":
        word = "below" if row.deviation < 0 else "above"
        near, far = (decimal(abs(e), ".3f") for e in sorted((row.deviation_low, row.deviation_high), key=abs))
        return (
            f"{who} is {flag.code}: {decimal(abs(row.deviation), '.3f')} {word} the median assessor {on} ({level}"
            f" interval {near} to {far}; {basis(f't {over}')})."
        )
    if flag.family in ("erratic", "reversed"):
        between = (
            f"mean correlation with the others {decimal(row.correlation, '.2f')}, among the others"
            f" {decimal(row.others_correlation, '.2f')}, {on}"
        )
        if flag.family == "reversed":
            corrected = basis(f"jackknife {over}")
            return f"{who} is reversed: {between} ({corrected}). Was the scale read the wrong way round?"
        less = basis(f"less than {HONEST:g} of it, jackknife {over}")
        return f"{who} is erratic, or sees things differently: {between} ({less})."
    if flag.family == "inconsistent":
        return (
            f"{who} is inconsistent: {row.repeats_same} of {counted(row.repeats, 'repeated answer')} the same,"
            f" {decimal(row.repeats_apart, '.3f')} apart on average; the others' {more['others']} are"
            f" {decimal(more['apart'], '.3f')} apart ({basis('permutation')})."
        )
    if flag.family == "identical":
        same, of, alike, topics = (int(more[name]) for name in ("same", "things", "alike", "topics"))
        counts = f"all {of:,}" if same == of else f"{same:,} of {of:,}"
        return (
            f"{listed(row.copies)} are identical: {'they' if len(row.copies) == 2 else 'two of them'} gave the same"
            f" answers to {counts} {things[1]} that both judged, and to all of a topic in {alike:,} of"
            f" {counted(topics, 'topic')}; other pairs do so in {percent(more['usual'])}, one topic added"
            f" ({basis('binomial over topics')}). Compared with the others, they count as one."
        )
    if flag.family == "drift":
        word = "up" if row.drift > 0 else "down"
        low, high = (decimal(end, "+.3f") for end in (row.drift_low, row.drift_high))
        return (
            f"{who} is drifting: {word} by {decimal(abs(row.drift), '.3f')} from the first judgment to the last,"
            f" compared with the others ({level} interval {low} to {high}; {basis(f'slope {over}')})."
        )
    if flag.family == "pace":
        return (
            f"{who} is hasty: takes {row.pace:.2f} times as long as the median assessor for the same {things[1]}"
            f" ({level} interval {row.pace_low:.2f} to {row.pace_high:.2f};"
            f" {basis(f'less than {SLOWER:g} times, t {over}')})."
        )
    if flag.family == "fast":
        return (
            f"{who} is hasty: {row.fast} of {row.timed} judgments took less time than reading at {FASTEST:g} words a"
            f" minute ({basis(f'binomial, more than {FAST_PAGES:.0%}')})."
        )
    return (
        f"{who} gives one answer throughout in all of {counted(int(more['topics']), 'topic')}; the median of the others"
        f" does so in {percent(more['usual'])} of topics, one topic added ({basis('chance of that in every topic')})."
    )


METHODS = {
    "severity (deviation from the median assessor on the same things, t over topics)": ("deviation_p",),
    "agreement with the others (mean correlation, jackknife over topics)": ("erratic_p", "reversed_p"),
    "agreement with their own repeats": ("inconsistent_p",),
    "drift over time": ("drift_p",),
    "haste": ("pace_p", "fast_p"),
}
"""By what is looked at: the numbers of a dossier that say whether it could be tested."""


def methods(results: Sequence[Dossiers]) -> Iterator[str]:
    """How single assessors were looked at, for a paper."""
    rows = [row for result in results for row in result.rows]
    tested = [
        what
        for what, names in METHODS.items()
        if any(math.isfinite(getattr(row, name)) for row in rows for name in names)
    ]
    if tested:
        alpha = f"{results[0].alpha:g}".removeprefix("0")
        yield (
            f"Assessors of {listed([result.title for result in results], most=len(results))} were tested for"
            f" {listed(tested)}, with Bonferroni's correction over the assessors{cite('dunn1961')} at p = {alpha}."
        )
    if any(left.changes is not None for result in results for left in result.left_out):
        yield "Systems were compared again without single assessors."
