"""Analysis of variance: which factors matter, by the linear model or, of ratings, by an ordinal one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from adjudge.analyses.base import Analysis, R_co, analysis_function
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.anova.ordinal import OrdinalResult
    from adjudge.analyses.anova.result import AnovaResult
    from adjudge.analyses.scores import Scores


@dataclass(frozen=True, kw_only=True)
class AnalysedVariance(Analysis[R_co]):
    """What both models may be asked."""

    length: int | None = option(
        None, least=1, metavar="WORDS", help="Target length; several are never mixed."
    )
    alpha: float = shared("alpha")
    pool_humans: bool = shared("pool_humans")
    seed: int = shared("seed", panel=ADVANCED)


@dataclass(frozen=True, kw_only=True)
class Anova(AnalysedVariance["AnovaResult"]):
    """Which factors matter: system, topic, assessor, and how much of the variation each accounts for.

    Each term is compared with the variation that it would have anyhow: types of topics with topics, systems that
    several assessors judged with how topics and assessors differ about them. Two-way interactions are in the model of
    these tests whether they are listed or not. With random factors, how the variance divides among them is told too.
    Sums of squares are of type I where the design is balanced, else II, unless said. Over and Liggett 2002.
    """

    NAME = "anova"
    EXAMPLE = "adjudge anova my-eval -m rouge-2 --pool-humans"
    RUNS = "measure"
    VARIANTS: ClassVar[Mapping[str, str]] = {"ordinal": "anova_ordinal"}

    factors: str | Sequence[str] = option(
        (),
        metavar="A,B,...",
        help="Terms in their order, such as type,system,topic or system,topic,system:topic.",
        unset="system,topic; assessor before them where judgments are repeated",
    )
    interactions: bool = option(False, help="Add all two-way ones of assessor, system, topic.")
    random: str | Sequence[str] = option(
        (),
        metavar="A,B",
        help="These are a sample, such as topic,assessor; tell how the variance divides.",
    )
    ss_type: int | None = option(
        None,
        least=1,
        most=3,
        metavar="1|2|3",
        help="Sums of squares: 1 in order, 2 and 3 after others.",
        unset="1; 2 where cells are missing",
    )
    sizes: bool = option(False, help="Also show the size of every interaction.")
    resamples: int | None = option(
        None,
        least=0,
        metavar="N",
        panel=ADVANCED,
        help="Simulations for the intervals of the shares.",
        unset="500, 0 for large models",
    )
    average_humans: bool = option(
        True, by_name=False, help="Pooled humans have one row on a topic, their mean."
    )

    def check(self) -> None:
        for name in ("factors", "random"):
            terms = [term.strip() for text in getattr(self, name) for term in text.split(",")]
            if not all(terms):
                raise UsageError(
                    f"{Argument(name)}: a name is missing in {quoted(','.join(getattr(self, name)))}"
                )
            object.__setattr__(self, name, tuple(terms))

    def run(self, scores: Scores) -> AnovaResult:
        from adjudge.analyses.anova.result import analyse

        return analyse(scores, self)


@dataclass(frozen=True, kw_only=True)
class AnovaOrdinal(AnalysedVariance["OrdinalResult"]):
    """Ratings on a scale: a cumulative link mixed model, beside the linear one.

    Systems are fixed, topics and assessors and their interactions a sample. Systems on a latent scale, all pairs with
    intervals, thresholds, severity of assessors.
    """

    NAME = "anova_ordinal"
    RUNS = "measure"
    LEAVES_OUT_REFUSED = True
    WORK = "fitting the ordinal model"

    def run(self, scores: Scores) -> OrdinalResult:
        from adjudge.analyses.anova.ordinal import ordinal_model

        measure = scores.resolve(self.measure)
        return replace(ordinal_model(scores, measure, self), about_scores=scores.unsaid_notes(measure))


anova = analysis_function(Anova)
anova_ordinal = analysis_function(AnovaOrdinal)
