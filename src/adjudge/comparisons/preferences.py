"""Strengths of named items from preferences: the fit, its intervals, and the frozen result. Tables: fit_tables.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.stats import rankdata

from adjudge.data.collection import Collection
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.formats.preferences import Preferences
from adjudge.judgments.batch import Judgments, TopicBatch
from adjudge.judgments.pairs.judged import (
    batches,
    kinds,
    notes,
    sentence_preferences,
    summary_rows,
    system_preferences,
)
from adjudge.judgments.store.anonymous import is_anonymous
from adjudge.stats.preference.answers import Answers, FloatArray, propagated
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.careless import Clicker, Clickers, clickers
from adjudge.stats.preference.crowd import CrowdFit, fit_crowd
from adjudge.stats.preference.uncertainty import SAME, Bootstrapped, bootstrap, standard_errors
from adjudge.text.similarity import DEFAULT, Similarity, sentence_similarity, similarity_name
from adjudge.wording import counted, listed, tex

if TYPE_CHECKING:
    import pandas as pd


By = Literal["answer", "cluster"]
LEVEL, RESAMPLES = 0.95, 200
NOBODY = "nobody was asked about it"


@dataclass(frozen=True)
class Standing:
    """One item's place. Strengths have geometric mean 1; `best` and `worst` are the ranks that the interval leaves."""

    item: str
    rank: int | None
    best: int | None
    worst: int | None
    strength: float
    low: float
    high: float
    log: float
    se: float
    """Of the log strength, from the likelihood's curvature."""
    wins: float
    losses: float
    ties: float
    why: str | None = None
    """Why it has no strength."""


@dataclass(frozen=True)
class PreferenceFit:
    """Strengths of items, best first, with everything that is needed to get them again."""

    title: str
    standings: tuple[Standing, ...]
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
    annotators: tuple[Annotator, ...] = ()
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

    def standing(self, item: str) -> Standing:
        return next(each for each in self.standings if each.item == item)

    def sentence(self) -> str:
        """What can be concluded, in plain words."""

        return sentence(self)

    def warnings(self) -> list[str]:
        """What a reader should know first."""

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per item, best first."""

        return standings_frame(self)

    def win_probabilities(self) -> pd.DataFrame:
        """How likely the row's item is preferred to the column's (Zopf 2018, equation 2), best first."""

        return matrix_frame(self)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair, the stronger first: how likely it wins, with an interval."""

        return pairs_frame(self)

    def annotators_frame(self) -> pd.DataFrame:
        """A row per annotator."""

        return annotators_frame(self)

    def to_latex(self) -> str:
        """The table of strengths for a paper."""

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""

        return as_dict(self)


def fit_preferences(
    given: Preferences,
    *,
    title: str = "preferences",
    similarity: FloatArray | None = None,
    similarity_name: str | None = None,
    by: By | None = None,
    regularise: float | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    annotators: bool = False,
    checks: Preferences | None = None,
    notes: Sequence[str] = (),
) -> PreferenceFit:
    """Bradley-Terry strengths with intervals by bootstrap.

    With a `similarity` (items x items) answers are propagated to similar items first. `by` says what is drawn again:
    answers, or whole topics ("cluster"; the default where there are two topics or more). With `annotators` every
    annotator's reliability is estimated too; `checks` are pairs with known answers that they are held against.
    """
    _check(given, level, resamples)
    by = by or ("cluster" if len(given.topics) > 1 else "answer")
    if by == "cluster" and len(given.topics) < 2:
        raise UsageError(
            f"whole topics can be drawn again only where there are two; there are {len(given.topics)}"
        )
    wins = given.answers.wins() if similarity is None else propagated(given.answers, similarity)
    kept = np.flatnonzero(_in_duels(wins))
    answers = among(given.answers, kept)
    near = None if similarity is None else similarity[np.ix_(kept, kept)]
    matrix = wins[np.ix_(kept, kept)]
    strengths = fit(matrix, regularise=regularise)
    drawn = None
    if resamples:
        drawn = bootstrap(
            answers,
            rng=generator(seed, f"prefer/fit/{by}"),
            resamples=resamples,
            by=by,
            similarity=near,
            regularise=regularise,
        )
    se = standard_errors(matrix, strengths) if similarity is None else None
    found: tuple[Annotator, ...] = ()
    if annotators:
        found = annotators_of(given, checks)
    return PreferenceFit(
        title,
        tuple(_standings(given, kept, strengths, se, drawn, level)),
        strengths,
        tuple(kept.tolist()),
        given.items,
        drawn,
        len(given),
        len(given.topics),
        by,
        resamples,
        level,
        seed,
        similarity_name if similarity is not None else None,
        found,
        dict(given.left_out),
        tuple(notes),
    )


def among(answers: Answers, kept: Any) -> Answers:
    """The answers between some items, which get new numbers in that order."""
    numbers = np.full(answers.n, -1, dtype=np.int64)
    numbers[kept] = np.arange(len(kept))
    inside = (numbers[answers.first] >= 0) & (numbers[answers.second] >= 0)
    some = answers.take(inside)
    return Answers(
        len(kept), numbers[some.first], numbers[some.second], some.won, some.weight, some.who, some.cluster
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
    """Which items were held against another one at all; the diagonal means nothing."""
    duels = wins + wins.T
    return duels.sum(axis=1) - np.diag(duels) > 0


def _standings(
    given: Preferences,
    kept: Any,
    strengths: Strengths,
    se: FloatArray | None,
    drawn: Bootstrapped | None,
    level: float,
) -> list[Standing]:
    nothing = np.full(len(kept), np.nan)
    low, high = drawn.intervals(level) if drawn is not None else (nothing, nothing)
    best, worst = drawn.rank_ranges(level) if drawn is not None else (nothing, nothing)
    errors = nothing if se is None else se
    ranks = rankdata(-np.round(strengths.log, SAME), method="min")
    counts = np.column_stack(counts_of(given.answers))
    found = {}
    for k, item in enumerate(kept.tolist()):
        wins, losses, ties = counts[item].tolist()
        found[item] = Standing(
            given.items[item],
            int(ranks[k]),
            _whole(best[k]),
            _whole(worst[k]),
            float(strengths.values[k]),
            float(np.exp(low[k])),
            float(np.exp(high[k])),
            float(strengths.log[k]),
            float(errors[k]),
            wins,
            losses,
            ties,
        )
    for item, name in enumerate(given.items):
        if item not in found:
            nan = float("nan")
            found[item] = Standing(name, None, None, None, nan, nan, nan, nan, nan, 0.0, 0.0, 0.0, NOBODY)
    return sorted(found.values(), key=lambda each: (each.rank is None, each.rank or 0, -each.wins, each.item))


def _whole(rank: float) -> int | None:
    return None if rank != rank else int(rank)


def counts_of(answers: Answers) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and ties of every item, each answer as often as it weighs."""

    def summed(items: Any, worth: Any) -> FloatArray:
        return np.asarray(np.bincount(items, weights=answers.weight * worth, minlength=answers.n))

    first, second = answers.won == 1, answers.won == 0
    wins = summed(answers.first, first) + summed(answers.second, second)
    losses = summed(answers.first, second) + summed(answers.second, first)
    tied = ~first & ~second
    return wins, losses, summed(answers.first, tied) + summed(answers.second, tied)


MOST_NAMED = 3  # in a sentence
MOST_IN_JSON = 100  # items up to which every pair is there too
FEW_TOPICS = 5
"""Fewer clusters than this make a bootstrap over them too narrow to trust."""


def standings_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(each) for each in fit.standings])


def _order(fit: PreferenceFit) -> list[int]:
    """The numbers of fitted items, best first."""
    place = {fit.items[item]: k for k, item in enumerate(fit.fitted)}
    return [place[each.item] for each in fit.standings if each.rank is not None]


def matrix_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    order = _order(fit)
    names = [fit.items[fit.fitted[k]] for k in order]
    return pd.DataFrame(fit.strengths.probability()[np.ix_(order, order)], index=names, columns=names)


def pairs_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    order = _order(fit)
    chance = fit.strengths.probability()
    tail = (1 - fit.level) / 2
    logs = kept_logs(fit)
    rows = []
    for k, a in enumerate(order):
        others = order[k + 1 :]
        low, high = np.full((2, len(others)), np.nan)
        if len(logs) and others:
            drawn = 1 / (1 + np.exp(logs[:, others] - logs[:, [a]]))
            low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
        name = fit.items[fit.fitted[a]]
        rows += [
            (name, fit.items[fit.fitted[b]], float(chance[a, b]), float(low[at]), float(high[at]))
            for at, b in enumerate(others)
        ]
    return pd.DataFrame(rows, columns=["a", "b", "probability", "low", "high"])


def kept_logs(fit: PreferenceFit) -> Any:
    """Log strengths of the resamples that have any."""
    if fit.drawn is None or fit.drawn.why:
        return np.empty((0, len(fit.fitted)))
    return fit.drawn.logs[~np.isnan(fit.drawn.logs).any(axis=1)]


def annotators_frame(fit: PreferenceFit) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([each.as_dict() for each in fit.annotators])


def ranks(each: Standing, dash: str = "-") -> str:
    """The ranks that the interval leaves: 2-4."""
    if each.best is None:
        return "-" * len(dash)
    return str(each.best) if each.best == each.worst else f"{each.best}{dash}{each.worst}"


def interval(each: Standing, between: str = " to ") -> str:
    return "-" if each.low != each.low else f"{each.low:.3g}{between}{each.high:.3g}"


def number(value: float) -> str:
    """A count, which weights may make a decimal."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def to_latex(fit: PreferenceFit) -> str:
    lines = [r"\begin{tabular}{rlrllrrr}", r"\toprule"]
    head = rf"& item & strength & {fit.level:.0%} interval & ranks & wins & losses & ties \\"
    lines += [head.replace("%", r"\%"), r"\midrule"]
    for each in fit.standings:
        if each.rank is None:
            lines.append(rf"-- & {tex(each.item)} & -- & -- & -- & 0 & 0 & 0 \\")
            continue
        counts = " & ".join(number(n) for n in (each.wins, each.losses, each.ties))
        lines.append(
            rf"{each.rank} & {tex(each.item)} & {each.strength:.3g} & {interval(each, '--')} & {ranks(each, '--')}"
            rf" & {counts} \\"
        )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {fit.signature}"])


def as_dict(fit: PreferenceFit) -> dict[str, Any]:
    small = len(fit.fitted) <= MOST_IN_JSON
    matrix = matrix_frame(fit).to_numpy().tolist() if small else None
    return {
        "title": fit.title,
        "signature": fit.signature,
        "sentence": fit.sentence(),
        "items": [plain(asdict(each)) for each in fit.standings],
        "answers": fit.answers,
        "topics": fit.topics,
        "resampled": "topics" if fit.by == "cluster" else "answers",
        "resamples": len(kept_logs(fit)),
        "level": fit.level,
        "seed": fit.seed,
        "smooth": fit.similarity,
        "regularised": fit.strengths.regularised,
        "fit": fit.strengths.words(),
        "parts": int(fit.strengths.components.max()) + 1,
        "converged": bool(fit.strengths.converged),
        "iterations": int(fit.strengths.iterations),
        "error": plain({"error": float(fit.strengths.error)})["error"],
        "win_probability": matrix and [[plain({"p": p})["p"] for p in row] for row in matrix],
        "annotators": [plain(each.as_dict()) for each in fit.annotators],
        "left_out": dict(fit.left_out),
        "warnings": fit.warnings(),
    }


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON knows neither NaN nor infinity."""
    return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in row.items()}


# In words


def shown(item: str) -> str:
    """A name as it stands in a sentence: that of a system plain, a text in quotes and cut short."""
    return item if len(item) <= 30 and " " not in item else quoted(item)


def sentence(fit: PreferenceFit) -> str:
    ranked = [each for each in fit.standings if each.rank is not None]
    top = [each for each in ranked if each.rank == 1]
    if len(top) == len(ranked):
        return f"No item is preferred to another in {counted(fit.answers, 'answer')}: all are equally strong."
    if len(top) > 1:
        return (
            f"{listed([shown(each.item) for each in top])} are equally strong, and stronger than the others."
        )
    first, second = ranked[0], ranked[1]
    chance = first.strength / (first.strength + second.strength)
    found = (
        f"{shown(first.item)} is preferred most: it would win {chance:.0%} of its duels with {shown(second.item)},"
        " the next"
    )
    if first.best is None:
        return f"{found}; with {counted(fit.answers, 'answer')} no interval can be given."
    rivals = [each for each in ranked[1:] if each.best == 1]
    what = "topics" if fit.by == "cluster" else "answers"
    if rivals:
        few = len(rivals) <= MOST_NAMED
        names = listed([shown(each.item) for each in rivals]) if few else f"{len(rivals):,} others"
        return f"{found}. When {what} are drawn again, {names} may be first as well."
    return f"{found}. It is first in nearly all samples of {what} drawn again ({fit.level:.0%})."


def warnings(fit: PreferenceFit) -> list[str]:
    found = list(fit.notes)
    if fit.strengths.regularised or not fit.strengths.converged:
        found.append(fit.strengths.words().removesuffix("."))
    if fit.drawn is None:
        found.append("no intervals: no resamples were asked for")
    elif fit.drawn.why:
        found.append(f"no intervals: {fit.drawn.why}")
    elif fit.by == "answer":
        found.append(f"intervals come from answers drawn again, {_why_answers(fit)}")
    elif fit.topics < FEW_TOPICS:
        found.append(f"intervals come from {counted(fit.topics, 'topic')} drawn again: too few to trust them")
    if fit.drawn is not None and (fit.drawn.regularised or fit.drawn.undefined):
        found.append(fit.drawn.words().removesuffix("."))
    if fit.similarity is not None:
        found.append("answers were propagated to similar items, so strengths have no standard errors")
    missing = sum(each.rank is None for each in fit.standings)
    if missing:
        found.append(f"{counted(missing, 'item has', 'items have')} no strength: nobody was asked about them")
    found += [f"{counted(n, 'answer')} left out: {why}" for why, n in fit.left_out.items()]
    for each in fit.annotators:
        found += [f"{each.name}: {warning}" for warning in each.warnings]
    return found


def _why_answers(fit: PreferenceFit) -> str:
    if fit.topics > 1:
        return "not topics: they hold for these topics alone"
    return "since there is one topic" if fit.topics == 1 else "since no topics are known"


OF_TEXTS = ("failed-checks", "inconsistent")
"""Warnings that come of answers to the very same texts."""


@dataclass(frozen=True)
class Annotator:
    """One annotator. A share of nothing is NaN."""

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

    def cells(self) -> dict[str, str]:
        """For a table: columns that are numbers end in `>`."""
        return {
            "annotator": self.name,
            "answers>": f"{self.answers:,}",
            "reliability>": _number(self.reliability, ".2f"),
            "se>": _number(self.se, ".2f"),
            "left>": _number(self.left_share, ".0%"),
            "agrees>": _number(self.agreement, ".0%"),
            "checks>": f"{self.checks_right}/{self.checks}" if self.checks else "-",
            "repeats>": f"{self.repeats_same}/{self.repeats}" if self.repeats else "-",
            "": ", ".join(self.codes),
        }


def annotators_of(given: Preferences, checks: Preferences | None = None) -> tuple[Annotator, ...]:
    """A row per annotator who is somebody: names such as crowd-anonymous stand for nobody in particular.

    `checks` are pairs whose answer is known, by the items' names, on one topic or, where they name none, on all.
    """
    people = [number for number, name in enumerate(given.annotators) if not is_anonymous(name)]
    answers = replace(given.answers, who=np.where(np.isin(given.answers.who, people), given.answers.who, -1))
    if not np.any(answers.who >= 0):
        return ()
    met = np.unique(np.concatenate([answers.first, answers.second]))
    fitted = fit_crowd(among(answers, met))
    seen = clickers(among(answers, met), times=given.took_ms or None)
    planted = _planted(given, answers, checks, fitted.strengths)
    return tuple(
        _annotator(given.annotators[row.who], row, own, fitted)
        for row, own in zip(seen.rows, planted.rows, strict=True)
    )


def _planted(given: Preferences, answers: Answers, checks: Preferences | None, any_: Strengths) -> Clickers:
    """Repeats and checks, which are about the same texts: a system on another topic is another item here."""
    n = answers.n
    numbers = np.concatenate([answers.cluster * n + answers.first, answers.cluster * n + answers.second])
    texts, at = np.unique(numbers, return_inverse=True)
    first, second = at[: len(answers)], at[len(answers) :]
    apart = replace(answers, n=len(texts), first=first, second=second)
    level = replace(any_, values=np.ones(len(texts)))  # nothing is held against the others here
    names = {
        (given.topics[text // n] if given.topics else "", given.items[text % n]): k
        for k, text in enumerate(texts.tolist())
    }
    return clickers(apart, level, checks=list(_known(checks, names, given.topics or ("",))))


def _annotator(name: str, row: Clicker, planted: Clicker, fitted: CrowdFit) -> Annotator:
    found = [each for each in row.warnings if each.code not in OF_TEXTS]
    found += [each for each in planted.warnings if each.code in OF_TEXTS]
    return Annotator(
        name,
        row.answers,
        float(fitted.reliability[row.who]),
        float(fitted.errors[row.who]),
        row.left_share,
        row.agreement,
        planted.checks_right,
        planted.checks_asked,
        planted.repeats_same,
        planted.repeats_asked,
        tuple(each.code for each in found),
        tuple(each.sentence for each in found),
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


def _number(value: float, form: str) -> str:
    return "-" if value != value else format(value, form)


Of = Literal["sentences", "summaries", "systems"]
OFS: tuple[Of, ...] = get_args(Of)


def arena(given: Preferences, **how: Any) -> PreferenceFit:
    """Strengths of systems, with intervals by drawing whole topics again; `how` is what `fit_preferences` takes.

    Answers on one topic hang together: whoever wins there wins often. Where there is one topic, or none is known,
    answers are drawn again instead, and a warning says so.
    """
    return fit_preferences(given, **{"title": "systems"} | how)


def fit_folder(
    collection: Collection,
    judgments: Judgments,
    *,
    of: Of | None = None,
    topics: Sequence[str] = (),
    length: int | None = None,
    similarity: Similarity | None = DEFAULT,
    progress: Callable[[int, int], None] = lambda done, of: None,
    **how: Any,
) -> list[PreferenceFit]:
    """What a folder's preferences say: systems over all topics, or sentences or summaries topic by topic.

    Without `of` it is what people were asked about: sentences, or else systems. `similarity=None` propagates
    nothing between sentences.
    """
    chosen = of or _asked(judgments)
    if chosen not in OFS:
        raise UsageError(f"of is {chosen}, expected one of: {', '.join(OFS)}")
    if ("sentences" if chosen == "sentences" else "summaries") not in kinds(judgments):
        what = "sentences" if chosen == "sentences" else "summaries"
        raise DataError(
            f"no preferences between {what} yet; ask for them with: adjudge prefer sample --of {what}"
        )
    if chosen == "systems":
        given = system_preferences(collection, judgments, topics=topics, length=length)
        return [arena(given, **how | {"notes": notes(collection, judgments, chosen, topics)})]
    own = list(batches(collection, judgments, topics))
    found = []
    for number, batch in enumerate(own):
        said = notes(collection, judgments, chosen, [batch.topic.topic])
        if (fit := _topic(batch, chosen, length, similarity, how | {"notes": said})) is not None:
            found.append(fit)
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


def _topic(
    batch: TopicBatch, of: Of, length: int | None, similarity: Similarity | None, how: dict[str, Any]
) -> PreferenceFit | None:
    """The fit of one topic; None where it has no answer."""
    name = batch.topic.topic
    if of == "summaries":
        given = Preferences.of(summary_rows(batch, length=length))
        return fit_preferences(given, **how | {"title": f"summaries of {name}"}) if len(given) else None
    given = sentence_preferences(batch)
    if not len(given):
        return None
    if similarity is not None:
        near = sentence_similarity(similarity, given.items).among()
        how = how | {"similarity": near, "similarity_name": similarity_name(similarity)}
    return fit_preferences(given, **how | {"title": f"sentences of {name}"})
