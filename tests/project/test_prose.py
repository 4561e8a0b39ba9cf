"""Nothing reads our own sentences back: a note has a code, a result has facts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import adjudge

SOURCE = Path(adjudge.__file__).parent
ROOMS = ("analyses", "cli", "core", "judgments", "reports", "web")
"""Where sentences are ours; in others they are also those of summaries, and of somebody else's programs."""
PROSE = {"note", "notes", "warning", "warnings", "sentence", "sentences", "headline", "why", "about_scores"}
"""What holds sentences, by its name as a variable, an attribute or a method."""
READS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "find"}
MATCHES = {"match", "search", "fullmatch", "findall", "finditer", "sub", "split"}


def name_of(node: ast.expr) -> str:
    """`note` of `note`, `result.note`, `result.note()`, `result.note[0]` and `str(note)`."""
    if isinstance(node, ast.Call):
        wrapped = isinstance(node.func, ast.Name) and node.args
        return name_of(node.args[0] if wrapped else node.func)
    if isinstance(node, ast.Subscript | ast.Starred):
        return name_of(node.value)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def reads_back(source: str) -> Iterator[int]:
    """The lines in which a program looks into a sentence."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    for scope in (tree, *functions):
        nodes = list(ast.walk(scope))
        prose = PROSE | {
            node.target.id
            for node in nodes
            if scope is not tree
            and isinstance(node, ast.For | ast.comprehension)
            and isinstance(node.target, ast.Name)
            and name_of(node.iter) in PROSE
        }
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                read = node.func.attr in READS and name_of(node.func.value) in prose
                if read or (node.func.attr in MATCHES and {name_of(arg) for arg in node.args} & prose):
                    yield node.lineno
            elif (
                isinstance(node, ast.Compare)
                and isinstance(node.left, ast.Constant | ast.JoinedStr)
                and isinstance(node.ops[0], ast.In | ast.NotIn)
                and name_of(node.comparators[0]) in prose
            ):
                yield node.lineno


@pytest.mark.parametrize("room", ROOMS)
def test_no_sentence_is_read_back(room: str) -> None:
    read = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in (SOURCE / room).rglob("*.py")
        for line in reads_back(path.read_text(encoding="utf-8"))
    }
    assert read == set()


@pytest.mark.parametrize(
    "line",
    [
        "re.search(r'(\\d+) pairs', result.headline())",
        "[text for text in scores.notes(measure) if 'withdrawn' not in text]",
        "any(text.startswith('without ') for text in result.warnings())",
        "why.removeprefix('no interval: ')",
        "'left out' in str(note)",
        "next(iter(result.sentences())).split()",
    ],
)
def test_reading_back_is_found(line: str) -> None:
    assert list(reads_back(f"def look(result, scores, measure, why, note):\n    return {line}"))


def test_what_reads_no_sentence_is_let_be() -> None:
    assert not list(
        reads_back("def look(result, name):\n    return name.startswith('a') or name in result.notes")
    )
