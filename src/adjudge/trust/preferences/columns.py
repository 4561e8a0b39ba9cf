"""The measures that the tables put side by side: under which heading, and scored where they are not yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from adjudge.comparisons.scores import Scores
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.engine import Workers
from adjudge.errors import AdjudgeError
from adjudge.judgments.batch import Judgments
from adjudge.measures.judged.preference import Preference
from adjudge.measures.registry import parse_measures
from adjudge.measures.run import check_needs, score

MODEL_FREE = {"JS": "js"}
ROUGES = {"R1": "rouge-1", "R2": "rouge-2", "R3": "rouge-3", "R4": "rouge-4", "SU4": "rouge-su4"}
PYRAMID = {"PY": "pyramid"}
LINES = {**ROUGES, **MODEL_FREE}
"""What the trajectories of answers are held against: horizontal lines."""


@dataclass(frozen=True)
class Columns:
    """Scores, and why some measures have none."""

    data: Scores
    why: Mapping[str, str] = field(default_factory=dict)
    """By spec: what a measure needs and is not there."""


def columns(
    folder: Folder,
    collection: Collection,
    judgments: Judgments,
    specs: Iterable[str],
    *,
    workers: Workers = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Columns:
    """Score what is new or has changed of these measures; what cannot be scored says why. Imported ones are there."""
    why: dict[str, str] = {}
    ready = []
    for measure in parse_measures(spec for spec in specs if not imported(spec)):
        try:
            check_needs(collection, judgments, [measure])
        except AdjudgeError as error:
            why[str(measure)] = str(error)
        else:
            ready.append(measure)
    if ready:
        score(folder, collection, ready, judgments=judgments, workers=workers, progress=progress)
    data = Scores.of_folder(folder, collection, judgments)
    why |= {str(m): "no judgment gives such a score" for m in ready if str(m) not in data.measures}
    return Columns(data, why)


def imported(spec: str) -> bool:
    """Whether a measure came with its numbers, as `expert:relevance` did."""
    return ":" in spec.partition("(")[0]


def expanded(spec: str) -> list[str]:
    """The measures that a spec stands for, as tables name them."""
    return [spec] if imported(spec) else [str(measure) for measure in parse_measures([spec])]


def plainest(measure: Preference) -> Preference:
    """The same measure without options that make no difference to its source: one number has one name."""
    plain = Preference()
    if "man" not in measure.parts:
        measure = replace(measure, asked=plain.asked, crowd=plain.crowd)
    if measure.parts == ("man",):
        measure = replace(measure, ties=plain.ties, simulated=plain.simulated)
        if measure.asked == "all":
            measure = replace(measure, seed=plain.seed)
    return measure
