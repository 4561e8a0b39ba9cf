"""What the documentation names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "adjudge"


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_0-9]+\.(?:py|js|css)|(?:[a-z_]+/)+)`", text))
    assert len(named) > 20
    places = (PACKAGE, PACKAGE / "web" / "static", ROOT)
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


EMPTY = {"found", "each", "own", "said", "known", "given"}
"""Names that say nothing of what they hold or do."""


def empty_names(source: str) -> list[str]:
    """The variables, fields, functions, methods and parameters of a module that are called so."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
    return [name for name in names if name in EMPTY]


def test_names_say_what_they_hold() -> None:
    empty = {
        str(path.relative_to(PACKAGE)): names
        for path in PACKAGE.rglob("*.py")
        if (names := empty_names(path.read_text(encoding="utf-8")))
    }
    assert empty == {}


def test_empty_names_are_seen() -> None:
    source = "def f(x):\n    found = [each for each in x]\n    return found\n"
    assert sorted(empty_names(source)) == ["each", "found"]
    source = (
        "class A:\n    own: int\n\n    async def said(self, known, *given, **each):\n        lambda found: 1"
    )
    assert sorted(empty_names(source)) == ["each", "found", "given", "known", "own", "said"]
