"""Every figure of the catalogue: it draws what its result says and nothing else, and says how to read it."""

from __future__ import annotations

import shlex
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import called

from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.spec import FigureSpec
from adjudge.analyses.scores import Scores
from adjudge.core.picture import Figure, drawn_text
from adjudge.core.table import is_missing


def drawn_rows(spec: Any) -> Iterator[list[dict[str, Any]]]:
    """Every set of rows that a drawing holds."""
    if isinstance(spec, dict):
        yield from spec.get("datasets", {}).values()
        if isinstance(spec.get("data"), dict) and "values" in spec["data"]:
            yield spec["data"]["values"]
        for key, value in spec.items():
            if key not in ("data", "datasets"):
                yield from drawn_rows(value)
    elif isinstance(spec, list):
        for each in spec:
            yield from drawn_rows(each)


def check_drawn(figure: Figure) -> None:
    """Its rows are those of its frame; its picture is one, and says what it is in words."""
    expected = [
        {
            name: None if is_missing(cell) else drawn_text(cell) if isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        for row in figure.data.to_dict("records")
    ]
    found = list(drawn_rows(figure.spec()))
    assert found
    for rows in found:
        assert rows == expected
    assert expected, figure.name
    assert figure.title
    assert figure.words.endswith(".")
    root = ElementTree.fromstring(figure.to_svg())
    assert root.tag.endswith("svg")
    names = {cell for row in expected for cell in row.values() if isinstance(cell, str)}
    for said in ("".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")):
        if said.endswith("…"):  # a name may be too long for its place, our own words never
            assert any(name.startswith(said[:-1]) for name in names), said
    assert "var(--" in figure.to_page()
    assert figure.to_csv().count("\n") >= len(expected)


@pytest.mark.usefixtures("judgments_once")
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_figure_is_drawn_from_the_demo(
    name: str, shown: Path, read: Scores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = CATALOGUE[name]
    monkeypatch.setattr("adjudge.analyses.scores.read_scores", lambda *given: read)  # once for all figures
    made: list[Figure] = []

    def drawn(self: FigureSpec, scores: Any, options: Any) -> Figure:
        made.append(self.make(scores, options))
        return made[-1]

    monkeypatch.setattr(FigureSpec, "drawn", drawn)
    quicker = ["--topic", "d01"] if name == "preferences-needed" else []
    options = [*shlex.split(spec.example), *quicker, "-o", str(tmp_path / "f.svg")]
    done = called(shown, "figure", name, "my-eval", *options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "f.csv").exists()
    check_drawn(made[0])


def test_names_are_plain_and_lines_are_sentences() -> None:
    for spec in CATALOGUE.values():
        assert spec.name.replace("-", "").isalnum()
        assert spec.name.islower()
        assert spec.about.endswith(".")
