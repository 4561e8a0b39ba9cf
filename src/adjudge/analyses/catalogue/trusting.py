"""Figures of whether to trust it: measures beside people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure

PEOPLE = "--people"
"""How a figure's command names the measures that are people's."""


# Measures beside people


def _people(options: FigureOptions) -> str | None:
    if len(options.people) > 1:
        raise UsageError(f"this figure takes one human measure: choose one of {', '.join(options.people)}")
    return options.people[0] if options.people else None


def _meta(scores: Scores, options: FigureOptions, *parts: str, one: bool = False, **more: Any) -> MetaResult:
    """A meta-evaluation against one human measure: the one named, else the first that assessors gave."""
    from adjudge.analyses.meta.cells import human_measures
    from adjudge.analyses.meta.result import meta

    people = human_measures(scores, _people(options) or (), option=PEOPLE)
    measures = ([options.measure] if options.measure else []) if one else list(options.measures)
    found = meta(
        scores,
        measures or None,
        human=people[0],
        parts=parts,
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=lambda part, done, of: options.progress(done, of),
        **more,
    )
    for name, why in found.absent.items():
        if name == parts[0]:
            raise DataError(f"{name}: {why}")
    return found


def _leveled(options: FigureOptions, usual: str = "system") -> str:
    from adjudge.analyses.meta.figures import level_of

    return level_of(options.level) or usual


def _scatter(scores: Scores, options: FigureOptions) -> Figure:
    found = _meta(
        scores,
        options,
        "correlations",
        one=True,
        levels=_leveled(options),
        coefficients=("pearson", "kendall-b"),
    )
    return found.figure("scatter", level=options.level)


def _ranks(scores: Scores, options: FigureOptions) -> Figure:
    return _meta(scores, options, "ranks").figure("ranks")


def _measure_groups(scores: Scores, options: FigureOptions) -> Figure:
    found = _meta(scores, options, "better", "correlations", levels=_leveled(options), coefficients="pearson")
    return found.figure("measure-groups", level=options.level)


def _fooling(scores: Scores, options: FigureOptions) -> Figure:
    return _meta(scores, options, "fooling").figure("fooling")


def _ceiling(scores: Scores, options: FigureOptions) -> Figure:
    found = _meta(scores, options, "ceiling", levels=_leveled(options, "input"), coefficients="kendall-b")
    return found.figure("ceiling", level=options.level, coefficient="kendall-b")


def _curve(what: str) -> Callable[[Scores, FigureOptions], Figure]:
    def make(scores: Scores, options: FigureOptions) -> Figure:
        from adjudge.analyses.meta.cells import cells_of, human_measures
        from adjudge.analyses.meta.curves import learning_curves

        people = human_measures(scores, _people(options) or (), option=PEOPLE)[0]
        cells = cells_of(scores, people, list(options.measures), length=options.length, form=options.form)
        found = learning_curves(
            cells,
            scores,
            what=(what,),  # type: ignore[arg-type]
            level=_leveled(options),  # type: ignore[arg-type]
            coefficient="pearson",
            among="machines" if cells.has_humans and len(set(cells.kinds)) > 1 else "all",
            length=options.length,
            form=options.form,
            seed=options.seed,
            progress=options.progress,
        )
        return found.figure(f"{what}-curve")

    return make


SPECS = (
    FigureSpec(
        "scatter",
        "A measure against people, systems labelled, at each level.",
        _scatter,
        takes=("people", "level"),
        example="-m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "ranks",
        "The systems' ranks by people and by each measure.",
        _ranks,
        after="Lin and Hovy 2002, figure 4",
        takes=("people",),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "measure-groups",
        "Groups of measures that are not significantly different in how far they correlate with people.",
        _measure_groups,
        takes=("people", "level"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "ceiling",
        "Measures beside one more assessor, the human ceiling.",
        _ceiling,
        takes=("people", "level"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "fooling",
        "Where measures place summaries that were spoilt.",
        _fooling,
        takes=("people",),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "references-curve",
        "Correlation with people by the number of references.",
        _curve("references"),
        after="Lin and Hovy 2002, section 6",
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "topics-curve",
        "Correlation with people by the number of topics.",
        _curve("topics"),
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "assessors-curve",
        "Correlation with people by the number of assessors.",
        _curve("assessors"),
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
)
