"""How hard every topic is, by mean ranks. Rankel et al. 2011, figure 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import few_enough, labels, step, text_size
from adjudge.analyses.topics import Topics
from adjudge.analyses.topics.result import FromChosen
from adjudge.analyses.topics.words import about_chosen, end_words
from adjudge.core.picture import ACCENT, INK, PLAIN, SERIES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.scores import Scores
    from adjudge.analyses.topics.result import TopicsResult

MOST_TOPICS = 300
COLOURS = dict(zip(get_args(FromChosen), (ACCENT, SERIES[1], PLAIN, INK, SOFT), strict=True))
DASHES = dict(zip(get_args(FromChosen), ([1, 0], [1, 0], [1, 0], [2, 2], [1, 0]), strict=True))


def topic_intervals(result: TopicsResult) -> Figure:
    """Mean ranks of the topics with Tukey's intervals, the easiest first; coloured by the chosen topic, if any."""
    import altair as alt

    standings = result.standings
    few_enough(len(standings), MOST_TOPICS, "topics", "`adjudge topics` has them as a table")
    called = labels(s.topic for s in standings)
    compared = result.from_chosen()
    data = pd.DataFrame(
        {
            "topic": [called[s.topic] for s in standings],
            "scores": [s.n for s in standings],
            "mean": [s.mean for s in standings],
            "mean_rank": [s.mean_rank for s in standings],
            "low": [s.low for s in standings],
            "high": [s.high for s in standings],
            "differs_from": [s.differs for s in standings],
            **({"compared": [compared[s.topic] for s in standings]} if compared else {}),
        }
    )
    there = [word for word in COLOURS if word in compared.values() and word != "no scores"]
    pixels = step(len(standings), 1300, 8, 20)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y(
            "topic:N",
            sort=in_order(called.values()),
            title=None,
            axis=alt.Axis(labelFontSize=text_size(pixels), labelOverlap="greedy" if pixels < 9 else False),
        )
        scale = alt.Scale(zero=False)
        title = f"mean rank of {result.matrix.heading} among all scores (1 is the lowest)"
        x = alt.X("mean_rank:Q", title=title, scale=scale, axis=alt.Axis(titleLimit=560))
        colour: alt.Color | alt.Value = alt.value(ACCENT)
        dash: alt.StrokeDash | alt.Value = alt.value([1, 0])
        layers = []
        if there:
            legend = alt.Legend(labelLimit=300, columns=2)
            colour = alt.Color(
                "compared:N",
                title=f"compared with {result.against}",
                scale=alt.Scale(domain=there, range=[COLOURS[word] for word in there]),
                legend=legend,
            )
            dash = alt.StrokeDash(
                "compared:N",
                scale=alt.Scale(domain=there, range=[DASHES[word] for word in there]),
                legend=None,
            )
            chosen = base.transform_filter("datum.compared == 'chosen' && isValid(datum.low)")
            layers = [
                chosen.mark_rule(color=ACCENT, strokeDash=[2, 3]).encode(x=alt.X(f"{end}:Q", scale=scale))
                for end in ("low", "high")
            ]
        layers.append(
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, color=colour, strokeDash=dash)
        )
        layers.append(
            base.transform_filter("datum.scores > 0")
            .mark_point(size=min(60, 5 * pixels))
            .encode(x=x, y=y, color=colour)
        )
        layers.append(
            base.transform_filter("datum.scores == 0")
            .mark_text(align="left", color=SOFT, fontSize=text_size(pixels))
            .encode(x=alt.value(4), y=y, text=alt.value("no scores"))
        )
        return alt.layer(*layers, height=alt.Step(pixels))

    return figure_of(
        "topics",
        f"How topics differ, {result.title}",
        _words(result),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _words(result: TopicsResult) -> str:
    first, last = end_words(result)
    sentences = [result.headline(), f"Topics from the {first} to the {last}."]
    if result.over_topics.why is None and result.over_topics.variance > 0:
        if result.over_topics.equal_sizes:
            sentences.append(
                f"Topics differ where their intervals do not overlap (Tukey's test on mean ranks, alpha"
                f" {result.alpha:g})."
            )
        else:
            sentences.append("Lines are approximate intervals of mean ranks; the tests of pairs decide.")
    if result.against is not None:
        sentences.append(about_chosen(result, result.against))
    silent = sum(not s.n for s in result.standings)
    if silent:
        sentences.append(f"{counted(silent, 'topic has', 'topics have')} no scores.")
    return " ".join(sentences)


def _made(scores: Scores, options: FigureOptions) -> Figure:
    asked = Topics(measure=options.measure, length=options.length, form=options.form, against=options.against)
    return asked.run(scores).figure("topics")


SPECS = (
    FigureSpec(
        "topics",
        "How hard every topic is, by mean ranks with intervals; those that differ from a chosen topic are coloured.",
        _made,
        after="Rankel et al. 2011, figure 1",
        takes=("against",),
        example="-m rouge-2 --length 100 --against d04",
    ),
)
