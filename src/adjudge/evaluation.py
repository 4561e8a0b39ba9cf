"""An evaluation as people hold it in Python; the command line is a thin layer over this."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from adjudge import ANALYSES
from adjudge.core.engine import Workers
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed, natural
from adjudge.data import baselines, edit, undo, units
from adjudge.data.check import CheckReport, Finding, check, some
from adjudge.data.collection import Collection, contents, load
from adjudge.data.edit import Changed, ChangedFolder, EditTarget
from adjudge.data.folder import Folder, Settings
from adjudge.data.history import HistoryEntry, read_history
from adjudge.data.incoming import ImportReport, Item, OnClash, take_all
from adjudge.data.layout import PENDING_IMPORT, SCORES
from adjudge.data.reading import reading_once
from adjudge.data.rows import Topic
from adjudge.data.scorefiles import file_name
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix
from adjudge.data.transaction import Transaction
from adjudge.data.undo import ChangeHistory, RestoredFolder, Undoing, Undone
from adjudge.data.units import UnitsReport
from adjudge.judgments.tasks import FILE, PENDING

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.agreement import Agreement
    from adjudge.analyses.anova import Anova, AnovaOrdinal
    from adjudge.analyses.assessors import Assessors
    from adjudge.analyses.base import analysis_function, analysis_without_scores, each_function
    from adjudge.analyses.catalogue.catalogue import figure as _figure
    from adjudge.analyses.compare import Compare, CompareAll
    from adjudge.analyses.corrected import CompareCorrected
    from adjudge.analyses.counts import Counts
    from adjudge.analyses.drift import Drift
    from adjudge.analyses.examples import Examples
    from adjudge.analyses.groups import Groups
    from adjudge.analyses.judged import Judged
    from adjudge.analyses.judges import Judges
    from adjudge.analyses.lengths import Lengths
    from adjudge.analyses.meta import Meta
    from adjudge.analyses.mismatch import Mismatch
    from adjudge.analyses.mismatch.result import MismatchResult
    from adjudge.analyses.pages.chapter import Findings
    from adjudge.analyses.plan import Plan
    from adjudge.analyses.preferences import Prefer, PreferenceReport, PreferencesNeeded
    from adjudge.analyses.preferences.measures import agreements as _agreements
    from adjudge.analyses.scores import Patterns, Scores, Source
    from adjudge.analyses.simulate import Simulate
    from adjudge.analyses.slices import Slices
    from adjudge.analyses.stability import Stability
    from adjudge.analyses.topics import Topics
    from adjudge.assessors.learned.applying import apply_judge as _apply_judge
    from adjudge.assessors.learned.training import train_judge as _train_judge
    from adjudge.assessors.llm.judging import judge_with_model as _judge_with_model
    from adjudge.assessors.preferences import simulate_preferences as _simulate_preferences
    from adjudge.assessors.simulated import simulate_judgments as _simulate_judgments
    from adjudge.data.edit import Also, Restamp
    from adjudge.data.scorefiles import ScoreFile
    from adjudge.formats.batches import Exported
    from adjudge.formats.linefiles import OneOrMore
    from adjudge.formats.preferences import export_answers as _export_answers
    from adjudge.judgments.assign.order import Order
    from adjudge.judgments.assign.planning import Assignment
    from adjudge.judgments.batch import Judgments
    from adjudge.judgments.intake import Item as JudgmentItem
    from adjudge.judgments.intake import Taken
    from adjudge.judgments.levels import LevelsReport
    from adjudge.judgments.pairs.answers import Preferences
    from adjudge.judgments.pairs.sample import Sampled
    from adjudge.judgments.protocol import Protocol
    from adjudge.judgments.store.edits import TaskEdit, What
    from adjudge.judgments.store.removing import RemovedJudgments
    from adjudge.judgments.store.store import Store
    from adjudge.judgments.tagging import AssignedTagging, TakenTags
    from adjudge.measures.base import Measure
    from adjudge.measures.run import Scored
    from adjudge.reports.papers.paper import Reproduction
    from adjudge.stats.preference.next_pair import How
    from adjudge.text.similarity import Similarity

P = ParamSpec("P")
T = TypeVar("T")
FOLDER = ("folder", "collection")
PREFERENCE_PROTOCOLS = {"sentences": "preference-sentences", "summaries": "preference-summaries"}


class Bound:
    """A function of another module, such as an analysis, as a method of an evaluation.

    It is imported when it is asked for, and shows its own signature and help. It is given the evaluation first, or
    what `parts` name of it.
    """

    def __init__(self, module: str, name: str, *parts: str):
        self._module, self._name, self._parts = f"adjudge.{module}", name, parts

    def __get__(self, evaluation: Evaluation | EvaluationPreferences | None, owner: type) -> Any:
        function = getattr(import_module(self._module), self._name)
        if evaluation is None:
            return function
        e = getattr(evaluation, "_e", evaluation)
        if not self._parts:
            return MethodType(function, e)
        values = (getattr(e, part) for part in self._parts)
        return partial(function, *(value() if isinstance(value, MethodType) else value for value in values))


def _bound_to_one(function: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """What type checkers see of a function that is bound to a part of an evaluation."""
    raise NotImplementedError


def _bound_to_two(function: Callable[Concatenate[Any, Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """What type checkers see of a function that is bound to two parts of an evaluation."""
    raise NotImplementedError


@reading_once()
def report(
    source: Source,
    out: str | Path,
    measures: str | Sequence[str] = (),
    *,
    length: int | None = None,
    form: str | None = None,
    made_at: str | None = None,
    test: str | None = None,
    correct: str = "holm",
    assessor_effects: str | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int | None = None,
    seed: int = 0,
    human: Patterns = (),
    baseline: Patterns = (),
    topics: str | Sequence[str] = (),
    without: str | Sequence[str] = (),
    between: str | Sequence[str] = (),
    quick: bool = False,
    paper: str | Path | None = None,
    again: str | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    told: Callable[[Findings], None] = lambda findings: None,
) -> list[Path]:
    """Write a page to read and its tables into a folder; says which files.

    The scores are an evaluation's, a file's or a DataFrame's; the options are those of `compare`. What a page shows of
    texts needs an evaluation. `topics` says which topics, such as `task=multi`. `between` names the two systems whose
    texts stand side by side; `quick` leaves out what is told of judgments and measures. `paper` names a folder for the
    same in LaTeX, with all figures. `again` is how a shell names the scores, for the command that makes it again.
    `told` is given everything that the page tells, as results.
    """
    from adjudge.analyses.compare import compare_all
    from adjudge.analyses.examples import two_systems
    from adjudge.analyses.pages.chapter import ReportOptions
    from adjudge.analyses.scores import is_folder, read_scores
    from adjudge.core.words import in_shell
    from adjudge.formats.files import STDIN
    from adjudge.formats.scoretable import TableOptions
    from adjudge.reports.contents import PAGE_SHARE, gather, stretch
    from adjudge.reports.page import build_page, chapters_of
    from adjudge.reports.render import write_report
    from adjudge.reports.sections import fullest_first

    pair = two_systems(between)
    if isinstance(source, str | Path) and is_folder(source):
        source = Evaluation.open(source)
    # Their notes stand beside the comparisons.
    scores = read_scores(source, TableOptions(human=human, baseline=baseline, topics=topics, without=without))
    if pair and scores.folder is None:
        raise UsageError(f"{scores.name}: texts side by side need an evaluation's folder: leave between out")
    comparisons = compare_all(
        scores,
        measures,
        length=length,
        form=form,
        test=test,
        correct=correct,
        assessor_effects=assessor_effects,  # type: ignore[arg-type]
        alpha=alpha,
        level=level,
        statistic=statistic,  # type: ignore[arg-type]
        zeros=zeros,  # type: ignore[arg-type]
        resamples=resamples,
        seed=seed,
        skip_missing=True,
    )
    ordered = fullest_first(comparisons, people_first=not measures)  # what is named stands as it is named
    collection = scores.collection()
    if isinstance(source, Evaluation):
        systems = source.collection.systems
        kinds = {
            name: replace(row, kind=scores.kind(name))
            for name, row in systems.items()
            if name in scores.kinds
        }
        collection = replace(source.collection, systems={**systems, **kinds}).of_topics(scores.chosen)
    notes = {  # who reads a page runs commands
        c.measure: [*_verdicts(scores, c.measure), *scores.notes(c.measure, door="command")] for c in ordered
    }
    if again is None:
        named = isinstance(source, str | Path) and scores.name != STDIN
        again = "." if scores.folder is not None else in_shell(scores.name) if named else "SCORES"
        asked_topics = [topics] if isinstance(topics, str) else topics
        again += "".join(f" {Argument('topics', in_shell(text)).at('command')}" for text in asked_topics)
        again += "".join(f" {Argument('without', in_shell(n)).at('command')}" for n in scores.left_out)
    again += f" {Argument('between', in_shell(','.join(pair))).at('command')}" if pair else ""
    again += f" {Argument('quick').option}" if quick else ""
    options = ReportOptions(between=pair, quick=quick, alpha=alpha, level=level, seed=seed)
    page_done = PAGE_SHARE if paper is not None else 1.0
    findings = gather(collection, scores, ordered, options, progress=stretch(progress, 0, page_done))
    told(findings)
    page = build_page(
        collection,
        ordered,
        notes=notes,
        conditions=findings.conditions,
        chapters=chapters_of(findings),
        made_at=made_at,
        scores=again,
        left_out=comparisons.left_out,
    )
    written = write_report(page, Path(out))
    if paper is not None:
        from adjudge.reports.paper import write_paper

        written += write_paper(findings, Path(paper), progress=stretch(progress, page_done, 1))
    return written


def _verdicts(scores: Scores, measure: str) -> list[str]:
    """What a program is worth, beside scores that are made of its judgments."""
    from adjudge.measures.spec import judge_of

    if judge_of(measure) is None:
        return []
    from adjudge.analyses.judges.result import verdicts_on

    return verdicts_on(scores, [measure])


_report = report


@reading_once()
def reproduce(
    source: Source | Mapping[str, Source],
    paper: str,
    out: str | Path | None = None,
    *,
    seed: int = 0,
    human: Patterns = (),
    baseline: Patterns = (),
    topics: str | Sequence[str] = (),
    without: str | Sequence[str] = (),
    made_at: str | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Reproduction:
    """Every table and figure of a paper, in its order, made from an evaluation: `reproduce("my-eval", "duc-2002")`.

    Papers are lin-hovy-2002, duc-2002, rankel-2011 and zopf-2018. The last two have several data sets side by side:
    `reproduce({"2009": "tac09", "2010": "tac10"}, "rankel-2011")`. `out` names a folder for a page, and for the tables
    and figures as CSV, LaTeX, SVG and PDF. What cannot be made says why, and how to get what is missing.
    """
    from adjudge.analyses.scores import read_scores
    from adjudge.formats.scoretable import TableOptions
    from adjudge.reports.papers import paper_named
    from adjudge.reports.papers.paper import Material, reproduce_paper

    asked = paper_named(paper)
    options = TableOptions(human=human, baseline=baseline, topics=topics, without=without)
    named = source if isinstance(source, Mapping) else {"": source}
    if not named:
        raise UsageError(f"no data set to make {paper} from")
    if len(named) != 1 and not asked.several:
        raise UsageError(f"{paper} takes one evaluation, not {len(named)}")
    data_sets = {name: replace(read_scores(one, options), unsaid=True) for name, one in named.items()}
    if out is not None:
        from adjudge.reports.paper import check_folder

        check_folder(Path(out))
    material = Material(
        scores=next(reversed(data_sets.values())),
        seed=seed,
        data_sets=data_sets if isinstance(source, Mapping) else {},
    )
    result = reproduce_paper(asked, material, progress=progress)
    if out is not None:
        from adjudge.reports.papers.page import write_reproduction

        write_reproduction(result, Path(out), made_at=made_at)
    return result


_reproduce = reproduce


class Evaluation:
    """A folder with summaries, and everything that can be done with it. `adjudge.open` makes one."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self._collection: Collection | None = None

    def __repr__(self) -> str:
        """The call that opens it, and in a line each what is in it: no text is kept for it, and no score is read."""
        lines = [f"adjudge.open({str(self.path)!r})"]
        for part in (self._texts_line, self._judgments_line, self._scores_line):
            try:
                lines.append(part())
            except AdjudgeError as error:
                lines.append(error.text)
        return "\n".join(filter(None, lines))

    def _texts_line(self) -> str:
        there = contents(self.folder, words=False)
        kinds = Counter(row.system.kind or "machine" for row in there.systems)
        of_kinds = listed([counted(n, kind) for kind, n in kinds.items()])
        return ", ".join(
            [
                f"{counted(len(there.systems), 'system')}{f' ({of_kinds})' if len(kinds) > 1 else ''}",
                counted(len(there.topics), "topic"),
                counted(sum(row.summaries for row in there.systems), "summary", "summaries"),
                counted(sum(row.documents for row in there.topics), "document"),
            ]
        )

    def _judgments_line(self) -> str:
        if not self.has_judgments:
            return ""
        if (why := self._why_unread()) is not None:
            return f"judgments: {why}"
        with self.store() as store:
            who = Counter(judged.task.assessor for judged in store.current() if judged.answers)
        by = f" by {listed(sorted(who, key=natural))}" if who else ""
        return f"{counted(sum(who.values()), 'judgment')}{by}"

    def _scores_line(self) -> str:
        if not any((self.path / SCORES).glob("*.parquet")):
            return "no scores"
        from adjudge.data.scorefiles import stored_measures
        from adjudge.measures.registry import titled

        return f"scores: {'; '.join(map(titled, stored_measures(self.path)))}"

    @classmethod
    def open(cls, path: str | Path, *, create: bool = False) -> Evaluation:
        """The evaluation in a folder. A change of it that was interrupted is finished first, in files and store.

        With `create`, the folder need not be there: the first import that goes through makes it.
        """
        evaluation = cls(Folder.open(path, create=create))
        pending = any((evaluation.path / name).exists() for name in (PENDING, PENDING_IMPORT))
        if pending and os.access(evaluation.path, os.W_OK) and evaluation._why_unread() is None:
            evaluation.store().close()
        return evaluation

    @classmethod
    def init(cls, path: str | Path, *, name: str | None = None) -> Evaluation:
        return cls(Folder.init(path, name=name))

    @property
    def path(self) -> Path:
        return self.folder.path

    @property
    def settings(self) -> Settings:
        return self.folder.settings

    @property
    def collection(self) -> Collection:
        """All rows, in memory; read once, and again after a change made through this object."""
        return self.read()

    def read(self, *, progress: Callable[[int], None] = lambda rows: None) -> Collection:
        """The collection; `progress` is told how many rows were read, where they have to be."""
        if self._collection is None:
            self._collection = load(self.folder, progress=progress)
        return self._collection

    # Set up

    def take(
        self,
        items: Iterable[Item],
        *,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda n: None,
        what: str = "import",
        when: str = "",
    ) -> ImportReport:
        """Import what a reader of `adjudge.formats` yields; all of it or nothing. `what`, `when`: for the history.

        An evaluation that is not there is made, and not left behind where nothing comes into it.
        """
        self._collection = None
        made, keep = self.folder.make(), False
        try:
            report = take_all(
                self.folder,
                items,
                on_clash=on_clash,
                dry_run=dry_run,
                progress=progress,
                look=self._count_outdated() if on_clash == "replace" and self.has_judgments else None,
                what=what,
                when=when,
            )
            report.made = str(self.path) if made and report.is_change else None
            keep = report.is_change and not dry_run
            return report
        finally:
            if not keep:
                self.folder.unmake(made)

    def _count_outdated(self) -> Callable[[Transaction, ImportReport], None]:
        """What counts the judgments that an import outdates; they are read before the folder is locked."""
        from adjudge.judgments.batch import read_judged
        from adjudge.judgments.frozen import split_by_change

        if (why := self._why_unread()) is not None:
            return lambda change, report: setattr(report, "unread", why if report.replaced else None)
        judged, protocols, _ = read_judged(self.folder)

        def look(change: Transaction, report: ImportReport) -> None:
            if report.replaced:
                counting, _ = split_by_change(judged, load(self.folder), protocols)
                then = load(ChangedFolder(self.path, self.settings, change))
                report.outdated = len(split_by_change(counting, then, protocols)[1])

        return look

    def topic_names(self) -> Iterator[str]:
        """The topics that the file of topics has, without reading anything else."""
        return (row.topic for _, row in self.folder.rows(Topic))

    def import_lines(
        self,
        systems: OneOrMore = (),
        *,
        references: OneOrMore = (),
        sources: OneOrMore = (),
        topics: str | Path | None = None,
        kind: str | None = None,
        length: int | None = None,
        form: str | None = None,
        sentence_mark: str | None = None,
        encoding: str = "utf-8",
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
    ) -> ImportReport:
        """Import text files with one summary a line: line n is topic n, the file's name is the system.

        A path or a pattern such as "system_*.txt", or several. See `adjudge.formats.linefiles.read`.
        """
        from adjudge.formats.linefiles import read

        items = read(
            systems,
            references=references,
            sources=sources,
            topics=topics,
            kind=kind,
            length=length,
            form=form,
            sentence_mark=sentence_mark,
            there=self.topic_names(),
            encoding=encoding,
        )
        return self.take(items, on_clash=on_clash, dry_run=dry_run)

    def import_folder(
        self,
        folder: str | Path,
        *,
        pattern: str | Sequence[str] | None = None,
        reference_pattern: str | Sequence[str] | None = None,
        source_pattern: str | Sequence[str] | None = None,
        system: str | None = None,
        kind: str | None = None,
        length: int | None = None,
        form: str | None = None,
        encoding: str | None = None,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
    ) -> ImportReport:
        """Import a folder with a text file per summary; patterns such as "{system}/{topic}.txt" say what paths mean.

        See `adjudge.formats.textfolder.read`.
        """
        from adjudge.formats.textfolder import read

        items = read(
            folder,
            pattern=pattern,
            reference_pattern=reference_pattern,
            source_pattern=source_pattern,
            system=system,
            kind=kind,
            length=length,
            form=form,
            encoding=encoding,
        )
        return self.take(items, on_clash=on_clash, dry_run=dry_run)

    def import_data(
        self,
        source: str | Path | Sequence[str | Path] | Iterable[Mapping[str, Any]] | pd.DataFrame,
        *,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
        **options: Any,
    ) -> ImportReport:
        """Import files of any known format, a DataFrame, or records: a list of dicts, a data set of `datasets`.

        A file's format is found out; the options are those of its reader in `adjudge.formats`, for records those of
        `adjudge.formats.records.read_frame`: `columns={"reference": "highlights"}`, `systems=["gpt4", "llama"]`. A
        frame's index is the topic where it has a name and no column is; lists by column are a table, too.
        """
        from adjudge.formats.recognise import check_options, read
        from adjudge.formats.records import read_frame

        files = [source] if isinstance(source, str | Path) else source
        if isinstance(files, list | tuple) and files and all(isinstance(f, str | Path) for f in files):
            items = read(files, **options)
        else:
            check_options(read_frame, options)
            items = read_frame(source, **options)
        return self.take(items, on_clash=on_clash, dry_run=dry_run)

    def check(self) -> CheckReport:
        """What is there, what is missing, what looks wrong; also judgments of texts that changed since."""
        report = check(self.folder)
        if not report.counts:
            return report
        findings = list(report.findings)
        if any((self.path / SCORES).glob("*.parquet")):  # imported scores are enough to compare
            findings = [finding for finding in findings if finding.code != "no-peers"]
        report = replace(
            report, findings=(*self._broken_cards(), *findings, *self._scores_without_judgments())
        )
        if not self.has_judgments:
            return report
        from adjudge.judgments.store.changes import changed_findings, changed_in_file, not_looked_at

        if (why := self._why_unread()) is not None:
            changed = not_looked_at(why)
        elif self.settings.database:
            changed = changed_findings((judged.task, why) for judged, why in self.judgments().left_out)
        else:  # without loading the database's libraries
            changed = changed_in_file(self.path / FILE, self.collection)
        # Judgments without texts, such as NIST's tables, are enough to score and compare.
        findings = [finding for finding in report.findings if finding.code != "no-peers"]
        return replace(report, findings=(*findings, *changed))

    def _broken_cards(self) -> Iterator[Finding]:
        from adjudge.assessors.cards import broken_cards

        if wrong := broken_cards(self.folder):
            effect = "what judges are worth cannot be told; run the judge again, or move the file away"
            what = f"{counted(len(wrong), 'card of a judge', 'cards of judges')} cannot be read"
            yield Finding("error", "judge-unreadable", what, effect, some(wrong), len(wrong))

    def _scores_without_judgments(self) -> Iterator[Finding]:
        """Scores that rest on judgments which are gone or changed. Loads pandas where there are scores of judgments."""
        names = [path.name for path in (self.path / SCORES).glob("*.parquet")]
        if not names:
            return
        from adjudge.measures.run import names_of_judged

        judged = names_of_judged()
        if not any(name.startswith(judged) for name in names):
            return
        try:
            stale = self.stale_judged()
        except AdjudgeError as error:
            yield Finding("error", "scores-unreadable", str(error), "these scores cannot be compared")
            return
        for measure, topics in stale.items():
            yield Finding(
                severity="warning",
                code="scores-of-other-judgments",
                what=f"scores of {measure} rest on judgments that are gone or changed",
                effect=f'comparisons still use them; run: adjudge score {self.path} -m "{measure}"',
                where=some(topics),
                count=len(topics),
            )

    def stale_judged(self) -> dict[str, tuple[str, ...]]:
        """By measure of judgments: the topics whose scores no longer follow from what is there."""
        from adjudge.measures.registry import parse_measure
        from adjudge.measures.run import looks_at_judgments

        stale = self.scores().stale
        return {m: topics for m, topics in stale.items() if topics and looks_at_judgments(parse_measure(m))}

    def withdraw(
        self,
        why: str,
        *,
        system: str | None = None,
        topic: str | None = None,
        restore: bool = False,
        when: str = "",
    ) -> Changed:
        """Leave summaries out of the scores, but keep them; `restore` takes them in again.

        Tasks that show them and that nobody has begun are cancelled, or restored; answers stay.
        """
        target = EditTarget(system=system, topic=topic)
        with self._with_tasks("restore" if restore else "withdraw", target) as also:
            return edit.withdraw(self.folder, target, why, when=when, restore=restore, also=also)

    def rename(
        self, to: str, why: str, *, system: str | None = None, topic: str | None = None, when: str = ""
    ) -> Changed:
        """Give a system or a topic another name everywhere: in the files, the stored scores and the tasks."""
        target = EditTarget(system=system, topic=topic)
        with self._with_tasks("rename", target, to) as also:
            return edit.rename(
                self.folder, target, to, why, when=when, restamp=self._restamp(target, to), also=also
            )

    def remove(
        self, why: str, *, system: str | None = None, topic: str | None = None, when: str = ""
    ) -> Changed:
        """Take a system, a topic, or one system's summaries of one topic out of the files.

        Tasks that show them and that nobody has begun are cancelled; answers stay, and count no more.
        """
        target = EditTarget(system=system, topic=topic)
        with self._with_tasks("remove", target) as also:
            return edit.remove(self.folder, target, why, when=when, also=also)

    @contextmanager
    def _with_tasks(self, what: What, target: EditTarget, to: str | None = None) -> Iterator[Also]:
        """What a change of the files does to the tasks: planned with it, in its journal, and done after it."""
        self._collection = None
        if not self.has_judgments:
            yield lambda change, changed: None
            return
        from adjudge.judgments.store.edits import (
            TaskEdit,
            count_edit,
            finish_change,
            make_pending_edit,
            refuse_merge,
        )

        task_edit = TaskEdit(what=what, system=target.system, topic=target.topic, to=to)
        with self.store() as store:

            def also(change: Transaction, changed: Changed) -> None:
                make_pending_edit(self.path, store)
                refuse_merge(store, task_edit)
                changed.tasks = count_edit(store, task_edit)
                change.stage(PENDING).write_text(task_edit.to_json(), encoding="utf-8")

            yield also
            finish_change(self.path, store)

    def _restamp(self, target: EditTarget, to: str) -> Restamp:
        """The digests of scores' inputs under a new name: scores that were up to date stay so."""
        from adjudge.judgments.batch import Judgments, batches_of, read_judged
        from adjudge.judgments.store.edits import TaskEdit

        judged, protocols, _ = read_judged(self.folder) if self.has_judgments else ([], {}, 0)
        rename = TaskEdit(what="rename", system=target.system, topic=target.topic, to=to)
        renamed = [replace(judgment, task=rename.edited(judgment.task)) for judgment in judged]
        before = batches_of(self.collection, Judgments.of(judged, self.collection, protocols))
        self._collection = None

        def restamp(folder: Folder) -> Callable[[ScoreFile], Mapping[str, str]]:
            from adjudge.measures.registry import parse_measure
            from adjudge.measures.run import digests

            collection = load(folder)
            after = batches_of(collection, Judgments.of(renamed, collection, protocols))

            def inputs(stored: ScoreFile) -> Mapping[str, str]:
                names = {topic: to if topic == target.topic else topic for topic in stored.inputs}
                try:
                    measure = parse_measure(stored.info.measure)
                except UsageError:  # of a plug-in that is not installed: nothing is known of its inputs
                    return {names[topic]: digest for topic, digest in stored.inputs.items()}
                was, now = digests(measure, before), digests(measure, after)
                return {
                    names[topic]: now[names[topic]] if was.get(topic) == digest else digest
                    for topic, digest in stored.inputs.items()
                }

            return inputs

        return restamp

    def units(
        self,
        *,
        edus_for: str = "references",
        levels: bool = False,
        progress: Callable[[int], None] = lambda n: None,
        when: str = "",
    ) -> UnitsReport:
        """Make units.jsonl: sentences of all summaries, discourse units of references (or of all); also `levels`."""
        self._collection = None
        staged: list[LevelsReport] = []

        def also(change: Transaction) -> None:
            if levels:
                from adjudge.judgments.levels import stage_levels

                staged.append(stage_levels(self.folder, change))

        report = units.make_units(self.folder, edus_for=edus_for, progress=progress, also=also, when=when)
        return replace(report, levels=staged[0]) if staged else report

    def levels(self, *, when: str = "") -> LevelsReport:
        """Say of every unit of a reference how short its author could go and still have it."""
        from adjudge.judgments.levels import add_levels

        self._collection = None
        return add_levels(self.folder, when=when)

    def baselines(
        self,
        *,
        lengths: Sequence[int] = (),
        forms: Sequence[str] = (),
        cut: bool = False,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
        when: str = "",
    ) -> tuple[list[baselines.BaselineLength], ImportReport]:
        """Add the lead and coverage baselines as systems; says which lengths and forms it made."""
        wanted = baselines.targets(self.collection, lengths, forms)
        items = list(baselines.baselines(self.collection, wanted, cut=cut))
        return wanted, self.take(items, on_clash=on_clash, dry_run=dry_run, what="baselines", when=when)

    def history(self) -> ChangeHistory:
        """The last changes of the files, and whether they can be undone."""
        entries = read_history(self.path)
        why_not: dict[str, str | None] = {}
        for redo in (False, True):
            if candidates := [entry for entry in entries if entry.undone == redo]:
                try:
                    self._undoing(candidates[-1])
                except DataError as error:
                    why_not[candidates[-1].number] = error.text
        return undo.past_changes(entries, why_not)

    def undo(self, *, redo: bool = False, dry_run: bool = False) -> Undone:
        """Bring back the files that the last import, units, baselines, withdrawal, renaming or removal replaced.

        All of it or nothing, and nothing where judgments or tasks refer to what would go: answers are never undone. A
        second call undoes the change before; `redo` makes the change that was undone last again.
        """
        self._collection = None
        entry = undo.find_change(self.path, redo=redo)
        try:
            if dry_run:
                plan, _, tasks = self._undoing(entry)
                return self._undone(plan, tasks, dry_run=True)
            return self._undo(entry)
        except DataError as error:
            done = "made again" if redo else "undone"
            raise DataError(f"{self.path}: {entry.note.what} cannot be {done}: {error.text}") from None
        finally:
            self._collection = None

    def _undo(self, entry: HistoryEntry) -> Undone:
        with self.store() if self.has_judgments else nullcontext() as store:
            rename_scores = self._rename_scores(entry)
            with Transaction(self.path) as change:
                if store is not None:
                    from adjudge.judgments.store.edits import make_pending_edit

                    make_pending_edit(self.path, store)
                plan, task_edit, tasks = self._undoing(entry, store)
                plan.stage(change)
                renamed = rename_scores(plan, change)
                if task_edit is not None:
                    change.stage(PENDING).write_text(task_edit.to_json(), encoding="utf-8")
                change.commit()
            if store is not None:
                from adjudge.judgments.store.edits import finish_change

                finish_change(self.path, store)
        return self._undone(plan, tasks, renamed, why_final=change.why_final)

    def _rename_scores(self, entry: HistoryEntry) -> Callable[[Undoing, Transaction], list[str]]:
        """Where a change of names is undone: scores computed since get the other name too, and stay up to date."""
        name = entry.renaming
        if name is None or name.to is None:
            return lambda plan, change: []
        target, to = EditTarget(system=name.system, topic=name.topic), name.to
        restamp = self._restamp(target, to)

        def rename_scores(plan: Undoing, change: Transaction) -> list[str]:
            inputs = restamp(RestoredFolder(self.path, self.settings, plan))
            leave = set(entry.files) - plan.scored
            return edit.rename_scores(self.folder, change, target, to, inputs, leave=leave)

        return rename_scores

    def _undoing(
        self, entry: HistoryEntry, store: Store | None = None
    ) -> tuple[Undoing, TaskEdit | None, Counter[str]]:
        """What undoing a change does to files and tasks; refused where it cannot be undone."""
        plan = undo.plan_undo(self.path, entry)
        if not self.has_judgments:
            return plan, None, Counter()
        from adjudge.judgments.protocol import protocols_of
        from adjudge.judgments.store.undoing import plan_tasks

        now = load(self.folder)
        then = load(RestoredFolder(self.path, self.settings, plan))
        with self.store() if store is None else nullcontext(store) as opened:
            names = {task.protocol for task in opened.tasks(cancelled=True)}
            task_edit, tasks = plan_tasks(opened, entry, now, then, protocols_of(self.folder, names))
        return plan, task_edit, tasks

    def _undone(
        self,
        plan: Undoing,
        tasks: Counter[str],
        renamed: Sequence[str] = (),
        *,
        dry_run: bool = False,
        why_final: str | None = None,
    ) -> Undone:
        note = plan.entry.note
        files = {name: "removed" if step is None else "restored" for name, step in plan.steps.items()}
        return Undone(
            what=note.what,
            when=note.when,
            counts=note.counts,
            files=files | {file_name(measure): "renamed" for measure in renamed},
            redo=plan.entry.undone,
            tasks=tasks,
            dry_run=dry_run,
            why_final=why_final,
        )

    # Judge

    @property
    def has_judgments(self) -> bool:
        """Whether a store is there: a file in the folder, or an address in evaluation.toml."""
        return bool(self.settings.database) or (self.path / FILE).exists()

    def store(self) -> Store:
        """The store of judgments, made where there is none; close it, or use it in a `with`."""
        from adjudge.judgments.store.store import store_of

        return store_of(self.folder)

    def protocol(self, name: str | None = None) -> Protocol:
        """A protocol by name; the evaluation's own unless one is named."""
        from adjudge.judgments.protocol import protocol_of

        return protocol_of(self.folder, name)

    def judgments(self) -> Judgments:
        """The answers that count now, of texts that are still as they were judged."""
        if not self.has_judgments:
            from adjudge.judgments.batch import Judgments

            return Judgments()  # without loading the database's libraries
        from adjudge.judgments.batch import judgments_of

        return judgments_of(self.folder, self.collection)

    def _why_unread(self) -> str | None:
        """Why the store may not be opened: the folder names a database that was not confirmed."""
        if not self.settings.database:
            return None
        from adjudge.judgments.store.confirmed import why_unconfirmed

        return why_unconfirmed(self.folder)

    def confirm_database(self) -> tuple[str, Path]:
        """Say that the database which evaluation.toml names is yours to use; says its address, and where that is noted.

        A folder may come from a stranger, so no address that it names is connected to before.
        """
        from adjudge.judgments.store.confirmed import confirm

        return confirm(self.folder)

    def remove_judgments(
        self, protocol: str, why: str, *, assessor: str | None = None, when: str = ""
    ) -> RemovedJudgments:
        """Take the tasks and answers of a protocol out of the store, for good, and its file out of the folder.

        With an `assessor`, theirs alone. The cards of judges whose answers go, go with them.
        """
        from adjudge.assessors.cards import read_cards
        from adjudge.judgments.store.removing import remove_protocol

        cards = [card for card in read_cards(self.folder, assessor) if card.protocol == protocol]
        files = [card.file for card in cards]
        with self.store() as store:
            removed = remove_protocol(
                self.folder, store, protocol, why, assessor=assessor, files=files, when=when
            )
        try:
            stale = tuple(self.stale_judged())
        except AdjudgeError:  # a damaged score file: the judgments are removed all the same
            stale = ()
        return replace(removed, scores=stale, folder=str(self.path))

    def take_judgments(
        self,
        items: Iterable[JudgmentItem],
        *,
        judges: Sequence[str] = (),
        progress: Callable[[int], None] = lambda n: None,
        what: str = "judgments import",
        when: str = "",
    ) -> Taken:
        """Import what a reader of judgments in `adjudge.formats` yields. `what`, `when`: for the history.

        `judges` are assessors who are language models: their answers are kept apart from people's.
        """
        from adjudge.judgments.intake import by_judges, keep, read_items

        self._collection = None
        read = read_items(self.folder, by_judges(items, judges), progress=progress)  # before a store is made
        with self.store() as store:
            return keep(self.folder, store, read, what=what, when=when)

    def assign(
        self,
        protocol: str | None = None,
        *,
        assessors: Sequence[str] = (),
        per_summary: int = 1,
        repeats: float = 0.0,
        phase: int | None = None,
        topics: Sequence[str] = (),
        pairs: int | None = None,
        order: Order = "topic",
        seed: int = 0,
        dry_run: bool = False,
        when: str = "",
    ) -> Assignment:
        """Say who judges what, in which order, and add the tasks that are missing; a dry run only says it.

        Where the protocol shows units and summaries have none, units are made first, as `units` makes them; both are
        written, or neither.
        """
        from adjudge.judgments.assign.pages import without_units
        from adjudge.judgments.assign.planning import assign

        asked = self.protocol(protocol)
        planned = partial(
            assign,
            protocol=asked,
            assessors=assessors,
            per_summary=per_summary,
            repeats=repeats,
            phase=phase,
            topics=topics,
            pairs=pairs,
            order=order,
            seed=seed,
            dry_run=dry_run,
        )
        missing = without_units(self.collection, asked, topics)
        with self.store() if self.has_judgments else nullcontext() as store:
            if not missing:
                return planned(store, self.collection)
            with Transaction(self.path) as change:
                made = self._stage_missing_units(change, asked, when)
                then = load(ChangedFolder(self.path, self.settings, change))
                assignment = planned(store, then, change=change)
                if not dry_run and not assignment.tasks:
                    change.commit()
        self._collection = None
        had = counted(len(missing), "summary had", "summaries had")
        would = "would be made" if dry_run else "made"
        notes = [f"{counted(made, 'unit')} {would} first, as adjudge units does: {had} none"]
        if change.why_final:
            notes.append(f"the units cannot be undone: {change.why_final}")
        return replace(assignment, notes=(*notes, *assignment.notes), units=made)

    def _stage_missing_units(self, change: Transaction, protocol: Protocol, when: str) -> int:
        """Units for a protocol; those of discourse units and levels that are there already are kept up."""
        from adjudge.judgments.levels import level_of, stage_levels

        existing = [unit for some in self.collection.units.values() for unit in some]
        references = {s.key for s in self.collection.all_summaries() if s.is_reference}
        everything = protocol.peer_units == "edu" or any(
            unit.kind == "edu" and unit.of not in references for unit in existing
        )
        edus_for = "all" if everything else "references"
        report = units.stage_units(self.folder, change, edus_for=edus_for, what="units, by assign", when=when)
        if any(level_of(unit) is not None for unit in existing):
            stage_levels(self.folder, change)
        return report.made.total()

    if TYPE_CHECKING:
        simulate_judgments = _bound_to_two(_simulate_judgments)
        train_judge = _bound_to_two(_train_judge)
        apply_judge = _bound_to_two(_apply_judge)
        judge_llm = _bound_to_two(_judge_with_model)
    else:
        simulate_judgments = Bound("assessors.simulated", "simulate_judgments", *FOLDER)
        train_judge = Bound("assessors.learned.training", "train_judge", *FOLDER)
        apply_judge = Bound("assessors.learned.applying", "apply_judge", *FOLDER)
        judge_llm = Bound("assessors.llm.judging", "judge_with_model", *FOLDER)

    @property
    def prefer(self) -> EvaluationPreferences:
        """Preferences between sentences, summaries or systems: `e.prefer.fit()`, `e.prefer.report("coverage")`."""
        return EvaluationPreferences(self)

    # Score

    def score(
        self,
        *measures: str | Measure | Sequence[str | Measure],
        workers: Workers = 1,
        split_sentences: bool = False,
        again: bool = False,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[Scored]:
        """Score what is new or has changed since: what people judged, and ROUGE-1, 2, L and Lsum, where none is named.

        Measures may also be given in a list. ROUGE-Lsum takes a line as a sentence, or with `split_sentences` what the
        sentence rules find. Of a paper's preset, what cannot be scored here is left out and named.
        """
        from adjudge.core.words import listed
        from adjudge.judgments.batch import NOTHING
        from adjudge.measures.presets import PAPERS, USUAL, advice
        from adjudge.measures.registry import parse_measure, parse_measures
        from adjudge.measures.rouge.family import with_split_sentences
        from adjudge.measures.run import looks_at_judgments, score
        from adjudge.measures.spec import same_name, split_specs

        named = [
            str(m) for group in measures for m in (group if isinstance(group, list | tuple) else [group])
        ]
        judgments = NOTHING
        if not named:
            judgments = self.judgments()
            judged = dict.fromkeys(name for p in judgments.judged_protocols() for name in p.measures)
            chosen = parse_measures([*judged, *USUAL])
        else:
            chosen = parse_measures(named)
            if any(map(looks_at_judgments, chosen)):
                judgments = self.judgments()
        if split_sentences:
            chosen = with_split_sentences(chosen)
        papers = [text for text in split_specs(named) if same_name(text, PAPERS)]
        scored = score(
            self.folder,
            self.collection,
            chosen,
            judgments=judgments,
            workers=workers,
            again=again,
            partly=bool(papers) or not named,
            progress=progress,
        )
        notes = () if named else advice(self.collection.topics)
        there = {parse_measure(result.measure).name for result in scored}
        missing = [m.title for m in chosen if m.name not in there]
        if papers and missing:
            notes = (f"of {listed(papers)}, nothing here to score: {listed(missing)}",)
        return [replace(result, notes=(*result.notes, *notes)) for result in scored]

    def scores(self, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        """Everything that has been scored or imported, with what is known of systems and topics.

        `human` and `baseline` name systems whose kind the evaluation does not say: `human="H*"`.
        """
        from adjudge.analyses.scores import Scores
        from adjudge.judgments.batch import judgments_if_allowed

        judgments = partial(judgments_if_allowed, self.folder, self.collection)
        return Scores.of_folder(self.folder, self.collection, judgments, human=human, baseline=baseline)

    def matrix(
        self,
        measure: str | None = None,
        *,
        length: int | AllLengths | None = None,
        form: str | None = None,
        pool: Pool = "mean",
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems."""
        return self.scores().matrix(measure, length=length, form=form, pool=pool)

    # Compare: `e.compare("rouge-2", test="t")` is `adjudge.compare(e, "rouge-2", test="t")`

    if TYPE_CHECKING:
        compare = analysis_function(Compare)
        compare_all = analysis_function(CompareAll)
        compare_corrected = analysis_function(CompareCorrected)
        counts = analysis_function(Counts)
        topics = analysis_function(Topics)
        examples = analysis_function(Examples)
        figure = _figure
        groups = analysis_function(Groups)
        lengths = analysis_function(Lengths)
        anova = analysis_function(Anova)
        anova_ordinal = analysis_function(AnovaOrdinal)
        plan = analysis_function(Plan)
        simulate = analysis_without_scores(Simulate)
        slices = analysis_function(Slices)
        dossiers = analysis_function(Assessors)
        stability = analysis_function(Stability)
        agreement = analysis_function(Agreement)
        judged_tables = analysis_function(Judged)
        judge_drift = analysis_function(Drift)
        judge_report = analysis_function(Judges)
        meta = analysis_function(Meta)
        mismatch = analysis_function(Mismatch)

    def _tagging_protocol(self, name: str) -> Protocol:
        protocol = self.protocol(name)
        if not protocol.tags:
            raise UsageError(f"{name} is a {protocol.kind} protocol, expected one for mismatches")
        return protocol

    def write_mismatches(
        self, mismatches: MismatchResult, out: str | Path, *, made_at: str | None = None
    ) -> list[Path]:
        """Write the page of mismatches and its tables into a folder; says which files."""
        from adjudge.analyses.mismatch.page import write_mismatches

        return write_mismatches(mismatches, self.collection, out, made_at=made_at)

    def assign_mismatches(
        self, mismatches: MismatchResult, assessors: Sequence[str], *, protocol: str = "mismatch"
    ) -> AssignedTagging:
        """Give every mismatch to every one of these people, to be tagged in the browser."""
        from adjudge.judgments.tagging import assign_tagging

        asked = self._tagging_protocol(protocol)
        with self.store() as store:
            return assign_tagging(store, asked, mismatches.pages(), assessors)

    def take_tags(
        self,
        mismatches: MismatchResult,
        path: str | Path,
        *,
        by: str | None = None,
        protocol: str = "mismatch",
    ) -> TakenTags:
        """Read the tags of a table that `mismatches` was written to; all of them or nothing.

        `by` is whose tags they are where a row does not say it (`tagged_by`); the folder must know them. A row with a
        name and no tags takes that person's tags back.
        """
        from adjudge.formats.tag_table import one_each, read_tags
        from adjudge.judgments.tagging import check_people, take_tags

        asked = self._tagging_protocol(protocol)
        by_key = {unit.key(""): unit for unit in mismatches.units}
        rows = []
        for who, row in one_each(list(read_tags(path)), by):
            unit = by_key.get(row.key._replace(kind=""))
            if unit is None:
                raise row.place.wrong(
                    f"nobody judged the unit {row.key.unit} of {row.key.reference.system} in the summary by"
                    f" {row.key.peer.system} on {row.key.topic}. Nothing was imported"
                )
            rows.append((who, unit.page(mismatches.measure, row.key.kind), row.tags))
        with self.store() as store:
            check_people(store, [*([] if by is None else [by]), *(who for who, _, _ in rows)])
            return take_tags(store, asked, rows)

    # Report

    report = _report
    reproduce = _reproduce


for _name, _folder in ANALYSES.items():
    if not _name.startswith("prefer"):  # which are `e.prefer.fit` and the like
        setattr(Evaluation, _name, Bound(f"analyses.{_folder}", _name))


class EvaluationPreferences:
    """Preferences of one evaluation, as `e.prefer`: ask, fit, and see what they are worth (Zopf 2018)."""

    def __init__(self, evaluation: Evaluation):
        self._e = evaluation

    def protocols(self) -> dict[str, Protocol]:
        """Those that ask for preferences: the shipped ones, and the folder's own."""
        e = self._e
        protocols = {name: e.protocol(name) for name in PREFERENCE_PROTOCOLS.values()}
        if e.folder.settings.protocol and e.protocol().compares is not None:
            protocols[e.protocol().name] = e.protocol()
        return protocols

    def sample(
        self,
        of: str = "sentences",
        *,
        count: int = 200,
        how: How = "random",
        assessors: Sequence[str] = (),
        per_pair: int = 1,
        repeats: float = 0.0,
        seed: int = 0,
        topics: Sequence[str] = (),
        checks: Preferences | None = None,
        similarity: Similarity = "tfidf-jaccard",
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> Sampled:
        """Put pairs to ask into the store: of sentences, of summaries, or by a protocol's name."""
        from adjudge.judgments.pairs.sample import sample

        e = self._e
        with e.store() as store:
            return sample(
                e.collection,
                store,
                e.protocol(PREFERENCE_PROTOCOLS.get(of, of)),
                count=count,
                how=how,
                assessors=assessors,
                per_pair=per_pair,
                repeats=repeats,
                seed=seed,
                topics=topics,
                checks=checks,
                similarity=similarity,
                progress=progress,
            )

    if TYPE_CHECKING:
        simulate = _bound_to_two(_simulate_preferences)
    else:
        simulate = Bound("assessors.preferences", "simulate_preferences", *FOLDER)

    def export(
        self,
        path: str | Path,
        *,
        of: str | None = None,
        batch: int | None = None,
        hit: int = 1,
        topics: Sequence[str] = (),
    ) -> Exported:
        """Write the open pairs for a crowd platform, `batch` rows a file, `hit` pairs a row; no system is named."""
        from adjudge.formats.batches import export_batches

        e = self._e
        protocols = {name: p for name, p in self.protocols().items() if of in (None, p.of)}
        with e.store() as store:
            return export_batches(store, e.collection, protocols, path, batch=batch, hit=hit, topics=topics)

    if TYPE_CHECKING:
        export_answers = _bound_to_two(_export_answers)
    else:
        export_answers = Bound("formats.preferences", "export_answers", "collection", "judgments")

    def read(
        self,
        path: str | Path,
        *,
        length: int | None = None,
        form: str | None = None,
        progress: Callable[[int], None] = lambda n: None,
    ) -> tuple[str, Taken]:
        """Read answers into the store, and say what they are: an answered batch, or preferences between sentences or
        between systems, of whose summaries of this length and form."""
        from adjudge.formats import crowd
        from adjudge.formats.batches import is_batch, read_batch
        from adjudge.formats.preferences import is_about_sentences, read_sentence_answers
        from adjudge.judgments.intake import take

        e, asked = self._e, self._e.protocol(PREFERENCE_PROTOCOLS["sentences"])
        with e.store() as store:
            if is_batch(path):
                what, items = "an answered batch", read_batch(path, store, self.protocols())
            elif is_about_sentences(path, e.collection, asked):
                what = "preferences between sentences"
                items = read_sentence_answers(path, e.collection, asked, evaluation=store.evaluation)
            else:
                what = "preferences between systems"
                items = crowd.read(
                    [Path(path)],
                    evaluation=store.evaluation,
                    protocol=PREFERENCE_PROTOCOLS["summaries"],
                    length=length,
                    form=form,
                )
            return what, take(e.folder, store, items, progress=progress)

    if TYPE_CHECKING:
        fit = each_function(Prefer)
        agreement = _bound_to_one(_agreements)
        converge = analysis_function(PreferencesNeeded)
        report = analysis_function(PreferenceReport)
    else:
        fit = Bound("analyses.preferences", "fits")
        agreement = Bound("analyses.preferences.measures", "agreements", "scores")
        converge = Bound("analyses.preferences", "preferences_needed")
        report = Bound("analyses.preferences", "preference_tables")
