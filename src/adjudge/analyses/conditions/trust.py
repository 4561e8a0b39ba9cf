"""The conditions on which the conclusions rest: each is met, not met, cannot be told, or does not apply.

Each follows from numbers of the comparison, of the judgments or of the texts; `words` says them. What other chapters
found out (stability, agreement) is taken from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from adjudge.analyses.agreement.result import AgreementResult
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.conclusions import DIFFERENT, NOT_COMPARABLE, NOT_TESTED, OUT_OF_REACH
from adjudge.analyses.conditions.asked import questions_behind
from adjudge.analyses.conditions.copies import CopiedTexts, copied_texts
from adjudge.analyses.conditions.result import State, TrustCondition, TrustConditions
from adjudge.analyses.conditions.words import QUICK
from adjudge.analyses.gathered import collection_of
from adjudge.analyses.pages.chapter import Absent, Findings
from adjudge.analyses.pages.names import names_of
from adjudge.analyses.plan.smallest import smallest_found
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.stability import stability
from adjudge.analyses.stability.result import StabilityResult
from adjudge.core.errors import AdjudgeError
from adjudge.core.results import Note
from adjudge.data.collection import Collection
from adjudge.measures.registry import parse_measure
from adjudge.measures.run import looks_at_judgments
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.stability.noise import RankNoise
    from adjudge.measures.base import Measure
    from adjudge.stats.judge_noise import RankDraws

POWER = 0.8
COPIED = 0.95
"""Of a summary's words, on average: from here on a system copies word for word."""
NOTES = "gone-left-out", "judgments-left-out", "rows-left-out"
"""Of the scores: what else is not in."""


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
            collection = collection_of(data)
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
        told = {name: condition(self) for name, condition in CONDITIONS.items()}
        return TrustConditions(
            measure=self.comparison.measure,
            length=self.comparison.matrix.length,
            form=self.comparison.matrix.target.form,
            title=self.comparison.title,
            conditions=tuple(
                TrustCondition(name, state, tuple(facts)) for name, (state, facts) in told.items()
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
        ours = self.measure is not None and not looks_at_judgments(self.measure)
        return ours and judge_of(self.comparison.measure) is None

    def called(self, systems: Iterable[str]) -> list[str]:
        return [self.names.get(system, system) for system in systems]


Stated = tuple[State, Sequence[Note]]
"""Whether a condition is met, and the facts that say so, the deciding one first."""


# Topics and power


def _topics(grounds: Grounds) -> Stated:
    """Enough topics find a difference that half of the pairs of systems reach."""
    comparison = grounds.comparison
    smallest = smallest_found(comparison, power=POWER)
    topics = smallest.topics
    if topics < 2:
        return "unmet", [Note.of("too-few-in-common", topics=topics)]
    if smallest.hopeless:
        return "unmet", [Note.of("no-difference", topics=topics, tested=smallest.tested, why=smallest.reason)]
    if smallest.reason is not None:
        return "unknown", [Note.of("reach-unknown", topics=topics, why=smallest.reason)]
    population = comparison.population if comparison.sampled else None
    reach = Note.of(
        "reach",
        difference=smallest.value,
        median=smallest.median,
        power=POWER,
        topics=topics,
        assessors=None if population is None else len(population.assessors),
        tested=smallest.tested,
    )
    # Two numbers for one question would puzzle whoever asks for both.
    facts = [reach] if population is None else [reach, Note.of("at-this-error")]
    return "met" if smallest.value <= smallest.median else "unmet", facts


def _findable(grounds: Grounds) -> Stated:
    """Of the test that makes the groups, of which the headline speaks first."""
    comparison = grounds.comparison
    tested, pairs = comparison.tested[comparison.test], int(comparison.family.sum())
    test, correct = tested.results.test, comparison.asked.correct
    how = {
        "alpha": comparison.alpha,
        "tested": {"test": test, "correct": correct, "pairs": comparison.corrected or pairs},
    }
    facts = []
    if n := tested.count(OUT_OF_REACH):
        facts.append(Note.of("out-of-reach", n=n, pairs=pairs, few=comparison.short_of, **how))
    for state, code in ((NOT_TESTED, "not-tested"), (NOT_COMPARABLE, "not-comparable")):
        if n := tested.count(state):
            facts.append(Note.of(code, n=n))
    return ("unmet", facts) if facts else ("met", [Note.of("in-reach", pairs=pairs, **how)])


# Assessors


def _unnamed(grounds: Grounds) -> Stated:
    """Of scores without assessors."""
    if grounds.by_text:
        return "not applicable", [Note.of("computed-from-texts")]
    return "unknown", [Note.of("nobody-named")]


def _assessors(grounds: Grounds) -> Stated:
    comparison, population = grounds.comparison, grounds.comparison.population
    if population is None:
        return _unnamed(grounds)
    size = len(population.assessors)
    if size == 1:
        return "unmet", [Note.of("one-assessor")]
    holds = (
        Note.of("for-like-these", assessors=size)
        if comparison.sampled
        else Note.of("for-these", assessors=size, why=population.reason)
    )
    simulated = grounds.scores.count_simulated(comparison.measure)
    program = [Note.of("simulated", n=simulated)] if simulated else []
    return "met", [Note.of("judged", assessors=size), holds, *program]


def _stable(grounds: Grounds) -> Stated:
    """Whether half of the systems or more are ruled out as the best, and other assessors would leave it at that.

    That every rank is settled is hardly ever so, and who may be the best is what the report begins with.
    """
    comparison, standings = grounds.comparison, grounds.comparison.standings
    first, total = comparison.candidates(), len(standings)
    if first is None:
        return "unknown", [Note.of("not-ranked")]
    differ = comparison.tested[comparison.test].count(DIFFERENT)
    if not differ:
        return "unmet", [Note.of("none-differs", systems=total)]
    clear = 0 < len(first) <= total - len(first)
    if clear:
        top = Note.of("top", systems=grounds.called(first), of=total)
    else:
        top = Note.of("wide-top", systems=len(first), of=total) if first else Note.of("no-top")
    pairs, ranks = int(comparison.family.sum()), sum(s.best == s.worst for s in standings)
    facts = [top, Note.of("settled", differ=differ, pairs=pairs, ranks=ranks, systems=total)]
    widest = max(standings, key=lambda s: s.worst - s.best)
    if widest.best < widest.worst:
        (system,) = grounds.called([widest.system])
        facts.append(Note.of("widest", system=system, best=widest.best, worst=widest.worst))
    share = 1.0
    if (noise := _noise_of(grounds)) is not None and noise.drawn is not None:
        share = sum(float(noise.drawn.best[noise.systems.index(s)]) for s in first if s in noise.systems)
        facts.append(_in_draws(noise, noise.drawn, share if clear else None))
    return "met" if clear and share >= comparison.level else "unmet", facts


def _in_draws(noise: RankNoise, drawn: RankDraws, share: float | None) -> Note:
    """In which part of the draws one of the candidates has the best mean, and which pairs keep their order."""
    sure, pairs = noise.sure_pairs()
    return Note.of(
        "in-draws",
        like=noise.noise.like is not None,
        assessors=noise.noise.assessors,
        draws=drawn.draws,
        level=drawn.level,
        sure=sure,
        pairs=pairs,
        # In per cent, rounded down, so that it holds.
        best=None if share is None else math.floor(1000 * share + 1e-9) / 10,
    )


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
    population, agreement = grounds.comparison.population, grounds.agreement
    if population is None:
        return _unnamed(grounds)
    if len(population.assessors) == 1:
        return "unknown", [Note.of("nobody-to-agree")]
    if isinstance(agreement, Absent):
        return "unknown", [Note.of("not-known", why=str(agreement.why))]
    try:
        asked = questions_behind(grounds.scores, grounds.comparison.matrix, grounds.measure, agreement)
    except AdjudgeError as error:
        return "unknown", [Note.of("not-known", why=error.text)]
    if asked is None:
        return "unknown", [Note.of("questions-unknown")]
    measured = [question for question in asked if question.alpha.why is None]
    from adjudge.stats.agreement import TENTATIVE

    if not measured:
        return "unknown", [Note.of("not-known", why=asked[0].alpha.why) if asked else Note.of("no-questions")]
    worst, best = (of(measured, key=lambda question: question.alpha.value) for of in (min, max))
    fact = (
        Note.of("alpha", title=worst.title, source=worst.source, topics=worst.topics, alpha=worst.alpha)
        if len(measured) == 1
        else Note.of(
            "alphas",
            questions=len(measured),
            worst=(worst.title, worst.alpha.value),
            best=(best.title, best.alpha.value),
            reach=sum(question.alpha.value >= TENTATIVE for question in measured),
            least=TENTATIVE,
        )
    )
    return "met" if worst.alpha.value >= TENTATIVE else "unmet", [fact]


# Copies


def _copies(grounds: Grounds) -> Stated:
    texts, systems = grounds.texts, [s.system for s in grounds.comparison.standings]
    equal = [grounds.called(pair) for pair in _equal_scores(grounds.comparison)]
    same = [Note.of("same-scores", pairs=equal)] if equal else []
    compared = set() if texts is None else {system for pair in texts.shared for system in pair}
    if texts is None or not compared.intersection(systems):
        return "unmet" if same else "unknown", [*same, Note.of("no-texts")]
    bare = [system for system in systems if system not in compared]
    beside = [*same, *([Note.of("no-text", systems=grounds.called(bare))] if bare else [])]
    beside.append(_from_source(systems, texts, grounds))
    near = [
        (*grounds.called(pair), texts.near[pair], texts.shared[pair], texts.same[pair])
        for pair in texts.pairs(systems)
    ]
    if near:
        return "unmet", [Note.of("near-texts", pairs=near), *beside]
    return "unknown" if bare else "met", [Note.of("no-near-texts", others=bool(bare)), *beside]


def _equal_scores(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Pairs with the same score on every topic, of at least two; one number everywhere is no sign of a copy."""
    import numpy as np

    counts, matrix = comparison.tested[comparison.test].results.counts, comparison.matrix
    for k in np.flatnonzero(comparison.family & (counts.ties == counts.n) & (counts.n > 1)).tolist():
        a, b = int(counts.first[k]), int(counts.second[k])
        values = matrix.values[:, a]
        if np.unique(values[~np.isnan(values)]).size > 1:
            yield matrix.systems[a], matrix.systems[b]


def _from_source(systems: list[str], texts: CopiedTexts, grounds: Grounds) -> Note:
    """Who takes the source's words: of baselines that is expected."""
    shares = {system: texts.copied[system] for system in systems if system in texts.copied}
    if not shares:
        return Note.of("no-documents")
    copiers = [system for system, share in shares.items() if share >= COPIED]
    # In per cent, rounded down, so that it holds.
    if not copiers:
        most = max(shares, key=lambda system: shares[system])
        return Note.of("no-copier", system=grounds.called([most])[0], share=math.floor(100 * shares[most]))
    collection = grounds.collection
    baselines = [s for s in copiers if s in collection.systems and collection.kind(s) == "baseline"]
    return Note.of(
        "copiers",
        systems=grounds.called(copiers),
        share=math.floor(100 * min(shares[system] for system in copiers)),
        baselines=grounds.called(baselines),
    )


# What was left out


def _whole(grounds: Grounds) -> Stated:
    """Whether every system has a current score on every topic."""
    import numpy as np

    scores, collection, matrix = grounds.scores, grounds.collection, grounds.comparison.matrix
    facts = []
    cells = {(topic, system) for topic, system, _ in matrix.missing}
    cells |= {(matrix.topics[k], matrix.systems[j]) for k, j in np.argwhere(np.isnan(matrix.values)).tolist()}
    if cells:
        facts.append(Note.of("missing", n=len(cells), systems=len({system for _, system in cells})))
    form = matrix.target.form
    if n := sum(matrix.length in (None, s.length) and form in (None, s.form) for s in collection.withdrawn):
        facts.append(Note.of("withdrawn", n=n))
    if scores.left_out:
        facts.append(Note.of("without", assessors=list(scores.left_out)))
    if stale := scores.stale.get(matrix.measure):
        facts.append(Note.of("stale", topics=len(stale)))
    for note in scores.remarks(matrix.measure):
        if note.code in NOTES and note not in facts:
            facts.append(note)
    if facts:
        return "unmet", facts
    systems, topics = len(grounds.comparison.standings), len(matrix.topics)
    return "met", [Note.of("whole", systems=systems, topics=topics, target=bool(collection.withdrawn))]


CONDITIONS: dict[str, Callable[[Grounds], Stated]] = {
    "topics": _topics,
    "found": _findable,
    "assessors": _assessors,
    "stable": _stable,
    "agreement": _agreement,
    "copies": _copies,
    "left out": _whole,
}
"""By name, as in `words.QUESTIONS`."""
