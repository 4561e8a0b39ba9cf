"""Rankel, Conroy, Slud and O'Leary 2011: topics differ, so that systems are compared topic by topic, by paired tests.

Several years stand side by side; figures are of the last, as in the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.choice import main_target
from adjudge.analyses.catalogue.spec import FigureOptions
from adjudge.analyses.counts import COUNTED, Counts
from adjudge.analyses.counts.result import counts_of
from adjudge.analyses.scores import Scores
from adjudge.analyses.tests import Test
from adjudge.analyses.topics import Topics
from adjudge.core.words import listed
from adjudge.data.target import Target
from adjudge.measures.spec import judge_of
from adjudge.reports.papers.paper import Lacking, Material, Paper, Part, Piece

SWAPS: tuple[Test, ...] = ("mc:w", "mc:t-unpaired")
BOOTSTRAP: tuple[Test, ...] = ("hb:w", "hb:t-unpaired")
"""Section 4 has both ways of resampling, of W and of the unpaired T, 2,000 times."""
SCORE = "score {where} -m rankel-2011"


@dataclass(frozen=True)
class Metric:
    """One of the paper's five metrics: how measures of it are called, and what gets one that is not there."""

    name: str
    pattern: str
    how: str
    spec: str = ""
    """The measure that the paper has, where it is one of Adjudge's own."""

    def measures(self, scores: Scores) -> list[str]:
        """Those of it that have scores, people's first; of several numbered questions their mean."""
        names = [
            name
            for name in scores.people_first()
            if re.search(self.pattern, name.casefold()) and scores.info[name].better and not judge_of(name)
        ]
        if self.spec in names:
            return [self.spec]
        numbered = [name for name in names if NUMBERED.search(name)]
        rest = [name for name in names if name not in numbered]
        return [*rest, f"mean({', '.join(numbered)})"] if len(numbered) > 1 else names


NUMBERED = re.compile(r"=\d+\)$")
LINGUISTIC = Metric(
    "linguistic quality",
    r"linguistic|quality|readab|grammat|fluen|aspect=\d+\)$",
    "assign {where} --protocol linguistic-quality",
)
OVERALL = Metric("overall responsiveness", r"overall|responsiv", "assign {where} --protocol responsiveness")
PYRAMID = Metric("pyramid", r"pyramid", "assign {where} --protocol pyramid")
ROUGE_2 = Metric("ROUGE-2", r"rouge-?2(?!\d)", SCORE, "rouge-2-recall(limit=100w)")
ROUGE_SU4 = Metric("ROUGE-SU4", r"rouge-?su\*?4", SCORE, "rouge-su4(limit=100w)")
METRICS = (LINGUISTIC, OVERALL, PYRAMID, ROUGE_2, ROUGE_SU4)


def _data(material: Material) -> Mapping[str | None, Scores]:
    """The data sets by their names; one has none."""
    several: dict[str | None, Scores] = dict(material.data_sets.items())
    return several or {None: material.scores}


def measures_of(material: Material) -> list[str]:
    """The paper's metrics in its order, people's other measures before ROUGE; all measures where none is of these."""
    data = _data(material).values()
    by_metric = [[name for scores in data for name in metric.measures(scores)] for metric in METRICS]
    people = [name for scores in data for name in scores.people_first() if scores.by_people(name)]
    asked = {name for name in people if NUMBERED.search(name)}  # which their mean stands for
    manual = [name for names in by_metric[:3] for name in names]
    kept = dict.fromkeys([*manual, *(name for name in people if name not in asked)])
    kept |= dict.fromkeys(name for names in by_metric[3:] for name in names)
    return list(kept) or list(dict.fromkeys(name for scores in data for name in scores.people_first()))


def _lacking(metrics: Sequence[Metric], material: Material) -> Lacking:
    """That there are no scores of these, and how to get those that a program gives, or else the first."""
    names = listed([metric.name for metric in metrics])
    if material.scores.folder is None:
        return Lacking(f"{material.name} has no {names} scores: give them as more rows or columns")
    how = next((metric.how for metric in metrics if metric.spec), metrics[0].how)
    return Lacking(f"there are no {names} scores", how.format(where=material.where))


def _no_pairs(data: Iterable[Scores], material: Material) -> Lacking:
    """Why there are no pairs of a human and a machine."""
    if any(kind == "human" for scores in data for kind in scores.kinds.values()):
        return Lacking("every system is human, so that there are no pairs of a human and a machine")
    return Lacking(
        "no system is known to be human", f"reproduce rankel-2011 {material.where} --human PATTERN"
    )


def _at(scores: Scores, measures: Sequence[str]) -> Target | None:
    """The length and form with most scores by these measures; None where there is one."""
    there = tuple(name for name in measures if name in scores.measures)
    return main_target(scores, FigureOptions(measures=there))


def _options(material: Material, measure: str) -> FigureOptions:
    """What a figure draws of a measure: the length and form that tables count, else those with most of its scores."""
    scores = material.scores
    for target in (_at(scores, measures_of(material)), _at(scores, [measure])):
        if target is not None:
            length, form = scores.target_for(measure, *target)
            if not scores.all_missing(measure, length, form):
                return FigureOptions(measures=(measure,), length=length, form=form)
    return FigureOptions(measures=(measure,))


def _figure_1(material: Material) -> Iterator[Piece]:
    """How topics differ, by overall responsiveness, and which differ from the one that differs from most."""
    measure = next(iter([*OVERALL.measures(material.scores), *measures_of(material)]))
    at = _options(material, measure)
    topics = Topics(measure=measure, length=at.length, form=at.form)
    result = topics.run(material.scores)
    chosen = max(result.standings, key=lambda topic: topic.differs)
    if chosen.differs:
        result = replace(topics, against=chosen.topic).run(material.scores)
    yield result
    yield result.figure("topics")


def _heat(metric: Metric) -> Callable[[Material], Iterator[Piece]]:
    """Every system's score on every topic, in the data's order."""

    def make(material: Material) -> Iterator[Piece]:
        if not (measures := metric.measures(material.scores)):
            raise _lacking([metric], material)
        yield CATALOGUE["heat"].drawn(
            material.scores, replace(_options(material, measures[0]), order="given")
        )

    return make


def _counted(
    *tables: str, ways: Sequence[Sequence[Test]] = (COUNTED,)
) -> Callable[[Material], Iterator[Piece]]:
    """How many pairs the tests find, each data set at the length and form with most scores; a table for each way."""

    def make(material: Material) -> Iterator[Piece]:
        measures, data = measures_of(material), _data(material)
        targets = {name: target for name, scores in data.items() if (target := _at(scores, measures))}
        asked = [Counts(measure=measures, tests=tests, seed=material.seed) for tests in ways]
        results = [counts_of(data, one, targets) for one in asked]
        there = [table.name for table in results[0].tables()]
        for table in tables:
            yield from (result.only([table]) for result in results if table in there)
        if not set(tables) <= set(there):
            raise _no_pairs(data.values(), material)
        absent = [metric for metric in METRICS if not any(map(metric.measures, data.values()))]
        if absent and tables == ("pairs",):  # said once
            raise _lacking(absent, material)

    return make


PAPER = Paper(
    name="rankel-2011",
    short="Rankel et al. 2011",
    title="Ranking human and machine summarization systems",
    several=True,
    parts=(
        Part(
            name="Figure 1",
            section="section 1",
            about="how topics differ: mean ranks of overall responsiveness with Tukey's intervals",
            make=_figure_1,
        ),
        *(
            Part(
                name=f"Figure {number}",
                section="section 1",
                about=f"{metric.name} scores of every system on every topic",
                make=_heat(metric),
            )
            for number, metric in enumerate((OVERALL, LINGUISTIC, PYRAMID, ROUGE_2), 2)
        ),
        Part(
            name="Table 1",
            section="section 4",
            about="how many pairs of systems differ significantly, by metric and test",
            make=_counted("pairs"),
        ),
        Part(
            name="Table 2",
            section="section 4",
            about="how many pairs of a human and a machine differ significantly, by metric and test",
            make=_counted("human-machine"),
        ),
        Part(
            name="Tables 1 and 2, resampled",
            section="section 4",
            about="the same pairs by Monte Carlo swaps and the hybrid bootstrap, of W and of the unpaired T",
            make=_counted("pairs", "human-machine", ways=(SWAPS, BOOTSTRAP)),
        ),
    ),
)
