"""An evaluation as people hold it in Python; the command line is a thin layer over this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from adjudge.data import baselines, edit, units
from adjudge.data.check import check
from adjudge.data.collection import Collection, load
from adjudge.data.edit import Changed, Target
from adjudge.data.findings import CheckReport
from adjudge.data.folder import Folder
from adjudge.data.incoming import ImportReport, Item, OnClash, take_all
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix, ScoreTable
from adjudge.data.settings import Settings
from adjudge.data.units import UnitsReport
from adjudge.engine import Workers
from adjudge.judgments.tasks import FILE

if TYPE_CHECKING:
    from adjudge.assessors.preferences import Origin as Truth
    from adjudge.assessors.preferences import SimulatedPreferences
    from adjudge.comparisons.choices import Asked
    from adjudge.comparisons.preferences import By, Of, PreferenceFit
    from adjudge.comparisons.result import Comparison
    from adjudge.comparisons.scores import Patterns, ScoreData
    from adjudge.formats.batches import Exported
    from adjudge.formats.preferences import ExportedAnswers, Form
    from adjudge.judgments.batch import Judgments
    from adjudge.judgments.intake import Item as JudgmentItem
    from adjudge.judgments.intake import Taken
    from adjudge.judgments.levels import LevelsReport
    from adjudge.judgments.pairs.answers import Preferences
    from adjudge.judgments.pairs.sample import Sampled
    from adjudge.judgments.protocol import Protocol
    from adjudge.judgments.store.store import Store
    from adjudge.measures.base import Measure
    from adjudge.measures.judged.preference_strengths import Penalty, Ties
    from adjudge.measures.run import Scored
    from adjudge.measures.stored import StoredTable
    from adjudge.stats.preference.next_pair import How
    from adjudge.text.similarity import Similarity
    from adjudge.trust.preferences import Convergence, MeasureAgreement, PaperTable, Systems

DEFAULT_MEASURES = ("rouge-1", "rouge-2")
PREFERENCE_PROTOCOLS = {"sentences": "preference-sentences", "summaries": "preference-summaries"}


class Evaluation:
    """A folder with summaries, and everything that can be done with it. `adjudge.open` makes one."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self._collection: Collection | None = None

    def __repr__(self) -> str:
        return f"adjudge.open({str(self.path)!r})"

    @classmethod
    def open(cls, path: str | Path) -> Evaluation:
        return cls(Folder.open(path))

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
        from adjudge.judgments.store.changes import changed_findings, changed_in_file

        if self.settings.database:
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
        """Leave summaries out of the scores, but keep them; `restore` takes them in again."""
        self._collection = None
        return edit.withdraw(self.folder, Target(system, topic), why, when=when, restore=restore)

    def rename(
        self, to: str, why: str, *, system: str | None = None, topic: str | None = None, when: str = ""
    ) -> Changed:
        """Give a system or a topic another name everywhere."""
        self._collection = None
        return edit.rename(self.folder, Target(system, topic), to, why, when=when)

    def remove(
        self, why: str, *, system: str | None = None, topic: str | None = None, when: str = ""
    ) -> Changed:
        """Take a system, a topic, or one system's summaries of one topic out of the files."""
        self._collection = None
        return edit.remove(self.folder, Target(system, topic), why, when=when)

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
        cut: bool = False,
        on_clash: OnClash = "refuse",
        dry_run: bool = False,
    ) -> tuple[list[baselines.Target], ImportReport]:
        """Add the lead and coverage baselines as systems; says which lengths it made."""
        wanted = baselines.targets(self.collection, lengths)
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

    def take_judgments(
        self, items: Iterable[JudgmentItem], *, progress: Callable[[int], None] = lambda n: None
    ) -> Taken:
        """Import what a reader of `adjudge.formats.judged` yields."""
        from adjudge.judgments.intake import take

        self._collection = None
        with self.store() as store:
            return take(self.folder, store, items, progress=progress)

    def simulate_judgments(self, protocol: str | None = None, **how: Any) -> Taken:
        """Have simulated assessors fill a protocol; see `adjudge.judging.simulate_judgments`."""
        from adjudge.assessors.simulated import simulate_judgments

        return simulate_judgments(self.folder, self.collection, protocol, **how)

    @property
    def prefer(self) -> EvaluationPreferences:
        """Preferences between sentences, summaries or systems: `e.prefer.fit()`, `e.prefer.report("coverage")`."""
        return EvaluationPreferences(self)

    # Score

    def score(
        self,
        *measures: str | Measure,
        workers: Workers = 1,
        again: bool = False,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[Scored]:
        """Score what is new or has changed since; ROUGE-1 and ROUGE-2 unless measures are named."""
        from adjudge.measures.registry import parse_measures
        from adjudge.measures.run import score

        chosen = parse_measures(str(m) for m in measures or DEFAULT_MEASURES)
        return score(
            self.folder,
            self.collection,
            chosen,
            judgments=self.judgments(),
            workers=workers,
            again=again,
            progress=progress,
        )

    def stored(self) -> StoredTable:
        """Everything that has been scored or imported, with what is stale."""
        from adjudge.measures.stored import load_scores

        return load_scores(self.folder, self.collection, self.judgments())

    def scores(self) -> ScoreTable:
        """All score rows as one long table."""
        return self.stored().table

    def data(self, *, human: Patterns = (), baseline: Patterns = ()) -> ScoreData:
        """The scores with what is known of systems and topics, as a file of scores gives them too."""
        from adjudge.comparisons.scores import ScoreData

        return ScoreData.from_evaluation(
            self.collection, self.stored(), folder=self.path, human=human, baseline=baseline
        )

    def matrix(
        self, measure: str, *, length: int | AllLengths | None = None, pool: Pool = "mean"
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems."""
        from adjudge.measures.stored import resolve

        table = self.scores()
        return table.matrix(resolve(measure, table.measures), length=length, pool=pool)

    # Compare

    def compare(
        self,
        measure: str,
        *,
        length: int | AllLengths | None = None,
        pool: Pool = "mean",
        **asked: Unpack[Asked],
    ) -> Comparison:
        """Which systems really differ on a measure: `e.compare("rouge-2", test="t", against="lead")`."""
        from adjudge.comparisons import choices
        from adjudge.comparisons.many import comparisons

        found = comparisons(self.data(), [measure], choices(**asked), length=length, pool=pool)
        if len(found) > 1:
            self.matrix(measure)  # says that there are several lengths
        return found[0]

    # Report

    def comparisons(
        self,
        measures: Sequence[str] = (),
        *,
        length: int | AllLengths | None = None,
        **asked: Unpack[Asked],
    ) -> list[Comparison]:
        """A comparison per measure and length; of everything that has scores unless measures are named."""
        from adjudge.comparisons import choices
        from adjudge.comparisons.many import comparisons

        return comparisons(self.data(), measures, choices(**asked), length=length)

    def report(
        self,
        out: str | Path,
        measures: Sequence[str] = (),
        *,
        length: int | None = None,
        made_at: str | None = None,
        **asked: Unpack[Asked],
    ) -> list[Path]:
        """Write the page and its tables into a folder; says which files."""
        from adjudge.reports.page import build_page
        from adjudge.reports.render import write_report

        stored = self.stored()
        comparisons = self.comparisons(measures, length=length, **asked)
        notes = {c.measure: stored.warnings(c.measure) for c in comparisons}
        page = build_page(self.collection, comparisons, notes=notes, made_at=made_at)
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
        origin: Truth = "ref",
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
        progress: Callable[[int], None] = lambda n: None,
    ) -> tuple[str, Taken]:
        """Read answers into the store, and say what they are: an answered batch, or preferences between sentences or
        between systems, of whose summaries of this length."""
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
                )
            return what, take(e.folder, store, items, progress=progress)

    def fit(
        self,
        of: Of | None = None,
        *,
        topics: Sequence[str] = (),
        length: int | None = None,
        similarity: Similarity | None = "tfidf-jaccard",
        by: By | None = None,
        regularise: float | None = None,
        level: float = 0.95,
        resamples: int = 200,
        seed: int = 0,
        assessors: bool = False,
        checks: Preferences | None = None,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[PreferenceFit]:
        """Strengths of sentences or summaries topic by topic, or of systems over topics, with intervals."""
        from adjudge.comparisons.preferences import fit_folder

        return fit_folder(
            self._e.collection,
            self._e.judgments(),
            of=of,
            topics=topics,
            length=length,
            similarity=similarity,
            by=by,
            regularise=regularise,
            level=level,
            resamples=resamples,
            seed=seed,
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
        half: bool = False,
        level: float = 0.95,
        resamples: int = 2000,
        seed: int = 0,
    ) -> list[MeasureAgreement]:
        """How far measures order summaries as people do (equation 1); of all that have a direction unless named."""
        from adjudge.engine import generator
        from adjudge.trust.preferences import agreements

        return agreements(
            self._e.data(),
            human,
            measures,
            rng=generator(seed, "prefer/agreement"),
            systems=systems,
            length=length,
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
            half=half,
            level=level,
            resamples=resamples,
            seed=seed,
        )
