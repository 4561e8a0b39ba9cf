"""Judgments as tables count them, every page and every rating once, and their averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import NormalDist, fmean, median, stdev
from typing import Any, TypeVar

from adjudge import __version__
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.core.errors import UsageError, among, quoted
from adjudge.core.table import Cell, Column
from adjudge.core.words import counted, natural
from adjudge.data.choosing import TopicChoice, choose_topics
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.reading import read_once
from adjudge.data.scores import Score
from adjudge.judgments.batch import Judgments, TopicBatch, batches_of, judgments_if_allowed
from adjudge.judgments.kinds import KINDS
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.pairs.sides import named_summary
from adjudge.judgments.protocol import Protocol, load_protocol
from adjudge.judgments.tasks import JUDGES, Judged, TextRef, is_anonymous
from adjudge.measures.base import Measure
from adjudge.measures.judged.answers import JudgedPage, judged_peers, pages, protocol_of

SOURCES = {"machine": "systems", "baseline": "baselines", "human": "humans"}
"""Over and Liggett's three sources of peers; their "Manuals" are people's summaries."""


@dataclass(frozen=True)
class JudgedPeer:
    """One judgment of one peer, and where tables count it."""

    judged: Judged
    protocol: Protocol
    task: str | None
    """single or multi, of the topic."""
    source: str

    @property
    def system(self) -> str:
        assert self.judged.task.peer is not None
        return self.judged.task.peer.system

    @property
    def length(self) -> int | None:
        assert self.judged.task.peer is not None
        return self.judged.task.peer.length

    @property
    def form(self) -> str | None:
        assert self.judged.task.peer is not None
        return self.judged.task.peer.form

    @property
    def assessor(self) -> str:
        return self.judged.task.assessor

    @property
    def part(self) -> Part:
        return self.protocol.name, self.task, self.length, self.form


TABLED = tuple(kind for kind in KINDS.values() if kind.IN_TABLES)

Part = tuple[str, str | None, int | None, str | None]
"""What tables of content never mix: the protocol, the topics' task, target length and form."""


@dataclass(frozen=True)
class Gathered:
    """All judgments of peers in a collection. A planted repeat does not count: it is there to study assessors."""

    collection: Collection
    judgments: Judgments
    chosen: str = ""
    """Which topics these are of, where they are not of all."""

    @cached_property
    def batches(self) -> dict[str, TopicBatch]:
        return batches_of(self.collection, self.judgments)

    @cached_property
    def coverage(self) -> list[tuple[JudgedPeer, JudgedPage, TopicBatch]]:
        """Every page of a coverage protocol, each once."""
        return [
            (self._peer(page.judged, batch), page, batch)
            for batch in self.batches.values()
            for page in pages(batch)
            if id(page.judged) in self._counted
        ]

    @cached_property
    def ratings(self) -> list[JudgedPeer]:
        """Every task of a rating protocol, with the answers that count."""
        return [
            self._peer(self._counted[id(judged)], batch)
            for batch in self.batches.values()
            for judged, _, _ in judged_peers(batch, RatingProtocol)
            if id(judged) in self._counted
        ]

    @cached_property
    def _counted(self) -> dict[int, Judged]:
        """The judgments that tables count, by the `id` of the judgment as it was given."""
        return {
            at: judged
            for batch in self.batches.values()
            for kind in TABLED
            for at, judged in counting(batch, kind).items()
        }

    def protocol(self, name: str) -> Protocol:
        """A protocol by name; the shipped ones are known anyway."""
        return self.judgments.protocols.get(name) or load_protocol(name)

    def first(self, judged: Judged) -> Judged | None:
        """A judgment as tables count it: without what repeats another; None where all of it does."""
        if judged.origin not in JUDGES and self.protocol(judged.task.protocol).IN_TABLES:
            return self._counted.get(id(judged))
        return judged if judged.task.repeat_of is None else None

    def scored(
        self, measure: Measure, asks: Callable[[Protocol], bool] = lambda protocol: True
    ) -> Iterator[tuple[JudgedPeer, Score]]:
        """A measure's rows, one per page of the protocols that ask what it measures."""
        at = {id(page.judged): entry for entry, page, _ in self.coverage}
        for batch in self.batches.values():
            # these measures give a row per page, in the order of the pages
            asked = [page for page in pages(batch) if asks(protocol_of(batch, page.judged.task.protocol))]
            for page, score in zip(asked, measure.score(batch), strict=True):
                if id(page.judged) in at:
                    yield at[id(page.judged)], score

    def notes(self, tables: str = "the tables") -> tuple[str, ...]:
        """What a reader should know of all tables."""
        notes = [*filter(None, [self.chosen]), *self.judgments.notes()]
        if repeats := sum(map(self._repeats, TABLED)):
            notes.append(
                f"{counted(repeats, 'planted repeat')} left out of {tables}: the first judgment counts"
            )
        gone = sum(
            len(of_topic)
            for topic, of_topic in self.judgments.by_topic.items()
            if topic not in self.collection.topics
        )
        if gone:
            notes.append(f"{counted(gone, 'judgment')} of topics that are gone left out")
        return tuple(notes)

    def targets(self) -> set[tuple[int | None, str | None]]:
        """The lengths and forms of all texts that were judged."""
        return {
            ref.target
            for some in self.judgments.by_topic.values()
            for judged in some
            for ref in _texts(judged)
        }

    def at(self, *, length: int | None = None, form: str | None = None) -> Gathered:
        """The judgments of texts of a length and form; what is not of single texts, as a pyramid, stays."""
        kept = {
            topic: tuple(
                judged
                for judged in some
                if all(
                    (length is None or ref.length == length) and (form is None or ref.form == form)
                    for ref in _texts(judged)
                )
            )
            for topic, some in self.judgments.by_topic.items()
        }
        by_topic = {t: of_topic for t, of_topic in kept.items() if of_topic}
        return replace(self, judgments=replace(self.judgments, by_topic=by_topic))

    def of_topics(self, choice: TopicChoice | None) -> Gathered:
        """The judgments on some topics; the same where none are chosen."""
        if choice is None:
            return self
        return Gathered(
            self.collection.of_topics(choice),
            self.judgments.of_topics(choice),
            choice.among(self.collection.topics),
        )

    def _repeats(self, kind: type[Protocol]) -> int:
        return sum(
            self._counted.get(id(judged)) is not judged
            for batch in self.batches.values()
            for judged, _, _ in judged_peers(batch, kind)
        )

    def _peer(self, judged: Judged, batch: TopicBatch) -> JudgedPeer:
        assert judged.task.peer is not None
        system = self.collection.systems.get(judged.task.peer.system)
        kind = system.kind if system is not None else None
        return JudgedPeer(
            judged, protocol_of(batch, judged.task.protocol), batch.topic.task, SOURCES[kind or "machine"]
        )


def _texts(judged: Judged) -> tuple[TextRef, ...]:
    """The texts that a task asks about: one peer, or the two sides of a pair."""
    task = judged.task
    if task.peer is not None:
        return (task.peer,)
    sides = named_summary(task.left), named_summary(task.right)
    return tuple(side for side in sides if side is not None)


def gather(collection: Collection, judgments: Judgments) -> Gathered:
    """What every table starts from."""
    return Gathered(collection, judgments)


def counting(batch: TopicBatch, kind: type[Protocol]) -> dict[int, Judged]:
    """The judgments of protocols of a kind that tables count, by `id`: what a person judged twice counts once.

    A page of coverage is a repeat where the same assessor judged the same peer against the same reference under the
    same protocol. A rating is one only of the same question, as a file may bring one aspect and the next file another.
    What a plan says is a repeat never counts before the task that it repeats. An anonymous crowd's "repeats" are
    different people.
    """
    by_id: dict[int, Judged] = {}
    seen: set[tuple[object, ...]] = set()
    of_kind = [judged for judged, _, _ in judged_peers(batch, kind)]
    for judged in sorted(of_kind, key=lambda judgment: judgment.task.repeat_of is not None):
        task = judged.task
        asked = [""] if kind.IS_WHOLE else list(judged.answers)
        keys = {q: (task.assessor, task.peer, task.reference, task.protocol, q) for q in asked}
        new = [q for q in asked if keys[q] not in seen]
        seen.update(keys.values())
        if is_anonymous(task.assessor) or len(new) == len(asked):
            by_id[id(judged)] = judged
        elif new:
            by_id[id(judged)] = replace(judged, answers={q: judged.answers[q] for q in new})
    return by_id


# Averages, with about 95 % intervals as DUC prints them

K = TypeVar("K", bound=Hashable)
Cells = TypeVar("Cells", bound=tuple[Cell, ...])
ALPHA = 0.05

PROTOCOL = Column("protocol", "protocol", show="varies")
TASK = Column("task", "task", show="varies")
LENGTH = Column("length", "length", show="varies")
FORM = Column("form", "form", show="varies")
SOURCE = Column("source", "source")
N = Column("n", "n")
PART = (PROTOCOL, TASK, LENGTH, FORM)
"""The columns of a `Part`."""


@dataclass(frozen=True, slots=True)
class Average:
    """n, mean, an interval around it, median and maximum. Without values all are NaN; with one there is no interval."""

    n: int
    mean: float
    low: float
    high: float
    median: float
    most: float


def average(values: Iterable[float], alpha: float = ALPHA) -> Average:
    """Mean plus or minus two standard errors, as DUC-2002 printed; other levels take the normal quantile.

    The values are taken as independent, as DUC took them.
    """
    numbers = list(values)
    if not numbers:
        return Average(n=0, mean=math.nan, low=math.nan, high=math.nan, median=math.nan, most=math.nan)
    mean, half = fmean(numbers), math.nan
    if len(numbers) > 1:
        half = multiplier(alpha) * stdev(numbers) / math.sqrt(len(numbers))
    return Average(
        n=len(numbers),
        mean=mean,
        low=mean - half,
        high=mean + half,
        median=median(numbers),
        most=max(numbers),
    )


def multiplier(alpha: float) -> float:
    """How many standard errors: 2 at .05, where DUC wrote ~95 %."""
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}, expected a number between 0 and 1")
    return 2.0 if alpha == ALPHA else NormalDist().inv_cdf(1 - alpha / 2)


def interval_columns(alpha: float, digits: int = 3) -> tuple[Column, Column, Column]:
    """The mean and its interval; "about", for two standard errors are not 1.96, and judgments not independent."""
    low = Column("low", f"~{100 * (1 - alpha):.4g} % from", format=f".{digits}f")
    return Column("mean", "mean", format=f".{digits}f"), low, Column("high", "to", format=f".{digits}f")


def interval_words(alpha: float) -> str:
    """For signatures."""
    return f"interval:mean+-{multiplier(alpha):.4g}se"


def grouped(pairs: Iterable[tuple[K, float]]) -> dict[K, list[float]]:
    """Values by group; a group whose values are all missing is there, and empty."""
    groups: dict[K, list[float]] = {}
    for key, value in pairs:
        group = groups.setdefault(key, [])
        if not math.isnan(value):
            group.append(value)
    return groups


def in_order(keys: Iterable[Cells]) -> list[Cells]:
    """Groups as tables list them: sources as DUC lists them, numbers by size, what is unset last."""
    place: Mapping[Cell, int] = {name: at for at, name in enumerate(SOURCES.values())}

    def rank(cell: Cell) -> tuple[int, float, str]:
        if cell is None:
            return 3, 0.0, ""
        if isinstance(cell, str):
            return (0, place[cell], "") if cell in place else (2, 0.0, cell)
        return 1, float(cell), ""

    return sorted(keys, key=lambda key: [rank(cell) for cell in key])


def signed(what: str, protocols: Iterable[Protocol], *more: str) -> str:
    """A table's signature: `coverage|protocol:duc-2002:1|interval:mean+-2se|v:0.3.0`."""
    used = sorted({f"{protocol.name}:{protocol.version}" for protocol in protocols})
    return "|".join([what, f"protocol:{','.join(used)}", *more, f"v:{__version__}"])


def where(key: tuple[Cell, ...]) -> str:
    """A group in words: `duc-2002, multi, 100 words, extract, systems`."""
    return ", ".join(
        f"{part} words" if isinstance(part, int) else str(part) for part in key if part is not None
    )


def gathered_of(scores: Scores) -> Gathered | None:
    """The judgments of the folder that scores come from; None where they come from elsewhere."""
    return None if scores.folder is None else gathered_in(Folder.open(scores.folder)).of_topics(scores.chosen)


def collection_of(scores: Scores) -> Collection:
    """What the folder has that scores come from, on their topics."""
    assert scores.folder is not None
    return load(Folder.open(scores.folder)).of_topics(scores.chosen)


def folder_of(source: Any) -> Folder | None:
    """The folder of an evaluation, of its scores, or at a path; None for anything else."""
    if isinstance(source, str | Path):
        return Folder.open(source) if str(source) != "-" and Path(source).is_dir() else None
    folder = getattr(source, "folder", None)
    return Folder.open(folder) if isinstance(folder, str | Path) else folder


def need_folder(source: Any) -> Folder:
    folder = folder_of(source)
    if folder is None:
        name = source if isinstance(source, str | Path) else type(source).__name__
        raise UsageError(f"{name}: not an evaluation's folder")
    return folder


def gathered_in(folder: Folder) -> Gathered:
    """The judgments of a folder, read once where several look at them."""

    def read() -> Gathered:
        collection = load(folder)
        return gather(collection, judgments_if_allowed(folder, collection))

    return read_once(("gathered", folder.path.absolute()), read)


def chosen_in(collection: Collection, asked: str | Sequence[str]) -> TopicChoice | None:
    """The topics that are asked for; None for all."""
    return choose_topics(collection.topics, asked, collection.settings.name) if asked else None


def judged_in(source: Source | Gathered, *, length: int | None = None, form: str | None = None) -> Gathered:
    """The judgments of an evaluation, or of its folder; those of one target length or form, where that is named."""
    if isinstance(source, Gathered):
        judgments, name = source, source.collection.settings.name
    else:
        scores = scores_of(source)
        gathered, name = gathered_of(scores), scores.name
        if gathered is None:
            raise UsageError(f"{name}: a table of scores has no judgments; an evaluation's folder does")
        judgments = gathered
    targets = judgments.targets()
    for what, wanted, judged in (
        ("length", length, {n for n, _ in targets}),
        ("form", form, {f for _, f in targets}),
    ):
        if wanted is not None and wanted not in judged:
            there = [str(value) for (value,) in in_order((value,) for value in judged if value is not None)]
            raise UsageError(
                f"{name} has no judgments of {what} {wanted}; it has: {', '.join(there) or f'none with a {what}'}"
            )
    return judgments if length is None and form is None else judgments.at(length=length, form=form)


def check_judged(where: str, names: Iterable[str], judges: Iterable[str]) -> None:
    """Only who judged can be left out."""
    people = sorted(judges, key=natural)
    for name in names:
        if name not in people:
            raise UsageError(f"{where}: nobody named {quoted(name)} judged{among(name, people)}")


def left_after(
    scores: Scores, gathered: Gathered | None, without: str | Sequence[str]
) -> tuple[Scores, Gathered | None]:
    """Scores and judgments without some assessors, who may have given the one or the other."""
    names = (without,) if isinstance(without, str) else tuple(without)
    of_scores = set(scores.assessors())
    judges = set() if gathered is None else gathered.judgments.assessors
    check_judged(scores.name, names, of_scores | judges)
    if gathered is not None:
        gathered = replace(gathered, judgments=gathered.judgments.without(names))
    return scores.without([name for name in names if name in of_scores]), gathered
