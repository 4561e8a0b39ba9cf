"""docs/report.md holds what it shows: its example runs, its limits are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.analyses.conditions.copies import NEAR, RUN
from adjudge.analyses.conditions.trust import COPIED, POWER
from adjudge.reports.page import MOST_FOLDED, MOST_LINES
from adjudge.reports.sections import (
    COMPACT_FROM,
    MEAN_STEPS,
    MOST_BARS,
    MOST_IN_FULL,
    MOST_ON_PAPER,
    MOST_PAIRS,
    MOST_SYSTEMS,
    MOST_TOPICS,
    STEPS,
)
from adjudge.stats.agreement import TENTATIVE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())


def test_the_example_prints_what_it_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(found.group(1), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", found.group(1), re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        f"With more than {MOST_BARS} groups",
        f"With more than {MOST_SYSTEMS} systems",
        f"More than {COMPACT_FROM - 1} topics",
        f"Of more than {MOST_TOPICS} topics, the {MOST_TOPICS}",
        f"The first {MOST_LINES} are shown",
        f"about {MEAN_STEPS} steps",
        f"{MOST_FOLDED} others unfold",
        f"of more than {MOST_PAIRS} pairs the first {MOST_PAIRS}",
        f"in full with up to {MOST_IN_FULL} systems",
        f"a map of more than {MOST_ON_PAPER} systems",
        f"found with {POWER:.0%} power".replace("%", " %"),
        f"alpha of what was asked is {TENTATIVE:.3f}".replace(" 0.", " ."),
        f"share {NEAR:.0%} of the word trigrams".replace("%", " %"),
        f"({COPIED:.0%} of the words in runs of {RUN} or more)".replace("%", " %"),
    ],
)
def test_the_limits_are_those_of_the_code(words: str) -> None:
    assert words in WORDS


def test_the_tokens_have_every_step_of_the_map_and_no_rules() -> None:
    tokens = (ROOT / "src/adjudge/core/tokens.css").read_text(encoding="utf-8")
    for step in range(STEPS):
        assert len(re.findall(rf"--heat-{step}: #", tokens)) == 2  # light and dark
    selectors = re.findall(r"^\s*([^\s@{}/][^{};]*) \{", tokens, re.MULTILINE)
    assert set(selectors) == {":root"}


def test_every_module_is_named() -> None:
    modules = {path.stem for path in (ROOT / "src/adjudge/report").glob("*.py")} - {"__init__"}
    assert {name for name in modules if not re.search(rf"`(report\.)?{name}`", PAGE)} == set()
