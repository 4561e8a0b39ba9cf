"""The library names arguments; options are the command line's (see `core/phrases.py`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "adjudge"
OPTION = re.compile(r"(?<![\w-])--[a-z]{2,}")
ALLOWED = {
    "core/phrases.py": "makes options of arguments, and says how",
    "reports/": "readers of a page run commands",
    "analyses/judges/words/": "the dossier of a judge is such a page",
    "core/picture.py": "variables of CSS",
    "judgments/store/backup.py": "arguments of pg_dump",
    "assessors/llm/local.py": "arguments of pip",
    "text/embeddings.py": "arguments of pip",
}


def options_named(source: str) -> Iterator[tuple[int, str]]:
    """Texts that name an option, but for examples, which only a command's help shows."""
    tree = ast.parse(source)
    examples: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None and "EXAMPLE" in map(ast.unparse, targets):
                examples |= {id(inner) for inner in ast.walk(node.value)}
        if isinstance(node, ast.keyword) and node.arg == "example":
            examples |= {id(inner) for inner in ast.walk(node.value)}
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "xx" for part in node.values]
            inside = [part for part in node.values if isinstance(part, ast.FormattedValue)]
            node.values = [ast.copy_location(ast.Constant("".join(map(str, parts))), node), *inside]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in examples:
            yield from ((node.lineno, option[0]) for option in OPTION.finditer(node.value))


def test_no_text_of_the_library_names_an_option() -> None:
    named = [
        f"{name}:{line}: {option}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not (name := path.relative_to(PACKAGE).as_posix()).startswith(("cli/", *ALLOWED))
        for line, option in options_named(path.read_text(encoding="utf-8"))
    ]
    assert not named, "name the argument with {Argument(...)}: " + "; ".join(named)


def test_every_exception_is_needed() -> None:
    for place in ALLOWED:
        files = [PACKAGE / place] if place.endswith(".py") else [*(PACKAGE / place).rglob("*.py")]
        assert any(list(options_named(file.read_text(encoding="utf-8"))) for file in files), place


def test_options_are_seen_in_every_text() -> None:
    source = (
        '"""See --map."""\nraise Wrong(f"--{x} or --length {y}")\nEXAMPLE = "a --b-c"\nspec(example="--by")\n'
    )
    assert list(options_named(source)) == [(1, "--map"), (2, "--xx"), (2, "--length")]
