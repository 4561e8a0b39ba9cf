"""For whom a comparison holds: for the assessors who judged, or for assessors like them.

One mixed model gives every difference one estimate and two tests, `these-assessors` and `assessors`: its mathematics
are in stats/linear/judged_pairs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from adjudge.analyses.compare import AssessorEffects, Comparing
from adjudge.analyses.compare.words import THESE_ONLY
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.phrasebook import assessors_like_these, these_alone, these_assessors
from adjudge.analyses.scores import HUMANS, Scores
from adjudge.analyses.tests import ASSESSORS, Test
from adjudge.core.errors import DataError
from adjudge.core.results import Note

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.compare.pairs import Comparison, Which
    from adjudge.data.scores import ScoreMatrix
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.linear.judged_pairs import JudgedPairs, Sureness
    from adjudge.stats.paired import Alternative
    from adjudge.stats.pairs import PairResults


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """The scores that assessors gave, with the numbers of their topics and systems in the matrix."""

    values: FloatArray
    topics: IntArray
    systems: IntArray
    assessors: IntArray
    size: int
    """How many systems there are."""
    balanced: bool
    """Every assessor judged every system on every topic: then the means rank."""

    def ranking_means(self, plain: FloatArray, kept: BoolArray) -> FloatArray:
        """What systems are ranked by on some topics alone, where without assessors it would be `plain`."""
        from adjudge.stats.linear.judged_pairs import judged_pairs

        rows = kept[self.topics]
        pairs = judged_pairs(
            self.values[rows],
            self.topics[rows],
            self.systems[rows],
            self.assessors[rows],
            size=self.size,
        )
        if why_no_model(pairs) is not None:
            return plain
        adjusted = adjusted_for_assessors(pairs, plain)
        return plain if adjusted is None else adjusted

    def in_order(self, order: Sequence[int]) -> JudgedScores:
        """The same with the systems in another order."""
        import numpy as np

        return replace(self, systems=np.argsort(order)[self.systems])


def adjusted_for_assessors(pairs: JudgedPairs, plain: FloatArray) -> FloatArray | None:
    """The means by the model with assessors; None where that changes nothing."""
    import numpy as np

    means = pairs.means
    unchanged = np.isnan(means).any() or np.allclose(means, plain, rtol=1e-9, atol=1e-12)
    return None if unchanged else means


def why_no_model(pairs: JudgedPairs) -> Note | None:
    """Why the model says nothing of any pair, where that is not because assessors and systems cannot be told apart."""
    reasons = [pairs.why.get(k) for k, p in enumerate(pairs.these.p.tolist()) if p != p]
    if len(reasons) < len(pairs) or not reasons or any(why and why.code == "judges-apart" for why in reasons):
        return None
    return pairs.unavailable or reasons[0] or Note.of("no-pair-tested")


@dataclass(frozen=True)
class Population:
    """Whose judgments stand behind the scores, and which answer makes the groups."""

    assessors: tuple[str, ...]
    effects: AssessorEffects
    """random: assessors like these; fixed: these."""
    pairs: JudgedPairs | None
    """All pairs of systems by the mixed model; None where there is none."""
    systems: tuple[str, ...]
    """In the order of the pairs."""
    reason: Note | None = None
    """Why assessors cannot be a sample."""
    judged: JudgedScores | None = field(default=None, compare=False, repr=False)
    """What they gave, where there is a model."""

    @property
    def like(self) -> bool:
        """Whether something can be said of assessors like them."""
        return self.pairs is not None and self.reason is None

    @property
    def why(self) -> str:
        """Why they cannot, in words."""
        return "" if self.reason is None else self.reason.words(THESE_ONLY)

    @property
    def these(self) -> str:
        """`these three assessors`."""
        return these_assessors(len(self.assessors))

    @property
    def like_these(self) -> str:
        """`assessors like these three`."""
        return assessors_like_these(len(self.assessors))

    @property
    def alone(self) -> str:
        """`these three alone`."""
        return these_alone(len(self.assessors))

    def mean_intervals(self, means: FloatArray, *, level: float) -> tuple[FloatArray, FloatArray]:
        """Of every system's distance from the average system, about its mean."""
        from scipy.special import stdtrit

        assert self.pairs is not None
        sure = self.pairs.deviations
        error, df = sure.similar if self.effects == "random" else sure.these
        reach = stdtrit(df, (1 + level) / 2) * error
        return means - reach, means + reach

    def in_order(self, order: Sequence[int]) -> Population:
        """The same of the systems in another order."""
        if self.pairs is None:
            return self
        judged = None if self.judged is None else self.judged.in_order(order)
        systems = tuple(self.systems[j] for j in order)
        return replace(self, pairs=_moved(self.pairs, order), judged=judged, systems=systems)

    def notes(self) -> Iterator[Note]:
        """What a reader should know before taking the answer for more than it is."""
        alike: dict[str, list[str]] = {}
        for name in self.assessors:
            alike.setdefault(name.casefold(), []).append(name)
        if twins := [names for names in alike.values() if len(names) > 1]:
            yield Note.of("assessors-of-one-name", names=twins)
        if not self.like and (self.pairs is None or any(p == p for p in self.pairs.these.p)):
            yield Note.of("these-assessors-only", assessors=len(self.assessors), why=self.why)
        if self.effects == "random" and self.pairs is not None:
            if self.pairs.few:
                yield Note.of("few-assessors", assessors=len(self.assessors), systems=self.pairs.systems)
            if self.pairs.unequal is not None and self.pairs.unequal[0] < UNEQUAL_AT:
                p, at = self.pairs.unequal
                yield Note.of("unequal-assessors", system=self.systems[at], p=p)

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "assessors": list(self.assessors),
            "effects": self.effects,
            "why_fixed": self.why or None,
        }
        if self.pairs is not None:
            facts |= {
                "design": self.pairs.design,
                "groups": self.pairs.groups,
                "assessor_df": self.pairs.judge_df,
                "few": self.pairs.few,
                "unequal": None
                if self.pairs.unequal is None
                else {"p": self.pairs.unequal[0], "system": self.systems[self.pairs.unequal[1]]},
                "variance_components": dict(self.pairs.components),
            }
        return facts


def population(
    scores: Scores, matrix: ScoreMatrix, which: Which, asked: Comparing[Any], *, clusters: IntArray | None
) -> Population | None:
    """Whose judgments stand behind a matrix; None where no assessor is named. The order of systems is the matrix's.

    Of clusters of topics, one code for each of the matrix's, whole ones are the sample.
    """
    rows = _rows(scores, matrix, which)
    names = tuple(sorted(rows["assessor"].dropna().unique()))
    if not names:
        return None
    reason = swaps_topics(asked)
    nobody = int(rows["assessor"].isna().sum())
    if asked.cluster == "assessor":
        reason = Note.of("clusters")
    elif reason is None and matrix.pool != "mean":
        reason = Note.of("pooled", pool=matrix.pool)
    elif reason is None and nobody:
        reason = Note.of("unnamed", n=nobody, scores=len(rows))

    def codes(column: str, levels: Sequence[str]) -> Any:
        return rows[column].map({name: k for k, name in enumerate(levels)}).to_numpy()

    def fit() -> JudgedPairs:
        from adjudge.stats.linear.judged_pairs import judged_pairs

        return judged_pairs(
            rows["value"].to_numpy(dtype=float),
            codes("topic", matrix.topics),
            codes("system", matrix.systems),
            codes("assessor", names),
            size=len(matrix.systems),
            clusters=clusters,
        )

    whose = population_of(names, matrix.systems, reason, fit, asked.assessor_effects, matrix.measure)
    if whose.pairs is None:
        return whose
    judged = JudgedScores(
        values=rows["value"].to_numpy(dtype=float),
        topics=codes("topic", matrix.topics),
        systems=codes("system", matrix.systems),
        assessors=codes("assessor", names),
        size=len(matrix.systems),
        balanced=whose.pairs.design == "crossed" and whose.pairs.complete,
    )
    return replace(whose, judged=judged)


def population_of(
    names: tuple[str, ...],
    systems: tuple[str, ...],
    reason: Note | None,
    fit: Callable[[], JudgedPairs],
    effects: AssessorEffects | None,
    measure: str,
) -> Population:
    """The assessors with the model that `fit` gives; none where `reason` or the fit says so."""
    pairs = None
    if reason is None and len(names) < 2:
        reason = Note.of("one-assessor")
    if reason is None:
        pairs = fit()
        reason = pairs.unavailable
        if (why := why_no_model(pairs)) is not None:
            reason, pairs = why, None
    if effects == "random" and reason is not None:
        raise DataError(f"{measure}: assessors cannot be a random factor: {reason.words(THESE_ONLY)}")
    return Population(
        assessors=names,
        effects="fixed" if reason is not None else effects or "random",
        pairs=pairs,
        systems=systems,
        reason=reason,
    )


def swaps_topics(asked: Comparing[Any]) -> Note | None:
    """Why a correction has no test in which assessors are a sample."""
    return Note.of("swaps-topics", correct=asked.correct) if CORRECTIONS[asked.correct].from_scores else None


def _rows(scores: Scores, matrix: ScoreMatrix, which: Which) -> pd.DataFrame:
    """The scores behind a matrix, one for each topic, system and assessor, pooled in the order that the matrix has."""
    _, length, form = which
    rows = scores.table.at(matrix.measure, length=length, form=form)
    rows = rows[rows["value"].notna()]
    pooled = {} if matrix.together is None else dict.fromkeys(matrix.together.systems, HUMANS)
    rows = rows.assign(called=rows["system"].replace(pooled))
    rows = rows[rows["called"].isin(matrix.systems)]
    key = ["topic", "called", "assessor", "system", "length", "form", "reference"]
    # Over repeats, references, lengths, and humans who are one system.
    for kept in (len(key), len(key) - 1, 4, 3):
        groups = rows.groupby(key[:kept], dropna=False, as_index=False, sort=False, observed=True)
        rows = groups["value"].mean()
    return rows.rename(columns={"called": "system"})


def sureness_of(pairs: JudgedPairs, test: Test) -> Sureness:
    """How sure the model's differences are, by the test that says for whom."""
    return pairs.similar if test == ASSESSORS else pairs.these


def pair_results(
    values: FloatArray,
    pairs: JudgedPairs,
    alternative: Alternative,
    test: Test = ASSESSORS,
    *,
    clusters: IntArray | None = None,
) -> PairResults:
    """The test of every pair in the shape that all tests have; wins and losses are over topics."""
    import numpy as np

    from adjudge.stats.pairs import PairResults, pair_counts

    counts = pair_counts(values)
    sure = sureness_of(pairs, test)
    p = sure.p
    if alternative != "two-sided":
        # Half of the two-sided p on the side asked for, so that the order of the two answers stays.
        right = (sure.statistic < 0) == (alternative == "less")
        p = np.where(sure.statistic == 0, 0.5, np.where(right, p / 2, 1 - p / 2))
    return PairResults(
        test=test,
        counts=replace(counts, difference=pairs.difference),
        statistic=sure.statistic,
        p=p,
        method=tuple(None if np.isnan(p_value) else "t" for p_value in sure.p),
        signature=(
            f"{test}|{pairs.design.replace(' ', '-')}|assessors:{pairs.judges}|groups:{pairs.groups}"
            f"{'' if clusters is None else f'|sets:{np.unique(clusters).size}'}"
        ),
        alternative=alternative,
        why=_reasons(pairs),
    )


def equivalence_of(c: Comparison, pairs: JudgedPairs, margin: float) -> Equivalence:
    """Two one-sided t-tests of every pair, by the model, for whom conclusions hold."""
    import numpy as np
    from scipy.special import stdtr

    from adjudge.stats.equivalence import Equivalence

    results, correct, sure = c.tested[c.test].results, c.asked.correct, sureness_of(pairs, c.test)
    asked = c.family & ~np.isnan(sure.p)

    def p(t: FloatArray) -> FloatArray:
        return np.where(asked, stdtr(sure.df, t), np.nan)

    return Equivalence(
        values=c.matrix.values,
        test="t",
        margin=margin,
        alpha=c.alpha,
        correct=correct,  # type: ignore[arg-type]
        counts=results.counts,
        family=c.family,
        p_low=p(-(pairs.difference + margin) / sure.error),
        p_high=p((pairs.difference - margin) / sure.error),
        p_different=np.where(asked, sure.p, np.nan),
        smallest=np.where(asked, 0.0, np.nan),
        why=_reasons(pairs),
        signature=f"tost|{results.signature}|margin:{margin:g}|alpha:{c.alpha:g}|correct:{correct}",
    )


def _reasons(pairs: JudgedPairs) -> dict[int, str]:
    return {k: str(why.words(THESE_ONLY)) for k, why in pairs.why.items()}


UNEQUAL_AT = 0.05
"""p of Cochran's test below which it is said that systems divide assessors unequally."""


def _moved(pairs: JudgedPairs, order: Sequence[int]) -> JudgedPairs:
    """Pairs and deviations of the systems in another order."""
    import numpy as np

    from adjudge.stats.linear.judged_pairs import Deviations, Sureness

    size, at = len(order), np.asarray(order)
    place = np.zeros((size, size), dtype=np.int64)
    place[pairs.first, pairs.second] = place[pairs.second, pairs.first] = np.arange(len(pairs))
    first, second = at[pairs.first], at[pairs.second]
    pair, sign = place[first, second], np.where(first < second, 1.0, -1.0)
    now = {int(old): new for new, old in enumerate(pair)}

    def moved(sure: Sureness) -> Sureness:
        statistic = sign * sure.statistic[pair]
        return Sureness(error=sure.error[pair], df=sure.df[pair], statistic=statistic, p=sure.p[pair])

    every, unequal = pairs.deviations, pairs.unequal
    return replace(
        pairs,
        n=pairs.n[pair],
        difference=sign * pairs.difference[pair],
        these=moved(pairs.these),
        similar=moved(pairs.similar),
        why={now[k]: why for k, why in pairs.why.items()},
        deviations=Deviations(
            estimate=every.estimate[at],
            these=(every.these[0][at], every.these[1][at]),
            similar=(every.similar[0][at], every.similar[1][at]),
        ),
        means=pairs.means[at],
        unequal=None if unequal is None else (unequal[0], list(order).index(unequal[1])),
    )
