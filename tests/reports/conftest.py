"""Small comparisons, and pages as trees: shared by the tests of the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.browsing import launch

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.tests import Test
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import Better, MeasureInfo, Score, ScoreTable


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of this folder; it ends with them, since Playwright runs once at a time."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


VOID = {"meta", "link", "br", "img", "hr", "input"}
Values = Mapping[str, Sequence[float]]


CELLS, ROWS = ("td", "th"), ("td", "th", "tr")
IMPLIED: dict[str, tuple[str, ...]] = {
    "td": CELLS,
    "th": CELLS,
    "tr": ROWS,
    "/tr": CELLS,
    "/thead": ROWS,
    "/tbody": ROWS,
}
"""The end tags that HTML lets a page leave out, by the tag that implies them."""


class Tree(HTMLParser):
    """HTML as an ElementTree; an element that is not closed in its turn is an error, but for cells and rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self.open: list[str] = []
        self.builder.start("page", {})
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        self.builder.end("page")
        self.root = self.builder.close()

    def imply(self, tag: str) -> None:
        while self.open and self.open[-1] in IMPLIED.get(tag, ()):
            self.builder.end(self.open.pop())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.imply(tag)
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.imply(f"/{tag}")
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        self.builder.data(data)


@pytest.fixture
def parse() -> Callable[[str], Element]:
    return lambda text: Tree(text).root


@pytest.fixture
def compared() -> Callable[..., Comparison]:
    """A comparison from columns of scores; a NaN is missing, "no summary"."""

    def make(
        columns: Values,
        *,
        measure: str = "rouge-2",
        better: Better = "higher",
        topics: Sequence[str] = (),
        length: int | None = None,
        test: Test | None = "wilcoxon",
        seed: int = 0,
        alpha: float = 0.05,
    ) -> Comparison:
        rows = [
            Score.missing(measure, topic, system, "no summary", length)
            if math.isnan(value)
            else Score(measure, topic, system, value, length)
            for system, values in columns.items()
            for topic, value in zip(topics or [f"t{k}" for k in range(len(values))], values, strict=True)
        ]
        table = ScoreTable.from_rows(rows, [MeasureInfo(measure, better)])
        chosen = Compare(test=test, seed=seed, resamples=200, alpha=alpha)
        return compare_matrix(table.matrix(measure), chosen)

    return make


@pytest.fixture
def three() -> Values:
    """Ten topics: good beats fair and bad on each; fair and bad cannot be told apart."""
    fair = [0.30, 0.32, 0.34, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48]
    bad = [v + (0.01 if k % 2 else -0.0125) for k, v in enumerate(fair)]
    return {"good": [v + 0.2 + k / 100 for k, v in enumerate(fair)], "fair": fair, "bad": bad}


@pytest.fixture
def empty() -> Collection:
    return Collection(Settings("Nothing but scores"), {}, {}, {}, {})


@pytest.fixture
def news() -> Collection:
    """Two topics, three systems of three kinds, four references in all."""
    topics = {"t0": Topic("t0", title="A flood"), "t1": Topic("t1")}
    systems = {
        "good": System("good", label="The good one"),
        "fair": System("fair", kind="baseline"),
        "bad": System("bad", kind="human", label="Bad"),
    }
    documents = {"t0": [Document("t0", "a", "x"), Document("t0", "b", "x")], "t1": [Document("t1", "a", "x")]}
    summaries = {
        t: [Summary(t, s, "x", 100) for s in systems]
        + [Summary(t, who, "x", 100, ("reference",)) for who in ("ada", "ben")]
        for t in topics
    }
    return Collection(Settings("News", lengths=(100,)), topics, systems, documents, summaries)
