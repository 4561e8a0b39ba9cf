"""docs/simulated-assessors.md: its code runs, from top to bottom."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from adjudge.assessors.simulated import Simulated

PAGE = Path(__file__).parents[2] / "docs" / "simulated-assessors.md"


def test_the_code_runs_and_holds_what_it_says() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    exec("\n".join(blocks), {})


def test_every_fault_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [field.name for field in fields(Simulated)[1:] if f"| `{field.name}` |" not in text] == []
