"""One table, every form: the same cells in a terminal, CSV, JSON, LaTeX, Markdown and HTML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.core.table import Cell, Column, Table, Tabular, as_json, json_parts, plain

COLUMNS = (
    Column("rank", ""),
    Column("system"),
    Column("kind", show="varies"),
    Column("mean", format=".4f"),
    Column("low", show="never"),
    Column("high", show="never"),
    Column("interval", "95% interval", data=False),
)
LEAGUE = Table(
    "league",
    COLUMNS,
    (
        (1, "a_1", "machine", 0.51239, 0.4, 0.6, "0.4 to 0.6"),
        (2, "<b>", "machine", 12.0, math.nan, math.nan, None),
        (3, "写作", "machine", None, None, None, None),
    ),
    title="rouge-2 (higher is better)",
    sentences=("a_1 is best.",),
    signature="rouge-2|v:1\nsecond",
)


def test_text_aligns_numbers_right_and_wide_characters_too() -> None:
    assert LEAGUE.to_text().splitlines() == [
        "rouge-2 (higher is better)",
        "   system     mean  95% interval",
        "1  a_1      0.5124  0.4 to 0.6",
        "2  <b>     12.0000  -",
        "3  写作          -  -",
    ]
    assert repr(LEAGUE) == LEAGUE.to_text()


def test_a_column_that_says_the_same_everywhere_is_not_shown_and_stays_in_the_data() -> None:
    assert "machine" not in LEAGUE.to_text()
    assert set(LEAGUE.to_frame()["kind"]) == {"machine"}
    assert "interval" not in LEAGUE.to_frame()


def test_csv_keeps_full_precision_and_leaves_what_is_missing_empty() -> None:
    rows = list(csv.reader(io.StringIO(LEAGUE.to_csv(), newline="")))
    assert rows[0] == ["rank", "system", "kind", "mean", "low", "high"]
    assert rows[1][3] == "0.51239"
    assert rows[2][4:] == ["", ""]


def test_latex_escapes_and_comments_every_line_of_the_signature() -> None:
    assert LEAGUE.to_latex().splitlines() == [
        r"\begin{tabular}{rlrl}",
        r"\toprule",
        r" & system & mean & 95\% interval \\",
        r"\midrule",
        r"1 & a\_1 & 0.5124 & 0.4 to 0.6 \\",
        r"2 & $<$b$>$ & 12.0000 & -- \\",
        r"3 & 写作 & -- & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% LuaLaTeX or XeLaTeX, with a font that has 作 写",
        "% rouge-2 (higher is better)",
        "% rouge-2|v:1",
        "% second",
    ]


def test_latex_prints_ranges_of_ranks_with_a_dash() -> None:
    table = Table("t", (Column("ranks"), Column("system")), (("2-4", "gpt-4"), ("1", "2024-01-02")))
    assert r"2--4 & gpt-4 \\" in table.to_latex()
    assert r"1 & 2024-01-02 \\" in table.to_latex()


def test_a_drawing_of_letters_is_for_a_terminal_alone() -> None:
    table = Table("t", (Column("F"), Column("alike", show="terminal", data=False)), ((1.5, "| |"),))
    assert "| |" in table.to_text()
    assert [text for text in (table.to_latex(), table.to_html(), table.to_csv()) if "| |" in text] == []
    assert r"$F$ \\" in table.to_latex()  # and a single letter is a symbol


def test_markdown_and_html_escape_what_would_break_them() -> None:
    table = Table("t", (Column("a|b"), Column("n")), (("x|y", 1), ("<script>", 2)))
    assert table.to_markdown() == "| a\\|b | n |\n| --- | ---: |\n| x\\|y | 1 |\n| \\<script> | 2 |"
    assert "<script>" not in table.to_html()
    assert '<td style="text-align: right">2</td>' in table._repr_html_()


def test_json_has_null_for_what_is_no_number() -> None:
    found = json.loads(LEAGUE.to_json())
    assert found["rows"][1]["low"] is None
    assert found["sentences"] == ["a_1 is best."]


def test_plain_takes_what_numpy_and_dataclasses_give() -> None:
    @dataclass
    class Pair:
        a: float
        b: tuple[int, ...]

    given = {"x": np.float64("nan"), "y": np.arange(2), "z": Pair(math.inf, (1, 2)), 3: {"k": True}}
    assert plain(given) == {"x": None, "y": [0, 1], "z": {"a": None, "b": [1, 2]}, "3": {"k": True}}
    assert json.loads(as_json(given))["z"]["a"] is None


def test_a_row_is_found_by_its_cells() -> None:
    assert LEAGUE.row(system="a_1")["mean"] == 0.51239
    with pytest.raises(UsageError, match="3 rows have"):
        LEAGUE.row(kind="machine")


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a row has 1 cells, expected 2"):
        Table("t", (Column("a"), Column("b")), (("x",),))


def test_a_result_shows_itself_by_its_table() -> None:
    @dataclass(frozen=True, repr=False)
    class Found(Tabular):
        n: int

        def table(self) -> Table:
            return Table("found", (Column("n"),), ((self.n,),), sentences=("One was found.",))

    assert repr(Found(1)) == "n\n1\nOne was found."
    assert Found(1).to_latex().startswith(r"\begin{tabular}{r}")
    assert "<p><strong>One was found.</strong></p>\n<table>" in Found(1)._repr_html_()
    assert isinstance(Found(1).to_frame(), pd.DataFrame)


cells: st.SearchStrategy[Cell] = st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=8))


@given(st.lists(st.tuples(cells, cells), max_size=6))
def test_every_form_takes_any_cell(rows: list[tuple[Cell, Cell]]) -> None:
    table = Table("t", (Column("a"), Column("b", format=".2f")), tuple(rows))
    assert len(json.loads(table.to_json())["rows"]) == len(rows)
    assert len(list(csv.reader(io.StringIO(table.to_csv(), newline="")))) >= len(rows)
    assert table.to_latex().count(r" \\") >= len(rows) + 1
    assert table.to_html().count("<tr>") == len(rows) + 1
    assert table.to_markdown().count("\n") >= len(rows) + 1
    table.to_text()


@pytest.mark.parametrize(("tiny", "shown"), [(-0.0, "0.0000"), (-1e-17, "-1.0e-17"), (-0.00004, "-4.0e-05")])
def test_no_form_prints_minus_zero(tiny: float, shown: str) -> None:
    table = Table("zeros", (Column("a", format=".4f"), Column("b", format="+.1f")), ((tiny, tiny),))
    forms = [table.to_text(), table.to_latex(), table.to_markdown(), table.to_html()]
    assert [form for form in forms if "-0." in form] == []
    assert all(shown in form and "+0.0" in form for form in forms)
    # For scripts the number is what it is; of zero alone the sign says nothing.
    (row,) = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert float(row["a"]) == tiny
    assert row["a"] != "-0.0"
    assert json.loads(table.to_json())["rows"] == [{"a": tiny, "b": tiny}]
    assert "-0.0," not in table.to_json()


def test_json_is_written_part_by_part() -> None:
    made: list[int] = []

    def rows() -> Iterator[dict[str, int]]:
        for k in range(3):
            made.append(k)
            yield {"k": k}

    parts = json_parts([{"a": math.nan, "rows": rows(), "none": iter(()), "b": {"c": [1, "x\ny"]}}])
    text = ""
    for part in parts:
        text += part
        if '{"k": 0}' in text:
            break
    assert made == [0]  # the others are not made before they are written
    text += "".join(parts)
    assert json.loads(text) == [
        {"a": None, "rows": [{"k": 0}, {"k": 1}, {"k": 2}], "none": [], "b": {"c": [1, "x\ny"]}}
    ]
    whole = {"a": [1, {"b": [], "c": {}}], "d": "é"}
    assert as_json(whole) == json.dumps(whole, indent=1, ensure_ascii=False)


WIDE = Table(
    "wide",
    (
        Column("rank", ""),
        Column("system"),
        *(Column(f"m{n}", f"measure {n}", format=".4f") for n in range(8)),
        Column("why", "why it is left out"),
    ),
    tuple((at, f"system {at}", *[0.125 * at] * 8, "too few topics " * 3) for at in range(1, 4)),
)


@pytest.mark.parametrize("width", [1, 20, 40, 60, 80, 100])
def test_blocks_of_a_wide_table_repeat_what_a_row_is_of(width: int) -> None:
    blocks = "\n".join(WIDE.lines(width)).split("\n\n")
    assert all(f"{at}  system {at}" in block for block in blocks for at in range(1, 4))
    text = " ".join(" ".join(blocks).split())
    assert [text.count(f"{0.125 * at:.4f}") for at in range(1, 4)] == [8, 8, 8]  # no number is cut
    assert all(f"measure {n}" in text for n in range(8))
    if width >= 40:
        assert max(len(line) for block in blocks for line in block.splitlines()) <= width


def test_blocks_repeat_all_columns_that_tell_rows_apart() -> None:
    """A length among them is a number, and a task says of no row which it is."""
    rows = [("multi", n, form, f"s{k}", k / 8, n / 7) for n in (10, 100) for form in "ae" for k in range(3)]
    names = ("task", "length", "form", "system", "coverage", "adjusted")
    blocks = "\n".join(Table.of("t", rows, *names).lines(40)).split("\n\n")
    assert len(blocks) == 2
    for block in blocks:
        heads, *lines = block.splitlines()
        assert heads.split()[:4] == ["task", "length", "form", "system"]
        assert len({tuple(line.split()[:4]) for line in lines}) == len(rows)


def test_in_a_pipe_a_table_is_as_wide_as_it_is() -> None:
    assert len(list(WIDE.lines())) == 1 + 3


# A heading over several columns


YEARS = Table.of(
    "years",
    [("r & p", 1, 2, 30)],
    Column("measure", right=False),
    Column("t in 2009", "t", over="2009: 10 pairs"),
    Column("w in 2009", "w", over="2009: 10 pairs", raised=True),
    Column("t in 2010", "t", over="<2010>"),
)


def test_columns_share_a_heading_in_latex_markdown_and_html() -> None:
    latex = YEARS.to_latex().splitlines()
    assert latex[2] == r" & \multicolumn{2}{c}{2009: 10 pairs} & \multicolumn{1}{c}{$<$2010$>$} \\"
    assert latex[3] == r"\cmidrule(lr){2-3}\cmidrule(lr){4-4}"
    assert YEARS.to_markdown().splitlines()[:3] == [
        r"|  | 2009: 10 pairs | \<2010> |",
        "| --- | ---: | ---: |",
        "| measure | t | t |",
    ]
    html = YEARS.to_html()
    assert "<thead><tr><th></th><th>2009: 10 pairs</th><th>&lt;2010&gt;</th></tr><tr><th>measure" in html
    plain = tuple(replace(column, raised=False) for column in YEARS.columns)
    assert (
        '<th colspan="2" style="text-align: center">2009: 10 pairs</th>'
        in replace(YEARS, columns=plain).to_html()
    )


def test_a_heading_over_narrow_columns_is_broken_between_words() -> None:
    assert YEARS.to_text(title=False).splitlines() == [
        "         2009:  <2010>",
        "         10",
        "         pairs",
        "measure  t   w       t",
        "r & p    1   2      30",
    ]
    assert YEARS.to_csv().splitlines()[0] == "measure,t in 2009,w in 2009,t in 2010"
