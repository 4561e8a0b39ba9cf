"""When pages close to whoever judged them (`answering.closed`): they are neither seen nor changed any more.

Planted repeats ask how far people agree with themselves, so the first answers must not lie open when a repeat is judged.
That pages close must not tell repeats, either: where somebody has any, every page closes that is done, when they open
one that stands some places before or after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjudge.judgments.assign.order import GAP
from adjudge.judgments.tasks import Task
from adjudge.web.site import Site

def go_on(site: Site, person: str, opened: Iterable[Task]) -> None:
    """Notes what a person leaves behind who opens pages."""
    line = site.tasks_of(person)
    far = reach(line)
    places = {task.id: n for n, task in enumerate(line)}
    here = [places[task.id] for task in opened if task.id in places]
    if far is None or not here:
        return
    left = [
        task.id
        for n, task in enumerate(line)
        if task.lease_until is None and (n - min(here) >= far or max(here) - n >= far)
    ]
    site.store.leave(person, left)


def reach(line: Sequence[Task]) -> int | None:
    """How many places away a page is to be opened to close another one; None where nothing is repeated."""
    places = {task.id: n for n, task in enumerate(line)}
    apart = [
        abs(places[task.id] - places[task.repeat_of]) for task in line if task.repeat_of in places
    ]
    return max(1, min(GAP, *apart)) if apart else None
