"""The questions that assessors answered to make the scores of a comparison, and how far they agree on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.agreement.coefficients import QuestionAgreement
from adjudge.analyses.agreement.result import AgreementResult, agreement_on, asked_of
from adjudge.judgments.protocol import QUALITY
from adjudge.measures.judged.coverage import JudgedCoverage, Unmarked
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.pyramid import JudgedPyramid
from adjudge.measures.judged.quality import Quality, QualityErrors
from adjudge.measures.judged.rating import Rating
from adjudge.measures.judged.wins import Wins

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.data.scores import ScoreMatrix
    from adjudge.measures.base import Measure


def questions_behind(
    scores: Scores, matrix: ScoreMatrix, measure: Measure | None, result: AgreementResult | None
) -> list[QuestionAgreement] | None:
    """The questions that scores are made of, about texts of their length and form; None where nothing says which.

    What was found already is taken from there; a measure of another length or form asks for its own.
    """
    wanted = _asked_of(measure)
    form = None if matrix.form is None else matrix.target.form
    by_key = {question.key: question for question in result.questions} if result is not None else {}
    source = result.source if result is not None else None
    source = source or asked_of(scores.everyone or scores, scores.left_out)
    there = [question for question in source.asked.questions if question.is_of(matrix.length, form)]
    own_questions = [q for q in there if q.source is None and (q.asked or q.question) == matrix.measure]
    there = own_questions or [
        q for q in there if q.source is not None and wanted is not None and wanted(q.asked or q.question)
    ]
    if not there and wanted is None:
        return None
    left = {question.key for question in there} - by_key.keys()
    if left:
        more = agreement_on(source, lambda question: question.key in left, Agreement(without=scores.left_out))
        by_key |= {question.key: question for question in more.questions}
    return [by_key[question.key] for question in there]


def _asked_of(measure: Measure | None) -> Callable[[str], bool] | None:
    """Whether a question is one that assessors answer for a measure; None where that is not known."""
    if isinstance(measure, QualityErrors) and measure.question == "all":
        return lambda asked: asked.startswith(QUALITY)
    kinds: dict[type, str] = {
        JudgedCoverage: "completeness",
        Unmarked: "unmarked",
        JudgedPyramid: "content-units",
        Preference: "preference",
        Wins: "preference",
    }
    key = next((name for kind, name in kinds.items() if isinstance(measure, kind)), None)
    if isinstance(measure, QualityErrors):
        key = measure.question
    elif isinstance(measure, Quality):
        key = measure.question if measure.q in ("", Quality.q) else measure.q
    elif isinstance(measure, Rating):
        key = measure.aspect
    return None if key is None else lambda asked: key in (asked, asked.rpartition(":")[2])
