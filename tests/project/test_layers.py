"""Imports go one way, and starting is quick because nothing heavy is loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

from adjudge.analyses import DECLARED

PACKAGE = Path(__file__).parent.parent.parent / "src" / "adjudge"

# From the bottom up; what stands in one line must not know what stands in a later one. Modules of one line
# do not import each other, except inside a package.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("text", "stats"),
    ("data",),
    ("judgments",),
    ("formats",),
    ("measures",),
    ("assessors",),
    ("analyses",),
    ("reports",),
    ("evaluation",),
    ("demo",),
    ("web",),
    ("cli",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

HEAVY = {
    "altair",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "numba",
    "sqlalchemy",
    "fastapi",
    "jinja2",
    "sentencex",
    "Stemmer",
    "statsmodels",
    "vl_convert",
    "sklearn",
    "multiprocessing",
    "sqlite3",
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    """The first part below adjudge of everything a module imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [node.module or ""]
            if node.module == "adjudge":
                names = [f"adjudge.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("adjudge."))


def wrong(layer: str, source: str) -> list[str]:
    """What a module of a layer imports and must not."""
    found = set(imported(ast.parse(source))) - {layer, "__version__"}
    return sorted(name for name in found if name in LEVEL and LEVEL[name] >= LEVEL[layer])


def test_imports_go_one_way() -> None:
    imports = {}
    for path in modules():
        layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if layer in ("__init__", "__main__"):  # the package's own doors: they may open the top
            continue
        assert layer in LEVEL, f"{layer} has no place in the layers"
        if names := wrong(layer, path.read_text(encoding="utf-8")):
            imports[str(path.relative_to(PACKAGE))] = names
    assert imports == {}


def test_the_rule_can_fail() -> None:
    assert wrong("stats", "from adjudge.data.scores import Score") == ["data"]
    assert wrong("data", "def f():\n    import adjudge.measures.base") == ["measures"]
    assert wrong("stats", "from adjudge.text.words import count_words") == ["text"]
    assert wrong("measures", "from adjudge.text.words import count_words") == []


def names_called(path: Path) -> Iterator[tuple[str, str]]:
    """The functions and classes that a module takes from others while it runs; types and constants are no calls."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("adjudge"):
            yield from ((str(node.module), alias.name) for alias in node.names if not alias.name.isupper())
        waiting += ast.iter_child_nodes(node)


def both_ways(called: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Pairs of modules that call each other; but a declaration runs its folder's modules, which keep what was asked."""
    pairs = [(one, other) for one, others in called.items() for other in others if one in called[other]]
    return sorted((one, other) for one, other in pairs if one < other and not other.startswith(f"{one}."))


def test_no_two_modules_call_each_other() -> None:
    called: dict[str, set[str]] = {}
    named = {
        ".".join(("adjudge", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in modules()
    }
    for name, path in named.items():
        both = ((module, f"{module}.{what}") for module, what in names_called(path))
        called[name] = {whole if whole in named else module for module, whole in both} & named.keys()
    assert both_ways(called) == []


def test_calls_both_ways_are_found() -> None:
    assert both_ways({"a.b": {"a.c"}, "a.c": {"a.b"}, "a": {"a.b"}}) == [("a.b", "a.c")]
    assert both_ways({"a": {"a.result"}, "a.result": {"a"}}) == []


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom adjudge.cli import main\n"
        f"sys.argv = ['adjudge', *{list(arguments)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n@' + ' '.join(m for m in sys.modules if '.' not in m))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rsplit("@", 1)[1].split())


def test_help_and_listing_measures_load_nothing_heavy() -> None:
    for arguments in (
        ["--help"],
        ["import", "--help"],
        ["measures"],
        ["measures", "rouge-2"],
        ["score", "--help"],
    ):
        assert loaded_by(*arguments) & HEAVY == set()


def test_help_loads_the_command_line_the_foundation_and_declarations_only() -> None:
    code = (
        "import sys; from adjudge.cli import main; sys.argv = ['adjudge', '--help']\ntry: main()\nfinally: "
    )
    code += "print('@', *[m for m in sys.modules if m.startswith('adjudge.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = set(done.stdout.rsplit("@", 1)[1].split())
    rooms = {name.split(".")[1] for name in loaded}
    assert rooms <= {"cli", "core", "analyses", "data"}
    folders = {f"adjudge.analyses.{folder}" for folder in DECLARED.values()}
    names_only = {f"adjudge.analyses.{name}" for name in ("base", "corrections", "tests")}
    assert {name for name in loaded if name.startswith("adjudge.analyses.")} <= folders | names_only
    assert loaded & {f"adjudge.{each}" for each in HEAVY} == set()


def test_check_loads_nothing_scientific(tmp_path: Path) -> None:
    assert loaded_by("demo", str(tmp_path / "e"), "--json")
    assert loaded_by("check", str(tmp_path / "e")) & (HEAVY - {"sqlite3"}) == set()


def test_check_looks_at_judgments_without_the_databases_libraries(judged_few: Path, tmp_path: Path) -> None:
    copytree(judged_few, tmp_path / "e")
    assert "sqlalchemy" in loaded_by("judgments", "list", str(tmp_path / "e"), "--json")
    assert loaded_by("check", str(tmp_path / "e")) & (HEAVY - {"sqlite3"}) == set()


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, adjudge; print(*[m for m in sys.modules if m.startswith('adjudge')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["adjudge"]


def test_the_heavy_ones_would_be_noticed(tmp_path: Path) -> None:
    loaded_by("demo", str(tmp_path / "e"))
    assert {"numpy", "pandas"} <= loaded_by("scores", str(tmp_path / "e")) | loaded_by(
        "score", str(tmp_path / "e"), "-m", "words"
    )
