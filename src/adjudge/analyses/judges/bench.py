"""What a dossier starts from: a judge's answers beside people's, to one question about the same things."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from adjudge.analyses.gathered import Gathered, gather, gathered_of
from adjudge.analyses.meta.cells import is_judged
from adjudge.analyses.questions import GivenAnswer, at_target, scored_answers, stored_answers
from adjudge.analyses.scores import Scores
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
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.text.words import count_words

POOLED = "people"
"""Who answered, where scores name nobody."""


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
    given: FloatArray
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
    panel: bool = False
    """Whether the judge is several judges as one."""
    named: bool = True
    """Whether people are known by name."""
    card: JudgeCard | None = None
    notes: tuple[Note, ...] = ()
    ratios: FloatArray | None = None
    """Of pairs of summaries: the logarithm to base 2 of the first one's words over the second's, 1 where the first is
    twice as long; NaN where that is not known."""

    @property
    def judged(self) -> BoolArray:
        """Things that both the judge and somebody else answered for."""
        found: BoolArray = ~np.isnan(self.given) & ~np.isnan(self.answers).all(axis=1)
        return found

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
        found: FloatArray = np.where(np.isnan(values), np.nan, scale[nearest_choice])
        return found

    def take(self, things: BoolArray) -> AspectBench:
        """The same of some things."""
        at = np.flatnonzero(things)

        def of(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[int(k)] for k in at)

        return replace(
            self,
            topics=of(self.topics),
            clusters=of(self.clusters),
            systems=of(self.systems),
            sides=of(self.sides),
            answers=self.answers[at],
            given=self.given[at],
            words=self.words[at],
            measures={name: values[at] for name, values in self.measures.items()},
            ratios=None if self.ratios is None else self.ratios[at],
        )

    def with_judge(self, name: str, given: FloatArray) -> AspectBench:
        """The same people beside another judge, such as one that always gives the same answer."""
        return replace(self, judge=name, given=given, card=None)

    def cells(self) -> JudgeCells | None:
        """Systems' scores on topics: means over things; of pairs, shares of duels won. None without systems."""
        systems = sorted({name for _, _, name, _ in self.scored()}, key=natural)
        if not systems:
            return None
        topics = list(dict.fromkeys(self.topics))
        sets = dict(zip(self.topics, self.clusters, strict=True))
        t, s = {name: k for k, name in enumerate(topics)}, {name: k for k, name in enumerate(systems)}
        layers = np.column_stack([self.given, self.answers])
        sums = np.zeros((layers.shape[1], len(topics), len(systems)))
        times = np.zeros_like(sums)
        for k, topic, name, first in self.scored():
            values = layers[k] if first else 1 - layers[k]
            there = ~np.isnan(values)
            sums[there, t[topic], s[name]] += values[there]
            times[there, t[topic], s[name]] += 1
        means = np.divide(sums, times, out=np.full(sums.shape, np.nan), where=times > 0)
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
        return tuple(each for each in self.benches if each.judge == judge)

    def beside(self, aspect: str) -> tuple[AspectBench, ...]:
        """Every judge's on one aspect."""
        return tuple(each for each in self.benches if each.aspect == aspect)


def benches_of(
    scores: Scores,
    judges: str | Sequence[str],
    *,
    question: str | Sequence[str] = (),
    length: int | AllLengths | None = None,
    form: str | None = None,
    without: str | Sequence[str] = (),
) -> JudgeBenches:
    """Judges beside people, question by question.

    Of a folder, every question that the judge answered, and imported measures that it gave; of a table or a DataFrame,
    every measure whose rows name the judge as the assessor, or that stands beside a measure of the judge's name.
    `question` names some. `without` leaves out people.
    """
    names = tuple(dict.fromkeys([judges] if isinstance(judges, str) else judges))
    if not names:
        raise UsageError("no judge is named: name one, such as smollm2")
    left = {without} if isinstance(without, str) else set(without)
    if clash := left & set(names):
        raise UsageError(f"{listed(sorted(clash))} cannot be both a judge and left out")
    gathered = gathered_of(scores)
    answers: list[GivenAnswer] = []
    if gathered is not None:
        gathered = gather(gathered.collection, gathered.judgments.with_judges(names))
        answers += stored_answers(gathered)
    measures = measures_with_assessors(scores)
    answers += scored_answers(scores, measures, length="all", form=None).answers if measures else []
    columns = {name: name for name in names if name in scores.measures}
    known = sorted({each.assessor for each in answers}, key=natural)
    for name in names:
        if name not in known and name not in columns:
            if (why := _never_answered(scores, name)) is not None:
                raise DataError(f"{scores.name}: {why}")
            there = [*known, *(gathered.judgments.by_judge if gathered else ()), *scores.measures]
            raise UsageError(f"{scores.name} has no answers by {quoted(name)}{among(name, there)}")
    for name in left - set(known):
        raise UsageError(f"{scores.name} has no answers by {quoted(name)}{among(name, known)}")
    asked = [each for each in answers if each.assessor not in left]
    named = (question,) if isinstance(question, str) else tuple(question)
    if columns and scores.folder is None and not asked:
        for column in _peoples_columns(scores, names, named):
            asked += column_answers(scores, column, question=column, assessor=POOLED)
    kept, refused = at_target(asked, length=length, form=form)
    found: list[AspectBench] = []
    look_up = _LookUp.of(scores, gathered, leave={*names, *(each.question for each in asked)})
    by_question: dict[tuple[str | None, str, str], list[GivenAnswer]] = {}
    for each in kept:
        by_question.setdefault((each.source, each.question, each.part), []).append(each)
    cards = {(card.name, card.protocol): card for card in _cards(scores)}
    for (source, name, part), own in by_question.items():
        for judge in names:
            given = look_up.column(columns.get(judge), own)
            bench = _bench(judge, source, name, part, own, names, given, look_up)
            if bench is not None:
                found.append(replace(bench, card=cards.get((judge, source or ""))))
    found = _titled(found)
    if named:
        there = list(dict.fromkeys(each.aspect for each in found))
        for text in named:
            if text not in there:
                raise UsageError(
                    f"no judge answered {quoted(text)}{nearest(text, there)}; there are: {listed(there)}"
                )
        found = [each for each in found if each.aspect in named]
    for judge in names:
        if not any(each.judge == judge for each in found):
            raise DataError(
                f"{scores.name}: nothing that {judge} answered was also answered by people"
                + (f" ({refused[0]})" if refused else "")
                + ": have some of the same judged by assessors who are not named as judges"
            )
    return JudgeBenches(
        name=scores.name,
        judges=names,
        benches=tuple(found),
        gathered=gathered,
        notes=tuple(f"{why}: left out" for why in refused),
    )


def measures_with_assessors(scores: Scores) -> list[str]:
    """The measures whose rows name assessors; of a folder only what was imported, for others rest on the answers."""
    imported = [file.info.measure for file in scores.files if file.origin != "computed"]
    names = scores.measures if scores.folder is None else imported
    return [name for name in names if name not in scores.refused and scores.assessors(name)]


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


def _cards(scores: Scores) -> list[JudgeCard]:
    return [] if scores.folder is None else read_cards(Folder.open(scores.folder))


def _never_answered(scores: Scores, judge: str) -> str | None:
    """What the cards of a judge without answers say."""
    own = [card for card in _cards(scores) if card.name == judge and card.asked and not card.answered]
    if not own:
        return None
    reasons: Counter[str] = Counter()
    for card in own:
        reasons.update(card.invalid)
    why = ", ".join(f"{reason} {n:,}" for reason, n in reasons.most_common())
    return (
        f"{judge} was asked {counted(sum(card.asked for card in own), 'question')} and answered none ({why})"
    )


def _titled(found: Sequence[AspectBench]) -> list[AspectBench]:
    """Aspects with names that tell them apart: with their protocol, where another asks one of the same name."""
    sources: dict[str, set[str | None]] = {}
    for each in found:
        sources.setdefault(each.aspect, set()).add(each.source)
    return [
        replace(each, aspect=f"{each.source}/{each.aspect}")
        if len(sources[each.aspect]) > 1 and each.source
        else each
        for each in found
    ]


@dataclass(frozen=True)
class _LookUp:
    """Texts and scores by topic and summary."""

    scores: Scores
    words: Mapping[tuple[str, TextRef], int]
    protocols: Mapping[str, Protocol]
    automatic: Mapping[str, Mapping[tuple[str, str, int | None, str | None], float]]
    """By title of an automatic measure: means over what is left, higher is better."""
    sets: Callable[[str], str]

    @classmethod
    def of(cls, scores: Scores, gathered: Gathered | None, leave: Container[str] = ()) -> _LookUp:
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
            and not is_judged(scores, m)
        }
        return cls(
            scores=scores,
            words=words,
            protocols=protocols,
            automatic=automatic,
            sets=lambda topic: sets.get(topic, topic),
        )

    def column(self, measure: str | None, own: Sequence[GivenAnswer]) -> Mapping[Hashable, float] | None:
        """A judge's answers that stand as a measure beside people's."""
        if measure is None:
            return None
        values = _values(self.scores, measure, oriented=False)
        found = {}
        for each in own:
            if each.system is not None and each.question != measure:
                value = values.get((each.topic, each.system, each.length, each.form))
                if value is not None:
                    found[each.thing] = value
        return found


def _values(
    scores: Scores, measure: str, *, oriented: bool = True
) -> dict[tuple[str, str, int | None, str | None], float]:
    rows = scores.table.of(measure)
    rows = rows[rows["value"].notna()]
    rows = rows.astype(object).where(rows.notna(), None)
    sign = -1.0 if oriented and scores.info[measure].better == "lower" else 1.0
    sums: dict[tuple[str, str, int | None, str | None], list[float]] = {}
    for row in rows.itertuples(index=False):
        key = (str(row.topic), str(row.system), cast("int | None", row.length), cast("str | None", row.form))
        sums.setdefault(key, []).append(sign * float(row.value))
    return {key: math.fsum(own) / len(own) for key, own in sums.items()}


def _bench(
    judge: str,
    source: str | None,
    question: str,
    part: str,
    own: Sequence[GivenAnswer],
    judges: Sequence[str],
    column: Mapping[Hashable, float] | None,
    look_up: _LookUp,
) -> AspectBench | None:
    """One judge beside people; None where they share nothing. Other judges are no people."""
    is_pairs = question == PREFERENCE
    first: dict[Hashable, GivenAnswer] = {}
    for each in own:
        first.setdefault(each.thing, each)
    by_judge: dict[Hashable, list[float]] = {}
    by_people: dict[tuple[Hashable, str], float] = {}
    for each in own:
        if each.assessor == judge:
            # a pair may be asked in both orders, which are one answer; of other repeats the first counts
            if is_pairs or each.thing not in by_judge:
                by_judge.setdefault(each.thing, []).append(each.value)
        elif each.assessor not in judges:
            by_people.setdefault((each.thing, each.assessor), each.value)
    if column is not None:
        by_judge = {thing: [value] for thing, value in column.items()}
    people = sorted({who for _, who in by_people}, key=natural)
    if not people or not any((thing in by_judge) for thing, _ in by_people):
        return None
    things = sorted(first, key=lambda thing: (natural(first[thing].topic), repr(thing)))
    things = [t for t in things if t in by_judge or any((t, who) in by_people for who in people)]
    row, at = {thing: k for k, thing in enumerate(things)}, {who: k for k, who in enumerate(people)}
    answers, given = np.full((len(things), len(people)), np.nan), np.full(len(things), np.nan)
    for (thing, who), value in by_people.items():
        answers[row[thing], at[who]] = value
    for thing, values in by_judge.items():
        if thing in row:
            given[row[thing]] = math.fsum(values) / len(values)
    one = next(iter(first.values()))
    rows = [first[thing] for thing in things]
    sides = tuple(two_summaries(thing) if is_pairs else None for thing in things)
    return AspectBench(
        judge=judge,
        aspect=f"{question}, {part}" if part else question,
        source=source,
        topics=tuple(each.topic for each in rows),
        clusters=tuple(look_up.sets(each.topic) for each in rows),
        systems=tuple(each.system for each in rows),
        sides=tuple(None if both is None else (both[0].system, both[1].system) for both in sides),
        people=tuple(people),
        answers=answers,
        given=given,
        categories=one.categories,
        words=np.array([_words(look_up, each, both) for each, both in zip(rows, sides, strict=True)]),
        measures=_measured(look_up, rows, sides),
        kinds=look_up.scores.kinds,
        better=answer_direction(look_up.scores, look_up.protocols, source, question),
        pairs=is_pairs,
        named=people != [POOLED],
        ratios=np.array([_ratio(look_up, each, both) for each, both in zip(rows, sides, strict=True)])
        if is_pairs
        else None,
    )


def two_summaries(thing: Any) -> tuple[TextRef, TextRef] | None:
    """The two summaries of a pair."""
    _, left, right = thing
    if left[0] == right[0] == "summary":
        return left[1], right[1]
    return None


def _words(look_up: _LookUp, each: GivenAnswer, sides: tuple[TextRef, TextRef] | None) -> float:
    if sides is not None:
        both = [look_up.words.get((each.topic, side)) for side in sides]
        return math.nan if None in both else float(cast(int, both[0]) - cast(int, both[1]))
    if each.system is None:
        return math.nan
    found = look_up.words.get((each.topic, TextRef(each.system, each.length, each.form)))
    return math.nan if found is None else float(found)


def _ratio(look_up: _LookUp, each: GivenAnswer, sides: tuple[TextRef, TextRef] | None) -> float:
    both = [look_up.words.get((each.topic, side), 0) for side in sides or ()]
    return math.log2(both[0] / both[1]) if len(both) == 2 and all(both) else math.nan


def _measured(
    look_up: _LookUp, rows: Sequence[GivenAnswer], sides: Sequence[tuple[TextRef, TextRef] | None]
) -> dict[str, FloatArray]:
    """Automatic measures of every thing; those that have scores of none are left out."""
    found: dict[str, FloatArray] = {}
    for title, values in look_up.automatic.items():

        def score(topic: str, text: TextRef, values: Mapping[Any, float] = values) -> float:
            return values.get((topic, text.system, text.length, text.form), math.nan)

        own = []
        for each, both in zip(rows, sides, strict=True):
            if both is not None:
                own.append(score(each.topic, both[0]) - score(each.topic, both[1]))
            elif each.system is not None:
                own.append(score(each.topic, TextRef(each.system, each.length, each.form)))
            else:
                own.append(math.nan)
        if not np.isnan(own).all():
            found[title] = np.array(own)
    return found


def answer_direction(
    scores: Scores, protocols: Mapping[str, Protocol], source: str | None, question: str
) -> Better:
    """Whether a higher answer is better: of counts of errors a lower one is."""
    if source is None:
        return (scores.info[question].better or "higher") if question in scores.info else "higher"
    protocol = protocols.get(source)
    for each in protocol.questions if protocol is not None else ():
        if question in (each.id, each.id.partition(":")[2]):
            return "lower" if NONE in each.values else "higher"
    return "higher"


def _mean(values: FloatArray, axis: int) -> FloatArray:
    there = ~np.isnan(values)
    n = there.sum(axis=axis)
    found: FloatArray = np.divide(
        np.where(there, values, 0.0).sum(axis=axis), n, out=np.full(n.shape, np.nan), where=n > 0
    )
    return found
