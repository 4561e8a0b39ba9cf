"""The files beside the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from adjudge.analyses.compare.pairs import Comparison
from adjudge.reports.page import LONGEST_STEM, files_of, paper_files, stems

Make = Callable[..., Comparison]


def test_league_pairs_and_scores(compared: Make, three: Mapping[str, Sequence[float]]) -> None:
    comparison = compared(three)
    tables = {table.name: table.text for table in files_of(comparison, "rouge-2")}
    assert list(tables) == [
        "rouge-2-league.csv",
        "rouge-2-league.tex",
        "rouge-2-pairs.csv",
        "rouge-2-scores.csv",
    ]
    league = list(csv.DictReader(io.StringIO(tables["rouge-2-league.csv"])))
    assert [(row["system"], row["rank"], row["group"]) for row in league] == [
        ("good", "1", "a"),
        ("fair", "2", "b"),
        ("bad", "3", "b"),
    ]
    pairs = list(csv.DictReader(io.StringIO(tables["rouge-2-pairs.csv"])))
    assert {(row["a"], row["b"], row["test"]) for row in pairs} == {
        (a, b, "wilcoxon") for a, b in (("good", "fair"), ("good", "bad"), ("fair", "bad"))
    }
    scores = list(csv.DictReader(io.StringIO(tables["rouge-2-scores.csv"])))
    assert [float(row["fair"]) for row in scores] == list(three["fair"])
    assert tables["rouge-2-league.tex"].startswith(r"\begin{table}")
    assert comparison.signature in tables["rouge-2-league.tex"]


def test_stems_are_plain_and_told_apart() -> None:
    assert stems(["rouge-2", "rouge-2(stem=none, stop=smart)", "Rouge 2", "???", "ärger"]) == [
        "rouge-2",
        "rouge-2-stem-none-stop-smart",
        "rouge-2-2",
        "measure",
        "rger",
    ]


@given(st.lists(st.text(max_size=120), max_size=6))
def test_stems_never_clash(texts: list[str]) -> None:
    found = stems(texts)
    assert len(set(found)) == len(texts)
    assert all(stem and stem.isascii() and len(stem) <= LONGEST_STEM + 4 for stem in found)
    assert all(set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for stem in found)


def test_files_for_a_paper_come_from_comparisons_made_alike(
    compared: Make, three: Mapping[str, Sequence[float]]
) -> None:
    one = compared(three)
    assert [file.name for file in paper_files([one])] == [
        "paper-table.md",
        "paper-methods.tex",
        "paper-references.bib",
    ]
    both = [one, replace(one, matrix=replace(one.matrix, info=replace(one.matrix.info, measure="rouge-9")))]
    files = {file.name: file.text for file in paper_files(both)}
    assert files["paper-table.tex"].startswith(r"\begin{table}")
    assert r"\multicolumn{2}{c}{rouge-9}" in files["paper-table.tex"]
    assert r"\cite{wilcoxon1945}" in files["paper-methods.tex"]
    assert "@article{wilcoxon1945," in files["paper-references.bib"]
    other = replace(one, asked=replace(one.asked, alpha=0.01))
    assert paper_files([one, other]) == ()
