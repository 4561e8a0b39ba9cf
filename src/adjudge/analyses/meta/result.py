"""The whole meta-evaluation: how well measures stand in for people, part by part.

Measures and people are put on the same cells once, and each part is asked for its answer. A part that cannot be had
says why instead of stopping the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.meta import USUAL, Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.verdicts import one_of, verdicts
from adjudge.analyses.scores import Scores
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Parts, Result
from adjudge.data.scores import Among

if TYPE_CHECKING:
    from adjudge.core.picture import Figure

FILES = ("conclusion-pairs", "composite-scores", "agreement-by-topic")
"""Tables on demand that a page has files of: every pair's conclusions, composites' scores, agreement on every topic."""


QUESTIONS: Mapping[str, tuple[str, str]] = {
    "verdicts": ("Which measures stand in for people?", "verdicts"),
    "correlations": ("How far do measures correlate with people?", "correlate_all"),
    "ranks": ("Do measures rank systems as people do?", "rank_tables"),
    "accuracy": ("How often do measures order systems and summaries as people do?", "accuracy_all"),
    "ceiling": ("How do measures compare with one more assessor?", "ceiling_all"),
    "conclusions": ("Would a measure have led to the same conclusions?", "agree_on_conclusions"),
    "power": ("How many differences does each measure find?", "discriminative_power"),
    "better": ("Which measure is better?", "better_measures"),
    "composites": ("Are measures better together?", "composites"),
    "hotelling": ("Which systems differ on all measures together?", "hotelling_all"),
    "fooling": ("Can measures be fooled?", "fooling_all"),
    "curves": ("How many references, topics, judgments?", "learning_curves"),
    "slices": ("Where does a measure fail?", "slices"),
}
"""By part, which is a module of this folder: what it asks, and its function that answers."""


def answers(scores: Scores, asked: Meta) -> MetaResult:
    """The answers to the questions that are asked; an error where there is none at all."""
    cells = cells_of(
        scores,
        asked.people,
        [*asked.measure, *one_of(scores, asked.against_measure)] if asked.measure else (),
        length=asked.length,
        form=asked.form,
        all_topics=asked.all_topics,
        without=asked.without,
    )
    run = MetaRun(cells, asked, scores)
    among = run.among  # refused before the work
    parts: dict[str, Result] = {}
    absent: dict[str, str] = {}
    for name in asked.parts:
        asked.progress(0, 1)
        try:
            if name != "verdicts":
                parts[name] = getattr(import_module(f"{__package__}.{name}"), QUESTIONS[name][1])(run)
        except (DataError, UsageError) as error:
            absent[name] = error.text
    if "verdicts" in asked.parts:
        parts = {"verdicts": verdicts(run, parts), **parts}
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
    MAIN, FIRST = "correlations", "verdicts"

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
        if self.cells.target:
            yield Note.of("of-one-target", target=self.cells.target)
        if not self.asked.people:
            yield Note.of("people-by-assessors", measures=[human.info.words for human in self.cells.humans])
        if lower := [info.words for info in infos if info.better == "lower"]:
            yield Note.of("lower-is-better", measures=lower)
        asked = self.asked
        taken = dict.fromkeys(("better", "hotelling", "slices"), asked.step_correction)
        taken["curves"] = "none" if asked.correct == "none" else "holm"
        if other := [name for name in self.parts if taken.get(name, asked.correct) != asked.correct]:
            yield Note.of("corrected-otherwise", correct=asked.correct, parts=other)

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
