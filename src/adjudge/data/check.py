"""What is there, what is missing, what looks wrong, and what that would do to the results.

Reads only; loads nothing scientific. Each rule is a small function that yields findings; those that read
the texts are in check_texts.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from adjudge.data.check_texts import TEXT_RULES
from adjudge.data.collection import Collection, describe_withdrawn, load
from adjudge.data.findings import CheckReport, Finding, Rule, by_system, some
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary, System, Topic
from adjudge.data.units import misfits
from adjudge.errors import FormatError, nearest
from adjudge.wording import counted

_HINTED = 5  # unlisted names that are shown, each with the nearest listed one


def check(folder: Folder) -> CheckReport:
    """Look the whole evaluation through."""
    try:
        collection = load(folder)
    except FormatError as error:
        effect = "the evaluation cannot be read, so nothing can be scored"
        return CheckReport({}, (Finding("error", "unreadable", str(error), effect),))
    found = [finding for rule in RULES for finding in rule(collection)]
    found += _unlisted(folder, collection)
    order = {"error": 0, "warning": 1, "note": 2}
    return CheckReport(_counts(collection), tuple(sorted(found, key=lambda f: order[f.severity])))


def _counts(collection: Collection) -> dict[str, Any]:
    peers = [s for s in collection.all_summaries() if s.is_peer]
    references = [s for s in collection.all_summaries() if s.is_reference]
    return {
        "topics": len(collection.topics),
        "systems": dict(Counter(collection.kind(s) for s in dict.fromkeys(p.system for p in peers))),
        "documents": sum(map(len, collection.documents.values())),
        "peers": len(peers),
        "references": len(references),
        "lengths": list(collection.lengths),
        "units": sum(map(len, collection.units.values())),
        "withdrawn": len(collection.withdrawn),
    }


def _nothing(collection: Collection) -> Iterator[Finding]:
    if not any(s.is_peer for s in collection.all_summaries()):
        yield Finding(
            "error", "no-peers", "no summary has the role peer", "there is nothing to score or compare"
        )
    elif len(peer_topics(collection)) < 6:
        n = len(peer_topics(collection))
        yield Finding(
            "warning",
            "few-topics",
            f"only {counted(n, 'topic')}",
            "a two-sided Wilcoxon test cannot reach .05 with fewer than 6 topics",
        )


def peer_topics(collection: Collection) -> list[str]:
    return [topic for topic in collection.topics if collection.peers(topic)]


def _missing(collection: Collection) -> Iterator[Finding]:
    """Summaries that other systems have at that topic and length, and this one has not."""
    cells = dict.fromkeys((p.topic, p.length) for p in collection.all_summaries() if p.is_peer)
    withdrawn = {(s.system, s.topic, s.length) for s in collection.withdrawn}
    has: dict[str, set[tuple[str, int | None]]] = defaultdict(set)
    for peer in collection.all_summaries():
        if peer.is_peer:
            has[peer.system].add((peer.topic, peer.length))
    lacking = [
        Summary(topic, system, "", length)
        for system, mine in has.items()
        for topic, length in cells
        if (topic, length) not in mine
        and any(length == other for _, other in mine)
        and (system, topic, length) not in withdrawn
    ]
    if lacking:
        systems = len({s.system for s in lacking})
        yield Finding(
            "warning",
            "missing-summaries",
            f"{counted(len(lacking), 'summary', 'summaries')} of {counted(systems, 'system')} missing",
            "their means are over fewer topics; pairs use only the topics both have",
            by_system(lacking),
            len(lacking),
        )


def _documents(collection: Collection) -> Iterator[Finding]:
    bare = [t for t in peer_topics(collection) if not collection.documents.get(t)]
    if bare and not collection.documents:
        yield Finding(
            "note",
            "no-documents",
            "no source documents",
            "baselines and measures that compare with the source cannot be computed",
        )
    elif bare:
        yield Finding(
            "warning",
            "topic-without-documents",
            f"{counted(len(bare), 'topic has', 'topics have')} no documents",
            "no baseline there, and measures that need the source are missing on them",
            some(bare),
            len(bare),
        )


def _references(collection: Collection) -> Iterator[Finding]:
    topics = peer_topics(collection)
    bare = [t for t in topics if not collection.references(t)]
    if topics and len(bare) == len(topics):
        yield Finding(
            "note", "no-references", "no reference summaries", "measures such as ROUGE cannot be computed"
        )
    elif bare:
        yield Finding(
            "warning",
            "topic-without-references",
            f"{counted(len(bare), 'topic has', 'topics have')} no reference",
            "measures that need references are missing there, for every system",
            some(bare),
            len(bare),
        )


def _lengths(collection: Collection) -> Iterator[Finding]:
    asked = collection.settings.lengths
    other = [n for n in collection.lengths if n is not None and n not in asked]
    if asked and other:
        here, there = (", ".join(map(str, lengths)) for lengths in (other, asked))
        yield Finding(
            "warning",
            "unknown-length",
            f"summaries of {here} words, evaluation.toml asks for {there}",
            "lengths are compared one at a time: these stand apart from the others",
        )


def _units(collection: Collection) -> Iterator[Finding]:
    astray = list(misfits(collection.all_summaries(), collection.units))
    if astray:
        yield Finding(
            "error",
            "units-astray",
            f"units of {counted(len(astray), 'summary', 'summaries')} no longer fit the text",
            "judgments of them would be about other words: run adjudge units, mend edited ones by hand",
            some(astray),
            len(astray),
        )


def _withdrawn(collection: Collection) -> Iterator[Finding]:
    for line in describe_withdrawn(collection):
        yield Finding("note", "withdrawn", line, "they stay in the files and count in no score")


def _unlisted(folder: Folder, collection: Collection) -> Iterator[Finding]:
    """Names that summaries use and the lists do not have, where the lists exist."""
    for kind, name, known in ((Topic, "topic", collection.topics), (System, "system", collection.systems)):
        if not folder.has(kind):
            continue
        listed = {getattr(row, name) for _, row in folder.rows(kind)}
        unlisted = [n for n in known if n not in listed]
        if unlisted:
            yield Finding(
                "warning",
                f"unlisted-{name}",
                f"{counted(len(unlisted), f'{name} is', f'{name}s are')} not in {kind.FILE}",
                f"each counts as a {name} of its own, and nothing is known of it: a misspelling splits them",
                some(f"{n}{nearest(n, listed)}" for n in unlisted[:_HINTED]),
                len(unlisted),
            )


RULES: tuple[Rule, ...] = (
    _nothing,
    _missing,
    *TEXT_RULES,
    _documents,
    _references,
    _lengths,
    _units,
    _withdrawn,
)
