"""Preferences instead of references: strengths of what was compared in pairs, and what such answers are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.base import TOPICS, AnyAnalysis, Length, R_co, analysis_function, each_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, READING, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.preferences.measures import Convergence, PreferenceTables
    from adjudge.analyses.preferences.source import PairSource
    from adjudge.analyses.preferences.strengths import PreferenceFit

Of = Literal["sentences", "summaries", "systems"]
By = Literal["answer", "cluster"]
Systems = Literal["machine", "all"]
Penalty = Literal["sentence", "printed", "none"]
Rows = Literal["mean", "topic", "set"]
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
    topics: str | Sequence[str] = TOPICS
    length: int | None = option(
        None, least=1, metavar="WORDS", help="Target length of the summaries, in words."
    )
    form: str | None = option(None, metavar="FORM", help="Form of the summaries, such as extract.")
    level: float = shared("level", help="Confidence level of the intervals; tests use 1 - level.")
    columns: Mapping[str, str] | None = option(
        None,
        command="map",
        metavar="FIELD=COLUMN",
        panel=READING,
        help="Which column has a field (FIELD= for none).",
    )
    delimiter: str | None = option(
        None,
        metavar="CHARACTER",
        panel=READING,
        help="What separates the columns, such as ';' or tab.",
        unset="recognised",
    )
    encoding: str = option(
        "utf-8",
        metavar="NAME",
        panel=READING,
        help="Encoding of the files, such as latin-1; UTF-16 is recognised.",
    )

    def read(self, source: Any) -> PairSource:
        from adjudge.analyses.preferences.source import read_pairs

        return read_pairs(source, columns=self.columns, delimiter=self.delimiter, encoding=self.encoding)


@dataclass(frozen=True)
class Prefer(PairAnalysis["PreferenceFit"]):
    """Rank by pairwise preferences: Bradley-Terry strengths, intervals, tests of all pairs.

    From a folder's answers or a table. With several topics, topics are independent; else answers are. Where assessors
    are named, conclusions are for others like them. The table pairs has a row per pair, win-probabilities how likely
    each one wins. With a judge, people answered on some topics and the judge on more: the strengths are people's, with
    narrower intervals.
    """

    NAME = "prefer fit"
    FUNCTION = "prefer"
    EXAMPLE = "adjudge prefer fit arena.csv --table strengths --table pairs"
    VARIANTS: ClassVar[Mapping[str, str]] = {"judge": "prefer_corrected"}
    WORK = "fitting"

    of: Of | None = option(
        None,
        metavar="WHAT",
        help="What to rank; sentences and summaries are ranked within each topic.",
        unset="what people were asked about",
    )
    _: KW_ONLY
    reliability: bool = option(False, help="Also print how reliable each assessor is.")
    checks: str | None = option(
        None, metavar="FILE", help="CSV of pairs with a known winner: topic,left,right,winner."
    )
    ties: TieModel = option(
        "half", metavar="HOW", help="A tie counts as half a win for each, or has a parameter of its own."
    )
    position: bool = option(False, help="Model an advantage of the side shown first.")
    smooth: bool = option(True, panel=ADVANCED, help="An answer counts for similar sentences too.")
    similarity: str = option(
        "tfidf-jaccard",
        metavar="NAME",
        panel=ADVANCED,
        help="Similarity of sentences: tfidf-jaccard, tfidf, jaccard or embedding.",
    )
    independent: By | None = option(
        None,
        metavar="WHAT",
        panel=ADVANCED,
        help="What is independent: answers, or topics (cluster). Then conclusions are for these assessors.",
        unset="topics where there are several, and assessors",
    )
    regularise: float | None = option(
        None,
        least=0,
        metavar="WINS",
        panel=ADVANCED,
        help="Wins and losses added to every item, against one of strength 1. Then nothing is tested.",
        unset="as few as a finite maximum takes",
    )

    def check(self) -> None:
        if self.checks is not None and not self.reliability:
            raise UsageError(
                f"{Argument('checks')} compares assessors with known answers: say {Argument('reliability')} too"
            )

    def to_run(self, source: PairSource) -> Sequence[Prefer]:
        """One for every topic, where items are a topic's own."""
        from adjudge.analyses.preferences.strengths import kind_of, topics_of

        source = source.of_topics(self.topics)
        of = kind_of(source, self)
        if of is None or of == "systems":
            return [self]
        return [replace(self, of=of, topics=(topic,)) for topic in topics_of(source, self, of)]

    def run(self, source: PairSource) -> PreferenceFit:
        from adjudge.analyses.preferences.strengths import fit_source

        return fit_source(source, self)


prefer = analysis_function(Prefer)
fits = each_function(Prefer)
"""Of sentences or summaries one fit for every topic, of systems one."""


@dataclass(frozen=True)
class PreferenceStudy(AnyAnalysis[R_co]):
    """What preferences between sentences are worth beside other measures, with the options that such studies share."""

    GROUP = "Judge"
    SOURCE = ("evaluation", "an evaluation or its folder")

    people: str | None = option(
        None, of="measure", metavar="MEASURE", help="What people say: expert:relevance, coverage, ..."
    )
    _: KW_ONLY
    systems: Systems = option(
        "machine", metavar="WHO", help="Whose summaries: machines and baselines, or all systems."
    )
    length: Length = option(
        None,
        least=1,
        metavar="WORDS|all",
        help="Target length of the summaries, in words; all: each topic's mean over the lengths.",
    )
    form: str | None = option(None, metavar="FORM", help="Form of the summaries, such as extract.")
    topics: str | Sequence[str] = TOPICS
    level: float = shared("level")
    seed: int = shared("seed")
    similarity: str = option(
        "tfidf-jaccard",
        metavar="NAME",
        panel=ADVANCED,
        help="Similarity of sentences: tfidf-jaccard, tfidf, jaccard or embedding.",
    )
    smooth: bool = option(True, panel=ADVANCED, help="An answer counts for similar sentences too.")
    penalty: Penalty = option("sentence", metavar="HOW", panel=ADVANCED, help="Penalty for repetition.")
    workers: int | Literal["auto"] = option(
        1,
        compare=False,
        least=1,
        metavar="N|auto",
        panel=ADVANCED,
        help="Number of processes.",
    )

    @property
    def people_measure(self) -> str:
        """The measure that is people's."""
        if self.people is None:
            raise UsageError(f"which measure is people's? say {Argument('people', 'MEASURE')}")
        return self.people

    def read(self, source: Any) -> PairSource:
        from adjudge.analyses.preferences.source import read_folder

        return read_folder(source)


@dataclass(frozen=True)
class PreferencesNeeded(PreferenceStudy["Convergence"]):
    """Show how agreement with people grows with the number of answers (Zopf 2018, figure 3).

    ROUGE and JS are shown for comparison, and scored first where needed. n answers of a topic are drawn at random, for
    n = 10, 20, ... and all, as often as there are runs. The table topics has every topic.
    """

    NAME = "prefer converge"
    FUNCTION = "preferences_needed"
    METHOD = "prefer.converge"
    EXAMPLE = 'adjudge prefer converge my-eval --people "rating(aspect=relevance)" --runs 10 --step 50'
    WORK = "scoring, then drawing answers"

    _: KW_ONLY
    step: int = option(10, least=1, metavar="N", help="Answers between two points of the curve.")
    runs: int = option(100, least=1, metavar="N", help="Number of random orders of the answers.")

    def run(self, source: PairSource) -> Convergence:
        from adjudge.analyses.preferences.measures import convergence_of

        return convergence_of(source, self)


@dataclass(frozen=True)
class PreferenceReport(PreferenceStudy["PreferenceTables"]):
    """Print the four tables of Zopf (2018): agreement with people, and order of sentences.

    Missing scores are computed first. Named measures are in a table of their own. The table columns has a row for every
    column of a table.
    """

    NAME = "prefer report"
    FUNCTION = "preference_tables"
    METHOD = "prefer.report"
    EXAMPLE = 'adjudge prefer report my-eval --people "rating(aspect=relevance)" --rows topic'
    WORK = "scoring"

    measure: str | Sequence[str] = option(
        (), short="m", of="measure", metavar="SPEC", help="More measures, in a separate table."
    )
    _: KW_ONLY
    rows: Rows = option("mean", metavar="WHAT", help="Also print a row per topic or document set.")
    half: bool = option(False, help="A measure's tie counts as half an agreement, not as none.")
    ties: Literal["half", "paper"] = option(
        "half",
        command="simulated_ties",
        metavar="HOW",
        panel=ADVANCED,
        help="How simulated assessors answer a tie.",
    )
    asked: int | Literal["all"] = option(
        "all", least=1, metavar="N|all", panel=ADVANCED, help="Number of people's answers to use."
    )
    simulated: int | Literal["paper", "all"] = option(
        "paper",
        least=1,
        metavar="N|paper|all",
        panel=ADVANCED,
        help="Pairs to simulate for ref and py; paper: 200 with people's answers, 1000 alone.",
    )
    crowd: bool = option(
        False, panel=ADVANCED, help="Weight assessors by their agreement with the others (Crowd-BT)."
    )
    idle: float = option(
        120.0, least=1, metavar="SECONDS", panel=ADVANCED, help="Longest time counted for one answer."
    )

    def run(self, source: PairSource) -> PreferenceTables:
        from adjudge.analyses.preferences.measures import tables_of

        return tables_of(source, self)


preferences_needed = analysis_function(PreferencesNeeded)
preference_tables = analysis_function(PreferenceReport)
