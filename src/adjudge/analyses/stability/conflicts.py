"""The same judged twice: answers that should be the same and are not, and what they make of the scores.

Lin and Hovy 2002, section 4. Systems that extract write the same sentences; nothing keeps an assessor from giving the
same sentence another coverage where another system has it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Literal, get_args

from adjudge.analyses.gathered import Gathered, Part
from adjudge.core.words import natural
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import UNIT, Protocol
from adjudge.judgments.pyramid import UNMATCHED, PeerAnnotation
from adjudge.judgments.tasks import TextRef, is_anonymous
from adjudge.measures.extracts import folded
from adjudge.measures.judged.answers import JudgedPage, protocol_of
from adjudge.measures.judged.coverage import ONLY_SUMS, Coverage, JudgedCoverage
from adjudge.measures.judged.pyramid import pyramid_peers
from adjudge.text.sentences import sentences

if TYPE_CHECKING:
    import numpy as np

    from adjudge.stats.order import Rankings

Kind = Literal["completeness", "marking", "scu"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Key = tuple[Hashable, ...]
Scope = Literal["all", "summaries", "within", "across", "one", "between"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""What a judgment of the same thing is compared with:

all         every other judgment of it
summaries   those of other summaries, by anybody, which is what Lin and Hovy counted
within      those by the same assessor; as planted repeats are left out, always of other summaries
across      those of other summaries by other assessors
one         those of the same summary by other assessors, who disagree about it
between     across and one together
"""


@dataclass(frozen=True, slots=True)
class UnitJudgment:
    """One judgment, and where tables count it. It is of a model unit; in a pyramid, of a peer's sentence."""

    protocol: str
    task: str | None
    assessor: str
    text: TextRef
    """The peer."""
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Whether what a judgment judged was judged again, and how many different answers it got."""

    repeated: bool = False
    answers: int = 0
    """Different answers to what it judged; of several things, the most. 0 where nothing was judged again."""


@dataclass(frozen=True)
class JudgedAgain:
    """Judgments of one kind, and those that judge the same thing.

    completeness   key: the model unit and the set of marked texts; answer: how complete
    marking        key: the model unit and one peer sentence; answer: whether it is marked
    scu            key: the pyramid and one peer sentence; answer: the SCUs that it expresses

    A key also has the topic, length, form and protocol. Marking and SCUs are compared between different summaries.
    """

    kind: Kind
    judgments: Mapping[Hashable, UnitJudgment]
    """All of them, by id."""
    keys: Mapping[Key, tuple[tuple[Hashable, Hashable], ...]]
    """What was judged at least twice: the ids of the judgments, and their answers."""
    unmarked: int = 0
    """Judgments that marked nothing: there is no text that could be judged again."""
    unknown: int = 0
    """Judgments that marked units whose texts are not here."""

    def recurrences(self, scope: Scope = "all") -> Mapping[Hashable, Recurrence]:
        """Of every judgment: was the same thing judged again, and how many different answers did it get?

        A judgment has different answers where one that it is compared with differs from it. Whoever is anonymous is
        nobody's same and nobody's other.
        """
        return self._compared[scope][0]

    def answers(self, scope: Scope = "all") -> Mapping[Key, int]:
        """Of everything that was judged again, the most different answers that a judgment of it is compared with."""
        return self._compared[scope][1]

    def counts(self, scope: Scope = "all") -> tuple[int, int, int]:
        """Judgments that were repeated, those with different answers, those with three or more."""
        recurrences = self.recurrences(scope).values()
        return (
            sum(recurrence.repeated for recurrence in recurrences),
            sum(recurrence.answers > 1 for recurrence in recurrences),
            sum(recurrence.answers > 2 for recurrence in recurrences),
        )

    def counts_by_task(self, scope: Scope) -> dict[tuple[str, str | None], list[int]]:
        """By protocol and task: judgments, those repeated, those with different answers; units judged again, those in
        conflict."""
        recurrences = self.recurrences(scope)
        totals: dict[tuple[str, str | None], list[int]] = {}
        for id, judgment in self.judgments.items():
            counts = totals.setdefault((judgment.protocol, judgment.task), [0] * 5)
            counts[0] += 1
            counts[1] += recurrences[id].repeated
            counts[2] += recurrences[id].answers > 1
        for key, answers in self.answers(scope).items():
            judgment = self.judgments[self.keys[key][0][0]]
            counts = totals[judgment.protocol, judgment.task]
            counts[3] += 1
            counts[4] += answers > 1
        return totals

    @cached_property
    def _compared(self) -> dict[Scope, tuple[dict[Hashable, Recurrence], dict[Key, int]]]:
        answers: dict[Scope, dict[Hashable, int]] = {scope: {} for scope in SCOPES}
        most: dict[Scope, dict[Key, int]] = {scope: {} for scope in SCOPES}
        places = self._places
        for key, answered in self.keys.items():
            rows = [(id, *places[id], answer) for id, answer in answered]
            for id, text, who, answer in rows:
                for scope, others in self._others(id, text, who, rows):
                    number = len(others | {answer})
                    most[scope][key] = max(most[scope].get(key, 0), number)
                    answers[scope][id] = max(answers[scope].get(id, 0), number)
        none = Recurrence()
        return {
            scope: (
                {id: Recurrence(True, numbers[id]) if id in numbers else none for id in self.judgments},
                most[scope],
            )
            for scope, numbers in answers.items()
        }

    @cached_property
    def _places(self) -> dict[Hashable, tuple[int, int]]:
        """Of every judgment, numbers that say of which summary it is and whose; 0 is anybody's who is anonymous."""
        texts: dict[TextRef, int] = {}
        people: dict[str, int] = {}
        return {
            id: (
                texts.setdefault(judgment.text, len(texts)),
                0 if judgment.anonymous else people.setdefault(judgment.assessor, len(people) + 1),
            )
            for id, judgment in self.judgments.items()
        }

    def _others(
        self, id: Hashable, text: int, who: int, rows: Sequence[tuple[Hashable, int, int, Hashable]]
    ) -> Iterator[tuple[Scope, set[Hashable]]]:
        """The answers that a judgment is compared with, by scope; without those in which there are none."""
        summaries, within, across, one = set[Hashable](), set[Hashable](), set[Hashable](), set[Hashable]()
        of_one = self.kind == "completeness"
        for other, its_text, its, answer in rows:
            if other == id:
                continue
            elsewhere = its_text != text
            if elsewhere:
                summaries.add(answer)
            if not (who and its and (elsewhere or of_one)):
                continue
            (within if its == who else across if elsewhere else one).add(answer)
        yield "all", {answer for *_, answer in rows}
        by_scope: tuple[tuple[Scope, set[Hashable]], ...] = (
            ("summaries", summaries),
            ("within", within),
            ("across", across),
            ("one", one),
            ("between", across | one),
        )
        yield from (pair for pair in by_scope if pair[1])


def judged_again(gathered: Gathered) -> list[JudgedAgain]:
    """Of every kind of judgment that there is, what was judged at least twice."""
    answers = list(_unit_answers(gathered))
    kinds = [_completeness(answers), _marking(answers), _scus(gathered)]
    return [kind for kind in kinds if kind.judgments]


def same_text(text: str) -> str:
    """A text without what does not make it another: case, the kind of white space, forms of the same letters."""
    return folded(unicodedata.normalize("NFKC", text))


# Coverage


@dataclass(frozen=True, slots=True)
class _UnitAnswer:
    """An answer to one model unit of a page."""

    id: tuple[str, str]
    of: UnitJudgment
    unit: Key
    """Protocol, topic, length, form, reference, model unit."""
    completeness: float
    marked: frozenset[str] | None
    """The texts of the marked units; None where some are not here."""
    texts: frozenset[str]
    """Of all units of the peer."""


def _unit_answers(gathered: Gathered) -> Iterator[_UnitAnswer]:
    for entry, _, batch in gathered.coverage:
        task, protocol = entry.judged.task, entry.protocol
        assert task.peer is not None
        units = {u.id: same_text(u.text) for u in batch.units_of(task.peer, protocol.peer_units)}
        of = UnitJudgment(protocol.name, entry.task, task.assessor, task.peer, is_anonymous(task.assessor))
        for unit in judged_units(entry.judged.answers, task.reference, batch, protocol):
            answer = entry.judged.answers[UNIT + unit].answer
            marked = [units.get(peer_unit) for peer_unit in answer["marked"]]
            marked_texts = frozenset(text for text in marked if text is not None)
            yield _UnitAnswer(
                id=(task.id, unit),
                of=of,
                unit=(protocol.name, task.topic, task.peer.target, task.reference, unit),
                completeness=float(answer["completeness"]),
                marked=None if None in marked else marked_texts,
                texts=frozenset(units.values()),
            )


def judged_units(
    answers: Iterable[str], reference: TextRef | None, batch: TopicBatch, protocol: Protocol
) -> list[str]:
    """The model units that a page answers, of those that the reference has where they are known."""
    answered = [question.removeprefix(UNIT) for question in answers if question.startswith(UNIT)]
    model_units = (
        {unit.id for unit in batch.units_of(reference, protocol.model_units)} if reference else set()
    )
    return [unit for unit in answered if not model_units or unit in model_units]


def _completeness(answers: Sequence[_UnitAnswer]) -> JudgedAgain:
    judgments: dict[Hashable, UnitJudgment] = {}
    keys: dict[Key, list[tuple[Hashable, Hashable]]] = {}
    unmarked = unknown = 0
    for answer in answers:
        judgments[answer.id] = answer.of
        unknown += answer.marked is None
        unmarked += answer.marked == frozenset()
        if answer.marked:
            keys.setdefault((*answer.unit, answer.marked), []).append((answer.id, answer.completeness))
    repeated = {key: tuple(answered) for key, answered in keys.items() if len(answered) > 1}
    return JudgedAgain("completeness", judgments, repeated, unmarked, unknown)


def _marking(answers: Sequence[_UnitAnswer]) -> JudgedAgain:
    judgments: dict[Hashable, UnitJudgment] = {answer.id: answer.of for answer in answers}
    written: dict[Key, set[TextRef]] = {}  # who has a sentence
    for answer in answers:
        for text in answer.texts:
            written.setdefault((*answer.unit[:3], text), set()).add(answer.of.text)
    keys: dict[Key, list[tuple[Hashable, Hashable]]] = {}
    for answer in answers:
        if answer.marked is not None:
            for text in answer.texts:
                if len(written[*answer.unit[:3], text]) > 1:
                    keys.setdefault((*answer.unit, text), []).append((answer.id, text in answer.marked))
    return JudgedAgain(
        "marking",
        judgments,
        _of_several_texts(keys, judgments),
        unknown=sum(answer.marked is None for answer in answers),
    )


def _of_several_texts(
    keys: Mapping[Key, list[tuple[Hashable, Hashable]]], judgments: Mapping[Hashable, UnitJudgment]
) -> dict[Key, tuple[tuple[Hashable, Hashable], ...]]:
    return {
        key: tuple(answered)
        for key, answered in keys.items()
        if len({judgments[id].text for id, _ in answered}) > 1
    }


# Pyramids


def _scus(gathered: Gathered) -> JudgedAgain:
    judgments: dict[Hashable, UnitJudgment] = {}
    keys: dict[Key, list[tuple[Hashable, Hashable]]] = {}
    language = gathered.collection.settings.language
    for topic, batch in gathered.batches.items():
        for peer in pyramid_peers(batch):
            against, annotation = peer.against, peer.annotation
            # A reference that is a peer has its annotation from the pyramid itself, and was not judged.
            if (
                against is None
                or annotation is None
                or peer.repeat
                or annotation.text == against.pyramid.text
            ):
                continue
            of = UnitJudgment(
                against.judged.task.protocol,
                batch.topic.task,
                peer.assessor,
                peer.text,
                is_anonymous(peer.assessor),
            )
            scus = set(against.pyramid.weights)
            for text, expressed in _by_sentence(annotation, language).items():
                id = (topic, against.digest, peer.assessor, peer.text, text)
                judgments[id] = of
                key = (of.protocol, topic, peer.text.target, against.digest, text)
                keys.setdefault(key, []).append((id, frozenset(expressed & scus)))
    return JudgedAgain("scu", judgments, _of_several_texts(keys, judgments))


def _by_sentence(annotation: PeerAnnotation, language: str) -> dict[str, set[int]]:
    """The SCUs that each sentence of a peer has a part of; equal sentences of one peer are one."""
    scus_by_text: dict[str, set[int]] = {}
    for span in sentences(annotation.text, language):
        uids = scus_by_text.setdefault(same_text(span.text), set())
        uids |= {
            scu.uid
            for scu in annotation.scus
            if scu.uid != UNMATCHED
            and any(p.start < span.end and span.start < p.end for c in scu.contributors for p in c.parts)
        }
    return scus_by_text


# Scores with repeated judgments resolved

Resolution = Literal["original", "min", "max", "majority", "average"]
RESOLUTIONS: tuple[Resolution, ...] = get_args(Resolution)


def majority(answers: Sequence[float]) -> float:
    """The most frequent answer; of several that are equally frequent, their average."""
    counts = Counter(answers)
    most = max(counts.values())
    return fmean(answer for answer, n in counts.items() if n == most)


RULES: dict[Resolution, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "majority": majority,
    "average": fmean,
}
Resolve = Literal["one-assessor", "all-assessors"]
"""Whose judgments of the same text are made one: each assessor's own (Lin and Hovy), or everybody's."""
SAME_MARKS = ("min of same marks", "max of same marks")
"""The ends of the bars where only judgments that marked the same are made one."""
_NAMES = (*RESOLUTIONS, *SAME_MARKS)


@dataclass(frozen=True, slots=True)
class _ResolvedAnswer:
    """What a judgment says under every resolution, by name."""

    values: Mapping[str, float]
    unsettled: bool
    """Whether it has a sentence, marked here and not there, of which nobody said what it is worth alone."""


def resolved_answers(answers: Iterable[_UnitAnswer], resolve: Resolve) -> dict[Hashable, _ResolvedAnswer]:
    """Every judgment that is compared with others of the same model unit, with texts judged alike everywhere.

    Each summary that holds all of a set of marked texts says what they are worth: its completeness where nothing else
    is marked in it, none (0) where none of them is marked. One of these answers, or their mean, takes the place of all.
    A summary is worth as much as the best of the sets of which it says so.
    """
    compared: dict[Key, list[_UnitAnswer]] = {}
    for answer in answers:
        if answer.marked is None or (resolve == "one-assessor" and answer.of.anonymous):
            continue
        whose = (answer.of.assessor,) if resolve == "one-assessor" else ()
        compared.setdefault((*answer.unit, *whose), []).append(answer)
    return {
        answer.id: made
        for together in compared.values()
        if len(together) > 1
        for answer, made in _made_one(together)
    }


def _made_one(together: Sequence[_UnitAnswer]) -> Iterator[tuple[_UnitAnswer, _ResolvedAnswer]]:
    answers = [(answer, answer.marked or frozenset[str]()) for answer in together]
    marks = dict.fromkeys(marked for _, marked in answers if marked)
    worth: dict[frozenset[str], list[float]] = {texts: [] for texts in marks}
    same: dict[frozenset[str], list[float]] = {texts: [] for texts in marks}
    judged: dict[Hashable, list[frozenset[str]]] = {answer.id: [] for answer in together}
    for answer, marked in answers:
        if marked:
            same[marked].append(answer.completeness)
        for texts in marks:
            if texts <= answer.texts and (marked <= texts or not marked & texts):
                worth[texts].append(answer.completeness if marked <= texts else 0.0)
                judged[answer.id].append(texts)
    by_rule = {name: {texts: rule(values) for texts, values in worth.items()} for name, rule in RULES.items()}
    everywhere = {text for texts in marks for text in texts}
    unmarked = {text for answer, marked in answers for text in everywhere & (answer.texts - marked)}
    for answer, marked in answers:
        sets = judged[answer.id]
        values = {"original": answer.completeness}
        values |= {
            name: max((worths[texts] for texts in sets), default=answer.completeness)
            for name, worths in by_rule.items()
        }
        alike = same.get(marked, [answer.completeness])
        values |= dict(zip(SAME_MARKS, (min(alike), max(alike)), strict=True))
        disputed = everywhere & unmarked & answer.texts
        settled = {text for texts in sets if len(worth[texts]) > len(same[texts]) for text in texts}
        yield answer, _ResolvedAnswer(values, not disputed <= settled)


@dataclass(frozen=True)
class ResolvedScores:
    """Every system's score as judged, and with judgments of the same text made one; of a task, length and form.

    The bars run from MIN to MAX. A system is above another where its bar is; others can change places.
    """

    protocol: str
    task: str | None
    length: int | None
    form: str | None
    measure: str
    systems: tuple[str, ...]
    """From the best on, by the original score."""
    scores: Mapping[Resolution, tuple[float, ...]]
    ranks: tuple[int, ...]
    """By the original score."""
    low: tuple[int, ...]
    high: tuple[int, ...]
    """The best and the worst rank that the bars leave."""
    groups: tuple[tuple[str, ...], ...]
    """Performance groups, the best first: every bar of one lies above every bar of the next."""
    overlaps: tuple[tuple[str, str], ...]
    """Pairs whose bars overlap, the better one first: they can change places, or are tied."""
    rankings: Rankings
    ties: tuple[tuple[str, str], ...] = ()
    """Those of the overlaps whose bars only touch: no resolution puts the one that is behind before the other."""
    widths_of_same_marks: tuple[float, ...] = ()
    """How wide the bars are where only judgments that marked the same are made one."""
    unsettled: int = 0
    """Judgments with a sentence, marked here and not there, of which nobody said what it is worth alone."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Pages that were left out, by reason."""
    resolve: Resolve = "one-assessor"
    topics: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    """Topics that a system has no score on, of those that any has. Then scores are adjusted for topics."""
    apart: bool = False
    """Whether there are others of the same kind that these share no topics with."""

    @property
    def part(self) -> Part:
        return self.protocol, self.task, self.length, self.form

    @property
    def pairs(self) -> int:
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def crossing(self) -> int:
        """Pairs that can change places."""
        return len(self.overlaps) - len(self.ties)

    @property
    def moved(self) -> int:
        """Systems whose score some resolution changes."""
        return sum(len(set(scores)) > 1 for scores in zip(*self.scores.values(), strict=True))

    @property
    def widths(self) -> tuple[float, ...]:
        """How wide the bars are."""
        return tuple(abs(b - a) for a, b in zip(self.scores["min"], self.scores["max"], strict=True))


def resolved(
    gathered: Gathered,
    resolve: Resolve = "one-assessor",
    *,
    measure: JudgedCoverage | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[ResolvedScores]:
    """The scores of every protocol, task, length and form under the five resolutions."""
    measure = measure or Coverage()
    answers = resolved_answers(_unit_answers(gathered), resolve)
    cells: dict[Key, dict[Key, list[tuple[Key, dict[str, float]]]]] = {}
    reasons: dict[Key, Counter[str]] = {}
    unsettled: Counter[Key] = Counter()
    for entry, page, batch in gathered.coverage:
        where: Key = (entry.protocol.name, entry.task, entry.length, entry.form)
        own_cells = cells.setdefault(where, {})
        why = page.why() or (None if page.completeness else ONLY_SUMS)
        if why is not None:
            reasons.setdefault(where, Counter())[why] += 1
            continue
        task = entry.judged.task
        values, not_settled = _page_scores(page, batch, answers, measure)
        unsettled[where] += not_settled
        own_cells.setdefault((entry.system, task.topic), []).append(
            ((entry.assessor, task.reference), values)
        )
    return [
        replace(scores, resolve=resolve, unsettled=0 if number else unsettled[where])
        for where, part_cells in cells.items()
        if part_cells
        for number, scores in enumerate(
            _by_part(where, part_cells, reasons.get(where, Counter()), measure, rng, progress)
        )
    ]


def _page_scores(
    page: JudgedPage,
    batch: TopicBatch,
    answers: Mapping[Hashable, _ResolvedAnswer],
    measure: JudgedCoverage,
) -> tuple[dict[str, float], int]:
    """A page's score under every resolution, and how many of its judgments are not settled."""
    task = page.judged.task
    units = judged_units(page.judged.answers, task.reference, batch, protocol_of(batch, task.protocol))
    completeness = [float(page.judged.answers[UNIT + unit].answer["completeness"]) for unit in units]
    made = [answers.get((task.id, unit)) for unit in units]
    values = {
        name: measure.of_units(
            [
                judged if answer is None else answer.values[name]
                for judged, answer in zip(completeness, made, strict=True)
            ]
        )
        for name in _NAMES
    }
    return values, sum(answer.unsettled for answer in made if answer is not None)


def _by_part(
    where: Key,
    cells: Mapping[Key, list[tuple[Key, dict[str, float]]]],
    reasons: Mapping[str, int],
    measure: JudgedCoverage,
    rng: np.random.Generator | None,
    progress: Callable[[int, int], None],
) -> Iterator[ResolvedScores]:
    """The scores of systems that topics connect; those of others by themselves."""
    import numpy as np

    from adjudge.stats.linear.model import fit_additive

    systems = sorted({str(system) for system, _ in cells}, key=natural)
    topics = sorted({str(topic) for _, topic in cells})
    values = np.full((len(_NAMES), len(topics), len(systems)), np.nan)
    for (system, topic), pages in cells.items():
        pooled = _pooled(pages)
        values[:, topics.index(str(topic)), systems.index(str(system))] = [pooled[name] for name in _NAMES]
    part = fit_additive(values[0]).part
    for number in range(int(part.max()) + 1):
        chosen = np.flatnonzero(part == number)
        matrices = values[:, :, chosen]
        matrices = matrices[:, ~np.isnan(matrices[0]).all(axis=1)]
        by_resolution = [
            fit_additive(matrix).means if np.isnan(matrix).any() else matrix.mean(axis=0)
            for matrix in matrices
        ]
        # Equal scores that were added up in another order must not differ by rounding.
        means = {
            systems[k]: {name: round(float(by_resolution[r][at]), 12) for r, name in enumerate(_NAMES)}
            for at, k in enumerate(chosen.tolist())
        }
        gaps = np.isnan(matrices[0]).sum(axis=0).tolist()
        yield replace(
            _resolved_scores(where, means, measure, rng, progress),
            left_out=dict(reasons) if not number else {},
            topics=matrices.shape[1],
            missing={systems[k]: n for k, n in zip(chosen.tolist(), gaps, strict=True) if n},
            apart=bool(part.max()),
        )


def _resolved_scores(
    where: Key,
    means: Mapping[str, Mapping[str, float]],
    measure: JudgedCoverage,
    rng: np.random.Generator | None,
    progress: Callable[[int, int], None],
) -> ResolvedScores:
    from adjudge.stats.order import better_by_interval, count_rankings, places, rank_intervals

    sign = -1 if measure.better == "lower" else 1
    order = sorted(means, key=lambda system: (-sign * means[system]["original"], natural(system)))
    scores = {name: tuple(means[system][name] for system in order) for name in RESOLUTIONS}
    # Less of something may be more of a measure of which lower is better.
    every = [[means[system][name] for name in RESOLUTIONS] for system in order]
    bottom, top = [min(row) for row in every], [max(row) for row in every]
    better = better_by_interval(bottom, top) if sign > 0 else better_by_interval(bottom, top).T
    low, high = rank_intervals(better)
    size = len(order)
    open_pairs = [
        (i, j) for i in range(size) for j in range(i + 1, size) if not better[i, j] and not better[j, i]
    ]
    protocol, task, length, form = where
    least, greatest = SAME_MARKS
    return ResolvedScores(
        protocol=str(protocol),
        task=task,  # type: ignore[arg-type]
        length=length,  # type: ignore[arg-type]
        form=form,  # type: ignore[arg-type]
        measure=str(measure),
        systems=tuple(order),
        scores=scores,
        ranks=tuple(places([-sign * score for score in scores["original"]]).tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        groups=_performance_groups(order, better),
        overlaps=tuple((order[i], order[j]) for i, j in open_pairs),
        ties=tuple((order[i], order[j]) for i, j in open_pairs if bottom[i] == top[j] or bottom[j] == top[i]),
        rankings=count_rankings(better, rng=rng, progress=progress),
        widths_of_same_marks=tuple(abs(means[system][greatest] - means[system][least]) for system in order),
    )


def _pooled(pages: Sequence[tuple[Key, dict[str, float]]]) -> dict[str, float]:
    """A summary's score: the mean over references of an assessor's pages, then over assessors."""
    by_assessor: dict[Hashable, list[dict[str, float]]] = {}
    for (assessor, _), scores in pages:
        by_assessor.setdefault(assessor, []).append(scores)
    return {
        name: fmean(fmean(page[name] for page in of_assessor) for of_assessor in by_assessor.values())
        for name in _NAMES
    }


def _performance_groups(order: Sequence[str], better: np.ndarray) -> tuple[tuple[str, ...], ...]:
    """The finest division of the ranking in which all of a group are above all of the next.

    Bars are taken from the highest on; a group ends where everything so far is above everything that follows.
    """
    size = len(order)
    ranked = sorted(range(size), key=lambda k: (int(better[:, k].sum()), -int(better[k].sum()), k))
    groups: list[tuple[str, ...]] = []
    start = 0
    for end in range(1, size + 1):
        if end == size or all(better[i, j] for i in ranked[:end] for j in ranked[end:]):
            groups.append(tuple(order[k] for k in sorted(ranked[start:end])))
            start = end
    return tuple(groups)
