"""The evaluation from which all figures are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from tools.figures_evaluation import adjudge, fill

from adjudge.comparisons.scores import Scores, read_scores
from adjudge.data.reading import reading_once


@pytest.fixture(scope="session")
def shown(once: Callable[[str, Callable[[Path], object]], Path], full_demo: Path) -> Path:
    """The folder of `my-eval`: the full demo, which other tests share, with a learned judge, and scored."""

    def run(folder: Path, *words: str) -> object:
        if words == ("demo", "my-eval", "--full"):
            return copytree(full_demo, folder / "my-eval")
        return adjudge(folder, *words)

    return once("figures", partial(fill, run=run))


@pytest.fixture(scope="session")
def read(shown: Path) -> Scores:
    return read_scores(shown / "my-eval")


@pytest.fixture(scope="module")
def judgments_once() -> Iterator[None]:
    """The judgments of `shown`, which nobody changes, are read for the first figure and kept for the others."""
    with reading_once():
        yield
