"""One measure's scores as a tidy frame for models: who judged what, with what is known of it. Fits no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.data.collection import Collection
from adjudge.data.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "assessor",
    "system",
    "kind",
    "topic",
    "set",
    "type",
    "selector",
    "author",
    "length",
    "reference",
    "value",
)


def tidy(collection: Collection, table: ScoreTable, measure: str) -> pd.DataFrame:
    """A row per score row, with the topic's set, type and selector, the system's kind and the summary's author.

    A repeat is a row too. A score that is missing stays, as NaN.
    """
    import pandas as pd

    rows = table.of(measure)
    authors = {(s.topic, s.system, s.length): s.author for s in collection.all_summaries()}
    topics = [collection.topics.get(str(topic)) for topic in rows["topic"]]
    systems = [collection.systems.get(str(system)) for system in rows["system"]]
    lengths = [None if pd.isna(length) else int(length) for length in rows["length"]]
    keys = zip(rows["topic"], rows["system"], lengths, strict=True)
    found = {
        "kind": [(system.kind if system is not None else None) or "machine" for system in systems],
        "set": [topic.set if topic is not None else None for topic in topics],
        "type": [topic.type if topic is not None else None for topic in topics],
        "selector": [topic.selector if topic is not None else None for topic in topics],
        "author": [authors.get((str(topic), str(system), length)) for topic, system, length in keys],
    }
    added = {name: pd.array(values, dtype="string") for name, values in found.items()}
    return rows.assign(**added)[list(COLUMNS)].reset_index(drop=True)
