"""Which systems really differ: a score matrix in, a ranking with intervals, tests and groups out.

The mathematics is in stats/; names, directions and words are here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.scores import ScoreMatrix
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.results import PairedTest

Test = Literal["wilcoxon", "t"]
TESTS: tuple[Test, ...] = get_args(Test)
_NAMED = {"wilcoxon": "wilcoxon:zeros-wilcox", "t": "paired-t"}
PAIR_COLUMNS = [
    "measure", "a", "b", "n", "test", "statistic", "p", "p_adjusted", "difference", "wins", "losses", "ties",
    "method", "why",
]  # fmt: skip
RESAMPLES = 2000
LEVEL = 0.95
ALPHA = 0.05


@dataclass(frozen=True)
class Standing:
    """One system's place in the league table."""

    system: str
    rank: int
    n: int
    mean: float
    low: float
    high: float
    group: str


@dataclass(frozen=True)
class Pair:
    """Two systems held against each other by one test, the better-ranked first."""

    a: str
    b: str
    result: PairedTest
    p_adjusted: float
    different: bool


@dataclass(frozen=True)
class Comparison:
    """A ranking with honest uncertainty. Frozen; keeps the matrix it came from."""

    matrix: ScoreMatrix
    standings: tuple[Standing, ...]
    pairs: dict[Test, tuple[Pair, ...]]
    test: Test
    alpha: float
    level: float
    resamples: int
    seed: int

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return f"{self.measure} at {self.matrix.length} words" if self.matrix.length else self.measure

    @property
    def signature(self) -> str:
        length = f"|length:{self.matrix.length}" if self.matrix.length else ""
        return (
            f"{self.matrix.info.signature or self.measure}{length}|topics:{len(self.matrix.topics)}"
            f"|pool:{self.matrix.pool}|interval:bootstrap-percentile:{self.level:g}:{self.resamples}"
            f"|test:{_NAMED[self.test]}:holm:{self.alpha:g}|seed:{self.seed}"
        )

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        yield self.headline()
        better = self.matrix.info.better
        for pair in self.pairs[self.test]:
            if pair.different:
                yield corrected(pair).sentence(pair.a, pair.b, better, alpha=self.alpha)

    def headline(self) -> str:
        """The first thing to know."""
        pairs = self.pairs[self.test]
        if len(self.standings) < 2:
            return f"One system has scores: nothing to compare on {self.title}."
        untested = sum(pair.result.why is not None for pair in pairs)
        if untested == len(pairs):
            return f"On {self.title} no pair of systems can be tested: {pairs[0].result.why}."
        found = sum(pair.different for pair in pairs)
        if not found:
            return f"On {self.title} no two systems can be told apart ({counted(len(pairs), 'pair')})."
        of = f"{found} of {counted(len(pairs), 'pair')} of systems differ"
        left = f" ({counted(untested, 'pair')} could not be tested)" if untested else ""
        return f"On {self.title} {self._top()}; {of}{left}."

    def _top(self) -> str:
        """Who is at the top, in words: nobody stands alone whom another system beats topic by topic."""
        top = self.standings[0].system
        sign = -1 if self.matrix.info.better == "lower" else 1
        against = [pair for pair in self.pairs[self.test] if pair.a == top]
        above = [pair.b for pair in against if pair.different and pair.result.statistic * sign < 0]
        alike = [pair.b for pair in against if not pair.different]
        word = "best" if self.matrix.info.better else "highest"
        if above:
            return f"{top} has the {word} mean, but topic by topic {listed(above)} {_is(above)} above it"
        if alike:
            return f"{listed([top, *alike])} cannot be told from the {word}"
        return f"{top} stands alone at the top" if self.matrix.info.better else f"{top} is the highest"

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        return [f"{system}: {n} missing ({why})" for (system, why), n in counts.items()]

    def warnings(self) -> list[str]:
        found = []
        if len({s.n for s in self.standings}) > 1:
            found.append("means are over different topics: some cells are missing")
        topics, pairs = len(self.matrix.topics), len(self.pairs[self.test])
        if self.test == "wilcoxon" and pairs and pairs * 2.0 ** (1 - topics) >= self.alpha:
            found.append(
                f"with {counted(topics, 'topic')} and {counted(pairs, 'pair')} the smallest p that Wilcoxon's"
                f" test and Holm's correction can give is not below {self.alpha:g}: nothing can be found"
            )
        return found

    def to_frame(self) -> pd.DataFrame:
        """The league table."""
        import pandas as pd

        return pd.DataFrame([asdict(s) for s in self.standings])

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair and test."""
        import pandas as pd

        return pd.DataFrame([row for test in TESTS for row in self._pair_rows(test)], columns=PAIR_COLUMNS)

    def _pair_rows(self, test: Test) -> Iterator[dict[str, Any]]:
        for pair in self.pairs[test]:
            r = pair.result
            yield {
                "measure": self.measure, "a": pair.a, "b": pair.b, "n": r.n, "test": test,
                "statistic": r.statistic, "p": r.p, "p_adjusted": pair.p_adjusted,
                "difference": r.difference, "wins": r.wins, "losses": r.losses, "ties": r.ties,
                "method": r.method, "why": r.why,
            }  # fmt: skip

    def to_latex(self) -> str:
        """The league table for a paper, with booktabs rules."""
        lines = [r"\begin{tabular}{rlrrll}", r"\toprule"]
        lines.append(rf"& system & $n$ & mean & {self.level:.0%} interval & group \\".replace("%", r"\%"))
        lines.append(r"\midrule")
        lines += [
            rf"{s.rank} & {_tex(s.system)} & {s.n} & {s.mean:.4f}"
            rf" & {_interval(s)} & {s.group} \\"
            for s in self.standings
        ]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        return {
            "measure": self.measure, "better": self.matrix.info.better, "length": self.matrix.length,
            "topics": len(self.matrix.topics), "signature": self.signature, "headline": self.headline(),
            "standings": [_json(asdict(s)) for s in self.standings],
            "pairs": [_json(row) for test in TESTS for row in self._pair_rows(test)],
            "missing": [list(m) for m in self.matrix.missing], "warnings": self.warnings(),
        }  # fmt: skip


def compare(
    matrix: ScoreMatrix,
    *,
    test: Test = "wilcoxon",
    alpha: float = ALPHA,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Rank the systems of a matrix, and test every pair."""
    import numpy as np

    from adjudge.stats.bootstrap import bootstrap_means

    _check(matrix, test, alpha, level)
    counts = np.count_nonzero(~np.isnan(matrix.values), axis=0)
    scored = matrix.select([s for s, n in zip(matrix.systems, counts, strict=True) if n])
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing ({matrix.missing[0][2]})")
    means = np.nanmean(scored.values, axis=0)
    sign = 1 if matrix.info.better == "lower" else -1
    order = sorted(range(len(means)), key=lambda j: (sign * means[j], scored.systems[j]))
    ranked = scored.select([scored.systems[j] for j in order])
    rng = generator(seed, f"compare/{matrix.measure}")
    low, high = bootstrap_means(ranked.values, rng=rng, resamples=resamples, level=level)
    pairs = {each: _pairs(ranked, each, alpha) for each in TESTS}
    return Comparison(
        replace(ranked, missing=matrix.missing),
        _standings(ranked, low, high, pairs[test]),
        pairs, test, alpha, level, resamples, seed,
    )  # fmt: skip


def corrected(pair: Pair) -> PairedTest:
    """The pair's test with its corrected p, so that its sentence says what counts."""
    return replace(pair.result, p=pair.p_adjusted)


def _check(matrix: ScoreMatrix, test: str, alpha: float, level: float) -> None:
    if test not in TESTS:
        raise UsageError(f"test is {quoted(test)}, expected one of: {', '.join(TESTS)}")
    for name, value in (("alpha", alpha), ("level", level)):
        if not 0 < value < 1:
            raise UsageError(f"{name} is {value}, expected a number between 0 and 1")
    if not matrix.systems:
        raise DataError(f"{matrix.measure}: no scores")


def _pairs(matrix: ScoreMatrix, test: Test, alpha: float) -> tuple[Pair, ...]:
    from itertools import combinations

    from adjudge.stats.multiple import holm
    from adjudge.stats.paired import all_pairs, paired_t, wilcoxon

    results = all_pairs(matrix.values, {"wilcoxon": wilcoxon, "t": paired_t}[test])
    adjusted = holm([result.p for result in results])
    return tuple(
        Pair(a, b, result, float(p), bool(p < alpha))  # a NaN is not below anything
        for (a, b), result, p in zip(combinations(matrix.systems, 2), results, adjusted, strict=True)
    )


def _standings(matrix: ScoreMatrix, low: Any, high: Any, pairs: tuple[Pair, ...]) -> tuple[Standing, ...]:
    import numpy as np

    from adjudge.stats.groups import letters

    place = {system: j for j, system in enumerate(matrix.systems)}
    different = np.zeros((len(place), len(place)), dtype=bool)
    for pair in pairs:
        i, j = place[pair.a], place[pair.b]
        different[i, j] = different[j, i] = pair.different
    groups = letters(different, range(len(place)))
    means = np.nanmean(matrix.values, axis=0)
    return tuple(
        Standing(
            system, _rank(means, j), int(np.count_nonzero(~np.isnan(matrix.values[:, j]))),
            float(means[j]), float(low[j]), float(high[j]), groups[j],
        )
        for system, j in place.items()
    )  # fmt: skip


def _rank(means: Any, j: int) -> int:
    """Competition rank: equal means share the better place."""
    return next(k for k in range(j + 1) if means[k] == means[j]) + 1


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _interval(standing: Standing) -> str:
    if standing.low != standing.low:
        return "--"  # a single topic has no interval
    return f"[{standing.low:.4f}, {standing.high:.4f}]"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _tex(text: str) -> str:
    special = {c: rf"\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
    return "".join(special.get(c, c) for c in text).replace("^", r"\textasciicircum{}")
