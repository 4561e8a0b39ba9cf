"""Measures by formula, computed from the scores of others when they are asked for.

`mean(a, b)` is the mean of raw scores, `zmean(a, b)` that of standardised ones, and `quality(q=1)..quality(q=5)`
names the measures from one number to another. A part may be a formula itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.results import Note
from adjudge.core.words import counted, listed
from adjudge.data.scores import POOLED, Better, DerivedRows, MeasureInfo, ScoreTable, pooled
from adjudge.measures.spec import same_name, split_formula, split_outside

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import FloatArray

CELL = ("topic", "system", "length", "form")
RANGE = ".."
UNEVEN = 3
"""From so many times another's standard deviation on, a part's larger weight in a raw mean is pointed out."""
MOST_NAMED = 20
"""Measures of a range that a message names."""
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Formula:
    """A formula that is resolved: its text, which parses back to it, and the measures that it is of."""

    name: str
    text: str
    parts: tuple[str, ...]
    notes: tuple[Note, ...] = ()


def parse_formula(text: str, resolve: Callable[[str], str], measures: Sequence[str]) -> Formula:
    """A formula with its measures resolved and its ranges written out; `measures` are those that there are."""
    name, written = split_formula(text) or ("", [])
    shown: list[str] = []
    parts: list[str] = []
    notes: list[Note] = []
    for written_part in written:
        if not written_part:
            raise UsageError(f"{quoted(text)} names a measure that is empty; expected {name}(a, b)")
        ends = (
            split_outside(written_part, RANGE)
            if same_name(written_part, measures) is None
            else [written_part]
        )
        if len(ends) == 1:
            resolved = [resolve(written_part)]
            shown += resolved
        else:
            resolved, absent = _between(written_part, ends, resolve, measures)
            shown += resolved if absent else [f"{resolved[0]}{RANGE}{resolved[-1]}"]
            if absent:
                notes.append(Note.of("parts-absent", text=written_part, absent=absent, taken=resolved))
        parts += resolved
    if len(parts) < 2:
        raise UsageError(f"{quoted(text)} is of one measure, expected two or more: {name}(a, b)")
    if twice := next((part for part in parts if parts.count(part) > 1), None):
        raise UsageError(f"{quoted(text)} names {twice} twice")
    return Formula(name, f"{name}({', '.join(shown)})", tuple(parts), tuple(notes))


def _between(
    text: str, ends: Sequence[str], resolve: Callable[[str], str], measures: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The known measures from one number to another, in the order of the numbers, and the numbers without any."""
    if len(ends) != 2 or not all(ends):
        raise UsageError(f"{quoted(text)} is not a range of measures; expected q1{RANGE}q5")
    try:
        first, last = (_NUMBER.split(resolve(end)) for end in ends)
    except DataError as error:
        raise DataError(f"{error.text}{_all_of(ends)}") from None
    at = _differing(first, last)
    if at is None:
        raise UsageError(
            f"{quoted(text)} is not a range of measures: its ends must differ in one number and nothing else"
        )
    low, high = int(first[at]), int(last[at])
    if low >= high:
        raise UsageError(f"{quoted(text)} is a range from {low} to {high}; expected the lower number first")
    there: dict[int, str] = {}
    for measure in measures:
        pieces = _NUMBER.split(measure)
        if len(pieces) == len(first) and pieces[:at] + pieces[at + 1 :] == first[:at] + first[at + 1 :]:
            there.setdefault(int(pieces[at]), measure)
    numbers = sorted(n for n in there if low <= n <= high)
    absent = [str(a + 1) if b - a == 2 else f"{a + 1} to {b - 1}" for a, b in pairwise(numbers) if b - a > 1]
    return [there[n] for n in numbers], absent


def _differing(first: Sequence[str], last: Sequence[str]) -> int | None:
    """Where the pieces of two names differ, if that is in one number and nothing else."""
    differing = [at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b]
    return differing[0] if len(first) == len(last) and len(differing) == 1 and differing[0] % 2 else None


def _all_of(ends: Sequence[str]) -> str:
    """What to score for a range whose ends have not been scored: the ends alone would make another formula."""
    first, last = (_NUMBER.split(end) for end in ends)
    at = _differing(first, last)
    if at is None:
        return ""
    numbers = range(int(first[at]), int(last[at]) + 1)
    if not 2 < len(numbers) <= MOST_NAMED:
        return ""
    every = ("".join([*first[:at], str(n), *first[at + 1 :]]) for n in numbers)
    return f'; the range takes all of: -m "{",".join(every)}"'


def derive(formula: Formula, table: ScoreTable) -> tuple[MeasureInfo, DerivedRows]:
    """The rows of a formula: by assessor, reference and repeat where all parts have the same, else pooled.

    Where a part has no score, there is none, and its reason is the part's.
    """
    infos = [table.info[part] for part in formula.parts]
    better = _direction(formula, infos)
    cells = _Grid.of(table, formula.parts, ())
    if not cells.complete.any():
        raise DataError(f"{formula.text}: no summary has a score of every part{_apart(table, formula.parts)}")
    scale = _standardised(formula, infos, cells) if formula.name == "zmean" else None
    per, grid = _finest(table, formula.parts, cells)
    values = grid.values if scale is None else (grid.values - scale[0]) / scale[1]
    rows = grid.keys.assign(measure=formula.text, value=values.mean(axis=1), why=None)
    holes = rows["value"].isna().to_numpy()
    rows["why"] = rows["why"].astype(object)
    rows.loc[holes, "why"] = list(_reasons(table, formula.parts, grid, holes))
    notes = [*formula.notes, *_partial(formula, grid, holes, cells)]
    if scale is None:
        notes += _uneven(formula, cells)
    ranges = {info.range for info in infos}
    info = MeasureInfo(
        formula.text,
        better=better if scale is None else better and "higher",
        range=ranges.pop() if scale is None and len(ranges) == 1 else (None, None),
        signature=_signature(
            formula, infos, [name for name in per if rows[name].nunique() > (name == "repeat")]
        ),
    )
    return info, DerivedRows(rows, formula.parts, tuple(notes))


def _apart(table: ScoreTable, parts: Sequence[str]) -> str:
    """The target lengths and the forms of the parts, where these are what keeps them apart."""
    for what, of in (("length", table.lengths), ("form", table.forms)):
        by_part = {
            part: ", ".join("unset" if value is None else str(value) for value in of(part)) for part in parts
        }
        if len(set(by_part.values())) > 1:
            return f"; {what}: " + ", ".join(f"{part} {values}" for part, values in by_part.items())
    return ""


def _direction(formula: Formula, infos: Sequence[MeasureInfo]) -> Better:
    """The direction that all parts share; raw means need the same range too."""
    described = [info.measure for info in infos if info.better is None]
    if described and len(described) < len(infos):
        raise UsageError(
            f"{formula.text}: {listed(described)} {'has' if len(described) == 1 else 'have'} no better or worse,"
            " unlike the other measures"
        )
    if formula.name == "zmean":
        return infos[0].better
    instead = f"zmean({', '.join(formula.parts)}) standardises them and turns those of which lower is better"
    for one, other in combinations(infos, 2):
        if one.better != other.better:
            raise UsageError(
                f"{formula.text}: of {one.measure} {one.direction}, of {other.measure} {other.direction}; {instead}"
            )
        bounds = [(a, b) for a, b in zip(one.range, other.range, strict=True) if None not in (a, b)]
        if any(a != b for a, b in bounds):
            raise UsageError(
                f"{formula.text}: {one.measure} goes {_range_words(one)}, {other.measure} {_range_words(other)};"
                f" {instead}"
            )
    return infos[0].better


def _range_words(info: MeasureInfo) -> str:
    low, high = info.range
    lower = "" if low is None else f"from {low:g}"
    return " ".join(filter(None, (lower, "up" if high is None else f"to {high:g}")))


@dataclass(frozen=True)
class _Grid:
    """The scores of several measures side by side, pooled to one grain."""

    keys: pd.DataFrame
    values: FloatArray
    """Keys x measures; NaN where a measure has none."""

    @classmethod
    def of(cls, table: ScoreTable, parts: Sequence[str], per: Sequence[str]) -> _Grid:
        import numpy as np
        import pandas as pd

        frames = [pooled(table.of(part), [name for name in POOLED if name not in per]) for part in parts]
        every = pd.concat([frame.assign(part=k) for k, frame in enumerate(frames)], ignore_index=True)
        keys = [*CELL, *per]
        number = every.groupby(keys, dropna=False, sort=False).ngroup().to_numpy()
        values = np.full((number.max() + 1, len(parts)), np.nan)
        values[number, every["part"].to_numpy()] = every["value"].to_numpy(dtype=float)
        return cls(every.loc[~every.duplicated(keys), keys].reset_index(drop=True), values)

    @property
    def complete(self) -> pd.Series:
        """By key, whether every measure has a score there."""
        import numpy as np
        import pandas as pd

        return pd.Series(~np.isnan(self.values).any(axis=1), index=self.keys.index)

    def whole_cells(self) -> set[tuple[Any, ...]]:
        """The cells with a score of every measure."""
        return set(_cells_in(self.keys[self.complete]))


def _cells_in(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    cells = frame[list(CELL)].astype(object)
    return list(cells.where(cells.notna(), None).itertuples(index=False, name=None))


def _finest(table: ScoreTable, parts: Sequence[str], cells: _Grid) -> tuple[tuple[str, ...], _Grid]:
    """The finest grain that the parts share: the same names, and no cell lost that all of them have when pooled."""
    columns = [name for name in reversed(POOLED) if _alike(table, parts, name)]
    wanted = cells.whole_cells()
    for n in range(len(columns), 0, -1):
        for per in combinations(columns, n):  # assessors come first, and so stay longest
            grid = _Grid.of(table, parts, per)
            if grid.whole_cells() >= wanted:
                return per, grid
    return (), cells


def _alike(table: ScoreTable, parts: Sequence[str], column: str) -> bool:
    """Whether the scores of all parts have the same assessors, references or repeats."""
    rows = (table.of(part) for part in parts)
    sets = {frozenset(frame.loc[frame["value"].notna(), column].dropna()) for frame in rows}
    return len(sets) == 1


def _standardised(
    formula: Formula, infos: Sequence[MeasureInfo], cells: _Grid
) -> tuple[FloatArray, FloatArray]:
    """By measure the mean and the standard deviation of all its cells, negative where lower is better."""
    import numpy as np

    means, deviations = [], []
    for info, values in zip(infos, cells.values.T, strict=True):
        here = values[~np.isnan(values)]
        if here.size < 2 or np.ptp(here) == 0:
            why = f"has {counted(here.size, 'score')}" if here.size < 2 else "is the same everywhere"
            raise UsageError(f"{formula.text}: {info.measure} {why}, and cannot be standardised")
        means.append(here.mean())
        deviations.append(here.std(ddof=1) * (-1 if info.better == "lower" else 1))
    return np.array(means), np.array(deviations)


def _reasons(table: ScoreTable, parts: Sequence[str], grid: _Grid, holes: FloatArray) -> Iterator[str]:
    """Why rows have no score: what the first part that is missing there says."""
    import numpy as np

    reasons: dict[str, dict[tuple[Any, ...], str]] = {}
    for part in parts:
        silent = table.of(part)
        silent = silent[silent["value"].isna()]
        reasons[part] = dict(zip(_cells_in(silent), silent["why"], strict=True))
    for cell, values in zip(_cells_in(grid.keys[holes]), grid.values[holes], strict=True):
        part = parts[int(np.isnan(values).argmax())]
        yield f"{part}: {reasons[part].get(cell, 'no score')}"


def _partial(formula: Formula, grid: _Grid, holes: FloatArray, cells: _Grid) -> Iterator[Note]:
    """Of rows that are left out of their cell's mean, because somebody answered a part of the questions."""
    wanted = cells.whole_cells()
    n = sum(cell in wanted for cell in _cells_in(grid.keys[holes]))
    if n:
        yield Note.of("rows-left-out", formula=formula.text, n=n, of=len(grid.keys))


def _uneven(formula: Formula, cells: _Grid) -> Iterator[Note]:
    """Of parts that decide a raw mean because they vary more than others."""
    import numpy as np

    values = cells.values[cells.complete.to_numpy()]
    if len(values) < 2:
        return
    spread = values.std(axis=0, ddof=1)
    most, least = int(spread.argmax()), int(spread.argmin())
    if np.ptp(values[:, least]) > 0 and spread[most] >= UNEVEN * spread[least]:
        yield Note.of(
            "parts-vary",
            formula=formula.text,
            parts=formula.parts,
            most=(formula.parts[most], float(spread[most])),
            least=(formula.parts[least], float(spread[least])),
        )


def _signature(formula: Formula, infos: Sequence[MeasureInfo], per: Sequence[str]) -> str:
    """The formula, how it was computed, and the signatures of its parts; once, where they differ in the name alone."""
    signed = [info.signature or info.measure for info in infos]
    ends = {text.removeprefix(info.measure) for text, info in zip(signed, infos, strict=True)}
    same = len(ends) == 1 and all(s.startswith(i.measure) for s, i in zip(signed, infos, strict=True))
    parts = ends.pop().strip("|") if same else f"[{']['.join(signed)}]"
    scale = "z:all-cells" if formula.name == "zmean" else "raw"
    return "|".join(filter(None, (formula.text, scale, f"per:{'+'.join(per) or 'cell'}", parts)))
