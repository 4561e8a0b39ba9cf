"""What is there, what is missing, what looks wrong, and what that would do to the results.

Reads only, and loads no scientific package. Each rule is a small function that yields findings.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, islice
from typing import Any, Literal

from adjudge.core.errors import FormatError, nearest
from adjudge.core.words import counted
from adjudge.data.baselines import SLACK
from adjudge.data.collection import Collection, describe_withdrawn, load, unknown_keys
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary, System, Topic
from adjudge.data.target import Target
from adjudge.data.units import misfits
from adjudge.text.words import count_words

Severity = Literal["error", "warning", "note"]
KEPT = 1000  # places that a finding keeps; the command line shows the first few


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing: how bad, what, where, and what it would do to the results."""

    severity: Severity
    code: str
    what: str
    effect: str
    where: tuple[str, ...] = ()
    count: int = 1

    def as_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "what": self.what,
            "effect": self.effect,
            "count": self.count,
            "where": list(self.where),
        }


@dataclass(frozen=True)
class CheckReport:
    """Counts of what is there, and the findings, worst first."""

    counts: dict[str, Any]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": self.counts, "findings": [f.as_dict() for f in self.findings]}


def named(summary: Summary) -> str:
    target = f" ({summary.target})" if summary.length or summary.form else ""
    return f"{summary.system} on {summary.topic}{target}"


def some(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(items, KEPT))


def by_system(summaries: Iterable[Summary]) -> tuple[str, ...]:
    """The topics of summaries, one text per system, the most affected system first."""
    topics: dict[str, list[str]] = defaultdict(list)
    for summary in summaries:
        topics[summary.system].append(summary.topic)
    listed = sorted(topics.items(), key=lambda item: -len(item[1]))
    return some(f"{system}: {_few(where)}" for system, where in listed)


def _few(topics: list[str]) -> str:
    return ", ".join(topics[:3]) + (f" and {len(topics) - 3:,} more" if len(topics) > 3 else "")


Rule = Callable[[Collection], Iterator[Finding]]


_HINTED = 5  # unlisted names that are shown, each with the nearest listed one


def check(folder: Folder) -> CheckReport:
    """Check the whole evaluation."""
    try:
        collection = load(folder)
    except FormatError as error:
        effect = "the evaluation cannot be read, so nothing can be scored"
        return CheckReport({}, (Finding("error", "unreadable", str(error), effect),))
    findings = [finding for rule in RULES for finding in rule(collection)]
    findings += _unlisted(folder, collection)
    order = {"error": 0, "warning": 1, "note": 2}
    peers = [s for s in collection.all_summaries() if s.is_peer]
    references = [s for s in collection.all_summaries() if s.is_reference]
    return CheckReport(
        {
            "topics": len(collection.topics),
            "systems": dict(Counter(collection.kind(s) for s in dict.fromkeys(p.system for p in peers))),
            "documents": sum(map(len, collection.documents.values())),
            "peers": len(peers),
            "references": len(references),
            "lengths": list(collection.lengths),
            **({"forms": list(collection.forms)} if any(collection.forms) else {}),
            "units": sum(map(len, collection.units.values())),
            "withdrawn": len(collection.withdrawn),
        },
        tuple(sorted(findings, key=lambda f: order[f.severity])),
    )


# What is there


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


def _unknown(collection: Collection) -> Iterator[Finding]:
    for key in unknown_keys(collection):
        yield Finding(
            "warning" if key.hint else "note",
            "unknown-key",
            str(key),
            "no command knows this key: it is kept, and has no effect",
        )


def peer_topics(collection: Collection) -> list[str]:
    return [topic for topic in collection.topics if collection.peers(topic)]


def _missing(collection: Collection) -> Iterator[Finding]:
    """Summaries that are missing: other systems have one for that topic, length and form."""
    cells = dict.fromkeys((p.topic, p.target) for p in collection.all_summaries() if p.is_peer)
    withdrawn = {(s.system, s.topic, s.target) for s in collection.withdrawn}
    has: dict[str, set[tuple[str, Target]]] = defaultdict(set)
    for peer in collection.all_summaries():
        if peer.is_peer:
            has[peer.system].add((peer.topic, peer.target))
    lacking = [
        Summary(topic, system, "", target.length, form=target.form)
        for system, mine in has.items()
        for topic, target in cells
        if (topic, target) not in mine
        and any(target == other for _, other in mine)
        and (system, topic, target) not in withdrawn
    ]
    if lacking:
        systems = len({s.system for s in lacking})
        yield Finding(
            severity="warning",
            code="missing-summaries",
            what=f"{counted(len(lacking), 'summary', 'summaries')} of {counted(systems, 'system')} missing",
            effect="means are over fewer topics; pairs use common topics only",
            where=by_system(lacking),
            count=len(lacking),
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
            severity="warning",
            code="topic-without-documents",
            what=f"{counted(len(bare), 'topic has', 'topics have')} no documents",
            effect="no baseline there, and measures that need the source are missing on them",
            where=some(bare),
            count=len(bare),
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
            severity="warning",
            code="topic-without-references",
            what=f"{counted(len(bare), 'topic has', 'topics have')} no reference",
            effect="measures that need references are missing there, for every system",
            where=some(bare),
            count=len(bare),
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


def _currencies(collection: Collection) -> Iterator[Finding]:
    """Costs that cannot be compared, for they are in several currencies."""
    stated = [row for row in collection.systems.values() if row.cost is not None]
    currencies = Counter(row.currency or "no currency" for row in stated)
    if len(currencies) > 1:
        yield Finding(
            severity="warning",
            code="several-currencies",
            what=f"costs of {counted(len(stated), 'system')} in {', '.join(currencies)}",
            effect="they are not compared, and no report says which system is the cheapest",
            where=some(f"{row.system}: {row.currency or 'no currency'}" for row in stated),
            count=len(stated),
        )


def _units(collection: Collection) -> Iterator[Finding]:
    astray = list(misfits(collection.all_summaries(), collection.units))
    if astray:
        yield Finding(
            severity="error",
            code="units-astray",
            what=f"units of {counted(len(astray), 'summary', 'summaries')} no longer fit the text",
            effect="judgments of them would be about other words: run adjudge units, mend edited ones by hand",
            where=some(astray),
            count=len(astray),
        )


def _withdrawn(collection: Collection) -> Iterator[Finding]:
    for line in describe_withdrawn(collection):
        yield Finding("note", "withdrawn", line, "they stay in the files and count in no score")


def _unlisted(folder: Folder, collection: Collection) -> Iterator[Finding]:
    """Names that summaries use and the lists do not have, where the lists exist."""
    for kind, name, names in ((Topic, "topic", collection.topics), (System, "system", collection.systems)):
        if not folder.has(kind):
            continue
        listed = {getattr(row, name) for _, row in folder.rows(kind)}
        unlisted = [n for n in names if n not in listed]
        if unlisted:
            yield Finding(
                severity="warning",
                code=f"unlisted-{name}",
                what=f"{counted(len(unlisted), f'{name} is', f'{name}s are')} not in {kind.FILE}",
                effect=f"each counts as a {name} of its own, and nothing is known of it: a misspelling splits them",
                where=some(f"{n}{nearest(n, listed)}" for n in unlisted[:_HINTED]),
                count=len(unlisted),
            )


# Texts: empty, cut, too long, broken, copied

_MOJIBAKE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]|Ã[\x80-¿]|â€|Â[\xa0-¿]")
_HTML = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|&(?:amp|lt|gt|quot|nbsp|#\d{1,6});")
_ENDED = re.compile(r"[.!?…。！？।][\"'”’»)\]]*\s*$")


def _empty(collection: Collection) -> Iterator[Finding]:
    cases: tuple[tuple[str, Severity, str], ...] = (
        ("peer", "warning", "it scores 0 where others are measured; a missing summary is better left out"),
        ("reference", "error", "nothing can be found in it, so recall against it is not defined"),
    )
    for role, severity, effect in cases:
        empty = [s for s in collection.all_summaries() if role in s.roles and not count_words(s.text)]
        what = f"{counted(len(empty), role, f'{role}s')} without a word"
        yield from _found(severity, f"empty-{role}", what, effect, empty)


def _truncated(collection: Collection) -> Iterator[Finding]:
    """Texts that stop in mid-sentence; where most of a system's do, that may be its style."""
    texts: dict[str, list[Summary]] = defaultdict(list)
    for summary in collection.all_summaries():
        if count_words(summary.text):
            texts[summary.system].append(summary)
    cut: list[Summary] = []
    style: list[Summary] = []
    for summaries in texts.values():
        open_ended = [s for s in summaries if not _ENDED.search(s.text)]
        (cut if len(open_ended) * 2 <= len(summaries) else style).extend(open_ended)
    yield from _found(
        "warning",
        "truncated",
        f"{counted(len(cut), 'text')} cut off in mid-sentence",
        "texts cut by accident score lower than their system deserves",
        cut,
    )
    yield from _found(
        "note",
        "no-full-stop",
        f"{counted(len(style), 'text')} of systems that mostly end without a full stop",
        "fine if that is their style; if output was cut at a limit, scores are lower",
        style,
    )


def _too_long(collection: Collection) -> Iterator[Finding]:
    over = [
        s
        for s in collection.all_summaries()
        if s.is_peer and s.length is not None and count_words(s.text) > s.length + SLACK
    ]
    yield from _found(
        "warning",
        "over-length",
        f"{counted(len(over), 'text')} over the target by more than {SLACK} words",
        "recall rewards length: compare with a limit, or with precision and F beside it",
        over,
    )


def _found(
    severity: Severity, code: str, what: str, effect: str, summaries: list[Summary]
) -> Iterator[Finding]:
    if summaries:
        yield Finding(
            severity=severity,
            code=code,
            what=what,
            effect=effect,
            where=by_system(summaries),
            count=len(summaries),
        )


def _searched(pattern: re.Pattern[str], code: str, what: str, effect: str) -> Rule:
    """A rule that searches every text, documents too."""

    def rule(collection: Collection) -> Iterator[Finding]:
        hits = [named(s) for s in collection.all_summaries() if pattern.search(s.text)]
        for topic, documents in collection.documents.items():
            hits += [f"document {d.id} of {topic}" for d in documents if pattern.search(d.text)]
        if hits:
            yield Finding(
                severity="warning",
                code=code,
                what=f"{counted(len(hits), 'text')} {what}",
                effect=effect,
                where=some(hits),
                count=len(hits),
            )

    return rule


def _digest(text: str) -> bytes:
    return blake2b(" ".join(text.split()).encode(), digest_size=12).digest()


def _same_texts(collection: Collection) -> Iterator[Finding]:
    """Pairs of systems with the same text on at least half of the topics they share."""
    alike: Counter[tuple[str, str]] = Counter()
    size: Counter[str] = Counter()
    for topic in collection.topics:
        by_text: dict[tuple[Target, bytes], set[str]] = defaultdict(set)
        for peer in collection.peers(topic):
            size[peer.system] += 1
            by_text[peer.target, _digest(peer.text)].add(peer.system)
        for systems in by_text.values():
            alike.update(combinations(sorted(systems), 2))
    for (a, b), n in alike.items():
        if n * 2 >= min(size[a], size[b]):
            yield Finding(
                severity="warning",
                code="same-texts",
                what=f"{a} and {b} have the same text {n:,} times",
                effect="they are the same, and count twice in every comparison of systems",
                where=(a, b),
                count=n,
            )


def _peer_is_reference(collection: Collection) -> Iterator[Finding]:
    hits = []
    for topic in collection.topics:
        texts = {(_digest(r.text), r.system) for r in collection.references(topic)}
        for peer in collection.peers(topic):
            mine = _digest(peer.text)
            hits += [
                f"{named(peer)} = {system}"
                for text, system in texts
                if text == mine and system != peer.system
            ]
    if hits:
        yield Finding(
            severity="warning",
            code="peer-is-reference",
            what=f"{counted(len(hits), 'peer is', 'peers are')} the same text as a reference by another writer",
            effect="such a peer scores 1 against that reference whatever its quality",
            where=some(hits),
            count=len(hits),
        )


TEXT_RULES: tuple[Rule, ...] = (
    _empty,
    _truncated,
    _too_long,
    _searched(
        _MOJIBAKE,
        "broken-encoding",
        "with signs of a wrong encoding (\\ufffd, Ã©, â€™ or control characters)",
        "words with such signs match nothing; import again with the right encoding",
    ),
    _searched(_HTML, "html", "with HTML left in", "tags and entities count as words and lower every overlap"),
    _same_texts,
    _peer_is_reference,
)

RULES: tuple[Rule, ...] = (
    _nothing,
    _unknown,
    _missing,
    *TEXT_RULES,
    _documents,
    _references,
    _lengths,
    _currencies,
    _units,
    _withdrawn,
)
