"""A dossier of every assessor: who is harsh, erratic, drifting, hasty or reversed, and on what evidence.

Every flag is a test's, corrected over the assessors, and topics are the sample; stats/dossiers.py has the mathematics.
Preferences have their own signs, in stats/preference/careless.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from adjudge.analyses.compare.without import ConclusionChanges, conclusion_changes
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed, natural
from adjudge.data.scores import AllLengths, MeasureInfo, heading_of, title_of
from adjudge.judgments.tasks import PROGRAMS, Judged, is_anonymous
from adjudge.stats.dossiers import (
    AssessorContrasts,
    JudgedThings,
    OwnRepeats,
    Sameness,
    concordance,
    drift,
    sameness,
    self_agreement,
    severity,
)
from adjudge.stats.paired import p_words

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.judgments.batch import Judgments
    from adjudge.stats.checks import FloatArray

FlagCode = Literal[
    "harsh", "mild", "erratic", "reversed", "inconsistent", "drifting", "hasty", "all the same"
]

SLOWER = 0.5
"""Readers differ in speed: who takes this share of the median assessor's time or more is not hasty for that."""
FASTEST = 600.0
"""Words a minute, more than anybody reads with understanding (Rayner et al. 2016: 200 to 400 for skilled readers)."""
FAST_PAGES = 0.2
"""The share of pages that may be faster: one looks at a page again, or knows the text."""
HONEST = 0.9
"""Readers differ: whose correlation with the others is this share of theirs with each other is not erratic for that."""
IDLE = 120.0
"""Seconds; a longer pause before an answer counts as that."""
NOBODY_ELSE = "nobody else judged what"
NOTHING_SHARED = "no two assessors judged the same thing"
MOST_LEFT_OUT = 12
"""Assessors up to whom each is left out in turn; beyond, only those who are named."""


@dataclass(frozen=True, slots=True)
class AssessorFlag:
    """One thing that is said of an assessor, with the evidence; p is corrected over the assessors."""

    code: FlagCode
    p: float
    sentence: str


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
    flags: tuple[AssessorFlag, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def codes(self) -> tuple[FlagCode, ...]:
        return tuple(dict.fromkeys(flag.code for flag in self.flags))


@dataclass(frozen=True)
class ComparisonWithout:
    """What the comparison would be without one assessor, or why it cannot be had."""

    assessor: str
    changes: ConclusionChanges | None = None
    why: str = ""


@dataclass(frozen=True, repr=False)
class Dossiers(Pictured, Tabular):
    """What is known of every assessor of one measure."""

    FIGURES: ClassVar[Mapping[str, str]] = {"assessors": "adjudge.analyses.judges.figures:assessors"}

    info: MeasureInfo
    length: int | None
    form: str | None
    rows: tuple[AssessorDossier, ...]
    left_out: tuple[ComparisonWithout, ...]
    alpha: float
    notes: tuple[str, ...] = ()
    """What could not be looked at, and why; what a reader should know of the scores."""
    seed: int = 0

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return title_of(self.info, self.length, self.form)

    @property
    def flagged(self) -> tuple[AssessorDossier, ...]:
        return tuple(row for row in self.rows if row.flags)

    @property
    def signature(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        form = f"|form:{self.form}" if self.form else ""
        return (
            f"{self.info.signature or self.measure}{length}{form}|assessors:{len(self.rows)}|severity:additive"
            f"|agreement:mean-correlation:jackknife|errors:topics|correct:bonferroni:{self.alpha:g}|seed:{self.seed}"
        )

    # In words

    def headline(self) -> str:
        """Who is named, and for what."""
        start = f"On {self.title}"
        number = counted(len(self.rows), "assessor")
        if not self._tested:
            return f"{start} nothing can be said of {number}: {self._why_nothing()}."
        if not self.flagged:
            return f"{start} none of {number} is named{self._untested()}."
        named = [f"{row.assessor} ({', '.join(row.codes)})" for row in self.flagged]
        verb = "is" if len(named) == 1 else "are"
        return f"{start} {len(named)} of {number} {verb} named: {listed(named)}{self._untested()}."

    @property
    def _tested(self) -> dict[str, bool]:
        """By what is looked at, whether it could be tested of anybody."""
        found = {
            "severity": any(math.isfinite(row.deviation_p) for row in self.rows),
            "agreement with the others": any(math.isfinite(row.erratic_p) for row in self.rows),
            "own repeats": any(math.isfinite(row.inconsistent_p) for row in self.rows),
            "drift": any(math.isfinite(row.drift_p) for row in self.rows),
            "haste": any(math.isfinite(row.pace_p) or math.isfinite(row.fast_p) for row in self.rows),
        }
        return found if any(found.values()) else {}

    def _untested(self) -> str:
        not_tested = [name for name, tested in self._tested.items() if not tested]
        return f"; {listed(not_tested)} could not be tested" if not_tested else ""

    def _why_nothing(self) -> str:
        if len(self.rows) > 1 and all(row.shared == 0 for row in self.rows):
            return NOTHING_SHARED
        reasons = dict.fromkeys(why for row in self.rows for why in row.why.values())
        return next(iter(reasons), "too few things were judged by several")

    def sentences(self) -> Iterator[str]:
        """The headline, then the evidence for every flag, and what changes without those who are named."""
        yield self.headline()
        for row in self.flagged:
            for flag in row.flags:
                yield flag.sentence
        named = {row.assessor for row in self.flagged}
        for left in self.left_out:
            if left.assessor in named and left.changes is not None:
                yield left.changes.headline()

    # As tables

    def table(self) -> Table:
        """A row per assessor."""
        level = f"{1 - self.alpha:.0%}"
        return Table(
            name=f"assessors {heading_of(self.info, self.length, self.form)}",
            title=f"{heading_of(self.info, self.length, self.form)}: assessors",
            columns=(
                Column("assessor", right=False),
                Column("judgments"),
                Column("shared", "of them shared"),
                Column("topics", show="never"),
                Column("deviation", format="+.3f"),
                Column("deviation_interval", f"{level} interval", data=False, right=False),
                Column("deviation_low", show="never"),
                Column("deviation_high", show="never"),
                Column("deviation_p", show="never"),
                Column("correlation", "with others"),
                Column("correlation_low", show="never"),
                Column("correlation_high", show="never"),
                Column("others_correlation", "among others"),
                Column("erratic_p", show="never"),
                Column("reversed_p", show="never"),
                Column("repeats", show="never"),
                Column("repeats_same", show="never"),
                Column("repeated", "repeated alike", data=False, show="varies"),
                Column("repeats_apart", show="never"),
                Column("inconsistent_p", show="never"),
                Column("drift", format="+.3f", show=_shown(row.drift for row in self.rows)),
                Column("drift_low", show="never"),
                Column("drift_high", show="never"),
                Column("drift_p", show="never"),
                Column("seconds", "median seconds", format=".1f", show=_shown(r.seconds for r in self.rows)),
                Column("pace", "of median time", format=".2f", show=_shown(row.pace for row in self.rows)),
                Column("pace_low", show="never"),
                Column("pace_high", show="never"),
                Column("pace_p", show="never"),
                Column("timed", show="never"),
                Column("fast", show="never"),
                Column("fast_p", show="never"),
                Column("same_p", show="never"),
                Column("flags", "named", right=False),
            ),
            rows=tuple(self._row(row) for row in self.rows),
            said=tuple(self.sentences()),
            # What the headline gives as its reason is not said again.
            notes=tuple(each for each in self.notes if self._tested or each != self._why_nothing()),
            signature=self.signature,
        )

    def _row(self, row: AssessorDossier) -> tuple[Cell, ...]:
        repeated = f"{row.repeats_same} of {row.repeats}" if row.repeats else None
        return (
            row.assessor,
            row.judgments,
            row.shared,
            row.topics,
            row.deviation,
            _ends(row.deviation_low, row.deviation_high),
            row.deviation_low,
            row.deviation_high,
            row.deviation_p,
            row.correlation,
            row.correlation_low,
            row.correlation_high,
            row.others_correlation,
            row.erratic_p,
            row.reversed_p,
            row.repeats,
            row.repeats_same,
            repeated,
            row.repeats_apart,
            row.inconsistent_p,
            row.drift,
            row.drift_low,
            row.drift_high,
            row.drift_p,
            row.seconds,
            row.pace,
            row.pace_low,
            row.pace_high,
            row.pace_p,
            row.timed,
            row.fast,
            row.fast_p,
            row.same_p,
            ", ".join(row.codes),
        )

    def changes_table(self) -> Table | None:
        """What the comparison of systems would be without each assessor; None where it was not asked for."""
        if not self.left_out:
            return None
        return Table(
            name=f"without {heading_of(self.info, self.length, self.form)}",
            title="The comparison of systems without one assessor",
            columns=(
                Column("assessor", "without", right=False),
                Column("before", "pairs that differ"),
                Column("after", "without"),
                Column("lost", "no longer"),
                Column("found", "only without"),
                Column("turned", "turned round", show="varies"),
                Column("candidates", "candidates for the best", right=False),
                Column("moves", "ranks that move"),
                Column("largest", "by at most"),
                Column("why", "why not", show="varies", right=False),
            ),
            rows=tuple(_left_row(left) for left in self.left_out),
        )

    def tables(self) -> Tables:
        more = self.changes_table()
        return Tables((self.table(), *([more] if more is not None else [])))

    def to_frame(self) -> pd.DataFrame:
        frame = self.table().to_frame()
        frame.insert(0, "measure", self.measure)
        return frame

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json."""
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "length": self.length,
                "form": self.form,
                "headline": self.headline(),
                "sentences": list(self.sentences())[1:],
                "alpha": self.alpha,
                "assessors": [asdict(row) for row in self.rows],
                "without": [
                    {
                        "assessor": left.assessor,
                        **(left.changes.as_dict() if left.changes else {"why": left.why}),
                    }
                    for left in self.left_out
                ],
                "notes": self.notes,
                "signature": self.signature,
            }
        )
        return found


def _shown(cells: Iterable[float]) -> Literal["always", "never"]:
    return "never" if all(map(math.isnan, cells)) else "always"


def _ends(low: float, high: float) -> str | None:
    return None if math.isnan(low) else f"{decimal(low, '+.3f')} to {decimal(high, '+.3f')}"


def _left_row(left: ComparisonWithout) -> tuple[Cell, ...]:
    found = left.changes
    if found is None:
        return (left.assessor, *[None] * 8, left.why)
    same = set(found.candidates_before or ()) == set(found.candidates_after or ())
    return (
        left.assessor,
        found.before,
        found.after,
        len(found.lost),
        len(found.found),
        len(found.turned),
        None if found.candidates_after is None else "the same" if same else listed(found.candidates_after),
        len(found.moves),
        max((abs(move.after - move.before) for move in found.moves), default=0),
        None,
    )


def dossiers(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    alpha: float = 0.05,
    test: str | None = None,
    correct: str = "holm",
    left_out: bool = True,
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> Dossiers:
    """Which assessors are harsh, erratic, drifting, hasty or reversed: `dossiers("my-eval", "rating(aspect=fluency)")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame; the measure's
    rows must say who judged. A folder's judgments also say when, and how long it took. Each kind of flag is a family of
    tests, corrected over the assessors (Bonferroni). `left_out` also compares the systems without each assessor in
    turn, by `test` and `correct` as `compare` has them.
    """
    from adjudge.stats import checks

    checks.share("alpha", alpha)
    found = scores_of(scores, without=without)
    chosen = found.resolve(measure)
    rows = found.table.at(chosen, length=length, form=form)
    if rows["assessor"].isna().all():
        raise UsageError(f"{chosen} has no assessors: nobody's judgments can be looked at")
    gathered = _gather(found, chosen, rows)
    notes = [*found.unsaid_notes(chosen), *gathered.notes]
    examined, more = _examine(gathered, alpha, generator(seed, "assessors/repeats"))
    asked = [row.assessor for row in examined if row.flags or len(examined) <= MOST_LEFT_OUT]
    changed: list[ComparisonWithout] = []
    if left_out and len(examined) > 1:
        changed, why = _left_out(found, chosen, length, form, asked, test, correct, alpha, seed)
        notes += why
        if len(asked) < len(examined):
            more.append(
                f"only those who are named were left out in turn, as there are {len(examined)} assessors"
            )
    return Dossiers(
        info=found.info[chosen],
        length=length if isinstance(length, int) else None,
        form=form,
        rows=examined,
        left_out=tuple(changed),
        alpha=alpha,
        notes=(*notes, *more),
        seed=seed,
    )


def _left_out(
    scores: Scores,
    measure: str,
    length: int | AllLengths | None,
    form: str | None,
    names: Sequence[str],
    test: str | None,
    correct: str,
    alpha: float,
    seed: int,
) -> tuple[list[ComparisonWithout], list[str]]:
    """The comparison without each of some assessors, and why there is none at all."""
    from adjudge.analyses.compare.pairs import compare

    def compared(data: Scores) -> Any:
        return compare(
            data, measure, length=length, form=form, test=test, correct=correct, alpha=alpha, seed=seed
        )

    everyone = replace(scores, everyone=None)
    try:
        before = compared(everyone)
    except DataError as error:
        return [], [f"the systems cannot be compared: {error}"]
    if len(before.standings) < 2:
        return [], ["one system has scores: there is no comparison that an assessor could change"]
    found = []
    for name in names:
        try:
            after = compared(replace(everyone.without(name), everyone=None))
        except (DataError, UsageError) as error:
            found.append(ComparisonWithout(name, why=str(error)))
            continue
        found.append(ComparisonWithout(name, conclusion_changes(before, after, name)))
    return found, []


# What is looked at


@dataclass(frozen=True)
class _Gathered:
    """One measure's judgments as arrays, and what is known of when and how they came about."""

    names: tuple[str, ...]
    judged: JudgedThings
    again: tuple[FloatArray, FloatArray]
    """Own answers to a thing that was judged before: how far apart, and whose."""
    order: FloatArray
    seconds: FloatArray
    words: FloatArray
    notes: tuple[str, ...]
    why_no_order: str
    why_no_time: str
    noun: tuple[str, str]
    """What was judged: a summary, or a page of one with a reference."""


THING = ["topic", "system", "length", "form", "reference"]


def _gather(scores: Scores, measure: str, rows: pd.DataFrame) -> _Gathered:
    import pandas as pd

    there = rows[rows["assessor"].notna()]
    nobody = there["assessor"].map(is_anonymous).astype(bool)
    empty = there["value"].isna() & ~nobody
    notes = [
        f"{counted(n, 'score')} {words} left out"
        for n, words in (
            (len(rows) - len(there), "without an assessor"),
            (int(nobody.sum()), "by anonymous assessors, who are nobody in particular,"),
            (int(empty.sum()), "without a value"),
        )
        if n
    ]
    kept = there[~nobody & ~empty].sort_values([*THING, "assessor", "repeat"], kind="stable")
    if kept.empty:
        raise UsageError(f"{measure} has no scores by anybody in particular")
    names = tuple(sorted((str(each) for each in kept["assessor"].unique()), key=natural))
    thing = kept.groupby(THING, dropna=False, sort=False).ngroup().to_numpy()
    who = kept["assessor"].map({name: k for k, name in enumerate(names)}).to_numpy(dtype=np.int64)
    first = ~pd.DataFrame({"thing": thing, "who": who}).duplicated().to_numpy()
    values = kept["value"].to_numpy(dtype=float)
    base = {(int(i), int(a)): v for i, a, v in zip(thing[first], who[first], values[first], strict=True)}
    later = [
        (v - base[int(i), int(a)], a)
        for i, a, v in zip(thing[~first], who[~first], values[~first], strict=True)
    ]
    topic = pd.factorize(kept["topic"])[0]
    judged = JudgedThings.of(values[first], thing[first], who[first], topic[first], len(names))
    sittings, why_no_order, why_no_time = _sittings(scores, measure)
    order, seconds, words = (np.full(int(first.sum()), np.nan) for _ in range(3))
    for k, row in enumerate(kept[first][[*THING, "assessor"]].itertuples(index=False)):
        key = tuple(None if pd.isna(cell) else cell for cell in row)
        if (sitting := sittings.get(key)) is not None:
            order[k], seconds[k], words[k] = sitting.order, sitting.seconds, sitting.words
    return _Gathered(
        names=names,
        judged=judged,
        again=(np.array([d for d, _ in later], dtype=float), np.array([a for _, a in later], dtype=float)),
        order=order,
        seconds=seconds,
        words=words,
        notes=tuple(notes),
        why_no_order=why_no_order or "nothing says in which order judgments were made",
        why_no_time=why_no_time or "nothing says how long judgments took",
        noun=("page", "pages") if kept["reference"].notna().any() else ("summary", "summaries"),
    )


@dataclass(frozen=True, slots=True)
class _Sitting:
    """When a judgment was made, how long it took, and how many words there were to read."""

    order: float
    seconds: float
    words: float


def _sittings(scores: Scores, measure: str) -> tuple[dict[tuple[Any, ...], _Sitting], str, str]:
    """By what was judged and by whom; and why nothing is known of the order, and of times."""
    kinds = _kinds_judged(scores, measure)
    if not kinds:
        where = "scores do not say when judgments were made, nor how long they took: a folder's judgments do"
        return {}, where, where
    from adjudge.data.collection import load
    from adjudge.data.folder import Folder
    from adjudge.judgments.batch import judgments_if_allowed

    assert scores.folder is not None
    folder = Folder.open(scores.folder)
    collection = load(folder)
    judgments = judgments_if_allowed(folder, collection)
    if judgments.unread:
        return {}, judgments.unread, judgments.unread
    lengths = {(s.topic, s.system, s.length, s.form): len(s.text.split()) for s in collection.all_summaries()}
    own = _tasks(judgments, kinds)
    orders, seconds = _orders(own), _seconds(own)
    found: dict[tuple[Any, ...], _Sitting] = {}
    for judged in own:
        task = judged.task
        assert task.peer is not None
        text = (task.topic, task.peer.system, task.peer.length, task.peer.form)
        reference = task.reference.system if task.reference is not None and "pyramid" not in kinds else None
        found.setdefault(
            (*text, reference, task.assessor),
            _Sitting(
                order=orders.get(task.id, math.nan),
                seconds=seconds.get(task.id, math.nan),
                words=float(lengths.get(text, math.nan)),
            ),
        )
    return found, "", ""


def _kinds_judged(scores: Scores, measure: str) -> tuple[str, ...]:
    """The kinds of the protocols whose tasks a measure's rows come from, one by one."""
    from adjudge.measures.judged.coverage import JudgedCoverage, Unmarked
    from adjudge.measures.judged.pyramid import JudgedPyramid
    from adjudge.measures.judged.quality import Quality, QualityErrors
    from adjudge.measures.judged.rating import Rating
    from adjudge.measures.registry import parse_measure

    if not any(file.origin == "computed" and file.info.measure == measure for file in scores.files):
        return ()
    spec = parse_measure(measure)
    if isinstance(spec, Quality):
        return spec.kinds
    kinds: tuple[tuple[Any, str], ...] = (
        (Rating, "rating"),
        ((JudgedCoverage, Unmarked, QualityErrors), "coverage"),
        (JudgedPyramid, "pyramid"),
    )
    return tuple(kind for classes, kind in kinds if isinstance(spec, classes))


def _tasks(judgments: Judgments, kinds: tuple[str, ...]) -> list[Judged]:
    from adjudge.judgments.protocol import load_protocol

    return [
        judged
        for topic in judgments.by_topic.values()
        for judged in topic
        if judged.task.peer is not None
        and (judgments.protocols.get(judged.task.protocol) or load_protocol(judged.task.protocol)).kind
        in kinds
    ]


def _orders(own: Sequence[Judged]) -> dict[str, float]:
    """When each task was done: by the time of its last answer; where times are not known, by the order of the plan."""
    from adjudge.analyses.preferences.measures import moment_of

    found: dict[str, float] = {}
    by_person: dict[str, list[Judged]] = {}
    for judged in own:
        by_person.setdefault(judged.task.assessor, []).append(judged)
    for mine in by_person.values():
        times = {
            judged.task.id: max(
                (when.timestamp() for e in judged.answers.values() if (when := moment_of(e.answered_at))),
                default=math.nan,
            )
            for judged in mine
        }
        if not any(map(math.isnan, times.values())):
            found |= times
            continue
        places = {judged.task.id: float(judged.task.position) for judged in mine}
        if len(set(places.values())) == len(places) > 1:
            found |= places
    return found


def _seconds(own: Sequence[Judged]) -> dict[str, float]:
    """What each task took a person: the sum of its answers' times, without pauses. Programs take none."""
    from adjudge.analyses.preferences.measures import with_seconds

    events = [e for judged in own for e in judged.answers.values() if e.origin not in PROGRAMS]
    found: dict[str, float] = {}
    unknown: set[str] = set()
    for event, seconds in with_seconds(events):
        if seconds is None or seconds < 0:
            unknown.add(event.task)
        else:
            found[event.task] = found.get(event.task, 0.0) + min(seconds, IDLE)
    return {task: taken for task, taken in found.items() if task not in unknown and taken > 0}


# What is said


def _examine(
    gathered: _Gathered, alpha: float, rng: np.random.Generator
) -> tuple[tuple[AssessorDossier, ...], list[str]]:
    judged, names = gathered.judged, gathered.names
    size = len(names)
    harsh = severity(judged)
    agree = concordance(judged, honest=HONEST)
    trend = drift(judged, gathered.order, level=alpha)
    known = gathered.seconds > 0
    pace = severity(_logs(judged, gathered.seconds, known)) if known.any() else None
    repeats = self_agreement(*gathered.again, size, rng=rng)
    same = sameness(judged)
    fast = _fast(gathered)
    enough = harsh.others >= 2  # of two, nobody can say which one is off
    raw = {
        "deviation": np.where(enough, np.where(harsh.estimate == 0, 1.0, harsh.p()), np.nan),
        "erratic": np.where(enough, agree.contrast.p(side="above"), np.nan),
        "reversed": np.where(
            enough, np.maximum(agree.own.p(side="below"), agree.among_others.p(side="above")), np.nan
        ),
        "inconsistent": np.where(repeats.smallest * max(size, 1) <= alpha, repeats.p, np.nan),
        "drift": np.where(enough, trend.p(), np.nan),
        "pace": np.full(size, np.nan) if pace is None else pace.p(least=math.log(SLOWER), side="below"),
        "fast": fast[2],
        "same": same.p,
    }
    tests = {name: max(int(np.isfinite(p).sum()), 1) for name, p in raw.items()}
    hasty = tests["pace"] + tests["fast"] if np.isfinite(raw["fast"]).any() else tests["pace"]
    tests["pace"] = tests["fast"] = hasty
    p = {name: np.minimum(each * tests[name], 1.0) for name, each in raw.items()}
    ends = {
        "deviation": harsh.interval(1 - alpha / tests["deviation"]),
        "correlation": agree.own.interval(1 - alpha / size),
        "drift": trend.interval(1 - alpha / tests["drift"]),
    }
    counts = np.bincount(judged.who, minlength=size)
    shared = np.bincount(judged.shared().who, minlength=size)
    rows = []
    for a, name in enumerate(names):
        times = gathered.seconds[(judged.who == a) & known]
        low, high = (math.nan, math.nan) if pace is None else _ratio(pace, a, 1 - alpha / tests["pace"])
        row = AssessorDossier(
            assessor=name,
            judgments=int(counts[a]),
            shared=int(shared[a]),
            topics=int(harsh.topics[a]),
            deviation=float(harsh.estimate[a]),
            deviation_low=float(ends["deviation"][0][a]),
            deviation_high=float(ends["deviation"][1][a]),
            deviation_p=float(p["deviation"][a]),
            correlation=float(agree.own.estimate[a]),
            correlation_low=max(float(ends["correlation"][0][a]), -1.0),
            correlation_high=min(float(ends["correlation"][1][a]), 1.0),
            others_correlation=float(agree.among_others.estimate[a]),
            erratic_p=float(p["erratic"][a]),
            reversed_p=float(p["reversed"][a]),
            repeats=int(repeats.repeats[a]),
            repeats_same=int(repeats.same[a]),
            repeats_apart=float(repeats.apart[a]),
            inconsistent_p=float(p["inconsistent"][a]),
            drift=float(trend.estimate[a]),
            drift_low=float(ends["drift"][0][a]),
            drift_high=float(ends["drift"][1][a]),
            drift_p=float(p["drift"][a]),
            seconds=float(np.median(times)) if times.size else math.nan,
            pace=math.nan if pace is None else float(np.exp(pace.estimate[a])),
            pace_low=low,
            pace_high=high,
            pace_p=float(p["pace"][a]),
            timed=int(fast[1][a]),
            fast=int(fast[0][a]),
            fast_p=float(p["fast"][a]),
            same_p=float(p["same"][a]),
            why=dict(_reasons(a, gathered, harsh, agree.constant, repeats, trend)),
        )
        flags = _flags(row, tests, alpha, repeats, same, a, gathered.noun)
        rows.append(replace(row, flags=tuple(flags)))
    return tuple(rows), _notes(rows, harsh, alpha)


def _logs(judged: JudgedThings, seconds: FloatArray, known: np.ndarray) -> JudgedThings:
    return replace(judged, values=np.log(np.where(known, seconds, 1.0))).take(known)


def _ratio(pace: AssessorContrasts, a: int, level: float) -> tuple[float, float]:
    low, high = pace.interval(level)
    return float(np.exp(low[a])), float(np.exp(high[a]))


def _fast(gathered: _Gathered) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """By assessor: judgments read faster than anybody reads, those of known time and length, and p."""
    from scipy.stats import binom

    size = len(gathered.names)
    known = (gathered.seconds > 0) & (gathered.words > 0)
    speed = np.where(known, gathered.words / np.where(known, gathered.seconds, 1.0) * 60, 0.0)
    timed = np.bincount(gathered.judged.who[known], minlength=size)
    fast = np.bincount(gathered.judged.who[known & (speed > FASTEST)], minlength=size)
    return fast, timed, np.where(timed > 0, binom.sf(fast - 1, timed, FAST_PAGES), np.nan)


def _reasons(
    a: int,
    gathered: _Gathered,
    harsh: AssessorContrasts,
    constant: np.ndarray,
    repeats: OwnRepeats,
    trend: AssessorContrasts,
) -> Iterator[tuple[str, str]]:
    """Why something could not be tested of an assessor."""
    name = gathered.names[a]
    if len(gathered.names) == 1:
        yield "others", "there is one assessor, and nobody to compare with"
        return
    if harsh.others[a] < 1:
        yield "others", f"{NOBODY_ELSE} {name} judged"
    elif harsh.others[a] < 2:
        yield "others", "two assessors judged the same things, and it cannot be said which of two is off"
    elif harsh.topics[a] < 2:
        yield (
            "topics",
            f"{name} shares {counted(int(harsh.topics[a]), 'topic')} with others, and a test needs two",
        )
    elif constant[a]:
        yield "erratic", f"all answers of {name} are the same: there is no correlation"
    if not repeats.repeats[a]:
        yield "inconsistent", f"{name} judged nothing twice"
    elif math.isnan(repeats.p[a]):
        yield "inconsistent", "nobody else judged anything twice"
    if math.isnan(trend.estimate[a]):
        mine = gathered.order[gathered.judged.who == a]
        yield "drifting", gathered.why_no_order if np.isnan(mine).any() else "too few topics to see a trend"
    if not (gathered.seconds[gathered.judged.who == a] > 0).any():
        yield "hasty", gathered.why_no_time


def _notes(rows: Sequence[AssessorDossier], harsh: AssessorContrasts, alpha: float) -> list[str]:
    """What could not be looked at, each reason once."""
    reasons: dict[str, dict[str, None]] = {}
    alone = [row.assessor for row in rows if row.why.get("others", "").startswith(NOBODY_ELSE)]
    for row in rows:
        for kind, why in row.why.items():
            if kind != "inconsistent" and not (kind == "others" and row.assessor in alone and len(alone) > 1):
                reasons.setdefault(why, {})[row.assessor] = None
    found = [
        why
        if len(names) == len(rows) or any(name in why for name in names)
        else f"{listed(list(names))}: {why}"
        for why, names in reasons.items()
    ]
    if len(alone) > 1:
        found.insert(
            0,
            NOTHING_SHARED
            if len(alone) == len(rows)
            else f"nobody else judged what {listed(alone)} judged: they are compared with nobody",
        )
    twice = [row for row in rows if row.repeats]
    if not twice:
        found.append("nobody judged anything twice: agreement with oneself cannot be looked at")
    elif not any(math.isfinite(row.inconsistent_p) for row in rows):
        found.append(
            f"{counted(sum(row.repeats for row in rows), 'repeat')} in all: too few to find that somebody repeats own"
            " answers worse than the others"
        )
    found += _of_two(rows, harsh, alpha)
    return found


def _of_two(rows: Sequence[AssessorDossier], harsh: AssessorContrasts, alpha: float) -> Iterator[str]:
    """Of two assessors: that they differ, without saying which one is off."""
    if len(rows) != 2 or harsh.others[0] != 1:
        return
    one, other = rows
    p = float(harsh.p()[0])
    if p <= alpha:
        word = "above" if one.deviation > 0 else "below"
        low, high = sorted(abs(end) for end in (one.deviation_low, one.deviation_high))
        yield (
            f"{one.assessor} is {abs(one.deviation):.3f} {word} {other.assessor} on the same things"
            f" ({low:.3f} to {high:.3f}, {p_words(p, alpha)})"
        )
    if one.correlation_high < 0:
        yield (
            f"{one.assessor} and {other.assessor} order things in opposite ways (correlation {one.correlation:.2f},"
            f" {one.correlation_low:.2f} to {one.correlation_high:.2f}): one of them may read the scale the wrong way"
            " round"
        )


def _flags(
    row: AssessorDossier,
    tests: Mapping[str, int],
    alpha: float,
    repeats: OwnRepeats,
    same: Sameness,
    a: int,
    noun: tuple[str, str],
) -> Iterator[AssessorFlag]:
    """What is named, with the numbers that it follows from."""

    def basis(p: float, name: str, how: str) -> str:
        over = f", corrected over {counted(tests[name], 'test')}" if tests[name] > 1 else ""
        return f"{how}, {p_words(p, alpha)}{over}"

    who, level = row.assessor, f"{1 - alpha:.0%}"
    on = f"on the {counted(row.shared, *noun)} that others judged too"
    over = f"over {counted(row.topics, 'topic')}"
    if row.deviation_p <= alpha:
        code: FlagCode = "harsh" if row.deviation < 0 else "mild"
        word = "below" if row.deviation < 0 else "above"
        ends = " to ".join(
            decimal(abs(e), ".3f") for e in sorted((row.deviation_low, row.deviation_high), key=abs)
        )
        yield AssessorFlag(
            code,
            row.deviation_p,
            f"{who} is {code}: {decimal(abs(row.deviation), '.3f')} {word} the median assessor {on}"
            f" ({level} interval {ends}; {basis(row.deviation_p, 'deviation', f't {over}')}).",
        )
    between = (
        f"the mean correlation with the others is {decimal(row.correlation, '.2f')}, theirs with each other"
    )
    between += f" {decimal(row.others_correlation, '.2f')} {on}"
    if row.reversed_p <= alpha:
        yield AssessorFlag(
            "reversed",
            row.reversed_p,
            f"{who} is reversed: {between} ({basis(row.reversed_p, 'reversed', f'jackknife {over}')}). Is the scale"
            " read the wrong way round?",
        )
    elif row.erratic_p <= alpha:
        yield AssessorFlag(
            "erratic",
            row.erratic_p,
            f"{who} is erratic, or sees things otherwise: {between}"
            f" ({basis(row.erratic_p, 'erratic', f'less than {HONEST:g} of it, jackknife {over}')}).",
        )
    if row.inconsistent_p <= alpha:
        others = [int(each) for k, each in enumerate(repeats.repeats) if k != a]
        total = sum(others)
        apart = sum(n * repeats.apart[k] for k, n in enumerate(repeats.repeats) if k != a and n) / total
        yield AssessorFlag(
            "inconsistent",
            row.inconsistent_p,
            f"{who} is inconsistent: {row.repeats_same} of {row.repeats} answers given again are the same, and they"
            f" are {decimal(row.repeats_apart, '.3f')} apart on average, the others' {total} {decimal(apart, '.3f')}"
            f" ({basis(row.inconsistent_p, 'inconsistent', 'permutation')}).",
        )
    if row.drift_p <= alpha:
        word = "up" if row.drift > 0 else "down"
        ends = " to ".join(decimal(e, "+.3f") for e in (row.drift_low, row.drift_high))
        yield AssessorFlag(
            "drifting",
            row.drift_p,
            f"{who} is drifting: {word} by {decimal(abs(row.drift), '.3f')} from the first judgment to the last,"
            f" compared with the others ({level} interval {ends}; {basis(row.drift_p, 'drift', f'slope {over}')}).",
        )
    if row.pace_p <= alpha:
        yield AssessorFlag(
            "hasty",
            row.pace_p,
            f"{who} is hasty: takes {row.pace:.2f} times as long as the median assessor for the same {noun[1]}"
            f" ({level} interval {row.pace_low:.2f} to {row.pace_high:.2f};"
            f" {basis(row.pace_p, 'pace', f'less than {SLOWER:g} times, t {over}')}).",
        )
    if row.fast_p <= alpha:
        yield AssessorFlag(
            "hasty",
            row.fast_p,
            f"{who} is hasty: {row.fast} of {row.timed} judgments leave time for more than {FASTEST:g} words a minute,"
            f" which nobody reads ({basis(row.fast_p, 'fast', f'binomial, more than {FAST_PAGES:.0%}')}).",
        )
    if row.same_p <= alpha:
        yield AssessorFlag(
            "all the same",
            row.same_p,
            f"{who} gives one answer to everything in {counted(int(same.topics[a]), 'topic')}; the median of the"
            f" others, one topic added, gives one throughout in {same.usual[a]:.0%} of topics"
            f" ({basis(row.same_p, 'same', 'the chance of that in every topic')}).",
        )
