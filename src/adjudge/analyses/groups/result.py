"""Groups of systems that do not differ: letters, lines, rank intervals, consistent rankings, contrasts, the best.

The pairs are tested as `compare` tests them, or by a test for all pairs at once that is named. The mathematics is in
stats/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.analyses import conclusions
from adjudge.analyses.compare.usual import UsualPairs, comparison_of, usual_pairs
from adjudge.analyses.groups import Groups
from adjudge.analyses.matrix_result import MatrixResult
from adjudge.analyses.phrasebook import ends_of_difference, rank_range, reason, short_conclusion
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.core.words import counted, decimal, listed, p_number
from adjudge.data.scores import ScoreMatrix

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.methods import MethodsParagraph
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.linear.contrasts import Contrasts
    from adjudge.stats.linear.tukey import SpreadCheck, Tukey
    from adjudge.stats.order import CriticalDifference, Rankings, Underlines
    from adjudge.stats.own_variances import OwnContrasts, OwnMethod, OwnVariances, WithBest

MOST_LINES = 26
"""Lines that are drawn beside the systems; where there are more, letters say it alone."""
KIND_WORDS = {"humans": "human", "machines": "machine", "baselines": "baseline"}
CONCLUSIONS = conclusions.CONCLUSIONS[:4]
"""What is said of a pair; all pairs are tested, so that none is left over."""


def groups_of_matrix(
    matrix: ScoreMatrix,
    asked: Groups | None = None,
    *,
    kinds: Mapping[str, str] | None = None,
    compared: Comparison | None = None,
) -> GroupsResult:
    """All pairs of systems of a matrix, on the values or on ranks, with the contrasts that are asked for.

    `compared` is what `compare` finds of the same scores; without it, of the matrix alone.
    """
    import numpy as np

    from adjudge.stats.linear.contrasts import contrasts
    from adjudge.stats.linear.model import fit_additive
    from adjudge.stats.linear.tukey import scaled, spread_check, tukey
    from adjudge.stats.order import count_rankings, letters, places, rank_intervals, underlines
    from adjudge.stats.own_variances import BOOTSTRAP_FROM, own_contrasts, own_pairs, with_best

    asked, kinds = asked or Groups(), kinds or {}
    level = 1 - asked.alpha
    weights_by_name = many_to_one(matrix.systems, asked.against) if asked.against else {}
    for text in asked.contrast:
        weights_by_name |= kind_contrast(matrix.systems, kinds, text)
    scored = matrix.select(
        [s for j, s in enumerate(matrix.systems) if not np.isnan(matrix.values[:, j]).all()]
    )
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing")
    values = scaled(scored.values, asked.tested)
    pooled = asked.method == "tukey"
    own_method: OwnMethod = "max-t" if asked.method == "max-t" else "t"
    test: OwnVariances | Tukey | UsualPairs
    if pooled:
        test = tukey(scored.values, scale=asked.tested, level=level)
    elif asked.method == "auto":
        compared = compared or comparison_of(replace(scored, values=values), asked.alpha)
        test = usual_pairs(compared, scored.systems)
    else:
        test = own_pairs(
            values,
            rng=generator(asked.seed, "groups/pairs"),
            method=own_method,
            level=level,
            resamples=asked.resamples,
        )
    sign = 1 if matrix.info.better == "lower" else -1
    means = fit_additive(values).means
    joined = not np.isnan(means).any()
    if not joined:
        means = np.nanmean(values, axis=0)
    if isinstance(test, UsualPairs):
        standings = test.comparison.standings if test.comparison is not None else ()
        of_system = {s.system: s.adjusted for s in standings}
        means = np.array([of_system[system] for system in scored.systems])
    rank = places(sign * means)
    order = sorted(range(len(scored.systems)), key=lambda j: (rank[j], scored.systems[j]))
    first, second = np.triu_indices(len(order), k=1)
    differ = test.conclusion == 0
    better = np.zeros((len(order), len(order)), dtype=np.bool_)
    ahead = differ & (sign * test.difference < 0)
    better[first[ahead], second[ahead]] = True
    behind = differ & ~ahead
    better[second[behind], first[behind]] = True
    different = better | better.T
    top, bottom = rank_intervals(better)
    alike = letters(different, order)
    chosen: OwnContrasts | Contrasts | None = None
    if weights_by_name:
        weights = np.array(list(weights_by_name.values()))
        for of_contrast in weights:
            by_name = zip(matrix.systems, of_contrast, strict=True)
            if lost := [s for s, weight in by_name if weight and s not in scored.systems]:
                raise DataError(f"{listed(lost)} has no score of {matrix.measure}, and is part of a contrast")
        weights = weights[:, [matrix.systems.index(s) for s in scored.systems]]
        rng = generator(asked.seed, "groups/contrasts")
        if pooled:
            chosen = contrasts(values, weights, adjust=asked.adjust or "single-step", level=level, rng=rng)
        else:
            chosen = own_contrasts(
                values, weights, rng=rng, method=own_method, level=level, resamples=asked.resamples
            )
    hsu = None
    if asked.best and len(order) > 1:
        bootstrap = test.method == "max-t" or (pooled and len(values) >= BOOTSTRAP_FROM)
        hsu = with_best(
            values,
            rng=generator(asked.seed, "groups/best"),
            method="max-t" if bootstrap else "t",
            lower=sign > 0,
            level=level,
            resamples=asked.resamples,
        )
    return GroupsResult(
        asked=asked,
        matrix=scored,
        values=values,
        test=test,
        places=tuple(
            GroupedSystem(
                system=scored.systems[j],
                rank=int(rank[j]),
                n=int(np.count_nonzero(~np.isnan(values[:, j]))),
                mean=float(means[j]),
                group=alike[j],
                best=int(top[j]),
                worst=int(bottom[j]),
            )
            for j in order
        ),
        better=better[np.ix_(order, order)],
        lines=underlines(different, order),
        rankings=count_rankings(better),
        contrast_names=tuple(weights_by_name),
        contrasts=chosen,
        kinds=kinds,
        hsu=hsu,
        joined=joined,
        spreads=spread_check(values) if pooled else None,
    )


@dataclass(frozen=True, repr=False, kw_only=True)
class GroupsResult(MatrixResult):
    """What the tests of all pairs at once say; `places` stand best first."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "critical-difference": "adjudge.analyses.groups.figures:critical_difference"
    }
    IN_JSON: ClassVar[tuple[str, ...]] = ("pairs", "contrasts")

    asked: Groups
    matrix: ScoreMatrix
    values: FloatArray
    """What was tested: the matrix's values, or their ranks."""
    test: OwnVariances | Tukey | UsualPairs
    places: tuple[GroupedSystem, ...]
    better: BoolArray
    """Who is significantly better than whom, in the order of the places."""
    lines: Underlines
    rankings: Rankings
    contrast_names: tuple[str, ...] = ()
    contrasts: OwnContrasts | Contrasts | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    hsu: WithBest | None = None
    joined: bool = True
    """Whether chains of common topics join all systems; only then do they have least-squares means."""
    spreads: SpreadCheck | None = None
    """For Tukey's test: whether the pairs spread alike."""
    assessors: int = 0
    """How many gave the scores."""
    fewer_references: tuple[Note, ...] = ()
    """Notes on people who are compared with fewer references than others."""

    @property
    def pooled(self) -> bool:
        """Whether one variance stands for all pairs: Tukey's test."""
        return self.asked.method == "tukey"

    @property
    def compared(self) -> Comparison | None:
        """Where `compare` answers: its comparison."""
        return self.test.comparison if isinstance(self.test, UsualPairs) else None

    @property
    def drawn_at_random(self) -> bool:
        """Whether the test resampled, so that its seed matters."""
        return getattr(self.test, "resamples", None) is not None

    def how(self) -> str:
        seeded = f"|seed:{self.asked.seed}" if self.drawn_at_random else ""
        return f"{self.matrix.signature}|topics:{len(self.matrix.topics)}|{self.test.signature}{seeded}"

    @property
    def csv_table(self) -> str:
        return "pairs"

    @cached_property
    def n(self) -> IntArray:
        """The topics that both systems of a pair have."""
        import numpy as np

        seen = (~np.isnan(self.values)).astype(float)
        first, second = np.triu_indices(seen.shape[1], k=1)
        return np.asarray((seen.T @ seen)[first, second].astype(np.int64))

    def concluded(self) -> dict[str, int]:
        """How many pairs there are of each conclusion."""
        return {word: int((self.test.conclusion == k).sum()) for k, word in enumerate(CONCLUSIONS)}

    @cached_property
    def diagram(self) -> CriticalDifference:
        """Mean ranks within topics and Nemenyi's test, whatever the method of the groups."""
        from adjudge.stats.order import critical_difference

        lower = self.matrix.info.better == "lower"
        return critical_difference(
            self.matrix.values, best="lowest" if lower else "highest", level=self.test.level
        )

    def at_the_end(self) -> tuple[str, float, list[str]] | None:
        """Which end of the scale systems have on half of their topics or more, its score, and which systems."""
        import numpy as np

        values = self.matrix.values
        if len(self.places) < 2 or not np.nanmax(values) > np.nanmin(values):
            return None
        present = ~np.isnan(values)
        for end, score in (("highest", np.nanmax(values)), ("lowest", np.nanmin(values))):
            there = (values == score).sum(axis=0)
            many = (there > 1) & (2 * there >= present.sum(axis=0))
            if many.any():
                return end, float(score), [s for s, at in zip(self.matrix.systems, many, strict=True) if at]
        return None

    def notes(self) -> Iterator[Note]:
        if self.compared is not None:
            yield from self.compared.for_whom()
        if self.assessors > 1 and (
            self.compared is None or self.contrasts is not None or self.hsu is not None
        ):
            yield Note.of("several-assessors", n=self.assessors)

    def methods(self) -> MethodsParagraph:
        from adjudge.analyses.groups.words import methods
        from adjudge.analyses.methods import MethodsParagraph, computed_with

        seed = self.asked.seed if self.drawn_at_random else None
        return MethodsParagraph(tuple(methods(self)), computed_with(seed), (self.signature,))

    def drawn(self) -> str:
        """The critical-difference diagram, in plain text."""
        from adjudge.analyses.groups.words import about_diagram

        return f"\n{about_diagram(self)}\n{self.diagram.draw(self.matrix.systems)}\n"

    def tables(self) -> Iterator[Table]:
        """The systems, best first, with the ranks that are left open, letters and lines."""
        room = len(max(self.matrix.systems, key=len))
        few = len(self.lines.lines) <= MOST_LINES
        drawn = self.lines.draw(self.matrix.systems).splitlines() if few else [""] * len(self.places)
        kind = (Column("kind", show="varies"),) if self.kinds else ()
        hsu: tuple[Column, ...] = ()
        if self.hsu is not None:
            with_best = Column("with_best", "minus the best other", data=False, right=False)
            hsu = (*hidden("best_low best_high candidate"), with_best)
        yield Table.of(
            "groups",
            [
                {
                    **vars(place),
                    **self.target,
                    "kind": self.kinds.get(place.system, "machine"),
                    "ranks": rank_range(place.best, place.worst),
                    **self._with_best(place.system),
                    "alike": line[room:],
                }
                for place, line in zip(self.places, drawn, strict=True)
            ],
            *hidden("measure length form"),
            Column("rank", ""),
            Column("system", right=False),
            *kind,
            Column("n", "topics", show="varies"),
            Column("mean", format=".4f"),
            *hidden("best worst"),
            Column("ranks", data=False, right=False),
            *hsu,
            Column("group", right=False),
            Column("alike", "not different", show="terminal" if few else "never", data=False, right=False),
            title=f"{self.matrix.heading} ({self.matrix.info.direction},"
            f" {counted(len(self.matrix.topics), 'topic')})",
        )
        if self.asked.pairs:
            yield self._differences()

    def _with_best(self, system: str) -> dict[str, Cell]:
        """Hsu's interval of one system: its ends, whether it may be the best, and both ends in words."""
        if self.hsu is None:
            return {}
        j = self.matrix.systems.index(system)
        low, high = float(self.hsu.low[j]), float(self.hsu.high[j])
        if self.matrix.info.better == "lower":
            low, high = -high + 0.0, -low + 0.0
        return {
            "best_low": None if math.isinf(low) else low,
            "best_high": None if math.isinf(high) else high,
            "candidate": bool(self.hsu.candidates[j]),
            "with_best": " to ".join("open" if math.isinf(end) else decimal(end) for end in (low, high)),
        }

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {
            "pairs": self._pairs_table,
            "differences": self._differences,
            "contrasts": self._contrasts_table,
        }

    def _differences(self) -> Table:
        """A row per pair, the system that stands first in the table first, with its interval and p."""
        test, systems = self.test, [place.system for place in self.places]
        place = {system: k for k, system in enumerate(systems)}
        rows = []
        for k, (a, b) in enumerate(combinations(self.matrix.systems, 2)):
            difference, low, high = (float(part[k]) for part in (test.difference, test.low, test.high))
            p, conclusion = float(test.p[k]), int(test.conclusion[k])
            if place[a] > place[b]:
                a, b, difference, low, high = b, a, -difference, -high, -low
            rows.append(
                {
                    **self.target,
                    "a": a,
                    "b": b,
                    "n": int(self.n[k]),
                    "difference": difference,
                    "low": low,
                    "high": high,
                    "interval": ends_of_difference(low, high, differ=conclusion == 0),
                    "p": p,
                    "p shown": p_number(p) or None,
                    "conclusion": CONCLUSIONS[conclusion],
                    "short": short_conclusion(conclusion, self.asked.alpha),
                }
            )
        rows.sort(key=lambda row: (place[str(row["a"])], place[str(row["b"])]))
        several = " (corrected)" if len(rows) > 1 else ""
        return Table.of(
            "differences",
            rows,
            *hidden("measure length form"),
            Column("a", "system", right=False),
            Column("b", "compared with", right=False),
            Column("n", "topics", show="varies"),
            Column("difference", format=".4f"),
            *hidden("low high"),
            Column("interval", f"{100 * test.level:.4g}% interval{several}", data=False, right=False),
            Column("p", show="never"),
            Column("p shown", "p", data=False, right=True),
            Column("conclusion", show="never"),
            Column("short", "", data=False, right=False),
            title=f"Differences between systems ({test.words})",
        )

    def _pairs_table(self) -> Table:
        """A row per pair, in the order of the matrix."""
        import numpy as np

        test, names = self.test, self.matrix.systems
        first, second = (side.tolist() for side in np.triu_indices(len(names), k=1))
        arrays = (self.n, test.difference, test.se, test.statistic, test.p, test.low, test.high)
        numbers = zip(*(array.tolist() for array in arrays), strict=True)
        pairs = zip(first, second, numbers, test.conclusion.tolist(), strict=True)
        return Table.of(
            "pairs",
            [
                (
                    *self.target.values(),
                    names[i],
                    names[j],
                    *row,
                    CONCLUSIONS[conclusion],
                    test.method,
                    reason(test.why.get(k)),
                )
                for k, (i, j, row, conclusion) in enumerate(pairs)
            ],
            "measure length form a b n difference se statistic p low high conclusion method why",
        )

    def _contrasts_table(self) -> Table:
        """A row per contrast; one of the model (Tukey) has no topics of its own."""
        tested = self.contrasts
        n = getattr(tested, "n", None)
        numbers = ("estimate", "se", "p", "low", "high")
        return Table.of(
            "contrasts",
            [
                (
                    *self.target.values(),
                    name,
                    None if n is None else int(n[k]),
                    *(float(getattr(tested, number)[k]) for number in numbers),
                    reason(tested.why.get(k)),
                )
                for k, name in enumerate(self.contrast_names)
                if tested is not None
            ],
            "measure length form contrast n estimate se p low high why",
        )

    def facts(self) -> dict[str, Any]:
        names, diagram = self.matrix.systems, self.diagram
        pooled = ("hsd", "df", "mean_square") if self.pooled else ()
        return {
            "measure": self.measure,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "method": self.test.method,
            **{name: getattr(self.test, name) for name in pooled},
            "spreads": None if self.spreads is None else asdict(self.spreads),
            "conclusions": self.concluded(),
            "lines": [[names[j] for j in line] for line in self.lines.lines],
            "critical_difference": {
                "cd": diagram.cd,
                "ranks": {names[j]: float(diagram.ranks[j]) for j in diagram.order},
                "cliques": [[names[j] for j in clique] for clique in diagram.cliques()],
            },
            "methods": self.methods().as_dict(),
        }


@dataclass(frozen=True)
class GroupedSystem:
    """One system: its least-squares mean, its letters, and the ranks that are left open."""

    system: str
    rank: int
    n: int
    mean: float
    group: str
    best: int
    worst: int


def many_to_one(systems: Sequence[str], control: str) -> dict[str, list[float]]:
    """Every other system less one, as Dunnett's test takes them."""
    if control not in systems:
        raise _refused("against", f"{quoted(control)}: no such system{among(control, systems)}")
    return {
        f"{system} - {control}": [float(name == system) - float(name == control) for name in systems]
        for system in systems
        if system != control
    }


def kind_contrast(systems: Sequence[str], kinds: Mapping[str, str], text: str) -> dict[str, list[float]]:
    """`humans-machines`: the mean of one sort of systems less that of another; names of systems do as well."""

    def members(part: str) -> list[str]:
        if part in systems:
            return [part]
        if part not in KIND_WORDS:
            hint = nearest(part, [*systems, *KIND_WORDS])
            raise _refused("contrast", f"has {quoted(part)}, which is no system{hint}")
        of_kind = [s for s in systems if kinds.get(s, "machine") == KIND_WORDS[part]]
        if not of_kind:
            raise _refused("contrast", f"has {part}, and there are none")
        return of_kind

    parts = [text] if text in systems else [part.strip() for part in text.split("-", 1)]
    sides = [members(part) for part in parts]
    if len(sides) != 2:
        raise _refused("contrast", f"is {quoted(text)}, expected A-B with {', '.join(KIND_WORDS)} or systems")
    first, second = sides
    if both := sorted(set(first) & set(second)):
        raise _refused("contrast", f"{quoted(text)}: {listed(both)} on both sides")
    weights = [(s in first) / len(first) - (s in second) / len(second) for s in systems]
    return {" - ".join(parts): weights}


def _refused(argument: str, why: str) -> UsageError:
    return UsageError(f"{Argument(argument)} {why}")
