"""What is said of assessors: who is named, on what evidence, and what could not be tested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.methods import cite
from adjudge.core.words import counted, decimal, listed, p_words

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
    "one-assessor": "there is one assessor, and nobody to compare with",
    "nobody-else": "nobody else judged what {who} judged",
    "one-of-two": "two assessors judged the same things, and it cannot be said which of two is off",
    "one-topic": "{who} shares {topics} with others, and a test needs two",
    "constant": "all answers of {who} are the same: there is no correlation",
    "nothing-twice": "{who} judged nothing twice",
    "nobody-twice": "nobody else judged anything twice",
    "no-trend": "too few topics to see a trend",
    "no-order": "nothing says in which order judgments were made",
    "no-time": "nothing says how long judgments took",
    "scores-alone": "scores do not say when judgments were made, nor how long they took: a folder's judgments do",
    "unread": "{unread}",
}
"""Why something could not be tested of somebody."""


def _reason(why: str, who: str, topics: int, unread: str) -> str:
    return REASONS[why].format(who=who, topics=counted(topics, "topic"), unread=unread)


def _untested(why: str, assessors: Sequence[str], everybody: bool, topics: int, unread: str) -> str:
    text = _reason(why, assessors[0], topics, unread)
    return text if everybody or "{who}" in REASONS[why] else f"{listed(assessors)}: {text}"


def _two_differ(a: str, b: str, difference: float, low: float, high: float, p: float, alpha: float) -> str:
    word = "above" if difference > 0 else "below"
    near, far = sorted((abs(low), abs(high)))
    return f"{a} is {abs(difference):.3f} {word} {b} on the same things ({near:.3f} to {far:.3f}, {p_words(p, alpha)})"


NOTES: dict[str, Callable[..., str] | str] = {
    "scores-of-nobody": lambda n: f"{counted(n, 'score')} without an assessor left out",
    "anonymous-scores": lambda n: (
        f"{counted(n, 'score')} by anonymous assessors, who are nobody in particular, left out"
    ),
    "scores-without-value": lambda n: f"{counted(n, 'score')} without a value left out",
    "not-compared": "the systems cannot be compared: {why}",
    "one-system": "one system has scores: there is no comparison that an assessor could change",
    "nothing-shared": NOTHING_SHARED,
    "compared-with-nobody": lambda assessors: (
        f"nobody else judged what {listed(assessors)} judged: they are compared with nobody"
    ),
    "untested": _untested,
    "nobody-repeats": "nobody judged anything twice: agreement with oneself cannot be looked at",
    "few-repeats": lambda n: (
        f"{counted(n, 'repeat')} in all: too few to find that somebody repeats own answers worse than the others"
    ),
    "two-differ": _two_differ,
    "two-opposed": lambda a, b, correlation, low, high: (
        f"{a} and {b} order things in opposite ways (correlation {correlation:.2f}, {low:.2f} to {high:.2f}): one of"
        " them may read the scale the wrong way round"
    ),
    "only-flagged-left-out": "only those who are named were left out in turn, as there are {n} assessors",
}


def sentences(result: Dossiers) -> Iterator[str]:
    """The headline, then the evidence for every flag, and what changes without those who are named."""
    yield _headline(result)
    for row in result.flagged:
        for flag in row.flags:
            yield flag_sentence(result, row, flag)
    named = {row.assessor for row in result.flagged}
    for left in result.left_out:
        if left.assessor in named and left.changes is not None:
            yield left.changes.headline()


def _headline(result: Dossiers) -> str:
    """Who is named, and for what."""
    start, number = f"On {result.title}", counted(len(result.rows), "assessor")
    tested = result.tested()
    if not any(tested.values()):
        return f"{start} nothing can be said of {number}: {_why_nothing(result)}."
    untested = [LOOKED_AT[what] for what, there in tested.items() if not there]
    rest = f"; {listed(untested)} could not be tested" if untested else ""
    if not result.flagged:
        return f"{start} none of {number} is named{rest}."
    named = [f"{row.assessor} ({', '.join(row.codes)})" for row in result.flagged]
    return (
        f"{start} {len(named)} of {number} {'is' if len(named) == 1 else 'are'} named: {listed(named)}{rest}."
    )


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

    who, level, more = row.assessor, f"{1 - result.alpha:.0%}", flag.evidence
    things = ("page", "pages") if result.judged.pages else ("summary", "summaries")
    on = f"on the {counted(row.shared, *things)} that others judged too"
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
            f"the mean correlation with the others is {decimal(row.correlation, '.2f')}, theirs with each other"
            f" {decimal(row.others_correlation, '.2f')} {on}"
        )
        if flag.family == "reversed":
            corrected = basis(f"jackknife {over}")
            return f"{who} is reversed: {between} ({corrected}). Is the scale read the wrong way round?"
        less = basis(f"less than {HONEST:g} of it, jackknife {over}")
        return f"{who} is erratic, or sees things otherwise: {between} ({less})."
    if flag.family == "inconsistent":
        return (
            f"{who} is inconsistent: {row.repeats_same} of {row.repeats} answers given again are the same, and they are"
            f" {decimal(row.repeats_apart, '.3f')} apart on average, the others' {more['others']}"
            f" {decimal(more['apart'], '.3f')} ({basis('permutation')})."
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
            f"{who} is hasty: {row.fast} of {row.timed} judgments leave time for more than {FASTEST:g} words a minute,"
            f" which nobody reads ({basis(f'binomial, more than {FAST_PAGES:.0%}')})."
        )
    return (
        f"{who} gives one answer to everything in {counted(int(more['topics']), 'topic')}; the median of the others,"
        f" one topic added, gives one throughout in {more['usual']:.0%} of topics"
        f" ({basis('the chance of that in every topic')})."
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
