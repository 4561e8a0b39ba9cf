"""docs/statistics.md holds what it shows: its example prints what it says it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.stats.order import MOST_SETS
from adjudge.stats.paired import EXACT_UP_TO

PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    code = found.group(1)
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_bounds_are_those_of_the_code() -> None:
    assert f"exact_up_to={EXACT_UP_TO})" in PAGE
    assert f"more than {MOST_SETS:,} sets" in PAGE
