"""Which pair somebody gets next: assigned ones, then open ones, then what the fit so far says would tell most.

A pair that is handed out is leased, so that two people never get the same one by accident; who gets it has a task of
their own, a copy of the open one. While people choose, a thread refits and puts the next pairs in line.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from adjudge.core.errors import StoreUnavailable
from adjudge.judgments.pairs.answers import answers_in
from adjudge.judgments.pairs.sample import ANYONE
from adjudge.judgments.pairs.sides import Pair, PairPool, content, pools_of
from adjudge.judgments.protocol import PREFERENCE, Protocol, protocol_of
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import PROGRAMS, Task, stable_id
from adjudge.stats.preference.answers import FloatArray
from adjudge.stats.preference.next_pair import next_pairs, random_pairs
from adjudge.text.similarity import DEFAULT, sentence_similarity
from adjudge.web.pages.pairs import sentence
from adjudge.web.site import Site

log = logging.getLogger("adjudge.web")

AHEAD = 12
"""Pairs of a topic that stand in line; several people may be at the same topic."""


@dataclass(frozen=True)
class Offer:
    """What a person can do in pairs: how many are answered, how many are assigned, and whether more come."""

    done: int
    assigned: int
    assigned_done: int
    more: bool

    @property
    def live_done(self) -> int:
        """Answered pairs that were nobody's before."""
        return self.done - self.assigned_done

    @property
    def of(self) -> int | None:
        """How many there are in all; unknown where pairs are drawn as they are needed."""
        return None if self.more else self.assigned


@dataclass(frozen=True)
class Quota:
    """Pairs that are asked of whoever comes: how many are answered, and how many are planned, all people together."""

    done: int
    of: int


class DecidedPairs:
    """The pairs that people have decided. Kept up to date from what is new: going through all answers takes its time.

    What programs answered decides nothing, and takes nothing of what is planned for people.
    """

    def __init__(self, store: Store):
        self._store = store
        self._lock = threading.Lock()
        self._seen = 0
        self._given: dict[str, set[str]] = {}
        """By task: who has an answer there that counts."""
        self._programs: set[str] = set()
        self._contents: dict[str, tuple[object, ...] | None] = {}

    def contents(self) -> set[tuple[object, ...]]:
        """What is decided, as `sides.content` names it."""
        with self._lock:
            self._look()
            new = [task for task in self._given if task not in self._contents]
            few = len(new) <= FEW
            tasks = map(self._store.task, new) if few else self._store.tasks(cancelled=True)
            self._contents.update((task.id, content(task) if task.left else None) for task in tasks)
            decided = {self._contents[task] for task, people in self._given.items() if people}
            return {pair for pair in decided if pair is not None}

    def by_programs(self) -> set[str]:
        """The tasks that programs answered."""
        with self._lock:
            self._look()
            return set(self._programs)

    def _look(self) -> None:
        for event in self._store.events(after=self._seen, question=PREFERENCE):
            if event.origin in PROGRAMS:
                self._programs.add(event.task)
            else:
                people = self._given.setdefault(event.task, set())
                (people.discard if event.answer is None else people.add)(event.assessor)
            self._seen = event.seq or self._seen


FEW = 50
"""Tasks that are read one by one."""


class Sampler:
    """Hands out pairs. One for the whole app; used from any thread."""

    def __init__(self, site: Site):
        self.site = site
        protocol = self._live_protocol()
        self._decided = DecidedPairs(site.store)
        topics = site.collection.topics if protocol else ()
        self.live = [TopicLine(site, protocol, topic, self._decided) for topic in topics if protocol]
        self._wanted, self._closed = threading.Event(), False
        self._started = threading.Lock()
        self._thread: threading.Thread | None = None

    def _live_protocol(self) -> Protocol | None:
        if self.site.folder.settings.protocol is None:
            return None
        protocol = protocol_of(self.site.folder)
        return protocol if protocol.compares == "sentences" else None

    def wake(self) -> None:
        """Something was answered: refit when there is time."""
        if self.live:
            with self._started:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="adjudge-sampler", daemon=True)
                    self._thread.start()
            self._wanted.set()

    def close(self) -> None:
        """Ends the thread; to be called before the store is closed."""
        self._closed = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            for line in self.live:
                if self._closed:
                    return
                try:
                    line.refit()
                except StoreUnavailable:  # of which the log knows: pairs are drawn at random meanwhile
                    break
                except Exception as error:  # what is wrong with one topic must not end the thread
                    log.error("no refit of a topic", exc_info=error)

    def offer(self, person: str) -> Offer:
        mine = self._pairs_of(person)
        answered = self._answered(person) if mine else set()
        assigned = [task for task in mine if not is_copy(task)]
        return Offer(
            done=sum(task.id in answered for task in mine),
            assigned=len(assigned),
            assigned_done=sum(task.id in answered for task in assigned),
            more=bool(self.live) or any(True for _ in self._open()),
        )

    def has_open(self, person: str) -> bool:
        """Whether there are open pairs that a person may still be given; not those that are yet to be drawn."""
        return next(self._given_on(person), None) is not None

    def quota(self) -> Quota:
        """What is asked of whoever comes: open pairs, and those that will be drawn while people judge."""
        whoevers, decided = self._whoevers(), self._decided.contents()
        done = sum(content(task) in decided for task in whoevers)
        return Quota(done=done, of=len(whoevers) + sum(line.to_come() for line in self.live))

    def next_for(self, person: str, count: int, have: frozenset[str]) -> list[Task]:
        """Up to `count` pairs for a person that the page does not have yet (`have`, by public id)."""
        answered = self._answered(person)
        waiting = [
            task
            for task in self._pairs_of(person)
            if task.id not in answered
            and self.site.task_key(task) not in have
            and self.site.changed(task) is None
        ]
        waiting.sort(key=is_copy)  # assigned ones first, after a reload too
        chosen, candidates = waiting[:count], self._candidates(person)
        while len(chosen) < count and (candidate := next(candidates, None)) is not None:
            task = self._hand_out(candidate, person)
            if task is not None and self.site.task_key(task) not in have:
                chosen.append(task)
        return chosen

    def _answered(self, person: str) -> set[str]:
        """A person's tasks whose pair is decided; a comment alone decides nothing."""
        judged = self.site.desk(person).judged.values()
        return {judgment.task.id for judgment in judged if PREFERENCE in judgment.answers}

    def _pairs_of(self, person: str) -> list[Task]:
        return [
            task
            for task in self.site.tasks_of(person)
            if self.site.protocol(task.protocol).compares is not None
        ]

    def _whoevers(self) -> list[Task]:
        return [task for task in self.site.tasks_of(ANYONE) if task.left is not None]

    def _open(self) -> Iterator[Task]:
        """Tasks that are whoever's and wait for an answer."""
        whoevers = self._whoevers()
        decided = self._decided.contents() if whoevers else set()
        yield from (task for task in whoevers if content(task) not in decided)

    def _candidates(self, person: str) -> Iterator[Task]:
        """Open tasks a person has not had, then new ones: the topics in an order of the person's own."""
        yield from self._given_on(person)
        for line in sorted(self.live, key=lambda line: self.site.public.of("order", person, line.topic)):
            while (new := line.take()) is not None:
                yield new

    def _given_on(self, person: str) -> Iterator[Task]:
        """Open tasks a person has not had; a planted repeat is only for whoever answered what it repeats."""
        had, answered = {_what(task) for task in self._pairs_of(person)}, self._answered(person)
        for task in self._open():
            if task.repeat_of is None and _what(task) in had:
                continue
            if task.repeat_of is not None and copy_id(task.repeat_of, person) not in answered:
                continue
            if self.site.changed(task) is None:
                had.add(_what(task))  # of a pair that several people are to judge there are several tasks
                yield task

    def _hand_out(self, task: Task, person: str) -> Task | None:
        """A copy of an open task that is the person's; None where somebody else has it now."""
        store, minutes = self.site.store, self.site.judging.lease_minutes
        until = self.site.clock() + timedelta(minutes=minutes)
        if store.lease(task.id, person, until) is None:
            return None
        first = None if task.repeat_of is None else copy_id(task.repeat_of, person)
        mine = replace(task, id=copy_id(task.id, person), assessor=person, repeat_of=first, lease_until=None)
        store.add_tasks([mine])
        return mine


COPY = "copy-"


def copy_id(task: str, person: str) -> str:
    """The id of the copy of an open task that a person gets."""
    return f"{COPY}{stable_id(task, person)}"


def is_copy(task: Task) -> bool:
    """Whether a task is one person's copy of a task that was open to everybody."""
    return task.id.startswith(COPY)


def _what(task: Task) -> tuple[str, frozenset[str]]:
    """The pair that a task asks about, whatever its order."""
    return task.topic, frozenset(task.hashes.values())


class TopicLine:
    """The pairs of one topic that come next."""

    def __init__(self, site: Site, protocol: Protocol, topic: str, decided: DecidedPairs):
        self.site, self.protocol, self.topic, self._decided = site, protocol, topic, decided
        self._lock = threading.Lock()
        self._ready: list[Pair] = []
        self._pool: PairPool | None = None
        self._similarity: FloatArray | None = None
        self._rng = np.random.default_rng(int(site.public.of("sampler", topic), 36))
        self._seen = -1

    @property
    def pool(self) -> PairPool | None:
        if self._pool is None:
            pool = next(iter(pools_of(self.site.collection, self.topic, self.protocol)), None)
            # Without sentences that are nothing but a header line, of which an assessor would see nothing.
            self._pool = (
                None
                if pool is None
                else pool.only(
                    [n for n, side in enumerate(pool.sides) if sentence(self.site, pool.topic, side)]
                )
            )
        return self._pool

    def take(self) -> Task | None:
        """An open task for the next pair, put into the store; None where enough are asked.

        One at a time, so that no more are asked than there should be.
        """
        pool = self.pool
        if pool is None or len(pool) < 2 or self.site.documents_changed(self.topic):
            return None
        with self._lock:
            asked = self._asked(pool)
            enough = len(asked) >= self.site.judging.pairs_per_topic
            pair = None if enough else self._choose(pool, asked)
            if pair is None:
                return None
            task = self._task(pool, pair)
            self.site.store.add_tasks([task])
            return task

    def to_come(self) -> int:
        """How many pairs are still to be drawn: as many as are planned, or as there are."""
        pool = self.pool
        if pool is None or len(pool) < 2:
            return 0
        possible = len(pool) * (len(pool) - 1) // 2 - len(pool.twins)
        planned = min(self.site.judging.pairs_per_topic, possible)
        return max(0, planned - len(self._asked(pool)))

    def _choose(self, pool: PairPool, asked: set[frozenset[int]]) -> Pair | None:
        """The first in line; one drawn at random where the thread is behind."""
        while self._ready:
            pair = self._ready.pop(0)
            if frozenset(pair) not in asked:
                return pair
        taken = [*(tuple(asked_pair) for asked_pair in asked), *pool.twins]
        drawn = random_pairs(len(pool), 1, rng=self._rng, taken=taken)  # type: ignore[arg-type]
        return drawn[0] if drawn else None

    def _task(self, pool: PairPool, pair: Pair) -> Task:
        """An open task for a pair. Id and order are the same whoever makes it, so that several servers make one."""
        ends = sorted(pool.hashes[index] for index in pair)
        id = stable_id("live", self.protocol.name, self.topic, *ends)
        swap = int(self.site.public.of("side", id), 36) % 2
        left, right = sorted(pair, key=lambda index: pool.hashes[index], reverse=bool(swap))
        task = Task(
            id=id,
            evaluation=self.site.store.evaluation,
            assessor=ANYONE,
            protocol=self.protocol.name,
            version=self.protocol.version,
            topic=self.topic,
        )
        return pool.asked(task, (left, right))

    def _asked(self, pool: PairPool) -> set[frozenset[int]]:
        return {frozenset(pair) for task in self._tasks() if (pair := pool.pair(task))}

    def _tasks(self) -> list[Task]:
        """The topic's tasks for people."""
        programs = self._decided.by_programs()
        tasks = self.site.store.tasks(topic=self.topic, protocol=self.protocol.name)
        return [task for task in tasks if task.id not in programs]

    def refit(self) -> None:
        """Put the pairs in line that would tell most, given all answers so far and what is handed out."""
        pool, how = self.pool, self.site.judging.next_pair
        if pool is None or len(pool) < 2 or how == "random":
            return
        current = self.site.store.current(self.topic)
        judged = [
            judgment
            for judgment in current
            if PREFERENCE in judgment.answers and judgment.origin not in PROGRAMS
        ]
        latest = max(
            (event.seq or 0 for judgment in judged for event in judgment.answers.values()), default=0
        )
        if latest == self._seen:
            return
        answers, waiting = answers_in(
            pool, self._tasks(), {judgment.task.id: judgment.answers for judgment in judged}
        )
        if self._similarity is None:
            self._similarity = sentence_similarity(DEFAULT, pool.texts).among()
        pairs = next_pairs(
            answers,
            rng=self._rng,
            count=AHEAD,
            how=how,  # type: ignore[arg-type]
            similarity=self._similarity,
            waiting=[*waiting, *pool.twins],
        )
        with self._lock:
            self._ready, self._seen = list(pairs), latest
