"""What tests of folders from earlier releases share."""

from __future__ import annotations

import re
from pathlib import Path


def move_judgments(folder: Path, address: str) -> None:
    """Let a folder keep its judgments in another database, which is empty."""
    (folder / "judgments.sqlite").unlink()
    path = folder / "evaluation.toml"
    line = f'database = "{address}"'
    settings, places = re.subn(
        r"^# database = .*$", lambda _: line, path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert places == 1
    path.write_text(settings, encoding="utf-8")


def with_names_of_today(text: str) -> str:
    """What was recorded when a bare `rouge-1` was ROUGE-1.5.5's recall, with the measure's name since."""
    return re.sub(r"\b(rouge-[12])(?=[:,\"|])", r"\1-recall", text)


def without_next(text: str) -> list[str]:
    """The lines of what was printed, without one that says what to do next, which came since."""
    return [line for line in text.splitlines() if not re.match(r"(\d+ judgments? by .*; )?next: ", line)]
