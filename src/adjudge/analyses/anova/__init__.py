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
        None,
        least=1,
        metavar="WORDS",
        help="Target length of the summaries, in words; lengths are never mixed.",
    )
    alpha: float = shared("alpha")
    pool_humans: bool = shared("pool_humans")
    seed: int = shared("seed", panel=ADVANCED)


@dataclass(frozen=True, kw_only=True)
class Anova(AnalysedVariance["AnovaResult"]):
    """Say how much system, topic and assessor each matter (analysis of variance).

    Each term is tested against the right error term: types of topics against topics, systems that several assessors
    judged against how topics and assessors differ about them. These tests use all two-way interactions, listed or not.
    With random factors, variance components are printed too. Sums of squares are of type I for balanced designs, else
    of type II. Over and Liggett 2002.
    """

    NAME = "anova"
    EXAMPLE = "adjudge anova my-eval -m rouge-2 --pool-humans"
    RUNS = "measure"
    VARIANTS: ClassVar[Mapping[str, str]] = {"ordinal": "anova_ordinal"}

    factors: str | Sequence[str] = option(
        (),
        metavar="A,B,...",
        help="Terms of the model, in order, such as type,system,topic or system,topic,system:topic.",
        unset="system,topic; assessor first where topics have several assessors",
    )
    interactions: bool = option(False, help="Add all two-way interactions of assessor, system and topic.")
    random: str | Sequence[str] = option(
        (),
        metavar="A,B",
        help="Random factors, such as topic,assessor; also print the variance components.",
    )
    ss_type: int | None = option(
        None,
        panel=ADVANCED,
        least=1,
        most=3,
        metavar="1|2|3",
        help="Type of the sums of squares.",
        unset="1; 2 where cells are missing",
    )
    sizes: bool = option(False, help="Also print the size of every interaction.")
    resamples: int | None = option(
        None,
        least=0,
        command="simulations",
        metavar="N",
        panel=ADVANCED,
        help="Simulations for the intervals of the variance shares.",
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
    """Also fit an ordinal model of ratings (cumulative link mixed model).

    Systems are fixed; topics, assessors and their interactions are random. Prints systems on the latent scale, all
    pairs with intervals, thresholds and the severity of assessors.
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
