"""Which pairs people are asked about: tasks for the store, drawn at random or by what is known so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection
from adjudge.judgments.assign.order import with_even_repeats
from adjudge.judgments.pairs.answers import Preferences, answers_in
from adjudge.judgments.pairs.sides import Pair, PairPool, pools_of
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import ANONYMOUS, ORDER_KEY, Task, stable_id
from adjudge.stats.preference.next_pair import How, next_pairs, random_pairs
from adjudge.text.similarity import DEFAULT, Similarity, sentence_similarity

HOWS: tuple[How, ...] = get_args(How)

ANYONE = f"open-{ANONYMOUS}"
"""Whose tasks are whoever's: nobody is named as their assessor."""
COUNT = 200
"""Pairs asked per topic (Zopf 2018, section 5)."""


@dataclass(frozen=True)
class Sampled:
    """What was put into the store."""

    protocol: str
    tasks: int
    pairs: Mapping[str, int]
    """New pairs, by topic."""
    repeats: int = 0
    checks: int = 0
    why: Mapping[str, str] = field(default_factory=dict)
    """Topics that got fewer pairs than asked for, and the reason."""

    def lines(self) -> list[str]:
        """For people."""
        pairs = counted(sum(self.pairs.values()), "pair")
        more = [
            counted(n, what)
            for n, what in ((self.repeats, "planted repeat"), (self.checks, "planted check"))
            if n
        ]
        lines = [
            f"{counted(self.tasks, 'task')} added: {pairs} in {counted(len(self.pairs), 'topic')}"
            f"{''.join(f', {planted}' for planted in more)} ({self.protocol})"
        ]
        by_reason: dict[str, list[str]] = {}
        for topic, why in self.why.items():
            by_reason.setdefault(why, []).append(topic)
        return lines + [f"{listed(topics)}: {why}" for why, topics in by_reason.items()]

    def as_dict(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "tasks": self.tasks,
            "pairs": dict(self.pairs),
            "repeats": self.repeats,
            "checks": self.checks,
            "why": dict(self.why),
        }


@dataclass(frozen=True)
class SamplePlan:
    """What is asked of `sample`, checked."""

    count: int = COUNT
    how: How = "random"
    assessors: tuple[str, ...] = ()
    per_pair: int = 1
    repeats: float = 0.0
    seed: int = 0
    similarity: Similarity = DEFAULT
    key: bytes = field(default=b"", repr=False)
    """Of the store, where people are asked: without it nobody can compute what comes, and on which side."""

    def __post_init__(self) -> None:
        if self.how not in HOWS:
            raise UsageError(f"how is {quoted(self.how)}, expected one of: {', '.join(HOWS)}")
        if self.count < 0:
            raise UsageError(f"count is {self.count}, expected 0 or more")
        if len(set(self.assessors)) < len(self.assessors):
            raise UsageError("an assessor is named twice")
        if self.per_pair < 1 or (self.assessors and self.per_pair > len(self.assessors)):
            most = f" to {len(self.assessors)}, the number of assessors" if self.assessors else " or more"
            raise UsageError(f"per pair {self.per_pair} people are asked, expected 1{most}")
        if not 0 <= self.repeats <= 1:
            raise UsageError(f"repeats is {self.repeats:g}, expected a share from 0 to 1")


def sample(
    collection: Collection,
    store: Store,
    protocol: Protocol,
    *,
    count: int = COUNT,
    how: How = "random",
    assessors: Sequence[str] = (),
    per_pair: int = 1,
    repeats: float = 0.0,
    seed: int = 0,
    topics: Sequence[str] = (),
    checks: Preferences | None = None,
    similarity: Similarity = DEFAULT,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Sampled:
    """Put tasks into the store: new pairs per topic, for the assessors named or for whoever comes.

    No pair is asked that was asked before, in either order; which side is left is drawn for every task anew.
    `count` pairs are chosen per topic, each for `per_pair` people in turn; a share of everybody's tasks (`repeats`)
    comes once more, with the sides exchanged. `how` information or variance looks at the answers so far, and counts
    tasks without one as waiting. `checks` are pairs with known answers, by text or by system, that everybody gets.
    """
    plan = SamplePlan(
        count=count,
        how=how,
        assessors=tuple(assessors),
        per_pair=per_pair,
        repeats=repeats,
        seed=seed,
        similarity=similarity,
        key=store.secret(ORDER_KEY),
    )
    new, sampled = new_pairs(
        collection, store, protocol, plan, topics=topics, checks=checks, progress=progress
    )
    return replace(sampled, tasks=store.add_tasks(new))


def new_pairs(
    collection: Collection,
    store: Store,
    protocol: Protocol,
    plan: SamplePlan,
    *,
    topics: Sequence[str] = (),
    checks: Preferences | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[list[Task], Sampled]:
    """The tasks that `sample` puts into the store, and what it says of them; nothing is stored."""
    wanted = [collection.need_topic(topic).topic for topic in topics] or list(collection.topics)
    asking = _Asking(collection, store, protocol, plan)
    for number, topic in enumerate(wanted):
        asking.topic(topic, named=bool(topics), checks=checks)
        progress(number + 1, len(wanted))
    if not asking.new:
        reasons = "; ".join(f"{topic}: {why}" for topic, why in list(asking.why.items())[:3])
        raise DataError(f"there is no pair to ask about{f': {reasons}' if reasons else ''}")
    planted = sum(task.repeat_of is not None for task in asking.new)
    return asking.new, Sampled(
        protocol=protocol.name,
        tasks=len(asking.new),
        pairs=asking.pairs,
        repeats=planted,
        checks=asking.checks,
        why=asking.why,
    )


class _Asking:
    """Tasks being made, topic by topic."""

    def __init__(self, collection: Collection, store: Store, protocol: Protocol, plan: SamplePlan):
        self.collection, self.protocol, self.plan = collection, protocol, plan
        self.evaluation = store.evaluation
        self.there = store.tasks(protocol=protocol.name)
        self.answered = {judged.task.id: judged.answers for judged in store.current()}
        self.people = plan.assessors or (ANYONE,)
        self.positions = dict.fromkeys(self.people, 0)
        for task in self.there:
            if task.assessor in self.positions:
                self.positions[task.assessor] = max(self.positions[task.assessor], task.position + 1)
        self.new: list[Task] = []
        self.pairs: dict[str, int] = {}
        self.why: dict[str, str] = {}
        self.checks = 0
        self.turn = 0

    def topic(self, topic: str, *, named: bool, checks: Preferences | None) -> None:
        pools = pools_of(self.collection, topic, self.protocol)
        there = [task for task in self.there if task.topic == topic]
        name = f"prefer/sample/{self.protocol.name}/{topic}"
        rng = generator(self.plan.seed, name, len(there), key=self.plan.key)
        asked = [[pair for task in there if (pair := pool.pair(task))] for pool in pools]
        free = [
            len(pool) * (len(pool) - 1) // 2 - len({frozenset(pair) for pair in (*pairs, *pool.twins)})
            for pool, pairs in zip(pools, asked, strict=True)
        ]
        if sum(free) < self.plan.count and (named or pools):
            self.why[topic] = _short(sum(free), any(len(pool) > 1 for pool in pools), self.protocol)
        by_person: dict[str, list[Task]] = {name: [] for name in self.people}
        check_pairs = list(_checks(checks, topic, pools))
        for pool, pairs, count in zip(pools, asked, shares(self.plan.count, free), strict=True):
            taken = [*pairs, *pool.twins, *(pair for other, pair in check_pairs if other is pool)]
            chosen = self._choose(pool, there, taken, count, rng) if count else []
            self.pairs[topic] = self.pairs.get(topic, 0) + len(chosen)
            turns = [(name, copy, pair) for pair in chosen for name, copy in self._who()]
            for name, copy, pair in sorted(
                turns, key=lambda turn: turn[1]
            ):  # nobody sees a pair twice in a row
                by_person[name].append(self._task(pool, pair, name, copy, rng))
        if not self.pairs.get(topic, 0):
            self.pairs.pop(topic, None)
        self._finish(by_person, check_pairs, there, rng)

    def _choose(
        self,
        pool: PairPool,
        there: Sequence[Task],
        taken: Sequence[Pair],
        count: int,
        rng: np.random.Generator,
    ) -> list[Pair]:
        if self.plan.how == "random":
            return random_pairs(len(pool), count, rng=rng, taken=taken)
        answers, waiting = answers_in(pool, there, self.answered)
        similarity = None
        if self.protocol.compares == "sentences":
            similarity = sentence_similarity(self.plan.similarity, pool.texts).among()
        # What was skipped, is a check or is the same text counts as handed out: it is not to come again.
        answered_or_waiting = {
            frozenset(pair) for pair in (*waiting, *zip(answers.first, answers.second, strict=True))
        }
        blocked = [pair for pair in taken if frozenset(pair) not in answered_or_waiting]
        return next_pairs(
            answers,
            rng=rng,
            count=count,
            how=self.plan.how,
            similarity=similarity,
            waiting=(*waiting, *blocked),
        )

    def _who(self) -> Iterator[tuple[str, int]]:
        """Whoever is next gets the pair, `per_pair` of them; where nobody is named, as many open tasks."""
        if not self.plan.assessors:
            yield from ((ANYONE, copy) for copy in range(self.plan.per_pair))
            return
        for k in range(self.plan.per_pair):
            yield self.people[(self.turn + k) % len(self.people)], 0
        self.turn += self.plan.per_pair

    def _task(self, pool: PairPool, pair: Pair, assessor: str, copy: int, rng: np.random.Generator) -> Task:
        left, right = pair if rng.random() < 0.5 else pair[::-1]
        name = self.protocol.name
        id = stable_id(
            "preference",
            name,
            pool.topic,
            pool.hashes[left],
            pool.hashes[right],
            _side(pool, left),
            _side(pool, right),
            assessor,
            copy,
        )
        task = Task(
            id=id,
            evaluation=self.evaluation,
            assessor=assessor,
            protocol=name,
            version=self.protocol.version,
            topic=pool.topic,
        )
        return pool.asked(task, (left, right))

    def _finish(
        self,
        by_person: Mapping[str, list[Task]],
        check_pairs: Sequence[tuple[PairPool, Pair]],
        there: Sequence[Task],
        rng: np.random.Generator,
    ) -> None:
        """Planted checks and planted repeats among an assessor's tasks, and everybody's order."""
        seen = {(task.assessor, *_unordered(task)) for task in there}
        for name, tasks in by_person.items():
            copies = self.plan.per_pair if name == ANYONE else 1
            checks = [
                self._task(pool, pair, name, copy, rng)
                for copy in range(copies)
                for pool, pair in check_pairs
            ]
            checks = [task for task in checks if (name, *_unordered(task)) not in seen]
            self.checks += len(checks)
            for at, task in zip(
                sorted(rng.integers(0, len(tasks) + 1, len(checks)))[::-1], checks, strict=True
            ):
                tasks.insert(int(at), task)
            for task in with_even_repeats(tasks, self.plan.repeats, rng):
                self.new.append(replace(task, position=self.positions[name]))
                self.positions[name] += 1


def shares(count: int, free: Sequence[int]) -> list[int]:
    """`count` split as evenly as there is room."""
    split = [0] * len(free)
    left = count
    for done, number in enumerate(sorted(range(len(free)), key=lambda k: free[k])):
        split[number] = min(free[number], -(-left // (len(free) - done)))
        left -= split[number]
    return split


def _checks(
    checks: Preferences | None, topic: str, pools: Sequence[PairPool]
) -> Iterator[tuple[PairPool, Pair]]:
    """The pairs of a topic whose answer is known: by text, or by system."""
    if checks is None:
        return
    for check in checks.rows():
        if check.topic not in ("", topic):
            continue
        for pool in pools:
            names = {text: k for k, text in enumerate(pool.texts)}
            names |= {str(side["system"]): k for k, side in enumerate(pool.sides) if "system" in side}
            if check.left in names and check.right in names and names[check.left] != names[check.right]:
                yield pool, (names[check.left], names[check.right])
                break
        else:
            if check.topic:
                raise DataError(
                    f"a check compares {quoted(check.left)} with {quoted(check.right)}, which are not both in {topic}"
                )


def _unordered(task: Task) -> tuple[frozenset[str], str]:
    return frozenset(task.hashes.values()), task.topic


def _side(pool: PairPool, number: int) -> str:
    return "/".join(str(value) for value in pool.sides[number].values())


def _short(free: int, several: bool, protocol: Protocol) -> str:
    what = (
        "sentences in its documents"
        if protocol.compares == "sentences"
        else "summaries of one length and form"
    )
    if not several:
        return f"needs two {what}"
    return "every pair has been asked" if not free else f"only {counted(free, 'pair')} left to ask"
