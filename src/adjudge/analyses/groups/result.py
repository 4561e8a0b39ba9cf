"""Groups of systems that do not differ: letters, lines, rank intervals, consistent rankings, contrasts, the best.

Each pair is tested with the variance of its own differences; Tukey's test, which pools them, by name. The mathematics
is in stats/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.analyses import conclusions
from adjudge.analyses.best import best_words
from adjudge.analyses.methods import MethodsParagraph, grouped_methods
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, among, nearest, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Column, Table, Tabular, held, plain
from adjudge.core.words import counted, decimal, listed
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.linear.contrasts import Contrasts
    from adjudge.stats.linear.tukey import SpreadCheck, Tukey
    from adjudge.stats.order import CriticalDifference, Rankings, Underlines
    from adjudge.stats.own_variances import OwnContrasts, OwnMethod, OwnVariances, WithBest

SCALES = ("values", "ranks", "topic-ranks")
METHODS = ("auto", "max-t", "t", "tukey")
TOGETHER = 10_000
"""Pairs that become rows of JSON together."""
MOST_LINES = 26
"""Lines that are drawn beside the systems; where there are more, letters say it alone."""
CEILING = {
    "max-t": "few topics show how far their scores vary, so that their differences are hard to find",
    "t": "few topics show how far their scores vary, and Student's t may find more differences than alpha allows",
    "tukey": "few topics show how far their scores vary, and one variance does not fit all systems",
}
"""What a ceiling means for each method."""
KIND_WORDS = {"humans": "human", "machines": "machine", "baselines": "baseline"}
PAIR_COLUMNS = [
    "measure",
    "a",
    "b",
    "n",
    "difference",
    "se",
    "statistic",
    "p",
    "low",
    "high",
    "conclusion",
    "method",
    "why",
]
CONCLUSIONS = conclusions.CONCLUSIONS[:4]
"""What is said of a pair; all pairs are tested, so that none is left over."""


def groups(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    method: str = "auto",
    scale: str = "values",
    against: str | None = None,
    contrast: str | Sequence[str] = (),
    best: bool = False,
    alpha: float = 0.05,
    adjust: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    without: str | Sequence[str] = (),
) -> Groupings:
    """Which systems differ on one measure, all pairs at once: `groups("my-eval", "rouge-2", against="lead")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. `method` is
    auto, max-t, t or tukey; auto takes the bootstrap of the largest t where every pair has 20 topics, else Student's t
    with Holm, both with each pair's own variance. `scale` is values, ranks or topic-ranks. `against` compares all
    systems with one, `contrast` the means of one sort of systems with another; `best=True` adds Hsu's comparisons with
    the best. `adjust` is Tukey's contrasts' alone. `length="all"` averages within a topic first.
    """
    found = scores_of(scores, without=without)
    matrix = found.matrix(measure, length=length, form=form, pool=pool, pool_humans=pool_humans).averaged()
    kinds = found.kinds_of(matrix.systems)
    notes = found.assessor_note(matrix.measure, length, form)
    chosen: dict[str, list[float]] = many_to_one(matrix.systems, against) if against else {}
    for text in [contrast] if isinstance(contrast, str) else contrast:
        chosen |= kind_contrast(matrix.systems, kinds, text)
    grouped = groupings(
        matrix,
        method=method,
        scale=scale,
        level=1 - alpha,
        contrasts=chosen,
        best=best,
        adjust=adjust,
        resamples=resamples,
        seed=seed,
        kinds=kinds,
    )
    return replace(grouped, notes=notes, made=tuple(found.notes(matrix.measure)))


def groupings(
    matrix: ScoreMatrix,
    *,
    method: str = "auto",
    scale: str = "values",
    level: float = 0.95,
    contrasts: Mapping[str, Sequence[float]] | None = None,
    best: bool = False,
    adjust: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    kinds: Mapping[str, str] | None = None,
) -> Groupings:
    """All pairs of systems of a matrix, on the values or on ranks.

    `contrasts` are weights per system, by name; see `kind_contrast` and `many_to_one`.
    """
    import numpy as np

    from adjudge.stats.linear.model import fit_additive
    from adjudge.stats.linear.tukey import scaled, spread_check, tukey
    from adjudge.stats.order import count_rankings, letters, places, rank_intervals, underlines
    from adjudge.stats.own_variances import own_pairs

    _check("scale", scale, SCALES)
    _check("method", method, METHODS)
    if adjust is not None and method != "tukey":
        raise UsageError(
            'adjust: contrasts of their own variances are not pooled; expected with method="tukey"'
        )
    scored = matrix.select(
        [s for j, s in enumerate(matrix.systems) if not np.isnan(matrix.values[:, j]).all()]
    )
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing")
    values = scaled(scored.values, scale)  # type: ignore[arg-type]
    test: OwnVariances | Tukey
    if method == "tukey":
        test = tukey(scored.values, scale=scale, level=level)  # type: ignore[arg-type]
    else:
        test = own_pairs(
            values,
            rng=generator(seed, "groups/pairs"),
            method=None if method == "auto" else method,  # type: ignore[arg-type]
            level=level,
            resamples=resamples,
        )
    sign = 1 if matrix.info.better == "lower" else -1
    means = fit_additive(values).means
    joined = not np.isnan(means).any()
    if not joined:
        means = np.nanmean(values, axis=0)
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
    standings = tuple(
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
    )
    names = tuple(contrasts or ())
    weights = np.array([_weights(contrasts[name], matrix, scored) for name in names]) if contrasts else None
    own = None if test.method == "tukey" else test.method
    return Groupings(
        matrix=scored,
        values=values,
        test=test,
        places=standings,
        better=better[np.ix_(order, order)],
        lines=underlines(different, order),
        rankings=count_rankings(better),
        names=names,
        contrasts=None
        if weights is None
        else _contrasts(values, weights, method, adjust, level, resamples, seed),
        kinds=kinds or {},
        hsu=_hsu(values, own, sign > 0, level, resamples, seed) if best and len(order) > 1 else None,
        joined=joined,
        spreads=spread_check(values) if method == "tukey" else None,
        seed=seed,
        scale=scale,
    )


def _contrasts(
    values: FloatArray,
    weights: FloatArray,
    method: str,
    adjust: str | None,
    level: float,
    resamples: int,
    seed: int,
) -> OwnContrasts | Contrasts:
    """Contrasts with their own variances, or with the model's for Tukey's test."""
    from adjudge.stats.linear.contrasts import contrasts
    from adjudge.stats.own_variances import own_contrasts

    rng = generator(seed, "groups/contrasts")
    if method == "tukey":
        return contrasts(values, weights, adjust=adjust or "single-step", level=level, rng=rng)  # type: ignore[arg-type]
    own: OwnMethod | None = None if method == "auto" else method  # type: ignore[assignment]
    return own_contrasts(values, weights, rng=rng, method=own, level=level, resamples=resamples)


def _hsu(
    values: FloatArray, method: str | None, lower: bool, level: float, resamples: int, seed: int
) -> WithBest:
    from adjudge.stats.own_variances import BOOTSTRAP_FROM, with_best

    bootstrap = method == "max-t" or (method is None and len(values) >= BOOTSTRAP_FROM)
    own: OwnMethod = "max-t" if bootstrap else "t"
    rng = generator(seed, "groups/best")
    return with_best(values, rng=rng, method=own, lower=lower, level=level, resamples=resamples)


@dataclass(frozen=True, repr=False)
class Groupings(Pictured, Tabular):
    """What the tests of all pairs at once say; `places` stand best first."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "critical-difference": "adjudge.analyses.compare.figures.ranking:critical_difference"
    }

    matrix: ScoreMatrix
    values: FloatArray
    """What was tested: the matrix's values, or their ranks."""
    test: OwnVariances | Tukey
    places: tuple[GroupedSystem, ...]
    better: BoolArray
    """Who is significantly better than whom, in the order of the places."""
    lines: Underlines
    rankings: Rankings
    names: tuple[str, ...] = ()
    contrasts: OwnContrasts | Contrasts | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    hsu: WithBest | None = None
    joined: bool = True
    """Whether chains of common topics join all systems; only then do they have least-squares means."""
    spreads: SpreadCheck | None = None
    """For Tukey's test: whether the pairs spread alike."""
    seed: int = 0
    scale: str = "values"
    """What was tested, one of SCALES."""
    notes: tuple[str, ...] = ()
    """What there is to know of where the scores come from."""
    made: tuple[str, ...] = ()
    """What there is to know of how the scores were made."""

    @property
    def about_scores(self) -> tuple[str, ...]:
        return self.notes

    @property
    def pooled(self) -> bool:
        """Whether one variance stands for all pairs: Tukey's test."""
        return self.spreads is not None

    @property
    def alpha(self) -> float:
        return round(1 - self.test.level, 12)

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        seeded = f"|seed:{self.seed}" if "resamples:" in self.test.signature else ""
        return f"{self.matrix.signature}|topics:{len(self.matrix.topics)}|{self.test.signature}{seeded}"

    @cached_property
    def n(self) -> IntArray:
        """The topics that both systems of a pair have."""
        import numpy as np

        seen = (~np.isnan(self.values)).astype(float)
        first, second = np.triu_indices(seen.shape[1], k=1)
        return np.asarray((seen.T @ seen)[first, second].astype(np.int64))

    @cached_property
    def conclusion(self) -> IntArray:
        """Of every pair, what was found: the place of its words in CONCLUSIONS."""
        return self.test.conclusion

    @cached_property
    def diagram(self) -> CriticalDifference:
        """Mean ranks within topics and Nemenyi's test, whatever the method of the groups."""
        from adjudge.stats.order import critical_difference

        lower = self.matrix.info.better == "lower"
        return critical_difference(
            self.matrix.values, best="lowest" if lower else "highest", level=self.test.level
        )

    @property
    def method_words(self) -> str:
        return self.test.words if self.pooled else f"own variances, {self.test.words}"

    def headline(self) -> str:
        """How many pairs differ, do not, or could not be found to, and who may be the best."""
        counts = [int((self.conclusion == k).sum()) for k in range(len(CONCLUSIONS))]
        pairs = sum(counts)
        if not pairs:
            return f"On {self.title} there is one system, and no pair to compare."
        differ, alike, lost, apart = counts
        if differ + alike == 0:
            said = [f"no pair of systems could have been found to differ ({self.method_words})"]
        else:
            said = [f"{differ:,} of {counted(pairs, 'pair')} of systems differ ({self.method_words})"]
            said += (
                [f"{alike:,} {'is' if alike == 1 else 'are'} not significantly different"] if alike else []
            )
        said += [f"{lost:,} could not have been found ({self._lost_words()})"] if lost else []
        if apart:
            what = "no chain of common topics" if self.pooled else "no common topic"
            said.append(f"{apart:,} {'is' if apart == 1 else 'are'} not comparable ({what})")
        names = [place.system for place in self.places]
        who = best_words(self.better, names, directed=self.matrix.info.better is not None)
        return f"On {self.title} {'; '.join(said)}; {who}."

    def _lost_words(self) -> str:
        """Why pairs could not have been found to differ: the commonest reason."""
        import numpy as np

        from adjudge.stats.own_variances import no_test

        lost = np.flatnonzero(self.conclusion == 2)
        reasons = [self.test.why.get(int(k), "too few topics differ at all") for k in lost]
        most = max(dict.fromkeys(reasons), key=reasons.count)
        said = most if len(set(reasons)) == 1 else f"mostly: {most}"
        constant = [
            k
            for k in lost.tolist()
            if self.n[k] > 1 and self.test.why.get(k) == no_test(int(self.n[k])) and self.test.difference[k]
        ]
        if constant and not self.pooled:
            said += "; `adjudge compare` tests differences that are all the same by their ranks"
        return said

    def methods(self) -> MethodsParagraph:
        """What a paper says of how this was done, and what it cites."""
        return grouped_methods(self)

    def sentences(self) -> Iterator[str]:
        yield self.headline()
        yield self.rankings.sentence()
        if (warning := self.lines.warning()) and len(self.lines.lines) <= MOST_LINES:
            yield f"{warning[0].upper()}{warning[1:]}."
        yield from self._missing_words()
        yield from self.test.notes()
        if self.spreads is not None:
            yield self.spreads.sentence(self.alpha)
        if self.hsu is not None:
            yield self._best_sentence()
        if self.contrasts is not None:
            if len(self.names) > 1:
                yield f"The {len(self.names)} contrasts are corrected as one family, apart from the pairs."
            for k, name in enumerate(self.names):
                yield self.contrasts.sentence(k, name)
        if said := self._ceiling_words():
            yield said
        for note in self.notes:
            yield f"{note[0].upper()}{note[1:]}."

    def _missing_words(self) -> Iterator[str]:
        """What missing cells mean for the means and for the pairs."""
        import numpy as np

        if not np.isnan(self.values).any():
            return
        if self.joined:
            yield "Cells are missing: means are least-squares means of the model topic + system."
        else:
            yield (
                "Cells are missing, and no chain of common topics joins all systems: means are each system's own, over"
                " different topics."
            )
        if not self.pooled and self.n.size:
            few, many = int(self.n.min()), int(self.n.max())
            yield f"Each pair is compared on the topics that both have, {few if few == many else f'{few} to {many}'}."
        against = int(np.tril(self.better).sum())
        if against:
            yield (
                f"{counted(against, 'pair')} {'stands' if against == 1 else 'stand'} in the table the other way round"
                " than the test of their common topics says."
            )

    def _ceiling_words(self) -> str | None:
        """Which systems have the highest or the lowest score on half of their topics or more."""
        import numpy as np

        values = self.matrix.values
        present = ~np.isnan(values)
        if len(self.places) < 2:
            return None
        for word, end in (("highest", np.nanmax(values)), ("lowest", np.nanmin(values))):
            there = (values == end).sum(axis=0)
            many = (there > 1) & (2 * there >= present.sum(axis=0))
            at = [s for s, each in zip(self.matrix.systems, many, strict=True) if each]
            if at and np.nanmax(values) > np.nanmin(values):
                return (
                    f"{listed(at)} {'has' if len(at) == 1 else 'have'} the {word} score, {end:g}, on half of the topics"
                    f" or more: {CEILING[self.test.method]}."
                )
        return None

    def _best_sentence(self) -> str:
        """Hsu's candidates for the best."""
        if self.hsu is None:
            return ""
        word = "best" if self.matrix.info.better is not None else "highest"
        by_name = dict(zip(self.matrix.systems, self.hsu.candidates, strict=True))
        names = [place.system for place in self.places if by_name[place.system]]
        how = (
            "one-sided bootstrap of the largest t"
            if self.hsu.method == "max-t"
            else "one-sided t, Bonferroni"
        )
        return (
            f"By Hsu's comparisons with the {word} ({how}, level {self.hsu.level:g}) {listed(names)}"
            f" {'is the only candidate' if len(names) == 1 else 'are the candidates'} for the {word}."
        )

    def pair_sentences(self) -> Iterator[str]:
        """Every pair in words."""
        from itertools import combinations

        for k, (a, b) in enumerate(combinations(self.matrix.systems, 2)):
            yield self.test.sentence(k, a, b, self.matrix.info.better)

    def draw_lines(self) -> str:
        """The systems, best first, with a line beside those that are alike."""
        return self.lines.draw(self.matrix.systems)

    def draw_diagram(self) -> str:
        """The critical-difference diagram, in plain text."""
        return self.diagram.draw(self.matrix.systems)

    def diagram_words(self) -> str:
        """What the diagram shows, and on how many pairs its test and that of the groups are not of one mind."""
        import numpy as np

        said = "Mean ranks within topics; lines by Nemenyi's test"
        by_ranks = self.diagram.test.conclusion == 0
        apart = int(np.count_nonzero(by_ranks != (self.conclusion == 0)))
        if not apart:
            return said
        verb = "differs" if apart == 1 else "differ"
        return f"{said}, not that of the groups: {counted(apart, 'pair')} {verb} by one of the two alone"

    def table(self) -> Table:
        """The systems, best first, with the ranks that are left open, letters and lines."""
        room = len(max(self.matrix.systems, key=len))
        drawn = len(self.lines.lines) <= MOST_LINES
        lines = [line[room:] for line in self.draw_lines().splitlines()] if drawn else [""] * len(self.places)
        kind = (Column("kind", show="varies"),) if self.kinds else ()
        hsu = (
            (Column("best_low", show="never"), Column("best_high", show="never"))
            if self.hsu is not None
            else ()
        )
        return Table(
            name="groups",
            columns=(
                Column("rank", ""),
                Column("system", right=False),
                *kind,
                Column("n", "topics"),
                Column("mean", format=".4f"),
                Column("best", show="never"),
                Column("worst", show="never"),
                Column("ranks", data=False, right=False),
                *hsu,
                *((Column("with_best", "less the best other", data=False, right=False),) if hsu else ()),
                Column("group", right=False),
                Column("alike", show="terminal" if drawn else "never", data=False, right=False),
            ),
            rows=tuple(
                (
                    p.rank,
                    p.system,
                    *((self.kinds.get(p.system, "machine"),) if kind else ()),
                    p.n,
                    p.mean,
                    p.best,
                    p.worst,
                    str(p.best) if p.best == p.worst else f"{p.best}-{p.worst}",
                    *self._best_cells(p.system),
                    p.group,
                    line,
                )
                for p, line in zip(self.places, lines, strict=True)
            ),
            title=f"{self.matrix.heading} ({self.matrix.info.direction},"
            f" {counted(len(self.matrix.topics), 'topic')})",
            said=tuple(self.sentences()),
            signature=self.signature,
        )

    def _best_cells(self, system: str) -> tuple[float | str | None, ...]:
        """Hsu's interval of one system: its ends, and both in words."""
        import math

        if self.hsu is None:
            return ()
        j = self.matrix.systems.index(system)
        low, high = float(self.hsu.low[j]), float(self.hsu.high[j])
        if self.matrix.info.better == "lower":
            low, high = -high + 0.0, -low + 0.0
        words = " to ".join("open" if math.isinf(end) else decimal(end) for end in (low, high))
        return None if math.isinf(low) else low, None if math.isinf(high) else high, words

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair."""
        import numpy as np
        import pandas as pd

        t, names = self.test, np.array(self.matrix.systems, dtype=object)
        first, second = np.triu_indices(names.size, k=1)
        why = np.full(first.size, None, dtype=object)
        why[list(t.why)] = list(t.why.values())
        columns: dict[str, Any] = {
            "measure": self.matrix.measure,
            "a": names[first],
            "b": names[second],
            "n": self.n,
            "difference": t.difference,
            "se": t.se,
            "statistic": t.statistic,
            "p": t.p,
            "low": t.low,
            "high": t.high,
            "conclusion": np.array(CONCLUSIONS, dtype=object)[self.conclusion],
            "method": self.test.method,
            "why": why,
        }
        return pd.DataFrame(columns, columns=PAIR_COLUMNS)

    def _pair_rows(self) -> Iterator[dict[str, Any]]:
        frame = self.pairs_frame()
        for start in range(0, len(frame), TOGETHER):
            yield from map(plain, frame.iloc[start : start + TOGETHER].to_dict("records"))

    def as_dict(self) -> dict[str, Any]:
        return held(self.streamed())

    def streamed(self) -> dict[str, Any]:
        """`as_dict`, with the pairs as they are made."""
        names = self.matrix.systems
        pooled = {
            name: getattr(self.test, name)
            for name in ("hsd", "df", "mean_square")
            if hasattr(self.test, name)
        }
        found: dict[str, Any] = plain(
            {
                "measure": self.matrix.measure,
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "signature": self.signature,
                "method": self.test.method,
                **pooled,
                "spreads": None if self.spreads is None else asdict(self.spreads),
                "systems": [
                    asdict(p) | dict(zip(("best_low", "best_high"), self._best_cells(p.system), strict=False))
                    for p in self.places
                ],
                "conclusions": {
                    word: int((self.conclusion == k).sum()) for k, word in enumerate(CONCLUSIONS)
                },
                "pairs": None,
                "lines": [[names[j] for j in line] for line in self.lines.lines],
                "critical_difference": {
                    "cd": self.diagram.cd,
                    "ranks": {names[j]: float(self.diagram.ranks[j]) for j in self.diagram.order},
                    "cliques": [[names[j] for j in clique] for clique in self.diagram.cliques()],
                },
                "contrasts": self._contrast_rows(),
                "hsu": self._hsu_rows(),
                "sentences": list(self.sentences()),
                "methods": self.methods().as_dict(),
            }
        )
        found["pairs"] = self._pair_rows()
        return found

    def _hsu_rows(self) -> list[dict[str, Any]]:
        """Every system less the best of the others, best system first."""
        if self.hsu is None:
            return []
        by_name = dict(zip(self.matrix.systems, self.hsu.candidates, strict=True))
        return [
            {"system": p.system, "low": cells[0], "high": cells[1], "candidate": bool(by_name[p.system])}
            for p in self.places
            if (cells := self._best_cells(p.system))
        ]

    def _contrast_rows(self) -> list[dict[str, Any]]:
        if (c := self.contrasts) is None:
            return []
        columns = ("estimate", "se", "p", "low", "high")
        n = getattr(c, "n", None)  # a contrast of the model has no topics of its own
        return [
            {"contrast": name, "n": None if n is None else int(n[k])}
            | {column: float(getattr(c, column)[k]) for column in columns}
            | {"why": c.why.get(k)}
            for k, name in enumerate(self.names)
        ]


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
        raise UsageError(f"--against {quoted(control)}: no such system{among(control, systems)}")
    return {
        f"{system} - {control}": [float(each == system) - float(each == control) for each in systems]
        for system in systems
        if system != control
    }


def kind_contrast(systems: Sequence[str], kinds: Mapping[str, str], text: str) -> dict[str, list[float]]:
    """`humans-machines`: the mean of one sort of systems less that of another; names of systems do as well."""
    parts = text.split("-", 1) if text not in systems else [text]
    sides = [_members(part.strip(), systems, kinds) for part in parts]
    if len(sides) != 2:
        raise UsageError(
            f"--contrast is {quoted(text)}, expected A-B with {', '.join(KIND_WORDS)} or systems"
        )
    first, second = sides
    if set(first) & set(second):
        raise UsageError(
            f"--contrast {quoted(text)}: {listed(sorted(set(first) & set(second)))} on both sides"
        )
    return {
        f"{parts[0].strip()} - {parts[1].strip()}": [
            (s in first) / len(first) - (s in second) / len(second) for s in systems
        ]
    }


def _check(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(
            f"the {name} is {quoted(value)}{nearest(value, known)}; expected: {', '.join(known)}"
        )


def _members(part: str, systems: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    if part in systems:
        return [part]
    if part not in KIND_WORDS:
        raise UsageError(f"--contrast: {quoted(part)} is no system{nearest(part, [*systems, *KIND_WORDS])}")
    found = [s for s in systems if kinds.get(s, "machine") == KIND_WORDS[part]]
    if not found:
        raise UsageError(f"--contrast: there are no {part}")
    return found


def _weights(weights: Sequence[float], matrix: ScoreMatrix, scored: ScoreMatrix) -> list[float]:
    """Weights of the systems that have scores; one without any cannot be part of a contrast."""
    by_name = dict(zip(matrix.systems, weights, strict=True))
    lost = [s for s, w in by_name.items() if w and s not in scored.systems]
    if lost:
        raise DataError(f"{listed(lost)} has no score of {matrix.measure}, and is part of a contrast")
    return [by_name[s] for s in scored.systems]
