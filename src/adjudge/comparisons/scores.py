"""Scores with what comparisons must know of systems and topics, from a folder or from a bare file.

Pooling and the matrix are in scores.py, reading a table in comparisons/baretable.py; tests live elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from adjudge.comparisons.baretable import PARQUET, TableOptions, check_path, no_table, read_table
from adjudge.data.rows import Topic
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix, ScoreTable
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.wording import listed

if TYPE_CHECKING:
    from adjudge.data.collection import Collection
    from adjudge.measures.stored import StoredTable
    from adjudge.stats.checks import BoolArray

Among = Literal["all", "machines", "humans", "human-machine"]
TopicField = Literal["set", "type", "task", "selector"]
Patterns = str | Sequence[str]

HUMANS = "HUMANS"
_PATTERN = "name them with --human PATTERN, or by their kind"


@dataclass(frozen=True)
class ScoreData:
    """Scores, and what is known of their systems and topics, whichever way they came.

    `kinds` says of every system whether it is a machine, a baseline or a human. `labels`, `groups`,
    `topics` and `authors` (of the summary of a topic, by a system, at a length) hold what is known beyond
    the names, `warnings` what a reader of a measure's numbers should know first.
    """

    name: str
    table: ScoreTable
    kinds: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, Topic] = field(default_factory=dict)
    authors: Mapping[tuple[str, str, int | None], str] = field(default_factory=dict)
    warnings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    folder: Path | None = None
    """The evaluation, where the scores came from one."""

    @classmethod
    def from_evaluation(
        cls,
        collection: Collection,
        stored: StoredTable,
        *,
        folder: Path,
        human: Patterns = (),
        baseline: Patterns = (),
    ) -> ScoreData:
        """The scores that a folder has; patterns name the kind of systems for which it says none."""
        rows = collection.systems
        return cls(
            collection.settings.name,
            stored.table,
            _kinds([*_systems(stored.table), *rows], {s: r.kind for s, r in rows.items()}, human, baseline),
            {system: row.label for system, row in rows.items() if row.label},
            {system: row.group for system, row in rows.items() if row.group},
            collection.topics,
            {(s.topic, s.system, s.length): s.author for s in collection.all_summaries() if s.author},
            {measure: stored.warnings(measure) for measure in stored.table.measures},
            folder,
        )

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        human: Patterns = (),
        baseline: Patterns = (),
        **table: Unpack[TableOptions],
    ) -> ScoreData:
        """The scores in a CSV or TSV file, a matrix or a long table; `-` is standard input.

        A score file that Adjudge wrote (.parquet) is read too. `human` and `baseline` are names or
        patterns with `*` and `?`, several with commas between them; everyone else is a machine.
        """
        path = Path(path)
        check_path(path, table)
        if path.suffix.lower() == PARQUET:
            return cls._stored(path, human, baseline, table)
        found = read_table(path, table)
        scores = ScoreTable.from_rows(found.rows, found.infos)
        kinds = _kinds(_systems(scores), found.kinds, human, baseline)
        return cls(found.name, scores, kinds, warnings=dict.fromkeys(scores.measures, found.notes))

    @classmethod
    def _stored(cls, path: Path, human: Patterns, baseline: Patterns, table: TableOptions) -> ScoreData:
        from adjudge.data import scorefiles

        no_table(path, table)
        scores = scorefiles.read(path).table
        notes = [f"{path.name}: only its folder knows kinds, topics, and what is stale or withdrawn"]
        kinds = _kinds(_systems(scores), {}, human, baseline)
        return cls(path.name, scores, kinds, warnings=dict.fromkeys(scores.measures, notes))

    @property
    def measures(self) -> tuple[str, ...]:
        return self.table.measures

    def all_measures(self) -> tuple[str, ...]:
        """The measures, of which there must be one."""
        if not self.measures:
            where = self.folder or self.name
            raise DataError(f"{where}: nothing has been scored; run: adjudge score {where}")
        return self.measures

    def resolve(self, measure: str | None = None) -> str:
        """The measure that a user means; the only one, where none is named."""
        known = self.all_measures()
        if measure is None:
            if len(known) > 1:
                raise UsageError(f"{self.name} has several measures ({listed(known)}): choose one with -m")
            return known[0]
        if self.folder is not None:
            from adjudge.measures.stored import resolve

            return resolve(measure, known)
        if measure not in known:
            raise UsageError(
                f"{self.name} has no scores of {quoted(measure)}{nearest(measure, known)};"
                f" it has: {listed(known)}"
            )
        return measure

    def notes(self, measure: str) -> list[str]:
        """What a reader of this measure's numbers should know first: what is stale or left out."""
        return list(self.warnings.get(measure, ()))

    def kind(self, system: str) -> str:
        """machine, baseline or human; the pooled humans are human."""
        return self.kinds.get(system, "human" if system == HUMANS else "machine")

    def kinds_of(self, systems: Iterable[str]) -> dict[str, str]:
        """The kinds of a matrix's systems."""
        return {system: self.kind(system) for system in systems}

    def label(self, system: str) -> str:
        return self.labels.get(system, system)

    def topic_values(self, name: TopicField, topics: Iterable[str]) -> tuple[str | None, ...]:
        """What is known of topics, such as their sets; also of rows named `TOPIC @ LENGTH`."""
        _one_of("field of topics", name, get_args(TopicField))
        rows = (self.topics.get(t) or self.topics.get(t.rpartition(" @ ")[0]) for t in topics)
        return tuple(None if row is None else getattr(row, name) for row in rows)

    def matrix(
        self,
        measure: str | None = None,
        *,
        length: int | AllLengths | None = None,
        pool: Pool = "mean",
        among: Among = "all",
        pool_humans: bool = False,
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems, of the systems asked for.

        Baselines are machines here. `human-machine` needs both sorts and keeps all systems: it is about
        pairs, see `pairs_among`. With `pool_humans` all humans are one system, HUMANS: on a topic the
        mean of those who have a score. The matrix's signature says what was chosen.
        """
        matrix = self.table.matrix(self.resolve(measure), length=length, pool=pool)
        chosen = self._chosen(matrix.systems, among)
        if len(chosen) < len(matrix.systems):
            matrix = _signed(matrix.select(chosen), f"among:{among}")
        return _signed(self._pooled(matrix), "humans:pooled") if pool_humans else matrix

    def pairs_among(self, systems: Sequence[str], among: Among) -> BoolArray:
        """Which pairs of a matrix's systems are asked for, in the order of `itertools.combinations`."""
        import numpy as np

        from adjudge.stats.pairs import columns_of_pairs

        chosen = set(self._chosen(systems, among))
        first, second = columns_of_pairs(len(systems))
        kept = np.array([system in chosen for system in systems], dtype=bool)
        human = np.array([self.kind(system) == "human" for system in systems], dtype=bool)
        pairs: BoolArray = kept[first] & kept[second]
        if among == "human-machine":
            pairs &= human[first] != human[second]
        return pairs

    def _chosen(self, systems: Sequence[str], among: Among) -> list[str]:
        _one_of("among", among, get_args(Among))
        humans = [system for system in systems if self.kind(system) == "human"]
        machines = [system for system in systems if self.kind(system) != "human"]
        if among in ("humans", "human-machine") and not humans:
            raise UsageError(f"--among {among}: no system of {self.name} is human; {_PATTERN}")
        if among in ("machines", "human-machine") and not machines:
            raise UsageError(f"--among {among}: every system of {self.name} is human")
        return {"machines": machines, "humans": humans}.get(among, list(systems))

    def _pooled(self, matrix: ScoreMatrix) -> ScoreMatrix:
        import numpy as np

        humans = [system for system in matrix.systems if self.kind(system) == "human"]
        if not humans:
            raise UsageError(f"--pool humans: no system here is human; {_PATTERN}")
        if HUMANS in matrix.systems and HUMANS not in humans:
            raise UsageError(f"--pool humans: a {self.kind(HUMANS)} is named {HUMANS}; rename it first")
        others = [system for system in matrix.systems if system not in humans]
        people, rest = matrix.select(humans), matrix.select(others)
        with np.errstate(invalid="ignore"):  # nobody on a topic: 0/0 is NaN
            means = np.nansum(people.values, axis=1) / np.isfinite(people.values).sum(axis=1)
        holes = [
            (topic, HUMANS, "no human has a score")
            for topic, mean in zip(matrix.topics, means, strict=True)
            if mean != mean
        ]
        at = matrix.systems.index(humans[0])
        return replace(
            matrix,
            values=_frozen(np.insert(rest.values, at, means, axis=1)),
            counts=_frozen(np.insert(rest.counts, at, people.counts.sum(axis=1), axis=1)),
            systems=(*others[:at], HUMANS, *others[at:]),
            missing=(*rest.missing, *holes),
        )


def _systems(table: ScoreTable) -> list[str]:
    return [str(system) for system in table.frame["system"].unique()]


def _kinds(
    systems: Iterable[str], said: Mapping[str, str | None], human: Patterns, baseline: Patterns
) -> dict[str, str]:
    """The kind of every system: what is said of it, what a pattern says, or machine."""
    names = list(dict.fromkeys(systems))
    known = {system: kind for system, kind in said.items() if kind}
    for kind, patterns in (("human", human), ("baseline", baseline)):
        for pattern in _split(patterns):
            matched = [s for s in names if s == pattern or fnmatchcase(s, pattern)]
            if not matched:
                raise UsageError(
                    f"--{kind} {quoted(pattern)}: no such system{nearest(pattern, names)};"
                    f" there are: {listed(names)}"
                )
            for system in matched:
                if known.setdefault(system, kind) != kind:
                    raise UsageError(
                        f"--{kind} {quoted(pattern)}: {quoted(system)} is a {known[system]} already"
                    )
    return {system: known.get(system, "machine") for system in names}


def _split(patterns: Patterns) -> list[str]:
    several = [patterns] if isinstance(patterns, str) else patterns
    return [part.strip() for each in several for part in each.split(",") if part.strip()]


def _one_of(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"{what} is {quoted(value)}, expected one of: {', '.join(known)}")


def _signed(matrix: ScoreMatrix, choice: str) -> ScoreMatrix:
    signature = f"{matrix.info.signature or matrix.measure}|{choice}"
    return replace(matrix, info=replace(matrix.info, signature=signature))


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
