r"""A folder for a paper: tables, figures, methods, limitations and references that `main.tex` puts together.

Every file can be taken by itself with \input; `adjudge.sty` has what they need. Text from data goes through `tex`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge import __version__
from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.choice import choices, first_drawn
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.compare.several import ComparedMeasures
from adjudge.analyses.compare.words import headline
from adjudge.analyses.methods import breaking_tex, cite, correction_words, name_of_test, title
from adjudge.analyses.pages.judgments import people_of
from adjudge.analyses.references import keys_in
from adjudge.core.errors import ClashError, DataError
from adjudge.core.picture import Undrawable
from adjudge.core.table import Column, Table
from adjudge.core.words import as_sentence, counted, tex
from adjudge.data.reading import reading_once
from adjudge.reports.contents import Progress, parts, with_results
from adjudge.reports.limitations import limitations
from adjudge.reports.method import made_alike, methods_of
from adjudge.reports.page import stems

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.pages.chapter import Findings
    from adjudge.core.picture import Figure
    from adjudge.data.target import Target

MAIN, STYLE = "main.tex", "adjudge.sty"
METHODS, LIMITS, RESULTS = "methods.tex", "limitations.tex", "results.tex"
OWN = (".tex", ".csv", ".pdf", ".svg")
"""What a run before this may have left in the folders of tables and figures."""
REFERENCES_FILE, README = "references.bib", "README.md"
MARK = "% Written by adjudge"
"""The first line of our style, by which a folder is known as one of ours."""
TOGETHER = 5
"""Measures in one table."""
MOST_ROWS = 70
"""Rows of a table in print; the CSV file beside it has all."""
LONGEST = 40
"""Characters of a name in a table; of longer ones both ends are shown."""
LEFT_TO_CSV = ("why", "about")
"""Columns of words, for which print has no room."""
PRINTED = 4
"""Tables of one kind that are printed; the others are in the folder, and results.tex has their lines as comments."""
FLOATS = 6
"""Tables and figures before a page is filled with what waits."""


@dataclass(frozen=True, slots=True)
class FolderFigure:
    """A figure with the paper's figure that it follows."""

    name: str
    figure: Figure
    after: str
    pdf: bytes


@dataclass(frozen=True, slots=True)
class FolderTable:
    """A table of the folder: its file's name, and the heading of the section that it belongs to."""

    name: str
    section: str
    table: Table
    printed: bool = True
    """Whether results.tex shows it; else it is there to be taken."""


SYSTEMS, ALONE = "Systems compared", "Every measure by itself"
"""The first section of the results, and the last."""


def paper_files(
    findings: Findings, figures: Sequence[FolderFigure], absent: Mapping[str, str]
) -> dict[str, str | bytes]:
    """Everything in the folder by its name; `absent` says of the other figures why they are not drawn."""
    tables = list(paper_tables(findings))
    methods = methods_of(findings)
    followed = [key for figure in figures for key in keys_in(figure.after)]
    cited = replace(methods, sentences=(*methods.sentences, *map(cite, dict.fromkeys(followed))))
    items = [rf"\item {{}}{breaking_tex(text)}" for text in limitations(findings)]
    texts: dict[str, str] = {
        METHODS: methods.latex + "\n",
        LIMITS: "\n".join([r"\begin{itemize}", *items, r"\end{itemize}", ""]),
        RESULTS: _results(findings, tables, figures),
        REFERENCES_FILE: cited.bibtex + "\n",
        MAIN: _main(findings),
    }
    for table in tables:
        texts[f"tables/{table.name}.tex"] = table_latex(table)
        texts[f"tables/{table.name}.csv"] = table.table.to_csv()
    files: dict[str, str | bytes] = {}
    for drawn in figures:
        texts[f"figures/{drawn.name}.tex"] = figure_latex(drawn)
        texts[f"figures/{drawn.name}.csv"] = drawn.figure.to_csv()
        files[f"figures/{drawn.name}.pdf"] = drawn.pdf
    printed = "".join(text for name, text in texts.items() if name.endswith((".tex", ".bib")))
    texts[STYLE] = style(printed)
    texts[README] = _readme(findings, tables, figures, absent)
    return {**texts, **files}


# Tables


def paper_tables(findings: Findings) -> Iterator[FolderTable]:
    """All tables: systems by measures, pairs, what was found on trust, and every measure by itself."""
    yield from _leagues(findings.comparisons)
    for part, result in with_results(findings):
        for name, tables in part.tables(result):
            there = [table for table in tables if table.rows]
            for number, table in enumerate(there, 1):
                file_name = name if len(there) == 1 else f"{name}-{number}"
                yield FolderTable(file_name, part.PAPER, _captioned(table), number <= PRINTED)
    names = stems([title(c, findings.comparisons) for c in findings.comparisons])
    for number, (c, name) in enumerate(zip(findings.comparisons, names, strict=True)):
        printed = number < PRINTED
        yield FolderTable(f"league-{name}", ALONE, _captioned(c.table()), printed)
        if c.family.any():
            yield FolderTable(f"pairs-{name}", ALONE, pairs_table(c, findings.comparisons), printed)


def _leagues(comparisons: Sequence[Comparison]) -> Iterator[FolderTable]:
    """Systems by measures of one target length and form, a few measures in a table."""
    groups = []
    for alike in made_alike(comparisons):
        by_target: dict[Target, list[Comparison]] = {}
        for c in alike:
            by_target.setdefault(c.matrix.target, []).append(c)
        groups += [
            of_target[at : at + TOGETHER]
            for of_target in by_target.values()
            for at in range(0, len(of_target), TOGETHER)
        ]
    for number, group in enumerate(groups, 1):
        name = "league" if len(groups) == 1 else f"league-{number}"
        yield FolderTable(name, SYSTEMS, _captioned(ComparedMeasures(results=tuple(group)).table()))


def pairs_table(c: Comparison, among: Sequence[Comparison]) -> Table:
    """Every pair that was tested, with its difference, p and conclusion."""
    pairs = c.pairs[c.test]
    different = sum(pair.different for pair in pairs)
    how = ", ".join(filter(None, (name_of_test(c)[0], correction_words([c])[0])))
    return Table.of(
        "pairs",
        ((p.a, p.b, p.result.n, p.result.difference, p.result.p, p.p_adjusted, p.conclusion) for p in pairs),
        Column("a", "first", right=False),
        Column("b", "second", right=False),
        Column("n", "topics"),
        Column("difference", format="+.4f"),
        Column("p", format=".4f"),
        Column("corrected", "corrected p", format=".4f"),
        Column("conclusion", right=False),
        title=f"{title(c, among)}: pairs of systems by the {how}; {different:,} of {len(pairs):,} differ",
        signature=c.signature,
    )


def _captioned(table: Table) -> Table:
    return replace(table, caption=table.caption or as_sentence(table.title))


def table_latex(paper: FolderTable) -> str:
    """A float that is made smaller where it would not fit; long names are cut, and of long tables the first rows."""
    table = paper.table
    cut = [row for row in table.rows if any(isinstance(cell, str) and len(cell) > LONGEST for cell in row)]
    sentences = [table.caption or as_sentence(table.title)]
    if len(table.rows) > MOST_ROWS:
        sentences.append(
            f"The first {MOST_ROWS} of {counted(len(table.rows), 'row')}; {paper.name}.csv has all."
        )
    if cut:
        sentences.append(f"Long names are cut; {paper.name}.csv has them whole.")
    columns = tuple(
        replace(column, show="never")
        if column.name in LEFT_TO_CSV
        else replace(column, heading=_short(column.title))
        if len(column.title) > LONGEST
        else column
        for column in table.columns
    )
    rows = tuple(
        tuple(_short(cell) if isinstance(cell, str) else cell for cell in row)
        for row in table.rows[:MOST_ROWS]
    )
    bold = frozenset((at, name) for at, name in table.bold if at < MOST_ROWS)
    parts = tuple(part for part in table.parts if part[0] < MOST_ROWS)
    plain = replace(table, columns=columns, rows=rows, caption="", bold=bold, parts=parts).to_latex()
    tabular, _, comments = plain.partition("\n\\end{tabular}")
    content = f"{tabular}\n\\end{{tabular}}"
    text = _float("table", content, breaking_tex(" ".join(sentences)), f"tab:{paper.name}")
    comments = comments.strip("\n")
    return f"{text}{comments}\n" if comments else text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:24]}…{text[-12:]}"


# Figures


def figure_latex(drawn: FolderFigure) -> str:
    caption = breaking_tex(f"{as_sentence(drawn.figure.title)} {as_sentence(drawn.figure.words)}")
    if drawn.after:
        keys = ",".join(keys_in(drawn.after))
        caption += f" After {tex(drawn.after)}" + (rf"~\cite{{{keys}}}." if keys else ".")
    return _float("figure", rf"\includegraphics{{figures/{drawn.name}.pdf}}", caption, f"fig:{drawn.name}")


def _float(kind: str, content: str, caption: str, label: str) -> str:
    return rf"""\begin{{{kind}}}[htbp]
\centering
\begin{{adjudgefit}}
{content}
\end{{adjudgefit}}
\caption{{{caption}}}
\label{{{label}}}
\end{{{kind}}}
"""


# Texts


def _results(findings: Findings, tables: Sequence[FolderTable], figures: Sequence[FolderFigure]) -> str:
    """Headlines, with references to the tables and figures that follow."""
    headlines: dict[str, list[str]] = {SYSTEMS: []}
    for c in findings.comparisons:
        if c.matrix.info.better is not None and len(c.standings) > 1:
            headlines[SYSTEMS].append(headline(c, named=True))
    for part in parts():
        headlines.setdefault(part.PAPER, [])
    for part, result in with_results(findings):
        headlines[part.PAPER] += part.headlines(result)
    lines: list[str] = []
    floats = 0
    for heading, sentences in (*headlines.items(), (ALONE, [])):
        of_heading = [table for table in tables if heading and table.section == heading]
        if not of_heading:
            continue
        lines.append(rf"\subsection{{{heading}}}")
        lines += [f"{breaking_tex(text)}\n" for text in dict.fromkeys(sentences)]
        lines.append(_see("Table", "Tables", [f"tab:{table.name}" for table in of_heading if table.printed]))
        for table in of_heading:
            if not table.printed:
                lines.append(rf"% \input{{tables/{table.name}}}")
                continue
            lines.append(rf"\input{{tables/{table.name}}}")
            floats += 1
            lines += [r"\clearpage"] * (floats % FLOATS == 0)
    if figures:
        lines.append(r"\subsection{Figures}")
        lines.append(_see("Figure", "Figures", [f"fig:{figure.name}" for figure in figures]))
        for number, drawn in enumerate(figures, 1):
            lines.append(rf"\input{{figures/{drawn.name}}}")
            lines += [r"\clearpage"] * (number % FLOATS == 0)
    return "\n".join(lines) + "\n\\clearpage\n"


def _see(one: str, many: str, labels: Sequence[str]) -> str:
    first, last = labels[0], labels[-1]
    if len(labels) == 1:
        return rf"See {one}~\ref{{{first}}}." + "\n"
    return rf"See {many}~\ref{{{first}}} to~\ref{{{last}}}." + "\n"


def _main(findings: Findings) -> str:
    return rf"""\documentclass[11pt]{{article}}
\usepackage[margin=2.5cm]{{geometry}}
\usepackage{{adjudge}}
\title{{{breaking_tex(findings.collection.settings.name)}}}
\author{{}}
\date{{}}
\begin{{document}}
\maketitle
\section{{Methods}}
\input{{{METHODS.removesuffix(".tex")}}}
\section{{Results}}
\input{{{RESULTS.removesuffix(".tex")}}}
\section{{Limitations}}
\input{{{LIMITS.removesuffix(".tex")}}}
\bibliographystyle{{plain}}
\bibliography{{{REFERENCES_FILE.removesuffix(".bib")}}}
\end{{document}}
"""


def style(printed: str) -> str:
    """What the files need; and of letters that pdfLaTeX does not have, a box with the number of each."""
    letters = sorted({c for c in printed if not c.isascii()})
    declared = [rf"\adjudgeletter{{{c}}}{{{ord(c):04X}}}" for c in letters]
    return "\n".join([MARK, _STYLE.strip("\n"), *declared, r"\fi\fi", r"\endinput", ""])


_STYLE = r"""
\NeedsTeXFormat{LaTeX2e}
\ProvidesPackage{adjudge}
\RequirePackage{booktabs,graphicx}
\tolerance=2000 \emergencystretch=6em
% A table or figure that is no wider than a line and no longer than most of a page.
\newsavebox{\adjudgebox}
\newenvironment{adjudgefit}{\begin{lrbox}{\adjudgebox}}{\end{lrbox}%
  \ifdim\wd\adjudgebox>\linewidth
    \sbox{\adjudgebox}{\resizebox{\linewidth}{!}{\usebox{\adjudgebox}}}%
  \fi
  \ifdim\dimexpr\ht\adjudgebox+\dp\adjudgebox\relax>0.75\textheight
    \sbox{\adjudgebox}{\resizebox*{!}{0.75\textheight}{\usebox{\adjudgebox}}}%
  \fi
  \usebox{\adjudgebox}}
% LuaLaTeX and XeLaTeX print every letter that the font has; pdfLaTeX prints its number in a box.
\DeclareRobustCommand{\adjudgeunknown}[1]{{\fboxsep=1pt\fbox{\tiny #1}}\allowbreak}
\newcommand{\adjudgeletter}[2]{%
  \ifcsname u8:\detokenize{#1}\endcsname\else\DeclareUnicodeCharacter{#2}{\adjudgeunknown{#2}}\fi}
\ifdefined\directlua\else\ifdefined\XeTeXrevision\else
"""


def _readme(
    findings: Findings,
    tables: Sequence[FolderTable],
    figures: Sequence[FolderFigure],
    absent: Mapping[str, str],
) -> str:
    from adjudge.core.table import markdown

    lines = [
        f"# {markdown(findings.collection.settings.name)}: for a paper",
        "",
        f"Written by Adjudge {__version__}. `pdflatex main && bibtex main && pdflatex main && pdflatex main` makes",
        "`main.pdf`. Each file can be taken into another paper by itself: copy `adjudge.sty` and the folders beside",
        r"your own, add `\usepackage{adjudge}`, and `\input` what you need. A further run writes all files anew.",
        "",
        "| file | what |",
        "|---|---|",
        f"| `{MAIN}` | puts everything together |",
        f"| `{METHODS}` | the paragraph on methods |",
        f"| `{RESULTS}` | the first sentence of every result, figures and tables; of many of a kind the first"
        f" {PRINTED}, the others as comments |",
        f"| `{LIMITS}` | what the results must not be taken for |",
        f"| `{REFERENCES_FILE}` | everything that is cited |",
        f"| `{STYLE}` | what tables and figures need: booktabs, graphicx, and letters that pdfLaTeX lacks |",
    ]
    lines += [f"| `tables/{table.name}.tex`, `.csv` | {markdown(table.table.title)} |" for table in tables]
    lines += [
        f"| `figures/{figure.name}.tex`, `.pdf`, `.csv` | {markdown(figure.figure.title)} |"
        for figure in figures
    ]
    if absent:
        lines += ["", "Figures that could not be drawn:", ""]
        lines += [f"- {name}: {markdown(why)}" for name, why in absent.items()]
    return "\n".join(lines) + "\n"


# On disk


@reading_once()
def write_paper(
    findings: Findings, folder: Path, *, progress: Progress = lambda done, of: None
) -> list[Path]:
    """Write the folder; the paths, main.tex first. What an earlier run left in tables/ and figures/ goes.

    A folder that holds somebody's own paper is refused.
    """
    check_folder(folder)
    figures, absent = drawn_figures(findings, progress=progress)
    return write_folder(folder, paper_files(findings, figures, absent))


def check_folder(folder: Path) -> None:
    """Refuse a file, and a folder that holds somebody's own paper."""
    if folder.exists() and not folder.is_dir():
        raise ClashError(f"{folder}: is a file, expected a folder or nothing")
    style_file = folder / STYLE
    ours = style_file.is_file() and style_file.read_text(encoding="utf-8", errors="replace").startswith(MARK)
    if (folder / MAIN).exists() and not ours:
        raise ClashError(f"{folder / MAIN}: was not written by adjudge: choose another folder")


def write_folder(folder: Path, files: Mapping[str, str | bytes], first: str = MAIN) -> list[Path]:
    """Write files by their names; the paths, the `first` one first. What an earlier run left in tables/ and figures/
    goes."""
    try:
        for name in ("tables", "figures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for path in (folder / name).iterdir():
                if path.suffix in OWN and f"{name}/{path.name}" not in files:
                    path.unlink()
        for name, text in files.items():
            (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    except OSError as error:
        raise DataError(f"{folder}: the paper cannot be written: {error.strerror}") from None
    return [folder / first, *(folder / name for name in files if name != first)]


def drawn_figures(
    findings: Findings, *, progress: Progress = lambda done, of: None
) -> tuple[list[FolderFigure], dict[str, str]]:
    """Every figure of the catalogue that there is data for; of the others why not."""
    drawn: list[FolderFigure] = []
    absent: dict[str, str] = {}
    asked = _asked(findings)
    for done, spec in enumerate(CATALOGUE.values()):
        progress(done, len(CATALOGUE))
        figure, why = first_drawn(spec, findings.scores, asked, on_paper=True)
        if figure is None:
            absent[spec.name] = why
            continue
        try:
            drawn.append(FolderFigure(spec.name, figure, spec.after, figure.to_pdf()))
        except Undrawable as error:
            absent[spec.name] = str(error)
    progress(len(CATALOGUE), len(CATALOGUE))
    return drawn, absent


def _asked(findings: Findings) -> list[FigureOptions]:
    """Of the figure's own choice of measures, then of one: people's first, else the first with a direction."""
    length, form = findings.target
    reported = [c.measure for c in findings.comparisons if c.matrix.info.better is not None]
    people = [name for name in people_of(findings) if name in reported]
    tried: list[tuple[str, ...]] = [(), *((name,) for name in dict.fromkeys([*people[:1], *reported[:1]]))]
    if len({c.measure for c in findings.comparisons}) == 1:
        tried = [(findings.comparisons[0].measure,)]
    return choices(
        findings.scores, FigureOptions(length=length, form=form, seed=findings.options.seed), tried
    )
