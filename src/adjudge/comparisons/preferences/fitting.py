"""Strengths of named items from preferences: the fit, its intervals, and the frozen result. Tables: fit_tables.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.stats import rankdata

from adjudge.engine import generator
from adjudge.errors import DataError, UsageError
from adjudge.formats.preferences import Preferences
from adjudge.stats.preference.answers import Answers, FloatArray, propagated
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.uncertainty import SAME, Bootstrapped, bootstrap, standard_errors
from adjudge.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.comparisons.preferences.annotators import Annotator

By = Literal["answer", "cluster"]
LEVEL, RESAMPLES = 0.95, 200
NOBODY = "nobody was asked about it"


@dataclass(frozen=True)
class Standing:
    """One item's place. Strengths have geometric mean 1; `best` and `worst` are the ranks that the interval leaves."""

    item: str
    rank: int | None
    best: int | None
    worst: int | None
    strength: float
    low: float
    high: float
    log: float
    se: float
    """Of the log strength, from the likelihood's curvature."""
    wins: float
    losses: float
    ties: float
    why: str | None = None
    """Why it has no strength."""


@dataclass(frozen=True)
class PreferenceFit:
    """Strengths of items, best first, with everything that is needed to get them again."""

    title: str
    standings: tuple[Standing, ...]
    strengths: Strengths
    fitted: tuple[int, ...]
    """Which item of `items` each strength belongs to; the others were in no pair."""
    items: tuple[str, ...]
    drawn: Bootstrapped | None
    """The resamples, in the order of `fitted`; None where nothing was to be drawn."""
    answers: int
    topics: int
    by: By
    resamples: int
    level: float
    seed: int
    similarity: str | None = None
    annotators: tuple[Annotator, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """Enough to get the same numbers again."""
        from adjudge import __version__

        over = "topics" if self.by == "cluster" else "answers"
        return (
            f"bradley-terry|items:{len(self.fitted)}|answers:{self.answers}|smooth:{self.similarity or 'no'}"
            f"|regularised:{self.strengths.regularised:g}|bootstrap:{over}:{self.resamples}|level:{self.level:g}"
            f"|seed:{self.seed}|v:{__version__}"
        )

    def standing(self, item: str) -> Standing:
        return next(each for each in self.standings if each.item == item)

    def sentence(self) -> str:
        """What can be concluded, in plain words."""
        from adjudge.comparisons.preferences.fit_tables import sentence

        return sentence(self)

    def warnings(self) -> list[str]:
        """What a reader should know first."""
        from adjudge.comparisons.preferences.fit_tables import warnings

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per item, best first."""
        from adjudge.comparisons.preferences.fit_tables import standings_frame

        return standings_frame(self)

    def win_probabilities(self) -> pd.DataFrame:
        """How likely the row's item is preferred to the column's (Zopf 2018, equation 2), best first."""
        from adjudge.comparisons.preferences.fit_tables import matrix_frame

        return matrix_frame(self)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair, the stronger first: how likely it wins, with an interval."""
        from adjudge.comparisons.preferences.fit_tables import pairs_frame

        return pairs_frame(self)

    def annotators_frame(self) -> pd.DataFrame:
        """A row per annotator."""
        from adjudge.comparisons.preferences.fit_tables import annotators_frame

        return annotators_frame(self)

    def to_latex(self) -> str:
        """The table of strengths for a paper."""
        from adjudge.comparisons.preferences.fit_tables import to_latex

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        from adjudge.comparisons.preferences.fit_tables import as_dict

        return as_dict(self)


def fit_preferences(
    given: Preferences,
    *,
    title: str = "preferences",
    similarity: FloatArray | None = None,
    similarity_name: str | None = None,
    by: By | None = None,
    regularise: float | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    annotators: bool = False,
    checks: Preferences | None = None,
    notes: Sequence[str] = (),
) -> PreferenceFit:
    """Bradley-Terry strengths with intervals by bootstrap.

    With a `similarity` (items x items) answers are propagated to similar items first. `by` says what is drawn again:
    answers, or whole topics ("cluster"; the default where there are two topics or more). With `annotators` every
    annotator's reliability is estimated too; `checks` are pairs with known answers that they are held against.
    """
    _check(given, level, resamples)
    by = by or ("cluster" if len(given.topics) > 1 else "answer")
    if by == "cluster" and len(given.topics) < 2:
        raise UsageError(
            f"whole topics can be drawn again only where there are two; there are {len(given.topics)}"
        )
    wins = given.answers.wins() if similarity is None else propagated(given.answers, similarity)
    kept = np.flatnonzero(_in_duels(wins))
    answers = among(given.answers, kept)
    near = None if similarity is None else similarity[np.ix_(kept, kept)]
    matrix = wins[np.ix_(kept, kept)]
    strengths = fit(matrix, regularise=regularise)
    drawn = None
    if resamples:
        drawn = bootstrap(
            answers,
            rng=generator(seed, f"prefer/fit/{by}"),
            resamples=resamples,
            by=by,
            similarity=near,
            regularise=regularise,
        )
    se = standard_errors(matrix, strengths) if similarity is None else None
    found: tuple[Annotator, ...] = ()
    if annotators:
        from adjudge.comparisons.preferences.annotators import annotators_of

        found = annotators_of(given, checks)
    return PreferenceFit(
        title,
        tuple(_standings(given, kept, strengths, se, drawn, level)),
        strengths,
        tuple(kept.tolist()),
        given.items,
        drawn,
        len(given),
        len(given.topics),
        by,
        resamples,
        level,
        seed,
        similarity_name if similarity is not None else None,
        found,
        dict(given.left_out),
        tuple(notes),
    )


def among(answers: Answers, kept: Any) -> Answers:
    """The answers between some items, which get new numbers in that order."""
    numbers = np.full(answers.n, -1, dtype=np.int64)
    numbers[kept] = np.arange(len(kept))
    inside = (numbers[answers.first] >= 0) & (numbers[answers.second] >= 0)
    some = answers.take(inside)
    return Answers(
        len(kept), numbers[some.first], numbers[some.second], some.won, some.weight, some.who, some.cluster
    )


def _check(given: Preferences, level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"the level is {level:g}, expected a share between 0 and 1")
    if resamples < 0:
        raise UsageError(f"resamples is {resamples}, expected 0 or more")
    if not len(given) or not given.answers.weight.sum():
        left = sum(given.left_out.values())
        why = (
            f": {counted(left, 'row was', 'rows were')} left out ({', '.join(given.left_out)})"
            if left
            else ""
        )
        raise DataError(f"no answer to a pair to fit{why}")


def _in_duels(wins: FloatArray) -> Any:
    """Which items were held against another one at all; the diagonal means nothing."""
    duels = wins + wins.T
    return duels.sum(axis=1) - np.diag(duels) > 0


def _standings(
    given: Preferences,
    kept: Any,
    strengths: Strengths,
    se: FloatArray | None,
    drawn: Bootstrapped | None,
    level: float,
) -> list[Standing]:
    nothing = np.full(len(kept), np.nan)
    low, high = drawn.intervals(level) if drawn is not None else (nothing, nothing)
    best, worst = drawn.rank_ranges(level) if drawn is not None else (nothing, nothing)
    errors = nothing if se is None else se
    ranks = rankdata(-np.round(strengths.log, SAME), method="min")
    counts = np.column_stack(counts_of(given.answers))
    found = {}
    for k, item in enumerate(kept.tolist()):
        wins, losses, ties = counts[item].tolist()
        found[item] = Standing(
            given.items[item],
            int(ranks[k]),
            _whole(best[k]),
            _whole(worst[k]),
            float(strengths.values[k]),
            float(np.exp(low[k])),
            float(np.exp(high[k])),
            float(strengths.log[k]),
            float(errors[k]),
            wins,
            losses,
            ties,
        )
    for item, name in enumerate(given.items):
        if item not in found:
            nan = float("nan")
            found[item] = Standing(name, None, None, None, nan, nan, nan, nan, nan, 0.0, 0.0, 0.0, NOBODY)
    return sorted(found.values(), key=lambda each: (each.rank is None, each.rank or 0, -each.wins, each.item))


def _whole(rank: float) -> int | None:
    return None if rank != rank else int(rank)


def counts_of(answers: Answers) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and ties of every item, each answer as often as it weighs."""

    def summed(items: Any, worth: Any) -> FloatArray:
        return np.asarray(np.bincount(items, weights=answers.weight * worth, minlength=answers.n))

    first, second = answers.won == 1, answers.won == 0
    wins = summed(answers.first, first) + summed(answers.second, second)
    losses = summed(answers.first, second) + summed(answers.second, first)
    tied = ~first & ~second
    return wins, losses, summed(answers.first, tied) + summed(answers.second, tied)
