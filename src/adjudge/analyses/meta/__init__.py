"""How well measures stand in for people: the declaration of the meta-evaluation and its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.tests import DEFAULT_TEST, parts_of
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.threads import one_thread

if TYPE_CHECKING:
    from adjudge.analyses.meta.cells import Cells
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.analyses.scores import Scores
    from adjudge.data.scores import Among
    from adjudge.stats.multiple import Correction

Level = Literal["system", "input", "global"]
Coefficient = Literal["pearson", "spearman", "kendall-b", "kendall-c"]
Resample = Literal["systems", "inputs", "both", "assessors", "all"]
MeasureTest = Literal["permutation", "williams"]
Swap = Literal["systems", "inputs", "both"]
Systems = Literal["machines", "humans", "all"]
Property = Literal["set", "type", "task", "selector", "length", "source length", "compression", "copy rate"]
Part = Literal[
    "verdicts",
    "correlations",
    "ranks",
    "accuracy",
    "ceiling",
    "conclusions",
    "power",
    "better",
    "composites",
    "hotelling",
    "fooling",
    "curves",
    "slices",
]
PARTS: tuple[Part, ...] = get_args(Part)
USUAL: tuple[Part, ...] = ("verdicts", "correlations", "accuracy", "ceiling", "conclusions", "better")
"""The parts of a plain call: those that take seconds and need no texts."""
LEVELS: tuple[Level, ...] = get_args(Level)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
PROPERTIES: tuple[Property, ...] = get_args(Property)
"""What slices of topics are by: what is said of a topic, and what its texts tell."""
NAMED, MEASURED = PROPERTIES[:5], PROPERTIES[5:]
RESAMPLES = 1000
"""Of intervals, unless a number is asked for."""


@dataclass(frozen=True, kw_only=True)
class Meta(Analysis["MetaResult"]):
    """How well each measure stands in for people, how sure that is, and which measure is better.

    First a verdict on every measure, and on your own beside the best known. Then correlations at the system, input and
    global level with intervals, pairwise accuracy, the human ceiling, agreement of conclusions, tests of measures
    against each other; as further parts rank tables, discriminative power, composites, a check whether measures can be
    fooled, curves of references, topics and assessors, and slices. `to_frame` and CSV have a row per measure, human
    measure, level and coefficient; of a single part that part's rows.
    """

    NAME = "meta"
    GROUP = "Trust"
    EXAMPLE = "adjudge meta rated.csv --people overall"
    RUNS = "once"
    LEAVES_OUT = False
    WORK = "answering"
    PAGE = "adjudge.analyses.meta.page:write_meta"
    ON_A_PAGE: ClassVar[Mapping[str, Any]] = {"parts": PARTS}

    people: str | Sequence[str] = option(
        (),
        of="measure",
        metavar="MEASURE",
        help="What people say: a measure, or what was asked, as overall.",
        unset="all that assessors gave",
    )
    against_measure: str | None = option(
        None,
        of="measure",
        metavar="MEASURE",
        help="Compare your own measures (imported, plug-ins, formulas, judges) with this one.",
        unset="the best published one",
    )
    parts: str | Sequence[str] = option(
        USUAL, choices=PARTS, command="part", metavar="NAME", help="The questions to answer, or all."
    )
    levels: Level | Sequence[Level] = option(
        LEVELS,
        command="level",
        metavar="LEVEL",
        help="Of correlations; curves are of the first, slices of the input level.",
    )
    coefficients: Coefficient | Sequence[Coefficient] = option(
        (),
        command="coefficient",
        metavar="NAME",
        help="Of correlations; the first makes the sentences. Measures are compared by those that are named, else by"
        " pearson.",
        unset="all",
    )
    among: Systems | Sequence[Systems] = option(
        (), metavar="WHICH", help="Systems to look at.", unset="all, and machines where humans are among them"
    )
    alpha: float = shared("alpha", help="Of tests; 1 - alpha is the level of intervals.")
    seed: int = shared("seed")
    resamples: int | None = option(
        None,
        least=2,
        metavar="N",
        panel=ADVANCED,
        help="Of intervals, tests and curves, in every part.",
        unset="each part's own",
    )
    resample: Resample = option(
        "all", metavar="WHAT", panel=ADVANCED, help="What intervals take as a sample."
    )
    all_topics: bool = option(
        False, panel=ADVANCED, help="System means of measures over all their topics, judged or not."
    )
    closer_than: float | None = option(
        None,
        above=0,
        metavar="D",
        panel=ADVANCED,
        help="Accuracy also among pairs of systems that people put less than this apart.",
    )
    measure_test: MeasureTest = option(
        "permutation", metavar="TEST", panel=ADVANCED, help="Of measures against each other."
    )
    swap: Swap = option("systems", metavar="WHAT", panel=ADVANCED, help="What the permutation swaps over.")
    tests: str | Sequence[str] = option(
        (),
        metavar="A,B",
        panel=ADVANCED,
        help="Of power and composites: tests to count with, of mc and hb as mc:w too.",
        unset="t-unpaired, t and wilcoxon",
    )
    by: Property | Sequence[Property] = option(
        (), metavar="WHAT", panel=ADVANCED, help="Of slices.", unset="all that is known"
    )
    test: str = option(
        DEFAULT_TEST,
        metavar="TEST",
        panel=ADVANCED,
        help="Of people's ranks and of conclusions, as of compare.",
    )
    correct: str = option(
        "holm",
        choices=tuple(CORRECTIONS),
        metavar="HOW",
        panel=ADVANCED,
        help="Correction for many pairs; where a part does not have it, Holm's.",
    )

    def check(self) -> None:
        names = tuple(name.strip() for text in self.tests for name in text.split(",") if name.strip())
        object.__setattr__(self, "tests", names)
        for test in (self.test, *names):
            parts_of(test)
        if self.measure_test == "williams" and self.levels == ("input",):
            raise UsageError(
                "Williams' test is of one correlation, and the input level has one for every topic: choose the system"
                " level, or the permutation test"
            )

    @property
    def correlated_by(self) -> tuple[Coefficient, ...]:
        return tuple(self.coefficients) or COEFFICIENTS  # type: ignore[arg-type]

    @property
    def compared_by(self) -> tuple[Coefficient, ...]:
        """Coefficients by which measures are compared with each other."""
        return tuple(self.coefficients) or COEFFICIENTS[:1]  # type: ignore[arg-type]

    @property
    def interval_resamples(self) -> int:
        return RESAMPLES if self.resamples is None else self.resamples

    @property
    def step_correction(self) -> Correction:
        """The correction of parts without Westfall and Young's, which is one of tests of systems: then Holm's."""
        from adjudge.stats.multiple import Correction

        return "holm" if self.correct not in get_args(Correction) else self.correct  # type: ignore[return-value]

    def choices(self, cells: Cells) -> tuple[Among, ...]:
        """The systems to look at; AESOP's two settings where people's summaries are among them."""
        for which in self.among:
            cells.among(which)  # type: ignore[arg-type]
        mixed = cells.has_humans and len(set(cells.kinds)) > 1
        return tuple(self.among) or (("machines", "all") if mixed else ("all",))  # type: ignore[arg-type]

    def run(self, scores: Scores) -> MetaResult:
        from adjudge.analyses.meta.result import answers

        with one_thread():
            return answers(scores, self)


meta = analysis_function(Meta)
