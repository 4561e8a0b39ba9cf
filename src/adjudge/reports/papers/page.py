"""A paper made again as a folder: a page to read, tables as CSV and LaTeX, figures as SVG, PDF and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.methods import MethodsParagraph, breaking_tex, cite
from adjudge.analyses.pages.chapter import drawn_figure
from adjudge.analyses.pages.parts import (
    Fact,
    PageLink,
    PageSection,
    PartsPage,
    render_parts,
    shown_table,
)
from adjudge.analyses.pages.render import INDEX
from adjudge.analyses.references import keys_in
from adjudge.core.phrases import spoken
from adjudge.core.picture import Undrawable
from adjudge.core.words import as_sentence
from adjudge.reports.page import stems
from adjudge.reports.paper import (
    MAIN,
    REFERENCES_FILE,
    STYLE,
    FolderFigure,
    FolderTable,
    check_folder,
    figure_latex,
    style,
    table_latex,
    write_folder,
)
from adjudge.reports.papers.paper import MadePart, Reproduction

MISSING = "missing"


def write_reproduction(result: Reproduction, folder: Path, *, made_at: str | None = None) -> list[Path]:
    """Write the folder; the paths, index.html first."""
    check_folder(folder)
    anchors = stems([made.part.name for made in result.parts], [MISSING])
    of_parts = {
        anchor: _files(result, made, anchor) for made, anchor in zip(result.parts, anchors, strict=True)
    }
    main = _main(result, of_parts)
    texts = [text for files in of_parts.values() for text in files.values() if isinstance(text, str)]
    everything = {
        **{name: text for files in of_parts.values() for name, text in files.items()},
        REFERENCES_FILE: MethodsParagraph((cite(*keys_in(result.paper.short)),)).bibtex + "\n",
        STYLE: style("".join([*texts, main])),
        MAIN: main,
        INDEX: render_parts(_page(result, of_parts, made_at)),
    }
    return write_folder(folder, everything, INDEX)


Files = Mapping[str, str | bytes]


def _after(result: Reproduction, made: MadePart) -> str:
    return f"{result.paper.short}, {made.part.name} ({made.part.section})"


def _files(result: Reproduction, made: MadePart, anchor: str) -> dict[str, str | bytes]:
    """The files of a part by their names; a picture that cannot be drawn here leaves its rows."""
    files: dict[str, str | bytes] = {}
    after = _after(result, made)
    for name, figure in zip(_names(anchor, len(made.figures)), made.figures, strict=True):
        files[f"figures/{name}.csv"] = figure.to_csv()
        try:
            files[f"figures/{name}.svg"] = figure.to_svg()
            pdf = figure.to_pdf()
        except Undrawable:
            continue
        files[f"figures/{name}.pdf"] = pdf
        files[f"figures/{name}.tex"] = figure_latex(FolderFigure(name, figure, after, pdf))
    for name, table in zip(_names(anchor, len(made.tables)), made.tables, strict=True):
        caption = f"{table.caption or as_sentence(table.title)} After {after}."
        files[f"tables/{name}.csv"] = table.to_csv()
        files[f"tables/{name}.tex"] = table_latex(FolderTable(name, "", replace(table, caption=caption)))
    return files


def _names(anchor: str, count: int) -> list[str]:
    return [anchor] if count == 1 else [f"{anchor}-{k}" for k in range(1, count + 1)]


def _main(result: Reproduction, of_parts: Mapping[str, Files]) -> str:
    """All parts in the paper's order, and what is missing."""
    lines = [
        r"\documentclass[11pt]{article}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\usepackage{adjudge}",
        rf"\title{{{breaking_tex(f'{result.paper.short}: {result.name}')}}}",
        r"\author{}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
    ]
    for made, files in zip(result.parts, of_parts.values(), strict=True):
        inputs = [name.removesuffix(".tex") for name in files if name.endswith(".tex")]
        if inputs:
            lines.append(rf"\subsection*{{{breaking_tex(f'{made.part.name}: {made.part.about}')}}}")
            lines += [*(rf"\input{{{name}}}" for name in inputs), r"\clearpage"]
    if result.missing:
        lines += [r"\subsection*{What is missing}", r"\begin{itemize}"]
        lines += [rf"\item {{}}{breaking_tex(text)}" for text in missing_lines(result)]
        lines.append(r"\end{itemize}")
    return "\n".join(
        [*lines, r"\bibliographystyle{plain}", r"\bibliography{references}", r"\end{document}", ""]
    )


def missing_lines(result: Reproduction) -> list[str]:
    """Every part that is not there or not whole: why, and the command that gets it."""
    return [
        f"{made.part.name} ({made.part.about}): {as_sentence(spoken(made.missing, 'command'))}"
        + (f" Get it: {made.command}" if made.command else "")
        for made in result.missing
    ]


def _page(result: Reproduction, of_parts: Mapping[str, Files], made_at: str | None) -> PartsPage:
    pairs = zip(result.parts, of_parts, strict=True)
    there = {anchor: made for made, anchor in pairs if made.pieces}
    sections = [_section(made, anchor, of_parts[anchor]) for anchor, made in there.items()]
    first, to_first = next(((anchor, made.part.name) for anchor, made in there.items()), (MISSING, ""))
    if result.missing:
        first, to_first = MISSING, "What is missing, and how to get it"
        lines = tuple(missing_lines(result))
        sections.append(PageSection(name=MISSING, question=to_first, sentences=lines))
    return PartsPage(
        title=f"{result.name} · {result.paper.short}",
        kind="A paper from your data",
        name=result.name,
        question=f"{result.paper.short}: {result.paper.title}",
        version=__version__,
        made_at=made_at,
        facts=(Fact("Parts", f"{len(there):,} of {len(result.parts):,}"),),
        headlines=((f"#{first}", to_first, (result.headline(),)),),
        notes=(),
        sections=tuple(sections),
        signature=result.table().signature,
        latex=MAIN,
        links=tuple(
            PageLink(f"#{anchor}", f"{made.part.name}: {made.part.about}") for anchor, made in there.items()
        ),
    )


def _section(made: MadePart, anchor: str, files: Files) -> PageSection:
    return PageSection(
        name=anchor,
        question=f"{made.part.name}: {made.part.about}",
        sentences=tuple(made.sentences("command")),
        figures=tuple(map(drawn_figure, made.figures)),
        tables=tuple(map(shown_table, made.tables)),
        notes=tuple(made.notes("command")),
        files=tuple(PageLink(name, name.partition("/")[2]) for name in files),
    )
