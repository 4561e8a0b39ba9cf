"""When pages close to whoever judged them (`answering.closed`): they are neither seen nor changed any more.

Planted repeats ask how far people agree with themselves, so first answers must not lie open when a repeat is judged.
That pages close must not tell repeats, either: where somebody has any of a protocol, every page of it closes that is
done, when they open one that stands some places before or after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.judgments.assign.order import GAP
from adjudge.judgments.tasks import Task
from adjudge.web.sampler import is_copy
from adjudge.web.site import Site


def go_on(site: Site, person: str, opened: Sequence[Task]) -> None:
    """Notes what a person leaves behind who opens pages."""
    every = site.tasks_of(person)
    for protocol in {task.protocol for task in opened}:
        # Pairs that are anybody's come after those that are assigned.
        line = sorted((task for task in every if task.protocol == protocol), key=is_copy)
        far, ids = reach(line), {task.id for task in opened}
        here = [n for n, task in enumerate(line) if task.id in ids]
        if far is None or not here:
            continue
        away = (line[n] for n in range(len(line)) if n - min(here) >= far or max(here) - n >= far)
        answered = site.desk(person).judged
        left = [task.id for task in away if task.lease_until is None and task.id in answered]
        if left:
            site.store.leave(person, left)


def reach(line: Sequence[Task]) -> int | None:
    """How many places away a page is to be opened to close another one; None where nothing is repeated."""
    places = {task.id: n for n, task in enumerate(line)}
    apart = [abs(places[task.id] - places[task.repeat_of]) for task in line if task.repeat_of in places]
    return max(1, min(GAP, *apart)) if apart else None
