"""Agreement by question, with Krippendorff's thresholds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.analyses.agreement.words import verdicts
from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.trust_drawing import WIDE, need_few, rows_axis, series_colour, series_shape
from adjudge.core.errors import AdjudgeError, DataError
from adjudge.core.picture import GOOD, Figure, figure_of
from adjudge.core.words import listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.scores import Scores

THRESHOLDS = (0.667, 0.8)
MOST_NAMED = 5
"""Questions that the words below a title name."""
MOST_TOGETHER = 30
"""Questions that are drawn of several lengths and forms together."""


def agreement(result: AgreementResult) -> Figure:
    """Alpha and AC of every question, with intervals and Krippendorff's thresholds."""
    import altair as alt
    import pandas as pd

    if not result.questions:
        raise DataError(result.headline().rstrip("."))
    result, where, others = _of_one_target(result)
    called = dict(
        zip((q.title for q in result.questions), _row_names(result, alone=bool(where)), strict=True)
    )
    need_few(len(result.questions), "questions", "name some of them as measures")
    data = pd.DataFrame(
        [
            {
                "question": called[question.title],
                "coefficient": name,
                "value": coefficient.value,
                "low": coefficient.low,
                "high": coefficient.high,
                "units": coefficient.units,
                "assessors": len(question.assessors),
                "why": coefficient.why or coefficient.why_no_interval,
            }
            for question in result.questions
            for name, coefficient in (("alpha", question.alpha), (question.ac.name, question.ac))
        ]
    )
    if not data["value"].notna().any():
        raise DataError(f"no coefficient of agreement: {data['why'].iloc[0]}")
    names = list(dict.fromkeys(data["question"]))
    there = list(dict.fromkeys(data.loc[data["value"].notna(), "coefficient"]))

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("question", names, wide=300)
        offset = alt.YOffset("coefficient:N", sort=there, scale=alt.Scale(domain=there, paddingOuter=0.3))
        colour, shape = series_colour("coefficient", there), series_shape("coefficient", there)
        x: dict[str, Any] = {"title": "agreement", "scale": alt.Scale(zero=False)}
        with_value = base.transform_filter("datum.value != null")
        marks = [
            base.mark_rule(color=GOOD, strokeDash=[4, 3]).encode(x=alt.datum(threshold))
            for threshold in THRESHOLDS
        ]
        bars = (
            with_value.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, yOffset=offset, color=colour)
        )
        points = with_value.mark_point().encode(
            x=alt.X("value:Q", **x), y=y, yOffset=offset, color=colour, shape=shape
        )
        return alt.layer(
            *marks, bars, points, width=WIDE, height=alt.Step(14 * len(there) + 4, **{"for": "position"})
        )

    words = [verdicts(result, MOST_NAMED)]
    if data["low"].notna().any():
        words.append(f"Lines are {result.asked.level:.0%} intervals over topics.")
    words.append("Krippendorff's thresholds for alpha, .667 and .800, are dashed.")
    if absent := [called[q.title] for q in result.questions if q.alpha.why is not None]:
        words.append(f"No alpha: {listed(absent, most=6)}.")
    return figure_of(
        "agreement",
        f"Agreement between assessors, by question{f', {where}' if where else ''}",
        " ".join(words),
        data,
        drawing,
        notes=(f"not drawn: {'; '.join(others)}; choose by length and form",) if others else (),
        signature=result.signature,
    )


def _of_one_target(result: AgreementResult) -> tuple[AgreementResult, str, list[str]]:
    """Of very many questions those of the length and form that most are about, which, and the others' ones."""
    counts = Counter(target for question in result.questions for target in question.targets)
    counts.pop((None, None), None)
    if len(result.questions) <= MOST_TOGETHER or len(counts) < 2:
        return result, "", []
    (main, _), *others = counts.most_common()
    kept = tuple(q for q in result.questions if q.targets & {main, (None, None)})
    return (
        replace(result, questions=kept),
        _target_words(*main),
        [_target_words(*other) for other, _ in others],
    )


def _row_names(result: AgreementResult, *, alone: bool) -> list[str]:
    """Questions by what they ask, where they are numbered; `alone` without the one length and form that all have."""
    names = []
    for q in result.questions:
        name = q.title.replace(q.question, q.asked or q.question) if alone else q.title
        names.append(name.replace(q.asked, q.label) if ":" in q.asked and q.label else name)
    return names if len(set(names)) == len(names) else [q.title for q in result.questions]


def _target_words(length: int | None, form: str | None) -> str:
    return ", ".join(filter(None, (f"{length:,} words" if length else "", form)))


def _made(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.agreement import Agreement

    def is_measure(name: str) -> bool:
        """Whether scores of that name are here; else it is a question, which a file of scores has none of."""
        try:
            return bool(scores.resolved(name))
        except AdjudgeError:
            return scores.folder is None

    measures = [name for name in options.measures if is_measure(name)]
    asked = Agreement(
        measures or None,
        question=[name for name in options.measures if name not in measures],
        length=options.length,
        form=options.form,
        seed=options.seed,
    )
    return asked.run(scores).figure("agreement")


SPECS = (
    FigureSpec(
        "agreement",
        "How far assessors agree on every question, with intervals.",
        _made,
        example="-m completeness -m unmarked --length 100",
        panels=True,
    ),
)
