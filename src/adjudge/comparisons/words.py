"""What a comparison says in plain words: its headline, its sentences, its warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.wording import counted, listed

if TYPE_CHECKING:
    from adjudge.comparisons.result import Comparison, Pair


def sentences(c: Comparison) -> Iterator[str]:
    """The headline, then every pair that differs, and with a margin also every pair that is the same."""
    yield headline(c)
    for pair in c.pairs[c.test]:
        if pair.different or pair.same:
            yield pair.sentence(c.matrix.info.better, c.alpha, margin=c.choices.margin)


def headline(c: Comparison) -> str:
    pairs = c.pairs[c.test]
    if len(c.standings) < 2:
        return f"One system has scores: nothing to compare on {c.title}."
    if not pairs:
        return f"On {c.title} no pair of systems was asked for."
    untested = [pair.result.why for pair in pairs if pair.result.why is not None]
    if len(untested) == len(pairs):
        return f"On {c.title} no pair of systems can be tested: {untested[0]}."
    found = sum(pair.different for pair in pairs)
    if not found:
        return (
            f"On {c.title} no two systems can be told apart ({counted(len(pairs), 'pair')}){_same(pairs, c)}."
        )
    of = f"{found} of {counted(len(pairs), 'pair')} of systems differ"
    left = f" ({counted(len(untested), 'pair')} could not be tested)" if untested else ""
    if c.choices.against is not None:
        return f"On {c.title} {_against(pairs, c)}; {of}{left}."
    top = _top(c, pairs) if c.complete else ""
    return f"On {c.title} {top}{'; ' if top else ''}{of}{left}{_same(pairs, c)}."


def _same(pairs: Sequence[Pair], c: Comparison) -> str:
    if c.choices.margin is None:
        return ""
    same = sum(pair.same for pair in pairs)
    return f"; {same} are shown to be the same within {c.choices.margin:g}"


def _against(pairs: Sequence[Pair], c: Comparison) -> str:
    """Who is better and who is worse than the one all are held against; it stands second in every pair."""
    sign = -1 if c.matrix.info.better == "lower" else 1
    above = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign > 0]
    below = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign < 0]
    high, low = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    said = [f"{listed(names)} {_is(names)} {word}" for names, word in ((above, high), (below, low)) if names]
    return f"{' and '.join(said)} than {c.choices.against}"


def _top(c: Comparison, pairs: Sequence[Pair]) -> str:
    """Who is at the top, in words: nobody stands alone whom another system beats topic by topic."""
    top = c.standings[0].system
    better = c.matrix.info.better
    sign = -1 if better == "lower" else 1
    against = [pair for pair in pairs if pair.a == top]
    above = [pair.b for pair in against if pair.different and pair.result.statistic * sign < 0]
    alike = [pair.b for pair in against if not pair.different]
    word = "best" if better else "highest"
    if above:
        return f"{top} has the {word} mean, but topic by topic {listed(above)} {_is(above)} above it"
    if alike:
        return f"{listed([top, *alike])} cannot be told from the {word}"
    return f"{top} stands alone at the top" if better else f"{top} is the highest"


def warnings(c: Comparison) -> list[str]:
    """What a reader should know before believing the table."""
    found = []
    if len({s.n for s in c.standings}) > 1:
        found.append("means are over different topics: some cells are missing")
    found += _unreachable(c)
    if c.tested[c.test].left_out:
        found.append(_left_out(c))
    if c.tested[c.test].floor >= c.alpha:
        found.append(
            f"the smallest corrected p that these resamples allow is {c.tested[c.test].floor:.3g}: nothing can be"
            " found; take more with --resamples"
        )
    if c.test in ("t-unpaired", "welch"):
        found.append("the scores of two systems on one topic are not independent: paired tests find more")
    if c.choices.correct == "none" and len(c.pairs[c.test]) > 1:
        expected = len(c.pairs[c.test]) * c.alpha
        found.append(
            f"{counted(len(c.pairs[c.test]), 'pair')} without correction:"
            f" about {expected:.3g} would differ at p < {c.alpha:g} if no systems did"
        )
    return found


def _unreachable(c: Comparison) -> list[str]:
    topics, pairs = len(c.matrix.topics), len(c.pairs[c.test])
    swaps = c.test in ("wilcoxon", "sign", "exact")
    if not swaps or not pairs or c.choices.correct not in ("holm", "bonferroni"):
        return []
    sides = 1 if c.choices.side == "both" else 0
    if pairs * 2.0 ** (sides - topics) < c.alpha:
        return []
    return [
        f"with {counted(topics, 'topic')} and {counted(pairs, 'pair')} the smallest p that this test and"
        f" correction can give is not below {c.alpha:g}: nothing can be found"
    ]


def _left_out(c: Comparison) -> str:
    left = c.tested[c.test].left_out
    counts = c.tested[c.test].results.counts
    names = [
        f"{c.matrix.systems[counts.first[k]]} and {c.matrix.systems[counts.second[k]]}"
        for k in list(left)[:3]
    ]
    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
    return f"{counted(len(left), 'pair')} left the family: {'; '.join(names)}{more} ({next(iter(left.values()))})"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
