"""Strengths of items from preferences: systems over topics (arena style), or sentences or summaries of a topic.

The fit is Bradley and Terry's, with intervals by bootstrap over topics or answers (stats/preference). With it comes,
on request, how reliable every assessor is, and signs that somebody did not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.stats import rankdata

from adjudge.data.collection import Collection
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.judgments.batch import Judgments, TopicBatch
from adjudge.judgments.pairs.answers import (
    Preferences,
    batches_with_judgments,
    kinds,
    preference_notes,
    sentence_preferences,
    summary_rows,
    system_preferences,
)
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.careless import AssessorSigns, CarelessReport, find_careless
from adjudge.stats.preference.crowd import CrowdFit, fit_crowd
from adjudge.stats.preference.uncertainty import SAME, Bootstrapped, bootstrap, standard_errors
from adjudge.table import Column, Table, Tabular, plain
from adjudge.text.similarity import DEFAULT, Similarity, sentence_similarity, similarity_name
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

Of = Literal["sentences", "summaries", "systems"]
OFS: tuple[Of, ...] = get_args(Of)
By = Literal["answer", "cluster"]
LEVEL, RESAMPLES = 0.95, 200
NOBODY = "nobody was asked about it"
OF_TEXTS = ("failed-checks", "inconsistent")
"""Warnings that come of answers to the very same texts."""

MOST_NAMED = 3  # in a sentence
MOST_IN_JSON = 100  # items up to which every pair is there too
FEW_TOPICS = 5
"""Fewer clusters than this make a bootstrap over them too narrow to trust."""


# Results


@dataclass(frozen=True)
class ItemStrength:
    """One item's place. Strengths have geometric mean 1; `best` and `worst` are the ranks that the interval leaves."""

    item: str
    rank: int | None = None
    best: int | None = None
    worst: int | None = None
    strength: float = math.nan
    low: float = math.nan
    high: float = math.nan
    log: float = math.nan
    se: float = math.nan
    """Of the log strength, from the likelihood's curvature."""
    wins: float = 0.0
    losses: float = 0.0
    ties: float = 0.0
    why: str | None = None
    """Why it has no strength."""

    @property
    def interval(self) -> str | None:
        return None if math.isnan(self.low) else f"{self.low:z.3g} to {self.high:z.3g}"

    @property
    def ranks(self) -> str | None:
        """The ranks that the interval leaves: 2-4."""
        if self.best is None:
            return None
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True)
class AssessorReliability:
    """One assessor. A share of nothing is NaN."""

    name: str
    answers: int
    reliability: float
    """The chance that an answer is what the fitted strengths would say, and not its opposite."""
    se: float
    left_share: float
    """How often what was shown first was preferred."""
    agreement: float
    """With what the others' answers say."""
    checks_right: int
    checks: int
    repeats_same: int
    repeats: int
    codes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        found = asdict(self)
        return found | {"codes": list(self.codes), "warnings": list(self.warnings)}


@dataclass(frozen=True, repr=False)
class PreferenceFit(Tabular):
    """Strengths of items, best first, with everything that is needed to get them again."""

    title: str
    standings: tuple[ItemStrength, ...]
    strengths: Strengths
    fitted: tuple[int, ...]
    """Which item of `items` each strength belongs to; the others were in no pair."""
    items: tuple[str, ...]
    drawn: Bootstrapped | None
    """The resamples, in the order of `fitted`; None where nothing was to be drawn."""
    answers: int
    topics: int
    by: By
    resamples: int
    level: float
    seed: int
    similarity: str | None = None
    assessors: tuple[AssessorReliability, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """Enough to get the same numbers again."""
        from adjudge import __version__

        over = "topics" if self.by == "cluster" else "answers"
        return (
            f"bradley-terry|items:{len(self.fitted)}|answers:{self.answers}|smooth:{self.similarity or 'no'}"
            f"|regularised:{self.strengths.regularised:g}|bootstrap:{over}:{self.resamples}|level:{self.level:g}"
            f"|seed:{self.seed}|v:{__version__}"
        )

    def standing(self, item: str) -> ItemStrength:
        return next(each for each in self.standings if each.item == item)

    # In words

    def headline(self) -> str:
        """What can be concluded, in plain words."""
        ranked = [each for each in self.standings if each.rank is not None]
        top = [each for each in ranked if each.rank == 1]
        if len(top) == len(ranked):
            return f"No item is preferred to another in {counted(self.answers, 'answer')}: all are equally strong."
        if len(top) > 1:
            names = listed([_shown(each.item) for each in top])
            return f"{names} are equally strong, and stronger than the others."
        first, second = ranked[0], ranked[1]
        chance = first.strength / (first.strength + second.strength)
        found = (
            f"{_shown(first.item)} is preferred most: it would win {chance:.0%} of its duels with"
            f" {_shown(second.item)}, the next"
        )
        if first.best is None:
            return f"{found}; with {counted(self.answers, 'answer')} no interval can be given."
        rivals = [each for each in ranked[1:] if each.best == 1]
        what = "topics" if self.by == "cluster" else "answers"
        if rivals:
            few = len(rivals) <= MOST_NAMED
            names = listed([_shown(each.item) for each in rivals]) if few else f"{len(rivals):,} others"
            return f"{found}. When {what} are drawn again, {names} may be first as well."
        return f"{found}. It is first in nearly all samples of {what} drawn again ({self.level:.0%})."

    def warnings(self) -> list[str]:
        """What a reader should know first."""
        found = list(self.notes)
        if self.strengths.regularised or not self.strengths.converged:
            found.append(self.strengths.words().removesuffix("."))
        if self.drawn is None:
            found.append("no intervals: no resamples were asked for")
        elif self.drawn.why:
            found.append(f"no intervals: {self.drawn.why}")
        elif self.by == "answer":
            found.append(f"intervals come from answers drawn again, {self._why_answers()}")
        elif self.topics < FEW_TOPICS:
            found.append(
                f"intervals come from {counted(self.topics, 'topic')} drawn again: too few to trust them"
            )
        if self.drawn is not None and (self.drawn.regularised or self.drawn.undefined):
            found.append(self.drawn.words().removesuffix("."))
        if self.similarity is not None:
            found.append("answers were propagated to similar items, so strengths have no standard errors")
        missing = sum(each.rank is None for each in self.standings)
        if missing:
            found.append(
                f"{counted(missing, 'item has', 'items have')} no strength: nobody was asked about them"
            )
        found += [f"{counted(n, 'answer')} left out: {why}" for why, n in self.left_out.items()]
        for each in self.assessors:
            found += [f"{each.name}: {warning}" for warning in each.warnings]
        return found

    def _why_answers(self) -> str:
        if self.topics > 1:
            return "not topics: they hold for these topics alone"
        return "since there is one topic" if self.topics == 1 else "since no topics are known"

    # As tables

    def table(self) -> Table:
        """A row per item, best first."""
        columns = (
            Column("place", "", data=False, right=True),
            Column("item", right=False),
            Column("rank", show="never"),
            Column("best", show="never"),
            Column("worst", show="never"),
            Column("strength", format=".3g", right=True),
            Column("interval", f"{self.level:.0%} interval", data=False, right=False),
            Column("ranks", data=False, right=False),
            *(Column(name, show="never") for name in ("low", "high", "log", "se", "wins", "losses", "ties")),
            *(Column(name, data=False, right=True) for name in ("wins", "losses", "ties")),
            Column("why", show="never"),
        )
        return Table(
            name="strengths",
            columns=columns,
            rows=tuple(
                (
                    *(each.rank, each.item, each.rank, each.best, each.worst),
                    *(each.strength, each.interval, each.ranks),
                    *(each.low, each.high, each.log, each.se, each.wins, each.losses, each.ties),
                    *(_count(each.wins), _count(each.losses), _count(each.ties), each.why),
                )
                for each in self.standings
            ),
            title=f"{self.title} ({counted(len(self.items), 'item')}, {counted(self.answers, 'answer')})",
            said=(self.headline(),),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def assessor_table(self) -> Table:
        """A row per assessor."""
        columns = (
            Column("name", "assessor", right=False),
            Column("answers"),
            Column("reliability", format=".2f", right=True),
            Column("se", format=".2f", right=True),
            Column("left_share", "left", format=".0%", right=True),
            Column("agreement", "agrees", format=".0%", right=True),
            *(Column(name, show="never") for name in ("checks_right", "checks", "repeats_same", "repeats")),
            Column("checks", data=False, right=True),
            Column("repeats", data=False, right=True),
            Column("codes", "", right=False),
            Column("warnings", show="never"),
        )
        return Table(
            name="assessors",
            columns=columns,
            rows=tuple(
                (
                    *(each.name, each.answers, each.reliability, each.se, each.left_share, each.agreement),
                    *(each.checks_right, each.checks, each.repeats_same, each.repeats),
                    f"{each.checks_right}/{each.checks}" if each.checks else None,
                    f"{each.repeats_same}/{each.repeats}" if each.repeats else None,
                    *(", ".join(each.codes), "; ".join(each.warnings)),
                )
                for each in self.assessors
            ),
            signature=self.signature,
        )

    def win_probabilities(self) -> pd.DataFrame:
        """How likely the row's item is preferred to the column's (Zopf 2018, equation 2), best first."""
        import pandas as pd

        order = self._order()
        names = [self.items[self.fitted[k]] for k in order]
        return pd.DataFrame(self.strengths.probability()[np.ix_(order, order)], index=names, columns=names)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair, the stronger first: how likely it wins, with an interval."""
        import pandas as pd

        order, chance = self._order(), self.strengths.probability()
        tail, logs = (1 - self.level) / 2, self._kept_logs()
        rows = []
        for k, a in enumerate(order):
            others = order[k + 1 :]
            low, high = np.full((2, len(others)), np.nan)
            if len(logs) and others:
                drawn = 1 / (1 + np.exp(logs[:, others] - logs[:, [a]]))
                low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
            name = self.items[self.fitted[a]]
            rows += [
                (name, self.items[self.fitted[b]], float(chance[a, b]), float(low[at]), float(high[at]))
                for at, b in enumerate(others)
            ]
        return pd.DataFrame(rows, columns=["a", "b", "probability", "low", "high"])

    def _order(self) -> list[int]:
        """The numbers of fitted items, best first."""
        place = {self.items[item]: k for k, item in enumerate(self.fitted)}
        return [place[each.item] for each in self.standings if each.rank is not None]

    def _kept_logs(self) -> FloatArray:
        """Log strengths of the resamples that have any."""
        if self.drawn is None or self.drawn.why:
            return np.empty((0, len(self.fitted)))
        return np.asarray(self.drawn.logs[~np.isnan(self.drawn.logs).any(axis=1)])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        small = len(self.fitted) <= MOST_IN_JSON
        found: dict[str, Any] = plain(
            {
                "title": self.title,
                "signature": self.signature,
                "sentence": self.headline(),
                "items": [asdict(each) for each in self.standings],
                "answers": self.answers,
                "topics": self.topics,
                "resampled": "topics" if self.by == "cluster" else "answers",
                "resamples": len(self._kept_logs()),
                "level": self.level,
                "seed": self.seed,
                "smooth": self.similarity,
                "regularised": self.strengths.regularised,
                "fit": self.strengths.words(),
                "parts": int(self.strengths.components.max()) + 1,
                "converged": bool(self.strengths.converged),
                "iterations": int(self.strengths.iterations),
                "error": float(self.strengths.error),
                "win_probability": self.win_probabilities().to_numpy() if small else None,
                "assessors": [each.as_dict() for each in self.assessors],
                "left_out": dict(self.left_out),
                "warnings": self.warnings(),
            }
        )
        return found


def _shown(item: str) -> str:
    """A name as it stands in a sentence: that of a system plain, a text in quotes and cut short."""
    return item if len(item) <= 30 and " " not in item else quoted(item)


def _count(value: float) -> str:
    """A count, which weights may make a decimal."""
    return f"{value:z,.0f}" if value == round(value) else f"{value:z,.2f}"


# The fit


def fit_preferences(
    given: Preferences,
    *,
    title: str = "systems",
    similarity: FloatArray | None = None,
    similarity_name: str | None = None,
    by: By | None = None,
    regularise: float | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    assessors: bool = False,
    checks: Preferences | None = None,
    notes: Sequence[str] = (),
) -> PreferenceFit:
    """Bradley-Terry strengths with intervals by bootstrap.

    `by` says what is drawn again: answers, or whole topics ("cluster"; the default where there are two topics or more).
    Answers on one topic are not independent: whoever wins there wins often. Where there is one topic, or none is
    known, answers are drawn again instead, and a warning says so. With a `similarity` (items x items) answers are
    propagated to similar items first. With `assessors` every assessor's reliability is estimated too; `checks` are
    pairs with known answers that they are compared with.
    """
    _check(given, level, resamples)
    by = by or ("cluster" if len(given.topics) > 1 else "answer")
    if by == "cluster" and len(given.topics) < 2:
        raise UsageError(
            f"whole topics can be drawn again only where there are two; there are {len(given.topics)}"
        )
    wins = given.answers.wins(similarity)
    kept = np.flatnonzero(_in_duels(wins))
    near = None if similarity is None else similarity[np.ix_(kept, kept)]
    matrix = wins[np.ix_(kept, kept)]
    strengths = fit(matrix, regularise=regularise)
    drawn = None
    if resamples:
        drawn = bootstrap(
            given.answers.among(kept),
            rng=generator(seed, f"prefer/fit/{by}"),
            resamples=resamples,
            by=by,
            similarity=near,
            regularise=regularise,
        )
    se = standard_errors(matrix, strengths) if similarity is None else None
    return PreferenceFit(
        title=title,
        standings=tuple(_standings(given, kept, strengths, se, drawn, level)),
        strengths=strengths,
        fitted=tuple(kept.tolist()),
        items=given.items,
        drawn=drawn,
        answers=len(given),
        topics=len(given.topics),
        by=by,
        resamples=resamples,
        level=level,
        seed=seed,
        similarity=similarity_name if similarity is not None else None,
        assessors=reliabilities(given, checks) if assessors else (),
        left_out=dict(given.left_out),
        notes=tuple(notes),
    )


def fit_folder(
    collection: Collection,
    judgments: Judgments,
    *,
    of: Of | None = None,
    topics: Sequence[str] = (),
    length: int | None = None,
    similarity: Similarity | None = DEFAULT,
    by: By | None = None,
    regularise: float | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    assessors: bool = False,
    checks: Preferences | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[PreferenceFit]:
    """What a folder's preferences say: systems over all topics, or sentences or summaries topic by topic.

    Without `of` it is what people were asked about: sentences, or else systems. `similarity=None` propagates
    nothing between sentences. The other options are those of `fit_preferences`.
    """
    chosen = of or _asked(judgments)
    if chosen not in OFS:
        raise UsageError(f"of is {chosen}, expected one of: {', '.join(OFS)}")
    what = "sentences" if chosen == "sentences" else "summaries"
    if what not in kinds(judgments):
        raise DataError(
            f"no preferences between {what} yet; ask for them with: adjudge prefer sample --of {what}"
        )

    def fitted(
        given: Preferences, title: str, named: Sequence[str], alike: Similarity | None
    ) -> PreferenceFit:
        near = None if alike is None else sentence_similarity(alike, given.items).among()
        return fit_preferences(
            given,
            title=title,
            similarity=near,
            similarity_name=None if alike is None else similarity_name(alike),
            by=by,
            regularise=regularise,
            level=level,
            resamples=resamples,
            seed=seed,
            assessors=assessors,
            checks=checks,
            notes=preference_notes(collection, judgments, chosen, named),
        )

    if chosen == "systems":
        given = system_preferences(collection, judgments, topics=topics, length=length)
        return [fitted(given, "systems", topics, None)]
    own = list(batches_with_judgments(collection, judgments, topics))
    found = []
    for number, batch in enumerate(own):
        topic, given = batch.topic.topic, _of_topic(batch, chosen, length)
        if len(given):
            alike = similarity if chosen == "sentences" else None
            found.append(fitted(given, f"{chosen} of {topic}", [topic], alike))
        progress(number + 1, len(own))
    if not found:
        raise DataError("no answer to a pair to fit")
    return found


def _asked(judgments: Judgments) -> Of:
    found = kinds(judgments)
    if len(found) > 1:
        raise UsageError(
            "people were asked about sentences and about summaries: say --of sentences or --of systems"
        )
    return "sentences" if "sentences" in found else "systems"


def _of_topic(batch: TopicBatch, of: Of, length: int | None) -> Preferences:
    return (
        sentence_preferences(batch)
        if of == "sentences"
        else Preferences.of(summary_rows(batch, length=length))
    )


def _check(given: Preferences, level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"the level is {level:g}, expected a share between 0 and 1")
    if resamples < 0:
        raise UsageError(f"resamples is {resamples}, expected 0 or more")
    if not len(given) or not given.answers.weight.sum():
        left = sum(given.left_out.values())
        why = (
            f": {counted(left, 'row was', 'rows were')} left out ({', '.join(given.left_out)})"
            if left
            else ""
        )
        raise DataError(f"no answer to a pair to fit{why}")


def _in_duels(wins: FloatArray) -> Any:
    """Which items were compared with another one at all; the diagonal means nothing."""
    duels = wins + wins.T
    return duels.sum(axis=1) - np.diag(duels) > 0


def _standings(
    given: Preferences,
    kept: IntArray,
    strengths: Strengths,
    se: FloatArray | None,
    drawn: Bootstrapped | None,
    level: float,
) -> list[ItemStrength]:
    nothing = np.full(len(kept), np.nan)
    low, high = drawn.intervals(level) if drawn is not None else (nothing, nothing)
    best, worst = drawn.rank_ranges(level) if drawn is not None else (nothing, nothing)
    errors = nothing if se is None else se
    ranks = rankdata(-np.round(strengths.log, SAME), method="min")
    counts = np.column_stack(counts_of(given.answers))
    found = {item: ItemStrength(item=name, why=NOBODY) for item, name in enumerate(given.items)}
    for k, item in enumerate(kept.tolist()):
        wins, losses, ties = counts[item].tolist()
        found[item] = ItemStrength(
            item=given.items[item],
            rank=int(ranks[k]),
            best=_whole(best[k]),
            worst=_whole(worst[k]),
            strength=float(strengths.values[k]),
            low=float(np.exp(low[k])),
            high=float(np.exp(high[k])),
            log=float(strengths.log[k]),
            se=float(errors[k]),
            wins=wins,
            losses=losses,
            ties=ties,
        )
    return sorted(found.values(), key=lambda each: (each.rank is None, each.rank or 0, -each.wins, each.item))


def _whole(rank: float) -> int | None:
    return None if rank != rank else int(rank)


def counts_of(answers: PairAnswers) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and ties of every item, each answer as often as it weighs."""

    def summed(items: IntArray, worth: Any) -> FloatArray:
        return np.asarray(np.bincount(items, weights=answers.weight * worth, minlength=answers.n))

    first, second = answers.won == 1, answers.won == 0
    wins = summed(answers.first, first) + summed(answers.second, second)
    losses = summed(answers.first, second) + summed(answers.second, first)
    tied = ~first & ~second
    return wins, losses, summed(answers.first, tied) + summed(answers.second, tied)


# Assessors


def reliabilities(given: Preferences, checks: Preferences | None = None) -> tuple[AssessorReliability, ...]:
    """A row per assessor who is somebody: names such as crowd-anonymous stand for nobody in particular.

    `checks` are pairs whose answer is known, by the items' names, on one topic or, where they name none, on all.
    """
    people = [number for number, name in enumerate(given.assessors) if not is_anonymous(name)]
    answers = replace(given.answers, who=np.where(np.isin(given.answers.who, people), given.answers.who, -1))
    if not np.any(answers.who >= 0):
        return ()
    met = answers.among(np.unique(np.concatenate([answers.first, answers.second])))
    fitted = fit_crowd(met)
    seen = find_careless(met, times=given.took_ms or None)
    planted = _planted(given, answers, checks, fitted.strengths)
    return tuple(
        _reliability(given.assessors[row.who], row, own, fitted)
        for row, own in zip(seen.rows, planted.rows, strict=True)
    )


def _planted(
    given: Preferences, answers: PairAnswers, checks: Preferences | None, any_: Strengths
) -> CarelessReport:
    """Repeats and checks, which are about the same texts: a system on another topic is another item here."""
    n = answers.n
    numbers = np.concatenate([answers.cluster * n + answers.first, answers.cluster * n + answers.second])
    texts, at = np.unique(numbers, return_inverse=True)
    first, second = at[: len(answers)], at[len(answers) :]
    apart = replace(answers, n=len(texts), first=first, second=second)
    level = replace(any_, values=np.ones(len(texts)))  # nobody is compared with the others here
    names = {
        (given.topics[text // n] if given.topics else "", given.items[text % n]): k
        for k, text in enumerate(texts.tolist())
    }
    return find_careless(apart, level, checks=list(_known(checks, names, given.topics or ("",))))


def _reliability(
    name: str, row: AssessorSigns, planted: AssessorSigns, fitted: CrowdFit
) -> AssessorReliability:
    found = [each for each in row.warnings if each.code not in OF_TEXTS]
    found += [each for each in planted.warnings if each.code in OF_TEXTS]
    return AssessorReliability(
        name=name,
        answers=row.answers,
        reliability=float(fitted.reliability[row.who]),
        se=float(fitted.errors[row.who]),
        left_share=row.left_share,
        agreement=row.agreement,
        checks_right=planted.checks_right,
        checks=planted.checks_asked,
        repeats_same=planted.repeats_same,
        repeats=planted.repeats_asked,
        codes=tuple(each.code for each in found),
        warnings=tuple(each.sentence for each in found),
    )


def _known(
    checks: Preferences | None, numbers: Mapping[tuple[str, str], int], topics: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Pairs of items, the better one first; a check that is a tie tells nothing."""
    for each in checks.rows() if checks is not None else ():
        sides = (each.left, each.right) if each.winner == "left" else (each.right, each.left)
        for topic in topics if each.topic not in topics else (each.topic,):
            better, worse = (numbers.get((topic, side)) for side in sides)
            if each.winner != "tie" and better is not None and worse is not None:
                yield better, worse
