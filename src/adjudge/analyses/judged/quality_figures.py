"""Pictures of the answers to questions on quality, by question and source or peer. Over and Liggett 2002."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.judged.figures import HOW
from adjudge.analyses.judged.quality_answers import BY_PEER, QualityAnswers, SourceAnswers, answer_words
from adjudge.analyses.panels import check_size, in_panels, sources_in
from adjudge.core.errors import DataError
from adjudge.core.picture import (
    HEAT,
    HEAT_INK_HIGH,
    HEAT_INK_LOW,
    INK,
    PAPER,
    SOFT,
    Figure,
    figure_of,
    heat_step,
    in_order,
)
from adjudge.core.words import counted, listed
from adjudge.measures.judged.quality import NONE

if TYPE_CHECKING:
    import altair as alt


MOST_ANSWERS = len(HEAT)
WIDE = 600
"""Pixels that the sources of a row share."""


def quality(result: QualityAnswers) -> Figure:
    """The shares of answers as bars: a row for each question, a column for each source.

    Of questions that count errors, only answers that found some are drawn: most find none.
    """
    import altair as alt

    rows = [row for row in result.rows if row.n and len(row.question.choices) <= MOST_ANSWERS]
    if not any(row.n for row in result.rows):
        raise DataError(f"{result.headline()} {HOW}")
    if not rows:
        raise DataError(
            f"no question has {MOST_ANSWERS} answers to choose from or fewer: adjudge judgments tables"
        )
    fine = {row.label for row in result.rows if row.n and len(row.question.choices) > MOST_ANSWERS}
    keys = list(dict.fromkeys(map(_panel_key, rows)))
    names = _names(keys)
    check_size(len(keys), len(rows))
    data = pd.DataFrame([piece for row in rows for piece in _pieces(row, names[_panel_key(row)])])
    there = sources_in(data["source"].tolist())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, list(names.values()), panel, colours_apart=True)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        pieces = data[data["panel"] == name]
        columns = [source for source in there if source in set(pieces["source"])]
        made = []
        for source in columns:
            rows = base.transform_filter(alt.FieldEqualPredicate(field="source", equal=source))
            head = alt.TitleParams(source, anchor="start", frame="group", fontSize=12, color=INK, offset=4)
            made.append(column(rows, pieces, labels=source == columns[0]).properties(title=head))
        return alt.hconcat(*made, spacing=16)

    def column(base: alt.Chart, pieces: pd.DataFrame, *, labels: bool) -> Any:
        drawn = pieces[pieces["drawn"]]
        answers = drawn.drop_duplicates("answer")
        errors = bool(pieces["errors"].any())
        room = float(drawn["to"].max()) * 1.3 if errors else 1.0
        beside = alt.Axis(labelLimit=240, minExtent=0) if labels else alt.Axis(labels=False, ticks=False)
        questions = alt.Scale(domain=in_order(pieces["question"]))
        y = alt.Y("question:N", scale=questions, title=None, axis=beside)
        below = alt.Axis(
            format=".0%", tickCount=4, grid=not errors, labelExpr="datum.value > 1 ? '' : datum.label"
        )
        shares = alt.Scale(domain=[0, room or 1], nice=False)
        x = alt.X("from:Q", title="share of answers", axis=below, scale=shares)
        shades = [HEAT[int(step)] for step in answers["step"].tolist()]
        colour = alt.Color(
            "answer:N",
            title="errors" if errors else "answer",
            legend=alt.Legend(columns=MOST_ANSWERS),
            scale=alt.Scale(domain=in_order(answers["answer"]), range=shades),
        )
        layers: list[Any] = [
            base.transform_filter("datum.drawn")
            .mark_bar(height=12, stroke=PAPER, strokeWidth=0.5)
            .encode(x=x, x2="to:Q", y=y, color=colour)
        ]
        if errors:
            layers.append(
                base.transform_filter("datum.last")
                .mark_text(align="left", dx=4, color=SOFT, fontSize=11)
                .encode(x="to:Q", y=y, text=alt.Text("found:Q", format=".0%"))
            )
        return alt.layer(*layers, width=WIDE / len(there) - 12, height=alt.Step(18))

    scaled = any(not row.counts_errors and row.worst is not None for row in rows)
    return figure_of(
        "quality",
        "Answers to the questions on quality, by source",
        f"{_said(rows)} A row is a question; the pieces of a bar are the shares of its answers"
        f"{', without those that found no error' if any(row.counts_errors for row in rows) else ''}"
        f"{', from the best on the left to the worst' if scaled else ''}.",
        data,
        drawing,
        notes=(
            *result.warnings(),
            *([f"not drawn, as their scales are too fine: {listed(sorted(fine))}"] if fine else []),
        ),
        signature=result.signature,
    )


def quality_by_peer(result: QualityAnswers) -> Figure:
    """Of every question, the share of answers that found errors in each peer's summaries, as shades."""
    import altair as alt

    rows = [row for row in result.peers if row.n and row.counts_errors]
    if not rows:
        raise DataError("nobody was asked how many errors a summary has; DUC-2002's twelve questions do")
    keys = list(dict.fromkeys(map(_panel_key, rows)))
    names = _names(keys)
    check_size(len(keys), len({(_panel_key(row), row.system) for row in rows}))
    high = max(row.error_share for row in rows)
    data = pd.DataFrame(
        [
            {
                "panel": names[_panel_key(row)],
                "question": _question(row),
                "source": row.source,
                "system": row.system,
                "n": row.n,
                "share": row.error_share,
                "step": heat_step(row.error_share, 0.0, high),
            }
            for row in rows
        ]
    )

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, list(names.values()), panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        cells = data[data["panel"] == name]
        x = alt.X(
            "question:N",
            sort=in_order(cells["question"]),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-35, labelAlign="left", ticks=False, domain=False),
        )
        y = alt.Y(
            "system:N",
            sort=in_order(cells["system"]),
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
        )
        shades = alt.Scale(domain=list(range(len(HEAT))), range=list(HEAT))
        drawn = base.mark_rect().encode(x=x, y=y, color=alt.Color("step:O", legend=None, scale=shades))
        ink = alt.condition("datum.step >= 5", alt.value(HEAT_INK_HIGH), alt.value(HEAT_INK_LOW))
        texts = base.mark_text().encode(x=x, y=y, text=alt.Text("share:Q", format=".0%"), color=ink)
        return alt.layer(drawn, texts, width=WIDE, height=alt.Step(22))

    return figure_of(
        "quality-by-peer",
        "Errors by question and peer",
        f"A cell is the share of answers that found errors. {' '.join(result.about(BY_PEER))}",
        data,
        drawing,
        notes=tuple(result.only([BY_PEER]).warnings()),
        signature=result.signature,
    )


def _question(row: SourceAnswers) -> str:
    return f"{row.key} {row.label}" if row.key.isdigit() else row.label


PanelKey = tuple[str, str | None, tuple[str, ...]]


def _panel_key(row: SourceAnswers) -> PanelKey:
    """Protocols, tasks and scales have panels of their own."""
    return row.protocol, row.task, tuple(map(answer_words, row.question.choices))


def _names(keys: Sequence[PanelKey]) -> dict[PanelKey, str]:
    if len(keys) == 1:
        return {keys[0]: ""}
    protocols, tasks = {key[0] for key in keys}, {key[1] for key in keys}
    names: dict[PanelKey, str] = {}
    for key in keys:
        words = [key[0]] if len(protocols) > 1 else []
        words += [f"{key[1]}-document" if key[1] else "task not set"] if len(tasks) > 1 else []
        name = ", ".join(words) or key[0]
        names[key] = name if name not in names.values() else f"{name} ({listed(key[2])})"
    return names


def _pieces(row: SourceAnswers, panel: str) -> list[dict[str, Any]]:
    """A bar's pieces, side by side: few errors before many, good answers before bad ones."""
    shares = {choice.value: (choice, n, share) for choice, n, share in row.shares()}
    order = list(shares)
    if not row.counts_errors and row.worst is not None:
        order.sort(reverse=True)
    drawn = [value for value in order if not (row.counts_errors and value == NONE)]
    # The stronger, the worse; the first of those drawn is strong enough to be seen on paper.
    strongest = len(HEAT) - 1
    steps = [2 + round(at * (strongest - 2) / max(1, len(drawn) - 1)) for at in range(len(drawn))]
    steps = steps if len(drawn) > 1 else [strongest]
    pieces, at = [], 0.0
    for value in order:
        choice, n, share = shares[value]
        kept = value in drawn
        pieces.append(
            {
                "panel": panel,
                "question": _question(row),
                "source": row.source,
                "answer": answer_words(choice),
                "n": n,
                "share": share,
                "drawn": kept,
                "from": at if kept else None,
                "to": at + share if kept else None,
                "step": steps[drawn.index(value)] if kept else None,
                "errors": row.counts_errors,
                "found": row.error_share,
                "last": kept and row.counts_errors and value == drawn[-1],
            }
        )
        at += share if kept else 0.0
    return pieces


def _said(rows: Sequence[SourceAnswers]) -> str:
    counting = [row for row in rows if row.counts_errors]
    if not counting:
        asked = len({(row.protocol, row.question.id) for row in rows})
        return f"{counted(sum(row.n for row in rows), 'answer')} to {counted(asked, 'question')}."
    totals: dict[str, list[int]] = {}
    for row in counting:
        total = totals.setdefault(row.label, [0, 0])
        total[0] += row.n
        total[1] += row.n - row.counts[NONE]
    label, (n, with_errors) = max(totals.items(), key=lambda item: item[1][1] / item[1][0])
    every, errors = (sum(total[at] for total in totals.values()) for at in (0, 1))
    most = f", most often {label} ({with_errors / n:.0%} of its answers)" if with_errors else ""
    return f"{errors / every:.0%} of {counted(every, 'answer')} found errors{most}."
