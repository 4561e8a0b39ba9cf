"""The conditions on which the conclusions rest: each is met, not met, cannot be told, or does not apply.

Every sentence follows from a number of the comparison, of the judgments or of the texts. What other chapters found out
(stability, agreement) is taken from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass
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
from adjudge.core.words import as_sentence, capitalised, counted, listed
from adjudge.data.collection import Collection
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
    from adjudge.analyses.questions import QuestionMatrix
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
        conditions_of(
            findings.scores,
            comparison,
            texts=texts,
            collection=findings.collection,
            stability=findings.results.get("stability", not_looked_into),
            agreement=findings.results.get("agreement", not_looked_into),
            names=shown,
        )
        for comparison in findings.comparisons
        if is_compared(comparison)
    ]


def is_compared(comparison: Comparison) -> bool:
    """Whether anybody can be better here: a description ranks nothing."""
    return comparison.matrix.info.better is not None and len(comparison.standings) > 1


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
            from adjudge.data.collection import load
            from adjudge.data.folder import Folder

            collection = load(Folder.open(data.folder))
        else:
            collection = data.collection()
    return conditions_of(
        data,
        comparison,
        texts=copied_texts(collection),
        collection=collection,
        stability=stability,
        agreement=agreement,
    )


def conditions_of(
    scores: Scores,
    comparison: Comparison,
    *,
    texts: CopiedTexts | None,
    collection: Collection,
    stability: StabilityResult | Absent | None,
    agreement: AgreementResult | Absent | None,
    names: Mapping[str, str] | None = None,
) -> TrustConditions:
    """The same from what is at hand; an `Absent` says why something was not looked into.

    `names` has what systems are called where it is not their id.
    """
    called = _Called(names or {})
    stated = {
        "topics": _topics(comparison),
        "found": _findable(comparison),
        "assessors": _assessors(scores, comparison),
        "stable": _stable(scores, comparison, stability, called),
        "agreement": _agreement(scores, comparison, agreement),
        "copies": _copies(comparison, texts, collection, called),
        "left out": _whole(scores, comparison, collection),
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


Stated = tuple[State, str]
"""Whether a condition is met, and the numbers that say so, with no capital letter and no full stop yet."""


@dataclass(frozen=True)
class _Called:
    """Systems by the names that a reader sees."""

    names: Mapping[str, str]

    def __call__(self, system: str) -> str:
        return self.names.get(system, system)

    def all(self, systems: Container[str]) -> str:
        return listed([self(system) for system in systems])

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> str:
        names = [f"{self(a)} and {self(b)}" for a, b in pairs[:MOST_NAMED]]
        more = [counted(len(pairs) - MOST_NAMED, "other pair")] if len(pairs) > MOST_NAMED else []
        return "; ".join([*names, *more])


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
    people = f" and {counted(len(comparison.population.assessors), 'assessor')}" if comparison.sampled else ""  # type: ignore[union-attr]
    half = (
        f"half of the pairs of systems lie at least that far apart (median {median})"
        if enough
        else f"fewer than half of the pairs of systems lie that far apart (median {median})"
    )
    # Two numbers for one question would puzzle whoever asks for both.
    anew = (
        ". That is at the median standard error found here; adjudge plan lets another study find other errors, and so"
        " gives another number"
        if comparison.sampled
        else ""
    )
    return (
        "met" if enough else "unmet",
        f"with {topics}{people}, the smallest difference between two systems that is found with {_percent(POWER)} power"
        f" is about {reach} ({smallest.basis}); {half}{anew}",
    )


def _findable(comparison: Comparison) -> Stated:
    tested, total = comparison.tested[comparison.test], int(comparison.family.sum())
    parts = [
        f"{n:,} {words}"
        for code, words in (
            (
                OUT_OF_REACH,
                "could not have been found: even with one system ahead on every topic on which the two differ, p would"
                " not be small enough",
            ),
            (NOT_TESTED, "could not be tested"),
            (NOT_COMPARABLE, "could not be compared, without a topic in common"),
        )
        if (n := tested.count(code))
    ]
    if not parts:
        pairs = "the one pair" if total == 1 else f"each of the {total:,} pairs"
        return "met", f"{pairs} of systems could have been found to differ"
    return "unmet", f"of {counted(total, 'pair')} of systems, {listed(parts)}"


# Assessors


def _measure(comparison: Comparison) -> Measure | None:
    """The measure, where it is one of ours."""
    try:
        return parse_measure(comparison.measure)
    except AdjudgeError:
        return None


def _by_text(comparison: Comparison) -> bool:
    """Whether the scores are known to be computed from texts."""
    measure = _measure(comparison)
    return measure is not None and not looks_at_judgments(measure) and judge_of(comparison.measure) is None


def _assessors(scores: Scores, comparison: Comparison) -> Stated:
    whose = comparison.population
    if whose is None:
        if _by_text(comparison):
            return "not applicable", NOBODY
        return "unknown", "the scores name no assessor: if people gave them, how many did is not known"
    size = len(whose.assessors)
    judged = f"{counted(size, 'assessor')} judged"
    if size == 1:
        return "unmet", f"{judged}: conclusions hold for this one, not for others"
    simulated = scores.count_simulated(comparison.measure)
    program = f"; {counted(simulated, 'judgment is', 'judgments are')} simulated" if simulated else ""
    if comparison.sampled:
        return "met", f"{judged}, and conclusions are for {whose.like_these}{program}"
    why = f": {whose.why}" if whose.why else ""
    return "met", f"{judged}, and conclusions are for {whose.these}, not for others{why}{program}"


def _stable(
    scores: Scores, comparison: Comparison, result: StabilityResult | Absent | None, called: _Called
) -> Stated:
    """Whether half of the systems or more are ruled out as the best, and other assessors would leave it at that.

    That every rank is settled is hardly ever so, and who may be the best is what the report begins with.
    """
    first = comparison.candidates()
    if first is None:
        return "unknown", "not every pair of systems was compared, so ranks are not known"
    standings = comparison.standings
    systems, others = counted(len(standings), "system"), len(standings) - len(first)
    differ = comparison.tested[comparison.test].count(DIFFERENT)
    settled = bool(first) and len(first) <= others
    if not differ:
        return ("unmet", f"no pair of systems differs significantly, so any of the {systems} may be the best")
    if settled:
        rest = "the other system" if others == 1 else f"each of the other {others:,} systems"
        words = (
            f"only {called.all(first)} may be the best: for {rest} there is one that is significantly better"
        )
    elif first:
        words = f"more than half of the systems, {len(first):,} of {len(standings):,}, may be the best"
    else:
        words = "for every system there is one that is significantly better"
    fixed = sum(s.best == s.worst for s in standings)
    pairs = counted(int(comparison.family.sum()), "pair")
    words += (
        f". Significant differences settle the order of {differ:,} of {pairs} and {fixed:,} of the"
        f" {len(standings):,} ranks"
    )
    widest = max(standings, key=lambda s: s.worst - s.best)
    if widest.best < widest.worst:
        open_ = ranks(widest, " to ")
        words += f"; most is left open for {called(widest.system)}, which may have any rank from {open_}"
    share = 1.0
    if (noise := _noise_of(scores, comparison, result)) is not None:
        share = _stays(noise, first)
        words += f". {_stays_words(noise, first, share)}" if settled else ""
        words += f". {capitalised(order_kept(noise))}"
    return ("met" if settled and share >= comparison.level else "unmet", words)


def _stays(noise: RankNoise, first: Sequence[str]) -> float:
    """The share of draws in which one of the candidates has the best mean."""
    assert noise.drawn is not None
    return sum(float(noise.drawn.best[noise.systems.index(s)]) for s in first if s in noise.systems)


def _stays_words(noise: RankNoise, first: Sequence[str], share: float) -> str:
    assert noise.drawn is not None
    # Rounded down, so that it holds.
    percent = math.floor(1000 * share + 1e-9) / 10
    who = "it" if len(first) == 1 else "one of them"
    draws = f"{noise.drawn.draws:,} draws for {whose(noise)} on these topics"
    return f"In {percent:g} % of {draws}, {who} has the best mean"


def _noise_of(
    scores: Scores, comparison: Comparison, result: StabilityResult | Absent | None
) -> RankNoise | None:
    """Of judgments: what the noise of judging leaves of this ranking."""
    if comparison.population is None or isinstance(result, Absent):
        return None
    if result is None:
        try:
            result = stability(
                scores,
                comparison.measure,
                length=comparison.matrix.length,
                form=comparison.matrix.target.form,
            )
        except AdjudgeError:
            return None
    matches = [
        noise
        for noise in result.noise
        if noise.info.measure == comparison.measure
        and noise.length in (comparison.matrix.length, None)
        and noise.form in (comparison.matrix.target.form, None)
    ]
    return matches[0] if len(matches) == 1 and matches[0].drawn is not None else None


def _agreement(scores: Scores, comparison: Comparison, result: AgreementResult | Absent | None) -> Stated:
    whose = comparison.population
    if whose is None:
        if _by_text(comparison):
            return "not applicable", NOBODY
        return "unknown", "the scores name no assessor, so nothing is known of agreement"
    if len(whose.assessors) == 1:
        return "unknown", "one assessor judged: there is nobody to agree with"
    if isinstance(result, Absent):
        return "unknown", str(result.why)
    try:
        asked = _questions(scores, comparison, result)
    except AdjudgeError as error:
        return "unknown", str(error)
    if asked is None:
        return "unknown", "it is not known which questions these scores are made of"
    measured = [question for question in asked if question.alpha.why is None]
    if not measured:
        why = asked[0].alpha.why if asked else "no question behind these scores has answers of two assessors"
        return "unknown", f"agreement is not known: {why}"
    worst = min(measured, key=lambda question: question.alpha.value)
    state: State = "met" if worst.alpha.value >= TENTATIVE else "unmet"
    if len(measured) == 1:
        of = (
            f"of {worst.title}, the scores compared here, "
            if worst.source is None
            else f"on {worst.title} ({worst.source}), the question that these scores are made of, "
        )
        return (state, f"{of}Krippendorff's {alpha_sentence(worst.alpha, worst.topics)}")
    best = max(measured, key=lambda question: question.alpha.value)
    least = sum(question.alpha.value >= TENTATIVE for question in measured)
    return (
        state,
        f"Krippendorff's alpha of the {counted(len(measured), 'question')} that these scores are made of runs from"
        f" {worst.alpha.value:z.3f} ({worst.title}) to {best.alpha.value:z.3f} ({best.title}); {least:,}"
        f" {'reaches' if least == 1 else 'reach'} {TENTATIVE}, the least for tentative conclusions, which all should",
    )


def _questions(
    scores: Scores, comparison: Comparison, result: AgreementResult | None
) -> list[QuestionAgreement] | None:
    """The questions that scores are made of, about texts of their length and form; None where nothing says which.

    What was found already is taken from there; a measure of another length or form asks for its own.
    """
    matrix, wanted = comparison.matrix, _asked_of(_measure(comparison))
    form = None if matrix.form is None else matrix.target.form

    def is_own(question: QuestionMatrix) -> bool:
        return question.source is None and (question.asked or question.question) == comparison.measure

    def is_asked(question: QuestionMatrix) -> bool:
        return (
            question.source is not None and wanted is not None and wanted(question.asked or question.question)
        )

    by_key = {question.key: question for question in result.questions} if result is not None else {}
    source = result.source if result is not None else None
    source = source or asked_of(scores.everyone or scores, scores.left_out)
    there = [
        question
        for question in source.asked.questions
        if question.is_of(matrix.length, form) and (is_own(question) or is_asked(question))
    ]
    there = [question for question in there if is_own(question)] or there
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
    key = _key_of(measure)
    return None if key is None else lambda asked: key in (asked, asked.rpartition(":")[2])


def _key_of(measure: Measure | None) -> str | None:
    if isinstance(measure, QualityErrors):
        return measure.question
    if isinstance(measure, Quality):
        return measure.question if measure.q in ("", Quality.q) else measure.q
    if isinstance(measure, Rating):
        return measure.aspect
    asked: dict[type, str] = {
        JudgedCoverage: "completeness",
        Unmarked: "unmarked",
        JudgedPyramid: "content-units",
        Preference: "preference",
        Wins: "preference",
    }
    return next((name for kind, name in asked.items() if isinstance(measure, kind)), None)


# Copies


def _copies(
    comparison: Comparison, texts: CopiedTexts | None, collection: Collection, called: _Called
) -> Stated:
    systems = [s.system for s in comparison.standings]
    equal, flat = _equal_scores(comparison)
    scores = f"; the same score on every topic: {called.pairs(equal)}" if equal else ""
    if texts is None or not any(system in pair for pair in texts.shared for system in systems):
        if equal:
            return ("unmet", f"the same score on every topic: {called.pairs(equal)}; there are no texts here")
        none = (
            f"{counted(len(flat), 'pair')} of systems {'has' if len(flat) == 1 else 'have'} one and the same score on"
            " all topics, which may have other reasons than copying"
            if flat
            else "no two systems have the same score on every topic that both have"
            if comparison.family.all()
            else "no two systems that were compared have the same score on every topic"
        )
        return "unknown", f"{none}; whether texts are copied cannot be told without them"
    pairs = texts.pairs(systems)
    source = _source_words(systems, texts, collection, called)
    compared = {system for pair in texts.shared for system in pair}
    if bare := [system for system in systems if system not in compared]:
        source = f"; {called.all(bare)} {'has' if len(bare) == 1 else 'have'} no text here to compare{source}"
    if bare and not pairs:
        return (
            "unknown",
            f"of the other systems no two have the same text, or one that shares {_percent(NEAR)} of the word trigrams,"
            f" on half of their summaries or more{scores}{source}",
        )
    if not pairs:
        return (
            "met",
            f"no two systems have the same text, or one that shares {_percent(NEAR)} of the word trigrams, on half of"
            f" their summaries or more{scores}{source}",
        )
    phrases = [
        f"{called(a)} and {called(b)} on {texts.near[a, b]:,} of {texts.shared[a, b]:,} summaries"
        f" ({texts.same[a, b]:,} word for word)"
        for a, b in pairs[:MOST_NAMED]
    ]
    more = f" and {counted(len(pairs) - MOST_NAMED, 'other pair')}" if len(pairs) > MOST_NAMED else ""
    return (
        "unmet",
        f"{counted(len(pairs), 'pair')} of systems {'has' if len(pairs) == 1 else 'have'} the same or nearly the same"
        f" texts: {'; '.join(phrases)}{more}{scores}{source}",
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


def _source_words(systems: list[str], texts: CopiedTexts, collection: Collection, called: _Called) -> str:
    """Who takes the source's words: of baselines that is expected."""
    measured = [system for system in systems if system in texts.copied]
    if not measured:
        return "; without documents it cannot be told who copies the source"
    copiers = [system for system in measured if texts.copied[system] >= COPIED]
    runs = f"words stand in runs of {RUN} or more that the source has"
    if not copiers:
        most = max(measured, key=lambda system: texts.copied[system])
        share = _least(texts.copied[most])
        return f"; nobody copies the source word for word (the most does {called(most)}: {share} {runs})"
    share, copy = _least(min(texts.copied[s] for s in copiers)), "copies" if len(copiers) == 1 else "copy"
    words = f"; {called.all(copiers)} {copy} the source word for word ({share} {runs})"
    baselines = [s for s in copiers if s in collection.systems and collection.kind(s) == "baseline"]
    if not baselines:
        return words
    if len(baselines) == len(copiers):
        return f"{words}: {'a baseline' if len(copiers) == 1 else 'all of them baselines'}"
    are = "is a baseline" if len(baselines) == 1 else "are baselines"
    return f"{words}; of these {called.all(baselines)} {are}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _least(share: float) -> str:
    """`all their`, or `at least 97 % of their`: rounded down, so that it holds."""
    return "all their" if share >= 1 else f"at least {math.floor(100 * share)} % of their"


# What was left out


def _whole(scores: Scores, comparison: Comparison, collection: Collection) -> Stated:
    """Whether every system has a current score on every topic."""
    import numpy as np

    matrix = comparison.matrix
    gaps = []
    if matrix.missing or np.isnan(matrix.values).any():
        cells = {(topic, system) for topic, system, _ in matrix.missing}
        rows, columns = np.nonzero(np.isnan(matrix.values))
        cells |= {
            (matrix.topics[k], matrix.systems[j])
            for k, j in zip(rows.tolist(), columns.tolist(), strict=True)
        }
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
    if stale := scores.stale.get(comparison.measure):
        gaps.append(f"{counted(len(stale), 'topic')} changed since they were scored")
    gaps += scores.notes(comparison.measure, "gone-left-out", "judgments-left-out", "rows-left-out")
    if gaps:
        return "unmet", listed(gaps)
    topics = "the one topic" if len(matrix.topics) == 1 else f"each of the {len(matrix.topics):,} topics"
    return (
        "met",
        f"each of the {counted(len(comparison.standings), 'system')} has a score on {topics}; no summary"
        f"{' of this length or form' if collection.withdrawn else ''} was withdrawn, no assessor left out",
    )
