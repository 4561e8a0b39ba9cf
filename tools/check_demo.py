"""Check the demo's texts: sizes, dates, wording that is shared where it should not be, facts that recur.

    python tools/check_demo.py [TOPIC ...]      every topic unless some are named; exit 1 on a finding

Standard library only, so that it runs before anything is installed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "src" / "adjudge" / "demo" / "topics"
WRITERS = ("ada", "ben", "chloe", "dev")
SYSTEMS = ("fluent", "headlines", "vague")
TYPES = ("disaster", "event", "series", "biography")
MOST_SHARED = 0.20  # of the 4-grams of two references of a topic
SAME_WORDING = 0.75  # two quotes of one fact with more words in common say it in the same words

Topic = dict[str, Any]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def four_grams(text: str) -> Counter[tuple[str, ...]]:
    w = words(text)
    return Counter(zip(w, w[1:], w[2:], w[3:], strict=False))


def shared(a: str, b: str) -> float:
    """The share of the shorter text's 4-grams that the other one has too."""
    x, y = four_grams(a), four_grams(b)
    smaller = min(sum(x.values()), sum(y.values()))
    return sum((x & y).values()) / smaller if smaller else 0.0


def jaccard(a: str, b: str) -> float:
    x, y = set(words(a)), set(words(b))
    return len(x & y) / len(x | y) if x | y else 1.0


def sentences(topic: Topic) -> Iterator[tuple[str, str]]:
    """Every sentence of a topic with the place it stands in."""
    for document in topic["documents"]:
        yield from ((document["id"], s) for s in document["text"])
    for kind in ("references", "systems"):
        for writer, text in topic[kind].items():
            yield from ((writer, s) for s in text)


def between(what: str, size: int, low: int, high: int) -> Iterator[str]:
    if not low <= size <= high:
        yield f"{what}: {size}, wanted {low} to {high}"


def check_documents(topic: Topic) -> Iterator[str]:
    documents = topic["documents"]
    yield from between("documents", len(documents), 3, 6)
    dates = [date.fromisoformat(d["date"]) for d in documents]
    if dates != sorted(dates):
        yield "documents are not in date order"
    if len({d["id"] for d in documents}) != len(documents):
        yield "two documents have one id"
    for document in documents:
        yield from between(f"{document['id']}: words", len(" ".join(document["text"]).split()), 100, 180)


def check_texts(topic: Topic) -> Iterator[str]:
    if tuple(sorted(topic["references"])) != WRITERS:
        yield f"references by {sorted(topic['references'])}, wanted {WRITERS}"
    if tuple(sorted(topic["systems"])) != SYSTEMS:
        yield f"systems {sorted(topic['systems'])}, wanted {SYSTEMS}"
    for writer, text in topic["references"].items():
        yield from between(f"{writer}: words", len(" ".join(text).split()), 85, 112)
    for system, text in topic["systems"].items():
        yield from between(f"{system}: words", len(" ".join(text).split()), 35, 105)
    for a, b in combinations(topic["references"], 2):
        share = shared(" ".join(topic["references"][a]), " ".join(topic["references"][b]))
        if share >= MOST_SHARED:
            yield f"{a} and {b} share {share:.0%} of their 4-grams, wanted under {MOST_SHARED:.0%}"
    for place, sentence in sentences(topic):
        if sentence != " ".join(sentence.split()):
            yield f"{place}: stray white space in {sentence[:40]!r}"
        if not re.search(r"[.!?][\"')]*$", sentence):
            yield f"{place}: no end to the sentence {sentence[-40:]!r}"


def check_facts(topic: Topic) -> Iterator[str]:
    facts = topic["facts"]
    yield from between("facts", len(facts), 10, 18)
    said = Counter(len(fact["said"]) for fact in facts)
    if said[4] < 3:
        yield f"{said[4]} facts said by all four writers, wanted 3 or more"
    if said[3] + said[4] < 6:
        yield f"{said[3] + said[4]} facts said by three writers or more, wanted 6 or more"
    if not said[1]:
        yield "no fact is said by only one writer"
    for fact in facts:
        for writer, quote in fact["said"].items():
            if quote not in " ".join(topic["references"][writer]):
                yield f"{writer} does not say {quote!r}"
        for (a, x), (b, y) in combinations(fact["said"].items(), 2):
            if len(words(x)) > 3 and jaccard(x, y) > SAME_WORDING:
                yield f"{a} and {b} say {fact['fact']!r} in the same words"


def check_topic(topic: Topic) -> Iterator[str]:
    for field in ("topic", "title", "question", "set", "selector"):
        if not topic.get(field):
            yield f"no {field}"
    if topic["type"] not in TYPES:
        yield f"type {topic['type']!r}, wanted one of {TYPES}"
    yield from check_documents(topic)
    yield from check_texts(topic)
    yield from check_facts(topic)


def check_all(topics: list[Topic]) -> Iterator[str]:
    """What holds across topics: no sentence stands in two places."""
    seen: dict[str, str] = {}
    for topic in topics:
        for place, sentence in sentences(topic):
            here = f"{topic['topic']}, {place}"
            key = " ".join(words(sentence))
            if key in seen:
                yield f"{here}: {sentence[:50]!r} stands in {seen[key]} too"
            seen.setdefault(key, here)


def findings(topics: list[Topic]) -> list[str]:
    each = [f"{t['topic']}: {problem}" for t in topics for problem in check_topic(t)]
    return each + list(check_all(topics))


def load(names: list[str] | None = None) -> list[Topic]:
    paths = [FOLDER / f"{n}.json" for n in names] if names else sorted(FOLDER.glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def main(names: list[str]) -> int:
    topics = load(names)
    found = findings(topics)
    for line in found:
        print(line)
    print(f"{len(topics)} topics, {len(found)} findings")
    return 1 if found or not topics else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
