"""The folder for a paper: what is in it, and what it does not write over."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.running import runner
from tests.reports.latex import problems_of
from tests.reports.test_trusted import SYSTEMS, rated

import adjudge
from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.compare import compare
from adjudge.cli import report as cli
from adjudge.core.errors import ClashError, UsageError
from adjudge.core.table import Column, Table
from adjudge.evaluation import report
from adjudge.reports.contents import PAGE_SHARE, STEPS
from adjudge.reports.paper import LONGEST, MOST_ROWS, PRINTED, FolderTable, style, table_latex

run = runner(cli.command)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("paper") / "scores.csv"
    rated("overall", topics=6).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def paper(table: Path) -> Path:
    found = run(f"{table} -o {table.parent / 'report'} --paper {table.parent / 'paper'}").stdout
    assert "main.tex: compile it with pdflatex and bibtex" in found.replace("\n", " ")
    return table.parent / "paper"


@pytest.fixture
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the catalogue's, for tests of where files go; the folder `paper` has all."""
    few = {name: CATALOGUE[name] for name in ("league", "forest")}
    monkeypatch.setattr("adjudge.reports.paper.CATALOGUE", few)


def test_the_folder_is_whole(paper: Path) -> None:
    assert problems_of(paper) == []
    names = {str(path.relative_to(paper)) for path in paper.rglob("*") if path.is_file()}
    assert names >= {
        "main.tex",
        "adjudge.sty",
        "methods.tex",
        "limitations.tex",
        "results.tex",
        "references.bib",
    }
    assert names >= {
        "README.md",
        "tables/league.tex",
        "tables/agreement.tex",
        "figures/forest.pdf",
        "figures/forest.csv",
    }
    readme = (paper / "README.md").read_text(encoding="utf-8")
    assert all(
        f"`{name.removesuffix('.csv')}.tex`" in readme
        for name in names
        if name.startswith("tables/") and name.endswith(".csv")
    )
    main = (paper / "main.tex").read_text(encoding="utf-8")
    assert all(f"\\input{{{part}}}" in main for part in ("methods", "results", "limitations"))


def test_something_wrong_is_found(paper: Path, tmp_path: Path) -> None:
    from shutil import copytree

    copy = copytree(paper, tmp_path / "copy")
    with (copy / "results.tex").open("a", encoding="utf-8") as file:
        file.write("50$ and a_b {\\cite{nobody1900} \\input{tables/none} \\evil{}")
    found = "\n".join(problems_of(copy))
    for part in ("braces stay open", "nobody1900", "no tables/none.tex", "\\evil", "50$"):
        assert part in found


def test_pairs_are_those_of_the_comparison(paper: Path, table: Path) -> None:
    with (paper / "tables" / "pairs-near.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = compare(table, "near")
    assert [(row["a"], row["b"]) for row in rows] == [(pair.a, pair.b) for pair in found.pairs[found.test]]
    assert [float(row["corrected"]) for row in rows] == pytest.approx(
        [pair.p_adjusted for pair in found.pairs[found.test]]
    )
    assert len(rows) == len(SYSTEMS) * (len(SYSTEMS) - 1) // 2


@pytest.mark.usefixtures("few_figures")
def test_a_second_run_writes_over_its_own_and_nothing_else(tmp_path: Path) -> None:
    frame = rated("overall", topics=3)
    folder = tmp_path / "paper"
    report(frame, tmp_path / "report", paper=folder, quick=True)
    (folder / "mine.tex").write_text("mine")
    (folder / "tables" / "old.tex").write_text("old")
    files = report(frame, tmp_path / "report", "near", paper=folder, quick=True)
    assert (folder / "mine.tex").read_text() == "mine"
    assert not (folder / "tables" / "old.tex").exists()
    assert not (folder / "tables" / "league-far.tex").exists()
    assert folder / "main.tex" in files
    assert problems_of(folder) == []


def test_somebody_elses_paper_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "main.tex").write_text("my thesis")
    with pytest.raises(ClashError, match="choose another folder"):
        report(rated("overall", topics=3), tmp_path / "report", paper=tmp_path / "paper", quick=True)
    assert (tmp_path / "paper" / "main.tex").read_text() == "my thesis"


def test_the_paper_has_a_folder_of_its_own(table: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give the paper another"):
        run(f"{table} -o {tmp_path / 'x'} --paper {tmp_path / 'x'}")


@pytest.mark.usefixtures("few_figures")
def test_json_lists_the_files(table: Path, tmp_path: Path) -> None:
    found = json.loads(run(f"{table} --quick -o {tmp_path / 'r'} --paper {tmp_path / 'p'} --json").stdout)
    assert str(tmp_path / "p" / "main.tex") in found["files"]
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert 'id="chapter-method"' in page
    assert 'id="chapter-trust"' not in page


def test_long_tables_and_names_are_cut_in_print_alone() -> None:
    rows = tuple((f"{'n' * 60}{k}", k) for k in range(MOST_ROWS + 5))
    given = FolderTable("t", "more", Table("t", (Column("a"), Column("b")), rows, title="Many"))
    text = table_latex(given)
    assert f"The first {MOST_ROWS} of {MOST_ROWS + 5} rows; t.csv has all." in text
    assert "Long names are cut" in text
    assert "n" * (LONGEST + 1) not in text
    assert text.count(r" \\") == MOST_ROWS + 1


def test_tables_are_of_one_length_and_of_many_of_a_kind_a_few_are_printed(tmp_path: Path) -> None:
    frame = rated("overall", topics=4)
    many = pd.concat(
        frame.assign(measure=name, length=length) for name in ("p", "q", "r") for length in (50, 100)
    )
    adjudge.report(
        many.drop(columns="assessor", errors="ignore").drop_duplicates(
            ["measure", "topic", "system", "length"]
        ),
        tmp_path / "report",
        quick=True,
        paper=tmp_path / "paper",
    )
    written = (tmp_path / "paper" / "results.tex").read_text(encoding="utf-8")
    assert written.count("\n\\input{tables/pairs-") == PRINTED
    assert written.count("\n% \\input{tables/pairs-") == 2  # six comparisons
    assert len(list((tmp_path / "paper" / "tables").glob("pairs-*.tex"))) == 6
    for number, length in ((1, 50), (2, 100)):
        league = (tmp_path / "paper" / "tables" / f"league-{number}.tex").read_text(encoding="utf-8")
        assert f"{length} words" in league
        assert f"{150 - length} words" not in league
    assert problems_of(tmp_path / "paper") == []


def test_letters_that_pdflatex_lacks_are_declared() -> None:
    text = style("plain é 中 🙂")
    assert r"\adjudgeletter{中}{4E2D}" in text
    assert r"\adjudgeletter{🙂}{1F642}" in text
    assert r"\adjudgeletter{p}" not in text


def test_how_far_it_is_only_rises_and_ends(table: Path, tmp_path: Path, few_figures: None) -> None:
    told: list[tuple[int, int]] = []
    report(
        table,
        tmp_path / "report",
        paper=tmp_path / "paper",
        progress=lambda done, of: told.append((done, of)),
    )
    assert {of for _, of in told} == {STEPS}
    done = [at for at, _ in told]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == STEPS
    assert PAGE_SHARE * STEPS in done  # the page is there, and figures are to come
    alone: list[tuple[int, int]] = []
    report(table, tmp_path / "page", progress=lambda done, of: alone.append((done, of)))
    assert alone[-1] == (STEPS, STEPS)


def test_a_long_figure_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.reports.paper.CATALOGUE", {"power": CATALOGUE["power"]})
    path = tmp_path / "scores.csv"
    rated("overall", topics=6).to_csv(path, index=False)
    told: list[int] = []
    report(
        path, tmp_path / "report", quick=True, paper=tmp_path / "paper", progress=lambda d, of: told.append(d)
    )
    assert sum(PAGE_SHARE * STEPS < done < STEPS for done in told) > 1
