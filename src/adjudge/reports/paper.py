"""The folder for a paper on disk: every figure that there is data for is drawn, then all files are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.choice import choices, first_drawn
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.pages.judgments import people_of
from adjudge.core.errors import ClashError, DataError
from adjudge.core.picture import Undrawable
from adjudge.data.reading import reading_once
from adjudge.reports.paperfolder import MAIN, STYLE, FolderFigure, known_as_ours, paper_files

if TYPE_CHECKING:
    from adjudge.analyses.pages.chapter import Findings
    from adjudge.reports.contents import Progress

OWN = (".tex", ".csv", ".pdf")


@reading_once()
def write_paper(
    findings: Findings, folder: Path, *, progress: Progress = lambda done, of: None
) -> list[Path]:
    """Write the folder; the paths, main.tex first. What an earlier run left in tables/ and figures/ goes."""
    _check(folder)
    figures, absent = drawn_figures(findings, progress=progress)
    files = paper_files(findings, figures, absent)
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
    return [folder / MAIN, *(folder / name for name in files if name != MAIN)]


def _check(folder: Path) -> None:
    """Refuse a folder that holds somebody's own paper."""
    if folder.exists() and not folder.is_dir():
        raise ClashError(f"{folder}: is a file, expected a folder or nothing")
    own = folder / STYLE
    if (folder / MAIN).exists() and not (
        own.is_file() and known_as_ours(own.read_text(encoding="utf-8", errors="replace"))
    ):
        raise ClashError(f"{folder / MAIN}: was not written by adjudge report --paper: choose another folder")


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
