"""Judgments that people have already: one module per format. Importers only read; the store keeps what they yield.

An importer is a function

    read(paths, *, evaluation, assessor, ..., **options) -> Iterator[Item]

It yields items: where something stood in the input (`FILE:LINE`), and what it is. Topics, systems, documents and
summaries come before the tasks that name them, and a task before its events. What was not taken, or was taken in
another form than it came in, is a `LeftOut` with the reason; reasons are counted, so they name no single thing.

Ids are made of what is imported (`stable_id`): importing the same file twice stores it once. A task's id says what
is judged by whom, an event's id also what was answered, so that a corrected file becomes a later answer of the same
task.

ducview    pyramids and peer annotations (.pyr and .pan), in and out
nist       NIST's tables of responsiveness and linguistic quality
see        DUC-2002's tables of SEE results
summeval   SummEval's ratings
crowd      CSV with task, worker and label
nist       tables of responsiveness and linguistic quality
see        DUC-2002's result tables
summeval   experts' and the crowd's ratings
crowd      tables of task, worker and label
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from adjudge.formats.files import Paths
from adjudge.formats.rouge155 import is_person
from adjudge.judgments.intake import Item

BASELINES = 1
"""NIST's numbers up to this one are baselines, if nothing else is said: how many there are differs by year."""


class Importer(Protocol):
    """What every format's `read` is; formats add options of their own."""

    def __call__(self, paths: Paths, *, evaluation: str, assessor: str) -> Iterator[Item]: ...


def nist_kind(system: str, baselines: int = BASELINES) -> str | None:
    """What NIST's id of a summarizer tells: a letter is a person, a low number a baseline.

    None for the rest: no kind means machine, and does not contradict what is known from elsewhere.
    """
    if is_person(system):
        return "human"
    return "baseline" if re.fullmatch(r"[0-9]{1,6}", system) and int(system) <= baselines else None
