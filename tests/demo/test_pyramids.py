"""The demo's pyramids: the writers' words at their places, and an assessor that is simulated and says so."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest
from tests.judgments.pyramid_making import collected

from adjudge.data.rows import Summary, Topic
from adjudge.demo.build import LENGTH, PEERS_TOO, SYSTEMS, items, stories, texts
from adjudge.demo.pyramids import peer_annotations, pyramid_from_facts, pyramid_judgments
from adjudge.formats.ducview import read
from adjudge.formats.ducview_write import exported
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, load_protocol
from adjudge.judgments.pyramid import UNMATCHED, findings, peer_findings
from adjudge.judgments.tasks import Event, Judged, Task, TextRef, text_hash
from adjudge.measures.judged.pyramid import PyramidScore


@pytest.mark.parametrize("story", stories(), ids=lambda story: story["topic"])
def test_a_fact_is_a_unit_and_weighs_as_much_as_writers_say_it(story: dict[str, object]) -> None:
    pyramid = pyramid_from_facts(story)
    facts = story["facts"]
    assert isinstance(facts, list)
    assert [(scu.label, scu.weight) for scu in pyramid.scus] == [(f["fact"], len(f["said"])) for f in facts]
    assert [{c.reference: c.label for c in scu.contributors} for scu in pyramid.scus] == [
        f["said"] for f in facts
    ]
    assert list(findings(pyramid)) == []
    assert [(r.system, r.length) for r in pyramid.references] == [
        (name, LENGTH) for name in ("ada", "ben", "chloe", "dev")
    ]
    written = texts(story, 1)
    assert all(pyramid.text_of(r) == written[r.system] for r in pyramid.references)


def test_every_peer_is_annotated_and_every_sentence_is_somewhere() -> None:
    story = stories()[0]
    pyramid, written = pyramid_from_facts(story), texts(story, 1)
    found = peer_annotations(story, pyramid, written)
    assert list(found) == list(written)
    for system, annotation in found.items():
        assert list(peer_findings(annotation, pyramid)) == []
        assert annotation.text == written[system]
        marked = Counter(annotation.times())
        assert marked.total() >= 1
    own = {uid for uid, fact in enumerate(story["facts"], 1) if "ada" in fact["said"]}
    assert set(found["ada"].times()) - {UNMATCHED} == own
    # "He said that he was sorry about it." is one of the things that nobody else says
    vague = next(scu for scu in found["vague"].scus if scu.uid == UNMATCHED)
    assert "He said that he was sorry about it." in [c.label for c in vague.contributors]


def test_how_well_shared_words_find_facts() -> None:
    """Held against the writers, whose facts are known: their own words are hidden, and the rule looks for the rest.

    The counts are of these texts; docs/pyramids.md prints the shares.
    """
    right = wrong = missed = 0
    for story in stories():
        for writer, lines in story["references"].items():
            hidden = {
                **story,
                "references": {},
                "facts": [
                    {**fact, "said": {who: words for who, words in fact["said"].items() if who != writer}}
                    for fact in story["facts"]
                ],
            }
            pyramid = pyramid_from_facts(story)
            found = set(peer_annotations(hidden, pyramid, {writer: " ".join(lines)})[writer].times())
            said = {uid for uid, fact in enumerate(story["facts"], 1) if writer in fact["said"]}
            right += len(found & said)
            wrong += len(found - said - {UNMATCHED})
            missed += len(said - found)
    assert (right, wrong, missed) == (283, 12, 224)  # precision .96, recall .56


@cache
def judged() -> list[Judged]:
    return collected(pyramid_judgments("e"))


def test_tasks_and_answers_are_simulated_and_the_same_every_time() -> None:
    things = [thing for _, thing in pyramid_judgments("e")]
    assert things == [thing for _, thing in pyramid_judgments("e")]
    events = [thing for thing in things if isinstance(thing, Event)]
    tasks = [thing for thing in things if isinstance(thing, Task)]
    assert {event.origin for event in events} == {"simulated"}
    assert len({event.id for event in events} | {task.id for task in tasks}) == len(things)
    assert Counter(event.question for event in events) == {PYRAMID: 12, PYRAMID_PEER: 12 * 9}
    protocol = load_protocol("pyramid")
    for event in events:
        protocol.check(event.question, event.answer)
    summaries = {(s.topic, s.system): s for _, s in items() if isinstance(s, Summary)}
    for task in tasks:
        if task.peer is not None:
            assert task.peer == TextRef(task.peer.system, LENGTH)
            assert task.hashes == {"peer": text_hash(summaries[task.topic, task.peer.system].text)}


def means(found: list[Judged], measure: PyramidScore) -> dict[str, float]:
    by_system: dict[str, list[float]] = {}
    for topic in sorted({each.task.topic for each in found}):
        own = tuple(each for each in found if each.task.topic == topic)
        for row in measure.score(TopicBatch(Topic(topic), (), judgments=own)):
            by_system.setdefault(row.system, []).append(row.value)
    return {system: fmean(values) for system, values in by_system.items()}


@pytest.mark.parametrize("stat", ["original", "modified", "comprehensive"])
def test_people_come_first_and_the_vague_one_last(stat: str) -> None:
    found = means(judged(), PyramidScore(stat, refs="jackknife"))
    assert set(found) == {system.system for system in SYSTEMS} - {"chloe", "dev"}
    ranked = sorted(found, key=lambda system: -found[system])
    assert set(ranked[:2]) == set(PEERS_TOO)
    assert ranked[-1] == "vague"
    assert found["fluent"] > found["centroid"] > found["random"]
    assert found["centroid"] > found["garbled"]


def test_the_pyramids_go_out_to_ducview_and_back(tmp_path: Path) -> None:
    before = judged()
    for name, text in exported(before):
        (tmp_path / name).write_text(text, encoding="utf-8")
    after = collected(read([tmp_path], evaluation="e", assessor="simulated-facts"))
    for stat in ("original", "modified"):
        assert means(after, PyramidScore(stat)) == means(before, PyramidScore(stat))
