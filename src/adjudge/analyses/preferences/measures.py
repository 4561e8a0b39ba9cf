"""What preferences are worth beside other measures: agreement with people, convergence, the tables of Zopf 2018.

agreements     how far measures order summaries as people do, topic by topic (equation 1)
converge       how agreement grows with the number of answers (figure 3)
paper_tables   the paper's four tables for the evaluation at hand, with the minutes that people took
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from adjudge.analyses.preferences import PreferenceReport, PreferencesNeeded, PreferenceStudy, Rows, Systems
from adjudge.analyses.preferences.source import PairSource
from adjudge.analyses.scores import Scores
from adjudge.core.engine import chunked, generator, run
from adjudge.core.errors import AdjudgeError, DataError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted, listed
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary
from adjudge.data.scores import UNSET, AllLengths, Among, ScoreMatrix
from adjudge.data.target import Target
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.answers import human_answers
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.protocol import PREFERENCE, protocols_of
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import FILE, PROGRAMS, Event
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.preference_strengths import (
    Penalty,
    among,
    pyramid_worth,
    similarity_of,
    strengths_of,
    summary_weights,
)
from adjudge.measures.registry import parse_measures
from adjudge.measures.run import check_needs, score
from adjudge.measures.spec import split_specs
from adjudge.stats.agreement import PairAgreement, agreement_shares, pair_agreement
from adjudge.stats.bootstrap import LEAST_VARIED, flat, t_means
from adjudge.stats.multiple import holm
from adjudge.stats.paired import wilcoxon
from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.bradley_terry import fit

LEVEL = 0.95
_AMONG: dict[Systems, Among] = {"machine": "machines", "all": "all"}


# Agreement with people


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """A measure and people on one topic."""

    topic: str
    share: float = math.nan
    agreed: int = 0
    pairs: int = 0
    ties: int = 0
    human_ties: int = 0
    missing: int = 0
    why: str | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class MeasureAgreement(Result):
    """A measure's agreement with people: per topic, and the mean over topics with an interval over topics."""

    WORDS: ClassVar[str] = "adjudge.analyses.preferences.study_words"

    measure: str
    human: str
    topics: tuple[TopicAgreement, ...]
    mean: float
    low: float
    high: float
    level: float
    systems: Systems
    half: bool
    """Whether what a measure ties counts half."""
    why: str | None = None
    """Why there is no mean."""

    @property
    def n(self) -> int:
        """Topics that have an agreement."""
        return sum(topic.pairs > 0 for topic in self.topics)

    @property
    def pairs(self) -> int:
        return sum(topic.pairs for topic in self.topics)

    @property
    def missing(self) -> int:
        """Pairs in which a score is missing."""
        return sum(topic.missing for topic in self.topics)

    def notes(self) -> Iterator[Note]:
        if self.missing:
            yield Note.of("pairs-lack-a-score", measure=self.measure, n=self.missing)

    def how(self) -> str:
        ties = "half" if self.half else "strict"
        return f"agreement|{self.measure}|human:{self.human}|systems:{self.systems}|ties:{ties}|interval:t:topics"

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "human": self.human,
            "agreement": self.mean,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "topics": self.n,
            "pairs": self.pairs,
            "missing": self.missing,
            "systems": self.systems,
            "why": self.why,
        }

    def tables(self) -> Iterator[Table]:
        yield Table(
            name="agreement",
            columns=(
                Column("measure", show="never"),
                Column("human", show="never"),
                Column("topic", right=False),
                Column("share", "agreement", right=True),
                Column("agreed", show="never"),
                Column("pairs"),
                *(Column(name, show="never") for name in ("ties", "human_ties", "missing", "why")),
            ),
            rows=tuple((self.measure, self.human, *asdict(topic).values()) for topic in self.topics),
            title=f"Agreement of {self.measure} with {self.human}",
        )


def agreements(
    data: Scores,
    human: str,
    measures: Sequence[str] = (),
    *,
    systems: Systems = "machine",
    length: int | AllLengths | None = None,
    form: str | None = None,
    half: bool = False,
    level: float = LEVEL,
) -> list[MeasureAgreement]:
    """Of each measure with the human one; of all that have a direction, unless some are named.

    Over machines, baselines among them, unless `systems` is "all". A system or topic that only one of the two
    measures knows is missing, and counted.
    """
    if systems not in get_args(Systems):
        raise UsageError(f"systems is {quoted(systems)}, expected one of: {', '.join(get_args(Systems))}")
    people = human_matrix(data, human, systems, length, form)
    chosen = [measure for spec in measures for measure in data.resolved(spec)] or _directed(
        data, people.measure
    )
    by_measure = [_topics(data, people, measure, length, form, half) for measure in chosen]
    shares = np.array([[topic.share for topic in topics] for topics in by_measure]).T.reshape(
        -1, len(by_measure)
    )
    low, high = _intervals(shares, level=level)
    return [
        _agreement(measure, people, topics, (float(low[k]), float(high[k]), level), systems, half)
        for k, (measure, topics) in enumerate(zip(chosen, by_measure, strict=True))
    ]


def _intervals(shares: FloatArray, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Of column means, by Student's t over topics; NaN where a column hardly varies, so that nothing would cover.

    The rule is that of `compare`. A mean of shares is between 0 and 1, and so is what is shown of its interval.
    """
    means, without = t_means(shares, level=level), flat(shares)
    low, high = np.maximum(means.low, 0.0), np.minimum(means.high, 1.0)
    return np.where(without, np.nan, low), np.where(without, np.nan, high)


def _agreement(
    measure: str,
    people: ScoreMatrix,
    topics: Sequence[TopicAgreement],
    interval: tuple[float, float, float],
    systems: Systems,
    half: bool,
) -> MeasureAgreement:
    shares = [topic.share for topic in topics if topic.pairs]
    why = None if shares else common_reason([topic.why for topic in topics])
    mean = math.fsum(shares) / len(shares) if shares else math.nan
    low, high, level = interval
    return MeasureAgreement(
        measure=measure,
        human=people.measure,
        topics=tuple(topics),
        mean=mean,
        low=low,
        high=high,
        level=level,
        systems=systems,
        half=half,
        why=why,
    )


def human_matrix(
    data: Scores,
    human: str,
    systems: Systems = "machine",
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> ScoreMatrix:
    """What people say of the systems that count, turned so that higher is better."""
    name = data.resolve(human)
    at = length_for(data, name, length)
    matrix = data.matrix(name, length=at, form=form_for(data, name, form), among=_AMONG[systems])
    if matrix.info.better is None:
        human_option = Argument("human", name)
        raise UsageError(f"{human_option} is a description: nobody is better by it")
    if matrix.info.better == "lower":
        matrix = replace(matrix, values=-matrix.values)
    return matrix


def length_for(data: Scores, measure: str, length: int | AllLengths | None) -> int | AllLengths | None:
    """The length that was asked for; a measure that knows no lengths has its scores anyway."""
    return None if data.table.lengths(measure) == (None,) else length


def form_for(data: Scores, measure: str, form: str | None) -> str | None:
    """The form that was asked for; a measure that knows no forms has its scores anyway."""
    return None if data.table.forms(measure) == (UNSET,) else form


def aligned(people: ScoreMatrix, matrix: ScoreMatrix, topic: str) -> np.ndarray | None:
    """A measure's scores of the systems that people judged, in their order; None where it does not know the topic."""
    if topic not in matrix.topics:
        return None
    row = dict(zip(matrix.systems, matrix.values[matrix.topics.index(topic)].tolist(), strict=True))
    return np.array([row.get(system, math.nan) for system in people.systems])


def _topics(
    data: Scores,
    people: ScoreMatrix,
    measure: str,
    length: int | AllLengths | None,
    form: str | None,
    half: bool,
) -> list[TopicAgreement]:
    matrix = data.matrix(
        measure, length=length_for(data, measure, length), form=form_for(data, measure, form)
    )
    better = matrix.info.better
    if better is None:
        raise UsageError(f"{measure} is a description: nobody is better by it, so it cannot agree")
    by_topic = []
    for topic, human in zip(people.topics, people.values, strict=True):
        scores = aligned(people, matrix, topic)
        if scores is None:
            missing = math.comb(int(np.count_nonzero(~np.isnan(human))), 2)
            by_topic.append(TopicAgreement(topic=topic, missing=missing, why=f"{measure} has no scores"))
        else:
            pairs = pair_agreement(human, scores, better=better, half=half)
            reasons = [why for t, s, why in matrix.missing if t == topic and s in people.systems]
            by_topic.append(_of_topic(topic, pairs, reasons if np.isnan(scores).all() else ()))
    return by_topic


def _of_topic(topic: str, agreement: PairAgreement, reasons: Sequence[str]) -> TopicAgreement:
    """A topic on which a measure has no score at all says why it has none."""
    why = common_reason(reasons) if agreement.why and reasons else agreement.why
    return TopicAgreement(
        topic=topic,
        share=agreement.share,
        agreed=agreement.agreed,
        pairs=agreement.pairs,
        ties=agreement.ties,
        human_ties=agreement.human_ties,
        missing=agreement.missing,
        why=why,
    )


def _directed(data: Scores, human: str) -> list[str]:
    measures = [m for m in data.measures if m != human and data.table.info[m].better is not None]
    if not measures:
        raise DataError(f"{data.name}: nothing has been scored that could agree with {human}")
    return measures


def common_reason(reasons: Sequence[str | None]) -> str:
    """Why no topic has an agreement: the reason, where there is one, or how many there are."""
    distinct = list(dict.fromkeys(reason for reason in reasons if reason))
    if not distinct:
        return "no topic is judged"
    return (
        distinct[0]
        if len(distinct) == 1
        else f"{distinct[0]}, and {counted(len(distinct) - 1, 'other reason')}"
    )


def shown(value: float, missing: str = "n/a") -> str:
    """An agreement to three digits, as the paper prints it."""
    return missing if math.isnan(value) else f"{value:z.3f}"


# Which measure agrees more: one rule for tables and trajectories


Found = Literal["above", "below", "open", "hopeless"]
TESTED = "wilcoxon-holm"


def compared(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]], *, level: float = LEVEL
) -> list[Found]:
    """Of paired shares over topics, first and second: which is above, by Wilcoxon's test with Holm's correction.

    "open" is not significantly different. "hopeless" could not have been found: on so many topics where the two
    differ at all, no p is small enough. A pair in which the mean and the ranks lean to different sides is open.
    """
    results = []
    for one, other in pairs:
        x, y = np.asarray(one, np.float64), np.asarray(other, np.float64)
        kept = ~(np.isnan(x) | np.isnan(y))
        results.append(wilcoxon(x[kept], y[kept]))
    alpha = round(1 - level, 12)
    adjusted = holm([test.p for test in results])
    left = int(np.count_nonzero(adjusted >= alpha))
    verdicts: list[Found] = []
    for test, p in zip(results, adjusted, strict=True):
        way = np.sign(test.difference) if p < alpha else 0.0
        if way and way == np.sign(test.statistic):
            verdicts.append("above" if way > 0 else "below")
        else:
            never = math.isnan(p) or 2.0 ** (1 - test.wins - test.losses) * left >= alpha
            verdicts.append("hopeless" if never else "open")
    return verdicts


# The measures that the tables put side by side


MODEL_FREE = {"JS": "js"}
ROUGES = {"R1": "rouge-1", "R2": "rouge-2", "R3": "rouge-3", "R4": "rouge-4", "SU4": "rouge-su4"}
PYRAMID = {"PY": "pyramid"}
LINES = {**ROUGES, **MODEL_FREE}
"""What the trajectories of answers are compared with: horizontal lines."""


@dataclass(frozen=True)
class Columns:
    """Scores, why some measures have none, and the judged topics."""

    data: Scores
    why: Mapping[str, str] = field(default_factory=dict)
    """By spec: what a measure needs and is not there."""
    batches: Mapping[str, TopicBatch] = field(default_factory=dict)


def score_columns(source: PairSource, specs: Iterable[str], asked: PreferenceStudy[Any]) -> Columns:
    """Score what is new or has changed of these measures; what cannot be scored says why. Imported ones are there.

    People's measure is scored too, where one is named; it is an error where that cannot be.
    """
    assert source.folder is not None
    assert source.gathered is not None
    folder, collection, judgments = source.folder, source.gathered.collection, source.gathered.judgments
    why: dict[str, str] = {}
    ready = []
    wanted = [*specs, *([] if asked.human is None else [asked.human])]
    for measure in parse_measures(spec for spec in wanted if not imported(spec)):
        try:
            check_needs(collection, judgments, [measure])
        except AdjudgeError as error:
            why[str(measure)] = str(error)
        else:
            ready.append(measure)
    if ready:
        score(
            folder,
            collection,
            ready,
            judgments=judgments,
            workers=asked.workers,
            progress=asked.progress,
            partly=True,
        )
    data = Scores.of_folder(folder, collection, lambda: judgments)
    why |= {str(m): "no judgment gives such a score" for m in ready if str(m) not in data.measures}
    if asked.human is not None and (missing := why.get(expanded(asked.human)[0])):
        raise DataError(f"{Argument('human', asked.human)}: {missing}")
    return Columns(data=data, why=why, batches=source.gathered.batches)


def imported(spec: str) -> bool:
    """Whether a measure came with its numbers, as `expert:relevance` did."""
    return ":" in spec.partition("(")[0]


def expanded(spec: str) -> list[str]:
    """The measures that a spec stands for, as tables name them."""
    return [spec] if imported(spec) else [str(measure) for measure in parse_measures([spec])]


def plainest(measure: Preference) -> Preference:
    """The same measure without options that make no difference to its source: one number has one name."""
    plain = Preference()
    if "man" not in measure.parts:
        measure = replace(measure, asked=plain.asked, crowd=plain.crowd)
    if measure.parts == ("man",):
        measure = replace(measure, ties=plain.ties, simulated=plain.simulated)
        if measure.asked == "all":
            measure = replace(measure, seed=plain.seed)
    return measure


# Minutes of annotation


IDLE = 120.0
"""Seconds after which somebody is taken to have done something else; the paper's people took 16 a pair."""


@dataclass(frozen=True)
class Minutes:
    """Minutes of annotation by topic, and how well that is known."""

    topics: Mapping[str, float]
    answers: int
    """Answers by people."""
    timed: int
    """Of those, answers whose time is known."""
    idle: int
    """Of those, answers that took longer than `cap` and count as that."""
    cap: float
    """In seconds."""
    why: str | None = None

    @property
    def mean(self) -> float:
        """Per topic."""
        return math.fsum(self.topics.values()) / len(self.topics) if self.topics else math.nan


def minutes(
    events: Iterable[Event],
    topics: Mapping[str, str],
    *,
    question: str = PREFERENCE,
    cap: float = IDLE,
) -> Minutes:
    """The time that answers took, by topic; `topics` says to which topic a task belongs, for the tasks that count.

    An answer took as long as its sender says. Where nothing is said, it took the time since the same person's answer
    before, to whatever task. Longer than `cap` seconds is a pause, and counts as `cap`. What a person changes later
    took time too. Programs take none.
    """
    taken: dict[str, float] = {}
    answers = timed = idle = 0
    by_people = [event for event in events if event.origin not in PROGRAMS]
    for event, seconds in with_seconds(by_people):
        if event.task not in topics or event.question != question:
            continue
        answers += 1
        if seconds is not None:
            timed += 1
            idle += seconds > cap
            topic = topics[event.task]
            taken[topic] = taken.get(topic, 0.0) + min(seconds, cap) / 60
    why = None if timed else "no answer says when it was given" if answers else "nobody was asked"
    return Minutes(topics=taken, answers=answers, timed=timed, idle=idle, cap=cap, why=why)


def minutes_of(folder: Folder, *, cap: float = IDLE) -> Minutes:
    """What people who compared sentences took, by what the folder's store says."""
    if not folder.settings.database and not (folder.path / FILE).exists():
        return minutes([], {}, cap=cap)
    with store_of(folder) as store:
        tasks = store.tasks()
        asked = protocols_of(folder, dict.fromkeys(task.protocol for task in tasks))
        compare = {name for name, protocol in asked.items() if protocol.compares == "sentences"}
        topics = {task.id: task.topic for task in tasks if task.protocol in compare}
        return minutes(store.events() if topics else (), topics, cap=cap)


def with_seconds(events: Sequence[Event]) -> list[tuple[Event, float | None]]:
    """Every answer with its seconds, or None where they are not known."""
    before: dict[str, datetime] = {}
    timed = []
    for event, when in sorted(((e, moment_of(e.answered_at)) for e in events), key=_in_time):
        seconds = event.took_ms / 1000 if event.took_ms is not None else None
        if when is not None:
            if seconds is None and event.assessor in before:
                seconds = (when - before[event.assessor]).total_seconds()
            before[event.assessor] = when
        timed.append((event, seconds))
    return timed


def _in_time(timed: tuple[Event, datetime | None]) -> tuple[bool, datetime, int]:
    event, when = timed
    return when is None, when or datetime.min.replace(tzinfo=UTC), event.seq or 0


def moment_of(text: str | None) -> datetime | None:
    """A time; what cannot be read is not known."""
    try:
        when = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when is not None and when.tzinfo is None else when


# Convergence


@dataclass(frozen=True, slots=True)
class Point:
    """Agreement with so many answers: the mean of the runs, and where the middle of them lies."""

    n: int
    mean: float
    low: float
    high: float
    error: float
    """The standard error of the mean over runs."""


@dataclass(frozen=True)
class Trajectory:
    """One topic: agreement by the number of answers, and other measures' agreement on the same topic."""

    topic: str
    answers: int
    points: tuple[Point, ...] = ()
    lines: Mapping[str, float] = field(default_factory=dict)
    why: str | None = None

    def at(self, n: int) -> Point:
        """Where the topic stands with so many answers, or with all where it has fewer."""
        return next((point for point in self.points if point.n >= min(n, self.answers)), self.points[-1])


@dataclass(frozen=True, repr=False, kw_only=True)
class Convergence(Result):
    """Figure 3's data: a trajectory per topic."""

    WORDS: ClassVar[str] = "adjudge.analyses.preferences.study_words"
    FRAME: ClassVar[str] = "topics"
    IN_JSON: ClassVar[tuple[str, ...]] = ("topics",)
    FIGURES: ClassVar[Mapping[str, str]] = {
        "preferences-needed": "adjudge.analyses.preferences.figures:preferences_needed"
    }

    asked: PreferencesNeeded
    human: str
    topics: tuple[Trajectory, ...]
    not_scored: Mapping[str, str] = field(default_factory=dict)
    """Why other measures have no scores, by their headings."""
    answers: int = 0
    simulated: int = 0
    """Of these, simulated ones."""

    @property
    def runs(self) -> int:
        return self.asked.runs

    @property
    def level(self) -> float:
        return self.asked.level

    def how(self) -> str:
        o = self.asked
        options = f"smooth:{str(o.smooth).lower()}|similarity:{o.similarity}|penalty:{o.penalty}"
        return f"converge|human:{self.human}|systems:{o.systems}|{options}|runs:{o.runs}|seed:{o.seed}"

    def notes(self) -> Iterator[Note]:
        for why, n in Counter(topic.why for topic in self.topics if topic.why).items():
            yield Note.of("no-trajectory", n=n, why=why)
        for heading, why in self.not_scored.items():
            yield Note.of("not-scored", heading=heading, why=why)
        if self.simulated:
            yield Note.of("simulated-answers", n=self.simulated, of=self.answers)

    @property
    def measured(self) -> tuple[Trajectory, ...]:
        """The topics that have a trajectory."""
        return tuple(topic for topic in self.topics if topic.points)

    def mean(self) -> Iterator[tuple[int, float, int]]:
        """Answers, mean agreement over all topics, and how many topics have so many answers.

        A topic with fewer answers counts with all of its own: so the topics are the same from first to last.
        """
        most = max(self.measured, key=lambda topic: topic.answers, default=None)
        for n in () if most is None else [point.n for point in most.points]:
            means = [topic.at(n).mean for topic in self.measured]
            yield n, math.fsum(means) / len(means), sum(topic.answers >= n for topic in self.measured)

    def mean_intervals(self) -> Iterator[tuple[float, float]]:
        """Of every point of `mean`, Student's interval over topics; NaN where there is none."""
        if not self.measured:
            return
        most = max(self.measured, key=lambda topic: topic.answers)
        shares = np.array([[topic.at(point.n).mean for point in most.points] for topic in self.measured])
        low, high = _intervals(shares, level=self.level)
        yield from zip(low.tolist(), high.tolist(), strict=True)

    def lines(self) -> dict[str, float]:
        """Other measures' agreement, meaned over the topics that have a trajectory."""
        return {n: math.fsum(v) / len(v) if v else math.nan for n, v in self.line_shares().items()}

    def line_shares(self) -> dict[str, list[float]]:
        """By measure, its agreement on every topic that has both a trajectory and this measure."""
        names = dict.fromkeys(name for topic in self.measured for name in topic.lines)
        return {
            n: [t.lines[n] for t in self.measured if not math.isnan(t.lines.get(n, math.nan))] for n in names
        }

    def tables(self) -> Iterator[Table]:
        """Means over topics by the number of answers; then the other measures on the topics that have both."""
        yield Table.of(
            "convergence",
            self.mean(),
            "answers agreement topics",
            title=f"Agreement with {self.human} by the number of answers per topic",
        )
        shares, every = self.line_shares(), len(self.measured)
        some = any(len(values) < every for values in shares.values())
        yield Table.of(
            "measures",
            ((name, value, len(shares[name])) for name, value in self.lines().items()),
            Column("measure", right=False),
            Column("agreement", right=True),
            Column("topics", show="always" if some else "never"),
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"topics": self._topics_table}

    def _topics_table(self) -> Table:
        """Every topic with the interval of its runs, and other measures' agreement, their number of answers unset."""
        rows: list[tuple[Cell, ...]] = []
        for topic in self.topics:
            for p in topic.points:
                interval = f"{p.low:z.3f}-{p.high:z.3f}"
                rows.append((topic.topic, "preference", p.n, p.mean, interval, p.low, p.high, p.error))
            none = (None, math.nan, math.nan, math.nan)
            rows += [(topic.topic, name, None, share, *none) for name, share in topic.lines.items()]
        return Table.of(
            "topics",
            rows,
            "topic measure",
            Column("n", "answers", right=True),
            Column("mean", "agreement", right=True),
            Column("interval", f"{self.level:.0%} of runs", data=False, right=False),
            *(Column(name, show="never") for name in ("low", "high", "error")),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "human": self.human,
            "runs": self.runs,
            "level": self.level,
            "topics": [
                {"topic": topic.topic, "answers": topic.answers, "why": topic.why} for topic in self.topics
            ],
        }


STEP = 10
BLOCK = 10
"""Runs that one worker does together."""


@dataclass(frozen=True)
class PreparedTopic:
    """Everything of a topic that does not change from run to run; u = weights v (equations 4 and 5)."""

    topic: str
    answers: PairAnswers
    similarity: FloatArray | None
    """None: what an answer says of other pairs is not used."""
    weights: FloatArray
    human: FloatArray


def sizes(answers: int, step: int = STEP) -> list[int]:
    """10, 20, ... answers, and all of them."""
    return [*range(step, answers, step), answers] if answers else []


def one_run(prepared: PreparedTopic, at: Sequence[int], rng: np.random.Generator) -> FloatArray:
    """Agreement by the number of answers, in one random order of the answers.

    The first n of a random order are n drawn at random. Preferences add up, so that a step costs only what is new, and
    the fit starts where the one before ended.
    """
    order = rng.permutation(len(prepared.answers))
    n = prepared.answers.n
    wins, values, done = np.zeros((n, n)), np.ones(n), 0
    scores = np.empty((len(at), len(prepared.weights)))
    for row, size in enumerate(at):
        new = prepared.answers.take(order[done:size])
        wins += new.wins(prepared.similarity)
        values = fit(wins, start=values).values
        scores[row] = prepared.weights @ values
        done = size
    return agreement_shares(prepared.human, scores)


def _block(job: tuple[PreparedTopic, int, int, int, range]) -> FloatArray:
    prepared, step, seed, number, runs = job
    rng = generator(seed, f"prefer/converge/{prepared.topic}", number)
    at = sizes(len(prepared.answers), step)
    return np.array([one_run(prepared, at, rng) for _ in runs]).reshape(len(runs), len(at))


def convergence_of(source: PairSource, asked: PreferencesNeeded) -> Convergence:
    """Of a folder's answers; the measures beside them are scored first where they are not yet."""
    columns = score_columns(source, LINES.values(), asked)
    convergence = converge(columns.batches, columns.data, asked, LINES)
    return replace(
        convergence, not_scored={name: columns.why[m] for name, m in LINES.items() if m in columns.why}
    )


def converge(
    batches: Mapping[str, TopicBatch], data: Scores, asked: PreferencesNeeded, lines: Mapping[str, str]
) -> Convergence:
    """n of a topic's answers drawn at random, again and again, for n = step, 2 step, ..., all: agreement with people.

    `lines` are measures in `data`, by heading, that the trajectories are compared with. The draws of a topic depend on
    the seed and the topic's name alone.
    """
    if isinstance(asked.length, str):
        raise UsageError(f"answers are about texts of one length: say which with {Argument('length')}")
    people = human_matrix(data, asked.people, asked.systems, asked.length, asked.form)
    target = Target(asked.length or people.length, asked.form or people.target.form)
    prepared: dict[str, PreparedTopic | str] = {
        topic: prepare(batches.get(topic), people, row, target, asked.similarity, asked.smooth, asked.penalty)
        for row, topic in enumerate(people.topics)
    }
    ready = [topic for topic in prepared.values() if isinstance(topic, PreparedTopic)]
    blocks = chunked(range(asked.runs), BLOCK)
    jobs = [
        (topic, asked.step, asked.seed, number, block)
        for topic in ready
        for number, block in enumerate(blocks)
    ]
    shares_by_topic: dict[str, list[FloatArray]] = {topic.topic: [] for topic in ready}
    done = run(_block, jobs, workers=asked.workers)  # type: ignore[arg-type]
    for number, (job, shares) in enumerate(zip(jobs, done, strict=True), 1):
        shares_by_topic[job[0].topic].append(shares)
        asked.progress(number, len(jobs))
    beside = _lines(data, people, lines, asked)
    batch_answers = [human_answers(batch) for batch in batches.values()]
    return Convergence(
        asked=asked,
        human=people.measure,
        topics=tuple(
            _trajectory(t, prepared[t], shares_by_topic.get(t, []), asked.step, asked.level, beside[t])
            for t in people.topics
        ),
        answers=sum(len(answers.answers) for answers in batch_answers),
        simulated=sum(answers.simulated for answers in batch_answers),
    )


def prepare(
    batch: TopicBatch | None,
    people: ScoreMatrix,
    row: int,
    target: Target,
    similarity: str,
    smooth: bool,
    penalty: Penalty,
) -> PreparedTopic | str:
    """What the runs of a topic share, or why there can be none."""
    if batch is None:
        return "the topic has no summaries"
    answers = human_answers(batch)
    if (why := answers.why_none()) is not None:
        return why
    texts = [sentence.text for sentence in topic_sentences(batch)]
    alike = similarity_of(batch, similarity)
    by_system = {summary.system: summary for summary in of_target(batch.peers, target)}
    systems = [system for system in people.systems if system in by_system]
    weights = summary_weights(
        [by_system[system].text for system in systems], texts, alike, penalty=penalty, language=batch.language
    )
    human = people.values[row][[people.systems.index(system) for system in systems]]
    return PreparedTopic(
        topic=batch.topic.topic,
        answers=answers.answers,
        similarity=among(batch, similarity) if smooth else None,
        weights=weights,
        human=human,
    )


def of_target(peers: Sequence[Summary], target: Target) -> list[Summary]:
    """The summaries that people's scores are about; several of one system are never mixed."""
    length, form = target
    summaries = [peer for peer in peers if length is None or peer.length in (length, None)]
    summaries = [peer for peer in summaries if form is None or (peer.form or UNSET) in (form, UNSET)]
    if len({peer.system for peer in summaries}) < len(summaries):
        if len({peer.length for peer in summaries}) == 1:
            forms = listed([f or UNSET for f in dict.fromkeys(peer.form for peer in summaries)])
            raise _several(summaries[0].topic, "form", forms)
        lengths = listed([str(n or "unset") for n in dict.fromkeys(peer.length for peer in summaries)])
        raise _several(summaries[0].topic, "length", lengths)
    return summaries


def _several(topic: str, name: str, targets: str) -> DataError:
    return DataError(f"{topic}: summaries of several {name}s ({targets}): choose one with {Argument(name)}")


def _lines(
    data: Scores, people: ScoreMatrix, lines: Mapping[str, str], asked: PreferencesNeeded
) -> dict[str, dict[str, float]]:
    """By topic, the agreement of other measures, under their headings."""
    shares: dict[str, dict[str, float]] = {topic: {} for topic in people.topics}
    chosen = {name: measure for name, measure in lines.items() if measure in data.measures}
    if chosen:
        every = agreements(
            data,
            people.measure,
            list(chosen.values()),
            systems=asked.systems,
            length=asked.length,
            form=asked.form,
        )
        for name, measured in zip(chosen, every, strict=True):
            for topic in measured.topics:
                shares[topic.topic][name] = topic.share
    return shares


def _trajectory(
    topic: str,
    prepared: PreparedTopic | str,
    blocks: Sequence[FloatArray],
    step: int,
    level: float,
    lines: Mapping[str, float],
) -> Trajectory:
    if isinstance(prepared, str):
        return Trajectory(topic=topic, answers=0, lines=lines, why=prepared)
    shares = np.concatenate(blocks)
    answers = len(prepared.answers)
    if np.isnan(shares).all():
        why = "people see no difference between summaries"
        return Trajectory(topic=topic, answers=answers, lines=lines, why=why)
    low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2], axis=0)
    error = (
        shares.std(axis=0, ddof=1) / math.sqrt(len(shares)) if len(shares) > 1 else np.full(len(low), np.nan)
    )
    points = zip(sizes(answers, step), shares.mean(axis=0), low, high, error, strict=True)
    trajectory = tuple(Point(n, *(float(value) for value in rest)) for n, *rest in points)
    return Trajectory(topic=topic, answers=answers, points=trajectory, lines=lines)


# The paper's tables


TIME = "minutes"


@dataclass(frozen=True)
class PaperColumn:
    """One column: the mean over topics with its interval, or why there is none."""

    heading: str
    measure: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    topics: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many pairs a topic has that can be ordered."""
    why: str | None = None

    @property
    def pairs(self) -> int:
        """In the topics that the mean is over."""
        return sum(self.counts.get(topic, 0) for topic in self.topics)


class Smoothing(NamedTuple):
    """What smoothing does to a source of preferences."""

    source: str
    way: Found
    without: float
    smoothed: float


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table of the paper: a column per measure. `signatures` say what stands behind the headings."""

    name: str
    title: str
    cells: tuple[PaperColumn, ...]
    level: float
    without_pair: int = 0
    """Topics that have no pair to order."""
    lacking: int = 0
    """Topics that lack a column, and are left out."""
    unsure: tuple[str, ...] = ()
    """Columns without an interval."""
    differences: Mapping[str, Mapping[str, Found]] = field(default_factory=dict)
    """By a column of the evaluator's, how it compares with the others."""
    smoothing: tuple[Smoothing, ...] = ()
    sets: Mapping[str, str | None] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    minutes: Minutes | None = None
    """Of annotation; None where the table has no such column."""

    def __getitem__(self, heading: str) -> PaperColumn:
        return next(cell for cell in self.cells if cell.heading == heading)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that the means are over."""
        return next((tuple(cell.topics) for cell in self.cells if cell.topics), ())

    def notes(self) -> Iterator[Note]:
        """Why columns have no number, each reason once, and what was left out."""
        headings: dict[str, list[str]] = {}
        for cell in self.cells:
            if cell.why:
                headings.setdefault(cell.why, []).append(cell.heading)
        for why, some in headings.items():
            yield Note.of("no-number", headings=some, why=why).on(self.name)
        if self.without_pair:
            yield Note.of("no-pair-to-order", n=self.without_pair).on(self.name)
        if self.lacking:
            yield Note.of("lacks-a-column", n=self.lacking).on(self.name)
        if self.unsure:
            yield Note.of("no-interval", headings=self.unsure, least=LEAST_VARIED).on(self.name)

    def table(self, rows: Rows = "mean") -> Table:
        """As the paper has it: a row of means, or one per topic or set before it; then intervals and topics."""
        timed = self.minutes is not None
        mean = self.minutes.mean if self.minutes is not None else math.nan
        lines = [
            [name, *(shown(value) for value in values), *[""] * timed] for name, values in self.rows_by(rows)
        ]
        time = ["n/a" if math.isnan(mean) else f"{mean:.1f}"] * timed
        lines.append(["mean", *(shown(cell.value) for cell in self.cells), *time])
        lines.append([f"{self.level:.0%} interval", *(_interval(cell) for cell in self.cells), *[""] * timed])
        lines.append(["topics", *(str(len(cell.topics)) for cell in self.cells), *[""] * timed])
        return Table(
            name=self.name,
            columns=(
                Column("row", "", right=False),
                *(Column(cell.heading, right=True) for cell in self.cells),
                *[Column(TIME, right=True)] * timed,
            ),
            rows=tuple(map(tuple, lines)),
            title=self.title,
        )

    def rows_by(self, rows: Rows) -> Iterator[tuple[str, Sequence[float]]]:
        """A row per topic, or per document set: the mean of its topics."""
        if rows == "topic":
            for topic in self.topics:
                yield topic, [cell.topics.get(topic, math.nan) for cell in self.cells]
        elif rows == "set":
            groups: dict[str, list[str]] = {}
            for topic in self.topics:
                groups.setdefault(self.sets.get(topic) or "no set", []).append(topic)
            for name, members in groups.items():
                yield name, [_mean([cell.topics.get(t, math.nan) for t in members]) for cell in self.cells]


@dataclass(frozen=True, repr=False, kw_only=True)
class PreferenceTables(Result):
    """The paper's four tables for an evaluation, and one of further measures where some were named."""

    WORDS: ClassVar[str] = "adjudge.analyses.preferences.study_words"
    FRAME: ClassVar[str] = "columns"
    IN_JSON: ClassVar[tuple[str, ...]] = ("columns",)

    asked: PreferenceReport
    human: str
    papers: tuple[PaperTable, ...]
    answers: tuple[int, ...] = ()
    """How many there are, on the topics that have some."""
    simulated: int = 0

    def paper(self, name: str) -> PaperTable:
        return next(paper for paper in self.papers if paper.name == name)

    def how(self) -> str:
        ties = "half" if self.asked.half else "strict"
        return (
            f"human:{self.human}|systems:{self.asked.systems}|ties:{ties}|interval:t:topics:{self.asked.level:g}"
            f"|differences:{TESTED}"
        )

    def tables(self) -> Iterator[Table]:
        for paper in self.papers:
            yield paper.table(self.asked.rows)
        tables: dict[tuple[str, str], list[str]] = {}
        for paper in self.papers:
            for of in paper.signatures.items():
                tables.setdefault(of, []).append(paper.name)
        rows = [(heading, ", ".join(names), text) for (heading, text), names in tables.items()]
        yield Table.of("measures", rows, "column tables signature", title="What the columns are")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"columns": self._columns_table}

    def _columns_table(self) -> Table:
        """A row per column of a table; of rows by topic or set, one per column and topic or set."""
        rows = self.asked.rows
        if rows == "mean":
            return Table.of(
                "columns",
                (
                    (
                        p.name,
                        c.heading,
                        c.measure,
                        c.value,
                        c.low,
                        c.high,
                        p.level,
                        len(c.topics),
                        c.pairs,
                        c.why,
                    )
                    for p in self.papers
                    for c in p.cells
                ),
                "table column measure agreement low high level topics pairs why",
            )
        return Table.of(
            "columns",
            (
                (paper.name, name, cell.heading, cell.measure, value)
                for paper in self.papers
                for name, values in paper.rows_by(rows)
                for cell, value in zip(paper.cells, values, strict=True)
            ),
            f"table {rows} column measure agreement",
        )

    def facts(self) -> dict[str, Any]:
        minutes = self.papers[0].minutes
        return {
            "human": self.human,
            "minutes_per_topic": None if minutes is None else minutes.mean,
            "per_topic": {
                paper.name: {cell.heading: dict(cell.topics) for cell in paper.cells} for paper in self.papers
            },
        }

    def notes(self) -> Iterator[Note]:
        for number, paper in enumerate(self.papers):
            yield from paper.notes()
            if not number and self.answers:
                yield Note.of("answers-per-topic", counts=self.answers).on(paper.name)
                if self.simulated:
                    yield Note.of("simulated-answers", n=self.simulated, of=sum(self.answers)).on(paper.name)


def _interval(cell: PaperColumn) -> str:
    return "-" if math.isnan(cell.low) else f"{cell.low:z.3f}-{cell.high:z.3f}"


def _mean(values: Sequence[float]) -> float:
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


OWN = ("man", "ref", "py", "man+ref", "man+py", "man+ref+py")
FEW = ("R1", "R2", "R4", "PY")
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "table-1": ("Table 1. Agreement with people: measures, and people's preferences", ("JS", *ROUGES, "man")),
    "table-2": (
        "Table 2. Agreement with people: preferences with simulated ones added",
        (*FEW, "man+ref", "man+py", "man+ref+py"),
    ),
    "table-3": ("Table 3. Agreement with people: simulated preferences alone", (*FEW, "ref", "py")),
}
RANKED = "Sentence pairs that strengths order as pyramid weights do: without and with smoothing"
REF_PAIRS = "200"
"""Pairs of Table 4's ref (section 5.5); how many py has there the paper does not say, so it has what it has alone."""


def own_measures(base: Preference) -> dict[str, str]:
    """The evaluator's six columns as measures; `base` has the options that they share."""
    return {source: str(_of(base, source)) for source in OWN}


def _of(base: Preference, source: str) -> Preference:
    """Whom to believe is a question about people only."""
    return plainest(replace(base, source=source, crowd=base.crowd and "man" in source))


def specs(base: Preference) -> dict[str, str]:
    """Every column of the first three tables, by its heading."""
    return {**MODEL_FREE, **ROUGES, **PYRAMID, **own_measures(base)}


def tables_of(source: PairSource, asked: PreferenceReport) -> PreferenceTables:
    """The tables of a folder; what they need and is not scored yet is scored first."""
    assert source.folder is not None
    columns = score_columns(source, [*specs(_base(asked)).values(), *(asked.measure or ())], asked)
    return paper_tables(columns, asked, minutes_of(source.folder, cap=asked.idle))


def _base(asked: PreferenceReport) -> Preference:
    """The measure `preference` with the options that the evaluator's columns share."""
    return Preference(
        similarity=asked.similarity,
        smooth=asked.smooth,
        penalty=asked.penalty,
        ties=asked.ties,
        asked=str(asked.asked),
        simulated=str(asked.simulated),
        seed=asked.seed,
        crowd=asked.crowd,
    )


def paper_tables(columns: Columns, asked: PreferenceReport, minutes: Minutes) -> PreferenceTables:
    """All four tables, and one of further measures where some are named.

    A table is over the topics that all of its columns have, so that its means can be compared.
    """
    base, data, level = _base(asked), columns.data, asked.level
    name = data.resolve(asked.people)
    named = [part for m in asked.measure or () for part in ([m] if m in data.measures else split_specs(m))]
    extra = {m: m for spec in named for m in ([spec] if spec in data.measures else expanded(spec))}
    wanted = {**specs(base), **extra}
    why = _why_not(columns, wanted, name)
    scored = {heading: measure for heading, measure in wanted.items() if heading not in why}
    measured = []
    if scored:
        measured = agreements(
            data,
            name,
            list(scored.values()),
            systems=asked.systems,
            length=asked.length,
            form=asked.form,
            half=asked.half,
        )
    by_heading = dict(zip(scored, measured, strict=True))
    topics = list(dict.fromkeys([*data.topics, *(topic.topic for m in measured for topic in m.topics)]))
    sets = dict(zip(topics, data.topic_values("set", topics), strict=True))
    signatures = {heading: data.table.info[m].signature for heading, m in scored.items()}
    more = {"more": ("Agreement with people: the measures named", tuple(extra))} if extra else {}
    papers = []
    for table, (title, headings) in {**TABLES, **more}.items():
        paper = _table(table, title, _cells(headings, wanted, by_heading, why), level, sets)
        shown_signatures = {c.heading: signatures[c.heading] for c in paper.cells if c.why is None}
        papers.append(replace(paper, differences=_differences(paper), signatures=shown_signatures))
    papers[0] = replace(papers[0], minutes=minutes)
    ranked = ranked_sentences(columns.batches, base, level=level, sets=sets)
    batch_answers = [human_answers(batch) for batch in columns.batches.values()]
    return PreferenceTables(
        asked=asked,
        human=name,
        papers=(*papers[: len(TABLES)], ranked, *papers[len(TABLES) :]),
        answers=tuple(len(answers.answers) for answers in batch_answers if len(answers.answers)),
        simulated=sum(answers.simulated for answers in batch_answers),
    )


def _why_not(columns: Columns, wanted: Mapping[str, str], human: str) -> dict[str, str]:
    """Why columns have no scores, by heading."""
    reasons = {}
    for heading, measure in wanted.items():
        if measure == human:
            reasons[heading] = "it is what the others are compared with"
        elif measure in columns.why or measure not in columns.data.measures:
            reasons[heading] = columns.why.get(measure, "not scored")
    return reasons


def _cells(
    headings: Sequence[str],
    specs: Mapping[str, str],
    by_heading: Mapping[str, MeasureAgreement],
    why: Mapping[str, str],
) -> list[PaperColumn]:
    cells = []
    for heading in headings:
        if heading in why:
            cells.append(PaperColumn(heading, specs[heading], why=why[heading]))
            continue
        agreement = by_heading[heading]
        topics = {} if agreement.why else {topic.topic: topic.share for topic in agreement.topics}
        counts = {topic.topic: topic.pairs for topic in agreement.topics}
        cells.append(PaperColumn(heading, specs[heading], topics=topics, counts=counts, why=agreement.why))
    return cells


def _table(
    name: str, title: str, cells: Sequence[PaperColumn], level: float, sets: Mapping[str, str | None]
) -> PaperTable:
    """Means and intervals over the topics that all columns have; a column without any topic stays out of that."""
    some = [k for k, cell in enumerate(cells) if cell.why is None]
    every = list(dict.fromkeys(topic for k in some for topic in cells[k].topics))
    shares = np.array([[cells[k].topics.get(topic, math.nan) for k in some] for topic in every])
    shares = shares.reshape(len(every), len(some))
    kept, empty = ~np.isnan(shares).any(axis=1), np.isnan(shares).all(axis=1)
    topics, shares = [topic for topic, keep in zip(every, kept, strict=True) if keep], shares[kept]
    done = list(cells)
    if not topics:
        reason = "no topic has all columns" if some else ""
        done = [replace(cell, topics={}, why=cell.why or reason) for cell in cells]
    else:
        low, high = _intervals(shares, level=level)
        for column, k in enumerate(some):
            by_topic = dict(zip(topics, shares[:, column].tolist(), strict=True))
            mean = math.fsum(by_topic.values()) / len(by_topic)
            done[k] = replace(
                cells[k], topics=by_topic, value=mean, low=float(low[column]), high=float(high[column])
            )
    unsure = (
        [cell.heading for cell in done if cell.topics and math.isnan(cell.low)] if len(topics) > 1 else []
    )
    none = int(np.count_nonzero(empty))
    left = len(every) - len(topics) - none
    return PaperTable(
        name=name,
        title=title,
        cells=tuple(done),
        level=level,
        without_pair=none,
        lacking=left if topics else 0,
        unsure=tuple(unsure),
        sets=sets,
    )


def _differences(table: PaperTable) -> dict[str, dict[str, Found]]:
    """Which measures the evaluator's columns agree with people more, or less, than; one family a table."""
    computed = [cell for cell in table.cells if cell.why is None]
    others = [cell for cell in computed if cell.heading not in OWN]
    evaluator_cells = [cell for cell in computed if cell.heading in OWN]
    if len(table.topics) < 2 or not others:
        return {}
    pairs = [(_shares(one, table), _shares(other, table)) for one in evaluator_cells for other in others]
    ways = iter(compared(pairs, level=table.level))
    return {one.heading: {other.heading: next(ways) for other in others} for one in evaluator_cells}


def _shares(cell: PaperColumn, table: PaperTable) -> list[float]:
    return [cell.topics[topic] for topic in table.topics]


# Table 4


def ranked_sentences(
    batches: Mapping[str, TopicBatch],
    base: Preference,
    *,
    level: float = LEVEL,
    sets: Mapping[str, str | None] | None = None,
) -> PaperTable:
    """Table 4: of the pairs of sentences with different pyramid weights, the share that strengths order correctly."""
    measures = {
        f"{'smoothed ' if smooth else ''}{source}": _of(
            replace(base, smooth=smooth, simulated=_pairs(base, source)), source
        )
        for smooth in (False, True)
        for source in ("man", "py", "ref")
    }
    cells = [_ranked(heading, measure, batches) for heading, measure in measures.items()]
    table = _table("table-4", f"Table 4. {RANKED}", cells, level, sets or {})
    return replace(
        table,
        smoothing=tuple(_smoothing(table)),
        signatures={c.heading: measures[c.heading].signature() for c in table.cells if c.why is None},
    )


def _pairs(base: Preference, source: str) -> str:
    return REF_PAIRS if source == "ref" and base.simulated == "paper" else base.simulated


def _ranked(heading: str, measure: Preference, batches: Mapping[str, TopicBatch]) -> PaperColumn:
    shares: dict[str, float] = {}
    counts: dict[str, int] = {}
    reasons: list[str | None] = []
    for topic, batch in batches.items():
        ordered = _ordered(batch, measure)
        if isinstance(ordered, str):
            reasons.append(ordered)
        else:
            shares[topic], counts[topic] = ordered
    why = None if shares else common_reason(reasons)
    return PaperColumn(heading, str(measure), topics=shares, counts=counts, why=why)


def _ordered(batch: TopicBatch, measure: Preference) -> tuple[float, int] | str:
    """The share of a topic's sentence pairs that are ordered as the pyramid says, and of how many; or why not."""
    recipe = measure.recipe()
    strengths = strengths_of(batch, recipe)
    if isinstance(strengths, str):
        return strengths
    truth: FloatArray = pyramid_worth(batch, similarity_of(batch, recipe.similarity))
    if np.isnan(truth).all():
        return "no peer has a pyramid annotation"
    agreement = pair_agreement(truth, strengths.log)
    return (
        "all sentences have the same pyramid weight" if agreement.why else (agreement.share, agreement.pairs)
    )


def _smoothing(table: PaperTable) -> Iterator[Smoothing]:
    """What smoothing does to each source; one family."""
    by_heading = {cell.heading: cell for cell in table.cells if cell.why is None}
    both = [
        (source, by_heading[source], by_heading[f"smoothed {source}"])
        for source in ("man", "py", "ref")
        if source in by_heading and f"smoothed {source}" in by_heading
    ]
    ways = compared(
        [(_shares(smooth, table), _shares(bare, table)) for _, bare, smooth in both], level=table.level
    )
    for (source, bare, smooth), way in zip(both, ways, strict=True):
        yield Smoothing(source, way, bare.value, smooth.value)
