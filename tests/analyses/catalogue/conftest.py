"""The evaluation from which all figures are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.analyses.scores import Scores, read_scores
from adjudge.data.reading import reading_once


@pytest.fixture(scope="session")
def read(shown: Path) -> Scores:
    return read_scores(shown / "my-eval")


@pytest.fixture(scope="module")
def judgments_once() -> Iterator[None]:
    """The judgments of `shown`, which nobody changes, are read for the first figure and kept for the others."""
    with reading_once():
        yield
