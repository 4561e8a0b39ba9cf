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
"""Names that say nothing of what they hold."""


def empty_names(source: str) -> list[str]:
    """The variables of a module's functions that are called so."""
    tree = ast.parse(source)
    fields = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        for target in [statement.target]
    }
    return [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id in EMPTY
        and id(node) not in fields
    ]


def test_variables_say_what_they_hold() -> None:
    empty = {
        str(path.relative_to(PACKAGE)): names
        for path in PACKAGE.rglob("*.py")
        if (names := empty_names(path.read_text(encoding="utf-8")))
    }
    assert empty == {}


def test_empty_names_are_seen() -> None:
    source = "class A:\n    own: int\n\ndef f(x):\n    found = [each for each in x]\n    return found\n"
    assert sorted(empty_names(source)) == ["each", "found"]
