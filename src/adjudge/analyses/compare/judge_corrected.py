"""Systems compared with a judge's scores, corrected by people's: prediction-powered inference of all pairs.

A judge (a program, a measure, whoever is named) scored more topics than people did. Every pair's difference is
estimated from people's differences on the topics that they judged and the judge's on all; the judge can only make it
surer, not move it on average, however wrong the judge is, if the topics that people judged were drawn at random. The
mathematics are in stats/ppi.py, of shares of yes without labels in stats/screening.py, of strengths from preferences
in stats/preference/influence.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.analyses.best import best_words
from adjudge.analyses.conclusions import (
    ALIKE,
    CONCLUSIONS,
    DIFFERENT,
    Conclusion,
    PairIntervals,
    Tested,
    Untold,
    conclude,
    pair_intervals,
)
from adjudge.analyses.scores import Among, Scores, Source, scores_of
from adjudge.analyses.tests import ALPHA, CORRECTION_BY, LEVEL, Choices, choices, one_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.errors import among as among_known
from adjudge.core.table import Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed, number_word
from adjudge.data.scores import AllLengths, MeasureInfo, Pool, ScoreTable
from adjudge.measures.registry import parse_measure
from adjudge.measures.spec import judge_of, same_name

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from adjudge.formats.preferences import PreferenceSource
    from adjudge.judgments.pairs.answers import Preferences
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.paired import Alternative
    from adjudge.stats.ppi import PoweredMean
    from adjudge.stats.screening import Screening

Intervals = Literal["agreeing", "pointwise"]
Method = Literal["ppi++", "rogan-gladen", "none"]
PPI = "ppi++"
LOGS = "Bradley-Terry log strengths"
REFUSED, UNLIKELY = 0.001, 0.05
"""p of a random draw of the topics that people judged: up to the first it is refused, up to the second it is said."""
TOO_SHORT = "the interval rests on the few others, and may be too short"
MOST_PAIRS = 45
"""Pairs up to which their table is shown unasked: those of ten systems."""


# What is asked for


def compare_corrected(
    scores: Source,
    measure: str | None = None,
    *,
    judge: str,
    length: int | AllLengths | None = None,
    form: str | None = None,
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    among: Among = "all",
    alpha: float = ALPHA,
    level: float = LEVEL,
    pool: Pool = "mean",
    pool_humans: bool = False,
    intervals: str = "agreeing",
    at_random: bool = False,
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> CorrectedComparison:
    """Which systems differ by people's `measure`, with a judge's scores of more topics corrected by people's.

    `judge` names an assessor of the measure, or a measure of its own; in a folder also a judge whose scores are the
    measure with `by=NAME`. Everybody else is people. Each pair has its own lambda (PPI++), its variance has n - 2
    degrees of freedom, and p-values are corrected over all pairs: holm, bonferroni, bh or none.

    What is said holds if the topics that people judged were drawn at random. Where the judge's scores of these topics
    are plainly others than of the rest, nothing is computed unless `at_random` says that they were.
    """
    import numpy as np

    chosen = corrected_choices(
        correct=correct, against=against, side=side, alpha=alpha, level=level, seed=seed
    )
    wanted: Intervals = one_of("sort of intervals", intervals, get_args(Intervals))
    found = scores_of(scores, without=without)
    people, judged = _split(found, measure, judge)
    name, program = people.measures[0], judged.measures[0]
    matrices = [
        each.matrix(
            which, length=length, form=form, among=among, pool=pool, pool_humans=pool_humans
        ).averaged()
        for each, which in ((people, name), (judged, program))
    ]
    own, its = matrices
    topics = tuple(dict.fromkeys([*own.topics, *its.topics]))
    yes_no = _yes_or_no(people.frame) and _yes_or_no(judged.frame)
    systems = [s for s in own.systems if s in its.systems]
    systems += [s for s in its.systems if yes_no and s not in systems]
    if not systems:
        raise DataError(f"{judge} and people have no system in common")
    given, scored = (_placed(each, topics, systems) for each in matrices)
    both = ~np.isnan(given) & ~np.isnan(scored)
    rows = people.table.at(name, length=length, form=form)
    pooled = own.together.systems if own.together else ()
    rows = rows[
        rows["value"].notna()
        & rows["topic"].isin([topics[k] for k in np.flatnonzero(both.any(axis=1))])
        & rows["system"].isin([*systems, *pooled])
    ]
    behind = _placed(replace(own, values=own.counts), topics, systems)
    turned = {own.info.better, its.info.better} == {"higher", "lower"}
    asked = _Asked(
        title=own.title,
        heading=own.heading,
        info=own.info,
        signature=f"{own.signature}|judge:{judge}:{its.signature.replace('|', ':')}|pool:{pool}",
        judge=judge,
        assessors=tuple(sorted(rows["assessor"].dropna().unique())),
        judgments=np.where(both, behind, 0).sum(axis=1),
        # A scale that nobody declared may be any: a judge's may be a twentieth of people's.
        same_scale=its.info.range == own.info.range
        and None not in own.info.range
        and name.split("(")[0] == program.split("(")[0],
        yes_no=yes_no,
        kinds=found.kinds_of(systems),
        judge_means=np.array([_mean(column) for column in scored.T]),
        target=dict(own.target._asdict()),
        notes=(
            *found.unsaid_notes(name),
            *_left_out(own.systems, its.systems, judge, yes_no),
        ),
        choices=chosen,
        intervals=wanted,
        at_random=at_random,
    )
    return _corrected(
        asked,
        topics=topics,
        systems=tuple(systems),
        people=given,
        judged=-scored if turned else scored,  # a judge's low scores may go with people's high ones
        family=lambda names: found.pairs_among(names, among),
    )


def corrected_choices(
    *,
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    alpha: float = ALPHA,
    level: float = LEVEL,
    seed: int = 0,
) -> Choices:
    """How pairs are compared: by Student's t on corrected differences, with a correction of p-values."""
    if correct.startswith("westfall-young"):
        raise UsageError(
            f"--correct {correct} swaps topics, which a judge's scores have no test for: choose holm, bonferroni, bh"
            " or none"
        )
    return choices(test="t", correct=correct, against=against, side=side, alpha=alpha, level=level, seed=seed)


def _split(scores: Scores, measure: str | None, judge: str) -> tuple[Scores, Scores]:
    """People's scores of a measure, and the judge's of the same things, each with one measure."""
    known = scores.all_measures()
    own = same_name(judge, known)
    if measure is None:
        others = [m for m in known if m != own and judge_of(m) is None]
        if len(others) > 1:
            raise UsageError(
                f"{scores.name} has several measures ({listed(others)}): choose the one that people gave with"
                f" {scores._choose}"
            )
        measure = others[0] if others else known[0]
    name = scores.resolve(measure)
    if (other := judge_of(name)) is not None:
        raise UsageError(f"{name} is of the judge {other}: name the measure that people gave")
    if name == own:
        raise UsageError(f"{judge} cannot be corrected by itself: name the measure that people gave")
    rows, info = scores.table.of(name), scores.info[name]
    mine = rows["assessor"] == judge
    if mine.any():
        if mine.all():
            raise DataError(f"{judge} alone gave scores of {name}: there is nobody to correct it by")
        its, about = rows[mine], replace(info, signature=f"{info.signature or name}|by:{judge}")
        return _alone(scores, rows[~mine], info), _alone(scores, its, about)
    if own is None:
        own = _by_judge(scores, name, judge)
    return _alone(scores, rows, info), _alone(scores, scores.table.of(own), scores.info[own])


def _by_judge(scores: Scores, name: str, judge: str) -> str:
    """The folder's measure with the judge's name in it; what is missing is said with how to get it."""
    if scores.folder is not None and ":" not in name.partition("(")[0]:
        measure: Any = parse_measure(name)
        if any(each.name == "by" for each in fields(measure)):
            return scores.resolve(str(replace(measure, by=judge)))
    who = scores.assessors(name)
    there = [*who, *(m for m in scores.measures if m != name)]
    raise UsageError(
        f"{scores.name} has no scores by {quoted(judge)}: no assessor of {name} and no measure is called so"
        f"{among_known(judge, there) if there else ''}"
    )


def _alone(scores: Scores, rows: pd.DataFrame, info: MeasureInfo) -> Scores:
    return replace(scores, table=ScoreTable.from_frame(rows, [info]), files=(), folder=None)


def _yes_or_no(rows: pd.DataFrame) -> bool:
    values = rows["value"].dropna()
    return bool(values.isin([0.0, 1.0]).all())


def _left_out(own: Sequence[str], its: Sequence[str], judge: str, yes_no: bool) -> Iterator[str]:
    if alone := [s for s in own if s not in its]:
        yield f"{judge} did not judge {listed(alone)}: left out"
    if not yes_no and (unseen := [s for s in its if s not in own]):
        yield f"people did not judge {listed(unseen)}: left out"


def _placed(matrix: Any, topics: Sequence[str], systems: Sequence[str]) -> FloatArray:
    """A matrix's values in the places of these topics and systems; NaN where there is none."""
    found: FloatArray = matrix.to_frame().reindex(index=list(topics), columns=list(systems)).to_numpy(float)
    return found


# Strengths from preferences


def prefer_corrected(
    source: PreferenceSource | Preferences,
    *,
    judge: str,
    title: str | None = None,
    columns: Mapping[str, str] | None = None,
    topics: Sequence[str] = (),
    level: float = LEVEL,
    at_random: bool = False,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> CorrectedComparison:
    """Bradley-Terry log strengths from people's duels, made surer by a judge's duels on more topics.

    The source is a file, a DataFrame, the systems of an evaluation's folder, or answers that were read already. What a
    topic adds to people's strengths takes the place of its scores, so that each pair has its own lambda, and its
    variance is the topic-clustered sandwich with n - 2 degrees of freedom. A tie is half a win.
    """
    import numpy as np

    from adjudge.judgments.pairs.answers import Preferences as Answers
    from adjudge.stats.preference.influence import NO_MAXIMUM, has_maximum, log_strengths, topic_strengths

    given, name = _preferences(source, judge, columns)
    given = given.only(topics) if topics else given
    if judge not in given.assessors:
        raise UsageError(f"no answers by {quoted(judge)}{among_known(judge, given.assessors)}")
    if not given.topics:
        raise DataError("the answers do not say on which topic they were given: topics are what is sampled")
    everything = list(given.rows())
    rows = [[r for r in everything if (r.assessor == judge) == whose] for whose in (False, True)]
    met = [{item for r in some for item in (r.left, r.right)} for some in rows]
    items = [item for item in given.items if item in met[0] & met[1]]
    if len(items) < 2:
        raise DataError(f"{judge} and people have fewer than two items in common")
    left = [item for item in given.items if item in met[0] ^ met[1]]
    rows = [[r for r in some if {r.left, r.right} <= {*items}] for some in rows]
    order = tuple(dict.fromkeys(r.topic for some in rows for r in some))
    shared = {r.topic for r in rows[0]} & {r.topic for r in rows[1]}
    answers = []
    for some in rows:
        found = Answers.of(some, items=items)
        place = np.array([order.index(topic) for topic in found.topics])
        answers.append(replace(found.answers, cluster=place[found.answers.cluster]))
    fitted = topic_strengths(answers[0], answers[1], len(order))
    if fitted is None:
        raise DataError(NO_MAXIMUM)
    from adjudge import __version__

    asked = _Asked(
        title=LOGS,
        heading=f"{title or name}: {LOGS}",
        info=MeasureInfo("log-strength", better="higher"),
        signature=f"bradley-terry|items:{len(items)}|answers:{len(rows[0])}|judge:{judge}:{len(rows[1])}"
        f"|ties:half|v:{__version__}",
        judge=judge,
        assessors=tuple(sorted({r.assessor for r in rows[0] if r.assessor and r.topic in shared})),
        judgments=np.bincount(answers[0].cluster, minlength=len(order)),
        same_scale=False,
        kinds={},
        judge_means=log_strengths(answers[1]) if has_maximum(answers[1]) else np.full(len(items), np.nan),
        notes=(
            *given.notes,
            *notes,
            *([f"not judged by both {judge} and people: {listed(left)}, left out"] if left else ()),
        ),
        choices=corrected_choices(alpha=round(1 - level, 12), level=level, seed=seed),
        intervals="agreeing",
        at_random=at_random,
        unit="answer",
    )
    return _corrected(
        asked, topics=order, systems=tuple(items), people=fitted.people, judged=fitted.judge, family=None
    )


def _preferences(
    source: PreferenceSource | Preferences, judge: str, columns: Mapping[str, str] | None
) -> tuple[Preferences, str]:
    """Everybody's answers, the judge's among them, and what they are of."""
    from adjudge.data.collection import load
    from adjudge.data.folder import Folder
    from adjudge.formats.preferences import preferences_of, read_preferences
    from adjudge.judgments.batch import judgments_if_allowed
    from adjudge.judgments.pairs.answers import Preferences as Answers
    from adjudge.judgments.pairs.answers import system_preferences

    if isinstance(source, Answers):
        return source, "systems"
    if not isinstance(source, str | Path):
        return preferences_of(source, columns=columns), type(source).__name__
    if str(source) != "-" and Path(source).is_dir():
        folder = Folder.open(source)
        collection = load(folder)
        judgments = judgments_if_allowed(folder, collection).with_judges([judge])
        return system_preferences(collection, judgments), "systems"
    return read_preferences(source, columns=columns), "stdin" if str(source) == "-" else Path(source).name


# The comparison


@dataclass(frozen=True)
class _Asked:
    """What is known of the scores, and how they are to be compared."""

    title: str
    heading: str
    info: MeasureInfo
    signature: str
    judge: str
    assessors: tuple[str, ...]
    judgments: npt.NDArray[Any]
    """People's, by topic: those of summaries that the judge judged too."""
    same_scale: bool
    """Both on one declared scale, so that lambda is kept up to 1."""
    kinds: Mapping[str, str]
    choices: Choices
    intervals: Intervals
    at_random: bool
    notes: tuple[str, ...] = ()
    yes_no: bool = False
    judge_means: FloatArray | None = None
    target: Mapping[str, Any] = field(default_factory=dict)
    unit: str = "judgment"


@dataclass(frozen=True)
class CorrectedStanding:
    """One system's place: people's mean, the judge's, and the corrected one with its interval."""

    system: str
    rank: int | None
    labelled: int
    """Topics that people and the judge judged."""
    judged: int
    """Topics that the judge judged."""
    people: float
    """People's mean, over the topics that they judged."""
    judge: float
    """The judge's mean, over the topics that it judged."""
    mean: float
    low: float
    high: float
    weight: float
    """Lambda of the corrected mean."""
    method: Method
    group: str
    best: int | None
    worst: int | None
    few_values: bool = False
    """Most of people's scores are the same, and the interval may be too short."""
    why: str | None = None

    @property
    def excludes_people(self) -> bool:
        """People's own mean of this system lies outside the interval."""
        return self.people < self.low or self.people > self.high

    @property
    def interval(self) -> str | None:
        return None if self.low != self.low else f"{decimal(self.low)} to {decimal(self.high)}"

    @property
    def ranks(self) -> str | None:
        if self.best is None:
            return None
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True)
class CorrectedPair:
    """Two systems: people's difference, the corrected one, and what the judge added. The first less the second."""

    a: str
    b: str
    labelled: int
    unlabelled: int
    weight: float
    """Lambda."""
    people: float
    people_low: float
    people_high: float
    difference: float
    low: float
    high: float
    ratio: float
    """The corrected difference's variance, as a share of that of people's alone."""
    effective: float
    """As if people had judged so many topics."""
    statistic: float
    df: float
    p: float
    p_adjusted: float
    conclusion: Conclusion
    skewness: float = math.nan
    """Of people's differences, less what the judge accounts for."""
    skewed: bool = False
    """These, or the judge's differences on all topics, are too skewed for Student's t with so few labels."""
    few_values: bool = False
    """Most of people's differences are the same, and the interval may be too short."""
    all_labelled: int = 0
    """Topics on which people judged both, whether the judge did or not."""
    all_people: float = math.nan
    """People's difference on all these topics, with Student's interval."""
    all_people_low: float = math.nan
    all_people_high: float = math.nan
    why: str | None = None

    @property
    def saved(self) -> float:
        """Topics that people need not judge; 0 where the judge gives nothing beyond all that people judged."""
        return max(0.0, self.effective - self.all_labelled)

    def ends(self) -> str:
        """`0.103 to 0.519`; an end that a step-down test cuts at 0 is `above 0` or `below 0`, which is not in it."""
        cut = self.conclusion == "differ"
        low = "above 0" if cut and self.low == 0 else _end(self.low)
        return f"{low} to {'below 0' if cut and self.high == 0 else _end(self.high)}"


@dataclass(frozen=True, repr=False)
class CorrectedComparison(Tabular):
    """A ranking of systems by people's measure, with a judge's scores corrected by people's."""

    title: str
    heading: str
    info: MeasureInfo
    judge: str
    assessors: tuple[str, ...]
    topics: tuple[str, ...]
    labelled: tuple[str, ...]
    """The topics that people judged, and the judge too."""
    standings: tuple[CorrectedStanding, ...]
    pairs: tuple[CorrectedPair, ...]
    better: BoolArray
    """Systems x systems, in the order of the standings: whether one is significantly better than the other."""
    complete: bool
    """Every pair was asked for, so that letters and rank intervals mean something."""
    choices: Choices
    intervals: PairIntervals
    judgments: int
    """People's, of summaries that the judge judged too."""
    random_p: float
    """How often labels drawn at random would differ as much in the judge's scores."""
    said_at_random: bool
    screening: Screening | None = None
    """How the judge's yes and no agree with people's, where some system's share was corrected by that."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signature: str = ""
    unit: str = "judgment"

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def _words(self) -> tuple[str, str]:
        """What systems have of the measure, and what the judge gave: means of scores, or strengths from answers."""
        return ("mean", "scores") if self.unit == "judgment" else ("log strength", "answers")

    @property
    def unlabelled(self) -> int:
        return len(self.topics) - len(self.labelled)

    def standing(self, system: str) -> CorrectedStanding:
        return next(each for each in self.standings if each.system == system)

    def pair(self, a: str, b: str) -> CorrectedPair:
        """The pair of two systems, in the order in which it is compared."""
        return next(each for each in self.pairs if {each.a, each.b} == {a, b})

    def count(self, conclusion: Conclusion) -> int:
        return sum(pair.conclusion == conclusion for pair in self.pairs)

    def candidates(self) -> list[str] | None:
        """The systems that nobody is significantly better than; None where not every pair was asked for."""
        from adjudge.analyses.best import candidates

        return [self.standings[j].system for j in candidates(self.better)] if self.complete else None

    # In words

    @property
    def _who(self) -> str:
        """`these two assessors`; `the people who judged` where nobody is named."""
        size = len(self.assessors)
        if not size:
            return "the people who judged"
        return "this one assessor" if size == 1 else f"these {number_word(size)} assessors"

    def headline(self) -> str:
        """Who may be the best by people's measure, and how many pairs differ."""
        start = f"On {self.title}, {self.judge} corrected by people"
        tested = [pair for pair in self.pairs if not math.isnan(pair.p)]
        if not self.pairs:
            return f"{start}: no pair of systems was asked for."
        if not tested:
            return f"{start}: no pair of systems could be tested: {self.pairs[0].why}."
        differ, total = self.count("differ"), len(self.pairs)
        if differ:
            tally = (
                f"{differ:,} of {counted(total, 'pair')} of systems {'differs' if differ == 1 else 'differ'}"
            )
        elif total == 1:
            tally = "the two are not significantly different"
        else:
            tally = f"none of {counted(total, 'pair')} of systems differs significantly"
        if rest := total - len(tested):
            tally += f", {rest:,} could not be tested"
        top = ""
        if self.complete:
            names = [s.system for s in self.standings]
            top = best_words(self.better, names, directed=self.info.better is not None)
            if names[0] not in (self.candidates() or names):
                word = "best" if self.info.better else "highest"
                top += f", although {names[0]} has the {word} {self._words[0]}"
        elif self.choices.against is not None:
            top = self._against()
        return f"{start}, {top}{'; ' if top else ''}{tally}."

    def _against(self) -> str:
        high, low = ("better", "worse") if self.info.better else ("higher", "lower")
        sign = -1 if self.info.better == "lower" else 1
        found = [pair for pair in self.pairs if pair.conclusion == "differ"]
        said = [
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
            for word, names in (
                (high, [pair.a for pair in found if pair.difference * sign > 0]),
                (low, [pair.a for pair in found if pair.difference * sign < 0]),
            )
            if names
        ]
        return f"{' and '.join(said)} than {self.choices.against}" if said else ""

    def saving(self) -> str:
        """What the judge saves in human judgments, also where that is nothing."""
        import numpy as np

        found = [pair for pair in self.pairs if not math.isnan(pair.effective)]
        if not self._further:
            return f"{self.judge} judged no topic that people did not judge: it saves no human {self.unit}s."
        if not found:
            return f"What {self.judge} saves in human {self.unit}s cannot be told: no pair could be compared."
        each, own = ([getattr(pair, name) for pair in found] for name in ("effective", "all_labelled"))
        least, middle, most = (
            math.floor(value + 1e-9) for value in (min(each), float(np.median(each)), max(each))
        )
        spared = math.floor(float(np.median(np.subtract(each, own))) + 1e-9)
        several = f"the median of {counted(len(found), 'pair')}; {least:,} to {most:,}"
        further = _span([pair.unlabelled for pair in found], "further topic")
        judged = _span(own)
        if apart := any(pair.all_labelled > pair.labelled for pair in found):
            judged += (
                f", {_span([pair.labelled for pair in found])} of them with {self.judge}'s {self._words[1]}"
            )
        over = f" ({several})" if len(found) > 1 else ""
        if spared <= 0:
            rather = ": compare people's scores alone, without --judge" if apart else ""
            return (
                f"{self.judge} saves no human {self.unit}s: with its {self._words[1]} on {further} differences are"
                f" known as if people had judged {counted(middle, 'topic')}{over}, and they judged {judged}{rather}."
            )
        per_topic = self.judgments / float(np.median([pair.labelled for pair in found]))
        return (
            f"With {self.judge}'s {self._words[1]} on {further} differences are known as if"
            f" people had judged {counted(middle, 'topic')} instead of {judged}{over}: an estimated saving of"
            f" {counted(spared, 'topic')}, about {counted(round(spared * per_topic), f'human {self.unit}')}."
        )

    @property
    def _further(self) -> int:
        """The most topics that the judge added to any pair."""
        return max((pair.unlabelled for pair in self.pairs), default=self.unlabelled)

    def validity(self) -> str:
        """Under which conditions the intervals hold, and for whom."""
        even = "differences between systems are not very skewed"
        if not self._further:
            return (
                f"People judged every topic, and the intervals are from their scores alone; they hold for {self._who},"
                f" if {even}."
            )
        who = (
            f"people and {self.judge}"
            if any(pair.all_labelled > pair.labelled for pair in self.pairs)
            else "people"
        )
        drawn = f"the {counted(len(self.labelled), 'topic')} that {who} judged"
        if not self.unlabelled:
            drawn = "the topics on which people judged both systems of a pair"
        said = ", as was said," if self.said_at_random else ""
        return (
            f"The intervals hold for {self._who}, if {drawn} were drawn at random from all"
            f" {len(self.topics):,}{said} and {even}; {self.judge}'s {self._words[1]} alone decide nothing."
        )

    def sentences(self) -> Iterator[str]:
        """The headline, the saving, when it holds, and every pair that differs."""
        yield self.headline()
        yield self.saving()
        yield self.validity()
        for pair in self.pairs:
            if pair.conclusion == "differ":
                yield self.pair_sentence(pair)

    def pair_sentence(self, pair: CorrectedPair) -> str:
        """`A is better than B by 0.31 (0.10 to 0.52) ...`, or that nothing was found."""
        if pair.why is not None and math.isnan(pair.p):
            return f"{pair.a} and {pair.b} could not be compared: {pair.why}."
        one = f"(corrected difference {decimal(pair.difference, '+.3f')}"
        if not math.isnan(pair.low) and not math.isnan(pair.high):
            one += f", {pair.ends()}"
        one += f"; people's alone {decimal(pair.people, '+.3f')}; lambda {decimal(pair.weight, '.2f')}; p"
        one += f" {pair.p_adjusted:.2g}; as if {math.floor(pair.effective + 1e-9):,} topics had been judged"
        one += f" instead of {pair.labelled:,})"
        if pair.conclusion != "differ":
            return f"{pair.a} and {pair.b} are not significantly different {one}."
        up = (pair.difference > 0) == (self.info.better != "lower")
        word = ("better" if up else "worse") if self.info.better else ("higher" if up else "lower")
        return f"{pair.a} is {word} than {pair.b} {one}."

    def warnings(self) -> list[str]:
        """What a reader should know before believing the table."""
        found = list(self.notes)
        if self.random_p <= UNLIKELY:
            found.append(
                f"{self.judge}'s {self._words[1]} on the topics that people judged differ from those on the others more"
                f" than random draws of topics usually do (permutation test, p = {self.random_p:.2g}): if people's"
                " topics were not drawn at random, the intervals do not hold"
            )
        if skewed := sum(pair.skewed for pair in self.pairs):
            found.append(
                f"differences, people's or {self.judge}'s, are very skewed in {counted(skewed, 'pair')}, as ratings at"
                " the end of their scale and rare large differences are: there Student's t errs more often than it"
                " says, and few labelled topics hardly show what is rare"
            )
        if few := [s.system for s in self.standings if s.few_values]:
            found.append(f"most of people's scores are the same for {listed(few)}: {TOO_SHORT}")
        if same := [pair for pair in self.pairs if pair.few_values]:
            which = f"{same[0].a} and {same[0].b}" if len(same) == 1 else counted(len(same), "pair")
            found.append(f"most of people's differences are the same for {which}: {TOO_SHORT}")
        found += [
            f"{s.system}: people's own mean, {decimal(s.people)}, lies outside the interval of the corrected one,"
            f" {s.interval}; {self._apart(s)}"
            for s in self.standings
            if s.excludes_people
        ]
        if (turned := self._turned()) > 0:
            found.append(
                f"every pair has its own lambda: in {counted(turned, 'pair')} the corrected difference has another sign"
                f" than the difference of the corrected {self._words[0]}s"
            )
        found += [f"{s.system}: {s.why}" for s in self.standings if s.why]
        if whys := {pair.why: pair for pair in self.pairs if pair.why}:
            for why, pair in whys.items():
                many = sum(each.why == why for each in self.pairs)
                which = f"{pair.a} and {pair.b}" if many == 1 else counted(many, "pair")
                found.append(f"{which} not tested: {why}")
        if self.screening is not None:
            found.append(self._screening_words(self.screening))
        return found

    def _apart(self, s: CorrectedStanding) -> str:
        """Why people's own mean of a system may lie outside the interval."""
        if s.method == "rogan-gladen":
            return (
                f"with {counted(s.labelled, 'topic')} labelled the share is from {self.judge}'s errors on all systems,"
                " and on this one it may err otherwise"
            )
        return (
            f"{self.judge}'s {self._words[1]} say that the topics which people judged are unlike the others"
        )

    def _turned(self) -> int:
        means = {s.system: s.mean for s in self.standings}
        return sum((means[p.a] - means[p.b]) * p.difference < 0 for p in self.pairs)

    def _screening_words(self, found: Screening) -> str:
        names = [s.system for s in self.standings if s.method == "rogan-gladen"]
        return (
            f"the share of {listed(names)} is {self.judge}'s, corrected by its sensitivity {found.sensitivity:.2f} and"
            f" specificity {found.specificity:.2f} on all systems' labelled summaries (Rogan and Gladen; interval by"
            " Lang and Reiczigel): it holds if the judge errs on these systems as on the others, and summaries are"
            " independent"
        )

    # As tables

    def table(self) -> Table:
        """The league table."""
        of = self._words[0]
        interval = Column("interval", f"{self.choices.level:.0%} interval", data=False, right=False)
        columns = [Column("rank", ""), Column("system", right=False)]
        if self.kinds:
            columns.append(Column("kind", show="varies"))
        columns += [
            Column("labelled", "by people"),
            Column("judged", f"by {self.judge}"),
            Column("people", f"people's {of}", format=".4f"),
            Column("judge", f"{self.judge}'s {of}", format=".4f"),
            Column("mean", f"corrected {of}", format=".4f"),
            Column("low", show="never"),
            Column("high", show="never"),
            interval,
            Column("weight", "lambda", format=".2f"),
            Column("method", show="varies"),
        ]
        if self.complete:
            columns += [
                Column("best", show="never"),
                Column("worst", show="never"),
                Column("ranks", data=False, right=False),
                Column("group", right=False),
            ]
        return Table(
            name=f"corrected league {self.heading}",
            columns=tuple(columns),
            rows=tuple(self._row(s) for s in self.standings),
            title=f"{self.heading}, {self.judge} corrected by people ({self.info.direction},"
            f" {counted(len(self.topics), 'topic')}, {len(self.labelled):,} of them judged by people)",
            said=(self.headline(), self.saving(), self.validity()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def _row(self, s: CorrectedStanding) -> tuple[Any, ...]:
        kind = (self.kinds.get(s.system, "machine"),) if self.kinds else ()
        ends = (s.best, s.worst, s.ranks, s.group) if self.complete else ()
        numbers = (s.labelled, s.judged, s.people, s.judge, s.mean, s.low, s.high)
        return (s.rank, s.system, *kind, *numbers, s.interval, s.weight, s.method, *ends)

    def _all_alone(self, pair: CorrectedPair) -> str | None:
        if pair.all_people != pair.all_people:
            return None
        known = pair.all_people_low == pair.all_people_low
        ends = f"{_end(pair.all_people_low)} to {_end(pair.all_people_high)}; " if known else ""
        return f"{decimal(pair.all_people, '.3f')} ({ends}{counted(pair.all_labelled, 'topic')})"

    def pairs_table(self) -> Table:
        """What every pair's difference is by people alone and corrected, and what the judge added."""

        def around(value: float, low: float, high: float, ends: str = "") -> str | None:
            if value != value:
                return None
            ends = ends or f"{_end(low)} to {_end(high)}"
            return f"{decimal(value, '.3f')}{f' ({ends})' if low == low or high == high else ''}"

        # People's topics that the judge did not judge are not in the correction: beside it stands what they say.
        apart = any(pair.all_labelled > pair.labelled for pair in self.pairs)
        every = ("all_labelled", "all_people", "all_people_low", "all_people_high")
        last = ("p", "p_adjusted", "conclusion", "why")

        named = ("a", "b", "labelled", "unlabelled", "weight")
        hidden = ("people", "people_low", "people_high", "difference", "low", "high")
        after = ("ratio", "effective", "statistic", "df", "skewness", "skewed", "few_values", *last)
        return Table(
            name="corrected pairs",
            title=f"Differences, with intervals at {_level(self.intervals.level)} each"
            f" ({CORRECTION_BY[self.choices.correct]})",
            columns=(
                Column("a", right=False),
                Column("b", right=False),
                Column("labelled", "by people"),
                Column("unlabelled", "further"),
                Column("weight", "lambda", format=".2f"),
                *(Column(name, show="never") for name in hidden),
                *(Column(name, show="never") for name in every),
                *(
                    [Column("all_alone", "people's alone, all their topics", data=False, right=False)]
                    if apart
                    else []
                ),
                Column("alone", "people's alone", data=False, right=False),
                Column("corrected", data=False, right=False),
                Column("ratio", "variance ratio", format=".2f"),
                Column("effective", "as if topics", format=".1f"),
                Column("statistic", show="never"),
                Column("df", show="never"),
                *(Column(name, show="never") for name in ("skewness", "skewed", "few_values")),
                Column("p", show="never"),
                Column("p_adjusted", "p", format=".3f"),
                Column("conclusion", right=False),
                Column("why", show="never"),
            ),
            rows=tuple(
                (
                    *(getattr(pair, name) for name in (*named, *hidden, *every)),
                    *([self._all_alone(pair)] if apart else []),
                    around(pair.people, pair.people_low, pair.people_high),
                    around(pair.difference, pair.low, pair.high, pair.ends()),
                    *(getattr(pair, name) for name in after),
                )
                for pair in self.pairs
            ),
        )

    def tables(self) -> Tables:
        return Tables((self.table(), self.pairs_table()))

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair."""
        frame = self.pairs_table().to_frame()
        frame.insert(0, "measure", self.measure)
        frame.insert(1, "judge", self.judge)
        return frame

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "judge": self.judge,
                "better": self.info.better,
                **self.target,
                "topics": len(self.topics),
                "labelled": len(self.labelled),
                "assessors": list(self.assessors),
                "judgments": self.judgments,
                "signature": self.signature,
                "headline": self.headline(),
                "saving": self.saving(),
                "validity": self.validity(),
                "random_p": self.random_p,
                "conclusions": {word: self.count(word) for word in CONCLUSIONS},
                "candidates": self.candidates(),
                "standings": [asdict(s) for s in self.standings],
                "pairs": [asdict(pair) | {"saved": pair.saved} for pair in self.pairs],
                "screening": None if self.screening is None else self.screening.as_dict(),
                "warnings": self.warnings(),
            }
        )
        return found


def _end(value: float) -> str:
    return decimal(value, ".3f") if value == value else "open"


def _level(level: float) -> str:
    """With four decimals, or more where the rest to 1 is smaller: 0.95, 0.9833, 0.99924."""
    digits = max(4, 1 - math.floor(math.log10(1 - level))) if level < 1 else 4
    return f"{level:.{digits}f}".rstrip("0")


def _span(numbers: Sequence[int], noun: str | None = None) -> str:
    """`48 further topics`, `51 to 57 further topics`; the number alone where nothing is named."""
    least, most = min(numbers), max(numbers)
    if least < most:
        return f"{least:,} to {most:,}{f' {noun}s' if noun else ''}"
    return counted(most, noun) if noun else f"{most:,}"


@dataclass(frozen=True)
class _Sides:
    """People's and the judge's scores, topics x systems."""

    people: FloatArray
    judged: FloatArray

    def of(self, first: int, second: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Labelled y and f and further f, of a system or of the difference of two."""
        import numpy as np

        y, f = self.people[:, first], self.judged[:, first]
        if second is not None:
            y, f = y - self.people[:, second], f - self.judged[:, second]
        both, more = ~np.isnan(y) & ~np.isnan(f), np.isnan(y) & ~np.isnan(f)
        return y[both], f[both], f[more]


def _corrected(
    asked: _Asked,
    *,
    topics: tuple[str, ...],
    systems: tuple[str, ...],
    people: FloatArray,
    judged: FloatArray,
    family: Any,
) -> CorrectedComparison:
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs
    from adjudge.stats.ppi import CLIP, FROM_ZERO, powered_mean, random_labels_p

    clip = CLIP if asked.same_scale else FROM_ZERO
    there: BoolArray = np.asarray(~np.isnan(judged).all(axis=1))
    labelled: BoolArray = there & (~np.isnan(people) & ~np.isnan(judged)).any(axis=1)
    if not labelled.any():
        raise DataError(
            f"{asked.judge} judged none of the summaries that people judged: there is nothing to correct it by"
        )
    rng = generator(asked.choices.seed, "compare/labelled")
    random_p = random_labels_p(judged[there], labelled[there], rng=rng)
    if random_p <= REFUSED and not asked.at_random:
        raise DataError(
            f"the topics that people judged were hardly drawn at random: {asked.judge}'s scores of them differ too much"
            f" from its scores of the other topics (permutation test, p = {random_p:.2g}); if they were drawn at random"
            " all the same, say --at-random"
        )
    sides = _Sides(people=people[there], judged=judged[there])
    means = [powered_mean(*sides.of(j), clip=clip) for j in range(len(systems))]
    shares, screening = _screened(asked, sides, means)
    order = _order(asked, systems, [shares.get(j, (m.estimate,))[0] for j, m in enumerate(means)])
    sides = _Sides(people=sides.people[:, order], judged=sides.judged[:, order])
    names = tuple(systems[j] for j in order)
    first, second = columns_of_pairs(len(names))
    found = [
        powered_mean(*sides.of(i, j), clip=clip) for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    wanted = np.ones(len(found), dtype=np.bool_) if family is None else family(names)
    if asked.choices.against is not None:
        wanted &= second == len(names) - 1
    tested = _tested(asked, found, sides, wanted)
    error = np.array([math.sqrt(m.variance) if m.variance > 0 else math.nan for m in found])
    ends = pair_intervals(
        tested,
        error,
        np.array([m.df for m in found]),
        asked.choices,
        pointwise=asked.intervals == "pointwise",
    )
    pairs = tuple(
        _pair(
            found[k],
            names[first[k]],
            names[second[k]],
            k,
            tested,
            ends,
            people[:, order[first[k]]] - people[:, order[second[k]]],
        )
        for k in np.flatnonzero(wanted).tolist()
    )
    better = _better(asked.info, tested, len(names))
    standings = _standings(asked, names, order, sides, means, shares, better, complete=bool(wanted.all()))
    place = [names.index(s.system) for s in standings]
    return CorrectedComparison(
        title=asked.title,
        heading=asked.heading,
        info=asked.info,
        judge=asked.judge,
        assessors=asked.assessors,
        topics=tuple(t for t, own in zip(topics, there, strict=True) if own),
        labelled=tuple(t for t, own in zip(topics, labelled, strict=True) if own),
        standings=standings,
        pairs=pairs,
        better=better[np.ix_(place, place)],
        complete=bool(wanted.all()) and len(names) > 1,
        choices=asked.choices,
        intervals=ends,
        judgments=int(asked.judgments[labelled].sum()),
        random_p=random_p,
        said_at_random=asked.at_random,
        screening=screening if shares else None,
        kinds=asked.kinds,
        target=asked.target,
        notes=(*asked.notes, *_design_notes(asked, sides, people, there), *_limit_notes(asked, pairs)),
        signature=f"{asked.signature}|ppi++:t:n-2|lambda:{'0-1' if asked.same_scale else '0-'}"
        f"|topics:{int(there.sum())}|labelled:{int(labelled.sum())}|interval:{ends.method}:{ends.level:g}"
        f"|correct:{asked.choices.correct}:{asked.choices.alpha:g}|pairs:{int(wanted.sum())}|seed:{asked.choices.seed}",
        unit=asked.unit,
    )


def _limit_notes(asked: _Asked, pairs: Sequence[CorrectedPair]) -> Iterator[str]:
    from adjudge.stats.ppi import CLIP

    if asked.same_scale and (many := sum(pair.weight == CLIP[1] for pair in pairs)):
        yield (
            f"lambda is kept at its limit of {CLIP[1]:g} in {counted(many, 'pair')}: {asked.judge}'s differences there"
            " are smaller than people's, and could save more than is said"
        )


def _design_notes(asked: _Asked, sides: _Sides, people: FloatArray, there: BoolArray) -> Iterator[str]:
    import numpy as np

    judged = ~np.isnan(people).all(axis=1)
    if unjudged := int((judged & ~there).sum()):
        yield (
            f"{asked.judge} did not judge {counted(unjudged, 'topic')} that people judged: left out, since only topics"
            f" with both can be corrected; people's scores alone on all their {int(judged.sum()):,} topics may be surer"
        )
    if alone := int((~np.isnan(sides.people) & np.isnan(sides.judged)).sum()):
        yield (
            f"{asked.judge} has no score of {counted(alone, 'summary', 'summaries')} that people judged: left out of"
            " the comparisons of that system"
        )
    own = ~np.isnan(sides.people)
    some = own.any(axis=1) & ~own[:, own.any(axis=0)].all(axis=1)
    if many := int(some.sum()):
        yield (
            f"people judged only some systems on {counted(many, 'topic')}: what is said of a pair holds if the topics"
            " on which people judged both were drawn at random"
        )


def _screened(
    asked: _Asked, sides: _Sides, means: Sequence[PoweredMean]
) -> tuple[dict[int, tuple[float, float, float, str | None]], Screening | None]:
    """Shares of yes of systems with too few labels for PPI++, by the judge's sensitivity and specificity."""
    import numpy as np

    from adjudge.stats.screening import corrected_share, screen

    lacking = [j for j, mean in enumerate(means) if math.isnan(mean.estimate)]
    if not asked.yes_no or not lacking:
        return {}, None
    both = ~np.isnan(sides.people) & ~np.isnan(sides.judged)
    found = screen(sides.people[both], sides.judged[both])
    shares = {}
    for j in lacking:
        answers = sides.judged[~np.isnan(sides.judged[:, j]), j]
        share = corrected_share(float(answers.sum()), answers.size, found, level=asked.choices.level)
        shares[j] = (share.estimate, share.low, share.high, share.why)
    return shares, found


def _order(asked: _Asked, systems: Sequence[str], means: Sequence[float]) -> list[int]:
    """Best first, those without a mean next, the one that all are compared with last."""
    sign = 1 if asked.info.better == "lower" else -1
    order = sorted(
        range(len(systems)),
        key=lambda j: (math.isnan(means[j]), 0 if math.isnan(means[j]) else sign * means[j], systems[j]),
    )
    against = asked.choices.against
    if against is not None:
        if against not in systems:
            raise UsageError(
                f"--against {quoted(against)}: no such system{among_known(against, list(systems))}"
            )
        order = [*(j for j in order if systems[j] != against), list(systems).index(against)]
    return order


def _tested(asked: _Asked, found: Sequence[PoweredMean], sides: _Sides, family: BoolArray) -> Tested:
    """All pairs by Student's t on corrected differences, in the shape that all tests have."""
    import numpy as np

    from adjudge.stats.pairs import PairResults, pair_counts

    side, lower = asked.choices.side, asked.info.better == "lower"
    alternative: Alternative = "two-sided"
    if side != "both":
        alternative = "greater" if (side == "better") != lower else "less"
    both = np.where(np.isnan(sides.judged), np.nan, sides.people)
    counts = pair_counts(both)
    p = np.array([m.p(alternative) for m in found])
    results = PairResults(
        test=PPI,
        counts=replace(counts, difference=np.array([m.estimate for m in found])),
        statistic=np.array([m.statistic for m in found]),
        p=p,
        method=tuple(None if math.isnan(each) else "t" for each in p),
        signature=PPI,
        alternative=alternative,
        why={k: m.why for k, m in enumerate(found) if m.why},
    )
    smallest = np.where(np.isnan(p), np.nan, 0.0)
    untold = Untold(results=results, family=family, smallest=smallest, resamples=None)
    return conclude([untold], asked.choices)[0]


def _pair(
    found: PoweredMean, a: str, b: str, k: int, tested: Tested, ends: PairIntervals, people: FloatArray
) -> CorrectedPair:
    """`people` are all differences that people gave, whether the judge judged the topic or not."""
    from adjudge.stats.ppi import powered_mean

    low, high = found.labelled_interval(ends.level)
    given = people[people == people]
    all_low, all_high = powered_mean(given, given, []).labelled_interval(ends.level)
    state = int(tested.conclusion[k])
    return CorrectedPair(
        a=a,
        b=b,
        labelled=found.n,
        unlabelled=found.unlabelled,
        weight=found.weight,
        people=found.labelled_estimate,
        people_low=low,
        people_high=high,
        difference=found.estimate,
        low=float(ends.low[k]),
        high=float(ends.high[k]),
        ratio=found.ratio,
        effective=found.effective,
        statistic=found.statistic,
        df=found.df,
        p=float(tested.results.p[k]),
        p_adjusted=float(tested.adjusted[k]),
        # What has no p was not tested, whatever the reason.
        conclusion=CONCLUSIONS[state] if state in (DIFFERENT, ALIKE) else "not tested",
        skewness=found.skewness,
        skewed=found.skewed,
        few_values=found.few_values,
        all_labelled=given.size,
        all_people=_mean(given),
        all_people_low=all_low,
        all_people_high=all_high,
        why=found.why,
    )


def _better(info: MeasureInfo, tested: Tested, size: int) -> BoolArray:
    import numpy as np

    counts = tested.results.counts
    higher = tested.results.statistic * (-1 if info.better == "lower" else 1) > 0
    found = np.zeros((size, size), dtype=np.bool_)
    found[counts.first, counts.second] = tested.different & higher
    found[counts.second, counts.first] = tested.different & ~higher
    return found


def _standings(
    asked: _Asked,
    names: Sequence[str],
    order: Sequence[int],
    sides: _Sides,
    means: Sequence[PoweredMean],
    shares: Mapping[int, tuple[float, float, float, str | None]],
    better: BoolArray,
    *,
    complete: bool,
) -> tuple[CorrectedStanding, ...]:
    import numpy as np

    from adjudge.stats.order import letters, places, rank_intervals

    least, most = (0.0, 1.0) if asked.yes_no else asked.info.range

    def within(value: float) -> float:
        return min(max(value, -math.inf if least is None else least), math.inf if most is None else most)

    estimates = np.array([shares[j][0] if j in shares else means[j].estimate for j in order])
    known = np.flatnonzero(~np.isnan(estimates))
    sign = 1 if asked.info.better == "lower" else -1
    rank: dict[int, int] = dict(zip(known.tolist(), places(sign * estimates[known]).tolist(), strict=True))
    line = sorted(range(len(names)), key=lambda k: (rank.get(k, len(names) + 1), names[k]))
    groups = letters(better | better.T, line) if complete else [""] * len(names)
    best, worst = rank_intervals(better)
    found = []
    for k in line:
        j = order[k]
        mean = means[j]
        low, high = mean.interval(asked.choices.level)
        method: Method = PPI if not math.isnan(mean.estimate) else "none"  # type: ignore[assignment]
        why = mean.why
        if j in shares:
            _, low, high, why = shares[j]
            method = "rogan-gladen" if why is None else "none"
        judged = sides.judged[:, k]
        own = sides.people[:, k][~np.isnan(sides.people[:, k])]
        found.append(
            CorrectedStanding(
                system=names[k],
                rank=rank.get(k),
                labelled=mean.n,
                judged=int((~np.isnan(judged)).sum()),
                people=float(own.mean()) if own.size else math.nan,
                judge=_mean(judged) if asked.judge_means is None else float(asked.judge_means[j]),
                mean=within(float(estimates[k])),
                low=within(low),
                high=within(high),
                weight=mean.weight if method == PPI else math.nan,
                method=method,
                group=groups[k],
                best=int(best[k]) if complete else None,
                worst=int(worst[k]) if complete else None,
                few_values=method == PPI and mean.few_values,
                why=why,
            )
        )
    return tuple(found)


def _mean(values: FloatArray) -> float:
    import numpy as np

    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else math.nan
