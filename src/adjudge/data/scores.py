"""Score rows, the long table, the score matrix. Everything downstream starts here; no files.

pandas is loaded when a table is made, not when this module is: listing measures must be quick.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Better = Literal["higher", "lower"] | None
Pool = Literal["mean", "median"]
AllLengths = Literal["all", "unset"]
"""Beside a number of words: every length, a row each; or the scores whose length is not set."""

KEY = ("measure", "topic", "system", "length", "assessor", "reference", "repeat")
COLUMNS = (*KEY, "value", "why")


@dataclass(frozen=True, slots=True)
class Score:
    """One number. Everything but `value` and `why` is the key; a NaN carries its reason in `why`."""

    measure: str
    topic: str
    system: str
    value: float
    length: int | None = None
    assessor: str | None = None
    reference: str | None = None
    repeat: int = 0
    why: str | None = None

    @classmethod
    def missing(cls, measure: str, topic: str, system: str, why: str, length: int | None) -> Score:
        return cls(measure, topic, system, math.nan, length=length, why=why)


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """What a table must know of a measure: its text, its direction, its range, its signature."""

    measure: str
    better: Better = "higher"
    range: tuple[float | None, float | None] = (None, None)
    signature: str = ""

    @property
    def direction(self) -> str:
        return {"higher": "higher is better", "lower": "lower is better"}.get(
            self.better or "", "a description, no direction"
        )


@dataclass(frozen=True)
class ScoreTable:
    """Score rows of any number of measures as one long frame, checked: a key occurs once."""

    frame: pd.DataFrame
    info: dict[str, MeasureInfo] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Score], info: Iterable[MeasureInfo] = ()) -> ScoreTable:
        import pandas as pd

        columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
        for row in rows:
            for name, values in columns.items():
                values.append(getattr(row, name))
        return cls.from_frame(pd.DataFrame(columns), info)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, info: Iterable[MeasureInfo] = ()) -> ScoreTable:
        """A table from any frame with measure, topic, system, value; other columns may be absent."""
        frame = _typed(frame)
        _check(frame)
        known = {each.measure: each for each in info}
        for measure in frame["measure"].unique():
            known.setdefault(str(measure), MeasureInfo(str(measure)))
        return cls(frame, known)

    def to_frame(self) -> pd.DataFrame:
        return self.frame.copy()

    def rows(self) -> Iterator[Score]:
        import pandas as pd

        def plain(value: Any) -> Any:
            return None if pd.isna(value) else value

        for row in self.frame.itertuples(index=False):
            length = plain(row.length)
            yield Score(
                row.measure,
                row.topic,
                row.system,
                row.value,
                None if length is None else int(length),
                plain(row.assessor),
                plain(row.reference),
                row.repeat,
                plain(row.why),
            )

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(str(m) for m in self.frame["measure"].unique())

    def lengths(self, measure: str) -> tuple[int | None, ...]:
        """The target lengths a measure has scores at; None stands for an unset one, and comes first."""
        import pandas as pd

        found = self.of(measure)["length"].unique()
        return tuple(sorted((None if pd.isna(v) else int(v) for v in found), key=lambda v: v or 0))

    def each_length(self, measure: str) -> tuple[int | AllLengths | None, ...]:
        """What to ask `matrix` for, to have every length by itself."""
        found = self.lengths(measure)
        return found if len(found) == 1 else tuple("unset" if n is None else n for n in found)

    def of(self, measure: str) -> pd.DataFrame:
        rows = self.frame[self.frame["measure"] == measure]
        if rows.empty:
            raise UsageError(
                f"no scores of {quoted(measure)}{nearest(measure, self.measures)};"
                f" there are: {', '.join(self.measures) or 'none'}"
            )
        return rows

    def matrix(
        self,
        measure: str,
        *,
        length: int | AllLengths | None = None,
        pool: Pool = "mean",
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems: pooled over repeats, then references, then assessors.

        Several lengths are never mixed: name one, or say "all" for one row per topic and length, or "unset" for
        the scores that have no length where others have one.
        """
        if pool not in get_args(Pool):
            raise UsageError(f"pool is {quoted(pool)}, expected one of: {', '.join(get_args(Pool))}")
        rows = self.of(measure).copy()
        rows = self._at(rows, measure, length)
        return _pooled(rows, self.info[measure], length if isinstance(length, int) else None, pool)

    def _at(self, rows: pd.DataFrame, measure: str, length: int | AllLengths | None) -> pd.DataFrame:
        lengths = self.lengths(measure)
        if length == "all":
            if len(lengths) > 1:
                at = rows["length"].astype("string").fillna("unset")
                rows["topic"] = rows["topic"].astype("string") + " @ " + at
            return rows
        if length == "unset":
            if None not in lengths:
                raise UsageError(f"{measure} has no scores without a length; it has: {_list(lengths)}")
            return rows[rows["length"].isna()]
        if length is not None:
            if length not in lengths:
                raise UsageError(f"{measure} has no scores at length {length}; it has: {_list(lengths)}")
            return rows[rows["length"] == length]
        if len(lengths) > 1:
            raise UsageError(
                f"{measure} has scores at several lengths ({_list(lengths)}): choose one with --length"
            )
        return rows


@dataclass(frozen=True)
class ScoreMatrix:
    """One measure's scores, topics in rows, systems in columns; missing cells are NaN.

    `counts` says how many rows stand behind each cell, `missing` why a cell is NaN.
    """

    values: np.ndarray
    counts: np.ndarray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    info: MeasureInfo
    length: int | None = None
    pool: Pool = "mean"
    missing: tuple[tuple[str, str, str], ...] = ()

    @property
    def measure(self) -> str:
        return self.info.measure

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.topics), columns=list(self.systems))

    def select(self, systems: Sequence[str]) -> ScoreMatrix:
        """The same topics, only these systems, in this order."""
        for name in systems:
            if name not in self.systems:
                raise UsageError(
                    f"{self.measure} has no scores of system {quoted(name)}{nearest(name, self.systems)}"
                )
        columns = [self.systems.index(name) for name in systems]
        return ScoreMatrix(
            self.values[:, columns],
            self.counts[:, columns],
            self.topics,
            tuple(systems),
            self.info,
            self.length,
            self.pool,
            tuple(m for m in self.missing if m[1] in systems),
        )


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    absent = [name for name in ("measure", "topic", "system", "value") if name not in frame]
    if absent:
        raise DataError(
            f"the table has no column {quoted(absent[0])}; it has: {', '.join(map(str, frame.columns))}"
        )
    result = pd.DataFrame(index=range(len(frame)))
    for name in COLUMNS:
        column = frame[name].reset_index(drop=True) if name in frame else None
        if name == "value":
            result[name] = pd.to_numeric(column, errors="raise").astype("float64")
        elif name == "length":
            result[name] = pd.array([pd.NA] * len(frame) if column is None else column, dtype="Int64")
        elif name == "repeat":
            result[name] = 0 if column is None else column.fillna(0).astype("int64")
        elif column is None:
            result[name] = pd.array([None] * len(frame), dtype="string")
        else:
            result[name] = column.astype("string")
    return result


def _check(frame: pd.DataFrame) -> None:
    twice = frame.duplicated(list(KEY))
    if twice.any():
        row = frame[twice].iloc[0]
        raise DataError(
            f"two scores of {row['measure']} for topic {quoted(row['topic'])},"
            f" system {quoted(row['system'])} have one key; tell them apart by length, assessor,"
            " reference or repeat"
        )
    silent = frame["value"].isna() & frame["why"].isna()
    if silent.any():
        row = frame[silent].iloc[0]
        raise DataError(
            f"the score of {row['measure']} for topic {quoted(row['topic'])},"
            f" system {quoted(row['system'])} is missing and does not say why"
        )


def _pooled(rows: pd.DataFrame, info: MeasureInfo, length: int | None, pool: Pool) -> ScoreMatrix:
    import numpy as np

    topics = tuple(str(t) for t in rows["topic"].unique())
    systems = tuple(str(s) for s in rows["system"].unique())
    pooled = rows.assign(count=rows["value"].notna().astype(int))
    for keys in (
        ["topic", "system", "assessor", "reference"],
        ["topic", "system", "assessor"],
        ["topic", "system"],
    ):
        grouped = pooled.groupby(keys, dropna=False, sort=False)
        value = grouped["value"].median() if pool == "median" else grouped["value"].mean()
        pooled = value.to_frame().assign(count=grouped["count"].sum()).reset_index()
    at_topic = pooled["topic"].map({t: i for i, t in enumerate(topics)}).to_numpy(dtype=int)
    at_system = pooled["system"].map({s: i for i, s in enumerate(systems)}).to_numpy(dtype=int)
    values = np.full((len(topics), len(systems)), np.nan)
    counts = np.zeros(values.shape, dtype=int)
    values[at_topic, at_system] = pooled["value"].to_numpy(dtype=float)
    counts[at_topic, at_system] = pooled["count"].to_numpy(dtype=int)
    values.flags.writeable = counts.flags.writeable = False
    return ScoreMatrix(
        values, counts, topics, systems, info, length, pool, _reasons(rows, values, topics, systems)
    )


def _reasons(
    rows: pd.DataFrame, values: np.ndarray, topics: tuple[str, ...], systems: tuple[str, ...]
) -> tuple[tuple[str, str, str], ...]:
    import numpy as np

    silent = rows[rows["value"].isna()]
    said = dict(
        zip(
            zip(silent["topic"], silent["system"], strict=True),
            silent["why"].astype(object),
            strict=True,
        )
    )
    holes = [(topics[i], systems[j]) for i, j in np.argwhere(np.isnan(values))]
    return tuple((t, s, str(said.get((t, s), "no score"))) for t, s in holes)


def _list(lengths: Iterable[int | None]) -> str:
    return ", ".join("unset" if each is None else str(each) for each in lengths)


Length = int | None
_ROW = re.compile(r"(.*) @ (\d+|unset)", re.DOTALL)
NO_LENGTH = "no length that every system on this topic has"


@dataclass(frozen=True)
class LengthLeftOut:
    """A length that was left out of topics' means, on how many of them, and who has no score there."""

    length: Length
    topics: int
    systems: tuple[str, ...]

    def __str__(self) -> str:
        lack = "has" if len(self.systems) == 1 else "have"
        return (
            f"{length_words(self.length)} left out of the mean on {counted(self.topics, 'topic')}:"
            f" {listed(self.systems)} {lack} no score there"
        )


def length_words(length: Length) -> str:
    """`100 words`; a length that is unset has no number."""
    return "no set length" if length is None else counted(length, "word")


def averaged(rows: ScoreMatrix) -> ScoreMatrix:
    """Rows of topics and lengths (`ScoreTable.matrix(..., length="all")`) as one row per topic.

    Rows that are not named `TOPIC @ LENGTH` have one length, and stay as they are.
    """
    found = [match for name in rows.topics if (match := _ROW.fullmatch(name))]
    if not found or len(found) < len(rows.topics):
        return rows
    parts: dict[Length, list[int]] = {}
    for index, match in enumerate(found):
        parts.setdefault(None if match[2] == "unset" else int(match[2]), []).append(index)
    named = tuple(match[1] for match in found)
    return averaged_within_topics({n: _rows(rows, at, named) for n, at in parts.items()})[0]


def averaged_within_topics(
    matrices: Mapping[Length, ScoreMatrix],
) -> tuple[ScoreMatrix, tuple[LengthLeftOut, ...]]:
    """One matrix out of one per length, and the lengths that were left out of topics' means.

    A system with no score on a topic at any length is missing there; it takes no length from the others.
    """
    import numpy as np

    topics = tuple(dict.fromkeys(t for m in matrices.values() for t in m.topics))
    systems = tuple(dict.fromkeys(s for m in matrices.values() for s in m.systems))
    values = np.stack([_placed(m, topics, systems, m.values, np.nan) for m in matrices.values()])
    counts = np.stack([_placed(m, topics, systems, m.counts, 0) for m in matrices.values()]).astype(int)
    present = ~np.isnan(values)
    there = present.any(axis=0)
    # A length counts on a topic where every system that is there at all is there at that length.
    used = (present | ~there).all(axis=2) & present.any(axis=2)
    kept = present & used[:, :, None]
    n = kept.sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, a missing cell
        means = np.where(kept, values, 0.0).sum(axis=0) / n
    means.flags.writeable = False
    holes = _mean_reasons(matrices, topics, systems, n == 0, there)
    first = next(iter(matrices.values()))
    signature = f"{first.info.signature or first.measure}|lengths:averaged-within-topics"
    return (
        ScoreMatrix(
            means,
            np.where(kept, counts, 0).sum(axis=0),
            topics,
            systems,
            replace(first.info, signature=signature),
            None,
            first.pool,
            holes,
        ),
        _left_out(tuple(matrices), present, used, systems),
    )


def _rows(rows: ScoreMatrix, at: list[int], topics: tuple[str, ...]) -> ScoreMatrix:
    """Some rows of a matrix, under their topics' names."""
    names = {rows.topics[index]: topics[index] for index in at}
    missing = tuple((names[t], s, why) for t, s, why in rows.missing if t in names)
    return replace(
        rows, values=rows.values[at], counts=rows.counts[at], topics=tuple(names.values()), missing=missing
    )


def _placed(
    matrix: ScoreMatrix, topics: tuple[str, ...], systems: tuple[str, ...], what: np.ndarray, empty: float
) -> np.ndarray:
    """A matrix's array in the rows and columns of all topics and systems."""
    import numpy as np

    placed = np.full((len(topics), len(systems)), empty)
    row = {topic: index for index, topic in enumerate(topics)}
    column = {system: index for index, system in enumerate(systems)}
    placed[np.ix_([row[t] for t in matrix.topics], [column[s] for s in matrix.systems])] = what
    return placed


def _mean_reasons(
    matrices: Mapping[Length, ScoreMatrix],
    topics: tuple[str, ...],
    systems: tuple[str, ...],
    empty: np.ndarray,
    there: np.ndarray,
) -> tuple[tuple[str, str, str], ...]:
    import numpy as np

    said = {(t, s): why for m in matrices.values() for t, s, why in m.missing}
    return tuple(
        (topics[i], systems[j], NO_LENGTH if there[i, j] else said.get((topics[i], systems[j]), "no score"))
        for i, j in np.argwhere(empty)
    )


def _left_out(
    lengths: tuple[Length, ...], present: np.ndarray, used: np.ndarray, systems: tuple[str, ...]
) -> tuple[LengthLeftOut, ...]:
    import numpy as np

    found = []
    there = present.any(axis=0)
    for index, length in enumerate(lengths):
        dropped = present[index].any(axis=1) & ~used[index]
        lacking = (there & ~present[index])[dropped].any(axis=0)
        if dropped.any():
            names = tuple(systems[j] for j in np.flatnonzero(lacking))
            found.append(LengthLeftOut(length, int(np.count_nonzero(dropped)), names))
    return tuple(found)
