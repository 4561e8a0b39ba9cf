"""Runs measures over topics and writes scores/. What they are given is in batches.py; they read no files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from adjudge.data import scorefiles
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.data.scorefiles import ScoreFile
from adjudge.data.scores import Score, ScoreTable
from adjudge.data.transaction import Transaction
from adjudge.engine import Workers, run, worker_count
from adjudge.errors import DataError
from adjudge.judgments.batch import NOTHING, Judgments, TopicBatch, batches_of
from adjudge.measures.base import Measure
from adjudge.measures.batches import check_needs, digests, reference_counts, reference_notes

CHUNK = 2000  # texts, about, that travel to a worker together

Progress = Callable[[int, int], None]  # topics done, topics in all


@dataclass(frozen=True)
class Scored:
    """What happened to one measure: which topics were scored, which were kept, what is missing."""

    measure: str
    signature: str
    rows: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    kept: int
    missing: dict[str, int]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "signature": self.signature,
            "rows": self.rows,
            "new_topics": list(self.new),
            "changed_topics": list(self.changed),
            "gone_topics": list(self.gone),
            "kept_topics": self.kept,
            "missing": self.missing,
            "notes": list(self.notes),
        }


def score(
    folder: Folder,
    collection: Collection,
    measures: Sequence[Measure],
    *,
    judgments: Judgments = NOTHING,
    workers: Workers = 1,
    again: bool = False,
    progress: Progress = lambda done, of: None,
) -> list[Scored]:
    """Score every topic that is new or has changed since; the rest is kept. All files change at once."""
    batches = batches_of(collection, judgments)
    topics = list(batches)
    if not topics:
        raise DataError(f"{folder.path}: nothing to score: no summary has the role peer")
    check_needs(collection, judgments, measures)
    plans = [_plan(folder, collection, judgments, measure, batches, again) for measure in measures]
    todo = [t for t in topics if any(t in plan.todo for plan in plans)]
    work = [
        [
            (batches[t], tuple(p.measure for p in plans if t in p.todo and p.measure.scope == "topic"))
            for t in chunk
        ]
        for chunk in _chunks(todo, batches)
    ]
    rows: dict[str, list[Score]] = {str(m): [] for m in measures}
    for plan in plans:
        if plan.measure.scope == "evaluation" and plan.todo:
            rows[str(plan.measure)] += type(plan.measure).score_many([plan.measure], list(batches.values()))
    done = 0
    for chunk, scores in zip(
        work, run(_score_chunk, work, workers=min(worker_count(workers), max(len(work), 1))), strict=True
    ):
        for each in scores:
            rows[each.measure].append(each)
        done += len(chunk)
        progress(done, len(todo))
    with Transaction(folder.path) as change:
        results = []
        for plan in plans:
            stored = plan.merged(rows[str(plan.measure)], topics)
            scorefiles.write(change.stage(scorefiles.file_name(str(plan.measure))), stored)
            results.append(plan.report(stored))
        change.commit()
    return results


@dataclass(frozen=True)
class _Plan:
    """For one measure: what to score, and what is kept of the stored scores."""

    measure: Measure
    signature: str
    digests: dict[str, str]
    old: ScoreFile | None
    todo: frozenset[str]
    notes: tuple[str, ...]

    def merged(self, rows: list[Score], topics: Sequence[str]) -> ScoreFile:
        info = replace(self.measure.info(), signature=self.signature)
        if self.old is not None:
            kept = [r for r in self.old.table.rows() if r.topic in self.digests and r.topic not in self.todo]
            order = {topic: k for k, topic in enumerate(topics)}
            rows = sorted(kept + rows, key=lambda r: order[r.topic])
        return ScoreFile(info, ScoreTable.from_rows(rows, [info]), "computed", self.digests)

    def report(self, stored: ScoreFile) -> Scored:
        before = self.old.inputs if self.old else {}
        missing = stored.table.frame.loc[stored.table.frame["value"].isna(), "why"].value_counts()
        return Scored(
            str(self.measure),
            self.signature,
            len(stored.table.frame),
            new=tuple(t for t in self.digests if t in self.todo and t not in before),
            changed=tuple(t for t in self.digests if t in self.todo and t in before),
            gone=tuple(t for t in before if t not in self.digests),
            kept=len(self.digests) - len(self.todo),
            missing={str(why): int(count) for why, count in missing.items()},
            notes=self.notes,
        )


def _plan(
    folder: Folder,
    collection: Collection,
    judgments: Judgments,
    measure: Measure,
    batches: dict[str, TopicBatch],
    again: bool,
) -> _Plan:
    counts = reference_counts(batches) if "references" in measure.needs else {}
    spread = sorted(set().union(*counts.values())) if counts else []
    signature = measure.signature("-".join(str(n) for n in {spread[0]: 0, spread[-1]: 0}) if spread else "")
    now = digests(measure, batches)
    old = scorefiles.find(folder.path, str(measure))
    if again or (old and old.info.signature != signature):
        fresh: set[str] = set()
    else:
        fresh = {t for t, d in now.items() if old and old.inputs.get(t) == d}
    return _Plan(
        measure,
        signature,
        now,
        old,
        frozenset(now) - fresh,
        (
            *reference_notes(measure, collection, counts),
            *(judgments.notes() if "judgments" in measure.needs else ()),
            *measure.warnings(list(batches.values())),
        ),
    )


Work = Sequence[tuple[TopicBatch, tuple[Measure, ...]]]


def _score_chunk(work: Work) -> list[Score]:
    """Topics that want the same measures go together, and so do measures of one family."""
    found: list[Score] = []
    for measures, topics in groupby(work, key=lambda item: item[1]):
        batches = [batch for batch, _ in topics]
        families: dict[object, list[Measure]] = {}
        for measure in measures:  # a plug-in may call its family as another does, and score for itself
            families.setdefault((measure.FAMILY, type(measure).score_many.__func__), []).append(measure)
        for family in families.values():
            found += type(family[0]).score_many(family, batches)
        for batch in batches:
            batch.forget()
    return found


def _chunks(topics: Sequence[str], batches: dict[str, TopicBatch]) -> list[list[str]]:
    """Topics in runs of about as many texts, whoever does the work."""
    chunks: list[list[str]] = []
    room = 0
    for topic in topics:
        if room <= 0:
            chunks.append([])
            room = CHUNK
        chunks[-1].append(topic)
        room -= len(batches[topic].peers) + len(batches[topic].references)
    return chunks
