"""A measure's scores with some of the references only: from its rows, or from texts that are scored again in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.preferences.measures import form_for, length_for
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError
from adjudge.data.collection import load, references_for
from adjudge.data.folder import Folder
from adjudge.data.rows import Key, Summary
from adjudge.data.scores import AllLengths, TopicAtLength, pooled, targets_of
from adjudge.judgments.batch import TopicBatch, batches_of
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measure
from adjudge.stats.checks import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

SCORED_AGAIN = 20
"""Choices of references that a measure can afford that scores all texts anew for each."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferencedScores:
    """What a measure gives with any choice of references."""

    names: tuple[str, ...]
    present: BoolArray
    """Topics x references: which a topic has."""
    affordable: int | None = None
    """Choices that are not too many; None: any number."""

    def scores(self, masks: Iterable[BoolArray]) -> Iterator[FloatArray]:
        """Topics x systems, higher is better, for every choice of references (topics x references)."""
        raise TypeError(f"{type(self).__name__} does not say how it scores")


@dataclass(frozen=True, eq=False, kw_only=True)
class _FromRows(ReferencedScores):
    """Scores with a row for each reference: their mean."""

    cube: FloatArray
    """References x topics x systems."""

    def scores(self, masks: Iterable[BoolArray]) -> Iterator[FloatArray]:
        for mask in masks:
            yield mean_of(self.cube, ~np.isnan(self.cube) & mask.T[:, :, None])


@dataclass(frozen=True, eq=False, kw_only=True)
class _FromTexts(ReferencedScores):
    """Texts that are scored again. A summary is never compared with a reference by the same system."""

    measure: Measure
    batches: tuple[TopicBatch, ...]
    rows: IntArray
    """The topic of each batch."""
    at: tuple[IntArray, IntArray]
    """Of every peer, batch by batch, its topic and its system."""
    shape: tuple[int, int]
    sign: float

    def scores(self, masks: Iterable[BoolArray]) -> Iterator[FloatArray]:
        names = np.array(self.names)
        choices = ([set(names[mask[t]].tolist()) for t in self.rows] for mask in masks)
        for values in self.measure.score_with_references(self.batches, choices):
            matrix = np.full(self.shape, np.nan)
            matrix[self.at] = self.sign * np.asarray(values)
            yield matrix


def mean_of(cube: FloatArray, kept: BoolArray) -> FloatArray:
    """Over the first axis, of what is kept; NaN where nothing is."""
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(kept, cube, 0.0).sum(axis=0) / np.count_nonzero(kept, axis=0)
    return means


@dataclass(frozen=True, eq=False)
class References:
    """Where the scores of cells come from."""

    cells: Cells
    scores: Scores
    length: int | AllLengths | None = None
    form: str | None = None

    @cached_property
    def batches(self) -> Mapping[str, TopicBatch]:
        """The texts of the folder."""
        assert self.scores.folder is not None
        return batches_of(load(Folder.open(self.scores.folder)))

    def of(self, name: str) -> ReferencedScores | str:
        """A measure's scores by references, or why they cannot be had."""
        scores = self.scores
        if name not in scores.info:
            return "it is made from other measures' scores"
        length = length_for(scores, name, self.length)
        frame = scores.table.at(name, length=length, form=form_for(scores, name, self.form))
        by_length = length == "all" and len(scores.table.lengths(name)) > 1
        sign = -1.0 if scores.info[name].better == "lower" else 1.0
        if frame["reference"].notna().any():
            if frame["assessor"].notna().any():
                return "people gave its scores"
            return self._from_rows(frame[frame["reference"].notna()], by_length, sign)
        if scores.folder is None:
            return "its scores have no row per reference, and there are no texts to score again"
        if name not in {file.info.measure for file in scores.files if file.origin == "computed"}:
            return "it was computed elsewhere, and its scores have no row per reference"
        try:
            measure = parse_measure(name)
            measure.check_installed()
        except AdjudgeError as error:
            return str(error)
        looks_at = measure.needs | measure.uses
        if "judgments" in looks_at:
            return "it is made from judgments"
        if "references" not in looks_at:
            return "it does not look at references"
        placed = dict(zip(_keys(frame), self._places(frame, by_length), strict=True))
        return self._from_texts(placed, sign, measure)

    def _places(self, frame: pd.DataFrame, by_length: bool) -> list[tuple[int, int] | None]:
        """The topic and the system of every row; None where the cells do not have it."""
        rows = {name: k for k, name in enumerate(self.cells.topics)}
        columns = {name: k for k, name in enumerate(self.cells.systems)}
        places: list[tuple[int, int] | None] = []
        for topic, system, target in zip(frame["topic"], frame["system"], targets_of(frame), strict=True):
            row = rows.get(str(TopicAtLength(topic, target.length)) if by_length else topic)
            column = columns.get(system)
            places.append(None if row is None or column is None else (row, column))
        return places

    def _from_rows(self, frame: pd.DataFrame, by_length: bool, sign: float) -> ReferencedScores | str:
        means = pooled(frame, ["repeat"])
        names = tuple(sorted({str(name) for name in means["reference"]}))
        number = {name: k for k, name in enumerate(names)}
        topics, systems = len(self.cells.topics), len(self.cells.systems)
        cube = np.full((len(names), topics, systems), np.nan)
        present = np.zeros((topics, len(names)), dtype=np.bool_)
        places = self._places(means, by_length)
        for at, name, value in zip(places, means["reference"], means["value"], strict=True):
            if at is not None:
                cube[(number[str(name)], *at)] = sign * value
                present[at[0], number[str(name)]] = True
        if not present.any():
            return "it has no scores of these systems"
        return _FromRows(names=names, present=present, cube=cube)

    def _from_texts(
        self, placed: Mapping[Key, tuple[int, int] | None], sign: float, measure: Measure
    ) -> ReferencedScores | str:
        peers: dict[int, list[tuple[TopicBatch, Summary, tuple[int, int]]]] = {}
        for batch in self.batches.values():
            for peer in batch.peers:
                if (at := placed.get(peer.key)) is not None:
                    peers.setdefault(at[0], []).append((batch, peer, at))
        rows = sorted(peers)
        batches = [_only(peers[row][0][0], tuple(peer for _, peer, _ in peers[row])) for row in rows]
        names = tuple(sorted({r.system for batch in batches for r in batch.references}))
        if not names:
            return "the texts that it was made from are no longer there"
        number = {name: k for k, name in enumerate(names)}
        present = np.zeros((len(self.cells.topics), len(names)), dtype=np.bool_)
        for row, batch in zip(rows, batches, strict=True):
            present[row, [number[r.system] for r in batch.references]] = True
        t, s = np.array([place for row in rows for _, _, place in peers[row]], dtype=np.int64).T
        return _FromTexts(
            names=names,
            present=present,
            affordable=None if measure.shares_references else SCORED_AGAIN,
            measure=measure,
            batches=tuple(batches),
            rows=np.array(rows, dtype=np.int64),
            at=(t, s),
            shape=(len(self.cells.topics), len(self.cells.systems)),
            sign=sign,
        )


def _keys(frame: pd.DataFrame) -> list[Key]:
    """What the summaries of score rows are known by."""
    return list(zip(frame["topic"], frame["system"], targets_of(frame), strict=True))


def _only(batch: TopicBatch, peers: tuple[Summary, ...]) -> TopicBatch:
    """Some peers of a topic, and the references that they are compared with."""
    serving = {r.key for peer in peers for r in references_for(peer, batch.references)}
    kept = tuple(r for r in batch.references if r.key in serving)
    return replace(batch, peers=peers, references=kept, _kept={})
