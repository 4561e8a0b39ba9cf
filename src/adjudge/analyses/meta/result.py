"""The whole meta-evaluation: how well measures stand in for people, part by part.

Measures and people are put on the same cells once, and each part is asked for its answer. A part that cannot be had
says why instead of stopping the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.meta import USUAL, Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.results import Note, Parts, Result
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.scores import Among

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.core.picture import Figure

FILES = ("conclusion-pairs", "composite-scores", "agreement-by-topic")
"""Tables on demand that a page has files of: every pair's conclusions, composites' scores, agreement on every topic."""


@dataclass(frozen=True)
class MetaRun:
    """What the parts work on."""

    scores: Scores
    cells: Cells
    asked: Meta

    @cached_property
    def among(self) -> tuple[Among, ...]:
        return self.asked.choices(self.cells)

    @property
    def collection(self) -> Collection:
        """The texts of the evaluation."""
        if self.scores.folder is None:
            raise DataError("it needs the texts of an evaluation's folder, and there are scores alone")
        return load(Folder.open(self.scores.folder))

    @cached_property
    def compared(self) -> Mapping[tuple[str, Among], Comparison | str]:
        """People's comparison of the systems, by human measure and choice of systems; or why there is none."""
        from adjudge.analyses.compare import Compare

        asked = self.asked
        compared: dict[tuple[str, Among], Comparison | str] = {}
        for human in self.cells.humans:
            for among in self.among:
                how = Compare(
                    measure=human.info.measure,
                    length=asked.length,
                    form=asked.form,
                    test=asked.test,
                    correct=asked.correct,
                    alpha=asked.alpha,
                    among=among,
                    resamples=asked.resamples,
                    seed=asked.seed,
                    without=asked.without,
                )
                try:
                    compared[human.info.measure, among] = how.result(self.scores)
                except AdjudgeError as error:
                    compared[human.info.measure, among] = str(error)
        return compared


def _correlations(run: MetaRun) -> Result:
    from adjudge.analyses.meta.correlations import correlate_all

    return correlate_all(run.cells, run.asked, run.asked.progress)


def _ranks(run: MetaRun) -> Result:
    from adjudge.analyses.meta.ranks import rank_tables

    return rank_tables(run.cells, run.compared, run.among)


def _slices(run: MetaRun) -> Result:
    from adjudge.analyses.meta.slices import slices

    asked = run.asked
    return slices(
        run.scores,
        run.cells,
        by=asked.by,
        coefficient=asked.correlated_by[0],
        among=run.among,
        alpha=asked.alpha,
        correct=asked.step_correction,
        resamples=asked.resamples,
        seed=asked.seed,
    )


def _accuracy(run: MetaRun) -> Result:
    from adjudge.analyses.meta.accuracy import accuracy_all

    return accuracy_all(run.cells, run.asked)


def _ceiling(run: MetaRun) -> Result:
    from adjudge.analyses.meta.ceiling import ceiling_all

    return ceiling_all(run.cells, run.asked)


def _fooling(run: MetaRun) -> Result:
    from adjudge.analyses.meta.fooling import fooling

    asked = run.asked
    return fooling(
        run.collection,
        cells=run.cells,
        length=asked.length,
        form=asked.form,
        level=1 - asked.alpha,
        seed=asked.seed,
        progress=asked.progress,
    )


def _conclusions(run: MetaRun) -> Result:
    from adjudge.analyses.meta.conclusions import agree_on_conclusions

    asked = run.asked
    mixed: tuple[Among, ...] = (*run.among, "human-machine") if len(run.among) > 1 else run.among
    return agree_on_conclusions(
        run.cells,
        test=asked.test,
        correct=asked.correct,
        alpha=asked.alpha,
        among=mixed,
        resamples=asked.resamples,
        seed=asked.seed,
    )


def _better(run: MetaRun) -> Result:
    from adjudge.analyses.meta.better import better_measures

    asked = run.asked
    # Williams' test is of one correlation; the input level has one for every topic.
    levels = [level for level in asked.levels if level != "input" or asked.measure_test != "williams"]
    return better_measures(
        run.cells,
        levels=levels,  # type: ignore[arg-type]
        coefficients=asked.compared_by,
        among=run.among,
        test=asked.measure_test,
        swap=asked.swap,
        alpha=asked.alpha,
        correct=asked.step_correction,
        resamples=asked.resamples,
        seed=asked.seed,
        progress=asked.progress,
    )


def _power(run: MetaRun) -> Result:
    from adjudge.analyses.counts import COUNTED
    from adjudge.analyses.meta.power import discriminative_power

    asked = run.asked
    return discriminative_power(
        run.cells, tests=asked.tests or COUNTED, alpha=asked.alpha, resamples=asked.resamples, seed=asked.seed
    )


def _curves(run: MetaRun) -> Result:
    from adjudge.analyses.meta.curves import learning_curves

    asked = run.asked
    return learning_curves(
        run.cells,
        run.scores,
        level=asked.levels[0],  # type: ignore[arg-type]
        coefficient=asked.correlated_by[0],
        among=run.among,
        length=asked.length,
        form=asked.form,
        draws=asked.resamples,
        seed=asked.seed,
        alpha=asked.alpha,
        correction="none" if asked.correct == "none" else "holm",
        progress=asked.progress,
    )


def _composites(run: MetaRun) -> Result:
    from adjudge.analyses.meta.composites import composites

    return composites(run.cells, run.asked)


def _hotelling(run: MetaRun) -> Result:
    from adjudge.analyses.meta.hotelling import hotelling

    asked = run.asked
    return hotelling(
        run.cells,
        among=run.among,
        alpha=asked.alpha,
        correct=asked.step_correction,
        resamples=asked.resamples,
        seed=asked.seed,
    )


QUESTIONS: Mapping[str, tuple[str, Callable[[MetaRun], Result]]] = {
    "correlations": ("How far do measures correlate with people?", _correlations),
    "ranks": ("Do measures rank systems as people do?", _ranks),
    "accuracy": ("How often do measures order systems and summaries as people do?", _accuracy),
    "ceiling": ("How do measures compare with one more assessor?", _ceiling),
    "conclusions": ("Would a measure have led to the same conclusions?", _conclusions),
    "power": ("How many differences does each measure find?", _power),
    "better": ("Which measure is better?", _better),
    "composites": ("Are measures better together?", _composites),
    "hotelling": ("Which systems differ on all measures together?", _hotelling),
    "fooling": ("Can measures be fooled?", _fooling),
    "curves": ("How many references, topics, judgments?", _curves),
    "slices": ("Where does a measure fail?", _slices),
}


def answers(scores: Scores, asked: Meta) -> MetaResult:
    """The answers to the questions that are asked; an error where there is none at all."""
    cells = cells_of(
        scores,
        asked.human,
        asked.measure or (),
        length=asked.length,
        form=asked.form,
        all_topics=asked.all_topics,
        without=asked.without,
    )
    run = MetaRun(scores, cells, asked)
    among = run.among  # refused before the work
    parts: dict[str, Result] = {}
    absent: dict[str, str] = {}
    for name in asked.parts:
        asked.progress(0, 1)
        try:
            parts[name] = QUESTIONS[name][1](run)
        except (DataError, UsageError) as error:
            absent[name] = error.text
    if not parts:
        raise DataError("; ".join(dict.fromkeys(absent.values())))
    in_full = () if asked.parts == USUAL else tuple(parts)
    result = MetaResult(asked=asked, cells=cells, among=among, parts=parts, absent=absent, in_full=in_full)
    unsaid = dict.fromkeys(line for name in result.measures_used for line in scores.unsaid_notes(name))
    return replace(result, about_scores=tuple(unsaid))


@dataclass(frozen=True, repr=False, kw_only=True)
class MetaResult(Parts):
    """A meta-evaluation: its parts by name, and why others are absent."""

    QUESTIONS: ClassVar[Mapping[str, str]] = {name: question for name, (question, _) in QUESTIONS.items()}
    MAIN = "correlations"

    asked: Meta
    cells: Cells
    among: tuple[Among, ...]

    @property
    def measures_used(self) -> list[str]:
        humans = [human.info.measure for human in self.cells.humans]
        return [*humans, *(info.measure for info in self.cells.measures)]

    def how(self) -> str:
        asked = self.asked
        humans = "+".join(human.info.measure for human in self.cells.humans)
        return (
            f"{humans}|among:{'+'.join(self.among)}|resample:{asked.resample}|R:{asked.resamples or 'own'}"
            f"|seed:{asked.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.cells.name,
            "humans": [human.info.measure for human in self.cells.humans],
            "measures": [info.measure for info in self.cells.measures],
            "systems": list(self.cells.systems),
            "topics": len(self.cells.topics),
        }

    def notes(self) -> Iterator[Note]:
        yield from self.cells.notes
        infos = (*self.cells.measures, *(human.info for human in self.cells.humans))
        if lower := [info.words for info in infos if info.better == "lower"]:
            yield Note.of("lower-is-better", measures=lower)
        asked = self.asked
        taken = dict.fromkeys(("better", "hotelling", "slices"), asked.step_correction)
        taken["curves"] = "none" if asked.correct == "none" else "holm"
        if other := [name for name in self.parts if taken.get(name, asked.correct) != asked.correct]:
            yield Note.of("corrected-otherwise", correct=asked.correct, parts=other)
        if asked.texts is not None:
            yield Note.of("texts-written", folder=asked.texts)

    def figure(self, kind: str | None = None, **options: Any) -> Figure:
        """A part's figure; groups of measures have the intervals of their correlations, where these are there too."""
        if kind == "measure-groups" and "correlations" in self.parts:
            options.setdefault("correlations", self.parts["correlations"])
        return super().figure(kind, **options)

    def files(self) -> dict[str, str]:
        """Every part as CSV, and all tables as LaTeX, by the names of files."""
        tables = {name: part.to_csv() for name, part in self.parts.items()}
        tables |= {name: make().to_csv() for name, make in self.on_demand().items() if name in FILES}
        return {f"{name}.csv": text for name, text in tables.items()} | {"meta.tex": self.to_latex()}
