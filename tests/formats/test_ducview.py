"""DUCView's files: what is read of good and odd ones, what is said of them, and that they come back the same."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.data.ducview import make
from tests.judgments.pyramid_making import annotated_by, built_by, collected, peers, pyramids
from tests.properties import examples

from adjudge.core.errors import DataError, FormatError
from adjudge.core.phrases import spoken
from adjudge.data.incoming import LeftOut, Remark
from adjudge.data.rows import Summary, System, Topic
from adjudge.formats.ducview import (
    MOST_MATCHES,
    MOST_STEPS,
    NO_PATTERN,
    NO_REFERENCES,
    OUR_PATTERN,
    PATTERN_MISSES,
    PATTERN_REFUSED,
    TWO_TOPICS,
    PatternRefused,
    SummaryName,
    compose,
    lay_out,
    matches,
    read,
)
from adjudge.formats.ducview_write import exported, pan, pyr, write_pan, write_pyr
from adjudge.formats.files import nist_kind
from adjudge.judgments.intake import Item
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import PeerAnnotation, Pyramid, annotation_of, pyramid_of
from adjudge.judgments.tasks import Event, Judged, Task, TextRef, stable_id

DATA = Path(__file__).parent / "data" / "ducview"
GOOD = DATA / "good"
ONE = "D0901.M.100.A.17.pan"


def items(*paths: Path, **options: Any) -> list[Item]:
    return list(read(paths, evaluation="e", **options))


def left_out(found: list[Item]) -> Counter[str]:
    return Counter(spoken(thing.reason, "python") for _, thing in found if isinstance(thing, Remark))


def answers(found: list[Item]) -> tuple[list[Pyramid], dict[str, PeerAnnotation]]:
    judged = collected(found)
    return (
        [pyramid_of(each.answers[PYRAMID].answer) for each in judged if PYRAMID in each.answers],
        {
            each.task.peer.system: annotation_of(each.answers[PYRAMID_PEER].answer)
            for each in judged
            if each.task.peer is not None
        },
    )


def written(folder: Path, judged: list[Judged]) -> Path:
    for name, text in exported(judged):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder


# Good files


def test_the_files_here_are_what_the_script_makes(tmp_path: Path) -> None:
    make.write(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.p??")}
    kept = {path.relative_to(DATA): path.read_bytes() for path in DATA.rglob("*.p[ay][rn]")}
    assert made == kept
    assert len(made) == 4 + len(make.ODD)


def test_a_folder_gives_topics_systems_summaries_tasks_and_answers() -> None:
    found = items(GOOD)
    things = [thing for _, thing in found]
    assert left_out(found) == {}
    assert [t for t in things if isinstance(t, Topic)] == [Topic("D0901", task="multi", selector="A")]
    assert {s.system: s.kind for s in things if isinstance(s, System)} == {
        "B": "human",
        "C": "human",
        "D": "human",
        "1": "baseline",
        "17": None,
        "22": None,
    }
    summaries = {s.system: s for s in things if isinstance(s, Summary)}
    assert summaries["C"] == Summary(
        "D0901", "C", "\n".join(make.REFERENCES["C"]), 100, ("peer", "reference")
    )
    assert summaries["17"] == Summary("D0901", "17", "\n".join(make.PEERS["17"][0]), 100, ("peer",))
    tasks = [t for t in things if isinstance(t, Task)]
    assert [task.peer for task in tasks] == [None, TextRef("1", 100), TextRef("17", 100), TextRef("22", 100)]
    assert {(t.evaluation, t.assessor, t.protocol, t.version, t.topic) for t in tasks} == {
        ("e", "ducview", "pyramid", "1", "D0901")
    }
    events = [e for e in things if isinstance(e, Event)]
    assert [e.question for e in events] == [PYRAMID] + 3 * [PYRAMID_PEER]
    assert {e.origin for e in events} == {"imported"}
    assert all(place.startswith(str(GOOD)) and ":" in place for place, _ in found)


def test_a_pyramid_is_what_the_file_says() -> None:
    (pyramid,), annotations = answers(items(GOOD))
    assert pyramid.text == make.TEXT
    assert pyramid.pattern == make.REGEX
    assert {scu.uid: (scu.label, [c.reference for c in scu.contributors]) for scu in pyramid.scus} == {
        uid: (label, list(said)) for uid, (label, said) in make.SCUS.items()
    }
    five = pyramid.scus[0]
    assert five.comment == "Really?"
    assert [(p.start, p.end, p.text) for p in five.contributors[0].parts] == [
        (166, 175, "had slept"),
        (142, 153, "The captain"),
    ]
    assert five.contributors[0].label == "The captain...had slept"
    assert [(r.system, r.length) for r in pyramid.references] == [("B", 100), ("C", 100), ("D", 100)]
    assert annotations["17"].times() == {1: 2, 3: 1, 6: 1, 0: 1}
    assert annotations["1"].times() == {}
    assert {each.pyramid for each in annotations.values()} == {pyramid.digest()}


def test_importing_twice_gives_the_same_ids_and_a_corrected_file_a_later_answer(tmp_path: Path) -> None:
    ids = [thing.id for _, thing in items(GOOD) if isinstance(thing, Task | Event)]
    assert ids == [thing.id for _, thing in items(GOOD) if isinstance(thing, Task | Event)]
    assert len(set(ids)) == len(ids)
    (tmp_path / ONE).write_text(make.unknown(make.pan("17")), encoding="utf-8")
    corrected = collected(items(tmp_path))
    before = {each.task.id: each for each in collected(items(GOOD))}
    peer = next(each for each in corrected if each.task.peer)
    assert peer.task == before[peer.task.id].task
    assert peer.answers[PYRAMID_PEER].id != before[peer.task.id].answers[PYRAMID_PEER].id
    other = {thing.id for _, thing in items(GOOD, assessor="ann") if isinstance(thing, Task | Event)}
    assert not other & set(ids)


def test_a_single_annotation_brings_its_pyramid() -> None:
    alone, together = answers(items(GOOD / ONE)), answers(items(GOOD))
    assert alone[0] == together[0]
    assert alone[1]["17"] == together[1]["17"]


# Odd files

KEPT = {
    "latin-1": {"bytes that are not UTF-8 read as Windows-1252": 1},
    "declared-latin-1": {},
    "declared-wrongly": {"file that is not in the encoding it declares: read as UTF-8 or Windows-1252": 1},
    "utf-16": {},
    "byte-order-mark": {},
    "windows": {},
    "no-type": {},
    "comments": {},
    "no-regex": {"pyramid without a regular expression: header lines count the references": 1},
    "other-regex": {"regular expression that is not taken: header lines are looked for instead": 1},
    "not-escaped": {"file that is not well-formed XML: what can be read of it is kept": 1},
    "html-entities": {"file that is not well-formed XML: what can be read of it is kept": 1},
    "unclosed": {
        "file that is not well-formed XML: what can be read of it is kept": 1,
        "element that does not end: closed where its parent goes on": 4,
        "end of an element that did not begin": 1,
    },
}
"""Oddities that take nothing away, with what is said of them."""

CHANGED: dict[str, tuple[dict[str, int], dict[int, int], dict[int, int]]] = {
    "stray-bytes": (
        {
            "bytes that are not UTF-8 read as Windows-1252": 1,
            "characters that XML does not allow, replaced by U+FFFD each": 1,
        },
        {},
        {},
    ),
    "shifted": ({"part whose label is not what stands at its offsets": 12}, {}, {}),
    "missing": (
        {
            "part without offsets: found by its label": 3,
            "SCU or part without a label: taken from the text": 1,
            "SCU of a pyramid without a number of its own: it got a new one": 1,
            "contributor without parts: its label was taken for one": 1,
        },
        {7: 0, 10: 1},
        {},
    ),
    "twice": (
        {
            "SCU of a pyramid with a number that another one has: it got a new one": 1,
            "SCU with several contributors from one reference: its weight counts all of them": 1,
            "SCU that stands twice in an annotation: its contributors were put together": 1,
        },
        {6: 2},
        {6: 2},
    ),
    "unknown": ({"SCU that the pyramid does not have: it counts as matching nothing": 1}, {}, {6: 0, 0: 2}),
    "no-headers": (
        {
            "pyramid without a regular expression: header lines count the references": 1,
            "pyramid whose references are not marked: their number is not known, and no modified score": 1,
            "part whose label is not what stands at its offsets": 18,
        },
        {},
        {},
    ),
    "cut-off": (
        {
            "file that is not well-formed XML: what can be read of it is kept": 1,
            "tag that does not end: kept as far as it goes": 1,
            "element that does not end: closed where its parent goes on": 5,
            "part without offsets and label: left out": 1,
            "contributor without parts: its label was taken for one": 1,
            "part without offsets: found by its label": 1,
        },
        {},
        {0: 0},
    ),
}
"""Oddities that do, with what is said, and the weights and times that differ from those of the good file."""


def test_two_annotators_of_one_peer_are_two_assessors(tmp_path: Path) -> None:
    [file, *_] = sorted(GOOD.glob("*.pan"))
    for annotator in ("114", "115"):
        (tmp_path / f"{annotator}.{file.name}").write_bytes(file.read_bytes())
    alone = [thing for _, thing in items(file) if isinstance(thing, Task) and thing.peer is not None]
    found = [thing for _, thing in items(tmp_path) if isinstance(thing, Task) and thing.peer is not None]
    assert [task.assessor for task in found] == ["114", "115"]
    assert {(task.topic, task.peer) for task in found} == {(task.topic, task.peer) for task in alone}
    assert not [thing for _, thing in items(tmp_path) if isinstance(thing, LeftOut)]
    named = items(tmp_path, assessor="columbia")
    assert {
        thing.assessor for _, thing in named if isinstance(thing, Event) and thing.question == PYRAMID_PEER
    } == {
        "columbia-114",
        "columbia-115",
    }


def test_every_oddity_is_looked_at() -> None:
    assert {*KEPT, *CHANGED} == set(make.ODD)


@pytest.mark.parametrize("name", KEPT)
def test_an_oddity_that_takes_nothing_away(name: str) -> None:
    found = items(DATA / name)
    (pyramid,), annotations = answers(found)
    (good,), expected = answers(items(GOOD / ONE))
    assert left_out(found) == KEPT[name]
    assert pyramid.scus == good.scus
    assert pyramid.text == good.text
    assert pyramid.references == good.references
    assert annotations["17"] == expected["17"]


@pytest.mark.parametrize("name", CHANGED)
def test_an_oddity_that_changes_something_says_what(name: str) -> None:
    said, weights, times = CHANGED[name]
    found = items(DATA / name)
    (pyramid,), annotations = answers(found)
    (good,), expected = answers(items(GOOD / ONE))
    assert left_out(found) == said

    def differing(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
        return {uid: other.get(uid, 0) for uid in {*one, *other} if one.get(uid, 0) != other.get(uid, 0)}

    assert differing(good.weights, pyramid.weights) == weights
    assert differing(expected["17"].times(), annotations["17"].times()) == times


def test_places_are_lines() -> None:
    places = {thing.reason: place for place, thing in items(DATA / "twice") if isinstance(thing, Remark)}
    lines = (DATA / "twice" / ONE).read_text(encoding="utf-8").split("\n")
    where = places["SCU with several contributors from one reference: its weight counts all of them"]
    assert lines[int(where.rpartition(":")[2]) - 1].strip().startswith('<scu uid="6"')


def test_words_out_of_place_belong_to_whom_the_words_are() -> None:
    (pyramid,), _ = answers(items(DATA / "shifted"))
    assert {scu.uid: [c.reference for c in scu.contributors] for scu in pyramid.scus} == {
        uid: list(said) for uid, (_, said) in make.SCUS.items()
    }


def test_an_expression_on_lines_of_its_own_is_the_same_one(tmp_path: Path) -> None:
    text = make.pyr().replace("<![CDATA[", "\n  <![CDATA[").replace("]]>", "]]>\n")
    (tmp_path / "D0901.pyr").write_text(text, encoding="utf-8")
    found = items(tmp_path)
    assert left_out(found) == {}
    assert answers(found)[0][0].pattern == make.REGEX


# There and back


@pytest.mark.parametrize("name", ["good", *make.ODD])
def test_import_export_import_gives_the_same(name: str, tmp_path: Path) -> None:
    first = items(DATA / name)
    second = items(written(tmp_path, collected(first)))
    assert answers(first) == answers(second)
    assert [thing for _, thing in first if isinstance(thing, Task)] == [
        thing for _, thing in second if isinstance(thing, Task)
    ]
    summaries = [
        sorted((t.as_dict() for _, t in found if isinstance(t, Summary)), key=str)
        for found in (first, second)
    ]
    assert summaries[0] == summaries[1]


@examples(60)
@given(data=st.data())
def test_generated_ones_come_back(data: st.DataObject, tmp_path: Path) -> None:
    pyramid = data.draw(pyramids())
    annotation = data.draw(peers(pyramid))
    write_pyr(pyramid, tmp_path / "T1.pyr")
    write_pan(pyramid, annotation, tmp_path / "T1.M.100.X.s 1.pan")
    found = items(tmp_path)
    (again,), annotations = answers(found)
    assert again.scus == pyramid.scus
    assert again.text == pyramid.text
    assert again.digest() == pyramid.digest()
    expected = {each.uid: each for each in annotation.scus}
    assert {each.uid: each for each in annotations["s 1"].scus} == expected
    assert annotations["s 1"].text == annotation.text


def ducview_counts(text: str) -> dict[str, int]:
    """What DUCView makes of a file: a plain reading with another parser, by the names that its own code uses."""
    root = ElementTree.fromstring(text.partition("]>\n")[2])
    weights = {s.get("uid"): len(s.findall("contributor")) for s in root.findall("pyramid/scu")}
    times = {s.get("uid"): len(s.findall("contributor")) for s in root.findall("annotation/peerscu")}
    unique = [uid for uid, n in times.items() if uid != "0" and n]
    extra = sum(times[uid] - 1 for uid in unique)
    size = len(unique) + extra + times["0"]
    return {
        "numerator": sum(weights[uid] for uid in unique),
        "size": size,
        "denominator": sum(sorted(weights.values(), reverse=True)[:size]),
        "contributors": sum(weights.values()),
    }


@pytest.mark.parametrize("name", [name for name in make.ODD if name not in ("twice", "cut-off", "unknown")])
def test_another_reader_counts_the_same_in_what_is_written(name: str, tmp_path: Path) -> None:
    files = dict(exported(collected(items(DATA / name))))
    texts = [text for file, text in files.items() if file.endswith(".pan")]
    assert len(texts) == 1
    assert ducview_counts(texts[0]) == {"numerator": 7, "size": 5, "denominator": 13, "contributors": 17}


def test_what_is_written_is_well_formed_and_lists_every_unit() -> None:
    (pyramid,), annotations = answers(items(GOOD))
    root = ElementTree.fromstring(pan(pyramid, annotations["1"]).partition("]>\n")[2])
    uids = [scu.get("uid") for scu in root.findall("annotation/peerscu")]
    assert uids == [
        "1",
        "2",
        "3",
        "5",
        "4",
        "6",
        "7",
        "8",
        "9",
        "0",
    ]  # the heaviest first, what matches none last
    labels = [scu.get("label") for scu in root.findall("annotation/peerscu")]
    assert labels[0] == "(3) The ferry ran aground"
    assert labels[-1] == "All non-matching SCUs go here"
    assert ElementTree.fromstring(pyr(pyramid).partition("]>\n")[2]).tag == "pyramid"


def test_files_of_several_assessors_and_repeats_do_not_meet(tmp_path: Path) -> None:
    (pyramid,), annotations = answers(items(GOOD))
    peer = annotations["17"]
    judged = [
        built_by("ann", pyramid, "p1", "../D 1"),
        built_by("ann", pyramid.without("B"), "p2", "../D 1"),
        built_by("ann", pyramid, "p3", "../D 1~2"),
        annotated_by("ann", "..", peer, "a", "../D 1"),
        annotated_by("ann", "..", peer, "b", "../D 1"),
        annotated_by("..", "x/y", peer, "c", "../D 1"),
    ]
    names = [name for name, _ in exported(judged)]
    assert names == [
        "ann/%2E.%2FD 1.pyr",
        "ann/%2E.%2FD 1~2.pyr",
        "ann/%2E.%2FD 1.M.100.A....pan",
        "ann/repeat-1/%2E.%2FD 1.M.100.A....pan",
        "%2E./%2E.%2FD 1.M.100.A.x%2Fy.pan",
        "ann/%2E.%2FD 1%7E2.pyr",
    ]
    folder = written(tmp_path, judged)
    assert all(path.resolve().is_relative_to(tmp_path.resolve()) for path in folder.rglob("*"))
    peers_read = [t.peer.system for _, t in items(folder) if isinstance(t, Task) and t.peer]
    assert sorted(peers_read) == ["..", "x/y"]


def test_a_peer_of_another_form_is_no_repeat() -> None:
    (pyramid,), annotations = answers(items(GOOD))
    one = annotated_by("ann", "s", annotations["17"], "a")
    other = annotated_by("ann", "s", annotations["17"], "b")
    assert one.task.peer is not None
    extract = replace(other, task=replace(other.task, peer=replace(one.task.peer, form="extract")))
    names = [name for name, _ in exported([built_by("ann", pyramid, "p"), one, extract])]
    assert names == ["t.pyr", "t.M.100.A.s.pan", "extract/t.M.100.A.s.pan"]


def test_an_annotation_without_its_pyramid_is_not_written() -> None:
    _, annotations = answers(items(GOOD))
    with pytest.raises(DataError, match='topic "t", peer "s": no pyramid'):
        list(exported([annotated_by("ann", "s", annotations["17"])]))


# Files that contradict each other, and names


def test_two_annotations_of_one_peer_by_one_assessor(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ONE).write_text(make.pan("17"), encoding="utf-8")
    found = items(tmp_path)
    assert left_out(found) == {
        "second annotation of a peer by one assessor (say who made it with assessor)": 1
    }
    assert sum(isinstance(thing, Event) for _, thing in found) == 2


def test_pyramids_that_differ_are_both_kept_and_each_annotation_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "D0901.pyr").write_text(make.pyr(), encoding="utf-8")
    changed = make.cut('label="There was fog"', 'label="It was foggy"', make.pan("17"))
    changed = make.cut("<line>Fog was thick", "<line>Fog was dense", changed)
    (tmp_path / ONE).write_text(changed, encoding="utf-8")
    (tmp_path / "D0901.M.100.A.22.pan").write_text(make.pan("22"), encoding="utf-8")
    found = items(tmp_path)
    (first, second), annotations = answers(found)
    assert left_out(found) == {
        "pyramid that differs from an earlier file's of the topic: both are kept": 1,
        "text of a summary that differs from an earlier file's: the earlier one is kept as the summary": 1,
        "part whose label is not what stands at its offsets": 1,
    }
    assert annotations["22"].pyramid == first.digest()
    assert annotations["17"].pyramid == second.digest()


@pytest.mark.parametrize(
    ("file", "topic", "peer", "length"),
    [
        ("D0901.M.100.A.17.pan", "D0901", "17", 100),
        ("D0901-17.pan", "D0901", "17", 100),
        ("d0901_sys one.pan", "D0901", "sys one", 100),
        ("something.pan", "D0901", "something", 100),
        ("D0901.M.250.A.gpt-3.5.pan", "D0901", "gpt-3.5", 250),
        ("OTHER.M.0.-.x.PAN", "D0901", "x", None),
    ],
)
def test_names_of_files(file: str, topic: str, peer: str, length: int | None, tmp_path: Path) -> None:
    (tmp_path / file).write_text(make.pan("17"), encoding="utf-8")
    tasks = [thing for _, thing in items(tmp_path) if isinstance(thing, Task) and thing.peer]
    assert [(task.topic, task.peer) for task in tasks] == [(topic, TextRef(peer, length))]


def test_a_topic_without_headers_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "Storm~2.pyr").write_text(
        "<pyramid><text><line>x</line></text><scu uid='1' label='x'/></pyramid>", encoding="utf-8"
    )
    found = items(tmp_path)
    assert [t.topic for _, t in found if isinstance(t, Topic)] == ["Storm"]
    assert "SCU without contributors: it weighs nothing" in left_out(found)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html>no</html>", "file without a pyramid"),
        ("", "file without a pyramid"),
        ("<peerAnnotation></peerAnnotation>", "file without a pyramid"),
        (
            '<!DOCTYPE pyramid [<!ENTITY a "b">]><pyramid>&a;</pyramid>',
            "file that declares entities: not read",
        ),
        ('<!entity % a "b">', "file that declares entities: not read"),
    ],
)
def test_files_that_hold_nothing_are_left_out(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.pyr").write_text(text, encoding="utf-8")
    found = items(tmp_path)
    assert left_out(found)[reason] == 1
    assert not any(isinstance(thing, Task | Event | Summary) for _, thing in found)


def test_an_annotation_file_without_annotation_keeps_its_pyramid(tmp_path: Path) -> None:
    (tmp_path / ONE).write_text(make.pyr(), encoding="utf-8")
    found = items(tmp_path)
    assert left_out(found) == {"peer annotation without an annotation: its pyramid alone is kept": 1}
    assert len(answers(found)[0]) == 1


def test_what_a_file_holds_decides_and_not_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "D0901.M.100.A.17.pyr").write_text(make.pan("17"), encoding="utf-8")
    assert answers(items(tmp_path)) == answers(items(GOOD / ONE))


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="nothing to read in this folder, expected \\*.pyr or \\*.pan"):
        items(tmp_path)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        items(tmp_path / "none.pyr")
    (tmp_path / "big.pyr").write_text(make.pyr(), encoding="utf-8")
    with pytest.raises(FormatError, match="larger than 100 bytes"):
        items(tmp_path / "big.pyr", max_size=100)
    with pytest.raises(FormatError, match="is not ascii"):
        items(tmp_path / "big.pyr", encoding="ascii")


def test_external_entities_are_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    outside = f'<!DOCTYPE pyramid SYSTEM "{(tmp_path / "secret").as_uri()}">'
    (tmp_path / "a.pyr").write_text(
        f"<?xml version='1.0'?>\n{outside}\n<pyramid><text><line>&x;</line></text></pyramid>",
        encoding="utf-8",
    )
    (pyramid,), _ = answers(items(tmp_path / "a.pyr"))
    assert pyramid.text == "&x;"


# Files that nobody meant


@examples(150)
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 12))
def test_a_damaged_file_is_read_as_far_as_it_goes(seed: int, edits: int, tmp_path: Path) -> None:
    """Cut, doubled and swapped anywhere: an import always comes to its end, and what it kept comes back the same."""
    chance = random.Random(seed)
    raw = make.pan("17").encode()
    for _ in range(edits):
        start = chance.randrange(len(raw) + 1)
        end = min(len(raw), start + chance.choice([1, 5, 40, 400]))
        change = chance.choice([b"", raw[start:end] * 2, b"<", b">", b'"', b"&", b"</scu>", b"\x00", b"\xe4"])
        raw = raw[:start] + change + raw[end:]
    (tmp_path / ONE).write_bytes(raw)
    found = items(tmp_path / ONE)
    judged = collected(found)
    folder = tmp_path / f"{seed}-{edits}"
    again = items(written(folder, judged)) if judged else []
    assert answers(again) == answers(found)


# What readers share


def test_ids_are_of_their_parts() -> None:
    assert stable_id("a", "bc") != stable_id("ab", "c")
    assert stable_id("a", None) != stable_id("a", "")
    assert stable_id("a", 1, None) == "e96f6cf2-7744-50bb-bcac-2daa16acbe1a"  # the same on every machine
    assert stable_id("\ud800")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("A", "human"),
        ("z", "human"),
        ("1", "baseline"),
        ("0", "baseline"),
        ("2", None),
        ("x1", None),
        ("é", None),
    ],
)
def test_kinds_as_ids_tell(name: str, kind: str | None) -> None:
    assert nist_kind(name) == kind


def test_how_many_numbers_are_baselines_is_an_option() -> None:
    assert [nist_kind(name, 3) for name in ("1", "3", "4")] == ["baseline", "baseline", None]
    assert nist_kind("1", 0) is None
    found = items(GOOD, baselines=17)
    kinds = {thing.system: thing.kind for _, thing in found if isinstance(thing, System)}
    assert (kinds["1"], kinds["17"], kinds["22"]) == ("baseline", "baseline", None)


# Regular expressions: the same matches as re has, and none that stalls

ATOM = st.sampled_from(
    ["a", "b", "-", r"\.", r"\n", r"\d", r"\w", r"\S", "[ab]", "[^a]", "[a-c-]", ".", r"[\d\n]"]
)
PIECE = st.recursive(
    ATOM,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=5,
)


def longest(pattern: str, text: str) -> list[tuple[int, int]]:
    """The plain twin: from left to right, at each place the longest stretch that is the pattern, whole."""
    compiled, found, at = re.compile(pattern), [], 0
    while at < len(text):
        end = next((e for e in range(len(text), at, -1) if compiled.fullmatch(text, at, e)), None)
        if end is not None:
            found.append((at, end))
        at = end or at + 1
    return found


@examples(400)
@given(pattern=PIECE, text=st.text(alphabet="abc-.1 \n", max_size=12))
def test_matches_are_those_of_the_plain_twin(pattern: str, text: str) -> None:
    assert matches(pattern, text) == longest(pattern, text)


def test_the_expression_of_a_real_shape_of_file() -> None:
    text = "#4\n\n-----\n D0736-B.M.100.H.G\n-----\n\nfoo\n\n-----\n D0736-B.M.100.H.H\n-----\n\nbar\n"
    pattern = r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"
    assert matches(pattern, text) == [found.span() for found in re.finditer(pattern, text)]


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "[",
        "[]",
        "[a",
        "*",
        "a{",
        "a{x}",
        "a{3,1}",
        "(?=a)",
        "(?i)a",
        "^a",
        "a$",
        r"\p{L}",
        r"\b",
        r"\1",
        "[a[b]]",
        "[a&&b]",
        "[z-a]",
        "\\",
        "[^]a]",
        r"\Qa\E",
        "a**",
        "a" * 1001,
        "(a{99}){99}",
        "(){999}{999}",
    ],
)
def test_what_is_not_taken_is_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        matches(pattern, "")


def test_a_pattern_that_matches_everywhere_or_works_too_long_is_refused() -> None:
    with pytest.raises(PatternRefused, match="more than"):
        matches("a", "a" * (MOST_MATCHES + 1))
    with pytest.raises(PatternRefused, match="too long for this text"):
        matches("a{400}", "b" * (MOST_STEPS // 400))


def test_searches_that_come_to_nothing_count() -> None:
    """Each of them goes through the whole rest of the text: together they would take hours."""
    for pattern in ("(?:a*b)?", "(?:a*b)?c*", "(?:[ab]*a[ab]{60}c)?", "[ab]*a[ab]{60}c|a"):
        with pytest.raises(PatternRefused, match="too long for this text"):
            matches(pattern, "ab" * 200_000)


def test_halves_of_characters_are_characters() -> None:
    assert matches("a\ud800", "\ud83da\ud83d") == [(1, 3)]


def test_groups_may_be_as_deep_as_they_like() -> None:
    assert matches("(" * 200 + "a" + ")" * 200, "ba") == [(1, 2)]


def test_patterns_that_stall_others_come_to_an_end() -> None:
    """A matcher that backtracks needs some 2 to the 5,000 steps for each of them."""
    for pattern in ("(a+)+b", "((a*)*)*b", "(a|a)*b", "([^x]*)*[^x]*y"):
        assert matches(pattern, "a" * 5_000) == []


# Names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("D0601.M.250.A.17", SummaryName("17", "D0601", "multi", 250, "A")),
        ("D0736-B.M.100.H.G", SummaryName("G", "D0736-B", "multi", 100, "H")),
        ("d061j.S.50.b.C", SummaryName("C", "d061j", "single", 50, "b")),
        ("a.b.M.0.-.gpt-3.5", SummaryName("gpt-3.5", "a.b", "multi", None, None)),
        (" Model one ", SummaryName("Model one")),
        ("D0601.X.250.A.17", SummaryName("D0601.X.250.A.17")),
        ("D06\x0101.M.250.A.17", SummaryName("D06\x0101.M.250.A.17")),
    ],
)
def test_names(text: str, name: SummaryName) -> None:
    assert SummaryName.parse(text) == name
    if name.topic is not None:
        assert str(name) == text.strip()


def test_a_selector_that_does_not_fit_is_left_out_of_the_name() -> None:
    assert str(SummaryName("x", "t", "single", None, "two words")) == "t.S.0.-.x"


# References


def found(text: str, pattern: str | None) -> dict[str, str]:
    return {r.system: text[r.start : r.end].strip("\n") for r in lay_out(text, pattern).references}


RULED = "----\n T.M.9.X.A\n----\n\none\ntwo\n\n----\n T.M.9.X.B\n----\n\nthree\n"
TWO = {"A": "one\ntwo", "B": "three"}


@pytest.mark.parametrize(
    ("pattern", "notes"),
    [
        (r"-+\n T\.M\.9\.X\.[A-Z]\n-+\n", ()),
        (r"T\.M\.9\.X", ()),  # inside the header's line
        (None, (NO_PATTERN,)),
        ("  ", (NO_PATTERN,)),
        ("nowhere", (PATTERN_MISSES,)),
        (r"T\.M\.9\.X\.A", (PATTERN_MISSES,)),
        ("(?m)^T", (PATTERN_REFUSED,)),
    ],
)
def test_references_by_expression_or_by_headers(pattern: str | None, notes: tuple[str, ...]) -> None:
    assert found(RULED, pattern) == TWO
    layout = lay_out(RULED, pattern)
    assert layout.notes == notes
    assert layout.about == SummaryName("A", "T", "multi", 9, "X")
    assert [r.length for r in layout.references] == [9, 9]


def test_headers_without_rules_and_rules_without_names() -> None:
    assert found("T.M.9.X.A\none\n\nT.M.9.X.B\nthree", None) == {"A": "one", "B": "three"}
    assert found("===\nFirst\n===\none\n===\nSecond\n===\ntwo", None) == {"First": "one", "Second": "two"}
    # names of NIST's win over other lines between rules, and a rule that ends a header begins no other
    assert found(RULED + "\n----\nThe end\n----\n", None)["B"].startswith("three")


def test_a_pyramid_without_any_header_has_no_known_references() -> None:
    layout = lay_out("just text", None)
    assert layout.references == ()
    assert layout.about is None
    assert layout.notes == (NO_PATTERN, NO_REFERENCES)


def test_names_that_are_missing_or_stand_twice_get_a_number() -> None:
    assert list(found("-----\none\n-----\ntwo\n", r"-+\n")) == ["reference-1", "reference-2"]
    assert list(found(RULED.replace("X.B", "X.A"), None)) == ["A", "A-2"]


def test_several_topics_are_noted_and_the_most_frequent_one_taken() -> None:
    text = RULED + "\n----\n U.M.9.X.C\n----\n\nfour"
    layout = lay_out(text, None)
    assert layout.notes == (NO_PATTERN, TWO_TOPICS)
    assert layout.about is not None
    assert layout.about.topic == "T"


def test_what_is_composed_is_found_again() -> None:
    names = [
        SummaryName("A", "T", "multi", 100, "X"),
        SummaryName("b c", "T", "multi", 100, "X"),
        SummaryName("d.e", "T", "multi", None),
    ]
    text, references = compose(zip(names, ["one\n\ntwo", "three", "four "], strict=True))
    assert [text[r.start : r.end] for r in references] == ["one\n\ntwo", "three", "four "]
    for pattern in (OUR_PATTERN, None):
        assert found(text, pattern) == {"A": "one\n\ntwo", "b c": "three", "d.e": "four "}
        assert [r.length for r in lay_out(text, pattern).references] == [100, 100, None]
