"""Preferences between sentences from a CSV that names them by their text, on their way into the store.

What `adjudge prefer export --of sentences` writes; systems by name are read by formats/crowd.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from adjudge.data.collection import Collection
from adjudge.data.incoming import LeftOut
from adjudge.errors import DataError, FormatError
from adjudge.formats.answers import STRANGE_ANSWER, Judgment
from adjudge.formats.answers import ImportedAnswers as Answers
from adjudge.formats.crowd import NO_WORKER, STRANGE_NAME
from adjudge.formats.files import Place, read_cells
from adjudge.formats.preferences import columns_of, row_of
from adjudge.judgments.intake import Item
from adjudge.judgments.pairs.pools import Pool, pools_of
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.tasks import CROWD

UNKNOWN = LeftOut("row about a text that is no sentence of its topic's documents")
SAME = LeftOut("row that holds a sentence against itself")


def is_about_sentences(path: str | Path, collection: Collection, protocol: Protocol) -> bool:
    """Whether the first row with two items names a sentence of its topic."""
    path = Path(path)
    header, rows = read_cells(path)
    lower = [name.lower() for name in header]
    if not {"left", "right", "topic"} <= set(lower):
        return False
    for _, row in rows:
        topic, left, right = (row[lower.index(name)].strip() for name in ("topic", "left", "right"))
        if left and right:
            pools = pools_of(collection, topic, protocol)
            return any(left in pool.texts or right in pool.texts for pool in pools)
    return False


def read_sentence_answers(
    path: str | Path, collection: Collection, protocol: Protocol, *, evaluation: str
) -> Iterator[Item]:
    """Tasks and answers, for `judgments.intake.take`: topic, left, right, winner; annotator where it is known."""
    path = Path(path)
    header, rows = read_cells(path)
    at = columns_of(Place(path, 1), header)
    filled = Answers(evaluation, protocol)
    known: dict[str, tuple[Pool, Mapping[str, int]] | None] = {}
    for line, row in rows:
        place = Place(path, line)
        read = row_of(place, at, row)
        if isinstance(read, str):
            yield place.item(LeftOut(read))
            continue
        if read.topic not in known:
            pools = pools_of(collection, read.topic, protocol)
            known[read.topic] = (
                (pools[0], {text: k for k, text in enumerate(pools[0].texts)}) if pools else None
            )
        found = known[read.topic]
        left, right = (None, None) if found is None else (found[1].get(t) for t in (read.left, read.right))
        if found is None or left is None or right is None or left == right:
            yield place.item(SAME if left is not None and left == right else UNKNOWN)
            continue
        answer = {"winner": read.winner}
        try:
            protocol.check(PREFERENCE, answer)
        except DataError:
            yield place.item(STRANGE_ANSWER)
            continue
        try:
            who = place.name("annotator", read.annotator) if read.annotator else CROWD
        except FormatError:
            yield place.item(STRANGE_NAME)
            continue
        if not read.annotator:
            yield place.item(NO_WORKER)
        pool = found[0]
        hashes = {"left": pool.hashes[left], "right": pool.hashes[right]}
        judgment = Judgment(who, read.topic, left=pool.sides[left], right=pool.sides[right], hashes=hashes)
        yield from filled.items(place, judgment, {PREFERENCE: answer})
