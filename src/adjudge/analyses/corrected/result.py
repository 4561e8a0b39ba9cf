"""Pairs of systems by people's measure, each difference made surer by a judge's scores of more topics.

Every pair's difference is estimated from people's differences on the topics that they judged and the judge's on all;
the judge can only make it surer, not move it on average, however wrong the judge is, if the topics that people judged
were drawn at random. The mathematics are in stats/ppi.py, of shares of yes without labels in stats/screening.py, of
strengths from preferences in stats/preference/influence.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.conclusions import (
    ALIKE,
    CONCLUSIONS,
    DIFFERENT,
    Conclusion,
    PairIntervals,
    Tested,
    Untold,
    candidates,
    conclude,
    pair_intervals,
)
from adjudge.analyses.corrected import CompareCorrected, PreferCorrected
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.phrasebook import ends_of_difference, short_conclusion, these_alone
from adjudge.analyses.scores import HUMANS, Scores
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.errors import among as among_known
from adjudge.core.phrases import Argument
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted, decimal, listed, p_number
from adjudge.data.scores import MeasureInfo, Pool, ScoreTable
from adjudge.measures.registry import parse_measure
from adjudge.measures.spec import judge_of, same_name
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.order import letters, places, rank_intervals
from adjudge.stats.paired import Alternative
from adjudge.stats.pairs import PairResults, columns_of_pairs, pair_counts
from adjudge.stats.ppi import CLIP, FROM_ZERO, Clip, PoweredMean, powered_mean, random_labels_p
from adjudge.stats.screening import CorrectedShare, Screening, corrected_share, screen
from adjudge.stats.tastes import FEW, JudgedPair, Severities, TastePart, Tastes, severities, tastes

if TYPE_CHECKING:
    from adjudge.analyses.preferences.source import PairSource

Method = Literal["ppi++", "rogan-gladen", "none"]
PPI: Method = "ppi++"
LOGS = "Bradley-Terry log strengths"
REFUSED, UNLIKELY = 0.001, 0.05
"""p of a random draw of the topics that people judged: up to the first it is refused, up to the second it is said."""
LARGEST = 1e100
"""Of scores, and one by it the smallest: products of their squares still fit a float."""
MOST_PAIRS = 45
"""Pairs up to which their table is shown unasked: those of ten systems."""


# What is asked for


def corrected_by_people(scores: Scores, judge: str, asked: CompareCorrected) -> CorrectedComparison:
    """A judge's scores of people's measure, corrected by people's."""
    length, form = asked.length, asked.form
    people, judged = _split(scores, asked.measure or None, judge)
    name, program = people.measures[0], judged.measures[0]
    matrices = [
        side.matrix(
            which,
            length=length,
            form=form,
            among=asked.among,
            pool=asked.pool,
            pool_humans=asked.pool_humans,
        ).averaged()
        for side, which in ((people, name), (judged, program))
    ]
    by_people, its = matrices
    topics = tuple(dict.fromkeys([*by_people.topics, *its.topics]))
    yes_no = all(side.frame["value"].dropna().isin([0.0, 1.0]).all() for side in (people, judged))
    systems = [s for s in by_people.systems if s in its.systems]
    systems += [s for s in its.systems if yes_no and s not in systems]
    if not systems:
        raise DataError(f"{judge} and people have no system in common")
    labels, scores_of_judge = (_placed(matrix, topics, systems) for matrix in matrices)
    both = ~np.isnan(labels) & ~np.isnan(scores_of_judge)
    rows = people.table.at(name, length=length, form=form)
    pooled = by_people.together.systems if by_people.together else ()
    rows = rows[rows["value"].notna() & rows["system"].isin([*systems, *pooled])]
    cube, reason = _by_assessor(rows, pooled, topics, systems, asked.pool)
    rows = rows[rows["topic"].isin([topics[k] for k in np.flatnonzero(both.any(axis=1))])]
    behind = _placed(replace(by_people, values=by_people.counts), topics, systems)
    turned = {by_people.info.better, its.info.better} == {"higher", "lower"}
    notes = []
    if alone := [s for s in by_people.systems if s not in its.systems]:
        notes.append(Note.of("not-judged-by-judge", judge=judge, systems=alone))
    if not yes_no and (unseen := [s for s in its.systems if s not in by_people.systems]):
        notes.append(Note.of("not-judged-by-people", systems=unseen))
    about = CorrectedComparison(
        asked=asked,
        about_scores=scores.unsaid_notes(name),
        title=by_people.title,
        heading=by_people.heading,
        info=by_people.info,
        judge=judge,
        assessors=tuple(sorted(rows["assessor"].dropna().unique())),
        kinds=scores.kinds_of(systems),
        target=dict(by_people.target._asdict()),
        design=tuple(notes),
        made=f"{by_people.signature}|judge:{judge}:{its.signature.replace('|', ':')}|pool:{asked.pool}",
    )
    scored = _Scored(
        topics=topics,
        systems=tuple(systems),
        people=labels,
        judged=-scores_of_judge
        if turned
        else scores_of_judge,  # its low scores may go with people's high ones
        judgments=np.where(both, behind, 0).sum(axis=1),
        judge_means=np.array([_mean(column) for column in scores_of_judge.T]),
        cube=cube,
        these_only=reason,
        # A scale that nobody declared may be any: a judge's may be a twentieth of people's.
        same_scale=its.info.range == by_people.info.range
        and None not in by_people.info.range
        and name.split("(")[0] == program.split("(")[0],
        yes_no=yes_no,
    )
    return _corrected(about, scored, lambda names: scores.pairs_among(names, asked.among))


def _by_assessor(
    rows: pd.DataFrame, pooled: Sequence[str], topics: Sequence[str], systems: Sequence[str], pool: Pool
) -> tuple[FloatArray | None, Note | None]:
    """What every assessor gave, topics x systems x assessors; or why assessors cannot be told apart."""
    names = sorted(rows["assessor"].dropna().unique())
    if not names:
        return None, None
    if pool != "mean":
        return None, Note.of("pooled", pool=pool)
    if nobody := int(rows["assessor"].isna().sum()):
        return None, Note.of("unnamed", n=nobody, scores=len(rows))
    called = rows["system"].replace(dict.fromkeys(pooled, HUMANS))
    means = rows.assign(system=called).groupby(["topic", "system", "assessor"], observed=True)["value"].mean()
    index = pd.MultiIndex.from_product([topics, systems, names])
    cube = means.reindex(index).to_numpy(float).reshape(len(topics), len(systems), len(names))
    return cube, Note.of("one-assessor") if len(names) < 2 else None


def _split(scores: Scores, measure: str | Sequence[str] | None, judge: str) -> tuple[Scores, Scores]:
    """People's scores of a measure, and the judge's of the same things, each with one measure."""
    measures = scores.all_measures()
    its_measure = same_name(judge, measures)
    if measure is None:
        others = [m for m in measures if m != its_measure and judge_of(m) is None]
        if len(others) > 1:
            raise UsageError(
                f"{scores.name} has several measures ({listed(others)}): choose the one that people"
                f" gave with {Argument('measure')}"
            )
        measure = others[0] if others else measures[0]
    name = scores.resolve(measure)
    if (other := judge_of(name)) is not None:
        raise UsageError(f"{name} is of the judge {other}: name the measure that people gave")
    if name == its_measure:
        raise UsageError(f"{judge} cannot be corrected by itself: name the measure that people gave")
    rows, info = scores.table.of(name), scores.info[name]
    mine = (rows["assessor"] == judge).fillna(False)  # a score without a name is not the judge's
    if mine.any():
        if mine.all():
            raise DataError(f"{judge} alone gave scores of {name}: there is nobody to correct it by")
        its, about = rows[mine], replace(info, signature=f"{info.signature or name}|by:{judge}")
        return _alone(scores, rows[~mine], info), _alone(scores, its, about)
    if its_measure is None and scores.folder is not None and ":" not in name.partition("(")[0]:
        # the folder's measure with the judge's name in it; what is missing is said with how to get it
        measure_of_people: Any = parse_measure(name)
        if any(option.name == "by" for option in fields(measure_of_people)):
            its_measure = scores.resolve(str(replace(measure_of_people, by=judge)))
    if its_measure is None:
        there = [*scores.assessors(name), *(m for m in scores.measures if m != name)]
        raise UsageError(
            f"{scores.name} has no scores by {quoted(judge)}: no assessor of {name} and no measure is called so"
            f"{among_known(judge, there) if there else ''}"
        )
    return _alone(scores, rows, info), _alone(scores, scores.table.of(its_measure), scores.info[its_measure])


def _alone(scores: Scores, rows: pd.DataFrame, info: MeasureInfo) -> Scores:
    return replace(scores, table=ScoreTable.from_frame(rows, [info]), files=(), folder=None)


def _placed(matrix: Any, topics: Sequence[str], systems: Sequence[str]) -> FloatArray:
    """A matrix's values in the places of these topics and systems; NaN where there is none."""
    values: FloatArray = matrix.to_frame().reindex(index=list(topics), columns=list(systems)).to_numpy(float)
    return values


# Strengths from preferences


def strengths_corrected(source: PairSource, judge: str, asked: PreferCorrected) -> CorrectedComparison:
    """Bradley-Terry log strengths from people's duels, made surer by a judge's duels on more topics."""
    from adjudge.judgments.pairs.answers import Preferences as Answers
    from adjudge.judgments.pairs.answers import preference_notes, system_preferences
    from adjudge.stats.preference.influence import NO_MAXIMUM, has_maximum, log_strengths, topic_strengths

    notes: Sequence[str] = ()
    source = source.of_topics(asked.topics)
    if source.gathered is not None:
        collection = source.gathered.collection
        judgments = source.gathered.judgments.with_judges([judge])
        preferences = system_preferences(collection, judgments, length=asked.length, form=asked.form)
        notes = preference_notes(collection, judgments, "systems", ())
    else:
        preferences = source.named_items(asked)
    if judge not in preferences.assessors:
        raise UsageError(f"no answers by {quoted(judge)}{among_known(judge, preferences.assessors)}")
    if not preferences.topics:
        raise DataError("the answers do not say on which topic they were given: topics are what is sampled")
    everything = list(preferences.rows())
    rows = [[r for r in everything if (r.assessor == judge) == whose] for whose in (False, True)]
    met = [{item for r in some for item in (r.left, r.right)} for some in rows]
    items = [item for item in preferences.items if item in met[0] & met[1]]
    if len(items) < 2:
        raise DataError(f"{judge} and people have fewer than two items in common")
    left = [item for item in preferences.items if item in met[0] ^ met[1]]
    rows = [[r for r in some if {r.left, r.right} <= {*items}] for some in rows]
    order = tuple(dict.fromkeys(r.topic for some in rows for r in some))
    shared = {r.topic for r in rows[0]} & {r.topic for r in rows[1]}
    answers = []
    for some in rows:
        prepared = Answers.of(some, items=items)
        place = np.array([order.index(topic) for topic in prepared.topics])
        answers.append(replace(prepared.answers, cluster=place[prepared.answers.cluster]))
    fitted = topic_strengths(answers[0], answers[1], len(order))
    if fitted is None:
        raise DataError(NO_MAXIMUM)
    about = CorrectedComparison(
        asked=asked,
        about_scores=(*filter(None, [source.chosen]), *preferences.notes, *notes),
        title=LOGS,
        heading=f"{source.title}: {LOGS}",
        info=MeasureInfo("log-strength", better="higher"),
        judge=judge,
        assessors=tuple(sorted({r.assessor for r in rows[0] if r.assessor and r.topic in shared})),
        design=(Note.of("not-judged-by-both", judge=judge, items=left),) if left else (),
        made=f"bradley-terry|items:{len(items)}|answers:{len(rows[0])}|judge:{judge}:{len(rows[1])}"
        f"|ties:half|v:{__version__}",
    )
    scored = _Scored(
        topics=order,
        systems=tuple(items),
        people=fitted.people,
        judged=fitted.judge,
        judgments=np.bincount(answers[0].cluster, minlength=len(order)),
        judge_means=log_strengths(answers[1]) if has_maximum(answers[1]) else np.full(len(items), np.nan),
        these_only=Note.of("strengths"),
    )
    return _corrected(about, scored)


# The comparison


@dataclass(frozen=True)
class CorrectedStanding:
    """One system's place: people's mean, the judge's, and the corrected one with its interval."""

    system: str
    rank: int | None
    labelled: int
    """Topics that people and the judge judged."""
    judged: int
    """Topics that the judge judged."""
    people: float
    """People's mean, over the topics that they judged."""
    judge: float
    """The judge's mean, over the topics that it judged."""
    mean: float
    low: float
    high: float
    weight: float
    """Lambda of the corrected mean."""
    method: Method
    group: str
    best: int | None
    worst: int | None
    few_values: bool = False
    """Most of people's scores are the same, and the interval may be too short."""
    why: str | None = None

    @property
    def excludes_people(self) -> bool:
        """People's own mean of this system lies outside the interval."""
        return self.people < self.low or self.people > self.high

    def record(self, complete: bool) -> dict[str, Any]:
        """A row of the league table; places and letters only where every pair was asked for."""
        row = {**vars(self)}
        row["interval"] = None if self.low != self.low else f"{decimal(self.low)} to {decimal(self.high)}"
        row["ranks"] = str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"
        return row if complete else row | dict.fromkeys(("best", "worst", "ranks", "group"))


@dataclass(frozen=True)
class CorrectedPair:
    """Two systems: people's difference, the corrected one, and what the judge added. The first less the second."""

    a: str
    b: str
    labelled: int
    unlabelled: int
    weight: float
    """Lambda."""
    people: float
    people_low: float
    people_high: float
    difference: float
    low: float
    high: float
    ratio: float
    """The corrected difference's variance, as a share of that of people's alone."""
    effective: float
    """As if people had judged so many topics."""
    statistic: float
    df: float
    p: float
    p_adjusted: float
    conclusion: Conclusion
    """For assessors like these, where they are a sample."""
    these_p: float
    """For these assessors alone; never above `p`."""
    these_p_adjusted: float
    these_conclusion: Conclusion
    assessor_share: float
    """The share of the variance that comes from who judged."""
    skewness: float = math.nan
    """Of people's differences, less what the judge accounts for."""
    skewed: bool = False
    """These, or the judge's differences on all topics, are too skewed for Student's t with so few labels."""
    few_values: bool = False
    """Most of people's differences are the same, and the interval may be too short."""
    all_labelled: int = 0
    """Topics on which people judged both, whether the judge did or not."""
    all_people: float = math.nan
    """People's difference on all these topics, with Student's interval."""
    all_people_low: float = math.nan
    all_people_high: float = math.nan
    why: str | None = None

    @property
    def saved(self) -> float:
        """Topics that people need not judge; 0 where the judge gives nothing beyond all that people judged."""
        return max(0.0, self.effective - self.all_labelled)

    def ends(self) -> str:
        """`0.103 to 0.519`; an end that a step-down test cuts at 0 is `above 0` or `below 0`, which is not in it."""
        differ = self.conclusion == "differ"
        return ends_of_difference(self.low, self.high, differ=differ, form=".3f") or ""

    def record(self) -> dict[str, Any]:
        """A row of the table of pairs."""
        all_people = self.all_people, self.all_people_low, self.all_people_high
        return {
            **vars(self),
            "saved": self.saved,
            "all_alone": _around(*all_people, topics=self.all_labelled),
            "alone": _around(self.people, self.people_low, self.people_high),
            "corrected": _around(self.difference, self.low, self.high, ends=self.ends()),
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class CorrectedComparison(Result):
    """A ranking of systems by people's measure, with a judge's scores corrected by people's."""

    asked: CompareCorrected | PreferCorrected
    title: str
    heading: str
    info: MeasureInfo
    judge: str
    assessors: tuple[str, ...]
    topics: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    """The topics that people judged, and the judge too."""
    standings: tuple[CorrectedStanding, ...] = ()
    pairs: tuple[CorrectedPair, ...] = ()
    better: BoolArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    """Systems x systems, in the order of the standings: whether one is significantly better than the other."""
    complete: bool = False
    """Every pair was asked for, so that letters and rank intervals mean something."""
    interval_level: float = math.nan
    """Of the pairs' intervals, each."""
    judgments: int = 0
    """People's, of summaries that the judge judged too."""
    these_only: Note | None = field(default_factory=lambda: Note.of("no-assessors"))
    """Why nothing can be said of other assessors; None where assessors are a sample."""
    assessor_df: float = math.nan
    """Degrees of freedom for what assessors make of systems."""
    assessor_variance: float = math.nan
    """Of assessor x system, in the difference of two systems; below 0 where assessors agree better than by chance."""
    random_p: float = math.nan
    """How often labels drawn at random would differ as much in the judge's scores."""
    screening: Screening | None = None
    """How the judge's yes and no agree with people's, where some system's share was corrected by that."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, Any] = field(default_factory=dict)
    design: tuple[Note, ...] = ()
    """What is to be known of who judged what."""
    made: str = ""

    @property
    def testing(self) -> Compare:
        """The tests and their correction."""
        return self.asked.how()

    @property
    def unit(self) -> str:
        """What people gave."""
        return self.asked.UNIT

    @property
    def measure(self) -> str:
        return self.info.measure

    def how(self) -> str:
        return self.made

    @property
    def unlabelled(self) -> int:
        return len(self.topics) - len(self.labelled)

    def standing(self, system: str) -> CorrectedStanding:
        return next(standing for standing in self.standings if standing.system == system)

    def pair(self, a: str, b: str) -> CorrectedPair:
        """The pair of two systems, in the order in which it is compared."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})

    def count(self, conclusion: Conclusion) -> int:
        return sum(pair.conclusion == conclusion for pair in self.pairs)

    def candidates(self) -> list[str] | None:
        """The systems that nobody is significantly better than; None where not every pair was asked for."""
        return [self.standings[j].system for j in candidates(self.better)] if self.complete else None

    @property
    def further(self) -> int:
        """The most topics that the judge added to any pair."""
        return max((pair.unlabelled for pair in self.pairs), default=self.unlabelled)

    @property
    def judged_apart(self) -> bool:
        """Whether people judged topics that the judge did not."""
        return any(pair.all_labelled > pair.labelled for pair in self.pairs)

    def saved(self) -> Saved | None:
        """What the judge saves in human judgments; None where no pair could be compared."""
        compared = [pair for pair in self.pairs if not math.isnan(pair.effective)]
        if not compared:
            return None
        effective, labelled = (
            [getattr(pair, name) for pair in compared] for name in ("effective", "all_labelled")
        )
        topics = math.floor(float(np.median(np.subtract(effective, labelled))) + 1e-9)
        per_topic = self.judgments / float(np.median([pair.labelled for pair in compared]))
        return Saved(
            pairs=len(compared),
            least=math.floor(min(effective) + 1e-9),
            median=math.floor(float(np.median(effective)) + 1e-9),
            most=math.floor(max(effective) + 1e-9),
            topics=topics,
            judgments=round(topics * per_topic),
        )

    @property
    def sampled(self) -> bool:
        """Whether the conclusions are for assessors like these, not for these alone."""
        return self.these_only is None

    def differ_for_these(self) -> int:
        """How many pairs differ for these assessors alone."""
        return sum(pair.these_conclusion == "differ" for pair in self.pairs)

    def assessor_share(self) -> float:
        """The median over pairs of the share of a difference's variance that comes from who judged."""
        shares = [pair.assessor_share for pair in self.pairs if not math.isnan(pair.assessor_share)]
        return float(np.median(shares)) if shares else math.nan

    def notes(self) -> Iterator[Note]:
        from adjudge.analyses.corrected.words import THESE_ONLY

        yield from self.design
        of = {"judge": self.judge, "unit": self.unit}
        if self.these_only is not None and self.assessors:
            why = self.these_only.words(THESE_ONLY)
            yield Note.of("these-assessors-only", assessors=len(self.assessors), why=why)
        elif self.assessor_df < FEW:
            yield Note.of("few-assessors", assessors=len(self.assessors))
        if self.random_p <= UNLIKELY:
            yield Note.of("hardly-random", p=self.random_p, **of)
        if skewed := sum(pair.skewed for pair in self.pairs):
            yield Note.of("skewed", judge=self.judge, pairs=skewed)
        if few := [s.system for s in self.standings if s.few_values]:
            yield Note.of("most-scores-the-same", systems=few)
        if same := [[pair.a, pair.b] for pair in self.pairs if pair.few_values]:
            yield Note.of("most-differences-the-same", pairs=same)
        for s in self.standings:
            if s.excludes_people:
                yield Note.of(
                    "people-outside-interval",
                    system=s.system,
                    people=s.people,
                    low=s.low,
                    high=s.high,
                    labelled=s.labelled,
                    method=s.method,
                    **of,
                )
        means = {s.system: s.mean for s in self.standings}
        if turned := sum((means[p.a] - means[p.b]) * p.difference < 0 for p in self.pairs):
            yield Note.of("sign-turned", pairs=turned, unit=self.unit)
        for s in self.standings:
            if s.why:
                yield Note.of("no-mean", system=s.system, why=s.why)
        for why in dict.fromkeys(pair.why for pair in self.pairs if pair.why):
            yield Note.of(
                "not-tested", why=why, pairs=[[pair.a, pair.b] for pair in self.pairs if pair.why == why]
            )
        alone = [s.system for s in self.standings if s.method == "rogan-gladen"]
        if self.screening is not None and alone:
            yield Note.of(
                "screened",
                judge=self.judge,
                systems=alone,
                sensitivity=self.screening.sensitivity,
                specificity=self.screening.specificity,
            )

    def facts(self) -> dict[str, Any]:
        from adjudge.analyses.corrected.words import saving, validity

        return {
            "measure": self.measure,
            "judge": self.judge,
            "better": self.info.better,
            **self.target,
            "topics": len(self.topics),
            "labelled": len(self.labelled),
            "assessors": self.assessors,
            "effects": "random" if self.sampled else "fixed",
            "assessor_df": self.assessor_df,
            "assessor_variance": self.assessor_variance,
            "differ_for_these": self.differ_for_these(),
            "judgments": self.judgments,
            "saving": str(saving(self)),
            "validity": validity(self),
            "random_p": self.random_p,
            "conclusions": {word: self.count(word) for word in CONCLUSIONS},
            "candidates": self.candidates(),
            "screening": None if self.screening is None else self.screening.as_dict(),
        }

    def tables(self) -> Iterator[Table]:
        """The league table; the pairs where they are few."""
        yield self._league()
        if self._shows_pairs:
            yield self._pairs_table()

    @property
    def _shows_pairs(self) -> bool:
        return len(self.pairs) <= MOST_PAIRS or self.asked.pairs

    def on_demand(self) -> Mapping[str, Any]:
        return {} if self._shows_pairs else {"pairs": self._pairs_table}

    @property
    def csv_table(self) -> str:
        return "pairs"

    def _league(self) -> Table:
        of = "mean" if self.unit == "judgment" else "log strength"
        ranked: Literal["always", "never"] = "always" if self.complete else "never"
        table = Table.of(
            "league",
            ({"kind": self.kinds.get(s.system), **s.record(self.complete)} for s in self.standings),
            Column("rank", ""),
            Column("system", right=False),
            Column("kind", show="varies"),
            Column("labelled", "people's topics"),
            Column("judged", f"{self.judge}'s topics"),
            Column("people", f"people's {of}", format=".4f"),
            Column("judge", f"{self.judge}'s {of}", format=".4f"),
            Column("mean", f"corrected {of}", format=".4f"),
            *(Column(name, show="never") for name in ("low", "high")),
            Column("interval", f"{self.testing.level:.0%} interval", data=False, right=False),
            Column("weight", "lambda", format=".2f"),
            Column("method", show="varies"),
            *(Column(name, show="never") for name in ("few_values", "why", "best", "worst")),
            Column("ranks", data=False, right=False, show=ranked),
            Column("group", right=False, show=ranked),
            title=f"{self.heading}, {self.judge} corrected by people ({self.info.direction},"
            f" {counted(len(self.topics), 'topic')}, {len(self.labelled):,} of them judged by people)",
        )
        return replace(table, anchor=f"corrected league {self.heading}")

    def _pairs_table(self) -> Table:
        """What every pair's difference is by people alone and corrected, and what the judge added."""
        # People's topics that the judge did not judge are not in the correction: beside it stands what they say.
        apart: Literal["always", "never"] = "always" if self.judged_apart else "never"
        sampled: Literal["always", "never"] = "always" if self.sampled else "never"
        alone = f"p for {these_alone(len(self.assessors))}"
        hidden = (
            *("people", "people_low", "people_high", "difference", "low", "high"),
            *("all_labelled", "all_people", "all_people_low", "all_people_high"),
        )
        further = ("saved", "statistic", "df", "skewness", "skewed", "few_values", "p", "these_p")
        correction = CORRECTIONS[self.testing.correct].for_all_pairs
        return Table.of(
            "pairs",
            (
                {
                    "measure": self.measure,
                    "judge": self.judge,
                    **pair.record(),
                    "p shown": p_number(pair.p_adjusted) or None,
                    "these p shown": p_number(pair.these_p_adjusted) or None,
                    "short": short_conclusion(CONCLUSIONS.index(pair.conclusion), self.testing.alpha),
                }
                for pair in self.pairs
            ),
            Column("measure", show="never"),
            Column("judge", show="never"),
            Column("a", "system", right=False),
            Column("b", "compared with", right=False),
            Column("labelled", "people's topics"),
            Column("unlabelled", "further topics"),
            Column("weight", "lambda", format=".2f"),
            *(Column(name, show="never") for name in hidden),
            Column("all_alone", "people alone, all their topics", data=False, right=False, show=apart),
            Column("alone", "people alone", data=False, right=False),
            Column("corrected", "corrected difference", data=False, right=False),
            Column("ratio", "variance ratio", format=".2f"),
            Column("assessor_share", "assessors' part", format=".2f", show=sampled),
            Column("effective", "worth topics", format=".1f"),
            *(Column(name, show="never") for name in further),
            Column("p_adjusted", show="never"),
            Column("p shown", "p", data=False, right=True),
            Column("conclusion", show="never"),
            Column("short", "", data=False, right=False),
            Column("these_p_adjusted", show="never"),
            Column("these_conclusion", show="never"),
            Column("these p shown", alone, data=False, right=True, show=sampled),
            Column("why", show="never"),
            title=f"Differences, with intervals at {_level(self.interval_level)} each ({correction})",
        )


@dataclass(frozen=True)
class Saved:
    """As if people had judged so many topics, over pairs; and what that saves, estimated."""

    pairs: int
    least: int
    median: int
    most: int
    topics: int
    judgments: int


def _around(value: float, low: float, high: float, *, ends: str = "", topics: int = 0) -> str | None:
    """`0.311 (0.103 to 0.519)`, perhaps with the number of topics."""
    if value != value:
        return None
    parts = [ends or f"{_end(low)} to {_end(high)}"] if low == low or high == high else []
    parts += [counted(topics, "topic")] if topics else []
    brackets = f" ({'; '.join(parts)})" if parts else ""
    return f"{decimal(value, '.3f')}{brackets}"


def _end(value: float) -> str:
    return decimal(value, ".3f") if value == value else "open"


def _level(level: float) -> str:
    """With four decimals, or more where the rest to 1 is smaller: 0.95, 0.9833, 0.99924."""
    digits = max(4, 1 - math.floor(math.log10(1 - level))) if level < 1 else 4
    return f"{level:.{digits}f}".rstrip("0")


@dataclass(frozen=True, kw_only=True)
class _Scored:
    """People's and the judge's scores, topics x systems, and what is known of them."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    people: FloatArray
    judged: FloatArray
    judgments: npt.NDArray[Any]
    """People's, by topic: those of summaries that the judge judged too."""
    judge_means: FloatArray
    same_scale: bool = False
    """Both on one declared scale, so that lambda is kept up to 1."""
    yes_no: bool = False
    cube: FloatArray | None = None
    """What every assessor gave, topics x systems x assessors; None where they cannot be told apart."""
    these_only: Note | None = None
    """Why assessors are no sample, as far as that is known before they are looked at."""
    severities: Severities | None = None
    """Where assessors judged different systems, and scores were adjusted for that."""
    as_answered: FloatArray | None = None
    """People's scores before that."""

    def on(self, topics: BoolArray) -> _Scored:
        """Some of the topics."""
        return replace(
            self,
            topics=tuple(compress(self.topics, topics)),
            people=self.people[topics],
            judged=self.judged[topics],
            judgments=self.judgments[topics],
            cube=None if self.cube is None else self.cube[topics],
            as_answered=None if self.as_answered is None else self.as_answered[topics],
        )

    def in_order(self, order: list[int]) -> _Scored:
        """The same with the systems in another order."""
        strict = self.severities
        return replace(
            self,
            systems=tuple(self.systems[j] for j in order),
            people=self.people[:, order],
            judged=self.judged[:, order],
            judge_means=self.judge_means[order],
            cube=None if self.cube is None else self.cube[:, order],
            severities=None if strict is None else replace(strict, component=strict.component[order]),
        )

    def shares(self) -> FloatArray:
        """Every assessor's share of each cell, topics x systems x assessors."""
        assert self.cube is not None
        there = ~np.isnan(self.cube)
        return np.asarray(there / np.maximum(1, there.sum(axis=2, keepdims=True)))

    def adjusted(self) -> _Scored:
        """People's scores as if all assessors were equally strict, where some judged other systems than others."""
        if self.cube is None or self.cube.shape[2] < 2:
            return self
        shares = self.shares()
        judged = shares.any(axis=2)
        at = judged.argmax(axis=1)
        usual = shares[np.arange(len(shares)), at][:, None]
        if not ((shares != usual).any(axis=2) & judged).any():
            return self
        strict = severities(self.cube)
        away = shares @ strict.effects
        adjusted = self.people - away + away[judged].mean()
        return replace(self, people=adjusted, as_answered=self.people, severities=strict)

    def of(self, first: int, second: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Labelled y and f and further f, of a system or of the difference of two."""
        y, f = self.people[:, first], self.judged[:, first]
        if second is not None:
            y, f = y - self.people[:, second], f - self.judged[:, second]
        both, more = ~np.isnan(y) & ~np.isnan(f), np.isnan(y) & ~np.isnan(f)
        return y[both], f[both], f[more]

    def difference(self, first: int, second: int, clip: Clip) -> PoweredMean:
        """The corrected difference of two systems, for these assessors."""
        of_pair = powered_mean(*self.of(first, second), clip=clip)
        strict = self.severities
        if strict is None or math.isnan(of_pair.variance):
            return of_pair
        if strict.component[first] != strict.component[second]:
            return PoweredMean(n=of_pair.n, unlabelled=of_pair.unlabelled, why=SEVERITY)
        rows = self._labelled(first, second)
        shares = self.shares()[rows]
        away = (shares[:, first] - shares[:, second]).mean(axis=0)
        unsure = float(away @ strict.covariance @ away)  # of how strict they are
        return replace(
            of_pair,
            variance=of_pair.variance + unsure,
            labelled_variance=of_pair.labelled_variance + unsure,
        )

    def _labelled(self, first: int, second: int) -> BoolArray:
        both = self.people[:, [first, second]] + self.judged[:, [first, second]]
        return np.asarray(~np.isnan(both).any(axis=1))

    def tastes(self, differences: Sequence[PoweredMean]) -> Tastes | Note:
        """What assessors make of systems, by pair; or why these assessors only can be spoken of."""
        if self.these_only is not None:
            return self.these_only
        if self.cube is None:
            return Note.of("no-assessors")
        shares = self.shares()
        pairs = []
        first, second = columns_of_pairs(len(self.systems))
        for i, j, of_pair in zip(first.tolist(), second.tolist(), differences, strict=True):
            rows = self._labelled(i, j) if not math.isnan(of_pair.df) else np.zeros(len(shares), np.bool_)
            weight = of_pair.weight if not math.isnan(of_pair.weight) else 0.0
            pairs.append(
                JudgedPair(
                    differences=self.cube[rows, i] - self.cube[rows, j],
                    offset=weight * (self.judged[rows, i] - self.judged[rows, j]),
                    first=shares[rows, i],
                    second=shares[rows, j],
                    spent=of_pair.n - of_pair.df if rows.any() else 0.0,
                )
            )
        shown = tastes(pairs, len(self.systems))
        return shown if shown.why is None else Note.of(f"assessors-{shown.why}")


SEVERITY = (
    "nobody judged both, not even by way of other systems: how strict assessors are cannot be told from how good the"
    " systems are"
)


def _corrected(about: CorrectedComparison, scored: _Scored, family: Any = None) -> CorrectedComparison:
    """The comparison, with the results; `family` says which pairs of systems are asked for."""

    testing, asked = about.testing, about.asked
    clip = CLIP if scored.same_scale else FROM_ZERO
    for whose, scores in (("people's", scored.people), (f"{about.judge}'s", scored.judged)):
        largest = float(np.nanmax(np.abs(scores), initial=0.0))
        if largest and not 1 / LARGEST < largest < LARGEST:
            size = "large" if largest > 1 else "small"
            raise DataError(
                f"{whose} scores are too {size} to be squared, up to {largest:.1g}: change their unit"
            )
    scored = scored.adjusted()
    people, judged = scored.people, scored.judged
    there: BoolArray = np.asarray(~np.isnan(judged).all(axis=1))
    labelled: BoolArray = there & (~np.isnan(people) & ~np.isnan(judged)).any(axis=1)
    if not labelled.any():
        raise DataError(
            f"{about.judge} judged none of the summaries that people judged: there is nothing to correct it by"
        )
    rng = generator(testing.seed, "compare/labelled")
    random_p = random_labels_p(judged[there], labelled[there], rng=rng)
    if random_p <= REFUSED and not asked.at_random:
        raise DataError(
            f"the topics that people judged were hardly drawn at random: {about.judge}'s scores of"
            f" them differ too much from its scores of the other topics (permutation test, p = {random_p:.2g});"
            f" if they were drawn at random all the same, say {Argument('at_random')}"
        )
    all_topics, scored = scored.topics, scored.on(there)
    means = [powered_mean(*scored.of(j), clip=clip) for j in range(len(scored.systems))]
    shares, screening = _screened(about, scored, means)
    order = _order(
        about,
        scored.systems,
        [shares[j].estimate if j in shares else m.estimate for j, m in enumerate(means)],
    )
    means, shares = [means[j] for j in order], {order.index(j): share for j, share in shares.items()}
    scored = scored.in_order(order)
    names = scored.systems
    first, second = columns_of_pairs(len(names))
    these = [scored.difference(i, j, clip) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    shown = scored.tastes(these)
    differences = these
    if isinstance(shown, Tastes):
        differences = [mean.with_assessors(part) for mean, part in zip(these, shown.parts, strict=True)]
    wanted = np.ones(len(differences), dtype=np.bool_) if family is None else family(names)
    if testing.against is not None:
        wanted &= second == len(names) - 1
    tested = _tested(about, differences, scored, wanted)
    tested_these = _tested(about, these, scored, wanted)
    error = np.array([math.sqrt(m.variance) if m.variance > 0 else math.nan for m in differences])
    df = np.array([m.df for m in differences])
    ends = pair_intervals(tested, error, df, testing, pointwise=asked.intervals == "pointwise")
    by_people = people[:, order]
    pairs = tuple(
        _pair(
            differences[k],
            names[i],
            names[j],
            k,
            tested,
            tested_these,
            ends,
            by_people[:, i] - by_people[:, j],
            shown.parts[k] if isinstance(shown, Tastes) else TastePart(),
        )
        for k, i, j in zip(range(len(first)), first.tolist(), second.tolist(), strict=True)
        if wanted[k]
    )
    counts = tested.results.counts
    higher = tested.results.statistic * (-1 if about.info.better == "lower" else 1) > 0
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    better[counts.first, counts.second] = tested.different & higher
    better[counts.second, counts.first] = tested.different & ~higher
    standings = _standings(about, scored, means, shares, better, complete=bool(wanted.all()))
    place = [names.index(s.system) for s in standings]
    notes = [*about.design, *_design_notes(about.judge, scored, people, there)]
    if scored.severities is not None:
        notes.append(Note.of("severity-adjusted"))
    if scored.same_scale and (many := sum(pair.weight == CLIP[1] for pair in pairs)):
        notes.append(Note.of("lambda-at-limit", judge=about.judge, limit=CLIP[1], pairs=many))
    return replace(
        about,
        topics=scored.topics,
        labelled=tuple(compress(all_topics, labelled)),
        standings=standings,
        pairs=pairs,
        better=better[np.ix_(place, place)],
        complete=bool(wanted.all()) and len(names) > 1,
        interval_level=ends.level,
        judgments=int(scored.judgments[labelled[there]].sum()),
        these_only=None if isinstance(shown, Tastes) else shown,
        assessor_df=shown.df if isinstance(shown, Tastes) else math.nan,
        assessor_variance=shown.variance if isinstance(shown, Tastes) else math.nan,
        random_p=random_p,
        screening=screening if shares else None,
        design=tuple(notes),
        made=f"{about.made}|ppi++:t:n-2|assessors:{'random' if isinstance(shown, Tastes) else 'fixed'}"
        f"|lambda:{'0-1' if scored.same_scale else '0-'}"
        f"|topics:{int(there.sum())}|labelled:{int(labelled.sum())}|interval:{ends.method}:{ends.level:g}"
        f"|correct:{testing.correct}:{testing.alpha:g}|pairs:{int(wanted.sum())}|seed:{testing.seed}",
    )


def _design_notes(judge: str, scored: _Scored, people: FloatArray, there: BoolArray) -> Iterator[Note]:
    judged = ~np.isnan(people).all(axis=1)
    if unjudged := int((judged & ~there).sum()):
        yield Note.of("topics-without-judge", judge=judge, topics=unjudged, all_topics=int(judged.sum()))
    answered = ~np.isnan(scored.people)
    if alone := int((answered & np.isnan(scored.judged)).sum()):
        yield Note.of("summaries-without-judge", judge=judge, summaries=alone)
    some = answered.any(axis=1) & ~answered[:, answered.any(axis=0)].all(axis=1)
    if many := int(some.sum()):
        yield Note.of("some-systems-on-topics", topics=many)


def _screened(
    about: CorrectedComparison, scored: _Scored, means: Sequence[PoweredMean]
) -> tuple[dict[int, CorrectedShare], Screening | None]:
    """Shares of yes of systems with too few labels for PPI++, by the judge's sensitivity and specificity."""

    lacking = [j for j, mean in enumerate(means) if math.isnan(mean.estimate)]
    if not scored.yes_no or not lacking:
        return {}, None
    answers = scored.people if scored.as_answered is None else scored.as_answered
    both = ~np.isnan(answers) & ~np.isnan(scored.judged)
    screening = screen(answers[both], scored.judged[both])
    shares = {}
    for j in lacking:
        of_judge = scored.judged[~np.isnan(scored.judged[:, j]), j]
        level = about.testing.level
        shares[j] = corrected_share(float(of_judge.sum()), of_judge.size, screening, level=level)
    return shares, screening


def _order(about: CorrectedComparison, systems: Sequence[str], means: Sequence[float]) -> list[int]:
    """Best first, those without a mean next, the one that all are compared with last."""
    sign = 1 if about.info.better == "lower" else -1
    order = sorted(
        range(len(systems)),
        key=lambda j: (math.isnan(means[j]), 0 if math.isnan(means[j]) else sign * means[j], systems[j]),
    )
    against = about.testing.against
    if against is not None:
        if against not in systems:
            raise UsageError(
                f"{Argument('against')} {quoted(against)}: no such system{among_known(against, list(systems))}"
            )
        order = [*(j for j in order if systems[j] != against), list(systems).index(against)]
    return order


def _tested(
    about: CorrectedComparison, differences: Sequence[PoweredMean], scored: _Scored, family: BoolArray
) -> Tested:
    """All pairs by Student's t on corrected differences, in the shape that all tests have."""

    side, lower = about.testing.side, about.info.better == "lower"
    alternative: Alternative = "two-sided"
    if side != "both":
        alternative = "greater" if (side == "better") != lower else "less"
    counts = pair_counts(np.where(np.isnan(scored.judged), np.nan, scored.people))
    p = np.array([m.p(alternative) for m in differences])
    results = PairResults(
        test=PPI,
        counts=replace(counts, difference=np.array([m.estimate for m in differences])),
        statistic=np.array([m.statistic for m in differences]),
        p=p,
        method=tuple(None if math.isnan(value) else "t" for value in p),
        signature=PPI,
        alternative=alternative,
        why={k: m.why for k, m in enumerate(differences) if m.why},
    )
    smallest = np.where(np.isnan(p), np.nan, 0.0)
    untold = Untold(results=results, family=family, smallest=smallest, resamples=None)
    return conclude([untold], about.testing)[0]


def _pair(
    difference: PoweredMean,
    a: str,
    b: str,
    k: int,
    tested: Tested,
    tested_these: Tested,
    ends: PairIntervals,
    people: FloatArray,
    part: TastePart,
) -> CorrectedPair:
    """`people` are all differences that people gave, whether the judge judged the topic or not."""

    low, high = difference.labelled_interval(ends.level)
    by_people = people[people == people]
    all_low, all_high = (
        powered_mean(by_people, by_people, []).with_assessors(part).labelled_interval(ends.level)
    )
    return CorrectedPair(
        a=a,
        b=b,
        labelled=difference.n,
        unlabelled=difference.unlabelled,
        weight=difference.weight,
        people=difference.labelled_estimate,
        people_low=low,
        people_high=high,
        difference=difference.estimate,
        low=float(ends.low[k]),
        high=float(ends.high[k]),
        ratio=difference.ratio,
        effective=difference.effective,
        statistic=difference.statistic,
        df=difference.df,
        p=float(tested.results.p[k]),
        p_adjusted=float(tested.adjusted[k]),
        conclusion=_conclusion(tested, k),
        these_p=float(tested_these.results.p[k]),
        these_p_adjusted=float(tested_these.adjusted[k]),
        these_conclusion=_conclusion(tested_these, k),
        assessor_share=difference.of_assessors / difference.variance if difference.variance > 0 else math.nan,
        skewness=difference.skewness,
        skewed=difference.skewed,
        few_values=difference.few_values,
        all_labelled=by_people.size,
        all_people=_mean(by_people),
        all_people_low=all_low,
        all_people_high=all_high,
        why=difference.why,
    )


def _conclusion(tested: Tested, k: int) -> Conclusion:
    """What has no p was not tested, whatever the reason."""
    state = int(tested.conclusion[k])
    return CONCLUSIONS[state] if state in (DIFFERENT, ALIKE) else "not tested"


def _standings(
    about: CorrectedComparison,
    scored: _Scored,
    means: Sequence[PoweredMean],
    shares: Mapping[int, CorrectedShare],
    better: BoolArray,
    *,
    complete: bool,
) -> tuple[CorrectedStanding, ...]:

    names = scored.systems
    least, most = (0.0, 1.0) if scored.yes_no else about.info.range

    def within(value: float) -> float:
        return min(max(value, -math.inf if least is None else least), math.inf if most is None else most)

    estimates = np.array(
        [shares[k].estimate if k in shares else mean.estimate for k, mean in enumerate(means)]
    )
    ranked = np.flatnonzero(~np.isnan(estimates))
    sign = 1 if about.info.better == "lower" else -1
    rank: dict[int, int] = dict(zip(ranked.tolist(), places(sign * estimates[ranked]).tolist(), strict=True))
    line = sorted(range(len(names)), key=lambda k: (rank.get(k, len(names) + 1), names[k]))
    groups = letters(better | better.T, line) if complete else [""] * len(names)
    best, worst = rank_intervals(better)
    standings = []
    for k in line:
        mean = means[k]
        low, high = mean.interval(about.testing.level)
        method: Method = PPI if not math.isnan(mean.estimate) else "none"
        why = mean.why
        if k in shares:
            low, high, why = shares[k].low, shares[k].high, shares[k].why
            method = "rogan-gladen" if why is None else "none"
        standings.append(
            CorrectedStanding(
                system=names[k],
                rank=rank.get(k),
                labelled=mean.n,
                judged=int((~np.isnan(scored.judged[:, k])).sum()),
                people=_mean(scored.people[:, k]),
                judge=float(scored.judge_means[k]),
                mean=within(float(estimates[k])),
                low=within(low),
                high=within(high),
                weight=mean.weight if method == PPI else math.nan,
                method=method,
                group=groups[k],
                best=int(best[k]) if complete else None,
                worst=int(worst[k]) if complete else None,
                few_values=method == PPI and mean.few_values,
                why=why,
            )
        )
    return tuple(standings)


def _mean(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else math.nan
