"""Tukey's groups of systems: letters, lines, rank intervals, consistent rankings, contrasts. Mathematics: stats/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.scores import Source, scores_of
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, nearest, quoted
from adjudge.table import Column, Table, Tabular, plain
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.linear.contrasts import Contrasts
    from adjudge.stats.linear.tukey import Tukey
    from adjudge.stats.order import CriticalDifference, Rankings, Underlines

SCALES = ("values", "ranks", "topic-ranks")
KIND_WORDS = {"humans": "human", "machines": "machine", "baselines": "baseline"}
PAIR_COLUMNS = ["measure", "a", "b", "difference", "se", "q", "p", "low", "high", "why"]


def groups(
    scores: Source,
    measure: str | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    scale: str = "values",
    against: str | None = None,
    contrast: str | Sequence[str] = (),
    alpha: float = 0.05,
    adjust: str = "single-step",
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
) -> Groupings:
    """Tukey's groups of the systems on one measure: `groups("my-eval", "rouge-2", contrast="humans-machines")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. `scale`
    is values, ranks or topic-ranks. `against` adds Dunnett's test of all systems with one, `contrast` the means of
    one sort of systems less another. `length="all"` averages within a topic first.
    """
    found = scores_of(scores)
    matrix = found.matrix(measure, length=length, form=form, pool=pool, pool_humans=pool_humans).averaged()
    kinds = found.kinds_of(matrix.systems)
    chosen: dict[str, list[float]] = many_to_one(matrix.systems, against) if against else {}
    for text in [contrast] if isinstance(contrast, str) else contrast:
        chosen |= kind_contrast(matrix.systems, kinds, text)
    return groupings(
        matrix, scale=scale, level=1 - alpha, contrasts=chosen, adjust=adjust, seed=seed, kinds=kinds
    )


def groupings(
    matrix: ScoreMatrix,
    *,
    scale: str = "values",
    level: float = 0.95,
    contrasts: Mapping[str, Sequence[float]] | None = None,
    adjust: str = "single-step",
    seed: int = 0,
    kinds: Mapping[str, str] | None = None,
) -> Groupings:
    """Tukey's test on the model value = topic + system + noise, on the values or on ranks.

    `contrasts` are weights per system, by name; see `kind_contrast` and `many_to_one`.
    """
    import numpy as np

    from adjudge.stats.linear.contrasts import contrasts as test_contrasts
    from adjudge.stats.linear.tukey import tukey
    from adjudge.stats.order import (
        better_in_order,
        count_rankings,
        critical_difference,
        letters,
        rank_intervals,
        underlines,
    )

    if scale not in SCALES:
        raise UsageError(
            f"the scale is {quoted(scale)}{nearest(scale, SCALES)}; expected: {', '.join(SCALES)}"
        )
    scored = matrix.select(
        [s for j, s in enumerate(matrix.systems) if not np.isnan(matrix.values[:, j]).all()]
    )
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing")
    found = tukey(scored.values, scale=scale, level=level)  # type: ignore[arg-type]
    sign = 1 if matrix.info.better == "lower" else -1
    order = sorted(range(len(scored.systems)), key=lambda j: (sign * found.means[j], scored.systems[j]))
    different = found.different()
    better = better_in_order(different, order)
    best, worst = rank_intervals(better)
    alike = letters(different, order)
    places = tuple(
        GroupedSystem(
            system=scored.systems[j],
            rank=1 + int(np.count_nonzero(sign * found.means < sign * found.means[j])),
            n=int(found.n[j]),
            mean=float(found.means[j]),
            group=alike[j],
            best=int(best[j]),
            worst=int(worst[j]),
        )
        for j in order
    )
    names, tested = tuple(contrasts or ()), None
    if contrasts:
        weights = np.array([_weights(contrasts[name], matrix, scored) for name in names])
        rng = generator(seed, "groups/contrasts")
        tested = test_contrasts(scored.values, weights, adjust=adjust, level=level, rng=rng)  # type: ignore[arg-type]
    return Groupings(
        matrix=scored,
        tukey=found,
        places=places,
        lines=underlines(different, order),
        rankings=count_rankings(better),
        diagram=critical_difference(
            scored.values, best="lowest" if matrix.info.better == "lower" else "highest", level=level
        ),
        names=names,
        contrasts=tested,
        kinds=kinds or {},
    )


@dataclass(frozen=True, repr=False)
class Groupings(Tabular):
    """What Tukey's test says of all pairs at once; `places` stand best first."""

    matrix: ScoreMatrix
    tukey: Tukey
    places: tuple[GroupedSystem, ...]
    lines: Underlines
    rankings: Rankings
    diagram: CriticalDifference
    names: tuple[str, ...] = ()
    contrasts: Contrasts | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        return f"{self.matrix.signature}|topics:{len(self.matrix.topics)}|{self.tukey.signature}"

    def headline(self) -> str:
        """How many pairs differ, and into how many groups the systems fall."""
        alpha = 1 - self.tukey.level
        found = int((self.tukey.p < alpha).sum())
        letters = len(set("".join(place.group for place in self.places)))
        return (
            f"On {self.title} {found} of {counted(len(self.tukey), 'pair')} of systems differ by Tukey's test;"
            f" {counted(letters, 'group')}; a difference of {self.tukey.hsd:.4g} is significant."
        )

    def sentences(self) -> Iterator[str]:
        yield self.headline()
        yield self.rankings.sentence()
        if warning := self.lines.warning():
            yield f"{warning[0].upper()}{warning[1:]}."
        if self.contrasts is not None:
            for k, name in enumerate(self.names):
                yield self.contrasts.sentence(k, name)

    def pair_sentences(self) -> Iterator[str]:
        """Every pair in words."""
        t, names = self.tukey, self.matrix.systems
        for k in range(len(t)):
            yield t.sentence(k, names[t.first[k]], names[t.second[k]], self.matrix.info.better)

    def draw_lines(self) -> str:
        """The systems, best first, with a line beside those that are alike."""
        return self.lines.draw(self.matrix.systems)

    def draw_diagram(self) -> str:
        """The critical-difference diagram, in plain text."""
        return self.diagram.draw(self.matrix.systems)

    def table(self) -> Table:
        """The systems, best first, with the ranks that are left open, letters and lines."""
        room = len(max(self.matrix.systems, key=len))
        lines = [line[room:].strip("\n") for line in self.draw_lines().splitlines()]
        kind = (Column("kind"),) if self.kinds else ()
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
                Column("group", right=False),
                Column("alike", show="terminal", data=False, right=False),
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

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair."""
        import pandas as pd

        return pd.DataFrame(self._pair_rows(), columns=PAIR_COLUMNS)

    def _pair_rows(self) -> list[dict[str, Any]]:
        t, names = self.tukey, self.matrix.systems
        return [
            {
                "measure": self.matrix.measure,
                "a": names[t.first[k]],
                "b": names[t.second[k]],
                "difference": float(t.difference[k]),
                "se": float(t.se[k]),
                "q": float(t.statistic[k]),
                "p": float(t.p[k]),
                "low": float(t.low[k]),
                "high": float(t.high[k]),
                "why": t.why.get(k),
            }
            for k in range(len(t))
        ]

    def as_dict(self) -> dict[str, Any]:
        names = self.matrix.systems
        found: dict[str, Any] = plain(
            {
                "measure": self.matrix.measure,
                "length": self.matrix.length,
                "signature": self.signature,
                "hsd": self.tukey.hsd,
                "df": self.tukey.df,
                "mean_square": self.tukey.mean_square,
                "systems": [asdict(p) for p in self.places],
                "pairs": self._pair_rows(),
                "lines": [[names[j] for j in line] for line in self.lines.lines],
                "critical_difference": {
                    "cd": self.diagram.cd,
                    "ranks": {names[j]: float(self.diagram.ranks[j]) for j in self.diagram.order},
                    "cliques": [[names[j] for j in clique] for clique in self.diagram.cliques()],
                },
                "contrasts": self._contrast_rows(),
                "sentences": list(self.sentences()),
            }
        )
        return found

    def _contrast_rows(self) -> list[dict[str, Any]]:
        if (c := self.contrasts) is None:
            return []
        return [
            {"contrast": name} | {k: float(getattr(c, k)[n]) for k in ("estimate", "se", "p", "low", "high")}
            for n, name in enumerate(self.names)
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
        raise UsageError(f"--against {quoted(control)}: no such system{nearest(control, systems)}")
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
