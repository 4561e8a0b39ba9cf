"""What several analyses say: notes by code, counts of pairs, for whom something holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.conclusions import candidates
from adjudge.core.phrases import Argument, Door, Spoken, spoken
from adjudge.core.results import Note
from adjudge.core.words import counted, decimal, listed, number_word

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray

NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "missing-scores": lambda n, why: f"{counted(n, 'missing score')} ({why})",
    "several-assessors": lambda n: (
        f"the scores come from {n} assessors: conclusions hold for these only (for others: `adjudge compare`)"
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
    "constant": "all {n} differences are the same, and need to vary",
    "few-for-bootstrap": lambda n, needs: f"{counted(n, 'common topic')}; the bootstrap needs {needs}",
    "few-varied": lambda varied, n, needs: (
        f"only {counted(varied, 'difference')} of {n} {'is' if varied == 1 else 'are'} not the commonest one; the"
        f" bootstrap needs {needs}"
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


def best_words(
    better: BoolArray, names: Sequence[str], *, what: str = "system", directed: bool = True
) -> str:
    """The candidates for the best in words, without a full stop; names in the order in which they are to be named.

    A measure that is neither better high nor low (`directed=False`) has a highest, not a best.
    """
    word, than = ("best", "better") if directed else ("highest", "higher")
    best = [names[j] for j in candidates(better)]
    others = len(names) - 1
    if len(best) == len(names):
        among = f"either {what}" if len(names) == 2 else f"any of the {counted(len(names), what)}"
        return f"{among} may be the {word}"
    if not best:
        return f"none is the {word}: for every {what} there is one that is significantly {than}"
    if len(best) > 1:
        return f"{listed(best)} may each be the {word}: no {what} is significantly {than} than they are"
    if better[names.index(best[0])].sum() == others:
        return (
            f"{best[0]} is significantly {than} than {'the other' if others == 1 else 'every other'} {what}"
        )
    return (
        f"{best[0]} alone may be the {word}: for every other {what} there is one that is significantly {than}"
    )


def pairs_differ(differ: int, total: int, *, of: str = "systems") -> str:
    """`48 of 66 pairs of systems differ`."""
    return f"{differ:,} of {counted(total, 'pair')} of {of} {'differs' if differ == 1 else 'differ'}"


def these_assessors(size: int) -> str:
    """`these three assessors`."""
    return "this one assessor" if size == 1 else f"these {number_word(size)} assessors"


def assessors_like_these(size: int) -> str:
    """`assessors like these three`."""
    return f"assessors like these {number_word(size)}"


def rank_range(best: int, worst: int, dash: str = "-") -> str:
    """`2-4`: the ranks that significant differences leave open."""
    return str(best) if best == worst else f"{best}{dash}{worst}"


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
