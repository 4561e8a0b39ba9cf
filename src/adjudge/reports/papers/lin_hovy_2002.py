"""Lin and Hovy 2002: the instability of people's judgments, NAMS beside them, and a judge that learns from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from adjudge.analyses.stability import stability
from adjudge.reports.papers.paper import Material, Paper, Part, Piece

JUDGE = "assign {where} --protocol duc-2001"


def _retention(task: str) -> Callable[[Material], Iterator[Piece]]:
    """Figures 2 and 3: scores with what repeated judgments leave open."""

    def make(material: Material) -> Iterator[Piece]:
        result = stability(material.of_topics(f"task={task}"), quick=True, seed=material.seed)
        yield result.only(["resolutions"])
        yield result.figure("retention")

    return make


PAPER = Paper(
    name="lin-hovy-2002",
    short="Lin and Hovy 2002",
    title="Manual and automatic evaluation of summaries",
    parts=(
        Part(
            name="Figure 2",
            section="section 4",
            about="scores of systems on single documents, and what repeated judgments leave open",
            make=_retention("single"),
            how=JUDGE,
        ),
        Part(
            name="Figure 3",
            section="section 4",
            about="scores of systems on sets of documents, and what repeated judgments leave open",
            make=_retention("multi"),
            how=JUDGE,
        ),
    ),
)
