"""Where a measure fails: slices of topics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.slices import SlicesResult, slices, topic_slices
from adjudge.analyses.scores import Scores, scores_of
from adjudge.analyses.slices.slicing import text_values
from adjudge.core.errors import DataError
from adjudge.data.collection import load
from adjudge.text.words import count_words


def planted(kinds: int = 2, topics: int = 40, systems: int = 8, seed: int = 5) -> pd.DataFrame:
    """A measure that follows people on the topics of one type, and is noise on those of the other."""
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        kind = f"type{t % kinds}"
        people = rng.normal(size=systems)
        follows = people + 0.3 * rng.normal(size=systems)
        fails = rng.normal(size=systems) if kind == "type0" else follows
        for name, values in (("people", people), ("good", follows), ("bad", fails)):
            rows += [(name, f"t{t}", f"s{s}", value, kind) for s, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "value", "type"])


def sliced(frame: pd.DataFrame, **options: object) -> tuple[SlicesResult, Cells]:
    scores = scores_of(frame)
    cells = cells_of(scores, "people")
    return slices_of(scores, cells, **options), cells


def slices_of(scores: Scores, cells: Cells, **options: Any) -> SlicesResult:
    """Spearman's rho among all systems, unless others are asked for."""
    asked = Meta(**{"coefficients": "spearman", "among": "all"} | options)
    return slices(MetaRun(cells, asked, scores))


def test_a_planted_failure_is_found_and_named(approved: Approved) -> None:
    found, cells = sliced(planted())
    frame = found.to_frame().set_index(["measure", "slice"])
    assert frame.loc[("bad", "type0"), "verdict"] == "worse"
    assert frame.loc[("bad", "type1"), "verdict"] == "better"
    assert set(frame.loc["good", "verdict"]) == {"not significantly different"}
    approved([*words_of(found), found.table().title])
    at = [m.measure for m in cells.measures].index("bad")
    by_topic = [
        float(stats.spearmanr(cells.automatic[at, t], cells.people[0, t])[0])
        for t in range(len(cells.topics))
    ]
    inside = [r for r, topic in zip(by_topic, cells.topics, strict=True) if int(topic[1:]) % 2 == 0]
    assert frame.loc[("bad", "type0"), "value"] == pytest.approx(np.mean(inside), abs=1e-12)
    assert frame.loc[("bad", "type0"), "topics"] == 20


def test_nothing_is_claimed_where_nothing_differs(approved: Approved) -> None:
    frame = planted()
    found, _ = sliced(frame[frame["measure"] != "bad"])
    assert not {"worse", "better"} & set(found.to_frame()["verdict"])
    approved(words_of(found))


def test_too_few_topics_could_not_have_shown_it(approved: Approved) -> None:
    found, _ = sliced(planted(topics=6))
    assert set(found.to_frame()["verdict"]) == {"could not have been found"}
    approved(words_of(found))


def test_a_slice_of_two_topics_is_blank_and_said(approved: Approved) -> None:
    frame = planted(topics=12)
    frame["type"] = np.where(frame["topic"].isin(["t0", "t1"]), "rare", "common")
    found, _ = sliced(frame)
    assert set(found.to_frame()["verdict"]) == {"blank"}
    approved(found.warnings())


def test_properties_that_are_not_there_say_why(approved: Approved) -> None:
    scores = scores_of(planted())
    cells = cells_of(scores, "people")
    made, notes = topic_slices(scores, cells)
    assert [each.name for each in made] == ["type0", "type1"]
    assert {"set", "source length"} <= notes.keys()
    approved(f"{name}: {why}" for name, why in sorted(notes.items()))
    with pytest.raises(DataError, match="no slices by copy rate: it needs an evaluation folder"):
        topic_slices(scores, cells, ["copy rate"])


def test_a_slice_per_topic_is_none() -> None:
    frame = planted()
    frame["type"] = frame["topic"]
    with pytest.raises(DataError, match="no slices by type: 40 values for 40 topics"):
        sliced(frame, by=["type"])


def test_thirds_by_texts(judged_demo: Path) -> None:
    e = adjudge.open(judged_demo)
    collection = load(e.folder)
    rng = np.random.default_rng(1)
    rows = [
        (name, topic, peer.system, float(rng.normal()))
        for name in ("people", "measure")
        for topic in collection.topics
        for peer in collection.peers(topic)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "value"]).drop_duplicates(
        ["measure", "topic", "system"]
    )
    scores = replace(scores_of(frame), folder=judged_demo)
    cells = cells_of(scores, "people")
    made, _ = topic_slices(scores, cells, ["source length", "compression", "copy rate"])
    assert [each.by for each in made] == ["source length"] * 3 + ["compression"] * 3 + ["copy rate"] * 3
    words = {t: sum(count_words(d.text) for d in collection.documents[t]) for t in collection.topics}
    shortest = sorted(cells.topics, key=words.__getitem__)[:4]
    assert {t for t, there in zip(cells.topics, made[0].inside, strict=True) if there} == set(shortest)
    assert np.all(np.sum([each.inside for each in made[:3]], axis=0) == 1)


def test_thirds_are_of_the_summaries_that_were_judged(full_demo: Path) -> None:
    """A topic's summaries of other lengths and forms say nothing of how far those judged were compressed."""
    collection = load(adjudge.open(full_demo).folder)
    rows = [
        (name, peer.topic, peer.system, peer.length, peer.form, float(k))
        for k, peer in enumerate(each for topic in collection.topics for each in collection.peers(topic))
        for name in ("people", "measure")
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "length", "form", "value"])
    scores = replace(scores_of(frame), folder=full_demo)

    def share(topic: str, length: int) -> float:
        source = sum(count_words(each.text) for each in collection.documents[topic])
        peers = [each for each in collection.peers(topic) if (each.length, each.form) == (length, "abstract")]
        return float(np.mean([count_words(each.text) / source for each in peers]))

    for length in (100, 50):
        cells = cells_of(scores, "people", length=length, form="abstract")
        known = [share(topic, length) for topic in cells.topics]
        found = text_values(scores, cells.row_texts, cells.systems, ["compression"])
        assert isinstance(found, dict)
        assert found["compression"].tolist() == pytest.approx(known)
        made, notes = topic_slices(scores, cells)
        assert "length" in notes
        least = next(each for each in made if each.by == "compression")
        assert set(np.flatnonzero(least.inside)) == set(np.argsort(known)[: least.inside.sum()])
    cells = cells_of(scores, "people", length="all", form="abstract")
    found = text_values(scores, cells.row_texts, cells.systems, ["compression"])
    assert isinstance(found, dict)
    for row, value in zip(cells.row_texts, found["compression"], strict=True):
        assert isinstance(row.length, int)
        assert value == pytest.approx(share(row.topic, row.length))
    made, _ = topic_slices(scores, cells, ["length"])
    assert [each.name for each in made] == ["10", "50", "100", "200"]


def test_machines_and_all_systems_are_families_of_their_own(approved: Approved) -> None:
    scores = scores_of(planted(), human="s6,s7")
    cells = cells_of(scores, "people")
    found = slices_of(scores, cells, among=("machines", "all"), coefficients="pearson")
    frame = found.to_frame()
    assert frame["among"].unique().tolist() == ["machines", "all"]
    assert set(frame["level"]) == {"input"}
    assert set(frame["coefficient"]) == {"pearson"}
    for which in ("machines", "all"):
        alone = slices_of(scores, cells, among=which, coefficients="pearson").to_frame()
        pd.testing.assert_frame_equal(frame[frame["among"] == which].reset_index(drop=True), alone)
    assert tuple(table.name for table in found.all_tables) == ("slices-machines", "slices-all")
    approved(words_of(found))


def test_options_reach_the_slices(approved: Approved) -> None:
    plain, _ = sliced(planted(topics=20))
    few, _ = sliced(planted(topics=20), resamples=9)
    assert set(plain.to_frame()["verdict"]) != {"could not have been found"}
    assert set(few.to_frame()["verdict"]) == {"could not have been found"}, "p is never below 1/10"
    bare, _ = sliced(planted(), correct="none")
    assert bare.to_frame()["p"].tolist() == bare.to_frame()["p_adjusted"].tolist()
    approved(bare.headline())


def with_sets(topics: int = 24, sets: int = 4) -> pd.DataFrame:
    frame = planted(topics=topics)
    frame["set"] = "set" + (frame["topic"].str[1:].astype(int) % sets).astype(str)
    return frame


def test_topics_of_one_set_are_warned_of(approved: Approved) -> None:
    found, cells = sliced(with_sets(), by=["set"])
    assert cells.clusters is not None
    assert found.to_frame().groupby("slice")["topics"].first().to_dict() == {f"set{k}": 6 for k in range(4)}
    last = list(found.sentences())[-1]
    assert last in found.table().sentences
    crossed, _ = sliced(with_sets(sets=3), by=["type"])
    approved([last, list(crossed.sentences())[-1]])
    single, _ = sliced(planted(), by=["type"])
    assert last not in single.sentences()


def test_slices_by_length(approved: Approved) -> None:
    """The measure fails on long summaries; a topic at a length is a row."""
    rng = np.random.default_rng(3)
    rows = []
    for t in range(12):
        for length in (50, 100):
            people = rng.normal(size=7)
            measure = people + 0.2 * rng.normal(size=7) if length == 50 else rng.normal(size=7)
            for name, values in (("people", people), ("measure", measure)):
                rows += [(name, f"t{t}", f"s{s}", length, value) for s, value in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "length", "value"])
    scores = scores_of(frame)
    cells = cells_of(scores, "people", length="all")
    found = slices_of(scores, cells, by=["length"])
    verdicts = found.to_frame().set_index("slice")["verdict"].to_dict()
    assert verdicts == {"50": "better", "100": "worse"}
    assert set(found.to_frame()["topics"]) == {12}
    approved(found.sentences())
    with pytest.raises(DataError, match="no slices by length: only one length is compared"):
        slices_of(scores, cells_of(scores, "people", length=50), by=["length"])
