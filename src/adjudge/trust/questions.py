"""Every question's answers as a matrix of things by assessors: what people were asked, and measures with assessors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Literal

from adjudge.comparisons.scores import Scores
from adjudge.data.scores import AllLengths
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.sides import WON, judged_pairs, sides_of
from adjudge.judgments.protocol import PREFERENCE, RATING, UNIT, UNMARKED, Question
from adjudge.judgments.tasks import is_anonymous
from adjudge.measures.judged.answers import protocol_of
from adjudge.measures.judged.pyramid import PyramidPeer, pyramid_peers
from adjudge.trust.gathered import Gathered, JudgedPeer
from adjudge.wording import natural

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray

CONTENT_UNITS = "content-units"
"""The question that a peer's annotation answers for every unit of its pyramid: is it expressed?"""


@dataclass(frozen=True)
class GivenAnswer:
    """One assessor's answer to one question about one thing."""

    source: str | None
    """The protocol; None for a measure."""
    question: str
    thing: Hashable
    topic: str
    system: str | None
    assessor: str
    value: float
    label: str = ""
    categories: tuple[float, ...] | None = None


@dataclass(frozen=True)
class QuestionMatrix:
    """One question's answers: things in rows, in the order of their topics, assessors in columns, NaN where none."""

    source: str | None
    question: str
    label: str
    assessors: tuple[str, ...]
    topics: tuple[str, ...]
    """Of every thing."""
    systems: tuple[str | None, ...]
    matrix: FloatArray = field(repr=False)
    categories: tuple[float, ...] | None = None
    """The whole scale, where it is known."""
    mirrored: bool = False
    """Whether answers choose between two things in no order: each counts in both orders."""

    def used(self) -> tuple[float, ...]:
        """The answers that were given, each once."""
        import numpy as np

        return tuple(map(float, np.unique(self.matrix[~np.isnan(self.matrix)])))

    def of_assessors(self, columns: Sequence[int]) -> QuestionMatrix:
        """What some of the assessors answered."""
        names = tuple(self.assessors[column] for column in columns)
        return replace(self, assessors=names, matrix=self.matrix[:, list(columns)])

    def of_system(self, system: str) -> QuestionMatrix:
        """What was answered about one system."""
        kept = [each == system for each in self.systems]
        return replace(
            self,
            topics=tuple(compress(self.topics, kept)),
            systems=tuple(compress(self.systems, kept)),
            matrix=self.matrix[kept],
        )


@dataclass(frozen=True)
class Asked:
    """The questions of a source, and what was left out."""

    questions: tuple[QuestionMatrix, ...]
    anonymous: int = 0
    """Answers of nobody in particular, which do not count."""


def questions_of(answers: Iterable[GivenAnswer]) -> Asked:
    """Answers by question. An assessor who answered several times for one thing counts once, with the first answer."""
    import numpy as np

    own: dict[tuple[str | None, str], dict[tuple[Hashable, str], GivenAnswer]] = {}
    anonymous = 0
    for each in answers:
        if is_anonymous(each.assessor):
            anonymous += 1
        else:
            own.setdefault((each.source, each.question), {}).setdefault((each.thing, each.assessor), each)
    found = []
    for (source, question), given in own.items():
        first = {each.thing: each for each in reversed(given.values())}
        things = sorted(first, key=lambda thing: (natural(first[thing].topic), repr(thing)))
        assessors = sorted({who for _, who in given}, key=natural)
        row = {thing: at for at, thing in enumerate(things)}
        column = {who: at for at, who in enumerate(assessors)}
        matrix = np.full((len(row), len(column)), np.nan)
        for (thing, who), each in given.items():
            matrix[row[thing], column[who]] = each.value
        one = next(iter(given.values()))
        found.append(
            QuestionMatrix(
                source=source,
                question=question,
                label=one.label,
                assessors=tuple(assessors),
                topics=tuple(first[thing].topic for thing in things),
                systems=tuple(first[thing].system for thing in things),
                matrix=matrix,
                categories=one.categories,
                mirrored=question == PREFERENCE,
            )
        )
    return Asked(tuple(found), anonymous)


# What people were asked


def stored_answers(gathered: Gathered) -> Iterator[GivenAnswer]:
    """Every answer of a folder's judgments that counts.

    What is judged, beside what `coverage_and_ratings` has: of a pyramid each of its content units, for a peer; of
    preferences a pair.
    """
    yield from coverage_and_ratings(gathered)
    for batch in gathered.batches.values():
        yield from _expressed(batch)
        yield from _preferred(batch, "sentences")
        yield from _preferred(batch, "summaries")


def coverage_and_ratings(gathered: Gathered) -> Iterator[GivenAnswer]:
    """What is judged: of completeness a model unit of a reference, for a peer; of unmarked units a peer against a
    reference; of quality and ratings a peer."""
    for entry, _, _ in gathered.coverage:
        yield from _of_page(entry)
    for entry in gathered.ratings:
        yield from _chosen(entry)


def _of_page(entry: JudgedPeer) -> Iterator[GivenAnswer]:
    task = entry.judged.task
    page = (task.topic, task.peer, task.reference)
    completeness, unmarked = entry.protocol.completeness, entry.protocol.unmarked
    for question, event in entry.judged.answers.items():
        if question.startswith(UNIT):
            thing, value = (*page, question), event.answer["completeness"]
            yield _answer(entry, "completeness", thing, float(value), "model units", _numbers(completeness))
        elif question == UNMARKED:
            value = float(event.answer["relevant"])
            yield _answer(entry, UNMARKED, page, value, "relevance", _numbers(unmarked))
    yield from _chosen(entry)


def _chosen(entry: JudgedPeer) -> Iterator[GivenAnswer]:
    """Quality questions and ratings, of the peer, whatever it is compared with."""
    task = entry.judged.task
    for question in entry.protocol.questions:
        event = entry.judged.answers.get(question.id)
        if event is not None and (value := _number(question, event.answer["value"])) is not None:
            name = question.id.removeprefix(RATING) if question.id.startswith(RATING) else question.id
            label = "" if question.label == name else question.label
            yield _answer(entry, name, (task.topic, task.peer), value, label, _numbers(question))


def _answer(
    entry: JudgedPeer,
    question: str,
    thing: Hashable,
    value: float,
    label: str,
    categories: tuple[float, ...] | None,
) -> GivenAnswer:
    return GivenAnswer(
        source=entry.protocol.name,
        question=question,
        thing=thing,
        topic=entry.judged.task.topic,
        system=entry.system,
        assessor=entry.assessor,
        value=value,
        label=label,
        categories=categories,
    )


def _number(question: Question, value: object) -> float | None:
    """An answer as an ordinal number: itself, or its place among the choices."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return (
        float(question.values.index(value)) if isinstance(value, str) and value in question.values else None
    )


def _numbers(question: Question | None) -> tuple[float, ...] | None:
    """The whole scale of a question, as its answers are numbered."""
    if question is None:
        return None
    found = [_number(question, value) for value in question.values]
    return tuple(each for each in found if each is not None) or None


def annotated_peers(batch: TopicBatch) -> Iterator[PyramidPeer]:
    """Peers that people annotated with a pyramid; what a pyramid itself says of its references is no annotation."""
    for peer in pyramid_peers(batch):
        if peer.annotation is None or peer.against is None or peer.repeat:
            continue
        if not (peer.wrote_one and peer.annotation.text == peer.against.pyramid.text):
            yield peer


def _expressed(batch: TopicBatch) -> Iterator[GivenAnswer]:
    """Of every unit of a pyramid, whether a peer expresses it. Other pyramids have other units."""
    for peer in annotated_peers(batch):
        assert peer.annotation is not None
        assert peer.against is not None
        pyramid = peer.against.pyramid
        weights = (pyramid.without(peer.system) if peer.wrote_one else pyramid).weights
        expressed = peer.annotation.times()
        for uid, weight in weights.items():
            if weight:
                yield GivenAnswer(
                    source=peer.against.judged.task.protocol,
                    question=CONTENT_UNITS,
                    thing=(batch.topic.topic, peer.text, peer.against.digest, uid),
                    topic=batch.topic.topic,
                    system=peer.system,
                    assessor=peer.assessor,
                    value=float(uid in expressed),
                    label="expressed or not",
                    categories=(0.0, 1.0),
                )


def _preferred(batch: TopicBatch, of: Literal["sentences", "summaries"]) -> Iterator[GivenAnswer]:
    """Which of two texts was preferred: 1 the first by name, 0 the second, half a tie; planted repeats last."""
    own = list(judged_pairs(batch, of))
    for task, event in sorted(own, key=lambda pair: pair[0].repeat_of is not None):
        winner = event.answer.get("winner")
        left, right = sides_of(task)
        if winner not in WON or left == right:
            continue
        ahead = repr(left) < repr(right)
        yield GivenAnswer(
            source=task.protocol,
            question=PREFERENCE,
            thing=(batch.topic.topic, *((left, right) if ahead else (right, left))),
            topic=batch.topic.topic,
            system=None,
            assessor=task.assessor,
            value=WON[winner] if ahead else 1 - WON[winner],
            label=f"pairs of {of}",
            categories=(0.0, 0.5, 1.0) if protocol_of(batch, task.protocol).tie else (0.0, 1.0),
        )


# Measures with assessors


def scored_answers(
    scores: Scores,
    measures: str | Iterable[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> Iterator[GivenAnswer]:
    """The scores of measures that assessors gave: of repeats the first. What nobody gave does not count."""
    chosen = scores.each(measures, length=length, form=form)
    several = {measure for measure, *_ in chosen if sum(each[0] == measure for each in chosen) > 1}
    for measure, n, f in chosen:
        rows = scores.table.at(measure, length=n, form=f)
        rows = rows[rows["assessor"].notna() & rows["value"].notna()].sort_values("repeat", kind="stable")
        rows = rows.astype(object).where(rows.notna(), None)
        name = measure
        if measure in several:
            parts = [f"{n} words" if isinstance(n, int) else n, f]
            name = f"{measure}, {', '.join(str(part) for part in parts if part is not None)}"
        for row in rows.itertuples(index=False):
            yield GivenAnswer(
                source=None,
                question=name,
                thing=(row.topic, row.system, row.length, row.form, row.reference),
                topic=str(row.topic),
                system=str(row.system),
                assessor=str(row.assessor),
                value=float(row.value),
            )
