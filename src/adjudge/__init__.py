"""Adjudge: which summarizers are really better, and how sure can we be?

    import adjudge

    e = adjudge.open("my-eval")
    e.score("rouge-2")
    print(e.compare("rouge-2").headline())

Every analysis takes an evaluation, a path to its folder, a file of scores or a DataFrame:

    adjudge.compare("scores.csv")

Nothing heavy is loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.agreement import agreement as agreement
    from adjudge.analyses.anova import anova as anova
    from adjudge.analyses.anova import anova_ordinal as anova_ordinal
    from adjudge.analyses.assessors import dossiers as dossiers
    from adjudge.analyses.catalogue.catalogue import figure as figure
    from adjudge.analyses.compare import compare as compare
    from adjudge.analyses.compare import compare_all as compare_all
    from adjudge.analyses.compare.texts import Texts, TextScores
    from adjudge.analyses.corrected import compare_corrected as compare_corrected
    from adjudge.analyses.corrected import prefer_corrected as prefer_corrected
    from adjudge.analyses.counts import counts as counts
    from adjudge.analyses.drift import judge_drift as judge_drift
    from adjudge.analyses.examples import examples as examples
    from adjudge.analyses.groups import groups as groups
    from adjudge.analyses.judged import judged_tables as judged_tables
    from adjudge.analyses.judges import judge_report as judge_report
    from adjudge.analyses.lengths import lengths as lengths
    from adjudge.analyses.meta import meta as meta
    from adjudge.analyses.mismatch import mismatch as mismatch
    from adjudge.analyses.plan import plan as plan
    from adjudge.analyses.preferences import prefer as prefer
    from adjudge.analyses.preferences import preference_tables as preference_tables
    from adjudge.analyses.preferences import preferences_needed as preferences_needed
    from adjudge.analyses.scores import HasScores, LowerIsBetter, Patterns, Scores
    from adjudge.analyses.simulate import simulate as simulate
    from adjudge.analyses.slices import slices as slices
    from adjudge.analyses.stability import stability as stability
    from adjudge.analyses.topics import topics as topics
    from adjudge.core.engine import Workers
    from adjudge.evaluation import Evaluation
    from adjudge.evaluation import report as report
    from adjudge.evaluation import reproduce as reproduce

__version__ = "0.1.0"

ANALYSES = {
    "compare": "compare",
    "compare_all": "compare",
    "counts": "counts",
    "compare_corrected": "corrected",
    "groups": "groups",
    "lengths": "lengths",
    "simulate": "simulate",
    "anova": "anova",
    "anova_ordinal": "anova",
    "topics": "topics",
    "slices": "slices",
    "agreement": "agreement",
    "examples": "examples",
    "mismatch": "mismatch",
    "plan": "plan",
    "dossiers": "assessors",
    "stability": "stability",
    "prefer": "preferences",
    "prefer_corrected": "corrected",
    "preferences_needed": "preferences",
    "preference_tables": "preferences",
    "judged_tables": "judged",
    "judge_report": "judges",
    "judge_drift": "drift",
    "meta": "meta",
    "figure": "catalogue.catalogue",
}
"""The analyses, and the modules of `adjudge.analyses` that they live in."""

__all__ = ["__version__", "init", "open", "read_scores", "report", "reproduce", "rouge", *ANALYSES]


def __getattr__(name: str) -> Any:
    """The analyses, `report` and `reproduce`, imported when one is asked for."""
    if name in ("report", "reproduce"):
        return getattr(import_module("adjudge.evaluation"), name)
    if name not in ANALYSES:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    function = getattr(import_module(f"adjudge.analyses.{ANALYSES[name]}"), name)
    if not hasattr(function, "declaration"):
        from adjudge.analyses.scores import with_table_options

        function = with_table_options(function)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    """The public names only."""
    return sorted(__all__)


def open(path: str | Path, *, create: bool = False) -> Evaluation:
    """The evaluation in a folder; with `create`, also one that its first import is to make."""
    from adjudge.evaluation import Evaluation

    return Evaluation.open(path, create=create)


def init(path: str | Path, *, name: str | None = None) -> Evaluation:
    """A new, empty evaluation in a folder."""
    from adjudge.evaluation import Evaluation

    return Evaluation.init(path, name=name)


def read_scores(
    source: str | Path | pd.DataFrame | HasScores,
    *,
    human: Patterns = (),
    baseline: Patterns = (),
    measure: str | None = None,
    lower_is_better: LowerIsBetter = False,
    length: int | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    encoding: str = "utf-8",
    decimal: str | None = None,
    transpose: bool = False,
    leave_out: str | Collection[str] = (),
    topics: str | Collection[str] = (),
    assessors: str | Collection[str] = (),
    without: str | Collection[str] = (),
) -> Scores:
    """Scores to compare: of an evaluation's folder, of a file (`-`: standard input), or of a DataFrame
    of any library (pandas, polars, lazy ones, Arrow tables).

    `human` and `baseline` name systems where the data does not say their kinds: `human="H*"`. `topics` says which
    topics: `topics="task=multi"`. `without` names assessors whose scores are left out. The other options say how to
    read a table; see `formats.scoretable.read`.
    """
    from adjudge.analyses.scores import read_scores
    from adjudge.formats.scoretable import TableOptions

    options = TableOptions(
        measure=measure,
        lower_is_better=lower_is_better,
        length=length,
        form=form,
        columns=columns,
        delimiter=delimiter,
        quotes=quotes,
        encoding=encoding,
        decimal=decimal,
        transpose=transpose,
        leave_out=leave_out,
        topics=topics,
        assessors=assessors,
        without=without,
        human=human,
        baseline=baseline,
    )
    return read_scores(source, options)


def rouge(
    peers: Texts | Mapping[str, Texts],
    references: Texts | Iterable[Texts],
    measures: str | Sequence[str] | None = None,
    *,
    split_sentences: bool = False,
    language: str = "en",
    workers: Workers = 1,
) -> TextScores:
    """Score texts against references, without a folder: one text with one or several, or two lists of pairs.

    `rouge("A storm.", ["The storm.", "It stormed."])` is one text with two references, `rouge(outputs, references)`
    a list of texts with a list of as many references, whose items may be lists; a mapping of such lists has several
    systems, which are compared. Measures are a text or a list; without any, F of ROUGE-1, 2, L and Lsum as rouge-score
    gives it, with recall and precision beside it. ROUGE-Lsum takes a line as a sentence, or with `split_sentences` what
    the sentence rules find.
    """
    from adjudge.analyses.compare.texts import rouge

    return rouge(
        peers, references, measures, split_sentences=split_sentences, language=language, workers=workers
    )
