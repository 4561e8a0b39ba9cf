"""Papers made again: every part is what its analysis says, or says why it is missing and what gets it."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pandas as pd
import pytest
from tests.analyses.test_judged import by_topic, collection, rating
from tests.approving import Approved
from tests.cli.running import called
from tests.reports.latex import problems_of

import adjudge
from adjudge.analyses.gathered import gather, judged_in
from adjudge.analyses.judged.quality_answers import quality_answers
from adjudge.analyses.judged.result import quality_by_source
from adjudge.analyses.judged.unit_coverage import coverage_spread
from adjudge.core.errors import ClashError, UsageError
from adjudge.core.results import Result
from adjudge.core.table import Table
from adjudge.reports.papers import PAPERS, paper_named
from adjudge.reports.papers.page import missing_lines, write_reproduction
from adjudge.reports.papers.paper import Material, Part, Reproduction, reproduce_paper, shown


@pytest.fixture(scope="module")
def unscored(judged_few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five sets of documents, judged at 100 words."""
    return copytree(judged_few, tmp_path_factory.mktemp("reproduce") / "my-eval")


@pytest.fixture(scope="module")
def scored(unscored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = copytree(unscored, tmp_path_factory.mktemp("scored") / "my-eval")
    specs = ["coverage", "nams(weights=c1, stem=none)", "nams"]
    adjudge.open(path).score(*specs)
    return path


@pytest.fixture(scope="module")
def lin(scored: Path) -> Reproduction:
    return adjudge.reproduce(scored, "lin-hovy-2002")


@pytest.fixture(scope="module")
def duc(scored: Path) -> Reproduction:
    return adjudge.open(scored).reproduce("duc-2002")


def rows(table: Table) -> list[dict[str, object]]:
    return json.loads(table.to_json())["rows"]  # type: ignore[no-any-return]


FROM_SCORES = {"rankel-2011": {"Figure 1", "Table 1", "Tables 1 and 2, resampled"}}
"""What can be made of scores alone, whatever they measure."""


def missing(result: Reproduction) -> set[str]:
    return {made.part.name for made in result.missing}


def test_the_instability_of_sets_of_documents_is_that_of_stability(lin: Reproduction, scored: Path) -> None:
    found = adjudge.stability(scored, topics="task=multi", quick=True)
    resolutions, rankings = lin["Figure 3"].tables
    assert rows(resolutions) == rows(found.table("resolutions"))
    assert rows(rankings) == rows(found.table("rankings"))
    assert "topics=" in resolutions.signature
    (figure,) = lin["Figure 3"].figures
    assert figure.name == "retention"


def test_ranks_have_the_preset_in_the_papers_order(lin: Reproduction, scored: Path) -> None:
    (table,) = lin["Figure 4"].tables
    found = adjudge.meta(
        scored,
        ["nams(weights=c1, stem=none)", "nams"],
        people="coverage",
        parts="ranks",
        among="all",
        topics="task=multi",
    )
    assert rows(table) == rows(found["ranks"].all_tables[0])
    assert [column.name for column in table.columns][-2:] == ["rank_nams(weights=c1, stem=none)", "rank_nams"]


def test_a_learned_judge_expands_as_the_paper_does(lin: Reproduction, scored: Path) -> None:
    (table,) = lin["Figure 6"].tables
    trained = adjudge.open(scored).train_judge("duc-2002", expand="paper")
    assert rows(table) == rows(trained.for_task("multi").table())
    assert {"multi_original", "multi_expanded"} <= {column.name for column in table.columns}
    (figure,) = lin["Figure 6"].figures
    assert set(figure.data["who"]) == {"original model units", "expanded model units"}


def test_what_single_documents_have_is_missing_by_name(
    lin: Reproduction, duc: Reproduction, approved: Approved
) -> None:
    assert missing(lin) == {"Figure 1", "Figure 2", "Figure 5"}
    assert missing(duc) == {made.part.name for made in duc.parts if "one document" in made.part.about}
    assert not any(made.pieces for made in (*lin.missing, *duc.missing))
    approved([lin.headline(), *missing_lines(lin), duc.headline(), *missing_lines(duc)])


def test_the_tables_of_duc_are_those_of_its_analyses(duc: Reproduction, scored: Path) -> None:
    gathered = judged_in(scored)
    quality = quality_by_source(gathered)
    assert isinstance(quality, Result)
    assert rows(duc["Systems ≠ baselines ≠ manual"].tables[0]) == rows(quality.table())
    (spread,) = duc["Mean coverage by peer source: multi-document by size"].tables
    assert rows(spread) == rows(coverage_spread(gathered).all_tables[0])
    of_length = {"topics": "task=multi", "length": 100, "form": None, "pool_humans": True}
    (table,) = duc["ANOVA results for multi-doc summaries by length"].tables
    found = adjudge.anova(scored, "coverage", factors=("system", "topic"), **of_length)  # type: ignore[arg-type]
    assert rows(table) == rows(found.all_tables[0])
    (tukey,) = duc["System differences using multiple comparisons (Tukey's)"].tables
    groups = adjudge.groups(scored, "coverage", method="tukey", **of_length)  # type: ignore[arg-type]
    assert rows(tukey) == rows(groups.all_tables[0])
    (sizes,) = duc["Table of interaction sizes for system:docset"].tables
    assert [column.name for column in sizes.columns][1:] == [f"d0{k}" for k in range(1, 6)]


def test_parts_come_in_the_papers_order(lin: Reproduction) -> None:
    figures = [made.part.name for made in lin.parts if made.part.name.startswith("Figure")]
    assert figures == [f"Figure {number}" for number in range(1, 8)]


def test_the_folder_is_whole_and_has_every_form(scored: Path, tmp_path: Path) -> None:
    done = called(tmp_path, "reproduce", "lin-hovy-2002", str(scored), "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    out = tmp_path / "out"
    assert told["page"] == "out/index.html"
    assert problems_of(out) == []
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {f"figures/figure-3.{end}" for end in ("svg", "csv", "pdf", "tex")} <= names
    assert {"tables/figure-3-1.csv", "tables/figure-3-2.tex", "tables/figure-4.csv", "main.tex"} <= names
    main = (out / "main.tex").read_text(encoding="utf-8")
    order = [
        main.index(f"input{{{name}}}") for name in ("figures/figure-3", "tables/figure-4", "figures/figure-6")
    ]
    assert order == sorted(order)
    assert "section 4" in (out / "figures" / "figure-3.tex").read_text(encoding="utf-8")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}"' in page for name in names if name.startswith(("tables/", "figures/")))
    assert all(f'id="{name}"' in page for name in ("figure-3", "figure-4", "figure-6", "missing"))
    assert 'id="figure-2"' not in page
    by_name = {part["part"]: part for part in told["parts"]}
    assert by_name["Figure 3"]["tables"][0]["rows"]
    assert by_name["Figure 3"]["figures"][0]["rows"]
    assert by_name["Figure 2"]["missing"]
    assert not by_name["Figure 2"]["tables"]
    assert told["missing"] == ["Figure 1", "Figure 2", "Figure 5"]


def test_what_gets_a_missing_part_gets_it(unscored: Path, tmp_path: Path) -> None:
    path = copytree(unscored, tmp_path / "my-eval")
    paper = paper_named("lin-hovy-2002")
    paper = replace(paper, parts=tuple(part for part in paper.parts if part.name == "Figure 4"))
    (before,) = reproduce_paper(paper, Material(scores=adjudge.read_scores(path))).parts
    assert before.missing
    assert before.command == f"adjudge score {path} -m lin-hovy-2002"
    done = called(tmp_path, *shlex.split(before.command)[1:])
    assert done.returncode == 0, done.stderr
    (after,) = reproduce_paper(paper, Material(scores=adjudge.read_scores(path))).parts
    assert not after.missing
    assert len(after.tables[0].columns) == 4 + 9


@pytest.mark.parametrize("paper", PAPERS)
def test_a_table_of_scores_has_no_judgments_and_says_so(
    paper: str, tmp_path: Path, approved: Approved
) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("topic,a,b\nt1,1,2\nt2,2,3\nt3,1,1\n", encoding="utf-8")
    result = adjudge.reproduce(table, paper)
    assert {made.part.name for made in result.parts if made.pieces} == FROM_SCORES.get(paper, set())
    approved(line.replace(f"{tmp_path}/", "") for line in missing_lines(result))


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_the_demo_has_every_part(paper: str, shown: Path, tmp_path: Path) -> None:
    """Figure 1 is of a program; NAMS and ROUGE-SU4 are not scored there. Zopf 2018 scores what is missing."""
    result = adjudge.reproduce(copytree(shown / "my-eval", tmp_path / "my-eval"), paper)
    without = {"lin-hovy-2002": {"Figure 1", "Figure 4"}, "rankel-2011": {"Table 1"}}
    assert missing(result) == without.get(paper, set())
    assert all(made.tables or made.figures for made in result.parts if not made.missing)


def test_what_can_be_made_stays_where_a_figure_cannot_be_drawn(tmp_path: Path) -> None:
    result = quality_answers(
        gather(collection(), by_topic([rating(1, "x", 1)]))
    )  # of ratings, which count no errors
    part = Part(
        name="Figure 1",
        section="section 1",
        about="errors",
        make=lambda _: shown(result, "quality-by-peer", "quality"),
    )
    paper = replace(paper_named("duc-2002"), parts=(part,))
    scores = adjudge.read_scores(pd.DataFrame({"topic": ["t"], "a": [1.0], "b": [2.0]}))
    made = reproduce_paper(paper, Material(scores=scores))
    (one,) = made.missing
    assert [figure.name for figure in one.figures] == ["quality"]
    assert [table.name for table in one.tables] == ["quality-by-question"]
    assert "errors" in one.missing
    assert "1 of them not whole" in made.headline()
    write_reproduction(made, tmp_path)
    assert problems_of(tmp_path) == []
    assert 'id="missing"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_papers_say_what_they_are() -> None:
    for name in PAPERS:
        paper = paper_named(name)
        assert paper.name == name
        assert len({part.name for part in paper.parts}) == len(paper.parts)


def test_mistakes_are_a_line(scored: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='no paper "lin-hovy" .nearest: "lin-hovy-2002"'):
        adjudge.reproduce(scored, "lin-hovy")
    done = called(tmp_path, "reproduce", "duc-2002", str(scored), "-o", str(scored))
    assert done.returncode == 2
    assert "say -o duc-2002" in done.stderr
    (tmp_path / "main.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(ClashError, match="choose another folder"):
        adjudge.reproduce(scored, "duc-2002", tmp_path)
    with pytest.raises(UsageError, match="has no part"):
        adjudge.reproduce(scored, "duc-2002")["Figure 1"]
