"""What is said of strengths that were fitted to preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.phrasebook import (
    assessors_like_these,
    best_words,
    pairs_differ,
    these_alone,
    these_assessors,
)
from adjudge.core.errors import quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed, p_number
from adjudge.core.words import percent as share_words

if TYPE_CHECKING:
    from adjudge.analyses.conclusions import Conclusion
    from adjudge.analyses.preferences.strengths import PreferenceFit
    from adjudge.stats.preference.contrasts import ModelParameter, OpenPosition


NOT_JOINED = "never compared, not even through others"
THESE_ONLY: Mapping[str, str] = {
    "one-assessor": "one assessor says nothing of how others would answer",
    "unnamed": "some answers do not say who gave them",
    "as-asked": "what is independent was chosen, and assessors are not among it",
    "one-way": "every item won all its duels with the next, which does not show how far assessors disagree",
    "open-position": "an effect of position could explain all their answers",
    "too-few": "too few assessors compared the same items to show how far they disagree",
    "not-apart": "who compared which items leaves no way to tell how assessors disagree from how items differ",
    "too-large": "there are too many items and assessors for the model",
}
"""Why nothing is said of other assessors."""
MOST_TRIPLES = 3


def _answers_independent(topics: int, sampled: bool) -> str:
    why = "as there is only one topic" if topics == 1 else "as topics are unknown"
    if topics > 1:
        why = "and hold for these topics only"
    return f"intervals and tests treat answers{' of an assessor' if sampled else ''} as independent, {why}"


def _regularised(
    part: str | None, often: float, asked: bool, converged: bool, error: float, per_item: float
) -> str:
    text = ""
    if often:
        answers = f"{per_item:.3g} answer{'' if per_item == 1 else 's'}"
        added = f"{often:g} wins and {often:g} losses added to each item (which has {answers} on average)"
        if asked:
            text = f"as asked, strengths are those with {added}"
        else:
            whom = f"in {part}, some items" if part else "some items"
            text = (
                f"{whom} won, or lost, all their duels with the rest, so that no finite strengths fit best: shown are"
                f" those with {added}"
            )
    if not converged:
        reached = f"to {error:.2g} only" if math.isfinite(error) else "to an unknown accuracy"
        text += f"{'; ' if text else ''}{f'in {part}, ' if part and not text else ''}strengths are computed {reached}"
    return text


def _too_few_topics(topics: int, least: float, pairs: int | None) -> str:
    corrected = "" if pairs is None else f" (Holm over {pairs:,} pairs)"
    return (
        f"{counted(topics, 'topic')} are too few to find a difference: no p is below {least:.3g}{corrected}"
    )


NOTES: dict[str, str | Callable[..., str]] = {
    "about-answers": "{text}",
    "pooled-targets": lambda name, targets: (
        f"several {name}s are pooled ({', '.join(targets)}): choose one with"
        f" {Argument('topics', [f'task={targets[0]}']) if name == 'task' else Argument(name)}"
    ),
    "not-propagated": "answers are not propagated to similar sentences with a tie model or an effect of position",
    "regularised": _regularised,
    "these-assessors-only": lambda assessors, why: (
        f"conclusions are for {these_assessors(assessors)} alone: {THESE_ONLY[why]}"
    ),
    "parameter-dropped": "{why}",
    "answers-independent": _answers_independent,
    "too-few-topics": _too_few_topics,
    "propagated": "answers were propagated to similar items: strengths are of an item and what resembles it",
    "items-without-strength": lambda n: f"{counted(n, 'item has', 'items have')} no strength: never shown",
    "answers-left-out": lambda n, why: f"{counted(n, 'answer')} left out: {why}",
    "careless": "{assessor}: {warning}",
}


def sentences(fit: PreferenceFit) -> Iterator[str]:
    """Who may be the best, how few answers decide it, how many pairs differ, and what ties and positions do."""
    misfit = _fit_sentence(fit)
    if fit.round_triples():  # then ranks and strengths say little
        yield misfit
        misfit = ""
    few = fewest_words(fit.fewest, _called(fit.items), what="answer", item=fit.noun)
    if fit.contrasts is None or fit.findings is None:
        yield "Strengths are regularised, as asked: no intervals and no tests."
        yield from filter(None, [few])
        return
    several = len(fit.parts) > 1
    if several:
        yield (
            f"The items fall into {counted(len(fit.parts), 'group')} never compared with each other, so they are ranked"
            " separately."
        )
    for part, order in zip(fit.parts, fit.orders(), strict=True):
        items = [fit.items[fit.fitted[k]] for k in order]
        names = _called(items)
        start = f"In {part.name} ({listed(names)}), " if several else ""
        best = best_words(fit.findings.better[np.ix_(order, order)], names, what="item", start=start)
        yield f"{best}."
    yield from filter(None, [few])
    yield _pairs_sentence(fit)
    yield from filter(None, [misfit])
    if (position := fit.contrasts.position) is not None:
        yield _position_sentence(fit, position)
    if (tie := fit.contrasts.tie) is not None:
        share = float(fit.chances(np.zeros(1))[1][0])
        name = "nu" if fit.contrasts.model == "davidson" else "theta"
        yield f"Equal items tie in {share_words(share)} of their duels ({name} = {math.exp(tie.value):.3g})."


def _called(items: Sequence[str]) -> Sequence[str]:
    """Texts stand in quotes; they are cut short only where that leaves them different."""
    short = [item if len(item) <= 30 and " " not in item else quoted(item) for item in items]
    return short if len(set(short)) == len(short) else items


def _position_sentence(fit: PreferenceFit, position: ModelParameter | OpenPosition) -> str:
    """Odds with their interval, or the one bound that they have."""
    from adjudge.stats.preference.contrasts import OpenPosition

    low, high = map(power, position.bounds(fit.level))
    level = percent(fit.level)
    if isinstance(position, OpenPosition):
        end = low if position.side == "above" else high
        bound = (
            f"at {'least' if position.side == 'above' else 'most'} {end:.3g} (at {level}; no finite maximum)"
        )
        odds = "may be any: too few answers for a bound" if math.isnan(end) else bound
    else:
        between = f"{low:.3g} to {high:.3g}" if low == low and high == high else "any"
        odds = f"{math.exp(position.value):.3g} ({level} interval {between})"
    effect = "Position makes no significant difference"
    if position.p < fit.alpha:
        effect = f"What is shown {'first' if position.value > 0 else 'second'} is preferred"
    return f"{effect}: odds of the first {odds}."


def chances_title(fit: PreferenceFit, preferred: str) -> str:
    """Of a table or a figure of chances: of which duels, and by which strengths."""
    decided = "of the duels decided, " if fit.ties_apart else ""
    pulled = [standing.regularised for standing in fit.standings if standing.rank is not None]
    some = "" if all(pulled) else " in some parts"
    return f"{decided}how likely {preferred}{f' (by regularised strengths{some})' if any(pulled) else ''}"


def _pairs_sentence(fit: PreferenceFit) -> str:
    hopeless = "too few answers to differ"
    if not sum(standing.wins for standing in fit.standings):
        hopeless = "only ties"
    words: dict[Conclusion, str] = {
        "could not have been found": f"with {hopeless}",
        "not comparable": NOT_JOINED,
    }
    counts = fit.counts()
    pairs = sum(counts.values())
    others = [f"{number:,} {words[name]}" for name, number in counts.items() if number and name in words]
    rest = f"; {listed(others)}" if others else ""
    if not pairs:
        return ""
    whose, these = "", ""
    if fit.judged_by:
        size = len(fit.judged_by)
        whose = f",{for_whom(fit)}"
        if fit.these is not None:
            same = bool((fit.these.better == fit.findings.better).all()) if fit.findings else True
            whose = f", for {these_assessors(size)} and for others like them" if same else whose
            n = fit.these.counts()["differ"]
            these = (
                ""
                if same
                else f"; {n:,} for {these_alone(size)}"
                if pairs > 1
                else f"; for {these_alone(size)} they do"
            )
    if pairs == 1 and fit.compared:
        if counts["could not have been found"]:
            if hopeless == "only ties":
                return f"All answers are ties ({_tested_by(fit)})."
            few = "topics, or answers," if fit.by == "cluster" else "answers"
            return f"Too few {few} for a significant difference, whatever was answered ({_tested_by(fit)})."
        return f"{_one_pair(fit)}{whose}{these} ({_tested_by(fit)})."
    differ = "No pair of items differs significantly"
    if counts["differ"]:
        differ = pairs_differ(counts["differ"], pairs, of="items")
    holm = f", Holm over {counted(fit.compared, 'pair')}" if fit.compared > 1 else ""
    return f"{differ}{whose}{these}{rest} ({_tested_by(fit)}{holm})."


def for_whom(fit: PreferenceFit) -> str:
    """` for assessors like these three`; empty where no assessor is named."""
    size = len(fit.judged_by)
    return f" for {assessors_like_these(size) if fit.these else these_alone(size)}" if size else ""


def _one_pair(fit: PreferenceFit) -> str:
    p = p_number(fit.pairs[0].p, 3)
    p = p if p.startswith("<") else f"= {p}"
    return f"The two {'' if fit.counts()['differ'] else 'do not '}differ significantly, p {p}"


def _tested_by(fit: PreferenceFit) -> str:
    test = "answers treated as independent"
    if fit.by == "cluster":
        test = f"jackknife over {counted(fit.topics, 'topic')}"
    elif fit.similarity is not None:
        test = "jackknife over answers"
    return f"{test}, assessors as a sample" if fit.these is not None else test


def _fit_sentence(fit: PreferenceFit) -> str:
    """Whether one strength per item fits the answers, and the items that beat each other in a circle."""
    goodness = fit.goodness
    if goodness is None:
        return ""
    if goodness.smallest >= fit.alpha:
        return "Too few duels to show whether items beat each other in a circle."
    p = p_number(goodness.p, 3)
    p = p if p.startswith("<") else f"= {p}"
    if goodness.p >= fit.alpha:
        return f"No significant sign that items beat each other in a circle (test of fit, p {p})."
    start = f"No strengths fit these answers (test of fit, p {p}; chances are off by {goodness.off:.2f} on average)"
    triples = fit.round_triples()
    if not triples:
        return (
            f"{start}: no three items beat each other in a circle, but some pairs are further apart, or nearer, than"
            " strengths can say. Read the pairs."
        )
    shown = [f"{a} over {b}, {b} over {c}, {c} over {a}" for a, b, c in triples[:MOST_TRIPLES]]
    more = len(triples) - len(shown)
    rest = f"; and {counted(more, 'other circle')}" if more else ""
    return f"{start}: items beat each other in a circle: {'; '.join(shown)}{rest}. Read the pairs, not the ranks."


def percent(level: float) -> str:
    """A level in as many decimals as it takes to tell it from 100 %."""
    for digits in range(12):
        shown = round(level, digits + 2)
        if abs(shown - level) <= 0.01 * (1 - level):
            break
    return f"{level:.{digits}%}"


def power(log: float) -> float:
    """NaN where it has no end."""
    return math.exp(log) if abs(log) < 700 else math.nan
