"""What is said of strengths that were fitted to preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.phrasebook import best_words, pairs_differ
from adjudge.core.errors import quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed
from adjudge.core.words import percent as share_words

if TYPE_CHECKING:
    from adjudge.analyses.conclusions import Conclusion
    from adjudge.analyses.preferences.strengths import PreferenceFit
    from adjudge.stats.preference.contrasts import ModelParameter, OpenPosition


NOT_JOINED = "never compared, not even through others"


def _answers_independent(topics: int) -> str:
    why = "as there is only one topic" if topics == 1 else "as topics are unknown"
    if topics > 1:
        why = "and hold for these topics only"
    return f"intervals and tests treat answers as independent, {why}"


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
    "regularised": lambda part, how: f"{part}: {how}" if part else how,
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
    few = fewest_words(fit.fewest, _called(fit.items), what="answer", item=fit.noun)
    if fit.contrasts is None:
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
        best = best_words(fit.better[np.ix_(order, order)], names, what="item", start=start)
        yield f"{best}."
    yield from filter(None, [few])
    yield _pairs_sentence(fit)
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
        bound = f"at least {low:.3g}" if position.side == "above" else f"at most {high:.3g}"
        odds = f"{bound} (at {level}; no finite maximum)"
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
    test = "answers treated as independent"
    if fit.by == "cluster":
        test = f"jackknife over {counted(fit.topics, 'topic')}"
    elif fit.similarity is not None:
        test = "jackknife over answers"
    differ = "No pair of items differs significantly"
    if counts["differ"]:
        differ = pairs_differ(counts["differ"], pairs, of="items")
    return f"{differ}{rest} ({test}, Holm over {counted(fit.compared, 'pair')})."


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
