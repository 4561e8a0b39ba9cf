"""Alpha of what people answered, among the tables of judgments; `adjudge agreement` has much more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.agreement.coefficients import judged_topics, question_alpha
from adjudge.analyses.agreement.result import KEY, WHY, no_interval, why_not
from adjudge.analyses.gathered import ALPHA, Gathered, signed
from adjudge.analyses.judged.parts import JudgedTable
from adjudge.analyses.questions import at_target, coverage_and_ratings, questions_of
from adjudge.core.results import Note
from adjudge.core.table import Column, Table
from adjudge.core.words import exact_percent

if TYPE_CHECKING:
    from adjudge.stats.agreement import AgreementCoefficient


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedAgreement(JudgedTable):
    """Krippendorff's ordinal alpha of every question."""

    alphas: tuple[tuple[str, AgreementCoefficient, int], ...]
    """Of every question its title, alpha and the number of topics."""


def agreement_table(gathered: Gathered, *, alpha: float = ALPHA, seed: int = 0) -> JudgedAgreement | None:
    """Krippendorff's ordinal alpha of coverage and ratings, as `agreement` computes it; None where there are none."""
    options = Agreement(level=1 - alpha, seed=seed)
    asked = questions_of(at_target(coverage_and_ratings(gathered))[0])
    if not asked.questions and not asked.anonymous:
        return None
    alphas = [(question, question_alpha(question, options)) for question in asked.questions]
    notes = [Note.of("anonymous-answers", n=asked.anonymous)] if asked.anonymous else []
    if alone := {question.title: question.alone for question in asked.questions if question.alone}:
        notes.append(Note.of("judged-alone", questions=alone))
    notes += no_interval((question.title, (coefficient,)) for question, coefficient in alphas)
    protocols = [entry.protocol for entry, _, _ in gathered.coverage] + [e.protocol for e in gathered.ratings]
    there = {question.source for question in asked.questions}
    used = (protocol for protocol in protocols if protocol.name in there)
    table = Table.of(
        "agreement",
        (
            {
                "protocol": q.source,
                "question": q.question,
                "label": q.label,
                "assessors": len(q.assessors),
                "units": a.units,
                "judgments": a.values,
                "alpha": a.value,
                "low": a.low,
                "high": a.high,
                "resamples": a.resamples,
                "why": why_not(a),
            }
            for q, a in alphas
        ),
        *KEY,
        "assessors units judgments alpha",
        Column("low", f"{exact_percent(1 - alpha)} from"),
        Column("high", "to"),
        Column("resamples", show="varies"),
        WHY,
        title="Agreement between assessors: Krippendorff's ordinal alpha",
    )
    signature = signed("krippendorff:ordinal", used, "bootstrap:topics:percentile", f"seed:{seed}")
    return JudgedAgreement(
        remarks=tuple(note.on(table.name) for note in notes),
        made=replace(table, signature=signature),
        alphas=tuple((q.title, a, len(judged_topics(q))) for q, a in alphas),
    )
