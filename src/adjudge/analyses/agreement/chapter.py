"""How far assessors agree, in the chapter on judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.agreement.coefficients import QuestionAgreement
from adjudge.analyses.agreement.result import AgreementResult, agreement_on, asked_of
from adjudge.analyses.pages.chapter import FORM, LENGTH, Absent, Findings, page_figure
from adjudge.analyses.pages.judgments import JudgmentsPart, without_people
from adjudge.analyses.pages.sections import Section, section
from adjudge.analyses.scores import Scores
from adjudge.core.words import counted, listed
from adjudge.judgments.protocol import QUALITY


class AgreementPart(JudgmentsPart[AgreementResult]):
    NAME = COMMAND = "agreement"
    SIGNED = "Agreement"
    UNKNOWN = "how far assessors agree"

    def result(self, findings: Findings) -> AgreementResult | Absent:
        scores, main = findings.scores, findings.main_target
        if not scores.assessors() and scores.folder is None:
            return without_people(scores)
        result = agreement_on(
            asked_of(scores.everyone or scores, scores.left_out),
            lambda question: question.is_of(main.length, main.form),
            Agreement(level=findings.options.level, seed=findings.options.seed, without=scores.left_out),
            pyramids_of=main,
        )
        return replace(result, questions=tuple(_labelled(question, scores) for question in result.questions))

    def about(self, result: AgreementResult, findings: Findings) -> Iterator[str]:
        yield from super().about(result, findings)
        if len({c.matrix.target for c in findings.comparisons}) > 1:
            yield (
                f"Agreement is for texts of {findings.main_target}, which have the most scores; {LENGTH} and"
                f" {FORM} choose others."
            )

    def sections(self, result: AgreementResult, findings: Findings) -> Iterator[Section]:
        _, *sentences = result.sentences()
        further = ("without-assessor", "assessor-pairs", "agreement-by-system")
        yield section(
            "trust-agreement",
            "Do assessors agree?",
            sentences=sentences,
            figure=page_figure(result, "agreement"),
            tables=[result.table()],
            further=[result.table(name) for name in further],
            notes=result.warnings("command"),
            command=self.command(findings),
            signature=result.signature,
        )

    def limitations(self, result: AgreementResult) -> Iterator[str]:
        defined = [question for question in result.questions if question.alpha.why is None]
        if low := [question for question in defined if question.alpha.value < 2 / 3]:
            names = listed([question.title for question in low], most=4)
            yield (
                f"alpha is below .667 on {len(low):,} of {counted(len(defined), 'question')} ({names}): answers depend"
                " much on who gave them"
            )


def _labelled(question: QuestionAgreement, scores: Scores) -> QuestionAgreement:
    """Called by what people read: of quality what the question is about, of a measure its name."""
    label = question.label if question.question.startswith(QUALITY) else ""
    if question.source is None and question.question in scores.info:
        label = scores.info[question.question].heading
    return replace(question, title=label or question.title)


PART = AgreementPart()
