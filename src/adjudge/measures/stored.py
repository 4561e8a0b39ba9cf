"""The scores that a folder has: read back, with what is stale and what is withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.data import scorefiles
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.data.scorefiles import StoredScores
from adjudge.data.scores import ScoreTable
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.judgments.batch import NOTHING, Judgments, batches_of
from adjudge.measures.registry import parse_measure
from adjudge.measures.run import reference_counts, reference_notes, stale_topics
from adjudge.wording import counted


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


def load_scores(folder: Folder, collection: Collection, judgments: Judgments = NOTHING) -> StoredTable:
    """All stored scores as one table."""
    import pandas as pd

    stored = scorefiles.read_all(folder.path)
    gone = _withdrawn_keys(collection)
    batches = batches_of(collection, judgments)
    counts = reference_counts(batches)
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
            judged = judgments.notes() if "judgments" in measure.needs else ()
            notes[each.info.measure] = (*reference_notes(measure, collection, counts), *judged)
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
