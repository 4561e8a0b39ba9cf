"""One concept, one name: no two classes of the package are called the same."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "adjudge"


def classes(sources: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Where each public class is defined, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, source in sources:
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(place)
    return found


def test_no_class_name_is_used_twice() -> None:
    sources = (
        (str(path.relative_to(PACKAGE)), path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")
    )
    assert {name: places for name, places in classes(sources).items() if len(places) > 1} == {}


def test_the_rule_can_fail() -> None:
    found = classes([("a.py", "class Plan: ..."), ("b.py", "class Plan: ...\nclass _Own: ...")])
    assert found == {"Plan": ["a.py", "b.py"]}


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_0-9]+\.(?:py|js|css)|(?:[a-z_]+/)+)`", text))
    assert len(named) > 20
    places = (PACKAGE, PACKAGE / "web" / "static", ROOT)
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []
