"""What pages of documentation have people type: the commands of a page, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CODE = re.compile(
    r"^```(?P<kind>console|sh|python)\n(?P<fenced>.*?)^```$|(?P<indented>(?:^    (?:adjudge |\$ adjudge )[^\n]*\n)+)",
    re.DOTALL | re.MULTILINE,
)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Code in the order of the page: what kind it is, and its text. Indented lines that call adjudge are commands."""
    for block in CODE.finditer(text):
        yield block["kind"] or "sh", block["fenced"] or block["indented"]


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
