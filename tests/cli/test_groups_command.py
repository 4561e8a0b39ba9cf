"""adjudge groups: methods, comparisons with the best, contrasts, CSV and JSON, from the words to the exit."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import called


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(24, 1)) + rng.normal([0, 0.1, 3, 3.1], [0.2, 1, 0.3, 0.4], size=(24, 4))
    lines = ["topic,lead,sum,ann,bob"]
    lines += [f"t{k}," + ",".join(f"{x:.3f}" for x in row) for k, row in enumerate(values)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "4 of 6 pairs differ significantly (paired t, Holm)"),
        (("--method", "t"), "4 of 6 pairs differ significantly (paired t, Holm)"),
        (("--method", "tukey"), "4 of 6 pairs differ significantly (Tukey's test)"),
        (
            ("--best",),
            "by Hsu's comparisons with the best (one-sided t, Bonferroni, level 0.95)",
        ),
        (("--against", "lead"), "ann - lead = "),
    ],
)
def test_methods(table: Path, options: tuple[str, ...], words: str) -> None:
    found = called(table, "groups", "scores.csv", *options)
    assert found.returncode == 0, found.stderr
    assert words in found.stdout
    assert "lines by Nemenyi's test" in found.stdout


def test_csv_and_json_say_how_and_what(table: Path) -> None:
    text = called(table, "groups", "scores.csv", "--csv", "-").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 6
    assert {row["method"] for row in rows} == {"t"}
    assert {row["n"] for row in rows} == {"24"}
    assert [row["conclusion"] for row in rows].count("differ") == 4
    data = json.loads(
        called(
            table, "groups", "scores.csv", "--json", "--best", "--method", "max-t", "--resamples", "500"
        ).stdout
    )[0]
    assert data["conclusions"]["differ"] == 4
    assert [row["candidate"] for row in data["tables"]["groups"]] == [True, True, False, False]
    assert "resamples:500" in data["signature"]


def test_mistakes(table: Path) -> None:
    found = called(table, "groups", "scores.csv", "--method", "hsd")
    assert found.returncode == 2
    assert '--method is "hsd"' in found.stderr
