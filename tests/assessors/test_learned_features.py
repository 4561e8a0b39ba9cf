"""What a learned judge sees: NAMS's own numbers, and expanded model units rule by rule, on texts made for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from adjudge.assessors.learned.features import (
    Expand,
    FeatureOptions,
    HumanDecisions,
    UnitFeatures,
    human_decisions,
    normalised,
    unit_features,
)
from adjudge.core.errors import UsageError
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic, Unit
from adjudge.judgments.batch import Judgments, batch_of
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Event, Judged, Origin, Task, TextRef
from adjudge.measures.nams import Nams

DUC = load_protocol("duc-2001")
REFERENCE = TextRef("ref")
Given = tuple[str, Sequence[int], float]
"""Whose peer, which of its units are marked, and the completeness of the model unit."""


def collection(peers: Mapping[str, Sequence[str]], model: Sequence[str]) -> Collection:
    """One topic; a reference and peers of some sentences each, which are their units."""
    texts = {"ref": model, **peers}
    summaries, units = [], []
    for system, sentences in texts.items():
        roles = ("reference",) if system == "ref" else ("peer",)
        summaries.append(Summary("t", system, " ".join(sentences), roles=roles))
        start = 0
        for number, text in enumerate(sentences):
            units.append(Unit("t", system, "sentence", f"{system}{number}", start, start + len(text), text))
            start += len(text) + 1
    return Collection(
        settings=Settings(name="e"),
        topics={"t": Topic("t", task="single")},
        systems={system: System(system) for system in texts},
        documents={},
        summaries={"t": summaries},
        units={"t": units},
    )


def page(
    who: str,
    peer: str,
    marked: Sequence[str],
    value: float,
    *,
    origin: Origin = "human",
    repeat: bool = False,
) -> Judged:
    """An assessor's answer about the first model unit."""
    id = f"{who}-{peer}-{repeat}"
    task = Task(
        id=id,
        evaluation="e",
        assessor=who,
        protocol=DUC.name,
        version=DUC.version,
        topic="t",
        peer=TextRef(peer),
        reference=REFERENCE,
        repeat_of=f"{who}-{peer}-False" if repeat else None,
    )
    answer: Any = {"marked": list(marked), "completeness": value}
    event = Event(id, "e", id, who, "unit:ref0", answer, origin=origin)
    return Judged(task, {"unit:ref0": event})


def people_of(own: Collection, judged: Sequence[Judged]) -> HumanDecisions:
    return human_decisions(own, Judgments(by_topic={"t": tuple(judged)}), DUC)


def features(
    peers: Mapping[str, Sequence[str]],
    given: Sequence[Given],
    expand: Expand = "others",
    model: Sequence[str] = ("Red oak falls today.",),
) -> UnitFeatures:
    own = collection(peers, model)
    judged = [page("ann", peer, [f"{peer}{n}" for n in marked], value) for peer, marked, value in given]
    people = people_of(own, judged)
    return unit_features(own, DUC, people.decisions, people.full, FeatureOptions(expand=expand))


def nam_1(found: UnitFeatures, peer: str, without: str | None = None) -> float:
    row = [each.peer.system for each in found.decisions].index(peer)
    return float(found.expanded(without)[row, 0])


def test_the_features_are_those_of_nams() -> None:
    peers = {
        "a": ["The red oak falls.", "Nobody came today."],
        "b": ["An elm stands and an oak falls today."],
    }
    own = collection(peers, ["Red oak falls today, and red elms fall.", "Nobody comes."])
    batch = batch_of(own, "t")
    for stem, stop in (("porter", "function"), ("none", "none"), ("lovins", "en")):
        measure = Nams(units="sentence", stem=stem, stop=stop)
        people = people_of(own, [page("ann", system, [f"{system}0"], 0.5) for system in peers])
        options = FeatureOptions(stem=stem, stop=stop)
        found = unit_features(own, DUC, people.decisions, people.full, options)
        for row, decision in enumerate(found.decisions):
            peer = next(each for each in batch.peers if each.system == decision.peer.system)
            (expected,) = [u for u in measure.unit_scores(batch, peer) if u.unit == decision.unit]
            assert list(found.original()[row]) == [*expected.ratios, *expected.counts]
            assert list(found.expanded()[row]) == [
                *expected.ratios,
                *expected.counts,
            ]  # nobody got the full score
    assert found.original()[:, :4].any()


def test_a_unit_of_another_system_with_the_full_score_stands_beside_the_model_unit() -> None:
    """`says` puts it in other words, which `scored` shares; NAM_n is the largest, the counts stay the unit's own."""
    peers = {"says": ["A crimson tree collapsed."], "scored": ["Crimson tree gone."]}
    found = features(peers, [("says", [0], 1.0), ("scored", [0], 0.5)])
    assert nam_1(found, "scored") == pytest.approx(2 / 3)  # crimson, tree, not collapsed
    assert list(found.original()[1]) == [0, 0, 0, 0, 4, 3, 2, 1]
    assert list(found.expanded()[1, 4:]) == [4, 3, 2, 1]
    assert found.expanded()[1, 1] == pytest.approx(1 / 2)  # crimson tree, of two bigrams
    assert nam_1(found, "scored", without="says") == 0  # whoever is held out gives nothing
    assert (
        nam_1(features(peers, [("says", [0], 0.75), ("scored", [0], 0.5)]), "scored") == 0
    )  # most is not all
    assert nam_1(features(peers, [("says", [0], 1.0), ("scored", [0], 0.5)], "none"), "scored") == 0


def test_the_largest_is_kept_for_every_order_whoever_is_left_out() -> None:
    """Against the plain maximum over the sets, with every system held out in turn."""
    says = {"a": "crimson tree", "b": "crimson tree collapsed", "c": "tree collapsed today", "d": "gone"}
    peers = {**{system: [text] for system, text in says.items()}, "scored": ["Crimson tree collapsed now."]}
    found = features(peers, [(system, [0], 1.0) for system in says] + [("scored", [0], 0.5)])
    words = {system: set(text.split()) - {"now"} for system, text in says.items()}
    scored = {"crimson", "tree", "collapsed"}
    shares = {system: len(own & scored) / len(own) for system, own in words.items()}
    for out in (None, *says):
        assert nam_1(found, "scored", out) == max(share for system, share in shares.items() if system != out)


def test_its_own_units_never_stand_beside_it() -> None:
    found = features({"a": ["A crimson tree collapsed."]}, [("a", [0], 1.0)])
    assert nam_1(found, "a") == 0
    assert not found.joined.any()


def test_a_copy_would_give_the_answer_away() -> None:
    """Both systems extracted the same sentence: only the paper's rule lets it tell."""
    peers = {"a": ["A crimson tree collapsed."], "b": ["a crimson  tree  COLLAPSED", "Rain fell."]}
    given = [("a", [0], 1.0), ("b", [0], 1.0)]
    assert nam_1(features(peers, given), "b") == 0
    assert nam_1(features(peers, given, "paper"), "b") == 1  # whatever people would have said of it
    near = {**peers, "b": ["A crimson tree has collapsed.", "Rain fell."]}
    assert nam_1(features(near, given), "b") == 1  # its own words: no copy


def test_units_with_the_full_score_together_join_as_one() -> None:
    peers = {"a": ["Crimson trees.", "They collapsed."], "b": ["Crimson trees stand."], "c": ["Collapsed."]}
    given = [("a", [1, 0], 1.0), ("b", [0], 0.5), ("c", [0], 0.25)]
    own = collection(peers, ["Red oak falls."])
    people = people_of(own, [page("ann", p, [f"{p}{n}" for n in marked], v) for p, marked, v in given])
    ((joined,),) = people.full.values()
    assert joined.units == ("a0", "a1")  # in the order of the text
    found = features(peers, given)
    assert nam_1(found, "b") == pytest.approx(2 / 3)  # alone the first would give 1
    assert nam_1(found, "c") == pytest.approx(1 / 3)


def test_a_set_with_a_copy_in_it_goes_as_a_whole() -> None:
    """Without the copy the rest did not get the full score."""
    peers = {"a": ["Crimson trees.", "They collapsed."], "b": ["Crimson trees!", "All collapsed at noon."]}
    found = features(peers, [("a", [0, 1], 1.0), ("b", [0], 0.5)])
    assert nam_1(found, "b") == 0


def test_the_paper_compares_no_unit_with_itself() -> None:
    """Its own unit joins, and is compared with the rest of the summary: a repetition tells, the unit does not."""
    alone = features({"a": ["Crimson tree collapsed.", "Rain fell."]}, [("a", [0], 1.0)], "paper")
    assert nam_1(alone, "a") == 0
    again = features({"a": ["Crimson tree collapsed.", "The tree was crimson."]}, [("a", [0], 1.0)], "paper")
    assert nam_1(again, "a") == pytest.approx(2 / 3)


def test_several_assessors_have_one_answer_their_median() -> None:
    own = collection({"a": ["Crimson tree.", "Rain."]}, ["Red oak falls."])

    def decided(*given: tuple[str, Sequence[str], float]) -> HumanDecisions:
        return people_of(own, [page(who, "a", marked, value) for who, marked, value in given])

    two = decided(("ann", ["a0"], 1.0), ("bob", ["a0"], 0.5))
    assert two.decisions[0].consensus == 0.5  # the lower of two
    assert not two.full
    three = decided(("ann", ["a0"], 1.0), ("bob", ["a1", "a0"], 1.0), ("cy", ["a1"], 0.25))
    assert three.decisions[0].consensus == 1.0
    assert [each.units for each in three.full["t", REFERENCE, "ref0"]] == [("a0",), ("a0", "a1")]
    assert three.decisions[0].answers == {"ann": 1.0, "bob": 1.0, "cy": 0.25}


def test_judges_and_repeats_do_not_count() -> None:
    own = collection({"a": ["Crimson tree."]}, ["Red oak falls."])
    again = page("ann", "a", ["a0"], 1.0, repeat=True)
    judged = [
        again,
        page("ann", "a", ["a0"], 0.5),
        page("tree", "a", ["a0"], 1.0, origin="learned"),
        page("llm", "a", ["a0"], 1.0, origin="language-model"),
        page("simulated-1", "a", ["a0"], 0.25, origin="simulated"),
    ]
    found = people_of(own, judged)
    assert found.decisions[0].answers == {"ann": 0.5, "simulated-1": 0.25}
    assert found.repeats == 1
    elsewhere = people_of(own, [page("ann", "gone", ["x"], 1.0)])
    assert (elsewhere.decisions, elsewhere.unknown) == ((), 1)


def test_what_does_not_make_a_text_another() -> None:
    assert normalised("The  Oak\nfell.") == normalised("the oak fell") != normalised("an oak fell")


def test_options_that_nobody_knows_are_refused() -> None:
    with pytest.raises(UsageError, match="expand is"):
        FeatureOptions(expand="all")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="stem"):
        FeatureOptions(stem="portr")
    assert np.shape(features({"a": ["Rain."]}, [("a", [], 0.0)]).original()) == (1, 8)
