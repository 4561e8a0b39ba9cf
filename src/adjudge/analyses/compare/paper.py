"""The table that a paper needs: systems x measures, the best in bold, group letters, a caption that says how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from adjudge.analyses.methods import (
    MethodsParagraph,
    adjusted_words,
    alpha_words,
    compared_methods,
    correction_words,
    holes_words,
    interval_words,
    is_adjusted,
    name_of_test,
    target_words,
    title,
    together_words,
    topics_words,
    without_difference,
)
from adjudge.core.table import Cell, Column, Table, Tabular
from adjudge.core.words import counted, decimal, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.compare.pairs import Comparison

KINDS = {"machine": "Systems", "baseline": "Baselines", "human": "Humans"}
"""The parts of a table of systems of several kinds, in their order."""
LEAGUE_COLUMNS = [
    "measure",
    "length",
    "form",
    "rank",
    "system",
    "kind",
    "n",
    "mean",
    "adjusted",
    "low",
    "high",
    "best",
    "worst",
    "group",
]
DIGITS, FEW_DIGITS, MOST_DIGITS = 4, 2, 7
"""Decimals of a mean; few where means reach LARGE, more where the best would not stand out."""
LARGE = 10
STAR = "*"


@dataclass(frozen=True, repr=False)
class ComparedMeasures(Tabular, Sequence["Comparison"]):
    """Systems compared on several measures, all in the same way: a sequence of comparisons, and their one table."""

    comparisons: tuple[Comparison, ...]
    left_out: tuple[str, ...] = ()
    """In words, what has no score at all, where that is left out."""

    @overload
    def __getitem__(self, at: int) -> Comparison: ...

    @overload
    def __getitem__(self, at: slice) -> ComparedMeasures: ...

    def __getitem__(self, at: int | slice) -> Comparison | ComparedMeasures:
        found = self.comparisons[at]
        return ComparedMeasures(found) if isinstance(found, tuple) else found

    def __len__(self) -> int:
        return len(self.comparisons)

    def headline(self) -> str:
        """Who may be the best by every measure."""
        asked = [c for c in self if c.matrix.info.better is not None and c.candidates() is not None]
        if not self.comparisons:
            return "Nothing is compared."
        if len(asked) < 2:
            return self[0].headline()
        names = [
            s.system for s in asked[0].standings if all(s.system in (c.candidates() or ()) for c in asked)
        ]
        each = "both measures" if len(asked) == 2 else f"all {len(asked)} measures"
        each += " that have a direction" if len(asked) < len(self) else ""
        if not names:
            return f"No system may be the best by {each}: each is significantly worse than another by one at least."
        if len(names) == 1 and all(_leads(c, names[0]) for c in asked):
            return f"By {each} {names[0]} is significantly better than every other system."
        several = " each" if len(names) > 1 else ""
        return f"By {each} {listed(names)} may{several} be the best."

    def sentences(self) -> Iterator[str]:
        """The headline, then that of every comparison, and over what p is corrected."""
        from adjudge.analyses.compare.pairs import scope_words

        yield from dict.fromkeys([self.headline(), *(c.headline() for c in self)])
        if said := scope_words(self):
            yield said

    @property
    def signature(self) -> str:
        return "\n".join(c.signature for c in self)

    def methods(self) -> MethodsParagraph:
        """What a paper says of how this was done, and what it cites."""
        return compared_methods(self)

    def table(self) -> Table:
        """Systems x measures."""
        return measures_table(self)

    def to_latex(self) -> str:
        """For a paper; of one measure the league table."""
        return self[0].to_latex() if len(self) == 1 else super().to_latex()

    def to_markdown(self) -> str:
        """For a README or a pull request; of one measure the league table."""
        return self[0].to_markdown() if len(self) == 1 else super().to_markdown()

    def to_frame(self) -> pd.DataFrame:
        """The league tables: a row per measure and system."""
        import pandas as pd

        return pd.DataFrame([row for c in self for row in league_rows(c)], columns=LEAGUE_COLUMNS)

    def as_dict(self) -> dict[str, Any]:
        return {
            "headline": self.headline(),
            "comparisons": [c.as_dict() for c in self],
            "methods": self.methods().as_dict(),
        }


def _leads(c: Comparison, system: str) -> bool:
    """Whether a system is significantly better than every other."""
    at = [s.system for s in c.standings].index(system)
    return int(c.better[at].sum()) == len(c.standings) - 1


def league_rows(c: Comparison) -> Iterator[dict[str, Any]]:
    """A row per system, with what it is of; ranks and letters where every pair was asked for."""
    about = {"measure": c.measure, **c.matrix.target._asdict()}
    for s in c.standings:
        row = {name: getattr(s, name) for name in LEAGUE_COLUMNS if hasattr(s, name)}
        if not c.complete:
            row |= {"best": None, "worst": None, "group": None}
        yield {**about, **row, "kind": c.kinds.get(s.system)}


# The table of a paper


def measures_table(found: Sequence[Comparison]) -> Table:
    """Systems x measures: means, the best in bold, letters as superscripts, kinds of systems apart."""
    kinds = {s.system: c.kinds.get(s.system, "machine") for c in found for s in c.standings}
    lead = next((c for c in found if c.matrix.info.better), found[0])
    systems = list(dict.fromkeys([s.system for c in (lead, *found) for s in c.standings]))
    several = len(set(kinds.values())) > 1
    if several:
        systems.sort(key=lambda system: list(KINDS).index(kinds[system]))
    columns = [Column("system", right=False), Column("kind", show="terminal" if several else "never")]
    cells: list[list[Cell]] = [list(systems), [kinds[system] for system in systems]]
    bold: set[tuple[int, str]] = set()
    for c in found:
        name, by_system = _name(c, found), {s.system: s for s in c.standings}
        best = best_of(c, kinds)
        columns.append(Column(name, f"{title(c, found)}{_arrow(c)}", format=f".{_digits(c, best)}f"))
        cells.append([by_system[system].adjusted if system in by_system else None for system in systems])
        bold |= {(at, name) for at, system in enumerate(systems) if system in best}
        if (raised := marks(c)) is not None:
            columns.append(Column(f"{name} group", "", raised=True, right=False))
            cells.append([raised.get(system, "") for system in systems])
    return Table(
        name="-".join(dict.fromkeys(c.measure for c in found)),
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        title=f"{counted(len(systems), 'system')} by {counted(len(found), 'measure')}"
        f" ({topics_words(found)}{target_words(found)})",
        said=tuple(_said(found)),
        notes=tuple(
            dict.fromkeys(_note(line, c, found) for c in found for line in (*c.missing(), *c.warnings()))
        ),
        signature="\n".join(c.signature for c in found),
        caption=caption(found, kinds),
        bold=frozenset(bold),
        parts=_parts([kinds[system] for system in systems]) if several else (),
    )


def _name(c: Comparison, found: Sequence[Comparison]) -> str:
    """For scripts: the measure's text, and what else tells comparisons apart."""
    several = sum(each.measure == c.measure for each in found) > 1
    target = [str(each) for each in (c.matrix.length, c.matrix.form) if each is not None]
    return " ".join([c.measure, *target]) if several else c.measure


def _said(found: Sequence[Comparison]) -> Iterator[str]:
    yield from ComparedMeasures(tuple(found)).sentences()


def _note(line: str, c: Comparison, found: Sequence[Comparison]) -> str:
    return f"{title(c, found)}: {line}" if len(found) > 1 else line


def _parts(kinds: Sequence[str]) -> tuple[tuple[int, str], ...]:
    starts = dict.fromkeys(kinds)
    return tuple((list(kinds).index(kind), KINDS[kind]) for kind in starts)


def _arrow(c: Comparison) -> str:
    return " ↓" if c.matrix.info.better == "lower" else ""


def best_of(c: Comparison, kinds: Mapping[str, str]) -> set[str]:
    """The systems with the best mean, of those that are not human where there are others; none of a description."""
    if c.matrix.info.better is None or len(c.standings) < 2:
        return set()
    machines = [s for s in c.standings if kinds.get(s.system) != "human"]
    asked = machines or c.standings
    best = min(s.rank for s in asked)
    return {s.system for s in asked if s.rank == best} if len(asked) > 1 else set()


def _digits(c: Comparison, best: set[str]) -> int:
    """As many decimals as let the best mean stand out."""
    least = FEW_DIGITS if any(abs(s.adjusted) >= LARGE for s in c.standings) else DIGITS
    for digits in range(least, MOST_DIGITS + 1):
        form = f".{digits}f"
        first = {decimal(s.adjusted, form) for s in c.standings if s.system in best}
        if not first & {decimal(s.adjusted, form) for s in c.standings if s.system not in best}:
            break
    return digits if best else least


def marks(c: Comparison) -> dict[str, str] | None:
    """Letters by system; of comparisons with one system a star; None where pairs were chosen otherwise."""
    if len(c.standings) < 2:
        return None
    if c.complete and c.choices.against is None:
        return {s.system: s.group for s in c.standings}
    if c.choices.against is None:
        return None
    return {pair.a: STAR for pair in c.pairs[c.test] if pair.different}


def caption(found: Sequence[Comparison], kinds: Mapping[str, str]) -> str:
    """What a reader of the table alone must know: of how many topics, what bold and letters mean, by which test."""
    return " ".join(
        [*_means_words(found), *_bold_words(found, kinds), *_arrow_words(found), *_letter_words(found)]
    )


def league_caption(c: Comparison) -> str:
    """The same of the league table of one measure."""
    said = f"{title(c, [c])}: means over {topics_words([c])}{target_words([c])}."
    adjusted = [f"{holes}."] if (holes := holes_words(c, [c])) else []
    if is_adjusted(c):
        adjusted.append(f"Adjusted {adjusted_words(c)}.")
    interval = list(interval_words([c]))
    lower = ["Lower is better."] if c.matrix.info.better == "lower" else []
    open_ranks = ["Ranks are those that the significant differences leave open."] if _lettered(c) else []
    bold = _bold_words([c], c.kinds)
    adjusted += together_words([c])
    return " ".join([said, *adjusted, *lower, *bold, *interval, *open_ranks, *_letter_words([c])])


def _names_of_tests(found: Sequence[Comparison]) -> str:
    """The test that makes the groups; where measures with assessors have one of their own, each with its measures."""
    by_name: dict[str, list[str]] = {}
    for c in found:
        by_name.setdefault(name_of_test(c)[0], []).append(title(c, found))
    if len(by_name) == 1:
        return next(iter(by_name))
    return "; ".join(f"{name} ({listed(names, most=len(names))})" for name, names in by_name.items())


def _lettered(c: Comparison) -> bool:
    return c.complete and c.choices.against is None and len(c.standings) > 1


def _means_words(found: Sequence[Comparison]) -> Iterator[str]:
    yield f"Means over {topics_words(found)}{target_words(found)}."
    yield from (f"{holes}." for c in found if (holes := holes_words(c, found)))
    for c in found:
        if c.sampled and is_adjusted(c):
            yield f"{title(c, found)}: {adjusted_words(c)}."
    moved = [title(c, found) for c in found if is_adjusted(c) and not c.sampled]
    apart = [title(c, found) for c in found if c.ordering and not is_adjusted(c)]
    if moved:
        model = "least-squares means of the model score = topic + system"
        yield f"Means of {listed(moved)} are {model}."
    if apart:
        yield f"Each mean of {listed(apart)} is over the topics that the system has."
    yield from together_words(found)


def _bold_words(found: Sequence[Comparison], kinds: Mapping[str, str]) -> Iterator[str]:
    bold = [best_of(c, kinds) for c in found]
    if not any(bold):
        return
    human = "human" in kinds.values() and set(kinds.values()) != {"human"}
    whose = " that is not a human's" if human else ""
    yield f"Bold: the best mean{whose}."
    plain = [title(c, found) for c in found if c.matrix.info.better is None]
    if plain:
        yield f"{listed(plain)} {'is a description' if len(plain) == 1 else 'are descriptions'}: none is best."


def _arrow_words(found: Sequence[Comparison]) -> Iterator[str]:
    if any(_arrow(c) for c in found):
        yield "↓: lower is better."


def _letter_words(found: Sequence[Comparison]) -> Iterator[str]:
    """What the superscripts mean, by which test and correction; and which pairs share a letter for want of data."""
    tested = [c for c in found if c.family.any()]
    if not tested:
        return
    first = tested[0]
    results = first.tested[first.test].results
    sided = "two-sided" if results.alternative == "two-sided" else "one-sided"
    drawn = list(dict.fromkeys(f"{c.resamples:,}" for c in tested if c.tested[c.test].results.resamples))
    how = [f"{sided} {_names_of_tests(tested)}"]
    how += [f"{listed(drawn)} resamples"] if drawn else []
    how += [words] if (words := correction_words(tested)[0]) else []
    basis = f"({', '.join([*how, f'α = {alpha_words(first)}'])})"
    against = first.choices.against
    where = "Systems" if len(found) == 1 else "Within a column, systems"
    if all(map(_lettered, tested)):
        yield f"{where} that share a letter are not significantly different {basis}."
    elif against is not None:
        what = {"both": "different from", "better": "better than", "worse": "worse than"}[first.choices.side]
        yield f"{STAR}: significantly {what} {against} {basis}."
    else:
        yield f"Not all pairs were compared, so there are no letters {basis}."
        return
    shared = (" and shares a letter", " and share a letter") if against is None else ("", "")
    for _, total, words in without_difference(tested):
        yield f"{words}{shared[total > 1]}."
