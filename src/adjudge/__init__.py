"""Adjudge: which summarizers are really better, and how sure can we be?

    import adjudge

    e = adjudge.open("my-eval")
    e.score("rouge-2")
    print(e.compare("rouge-2").headline())

Nothing heavy is loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Patterns, Scores, TableOptions
    from adjudge.evaluation import Evaluation

__version__ = "0.1.0"
__all__ = ["__version__", "init", "open", "read_scores", "rouge"]


def open(path: str | Path) -> Evaluation:
    """The evaluation in a folder."""
    from adjudge.evaluation import Evaluation

    return Evaluation.open(path)


def init(path: str | Path, *, name: str | None = None) -> Evaluation:
    """A new, empty evaluation in a folder."""
    from adjudge.evaluation import Evaluation

    return Evaluation.init(path, name=name)


def read_scores(
    path: str | Path, *, human: Patterns = (), baseline: Patterns = (), **table: Unpack[TableOptions]
) -> Scores:
    """Scores to compare: those of an evaluation's folder, or those in a file (`-`: standard input).

    `human` and `baseline` name systems where the data does not say their kinds: `human="H*"`. The other
    options say how to read a table: measure, lower_is_better, length, columns, delimiter, quotes, encoding.
    """
    from adjudge.comparisons.scores import Scores, is_folder, no_table
    from adjudge.evaluation import Evaluation

    if not is_folder(path):
        return Scores.read(path, human=human, baseline=baseline, **table)
    no_table(path, table)
    return Evaluation.open(path).data(human=human, baseline=baseline)


def rouge(
    peer: str,
    references: Sequence[str],
    measures: Sequence[str] = ("rouge-1", "rouge-2", "rouge-l", "rouge-su4"),
) -> dict[str, float]:
    """ROUGE of one text against references, without a folder: a number per measure spec."""
    from adjudge.measures.rouge.text import rouge

    return rouge(peer, references, measures)
