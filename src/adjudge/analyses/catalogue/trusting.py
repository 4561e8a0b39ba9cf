"""Figures of whether to trust it: preferences, measures beside people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.analyses.preferences.strengths import PreferenceFit
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.data.collection import Collection
    from adjudge.judgments.batch import Judgments

Of = Literal["sentences", "summaries", "systems"]
PEOPLE = "--people"
"""How a figure's command names the measures that are people's."""


# Preferences


def _judged(scores: Scores) -> tuple[Collection, Judgments]:
    """The texts and judgments behind the scores."""
    from adjudge.data.collection import load
    from adjudge.data.folder import Folder
    from adjudge.judgments.batch import judgments_if_allowed

    if scores.folder is None:
        raise DataError("it needs the judgments of an evaluation's folder, and there are scores alone")
    folder = Folder.open(scores.folder)
    collection = load(folder)
    return collection, judgments_if_allowed(folder, collection)


def _one_length(options: FigureOptions) -> int | None:
    if isinstance(options.length, str):
        raise UsageError("this figure takes one length, not all")
    return options.length


def _fit(scores: Scores, options: FigureOptions, of: Of) -> PreferenceFit:
    from adjudge.analyses.preferences.strengths import fit_folder

    collection, judgments = _judged(scores)
    topics = [] if options.topic is None else [options.topic]
    if not topics and of != "systems":
        topics = [_first_topic(judgments, of)]
    fits = fit_folder(
        collection,
        judgments,
        of=of,
        topics=topics,
        length=_one_length(options),
        form=None if of == "sentences" else options.form,
        progress=options.progress,
    )
    return fits[0]


def _first_topic(judgments: Judgments, of: Of) -> str:
    """The first topic with pairs."""
    protocols = judgments.protocols
    for topic, judged in judgments.by_topic.items():
        for each in judged:
            asked = protocols.get(each.task.protocol)
            if asked is not None and asked.kind == "preference" and asked.of == of:
                return topic
    raise DataError(f"no preferences between {of} yet; ask for them with: adjudge prefer sample --of {of}")


def _sentence_strengths(scores: Scores, options: FigureOptions) -> Figure:
    return _fit(scores, options, "sentences").figure("strengths")


def _system_strengths(scores: Scores, options: FigureOptions) -> Figure:
    return _fit(scores, options, "systems" if options.topic is None else "summaries").figure("strengths")


def _win_probabilities(scores: Scores, options: FigureOptions) -> Figure:
    """Of systems where people were asked about summaries, else of a topic's sentences."""
    from adjudge.judgments.pairs.answers import kinds

    there = kinds(_judged(scores)[1])
    whole: Of = "systems" if options.topic is None else "summaries"
    return _fit(scores, options, whole if "summaries" in there else "sentences").figure("win-probabilities")


def _preferences_needed(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.meta.cells import human_measures
    from adjudge.analyses.preferences.measures import LINES, converge
    from adjudge.judgments.batch import batches_of

    people = _people(options) or human_measures(scores, (), option=PEOPLE)[0]
    collection, judgments = _judged(scores)
    if options.measures:
        named = scores.resolved(list(options.measures))
        lines = {scores.info[name].heading: name for name in named}
    else:
        lines = {scores.info[spec].heading: spec for spec in LINES.values() if spec in scores.measures}
    batches = batches_of(collection, judgments)
    if options.topic is not None:
        topic = collection.need_topic(options.topic).topic
        batches = {name: batch for name, batch in batches.items() if name == topic}
    found = converge(
        batches,
        scores,
        people,
        lines,
        length=_one_length(options),
        form=options.form,
        seed=options.seed,
        progress=options.progress,
    )
    return found.figure("preferences-needed", topic=options.topic)


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
    FigureSpec(
        "preferences-needed",
        "Agreement with people by the number of preferences between sentences.",
        _preferences_needed,
        after="Zopf 2018, figure 3",
        takes=("people", "topic"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "sentence-strengths",
        "A topic's sentences by the strengths that preferences give them.",
        _sentence_strengths,
        after="Zopf 2018, section 3",
        takes=("topic",),
        example="--topic d01",
    ),
    FigureSpec(
        "system-strengths",
        "Systems by the strengths that preferences between summaries give them; with a topic, its summaries.",
        _system_strengths,
        after="Zopf 2018, section 3",
        takes=("topic",),
    ),
    FigureSpec(
        "win-probabilities",
        "How likely each is preferred to each other, from preferences.",
        _win_probabilities,
        after="Zopf 2018, equation 2",
        takes=("topic",),
    ),
)
