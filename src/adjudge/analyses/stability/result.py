"""How far a ranking can be relied on: repeated judgments, what they leave of the ranking, and the noise of judging.

Lin and Hovy 2002, section 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

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
)
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability import Stability, words
from adjudge.analyses.stability.conflicts import (
    RESOLUTIONS,
    JudgedAgain,
    ResolvedScores,
    Scope,
    judged_again,
    resolved,
)
from adjudge.analyses.stability.noise import RankNoise, rank_noises
from adjudge.analyses.stability.repeats import SelfAgreement, self_agreement
from adjudge.core.engine import generator
from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.measures.judged.coverage import Coverage, JudgedCoverage
from adjudge.measures.registry import parse_measure

if TYPE_CHECKING:
    from adjudge.stats.judge_noise import RankDraws

Part = Literal["conflicts", "resolutions", "repeats", "noise"]
ELSEWHERE: tuple[Scope, ...] = ("summaries", "within", "across", "all")
"""The scopes of what is compared between different summaries alone."""


def stability_of(scores: Scores, options: Stability) -> StabilityResult:
    """Every part that can be said; of the others why not."""
    gathered = gathered_of(scores)
    judgment_notes = set(gathered.notes("the tables of judgments")) if gathered is not None else set()
    if options.without:
        scores, gathered = left_after(scores, gathered, options.without)
    absent: dict[Part, Note] = {}
    notes: list[Note] = []
    about: list[str] = [] if options.measure else scores.refusals()
    again: list[JudgedAgain] = []
    resolutions: list[ResolvedScores] = []
    repeats: list[SelfAgreement] = []
    simulated = 0
    if gathered is None:
        absent |= dict.fromkeys(("conflicts", "resolutions", "repeats"), Note.of("no-folder"))
    else:
        gathered = _at_target(scores, gathered, options)
        simulated = gathered.judgments.simulated
        about += gathered.notes("the tables of judgments")
        notes += _together(gathered)
        again = judged_again(gathered)
        whole = next((kind for kind in again if kind.kind == "completeness"), None)
        if whole is not None:
            measure, note = _page_measure(options.measure)
            notes += [note] if note is not None else []
            stream = generator(options.seed, "stability/rankings")
            resolutions = resolved(
                gathered, options.resolve, measure=measure, rng=stream, progress=options.progress
            )
        repeats = self_agreement(gathered)
        if not again:
            absent |= dict.fromkeys(("conflicts", "resolutions"), Note.of("no-coverage"))
        elif not resolutions:
            absent["resolutions"] = Note.of("no-units")
        if not repeats:
            absent["repeats"] = Note.of("no-repeats")
    noise: list[RankNoise] = []
    if not options.quick:
        advice = None if options.measure else _advice(scores, gathered)
        if not scores.measures and not options.measure:
            absent["noise"] = Note.of("no-noise", unranked={}, advice=advice)
        else:
            noise, unranked, score_notes = rank_noises(scores, options)
            about += [
                line for line in score_notes if line not in judgment_notes
            ]  # which the judgments say, less those left out
            if not noise:
                absent["noise"] = Note.of("no-noise", unranked=unranked, advice=advice)
            elif unranked:
                notes.append(Note.of("noise-leaves-out", unranked=unranked))
    return StabilityResult(
        asked=options,
        about_scores=tuple(dict.fromkeys(about)),
        name=scores.name,
        again=tuple(again),
        resolutions=tuple(resolutions),
        repeats=tuple(repeats),
        noise=tuple(noise),
        absent=absent,
        general=tuple(notes),
        simulated=simulated,
    )


def _page_measure(measure: str | Sequence[str] | None) -> tuple[JudgedCoverage, Note | None]:
    """The measure whose scores are resolved: the one that is named, where it is made of completeness alone."""
    named = [measure] if isinstance(measure, str) else list(measure or ())
    for text in named:
        try:
            spec = parse_measure(text)
        except AdjudgeError:
            continue
        if isinstance(spec, JudgedCoverage) and type(spec).of_units is not JudgedCoverage.of_units:
            if spec.named_judge:
                return Coverage(), Note.of("coverage-for-a-program", measure=text)
            return spec, None
    return Coverage(), Note.of("coverage-instead", measures=named) if named else None


def _targets(gathered: Gathered) -> dict[str, set[Any]]:
    """The lengths and the forms of what was judged."""
    targets = gathered.targets()
    return {"length": {length for length, _ in targets}, "form": {form for _, form in targets}}


def _at_target(scores: Scores, gathered: Gathered, options: Stability) -> Gathered:
    """The judgments at a length and of a form that there are."""
    length = options.length if isinstance(options.length, int) else None
    for name, wanted in (("length", length), ("form", options.form)):
        judged = _targets(gathered)[name]
        scored = set(scores.frame[name].dropna()) if scores.measures else set()
        if wanted is not None and wanted not in judged | scored:
            there = ", ".join(
                str(value) for (value,) in in_order((value,) for value in judged if value is not None)
            )
            raise UsageError(
                f"{scores.name} has no judgments of {name} {quoted(wanted) if name == 'form' else wanted};"
                f" it has: {there or f'none with a {name}'}"
            )
    return gathered.at(length=length, form=options.form)


def _together(gathered: Gathered) -> Iterator[Note]:
    """Where several lengths or forms were judged: tables of judgments count all of them."""
    for name, values in _targets(gathered).items():
        if len(values) > 1:
            yield Note.of(
                "counted-together", what=name, values=[v for (v,) in in_order((v,) for v in values)]
            )


def _advice(scores: Scores, gathered: Gathered | None) -> str | None:
    """What would give scores by assessors, where something would."""
    if gathered is None:
        return None if scores.assessors() else "name-assessors"
    if gathered.coverage:
        return "score-coverage"
    return None if gathered.ratings else "nobody-judged"


@dataclass(frozen=True, repr=False, kw_only=True)
class StabilityResult(Result):
    """Conflicts of repeated judgments, resolved scores and their bars, planted repeats, and judge noise.

    What could not be said is in `absent`, with the reason.
    """

    FIGURES: ClassVar[Mapping[str, str]] = {
        "stability": "adjudge.analyses.stability.figures:stability",
        "retention": "adjudge.analyses.stability.figures:retention",
    }

    asked: Stability = field(default_factory=Stability)
    name: str
    again: tuple[JudgedAgain, ...] = ()
    resolutions: tuple[ResolvedScores, ...] = ()
    repeats: tuple[SelfAgreement, ...] = ()
    noise: tuple[RankNoise, ...] = ()
    absent: Mapping[Part, Note] = field(default_factory=dict)
    general: tuple[Note, ...] = ()
    """What to know of all parts."""
    simulated: int = 0
    """Judgments of simulated assessors among those that were looked at."""

    @property
    def anything(self) -> bool:
        """Whether any part could be said."""
        return bool(self.again or self.repeats or self.noise)

    @property
    def disputed(self) -> bool:
        """Whether several assessors judged the same text, so that bars could be about them too."""
        return bool(self.resolutions) and any(kind.counts("between")[0] for kind in self.again)

    @property
    def noise_by_name(self) -> dict[str, RankNoise]:
        """By what the names of its tables end with: nothing, where there is one."""
        uses = Counter(ranking.info.measure for ranking in self.noise)
        named = {}
        for ranking in self.noise:
            target = (ranking.length, ranking.form) if uses[ranking.info.measure] > 1 else ()
            parts = (ranking.info.measure, *target) if len(self.noise) > 1 else ()
            named["".join(f"-{part}" for part in parts if part is not None)] = ranking
        return named

    def how(self) -> str:
        protocols = {judgment.protocol for kind in self.again for judgment in kind.judgments.values()}
        protocols |= {agreement.protocol for agreement in self.repeats}
        measures = dict.fromkeys(bars.measure for bars in self.resolutions)
        return "|".join(
            [
                *([f"protocol:{','.join(sorted(protocols))}"] if protocols else []),
                *(f"resolved:{measure}:{self.asked.resolve}" for measure in measures),
                *(ranking.how() for ranking in self.noise),
                f"level:{self.asked.level:g}|seed:{self.asked.seed}|v:{__version__}",
            ]
        )

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "level": self.asked.level,
            "seed": self.asked.seed,
            "absent": {part: note.code for part, note in self.absent.items()},
        }

    def notes(self) -> Iterator[Note]:
        yield from self.general
        for kind in self.again:
            if kind.unmarked:
                yield Note.of("marked-nothing", n=kind.unmarked).on("conflicts")
            if kind.unknown and kind.kind == "completeness":
                yield Note.of("unknown-texts", n=kind.unknown).on("conflicts")
        yield from (note.on("resolutions") for note in self._resolution_notes())
        if self.repeats:
            yield Note.of("change-and-distance").on("self-agreement")
        for name, noise in self.noise_by_name.items():
            yield from (note.on(f"judge-noise{name}") for note in self._noise_notes(noise))
        yield from {note.code: note for note in self.absent.values()}.values()

    def _resolution_notes(self) -> Iterator[Note]:
        if self.asked.resolve == "one-assessor" and self.disputed:
            yield Note.of("assessors-apart")
        if unsettled := sum(bars.unsettled for bars in self.resolutions):
            yield Note.of("unsettled", n=unsettled, whose=self.asked.resolve)
        for bars in self.resolutions:
            for why, n in bars.left_out.items():
                yield Note.of("pages-left-out", n=n, why=why)
            if bars.missing:
                summaries = bars.topics * len(bars.systems)
                yield Note.of("scores-adjusted", part=bars.part, missing=bars.missing, summaries=summaries)
            if bars.apart:
                yield Note.of("ranked-apart", part=bars.part, systems=bars.systems)

    def _noise_notes(self, ranking: RankNoise) -> Iterator[Note]:
        from adjudge.stats.judging import FEW_DF

        noise = ranking.noise
        if ranking.drawn is not None:
            yield Note.of("pair-by-pair", own_errors=ranking.resampled and noise.like is not None)
        gaps = {
            system: noise.topics - n
            for system, n in zip(ranking.systems, noise.topics_of.tolist(), strict=True)
            if n < noise.topics
        }
        if gaps:
            yield Note.of("no-named-score", missing=gaps, summaries=noise.topics * len(ranking.systems))
        if not noise.complete and len(ranking.parts) == 1:
            scores = noise.topics * noise.assessors * len(ranking.systems)
            yield Note.of("means-adjusted", n=noise.rows, of=scores, fitted=ranking.drawn is not None)
        if ranking.anonymous:
            yield Note.of("anonymous-scores", n=ranking.anonymous)
        if noise.why is None and not noise.separated:
            yield Note.of("judged-once")
        if noise.like is not None and not ranking.resampled:
            yield Note.of("alike", assessors=noise.assessors, few=bool(noise.assessor_df < FEW_DF))
        if ranking.again:
            yield Note.of("judged-before", n=ranking.again, beside=bool(self.resolutions))

    # Tables

    def tables(self) -> Iterator[Table]:
        if self.again:
            yield self._conflicts()
            for table in (self._different_answers(), self._conflicts_by_assessor()):
                if table.rows:
                    yield table
        if self.resolutions:
            yield self._resolutions()
            yield self._rankings()
        if self.repeats:
            yield Table.of(
                "self-agreement",
                [agreement for agreement in self.repeats if agreement.part == "all"],
                *(column for column in REPEATS if column.name != "part"),
                title="Planted repeats: each assessor's agreement with their own first answer",
            )
            if any(agreement.part != "all" for agreement in self.repeats):
                yield Table.of(
                    "self-agreement-over-time",
                    [agreement for agreement in self.repeats if agreement.part != "all"],
                    *REPEATS,
                    title="Planted repeats over time: the earlier and the later half of each assessor's repeats",
                )
        for name, ranking in self.noise_by_name.items():
            yield self._judge_noise(ranking, f"judge-noise{name}")
            if ranking.drawn is not None:
                yield self._beats(ranking, ranking.drawn, f"beats{name}")
        if not self.anything:
            rows = ((part, str(words.absence(note))) for part, note in self.absent.items())
            why = Column("why", "not shown")
            yield Table.of("absent", rows, "part", why, title=f"Stability of {self.name}")

    def on_demand(self) -> dict[str, Callable[[], Table]]:
        return {"pairs": self._pairs}

    def _conflicts(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for kind in self.again:
            scopes = tuple(words.SCOPES) if kind.kind == "completeness" else ELSEWHERE
            counts = {scope: kind.counts_by_task(scope) for scope in scopes}
            for group in in_order({(j.protocol, j.task) for j in kind.judgments.values()}):
                for scope in scopes:
                    n, repeated, different, units, conflicts = counts[scope][group]
                    where = (words.KINDS[kind.kind], *group, words.SCOPES[scope])
                    shares = (n, repeated, repeated / n, different, different / n)
                    rows.append((*where, *shares, units, conflicts))
        return Table.of(
            "conflicts",
            rows,
            "what",
            PROTOCOL,
            TASK,
            Column("scope", "judged again"),
            "judgments repeated",
            _share("repeated_share"),
            Column("different", "differ"),
            _share("share"),
            "units",
            Column("conflicts", "in conflict"),
            title="Repeated judgments, and those that differ: shares of all judgments",
        )

    def _different_answers(self) -> Table:
        return Table.of(
            "different-answers",
            self._answer_rows(),
            "what",
            PROTOCOL,
            TASK,
            Column("scope", "judged again"),
            Column("answers", "different answers"),
            "units judgments",
            _share("share"),
            title="How many different answers a unit got: shares of all judgments",
        )

    def _answer_rows(self) -> Iterator[tuple[Cell, ...]]:
        scopes: tuple[Scope, ...] = ("summaries", "all")
        for kind, scope in ((kind, scope) for kind in self.again for scope in scopes):
            units: Counter[tuple[Cell, ...]] = Counter()
            for key, number in kind.answers(scope).items():
                judgment = kind.judgments[kind.keys[key][0][0]]
                units[judgment.protocol, judgment.task, number] += 1
            judged: Counter[tuple[Cell, ...]] = Counter()
            totals: Counter[tuple[Cell, ...]] = Counter()
            for id, recurrence in kind.recurrences(scope).items():
                judgment = kind.judgments[id]
                totals[judgment.protocol, judgment.task] += 1
                if recurrence.repeated:
                    judged[judgment.protocol, judgment.task, recurrence.answers] += 1
            for group in in_order(units.keys() | judged.keys()):
                protocol, task, answers = group
                share = judged[group] / totals[protocol, task]
                what, where = words.KINDS[kind.kind], words.SCOPES[scope]
                yield what, protocol, task, where, answers, units[group], judged[group], share

    def _conflicts_by_assessor(self) -> Table:
        return Table.of(
            "conflicts-by-assessor",
            self._assessor_rows(),
            "what",
            PROTOCOL,
            "assessor judgments",
            Column("repeated_within", "judged again by them"),
            Column("different_within", "differ from themselves"),
            _share("share_within"),
            Column("repeated_across", "in other summaries by others"),
            Column("different_across", "differ from those"),
            _share("share_across"),
            Column("repeated_one", "of one summary by others"),
            Column("different_one", "differ from these"),
            _share("share_one"),
            title="Repeated judgments by assessor",
        )

    def _assessor_rows(self) -> Iterator[tuple[Cell, ...]]:
        scopes: tuple[Scope, ...] = ("within", "across", "one")
        for kind in self.again:
            groups: dict[tuple[Cell, ...], list[Hashable]] = {}
            for id, judgment in kind.judgments.items():
                if not judgment.anonymous:
                    groups.setdefault((judgment.protocol, judgment.assessor), []).append(id)
            for group in in_order(groups):
                ids = groups[group]
                cells: list[Cell] = [words.KINDS[kind.kind], *group, len(ids)]
                for scope in scopes:
                    if scope == "one" and kind.kind != "completeness":
                        cells += [None, None, None]
                        continue
                    recurrences = kind.recurrences(scope)
                    different = sum(recurrences[id].answers > 1 for id in ids)
                    cells += [sum(recurrences[id].repeated for id in ids), different, different / len(ids)]
                yield tuple(cells)

    def _resolutions(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        parts: Counter[tuple[Cell, ...]] = Counter()
        for bars in self.resolutions:
            parts[bars.part] += 1
            group = {system: n for n, systems in enumerate(bars.groups, 1) for system in systems}
            crossing: dict[str, list[str]] = {system: [] for system in bars.systems}
            tied: dict[str, list[str]] = {system: [] for system in bars.systems}
            for a, b in bars.overlaps:
                into = tied if (a, b) in bars.ties else crossing
                into[a].append(b)
                into[b].append(a)
            for k, system in enumerate(bars.systems):
                rows.append(
                    (
                        *bars.part,
                        parts[bars.part],
                        bars.measure,
                        system,
                        *(bars.scores[name][k] for name in RESOLUTIONS),
                        bars.ranks[k],
                        bars.low[k],
                        bars.high[k],
                        _range(bars.low[k], bars.high[k]),
                        group[system],
                        ", ".join(crossing[system]) or None,
                        ", ".join(tied[system]) or None,
                    )
                )
        tie = "always" if any(bars.ties for bars in self.resolutions) else "never"
        return Table.of(
            "resolutions",
            rows,
            *PART,
            Column("part", "ranked apart", show="varies"),
            Column("measure", show="never"),
            "system",
            *(Column(name, name.upper(), format=".4f") for name in RESOLUTIONS),
            "rank",
            Column("rank_low", show="never"),
            Column("rank_high", show="never"),
            Column("ranks", "rank can be", data=False, right=True),
            "group",
            Column("changes_places_with", "can change places with"),
            Column("tied_with", "can only tie with", show=tie),  # type: ignore[arg-type]
            title=f"Scores with repeated judgments made one: {words.RESOLVED[self.asked.resolve]}",
        )

    def _rankings(self) -> Table:
        from adjudge.stats.order import number_words

        rows: list[tuple[Cell, ...]] = []
        for bars in self.resolutions:
            rankings, guess = bars.rankings, bars.rankings.estimate
            number = rankings.count if guess is None else guess.count
            low, high = (rankings.low, rankings.high) if guess is None else (guess.low, guess.high)
            open_ended = rankings.count is None
            if number is None:
                shown = f"{number_words(low)} to {number_words(high)}"
            else:
                shown = f"about {number_words(number)}" if open_ended else number_words(number)
            rows.append(
                (
                    *bars.part,
                    len(bars.systems),
                    len(bars.groups),
                    bars.crossing,
                    len(bars.ties),
                    bars.pairs,
                    None if number is None else _digits(number),
                    guess is not None,
                    _digits(low) if open_ended else None,
                    _digits(high) if open_ended else None,
                    shown,
                )
            )
        return Table.of(
            "rankings",
            rows,
            *PART,
            "systems",
            Column("groups", "performance groups"),
            Column("open_pairs", "pairs that can change places"),
            Column("tied_pairs", "that can only tie"),
            Column("pairs", "of"),
            Column("rankings", show="never"),
            Column("estimated", show="varies"),
            Column("rankings_low", show="never"),
            Column("rankings_high", show="never"),
            Column("shown", "rankings", data=False, right=True),
            title=f"Rankings that the bars leave: {words.RESOLVED[self.asked.resolve]}",
        )

    def _judge_noise(self, ranking: RankNoise, name: str) -> Table:
        noise = ranking.noise
        rows: list[tuple[Cell, ...]] = []
        for k in ranking.order:
            mean, rank = float(noise.means[k]), int(noise.ranks[k])
            row: list[Cell] = [ranking.info.measure, ranking.length, ranking.form, ranking.systems[k]]
            row += [int(noise.topics_of[k]), None if math.isnan(mean) else mean, rank or None]
            for drawn in (noise.these, noise.like):
                if drawn is None:
                    row += [None] * 5
                else:
                    low, high, best = int(drawn.low[k]), int(drawn.high[k]), float(drawn.best[k])
                    row += [low, high, _range(low, high), best, words.probability(best)]
            rows.append(tuple(row))
        drawn_columns = []
        for population, people in words.POPULATIONS.items():
            shown: Any = "always" if getattr(noise, population) is not None else "never"
            drawn_columns += [
                Column(f"{population}_low", show="never"),
                Column(f"{population}_high", show="never"),
                Column(f"{population}_ranks", f"rank, {people}", data=False, right=True, show=shown),
                Column(f"{population}_best", show="never"),
                Column(f"{population}_best_shown", f"best, {people}", data=False, right=True, show=shown),
            ]
        return Table.of(
            name,
            rows,
            *(Column(hidden, show="never") for hidden in ("measure", "length", "form")),
            "system",
            Column("topics", show="varies"),
            Column("mean", format=".4f"),
            "rank",
            *drawn_columns,
            title=f"Judge noise in the ranking: {ranking.title} ({words.size(ranking)})",
        )

    def _beats(self, ranking: RankNoise, drawn: RankDraws, name: str) -> Table:
        order = ranking.order
        rows = []
        for a in order:
            beats = [None if a == b else float(drawn.beats[a, b]) for b in order]
            shown = (None if value is None else words.probability(value) for value in beats)
            rows.append((ranking.systems[a], *beats, *shown))
        return Table.of(
            name,
            rows,
            "system",
            *(Column(f"beats {ranking.systems[k]}", show="never") for k in order),
            *(
                Column(f"{ranking.systems[k]} shown", ranking.systems[k], data=False, right=True)
                for k in order
            ),
            title=f"Probability that the row's system beats the column's: {ranking.title}, {words.whose(ranking)}",
        )

    def _pairs(self) -> Table:
        """A row per pair of systems: how likely the one that is ahead beats the other, for both populations."""
        rows = (
            (*target, drawn.population, ranking.systems[a], ranking.systems[b], float(drawn.beats[a, b]))
            for ranking in self.noise
            for target in [(ranking.info.measure, ranking.length, ranking.form)]
            for drawn in (ranking.noise.these, ranking.noise.like)
            if drawn is not None
            for a, b in combinations(ranking.order, 2)
        )
        return Table.of("pairs", rows, "measure length form population a b probability")


PART = (PROTOCOL, TASK, LENGTH, FORM)
REPEATS = (
    PROTOCOL,
    Column("assessor"),
    Column("question"),
    Column("part", "repeats"),
    Column("repeats", "tasks"),
    Column("answers"),
    Column("same"),
    Column("share"),
    Column("change", "mean change", format="+.3f"),
    Column("distance", "mean distance"),
)
"""The columns of agreement with oneself."""


def _share(name: str) -> Column:
    return Column(name, "share", format=".4f")


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _digits(number: int) -> str:
    """A whole number of any size as text: no file of numbers holds 60!."""
    return (
        str(number)
        if number.bit_length() < 14_000
        else f"1e{math.floor(number.bit_length() * math.log10(2))}"
    )
