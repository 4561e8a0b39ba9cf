"""Imported scores meet the scores that are there. One Parquet file per measure comes out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from adjudge.data.scorefiles import ScoreFile, file_name, find, write
from adjudge.data.scores import KEY, MeasureInfo, Score, ScoreTable
from adjudge.data.transaction import Transaction
from adjudge.errors import FormatError


class ScoreMerge:
    """Collects Score rows by measure; `stage` writes them together with what the folder has."""

    def __init__(self, folder: Path, on_clash: str):
        self._folder, self._on_clash = folder, on_clash
        self._rows: dict[str, dict[tuple[object, ...], Score]] = {}
        self._places: dict[str, str] = {}
        self._info: dict[str, MeasureInfo] = {}
        self._old: dict[str, dict[tuple[object, ...], Score]] = {}
        self.clashes: list[str] = []
        self.clash_count = 0

    def describe(self, info: MeasureInfo) -> None:
        """What a measure is; where scores of it are stored, both must agree on what is better."""
        self._info[info.measure] = info
        stored = find(self._folder, info.measure)
        if stored is None or stored.info.better == info.better:
            return
        if self._on_clash == "skip":
            self._info[info.measure] = stored.info
        else:
            self.clash_count += 1
            self.clashes.append(f"{info.measure}, of which {stored.info.direction} so far")

    def add(self, score: Score, place: str) -> None:
        rows = self._rows.setdefault(score.measure, {})
        key = tuple(getattr(score, name) for name in KEY)
        if key in rows:
            raise FormatError(
                f"{place}: a second score of {score.measure} for topic"
                f' "{score.topic}", system "{score.system}"'
            )
        self._places.setdefault(score.measure, place.rsplit(":", 1)[0])
        if key in self._old_rows(score.measure):
            self.clash_count += 1
            if len(self.clashes) < 3:
                self.clashes.append(
                    f'{score.measure} of topic "{score.topic}", system "{score.system}" at {place}'
                )
            if self._on_clash == "skip":
                return
        rows[key] = score

    def _old_rows(self, measure: str) -> dict[tuple[object, ...], Score]:
        if measure not in self._old:
            stored = find(self._folder, measure)
            rows = stored.table.rows() if stored else iter(())
            self._old[measure] = {tuple(getattr(r, name) for name in KEY): r for r in rows}
        return self._old[measure]

    def _old_info(self, measure: str) -> MeasureInfo:
        stored = find(self._folder, measure)
        return stored.info if stored else MeasureInfo(measure)

    def stage(self, change: Transaction) -> Counter[str]:
        counts: Counter[str] = Counter()
        for measure, rows in self._rows.items():
            if rows:
                info = self._info.get(measure) or self._old_info(measure)
                merged = {**self._old_rows(measure), **rows}
                table = ScoreTable.from_rows(merged.values(), [info])
                stored = ScoreFile(info, table, "imported", {}, self._places[measure])
                write(change.stage(file_name(measure)), stored)
                counts[measure] = len(rows)
        return counts
