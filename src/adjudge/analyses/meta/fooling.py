"""Can a measure be fooled? Texts that are no summaries, or spoilt ones, scored among the real ones.

Sjöbergh 2007; Zopf 2018, section 2.2. Nothing is written to the folder: the texts are made and scored in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge.analyses.gathered import collection_of
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, column_means
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words import like_these
from adjudge.analyses.meta.words.fooling import verdict_words
from adjudge.analyses.questions import is_at
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted, listed, natural
from adjudge.data.collection import Collection
from adjudge.data.fooling import BIGRAM_LIST, KIND_WORDS, made_texts
from adjudge.data.rows import Summary
from adjudge.data.scores import Score, ScoreMatrix, ScoreTable
from adjudge.judgments.batch import NOTHING, batches_of
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measures
from adjudge.measures.run import check_needs, looks_at_judgments, score_batches
from adjudge.stats.effects import pair_effects
from adjudge.stats.order import places
from adjudge.stats.paired import paired_t

Verdict = Literal["unseen", "better", "not worse", "worse", "untested", "placed"]
"""Of a distorted summary, compared with its original; a bigram list has no original, and is placed."""


@dataclass(frozen=True)
class FoolingOutcome:
    """One kind of made text under one measure, over the topics for which it could be made and scored.

    A distorted summary takes its original's place among the real systems; a bigram list is one more beside them.
    """

    measure: str
    title: str
    kind: str
    topics: int
    score: float = math.nan
    place: int | None = None
    of: int = 0
    """How many have a place, the made system among them."""
    original: float = math.nan
    original_place: int | None = None
    change: float = math.nan
    """Mean over topics of distorted less original; positive is better, whatever the measure's direction."""
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    verdict: Verdict = "untested"
    why: str | None = "no topic has a score of it"


@dataclass(frozen=True, repr=False, kw_only=True)
class FoolingResult(Result):
    """Where measures rank made texts among the real systems, and how far their scores are from the originals'."""

    WORDS = "adjudge.analyses.meta.words.fooling"
    FIGURES: ClassVar[Mapping[str, str]] = {"fooling": "adjudge.analyses.meta.figures:fooling"}

    source: str
    """The real system whose summaries were distorted: the best by people."""
    judged: tuple[int, str, str]
    """It is the best of how many, machines or systems, by which human measure."""
    systems: int
    outcomes: tuple[FoolingOutcome, ...]
    made: Mapping[str, tuple[Sequence[Summary], Mapping[str, int]]]
    """By kind the texts, and how many could not be made, by reason."""
    unchecked: Mapping[str, str]
    """Measures that could not be checked, and why."""
    level: float
    signatures: tuple[str, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(outcome.measure for outcome in self.outcomes))

    def how(self) -> str:
        return "\n".join(self.signatures)

    def facts(self) -> dict[str, Any]:
        return {"source": self.source, "systems": self.systems, "level": self.level}

    def notes(self) -> Iterator[Note]:
        for measure, why in self.unchecked.items():
            yield Note.of("not-checked", measure=measure, why=why)
        for kind, (texts, left) in self.made.items():
            if left:
                yield Note.of("texts-not-made", kind=kind, some=bool(texts), why=dict(left))

    def tables(self) -> Iterator[Table]:
        """A row per measure and kind of made text."""
        yield Table.of(
            "fooling",
            [{**vars(outcome), "words": verdict_words(outcome)} for outcome in self.outcomes],
            Column("measure", show="never"),
            Column("title", "measure"),
            Column("kind", "made text"),
            Column("topics", show="varies"),
            Column("score", format=".4f"),
            Column("original", format=".4f"),
            Column("change", "change (+ better)", format="+.4f"),
            Column("low", f"{100 * self.level:.4g} % from", format="+.4f"),
            Column("high", "to", format="+.4f"),
            Column("p", show="never"),
            "place of",
            Column("original_place", "original's place"),
            Column("verdict", show="never"),
            Column("words", "verdict", data=False),
            Column("why", show="never"),
            title=f"Made texts among {counted(self.systems, 'real system')}; distorted: {self.source}; intervals"
            f" {like_these(['topics'])}",
        )


def fooling_all(run: MetaRun) -> FoolingResult:
    if run.scores is None or run.scores.folder is None:
        raise DataError("it needs the texts of an evaluation's folder, and there are scores alone")
    return fooling(collection_of(run.scores), run.cells, run.asked)


def fooling(collection: Collection, cells: Cells, asked: Meta) -> FoolingResult:
    """Score made texts among the real ones, measure by measure.

    Distorted are the summaries of the machine that people judge best, by the first human measure. Measures of
    judgments, imported scores and those that lack what they need are named with the reason, and left out.
    """
    length, form, level = asked.length, asked.form, 1 - asked.alpha
    batches = {}
    for topic, batch in batches_of(collection).items():
        if texts := tuple(s for s in collection.peers(topic) if is_at(TextRef.of(s), length, form)):
            batches[topic] = replace(batch, peers=texts)
    peers = [peer for batch in batches.values() for peer in batch.peers]
    if not peers:
        raise DataError(f"{collection.settings.name}: there is no such summary to check measures with")
    systems = sorted({peer.system for peer in peers}, key=natural)
    source, judged = _best(collection, cells, systems)
    checked: dict[Measure, None] = {}
    unchecked: dict[str, str] = {}
    for spec in (info.measure for info in cells.measures):
        try:
            for measure in parse_measures(spec):
                if looks_at_judgments(measure):
                    raise DataError("it is made from judgments, and nobody has judged the made texts")
                if measure.scope == "evaluation":
                    raise DataError("its scores depend on all summaries together")
                check_needs(collection, NOTHING, [measure])
                checked |= dict.fromkeys(measure.fitted(list(batches.values())))
        except (DataError, UsageError) as error:
            unchecked[spec] = error.text
    if not checked:
        whys = "; ".join(f"{measure}: {why}" for measure, why in unchecked.items())
        raise DataError(f"no measure can be checked with made texts: {whys}")
    made = {
        kind: made_texts(
            kind,
            (peer for peer in peers if kind == BIGRAM_LIST or peer.system == source),
            collection,
            seed=asked.seed,
        )
        for kind in KIND_WORDS
    }
    # A distorted text is scored under the source's name: where the source wrote a reference too, it is compared
    # with those that the original was compared with. The original's units are not its own.
    work = [("", batch) for batch in batches.values()]
    for topic, batch in batches.items():
        units = tuple(unit for unit in batch.units if unit.system != source)
        for kind, (of_kind, _) in made.items():
            if texts := tuple(text for text in of_kind if text.topic == topic):
                work.append((_column(kind), replace(batch, peers=texts, units=units, _kept={})))
    rows: list[Score] = []
    for done, (column, batch) in enumerate(work, 1):
        scored = score_batches(list(checked), [batch])
        rows += [replace(row, system=column) for row in scored] if column else scored
        asked.progress(done, len(work))
    scored_by = {row.measure for row in rows}
    table = ScoreTable.from_rows(rows, [m.info() for m in checked if m.info().measure in scored_by])
    matrices = [table.matrix(measure, length=length, form=form).averaged() for measure in table.info]
    how = f"fooling|of:{source}|seed:{asked.seed}|interval:t:{level:g}"
    return FoolingResult(
        source=source,
        judged=judged,
        systems=len(systems),
        outcomes=tuple(
            _outcome(matrix, kind, source, systems, level)
            for matrix in matrices
            for kind in KIND_WORDS
            if _column(kind) in matrix.systems
        ),
        made=made,
        unchecked=unchecked,
        level=level,
        signatures=tuple(f"{how}|{matrix.signature}" for matrix in matrices),
    )


def _column(kind: str) -> str:
    """What a kind of made text is called among the real systems: no name has a line break."""
    return f"{kind}\n"


def _best(collection: Collection, cells: Cells, systems: Sequence[str]) -> tuple[str, tuple[int, str, str]]:
    """The machine that people judge best, by the mean; of how many, and by which measure."""
    human = cells.humans[0]
    means = dict(zip(cells.systems, column_means(human.values).tolist(), strict=True))
    judged = [s for s in systems if not math.isnan(means.get(s, math.nan))]
    machines = [s for s in judged if collection.kind(s) == "machine"]
    judged, noun = (machines, "machine") if machines else (judged, "system")
    if not judged:
        raise DataError(f"{collection.settings.name}: nobody judged {listed(systems)} on {human.info.words}")
    return max(judged, key=lambda s: means[s]), (len(judged), noun, human.info.words)


def _outcome(
    matrix: ScoreMatrix, kind: str, source: str, systems: Sequence[str], level: float
) -> FoolingOutcome:
    """Over the topics that have the made text, and the original of a distorted one."""
    is_list = kind == BIGRAM_LIST
    sign = -1 if matrix.info.better == "lower" else 1
    scores = {s: sign * matrix.values[:, k] for k, s in enumerate(matrix.systems)}
    unscored = np.full(len(matrix.values), np.nan)
    kept = ~np.isnan(scores[_column(kind)]) & (is_list | ~np.isnan(scores.get(source, unscored)))
    outcome = FoolingOutcome(measure=matrix.measure, title=matrix.title, kind=kind, topics=int(kept.sum()))
    if not kept.any():
        return outcome
    made = scores[_column(kind)][kept]
    real = {s: scores[s][kept] for s in systems if s in scores and not np.isnan(scores[s][kept]).all()}
    means = {s: float(column_means(column[:, None])[0]) for s, column in real.items()}

    def place(mean: float) -> int:
        others = (-other for s, other in means.items() if is_list or s != source)
        return int(places([*others, -mean])[-1])

    outcome = replace(
        outcome, score=sign * float(made.mean()), place=place(float(made.mean())), of=len(real) + is_list
    )
    if is_list:
        return replace(outcome, verdict="placed", why=None)
    test = paired_t(made, real[source])
    effect = pair_effects(np.column_stack([made, real[source]]), level=level).mean
    unseen = not math.isnan(test.p) and test.ties == test.n
    verdict: Verdict = "untested" if math.isnan(test.p) else "unseen" if unseen else "not worse"
    if verdict == "not worse" and test.p <= 1 - level:
        verdict = "better" if test.difference > 0 else "worse"
    return replace(
        outcome,
        original=sign * means[source],
        original_place=place(means[source]),
        change=test.difference,
        low=float(effect.low[0]),
        high=float(effect.high[0]),
        p=math.nan if unseen else test.p,  # a test of zeros says nothing
        verdict=verdict,
        why="the scores are the same on every topic" if unseen else test.why,
    )
