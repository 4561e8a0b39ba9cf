"""Texts and judgments are read once where many analyses ask for them, and again afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cli.running import called

from adjudge.data import collection
from adjudge.data.collection import Collection, load
from adjudge.data.reading import reading_once
from adjudge.evaluation import Evaluation
from adjudge.judgments import batch
from adjudge.judgments.batch import judgments_of
from adjudge.judgments.tasks import Judged


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answered tasks each reading of a store found."""
    found: list[int] = []
    current = batch.read_judged

    def read(folder: object) -> object:
        judged: tuple[list[Judged], object, object] = current(folder)  # type: ignore[arg-type]
        found.append(len(judged[0]))
        return judged

    monkeypatch.setattr(batch, "read_judged", read)
    return found


def test_within_it_they_stay_and_after_it_they_are_those_of_now(small: Evaluation, reads: list[int]) -> None:
    small.simulate_judgments("rating", assessors=2, seed=1)
    reads.clear()
    outside = judgments_of(small.folder, small.collection)
    with reading_once():
        first = judgments_of(small.folder, small.collection)
        with reading_once():
            assert judgments_of(small.folder, small.collection) is first
        assert judgments_of(small.folder, small.collection) is first
    assert first == outside
    assert len(reads) == 2
    small.simulate_judgments("responsiveness", assessors=2, seed=1)
    judgments_of(small.folder, small.collection)
    assert reads[-1] > reads[0]


@pytest.mark.parametrize("line", ["stability e", "report e -o page --paper paper"])
def test_a_command_reads_texts_and_judgments_once(
    small: Evaluation, reads: list[int], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    small.simulate_judgments("rating", assessors=2, noise=0.3, seed=1)
    small.score("rating", "rouge-1")
    reads.clear()
    texts, loaded = [], collection._loaded

    def counted(*args: Any) -> Collection:
        texts.append(args)
        return loaded(*args)

    monkeypatch.setattr(collection, "_loaded", counted)
    words = [small.path.name if word == "e" else word for word in line.split()]
    done = called(small.path.parent, *words)
    assert done.returncode == 0, done.stderr
    assert (len(texts), len(reads)) == (1, 1)


def test_two_folders_are_told_apart(small: Evaluation, reads: list[int]) -> None:
    import shutil

    small.simulate_judgments("rating", assessors=2, seed=1)
    other = Evaluation.open(shutil.copytree(small.path, small.path.parent / "other"))
    other.simulate_judgments("responsiveness", assessors=2, seed=1)
    with reading_once():
        mine, its = (judgments_of(e.folder, e.collection) for e in (small, other))
    assert mine != its


def test_texts_too_whole_or_of_one_topic(small: Evaluation) -> None:
    with reading_once():
        whole = load(small.folder)
        assert load(small.folder) is whole
        topic = next(iter(whole.documents))
        assert load(small.folder, topic=topic).documents != whole.documents
    assert load(small.folder) is not whole
    assert load(small.folder) == whole
