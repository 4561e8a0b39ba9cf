"""Reports of scores at several target lengths: which one answers first, and what has no score at all."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from adjudge.analyses.compare import compare_all
from adjudge.analyses.pages.render import INDEX
from adjudge.core.errors import DataError, UsageError
from adjudge.data import scorefiles
from adjudge.data.scores import MeasureInfo, Score, ScoreTable
from adjudge.evaluation import Evaluation, report


def scores(*, missing_at: int = 0) -> pd.DataFrame:
    """Two systems at 10 words on six topics, three at 100 words on eight."""
    rows = [
        {
            "measure": measure,
            "topic": f"t{t}",
            "system": system,
            "length": length,
            "value": None if length == missing_at else 0.1 * k + 0.01 * ((t * 7 + k) % 5),
        }
        for measure in ("m-2", "m-10")
        for length, systems, topics in ((10, "ab", 6), (100, "abc", 8))
        for k, system in enumerate(systems)
        for t in range(topics)
    ]
    return pd.DataFrame(rows)


def made(folder: Path, frame: pd.DataFrame, **options: object) -> str:
    report(frame, folder, **{"quick": True, **options})  # type: ignore[arg-type]
    return (folder / INDEX).read_text(encoding="utf-8")


def test_the_fullest_target_answers_first(tmp_path: Path) -> None:
    page = made(tmp_path, scores())
    headline = page.partition('<p class="headline">')[2].partition("</p>")[0]
    assert headline.startswith("On m-2 at 100 words")


def test_a_target_without_any_score_is_left_out_and_named(tmp_path: Path) -> None:
    frame = scores(missing_at=10)
    page = made(tmp_path, frame)
    assert "M-2, 10 words is left out, since every score is missing" in page
    assert "M-10, 10 words is left out, since every score is missing" in page
    assert re.findall(r'id="(m[^"]+)-where"', page) == ["m-2", "m-10"]
    with pytest.raises(DataError, match="every score is missing"):
        compare_all(frame)
    found = compare_all(frame, skip_missing=True)
    assert [(c.measure, c.matrix.length) for c in found] == [("m-2", 100), ("m-10", 100)]
    assert len(found.left_out) == 2


def test_nothing_but_missing_scores_is_an_error(tmp_path: Path) -> None:
    frame = scores()
    frame = frame[frame.length == 10].assign(value=float("nan"))
    with pytest.raises(DataError, match="every score is missing"):
        compare_all(frame, skip_missing=True)


def test_the_commands_repeat_what_was_chosen(small: Evaluation, tmp_path: Path) -> None:
    page = made(tmp_path, scores())
    assert " --quick" in page.partition("<footer")[2]
    assert "--between" not in page.partition("<footer")[2]
    with pytest.raises(UsageError, match="texts side by side need an evaluation's folder"):
        made(tmp_path, scores(), between="a,c")
    small.score("rouge-1")
    small.report(tmp_path / "own", between="good,poor")
    footer = (tmp_path / "own" / INDEX).read_text(encoding="utf-8").partition("<footer")[2]
    assert "--between &#34;good,poor&#34;" in footer
    assert "--quick" not in footer


def test_stored_measures_come_in_natural_order(tmp_path: Path) -> None:
    for k in (10, 2, 1):
        info = MeasureInfo(f"quality(q={k})")
        table = ScoreTable.from_rows([Score(info.measure, "t", "a", float(k))], [info])
        stored = scorefiles.ScoreFile(info=info, table=table, origin="imported", inputs={})
        path = tmp_path / scorefiles.file_name(info.measure)
        path.parent.mkdir(exist_ok=True)
        scorefiles.write(path, stored)
    found = [stored.info.measure for stored in scorefiles.read_all(tmp_path)]
    assert found == ["quality(q=1)", "quality(q=2)", "quality(q=10)"]
