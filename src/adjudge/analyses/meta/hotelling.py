"""Do two systems differ on several measures taken together? Hotelling's T-squared, and its permutation twin.

A difference that is too small on every single measure may show on several of them together, and measures that say the
same twice do not count twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge import __version__
from adjudge.analyses.conclusions import Conclusion
from adjudge.analyses.meta.better import swaps_for
from adjudge.analyses.meta.cells import Cells, several_among
from adjudge.analyses.meta.words import over_words
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, quoted
from adjudge.core.errors import among as hint
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted, listed
from adjudge.data.scores import AllLengths, Among, MeasureInfo

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.hotelling import HotellingT2
    from adjudge.stats.multiple import Correction


@dataclass(frozen=True, eq=False)
class HotellingPair:
    """Two systems on all measures together; corrected over the pairs of one choice of systems."""

    among: Among
    a: str
    b: str
    test: HotellingT2
    corrected: float
    conclusion: Conclusion
    corrected_flips: float
    conclusion_flips: Conclusion


@dataclass(frozen=True, repr=False, kw_only=True)
class HotellingResult(Result):
    """Every two of some systems on several measures together."""

    WORDS = "adjudge.analyses.meta.words.hotelling"
    name: str
    measures: tuple[MeasureInfo, ...]
    among: tuple[Among, ...]
    pairs: tuple[HotellingPair, ...]
    alpha: float
    correct: Correction
    sets: bool
    """Whether several topics belong to one set."""
    resamples: int | None
    seed: int

    def of(self, among: Among) -> tuple[HotellingPair, ...]:
        """The pairs of one choice of systems."""
        return tuple(pair for pair in self.pairs if pair.among == among)

    def how(self) -> str:
        measures = "+".join(info.measure for info in self.measures)
        return (
            f"hotelling|{measures}|among:{'+'.join(self.among)}|paired:topics|flips:{self.resamples or 'as-needed'}"
            f"|correct:{self.correct}|seed:{self.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measures": [info.measure for info in self.measures],
            "among": list(self.among),
            "alpha": self.alpha,
            "correct": self.correct,
        }

    def notes(self) -> Iterator[Note]:
        for why, n in Counter(pair.test.why for pair in self.pairs if pair.test.why is not None).items():
            yield Note.of("pairs-not-tested", n=n, why=why)
        dropped = [pair.test.dropped for pair in self.pairs]
        if any(dropped):
            yield Note.of("topics-left-out", least=min(dropped), most=max(dropped))

    def tables(self) -> Iterator[Table]:
        """A row per pair, with the mean difference on every measure: a less b, higher is better."""
        rows: list[tuple[Cell, ...]] = []
        for pair in self.pairs:
            t = pair.test
            tested = t.why is None
            rows.append(
                (
                    pair.among,
                    pair.a,
                    pair.b,
                    t.n,
                    *(float(d) for d in t.differences),
                    t.t2,
                    t.f,
                    t.df[0] if tested else None,
                    t.df[1] if tested else None,
                    t.p,
                    pair.corrected,
                    pair.conclusion,
                    t.permutation_p,
                    pair.corrected_flips,
                    pair.conclusion_flips,
                    t.method,
                    t.least,
                    t.why,
                )
            )
        yield Table(
            name="hotelling",
            columns=(
                Column("among", right=False, show="varies"),
                Column("a", "system", right=False),
                Column("b", "and", right=False),
                Column("n", "topics", right=True),
                *(
                    Column(
                        f"difference_{info.measure}", info.heading, format="+.3f", show="never", tiny=False
                    )
                    for info in self.measures
                ),
                Column("t2", "T-squared", format=".2f"),
                Column("f", "F", format=".2f"),
                Column("df1", show="never"),
                Column("df2", show="never"),
                Column("p", format=".4f"),
                Column("corrected_p", "corrected p", format=".4f"),
                Column("conclusion", right=False),
                Column("p_flips", "p by flips", format=".4f"),
                Column("corrected_p_flips", "corrected p by flips", format=".4f"),
                Column("conclusion_flips", "by flips", right=False),
                Column("method_flips", show="never"),
                Column("smallest_p_flips", show="never"),
                Column("why", show="never"),
            ),
            rows=tuple(rows),
            title=(
                f"Systems on {counted(len(self.measures), 'measure')} together, among"
                f" {listed(list(map(over_words, self.among)))}: Hotelling's T-squared over topics"
            ),
        )


def hotelling(
    scores: Cells | Source,
    measures: str | Sequence[str] = (),
    *,
    systems: Sequence[str] = (),
    among: Among | Sequence[Among] = "all",
    length: int | AllLengths | None = None,
    form: str | None = None,
    alpha: float = 0.05,
    correct: Correction = "holm",
    resamples: int | None = None,
    seed: int = 0,
) -> HotellingResult:
    """Every two systems on several measures together, or two alone: `hotelling(cells, systems=("A", "B"))`.

    Paired by topics, of which those count that have both systems on every measure. `scores` are the cells of a
    meta-evaluation, with its automatic measures unless `measures` names some, people's among them; or an evaluation, a
    file or a DataFrame of scores, with all measures that have a direction. p-values are corrected over the pairs
    of each choice of systems.
    """
    from adjudge.stats import checks

    checks.share("alpha", alpha)
    cube = (
        _of_cells(scores, measures)
        if isinstance(scores, Cells)
        else _of_scores(scores, measures, length, form)
    )
    if len(cube.measures) < 2:
        raise UsageError("Hotelling's T-squared takes several measures together: name two or more")
    for system in systems:
        if system not in cube.systems:
            raise UsageError(f"no system {quoted(system)}{hint(system, cube.systems)}")
    wanted = several_among(among)
    pairs = [
        pair
        for which in wanted
        for pair in _tested(cube, which, list(dict.fromkeys(systems)), alpha, correct, resamples, seed)
    ]
    return HotellingResult(
        name=cube.name,
        measures=cube.measures,
        among=wanted,
        pairs=tuple(pairs),
        alpha=alpha,
        correct=correct,
        sets=cube.sets,
        resamples=resamples,
        seed=seed,
    )


def _tested(
    cube: _Cube,
    among: Among,
    named: Sequence[str],
    alpha: float,
    correct: Correction,
    resamples: int | None,
    seed: int,
) -> Iterator[HotellingPair]:
    """Every two of some systems: one family of tests."""
    from adjudge.stats.hotelling import hotelling_t2

    systems = [system for system in cube.among(among) if system in named or not named]
    if len(systems) < 2:
        raise UsageError(f"among {over_words(among)} there is no pair of systems to compare")
    at = {system: k for k, system in enumerate(cube.systems)}
    # Where systems are named, the first is compared with the second.
    pairs = list(combinations([system for system in named if system in systems] or systems, 2))
    flips = resamples or swaps_for(len(pairs), alpha, correct)
    tests = [
        hotelling_t2(
            cube.values[:, :, at[a]].T,
            cube.values[:, :, at[b]].T,
            rng=generator(seed, "meta/hotelling"),  # the same flips for all pairs
            resamples=flips,
        )
        for a, b in pairs
    ]
    by_f = _concluded(
        [t.p for t in tests], [0.0 if t.why is None else float("nan") for t in tests], alpha, correct
    )
    by_flips = _concluded([t.permutation_p for t in tests], [t.least for t in tests], alpha, correct)
    for (a, b), test, (p, conclusion), (p_flips, conclusion_flips) in zip(
        pairs, tests, by_f, by_flips, strict=True
    ):
        yield HotellingPair(
            among=among,
            a=a,
            b=b,
            test=test,
            corrected=p,
            conclusion=conclusion,
            corrected_flips=p_flips,
            conclusion_flips=conclusion_flips,
        )


def _concluded(
    p: Sequence[float], least: Sequence[float], alpha: float, correct: Correction
) -> list[tuple[float, Conclusion]]:
    import numpy as np

    from adjudge.stats.multiple import at_most, reached

    corrected = reached(np.array(p), np.array(least), alpha=alpha, method=correct)
    different = at_most(corrected.adjusted, alpha)
    words: list[Conclusion] = [
        "not tested"
        if np.isnan(value)
        else "differ"
        if apart
        else "not significantly different"
        if reachable
        else "could not have been found"
        for value, apart, reachable in zip(corrected.adjusted, different, corrected.reachable, strict=True)
    ]
    return list(zip(corrected.adjusted.tolist(), words, strict=True))


@dataclass(frozen=True, eq=False)
class _Cube:
    """Measures x topics x systems, higher is better."""

    name: str
    measures: tuple[MeasureInfo, ...]
    systems: tuple[str, ...]
    kinds: tuple[str, ...]
    values: FloatArray
    sets: bool = False

    def among(self, which: Among) -> list[str]:
        """The systems that are all, machines or humans."""
        if which == "human-machine":
            raise UsageError("human-machine is about pairs of systems: choose all or machines")
        return [
            system
            for system, kind in zip(self.systems, self.kinds, strict=True)
            if which == "all" or (kind == "human") == (which == "humans")
        ]


def _of_cells(cells: Cells, named: str | Sequence[str]) -> _Cube:
    import numpy as np

    infos = [*cells.measures, *(human.info for human in cells.humans)]
    values = np.concatenate([cells.automatic, cells.people])
    names = [info.measure for info in infos]
    wanted = [named] if isinstance(named, str) else list(named or names[: len(cells.measures)])
    for name in wanted:
        if name not in names:
            raise UsageError(f"no measure {quoted(name)}{hint(name, names)}")
    at = [names.index(name) for name in dict.fromkeys(wanted)]
    return _Cube(
        name=cells.name,
        measures=tuple(infos[k] for k in at),
        systems=cells.systems,
        kinds=cells.kinds,
        values=values[at],
        sets=cells.clusters is not None,
    )


def _of_scores(
    source: Source, named: str | Sequence[str], length: int | AllLengths | None, form: str | None
) -> _Cube:
    import numpy as np
    import pandas as pd

    scores = scores_of(source)
    names = scores.resolved(named) if named else [m for m in scores.all_measures() if scores.info[m].better]
    matrices = [scores.matrix(name, length=length, form=form) for name in names]
    topics = list(dict.fromkeys(t for matrix in matrices for t in matrix.topics))
    systems = list(dict.fromkeys(s for matrix in matrices for s in matrix.systems))
    values = [
        (-1 if matrix.info.better == "lower" else 1)
        * pd.DataFrame(matrix.values, matrix.topics, matrix.systems)
        .reindex(index=topics, columns=systems)
        .to_numpy()
        for matrix in matrices
    ]
    sets = [s for s in scores.topic_values("set", tuple(topics)) if s is not None]
    return _Cube(
        name=scores.name,
        measures=tuple(matrix.info for matrix in matrices),
        systems=tuple(systems),
        kinds=tuple(map(scores.kind, systems)),
        values=np.array(values, dtype=np.float64).reshape(-1, len(topics), len(systems)),
        sets=len(set(sets)) < len(sets),
    )
