"""A measure that gives no score says why; ratings without the aspect overall are scored by every aspect."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.core.errors import DataError, FormatError
from adjudge.evaluation import Evaluation
from adjudge.formats import crowd


@pytest.fixture
def rated(tmp_path: Path) -> Evaluation:
    e = Evaluation.init(tmp_path / "e")
    (e.folder.path / "summaries.jsonl").write_text(
        "".join(f'{{"topic": "t{k}", "system": "s", "text": "A text."}}\n' for k in range(3))
    )
    table = tmp_path / "ratings.csv"
    table.write_text("worker,topic,system,fluency,relevance\nw,t0,s,4,5\nw,t1,s,3,2\n")
    e = adjudge.open(e.folder.path)
    e.take_judgments(crowd.read([table], evaluation=e.settings.name))
    return adjudge.open(e.folder.path)


def test_ratings_are_scored_by_every_aspect_there_is(rated: Evaluation) -> None:
    found = rated.score("rating")
    assert {each.measure: each.rows for each in found} == {
        "rating(aspect=relevance)": 2,
        "rating(aspect=fluency)": 2,
    }
    assert rated.scores().measures == ("rating(aspect=fluency)", "rating(aspect=relevance)")
    assert [each.measure for each in rated.score("rating(scale=z)")] == [
        "rating(aspect=relevance, scale=z)",
        "rating(aspect=fluency, scale=z)",
    ]


def test_an_aspect_that_nobody_was_asked_for_is_an_error(rated: Evaluation) -> None:
    with pytest.raises(DataError) as error:
        rated.score("rating(aspect=fluensy)")
    assert str(error.value) == (
        'rating(aspect=fluensy): no scores: nobody was asked for "fluensy" (nearest: "fluency");'
        " the aspects are: relevance, fluency"
    )
    with pytest.raises(DataError, match="coverage: no scores: nothing that it is made from was judged"):
        rated.score("coverage")
    assert rated.scores().measures == ()


def test_without_any_rating_that_is_said(tmp_path: Path, rated: Evaluation) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text("worker,topic,left,right,label\nw,t0,s,s2,left\n")
    e = Evaluation.init(tmp_path / "pairs")
    (e.folder.path / "summaries.jsonl").write_text(
        "".join(f'{{"topic": "t0", "system": "{name}", "text": "A text."}}\n' for name in ("s", "s2"))
    )
    e = adjudge.open(e.folder.path)
    e.take_judgments(crowd.read([table], evaluation="pairs", protocol="preference-summaries"))
    with pytest.raises(DataError, match="rating: no scores: nobody rated anything"):
        adjudge.open(e.folder.path).score("rating")


def test_keys_that_nobody_knows_are_named(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "e")
    (e.folder.path / "summaries.jsonl").write_text(
        '{"topic": "t", "system": "r", "text": "One two.", "role": "reference"}\n'
        '{"topic": "t", "system": "b", "text": "One two.", "role": "both"}\n'
        '{"topic": "t", "system": "s", "text": "One two.", "rolle": "peer", "mine": 1}\n'
    )
    e = adjudge.open(e.folder.path)
    assert {s.system: s.roles for s in e.collection.all_summaries()} == {
        "r": ("reference",),
        "b": ("peer", "reference"),
        "s": ("peer",),
    }
    found = {f.what: f.severity for f in e.check().findings if f.code == "unknown-key"}
    assert found == {
        '"rolle" in 1 row of summaries.jsonl (nearest: "roles")': "warning",
        '"mine" in 1 row of summaries.jsonl': "note",
    }


def test_two_spellings_of_one_key_are_refused(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "e")
    (e.folder.path / "summaries.jsonl").write_text(
        '{"topic": "t", "system": "r", "text": "x", "role": "peer", "roles": ["reference"]}\n'
    )
    with pytest.raises(FormatError, match='both "role" and "roles"'):
        list(adjudge.open(e.folder.path).collection.topics)


def test_a_damaged_store_stops_no_scores_of_texts(rated: Evaluation) -> None:
    rated.score("rating")
    rated.score("words")
    (rated.folder.path / "judgments.sqlite").write_bytes(b"hello")
    e = adjudge.open(rated.folder.path)
    scores = e.scores()
    assert "words" in scores.measures
    assert not scores.warnings["words"]
    assert any("judgments.sqlite" in note for note in scores.notes("rating(aspect=fluency)"))


def test_scoring_again_replaces_a_damaged_score_file(rated: Evaluation) -> None:
    rated.score("words")
    [path] = (rated.folder.path / "scores").iterdir()
    path.write_bytes(b"")
    e = adjudge.open(rated.folder.path)
    with pytest.raises(FormatError, match="score"):
        e.score("words")
    [done] = e.score("words", again=True)
    assert done.rows == 3
    assert adjudge.open(rated.folder.path).scores().measures == ("words",)
