"""In which order somebody judges, and which tasks are planted once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from adjudge.core.errors import UsageError, quoted
from adjudge.judgments.judging_page import JudgingPage
from adjudge.judgments.tasks import Task, TextRef, stable_id

Order = Literal["topic", "mixed"]
ORDERS: tuple[Order, ...] = get_args(Order)

GAP = 5  # a repeat stands at least so many tasks after its original; less where there are few tasks
MOST = 0.5  # share of repeats: with more, the last tasks could not be repeated at a distance


def check_order(order: str) -> None:
    if order not in ORDERS:
        raise UsageError(f"the order is {quoted(order)}, expected one of: {', '.join(ORDERS)}")


def in_order(pages: Sequence[JudgingPage], order: Order, rng: np.random.Generator) -> list[JudgingPage]:
    """Pages in random order: all mixed; or topic by topic, and in a topic reference by reference.

    Topics, the references of a topic and the peers compared with one are each in random order.
    """
    mixed = [pages[i] for i in rng.permutation(len(pages))]
    if order == "mixed":
        return mixed
    # The order in which topics and references turn up in a shuffle would favour those with many pages.
    groups = sorted({(page.topic, _reference(page)) for page in pages})
    topics = sorted({topic for topic, _ in groups})
    topic_rank = dict(zip(topics, rng.permutation(len(topics)).tolist(), strict=True))
    group_rank = dict(zip(groups, rng.permutation(len(groups)).tolist(), strict=True))
    return sorted(mixed, key=lambda page: (topic_rank[page.topic], group_rank[page.topic, _reference(page)]))


def _reference(page: JudgingPage) -> tuple[str, int, str]:
    return ("", 0, "") if page.reference is None else TextRef.of(page.reference).order


def with_repeats(
    before: Sequence[Task],
    new: Sequence[Task],
    repeats: Sequence[tuple[Task, int]],
    rng: np.random.Generator,
    *,
    hold_back: bool = False,
) -> list[Task]:
    """The new tasks with their repeats among them; a repeat's number is the task of the whole line that it precedes.

    In the order by topic a repeat comes when its topic is over, which would tell it: so as many tasks that are asked
    for the first time are held back, and come where repeats may come.
    """
    held = _held_back(before, new, repeats, rng) if hold_back and repeats else []
    while True:
        apart = [(*repeats, *held)[i] for i in rng.permutation(len(repeats) + len(held))]
        placed: list[Task] = []
        elsewhere = {task.id for task, _ in apart}
        for j in range(len(before), len(before) + len(new) + 1):
            placed += [task for task, slot in apart if slot == j]
            placed += [
                task for task in new[j - len(before) : j - len(before) + 1] if task.id not in elsewhere
            ]
        if not held or _far_enough(before, placed):
            return placed
        held.pop()


def _held_back(
    before: Sequence[Task],
    new: Sequence[Task],
    repeats: Sequence[tuple[Task, int]],
    rng: np.random.Generator,
) -> list[tuple[Task, int]]:
    """Tasks that wait until their topic is over, each with the task of the whole line that it will precede.

    At least one of a topic stays, and so does what is repeated.
    """
    line, start = [*before, *new], len(before)
    slots = sorted({slot for _, slot in repeats} | {len(line)})
    stays = {task.repeat_of for task, _ in repeats}
    left = Counter(task.topic for task in new)
    held: list[tuple[Task, int]] = []
    for i in (start + rng.permutation(len(new))).tolist():
        fitting = [slot for slot in slots if any(task.topic != line[i].topic for task in line[i:slot])]
        if len(held) < len(repeats) and fitting and left[line[i].topic] > 1 and line[i].id not in stays:
            left[line[i].topic] -= 1
            held.append((line[i], fitting[rng.integers(len(fitting))]))
    return held


def _far_enough(before: Sequence[Task], placed: Sequence[Task]) -> bool:
    """Whether repeats stand late, and as far from their originals as they should."""
    line = [*before, *placed]
    place = {task.id: k for k, task in enumerate(line)}
    gap = gap_of(sum(task.repeat_of is None for task in line))
    return all(
        place[task.id] - place[task.repeat_of] >= gap and place[task.id] >= len(line) / 2
        for task in placed
        if task.repeat_of is not None
    )


def gap_of(tasks: int) -> int:
    """How many tasks after its original a repeat stands at least, where so many are asked for the first time."""
    return max(1, min(GAP, tasks // 2))


def draw_repeats(
    before: Sequence[Task],
    new: Sequence[Task],
    fresh: Set[str],
    share: float,
    order: Order,
    rng: np.random.Generator,
) -> list[tuple[Task, int]]:
    """Which tasks are asked once more, and before which task of the line (`before`, then `new`) each stands.

    So many that repeats are a share of what is asked first, those that are there counted; only `fresh` ones, whose
    texts are as they were, and none twice. They stand in the later half, after `before`, some tasks after their
    original; in the order by topic they stand between two topics.
    """
    line = [*before, *new]
    first = [i for i, task in enumerate(line) if task.repeat_of is None]
    gap = gap_of(len(first))
    there = {task.repeat_of for task in before} - {None}
    # Distances leave repeats out: else planting some would make room for more, and the next plan would add them.
    able = first[: len(first) - gap + 1]
    pool = [i for i in able if line[i].id in fresh and line[i].id not in there]
    count = min(max(0, round(share * len(first)) - len(there)), len(pool))
    if not count:
        return []
    n = len(line)
    start = max(len(before), -(-(n + count) // 2))
    slots = [
        j for j in range(start, n + 1) if order == "mixed" or j == n or line[j].topic != line[j - 1].topic
    ]
    drawn = []
    for i in rng.choice(pool, size=count, replace=False).tolist():
        fitting = [j for j in slots if j - i >= gap]
        drawn.append((line[i], fitting[rng.integers(len(fitting))]))
    return drawn


def repeat_of(task: Task, id: str, *, swap: bool = True) -> Task:
    """A task asked once more; a preference with left and right swapped, unless told otherwise."""
    again = replace(task, id=id, repeat_of=task.id, lease_until=None)
    if task.left is None or not swap:
        return again
    names = {"left": "right", "right": "left"}
    hashes = {names.get(role, role): hash for role, hash in task.hashes.items()}
    return replace(again, left=task.right, right=task.left, hashes=hashes)


def even_repeats(tasks: Sequence[Task], share: float, *, swap: bool = True) -> list[Task]:
    """Some tasks once more, evenly from first to last, with ids that follow from those of the tasks."""
    count = round(share * len(tasks))
    chosen = (tasks[n * len(tasks) // count] for n in range(count))
    return [repeat_of(task, stable_id("repeat", task.id), swap=swap) for task in chosen]


def with_even_repeats(tasks: Sequence[Task], share: float, rng: np.random.Generator) -> list[Task]:
    """Tasks with some of them once more among the later ones, at a distance."""
    place, gap = {task.id: i for i, task in enumerate(tasks)}, gap_of(len(tasks))
    again = []
    for task in even_repeats(tasks, share):
        first = max(place[task.repeat_of or ""] + gap, len(tasks) // 2)
        again.append((task, int(rng.integers(min(first, len(tasks)), len(tasks) + 1))))
    return with_repeats((), tasks, again, rng)
