"""The report's page as HTML, and its files on disk."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from adjudge.analyses.pages.render import INDEX, STYLES, shown, style, template, write_pages
from adjudge.reports.contents import ORDER
from adjudge.reports.page import ReportPage
from adjudge.reports.sections import STEPS

TEMPLATE = "reports/page.html.j2"
SCRIPT = "reports/report.js"


def render(page: ReportPage) -> str:
    """One HTML page that needs nothing beside it. Its script, which the policy allows by its hash, only adds a chooser,
    sorting, filters and tooltips."""
    text = template(TEMPLATE).render(
        page=page,
        style=style(*styles()),
        script=script(),
        script_hash=script_hash(script()),
        heat_steps=range(STEPS),
    )
    return shown(text)


@cache
def styles() -> tuple[str, ...]:
    """What every page looks like, then the chapters that have rules of their own."""
    chapters = [f"analyses/{name}/chapter.css" for name in ORDER]
    there = [name for name in chapters if files("adjudge").joinpath(name).is_file()]
    return (*STYLES, *there, "analyses/pages/figure.css", "analyses/pages/sections.css", "reports/method.css")


def write_report(page: ReportPage, folder: str | Path) -> list[Path]:
    """Write index.html and the tables into a folder, which may be there; the paths, index.html first."""
    tables = [*page.paper, *(table for section in page.sections for table in section.tables)]
    return write_pages({table.name: table.text for table in tables} | {INDEX: render(page)}, folder)


def script() -> str:
    """Our own script, as the template prints it."""
    return style(SCRIPT)


def script_hash(text: str) -> str:
    """How a content security policy names a script by what it says."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
