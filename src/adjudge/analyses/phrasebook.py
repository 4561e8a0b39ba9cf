"""What several analyses say: notes by code, counts of pairs, for whom something holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.conclusions import candidates
from adjudge.core.phrases import Argument, Door, Spoken, spoken
from adjudge.core.results import Note
from adjudge.core.words import capitalised, counted, decimal, number_word

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray

Few = Literal["topics", "sets", "resamples", "both"]
"""Of what there is too little for a difference to be found, whatever the scores."""
TOO_FEW: Mapping[Few, str] = {
    "topics": "too few topics differ",
    "sets": "too few sets of topics differ",
    "resamples": "there are too few resamples",
    "both": "too few topics differ, or there are too few resamples,",
}
NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "missing-scores": lambda n, why: f"{counted(n, 'missing score')} ({why})",
    "several-assessors": lambda n: (
        f"{n} assessors judged: this holds for them alone; `adjudge compare` also answers for assessors like them"
    ),
    "length-with-most-scores": lambda shown: (
        f"only {shown}, the target length with most scores; {Argument('length')} chooses another"
    ),
    "form-with-most-scores": lambda shown: (
        f"only {shown}, the form with most scores; {Argument('form')} chooses another"
    ),
}
"""Texts of notes that several analyses have."""
REASONS: Mapping[str, str | Callable[..., str]] = {
    "refused": "{text}",
    "no-scores": "there are no scores",
    "all-the-same": "all scores are the same",
    "no-freedom": "no degrees of freedom are left for the noise",
    "exact-fit": "the model fits every score exactly, so there is no noise to compare with",
    "almost-no-noise": "there is almost no noise to compare with",
    "nothing-left": "nothing is left of it after the other terms",
    "type-3-within": "type III of an interaction within another is not computed",
    "type-3-several": "type III is not computed against several error terms: use type II",
    "type-3-beside": "type III is not computed beside interactions that are no terms: use type II",
    "empty-cells": "some cells are empty, so unweighted means cannot be compared: use type II",
    "nothing-to-compare": "nothing is left of what it would be compared with",
    "no-variation": "what it is compared with does not vary",
    "level-without-scores": "it has no scores",
    "level-not-apart": "the design cannot tell it from other effects",
    "one-level": "there is only one level",
    "unsure-variances": "the variances are too uncertain for a test",
    "not-apart": "the design cannot tell the fixed effects apart",
    "variance-not-apart": "the variance of {term} cannot be separated from the fixed effects",
    "same-groups": "{first} and {second} are the same groups: their variances cannot be separated",
    "no-repeats": "no factor has several levels that repeat",
    "few-in-common": lambda n: f"needs two topics that both have, has {n or 'none'}",
    "constant": "all {n} differences are the same",
    "few-for-bootstrap": lambda n, needs: f"{counted(n, 'common topic')}; the bootstrap needs {needs}",
    "few-varied": lambda varied, n, needs: (
        f"all but {varied} of {n} differences are the same; the bootstrap needs {needs} others"
    ),
    "levels-alone": "nothing varies between topics but their level, so there is no noise",
    "no-chain": "no chain of common topics leads from one to the other",
    "empty-column": "one of the two has no scores",
    "no-chain-in-contrast": "no chain of common topics joins its systems",
    "weighs-empty-column": "it weighs a system without scores",
}
"""Why statistics cannot be computed, by the codes of `adjudge.stats`."""


def either(names: list[str]) -> str:
    """`a, b or c`."""
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def enumerated(names: Sequence[str], *, most: int = 6) -> str:
    """`t5, bart`; of many names the first few, and how many more."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} others"
    return ", ".join(names)


def best_words(
    better: BoolArray,
    names: Sequence[str],
    *,
    what: str = "system",
    directed: bool = True,
    start: str = "",
    although: str = "",
) -> str:
    """Who may be the best, as a sentence without its full stop; names in the order in which they are to be named.

    `start` are words that it begins with, such as `On ROUGE-2, `, and `although` some that it ends with. A measure that
    is neither better high nor low (`directed=False`) has a highest, not a best.
    """
    word, than, group = ("best", "better", "top") if directed else ("highest", "higher", "highest")
    best = [names[j] for j in candidates(better)]
    others = len(names) - 1

    def begun(text: str) -> str:
        return f"{start}{text if start else capitalised(text)}{although}"

    if len(best) == len(names):
        among = f"either {what}" if len(names) == 2 else f"any of the {counted(len(names), what)}"
        return begun(f"{among} may be the {word}")
    if not best:
        return begun(f"no {group} group: every {what} is significantly {_opposite(than)} than another")
    if len(best) > 1:
        return begun(f"{group} group: {enumerated(best)} (not distinguishable)")
    if better[names.index(best[0])].sum() == others:
        loser = next(name for name in names if name != best[0]) if others == 1 else f"every other {what}"
        return f"{start}{best[0]} is significantly {than} than {loser}{although}"
    return begun(
        f"{group} group: {best[0]} alone; every other {what} is significantly {_opposite(than)} than another"
    )


def _opposite(than: str) -> str:
    return {"better": "worse", "higher": "lower"}[than]


def pairs_differ(differ: int, total: int, *, of: str = "") -> str:
    """`48 of 66 pairs differ significantly`; `of` says what the pairs are of, where that is not systems."""
    pair = f"pair of {of}" if of else "pair"
    if total == 1:
        return "the two differ significantly" if differ else "the two do not differ significantly"
    if not differ:
        return f"no {pair} differs significantly"
    pairs = f"pairs of {of}" if of else "pairs"
    return (
        f"{differ:,} of {counted(total, pair, pairs)} {'differs' if differ == 1 else 'differ'} significantly"
    )


def too_few(n: int, few: Few, alpha: float, *, pairs: str = "") -> str:
    """`for one pair, too few topics differ to ever reach p = .05`; `pairs` where they are said otherwise."""
    which = pairs or f"{number_word(n)} pair{'' if n == 1 else 's'}"
    return f"for {which}, {TOO_FEW[few]} to ever reach p = {alpha_words(alpha)}"


def short_conclusion(conclusion: int, alpha: float) -> str:
    """What a table of pairs says of each; nothing where two do not differ significantly."""
    return ("differ", "", f"cannot reach {alpha_words(alpha)}", "no topic in common", "not tested")[
        conclusion
    ]


def alpha_words(alpha: float) -> str:
    """`.05`"""
    return f"{alpha:g}".removeprefix("0")


def these_assessors(size: int) -> str:
    """`these three assessors`."""
    return "this one assessor" if size == 1 else f"these {number_word(size)} assessors"


def assessors_like_these(size: int) -> str:
    """`assessors like these three`."""
    return f"assessors like these {number_word(size)}"


def these_alone(size: int) -> str:
    """`these three alone`."""
    return "this one assessor alone" if size == 1 else f"these {number_word(size)} alone"


def rank_range(best: int, worst: int, dash: str = "-") -> str:
    """`2-4`: the ranks that significant differences leave open."""
    return str(best) if best == worst else f"{best}{dash}{worst}"


def ends_of_difference(low: float, high: float, *, differ: bool, form: str = ".4f") -> str | None:
    """`0.1032 to 0.5190`; an end that a step-down test cuts at 0 is `above 0` or `below 0`, a one-sided one is open."""
    if math.isnan(low) and math.isnan(high):
        return None
    if math.isnan(high):
        return "above 0" if differ and low == 0 else f"{decimal(low, form)} or more"
    if math.isnan(low):
        return "below 0" if differ and high == 0 else f"{decimal(high, form)} or less"
    first = "above 0" if differ and low == 0 else decimal(low, form)
    return f"{first} to {'below 0' if differ and high == 0 else decimal(high, form)}"


def low_to_high(low: float, high: float, form: str = ".4f") -> str | None:
    """`0.1200 to 0.1400`; None where there is no interval."""
    return None if math.isnan(low) else f"{decimal(low, form)} to {decimal(high, form)}"


def interval(low: float, high: float, form: str = ".3f") -> str:
    """` (0.100 to 0.660)`; empty where there is none."""
    return "" if math.isnan(low) else f" ({low:z{form}} to {high:z{form}})"


def reason(why: Note | None) -> str | None:
    """Why a statistic cannot be computed."""
    return None if why is None else str(why.words(REASONS))


def note_text(note: Note, door: Door = "python") -> str:
    """The text of a note that several analyses have."""
    return spoken(note.words(NOTES), door)
