"""Runs measures over topics, writes scores/, knows what is stale. Measures themselves read no files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from typing import Any

from adjudge.collection import scorefiles
from adjudge.collection.collection import Collection, references_for
from adjudge.collection.folder import Folder
from adjudge.collection.lines import dump_json
from adjudge.collection.rows import Row
from adjudge.collection.scorefiles import StoredScores
from adjudge.collection.transaction import Transaction
from adjudge.engine import Workers, run, worker_count
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.measures.base import Measure, TopicBatch
from adjudge.measures.registry import parse_measure
from adjudge.scores import Score, ScoreTable
from adjudge.wording import counted

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
            "measure": self.measure, "signature": self.signature, "rows": self.rows,
            "new_topics": list(self.new), "changed_topics": list(self.changed),
            "gone_topics": list(self.gone), "kept_topics": self.kept, "missing": self.missing,
            "notes": list(self.notes),
        }  # fmt: skip


def score(
    folder: Folder,
    collection: Collection,
    measures: Sequence[Measure],
    *,
    workers: Workers = 1,
    again: bool = False,
    progress: Progress = lambda done, of: None,
) -> list[Scored]:
    """Score every topic that is new or has changed since; the rest is kept. All files change at once."""
    topics = [topic for topic in collection.topics if collection.peers(topic)]
    if not topics:
        raise DataError(f"{folder.path}: nothing to score: no summary has the role peer")
    _check_needs(collection, measures)
    batches = {topic: batch_of(collection, topic) for topic in topics}
    plans = [_plan(folder, collection, measure, batches, again) for measure in measures]
    todo = [t for t in topics if any(t in plan.todo for plan in plans)]
    work = [
        [(batches[t], tuple(p.measure for p in plans if t in p.todo)) for t in chunk]
        for chunk in _chunks(todo, batches)
    ]
    rows: dict[str, list[Score]] = {str(m): [] for m in measures}
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


def batch_of(collection: Collection, topic: str) -> TopicBatch:
    return TopicBatch(
        collection.topics[topic],
        tuple(collection.peers(topic)),
        tuple(collection.references(topic)),
        tuple(collection.documents.get(topic, ())),
        tuple(collection.units.get(topic, ())),
        collection.settings.language,
    )


def digest(measure: Measure, batch: TopicBatch) -> str:
    """Of everything in the topic that the measure looks at."""
    parts: list[Sequence[Row]] = [batch.peers]
    parts += [getattr(batch, need) for need in sorted(measure.needs | measure.uses)]
    state = blake2b(batch.language.encode(), digest_size=8)
    for rows in parts:
        for row in rows:
            state.update(dump_json(row.as_dict()).encode())
        state.update(b"\0")
    return state.hexdigest()


def stale_topics(batches: dict[str, TopicBatch], stored: StoredScores, measure: Measure) -> list[str]:
    """Topics whose stored scores no longer belong to the texts: changed, new or gone."""
    now = {topic: digest(measure, batch) for topic, batch in batches.items()}
    return [t for t in {**now, **stored.inputs} if now.get(t) != stored.inputs.get(t)]


@dataclass(frozen=True)
class _Plan:
    """For one measure: what to score, and what is kept of the stored scores."""

    measure: Measure
    signature: str
    digests: dict[str, str]
    old: StoredScores | None
    todo: frozenset[str]
    notes: tuple[str, ...]

    def merged(self, rows: list[Score], topics: Sequence[str]) -> StoredScores:
        info = replace(self.measure.info(), signature=self.signature)
        if self.old is not None:
            kept = [r for r in self.old.table.rows() if r.topic in self.digests and r.topic not in self.todo]
            order = {topic: k for k, topic in enumerate(topics)}
            rows = sorted(kept + rows, key=lambda r: order[r.topic])
        return StoredScores(info, ScoreTable.from_rows(rows, [info]), "computed", self.digests)

    def report(self, stored: StoredScores) -> Scored:
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
    folder: Folder, collection: Collection, measure: Measure, batches: dict[str, TopicBatch], again: bool
) -> _Plan:
    counts = _reference_counts(batches) if "references" in measure.needs else {}
    spread = sorted(set().union(*counts.values())) if counts else []
    signature = measure.signature("-".join(str(n) for n in {spread[0]: 0, spread[-1]: 0}) if spread else "")
    digests = {topic: digest(measure, batch) for topic, batch in batches.items()}
    old = scorefiles.find(folder.path, str(measure))
    if again or (old and old.info.signature != signature):
        fresh: set[str] = set()
    else:
        fresh = {t for t, d in digests.items() if old and old.inputs.get(t) == d}
    return _Plan(
        measure, signature, digests, old, frozenset(digests) - fresh,
        (*_notes(measure, collection, counts), *measure.warnings(list(batches.values()))),
    )  # fmt: skip


def _reference_counts(batches: dict[str, TopicBatch]) -> dict[str, set[int]]:
    """How many references each system is held against, over its topics."""
    counts: dict[str, set[int]] = {}
    for batch in batches.values():
        for peer in batch.peers:
            counts.setdefault(peer.system, set()).add(len(references_for(peer, batch.references)))
    return counts


def _notes(measure: Measure, collection: Collection, counts: dict[str, set[int]]) -> tuple[str, ...]:
    """A person held against fewer references than the machines scores lower or higher for that alone."""
    if measure.options().get("refs") in (None, "mean", "jackknife") or not counts:
        return ()
    most = max(max(each) for each in counts.values())
    fewer = [
        system
        for system, each in counts.items()
        if collection.kind(system) == "human" and max(each) < most and any(each)
    ]
    if not fewer:
        return ()
    verb = "is" if len(fewer) == 1 else "are"
    return (
        f"{', '.join(fewer)} {verb} not held against their own reference, so against fewer than the"
        f" others ({most}): {measure.name}(refs=jackknife) is fair to all",
    )


def _check_needs(collection: Collection, measures: Sequence[Measure]) -> None:
    """Say what is missing before any work starts."""
    have = {
        "references": any(collection.references(t) for t in collection.topics),
        "documents": bool(collection.documents),
        "units": bool(collection.units),
    }
    hints = {
        "references": 'summaries with "roles": ["reference"]',
        "documents": "documents.jsonl",
        "units": "units.jsonl, made by: adjudge units",
    }
    for measure in measures:
        measure.check_installed()
        for need in sorted(measure.needs):
            if not have[need]:
                raise DataError(f"{measure} needs {need}, and there are none: add {hints[need]}")


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


@dataclass(frozen=True)
class StoredTable:
    """The scores a folder has, less what is withdrawn, and what is no longer true of them."""

    table: ScoreTable
    stored: tuple[StoredScores, ...]
    stale: dict[str, tuple[str, ...]]
    withdrawn: dict[str, int]
    notes: dict[str, tuple[str, ...]]

    def warnings(self, measure: str) -> list[str]:
        """What a reader of this measure's numbers should know first."""
        found = []
        if topics := self.stale.get(measure):
            shown = ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
            found.append(
                f"{measure} is out of date: {counted(len(topics), 'topic')} changed since ({shown});"
                f' run: adjudge score ... -m "{measure}"'
            )
        if count := self.withdrawn.get(measure):
            found.append(f"{counted(count, 'score')} of withdrawn summaries left out")
        return [*found, *self.notes.get(measure, ())]


def load_scores(folder: Folder, collection: Collection) -> StoredTable:
    """All stored scores as one table."""
    import pandas as pd

    stored = scorefiles.read_all(folder.path)
    gone = _withdrawn_keys(collection)
    batches = {t: batch_of(collection, t) for t in collection.topics if collection.peers(t)}
    counts = _reference_counts(batches)
    frames, withdrawn, stale, notes = [], {}, {}, {}
    for each in stored:
        frame = each.table.frame
        keep = [
            (t, s, None if pd.isna(n) else int(n)) not in gone
            for t, s, n in zip(frame["topic"], frame["system"], frame["length"], strict=True)
        ]
        frames.append(frame[keep])
        withdrawn[each.info.measure] = len(keep) - sum(keep)
        if each.origin == "computed":
            measure = parse_measure(each.info.measure)
            stale[each.info.measure] = tuple(stale_topics(batches, each, measure))
            notes[each.info.measure] = _notes(measure, collection, counts)
    infos = [each.info for each in stored]
    table = ScoreTable.from_frame(pd.concat(frames), infos) if frames else ScoreTable.from_rows([])
    return StoredTable(table, tuple(stored), stale, withdrawn, notes)


def _withdrawn_keys(collection: Collection) -> set[tuple[object, ...]]:
    """What scores are left out: those of withdrawn summaries, and those that name no length where a
    system has nothing else on the topic."""
    present = {(s.topic, s.system) for s in collection.all_summaries()}
    bare = {(s.topic, s.system, None) for s in collection.withdrawn if (s.topic, s.system) not in present}
    return {s.key for s in collection.withdrawn} | bare


def resolve(text: str, known: Sequence[str]) -> str:
    """The measure that a user means among those that have scores."""
    if text in known:
        return text
    if ":" in text.partition("(")[0]:
        raise UsageError(f"no imported scores {quoted(text)}{nearest(text, known)}")
    spec = str(parse_measure(text))
    if spec not in known:
        raise DataError(f'{spec} has not been scored here; run: adjudge score ... -m "{spec}"')
    return spec
