"""A measure's scores with some of the references only: from its rows, or from texts that are scored again in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.gathered import collection_of
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError
from adjudge.core.results import Note
from adjudge.data.collection import references_for
from adjudge.data.rows import Key, Summary
from adjudge.data.scores import TopicAtLength, pooled, targets_of
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
    asked: Meta

    @cached_property
    def batches(self) -> Mapping[str, TopicBatch]:
        """The texts of the folder."""
        return batches_of(collection_of(self.scores))

    def of(self, name: str) -> ReferencedScores | Note:
        """A measure's scores by references, or why they cannot be had."""
        scores = self.scores
        if name not in scores.info:
            return Note.of("of-measures")
        length, form = scores.target_for(name, self.asked.length, self.asked.form)
        frame = scores.table.at(name, length=length, form=form)
        by_length = length == "all" and len(scores.table.lengths(name)) > 1
        sign = -1.0 if scores.info[name].better == "lower" else 1.0
        if frame["reference"].notna().any():
            if frame["assessor"].notna().any():
                return Note.of("of-people")
            return self._from_rows(frame[frame["reference"].notna()], by_length, sign)
        if scores.folder is None:
            return Note.of("no-texts")
        if name not in {file.info.measure for file in scores.files if file.origin == "computed"}:
            return Note.of("from-elsewhere")
        try:
            measure = parse_measure(name)
            measure.check_installed()
        except AdjudgeError as error:
            return Note.of("refused", text=error.text)
        looks_at = measure.needs | measure.uses
        if "judgments" in looks_at:
            return Note.of("of-judgments")
        if "references" not in looks_at:
            return Note.of("no-references")
        return self._from_texts(frame, by_length, sign, measure)

    def _places(self, frame: pd.DataFrame, by_length: bool) -> dict[int, tuple[int, int]]:
        """By the number of a row its topic and its system, where the cells have them."""
        rows = {name: k for k, name in enumerate(self.cells.topics)}
        columns = {name: k for k, name in enumerate(self.cells.systems)}
        places: dict[int, tuple[int, int]] = {}
        summaries = zip(frame["topic"], frame["system"], targets_of(frame), strict=True)
        for at, (topic, system, target) in enumerate(summaries):
            row = str(TopicAtLength(topic, target.length)) if by_length else topic
            if row in rows and system in columns:
                places[at] = rows[row], columns[system]
        return places

    def _from_rows(self, frame: pd.DataFrame, by_length: bool, sign: float) -> ReferencedScores | Note:
        means = pooled(frame, ["repeat"])
        references, values = means["reference"].astype(str).tolist(), means["value"].to_numpy()
        names = tuple(sorted(set(references)))
        number = {name: k for k, name in enumerate(names)}
        topics, systems = len(self.cells.topics), len(self.cells.systems)
        cube = np.full((len(names), topics, systems), np.nan)
        present = np.zeros((topics, len(names)), dtype=np.bool_)
        for at, (topic, system) in self._places(means, by_length).items():
            reference = number[references[at]]
            cube[reference, topic, system] = sign * values[at]
            present[topic, reference] = True
        if not present.any():
            return Note.of("other-systems")
        return _FromRows(names=names, present=present, cube=cube)

    def _from_texts(
        self, frame: pd.DataFrame, by_length: bool, sign: float, measure: Measure
    ) -> ReferencedScores | Note:
        keys = list(zip(frame["topic"], frame["system"], targets_of(frame), strict=True))
        placed: dict[Key, tuple[int, int]] = {
            keys[at]: place for at, place in self._places(frame, by_length).items()
        }
        peers: dict[int, list[Summary]] = {}
        texts: dict[int, TopicBatch] = {}
        for batch in self.batches.values():
            for peer in batch.peers:
                if peer.key in placed:
                    row = placed[peer.key][0]
                    peers.setdefault(row, []).append(peer)
                    texts.setdefault(row, batch)
        rows = sorted(peers)
        batches = []
        for row in rows:  # some peers of a topic, and the references that they are compared with
            references = texts[row].references
            serving = {r.key for peer in peers[row] for r in references_for(peer, references)}
            kept = tuple(r for r in references if r.key in serving)
            batches.append(replace(texts[row], peers=tuple(peers[row]), references=kept, _kept={}))
        names = tuple(sorted({r.system for batch in batches for r in batch.references}))
        if not names:
            return Note.of("texts-gone")
        number = {name: k for k, name in enumerate(names)}
        present = np.zeros((len(self.cells.topics), len(names)), dtype=np.bool_)
        for row, batch in zip(rows, batches, strict=True):
            present[row, [number[r.system] for r in batch.references]] = True
        t, s = np.array([placed[peer.key] for row in rows for peer in peers[row]], dtype=np.int64).T
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
