from __future__ import annotations

import pytest

import adjudge
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Summary, Topic
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.registry import parse_measure
from adjudge.measures.rouge.elements import RougeBe

PEER = "dam|earth|mod\nvillage|small|mod\nflood|nil|nil\n"
FIRST = "dam|earth|subj\nvillage|small|mod\nriver|nil|nil\n"
SECOND = "dam|earth|mod\ndam|earth|mod\n"


def scored(measure: RougeBe, peer: str, *references: str) -> list[Score]:
    held = tuple(Summary("t", f"r{k}", text, roles=("reference",)) for k, text in enumerate(references))
    return list(measure.score(TopicBatch(Topic("t"), (Summary("t", "s", peer),), held)))


# By hand: under HM the peer has (dam, earth), (village, small); the first reference the same two, the second
# (dam, earth) twice. Hits 2 + 1, reference sides 2 + 2, peer sides 2 + 2.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 3 / 4),
        ({"stat": "precision"}, 3 / 4),
        ({"refs": "best"}, 1.0),
        ({"refs": "mean"}, (1 + 1 / 2) / 2),
        ({"match": "HMR"}, 2 / 4),
        ({"match": "H"}, 0.0),
        ({"match": "HMR2"}, 2 / 5),
    ],
)
def test_a_page_worked_by_hand(options: dict[str, str], expected: float) -> None:
    (row,) = scored(RougeBe(**options), PEER, FIRST, SECOND)  # type: ignore[arg-type]
    assert row.value == pytest.approx(expected)


def test_the_text_form_parses_back() -> None:
    measure = parse_measure("rouge-be(match=HMR, stem=porter-155)")
    assert str(measure) == "rouge-be(match=HMR, stem=porter-155)"
    assert measure.signature("2").startswith(
        "rouge-be|stat:recall|match:HMR|stem:porter-155|refs:2:pooled|v:"
    )


def test_ordinary_text_is_a_missing_score_that_says_why() -> None:
    (row,) = scored(RougeBe(), "The dam broke.", FIRST)
    assert row.why is not None
    assert "not basic elements" in row.why
    assert "HEAD|MODIFIER|RELATION" in row.why


def test_without_a_folder() -> None:
    assert adjudge.rouge(PEER, [FIRST, SECOND], ["rouge-be", "rouge-1"]).mean("rouge-be") == pytest.approx(
        3 / 4
    )
    with pytest.raises(DataError, match="not basic elements"):
        adjudge.rouge("The dam broke.", [FIRST], ["rouge-be"])
    with pytest.raises(UsageError, match="alpha=2"):
        parse_measure("rouge-be(alpha=2)")
