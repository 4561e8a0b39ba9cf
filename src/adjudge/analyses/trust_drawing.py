"""What pictures of trust share: values with their intervals in lines, and how numbers stand in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import UsageError, among, quoted
from adjudge.core.picture import LETTER, SERIES, SHAPES, in_order

if TYPE_CHECKING:
    import altair as alt

ROW = 22
"""Pixels of a line."""
WIDE = 460
"""Pixels of the drawn field."""
MOST_ROWS = 80
"""Lines that one picture takes."""


def rows_axis(column: str, names: Iterable[str], *, title: str | None = None, wide: int = 260) -> alt.Y:
    """A line for each name, in the order given; labels are not cut before they are twice as wide as `wide`."""
    import altair as alt

    drawn = in_order(names)
    needed = LETTER * max(map(len, drawn), default=0)
    limit = max(wide, min(needed, 2 * wide))
    return alt.Y(f"{column}:N", sort=drawn, title=title, axis=alt.Axis(labelLimit=limit))


def series_colour(
    column: str, names: Sequence[str], colours: Mapping[str, str] | None = None, *, legend: bool = True
) -> alt.Color:
    """A colour for each series, with a legend."""
    import altair as alt

    drawn = in_order(names)
    chosen_colours = [colours[name] for name in names] if colours else list(SERIES[: len(drawn)])
    scale = alt.Scale(domain=drawn, range=chosen_colours)
    return alt.Color(
        f"{column}:N", title=None, scale=scale, legend=alt.Legend(symbolOpacity=1) if legend else None
    )


def series_shape(column: str, names: Sequence[str], *, legend: bool = True) -> alt.Shape:
    """A shape for each series, joined with the colour in one legend."""
    import altair as alt

    drawn = in_order(names)
    scale = alt.Scale(domain=drawn, range=list(SHAPES[: len(drawn)]))
    return alt.Shape(
        f"{column}:N", title=None, scale=scale, legend=alt.Legend(symbolOpacity=1) if legend else None
    )


def need_few(number: int, what: str, way_out: str, most: int = MOST_ROWS) -> None:
    """Refuse what no picture can show."""
    if number > most:
        raise UsageError(f"{number:,} {what} are too many for a picture (at most {most}): {way_out}")


def one_of(asked: str | None, titles: Mapping[str, str], what: str) -> str:
    """The name that was asked for, also by its title; without one the first."""
    if asked is None:
        return next(iter(titles))
    if asked in titles:
        return asked
    titled = [name for name, title in titles.items() if asked in (title, title.replace(", ", " "))]
    if len(titled) == 1:
        return titled[0]
    raise UsageError(f"{what} {quoted(asked)} is not here{among(asked, list(titles))}")


def all_there(*values: Any) -> bool:
    """Whether every number is known."""
    return all(value is not None and not math.isnan(value) for value in values)


def span_words(low: float, high: float, format_: str = ".2f") -> str:
    """`0.10 to 0.66`."""
    return f"{low:z{format_}} to {high:z{format_}}"
