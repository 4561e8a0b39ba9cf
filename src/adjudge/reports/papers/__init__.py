"""Papers made again from an evaluation: every table and figure in its order. Each paper is a module with `PAPER`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from adjudge.core.errors import UsageError, among, quoted

if TYPE_CHECKING:
    from adjudge.reports.papers.paper import Paper

PAPERS = ("lin-hovy-2002", "duc-2002", "rankel-2011", "zopf-2018")
"""Their names, in the order of the years."""


def paper_named(name: str) -> Paper:
    if name not in PAPERS:
        raise UsageError(f"there is no paper {quoted(name)}{among(name, PAPERS)}")
    paper: Paper = import_module(f"adjudge.reports.papers.{name.replace('-', '_')}").PAPER
    return paper
