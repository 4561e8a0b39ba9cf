"""adjudge withdraw, rename, remove"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now, say, show_json
from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.data.edit import Changed


def withdraw(
    evaluation: options.Folder,
    why: options.Why,
    system: options.System = None,
    topic: options.Topic = None,
    restore: Annotated[bool, typer.Option("--restore", help="Restore what was withdrawn.")] = False,
    json: options.Json = False,
) -> None:
    """Leave a system's or topic's summaries out of all scores; the files keep them."""
    e = adjudge.open(evaluation)
    _show(e.withdraw(why, system=system, topic=topic, restore=restore, when=now()), json)


def rename(
    evaluation: options.Folder,
    to: Annotated[str, typer.Option("--to", help="The new name.", show_default=False)],
    why: options.Why,
    system: options.System = None,
    topic: options.Topic = None,
    json: options.Json = False,
) -> None:
    """Rename a system or a topic everywhere: files, scores, judgments."""
    e = adjudge.open(evaluation)
    _show(e.rename(to, why, system=system, topic=topic, when=now()), json)


def remove(
    evaluation: options.Folder,
    why: options.Why,
    system: options.System = None,
    topic: options.Topic = None,
    json: options.Json = False,
) -> None:
    """Delete a system, a topic, or a system's summaries of a topic from the files."""
    e = adjudge.open(evaluation)
    _show(e.remove(why, system=system, topic=topic, when=now()), json)


def _show(changed: Changed, json: bool) -> None:
    if json:
        show_json(changed.as_dict() | {"cannot_be_undone": changed.why_final})
        return
    rows = ", ".join(f"{n:,} in {name}.jsonl" for name, n in changed.rows.items())
    say(f"{changed.what}: {changed.target}: {rows or 'no rows'}; noted in changes.jsonl")
    if changed.scores:
        say(f"scores changed too: {', '.join(changed.scores)}")
    if changed.tasks:
        say(f"judging: {_tasks(changed)}")
    if changed.why_final:
        say(f"this cannot be undone: {changed.why_final}")


def _tasks(changed: Changed) -> str:
    """`171 tasks renamed; 171 judgments kept, under the new name`, and the like."""
    judged = counted(changed.tasks["judged"], "judgment")
    if n := changed.tasks["renamed"]:
        return f"{counted(n, 'task')} renamed; {judged} kept, under the new name"
    if changed.what == "restore":
        return f"{counted(changed.tasks['restored'], 'open task')} restored; {judged} count again"
    return f"{counted(changed.tasks['cancelled'], 'open task')} cancelled; {judged} kept, which do not count"
