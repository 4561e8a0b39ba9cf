"""Everything that `adjudge prefer` does, from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.demo.build import build
from adjudge.evaluation import Evaluation


@pytest.fixture
def e(tmp_path: Path) -> Evaluation:
    build(tmp_path / "e")
    return Evaluation.open(tmp_path / "e")


def test_from_asking_to_the_tables(e: Evaluation, tmp_path: Path) -> None:
    sampled = e.prefer.sample(count=5, topics=["d01"])
    assert sampled.tasks == 5
    exported = e.prefer.export(str(tmp_path / "pairs.csv"))
    assert exported.pairs == 5
    header, *rows = (tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()
    answered = [f"{header},worker,answer", *(f"{row},w1,left" for row in rows)]
    (tmp_path / "answered.csv").write_text("\n".join(answered), encoding="utf-8")
    assert e.prefer.read(tmp_path / "answered.csv")[1].answers == 5
    assert e.prefer.read(tmp_path / "answered.csv")[1].answers == 0
    assert e.prefer.simulate("ref", count=20, assessors=2).answers == 240
    fits = e.prefer.fit(topics=["d01", "d02"])
    assert [fit.title for fit in fits] == ["sentences of d01", "sentences of d02"]
    e.simulate_judgments("rating", assessors=2)
    e.score("preference", "rouge-2", "rating(aspect=relevance)")
    found = e.prefer.agreement("rating(aspect=relevance)", ["preference", "rouge-2"])
    assert [each.measure for each in found] == ["preference", "rouge-2"]
    assert found[0].mean == pytest.approx(
        e.prefer.agreement("rating(aspect=relevance)", ["preference"])[0].mean
    )
    table = e.prefer.converge("rating(aspect=relevance)", runs=2, step=10).to_frame()
    assert set(table["topic"]) == set(e.collection.topics)
    assert len(e.prefer.report("rating(aspect=relevance)").papers) == 4
