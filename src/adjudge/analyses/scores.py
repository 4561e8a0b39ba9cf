"""The scores that comparisons start from, whichever way they came: a folder, a file, a DataFrame.

`scores_of` takes any of them and gives `Scores`: the long table, and what is known of systems and topics.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial, wraps
from operator import attrgetter
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
)

from adjudge.analyses.formulas import derive, parse_formula
from adjudge.analyses.score_words import note_text
from adjudge.core.errors import AdjudgeError, DataError, FormatError, UsageError, nearest, quoted
from adjudge.core.errors import among as among_known
from adjudge.core.phrases import Argument, Door, either, spoken
from adjudge.core.results import Note
from adjudge.core.words import listed, natural
from adjudge.data import scorefiles
from adjudge.data.absent import absent_words
from adjudge.data.choosing import TopicChoice, choose_topics
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder, Settings
from adjudge.data.incoming import Remark
from adjudge.data.packed import CELL_SCORE, LOOK_EVERY, check_cells, first_bytes
from adjudge.data.rows import HALF, Key, System, Topic
from adjudge.data.scorefiles import ScoreFile
from adjudge.data.scores import (
    KEY,
    UNSET,
    AllLengths,
    Among,
    Length,
    MeasureInfo,
    Pool,
    Score,
    ScoreMatrix,
    ScoreTable,
    heading_of,
    targets_of,
)
from adjudge.data.target import Target
from adjudge.formats import frames, scoretable
from adjudge.formats.files import LFS, argument_of, at_hand, reading, stem
from adjudge.formats.headings import says_people
from adjudge.formats.records import EITHER, RECORD
from adjudge.formats.scoretable import AS_IT_SAYS, NO_MEASURE, TableOptions, direction_by_name, lower_for
from adjudge.formats.tabular import records_in
from adjudge.judgments.batch import NOTHING, Judgments, batches_of, judgments_if_allowed
from adjudge.measures.base import Measure
from adjudge.measures.presets import PAPERS, PRESETS, is_pattern, matching, written_out
from adjudge.measures.registry import parse_measure, parse_measures, registry, titled
from adjudge.measures.run import fewer_references, looks_at_judgments, reference_counts, stale_topics
from adjudge.measures.spec import judge_of, listed_specs, same_name, split_formula, split_specs

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray

TopicField = Literal["set", "type", "task", "selector"]
ClusterBy = Literal["set", "type", "task", "selector", "assessor"]
Patterns = str | Sequence[str]
LowerIsBetter = bool | str | Container[str]

P = ParamSpec("P")
T = TypeVar("T")

HUMANS = "HUMANS"
FEWEST_SETS = 6
"""Sets of topics from which they are a sample."""
LARGEST = 1e302
"""Beyond it not even differences can be computed (stats.checks has the same)."""
PARQUET = ".parquet"
OF_JUDGMENTS = "judgments-left-out", "about-judgments"
DIRECTIONS = "direction-by-name", "direction-taken"
_SOURCE = "_"  # the importer puts a source before a measure's name; here the name stands alone
_PATTERN = f"name them with {Argument('human', 'PATTERN')}, or by their kind"
_CHOOSE = either('measure="..."', "-m")
_BARE = re.compile(r"[\w.:-]+")
_key = attrgetter(*KEY)
_but_measure = attrgetter(*(field.name for field in fields(Score) if field.name != "measure"))


class HasScores(Protocol):
    """An evaluation, or anything else that gives its scores."""

    def scores(self, *, human: Patterns = (), baseline: Patterns = ()) -> Scores: ...


@dataclass(frozen=True)
class Scores:
    """Scores, and what is known of their systems and topics, whichever way they came.

    `kinds` says of every system whether it is a machine, a baseline or a human. `labels`, `groups`,
    `topics` and `authors` (of the summary of a topic, by a system, of a length and form) hold what is known beyond
    the names, `warnings` what a reader of a measure's numbers should know first.
    """

    name: str
    table: ScoreTable
    kinds: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, Topic] = field(default_factory=dict)
    authors: Mapping[Key, str] = field(default_factory=dict)
    warnings: Mapping[str, Sequence[Note]] = field(default_factory=dict)
    folder: Path | None = None
    """The evaluation, where the scores came from one."""
    files: tuple[ScoreFile, ...] = ()
    """A folder's score files, one per measure."""
    stale: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By computed measure: the topics whose texts or judgments changed since."""
    unsaid: bool = False
    """Whether an analysis read them itself, so that its result is the place for the warnings."""
    left_out: tuple[str, ...] = ()
    """The assessors whose scores were left out."""
    everyone: Scores | None = None
    """Where some were left out: the scores before that."""
    refused: Mapping[str, Note] = field(default_factory=dict)
    """By measure that cannot be had without them: why."""
    simulated: Mapping[str, int] = field(default_factory=dict)
    """By measure that judgments are behind: how many judgments are of simulated assessors."""
    judgments: Judgments = field(default=NOTHING, compare=False, repr=False)
    """Of a folder, where scores of some measure depend on them."""
    gone: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """By measure and code of a note on scores that are left out: the topic of each."""
    chosen: TopicChoice | None = None
    """The topics that were asked for; None for all."""
    source: str = ""
    """The path that they were read from, as it was said; empty of rows in memory."""

    # Where scores come from

    @classmethod
    def of_folder(
        cls,
        folder: Folder,
        collection: Collection,
        read_judgments: Callable[[], Judgments] = lambda: NOTHING,
        *,
        human: Patterns = (),
        baseline: Patterns = (),
    ) -> Scores:
        """Everything that a folder has, less what is withdrawn; patterns name kinds where it says none.

        Judgments are read only where scores of some measure depend on them.
        """
        import pandas as pd

        files = scorefiles.read_all(folder.path)
        specs = {f.info.measure: parse_measure(f.info.measure) for f in files if f.origin == "computed"}
        judged = {measure for measure, spec in specs.items() if looks_at_judgments(spec)}
        try:
            judgments = read_judgments() if judged else NOTHING
        except AdjudgeError as error:  # a damaged store stops no scores of texts
            judgments = Judgments(unread=error.text)
        # Left out are scores of withdrawn summaries, and those that name no length or no form where a system has
        # nothing else on the topic.
        having = {(s.topic, s.system) for s in collection.all_summaries()}
        alone = [s for s in collection.withdrawn if (s.topic, s.system) not in having]
        gone = {s.key for s in collection.withdrawn}
        gone |= {
            (s.topic, s.system, Target(n, f)) for s in alone for n in {s.length, None} for f in {s.form, None}
        }
        present = {summary.key for summary in collection.all_summaries()} | gone
        batches = batches_of(collection, judgments)
        references = reference_counts(batches)
        frames, notes, stale, simulated = [], {}, {}, {}
        left_out: dict[tuple[str, str], Sequence[str]] = {}
        for file in files:
            measure, frame = file.info.measure, file.table.frame
            keys = list(zip(frame["topic"], frame["system"], targets_of(frame), strict=True))
            withdrawn = [key[0] for key in keys if key in gone]
            spec = specs.get(measure)
            # what people judged may have no text here
            there = present - gone if spec is not None and measure not in judged else {*keys} - gone
            absent = [key[0] for key in keys if key not in there and key not in gone]
            keep = [key in there for key in keys]
            about: list[Note] = []
            if spec is not None and not (judgments.unread and measure in judged):
                stale[measure] = tuple(stale_topics(batches, file, spec))
            if changed := stale.get(measure):
                facts = {"topics": changed, "folder": str(folder.path), "judged": measure in judged}
                about.append(Note.of("out-of-date", measure=measure, **facts))
            for code, of_topics in (("withdrawn-left-out", withdrawn), ("gone-left-out", absent)):
                if of_topics:
                    about.append(Note.of(code, n=len(of_topics)))
                    left_out[measure, code] = of_topics
            if spec is not None:
                people, most = fewer_references(spec, collection, references)
                if people:
                    about.append(Note.of("fewer-references", people=people, most=most))
            if measure in judged:
                about += _about_judgments(judgments, measure)
                if judge_of(measure) not in judgments.by_judge:
                    simulated[measure] = judgments.simulated
            frames.append(frame[keep])
            notes[measure] = about
        infos = with_titles([file.info for file in files])
        table = ScoreTable.from_frame(pd.concat(frames), infos) if frames else ScoreTable.from_rows([])
        rows = collection.systems
        return cls(
            name=collection.settings.name,
            table=table,
            kinds=kinds_of_systems(
                [*rows, *_systems(table)], {s: r.kind for s, r in rows.items()}, human, baseline
            ),
            labels={system: row.label for system, row in rows.items() if row.label},
            groups={system: row.group for system, row in rows.items() if row.group},
            topics=collection.topics,
            authors={s.key: s.author for s in collection.all_summaries() if s.author},
            warnings=notes,
            folder=folder.path,
            files=tuple(files),
            stale=stale,
            simulated=simulated,
            gone=left_out,
            judgments=judgments,
        )

    @classmethod
    def open(cls, path: str | Path, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        """The scores of an evaluation's folder."""
        folder = Folder.open(path)
        collection = load(folder)
        judgments = partial(judgments_if_allowed, folder, collection)
        return cls.of_folder(folder, collection, judgments, human=human, baseline=baseline)

    @classmethod
    def read(cls, path: str | Path, options: TableOptions = AS_IT_SAYS) -> Scores:
        """The scores in a CSV, TSV, Excel or Parquet file, a matrix or a long table; `-` is standard input.

        A score file that Adjudge wrote (.parquet) is read too.
        """
        path = Path(path)
        if str(path) != "-":
            if is_folder(path):
                raise DataError(f"{path}: is a folder, expected a file of scores")
            if not path.exists():
                raise DataError(f"{path}: no such file or folder{absent_words(path)}")
        with at_hand(path) as file:
            return _read_file(file, file.name, options)

    @classmethod
    def of_frame(
        cls,
        frame: pd.DataFrame,
        options: TableOptions = AS_IT_SAYS,
        *,
        name: str = "DataFrame",
        unnamed: str = "score",
    ) -> Scores:
        """The scores in a DataFrame: a long one, with columns such as system, topic, measure, value, or a matrix.

        A matrix has a column per system and its topics in the index, or in the first column where that holds
        names. A long one may have topics and systems in its index, and a column per measure. `unnamed` is what the
        measure is called where nothing names it.
        """
        from adjudge.formats.scoreframe import long_frame, topics_of_frame

        read = long_frame(frame, name, options, unnamed)
        long = read.rows
        infos = [
            MeasureInfo(m, None if m in read.descriptions else "higher", signature=f"{m}|imported|{name}")
            for m in long["measure"].unique()
        ]
        table = ScoreTable.from_frame(long, _directed(infos, options.lower_is_better))
        stated: dict[str, str | None] = {}
        if "kind" in long:
            for system, kind in long[["system", "kind"]].dropna().drop_duplicates().itertuples(index=False):
                if stated.setdefault(system, kind) != kind:
                    raise DataError(f"{name}: system {quoted(system)} is a {kind} and a {stated[system]}")
        return _of_table(name, table, options, read.notes, stated, topics_of_frame(long, name))

    @classmethod
    def of_table(
        cls, name: str, table: ScoreTable, *, human: Patterns = (), baseline: Patterns = ()
    ) -> Scores:
        """Scores that were computed in memory."""
        return cls(name, table, kinds_of_systems(_systems(table), {}, human, baseline))

    # The long table

    @property
    def frame(self) -> pd.DataFrame:
        """Every score, a row each."""
        return self.table.frame

    @property
    def info(self) -> Mapping[str, MeasureInfo]:
        return self.table.info

    @property
    def measures(self) -> tuple[str, ...]:
        return self.table.measures

    def to_frame(self) -> pd.DataFrame:
        return self.table.to_frame()

    def rows(self) -> Iterator[Score]:
        return self.table.rows()

    def of(self, measure: str) -> pd.DataFrame:
        """The rows of one measure."""
        return self.table.of(self.resolve(measure))

    def lengths(self, measure: str | None = None) -> tuple[Length, ...]:
        """The target lengths that a measure has scores at."""
        return self.table.lengths(self.resolve(measure))

    # What is asked for

    def all_measures(self) -> tuple[str, ...]:
        """The measures, of which there must be one."""
        if not self.measures:
            where = self.folder or self.name
            raise DataError(f"{where}: nothing has been scored; run: adjudge score {where}")
        return self.measures

    def resolve(self, measure: str | Sequence[str] | None = None, typed: str | None = None) -> str:
        """The measure that a user means; where none is named people's only one, or the only one there is.

        `typed` is what it was written out of.
        """
        measures = self.all_measures()
        if measure is not None and not isinstance(measure, str):
            named = listed_specs(measure)
            measure = _only(named) if named else None
        if measure is None:
            measures = tuple(self.people_first())
            candidates = self.people_measures() or measures
            if len(candidates) > 1:
                raise UsageError(
                    f"{self.name} has several measures ({listed(self.people_first())}): choose one with {_CHOOSE}"
                )
            return candidates[0]
        if not isinstance(measure, str):
            raise UsageError(f"the measure is a {type(measure).__name__}, expected one name as a text")
        several = [] if same_name(measure, measures) else split_specs(measure)
        if len(several) > 1:
            return self.resolve(several)
        if several and split_formula(measure):
            formula = parse_formula(measure, self.resolve, measures)
            if formula.text not in self.table.derived:
                self.table.derive(*derive(formula, self.table))
            return formula.text
        if (refused := self._refused(measure)) is not None:
            raise UsageError(note_text(refused))
        if self.folder is not None:
            stands_for_several = (
                is_pattern(measure) or same_name(measure, PRESETS) or same_name(measure, PAPERS)
            )
            if stands_for_several or every_variant(measure, measures):
                return self.resolve(_only(self._written_out(measure, measures)), measure)
            return _stored_measure(measure, measures, self.folder, typed)
        if is_pattern(measure):
            return _only(self._written_out(measure, measures))
        matched = same_name(measure, measures)
        if matched is None:
            raise UsageError(
                f"{self.name} has no scores of {quoted(measure)}{nearest(measure, measures)};"
                f" it has: {listed(measures)}"
            )
        return matched

    def _refused(self, measure: str) -> Note | None:
        """Why a measure cannot be had without the assessors that are left out."""
        if not self.refused or same_name(measure, self.measures):
            return None
        name = same_name(measure, list(self.refused))
        if name is None and self.folder is not None and not is_imported(measure):
            name = str(parse_measure(measure))
        return self.refused.get(name or "")

    def refusals(self) -> list[str]:
        """Why measures cannot be had without the assessors that are left out, each reason once."""
        return list(dict.fromkeys(map(note_text, self.refused.values())))

    def resolved(self, measures: str | Iterable[str] = ()) -> list[str]:
        """The measures that a user means, each once; all of them where none is named.

        A text names one or several with commas between them; a preset stands for its measures. A name that is there
        is taken as it is, with its commas.
        """
        names = self.all_measures()
        resolved: list[str] = []
        for text in listed_specs(measures):
            whole = same_name(text, names)
            preset = same_name(text, (*PRESETS, *PAPERS))
            resolved += (
                [whole] if whole else (self.resolve(part, preset) for part in self._written_out(text, names))
            )
        return list(dict.fromkeys(resolved)) or self.people_first()

    def people_first(self) -> list[str]:
        """All measures, those that people gave before others; without columns of a table that describe something."""
        measures = self.all_measures()
        ranked = [name for name in measures if self.info[name].better or self._computed(name)]
        return sorted(ranked or measures, key=lambda measure: not self.is_judged(measure))

    def people_measures(self) -> list[str]:
        """The measures that people gave."""
        return [measure for measure in self.all_measures() if self.is_judged(measure)]

    def is_judged(self, measure: str) -> bool:
        """Whether people gave the scores: by name, several to each summary as a crowd, or as answers in the app."""
        if judge_of(measure) is not None:
            return False
        if self.by_people(measure) or (self.of(measure)["repeat"] > 0).any():
            return True
        spec = self._computed(
            measure
        )  # a column of a table that is named `coverage` tells nothing of who gave it
        return spec is not None and "judgments" in spec.needs

    def by_people(self, measure: str) -> bool:
        """Whether assessors with names gave the scores, no program that judges; or the measure's name says so."""
        if judge_of(measure) is not None:
            return False
        return bool(self.assessors(measure)) or (
            self._computed(measure) is None and says_people(measure.partition(":")[2] or measure)
        )

    def _written_out(self, text: str, measures: Sequence[str]) -> list[str]:
        """A text split at commas, with presets and `stat=all` replaced by what they stand for."""
        specs: list[str] = []
        for part in split_specs(text):
            if name := same_name(part, measures):
                specs.append(name)
            elif split_formula(part):
                specs.append(part)
            elif is_pattern(part):
                if not (names := matching(part, measures)):
                    raise UsageError(
                        f"{self.name} has no scores of {quoted(part)}; it has: {listed(measures)}"
                    )
                specs += names
            elif same_name(part, PAPERS):
                specs += self._of_paper(part, measures)
            elif self.folder is not None and (names := every_variant(part, measures)):
                specs += names
            elif self.folder is None or is_imported(part):
                specs += written_out(part)
            elif _imported_as(part, measures) and not same_name(part, registry()):
                specs.append(part)
            else:
                specs += map(str, parse_measures(part))
        return specs

    def _of_paper(self, preset: str, measures: Sequence[str]) -> list[str]:
        """Of a paper's measures, those that there are scores of."""
        specs = written_out(preset)
        names = [
            name for spec in specs for name in every_variant(spec, measures) or [spec] if name in measures
        ]
        if not names:
            run = f"; run: adjudge score {self.folder} -m {preset}" if self.folder else ""
            raise DataError(f"{self.name} has no scores of {preset} ({listed(specs)}){run}")
        return names

    def targets(
        self,
        measures: str | Iterable[str] = (),
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
    ) -> list[tuple[str, int | AllLengths | None, str | None]]:
        """Every measure, length and form by itself, as `matrix` takes them; only those named, where any are."""
        targets: list[tuple[str, int | AllLengths | None, str | None]] = []
        for measure in self.resolved(measures):
            forms = self.table.forms(measure)
            wanted = (None,) if form is None and len(forms) == 1 else forms if form is None else (form,)
            if length:
                of_length = [
                    (measure, length, wanted_form)
                    for wanted_form in wanted
                    if form or self._has(measure, length, wanted_form)
                ]
                targets += of_length or [(measure, length, None)]  # which says which lengths there are
                continue
            for n in self.table.each_length(measure):
                targets += [
                    (measure, n, wanted_form) for wanted_form in wanted if self._has(measure, n, wanted_form)
                ]
            if form is not None and form not in forms:
                targets.append((measure, "all", form))  # which says which forms there are
        return targets

    def all_missing(self, measure: str, length: int | AllLengths | None, form: str | None) -> str:
        """That a measure has no score at all of a length and form, with the reason; empty where it has one."""
        rows = self.table.at(measure, length=length, form=form)
        if rows["value"].notna().any():
            return ""
        reasons = rows["why"].dropna()
        why = f": {reasons.mode().iloc[0]}" if len(reasons) else ""
        words = heading_of(self.info[measure], length if isinstance(length, int) else None, form)
        return f"{words[0].upper()}{words[1:]} is left out, since every score is missing{why}."

    def _has(self, measure: str, length: int | AllLengths | None, form: str | None) -> bool:
        """Whether a measure has scores of a length and form; None is any."""
        if form is None or length is None or length == "all":
            return form is None or form in self.table.forms(measure)
        return (None if length == "unset" else length) in self.table.lengths(measure, form=form)

    def notes(self, measure: str, *codes: str, door: Door = "python") -> list[str]:
        """What a reader of this measure's numbers should know first: what is stale or left out; of some codes alone."""
        notes = (note for note in self.remarks(measure) if not codes or note.code in codes)
        return list(dict.fromkeys(spoken(note_text(note), door) for note in notes))

    def remarks(self, measure: str) -> list[Note]:
        """The same as facts."""
        if (formula := self.table.derived.get(measure)) is not None:
            return [*(note for part in formula.parts for note in self.remarks(part)), *formula.notes]
        pooled = self._pooled_tasks.get(measure)
        return [*self.warnings.get(measure, ()), *([] if pooled is None else [pooled])]

    @cached_property
    def _pooled_tasks(self) -> Mapping[str, Note]:
        """By measure with scores on single- and on multi-document topics: how many of each."""
        tasks = {topic: row.task for topic, row in self.topics.items() if row.task is not None}
        if len({*tasks.values()}) < 2:
            return {}
        pairs = self.frame[["measure", "topic"]].drop_duplicates()
        by_measure: dict[str, Counter[str]] = {}
        for measure, topic in pairs.itertuples(index=False):
            if topic in tasks:
                by_measure.setdefault(measure, Counter())[tasks[topic]] += 1
        return {
            measure: Note.of("tasks-pooled", single=counts["single"], multi=counts["multi"])
            for measure, counts in by_measure.items()
            if len(counts) > 1
        }

    def fewer_references(self, measure: str) -> tuple[Note, ...]:
        """That people who wrote references are compared with fewer than other systems, where it is so."""
        return tuple(note for note in self.remarks(measure) if note.code == "fewer-references")

    def count_simulated(self, measure: str) -> int:
        """How many judgments behind this measure are of simulated assessors."""
        formula = self.table.derived.get(measure)
        parts = (measure,) if formula is None else formula.parts
        return max((self.simulated.get(part, 0) for part in parts), default=0)

    def unsaid_notes(self, measure: str, *, directed: bool = True) -> tuple[str, ...]:
        """What a result must say of this measure because nobody else has; of its direction where that matters."""
        if not self.unsaid:
            return ()
        notes = (note for note in self.remarks(measure) if directed or note.code not in DIRECTIONS)
        return tuple(dict.fromkeys(map(note_text, notes)))

    # Assessors

    def assessors(self, measure: str | None = None) -> tuple[str, ...]:
        """Everybody whose scores there are, of one measure or of any."""
        rows = self.frame if measure is None else self.of(measure)
        return tuple(sorted((str(who) for who in rows["assessor"].dropna().unique()), key=natural))

    def of_topics(self, asked: str | Iterable[str] = ()) -> Scores:
        """The scores on some topics: `task=multi`, `type=3,4`, `d01,d02`; the same scores where nothing is asked.

        A measure without scores on them is not among them: asking for it says why.
        """
        texts = (asked,) if isinstance(asked, str) else tuple(asked)
        if not texts:
            return self
        names = map(str, self.frame["topic"].unique())
        rows = {topic: self.topics.get(topic) or Topic(topic) for topic in (*self.topics, *names)}
        choice = choose_topics(rows, texts, self.name)
        chosen = choice.topics
        frame = self.frame[self.frame["topic"].isin(chosen)]
        if frame.empty and not self.frame.empty:
            raise DataError(f"{self.name} has no scores of {choice}")
        judgments = self.judgments.of_topics(choice)
        refused, warnings, infos = dict(self.refused), dict(self.warnings), []
        there = set(frame["measure"].unique())
        for measure in self.measures:
            if measure not in there:
                refused[measure] = Note.of("no-topics", measure=measure, choice=str(choice))
                continue
            n, of = (int(some["topic"][some["measure"] == measure].nunique()) for some in (frame, self.frame))
            note = Note.of("topics-chosen", choice=str(choice), n=n, of=of)
            warnings[measure] = [note, *self._notes_on(measure, chosen, judgments)]
            signed = self.info[measure].signature or measure
            infos.append(replace(self.info[measure], signature=f"{signed}|{choice.signature}"))
        return replace(
            self,
            table=ScoreTable.from_frame(frame, infos),
            topics={topic: row for topic, row in self.topics.items() if topic in chosen},
            warnings=warnings,
            stale={m: tuple(t for t in topics if t in chosen) for m, topics in self.stale.items()},
            everyone=None if self.everyone is None else self.everyone.of_topics(texts),
            refused=refused,
            simulated=dict.fromkeys(self.simulated, judgments.simulated),
            judgments=judgments,
            chosen=choice,
        )

    def _notes_on(self, measure: str, topics: frozenset[str], judgments: Judgments) -> Iterator[Note]:
        """What a reader of a measure's numbers on some topics should know, of which there are these judgments."""
        for note in self.warnings.get(measure, ()):
            if note.code == "out-of-date":
                changed = [topic for topic in note.data["topics"] if topic in topics]
                if changed:
                    yield replace(note, data={**note.data, "topics": changed})
            elif (measure, note.code) in self.gone:
                if n := sum(topic in topics for topic in self.gone[measure, note.code]):
                    yield replace(note, data={**note.data, "n": n})
            elif note.code not in OF_JUDGMENTS:
                yield note
        if any(note.code in OF_JUDGMENTS for note in self.warnings.get(measure, ())):
            yield from _about_judgments(judgments, measure)

    def without(self, assessors: str | Iterable[str] = ()) -> Scores:
        """The scores that are left when some assessors are left out; the same scores where nobody is named.

        A measure without assessors, or that nobody else judged, is not among them: asking for it says why.
        """
        names = tuple(dict.fromkeys([assessors] if isinstance(assessors, str) else assessors))
        if not names:
            return self
        everybody = self.assessors()
        if not everybody:
            raise UsageError(
                f"{self.name} says of no score who judged, so that {listed(names)} cannot be left out:"
                ' a column "assessor" of a long table can say it'
            )
        for name in names:
            if name not in everybody:
                raise UsageError(f"{self.name} has no scores by {quoted(name)}{among_known(name, everybody)}")
        import pandas as pd

        from adjudge.measures.judged.pyramid import JudgedPyramid

        kept: list[pd.DataFrame] = []
        refused, warnings, infos = dict(self.refused), dict(self.warnings), dict(self.info)
        for measure in self.measures:
            rows = self.table.of(measure)
            dropped = rows["assessor"].isin(names)
            left = rows[~dropped]
            spec = self._computed(measure)
            code = ""
            if rows["assessor"].isna().all():
                code = "fitted-to-all" if spec is not None and looks_at_judgments(spec) else "no-assessors"
            elif len(left) == len(rows):
                code = "nothing-of-theirs"
            elif left["value"].isna().all():
                code = "nothing-of-others"
            if code:
                refused[measure] = Note.of(code, names=names, measure=measure)
                continue
            kept.append(left)
            notes = [Note.of("assessors-left-out", names=names, n=int(dropped.sum()), of=len(rows))]
            if nameless := int(left["assessor"].isna().sum()):
                notes.append(Note.of("unnamed-kept", n=nameless, measure=measure))
            if isinstance(spec, JudgedPyramid):
                notes.append(Note.of("pyramid-stays", measure=measure, names=names))
            warnings[measure] = [*warnings.get(measure, ()), *notes]
            signed = infos[measure].signature or measure
            infos[measure] = replace(infos[measure], signature=f"{signed}|without:{'+'.join(names)}")
        if not kept:
            raise UsageError("; ".join(list(dict.fromkeys(map(note_text, refused.values())))[:3]))
        return replace(
            self,
            table=ScoreTable.from_frame(pd.concat(kept), infos.values()),
            warnings=warnings,
            left_out=(*self.left_out, *names),
            everyone=self.everyone or self,
            refused=refused,
        )

    def _computed(self, measure: str) -> Measure | None:
        """A measure that was computed here; None of scores made elsewhere."""
        names = {file.info.measure for file in self.files if file.origin == "computed"}
        return parse_measure(measure) if measure in names else None

    # Systems and topics

    def collection(self) -> Collection:
        """What is known of systems and topics as an evaluation without texts."""
        names = _systems(self.table)
        topics = (str(topic) for topic in self.frame["topic"].unique())
        return Collection(
            settings=Settings(name=self.name),
            topics={topic: self.topics.get(topic) or Topic(topic) for topic in topics},
            systems={
                name: System(name, self.kind(name), label=self.labels.get(name), group=self.groups.get(name))
                for name in names
            },
            documents={},
            summaries={},
        )

    def kind(self, system: str) -> str:
        """machine, baseline or human; the pooled humans are human."""
        return self.kinds.get(system, "human" if system == HUMANS else "machine")

    def kinds_of(self, systems: Iterable[str]) -> dict[str, str]:
        """The kinds of a matrix's systems."""
        return {system: self.kind(system) for system in systems}

    def given_order(self, matrix: ScoreMatrix) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The topics and the systems of a matrix with a row per topic, as the data has them.

        In the order of the folder's own lists; what these do not name in the order of the scores.
        """
        frame = self.table.frame
        topics = dict.fromkeys([*self.topics, *frame["topic"].unique()])
        systems = dict.fromkeys([*self.kinds, *frame["system"].unique()])
        return (
            tuple(name for name in topics if name in matrix.topics),
            tuple(name for name in dict.fromkeys([*systems, *matrix.systems]) if name in matrix.systems),
        )

    def label(self, system: str) -> str:
        return self.labels.get(system, system)

    def topic_values(self, name: TopicField, topics: Iterable[str]) -> tuple[str | None, ...]:
        """What is known of topics, such as their sets."""
        _one_of("field of topics", name, get_args(TopicField))
        rows = (self.topics.get(topic) for topic in topics)
        return tuple(None if row is None else getattr(row, name) for row in rows)

    def sets_of_topics(self, matrix: ScoreMatrix) -> tuple[tuple[str, ...] | None, int]:
        """The set of every row's topic, where sets are known that have several; and how many there are.

        A topic of no set is one of its own. Fewer than FEWEST_SETS are no sample of sets: then there are no names.
        """
        topics = matrix.row_topics
        named = self.topic_values("set", topics)
        sets = tuple(
            f"{topic}\n" if name is None else name for topic, name in zip(topics, named, strict=True)
        )
        many = len(set(sets))
        if many == len(set(topics)):
            return None, 0
        return (sets if many >= FEWEST_SETS else None), many

    def clusters(
        self,
        matrix: ScoreMatrix,
        by: bool | str,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
    ) -> tuple[str, ...] | None:
        """The cluster of every row of a matrix: what its topic has for `by` (True: its set), or who judged it.

        Assessors make clusters where each judged topics of their own. A topic that several judged belongs to no
        cluster of theirs, and is refused. `length` and `form` are those that the matrix was asked for with.
        """
        if by is False:
            return None
        name = "set" if by is True else by
        _one_of("cluster", name, get_args(ClusterBy))
        topics = matrix.row_topics
        if name == "assessor":
            by_topic: dict[str, str | None] = self._assessors(matrix, length, form)
        else:
            by_topic = dict(zip(topics, self.topic_values(name, topics), strict=True))  # type: ignore[arg-type]
        clusters = [value for topic in topics if (value := by_topic.get(topic)) is not None]
        absent = list(dict.fromkeys(topic for topic in topics if by_topic.get(topic) is None))
        if absent:
            without = (
                f"{listed(absent)} {'has' if len(absent) == 1 else 'have'}" if clusters else "no topic has"
            )
            one = "none" if clusters else "one"
            where = "" if name == "assessor" else ", or topics.jsonl of a folder,"
            raise DataError(
                f"clusters by {name} need the {name} of every topic, and {without} {one}:"
                f" a column {quoted(name)} of a long table{where} can say it"
            )
        return tuple(clusters)

    def count_assessors(self, measure: str, length: int | AllLengths | None, form: str | None) -> int:
        """How many assessors stand behind a measure's scores of a length and form."""
        rows = self.table.at(measure, length=length, form=form, all_forms=form is None)
        return int(rows.loc[rows["value"].notna(), "assessor"].nunique())

    def _assessors(
        self, matrix: ScoreMatrix, length: int | AllLengths | None, form: str | None
    ) -> dict[str, str | None]:
        """The one assessor of every topic of a matrix."""
        rows = self.table.at(matrix.measure, length=length, form=form)
        humans = [s for s in rows["system"].unique() if self.kind(s) == "human"]
        systems = [*matrix.systems, *(humans if HUMANS in matrix.systems else ())]
        rows = rows[rows["value"].notna() & rows["system"].isin(systems)]
        by_topic: dict[str, str | None] = {}
        for topic, assessor in rows[["topic", "assessor"]].dropna().drop_duplicates().itertuples(index=False):
            if by_topic.setdefault(topic, assessor) != assessor:
                raise UsageError(
                    f"clusters by assessor need topics that one assessor judged alone, and {quoted(topic)} was"
                    f" judged by {by_topic[topic]} and {assessor}: leave the clusters out, and assessors are a"
                    " sample in the comparison anyhow"
                )
        return by_topic

    def matrix(
        self,
        measure: str | Sequence[str] | None = None,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
        pool: Pool = "mean",
        among: Among = "all",
        pool_humans: bool = False,
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems, of the systems asked for.

        Baselines are machines here. `human-machine` needs both sorts and keeps all systems: it is about
        pairs, see `pairs_among`. With `pool_humans` all humans are one system, HUMANS: on a topic the
        mean of those who have a score. The matrix's signature says what was chosen.
        """
        matrix = self.table.matrix(self.resolve(measure), length=length, form=form, pool=pool)
        _check_sizes(self.name, matrix)
        chosen = self._chosen(matrix.systems, among)
        if len(chosen) < len(matrix.systems):
            matrix = matrix.select(chosen).signed(f"among:{among}")
        if not pool_humans:
            return matrix
        humans = [system for system in matrix.systems if self.kind(system) == "human"]
        if not humans:
            raise UsageError(f"{Argument('pool_humans')}: no system here is human; {_PATTERN}")
        if HUMANS in matrix.systems and HUMANS not in humans:
            raise UsageError(
                f"{Argument('pool_humans')}: a {self.kind(HUMANS)} is named {HUMANS}; rename it first"
            )
        return matrix.pool_systems(humans, HUMANS, "no human has a score").signed("humans:pooled")

    def target_for(
        self, measure: str, length: int | AllLengths | None, form: str | None
    ) -> tuple[int | AllLengths | None, str | None]:
        """The length and form that were asked for; a measure that knows none has its scores anyway."""
        no_lengths, no_forms = self.table.lengths(measure) == (None,), self.table.forms(measure) == (UNSET,)
        return None if no_lengths else length, None if no_forms else form

    def higher_is_better(
        self,
        measure: str,
        argument: str,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
        among: Among = "all",
    ) -> ScoreMatrix:
        """A measure's scores at a length and form, where it knows any, turned so that higher is better."""
        length, form = self.target_for(measure, length, form)
        matrix = self.matrix(measure, length=length, form=form, among=among)
        if matrix.info.better is None:
            raise UsageError(f"{Argument(argument, measure)} is a description: nobody is better by it")
        return replace(matrix, values=-matrix.values) if matrix.info.better == "lower" else matrix

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
            raise UsageError(f"{Argument('among', among)}: no system of {self.name} is human; {_PATTERN}")
        if among in ("machines", "human-machine") and not machines:
            raise UsageError(f"{Argument('among', among)}: every system of {self.name} is human")
        return {"machines": machines, "humans": humans}.get(among, list(systems))


Source: TypeAlias = "Scores | ScoreTable | HasScores | str | Path | pd.DataFrame"
"""An evaluation or its scores, a path to its folder or to a file of scores (`-`: standard input), a DataFrame."""


def scores_of(
    source: Source,
    *,
    human: Patterns = (),
    baseline: Patterns = (),
    topics: str | Container[str] = (),
    without: str | Container[str] = (),
) -> Scores:
    """The scores that any source holds on the topics asked for, less those of the assessors that are to be left out,
    for a result that says what there is to know of them."""
    if isinstance(source, Scores):
        return source.of_topics(topics).without(without)
    options = TableOptions(human=human, baseline=baseline, topics=topics, without=without)
    scores = read_scores(source, options)
    return scores if isinstance(source, ScoreTable) else replace(scores, unsaid=True)


def read_scores(source: Source, options: TableOptions = AS_IT_SAYS) -> Scores:
    """The scores that any source holds, with how to read it where it is a table."""
    kinds: dict[str, Any] = {"human": options.human, "baseline": options.baseline}
    if (frame := frames.in_pandas(source)) is not None:
        scores = Scores.of_frame(frame, options)
    elif isinstance(source, str | Path) and not is_folder(source):
        scores = Scores.read(source, options)
    else:
        no_table(source, options)
        if isinstance(source, Scores):
            scores = replace(source, unsaid=False)
        elif isinstance(source, ScoreTable):
            made = kinds_of_systems(_systems(source), {}, **kinds) if any(kinds.values()) else {}
            scores = Scores("scores", source, made)
        elif isinstance(source, str | Path):
            scores = Scores.open(source, **kinds)
        elif hasattr(source, "scores") and callable(source.scores):
            scores = replace(source.scores(**kinds), unsaid=False)
        else:
            name = type(source).__name__
            what = "a Series: make it a DataFrame" if name == "Series" else name
            raise UsageError(
                f"scores are {what}, expected an evaluation, its scores, a path to a folder or a file, or a DataFrame"
            )
    if isinstance(source, str | Path):
        scores = replace(scores, source=str(source))
    return scores.of_topics(options.topics).without(options.without)


def with_table_options(analysis: Callable[P, T]) -> Callable[P, T]:
    """Let an analysis take those options of `read_scores` that it has none of its own for."""
    parameters = inspect.signature(analysis).parameters
    about = {option.name for option in fields(TableOptions)}

    @wraps(analysis)
    def with_options(*args: P.args, **options: P.kwargs) -> T:
        how: dict[str, Any] = {
            name: options.pop(name) for name in sorted(about - parameters.keys()) if name in options
        }
        if not how:
            return analysis(*args, **options)
        source, *rest = (options.pop("scores"),) if "scores" in options else args

        def read(one: Any) -> Scores:
            return replace(read_scores(one, TableOptions(**how)), unsaid=True)

        if isinstance(source, Mapping):  # data sets by their names
            ready: Any = {name: read(table) for name, table in source.items()}
        else:
            ready = read(source)
        result: T = cast(Any, analysis)(ready, *rest, **options)
        return result

    return with_options


def is_folder(path: str | Path) -> bool:
    """Whether scores are to be had from a folder; `-` is standard input."""
    with reading(Path(path)):
        return str(path) != "-" and Path(path).is_dir()


# A folder's scores


def with_titles(infos: Sequence[MeasureInfo]) -> list[MeasureInfo]:
    """Measures with the titles that tables show, no two alike; of one reference, the signature says so."""
    short = [titled(info.measure, one_reference="|refs:1:" in info.signature) for info in infos]
    uses = Counter(short)
    return [
        replace(info, title=title if uses[title] == 1 else titled(info.measure))
        for info, title in zip(infos, short, strict=True)
    ]


def is_imported(spec: str) -> bool:
    """Whether a measure came with its numbers, as `expert:relevance` did."""
    return ":" in spec.partition("(")[0]


def _about_judgments(judgments: Judgments, measure: str) -> list[Note]:
    """What there is to know of the judgments behind a measure: what was left out of them, and who gave them."""
    left = judgments.left_out_lines()
    lines = judgments.notes(judge_of(measure))
    return [Note.of(OF_JUDGMENTS[line not in left], text=line) for line in lines]


def _stored_measure(text: str, measures: Sequence[str], folder: Path, typed: str | None = None) -> str:
    """The measure that a user means among those that a folder has scores of; `typed` is the preset it is of."""
    if stored := same_name(text, measures):
        return stored
    if is_imported(text):
        raise UsageError(f"no imported scores {quoted(text)}{nearest(text, measures)}")
    try:
        measure = parse_measure(text)
    except UsageError:
        if not (imported := _imported_as(text, measures)):
            raise
        if len(imported) > 1:
            raise UsageError(
                f"{quoted(text)} may be {' or '.join(imported)}: choose one with {_CHOOSE}"
            ) from None
        return imported[0]
    spec = str(measure)
    if spec in measures:
        return spec
    named = typed or spec
    run = f"run: adjudge score {folder} -m {named if _BARE.fullmatch(named) else quoted(named)}"
    family = [name for name in measures if _base_name(name) == _base_name(spec)]
    meant = [name for name in family if not spec.endswith("-recall") or "-recall" in name]
    if len(meant) == 1 and "(" not in spec:
        return meant[0]
    if not family:
        raise DataError(f"{spec} has not been scored here; {run}")
    # A plain name may have been scored as several measures, which scoring it again would only repeat.
    several = "(" not in spec and type(measure).fitted is not Measure.fitted
    more = f"choose one with {_CHOOSE}" if several else f"choose one with {_CHOOSE}, or {run}"
    raise DataError(f"{spec} has not been scored here, only {listed(family)}: {more}")


def _only(specs: Sequence[str]) -> str:
    """The one of several measures, where there is one."""
    if len(specs) > 1:
        how = either("choose one, or compare all with adjudge.compare_all", "choose one with -m")
        raise UsageError(f"one measure is looked at here, not {len(specs)} ({listed(specs)}): {how}")
    return specs[0]


def _imported_as(text: str, measures: Sequence[str]) -> list[str]:
    """The imported measures of a name: of `mine`, `imported:mine`."""
    return [name for name in measures if name.partition(":")[2].casefold() == text.casefold()]


def _base_name(spec: str) -> str:
    """What a bare name may stand for: `rouge-2-recall(limit=100w)` is a rouge-2."""
    return spec.partition("(")[0].removesuffix("-recall")


def every_variant(text: str, measures: Sequence[str]) -> list[str]:
    """The stored measures that a bare name stands for where it is of several by its nature: `rating` of aspects."""
    name = same_name(text, registry()) if "(" not in text else None
    if name is None or type(parse_measure(name)).fitted is Measure.fitted:
        return []
    return [measure for measure in measures if measure.partition("(")[0] == name]


# A table in a file


def no_table(path: object, options: TableOptions) -> None:
    """Refuse options of tables where there is none: a folder and a score file say those things themselves."""
    for name in options.asked_for():
        raise UsageError(f"{argument_of(name)} is for a table of numbers (CSV or TSV), which {path} is not")


def _read_file(path: Path, name: str, options: TableOptions) -> Scores:
    """A file of scores, by its first bytes."""
    import pandas as pd

    with reading(path):
        start = first_bytes(path, len(LFS))
        parquet = start.startswith(b"PAR1") or (path.suffix.lower() == PARQUET and start != LFS)
    if not parquet:
        records = records_in(path, encoding=options.encoding)
        return (
            _read_table(path, name, options) if records is None else _of_records(path, name, options, records)
        )
    if not scorefiles.is_score_file(path):  # but another program's: a DataFrame on disk
        from adjudge.formats.parquet import ParquetRows

        with reading(path):
            columns = ParquetRows(path).columns()
        for column, values in columns.items():
            for number, value in enumerate(values, 1):
                _check_cell(path, number, column, value)
        return _of_frame_in(path, path.name, pd.DataFrame(columns), options)
    no_table(path, options)
    stored = scorefiles.read(path)
    (info,) = with_titles([stored.info])
    scores = replace(stored.table, info={info.measure: info})
    notes = [Note.of("file-alone", name=name)]
    kinds = kinds_of_systems(_systems(scores), {}, options.human, options.baseline)
    return Scores(name, scores, kinds, warnings=dict.fromkeys(scores.measures, notes))


def _read_table(path: Path, name: str, options: TableOptions) -> Scores:
    """A table of text or an Excel workbook: a matrix, or a long table."""
    rows: list[Score] = []
    infos: list[MeasureInfo] = []
    kinds: dict[str, str | None] = {}
    topics: dict[str, Topic] = {}
    lines: dict[tuple[object, ...], int] = {}
    remarks: Counter[str] = Counter()
    how = {option.name: getattr(options, option.name) for option in fields(options)}
    for option in (
        "lower_is_better",
        "topics",
        "without",
        "human",
        "baseline",
    ):  # which are for all that was read
        del how[option]
    for place, thing in scoretable.read([path], source=_SOURCE, lower_is_better=(), **how):
        line = int(number) if (number := place.removeprefix(f"{path}:")).isdigit() else 1
        match thing:
            case Score():
                first = lines.setdefault(_key(thing), line)
                if first != line:
                    score = replace(thing, measure=_bare(thing.measure))
                    raise FormatError(
                        scoretable.two_scores_in(path, options, score, first, line), file=path, line=line
                    )
                # `dataclasses.replace` would take longer than all the rest.
                rows.append(Score(_bare(thing.measure), *_but_measure(thing)))
                if not len(rows) % LOOK_EVERY:
                    check_cells(path, len(rows), CELL_SCORE)
            case MeasureInfo():
                infos.append(replace(thing, measure=_bare(thing.measure), signature=_bare(thing.signature)))
            case System(kind=str(kind)):
                if kinds.setdefault(thing.system, kind) != kind:
                    raise FormatError(
                        f"system {quoted(thing.system)} is a {kind} here and a {kinds[thing.system]} above",
                        file=path,
                        line=line,
                    )
            case Topic():
                topics[thing.topic] = _with_more(topics.get(thing.topic), thing, path, line)
            case Remark():
                remarks[thing.reason] += 1
    if not rows:
        raise FormatError("a header without rows: no scores", file=path)
    if all(row.value != row.value for row in rows):
        raise FormatError("no numbers: every score is missing", file=path)
    table = ScoreTable.from_rows(rows, _directed(infos, options.lower_is_better))
    notes = [f"{name}: {reason}{f', {n:,} times' if n > 1 else ''}" for reason, n in remarks.items()]
    return _of_table(name, table, options, notes, kinds, topics)


def _of_table(
    name: str,
    table: ScoreTable,
    options: TableOptions,
    lines: Sequence[str],
    stated: Mapping[str, str | None],
    topics: Mapping[str, Topic],
) -> Scores:
    """Scores of a table, with notes on how it was read, and on directions that a name speaks against."""
    notes = [Note.of("about-table", text=line) for line in lines]
    warnings = dict.fromkeys(table.measures, notes)
    if options.lower_is_better is False:
        for note, measures in _directions_taken(table):
            warnings |= {measure: [*warnings[measure], note] for measure in measures}
    kinds = kinds_of_systems(_systems(table), stated, options.human, options.baseline)
    return Scores(name, table, kinds, topics=topics, warnings=warnings)


def _directions_taken(table: ScoreTable) -> Iterator[tuple[Note, list[str]]]:
    """What to say of directions that nobody stated, each once for all measures that it is about."""
    by_name = [m for m in table.measures if table.info[m].better == "lower"]
    assumed = [m for m in table.measures if table.info[m].better == "higher" and not direction_by_name(m)]
    for code, measures in zip(DIRECTIONS, (by_name, assumed), strict=True):
        if measures:
            yield Note.of(code, measures=measures), measures


def _of_records(path: Path, name: str, options: TableOptions, records: list[dict[str, Any]]) -> Scores:
    """The scores of a JSON file: a DataFrame, too."""
    import pandas as pd

    if not records:
        raise FormatError("no records, expected objects with a topic, a system and a score each", file=path)
    names = {str(key).strip().casefold() for record in records for key in record}
    if names & {*RECORD["text"], *RECORD["document"], *EITHER} and not names & {"value", "score"}:
        raise FormatError(
            f"holds texts, expected scores; texts come in with: adjudge import {name} my-eval", file=path
        )
    for number, record in enumerate(records, 1):
        for column, value in record.items():
            _check_cell(path, number, column, value)
    return _of_frame_in(path, name, pd.DataFrame(records), options)


def _check_cell(path: Path, number: int, column: str, value: object) -> None:
    """Refuse what no frame can hold: half of a character, a whole number that is beyond all."""
    for text in (column, value):
        if isinstance(text, str) and not text.isascii() and HALF.search(text):
            raise FormatError(f"column {quoted(column)} holds bytes that are no text", file=path, line=number)
    if isinstance(value, int) and not -(10**300) < value < 10**300:
        raise FormatError(f"column {quoted(column)} holds a number that is too large", file=path, line=number)


def _of_frame_in(path: Path, name: str, frame: pd.DataFrame, options: TableOptions) -> Scores:
    """The scores of a frame that a file holds, which its errors name by its path."""
    for option in options.asked_for():
        if option in ("delimiter", "encoding", "quotes"):
            raise UsageError(
                f"{argument_of(option)} is for a table of text (CSV or TSV), which {path} is not"
            )
    try:
        return Scores.of_frame(frame, options, name=name, unnamed=stem(Path(name)))
    except DataError as error:
        if not error.text.startswith(f"{name}: "):
            raise
        raise DataError(f"{path}{error.text.removeprefix(name)}") from None


def _with_more(topic: Topic | None, row: Topic, path: Path, line: int) -> Topic:
    """What is known of a topic after another row; rows may each say a part."""
    if topic is None:
        return row
    more = {}
    for column in scoretable.OF_TOPICS:
        old, new = getattr(topic, column), getattr(row, column)
        if old and new and old != new:
            raise FormatError(scoretable.two_values(row.topic, column, old, new), file=path, line=line)
        more[column] = old or new
    return replace(topic, **more)


def _bare(text: str) -> str:
    return text.removeprefix(f"{_SOURCE}:")


# What is said of systems and measures


def _directed(infos: Sequence[MeasureInfo], lower: LowerIsBetter) -> list[MeasureInfo]:
    """Measures with their directions: lower is better for all (True), for those named, or as names say (False).

    Names stand in one text with commas between them, or in several; "none" is the name of no measure.
    """
    if lower is False:
        return [
            replace(info, better=info.better and (direction_by_name(info.measure) or info.better))
            for info in infos
        ]
    measures = [info.measure for info in infos]
    lower_ones = set(measures) if lower is True else set()
    for text in () if isinstance(lower, bool) else [lower] if isinstance(lower, str) else lower:
        for name in [text] if text in measures else _split(text):
            measure = same_name(name, measures)
            if measure is None and name == NO_MEASURE:
                continue
            if measure is None:
                raise UsageError(
                    f"{lower_for(name)}: no such measure{nearest(name, measures)}; there are: {listed(measures)}"
                )
            lower_ones.add(measure)
    if lower is True:  # descriptions have no direction, unless somebody names them
        lower_ones -= {info.measure for info in infos if info.better is None}
    return [replace(info, better="lower") if info.measure in lower_ones else info for info in infos]


def _systems(table: ScoreTable) -> list[str]:
    return [str(system) for system in table.frame["system"].unique()]


def kinds_of_systems(
    systems: Iterable[str],
    stated: Mapping[str, str | None],
    human: Patterns,
    baseline: Patterns,
) -> dict[str, str]:
    """The kind of every system: what is said of it, what a pattern says, or machine."""
    names = list(dict.fromkeys(systems))
    kinds = {system: kind for system, kind in stated.items() if kind}
    options = {"human": (Argument("human"), human), "baseline": (Argument("baseline"), baseline)}
    for kind, (option, patterns) in options.items():
        for pattern in _split(patterns):
            matched = [s for s in names if s == pattern or fnmatchcase(s, pattern)]
            if not matched:
                raise UsageError(
                    f"{option} {quoted(pattern)}: no such system{nearest(pattern, names)};"
                    f" there are: {listed(names)}"
                )
            for system in matched:
                if kinds.setdefault(system, kind) != kind:
                    raise UsageError(
                        f"{option} {quoted(pattern)}: {quoted(system)} is a {kinds[system]} already"
                    )
    return {system: kinds.get(system, "machine") for system in names}


def _split(patterns: Patterns) -> list[str]:
    several = [patterns] if isinstance(patterns, str) else patterns
    return [part.strip() for text in several for part in text.split(",") if part.strip()]


def _one_of(what: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"{what} is {quoted(value)}, expected one of: {', '.join(choices)}")


def _check_sizes(name: str, matrix: ScoreMatrix) -> None:
    """Scores so large that their sums and squares have no meaning are named."""
    import numpy as np

    large = np.argwhere(np.abs(matrix.values) > LARGEST)
    if large.size:
        topic, system = large[0]
        raise DataError(
            f"{name}: the score of {matrix.systems[system]} on {matrix.topics[topic]} is"
            f" {matrix.values[topic, system]:g}, expected no more than {LARGEST:g}"
        )
