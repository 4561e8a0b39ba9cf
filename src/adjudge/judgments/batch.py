"""The judgments that count now, and everything of one topic that a measure or an assessor may look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from adjudge.core.errors import DataError, quoted
from adjudge.core.words import counted
from adjudge.data.choosing import TopicChoice
from adjudge.data.collection import Collection, references_for
from adjudge.data.folder import Folder
from adjudge.data.reading import read_once
from adjudge.data.rows import Document, Summary, Topic, Unit
from adjudge.judgments.frozen import split_by_change
from adjudge.judgments.protocol import UNIT, UNMARKED, Protocol, protocols_of
from adjudge.judgments.tasks import FILE, JUDGES, Event, Judged, TextRef

T = TypeVar("T")


@dataclass(frozen=True)
class TopicBatch:
    """Everything of one topic that a measure may look at."""

    topic: Topic
    peers: tuple[Summary, ...]
    references: tuple[Summary, ...] = ()
    documents: tuple[Document, ...] = ()
    units: tuple[Unit, ...] = ()
    language: str = "en"
    judgments: tuple[Judged, ...] = ()
    """People's answers that count now, of texts that are still as they were judged."""
    judges: Mapping[str, tuple[Judged, ...]] = field(default_factory=dict)
    """The answers of programs that judge, by name."""
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    """Those of one's own, by name; the shipped ones are known anyway."""
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def references_for(self, peer: Summary) -> list[Summary]:
        """Of the peer's length and form, and never one by the peer's own system."""
        return references_for(peer, self.references)

    def judged_by(self, name: str) -> TopicBatch:
        """The same with the judgments of one judge alone: a program, or whoever is taken for a judge."""

        def make() -> TopicBatch:
            judgments = self.judges.get(name) or tuple(j for j in self.judgments if j.task.assessor == name)
            return replace(self, judgments=judgments, judges={}, _kept={})

        return self.once(("judged by", name), make)

    def units_of(self, text: TextRef, kind: str) -> list[Unit]:
        """The units of one summary, in the order of the text."""

        def make() -> dict[tuple[str, TextRef], list[Unit]]:
            by_text: dict[tuple[str, TextRef], list[Unit]] = {}
            for unit in self.units:
                by_text.setdefault((unit.kind, TextRef.of(unit)), []).append(unit)
            return {
                key: sorted(units, key=lambda unit: (unit.start, unit.end)) for key, units in by_text.items()
            }

        return self.once("units by text", make).get((kind, text), [])

    def forget(self) -> None:
        """Let go of what was remembered."""
        self._kept.clear()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, remembered while this topic is scored: measures share words and n-grams."""
        if key not in self._kept:
            self._kept[key] = make()
        result: T = self._kept[key]
        return result


@dataclass(frozen=True)
class Judgments:
    """The answers that count now, by topic; and those of texts that changed since, with what changed.

    Programs that judge are apart: nothing that people's answers are pooled for takes them in.
    """

    by_topic: Mapping[str, tuple[Judged, ...]] = field(default_factory=dict)
    """People's, and simulated assessors', who stand in for people."""
    by_judge: Mapping[str, Mapping[str, tuple[Judged, ...]]] = field(default_factory=dict)
    """By judge, then by topic."""
    left_out: tuple[tuple[Judged, str], ...] = ()
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    unknown: tuple[Judged, ...] = ()
    """Those of protocols that are not here."""
    reopened: int = 0
    """Answers about unmarked units that were left out, because other units were marked afterwards."""
    unread: str | None = None
    """Why the store was not looked at, where it was not."""

    def without(self, assessors: Container[str]) -> Judgments:
        """The judgments of everybody else."""
        kept = {
            topic: tuple(judgment for judgment in some if judgment.task.assessor not in assessors)
            for topic, some in self.by_topic.items()
        }
        judges = {name: topics for name, topics in self.by_judge.items() if name not in assessors}
        return replace(self, by_topic={topic: some for topic, some in kept.items() if some}, by_judge=judges)

    def of_topics(self, choice: TopicChoice | None) -> Judgments:
        """The judgments on some topics; the same where none are chosen."""
        if choice is None:
            return self
        topics = choice.topics

        def of(by_topic: Mapping[str, tuple[Judged, ...]]) -> dict[str, tuple[Judged, ...]]:
            return {topic: some for topic, some in by_topic.items() if topic in topics}

        return replace(
            self,
            by_topic=of(self.by_topic),
            by_judge={name: of(by_topic) for name, by_topic in self.by_judge.items()},
            left_out=tuple(left for left in self.left_out if left[0].task.topic in topics),
            unknown=tuple(judged for judged in self.unknown if judged.task.topic in topics),
        )

    def with_judges(self, names: Iterable[str]) -> Judgments:
        """The same with the answers of some judges among people's, to be compared with them."""
        by_topic = {topic: list(some) for topic, some in self.by_topic.items()}
        for name in dict.fromkeys(names):
            for topic, some in self.by_judge.get(name, {}).items():
                by_topic.setdefault(topic, []).extend(some)
        return replace(self, by_topic={topic: tuple(some) for topic, some in by_topic.items()})

    def judged_protocols(self) -> tuple[Protocol, ...]:
        """The protocols of people's answers, in the order of their names."""
        names = {judgment.task.protocol for some in self.by_topic.values() for judgment in some}
        return tuple(protocol for name, protocol in sorted(self.protocols.items()) if name in names)

    def everyone(self) -> Iterator[Judged]:
        """Every judgment that counts, by people and by programs."""
        for topics in (self.by_topic, *self.by_judge.values()):
            yield from (judgment for some in topics.values() for judgment in some)

    @property
    def assessors(self) -> set[str]:
        """Everybody whose judgments count, programs that judge left aside."""
        return {judgment.task.assessor for some in self.by_topic.values() for judgment in some}

    @property
    def simulated(self) -> int:
        """How many are of simulated assessors."""
        return sum(judged.origin == "simulated" for some in self.by_topic.values() for judged in some)

    @classmethod
    def of(
        cls,
        judged: Iterable[Judged],
        collection: Collection,
        protocols: dict[str, Protocol],
        *,
        reopened: int = 0,
    ) -> Judgments:
        everything = list(judged)
        with_protocol = [judgment for judgment in everything if judgment.task.protocol in protocols]
        kept, left = split_by_change(with_protocol, collection, protocols)
        by_judge: dict[str | None, dict[str, list[Judged]]] = {None: {}}
        for judgment in kept:
            judge = judgment.task.assessor if judgment.origin in JUDGES else None
            by_judge.setdefault(judge, {}).setdefault(judgment.task.topic, []).append(judgment)
        of_judge = {
            judge: {topic: tuple(some) for topic, some in topics.items()}
            for judge, topics in by_judge.items()
        }
        return cls(
            by_topic=of_judge[None],
            by_judge={judge: topics for judge, topics in of_judge.items() if judge is not None},
            left_out=tuple(left),
            protocols=protocols,
            unknown=tuple(judgment for judgment in everything if judgment.task.protocol not in protocols),
            reopened=reopened,
        )

    def scored(self, topic: str, judge: str | None = None) -> tuple[Judged, ...]:
        """Those of a topic that scores can be made from, people's or a judge's; tags of mismatches change none."""
        judgments = (self.by_topic if judge is None else self.by_judge.get(judge, {})).get(topic, ())
        return tuple(
            judgment
            for judgment in judgments
            if (asked := self._protocol(judgment)) is None or asked.IS_SCORED
        )

    def tagged(self) -> Iterator[Judged]:
        """The tags of mismatches."""
        every = (judgment for judgments in self.by_topic.values() for judgment in judgments)
        return (
            judgment for judgment in every if (asked := self._protocol(judgment)) is not None and asked.tags
        )

    def _protocol(self, judged: Judged) -> Protocol | None:
        return self.protocols.get(judged.task.protocol)

    def notes(self, judge: str | None = None) -> tuple[str, ...]:
        """What a reader of scores from judgments should know first; from a judge's, where one is named."""
        lines = [*([self.unread] if self.unread else []), *self.left_out_lines()]
        if self.simulated and judge not in self.by_judge:
            lines.append(f"{counted(self.simulated, 'judgment is', 'judgments are')} simulated")
        for name, topics in self.by_judge.items() if judge is None else ():
            many = counted(sum(map(len, topics.values())), "judgment")
            lines.append(f"{name} is a program: its {many} count only in measures that name it (by={name})")
        if judge in self.by_judge:
            lines.append(f"{judge} is a program; adjudge judge report says what its judgments are worth")
        return tuple(lines)

    def left_out_lines(self) -> list[str]:
        """What is left out, and why."""
        lines = self.unknown_lines()
        if self.left_out:
            lines.append(
                f"{counted(len(self.left_out), 'judgment')} of texts that changed since left out"
                f" (the first: {self.left_out[0][1]}); adjudge check names them"
            )
        if self.reopened:
            lines.append(
                f"{counted(self.reopened, 'answer')} about unmarked units left out: other units were marked afterwards,"
                " so the question is open again"
            )
        return lines

    def unknown_lines(self) -> list[str]:
        """The protocols that are not here, and what to do."""
        counts = Counter(judged.task.protocol for judged in self.unknown)
        return [
            f"{counted(n, 'judgment')} of the protocol {quoted(name)}, which is not here, left out: put its file into"
            f" the folder's protocols/, or take them out with adjudge judgments remove"
            for name, n in counts.items()
        ]


NOTHING = Judgments()


def batch_of(collection: Collection, topic: str, judgments: Judgments = NOTHING) -> TopicBatch:
    return TopicBatch(
        topic=collection.topics[topic],
        peers=tuple(collection.peers(topic)),
        references=tuple(collection.references(topic)),
        documents=tuple(collection.documents.get(topic, ())),
        units=tuple(collection.units.get(topic, ())),
        language=collection.settings.language,
        judgments=judgments.scored(topic),
        judges={judge: scored for judge in judgments.by_judge if (scored := judgments.scored(topic, judge))},
        protocols=judgments.protocols,
    )


def batches_of(collection: Collection, judgments: Judgments = NOTHING) -> dict[str, TopicBatch]:
    """A batch for every topic with something to score: a peer, or a judgment of one."""
    return {
        topic: batch_of(collection, topic, judgments)
        for topic in collection.topics
        if collection.peers(topic)
        or judgments.scored(topic)
        or any(judgments.scored(topic, judge) for judge in judgments.by_judge)
    }


def judgments_of(folder: Folder, collection: Collection) -> Judgments:
    """The answers that count now, of texts that are still as they were judged."""

    def read() -> Judgments:
        judged, protocols, reopened = read_judged(folder)
        return Judgments.of(judged, collection, protocols, reopened=reopened)

    return read_once(("judgments", folder.path.absolute()), read)


def judgments_if_allowed(folder: Folder, collection: Collection) -> Judgments:
    """As `judgments_of`; of a database that is not confirmed, only that it was not looked at."""
    if folder.settings.database:
        from adjudge.judgments.store.confirmed import why_unconfirmed

        if (why := why_unconfirmed(folder)) is not None:
            return Judgments(unread=why)
    elif not (folder.path / FILE).exists():
        return NOTHING
    return judgments_of(folder, collection)


def read_judged(folder: Folder) -> tuple[list[Judged], dict[str, Protocol], int]:
    """The answers that count now, whatever became of the texts; those of their protocols that are known; and how many
    answers about unmarked units were left out, because the question has changed since."""
    from adjudge.judgments.store.store import store_of  # the database's libraries, only where they are needed

    with store_of(folder) as store:
        current = store.current()
        changed = {
            judged.task.id
            for judged in current
            if _may_have_changed(judged)
            and _marked_otherwise(store.events(task=judged.task.id), judged.answers[UNMARKED])
        }
    kept = [
        replace(judged, answers={q: event for q, event in judged.answers.items() if q != UNMARKED})
        if judged.task.id in changed
        else judged
        for judged in current
    ]
    protocols = protocols_of(folder, dict.fromkeys(judged.task.protocol for judged in current))
    # Whatever computes with answers relies on their form, and a store may hold what strangers wrote.
    from adjudge.judgments.store.encoding import BadCell

    for judgment in kept:
        if (protocol := protocols.get(judgment.task.protocol)) is None:
            continue
        for question, event in judgment.answers.items():
            try:
                protocol.check(question, event.answer)
            except DataError as error:
                raise BadCell("event", event.seq, "answer", str(error), file=store.database.place) from None
    return kept, protocols, len(changed)


# The app of the first releases left an answer about the unmarked units as it was when others were marked afterwards.


def _may_have_changed(judged: Judged) -> bool:
    """Whether a unit was answered in the app after the question about the unmarked ones."""
    last = judged.answers.get(UNMARKED)
    return (
        last is not None
        and last.client is not None
        and any(
            (event.seq or 0) > (last.seq or 0)
            for question, event in judged.answers.items()
            if question.startswith(UNIT)
        )
    )


def _marked_otherwise(events: Iterable[Event], last: Event) -> bool:
    """Whether other units are marked now than when the question about the unmarked ones was answered."""
    marked: dict[str, frozenset[str]] = {}
    then: frozenset[str] = frozenset()
    for event in events:
        if event.assessor == last.assessor and event.question.startswith(UNIT):
            answer = event.answer if isinstance(event.answer, Mapping) else {}
            units = answer.get("marked")
            marked[event.question] = frozenset(map(str, units if isinstance(units, list) else ()))
        if event.seq == last.seq:
            then = frozenset[str]().union(*marked.values())
    return then != frozenset[str]().union(*marked.values())
