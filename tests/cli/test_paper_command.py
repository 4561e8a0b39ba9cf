"""adjudge compare for a paper: --latex, --markdown, --methods, --table league; --markdown of the other commands."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import called, runner

from adjudge.cli.analysis import command_of
from adjudge.core.errors import UsageError

run = runner(command_of("compare_all"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two measures, three systems, twelve topics, in a long table."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("paper") / "long.csv"
    rows = ["topic,measure,system,value"]
    for measure in ("rouge-1", "rouge-2"):
        for k in range(12):
            rows += [f"t{k},{measure},{s},{j + rng.normal():.6f}" for j, s in enumerate(("a_1", "b", "c"))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_several_measures_are_one_latex_table(file: Path) -> None:
    found = run(f"{file} -m rouge-1 -m rouge-2 --latex").stdout
    assert found.startswith(r"\begin{table}[tb]")
    assert found.count(r"\begin{tabular}") == 1
    assert r"system & \multicolumn{2}{c}{rouge-1} & \multicolumn{2}{c}{rouge-2} \\" in found
    assert r"a\_1 & " in found
    one = run(f"{file} -m rouge-1 --latex").stdout
    assert r"95\% interval" in one


def test_markdown_is_a_table_and_its_caption(file: Path) -> None:
    lines = run(f"{file} --markdown").stdout.splitlines()
    assert lines[:2] == ["| system | rouge-1 | rouge-2 |", "| --- | ---: | ---: |"]
    assert lines[-1].startswith("Means over 12 topics. Bold: the best mean.")


def test_methods_are_a_paragraph_and_bibtex(file: Path) -> None:
    found = run(f"{file} --methods --test mc --seed 3").stdout
    paragraph, _, rest = found.partition("\n\n")
    assert paragraph.startswith("We compared 3 systems on 12 topics by rouge-1 and rouge-2.")
    assert r"~\cite{noreen1989,rankel2011}, with 2,000 random resamples" in paragraph
    assert "(seed 3)" in paragraph
    assert "@book{noreen1989," in rest
    plain = run(f"{file} --methods --markdown --test mc").stdout
    assert plain.startswith("| system |")
    assert "(Noreen, 1989; Rankel et al., 2011)" in plain
    assert "\n- Noreen, Eric W. (1989)." in plain
    both = run(f"{file} --latex --methods").stdout
    assert both.index(r"\end{table}") < both.index("We compared") < both.index("@article{holm1979,")


def test_the_league_as_csv_has_a_row_per_measure_and_system(file: Path, tmp_path: Path) -> None:
    league, pairs = tmp_path / "league.csv", tmp_path / "pairs.csv"
    assert run(f"{file} --table league --csv {league}").stdout == ""
    rows = list(csv.DictReader(io.StringIO(league.read_text(encoding="utf-8"))))
    assert [(row["measure"], row["rank"]) for row in rows] == [
        (m, r) for m in ("rouge-1", "rouge-2") for r in ("1", "2", "3")
    ]
    assert {"n", "mean", "low", "high", "best", "worst", "group", "kind"} <= set(rows[0])
    run(f"{file} --csv {pairs}")
    assert len(pairs.read_text(encoding="utf-8").splitlines()) == 1 + 2 * 3  # stays one row per pair
    printed = run(f"{file} --table league --csv - --json").stdout
    assert printed.startswith("measure,length,form,rank,system")
    assert json.loads(printed[printed.index("[\n") :])[0]["methods"]["text"].startswith(
        "We compared 3 systems"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--latex --markdown", "--latex and --markdown print the same table: choose one"),
        ("--counts --methods", "compare --counts takes no --methods"),
        ("--counts --against b", "compare --counts takes no --against"),
        ("--judge x --test t", "compare --judge takes no --test"),
        ("--judge x --counts", "--counts and --judge ask for different analyses"),
        ("--at-random", "--at-random is for --judge"),
    ],
)
def test_what_excludes_each_other_is_said(file: Path, options: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run(f"{file} {options}")


def test_other_commands_print_markdown_where_they_print_latex(file: Path) -> None:
    """The same rows: as many lines of a table as LaTeX has."""
    quickly = {"plan": "--simulations 50"}
    for name, command in {
        "groups": command_of("groups"),
        "topics": command_of("topics"),
        "anova": command_of("anova"),
        "lengths": command_of("lengths"),
        "plan": command_of("plan"),
    }.items():
        line = f"{file} -m rouge-1 {quickly.get(name, '')}"
        latex = runner(command)(f"{line} --latex").stdout
        shown = runner(command)(f"{line} --markdown").stdout
        tables = shown.count("\n| ---") + shown.count("\n| ---:")
        assert shown.startswith("| "), name
        assert sum(row.startswith("|") for row in shown.splitlines()) == latex.count("\\\\\n") + latex.count(
            r"\begin{tabular}"
        ), name
        assert tables >= 1
    counted = run(f"{file} --counts --markdown").stdout
    assert counted.startswith("| measure | pairs | ")


def test_preferences_print_markdown(tmp_path: Path) -> None:
    rows = ["left,right,winner", *["a,b,left"] * 6, *["b,a,left"] * 2, *["b,c,left"] * 5, *["c,a,left"] * 2]
    (tmp_path / "arena.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = called(tmp_path, "prefer", "fit", "arena.csv", "--markdown")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("| ")
    assert "| a |" in done.stdout


def test_groups_print_their_methods(file: Path) -> None:
    found = runner(command_of("groups"))(f"{file} -m rouge-1 --methods").stdout
    assert found.startswith(
        "We compared 3 systems on 12 topics by rouge-1. Pairs of systems were compared topic by topic with the"
        r" two-sided paired t-test~\cite{student1908}. Differences count as significant up to p = .05 after Holm's"
        " correction for 3 pairs"
    )
    assert "@article{student1908," in found
    assert "@article{holm1979," in found
    both = runner(command_of("groups"))(f"{file} -m rouge-1 --methods --markdown").stdout
    assert both.startswith("| ")
    assert "(Student, 1908)" in both


def test_groups_list_each_work_once(file: Path) -> None:
    found = runner(command_of("groups"))(f"{file} --methods --latex").stdout
    assert found.count("We compared 3 systems") == 2
    assert found.count("@article{student1908,") == found.count("@misc{adjudge,") == 1
    assert found.rindex("We compared") < found.index("@")
    shown = runner(command_of("groups"))(f"{file} --methods --markdown").stdout
    assert shown.count("We compared 3 systems") == 2
    assert shown.count("- Student (1908).") == 1


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "--tests wilcoxon,mc,exact,welch", "--correct westfall-young -m r"])
def test_table_paragraph_and_references_compile(tmp_path: Path, options: str) -> None:
    """Nothing is undefined, no line of text is too long, and BibTeX has nothing to warn of; with odd names too."""
    if not (shutil.which("pdflatex") and shutil.which("bibtex")):
        return  # TeX is large: where it is not, the tests of braces, escapes and cells have to do
    rng = np.random.default_rng(1)
    names = ["50%_#1 & co", "x$y$^{2}~", "Größe Ω", r"a\b<c>|d", "A" * 40]
    rows = [
        f"t{k}\t{measure}\t{name}\t{j + rng.normal():.6f}"
        for measure in ("r", "my_measure.with-a:long/name=of_its-own")
        for k in range(12)
        for j, name in enumerate(names)
    ]
    (tmp_path / "odd.tsv").write_text(
        "\n".join(["topic\tmeasure\tsystem\tvalue", *rows]) + "\n", encoding="utf-8"
    )
    found = run(f"{tmp_path / 'odd.tsv'} --latex --methods {options}").stdout
    table, _, rest = found.partition("\n\nWe compared")
    paragraph, _, works = rest.partition("\n\n@")
    (tmp_path / "works.bib").write_text(f"@{works}", encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
        f"{table}\n\nWe compared{paragraph}\n\\bibliographystyle{{plain}}\\bibliography{{works}}\\end{{document}}\n",
        encoding="utf-8",
    )
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex, latex):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
        assert b"Warning--" not in done.stdout
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert "undefined" not in log
    text = paragraph_lines((tmp_path / "paper.tex").read_text(encoding="utf-8"))
    too_long = [int(line) for line in re.findall(r"Overfull .* in paragraph at lines (\d+)--", log)]
    assert not [line for line in too_long if line in text]


def paragraph_lines(source: str) -> range:
    """The lines of a document from the paragraph on methods to its end."""
    lines = source.splitlines()
    return range(
        1 + next(k for k, line in enumerate(lines) if line.startswith("We compared")), len(lines) + 1
    )
