"""Whether automatic measures agree with people: a chapter with a section for some parts of a meta-evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from adjudge.analyses.meta import meta
from adjudge.analyses.meta.better import too_many
from adjudge.analyses.meta.result import MetaResult
from adjudge.analyses.pages.chapter import Absent, Findings, page_figure
from adjudge.analyses.pages.judgments import (
    MOST_PEOPLE,
    form_words,
    length_words,
    one_form,
    one_length,
    people_of,
    unscored,
    without_people,
)
from adjudge.analyses.pages.sections import Section, SectionPart, section
from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import Argument, spoken
from adjudge.core.results import Result
from adjudge.core.table import Table
from adjudge.core.words import capitalised, in_shell, listed

QUESTIONS = {
    "verdicts": ("Which measures stand in for people?", ""),
    "correlations": ("How far do measures correlate with people?", "scatter"),
    "ceiling": ("How do measures compare with one more assessor?", "ceiling"),
    "better": ("Which measure is nearer to people?", "measure-groups"),
}
"""Of the parts of a meta-evaluation that the page shows: what each asks, and its figure."""
COEFFICIENT = "kendall-b"
LEVELS = ("system", "input")
RESAMPLES = 500
SWAPS = 2000
"""Of tests between measures: fewer than `adjudge meta` takes."""


class MetaPart(SectionPart[MetaResult]):
    NAME = COMMAND = "meta"
    ANCHOR = "chapter-measures"
    QUESTION = "Do the automatic measures agree with people?"
    PAPER = "Measures and people"

    def result(self, findings: Findings) -> MetaResult | Absent:
        scores, people, automatic = findings.scores, people_of(findings), _automatic(findings)
        if not people and (there := unscored(scores)) is not None:
            return there
        if not people:
            return Absent(
                "No measure of the report is people's, so automatic measures cannot be compared with people",
                without_people(scores).how,
            )
        if not automatic:
            return Absent(
                "All measures of the report are people's, and none can be compared with them",
                f"adjudge score {findings.where} -m rouge-2 adds one" if scores.folder is not None else "",
            )
        common: dict[str, Any] = {
            "people": people,
            "length": one_length(findings, [*people, *automatic]),
            "form": one_form(scores, [*people, *automatic], findings.target[1]),
            "alpha": 1 - findings.options.level,
            "seed": findings.options.seed,
        }
        first = meta(scores, automatic, parts="verdicts", **common)  # as the command gives it
        common |= {"levels": LEVELS, "coefficients": COEFFICIENT}
        made = meta(scores, automatic, parts=("correlations", "ceiling"), resamples=RESAMPLES, **common)
        made = replace(made, parts={**first.parts, **made.parts})
        if len(automatic) == 1:
            return made
        part = spoken(Argument("part", "better"), "command")
        if why := too_many(len(automatic), f"{self.command(findings)} {part}"):
            return replace(made, absent={**made.absent, "better": why})
        try:  # a test between measures takes more resamples than an interval
            grouped = meta(scores, automatic, parts="better", resamples=SWAPS, **common)
        except AdjudgeError as error:
            return replace(made, absent={**made.absent, "better": str(error)})
        return replace(made, parts={**made.parts, **grouped.parts})

    def about(self, result: MetaResult, findings: Findings) -> Iterator[str]:
        names = listed([human.info.words for human in result.cells.humans], most=MOST_PEOPLE)
        yield (
            f"Compared with {names}. After the verdicts, correlations are Kendall's tau-b, of systems' means (system"
            " level) and within topics (input level)."
        )
        measures = [*people_of(findings), *_automatic(findings)]
        yield from length_words(findings, measures)
        yield from form_words(findings, measures)

    def sections(self, result: MetaResult, findings: Findings) -> Iterator[Section]:
        people = " ".join(
            Argument("people", in_shell(human.info.measure)).at("command") for human in result.cells.humans
        )
        command = f"{self.command(findings)} {people} -o meta"
        last = list(result.parts)[-1:]
        for name, part in result.parts.items():
            question, figure = QUESTIONS[name]
            first, *further = part.all_tables
            of_all = Result.warnings(result) if [name] == last else []  # the sections have their parts'
            yield section(
                f"meta-{name}",
                question,
                sentences=part.sentences(),
                figure=page_figure(part, figure) if figure else None,
                tables=[first],
                further=[table for table in further if _is_told(table)],
                notes=[*part.warnings(), *of_all],
                command=command,
                signature=first.signature or part.signature,
            )

    def missing(self, result: MetaResult) -> Iterable[Absent]:
        for name, why in result.absent.items():
            yield Absent(f"{QUESTIONS[name][0]} {capitalised(spoken(why, 'python'))}")

    def headlines(self, result: MetaResult) -> Iterable[str]:
        return result.parts["verdicts"].sentences()

    def answers(self, result: MetaResult) -> Iterable[str]:
        return (next(part.sentences(), "") for part in result.parts.values())

    def signatures(self, result: MetaResult) -> Iterable[tuple[str, str]]:
        for part in result.parts.values():
            yield "Measures and people", part.all_tables[0].signature or part.signature

    def unknown(self, result: MetaResult | Absent, findings: Findings) -> Iterator[str]:
        if isinstance(result, Absent):
            yield "how far automatic measures agree with people was not looked at"

    def tables(self, result: MetaResult) -> Iterable[tuple[str, Sequence[Table]]]:
        for name, part in result.parts.items():
            yield (
                f"meta-{name}",
                [
                    replace(table, signature=table.signature or part.signature)
                    for table in part.all_tables
                    if _is_told(table)
                ],
            )


def _automatic(findings: Findings) -> list[str]:
    """The measures of the report that are better high or low, and nobody's judgments."""
    scores = findings.scores
    reported = dict.fromkeys(c.measure for c in findings.comparisons if c.matrix.info.better is not None)
    return [name for name in reported if name in scores.info and not scores.is_judged(name)]


def _is_told(table: Table) -> bool:
    """Every pair of measures is too much for a page."""
    return not table.name.startswith("better-pairs")


PART = MetaPart()
