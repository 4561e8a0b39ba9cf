"""What a meta-evaluation starts from: scores of measures and of people, on the same topics and systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analyses.scores import Scores
from adjudge.analyses.slices.slicing import RowTexts
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note
from adjudge.core.words import listed, natural
from adjudge.data.scores import UNSET, AllLengths, Among, MeasureInfo, ScoreMatrix, TopicAtLength, pooled
from adjudge.measures.spec import judge_of, same_name, split_spec
from adjudge.stats.checks import FloatArray

POOLED = "(no assessor)"
"""Who gave scores that name nobody."""


@dataclass(frozen=True, eq=False)
class HumanCells:
    """What people say: one human measure, higher is better."""

    info: MeasureInfo
    values: FloatArray
    """Topics x systems: the mean over assessors; NaN where nobody judged."""
    assessors: tuple[str, ...]
    """Nobody where the scores name none."""
    by_assessor: FloatArray
    """Assessors x topics x systems; without assessors a single layer, the values."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Scores of automatic measures and of people, on the same topics and systems, oriented so that higher is better."""

    name: str
    topics: tuple[str, ...]
    """Rows; where all lengths were asked for, a topic at a length."""
    row_texts: tuple[RowTexts, ...]
    """The summaries that every row's scores are of."""
    clusters: tuple[str, ...] | None
    """The set of each row, where every topic has one and several share one."""
    systems: tuple[str, ...]
    kinds: tuple[str, ...]
    """machine, baseline or human."""
    measures: tuple[MeasureInfo, ...]
    automatic: FloatArray
    """Measures x topics x systems; NaN is missing."""
    humans: tuple[HumanCells, ...]
    notes: tuple[Note, ...] = ()
    chosen: Among = "all"
    all_topics: bool = False
    """Whether measures keep topics that nobody judged."""
    target: str = ""
    """The length and form of all scores, where these are one: `100 words, extract`. Then no measure's name has them."""

    @property
    def row_topics(self) -> tuple[str, ...]:
        """The topic of every row."""
        return tuple(row.topic for row in self.row_texts)

    @property
    def topic_units(self) -> str:
        """What intervals draw anew in place of topics."""
        return "topics" if self.clusters is None else "sets of topics"

    @property
    def people(self) -> FloatArray:
        """Human measures x topics x systems: means over assessors."""
        return np.stack([human.values for human in self.humans])

    @property
    def has_humans(self) -> bool:
        """Whether people's summaries are among the systems."""
        return "human" in self.kinds

    def among(self, which: Among) -> Cells:
        """The same of some systems only: all, machines (baselines among them) or humans."""
        if which == "all":
            return self
        if which == "human-machine":
            raise UsageError("human-machine is about pairs of systems: choose all or machines")
        kept = [k for k, kind in enumerate(self.kinds) if (kind == "human") == (which == "humans")]
        if not kept:
            raise UsageError(f"no system of {self.name} is {'human' if which == 'humans' else 'a machine'}")
        return replace(self.take(systems=kept), chosen=which)

    def take(self, *, systems: Sequence[int]) -> Cells:
        """Some systems, by position."""
        kept = list(systems)
        return replace(
            self,
            systems=tuple(self.systems[k] for k in kept),
            kinds=tuple(self.kinds[k] for k in kept),
            automatic=np.take(self.automatic, kept, axis=2),
            humans=tuple(
                replace(
                    human,
                    values=np.take(human.values, kept, axis=1),
                    # a summary's assessors side by side in memory: the order in which they are summed up
                    by_assessor=np.asfortranarray(human.by_assessor[:, :, kept]),
                )
                for human in self.humans
            ),
        )

    def human(self, measure: str) -> HumanCells:
        """One human measure by its text."""
        return next(human for human in self.humans if human.info.measure == measure)


def column_means(values: FloatArray) -> FloatArray:
    """Of columns over the rows that have a value; NaN where none has."""
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    sums = np.where(there, values, 0.0).sum(axis=0)
    means: FloatArray = np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0)
    return means


def cells_of(
    scores: Scores,
    human: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    all_topics: bool = False,
    without: str | Iterable[str] = (),
) -> Cells:
    """Measures beside people: of all measures that assessors gave, and all others with a direction, unless named.

    `without` leaves assessors out of what people say. Systems and topics are those that people judged; with
    `all_topics` measures keep their scores of further topics, as system means may use them. A measure that lacks a
    system or a topic has missing cells there.
    """
    people = human_measures(scores, human)
    automatic = automatic_measures(scores, people, measures)
    _check_target(scores, [*people, *automatic], length, form)
    judged = scores.without(without)
    by_people = [judged.higher_is_better(name, "people", length=length, form=form) for name in people]
    machine = [scores.higher_is_better(name, "measure", length=length, form=form) for name in automatic]
    if any(matrix.rows for matrix in (*by_people, *machine)):
        by_people, machine = (
            [_at_its_length(scores, matrix) for matrix in part] for part in (by_people, machine)
        )
    systems = sorted({s for matrix in by_people for s in _with_values(matrix, axis=0)}, key=natural)
    rows = _rows(scores, by_people, machine if all_topics else (), length)
    if not {s for matrix in machine for s in matrix.systems} & set(systems):
        raise DataError(f"{scores.name}: no system has both scores of people and of an automatic measure")
    notes: list[Note] = []
    if unjudged := {s for matrix in machine for s in _with_values(matrix, axis=0)} - set(systems):
        notes.append(Note.of("systems-not-judged", systems=sorted(unjudged, key=natural)))
    beyond = {t for matrix in machine for t in _with_values(matrix, axis=1)} - set(rows)
    if beyond and not all_topics:
        notes.append(Note.of("topics-not-judged", n=len(beyond)))
    targets = {
        matrix.heading.removeprefix(matrix.info.heading).removeprefix(", ")
        for matrix in (*by_people, *machine)
    }
    targets -= {""}  # of a measure that knows no length
    target = targets.pop() if len(targets) == 1 else ""
    # Topics of one set are one cluster, and so are the lengths of one topic.
    topics = tuple(row.topic for row in rows.values())
    sets = tuple(str(s) for s in scores.topic_values("set", topics) if s is not None)
    clusters = sets if len(sets) == len(topics) else topics
    return Cells(
        name=scores.name,
        topics=tuple(rows),
        row_texts=tuple(rows.values()),
        clusters=clusters if len(set(clusters)) < len(clusters) else None,
        systems=tuple(systems),
        kinds=tuple(scores.kind(s) for s in systems),
        measures=tuple(_info(matrix, target) for matrix in machine),
        automatic=np.stack([_placed(matrix, tuple(rows), systems) for matrix in machine]),
        humans=tuple(
            replace(_human(judged, matrix, tuple(rows), systems, length, form), info=_info(matrix, target))
            for matrix in by_people
        ),
        notes=tuple(notes),
        all_topics=all_topics,
        target=target,
    )


def _check_target(
    scores: Scores, measures: Sequence[str], length: int | AllLengths | None, form: str | None
) -> None:
    """Refuse a length or a form that no measure knows; a measure that knows none has its scores anyway."""
    lengths = {n for measure in measures for n in scores.table.lengths(measure)}
    forms = {f for measure in measures for f in scores.table.forms(measure)}
    if isinstance(length, int) and length not in lengths:
        there = listed([f"{n}" for n in sorted(filter(None, lengths))]) or "no length"
        raise UsageError(f"no measure has scores at length {length}; there is: {there}")
    if form is not None and form not in forms:
        raise UsageError(f"no measure has scores of form {quoted(form)}; there is: {listed(sorted(forms))}")


def human_measures(scores: Scores, named: str | Sequence[str], *, argument: str = "people") -> list[str]:
    """The measures that are people's: those named, also by what was asked (overall); else all with assessors.

    `argument` is how the caller has them called.
    """
    texts = [named] if isinstance(named, str) else list(named)
    measures = scores.all_measures()
    if not texts:
        judged = [m for m in measures if scores.by_people(m) and scores.info[m].better is not None]
        if not judged:
            raise UsageError(
                f"no measure of {scores.name} names assessors: say which is people's with"
                f" {Argument(argument, 'MEASURE')}; there are: {listed(measures)}"
            )
        return judged
    names = [name for text in texts for name in _named(scores, text, measures, argument)]
    return list(dict.fromkeys(names))


def _named(scores: Scores, text: str, measures: Sequence[str], argument: str) -> list[str]:
    if same_name(text, measures):
        return scores.resolved(text)
    asked: dict[str, list[str]] = {}
    for measure in measures:
        for value in _values(measure) if judge_of(measure) is None else ():
            asked.setdefault(value, []).append(measure)
    parts = [part.strip() for part in text.split(",")]
    if all(part in asked for part in parts):
        for part in parts:
            if len(asked[part]) > 1:
                raise UsageError(
                    f"{Argument(argument, part)} can be {listed(asked[part])}: write one of them out, in"
                    " quotation marks"
                )
        return [asked[part][0] for part in parts]
    try:
        return scores.resolved(text)
    except UsageError as error:
        judged = [*(m for m in measures if scores.by_people(m)), *asked]
        if "(" in text or not judged:
            raise
        raise UsageError(
            f"{Argument(argument, quoted(text))}: no such measure{nearest(text, [*asked, *measures])};"
            f" people gave: {listed(list(dict.fromkeys(judged)))}"
        ) from error


def _values(measure: str) -> list[str]:
    """What assessors were asked: overall in rating(aspect=overall) and in expert:overall."""
    source, colon, question = measure.partition(":")
    if colon and "(" not in source:
        return [question]
    try:
        _, options = split_spec(measure)
    except UsageError:
        return []
    return [value for name, value in options.items() if name in ("aspect", "q")]


def automatic_measures(scores: Scores, people: Sequence[str], named: str | Sequence[str]) -> list[str]:
    """The measures that are compared with people: those that are named, else all with a direction that nobody gave."""
    if named:
        measures = [name for name in scores.resolved(named) if name not in people]
        if not measures:
            raise UsageError(f"all of these are people's measures: name others with {Argument('measure')}")
    else:
        others = [m for m in scores.all_measures() if m not in people and scores.info[m].better is not None]
        measures = [m for m in others if not scores.is_judged(m)]
        if not measures:
            alone = f"{scores.name}: there is no measure to compare with {listed(people)}"
            if not others:
                raise DataError(alone)
            raise DataError(
                f"{alone}; {listed(others)} were given by people: name them with {Argument('measure')}"
                " to compare them"
            )
    for measure in measures:
        if scores.info[measure].better is None:
            raise UsageError(f"{Argument('measure', measure)} is a description: nobody is better by it")
    return measures


def _at_its_length(scores: Scores, matrix: ScoreMatrix) -> ScoreMatrix:
    """Rows of topics at a length, as measures of several lengths have them, of a measure that has one."""
    lengths = scores.table.lengths(matrix.measure)
    if matrix.rows or lengths == (None,):
        return matrix
    rows = tuple(TopicAtLength(topic, lengths[0]) for topic in matrix.topics)
    return replace(matrix, topics=tuple(map(str, rows)), rows=rows, missing=())


def _with_values(matrix: ScoreMatrix, axis: int) -> list[str]:
    names = matrix.systems if axis == 0 else matrix.topics
    return [
        name for name, there in zip(names, np.isfinite(matrix.values).any(axis=axis), strict=True) if there
    ]


def _rows(
    scores: Scores,
    by_people: Sequence[ScoreMatrix],
    more: Sequence[ScoreMatrix],
    length: int | AllLengths | None,
) -> dict[str, RowTexts]:
    """The rows by name, with the texts that people judged there; in rows of `more` alone, those that it scored.

    Lengths or forms that a measure's scores never name are any.
    """
    rows: dict[str, RowTexts] = {}
    for k, matrix in enumerate((*by_people, *more)):
        lengths = scores.table.lengths(matrix.measure)
        form = None if scores.table.forms(matrix.measure) == (UNSET,) else matrix.only_form
        chosen = length if len(lengths) > 1 else lengths[0]
        texts_of = {name: RowTexts(name, chosen, form) for name in matrix.topics}
        for row in matrix.rows or ():
            texts_of[str(row)] = RowTexts(row.topic, row.length or "unset", form)
        for name in _with_values(matrix, axis=1):
            texts = texts_of[name]
            earlier = rows.setdefault(name, texts)
            if earlier != texts and k < len(by_people):  # two questions, asked of different summaries
                rows[name] = RowTexts(
                    texts.topic,
                    earlier.length if earlier.length == texts.length else None,
                    earlier.form if earlier.form == texts.form else None,
                )
    return {name: rows[name] for name in sorted(rows, key=natural)}


def _info(matrix: ScoreMatrix, target: str = "") -> MeasureInfo:
    """A measure as the parts name it; a length and form that all have is said once, elsewhere."""
    title = matrix.info.heading if target else matrix.heading
    return replace(matrix.info, title=title, signature=matrix.signature)


def _placed(matrix: ScoreMatrix, rows: Sequence[str], systems: Sequence[str]) -> FloatArray:
    """A matrix's values among the rows and systems of all."""
    placed = np.full((len(rows), len(systems)), np.nan)
    row_of, column_of = {t: k for k, t in enumerate(rows)}, {s: k for k, s in enumerate(systems)}
    at = [k for k, name in enumerate(matrix.topics) if name in row_of]
    of = [k for k, name in enumerate(matrix.systems) if name in column_of]
    to = np.ix_([row_of[matrix.topics[k]] for k in at], [column_of[matrix.systems[k]] for k in of])
    placed[to] = matrix.values[np.ix_(at, of)]
    return placed


def _human(
    scores: Scores,
    matrix: ScoreMatrix,
    rows: tuple[str, ...],
    systems: Sequence[str],
    length: int | AllLengths | None,
    form: str | None,
) -> HumanCells:
    values = _placed(matrix, rows, systems)
    length, form = scores.target_for(matrix.measure, length, form)
    frame = scores.table.at(matrix.measure, length=length, form=form)
    frame = frame[frame["value"].notna()]
    if frame["assessor"].isna().all():
        return HumanCells(info=_info(matrix), values=values, assessors=(), by_assessor=values[None])
    means = pooled(frame, ["repeat", "reference"])
    row_names = means["topic"].astype(str).tolist()
    if matrix.rows:
        lengths = [None if length != length or length is None else int(length) for length in means["length"]]
        row_names = [str(TopicAtLength(*row)) for row in zip(row_names, lengths, strict=True)]
    means = means.assign(assessor=means["assessor"].fillna(POOLED), row=row_names)
    names = tuple(sorted((str(who) for who in means["assessor"].unique()), key=natural))
    means = means[means["row"].isin(rows) & means["system"].isin(systems)]
    cube = np.full((len(names), len(rows), len(systems)), np.nan)
    at = tuple(
        means[column].map({name: k for k, name in enumerate(labels)}).to_numpy(dtype=int)
        for column, labels in (("assessor", names), ("row", rows), ("system", systems))
    )
    cube[at] = means["value"].to_numpy(dtype=float) * (-1 if matrix.info.better == "lower" else 1)
    return HumanCells(info=_info(matrix), values=values, assessors=names, by_assessor=cube)


# Cells as `compare` and `counts` take them


def score_matrix(info: MeasureInfo, values: FloatArray, cells: Cells) -> ScoreMatrix | None:
    """A measure's scores as `compare` takes them: a row per topic that has any; None where there is none."""
    values = over_lengths(values, cells)
    rows = np.flatnonzero(~np.isnan(values).all(axis=1))
    if not rows.size:
        return None
    topics = tuple(dict.fromkeys(cells.row_topics))
    kept = values[rows]
    return ScoreMatrix(
        values=kept,
        counts=(~np.isnan(kept)).astype(np.int64),
        topics=tuple(topics[k] for k in rows),
        systems=cells.systems,
        info=replace(info, better="higher", range=(None, None)),  # as cells are
    )


def over_lengths(values: FloatArray, cells: Cells) -> FloatArray:
    """A row per topic: its mean over the lengths that every system with a score on it has, as in `compare`.

    Of several assessors, the plain means of each.
    """
    topics = list(dict.fromkeys(cells.row_topics))
    if len(topics) == len(cells.row_topics):
        return values
    of = np.array([topics.index(topic) for topic in cells.row_topics])
    means = np.full((*values.shape[:-2], len(topics), values.shape[-1]), np.nan)
    for k in range(len(topics)):
        rows = values[..., of == k, :]
        kept = ~np.isnan(rows)
        if values.ndim == 2:
            there = kept.any(axis=0)
            kept &= (kept | ~there).all(axis=1, keepdims=True)
        n = kept.sum(axis=-2)
        total = np.where(kept, rows, 0.0).sum(axis=-2)
        means[..., k, :] = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return means
