"""An evaluation as people hold it in Python; the command line is a thin layer over this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.collection import baselines, edit, units
from adjudge.collection.check import check
from adjudge.collection.collection import Collection, load
from adjudge.collection.edit import Changed, Target
from adjudge.collection.findings import CheckReport
from adjudge.collection.folder import Folder
from adjudge.collection.incoming import ImportReport, Item, OnClash, take_all
from adjudge.collection.settings import Settings
from adjudge.collection.units import UnitsReport
from adjudge.engine import Workers
from adjudge.errors import DataError
from adjudge.scores import AllLengths, Pool, ScoreMatrix, ScoreTable

if TYPE_CHECKING:
    from adjudge.compare import Comparison, Test
    from adjudge.measures.base import Measure
    from adjudge.scoring import Scored, StoredTable

DEFAULT_MEASURES = ("rouge-1", "rouge-2")


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
        """Import what a reader of `adjudge.collection.formats` yields; all of it or nothing."""
        self._collection = None
        return take_all(self.folder, items, on_clash=on_clash, dry_run=dry_run, progress=progress)

    def check(self) -> CheckReport:
        """What is there, what is missing, what looks wrong."""
        return check(self.folder)

    def withdraw(
        self, why: str, *, system: str | None = None, topic: str | None = None, restore: bool = False,
        when: str = "",
    ) -> Changed:  # fmt: skip
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
        from adjudge.scoring import score

        chosen = parse_measures(str(m) for m in measures or DEFAULT_MEASURES)
        return score(self.folder, self.collection, chosen, workers=workers, again=again, progress=progress)

    def stored(self) -> StoredTable:
        """Everything that has been scored or imported, with what is stale."""
        from adjudge.scoring import load_scores

        return load_scores(self.folder, self.collection)

    def scores(self) -> ScoreTable:
        """All score rows as one long table."""
        return self.stored().table

    def matrix(
        self, measure: str, *, length: int | AllLengths | None = None, pool: Pool = "mean"
    ) -> ScoreMatrix:
        """One measure's scores, topics x systems."""
        from adjudge.scoring import resolve

        table = self.scores()
        return table.matrix(resolve(measure, table.measures), length=length, pool=pool)

    # Compare

    def compare(
        self,
        measure: str,
        *,
        length: int | AllLengths | None = None,
        test: Test = "wilcoxon",
        pool: Pool = "mean",
        seed: int = 0,
        resamples: int | None = None,
    ) -> Comparison:
        """Which systems really differ on a measure."""
        from adjudge.compare import RESAMPLES, compare

        matrix = self.matrix(measure, length=length, pool=pool)
        return compare(matrix, test=test, seed=seed, resamples=RESAMPLES if resamples is None else resamples)

    # Report

    def comparisons(
        self,
        measures: Sequence[str] = (),
        *,
        length: int | None = None,
        test: Test = "wilcoxon",
        seed: int = 0,
    ) -> list[Comparison]:
        """A comparison per measure and length; of everything that has scores unless measures are named."""
        from adjudge.compare import compare
        from adjudge.scoring import resolve

        table = self.scores()
        if not table.measures:
            raise DataError(f"{self.path}: nothing has been scored; run: adjudge score {self.path}")
        chosen = [resolve(m, table.measures) for m in measures] or table.measures
        return [
            compare(table.matrix(m, length=n), test=test, seed=seed)
            for m in chosen
            for n in ((length,) if length else table.lengths(m))
        ]

    def report(
        self,
        out: str | Path,
        measures: Sequence[str] = (),
        *,
        length: int | None = None,
        test: Test = "wilcoxon",
        seed: int = 0,
        made_at: str | None = None,
    ) -> list[Path]:
        """Write the page and its tables into a folder; says which files."""
        from adjudge.report.page import build_page
        from adjudge.report.render import write_report

        stored = self.stored()
        comparisons = self.comparisons(measures, length=length, test=test, seed=seed)
        notes = {c.measure: stored.warnings(c.measure) for c in comparisons}
        page = build_page(self.collection, comparisons, notes=notes, made_at=made_at)
        return write_report(page, Path(out))
