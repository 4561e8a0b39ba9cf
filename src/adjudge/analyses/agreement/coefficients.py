"""Every coefficient of one question: of all assessors, of every two, on every system, and without each assessor."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.questions import QuestionMatrix
from adjudge.core.engine import generator
from adjudge.core.words import natural

if TYPE_CHECKING:
    import numpy as np

    from adjudge.stats.agreement import AgreementCoefficient
    from adjudge.stats.checks import FloatArray

MOST_PAIRS = 200
"""Pairs of assessors that have intervals; of more, only the coefficients."""
APART = 0.2
"""From this difference on alpha and AC say different things, and a sentence explains them."""
CONTRADICT = -0.2
"""Two assessors whose alpha is below contradict each other, if its interval is below 0."""
FEWEST_ALIKE = 10
"""Things that two must both have judged to be named for equal answers."""
ONE_ASSESSOR = "only one assessor answered: there is nobody to agree with"


@dataclass(frozen=True)
class AssessorPair:
    """Two assessors over what both judged."""

    a: str
    b: str
    alpha: AgreementCoefficient
    kappa: AgreementCoefficient
    """Cohen's, unweighted."""
    weighted: AgreementCoefficient
    """Cohen's, with the weights that were asked for."""
    agreement: AgreementCoefficient
    correlation: float
    """Pearson's; NaN where answers of one are all the same, and of choices between two things."""
    answers: int
    """Different answers of the two to what both judged."""

    @property
    def identical(self) -> bool:
        """Whether all answers are the same, of enough things and on more than two levels."""
        return self.agreement.value == 1 and self.agreement.units >= FEWEST_ALIKE and self.answers > 2

    @property
    def contradict(self) -> bool:
        """Whether they disagree clearly more than by chance: as opposed orders do, and levels far apart."""
        from adjudge.stats.agreement import LEAST_CLUSTERS

        always = (
            math.isnan(self.alpha.low) and self.alpha.clusters >= LEAST_CLUSTERS
        )  # in nearly all resamples
        return self.alpha.value < CONTRADICT and (always or self.alpha.high < 0)


@dataclass(frozen=True)
class SystemAgreement:
    """One system's things alone."""

    system: str
    alpha: AgreementCoefficient
    ac: AgreementCoefficient
    agreement: AgreementCoefficient


@dataclass(frozen=True)
class AlphaWithout:
    """The others' alpha, and how much higher than that of all it is."""

    assessor: str
    judged: int
    """Things."""
    alpha: AgreementCoefficient
    rise: AgreementCoefficient


@dataclass(frozen=True)
class ConstantAnswer:
    """What somebody who always gave the most common answer would get, beside the median of the assessors.

    Where an even number of assessors has no answer in the middle, nobody is there to compare with.
    """

    answer: float
    share: float
    """Of all answers that are this one."""
    alpha: AgreementCoefficient
    ac: AgreementCoefficient


@dataclass(frozen=True)
class QuestionAgreement:
    """How far assessors agree on one question."""

    source: str | None
    question: str
    title: str
    """The question, with its protocol where another protocol asks one of the same name."""
    label: str
    assessors: tuple[str, ...]
    alone: int
    """Things that one assessor alone judged."""
    topics: int
    """Of things that at least two assessors judged."""
    alpha: AgreementCoefficient
    ac: AgreementCoefficient
    agreement: AgreementCoefficient
    fleiss: AgreementCoefficient
    correlations: tuple[AgreementCoefficient, ...]
    k: float
    """Judgments of a thing, of ICC(2,k)."""
    correlations_by: str
    """F or REML."""
    constant: ConstantAnswer | None
    pairs: tuple[AssessorPair, ...]
    systems: tuple[SystemAgreement, ...]
    without: tuple[AlphaWithout, ...]
    asked: str = ""
    """The question without the length and form that its name has where several are kept apart."""
    targets: frozenset[tuple[int | None, str | None]] = frozenset()
    """The lengths and forms of what was judged."""

    @property
    def key(self) -> Hashable:
        """What tells a question from others, whatever it is called."""
        return self.source, self.asked, self.targets

    @property
    def coefficients(self) -> tuple[AgreementCoefficient, ...]:
        return self.alpha, self.ac, self.agreement, self.fleiss, *self.correlations

    @property
    def apart(self) -> bool:
        """Whether alpha and AC say different things."""
        return self.ac.value - self.alpha.value > APART

    def most_apart(self) -> AlphaWithout | None:
        """The assessor whose absence raises alpha most; None where nobody's does."""
        raising = [left for left in self.without if left.rise.value > 0]
        return max(raising, key=lambda left: left.rise.value, default=None)


def question_agreement(question: QuestionMatrix, options: Agreement) -> QuestionAgreement:
    """Every coefficient of one question; pairs of assessors and systems have the question's scale, not one each."""
    from adjudge.stats.agreement import fleiss_kappa, percent_agreement
    from adjudge.stats.icc import intraclass

    if not question.categories:
        question = replace(question, categories=question.used())
    matrix = _values(question)
    ac, alpha = _ac(question, options), question_alpha(question, options)
    weights: dict[str, Any] = {"weights": options.weighting, "categories": question.categories}
    correlations = intraclass(question.matrix, rng=rng(options), level=options.level)
    icc: tuple[AgreementCoefficient, ...] = correlations.all
    if question.mirrored:
        icc = tuple(
            _undefined(coefficient, "choices between two things are no ratings") for coefficient in icc
        )
    many = math.comb(len(question.assessors), 2) > MOST_PAIRS
    return QuestionAgreement(
        source=question.source,
        question=question.question,
        title=question.title or question.question,
        label=question.label,
        assessors=question.assessors,
        alone=question.alone,
        topics=len(judged_topics(question)),
        alpha=alpha,
        ac=ac,
        agreement=_counted(question, percent_agreement(matrix, **_bootstrap(question, options))),
        fleiss=_counted(question, fleiss_kappa(matrix, **weights, **_bootstrap(question, options))),
        correlations=icc,
        k=correlations.k,
        correlations_by=correlations.method,
        constant=_constant(question, options) if ac.value - alpha.value > APART else None,
        pairs=tuple(_pairs(question, replace(options, resamples=0) if many else options)),
        systems=tuple(_systems(question, options)),
        without=tuple(_without(question, options)),
        asked=question.asked or question.question,
        targets=question.targets,
    )


def question_alpha(question: QuestionMatrix, options: Agreement) -> AgreementCoefficient:
    """Krippendorff's alpha of a question: the one computation behind the command, the tables and the report."""
    from adjudge.stats.agreement import krippendorff

    alpha = krippendorff(_values(question), distance=options.scale, **_bootstrap(question, options))
    return _undefined(alpha, ONE_ASSESSOR) if len(question.assessors) < 2 else _counted(question, alpha)


def judged_topics(question: QuestionMatrix) -> set[str]:
    """The topics of what at least two assessors judged."""
    import numpy as np

    several = np.count_nonzero(~np.isnan(question.matrix), axis=1) >= 2
    return {topic for topic, by_two in zip(question.topics, several, strict=True) if by_two}


def rng(options: Agreement) -> np.random.Generator:
    """The same draws of topics for every coefficient of a question."""
    return generator(options.seed, "agreement/topics")


def _bootstrap(question: QuestionMatrix, options: Agreement) -> dict[str, Any]:
    """What every bootstrap over topics takes."""
    return {
        "rng": rng(options),
        "level": options.level,
        "resamples": options.resamples,
        "clusters": question.topics * (2 if question.mirrored else 1),
    }


def _ac(question: QuestionMatrix, options: Agreement) -> AgreementCoefficient:
    from adjudge.stats.agreement import gwet_ac

    ac = gwet_ac(
        _values(question),
        weights=options.weighting,
        categories=question.categories,
        **_bootstrap(question, options),
    )
    return _counted(question, ac)


def _values(question: QuestionMatrix) -> FloatArray:
    """The matrix; of choices between two things, in both orders, so that neither is the first."""
    import numpy as np

    return np.concatenate([question.matrix, 1 - question.matrix]) if question.mirrored else question.matrix


def _counted(question: QuestionMatrix, coefficient: AgreementCoefficient) -> AgreementCoefficient:
    """A coefficient with things counted once, and the reason for a missing interval in words of topics."""
    from adjudge.stats.agreement import LEAST_CLUSTERS

    if question.mirrored:
        coefficient = replace(coefficient, units=coefficient.units // 2, values=coefficient.values // 2)
    topics = coefficient.clusters
    if coefficient.why is not None or coefficient.why_no_interval is None or topics >= LEAST_CLUSTERS:
        return coefficient
    few = f"too few topics to resample ({topics}, needs {LEAST_CLUSTERS})"
    one = "only one topic"
    return replace(coefficient, why_no_interval=one if topics == 1 else few)


def _undefined(coefficient: AgreementCoefficient, why: str) -> AgreementCoefficient:
    return replace(coefficient, value=math.nan, low=math.nan, high=math.nan, clusters=0, resamples=0, why=why)


def _pairs(question: QuestionMatrix, options: Agreement) -> Iterator[AssessorPair]:
    import numpy as np

    from adjudge.stats.agreement import cohen_kappa, percent_agreement

    for a, b in combinations(range(len(question.assessors)), 2):
        two = question.of_assessors((a, b))
        matrix = _values(two)
        plain_kappa, weighted = (
            cohen_kappa(
                matrix[:, 0],
                matrix[:, 1],
                weights=weights,
                categories=question.categories,
                **_bootstrap(two, options),
            )
            for weights in ("identity", options.weighting)
        )
        yield AssessorPair(
            a=question.assessors[a],
            b=question.assessors[b],
            alpha=question_alpha(two, options),
            kappa=_counted(two, plain_kappa),
            weighted=_counted(two, weighted),
            agreement=_counted(two, percent_agreement(matrix, **_bootstrap(two, options))),
            correlation=math.nan if question.mirrored else _correlation(two.matrix),
            answers=np.unique(two.matrix[~np.isnan(two.matrix).any(axis=1)]).size,
        )


def _correlation(answers: FloatArray) -> float:
    import numpy as np

    both = answers[~np.isnan(answers).any(axis=1)]
    if len(both) < 2 or (np.ptp(both, axis=0) == 0).any():
        return math.nan
    a, b = (both - both.mean(axis=0)).T
    return float(a @ b / math.sqrt(float(a @ a) * float(b @ b)))


def _systems(question: QuestionMatrix, options: Agreement) -> Iterator[SystemAgreement]:
    from adjudge.stats.agreement import percent_agreement

    for system in sorted({name for name in question.systems if name is not None}, key=natural):
        alone = question.of_system(system)
        yield SystemAgreement(
            system=system,
            alpha=question_alpha(alone, options),
            ac=_ac(alone, options),
            agreement=_counted(alone, percent_agreement(_values(alone), **_bootstrap(alone, options))),
        )


def _without(question: QuestionMatrix, options: Agreement) -> Iterator[AlphaWithout]:
    import numpy as np

    from adjudge.stats.agreement import krippendorff_without

    left = krippendorff_without(_values(question), distance=options.scale, **_bootstrap(question, options))
    for column, (alpha, rise) in enumerate(left):
        yield AlphaWithout(
            assessor=question.assessors[column],
            judged=int(np.count_nonzero(~np.isnan(question.matrix[:, column]))),
            alpha=_counted(question, alpha),
            rise=_counted(question, rise),
        )


def _constant(question: QuestionMatrix, options: Agreement) -> ConstantAnswer | None:
    """The most common answer throughout, beside the median of the assessors, where every thing has one."""
    import numpy as np

    if question.mirrored:
        return None
    rows = question.matrix[~np.isnan(question.matrix).all(axis=1)]
    answers = rows[~np.isnan(rows)]
    values, counts = np.unique(answers, return_counts=True)
    answer = float(values[counts.argmax()])
    ordered = np.sort(rows, axis=1)  # NaN last
    n, at = np.count_nonzero(~np.isnan(rows), axis=1), np.arange(len(rows))
    median = ordered[at, (n - 1) // 2]
    in_the_middle = bool((median == ordered[at, n // 2]).all())
    both = replace(
        question,
        assessors=("median", "constant"),
        topics=("",) * len(rows),
        systems=(None,) * len(rows),
        matrix=np.stack([median, np.full(len(rows), answer)], axis=1),
    )
    once = replace(options, resamples=0)
    alpha, ac = question_alpha(both, once), _ac(both, once)
    if not in_the_middle:
        alpha, ac = (
            _undefined(coefficient, "some things have no answer in the middle") for coefficient in (alpha, ac)
        )
    return ConstantAnswer(answer=answer, share=float(counts.max() / answers.size), alpha=alpha, ac=ac)
