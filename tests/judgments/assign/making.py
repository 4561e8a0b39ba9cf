"""Small collections and plans for the tests of assigning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Row, Summary, System, Topic, Unit
from adjudge.judgments.assign import plan
from adjudge.judgments.assign.planning import Assignment
from adjudge.judgments.protocol import load_protocol

RATING, COVERAGE, PREFERENCE = "rating", "duc-2002", "preference-summaries"


def collection(*rows: Row, units: bool = True) -> Collection:
    """Rows as a folder would give them; every summary is one sentence and one discourse unit, unless told otherwise."""
    topics = {row.topic: row for row in rows if isinstance(row, Topic)}
    summaries: dict[str, list[Summary]] = {}
    for row in rows:
        if isinstance(row, Summary):
            summaries.setdefault(row.topic, []).append(row)
            topics.setdefault(row.topic, Topic(row.topic))
    names = dict.fromkeys(s.system for some in summaries.values() for s in some)
    made = {
        topic: [
            Unit(s.topic, s.system, kind, f"{s.system}-{kind}", 0, len(s.text), s.text, length=s.length)
            for s in some
            if s.text
            for kind in ("sentence", "edu")
        ]
        for topic, some in summaries.items()
    }
    systems = {name: System(name) for name in names}
    return Collection(Settings("e"), topics, systems, {}, summaries, made if units else {})


def summaries(topics: int, systems: int, *, references: Sequence[str] = ()) -> list[Summary]:
    """Peers s1, s2, ... and references, on topics t1, t2, ..., all of 100 words."""
    found = []
    for t in range(1, topics + 1):
        found += [Summary(f"t{t}", f"s{k}", f"Text {k} of {t}.", 100) for k in range(1, systems + 1)]
        found += [
            Summary(f"t{t}", name, f"Model of {t} by {k}.", 100, ("reference",), author=name)
            for k, name in enumerate(references)
        ]
    return found


def people(many: int) -> list[str]:
    return [f"a{k}" for k in range(1, many + 1)]


def planned(texts: Collection, who: Sequence[str], protocol: str = RATING, **how: Any) -> Assignment:
    return plan(texts, load_protocol(protocol), who, "e", **how)
