"""Can a measure be fooled? Texts that are no summaries, or spoilt ones, scored among the real ones.

Sjöbergh 2007; Zopf 2018, section 2.2. Nothing is written to the folder: the texts are made and scored in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, column_means
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.questions import is_at
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted, listed, natural
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.fooling import BIGRAM_LIST, DISTORTIONS, KIND_WORDS, FoolingTexts, bigram_lists, distortions
from adjudge.data.incoming import take_all
from adjudge.data.rows import Summary, System
from adjudge.data.scores import UNSET, Score, ScoreMatrix, ScoreTable
from adjudge.judgments.batch import TopicBatch, batches_of
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measures
from adjudge.measures.run import looks_at_judgments, score_batches
from adjudge.stats.effects import pair_effects
from adjudge.stats.multiple import holm
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
    score: float
    place: int | None
    of: int
    """How many have a place, the made system among them."""
    original: float = math.nan
    original_place: int | None = None
    change: float = math.nan
    """Mean over topics of distorted less original; positive is better, whatever the measure's direction."""
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    above: int | None = None
    """Of a bigram list: real systems that it is significantly better than."""
    below: int | None = None
    against: int | None = None
    """With how many it could be compared."""
    verdict: Verdict = "placed"
    why: str | None = None

    @property
    def fooled(self) -> bool | None:
        """Whether a spoilt text is shown to score as well as the original, or better; None where that is not known."""
        return {"unseen": True, "better": True, "worse": False}.get(self.verdict)


@dataclass(frozen=True, repr=False, kw_only=True)
class FoolingResult(Result):
    """Where measures rank made texts among the real systems, and how far their scores are from the originals'."""

    WORDS = "adjudge.analyses.meta.words.fooling"
    FIGURES: ClassVar[Mapping[str, str]] = {"fooling": "adjudge.analyses.meta.figures:fooling"}

    evaluation: str
    source: str
    """The real system whose summaries were distorted: the best by people."""
    judged: tuple[int, str, str]
    """It is the best of how many, machines or systems, by which human measure."""
    systems: int
    outcomes: tuple[FoolingOutcome, ...]
    made: tuple[FoolingTexts, ...]
    originals: tuple[Summary, ...]
    unchecked: Mapping[str, str]
    """Measures that could not be checked, and why."""
    missing: Mapping[str, int]
    """By measure: real summaries that it gave no score."""
    level: float
    signatures: tuple[str, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(outcome.measure for outcome in self.outcomes))

    @property
    def texts(self) -> tuple[Summary, ...]:
        """The made texts, each under the name of its kind, in the order of the topics."""
        order = list(KIND_WORDS)
        texts = [replace(s, system=m.kind, roles=("peer",)) for m in self.made for s in m.summaries]
        return tuple(sorted(texts, key=lambda s: (natural(s.topic), s.target.order, order.index(s.system))))

    def write_texts(self, path: str | Path) -> Path:
        """Write the made texts and their originals into a new evaluation of their own, for people to read or judge."""
        folder = Folder.init(path, name=f"{self.evaluation}: texts to fool measures")
        kinds = dict.fromkeys(text.system for text in self.texts)
        rows: list[System | Summary] = []
        for kind in kinds:
            of = "" if kind == BIGRAM_LIST else f" of {self.source}"
            rows.append(System(kind, kind="baseline", label=f"{KIND_WORDS[kind]}{of}"))
        for text in self.originals:
            name = text.system if text.system not in kinds else f"{text.system} (original)"
            rows.append(replace(text, system=name, roles=("peer",)))
        take_all(folder, (("fooling", row) for row in (*rows, *self.texts)), what="fooling texts")
        return folder.path

    def how(self) -> str:
        return "\n".join(self.signatures)

    def facts(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "systems": self.systems,
            "level": self.level,
            "unchecked": dict(self.unchecked),
            "left_out": {made.kind: dict(made.left_out) for made in self.made if made.left_out},
        }

    def notes(self) -> Iterator[Note]:
        for measure, why in self.unchecked.items():
            yield Note.of("not-checked", measure=measure, why=why)
        for made in self.made:
            if made.left_out:
                yield Note.of(
                    "texts-not-made", kind=made.kind, some=bool(made.summaries), why=dict(made.left_out)
                )
        for measure, n in self.missing.items():
            yield Note.of("scores-missing", measure=measure, n=n)

    def tables(self) -> Iterator[Table]:
        """A row per measure and kind of made text; then the places alone, a row per measure."""
        from adjudge.analyses.meta.words.fooling import verdict_words

        rows = [
            {**vars(outcome), "fooled": outcome.fooled, "words": verdict_words(outcome)}
            for outcome in self.outcomes
        ]
        yield Table.of(
            "fooling",
            rows,
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
            *(Column(name, show="never") for name in ("above", "below", "against", "verdict", "fooled")),
            Column("words", "verdict", data=False),
            Column("why", show="never"),
            title=f"Made texts among {counted(self.systems, 'real system')}; distorted: {self.source}",
        )
        places: dict[str, dict[str, str | None]] = {}
        for outcome in self.outcomes:
            moved = f"{outcome.original_place} to {outcome.place}"
            moved = f"{outcome.place} of {outcome.of}" if outcome.kind == BIGRAM_LIST else moved
            row = places.setdefault(outcome.measure, {"title": outcome.title})
            row[outcome.kind] = None if outcome.place is None else moved
        yield Table.of(
            "fooling-places",
            places.values(),
            Column("title", "measure"),
            *(Column(kind, right=True) for kind in dict.fromkeys(o.kind for o in self.outcomes)),
            title=f"Places among the real systems: the bigram list, and {self.source} before and after distortion",
        )


def fooling_all(run: MetaRun) -> FoolingResult:
    if run.scores is None or run.scores.folder is None:
        raise DataError("it needs the texts of an evaluation's folder, and there are scores alone")
    return fooling(load(Folder.open(run.scores.folder)), run.cells, run.asked)


def fooling(collection: Collection, cells: Cells, asked: Meta) -> FoolingResult:
    """Score made texts among the real ones, measure by measure.

    Distorted are the summaries of the machine that people judge best, by the first human measure. Measures of
    judgments, imported scores and those that lack what they need are named with the reason, and left out.
    """
    name, length, form, level = collection.settings.name, asked.length, asked.form, 1 - asked.alpha
    batches = {}
    for topic, batch in batches_of(collection).items():
        if texts := tuple(s for s in collection.peers(topic) if is_at(TextRef.of(s), length, form)):
            batches[topic] = replace(batch, peers=texts)
    if not batches:
        raise DataError(f"{name}: there is no such summary to check measures with")
    peers = [peer for batch in batches.values() for peer in batch.peers]
    lengths = sorted({peer.target.length for peer in peers}, key=lambda n: n or 0)
    forms = sorted({peer.target.form or UNSET for peer in peers})
    for what, there, chosen in (("length", lengths, length), ("form", forms, form)):
        if chosen is None and len(there) > 1:
            several = ", ".join(str(one or UNSET) for one in there)
            raise UsageError(f"there are summaries of several {what}s ({several}): choose one with {what}")
    checked, unchecked = _checkable(cells, collection, list(batches.values()))
    systems = sorted({peer.system for peer in peers}, key=natural)
    source, judged = _best(collection, cells, systems)
    names: dict[str, str] = {}  # of the columns of made texts: a real system may be called as a kind is
    for kind in KIND_WORDS:
        names[kind] = kind
        while names[kind] in systems:
            names[kind] += "*"
    originals = [peer for peer in peers if peer.system == source]
    lists = bigram_lists(collection, peers, names[BIGRAM_LIST])
    made = [lists, *(distortions(collection, kind, originals, seed=asked.seed) for kind in DISTORTIONS)]
    # A distorted text is scored under the source's name: where the source wrote a reference too, it is compared
    # with those that the original was compared with. The original's units are not its own.
    work: list[tuple[str, TopicBatch]] = []
    for topic, batch in batches.items():
        listed_here = tuple(text for text in lists.summaries if text.topic == topic)
        work.append(("", replace(batch, peers=(*batch.peers, *listed_here))))
        units = tuple(unit for unit in batch.units if unit.system != source)
        for spoilt in made[1:]:
            if texts := tuple(text for text in spoilt.summaries if text.topic == topic):
                work.append((names[spoilt.kind], replace(batch, peers=texts, units=units, _kept={})))
    rows: list[Score] = []
    for done, (column, batch) in enumerate(work, 1):
        scored = score_batches(checked, [batch])
        rows += [replace(row, system=column) for row in scored] if column else scored
        asked.progress(done, len(work))
    scored_by = {row.measure for row in rows}
    infos = [info for measure in checked if (info := measure.info()).measure in scored_by]
    table = ScoreTable.from_rows(rows, infos)
    matrices = [table.matrix(info.measure, length=length, form=form).averaged() for info in infos]
    outcomes = [
        _outcome(matrix, kind.kind, names[kind.kind], source, systems, level)
        for matrix in matrices
        for kind in made
        if kind.summaries and names[kind.kind] in matrix.systems
    ]
    missing = {m.measure: int(np.isnan(m.values[:, np.isin(m.systems, systems)]).sum()) for m in matrices}
    how = f"fooling|of:{source}|seed:{asked.seed}|interval:t:{level:g}"
    return FoolingResult(
        evaluation=name,
        source=source,
        judged=judged,
        systems=len(systems),
        outcomes=tuple(outcomes),
        made=tuple(made),
        originals=tuple(originals),
        unchecked=unchecked,
        missing={measure: n for measure, n in missing.items() if n},
        level=level,
        signatures=tuple(f"{how}|{matrix.signature}" for matrix in matrices),
    )


def _checkable(
    cells: Cells, collection: Collection, batches: Sequence[TopicBatch]
) -> tuple[list[Measure], dict[str, str]]:
    """The measures that can score new texts, and why the others cannot."""
    have = {
        "references": any(batch.references for batch in batches),
        "documents": any(batch.documents for batch in batches),
        "units": bool(collection.units),
    }
    checked: dict[Measure, None] = {}
    unchecked: dict[str, str] = {}
    for spec in (info.measure for info in cells.measures):
        try:
            for measure in parse_measures(spec):
                measure.check_installed()
                missing = sorted(need for need in measure.needs if not have.get(need, True))
                if looks_at_judgments(measure):
                    why = "it is made from judgments, and nobody has judged the made texts"
                elif measure.better is None:
                    why = "it is a description: nobody is better by it"
                elif measure.scope == "evaluation":
                    why = "its scores depend on all summaries together"
                elif missing:
                    why = f"it needs {' and '.join(missing)}, and there are none"
                else:
                    checked |= dict.fromkeys(measure.fitted(batches))
                    continue
                unchecked[str(measure)] = why
        except UsageError as error:
            unchecked[spec] = str(error)
    if not checked:
        whys = "; ".join(f"{measure}: {why}" for measure, why in unchecked.items())
        raise DataError(f"no measure can be checked with made texts: {whys}")
    return list(checked), unchecked


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
    matrix: ScoreMatrix, kind: str, name: str, source: str, systems: Sequence[str], level: float
) -> FoolingOutcome:
    """Over the topics that have the made text, and the original of a distorted one."""
    is_list = kind == BIGRAM_LIST
    sign = -1 if matrix.info.better == "lower" else 1
    scores = {s: sign * matrix.values[:, k] for k, s in enumerate(matrix.systems)}
    kept = ~np.isnan(scores[name])
    if not is_list:
        kept &= ~np.isnan(scores[source]) if source in scores else False
    scores = {s: column[kept] for s, column in scores.items()}
    made = scores[name]
    real = [s for s in systems if s in scores and not np.isnan(scores[s]).all()]
    means = {s: float(column_means(scores[s][:, None])[0]) for s in real}
    outcome = FoolingOutcome(
        measure=matrix.measure,
        title=matrix.title,
        kind=kind,
        topics=len(made),
        score=sign * float(made.mean()) if len(made) else math.nan,
        place=None,
        of=len(real) + is_list,
        verdict="untested",
        why="no topic has a score of it",
    )
    if not len(made):
        return outcome
    mean = float(made.mean())
    if is_list:  # one more beside all real systems
        tests = [test for s in real if not math.isnan((test := paired_t(made, scores[s])).p)]
        significant = holm([test.p for test in tests]) <= 1 - level
        better = np.array([test.difference > 0 for test in tests], dtype=bool)
        return replace(
            outcome,
            place=_place(mean, means.values()),
            against=len(tests),
            above=int((significant & better).sum()),
            below=int((significant & ~better).sum()),
            verdict="placed",
            why=None if tests else "needs two topics or more, and scores that vary",
        )
    others = [other for s, other in means.items() if s != source]
    test = paired_t(made, scores[source])
    effect = pair_effects(np.column_stack([made, scores[source]]), level=level).mean
    unseen = not math.isnan(test.p) and test.ties == test.n
    verdict: Verdict = "untested" if math.isnan(test.p) else "unseen" if unseen else "not worse"
    if verdict == "not worse" and test.p <= 1 - level:
        verdict = "better" if test.difference > 0 else "worse"
    return replace(
        outcome,
        original=sign * means[source],
        place=_place(mean, others),
        original_place=_place(means[source], others),
        change=test.difference,
        low=float(effect.low[0]),
        high=float(effect.high[0]),
        p=math.nan if unseen else test.p,  # a test of zeros says nothing
        verdict=verdict,
        why="the scores are the same on every topic" if unseen else test.why,
    )


def _place(mean: float, others: Iterable[float]) -> int:
    return int(places([*(-other for other in others), -mean])[-1])
