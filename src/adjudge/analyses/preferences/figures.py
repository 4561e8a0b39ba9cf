"""Pictures of strengths that were fitted to preferences. Zopf 2018, section 3."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.preferences.words import chances_title
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.phrases import Argument
from adjudge.core.picture import (
    ACCENT,
    GRID,
    HEAT,
    HEAT_INK_HIGH,
    HEAT_INK_LOW,
    INK,
    PAPER,
    PLAIN,
    SERIES,
    SOFT,
    Figure,
    figure_of,
    heat_step,
    in_order,
)
from adjudge.core.words import counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.preferences import Of
    from adjudge.analyses.preferences.measures import Convergence, Trajectory
    from adjudge.analyses.preferences.strengths import ItemStrength, PreferenceFit
    from adjudge.analyses.scores import Scores

MOST_ITEMS = 60
"""Lines of strengths; of more items the strongest and the weakest are drawn."""
MOST_CELLS = 20
"""Items of a matrix; of more the strongest are drawn."""
LONGEST = 64
"""Characters of an item; sentences are longer."""


def strengths(fit: PreferenceFit) -> Figure:
    """Every item's strength with its interval, best first; part by part where chains of duels do not join them all."""
    import altair as alt

    placed = [standing for standing in fit.standings if standing.rank is not None]
    shown = _ends(placed)
    data = pd.DataFrame(
        {
            "item": labels([standing.item for standing in shown], [standing.rank for standing in shown]),
            "text": [standing.item for standing in shown],
            "part": [f"part {standing.part}" for standing in shown],
            "rank": [standing.rank for standing in shown],
            "strength": [standing.strength for standing in shown],
            "low": [standing.low for standing in shown],
            "high": [standing.high for standing in shown],
            "open": [standing.open or "" for standing in shown],
            "wins": [standing.wins for standing in shown],
            "losses": [standing.losses for standing in shown],
            "ties": [standing.ties for standing in shown],
        }
    )
    bounds = _domain(shown)
    parts = list(dict.fromkeys(data["part"]))

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y("item:N", sort=in_order(data["item"]), title=None, axis=alt.Axis(labelLimit=400))
        scale = alt.Scale(type="log", domain=list(bounds), nice=False)
        axis = alt.Axis(format="~g", values=_ticks(*bounds), labelOverlap=False)
        if 1 < len(parts) <= len(SERIES):
            ranged = alt.Scale(domain=parts, range=list(SERIES[: len(parts)]))
            colour: Any = alt.Color("part:N", title=None, scale=ranged)
        else:
            colour = alt.value(ACCENT)
        one = base.mark_rule(strokeDash=[4, 3], color=SOFT).encode(
            x=alt.X(datum=1, type="quantitative", scale=scale)
        )
        # An open end reaches the edge of the picture.
        bounded = base.transform_filter("datum.low != null || datum.high != null || datum.open == 'both'")
        bars = (
            bounded.transform_calculate(
                from_=f"datum.low == null ? {bounds[0]} : datum.low",
                to=f"datum.high == null ? {bounds[1]} : datum.high",
            )
            .mark_rule(strokeWidth=2)
            .encode(
                x=alt.X("from_:Q", title="strength", scale=scale, axis=axis), x2="to:Q", y=y, color=colour
            )
        )
        arrows = [
            base.transform_filter(f"datum.open == '{side}' || datum.open == 'both'")
            .mark_point(shape=shape, size=50)
            .encode(x=alt.X(datum=bounds[end], type="quantitative", scale=scale), y=y, color=colour)
            for side, shape, end in (("above", "triangle-right", 1), ("below", "triangle-left", 0))
        ]
        points = base.mark_point().encode(
            x=alt.X("strength:Q", scale=scale, title="strength", axis=axis), y=y, color=colour
        )
        return alt.layer(one, bars, *arrows, points, height=alt.Step(20))

    return figure_of(
        "strengths",
        f"Strengths of {fit.title}",
        _strength_words(fit, placed, shown),
        data,
        drawing,
        notes=tuple(fit.warnings()),
        signature=fit.signature,
    )


def _strength_words(fit: PreferenceFit, placed: Sequence[ItemStrength], shown: Sequence[ItemStrength]) -> str:
    # Where ties have a parameter, chances are not by strengths alone.
    chance = (
        ""
        if fit.ties_apart
        else "; of two with strengths a and b the first is preferred with probability a / (a + b)"
    )
    sentences = [
        f"Bradley-Terry strengths of {counted(len(placed), fit.noun)} from {counted(fit.answers, 'answer')}, with"
        f" geometric mean 1{chance}."
    ]
    if any(not math.isnan(standing.low) or not math.isnan(standing.high) for standing in shown):
        sentences.append(f"The line is the {fit.level:.0%} interval.")
    elif fit.contrasts is None:
        sentences.append("Strengths were regularised on request, so that there are no intervals.")
    if any(standing.open for standing in shown):
        sentences.append("An arrow marks an interval without an end: the answers set no bound on that side.")
    if any(standing.regularised for standing in shown) and fit.contrasts is not None:
        sentences.append(
            "Strengths are pulled towards each other (regularised) where there is no finite maximum."
        )
    if len(fit.parts) > 1:
        sentences.append(
            f"The items fall into {len(fit.parts)} parts that no chain of duels joins: strengths compare within a part"
            " only."
        )
    if len(shown) < len(placed):
        sentences.append(
            f"Drawn are the {MOST_ITEMS // 2} strongest and the {MOST_ITEMS // 2} weakest of {len(placed)}."
        )
    if never := len(fit.standings) - len(placed):
        sentences.append(f"{counted(never, 'item')} {'was' if never == 1 else 'were'} in no pair.")
    return " ".join(sentences)


def _ends(placed: Sequence[ItemStrength]) -> list[ItemStrength]:
    if len(placed) <= MOST_ITEMS:
        return list(placed)
    return [*placed[: MOST_ITEMS // 2], *placed[-(MOST_ITEMS // 2) :]]


def _domain(shown: Sequence[ItemStrength]) -> tuple[float, float]:
    """Of the logarithmic axis: all that is finite, and some room."""
    values = [v for e in shown for v in (e.strength, e.low, e.high) if math.isfinite(v) and v > 0]
    low, high = min(values), max(values)
    room = max((high / low) ** 0.04, 1.1)
    return max(low / room, 1e-300), min(high * room, 1e300)


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of every power of ten; of a long axis the powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ones = (1,) if len(powers) > 5 else (1, 2, 5)
    every = max(1, len(powers) // 8)
    made = [float(f"{one}e{power}") for power in powers if power % every == 0 for one in ones]
    return [value for value in made if low <= value <= high]


def labels(items: Sequence[str], ranks: Sequence[int | None]) -> list[str]:
    """`3. The storm hit the coast ...`: names or sentences as an axis takes them, each different."""
    axis_labels: list[str] = []
    for item, rank in zip(items, ranks, strict=True):
        text = " ".join(item.split())
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
        label = f"{rank}. {text}"
        again = sum(earlier == label or earlier.startswith(f"{label} (") for earlier in axis_labels)
        axis_labels.append(label if not again else f"{label} ({again + 1})")
    return axis_labels


def win_probabilities(fit: PreferenceFit) -> Figure:
    """How likely the row's item is preferred to the column's, in the order of strength."""
    import altair as alt

    square = fit.win_probabilities()
    if len(square) < 2:
        raise UsageError("a matrix of win probabilities takes two items or more that were in a pair")
    every = len(square)
    ranks = [standing.rank for standing in fit.standings if standing.rank is not None][:MOST_CELLS]
    names = list(square.index[:MOST_CELLS])
    square = square.iloc[:MOST_CELLS, :MOST_CELLS]
    rows = labels(names, ranks)
    columns = [str(k + 1) for k in range(len(names))]
    differ = {
        pair
        for item_pair in fit.pairs
        if item_pair.verdict == "differ"
        for pair in ((item_pair.a, item_pair.b), (item_pair.b, item_pair.a))
    }
    records = []
    for r, a in enumerate(names):
        for c, b in enumerate(names):
            chance = float(square.iat[r, c])
            step = -1 if math.isnan(chance) else heat_step(chance, 0, 1)
            records.append(
                {
                    "row": rows[r],
                    "column": columns[c],
                    "item": a,
                    "other": b,
                    "probability": chance,
                    "different": (a, b) in differ,
                    "step": step,
                    "shown": "" if r == c else "–" if math.isnan(chance) else _chance(chance),
                }
            )
    data = pd.DataFrame(records)
    size = 40

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "column:N",
            sort=columns,
            title="preferred to the item in this place",
            axis=alt.Axis(labelAngle=0, orient="top", ticks=False, domain=False),
        )
        y = alt.Y(
            "row:N",
            sort=in_order(rows),
            title=None,
            axis=alt.Axis(labelLimit=360, ticks=False, domain=False),
        )
        cells = base.mark_rect(stroke=PAPER).encode(
            x=x,
            y=y,
            color=alt.Color(
                "step:O", legend=None, scale=alt.Scale(domain=[-1, *range(len(HEAT))], range=[GRID, *HEAT])
            ),
        )
        dark = "datum.step >= 5"
        texts = [
            base.transform_filter(f"datum.different == {str(bold).lower()}")
            .mark_text(fontSize=11, fontWeight="bold" if bold else "normal")
            .encode(
                x=x,
                y=y,
                text="shown:N",
                color=alt.condition(dark, alt.value(HEAT_INK_HIGH), alt.value(HEAT_INK_LOW)),
            )
            for bold in (False, True)
        ]
        return alt.layer(cells, *texts, width=alt.Step(size), height=alt.Step(26))

    return figure_of(
        "win-probabilities",
        f"Win probabilities: {fit.title}",
        _win_words(fit, names, every),
        data,
        drawing,
        notes=tuple(fit.warnings()),
        signature=fit.signature,
    )


def _win_words(fit: PreferenceFit, names: Sequence[str], every: int) -> str:
    start = chances_title(fit, "the item of the row is preferred to that of the column")
    sentences = [
        f"{start[0].upper()}{start[1:]}, in the order of strength; {counted(fit.answers, 'answer')}."
    ]
    inside = set(names)
    pairs = [pair for pair in fit.pairs if pair.a in inside and pair.b in inside]
    if fit.contrasts is not None:
        bold = sum(pair.verdict == "differ" for pair in pairs)
        sentences.append(
            f"{bold} of {counted(len(pairs), 'pair')} {'differs' if bold == 1 else 'differ'} significantly"
            f"{', in bold' if bold else ''}."
        )
    if any(pair.verdict == "not comparable" for pair in pairs):
        sentences.append("A dash: no chain of duels joins the two.")
    if len(names) < every:
        sentences.append(f"Drawn are the {len(names)} strongest of {every} items.")
    return " ".join(sentences)


def _chance(value: float) -> str:
    """`.83`; of what rounds to 0 or 1 but is not, `<.01` and `>.99`."""
    if 0 < value < 0.005:
        return "<.01"
    if 0.995 <= value < 1:
        return ">.99"
    text = f"{value:.2f}"
    return text[1:] if text.startswith("0") else text


# Agreement by the number of answers. Zopf 2018, figure 3


PREFERENCES = "preferences"
"""The series of answers, beside those of measures."""


def preferences_needed(result: Convergence, *, topic: str | None = None) -> Figure:
    """Agreement with people by the number of answers: the mean over topics, or one topic, beside other measures."""
    import altair as alt

    if not result.measured:
        why = result.topics[0].why if result.topics else "there are no topics"
        raise DataError(f"no topic has a trajectory ({why})")
    one = _topic(result, topic)
    mean = _mean_rows(result) if one is None else _topic_rows(one)
    last = mean[-1]["answers"]
    lines = result.lines() if one is None else dict(one.lines)
    there = {name: value for name, value in lines.items() if not math.isnan(value)}
    data = pd.DataFrame(
        [
            *([] if one is not None else _thin_rows(result)),
            *mean,
            *(
                _row("measure", name, None, at, value)
                for name, value in there.items()
                for at in (mean[0]["answers"], last)
            ),
        ]
    )
    legend = [PREFERENCES, *there]
    shades = [INK, *(SERIES[k % len(SERIES)] for k in range(len(there)))]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X("answers:Q", title="answers per topic", scale=alt.Scale(zero=False, nice=False))
        y: dict[str, Any] = {
            "title": f"agreement with {result.human}",
            "scale": alt.Scale(zero=False),
            "axis": alt.Axis(format=".0%"),
        }
        shown = alt.Scale(domain=in_order(legend), range=shades)
        colour = alt.Color("series:N", title=None, scale=shown)
        topics = (
            base.transform_filter("datum.of == 'topic'")
            .mark_line(strokeWidth=1, color=PLAIN, opacity=0.45)
            .encode(x=x, y=alt.Y("agreement:Q", **y), detail="topic:N")
        )
        band = (
            base.transform_filter("datum.of == 'preferences' && datum.low != null")
            .mark_area(color=INK, opacity=0.12)
            .encode(x=x, y=alt.Y("low:Q", **y), y2="high:Q")
        )
        rules = (
            base.transform_filter("datum.of == 'measure'")
            .mark_line(strokeWidth=1.5, strokeDash=[6, 3])
            .encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        )
        preferences = base.transform_filter("datum.of == 'preferences'")
        line = preferences.mark_line(strokeWidth=2.5).encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        points = preferences.mark_point(size=26).encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        return alt.layer(topics, band, rules, line, points, width=500, height=320)

    return figure_of(
        "preferences-needed",
        f"Agreement with {result.human} by the number of preferences"
        + (f", topic {one.topic}" if one is not None else ""),
        _words(result, one, data),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _topic(result: Convergence, asked: str | None) -> Trajectory | None:
    if asked is None:
        return result.measured[0] if len(result.measured) == 1 else None
    names = [trajectory.topic for trajectory in result.topics]
    if asked not in names:
        raise UsageError(f"{Argument('topic')} {quoted(asked)}: no such topic{among(asked, names)}")
    trajectory = result.topics[names.index(asked)]
    if not trajectory.points:
        raise DataError(f"topic {asked} has no trajectory: {trajectory.why}")
    return trajectory


def _row(
    of: str,
    series: str,
    topic: str | None,
    answers: int,
    agreement: float,
    low: float = math.nan,
    high: float = math.nan,
) -> dict[str, Any]:
    return {
        "of": of,
        "series": series,
        "topic": topic,
        "answers": answers,
        "agreement": agreement,
        "low": low,
        "high": high,
    }


def _mean_rows(result: Convergence) -> list[dict[str, Any]]:
    rows = zip(result.mean(), result.mean_intervals(), strict=True)
    return [_row("preferences", PREFERENCES, None, n, mean, *span) for (n, mean, _), span in rows]


def _topic_rows(trajectory: Trajectory) -> list[dict[str, Any]]:
    return [
        _row("preferences", PREFERENCES, trajectory.topic, point.n, point.mean, point.low, point.high)
        for point in trajectory.points
    ]


def _thin_rows(result: Convergence) -> list[dict[str, Any]]:
    return [
        _row("topic", "topic", trajectory.topic, point.n, point.mean, point.low, point.high)
        for trajectory in result.measured
        for point in trajectory.points
    ]


def _words(result: Convergence, one: Trajectory | None, data: pd.DataFrame) -> str:
    rows = data[data["of"] == "preferences"]
    first, last = rows.iloc[0], rows.iloc[-1]
    runs = f"So many answers of a topic are drawn at random, {counted(result.runs, 'time')}"
    banded = bool(rows["low"].notna().any())
    if one is not None:
        sentences = [f"{runs}; the line is the mean of the runs on topic {one.topic}."]
        if banded:
            sentences.append(f"{result.level:.0%} of the runs lie in the band.")
    else:
        sentences = [f"{runs}; the line is the mean over {counted(len(result.measured), 'topic')}."]
        if banded:
            sentences.append(
                f"The band is its {result.level:.0%} interval over topics; thin lines are single topics."
            )
    sentences.append(
        f"With {counted(int(first['answers']), 'answer')} {first['agreement']:.0%} of the pairs of summaries are"
        f" ordered as people order them, with {counted(int(last['answers']), 'answer')} {last['agreement']:.0%}."
    )
    if (data["of"] == "measure").any():
        sentences.append("Dashed: measures that take no preferences.")
    if fewer := sum(trajectory.answers < last["answers"] for trajectory in result.measured if one is None):
        sentences.append(
            f"{counted(fewer, 'topic')} with fewer answers {'counts' if fewer == 1 else 'count'} with all of them."
        )
    left = len(result.topics) - len(result.measured)
    if one is None and left:
        sentences.append(f"{counted(left, 'topic')} without a trajectory.")
    return " ".join(sentences)


# The catalogue


def _length(options: FigureOptions) -> int | None:
    if isinstance(options.length, str):
        raise UsageError("this figure takes one length, not all")
    return options.length


def _fit(scores: Scores, options: FigureOptions, of: Of) -> PreferenceFit:
    """Of systems, or of the items of a topic: the first that has answers, unless one is named."""
    from adjudge.analyses.preferences import Prefer

    asked = Prefer(
        of,
        topic=() if options.topic is None else (options.topic,),
        length=_length(options),
        form=None if of == "sentences" else options.form,
        progress=options.progress,
    )
    pairs = asked.read(_in_folder(scores))
    return asked.each(pairs)[0].run(pairs)


def _in_folder(scores: Scores) -> Scores:
    if scores.folder is None:
        raise DataError("it needs the judgments of an evaluation's folder, and there are scores alone")
    return scores


def _sentence_strengths(scores: Scores, options: FigureOptions) -> Figure:
    return _fit(scores, options, "sentences").figure("strengths")


def _system_strengths(scores: Scores, options: FigureOptions) -> Figure:
    return _fit(scores, options, "systems" if options.topic is None else "summaries").figure("strengths")


def _win_probabilities(scores: Scores, options: FigureOptions) -> Figure:
    """Of systems where people were asked about summaries, else of a topic's sentences."""
    from adjudge.analyses.gathered import gathered_of
    from adjudge.judgments.pairs.answers import kinds

    gathered = gathered_of(_in_folder(scores))
    whole: Of = "systems" if options.topic is None else "summaries"
    of_summaries = gathered is not None and "summaries" in kinds(gathered.judgments)
    return _fit(scores, options, whole if of_summaries else "sentences").figure("win-probabilities")


def _preferences_needed(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.gathered import gathered_of
    from adjudge.analyses.meta.cells import human_measures
    from adjudge.analyses.preferences import PreferencesNeeded
    from adjudge.analyses.preferences.measures import LINES, converge
    from adjudge.judgments.batch import batches_of

    if len(options.people) > 1:
        raise UsageError(f"this figure takes one human measure: choose one of {', '.join(options.people)}")
    people = options.people[0] if options.people else human_measures(scores, (), argument="people")[0]
    gathered = gathered_of(_in_folder(scores))
    assert gathered is not None
    if options.measures:
        named = scores.resolved(list(options.measures))
        lines = {scores.info[name].heading: name for name in named}
    else:
        lines = {scores.info[spec].heading: spec for spec in LINES.values() if spec in scores.measures}
    batches = batches_of(gathered.collection, gathered.judgments)
    if options.topic is not None:
        topic = gathered.collection.need_topic(options.topic).topic
        batches = {name: batch for name, batch in batches.items() if name == topic}
    asked = PreferencesNeeded(
        people, length=_length(options), form=options.form, seed=options.seed, progress=options.progress
    )
    result = converge(batches, scores, asked, lines)
    return result.figure("preferences-needed", topic=options.topic)


SPECS = (
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
