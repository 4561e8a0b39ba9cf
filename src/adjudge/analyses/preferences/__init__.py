"""Preferences instead of references: strengths of what was compared in pairs, and what such answers are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.base import AnyAnalysis, R_co, analysis_function, each_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, READING, option, shared
from adjudge.core.phrases import Argument, Phrase

if TYPE_CHECKING:
    from adjudge.analyses.preferences.source import PairSource
    from adjudge.analyses.preferences.strengths import PreferenceFit

Of = Literal["sentences", "summaries", "systems"]
By = Literal["answer", "cluster"]
TieModel = Literal["half", "davidson", "rao-kupper"]

PAIRS = (
    "an evaluation or its folder, a table of pairs (CSV, TSV, Excel, Parquet; '-' is standard input) with"
    " winner,loser or a,b,winner or model_a,model_b,winner, a DataFrame, or tuples"
)


@dataclass(frozen=True)
class PairAnalysis(AnyAnalysis[R_co]):
    """An analysis of answers to pairs, with the options that all of these have."""

    METHOD = ""
    GROUP = "Judge"
    SOURCE = ("source", PAIRS)

    _: KW_ONLY
    topic: str | Sequence[str] = option((), of="topic", metavar="T", help="Only the answers on these topics.")
    length: int | None = option(
        None, least=1, metavar="WORDS", help="Of a folder: target length of the summaries."
    )
    form: str | None = option(
        None, metavar="FORM", help="Of a folder: form of the summaries, such as extract."
    )
    level: float = shared("level", help="Of intervals; tests are at 1 less this.")
    columns: Mapping[str, str] | None = option(
        None,
        command="map",
        metavar="FIELD=COLUMN",
        panel=READING,
        help="In which column a field stands (FIELD= for none).",
    )
    delimiter: str | None = option(
        None,
        metavar="CHARACTER",
        panel=READING,
        help="Between columns, such as ';' or tab.",
        unset="found out",
    )
    encoding: str = option(
        "utf-8", metavar="NAME", panel=READING, help="Such as latin-1; UTF-16 is found out."
    )

    def read(self, source: Any) -> PairSource:
        from adjudge.analyses.preferences.source import read_pairs

        return read_pairs(source, columns=self.columns, delimiter=self.delimiter, encoding=self.encoding)


@dataclass(frozen=True)
class Prefer(PairAnalysis["PreferenceFit"]):
    """Bradley-Terry strengths with intervals, ranks and tests of all pairs, from a folder's answers or a bare table.

    Over several topics these are what is independent, otherwise answers. The table pairs has a row per pair, the table
    win-probabilities how likely each wins against each. With a judge, people answered on some topics and the judge on
    more: strengths are people's, made surer by the judge.
    """

    NAME = "prefer fit"
    FUNCTION = "prefer"
    EXAMPLE = "adjudge prefer fit arena.csv --table strengths --table pairs"
    VARIANTS: ClassVar[Mapping[str, str]] = {"judge": "prefer_corrected"}
    WORK = "fitting"

    of: Of | None = option(
        None,
        metavar="WHAT",
        help="Of a folder: whose strengths; those of sentences and summaries are topic by topic.",
        unset="what people were asked about",
    )
    _: KW_ONLY
    assessors: bool = option(False, help="How reliable every assessor is.")
    checks: str | None = option(
        None, metavar="FILE", help="CSV of pairs whose winner is known: topic,left,right,winner."
    )
    ties: TieModel = option("half", metavar="HOW", help="What a tie is: half a win each, or a parameter.")
    position: bool = option(False, help="With an effect of what is shown first.")
    smooth: bool = option(True, panel=ADVANCED, help="Of sentences: an answer tells of similar ones too.")
    similarity: str = option(
        "tfidf-jaccard",
        metavar="NAME",
        panel=ADVANCED,
        help="Of sentences: tfidf-jaccard, tfidf, jaccard, embedding.",
    )
    by: By | None = option(
        None,
        metavar="WHAT",
        panel=ADVANCED,
        help="What is independent: answers, or topics (cluster).",
        unset="topics where there are several",
    )
    regularise: float | None = option(
        None,
        least=0,
        metavar="WINS",
        panel=ADVANCED,
        help="Wins and losses that every item is given against one of strength 1; then nothing is tested.",
        unset="as few as a finite maximum takes",
    )

    def check(self) -> None:
        if self.checks is not None and not self.assessors:
            raise UsageError(
                Phrase(
                    "{checks} compares assessors with known answers: say {assessors} too",
                    checks=Argument("checks"),
                    assessors=Argument("assessors"),
                )
            )

    def each(self, source: PairSource) -> Sequence[Prefer]:
        """One for every topic, where items are a topic's own."""
        from adjudge.analyses.preferences.strengths import kind_of, topics_of

        of = kind_of(source, self)
        if of is None or of == "systems":
            return [self]
        return [replace(self, of=of, topic=(topic,)) for topic in topics_of(source, self, of)]

    def run(self, source: PairSource) -> PreferenceFit:
        from adjudge.analyses.preferences.strengths import fit_source

        return fit_source(source, self)


prefer = analysis_function(Prefer)
fits = each_function(Prefer)
"""Of sentences or summaries one fit for every topic, of systems one."""
