"""What pages of documentation have people type: the commands of a page, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

TYPED = ("", "sh", "console", "python")
"""Languages of blocks that somebody types; others are files and outputs."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Code in the order of the page: its language, and its text. Indented lines that call adjudge are commands."""
    language: str | None = None
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("```"):
            if language is None:
                language = line.removeprefix("```").strip()
            else:
                if language in TYPED:
                    yield language or "sh", "".join(f"{one}\n" for one in lines)
                language, lines = None, []
        elif language is not None:
            lines.append(line)
        elif line.startswith(("    adjudge ", "    $ adjudge ")):
            yield "sh", f"{line}\n"


def commands(text: str) -> Iterator[str]:
    """Every `adjudge ...` that a page has people type, a line that goes on in the next as one."""
    for kind, block in blocks(text):
        if kind == "python":
            continue
        for line in block.replace("\\\n", " ").splitlines():
            typed = line.strip().removeprefix("$ ")
            if typed.startswith("adjudge ") and (kind == "sh" or line.startswith("$ ")):
                yield typed


def page(path: Path) -> list[str]:
    return list(commands(path.read_text(encoding="utf-8")))
