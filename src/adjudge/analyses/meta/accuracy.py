"""How often measures order pairs as people do: within topics, and of systems' means.

Within topics (the input level): Zopf's agreement (2018, equation 1), which leaves out what people tie, and accuracy
with ties (acc-eq, Deutsch et al. 2023), with a measure's ties calibrated. Of systems (the system level): soft pairwise
accuracy (Thompson et al. 2024), by how sure people and the measure are of each order, and plain pairwise accuracy
(Kocmi et al. 2021), also among the pairs that are close to people. A measure that ties every pair orders nothing: it
has no accuracy of any kind, and a note says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.parts import MeasureRow, MetaRun, RowsResult
from adjudge.analyses.meta.words import over_words
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.data.scores import Among
from adjudge.stats.agreement import LEAST_CLUSTERS, PairAgreement, cluster_draws, pair_agreements
from adjudge.stats.bootstrap import flat, percentile_limits, t_means
from adjudge.stats.correlation import CorrelationLevel
from adjudge.stats.pairwise import (
    MOST_CANDIDATES,
    NO_SPREAD,
    Resample,
    mean_accuracies,
    scaled,
    soft_accuracies,
    tie_accuracy,
)

AGREEMENT, ZERO, CALIBRATED, CROSSED = "agreement", "acc-eq", "acc-eq-calibrated", "acc-eq-cross-validated"
SOFT, PLAIN, CLOSER = "soft-pairwise", "pairwise", "pairwise-closer"
HEADINGS = {
    AGREEMENT: "agreement",
    ZERO: "acc-eq, epsilon 0",
    CALIBRATED: "calibrated on the same topics",
    CROSSED: "cross-validated",
    SOFT: "soft pairwise",
    PLAIN: "pairwise",
}
SYSTEM = (SOFT, PLAIN, CLOSER)
ORDER = (AGREEMENT, ZERO, CALIBRATED, CROSSED, *SYSTEM)


@dataclass(frozen=True, kw_only=True)
class MeasureAccuracy(MeasureRow):
    """How often one measure orders pairs as people do, by one coefficient.

    `n` are topics that count at the input level, pairs of systems at the system level.
    """

    UNSEEN = ("topics", "pairs", "human_ties", "missing", "epsilon", "closer_than", "why", "why_no_interval")

    topics: int
    pairs: int
    """At the input level pairs of summaries of one topic, at the system level pairs of systems."""
    human_ties: int
    """Pairs that people tie; agreement leaves them out, the others count them."""
    missing: int
    """Pairs that lack a score and do not count."""
    epsilon: float = math.nan
    """Differences that are no larger are ties of the measure."""
    closer_than: float = math.nan
    """Only pairs that are less than this apart to people count."""
    sampled: bool = False
    """Whether epsilon was chosen among some thresholds instead of all differences, as there are very many."""

    def shown(self) -> Cell:
        if f"{self.low:.2f}" == f"{self.high:.2f}" != "nan":  # narrow: two decimals would show none
            return f"{self.value:.3f} ({self.low:.4f} to {self.high:.4f})"
        return super().shown()


@dataclass(frozen=True)
class AgreementByTopic:
    """One measure's agreement with people on one topic."""

    measure: str
    human: str
    among: Among
    topic: str
    agreement: PairAgreement


@dataclass(frozen=True, repr=False, kw_only=True)
class AccuracyResult(RowsResult[MeasureAccuracy]):
    """Every measure against every human measure, by every accuracy."""

    WORDS = "adjudge.analyses.meta.words.accuracy"
    FRAME = "accuracy"
    IN_JSON = ("accuracy", "agreement-by-topic")
    TITLE = "Accuracy of measures in ordering pairs as people do"

    by_topic: tuple[AgreementByTopic, ...]
    clustered: bool
    """Whether intervals resample sets of topics."""
    resample: Resample
    """What intervals at the system level draw anew."""
    closer_than: float | None
    all_topics: bool
    """Whether measures keep topics that nobody judged, which do not count here."""

    def how(self) -> str:
        over = "sets" if self.clustered else "topics"
        agreement = f"bootstrap:{over}" if self.clustered else f"t:{over}"
        return (
            f"accuracy|agreement:strict:{agreement}|acc-eq:folds:10:percentile|soft:swaps:{self.resamples}"
            f":both-directions|system:logit:{self.resample}|bootstrap:{over}:{self.resamples}|seed:{self.seed}"
            f"|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "closer_than": self.closer_than}

    def notes(self) -> Iterator[Note]:
        if self.all_topics:
            yield Note.of("judged-topics-alone")
        for row in self.rows:
            if row.why is not None:
                yield Note.of("no-value", **row.about("level", "among", "coefficient", "why"))
            elif row.why_no_interval is not None and row.coefficient != CALIBRATED:
                about = row.about("level", "among", "coefficient")
                yield Note.of("no-interval", **about, why=row.why_no_interval)
            if row.missing and row.coefficient in (ZERO, PLAIN):
                yield Note.of("pairs-left-out", **row.about("level", "among"), n=row.missing)
        for human, among in dict.fromkeys((row.human.measure, row.among) for row in self.rows):
            row = self.of(coefficient=ZERO, human=human, among=among)[0]
            if row.human_ties:
                words = row.human.words
                yield Note.of("people-tie", n=row.human_ties, pairs=row.pairs, human=words, among=among)
        if some := list(dict.fromkeys(row.measure.words for row in self.rows if row.sampled)):
            yield Note.of("some-thresholds-tried", measures=some, n=MOST_CANDIDATES)
        if any(row.coefficient == CALIBRATED and not math.isnan(row.value) for row in self.rows):
            yield Note.of("calibrated-on-the-same-topics")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {**super().on_demand(), "agreement-by-topic": self._agreement_by_topic}

    def at(self, level: CorrelationLevel, among: Among) -> Table:
        """A row per measure and human measure."""
        rows = self.of(level=level, among=among)
        lines: dict[tuple[str, str], dict[str, Cell]] = {}
        for row in rows:
            names: dict[str, Cell] = {"measure": row.measure.heading, "human": row.human.heading, "n": row.n}
            line = lines.setdefault((row.human.measure, row.measure.measure), names)
            line[row.coefficient] = row.shown()
            if row.coefficient == CALIBRATED:
                line["epsilon"] = row.epsilon
            if row.coefficient == CLOSER:
                line["close_pairs"] = row.pairs
        columns = [
            Column("measure", right=False),
            Column("human", "with", right=False, show="varies"),
            Column("n", "topics" if level == "input" else "pairs of systems", right=True),
        ]
        for name in dict.fromkeys(row.coefficient for row in rows):
            heading = HEADINGS.get(name) or f"pairwise, less than {self.closer_than:g} apart"
            columns.append(Column(name, heading, right=True))
            if name == CALIBRATED:
                columns.append(Column("epsilon", right=True, format=".3g"))
            if name == CLOSER:
                columns.append(Column("close_pairs", "such pairs", right=True))
        about = (
            "pairs of summaries of one topic that a measure orders as people do, averaged over topics"
            if level == "input"
            else "pairs of systems that a measure orders as people do"
        )
        title = f"Accuracy at the {level} level, among {over_words(among)}: {about}{self.intervals(rows)}"
        return Table.of(f"accuracy-{level}-{among}", lines.values(), *columns, title=title)

    def _agreement_by_topic(self) -> Table:
        rows = [vars(row) | asdict(row.agreement) for row in self.by_topic]
        return Table.of(
            "agreement-by-topic",
            rows,
            *(Column(name, show="varies", right=False) for name in ("measure", "human", "among")),
            Column("topic", right=False),
            Column("share", "agreement, input level", tiny=False),
            "agreed pairs",
            *hidden("ties human_ties missing why"),
            title="Agreement of measures with people, topic by topic (Zopf 2018, equation 1; input level)",
        )


def accuracy_all(run: MetaRun) -> AccuracyResult:
    """Every measure against every human measure, by every accuracy.

    With `closer_than`, pairwise accuracy also among the pairs of systems that are less than so far apart on the
    human measure's own scale. Only summaries that people and the measure both scored count.
    """
    rows: list[MeasureAccuracy] = []
    by_topic: list[AgreementByTopic] = []
    for cells in run.choices:
        for human in cells.humans:
            by_topic += _within_topics(run, cells, human, rows)
            rows += _of_means(run, cells, human)
    at = {info.measure: k for k, info in enumerate(run.cells.measures)}
    of = {human.info.measure: k for k, human in enumerate(run.cells.humans)}
    rows.sort(
        key=lambda row: (
            row.level == "system",
            run.among.index(row.among),
            of[row.human.measure],
            ORDER.index(row.coefficient),
            at[row.measure.measure],
        )
    )
    return AccuracyResult(
        rows=tuple(rows),
        by_topic=tuple(by_topic),
        confidence=run.confidence,
        clustered=run.cells.clusters is not None,
        resample=_resample(run),
        closer_than=run.asked.closer_than,
        all_topics=run.cells.all_topics,
        resamples=run.asked.interval_resamples,
        seed=run.asked.seed,
    )


def agreements_by_topic(cells: Cells, human: HumanCells) -> dict[int, Sequence[PairAgreement]]:
    """Of every topic that people judged: each measure's agreement with them."""
    people = scaled(human.values)[0]
    automatic = np.array([scaled(scores)[0] for scores in cells.automatic]).reshape(cells.automatic.shape)
    judged = np.flatnonzero(~np.isnan(people).all(axis=1)).tolist()
    return {k: pair_agreements(people[k], automatic[:, k]) for k in judged}


def _within_topics(
    run: MetaRun, cells: Cells, human: HumanCells, rows: list[MeasureAccuracy]
) -> Iterator[AgreementByTopic]:
    """Agreement topic by topic; that of all topics and accuracy with ties are added to the rows."""
    agreements = agreements_by_topic(cells, human)
    clusters = cells.clusters and [cells.clusters[k] for k in agreements]
    for m, measure in enumerate(cells.measures):
        topics = [of_topic[m] for of_topic in agreements.values()]
        ties = tie_accuracy(
            human.values,
            cells.automatic[m],
            rng=run.draws("accuracy/ties"),
            resamples=run.asked.interval_resamples,
            level=run.confidence,
            clusters=cells.clusters,
        )
        if ties.why is not None:  # there is no pair, or nobody orders any: no agreement either
            topics = [replace(topic, share=math.nan, why=topic.why or ties.why) for topic in topics]
        for k, agreement in zip(agreements, topics, strict=True):
            names = (measure.measure, human.info.measure, cells.chosen, cells.topics[k])
            yield AgreementByTopic(*names, agreement)

        about: dict[str, Any] = {
            "measure": measure,
            "human": human.info,
            "level": "input",
            "among": cells.chosen,
            "over": (cells.topic_units,),
            "same": ("systems", *_assessors(human)),
        }
        rows.append(MeasureAccuracy(**about, **_agreement(run, topics, clusters, ties.why)))
        about |= {name: getattr(ties, name) for name in ("topics", "pairs", "human_ties", "missing")}
        about["n"] = ties.topics
        rows += [
            MeasureAccuracy(
                coefficient=ZERO,
                value=ties.uncalibrated,
                low=ties.uncalibrated_low,
                high=ties.uncalibrated_high,
                epsilon=0.0,
                why=ties.why,
                why_no_interval=ties.why_no_uncalibrated_interval,
                **about,
            ),
            MeasureAccuracy(
                coefficient=CALIBRATED,
                value=ties.calibrated,
                low=math.nan,
                high=math.nan,
                epsilon=ties.epsilon,
                why=ties.why,
                why_no_interval="its epsilon was chosen on the same topics",
                **about,
            ),
            MeasureAccuracy(
                coefficient=CROSSED,
                value=ties.crossed,
                low=ties.low,
                high=ties.high,
                sampled=ties.sampled,
                why=ties.why or ties.why_not_crossed,
                why_no_interval=ties.why_no_interval,
                **about,
            ),
        ]


def _agreement(
    run: MetaRun, topics: Sequence[PairAgreement], clusters: Sequence[str] | None, why: str | None
) -> dict[str, Any]:
    """The mean over topics with its interval: by Student's t, as `agreements` has it; with sets, by resampling.

    It needs as many topics as the other accuracies, though t would do with two.
    """
    shares = np.array([topic.share for topic in topics])
    there = ~np.isnan(shares)
    shares = shares[there]
    no_topic = None
    if not shares.size:
        no_topic = (
            "; ".join(dict.fromkeys(topic.why for topic in topics if topic.why)) or "no topic is judged"
        )
    sets = np.array(clusters)[there].tolist() if clusters else None
    n, what = (shares.size, "topics") if sets is None else (len(set(sets)), "sets of topics")
    few = f"needs {LEAST_CLUSTERS} {what}, has {n}" if n < LEAST_CLUSTERS else None
    alike = "nearly all topics have the same agreement" if shares.size and flat(shares[:, None])[0] else None
    why_no_interval = few or alike if sets is None else alike or few
    low = high = math.nan
    if why_no_interval is None and sets is None:
        interval = t_means(shares[:, None], level=run.confidence)
        low, high = max(float(interval.low[0]), 0.0), min(float(interval.high[0]), 1.0)
    elif why_no_interval is None and sets is not None:
        numbers = {name: k for k, name in enumerate(dict.fromkeys(sets))}
        draws = cluster_draws(run.draws("accuracy/agreement"), n, run.asked.interval_resamples)
        draws = draws[:, [numbers[name] for name in sets]]
        low, high = map(float, percentile_limits(draws @ shares / draws.sum(axis=1), run.confidence, axis=0))
        if low >= high:
            low, high, why_no_interval = math.nan, math.nan, NO_SPREAD
    return {
        "coefficient": AGREEMENT,
        "n": shares.size,
        "value": float(shares.mean()) if shares.size else math.nan,
        "low": low,
        "high": high,
        "topics": shares.size,
        "pairs": sum(topic.pairs for topic in topics),
        "human_ties": sum(topic.human_ties for topic in topics),
        "missing": sum(topic.missing for topic in topics),
        "why": why or no_topic,
        "why_no_interval": no_topic or why_no_interval,
    }


def _resample(run: MetaRun) -> Resample:
    """What intervals at the system level draw anew; never assessors, of whom few are asked."""
    asked = run.asked.resample
    return asked if asked in ("systems", "inputs") else "both"


def _assessors(human: HumanCells) -> tuple[str, ...]:
    return ("assessors",) if human.assessors else ()


def _of_means(run: MetaRun, cells: Cells, human: HumanCells) -> list[MeasureAccuracy]:
    """Soft and plain accuracy of systems' means."""
    resamples, closer_than, resample = run.asked.interval_resamples, run.asked.closer_than, _resample(run)
    drawn = {"systems": resample != "inputs", cells.topic_units: resample != "systems"}
    options: dict[str, Any] = {
        "resample": resample,
        "resamples": resamples,
        "level": run.confidence,
        "clusters": cells.clusters,
    }
    both = human.values, cells.automatic
    accuracies = {
        SOFT: soft_accuracies(*both, rng=run.draws("accuracy/soft"), swaps=max(resamples, 1), **options),
        PLAIN: mean_accuracies(*both, rng=run.draws("accuracy/means"), **options),
    }
    if closer_than is not None:
        accuracies[CLOSER] = mean_accuracies(
            *both, rng=run.draws("accuracy/means"), closer_than=closer_than, **options
        )
    return [
        MeasureAccuracy(
            measure=measure,
            human=human.info,
            level="system",
            coefficient=name,
            among=cells.chosen,
            n=one.pairs,
            value=one.value,
            low=one.low,
            high=one.high,
            topics=one.topics,
            pairs=one.pairs,
            human_ties=one.human_ties,
            missing=one.missing,
            closer_than=closer_than if name == CLOSER and closer_than is not None else math.nan,
            why=one.why,
            why_no_interval=one.why_no_interval,
            over=tuple(unit for unit in drawn if drawn[unit]),
            same=(*(unit for unit in drawn if not drawn[unit]), *_assessors(human)),
        )
        for name, of_measures in accuracies.items()
        for measure, one in zip(cells.measures, of_measures, strict=True)
    ]
