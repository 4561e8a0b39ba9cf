"""How much was submitted and how much was judged. Over and Liggett 2002: "Submitted summaries by system code" and
"Lots of judgments"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

from adjudge import __version__
from adjudge.analyses.gathered import PROTOCOL, SOURCES, Gathered, in_order, judged_in
from adjudge.analyses.judged.parts import JudgedResult
from adjudge.analyses.scores import Source
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import natural
from adjudge.data.collection import Collection
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
        by_system: dict[tuple[Cell, str], list[SubmittedSummaries]] = {}
        for row in summaries:
            by_system.setdefault((row.source, row.system), []).append(row)
        if summaries:
            by_system[None, EVERYBODY] = list(summaries)
        rows: list[tuple[Cell, ...]] = []
        for key, of_system in by_system.items():
            by_place = Counter(dict.fromkeys(places, 0))
            for row in of_system:
                by_place[row.place] += row.summaries
            missing, withdrawn = (sum(getattr(row, n) for row in of_system) for n in ("missing", "withdrawn"))
            rows.append((*key, *by_place.values(), by_place.total(), missing, withdrawn))
        return Table.of(
            name,
            rows,
            "source system",
            *(
                Column(
                    "-".join(str(part) for part in place if part is not None) or "unset", place_words(place)
                )
                for place in places
            ),
            Column("summaries", "all"),
            "missing",
            Column("withdrawn", "withdrawn", show="varies"),
            title=title,
            signature=f"{name}|v:{__version__}",
        )


def place_words(place: Place) -> str:
    task, form, length = place
    words = [word for word in (task, form, f"{length} words" if length is not None else None) if word]
    return ", ".join(words) or "summaries"


def submitted(source: Source | Gathered | Collection) -> Submitted:
    """Peers by system, task, form and length, missing and withdrawn ones counted: `submitted("my-eval")`."""
    collection = source if isinstance(source, Collection) else judged_in(source).collection
    several = len({topic.type for topic in collection.topics.values()} - {None}) > 1
    return Submitted(
        tasks=tuple(_submitted(collection, "task")),
        types=tuple(_submitted(collection, "type")) if several else (),
    )


def _submitted(collection: Collection, kind: Literal["task", "type"]) -> Iterator[SubmittedSummaries]:
    there: Counter[tuple[str, Place]] = Counter()
    gone: Counter[tuple[str, Place]] = Counter()
    topics: dict[Place, set[str]] = {}
    for counts, summaries in ((there, collection.all_summaries()), (gone, collection.withdrawn)):
        for summary in summaries:
            if summary.is_peer:
                place = (
                    getattr(collection.topics.get(summary.topic), kind, None),
                    summary.form,
                    summary.length,
                )
                counts[summary.system, place] += 1
                topics.setdefault(place, set()).add(summary.topic)
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
    peer_units: dict[str, int] = {}
    unsized = 0
    for judgment in gathered.judgments.everyone():
        task = judgment.task
        if task.topic not in gathered.collection.topics:
            continue
        by_protocol = programs if judgment.origin in JUDGES else people
        name = ANONYMOUS if is_anonymous(task.assessor) else task.assessor
        by_protocol.setdefault(task.protocol, {}).setdefault(name, []).append(judgment)
        if not any(question.startswith(UNIT) for question in judgment.answers):
            continue
        size = 0
        if task.peer is not None:
            units = gathered.collection.units.get(task.topic, ())
            size = len(units_of(units, task.peer, gathered.protocol(task.protocol).peer_units))
        if size:
            peer_units[task.id] = size
        else:
            unsized += by_protocol is people and gathered.first(judgment) is not None
    rows = []
    for protocol in sorted({*people, *programs}):
        mine = people.get(protocol, {})
        if mine:
            everything = [judgment for some in mine.values() for judgment in some]
            rows.append(_volume(gathered, protocol, EVERYBODY, everything, peer_units))
        for by_name in (mine, programs.get(protocol, {})):
            for name in sorted(by_name, key=natural):
                rows.append(_volume(gathered, protocol, name, by_name[name], peer_units))
    return JudgingVolume(rows=tuple(rows), unsized=unsized)


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
