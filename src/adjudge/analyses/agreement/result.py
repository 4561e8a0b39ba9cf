"""Agreement between assessors: `adjudge agreement`, and the table of it among the tables of judgments.

Krippendorff's alpha of every question, with Gwet's AC, kappas, percent agreement and intraclass correlations beside
it; per pair of assessors, per system (Lin and Hovy 2002, figures 5 and 6), without each assessor; and how far two
assessors' annotations with a pyramid agree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from adjudge import __version__
from adjudge.analyses.gathered import ALPHA, PROTOCOL, Gathered, gathered_of, left_after, multiplier, signed
from adjudge.analyses.questions import (
    Asked,
    GivenAnswer,
    QuestionMatrix,
    annotated_peers,
    at_target,
    coverage_and_ratings,
    is_at,
    questions_of,
    scored_answers,
    several_targets,
    stored_answers,
    titles_of,
)
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed, natural
from adjudge.data.reading import read_once
from adjudge.data.scores import AllLengths
from adjudge.judgments.tasks import is_anonymous
from adjudge.measures.judged.pyramid import PyramidPeer, PyramidScore

if TYPE_CHECKING:
    import numpy as np

    from adjudge.data.target import Target
    from adjudge.stats.agreement import AgreementCoefficient, Level, Weighting
    from adjudge.stats.checks import FloatArray

RESAMPLES = 1000
MOST_PAIRS = 200
"""Pairs of assessors that have intervals; of more, only the coefficients."""
FEW_TOPICS = 30
"""With fewer, intervals over topics are somewhat too narrow (docs/agreement.md has how much)."""
APART = 0.2
"""From this difference on alpha and AC say different things, and a sentence explains them."""
MOST_SAID = 6
"""Questions of which each is explained in sentences of its own."""
ONE_ASSESSOR = "only one assessor answered: there is nobody to agree with"

Per = Literal["question", "coefficient", "assessor", "pair", "system", "pyramid"]
Distance = Literal["nominal", "ordinal", "interval", "ratio"]
WEIGHTS = {"nominal": "identity", "ordinal": "quadratic", "interval": "quadratic", "ratio": "quadratic"}
"""Of AC and the kappas, unless others are asked for."""
NAMES = {"none": "identity", "linear": "linear", "quadratic": "quadratic"}

ASKS = {
    "alpha": "do answers tell things apart, whoever gives them?",
    "AC1": "do two assessors give the same answer more often than by guessing?",
    "AC2": "do two assessors give near answers more often than by guessing?",
    "agreement": "how often do two assessors give the same answer?",
    "Fleiss' kappa": "do they agree more than the answers' frequencies would by chance?",
    "ICC(1,1)": "one rating: the things' share of the variance, had each thing assessors of its own",
    "ICC(2,1)": "one rating: the things' share of the variance, with assessors drawn from many",
    "ICC(2,k)": "the mean of k ratings: the things' share of its variance, with assessors drawn from many",
}
"""Which question each coefficient answers."""


@dataclass(frozen=True)
class AgreementOptions:
    """How coefficients are computed."""

    distance: Level
    weights: Weighting
    level: float
    resamples: int
    seed: int

    def rng(self) -> np.random.Generator:
        """The same draws of topics for every coefficient of a question."""
        return generator(self.seed, "agreement/topics")

    def given(self, own: QuestionMatrix) -> dict[str, Any]:
        """What every bootstrap over topics takes."""
        return {
            "rng": self.rng(),
            "level": self.level,
            "resamples": self.resamples,
            "clusters": own.topics * (2 if own.mirrored else 1),
        }

    def signature(self) -> str:
        shown = next(name for name, value in NAMES.items() if value == self.weights)
        return f"alpha:{self.distance}|weights:{shown}|bootstrap:topics:percentile:{self.resamples}|seed:{self.seed}"


def agreement(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    question: str | Sequence[str] = (),
    length: int | AllLengths | None = None,
    form: str | None = None,
    scale: Distance = "ordinal",
    weights: Literal["none", "linear", "quadratic"] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> AgreementResult:
    """How far assessors agree: `agreement("my-eval")`, `agreement("ratings.csv", "fluency", scale="interval")`.

    Of a folder, every question that people answered, and every imported measure with assessors; `measure` and
    `question` name some. Of a file or a DataFrame, every measure whose rows name assessors. Several lengths and forms
    are apart, unless one is chosen; the length "all" takes all lengths together. `scale` is the level of measurement,
    for alpha; `weights` are those of AC and kappas, quadratic unless the scale is nominal. Intervals resample topics,
    at the level 1 - `alpha`. `without` leaves out assessors.
    """
    from adjudge.stats import checks

    checks.one_of("scale", scale, get_args(Distance))
    checks.one_of("weights", weights or "none", tuple(NAMES))
    checks.count("resamples", resamples, least=0)
    multiplier(alpha)  # says what is wrong with alpha
    how = AgreementOptions(
        distance=scale,
        weights=NAMES[weights] if weights is not None else WEIGHTS[scale],  # type: ignore[arg-type]
        level=1 - alpha,
        resamples=resamples,
        seed=seed,
    )
    named = (question,) if isinstance(question, str) else tuple(question)
    data = scores_of(scores)
    gathered = gathered_of(data) if named or measure is None else None
    if without:
        data, gathered = left_after(data, gathered, without)
    pyramids: tuple[ComparedPyramids, ...] = ()
    if gathered is not None and not named:
        pyramids = compared_pyramids(gathered, how, length=length, form=form)
    return _agreed(data, gathered, _asked(data, gathered, measure, named, length, form), pyramids, how)


def agreement_on(
    scores: Scores,
    wanted: Callable[[QuestionMatrix], bool],
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    without: Sequence[str] = (),
    pyramids_of: Target | None = None,
) -> AgreementResult:
    """The same on the questions that are wanted, as the report takes them; with the pyramids of a length and form.

    Where each was asked of texts of one length and form, which the report says once, their names do without.
    """
    how = AgreementOptions(
        distance="ordinal", weights="quadratic", level=1 - alpha, resamples=RESAMPLES, seed=seed
    )
    data, gathered, asked = asked_of(scores, without)
    pyramids: tuple[ComparedPyramids, ...] = ()
    if gathered is not None and pyramids_of is not None:
        pyramids = compared_pyramids(gathered, how, length=pyramids_of.length, form=pyramids_of.form)
    kept = replace(asked, questions=tuple(each for each in asked.questions if wanted(each)))
    found = _agreed(data, gathered, kept, pyramids, how)
    return replace(found, questions=_without_targets(found.questions))


def _without_targets(questions: tuple[QuestionAgreement, ...]) -> tuple[QuestionAgreement, ...]:
    asked = [(each.source, each.asked) for each in questions]
    if len(set(asked)) < len(asked):
        return questions
    return tuple(
        replace(each, question=each.asked, title=title)
        for each, title in zip(questions, titles_of(asked), strict=True)
    )


def asked_of(scores: Scores, without: Sequence[str] = ()) -> tuple[Scores, Gathered | None, Asked]:
    """Every question of a source, lengths and forms apart, and what it was gathered from; once for a report."""

    def gather() -> tuple[Scores, Scores, Gathered | None, Asked]:
        data, gathered = scores, gathered_of(scores)
        if without:
            data, gathered = left_after(data, gathered, without)
        return scores, data, gathered, _asked(data, gathered, None, (), None, None)

    return read_once(("asked", id(scores), tuple(without)), gather)[
        1:
    ]  # which keeps the scores, so that ids stay


def _agreed(
    data: Scores,
    gathered: Gathered | None,
    asked: Asked,
    pyramids: tuple[ComparedPyramids, ...],
    how: AgreementOptions,
) -> AgreementResult:
    questions = tuple(question_agreement(each, how) for each in asked.questions)
    measured = [each.question for each in asked.questions if each.source is None]
    said = [line for name in dict.fromkeys(measured) for line in data.unsaid_notes(name)]
    return AgreementResult(
        name=data.name,
        questions=questions,
        pyramids=pyramids,
        options=how,
        anonymous=asked.anonymous,
        again=asked.again,
        left_out=gathered.notes() if gathered is not None else (),
        remarks=(*asked.notes, *said),
    )


def _asked(
    data: Scores,
    gathered: Gathered | None,
    measure: str | Sequence[str] | None,
    named: tuple[str, ...],
    length: int | AllLengths | None,
    form: str | None,
) -> Asked:
    """The questions that are meant, or why there are none."""
    found, refused = Asked(()), list[str]()
    if gathered is not None:
        given = list(_about(stored_answers(gathered), named))
        kept, refused = at_target(given, length=length, form=form)
        if refused and named:
            raise UsageError(refused[0])
        found = questions_of(kept)
    elif named:
        raise UsageError(f"{data.name} is no evaluation's folder: choose measures with -m, not questions")
    measures = _measures(data, measure, bool(named))
    if measure is None and gathered is not None:
        wrong = {name: _why_not_scored(data, name, length, form) for name in measures}
        refused += [why for why in wrong.values() if why is not None]
        measures = [name for name in measures if wrong[name] is None]
    if measures:
        scored = scored_answers(data, measures, length=length, form=form)
        without = [m for m in measures if m not in {each.question for each in scored.answers}]
        if measure is not None and without:
            raise DataError(f"{listed(without)}: no score names an assessor, so there is nobody to agree")
        found = found.and_also(replace(questions_of(scored.answers), notes=scored.notes()))
    if not found.questions and not found.anonymous:
        if refused:
            raise UsageError(refused[0])
        what = (
            "no judgments, and no scores that name assessors" if data.folder else "no score names an assessor"
        )
        raise DataError(f"{data.folder or data.name}: {what}, so there is nobody to agree")
    return replace(found, notes=(*(f"{why}: left out" for why in refused), *found.notes))


def _why_not_scored(
    data: Scores, measure: str, length: int | AllLengths | None, form: str | None
) -> str | None:
    """Why a measure that nobody named has no scores of the length and the form that were chosen."""
    try:
        for name, n, f in data.each(measure, length=length, form=form):
            data.table.at(name, length=n, form=f)
    except UsageError as error:
        return str(error)
    return None


def _measures(data: Scores, measure: str | Sequence[str] | None, named: bool) -> list[str]:
    """The measures that are meant: of a folder those that were imported, for others rest on the answers themselves."""
    if measure is not None:
        return data.resolved(measure)
    if named:
        return []
    if data.folder is None:
        return list(data.measures)
    names = [file.info.measure for file in data.files if file.origin != "computed"]
    return [name for name in names if name not in data.refused]


def _about(answers: Iterable[GivenAnswer], named: Sequence[str]) -> Iterator[GivenAnswer]:
    """The answers to the questions that are named, in the order of their names; all where none is."""
    given = list(answers)
    if not named:
        yield from given
    for name in dict.fromkeys(named):
        found = [each for each in given if name in (each.question, f"{each.source}/{each.question}")]
        if not found:
            known = dict.fromkeys(each.question for each in given)
            raise UsageError(f"no question {quoted(name)} was answered{among(name, known)}")
        yield from found


# One question


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
        known = [each for each in self.without if each.rise.value > 0]
        return max(known, key=lambda each: each.rise.value, default=None)

    def sentence(self) -> str:
        """Alpha, its interval, and what Krippendorff's thresholds say of it."""
        return f"{self.title}: {alpha_sentence(self.alpha, self.topics)}"

    def about_apart(self) -> str:
        """Why alpha and AC differ, with the constant answer as evidence."""
        ac, constant = self.ac, self.constant
        said = (
            f"{self.title}: alpha is {self.alpha.value:z.3f} and {ac.name} {ac.value:z.3f}. Alpha asks whether"
            f" answers tell things apart; {ac.name} asks whether they are the same or near, also where all things get"
            " one answer."
        )
        if constant is None:
            return said
        if constant.ac.why is not None:
            return f"{said} {constant.share:.0%} of the answers are {constant.answer:g}."
        alpha = (
            f"alpha {constant.alpha.value:z.3f}"
            if constant.alpha.why is None
            else f"no alpha ({constant.alpha.why})"
        )
        return (
            f"{said} {constant.share:.0%} of the answers are {constant.answer:g}: somebody who always gave it would"
            f" get {ac.name} {constant.ac.value:z.3f} and {alpha} beside the median of the assessors."
        )

    def about_absence(self) -> str:
        """Whose absence raises alpha most: an observation."""
        most = self.most_apart()
        if len(self.assessors) < 3:
            return f"{self.title}: with two assessors it cannot be said whose absence would raise alpha."
        if most is None:
            return f"{self.title}: no assessor's absence raises alpha."
        rise, interval = most.rise, ""
        if not math.isnan(rise.low):
            interval = f", {_percent(rise.level)} interval {rise.low:z.3f} to {rise.high:z.3f}"
        return (
            f"{self.title}: without {most.assessor} alpha is {most.alpha.value:z.3f} ({rise.value:+.3f}{interval};"
            f" the largest of {len(self.without)} changes, not corrected for that): an observation, not a verdict on"
            f" {most.assessor}."
        )


def alpha_sentence(alpha: AgreementCoefficient, topics: int) -> str:
    """`alpha = 0.574 (0.546 to 0.599) over 1,200 units of 100 topics, not reliable (below .667).`"""
    from adjudge.stats.agreement import alpha_text, reliability

    if alpha.why is not None:
        return f"no alpha ({alpha.why})."
    interval = crossing = ""
    if not math.isnan(alpha.low):
        interval = f" ({alpha.low:z.3f} to {alpha.high:z.3f})"
        crossed = [f"{threshold:.3f}"[1:] for threshold in alpha.crossed]
        crossing = f"; the interval crosses {' and '.join(crossed)}" if crossed else ""
    things = f"{counted(alpha.units, 'unit')} of {counted(topics, 'topic')}"
    return f"alpha = {alpha_text(alpha.value)}{interval} over {things}, {reliability(alpha.value)}{crossing}."


def question_agreement(own: QuestionMatrix, how: AgreementOptions) -> QuestionAgreement:
    """Every coefficient of one question; pairs of assessors and systems have the question's scale, not one each."""
    from adjudge.stats.agreement import fleiss_kappa, percent_agreement
    from adjudge.stats.icc import intraclass

    own = own if own.categories else replace(own, categories=own.used())
    matrix = _values(own)
    ac, alpha = _ac(own, how), question_alpha(own, how)
    weights: dict[str, Any] = {"weights": how.weights, "categories": own.categories}
    correlations = intraclass(own.matrix, rng=how.rng(), level=how.level)
    icc: tuple[AgreementCoefficient, ...] = correlations.all
    if own.mirrored:
        icc = tuple(_undefined(each, "choices between two things are no ratings") for each in icc)
    many = math.comb(len(own.assessors), 2) > MOST_PAIRS
    few = replace(how, resamples=0) if many else how
    return QuestionAgreement(
        source=own.source,
        question=own.question,
        title=own.title or own.question,
        label=own.label,
        assessors=own.assessors,
        alone=own.alone,
        topics=len(_judged_topics(own)),
        alpha=alpha,
        ac=ac,
        agreement=_counted(own, percent_agreement(matrix, **how.given(own))),
        fleiss=_counted(own, fleiss_kappa(matrix, **weights, **how.given(own))),
        correlations=icc,
        k=correlations.k,
        correlations_by=correlations.method,
        constant=_constant(own, how) if ac.value - alpha.value > APART else None,
        pairs=tuple(_pairs(own, few)),
        systems=tuple(_systems(own, how)),
        without=tuple(_without(own, how)),
        asked=own.asked or own.question,
        targets=own.targets,
    )


def question_alpha(own: QuestionMatrix, how: AgreementOptions) -> AgreementCoefficient:
    """Krippendorff's alpha of a question: the one computation behind the command, the tables and the report."""
    from adjudge.stats.agreement import krippendorff

    found = krippendorff(_values(own), distance=how.distance, **how.given(own))
    if len(own.assessors) < 2:
        return _undefined(found, ONE_ASSESSOR)
    return _counted(own, found)


def _ac(own: QuestionMatrix, how: AgreementOptions) -> AgreementCoefficient:
    from adjudge.stats.agreement import gwet_ac

    found = gwet_ac(_values(own), weights=how.weights, categories=own.categories, **how.given(own))
    return _counted(own, found)


def _values(own: QuestionMatrix) -> FloatArray:
    """The matrix; of choices between two things, in both orders, so that neither is the first."""
    import numpy as np

    return np.concatenate([own.matrix, 1 - own.matrix]) if own.mirrored else own.matrix


def _counted(own: QuestionMatrix, found: AgreementCoefficient) -> AgreementCoefficient:
    """A coefficient with things counted once, and the reason for a missing interval in words of topics."""
    from adjudge.stats.agreement import LEAST_CLUSTERS

    if own.mirrored:
        found = replace(found, units=found.units // 2, values=found.values // 2)
    few = found.why is None and found.clusters < LEAST_CLUSTERS and found.why_no_interval is not None
    return replace(found, why_no_interval=_too_few(found.clusters)) if few else found


def _too_few(topics: int) -> str:
    from adjudge.stats.agreement import LEAST_CLUSTERS

    if topics == 1:
        return "all is of one topic: there are no topics to resample"
    return f"resampling {topics} topics says too little, there must be {LEAST_CLUSTERS}"


def _undefined(found: AgreementCoefficient, why: str) -> AgreementCoefficient:
    return replace(found, value=math.nan, low=math.nan, high=math.nan, clusters=0, resamples=0, why=why)


def _judged_topics(own: QuestionMatrix) -> set[str]:
    """The topics of what at least two assessors judged."""
    import numpy as np

    several = np.count_nonzero(~np.isnan(own.matrix), axis=1) >= 2
    return {topic for topic, each in zip(own.topics, several, strict=True) if each}


def _pairs(own: QuestionMatrix, how: AgreementOptions) -> Iterator[AssessorPair]:
    from adjudge.stats.agreement import cohen_kappa, percent_agreement

    for a, b in combinations(range(len(own.assessors)), 2):
        two = own.of_assessors((a, b))
        matrix, given = _values(two), how.given
        known = {"categories": own.categories}
        plain_kappa, weighted = (
            cohen_kappa(matrix[:, 0], matrix[:, 1], weights=weights, **known, **given(two))  # type: ignore[arg-type]
            for weights in ("identity", how.weights)
        )
        yield AssessorPair(
            a=own.assessors[a],
            b=own.assessors[b],
            alpha=question_alpha(two, how),
            kappa=_counted(two, plain_kappa),
            weighted=_counted(two, weighted),
            agreement=_counted(two, percent_agreement(matrix, **given(two))),
        )


def _systems(own: QuestionMatrix, how: AgreementOptions) -> Iterator[SystemAgreement]:
    from adjudge.stats.agreement import percent_agreement

    for system in sorted({each for each in own.systems if each is not None}, key=natural):
        alone = own.of_system(system)
        yield SystemAgreement(
            system=system,
            alpha=question_alpha(alone, how),
            ac=_ac(alone, how),
            agreement=_counted(alone, percent_agreement(_values(alone), **how.given(alone))),
        )


def _without(own: QuestionMatrix, how: AgreementOptions) -> Iterator[AlphaWithout]:
    import numpy as np

    from adjudge.stats.agreement import krippendorff_without

    found = krippendorff_without(_values(own), distance=how.distance, **how.given(own))
    for column, (alpha, rise) in enumerate(found):
        judged = int(np.count_nonzero(~np.isnan(own.matrix[:, column])))
        yield AlphaWithout(
            assessor=own.assessors[column],
            judged=judged,
            alpha=_counted(own, alpha),
            rise=_counted(own, rise),
        )


def _constant(own: QuestionMatrix, how: AgreementOptions) -> ConstantAnswer | None:
    """The most common answer throughout, beside the median of the assessors, where every thing has one."""
    import numpy as np

    if own.mirrored:
        return None
    rows = own.matrix[~np.isnan(own.matrix).all(axis=1)]
    given = rows[~np.isnan(rows)]
    values, counts = np.unique(given, return_counts=True)
    answer = float(values[counts.argmax()])
    ordered = np.sort(rows, axis=1)  # NaN last
    n, at = np.count_nonzero(~np.isnan(rows), axis=1), np.arange(len(rows))
    median = ordered[at, (n - 1) // 2]
    in_the_middle = bool((median == ordered[at, n // 2]).all())
    both = replace(
        own,
        assessors=("median", "constant"),
        topics=("",) * len(rows),
        systems=(None,) * len(rows),
        matrix=np.stack([median, np.full(len(rows), answer)], axis=1),
    )
    once = replace(how, resamples=0)
    alpha, ac = question_alpha(both, once), _ac(both, once)
    if not in_the_middle:
        alpha, ac = (_undefined(each, "some things have no answer in the middle") for each in (alpha, ac))
    return ConstantAnswer(answer=answer, share=float(counts.max() / given.size), alpha=alpha, ac=ac)


# Pyramids of two assessors


@dataclass(frozen=True)
class ComparedPyramids:
    """Two assessors' annotations of the same peers: content units they found, and the scores that follow."""

    a: str
    b: str
    peers: int
    topics: int
    same_pyramid: int
    """Peers that both compared with one pyramid: only there are content units the same."""
    both: int
    """Content units that both found in a peer; that only one of them found."""
    only_a: int
    only_b: int
    score_a: float
    score_b: float
    """Means of the modified pyramid score over the peers."""
    low: float
    high: float
    """Of the mean difference a - b: a percentile bootstrap over topics."""
    apart: float
    """The mean of the absolute differences."""
    furthest: float
    """The largest of them, and whose it is."""
    furthest_peer: str
    level: float
    resamples: int
    together: tuple[str, ...] = ()
    """The lengths and forms of the peers, where there are several."""

    @property
    def overlap(self) -> float:
        """Dice: of the units that they found, those that both found."""
        found = 2 * self.both + self.only_a + self.only_b
        return 2 * self.both / found if found else math.nan

    @property
    def difference(self) -> float:
        return self.score_a - self.score_b

    def sentence(self) -> str:
        found = self.both + self.only_a + self.only_b
        if not self.same_pyramid:
            units = f"{self.a} and {self.b} compared no peer with the same pyramid"
        elif not found:
            units = f"neither {self.a} nor {self.b} found a content unit"
        else:
            units = (
                f"of {counted(found, 'content unit')} that {self.a} or {self.b} found in a peer, both found"
                f" {self.both:,}"
            )
        if math.isnan(self.difference):
            return f"Pyramids: {units}; no peer has a pyramid score by both."
        interval = "" if math.isnan(self.low) else f" ({self.low:z.3f} to {self.high:z.3f})"
        return (
            f"Pyramids: {units}; pyramid scores of {counted(self.peers, 'peer')} differ by {self.difference:+.3f} on"
            f" average{interval}, by {self.apart:.3f} without their sign, at most {self.furthest:.3f}"
            f" ({self.furthest_peer})."
        )


def compared_pyramids(
    gathered: Gathered,
    how: AgreementOptions,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> tuple[ComparedPyramids, ...]:
    """Every two assessors who annotated the same peers; those of several lengths and forms together."""
    own: dict[str, dict[tuple[str, object], PyramidPeer]] = {}
    for batch in gathered.batches.values():
        for peer in annotated_peers(batch):
            if is_at(peer.text, length, form) and not is_anonymous(peer.assessor):
                own.setdefault(peer.assessor, {}).setdefault((batch.topic.topic, peer.text), peer)
    found = []
    for a, b in combinations(sorted(own, key=natural), 2):
        shared = sorted(own[a].keys() & own[b].keys(), key=lambda key: (natural(key[0]), repr(key[1])))
        if shared:
            found.append(_compared(a, b, [(key[0], own[a][key], own[b][key]) for key in shared], how))
    return tuple(found)


def _compared(
    a: str, b: str, peers: list[tuple[str, PyramidPeer, PyramidPeer]], how: AgreementOptions
) -> ComparedPyramids:
    import numpy as np

    both = only_a = only_b = same = 0
    rows = []
    for topic, one, other in peers:
        first, second = _found_units(one), _found_units(other)
        assert one.against is not None
        assert other.against is not None
        if one.against.digest == other.against.digest:
            same += 1
            both += len(first & second)
            only_a += len(first - second)
            only_b += len(second - first)
        rows.append((topic, f"{one.system} on {topic}", _pyramid_score(one), _pyramid_score(other)))
    scored = [row for row in rows if not math.isnan(row[2] + row[3])]
    values = np.array([[row[2], row[3]] for row in scored]).reshape(-1, 2)
    difference = values[:, 0] - values[:, 1]
    low, high = _mean_interval(difference, [row[0] for row in scored], how)
    most = int(np.abs(difference).argmax()) if scored else -1
    return ComparedPyramids(
        a=a,
        b=b,
        peers=len(peers),
        topics=len({topic for topic, _, _ in peers}),
        same_pyramid=same,
        both=both,
        only_a=only_a,
        only_b=only_b,
        score_a=float(values[:, 0].mean()) if scored else math.nan,
        score_b=float(values[:, 1].mean()) if scored else math.nan,
        low=low,
        high=high,
        apart=float(np.abs(difference).mean()) if scored else math.nan,
        furthest=float(abs(difference[most])) if scored else math.nan,
        furthest_peer=scored[most][1] if scored else "",
        level=how.level,
        resamples=0 if math.isnan(low) else how.resamples,
        together=several_targets(one.text for _, one, _ in peers),
    )


def _found_units(peer: PyramidPeer) -> set[int]:
    """The units of the pyramid that an annotation found in a peer."""
    assert peer.annotation is not None
    assert peer.against is not None
    pyramid = peer.against.pyramid
    weights = (pyramid.without(peer.system) if peer.wrote_one else pyramid).weights
    return {uid for uid in peer.annotation.times() if weights.get(uid)}


def _pyramid_score(peer: PyramidPeer) -> float:
    assert peer.annotation is not None
    assert peer.against is not None
    return PyramidScore().of(peer, peer.against.pyramid, peer.annotation)[0]


def _mean_interval(values: FloatArray, topics: Sequence[str], how: AgreementOptions) -> tuple[float, float]:
    """Of a mean over things, resampling topics."""
    import numpy as np

    from adjudge.stats.agreement import LEAST_CLUSTERS, SAME, cluster_draws

    names = list(dict.fromkeys(topics))
    if len(names) < LEAST_CLUSTERS or how.resamples < 2:
        return math.nan, math.nan
    at = np.array([names.index(topic) for topic in topics])
    sums, counts = np.bincount(at, weights=values), np.bincount(at)
    times = cluster_draws(how.rng(), len(names), how.resamples)
    means = (times @ sums) / (times @ counts)
    low, high = np.quantile(means, [(1 - how.level) / 2, (1 + how.level) / 2])
    return (float(low), float(high)) if high - low > SAME else (math.nan, math.nan)


# The result


@dataclass(frozen=True, repr=False)
class AgreementResult(Pictured, Tabular):
    """How far assessors agree on every question of a source."""

    FIGURES: ClassVar[Mapping[str, str]] = {"agreement": "adjudge.analyses.judges.figures:agreement"}

    name: str
    questions: tuple[QuestionAgreement, ...]
    pyramids: tuple[ComparedPyramids, ...]
    options: AgreementOptions
    anonymous: int
    """Answers of nobody in particular, which do not count."""
    again: int = 0
    """Answers that an assessor gave for a thing after the first, which do not count either."""
    left_out: tuple[str, ...] = ()
    """What is to be known of all judgments of a folder."""
    remarks: tuple[str, ...] = ()
    """And of the answers and scores that were looked at."""

    @property
    def signature(self) -> str:
        sources = sorted({each.source for each in self.questions if each.source is not None})
        of = f"protocol:{','.join(sources)}|" if sources else ""
        return f"agreement|{of}{self.options.signature()}|v:{__version__}"

    def headline(self) -> str:
        """The first thing to know."""
        from adjudge.stats.agreement import reliability

        if not self.questions:
            return "Nobody who can be named answered: there is no agreement to compute."
        if len(self.questions) == 1:
            return self.questions[0].sentence()
        known = [each for each in self.questions if each.alpha.why is None]
        verdicts = Counter(reliability(each.alpha.value) for each in known)
        order = [reliability(value) for value in (0.9, 0.7, 0.0)]
        parts = [
            f"{verdict} on {verdicts[verdict]}"
            + (f": {listed([q.title for q in known if reliability(q.alpha.value) == verdict])}")
            for verdict in order
            if verdicts[verdict]
        ]
        if without := len(self.questions) - len(known):
            parts.append(f"not defined on {without}")
        return f"Alpha of {len(self.questions)} questions is {'; '.join(parts)}."

    def sentences(self) -> Iterator[str]:
        """What can be said, in plain words."""
        if len(self.questions) != 1:
            yield self.headline()
        if len(self.questions) <= MOST_SAID:
            yield from (each.sentence() for each in self.questions)
        elif unsure := [each.title for each in self.questions if each.alpha.crossed]:
            yield f"The interval of alpha crosses .667 or .800 on {listed(unsure)}."
        yield from self._apart([each for each in self.questions if each.apart])
        yield from self._absences()
        yield from (each.sentence() for each in self.pyramids)

    def _apart(self, questions: list[QuestionAgreement]) -> Iterator[str]:
        if len(questions) > MOST_SAID:
            name = questions[0].ac.name
            yield (
                f"{name} exceeds alpha by more than {APART:g} on {listed([q.title for q in questions])}: {name} asks"
                " whether answers are the same or near, alpha whether they tell things apart."
            )
        else:
            yield from (each.about_apart() for each in questions)

    def _absences(self) -> Iterator[str]:
        known = [each for each in self.questions if each.alpha.why is None and len(each.assessors) > 1]
        three = [each for each in known if len(each.assessors) > 2]
        if known and not three:
            yield "With two assessors it cannot be said whose absence would raise alpha."
        elif len(three) > MOST_SAID:
            raised = Counter(most.assessor for each in three if (most := each.most_apart()) is not None)
            each_of = [f"{who} on {n}" for who, n in raised.most_common()]
            of = f"Of {len(three)} questions, the assessor whose absence raises alpha most is "
            if each_of:
                yield f"{of}{listed(each_of)} (--per assessor has by how much): an observation, not a verdict."
            else:
                yield f"On none of {len(three)} questions does an assessor's absence raise alpha."
        else:
            yield from (each.about_absence() for each in three)

    def notes(self) -> tuple[str, ...]:
        """What was left out, and what to keep in mind."""
        found = [*self.left_out, *self.remarks]
        if self.anonymous:
            found.append(_anonymous_note(self.anonymous))
        found += self._together()
        if self.again:
            found.append(_again_note(self.again))
        if alone := {q.title: q.alone for q in self.questions if q.alone}:
            found.append(_alone_note(alone))
        few = [q for q in self.questions if 1 < q.topics < FEW_TOPICS and not math.isnan(q.alpha.low)]
        if few:
            least = min(q.topics for q in few)
            found.append(
                f"intervals resample topics, of which there are {least}: with fewer than {FEW_TOPICS} they are somewhat"
                " too narrow"
            )
        found += _without_interval((q.title, (q.alpha, q.ac)) for q in self.questions)
        reasons: dict[str, list[str]] = {}
        for q in self.questions:
            if q.ac.why is not None and q.alpha.why is None:
                reasons.setdefault(q.ac.why, []).append(q.title)
        for why, names in reasons.items():
            found.append(
                f"{self.questions[0].ac.name} and kappas cannot be computed of {listed(names)}: {why}"
            )
        if any(math.comb(len(q.assessors), 2) > MOST_PAIRS for q in self.questions):
            found.append(f"pairs of assessors have no intervals where there are more than {MOST_PAIRS}")
        return tuple(dict.fromkeys(found))

    # Tables

    def table(self, per: Per = "question") -> Table:
        """The rows per question, or per coefficient, assessor left out, pair of assessors, system, or pyramid."""
        from adjudge.stats import checks

        checks.one_of("per", per, get_args(Per))
        made: dict[Per, Callable[[], Table]] = {
            "question": self._by_question,
            "coefficient": self._by_coefficient,
            "assessor": self._by_assessor,
            "pair": self._by_pair,
            "system": self._by_system,
            "pyramid": self._by_pyramid,
        }
        found = made[per]()
        if per == "pyramid":  # to which the notes of questions and scores say nothing
            said = found.said or ("No two assessors annotated the same peers with a pyramid.",)
            found = replace(found, said=said, notes=(*found.notes, *self.left_out))
        elif per != "question":
            found = replace(found, notes=(*found.notes, *self.notes()))
        return replace(found, signature=self.signature)

    def tables(self) -> Tables:
        names: tuple[Per, ...] = get_args(Per)
        every = [self.table(each) for each in names]
        return Tables(tuple(each for each in every if each.rows or each.name == "agreement"))

    def _by_question(self) -> Table:
        name = "AC1" if self.options.weights == "identity" else "AC2"
        rows = tuple(
            (
                *_key(q),
                len(q.assessors),
                q.alpha.units,
                q.topics,
                q.alpha.values,
                *_cells(q.alpha),
                *_cells(q.ac),
                q.agreement.value,
                q.correlations[1].value,
                _why(q.alpha, q.ac),
            )
            for q in self.questions
        )
        return Table(
            name="agreement",
            title=f"Agreement between assessors: {self.options.distance} alpha, {name}, same answers, ICC",
            columns=(
                *_KEY,
                Column("assessors"),
                Column("units"),
                Column("topics"),
                Column("judgments"),
                *self._interval("alpha"),
                *self._interval("ac", name),
                Column("agreement", "same answer", tiny=False),
                Column("icc", "ICC(2,1)", tiny=False),
                Column("why", "why not", show="varies"),
            ),
            rows=rows,
            said=tuple(self.sentences()),
            notes=self.notes(),
        )

    def _by_coefficient(self) -> Table:
        rows = []
        for q in self.questions:
            for each in q.coefficients:
                icc = each.name.startswith("ICC")
                name = each.name.replace("k)", f"{q.k:.4g})") if icc and each.why is None else each.name
                by = "" if each.low != each.low else f"topics resampled {each.resamples:,} times"
                if icc and each.low == each.low:
                    by = {"F": "F, things independent", "REML": "simulated from REML, things independent"}[
                        q.correlations_by
                    ]
                why = _why(each)
                rows.append((*_key(q), name, *_cells(each), by or None, ASKS[each.name], why))
        used = dict.fromkeys(each.name for q in self.questions for each in q.coefficients)
        return Table(
            name="coefficients",
            title="Coefficients, and what each asks",
            columns=(
                *_KEY,
                Column("coefficient"),
                *self._interval("value"),
                Column("interval_by", "interval from", show="varies"),
                Column("asks", show="never"),
                Column("why", "why not", show="varies"),
            ),
            rows=tuple(rows),
            said=tuple(f"{name}: {ASKS[name]}" for name in used),
        )

    def _by_assessor(self) -> Table:
        return Table(
            name="without-assessor",
            title="Alpha without each assessor: what was observed, no verdict on anybody",
            columns=(
                *_KEY,
                Column("assessor"),
                Column("judged"),
                Column("alpha", "alpha of the others"),
                *self._interval("rise", "rise", "+.3f"),
                Column("why", "why not", show="varies"),
            ),
            rows=tuple(
                (*_key(q), each.assessor, each.judged, each.alpha.value, *_cells(each.rise), _why(each.rise))
                for q in self.questions
                for each in q.without
            ),
            said=tuple(self._absences()),
        )

    def _by_pair(self) -> Table:
        shown = next(name for name, value in NAMES.items() if value == self.options.weights)
        return Table(
            name="assessor-pairs",
            title="Pairs of assessors, over what both judged",
            columns=(
                *_KEY,
                Column("a"),
                Column("b"),
                Column("units"),
                *self._interval("alpha"),
                *self._interval("kappa", "Cohen's kappa"),
                *self._interval(
                    "weighted", f"{shown} weights", show="varies" if shown == "none" else "always"
                ),
                Column("agreement", "same answer"),
                Column("why", "why not", show="varies"),
            ),
            rows=tuple(
                (
                    *_key(q),
                    each.a,
                    each.b,
                    each.alpha.units,
                    *_cells(each.alpha),
                    *_cells(each.kappa),
                    *_cells(each.weighted),
                    each.agreement.value,
                    _why(each.alpha, each.kappa, each.weighted),
                )
                for q in self.questions
                for each in q.pairs
            ),
        )

    def _by_system(self) -> Table:
        name = "AC1" if self.options.weights == "identity" else "AC2"
        rows = tuple(
            (
                *_key(q),
                each.system,
                each.alpha.units,
                *_cells(each.alpha),
                *_cells(each.ac),
                each.agreement.value,
                _why(each.alpha, each.ac),
            )
            for q in self.questions
            for each in q.systems
        )
        return Table(
            name="agreement-by-system",
            title="Agreement on each system's summaries (Lin and Hovy 2002, figures 5 and 6)",
            columns=(
                *_KEY,
                Column("system"),
                Column("units"),
                *self._interval("alpha"),
                *self._interval("ac", name),
                Column("agreement", "same answer"),
                Column("why", "why not", show="varies"),
            ),
            rows=rows,
            notes=(
                "alpha of one system is low also where its summaries deserve the same answer: then there is little to"
                " tell apart",
            )
            if rows
            else (),
        )

    def _by_pyramid(self) -> Table:
        return Table(
            name="pyramids",
            title="Pyramids of two assessors: content units found in the same peers, and scores",
            columns=(
                Column("a"),
                Column("b"),
                Column("peers"),
                Column("topics"),
                Column("same_pyramid", "on one pyramid", show="varies"),
                Column("both", "both found"),
                Column("only_a", "only a"),
                Column("only_b", "only b"),
                Column("overlap", "overlap (Dice)"),
                Column("score_a", "mean score a"),
                Column("score_b", "mean score b"),
                *self._interval("difference", "difference", "+.3f"),
                Column("apart", "mean |difference|"),
                Column("furthest", "largest"),
            ),
            rows=tuple(
                (
                    p.a,
                    p.b,
                    p.peers,
                    p.topics,
                    p.same_pyramid,
                    p.both,
                    p.only_a,
                    p.only_b,
                    p.overlap,
                    p.score_a,
                    p.score_b,
                    p.difference,
                    p.low,
                    p.high,
                    p.apart,
                    p.furthest,
                )
                for p in self.pyramids
            ),
            said=tuple(each.sentence() for each in self.pyramids),
            notes=tuple(self._together()),
        )

    def _together(self) -> Iterator[str]:
        if together := dict.fromkeys(name for each in self.pyramids for name in each.together):
            yield f"pyramids: peers of {listed(list(together))} are counted together"

    def _interval(
        self, name: str, heading: str | None = None, form: str = ".3f", show: Any = "always"
    ) -> tuple[Column, Column, Column]:
        """A coefficient and the ends of its interval."""
        prefix = "" if name in ("alpha", "value", "rise", "difference") else f"{name}_"
        level = f"{_percent(self.options.level)} from"
        return (
            Column(name, heading, format=form, show=show, tiny=False),
            Column(f"{prefix}low", level, show=show, tiny=False),
            Column(f"{prefix}high", "to", show=show, tiny=False),
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        found: dict[str, Any] = plain(
            {
                "name": self.name,
                "signature": self.signature,
                "scale": self.options.distance,
                "weights": next(name for name, value in NAMES.items() if value == self.options.weights),
                "interval": self.options.level,
                "resamples": self.options.resamples,
                "seed": self.options.seed,
                "headline": self.headline(),
                "sentences": list(self.sentences()),
                "asks": ASKS,
                "questions": [asdict(each) for each in self.questions],
                "pyramids": [
                    asdict(each) | {"overlap": each.overlap, "difference": each.difference}
                    for each in self.pyramids
                ],
                "notes": list(self.notes()),
            }
        )
        return found


_KEY = (PROTOCOL, Column("question"), Column("label", "about", show="varies"))


def _key(q: QuestionAgreement) -> tuple[Cell, ...]:
    return q.source, q.question, q.label


def _cells(found: AgreementCoefficient) -> tuple[Cell, ...]:
    return found.value, found.low, found.high


def _why(*found: AgreementCoefficient) -> str | None:
    """Why the first that is not there is not; else why its interval is not, unless none was asked for."""
    from adjudge.stats.agreement import NOT_RESAMPLED

    reasons = [each.why for each in found] + [each.why_no_interval for each in found]
    return next((why for why in reasons if why is not None and why != NOT_RESAMPLED), None)


def _without_interval(
    questions: Iterable[tuple[str, tuple[AgreementCoefficient, ...]]],
) -> Iterator[str]:
    """Which coefficients of which questions have no interval, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for title, coefficients in questions:
        own: dict[str, list[str]] = {}
        for each in coefficients:
            if each.why is None and (why := _why(each)) is not None:
                own.setdefault(why, []).append(each.name)
        for why, names in own.items():
            reasons.setdefault((why, listed(names)), []).append(title)
    for (why, what), titles in reasons.items():
        yield f"no interval of {what} of {listed(titles)}: {why}"


def _percent(level: float) -> str:
    return f"{100 * level:.4g} %"


def _anonymous_note(anonymous: int) -> str:
    return f"{counted(anonymous, 'anonymous answer')} left out: whoever gave them is no assessor"


def _again_note(again: int) -> str:
    said = counted(again, "answer that an assessor", "answers that assessors")
    return f"{said} gave again for the same thing left out: the first counts"


def _alone_note(alone: dict[str, int]) -> str:
    """How many things do not count because there is no second answer."""
    of = f", of {listed([f'{title} {n:,}' for title, n in alone.items()])}" if len(alone) > 1 else ""
    things = counted(sum(alone.values()), "thing")
    return f"{things} that one assessor alone judged do{'es' * (sum(alone.values()) == 1)} not count for alpha{of}"


# Among the tables of judgments


def agreement_table(gathered: Gathered, *, alpha: float = ALPHA, seed: int = 0) -> Table | None:
    """Krippendorff's ordinal alpha of coverage and ratings, as `agreement` computes it; None where there are none."""
    multiplier(alpha)  # says what is wrong with alpha
    asked = questions_of(at_target(coverage_and_ratings(gathered))[0])
    if not asked.questions and not asked.anonymous:
        return None
    how = AgreementOptions(
        distance="ordinal", weights="quadratic", level=1 - alpha, resamples=RESAMPLES, seed=seed
    )
    rows, said, alphas = [], [], []
    for own in asked.questions:
        found, topics = question_alpha(own, how), len(_judged_topics(own))
        counts = (len(own.assessors), found.units, found.values)
        interval = (found.value, found.low, found.high, found.resamples, _why(found))
        rows.append((own.source, own.question, own.label, *counts, *interval))
        alphas.append((own.title, (found,)))
        said.append(f"{own.title}: {alpha_sentence(found, topics)}")
    names = {own.source for own in asked.questions}
    notes = (_anonymous_note(asked.anonymous),) if asked.anonymous else ()
    alone = {own.title: own.alone for own in asked.questions if own.alone}
    used = [entry.protocol for entry, _, _ in gathered.coverage] + [e.protocol for e in gathered.ratings]
    return Table(
        name="agreement",
        title="Agreement between assessors: Krippendorff's ordinal alpha",
        columns=(
            *_KEY,
            Column("assessors", "assessors"),
            Column("units", "units"),
            Column("judgments", "judgments"),
            Column("alpha", "alpha", format=".3f"),
            Column("low", f"{_percent(1 - alpha)} from", format=".3f"),
            Column("high", "to", format=".3f"),
            Column("resamples", "resamples", show="varies"),
            Column("why", "why not", show="varies"),
        ),
        rows=tuple(rows),
        said=tuple(said),
        notes=(*notes, *((_alone_note(alone),) if alone else ()), *_without_interval(alphas)),
        signature=signed(
            "krippendorff:ordinal",
            (protocol for protocol in used if protocol.name in names),
            "bootstrap:topics:percentile",
            f"seed:{seed}",
        ),
    )
