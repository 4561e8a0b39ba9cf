"""Zopf 2018: summaries evaluated by pairwise preferences between sentences of their sources, beside other measures.

Figure 1 is a drawing of the method and shows no data. What is not scored yet is scored and kept, as by
`adjudge prefer report`. Of several data sets tables have them one below the other; figures are of the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from adjudge.analyses.catalogue.choice import main_target
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.gathered import gathered_of
from adjudge.analyses.meta.cells import human_measures
from adjudge.analyses.preferences import PreferenceReport, PreferencesNeeded, PreferenceStudy
from adjudge.analyses.preferences.measures import PaperColumn, PreferenceTables, stacked
from adjudge.core.errors import UsageError
from adjudge.core.table import Column, Table
from adjudge.core.words import listed
from adjudge.data.reading import read_once
from adjudge.data.target import Target
from adjudge.judgments.pairs.answers import sentence_rows
from adjudge.reports.papers.paper import Lacking, Material, Paper, Part, Piece

R = TypeVar("R", bound=PreferenceStudy[Any])
ASK = "prefer sample {where}"
NEEDED = {
    "man": ("people's preferences between sentences", ASK),
    "py": ("pyramids", "assign {where} --protocol pyramid"),
    "ref": ("reference summaries", "import FILE {where}"),
}
"""What columns are made from, and how to get it."""
INFORMATION = ("content", "coverage", "relevan", "overall|respons")
"""What measures of a summary's information are called, those first that ask for nothing else."""


def people_of(material: Material) -> str:
    """People's measure of the information in a summary; where there is none, their first one."""
    try:
        measures = human_measures(material.scores, ())
    except UsageError:
        how = f"assign {material.where} --protocol responsiveness"
        raise Lacking("there are no scores by people with which measures could be compared", how) from None
    for asked in INFORMATION:
        if of := [name for name in measures if re.search(asked, name.casefold())]:
            return of[0]
    return next((name for name in measures if name != "pyramid"), measures[0])


def _study(kind: type[R], material: Material) -> R:
    """A study against people's measure, at the length and form with most of its scores."""
    scores, people = material.scores, people_of(material)
    lengths = scores.lengths(people)
    judged = FigureOptions(measures=(people,), length=lengths[0] if len(lengths) == 1 else None)
    at = main_target(scores, judged) or Target(judged.one_length)
    length, form = main_target(scores, FigureOptions(length=at.length, form=at.form)) or at
    topics = () if scores.chosen is None else tuple(sorted(scores.chosen.topics))
    return kind(people=people, length=length, form=form, topics=topics, seed=material.seed)


def _run(kind: type[R], material: Material) -> Any:
    """What a study finds, made once for all parts."""
    folder, _ = material.texts()
    study = _study(kind, material)
    return read_once((str(folder.path), str(study)), lambda: study.run(study.read(material.scores)))


def _table(name: str) -> Callable[[Material], Iterator[Piece]]:
    """One of the four tables; lacking where a column has no number."""

    def make(material: Material) -> Iterator[Piece]:
        results: dict[str, PreferenceTables] = {
            data: _run(PreferenceReport, one) for data, one in material.by_data_set.items()
        }
        yield stacked(results, name)
        for data, result in results.items():
            if absent := [cell for cell in result.paper(name).cells if cell.why is not None]:
                raise _lacking(absent, result, material.by_data_set[data])

    return make


def _lacking(absent: Sequence[PaperColumn], result: PreferenceTables, material: Material) -> Lacking:
    """What columns without numbers need, of what is not there, and how to get the first of it."""
    alone = {cell.heading: cell.why for paper in result.papers[:3] for cell in paper.cells}
    asked = {part for cell in absent for part in cell.short.casefold().split("+")}
    needed = [need for need in NEEDED if need in asked and alone[need] is not None]
    headings = listed([cell.heading for cell in absent], most=len(absent))
    if not needed:
        return Lacking(f"{headings}: {absent[0].why}")
    needs = "needs" if len(absent) == 1 else "need"
    how = NEEDED[needed[0]][1].format(where=material.where)
    return Lacking(f"{headings} {needs} {listed([NEEDED[need][0] for need in needed])}", how)


def _figure_2(material: Material) -> Iterator[Piece]:
    """The first pair of sentences of which one was preferred."""
    material.texts()
    gathered = gathered_of(material.scores)
    for topic, batch in {} if gathered is None else gathered.batches.items():
        for row in sentence_rows(batch):
            if row.winner in ("left", "right"):
                rows = [(row.left, row.winner == "left"), (row.right, row.winner == "right")]
                columns = Column("sentence", right=False), Column("preferred")
                title = f"Two sentences of {topic}, and which of them {row.assessor} preferred"
                yield Table.of("pair", rows, *columns, title=title)
                return
    raise Lacking("no pair of sentences has been compared", ASK.format(where=material.where))


def _figure_3(material: Material) -> Iterator[Piece]:
    """Agreement with people by the number of answers, topic by topic, 100 random orders of them each."""
    result = _run(PreferencesNeeded, material)
    if not result.measured:
        raise Lacking("no topic has answers to pairs of its sentences", ASK.format(where=material.where))
    yield result.figure("preferences-needed")
    yield result


PAPER = Paper(
    name="zopf-2018",
    short="Zopf 2018",
    title="Estimating summary quality with pairwise preferences",
    several=True,
    parts=(
        Part(
            name="Figure 2",
            section="section 4",
            about="a pair of sentences, and which of them was preferred",
            make=_figure_2,
        ),
        Part(
            name="Table 1",
            section="section 5.1",
            about="agreement of measures with people, and of preferences between sentences",
            make=_table("table-1"),
        ),
        Part(
            name="Table 2",
            section="section 5.2",
            about="the same with simulated preferences added to people's",
            make=_table("table-2"),
        ),
        Part(
            name="Table 3",
            section="section 5.3",
            about="the same with simulated preferences alone",
            make=_table("table-3"),
        ),
        Part(
            name="Figure 3",
            section="section 5.4",
            about="how agreement grows with the number of preferences",
            make=_figure_3,
        ),
        Part(
            name="Table 4",
            section="section 5.5",
            about="how many pairs of sentences are ordered as pyramid weights do, without and with smoothing",
            make=_table("table-4"),
        ),
    ),
)
