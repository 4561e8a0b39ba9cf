"""Which measure is closer to people? Every two measures compared by their correlations with the same human scores.

By permutation tests that swap the two measures (Deutsch, Dror and Roth 2021), or by Williams' test (Graham and Baldwin
2014), with groups of measures that do not differ significantly.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.conclusions import Conclusion
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words import TOO_FEW, coefficient_words, conclusion_words, over_words
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import listed, p_number
from adjudge.data.scores import Among, MeasureInfo

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray
    from adjudge.stats.correlation import Coefficient, CorrelationLevel
    from adjudge.stats.multiple import Correction

RESAMPLES = 10_000
"""Swaps at the least; where the correction for many pairs asks for smaller p-values, there are more."""
PER_PAIR = 10
"""Swaps for each p as small as alpha divided by the number of pairs: its smallest p is then a tenth of it."""
MOST_RESAMPLES = 100_000
MOST_GROUPED = 12
"""Measures up to which every two are compared where nobody asked for it: on pages, and in all figures at once."""
SWAPPED = {"systems": "systems", "inputs": "topics", "both": "systems and topics"}


@dataclass(frozen=True)
class MeasurePair:
    """Two measures, by their correlations with people over the summaries that all three have."""

    a: MeasureInfo
    b: MeasureInfo
    value_a: float
    value_b: float
    p: float
    corrected: float
    least: float
    """The smallest p that the test could have given."""
    conclusion: Conclusion
    systems: int
    topics: int
    cells: int
    undefined: int
    """At the input level: topics where a or b, whichever has more, has no correlation; the mean leaves them out."""
    method: str | None
    why: str | None
    reason: str | None
    """Why it was not tested, by the measures' names."""

    @property
    def difference(self) -> float:
        return self.value_a - self.value_b

    def lacking(self, asked: Meta) -> str:
        """Of what there is too little where no p could be small enough."""
        return "random swaps" if self.method == "swaps" else SWAPPED[asked.swap]


@dataclass(frozen=True)
class MeasurePlace:
    """One measure among all: its own correlation with people, its letters and the ranks that are left to it."""

    measure: MeasureInfo
    value: float
    """On the topics that people judged, which tests are about."""
    letters: str
    best: int | None
    worst: int | None
    """None without a correlation."""
    all_topics: float
    """By its means over all its topics, where such were asked for."""
    why: str | None
    """Why it has no correlation."""


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """All pairs of measures against one human measure, at one level, by one coefficient, corrected as one family."""

    human: MeasureInfo
    level: CorrelationLevel
    coefficient: Coefficient
    among: Among
    asked: Meta
    systems: int
    topics: int
    """That people judged; where all lengths were asked for, topics at a length."""
    distinct: int
    """Topics, whatever the length."""
    pairs: tuple[MeasurePair, ...]
    places: tuple[MeasurePlace, ...]
    """From the highest correlation on."""
    better: BoolArray
    """By place: the first is significantly better than the second."""
    exact: bool
    """Whether all swaps were taken of every pair."""
    some_exact: bool
    resamples: int
    further: bool
    """Whether correlations by means over all topics, judged or not, stand beside those that are tested."""
    signature: str

    @property
    def name(self) -> str:
        human = re.sub(r"\W+", "-", self.human.words).strip("-")
        return f"{human}-{self.level}-{self.coefficient}-{self.among}"

    @property
    def tested(self) -> int:
        """Pairs that have a p."""
        return sum(not math.isnan(pair.p) for pair in self.pairs)

    @property
    def correct(self) -> Correction:
        return self.asked.step_correction

    @property
    def where(self) -> str:
        """What every sentence is about."""
        return (
            f"with {self.human.words} at the {self.level} level by {coefficient_words(self.coefficient)}, among"
            f" {over_words(self.among)}"
        )

    @property
    def tested_by(self) -> str:
        """The test, in words."""
        if self.asked.measure_test == "williams":
            return "Williams' test"
        swaps = f"{'all or ' if self.some_exact else ''}{self.resamples:,} random"
        return f"permutation test, {'all' if self.exact else swaps} swaps over {SWAPPED[self.asked.swap]}"

    @property
    def lacking(self) -> str:
        """Of what there is too little for some pairs."""
        few = (pair.lacking(self.asked) for pair in self.pairs if pair.conclusion == TOO_FEW)
        return listed(list(dict.fromkeys(few)))

    def count(self, conclusion: Conclusion) -> int:
        return sum(pair.conclusion == conclusion for pair in self.pairs)

    def notes(self) -> Iterator[Note]:
        """Pairs without a test, cells that do not count, topics without a correlation."""
        for why, n in Counter(pair.reason for pair in self.pairs if pair.reason is not None).items():
            yield Note.of("pairs-not-tested", n=n, where=self.where, why=why)
        for place in self.places:
            if place.why is not None:
                yield Note.of("no-correlation", measure=place.measure.words, where=self.where, why=place.why)
        if self.further:
            yield Note.of("ordered-by-judged-topics", where=self.where)
        value = {place.measure.measure: place.value for place in self.places}
        turned = [
            [pair.a.words, pair.b.words]
            for pair in self.pairs
            if pair.conclusion == "differ"
            and pair.difference * (value[pair.a.measure] - value[pair.b.measure]) < 0
        ]
        if turned:
            yield Note.of("pairs-the-other-way-round", pairs=turned, where=self.where)
        sizes = {pair.cells for pair in self.pairs}
        if len(sizes) > 1:
            yield Note.of("summaries-in-common", least=min(sizes), most=max(sizes), where=self.where)
        if topics := max((pair.undefined for pair in self.pairs), default=0):
            yield Note.of("topics-without-correlation", n=topics, where=self.where)

    def tables(self) -> Iterator[Table]:
        """The measures in order with their groups, then the pairs."""
        heading = coefficient_words(self.coefficient, short=True)
        letters = {  # they stand close, or apart where there are very many
            place.measure.measure: set(place.letters.split() if " " in place.letters else place.letters)
            for place in self.places
        }
        untested = any(
            pair.conclusion == "not tested" and letters[pair.a.measure] & letters[pair.b.measure]
            for pair in self.pairs
        )
        yield Table.of(
            f"better-{self.name}",
            [
                vars(place)
                | {
                    "measure": place.measure.heading,
                    "letters": place.letters or None,
                    "ranks": place.best if place.best == place.worst else f"{place.best}-{place.worst}",
                }
                for place in self.places
            ],
            Column("measure", right=False),
            Column("value", heading, tiny=False),
            *([Column("all_topics", f"{heading}, all topics", tiny=False)] if self.further else []),
            Column("letters", "group", right=False, raised=False),
            Column("ranks", right=False, data=False),
            Column("best", show="never"),
            Column("worst", show="never"),
            title=f"Correlation {self.where}: measures that share a letter do not differ significantly"
            + (" or were not tested" if untested else ""),
            signature=self.signature,
        )
        rows = [
            vars(pair)
            | {
                "a": pair.a.heading,
                "b": pair.b.heading,
                "difference": pair.difference,
                "shown_p": p_number(pair.p) or None,
                "shown_corrected": p_number(pair.corrected) or None,
                "words": conclusion_words(pair.conclusion, pair.lacking(self.asked)),
            }
            for pair in self.pairs
        ]
        yield Table.of(
            f"better-pairs-{self.name}",
            rows,
            Column("a", "first", right=False),
            Column("b", "second", right=False),
            Column("value_a", f"first: {heading}", tiny=False),
            Column("value_b", f"second: {heading}", tiny=False),
            Column("difference", format="+.3f", tiny=False),
            Column("shown_p", "p", data=False, right=True),
            *([Column("shown_corrected", "corrected p", data=False, right=True)] if self.tested > 1 else []),
            Column("p", show="never"),
            Column("corrected", show="never"),
            Column("words", "conclusion", data=False, right=False),
            Column("conclusion", show="never"),
            title=f"Pairs of measures, correlation {self.where} ({self.tested_by})",
            signature=self.signature,
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per pair."""
        test, swap = self.asked.measure_test, self.asked.swap
        for pair in self.pairs:
            yield {
                "a": pair.a.measure,
                "b": pair.b.measure,
                "human": self.human.measure,
                "level": self.level,
                "coefficient": self.coefficient,
                "among": self.among,
                "test": test if test == "williams" else f"permutation:{swap}",
                **{name: getattr(pair, name) for name in ("method", "systems", "topics", "cells")},
                **{name: getattr(pair, name) for name in ("value_a", "value_b", "difference", "p")},
                "corrected_p": pair.corrected,
                "smallest_p": pair.least,
                "conclusion": pair.conclusion,
                "why": pair.why,
            }


@dataclass(frozen=True, repr=False, kw_only=True)
class BetterResult(Result):
    """Measures compared with each other: by human measure, level, coefficient and choice of systems."""

    WORDS = "adjudge.analyses.meta.words.better"
    ROWS_SAY_ALL: ClassVar[bool] = True
    FIGURES: ClassVar[Mapping[str, str]] = {"measure-groups": "adjudge.analyses.meta.figures:measure_groups"}
    FRAME = "better"
    IN_JSON = ("better",)

    comparisons: tuple[MeasureComparison, ...]

    def how(self) -> str:
        return "\n".join(compared.signature for compared in self.comparisons)

    def facts(self) -> dict[str, Any]:
        return {
            "comparisons": [
                {
                    "human": compared.human.measure,
                    "level": compared.level,
                    "coefficient": compared.coefficient,
                    "among": compared.among,
                    "test": compared.asked.measure_test,
                    "swap": None if compared.asked.measure_test == "williams" else compared.asked.swap,
                    "correct": compared.correct,
                    "alpha": compared.asked.alpha,
                }
                for compared in self.comparisons
            ]
        }

    def notes(self) -> Iterator[Note]:
        for compared in self.comparisons:
            for note in compared.notes():
                yield note.on(f"better-{compared.name}", f"better-pairs-{compared.name}")

    def tables(self) -> Iterator[Table]:
        for compared in self.comparisons:
            yield from compared.tables()

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"better": self._all_pairs}

    def _all_pairs(self) -> Table:
        """A row per pair of measures."""
        rows = [row for compared in self.comparisons for row in compared.records()]
        return Table.of("better", rows, *rows[0])


def better_measures(run: MetaRun) -> BetterResult:
    """Every two measures compared, against every human measure, at each level and by each coefficient.

    By a permutation test that swaps the measures over systems, inputs or both, or by Williams' test, which the input
    level does not have. Swaps over inputs, or both, speak of these systems alone. Unless a number is asked for, there
    are as many swaps as the correction needs; where there are no more in all, all are taken. p-values are corrected
    over the pairs of one human measure, level and coefficient. A pair counts the summaries that people and both
    measures have; the order is by each measure's own correlation on the topics that people judged.
    """
    measures, asked = run.cells.measures, run.asked
    if len(measures) < 2:
        raise DataError(f"there is one automatic measure, {measures[0].words}, and none to compare it with")
    wanted = [
        (cells, human, level, coefficient)
        for cells in run.choices
        for human in cells.humans
        for level in run.levels
        if level != "input" or asked.measure_test != "williams"
        for coefficient in asked.compared_by
    ]
    pairs = math.comb(len(measures), 2)
    comparisons = []
    for at, compared in enumerate(wanted):

        def progress(done: int, of: int, at: int = at) -> None:
            asked.progress(at * pairs + done, len(wanted) * pairs)

        comparisons.append(_compared(run, *compared, progress))
    return BetterResult(comparisons=tuple(comparisons))


def swaps_for(pairs: int, asked: Meta) -> int:
    """Random swaps that let the smallest p survive the correction of so many pairs, up to MOST_RESAMPLES."""
    burden = 1 if asked.step_correction == "none" else pairs
    return asked.resamples or min(MOST_RESAMPLES, max(RESAMPLES, math.ceil(PER_PAIR * burden / asked.alpha)))


def too_many(measures: int, how: str) -> str:
    """Why measures are not compared where nobody asked for it, and how to ask; nothing where they are few."""
    if measures <= MOST_GROUPED:
        return ""
    return (
        f"{measures:,} measures make {math.comb(measures, 2):,} pairs, and pairs of more than {MOST_GROUPED} measures"
        f" are compared only when you ask: {how}"
    )


def conclusion_of(p: float, different: bool, reachable: bool) -> Conclusion:
    if math.isnan(p):
        return "not tested"
    if different:
        return "differ"
    return "not significantly different" if reachable else TOO_FEW


def _compared(
    run: MetaRun,
    cells: Cells,
    human: HumanCells,
    level: CorrelationLevel,
    coefficient: Coefficient,
    progress: Callable[[int, int], None],
) -> MeasureComparison:
    import numpy as np

    from adjudge.stats.correlation import correlations
    from adjudge.stats.measure_tests import measure_groups, permutation_measures, williams_measures

    asked, data = run.asked, (cells.automatic, human.values)
    by: dict[str, Any] = {"level": level, "coefficient": coefficient}
    further = cells.all_topics and level == "system"
    over_judged = correlations(*data, **by)
    over_all = correlations(*data, **by, all_topics=True).values if further else None
    resamples = swaps_for(math.comb(len(cells.measures), 2), asked)
    if asked.measure_test == "williams":
        pairs = williams_measures(*data, **by, progress=progress)
    else:
        rng = run.draws(f"better/{asked.swap}")
        pairs = permutation_measures(
            *data, **by, swap=asked.swap, resamples=resamples, rng=rng, progress=progress
        )
    groups = measure_groups(pairs, over_judged.values, alpha=asked.alpha, method=asked.step_correction)
    order = list(groups.order)
    judged = ~np.isnan(human.values)
    seed = f"|seed:{asked.seed}" if asked.measure_test == "permutation" and not pairs.exact else ""
    measure_pairs = []
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        a, b = cells.measures[i], cells.measures[j]
        measure_pairs.append(
            MeasurePair(
                a=a,
                b=b,
                value_a=float(pairs.value_first[k]),
                value_b=float(pairs.value_second[k]),
                p=float(pairs.p[k]),
                corrected=float(groups.adjusted[k]),
                least=float(pairs.least[k]),
                conclusion=conclusion_of(pairs.p[k], groups.different[k], groups.reachable[k]),
                systems=int(pairs.systems[k]),
                topics=int(pairs.topics[k]),
                cells=int(pairs.cells[k]),
                undefined=int(max(pairs.undefined_first[k], pairs.undefined_second[k])),
                method=pairs.method[k],
                why=pairs.why.get(k),
                reason=pairs.reason(k, a.words, b.words),
            )
        )
    places = []
    for k in order:
        best, worst = groups.ranks[k] or (None, None)
        places.append(
            MeasurePlace(
                measure=cells.measures[k],
                value=float(over_judged.values[k]),
                letters=groups.letters[k],
                best=best,
                worst=worst,
                all_topics=math.nan if over_all is None else float(over_all[k]),
                why=over_judged.why[k],
            )
        )
    return MeasureComparison(
        human=human.info,
        level=level,
        coefficient=coefficient,
        among=cells.chosen,
        asked=asked,
        systems=int(judged.any(axis=0).sum()),
        topics=int(judged.any(axis=1).sum()),
        distinct=len({cells.row_topics[k] for k in np.flatnonzero(judged.any(axis=1)).tolist()}),
        pairs=tuple(measure_pairs),
        places=tuple(places),
        better=groups.better[np.ix_(order, order)],
        exact=pairs.exact,
        some_exact=pairs.some_exact,
        resamples=resamples,
        further=further,
        signature=f"better|{human.info.measure}|{pairs.signature}|correct:{asked.step_correction}{seed}"
        f"|v:{__version__}",
    )
