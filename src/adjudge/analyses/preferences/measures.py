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

from adjudge.analyses.gathered import chosen_in
from adjudge.analyses.preferences import PreferenceReport, PreferencesNeeded, PreferenceStudy, Rows, Systems
from adjudge.analyses.preferences.source import PairSource
from adjudge.analyses.scores import Scores, every_variant, is_imported
from adjudge.core.engine import chunked, generator, run
from adjudge.core.errors import AdjudgeError, DataError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden
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
class TopicAgreement(PairAgreement):
    """A measure and people on one topic."""

    topic: str = ""


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
        numbers = ("share", "agreed", "pairs", "ties", "human_ties", "missing", "why")
        yield Table.of(
            "agreement",
            (
                (self.measure, self.human, topic.topic, *(getattr(topic, name) for name in numbers))
                for topic in self.topics
            ),
            *hidden("measure human"),
            Column("topic", right=False),
            Column("share", "agreement", right=True),
            Column("agreed", show="never"),
            "pairs",
            *(Column(name, show="never") for name in numbers[3:]),
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
    chosen = [measure for spec in measures for measure in data.resolved(spec)] or [
        name for name in data.measures if name != people.measure and data.table.info[name].better is not None
    ]
    if not chosen:
        raise DataError(f"{data.name}: nothing has been scored that could agree with {people.measure}")
    by_measure = []
    for name in chosen:
        of_length, of_form = data.target_for(name, length, form)
        by_measure.append(
            list(_by_topic(people, data.matrix(name, length=of_length, form=of_form), half=half))
        )
    shares = np.array([[topic.share for topic in topics] for topics in by_measure]).T
    low, high = _intervals(shares.reshape(-1, len(by_measure)), level=level)
    return [
        MeasureAgreement(
            measure=measure,
            human=people.measure,
            topics=tuple(topics),
            mean=_mean([topic.share for topic in topics]),
            low=float(low[k]),
            high=float(high[k]),
            level=level,
            systems=systems,
            half=half,
            why=None if any(topic.pairs for topic in topics) else common_reason([t.why for t in topics]),
        )
        for k, (measure, topics) in enumerate(zip(chosen, by_measure, strict=True))
    ]


def _mean(values: Iterable[float]) -> float:
    """Of those that are there."""
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def _intervals(shares: FloatArray, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Of column means, by Student's t over topics; NaN where a column hardly varies, so that nothing would cover.

    The rule is that of `compare`. A mean of shares is between 0 and 1, and so is what is shown of its interval.
    """
    means, without = t_means(shares, level=level), flat(shares)
    low, high = np.maximum(means.low, 0.0), np.minimum(means.high, 1.0)
    return np.where(without, np.nan, low), np.where(without, np.nan, high)


def human_matrix(
    data: Scores,
    human: str,
    systems: Systems = "machine",
    length: int | AllLengths | None = None,
    form: str | None = None,
) -> ScoreMatrix:
    """What people say of the systems that count, turned so that higher is better."""
    name = data.resolve(human)
    return data.higher_is_better(name, "people", length=length, form=form, among=_AMONG[systems])


def _by_topic(people: ScoreMatrix, matrix: ScoreMatrix, *, half: bool) -> Iterator[TopicAgreement]:
    better = matrix.info.better
    if better is None:
        raise UsageError(f"{matrix.measure} is a description: nobody is better by it, so it cannot agree")
    rows = dict(zip(matrix.topics, matrix.values.tolist(), strict=True))
    for topic, human in zip(people.topics, people.values, strict=True):
        if topic not in rows:
            missing = math.comb(int(np.count_nonzero(~np.isnan(human))), 2)
            none = PairAgreement(share=math.nan, agreed=0, pairs=0, ties=0, missing=missing)
            yield TopicAgreement(**asdict(none) | {"topic": topic, "why": f"{matrix.measure} has no scores"})
            continue
        by_system = dict(zip(matrix.systems, rows[topic], strict=True))
        scores = np.array([by_system.get(system, math.nan) for system in people.systems])
        pairs = pair_agreement(human, scores, better=better, half=half)
        reasons = [why for t, s, why in matrix.missing if t == topic and s in people.systems]
        why = pairs.why
        if why and reasons and np.isnan(scores).all():
            why = common_reason(reasons)
        yield TopicAgreement(**asdict(pairs) | {"topic": topic, "why": why})


def common_reason(reasons: Sequence[str | None]) -> str:
    """Why no topic has an agreement: the reason, where there is one, or how many there are."""
    distinct = list(dict.fromkeys(reason for reason in reasons if reason)) or ["no topic is judged"]
    others = f", and {counted(len(distinct) - 1, 'other reason')}" if len(distinct) > 1 else ""
    return f"{distinct[0]}{others}"


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
ROUGES = {**{f"R{n}": f"rouge-{n}-recall" for n in (1, 2, 3, 4)}, "SU4": "rouge-su4"}
LINES = {**ROUGES, **MODEL_FREE}
"""What the trajectories of answers are compared with: horizontal lines."""


@dataclass(frozen=True)
class Columns:
    """Scores, why some measures have none, and the judged topics."""

    data: Scores
    why: Mapping[str, str] = field(default_factory=dict)
    """By spec: what a measure needs and is not there."""
    batches: Mapping[str, TopicBatch] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    """Which topics these are of, where they are not of all."""

    def why_not(self, measure: str, human: str) -> str | None:
        """Why a column of this measure has no number."""
        if measure == human:
            return "it is what the others are compared with"
        if measure in self.why or measure not in self.data.measures:
            return self.why.get(measure, "not scored")
        return None


def score_columns(source: PairSource, specs: Iterable[str], asked: PreferenceStudy[Any]) -> Columns:
    """Score what is new or has changed of these measures; what cannot be scored says why. Imported ones are there.

    People's measure is scored too, where one is named; it is an error where that cannot be.
    """
    assert source.folder is not None
    assert source.gathered is not None
    folder, collection, judgments = source.folder, source.gathered.collection, source.gathered.judgments
    why: dict[str, str] = {}
    ready = []
    wanted = [*specs, *([] if asked.people is None else [asked.people])]
    for measure in parse_measures(spec for spec in wanted if not is_imported(spec)):
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
    why |= {
        str(m): "no judgment gives such a score"
        for m in ready
        if str(m) not in data.measures and not every_variant(str(m), data.measures)
    }
    if asked.people is not None and (missing := why.get(expanded(asked.people)[0])):
        raise DataError(f"{Argument('people', asked.people)}: {missing}")
    gathered = source.gathered.of_topics(chosen_in(collection, asked.topics))
    return Columns(
        data=data.of_topics(asked.topics),
        why=why,
        batches=gathered.batches,
        about=(gathered.chosen,) if gathered.chosen else (),
    )


def expanded(spec: str) -> list[str]:
    """The measures that a spec stands for, as tables name them."""
    return [spec] if is_imported(spec) else [str(measure) for measure in parse_measures([spec])]


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
    why: str | None = None

    @property
    def mean(self) -> float:
        return _mean(self.topics.values())


def minutes(events: Iterable[Event], topics: Mapping[str, str], *, cap: float = IDLE) -> Minutes:
    """The time that answers took, by topic; `topics` says to which topic a task belongs, for the tasks that count.

    An answer took as long as its sender says. Where nothing is said, it took the time since the same person's answer
    before, to whatever task. Longer than `cap` seconds is a pause, and counts as `cap`. What a person changes later
    took time too. Programs take none.
    """
    taken: dict[str, float] = {}
    answers = timed = idle = 0
    for event, seconds in with_seconds([event for event in events if event.origin not in PROGRAMS]):
        if event.task not in topics or event.question != PREFERENCE:
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
    first = datetime.min.replace(tzinfo=UTC)
    moments = [(event, moment_of(event.answered_at)) for event in events]
    moments.sort(key=lambda moment: (moment[1] is None, moment[1] or first, moment[0].seq or 0))
    before: dict[str, datetime] = {}
    timed = []
    for event, when in moments:
        seconds = event.took_ms / 1000 if event.took_ms is not None else None
        if when is not None:
            if seconds is None and event.assessor in before:
                seconds = (when - before[event.assessor]).total_seconds()
            before[event.assessor] = when
        timed.append((event, seconds))
    return timed


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

    @property
    def _sizes(self) -> list[int]:
        """Of the topic that has most answers, the numbers of them that were drawn."""
        most = max(self.measured, key=lambda topic: topic.answers, default=None)
        return [] if most is None else [point.n for point in most.points]

    def mean(self) -> Iterator[tuple[int, float, int]]:
        """Answers, mean agreement over all topics, and how many topics have so many answers.

        A topic with fewer answers counts with all of its own: so the topics are the same from first to last.
        """
        for n in self._sizes:
            yield n, _mean(t.at(n).mean for t in self.measured), sum(t.answers >= n for t in self.measured)

    def mean_intervals(self) -> Iterator[tuple[float, float]]:
        """Of every point of `mean`, Student's interval over topics; NaN where there is none."""
        if self.measured:
            shares = np.array([[topic.at(n).mean for n in self._sizes] for topic in self.measured])
            low, high = _intervals(shares, level=self.asked.level)
            yield from zip(low.tolist(), high.tolist(), strict=True)

    def lines(self) -> dict[str, float]:
        """Other measures' agreement, meaned over the topics that have a trajectory."""
        return {name: _mean(shares) for name, shares in self.line_shares().items()}

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
            Column("interval", f"{self.asked.level:.0%} of runs", data=False, right=False),
            *hidden("low high error"),
        )

    def facts(self) -> dict[str, Any]:
        topics = [{"topic": t.topic, "answers": t.answers, "why": t.why} for t in self.topics]
        return {"human": self.human, "runs": self.asked.runs, "level": self.asked.level, "topics": topics}


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
    """Some runs of a topic, as one worker does them; runs x numbers of answers."""
    prepared, step, seed, number, runs = job
    rng = generator(seed, f"prefer/converge/{prepared.topic}", number)
    at = sizes(len(prepared.answers), step)
    return np.array([one_run(prepared, at, rng) for _ in runs]).reshape(len(runs), len(at))


def convergence_of(source: PairSource, asked: PreferencesNeeded) -> Convergence:
    """Of a folder's answers; the measures beside them are scored first where they are not yet."""
    columns = score_columns(source, LINES.values(), asked)
    convergence = converge(columns.batches, columns.data, asked, LINES)
    return replace(
        convergence,
        not_scored={name: columns.why[m] for name, m in LINES.items() if m in columns.why},
        about_scores=columns.about,
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
    people = human_matrix(data, asked.people_measure, asked.systems, asked.length, asked.form)
    prepared = {
        topic: prepare(batches.get(topic), people, values, asked)
        for topic, values in zip(people.topics, people.values, strict=True)
    }
    jobs = [
        (topic, asked.step, asked.seed, number, block)
        for topic in prepared.values()
        if isinstance(topic, PreparedTopic)
        for number, block in enumerate(chunked(range(asked.runs), BLOCK))
    ]
    shares_by_topic: dict[str, list[FloatArray]] = {}
    done = run(_block, jobs, workers=asked.workers)  # type: ignore[arg-type]
    for number, (job, shares) in enumerate(zip(jobs, done, strict=True), 1):
        shares_by_topic.setdefault(job[0].topic, []).append(shares)
        asked.progress(number, len(jobs))
    beside: dict[str, dict[str, float]] = {topic: {} for topic in people.topics}
    if chosen := {name: measure for name, measure in lines.items() if measure in data.measures}:
        names = list(chosen.values())
        every = agreements(
            data, people.measure, names, systems=asked.systems, length=asked.length, form=asked.form
        )
        for name, measured in zip(chosen, every, strict=True):
            for topic_agreement in measured.topics:
                beside[topic_agreement.topic][name] = topic_agreement.share
    batch_answers = [human_answers(batch) for batch in batches.values()]
    return Convergence(
        asked=asked,
        human=people.measure,
        topics=tuple(
            _trajectory(Trajectory(topic=t, answers=0, lines=beside[t]), prepared[t], shares_by_topic, asked)
            for t in people.topics
        ),
        answers=sum(len(answers.answers) for answers in batch_answers),
        simulated=sum(answers.simulated for answers in batch_answers),
    )


def prepare(
    batch: TopicBatch | None, people: ScoreMatrix, values: FloatArray, asked: PreferencesNeeded
) -> PreparedTopic | str:
    """What the runs of a topic share, or why there can be none; `values` is people's row."""
    if batch is None:
        return "the topic has no summaries"
    answers = human_answers(batch)
    if (why := answers.why_none()) is not None:
        return why
    texts = [sentence.text for sentence in topic_sentences(batch)]
    alike = similarity_of(batch, asked.similarity)
    assert not isinstance(asked.length, str)
    target = Target(asked.length or people.length, asked.form or people.target.form)
    by_system = {summary.system: summary for summary in of_target(batch.peers, target)}
    at = [k for k, system in enumerate(people.systems) if system in by_system]
    return PreparedTopic(
        topic=batch.topic.topic,
        answers=answers.answers,
        similarity=among(batch, asked.similarity) if asked.smooth else None,
        weights=summary_weights(
            [by_system[people.systems[k]].text for k in at],
            texts,
            alike,
            penalty=asked.penalty,
            language=batch.language,
        ),
        human=values[at],
    )


def of_target(peers: Sequence[Summary], target: Target) -> list[Summary]:
    """The summaries that people's scores are about; several of one system are never mixed."""
    length, form = target
    summaries = [peer for peer in peers if length is None or peer.length in (length, None)]
    summaries = [peer for peer in summaries if form is None or (peer.form or UNSET) in (form, UNSET)]
    if len({peer.system for peer in summaries}) < len(summaries):
        name = "form" if len({peer.length for peer in summaries}) == 1 else "length"
        there = listed([str(value or UNSET) for value in dict.fromkeys(getattr(p, name) for p in summaries)])
        raise DataError(
            f"{summaries[0].topic}: summaries of several {name}s ({there}): choose one with {Argument(name)}"
        )
    return summaries


def _trajectory(
    empty: Trajectory,
    prepared: PreparedTopic | str,
    blocks: Mapping[str, Sequence[FloatArray]],
    asked: PreferencesNeeded,
) -> Trajectory:
    if isinstance(prepared, str):
        return replace(empty, why=prepared)
    shares, answers = np.concatenate(blocks[empty.topic]), len(prepared.answers)
    if np.isnan(shares).all():
        return replace(empty, answers=answers, why="people see no difference between summaries")
    low, high = np.quantile(shares, [(1 - asked.level) / 2, (1 + asked.level) / 2], axis=0)
    error = np.full(len(low), np.nan)
    if len(shares) > 1:
        error = shares.std(axis=0, ddof=1) / math.sqrt(len(shares))
    points = zip(sizes(answers, asked.step), shares.mean(axis=0), low, high, error, strict=True)
    return replace(
        empty,
        answers=answers,
        points=tuple(Point(n, *(float(value) for value in rest)) for n, *rest in points),
    )


# The paper's tables


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
    over: str = ""
    """What stands above the headings of several columns; these do not say it again."""

    @property
    def short(self) -> str:
        """The heading below that."""
        return self.heading.removeprefix(f"{self.over} ")

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
    left_out: tuple[Note, ...] = ()
    """Of topics that are not in the means, and of columns without an interval."""
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

    def shares(self, cell: PaperColumn) -> list[float]:
        """A column's, on the topics that the means are over."""
        return [cell.topics[topic] for topic in self.topics]

    def notes(self) -> Iterator[Note]:
        """Why columns have no number, each reason once, and what was left out."""
        headings: dict[str, list[str]] = {}
        for cell in self.cells:
            if cell.why:
                headings.setdefault(cell.why, []).append(cell.heading)
        numberless = [Note.of("no-number", headings=some, why=why) for why, some in headings.items()]
        for note in (*numberless, *self.left_out):
            yield note.on(self.name)

    def table(self, rows: Rows = "mean") -> Table:
        """As the paper has it: a row of means, or one per topic or set before it; then intervals and topics."""
        lines = [(name, [shown(value) for value in values], "") for name, values in self.rows_by(rows)]
        minutes = math.nan if self.minutes is None else self.minutes.mean
        time = "n/a" if math.isnan(minutes) else f"{minutes:.1f}"
        intervals = ["-" if math.isnan(c.low) else f"{c.low:z.3f}-{c.high:z.3f}" for c in self.cells]
        lines += [
            ("mean", [shown(cell.value) for cell in self.cells], time),
            (f"{self.level:.0%} interval", intervals, ""),
            ("topics", [str(len(cell.topics)) for cell in self.cells], ""),
        ]
        columns = [Column(cell.heading, cell.short, right=True, over=cell.over) for cell in self.cells]
        if self.minutes is not None:
            columns.append(Column("minutes", right=True))
        return Table.of(
            self.name,
            ((name, *[*numbers, last][: len(columns)]) for name, numbers, last in lines),
            Column("row", "", right=False),
            *columns,
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

    @property
    def against(self) -> str:
        """What measures are compared with: `coverage at 100 words`."""
        return self.human if self.asked.length is None else f"{self.human} at {self.asked.length} words"

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
        by = self.asked.rows
        rows: list[tuple[Cell, ...]] = []
        for paper in self.papers:
            for c in paper.cells if by == "mean" else ():
                numbers = (c.value, c.low, c.high, paper.level, len(c.topics), c.pairs)
                rows.append((paper.name, c.heading, c.measure, *numbers, c.why))
            for name, values in paper.rows_by(by):
                for c, value in zip(paper.cells, values, strict=True):
                    rows.append((paper.name, name, c.heading, c.measure, value))
        names = f"table {by} column measure agreement"
        if by == "mean":
            names = "table column measure agreement low high level topics pairs why"
        return Table.of("columns", rows, names)

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
RANKED_TABLE = "table-4"
RANKED = "Sentence pairs that strengths order as pyramid weights do: without and with smoothing"
REF_PAIRS = "200"
"""Pairs of Table 4's ref (section 5.5); how many py has there the paper does not say, so it has what it has alone."""


def _of(base: Preference, source: str) -> Preference:
    """Whom to believe is a question about people only."""
    return plainest(replace(base, source=source, crowd=base.crowd and "man" in source))


def specs(base: Preference) -> dict[str, str]:
    """Every column of the first three tables, by its heading; `base` has the options that the evaluator's share."""
    return {**MODEL_FREE, **ROUGES, "PY": "pyramid"} | {source: str(_of(base, source)) for source in OWN}


def tables_of(source: PairSource, asked: PreferenceReport) -> PreferenceTables:
    """The tables of a folder; what they need and is not scored yet is scored first."""
    assert source.folder is not None
    columns = score_columns(source, [*specs(_base(asked)).values(), *(asked.measure or ())], asked)
    tables = paper_tables(columns, asked, minutes_of(source.folder, cap=asked.idle))
    return replace(tables, about_scores=columns.about)


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
    base, data = _base(asked), columns.data
    people = data.resolve(asked.people_measure)
    named = [part for m in asked.measure or () for part in ([m] if m in data.measures else split_specs(m))]
    extra = {m: m for spec in named for m in ([spec] if spec in data.measures else expanded(spec))}
    cells = {
        heading: PaperColumn(heading, measure, why=columns.why_not(measure, people))
        for heading, measure in {**specs(base), **extra}.items()
    }
    scored = [cell for cell in cells.values() if cell.why is None]
    measured = []
    if scored:
        measured = agreements(
            data,
            people,
            [cell.measure for cell in scored],
            systems=asked.systems,
            length=asked.length,
            form=asked.form,
            half=asked.half,
        )
    for cell, of in zip(scored, measured, strict=True):
        cells[cell.heading] = replace(
            cell,
            topics={} if of.why else {topic.topic: topic.share for topic in of.topics},
            counts={topic.topic: topic.pairs for topic in of.topics},
            why=of.why,
        )
    topics = list(dict.fromkeys([*data.topics, *(topic.topic for m in measured for topic in m.topics)]))
    sets = dict(zip(topics, data.topic_values("set", topics), strict=True))
    more = {"more": ("Agreement with people: the measures named", tuple(extra))} if extra else {}
    papers = []
    for table, (title, headings) in {**TABLES, **more}.items():
        paper = _table(table, title, [cells[heading] for heading in headings], asked.level, sets)
        signatures = {c.heading: data.table.info[c.measure].signature for c in paper.cells if c.why is None}
        papers.append(replace(paper, differences=_differences(paper), signatures=signatures))
    papers[0] = replace(papers[0], minutes=minutes)
    ranked = ranked_sentences(columns.batches, base, level=asked.level, sets=sets)
    batch_answers = [human_answers(batch) for batch in columns.batches.values()]
    return PreferenceTables(
        asked=asked,
        human=people,
        papers=(*papers[: len(TABLES)], ranked, *papers[len(TABLES) :]),
        answers=tuple(len(answers.answers) for answers in batch_answers if len(answers.answers)),
        simulated=sum(answers.simulated for answers in batch_answers),
    )


def stacked(tables: Mapping[str, PreferenceTables], name: str) -> Table:
    """One of the paper's tables; of several data sets one below the other, as the paper has corpora."""
    several = len(tables) > 1
    heads = {data: f"{data}: " if several else "" for data in tables}
    results = {data: result.only([name]) for data, result in tables.items()}
    papers = {data: result.paper(name) for data, result in tables.items()}
    first = next(iter(papers.values())).table()
    compared = (
        "" if name == RANKED_TABLE else f"; people's measure: {listed([r.against for r in tables.values()])}"
    )
    return replace(
        first,
        title=f"{first.title}{compared}",
        rows=tuple(
            (f"{heads[data]}{row[0]}", *row[1:]) for data, p in papers.items() for row in p.table().rows
        ),
        sentences=tuple(f"{heads[data]}{line}" for data, r in results.items() for line in r.sentences()),
        notes=tuple(f"{heads[data]}{line}" for data, r in results.items() for line in r.warnings()),
        signature="\n".join(dict.fromkeys(r.signature for r in results.values())),
    )


def _table(
    name: str, title: str, cells: Sequence[PaperColumn], level: float, sets: Mapping[str, str | None]
) -> PaperTable:
    """Means and intervals over the topics that all columns have; a column without any topic stays out of that."""
    some = [k for k, cell in enumerate(cells) if cell.why is None]
    every = list(dict.fromkeys(topic for k in some for topic in cells[k].topics))
    shares = np.array([[cells[k].topics.get(topic, math.nan) for k in some] for topic in every])
    shares = shares.reshape(len(every), len(some))
    kept, empty = ~np.isnan(shares).any(axis=1), int(np.isnan(shares).all(axis=1).sum())
    topics, shares = [topic for topic, keep in zip(every, kept, strict=True) if keep], shares[kept]
    done = list(cells)
    if not topics:
        reason = "no topic has all columns" if some else ""
        done = [replace(cell, topics={}, why=cell.why or reason) for cell in cells]
    else:
        low, high = (ends.tolist() for ends in _intervals(shares, level=level))
        for column, k in enumerate(some):
            by_topic = dict(zip(topics, shares[:, column].tolist(), strict=True))
            mean = _mean(by_topic.values())
            done[k] = replace(cells[k], topics=by_topic, value=mean, low=low[column], high=high[column])
    left_out = [Note.of("no-pair-to-order", n=empty)] if empty else []
    if topics and (lacking := len(every) - len(topics) - empty):
        left_out.append(Note.of("lacks-a-column", n=lacking))
    if unsure := tuple(cell.heading for cell in done if len(cell.topics) > 1 and math.isnan(cell.low)):
        left_out.append(Note.of("no-interval", headings=unsure, least=LEAST_VARIED))
    return PaperTable(
        name=name, title=title, cells=tuple(done), level=level, left_out=tuple(left_out), sets=sets
    )


def _differences(table: PaperTable) -> dict[str, dict[str, Found]]:
    """Which measures the evaluator's columns agree with people more, or less, than; one family a table."""
    computed = [cell for cell in table.cells if cell.why is None]
    others = [cell for cell in computed if cell.heading not in OWN]
    evaluators = [cell for cell in computed if cell.heading in OWN]
    if len(table.topics) < 2 or not others:
        return {}
    pairs = [(table.shares(one), table.shares(other)) for one in evaluators for other in others]
    ways = iter(compared(pairs, level=table.level))
    return {one.heading: {other.heading: next(ways) for other in others} for one in evaluators}


# Table 4


def ranked_sentences(
    batches: Mapping[str, TopicBatch],
    base: Preference,
    *,
    level: float = LEVEL,
    sets: Mapping[str, str | None] | None = None,
) -> PaperTable:
    """Table 4: of the pairs of sentences with different pyramid weights, the share that strengths order correctly."""
    measures = {}
    for smooth in (False, True):
        for source in ("man", "py", "ref"):
            pairs = REF_PAIRS if source == "ref" and base.simulated == "paper" else base.simulated
            heading = f"smoothed {source}" if smooth else source
            measures[heading] = _of(replace(base, smooth=smooth, simulated=pairs), source)
    cells = [
        replace(
            _ranked(heading, measure, batches), over="smoothed" if measure.smooth else "without smoothing"
        )
        for heading, measure in measures.items()
    ]
    table = _table(RANKED_TABLE, f"Table 4. {RANKED}", cells, level, sets or {})
    return replace(
        table,
        smoothing=tuple(_smoothing(table)),
        signatures={c.heading: measures[c.heading].signature() for c in table.cells if c.why is None},
    )


def _ranked(heading: str, measure: Preference, batches: Mapping[str, TopicBatch]) -> PaperColumn:
    """Of every topic the share of sentence pairs that are ordered as the pyramid says, and of how many."""
    shares: dict[str, float] = {}
    counts: dict[str, int] = {}
    reasons: list[str | None] = []
    recipe = measure.recipe()
    for topic, batch in batches.items():
        strengths = strengths_of(batch, recipe)
        if isinstance(strengths, str):
            reasons.append(strengths)
            continue
        truth: FloatArray = pyramid_worth(batch, similarity_of(batch, recipe.similarity))
        if np.isnan(truth).all():
            reasons.append("no peer has a pyramid annotation")
            continue
        agreement = pair_agreement(truth, strengths.log)
        if agreement.why:
            reasons.append("all sentences have the same pyramid weight")
        else:
            shares[topic], counts[topic] = agreement.share, agreement.pairs
    why = None if shares else common_reason(reasons)
    return PaperColumn(heading, str(measure), topics=shares, counts=counts, why=why)


def _smoothing(table: PaperTable) -> Iterator[Smoothing]:
    """What smoothing does to each source; one family."""
    by_heading = {cell.heading: cell for cell in table.cells if cell.why is None}
    both = [
        (bare, by_heading[f"smoothed {source}"])
        for source, bare in by_heading.items()
        if f"smoothed {source}" in by_heading
    ]
    ways = compared([(table.shares(smooth), table.shares(bare)) for bare, smooth in both], level=table.level)
    for (bare, smooth), way in zip(both, ways, strict=True):
        yield Smoothing(bare.heading, way, bare.value, smooth.value)
