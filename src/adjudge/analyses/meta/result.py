"""The whole meta-evaluation: how well measures stand in for people, part by part.

`meta` puts measures and people on the same cells once, and asks each part for its answer. A part that cannot be had
says why instead of stopping the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.options import MetaOptions
from adjudge.analyses.meta.words import COEFFICIENTS, LEVELS, PROPERTIES
from adjudge.analyses.parts import PartsResult, ResultPart, listed_names, several_names
from adjudge.analyses.scores import Patterns, Scores, Source, scores_of
from adjudge.core.errors import AdjudgeError, DataError, UsageError, nearest, quoted
from adjudge.core.table import plain
from adjudge.core.words import listed
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.scores import AllLengths, Among

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.meta.better import MeasureTest
    from adjudge.core.picture import Figure
    from adjudge.stats.correlation import Coefficient, CorrelationLevel, Resample
    from adjudge.stats.measure_tests import Swap

Progress = Callable[[str, int, int], None]
MEASURE_TESTS: tuple[MeasureTest, ...] = ("permutation", "williams")
SWAPS: tuple[Swap, ...] = ("systems", "inputs", "both")
PAIRS, COMPOSED, BY_TOPIC = "conclusion-pairs.csv", "composite-scores.csv", "agreement-by-topic.csv"
"""The files with every pair's conclusions, the composites' scores, and the agreement on every topic."""
RESAMPLED: tuple[Resample, ...] = ("systems", "inputs", "both", "assessors", "all")


@dataclass(frozen=True)
class MetaRun:
    """What the parts work on."""

    scores: Scores
    cells: Cells
    options: MetaOptions
    without: tuple[str, ...] = ()
    step: Callable[[int, int], None] = lambda done, of: None

    @property
    def collection(self) -> Collection:
        """The texts of the evaluation."""
        if self.scores.folder is None:
            raise DataError("it needs the texts of an evaluation's folder, and there are scores alone")
        return load(Folder.open(self.scores.folder))

    @cached_property
    def compared(self) -> Mapping[tuple[str, Among], Comparison | str]:
        """People's comparison of the systems, by human measure and choice of systems; or why there is none."""
        from adjudge.analyses.compare import compare

        found: dict[tuple[str, Among], Comparison | str] = {}
        for human in self.cells.humans:
            for among in self.options.among:
                try:
                    found[human.info.measure, among] = compare(
                        self.scores,
                        human.info.measure,
                        length=self.options.length,
                        form=self.options.form,
                        test=self.options.test,
                        correct=self.options.correct,
                        alpha=self.options.alpha,
                        among=among,
                        resamples=self.options.resamples,
                        seed=self.options.seed,
                        without=self.without,
                    )
                except AdjudgeError as error:
                    found[human.info.measure, among] = str(error)
        return found


@dataclass(frozen=True)
class PartSpec:
    """A part by its name: the question that it answers, and how it is made."""

    name: str
    question: str
    make: Callable[[MetaRun], ResultPart]


def _correlations(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.correlations import correlate_all

    return correlate_all(run.cells, run.options, run.step)


def _ranks(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.ranks import rank_tables

    return rank_tables(run.cells, run.compared, run.options.among)


def _slices(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.slices import slices

    o = run.options
    return slices(
        run.scores,
        run.cells,
        by=o.by,
        coefficient=o.coefficients[0],
        among=o.among,
        alpha=o.alpha,
        correct=o.step_correction,
        resamples=o.resamples,
        seed=o.seed,
    )


def _accuracy(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.accuracy import accuracy_all

    return accuracy_all(run.cells, run.options)


def _ceiling(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.ceiling import ceiling_all

    return ceiling_all(run.cells, run.options)


def _fooling(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.fooling import fooling

    o = run.options
    return fooling(
        run.collection,
        cells=run.cells,
        length=o.length,
        form=o.form,
        level=1 - o.alpha,
        seed=o.seed,
        progress=run.step,
    )


def _conclusions(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.conclusions import agree_on_conclusions

    o = run.options
    mixed: tuple[Among, ...] = (*o.among, "human-machine") if len(o.among) > 1 else o.among
    return agree_on_conclusions(
        run.cells,
        test=o.test,
        correct=o.correct,
        alpha=o.alpha,
        among=mixed,
        resamples=o.resamples,
        seed=o.seed,
    )


def _better(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.better import better_measures

    o = run.options
    # Williams' test is of one correlation; the input level has one for every topic.
    levels = [level for level in o.levels if level != "input" or o.measure_test != "williams"]
    return better_measures(
        run.cells,
        levels=levels,
        coefficients=o.compared_by,
        among=o.among,
        test=o.measure_test,
        swap=o.swap,
        alpha=o.alpha,
        correct=o.step_correction,
        resamples=o.resamples,
        seed=o.seed,
        progress=run.step,
    )


def _power(run: MetaRun) -> ResultPart:
    from adjudge.analyses.counts import COUNTED
    from adjudge.analyses.meta.power import discriminative_power

    o = run.options
    return discriminative_power(
        run.cells, tests=o.tests or COUNTED, alpha=o.alpha, resamples=o.resamples, seed=o.seed
    )


def _curves(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.curves import learning_curves

    o = run.options
    return learning_curves(
        run.cells,
        run.scores,
        level=o.levels[0],
        coefficient=o.coefficients[0],
        among=o.among,
        length=o.length,
        form=o.form,
        draws=o.resamples,
        seed=o.seed,
        alpha=o.alpha,
        correction="none" if o.correct == "none" else "holm",
        progress=run.step,
    )


def _composites(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.composites import composites

    return composites(run.cells, run.options)


def _hotelling(run: MetaRun) -> ResultPart:
    from adjudge.analyses.meta.hotelling import hotelling

    o = run.options
    return hotelling(
        run.cells,
        among=o.among,
        alpha=o.alpha,
        correct=o.step_correction,
        resamples=o.resamples,
        seed=o.seed,
    )


SPECS: dict[str, PartSpec] = {
    spec.name: spec
    for spec in (
        PartSpec("correlations", "How far do measures correlate with people?", _correlations),
        PartSpec("ranks", "Do measures rank systems as people do?", _ranks),
        PartSpec("accuracy", "How often do measures order systems and summaries as people do?", _accuracy),
        PartSpec("ceiling", "How do measures compare with one more assessor?", _ceiling),
        PartSpec("conclusions", "Would a measure have led to the same conclusions?", _conclusions),
        PartSpec("power", "How many differences does each measure find?", _power),
        PartSpec("better", "Which measure is better?", _better),
        PartSpec("composites", "Are measures better together?", _composites),
        PartSpec("hotelling", "Which systems differ on all measures together?", _hotelling),
        PartSpec("fooling", "Can measures be fooled?", _fooling),
        PartSpec("curves", "How many references, topics, judgments?", _curves),
        PartSpec("slices", "Where does a measure fail?", _slices),
    )
}
PARTS = tuple(SPECS)
USUAL = ("correlations", "accuracy", "ceiling", "conclusions", "better")
"""The parts of a plain call: those that take seconds and need no texts."""


def meta(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    human: str | Sequence[str] = (),
    parts: str | Sequence[str] = USUAL,
    levels: str | Sequence[str] = LEVELS,
    coefficients: str | Sequence[str] | None = None,
    resample: str = "all",
    among: str | None = None,
    all_topics: bool = False,
    length: int | AllLengths | None = None,
    form: str | None = None,
    test: str = "wilcoxon",
    correct: str = "holm",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    closer_than: float | None = None,
    measure_test: str = "permutation",
    swap: str = "systems",
    tests: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    human_systems: Patterns = (),
    without: str | Sequence[str] = (),
    progress: Progress = lambda part, done, of: None,
) -> MetaResult:
    """How well each measure stands in for people: `meta("my-eval", human="overall")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. `human` names
    the measures that are people's, also by what was asked; without it all that assessors gave. `measure` names the
    others; without it all that have a direction and nobody gave. `parts` are the questions to answer, one or several of
    PARTS, or "all". Correlations come at the system, input and global level, with intervals that `resample` systems,
    inputs, assessors or all of them. Where people's summaries are among the systems, `among` is machines or all, and
    without it both. With `all_topics` a measure's mean is over all its topics, judged or not. `human_systems` are
    patterns of systems that are human. `test` and `correct` are those of `compare`, `without` leaves out assessors.
    `resamples` goes to every part that resamples; without it each takes as many as it needs. `coefficients` are those
    of the correlations, all unless named; measures are compared with each other by those that are named, else by the
    first, and the first makes sentences, curves and slices. Slices are of the input level, whatever the `levels`.
    """
    found = scores_of(scores).with_humans(human_systems)
    _check_numbers(alpha, resamples, closer_than)
    wanted = several_names("part", parts, PARTS)
    named = [measure] if isinstance(measure, str) else measure or ()
    cells = cells_of(found, human, named, length=length, form=form, all_topics=all_topics, without=without)
    options = MetaOptions(
        levels=cast("tuple[CorrelationLevel, ...]", several_names("level", levels, LEVELS)),
        coefficients=cast(
            "tuple[Coefficient, ...]", several_names("coefficient", coefficients or "all", COEFFICIENTS)
        ),
        coefficients_named=bool(coefficients),
        resample=cast("Resample", several_names("resample", resample, RESAMPLED, one=True)[0]),
        among=_among(cells, among),
        test=test,
        correct=correct,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        closer_than=closer_than,
        measure_test=cast(
            "MeasureTest", several_names("measure test", measure_test, MEASURE_TESTS, one=True)[0]
        ),
        swap=cast("Swap", several_names("swap", swap, SWAPS, one=True)[0]),
        tests=listed_names(tests),
        by=listed_names(by),
        length=length,
        form=form,
    )
    made: dict[str, ResultPart] = {}
    absent: dict[str, str] = {}
    _check_choices(options)
    run = MetaRun(found, cells, options, without=(without,) if isinstance(without, str) else tuple(without))
    for name in wanted:
        progress(name, 0, 1)
        try:
            made[name] = SPECS[name].make(replace(run, step=partial(progress, name)))
        except (DataError, UsageError) as error:
            absent[name] = str(error)
    if not made:
        raise DataError("; ".join(dict.fromkeys(absent.values())))
    names = [*(each.info.measure for each in cells.humans), *(each.measure for each in cells.measures)]
    unsaid = (line for name in names for line in found.unsaid_notes(name))
    notes = [*cells.notes, *_turned(cells), *_corrected(options, made), *unsaid]
    return MetaResult(
        cells=cells, options=options, parts=made, absent=absent, notes=tuple(dict.fromkeys(notes))
    )


def _check_choices(options: MetaOptions) -> None:
    """Refuse what a part would refuse after the others have done their work."""
    from adjudge.analyses.compare import Compare
    from adjudge.analyses.tests import parts_of

    Compare(test=options.test, correct=options.correct)
    for test in options.tests:
        parts_of(test)
    for name in options.by:
        if name not in PROPERTIES:
            raise UsageError(
                f"slices by {quoted(name)}{nearest(name, PROPERTIES)}; expected one of: {', '.join(PROPERTIES)}"
            )
    if options.measure_test == "williams" and options.levels == ("input",):
        raise UsageError(
            "Williams' test is of one correlation, and the input level has one for every topic: choose the system"
            " level, or the permutation test"
        )


def _check_numbers(alpha: float, resamples: int | None, closer_than: float | None) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}, expected a number between 0 and 1")
    if resamples is not None and resamples < 2:
        raise UsageError(f"resamples is {resamples}, expected 2 or more")
    if closer_than is not None and not closer_than > 0:
        raise UsageError(f"closer_than is {closer_than:g}, expected a number above 0")


def _corrected(options: MetaOptions, made: Mapping[str, ResultPart]) -> list[str]:
    """Which parts correct otherwise than asked."""
    known = {
        "better": options.step_correction,
        "hotelling": options.step_correction,
        "slices": options.step_correction,
        "curves": "none" if options.correct == "none" else "holm",
    }
    other = [name for name in made if name in known and known[name] != options.correct]
    if not other:
        return []
    return [f"{options.correct} is no correction of {listed(other)}: Holm's is taken there"]


def _turned(cells: Cells) -> list[str]:
    lower = [
        each.words for each in (*cells.measures, *(h.info for h in cells.humans)) if each.better == "lower"
    ]
    if not lower:
        return []
    return [
        f"of {listed(lower)} lower scores are better: a positive correlation is agreement with people all the same"
    ]


def _among(cells: Cells, among: str | None) -> tuple[Among, ...]:
    """AESOP's two settings where people's summaries are among the systems; else all, who are machines."""
    if among is None:
        return ("machines", "all") if cells.has_humans and len(set(cells.kinds)) > 1 else ("all",)
    if among not in get_args(Among) or among == "human-machine":
        raise UsageError(f"among is {quoted(among)}, expected one of: all, machines, humans")
    chosen: Among = among  # type: ignore[assignment]
    cells.among(chosen)
    return (chosen,)


@dataclass(frozen=True, repr=False)
class MetaResult(PartsResult):
    """A meta-evaluation: its parts by name, and why others are absent."""

    QUESTIONS: ClassVar[Mapping[str, str]] = {spec.name: spec.question for spec in SPECS.values()}

    cells: Cells
    options: MetaOptions
    parts: Mapping[str, ResultPart]
    absent: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        o = self.options
        return (
            f"meta|{'+'.join(each.info.measure for each in self.cells.humans)}|among:{'+'.join(o.among)}"
            f"|resample:{o.resample}|R:{o.resamples or 'own'}|seed:{o.seed}|v:{__version__}"
        )

    def figure(self, kind: str | None = None, **options: Any) -> Figure:
        """A part's figure; groups of measures have the intervals of their correlations, where these are there too."""
        if kind == "measure-groups" and "correlations" in self.parts:
            options.setdefault("correlations", self.parts["correlations"])
        return super().figure(kind, **options)

    def to_frame(self) -> pd.DataFrame:
        """Of the correlations, or of the one part that there is: a row per measure, human measure and coefficient."""
        return self.parts[
            "correlations" if "correlations" in self.parts else next(iter(self.parts))
        ].to_frame()

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        found: dict[str, Any] = plain(
            {
                "name": self.cells.name,
                "humans": [each.info.measure for each in self.cells.humans],
                "measures": [each.measure for each in self.cells.measures],
                "systems": list(self.cells.systems),
                "topics": len(self.cells.topics),
                "headline": self.headline(),
                "parts": {name: part.as_dict() for name, part in self.parts.items()},
                "absent": dict(self.absent),
                "notes": list(self.all_notes()),
                "signature": self.signature,
            }
        )
        return found

    def files(self) -> dict[str, str]:
        """Every part as CSV, and all tables as LaTeX, by the names of files."""
        from adjudge.analyses.meta.accuracy import AccuracyResult
        from adjudge.analyses.meta.composites import CompositesResult
        from adjudge.analyses.meta.conclusions import ConclusionsResult
        from adjudge.core.table import frame_to_csv

        found = {f"{name}.csv": frame_to_csv(part.to_frame()) for name, part in self.parts.items()}
        if isinstance(pairs := self.parts.get("conclusions"), ConclusionsResult):
            found[PAIRS] = frame_to_csv(pairs.pairs_frame())
        if isinstance(made := self.parts.get("composites"), CompositesResult):
            found[COMPOSED] = frame_to_csv(made.scores_frame())
        if isinstance(accuracy := self.parts.get("accuracy"), AccuracyResult):
            found[BY_TOPIC] = frame_to_csv(accuracy.topics_frame())
        return found | {"meta.tex": self.to_latex()}
