"""The pages of judges' dossiers: one per judge, and one that leads to them where there are several."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.judges.result import JudgeDossier, JudgeReport
from adjudge.analyses.judges.words import what_it_is
from adjudge.analyses.pages.parts import Fact, PageLink, PartsPage, headlines, render_parts, section
from adjudge.analyses.pages.render import INDEX, write_pages
from adjudge.core.words import counted, listed

TEX = "judges.tex"


def write_dossiers(report: JudgeReport, folder: str | Path, *, made_at: str | None = None) -> list[Path]:
    """Write the pages, every part as CSV and all tables as LaTeX into a folder; the paths, index.html first.

    What earlier dossiers left there goes: it would be taken for these judges'.
    """
    files = {
        f"{_stem(report, dossier)}-{name}.csv": part.to_csv()
        for dossier in report
        for name, part in dossier.parts.items()
    }
    files[TEX] = "\n\n".join(dossier.to_latex() for dossier in report)
    if len(report) == 1:
        files[INDEX] = render_parts(dossier_page(report, report[0], made_at=made_at))
    else:
        for dossier in report:
            files[f"{_stem(report, dossier)}.html"] = render_parts(
                dossier_page(report, dossier, made_at=made_at)
            )
        files[INDEX] = render_parts(overview_page(report, made_at=made_at))
    written = write_pages(files, folder)
    for path in Path(folder).iterdir():
        if re.fullmatch(r"\d+-[a-z0-9-]+(\.html|-[a-z]+\.csv)", path.name) and path.name not in files:
            path.unlink(missing_ok=True)
    return written


def _stem(report: JudgeReport, dossier: JudgeDossier) -> str:
    """What the names of a judge's files begin with: `1-smollm2`."""
    slug = re.sub(r"[^a-z0-9]+", "-", dossier.judge.lower()).strip("-")[:40] or "judge"
    return f"{report.results.index(dossier) + 1}-{slug}"


def dossier_page(report: JudgeReport, dossier: JudgeDossier, *, made_at: str | None = None) -> PartsPage:
    """One judge: every part with what it says and its tables."""
    sections = tuple(
        section(
            name,
            dossier.QUESTIONS[name],
            part,
            file=f"{_stem(report, dossier)}-{name}.csv",
            door="command",
        )
        for name, part in dossier.parts.items()
    )
    (place, question, _), *others = headlines(sections)
    of_parts = {note for part in dossier.parts.values() for note in part.warnings("command")}
    return PartsPage(
        title=f"{dossier.judge} · what it is worth as a judge",
        kind="Dossier of a judge",
        name=dossier.judge,
        question="What is it worth?",
        version=__version__,
        made_at=made_at,
        facts=_facts(dossier),
        headlines=((place, question, (dossier.headline(),)), *others),
        notes=tuple(note for note in dossier.warnings("command") if note not in of_parts),
        sections=sections,
        signature=dossier.signature,
        latex=TEX,
        links=(PageLink(INDEX, "All judges"),) if len(report) > 1 else (),
    )


def overview_page(report: JudgeReport, *, made_at: str | None = None) -> PartsPage:
    """All judges, with their verdicts."""
    name = report[0].name
    return PartsPage(
        title=f"{name} · what judges are worth",
        kind="Dossiers of judges",
        name=name,
        question="What are they worth?",
        version=__version__,
        made_at=made_at,
        facts=(Fact("Judges", f"{len(report):,}", listed([dossier.judge for dossier in report], most=4)),),
        headlines=tuple(
            (
                f"{_stem(report, dossier)}.html",
                f"{dossier.judge}: {what_it_is(dossier)}",
                (dossier.headline(),),
            )
            for dossier in report
        ),
        notes=(*report.about_scores, *report.alike()),
        sections=(),
        signature=report[0].signature,
        latex=TEX,
    )


def _facts(dossier: JudgeDossier) -> tuple[Fact, ...]:
    benches = dossier.benches
    topics = {topic for bench in benches for topic in bench.take(bench.judged).topics}
    people = sorted({name for bench in benches for name in bench.people})
    answers = sum(int(bench.judged.sum()) for bench in benches)
    return (
        Fact("Judge", "a program" if dossier.cards else "an assessor", what_it_is(dossier)),
        Fact("Evaluation", dossier.name, listed([bench.aspect for bench in benches], most=4)),
        Fact("Assessors beside it", f"{len(people):,}", listed(people, most=4)),
        Fact("Topics", f"{len(topics):,}", counted(answers, "shared answer")),
    )
