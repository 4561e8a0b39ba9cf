"""Over and Liggett 2002, the slides on DUC-2002: quality questions, coverage of model units, unmarked peer units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjudge.analyses.anova import anova
from adjudge.analyses.gathered import Gathered, judged_in
from adjudge.analyses.groups import groups
from adjudge.analyses.judged.adjustment import length_adjustment
from adjudge.analyses.judged.quality_answers import BY_PEER, quality_answers
from adjudge.analyses.judged.result import answers_by_question, quality_by_source
from adjudge.analyses.judged.unit_coverage import coverage_spread, unit_coverage
from adjudge.analyses.judged.unmarked import BY_SOURCE, BY_SYSTEM, unmarked_units
from adjudge.analyses.judged.volume import BY_SYSTEM as SUBMITTED
from adjudge.analyses.judged.volume import judging_volume, submitted
from adjudge.analyses.lengths import lengths
from adjudge.core.results import Result
from adjudge.data.scores import AllLengths
from adjudge.measures.judged.coverage import Coverage
from adjudge.reports.papers.paper import Lacking, Make, Material, Paper, Part, Piece, Task, shown, tried

NAME = "duc-2002"
DATA, QUALITY, CONTENT, UNMARKED = "data", "overall peer quality", "per-unit content", "unmarked peer units"
"""Where the slides stand."""
PROTOCOL = "duc-2002 --phase 1"
AGAIN = "duc-2002 --phase 2"
Of = Callable[[Gathered], Result | Iterable[Result] | None]


def _judged(of: Of, *figures: str, tables: Sequence[str] = (), task: Task | None = None) -> Make:
    """What was judged, of all topics or those of a task: a result, or several."""

    def make(material: Material) -> Iterator[Piece]:
        made = of(material.judged(PROTOCOL, task))
        for result in [made] if isinstance(made, Result) else made or ():
            yield from shown(result, *figures, tables=tables)

    return make


def _submitted(material: Material) -> Iterator[Piece]:
    yield submitted(judged_in(material.scores)).only([SUBMITTED])


def _answers(gathered: Gathered) -> Iterator[Result]:
    yield from answers_by_question(gathered)
    yield quality_answers(gathered)


def _coverage(material: Material) -> str:
    """The measure; where it is not scored, what must be done first."""
    if Coverage.FAMILY not in material.scores.measures:
        material.judged(PROTOCOL)
    return material.scored([Coverage.FAMILY], NAME)[0]


def _centred(task: Task, *figures: str, tables: Sequence[str] = ()) -> Make:
    """Scores less the mean of their topic, of each form by itself."""

    def make(material: Material) -> Iterator[Piece]:
        coverage = _coverage(material)
        topics = material.task(task)
        for form in material.of_task(task).table.forms(coverage):
            result = lengths(material.scores, coverage, topics=topics, form=form, seed=material.seed)
            yield from shown(result, *figures, tables=tables)

    return make


def _by_length(
    analysis: Callable[..., Result],
    *figures: str,
    tables: Sequence[str] = (),
    drawn: Mapping[str, Any] | None = None,
    **options: Any,
) -> Make:
    """An analysis of coverage on sets of documents at every target length, the longest first."""

    def make(material: Material) -> Iterator[Piece]:
        coverage = _coverage(material)
        scores = material.of_task("multi")
        if options.get("factors") == ASSESSORS and len(scores.assessors(coverage)) < 2:
            raise Lacking("one assessor judged", f"assign {material.where} --protocol {AGAIN}")

        def at(length: int | AllLengths | None, form: str | None) -> Iterator[Piece]:
            systems = scores.matrix(coverage, length=length, form=form).systems
            people = any(scores.kind(system) == "human" for system in systems)
            result = analysis(
                material.scores,
                coverage,
                topics=material.task("multi"),
                length=length,
                form=form,
                pool_humans=people,
                seed=material.seed,
                **options,
            )
            yield from shown(result, *figures, tables=tables, drawn=drawn)

        targets = scores.targets(coverage)[::-1]
        targets.sort(key=lambda target: target[2] or "")  # abstracts before extracts
        yield from tried(partial(at, length, form) for _, length, form in targets)

    return make


ASSESSORS = ("assessor", "system", "topic")


def _part(name: str, section: str, about: str, make: Make) -> Part:
    return Part(name=name, section=section, about=about, make=make)


PAPER = Paper(
    name=NAME,
    short="Over and Liggett 2002",
    title="Introduction to DUC-2002: an intrinsic evaluation of generic news text summarization systems",
    parts=(
        _part(
            "Submitted summaries by system code",
            DATA,
            "who submitted how many summaries, by task and length",
            _submitted,
        ),
        _part(
            "Systems ≠ baselines ≠ manual",
            QUALITY,
            "mean number of quality questions indicating one or more errors",
            _judged(quality_by_source),
        ),
        _part(
            "Uneven distribution of scores by question",
            QUALITY,
            "how often each question on quality got which answer",
            _judged(_answers),
        ),
        _part(
            "Capitalization by peer source",
            QUALITY,
            "how often each question found errors in the summaries of each peer",
            _judged(quality_answers, "quality-by-peer", tables=[BY_PEER]),
        ),
        _part(
            "Lots of judgments",
            CONTENT,
            "how many summaries, model units and comparisons were judged",
            _judged(judging_volume),
        ),
        _part(
            "Distribution of individual MU coverage scores",
            CONTENT,
            "how completely model units are covered, by source",
            _judged(unit_coverage, "unit-coverage"),
        ),
        _part(
            "Mean coverage by peer source: single-document",
            CONTENT,
            "coverage of summaries of one document",
            _judged(coverage_spread, "coverage-by-source", task="single"),
        ),
        _part(
            "Mean coverage by peer source: multi-document by size",
            CONTENT,
            "coverage of summaries of several documents, by target length",
            _judged(coverage_spread, "coverage-by-source", task="multi"),
        ),
        _part(
            "Comparing systems: single-document",
            CONTENT,
            "coverage less the mean of the topic, summaries of one document",
            _centred("single", "length-boxes", tables=["centred"]),
        ),
        _part(
            "What systems benefited from length-adjustment?",
            CONTENT,
            "distribution of adjusted coverage less coverage",
            _judged(length_adjustment, "length-gains"),
        ),
        _part(
            "Effect of length-adjustment by system",
            CONTENT,
            "coverage before and after length adjustment, summaries of one document",
            _judged(length_adjustment, "length-adjustment", task="single"),
        ),
        _part(
            "Comparing systems: multi-document by size",
            CONTENT,
            "coverage less the mean of the topic, summaries of several documents, at every length and over all",
            _centred("multi", "length-boxes", "length-means"),
        ),
        _part(
            "ANOVA results for multi-doc summaries by length",
            CONTENT,
            "coverage by system and topic, people's summaries as one system",
            _by_length(anova, tables=["anova"], factors=("system", "topic")),
        ),
        _part(
            "Multiple judgment (Phase 2) study",
            CONTENT,
            "coverage by assessor, system and topic, with their interactions",
            _by_length(anova, tables=["anova", "anova-residuals"], factors=ASSESSORS, interactions=True),
        ),
        _part(
            "Table of interaction sizes for system:docset",
            CONTENT,
            "which systems do better or worse on which topics than expected",
            _by_length(
                anova,
                "interaction",
                tables=["sizes-system:topic"],
                drawn={"by": "topic"},
                sizes=True,
                factors=ASSESSORS,
                interactions=True,
            ),
        ),
        _part(
            "System differences using multiple comparisons (Tukey's)",
            CONTENT,
            "groups of systems that do not differ, at every length",
            _by_length(groups, method="tukey"),
        ),
        _part(
            "How many unmarked peer units?",
            UNMARKED,
            "peer units that match nothing in the reference",
            _judged(unmarked_units, "unmarked", tables=[BY_SOURCE]),
        ),
        _part(
            "How many unmarked peer units related to model subject?",
            UNMARKED,
            "which of them are relevant all the same, by system",
            _judged(unmarked_units, tables=[BY_SYSTEM]),
        ),
    ),
)
