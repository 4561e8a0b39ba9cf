"""A paper made again as a folder: a page to read, tables as CSV and LaTeX, figures as SVG, PDF and their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.methods import MethodsParagraph, breaking_tex, cite
from adjudge.analyses.pages.chapter import drawn_figure
from adjudge.analyses.pages.parts import (
    PageLink,
    PageSection,
    PartsPage,
    render_parts,
    shown_table,
)
from adjudge.analyses.pages.render import INDEX
from adjudge.analyses.references import keys_in
from adjudge.core.phrases import spoken
from adjudge.core.picture import Figure, Undrawable
from adjudge.core.table import Table
from adjudge.core.words import as_sentence, listed
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
from adjudge.reports.papers.paper import MadePart, Reproduction, sentences_of, tables_of

MISSING = "missing"
Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class PaperBlock:
    """A figure or table of a part: how the page shows it, and its files by name."""

    section: PageSection
    files: Files


def write_reproduction(result: Reproduction, folder: Path, *, made_at: str | None = None) -> list[Path]:
    """Write the folder; the paths, index.html first."""
    check_folder(folder)
    anchors = stems([made.part.name for made in result.parts], [MISSING])
    blocks = {
        anchor: list(_blocks(result, made, anchor))
        for anchor, made in zip(anchors, result.parts, strict=True)
    }
    files = {name: text for some in blocks.values() for block in some for name, text in block.files.items()}
    main = _main(result, blocks)
    printed = [main, *(text for text in files.values() if isinstance(text, str))]
    everything = {
        **files,
        REFERENCES_FILE: MethodsParagraph((cite(*keys_in(result.paper.short)),)).bibtex + "\n",
        STYLE: style("".join(printed)),
        MAIN: main,
        INDEX: render_parts(_page(result, blocks, made_at)),
    }
    return write_folder(folder, everything, INDEX)


def _blocks(result: Reproduction, made: MadePart, anchor: str) -> Iterator[PaperBlock]:
    """The pieces of a part in their order; of several tables of a result the first has what is said of all."""
    after = f"{result.paper.short}, {made.part.name} ({made.part.section})"
    figures = iter(_names(anchor, len(made.figures)))
    tables = iter(_names(anchor, len(made.tables)))
    for piece in made.pieces:
        if isinstance(piece, Figure):
            yield _of_figure(piece, next(figures), after)
            continue
        sentences = sentences_of(piece, "command")
        for table in tables_of(piece):
            yield _of_table(table, next(tables), after, sentences)
            sentences = []


def _names(anchor: str, count: int) -> list[str]:
    return [anchor] if count == 1 else [f"{anchor}-{k}" for k in range(1, count + 1)]


def _of_figure(figure: Figure, name: str, after: str) -> PaperBlock:
    """Where a picture cannot be drawn, there are its rows."""
    start = f"figures/{name}"
    files: dict[str, str | bytes] = {f"{start}.csv": figure.to_csv()}
    with suppress(Undrawable):
        files[f"{start}.svg"] = figure.to_svg()
        files[f"{start}.pdf"] = pdf = figure.to_pdf()
        files[f"{start}.tex"] = figure_latex(FolderFigure(name, figure, after, pdf))
    return PaperBlock(PageSection(figures=(drawn_figure(figure),), files=_links(files)), files)


def _of_table(table: Table, name: str, after: str, sentences: Sequence[str]) -> PaperBlock:
    caption = f"{table.caption or as_sentence(table.title)} After {after}."
    printed = FolderTable(name, "", replace(table, caption=caption))
    files = {f"tables/{name}.csv": table.to_csv(), f"tables/{name}.tex": table_latex(printed)}
    shown = PageSection(sentences=tuple(sentences), tables=(shown_table(table),), files=_links(files))
    return PaperBlock(shown, files)


KINDS = {"csv": "CSV", "tex": "LaTeX"}


def _links(files: Files) -> tuple[PageLink, ...]:
    endings = {name: name.rpartition(".")[2] for name in files}
    return tuple(PageLink(name, KINDS.get(end, end.upper())) for name, end in endings.items())


def _main(result: Reproduction, blocks: Mapping[str, Sequence[PaperBlock]]) -> str:
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
    for made, some in zip(result.parts, blocks.values(), strict=True):
        inputs = [name for block in some for name in block.files if name.endswith(".tex")]
        if inputs:
            lines.append(rf"\subsection*{{{breaking_tex(made.part.heading)}}}")
            lines += [*(rf"\input{{{name.removesuffix('.tex')}}}" for name in inputs), r"\clearpage"]
    if result.missing:
        lines += [r"\subsection*{What is missing}", r"\begin{itemize}"]
        lines += [rf"\item {{}}{breaking_tex(text)}" for text in missing_lines(result)]
        lines.append(r"\end{itemize}")
    return "\n".join(
        [*lines, r"\bibliographystyle{plain}", r"\bibliography{references}", r"\end{document}", ""]
    )


def missing_lines(result: Reproduction) -> list[str]:
    """Why parts are not there, or not whole, and the command that gets what is missing."""
    parts: dict[tuple[str, str], list[str]] = {}
    for made in result.missing:
        parts.setdefault((made.missing, made.command), []).append(made.part.name)
    every = len(result.parts)
    lines = []
    for (why, command), names in parts.items():
        which = "All parts" if len(names) == every else listed(names, most=every)
        how = f" Get it: {command}" if command else ""
        lines.append(f"{which}: {as_sentence(spoken(why, 'command'))}{how}")
    return lines


def _page(result: Reproduction, blocks: Mapping[str, Sequence[PaperBlock]], made_at: str | None) -> PartsPage:
    sections, links = [], []
    for made, (anchor, some) in zip(result.parts, blocks.items(), strict=True):
        if not some:
            links.append(PageLink(f"#{MISSING}", f"{made.part.heading} (missing)"))
            continue
        links.append(PageLink(f"#{anchor}", made.part.heading))
        sections.append(
            PageSection(
                name=anchor,
                question=made.part.heading,
                about=f"{result.paper.short}, {made.part.section}",
                inner=tuple(block.section for block in some),
                notes=tuple(note for note in made.notes("command") if note not in result.about),
            )
        )
    place, to = links[0].file, links[0].text
    if result.missing:
        place, to = f"#{MISSING}", "What is missing, and how to get it"
        sections.append(PageSection(name=MISSING, question=to, sentences=tuple(missing_lines(result))))
    return PartsPage(
        title=f"{result.name} · {result.paper.short}",
        kind="A paper from your data",
        name=result.paper.short,
        question=result.paper.title,
        version=__version__,
        made_at=made_at,
        facts=(),
        headlines=((place, to, (result.headline(),)),),
        notes=result.about,
        sections=tuple(sections),
        signature=result.table().signature,
        latex=MAIN,
        links=tuple(links),
    )
