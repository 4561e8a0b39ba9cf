"""Scoring: run measures over topics, keep what is up to date, and write scores/.

A topic is scored again when what the measure looks at has changed: the digest of its peers, and of the references,
documents, units and judgments that the measure needs or uses, is kept beside the scores. Measures read no files; this
module does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from typing import Any

from adjudge.core.engine import Workers, run, worker_count
from adjudge.core.errors import BusyError, DataError, FormatError, UsageError
from adjudge.core.phrases import Argument, Call
from adjudge.core.words import counted
from adjudge.data import scorefiles
from adjudge.data.collection import Collection, file_stamps, load, references_for
from adjudge.data.folder import Folder
from adjudge.data.lines import dump_json
from adjudge.data.scorefiles import ScoreFile
from adjudge.data.scores import MeasureInfo, Score, ScoreTable
from adjudge.data.transaction import Transaction
from adjudge.judgments.batch import NOTHING, Judgments, TopicBatch, batches_of
from adjudge.measures.base import Measure, Need
from adjudge.measures.registry import parse_measure, registry
from adjudge.measures.spec import judge_of

CHUNK = 2000  # texts, about, that travel to a worker together

Progress = Callable[[int, int], None]  # topics done, topics in all


# What scores depend on


def digests(measure: Measure, batches: Mapping[str, TopicBatch]) -> dict[str, str]:
    """By topic, a digest of everything the measure looks at; of all topics, where a score depends on them all.

    A topic without peers, such as one whose summaries are all withdrawn, has something to score only for a measure
    of judgments: texts may have been judged that are not in the folder.
    """
    judged = looks_at_judgments(measure)
    by_topic = {topic: digest(measure, batch) for topic, batch in batches.items() if batch.peers or judged}
    if measure.scope == "topic":
        return by_topic
    everything = blake2b("".join(by_topic.values()).encode(), digest_size=8).hexdigest()
    return dict.fromkeys(by_topic, everything)


def looks_at_judgments(measure: Measure) -> bool:
    """Whether scores of the measure depend on judgments."""
    return "judgments" in measure.needs | measure.uses


def names_of_judged() -> tuple[str, ...]:
    """The names of measures whose scores depend on judgments, as the names of score files begin."""
    names = []
    for name in registry():
        try:
            measure = parse_measure(name)
        except UsageError:  # of a plug-in that cannot do without options
            continue
        if looks_at_judgments(measure):
            names.append(name)
    return tuple(names)


def digest(measure: Measure, batch: TopicBatch) -> str:
    """Of everything in the topic that the measure looks at; made once for all measures that look at the same."""
    batch = measure.seen(batch)
    names = ("peers", *sorted(measure.needs | measure.uses))

    def make() -> str:
        state = blake2b(batch.language.encode(), digest_size=8)
        for name in names:
            for row in getattr(batch, name):
                state.update(dump_json(row.as_dict()).encode())
            state.update(b"\0")
        return state.hexdigest()

    return batch.once(("digest", names), make)


def seen(measure: Measure, batches: Sequence[TopicBatch]) -> list[TopicBatch]:
    """What a measure looks at of every topic."""
    return [measure.seen(batch) for batch in batches]


def fresh_topics(now: Mapping[str, str], stored: ScoreFile) -> set[str]:
    """Topics whose stored scores were made from what is there now; that may be no score at all."""
    return {topic for topic, digest in now.items() if stored.inputs.get(topic) == digest}


def stale_topics(batches: Mapping[str, TopicBatch], stored: ScoreFile, measure: Measure) -> list[str]:
    """Topics whose stored scores no longer belong to the texts: changed, new or gone."""
    now = digests(measure, batches)
    fresh = fresh_topics(now, stored)
    return [topic for topic in {**now, **stored.inputs} if topic not in fresh]


def reference_counts(batches: Mapping[str, TopicBatch]) -> dict[str, set[int]]:
    """How many references each system is compared with, over its topics."""
    counts: dict[str, set[int]] = {}
    for batch in batches.values():
        for peer in batch.peers:
            counts.setdefault(peer.system, set()).add(len(references_for(peer, batch.references)))
    return counts


def fewer_references(
    measure: Measure, collection: Collection, counts: dict[str, set[int]]
) -> tuple[list[str], int]:
    """Which people are compared with fewer references than the machines, and how many these have."""
    if measure.options().get("refs") in (None, "mean", "jackknife") or not counts:
        return [], 0
    most = max(max(numbers) for numbers in counts.values())
    fewer = [
        system
        for system, numbers in counts.items()
        if collection.kind(system) == "human" and max(numbers) < most and any(numbers)
    ]
    return fewer, most


def own_reference(people: Sequence[str], most: int) -> str:
    """That people who wrote a reference have fewer than others: their scores differ for that alone."""
    return (
        f"{', '.join(people)} {'is' if len(people) == 1 else 'are'} not compared with their own reference, so with"
        f" fewer than the others ({most})"
    )


def own_reference_note(people: Sequence[str], most: int) -> str:
    return f"{own_reference(people, most)}: the option refs=jackknife is fair to all"


def lacks(collection: Collection, judgments: Judgments, measure: Measure) -> list[Need]:
    """What a measure needs and is not there."""
    have = {
        "references": any(collection.references(t) for t in collection.topics),
        "documents": bool(collection.documents),
        "units": bool(collection.units),
        "judgments": bool(judgments.by_topic or judgments.by_judge),
    }
    return sorted(need for need in measure.needs if not have[need])


def check_needs(collection: Collection, judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Say what is missing before any work starts."""
    lines = Call(
        command=["import", "lines", "EVALUATION"],
        function="Evaluation.import_lines()",
        arguments=[Argument("references", "FILE", flag="reference")],
    )
    hints = {
        "references": f'summaries with "roles": ["reference"], such as with: {lines}',
        "documents": "documents.jsonl",
        "units": "units.jsonl, made by: adjudge units",
        "judgments": "them with: adjudge judgments import, adjudge judge simulate",
    }
    for measure in measures:
        measure.check_installed()
        for need in lacks(collection, judgments, measure):
            raise DataError(f"{measure} needs {need}, and there are none: add {hints[need]}")


# Scoring


@dataclass(frozen=True)
class Scored:
    """What happened to one measure: topics whose scores are new, changed, gone and kept, and what is missing.

    Only topics with scores count: one that nobody has judged is not among the new ones of a measure of judgments.
    """

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
    partly: bool = False,
    progress: Progress = lambda done, of: None,
) -> list[Scored]:
    """Score every topic that is new or has changed since; the rest is kept. All files change at once.

    A measure that gives no score at all, or lacks what it needs, is an error, unless those that do are enough
    (`partly`). Where it had scores and nothing that was judged is left, these go: nothing stands behind them.
    """
    gone: list[Scored] = []
    bare = {}
    if not judgments.by_topic and not judgments.by_judge:
        bare = {measure: _without_judgments(folder, measure) for measure in measures}
    if any(bare.values()):
        with Transaction(folder.path) as change:
            gone = [_drop(change, stored) for files in bare.values() for stored in files]
            change.commit()
        measures = [measure for measure in measures if not bare[measure]]
        if not measures:
            return gone
    batches = batches_of(collection, judgments)
    topics = list(batches)
    if not topics:
        raise DataError(
            f"{folder.path}: nothing to score: no summary has the role peer;"
            f" import some: adjudge import FILE {folder.path}"
        )
    if partly:
        measures = [m for m in measures if not lacks(collection, judgments, m)] or measures
    check_needs(collection, judgments, measures)
    everything = list(batches.values())
    measures = list(
        dict.fromkeys(fitted for measure in measures for fitted in measure.fitted(seen(measure, everything)))
    )
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
            visible = seen(plan.measure, everything)
            rows[str(plan.measure)] += type(plan.measure).score_many([plan.measure], visible)
    done = 0
    for chunk, scores in zip(
        work, run(_score_chunk, work, workers=min(worker_count(workers), max(len(work), 1))), strict=True
    ):
        for row in scores:
            rows[row.measure].append(row)
        done += len(chunk)
        progress(done, len(todo))
    computed = {plan.measure: plan.computed(rows[str(plan.measure)]) for plan in plans if plan.todo}
    try:
        return gone + _store(folder, collection, judgments, plans, batches, computed, partly)
    except (BusyError, KeyboardInterrupt) as error:  # not on a full disk, which they would fill further
        unstored = [plan.merged(computed[plan.measure], topics) for plan in plans if plan.todo]
        if unstored and _keep(folder, unstored) and isinstance(error, BusyError):
            raise BusyError(
                f"{error.text}. The scores are computed and kept: the next score stores them, and computes nothing"
                " again"
            ) from error
        raise


def _keep(folder: Folder, unstored: Iterable[ScoreFile]) -> bool:
    """Keep scores that cannot be stored now, where the next run finds them."""
    try:
        for file in unstored:
            scorefiles.keep_unstored(folder.path, file)
    except OSError:
        return False
    return True


def _store(
    folder: Folder,
    collection: Collection,
    judgments: Judgments,
    plans: Sequence[_ScorePlan],
    batches: dict[str, TopicBatch],
    computed: Mapping[Measure, ScoreFile],
    partly: bool,
) -> list[Scored]:
    """Write what was computed; by then other commands may have changed the texts, or stored scores of their own."""
    with Transaction(folder.path) as change:
        texts_changed = bool(collection.read_from) and file_stamps(folder) != collection.read_from
        if texts_changed:
            collection = load(folder)
            batches = batches_of(collection, judgments)
        plans = [
            _plan(folder, collection, judgments, plan.measure, batches, plan.again)
            if texts_changed or plan.read_from != _stamp(folder, plan.measure)
            else plan
            for plan in plans
        ]
        everything, results = list(batches.values()), []
        for plan in plans:
            stored = plan.merged(computed.get(plan.measure), list(batches))
            if stored.table.frame.empty and plan.old is not None and looks_at_judgments(plan.measure):
                results.append(_drop(change, plan.old))
                continue
            if stored.table.frame.empty and not partly:
                why = plan.measure.why_nothing(seen(plan.measure, everything))
                raise DataError(f"{plan.measure}: no scores: {why}")
            if plan.changes(stored):
                scorefiles.stage(change, stored)
            if not (partly and stored.table.frame.empty):
                results.append(plan.report(stored))
        change.commit()
        for plan in plans:
            scorefiles.forget_unstored(folder.path, str(plan.measure))
    return results


def _without_judgments(folder: Folder, measure: Measure) -> list[ScoreFile]:
    """The stored scores of a measure that needs judgments; of all its options, where none is named."""
    if "judgments" not in measure.needs:
        return []
    stored = [s for s in scorefiles.read_all(folder.path) if s.origin == "computed"]
    same = (str(measure), f"{measure.name}(") if str(measure) == measure.name else (str(measure),)
    return [s for s in stored if s.info.measure == same[0] or s.info.measure.startswith(same[1:])]


def _drop(change: Transaction, stored: ScoreFile) -> Scored:
    """Take a measure's scores out, as nothing is left that they were made from."""
    measure = stored.info.measure
    scorefiles.remove(change, measure)
    topics = tuple(dict.fromkeys(stored.table.frame["topic"]))
    return Scored(
        measure=measure,
        signature=stored.info.signature,
        rows=0,
        new=(),
        changed=(),
        gone=topics,
        kept=0,
        missing={},
        notes=(f"{measure}: no judgments are left that it is made from; its scores were removed",),
    )


@dataclass(frozen=True)
class _ScorePlan:
    """For one measure: what to score, and what is kept of scores that are there."""

    measure: Measure
    signature: str
    digests: dict[str, str]
    old: ScoreFile | None
    unstored: ScoreFile | None
    """Of an earlier run that could not store them."""
    read_from: object
    """Which version of the stored scores `old` is."""
    again: bool
    todo: frozenset[str]
    notes: tuple[str, ...]

    @property
    def info(self) -> MeasureInfo:
        return replace(self.measure.info(), signature=self.signature)

    def computed(self, rows: list[Score]) -> ScoreFile:
        inputs = {topic: digest for topic, digest in self.digests.items() if topic in self.todo}
        table = ScoreTable.from_rows(rows, [self.info])
        return ScoreFile(info=self.info, table=table, origin="computed", inputs=inputs)

    def merged(self, computed: ScoreFile | None, topics: Sequence[str]) -> ScoreFile:
        """Of every topic the scores that were made from what is there now; where there are none, the latest."""
        usable = [
            file
            for file in (computed, self.unstored, self.old)
            if file and file.info.signature == self.signature
        ]
        chosen: dict[str, ScoreFile] = {}
        for topic, digest in self.digests.items():
            fresh = (file for file in usable if file.inputs.get(topic) == digest)
            stale = (file for file in usable if file is not self.unstored and topic in file.inputs)
            if best := next(fresh, None) or next(stale, None):
                chosen[topic] = best
        info, old = self.info, self.old
        inputs = {topic: file.inputs[topic] for topic, file in chosen.items()}
        if (
            old is not None
            and all(file is old for file in chosen.values())
            and inputs.keys() >= old.inputs.keys()
        ):
            table = ScoreTable(old.table.frame, {info.measure: info})  # nothing new, and nothing gone
        elif old is None and computed is not None and all(file is computed for file in chosen.values()):
            table = computed.table
        else:
            table = self._together(usable, chosen, topics)
        return ScoreFile(info=info, table=table, origin="computed", inputs=inputs)

    def _together(
        self, usable: Sequence[ScoreFile], chosen: Mapping[str, ScoreFile], topics: Sequence[str]
    ) -> ScoreTable:
        """The scores of every topic from where they were chosen, in the order of the topics."""
        import pandas as pd

        if not usable:
            return ScoreTable.from_rows([], [self.info])
        frames = [
            file.table.frame[
                file.table.frame["topic"].isin([t for t, source in chosen.items() if source is file])
            ]
            for file in reversed(usable)
        ]
        both = pd.concat(frames, ignore_index=True)
        order = both["topic"].map({topic: k for k, topic in enumerate(topics)})
        return ScoreTable.from_frame(both.iloc[order.argsort(kind="stable")], [self.info])

    def changes(self, stored: ScoreFile) -> bool:
        """Whether there is something to write: a file that says the same stays as it is, byte for byte."""
        old = self.old
        return (
            old is None
            or stored.table.frame is not old.table.frame
            or (old.info, old.inputs) != (stored.info, stored.inputs)
        )

    def _changed_meanwhile(self, stored: ScoreFile) -> Iterator[str]:
        topics = [topic for topic, digest in self.digests.items() if stored.inputs.get(topic) != digest]
        if topics:
            few = ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
            changed = f"{counted(len(topics), 'topic')} changed while scores were computed ({few})"
            yield f"{self.measure}: {changed}: score again"

    def report(self, stored: ScoreFile) -> Scored:
        frame = stored.table.frame
        now = dict.fromkeys(frame["topic"])  # topics without any score are not counted
        before = dict.fromkeys(self.old.table.frame["topic"]) if self.old else {}
        missing = frame.loc[frame["value"].isna(), "why"].value_counts()
        return Scored(
            measure=str(self.measure),
            signature=self.signature,
            rows=len(frame),
            new=tuple(t for t in now if t not in before),
            changed=tuple(t for t in now if t in self.todo and t in before),
            gone=tuple(t for t in before if t not in now),
            kept=sum(t not in self.todo and t in before for t in now),
            missing={str(why): int(count) for why, count in missing.items()},
            notes=(*self.notes, *self._changed_meanwhile(stored)),
        )


def _plan(
    folder: Folder,
    collection: Collection,
    judgments: Judgments,
    measure: Measure,
    batches: dict[str, TopicBatch],
    again: bool,
) -> _ScorePlan:
    counts = reference_counts(batches) if "references" in measure.needs else {}
    spread = sorted(set().union(*counts.values())) if counts else []
    signature = measure.signature("-".join(str(n) for n in {spread[0]: 0, spread[-1]: 0}) if spread else "")
    now, stamp = digests(measure, batches), _stamp(folder, measure)
    try:
        old = scorefiles.find(folder.path, str(measure))
    except FormatError:
        if not again:
            raise
        old = None  # a damaged file is what `again` replaces
    unstored = None if again else scorefiles.find_unstored(folder.path, str(measure))
    fewer, most = fewer_references(measure, collection, counts)
    fresh: set[str] = set()
    for file in () if again else (old, unstored):
        if file is not None and file.info.signature == signature:
            fresh |= fresh_topics(now, file)
    return _ScorePlan(
        measure=measure,
        signature=signature,
        digests=now,
        old=old,
        unstored=unstored,
        read_from=stamp,
        again=again,
        todo=frozenset(now) - fresh,
        notes=(
            *([own_reference_note(fewer, most)] if fewer else []),
            *(judgments.notes(judge_of(str(measure))) if "judgments" in measure.needs else ()),
            *measure.warnings(seen(measure, list(batches.values()))),
        ),
    )


def _stamp(folder: Folder, measure: Measure) -> object:
    """What tells one version of a measure's stored scores from another."""
    try:
        stat = scorefiles.path_of(folder.path, str(measure)).stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


Work = Sequence[tuple[TopicBatch, tuple[Measure, ...]]]


def _score_chunk(work: Work) -> list[Score]:
    """Topics that want the same measures go together, and so do measures of one family."""
    scores: list[Score] = []
    for measures, topics in groupby(work, key=lambda item: item[1]):
        scores += score_batches(measures, [batch for batch, _ in topics])
    return scores


def score_batches(measures: Sequence[Measure], batches: Sequence[TopicBatch]) -> list[Score]:
    """Scores of topics in memory; measures of one family that look at the same judgments share their work."""
    scores: list[Score] = []
    families: dict[object, list[Measure]] = {}
    for measure in measures:  # a plug-in may call its family as another does, and score for itself
        scoring = getattr(type(measure).score_many, "__func__", None)
        families.setdefault((measure.FAMILY, scoring, getattr(measure, "by", None)), []).append(measure)
    for family in families.values():
        scores += type(family[0]).score_many(family, seen(family[0], batches))
    for batch in batches:
        batch.forget()
    return scores


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
