"""How far a ranking can be relied on: repeated judgments, what they leave of the ranking, and the noise of judging.

Lin and Hovy 2002, section 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.gathered import (
    FORM,
    LENGTH,
    PROTOCOL,
    TASK,
    Gathered,
    gathered_of,
    in_order,
    left_after,
    where,
)
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.stability.conflicts import (
    RESOLUTIONS,
    JudgedAgain,
    Kind,
    ResolvedScores,
    Scope,
    judged_again,
    resolved,
)
from adjudge.analyses.stability.repeats import SelfAgreement, self_agreement
from adjudge.core.engine import generator
from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import MeasureInfo
from adjudge.judgments.tasks import is_anonymous
from adjudge.measures.judged.coverage import Coverage, JudgedCoverage
from adjudge.measures.registry import parse_measure

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.judge_noise import JudgeNoise, RankDraws

KIND_WORDS: dict[Kind, str] = {
    "completeness": "the same marks, another completeness",
    "marking": "the same sentence, marked or not",
    "scu": "the same sentence, other SCUs",
}
JUDGED_WORDS: dict[Kind, str] = {
    "completeness": "judgments of model units",
    "marking": "judgments of model units",
    "scu": "sentences annotated with SCUs",
}
SCOPE_WORDS: dict[Scope, str] = {
    "summaries": "of different summaries",
    "within": "of different summaries, by the same assessor",
    "across": "of different summaries, by different assessors",
    "one": "of one summary, by different assessors",
    "between": "by different assessors",
    "all": "all",
}
ELSEWHERE: tuple[Scope, ...] = ("summaries", "within", "across")
"""The scopes of what is compared between different summaries alone."""
NO_FOLDER = (
    "repeated judgments, resolved scores and planted repeats: a table of scores does not say which units and texts"
    " were judged; an evaluation's folder does"
)
NO_COVERAGE = (
    "repeated judgments and resolved scores: nobody has judged units or annotated pyramids here"
    " (protocols such as duc-2002 and pyramid)"
)
NO_UNITS = "resolved scores: no page of a coverage protocol is judged unit by unit here"
NO_REPEATS = (
    "planted repeats: nobody judged anything twice (adjudge assign --repeats plants some), so whether assessors"
    " agree with themselves is not known"
)
NO_SCORES = "nothing has been scored"


def stability(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | None = None,
    form: str | None = None,
    level: float = 0.95,
    draws: int | None = None,
    resample: bool = False,
    seed: int = 0,
    without: str | Sequence[str] = (),
    noise: bool = True,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Stability:
    """How stable the ranking is under repeated judgments and the noise of judging: `stability("my-eval")`.

    `scores` are an evaluation, a path to its folder or to a file of scores, or a DataFrame; of scores alone, only the
    noise of judging can be said. Measures are those with assessors, or the ones that are named; a coverage measure
    that is named is also the one whose scores are resolved. `resample` draws assessors instead of from the fitted
    model, which takes ten of them. `without` leaves out assessors. Without `noise`, nothing is said of the noise of
    judging, and no measure has to be scored.
    """
    data = scores_of(scores)
    gathered = gathered_of(data)
    if without:
        data, gathered = left_after(data, gathered, without)
    absent: list[str] = []
    notes: list[str] = [] if measure else list(data.refused.values())
    again: list[JudgedAgain] = []
    found: list[ResolvedScores] = []
    repeats: list[SelfAgreement] = []
    if gathered is None:
        absent.append(NO_FOLDER)
    else:
        gathered = _chosen(data, gathered, length, form)
        notes += [*gathered.notes("the tables of judgments"), *_together(gathered)]
        again = judged_again(gathered)
        whole = next((each for each in again if each.kind == "completeness"), None)
        if whole is not None:
            asked, why = _page_measure(measure)
            notes += [why] if why else []
            stream = generator(seed, "stability/rankings")
            found = resolved(gathered, whole, measure=asked, rng=stream, progress=progress)
        repeats = self_agreement(gathered)
        if not again:
            absent.append(NO_COVERAGE)
        elif not found:
            absent.append(NO_UNITS)
        if not repeats:
            absent.append(NO_REPEATS)
    found_noise: list[RankNoise] = []
    if noise:
        advice = _advice(data, gathered)
        found_noise = _noises(
            data, measure, length, form, level, draws, resample, seed, progress, notes, absent, advice
        )
    return Stability(
        name=data.name,
        again=tuple(again),
        resolutions=tuple(found),
        repeats=tuple(repeats),
        noise=tuple(found_noise),
        absent=tuple(absent),
        notes=tuple(_once(notes)),
        level=level,
        seed=seed,
    )


def _once(notes: Iterable[str]) -> Iterator[str]:
    """Every note once. Judgments here and scores there say how many of them are simulated: the first counts."""
    simulated = False
    for note in dict.fromkeys(notes):
        if not (_of_simulated(note) and simulated):
            yield note
        simulated |= _of_simulated(note)


def _of_simulated(note: str) -> bool:
    return note.endswith((" judgments are simulated", " judgment is simulated"))


def _page_measure(measure: str | Sequence[str] | None) -> tuple[JudgedCoverage, str | None]:
    """The measure whose scores are resolved: the one that is named, where it is made of completeness alone."""
    named = [measure] if isinstance(measure, str) else list(measure or ())
    for text in named:
        try:
            found = parse_measure(text)
        except AdjudgeError:
            continue
        if isinstance(found, JudgedCoverage) and type(found).of_units is not JudgedCoverage.of_units:
            if found.named_judge:
                return (
                    Coverage(),
                    f"scores of coverage are resolved: {text} is a program's, and these are people's",
                )
            return found, None
    if not named:
        return Coverage(), None
    return Coverage(), f"scores of coverage are resolved: {listed(named)} is not made of units' completeness"


def _chosen(data: Scores, gathered: Gathered, length: int | None, form: str | None) -> Gathered:
    """The judgments at a length and of a form that there are."""
    targets = gathered.targets()
    scored = data.frame if data.measures else None
    for name, wanted, judged in (
        ("length", length, {n for n, _ in targets}),
        ("form", form, {f for _, f in targets}),
    ):
        known = judged | (set() if scored is None else set(scored[name].dropna()))
        if wanted is not None and wanted not in known:
            there = ", ".join(
                str(each) for (each,) in in_order((each,) for each in judged if each is not None)
            )
            raise UsageError(
                f"{data.name} has no judgments of {name} {wanted if name == 'length' else quoted(str(wanted))};"
                f" it has: {there or f'none with a {name}'}"
            )
    return gathered.at(length=length, form=form)


def _together(gathered: Gathered) -> Iterator[str]:
    """Where several lengths or forms were judged: tables of judgments count all of them."""
    targets = gathered.targets()
    for name, found in (("length", {n for n, _ in targets}), ("form", {f for _, f in targets})):
        if len(found) > 1:
            words = [f"no {name}" if each is None else str(each) for (each,) in in_order((e,) for e in found)]
            yield (
                f"several {name}s ({listed(words)}) are counted together in the tables of repeated judgments and"
                f" planted repeats, where nothing is compared with another {name}: --{name} takes one"
            )


# Judge noise


@dataclass(frozen=True)
class RankNoise:
    """What the noise of judging leaves of one measure's ranking. Arrays of `found` are in the order of `systems`."""

    info: MeasureInfo
    length: int | None
    form: str | None
    systems: tuple[str, ...]
    found: JudgeNoise
    anonymous: int
    """Rows of nobody in particular, left out."""
    again: int
    """Rows that are somebody's second of the same, averaged with the first."""
    resampled: bool

    @property
    def title(self) -> str:
        target = [f"{self.length} words"] if self.length is not None else []
        target += [self.form] if self.form is not None else []
        return f"{self.info.heading} ({', '.join(target)})" if target else self.info.heading

    @property
    def drawn(self) -> RankDraws | None:
        """For assessors like these, where that can be said; else for these."""
        return self.found.like or self.found.these

    @property
    def order(self) -> list[int]:
        """The systems from the best on."""
        return sorted(range(len(self.systems)), key=lambda k: (int(self.found.ranks[k]), k))

    def whose(self) -> str:
        """The population in words."""
        people = counted(self.found.assessors, "assessor")
        return (
            f"assessors like these {self.found.assessors}"
            if self.found.like is not None
            else f"these {people}, asked again"
        )

    @property
    def parts(self) -> list[list[str]]:
        """Systems that can be compared, through topics that they share; one part where all can."""
        found: dict[int, list[str]] = {}
        for system, part in zip(self.systems, self.found.part.tolist(), strict=True):
            found.setdefault(part, []).append(system)
        return list(found.values())

    @property
    def size(self) -> str:
        """How much was judged, in words."""
        found = self.found
        return (
            f"{counted(found.assessors, 'assessor')}, {counted(found.topics, 'topic')},"
            f" {counted(found.rows, 'judgment')} of {counted(int(found.topics_of.sum()), 'summary', 'summaries')}"
        )

    def sentences(self) -> Iterator[str]:
        drawn, found = self.drawn, self.found
        if drawn is None:
            apart = "; ".join(listed(own) for own in self.parts) if len(self.parts) > 1 else ""
            yield f"{self.title}: nothing can be drawn: {found.why}{f' ({apart})' if apart else ''}."
            return
        order = self.order
        sure = sum(drawn.beats[a, b] >= drawn.level for at, a in enumerate(order) for b in order[at + 1 :])
        pairs = len(order) * (len(order) - 1) // 2
        yield (
            f"{self.title}: for {self.whose()} on these topics, the system with the better mean stays ahead with"
            f" probability {drawn.level:.4g} or more (one-sided) in {sure:,} of {counted(pairs, 'pair')}."
        )
        first = [self.systems[k] for k in order if drawn.low[k] == 1]
        if len(first) == 1:
            yield f"{first[0]} alone has rank 1 in its range."
        else:
            yield f"{listed(first)} have rank 1 in their ranges."
        if found.why_not_like is not None:
            yield f"Nothing is said of other assessors: {found.why_not_like}."

    def notes(self) -> Iterator[str]:
        from adjudge.stats.judging import FEW_DF

        found = self.found
        if self.drawn is not None:
            alike = "" if self.resampled and found.like is not None else ", with one error for all"
            own = ", a pair's own error where that is larger or assessors are many," if alike else ""
            yield (
                f"each pair by itself{alike}, and the topics as they are: adjudge compare takes topics as a"
                f" sample{own} and corrects for the number of pairs"
            )
        gaps = {
            system: found.topics - n
            for system, n in zip(self.systems, found.topics_of.tolist(), strict=True)
            if n < found.topics
        }
        if gaps:
            each = ", ".join(f"{system} on {counted(n, 'topic')}" for system, n in gaps.items())
            yield (
                f"{sum(gaps.values()):,} of {counted(found.topics * len(self.systems), 'summary', 'summaries')} have no"
                f" score by a named assessor ({each})"
            )
        every = found.topics * found.assessors * len(self.systems)
        if not found.complete and len(self.parts) == 1:
            yield (
                f"not everybody judged everything ({found.rows:,} of {every:,} scores): means are adjusted for topics"
                f"{' and assessors' if self.drawn is not None else ''}, as in adjudge compare"
            )
        if self.anonymous:
            yield f"{counted(self.anonymous, 'anonymous score')} left out: whoever gave them is no assessor"
        if found.why is None and not found.separated:
            yield (
                "each summary was judged once: what topics do to systems cannot be told from the noise of judging, and"
                " counts as noise"
            )
        if found.like is not None and not self.resampled:
            people = counted(found.assessors, "person", "people")
            few = "; more assessors would show more" if found.assessor_df < FEW_DF else ""
            yield f"{people} judged; this supposes that they disagree about all systems alike{few}"

    def signature(self, level: float, seed: int) -> str:
        names = ("system", "topic", "assessor")
        terms = ",".join(":".join(names[k] for k in key) for key in self.found.terms)
        drawn = self.drawn
        how = "assessors:resampled" if self.resampled else f"random:{terms}|reml"
        return (
            f"{self.info.signature or self.info.measure}|{how}|draws:{drawn.draws if drawn else 0}"
            f"|level:{level:g}|seed:{seed}|v:{__version__}"
        )


def _noises(
    data: Scores,
    measure: str | Sequence[str] | None,
    length: int | None,
    form: str | None,
    level: float,
    draws: int | None,
    resample: bool,
    seed: int,
    progress: Callable[[int, int], None],
    notes: list[str],
    absent: list[str],
    advice: str,
) -> list[RankNoise]:
    """The noise of every measure with named assessors, length and form by itself; of those named, where any are."""
    from adjudge.stats.judge_noise import DRAWS

    if not data.measures and not measure:
        absent.append(f"judge noise: {NO_SCORES}{advice}")
        return []
    found = []
    left: dict[str, tuple[str, int]] = {}
    for name, n, f in data.each(measure or (), length=length, form=form):
        rows = data.table.at(name, length=n, form=f)
        given = rows.loc[rows["value"].notna(), "assessor"].dropna()
        people = {str(each) for each in given.unique() if not is_anonymous(str(each))}
        if not people or data.info[name].better is None:
            why = "description" if people else "anonymous" if len(given) else "nobody"
            left[name] = why, left.get(name, (why, 0))[1] + (len(given) or len(rows))
            continue
        notes += data.unsaid_notes(name)
        found.append(_noise(data.info[name], rows, level, draws or DRAWS, resample, seed, progress))
    reasons = []
    for why, words in LEFT_OUT.items():
        own = {name: n for name, (reason, n) in left.items() if reason == why}
        if own:
            reasons.append(f"{listed(list(own))} ({words.format(counted(sum(own.values()), 'score'))})")
    if not found:
        absent.append(f"judge noise: {'; '.join(reasons) or NO_SCORES}{advice if not measure else ''}")
    elif reasons:
        notes.append(f"judge noise leaves out {'; '.join(reasons)}")
    return found


LEFT_OUT = {
    "description": "descriptions, which rank nothing: {}",
    "anonymous": "{} by anonymous assessors",
    "nobody": "{} by no named assessor",
}
"""Why a measure has no judge noise."""


def _noise(
    info: MeasureInfo,
    rows: pd.DataFrame,
    level: float,
    draws: int,
    resample: bool,
    seed: int,
    progress: Callable[[int, int], None],
) -> RankNoise:
    from adjudge.core.words import natural
    from adjudge.stats.judge_noise import judge_noise

    named = rows["assessor"].notna() & ~rows["assessor"].fillna("").map(is_anonymous)
    own = rows[named & rows["value"].notna()]
    # As scores are pooled everywhere: over repeats, then over references.
    cell = ["topic", "system", "assessor"]
    reference = own["reference"].fillna("")
    pooled = own.assign(reference=reference).groupby([*cell, "reference"], sort=True)["value"].mean()
    frame = pooled.groupby(level=cell, sort=True).mean().reset_index()
    codes, levels = {}, {}
    for name in ("system", "topic", "assessor"):
        levels[name] = sorted(frame[name].astype(str).unique(), key=natural)
        at = {each: number for number, each in enumerate(levels[name])}
        codes[name] = frame[name].astype(str).map(at).to_numpy(dtype="int64")
    found = judge_noise(
        frame["value"].to_numpy(dtype="float64"),
        codes["system"],
        codes["topic"],
        codes["assessor"],
        rng=generator(seed, f"stability/{info.measure}"),
        better=info.better or "higher",
        draws=draws,
        level=level,
        resample=resample,
        progress=progress,
    )
    lengths, forms = rows["length"].dropna().unique(), rows["form"].dropna().unique()
    return RankNoise(
        info=info,
        length=int(lengths[0]) if len(lengths) == 1 else None,
        form=str(forms[0]) if len(forms) == 1 else None,
        systems=tuple(levels["system"]),
        found=found,
        anonymous=int((~named & rows["assessor"].notna() & rows["value"].notna()).sum()),
        again=len(own) - len(pooled),
        resampled=resample,
    )


def _advice(data: Scores, gathered: Gathered | None) -> str:
    """What would give scores by assessors, where something would."""
    if gathered is None:
        people = data.assessors()
        return "" if people else "; a column named assessor says who judged"
    asked = [name for name, own in (("coverage", gathered.coverage), ("rating", gathered.ratings)) if own]
    if not asked:
        return "; nobody has judged summaries here"
    return (
        f"; adjudge score {data.folder} -m coverage scores what people judged" if "coverage" in asked else ""
    )


# The result


@dataclass(frozen=True, repr=False)
class Stability(Pictured, Tabular):
    """Conflicts of repeated judgments, resolved scores and their bars, planted repeats, and judge noise.

    What could not be said is in `absent`, with the reason.
    """

    FIGURES: ClassVar[Mapping[str, str]] = {
        "stability": "adjudge.analyses.judges.figures:stability",
        "retention": "adjudge.analyses.stability.figures:retention",
    }

    name: str
    again: tuple[JudgedAgain, ...]
    resolutions: tuple[ResolvedScores, ...]
    repeats: tuple[SelfAgreement, ...]
    noise: tuple[RankNoise, ...]
    absent: tuple[str, ...]
    notes: tuple[str, ...]
    level: float
    seed: int

    def headline(self, tables: Sequence[str] | None = None) -> str:
        """The first thing to know: how often the same was judged differently, and what that leaves of the ranking.

        Of some tables alone, what the first of them says, or the one that it belongs to.
        """
        if tables:
            names = self.tables().names
            until = self.tables().tables[: names.index(tables[0]) + 1]
            return next(table.said[0] for table in reversed(until) if table.said)
        whole = next((each for each in self.again if each.kind == "completeness"), None)
        whole = whole or next(iter(self.again), None)
        if whole is None:
            drawn = next((each for each in self.noise if each.drawn is not None), None)
            return (
                next(drawn.sentences()) if drawn else f"Nothing can be said of the stability of {self.name}."
            )
        said, repeated = _conflict_headline(whole)
        if len(self.resolutions) == 1 and repeated:
            own = self.resolutions[0]
            pairs = len(own.systems) * (len(own.systems) - 1) // 2
            return f"{said}; of {counted(pairs, 'pair')} of systems, {_overlap_words(own)}."
        return f"{said}."

    def sentences(self, tables: Sequence[str] | None = None) -> Iterator[str]:
        """What was found, in plain words; of some tables alone, where they are named."""
        first = self.headline(tables)
        yield first
        for table in self.tables():
            if tables is None or table.name in tables:
                yield from (line for line in table.said if line != first)

    def says(self, note: str) -> bool:
        """Whether a note is among those here, if with another number: of how many judgments were simulated."""
        return note in self.notes or (_of_simulated(note) and any(map(_of_simulated, self.notes)))

    def table(self) -> Table:
        """The first of the tables: conflicts, or of scores alone the ranks."""
        found = self.tables().tables
        if not found:
            return Table(
                name="stability",
                columns=(Column("absent", "what cannot be said, and why"),),
                rows=tuple((each,) for each in self.absent),
                title=f"Stability of {self.name}",
                said=(f"Nothing can be said of the stability of {self.name}.",),
            )
        return found[0]

    def tables(self) -> Tables:
        return self._tables

    @cached_property
    def _tables(self) -> Tables:
        found = [*self._conflicts(), *self._resolved(), *self._repeats(), *self._noise()]
        return Tables(tuple(found), (*self.notes, *(f"not said: {each}" for each in self.absent)))

    def as_dict(self, chosen: Sequence[str] | None = None) -> dict[str, Any]:
        """Everything, for --json; or some tables, and what they say."""
        kept = [table for table in self.tables() if chosen is None or table.name in chosen]
        noise = any(table.name.startswith(("judge-noise", "beats")) for table in kept)
        found: dict[str, Any] = plain(
            {
                "name": self.name,
                "headline": self.headline(chosen),
                "sentences": list(self.sentences(chosen)),
                "tables": [table.as_dict() for table in kept],
                "beats": [
                    {
                        "measure": each.info.measure,
                        "length": each.length,
                        "form": each.form,
                        "population": drawn.population,
                        "a": each.systems[a],
                        "b": each.systems[b],
                        "probability": float(drawn.beats[a, b]),
                    }
                    for each in (self.noise if noise else ())
                    for drawn in (each.found.these, each.found.like)
                    if drawn is not None
                    for at, a in enumerate(each.order)
                    for b in each.order[at + 1 :]
                ],
                "absent": list(self.absent),
                "notes": list(self.notes),
                "level": self.level,
                "seed": self.seed,
            }
        )
        return found

    # Conflicts

    def _conflicts(self) -> Iterator[Table]:
        if not self.again:
            return
        yield self._conflict_table()
        if answers := self._answer_rows():
            yield Table(
                name="different-answers",
                title="How many different answers a unit got: shares of all judgments",
                columns=(
                    Column("what", "what"),
                    PROTOCOL,
                    TASK,
                    Column("scope", "judged again"),
                    Column("answers", "different answers"),
                    Column("units", "units"),
                    Column("judgments", "judgments"),
                    Column("share", "share", format=".4f"),
                ),
                rows=tuple(answers),
                signature=self._signature("different-answers"),
            )
        if own := self._assessor_rows():
            yield Table(
                name="conflicts-by-assessor",
                title="Repeated judgments by assessor",
                columns=(
                    Column("what", "what"),
                    PROTOCOL,
                    Column("assessor", "assessor"),
                    Column("judgments", "judgments"),
                    Column("repeated_within", "judged again by them"),
                    Column("different_within", "differ from themselves"),
                    Column("share_within", "share", format=".4f"),
                    Column("repeated_across", "in other summaries by others"),
                    Column("different_across", "differ from those"),
                    Column("share_across", "share", format=".4f"),
                    Column("repeated_one", "of one summary by others"),
                    Column("different_one", "differ from these"),
                    Column("share_one", "share", format=".4f"),
                ),
                rows=tuple(own),
                signature=self._signature("conflicts-by-assessor"),
            )

    def _conflict_table(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for each in self.again:
            scopes = tuple(SCOPE_WORDS) if each.kind == "completeness" else (*ELSEWHERE, "all")
            counts = {scope: _counted(each, scope) for scope in scopes}
            for group in in_order({(j.protocol, j.task) for j in each.judgments.values()}):
                for scope in scopes:
                    n, repeated, different, units, conflicts = counts[scope][group]
                    rows.append(
                        (
                            KIND_WORDS[each.kind],
                            *group,
                            SCOPE_WORDS[scope],
                            n,
                            repeated,
                            repeated / n,
                            different,
                            different / n,
                            units,
                            conflicts,
                        )
                    )
        return Table(
            name="conflicts",
            title="Repeated judgments, and those that differ: shares of all judgments",
            columns=(
                Column("what", "what"),
                PROTOCOL,
                TASK,
                Column("scope", "judged again"),
                Column("judgments", "judgments"),
                Column("repeated", "repeated"),
                Column("repeated_share", "share", format=".4f"),
                Column("different", "differ"),
                Column("share", "share", format=".4f"),
                Column("units", "units"),
                Column("conflicts", "in conflict"),
            ),
            rows=tuple(rows),
            said=tuple(self._conflict_words()),
            notes=tuple(self._conflict_notes()),
            signature=self._signature("conflicts"),
        )

    def _conflict_words(self) -> Iterator[str]:
        for each in self.again:
            total = len(each.judgments)
            what, about = JUDGED_WORDS[each.kind], KIND_WORDS[each.kind]
            about = about[0].upper() + about[1:]
            repeated, different, many = _summed(each, "summaries")
            if not repeated:
                yield (
                    f"{about}: none of {total:,} {what} was repeated in another summary, so no conflict between"
                    " summaries could have been found."
                )
            elif not different:
                yield (
                    f"{about}: {repeated:,} of {total:,} {what} were repeated in other summaries, and none got"
                    " different answers there."
                )
            else:
                within, across = _summed(each, "within")[1], _summed(each, "across")[1]
                more = f"; {many:,} ({many / total:.1%}) got three different answers or more" if many else ""
                yield (
                    f"{about}: {repeated:,} of {total:,} {what} were repeated in other summaries"
                    f" ({repeated / total:.1%}), {different:,} got different answers there ({different / total:.1%} of"
                    f" all; {within:,} from the same assessor, {across:,} from others){more}."
                )
            repeated, different, _ = _summed(each, "one")
            if repeated:
                yield (
                    f"{about}, of one summary: {repeated:,} were repeated by another assessor,"
                    f" {f'{different:,} got' if different else 'and none got'} different answers"
                    f"{f' ({different / total:.1%} of all)' if different else ''}."
                )

    def _conflict_notes(self) -> Iterator[str]:
        for each in self.again:
            if each.unmarked:
                yield (
                    f"{counted(each.unmarked, 'judgment')} marked nothing: there is no text that could be judged again"
                )
            if each.unknown and each.kind == "completeness":
                yield (
                    f"{counted(each.unknown, 'judgment')} marked units whose texts are not here: whether they were"
                    " repeated is not known"
                )

    def _answer_rows(self) -> list[tuple[Cell, ...]]:
        rows: list[tuple[Cell, ...]] = []
        scopes: tuple[Scope, ...] = ("summaries", "all")
        for each, scope in ((each, scope) for each in self.again for scope in scopes):
            units: Counter[tuple[Cell, ...]] = Counter()
            for thing, number in each.answers(scope).items():
                of = each.judgments[each.keys[thing][0][0]]
                units[of.protocol, of.task, number] += 1
            judged: Counter[tuple[Cell, ...]] = Counter()
            totals: Counter[tuple[Cell, ...]] = Counter()
            for id, found in each.recurrences(scope).items():
                of = each.judgments[id]
                totals[of.protocol, of.task] += 1
                if found.repeated:
                    judged[of.protocol, of.task, found.answers] += 1
            for key in in_order(units.keys() | judged.keys()):
                protocol, task, answers = key
                share = judged[key] / totals[protocol, task]
                rows.append(
                    (
                        KIND_WORDS[each.kind],
                        protocol,
                        task,
                        SCOPE_WORDS[scope],
                        answers,
                        units[key],
                        judged[key],
                        share,
                    )
                )
        return rows

    def _assessor_rows(self) -> list[tuple[Cell, ...]]:
        rows: list[tuple[Cell, ...]] = []
        for each in self.again:
            scopes: tuple[Scope, ...] = ("within", "across", "one")
            groups: dict[tuple[Cell, ...], list[Hashable]] = {}
            for id, of in each.judgments.items():
                if not of.anonymous:
                    groups.setdefault((of.protocol, of.assessor), []).append(id)
            for key in in_order(groups):
                ids = groups[key]
                cells: list[Cell] = [KIND_WORDS[each.kind], *key, len(ids)]
                for scope in scopes:
                    if scope == "one" and each.kind != "completeness":
                        cells += [None, None, None]
                        continue
                    found = each.recurrences(scope)
                    different = sum(found[id].answers > 1 for id in ids)
                    cells += [sum(found[id].repeated for id in ids), different, different / len(ids)]
                rows.append(tuple(cells))
        return rows

    # Resolved scores

    def _resolved(self) -> Iterator[Table]:
        if not self.resolutions:
            return
        rows = []
        parts: Counter[tuple[Cell, ...]] = Counter()
        for each in self.resolutions:
            parts[each.protocol, each.task, each.length, each.form] += 1
            part = parts[each.protocol, each.task, each.length, each.form]
            group = {system: n for n, own in enumerate(each.groups, 1) for system in own}
            others: dict[str, list[str]] = {system: [] for system in each.systems}
            tied: dict[str, list[str]] = {system: [] for system in each.systems}
            for a, b in each.overlaps:
                into = tied if (a, b) in each.ties else others
                into[a].append(b)
                into[b].append(a)
            for k, system in enumerate(each.systems):
                rows.append(
                    (
                        each.protocol,
                        each.task,
                        each.length,
                        each.form,
                        part,
                        each.measure,
                        system,
                        *(each.scores[name][k] for name in RESOLUTIONS),
                        each.ranks[k],
                        each.low[k],
                        each.high[k],
                        _range(each.low[k], each.high[k]),
                        group[system],
                        ", ".join(others[system]) or None,
                        ", ".join(tied[system]) or None,
                    )
                )
        yield Table(
            name="resolutions",
            title="Scores with repeated judgments made one",
            columns=(
                PROTOCOL,
                TASK,
                LENGTH,
                FORM,
                Column("part", "ranked apart", show="varies"),
                Column("measure", show="never"),
                Column("system", "system"),
                *(Column(name, name.upper(), format=".4f") for name in RESOLUTIONS),
                Column("rank", "rank"),
                Column("rank_low", show="never"),
                Column("rank_high", show="never"),
                Column("ranks", "rank can be", data=False, right=True),
                Column("group", "group"),
                Column("changes_places_with", "can change places with"),
                Column(
                    "tied_with",
                    "can only tie with",
                    show="always" if any(e.ties for e in self.resolutions) else "never",
                ),
            ),
            rows=tuple(rows),
            said=tuple(line for each in self.resolutions for line in _resolved_words(each)),
            notes=(
                *self._resolution_notes(),
                *(n for each in self.resolutions for n in _resolved_notes(each)),
            ),
            signature=self._signature(
                "resolutions",
                *{each.measure for each in self.resolutions},
                of=(each.protocol for each in self.resolutions),
            ),
        )
        yield self._rankings_table()

    def _resolution_notes(self) -> Iterator[str]:
        if any(_summed(each, "one")[0] for each in self.again):
            yield "what different assessors said of one summary is made one too, where they marked the same"

    def _rankings_table(self) -> Table:
        from adjudge.stats.order import number_words

        rows: list[tuple[Cell, ...]] = []
        for each in self.resolutions:
            n = len(each.systems)
            found, guess = each.rankings, each.rankings.estimate
            number = found.count if guess is None else guess.count
            low, high = (found.low, found.high) if guess is None else (guess.low, guess.high)
            open_ended = found.count is None
            if number is None:
                words = f"{number_words(low)} to {number_words(high)}"
            else:
                words = f"about {number_words(number)}" if open_ended else number_words(number)
            rows.append(
                (
                    each.protocol,
                    each.task,
                    each.length,
                    each.form,
                    n,
                    len(each.groups),
                    len(each.overlaps) - len(each.ties),
                    len(each.ties),
                    n * (n - 1) // 2,
                    None if number is None else _digits(number),
                    guess is not None,
                    _digits(low) if open_ended else None,
                    _digits(high) if open_ended else None,
                    words,
                )
            )
        return Table(
            name="rankings",
            title="Rankings that the bars leave",
            columns=(
                PROTOCOL,
                TASK,
                LENGTH,
                FORM,
                Column("systems", "systems"),
                Column("groups", "performance groups"),
                Column("open_pairs", "pairs that can change places"),
                Column("tied_pairs", "that can only tie"),
                Column("pairs", "of"),
                Column("rankings", show="never"),
                Column("estimated", show="varies"),
                Column("rankings_low", show="never"),
                Column("rankings_high", show="never"),
                Column("shown", "rankings", data=False, right=True),
            ),
            rows=tuple(rows),
            said=tuple(
                f"{_where(each)}: {each.rankings.sentence(known='the bars')}" for each in self.resolutions
            ),
            signature=self._signature(
                "rankings", f"seed:{self.seed}", of=(each.protocol for each in self.resolutions)
            ),
        )

    # Planted repeats

    def _repeats(self) -> Iterator[Table]:
        if not self.repeats:
            return
        columns = (
            PROTOCOL,
            Column("assessor", "assessor"),
            Column("question", "question"),
            Column("part", "repeats"),
            Column("repeats", "tasks"),
            Column("answers", "answers"),
            Column("same", "same"),
            Column("share", "share"),
            Column("change", "mean change", format="+.3f"),
            Column("distance", "mean distance"),
        )

        def rows(parts: tuple[str, ...]) -> tuple[tuple[Cell, ...], ...]:
            return tuple(
                (
                    each.protocol,
                    each.assessor,
                    each.question,
                    each.part,
                    each.repeats,
                    each.answers,
                    each.same,
                    each.share,
                    each.change,
                    each.distance,
                )
                for each in self.repeats
                if each.part in parts
            )

        yield Table(
            name="self-agreement",
            title="Planted repeats: each assessor's agreement with their own first answer",
            columns=tuple(column for column in columns if column.name != "part"),
            rows=tuple((*row[:3], *row[4:]) for row in rows(("all",))),
            said=tuple(self._repeat_words()),
            notes=("change: the second answer less the first; distance: how far the two are apart",),
            signature=self._signature("self-agreement", of=(each.protocol for each in self.repeats)),
        )
        if halves := rows(("earlier", "later")):
            yield Table(
                name="self-agreement-over-time",
                title="Planted repeats over time: the earlier and the later half of each assessor's repeats",
                columns=columns,
                rows=halves,
                signature=self._signature("self-agreement", of=(each.protocol for each in self.repeats)),
            )

    def _repeat_words(self) -> Iterator[str]:
        by_question: dict[tuple[str, str], list[SelfAgreement]] = {}
        for each in self.repeats:
            if each.part == "all":
                by_question.setdefault((each.protocol, each.question), []).append(each)
        for (protocol, question), own in by_question.items():
            same, answers = sum(each.same for each in own), sum(each.answers for each in own)
            least = min(own, key=lambda each: each.share)
            worst = f"; {least.assessor} least often ({least.share:.0%})" if len(own) > 1 else ""
            yield (
                f"{protocol}, {question}: asked again, {counted(len(own), 'assessor')} gave the same answer in {same:,}"
                f" of {answers:,} cases ({same / answers:.0%}){worst}."
            )

    # Judge noise

    def _noise(self) -> Iterator[Table]:
        uses = Counter(each.info.measure for each in self.noise)
        for each in self.noise:
            target = [each.length, each.form] if uses[each.info.measure] > 1 else []
            named = [each.info.measure, *target] if len(self.noise) > 1 else []
            more = "".join(f"-{part}" for part in named if part is not None)
            yield self._ranks_table(each, f"judge-noise{more}")
            if each.drawn is not None:
                yield self._beats_table(each, each.drawn, f"beats{more}")

    def _ranks_table(self, each: RankNoise, name: str) -> Table:
        found = each.found
        cells: list[tuple[Cell, ...]] = []
        for k in each.order:
            row: list[Cell] = [
                each.info.measure,
                each.length,
                each.form,
                each.systems[k],
                int(found.topics_of[k]),
            ]
            mean, rank = float(found.means[k]), int(found.ranks[k])
            row += [None if math.isnan(mean) else mean, rank or None]
            for drawn in (found.these, found.like):
                if drawn is None:
                    row += [None] * 5
                else:
                    low, high = int(drawn.low[k]), int(drawn.high[k])
                    best = float(drawn.best[k])
                    row += [low, high, _range(low, high), best, _probability(best)]
            cells.append(tuple(row))
        columns = [
            Column("measure", show="never"),
            Column("length", show="never"),
            Column("form", show="never"),
            Column("system", "system"),
            Column("topics", "topics", show="varies"),
            Column("mean", "mean", format=".4f"),
            Column("rank", "rank"),
        ]
        shown = {"these": "these assessors", "like": "assessors like them"}
        for population, words in shown.items():
            visible = getattr(found, population) is not None
            columns += [
                Column(f"{population}_low", show="never"),
                Column(f"{population}_high", show="never"),
                Column(
                    f"{population}_ranks",
                    f"rank, {words}",
                    data=False,
                    right=True,
                    show="always" if visible else "never",
                ),
                Column(f"{population}_best", show="never"),
                Column(
                    f"{population}_best_shown",
                    f"best, {words}",
                    data=False,
                    right=True,
                    show="always" if visible else "never",
                ),
            ]
        notes = list(each.notes())
        if each.again:
            beside = ", unlike in ORIGINAL, which has the first alone" if self.resolutions else ""
            notes.append(
                f"{counted(each.again, 'score')} of summaries that somebody had judged before: averaged with the"
                f" first{beside}"
            )
        return Table(
            name=name,
            title=f"Judge noise in the ranking: {each.title} ({each.size})",
            columns=tuple(columns),
            rows=tuple(cells),
            said=tuple(each.sentences()),
            notes=tuple(notes),
            signature=each.signature(self.level, self.seed),
        )

    def _beats_table(self, each: RankNoise, drawn: RankDraws, name: str) -> Table:
        order = each.order
        return Table(
            name=name,
            title=f"Probability that the row's system beats the column's: {each.title}, {each.whose()}",
            columns=(
                Column("system", "system"),
                *(Column(f"beats {each.systems[k]}", show="never") for k in order),
                *(Column(f"{each.systems[k]} shown", each.systems[k], data=False, right=True) for k in order),
            ),
            rows=tuple(
                (
                    each.systems[a],
                    *(None if a == b else float(drawn.beats[a, b]) for b in order),
                    *(None if a == b else _probability(float(drawn.beats[a, b])) for b in order),
                )
                for a in order
            ),
            signature=each.signature(self.level, self.seed),
        )

    def _signature(self, *what: str, of: Iterable[str] | None = None) -> str:
        """`of` are the protocols, all that were judged unless they are named."""
        used = {j.protocol for each in self.again for j in each.judgments.values()} if of is None else set(of)
        return "|".join([*what, f"protocol:{','.join(sorted(used))}", f"v:{__version__}"])


def _summed(again: JudgedAgain, scope: Scope) -> tuple[int, int, int]:
    """Judgments that were repeated, those with different answers, those with three or more."""
    found = again.recurrences(scope).values()
    return (
        sum(each.repeated for each in found),
        sum(each.answers > 1 for each in found),
        sum(each.answers > 2 for each in found),
    )


def _conflict_headline(whole: JudgedAgain) -> tuple[str, bool]:
    """What repeated judgments show, and whether there are any: between summaries first, then of one summary."""
    total, what = len(whole.judgments), JUDGED_WORDS[whole.kind]
    elsewhere, differ, _ = _summed(whole, "summaries")
    again, disagree, _ = _summed(whole, "one")
    if not _summed(whole, "all")[0]:
        return f"None of {total:,} {what} was repeated, so no conflict could have been found", False
    if not elsewhere:
        said = f"None of {total:,} {what} was repeated in another summary"
    elif not differ:
        said = f"{elsewhere:,} of {total:,} {what} were repeated in other summaries, and got the same answers there"
    else:
        within, across = _summed(whole, "within")[1], _summed(whole, "across")[1]
        said = (
            f"{differ:,} of {total:,} {what} ({differ / total:.1%}) are of the same units and texts as in other"
            f" summaries, and the answers differ ({within:,} from the same assessor's, {across:,} from others')"
        )
    if again:
        share = f"{disagree:,} ({disagree / total:.1%}) differ" if disagree else "none differs"
        said += f"; {share} between assessors of one summary"
    return said, True


def _overlap_words(own: ResolvedScores) -> str:
    """How many pairs the bars leave open."""
    ties, crossing = len(own.ties), len(own.overlaps) - len(own.ties)
    said = f"{crossing:,} can change places"
    return f"{said} and {ties:,} can only tie" if ties else said


Counts = tuple[int, int, int, int, int]
"""Judgments, those repeated, those with different answers; units judged again, units in conflict."""


def _counted(again: JudgedAgain, scope: Scope) -> dict[tuple[Cell, ...], Counts]:
    """The counts by protocol and task."""
    found = again.recurrences(scope)
    totals: dict[tuple[Cell, ...], list[int]] = {}
    for id, of in again.judgments.items():
        own = totals.setdefault((of.protocol, of.task), [0] * 5)
        own[0] += 1
        own[1] += found[id].repeated
        own[2] += found[id].answers > 1
    for key, answers in again.answers(scope).items():
        of = again.judgments[again.keys[key][0][0]]
        own = totals[of.protocol, of.task]
        own[3] += 1
        own[4] += answers > 1
    return {key: (n, a, b, c, d) for key, (n, a, b, c, d) in totals.items()}


def _where(each: ResolvedScores) -> str:
    at = where((each.protocol, each.task, each.length, each.form))
    return f"{at} ({listed(each.systems)})" if each.apart else at


def _resolved_words(each: ResolvedScores) -> Iterator[str]:
    at = _where(each)
    moved = sum(
        any(each.scores[name][k] != each.scores["original"][k] for name in RESOLUTIONS)
        for k in range(len(each.systems))
    )
    n = len(each.systems)
    if not moved:
        yield f"{at}: no repeated judgment changes a score, so the bars have no width."
    else:
        widest = max(range(n), key=lambda k: abs(each.scores["max"][k] - each.scores["min"][k]))
        wide = abs(each.scores["max"][widest] - each.scores["min"][widest])
        yield (
            f"{at}: repeated judgments move the scores of {moved} of {counted(n, 'system')}, by {wide:.3f} at the most"
            f" ({each.systems[widest]}, from MIN to MAX)."
        )
    pairs = n * (n - 1) // 2
    if pairs:
        groups = "; ".join(", ".join(own) for own in each.groups)
        yield (
            f"{at}: of {counted(pairs, 'pair')}, {_overlap_words(each)};"
            f" {counted(len(each.groups), 'performance group')}: {groups}."
        )


def _resolved_notes(each: ResolvedScores) -> Iterator[str]:
    at = where((each.protocol, each.task, each.length, each.form))
    for why, n in each.left_out.items():
        yield f"{counted(n, 'page')} left out: {why}"
    if each.missing:
        gaps = ", ".join(f"{system} on {counted(n, 'topic')}" for system, n in each.missing.items())
        yield (
            f"{at}: {sum(each.missing.values()):,} of"
            f" {counted(each.topics * len(each.systems), 'summary', 'summaries')} have no score ({gaps}): scores are"
            " adjusted for topics"
        )
    if each.apart:
        yield f"{at}: {listed(each.systems)} share no topics with other systems, and are ranked by themselves"


def _probability(value: float) -> str:
    """Two digits, and never 0 or 1: draws do not show that."""
    return "<.01" if value < 0.005 else ">.99" if value > 0.995 else f"{value:.2f}"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _digits(number: int) -> str:
    """A whole number of any size as text: no file of numbers holds 60!."""
    return (
        str(number)
        if number.bit_length() < 14_000
        else f"1e{math.floor(number.bit_length() * math.log10(2))}"
    )
