"""The demo's pyramids: its facts are content units, and a simulated assessor finds them in the systems' texts.

What the writers say is known to the word. What the systems say is judged by shared words, which is what `simulated`
stands for: a person would find more (docs/pyramids.md says how much more).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from adjudge.data.rows import Unit
from adjudge.data.target import Target
from adjudge.demo.build import FORM, LENGTH, PEERS_TOO, Story, stories, texts
from adjudge.formats.ducview import OUR_PATTERN, SummaryName, compose
from adjudge.judgments.intake import Item
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, load_protocol
from adjudge.judgments.pyramid import UNMATCHED, Contributor, Expressed, Part, PeerAnnotation, Pyramid, Scu
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id, text_hash
from adjudge.text.sentences import sentences
from adjudge.text.stemmers.stem import stem_words
from adjudge.text.stop import FUNCTION, content_words, stop_words
from adjudge.text.words import unicode_words

ASSESSOR = "simulated-facts"
SHARE = 0.5
"""A sentence expresses a fact when it has this share of the content words of its label, or of one writer's words,"""
LEAST = 2
"""and at least so many of them."""

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def pyramid_from_facts(story: Story, form: str | None = None) -> Pyramid:
    """The pyramid of a story's four references: a fact is a content unit, each writer's words a contributor."""
    name = SummaryName("", story["topic"], story["task"], LENGTH, story["selector"])
    written = {writer: " ".join(lines) for writer, lines in story["references"].items()}
    text, references = compose(
        (SummaryName(writer, name.topic, name.task, name.length, name.selector), words)
        for writer, words in written.items()
    )
    references = tuple(replace(reference, form=form) for reference in references)
    starts = {reference.system: reference.start for reference in references}
    scus = tuple(
        Scu(
            uid,
            fact["fact"],
            tuple(
                Contributor((_part(written[writer], words, starts[writer]),), writer)
                for writer, words in fact["said"].items()
            ),
        )
        for uid, fact in enumerate(story["facts"], 1)
    )
    return Pyramid(text, scus, references, OUR_PATTERN)


def pyramid_from_units(
    story: Story, reference: str, text: str, units: Sequence[Unit]
) -> tuple[Story, Pyramid]:
    """The pyramid of one reference of another length, told by shared words; and the story with its facts.

    A unit that says none of the story's facts is a fact of its own. Nobody's words are known there, so that peers
    are judged by shared words alone.
    """
    facts = list(story["facts"])
    parts: dict[int, list[Part]] = {}
    for unit in units:
        uids = [uid for uid, fact in enumerate(story["facts"], 1) if _says(unit.text, fact)]
        if not uids:
            facts.append({"fact": unit.text, "said": {}})
            uids = [len(facts)]
        for uid in uids:
            parts.setdefault(uid, []).append(Part(unit.start, unit.end, unit.text))
    scus = tuple(
        Scu(uid, facts[uid - 1]["fact"], (Contributor(tuple(pieces), reference),))
        for uid, pieces in sorted(parts.items())
    )
    return {**story, "facts": facts, "references": {}}, Pyramid(text, scus)


def peer_annotations(
    story: Story, pyramid: Pyramid, summaries: Mapping[str, str]
) -> dict[str, PeerAnnotation]:
    """What every peer expresses: the writers' own words where it is one of them, shared words for the others."""
    writers = story["references"]
    return {
        system: _quoted(story, pyramid, system, text) if system in writers else _found(story, pyramid, text)
        for system, text in summaries.items()
    }


def pyramid_judgments(
    evaluation: str, *, assessor: str = ASSESSOR, seed: int = 1, full: bool = False
) -> Iterator[Item]:
    """The pyramids of all topics and the annotations of all peers of 100 words, as tasks and simulated answers."""
    version = load_protocol("pyramid").version
    target = Target(LENGTH, FORM if full else None)

    def answered(
        topic: str, question: str, answer: dict[str, Any], peer: str | None, text: str
    ) -> Iterator[Item]:
        id = stable_id("demo", assessor, topic, question, peer)
        task = Task(
            id=id, evaluation=evaluation, assessor=assessor, protocol="pyramid", version=version, topic=topic
        )
        if peer is not None:
            task = replace(task, peer=TextRef(peer, *target), hashes={"peer": text_hash(text)})
        yield topic, task
        event = stable_id(id, json.dumps(answer, sort_keys=True))
        yield (
            topic,
            Event(
                id=event,
                evaluation=evaluation,
                task=id,
                assessor=assessor,
                question=question,
                answer=answer,
                origin="simulated",
            ),
        )

    for story in stories(full=full):
        pyramid = pyramid_from_facts(story, target.form)
        yield from answered(story["topic"], PYRAMID, pyramid.to_answer(), None, "")
        references_only = set(story["references"]).difference(PEERS_TOO)
        written = texts(story, seed, target)
        peers = {system: text for system, text in written.items() if system not in references_only}
        for system, annotation in peer_annotations(story, pyramid, peers).items():
            yield from answered(story["topic"], PYRAMID_PEER, annotation.to_answer(), system, peers[system])


def _quoted(story: Story, pyramid: Pyramid, writer: str, text: str) -> PeerAnnotation:
    """A writer's own words; sentences that hold none of them match nothing."""
    expressed = {
        uid: [_part(text, fact["said"][writer])]
        for uid, fact in enumerate(story["facts"], 1)
        if writer in fact["said"]
    }
    marked = [part for parts in expressed.values() for part in parts]
    rest = [
        sentence
        for sentence in _sentences(text)
        if not any(part.start < sentence.end and sentence.start < part.end for part in marked)
    ]
    return _annotation(pyramid, text, expressed, rest)


def _found(story: Story, pyramid: Pyramid, text: str) -> PeerAnnotation:
    """Sentence by sentence: the facts that share enough words with it."""
    expressed: dict[int, list[Part]] = {}
    rest = []
    for sentence in _sentences(text):
        uids = [uid for uid, fact in enumerate(story["facts"], 1) if _says(sentence.text, fact)]
        for uid in uids:
            expressed.setdefault(uid, []).append(sentence)
        if not uids:
            rest.append(sentence)
    return _annotation(pyramid, text, expressed, rest)


def _says(sentence: str, fact: Mapping[str, Any]) -> bool:
    words = _content(sentence)
    for wording in (fact["fact"], *fact["said"].values()):
        wanted = _content(wording)
        shared = len(wanted & words)
        if shared >= LEAST and shared >= SHARE * len(wanted):
            return True
    return False


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    """Stems of the content words; small numbers as digits."""
    words = content_words((word.lower() for word in unicode_words(text)), stop_words(FUNCTION))
    return frozenset(stem_words([_DIGITS.get(word, word) for word in words], "porter"))


def _annotation(
    pyramid: Pyramid, text: str, expressed: Mapping[int, list[Part]], rest: list[Part]
) -> PeerAnnotation:
    units = [*sorted(expressed.items()), *([(UNMATCHED, rest)] if rest else [])]
    return PeerAnnotation(
        text,
        tuple(Expressed(uid, tuple(Contributor((part,)) for part in parts)) for uid, parts in units),
        pyramid.digest(),
    )


def _part(text: str, words: str, offset: int = 0) -> Part:
    start = text.index(words)
    return Part(offset + start, offset + start + len(words), words)


def _sentences(text: str) -> list[Part]:
    return [Part(span.start, span.end, text[span.start : span.end]) for span in sentences(text)]
