"""The frozen result of a comparison: standings, pairs, and what was asked. Computed in run.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

from adjudge.comparisons.scores import Among, Scores
from adjudge.comparisons.tests import CORRECTION_WORDS, Asked, Choices, Test
from adjudge.comparisons.tests import choices as make_choices
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.wording import counted, listed, tex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from adjudge.comparisons.tests import Tested
    from adjudge.stats.checks import BoolArray, IntArray
    from adjudge.stats.effects import PairEffects
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.pairs import Alternative
    from adjudge.stats.results import PairedTest

    Family = Callable[[Sequence[str]], BoolArray]
    from adjudge.comparisons.counts import CountsTable
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.pairs import PairResults


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
class Pair:
    """Two systems held against each other by one test, the better-ranked first (or the one held against)."""

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


@dataclass(frozen=True)
class Comparison:
    """A ranking with honest uncertainty. Frozen; keeps the matrix it came from, best system first."""

    matrix: ScoreMatrix
    standings: tuple[Standing, ...]
    tested: dict[Test, Tested]
    family: BoolArray
    """Which pairs were asked for, in the order of `itertools.combinations` over the matrix's systems."""
    choices: Choices
    interval: str = "bootstrap-percentile"

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
        return f"{self.measure} at {self.matrix.length} words" if self.matrix.length else self.measure

    @property
    def complete(self) -> bool:
        """Every pair was asked for, so that letters and rank intervals mean something."""
        return bool(self.family.all())

    @property
    def signature(self) -> str:
        matrix, choices = self.matrix, self.choices
        length = f"|length:{matrix.length}" if matrix.length else ""
        against = f"|against:{choices.against}:{choices.side}" if choices.against else ""
        return (
            f"{matrix.info.signature or self.measure}{length}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
            f"|interval:{self.interval}:{self.level:g}:{self.resamples}"
            f"|test:{self.tested[self.test].results.signature.replace('|', ':')}"
            f"|correct:{choices.correct}:{choices.alpha:g}|pairs:{int(self.family.sum())}{against}|seed:{self.seed}"
        )

    @cached_property
    def pairs(self) -> dict[Test, tuple[Pair, ...]]:
        """The pairs that were asked for, by test."""
        return {test: tuple(self._pairs(test)) for test in self.tested}

    def _pairs(self, test: Test) -> Iterator[Pair]:
        import numpy as np

        tested, names = self.tested[test], self.matrix.systems
        counts = tested.results.counts
        word = CORRECTION_WORDS[self.choices.correct]
        same = (
            self.equivalence.equivalent if self.equivalence is not None else np.zeros(len(counts), dtype=bool)
        )
        for k in np.flatnonzero(self.family).tolist():
            yield Pair(
                names[counts.first[k]],
                names[counts.second[k]],
                tested.results.at(k),
                float(tested.adjusted[k]),
                bool(tested.different[k]),
                word,
                bool(same[k]),
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

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""

        return sentences(self)

    def headline(self) -> str:
        """The first thing to know."""

        return headline(self)

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        return [f"{system}: {n} missing ({why})" for (system, why), n in counts.items()]

    def warnings(self) -> list[str]:
        """What a reader should know before believing the table."""

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """The league table."""

        return standings_frame(self)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair and test."""

        return pairs_frame(self)

    def effects_frame(self) -> pd.DataFrame:
        """A row per pair: effect sizes and their intervals."""

        return effects_frame(self)

    def to_latex(self) -> str:
        """The league table for a paper, with booktabs rules."""

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""

        return as_dict(self)


def sentences(c: Comparison) -> Iterator[str]:
    """The headline, then every pair that differs, and with a margin also every pair that is the same."""
    yield headline(c)
    for pair in c.pairs[c.test]:
        if pair.different or pair.same:
            yield pair.sentence(c.matrix.info.better, c.alpha, margin=c.choices.margin)


def headline(c: Comparison) -> str:
    pairs = c.pairs[c.test]
    if len(c.standings) < 2:
        return f"One system has scores: nothing to compare on {c.title}."
    if not pairs:
        return f"On {c.title} no pair of systems was asked for."
    untested = [pair.result.why for pair in pairs if pair.result.why is not None]
    if len(untested) == len(pairs):
        return f"On {c.title} no pair of systems can be tested: {untested[0]}."
    found = sum(pair.different for pair in pairs)
    if not found:
        return (
            f"On {c.title} no two systems can be told apart ({counted(len(pairs), 'pair')}){_same(pairs, c)}."
        )
    of = f"{found} of {counted(len(pairs), 'pair')} of systems differ"
    left = f" ({counted(len(untested), 'pair')} could not be tested)" if untested else ""
    if c.choices.against is not None:
        return f"On {c.title} {_against(pairs, c)}; {of}{left}."
    top = _top(c, pairs) if c.complete else ""
    return f"On {c.title} {top}{'; ' if top else ''}{of}{left}{_same(pairs, c)}."


def _same(pairs: Sequence[Pair], c: Comparison) -> str:
    if c.choices.margin is None:
        return ""
    same = sum(pair.same for pair in pairs)
    return f"; {same} are shown to be the same within {c.choices.margin:g}"


def _against(pairs: Sequence[Pair], c: Comparison) -> str:
    """Who is better and who is worse than the one all are held against; it stands second in every pair."""
    sign = -1 if c.matrix.info.better == "lower" else 1
    above = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign > 0]
    below = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign < 0]
    high, low = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    said = [f"{listed(names)} {_is(names)} {word}" for names, word in ((above, high), (below, low)) if names]
    return f"{' and '.join(said)} than {c.choices.against}"


def _top(c: Comparison, pairs: Sequence[Pair]) -> str:
    """Who is at the top, in words: nobody stands alone whom another system beats topic by topic."""
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
        return f"{listed([top, *alike])} cannot be told from the {word}"
    return f"{top} stands alone at the top" if better else f"{top} is the highest"


def warnings(c: Comparison) -> list[str]:
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


def standings_frame(c: Comparison) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(s) for s in c.standings])


def pairs_frame(c: Comparison) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([row for test in c.tested for row in _pair_rows(c, test)], columns=PAIR_COLUMNS)


def effects_frame(c: Comparison) -> pd.DataFrame:
    frame = c.effects.to_frame()[c.family]
    names = c.matrix.systems
    frame.insert(0, "a", [names[i] for i in frame.pop("first")])
    frame.insert(1, "b", [names[i] for i in frame.pop("second")])
    frame.insert(0, "measure", c.measure)
    return frame.reset_index(drop=True)


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


def to_latex(c: Comparison) -> str:
    lines = [r"\begin{tabular}{rlrrlll}", r"\toprule"]
    lines.append(rf"& system & $n$ & mean & {c.level:.0%} interval & ranks & group \\".replace("%", r"\%"))
    lines.append(r"\midrule")
    lines += [
        rf"{s.rank} & {tex(s.system)} & {s.n} & {s.mean:.4f} & {_interval(s)} & {ranks(s, '--')} & {s.group} \\"
        for s in c.standings
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {c.signature}"])


def as_dict(c: Comparison) -> dict[str, Any]:
    return {
        "measure": c.measure,
        "better": c.matrix.info.better,
        "length": c.matrix.length,
        "topics": len(c.matrix.topics),
        "signature": c.signature,
        "headline": c.headline(),
        "sentences": list(c.sentences())[1:],
        "standings": [_json(asdict(s)) for s in c.standings],
        "pairs": [_json(row) for test in c.tested for row in _pair_rows(c, test)],
        "missing": [list(m) for m in c.matrix.missing],
        "warnings": c.warnings(),
    }


def ranks(standing: Standing, dash: str = "-") -> str:
    """The ranks that the significant differences leave open: 2-4."""
    if standing.best == standing.worst:
        return str(standing.best)
    return f"{standing.best}{dash}{standing.worst}"


def _interval(standing: Standing) -> str:
    if standing.low != standing.low:
        return "--"  # a single topic has no interval
    return f"[{standing.low:.4f}, {standing.high:.4f}]"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def compare(
    matrix: ScoreMatrix,
    choices: Choices | None = None,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    **asked: Unpack[Asked],
) -> Comparison:
    """Rank the systems of a matrix, and test pairs of them: `compare(matrix, test="t", correct="bh")`.

    `family` says of an order of systems which pairs are asked for; without it, all are (or with
    `choices.against` those with that system). `clusters` names the set of every topic: then whole sets are
    swapped and resampled.
    """
    import numpy as np

    from adjudge.comparisons.tests import run_tests
    from adjudge.stats.bootstrap import bootstrap_means
    from adjudge.stats.resampling.cluster import cluster_means

    choices = choices or make_choices(**asked)
    ranked = _ranked(matrix, choices.against)
    rng = generator(choices.seed, f"compare/{matrix.measure}")
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
    interval = "bootstrap-percentile" if codes is None else "cluster-bootstrap-percentile"
    standings = _standings(ranked, low, high, tested[choices.test], bool(pairs.all()))
    return Comparison(replace(ranked, missing=matrix.missing), standings, tested, pairs, choices, interval)


def _ranked(matrix: ScoreMatrix, against: str | None) -> ScoreMatrix:
    """Systems with scores, best first; the one that all are held against comes last."""
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

    from adjudge.stats.groups import letters
    from adjudge.stats.order import rank_intervals

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
            matrix.systems[j],
            1 + int(np.count_nonzero(sign * means > sign * means[j])),
            int(np.count_nonzero(~np.isnan(matrix.values[:, j]))),
            float(means[j]),
            float(low[j]),
            float(high[j]),
            groups[j],
            int(best[j]),
            int(worst[j]),
        )
        for j in order
    )


def comparisons(
    data: Scores,
    measures: Sequence[str] = (),
    choices: Choices | None = None,
    *,
    length: int | AllLengths | None = None,
    among: Among = "all",
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool = False,
) -> list[Comparison]:
    """One for every measure and length; of everything that has scores unless measures are named.

    Lengths are compared one at a time; "all" averages within a topic first. `cluster` resamples and swaps
    whole document sets, for topics that are single documents of one set.
    """
    return [
        compare(
            matrix,
            choices,
            family=partial(data.pairs_among, among=among),
            clusters=data.topic_values("set", matrix.topics) if cluster else None,
        )
        for matrix in matrices(data, measures, length=length, among=among, pool=pool, pool_humans=pool_humans)
    ]


def matrices(
    data: Scores,
    measures: Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    among: Among = "all",
    pool: Pool = "mean",
    pool_humans: bool = False,
) -> list[ScoreMatrix]:
    """A matrix for every measure and length."""
    from adjudge.data.scores import averaged

    found = []
    for measure in [data.resolve(m) for m in measures] or data.all_measures():
        if length == "all":
            rows = data.matrix(measure, length="all", among=among, pool=pool, pool_humans=pool_humans)
            found.append(averaged(rows))
            continue
        for each in (length,) if length else data.table.each_length(measure):
            found.append(data.matrix(measure, length=each, among=among, pool=pool, pool_humans=pool_humans))
    return found


def counts(
    data: Scores,
    measures: Sequence[str] = (),
    choices: Choices | None = None,
    *,
    length: int | AllLengths | None = None,
    pool: Pool = "mean",
) -> CountsTable:
    """Rankel's tables: how many pairs each test finds, among all and between humans and machines."""
    from adjudge.comparisons.counts import rankel_tables
    from adjudge.comparisons.tests import run_test

    choices = choices or Choices(tests=("t-unpaired", "t", "wilcoxon"))

    def runs(values: FloatArray, test: str) -> PairResults:
        return run_test(values, test, choices, "two-sided")  # type: ignore[arg-type]

    tests: dict[str, Callable[[FloatArray], PairResults]] = {
        test: partial(runs, test=test) for test in choices.run
    }
    found = matrices(data, measures, length=length, pool=pool)
    return rankel_tables(
        [m for m in found if m.info.better is not None] or found,
        data.kinds,
        tests,
        alpha=choices.alpha,
        level=choices.level,
    )
