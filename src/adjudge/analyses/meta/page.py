"""The page of a meta-evaluation: every part with what it says, its tables, and the files beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation
from adjudge.analyses.meta.curves import Curve, CurvesResult
from adjudge.analyses.meta.result import FILES, MetaResult
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.analyses.meta.words.curves import axis
from adjudge.analyses.pages.numbers import scale_for
from adjudge.analyses.pages.parts import (
    Chart,
    ChartMark,
    Drawing,
    DrawnRow,
    Fact,
    PageSection,
    PartsPage,
    headlines,
    render_parts,
    section,
)
from adjudge.analyses.pages.render import INDEX, write_pages
from adjudge.core.table import plain
from adjudge.core.words import listed


def meta_page(result: MetaResult, *, made_at: str | None = None) -> PartsPage:
    cells = result.cells
    sections = tuple(
        section(
            name,
            result.QUESTIONS[name],
            part,
            drawings=tuple(_drawings(part)) if isinstance(part, CorrelationsResult) else (),
            charts=tuple(map(_chart, part.curves)) if isinstance(part, CurvesResult) else (),
        )
        for name, part in result.parts.items()
    )
    several = {len(human.assessors) for human in cells.humans if human.assessors}
    at_most = "" if len(several) == 1 else "at most, on one measure"
    return PartsPage(
        title=f"{cells.name} · which measures stand in for people",
        kind="Meta-evaluation",
        name=cells.name,
        question="Which measures stand in for people?",
        version=__version__,
        made_at=made_at,
        facts=(
            Fact("Measures", f"{len(cells.measures):,}", listed([m.heading for m in cells.measures], most=4)),
            Fact(
                "People's measures", f"{len(cells.humans):,}", listed([h.info.heading for h in cells.humans])
            ),
            Fact("Systems", f"{len(cells.systems):,}", ""),
            Fact("Topics", f"{len(cells.topics):,}", ""),
            *([Fact("Assessors", f"{max(several):,}", at_most)] if several else []),
        ),
        headlines=tuple(_headlines(sections)),
        notes=tuple(result.own_warnings()),
        sections=sections,
        signature=result.signature,
        latex="meta.tex",
    )


def _headlines(sections: Sequence[PageSection]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every verdict, and the first sentences of the other parts."""
    for part in sections:
        if part.name == MetaResult.FIRST:
            yield f"#{part.name}", part.question, part.sentences
        else:
            yield from headlines([part])


def _drawings(part: CorrelationsResult) -> Iterator[Drawing]:
    """The first coefficient of every level with its intervals."""
    coefficient = part.coefficients[0]
    for level in part.levels:
        rows = part.of(level=level, coefficient=coefficient)
        for human, among in dict.fromkeys((row.human.measure, row.among) for row in rows):
            shown = [row for row in rows if (row.human.measure, row.among) == (human, among)]
            yield Drawing(
                title=f"{coefficient_words(coefficient)} with {shown[0].human.words} at the {level} level,"
                f" among {over_words(among)}",
                rows=tuple(map(_drawn, sorted(shown, key=lambda row: (math.isnan(row.value), -row.value)))),
            )


def _drawn(row: MeasureCorrelation) -> DrawnRow:
    missing, open_ended = math.isnan(row.value), math.isnan(row.low)
    return DrawnRow(
        name=row.measure.heading,
        text="no correlation" if missing else str(row.shown()),
        at=None if missing else _place(row.value),
        left=0.0 if open_ended else _place(row.low),
        width=0.0 if open_ended else _place(row.high) - _place(row.low),
    )


LEFT, RIGHT, TOP, BOTTOM = 44.0, 308.0, 8.0, 132.0
"""Of a chart's field, within a picture of 320 x 160."""


def _chart(curve: Curve) -> Chart:
    """Sizes at even steps, the axis as far as values and their band reach."""
    points = plain(list(curve.records()))
    values = [v for p in points for v in (p["value"], p["low"], p["high"]) if v is not None]
    scale = scale_for(values or [0.0, 1.0])
    step = (RIGHT - LEFT) / max(len(points) - 1, 1)

    def y(value: float) -> float:
        return round(BOTTOM - scale.place(value) / 100 * (BOTTOM - TOP), 1)

    at = [round(LEFT + k * step, 1) for k in range(len(points))]
    line = [(x, y(p["value"])) for x, p in zip(at, points, strict=True) if p["value"] is not None]
    banded = [(x, p) for x, p in zip(at, points, strict=True) if p["low"] is not None]
    band = [(x, y(p["low"])) for x, p in banded] + [(x, y(p["high"])) for x, p in reversed(banded)]
    words = ", ".join(f"{p['shown']}: {p['value']:.2f}" for p in points if p["value"] is not None)
    return Chart(
        title=f"{curve.measure.words} against {curve.human.words}, among {over_words(curve.among)}",
        x=axis(curve),
        y=f"{curve.level}-level {coefficient_words(curve.coefficient)}",
        line=_path(line),
        band=_path(band),
        dots=tuple(line),
        across=tuple(ChartMark(x, str(p["shown"])) for x, p in zip(at, points, strict=True)),
        up=tuple(
            ChartMark(round(BOTTOM - float(tick.at) / 100 * (BOTTOM - TOP), 1), tick.text)
            for tick in scale.ticks()
        ),
        words=words,
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _place(value: float) -> float:
    return round((min(max(value, -1.0), 1.0) + 1) * 50, 2)


def write_meta(result: MetaResult, folder: str | Path, *, made_at: str | None = None) -> list[Path]:
    """Write index.html, every part as CSV and all tables as LaTeX into a folder; the paths, index.html first.

    What an earlier page had of other parts goes: it would be taken for this one's.
    """
    files = result.files() | {INDEX: render_parts(meta_page(result, made_at=made_at))}
    written = write_pages(files, folder)
    for name in (f"{table}.csv" for table in (*result.QUESTIONS, *FILES)):
        if name not in files:
            (Path(folder) / name).unlink(missing_ok=True)
    return written
