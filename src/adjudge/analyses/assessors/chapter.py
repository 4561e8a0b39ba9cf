"""Who judges otherwise, in the chapter on judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adjudge.analyses.assessors import dossiers
from adjudge.analyses.assessors.result import Dossiers
from adjudge.analyses.pages.chapter import Absent, Findings, page_figure
from adjudge.analyses.pages.judgments import (
    JudgmentsPart,
    form_words,
    in_all,
    one_form,
    people_of,
    without_people,
)
from adjudge.analyses.pages.sections import Section, section
from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import Argument, Call
from adjudge.core.table import Table
from adjudge.core.words import listed
from adjudge.data.scores import AllLengths

OfMeasures = tuple[Dossiers, ...]
"""The dossiers of a few measures."""
SEVERAL_JUDGE = Call(command=["assign"], arguments=[Argument("per_summary", 2)])


class AssessorsPart(JudgmentsPart[OfMeasures]):
    NAME = COMMAND = "assessors"
    UNKNOWN = "whether single assessors judge otherwise"

    def result(self, findings: Findings) -> OfMeasures | Absent:
        scores, people = findings.scores, people_of(findings)
        several = _several(findings)
        if not people:
            return without_people(scores)
        if not several:
            return Absent(
                f"Nobody can be compared with the one assessor of {listed(people)}",
                f"{SEVERAL_JUDGE} has summaries judged by several" if scores.folder is not None else "",
            )
        length, form = findings.target
        made: list[Dossiers] = []
        errors: list[AdjudgeError] = []
        for name in several:
            try:
                made.append(
                    dossiers(
                        scores,
                        name,
                        length=_one_or_all(scores.table.lengths(name), length),
                        form=one_form(scores, [name], in_all(scores, [name], "forms", form)),
                        alpha=findings.options.alpha,
                        seed=findings.options.seed,
                    )
                )
            except AdjudgeError as error:
                errors.append(error)
        if not made:
            raise errors[0]
        return tuple(made)

    def about(self, result: OfMeasures, findings: Findings) -> Iterator[str]:
        yield from super().about(result, findings)
        yield from form_words(findings, _several(findings), "where assessors are compared")

    def sections(self, result: OfMeasures, findings: Findings) -> Iterator[Section]:
        left_out = [
            replace(table, title=f"{table.title}, {of_measure.title}")
            for of_measure in result
            for table in of_measure.all_tables[1:]
        ]
        yield section(
            "trust-assessors",
            "Who judges otherwise?",
            sentences=[text for of_measure in result for text in list(of_measure.sentences())[1:]],
            figure=page_figure(result[0], "assessors"),
            tables=[result[0].table()],
            further=[*(of_measure.table() for of_measure in result[1:]), *left_out],
            notes=[note for of_measure in result for note in of_measure.warnings("command")],
            command=self.command(findings),
            signature=result[0].signature,
        )

    def headlines(self, result: OfMeasures) -> Iterable[str]:
        return (of_measure.headline() for of_measure in result)

    def tables(self, result: OfMeasures) -> Iterable[tuple[str, Sequence[Table]]]:
        return (("assessors", [of_measure.table() for of_measure in result]),)


def _several(findings: Findings) -> list[str]:
    """People's measures that more than one assessor judged."""
    return [name for name in people_of(findings) if len(findings.scores.assessors(name)) > 1]


def _one_or_all(lengths: Sequence[int | None], length: int | None) -> int | AllLengths | None:
    """The length that was asked for; of several, all."""
    if length is not None and length in lengths:
        return length
    return "all" if len(lengths) > 1 else None


PART = AssessorsPart()
