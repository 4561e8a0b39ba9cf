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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.rows import COLUMNS, rows_of
from adjudge.analyses.meta.words import interval_words, over_words
from adjudge.core.engine import generator
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.agreement import LEAST_CLUSTERS, PairAgreement, cluster_draws, pair_agreements
from adjudge.stats.bootstrap import flat, percentile_limits, t_means
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import CorrelationLevel
from adjudge.stats.pairwise import (
    MOST_CANDIDATES,
    NO_SPREAD,
    MeanAccuracy,
    mean_accuracies,
    scaled,
    soft_accuracies,
    tie_accuracy,
)

MORE = ("topics", "pairs", "human_ties", "missing", "epsilon", "closer_than", "why", "why_no_interval")
AGREEMENT, ZERO, CALIBRATED, CROSSED = "agreement", "acc-eq", "acc-eq-calibrated", "acc-eq-cross-validated"
SOFT, PLAIN, CLOSER = "soft-pairwise", "pairwise", "pairwise-closer"
HEADINGS = {
    AGREEMENT: "agreement",
    ZERO: "acc-eq, epsilon 0",
    CALIBRATED: "calibrated on the same topics",
    CROSSED: "cross-validated",
    SOFT: "soft pairwise",
    PLAIN: "pairwise",
    CLOSER: "pairwise, close pairs",
}
INPUT, SYSTEM = (AGREEMENT, ZERO, CALIBRATED, CROSSED), (SOFT, PLAIN, CLOSER)
NOT_CALIBRATED = "its epsilon was chosen on the same topics"


@dataclass(frozen=True)
class MeasureAccuracy:
    """How often one measure orders pairs as people do, by one coefficient."""

    measure: MeasureInfo
    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    n: int
    """Topics that count at the input level, pairs of systems at the system level."""
    value: float
    low: float
    high: float
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
    why: str | None = None
    why_no_interval: str | None = None

    def record(self) -> dict[str, Any]:
        names = {"measure": self.measure.measure, "human": self.human.measure}
        return names | {name: getattr(self, name) for name in (*COLUMNS[2:], *MORE)}

    def shown(self) -> Cell:
        if math.isnan(self.value):
            return None
        if f"{self.low:.2f}" == f"{self.high:.2f}" != "nan":  # narrow: two decimals would show none
            return f"{self.value:.3f} ({self.low:.4f} to {self.high:.4f})"
        return f"{self.value:.3f}{interval_words(self.low, self.high)}"


@dataclass(frozen=True)
class AgreementByTopic:
    """One measure's agreement with people on one topic."""

    measure: str
    human: str
    among: Among
    topic: str
    share: float
    agreed: int
    pairs: int
    ties: int
    human_ties: int
    missing: int
    why: str | None


@dataclass(frozen=True, repr=False, kw_only=True)
class AccuracyResult(Result):
    """Every measure against every human measure, by every accuracy."""

    WORDS = "adjudge.analyses.meta.words.accuracy"
    FRAME = "accuracy"
    IN_JSON = ("accuracy", "agreement-by-topic")

    rows: tuple[MeasureAccuracy, ...]
    by_topic: tuple[AgreementByTopic, ...]
    """Agreement topic by topic."""
    confidence: float
    clustered: bool
    """Whether intervals resample sets of topics."""
    closer_than: float | None
    all_topics: bool
    """Whether measures keep topics that nobody judged, which do not count here."""
    resamples: int
    seed: int

    def of(
        self,
        *,
        coefficient: str | None = None,
        level: str | None = None,
        human: str | None = None,
        among: Among | None = None,
    ) -> list[MeasureAccuracy]:
        """The rows of a coefficient, level, human measure and choice of systems, where these are said."""
        return rows_of(self.rows, level=level, coefficient=coefficient, human=human, among=among)

    def groups(self) -> list[tuple[str, Among]]:
        """Human measures, each with a choice of systems."""
        return list(dict.fromkeys((row.human.measure, row.among) for row in self.rows))

    def shown_as(self) -> dict[str, tuple[str, Among]]:
        """By the name of its table: a level and a choice of systems."""
        choices = list(dict.fromkeys(row.among for row in self.rows))
        return {
            f"accuracy-{level}-{among}": (level, among) for level in ("input", "system") for among in choices
        }

    def how(self) -> str:
        over = "sets" if self.clustered else "topics"
        agreement = f"bootstrap:{over}" if self.clustered else f"t:{over}"
        return (
            f"accuracy|agreement:strict:{agreement}|acc-eq:folds:10|soft:swaps:{self.resamples}:both-directions"
            f"|bootstrap:{over}:percentile:{self.resamples}|seed:{self.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "closer_than": self.closer_than}

    def notes(self) -> Iterator[Note]:
        if self.all_topics:
            yield Note.of("judged-topics-alone")
        for row in self.rows:
            about = {
                "measure": row.measure.words,
                "human": row.human.words,
                "level": row.level,
                "among": row.among,
            }
            if row.why is not None:
                yield Note.of("no-value", **about, coefficient=row.coefficient, why=row.why)
            elif row.why_no_interval is not None and row.coefficient != CALIBRATED:
                yield Note.of("no-interval", **about, coefficient=row.coefficient, why=row.why_no_interval)
            if row.missing and row.coefficient in (ZERO, PLAIN):
                yield Note.of("pairs-left-out", **about, n=row.missing)
        for human, among in self.groups():
            for row in self.of(coefficient=ZERO, human=human, among=among)[:1]:
                if row.human_ties:
                    yield Note.of(
                        "people-tie", n=row.human_ties, pairs=row.pairs, human=row.human.words, among=among
                    )
        if some := list(dict.fromkeys(row.measure.words for row in self.rows if row.sampled)):
            yield Note.of("some-thresholds-tried", measures=some, n=MOST_CANDIDATES)
        if any(row.coefficient == CALIBRATED and not math.isnan(row.value) for row in self.rows):
            yield Note.of("calibrated-on-the-same-topics")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"accuracy": self._all_rows, "agreement-by-topic": self._by_topic}

    def _all_rows(self) -> Table:
        """All numbers, one row each."""
        return Table.of(
            "accuracy",
            [row.record() for row in self.rows],
            *(Column(name, right=None, tiny=False) for name in COLUMNS),
            *(Column(name, show="never") for name in MORE),
            title="Accuracy of measures in ordering pairs as people do",
        )

    def tables(self) -> Iterator[Table]:
        """A table per level and choice of systems: a row per measure and human measure."""
        for level, among in self.shown_as().values():
            yield self._at(level, among)

    def _at(self, level: str, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        names = list(dict.fromkeys(row.coefficient for row in rows))
        held = {(row.human.measure, row.measure.measure, row.coefficient): row for row in rows}
        keys = list(dict.fromkeys((row.human.measure, row.measure.measure) for row in rows))
        lines: list[tuple[Cell, ...]] = []
        for key in keys:
            accuracies = {name: held[(*key, name)] for name in names}
            first = accuracies[names[0]]
            line: list[Cell] = [first.measure.heading, first.human.heading, first.n]
            for name in names:
                line.append(accuracies[name].shown())
                if name == CALIBRATED:
                    line.append(accuracies[name].epsilon)
                if name == CLOSER:
                    line.append(accuracies[name].pairs)
            lines.append(tuple(line))
        columns = [
            Column("measure", right=False),
            Column("human", "with", right=False, show="varies"),
            Column("n", "topics" if level == "input" else "pairs of systems", right=True),
        ]
        for name in names:
            heading = HEADINGS[name] if name != CLOSER else f"pairwise, less than {self.closer_than:g} apart"
            columns.append(Column(name, f"{heading}, {level} level", right=True))
            if name == CALIBRATED:
                columns.append(Column("epsilon", right=True, format=".3g"))
            if name == CLOSER:
                columns.append(Column("close_pairs", "such pairs", right=True))
        over = "sets of topics" if self.clustered else "topics"
        about = (
            "pairs of summaries of one topic that a measure orders as people do, averaged over topics"
            if level == "input"
            else "pairs of systems that a measure orders as people do"
        )
        return Table(
            name=f"accuracy-{level}-{among}",
            columns=tuple(columns),
            rows=tuple(lines),
            title=(
                f"Accuracy at the {level} level, among {over_words(among)}: {about};"
                f" {self.confidence:.0%} intervals over {over}"
            ),
        )

    def _by_topic(self) -> Table:
        """Agreement topic by topic, a row each."""
        columns = (
            *(Column(name, show="varies", right=False) for name in ("measure", "human", "among")),
            Column("topic", right=False),
            Column("share", "agreement, input level", tiny=False),
            *(Column(name) for name in ("agreed", "pairs")),
            *(Column(name, show="never") for name in ("ties", "human_ties", "missing", "why")),
        )
        names = [column.name for column in columns]
        return Table(
            name="agreement-by-topic",
            columns=columns,
            rows=tuple(tuple(getattr(row, name) for name in names) for row in self.by_topic),
            title="Agreement of measures with people, topic by topic (Zopf 2018, equation 1; input level)",
        )


def accuracy_all(cells: Cells, asked: Meta) -> AccuracyResult:
    """Every measure against every human measure, by every accuracy.

    With `asked.closer_than`, pairwise accuracy also among the pairs of systems that are less than so far apart on the
    human measure's own scale. Only summaries that people and the measure both scored count.
    """
    rows: list[MeasureAccuracy] = []
    topics: list[AgreementByTopic] = []
    choices = asked.choices(cells)
    for among in choices:
        chosen = cells.among(among)
        for human in chosen.humans:
            accuracies, per_topic = _within(chosen, human, among, asked)
            rows += accuracies
            topics += per_topic
            rows += _of_means(chosen, human, among, asked)
    at = {info.measure: k for k, info in enumerate(cells.measures)}
    of = {human.info.measure: k for k, human in enumerate(cells.humans)}
    order = (*INPUT, *SYSTEM)
    rows.sort(
        key=lambda row: (
            order.index(row.coefficient) >= len(INPUT),
            choices.index(row.among),
            of[row.human.measure],
            order.index(row.coefficient),
            at[row.measure.measure],
        )
    )
    return AccuracyResult(
        rows=tuple(rows),
        by_topic=tuple(topics),
        confidence=1 - asked.alpha,
        clustered=cells.clusters is not None,
        closer_than=asked.closer_than,
        all_topics=cells.all_topics,
        resamples=asked.interval_resamples,
        seed=asked.seed,
    )


def _stream(asked: Meta, what: str) -> np.random.Generator:
    """The same draws for every measure, so that measures are compared on the same resamples."""
    return generator(asked.seed, f"meta/accuracy/{what}")


def _within(
    cells: Cells, human: HumanCells, among: Among, asked: Meta
) -> tuple[list[MeasureAccuracy], list[AgreementByTopic]]:
    """Agreement and accuracy with ties, topic by topic."""
    level = 1 - asked.alpha
    rows: list[MeasureAccuracy] = []
    per_topic: list[AgreementByTopic] = []
    judged = [k for k in range(len(cells.topics)) if not np.isnan(human.values[k]).all()]
    people = scaled(human.values)[0]
    automatic = np.array([scaled(scores)[0] for scores in cells.automatic]).reshape(cells.automatic.shape)
    agreements = [pair_agreements(people[k], automatic[:, k]) for k in judged]
    clusters = cells.clusters and [cells.clusters[k] for k in judged]
    for m, measure in enumerate(cells.measures):
        topics = [of_topic[m] for of_topic in agreements]
        ties = tie_accuracy(
            human.values,
            cells.automatic[m],
            rng=_stream(asked, "ties"),
            resamples=asked.interval_resamples,
            level=level,
            clusters=cells.clusters,
        )
        if ties.why is not None:  # there is no pair, or nobody orders any: no agreement either
            topics = [replace(topic, share=math.nan, why=topic.why or ties.why) for topic in topics]
        per_topic += [
            AgreementByTopic(
                measure=measure.measure,
                human=human.info.measure,
                among=among,
                topic=cells.topics[k],
                share=one.share,
                agreed=one.agreed,
                pairs=one.pairs,
                ties=one.ties,
                human_ties=one.human_ties,
                missing=one.missing,
                why=one.why,
            )
            for k, one in zip(judged, topics, strict=True)
        ]
        agreement = _agreement(measure, human, among, topics, clusters, asked)
        rows.append(replace(agreement, why=ties.why or agreement.why))
        shared: dict[str, Any] = {
            "measure": measure,
            "human": human.info,
            "level": "input",
            "among": among,
            "n": ties.topics,
            "topics": ties.topics,
            "pairs": ties.pairs,
            "human_ties": ties.human_ties,
            "missing": ties.missing,
        }
        rows += [
            MeasureAccuracy(
                coefficient=ZERO,
                value=ties.uncalibrated,
                low=ties.uncalibrated_low,
                high=ties.uncalibrated_high,
                epsilon=0.0,
                why=ties.why,
                why_no_interval=ties.why_no_uncalibrated_interval,
                **shared,
            ),
            MeasureAccuracy(
                coefficient=CALIBRATED,
                value=ties.calibrated,
                low=math.nan,
                high=math.nan,
                epsilon=ties.epsilon,
                why=ties.why,
                why_no_interval=NOT_CALIBRATED,
                **shared,
            ),
            MeasureAccuracy(
                coefficient=CROSSED,
                value=ties.crossed,
                low=ties.low,
                high=ties.high,
                sampled=ties.sampled,
                why=ties.why or ties.why_not_crossed,
                why_no_interval=ties.why_no_interval,
                **shared,
            ),
        ]
    return rows, per_topic


def _agreement(
    measure: MeasureInfo,
    human: HumanCells,
    among: Among,
    topics: Sequence[PairAgreement],
    clusters: Sequence[str] | None,
    asked: Meta,
) -> MeasureAccuracy:
    shares = np.array([topic.share for topic in topics])
    there = ~np.isnan(shares)
    kept = (
        None
        if clusters is None
        else [name for name, has_share in zip(clusters, there, strict=True) if has_share]
    )
    low, high, why_no_interval = _share_interval(shares[there], kept, asked)
    why = None
    if not there.any():
        reasons = dict.fromkeys(topic.why for topic in topics if topic.why)
        why = "; ".join(reasons) or "no topic is judged"
    return MeasureAccuracy(
        measure=measure,
        human=human.info,
        level="input",
        coefficient=AGREEMENT,
        among=among,
        n=int(np.count_nonzero(there)),
        value=float(shares[there].mean()) if there.any() else math.nan,
        low=low,
        high=high,
        topics=int(np.count_nonzero(there)),
        pairs=sum(topic.pairs for topic in topics),
        human_ties=sum(topic.human_ties for topic in topics),
        missing=sum(topic.missing for topic in topics),
        why=why,
        why_no_interval=why or why_no_interval,
    )


def _share_interval(
    shares: FloatArray, clusters: Sequence[str] | None, asked: Meta
) -> tuple[float, float, str | None]:
    """Of a mean of shares: by Student's t over topics, as `agreements` has it; with sets, by resampling.

    It needs as many topics as the other accuracies, though t would do with two.
    """
    level = 1 - asked.alpha
    if clusters is None and shares.size < LEAST_CLUSTERS:
        return math.nan, math.nan, f"needs {LEAST_CLUSTERS} topics, has {shares.size}"
    if flat(shares[:, None])[0]:
        return math.nan, math.nan, "nearly all topics have the same agreement"
    if clusters is None:
        interval = t_means(shares[:, None], level=level)
        return max(float(interval.low[0]), 0.0), min(float(interval.high[0]), 1.0), None
    names = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    if len(names) < LEAST_CLUSTERS:
        return math.nan, math.nan, f"needs {LEAST_CLUSTERS} sets of topics, has {len(names)}"
    cluster_of = np.array([names[name] for name in clusters])
    draws = cluster_draws(_stream(asked, "agreement"), len(names), asked.interval_resamples)[:, cluster_of]
    if not len(draws):
        return math.nan, math.nan, "nothing was resampled"
    low, high = (
        float(limit) for limit in percentile_limits(draws @ shares / draws.sum(axis=1), level, axis=0)
    )
    return (low, high, None) if low < high else (math.nan, math.nan, NO_SPREAD)


def _of_means(cells: Cells, human: HumanCells, among: Among, asked: Meta) -> list[MeasureAccuracy]:
    """Soft and plain accuracy of systems' means."""
    options: dict[str, Any] = {
        "resamples": asked.interval_resamples,
        "level": 1 - asked.alpha,
        "clusters": cells.clusters,
    }
    both = human.values, cells.automatic
    accuracies = {
        SOFT: soft_accuracies(
            *both, rng=_stream(asked, "soft"), swaps=max(asked.interval_resamples, 1), **options
        ),
        PLAIN: mean_accuracies(*both, rng=_stream(asked, "means"), **options),
    }
    if asked.closer_than is not None:
        accuracies[CLOSER] = mean_accuracies(
            *both, rng=_stream(asked, "means"), closer_than=asked.closer_than, **options
        )
    return [
        _of_system(measure, human, among, name, one, asked)
        for name, all_of in accuracies.items()
        for measure, one in zip(cells.measures, all_of, strict=True)
    ]


def _of_system(
    measure: MeasureInfo, human: HumanCells, among: Among, name: str, one: MeanAccuracy, asked: Meta
) -> MeasureAccuracy:
    return MeasureAccuracy(
        measure=measure,
        human=human.info,
        level="system",
        coefficient=name,
        among=among,
        n=one.pairs,
        value=one.value,
        low=one.low,
        high=one.high,
        topics=one.topics,
        pairs=one.pairs,
        human_ties=one.human_ties,
        missing=one.missing,
        closer_than=asked.closer_than if name == CLOSER and asked.closer_than is not None else math.nan,
        why=one.why,
        why_no_interval=one.why_no_interval,
    )
