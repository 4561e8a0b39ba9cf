"""Names and texts of strangers stay text: in pages, pictures, tables and papers."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree.ElementTree import Element, fromstring

import pytest
from tests.reports.conftest import Tree
from tests.reports.hostile import (
    ASSESSORS,
    AUTOMATIC,
    HTML,
    MARK,
    SYSTEMS,
    UNPRINTABLE,
    hostile_evaluation,
    hostile_frame,
)
from tests.reports.latex import problems_of

import adjudge
from adjudge.analyses.judges import judge_report
from adjudge.analyses.judges.page import write_dossiers
from adjudge.analyses.meta import meta
from adjudge.analyses.meta.page import meta_page
from adjudge.analyses.pages.parts import render_parts
from adjudge.analyses.pages.render import shown
from adjudge.core.picture import drawn_text
from adjudge.evaluation import report
from adjudge.reports.paper import FolderFigure, drawn_figures

Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def hostile(once: Once) -> Path:
    """The evaluation `e` with its report and its paper, and the paper's figures as SVG."""

    def fill(folder: Path) -> None:
        e = hostile_evaluation(folder / "e")
        figures: list[FolderFigure] = []

        def kept(*given: Any, **options: Any) -> tuple[list[FolderFigure], dict[str, str]]:
            drawn, absent = drawn_figures(*given, **options)
            figures.extend(drawn)
            return drawn, absent

        with mock.patch("adjudge.reports.paper.drawn_figures", kept):
            e.report(folder / "report", paper=folder / "paper")
        (folder / "svg").mkdir()
        for each in figures:
            (folder / "svg" / f"{each.name}.svg").write_text(each.figure.to_svg(), encoding="utf-8")
            (folder / "svg" / f"{each.name}-page.svg").write_text(each.figure.to_page(), encoding="utf-8")

    return once("hostile", fill)


def elements(page: str) -> Iterator[Element]:
    """Every element; a tag from data would be one more, and would leave others unclosed."""
    yield from Tree(page).root.iter()


OWN = frozenset(
    re.findall(
        r"\w+",
        "page html head meta link title style body header main footer section nav h1 h2 h3 h4 p a div span strong em i"
        " b sup code pre ul ol li dl dt dd table caption thead tbody tr th td details summary figure figcaption svg g"
        " path text tspan rect line circle polygon polyline defs clippath lineargradient stop use script select option"
        " label input button mark small time abbr blockquote q br hr form fieldset legend template output article",
    )
)
"""Elements that our templates may have; `img` and `u`, which names here try to make, are none."""


def check_page(page: str) -> None:
    for element in elements(page):
        assert element.tag in OWN, element.tag
        for name, value in element.attrib.items():
            assert not name.startswith("on"), f"<{element.tag} {name}>"
            assert MARK not in name
            if name in ("class", "id", "src", "style"):
                assert MARK not in value or re.fullmatch(r"[a-z0-9-]+", value), (
                    f"<{element.tag} {name}={value}>"
                )
            if name == "href":
                assert re.match(r"#|data:,|[\w.-]+$|[\w./-]+$", value), value
        if element.tag == "script" and element.get("type") != "application/json":
            assert MARK not in (element.text or "")
        if element.tag == "style":
            assert MARK not in (element.text or "")
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)


def cells(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            yield from row


def check_csv(path: Path) -> None:
    for cell in cells(path):
        if re.match(r"[=+\-@\t\r]", cell):
            float(cell)  # a number; anything else would be run as a formula


def test_the_evaluation_is_hostile(hostile: Path) -> None:
    """What is held below would be broken by these names."""
    page = (hostile / "report" / "index.html").read_text(encoding="utf-8")
    assert HTML[0] not in page
    assert "&lt;script&gt;" in page
    with pytest.raises(AssertionError):
        check_page(page.replace("</main>", f"{HTML[1]}</main>"))
    with pytest.raises(AssertionError):
        check_page(page.replace("</main>", "<p onclick='x'>x</p></main>"))
    with pytest.raises(AssertionError):
        check_page(page.replace("</main>", f"<p>{UNPRINTABLE[0]}</p></main>"))
    assert {s.system for s in adjudge.open(hostile / "e").collection.all_summaries()} >= set(SYSTEMS)


def test_the_report_has_no_element_or_attribute_from_data(hostile: Path) -> None:
    check_page((hostile / "report" / "index.html").read_text(encoding="utf-8"))


def test_no_cell_of_a_csv_file_is_a_formula(hostile: Path) -> None:
    files = [*(hostile / "report").glob("*.csv"), *(hostile / "paper").rglob("*.csv")]
    assert len(files) > 20
    for path in files:
        check_csv(path)
    assert any("'=1+1" in set(cells(path)) for path in files)


def test_the_paper_is_escaped_and_whole(hostile: Path) -> None:
    assert problems_of(hostile / "paper") == []


def test_the_latex_beside_the_page_is_escaped(hostile: Path) -> None:
    for path in (hostile / "report").glob("*.tex"):
        text = path.read_text(encoding="utf-8")
        assert r"\input{/etc" not in text.replace("% ", "")
        assert r"\undefined{" not in re.sub("(?m)^%.*$", "", text)


def test_figures_are_well_formed(hostile: Path) -> None:
    figures = list((hostile / "svg").iterdir())
    assert len(figures) == 2 * len(list((hostile / "paper" / "figures").glob("*.pdf"))) > 20
    for path in figures:
        check_svg(fromstring(path.read_text(encoding="utf-8")))


def check_svg(root: Element) -> None:
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "a", "style")
        assert not any(name.startswith("on") or name.endswith("href") for name in element.attrib)


def test_names_of_a_table_may_be_anything(tmp_path: Path) -> None:
    """A file of scores is read as it is: its names may hold tabs, line breaks and signs that turn the text."""
    frame = hostile_frame(unprintable=True)
    index, *rest = report(frame, tmp_path / "report", paper=tmp_path / "paper", quick=True)
    check_page(index.read_text(encoding="utf-8"))
    for path in rest:
        if path.suffix == ".csv":
            check_csv(path)
    assert problems_of(tmp_path / "paper") == []


def test_pages_of_meta_and_judges_have_nothing_from_data(tmp_path: Path) -> None:
    frame = hostile_frame()
    found = meta(
        frame, AUTOMATIC, parts="correlations,ceiling,accuracy", resamples=20, levels="system", length=50
    )
    check_page(render_parts(meta_page(found)))
    judged = judge_report(frame, ASSESSORS[0], parts="agreement", resamples=20, length=50)
    for path in write_dossiers(judged, tmp_path):
        if path.suffix == ".html":
            check_page(path.read_text(encoding="utf-8"))
        elif path.suffix == ".csv":
            check_csv(path)


def test_signs_that_labels_cannot_be_cut_at_are_drawn_as_numbers() -> None:
    assert drawn_text("good 👍") == "good 👍"
    assert drawn_text("a long name with 👍") == "a long name with [1F44D]"


def test_control_characters_are_shown_and_turns_go() -> None:
    assert shown("a\x00b\x1b[31m\u202ecba\u202c\u2067x\u2069\n\tשלום") == "a\ufffdb\ufffd[31mcbax\n\tשלום"
