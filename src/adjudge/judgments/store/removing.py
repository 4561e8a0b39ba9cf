"""Taking the tasks and answers of a protocol out of a store, for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.words import counted
from adjudge.data.folder import Folder
from adjudge.data.layout import CHANGES, PENDING_EDIT
from adjudge.data.lines import dump_json
from adjudge.data.transaction import Transaction
from adjudge.judgments.protocol import protocol_file
from adjudge.judgments.store.edits import TaskEdit, finish_change, make_pending_edit
from adjudge.judgments.store.store import Store


@dataclass(frozen=True)
class RemovedJudgments:
    """What was removed: tasks, and answers to them; and which measures still have scores made from them."""

    protocol: str
    tasks: int
    answers: int
    why: str
    assessor: str | None = None
    """Whose alone, where somebody was named."""
    scores: tuple[str, ...] = ()
    folder: str = ""

    def lines(self) -> list[str]:
        """For people."""
        gone = f"{counted(self.tasks, 'task')} and {counted(self.answers, 'answer')}"
        by = "" if self.assessor is None else f" by {self.assessor}"
        lines = [f"{gone}{by} of the protocol {quoted(self.protocol)} removed"]
        if self.scores:
            measures = " ".join(f'-m "{measure}"' for measure in self.scores)
            lines.append(
                f"scores made from them are still there; run: adjudge score {self.folder} {measures}"
            )
        return lines

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "folder"}


def remove_protocol(
    folder: Folder,
    store: Store,
    protocol: str,
    why: str,
    *,
    assessor: str | None = None,
    files: Sequence[str] = (),
    when: str = "",
) -> RemovedJudgments:
    """Remove everything that was asked and answered by a protocol, and the file that an import kept of it.

    Of one assessor, where one is named. `files` of the folder go with it. The files change first, then the store, as
    with every change of texts; see edits.py. changes.jsonl keeps the reason.
    """
    if not why.strip():
        raise UsageError("say why: the reason is kept with the data")
    edit = TaskEdit(what="forget", protocol=protocol, assessor=assessor)
    with Transaction(folder.path) as change:
        make_pending_edit(folder.path, store)
        tasks = store.tasks(cancelled=True)
        mine = {task.id for task in tasks if task.protocol == protocol}
        if not mine:
            there = sorted({task.protocol for task in tasks})
            choices = f"there are: {', '.join(there)}" if there else "there are no tasks at all"
            wanted = f"{quoted(protocol)}{nearest(protocol, there)}"
            raise UsageError(f"{folder.path}: no tasks of the protocol {wanted}; {choices}")
        if assessor is not None:
            who = sorted({task.assessor for task in tasks if task.id in mine})
            mine = {task.id for task in tasks if task.id in mine and task.assessor == assessor}
            if not mine:
                raise UsageError(
                    f"{folder.path}: {quoted(assessor)} has no tasks of {protocol}{nearest(assessor, who)};"
                    f" there are those of: {', '.join(who)}"
                )
        answers = sum(event.task in mine for event in store.events())
        removed = RemovedJudgments(
            protocol=protocol, tasks=len(mine), answers=answers, why=why, assessor=assessor
        )
        about = {name: value for name, value in removed.as_dict().items() if name != "scores"}
        log = folder.path / CHANGES
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        entry = dump_json({"when": when, "what": "remove judgments", **about})
        change.stage(CHANGES).write_text(f"{text}{entry}\n", encoding="utf-8", newline="\n")
        change.stage(PENDING_EDIT).write_text(edit.to_json(), encoding="utf-8")
        kept = () if assessor is not None else (protocol_file(protocol),)
        for name in (*kept, *files):
            if (folder.path / name).exists():
                change.remove(name)
        change.commit()
    finish_change(folder.path, store)
    return removed
