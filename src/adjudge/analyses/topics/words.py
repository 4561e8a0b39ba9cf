"""What is said of topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.compare import words as compare_words
from adjudge.analyses.phrasebook import pairs_differ
from adjudge.core.words import capitalised, counted, listed, p_words, percent

if TYPE_CHECKING:
    from adjudge.analyses.topics.result import TopicsResult
    from adjudge.stats.ranks import Blocked, Friedman, KruskalWallis, SkillingsMack

H = "Kruskal-Wallis, H"
CANNOT = "cannot differ significantly, with so few different scores"

NOTES = {
    **phrasebook.NOTES,
    "topics-without-scores": lambda topics: f"no scores on {listed(topics)}",
    "all-scores-equal": "no intervals: all scores are the same",
    "topics-of-unequal-size": (
        "topics have different numbers of scores: intervals are approximate, the tests of pairs decide"
    ),
    "few-scores-on-a-topic": lambda n: f"a topic has only {counted(n, 'score')}: p is approximate",
    "sets": lambda sets, topics: (
        f"topics of one set are not independent: systems are compared on the means of {sets:,} sets of"
        f" {counted(topics, 'topic')}"
    ),
    "few-sets": compare_words.NOTES["few-sets"],
    "systems-without-common-topics": (
        "systems fall into {parts} groups that share no topic: tests with topics as blocks compare within each"
    ),
}


def sentences(result: TopicsResult) -> Iterator[str]:
    yield _headline(result)
    if result.over_topics.why is None:
        paired = ""
        if result.over_topics.p <= result.alpha or result.topics_blocked.test.p <= result.alpha:
            paired = " So compare systems on the same topics, by paired tests."
        yield f"With systems as blocks, {_in_blocks(result, result.topics_blocked, 'topic', 'system')}.{paired}"
        yield _about_ends(result)
        yield _about_pairs(result)
    if result.against is not None:
        yield about_chosen(result, result.against)
    yield _about_systems(result)


def end_words(result: TopicsResult) -> tuple[str, str]:
    """What the first and the last of the standings are."""
    return ("easiest", "hardest") if result.matrix.info.better else ("highest", "lowest")


def _headline(result: TopicsResult) -> str:
    test = result.over_topics
    if test.why is not None:
        return f"On {result.title}, only one topic has scores: nothing to compare."
    start = f"On {result.title}, topics {_verdict(result, test)} ({_basis(result, H, test)})"
    if _out_of_reach(result, test):
        return f"{start}."  # with a score each, topics would carry all of the variance
    return f"{start}; they explain {percent(test.share)} of the variance of ranks."


def _about_ends(result: TopicsResult) -> str:
    first, last = result.ends()
    if first == last:
        return "All topics have the same mean rank."
    place, test = result.matrix.topics.index, result.over_topics
    ends = [(place(a), place(b)) for a in first for b in last]
    if all(test.different_from(a)[b] for a, b in ends):
        verdict = "they differ"
    elif not any(test.within_reach(a, b) for a, b in ends):
        verdict = f"they {CANNOT}"
    else:
        verdict = "they do not differ significantly"
    return f"{capitalised(_end(result, 1, last))}, {_end(result, 0, first)}; {verdict}."


def _end(result: TopicsResult, which: int, topics: Sequence[str]) -> str:
    word = end_words(result)[which]
    if len(topics) > 1:
        return f"{word}: {listed(topics)}"
    # Its mean may say otherwise: topics are ordered by their ranks, which no outlier moves.
    rank = next(s.mean_rank for s in result.standings if s.topic == topics[0])
    return f"{word}: {topics[0]} (mean rank {rank:.1f})"


def _about_pairs(result: TopicsResult) -> str:
    differ, k = sum(s.differs for s in result.standings) // 2, result.over_topics.groups
    basis = f"(Tukey's test on mean ranks, alpha {result.alpha:g})"
    never, pairs = result.pairs_out_of_reach(), k * (k - 1) // 2
    if never == pairs:
        return f"No pair of topics could differ significantly {basis}."
    left = f"; {never:,} could not, with so few different scores" if never else ""
    if not differ:
        return f"No pair of topics differs significantly{left} {basis}."
    return f"{pairs_differ(differ, pairs, of='topics')}{left} {basis}."


def about_chosen(result: TopicsResult, topic: str) -> str:
    """How the chosen topic compares with the others."""
    chosen = next(s for s in result.standings if s.topic == topic)
    others = [s for s in result.standings if s.n and s.topic != topic]
    if not chosen.n or not others:
        return f"{topic} cannot be compared: {'no other topic has' if chosen.n else 'it has no'} scores."
    apart = [s for s in others if s.from_chosen]
    of = counted(len(others), "other topic")
    place, test = result.matrix.topics.index, result.over_topics
    if not any(test.within_reach(place(topic), place(s.topic)) for s in others):
        return f"With so few different scores, {topic} cannot differ significantly from any of {of}."
    if not apart:
        return f"{topic} is not significantly different from any of {of}."
    directed = {"higher": ("easier", "harder"), "lower": ("harder", "easier")}
    words = directed.get(result.matrix.info.better or "", ("higher", "lower"))
    below = [s.topic for s in apart if s.mean_rank < chosen.mean_rank]
    above = [s.topic for s in apart if s.mean_rank > chosen.mean_rank]
    sides = zip(words, (below, above), strict=True)
    parts = [f"{word} than {listed(names)}" for word, names in sides if names]
    return f"{topic} differs from {len(apart):,} of {of}: it is {', and '.join(parts)}."


def _about_systems(result: TopicsResult) -> str:
    block = "set" if result.sets else "topic"
    blocks = "sets of topics" if result.sets else "topics"
    with_blocks = f"With {blocks} as blocks, {_in_blocks(result, result.systems_blocked, 'system', block)}"
    pooled = result.over_systems
    if pooled.why is not None:
        return f"{with_blocks}."
    return f"{with_blocks}; without blocks, they {_verdict(result, pooled)} ({_basis(result, H, pooled)})."


def _in_blocks(result: TopicsResult, blocked: Blocked, column: str, row: str) -> str:
    test = blocked.test
    if test.why is not None:
        columns = (result.over_systems if column == "system" else result.over_topics).groups
        lack = f"two {row}s with two scores, has {test.n or 'none'}"
        if blocked.complete and columns < 2:
            lack = f"two {column}s with scores, has {columns or 'none'}"
        elif blocked.complete:
            lack = f"two complete {row}s, has {test.n or 'none'}"
        return f"{column}s cannot be compared ({blocked.name}: needs {lack})"
    basis = _basis(result, f"{blocked.name}, chi-squared", test)
    return f"{column}s {_verdict(result, test)} ({basis}, {counted(test.n, row)})"


def _verdict(result: TopicsResult, test: KruskalWallis | Friedman | SkillingsMack) -> str:
    if _out_of_reach(result, test):
        return CANNOT
    return "differ" if test.p <= result.alpha else "do not differ significantly"


def _out_of_reach(result: TopicsResult, test: KruskalWallis | Friedman | SkillingsMack) -> bool:
    """Whether no order of the scores would have been significant."""
    return test.p > result.alpha and test.smallest_p > result.alpha


def _basis(result: TopicsResult, name: str, test: KruskalWallis | Friedman | SkillingsMack) -> str:
    return f"{name}({test.df}) = {test.statistic:.4g}, {p_words(test.p, result.alpha)}"
