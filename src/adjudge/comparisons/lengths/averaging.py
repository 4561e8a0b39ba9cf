"""One row per topic out of several lengths. Comparing lengths with each other lives in run.py.

A system's value on a topic is the mean over the lengths that every compared system on that topic has: a mean over
other lengths for every system would compare lengths, not systems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.data.scores import ScoreMatrix
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import numpy as np

Length = int | None
_ROW = re.compile(r"(.*) @ (\d+|unset)", re.DOTALL)
NO_LENGTH = "no length that every system on this topic has"


@dataclass(frozen=True)
class LeftOut:
    """A length that was left out of topics' means, on how many of them, and who has no score there."""

    length: Length
    topics: int
    systems: tuple[str, ...]

    def __str__(self) -> str:
        lack = "has" if len(self.systems) == 1 else "have"
        return (
            f"{length_words(self.length)} left out of the mean on {counted(self.topics, 'topic')}:"
            f" {listed(self.systems)} {lack} no score there"
        )


def length_words(length: Length) -> str:
    """`100 words`; a length that is unset has no number."""
    return "no set length" if length is None else counted(length, "word")


def averaged(rows: ScoreMatrix) -> ScoreMatrix:
    """Rows of topics and lengths (`ScoreTable.matrix(..., length="all")`) as one row per topic.

    Rows that are not named `TOPIC @ LENGTH` have one length, and stay as they are.
    """
    found = [match for name in rows.topics if (match := _ROW.fullmatch(name))]
    if not found or len(found) < len(rows.topics):
        return rows
    parts: dict[Length, list[int]] = {}
    for index, match in enumerate(found):
        parts.setdefault(None if match[2] == "unset" else int(match[2]), []).append(index)
    named = tuple(match[1] for match in found)
    return averaged_within_topics({n: _rows(rows, at, named) for n, at in parts.items()})[0]


def averaged_within_topics(
    matrices: Mapping[Length, ScoreMatrix],
) -> tuple[ScoreMatrix, tuple[LeftOut, ...]]:
    """One matrix out of one per length, and the lengths that were left out of topics' means.

    A system with no score on a topic at any length is missing there; it takes no length from the others.
    """
    import numpy as np

    topics = tuple(dict.fromkeys(t for m in matrices.values() for t in m.topics))
    systems = tuple(dict.fromkeys(s for m in matrices.values() for s in m.systems))
    values = np.stack([_placed(m, topics, systems, m.values, np.nan) for m in matrices.values()])
    counts = np.stack([_placed(m, topics, systems, m.counts, 0) for m in matrices.values()]).astype(int)
    present = ~np.isnan(values)
    there = present.any(axis=0)
    # A length counts on a topic where every system that is there at all is there at that length.
    used = (present | ~there).all(axis=2) & present.any(axis=2)
    kept = present & used[:, :, None]
    n = kept.sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, a missing cell
        means = np.where(kept, values, 0.0).sum(axis=0) / n
    means.flags.writeable = False
    holes = _reasons(matrices, topics, systems, n == 0, there)
    first = next(iter(matrices.values()))
    signature = f"{first.info.signature or first.measure}|lengths:averaged-within-topics"
    return (
        ScoreMatrix(
            means,
            np.where(kept, counts, 0).sum(axis=0),
            topics,
            systems,
            replace(first.info, signature=signature),
            None,
            first.pool,
            holes,
        ),
        _left_out(tuple(matrices), present, used, systems),
    )


def _rows(rows: ScoreMatrix, at: list[int], topics: tuple[str, ...]) -> ScoreMatrix:
    """Some rows of a matrix, under their topics' names."""
    names = {rows.topics[index]: topics[index] for index in at}
    missing = tuple((names[t], s, why) for t, s, why in rows.missing if t in names)
    return replace(
        rows, values=rows.values[at], counts=rows.counts[at], topics=tuple(names.values()), missing=missing
    )


def _placed(
    matrix: ScoreMatrix, topics: tuple[str, ...], systems: tuple[str, ...], what: np.ndarray, empty: float
) -> np.ndarray:
    """A matrix's array in the rows and columns of all topics and systems."""
    import numpy as np

    placed = np.full((len(topics), len(systems)), empty)
    row = {topic: index for index, topic in enumerate(topics)}
    column = {system: index for index, system in enumerate(systems)}
    placed[np.ix_([row[t] for t in matrix.topics], [column[s] for s in matrix.systems])] = what
    return placed


def _reasons(
    matrices: Mapping[Length, ScoreMatrix],
    topics: tuple[str, ...],
    systems: tuple[str, ...],
    empty: np.ndarray,
    there: np.ndarray,
) -> tuple[tuple[str, str, str], ...]:
    import numpy as np

    said = {(t, s): why for m in matrices.values() for t, s, why in m.missing}
    return tuple(
        (topics[i], systems[j], NO_LENGTH if there[i, j] else said.get((topics[i], systems[j]), "no score"))
        for i, j in np.argwhere(empty)
    )


def _left_out(
    lengths: tuple[Length, ...], present: np.ndarray, used: np.ndarray, systems: tuple[str, ...]
) -> tuple[LeftOut, ...]:
    import numpy as np

    found = []
    there = present.any(axis=0)
    for index, length in enumerate(lengths):
        dropped = present[index].any(axis=1) & ~used[index]
        lacking = (there & ~present[index])[dropped].any(axis=0)
        if dropped.any():
            names = tuple(systems[j] for j in np.flatnonzero(lacking))
            found.append(LeftOut(length, int(np.count_nonzero(dropped)), names))
    return tuple(found)
