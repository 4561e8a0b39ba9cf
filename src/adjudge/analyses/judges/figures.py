"""Pictures of whoever judges: programs beside people (Lin and Hovy 2002, figures 5 and 6), assessors, noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from adjudge.analyses.trust_drawing import ROW, need_few, one_of, rows_axis, series_colour, series_shape
from adjudge.core.errors import DataError
from adjudge.core.picture import ACCENT, GOOD, INK, MARK, PLAIN, SERIES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.assessors.result import Dossiers
    from adjudge.analyses.judges.agreement import AspectAgreement, JudgeAgreementResult
    from adjudge.analyses.stability.result import RankNoise, Stability
    from adjudge.assessors.learned.training import TrainedJudge

WIDE = 460


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
        notes=(*own.notes, *_others(found, own)),
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
        said.append(f"Lines are {found.level:.0%} intervals over {own.over}.")
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
    said = [own.verdict.sentence()]
    if data["low"].notna().any():
        said.append(f"Lines are {found.level:.0%} intervals over {own.over}.")
    if absent:
        said.append(f"Not drawn: {listed(absent, most=6)}.")
    return figure_of(
        "judge-controls",
        f"{own.judge} on {own.aspect}, beside people and controls",
        " ".join(said),
        data,
        drawing,
        notes=(*own.notes, *_others(found, own)),
        signature=found.signature,
    )


def _empty(data: pd.DataFrame) -> list[str]:
    """Criteria by which nobody has a number."""
    return [str(name) for name, rows in data.groupby("criterion") if rows["value"].isna().all()]


# What the noise of judging leaves of a ranking


POPULATIONS = {"these": "these assessors, asked again", "like": "assessors like them"}


def stability(found: Stability, *, measure: str | None = None) -> Figure:
    """Every system's rank, and the ranks that another round of judging could have given it."""
    import altair as alt

    own = _noise(found, measure)
    if own.drawn is None:
        raise DataError(f"{own.title}: nothing can be drawn: {own.found.why}")
    need_few(len(own.systems), "systems", "choose some of them")
    draws = {name: each for name in POPULATIONS if (each := getattr(own.found, name)) is not None}
    data = pd.DataFrame(
        [
            {
                "system": own.systems[k],
                "assessors": POPULATIONS[name],
                "mean": float(own.found.means[k]),
                "rank": int(own.found.ranks[k]),
                "low": int(each.low[k]),
                "high": int(each.high[k]),
                "first": float(each.best[k]),
            }
            for k in own.order
            for name, each in draws.items()
        ]
    )
    names = [own.systems[k] for k in own.order]
    there = [POPULATIONS[name] for name in draws]
    n, level = len(names), own.drawn.level

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("system", names)
        step = max(1, math.ceil(n / 15))
        axis = alt.Axis(values=list(range(1, n + 1, step)), tickCount=n, format="d")
        scale = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)
        x: dict[str, Any] = {"title": "rank", "scale": scale, "axis": axis}
        colour = series_colour(
            "assessors", there, dict(zip(there, (INK, SERIES[4])[-len(there) :], strict=True))
        )
        layers = [
            base.transform_filter(f"datum.assessors == '{who}'")
            .transform_calculate(from_="datum.low - 0.28", to="datum.high + 0.28")
            .mark_bar(height=height, cornerRadius=2)
            .encode(x=alt.X("from_:Q", **x), x2="to:Q", y=y, color=colour)
            for who, height in reversed(list(zip(there, (6, 15) if len(there) > 1 else (10,), strict=True)))
        ]
        points = base.mark_point(size=26, color=MARK).encode(x=alt.X("rank:Q", **x), y=y)
        return alt.layer(*layers, points, width=WIDE, height=alt.Step(ROW))

    said = [
        f"The point is a system's rank by {own.title}; bars hold {level:.0%} of the ranks that another round of"
        f" judging on these topics could have given it ({own.size})."
    ]
    first = [own.systems[k] for k in own.order if own.drawn.low[k] == 1]
    said.append(
        f"For {own.whose()}, {listed(first, most=6)} {'has' if len(first) == 1 else 'have'} rank 1 in"
        f" {'its' if len(first) == 1 else 'their'} {'range' if len(first) == 1 else 'ranges'}."
    )
    if own.found.why_not_like is not None:
        said.append(f"Nothing is said of other assessors: {own.found.why_not_like}.")
    return figure_of(
        "stability",
        f"How the ranking could have come out, {own.title}",
        " ".join(said),
        data,
        drawing,
        notes=(*own.notes(), *_other_noise(found, own)),
        signature=own.signature(found.level, found.seed),
    )


def _noise(found: Stability, measure: str | None) -> RankNoise:
    if not found.noise:
        raise DataError(
            next(
                (each for each in found.absent if each.startswith("judge noise")),
                "judge noise: nothing is known",
            )
        )
    if measure is None:
        return next((each for each in found.noise if each.drawn is not None), found.noise[0])
    known = {each.info.measure: each.info.words for each in found.noise}
    which = one_of(measure, known, "the measure")
    return next(each for each in found.noise if each.info.measure == which)


def _other_noise(found: Stability, own: RankNoise) -> tuple[str, ...]:
    """Which rankings are not drawn."""
    names = [each.title for each in found.noise if each is not own]
    return (f"not drawn: {'; '.join(names)}; choose with -m, --length and --form",) if names else ()


# Assessors


def assessors(found: Dossiers) -> Figure:
    """Every assessor's severity and agreement with the others, with intervals."""
    import altair as alt

    rows = [each for each in found.rows if not math.isnan(each.deviation) or not math.isnan(each.correlation)]
    if not rows:
        raise DataError(found.headline().rstrip("."))
    need_few(len(rows), "assessors", "choose a length or a form")
    two = len(found.rows) == 2
    panels = {
        "severity": "above the other" if two else "above the median assessor",
        "agreement": "correlation with the others",
    }
    data = pd.DataFrame(
        [
            {
                "assessor": each.assessor,
                "what": panels[what],
                "value": value,
                "low": low,
                "high": high,
                "others": each.others_correlation if what == "agreement" else math.nan,
                "judgments": each.judgments,
                "shared": each.shared,
                "named": ", ".join(each.codes),
                "colour": "named" if each.flags else "not named",
            }
            for each in sorted(rows, key=lambda e: (math.isnan(e.deviation), -_number(e.deviation)))
            for what, value, low, high in (
                ("severity", each.deviation, each.deviation_low, each.deviation_high),
                ("agreement", each.correlation, each.correlation_low, each.correlation_high),
            )
        ]
    )
    names = list(dict.fromkeys(data["assessor"]))
    there = [panel for panel in panels.values() if data.loc[data["what"] == panel, "value"].notna().any()]
    data = data[data["what"].isin(there)].reset_index(drop=True)
    coloured = [name for name in ("not named", "named") if name in set(data["colour"])]
    colours = {"not named": ACCENT, "named": MARK}

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("assessor", names)
        legend = "named" in coloured
        colour = series_colour("colour", coloured, colours, legend=legend)
        shape = series_shape("colour", coloured, legend=legend)
        x: dict[str, Any] = {"title": None, "scale": alt.Scale(zero=False), "axis": alt.Axis(tickCount=4)}
        known = base.transform_filter("datum.value != null")
        zero = (
            base.transform_filter(f"datum.what == '{panels['severity']}'")
            .transform_calculate(zero="0")
            .mark_rule(color=SOFT, strokeDash=[4, 3])
            .encode(x=alt.X("zero:Q", **x))
        )
        ticks = (
            base.transform_filter("datum.others != null")
            .mark_tick(color=SOFT, thickness=2, size=12)
            .encode(x=alt.X("others:Q", **x), y=y)
        )
        bars = (
            known.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, color=colour)
        )
        points = known.mark_point().encode(x=alt.X("value:Q", **x), y=y, color=colour, shape=shape)
        one = alt.layer(zero, ticks, bars, points, width=240, height=alt.Step(ROW))
        panels_of = alt.Column("what:N", sort=there, title=None, header=alt.Header(labelOrient="top"))
        drawn = one.facet(column=panels_of, spacing=20).resolve_scale(x="independent")
        return cast("alt.TopLevelMixin", drawn)

    said = [found.headline()]
    if data["low"].notna().any():
        said.append(f"Lines are {1 - found.alpha:.0%} intervals.")
    if data["others"].notna().any():
        said.append("The tick is how far the others correlate with each other.")
    if lacking := [each.assessor for each in found.rows if each not in rows]:
        said.append(f"Not drawn: {listed(lacking, most=6)}, of whom neither is known.")
    return figure_of(
        "assessors",
        f"Severity and agreement of assessors, {found.title}",
        " ".join(said),
        data,
        drawing,
        notes=found.notes,
        signature=found.signature,
    )


def _number(value: float) -> float:
    return 0.0 if math.isnan(value) else value


# Agreement by question


THRESHOLDS = (0.667, 0.8)
MOST_NAMED = 5
"""Questions that the words below a title name."""


def _agreement_said(found: AgreementResult) -> str:
    """The headline; of many questions, or of titles that a list would mix up, the counts alone."""
    from adjudge.stats.agreement import reliability

    if len(found.questions) == 1 or (
        len(found.questions) <= MOST_NAMED and not any("," in each.title for each in found.questions)
    ):
        return found.headline()
    verdicts = Counter(reliability(each.alpha.value) for each in found.questions if each.alpha.why is None)
    order = dict.fromkeys(reliability(value) for value in (0.9, 0.7, 0.0))
    parts = [f"{verdict} on {verdicts[verdict]}" for verdict in order if verdicts[verdict]]
    if without := len(found.questions) - verdicts.total():
        parts.append(f"not defined on {without}")
    return f"Alpha of {len(found.questions)} questions is {'; '.join(parts)}."


def agreement(found: AgreementResult) -> Figure:
    """Alpha and AC of every question, with intervals and Krippendorff's thresholds."""
    import altair as alt

    if not found.questions:
        raise DataError(found.headline().rstrip("."))
    need_few(len(found.questions), "questions", "name some with -m")
    data = pd.DataFrame(
        [
            {
                "question": each.title,
                "coefficient": name,
                "value": value.value,
                "low": value.low,
                "high": value.high,
                "units": value.units,
                "assessors": len(each.assessors),
                "why": value.why or value.why_no_interval,
            }
            for each in found.questions
            for name, value in (("alpha", each.alpha), (each.ac.name, each.ac))
        ]
    )
    if not data["value"].notna().any():
        raise DataError(f"no coefficient of agreement: {data['why'].iloc[0]}")
    names = list(dict.fromkeys(data["question"]))
    known = data[data["value"].notna()]
    there = list(dict.fromkeys(known["coefficient"]))

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("question", names, wide=300)
        offset = alt.YOffset("coefficient:N", sort=there, scale=alt.Scale(domain=there, paddingOuter=0.3))
        colour, shape = series_colour("coefficient", there), series_shape("coefficient", there)
        x: dict[str, Any] = {"title": "agreement", "scale": alt.Scale(zero=False)}
        known = base.transform_filter("datum.value != null")
        marks = [
            base.mark_rule(color=GOOD, strokeDash=[4, 3]).encode(x=alt.datum(threshold))
            for threshold in THRESHOLDS
        ]
        bars = (
            known.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, yOffset=offset, color=colour)
        )
        points = known.mark_point().encode(
            x=alt.X("value:Q", **x), y=y, yOffset=offset, color=colour, shape=shape
        )
        return alt.layer(
            *marks, bars, points, width=WIDE, height=alt.Step(14 * len(there) + 4, **{"for": "position"})
        )

    said = [
        _agreement_said(found),
        "Krippendorff's thresholds for alpha, .667 and .800, are dashed.",
    ]
    if data["low"].notna().any():
        said.insert(1, f"Lines are {found.options.level:.0%} intervals over topics.")
    if absent := [each.title for each in found.questions if each.alpha.why is not None]:
        said.append(f"No alpha: {listed(absent, most=6)}.")
    return figure_of(
        "agreement",
        "Agreement of assessors by question",
        " ".join(said),
        data,
        drawing,
        signature=found.signature,
    )
