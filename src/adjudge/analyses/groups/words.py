"""What is said of groups of systems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.methods import (
    LETTERS,
    cite,
    holes_words,
    pooled_words,
    prepared_words,
    what_was_compared,
)
from adjudge.analyses.phrasebook import best_words, pairs_differ
from adjudge.core.words import capitalised, counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.groups.result import GroupsResult
    from adjudge.stats.own_variances import WithBest

NOTES = phrasebook.NOTES
CEILING = {
    "max-t": "few topics show how far their scores vary, so that their differences are hard to find",
    "t": "few topics show how far their scores vary, and Student's t may find more differences than alpha allows",
    "tukey": "few topics show how far their scores vary, and one variance does not fit all systems",
}
"""What a ceiling means for each method."""
SCALED = {
    "ranks": f"Scores were replaced by their ranks{cite('conover1981')}.",
    "topic-ranks": "Scores were replaced by their ranks within topics.",
}


def sentences(result: GroupsResult) -> Iterator[str]:
    from adjudge.analyses.groups.result import MOST_LINES

    yield _headline(result)
    yield result.rankings.sentence()
    if (warning := result.lines.warning()) and len(result.lines.lines) <= MOST_LINES:
        yield f"{capitalised(warning)}."
    yield from _about_missing(result)
    yield from result.test.notes()
    if result.spreads is not None:
        yield result.spreads.sentence(result.alpha)
    if result.hsu is not None:
        yield _about_best(result, result.hsu)
    if result.contrasts is not None:
        if len(result.contrast_names) > 1:
            yield (
                f"The {len(result.contrast_names)} contrasts are corrected as one family, apart from the pairs."
            )
        for k, name in enumerate(result.contrast_names):
            yield result.contrasts.sentence(k, name)
    if (at_end := result.at_the_end()) is not None:
        end, score, systems = at_end
        have = "has" if len(systems) == 1 else "have"
        yield (
            f"{listed(systems)} {have} the {end} score, {score:g}, on half of the topics or more:"
            f" {CEILING[result.test.method]}."
        )
    if result.asked.pairs:
        yield from pair_sentences(result)


def pair_sentences(result: GroupsResult) -> Iterator[str]:
    """Every pair in words."""
    for k, (a, b) in enumerate(combinations(result.matrix.systems, 2)):
        yield result.test.sentence(k, a, b, result.matrix.info.better)


def _headline(result: GroupsResult) -> str:
    """How many pairs differ, do not, or could not be found to, and who may be the best."""
    differ, alike, out_of_reach, apart = counts = list(result.concluded().values())
    if not sum(counts):
        return f"On {result.title} there is one system, and no pair to compare."
    how = result.test.words if result.pooled else f"own variances, {result.test.words}"
    if differ + alike == 0:
        parts = [f"no pair of systems could have been found to differ ({how})"]
    else:
        parts = [f"{pairs_differ(differ, sum(counts))} ({how})"]
        if alike:
            parts.append(f"{alike:,} {'is' if alike == 1 else 'are'} not significantly different")
    if out_of_reach:
        parts.append(f"{out_of_reach:,} could not have been found ({_why_out_of_reach(result)})")
    if apart:
        what = "no chain of common topics" if result.pooled else "no common topic"
        parts.append(f"{apart:,} {'is' if apart == 1 else 'are'} not comparable ({what})")
    names = [place.system for place in result.places]
    who = best_words(result.better, names, directed=result.matrix.info.better is not None)
    return f"On {result.title} {'; '.join(parts)}; {who}."


def _why_out_of_reach(result: GroupsResult) -> str:
    """Why pairs could not have been found to differ: the commonest reason."""
    import numpy as np

    from adjudge.stats.own_variances import no_test

    test = result.test
    pairs = np.flatnonzero(test.conclusion == 2).tolist()
    reasons = [test.why.get(k, "too few topics differ at all") for k in pairs]
    most = max(dict.fromkeys(reasons), key=reasons.count)
    why = most if len(set(reasons)) == 1 else f"mostly: {most}"
    constant = any(
        result.n[k] > 1 and test.why.get(k) == no_test(int(result.n[k])) and test.difference[k] for k in pairs
    )
    if constant and not result.pooled:
        why += "; `adjudge compare` tests differences that are all the same by their ranks"
    return why


def _about_missing(result: GroupsResult) -> Iterator[str]:
    """What missing cells mean for the means and for the pairs."""
    import numpy as np

    if not np.isnan(result.values).any():
        return
    if result.joined:
        yield "Cells are missing: means are least-squares means of the model topic + system."
    else:
        yield (
            "Cells are missing, and no chain of common topics joins all systems: means are each system's own, over"
            " different topics."
        )
    if not result.pooled and result.n.size:
        few, many = int(result.n.min()), int(result.n.max())
        topics = few if few == many else f"{few} to {many}"
        yield f"Each pair is compared on the topics that both have, {topics}."
    if against := int(np.tril(result.better).sum()):
        yield (
            f"{counted(against, 'pair stands', 'pairs stand')} in the table the other way round than the test of their"
            " common topics says."
        )


def _about_best(result: GroupsResult, hsu: WithBest) -> str:
    """Hsu's candidates for the best."""
    word = "best" if result.matrix.info.better is not None else "highest"
    candidates = dict(zip(result.matrix.systems, hsu.candidates, strict=True))
    names = [place.system for place in result.places if candidates[place.system]]
    how = "one-sided bootstrap of the largest t" if hsu.method == "max-t" else "one-sided t, Bonferroni"
    return (
        f"By Hsu's comparisons with the {word} ({how}, level {hsu.level:g}) {listed(names)}"
        f" {'is the only candidate' if len(names) == 1 else 'are the candidates'} for the {word}."
    )


def about_diagram(result: GroupsResult) -> str:
    """What the diagram shows, and on how many pairs its test and that of the groups are not of one mind."""
    import numpy as np

    shows = "Mean ranks within topics; lines by Nemenyi's test"
    by_ranks = result.diagram.test.conclusion == 0
    apart = int(np.count_nonzero(by_ranks != (result.test.conclusion == 0)))
    if not apart:
        return shows
    differ = counted(apart, "pair differs", "pairs differ")
    return f"{shows}, not that of the groups: {differ} by one of the two alone"


# For a paper


def methods(result: GroupsResult) -> Iterator[str]:
    """How all pairs of systems were compared at once."""
    yield what_was_compared([result])
    yield from prepared_words([result])
    if holes := holes_words(result, [result]):
        model = "least-squares means of the model score = topic + system"
        yield f"{holes}; means are {model if result.joined else 'over the topics that each system has'}."
    yield from pooled_words([result])
    if result.assessors > 1:
        yield f"The scores come from {result.assessors} assessors: what is said holds for these assessors."
    if result.asked.scale in SCALED:
        yield SCALED[result.asked.scale]
    if len(result.places) > 1:
        yield from _all_pairs(result)


def _all_pairs(result: GroupsResult) -> Iterator[str]:
    import numpy as np

    test, alpha = result.test, f"{result.alpha:g}".removeprefix("0")
    tested = f"{counted(len(test), 'pair')} of systems {'was' if len(test) == 1 else 'were'} tested"
    common = ", on the topics that both systems of a pair have" if np.isnan(result.values).any() else ""
    own_variance = f"each with the variance of its own differences over topics{common}"
    if test.method == "max-t":
        how = f"{own_variance}, by a step-down bootstrap of the largest t statistic{cite('romano2005')}"
        yield f"{tested} together, {how}, with {result.asked.resamples:,} resamples."
    elif test.method == "t":
        yield f"{tested} with paired t-tests{cite('student1908')}, {own_variance}."
        yield f"p-values are corrected by Holm's procedure{cite('holm1979')}."
    elif result.asked.scale == "topic-ranks":
        yield f"{tested} together with Nemenyi's test of mean ranks{cite('demsar2006')}."
    else:
        model = "with one variance for all, that of the model score = topic + system"
        yield f"{tested} together with Tukey's test{cite('tukey1949', 'kramer1956')}, {model}."
    yield f"Differences count as significant up to a corrected p of {alpha}; intervals of differences hold together."
    _, _, out_of_reach, apart = result.concluded().values()
    if out_of_reach:
        yield f"{counted(out_of_reach, 'pair')} could not have been found to differ."
    if apart:
        yield f"{counted(apart, 'pair has', 'pairs have')} no topics by which to compare."
    if result.hsu is not None:
        yield f"Comparisons with the best system are Hsu's{cite('hsu1984')}."
    if contrasts := len(result.contrast_names):
        theirs = "is a family of its" if contrasts == 1 else "are a family of their"
        yield f"{counted(contrasts, 'contrast')} {theirs} own."
    yield LETTERS
