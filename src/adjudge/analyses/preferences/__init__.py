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
                f"{Argument('checks')} compares assessors with known answers: say {Argument('assessors')} too"
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
        "machine", metavar="WHO", help="Whose summaries: those of machines and baselines, or all."
    )
    length: Length = option(
        None, least=1, metavar="WORDS|all", help="Target length; all averages within a topic first."
    )
    form: str | None = option(None, metavar="FORM", help="Form of summaries, such as extract.")
    topics: str | Sequence[str] = TOPICS
    level: float = shared("level")
    seed: int = shared("seed")
    similarity: str = option(
        "tfidf-jaccard",
        metavar="NAME",
        panel=ADVANCED,
        help="Of sentences: tfidf-jaccard, tfidf, jaccard, embedding.",
    )
    smooth: bool = option(True, panel=ADVANCED, help="Let an answer speak for similar sentences too.")
    penalty: Penalty = option("sentence", metavar="HOW", panel=ADVANCED, help="For saying things twice.")
    workers: int | Literal["auto"] = option(
        1,
        compare=False,
        least=1,
        metavar="N|auto",
        panel=ADVANCED,
        help="Processes that work at the same time.",
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
    """How agreement with people grows with the number of answers, beside ROUGE and JS (figure 3 of Zopf 2018).

    n answers are drawn at random from those of a topic, for n = 10, 20, ... and all, as often as there are runs. The
    table topics has every topic. What ROUGE and JS need to be scored is scored first.
    """

    NAME = "prefer converge"
    FUNCTION = "preferences_needed"
    METHOD = "prefer.converge"
    EXAMPLE = 'adjudge prefer converge my-eval --people "rating(aspect=relevance)" --runs 10 --step 50'
    WORK = "scoring, then drawing answers"

    _: KW_ONLY
    step: int = option(10, least=1, metavar="N", help="Answers from one point to the next.")
    runs: int = option(100, least=1, metavar="N", help="Random orders of the answers.")

    def run(self, source: PairSource) -> Convergence:
        from adjudge.analyses.preferences.measures import convergence_of

        return convergence_of(source, self)


@dataclass(frozen=True)
class PreferenceReport(PreferenceStudy["PreferenceTables"]):
    """The four tables of Zopf 2018 for an evaluation: agreement with people, and order of sentences.

    Scores what the tables need and is not scored yet. With measures named, one more table holds these. The table
    columns has a row for every column of a table.
    """

    NAME = "prefer report"
    FUNCTION = "preference_tables"
    METHOD = "prefer.report"
    EXAMPLE = 'adjudge prefer report my-eval --people "rating(aspect=relevance)" --rows topic'
    WORK = "scoring"

    measure: str | Sequence[str] = option(
        (), short="m", of="measure", metavar="SPEC", help="Further measures, in a table of their own."
    )
    _: KW_ONLY
    rows: Rows = option("mean", metavar="WHAT", help="Above the means, a row per topic or per document set.")
    half: bool = option(False, help="A measure's tie agrees by half, instead of not at all.")
    ties: Literal["half", "paper"] = option(
        "half", metavar="HOW", panel=ADVANCED, help="Simulated answers of equal worth."
    )
    asked: int | Literal["all"] = option(
        "all", least=1, metavar="N|all", panel=ADVANCED, help="How many of people's answers to draw."
    )
    simulated: int | Literal["paper", "all"] = option(
        "paper",
        least=1,
        metavar="N|paper|all",
        panel=ADVANCED,
        help="Pairs to simulate for ref and py: paper is 200 beside people's answers, 1000 alone.",
    )
    crowd: bool = option(
        False, panel=ADVANCED, help="Believe assessors as far as they agree with the others (Crowd-BT)."
    )
    idle: float = option(
        120.0, least=1, metavar="SECONDS", panel=ADVANCED, help="A longer pause counts as this."
    )

    def run(self, source: PairSource) -> PreferenceTables:
        from adjudge.analyses.preferences.measures import tables_of

        return tables_of(source, self)


preferences_needed = analysis_function(PreferencesNeeded)
preference_tables = analysis_function(PreferenceReport)
