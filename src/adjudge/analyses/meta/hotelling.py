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
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.better import conclusion_of, swaps_for
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words import conclusion_words, over_words
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, quoted
from adjudge.core.errors import among as hint
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among, MeasureInfo

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.hotelling import HotellingT2


@dataclass(frozen=True, eq=False)
class HotellingPair:
    """Two systems on all measures together; corrected over the pairs of one choice of systems."""

    among: Among
    a: str
    b: str
    test: HotellingT2
    corrected_p: float
    conclusion: Conclusion
    corrected_p_flips: float
    conclusion_flips: Conclusion


@dataclass(frozen=True, repr=False, kw_only=True)
class HotellingResult(Result):
    """Every two of some systems on several measures together."""

    WORDS = "adjudge.analyses.meta.words.hotelling"
    cube: MeasureCube
    among: tuple[Among, ...]
    pairs: tuple[HotellingPair, ...]
    options: Meta

    @property
    def measures(self) -> tuple[MeasureInfo, ...]:
        return self.cube.measures

    def of(self, among: Among) -> tuple[HotellingPair, ...]:
        """The pairs of one choice of systems."""
        return tuple(pair for pair in self.pairs if pair.among == among)

    def how(self) -> str:
        asked, measures = self.options, "+".join(info.measure for info in self.measures)
        return (
            f"hotelling|{measures}|among:{'+'.join(self.among)}|paired:topics|flips:{asked.resamples or 'as-needed'}"
            f"|correct:{asked.step_correction}|seed:{asked.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measures": [info.measure for info in self.measures],
            "among": list(self.among),
            "alpha": self.options.alpha,
            "correct": self.options.step_correction,
        }

    def notes(self) -> Iterator[Note]:
        for why, n in Counter(pair.test.why for pair in self.pairs if pair.test.why is not None).items():
            yield Note.of("pairs-not-tested", n=n, why=why)
        dropped = [pair.test.dropped for pair in self.pairs]
        if any(dropped):
            yield Note.of("topics-left-out", least=min(dropped), most=max(dropped))

    def tables(self) -> Iterator[Table]:
        """A row per pair, with the mean difference on every measure: a less b, higher is better."""
        from adjudge.analyses.meta.words.hotelling import REASONS

        differences = [f"difference_{info.measure}" for info in self.measures]
        rows = []
        for pair in self.pairs:
            t = pair.test
            df1, df2 = t.df if t.why is None else (None, None)
            row = {
                **vars(pair),
                **{name: getattr(t, name) for name in ("n", "t2", "f", "p")},
                "why": None if t.why is None else t.why.words(REASONS),
                **dict(zip(differences, t.differences.tolist(), strict=True)),
                "df1": df1,
                "df2": df2,
                "p_flips": t.permutation_p,
                "method_flips": t.method,
                "smallest_p_flips": t.least,
                "words_flips": conclusion_words(pair.conclusion_flips, t.lacking),
            }
            rows.append(row)
        yield Table.of(
            "hotelling",
            rows,
            Column("among", right=False, show="varies"),
            Column("a", "system", right=False),
            Column("b", "and", right=False),
            Column("n", "topics", right=True),
            *(
                Column(name, info.heading, format="+.3f", show="never", tiny=False)
                for name, info in zip(differences, self.measures, strict=True)
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
            Column("words_flips", "by flips", data=False, right=False),
            Column("conclusion_flips", show="never"),
            *hidden("method_flips smallest_p_flips why"),
            title=(
                f"Systems on {counted(len(self.measures), 'measure')} together, among"
                f" {listed(list(map(over_words, self.among)))}: Hotelling's T-squared over topics"
            ),
        )


def hotelling_all(run: MetaRun) -> HotellingResult:
    """Every two systems on all automatic measures together."""
    cells = run.cells
    cube = MeasureCube(
        cells.measures, cells.systems, cells.kinds, cells.automatic, sets=cells.clusters is not None
    )
    return _result(cube, run.among, (), run.asked)


def hotelling(
    source: Source, measures: str | Sequence[str] = (), *, systems: Sequence[str] = (), **options: Any
) -> HotellingResult:
    """Two systems on several measures together, `hotelling(source, systems=("A", "B"))`, or every two.

    Paired by topics, of which those count that have both systems on every measure. `source` is an evaluation, a file or
    a DataFrame of scores, with all measures that have a direction unless `measures` names some. The options are those
    of `adjudge.meta`: among, length, form, alpha, correct, resamples, seed. p-values are corrected over the pairs of
    each choice of systems.
    """
    import numpy as np
    import pandas as pd

    asked = Meta(**options)
    scores = scores_of(source)
    names = [m for m in scores.all_measures() if scores.info[m].better]
    if measures:
        names = scores.resolved(measures)
    matrices = [scores.matrix(name, length=asked.length, form=asked.form) for name in names]
    topics = list(dict.fromkeys(t for matrix in matrices for t in matrix.topics))
    columns = list(dict.fromkeys(s for matrix in matrices for s in matrix.systems))
    values = []
    for matrix in matrices:
        frame = pd.DataFrame(matrix.values, matrix.topics, matrix.systems)
        sign = -1 if matrix.info.better == "lower" else 1
        values.append(sign * frame.reindex(index=topics, columns=columns).to_numpy())
    sets = [s for s in scores.topic_values("set", tuple(topics)) if s is not None]
    cube = MeasureCube(
        measures=tuple(matrix.info for matrix in matrices),
        systems=tuple(columns),
        kinds=tuple(map(scores.kind, columns)),
        values=np.array(values, dtype=np.float64).reshape(-1, len(topics), len(columns)),
        sets=len(set(sets)) < len(sets),
    )
    return _result(cube, tuple(asked.among) or ("all",), systems, asked)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class MeasureCube:
    """Measures x topics x systems, higher is better."""

    measures: tuple[MeasureInfo, ...]
    systems: tuple[str, ...]
    kinds: tuple[str, ...]
    values: FloatArray
    sets: bool
    """Whether several topics belong to one set."""


def _result(
    cube: MeasureCube, among: tuple[Among, ...], named: Sequence[str], asked: Meta
) -> HotellingResult:
    if len(cube.measures) < 2:
        raise UsageError("Hotelling's T-squared takes several measures together: name two or more")
    for system in named:
        if system not in cube.systems:
            raise UsageError(f"no system {quoted(system)}{hint(system, cube.systems)}")
    pairs: list[HotellingPair] = []
    for which in among:
        systems = [
            system
            for system, kind in zip(cube.systems, cube.kinds, strict=True)
            if which == "all" or (kind == "human") == (which == "humans")
        ]
        # Where systems are named, the first is compared with the second.
        pairs += _tested(cube, which, [s for s in dict.fromkeys(named or systems) if s in systems], asked)
    return HotellingResult(cube=cube, among=among, pairs=tuple(pairs), options=asked)


def _tested(cube: MeasureCube, among: Among, systems: Sequence[str], asked: Meta) -> Iterator[HotellingPair]:
    """Every two of some systems: one family of tests."""
    import numpy as np

    from adjudge.stats.hotelling import hotelling_t2
    from adjudge.stats.multiple import at_most, reached

    if len(systems) < 2:
        raise UsageError(f"among {over_words(among)} there is no pair of systems to compare")
    at = {system: k for k, system in enumerate(cube.systems)}
    pairs = list(combinations(systems, 2))
    flips = swaps_for(len(pairs), asked)
    tests = [
        hotelling_t2(
            cube.values[:, :, at[a]].T,
            cube.values[:, :, at[b]].T,
            rng=generator(asked.seed, "meta/hotelling"),  # the same flips for all pairs
            resamples=flips,
        )
        for a, b in pairs
    ]

    def concluded(p: Sequence[float], least: Sequence[float]) -> list[tuple[float, Conclusion]]:
        corrected = reached(np.array(p), np.array(least), alpha=asked.alpha, method=asked.step_correction)
        different = at_most(corrected.adjusted, asked.alpha)
        both = zip(corrected.adjusted.tolist(), different, corrected.reachable, strict=True)
        return [(value, conclusion_of(value, apart, reachable)) for value, apart, reachable in both]

    by_f = concluded([t.p for t in tests], [0.0 if t.why is None else float("nan") for t in tests])
    by_flips = concluded([t.permutation_p for t in tests], [t.least for t in tests])
    for (a, b), test, (p, conclusion), (p_flips, conclusion_flips) in zip(
        pairs, tests, by_f, by_flips, strict=True
    ):
        yield HotellingPair(
            among=among,
            a=a,
            b=b,
            test=test,
            corrected_p=p,
            conclusion=conclusion,
            corrected_p_flips=p_flips,
            conclusion_flips=conclusion_flips,
        )
