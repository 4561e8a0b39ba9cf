"""Scoring: what is stale is noticed, what is fresh is kept, and workers change nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.data.rows import Document, Summary
from adjudge.data.scorefiles import file_name
from adjudge.data.scores import Score
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import batches_of, judgments_of
from adjudge.measures.registry import parse_measure
from adjudge.measures.run import digests

Make = Callable[..., Evaluation]


def edit(e: Evaluation, file: str, old: str, new: str) -> Evaluation:
    path = e.path / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return Evaluation.open(e.path)


def test_a_file_per_measure_with_its_signature_inside(small: Evaluation) -> None:
    small.score("rouge-1-recall", "rouge-2(stem=none)")
    names = sorted(p.name for p in (small.path / "scores").iterdir())
    assert [name.split("--")[0] for name in names] == ["rouge-1-recall", "rouge-2-stem-none"]
    metadata = pq.read_schema(small.path / file_name("rouge-1-recall")).metadata[b"adjudge"].decode()
    assert (
        '"signature": "rouge-1-recall|stat:recall|stem:porter-155|stop:none|words:rouge|limit:none|refs:1-2:pooled|v:'
        in metadata
    )
    assert '"better": "higher"' in metadata


def test_the_same_texts_give_the_same_bytes(small: Evaluation) -> None:
    path = small.path / file_name("rouge-1")
    small.score("rouge-1")
    first = path.read_bytes()
    path.unlink()
    small.score("rouge-1", workers=2)
    assert path.read_bytes() == first


def test_only_what_changed_is_scored_again(small: Evaluation) -> None:
    small.score("rouge-1")
    (again,) = small.score("rouge-1")
    assert (again.kept, again.new, again.changed) == (3, (), ())
    e = edit(small, "summaries.jsonl", "Something about number 2", "The strike of number 2")
    assert e.scores().stale["rouge-1"] == ("t2",)
    assert "rouge-1 is out of date: 1 topic changed since (t2)" in e.scores().notes("rouge-1")[0]
    before = e.matrix("rouge-1").to_frame()
    (again,) = e.score("rouge-1")
    assert (again.kept, again.changed) == (2, ("t2",))
    after = e.matrix("rouge-1").to_frame()
    changed = before != after
    assert changed.sum().sum() == 1
    assert changed.loc["t2", "poor"]
    assert not e.scores().stale["rouge-1"]


def test_what_a_measure_does_not_look_at_does_not_make_it_stale(small: Evaluation) -> None:
    small.score("rouge-1", "words")
    e = edit(small, "documents.jsonl", "It was a long one.", "It was short.")
    assert not any(e.scores().stale.values())
    e = edit(small, "summaries.jsonl", "lasted two days", "lasted three days")  # a reference only
    assert e.scores().stale == {"rouge-1": ("t1", "t2", "t3"), "words": ()}


def test_topics_that_are_gone_or_new_are_named(small: Evaluation) -> None:
    small.score("rouge-1")
    small.remove("x", topic="t1")
    small.take(
        [("x", Summary("t4", "good", "New.", 10)), ("x", Summary("t4", "ann", "New.", 10, ("reference",)))]
    )
    (again,) = small.score("rouge-1")
    assert (again.new, again.kept) == (("t4",), 2)
    assert small.matrix("rouge-1").topics == ("t2", "t3", "t4")


def test_a_new_version_or_other_references_score_everything_again(
    small: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.score("rouge-1")
    monkeypatch.setattr("adjudge.measures.base.__version__", "9.9.9")
    (again,) = small.score("rouge-1")
    assert (again.kept, len(again.changed)) == (0, 3)
    assert "v:9.9.9" in again.signature
    (forced,) = small.score("rouge-1", again=True)
    assert len(forced.changed) == 3


def test_missing_is_counted_with_its_reason(small: Evaluation) -> None:
    small.take([("x", Summary("t9", "good", "Lonely.", 10))])
    (scored,) = small.score("rouge-1")
    assert scored.missing == {"the topic has no reference": 1}
    assert ("t9", "good", "the topic has no reference") in small.matrix("rouge-1").missing


def test_people_with_fewer_references_are_pointed_to_the_jackknife(small: Evaluation) -> None:
    (scored,) = small.score("rouge-1")
    assert scored.notes[0].startswith("ann is not compared with their own reference")
    assert "the option refs=jackknife is fair to all" in scored.notes[0]
    (fair,) = small.score("rouge-1(refs=jackknife)")
    assert fair.notes == ()
    assert small.scores().notes("rouge-1") == list(scored.notes)
    assert small.scores().notes("rouge-1(refs=jackknife)") == []


def test_needs_are_said_before_work_starts(make: Make) -> None:
    with pytest.raises(DataError, match="rouge-1 needs references, and there are none"):
        make(Summary("t", "s", "x")).score("rouge-1")
    with pytest.raises(DataError, match="nothing to score"):
        make(Document("t", "d", "x"), name="e2").score("words")


def test_many_workers_give_the_same_numbers(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row
        for k in range(40)
        for row in (
            Summary(f"t{k}", "r", f"one two {k} three four", roles=("reference",)),
            Summary(f"t{k}", "a", f"two three {k} four"),
            Summary(f"t{k}", "b", f"one {k} four"),
        )
    ]
    monkeypatch.setattr("adjudge.measures.run.CHUNK", 48)
    one, two = make(*rows, name="one"), make(*rows, name="two")
    done: list[tuple[int, int]] = []
    one.score("rouge-1", "rouge-2", progress=lambda n, of: done.append((n, of)))
    two.score("rouge-1", "rouge-2", workers=3)
    assert one.scores().frame.equals(two.scores().frame)
    assert done == [(16, 40), (32, 40), (40, 40)]


def test_a_measure_that_has_no_scores_says_how_to_get_them(small: Evaluation) -> None:
    with pytest.raises(DataError, match="nothing has been scored; run: adjudge score"):
        small.compare("rouge-2")
    small.score("words")
    with pytest.raises(
        DataError, match=r"rouge-2 has not been scored here; run: adjudge score \S+ -m rouge-2$"
    ):
        small.compare("rouge-2(stem=porter-nltk)")
    with pytest.raises(UsageError, match='no imported scores "expert:x"'):
        small.compare("expert:x")


@pytest.mark.parametrize("content", [b"", b"PAR1 but not really", b"x" * 100])
def test_a_broken_score_file_is_one_line(small: Evaluation, content: bytes) -> None:
    small.score("rouge-1")
    (small.path / file_name("rouge-1")).write_bytes(content)
    with pytest.raises(FormatError, match="not a score file") as error:
        small.scores()
    assert "\n" not in str(error.value)


def test_a_parquet_file_of_somebody_else_is_refused(small: Evaluation, tmp_path: Path) -> None:
    small.score("rouge-1")
    small.scores().frame.to_parquet(small.path / "scores" / "mine.parquet")
    with pytest.raises(FormatError, match="a Parquet file that Adjudge did not write"):
        small.scores()


def test_imported_scores_are_never_stale_and_keep_their_source(small: Evaluation) -> None:
    small.take([("theirs.csv:2", Score("imported:bert", "t1", "good", 0.9))])
    (stored,) = small.scores().files
    assert (stored.origin, stored.source) == ("imported", "theirs.csv")
    assert small.scores().stale == {}


def test_a_digest_is_of_what_a_measure_looks_at_whoever_asked_before(small: Evaluation) -> None:
    """Measures that look at the same share a digest, and it is that of a measure that asks alone."""
    small.simulate_judgments("rating", assessors=2, seed=1)
    names = (
        "rouge-1",
        "rouge-2",
        "js",
        "words",
        "rating(aspect=overall)",
        "rating(aspect=overall,by=simulated-1)",
    )
    together = batches_of(small.collection, judgments_of(small.folder, small.collection))
    found = {}
    for name in names:
        alone = batches_of(small.collection, judgments_of(small.folder, small.collection))
        found[name] = digests(parse_measure(name), together)
        assert found[name] == digests(parse_measure(name), alone)
    assert found["rouge-1"] == found["rouge-2"]
    different = [tuple(found[name].values()) for name in names if name != "rouge-2"]
    assert len(set(different)) == len(different)
