"""Rules that look at texts: empty, cut, too long, broken, copied."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from itertools import combinations

from adjudge.data.baselines import SLACK
from adjudge.data.collection import Collection
from adjudge.data.findings import Finding, Rule, Severity, by_system, named, some
from adjudge.data.rows import Summary
from adjudge.text.words import count_words
from adjudge.wording import counted

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
        "a text that was cut by accident scores lower than its system deserves",
        cut,
    )
    yield from _found(
        "note",
        "no-full-stop",
        f"{counted(len(style), 'text')} of systems that mostly end without a full stop",
        "none if that is their style; if the output was cut at a limit, scores are lower",
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
        yield Finding(severity, code, what, effect, by_system(summaries), len(summaries))


def _searched(pattern: re.Pattern[str], code: str, what: str, effect: str) -> Rule:
    """A rule that searches every text, documents too."""

    def rule(collection: Collection) -> Iterator[Finding]:
        hits = [named(s) for s in collection.all_summaries() if pattern.search(s.text)]
        for topic, documents in collection.documents.items():
            hits += [f"document {d.id} of {topic}" for d in documents if pattern.search(d.text)]
        if hits:
            yield Finding(
                "warning",
                code,
                f"{counted(len(hits), 'text')} {what}",
                effect,
                some(hits),
                len(hits),
            )

    return rule


def _digest(text: str) -> bytes:
    return blake2b(" ".join(text.split()).encode(), digest_size=12).digest()


def _same_texts(collection: Collection) -> Iterator[Finding]:
    """Pairs of systems with the same text on at least half of the topics they share."""
    alike: Counter[tuple[str, str]] = Counter()
    size: Counter[str] = Counter()
    for topic in collection.topics:
        by_text: dict[tuple[int | None, bytes], set[str]] = defaultdict(set)
        for peer in collection.peers(topic):
            size[peer.system] += 1
            by_text[peer.length, _digest(peer.text)].add(peer.system)
        for systems in by_text.values():
            alike.update(combinations(sorted(systems), 2))
    for (a, b), n in alike.items():
        if n * 2 >= min(size[a], size[b]):
            yield Finding(
                "warning",
                "same-texts",
                f"{a} and {b} have the same text {n:,} times",
                "they cannot be told apart, and count twice in every comparison of systems",
                (a, b),
                n,
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
            "warning",
            "peer-is-reference",
            f"{counted(len(hits), 'peer is', 'peers are')} the same text as a reference by another writer",
            "such a peer scores 1 against that reference whatever its quality",
            some(hits),
            len(hits),
        )


TEXT_RULES: tuple[Rule, ...] = (
    _empty,
    _truncated,
    _too_long,
    _searched(
        _MOJIBAKE,
        "broken-encoding",
        "with signs of a wrong encoding (\\ufffd, Ã©, â€™ or control characters)",
        "words with such signs match nothing; import again with the right --encoding",
    ),
    _searched(_HTML, "html", "with HTML left in", "tags and entities count as words and lower every overlap"),
    _same_texts,
    _peer_is_reference,
)
