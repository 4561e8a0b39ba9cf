"""The pages of judges' dossiers: one per judge, and one that leads to them where there are several."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.judges.result import PANEL, JudgeDossier, JudgeReport, csv_name, file_stem
from adjudge.core.words import counted, listed
from adjudge.reports.page import Fact
from adjudge.reports.parts import PageLink, PartsPage, headlines, render_parts, section
from adjudge.reports.render import INDEX, write_pages

TEX = "judges.tex"


def write_dossiers(found: JudgeReport, folder: str | Path, *, made_at: str | None = None) -> list[Path]:
    """Write the pages, every part as CSV and all tables as LaTeX into a folder; the paths, index.html first.

    What earlier dossiers left there goes: it would be taken for these judges'.
    """
    files = found.files()
    if len(found.dossiers) == 1 and found.panel is None:
        files[INDEX] = render_parts(dossier_page(found, 0, made_at=made_at))
    else:
        for k, dossier in enumerate(found.dossiers):
            files[f"{file_stem(k + 1, dossier.judge)}.html"] = render_parts(
                dossier_page(found, k, made_at=made_at)
            )
        files[INDEX] = render_parts(overview_page(found, made_at=made_at))
    written = write_pages(files, folder)
    for path in Path(folder).iterdir():
        if (
            re.fullmatch(r"\d+-[a-z0-9-]+(\.html|-[a-z]+\.csv)|panel\.csv", path.name)
            and path.name not in files
        ):
            path.unlink(missing_ok=True)
    return written


def dossier_page(found: JudgeReport, at: int, *, made_at: str | None = None) -> PartsPage:
    """One judge: every part with what it says and its tables."""
    dossier = found.dossiers[at]
    sections = tuple(
        section(name, dossier.QUESTIONS[name], part, file=csv_name(at + 1, dossier.judge, name))
        for name, part in dossier.parts.items()
    )
    several = len(found.dossiers) > 1 or found.panel is not None
    (place, question, _), *others = headlines(sections)
    return PartsPage(
        title=f"{dossier.judge} · what it is worth as a judge",
        kind="Dossier of a judge",
        name=dossier.judge,
        question="What is it worth?",
        version=__version__,
        made_at=made_at,
        facts=_facts(found, dossier),
        headlines=((place, question, (dossier.headline(),)), *others),
        notes=(*found.notes, *dossier.all_notes()),
        sections=sections,
        signature=dossier.signature,
        latex=TEX,
        links=(PageLink(INDEX, "All judges"),) if several else (),
    )


def overview_page(found: JudgeReport, *, made_at: str | None = None) -> PartsPage:
    """All judges, with their verdicts, and what they are worth together."""
    sections = () if found.panel is None else (section("panel", PANEL, found.panel, file="panel.csv"),)
    said = tuple(
        (f"{file_stem(k, d.judge)}.html", f"{d.judge}: {d.what}", (d.headline(),))
        for k, d in enumerate(found.dossiers, 1)
    )
    return PartsPage(
        title=f"{found.name} · what judges are worth",
        kind="Dossiers of judges",
        name=found.name,
        question="What are they worth?",
        version=__version__,
        made_at=made_at,
        facts=(
            Fact("Judges", f"{len(found.dossiers):,}", listed([d.judge for d in found.dossiers], most=4)),
        ),
        headlines=(*said, *headlines(sections)),
        notes=found.notes,
        sections=sections,
        signature=found.dossiers[0].signature,
        latex=TEX,
    )


def _facts(found: JudgeReport, dossier: JudgeDossier) -> tuple[Fact, ...]:
    benches = dossier.benches
    topics = {topic for bench in benches for topic in bench.take(bench.judged).topics}
    people = sorted({name for bench in benches for name in bench.people})
    card = dossier.card
    answers = sum(int(bench.judged.sum()) for bench in benches)
    return (
        Fact("Judge", "a program" if card is not None else "an assessor", dossier.what),
        Fact("Evaluation", found.name, listed([bench.aspect for bench in benches], most=4)),
        Fact("Assessors beside it", f"{len(people):,}", listed(people, most=4)),
        Fact("Topics", f"{len(topics):,}", counted(answers, "shared answer")),
    )
