"""Pyramids and annotations: what answers hold and refuse, what is left without a reference, what is odd."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judgments.pyramid_making import (
    a_pyramid,
    an_annotation,
    annotated_by,
    built_by,
    peers,
    pyramids,
)
from tests.properties import examples

from adjudge.core.errors import DataError
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, load_protocol
from adjudge.judgments.pyramid import (
    EMPTY,
    HOMELESS,
    MISPLACED,
    SEVERAL,
    TWICE,
    UNKNOWN,
    Contributor,
    Expressed,
    Part,
    PeerAnnotation,
    Pyramid,
    Reference,
    Scu,
    annotation_of,
    annotation_of_reference,
    built,
    findings,
    peer_findings,
    pyramid_for,
    pyramid_of,
)

TEXT = "A says one two. B says two three."
PYRAMID_OF_TWO = Pyramid(
    TEXT,
    (
        Scu(1, "one", (Contributor((Part(7, 10, "one"),), "A"),)),
        Scu(
            2,
            "two",
            (
                Contributor((Part(11, 14, "two"),), "A"),
                Contributor((Part(23, 26, "two"),), "B", "twice?"),
            ),
            "sure",
        ),
    ),
    (Reference("A", 10, 0, 16), Reference("B", None, 16, 33)),
    "[AB] says",
)
AN_ANNOTATION = PeerAnnotation(
    "two and 2", (Expressed(2, (Contributor((Part(0, 3, "two"), Part(8, 9, "2"))),), "c"),), "ab"
)


def test_an_answer_holds_everything_and_reads_back() -> None:
    answer = PYRAMID_OF_TWO.to_answer()
    assert pyramid_of(json.loads(json.dumps(answer))) == PYRAMID_OF_TWO
    assert answer["scus"][1] == {
        "uid": 2,
        "label": "two",
        "comment": "sure",
        "contributors": [
            {"reference": "A", "parts": [{"start": 11, "end": 14, "text": "two"}]},
            {"reference": "B", "parts": [{"start": 23, "end": 26, "text": "two"}], "comment": "twice?"},
        ],
    }
    assert annotation_of(json.loads(json.dumps(AN_ANNOTATION.to_answer()))) == AN_ANNOTATION
    protocol = load_protocol("pyramid")
    protocol.check(PYRAMID, answer)
    protocol.check(PYRAMID_PEER, AN_ANNOTATION.to_answer())


@examples(100)
@given(data=st.data())
def test_generated_ones_read_back(data: st.DataObject) -> None:
    pyramid = data.draw(pyramids())
    assert pyramid_of(json.loads(json.dumps(pyramid.to_answer()))) == pyramid
    annotation = data.draw(peers(pyramid))
    assert annotation_of(json.loads(json.dumps(annotation.to_answer()))) == annotation
    assert list(findings(pyramid)) == list(peer_findings(annotation, pyramid)) == []


def spoilt(answer: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with one value changed; a path is `scus.0.uid`."""
    copy: Any = json.loads(json.dumps(answer))
    here = copy
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        here = here[step]
    here[last] = value
    assert isinstance(copy, dict)
    return copy


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("text", None, 'pyramid: "text" is null, expected a text'),
        ("scus", {}, 'pyramid: "scus" is {}, expected a list'),
        ("scus.0", 1, "pyramid: scus[0]: 1, expected an object"),
        ("scus.0.uid", 0, 'pyramid: scus[0]: "uid" is 0, expected a whole number, 1 or more'),
        ("scus.0.uid", True, 'pyramid: scus[0]: "uid" is true, expected a whole number, 1 or more'),
        ("scus.0.uid", 2, "pyramid: uid 2 stands 2 times"),
        ("scus.0.label", None, 'pyramid: scus[0]: "label" is null, expected a text'),
        ("scus.0.comment", 3, 'pyramid: scus[0]: "comment" is 3, expected a text'),
        (
            "scus.0.contributors.0.parts",
            [],
            "pyramid: scus[0].contributors[0]: no parts, expected the words that express the unit",
        ),
        (
            "scus.0.contributors.0.parts.0.end",
            -1,
            'pyramid: scus[0].contributors[0].parts[0]: "end" is -1, expected a whole number, 0 or more',
        ),
        ("scus.0.contributors.0.reference", "Z", 'pyramid: a contributor of "Z", who is no reference'),
        ("references.1.system", "A", 'pyramid: reference "A" stands 2 times'),
        ("references.1.system", "", 'pyramid: references[1]: "system" is empty, expected a name'),
        (
            "references.1.length",
            0,
            'pyramid: references[1]: "length" is 0, expected a whole number, 1 or more',
        ),
    ],
)
def test_a_mistake_is_one_line(path: str, value: object, said: str) -> None:
    with pytest.raises(DataError) as caught:
        pyramid_of(spoilt(PYRAMID_OF_TWO.to_answer(), path, value))
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("scus.0.uid", 1.0, 'pyramid-peer: scus[0]: "uid" is 1.0, expected a whole number, 0 or more'),
        ("pyramid", 1, 'pyramid-peer: "pyramid" is 1, expected a text'),
        ("scus.0.contributors", None, 'pyramid-peer: scus[0]: "contributors" is null, expected a list'),
    ],
)
def test_a_mistake_in_an_annotation_is_one_line(path: str, value: object, said: str) -> None:
    with pytest.raises(DataError) as caught:
        annotation_of(spoilt(AN_ANNOTATION.to_answer(), path, value))
    assert str(caught.value) == said


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(DataError, match="pyramid: null, expected an object"):
        pyramid_of(None)
    with pytest.raises(DataError, match="pyramid-peer: .*, expected an object"):
        annotation_of([])


def test_weights_tiers_and_texts() -> None:
    assert PYRAMID_OF_TWO.weights == {1: 1, 2: 2}
    assert PYRAMID_OF_TWO.tiers() == {2: 1, 1: 1}
    assert PYRAMID_OF_TWO.contributors == 3
    assert [PYRAMID_OF_TWO.text_of(r) for r in PYRAMID_OF_TWO.references] == [
        "A says one two.",
        "B says two three.",
    ]
    assert AN_ANNOTATION.scus[0].contributors[0].label == "two...2"


def test_without_a_reference_its_contributors_and_its_own_units_are_gone() -> None:
    left = PYRAMID_OF_TWO.without("A")
    assert left.weights == {2: 1}
    assert left.systems == ("B",)
    assert PYRAMID_OF_TWO.without("nobody") == PYRAMID_OF_TWO


def test_the_digest_knows_content_and_not_order() -> None:
    digest = PYRAMID_OF_TWO.digest()
    assert len(digest) == 32
    turned = replace(PYRAMID_OF_TWO, scus=PYRAMID_OF_TWO.scus[::-1])
    commented = replace(
        PYRAMID_OF_TWO, scus=(replace(PYRAMID_OF_TWO.scus[0], comment="?"), PYRAMID_OF_TWO.scus[1])
    )
    assert turned.digest() == commented.digest() == digest
    relabelled = replace(PYRAMID_OF_TWO.scus[0], label="uno")
    lighter = replace(PYRAMID_OF_TWO.scus[1], contributors=PYRAMID_OF_TWO.scus[1].contributors[:1])
    for other in (
        replace(PYRAMID_OF_TWO, scus=(relabelled, PYRAMID_OF_TWO.scus[1])),
        replace(PYRAMID_OF_TWO, scus=(PYRAMID_OF_TWO.scus[0], lighter)),
        replace(PYRAMID_OF_TWO, text=TEXT + "!"),
        PYRAMID_OF_TWO.without("A"),
    ):
        assert other.digest() != digest


def test_what_a_reference_expresses_stands_in_the_pyramid() -> None:
    own = annotation_of_reference(PYRAMID_OF_TWO, "A")
    assert own.times() == {1: 1, 2: 1}
    assert own.pyramid == PYRAMID_OF_TWO.digest()
    assert all(c.reference is None for scu in own.scus for c in scu.contributors)
    assert annotation_of_reference(PYRAMID_OF_TWO, "Z").times() == {}


def with_unit(*contributors: Contributor) -> Pyramid:
    return replace(PYRAMID_OF_TWO, scus=(Scu(7, "x", contributors),))


@pytest.mark.parametrize(
    ("contributors", "reasons"),
    [
        ((), [EMPTY]),
        ((Contributor((Part(7, 10, "one"),), "A"),), []),
        ((Contributor((Part(7, 10, "o\nn e"),), "A"),), []),  # white space does not count
        ((Contributor((Part(8, 11, "one"),), "A"),), [MISPLACED]),
        ((Contributor((Part(30, 40, "three"),), "B"),), [MISPLACED]),
        ((Contributor((Part(7, 10, "one"), Part(27, 32, "three")), "A"),), [SEVERAL]),
        ((Contributor((Part(7, 10, "one"),)),), [HOMELESS]),
        ((Contributor((Part(7, 10, "one"),), "A"), Contributor((Part(11, 14, "two"),), "A")), [TWICE]),
        ((Contributor((Part(0, 0, "one"),), "A"),), [MISPLACED]),
    ],
)
def test_what_is_odd_is_named(contributors: tuple[Contributor, ...], reasons: list[str]) -> None:
    assert list(findings(with_unit(*contributors))) == [(7, reason) for reason in reasons]


def test_what_is_odd_in_an_annotation_is_named() -> None:
    odd = PeerAnnotation(
        "two",
        (
            Expressed(2, (Contributor((Part(0, 2, "two"),)),)),
            Expressed(9, (Contributor((Part(0, 3, "two"),)),)),
            Expressed(8),
        ),
    )
    assert list(peer_findings(odd, PYRAMID_OF_TWO)) == [(2, MISPLACED), (9, UNKNOWN)]


def test_an_annotation_finds_its_pyramid() -> None:
    one, two = a_pyramid({1: "AB"}), a_pyramid({1: "A", 2: "B"})
    ann, bob = built([built_by("ann", one)]), built([built_by("bob", two, "q")])
    both = ann + bob

    def found(annotation: PeerAnnotation, assessor: str, among: list[Any]) -> Pyramid | str:
        result = pyramid_for(annotation, assessor, among)
        return result if isinstance(result, str) else result.pyramid

    assert found(an_annotation({}, two), "ann", both) == two  # the one it names, whoever built it
    assert found(an_annotation({}), "ann", both) == one  # it names none: one's own
    assert found(an_annotation({}), "cem", ann) == one  # none of one's own: the only one
    assert found(an_annotation({}), "cem", both) == (
        "there are several pyramids, and none is the one it was compared with"
    )
    assert found(an_annotation({}, two), "cem", []) == "no pyramid"
    gone = a_pyramid({1: "ABC"})
    assert found(an_annotation({}, gone), "bob", both) == two  # somebody went on building


def test_only_answers_to_the_question_are_pyramids() -> None:
    assert built([annotated_by("ann", "s", an_annotation({1: 1})), annotated_by("ann", "t", None)]) == []
