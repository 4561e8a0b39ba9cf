"""What is said of strengths that were fitted to preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.phrasebook import best_words
from adjudge.core.errors import quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.conclusions import Conclusion
    from adjudge.analyses.preferences.strengths import PreferenceFit
    from adjudge.stats.preference.contrasts import ModelParameter, OpenPosition


NOT_JOINED = "no chain of duels joins them"


def _answers_independent(topics: int) -> str:
    why = "since there is one topic" if topics == 1 else "since no topics are known"
    if topics > 1:
        why = "not topics: they hold for these topics alone"
    return f"intervals and tests take answers as independent, {why}"


def _too_few_topics(topics: int, least: float, pairs: int | None) -> str:
    corrected = "" if pairs is None else f" with Holm's correction over {pairs:,} pairs"
    no_difference = f"no difference could have been found{corrected}"
    return f"{counted(topics, 'topic')}: p is {least:.3g} or more, so that {no_difference}"


NOTES: dict[str, str | Callable[..., str]] = {
    "about-answers": "{text}",
    "pooled-targets": lambda name, targets: (
        f"pairs of several {name}s are taken together ({', '.join(targets)}): choose one with"
        f" {Argument('topics', [f'task={targets[0]}']) if name == 'task' else Argument(name)}"
    ),
    "not-propagated": "a tie model or an effect of position: answers were not propagated to similar sentences",
    "regularised": lambda part, how: f"{part}: {how}" if part else how,
    "parameter-dropped": "{why}",
    "answers-independent": _answers_independent,
    "too-few-topics": _too_few_topics,
    "propagated": "answers were propagated to similar items: strengths are of items and what is like them",
    "items-without-strength": lambda n: (
        f"{counted(n, 'item has', 'items have')} no strength: nobody was asked about them"
    ),
    "answers-left-out": lambda n, why: f"{counted(n, 'answer')} left out: {why}",
    "careless": "{assessor}: {warning}",
}


def sentences(fit: PreferenceFit) -> Iterator[str]:
    """Who may be the best, how few answers decide it, how many pairs differ, and what ties and positions do."""
    few = fewest_words(fit.fewest, _called(fit.items), what="answer", item=fit.noun)
    if fit.contrasts is None:
        yield "Strengths were regularised on request: there are no intervals and no tests of differences."
        yield from filter(None, [few])
        return
    several = len(fit.parts) > 1
    if several:
        yield (
            f"The items fall into {counted(len(fit.parts), 'part')} that no chain of duels joins: nothing is known"
            " of one beside another."
        )
    for part, order in zip(fit.parts, fit.orders(), strict=True):
        items = [fit.items[fit.fitted[k]] for k in order]
        names = _called(items)
        start = f"In {part.name} ({listed(names)}), " if several else ""
        best = best_words(fit.better[np.ix_(order, order)], names, what="item", start=start)
        yield f"{best}."
    yield from filter(None, [few])
    yield _pairs_sentence(fit)
    if (position := fit.contrasts.position) is not None:
        yield _position_sentence(fit, position)
    if (tie := fit.contrasts.tie) is not None:
        share = float(fit.chances(np.zeros(1))[1][0])
        name = "nu" if fit.contrasts.model == "davidson" else "theta"
        yield f"Two equal items tie in {share:.0%} of their duels ({name} = {math.exp(tie.value):.3g})."


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
        bound = f"at least {low:.3g}" if position.side == "above" else f"at most {high:.3g}"
        odds = f"{bound} (at {level}; no finite maximum)"
    else:
        between = f"{low:.3g} to {high:.3g}" if low == low and high == high else "any"
        odds = f"{math.exp(position.value):.3g} ({level} interval {between})"
    effect = "No effect of what is shown first was found"
    if position.p < fit.alpha:
        effect = f"What is shown {'first' if position.value > 0 else 'second'} is preferred"
    return f"{effect}: the first one's odds are {odds}."


def chances_title(fit: PreferenceFit, preferred: str) -> str:
    """Of a table or a figure of chances: of which duels, and by which strengths."""
    decided = "of the duels decided, " if fit.ties_apart else ""
    pulled = [standing.regularised for standing in fit.standings if standing.rank is not None]
    some = "" if all(pulled) else " in some parts"
    return f"{decided}how likely {preferred}{f' (by regularised strengths{some})' if any(pulled) else ''}"


def _pairs_sentence(fit: PreferenceFit) -> str:
    hopeless = ", whichever way the answers that are no ties had gone"
    if not sum(standing.wins for standing in fit.standings):
        hopeless = ", since all answers are ties"
    elif fit.ties_apart or not sum(standing.ties for standing in fit.standings):
        hopeless = ", whatever the answers"
    words: dict[Conclusion, str] = {
        "could not have been found": f"could not have been found{hopeless}",
        "not comparable": f"not comparable ({NOT_JOINED})",
    }
    counts = fit.counts()
    if counts["differ"] == 1:
        words["differ"] = "differs"
    numbers = [f"{number:,} {words.get(name, name)}" for name, number in counts.items() if number]
    test = "answers taken as independent"
    if fit.by == "cluster":
        test = (
            f"jackknife over {counted(fit.topics, 'topic')} with Student's t, no surer than independent answers or a"
            " sign test over topics"
        )
    elif fit.similarity is not None:
        test = "jackknife over answers with Student's t"
    return f"Pairs of items: {', '.join(numbers)}; {test}, Holm over {counted(fit.compared, 'pair')}."


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
