"""A bare table of scores, without a folder: rows under the measures' own names, and the kinds it says.

The cells are read by formats/scoretable.py; what is made of the rows is decided in scoredata.py.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_args

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.rows import System, Topic
from adjudge.data.scores import KEY, AllLengths, MeasureInfo, Pool, Score, ScoreMatrix, ScoreTable
from adjudge.errors import DataError, FormatError, UsageError, nearest, quoted
from adjudge.formats import scoretable
from adjudge.formats.files import TABLES, bare_name, reading
from adjudge.wording import listed

if TYPE_CHECKING:
    from adjudge.data.collection import Collection
    from adjudge.measures.stored import StoredTable
    from adjudge.stats.checks import BoolArray


STDIN = "stdin"
PARQUET = ".parquet"
_SOURCE = "_"  # the importer puts a source before a measure's name; here the name stands alone

_key = attrgetter(*KEY)
LowerIsBetter = bool | str | Collection[str]


class TableOptions(TypedDict, total=False):
    """How to read a table, where it does not say itself; see `formats.scoretable.read`."""

    measure: str | None
    lower_is_better: LowerIsBetter
    length: int | None
    columns: Mapping[str, str] | None
    delimiter: str | None
    quotes: bool
    encoding: str


@dataclass
class BareTable:
    """What a table holds. `kinds` has the systems whose kind it says, `notes` what was left out."""

    name: str
    rows: list[Score] = field(default_factory=list)
    infos: list[MeasureInfo] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_folder(path: str | Path) -> bool:
    """Whether scores are to be had from a folder; `-` is standard input."""
    with reading(Path(path)):
        return str(path) != "-" and Path(path).is_dir()


def check_path(path: Path, table: TableOptions) -> None:
    """Refuse what is no file of scores, by its name."""
    if str(path) == "-":
        return
    if is_folder(path):
        raise DataError(f"{path}: is a folder, expected a file of scores")
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    suffix = Path(bare_name(path)).suffix
    if suffix and suffix.lower() not in (*TABLES, PARQUET) and not table.get("delimiter"):
        raise FormatError(
            f"expected a table of scores ({', '.join(TABLES)}) or a score file ({PARQUET}), not"
            f" {quoted(suffix)}; of a table by another name say what stands between columns: --delimiter",
            file=path,
        )


def no_table(path: str | Path, table: TableOptions) -> None:
    """Refuse options of tables where there is none: a folder and a score file say those things themselves."""
    for name, value in table.items():
        if value and (name, value) not in (("quotes", True), ("encoding", "utf-8")):
            option = {"columns": "map", "lower_is_better": "lower-is-better"}.get(name, name)
            raise UsageError(f"--{option} is for a table of numbers (CSV or TSV), which {path} is not")


def read_table(path: Path, table: TableOptions) -> BareTable:
    """A CSV or TSV file, or standard input for `-`: a matrix, or a long table."""
    if str(path) != "-":
        return _read(path, path.name, table)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / STDIN  # the importer reads files; no message shows where this one lies
        with copy.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        try:
            return _read(copy, STDIN, table)
        except FormatError as error:
            raise FormatError(error.problem, file=STDIN, line=error.line) from None
        except UsageError as error:
            raise UsageError(str(error).replace(str(copy), STDIN)) from None


def _read(path: Path, name: str, table: TableOptions) -> BareTable:
    options = table.copy()
    lower = options.pop("lower_is_better", False)
    found = _collect(path, name, scoretable.read([path], source=_SOURCE, **options))
    if not found.rows:
        raise FormatError("a header without rows: no scores", file=path)
    if all(row.value != row.value for row in found.rows):
        raise FormatError("no numbers: every score is missing", file=path)
    found.infos = _directed(found.infos, lower)
    return found


def _collect(path: Path, name: str, items: Iterable[Item]) -> BareTable:
    found = BareTable(name)
    seen: dict[tuple[object, ...], int] = {}
    left: Counter[str] = Counter()
    for place, thing in items:
        line = int(number) if (number := place.removeprefix(f"{path}:")).isdigit() else 1
        match thing:
            case Score():
                first = seen.setdefault(_key(thing), line)
                if first != line:
                    raise _second(thing, first, path, line)
                found.rows.append(_renamed(thing))
            case MeasureInfo():
                info = replace(thing, measure=_own(thing.measure), signature=_own(thing.signature))
                found.infos.append(info)
            case System(kind=str(kind)):
                if found.kinds.setdefault(thing.system, kind) != kind:
                    raise FormatError(
                        f"system {quoted(thing.system)} is a {kind} here and a {found.kinds[thing.system]} above",
                        file=path,
                        line=line,
                    )
            case LeftOut():
                left[thing.reason] += 1
    found.notes = [f"{name}: {reason}{f', {n:,} times' if n > 1 else ''}" for reason, n in left.items()]
    return found


def _own(text: str) -> str:
    return text.removeprefix(f"{_SOURCE}:")


def _renamed(row: Score) -> Score:
    """`dataclasses.replace` would take longer than all the rest."""
    return Score(
        _own(row.measure),
        row.topic,
        row.system,
        row.value,
        row.length,
        row.assessor,
        row.reference,
        row.repeat,
        row.why,
    )


def _second(row: Score, first: int, path: Path, line: int) -> FormatError:
    return FormatError(
        f"a second score of {_own(row.measure)} for topic {quoted(row.topic)}, system {quoted(row.system)}"
        f" (the first is in line {first}): tell them apart by length, assessor, reference or repeat",
        file=path,
        line=line,
    )


def _directed(infos: Sequence[MeasureInfo], lower: LowerIsBetter) -> list[MeasureInfo]:
    """Measures with their directions: lower is better for all (True), for none, or for those named."""
    if isinstance(lower, bool):
        names = {info.measure for info in infos} if lower else set()
    else:
        names = {lower} if isinstance(lower, str) else set(lower)
    known = [info.measure for info in infos]
    for name in sorted(names - set(known)):
        raise UsageError(
            f"--lower-is-better {quoted(name)}: no such measure{nearest(name, known)};"
            f" there are: {listed(known)}"
        )
    return [replace(info, better="lower" if info.measure in names else "higher") for info in infos]


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
