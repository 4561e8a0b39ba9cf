"""What depends on the kind of a protocol is decided in judgments/kinds, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from adjudge.judgments.kinds import KINDS, kind_asking
from adjudge.judgments.protocol import load_protocol, protocol_names

PACKAGE = Path(__file__).parent.parent.parent / "src" / "adjudge"
CLASSES = {kind.__name__ for kind in KINDS.values()}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "kinds")


def compared(source: str) -> Iterator[str]:
    """Where a module compares kinds of protocols, asks for one of their classes, or has something for each."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_kind, sides)) and any(set(_texts(side)) & KINDS.keys() for side in sides):
                yield ast.unparse(node)
        elif isinstance(node, ast.Match):
            if any(set(_texts(case.pattern)) & KINDS.keys() for case in node.cases) and _is_kind(
                node.subject
            ):
                yield f"match {ast.unparse(node.subject)}"
        elif isinstance(node, ast.Call):
            if ast.unparse(node.func) in ("isinstance", "issubclass") and _names(node.args[1]) & CLASSES:
                yield ast.unparse(node)
        elif isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            items = [key for key in node.keys if key] if isinstance(node, ast.Dict) else node.elts
            texts = {item.value for item in items if isinstance(item, ast.Constant)}
            if len(texts & KINDS.keys()) > 1 and texts <= KINDS.keys():
                yield ast.unparse(node)[:80]


def _is_kind(node: ast.AST) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr == "kind")
        or (isinstance(part, ast.Name) and part.id in ("kind", "kinds"))
        for part in ast.walk(node)
    )


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _names(node: ast.AST) -> set[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def test_no_other_module_compares_kinds() -> None:
    places = [
        f"{path.relative_to(PACKAGE)}: {place}"
        for path in MODULES
        for place in compared(path.read_text(encoding="utf-8"))
    ]
    assert places == []


@pytest.mark.parametrize(
    "source",
    [
        'protocol.kind == "coverage"',
        '(protocol.kind, protocol.of) == ("preference", "sentences")',
        'kind not in ("rating", "coverage", "other")',
        'match protocol.kind:\n    case "rating":\n        pass',
        "isinstance(protocol, CoverageProtocol)",
        "isinstance(protocol, (int, coverage.CoverageProtocol))",
        'LABELS = {"coverage": "Summary", "preference": "Pair"}',
    ],
)
def test_the_rule_can_fail(source: str) -> None:
    assert list(compared(source))


@pytest.mark.parametrize("source", ['unit.kind == "edu"', 'measures = {"coverage": 1, "rouge-1": 2}'])
def test_other_kinds_are_no_matter(source: str) -> None:
    assert not list(compared(source))


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_has_what_its_facts_promise(name: str) -> None:
    kind = KINDS[name]
    asked = [load_protocol(protocol) for protocol in protocol_names()]
    own = [protocol for protocol in asked if isinstance(protocol, kind)]
    assert own
    assert all(kind_asking(question) is kind for protocol in own for question in protocol.asked(["m1"]))
    page = "pairs" if any(protocol.compares for protocol in own) else name
    web = files("adjudge.web")
    assert (web / "templates" / f"{page}.html.j2").is_file() == kind.IN_BROWSER
    assert (web / "static" / f"{page}.js").is_file() == kind.IN_BROWSER
    prompt = files("adjudge.assessors.llm") / "templates" / f"{name}.txt"
    assert prompt.is_file() == bool(kind.PLACES)
