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


def _aspect(found: JudgeAgreementResult, judge: str | None, aspect: str | None) -> AspectAgreement:
    """One judge on one aspect; without names the first."""
    who = one_of(judge, {name: name for name in found.judges}, "the judge")
    own = found.of(who)
    which = one_of(aspect, {each.aspect: each.aspect for each in own}, "the question")
    return next(each for each in own if each.aspect == which)


def _others(found: JudgeAgreementResult, own: AspectAgreement) -> tuple[str, ...]:
    """Which questions are not drawn."""
    names = [each.aspect for each in found.of(own.judge) if each.aspect != own.aspect]
    return (f"also answered by {own.judge}: {listed(names, most=12)}",) if names else ()


def judge_agreement(
    found: JudgeAgreementResult, *, judge: str | None = None, aspect: str | None = None
) -> Figure:
    """The judge's alpha with people about each system, beside people's own with each other."""

    own = _aspect(found, judge, aspect)
    if not own.systems:
        raise DataError(
            f"what was judged of {own.aspect} is not about single systems, so that there is none apart"
        )
    need_few(len(own.systems), "systems", "choose a length or a form")
    series = [own.judge, "people with each other"]
    series[1] = f"{series[1]} (people)" if series[0] == series[1] else series[1]
    data = pd.DataFrame(
        [
            {
                "system": each.system,
                "who": who,
                "alpha": value.value,
                "low": value.low,
                "high": value.high,
                "things": each.things,
                "why": each.why if who == own.judge else each.why_people,
            }
            for each in own.systems
            for who, value in zip(series, (each.judge, each.people), strict=True)
        ]
    )
    names = [each.system for each in own.systems]
    there = [who for who in series if data.loc[data["who"] == who, "alpha"].notna().any()]
    if not there:
        raise DataError(f"no system has an alpha on {own.aspect}: {own.systems[0].why}")

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return _dodged(
            base, "system", names, "who", there, f"alpha with people, {own.aspect}", (ACCENT, PLAIN)
        )

    return figure_of(
        "judge-agreement",
        f"Agreement of {own.judge} with people on {own.aspect}, system by system",
        _system_words(found, own, data, there),
        data,
        drawing,
        notes=(*map(found.note_text, own.notes), *_others(found, own)),
        signature=found.signature,
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
    known = base.transform_filter("datum.alpha != null")
    bars = (
        known.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, yOffset=offset, color=colour)
    )
    points = known.mark_point().encode(
        x=alt.X("alpha:Q", **x), y=y, yOffset=offset, color=colour, shape=shape
    )
    across = base.mark_rule(color=INK, strokeDash=[5, 3]).encode(x=alt.datum(line))
    layers = [bars, points] if math.isnan(line) else [across, bars, points]
    return alt.layer(*layers, width=WIDE, height=alt.Step(14 * len(there) + 4, **{"for": "position"}))


def _system_words(
    found: JudgeAgreementResult, own: AspectAgreement, data: pd.DataFrame, there: Sequence[str]
) -> str:
    said = [
        "Krippendorff's ordinal alpha, the mean over people, of what was judged of each system alone"
        f" ({counted(own.things, 'thing')}, {counted(len(own.people), 'assessor')})."
    ]
    if data["low"].notna().any():
        said.append(f"Lines are {found.level:.0%} intervals over {over_words(own.topics, own.clusters)}.")
    both = [e for e in own.systems if not math.isnan(e.judge.value) and not math.isnan(e.people.value)]
    if both:
        below = sum(each.judge.value < each.people.value for each in both)
        said.append(
            f"On {below} of {counted(len(both), 'system')} {own.judge} agrees less with people than they do with each"
            " other."
        )
    elif own.judge in there:
        said.append(
            "People's own agreement is not known: " + (own.systems[0].why_people or "there is none") + "."
        )
    if absent := [each.system for each in own.systems if math.isnan(each.judge.value)]:
        said.append(
            f"No alpha of {own.judge}: {listed(absent, most=6)} (people gave one answer throughout, or none)."
        )
    return " ".join(said)


def left_out_agreement(found: TrainedJudge, *, task: str | None = None) -> Figure:
    """A learned judge's alpha on systems that it was not trained on, with original and with expanded model units."""
    from adjudge.assessors.learned.training import ALL, KINDS, PEOPLE

    tasks = list(dict.fromkeys(each.task for each in found.agreement))
    which = ALL if task is None and ALL in tasks else one_of(task, {t: t for t in tasks}, "the task")
    rows = [each for each in found.agreement if each.task == which and each.kind in KINDS.values()]
    if not rows:
        raise DataError("the judge was compared with people on no single system")
    modes = list(dict.fromkeys(each.mode for each in rows))
    words = {mode: f"{mode} model units" for mode in modes}
    names = list(dict.fromkeys(each.who for each in rows))
    need_few(len(names), "systems", "choose a task")
    data = pd.DataFrame(
        [
            {
                "system": each.who,
                "kind": each.kind,
                "who": words[each.mode],
                "alpha": each.alpha.value,
                "low": each.alpha.low,
                "high": each.alpha.high,
                "decisions": each.alpha.units,
                "why": each.alpha.why or each.alpha.why_no_interval,
            }
            for each in rows
        ]
    )
    people = next((e.alpha for e in found.agreement if (e.who, e.task) == (PEOPLE, which)), None)
    level = math.nan if people is None else people.value
    there = list(words.values())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return _dodged(base, "system", names, "who", there, "alpha with people", (ACCENT, MARK), level)

    whole = {mode: found.of(ALL, mode=mode) for mode in modes}
    said = [
        f"Krippendorff's ordinal alpha of the {found.judge.learner} judge with people about each system, by a judge"
        " that was trained on all other systems."
    ]
    if data["low"].notna().any():
        said.append(f"Lines are {found.level:.0%} intervals over topics.")
    known = [f"{whole[mode].value:.2f} with {words[mode]}" for mode in modes if whole[mode].why is None]
    if known:
        said.append(f"Over all systems it is {listed(known)}.")
    if not math.isnan(level):
        said.append(f"The dashed line is people's alpha with each other, {level:.2f}.")
    return figure_of(
        "judge-agreement",
        "Agreement of a learned judge with people, systems left out",
        " ".join(said),
        data,
        drawing,
        notes=found.notes,
        signature=found.judge.signature(),
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
    found: JudgeAgreementResult, *, judge: str | None = None, aspect: str | None = None
) -> Figure:
    """A judge's agreement with people beside people's own and that of controls, by alpha and by order within topics."""
    import altair as alt

    own = _aspect(found, judge, aspect)
    rows = [each for each in own.rows if each.why is None]
    need_few(len(rows), "rows", "choose a question")
    data = pd.DataFrame(
        [
            {
                "row": each.name,
                "who": WHO[each.kind if each.kind in WHO else "control"][0],
                "criterion": words,
                "value": value.value,
                "low": value.low,
                "high": value.high,
            }
            for each in rows
            for name, words in CRITERION_WORDS.items()
            for value in (getattr(each, name),)
        ]
    )
    data = data[~data["criterion"].isin(_empty(data))].reset_index(drop=True)
    if not len(data):
        raise DataError(f"there is no agreement to draw on {own.aspect}: {'; '.join(own.verdict.why)}")
    names = [each.name for each in rows]
    there = [words for words, _ in WHO.values() if words in set(data["who"])]
    colours = dict(WHO.values())
    panels = [words for words in CRITERION_WORDS.values() if words in set(data["criterion"])]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("row", names, wide=300)
        colour, shape = series_colour("who", there, colours), series_shape("who", there)
        x: dict[str, Any] = {"title": None, "scale": alt.Scale(zero=False)}
        known = base.transform_filter("datum.value != null")
        zero = base.mark_rule(color=SOFT, strokeDash=[4, 3]).encode(x=alt.datum(0))
        bars = (
            known.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, color=colour)
        )
        points = known.mark_point().encode(x=alt.X("value:Q", **x), y=y, color=colour, shape=shape)
        one = alt.layer(zero, bars, points, width=250, height=alt.Step(ROW + 2))
        return one.facet(
            column=alt.Column("criterion:N", sort=panels, title=None, header=alt.Header(labelOrient="top")),
            spacing=18,
        )

    absent = [f"{each.name} ({each.why})" for each in own.rows if each.why is not None]
    said = [verdict_sentence(own.verdict)]
    if data["low"].notna().any():
        said.append(f"Lines are {found.level:.0%} intervals over {over_words(own.topics, own.clusters)}.")
    if absent:
        said.append(f"Not drawn: {listed(absent, most=6)}.")
    return figure_of(
        "judge-controls",
        f"{own.judge} on {own.aspect}, beside people and controls",
        " ".join(said),
        data,
        drawing,
        notes=(*map(found.note_text, own.notes), *_others(found, own)),
        signature=found.signature,
    )


def _empty(data: pd.DataFrame) -> list[str]:
    """Criteria by which nobody has a number."""
    return [str(name) for name, rows in data.groupby("criterion") if rows["value"].isna().all()]


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
