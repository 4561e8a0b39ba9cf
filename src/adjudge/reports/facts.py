"""What an evaluation holds, in a few numbers. Counts rows; reads no scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from adjudge.data.collection import Collection
from adjudge.data.rows import KINDS
from adjudge.reports.numbers import span
from adjudge.wording import counted, listed


@dataclass(frozen=True, slots=True)
class Fact:
    """One number with its name, and a few words that say more."""

    name: str
    value: str
    more: str = ""


def facts_of(collection: Collection) -> tuple[Fact, ...]:
    """Only what is there: an evaluation may be as little as its summaries, or its scores."""
    found = [
        Fact("Topics", f"{len(collection.topics):,}"),
        _systems(collection),
        _summaries(collection),
        _documents(collection),
        _references(collection),
    ]
    return tuple(fact for fact in found if fact.value != "0")


def _systems(collection: Collection) -> Fact:
    judged = {s.system for s in collection.all_summaries() if s.is_peer} or set(collection.systems)
    kinds = Counter(collection.kind(system) for system in judged)
    words = [counted(kinds[kind], kind) for kind in KINDS if kinds[kind]]
    return Fact("Systems", f"{len(judged):,}", listed(words) if words else "")


def _summaries(collection: Collection) -> Fact:
    peers = sum(s.is_peer for s in collection.all_summaries())
    lengths = collection.lengths
    if lengths == (None,):
        more = "no target length"
    else:
        named = ["no target length" if n is None else f"{n:,}" for n in lengths]
        more = f"{listed(named)} words" if named and lengths[-1] is not None else ""
    return Fact("Summaries", f"{peers:,}", more)


def _documents(collection: Collection) -> Fact:
    held = [len(collection.documents.get(topic, ())) for topic in collection.topics]
    return Fact("Documents", f"{sum(held):,}", f"{span(held)} per topic" if held else "")


def _references(collection: Collection) -> Fact:
    """A topic asked for at two lengths has references at both; what counts is how many at each."""
    held: list[int] = []
    for topic in collection.topics:
        lengths = Counter(reference.length for reference in collection.references(topic))
        held += lengths.values() or [0]
    total = sum(held)
    several = len({r.length for r in collection.all_summaries() if r.is_reference}) > 1
    per = "per topic and length" if several else "per topic"
    return Fact("References", f"{total:,}", f"{span(held)} {per}" if held else "")
