"""What else moves a judge, and what it costs and saves: itself, order, length, its own family, invalid answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.gathered import Gathered
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import POOLED, AspectBench, JudgeBenches, JudgeCells
from adjudge.analyses.stability.repeats import RepeatedAnswer, repeated_answers
from adjudge.assessors.cards import JudgeCard
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden, with_interval
from adjudge.core.words import natural
from adjudge.judgments.pairs.sides import WON, judged_pairs, sides_of
from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats.checks import BoolArray
from adjudge.stats.judge_effects import (
    ClusteredEstimate,
    JudgeExcess,
    JudgmentsSaved,
    OrderEffect,
    clustered_mean,
    judge_excess,
    judgments_saved,
    order_effect,
    share_by_cluster,
)
from adjudge.stats.shares import ClusteredShare, clustered_share

PER = 1000
"""Answers that costs are given for."""


# What is found


@dataclass(frozen=True)
class JudgeRepeats:
    """How far answers to the same question are the same: a judge's, or people's together. Of pairs, asked again in the
    same order."""

    judge: str
    source: str
    aspect: str
    who: str
    """The judge, or people."""
    same: ClusteredShare
    distance: ClusteredEstimate | None
    """Mean distance of the second answer from the first, where they are numbers."""


@dataclass(frozen=True)
class JudgeOrder:
    """How far the side on which a text stands decides."""

    judge: str
    source: str
    who: str
    swapped: OrderEffect | None
    """Of pairs that were asked in both orders."""
    once: int
    """Pairs that were asked in one order alone, and that people answered too."""
    left: ClusteredEstimate | None
    """Of those: how often the left text wins, less how often people let the same text win."""


@dataclass(frozen=True)
class JudgeLength:
    """How answers change with every doubling of a text's words: in standard deviations, of pairs in shares of wins."""

    judge: str
    aspect: str
    pairs: bool
    slopes: JudgeExcess

    @property
    def unit(self) -> str:
        return "share of wins" if self.pairs else "standard deviations"


@dataclass(frozen=True)
class JudgeFavour:
    """How much more some systems get from a judge than others do, compared with people's: in units of the answers."""

    judge: str
    aspect: str
    group: str
    """own family, human or baseline."""
    systems: tuple[str, ...]
    others: tuple[str, ...]
    contrasts: JudgeExcess


@dataclass(frozen=True)
class JudgeWork:
    """How a judge's work under one protocol went, from its card."""

    judge: str
    card: JudgeCard
    invalid: ClusteredShare
    """Wilson's interval, as if answers were independent: a card knows no topics."""

    def per(self, amount: float | None) -> float:
        """For a thousand answers."""
        return math.nan if amount is None or not self.card.answered else PER * amount / self.card.answered

    @property
    def tokens(self) -> int:
        return self.card.prompt_tokens + self.card.answer_tokens

    @property
    def costs(self) -> bool:
        """A learned judge is asked nothing that costs."""
        return self.card.kind != "learned"


@dataclass(frozen=True)
class JudgeSaving:
    """How many of people's judgments a judge's answers to one question are worth."""

    judge: str
    aspect: str
    saved: JudgmentsSaved


@dataclass(frozen=True)
class TestedEffect:
    """An effect on a judge, and what it favours if the effect is there, on which question."""

    effect: str
    liked: str | JudgeFavour
    where: str
    p: float
    size: float


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeEffects(Result):
    """What moves judges beside what people see, how steady they are, what they cost, and what they save."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.effects"
    FRAME: ClassVar[str] = "judge-effects"

    asked: Judges
    name: str
    judges: tuple[str, ...]
    repeats: tuple[JudgeRepeats, ...]
    order: tuple[JudgeOrder, ...]
    lengths: tuple[JudgeLength, ...]
    favours: tuple[JudgeFavour, ...]
    work: tuple[JudgeWork, ...]
    savings: tuple[JudgeSaving, ...]
    unknown: tuple[Note, ...] = ()
    """What cannot be said, each on the table that would say it."""

    def how(self) -> str:
        o = self.asked
        return (
            f"judge-effects|level:{o.level:g}|clusters:sets-or-topics|resamples:{o.resamples}|seed:{o.seed}"
            f"|v:{__version__}"
        )

    def notes(self) -> Iterator[Note]:
        if self.lengths or self.favours:
            yield Note.of("beside-what-people-see")
            yield Note.of("one-effect-alone")
            yield Note.of("one-by-one")
        if self.work:
            yield Note.of("wilson").on("judge-invalid")

    def for_judge(self, judge: str) -> JudgeEffects:
        """What is about one judge."""
        return replace(
            self,
            judges=(judge,),
            repeats=tuple(row for row in self.repeats if row.judge == judge),
            order=tuple(row for row in self.order if row.judge == judge),
            lengths=tuple(row for row in self.lengths if row.judge == judge),
            favours=tuple(row for row in self.favours if row.judge == judge),
            work=tuple(row for row in self.work if row.judge == judge),
            savings=tuple(row for row in self.savings if row.judge == judge),
            unknown=tuple(note for note in self.unknown if note.data["judge"] == judge),
        )

    def tested(self, judge: str) -> Iterator[TestedEffect]:
        """Every effect on a judge that could be compared with 0."""
        for order in self.order:
            if order.judge == order.who == judge and order.swapped is not None:
                bias = order.swapped.bias
                liked = "left" if bias > 0 else "right"
                yield TestedEffect("order", liked, order.source, order.swapped.p, bias)
        for length in self.lengths:
            excess = length.slopes.excess
            if length.judge == judge and excess.why is None:
                liked = "longer" if excess.estimate >= 0 else "shorter"
                yield TestedEffect("length", liked, length.aspect, excess.p, excess.estimate)
        for favour in self.favours:
            excess = favour.contrasts.excess
            if favour.judge == judge and excess.why is None:
                yield TestedEffect(favour.group, favour, favour.aspect, excess.p, excess.estimate)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"judge-effects": self._effects}

    def _effects(self) -> Table:
        """The effects that can be compared with 0, all in one."""
        rows: list[tuple[Cell, ...]] = []
        for order in self.order:
            if order.swapped is not None and order.who == order.judge:
                s = order.swapped
                ends = (s.bias, s.low, s.high, s.p)
                rows.append((order.judge, "left side", order.source, "share of wins", *ends))
        for length in self.lengths:
            excess = self._with_p(length.slopes.excess)
            rows.append((length.judge, "twice as long", length.aspect, length.unit, *excess))
        for favour in self.favours:
            excess = self._with_p(favour.contrasts.excess)
            rows.append((favour.judge, favour.group, favour.aspect, "answers", *excess))
        columns = (Column("judge", show="varies"), "effect aspect unit", *self._ends("estimate"))
        title = "What moves a judge beside what people see"
        return Table.of("judge-effects", rows, *columns, Column("p", format=".3g"), title=title)

    def tables(self) -> Iterator[Table]:
        judge, protocol = Column("judge", show="varies"), Column("protocol", show="varies")
        compared = (
            *self._ends("difference"),
            Column("difference_p", "p", format=".3g"),
            *self._ends("excess", "among equally good"),
            Column("excess_p", "p", format=".3g"),
            Column("why", show="never"),
        )
        tables = (
            Table.of(
                "judge-repeats",
                (
                    (
                        *(repeat.judge, repeat.source, repeat.aspect, repeat.who),
                        *(repeat.same.n, repeat.same.clusters, *_share(repeat.same)),
                        *self._bounded(repeat.distance),
                    )
                    for repeat in self.repeats
                ),
                judge,
                protocol,
                "aspect who answers topics",
                *self._ends("same"),
                Column("distance", "mean distance"),
                *hidden("distance_low distance_high"),
                title="Agreement with itself",
            ),
            Table.of(
                "judge-order",
                (
                    (
                        *(order.judge, order.source, order.who),
                        *_in_both_orders(order.swapped),
                        order.once,
                        *self._bounded(order.left),
                    )
                    for order in self.order
                ),
                judge,
                protocol,
                "who",
                Column("pairs", "pairs in both orders"),
                *self._ends("kept"),
                Column("always_left", "always left"),
                Column("always_right", "always right"),
                *self._ends("bias"),
                Column("once", "pairs in one order", show="varies"),
                Column("over_people", "left, less people", show="varies"),
                *hidden("over_people_low over_people_high"),
                title="Order of a pair",
            ),
            Table.of(
                "judge-length",
                (
                    (
                        *(length.judge, length.aspect, length.unit),
                        *(length.slopes.difference.n, length.slopes.difference.clusters),
                        *self._compared(length.slopes),
                    )
                    for length in self.lengths
                ),
                judge,
                "aspect unit",
                Column("things", show="varies"),
                Column("topics", show="varies"),
                Column("slope_judge", "from the judge"),
                Column("slope_people", "from people"),
                *compared,
                title="Length: what a text twice as long gets more",
            ),
            Table.of(
                "judge-favours",
                (
                    (
                        *(favour.judge, favour.aspect, favour.group),
                        *(", ".join(favour.systems), ", ".join(favour.others)),
                        favour.contrasts.difference.clusters,
                        *self._compared(favour.contrasts),
                    )
                    for favour in self.favours
                ),
                judge,
                "aspect group systems",
                Column("others", "compared with", show="never"),
                Column("topics", show="varies"),
                Column("judge_contrast", "judge"),
                Column("people_contrast", "people"),
                *compared,
                title="Whose texts a judge favours, in units of the answers",
            ),
            Table.of(
                "judge-invalid",
                self._invalid_rows(),
                judge,
                protocol,
                "reason answers invalid",
                *self._ends("share"),
                title="Invalid answers",
            ),
            Table.of(
                "judge-cost",
                (
                    (
                        *(work.judge, work.card.protocol, work.card.answered, work.card.requests),
                        *(work.tokens, work.card.cost, work.card.seconds),
                        *map(work.per, (work.tokens, work.card.cost, work.card.seconds)),
                    )
                    for work in self.work
                    if work.costs
                ),
                judge,
                protocol,
                "answers requests tokens",
                Column("cost", format=".4f"),
                Column("seconds", format=".1f"),
                Column("tokens_per_1000", "tokens per 1,000 answers", format=",.0f"),
                Column("cost_per_1000", "cost per 1,000", format=".2f"),
                Column("seconds_per_1000", "seconds per 1,000", format=".1f"),
                title="Cost",
            ),
            Table.of(
                "judge-saves",
                map(self._saving_row, self.savings),
                judge,
                "aspect",
                Column("pairs", "pairs of systems"),
                Column("topics", "topics by both"),
                Column("further", "by the judge alone"),
                *self._ends("rho2", "rho^2"),
                Column("rho2_least", "least"),
                Column("rho2_most", "most"),
                Column("counts_as", "count as", format=".1f"),
                Column("at_most", "at most", format=".1f"),
                *hidden("at_most_low at_most_high why"),
                title="How many topics judged by people the judge's answers are worth",
            ),
        )
        yield from (table for table in tables if table.rows)

    def _ends(self, name: str, heading: str | None = None) -> tuple[Column, Column, Column]:
        return with_interval(name, heading, self.asked.level, ends="" if name == "estimate" else None)

    def _bounded(self, estimate: ClusteredEstimate | None) -> tuple[Cell, Cell, Cell]:
        if estimate is None:
            return None, None, None
        return (estimate.estimate, *estimate.interval(self.asked.level))

    def _with_p(self, estimate: ClusteredEstimate) -> tuple[Cell, ...]:
        return (*self._bounded(estimate), estimate.p)

    def _compared(self, excess: JudgeExcess) -> tuple[Cell, ...]:
        """The judge's and people's, the one less the other, and among texts that people find equally good."""
        both = excess.judge.estimate, excess.people.estimate
        return (*both, *self._with_p(excess.difference), *self._with_p(excess.excess), excess.excess.why)

    def _invalid_rows(self) -> Iterator[tuple[Cell, ...]]:
        for work in self.work:
            shares = {"all": work.invalid}
            for reason, hits in sorted(work.card.invalid.items(), key=lambda one: (-one[1], one[0])):
                shares[reason] = clustered_share([hits], [work.invalid.n], level=self.asked.level)
            for reason, share in shares.items():
                yield (work.judge, work.card.protocol, reason, share.n, share.hits, *_share(share))

    def _saving_row(self, saving: JudgeSaving) -> tuple[Cell, ...]:
        s = saving.saved
        counts = [s.counts_as(rho2) for rho2 in (s.squared, s.low, s.high)]
        return (
            *(saving.judge, saving.aspect, s.pairs, s.topics, s.further),
            *(s.squared, s.low, s.high, s.least, s.most),
            s.counts_as(s.squared, s.further) if s.why is None else None,
            *(value if math.isfinite(value) else None for value in counts),
            s.why,
        )


def _share(share: ClusteredShare) -> tuple[Cell, Cell, Cell]:
    return share.share, share.low, share.high


def _in_both_orders(swapped: OrderEffect | None) -> tuple[Cell, ...]:
    if swapped is None:
        return (0, *([None] * 8))
    s = swapped
    return (s.pairs, *_share(s.kept), s.left.share, s.right.share, s.bias, s.low, s.high)


# How it is found


def judge_effects(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> JudgeEffects:
    """What moves judges beside what people see, their agreement with themselves, what they cost and save.

    The option `family` is the part of a system's name by which a judge's own family is known, several with commas
    between; without it that of a judge's card counts.
    """
    unknown: list[Note] = []
    steps = 2 + len(benches.benches)
    repeats = tuple(_repeats(benches, asked, unknown))
    progress(1, steps)
    order = tuple(_order(benches, asked, unknown))
    progress(2, steps)
    lengths: list[JudgeLength] = []
    favours: list[JudgeFavour] = []
    savings: list[JudgeSaving] = []
    for done, bench in enumerate(benches.benches, start=3):
        lengths += _length(bench)
        favours += _favours(bench, asked.family, unknown)
        cells = bench.cells()
        if cells is not None and len(cells.systems) > 1:
            saved = judgments_saved(
                cells.people_mean,
                cells.judge,
                cells.clusters,
                rng=asked.rng(f"saved/{bench.judge}/{bench.aspect}"),
                resamples=asked.resamples,
                level=asked.level,
            )
            savings.append(JudgeSaving(judge=bench.judge, aspect=bench.aspect, saved=saved))
        progress(done, steps)
    work: list[JudgeWork] = []
    for judge in benches.judges:
        if not any(length.judge == judge for length in lengths):
            unknown.append(Note.of("no-lengths", judge=judge).on("judge-length"))
        cards = {bench.card.file: bench.card for bench in benches.of(judge) if bench.card is not None}
        if not cards:
            unknown.append(Note.of("no-card", judge=judge).on("judge-invalid"))
        for card in cards.values():
            bad = sum(card.invalid.values())
            share = clustered_share([bad], [card.answered + bad], level=asked.level)
            work.append(JudgeWork(judge=judge, card=card, invalid=share))
    return JudgeEffects(
        asked=asked,
        name=benches.name,
        judges=benches.judges,
        repeats=repeats,
        order=order,
        lengths=tuple(lengths),
        favours=tuple(favours),
        work=tuple(work),
        savings=tuple(savings),
        unknown=tuple(note for at, note in enumerate(unknown) if note not in unknown[:at]),
    )


def _set_of(gathered: Gathered, topic: str) -> str:
    row = gathered.collection.topics.get(topic)
    return topic if row is None or row.set is None else row.set


def _repeats(benches: JudgeBenches, options: Judges, unknown: list[Note]) -> Iterator[JudgeRepeats]:
    gathered = benches.gathered
    by_question: dict[tuple[str, str], list[RepeatedAnswer]] = {}
    for answer in repeated_answers(gathered) if gathered is not None else ():
        if not answer.swapped:
            # the question as benches name it
            whole = answer.question in ("completeness", "marks")
            question = answer.question if whole else answer.id.removeprefix(RATING)
            by_question.setdefault((answer.protocol, question), []).append(answer)
    for judge in benches.judges:
        # without the protocol, and without the length or form that a bench may be of
        asked = {
            (bench.source, bench.aspect.removeprefix(f"{bench.source}/").partition(", ")[0])
            for bench in benches.of(judge)
        }
        keys = [
            key
            for key, answers in by_question.items()
            if key in asked and any(answer.assessor == judge for answer in answers)
        ]
        if not keys:
            kinds = {bench.card.kind for bench in benches.of(judge) if bench.card is not None}
            how = "learned" if kinds == {"learned"} else "asked" if kinds else "assigned"
            unknown.append(Note.of("no-repeats", judge=judge, how=how).on("judge-repeats"))
        for source, question in keys:
            answers = by_question[source, question]
            theirs = [answer for answer in answers if answer.assessor not in benches.judges]
            for who, some in (
                (judge, [answer for answer in answers if answer.assessor == judge]),
                (POOLED, theirs),
            ):
                if not some or gathered is None:
                    continue
                clusters = [_set_of(gathered, answer.topic) for answer in some]
                apart = [math.nan if answer.change is None else abs(answer.change) for answer in some]
                distance = clustered_mean(apart, clusters)
                yield JudgeRepeats(
                    judge=judge,
                    source=source,
                    aspect=question,
                    who=who,
                    same=share_by_cluster([answer.same for answer in some], clusters, level=options.level),
                    distance=None if math.isnan(distance.estimate) else distance,
                )


# Order


Pair = tuple[str, frozenset[object]]
"""A topic and two texts."""
Answered = Sequence[tuple[Pair, Mapping[object, float]]]
"""Somebody's pairs, each with how much the text on the left won the first time that it stood there."""


def _order(benches: JudgeBenches, options: Judges, unknown: list[Note]) -> Iterator[JudgeOrder]:
    gathered = benches.gathered
    if gathered is None or not any(bench.pairs and bench.source for bench in benches.benches):
        return
    # by assessor, protocol and pair; planted repeats last, so that the first answers count
    asked: dict[tuple[str, str, Pair], dict[object, float]] = {}
    for topic, batch in gathered.batches.items():
        judged = [*judged_pairs(batch, "sentences"), *judged_pairs(batch, "summaries")]
        for task, event in sorted(judged, key=lambda one: (one[0].repeat_of is not None, one[0].position)):
            left, right = sides_of(task)
            won = WON.get(event.answer.get("winner"))
            if won is not None and left != right and not is_anonymous(task.assessor):
                key = (task.assessor, task.protocol, (topic, frozenset((left, right))))
                asked.setdefault(key, {}).setdefault(left, won)
    for judge in benches.judges:
        sources = dict.fromkeys(b.source for b in benches.of(judge) if b.pairs and b.source is not None)
        for source in sources:
            rows = [(who, pair, orders) for (who, where, pair), orders in asked.items() if where == source]
            of_judge = [(pair, orders) for who, pair, orders in rows if who == judge]
            people = [(pair, orders) for who, pair, orders in rows if who not in benches.judges]
            mine = _order_of(gathered, options, of_judge, people)
            yield JudgeOrder(judge=judge, source=source, who=judge, **mine)
            theirs = _order_of(gathered, options, people, ())
            if theirs["swapped"] is not None:
                yield JudgeOrder(judge=judge, source=source, who=POOLED, **theirs)
            if mine["swapped"] is None and mine["left"] is None:
                unknown.append(Note.of("no-pairs", judge=judge, source=source).on("judge-order"))


def _order_of(gathered: Gathered, options: Judges, asked: Answered, people: Answered) -> dict[str, Any]:
    """What is told of somebody's pairs: those in both orders, and those in one beside people's."""
    both = [(topic, tuple(orders.values())) for (topic, _), orders in asked if len(orders) == 2]
    yardstick: dict[Pair, list[tuple[object, float]]] = {}
    for pair, orders in people:
        yardstick.setdefault(pair, []).extend(orders.items())
    over, topics = [], []
    for pair, orders in asked:
        if len(orders) == 1 and pair in yardstick:
            [(left, won)] = orders.items()
            shares = [theirs if text == left else 1 - theirs for text, theirs in yardstick[pair]]
            over.append(won - math.fsum(shares) / len(shares))
            topics.append(pair[0])
    return {
        "swapped": order_effect(
            np.array([one for _, (one, _) in both]),
            np.array([other for _, (_, other) in both]),
            [_set_of(gathered, topic) for topic, _ in both],
            level=options.level,
        ),
        "once": len(over),
        "left": clustered_mean(over, [_set_of(gathered, topic) for topic in topics]) if over else None,
    }


# Length, families and kinds


def _length(bench: AspectBench) -> Iterator[JudgeLength]:
    with np.errstate(divide="ignore", invalid="ignore"):
        doublings = np.where(bench.words > 0, np.log2(bench.words), np.nan)
    if bench.pairs:
        doublings = np.full(len(bench.judge_answers), np.nan) if bench.ratios is None else bench.ratios
    if np.isnan(doublings[bench.judged]).all():
        return
    sign = -1.0 if bench.better == "lower" else 1.0
    middle = 0.5 if bench.pairs else 0.0
    slopes = judge_excess(
        sign * (bench.judge_answers - middle),
        sign * (bench.answers - middle),
        doublings,
        topics=None if bench.pairs else bench.topics,
        clusters=bench.clusters,
        standardise=not bench.pairs,
    )
    yield JudgeLength(judge=bench.judge, aspect=bench.aspect, pairs=bench.pairs, slopes=slopes)


def _favours(bench: AspectBench, named: str, unknown: list[Note]) -> Iterator[JudgeFavour]:
    cells = bench.cells()
    if cells is None:
        return
    text = named or (bench.card.family if bench.card is not None else "")
    family = tuple(part.strip().casefold() for part in text.split(",") if part.strip())
    kinds = dict(zip(cells.systems, cells.kinds, strict=True))
    machines = [name for name in cells.systems if kinds[name] == "machine"] or list(cells.systems)
    relatives = [name for name in cells.systems if any(part in name.casefold() for part in family)]
    compared: list[tuple[str, list[str], list[str]]] = []
    others = [name for name in machines if name not in relatives]
    if family and relatives and others:
        compared.append(("own family", relatives, others))
    elif family:
        note = Note.of("family-unseen", judge=bench.judge, family=family, only=bool(relatives))
        unknown.append(note.on("judge-favours"))
    elif bench.card is None or bench.card.kind != "learned":
        unknown.append(Note.of("family-unknown", judge=bench.judge).on("judge-favours"))
    for kind in ("human", "baseline"):
        of_kind = [name for name in cells.systems if kinds[name] == kind]
        if of_kind and "machine" in cells.kinds:
            compared.append((kind, of_kind, [name for name in machines if name not in of_kind]))
    for group, some, rest in compared:
        yield JudgeFavour(
            judge=bench.judge,
            aspect=bench.aspect,
            group=group,
            systems=tuple(sorted(some, key=natural)),
            others=tuple(sorted(rest, key=natural)),
            contrasts=_contrast(cells, some, rest),
        )


def _contrast(cells: JudgeCells, some: Sequence[str], rest: Sequence[str]) -> JudgeExcess:
    """How much more some systems get than the rest: the mean over topics that have both."""
    kept: BoolArray = np.array([name in some or name in rest for name in cells.systems])
    column = np.array([float(name in some) for name in cells.systems])[kept]
    size, topics = int(kept.sum()), len(cells.judge)
    return judge_excess(
        cells.judge[:, kept].ravel(),
        cells.people[:, :, kept].reshape(len(cells.people), -1).T,
        np.tile(column, topics),
        topics=np.repeat(np.arange(topics), size).tolist(),
        clusters=[name for name in cells.clusters for _ in range(size)],
        standardise=False,
        even=True,
    )
