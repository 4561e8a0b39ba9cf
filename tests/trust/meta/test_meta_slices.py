"""Where a measure fails: slices of topics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import adjudge
from adjudge.comparisons.scores import scores_of
from adjudge.data.collection import load
from adjudge.errors import DataError, UsageError
from adjudge.text.words import count_words
from adjudge.trust.meta.cells import Cells, cells_of
from adjudge.trust.meta.slices import SlicesResult, slices, topic_slices


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
    return slices(scores, cells, **options), cells  # type: ignore[arg-type]


def test_a_planted_failure_is_found_and_named() -> None:
    found, cells = sliced(planted())
    frame = found.to_frame().set_index(["measure", "slice"])
    assert frame.loc[("bad", "type0"), "verdict"] == "worse"
    assert frame.loc[("bad", "type1"), "verdict"] == "better"
    assert set(frame.loc["good", "verdict"]) == {"not significantly different"}
    assert found.headline().startswith(
        "bad correlates significantly less with people on topics with type type0, at the input level by Spearman's rho"
    )
    assert "* significantly less" in found.table().title
    at = [m.measure for m in cells.measures].index("bad")
    by_topic = [
        float(stats.spearmanr(cells.automatic[at, t], cells.people[0, t])[0])
        for t in range(len(cells.topics))
    ]
    inside = [r for r, topic in zip(by_topic, cells.topics, strict=True) if int(topic[1:]) % 2 == 0]
    assert frame.loc[("bad", "type0"), "value"] == pytest.approx(np.mean(inside), abs=1e-12)
    assert frame.loc[("bad", "type0"), "topics"] == 20


def test_nothing_is_claimed_where_nothing_differs() -> None:
    frame = planted()
    found, _ = sliced(frame[frame["measure"] != "bad"])
    assert found.headline().startswith("No measure correlates significantly less on any slice by type")
    assert found.headline().endswith("that is no proof that none does.")


def test_too_few_topics_could_not_have_shown_it() -> None:
    found, _ = sliced(planted(topics=6))
    assert set(found.to_frame()["verdict"]) == {"could not have been found"}
    assert found.headline().startswith("No difference between slices by type could have been found")


def test_a_slice_of_two_topics_is_blank_and_said() -> None:
    frame = planted(topics=12)
    frame["type"] = np.where(frame["topic"].isin(["t0", "t1"]), "rare", "common")
    found, _ = sliced(frame)
    assert set(found.to_frame()["verdict"]) == {"blank"}
    assert any("type rare: 2 topics in it" in note for note in found.table().notes)


def test_properties_that_are_not_there_say_why() -> None:
    scores = scores_of(planted())
    cells = cells_of(scores, "people")
    made, notes = topic_slices(scores, cells)
    assert [each.name for each in made] == ["type0", "type1"]
    assert "no slices by set: no topic says its set" in notes
    assert "no slices by source length: it needs the texts of an evaluation's folder" in notes
    with pytest.raises(DataError, match="no slices by copy rate: it needs the texts"):
        topic_slices(scores, cells, ["copy rate"])
    with pytest.raises(UsageError, match='slices by "colour"'):
        topic_slices(scores, cells, ["colour"])


def test_a_slice_per_topic_is_none() -> None:
    frame = planted()
    frame["type"] = frame["topic"]
    with pytest.raises(DataError, match="no slices by type: there are 40 for 40 topics"):
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
