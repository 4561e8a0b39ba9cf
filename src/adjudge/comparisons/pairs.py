"""Which systems really differ: all pairs of systems on one measure, with a ranking, intervals, tests and groups.

`compare` gives one `Comparison`, `comparisons` one for every measure and length. The tests are run in tests.py,
the mathematics is in stats/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from adjudge.comparisons.scores import Among, Scores, Source, scores_of
from adjudge.comparisons.tests import (
    ALPHA,
    CORRECTION_WORDS,
    LEVEL,
    RESAMPLES,
    Choices,
    Test,
    Tested,
    choices,
    run_tests,
)
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.table import Column, Table, Tabular, plain
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from adjudge.stats.checks import BoolArray, IntArray
    from adjudge.stats.effects import PairEffects
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.paired import Alternative, PairedTest

    Family = Callable[[Sequence[str]], BoolArray]

PAIR_COLUMNS = [
    "measure",
    "a",
    "b",
    "n",
    "test",
    "statistic",
    "p",
    "p_adjusted",
    "difference",
    "low",
    "high",
    "wins",
    "losses",
    "ties",
    "method",
    "why",
]


def compare(
    scores: Source,
    measure: str | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    test: str = "wilcoxon",
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    among: Among = "all",
    margin: float | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int = RESAMPLES,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool = False,
) -> Comparison:
    """Which systems really differ on a measure: `compare("my-eval", "rouge-2", test="t", against="lead")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. The
    measure need not be named where there is one. Several lengths are compared one at a time: choose one, or say
    "all" to average within a topic first. `test` is wilcoxon, t, t-unpaired, welch, sign, mc, hb, exact, or all;
    `correct` is holm, bonferroni, bh, westfall-young, westfall-young-min-p or none. `against` compares all systems
    with one, on both sides or on one (`side`: better, worse). `margin` also says which systems are the same within
    this difference. `cluster` resamples and swaps whole document sets.
    """
    chosen = choices(
        test=test,
        correct=correct,
        against=against,
        side=side,
        margin=margin,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
    )
    found = scores_of(scores)
    asked = _Asked(among=among, pool=pool, pool_humans=pool_humans, cluster=cluster)
    return _compare_one(found, (found.resolve(measure), length, form), chosen, asked)


def comparisons(
    scores: Source,
    measures: Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    test: str = "wilcoxon",
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    among: Among = "all",
    margin: float | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int = RESAMPLES,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool = False,
) -> list[Comparison]:
    """A comparison for every measure, length and form; of everything that has scores unless measures are named."""
    chosen = choices(
        test=test,
        correct=correct,
        against=against,
        side=side,
        margin=margin,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
    )
    found = scores_of(scores)
    asked = _Asked(among=among, pool=pool, pool_humans=pool_humans, cluster=cluster)
    return [
        _compare_one(found, each, chosen, asked) for each in found.each(measures, length=length, form=form)
    ]


@dataclass(frozen=True)
class _Asked:
    """Which scores are compared."""

    among: Among
    pool: Pool
    pool_humans: bool
    cluster: bool


def _compare_one(
    scores: Scores,
    which: tuple[str, int | AllLengths | None, str | None],
    chosen: Choices,
    asked: _Asked,
) -> Comparison:
    measure, length, form = which
    matrix = scores.matrix(
        measure,
        length=length,
        form=form,
        among=asked.among,
        pool=asked.pool,
        pool_humans=asked.pool_humans,
    ).averaged()
    return compare_matrix(
        matrix,
        chosen,
        family=partial(scores.pairs_among, among=asked.among),
        clusters=scores.topic_values("set", matrix.row_topics) if asked.cluster else None,
        kinds=scores.kinds_of(matrix.systems),
    )


def compare_matrix(
    matrix: ScoreMatrix,
    choices: Choices | None = None,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Comparison:
    """Rank the systems of a matrix, and test pairs of them.

    `family` says of an order of systems which pairs are asked for; without it, all are (or with
    `choices.against` those with that system). `clusters` names the set of every topic: then whole sets are
    swapped and resampled.
    """
    import numpy as np

    from adjudge.stats.bootstrap import bootstrap_means
    from adjudge.stats.resampling.cluster import cluster_means

    choices = choices or Choices()
    ranked = _ranked(matrix, choices.against)
    rng = generator(choices.seed, "compare/intervals")
    codes = None if clusters is None else _codes(clusters)
    how: Any = {"rng": rng, "resamples": choices.resamples, "level": choices.level}
    if codes is None:
        low, high = bootstrap_means(ranked.values, **how)
    else:
        low, high = cluster_means(ranked.values, codes, **how)
    pairs = np.ones(len(ranked.systems) * (len(ranked.systems) - 1) // 2, dtype=np.bool_)
    if choices.against is not None:
        pairs &= _with_last(len(ranked.systems))
    if family is not None:
        pairs &= family(ranked.systems)
    tested = run_tests(ranked.values, pairs, choices, _alternative(matrix, choices), codes)
    return Comparison(
        matrix=replace(ranked, missing=matrix.missing),
        standings=_standings(ranked, low, high, tested[choices.test], bool(pairs.all())),
        tested=tested,
        family=pairs,
        choices=choices,
        interval="bootstrap-percentile" if codes is None else "cluster-bootstrap-percentile",
        kinds=kinds or {},
    )


@dataclass(frozen=True)
class Standing:
    """One system's place in the league table.

    `best` and `worst` are the highest and lowest rank that the significant differences leave open.
    """

    system: str
    rank: int
    n: int
    mean: float
    low: float
    high: float
    group: str
    best: int
    worst: int


@dataclass(frozen=True)
class ComparedPair:
    """Two systems compared by one test: the one with the better mean first, or, of `against`, the other system."""

    a: str
    b: str
    result: PairedTest
    p_adjusted: float
    different: bool
    correction: str = ""
    same: bool = False
    """Equivalence was shown: the difference is within the margin."""

    def sentence(self, better: Any, alpha: float, *, margin: float | None = None) -> str:
        """What the corrected test says, and whether the two are the same for all practical purposes."""
        from dataclasses import replace

        result = replace(self.result, p=self.p_adjusted)
        said = result.sentence(self.a, self.b, better, alpha=alpha, correction=self.correction)
        if margin is None:
            return said
        if self.same:
            return f"{said}; they are the same within {margin:g}"
        return said if self.different else f"{said}; nor are they shown to be the same within {margin:g}"


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """A ranking with intervals, tests and groups. Keeps the matrix it came from, best system first."""

    matrix: ScoreMatrix
    standings: tuple[Standing, ...]
    tested: dict[Test, Tested]
    family: BoolArray
    """Which pairs were asked for, in the order of `itertools.combinations` over the matrix's systems."""
    choices: Choices
    interval: str = "bootstrap-percentile"
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Of the systems, where they are known: machine, baseline, human."""

    @property
    def test(self) -> Test:
        return self.choices.test

    @property
    def alpha(self) -> float:
        return self.choices.alpha

    @property
    def level(self) -> float:
        return self.choices.level

    @property
    def resamples(self) -> int:
        return self.choices.resamples

    @property
    def seed(self) -> int:
        return self.choices.seed

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def complete(self) -> bool:
        """Every pair was asked for, so that letters and rank intervals mean something."""
        return bool(self.family.all())

    @property
    def signature(self) -> str:
        matrix, choices = self.matrix, self.choices
        against = f"|against:{choices.against}:{choices.side}" if choices.against else ""
        return (
            f"{matrix.signature}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
            f"|interval:{self.interval}:{self.level:g}:{self.resamples}"
            f"|test:{self.tested[self.test].results.signature.replace('|', ':')}"
            f"|correct:{choices.correct}:{choices.alpha:g}|pairs:{int(self.family.sum())}{against}|seed:{self.seed}"
        )

    @cached_property
    def pairs(self) -> dict[Test, tuple[ComparedPair, ...]]:
        """The pairs that were asked for, by test."""
        return {test: tuple(self._pairs(test)) for test in self.tested}

    def _pairs(self, test: Test) -> Iterator[ComparedPair]:
        import numpy as np

        tested, names = self.tested[test], self.matrix.systems
        counts = tested.results.counts
        word = CORRECTION_WORDS[self.choices.correct]
        same = (
            self.equivalence.equivalent if self.equivalence is not None else np.zeros(len(counts), dtype=bool)
        )
        for k in np.flatnonzero(self.family).tolist():
            yield ComparedPair(
                a=names[counts.first[k]],
                b=names[counts.second[k]],
                result=tested.results.at(k),
                p_adjusted=float(tested.adjusted[k]),
                different=bool(tested.different[k]),
                correction=word,
                same=bool(same[k]),
            )

    @cached_property
    def effects(self) -> PairEffects:
        """How large the differences are, with intervals, over all pairs."""
        from adjudge.stats.effects import pair_effects

        return pair_effects(self.matrix.values, level=self.level)

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Which pairs are shown to be the same within the margin, where one was given."""
        if self.choices.margin is None:
            return None
        from adjudge.stats.equivalence import equivalence_pairs

        test: Literal["t", "wilcoxon"] = "wilcoxon" if self.test == "wilcoxon" else "t"
        return equivalence_pairs(self.matrix.values, margin=self.choices.margin, test=test, alpha=self.alpha)

    # In words

    def headline(self) -> str:
        """The first thing to know."""
        pairs = self.pairs[self.test]
        if len(self.standings) < 2:
            return f"One system has scores: nothing to compare on {self.title}."
        if not pairs:
            return f"On {self.title} no pair of systems was asked for."
        untested = [pair.result.why for pair in pairs if pair.result.why is not None]
        if len(untested) == len(pairs):
            return f"On {self.title} no pair of systems can be tested: {untested[0]}."
        found = sum(pair.different for pair in pairs)
        if not found:
            number = counted(len(pairs), "pair")
            return f"On {self.title} no two systems differ significantly ({number}){_same(pairs, self)}."
        of = f"{found} of {counted(len(pairs), 'pair')} of systems differ"
        left = f" ({counted(len(untested), 'pair')} could not be tested)" if untested else ""
        if self.choices.against is not None:
            return f"On {self.title} {_against(pairs, self)}; {of}{left}."
        top = _top(self, pairs) if self.complete else ""
        return f"On {self.title} {top}{'; ' if top else ''}{of}{left}{_same(pairs, self)}."

    def sentences(self) -> Iterator[str]:
        """The headline, then every pair that differs, and with a margin also every pair that is the same."""
        yield self.headline()
        for pair in self.pairs[self.test]:
            if pair.different or pair.same:
                yield self.pair_sentence(pair)

    def pair_sentence(self, pair: ComparedPair) -> str:
        return pair.sentence(self.matrix.info.better, self.alpha, margin=self.choices.margin)

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        return [f"{system}: {n} missing ({why})" for (system, why), n in counts.items()]

    def warnings(self) -> list[str]:
        """What a reader should know before believing the table."""
        return _warnings(self)

    # As tables

    def table(self) -> Table:
        """The league table."""
        interval = Column("interval", f"{self.level:.0%} interval", data=False, right=False)
        columns = [Column("rank", ""), Column("system", right=False)]
        if self.kinds:
            columns.append(Column("kind"))
        columns += [
            Column("n", "topics"),
            Column("mean", format=".4f"),
            Column("low", show="never"),
            Column("high", show="never"),
            interval,
        ]
        if self.complete:
            columns += [
                Column("best", show="never"),
                Column("worst", show="never"),
                Column("ranks", data=False, right=False),
                Column("group", right=False),
            ]
        return Table(
            name="standings",
            columns=tuple(columns),
            rows=tuple(self._row(s) for s in self.standings),
            title=f"{self.matrix.heading} ({self.matrix.info.direction},"
            f" {counted(len(self.matrix.topics), 'topic')})",
            said=(self.headline(),),
            notes=(*self.missing(), *self.warnings()),
            signature=self.signature,
        )

    def _row(self, s: Standing) -> tuple[str | int | float | None, ...]:
        kind = (self.kinds.get(s.system, "machine"),) if self.kinds else ()
        ends = (s.best, s.worst, ranks(s), s.group) if self.complete else ()
        return (s.rank, s.system, *kind, s.n, s.mean, s.low, s.high, interval_words(s), *ends)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair and test."""
        import pandas as pd

        rows = [row for test in self.tested for row in _pair_rows(self, test)]
        return pd.DataFrame(rows, columns=PAIR_COLUMNS)

    def effects_frame(self) -> pd.DataFrame:
        """A row per pair: effect sizes and their intervals."""
        frame = self.effects.to_frame()[self.family]
        names = self.matrix.systems
        frame.insert(0, "a", [names[i] for i in frame.pop("first")])
        frame.insert(1, "b", [names[i] for i in frame.pop("second")])
        frame.insert(0, "measure", self.measure)
        return frame.reset_index(drop=True)

    def effects_table(self) -> Table:
        """How large the differences are, for people; `effects_frame` has the numbers."""
        heads = {
            "mean": "difference",
            "standardised": "in s.d.",
            "hodges_lehmann": "Hodges-Lehmann",
            "superiority": "superiority",
        }
        counts = ("n", "wins", "losses", "ties")
        rows = self.effects_frame().to_dict("records")
        return Table(
            name="effects",
            columns=(
                Column("a", right=False),
                Column("b", right=False),
                *(Column(name, "topics" if name == "n" else name) for name in counts),
                *(Column(kind, head, right=False) for kind, head in heads.items()),
            ),
            rows=tuple(
                (row["a"], row["b"], *(row[name] for name in counts), *(_effect(row, k) for k in heads))
                for row in rows
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.matrix.info.better,
                "length": self.matrix.length,
                "form": self.matrix.form,
                "topics": len(self.matrix.topics),
                "signature": self.signature,
                "headline": self.headline(),
                "sentences": list(self.sentences())[1:],
                "standings": [asdict(s) for s in self.standings],
                "pairs": [row for test in self.tested for row in _pair_rows(self, test)],
                "missing": self.matrix.missing,
                "warnings": self.warnings(),
            }
        )
        return found


def ranks(standing: Standing, dash: str = "-") -> str:
    """The ranks that the significant differences leave open: 2-4."""
    if standing.best == standing.worst:
        return str(standing.best)
    return f"{standing.best}{dash}{standing.worst}"


def interval_words(standing: Standing) -> str | None:
    """`0.1200 to 0.1400`; a single topic has none."""
    return None if standing.low != standing.low else f"{standing.low:z.4f} to {standing.high:z.4f}"


def _effect(row: Mapping[Any, Any], kind: str) -> str | None:
    """An effect with its interval, where there is one."""
    value, low, high = (row[name] for name in (kind, f"{kind}_low", f"{kind}_high"))
    if value != value:
        return None
    return f"{value:z.3g}" if low != low else f"{value:z.3g} ({low:z.3g} to {high:z.3g})"


def _same(pairs: Sequence[ComparedPair], c: Comparison) -> str:
    if c.choices.margin is None:
        return ""
    same = sum(pair.same for pair in pairs)
    return f"; {same} are shown to be the same within {c.choices.margin:g}"


def _against(pairs: Sequence[ComparedPair], c: Comparison) -> str:
    """Who is better and who is worse than the one system that all are compared with."""
    sign = -1 if c.matrix.info.better == "lower" else 1
    above = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign > 0]
    below = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign < 0]
    high, low = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    said = [f"{listed(names)} {_is(names)} {word}" for names, word in ((above, high), (below, low)) if names]
    return f"{' and '.join(said)} than {c.choices.against}"


def _top(c: Comparison, pairs: Sequence[ComparedPair]) -> str:
    """The best system, and those that do not differ from it; one that others beat topic by topic is not the best."""
    top = c.standings[0].system
    better = c.matrix.info.better
    sign = -1 if better == "lower" else 1
    against = [pair for pair in pairs if pair.a == top]
    above = [pair.b for pair in against if pair.different and pair.result.statistic * sign < 0]
    alike = [pair.b for pair in against if not pair.different]
    word = "best" if better else "highest"
    if above:
        return f"{top} has the {word} mean, but topic by topic {listed(above)} {_is(above)} above it"
    if alike:
        return f"{listed([top, *alike])} are not significantly different from the {word}"
    return f"{top} stands alone at the top" if better else f"{top} is the highest"


def _warnings(c: Comparison) -> list[str]:
    """What a reader should know before believing the table."""
    found = []
    if len({s.n for s in c.standings}) > 1:
        found.append("means are over different topics: some cells are missing")
    found += _unreachable(c)
    if c.tested[c.test].left_out:
        found.append(_left_out(c))
    if c.tested[c.test].floor >= c.alpha:
        found.append(
            f"the smallest corrected p that these resamples allow is {c.tested[c.test].floor:.3g}: nothing can be"
            " found; take more with --resamples"
        )
    if c.test in ("t-unpaired", "welch"):
        found.append("the scores of two systems on one topic are not independent: paired tests find more")
    if c.choices.correct == "none" and len(c.pairs[c.test]) > 1:
        expected = len(c.pairs[c.test]) * c.alpha
        found.append(
            f"{counted(len(c.pairs[c.test]), 'pair')} without correction:"
            f" about {expected:.3g} would differ at p < {c.alpha:g} if no systems did"
        )
    return found


def _unreachable(c: Comparison) -> list[str]:
    topics, pairs = len(c.matrix.topics), len(c.pairs[c.test])
    swaps = c.test in ("wilcoxon", "sign", "exact")
    if not swaps or not pairs or c.choices.correct not in ("holm", "bonferroni"):
        return []
    sides = 1 if c.choices.side == "both" else 0
    if pairs * 2.0 ** (sides - topics) < c.alpha:
        return []
    return [
        f"with {counted(topics, 'topic')} and {counted(pairs, 'pair')} the smallest p that this test and"
        f" correction can give is not below {c.alpha:g}: nothing can be found"
    ]


def _left_out(c: Comparison) -> str:
    left = c.tested[c.test].left_out
    counts = c.tested[c.test].results.counts
    names = [
        f"{c.matrix.systems[counts.first[k]]} and {c.matrix.systems[counts.second[k]]}"
        for k in list(left)[:3]
    ]
    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
    return f"{counted(len(left), 'pair')} left the family: {'; '.join(names)}{more} ({next(iter(left.values()))})"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _pair_rows(c: Comparison, test: Test) -> Iterator[dict[str, Any]]:
    import numpy as np

    tested, effects, names = c.tested[test], c.effects, c.matrix.systems
    results, counts = tested.results, tested.results.counts
    for k in np.flatnonzero(c.family).tolist():
        yield {
            "measure": c.measure,
            "a": names[counts.first[k]],
            "b": names[counts.second[k]],
            "n": int(counts.n[k]),
            "test": test,
            "statistic": float(results.statistic[k]),
            "p": float(results.p[k]),
            "p_adjusted": float(tested.adjusted[k]),
            "difference": float(counts.difference[k]),
            "low": float(effects.mean.low[k]),
            "high": float(effects.mean.high[k]),
            "wins": int(counts.wins[k]),
            "losses": int(counts.losses[k]),
            "ties": int(counts.ties[k]),
            "method": results.method[k],
            "why": results.why.get(k) or tested.left_out.get(k),
        }


def _ranked(matrix: ScoreMatrix, against: str | None) -> ScoreMatrix:
    """Systems with scores, best first; the one that all are compared with comes last."""
    import numpy as np

    if not matrix.systems:
        raise DataError(f"{matrix.measure}: no scores")
    if against is not None and against not in matrix.systems:
        raise UsageError(f"--against {quoted(against)}: no such system{nearest(against, matrix.systems)}")
    counts = np.count_nonzero(~np.isnan(matrix.values), axis=0)
    scored = matrix.select([s for s, n in zip(matrix.systems, counts, strict=True) if n])
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing ({matrix.missing[0][2]})")
    if against is not None and against not in scored.systems:
        raise DataError(f"--against {quoted(against)}: it has no score of {matrix.measure}")
    means = np.nanmean(scored.values, axis=0)
    sign = 1 if matrix.info.better == "lower" else -1
    order = sorted(range(len(means)), key=lambda j: (sign * means[j], scored.systems[j]))
    names = [scored.systems[j] for j in order]
    if against is not None:
        names = [*(name for name in names if name != against), against]
    return scored.select(names)


def _codes(clusters: Sequence[str | None]) -> IntArray:
    """A number for every set; topics without one would each be a set of its own by accident."""
    import numpy as np

    if absent := sum(name is None for name in clusters):
        raise DataError(
            f"{absent} of {len(clusters)} topics belong to no set: there is nothing to cluster by"
        )
    numbers = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    return np.array([numbers[name] for name in clusters], dtype=np.int64)


def _alternative(matrix: ScoreMatrix, choices: Choices) -> Alternative:
    if choices.side == "both":
        return "two-sided"
    higher = (choices.side == "better") == (matrix.info.better != "lower")
    return "greater" if higher else "less"


def _with_last(systems: int) -> BoolArray:
    from adjudge.stats.pairs import columns_of_pairs

    chosen: BoolArray = columns_of_pairs(systems)[1] == systems - 1
    return chosen


def _standings(
    matrix: ScoreMatrix, low: Any, high: Any, tested: Tested, complete: bool
) -> tuple[Standing, ...]:
    """The league table, best mean first. Groups and rank intervals need every pair."""
    import numpy as np

    from adjudge.stats.order import letters, rank_intervals

    size = len(matrix.systems)
    counts = tested.results.counts
    sign = -1 if matrix.info.better == "lower" else 1
    apart = np.zeros((size, size), dtype=bool)
    above = np.zeros((size, size), dtype=bool)  # above[i, j]: i is better than j
    higher = tested.results.statistic * sign > 0
    apart[counts.first, counts.second] = apart[counts.second, counts.first] = tested.different
    above[counts.first, counts.second] = tested.different & higher
    above[counts.second, counts.first] = tested.different & ~higher
    means = np.nanmean(matrix.values, axis=0)
    order = sorted(range(size), key=lambda j: (-sign * means[j], matrix.systems[j]))
    groups = letters(apart, order) if complete else [""] * size
    best, worst = rank_intervals(above) if complete else (np.ones(size, int), np.full(size, size))
    return tuple(
        Standing(
            system=matrix.systems[j],
            rank=1 + int(np.count_nonzero(sign * means > sign * means[j])),
            n=int(np.count_nonzero(~np.isnan(matrix.values[:, j]))),
            mean=float(means[j]),
            low=float(low[j]),
            high=float(high[j]),
            group=groups[j],
            best=int(best[j]),
            worst=int(worst[j]),
        )
        for j in order
    )
