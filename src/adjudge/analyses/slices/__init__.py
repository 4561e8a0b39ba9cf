"""How systems compare within slices of topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument
from adjudge.data.scores import Pool

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.slices.result import SystemSlices

OF_TOPICS = ("set", "type", "task", "selector")
OF_TARGETS = ("length", "form")
OF_TEXTS = ("source length", "compression", "copy rate", "fragment density")
SLICED_BY = (*OF_TOPICS, *OF_TARGETS, *OF_TEXTS)
"""What topics, or summaries of one topic, are sliced by."""
Correct = Literal["holm", "bonferroni", "bh", "none"]


@dataclass(frozen=True, kw_only=True)
class Slices(Analysis["SystemSlices"]):
    """Compare systems on parts of the topics, and say whether their differences vary.

    Slices are by what is known of topics (set, type, task, selector), by target length and form, and by thirds of the
    topics by length of the source, compression and copying. A permutation test says whether differences vary: topics
    (minus their mean over systems) change places between slices; for lengths and forms, the scores of a topic do.
    """

    NAME = "slices"
    EXAMPLE = "adjudge slices my-eval -m rouge-2 --by type"
    RUNS = "measure"

    by: str | Sequence[str] = option(
        (),
        metavar="PROPERTY",
        unset="all",
        help=f"Slice by these: {', '.join(name.replace(' ', '-') for name in SLICED_BY)}.",
    )
    alpha: float = shared("alpha")
    correct: Correct = option(
        "holm", metavar="HOW", help="Correction of p-values for the number of properties."
    )
    resamples: int = option(
        9999, least=99, metavar="N", panel=ADVANCED, help="Permutations of topics between slices."
    )
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")
    seed: int = shared("seed", panel=ADVANCED)

    def check(self) -> None:
        names = [name.strip().lower().replace("-", " ") for text in self.by for name in text.split(",")]
        for name in filter(None, names):
            if name not in SLICED_BY:
                raise UsageError(
                    f"{Argument('by')} is {quoted(name)}{nearest(name, SLICED_BY)}; expected one of:"
                    f" {', '.join(SLICED_BY)}"
                )
        object.__setattr__(self, "by", tuple(dict.fromkeys(filter(None, names))))

    def run(self, scores: Scores) -> SystemSlices:
        from adjudge.analyses.slices.result import sliced

        return sliced(scores, self)


slices = analysis_function(Slices)
