"""A function as a measure, what is wrong with an entry point, and a package that is really installed."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge.measures as adjudge_measures
from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.measures.describe import Words
from adjudge.measures.plugin import FunctionMeasure, from_entry_point, measure, registered
from adjudge.measures.spec import build

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "tests" / "data" / "plugin_example"


def batch(*texts: str, references: int = 2, documents: int = 1) -> TopicBatch:
    return TopicBatch(
        Topic("t"),
        tuple(Summary("t", f"s{k}", text) for k, text in enumerate(texts)),
        tuple(Summary("t", f"r{k}", f"reference {k}", roles=("reference",)) for k in range(references)),
        tuple(Document("t", f"d{k}", f"document {k}") for k in range(documents)),
    )


def rows(function: Callable[..., Any], given_batch: TopicBatch) -> list[Score]:
    return list(FunctionMeasure("mine", function).score(given_batch))


def letters(summary: str, references: list[str], documents: list[str]) -> float:
    """How many characters a summary has. And more about it."""
    return len(summary)


@measure(name="seen", better="lower", needs="references", range=(0, 9), citation="Nobody 1999")
def seen(summary: str, references: list[str], documents: list[str]) -> float:
    return len(references) * 10 + len(documents)


# A function as a measure


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_a_measure_is_the_function_of_every_peer(texts: list[str]) -> None:
    assert [row.value for row in rows(letters, batch(*texts))] == [float(len(text)) for text in texts]


def test_it_is_given_what_it_declared_and_nothing_else() -> None:
    def both(summary: str, references: list[str], documents: list[str]) -> float:
        return len(references) * 10 + len(documents)

    whole = batch("a", references=3, documents=2)
    assert [r.value for r in rows(both, whole)] == [32.0]
    assert [r.value for r in rows(seen, whole)] == [30.0]
    assert [r.value for r in rows(measure(needs="documents")(both), whole)] == [2.0]
    assert [r.value for r in rows(measure(needs=())(both), whole)] == [0.0]


def test_nobody_is_held_against_himself() -> None:
    ann = Summary("t", "ann", "x", roles=("peer", "reference"))
    (row,) = rows(seen, TopicBatch(Topic("t"), (ann,), (ann,)))
    assert (math.isnan(row.value), row.why) == (True, "the only reference is by the same system")


def test_what_is_not_there_is_missing() -> None:
    (row,) = rows(letters, batch("a", references=0))
    assert row.why == "the topic has no reference"
    (row,) = rows(letters, batch("a", documents=0))
    assert row.why == "the topic has no document"


def test_a_function_cannot_change_what_the_next_one_sees() -> None:
    @measure(needs="references")
    def greedy(summary: str, references: list[str], documents: list[str]) -> float:
        found = len(references)
        references.clear()
        return found

    assert [r.value for r in rows(greedy, batch("a", "b"))] == [2.0, 2.0]


def failing(summary: str, references: list[str], documents: list[str]) -> float:
    if summary == "bad":
        raise ValueError("no\n  such   word " + "x" * 500)
    return 1.0


def test_a_failure_leaves_one_score_missing_and_says_why() -> None:
    good, bad, again = rows(failing, batch("good", "bad", "good"))
    assert (good.value, again.value) == (1.0, 1.0)
    assert math.isnan(bad.value)
    assert bad.why is not None
    assert bad.why.startswith("mine failed: ValueError: no such word xxx")
    assert len(bad.why) < 250


@pytest.mark.parametrize(
    ("given_back", "why"),
    [
        ("0.5", "mine failed: it gave str, expected a number"),
        (None, "mine failed: it gave NoneType, expected a number"),
        ([0.5], "mine failed: it gave list, expected a number"),
        (1 + 2j, "mine failed: it gave complex, expected a number"),
        (math.nan, "mine failed: it gave nan, expected a finite number"),
        (math.inf, "mine failed: it gave inf, expected a finite number"),
        (10**400, "mine failed: OverflowError: int too large to convert to float"),
    ],
)
def test_what_is_no_number_is_missing(given_back: object, why: str) -> None:
    (row,) = rows(lambda s, r, d: given_back, batch("a"))
    assert math.isnan(row.value)
    assert row.why == why


@pytest.mark.parametrize("number", [1, True, np.float32(1), np.int64(1)])
def test_other_numbers_will_do(number: object) -> None:
    (row,) = rows(lambda s, r, d: number, batch("a"))
    assert (row.value, type(row.value)) == (1.0, float)


def test_what_it_says_of_itself() -> None:
    plain, told = FunctionMeasure("letters", letters, "pack 2.0"), FunctionMeasure("seen", seen)
    assert (str(plain), plain.name, plain.options()) == ("letters", "letters", {})
    assert plain.ABOUT == "How many characters a summary has. And more about it"
    assert plain.needs == {"references", "documents"}
    assert (plain.better, plain.range, plain.CITATION) == ("higher", (None, None), "pack 2.0")
    assert plain.signature("3-4").startswith("letters|refs:3-4|from:pack 2.0|v:")
    assert (told.better, told.range, told.CITATION) == ("lower", (0, 9), "Nobody 1999")
    assert told.info().direction == "lower is better"
    assert seen("a", ["b"], []) == 10  # the decorated function is still a function


def test_it_is_frozen_equal_to_its_like_and_travels_to_other_processes() -> None:
    one = FunctionMeasure("seen", seen)
    assert one == FunctionMeasure("seen", seen) != FunctionMeasure("letters", letters)
    assert len({one, FunctionMeasure("seen", seen)}) == 1
    with pytest.raises(AttributeError):
        one.label = "x"  # type: ignore[misc]
    there = pickle.loads(pickle.dumps(one))
    assert there == one
    assert (there.better, there.needs) == ("lower", {"references"})


def test_it_has_no_options() -> None:
    make = partial(FunctionMeasure, label="letters", function=letters)
    assert build(make, "letters", {}) == FunctionMeasure("letters", letters)
    with pytest.raises(UsageError, match='letters has no option "label".*it has none'):
        build(make, "letters", {"label": "x"})


def test_a_wrong_declaration_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match='needs "units", expected any of: references, documents'):
        measure(needs="units")
    with pytest.raises(UsageError, match='better is "up", expected "higher", "lower" or None'):
        measure(better="up")  # type: ignore[arg-type]


# Entry points


@dataclass(frozen=True)
class Named(Measure):
    FAMILY = "named"
    ABOUT = "a measure"
    CITATION = "a book"


@dataclass(frozen=True)
class Silent(Measure):
    FAMILY = "silent"


@dataclass(frozen=True)
class Demanding(Measure):
    how: str

    FAMILY = "demanding"
    ABOUT = "a measure"
    CITATION = "a book"


NUMBER = 7


def two(summary: str, references: list[str]) -> float:
    return 0.0


def entry(name: str, what: str = "") -> EntryPoint:
    return EntryPoint(name, what if ":" in what else f"{__name__}:{what or name}", "adjudge.measures")


def test_functions_classes_and_partials_are_taken() -> None:
    found = registered({"words": Words}, [entry("letters"), entry("seen"), entry("named", "Named")])
    assert list(found) == ["words", "letters", "seen", "named"]
    assert found["named"] is Named
    assert build(found["seen"], "seen", {}) == FunctionMeasure("seen", seen)


@pytest.mark.parametrize(
    ("name", "what", "said"),
    [
        ("gone", "", "cannot be loaded: AttributeError: "),
        (
            "gone",
            "no_such_module:f",
            "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (
            "number",
            "NUMBER",
            "it is int, expected a function of (summary, references, documents) or a Measure class",
        ),
        ("path", "pathlib:Path", "it is a class, expected a function of"),
        ("two", "two", "cannot be called with (summary, references, documents): too many positional"),
        ("other", "seen", 'the function calls itself "seen"; the two names must be one'),
        ("other", "Named", 'the measure calls itself "named"; the two names must be one'),
        ("silent", "Silent", "does not say what it is: AttributeError: "),
        ("demanding", "Demanding", "it cannot be made without options"),
        ("mine(x=1)", "letters", "a measure's name has no brackets, no colon and no space"),
        ("my:own", "letters", "a measure's name has no brackets, no colon and no space"),
        ("(", "letters", "a measure's name has no brackets, no colon and no space"),
    ],
)
def test_what_is_wrong_with_an_entry_point_is_one_line(name: str, what: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        from_entry_point(entry(name, what))
    message = str(error.value)
    assert message.startswith(f'the entry point "{name}" (')
    assert said in message
    assert "\n" not in message


def test_a_name_belongs_to_one_measure() -> None:
    for known, reserved in (({"letters": Words}, ()), ({}, ("letters",))):
        with pytest.raises(
            UsageError, match='the entry point "letters" .*: there is another measure of that name'
        ):
            registered(known, [entry("letters")], reserved=reserved)
    with pytest.raises(UsageError, match="another measure of that name"):
        registered({}, [entry("letters"), entry("letters", "seen")])


# A real package


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed by pip into a folder of its own, without any network."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
    done = subprocess.run(
        [*command, "--no-build-isolation", "--no-index", "--target", str(target), str(EXAMPLE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


def adjudge(site: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path, "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_installed_package_scores(site: Path, tmp_path: Path) -> None:
    assert adjudge(site, tmp_path, "demo", "e").returncode == 0
    done = adjudge(site, tmp_path, "score", "e", "-m", "unsaid", "-m", "signs(sign=e)", "--json")
    assert done.returncode == 0, done.stderr
    unsaid, signs = json.loads(done.stdout)
    assert unsaid["measure"] == "unsaid"
    assert unsaid["signature"].startswith("unsaid|from:plugin-example 1.0|v:")
    assert signs["measure"] == "signs(sign=e)"
    exported = adjudge(site, tmp_path, "scores", "e", "-m", "unsaid", "--csv", "-")
    found = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert len(found) == unsaid["rows"] > 10
    assert all(0 <= float(row["value"]) <= 1 for row in found)
    assert len({row["value"] for row in found}) > 3
    explained = adjudge(site, tmp_path, "measures", "unsaid")
    assert "Share of the summary's words that no document has. lower is better." in explained.stdout


def test_it_runs_in_other_processes_too(site: Path, tmp_path: Path) -> None:
    assert adjudge(site, tmp_path, "demo", "e").returncode == 0
    done = adjudge(site, tmp_path, "score", "e", "-m", "unsaid", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("unsaid: ")


def test_a_broken_package_is_one_line(site: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    info = broken / "broken_example-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-example\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[adjudge.measures]\nbroken = no_such_module:f\n")
    done = adjudge(broken, tmp_path, "measures")
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .endswith(
            'the entry point "broken" (no_such_module:f of broken-example 0.1): cannot be loaded:'
            " ModuleNotFoundError: No module named 'no_such_module'"
        )
    )
    assert "Traceback" not in done.stderr


# The page


def test_the_page_shows_what_is_installed_here() -> None:
    page = (ROOT / "docs" / "your-own-measure.md").read_text(encoding="utf-8")
    source = (EXAMPLE / "plugin_example.py").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code) == 2
    for block in code:
        ours = re.search(r"^from adjudge.measures import (.*)$", source, re.MULTILINE)
        shown = re.search(r"^from adjudge.measures import (.*)$", block, re.MULTILINE)
        assert ours
        assert shown
        assert set(shown[1].split(", ")) <= set(ours[1].split(", "))
        left = iter(source.splitlines())
        rest = block.replace(shown[0], ours[0]).splitlines()
        assert all(line in left for line in rest)  # line by line, in this order
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert toml == (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")


def test_a_plug_in_needs_the_package_measures_alone() -> None:
    source = (EXAMPLE / "plugin_example.py").read_text(encoding="utf-8")
    imported = re.findall(r"^(?:from|import) (adjudge\S*)", source, re.MULTILINE)
    assert imported == ["adjudge.measures"]
    assert adjudge_measures.Measure is Measure
    assert adjudge_measures.measure is measure
    assert all(hasattr(adjudge_measures, name) for name in adjudge_measures.__all__)
    assert set(adjudge_measures.__all__) <= set(dir(adjudge_measures))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        adjudge_measures.nothing  # noqa: B018
