"""What people answered, in tables as DUC-2002 prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.analyses.base import TOPICS, AnyAnalysis, analysis_function
from adjudge.core.errors import DataError
from adjudge.core.options import shared

if TYPE_CHECKING:
    from adjudge.analyses.gathered import Gathered
    from adjudge.analyses.judged.result import JudgedTables


@dataclass(frozen=True, kw_only=True)
class Judged(AnyAnalysis["JudgedTables"]):
    """Print judgments as DUC-2002 did: quality, coverage, unmarked units, ratings, agreement.

    There is a table for everything that was judged. A name stands for all tables whose names begin with it.
    """

    NAME = "judgments tables"
    FUNCTION = "judged_tables"
    GROUP = "Judge"
    EXAMPLE = "adjudge judgments tables my-eval"
    SOURCE = ("evaluation", "an evaluation or its folder")

    topics: str | Sequence[str] = TOPICS
    alpha: float = shared("alpha", help="Significance level; intervals have the level 1 - alpha.")
    seed: int = shared("seed")

    def read(self, source: Any) -> Gathered:
        from adjudge.analyses.gathered import chosen_in, gathered_in, need_folder

        gathered = gathered_in(need_folder(source))
        return gathered.of_topics(chosen_in(gathered.collection, self.topics))

    def run(self, source: Gathered) -> JudgedTables:
        from adjudge.analyses.judged.result import judged_tables

        result = judged_tables(source, self)
        if not result.parts:
            name = source.collection.settings.name
            raise DataError(f"{name}: no judgments yet; bring them in with: adjudge judgments import")
        return result


judged_tables = analysis_function(Judged)
