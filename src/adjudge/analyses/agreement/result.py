"""Agreement between assessors on every question of a source, and the table of it among the tables of judgments.

Krippendorff's alpha of every question, with Gwet's AC, kappas, percent agreement and intraclass correlations beside
it; per pair of assessors, per system (Lin and Hovy 2002, figures 5 and 6), without each assessor; and how far two
assessors' annotations with a pyramid agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.agreement import Agreement, words
from adjudge.analyses.agreement.coefficients import (
    MOST_PAIRS,
    QuestionAgreement,
    question_agreement,
)
from adjudge.analyses.agreement.pyramids import ComparedPyramids, compared_pyramids
from adjudge.analyses.gathered import PROTOCOL, Gathered, gathered_of, left_after
from adjudge.analyses.questions import (
    Asked,
    QuestionMatrix,
    at_target,
    questions_of,
    scored_answers,
    stored_answers,
    titles_of,
)
from adjudge.analyses.scores import Scores
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import exact_percent, listed

if TYPE_CHECKING:
    from adjudge.data.target import Target
    from adjudge.stats.agreement import AgreementCoefficient

FEW_TOPICS = 30
"""With fewer, intervals over topics are somewhat too narrow (docs/agreement.md has how much)."""
OF_QUESTIONS = ("agreement", "coefficients", "without-assessor", "assessor-pairs", "agreement-by-system")
"""The tables that are about questions."""


def agreement_of(scores: Scores, options: Agreement) -> AgreementResult:
    """Agreement on the questions and measures that are asked for, all where none is."""
    gathered = gathered_of(scores) if options.question or options.measure is None else None
    if options.without:
        scores, gathered = left_after(scores, gathered, options.without)
    pyramids: tuple[ComparedPyramids, ...] = ()
    if gathered is not None and not options.question:
        pyramids = compared_pyramids(gathered, options)
    return _agreed(scores, gathered, _asked(scores, gathered, options), pyramids, options)


@dataclass(frozen=True)
class AskedSource:
    """Every question of a source, lengths and forms apart, and what they were gathered from."""

    scores: Scores
    gathered: Gathered | None
    asked: Asked


def asked_of(scores: Scores, without: str | Sequence[str] = ()) -> AskedSource:
    """Every question of scores, or of the folder that they come from, without some assessors."""
    gathered = gathered_of(scores)
    if without:
        scores, gathered = left_after(scores, gathered, without)
    return AskedSource(scores, gathered, _asked(scores, gathered, Agreement()))


def agreement_on(
    source: AskedSource,
    wanted: Callable[[QuestionMatrix], bool],
    options: Agreement | None = None,
    *,
    pyramids_of: Target | None = None,
) -> AgreementResult:
    """Agreement on the questions that are wanted, as the report takes them; with the pyramids of a length and form.

    Where each was asked of texts of one length and form, which the report says once, their names do without.
    """
    options = options or Agreement()
    gathered = source.gathered
    pyramids: tuple[ComparedPyramids, ...] = ()
    if gathered is not None and pyramids_of is not None:
        at = replace(options, length=pyramids_of.length, form=pyramids_of.form)
        pyramids = compared_pyramids(gathered, at)
    kept = replace(source.asked, questions=tuple(filter(wanted, source.asked.questions)))
    result = replace(_agreed(source.scores, gathered, kept, pyramids, options), source=source)
    named = [(question.source, question.asked) for question in result.questions]
    if len(set(named)) < len(named):
        return result
    untargeted = zip(result.questions, titles_of(named), strict=True)
    return replace(
        result, questions=tuple(replace(q, question=q.asked, title=title) for q, title in untargeted)
    )


def _agreed(
    scores: Scores,
    gathered: Gathered | None,
    asked: Asked,
    pyramids: tuple[ComparedPyramids, ...],
    options: Agreement,
) -> AgreementResult:
    measured = dict.fromkeys(q.asked or q.question for q in asked.questions if q.source is None)
    about = [*gathered.notes()] if gathered is not None else []
    about += [line for name in measured for line in scores.unsaid_notes(name, directed=False)]
    return AgreementResult(
        asked=options,
        about_scores=tuple(about),
        name=scores.name,
        questions=tuple(question_agreement(question, options) for question in asked.questions),
        pyramids=pyramids,
        anonymous=asked.anonymous,
        again=asked.again,
        unnamed=dict(asked.unnamed),
        missing=dict(asked.missing),
        refused=asked.refused,
        simulated=gathered.judgments.simulated if gathered is not None else 0,
    )


def _asked(scores: Scores, gathered: Gathered | None, options: Agreement) -> Asked:
    """The questions that are meant, or why there are none."""
    asked, refused = Asked(()), list[str]()
    measure, named = options.measure, tuple(options.question)
    length, form = options.length, options.form
    if gathered is not None:
        answers = list(stored_answers(gathered))
        chosen = [] if named else answers
        for name in dict.fromkeys(named):
            about = [a for a in answers if name in (a.question, f"{a.source}/{a.question}")]
            if not about:
                hint = among(name, dict.fromkeys(answer.question for answer in answers))
                raise UsageError(f"no question {quoted(name)} was answered{hint}")
            chosen += about
        kept, refused = at_target(chosen, length=length, form=form)
        if refused and named:
            raise UsageError(refused[0])
        asked = questions_of(kept)
    elif named:
        raise UsageError(
            f"{scores.name} is no evaluation's folder: choose measures with {Argument('measure')},"
            " not questions"
        )
    measures = _measures(scores, options)
    if measure is None and gathered is not None:
        there = []
        for name in measures:
            try:
                for _, n, f in scores.targets(name, length=length, form=form):
                    scores.table.at(name, length=n, form=f)
                there.append(name)
            except UsageError as error:  # nobody named it, and it has no scores of this length and form
                refused.append(error.text)
        measures = there
    if measures:
        scored = scored_answers(scores, measures, length=length, form=form)
        nobodys = [m for m in measures if m not in {answer.question for answer in scored.answers}]
        if measure is not None and nobodys:
            raise DataError(f"{listed(nobodys)}: no score names an assessor, so there is nobody to agree")
        asked = asked.with_scores(scored)
    if not asked.questions and not asked.anonymous:
        if refused:
            raise UsageError(refused[0])
        what = "no score names an assessor"
        if scores.folder:
            what = "no judgments, and no scores that name assessors"
        raise DataError(f"{scores.folder or scores.name}: {what}, so there is nobody to agree")
    return replace(asked, refused=tuple(refused))


def _measures(scores: Scores, options: Agreement) -> list[str]:
    """The measures that are meant: of a folder those that were imported, for others rest on the answers themselves."""
    if options.measure is not None:
        return scores.resolved(options.measure)
    if options.question:
        return []
    if scores.folder is None:
        return list(scores.measures)
    names = [file.info.measure for file in scores.files if file.origin != "computed"]
    return [name for name in names if name not in scores.refused]


@dataclass(frozen=True, repr=False, kw_only=True)
class AgreementResult(Result):
    """How far assessors agree on every question of a source."""

    FIGURES: ClassVar[Mapping[str, str]] = {"agreement": "adjudge.analyses.agreement.figures:agreement"}

    asked: Agreement
    name: str
    questions: tuple[QuestionAgreement, ...]
    pyramids: tuple[ComparedPyramids, ...] = ()
    anonymous: int = 0
    """Answers of nobody in particular, which do not count."""
    again: int = 0
    """Answers that an assessor gave for a thing after the first, which do not count either."""
    unnamed: Mapping[str, int] = field(default_factory=dict)
    """By measure: scores that name no assessor."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """By measure: scores by an assessor that have no value."""
    refused: tuple[str, ...] = ()
    """Why questions and measures have nothing of the length and form that were chosen."""
    simulated: int = 0
    """Judgments of simulated assessors among those that were looked at."""
    source: AskedSource | None = None
    """All questions, where those of the result were chosen from them."""

    @property
    def ac(self) -> str:
        """What Gwet's coefficient is called, with these weights."""
        return "AC1" if self.asked.weighting == "identity" else "AC2"

    def how(self) -> str:
        protocols = sorted({q.source for q in self.questions if q.source is not None})
        o = self.asked
        return "|".join(
            [
                *([f"protocol:{','.join(protocols)}"] if protocols else []),
                f"alpha:{o.scale}|weights:{o.chosen_weights}",
                f"bootstrap:topics:percentile:{o.resamples}|seed:{o.seed}|v:{__version__}",
            ]
        )

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "scale": self.asked.scale,
            "weights": self.asked.chosen_weights,
            "level": self.asked.level,
            "resamples": self.asked.resamples,
            "seed": self.asked.seed,
            "asks": words.ASKS,
            "questions": [asdict(question) for question in self.questions],
            "pyramids": [
                asdict(pair) | {"overlap": pair.overlap, "difference": pair.difference}
                for pair in self.pyramids
            ],
        }

    def notes(self) -> Iterator[Note]:
        for why in self.refused:
            yield Note.of("not-at-target", why=why).on(*OF_QUESTIONS)
        if self.unnamed:
            yield Note.of("scores-of-nobody", measures=self.unnamed).on(*OF_QUESTIONS)
        if self.missing:
            yield Note.of("scores-without-value", measures=self.missing).on(*OF_QUESTIONS)
        if self.anonymous:
            yield Note.of("anonymous-answers", n=self.anonymous).on(*OF_QUESTIONS)
        if together := dict.fromkeys(target for pair in self.pyramids for target in pair.together):
            yield Note.of("pyramids-together", targets=list(together)).on("agreement", "pyramids")
        if self.again:
            yield Note.of("answered-again", n=self.again).on(*OF_QUESTIONS)
        if alone := {q.title: q.alone for q in self.questions if q.alone}:
            yield Note.of("judged-alone", questions=alone).on(*OF_QUESTIONS)
        if few := [
            q.topics for q in self.questions if 1 < q.topics < FEW_TOPICS and q.alpha.low == q.alpha.low
        ]:
            yield Note.of("few-topics", topics=min(few), enough=FEW_TOPICS).on(*OF_QUESTIONS)
        for note in no_interval((q.title, (q.alpha, q.ac)) for q in self.questions):
            yield note.on(*OF_QUESTIONS)
        reasons: dict[str, list[str]] = {}
        for q in self.questions:
            if q.ac.why is not None and q.alpha.why is None:
                reasons.setdefault(q.ac.why, []).append(q.title)
        for why, titles in reasons.items():
            yield Note.of("no-ac", ac=self.ac, questions=titles, why=why).on(*OF_QUESTIONS)
        if any(math.comb(len(q.assessors), 2) > MOST_PAIRS for q in self.questions):
            yield Note.of("many-pairs", most=MOST_PAIRS).on(*OF_QUESTIONS)
        if any(q.systems for q in self.questions):
            yield Note.of("alpha-of-one-system").on("agreement-by-system")

    # Tables

    def tables(self) -> Iterator[Table]:
        yield Table.of(
            "agreement",
            (
                _row(
                    q,
                    assessors=len(q.assessors),
                    topics=q.topics,
                    judgments=q.alpha.values,
                    alpha=q.alpha,
                    ac=q.ac,
                    agreement=q.agreement.value,
                    icc=q.correlations[1].value,
                )
                for q in self.questions
            ),
            *KEY,
            "assessors units topics judgments",
            *self._interval("alpha"),
            *self._interval("ac", self.ac),
            Column("agreement", "same answer", tiny=False),
            Column("icc", "ICC(2,1)", tiny=False),
            WHY,
            title=f"Agreement between assessors: {self.asked.scale} alpha, {self.ac}, same answers, ICC",
        )

    def on_demand(self) -> dict[str, Callable[[], Table]]:
        return {
            "coefficients": self._coefficients,
            "without-assessor": self._without_assessor,
            "assessor-pairs": self._assessor_pairs,
            "agreement-by-system": self._by_system,
            "pyramids": self._pyramids,
        }

    def _coefficients(self) -> Table:
        rows = []
        for q in self.questions:
            for coefficient in q.coefficients:
                name, by = coefficient.name, None
                if coefficient.low == coefficient.low:
                    by = f"topics resampled {coefficient.resamples:,} times"
                if coefficient in q.correlations:
                    if coefficient.why is None:
                        name = name.replace("k)", f"{q.k:.4g})")
                    by = words.INTERVALS[q.correlations_by] if by else None
                asks = words.ASKS[coefficient.name]
                rows.append(_row(q, coefficient=name, value=coefficient, interval_by=by, asks=asks))
        return Table.of(
            "coefficients",
            rows,
            *KEY,
            "coefficient",
            *self._interval("value"),
            Column("interval_by", "interval from", show="varies"),
            Column("asks", show="never"),
            WHY,
            title="Coefficients, and what each asks",
        )

    def _without_assessor(self) -> Table:
        return Table.of(
            "without-assessor",
            (
                _row(q, assessor=left.assessor, judged=left.judged, rise=left.rise, alpha=left.alpha.value)
                for q in self.questions
                for left in q.without
            ),
            *KEY,
            "assessor judged",
            Column("alpha", "alpha without"),
            *self._interval("rise", "rise", "+.3f"),
            WHY,
            title="Alpha without each assessor: what was observed, no verdict on anybody",
        )

    def _assessor_pairs(self) -> Table:
        weights = self.asked.chosen_weights
        show = "varies" if weights == "none" else "always"
        return Table.of(
            "assessor-pairs",
            (
                _row(q, **{**vars(pair), "agreement": pair.agreement.value})
                for q in self.questions
                for pair in q.pairs
            ),
            *KEY,
            "a b units",
            *self._interval("alpha"),
            *self._interval("kappa", "Cohen's kappa"),
            *self._interval("weighted", f"{weights} weights", show=show),
            Column("agreement", "same answer"),
            WHY,
            title="Pairs of assessors, over what both judged",
        )

    def _by_system(self) -> Table:
        return Table.of(
            "agreement-by-system",
            (
                _row(q, **{**vars(alone), "agreement": alone.agreement.value})
                for q in self.questions
                for alone in q.systems
            ),
            *KEY,
            "system units",
            *self._interval("alpha"),
            *self._interval("ac", self.ac),
            Column("agreement", "same answer"),
            WHY,
            title="Agreement on each system's summaries (Lin and Hovy 2002, figures 5 and 6)",
        )

    def _pyramids(self) -> Table:
        return Table.of(
            "pyramids",
            self.pyramids,
            "a b peers topics",
            Column("same_pyramid", "same pyramid", show="varies"),
            Column("both", "both found"),
            Column("only_a", "only a"),
            Column("only_b", "only b"),
            Column("overlap", "overlap (Dice)"),
            Column("score_a", "mean score a"),
            Column("score_b", "mean score b"),
            *self._interval("difference", "difference", "+.3f"),
            Column("apart", "mean |difference|"),
            Column("furthest", "largest"),
            title="Pyramids of two assessors: content units found in the same peers, and scores",
        )

    def _interval(
        self, name: str, heading: str | None = None, form: str = ".3f", show: Any = "always"
    ) -> tuple[Column, Column, Column]:
        """A coefficient and the ends of its interval."""
        low, high = _ends(name)
        return (
            Column(name, heading, format=form, show=show, tiny=False),
            Column(low, f"{exact_percent(self.asked.level)} from", show=show, tiny=False),
            Column(high, "to", show=show, tiny=False),
        )


KEY = (PROTOCOL, Column("question"), Column("label", "about", show="varies"))
WHY = Column("why", "why not", show="varies")


def _ends(name: str) -> tuple[str, str]:
    """What the ends of a coefficient's interval are called: those of a table's first one, low and high."""
    prefix = "" if name in ("alpha", "value", "rise", "difference") else f"{name}_"
    return f"{prefix}low", f"{prefix}high"


def _row(q: QuestionAgreement, **cells: Any) -> dict[str, Cell]:
    """A row about a question; a coefficient fills three cells, and says why it, or its interval, is not there."""
    from adjudge.stats.agreement import AgreementCoefficient

    coefficients = {name: cell for name, cell in cells.items() if isinstance(cell, AgreementCoefficient)}
    row = {"protocol": q.source, "question": q.question, "label": q.label, **cells}
    for name, coefficient in coefficients.items():
        low, high = _ends(name)
        row |= {name: coefficient.value, low: coefficient.low, high: coefficient.high}
    first = next(iter(coefficients.values()))
    return {**row, "units": first.units, "why": why_not(*coefficients.values())}


def why_not(*coefficients: AgreementCoefficient) -> str | None:
    """Why the first that is not there is not; else why its interval is not, unless none was asked for."""
    from adjudge.stats.agreement import NOT_RESAMPLED

    reasons = [c.why for c in coefficients] + [c.why_no_interval for c in coefficients]
    return next((why for why in reasons if why is not None and why != NOT_RESAMPLED), None)


def no_interval(questions: Iterable[tuple[str, tuple[AgreementCoefficient, ...]]]) -> Iterator[Note]:
    """Which coefficients of which questions have no interval, and why."""
    titles: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for title, coefficients in questions:
        names: dict[str, list[str]] = {}
        for coefficient in coefficients:
            if coefficient.why is None and (why := why_not(coefficient)) is not None:
                names.setdefault(why, []).append(coefficient.name)
        for why, lacking in names.items():
            titles.setdefault((why, tuple(lacking)), []).append(title)
    for (why, without), of in titles.items():
        yield Note.of("no-interval", coefficients=list(without), questions=of, why=why)
