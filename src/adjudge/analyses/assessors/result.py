"""A dossier of every assessor: who is harsh, erratic, drifting, hasty or reversed, and on what evidence.

Every flag is a test's, corrected over the assessors, and topics are the sample; stats/dossiers.py has the mathematics.
Preferences have their own signs, in stats/preference/careless.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge.analyses.assessors import Assessors
from adjudge.analyses.assessors.judged import JudgedMeasure, Unknown, judged_measure
from adjudge.analyses.compare.without import ConclusionChanges, conclusion_changes
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import decimal, listed
from adjudge.data.scores import MeasureInfo, heading_of, title_of
from adjudge.stats.checks import FloatArray
from adjudge.stats.dossiers import (
    AssessorContrasts,
    Concordance,
    OwnRepeats,
    SameAnswers,
    Sameness,
    concordance,
    drift,
    same_answers,
    sameness,
    self_agreement,
    severity,
)

FlagCode = Literal[
    "harsh", "mild", "erratic", "reversed", "inconsistent", "drifting", "hasty", "all the same", "identical"
]
Family = Literal[
    "deviation", "erratic", "reversed", "inconsistent", "drift", "pace", "fast", "same", "identical"
]
"""The tests of one kind, corrected over the assessors."""
Reason = Literal[
    "one-assessor",
    "nobody-else",
    "one-of-two",
    "copies-leave-two",
    "one-topic",
    "constant",
    "nothing-twice",
    "nobody-twice",
    "no-trend",
]
"""Why something could not be tested of an assessor; beside these, why order and times are not known."""

SLOWER = 0.5
"""Readers differ in speed: who takes this share of the median assessor's time or more is not hasty for that."""
FASTEST = 600.0
"""Words a minute, more than anybody reads with understanding (Rayner et al. 2016: 200 to 400 for skilled readers)."""
FAST_PAGES = 0.2
"""The share of pages that may be faster: one looks at a page again, or knows the text."""
HONEST = 0.9
"""Readers differ: whose correlation with the others is this share of theirs with each other is not erratic for that."""
IDENTICAL, IDENTICAL_OF_TWO = 0.95, 1.0
"""The share of equal answers from which two count as one; of a yes or no, careful people share nearly all."""
FEWEST_THINGS = 10
"""Things that two must both have judged to count as one."""
MOST_PAIRED = 100
"""Assessors among whom every two are compared for equal answers."""
MOST_LEFT_OUT = 12
"""Assessors up to whom each is left out in turn; beyond, only those who are named."""


@dataclass(frozen=True, slots=True)
class AssessorFlag:
    """One thing that is said of an assessor; p is corrected over `tests`."""

    code: FlagCode
    family: Family
    p: float
    tests: int
    evidence: Mapping[str, float] = field(default_factory=dict)
    """Numbers that it follows from, beyond those of the dossier."""


@dataclass(frozen=True)
class AssessorDossier:
    """What is known of one assessor. Numbers that cannot be had are NaN, and `why` says by name why not."""

    assessor: str
    judgments: int
    shared: int
    """Of what others judged too."""
    topics: int
    """In how many topics these are."""
    deviation: float
    """Above the median assessor on the same things; of two assessors, above the other."""
    deviation_low: float
    deviation_high: float
    deviation_p: float
    correlation: float
    """With the others, over the same things."""
    correlation_low: float
    correlation_high: float
    others_correlation: float
    """Of the others with each other."""
    erratic_p: float
    reversed_p: float
    repeats: int
    repeats_same: int
    repeats_apart: float
    """Mean absolute difference between own answers to one thing."""
    inconsistent_p: float
    drift: float
    """From the first judgment to the last, in the units of the measure."""
    drift_low: float
    drift_high: float
    drift_p: float
    seconds: float
    """Median time for a judgment."""
    pace: float
    """The time as a share of the median assessor's for the same things."""
    pace_low: float
    pace_high: float
    pace_p: float
    timed: int
    """Judgments of known time, of texts of known length."""
    fast: int
    """Those read faster than anybody reads."""
    fast_p: float
    same_p: float
    identical_p: float
    """That somebody else gives the same answers in so many topics."""
    flags: tuple[AssessorFlag, ...] = ()
    why: Mapping[str, Reason | Unknown] = field(default_factory=dict)
    copies: tuple[str, ...] = ()
    """Those who gave the same answers, the assessor among them; compared with the others they count as one."""

    def was_tested(self, family: Family) -> bool:
        """Whether there was a test; the median assessor is 0 away from the median without one."""
        at_median = family == "deviation" and math.isnan(self.deviation_low)
        return math.isfinite(getattr(self, f"{family}_p")) and not at_median

    @property
    def codes(self) -> tuple[FlagCode, ...]:
        return tuple(dict.fromkeys(flag.code for flag in self.flags))


@dataclass(frozen=True)
class ComparisonWithout:
    """What the comparison would be without one assessor, or why it cannot be had."""

    assessor: str
    changes: ConclusionChanges | None = None
    why: str = ""


@dataclass(frozen=True, repr=False, kw_only=True)
class Dossiers(Result):
    """What is known of every assessor of one measure."""

    FIGURES: ClassVar[Mapping[str, str]] = {"assessors": "adjudge.analyses.assessors.figures:assessors"}

    asked: Assessors
    info: MeasureInfo
    length: int | None
    form: str | None
    rows: tuple[AssessorDossier, ...]
    left_out: tuple[ComparisonWithout, ...]
    judged: JudgedMeasure
    difference_p: float
    """That the first two assessors differ on the same things; not corrected."""
    alike: tuple[tuple[tuple[str, str], int], ...] = ()
    """Two who gave the same answers to all that both judged, where no other pair shows how unlikely that is."""
    not_compared: Note | None = None
    """Why systems were not compared without each assessor, where they could not be."""

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return title_of(self.info, self.length, self.form)

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def flagged(self) -> tuple[AssessorDossier, ...]:
        return tuple(row for row in self.rows if row.flags)

    def tested(self) -> dict[Family, bool]:
        """By what is looked at, whether it could be tested of anybody."""

        def any_known(family: Family) -> bool:
            return any(row.was_tested(family) for row in self.rows)

        families: tuple[Family, ...] = ("deviation", "erratic", "inconsistent", "drift", "pace")
        return {name: any_known(name) or (name == "pace" and any_known("fast")) for name in families}

    @property
    def untested_rows(self) -> tuple[AssessorDossier, ...]:
        """Assessors of whom nothing could be tested."""
        families: tuple[Family, ...] = ("deviation", "erratic", "inconsistent", "drift", "pace", "fast")
        return tuple(row for row in self.rows if not any(map(row.was_tested, families)))

    @property
    def nothing_shared(self) -> bool:
        """Whether no two assessors judged the same thing."""
        return len(self.rows) > 1 and all(row.shared == 0 for row in self.rows)

    def first_reason(self) -> tuple[AssessorDossier, Reason | Unknown] | None:
        """Why something could not be tested: the first reason, and of whom."""
        return next(((row, why) for row in self.rows for why in row.why.values()), None)

    def how(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        form = f"|form:{self.form}" if self.form else ""
        return (
            f"{self.info.signature or self.measure}{length}{form}|assessors:{len(self.rows)}|severity:additive"
            f"|agreement:mean-correlation:jackknife|errors:topics|correct:bonferroni:{self.alpha:g}|seed:{self.asked.seed}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "length": self.length,
            "form": self.form,
            "alpha": self.alpha,
            "flags": [{"assessor": row.assessor, **asdict(flag)} for row in self.rows for flag in row.flags],
            "why": {row.assessor: row.why for row in self.rows if row.why},
            "identical": [
                list(copies) for copies in dict.fromkeys(row.copies for row in self.rows) if copies
            ],
            "changes": [
                {
                    "assessor": left.assessor,
                    **(left.changes.as_dict() if left.changes else {"why": left.why}),
                }
                for left in self.left_out
            ],
        }

    def notes(self) -> Iterator[Note]:
        if self.judged.unnamed:
            yield Note.of("scores-of-nobody", n=self.judged.unnamed)
        if self.judged.anonymous:
            yield Note.of("anonymous-scores", n=self.judged.anonymous)
        if self.judged.valueless:
            yield Note.of("scores-without-value", n=self.judged.valueless)
        if self.not_compared is not None:
            yield self.not_compared
        yield from self._untested()
        if not any(row.repeats for row in self.rows):
            yield Note.of("nobody-repeats")
        elif not self.tested()["inconsistent"]:
            yield Note.of("few-repeats", n=sum(row.repeats for row in self.rows))
        for names, things in self.alike:
            yield Note.of("same-answers", assessors=list(names), things=things)
        if self.left_out and len(self.left_out) < len(self.rows):
            yield Note.of("only-flagged-left-out", n=len(self.rows))

    def of_two(self) -> Iterator[Note]:
        """How two assessors differ, of whom it cannot be said which one is off."""
        if len(self.rows) == 2 and self.rows[0].why.get("others") == "one-of-two":
            one, other = self.rows
            both = {"a": one.assessor, "b": other.assessor}
            if self.difference_p <= self.alpha:
                yield Note.of(
                    "two-differ",
                    **both,
                    difference=one.deviation,
                    low=one.deviation_low,
                    high=one.deviation_high,
                    topics=one.topics,
                    p=self.difference_p,
                    alpha=self.alpha,
                )
            if one.correlation_high < 0:
                yield Note.of(
                    "two-opposed",
                    **both,
                    correlation=one.correlation,
                    low=one.correlation_low,
                    high=one.correlation_high,
                )

    def _untested(self) -> Iterator[Note]:
        """What could not be looked at, each reason once; but for the one that the headline gives."""
        any_tested = any(self.tested().values())
        alone = [row.assessor for row in self.rows if row.why.get("others") == "nobody-else"]
        if self.nothing_shared:
            if any_tested:
                yield Note.of("nothing-shared")
        elif len(alone) > 1:
            yield Note.of("compared-with-nobody", assessors=alone)
        reasons: dict[tuple[Reason | Unknown, str], list[AssessorDossier]] = {}
        for row in self.rows:
            for kind, why in row.why.items():
                if kind != "inconsistent" and not (why == "nobody-else" and len(alone) > 1):
                    # some reasons are about one assessor, others about all who have them
                    of = row.assessor if why in ("nobody-else", "one-topic", "constant") else ""
                    reasons.setdefault((why, of), []).append(row)
        first = self.first_reason()
        for (why, of), rows in reasons.items():
            if (
                not any_tested
                and not self.flagged
                and not self.nothing_shared
                and first
                and (why, rows[0]) == (first[1], first[0])
            ):
                continue
            yield Note.of(
                "untested",
                why=why,
                assessors=list(dict.fromkeys(row.assessor for row in rows)),
                everybody=not of and len({row.assessor for row in rows}) == len(self.rows),
                topics=rows[0].topics,
                unread=self.judged.unread,
            )

    def tables(self) -> Iterator[Table]:
        """A row per assessor; and what the comparison of systems would be without each."""

        def shown(name: str) -> Literal["always", "never"]:
            return "never" if all(math.isnan(getattr(row, name)) for row in self.rows) else "always"

        heads: dict[str, dict[str, Any]] = {
            "assessor": {"right": False},
            "judgments": {},
            "shared": {"heading": "of them shared"},
            "deviation": {"format": "+.3f"},
            "deviation_interval": {
                "heading": f"{1 - self.alpha:.0%} interval",
                "data": False,
                "right": False,
            },
            "correlation": {"heading": "with others"},
            "others_correlation": {"heading": "among others"},
            "repeated": {"heading": "repeated alike", "data": False, "show": "varies"},
            "drift": {"format": "+.3f", "show": shown("drift")},
            "seconds": {"heading": "median seconds", "format": ".1f", "show": shown("seconds")},
            "pace": {"heading": "of median time", "format": ".2f", "show": shown("pace")},
        }
        target = {"measure": self.measure, "length": self.length, "form": self.form}
        names = [
            field.name for field in fields(AssessorDossier) if field.name not in ("flags", "why", "copies")
        ]
        names.insert(names.index("deviation_low"), "deviation_interval")
        names.insert(names.index("repeats_apart"), "repeated")
        rows = (
            {
                **target,
                **vars(row),
                "deviation_interval": None
                if math.isnan(row.deviation_low)
                else f"{decimal(row.deviation_low, '+.3f')} to {decimal(row.deviation_high, '+.3f')}",
                "repeated": f"{row.repeats_same} of {row.repeats}" if row.repeats else None,
                "flags": ", ".join(row.codes),
            }
            for row in self.rows
        )
        yield Table.of(
            "assessors",
            rows,
            *(Column(name, **heads.get(name, {"show": "never"})) for name in (*target, *names)),
            Column("flags", "stands out", right=False),
            title=f"{heading_of(self.info, self.length, self.form)}: assessors",
        )
        if self.left_out:
            yield Table.of(
                "without",
                map(_left_row, self.left_out),
                Column("assessor", "without", right=False),
                Column("before", "differ with all"),
                Column("after", "differ without"),
                Column("lost", "lost"),
                Column("found", "gained"),
                Column("turned", "reversed", show="varies"),
                Column("candidates", "may be the best", right=False),
                Column("moves", "ranks changed"),
                Column("largest", "by at most"),
                Column("why", "why not", show="varies", right=False),
                title="The comparison of systems without one assessor",
            )


def _left_row(left: ComparisonWithout) -> tuple[Cell, ...]:
    changes = left.changes
    if changes is None:
        return (left.assessor, *[None] * 8, left.why)
    same = set(changes.candidates_before or ()) == set(changes.candidates_after or ())
    after = changes.candidates_after
    return (
        left.assessor,
        changes.before,
        changes.after,
        len(changes.lost),
        len(changes.gained),
        len(changes.turned),
        None if after is None else "the same" if same else listed(after),
        len(changes.moves),
        max((abs(move.after - move.before) for move in changes.moves), default=0),
        None,
    )


def dossiers_of(scores: Scores, options: Assessors) -> Dossiers:
    """The dossiers of one measure's assessors, and the comparisons without each."""
    measure = scores.resolve(options.measure)
    rows = scores.table.at(measure, length=options.length, form=options.form)
    if rows["assessor"].isna().all():
        raise UsageError(f"{measure} has no assessors: nobody's judgments can be looked at")
    judged = judged_measure(scores, measure, rows)
    examined, difference_p, alike = _examine(
        judged, options.alpha, generator(options.seed, "assessors/repeats")
    )
    left_out: list[ComparisonWithout] = []
    not_compared = None
    if not options.quick and len(examined) > 1:
        names = [row.assessor for row in examined if row.flags or len(examined) <= MOST_LEFT_OUT]
        left_out, not_compared = _left_out(scores, measure, names, options)
    return Dossiers(
        asked=options,
        about_scores=scores.unsaid_notes(measure),
        info=scores.info[measure],
        length=options.length if isinstance(options.length, int) else None,
        form=options.form,
        rows=examined,
        left_out=tuple(left_out),
        judged=judged,
        difference_p=difference_p,
        alike=alike,
        not_compared=not_compared,
    )


def _left_out(
    scores: Scores, measure: str, names: Sequence[str], options: Assessors
) -> tuple[list[ComparisonWithout], Note | None]:
    """The comparison without each of some assessors, and why there is none at all."""
    from adjudge.analyses.compare import compare

    def compared(data: Scores) -> Any:
        return compare(
            data,
            measure,
            length=options.length,
            form=options.form,
            test=options.test,
            correct=options.correct,
            alpha=options.alpha,
            seed=options.seed,
        )

    everyone = replace(scores, everyone=None)
    try:
        before = compared(everyone)
    except DataError as error:
        return [], Note.of("not-compared", why=error.text)
    if len(before.standings) < 2:
        return [], Note.of("one-system")
    left_out = []
    for name in names:
        try:
            after = compared(replace(everyone.without(name), everyone=None))
        except (DataError, UsageError) as error:
            left_out.append(ComparisonWithout(name, why=str(error)))
            continue
        left_out.append(ComparisonWithout(name, conclusion_changes(before, after, name)))
    return left_out, None


# The tests


def _examine(
    measure: JudgedMeasure, alpha: float, rng: np.random.Generator
) -> tuple[tuple[AssessorDossier, ...], float, tuple[tuple[tuple[str, str], int], ...]]:
    """A dossier of each; p of the difference between the first two, where two judged the same; and who always gave the
    same answers without a test that says so."""
    judged, names = measure.judged, measure.names
    size = len(names)
    pairs = same_answers(judged) if size <= MOST_PAIRED else []
    compared = sum(math.isfinite(pair.p) for pair in pairs)
    identical = [pair for pair in pairs if _identical(pair) and pair.p * compared <= alpha]
    copies = _copies(identical, size)
    harsh, agree, trend = _once_each(measure, copies, alpha)
    timed_at = measure.seconds > 0
    pace = None
    if timed_at.any():
        times = np.log(np.where(timed_at, measure.seconds, 1.0))
        pace = severity(replace(judged, values=times).take(timed_at))
    repeats = self_agreement(*measure.again, size, rng=rng)
    same = sameness(judged)
    fast, timed, fast_p = _fast(measure)
    enough = harsh.others >= 2  # of two, nobody can say which one is off
    raw: dict[Family, FloatArray] = {
        "deviation": np.where(enough, np.where(harsh.estimate == 0, 1.0, harsh.p()), np.nan),
        "erratic": np.where(enough, agree.contrast.p(side="above"), np.nan),
        "reversed": np.where(
            enough, np.maximum(agree.with_others.p(side="below"), agree.among_others.p(side="above")), np.nan
        ),
        "inconsistent": np.where(repeats.smallest * max(size, 1) <= alpha, repeats.p, np.nan),
        "drift": np.where(enough, trend.p(), np.nan),
        "pace": np.full(size, np.nan) if pace is None else pace.p(least=math.log(SLOWER), side="below"),
        "fast": fast_p,
        "same": same.p,
        "identical": _least_p(pairs, size),
    }
    tests = {name: max(int(np.isfinite(p).sum()), 1) for name, p in raw.items()}
    tests["identical"] = max(compared, 1)
    hasty = tests["pace"] + tests["fast"] if np.isfinite(raw["fast"]).any() else tests["pace"]
    tests["pace"] = tests["fast"] = hasty
    p = {name: np.minimum(values * tests[name], 1.0) for name, values in raw.items()}
    intervals = {
        "deviation": harsh.interval(1 - alpha / tests["deviation"]),
        "correlation": agree.with_others.interval(1 - alpha / size),
        "drift": trend.interval(1 - alpha / tests["drift"]),
    }
    nothing = np.full(size, np.nan)
    ratios = (nothing, nothing) if pace is None else pace.interval(1 - alpha / tests["pace"])
    numbers: dict[str, FloatArray] = {
        "deviation": harsh.estimate,
        "correlation": agree.with_others.estimate,
        "others_correlation": agree.among_others.estimate,
        "repeats_apart": repeats.apart,
        "drift": trend.estimate,
        "pace": nothing if pace is None else np.exp(pace.estimate),
        "pace_low": np.exp(ratios[0]),
        "pace_high": np.exp(ratios[1]),
        **{f"{name}_low": low for name, (low, _) in intervals.items()},
        **{f"{name}_high": high for name, (_, high) in intervals.items()},
        **{f"{name}_p": values for name, values in p.items()},
    }
    numbers["correlation_low"] = np.maximum(numbers["correlation_low"], -1.0)
    numbers["correlation_high"] = np.minimum(numbers["correlation_high"], 1.0)
    counts: dict[str, Any] = {
        "judgments": np.bincount(judged.who, minlength=size),
        "shared": np.bincount(judged.shared().who, minlength=size),
        "topics": harsh.topics,
        "repeats": repeats.repeats,
        "repeats_same": repeats.same,
        "timed": timed,
        "fast": fast,
    }
    rows = []
    for a, name in enumerate(names):
        seconds = measure.seconds[(judged.who == a) & timed_at]
        cells: dict[str, Any] = {what: int(values[a]) for what, values in counts.items()}
        cells |= {what: float(values[a]) for what, values in numbers.items()}
        row = AssessorDossier(
            assessor=name,
            seconds=float(np.median(seconds)) if seconds.size else math.nan,
            why=dict(_reasons(a, measure, harsh, agree.constant, repeats, trend, copied=bool(identical))),
            copies=tuple(names[b] for b in copies[a]) if len(copies[a]) > 1 else (),
            **cells,
        )
        flags = [*_flags(row, tests, alpha, repeats, same, a), *_copied(row, tests, identical, copies[a])]
        rows.append(replace(row, flags=tuple(flags)))
    alike = tuple(
        ((names[pair.a], names[pair.b]), pair.things)
        for pair in pairs
        if pair.same == pair.things >= FEWEST_THINGS and pair.answers > 2 and pair not in identical
    )
    return tuple(rows), float(harsh.p()[0]), alike


def _identical(pair: SameAnswers) -> bool:
    """Whether two give the same answers nearly always."""
    least = IDENTICAL if pair.answers > 2 else IDENTICAL_OF_TWO
    return pair.things >= FEWEST_THINGS and pair.answers > 1 and pair.same >= least * pair.things


def _least_p(pairs: Sequence[SameAnswers], size: int) -> FloatArray:
    """Of every assessor, the smallest p of a pair."""
    p = np.full(size, np.nan)
    for pair in pairs:
        for a in (pair.a, pair.b):
            p[a] = np.fmin(p[a], pair.p)
    return p


def _copies(identical: Sequence[SameAnswers], size: int) -> list[list[int]]:
    """Of every assessor, who gave the same answers, themselves among them."""
    groups = [[a] for a in range(size)]
    for pair in identical:
        together = sorted({*groups[pair.a], *groups[pair.b]})
        for a in together:
            groups[a] = together
    return groups


def _once_each(
    measure: JudgedMeasure, copies: Sequence[Sequence[int]], alpha: float
) -> tuple[AssessorContrasts, Concordance, AssessorContrasts]:
    """Severity, agreement and drift, with one of those who gave the same answers at a time."""
    judged = measure.judged
    turns = []
    for turn in range(max(map(len, copies), default=1)):
        kept = [group[min(turn, len(group) - 1)] for group in copies]
        taken = np.isin(judged.who, kept)
        some = judged.take(taken)
        turns.append(
            (
                severity(some),
                concordance(some, honest=HONEST),
                drift(some, measure.order[taken], level=alpha),
            )
        )
    turn_of = [group.index(a) for a, group in enumerate(copies)]

    def of_each(results: Sequence[Any]) -> Any:
        """The fields of every assessor from the turn that was theirs."""
        made = {}
        for name in (part.name for part in fields(results[0])):
            values = [getattr(result, name) for result in results]
            made[name] = (
                of_each(values)
                if isinstance(values[0], AssessorContrasts)
                else np.array([values[turn][a] for a, turn in enumerate(turn_of)])
            )
        return type(results[0])(**made)

    harsh, agree, trend = (of_each(results) for results in zip(*turns, strict=True))
    return harsh, agree, trend


def _copied(
    row: AssessorDossier, tests: Mapping[Family, int], identical: Sequence[SameAnswers], copies: Sequence[int]
) -> Iterator[AssessorFlag]:
    """That others gave the same answers: of the pair among them that did so in the fewest topics."""
    pairs = [pair for pair in identical if pair.a in copies and pair.b in copies]
    if pairs:
        pair = max(pairs, key=lambda pair: pair.p)
        evidence = {name: getattr(pair, name) for name in ("same", "things", "alike", "topics", "usual")}
        p = min(pair.p * tests["identical"], 1.0)
        yield AssessorFlag("identical", "identical", p, tests["identical"], evidence)


def _fast(measure: JudgedMeasure) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """By assessor: judgments read faster than anybody reads, those of known time and length, and p."""
    from scipy.stats import binom

    size = len(measure.names)
    timed_at = (measure.seconds > 0) & (measure.words > 0)
    speed = np.where(timed_at, measure.words / np.where(timed_at, measure.seconds, 1.0) * 60, 0.0)
    timed = np.bincount(measure.judged.who[timed_at], minlength=size)
    fast = np.bincount(measure.judged.who[timed_at & (speed > FASTEST)], minlength=size)
    return fast, timed, np.where(timed > 0, binom.sf(fast - 1, timed, FAST_PAGES), np.nan)


def _reasons(
    a: int,
    measure: JudgedMeasure,
    harsh: AssessorContrasts,
    constant: np.ndarray,
    repeats: OwnRepeats,
    trend: AssessorContrasts,
    *,
    copied: bool,
) -> Iterator[tuple[str, Reason | Unknown]]:
    """Why something could not be tested of an assessor, by what."""
    if len(measure.names) == 1:
        yield "others", "one-assessor"
        return
    if harsh.others[a] < 1:
        yield "others", "nobody-else"
    elif harsh.others[a] < 2:
        yield "others", "copies-leave-two" if copied and len(measure.names) > 2 else "one-of-two"
    elif harsh.topics[a] < 2:
        yield "topics", "one-topic"
    elif constant[a]:
        yield "erratic", "constant"
    if not repeats.repeats[a]:
        yield "inconsistent", "nothing-twice"
    elif math.isnan(repeats.p[a]):
        yield "inconsistent", "nobody-twice"
    mine = measure.judged.who == a
    if math.isnan(trend.estimate[a]):
        yield "drifting", measure.why_no_order if np.isnan(measure.order[mine]).any() else "no-trend"
    if not (measure.seconds[mine] > 0).any():
        yield "hasty", measure.why_no_time


def _flags(
    row: AssessorDossier,
    tests: Mapping[Family, int],
    alpha: float,
    repeats: OwnRepeats,
    same: Sameness,
    a: int,
) -> Iterable[AssessorFlag]:
    """What is named, with the numbers that it follows from."""

    def flag(code: FlagCode, family: Family, **evidence: float) -> AssessorFlag:
        return AssessorFlag(code, family, getattr(row, f"{family}_p"), tests[family], evidence)

    if row.deviation_p <= alpha:
        yield flag("harsh" if row.deviation < 0 else "mild", "deviation")
    if row.reversed_p <= alpha:
        yield flag("reversed", "reversed")
    elif row.erratic_p <= alpha:
        yield flag("erratic", "erratic")
    if row.inconsistent_p <= alpha:
        others = [(int(n), repeats.apart[k]) for k, n in enumerate(repeats.repeats) if k != a and n]
        total = sum(n for n, _ in others)
        yield flag("inconsistent", "inconsistent", others=total, apart=sum(n * d for n, d in others) / total)
    if row.drift_p <= alpha:
        yield flag("drifting", "drift")
    if row.pace_p <= alpha:
        yield flag("hasty", "pace")
    if row.fast_p <= alpha:
        yield flag("hasty", "fast")
    if row.same_p <= alpha:
        yield flag("all the same", "same", topics=int(same.topics[a]), usual=float(same.usual[a]))
