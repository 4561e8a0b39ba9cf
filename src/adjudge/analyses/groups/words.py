"""What is said of groups of systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.compare import words as compare_words
from adjudge.analyses.compare.words import population_words
from adjudge.analyses.methods import (
    LETTERS,
    cite,
    corrected_words,
    holes_words,
    pooled_words,
    prepared_words,
    tested_words,
    what_was_compared,
)
from adjudge.analyses.phrasebook import best_words, enumerated, pairs_differ, reason
from adjudge.core.words import capitalised, counted, number_word, p_words

if TYPE_CHECKING:
    from adjudge.analyses.groups.result import GroupsResult
    from adjudge.stats.linear.contrasts import Contrasts
    from adjudge.stats.linear.tukey import SpreadCheck, Tukey
    from adjudge.stats.own_variances import OwnContrasts, WithBest

NOTES = {**phrasebook.NOTES, **compare_words.NOTES}
CEILING = {
    "max-t": "their differences are hard to find",
    "t": "Student's t may find more differences than alpha allows",
    "tukey": "one variance does not fit all systems",
}
"""What a ceiling means for each method."""
ADJUST_WORDS = {
    "none": "t",
    "bonferroni": "t, Bonferroni",
    "holm": "t, Holm",
    "scheffe": "Scheffé",
    "single-step": "multivariate t",
}
SCALED = {
    "ranks": f"Scores were replaced by their ranks{cite('conover1981')}.",
    "topic-ranks": "Scores were replaced by their ranks within topics.",
}


def sentences(result: GroupsResult) -> Iterator[str]:
    from adjudge.analyses.groups.result import MOST_LINES
    from adjudge.stats.linear.tukey import Tukey

    yield _headline(result)
    if len(result.places) > 1:
        yield result.rankings.sentence()
    if (warning := result.lines.warning()) and len(result.lines.lines) <= MOST_LINES:
        yield f"{capitalised(warning)}."
    yield from _about_missing(result)
    if isinstance(result.test, Tukey):
        yield about_hsd(result.test)
    if result.spreads is not None:
        yield about_spread(result.spreads, result.alpha)
    if result.hsu is not None:
        yield _about_best(result, result.hsu)
    if result.contrasts is not None:
        if len(result.contrast_names) > 1:
            yield f"The {len(result.contrast_names)} contrasts are corrected together, apart from the pairs."
        for k, name in enumerate(result.contrast_names):
            yield contrast_sentence(result.contrasts, k, name)
    if (at_end := result.at_the_end()) is not None:
        end, score, systems = at_end
        have = "has" if len(systems) == 1 else "have"
        yield (
            f"{enumerated(systems)} {have} the {end} score, {score:g}, on half of the topics or more:"
            f" {CEILING.get(result.test.method, CEILING['t'])}."
        )


def contrast_sentence(tested: OwnContrasts | Contrasts, k: int, name: str) -> str:
    """What the k-th contrast says, called by a name such as "humans - machines"."""
    from adjudge.stats.linear.contrasts import Contrasts

    estimate = float(tested.estimate[k])
    if k in tested.why:
        value, cannot = ("", "estimated") if math.isnan(estimate) else (f" = {estimate:z.4g}", "tested")
        return f"{name}{value} cannot be {cannot} ({reason(tested.why[k])})"
    alpha = round(1 - tested.level, 12)
    side = "is above 0" if estimate > 0 else "is below 0"
    if tested.p[k] > alpha:
        side = "is not significantly different from 0"
    ends = f"{tested.level:.0%} interval {tested.low[k]:z.4g} to {tested.high[k]:z.4g}"
    by, n = (
        (ADJUST_WORDS[tested.adjust], "")
        if isinstance(tested, Contrasts)
        else (tested.words, f", n = {tested.n[k]}")
    )
    return f"{name} = {estimate:z.4g} {side} ({by}, {p_words(float(tested.p[k]), alpha)}{n}; {ends})"


def about_hsd(test: Tukey) -> str:
    """Which difference is significant: one without missing cells, else from the least to the largest."""
    import numpy as np

    widths = test.half_width[np.isfinite(test.half_width) & (test.se > 0)]
    what = "A difference of means" if test.scale == "values" else "A difference of mean ranks"
    if not widths.size:
        why = reason(next(iter(test.why.values()), None)) or (
            "there is one system" if test.p.size == 0 else "nothing varies between topics but their level"
        )
        return f"No difference can be called significant: {why}."
    low, high = f"{widths.min():.4g}", f"{widths.max():.4g}"
    if low == high:
        return f"{what} above {low} is significant."
    return f"{what} is significant above {low} to {high}, depending on the pair."


def about_spread(check: SpreadCheck, alpha: float) -> str:
    """Whether pairs' differences spread alike, and what it means for Tukey's p-values."""
    start = "Tukey's test supposes that the differences of all pairs vary alike"
    if math.isnan(check.least):
        return f"{start}; no pair has two topics to show it."
    if check.most == 0:
        return f"{start}; here no pair's differences vary at all."
    seen = f"here their standard deviations go from {check.least:.4g} to {check.most:.4g}"
    if math.isnan(check.p):
        return f"{start}; {seen}, and whether systems vary alike cannot be tested."
    friedman = (
        f"Friedman's test of absolute residuals, {p_words(check.p, alpha)}, n = {counted(check.n, 'topic')}"
    )
    if check.p > alpha:
        return f"{start}; {seen}. Systems do not differ significantly in how much they vary ({friedman})."
    return (
        f"{start}; {seen}, and systems differ significantly in how much they vary ({friedman}). So p is too small for"
        " pairs that vary much and too large for the others; the other methods do not suppose this."
    )


def _headline(result: GroupsResult) -> str:
    """Who may be the best, how many pairs differ, and of how many nothing can be said."""
    differ, alike, out_of_reach, apart = counts = list(result.concluded().values())
    total = sum(counts)
    if not total:
        return "One system has scores: nothing to compare."
    how = result.test.words
    whose = ""
    if result.compared is not None and (who := result.compared.population) is not None:
        whose = f", on average over {who.like_these if who.effects == 'random' else who.these}"
    parts = []
    if differ:
        names = [place.system for place in result.places]
        parts.append(best_words(result.better, names, directed=result.matrix.info.better is not None))
    if differ + alike:
        parts.append(f"{capitalised(pairs_differ(differ, total))}{whose} ({how})")
    if out_of_reach:
        which = _pairs(out_of_reach) if differ + alike + apart else "any pair"
        parts.append(f"No difference can be found for {which}: {_why_out_of_reach(result)}")
        parts[-1] += "" if differ + alike else f" ({how})"
    if apart:
        what = "chain of common topics" if result.pooled else "topic in common"
        parts.append(f"{capitalised(_pairs(apart))} {'has' if apart == 1 else 'have'} no {what}")
    return f"{'. '.join(parts)}."


def _pairs(n: int) -> str:
    return f"{number_word(n)} pair{'' if n == 1 else 's'}"


def _why_out_of_reach(result: GroupsResult) -> str:
    """Why pairs cannot be found to differ: the commonest reason."""
    import numpy as np

    test = result.test
    pairs = np.flatnonzero(test.conclusion == 2).tolist()
    reasons = [reason(test.why.get(k)) or "too few topics differ" for k in pairs]
    most = max(dict.fromkeys(reasons), key=reasons.count)
    return most if len(set(reasons)) == 1 else f"mostly, {most}"


def _about_missing(result: GroupsResult) -> Iterator[str]:
    """What missing cells mean for the means and for the pairs."""
    import numpy as np

    if not np.isnan(result.values).any():
        return
    if result.compared is not None and result.compared.modelled:
        yield "Cells are missing: means are those of the mixed model, adjusted for topics and assessors."
        return
    if result.joined:
        yield "Cells are missing: means are least-squares means of the model topic + system."
    else:
        yield (
            "Cells are missing, and no chain of common topics joins all systems: each mean is over the topics that the"
            " system has."
        )
    if not result.pooled and result.n.size:
        few, many = int(result.n.min()), int(result.n.max())
        topics = few if few == many else f"{few} to {many}"
        yield f"Each pair is compared on the topics that both systems have ({topics})."
    if against := int(np.tril(result.better).sum()):
        yield (f"The test of common topics turns {counted(against, 'pair')} of the table round.")


def _about_best(result: GroupsResult, hsu: WithBest) -> str:
    """Hsu's candidates for the best."""
    word = "best" if result.matrix.info.better is not None else "highest"
    candidates = dict(zip(result.matrix.systems, hsu.candidates, strict=True))
    names = [place.system for place in result.places if candidates[place.system]]
    how = "one-sided bootstrap of the largest t" if hsu.method == "max-t" else "one-sided t, Bonferroni"
    return f"May be the {word}, by Hsu's comparisons with the {word} ({how}, level {hsu.level:g}): {enumerated(names)}."


def about_diagram(result: GroupsResult) -> str:
    """What the diagram shows, and on how many pairs its test and that of the groups are not of one mind."""
    import numpy as np

    shows = "Mean ranks within topics; lines by Nemenyi's test"
    by_ranks = result.diagram.test.conclusion == 0
    apart = int(np.count_nonzero(by_ranks != (result.test.conclusion == 0)))
    if not apart:
        return shows
    differ = counted(apart, "pair differs", "pairs differ")
    return f"{shows}, which is not the test of the groups: {differ} by one of the two alone"


# For a paper


def methods(result: GroupsResult) -> Iterator[str]:
    """How all pairs of systems were compared at once."""
    yield what_was_compared([result])
    yield from prepared_words([result])
    if holes := holes_words(result, [result]):
        model = "least-squares means of the model score = topic + system"
        yield f"{holes}; means are {model if result.joined else 'over the topics that each system has'}."
    yield from pooled_words([result])
    if result.compared is not None and (who := result.compared.population) is not None:
        yield f"{population_words(who)}."
    elif result.assessors > 1:
        yield f"{result.assessors} assessors judged, and conclusions are about these."
    if result.asked.tested in SCALED:
        yield SCALED[result.asked.tested]
    if len(result.places) > 1:
        yield from _all_pairs(result)


def _all_pairs(result: GroupsResult) -> Iterator[str]:
    import numpy as np

    test, alpha = result.test, f"{result.alpha:g}".removeprefix("0")
    tested = f"{counted(len(test), 'pair')} of systems {'was' if len(test) == 1 else 'were'} tested"
    common = ", on the topics that both systems of a pair have" if np.isnan(result.values).any() else ""
    own_variance = f"each with the variance of its own differences over topics{common}"
    if result.compared is not None:
        yield from tested_words([result.compared])
        yield from corrected_words([result.compared])
    elif test.method == "max-t":
        how = f"{own_variance}, by a step-down bootstrap of the largest t statistic{cite('romano2005')}"
        yield f"{tested} together, {how}, with {result.asked.resamples:,} resamples."
    elif test.method == "t":
        yield f"{tested} with paired t-tests{cite('student1908')}, {own_variance}."
        yield f"p-values are corrected by Holm's procedure{cite('holm1979')}."
    elif result.asked.tested == "topic-ranks":
        yield f"{tested} together with Nemenyi's test of mean ranks{cite('demsar2006')}."
    else:
        model = "with one variance for all, that of the model score = topic + system"
        yield f"{tested} together with Tukey's test{cite('tukey1949', 'kramer1956')}, {model}."
    if result.compared is None:
        yield f"Differences count as significant up to a corrected p of {alpha}; intervals of them hold together."
    _, _, out_of_reach, apart = result.concluded().values()
    if out_of_reach:
        yield f"{counted(out_of_reach, 'pair')} could not have been found to differ, whatever the scores."
    if apart:
        yield f"{counted(apart, 'pair has', 'pairs have')} no topics by which to compare."
    if result.hsu is not None:
        yield f"Comparisons with the best system are Hsu's{cite('hsu1984')}."
    if contrasts := len(result.contrast_names):
        yield f"{counted(contrasts, 'contrast was', 'contrasts were')} corrected apart from the pairs."
    yield LETTERS
