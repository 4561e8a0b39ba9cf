"""Pictures of strengths that were fitted to preferences. Zopf 2018, section 4.2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.preferences.words import chances_title, for_whom, percent
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
    half = MOST_ITEMS // 2
    shown = placed if len(placed) <= MOST_ITEMS else [*placed[:half], *placed[-half:]]
    data = pd.DataFrame(
        {
            "item": labels([standing.item for standing in shown], [standing.rank for standing in shown]),
            "text": [standing.item for standing in shown],
            "part": [f"part {standing.part}" for standing in shown],
            **{
                name: [getattr(standing, name) for standing in shown]
                for name in ("rank", "strength", "low", "high")
            },
            "open": [standing.open or "" for standing in shown],
            **{name: [getattr(standing, name) for standing in shown] for name in ("wins", "losses", "ties")},
        }
    )
    # The logarithmic axis has all that is finite, and some room; 1, 2 and 5 of every power of ten, or of a long axis
    # the powers alone.
    values = [v for s in shown for v in (s.strength, s.low, s.high) if math.isfinite(v) and v > 0]
    room = max((max(values) / min(values)) ** 0.04, 1.1)
    low, high = max(min(values) / room, 1e-300), min(max(values) * room, 1e300)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ones = (1,) if len(powers) > 5 else (1, 2, 5)
    every = max(1, len(powers) // 8)
    ticks = [float(f"{one}e{power}") for power in powers if power % every == 0 for one in ones]
    parts = list(dict.fromkeys(data["part"]))

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y("item:N", sort=in_order(data["item"]), title=None, axis=alt.Axis(labelLimit=400))
        scale = alt.Scale(type="log", domain=[low, high], nice=False)
        axis = alt.Axis(format="~g", values=[at for at in ticks if low <= at <= high], labelOverlap=False)
        colour: Any = alt.value(ACCENT)
        if 1 < len(parts) <= len(SERIES):
            ranged = alt.Scale(domain=parts, range=list(SERIES[: len(parts)]))
            colour = alt.Color("part:N", title=None, scale=ranged)
        one = base.mark_rule(strokeDash=[4, 3], color=SOFT).encode(
            x=alt.X(datum=1, type="quantitative", scale=scale)
        )
        # An open end reaches the edge of the picture.
        bounded = base.transform_filter("datum.low != null || datum.high != null || datum.open == 'both'")
        bars = (
            bounded.transform_calculate(
                from_=f"datum.low == null ? {low} : datum.low", to=f"datum.high == null ? {high} : datum.high"
            )
            .mark_rule(strokeWidth=2)
            .encode(
                x=alt.X("from_:Q", title="strength", scale=scale, axis=axis), x2="to:Q", y=y, color=colour
            )
        )
        arrows = [
            base.transform_filter(f"datum.open == '{side}' || datum.open == 'both'")
            .mark_point(shape=shape, size=50)
            .encode(x=alt.X(datum=end, type="quantitative", scale=scale), y=y, color=colour)
            for side, shape, end in (("above", "triangle-right", high), ("below", "triangle-left", low))
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
        sentences.append(f"The line is the {percent(fit.level)} interval{for_whom(fit)}.")
    elif fit.contrasts is None:
        sentences.append("Strengths are regularised, as asked, so there are no intervals.")
    if any(standing.open for standing in shown):
        sentences.append("An arrow marks an interval without an end on that side.")
    if any(standing.regularised for standing in shown) and fit.contrasts is not None:
        sentences.append(
            "Strengths are pulled towards each other (regularised) where there is no finite maximum."
        )
    if len(fit.parts) > 1:
        sentences.append(
            f"The items fall into {len(fit.parts)} groups never compared with each other: strengths compare within a"
            " group only."
        )
    if len(shown) < len(placed):
        sentences.append(
            f"Drawn are the {MOST_ITEMS // 2} strongest and the {MOST_ITEMS // 2} weakest of {len(placed)}."
        )
    if never := len(fit.standings) - len(placed):
        sentences.append(f"{counted(never, 'item')} {'was' if never == 1 else 'were'} in no pair.")
    return " ".join(sentences)


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
    ranks = [standing.rank for standing in fit.standings if standing.rank is not None][:MOST_CELLS]
    names = list(square.index[:MOST_CELLS])
    rows = labels(names, ranks)
    columns = [str(k + 1) for k in range(len(names))]
    differ = {frozenset((pair.a, pair.b)) for pair in fit.pairs if pair.verdict == "differ"}
    records = []
    for r, a in enumerate(names):
        for c, b in enumerate(names):
            chance = float(square.iat[r, c])
            text = "–" if math.isnan(chance) else f"{chance:.2f}".removeprefix("0")
            if 0 < chance < 0.005:
                text = "<.01"
            elif 0.995 <= chance < 1:
                text = ">.99"
            records.append(
                {
                    "row": rows[r],
                    "column": columns[c],
                    "item": a,
                    "other": b,
                    "probability": chance,
                    "different": {a, b} in differ,
                    "step": -1 if math.isnan(chance) else heat_step(chance, 0, 1),
                    "shown": "" if r == c else text,
                }
            )
    data = pd.DataFrame(records)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        above = alt.Axis(labelAngle=0, orient="top", ticks=False, domain=False)
        x = alt.X("column:N", sort=columns, title="preferred to the item in this place", axis=above)
        beside = alt.Axis(labelLimit=360, ticks=False, domain=False)
        y = alt.Y("row:N", sort=in_order(rows), title=None, axis=beside)
        steps = alt.Scale(domain=[-1, *range(len(HEAT))], range=[GRID, *HEAT])
        cells = base.mark_rect(stroke=PAPER).encode(
            x=x, y=y, color=alt.Color("step:O", legend=None, scale=steps)
        )
        ink = alt.condition("datum.step >= 5", alt.value(HEAT_INK_HIGH), alt.value(HEAT_INK_LOW))
        texts = [
            base.transform_filter(f"datum.different == {str(bold).lower()}")
            .mark_text(fontSize=11, fontWeight="bold" if bold else "normal")
            .encode(x=x, y=y, text="shown:N", color=ink)
            for bold in (False, True)
        ]
        return alt.layer(cells, *texts, width=alt.Step(40), height=alt.Step(26))

    return figure_of(
        "win-probabilities",
        f"Win probabilities: {fit.title}",
        _win_words(fit, names, len(square)),
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
        sentences.append("A dash: never compared, not even through others.")
    if len(names) < every:
        sentences.append(f"Drawn are the {len(names)} strongest of {every} items.")
    return " ".join(sentences)


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
    rows: list[tuple[Any, ...]] = []
    if one is None:
        for t in result.measured:
            rows += [("topic", "topic", t.topic, p.n, p.mean, p.low, p.high) for p in t.points]
        means = zip(result.mean(), result.mean_intervals(), strict=True)
        mean: list[tuple[Any, ...]] = [(None, n, agreement, *span) for (n, agreement, _), span in means]
    else:
        mean = [(one.topic, p.n, p.mean, p.low, p.high) for p in one.points]
    rows += [("preferences", PREFERENCES, *row) for row in mean]
    lines = result.lines() if one is None else dict(one.lines)
    there = {name: value for name, value in lines.items() if not math.isnan(value)}
    for name, value in there.items():
        rows += [("measure", name, None, row[1], value, math.nan, math.nan) for row in (mean[0], mean[-1])]
    data = pd.DataFrame(rows, columns=["of", "series", "topic", "answers", "agreement", "low", "high"])
    legend = [PREFERENCES, *there]
    shades = [INK, *(SERIES[k % len(SERIES)] for k in range(len(there)))]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X("answers:Q", title="answers per topic", scale=alt.Scale(zero=False, nice=False))
        look: dict[str, Any] = {
            "title": f"agreement with {result.human}",
            "scale": alt.Scale(zero=False),
            "axis": alt.Axis(format=".0%"),
        }
        y = alt.Y("agreement:Q", **look)
        colour = alt.Color("series:N", title=None, scale=alt.Scale(domain=in_order(legend), range=shades))
        topics = (
            base.transform_filter("datum.of == 'topic'")
            .mark_line(strokeWidth=1, color=PLAIN, opacity=0.45)
            .encode(x=x, y=y, detail="topic:N")
        )
        band = (
            base.transform_filter("datum.of == 'preferences' && datum.low != null")
            .mark_area(color=INK, opacity=0.12)
            .encode(x=x, y=alt.Y("low:Q", **look), y2="high:Q")
        )
        rules = (
            base.transform_filter("datum.of == 'measure'")
            .mark_line(strokeWidth=1.5, strokeDash=[6, 3])
            .encode(x=x, y=y, color=colour)
        )
        preferences = base.transform_filter("datum.of == 'preferences'")
        line = preferences.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour)
        points = preferences.mark_point(size=26).encode(x=x, y=y, color=colour)
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


def _words(result: Convergence, one: Trajectory | None, data: pd.DataFrame) -> str:
    rows = data[data["of"] == "preferences"]
    first, last = rows.iloc[0], rows.iloc[-1]
    runs = f"So many answers of a topic are drawn at random, {counted(result.asked.runs, 'time')}"
    banded = bool(rows["low"].notna().any())
    if one is not None:
        sentences = [f"{runs}; the line is the mean of the runs on topic {one.topic}."]
        if banded:
            sentences.append(f"{result.asked.level:.0%} of the runs lie in the band.")
    else:
        sentences = [f"{runs}; the line is the mean over {counted(len(result.measured), 'topic')}."]
        if banded:
            sentences.append(
                f"The band is its {result.asked.level:.0%} interval over topics; thin lines are single topics."
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


def _fit(scores: Scores, options: FigureOptions, of: Of) -> PreferenceFit:
    """Of systems, or of the items of a topic: the first that has answers, unless one is named."""
    from adjudge.analyses.preferences import Prefer

    asked = Prefer(
        of if of == "sentences" or options.topic is None else "summaries",
        topics=() if options.topic is None else (options.topic,),
        length=options.one_length,
        form=None if of == "sentences" else options.form,
        progress=options.progress,
    )
    pairs = asked.read(_in_folder(scores))
    return asked.to_run(pairs)[0].run(pairs)


def _in_folder(scores: Scores) -> Scores:
    if scores.folder is None:
        raise DataError("it needs the judgments of an evaluation's folder, and there are scores alone")
    return scores


def _win_probabilities(scores: Scores, options: FigureOptions) -> Figure:
    """Of systems where people were asked about summaries, else of a topic's sentences."""
    from adjudge.analyses.gathered import gathered_of
    from adjudge.judgments.pairs.answers import kinds

    gathered = gathered_of(_in_folder(scores))
    of_summaries = gathered is not None and "summaries" in kinds(gathered.judgments)
    return _fit(scores, options, "systems" if of_summaries else "sentences").figure("win-probabilities")


def _preferences_needed(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.gathered import gathered_of
    from adjudge.analyses.meta.cells import human_measures
    from adjudge.analyses.preferences import PreferencesNeeded
    from adjudge.analyses.preferences.measures import LINES, converge
    from adjudge.judgments.batch import batches_of

    if len(options.people) > 1:
        raise UsageError(f"this figure takes one human measure: choose one of {', '.join(options.people)}")
    people = options.people[0] if options.people else human_measures(scores, ())[0]
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
        people, length=options.one_length, form=options.form, seed=options.seed, progress=options.progress
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
        lambda scores, options: _fit(scores, options, "sentences").figure("strengths"),
        after="Zopf 2018, section 4.2",
        takes=("topic",),
        example="--topic d01",
    ),
    FigureSpec(
        "system-strengths",
        "Systems by the strengths that preferences between summaries give them; with a topic, its summaries.",
        lambda scores, options: _fit(scores, options, "systems").figure("strengths"),
        after="Zopf 2018, section 4.2",
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
