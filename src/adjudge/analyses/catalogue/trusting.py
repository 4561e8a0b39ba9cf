"""Figures of whether to trust it: preferences, measures beside people, judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.judges.result import JudgeReport
    from adjudge.analyses.preferences.strengths import PreferenceFit
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.data.collection import Collection
    from adjudge.judgments.batch import Judgments

Of = Literal["sentences", "summaries", "systems"]

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
    from adjudge.analyses.meta.figures import one_people
    from adjudge.analyses.preferences.measures import LINES, converge
    from adjudge.judgments.batch import batches_of

    people = one_people(options) or human_measures(scores, (), argument="people")[0]
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


# Judges


def _report(scores: Scores, options: FigureOptions) -> JudgeReport:
    from adjudge.analyses.judges.result import judge_report

    if len(options.judge) > 1:
        raise UsageError(f"this figure takes one judge: choose one of {', '.join(options.judge)}")
    return judge_report(
        scores,
        options.judge,
        question=options.measures,
        parts="agreement",
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=lambda part, done, of: options.progress(done, of),
    )


def _judge_agreement(scores: Scores, options: FigureOptions) -> Figure:
    return _report(scores, options).figure("judge-agreement")


def _judge_controls(scores: Scores, options: FigureOptions) -> Figure:
    return _report(scores, options).figure("judge-controls")


SPECS = (
    FigureSpec(
        "judge-agreement",
        "A judge's agreement with people about each system, beside people's own.",
        _judge_agreement,
        after="Lin and Hovy 2002, figures 5 and 6",
        takes=("judge",),
        example="-m completeness --length 100",
        one_target=True,
    ),
    FigureSpec(
        "judge-controls",
        "A judge beside people and beside controls that need no judge.",
        _judge_controls,
        takes=("judge",),
        example="-m completeness --length 100",
        one_target=True,
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
