"""What else moves a judge, and what it costs and saves: itself, order, length, its own family, invalid answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from adjudge import __version__
from adjudge.analyses.gathered import Gathered
from adjudge.analyses.judges.bench import POOLED, AspectBench, JudgeBenches
from adjudge.analyses.judges.options import JudgeOptions
from adjudge.analyses.stability.repeats import RepeatedAnswer, repeated_answers
from adjudge.assessors.cards import JudgeCard
from adjudge.core.errors import quoted
from adjudge.core.table import Cell, Column, Table, Tables, Tabular
from adjudge.core.words import counted, listed, natural
from adjudge.judgments.pairs.sides import WON, judged_pairs, sides_of
from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats.checks import BoolArray, FloatArray
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
from adjudge.stats.multiple import holm
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


@dataclass(frozen=True)
class JudgeSaving:
    """How many of people's judgments a judge's answers to one question are worth."""

    judge: str
    aspect: str
    saved: JudgmentsSaved


@dataclass(frozen=True)
class _Tested:
    """An effect on a judge: which, what it favours if it is there, on which question."""

    effect: str
    liked: str
    where: str
    p: float


@dataclass(frozen=True, repr=False)
class JudgeEffects(Tabular):
    """What moves judges beside what people see, how steady they are, what they cost, and what they save."""

    name: str
    judges: tuple[str, ...]
    options: JudgeOptions
    repeats: tuple[JudgeRepeats, ...]
    order: tuple[JudgeOrder, ...]
    lengths: tuple[JudgeLength, ...]
    favours: tuple[JudgeFavour, ...]
    work: tuple[JudgeWork, ...]
    savings: tuple[JudgeSaving, ...]
    unknown: tuple[tuple[str, str], ...] = ()
    """What cannot be said, by table, and how it could be."""

    def headline(self) -> str:
        """What moves every judge, in one sentence each."""
        return " ".join(self._found(judge) for judge in self.judges)

    def sentences(self) -> Iterator[str]:
        yield from self.tables().sentences()

    def table(self) -> Table:
        """The effects that can be compared with 0, all in one."""
        columns = (
            Column("judge", show="varies"),
            Column("effect"),
            Column("aspect"),
            Column("unit"),
            *_ends("estimate", self.options),
            Column("p", format=".3g"),
        )
        rows: list[tuple[Cell, ...]] = []
        for order in self.order:
            if order.swapped is not None and order.who == order.judge:
                found = order.swapped
                ends = (found.bias, found.low, found.high, found.p)
                rows.append((order.judge, "left side", order.source, "share of wins", *ends))
        for each in self.lengths:
            chosen = each.slopes.excess
            rows.append((each.judge, "twice as long", each.aspect, each.unit, *self._with_p(chosen)))
        for favour in self.favours:
            chosen = favour.contrasts.excess
            rows.append((favour.judge, favour.group, favour.aspect, "answers", *self._with_p(chosen)))
        return Table(
            name="judge-effects",
            title="What moves a judge beside what people see",
            columns=columns,
            rows=tuple(rows),
            said=(self.headline(),),
            notes=self._notes(),
            signature=self._signature(),
        )

    def tables(self) -> Tables:
        made = (
            self._repeats(),
            self._order(),
            self._lengths(),
            self._favours(),
            self._invalid(),
            self._cost(),
            self._savings(),
        )
        return Tables(tuple(each for each in made if each.rows or each.said), self._notes())

    def to_frame(self) -> pd.DataFrame:
        return self.table().to_frame()

    def as_dict(self) -> dict[str, Any]:
        return {"headline": self.headline(), **self.tables().as_dict()}

    # In words

    def _tested(self, judge: str) -> Iterator[_Tested]:
        """Every effect on a judge that could be compared with 0."""
        for order in self.order:
            if order.judge == order.who == judge and order.swapped is not None:
                found = order.swapped
                side = "left" if found.bias > 0 else "right"
                yield _Tested("order", f"the {side} side of a pair", order.source, found.p)
        for each in self.lengths:
            excess = each.slopes.excess
            if each.judge == judge and excess.why is None:
                yield _Tested("length", _more(excess, "longer texts", "shorter texts"), each.aspect, excess.p)
        for favour in self.favours:
            excess = favour.contrasts.excess
            if favour.judge == judge and excess.why is None:
                own, others = _groups(favour)
                yield _Tested(_group_words(favour.group), _more(excess, own, others), favour.aspect, excess.p)

    def _found(self, judge: str) -> str:
        tested = list(self._tested(judge))
        if not tested:
            return (
                f"Whether order, length or a text's author moves {judge} cannot be said from what there is."
            )
        corrected = holm([each.p for each in tested])
        moved: dict[str, list[str]] = {}
        for each, p in zip(tested, corrected, strict=True):
            if p < self.options.alpha:
                moved.setdefault(each.liked, []).append(each.where)
        holds = f"beside what people see (Holm over {counted(len(tested), 'effect')})"
        if moved:
            words = [f"{liked}: {listed(where)}" for liked, where in moved.items()]
            return f"{judge} favours, {holds}: {'; '.join(words)}."
        what = listed(list(dict.fromkeys(each.effect for each in tested)))
        return f"No effect of {what} on {judge} was shown {holds}."

    def _notes(self) -> tuple[str, ...]:
        if not (self.lengths or self.favours):
            return ()
        return (
            "beside what people see: among things that people find as good, by instrumental variables (one assessor's"
            " answers, with the others' as the instrument)",
            "intervals and p are each of one effect alone; what is said of a judge as a whole is corrected for their"
            " number",
            "effects are looked at one by one, and for these systems: where a family's texts are long, a liking of"
            " length shows as one of the family, and the other way round",
        )

    def _signature(self) -> str:
        options = self.options
        return (
            f"judge-effects|level:{options.level:g}|clusters:sets-or-topics|resamples:{options.resamples}"
            f"|seed:{options.seed}|v:{__version__}"
        )

    def _with_p(self, each: ClusteredEstimate) -> tuple[Cell, ...]:
        return (each.estimate, *each.interval(self.options.level), each.p)

    def _compared_cells(self, difference: ClusteredEstimate, excess: ClusteredEstimate) -> tuple[Cell, ...]:
        """As `_compared_columns` has them."""
        return (*self._with_p(difference), *self._with_p(excess), excess.why)

    def _unknown(self, table: str) -> list[str]:
        return [said for name, said in self.unknown if name == table]

    def _ends_words(self, ends: tuple[float, float], form: str = ".2f") -> str:
        if any(map(math.isnan, ends)):
            return "without an interval: all topics say the same, or there is one alone"
        return f"{100 * self.options.level:.4g}% interval {ends[0]:{form}} to {ends[1]:{form}}"

    def _around(self, each: ClusteredEstimate) -> str:
        """With its sign, so that it can be found between the ends."""
        return f"{each.estimate:.3f}, {self._ends_words(each.interval(self.options.level), '.3f')}"

    # Tables

    def _repeats(self) -> Table:
        said = []
        for each in self.repeats:
            if each.who != each.judge:
                continue
            words = (
                f"{each.aspect}: {each.judge} gave the same answer again {_percent(each.same.share)} of the time"
                f" ({_times(each.same)}; {self._ends_words((each.same.low, each.same.high))})"
            )
            beside = [e for e in self.repeats if _same_question(e, each) and e.who != e.judge]
            if beside:
                other = beside[0].same
                words += f"; people did so {_percent(other.share)} of the time ({_times(other)})"
            said.append(words + ".")
        return Table(
            name="judge-repeats",
            title="Agreement with itself",
            columns=(
                Column("judge", show="varies"),
                Column("protocol", show="varies"),
                Column("aspect"),
                Column("who"),
                Column("answers"),
                Column("topics"),
                *_ends("same", self.options),
                Column("distance", "mean distance"),
                Column("distance_low", show="never"),
                Column("distance_high", show="never"),
            ),
            rows=tuple(
                (
                    each.judge,
                    each.source,
                    each.aspect,
                    each.who,
                    each.same.n,
                    each.same.clusters,
                    each.same.share,
                    each.same.low,
                    each.same.high,
                    *(
                        (None, None, None)
                        if each.distance is None
                        else (each.distance.estimate, *each.distance.interval(self.options.level))
                    ),
                )
                for each in self.repeats
            ),
            said=(*said, *self._unknown("judge-repeats")),
        )

    def _order(self) -> Table:
        columns = (
            Column("judge", show="varies"),
            Column("protocol", show="varies"),
            Column("who"),
            Column("pairs", "pairs in both orders"),
            *_ends("kept", self.options),
            Column("always_left", "always left"),
            Column("always_right", "always right"),
            *_ends("bias", self.options),
            Column("once", "pairs in one order", show="varies"),
            Column("over_people", "left, less people", show="varies"),
            Column("over_people_low", show="never"),
            Column("over_people_high", show="never"),
        )
        rows = []
        for each in self.order:
            s, left = each.swapped, each.left
            both: tuple[Cell, ...] = (
                (0, *([None] * 8))
                if s is None
                else (
                    s.pairs, s.kept.share, s.kept.low, s.kept.high, s.left.share, s.right.share,
                    s.bias, s.low, s.high,
                )
            )  # fmt: skip
            once: tuple[Cell, ...] = (
                (None, None, None) if left is None else (left.estimate, *left.interval(self.options.level))
            )
            rows.append((each.judge, each.source, each.who, *both, each.once, *once))
        said = [words for each in self.order if each.who == each.judge for words in self._order_words(each)]
        return Table(
            name="judge-order",
            title="Order of a pair",
            columns=columns,
            rows=tuple(rows),
            said=(*said, *self._unknown("judge-order")),
        )

    def _order_words(self, each: JudgeOrder) -> Iterator[str]:
        s = each.swapped
        if s is not None:
            beside = [
                e.swapped for e in self.order if _same_order(e, each) and e.who != e.judge and e.swapped
            ]
            people = (
                f"; people did so in {_percent(beside[0].kept.share)} of {beside[0].pairs:,}"
                if beside
                else ""
            )
            yield (
                f"{each.judge} kept its choice in {_percent(s.kept.share)} of {counted(s.pairs, 'pair')} when the two"
                f" texts were swapped ({self._ends_words((s.kept.low, s.kept.high))}){people}. It took the left text"
                f" both times in {_percent(s.left.share)} and the right one in {_percent(s.right.share)}."
            )
            ends = self._ends_words((s.low, s.high))
            if s.low <= 0 <= s.high:
                wins = _percent(0.5 + s.bias)
                yield f"No preference for a side was shown: the left text wins {wins} ({ends} around 50 %)."
            else:
                side = "left" if s.bias > 0 else "right"
                yield (
                    f"It prefers the {side} side: the {side} text wins {_percent(0.5 + abs(s.bias))} of the time, where"
                    f" order did not matter it would be 50 % (bias of the left side {s.bias:.2f}, {ends})."
                )
        if each.left is not None and s is None:
            yield (
                f"{each.judge} was asked {counted(each.once, 'pair')} in one order alone: there the left text wins"
                f" {_percent(abs(each.left.estimate))} {_more(each.left, 'more', 'less')} often than people let the"
                f" same text win ({self._around(each.left)}). That is an association: it"
                " is the order's effect only if texts stood left at random, and people's own preference for a side is"
                " in it. Pairs asked in both orders would tell."
            )

    def _lengths(self) -> Table:
        rows = []
        for each in self.lengths:
            found = each.slopes
            rows.append(
                (
                    each.judge,
                    each.aspect,
                    each.unit,
                    found.difference.n,
                    found.difference.clusters,
                    found.judge.estimate,
                    found.people.estimate,
                    *self._compared_cells(found.difference, found.excess),
                )
            )
        return Table(
            name="judge-length",
            title="Length: what a text twice as long gets more",
            columns=(
                Column("judge", show="varies"),
                Column("aspect"),
                Column("unit"),
                Column("things", show="varies"),
                Column("topics", show="varies"),
                Column("slope_judge", "from the judge"),
                Column("slope_people", "from people"),
                *_compared_columns(self.options),
            ),
            rows=tuple(rows),
            said=(
                *(words for each in self.lengths for words in self._length_words(each)),
                *self._unknown("judge-length"),
            ),
        )

    def _length_words(self, each: JudgeLength) -> Iterator[str]:
        found = each.slopes
        size = "points of its share of wins" if each.pairs else "standard deviations"

        def amount(value: float) -> str:
            return f"{abs(value) * (100 if each.pairs else 1):.{1 if each.pairs else 2}f} {size}"

        if found.difference.why is not None:
            yield f"{each.aspect}: no effect of length can be estimated: {found.difference.why}."
            return
        ends = self._around(found.difference)
        plain = (
            f"{each.aspect}: a text twice as long gets {amount(found.difference.estimate)}"
            f" {_more(found.difference, 'more', 'less')} from {each.judge} than from people ({ends})."
        )
        if found.excess.why is not None:
            yield plain
            yield (
                f"{each.aspect}: whether that is a liking of its own or another reliability than people's cannot be"
                f" said: {found.excess.why}."
            )
            return
        ends = self._around(found.excess)
        moved = found.excess.p < self.options.alpha
        yield (
            f"{each.aspect}: of two texts of a topic that people find equally good, the one twice as long gets"
            f" {amount(found.excess.estimate)} {_more(found.excess, 'more', 'less')} from {each.judge} ({ends})"
            + ("." if moved else ": no effect of length beside what people see was shown.")
        )
        if found.difference.p < self.options.alpha and not moved:
            yield (
                plain
                + " Another reliability, or another use of the scale, is enough for that, as people themselves give"
                f" {amount(found.people.estimate)} {_more(found.people, 'more', 'less')} to a text twice as long."
            )

    def _favours(self) -> Table:
        rows = []
        for each in self.favours:
            found = each.contrasts
            rows.append(
                (
                    each.judge,
                    each.aspect,
                    each.group,
                    ", ".join(each.systems),
                    ", ".join(each.others),
                    found.difference.clusters,
                    found.judge.estimate,
                    found.people.estimate,
                    *self._compared_cells(found.difference, found.excess),
                )
            )
        return Table(
            name="judge-favours",
            title="Whose texts a judge favours, in units of the answers",
            columns=(
                Column("judge", show="varies"),
                Column("aspect"),
                Column("group"),
                Column("systems"),
                Column("others", "compared with", show="never"),
                Column("topics", show="varies"),
                Column("judge_contrast", "judge"),
                Column("people_contrast", "people"),
                *_compared_columns(self.options),
            ),
            rows=tuple(rows),
            said=(*map(self._favour_words, self.favours), *self._unknown("judge-favours")),
        )

    def _favour_words(self, each: JudgeFavour) -> str:
        found = each.contrasts
        own, others = _groups(each)
        if found.difference.why is not None:
            return f"{each.aspect}: {own} and {others} cannot be compared: {found.difference.why}."
        plain = (
            f"{each.aspect}: {own} get {abs(found.difference.estimate):.2f}"
            f" {_more(found.difference, 'more', 'less')} from {each.judge} than from people, compared with"
            f" {others} ({self._around(found.difference)})"
        )
        if found.excess.why is not None:
            return (
                f"{plain}; whether it favours them or only follows people less closely cannot be said:"
                f" {found.excess.why}."
            )
        ends = self._around(found.excess)
        words = (
            f"{each.aspect}: {own} get {abs(found.excess.estimate):.2f} {_more(found.excess, 'more', 'less')} from"
            f" {each.judge} than {others} that people find as good ({ends})"
        )
        return words + ("." if found.excess.p < self.options.alpha else ": no preference was shown.")

    def _invalid(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        said = []
        for each in self.work:
            card, share = each.card, each.invalid
            head = (each.judge, card.protocol)
            rows.append((*head, "all", share.n, share.hits, share.share, share.low, share.high))
            for reason, hits in sorted(card.invalid.items(), key=lambda one: (-one[1], one[0])):
                own = clustered_share([hits], [share.n], level=self.options.level)
                rows.append((*head, reason, own.n, own.hits, own.share, own.low, own.high))
            said.append(
                f"{card.protocol}: {share.hits:,} of {counted(share.n, 'answer')} by {each.judge} were invalid"
                f" ({_percent(share.share, 1)}; {self._ends_words((share.low, share.high), '.3f')})."
            )
        return Table(
            name="judge-invalid",
            title="Invalid answers",
            columns=(
                Column("judge", show="varies"),
                Column("protocol", show="varies"),
                Column("reason"),
                Column("answers"),
                Column("invalid"),
                *_ends("share", self.options),
            ),
            rows=tuple(rows),
            said=(*said, *self._unknown("judge-invalid")),
            notes=("Wilson's interval, as if answers were independent",) if rows else (),
        )

    def _cost(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        said = []
        for each in self.work:
            card = each.card
            if card.kind == "learned":  # which is asked nothing that costs
                continue
            tokens = card.prompt_tokens + card.answer_tokens
            costs = tuple(map(each.per, (tokens, card.cost, card.seconds)))
            rows.append(
                (
                    each.judge,
                    card.protocol,
                    card.answered,
                    card.requests,
                    tokens,
                    card.cost,
                    card.seconds,
                    *costs,
                )
            )
            if card.answered:
                money = "no prices were given" if card.cost is None else f"{costs[1]:,.2f} in money"
                said.append(
                    f"{card.protocol}: {PER:,} answers of {each.judge} take {costs[0]:,.0f} tokens,"
                    f" {costs[2]:,.1f} seconds; {money}."
                )
        return Table(
            name="judge-cost",
            title="Cost",
            columns=(
                Column("judge", show="varies"),
                Column("protocol", show="varies"),
                Column("answers"),
                Column("requests"),
                Column("tokens"),
                Column("cost", format=".4f"),
                Column("seconds", format=".1f"),
                Column("tokens_per_1000", "tokens per 1,000 answers", format=",.0f"),
                Column("cost_per_1000", "cost per 1,000", format=".2f"),
                Column("seconds_per_1000", "seconds per 1,000", format=".1f"),
            ),
            rows=tuple(rows),
            said=tuple(said),
        )

    def _savings(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for each in self.savings:
            s = each.saved
            counts = [s.counts_as(rho2) for rho2 in (s.squared, s.low, s.high)]
            rows.append(
                (
                    each.judge,
                    each.aspect,
                    s.pairs,
                    s.topics,
                    s.further,
                    s.squared,
                    s.low,
                    s.high,
                    s.least,
                    s.most,
                    s.counts_as(s.squared, s.further) if s.why is None else None,
                    *(value if math.isfinite(value) else None for value in counts),
                    s.why,
                )
            )
        return Table(
            name="judge-saves",
            title="How many topics judged by people the judge's answers are worth",
            columns=(
                Column("judge", show="varies"),
                Column("aspect"),
                Column("pairs", "pairs of systems"),
                Column("topics", "topics by both"),
                Column("further", "by the judge alone"),
                *_ends("rho2", self.options, "rho^2"),
                Column("rho2_least", "least"),
                Column("rho2_most", "most"),
                Column("counts_as", "count as", format=".1f"),
                Column("at_most", "at most", format=".1f"),
                Column("at_most_low", show="never"),
                Column("at_most_high", show="never"),
                Column("why", show="never"),
            ),
            rows=tuple(rows),
            said=(
                *(w for each in self.savings for w in self._saving_words(each)),
                *self._unknown("judge-saves"),
            ),
        )

    def _saving_words(self, each: JudgeSaving) -> Iterator[str]:
        s = each.saved
        if s.why is not None:
            yield f"{each.aspect}: what {each.judge} saves is not known: {s.why}."
            return
        most, low, high = (s.counts_as(rho2) for rho2 in (s.squared, s.low, s.high))
        level = f"{100 * self.options.level:.4g}%"
        known = "" if math.isnan(low) else f"; {level} interval {_whole(low)} to {_whole(high)}"
        count, saving = f"{_whole(most)} at the most", f"a saving of {_whole(round(most) - s.topics)}"
        if s.squared == 0:
            count, saving = f"{s.topics:,}", "it saves nothing"
        elif most - s.topics < 0.5:
            count, saving = f"{s.topics:,}", "a saving of less than one topic"
        elif math.isinf(most):
            count, saving = "as many as it answers for", "all of them are saved"
        elif low - s.topics < 0.5:
            saving += ", and that it saves a topic is not shown"
        yield (
            f"{each.aspect}: {counted(s.topics, 'topic')} judged by people and {each.judge}'s answers on any number of"
            f" others count as {count} (median over {counted(s.pairs, 'pair')} of systems{known}): {saving}."
        )
        if s.further:
            yield (
                f"{each.aspect}: with its answers on the {counted(s.further, 'topic')} that people did not judge, they"
                f" count as {_whole(s.counts_as(s.squared, s.further))}."
            )


def _whole(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "any number"


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


def _times(share: ClusteredShare) -> str:
    return f"{share.hits:,} of {counted(share.n, 'repeat')}, {counted(share.clusters, 'topic')}"


def _ends(name: str, options: JudgeOptions, heading: str | None = None) -> tuple[Column, Column, Column]:
    return (
        Column(name, heading),
        Column(f"{name}_low" if name != "estimate" else "low", f"{100 * options.level:.4g}% from"),
        Column(f"{name}_high" if name != "estimate" else "high", "to"),
    )


def _compared_columns(options: JudgeOptions) -> tuple[Column, ...]:
    """The judge less people, and among texts that people find equally good."""
    return (
        *_ends("difference", options),
        Column("difference_p", "p", format=".3g"),
        *_ends("excess", options, "among equally good"),
        Column("excess_p", "p", format=".3g"),
        Column("why", show="never"),
    )


def _more(each: ClusteredEstimate, more: str, less: str) -> str:
    return more if each.estimate >= 0 else less


def _same_question(one: JudgeRepeats, other: JudgeRepeats) -> bool:
    return (one.judge, one.source, one.aspect) == (other.judge, other.source, other.aspect)


def _same_order(one: JudgeOrder, other: JudgeOrder) -> bool:
    return (one.judge, one.source) == (other.judge, other.source)


def _group_words(group: str) -> str:
    return "own family" if group == FAMILY else f"{group} texts"


def _groups(each: JudgeFavour) -> tuple[str, str]:
    if each.group == FAMILY:
        return f"systems of its own family ({listed(each.systems)})", "other systems"
    return f"{each.group} summaries", "machines' summaries"


# How it is found

FAMILY = "own family"


def judge_effects(
    benches: JudgeBenches,
    options: JudgeOptions | None = None,
    *,
    family: str | Mapping[str, str] = "",
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> JudgeEffects:
    """What moves judges beside what people see, their agreement with themselves, what they cost and save.

    `family` is the part of a system's name by which a judge's own family is known, several with commas between; for
    every judge, or by judge. Otherwise that of a judge's card counts.
    """
    chosen = options or JudgeOptions()
    unknown: list[tuple[str, str]] = []
    parts = 2 + len(benches.benches)
    repeats = tuple(_repeats(benches, chosen, unknown))
    progress(1, parts)
    order = tuple(_order(benches, chosen, unknown))
    progress(2, parts)
    lengths: list[JudgeLength] = []
    favours: list[JudgeFavour] = []
    savings: list[JudgeSaving] = []
    for done, bench in enumerate(benches.benches, start=3):
        lengths += _length(bench)
        favours += _favours(bench, _family(bench, family), unknown)
        savings += _saving(bench, chosen)
        progress(done, parts)
    for judge in benches.judges:
        if not any(each.judge == judge for each in lengths):
            unknown.append(
                ("judge-length", f"The effect of length on {judge} is not known: no texts with it.")
            )
    return JudgeEffects(
        name=benches.name,
        judges=benches.judges,
        options=chosen,
        repeats=repeats,
        order=order,
        lengths=tuple(lengths),
        favours=tuple(favours),
        work=tuple(_work(benches, chosen, unknown)),
        savings=tuple(savings),
        unknown=tuple(dict.fromkeys(unknown)),
    )


def _question(bench: AspectBench) -> str:
    """Without its protocol, and without the length or form that a bench may be of."""
    return bench.aspect.removeprefix(f"{bench.source}/").partition(", ")[0]


def _set_of(gathered: Gathered, topic: str) -> str:
    found = gathered.collection.topics.get(topic)
    return topic if found is None or found.set is None else found.set


def _repeats(
    benches: JudgeBenches, options: JudgeOptions, unknown: list[tuple[str, str]]
) -> Iterator[JudgeRepeats]:
    gathered = benches.gathered
    found: dict[tuple[str, str], list[RepeatedAnswer]] = {}
    for each in repeated_answers(gathered) if gathered is not None else ():
        if not each.swapped:
            found.setdefault((each.protocol, _asked(each)), []).append(each)
    for judge in benches.judges:
        asked = {(each.source, _question(each)) for each in benches.of(judge) if each.source is not None}
        own = [key for key in found if key in asked and any(e.assessor == judge for e in found[key])]
        if not own:
            unknown.append(("judge-repeats", _no_repeats(judge, benches.of(judge))))
        for source, question in own:
            for who in (judge, POOLED):
                some = [
                    each
                    for each in found[source, question]
                    if (each.assessor == judge if who == judge else each.assessor not in benches.judges)
                ]
                if some and gathered is not None:
                    yield _repeated(judge, source, question, who, some, gathered, options)


def _asked(each: RepeatedAnswer) -> str:
    """The question as benches name it."""
    if each.question in ("completeness", "marks"):
        return each.question
    return each.id.removeprefix(RATING)


def _repeated(
    judge: str,
    source: str,
    question: str,
    who: str,
    some: Sequence[RepeatedAnswer],
    gathered: Gathered,
    options: JudgeOptions,
) -> JudgeRepeats:
    clusters = [_set_of(gathered, each.topic) for each in some]
    apart = [math.nan if each.change is None else abs(each.change) for each in some]
    distance = clustered_mean(apart, clusters)
    return JudgeRepeats(
        judge=judge,
        source=source,
        aspect=question,
        who=who,
        same=share_by_cluster([each.same for each in some], clusters, level=options.level),
        distance=None if math.isnan(distance.estimate) else distance,
    )


def _no_repeats(judge: str, own: Sequence[AspectBench]) -> str:
    kinds = {each.card.kind for each in own if each.card is not None}
    if kinds == {"learned"}:
        return f"{judge} is learned, and answers the same question about the same texts alike."
    how = "judge llm --repeats 0.1" if kinds else "assign --repeats 0.1"
    return (
        f"{judge} was asked nothing twice in the same way, so that its agreement with itself is not known:"
        f" adjudge {how} has a tenth of the questions asked again."
    )


# Order


Order = dict[tuple[object, ...], float]
"""By the text on the left: how much it won the first time that it stood there."""


def _order(
    benches: JudgeBenches, options: JudgeOptions, unknown: list[tuple[str, str]]
) -> Iterator[JudgeOrder]:
    gathered = benches.gathered
    sources = {
        judge: list(dict.fromkeys(b.source for b in benches.of(judge) if b.pairs and b.source is not None))
        for judge in benches.judges
    }
    if gathered is None or not any(sources.values()):
        return
    asked = _pairs(gathered)
    for judge, protocols in sources.items():
        for source in protocols:
            own = {key: orders for key, orders in asked.items() if key[:2] == (judge, source)}
            people = {
                key: orders
                for key, orders in asked.items()
                if key[1] == source and key[0] not in benches.judges
            }
            mine = _order_of(judge, source, judge, own, people, gathered, options)
            yield mine
            theirs = _order_of(judge, source, POOLED, people, {}, gathered, options)
            if theirs.swapped is not None:
                yield theirs
            if mine.swapped is None and mine.left is None:
                unknown.append(
                    (
                        "judge-order",
                        f"{judge} was asked no pair of {source} in both orders, and none that people answered:"
                        " whether order moves it is not known.",
                    )
                )


def _pairs(gathered: Gathered) -> dict[tuple[str, str, str, frozenset[object]], Order]:
    """By assessor, protocol, topic and the two texts; planted repeats last, so that the first answers count."""
    found: dict[tuple[str, str, str, frozenset[object]], Order] = {}
    for topic, batch in gathered.batches.items():
        judged = [*judged_pairs(batch, "sentences"), *judged_pairs(batch, "summaries")]
        for task, event in sorted(judged, key=lambda one: (one[0].repeat_of is not None, one[0].position)):
            left, right = sides_of(task)
            won = WON.get(event.answer.get("winner"))
            if won is not None and left != right and not is_anonymous(task.assessor):
                key = (task.assessor, task.protocol, topic, frozenset((left, right)))
                found.setdefault(key, {}).setdefault(left, won)
    return found


def _order_of(
    judge: str,
    source: str,
    who: str,
    asked: Mapping[tuple[str, str, str, frozenset[object]], Order],
    people: Mapping[tuple[str, str, str, frozenset[object]], Order],
    gathered: Gathered,
    options: JudgeOptions,
) -> JudgeOrder:
    both = [(key[2], tuple(orders.values())) for key, orders in asked.items() if len(orders) == 2]
    yardstick: dict[tuple[str, frozenset[object]], list[tuple[object, float]]] = {}
    for key, orders in people.items():
        for left, won in orders.items():
            yardstick.setdefault(key[2:], []).append((left, won))
    over, topics = [], []
    for key, orders in asked.items():
        if len(orders) == 1 and key[2:] in yardstick:
            [(left, won)] = orders.items()
            shares = [won if text == left else 1 - won for text, won in yardstick[key[2:]]]
            over.append(won - math.fsum(shares) / len(shares))
            topics.append(key[2])
    return JudgeOrder(
        judge=judge,
        source=source,
        who=who,
        swapped=order_effect(
            np.array([one for _, (one, _) in both]),
            np.array([other for _, (_, other) in both]),
            [_set_of(gathered, topic) for topic, _ in both],
            level=options.level,
        ),
        once=len(over),
        left=clustered_mean(over, [_set_of(gathered, topic) for topic in topics]) if over else None,
    )


# Length, families and kinds


def _length(bench: AspectBench) -> Iterator[JudgeLength]:
    with np.errstate(divide="ignore", invalid="ignore"):
        doublings = (
            (np.full(len(bench.given), np.nan) if bench.ratios is None else bench.ratios)
            if bench.pairs
            else np.where(bench.words > 0, np.log2(bench.words), np.nan)
        )
    if np.isnan(doublings[bench.judged]).all():
        return
    sign = -1.0 if bench.better == "lower" else 1.0
    middle = 0.5 if bench.pairs else 0.0
    yield JudgeLength(
        judge=bench.judge,
        aspect=bench.aspect,
        pairs=bench.pairs,
        slopes=judge_excess(
            sign * (bench.given - middle),
            sign * (bench.answers - middle),
            doublings,
            topics=None if bench.pairs else bench.topics,
            clusters=bench.clusters,
            standardise=not bench.pairs,
        ),
    )


def _family(bench: AspectBench, family: str | Mapping[str, str]) -> tuple[str, ...]:
    """The parts of systems' names by which a judge's family is known."""
    named = family if isinstance(family, str) else family.get(bench.judge, "")
    text = named or (bench.card.family if bench.card is not None else "")
    return tuple(part.strip().casefold() for part in text.split(",") if part.strip())


def _favours(
    bench: AspectBench, family: Sequence[str], unknown: list[tuple[str, str]]
) -> Iterator[JudgeFavour]:
    cells = bench.cells()
    if cells is None:
        return
    kinds = dict(zip(cells.systems, cells.kinds, strict=True))
    machines = [name for name in cells.systems if kinds[name] == "machine"] or list(cells.systems)
    own = [name for name in cells.systems if any(part in name.casefold() for part in family)]
    compared: list[tuple[str, list[str], list[str]]] = []
    others = [name for name in machines if name not in own]
    if family and own and others:
        compared.append((FAMILY, own, others))
    elif family:
        what = "no other system there is" if own else "no system has such a name"
        said = f"{bench.judge}: whether it favours {listed([quoted(each) for each in family])} is not known: {what}."
        unknown.append(("judge-favours", said))
    elif bench.card is None or bench.card.kind != "learned":
        unknown.append(
            (
                "judge-favours",
                f"Which systems are of {bench.judge}'s own family is not known: --family takes the part of their"
                " names by which they are, such as gpt.",
            )
        )
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
            contrasts=_contrast(cells.people, cells.judge, cells.clusters, cells.systems, some, rest),
        )


def _contrast(
    people: FloatArray,
    judge: FloatArray,
    clusters: Sequence[str],
    systems: Sequence[str],
    some: Iterable[str],
    rest: Iterable[str],
) -> JudgeExcess:
    """How much more some systems get than the rest: the mean over topics that have both."""
    inside, outside = set(some), set(rest)
    kept: BoolArray = np.array([name in inside or name in outside for name in systems])
    column = np.array([float(name in inside) for name in systems])[kept]
    size, topics = int(kept.sum()), len(judge)
    return judge_excess(
        judge[:, kept].ravel(),
        people[:, :, kept].reshape(len(people), -1).T,
        np.tile(column, topics),
        topics=np.repeat(np.arange(topics), size).tolist(),
        clusters=[name for name in clusters for _ in range(size)],
        standardise=False,
        even=True,
    )


# Work and savings


def _work(
    benches: JudgeBenches, options: JudgeOptions, unknown: list[tuple[str, str]]
) -> Iterator[JudgeWork]:
    for judge in benches.judges:
        cards = {each.card.file: each.card for each in benches.of(judge) if each.card is not None}
        if not cards:
            said = f"{judge} has no card here: how many of its answers were invalid, and what they cost, is not known."
            unknown.append(("judge-invalid", said))
        for card in cards.values():
            bad = sum(card.invalid.values())
            share = clustered_share([bad], [card.answered + bad], level=options.level)
            yield JudgeWork(judge=judge, card=card, invalid=share)


def _saving(bench: AspectBench, options: JudgeOptions) -> Iterator[JudgeSaving]:
    cells = bench.cells()
    if cells is None or len(cells.systems) < 2:
        return
    yield JudgeSaving(
        judge=bench.judge,
        aspect=bench.aspect,
        saved=judgments_saved(
            cells.people_mean,
            cells.judge,
            cells.clusters,
            rng=options.rng(f"saved/{bench.judge}/{bench.aspect}"),
            resamples=options.resamples,
            level=options.level,
        ),
    )
