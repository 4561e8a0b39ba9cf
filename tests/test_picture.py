"""The foundation of all figures: files, themes, the page's colours, and text that comes from anywhere."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from importlib import import_module
from itertools import combinations
from math import dist
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
import pytest
from tests.cli.running import called

from adjudge.core.errors import ClashError, DataError, UsageError
from adjudge.core.picture import (
    ACCENT,
    GOOD,
    GRID,
    HEAT,
    HEAT_INK_HIGH,
    HEAT_INK_LOW,
    INK,
    MARK,
    PAPER,
    PLAIN,
    SCALE,
    SERIES,
    SHAPES,
    SOFT,
    WIDTHS,
    Figure,
    Pictured,
    Width,
    drawn_text,
    figure_of,
    heat_step,
    in_order,
)

if TYPE_CHECKING:
    import altair as alt

foundation = import_module("adjudge.core.picture")
TOKENS = Path(str(foundation.__file__)).parent / "tokens.css"
COLOURS = (
    *(INK, SOFT, GRID, PAPER, ACCENT, MARK, GOOD, PLAIN, HEAT_INK_LOW, HEAT_INK_HIGH),
    *HEAT,
    *SERIES,
)
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a & b ]]> <!-- c",
    "nul\x00 bell\x07 form\x0c",
    "right\u202eto left",
    "no such sign \ufffe",
    "line\u2028end",
    '"#1d1d1f"',
    "#ffffff",
    'fill="#1d1d1f"',
    "=HYPERLINK(1)",
    "e\u0301 漢字 🙂",
]


def every_colour() -> Figure:
    """A picture that draws with every colour there is."""
    import altair as alt

    data = pd.DataFrame({"name": [f"n{k}" for k in range(len(COLOURS))], "value": range(len(COLOURS))})

    def drawing(base: alt.Chart) -> Any:
        scale = alt.Scale(domain=list(data["name"]), range=list(COLOURS))
        return base.mark_bar().encode(
            x="name:N", y="value:Q", color=alt.Color("name:N", scale=scale, legend=None)
        )

    return figure_of("colours", "All colours", "Every bar has its own.", data, drawing)


def named(names: list[str], title: str = "Means", words: str = "A bar is a mean.") -> Figure:
    import altair as alt

    data = pd.DataFrame({"name": names, "value": [k + 0.5 for k in range(len(names))]})

    def drawing(base: alt.Chart) -> Any:
        x = alt.X("name:N", sort=in_order(names))
        return base.mark_bar().encode(x=x, y="value:Q") + base.mark_text().encode(x=x, text="name:N")

    return figure_of("means", title, words, data, drawing)


def colours_in(svg: str) -> set[str]:
    """What is drawn with; what is not drawn at all is left out."""
    return set(re.findall(r' (?:fill|stroke)="([^"]+)"', svg)) - {"none", "transparent"}


# Files


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")]
)
def test_the_ending_says_the_format_and_the_rows_lie_beside(
    tmp_path: Path, ending: str, start: bytes
) -> None:
    path = tmp_path / "new" / "folder" / f"f.{ending}"
    files = named(["a", "b"]).save(path)
    assert files == [path, path.with_suffix(".csv")]
    assert path.read_bytes().startswith(start)
    assert files[1].read_text(encoding="utf-8") == "name,value\na,0.5\nb,1.5\n"


def test_text_has_its_size_and_room_for_wider_letters() -> None:
    from vl_convert import vegalite_to_svg

    figure = named(["a long name of a system that has many letters", "b"])
    roomy, tight = (
        ElementTree.fromstring(text) for text in (figure.to_svg(), vegalite_to_svg(figure.spec()))
    )
    texts = [[e for e in root.iter() if e.tag.endswith("}text")] for root in (roomy, tight)]
    assert [e.get("font-size") for e in texts[0]] == [e.get("font-size") for e in texts[1]]
    assert [e.text for e in texts[0]] == [e.text for e in texts[1]]
    more = float(roomy.get("height", 0)) - float(tight.get("height", 0))  # names stand upright
    assert more > 0.1 * 190


def bars(names: list[str]) -> Figure:
    """Values in lines beside their names, with numbers at the right end of the field."""
    import altair as alt

    data = pd.DataFrame({"name": names, "value": [k + 0.5 for k in range(len(names))]})

    def drawing(base: alt.Chart) -> Any:
        y = alt.Y("name:N", sort=in_order(names))
        numbers = base.mark_text(align="left").encode(x=alt.value(410), y=y, text="value:Q")
        return alt.layer(base.mark_point().encode(x="value:Q", y=y), numbers, width=400)

    return figure_of(
        "values", "Values of many things by their names", "A point is a value. " * 6, data, drawing
    )


def size_of(svg: str) -> tuple[float, float]:
    ((width, height),) = re.findall(r'^<svg [^>]*? width="([\d.]+)" height="([\d.]+)"', svg)
    return float(width), float(height)


@pytest.mark.parametrize("width", ["column", "page", "slide"])
def test_a_picture_is_as_wide_as_asked_for_and_letters_keep_their_size(width: Width) -> None:
    figure = bars(["a system with a name", "b", "c"])
    svg, usual = figure.to_svg(width=width), figure.to_svg()
    assert size_of(svg)[0] == pytest.approx(WIDTHS[width], abs=0.1)
    assert size_of(usual)[0] not in WIDTHS.values()
    # The field makes the width, so that hardly anything is left to scale.
    box = re.findall(r'viewBox="0 0 ([\d.]+)', svg)
    assert float(box[0]) == pytest.approx(WIDTHS[width], rel=0.05)
    png = figure.to_png(width=width)
    assert int.from_bytes(png[16:20], "big") == pytest.approx(SCALE * WIDTHS[width], abs=SCALE)
    fields = [figure.spec(width=400, field=field)["width"] for field in (0.5, 1, 2)]
    assert fields == [200, 400, 800]
    ends = [figure.spec(width=400, field=field)["layer"][1]["encoding"]["x"]["value"] for field in (0.5, 2)]
    assert ends == [210, 810]


def test_a_picture_whose_labels_are_wider_than_asked_for_is_made_smaller() -> None:
    figure = bars(["a very long name of a system " * 3, "b"])
    svg = figure.to_svg(width="column")
    assert size_of(svg)[0] == pytest.approx(WIDTHS["column"], abs=0.1)


def test_a_width_without_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected column, page, slide"):
        bars(["a", "b"]).save(tmp_path / "f.svg", width="poster")  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [20, 60])
def test_a_legend_has_room_for_its_labels(length: int) -> None:
    names = [f"{letter * (length - 1)}." for letter in "xyz"]

    def drawing(base: alt.Chart) -> Any:
        import altair as alt

        colour = alt.Color("name:N", scale=alt.Scale(domain=names, range=list(SERIES[:3])))
        return base.mark_point().encode(x="k:Q", color=colour, shape=alt.Shape("name:N"))

    drawn = figure_of("f", "Points", "So.", pd.DataFrame({"k": [1, 2, 3], "name": names}), drawing).to_svg()
    assert all(f">{name}</text>" in drawn for name in names)


def test_a_legend_is_no_wider_than_its_figure() -> None:
    def drawing(base: alt.Chart) -> Any:
        return base.mark_point().encode(x="k:Q", color="name:N")

    data = pd.DataFrame({"k": [1, 2], "name": ["m" * 300, "short"]})
    drawn = figure_of("f", "Points", "So.", data, drawing).to_svg()
    (width,) = re.findall(r'^<svg [^>]*? width="([\d.]+)"', drawn)
    assert "mmm…</text>" in drawn
    assert float(width) < 1.18 * 700


def test_an_ending_may_be_in_capitals(tmp_path: Path) -> None:
    assert named(["a"]).save(tmp_path / "F.SVG")[0].read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("name", ["f.jpeg", "f", "f.csv", "f.svg.gz"])
def test_other_endings_are_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"a figure ends in \.svg, \.png, \.pdf or \.json"):
        named(["a"]).save(tmp_path / "new" / name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClashError, match="file: is a file, expected a folder or nothing"):
        named(["a"]).save(tmp_path / "file" / "new" / "f.svg")
    (tmp_path / "f.svg").mkdir()
    with pytest.raises(ClashError, match="f.svg: is a folder, expected a file or nothing"):
        named(["a"]).save(tmp_path / "f.svg")
    (tmp_path / "rows.csv").mkdir()
    with pytest.raises(DataError, match="cannot be written"):
        named(["a"]).save(tmp_path / "rows.svg")


def test_the_title_stands_in_pictures_and_not_in_a_papers_pdf(tmp_path: Path) -> None:
    figure = named(["a"], title="A title of its own", words="Words below.")
    assert ">A title of its own<" in figure.to_svg()
    assert ">Words below.<" in figure.to_svg()
    assert ">A title of its own<" not in figure.to_svg(title=False)
    assert len(figure.to_pdf(title=True)) > len(figure.to_pdf())
    spec = json.loads(figure.save(tmp_path / "f.json", title=False)[0].read_text(encoding="utf-8"))
    assert "title" not in spec
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_a_long_title_is_broken_into_lines() -> None:
    spec = named(["a"], title="word " * 60, words="word " * 100).spec()
    assert len(spec["title"]["text"]) > 2
    assert all(len(line) <= 92 for line in (*spec["title"]["text"], *spec["title"]["subtitle"]))


@pytest.mark.parametrize("name", ["scores.svg", "scores.png"])
def test_scores_are_not_written_over_by_the_rows_of_their_picture(tmp_path: Path, name: str) -> None:
    scores = tmp_path / "scores.csv"
    rows = [f"rouge-2,t{t},{s},{(t * k) % 7 / 10}" for t in range(6) for k, s in enumerate("abc", 2)]
    scores.write_text("measure,topic,system,value\n" + "\n".join(rows) + "\n")
    before = scores.read_text()
    done = called(tmp_path, "figure", "forest", "scores.csv", "-o", name)
    assert done.returncode == 2
    assert "scores.csv is what is read, and would be written over: give -o another name" in done.stderr
    scores.rename(tmp_path / "figures.csv")
    (tmp_path / "out").mkdir()
    (tmp_path / "figures.csv").rename(tmp_path / "out" / "forest.csv")
    done = called(tmp_path, "figure", "all", "out/forest.csv", "-o", "out")
    assert done.returncode == 2
    assert (tmp_path / "out" / "forest.csv").read_text() == before


def test_a_width_on_the_command_line(tmp_path: Path) -> None:
    rows = [f"t{t},{s},{(t * k) % 7 / 10}" for t in range(8) for k, s in enumerate("abc", 2)]
    (tmp_path / "s.csv").write_text("topic,system,m\n" + "\n".join(rows) + "\n")
    done = called(tmp_path, "figure", "league", "s.csv", "--width", "column", "-o", "l.svg")
    assert done.returncode == 0
    assert size_of((tmp_path / "l.svg").read_text())[0] == WIDTHS["column"]
    done = called(tmp_path, "figure", "league", "s.csv", "--width", "poster", "-o", "m.svg")
    assert done.returncode == 2
    assert "expected column, page, slide" in done.stderr
    assert not (tmp_path / "m.svg").exists()


# Colours


def test_colours_are_all_different_in_every_theme() -> None:
    assert len(set(COLOURS)) == len(COLOURS)
    assert set(foundation._TOKENS) == set(COLOURS)
    assert len({name for name, _ in foundation._TOKENS.values()}) == len(COLOURS)
    assert len(SHAPES) == len(SERIES)


def test_light_draws_with_every_colour_given() -> None:
    assert colours_in(every_colour().to_svg()) == set(COLOURS)


def test_dark_recolours_all_that_is_drawn() -> None:
    dark = {name for _, name in foundation._TOKENS.values()}
    found = colours_in(every_colour().to_svg(theme="dark"))
    assert found == dark
    assert not found & set(COLOURS)


def test_every_format_can_be_dark(tmp_path: Path) -> None:
    figure = named(["a"])
    assert figure.to_png(theme="dark", scale=1) != figure.to_png(scale=1)
    assert figure.to_pdf(theme="dark") != figure.to_pdf()
    with pytest.raises(UsageError, match="the theme is 'sepia'|the theme is \"sepia\""):
        figure.to_svg(theme="sepia")  # type: ignore[arg-type]


def test_the_page_has_variables_alone() -> None:
    page = every_colour().to_page()
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", page) == []
    assert all(re.fullmatch(r"var\(--[a-z0-9-]+\)", colour) for colour in colours_in(page))


def declared(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): ([^;]+);", block))


def near(one: str, other: str) -> bool:
    """The same but for one step in one channel, by which figures tell colours of different meaning apart."""
    pairs = [(int(one[k : k + 2], 16), int(other[k : k + 2], 16)) for k in (1, 3, 5)]
    return sum(abs(a - b) for a, b in pairs) <= 2


def test_the_page_defines_every_variable_in_the_figures_colours() -> None:
    """An undefined one would be drawn in nothing at all."""
    text = TOKENS.read_text(encoding="utf-8")
    light = declared(text.partition("@media print")[0])
    dark = light | declared(text.partition("(prefers-color-scheme: dark)")[2])
    for colour, (name, in_dark) in foundation._TOKENS.items():
        for scheme, expected in ((light, colour), (dark, in_dark)):
            found = scheme[name]
            while found.startswith("var(--"):
                found = scheme[found[len("var(--") : -1]]
            assert near(found, expected), (name, found, expected)


def luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_and_marks_have_contrast(dark: bool) -> None:
    """WCAG 2.2: 4.5 for text, 3 for marks that mean something."""

    def seen(colour: str) -> str:
        return foundation._TOKENS[colour][1] if dark else colour

    paper = seen(PAPER)
    for text in (INK, SOFT, ACCENT, MARK, GOOD):
        assert contrast(seen(text), paper) >= 4.5, text
    for mark in (PLAIN, *SERIES):
        assert contrast(seen(mark), paper) >= 3, mark
    for step, colour in enumerate(HEAT):
        ink = HEAT_INK_LOW if step < 5 else HEAT_INK_HIGH
        assert contrast(seen(ink), seen(colour)) >= 4.5, step


SEEN = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Of linear RGB. Machado, Oliveira and Fernandes 2009, table 1, severity 1."""


def lab(colour: str, sight: str) -> tuple[float, float, float]:
    """CIE 1976 L*a*b* (D65) of a colour as it is seen."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    r, g, b = (min(1, max(0, sum(w * c for w, c in zip(row, linear, strict=True)))) for row in SEEN[sight])
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", SEEN)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_series_are_apart_for_people_who_do_not_see_all_colours(dark: bool, sight: str) -> None:
    """A difference of 10 (CIE 1976) is several times what is just noticed; shapes differ besides."""
    shown = [foundation._TOKENS[colour][1] if dark else colour for colour in SERIES]
    for a, b in combinations(shown, 2):
        assert dist(lab(a, sight), lab(b, sight)) > 10, (a, b)


def test_colours_that_are_alike_for_some_are_found_out() -> None:
    assert dist(lab("#c96a00", "deuteranopia"), lab("#a08300", "deuteranopia")) < 5
    assert dist(lab("#c96a00", "all colours"), lab("#a08300", "all colours")) > 30


# Text from anywhere


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_stay_text(theme: Any) -> None:
    figure = named(HOSTILE, title="<b>Title</b> & \x00 more", words='Words "quoted" <i>.')
    for svg in (figure.to_svg(theme=theme), figure.to_page()):
        root = ElementTree.fromstring(svg)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "g", "rect", "path", "text", "line", "tspan"}
        assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)
        texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text")]
        for name in HOSTILE:
            assert drawn_text(name).strip() in [text.strip() for text in texts], name


def test_names_that_look_like_colours_keep_their_bars() -> None:
    """Recolouring a name in the sort order, but not in the rows, would draw it twice."""
    figure = named(["#ffffff", "#1d1d1f", "plain"])
    for svg in (figure.to_svg(theme="dark"), figure.to_page()):
        assert re.findall(
            r'aria-label="name: ([^;]+);[^"]*" role="graphics-symbol" aria-roledescription="bar"', svg
        ) == [
            "#ffffff",
            "#1d1d1f",
            "plain",
        ]


def test_what_is_drawn_is_said_to_those_who_do_not_see_it() -> None:
    figure = named(["a"], title='Means of "x" & <y>', words="A bar is a mean.")
    for svg in (figure.to_svg(), figure.to_page(), figure.to_svg(theme="dark", title=False)):
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == 'Means of "x" & <y>. A bar is a mean.'
        assert root.get("viewBox")


def test_missing_cells_are_null_and_signs_that_turn_text_are_gone() -> None:
    import altair as alt

    data = pd.DataFrame({"name": ["a\u202eb", None], "value": [float("nan"), float("inf")]})
    figure = figure_of("n", "T", "W.", data, lambda base: base.mark_point().encode(x=alt.X("value:Q")))
    (rows,) = figure.spec()["datasets"].values()
    assert rows == [{"name": "ab", "value": None}, {"name": None, "value": None}]


def test_cells_that_would_be_formulas_are_text() -> None:
    lines = named(["=1+2", "+1", "-cmd", "@sum", "plain"]).to_csv().splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == ["'=1+2", "'+1", "'-cmd", "'@sum", "plain"]


# Notebooks and results


def test_a_notebook_shows_the_picture_and_its_words() -> None:
    bundle = named(["a"])._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == "Means. A bar is a mean."


class Result(Pictured):
    FIGURES: ClassVar = {"bars": "tests.test_picture:bars_of", "colours": "tests.test_picture:bars_of"}


def bars_of(result: Result, *, title: str = "Means") -> Figure:
    return named(["a"], title=title)


def test_a_result_draws_itself() -> None:
    assert Result().figure().title == "Means"
    assert Result().figure("colours", title="Others").title == "Others"
    with pytest.raises(UsageError, match="nearest: .*bars"):
        Result().figure("bar")
    with pytest.raises(UsageError, match="Pictured has no figure"):
        Pictured().figure()


def test_steps_of_heat() -> None:
    assert [heat_step(v, 0, 1) for v in (0, 0.14, 0.15, 0.5, 0.99, 1)] == [0, 0, 1, 3, 6, 6]
    assert [heat_step(v, 0, 1, reverse=True) for v in (0, 1)] == [6, 0]
    assert heat_step(3, 3, 3) == 3
