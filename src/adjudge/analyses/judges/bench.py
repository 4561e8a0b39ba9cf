"""What a dossier starts from: a judge's answers beside people's, to one question about the same things."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from adjudge.analyses.base import Progress
from adjudge.analyses.gathered import Gathered, gathered_of
from adjudge.analyses.questions import GivenAnswer, at_target, scored_answers, stored_answers
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability.repeats import self_agreement
from adjudge.assessors.cards import JudgeCard, read_cards
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.results import Note
from adjudge.core.words import counted, listed, natural
from adjudge.data.folder import Folder
from adjudge.data.scores import AllLengths, Better
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.tasks import TextRef
from adjudge.measures.judged.quality import NONE
from adjudge.measures.spec import judge_of
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.text.words import count_words

POOLED = "people"
"""Who answered, where scores name nobody."""
_Place = tuple[str, str | None, int | None, str | None]
"""Topic, system, length and form."""


@dataclass(frozen=True, eq=False)
class JudgeCells:
    """Answers as scores of systems on topics, oriented so that higher is better; NaN is missing."""

    topics: tuple[str, ...]
    clusters: tuple[str, ...]
    """The set of every topic, or the topic itself."""
    systems: tuple[str, ...]
    kinds: tuple[str, ...]
    people: FloatArray
    """Assessors x topics x systems."""
    judge: FloatArray
    """Topics x systems."""

    @property
    def people_mean(self) -> FloatArray:
        """Topics x systems: over the assessors who answered."""
        return _mean(self.people, axis=0)


@dataclass(frozen=True, eq=False)
class AspectBench:
    """One question: what a judge and what people answered about the same things.

    A thing is a summary, a model unit for a peer, or a pair of texts. Of a pair the answer is 1 where the first wins, 0
    where the second does, half a tie; first and second are by name, in whatever order they were shown.
    """

    judge: str
    aspect: str
    source: str | None
    """The protocol; None where scores of a measure are the answers."""
    topics: tuple[str, ...]
    """Of every thing."""
    clusters: tuple[str, ...]
    """The set of every thing's topic, or the topic itself."""
    systems: tuple[str | None, ...]
    """Of every thing; None of pairs."""
    sides: tuple[tuple[str, str] | None, ...]
    """Of pairs of summaries, the two systems."""
    people: tuple[str, ...]
    answers: FloatArray
    """Things x people; NaN where somebody did not answer."""
    judge_answers: FloatArray
    """By the judge; NaN where it did not answer. Off the scale where it is a mean over probabilities."""
    categories: tuple[float, ...] | None
    """The whole scale, where it is known."""
    words: FloatArray
    """Of the summary that was judged; of pairs, those of the first less those of the second."""
    measures: Mapping[str, FloatArray]
    """Of automatic measures, by title: the score of the summary, higher is better; of pairs, the difference."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """By system: machine, baseline or human."""
    better: Better = "higher"
    pairs: bool = False
    apart: bool = False
    """Whether the judge's answers are a column of their own, which may be on any scale."""
    panel: bool = False
    """Whether the judge is several judges as one."""
    named: bool = True
    """Whether people are known by name."""
    card: JudgeCard | None = None
    notes: tuple[Note, ...] = ()
    again: tuple[int, int] = (0, 0)
    """Of the assessor whom benches were made `beside`: later answers that were as the first, and all later ones."""
    ratios: FloatArray | None = None
    """Of pairs of summaries: the logarithm to base 2 of the first one's words over the second's, 1 where the first is
    twice as long; NaN where that is not known."""

    @property
    def judged(self) -> BoolArray:
        """Things that both the judge and somebody else answered for."""
        both: BoolArray = ~np.isnan(self.judge_answers) & ~np.isnan(self.answers).all(axis=1)
        return both

    @property
    def people_mean(self) -> FloatArray:
        """Of every thing, over the people who answered."""
        return _mean(self.answers, axis=1)

    @property
    def scale(self) -> tuple[float, ...]:
        """The choices: of the protocol, or what people used."""
        if self.categories is not None:
            return tuple(sorted(self.categories))
        there = self.answers[~np.isnan(self.answers)]
        return tuple(map(float, np.unique(there)))

    def on_scale(self, values: FloatArray) -> FloatArray:
        """Every value as the nearest choice, the lower of two; what has none is left as it is."""
        scale = np.array(self.scale)
        nearest_choice = np.abs(np.nan_to_num(values)[..., None] - scale).argmin(axis=-1)
        placed: FloatArray = np.where(np.isnan(values), np.nan, scale[nearest_choice])
        return placed

    def take(self, things: BoolArray | IntArray | np.bool_) -> AspectBench:
        """The same of some things, or of things by number."""
        at = np.arange(len(self.topics))[things]

        def of(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[int(k)] for k in at)

        return replace(
            self,
            topics=of(self.topics),
            clusters=of(self.clusters),
            systems=of(self.systems),
            sides=of(self.sides),
            answers=self.answers[at],
            judge_answers=self.judge_answers[at],
            words=self.words[at],
            measures={name: values[at] for name, values in self.measures.items()},
            ratios=None if self.ratios is None else self.ratios[at],
        )

    def with_judge(self, name: str, judge_answers: FloatArray) -> AspectBench:
        """The same people beside another judge, such as one that always gives the same answer."""
        return replace(self, judge=name, judge_answers=judge_answers, card=None)

    def cells(self) -> JudgeCells | None:
        """Systems' scores on topics: means over things; of pairs, shares of duels won. None without systems."""
        systems = sorted({name for _, _, name, _ in self.scored()}, key=natural)
        if not systems:
            return None
        topics = list(dict.fromkeys(self.topics))
        sets = dict(zip(self.topics, self.clusters, strict=True))
        t, s = {name: k for k, name in enumerate(topics)}, {name: k for k, name in enumerate(systems)}
        things, cells, firsts = (
            np.array(column)
            for column in zip(*((k, t[a] * len(s) + s[b], c) for k, a, b, c in self.scored()), strict=True)
        )
        flat = np.full((len(self.people) + 1, len(topics) * len(systems)), np.nan)
        for layer, answers in zip(flat, (self.judge_answers, *self.answers.T), strict=True):
            values = np.where(firsts, answers[things], 1 - answers[things])
            there = ~np.isnan(values)
            times = np.bincount(cells[there], minlength=layer.size)
            sums = np.bincount(cells[there], values[there], minlength=layer.size)
            np.divide(sums, times, out=layer, where=times > 0)
        means = flat.reshape(-1, len(topics), len(systems))
        means = -means if self.better == "lower" else means
        return JudgeCells(
            topics=tuple(topics),
            clusters=tuple(sets[topic] for topic in topics),
            systems=tuple(systems),
            kinds=tuple(self.kinds.get(name, "machine") for name in systems),
            people=means[1:],
            judge=means[0],
        )

    def scored(self) -> Iterator[tuple[int, str, str, bool]]:
        """Every thing with a system that it counts for, and whether as the first of a pair."""
        for k, (topic, system, sides) in enumerate(zip(self.topics, self.systems, self.sides, strict=True)):
            if sides is not None:
                yield k, topic, sides[0], True
                yield k, topic, sides[1], False
            elif system is not None:
                yield k, topic, system, True


@dataclass(frozen=True, eq=False)
class JudgeBenches:
    """What is known of some judges: a bench for every judge and question, and what was left out."""

    name: str
    judges: tuple[str, ...]
    benches: tuple[AspectBench, ...]
    gathered: Gathered | None = None
    """The judgments of a folder, with those of the judges among them."""
    notes: tuple[str, ...] = ()

    def of(self, judge: str) -> tuple[AspectBench, ...]:
        return tuple(bench for bench in self.benches if bench.judge == judge)

    def one_by_one(self, progress: Progress) -> Iterator[AspectBench]:
        for done, bench in enumerate(self.benches, start=1):
            yield bench
            progress(done, len(self.benches))


def benches_of(
    scores: Scores,
    judges: str | Sequence[str],
    *,
    question: str | Sequence[str] = (),
    length: int | AllLengths | None = None,
    form: str | None = None,
    without: str | Sequence[str] = (),
    beside: str | None = None,
) -> JudgeBenches:
    """Judges beside people, question by question.

    Of a folder, every question that the judge answered, and imported measures that it gave; of a table or a DataFrame,
    every measure whose rows name the judge as the assessor, or that stands beside a measure of the judge's name.
    `question` names some. `without` leaves out people. `beside` is an assessor, perhaps a program, who counts as one of
    people, and whose things are those that are looked at, whoever else answered for them.
    """
    names = tuple(dict.fromkeys([judges] if isinstance(judges, str) else judges))
    if not names:
        raise UsageError("no judge is named: name one, such as smollm2")
    left = {without} if isinstance(without, str) else set(without)
    others = set() if beside is None else {beside}
    if clash := left & {*names, *others}:
        raise UsageError(f"{listed(sorted(clash))} cannot be both a judge and left out")
    gathered, answers = answers_with(scores, [*names, *others])
    columns = [name for name in names if name in scores.measures]
    assessors = sorted({answer.assessor for answer in answers}, key=natural)
    of_folder = [] if scores.folder is None else read_cards(Folder.open(scores.folder))
    cards = {(card.name, card.protocol): card for card in of_folder}
    for name in names:
        if name not in assessors and name not in columns:
            silent = [
                card for card in cards.values() if card.name == name and card.asked and not card.answered
            ]
            if silent:
                reasons = sum((Counter(card.invalid) for card in silent), Counter[str]())
                why = ", ".join(f"{reason} {n:,}" for reason, n in reasons.most_common())
                asked_of_it = counted(sum(card.asked for card in silent), "question")
                raise DataError(f"{scores.name}: {name} was asked {asked_of_it} and answered none ({why})")
            there = [*assessors, *(gathered.judgments.by_judge if gathered else ()), *scores.measures]
            raise UsageError(f"{scores.name} has no answers by {quoted(name)}{among(name, there)}")
    for name in sorted((left | others) - set(assessors)):
        raise UsageError(f"{scores.name} has no answers by {quoted(name)}{among(name, assessors)}")
    asked = [answer for answer in answers if answer.assessor not in left]
    named = (question,) if isinstance(question, str) else tuple(question)
    if columns and scores.folder is None and not asked:
        for column in _peoples_columns(scores, names, named):
            asked += column_answers(scores, column, question=column, assessor=POOLED)
    kept, refused = at_target(asked, length=length, form=form)
    # of a folder the answers that count are the first ones
    repeats = {
        (row.protocol, row.question): (row.same, row.answers)
        for row in (self_agreement(gathered) if gathered and beside else ())
        if row.assessor == beside and row.part == "all"
    }
    benches: list[AspectBench] = []
    look_up = LookUp.of(scores, gathered, leave={*names, *(answer.question for answer in asked)})
    for answered in by_question(kept):
        by = by_assessor(answered, {*names, *others})
        people = {who: values for who, values in by.items() if who not in names}
        things = {thing for who, values in people.items() if beside in (None, who) for thing in values}
        for judge in names:
            judged = look_up.column(judge, answered) if judge in columns else by.get(judge, {})
            if things.isdisjoint(judged):
                continue
            rows = in_order(answered, things.union(judged))
            bench = look_up.bench(judge, rows, people, judged)
            card = cards.get((judge, bench.source or ""))
            again = repeats.get((bench.source or "", rows[0].question)) or _again(answered, beside)
            benches.append(replace(bench, card=card, again=again, apart=judge in columns))
    benches = titled(benches)
    if named:
        there = list(dict.fromkeys(bench.aspect for bench in benches))
        for text in named:
            if text not in there:
                raise UsageError(
                    f"no judge answered {quoted(text)}{nearest(text, there)}; there are: {listed(there)}"
                )
        benches = [bench for bench in benches if bench.aspect in named]
    for judge in names:
        if not any(bench.judge == judge for bench in benches):
            raise DataError(
                f"{scores.name}: nothing that {judge} answered was also answered by {beside or 'people'}"
                + (f" ({refused[0]})" if refused else "")
                + (
                    ""
                    if beside
                    else ": have some of the same judged by assessors who are not named as judges"
                )
            )
    return JudgeBenches(
        name=scores.name,
        judges=names,
        benches=tuple(benches),
        gathered=gathered,
        notes=tuple(f"{why}: left out" for why in refused),
    )


def answers_with(scores: Scores, judges: Sequence[str]) -> tuple[Gathered | None, list[GivenAnswer]]:
    """A folder's judgments with those of some judges among them, and all answers that name who gave them.

    Of a folder only measures that were imported count, for others rest on the answers.
    """
    answers: list[GivenAnswer] = []
    gathered = gathered_of(scores)
    if gathered is not None:
        gathered = replace(gathered, judgments=gathered.judgments.with_judges(judges))
        answers += stored_answers(gathered)
    imported = [file.info.measure for file in scores.files if file.origin != "computed"]
    names = scores.measures if scores.folder is None else imported
    measures = [name for name in names if name not in scores.refused and scores.assessors(name)]
    if measures:
        answers += scored_answers(scores, measures, length="all", form=None).answers
    return gathered, answers


def by_question(answers: Iterable[GivenAnswer]) -> list[list[GivenAnswer]]:
    """The answers to every question."""
    questions: dict[tuple[str | None, str, str], list[GivenAnswer]] = {}
    for answer in answers:
        questions.setdefault((answer.source, answer.question, answer.part), []).append(answer)
    return list(questions.values())


def by_assessor(answers: Iterable[GivenAnswer], judges: Container[str]) -> dict[str, dict[Hashable, float]]:
    """By who answered, and the thing: the first answer; a judge's to a pair in both orders are one, their mean."""
    every: dict[str, dict[Hashable, list[float]]] = {}
    averaged = set()
    for answer in answers:
        every.setdefault(answer.assessor, {}).setdefault(answer.thing, []).append(answer.value)
        if answer.question == PREFERENCE and answer.assessor in judges:
            averaged.add(answer.assessor)
    return {
        who: {thing: math.fsum(v) / len(v) if who in averaged else v[0] for thing, v in things.items()}
        for who, things in every.items()
    }


def _again(answers: Iterable[GivenAnswer], assessor: str | None) -> tuple[int, int]:
    """How many of somebody's later answers about a thing were as the first, and how many there are."""
    values: dict[Hashable, list[float]] = {}
    for answer in answers:
        if answer.assessor == assessor:
            values.setdefault(answer.thing, []).append(answer.value)
    same = [later == first for first, *rest in values.values() for later in rest]
    return sum(same), len(same)


def in_order(answers: Iterable[GivenAnswer], things: Container[Hashable]) -> list[GivenAnswer]:
    """An answer about each of these things, topic by topic."""
    first: dict[Hashable, GivenAnswer] = {}
    for answer in answers:
        if answer.thing in things:
            first.setdefault(answer.thing, answer)
    return sorted(first.values(), key=lambda row: (natural(row.topic), repr(row.thing)))


def _peoples_columns(scores: Scores, judges: Sequence[str], named: Sequence[str]) -> list[str]:
    """The columns of a table that are people's, beside a judge's: those that are named, or the only one."""
    others = [m for m in scores.measures if m not in judges and scores.info[m].better is not None]
    wrong = [name for name in named if name not in others]
    if wrong:
        raise UsageError(f"{scores.name} has no column {quoted(wrong[0])}{among(wrong[0], others)}")
    if not others:
        raise DataError(f"{scores.name} has no column beside {listed(judges)} that could be people's")
    if not named and len(others) != 1:
        raise UsageError(
            f"{scores.name} names no assessors: name the column that is people's as the question; there are:"
            f" {listed(others)}"
        )
    return list(named) or others


def column_answers(scores: Scores, measure: str, *, question: str, assessor: str) -> Iterator[GivenAnswer]:
    """A column of scores that names nobody, as somebody's answers; those of repeats last."""
    rows = scores.table.of(measure)
    rows = rows[rows["value"].notna()].sort_values("repeat", kind="stable")
    rows = rows.astype(object).where(rows.notna(), None)
    for row in rows.itertuples(index=False):
        yield GivenAnswer(
            source=None,
            question=question,
            thing=(row.topic, row.system, row.length, row.form, row.reference),
            topic=str(row.topic),
            system=str(row.system),
            assessor=assessor,
            value=float(row.value),
            length=row.length,
            form=row.form,
        )


def titled(benches: Sequence[AspectBench]) -> list[AspectBench]:
    """Aspects with names that tell them apart: with their protocol, where another asks one of the same name."""
    sources: dict[str, set[str | None]] = {}
    for bench in benches:
        sources.setdefault(bench.aspect, set()).add(bench.source)
    return [
        replace(bench, aspect=f"{bench.source}/{bench.aspect}")
        if len(sources[bench.aspect]) > 1 and bench.source
        else bench
        for bench in benches
    ]


@dataclass(frozen=True)
class LookUp:
    """Texts and scores by topic and summary, and the benches that are made with them."""

    scores: Scores
    words: Mapping[tuple[str, TextRef], int]
    protocols: Mapping[str, Protocol]
    automatic: Mapping[str, Mapping[_Place, float]]
    """By title of an automatic measure: means over what is left, higher is better."""
    sets: Mapping[str, str]
    """Of topics that are in one."""

    @classmethod
    def of(cls, scores: Scores, gathered: Gathered | None, leave: Container[str] = ()) -> LookUp:
        words: dict[tuple[str, TextRef], int] = {}
        protocols: dict[str, Protocol] = {}
        if gathered is not None:
            for summary in gathered.collection.all_summaries():
                words[summary.topic, TextRef.of(summary)] = count_words(summary.text)
            protocols = dict(gathered.judgments.protocols)
        sets = {name: topic.set for name, topic in scores.topics.items() if topic.set is not None}
        automatic = {
            scores.info[m].heading: _values(scores, m)
            for m in scores.measures
            if m not in leave
            and scores.info[m].better is not None
            and judge_of(m) is None
            and not scores.is_judged(m)
        }
        return cls(scores, words, protocols, automatic, sets)

    def column(self, measure: str, answers: Iterable[GivenAnswer]) -> dict[Hashable, float]:
        """A judge's answers that stand as a measure beside people's."""
        values = _values(self.scores, measure, oriented=False)
        return {
            answer.thing: values[key]
            for answer in answers
            if answer.question != measure
            and (key := (answer.topic, answer.system, answer.length, answer.form)) in values
        }

    def bench(
        self,
        judge: str,
        rows: Sequence[GivenAnswer],
        people: Mapping[str, Mapping[Hashable, float]],
        judged: Mapping[Hashable, float],
    ) -> AspectBench:
        """A judge beside people on some things, for each of which there is a row."""
        one, names = rows[0], sorted(people, key=natural)
        pairs = one.question == PREFERENCE
        sides = [_two_summaries(row.thing) if pairs else None for row in rows]
        answers = [[people[who].get(row.thing, math.nan) for who in names] for row in rows]
        words, ratios = np.array([self._words(*both) for both in zip(rows, sides, strict=True)]).T
        return AspectBench(
            judge=judge,
            aspect=f"{one.question}, {one.part}" if one.part else one.question,
            source=one.source,
            topics=tuple(row.topic for row in rows),
            clusters=tuple(self.sets.get(row.topic, row.topic) for row in rows),
            systems=tuple(row.system for row in rows),
            sides=tuple(None if both is None else (both[0].system, both[1].system) for both in sides),
            people=tuple(names),
            answers=np.array(answers).reshape(len(rows), len(names)),
            judge_answers=np.array([judged.get(row.thing, math.nan) for row in rows]),
            categories=one.categories,
            words=words,
            measures=self._measured(rows, sides),
            kinds=self.scores.kinds,
            better=self._direction(one.source, one.question),
            pairs=pairs,
            named=names != [POOLED],
            ratios=ratios if pairs else None,
        )

    def _words(self, row: GivenAnswer, sides: tuple[TextRef, TextRef] | None) -> tuple[float, float]:
        """Words of a text; of two those of the first less the second's, and how often it is twice as long."""
        if sides is not None:
            first, second = (float(self.words.get((row.topic, side), math.nan)) for side in sides)
            ratio = math.log2(first / second) if first > 0 and second > 0 else math.nan
            return first - second, ratio
        text = TextRef(row.system or "", row.length, row.form)
        return float(self.words.get((row.topic, text), math.nan)), math.nan

    def _measured(
        self, rows: Sequence[GivenAnswer], sides: Sequence[tuple[TextRef, TextRef] | None]
    ) -> dict[str, FloatArray]:
        """Automatic measures of every thing; those that have scores of none are left out."""
        measured: dict[str, FloatArray] = {}

        def score(values: Mapping[_Place, float], topic: str, text: Any) -> float:
            return values.get((topic, text.system, text.length, text.form), math.nan)

        for title, values in self.automatic.items():
            scored = np.array(
                [
                    score(values, row.topic, row)
                    if both is None
                    else score(values, row.topic, both[0]) - score(values, row.topic, both[1])
                    for row, both in zip(rows, sides, strict=True)
                ]
            )
            if not np.isnan(scored).all():
                measured[title] = scored
        return measured

    def _direction(self, source: str | None, question: str) -> Better:
        """Whether a higher answer is better: of counts of errors a lower one is."""
        if source is None:
            info = self.scores.info.get(question)
            return (info and info.better) or "higher"
        protocol = self.protocols.get(source)
        for asked in protocol.questions if protocol is not None else ():
            if question in (asked.id, asked.id.partition(":")[2]):
                return "lower" if NONE in asked.values else "higher"
        return "higher"


def _values(scores: Scores, measure: str, *, oriented: bool = True) -> dict[_Place, float]:
    rows = scores.table.of(measure)
    rows = rows[rows["value"].notna()]
    rows = rows.astype(object).where(rows.notna(), None)
    sign = -1.0 if oriented and scores.info[measure].better == "lower" else 1.0
    sums: dict[_Place, list[float]] = {}
    for row in rows.itertuples(index=False):
        key = (str(row.topic), str(row.system), cast("int | None", row.length), cast("str | None", row.form))
        sums.setdefault(key, []).append(sign * float(row.value))
    return {key: math.fsum(values) / len(values) for key, values in sums.items()}


def _two_summaries(thing: Any) -> tuple[TextRef, TextRef] | None:
    """The two summaries of a pair."""
    _, left, right = thing
    if left[0] == right[0] == "summary":
        return left[1], right[1]
    return None


def _mean(values: FloatArray, axis: int) -> FloatArray:
    there = ~np.isnan(values)
    n = there.sum(axis=axis)
    means: FloatArray = np.divide(
        np.where(there, values, 0.0).sum(axis=axis), n, out=np.full(n.shape, np.nan), where=n > 0
    )
    return means
