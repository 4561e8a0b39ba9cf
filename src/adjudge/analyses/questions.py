"""Every question's answers as a matrix of things by assessors: what people were asked, and measures with assessors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.gathered import Gathered, JudgedPeer
from adjudge.analyses.score_words import note_text
from adjudge.analyses.scores import Scores
from adjudge.core.results import Note
from adjudge.core.words import natural
from adjudge.data.scores import UNSET, AllLengths
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.sides import WON, judged_pairs, named_summary, sides_of
from adjudge.judgments.protocol import PREFERENCE, QUALITY, RATING, UNIT, UNMARKED, Question
from adjudge.judgments.tasks import TextRef, is_anonymous
from adjudge.measures.judged.answers import given_value, protocol_of
from adjudge.measures.judged.pyramid import PyramidPeer, pyramid_peers

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
    length: int | None = None
    """Of the summary that was judged; of two, where both have it."""
    form: str | None = None
    part: str = ""
    """Which of several lengths or forms, in words, where these are kept apart."""


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
    title: str = ""
    """The question, with its protocol where another protocol asks one of the same name."""
    asked: str = ""
    """The question without the length and form that its name has where several are kept apart."""
    targets: frozenset[tuple[int | None, str | None]] = frozenset()
    """The lengths and forms of what was judged."""

    @property
    def key(self) -> Hashable:
        """What tells a question from others, whatever it is called."""
        return self.source, self.asked or self.question, self.targets

    def is_of(self, length: int | None, form: str | None) -> bool:
        """Whether it is about texts of a length and form, or of none in particular."""
        return any(
            (length is None or own_length in (None, length)) and (form is None or own_form in (None, form))
            for own_length, own_form in self.targets
        )

    @property
    def alone(self) -> int:
        """Things that one of several assessors alone judged."""
        import numpy as np

        judged = np.count_nonzero(~np.isnan(self.matrix), axis=1)
        return int(np.count_nonzero(judged == 1)) if len(self.assessors) > 1 else 0

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
        kept = [name == system for name in self.systems]
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
    again: int = 0
    """Answers that an assessor gave for a thing after the first, which do not count either."""
    unnamed: Mapping[str, int] = field(default_factory=dict)
    """By measure, the scores that name no assessor."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """By measure, those by an assessor that have no value."""
    refused: tuple[str, ...] = ()
    """Why questions and measures that nobody named have nothing of the length and form that were chosen."""

    def with_scores(self, scored: ScoredAnswers) -> Asked:
        """The questions of these and of scores."""
        other = questions_of(scored.answers)
        return Asked(
            questions=titled((*self.questions, *other.questions)),
            anonymous=self.anonymous + other.anonymous,
            again=self.again + other.again,
            unnamed=scored.unnamed,
            missing=scored.missing,
            refused=self.refused,
        )


def titled(questions: Sequence[QuestionMatrix]) -> tuple[QuestionMatrix, ...]:
    """The questions with titles that tell them apart."""
    labelled = [(question.source, _labelled(question)) for question in questions]
    clear = len(set(labelled)) == len(labelled)
    titles = titles_of(
        labelled if clear else [(question.source, question.question) for question in questions]
    )
    return tuple(replace(question, title=title) for question, title in zip(questions, titles, strict=True))


def _labelled(question: QuestionMatrix) -> str:
    """`capitalization (100 words)`, for a question on quality that has only a number."""
    numbered = question.asked.startswith(QUALITY) and question.label
    return question.question.replace(question.asked, question.label, 1) if numbered else question.question


def titles_of(named: Sequence[tuple[str | None, str]]) -> list[str]:
    """The names of questions, each with its protocol where another protocol asks one of the same name."""
    names = Counter(question for _, question in named)
    return [
        f"{source}/{question}" if names[question] > 1 and source is not None else question
        for source, question in named
    ]


def questions_of(answers: Iterable[GivenAnswer]) -> Asked:
    """Answers by question. An assessor who answered several times for one thing counts once, with the first answer."""
    import numpy as np

    by_question: dict[tuple[str | None, str, str], dict[tuple[Hashable, str], GivenAnswer]] = {}
    anonymous = again = 0
    for answer in answers:
        if is_anonymous(answer.assessor):
            anonymous += 1
            continue
        of_question = by_question.setdefault((answer.source, answer.question, answer.part), {})
        again += of_question.setdefault((answer.thing, answer.assessor), answer) is not answer
    matrices = []
    for (source, question, part), of_question in by_question.items():
        first = {answer.thing: answer for answer in reversed(of_question.values())}
        things = sorted(first, key=lambda thing: (natural(first[thing].topic), repr(thing)))
        assessors = sorted({who for _, who in of_question}, key=natural)
        row = {thing: at for at, thing in enumerate(things)}
        column = {who: at for at, who in enumerate(assessors)}
        matrix = np.full((len(row), len(column)), np.nan)
        for (thing, who), answer in of_question.items():
            matrix[row[thing], column[who]] = answer.value
        one = next(iter(of_question.values()))
        matrices.append(
            QuestionMatrix(
                source=source,
                question=f"{question} ({part})" if part else question,
                label=one.label,
                assessors=tuple(assessors),
                topics=tuple(first[thing].topic for thing in things),
                systems=tuple(first[thing].system for thing in things),
                matrix=matrix,
                categories=one.categories,
                mirrored=question == PREFERENCE,
                asked=question,
                targets=frozenset((answer.length, answer.form) for answer in of_question.values()),
            )
        )
    return Asked(titled(matrices), anonymous, again)


# Lengths and forms


def at_target(
    answers: Iterable[GivenAnswer],
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> tuple[list[GivenAnswer], list[str]]:
    """The answers about summaries of a length and a form, and of questions without any why there is none.

    Where no length or form is chosen, several are kept apart; the length "all" takes all lengths together.
    """
    asked: dict[tuple[str | None, str], list[GivenAnswer]] = {}
    for answer in answers:
        asked.setdefault((answer.source, answer.question), []).append(answer)
    chosen: list[GivenAnswer] = []
    missing: list[str] = []
    for (_, question), of_question in asked.items():
        kept = [answer for answer in of_question if is_at(answer, length, form)]
        if not kept:
            at = [answer for answer in of_question if is_at(answer, length, None)]
            if at:
                forms = sorted({answer.form or UNSET for answer in at})
                note = Note.of("not-of-form", question=question, form=form, forms=forms, length=length)
            else:
                lengths = {answer.length for answer in of_question}
                note = Note.of("not-at-length", question=question, length=length, lengths=lengths)
            missing.append(note_text(note))
            continue
        by_length = length is None and len({answer.length for answer in kept}) > 1
        by_form = len({answer.form for answer in kept}) > 1
        for answer in sorted(
            kept, key=lambda answer: (answer.length is None, answer.length or 0, answer.form or "")
        ):
            words = [_length_words(answer.length)] * by_length + [answer.form or "no set form"] * by_form
            chosen.append(replace(answer, part=", ".join(words)))
    return chosen, missing


def is_at(judged: GivenAnswer | TextRef, length: int | AllLengths | None, form: str | None) -> bool:
    """Whether something is of a length and a form, or none is asked for."""
    wanted = None if length == "unset" else length
    return (length in (None, "all") or judged.length == wanted) and (
        form is None or form == (judged.form or UNSET)
    )


def several_targets(texts: Iterable[TextRef]) -> tuple[str, ...]:
    """The lengths and forms of texts in words, where there are several."""
    refs = list(texts)
    lengths, forms = {ref.length for ref in refs}, {ref.form for ref in refs}
    targets = sorted({(ref.length is None, ref.length or 0, ref.form or "") for ref in refs})
    words = (
        [_length_words(n or None)] * (len(lengths) > 1) + [form or "no set form"] * (len(forms) > 1)
        for _, n, form in targets
    )
    return tuple(" ".join(parts) for parts in words if parts)


def _length_words(length: int | None) -> str:
    return "no set length" if length is None else f"{length} words"


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
        task = entry.judged.task
        page = (task.topic, task.peer, task.reference)
        completeness, unmarked = entry.protocol.completeness, entry.protocol.unmarked
        for question, event in entry.judged.answers.items():
            if question.startswith(UNIT):
                thing, value = (*page, question), event.answer["completeness"]
                yield _answer(
                    entry, "completeness", thing, float(value), "model units", _numbers(completeness)
                )
            elif question == UNMARKED:
                value = float(event.answer["relevant"])
                yield _answer(entry, UNMARKED, page, value, "relevance", _numbers(unmarked))
        yield from _chosen(entry)
    for entry in gathered.ratings:
        yield from _chosen(entry)


def _chosen(entry: JudgedPeer) -> Iterator[GivenAnswer]:
    """Quality questions and ratings, of the peer, whatever it is compared with."""
    task = entry.judged.task
    for question in entry.protocol.questions:
        event = entry.judged.answers.get(question.id)
        if event is not None and (value := _number(question, given_value(event.answer))) is not None:
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
        length=entry.length,
        form=entry.form,
    )


def _number(question: Question, value: object) -> float | None:
    """An answer as an ordinal number: itself, or its place among the choices."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return (
        float(question.values.index(value)) if isinstance(value, str) and value in question.values else None
    )


@cache
def _numbers(question: Question | None) -> tuple[float, ...] | None:
    """The whole scale of a question, as its answers are numbered."""
    if question is None:
        return None
    numbers = [_number(question, value) for value in question.values]
    return tuple(number for number in numbers if number is not None) or None


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
                    length=peer.text.length,
                    form=peer.text.form,
                )


def _preferred(batch: TopicBatch, of: Literal["sentences", "summaries"]) -> Iterator[GivenAnswer]:
    """Which of two texts was preferred: 1 the first by name, 0 the second, half a tie; planted repeats last."""
    pairs = list(judged_pairs(batch, of))
    for task, event in sorted(pairs, key=lambda pair: pair[0].repeat_of is not None):
        winner = event.answer.get("winner")
        left, right = sides_of(task)
        if winner not in WON or left == right:
            continue
        ahead = repr(left) < repr(right)
        one, other = named_summary(task.left), named_summary(task.right)
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
            length=one.length if one and other and one.length == other.length else None,
            form=one.form if one and other and one.form == other.form else None,
        )


# Measures with assessors


@dataclass
class ScoredAnswers:
    """The scores of measures that assessors gave, and how many others there are."""

    answers: list[GivenAnswer] = field(default_factory=list)
    unnamed: Counter[str] = field(default_factory=Counter)
    """By measure, the scores that name no assessor."""
    missing: Counter[str] = field(default_factory=Counter)
    """Those by an assessor that have no value."""


def scored_answers(
    scores: Scores,
    measures: str | Iterable[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> ScoredAnswers:
    """The scores of measures that assessors gave, those of repeats last. What nobody gave does not count."""
    scored = ScoredAnswers()
    chosen = scores.targets(measures, length=length, form=form)
    several = {measure for measure, *_ in chosen if sum(other[0] == measure for other in chosen) > 1}
    for measure, n, f in chosen:
        rows = scores.table.at(measure, length=n, form=f).sort_values("repeat", kind="stable")
        by_somebody = rows["assessor"].notna()
        scored.unnamed[measure] += int((~by_somebody & rows["value"].notna()).sum())
        scored.missing[measure] += int((by_somebody & rows["value"].isna()).sum())
        rows = rows[by_somebody & rows["value"].notna()]
        rows = rows.astype(object).where(rows.notna(), None)
        parts = [f"{n} words" if isinstance(n, int) else n, f] if measure in several else []
        for row in rows.itertuples(index=False):
            scored.answers.append(
                GivenAnswer(
                    source=None,
                    question=measure,
                    thing=(row.topic, row.system, row.length, row.form, row.reference),
                    topic=str(row.topic),
                    system=str(row.system),
                    assessor=str(row.assessor),
                    value=float(row.value),
                    length=row.length,
                    form=row.form,
                    part=", ".join(str(part) for part in parts if part is not None),
                )
            )
    scored.unnamed, scored.missing = +scored.unnamed, +scored.missing  # without zeros
    return scored
