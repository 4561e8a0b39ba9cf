"""Which scores are looked at, and slices of topics by what is said of them and by what their texts tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adjudge.core.errors import DataError
from adjudge.core.results import Note
from adjudge.core.words import natural
from adjudge.data.collection import load
from adjudge.data.folder import Folder
from adjudge.data.reading import read_once
from adjudge.data.scores import UNSET, AllLengths, Score, form_words, length_words, targets_of
from adjudge.judgments.batch import batches_of
from adjudge.measures.registry import parse_measure
from adjudge.text.words import count_words

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.stats.checks import BoolArray, FloatArray

COPIED = "novel-2"
"""The copy rate is what is not new: the share of a summary's bigrams that stand in its source."""
OF_SUMMARIES = {"compression": "compression", "copy rate": COPIED, "fragment density": "fragment-density"}
"""By property: the measure whose mean over a topic's summaries it is."""
MOST_SLICES = 30
"""Of a named property: with more, such as a set per topic, slices say nothing."""
SHOWN = {"source length": "{:,.0f}", "fragment density": "{:.1f}"}
"""How values of a property look; others are shares."""

Masks = list[tuple[str, "BoolArray"]]
"""The name of every slice, and which rows are in it."""


class RowTexts(NamedTuple):
    """The summaries that a row of scores is of: of one topic, at a length and in a form; None is any."""

    topic: str
    length: int | AllLengths | None = None
    form: str | None = None

    def has(self, score: Score) -> bool:
        """Whether a score of the topic is of one of these summaries."""
        length, form = score.length or UNSET, score.form or UNSET
        return self.length in (None, "all", length) and self.form in (None, form)


@dataclass(frozen=True)
class LookedAt:
    """The scores that are looked at: where nobody chose a length or a form, that with most scores."""

    measure: str
    length: int | AllLengths | None
    form: str | None
    lengths: tuple[int | AllLengths, ...]
    """Those to slice by; one where it was chosen."""
    forms: tuple[str, ...]
    chosen: tuple[Note, ...] = ()
    """Where nobody chose: what was."""

    def texts(self, topics: Sequence[str]) -> list[RowTexts]:
        """The summaries of these topics that are looked at."""
        return [RowTexts(topic, self.length, self.form) for topic in topics]


def look_at(data: Scores, measure: str, length: int | AllLengths | None, form: str | None) -> LookedAt:
    """Lengths and forms are never mixed silently: those that nobody chose are said."""
    rows = data.table.at(measure, length=length or "all", form=form, all_forms=form is None)
    rows = rows[rows["value"].notna()]
    there = Counter(targets_of(rows))
    if not there:
        raise DataError(f"{measure}: every score is missing")
    lengths = sorted({target.length for target in there}, key=lambda n: n or 0)
    forms = sorted({target.form or UNSET for target in there})
    most = max(there, key=lambda target: (there[target], target.order))
    notes = []
    if len(lengths) == 1 and length is None:
        length = most.length
    elif length is None:
        length = most.length or "unset"
        notes.append(Note.of("length-with-most-scores", shown=length_words(most.length)))
    if len(forms) > 1 and form is None:
        form = most.form or UNSET
        notes.append(Note.of("form-with-most-scores", shown=form_words(form)))
    keys: tuple[int | AllLengths, ...] = tuple("unset" if n is None else n for n in lengths)
    return LookedAt(measure, length, form, keys, tuple(forms), tuple(notes))


def by_name(values: Sequence[str | None], name: str) -> Masks | Note:
    """A slice for every value that rows have, or why there are none."""
    distinct = sorted({value for value in values if value is not None}, key=natural)
    if not distinct:
        return Note.of("unsaid", by=name)
    if len(distinct) == 1:
        return Note.of("all-alike", value=distinct[0])
    if len(distinct) > MOST_SLICES or len(distinct) == len(values):
        return Note.of("too-many", n=len(distinct), topics=len(values))
    return [(value, np.array([of_row == value for of_row in values])) for value in distinct]


def thirds(name: str, values: FloatArray) -> Masks | Note:
    """Thirds of the rows, by value; equal values stay together."""
    there = values[~np.isnan(values)]
    if np.unique(there).size < 3:
        return Note.of("no-thirds")
    low, high = np.quantile(there, [1 / 3, 2 / 3])
    shown = SHOWN.get(name, "{:.1%}").format
    with np.errstate(invalid="ignore"):
        masks = [values <= low, (values > low) & (values <= high), values > high]
    # By the values that are there: a cut between two of them, rounded, may be one of the next third.
    first, *others = ((values[mask].min(), values[mask].max(), mask) for mask in masks if mask.any())
    named_masks = [(f"up to {shown(first[1])}", first[2])]
    for k, (least, most, mask) in enumerate(others, 1):
        last = k == len(others)
        named_masks.append((f"{shown(least)} or more" if last else f"{shown(least)} to {shown(most)}", mask))
    return named_masks


def text_values(
    scores: Scores, rows: Sequence[RowTexts], systems: Sequence[str], names: Sequence[str]
) -> Mapping[str, FloatArray] | Note:
    """By property: its value for every row, of its topic's source, or the mean of these systems' summaries."""
    if scores.folder is None:
        return Note.of("no-folder")
    folder = Folder.open(scores.folder)
    key = ("text values", folder.path.absolute(), tuple(rows), tuple(systems), tuple(names))
    return read_once(key, lambda: _text_values(folder, rows, systems, names))


def _text_values(
    folder: Folder, rows: Sequence[RowTexts], systems: Sequence[str], names: Sequence[str]
) -> Mapping[str, FloatArray] | Note:
    batches = batches_of(load(folder))
    if not any(batch.documents for batch in batches.values()):
        return Note.of("no-documents")
    compared = set(systems)
    measures = {name: parse_measure(OF_SUMMARIES[name]) for name in names if name in OF_SUMMARIES}
    held = {name: np.full(len(rows), math.nan) for name in names}
    of_topic: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        of_topic.setdefault(row.topic, []).append(at)
    for topic, places in of_topic.items():
        batch = batches.get(topic)
        if batch is None or not batch.documents:
            continue
        if "source length" in held:
            held["source length"][places] = sum(count_words(document.text) for document in batch.documents)
        for name, measure in measures.items():
            scores = [s for s in measure.score(batch) if s.system in compared and s.value == s.value]
            for at in places:
                if values := [score.value for score in scores if rows[at].has(score)]:
                    mean = float(np.mean(values))
                    held[name][at] = 1 - mean if OF_SUMMARIES[name] == COPIED else mean
        batch.forget()
    return held
