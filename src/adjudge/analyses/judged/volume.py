"""How much was submitted and how much was judged. Over and Liggett 2002: "Submitted summaries by system code" and
"Lots of judgments"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

from adjudge import __version__
from adjudge.analyses.gathered import PROTOCOL, SOURCES, Gathered, in_order, judged_in
from adjudge.analyses.judged.parts import JudgedResult
from adjudge.analyses.scores import Source
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import natural
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary
from adjudge.judgments.batch import Judgments
from adjudge.judgments.pairs.sides import named_summary
from adjudge.judgments.protocol import NOTES, UNIT
from adjudge.judgments.tasks import ANONYMOUS, JUDGES, Judged, is_anonymous, units_of

EVERYBODY = "(all)"
"""In the assessors' column: all people together."""
BY_SYSTEM, BY_TYPE = "summaries-by-system", "summaries-by-type"
Place = tuple[str | None, str | None, int | None]
"""Task or type of topic, form, target length."""


# Summaries


@dataclass(frozen=True)
class SubmittedSummaries:
    """One system's summaries of topics of a task (or type), in a form and at a length."""

    source: str
    system: str
    place: Place
    summaries: int
    topics: int
    """Topics of which anybody has such a summary."""
    withdrawn: int

    @property
    def missing(self) -> int:
        """Of those topics, the ones that this system has none of, where it has any at all; withdrawn ones are apart."""
        return self.topics - self.summaries - self.withdrawn if self.summaries or self.withdrawn else 0


@dataclass(frozen=True, repr=False, kw_only=True)
class Submitted(JudgedResult):
    """Who submitted how many summaries, by task, form and length, and by type of topic."""

    tasks: tuple[SubmittedSummaries, ...]
    types: tuple[SubmittedSummaries, ...]
    """The same by type of topic; none where topics have no types."""

    def tables(self) -> Iterator[Table]:
        yield self._table(BY_SYSTEM, "Submitted summaries by system", self.tasks)
        if self.types:
            yield self._table(BY_TYPE, "Submitted summaries by system and type of topic", self.types)

    def notes(self) -> Iterator[Note]:
        for name, rows in ((BY_SYSTEM, self.tasks), (BY_TYPE, self.types)):
            if any(row.missing for row in rows):
                yield Note.of("what-is-missing").on(name)

    def _table(self, name: str, title: str, summaries: tuple[SubmittedSummaries, ...]) -> Table:
        places = list(dict.fromkeys(row.place for row in summaries))
        systems = {row.system: row.source for row in summaries}
        cells = {(row.system, row.place): row for row in summaries}
        rows: list[tuple[Cell, ...]] = []
        for system, source in systems.items():
            mine = [cells[system, place] for place in places]
            rows.append(
                (
                    source,
                    system,
                    *(cell.summaries for cell in mine),
                    sum(cell.summaries for cell in mine),
                    sum(cell.missing for cell in mine),
                    sum(cell.withdrawn for cell in mine),
                )
            )
        sums = [sum(row.summaries for row in summaries if row.place == place) for place in places]
        rows.append(
            (
                None,
                EVERYBODY,
                *sums,
                sum(sums),
                sum(row.missing for row in summaries),
                sum(row.withdrawn for row in summaries),
            )
        )
        return Table(
            name=name,
            title=title,
            columns=(
                Column("source", "source"),
                Column("system", "system"),
                *(Column(_name(place), place_words(place)) for place in places),
                Column("summaries", "all"),
                Column("missing", "missing"),
                Column("withdrawn", "withdrawn", show="varies"),
            ),
            rows=tuple(rows) if summaries else (),
            signature=f"{name}|v:{__version__}",
        )


def place_words(place: Place) -> str:
    task, form, length = place
    words = [word for word in (task, form, f"{length} words" if length is not None else None) if word]
    return ", ".join(words) or "summaries"


def _name(place: Place) -> str:
    return "-".join(str(part) for part in place if part is not None) or "unset"


def submitted(source: Source | Gathered | Collection) -> Submitted:
    """Peers by system, task, form and length, missing and withdrawn ones counted: `submitted("my-eval")`."""
    collection = source if isinstance(source, Collection) else judged_in(source).collection
    tasks = {name: topic.task for name, topic in collection.topics.items()}
    types = {name: topic.type for name, topic in collection.topics.items()}
    several = len({kind for kind in types.values() if kind is not None}) > 1
    return Submitted(
        tasks=tuple(_submitted(collection, tasks)),
        types=tuple(_submitted(collection, types)) if several else (),
    )


def _submitted(collection: Collection, kinds: Mapping[str, str | None]) -> Iterator[SubmittedSummaries]:
    there: Counter[tuple[str, Place]] = Counter()
    gone: Counter[tuple[str, Place]] = Counter()
    topics: dict[Place, set[str]] = {}

    def place(summary: Summary) -> Place:
        return kinds.get(summary.topic), summary.form, summary.length

    for summary in collection.all_summaries():
        if summary.is_peer:
            there[summary.system, place(summary)] += 1
            topics.setdefault(place(summary), set()).add(summary.topic)
    for summary in collection.withdrawn:
        if summary.is_peer:
            gone[summary.system, place(summary)] += 1
            topics.setdefault(place(summary), set()).add(summary.topic)
    systems = {system: SOURCES[collection.kind(system)] for system, _ in there | gone}
    for source, system in in_order((source, system) for system, source in systems.items()):
        for at in in_order(topics):
            yield SubmittedSummaries(
                source=source,
                system=system,
                place=at,
                summaries=there[system, at],
                topics=len(topics[at]),
                withdrawn=gone[system, at],
            )


# Judging


@dataclass(frozen=True)
class JudgedVolume:
    """What one assessor judged under one protocol, or all people together; planted repeats are counted apart."""

    protocol: str
    assessor: str
    origin: str
    """human, imported, simulated ...; of a program that judges: learned or language-model."""
    topics: int
    summaries: int
    """Different ones that were judged, alone or in pairs."""
    judgments: int
    """Pages, ratings, pairs: tasks with an answer."""
    repeats: int
    """Tasks that only repeat another, and count nowhere else."""
    units: int
    """Answers to model units."""
    comparisons: int
    """Model units, each compared with all units of the peer."""
    answers: int
    timed: int
    """Answers of which it is known how long they took."""
    seconds: float

    @property
    def hours(self) -> float:
        return self.seconds / 3600 if self.timed else nan


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgingVolume(JudgedResult):
    """How much was judged, by protocol and assessor. Programs that judge have rows of their own, and are in no sum."""

    rows: tuple[JudgedVolume, ...]
    unsized: int = 0
    """Pages of summaries whose units are not here, so that comparisons are not known."""

    def notes(self) -> Iterator[Note]:
        for row in self.rows:
            if row.assessor == EVERYBODY and 0 < row.timed < row.answers:
                yield Note.of("partly-timed", protocol=row.protocol, timed=row.timed, answers=row.answers).on(
                    "volume"
                )
        if self.unsized:
            yield Note.of("not-among-comparisons", n=self.unsized).on("volume")

    def tables(self) -> Iterator[Table]:
        yield Table.of(
            "volume",
            self.rows,
            PROTOCOL,
            "assessor",
            Column("origin", "by", show="varies"),
            "topics summaries judgments",
            Column("repeats", "planted repeats", show="varies"),
            Column("units", "model units"),
            Column("comparisons", "comparisons of units"),
            "answers",
            Column("timed", "answers timed", show="never"),
            Column("hours", format=".2f", show="varies"),
            title="How much was judged",
            signature=f"volume|v:{__version__}",
        )


def judging_volume(source: Source | Gathered) -> JudgingVolume:
    """Summaries, units, comparisons and answers by protocol and assessor: `judging_volume("my-eval")`.

    Unfinished pages count with what was answered. Planted repeats have a column of their own.
    """
    gathered = judged_in(source)
    people: dict[str, dict[str, list[Judged]]] = {}
    programs: dict[str, dict[str, list[Judged]]] = {}
    for judgment in _judged(gathered.judgments, gathered.collection):
        by_protocol = programs if judgment.origin in JUDGES else people
        name = ANONYMOUS if is_anonymous(judgment.task.assessor) else judgment.task.assessor
        by_protocol.setdefault(judgment.task.protocol, {}).setdefault(name, []).append(judgment)
    peer_units = _peer_units(gathered)
    rows = []
    for protocol in sorted({*people, *programs}):
        mine = people.get(protocol, {})
        if mine:
            everything = [judgment for some in mine.values() for judgment in some]
            rows.append(_volume(gathered, protocol, EVERYBODY, everything, peer_units))
        for name, some in sorted(mine.items(), key=lambda item: natural(item[0])):
            rows.append(_volume(gathered, protocol, name, some, peer_units))
        for name, some in sorted(programs.get(protocol, {}).items(), key=lambda item: natural(item[0])):
            rows.append(_volume(gathered, protocol, name, some, peer_units))
    return JudgingVolume(
        rows=tuple(rows),
        unsized=sum(
            peer_units.get(judgment.task.id) is None
            for by_assessor in people.values()
            for some in by_assessor.values()
            for judgment in some
            if gathered.first(judgment) is not None
            and any(question.startswith(UNIT) for question in judgment.answers)
        ),
    )


def _judged(judgments: Judgments, collection: Collection) -> Iterator[Judged]:
    return (judgment for judgment in judgments.everyone() if judgment.task.topic in collection.topics)


def _peer_units(gathered: Gathered) -> dict[str, int]:
    """Of every task of coverage, how many units the peer has; those whose peers have none are not there."""
    sizes = {}
    for judgment in _judged(gathered.judgments, gathered.collection):
        if judgment.task.peer is not None and any(question.startswith(UNIT) for question in judgment.answers):
            kind = gathered.protocol(judgment.task.protocol).peer_units
            units = gathered.collection.units.get(judgment.task.topic, ())
            if number := len(units_of(units, judgment.task.peer, kind)):
                sizes[judgment.task.id] = number
    return sizes


def _volume(
    gathered: Gathered,
    protocol: str,
    assessor: str,
    judged: Sequence[Judged],
    peer_units: Mapping[str, int],
) -> JudgedVolume:
    firsts = [first for judgment in judged if (first := gathered.first(judgment)) is not None]
    texts = set()
    units = comparisons = answers = timed = 0
    seconds = 0.0
    for judgment in firsts:
        task = judgment.task
        sides = (task.peer, named_summary(task.left), named_summary(task.right))
        texts |= {(task.topic, text) for text in sides if text is not None}
        asked = [question for question in judgment.answers if question not in NOTES]
        of_units = sum(question.startswith(UNIT) for question in asked)
        units += of_units
        comparisons += of_units * peer_units.get(task.id, 0)
        answers += len(asked)
        times = [took for question in asked if (took := judgment.answers[question].took_ms) is not None]
        timed += len(times)
        seconds += sum(times) / 1000
    return JudgedVolume(
        protocol=protocol,
        assessor=assessor,
        origin=", ".join(sorted({judgment.origin for judgment in judged})),
        topics=len({judgment.task.topic for judgment in firsts}),
        summaries=len(texts),
        judgments=len(firsts),
        repeats=len(judged) - len(firsts),
        units=units,
        comparisons=comparisons,
        answers=answers,
        timed=timed,
        seconds=seconds,
    )
