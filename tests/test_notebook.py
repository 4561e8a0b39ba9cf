"""Results in a notebook: every result shows its headline, its table, notes and signature, as safe HTML."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.test_shape import QUICK

import adjudge
from adjudge.analyses.preferences.strengths import fit_preferences
from adjudge.core.results import Result
from adjudge.core.table import MOST_ROWS, Column, Table, Tabular
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences

FORMS = (
    "as_dict",
    "to_frame",
    "to_csv",
    "to_json",
    "to_markdown",
    "headline",
    "table",
    "__repr__",
    "_repr_html_",
)
"""What all results have from one base; no result writes its own."""
VOID = {"br", "hr", "img", "meta", "link"}
KNOWN = {"p", "strong", "em", "small", "code", "sup", "table", "caption", "thead", "tbody", "tr", "th", "td"}


class Checked(HTMLParser):
    """Every element is closed, none is a script, and the text is collected."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN, tag
        assert all(name in ("style", "colspan") for name, _ in attrs), attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(result: Any) -> str:
    """What a notebook shows of a result, as text."""
    parser = Checked()
    parser.feed(result._repr_html_())
    parser.close()
    assert parser.open == []
    return parser.text


def classes() -> Iterator[type]:
    """Every class of the package."""
    for found in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if found.name.endswith("__main__") or ".migrations." in found.name:
            continue
        module = importlib.import_module(found.name)
        for _, value in inspect.getmembers(module, inspect.isclass):
            if value.__module__ == found.name:
                yield value


def test_every_result_with_a_table_shows_itself_in_a_notebook() -> None:
    """A class with a table of its own for people has everything else from one base."""
    everything = list(classes())
    results = [c for c in everything if issubclass(c, Result) and c.__module__ != Result.__module__]
    assert len(results) > 30
    own = [(c.__name__, name) for c in results for name in FORMS if name in vars(c)]
    assert own == []
    found = [c for c in everything if "table" in vars(c) and "headline" in vars(c) and c is not Result]
    assert [c.__name__ for c in found if not issubclass(c, Tabular)] == []
    for c in found:
        for name in ("to_latex", "to_markdown", "to_frame", "as_dict"):
            assert callable(getattr(c, name, None)), (c.__name__, name)
        assert "__repr__" not in vars(c), c.__name__  # its table, not a dataclass's fields
        assert "_repr_html_" not in vars(c), c.__name__


NAMES = ["<script>alert(1)</script>", "a & b", 'x"y']
ALL = {**QUICK, "compare_all": QUICK["compare"]}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(10, 3)) + np.array([0.0, 0.5, 3.0])
    values[0, 1] = np.nan
    return pd.DataFrame(values, index=[f"<b>t{k}" for k in range(10)], columns=NAMES)


@pytest.mark.parametrize("name", ALL)
def test_results_are_safe_html_with_headline_notes_and_signature(name: str, frame: pd.DataFrame) -> None:
    found: Any = getattr(adjudge, name)(frame, **ALL[name])
    text, table = shown(found), found.table()
    assert text.lstrip().startswith(found.headline()), text[:200]
    for part in (*table.sentences, *table.notes, table.signature):
        assert part in text
    assert "<script>" not in found._repr_html_()
    assert repr(found).startswith(table.to_text())
    assert all(f"note: {note}" in repr(found) for note in table.notes)


def test_preferences_show_themselves_too() -> None:
    rows = [PreferenceRow(NAMES[0], NAMES[1], "left")] * 3 + [PreferenceRow(NAMES[0], NAMES[1], "right")]
    found = fit_preferences(Preferences.of(rows))
    assert shown(found).startswith("Either item may be the best.")
    assert all(
        part in shown(found) for part in (*found.table().sentences, *found.table().notes, found.signature)
    )
    assert "<script>" not in found._repr_html_()


def test_a_display_formatter_takes_it(frame: pd.DataFrame) -> None:
    """IPython's own, where it is there; its rule otherwise: the method of that name, called without arguments."""
    found = adjudge.compare(frame)
    if importlib.util.find_spec("IPython") is None:
        data = {"text/plain": repr(found), "text/html": type(found)._repr_html_(found)}
    else:
        data = importlib.import_module("IPython.core.formatters").DisplayFormatter().format(found)[0]
    assert data["text/plain"] == repr(found)
    assert data["text/html"].count("<table>") == 2  # the league, and the differences of few systems


def test_very_long_tables_are_cut_and_say_so() -> None:
    table = Table("t", (Column("n"),), tuple((k,) for k in range(MOST_ROWS + 20)), sentences=("Many.",))
    html = table._repr_html_()
    assert html.count("<tr>") == MOST_ROWS + 1
    assert "and 20 more rows: to_frame() has all" in html
    assert table.to_html().count("<tr>") == MOST_ROWS + 21
