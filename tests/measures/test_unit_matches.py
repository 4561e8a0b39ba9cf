"""Values of single units: those that a measure's own score is made of, and the words that it found."""

from __future__ import annotations

import math
import re

import pytest

from adjudge.data.rows import Summary, Topic, Unit
from adjudge.data.units import split
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.nams import Nams
from adjudge.measures.registry import parse_measure, registry

PEER = Summary(
    "t", "sys", "Two jets crashed near the base. Pilots of both jets had parachuted to safety, it said."
)
REFERENCE = Summary(
    "t",
    "A",
    "Jets crashed near Ramstein base. The pilots parachuted. It was they who did it.",
    roles=("reference",),
)


def batch(reference: Summary = REFERENCE) -> TopicBatch:
    return TopicBatch(topic=Topic("t"), peers=(PEER,), references=(reference,))


def found(text: str, spans: tuple[tuple[int, int], ...] | None) -> list[str]:
    assert spans is not None
    return [text[a:b] for a, b in spans]


@pytest.mark.parametrize(
    "spec", ["nams", "nams(weights=c3)", "nams(stem=none, stop=none)", "nams(weights=0/1/0/0)"]
)
def test_nams_of_a_unit_is_what_its_score_sums_up(spec: str) -> None:
    measure = parse_measure(spec)
    assert isinstance(measure, Nams)
    units = split(REFERENCE, "edu", "en")
    own = {unit.unit: unit for unit in measure.unit_scores(batch(), PEER)}
    assert [unit.id for unit in units] == list(own)
    for unit in units:
        value = measure.match_unit(batch(), PEER, unit).value
        wanted = own[unit.id].value if own[unit.id].counts[0] else math.nan
        assert value == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(
    "spec",
    ["rouge-1", "rouge-2", "rouge-l", "rouge-w", "rouge-su4", "rouge-l(level=sentence)", "rouge-1(limit=5w)"],
)
def test_rouge_of_a_unit_is_recall_with_the_unit_as_the_reference(spec: str) -> None:
    measure = parse_measure(spec)
    for unit in split(REFERENCE, "sentence", "en"):
        only = Summary("t", "A", unit.text, roles=("reference",))
        (score,) = measure.score(batch(only))
        assert measure.match_unit(batch(), PEER, unit).value == pytest.approx(score.value, rel=1e-12)


def test_what_was_found() -> None:
    first = split(REFERENCE, "sentence", "en")[0]
    nams = parse_measure("nams").match_unit(batch(), PEER, first)
    assert found(first.text, nams.in_unit) == ["Jets", "crashed", "base"]  # "near" is a function word
    assert found(PEER.text, nams.in_peer) == ["jets", "crashed", "base", "jets"]
    two = parse_measure("rouge-2").match_unit(batch(), PEER, first)
    assert found(first.text, two.in_unit) == ["Jets", "crashed", "near"]
    assert found(PEER.text, two.in_peer) == ["jets", "crashed", "near"]
    short = parse_measure("rouge-1(limit=3w)").match_unit(batch(), PEER, first)
    assert found(PEER.text, short.in_peer) == ["jets", "crashed"]
    assert parse_measure("rouge-l").match_unit(batch(), PEER, first).in_peer is None


def test_a_unit_without_anything_to_count_has_no_value() -> None:
    nothing = Unit("t", "A", "edu", "e1", 0, 6, "It was")
    assert math.isnan(parse_measure("nams").match_unit(batch(), PEER, nothing).value)
    assert math.isnan(parse_measure("rouge-3").match_unit(batch(), PEER, nothing).value)


def test_which_measures_say_something_of_units() -> None:
    able = {name for name, make in registry().items() if make().scores_units}
    assert able == {
        "nams",
        *(name for name in registry() if re.fullmatch(r"rouge-(.*-recall|w|s.*)", name)),
    }
    assert not parse_measure("rouge-2(stat=f)").scores_units
    with pytest.raises(TypeError, match="no value of a single unit"):
        parse_measure("js").match_unit(batch(), PEER, split(REFERENCE, "edu", "en")[0])
