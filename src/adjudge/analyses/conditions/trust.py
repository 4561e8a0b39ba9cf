"""The conditions on which the conclusions rest: each is met, not met, cannot be told, or does not apply.

Every sentence follows from a number of the comparison, of the judgments or of the texts. What other chapters found out
(stability, agreement) is taken from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.agreement.coefficients import QuestionAgreement
from adjudge.analyses.agreement.result import AgreementResult, agreement_on, asked_of
from adjudge.analyses.agreement.words import alpha_sentence
from adjudge.analyses.compare.pairs import Comparison, ranks
from adjudge.analyses.conclusions import DIFFERENT, NOT_COMPARABLE, NOT_TESTED, OUT_OF_REACH
from adjudge.analyses.conditions.copies import NEAR, RUN, CopiedTexts, copied_texts
from adjudge.analyses.conditions.result import State, TrustCondition, TrustConditions
from adjudge.analyses.pages.chapter import Absent, Findings
from adjudge.analyses.pages.names import names_of
from adjudge.analyses.plan.smallest import smallest_found
from adjudge.analyses.plan.words import number
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.stability import stability
from adjudge.analyses.stability.noise import RankNoise
from adjudge.analyses.stability.result import StabilityResult
from adjudge.analyses.stability.words import order_kept, whose
from adjudge.core.errors import AdjudgeError
from adjudge.core.words import as_sentence, capitalised, counted, listed, percent
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.judgments.protocol import QUALITY
from adjudge.measures.judged.coverage import JudgedCoverage, Unmarked
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.pyramid import JudgedPyramid
from adjudge.measures.judged.quality import Quality, QualityErrors
from adjudge.measures.judged.rating import Rating
from adjudge.measures.judged.wins import Wins
from adjudge.measures.registry import parse_measure
from adjudge.measures.run import looks_at_judgments
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.measures.base import Measure

POWER = 0.8
TENTATIVE = 0.667
"""Krippendorff's threshold for tentative conclusions."""
COPIED = 0.95
"""Of a summary's words, on average: from here on a system copies word for word."""
QUESTIONS = {
    "topics": "Are there enough topics?",
    "found": "Could differences have been found?",
    "assessors": "Did several assessors judge?",
    "stable": "Is the top of the ranking stable?",
    "agreement": "Do assessors agree?",
    "copies": "Is no system a copy of another?",
    "left out": "Is everything in?",
}
"""What every condition asks, by its name."""
MOST_NAMED = 5
QUICK = "a quick report does not look into it"
NOBODY = "no assessor gave these scores: they are computed from texts"


def conditions_of_all(findings: Findings) -> list[TrustConditions]:
    """Conditions of every comparison of a report that says who is better."""
    texts = copied_texts(findings.collection)
    systems = dict.fromkeys(system for c in findings.comparisons for system in c.matrix.systems)
    shown = {system: name.shown for system, name in names_of(findings.collection, systems).items()}
    not_looked_into = Absent(QUICK) if findings.options.quick else None
    return [
        Grounds(
            scores=findings.scores,
            comparison=comparison,
            texts=texts,
            collection=findings.collection,
            stability=findings.results.get("stability", not_looked_into),
            agreement=findings.results.get("agreement", not_looked_into),
            names=shown,
        ).conditions()
        for comparison in findings.comparisons
        if comparison.matrix.info.better is not None and len(comparison.standings) > 1
    ]


def trust_conditions(
    scores: Source,
    comparison: Comparison,
    *,
    collection: Collection | None = None,
    stability: StabilityResult | None = None,
    agreement: AgreementResult | None = None,
) -> TrustConditions:
    """Under which conditions a comparison's conclusions can be trusted, each stated either way.

    `scores` are those that were compared; an evaluation, or the path to one, tells of texts too. Stability and
    agreement are computed where they are not given.
    """
    data = scores_of(scores)
    if collection is None:
        loaded = getattr(scores, "collection", None)
        if isinstance(loaded, Collection):
            collection = loaded
        elif data.folder is not None:
            collection = load(Folder.open(data.folder))
        else:
            collection = data.collection()
    return Grounds(
        scores=data,
        comparison=comparison,
        texts=copied_texts(collection),
        collection=collection,
        stability=stability,
        agreement=agreement,
    ).conditions()


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What the conditions are told from; an `Absent` says why something was not looked into."""

    scores: Scores
    comparison: Comparison
    texts: CopiedTexts | None
    collection: Collection
    stability: StabilityResult | Absent | None
    agreement: AgreementResult | Absent | None
    names: Mapping[str, str] = field(default_factory=dict)
    """What systems are called where it is not their id."""

    def conditions(self) -> TrustConditions:
        comparison = self.comparison
        stated = {
            "topics": _topics(comparison),
            "found": _findable(comparison),
            "assessors": _assessors(self),
            "stable": _stable(self),
            "agreement": _agreement(self),
            "copies": _copies(self),
            "left out": _whole(self),
        }
        return TrustConditions(
            measure=comparison.measure,
            length=comparison.matrix.length,
            form=comparison.matrix.target.form,
            title=comparison.title,
            conditions=tuple(
                TrustCondition(name, QUESTIONS[name], state, capitalised(as_sentence(words)))
                for name, (state, words) in stated.items()
            ),
        )

    @cached_property
    def measure(self) -> Measure | None:
        """The measure, where it is one of ours."""
        try:
            return parse_measure(self.comparison.measure)
        except AdjudgeError:
            return None

    @property
    def by_text(self) -> bool:
        """Whether the scores are known to be computed from texts."""
        measure = self.measure
        return (
            measure is not None
            and not looks_at_judgments(measure)
            and judge_of(self.comparison.measure) is None
        )

    def called(self, systems: Iterable[str]) -> str:
        return listed([self.names.get(system, system) for system in systems])

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> str:
        names = [self.called(pair) for pair in pairs[:MOST_NAMED]]
        more = [counted(len(pairs) - MOST_NAMED, "other pair")] if len(pairs) > MOST_NAMED else []
        return "; ".join([*names, *more])


Stated = tuple[State, str]
"""Whether a condition is met, and the numbers that say so, with no capital letter and no full stop yet."""


# Topics and power


def _topics(comparison: Comparison) -> Stated:
    """Enough topics find a difference that half of the pairs of systems reach."""
    smallest = smallest_found(comparison, power=POWER)
    topics = counted(smallest.topics, "topic")
    if smallest.topics < 2:
        return "unmet", f"two systems have {topics} in common: without two nothing can be tested"
    if smallest.hopeless:
        return "unmet", f"{topics} cannot find any difference ({smallest.basis}): {smallest.why}"
    if smallest.why is not None:
        return "unknown", f"{topics}; which difference they find is not known: {smallest.why}"
    reach, median = number(smallest.value), number(smallest.median)
    enough = smallest.value <= smallest.median
    if reach == median and smallest.value != smallest.median:
        reach, median = number(smallest.value, 4), number(smallest.median, 4)
    people = anew = ""
    if comparison.sampled and comparison.population is not None:
        people = f" and {counted(len(comparison.population.assessors), 'assessor')}"
        # Two numbers for one question would puzzle whoever asks for both.
        anew = (
            ". That is at the median standard error found here; adjudge plan lets another study find other errors, and"
            " so gives another number"
        )
    half = (
        "half of the pairs of systems lie at least"
        if enough
        else "fewer than half of the pairs of systems lie"
    )
    return (
        "met" if enough else "unmet",
        f"with {topics}{people}, the smallest difference between two systems that is found with {percent(POWER)} power"
        f" is about {reach} ({smallest.basis}); {half} that far apart (median {median}){anew}",
    )


def _findable(comparison: Comparison) -> Stated:
    tested, total = comparison.tested[comparison.test], int(comparison.family.sum())
    reasons = {
        OUT_OF_REACH: "could not have been found: even with one system ahead on every topic on which the two differ, p"
        " would not be small enough",
        NOT_TESTED: "could not be tested",
        NOT_COMPARABLE: "could not be compared, without a topic in common",
    }
    parts = [f"{n:,} {words}" for code, words in reasons.items() if (n := tested.count(code))]
    if not parts:
        pairs = "the one pair" if total == 1 else f"each of the {total:,} pairs"
        return "met", f"{pairs} of systems could have been found to differ"
    return "unmet", f"of {counted(total, 'pair')} of systems, {listed(parts)}"


# Assessors


def _assessors(grounds: Grounds) -> Stated:
    comparison, whose = grounds.comparison, grounds.comparison.population
    if whose is None:
        if grounds.by_text:
            return "not applicable", NOBODY
        return "unknown", "the scores name no assessor: if people gave them, how many did is not known"
    size = len(whose.assessors)
    judged = f"{counted(size, 'assessor')} judged"
    if size == 1:
        return "unmet", f"{judged}: conclusions hold for this one, not for others"
    simulated = grounds.scores.count_simulated(comparison.measure)
    program = f"; {counted(simulated, 'judgment is', 'judgments are')} simulated" if simulated else ""
    if comparison.sampled:
        return "met", f"{judged}, and conclusions are for {whose.like_these}{program}"
    why = f": {whose.why}" if whose.why else ""
    return "met", f"{judged}, and conclusions are for {whose.these}, not for others{why}{program}"


def _stable(grounds: Grounds) -> Stated:
    """Whether half of the systems or more are ruled out as the best, and other assessors would leave it at that.

    That every rank is settled is hardly ever so, and who may be the best is what the report begins with.
    """
    comparison, standings = grounds.comparison, grounds.comparison.standings
    first = comparison.candidates()
    if first is None:
        return "unknown", "not every pair of systems was compared, so ranks are not known"
    total, others = len(standings), len(standings) - len(first)
    differ = comparison.tested[comparison.test].count(DIFFERENT)
    settled = bool(first) and len(first) <= others
    if not differ:
        systems = counted(total, "system")
        return ("unmet", f"no pair of systems differs significantly, so any of the {systems} may be the best")
    if settled:
        rest = "the other system" if others == 1 else f"each of the other {others:,} systems"
        best = grounds.called(first)
        words = f"only {best} may be the best: for {rest} there is one that is significantly better"
    elif first:
        words = f"more than half of the systems, {len(first):,} of {total:,}, may be the best"
    else:
        words = "for every system there is one that is significantly better"
    fixed = sum(s.best == s.worst for s in standings)
    pairs = counted(int(comparison.family.sum()), "pair")
    words += f". Significant differences settle the order of {differ:,} of {pairs} and {fixed:,} of the {total:,} ranks"
    widest = max(standings, key=lambda s: s.worst - s.best)
    if widest.best < widest.worst:
        name, open_ = grounds.called([widest.system]), ranks(widest, " to ")
        words += f"; most is left open for {name}, which may have any rank from {open_}"
    share = 1.0
    if (noise := _noise_of(grounds)) is not None and noise.drawn is not None:
        # The share of draws in which one of the candidates has the best mean, rounded down, so that it holds.
        share = sum(float(noise.drawn.best[noise.systems.index(s)]) for s in first if s in noise.systems)
        if settled:
            who = "it" if len(first) == 1 else "one of them"
            draws = f"{noise.drawn.draws:,} draws for {whose(noise)} on these topics"
            words += f". In {math.floor(1000 * share + 1e-9) / 10:g} % of {draws}, {who} has the best mean"
        words += f". {capitalised(order_kept(noise))}"
    return ("met" if settled and share >= comparison.level else "unmet", words)


def _noise_of(grounds: Grounds) -> RankNoise | None:
    """Of judgments: what the noise of judging leaves of this ranking."""
    comparison, result = grounds.comparison, grounds.stability
    length, form = comparison.matrix.length, comparison.matrix.target.form
    if comparison.population is None or isinstance(result, Absent):
        return None
    if result is None:
        try:
            result = stability(grounds.scores, comparison.measure, length=length, form=form)
        except AdjudgeError:
            return None
    matches = [
        noise
        for noise in result.noise
        if noise.info.measure == comparison.measure
        and noise.length in (length, None)
        and noise.form in (form, None)
    ]
    return matches[0] if len(matches) == 1 and matches[0].drawn is not None else None


def _agreement(grounds: Grounds) -> Stated:
    whose = grounds.comparison.population
    if whose is None:
        if grounds.by_text:
            return "not applicable", NOBODY
        return "unknown", "the scores name no assessor, so nothing is known of agreement"
    if len(whose.assessors) == 1:
        return "unknown", "one assessor judged: there is nobody to agree with"
    if isinstance(grounds.agreement, Absent):
        return "unknown", str(grounds.agreement.why)
    try:
        asked = _questions(grounds, grounds.agreement)
    except AdjudgeError as error:
        return "unknown", str(error)
    if asked is None:
        return "unknown", "it is not known which questions these scores are made of"
    measured = [question for question in asked if question.alpha.why is None]
    if not measured:
        why = asked[0].alpha.why if asked else "no question behind these scores has answers of two assessors"
        return "unknown", f"agreement is not known: {why}"
    worst, best = (of(measured, key=lambda question: question.alpha.value) for of in (min, max))
    state: State = "met" if worst.alpha.value >= TENTATIVE else "unmet"
    if len(measured) == 1:
        of = f"on {worst.title} ({worst.source}), the question that these scores are made of, "
        if worst.source is None:
            of = f"of {worst.title}, the scores compared here, "
        return (state, f"{of}Krippendorff's {alpha_sentence(worst.alpha, worst.topics)}")
    least = sum(question.alpha.value >= TENTATIVE for question in measured)
    return (
        state,
        f"Krippendorff's alpha of the {counted(len(measured), 'question')} that these scores are made of runs from"
        f" {worst.alpha.value:z.3f} ({worst.title}) to {best.alpha.value:z.3f} ({best.title}); {least:,}"
        f" {'reaches' if least == 1 else 'reach'} {TENTATIVE}, the least for tentative conclusions, which all should",
    )


def _questions(grounds: Grounds, result: AgreementResult | None) -> list[QuestionAgreement] | None:
    """The questions that scores are made of, about texts of their length and form; None where nothing says which.

    What was found already is taken from there; a measure of another length or form asks for its own.
    """
    scores, matrix = grounds.scores, grounds.comparison.matrix
    wanted = _asked_of(grounds.measure)
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


# Copies


def _copies(grounds: Grounds) -> Stated:
    comparison, texts = grounds.comparison, grounds.texts
    systems = [s.system for s in comparison.standings]
    equal, flat = _equal_scores(comparison)
    same_scores = f"the same score on every topic: {grounds.pairs(equal)}"
    if texts is None or not any(system in pair for pair in texts.shared for system in systems):
        if equal:
            return ("unmet", f"{same_scores}; there are no texts here")
        none = "no two systems that were compared have the same score on every topic"
        if flat:
            none = (
                f"{counted(len(flat), 'pair')} of systems {'has' if len(flat) == 1 else 'have'} one and the same score"
                " on all topics, which may have other reasons than copying"
            )
        elif comparison.family.all():
            none = "no two systems have the same score on every topic that both have"
        return "unknown", f"{none}; whether texts are copied cannot be told without them"
    pairs = texts.pairs(systems)
    compared = {system for pair in texts.shared for system in pair}
    bare = [system for system in systems if system not in compared]
    rest = f"; {same_scores}" if equal else ""
    if bare:
        rest += f"; {grounds.called(bare)} {'has' if len(bare) == 1 else 'have'} no text here to compare"
    rest += _source_words(systems, texts, grounds)
    if not pairs:
        state: State
        state, who = ("unknown", "of the other systems no two") if bare else ("met", "no two systems")
        return (
            state,
            f"{who} have the same text, or one that shares {percent(NEAR)} of the word trigrams, on half of their"
            f" summaries or more{rest}",
        )
    phrases = [
        f"{grounds.called((a, b))} on {texts.near[a, b]:,} of {texts.shared[a, b]:,} summaries"
        f" ({texts.same[a, b]:,} word for word)"
        for a, b in pairs[:MOST_NAMED]
    ]
    more = f" and {counted(len(pairs) - MOST_NAMED, 'other pair')}" if len(pairs) > MOST_NAMED else ""
    return (
        "unmet",
        f"{counted(len(pairs), 'pair')} of systems {'has' if len(pairs) == 1 else 'have'} the same or nearly the same"
        f" texts: {'; '.join(phrases)}{more}{rest}",
    )


def _equal_scores(comparison: Comparison) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs with the same score on every topic, of at least two; apart from them those whose scores are one number."""
    import numpy as np

    counts, matrix = comparison.tested[comparison.test].results.counts, comparison.matrix
    pairs: tuple[list[tuple[str, str]], list[tuple[str, str]]] = [], []
    for k in np.flatnonzero(comparison.family & (counts.ties == counts.n) & (counts.n > 1)).tolist():
        a, b = int(counts.first[k]), int(counts.second[k])
        values = matrix.values[:, a]
        flat = np.unique(values[~np.isnan(values)]).size <= 1
        pairs[flat].append((matrix.systems[a], matrix.systems[b]))
    return pairs


def _source_words(systems: list[str], texts: CopiedTexts, grounds: Grounds) -> str:
    """Who takes the source's words: of baselines that is expected."""
    measured = [system for system in systems if system in texts.copied]
    if not measured:
        return "; without documents it cannot be told who copies the source"
    copiers = [system for system in measured if texts.copied[system] >= COPIED]
    runs = f"words stand in runs of {RUN} or more that the source has"
    most = max(texts.copied[system] for system in measured)
    share = min((texts.copied[system] for system in copiers), default=most)
    # Rounded down, so that it holds.
    least = "all their" if share >= 1 else f"at least {math.floor(100 * share)} % of their"
    if not copiers:
        who = grounds.called([max(measured, key=lambda system: texts.copied[system])])
        return f"; nobody copies the source word for word (the most does {who}: {least} {runs})"
    copy = "copies" if len(copiers) == 1 else "copy"
    words = f"; {grounds.called(copiers)} {copy} the source word for word ({least} {runs})"
    collection = grounds.collection
    baselines = [s for s in copiers if s in collection.systems and collection.kind(s) == "baseline"]
    if not baselines:
        return words
    if len(baselines) == len(copiers):
        return f"{words}: {'a baseline' if len(copiers) == 1 else 'all of them baselines'}"
    are = "is a baseline" if len(baselines) == 1 else "are baselines"
    return f"{words}; of these {grounds.called(baselines)} {are}"


# What was left out


def _whole(grounds: Grounds) -> Stated:
    """Whether every system has a current score on every topic."""
    import numpy as np

    scores, collection, matrix = grounds.scores, grounds.collection, grounds.comparison.matrix
    gaps = []
    cells = {(topic, system) for topic, system, _ in matrix.missing}
    rows, columns = np.nonzero(np.isnan(matrix.values))
    cells |= {
        (matrix.topics[k], matrix.systems[j]) for k, j in zip(rows.tolist(), columns.tolist(), strict=True)
    }
    if cells:
        systems = {system for _, system in cells}
        are = "is" if len(cells) == 1 else "are"
        gaps.append(f"{counted(len(cells), 'score')} of {counted(len(systems), 'system')} {are} missing")
    form = matrix.target.form
    if withdrawn := [
        s for s in collection.withdrawn if matrix.length in (None, s.length) and form in (None, s.form)
    ]:
        gaps.append(f"{counted(len(withdrawn), 'summary', 'summaries')} withdrawn")
    if scores.left_out:
        gaps.append(f"{counted(len(scores.left_out), 'assessor')} left out ({listed(scores.left_out)})")
    if stale := scores.stale.get(matrix.measure):
        gaps.append(f"{counted(len(stale), 'topic')} changed since they were scored")
    gaps += scores.notes(matrix.measure, "gone-left-out", "judgments-left-out", "rows-left-out")
    if gaps:
        return "unmet", listed(gaps)
    topics = "the one topic" if len(matrix.topics) == 1 else f"each of the {len(matrix.topics):,} topics"
    return (
        "met",
        f"each of the {counted(len(grounds.comparison.standings), 'system')} has a score on {topics}; no summary"
        f"{' of this length or form' if collection.withdrawn else ''} was withdrawn, no assessor left out",
    )
