"""Strengths of items from preferences: systems over topics (arena style), or sentences or summaries of a topic.

The fit is Bradley and Terry's; ties may have a parameter of their own, and so may the side that is shown first. Pairs
of items are tested over topics (a jackknife with Student's t), or over answers where there is one topic, with Holm's
correction, which pairs that no answers could have told apart do not burden. Where several assessors are named they are
a sample too, and the same pairs are tested once more with what their tastes add to the variance; ranks and candidates
for the best follow from that. A test of fit says whether items beat each other in a circle, which no strengths can
express. On request there is how reliable every assessor is, and signs that somebody did not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import expit, log_expit
from scipy.stats import rankdata

from adjudge.analyses.conclusions import ALIKE, CONCLUSIONS, DIFFERENT, OUT_OF_REACH, Conclusion, candidates
from adjudge.analyses.fewest import INFLUENCE, OF_STRENGTHS, fewest_facts
from adjudge.analyses.phrasebook import low_to_high, rank_range
from adjudge.analyses.preferences import By, Of, Prefer
from adjudge.analyses.preferences.source import PairSource
from adjudge.analyses.preferences.words import NOT_JOINED, THESE_ONLY, chances_title, percent, power
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, Call
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.core.words import counted
from adjudge.data.scores import UNSET
from adjudge.formats.preferences import NO_SIDES, read_preferences
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.answers import (
    Preferences,
    batches_with_judgments,
    kinds,
    preference_notes,
    sentence_preferences,
    summary_rows,
    system_preferences,
)
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats.checks import BoolArray
from adjudge.stats.fewest import Fewest
from adjudge.stats.multiple import reached
from adjudge.stats.order import rank_intervals
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.bradley_terry import REGULARISER, Strengths, fit
from adjudge.stats.preference.careless import find_careless
from adjudge.stats.preference.contrasts import (
    ModelParameter,
    OpenPosition,
    PairContrasts,
    affordable,
    pair_contrasts,
)
from adjudge.stats.preference.crowd import fit_crowd
from adjudge.stats.preference.fewest import SAME, fewest_answers
from adjudge.stats.preference.goodness import GoodnessOfFit, goodness_of_fit
from adjudge.stats.preference.models import climb_model, regularised
from adjudge.stats.preference.wider import WiderContrasts, wider_contrasts
from adjudge.text.similarity import sentence_similarity

if TYPE_CHECKING:
    import pandas as pd

NOBODY = "nobody was asked about it"
OF_TEXTS = ("failed-checks", "inconsistent")
"""Warnings that come of answers to the very same texts."""

DRAWN_BY = 0
"""The seed of the tables that a test of fit is compared with."""
MOST_IN_JSON = 100
"""Items up to which JSON has every pair."""
MOST_SHOWN, WIDEST = 30, 70
"""Rows that a terminal shows, and characters of an item there."""

OPEN_WHY = {
    "above": "no finite maximum: not every item of its part has a chain of wins over it",
    "below": "no finite maximum: it does not have a chain of wins over every item of its part",
    "both": "no finite maximum: chains of wins lead neither to it from all of its part nor back",
}
BY_POSITION = "the effect of position has no finite maximum, so that no difference has a bound of its size"
NOT_WITHOUT = "no interval: leaving out one topic, nothing joins all items of its part"
ON_ONE_TOPIC = "no interval: it rests on one topic"
TOO_MANY = "no finite maximum, and too many items to look for a bound"
PAIR_OPEN_WHY = {
    "above": "no finite maximum: no chain of wins leads from the second to the first",
    "below": "no finite maximum: no chain of wins leads from the first to the second",
    "both": "no chain of wins leads from either to the other",
}


# Results


@dataclass(frozen=True)
class ItemStrength:
    """One item's place in its part. Strengths have geometric mean 1 there; nothing is known across parts.

    `best` and `worst` are the ranks that the differences found leave it. An open end of the interval is NaN.
    """

    item: str
    part: int | None = None
    rank: int | None = None
    best: int | None = None
    worst: int | None = None
    strength: float = math.nan
    low: float = math.nan
    high: float = math.nan
    log: float = math.nan
    se: float = math.nan
    """Of the log strength: by the jackknife over topics, or from the likelihood's curvature."""
    wins: float = 0.0
    losses: float = 0.0
    ties: float = 0.0
    regularised: bool = False
    """Whether the strength is pulled towards the others', for want of a finite maximum or on request."""
    open: str | None = None
    """Where the interval has no end: above, below, both."""
    why: str | None = None
    """Why it has no strength, or an open interval."""

    @property
    def interval(self) -> str | None:
        if self.open == "above":
            return f"at least {self.low:.3g}"
        if self.open == "below":
            return f"at most {self.high:.3g}"
        if self.open == "both":
            return "any"
        return low_to_high(self.low, self.high, ".3g")

    @property
    def ranks(self) -> str | None:
        """The ranks that are left: 2-4."""
        return None if self.best is None or self.worst is None else rank_range(self.best, self.worst)


@dataclass(frozen=True)
class ItemPair:
    """Two items, the stronger first: the chance that it is preferred, and what was found.

    Where ties have a parameter of their own, the chance is that of the duels that are decided.
    """

    a: str
    b: str
    probability: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """Of the probability, at Bonferroni's level; an open end is NaN."""
    tie: float = math.nan
    """The chance of a tie, where ties have a parameter of their own."""
    log_ratio: float = math.nan
    log_low: float = math.nan
    log_high: float = math.nan
    p: float = math.nan
    adjusted: float = math.nan
    """By Holm, over all pairs that are comparable; those that could not have been found do not count (Tarone)."""
    verdict: Conclusion = "not tested"
    these_p: float = math.nan
    these_adjusted: float = math.nan
    these_verdict: Conclusion = "not tested"
    """For these assessors alone, where the others are for assessors like them."""
    wins: float = 0.0
    losses: float = 0.0
    ties: float = 0.0
    """Of the first, in the answers about the two."""
    why: str | None = None


@dataclass(frozen=True)
class PreferencePart:
    """Items that chains of duels join, with their strengths."""

    name: str
    items: tuple[int, ...]
    """Their numbers among those fitted."""
    strengths: Strengths


@dataclass(frozen=True)
class AssessorReliability:
    """One assessor. A share of nothing is NaN."""

    name: str
    answers: int
    reliability: float
    """The chance that an answer is what the fitted strengths would say, and not its opposite."""
    se: float
    left_share: float
    """How often what was shown first was preferred."""
    agreement: float
    """With what the others' answers say."""
    checks_right: int
    checks: int
    repeats_same: int
    repeats: int
    codes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Findings:
    """The tests of all pairs, corrected."""

    contrasts: PairContrasts
    adjusted: FloatArray
    """p of every pair, by Holm (with Tarone's step) over all that are comparable; NaN for the others."""
    better: BoolArray
    """Whether the row's item is significantly better than the column's."""
    hopeless: BoolArray
    """Pairs that could not have been found to differ, whatever had been answered about the two."""

    def verdict(self, a: int, b: int) -> Conclusion:
        place = DIFFERENT if self.better[a, b] else OUT_OF_REACH if self.hopeless[a, b] else ALIKE
        return CONCLUSIONS[place]

    def counts(self) -> dict[Conclusion, int]:
        """How many pairs of items have which verdict."""
        n = len(self.adjusted)
        compared = int(np.count_nonzero(~np.isnan(self.adjusted))) // 2
        differ, hopeless = int(self.better.sum()), int(self.hopeless.sum()) // 2
        apart = n * (n - 1) // 2 - compared
        numbers = differ, compared - differ - hopeless, hopeless, apart, 0
        return dict(zip(CONCLUSIONS, numbers, strict=True))


@dataclass(frozen=True, repr=False, kw_only=True)
class PreferenceFit(Result):
    """Strengths of items, best first, with everything that is needed to get them again."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "strengths": "adjudge.analyses.preferences.figures:strengths",
        "win-probabilities": "adjudge.analyses.preferences.figures:win_probabilities",
    }

    asked: Prefer
    title: str
    noun: str
    """What one of the items is: sentence, system, item."""
    standings: tuple[ItemStrength, ...]
    parts: tuple[PreferencePart, ...]
    fitted: tuple[int, ...]
    """Which item of `items` each strength belongs to; the others were in no pair."""
    items: tuple[str, ...]
    findings: Findings | None
    """On the items in `fitted`, for assessors like those who answered where they are a sample; None where strengths
    were regularised on request."""
    these: Findings | None = None
    """For these assessors alone, where `findings` are for assessors like them."""
    judged_by: tuple[str, ...] = ()
    """The assessors whose answers were fitted, where they are named."""
    why_fixed: str | None = None
    """Why nothing is said of other assessors, as a code; None where it is, or where no assessor is named."""
    goodness: GoodnessOfFit | None = None
    """Whether one strength for each item fits; None where it could not be tested."""
    answers: int
    topics: int
    by: By
    similarity: str | None = None
    """Of sentences, by which answers were propagated to similar ones."""
    not_propagated: bool = False
    """Whether they would have been, but for a tie model or an effect of position."""
    assessors: tuple[AssessorReliability, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    fewest: Fewest | None = None
    """The fewest answers without which another item comes first, by number; None where parts are not joined."""
    preferences: Preferences | None = None
    """What was fitted."""
    pooled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Several lengths or forms whose pairs are taken together, though that was not asked for."""
    about_answers: tuple[str, ...] = ()
    """What there is to know of the answers themselves."""

    @property
    def contrasts(self) -> PairContrasts | None:
        return None if self.findings is None else self.findings.contrasts

    @property
    def level(self) -> float:
        return self.asked.level

    @property
    def alpha(self) -> float:
        return round(1 - self.level, 12)

    @property
    def apart(self) -> str:
        return self.title

    def how(self) -> str:
        from adjudge import __version__

        units = f"topics:{self.topics}" if self.by == "cluster" else "answers"
        if self.these is not None:
            units += f"+assessors:{len(self.judged_by)}"
        model = "half" if self.contrasts is None else self.contrasts.model
        placed = None if self.contrasts is None else self.contrasts.position
        shown = "no" if placed is None else "open" if isinstance(placed, OpenPosition) else "yes"
        most = max(part.strengths.regularised for part in self.parts)
        return (
            f"bradley-terry|items:{len(self.fitted)}|answers:{self.answers}|smooth:{self.similarity or 'no'}"
            f"|ties:{model}|position:{shown}|regularised:{most:g}|units:{units}"
            f"|correct:holm|level:{self.level:g}|v:{__version__}"
        )

    def standing(self, item: str) -> ItemStrength:
        return next(standing for standing in self.standings if standing.item == item)

    @property
    def ties_apart(self) -> bool:
        """Whether ties have a parameter of their own, so that chances are of the duels that are decided."""
        return self.contrasts is not None and self.contrasts.tie is not None

    @property
    def compared(self) -> int:
        """How many pairs Holm's correction is over."""
        return 0 if self.findings is None else int(np.count_nonzero(~np.isnan(self.findings.adjusted))) // 2

    def counts(self) -> dict[Conclusion, int]:
        """How many pairs of items have which verdict."""
        n = len(self.fitted)
        if self.findings is None:
            return dict.fromkeys(CONCLUSIONS, 0) | {"not tested": n * (n - 1) // 2}
        return self.findings.counts()

    def notes(self) -> Iterator[Note]:
        for line in self.about_answers:
            yield Note.of("about-answers", text=line)
        for name, targets in self.pooled.items():
            yield Note.of("pooled-targets", name=name, targets=targets)
        if self.not_propagated:
            yield Note.of("not-propagated")
        for part in self.parts:
            if part.strengths.regularised or not part.strengths.converged:
                called = part.name if len(self.parts) > 1 else None
                yield Note.of(
                    "regularised",
                    part=called,
                    often=part.strengths.regularised,
                    asked=bool(self.asked.regularise),
                    converged=part.strengths.converged,
                    error=part.strengths.error,
                    per_item=2 * part.strengths.duels / len(part.items),
                )
        if self.contrasts is not None:
            for why in self.contrasts.dropped:
                yield Note.of("parameter-dropped", why=why)
            if self.why_fixed is not None:
                yield Note.of("these-assessors-only", assessors=len(self.judged_by), why=self.why_fixed)
            tested = self.counts()["differ"] + self.counts()["not significantly different"]
            least = 2.0 ** (1 - self.topics)
            if self.by == "answer":
                yield Note.of("answers-independent", topics=self.topics, sampled=self.these is not None)
            elif least >= self.alpha / max(self.compared, 1) and not tested:
                corrected = None if least >= self.alpha else self.compared
                yield Note.of("too-few-topics", topics=self.topics, least=least, pairs=corrected)
        if self.similarity is not None:
            yield Note.of("propagated")
        if missing := sum(standing.rank is None for standing in self.standings):
            yield Note.of("items-without-strength", n=missing)
        for why, n in self.left_out.items():
            yield Note.of("answers-left-out", n=n, why=why)
        for assessor in self.assessors:
            for warning in assessor.warnings:
                yield Note.of("careless", assessor=assessor.name, warning=warning)

    # Rows and facts

    def _listed(self, name: str, rows: Iterable[tuple[Cell, ...]], *columns: Column, **more: Any) -> Table:
        """A table; where several topics may stand below each other, with what its items are of."""
        if self.asked.of is not None:
            columns = (Column("of", show="never"), *columns)
            rows = ((self.title, *row) for row in rows)
        return Table(name=name, columns=columns, rows=tuple(rows), **more)

    def tables(self) -> Iterator[Table]:
        """A row per item, best first, part by part; then one per assessor."""
        pulled = {standing.regularised for standing in self.standings if standing.rank is not None}
        heading = "strength (regularised)" if pulled == {True} else "strength"
        counts = ("wins", "losses", "ties")
        yield self._listed(
            "strengths",
            (
                (
                    *(s.item, _cut(s.item), s.part, s.rank, s.best, s.worst),
                    *(s.strength, s.regularised, s.interval, s.ranks),
                    *(s.low, s.high, s.log, s.se, s.wins, s.losses, s.ties),
                    *(_count(s.wins), _count(s.losses), _count(s.ties), s.open, s.why),
                )
                for s in self.standings
            ),
            *_named("item"),
            Column("part", show="varies", right=True),
            Column("rank", right=True),
            *hidden("best worst"),
            Column("strength", heading, format=".3g", right=True),
            Column("regularised", show="always" if len(pulled) > 1 else "never"),
            Column("interval", f"{percent(self.level)} interval", data=False, right=False),
            Column("ranks", data=False, right=False),
            *hidden("low high log se wins losses ties"),
            *(Column(name, data=False, right=True) for name in counts),
            *hidden("open why"),
            title=f"{self.title} ({counted(len(self.items), 'item')}, {counted(self.answers, 'answer')})",
            first=MOST_SHOWN,
        )
        if not self.assessors:
            return
        yield self._listed(
            "assessors",
            (
                (
                    *(a.name, a.answers, a.reliability, a.se, a.left_share, a.agreement),
                    *(a.checks_right, a.checks, a.repeats_same, a.repeats),
                    f"{a.checks_right}/{a.checks}" if a.checks else None,
                    f"{a.repeats_same}/{a.repeats}" if a.repeats else None,
                    *(", ".join(a.codes), "; ".join(a.warnings)),
                )
                for a in self.assessors
            ),
            Column("name", "assessor", right=False),
            Column("answers"),
            Column("reliability", format=".2f", right=True),
            Column("se", format=".2f", right=True),
            Column("left_share", "left", format=".0%", right=True),
            Column("agreement", "agrees", format=".0%", right=True),
            *hidden("checks_right checks repeats_same repeats"),
            Column("checks", data=False, right=True),
            Column("repeats", data=False, right=True),
            Column("codes", "", right=False),
            Column("warnings", show="never"),
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {
            "pairs": self._pairs_table,
            "win-probabilities": self._matrix,
            "fewest": self._fewest_table,
        }

    def in_json(self) -> tuple[str, ...]:
        return ("pairs",) if len(self.fitted) <= MOST_IN_JSON else ()

    def _pairs_table(self) -> Table:
        """A row per pair of items, the stronger first."""
        level = percent(1 - self.alpha / max(self.compared, 1))
        return self._listed(
            "pairs",
            (
                (
                    *(pair.a, pair.b, _cut(pair.a, 30), _cut(pair.b, 30)),
                    *(pair.probability, pair.low, pair.high, _chance_interval(pair)),
                    *(pair.tie, pair.log_ratio, pair.log_low, pair.log_high),
                    *(_duels(pair), pair.p, pair.adjusted, pair.verdict, pair.why),
                    *(pair.wins, pair.losses, pair.ties),
                    *(pair.these_p, pair.these_adjusted, pair.these_verdict)[: 3 * bool(self.these)],
                )
                for pair in self.pairs
            ),
            *_named("a", "b"),
            Column("probability", "chance", format=".2f", right=True),
            *hidden("low high"),
            Column("interval", f"{level} interval", data=False, right=False),
            Column("tie", format=".2f", right=True, show="always" if self.ties_apart else "never"),
            *hidden("log_ratio log_low log_high"),
            Column("duels", "won-lost-tied", data=False, right=True),
            Column("p", format=".3g", right=True),
            Column(
                "adjusted",
                "Holm p",
                format=".3g",
                right=True,
                show="always" if self.compared > 1 else "never",
            ),
            Column("verdict", right=False),
            Column("why", show="never"),
            *hidden("wins losses ties"),
            *(hidden("these_p these_adjusted these_verdict") if self.these else ()),
            title=chances_title(self, "the first is preferred to the second"),
            first=MOST_SHOWN,
        )

    def _matrix(self) -> Table:
        """How likely the row's item is preferred to that in a column, which is called by its place."""
        frame = self.win_probabilities()
        places = [str(place) for place in range(1, len(frame) + 1)]
        rows = zip(frame.index, places, frame.to_numpy().tolist(), strict=True)
        return self._listed(
            "win-probabilities",
            ((item, _cut(item, 30), place, *row) for item, place, row in rows),
            *_named("item"),
            Column("place", "", right=True),
            *(Column(place, format=".2f", right=True) for place in places),
            title=chances_title(self, "the row's is preferred to the column's"),
        )

    def _fewest_table(self) -> Table:
        """The answers to leave out, the most telling one first."""
        rows: list[tuple[Cell, ...]] = []
        if self.fewest is not None and self.preferences is not None:
            some = map(self.preferences.row, self.fewest.left_out)
            winner = {"left": "first", "right": "second"}
            rows = [
                (
                    *(row.topic or None, row.left, row.right, _cut(row.left, 30), _cut(row.right, 30)),
                    *(winner.get(row.winner, row.winner), row.assessor or None),
                )
                for row in some
            ]
        return self._listed(
            "fewest",
            rows,
            Column("topic", right=False, show="varies"),
            *_named("first", "second"),
            Column("winner", right=False),
            Column("assessor", right=False, show="varies"),
            title=f"{self.title}: answers to leave out for another {self.noun} to come first",
            first=MOST_SHOWN,
        )

    def win_probabilities(self) -> pd.DataFrame:
        """How likely the row's item is preferred to the column's (Zopf 2018, equation 2), best first.

        NaN across parts. Where ties have a parameter it is of the duels decided.
        """
        import pandas as pd

        order = [k for part_order in self.orders() for k in part_order]
        names = [self.items[self.fitted[k]] for k in order]
        logs, part = _placed(self.parts, len(self.fitted))
        logs, part = logs[order], part[order]
        square = np.where(part[:, None] == part, self.chances(logs[:, None] - logs)[0], np.nan)
        np.fill_diagonal(square, np.nan)
        return pd.DataFrame(square, index=names, columns=names)

    @cached_property
    def pairs(self) -> tuple[ItemPair, ...]:
        """All pairs, the stronger first, in the order of the table; those of different parts last."""
        order = np.array([k for part_order in self.orders() for k in part_order])
        first, second = (order[side] for side in np.triu_indices(len(order), 1))
        logs, part = _placed(self.parts, len(self.fitted))
        sorting = np.argsort(part[first] != part[second], kind="stable")
        first, second = first[sorting], second[sorting]
        gap = logs[first] - logs[second]
        low, high = np.full((2, len(gap)), np.nan)
        if self.findings is not None and self.contrasts is not None and self.compared:
            lows, highs = self.contrasts.all_bounds(1 - self.alpha / self.compared)
            # What is shown may be regularised; a bound never lies beyond it.
            low, high = np.minimum(lows[first, second], gap), np.maximum(highs[first, second], gap)
            better = self.findings.better[first, second]
            # A bound is 0 where only the step-down finds the pair; no interval without 0 stands beside one not found.
            low = np.where(better, np.maximum(low, 0.0), np.minimum(low, 0.0))
            high = np.where(better, high, np.maximum(high, 0.0))
            low, high = (np.where(np.isfinite(bound), bound, np.nan) for bound in (low, high))
        chance, tie = self.chances(gap)
        columns = chance, self.chances(low)[0], self.chances(high)[0], tie, gap, low, high
        names = ("probability", "low", "high", "tie", "log_ratio", "log_low", "log_high")
        rows = zip(first.tolist(), second.tolist(), np.column_stack(columns).tolist(), strict=True)
        wins, ties = self._duels
        pairs = []
        for a, b, row in rows:
            facts: dict[str, Any] = {"verdict": "not comparable", "why": NOT_JOINED}
            if part[a] == part[b]:
                facts = {**dict(zip(names, row, strict=True)), **self._tested(a, b)}
                facts |= {"wins": wins[a, b], "losses": wins[b, a], "ties": ties[a, b]}
            pairs.append(ItemPair(a=self.items[self.fitted[a]], b=self.items[self.fitted[b]], **facts))
        return tuple(pairs)

    @cached_property
    def _duels(self) -> tuple[FloatArray, FloatArray]:
        """How often the row's item was preferred to the column's, and how often the two tied, as people answered."""
        if self.preferences is None:
            return (np.zeros((len(self.fitted),) * 2),) * 2
        answers = self.preferences.answers.among(np.array(self.fitted))
        tied = np.abs(answers.won - 0.5) < 0.5  # what is worth a share of a win is no win
        decided, drawn = answers.take(~tied), answers.take(tied)
        return decided.wins(), drawn.wins() + drawn.wins().T

    def _tested(self, a: int, b: int) -> dict[str, Any]:
        """What was found of a pair that is comparable, and why its interval is open where it is."""
        findings, contrasts = self.findings, self.contrasts
        if findings is None or contrasts is None:
            return {"why": "regularised on request"}
        these: dict[str, Any] = {}
        if self.these is not None:
            these = {
                "these_p": float(self.these.contrasts.p[a, b]),
                "these_adjusted": float(self.these.adjusted[a, b]),
                "these_verdict": self.these.verdict(a, b),
            }
        side = contrasts.opening(a, b)
        rests = side is None and (math.isinf(contrasts.se[a, b]) or not contrasts.freedom[a, b])
        why = PAIR_OPEN_WHY[side] if side else "it rests on one topic" if rests else None
        return {
            "p": float(contrasts.p[a, b]),
            "adjusted": float(findings.adjusted[a, b]),
            "verdict": findings.verdict(a, b),
            "why": BY_POSITION if contrasts.confounded else why,
            **these,
        }

    def chances(self, gaps: FloatArray) -> tuple[FloatArray, FloatArray]:
        """At differences of log strengths: that the first is preferred, of the duels that are decided; and of a tie.

        The former is .5 for equal items, whatever the model of ties; the latter 0 where ties have no parameter.
        """
        gaps = np.clip(gaps, -700, 700)  # NaN stays
        preferred = np.asarray(expit(gaps))
        if self.contrasts is None or (tie := self.contrasts.tie) is None:
            return preferred, np.zeros_like(gaps)
        if self.contrasts.model == "davidson":
            # A tie takes from both what is theirs in proportion.
            drawn = expit(tie.value - np.abs(gaps) / 2 - np.log1p(np.exp(-np.abs(gaps))))
            return preferred, np.asarray(drawn)
        first, second = log_expit(gaps - tie.value), log_expit(-gaps - tie.value)
        drawn = np.maximum(1 - np.exp(first) - np.exp(second), 0.0)
        return np.asarray(expit(first - second)), np.asarray(drawn)

    def orders(self) -> list[list[int]]:
        """Of every part, the numbers of its items among those fitted, best first."""
        place = {self.items[item]: k for k, item in enumerate(self.fitted)}
        ranked = [standing for standing in self.standings if standing.rank is not None]
        return [
            [place[standing.item] for standing in ranked if standing.part == number]
            for number in range(1, len(self.parts) + 1)
        ]

    def facts(self) -> dict[str, Any]:
        contrasts = self.contrasts
        parts = []
        for part, order in zip(self.parts, self.orders(), strict=True):
            names = [self.items[self.fitted[k]] for k in order]
            best = None
            if self.findings is not None:
                best = [names[k] for k in candidates(self.findings.better[np.ix_(order, order)])]
            parts.append(
                {
                    "name": part.name,
                    "items": names,
                    "candidates": best,
                    "regularised": part.strengths.regularised,
                    "fit": part.strengths.words(),
                    "converged": bool(part.strengths.converged),
                    "error": float(part.strengths.error),
                }
            )
        return {
            "title": self.title,
            "answers": self.answers,
            "topics": self.topics,
            "units": "topics" if self.by == "cluster" else "answers",
            "level": self.level,
            "smooth": self.similarity,
            "ties": "half" if contrasts is None else contrasts.model,
            "tie_parameter": self._parameter(None if contrasts is None else contrasts.tie),
            "position": self._parameter(None if contrasts is None else contrasts.position),
            "parts": parts,
            "counts": self.counts(),
            "compared": self.compared,
            "for_assessors": self._population(),
            "goodness_of_fit": self._goodness(),
            "fewest": fewest_facts(self.fewest, self.items, "answer", cites=(INFLUENCE, OF_STRENGTHS)),
            "left_out": dict(self.left_out),
        }

    def _population(self) -> dict[str, Any] | None:
        """For whom the conclusions hold; None where no assessor is named."""
        if not self.judged_by:
            return None
        facts: dict[str, Any] = {
            "assessors": list(self.judged_by),
            "effects": "fixed" if self.these is None else "random",
            "why_fixed": None if self.why_fixed is None else THESE_ONLY[self.why_fixed],
        }
        if self.these is not None and isinstance(self.contrasts, WiderContrasts):
            tastes = self.contrasts.tastes
            facts |= {
                "sd": math.sqrt(tastes.variance) if tastes.beyond else math.nan,  # not known within topics
                "assessor_df": tastes.freedom,
                "counts_for_these_alone": self.these.counts(),
            }
        return facts

    def _goodness(self) -> dict[str, Any] | None:
        """How far the answers are from any strengths, with the triples that go round."""
        goodness = self.goodness
        if goodness is None:
            return None
        return {
            "deviance": goodness.deviance,
            "df": goodness.freedom,
            "p": goodness.p,
            "by": goodness.method,
            "dispersion": goodness.dispersion,
            "off": goodness.off,
            "misfit": None if goodness.smallest >= self.alpha else bool(goodness.p < self.alpha),
            "triples": self.round_triples(),
        }

    def round_triples(self) -> list[tuple[str, str, str]]:
        """Items that beat each other in a circle, by name, where strengths do not fit; the clearest first."""
        if self.goodness is None or max(self.goodness.p, self.goodness.smallest) >= self.alpha:
            return []
        names = [self.items[item] for item in self.fitted]
        return [(names[a], names[b], names[c]) for a, b, c in self.goodness.triples]

    def _parameter(self, parameter: ModelParameter | OpenPosition | None) -> dict[str, Any] | None:
        """On the scale of odds, and of nu or theta; what has no end is NaN."""
        if parameter is None:
            return None
        low, high = map(power, parameter.bounds(self.level))
        facts = {"value": power(parameter.value), "low": low, "high": high}
        if isinstance(parameter, OpenPosition):
            rest = {"log": math.nan, "se": math.nan, "p": parameter.p, "open": parameter.side}
            return {**facts, **rest, "why": "no finite maximum"}
        return {
            **facts,
            "log": parameter.value,
            "se": parameter.se,
            "p": parameter.p,
            "open": None,
            "why": None,
        }


def _placed(parts: Sequence[PreferencePart], n: int) -> tuple[FloatArray, IntArray]:
    """Of all that were fitted, the log strengths and the numbers of their parts."""
    logs, numbers = np.empty(n), np.empty(n, np.int64)
    for number, part in enumerate(parts):
        logs[list(part.items)], numbers[list(part.items)] = part.strengths.log, number
    return logs, numbers


def _named(*names: str) -> list[Column]:
    """Columns of texts: whole, then as a terminal takes them."""
    return [
        *(Column(name, show="print", right=False) for name in names),
        *(Column(name, data=False, show="terminal", right=False) for name in names),
    ]


def _chance_interval(pair: ItemPair) -> str | None:
    if math.isnan(pair.p):
        return None
    if math.isnan(pair.low) and math.isnan(pair.high):
        return "any"
    if math.isnan(pair.high):
        return f"at least {pair.low:.2f}"
    return f"at most {pair.high:.2f}" if math.isnan(pair.low) else f"{pair.low:.2f} to {pair.high:.2f}"


def _duels(pair: ItemPair) -> str:
    """`12-3-0`: won, lost and tied by the first."""
    return "-".join(map(_count, (pair.wins, pair.losses, pair.ties)))


def _count(value: float) -> str:
    """A count, which weights may make a decimal."""
    return f"{value:z,.0f}" if value == round(value) else f"{value:z,.2f}"


def _cut(text: str, most: int = WIDEST) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


# The fit


def fit_preferences(
    preferences: Preferences,
    asked: Prefer | None = None,
    *,
    title: str = "systems",
    noun: str = "item",
    similarity: FloatArray | None = None,
    checks: Preferences | None = None,
    **fields: Any,
) -> PreferenceFit:
    """Bradley-Terry strengths with intervals, tests of all pairs, ranks and candidates for the best.

    What is independent is answers, or whole topics; answers on one topic are not: whoever wins there wins often. Where
    there is one topic, or none is known, it is answers, and a note says so. With a `similarity` (items x items) answers
    are propagated to similar items first. `checks` are pairs with known answers that assessors are compared with.
    `fields` are further facts for the result.
    """
    asked = asked or Prefer()
    if not len(preferences) or not preferences.answers.weight.sum():
        left = sum(preferences.left_out.values())
        rows = counted(left, "row was", "rows were")
        why = f": {rows} left out ({', '.join(preferences.left_out)})" if left else ""
        raise DataError(f"no answer to a pair to fit{why}")
    if asked.position and not preferences.sided:
        raise UsageError(f"{Argument('position')}: {NO_SIDES}")
    by, ties, regularise = asked.independent, asked.ties, asked.regularise
    sampled = by is None
    by = by or ("cluster" if len(preferences.topics) > 1 else "answer")
    if by == "cluster" and len(preferences.topics) < 2:
        raise UsageError(
            f"topics can be the units only where there are two; there are {len(preferences.topics)}"
        )
    wins = preferences.answers.wins(similarity)
    duels = wins + wins.T  # the diagonal means nothing
    kept = np.flatnonzero(duels.sum(axis=1) - np.diag(duels) > 0)
    near = None if similarity is None else similarity[np.ix_(kept, kept)]
    matrix, answers = wins[np.ix_(kept, kept)], preferences.answers.among(kept)
    answers = answers.take(answers.weight > 0)
    contrasts = pair_contrasts(answers, by=by, similarity=near, ties=ties, position=asked.position)
    parts = _parts(contrasts, matrix, regularise)
    fewest = _fewest(preferences, kept, near, contrasts, asked) if len(parts) == 1 else None
    findings: Findings | None = None
    these: Findings | None = None
    why_fixed: str | None = None
    goodness: GoodnessOfFit | None = None
    people = _people(preferences, answers)
    if not regularise:
        findings = _tested(contrasts, parts, 1 - asked.level)
        if people and sampled:
            wider = _wider(preferences, answers, contrasts, near)
            if isinstance(wider, WiderContrasts):
                findings, these = _tested(wider, parts, 1 - asked.level), findings
            else:
                why_fixed = wider
        elif people:
            why_fixed = "as-asked"
        goodness = goodness_of_fit(answers, contrasts, np.random.default_rng(DRAWN_BY))
    return PreferenceFit(
        asked=asked,
        title=title,
        noun=noun,
        standings=tuple(_standings(preferences, kept, parts, findings, asked.level)),
        parts=parts,
        fitted=tuple(kept.tolist()),
        items=preferences.items,
        findings=findings,
        these=these,
        judged_by=people,
        why_fixed=why_fixed,
        goodness=goodness,
        answers=len(preferences),
        topics=len(preferences.topics),
        by=by,
        similarity=asked.similarity if similarity is not None else None,
        assessors=reliabilities(preferences, checks) if asked.reliability else (),
        left_out=dict(preferences.left_out),
        fewest=fewest,
        preferences=preferences,
        **{"about_answers": preferences.notes, **fields},
    )


def _people(preferences: Preferences, answers: PairAnswers) -> tuple[str, ...]:
    """Who gave the answers, by name; names such as crowd-anonymous are nobody."""
    names = (preferences.assessors[who] for who in np.unique(answers.who[answers.who >= 0]).tolist())
    return tuple(name for name in names if not is_anonymous(name))


def _wider(
    preferences: Preferences, answers: PairAnswers, contrasts: PairContrasts, near: FloatArray | None
) -> WiderContrasts | str:
    """The same contrasts for assessors like those who answered, or why there are none, as a code."""
    nobody = {-1, *(who for who, name in enumerate(preferences.assessors) if is_anonymous(name))}
    if np.isin(answers.who, list(nobody)).any():
        return "unnamed"
    return wider_contrasts(answers, contrasts, near)


def _fewest(
    preferences: Preferences,
    kept: IntArray,
    similarity: FloatArray | None,
    contrasts: PairContrasts,
    asked: Prefer,
) -> Fewest:
    """By the numbers that items and answers have in `preferences`."""
    answers = preferences.answers
    rows = np.flatnonzero(np.isin(answers.first, kept) & np.isin(answers.second, kept) & (answers.weight > 0))
    like = contrasts.one_way.like
    done = 0

    def progress() -> None:
        nonlocal done
        done += 1
        asked.progress(done, 0)

    fewest = fewest_answers(
        answers.take(rows).among(kept),
        similarity=similarity,
        ties=like.model,
        position=like.position,
        regularise=asked.regularise,
        progress=progress,
    )

    def numbers(some: Sequence[int], all_of: IntArray) -> tuple[int, ...]:
        return tuple(all_of[list(some)].tolist())

    return replace(
        fewest,
        first=numbers(fewest.first, kept),
        then=numbers(fewest.then, kept),
        left_out=numbers(fewest.left_out, rows),
    )


def _parts(
    contrasts: PairContrasts, wins: FloatArray, regularise: float | None
) -> tuple[PreferencePart, ...]:
    """The parts, the largest first, each with its own strengths."""
    members = [np.flatnonzero(contrasts.part == part) for part in range(int(contrasts.part.max()) + 1)]
    members.sort(key=lambda items: (-len(items), int(items[0])))
    like = contrasts.one_way.whole
    parts = []
    for number, items in enumerate(members, 1):
        if like.model == "half" and not like.position:
            strengths = fit(wins[np.ix_(items, items)], regularise=regularise)
        else:
            strengths = _modelled(contrasts, items, regularise)
        parts.append(PreferencePart(name=f"part {number}", items=tuple(items.tolist()), strengths=strengths))
    return tuple(parts)


def _modelled(contrasts: PairContrasts, items: IntArray, regularise: float | None) -> Strengths:
    """Strengths by a tie model or with an effect of position: as fitted, or regularised as plain ones are."""
    one_way = contrasts.one_way
    like, level = one_way.whole, one_way.level[items]
    connected = len(np.unique(level)) == 1
    scale = (0.0 if connected else REGULARISER) if regularise is None else regularise
    if not connected and not scale:
        raise DataError("the strengths have no finite maximum: regularise")
    log = one_way.top.point[items]
    if scale:
        more = regularised(like, scale)
        log = climb_model(more, np.zeros(more.n, np.int64)).point[items]
    mine = np.isin(like.first, items)
    return Strengths(
        values=np.exp(log - log.mean()),
        regularised=scale,
        components=np.unique(level, return_inverse=True)[1].astype(np.int64),
        iterations=0,
        converged=True,
        error=math.nan,
        method="accelerated",
        duels=float(like.weight[mine].sum()),
    )


def _tested(contrasts: PairContrasts, parts: Sequence[PreferencePart], alpha: float) -> Findings:
    """Corrected p, which item is better than which, and which pairs could not have been found."""
    n = len(contrasts.part)
    adjusted, hopeless = np.full((n, n), np.nan), np.zeros((n, n), bool)
    pairs = np.triu_indices(n, 1)
    # As in `compare`: pairs with too few topics for any finding do not burden the others.
    corrected = reached(contrasts.p[pairs], contrasts.least[pairs], alpha=alpha)
    adjusted[pairs] = corrected.adjusted
    adjusted = np.where(np.isnan(adjusted), adjusted.T, adjusted)
    logs, _ = _placed(parts, n)
    # Regularised strengths could stand the other way round; then nothing is said.
    better = (adjusted < alpha) & (contrasts.difference > 0) & (logs[:, None] > logs)
    last = alpha / corrected.divisor
    open_ = ~np.isnan(adjusted) & ~better & ~better.T
    hopeless = open_ & (contrasts.least >= last)
    left = np.argwhere(np.triu(open_ & ~hopeless, 1))
    if affordable(2 * len(left), n):
        for i, j in left.tolist():
            hopeless[i, j] = hopeless[j, i] = contrasts.least_p(i, j) >= last
    return Findings(contrasts=contrasts, adjusted=adjusted, better=better, hopeless=hopeless)


def kind_of(source: PairSource, asked: Prefer) -> Of | None:
    """What the items are: as asked for, or what people were asked about; None in a table, which names them."""
    if source.folder is None or source.gathered is None:
        return None
    judgments = source.gathered.judgments
    there = kinds(judgments)
    if asked.of is None and len(there) > 1:
        raise UsageError(
            "people were asked about sentences and about summaries: say"
            f" {Argument('of', 'sentences')} or {Argument('of', 'systems')}"
        )
    of: Of = asked.of or ("sentences" if "sentences" in there else "systems")
    what = "sentences" if of == "sentences" else "summaries"
    if what not in there:
        ask = Call(
            command=["prefer", "sample", str(source.folder.path)],
            function="Evaluation.prefer.sample()",
            arguments=[Argument("of", what)],
        )
        raise DataError(f"no preferences between {what} yet; ask for them with: {ask}")
    return of


def topics_of(source: PairSource, asked: Prefer, of: Of) -> list[str]:
    """The topics that have answers about the items that are asked for."""
    assert source.gathered is not None
    collection, judgments = source.gathered.collection, source.gathered.judgments
    batches = batches_with_judgments(collection, judgments)
    topics = [batch.topic.topic for batch in batches if len(_of_topic(batch, of, asked))]
    if not topics:
        raise DataError("no answer to a pair to fit")
    return topics


def fit_source(source: PairSource, asked: Prefer) -> PreferenceFit:
    """What the answers of a table say, or those of a folder: systems over all topics, or a topic's own items."""
    checks = None if asked.checks is None else read_preferences(asked.checks)
    source = source.of_topics(asked.topics)
    of = kind_of(source, asked)
    if of is None:
        table = source.named_items(asked)
        about = (*filter(None, [source.chosen]), *table.notes)
        return fit_preferences(table, asked, title=source.title, checks=checks, about_answers=about)
    assert source.gathered is not None
    collection, judgments = source.gathered.collection, source.gathered.judgments
    topics: Sequence[str] = ()
    if of == "systems":
        preferences = system_preferences(
            collection, judgments, topics=topics, length=asked.length, form=asked.form
        )
        title, batches = "systems", list(batches_with_judgments(collection, judgments, topics))
    else:
        topics = topics_of(source, asked, of)
        if len(topics) > 1:
            raise UsageError(
                f"{of} are compared topic by topic, and {len(topics)} topics have answers: choose one"
                f" with {Argument('topics')}"
            )
        title, batches = f"{of} of {topics[0]}", list(batches_with_judgments(collection, judgments, topics))
        preferences = _of_topic(batches[0], of, asked)
    if asked.form is not None:
        if of == "sentences":
            raise UsageError(
                f"sentences have no form: leave out {Argument('form')}, or say {Argument('of', 'systems')}"
            )
        there = sorted({row.form or UNSET for batch in batches for row in summary_rows(batch)})
        if asked.form not in there:
            raise UsageError(
                f"no preferences between summaries of form {quoted(asked.form)}{nearest(asked.form, there)};"
                f" there are: {', '.join(there)}"
            )
    modelled = asked.ties != "half" or asked.position
    near = None
    if of == "sentences" and asked.smooth and not modelled:
        near = sentence_similarity(asked.similarity, preferences.items).among()
    return fit_preferences(
        preferences,
        asked,
        title=title,
        noun={"sentences": "sentence", "systems": "system"}.get(of, "item"),
        similarity=near,
        checks=checks,
        about_answers=(
            *filter(None, [source.chosen if of == "systems" else ""]),
            *preferences.notes,
            *preference_notes(collection, judgments, of, topics),
        ),
        pooled={} if of == "sentences" else _pooled(batches, asked),
        not_propagated=of == "sentences" and asked.smooth and modelled,
    )


def _pooled(batches: Sequence[TopicBatch], asked: Prefer) -> dict[str, tuple[str, ...]]:
    """The lengths, the forms and the tasks of topics whose pairs are taken together."""
    rows = [row for batch in batches for row in summary_rows(batch, length=asked.length, form=asked.form)]
    lengths = sorted({row.length for row in rows}, key=lambda length: int(length or 0))
    forms = sorted({row.form for row in rows})
    tasks = sorted({batch.topic.task for batch in batches if batch.topic.task is not None})
    return {
        name: tuple(target or UNSET for target in there)
        for name, there in (("length", lengths), ("form", forms), ("task", tasks))
        if len(there) > 1
    }


def _of_topic(batch: TopicBatch, of: Of, asked: Prefer) -> Preferences:
    if of == "sentences":
        return sentence_preferences(batch)
    return Preferences.of(summary_rows(batch, length=asked.length, form=asked.form))


def _standings(
    preferences: Preferences,
    kept: IntArray,
    parts: Sequence[PreferencePart],
    findings: Findings | None,
    level: float,
) -> list[ItemStrength]:
    counts = np.column_stack(counts_of(preferences.answers))
    standings = {item: ItemStrength(item=name, why=NOBODY) for item, name in enumerate(preferences.items)}
    for number, part in enumerate(parts, 1):
        items, log = np.array(part.items), part.strengths.log
        ranks = rankdata(-np.round(log, SAME), method="min")
        better = (
            np.zeros((len(items),) * 2, bool) if findings is None else findings.better[np.ix_(items, items)]
        )
        best, worst = rank_intervals(better)
        for at, k in enumerate(part.items):
            wins, losses, ties = counts[kept[k]].tolist()
            standing = ItemStrength(
                item=preferences.items[kept[k]],
                part=number,
                rank=int(ranks[at]),
                strength=float(np.exp(log[at])),
                log=float(log[at]),
                wins=wins,
                losses=losses,
                ties=ties,
                regularised=part.strengths.regularised > 0,
            )
            if findings is not None:
                standing = replace(
                    _bounded(standing, findings.contrasts, k, level), best=int(best[at]), worst=int(worst[at])
                )
            standings[int(kept[k])] = standing
    return sorted(standings.values(), key=lambda s: (s.part is None, s.part, s.rank, -s.wins, s.item))


def _bounded(standing: ItemStrength, contrasts: PairContrasts, k: int, level: float) -> ItemStrength:
    """With its interval, and why it is open where it is."""
    low, high = contrasts.item_bounds(k, standing.log, level)
    side, why = contrasts.item_opening(k), None
    if side is not None:
        why = BY_POSITION if contrasts.confounded else OPEN_WHY[side]
    if math.isinf(low) and math.isinf(high):
        alone = not contrasts.item_freedom[k]
        why = why or (ON_ONE_TOPIC if alone else NOT_WITHOUT)
        why = TOO_MANY if contrasts.one_way.many and side in ("above", "below") else why
        side = "both"
    # A regularised strength may lie beyond a bound, which then gives way.
    low, high = (
        math.exp(min(max(bound, -700), 700)) if math.isfinite(bound) else math.nan
        for bound in (min(low, standing.log), max(high, standing.log))
    )
    se = float(contrasts.item_se[k])
    se = se if math.isfinite(se) else math.nan
    return replace(standing, low=low, high=high, open=side, why=why, se=se)


def counts_of(answers: PairAnswers) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and ties of every item, each answer as often as it weighs."""

    def summed(items: IntArray, worth: Any) -> FloatArray:
        return np.asarray(np.bincount(items, weights=answers.weight * worth, minlength=answers.n))

    first, second = answers.won == 1, answers.won == 0
    wins = summed(answers.first, first) + summed(answers.second, second)
    losses = summed(answers.first, second) + summed(answers.second, first)
    tied = ~first & ~second
    return wins, losses, summed(answers.first, tied) + summed(answers.second, tied)


# Assessors


def reliabilities(
    preferences: Preferences, checks: Preferences | None = None
) -> tuple[AssessorReliability, ...]:
    """A row per assessor who is somebody: names such as crowd-anonymous stand for nobody in particular.

    `checks` are pairs whose answer is known, by the items' names, on one topic or, where they name none, on all.
    """
    people = [number for number, name in enumerate(preferences.assessors) if not is_anonymous(name)]
    answers = replace(
        preferences.answers,
        who=np.where(np.isin(preferences.answers.who, people), preferences.answers.who, -1),
    )
    if not np.any(answers.who >= 0):
        return ()
    met = answers.among(np.unique(np.concatenate([answers.first, answers.second])))
    fitted = fit_crowd(met)
    seen = find_careless(met, times=preferences.took_ms or None)
    # Repeats and checks are about the same texts: a system on another topic is another item here.
    n = answers.n
    numbers = np.concatenate([answers.cluster * n + answers.first, answers.cluster * n + answers.second])
    texts, at = np.unique(numbers, return_inverse=True)
    apart = replace(answers, n=len(texts), first=at[: len(answers)], second=at[len(answers) :])
    level = replace(fitted.strengths, values=np.ones(len(texts)))  # nobody is compared with the others here
    topics = preferences.topics or ("",)
    names = {
        (topics[text // n] if preferences.topics else "", preferences.items[text % n]): k
        for k, text in enumerate(texts.tolist())
    }
    pairs: list[tuple[int, int]] = []
    for check in checks.rows() if checks is not None else ():
        sides = (check.left, check.right) if check.winner == "left" else (check.right, check.left)
        for topic in topics if check.topic not in topics else (check.topic,):
            better, worse = (names.get((topic, side)) for side in sides)
            if check.winner != "tie" and better is not None and worse is not None:
                pairs.append((better, worse))
    planted_rows = find_careless(apart, level, checks=pairs).rows
    unknown = OF_TEXTS if preferences.sided else (*OF_TEXTS, "one-sided")
    rows = []
    for row, planted in zip(seen.rows, planted_rows, strict=True):
        warnings = [warning for warning in row.warnings if warning.code not in unknown]
        warnings += [warning for warning in planted.warnings if warning.code in OF_TEXTS]
        rows.append(
            AssessorReliability(
                name=preferences.assessors[row.who],
                answers=row.answers,
                reliability=float(fitted.reliability[row.who]),
                se=float(fitted.errors[row.who]),
                left_share=row.left_share if preferences.sided else math.nan,
                agreement=row.agreement,
                checks_right=planted.checks_right,
                checks=planted.checks_asked,
                repeats_same=planted.repeats_same,
                repeats=planted.repeats_asked,
                codes=tuple(warning.code for warning in warnings),
                warnings=tuple(warning.sentence for warning in warnings),
            )
        )
    return tuple(rows)
