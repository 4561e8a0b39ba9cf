"""Score rows, the long table, the score matrix, and everything that pools scores. No files.

pandas is loaded when a table is made, not when this module is: listing measures must be quick.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed, natural
from adjudge.data.target import Target

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.core.results import Note

Better = Literal["higher", "lower"] | None
Pool = Literal["mean", "median"]
Among = Literal["all", "machines", "humans", "human-machine"]
"""Which pairs of systems are meant."""
Length = int | None
AllLengths = Literal["all", "unset"]
"""Beside a number of words: every length, a row each; or the scores whose length is not set."""

UNSET = "unset"
"""How one asks for the scores that say no form."""

KEY = ("measure", "topic", "system", "length", "form", "assessor", "reference", "repeat")
COLUMNS = (*KEY, "value", "why")
POOLED = ("repeat", "reference", "assessor")
"""What a cell of a matrix is averaged over, in this order."""
NO_LENGTH = "no length that every system on this topic has"


@dataclass(frozen=True, slots=True)
class Score:
    """One number. Everything but `value` and `why` is the key; a NaN carries its reason in `why`."""

    measure: str
    topic: str
    system: str
    value: float
    length: int | None = None
    form: str | None = None
    assessor: str | None = None
    reference: str | None = None
    repeat: int = 0
    why: str | None = None

    @classmethod
    def missing(
        cls, measure: str, topic: str, system: str, why: str, length: int | None, form: str | None = None
    ) -> Score:
        return cls(measure, topic, system, math.nan, length=length, form=form, why=why)


@dataclass(frozen=True, slots=True)
class TopicAtLength:
    """A row of a matrix that has one for every topic and length. Its text is for people: nothing reads it back."""

    topic: str
    length: Length

    def __str__(self) -> str:
        return f"{self.topic} @ {'unset' if self.length is None else self.length}"


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """What a table must know of a measure: its text, its direction, its range, its signature.

    The title is for people, and only of a measure that is known here: a stranger's column keeps its name.
    """

    measure: str
    better: Better = "higher"
    range: tuple[float | None, float | None] = (None, None)
    signature: str = ""
    title: str = field(default="", compare=False)

    @property
    def heading(self) -> str:
        """`ROUGE-2 F, best reference`, as it stands above a table."""
        return self.title or self.measure

    @property
    def words(self) -> str:
        """`ROUGE-2 F (best reference)`, as it stands in a sentence."""
        parts = self.title.split(", ")
        for k in range(1, len(parts)):
            name = ", ".join(parts[:k])
            if name.count("(") == name.count(")"):  # commas within brackets are a formula's own
                return f"{name} ({', '.join(parts[k:])})"
        return self.heading

    @property
    def direction(self) -> str:
        return {"higher": "higher is better", "lower": "lower is better"}.get(
            self.better or "", "a description, no direction"
        )


@dataclass(frozen=True)
class DerivedRows:
    """The rows of a measure that is computed from others, which they are, and what to say of it."""

    rows: pd.DataFrame
    parts: tuple[str, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class ScoreTable:
    """Score rows of any number of measures as one long frame, checked: a key occurs once."""

    frame: pd.DataFrame
    info: dict[str, MeasureInfo] = field(default_factory=dict)
    derived: dict[str, DerivedRows] = field(default_factory=dict, compare=False, repr=False)
    """By formula that has been asked for: its rows. They are no part of the frame, nor of `measures`."""

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
        twice = frame.duplicated(list(KEY))
        if twice.any():
            row = frame[twice].iloc[0]
            raise DataError(
                f"two scores of {row['measure']} for topic {quoted(row['topic'])},"
                f" system {quoted(row['system'])} have one key; tell them apart by length, form, assessor,"
                " reference or repeat"
            )
        silent = frame["value"].isna() & frame["why"].isna()
        if silent.any():
            row = frame[silent].iloc[0]
            raise DataError(
                f"the score of {row['measure']} for topic {quoted(row['topic'])},"
                f" system {quoted(row['system'])} is missing and does not say why"
            )
        by_measure = {described.measure: described for described in info}
        for measure in frame["measure"].unique():
            by_measure.setdefault(str(measure), MeasureInfo(str(measure)))
        return cls(frame, by_measure)

    def to_frame(self) -> pd.DataFrame:
        return self.frame.copy()

    def rows(self) -> Iterator[Score]:
        import pandas as pd

        def plain(value: Any) -> Any:
            return None if pd.isna(value) else value

        for row in self.frame.itertuples(index=False):
            length = plain(row.length)
            yield Score(
                measure=row.measure,
                topic=row.topic,
                system=row.system,
                value=row.value,
                length=None if length is None else int(length),
                form=plain(row.form),
                assessor=plain(row.assessor),
                reference=plain(row.reference),
                repeat=row.repeat,
                why=plain(row.why),
            )

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(self._rows_by_measure)

    @cached_property
    def _rows_by_measure(self) -> dict[str, Any]:
        """Where the rows of every measure are, in the order in which measures first come."""
        import numpy as np

        codes, names = self.frame["measure"].factorize()
        order = np.argsort(codes, kind="stable")
        parts = (
            np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]) if len(names) else []
        )
        return dict(zip(map(str, names), parts, strict=True))

    def lengths(self, measure: str, *, form: str | None = None) -> tuple[Length, ...]:
        """The target lengths a measure has scores at, of one form or of any; None, for an unset one, comes first."""
        import pandas as pd

        rows = self.of(measure)
        values = (rows if form is None else _of_form(rows, form))["length"].unique()
        return tuple(sorted((None if pd.isna(v) else int(v) for v in values), key=lambda v: v or 0))

    def each_length(self, measure: str) -> tuple[int | AllLengths | None, ...]:
        """What to ask `matrix` for, to have every length by itself."""
        lengths = self.lengths(measure)
        return lengths if len(lengths) == 1 else tuple("unset" if n is None else n for n in lengths)

    def forms(self, measure: str) -> tuple[str, ...]:
        """The forms a measure has scores of, `unset` for those that say none."""
        return _forms(self.of(measure))

    def derive(self, info: MeasureInfo, derived: DerivedRows) -> None:
        """Keep what was computed from these rows, so that it can be asked for as any measure."""
        self.derived[info.measure] = replace(derived, rows=_typed(derived.rows))
        self.info[info.measure] = info

    def of(self, measure: str) -> pd.DataFrame:
        if measure in self.derived:
            return self.derived[measure].rows
        if measure not in self._rows_by_measure:
            raise UsageError(
                f"no scores of {quoted(measure)}{nearest(measure, self.measures)};"
                f" there are: {listed(self.measures, most=20) or 'none'}"
            )
        return self.frame.iloc[self._rows_by_measure[measure]]

    def at(
        self,
        measure: str,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
        all_forms: bool = False,
        several: str = "",
    ) -> pd.DataFrame:
        """A measure's rows at one length and of one form, or of all of them (`length="all"`, `all_forms`).

        Several lengths or forms are never mixed silently: without a choice they are an error. `several` ends its
        message where there is another way out; {} in it is what there are several of.
        """
        rows, lengths = self.of(measure), self.lengths(measure)
        if length == "unset":
            if None not in lengths:
                raise UsageError(f"{measure} has no scores without a length; it has: {_list(lengths)}")
            rows = rows[rows["length"].isna()]
        elif isinstance(length, int):
            if length not in lengths:
                raise UsageError(f"{measure} has no scores at length {length}; it has: {_list(lengths)}")
            rows = rows[rows["length"] == length]
        elif length is None and len(lengths) > 1:
            raise UsageError(
                f"{measure} has scores at several lengths ({_list(lengths)}): choose one with {Argument('length')}"
                f"{several.format('length')}"
            )
        forms = _forms(rows)
        if form is not None:
            if form not in forms:
                at = f" at length {length}" if isinstance(length, int) and len(lengths) > 1 else ""
                raise UsageError(
                    f"{measure} has no scores of form {quoted(form)}{nearest(form, forms)}{at};"
                    f" it has: {', '.join(forms)}"
                )
            return _of_form(rows, form)
        if len(forms) > 1 and not all_forms:
            raise UsageError(
                f"{measure} has scores of several forms ({', '.join(forms)}): choose one with {Argument('form')}"
                f"{several.format('form')}"
            )
        return rows

    def matrix(
        self,
        measure: str,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
        pool: Pool = "mean",
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems: pooled over repeats, then references, then assessors.

        Several lengths are never mixed: name one, or say "all" for one row per topic and length, or "unset" for
        the scores that have no length where others have one. Forms likewise, but for "all". Topics and systems
        stand in the natural order of their names, whatever the order of the rows.
        """
        if pool not in get_args(Pool):
            raise UsageError(f"pool is {quoted(pool)}, expected one of: {', '.join(get_args(Pool))}")
        rows = self.at(measure, length=length, form=form)
        return _matrix(
            rows,
            self.info[measure],
            pool,
            length=length if isinstance(length, int) else None,
            form=form,
            only_form=_forms(rows)[0],
            by_length=length == "all" and len(self.lengths(measure)) > 1,
        )

    def judgments(
        self,
        matrix: ScoreMatrix,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
    ) -> CellJudgments | None:
        """What every assessor said behind the cells of a matrix; None where every cell has one judgment.

        Assessors are told apart where there are several, each with the mean of what they said. Where there are
        none, or one, repeats are: positions without a person behind them.
        """
        rows = self.at(matrix.measure, length=length, form=form)
        persons = rows["assessor"].nunique() > 1
        column = "assessor" if persons else "repeat"
        if rows[column].nunique() < 2:
            return None
        import numpy as np

        means = pooled(rows.dropna(subset=[column, "value"]), [name for name in POOLED if name != column])
        places = {name: k for k, name in enumerate(sorted(means[column].unique()))}
        means = means[means["topic"].isin(matrix.topics) & means["system"].isin(matrix.systems)]
        cube = np.full((*matrix.values.shape, len(places)), np.nan)
        at = (
            means["topic"].map({t: i for i, t in enumerate(matrix.topics)}).to_numpy(dtype=int),
            means["system"].map({s: i for i, s in enumerate(matrix.systems)}).to_numpy(dtype=int),
            means[column].map(places).to_numpy(dtype=int),
        )
        cube[at] = means["value"].to_numpy(dtype=float)
        return CellJudgments(cube, persons)


@dataclass(frozen=True)
class CellJudgments:
    """Several judgments of every summary, in the order of a matrix."""

    values: np.ndarray
    """Topics x systems x assessors; NaN where one did not judge."""
    persons: bool
    """Whether assessors are persons known by name, so that one can see both systems of a pair."""

    @property
    def unit(self) -> str:
        return "assessor" if self.persons else "judgment"


@dataclass(frozen=True)
class PooledSystems:
    """Systems that stand in a matrix as one: on a topic the mean of those that have a score."""

    name: str
    systems: tuple[str, ...]
    present: tuple[int, ...]
    """By row, how many of them have a score."""


@dataclass(frozen=True)
class ScoreMatrix:
    """One measure's scores, topics in rows, systems in columns; missing cells are NaN.

    `counts` says how many rows stand behind each cell, `missing` why a cell is NaN. Where a matrix has a row for
    every topic and length, `rows` are their keys, and `topics` their names for people.
    """

    values: np.ndarray
    counts: np.ndarray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    info: MeasureInfo
    length: int | None = None
    pool: Pool = "mean"
    missing: tuple[tuple[str, str, str], ...] = ()
    form: str | None = None
    """The form that was chosen, `unset` for scores that say none."""
    only_form: str = UNSET
    """The form of all scores, whether it was chosen or is the only one that there is."""
    rows: tuple[TopicAtLength, ...] = ()
    together: PooledSystems | None = None
    """The systems that were made one."""

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        """`ROUGE-2 recall at 100 words (extract)`; the form where it was chosen, or there are several."""
        return title_of(self.info, self.length, self.form)

    @property
    def heading(self) -> str:
        """`ROUGE-2 recall, 100 words, extract`, as it stands above a table."""
        return heading_of(self.info, self.length, self.form)

    @property
    def target(self) -> Target:
        """What all scores are of, as frames and JSON tell it."""
        return Target(self.length, None if self.only_form == UNSET else self.only_form)

    @property
    def signature(self) -> str:
        """The measure's signature with what was chosen of its scores."""
        length = f"|length:{self.length}" if self.length else ""
        return f"{self.info.signature or self.measure}{length}{f'|form:{self.form}' if self.form else ''}"

    @property
    def row_topics(self) -> tuple[str, ...]:
        """The topic of every row."""
        return tuple(row.topic for row in self.rows) or self.topics

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
        return replace(
            self,
            values=self.values[:, columns],
            counts=self.counts[:, columns],
            systems=tuple(systems),
            missing=tuple(m for m in self.missing if m[1] in systems),
        )

    def of_topics(self, chosen: Iterable[str]) -> ScoreMatrix:
        """The rows of some topics."""
        names = set(chosen)
        return self._take([at for at, topic in enumerate(self.row_topics) if topic in names])

    def _take(self, at: Sequence[int]) -> ScoreMatrix:
        kept = {self.topics[k] for k in at}
        return replace(
            self,
            values=self.values[list(at)],
            counts=self.counts[list(at)],
            topics=tuple(self.topics[k] for k in at),
            missing=tuple(hole for hole in self.missing if hole[0] in kept),
            rows=tuple(self.rows[k] for k in at) if self.rows else (),
            together=self.together
            and replace(self.together, present=tuple(self.together.present[k] for k in at)),
        )

    def signed(self, choice: str) -> ScoreMatrix:
        """The same scores, with a choice that was made in their signature."""
        signature = f"{self.info.signature or self.measure}|{choice}"
        return replace(self, info=replace(self.info, signature=signature))

    def pool_systems(self, systems: Sequence[str], name: str, why: str) -> ScoreMatrix:
        """Several systems as one: on a topic the mean of those that have a score. `why` names a missing cell."""
        import numpy as np

        others = [system for system in self.systems if system not in systems]
        people, rest = self.select(systems), self.select(others)
        present = np.isfinite(people.values).sum(axis=1)
        with np.errstate(invalid="ignore"):  # nobody on a topic: 0/0 is NaN
            means = np.nansum(people.values, axis=1) / present
        holes = [(topic, name, why) for topic, mean in zip(self.topics, means, strict=True) if mean != mean]
        at = min(self.systems.index(system) for system in systems)
        return replace(
            self,
            values=_frozen(np.insert(rest.values, at, means, axis=1)),
            counts=_frozen(np.insert(rest.counts, at, people.counts.sum(axis=1), axis=1)),
            systems=(*others[:at], name, *others[at:]),
            missing=(*rest.missing, *holes),
            together=PooledSystems(name, tuple(systems), tuple(present.tolist())),
        )

    def averaged(self) -> ScoreMatrix:
        """A matrix with a row per topic and length as one with a row per topic; any other as it is.

        A system's value on a topic is the mean over the lengths that every compared system on that topic has: a
        mean over other lengths for every system would compare lengths, not systems.
        """
        if not self.rows:
            return self
        parts: dict[Length, list[int]] = {}
        for at, row in enumerate(self.rows):
            parts.setdefault(row.length, []).append(at)
        return average_lengths({n: _of_one_length(self._take(at)) for n, at in parts.items()})[0]


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


def pooled(frame: pd.DataFrame, over: Sequence[str], *, pool: Pool = "mean") -> pd.DataFrame:
    """Rows averaged over some of the columns of their key, one after the other; `count` says over how many rows.

    The rows are sorted first, so that their order does not show in the last digits.
    """
    keys = [name for name in (*KEY[1:], "person") if name in frame]
    frame = frame[[*keys, "value"]].sort_values(keys, kind="stable")
    frame = frame.assign(count=frame["value"].notna().astype(int))
    for step in over:
        keys.remove(step)
        if not frame.duplicated(keys).any():
            frame = frame.drop(columns=step)
            continue
        grouped = frame.groupby(keys, dropna=False, sort=False)
        value = grouped["value"].median() if pool == "median" else grouped["value"].mean()
        frame = value.to_frame().assign(count=grouped["count"].sum()).reset_index()
    return frame


def _matrix(
    rows: pd.DataFrame,
    info: MeasureInfo,
    pool: Pool,
    *,
    length: int | None,
    form: str | None,
    only_form: str,
    by_length: bool,
) -> ScoreMatrix:
    import numpy as np
    import pandas as pd

    def length_at(value: Any) -> Length:
        return None if pd.isna(value) else int(value)

    systems = tuple(sorted((str(s) for s in rows["system"].unique()), key=natural))
    keys: list[TopicAtLength] = []
    if by_length:
        pairs = rows[["topic", "length"]].drop_duplicates().itertuples(index=False)
        keys = [TopicAtLength(str(topic), length_at(n)) for topic, n in pairs]
        keys.sort(key=lambda row: (natural(row.topic), row.length or 0))
        names = tuple(str(row) for row in keys)
    else:
        names = tuple(sorted((str(t) for t in rows["topic"].unique()), key=natural))
    row_of: dict[Any, int] = {key: k for k, key in enumerate(keys or names)}
    column_of = {system: k for k, system in enumerate(systems)}

    def places(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        columns = frame["system"].map(column_of).to_numpy(dtype=int)
        if not by_length:
            return frame["topic"].map(row_of).to_numpy(dtype=int), columns
        both = zip(frame["topic"], frame["length"], strict=True)
        return np.array([row_of[TopicAtLength(str(t), length_at(n))] for t, n in both], dtype=int), columns

    values = np.full((len(names), len(systems)), np.nan)
    counts = np.zeros(values.shape, dtype=int)
    scores = pooled(rows, POOLED, pool=pool)
    at = places(scores)
    values[at] = scores["value"].to_numpy(dtype=float)
    counts[at] = scores["count"].to_numpy(dtype=int)
    silent = rows[rows["value"].isna()].sort_values(list(KEY), kind="stable")
    reasons = dict(zip(zip(*places(silent), strict=True), silent["why"].astype(object), strict=True))
    holes = [(int(i), int(j)) for i, j in np.argwhere(np.isnan(values))]
    return ScoreMatrix(
        values=_frozen(values),
        counts=_frozen(counts),
        topics=names,
        systems=systems,
        info=info,
        length=length,
        pool=pool,
        missing=tuple((names[i], systems[j], str(reasons.get((i, j), "no score"))) for i, j in holes),
        form=form,
        only_form=only_form,
        rows=tuple(keys),
    )


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _forms(rows: pd.DataFrame) -> tuple[str, ...]:
    import pandas as pd

    return tuple(sorted(UNSET if pd.isna(form) else str(form) for form in rows["form"].unique()))


def _of_form(rows: pd.DataFrame, form: str) -> pd.DataFrame:
    return rows[rows["form"].isna() if form == UNSET else rows["form"] == form]


def targets_of(frame: pd.DataFrame) -> list[Target]:
    """The length and form of every row of a frame of scores."""
    lengths = [None if n is None else int(n) for n in _objects(frame["length"])]
    return [Target(*pair) for pair in zip(lengths, _objects(frame["form"]), strict=True)]


def _objects(column: pd.Series) -> list[Any]:
    """A column's values, None where there is none."""
    return list(column.astype(object).where(column.notna(), None))


def title_of(info: MeasureInfo, length: int | None, form: str | None) -> str:
    """What a sentence is about: `ROUGE-2 recall at 100 words (extract)`."""
    at = f" at {length} words" if length else ""
    return f"{info.words}{at}{f' ({form_words(form)})' if form else ''}"


def heading_of(info: MeasureInfo, length: int | None, form: str | None) -> str:
    """What a table is about: `ROUGE-2 recall, 100 words, extract`."""
    words = [f"{length} words"] if length else []
    return ", ".join([info.heading, *words, *([form_words(form)] if form else [])])


def form_words(form: str) -> str:
    """`extract`; a form that is unset has no name."""
    return "no set form" if form == UNSET else form


def _list(lengths: Iterable[Length]) -> str:
    return ", ".join("unset" if length is None else str(length) for length in lengths)


# Several lengths in one mean


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


def average_lengths(
    matrices: Mapping[Length, ScoreMatrix],
) -> tuple[ScoreMatrix, tuple[LengthLeftOut, ...]]:
    """One matrix out of one per length, and the lengths that were left out of topics' means.

    A system with no score on a topic at any length is missing there; it takes no length from the others.
    """
    import numpy as np

    topics = tuple(sorted({t for m in matrices.values() for t in m.topics}, key=natural))
    systems = tuple(sorted({s for m in matrices.values() for s in m.systems}, key=natural))
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
    reasons = {(t, s): why for m in matrices.values() for t, s, why in m.missing}
    missing = []
    for i, j in np.argwhere(n == 0):
        why = NO_LENGTH if there[i, j] else reasons.get((topics[i], systems[j]), "no score")
        missing.append((topics[i], systems[j], why))
    left_out = []
    for index, length in enumerate(matrices):
        dropped = present[index].any(axis=1) & ~used[index]
        if dropped.any():
            lacking = (there & ~present[index])[dropped].any(axis=0)
            names = tuple(systems[j] for j in np.flatnonzero(lacking))
            left_out.append(LengthLeftOut(length, int(np.count_nonzero(dropped)), names))
    first = next(iter(matrices.values()))
    signature = f"{first.info.signature or first.measure}|lengths:averaged-within-topics"
    matrix = ScoreMatrix(
        values=_frozen(means),
        counts=np.where(kept, counts, 0).sum(axis=0),
        topics=topics,
        systems=systems,
        info=replace(first.info, signature=signature),
        pool=first.pool,
        missing=tuple(missing),
        form=first.form,
        only_form=first.only_form,
        together=_together([m.together for m in matrices.values() if m.together]),
    )
    return matrix, tuple(left_out)


def _together(parts: Sequence[PooledSystems]) -> PooledSystems | None:
    """The same systems at several lengths, with all rows."""
    if not parts:
        return None
    systems = dict.fromkeys(system for part in parts for system in part.systems)
    return PooledSystems(parts[0].name, tuple(systems), tuple(n for part in parts for n in part.present))


def _of_one_length(matrix: ScoreMatrix) -> ScoreMatrix:
    """Rows of one length under their topics' names."""
    names = dict(zip(matrix.topics, matrix.row_topics, strict=True))
    missing = tuple((names[row], system, why) for row, system, why in matrix.missing)
    return replace(matrix, topics=matrix.row_topics, rows=(), missing=missing)


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
