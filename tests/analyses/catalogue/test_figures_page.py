"""The page that shows every figure: it names them all, with the commands that made them and their pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tools.figures_page import LARGEST, PAGE, command_of, draw, page_of, python_of

import adjudge.analyses.catalogue.catalogue as catalogue
from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.spec import FigureSpec


def sections() -> dict[str, str]:
    parts = re.split(r"^## (\S+)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_page_shows_every_figure_in_the_order_of_the_catalogue() -> None:
    assert list(sections()) == list(CATALOGUE), "run: python tools/figures_page.py"


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_figure_has_its_command_and_its_picture(name: str) -> None:
    spec, text = CATALOGUE[name], sections()[name]
    assert f"\n    {command_of(spec)}\n" in text
    assert spec.about in text
    assert spec.after in text
    assert f"`{python_of(spec)}`" in text
    (picture,) = re.findall(rf"!\[[^\]]+\]\((figures/{name}\.svg)\)", text)
    assert 0 < (PAGE.parent / picture).stat().st_size <= LARGEST


def test_no_picture_is_left_over() -> None:
    kept = {p.stem for p in (PAGE.parent / "figures").iterdir()}
    assert kept == set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_call_in_python_asks_for_what_the_command_asks_for(
    name: str, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options reach the figure alike, whatever it then draws."""
    from tools.figures_evaluation import adjudge as run

    asked: list[Any] = []

    class Noted(Exception):
        pass

    def note(self: FigureSpec, scores: Any, options: Any) -> None:
        asked.append({k: v for k, v in vars(options).items() if k != "progress"})
        raise Noted

    monkeypatch.setattr(FigureSpec, "drawn", note)
    monkeypatch.setattr("adjudge.analyses.scores.read_scores", lambda *given: None)
    monkeypatch.setattr("adjudge.analyses.scores.scores_of", lambda source, **how: None)
    monkeypatch.chdir(shown)
    with pytest.raises(Noted):
        run(shown, *command_of(CATALOGUE[name]).split()[1:])
    with pytest.raises(Noted):
        eval(python_of(CATALOGUE[name]), {"adjudge": catalogue})
    assert asked[0] == asked[1]


def test_a_figure_is_drawn_for_the_page(shown: Path, tmp_path: Path) -> None:
    made = draw(shown, CATALOGUE["forest"], tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["forest.svg"]
    text = page_of([made])
    assert f"![{made.title}]({tmp_path.name}/forest.svg)" in text
    assert f"> {made.words}" in text


def test_a_picture_that_is_too_large_for_the_documentation_is_refused(
    shown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.figures_page.LARGEST", 1)
    with pytest.raises(SystemExit, match=r"^forest\.svg has [\d,]+ bytes, more than 1$"):
        draw(shown, CATALOGUE["forest"], tmp_path)
