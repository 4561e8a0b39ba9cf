"""Pictures of programs that judge, beside people. Lin and Hovy 2002, figures 5 and 6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.judges.words.agreement import over_words, verdict_sentence
from adjudge.analyses.trust_drawing import ROW, WIDE, need_few, one_of, rows_axis, series_colour, series_shape
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import ACCENT, INK, MARK, PLAIN, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.judges.agreement import AspectAgreement, JudgeAgreementResult
    from adjudge.analyses.scores import Scores
    from adjudge.assessors.learned.training import TrainedJudge


def _aspect(result: JudgeAgreementResult, judge: str | None, aspect: str | None) -> AspectAgreement:
    """One judge on one aspect; without names the first."""
    who = one_of(judge, {name: name for name in result.judges}, "the judge")
    agreements = result.of(who)
    which = one_of(aspect, {agreement.aspect: agreement.aspect for agreement in agreements}, "the question")
    return next(agreement for agreement in agreements if agreement.aspect == which)


def _others(result: JudgeAgreementResult, agreement: AspectAgreement) -> tuple[str, ...]:
    """Which questions are not drawn."""
    names = [other.aspect for other in result.of(agreement.judge) if other.aspect != agreement.aspect]
    return (f"also answered by {agreement.judge}: {listed(names, most=12)}",) if names else ()


def judge_agreement(
    result: JudgeAgreementResult, *, judge: str | None = None, aspect: str | None = None
) -> Figure:
    """The judge's alpha with people about each system, beside people's own with each other."""

    agreement = _aspect(result, judge, aspect)
    if not agreement.systems:
        raise DataError(
            f"what was judged of {agreement.aspect} is not about single systems, so that there is none apart"
        )
    need_few(len(agreement.systems), "systems", "choose a length or a form")
    series = [agreement.judge, "people with each other"]
    series[1] = f"{series[1]} (people)" if series[0] == series[1] else series[1]
    data = pd.DataFrame(
        [
            {
                "system": row.system,
                "who": who,
                "alpha": value.value,
                "low": value.low,
                "high": value.high,
                "things": row.things,
                "why": row.why if who == agreement.judge else row.why_people,
            }
            for row in agreement.systems
            for who, value in zip(series, (row.judge, row.people), strict=True)
        ]
    )
    names = [row.system for row in agreement.systems]
    there = [who for who in series if data.loc[data["who"] == who, "alpha"].notna().any()]
    if not there:
        raise DataError(f"no system has an alpha on {agreement.aspect}: {agreement.systems[0].why}")

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return _dodged(
            base, "system", names, "who", there, f"alpha with people, {agreement.aspect}", (ACCENT, PLAIN)
        )

    return figure_of(
        "judge-agreement",
        f"Agreement of {agreement.judge} with people on {agreement.aspect}, system by system",
        _system_words(result, agreement, data, there),
        data,
        drawing,
        notes=(*map(result.note_text, agreement.notes), *_others(result, agreement)),
        signature=result.signature,
    )


def _dodged(
    base: alt.Chart,
    rows: str,
    names: Sequence[str],
    series: str,
    there: Sequence[str],
    title: str,
    colours: Sequence[str],
    line: float = math.nan,
) -> alt.TopLevelMixin:
    """Values with intervals, the series of a row beside each other, and a line across all."""
    import altair as alt

    y = rows_axis(rows, names)
    offset = alt.YOffset(
        f"{series}:N", sort=in_order(there), scale=alt.Scale(domain=in_order(there), paddingOuter=0.3)
    )
    colour = series_colour(series, there, dict(zip(there, colours, strict=False)))
    shape = series_shape(series, there)
    x: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False)}
    valued = base.transform_filter("datum.alpha != null")
    bars = (
        valued.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, yOffset=offset, color=colour)
    )
    points = valued.mark_point().encode(
        x=alt.X("alpha:Q", **x), y=y, yOffset=offset, color=colour, shape=shape
    )
    across = base.mark_rule(color=INK, strokeDash=[5, 3]).encode(x=alt.datum(line))
    layers = [bars, points] if math.isnan(line) else [across, bars, points]
    return alt.layer(*layers, width=WIDE, height=alt.Step(14 * len(there) + 4, **{"for": "position"}))


def _lines(result: JudgeAgreementResult, agreement: AspectAgreement, data: pd.DataFrame) -> list[str]:
    """What lines are, where there are any."""
    over = over_words(agreement.topics, agreement.clusters)
    return [f"Lines are {result.asked.level:.0%} intervals over {over}."] if data["low"].notna().any() else []


def _system_words(
    result: JudgeAgreementResult, agreement: AspectAgreement, data: pd.DataFrame, there: Sequence[str]
) -> str:
    sentences = [
        "Krippendorff's ordinal alpha, the mean over people, of what was judged of each system alone"
        f" ({counted(agreement.things, 'thing')}, {counted(len(agreement.people), 'assessor')})."
    ]
    sentences += _lines(result, agreement, data)
    both = [e for e in agreement.systems if not math.isnan(e.judge.value) and not math.isnan(e.people.value)]
    if both:
        below = sum(row.judge.value < row.people.value for row in both)
        sentences.append(
            f"On {below} of {counted(len(both), 'system')} {agreement.judge} agrees less with people than they do with"
            " each other."
        )
    elif agreement.judge in there:
        why = agreement.systems[0].why_people or "there is none"
        sentences.append(f"People's own agreement is not known: {why}.")
    if absent := [row.system for row in agreement.systems if math.isnan(row.judge.value)]:
        sentences.append(
            f"No alpha of {agreement.judge}: {listed(absent, most=6)} (people gave one answer throughout, or none)."
        )
    return " ".join(sentences)


def left_out_agreement(trained: TrainedJudge, *, task: str | None = None) -> Figure:
    """A learned judge's alpha on systems that it was not trained on, with original and with expanded model units."""
    from adjudge.assessors.learned.training import ALL, KINDS, PEOPLE

    trained = trained if task is None else trained.for_task(task)
    rows = [row for row in trained.agreement if row.task == ALL and row.kind in KINDS.values()]
    if not rows:
        raise DataError("the judge was compared with people on no single system")
    modes = list(dict.fromkeys(row.mode for row in rows))
    words = {mode: f"{mode} model units" for mode in modes}
    names = list(dict.fromkeys(row.who for row in rows))
    need_few(len(names), "systems", "choose a task")
    data = pd.DataFrame(
        [
            {
                "system": row.who,
                "kind": row.kind,
                "who": words[row.mode],
                "alpha": row.alpha.value,
                "low": row.alpha.low,
                "high": row.alpha.high,
                "decisions": row.alpha.units,
                "why": row.alpha.why or row.alpha.why_no_interval,
            }
            for row in rows
        ]
    )
    people = next((e.alpha for e in trained.agreement if (e.who, e.task) == (PEOPLE, ALL)), None)
    level = math.nan if people is None else people.value
    there = list(words.values())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return _dodged(base, "system", names, "who", there, "alpha with people", (ACCENT, MARK), level)

    whole = {mode: trained.of(ALL, mode=mode) for mode in modes}
    sentences = [
        f"Krippendorff's ordinal alpha of the {trained.judge.learner} judge with people about each system, by a judge"
        " that was trained on all other systems."
    ]
    if data["low"].notna().any():
        sentences.append(f"Lines are {trained.level:.0%} intervals over topics.")
    alphas = [f"{whole[mode].value:.2f} with {words[mode]}" for mode in modes if whole[mode].why is None]
    if alphas:
        sentences.append(f"Over all systems it is {listed(alphas)}.")
    if not math.isnan(level):
        sentences.append(f"The dashed line is people's alpha with each other, {level:.2f}.")
    return figure_of(
        "judge-agreement",
        f"Agreement of a learned judge with people, systems left out{f', {task}-document topics' if task else ''}",
        " ".join(sentences),
        data,
        drawing,
        notes=trained.notes,
        signature=trained.judge.signature(),
    )


# A judge beside people and controls


WHO = {
    "judge": ("the judge", ACCENT),
    "people": ("people with each other", INK),
    "assessor": ("one assessor with the others", PLAIN),
    "control": ("needs no judge", MARK),
}
CRITERION_WORDS = {"alpha": "alpha with people", "within": "order within topics"}


def judge_controls(
    result: JudgeAgreementResult, *, judge: str | None = None, aspect: str | None = None
) -> Figure:
    """A judge's agreement with people beside people's own and that of controls, by alpha and by order within topics."""
    import altair as alt

    agreement = _aspect(result, judge, aspect)
    rows = [row for row in agreement.rows if row.why is None]
    need_few(len(rows), "rows", "choose a question")
    data = pd.DataFrame(
        [
            {
                "row": row.name,
                "who": WHO[row.kind if row.kind in WHO else "control"][0],
                "criterion": words,
                "value": value.value,
                "low": value.low,
                "high": value.high,
            }
            for row in rows
            for name, words in CRITERION_WORDS.items()
            for value in (getattr(row, name),)
        ]
    )
    there_at_all = data.groupby("criterion")["value"].transform("count") > 0
    data = data[there_at_all].reset_index(drop=True)
    if not len(data):
        raise DataError(
            f"there is no agreement to draw on {agreement.aspect}: {'; '.join(agreement.verdict.why)}"
        )
    names = [row.name for row in rows]
    there = [words for words, _ in WHO.values() if words in set(data["who"])]
    colours = dict(WHO.values())
    panels = [words for words in CRITERION_WORDS.values() if words in set(data["criterion"])]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("row", names, wide=300)
        colour, shape = series_colour("who", there, colours), series_shape("who", there)
        x: dict[str, Any] = {"title": None, "scale": alt.Scale(zero=False)}
        valued = base.transform_filter("datum.value != null")
        zero = base.mark_rule(color=SOFT, strokeDash=[4, 3]).encode(x=alt.datum(0))
        bars = (
            valued.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, color=colour)
        )
        points = valued.mark_point().encode(x=alt.X("value:Q", **x), y=y, color=colour, shape=shape)
        one = alt.layer(zero, bars, points, width=250, height=alt.Step(ROW + 2))
        return one.facet(
            column=alt.Column("criterion:N", sort=panels, title=None, header=alt.Header(labelOrient="top")),
            spacing=18,
        )

    absent = [f"{row.name} ({row.why})" for row in agreement.rows if row.why is not None]
    sentences = [verdict_sentence(agreement.verdict), *_lines(result, agreement, data)]
    if absent:
        sentences.append(f"Not drawn: {listed(absent, most=6)}.")
    return figure_of(
        "judge-controls",
        f"{agreement.judge} on {agreement.aspect}, beside people and controls",
        " ".join(sentences),
        data,
        drawing,
        notes=(*map(result.note_text, agreement.notes), *_others(result, agreement)),
        signature=result.signature,
    )


# The catalogue


def _drawn(scores: Scores, options: FigureOptions, kind: str) -> Figure:
    from adjudge.analyses.judges import Judges

    if len(options.judge) > 1:
        raise UsageError(f"this figure takes one judge: choose one of {', '.join(options.judge)}")
    asked = Judges(
        tuple(options.judge),
        question=tuple(options.measures),
        parts="agreement",
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=options.progress,
    )
    return asked.run(scores)[0].figure(kind)


SPECS = (
    FigureSpec(
        "judge-agreement",
        "A judge's agreement with people about each system, beside people's own.",
        lambda scores, options: _drawn(scores, options, "judge-agreement"),
        after="Lin and Hovy 2002, figures 5 and 6",
        takes=("judge",),
        example="-m completeness --length 100",
        one_target=True,
    ),
    FigureSpec(
        "judge-controls",
        "A judge beside people and beside controls that need no judge.",
        lambda scores, options: _drawn(scores, options, "judge-controls"),
        takes=("judge",),
        example="-m completeness --length 100",
        one_target=True,
    ),
)
