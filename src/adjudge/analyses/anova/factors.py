"""Score rows with factors: a row per judgment or cell, every factor as codes; what is not a factor is averaged over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from adjudge.analyses.scores import HUMANS, Scores
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.results import Note, Result
from adjudge.core.words import counted, listed
from adjudge.data.scores import POOLED, MeasureInfo, heading_of, pooled, targets_of, title_of
from adjudge.data.target import Target
from adjudge.judgments.tasks import is_anonymous

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.analyses.anova import AnalysedVariance
    from adjudge.stats.linear.mixed import MixedFit

AS_FACTOR = ", or make {} a factor"
OF_ROWS = ("system", "topic", "assessor", "length", "form", "reference", "repeat")
OF_TOPICS = ("type", "selector", "set", "task")
FACTORS = (*OF_ROWS, *OF_TOPICS, "kind", "author")


@dataclass(frozen=True)
class Factor:
    """A factor's level on every row."""

    name: str
    codes: np.ndarray
    levels: tuple[str, ...]


@dataclass(frozen=True, repr=False, kw_only=True)
class RowsResult(Result):
    """A result of rows of one measure."""

    asked: Any
    info: MeasureInfo
    length: int | None
    form: str | None
    n: int
    """Rows."""
    told: tuple[Note, ...]
    """What was left out or averaged over, and what the tests or models suppose."""

    @property
    def alpha(self) -> float:
        return float(self.asked.alpha)

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return title_of(self.info, self.length, self.asked.form)

    @property
    def heading(self) -> str:
        return heading_of(self.info, self.length, self.asked.form)


@dataclass(frozen=True)
class AnovaRows:
    """Scores and factors, row by row."""

    info: MeasureInfo
    length: int | None
    form: str | None
    values: np.ndarray
    factors: dict[str, Factor]
    keys: pd.DataFrame
    """Every row's system and topic, and whatever else tells rows apart."""
    notes: tuple[Note, ...]
    """What was left out or averaged over."""

    @property
    def n(self) -> int:
        return int(self.values.size)

    @property
    def codes(self) -> list[np.ndarray]:
        """Of every factor, row by row."""
        return [factor.codes for factor in self.factors.values()]

    def key(self, term: str) -> tuple[int, ...]:
        """The places of a term's factors."""
        names = list(self.factors)
        return tuple(sorted(names.index(name) for name in term.split(":")))

    def named(self, keys: Iterable[tuple[int, ...]]) -> tuple[str, ...]:
        """Terms by the places of their factors."""
        names = list(self.factors)
        return tuple(":".join(names[k] for k in key) for key in keys)

    def mixed(self, fixed: Sequence[str], random: Sequence[str]) -> MixedFit:
        """The mixed model of these terms, by REML."""
        from adjudge.stats.linear.mixed import fit_mixed

        names = list(self.factors)
        return fit_mixed(
            self.values,
            self.codes,
            fixed=[names.index(term) for term in fixed if ":" not in term],
            interactions=[self.key(term) for term in fixed if ":" in term],
            random=[self.key(term) for term in random],
            names=random,
        )

    def same(self, first: str, second: str) -> bool:
        """Whether two factors put the rows into the same groups."""
        from adjudge.stats.linear.model import make_term, same_groups

        one, other = (make_term([self.factors[name].codes], (0,)) for name in (first, second))
        return same_groups(one, other)

    def one_assessor_per_system(self) -> bool:
        """Whether each system was judged by one of several assessors."""
        from adjudge.stats.linear.model import make_term, within

        if not {"system", "assessor"} <= set(self.factors) or len(self.factors["assessor"].levels) == 1:
            return False
        assessor, system = (make_term([self.factors[name].codes], (0,)) for name in ("assessor", "system"))
        return within(assessor, system)

    def best_first(self, item: Any) -> tuple[bool, float, str]:
        """How systems' means sort: the best first, those without one last."""
        sign = 1 if self.info.better == "lower" else -1
        return item.mean != item.mean, sign * item.mean, item.system

    def where(self, row: int) -> str:
        """A row in words: `19 on D094 by B`."""
        at = self.keys.iloc[row]
        links = [("assessor", "by"), ("length", "at"), ("form", "as")]
        more = [f" {link} {at[name]}" for name, link in links if name in self.factors]
        return f"{at['system']} on {at['topic']}{''.join(more)}"


Part = Literal["a term, repeated", "a term", "in the error", "none"]
"""Of assessors in the model: a term of the table, where two have judged one summary or not; no term, but a sample whose
views of systems are noise; none."""


def part_of_assessors(
    scores: Scores, measure: str, names: Iterable[str], asked: AnalysedVariance[Any]
) -> Part:
    """How assessors take part unless the factors say so.

    They are a term where topics have several, so that they can be told from topics; where every topic has one, topics
    stand for them, and what they make of systems is still noise. They take no part where they are one, not known, the
    topics themselves, or so many that nearly every score has another.
    """
    frame = _scores_at(scores, measure, names, asked)
    frame = frame[frame["value"].notna()]
    judges = frame["assessor"]
    summaries = frame.groupby(["topic", "system", "length", "form"], dropna=False)
    if (summaries["assessor"].nunique() > 1).any():
        return "a term, repeated"
    if judges.isna().any() or judges.nunique() < 2 or judges.map(is_anonymous).any():
        return "none"
    by_topic = frame.groupby("topic")["assessor"].nunique()
    if (by_topic < 2).all():
        return "in the error" if judges.nunique() < by_topic.size else "none"
    sizes = [frame[name].nunique() for name in ("system", "topic", "assessor")]
    return "a term" if len(frame) >= sum(sizes) else "none"


def _scores_at(
    scores: Scores, measure: str, names: Iterable[str], asked: AnalysedVariance[Any]
) -> pd.DataFrame:
    """The scores at one length and of one form, or of all where these are factors."""
    several: Literal["all"] | None = "all" if "length" in names and asked.length is None else None
    return scores.table.at(
        measure,
        length=asked.length or several,
        form=asked.form,
        all_forms="form" in names,
        several=AS_FACTOR,
    )


def build(
    scores: Scores,
    measure: str,
    names: Sequence[str],
    asked: AnalysedVariance[Any],
    *,
    repeats: bool,
    average_humans: bool,
) -> AnovaRows:
    """The rows of a measure with these factors; `repeats` keeps repeated judgments apart."""
    for name in names:
        if name not in FACTORS:
            raise UsageError(
                f"no factor {quoted(name)}{nearest(name, FACTORS)}; there are: {', '.join(FACTORS)}"
            )
    length, form = asked.length, asked.form
    frame = _scores_at(scores, measure, names, asked)
    forms = {target.form for target in targets_of(frame)}
    present = frame["value"].notna()
    reasons = frame[~present]["why"].value_counts()
    if not present.any():
        raise DataError(f"{measure}: every score is missing ({reasons.index[0]})")
    frame = frame[present]
    notes = [Note.of("missing-scores", n=int(n), why=why) for why, n in reasons.items()]
    if asked.pool_humans:
        frame = _one_system(frame, scores.kinds, notes)
    wanted = {"reference" if name == "author" else name for name in names}
    wanted |= {"repeat"} if repeats else set()
    frame = _averaged(frame, wanted, notes, humans=asked.pool_humans and average_humans)
    factors = {name: _factor(name, frame, scores) for name in names}
    lengths = scores.table.lengths(measure)
    info = scores.table.info[measure]
    if form is not None:
        info = replace(info, signature=f"{info.signature or measure}|form:{form}")
    if asked.pool_humans:
        how = "pooled" if average_humans else "pooled-rows"
        info = replace(info, signature=f"{info.signature or measure}|humans:{how}")
    return AnovaRows(
        info=info,
        length=length if length is not None else lengths[0] if len(lengths) == 1 else None,
        form=forms.pop() if len(forms) == 1 else None,
        values=frame["value"].to_numpy(dtype=float),
        factors=factors,
        keys=frame,
        notes=tuple(notes),
    )


def _one_system(frame: pd.DataFrame, kinds: Mapping[str, str], notes: list[Note]) -> pd.DataFrame:
    humans = [s for s in frame["system"].unique() if kinds.get(s) == "human"]
    if not humans:
        raise UsageError("no system here is human, so there are none to pool")
    if HUMANS in frame["system"].unique() and HUMANS not in humans:
        raise UsageError(f"a system that is not human is named {HUMANS}; rename it first")
    notes.append(Note.of("humans-are-one-system", humans=sorted(humans)))
    renamed = frame["system"].where(~frame["system"].isin(humans), HUMANS)
    # Who wrote it stays with the row until people are averaged, so that each person weighs the same.
    return frame.assign(person=frame["system"], system=renamed)


def _averaged(frame: pd.DataFrame, wanted: set[str], notes: list[Note], *, humans: bool) -> pd.DataFrame:
    """Means over everything that is no factor: repeats, then references, then assessors, then people."""
    before, over, frame = len(frame), [], pooled(frame, [])  # in one order, whatever the rows' order was
    for step in [*(name for name in POOLED if name not in wanted), *(["person"] if humans else [])]:
        rows = len(frame)
        frame = pooled(frame, [step])
        if len(frame) < rows:
            over.append("people" if step == "person" else f"{step}s")
    if over:
        notes.append(Note.of("scores-averaged", before=before, after=len(frame), over=over))
    return frame.reset_index(drop=True)


def _factor(name: str, frame: pd.DataFrame, about: Scores) -> Factor:
    import pandas as pd

    if name in OF_TOPICS:
        column = frame["topic"].map({t: getattr(row, name) for t, row in about.topics.items()})
    elif name == "kind":
        # The pooled humans are none of the systems that kinds were given for.
        column = frame["system"].map({HUMANS: "human", **about.kinds})
    elif name == "author":
        column = _authors(frame, about)
    elif name in ("assessor", "reference") and frame[name].isna().all():
        raise UsageError(f"these scores say no {name}: it cannot be a factor")
    else:
        column = frame[name]
    if column.isna().any():
        what = "system" if name == "kind" else "topic"
        missing = sorted(str(level) for level in frame[column.isna()][what].unique())
        raise UsageError(f"{name} is not known of {counted(len(missing), what)} ({listed(missing)})")
    codes, levels = pd.factorize(column, sort=True)
    return Factor(name, codes, tuple(str(level) for level in levels))


def _authors(frame: pd.DataFrame, about: Scores) -> pd.Series:
    """Who wrote the reference that a summary was compared with; the reference's own name where nobody is known."""
    import pandas as pd

    if frame["reference"].isna().all():
        raise UsageError("these scores say no reference: its author cannot be a factor")

    def author(topic: str, reference: Any, target: Target) -> str | None:
        if pd.isna(reference):
            return None
        near = (target, Target(target.length), Target(None, target.form), Target())
        authors = (about.authors.get((topic, reference, nearby)) for nearby in near)
        return next((writer for writer in authors if writer), str(reference))

    columns = (frame["topic"], frame["reference"], targets_of(frame))
    return pd.Series([author(*row) for row in zip(*columns, strict=True)], index=frame.index, dtype=object)


def ordered(term: str) -> str:
    """An interaction's factors in one order, so that topic:system is system:topic."""
    return ":".join(sorted(term.split(":"))) if ":" in term else term
