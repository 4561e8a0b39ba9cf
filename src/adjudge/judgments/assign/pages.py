"""What there is to judge, page by page, and who may judge it. A page is what one task shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection, SourceSentence, references_for
from adjudge.data.rows import Summary, Topic
from adjudge.judgments.judging_page import JudgingPage, PageKey
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import TextRef

SentencePairs = Mapping[str, Sequence[tuple[SourceSentence, SourceSentence]]]
"""By topic: which sentence to show on the left, and which on the right."""


@dataclass(frozen=True)
class JudgingPages:
    """The pages, and in words why others were left out."""

    pages: tuple[JudgingPage, ...]
    notes: tuple[str, ...] = field(default=())


def pages_of(collection: Collection, protocol: Protocol, topics: Sequence[str] = ()) -> JudgingPages:
    """Every page of the topics (all, unless some are named), in an order that does not depend on the files."""
    check_protocol(protocol)
    names = sorted(set(topics) or collection.topics)
    for name in names:
        collection.need_topic(name)
    need_units(collection, protocol, names)
    pages: list[JudgingPage] = []
    notes = Counter[str]()
    for name in names:
        pages.extend(_of_topic(collection, protocol, name, notes))
    if not pages:
        raise DataError(f"there is nothing to judge under {protocol.name}{_why(notes)}")
    return JudgingPages(
        tuple(pages), tuple(f"{counted(n, 'peer')} {why}" for why, n in sorted(notes.items()))
    )


def check_protocol(protocol: Protocol) -> None:
    """Refuse protocols whose tasks cannot be handed out beforehand."""
    if (why := protocol.why_not_assigned()) is not None:
        raise UsageError(why)


def need_units(collection: Collection, protocol: Protocol, topics: Sequence[str]) -> None:
    """Where a page shows units, every text that is not empty must have some."""
    if missing := without_units(collection, protocol, topics):
        texts = counted(len(missing), "summary has", "summaries have")
        raise DataError(
            f"{texts} no units to judge by {protocol.name} ({listed(missing, most=3)}); run: adjudge units"
        )


def without_units(collection: Collection, protocol: Protocol, topics: Sequence[str] = ()) -> list[str]:
    """Summaries that have no units though a page shows some, as TOPIC/SYSTEM; of all topics unless named."""
    peer_units, model_units = protocol.units_shown("peer"), protocol.units_shown("reference")
    missing: list[str] = []
    for topic in topics or sorted(collection.topics):
        units = {(TextRef.of(unit), unit.kind) for unit in collection.units.get(topic, ())}
        for summary in collection.summaries.get(topic, ()):
            kinds = [peer_units] * summary.is_peer + [model_units] * summary.is_reference
            if summary.text.strip() and any(
                kind is not None and (TextRef.of(summary), kind) not in units for kind in kinds
            ):
                missing.append(f"{topic}/{summary.system}")
    return missing


def _of_topic(
    collection: Collection, protocol: Protocol, topic: str, notes: Counter[str]
) -> Iterator[JudgingPage]:
    """A topic's pages for people, by name; an empty reference is not shown."""
    peers = sorted(collection.peers(topic), key=_by_name)
    references = sorted(collection.references(topic), key=_by_name)
    for peer in peers if protocol.has_reference else ():
        if not any(reference.text.strip() for reference in references_for(peer, references)):
            notes["without a reference to be compared with: left out"] += 1
    for page in protocol.pages(topic, peers, references, collection.units.get(topic, ())):
        if page.reference is None or page.reference.text.strip():
            yield page


def sentence_pages(topic: str, pairs: SentencePairs) -> Iterator[JudgingPage]:
    """A topic's pairs of sentences; one that was chosen twice is asked once."""
    for pair in dict.fromkeys(pairs.get(topic, ())):
        if pair[0] == pair[1]:
            raise UsageError(f"{topic}: a sentence is paired with itself: {quoted(pair[0].text)}")
        yield JudgingPage(topic, sentences=pair)


def _by_name(summary: Summary) -> tuple[str, int, str]:
    return TextRef.of(summary).order


def _why(notes: Counter[str]) -> str:
    return "".join(f": {counted(n, 'peer')} {why}" for why, n in notes.most_common(1))


def some_pairs(
    pages: Sequence[JudgingPage],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    there: Container[PageKey],
    rng: np.random.Generator,
) -> tuple[JudgingPage, ...]:
    """`many` pairs of every topic: those that are judged already, then others, of the summaries with fewest so far.

    A pair that nobody may judge is not drawn.
    """
    by_topic: dict[str, dict[PageKey, JudgingPage]] = {}
    for page in pages:
        by_topic.setdefault(page.topic, {})[page.key] = page
    kept = {key for topic_pages in by_topic.values() for key in topic_pages if key in there}
    seen = Counter(text for _, texts, _ in kept for text in texts)
    for topic in (list(by_topic)[k] for k in rng.permutation(len(by_topic))):
        kept |= _new_pairs(topic, by_topic[topic], many, allowed, kept, seen, rng)
    return tuple(
        page for topic_pages in by_topic.values() for key, page in topic_pages.items() if key in kept
    )


def _new_pairs(
    topic: str,
    pages: Mapping[PageKey, JudgingPage],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    kept: Container[PageKey],
    seen: Counter[TextRef],
    rng: np.random.Generator,
) -> set[PageKey]:
    """A topic's new pairs: even within the topic first, over topics next, by chance where both are equal."""
    kept_here = {key for key in pages if key in kept}
    left = {key for key in pages if key not in kept_here and allowed[key]}
    here = Counter(text for _, texts, _ in kept_here for text in texts)
    names = list(dict.fromkeys(TextRef.of(peer) for page in pages.values() for peer in page.peers))
    drawn: set[PageKey] = set()
    for _ in range(min(len(left), many - len(kept_here))):
        chance = dict(zip(names, rng.random(len(names)).tolist(), strict=True))
        order = sorted(names, key=lambda text: (here[text], seen[text], chance[text]))
        best = next(key for pair in combinations(order, 2) if (key := (topic, frozenset(pair), None)) in left)
        left.remove(best)
        drawn.add(best)
        for counts in (here, seen):
            counts.update(best[1])
    return drawn


# Who may judge

PHASES = (1, 2)


def check_phase(phase: int | None) -> None:
    if phase is not None and phase not in PHASES:
        raise UsageError(f"the phase is {phase}, expected 1 or 2")


def may_judge(assessors: Set[str], page: JudgingPage, topic: Topic, phase: int | None = None) -> Set[str]:
    """Who of the assessors may be given a page. Who selected the documents matters where the topic says it."""
    free = assessors - names(page.peers)
    if phase is None:
        return free
    free = free - {topic.selector}
    if phase == 1:
        return free & {writer(model) for model in page.models}
    return free - names(page.models)


def writer(summary: Summary) -> str:
    """Who wrote a summary: its author where that is known, else its system."""
    return summary.author or summary.system


def names(summaries: Iterable[Summary]) -> set[str | None]:
    """Everybody who could have written one of the summaries. Strict, since leaving somebody out costs little."""
    return {name for summary in summaries for name in (summary.author, summary.system)}
