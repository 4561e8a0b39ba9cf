"""The page as HTML, and the files on disk."""

from __future__ import annotations

import hashlib
import random
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.chapter import Chapter
from adjudge.analyses.slices.chapter import SlicesContent
from adjudge.core.errors import ClashError, DataError
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import System, Topic
from adjudge.reports.page import build_page
from adjudge.reports.render import render, script, write_report
from adjudge.reports.sections import MOST_PAIRS, MOST_SYSTEMS

Make = Callable[..., Comparison]
Values = Mapping[str, Sequence[float]]
Parse = Callable[[str], Element]
NAN = float("nan")


def text(element: Element | None) -> str:
    assert element is not None
    return " ".join("".join(element.itertext()).split())


def tables(root: Element, kind: str) -> list[Element]:
    return [t for t in root.iter("table") if kind in t.get("class", "").split()]


def body_rows(table: Element) -> list[list[str]]:
    return [[text(cell) for cell in row] for row in table.iterfind("tbody/tr")]


def test_a_page_of_one_measure(compared: Make, three: Values, news: Collection, parse: Parse) -> None:
    comparison = compared(three)
    page = build_page(news, [comparison], notes={"rouge-2": ["out of date"]}, made_at="5 May 2026")
    root = parse(render(page))
    html = root.find("html")
    assert html is not None
    assert html.get("lang") == "en"
    assert text(html.find("head/title")) == "News · Adjudge report"
    assert text(html.find(".//h1")) == "News"
    assert text(html.find(".//*[@class='headline']")) == page.sections[0].headline
    assert text(html.find(".//code[@class='signature']")) == comparison.signature
    assert "out of date" in text(html.find(".//ul[@class='notes']"))
    assert "5 May 2026" in text(html.find(".//header"))
    assert "adjudge report ." in text(html.find(".//footer//pre"))
    assert html.find(".//nav") is None  # one measure needs no contents
    (league,) = tables(root, "league")
    (good, *_) = body_rows(league)
    assert good[:4] == ["1", "The good one machine", "10", "0.635"]
    assert good[5].startswith("a")
    (pairs,) = tables(root, "pairs")
    assert [row[0] for row in body_rows(pairs)] == ["The good one", "fair"]
    cell = pairs.find("tbody/tr/td")
    assert cell is not None
    assert "p = .006" in text(cell)  # for readers of screens; a script shows it to whoever points there
    (heat,) = tables(root, "heat")
    assert len(body_rows(heat)) == 10
    assert [text(th) for th in heat.iterfind("thead/tr/th")] == ["Topic", "The good one", "fair", "Bad"]


def test_every_table_has_a_caption_and_its_heads_a_scope(
    compared: Make, three: Values, empty: Collection, parse: Parse
) -> None:
    root = parse(render(build_page(empty, [compared(three), compared(three, measure="x")])))
    found = list(root.iter("table"))
    assert len(found) == 10
    for table in found:
        assert text(table.find("caption"))
        assert all(th.get("scope") in ("col", "row") for th in table.iter("th"))
    boxes = [e for e in root.iter("div") if "scroll" in e.get("class", "").split()]
    assert len(boxes) == 10
    assert all(box.get("tabindex") == "0" and box.get("role") == "region" for box in boxes)
    assert len({box.get("aria-label") for box in boxes}) == 10


def test_several_measures_have_contents_that_lead_somewhere(
    compared: Make, three: Values, empty: Collection, parse: Parse
) -> None:
    words = compared(three, measure="words", better=None)
    root = parse(render(build_page(empty, [compared(three), words])))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(set(ids)) == len(ids)
    nav = root.find(".//nav")
    assert nav is not None
    assert [text(a) for a in nav.iter("a")] == [
        "Which systems are better, and how sure are we?",
        "Where do they differ?",
    ]
    inside = [a.get("href", "") for a in root.iter("a") if a.get("href", "").startswith("#")]
    assert inside
    assert {href[1:] for href in inside} <= set(ids)
    (overview,) = tables(root, "overview")
    assert body_rows(overview)[0] == ["good", "1 a", "0.635"]
    league, description = tables(root, "league")
    assert text(league.find("thead/tr/th")) == "Rank"
    heads = [text(th) for th in description.iterfind("thead/tr/th")]
    assert heads[0] == "System"
    assert "Groups" not in heads
    assert len(tables(root, "pairs")) == 1


def test_names_are_text_and_nothing_else(compared: Make, parse: Parse) -> None:
    evil = "<script>alert(1)</script>"
    hook = '" onmouseover="alert(2)" x="'
    collection = Collection(
        Settings(evil, language=hook),
        {evil: Topic(evil, title=hook), "t": Topic("t")},
        {evil: System(evil, label=f"{evil}!"), hook: System(hook, kind="human")},
        {},
        {},
    )
    comparison = compared({evil: [0.5, NAN], hook: [0.4, 0.3]}, topics=[evil, "t"], measure=evil)
    page = build_page(collection, [comparison], notes={evil: [evil]}, made_at=hook)
    root = parse(render(page))
    assert [text(each) for each in root.iter("script")] == [" ".join(script().split())]  # ours, and no other
    assert not [e for e in root.iter() for name in e.attrib if name.startswith("on")]
    assert text(root.find(".//h1")) == evil
    assert f"{evil}!" in text(tables(root, "league")[0])
    assert hook.strip() in text(tables(root, "league")[0])
    assert evil in text(tables(root, "heat")[0])
    assert text(root.find(".//ul[@class='notes']/li")) == evil


def test_nothing_is_fetched_and_no_other_script_runs(
    compared: Make, three: Values, news: Collection, parse: Parse
) -> None:
    page = render(build_page(news, [compared(three)]))
    root = parse(page)
    assert not [e for e in root.iter() if e.tag in ("img", "iframe", "object")]
    assert [e.get("href") for e in root.iter("link")] == ["data:,"]
    assert not [e for e in root.iter() if e.get("src")]
    assert "@import" not in page
    assert "url(" not in page
    assert "http://" not in page
    assert "https://" not in page
    policy = root.find(".//meta[@http-equiv='Content-Security-Policy']")
    assert policy is not None
    allowed = dict(part.strip().split(" ", 1) for part in policy.get("content", "").split(";"))
    assert allowed["default-src"] == "'none'"
    (inside,) = root.iter("script")
    digest = b64encode(hashlib.sha256((inside.text or "").encode()).digest()).decode()
    assert allowed["script-src"] == f"'sha256-{digest}'"


def test_missing_cells_are_hatched_and_say_why(compared: Make, empty: Collection, parse: Parse) -> None:
    root = parse(render(build_page(empty, [compared({"a": [0.5, NAN], "b": [0.4, 0.3]})])))
    (heat,) = tables(root, "heat")
    (gap,) = [td for td in heat.iter("td") if td.get("class") == "gap"]
    assert text(gap) == "missing: no summary"


def test_one_system_and_one_topic(compared: Make, empty: Collection, parse: Parse) -> None:
    root = parse(render(build_page(empty, [compared({"a": [0.5]})])))
    (league,) = tables(root, "league")
    assert body_rows(league) == [["1", "a", "1", "0.500", "needs two topics"]]
    assert not tables(root, "pairs")
    assert root.find(".//dl") is None  # nothing is known of this evaluation


def test_the_same_page_is_the_same_bytes(compared: Make, three: Values, news: Collection) -> None:
    first, second = (render(build_page(news, [compared(three)])) for _ in range(2))
    assert first == second


def test_a_large_page_stays_small(compared: Make, empty: Collection, parse: Parse) -> None:
    rng = random.Random(1)
    columns = {f"system-{s:02}": [rng.gauss(s / 50, 0.3) for _ in range(300)] for s in range(70)}
    page = render(build_page(empty, [compared(columns)]))
    assert len(page.encode()) < 1_500_000
    root = parse(page)
    assert len(body_rows(tables(root, "heat")[0])) == 200
    assert len(body_rows(tables(root, "league")[0])) == 70
    assert not tables(root, "pairs")
    assert "the 200 on which the systems lie furthest apart" in page
    assert len(body_rows(tables(root, "pair-list")[0])) == MOST_PAIRS
    assert f"{MOST_PAIRS} of 2,415 pairs as a table" in page


def test_the_largest_page_stays_under_five_megabytes(compared: Make, empty: Collection) -> None:
    """60 systems x 100 topics x 20 measures, and the most systems that have a table of all pairs."""
    rng = random.Random(1)

    def size(systems: int) -> int:
        columns = {f"system-{s:02}": [rng.gauss(s / 50, 0.3) for _ in range(100)] for s in range(systems)}
        one, two = (compared(columns, measure=f"measure-{m}") for m in range(2))
        pages = [len(render(build_page(empty, each)).encode()) for each in ([one, two], [one])]
        return pages[1] + 19 * (pages[0] - pages[1])  # a measure more costs always the same

    assert size(60) < 4_500_000
    assert size(MOST_SYSTEMS) < 4_500_000


def test_files_are_written_and_replaced(
    compared: Make, three: Values, news: Collection, tmp_path: Path
) -> None:
    page = build_page(news, [compared(three)])
    folder = tmp_path / "new" / "report"
    paths = write_report(page, folder)
    assert paths[0] == folder / "index.html"
    assert {path.name for path in paths} == {path.name for path in folder.iterdir()}
    assert paths[0].read_text(encoding="utf-8") == render(page)
    for section in page.sections:
        for table in section.tables:
            assert (folder / table.name).read_bytes() == table.text.encode()
    (folder / "mine.txt").write_text("kept", encoding="utf-8")
    write_report(replace(page, name="Again"), folder)
    assert '<h1 class="name">Again</h1>' in paths[0].read_text(encoding="utf-8")
    assert (folder / "mine.txt").read_text(encoding="utf-8") == "kept"


def test_every_link_to_a_file_has_its_file(
    compared: Make, three: Values, empty: Collection, parse: Parse, tmp_path: Path
) -> None:
    page = build_page(empty, [compared(three), compared(three, measure="words", better=None)])
    names = {path.name for path in write_report(page, tmp_path)}
    links = {a.get("href", "") for a in parse(render(page)).iter("a")}
    assert {link for link in links if not link.startswith("#")} == names - {"index.html"}


def test_a_file_is_no_folder(compared: Make, three: Values, empty: Collection, tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(ClashError, match="report: is a file, expected a folder or nothing") as caught:
        write_report(build_page(empty, [compared(three)]), file)
    assert "\n" not in str(caught.value)
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_link_in_the_place_of_a_draft_is_not_followed(
    compared: Make, three: Values, empty: Collection, tmp_path: Path
) -> None:
    mine, folder = tmp_path / "mine.txt", tmp_path / "report"
    mine.write_text("precious")
    folder.mkdir()
    (folder / ".index.html.draft").symlink_to(mine)
    (folder / "index.html").symlink_to(mine)
    write_report(build_page(empty, [compared(three)]), folder)
    assert mine.read_text() == "precious"
    assert "<html" in (folder / "index.html").read_text(encoding="utf-8")


def test_what_cannot_be_written_is_one_line_and_leaves_no_drafts(
    compared: Make, three: Values, empty: Collection, tmp_path: Path
) -> None:
    (tmp_path / "index.html" / "x").mkdir(parents=True)
    with pytest.raises(DataError, match="the report cannot be written") as caught:
        write_report(build_page(empty, [compared(three)]), tmp_path)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob(".*"))


def test_every_measure_is_a_line_and_is_folded_below(
    compared: Make, three: Values, empty: Collection, parse: Parse
) -> None:
    js, words = compared(three, measure="js", better="lower"), compared(three, measure="words", better=None)
    root = parse(render(build_page(empty, [compared(three), js, words])))
    (table,) = tables(root, "all")
    assert body_rows(table) == [
        ["rouge-2", "good", "2 of 3", "10", "–"],
        ["js lower is better", "bad and fair", "2 of 3", "10", "–"],
        ["words a description, no direction", "–", "–", "10", "–"],
    ]
    panels = {each.get("id"): each for each in root.iter("details") if each.get("class") == "panel"}
    assert list(panels) == ["js", "words", "js-where", "words-where"]  # the first answers, and is not folded
    assert " bad, fair " in text(panels["js"])  # the headline: whom nobody is better than
    assert not [name for name, each in panels.items() if each.get("open") is not None]


def test_a_length_is_said_once_for_its_measures(compared: Make, three: Values, empty: Collection) -> None:
    def at(length: int, measure: str) -> Comparison:
        made = compared(three, measure=measure)
        return replace(made, matrix=replace(made.matrix, length=length))

    page = build_page(empty, [at(length, measure) for length in (100, 50) for measure in ("a", "b")])
    assert page.all_measures is not None
    groups = [(group.target, [line.name for line in group.lines]) for group in page.all_measures.groups]
    assert groups == [("100 words", ["a", "b"]), ("50 words", ["a", "b"])]


def test_chapters_are_headed_alike_and_parts_stand_within_theirs(
    compared: Make, three: Values, empty: Collection, parse: Parse
) -> None:
    content = SlicesContent((), "")
    part = Chapter(
        "slices", "And on some topics?", (), "analyses/slices/chapter.html.j2", content, part_of="where"
    )
    own = Chapter("chapter-x", "And then?", ("Then this.",), "analyses/slices/chapter.html.j2", content)
    root = parse(render(build_page(empty, [compared(three)], chapters=[part, own])))
    heads = [text(h) for h in root.iter("h2") if h.get("class") == "question"]
    assert heads == ["Which systems are better, and how sure are we?", "Where do they differ?", "And then?"]
    nav = root.find(".//nav")
    assert nav is not None
    assert [text(a) for a in nav.iter("a")] == heads
    assert "And on some topics?" in [text(h) for h in root.iter("h3")]
