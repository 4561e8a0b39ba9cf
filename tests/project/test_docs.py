"""The documentation says what the program does: every command, every measure, every link."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli.app import COMMANDS
from adjudge.cli.imports import FORMATS
from adjudge.measures.registry import registry

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "tools").glob("*.py")]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_command_is_documented() -> None:
    headings = set(re.findall(r"^### adjudge (\S+)$", page("docs/commands.md"), re.MULTILINE))
    assert headings == {command.name for command in COMMANDS}


def test_every_import_format_is_documented() -> None:
    text = page("docs/importing.md")
    assert [name for name in FORMATS if f"adjudge import {name} " not in text] == []


def test_the_page_of_options_is_what_the_declarations_say() -> None:
    """`python -m tools.options_page` writes it anew."""
    from tools.options_page import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_measure_is_documented_with_its_options() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").glob("measures*.md"))
    for name, make in registry().items():
        assert f"`{name}`" in text or f"## {name}\n" in text
        cls: Any = getattr(make, "func", make)
        for option, choices in {**cls.OPTIONS, **cls.EXAMPLES}.items():
            assert f"`{option}`" in text
            assert [c for c in choices if f"`{c}`" not in text] == []


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", t).strip().lower().replace(" ", "-") for t in titles}


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", [*PAGES, *SCRIPTS], ids=lambda p: p.name)
def test_what_pages_and_scripts_import_is_there(path: Path) -> None:
    """Also in code that scripts start as processes of their own, which no type checker reads."""
    text = path.read_text(encoding="utf-8").replace("\\n", "\n")  # of code in one-line strings
    for module, names in re.findall(r"from (adjudge[\w.]*) import (\([^)]*\)|[\w, ]+)", text):
        for name in filter(None, map(str.strip, names.strip("()").split(","))):
            own = name.split(" as ")[0]
            assert hasattr(import_module(module), own) or import_module(f"{module}.{own}"), (module, own)


def test_the_readme_shows_the_two_commands_first() -> None:
    first_screen = "\n".join(page("README.md").splitlines()[:45])
    assert "make demo" in first_screen
    assert "make test" in first_screen
    assert "![" in first_screen
