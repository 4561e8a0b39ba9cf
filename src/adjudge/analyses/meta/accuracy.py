"""How often measures order pairs as people do: within topics, and of systems' means.

Within topics (the input level): Zopf's agreement (2018, equation 1), which leaves out what people tie, and accuracy
with ties (acc-eq, Deutsch et al. 2023), with a measure's ties calibrated. Of systems (the system level): soft pairwise
accuracy (Thompson et al. 2024), by how sure people and the measure are of each order, and plain pairwise accuracy
(Kocmi et al. 2021), also among the pairs that are close to people. A measure that ties every pair orders nothing: it
has no accuracy of any kind, and a note says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.options import MetaOptions
from adjudge.analyses.meta.rows import COLUMNS, rows_of
from adjudge.analyses.meta.words import interval_words, over_words, where_words
from adjudge.core.engine import generator
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
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

if TYPE_CHECKING:
    import pandas as pd

MORE = ("topics", "pairs", "human_ties", "missing", "epsilon", "closer_than")
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
        """The columns of `--csv`, then counts."""
        names = {"measure": self.measure.measure, "human": self.human.measure}
        return names | {each: getattr(self, each) for each in (*COLUMNS[2:], *MORE)}

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


@dataclass(frozen=True, repr=False)
class AccuracyResult(Tabular):
    """Every measure against every human measure, by every accuracy."""

    rows: tuple[MeasureAccuracy, ...]
    by_topic: tuple[AgreementByTopic, ...]
    """Agreement topic by topic."""
    confidence: float
    clustered: bool
    """Whether intervals resample sets of topics."""
    closer_than: float | None
    signature: str
    notes: tuple[str, ...] = ()

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

    def _groups(self) -> list[tuple[str, Among]]:
        return list(dict.fromkeys((each.human.measure, each.among) for each in self.rows))

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        for level in ("input", "system"):
            for human, among in self._groups():
                yield from self._sentences(level, human, among)

    def _sentences(self, level: str, human: str, among: Among) -> Iterator[str]:
        for coefficient in (AGREEMENT, CROSSED) if level == "input" else SYSTEM:
            if found := self.of(coefficient=coefficient, human=human, among=among):
                yield self._said(found)

    def _said(self, found: Sequence[MeasureAccuracy]) -> str:
        """Who has most of one accuracy, and who has least."""
        first = found[0]
        where = where_words(first.level, first.among)
        there = sorted((each for each in found if not math.isnan(each.value)), key=lambda each: -each.value)
        name = _NAMES[first.coefficient]
        if first.coefficient == CLOSER:
            name += f" less than {first.closer_than:g} apart on {first.human.words}"
        article = "an" if name[0] in "aeiou" else "a"
        if not there:
            reasons = dict.fromkeys(each.why for each in found if each.why)
            return f"{where}, no measure has {article} {name}: {'; '.join(reasons)}."
        # Equal is what the table shows as equal, so that no sentence orders what looks the same beside it.
        best, last = (
            [each for each in there if _shown(each) == _shown(end)] for end in (there[0], there[-1])
        )
        one = best[0]
        alike = _shown(one) == _shown(last[0])
        known = (
            ""
            if len(best) > 1 or math.isnan(one.low)
            else f"; {self.confidence:.0%} interval {one.low:.2f} to {one.high:.2f}"
        )
        counts = dict.fromkeys(map(_counts, best))
        rests = f" ({next(iter(counts))}{known})" if len(counts) == 1 else ""
        most = "the highest" if not alike else article if len(best) == 1 else "the same"
        least = "" if alike else f"; {_who(last)} the lowest: {_in_words(last[0], best[0])}"
        whom = "" if first.coefficient == CLOSER else f" with {one.human.words}"
        shown = _in_words(one, last[0])
        return f"{where}, {_who(best)} {most} {name}{whom}: {shown}{rests}{least}."

    def table(self) -> Table:
        """All numbers, one row each; `tables` has one for people per level."""
        return Table(
            name="accuracy",
            columns=tuple(
                Column(name, right=None, tiny=False, show="always" if name in COLUMNS else "never")
                for name in (*COLUMNS, *MORE)
            ),
            rows=tuple(tuple(each.record().values()) for each in self.rows),
            title="Accuracy of measures in ordering pairs as people do",
            said=tuple(self.sentences()),
            notes=self._notes(),
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """A table per level and choice of systems: a row per measure and human measure."""
        choices = dict.fromkeys(each.among for each in self.rows)
        found = [self._at(level, among) for level in ("input", "system") for among in choices]
        return Tables(tuple(found), notes=self._notes())

    def _at(self, level: str, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        names = list(dict.fromkeys(each.coefficient for each in rows))
        held = {(each.human.measure, each.measure.measure, each.coefficient): each for each in rows}
        keys = list(dict.fromkeys((each.human.measure, each.measure.measure) for each in rows))
        lines: list[tuple[Cell, ...]] = []
        for key in keys:
            own = {name: held[(*key, name)] for name in names}
            first = own[names[0]]
            line: list[Cell] = [first.measure.heading, first.human.heading, first.n]
            for name in names:
                line.append(own[name].shown())
                if name == CALIBRATED:
                    line.append(own[name].epsilon)
                if name == CLOSER:
                    line.append(own[name].pairs)
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
            said=tuple(
                sentence
                for human in dict.fromkeys(each.human.measure for each in rows)
                for sentence in self._sentences(level, human, among)
            ),
            signature=self.signature,
        )

    def topic_table(self) -> Table:
        """Agreement topic by topic, a row each."""
        columns = (
            *(Column(name, show="varies", right=False) for name in ("measure", "human", "among")),
            Column("topic", right=False),
            Column("share", "agreement, input level", tiny=False),
            *(Column(name) for name in ("agreed", "pairs")),
            *(Column(name, show="never") for name in ("ties", "human_ties", "missing", "why")),
        )
        names = [each.name for each in columns]
        return Table(
            name="agreement-by-topic",
            columns=columns,
            rows=tuple(tuple(getattr(each, name) for name in names) for each in self.by_topic),
            title="Agreement of measures with people, topic by topic (Zopf 2018, equation 1; input level)",
            signature=self.signature,
        )

    def topics_frame(self) -> pd.DataFrame:
        """Agreement topic by topic: a row per measure, human measure, choice of systems and topic."""
        return self.topic_table().to_frame()

    def _notes(self) -> tuple[str, ...]:
        found = dict.fromkeys(self.notes)
        for each in self.rows:
            pair = f"{each.measure.words} with {each.human.words}"
            among = f"among {over_words(each.among)}"
            about = f"{pair}, {HEADINGS[each.coefficient]}, {each.level} level, {among}"
            if each.why is not None:
                found[f"{about}: blank ({each.why})"] = None
            elif each.why_no_interval is not None and each.coefficient != CALIBRATED:
                found[f"{about}: no interval ({each.why_no_interval})"] = None
            if each.missing and each.coefficient in (ZERO, PLAIN):
                of = "of summaries" if each.level == "input" else "of systems"
                lack = "lacks a score" if each.level == "input" else "has no common topic"
                many = "lack a score" if each.level == "input" else "have no common topic"
                found[
                    f"{pair}, {each.level} level, {among}:"
                    f" {counted(each.missing, f'pair {of} {lack}', f'pairs {of} {many}')}"
                    f" and {'is' if each.missing == 1 else 'are'} left out"
                ] = None
        for human, among in self._groups():
            for each in self.of(coefficient=ZERO, human=human, among=among)[:1]:
                if each.human_ties:
                    found[
                        f"people tie {each.human_ties:,} of {counted(each.pairs, 'pair')} of summaries on"
                        f" {each.human.words}, among {over_words(among)}: agreement leaves these out, acc-eq counts a"
                        " measure right that ties them too"
                    ] = None
        if some := list(dict.fromkeys(each.measure.words for each in self.rows if each.sampled)):
            found[
                f"{listed(some)}: cross-validated, epsilon is chosen among {MOST_CANDIDATES:,} of the differences"
            ] = None
        if any(each.coefficient == CALIBRATED and not math.isnan(each.value) for each in self.rows):
            found[
                "calibrated acc-eq has no interval: its epsilon was chosen on the same topics, which flatters;"
                " cross-validated, epsilon is chosen on other topics, anew in every resample"
            ] = None
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, human measure, level, coefficient and choice of systems."""
        import pandas as pd

        return pd.DataFrame([each.record() for each in self.rows], columns=[*COLUMNS, *MORE])

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "confidence": self.confidence,
                "closer_than": self.closer_than,
                "rows": [
                    {**each.record(), "why": each.why, "why_no_interval": each.why_no_interval}
                    for each in self.rows
                ],
                "by_topic": self.by_topic,
                "sentences": list(self.sentences()),
                "notes": list(self._notes()),
                "signature": self.signature,
            }
        )
        return found


_NAMES = {
    AGREEMENT: "agreement (pairs that people tell apart and the measure orders alike)",
    CROSSED: "cross-validated accuracy with ties (acc-eq)",
    SOFT: "soft pairwise accuracy",
    PLAIN: "pairwise accuracy",
    CLOSER: "pairwise accuracy of systems",
}


def _shown(row: MeasureAccuracy) -> str:
    """The number as the table has it."""
    return f"{row.value:.3f}"


def _in_words(row: MeasureAccuracy, other: MeasureAccuracy) -> str:
    """With two decimals, or three where two would not tell it from the other end."""
    short = f"{row.value:.2f}"
    return short if short != f"{other.value:.2f}" or _shown(row) == _shown(other) else _shown(row)


def _who(rows: Sequence[MeasureAccuracy]) -> str:
    return f"{listed([each.measure.words for each in rows])} {'has' if len(rows) == 1 else 'have'}"


def _counts(row: MeasureAccuracy) -> str:
    """What a number rests on."""
    if row.level == "input":
        return f"{counted(row.n, 'topic')}, {counted(row.pairs, 'pair')}"
    pairs = counted(row.pairs, "pair")
    return pairs if row.coefficient == SOFT else f"{round(row.value * row.pairs):,} of {pairs}"


def accuracy_all(cells: Cells, options: MetaOptions) -> AccuracyResult:
    """Every measure against every human measure, by every accuracy.

    With `options.closer_than`, pairwise accuracy also among the pairs of systems that are less than so far apart on the
    human measure's own scale. Only summaries that people and the measure both scored count.
    """
    rows: list[MeasureAccuracy] = []
    topics: list[AgreementByTopic] = []
    for among in options.among:
        own = cells.among(among)
        for human in own.humans:
            found, per_topic = _within(own, human, among, options)
            rows += found
            topics += per_topic
            rows += _of_means(own, human, among, options)
    at = {each.measure: k for k, each in enumerate(cells.measures)}
    of = {each.info.measure: k for k, each in enumerate(cells.humans)}
    order = (*INPUT, *SYSTEM)
    rows.sort(
        key=lambda each: (
            order.index(each.coefficient) >= len(INPUT),
            options.among.index(each.among),
            of[each.human.measure],
            order.index(each.coefficient),
            at[each.measure.measure],
        )
    )
    notes = []
    if cells.all_topics:
        notes.append(
            "accuracy is about the topics that people judged: further scores of measures do not count"
        )
    return AccuracyResult(
        rows=tuple(rows),
        by_topic=tuple(topics),
        confidence=1 - options.alpha,
        clustered=cells.clusters is not None,
        closer_than=options.closer_than,
        signature=_signature(cells, options),
        notes=tuple(notes),
    )


def _signature(cells: Cells, options: MetaOptions) -> str:
    over = "topics" if cells.clusters is None else "sets"
    agreement = f"t:{over}" if cells.clusters is None else f"bootstrap:{over}"
    return (
        f"accuracy|agreement:strict:{agreement}|acc-eq:folds:10|soft:swaps:{options.interval_resamples}:both-directions"
        f"|bootstrap:{over}:percentile:{options.interval_resamples}|seed:{options.seed}|v:{__version__}"
    )


def _stream(options: MetaOptions, what: str) -> np.random.Generator:
    """The same draws for every measure, so that measures are compared on the same resamples."""
    return generator(options.seed, f"meta/accuracy/{what}")


def _within(
    cells: Cells, human: HumanCells, among: Among, options: MetaOptions
) -> tuple[list[MeasureAccuracy], list[AgreementByTopic]]:
    """Agreement and accuracy with ties, topic by topic."""
    level = 1 - options.alpha
    found: list[MeasureAccuracy] = []
    per_topic: list[AgreementByTopic] = []
    judged = [k for k in range(len(cells.topics)) if not np.isnan(human.values[k]).all()]
    people = scaled(human.values)[0]
    automatic = np.array([scaled(each)[0] for each in cells.automatic]).reshape(cells.automatic.shape)
    given = [pair_agreements(people[k], automatic[:, k]) for k in judged]
    clusters = cells.clusters and [cells.clusters[k] for k in judged]
    for m, measure in enumerate(cells.measures):
        topics = [each[m] for each in given]
        ties = tie_accuracy(
            human.values,
            cells.automatic[m],
            rng=_stream(options, "ties"),
            resamples=options.interval_resamples,
            level=level,
            clusters=cells.clusters,
        )
        if ties.why is not None:  # there is no pair, or nobody orders any: no agreement either
            topics = [replace(each, share=math.nan, why=each.why or ties.why) for each in topics]
        per_topic += [
            _by_topic(measure, human, among, cells.topics[k], one)
            for k, one in zip(judged, topics, strict=True)
        ]
        agreement = _agreement(measure, human, among, topics, clusters, options)
        found.append(replace(agreement, why=ties.why or agreement.why))
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
        found += [
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
    return found, per_topic


def _by_topic(
    measure: MeasureInfo, human: HumanCells, among: Among, topic: str, one: PairAgreement
) -> AgreementByTopic:
    return AgreementByTopic(
        measure=measure.measure,
        human=human.info.measure,
        among=among,
        topic=topic,
        share=one.share,
        agreed=one.agreed,
        pairs=one.pairs,
        ties=one.ties,
        human_ties=one.human_ties,
        missing=one.missing,
        why=one.why,
    )


def _agreement(
    measure: MeasureInfo,
    human: HumanCells,
    among: Among,
    topics: Sequence[PairAgreement],
    clusters: Sequence[str] | None,
    options: MetaOptions,
) -> MeasureAccuracy:
    shares = np.array([each.share for each in topics])
    there = ~np.isnan(shares)
    own = None if clusters is None else [name for name, known in zip(clusters, there, strict=True) if known]
    low, high, why_no_interval = _share_interval(shares[there], own, options)
    why = None
    if not there.any():
        reasons = dict.fromkeys(each.why for each in topics if each.why)
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
        pairs=sum(each.pairs for each in topics),
        human_ties=sum(each.human_ties for each in topics),
        missing=sum(each.missing for each in topics),
        why=why,
        why_no_interval=why or why_no_interval,
    )


def _share_interval(
    shares: FloatArray, clusters: Sequence[str] | None, options: MetaOptions
) -> tuple[float, float, str | None]:
    """Of a mean of shares: by Student's t over topics, as `agreements` has it; with sets, by resampling.

    It needs as many topics as the other accuracies, though t would do with two.
    """
    level = 1 - options.alpha
    if clusters is None and shares.size < LEAST_CLUSTERS:
        return math.nan, math.nan, f"needs {LEAST_CLUSTERS} topics, has {shares.size}"
    if flat(shares[:, None])[0]:
        return math.nan, math.nan, "nearly all topics have the same agreement"
    if clusters is None:
        found = t_means(shares[:, None], level=level)
        return max(float(found.low[0]), 0.0), min(float(found.high[0]), 1.0), None
    names = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    if len(names) < LEAST_CLUSTERS:
        return math.nan, math.nan, f"needs {LEAST_CLUSTERS} sets of topics, has {len(names)}"
    own = np.array([names[each] for each in clusters])
    draws = cluster_draws(_stream(options, "agreement"), len(names), options.interval_resamples)[:, own]
    if not len(draws):
        return math.nan, math.nan, "nothing was resampled"
    low, high = (float(each) for each in percentile_limits(draws @ shares / draws.sum(axis=1), level, axis=0))
    return (low, high, None) if low < high else (math.nan, math.nan, NO_SPREAD)


def _of_means(cells: Cells, human: HumanCells, among: Among, options: MetaOptions) -> list[MeasureAccuracy]:
    """Soft and plain accuracy of systems' means."""
    given: dict[str, Any] = {
        "resamples": options.interval_resamples,
        "level": 1 - options.alpha,
        "clusters": cells.clusters,
    }
    both = human.values, cells.automatic
    found = {
        SOFT: soft_accuracies(
            *both, rng=_stream(options, "soft"), swaps=max(options.interval_resamples, 1), **given
        ),
        PLAIN: mean_accuracies(*both, rng=_stream(options, "means"), **given),
    }
    if options.closer_than is not None:
        found[CLOSER] = mean_accuracies(
            *both, rng=_stream(options, "means"), closer_than=options.closer_than, **given
        )
    return [
        _of_system(measure, human, among, name, one, options)
        for name, all_of in found.items()
        for measure, one in zip(cells.measures, all_of, strict=True)
    ]


def _of_system(
    measure: MeasureInfo, human: HumanCells, among: Among, name: str, one: MeanAccuracy, options: MetaOptions
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
        closer_than=options.closer_than if name == CLOSER and options.closer_than is not None else math.nan,
        why=one.why,
        why_no_interval=one.why_no_interval,
    )
