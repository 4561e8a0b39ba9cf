"""Check the demo's texts: sizes, dates, wording that is shared where it should not be, facts that recur.

References say what the documents say, in their writers' own words; shorter ones say less than longer ones; extracts
are sentences of the documents.

    python tools/check_demo.py [TOPIC ...]      every topic unless some are named; exit 1 on a finding

Standard library only, so that it runs before anything is installed.
"""

from __future__ import annotations

import calendar
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from difflib import SequenceMatcher
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "src" / "adjudge" / "demo" / "topics"
WRITERS = ("ada", "ben", "chloe", "dev")
SYSTEMS = ("fluent", "headlines", "vague")
TYPES = ("disaster", "event", "series", "biography")
MOST_SHARED = 0.20  # of the 4-grams of two references of a topic
SAME_WORDING = 0.75  # two quotes of one fact with more words in common say it in the same words
LONGEST_RUN = 8  # so many words in a row of a document or of another writer are a copy
STILL_SAID = 0.7  # of a shorter reference's words of content must stand in the same writer's next longer one
TOLERANCE = {200: (180, 212), 100: (85, 112), 50: (42, 55), 10: (8, 11)}
AT_ALL_LENGTHS = ("ada", "ben")
EXTRACTS = {"200": ("chloe",)}
FORMS = {"multi": (3, 6, 100, 180), "single": (1, 1, 300, 400)}  # documents, and words of each, from and to
INFERRED = {"d01": {"200"}, "d05": {"1929"}, "d13": {"Victorian"}}
"""What follows from the documents and does not stand there: over 200 houses, 94 years before 2023, built in 1868."""

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = "one two three four five six seven eight nine"
NUMBERS = {name: str(k) for k, name in enumerate(_TEENS.split(), 10)} | {
    f"{tens}-{one}".removesuffix("-"): str(10 * a + b)
    for a, tens in enumerate(_TENS.split(), 2)
    for b, one in enumerate(["", *_ONES.split()])
}
"""Numbers in words, from ten on: smaller ones are often a reader's own count."""
CALENDAR = frozenset([*calendar.month_name, *calendar.month_abbr, *calendar.day_name])

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
    for kind in ("references", "systems", "continued"):
        for writer, text in topic.get(kind, {}).items():
            yield from ((writer, s) for s in text)
    for length, written in topic.get("lengths", {}).items():
        for writer, text in written.items():
            yield from ((f"{writer} at {length} words", s) for s in text)


def written(topic: Topic) -> dict[int, dict[str, str]]:
    """What people wrote, by length and writer."""
    found = {100: {writer: " ".join(text) for writer, text in topic["references"].items()}}
    for length, texts in topic.get("lengths", {}).items():
        found[int(length)] = {w: " ".join(text) for w, text in texts.items() if w in WRITERS}
    return found


def between(what: str, size: int, low: int, high: int) -> Iterator[str]:
    if not low <= size <= high:
        yield f"{what}: {size}, wanted {low} to {high}"


def check_documents(topic: Topic) -> Iterator[str]:
    documents = topic["documents"]
    fewest, most, shortest, longest = FORMS[topic["task"]]
    yield from between("documents", len(documents), fewest, most)
    dates = [date.fromisoformat(d["date"]) for d in documents]
    if dates != sorted(dates):
        yield "documents are not in date order"
    if len({d["id"] for d in documents}) != len(documents):
        yield "two documents have one id"
    for document in documents:
        yield from between(
            f"{document['id']}: words", len(" ".join(document["text"]).split()), shortest, longest
        )


def check_texts(topic: Topic) -> Iterator[str]:
    if tuple(sorted(topic["references"])) != WRITERS:
        yield f"references by {sorted(topic['references'])}, wanted {WRITERS}"
    if tuple(sorted(topic["systems"])) != SYSTEMS:
        yield f"systems {sorted(topic['systems'])}, wanted {SYSTEMS}"
    for length, texts in written(topic).items():
        for writer, text in texts.items():
            yield from between(f"{writer} at {length} words: words", len(text.split()), *TOLERANCE[length])
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


def check_lengths(topic: Topic) -> Iterator[str]:
    """Of a document set two people write every length, and one chooses sentences; of a single document nobody does."""
    asked = topic["task"] == "multi"
    lengths = topic.get("lengths", {})
    for length in ("200", "50", "10") if asked else ():
        people = tuple(w for w in lengths.get(length, {}) if w in WRITERS)
        if people != AT_ALL_LENGTHS:
            yield f"{length} words by {people}, wanted {AT_ALL_LENGTHS}"
    if not asked and (lengths or topic.get("extracts")):
        yield "a single document has one length, 100 words"
    for writer in AT_ALL_LENGTHS if asked else ():
        versions = [texts[writer] for _, texts in sorted(written(topic).items())]
        for shorter, longer in pairwise(versions):
            yield from (
                f"{writer} says {word!r} at {len(shorter.split())} words and not at {len(longer.split())}"
                for word in unsupported(shorter, words(in_digits(longer)))
            )
            wanted = [word for word in words(shorter) if len(word) > 3]
            kept = sum(stands(word, words(longer)) for word in wanted) / len(wanted)
            if kept < STILL_SAID:
                yield f"{writer}: {kept:.0%} of {shorter[:40]!r} is in the longer one, wanted {STILL_SAID:.0%}"
    for system, more in topic.get("continued", {}).items():
        size = len(" ".join(topic["systems"][system] + more).split())
        yield from between(f"{system} continued: words", size, *TOLERANCE[200])
    yield from check_extracts(topic)


def check_extracts(topic: Topic) -> Iterator[str]:
    texts = {document["id"]: document["text"] for document in topic["documents"]}
    for length, people in topic.get("extracts", {}).items():
        if tuple(people) != EXTRACTS.get(length):
            yield f"extracts of {length} words by {tuple(people)}, wanted {EXTRACTS.get(length)}"
        for writer, places in people.items():
            chosen = [(id, int(number)) for id, _, number in (place.partition(":") for place in places)]
            if chosen != sorted(set(chosen)):
                yield f"{writer}: an extract is in the order of the documents, each sentence once"
            if unknown := [place for place in chosen if not 1 <= place[1] <= len(texts.get(place[0], ()))]:
                yield f"{writer}: no sentence {unknown[0]}"
                continue
            size = sum(len(texts[id][number - 1].split()) for id, number in chosen)
            yield from between(f"{writer}'s extract: words", size, 170, 210)


def check_sources(topic: Topic) -> Iterator[str]:
    """What people write is in the documents, and in words of their own."""
    documents = [" ".join(document["text"]) for document in topic["documents"]]
    known = [word for text in documents for word in words(in_digits(text))] + from_dates(topic)
    for length, texts in written(topic).items():
        for writer, text in texts.items():
            for word in unsupported(text, known):
                if word not in INFERRED.get(topic["topic"], ()):
                    yield f"{writer} at {length} words: {word!r} is not in the documents"
            others = {w: t for each in written(topic).values() for w, t in each.items() if w != writer}
            for whose, other in [*enumerate(documents, 1), *others.items()]:
                run = longest_run(text, other)
                if len(run) >= LONGEST_RUN:
                    yield f"{writer} at {length} words copies {' '.join(run)!r} from {whose}"


def unsupported(text: str, known: list[str]) -> list[str]:
    """Numbers and names of a text that are not among the known words."""
    found = []
    for sentence in re.split(r"(?<=[.!?:])(?<!Dr.)(?<!Prof.)(?<!Capt.)(?<!No.) +", text):
        for place, word in enumerate(re.findall(r"\w+", in_digits(sentence))):
            number = any(character.isdigit() for character in word)
            name = word[0].isupper() and place > 0 and word not in CALENDAR and len(word) > 1
            if (number or name) and not stands(word, known):
                found.append(word)
    return found


def stands(word: str, known: list[str]) -> bool:
    """Whether a word is known: a number whole, another by how it begins (Kenya, Kenyan)."""
    word = word.lower()
    if any(character.isdigit() for character in word):
        return word in known
    return any(each.startswith(word[:4]) for each in known)


def in_digits(text: str) -> str:
    """A text with its numbers from ten on in digits."""
    return re.sub(r"\w+(-\w+)?", lambda found: NUMBERS.get(found[0].lower(), found[0]), text)


def from_dates(topic: Topic) -> list[str]:
    """What dates let a reader say: the years told of, and the days of the week before a document."""
    dates = [date.fromisoformat(document["date"]) for document in topic["documents"]]
    years = [str(year) for year in range(dates[0].year, dates[-1].year + 1)]
    return years + [str((each - timedelta(days=back)).day) for each in dates for back in range(8)]


def longest_run(text: str, other: str) -> list[str]:
    """The longest run of words in both."""
    a, b = words(text), words(other)
    match = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    return a[match.a : match.a + match.size]


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
    yield from check_lengths(topic)
    yield from check_sources(topic)
    yield from check_facts(topic)


def check_all(topics: list[Topic]) -> Iterator[str]:
    """What holds across topics: no sentence stands in two places, unless a writer says it at several lengths."""
    seen: dict[str, str] = {}
    for topic in topics:
        for place, sentence in sentences(topic):
            here = f"{topic['topic']}, {place}"
            key = " ".join(words(sentence))
            if key in seen and seen[key].partition(" at ")[0] != here.partition(" at ")[0]:
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
