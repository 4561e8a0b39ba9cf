"""An evaluation as people hold it in Python; the command line is a thin layer over this."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

from adjudge.data import baselines, edit, units
from adjudge.data.check import CheckReport, check
from adjudge.data.collection import Collection, load
from adjudge.data.edit import Changed, EditTarget
from adjudge.data.folder import Folder, Settings
from adjudge.data.incoming import ImportReport, Item, OnClash, take_all
from adjudge.data.layout import PENDING_IMPORT
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix
from adjudge.data.units import UnitsReport
from adjudge.engine import Workers
from adjudge.errors import UsageError
from adjudge.judgments.tasks import FILE, PENDING

if TYPE_CHECKING:
    from adjudge.assessors.preferences import Origin as PreferenceTruth
    from adjudge.assessors.preferences import SimulatedPreferences
    from adjudge.assessors.truth import Truth
    from adjudge.comparisons.anova import anova as _anova
    from adjudge.comparisons.counts import counts as _counts
    from adjudge.comparisons.groups import groups as _groups
    from adjudge.comparisons.lengths import lengths as _lengths
    from adjudge.comparisons.pairs import compare as _compare
    from adjudge.comparisons.pairs import comparisons as _comparisons
    from adjudge.comparisons.plan import plan as _plan
    from adjudge.comparisons.preferences import By, Of, PreferenceFit
    from adjudge.comparisons.scores import Patterns, Scores, Source
    from adjudge.comparisons.simulate import simulate as _simulate
    from adjudge.comparisons.topics import topics as _topics
    from adjudge.data.edit import Also, Restamp
    from adjudge.data.scorefiles import ScoreFile
    from adjudge.data.transaction import Transaction
    from adjudge.formats.batches import Exported
    from adjudge.formats.preferences import ExportedAnswers, Form
    from adjudge.judgments.assign.order import Order
    from adjudge.judgments.assign.planning import Assignment
    from adjudge.judgments.batch import Judgments
    from adjudge.judgments.intake import Item as JudgmentItem
    from adjudge.judgments.intake import Taken
    from adjudge.judgments.levels import LevelsReport
    from adjudge.judgments.pairs.answers import Preferences
    from adjudge.judgments.pairs.sample import Sampled
    from adjudge.judgments.protocol import Protocol
    from adjudge.judgments.store.edits import What
    from adjudge.judgments.store.removing import RemovedJudgments
    from adjudge.judgments.store.store import Store
    from adjudge.measures.base import Measure
    from adjudge.measures.judged.preference_strengths import Penalty, Ties
    from adjudge.measures.run import Scored
    from adjudge.stats.preference.models import TieModel
    from adjudge.stats.preference.next_pair import How
    from adjudge.table import Tables
    from adjudge.text.similarity import Similarity
    from adjudge.trust.preferences import Convergence, MeasureAgreement, PaperTable, Systems

DEFAULT_MEASURES = ("rouge-1", "rouge-2")
PREFERENCE_PROTOCOLS = {"sentences": "preference-sentences", "summaries": "preference-summaries"}


class Analysis:
    """A function of `adjudge.comparisons` as a method of an evaluation, which is its first argument.

    The function is imported when it is asked for, and shows its own signature and help.
    """

    def __init__(self, module: str, name: str):
        self._module, self._name = module, name

    def __get__(self, evaluation: Evaluation | None, owner: type) -> Any:
        function = getattr(import_module(f"adjudge.comparisons.{self._module}"), self._name)
        return function if evaluation is None else MethodType(function, evaluation)


class Evaluation:
    """A folder with summaries, and everything that can be done with it. `adjudge.open` makes one."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self._collection: Collection | None = None

    def __repr__(self) -> str:
        return f"adjudge.open({str(self.path)!r})"

    @classmethod
    def open(cls, path: str | Path) -> Evaluation:
        """The evaluation in a folder. A change of it that was interrupted is finished first, in files and store."""
        found = cls(Folder.open(path))
        pending = any((found.path / name).exists() for name in (PENDING, PENDING_IMPORT))
        if pending and os.access(found.path, os.W_OK) and found._why_unread() is None:
            found.store().close()
        return found

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
        if self._collection is None:
            self._collection = load(self.folder)
        return self._collection

    # Set up

    def take(
        self,
        items: Iterable[Item],
        *,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda n: None,
    ) -> ImportReport:
        """Import what a reader of `adjudge.formats` yields; all of it or nothing."""
        self._collection = None
        return take_all(self.folder, items, on_clash=on_clash, dry_run=dry_run, progress=progress)

    def check(self) -> CheckReport:
        """What is there, what is missing, what looks wrong; also judgments of texts that changed since."""
        report = check(self.folder)
        if not report.counts or not self.has_judgments:
            return report
        from adjudge.judgments.store.changes import changed_findings, changed_in_file, not_looked_at

        if (why := self._why_unread()) is not None:
            changed = not_looked_at(why)
        elif self.settings.database:
            changed = changed_findings((judged.task, why) for judged, why in self.judgments().left_out)
        else:  # without loading the database's libraries
            changed = changed_in_file(self.path / FILE, self.collection)
        # Judgments without texts, such as NIST's tables, are enough to score and compare.
        found = [finding for finding in report.findings if finding.code != "no-peers"]
        return replace(report, findings=(*found, *changed))

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

        judged, protocols = read_judged(self.folder) if self.has_judgments else ([], {})
        rename = TaskEdit(what="rename", system=target.system, topic=target.topic, to=to)
        renamed = [replace(each, task=rename.edited(each.task)) for each in judged]
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
        self, *, edus_for: str = "references", progress: Callable[[int], None] = lambda n: None
    ) -> UnitsReport:
        """Make units.jsonl: sentences of all summaries, discourse units of references (or of all)."""
        self._collection = None
        return units.make_units(self.folder, edus_for=edus_for, progress=progress)

    def levels(self) -> LevelsReport:
        """Say of every unit of a reference how short its author could go and still have it."""
        from adjudge.judgments.levels import add_levels

        self._collection = None
        return add_levels(self.folder)

    def baselines(
        self,
        *,
        lengths: Sequence[int] = (),
        forms: Sequence[str] = (),
        cut: bool = False,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
    ) -> tuple[list[baselines.BaselineLength], ImportReport]:
        """Add the lead and coverage baselines as systems; says which lengths and forms it made."""
        wanted = baselines.targets(self.collection, lengths, forms)
        items = list(baselines.baselines(self.collection, wanted, cut=cut))
        return wanted, self.take(items, on_clash=on_clash, dry_run=dry_run)

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

    def remove_judgments(self, protocol: str, why: str, *, when: str = "") -> RemovedJudgments:
        """Take the tasks and answers of a protocol out of the store, for good, and its file out of the folder."""
        from adjudge.judgments.store.removing import remove_protocol

        with self.store() as store:
            return remove_protocol(self.folder, store, protocol, why, when=when)

    def take_judgments(
        self, items: Iterable[JudgmentItem], *, progress: Callable[[int], None] = lambda n: None
    ) -> Taken:
        """Import what a reader of judgments in `adjudge.formats` yields."""
        from adjudge.judgments.intake import take

        self._collection = None
        with self.store() as store:
            return take(self.folder, store, items, progress=progress)

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
    ) -> Assignment:
        """Say who judges what, in which order, and add the tasks that are missing; a dry run only says it."""
        from adjudge.judgments.assign.planning import assign

        with self.store() if self.has_judgments else nullcontext() as store:
            return assign(
                store,
                self.collection,
                self.protocol(protocol),
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

    def simulate_judgments(
        self,
        protocol: str | None = None,
        *,
        assessors: int = 3,
        per_summary: int | None = None,
        noise: float = 0.1,
        bias: float = 0.0,
        drift: float = 0.0,
        inconsistency: float = 0.0,
        repeats: float = 0.0,
        seed: int = 0,
        truth: Truth | None = None,
    ) -> Taken:
        """Have simulated assessors fill a protocol; without a `truth` it is what the texts share."""
        from adjudge.assessors.simulated import simulate_judgments

        return simulate_judgments(
            self.folder,
            self.collection,
            protocol,
            assessors=assessors,
            per_summary=per_summary,
            noise=noise,
            bias=bias,
            drift=drift,
            inconsistency=inconsistency,
            repeats=repeats,
            seed=seed,
            truth=truth,
        )

    @property
    def prefer(self) -> EvaluationPreferences:
        """Preferences between sentences, summaries or systems: `e.prefer.fit()`, `e.prefer.report("coverage")`."""
        return EvaluationPreferences(self)

    # Score

    def score(
        self,
        *measures: str | Measure | Sequence[str | Measure],
        workers: Workers = 1,
        again: bool = False,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[Scored]:
        """Score what is new or has changed since; ROUGE-1 and ROUGE-2 unless measures are named, also in a list."""
        from adjudge.judgments.batch import NOTHING
        from adjudge.measures.registry import parse_measures
        from adjudge.measures.run import looks_at_judgments, score

        named = [m for each in measures for m in (each if isinstance(each, list | tuple) else [each])]
        chosen = parse_measures(str(m) for m in named or DEFAULT_MEASURES)
        return score(
            self.folder,
            self.collection,
            chosen,
            judgments=self.judgments() if any(map(looks_at_judgments, chosen)) else NOTHING,
            workers=workers,
            again=again,
            progress=progress,
        )

    def scores(self, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        """Everything that has been scored or imported, with what is known of systems and topics.

        `human` and `baseline` name systems whose kind the evaluation does not say: `human="H*"`.
        """
        from adjudge.comparisons.scores import Scores
        from adjudge.judgments.batch import judgments_if_allowed

        judgments = partial(judgments_if_allowed, self.folder, self.collection)
        return Scores.of_folder(self.folder, self.collection, judgments, human=human, baseline=baseline)

    def data(self, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        """The earlier name of `scores`."""
        return self._renamed("data", human=human, baseline=baseline)

    def stored(self) -> Scores:
        """The earlier name of `scores`."""
        return self._renamed("stored")

    def _renamed(self, name: str, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        message = f"Evaluation.{name}() is now Evaluation.scores()"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        return self.scores(human=human, baseline=baseline)

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
        compare = _compare
        comparisons = _comparisons
        counts = _counts
        groups = _groups
        topics = _topics
        lengths = _lengths
        anova = _anova
        plan = _plan
        simulate = _simulate
    else:
        compare = Analysis("pairs", "compare")
        comparisons = Analysis("pairs", "comparisons")
        counts = Analysis("counts", "counts")
        groups = Analysis("groups", "groups")
        topics = Analysis("topics", "topics")
        lengths = Analysis("lengths", "lengths")
        anova = Analysis("anova", "anova")
        plan = Analysis("plan", "plan")
        simulate = Analysis("simulate", "simulate")

    # Trust

    def judged_tables(self, *, alpha: float = 0.05, seed: int = 0) -> Tables:
        """What people answered, as DUC-2002 prints it: quality, coverage, units, ratings, agreement."""
        from adjudge.trust.judged import judged_tables

        return judged_tables(self.collection, self.judgments(), alpha=alpha, seed=seed)

    # Report

    def report(
        self,
        out: str | Path,
        measures: str | Sequence[str] = (),
        *,
        length: int | None = None,
        form: str | None = None,
        made_at: str | None = None,
        test: str = "wilcoxon",
        correct: str = "holm",
        alpha: float = 0.05,
        level: float = 0.95,
        statistic: str | None = None,
        zeros: str = "wilcox",
        resamples: int | None = None,
        seed: int = 0,
    ) -> list[Path]:
        """Write the page and its tables into a folder; says which files. The options are those of `compare`."""
        return report(
            self,
            out,
            measures,
            length=length,
            form=form,
            made_at=made_at,
            test=test,
            correct=correct,
            alpha=alpha,
            level=level,
            statistic=statistic,
            zeros=zeros,
            resamples=resamples,
            seed=seed,
        )


def report(
    source: Source,
    out: str | Path,
    measures: str | Sequence[str] = (),
    *,
    length: int | None = None,
    form: str | None = None,
    made_at: str | None = None,
    test: str = "wilcoxon",
    correct: str = "holm",
    alpha: float = 0.05,
    level: float = 0.95,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int | None = None,
    seed: int = 0,
    human: Patterns = (),
    baseline: Patterns = (),
    again: str | None = None,
) -> list[Path]:
    """Write a page to read and its tables into a folder; says which files.

    The scores are an evaluation's, a file's or a DataFrame's; the options are those of `compare`. What a page shows of
    texts needs an evaluation. `again` is how a shell names the scores, for the command that makes the page again.
    """
    from adjudge.comparisons.pairs import comparisons
    from adjudge.comparisons.scores import is_folder, scores_of
    from adjudge.formats.files import STDIN
    from adjudge.reports.page import build_page
    from adjudge.reports.render import write_report
    from adjudge.reports.words import in_shell

    if isinstance(source, str | Path) and is_folder(source):
        source = Evaluation.open(source)
    scores = scores_of(source, human=human, baseline=baseline)
    found = comparisons(
        scores,
        measures,
        length=length,
        form=form,
        test=test,
        correct=correct,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
    )
    collection = scores.collection()
    if isinstance(source, Evaluation):
        own = source.collection.systems
        kinds = {
            name: replace(row, kind=scores.kind(name)) for name, row in own.items() if name in scores.kinds
        }
        collection = replace(source.collection, systems={**own, **kinds})
    notes = {c.measure: scores.notes(c.measure) for c in found}
    if again is None:
        named = isinstance(source, str | Path) and scores.name != STDIN
        again = "." if scores.folder is not None else in_shell(scores.name) if named else "SCORES"
    page = build_page(collection, found, notes=notes, made_at=made_at, scores=again)
    return write_report(page, Path(out))


class EvaluationPreferences:
    """Preferences of one evaluation, as `e.prefer`: ask, fit, and see what they are worth (Zopf 2018)."""

    def __init__(self, evaluation: Evaluation):
        self._e = evaluation

    def protocols(self) -> dict[str, Protocol]:
        """Those that ask for preferences: the shipped ones, and the folder's own."""
        e = self._e
        found = {name: e.protocol(name) for name in PREFERENCE_PROTOCOLS.values()}
        if e.folder.settings.protocol and e.protocol().kind == "preference":
            found[e.protocol().name] = e.protocol()
        return found

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

    def simulate(
        self,
        origin: PreferenceTruth = "ref",
        *,
        assessors: int = 3,
        count: int = 200,
        per_pair: int = 1,
        noise: float = 0.1,
        bias: float = 0.0,
        inconsistency: float = 0.0,
        similarity: str = "tfidf-jaccard",
        seed: int = 0,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> SimulatedPreferences:
        """Have simulated assessors who know the references, or the pyramids, answer new pairs of sentences."""
        from adjudge.assessors.preferences import simulate_preferences

        return simulate_preferences(
            self._e.folder,
            self._e.collection,
            origin,
            assessors=assessors,
            count=count,
            per_pair=per_pair,
            noise=noise,
            bias=bias,
            inconsistency=inconsistency,
            similarity=similarity,
            seed=seed,
            progress=progress,
        )

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

    def export_answers(
        self,
        path: str | Path,
        *,
        of: str | None = None,
        form: Form = "left-right",
        topics: Sequence[str] = (),
    ) -> ExportedAnswers:
        """Write the answers as a CSV file: by the sentences' texts, or by the systems' names."""
        from adjudge.formats.preferences import export_answers

        return export_answers(self._e.collection, self._e.judgments(), path, of=of, form=form, topics=topics)

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

    def fit(
        self,
        of: Of | None = None,
        *,
        topics: Sequence[str] = (),
        length: int | None = None,
        form: str | None = None,
        similarity: Similarity | None = "tfidf-jaccard",
        by: By | None = None,
        ties: TieModel = "half",
        position: bool = False,
        regularise: float | None = None,
        level: float = 0.95,
        assessors: bool = False,
        checks: Preferences | None = None,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[PreferenceFit]:
        """Strengths of sentences or summaries topic by topic, or of systems over topics, with intervals and tests
        of all pairs."""
        from adjudge.comparisons.preferences import fit_folder

        return fit_folder(
            self._e.collection,
            self._e.judgments(),
            of=of,
            topics=topics,
            length=length,
            form=form,
            similarity=similarity,
            by=by,
            ties=ties,
            position=position,
            regularise=regularise,
            level=level,
            assessors=assessors,
            checks=checks,
            progress=progress,
        )

    def agreement(
        self,
        human: str,
        measures: Sequence[str] = (),
        *,
        systems: Systems = "machine",
        length: int | AllLengths | None = None,
        form: str | None = None,
        half: bool = False,
        level: float = 0.95,
        resamples: int = 2000,
        seed: int = 0,
    ) -> list[MeasureAgreement]:
        """How far measures order summaries as people do (equation 1); of all that have a direction unless named."""
        from adjudge.engine import generator
        from adjudge.trust.preferences import agreements

        return agreements(
            self._e.scores(),
            human,
            measures,
            rng=generator(seed, "prefer/agreement"),
            systems=systems,
            length=length,
            form=form,
            half=half,
            level=level,
            resamples=resamples,
        )

    def converge(
        self,
        human: str,
        *,
        step: int = 10,
        runs: int = 100,
        level: float = 0.95,
        systems: Systems = "machine",
        length: int | None = None,
        form: str | None = None,
        similarity: str = "tfidf-jaccard",
        smooth: bool = True,
        penalty: Penalty = "sentence",
        seed: int = 0,
        workers: Workers = 1,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> Convergence:
        """Agreement by the number of answers, beside ROUGE and JS, which are scored first where they are not yet
        (figure 3)."""
        from adjudge.judgments.batch import batches_of
        from adjudge.trust.preferences import LINES, converge, score_columns

        e, judgments = self._e, self._e.judgments()
        columns = score_columns(
            e.folder, e.collection, judgments, LINES.values(), human=human, workers=workers, progress=progress
        )
        found = converge(
            batches_of(e.collection, judgments),
            columns.data,
            human,
            LINES,
            similarity=similarity,
            smooth=smooth,
            penalty=penalty,
            step=step,
            runs=runs,
            level=level,
            systems=systems,
            length=length,
            form=form,
            seed=seed,
            workers=workers,
            progress=progress,
        )
        missing = [f"{name}: {columns.why[m]}" for name, m in LINES.items() if m in columns.why]
        return replace(found, notes=(*missing, *found.notes))

    def report(
        self,
        human: str,
        measures: Sequence[str] = (),
        *,
        systems: Systems = "machine",
        length: int | AllLengths | None = None,
        form: str | None = None,
        half: bool = False,
        similarity: str = "tfidf-jaccard",
        smooth: bool = True,
        penalty: Penalty = "sentence",
        ties: Ties = "half",
        asked: str = "all",
        simulated: str = "paper",
        crowd: bool = False,
        idle: float = 120.0,
        level: float = 0.95,
        resamples: int = 2000,
        seed: int = 0,
        workers: Workers = 1,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[PaperTable]:
        """The four tables of Zopf 2018, and one of `measures` where some are named.

        What the tables need and is not scored yet is scored first. The options from `similarity` to `crowd` are those
        of the measure `preference`; a pause of more than `idle` seconds counts as that.
        """
        from adjudge.judgments.batch import batches_of
        from adjudge.measures.judged.preference import Preference
        from adjudge.trust.preferences import minutes_of, paper_tables, score_columns, specs

        e, judgments = self._e, self._e.judgments()
        base = Preference(
            similarity=similarity,
            smooth=smooth,
            penalty=penalty,
            ties=ties,
            asked=asked,
            simulated=simulated,
            seed=seed,
            crowd=crowd,
        )
        wanted = [*specs(base).values(), *measures]
        columns = score_columns(
            e.folder, e.collection, judgments, wanted, human=human, workers=workers, progress=progress
        )
        return paper_tables(
            columns,
            batches_of(e.collection, judgments),
            human,
            minutes_of(e.folder, cap=idle),
            base=base,
            more=measures,
            systems=systems,
            length=length,
            form=form,
            half=half,
            level=level,
            resamples=resamples,
            seed=seed,
        )
