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
from adjudge.comparisons.conclusions import Conclusion
from adjudge.comparisons.scores import Source, scores_of
from adjudge.data.scores import AllLengths, MeasureInfo
from adjudge.engine import generator
from adjudge.errors import UsageError, quoted
from adjudge.errors import among as hint
from adjudge.table import Cell, Column, Table, Tabular, plain
from adjudge.trust.meta.better import CORRECTED, swaps_for
from adjudge.trust.meta.cells import Cells
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import FloatArray
    from adjudge.stats.hotelling import HotellingT2
    from adjudge.stats.multiple import Correction


@dataclass(frozen=True, eq=False)
class HotellingPair:
    """Two systems on all measures together."""

    a: str
    b: str
    test: HotellingT2
    corrected: float
    conclusion: Conclusion
    corrected_flips: float
    conclusion_flips: Conclusion


@dataclass(frozen=True, repr=False)
class HotellingResult(Tabular):
    """Every two of some systems on several measures together."""

    name: str
    measures: tuple[MeasureInfo, ...]
    pairs: tuple[HotellingPair, ...]
    alpha: float
    correct: Correction
    sets: bool
    """Whether several topics belong to one set."""
    signature: str

    @property
    def on(self) -> str:
        return f"On {listed([each.words for each in self.measures])} together"

    def headline(self) -> str:
        """How many pairs differ, by T-squared and by sign flips."""
        if len(self.pairs) == 1:
            return self._one(self.pairs[0])
        corrected = (
            "not corrected" if self.correct == "none" else f"{CORRECTED[self.correct]} over these pairs"
        )
        many = counted(len(self.pairs), "pair")
        said = [f"{self._count('differ'):,} of {many} of systems differ (Hotelling's T-squared, {corrected})"]
        said.append(f"by sign flips of topics {self._count('differ', flips=True):,}")
        if lost := self._count("could not have been found", flips=True):
            said.append(f"by flips {lost:,} could not have been found")
        if untested := self._count("not tested"):
            said.append(f"{untested:,} could not be tested")
        return f"{self.on}, {'; '.join(said)}."

    def _one(self, pair: HotellingPair) -> str:
        from adjudge.stats.paired import p_words

        test = pair.test
        if test.why is not None:
            return f"{self.on}, {pair.a} and {pair.b} could not be tested: {test.why}."
        found = {
            "differ": f"{pair.a} and {pair.b} differ",
            "not significantly different": f"{pair.a} and {pair.b} are not significantly different",
        }[pair.conclusion]
        f = f"F({test.df[0]}, {test.df[1]}) = {test.f:.2f}, {p_words(test.p, self.alpha)}"
        flips = "all" if test.method == "exact" else "random"
        flipped = f"by {flips} sign flips of topics {p_words(test.permutation_p, self.alpha)}"
        if pair.conclusion_flips == "could not have been found":
            flipped += f", where no p is below {test.least:.3g}"
        on = counted(test.n, "topic")
        return f"{self.on}, {found} (Hotelling's T-squared = {test.t2:.2f}, {f}, {on}; {flipped})."

    def sentences(self) -> Iterator[str]:
        yield self.headline()
        if self.sets:
            yield "Topics of one set count as independent in Hotelling's test: where they are alike, p is too small."

    def notes(self) -> Iterator[str]:
        for why, many in Counter(each.test.why for each in self.pairs if each.test.why is not None).items():
            yield f"{counted(many, 'pair')} of systems not tested: {why}"
        dropped = [each.test.dropped for each in self.pairs]
        if any(dropped):
            few, most = min(dropped), max(dropped)
            yield (
                f"topics without a score of both systems on every measure are left out: {few:,}"
                + (f" to {most:,}" if most > few else "")
                + " of each pair"
            )

    def _count(self, conclusion: Conclusion, *, flips: bool = False) -> int:
        return sum((p.conclusion_flips if flips else p.conclusion) == conclusion for p in self.pairs)

    def table(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for each in self.pairs:
            t = each.test
            tested = t.why is None
            rows.append(
                (
                    each.a,
                    each.b,
                    t.n,
                    *(float(d) for d in t.differences),
                    t.t2,
                    t.f,
                    t.df[0] if tested else None,
                    t.df[1] if tested else None,
                    t.p,
                    each.corrected,
                    each.conclusion,
                    t.permutation_p,
                    each.corrected_flips,
                    each.conclusion_flips,
                    t.method,
                    t.least,
                    t.why,
                )
            )
        return Table(
            name="hotelling",
            columns=(
                Column("a", "system", right=False),
                Column("b", "and", right=False),
                Column("n", "topics", right=True),
                *(
                    Column(
                        f"difference_{each.measure}", each.heading, format="+.3f", show="never", tiny=False
                    )
                    for each in self.measures
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
            title=f"Systems on {counted(len(self.measures), 'measure')} together: Hotelling's T-squared over topics",
            said=tuple(self.sentences()),
            notes=tuple(self.notes()),
            signature=self.signature,
        )

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "measures": [each.measure for each in self.measures],
                "alpha": self.alpha,
                "correct": self.correct,
                "pairs": list(self.table().records()),
                "sentences": list(self.sentences()),
                "notes": list(self.notes()),
                "signature": self.signature,
            }
        )
        return found

    def to_frame(self) -> pd.DataFrame:
        """A row per pair, with the mean difference on every measure: a less b, higher is better."""
        return self.table().to_frame()


def hotelling(
    scores: Cells | Source,
    measures: str | Sequence[str] = (),
    *,
    systems: Sequence[str] = (),
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
    file or a DataFrame of scores, with all measures that have a direction. p-values are corrected over the pairs.
    """
    from adjudge.stats import checks
    from adjudge.stats.hotelling import hotelling_t2

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
    chosen = [cube.systems.index(each) for each in dict.fromkeys(systems)] or list(range(len(cube.systems)))
    if len(chosen) < 2:
        raise UsageError("there is one system, and none to compare it with")
    pairs = list(combinations(chosen, 2))
    flips = resamples or swaps_for(len(pairs), alpha, correct)
    found = [
        hotelling_t2(
            cube.values[:, :, i].T,
            cube.values[:, :, j].T,
            rng=generator(seed, "meta/hotelling"),  # the same flips for all pairs
            resamples=flips,
        )
        for i, j in pairs
    ]
    by_f = _concluded(
        [t.p for t in found], [0.0 if t.why is None else float("nan") for t in found], alpha, correct
    )
    by_flips = _concluded([t.permutation_p for t in found], [t.least for t in found], alpha, correct)
    return HotellingResult(
        name=cube.name,
        measures=cube.measures,
        pairs=tuple(
            HotellingPair(
                a=cube.systems[i],
                b=cube.systems[j],
                test=test,
                corrected=p,
                conclusion=conclusion,
                corrected_flips=p_flips,
                conclusion_flips=conclusion_flips,
            )
            for (i, j), test, (p, conclusion), (p_flips, conclusion_flips) in zip(
                pairs, found, by_f, by_flips, strict=True
            )
        ),
        alpha=alpha,
        correct=correct,
        sets=cube.sets,
        signature=f"hotelling|{'+'.join(each.measure for each in cube.measures)}|paired:topics|flips:{flips}"
        f"|correct:{correct}|seed:{seed}|adjudge:{__version__}",
    )


def _concluded(
    p: Sequence[float], least: Sequence[float], alpha: float, correct: Correction
) -> list[tuple[float, Conclusion]]:
    import numpy as np

    from adjudge.stats.multiple import at_most, reached

    found = reached(np.array(p), np.array(least), alpha=alpha, method=correct)
    different = at_most(found.adjusted, alpha)
    words: list[Conclusion] = [
        "not tested"
        if np.isnan(value)
        else "differ"
        if apart
        else "not significantly different"
        if reachable
        else "could not have been found"
        for value, apart, reachable in zip(found.adjusted, different, found.reachable, strict=True)
    ]
    return list(zip(found.adjusted.tolist(), words, strict=True))


@dataclass(frozen=True, eq=False)
class _Cube:
    """Measures x topics x systems, higher is better."""

    name: str
    measures: tuple[MeasureInfo, ...]
    systems: tuple[str, ...]
    values: FloatArray
    sets: bool = False


def _of_cells(cells: Cells, named: str | Sequence[str]) -> _Cube:
    import numpy as np

    infos = [*cells.measures, *(each.info for each in cells.humans)]
    values = np.concatenate([cells.automatic, cells.people])
    known = [each.measure for each in infos]
    wanted = [named] if isinstance(named, str) else list(named or known[: len(cells.measures)])
    for name in wanted:
        if name not in known:
            raise UsageError(f"no measure {quoted(name)}{hint(name, known)}")
    at = [known.index(name) for name in dict.fromkeys(wanted)]
    return _Cube(
        name=cells.name,
        measures=tuple(infos[k] for k in at),
        systems=cells.systems,
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
    topics = list(dict.fromkeys(t for each in matrices for t in each.topics))
    systems = list(dict.fromkeys(s for each in matrices for s in each.systems))
    values = [
        (-1 if each.info.better == "lower" else 1)
        * pd.DataFrame(each.values, each.topics, each.systems)
        .reindex(index=topics, columns=systems)
        .to_numpy()
        for each in matrices
    ]
    sets = [s for s in scores.topic_values("set", tuple(topics)) if s is not None]
    return _Cube(
        name=scores.name,
        measures=tuple(each.info for each in matrices),
        systems=tuple(systems),
        values=np.array(values, dtype=np.float64).reshape(-1, len(topics), len(systems)),
        sets=len(set(sets)) < len(sets),
    )
