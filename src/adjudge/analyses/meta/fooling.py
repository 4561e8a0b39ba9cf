"""Can a measure be fooled? Texts that are no summaries, or spoilt ones, scored among the real ones.

Sjöbergh 2007; Zopf 2018, section 2.2. Nothing is written to the folder: the texts are made and scored in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge.analyses.meta.cells import Cells, column_means
from adjudge.analyses.questions import is_at
from adjudge.core.engine import Workers, chunked, run, worker_count
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed, natural
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.data.fooling import BIGRAM_LIST, DISTORTIONS, KIND_WORDS, FoolingTexts, bigram_lists, distortions
from adjudge.data.incoming import Item, take_all
from adjudge.data.rows import Summary, System
from adjudge.data.scores import UNSET, AllLengths, Better, MeasureInfo, Score, ScoreMatrix, ScoreTable
from adjudge.judgments.batch import TopicBatch, batches_of
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measures
from adjudge.measures.run import looks_at_judgments, score_batches
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.effects import pair_effects
from adjudge.stats.multiple import holm
from adjudge.stats.order import places
from adjudge.stats.paired import paired_t

Verdict = Literal["unseen", "better", "not worse", "worse", "untested", "placed"]
"""Of a distorted summary, compared with its original; a bigram list has no original, and is placed."""
VERDICT_WORDS: Mapping[Verdict, str] = {
    "unseen": "does not see it",
    "better": "fooled: significantly better",
    "not worse": "not significantly worse",
    "worse": "significantly worse",
    "untested": "not tested",
}
TOGETHER = 10
"""Topics that travel to a worker together; few, so that slow measures show their progress."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FoolingOutcome:
    """One kind of made text under one measure, over the topics for which it could be made and scored.

    A distorted summary takes its original's place among the real systems; a bigram list is one more beside them.
    """

    measure: str
    title: str
    better: Better
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

    @property
    def words(self) -> str:
        if self.verdict == "untested":
            return f"{VERDICT_WORDS['untested']}: {self.why}"
        if self.verdict != "placed":
            return VERDICT_WORDS[self.verdict]
        if not self.against:
            return f"{VERDICT_WORDS['untested']}: {self.why}"
        return f"significantly better than {self.above}, worse than {self.below} of {self.against}"


@dataclass(frozen=True, repr=False)
class FoolingResult(Pictured, Tabular):
    """Where measures rank made texts among the real systems, and how far their scores are from the originals'."""

    FIGURES: ClassVar[Mapping[str, str]] = {"fooling": "adjudge.analyses.meta.figures:fooling"}

    evaluation: str
    source: str
    """The real system whose summaries were distorted."""
    chosen: str
    """Why that one."""
    systems: int
    outcomes: tuple[FoolingOutcome, ...]
    made: tuple[FoolingTexts, ...]
    originals: tuple[Summary, ...]
    unchecked: Mapping[str, str]
    """Measures that could not be checked, and why."""
    level: float
    seed: int
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(outcome.measure for outcome in self.outcomes))

    @property
    def texts(self) -> tuple[Summary, ...]:
        """The made texts, each under the name of its kind, in the order of the topics."""
        found = [
            replace(each, system=made.kind, roles=("peer",)) for made in self.made for each in made.summaries
        ]
        order = {kind: at for at, kind in enumerate(KIND_WORDS)}
        return tuple(sorted(found, key=lambda s: (natural(s.topic), s.target.order, order[s.system])))

    def outcome(self, measure: str, kind: str) -> FoolingOutcome:
        for each in self.outcomes:
            if (each.measure, each.kind) == (measure, kind):
                return each
        raise UsageError(f"no outcome of {kind} under {measure}")

    def write_texts(self, path: str | Path) -> Path:
        """Write the made texts and their originals into a new evaluation of their own, for people to read or judge."""
        folder = Folder.init(path, name=f"{self.evaluation}: texts to fool measures")
        take_all(folder, self._items(), what="fooling texts")
        return folder.path

    def _items(self) -> Iterator[Item]:
        kinds = dict.fromkeys(each.system for each in self.texts)
        for kind in kinds:
            of = "" if kind == BIGRAM_LIST else f" of {self.source}"
            yield "fooling", System(kind, kind="baseline", label=f"{KIND_WORDS[kind]}{of}")
        for each in self.originals:
            name = each.system if each.system not in kinds else f"{each.system} (original)"
            yield "fooling", replace(each, system=name, roles=("peer",))
        yield from (("fooling", each) for each in self.texts)

    # Tables

    def table(self) -> Table:
        """A row per measure and kind of made text."""
        level = f"{100 * self.level:.4g} % from"
        return Table(
            name="fooling",
            title=f"Made texts among {counted(self.systems, 'real system')}; distorted: {self.source}",
            columns=(
                Column("measure", show="never"),
                Column("title", "measure"),
                Column("kind", "made text"),
                Column("topics", show="varies"),
                Column("score", format=".4f"),
                Column("original", format=".4f"),
                Column("change", "change (+ better)", format="+.4f"),
                Column("low", level, format="+.4f"),
                Column("high", "to", format="+.4f"),
                Column("p", show="never"),
                Column("place"),
                Column("of"),
                Column("original_place", "original's place"),
                Column("above", show="never"),
                Column("below", show="never"),
                Column("against", show="never"),
                Column("verdict", show="never"),
                Column("fooled", show="never"),
                Column("words", "verdict", data=False),
                Column("why", show="never"),
            ),
            rows=tuple(
                (
                    each.measure,
                    each.title,
                    each.kind,
                    each.topics,
                    each.score,
                    each.original,
                    each.change,
                    each.low,
                    each.high,
                    each.p,
                    each.place,
                    each.of,
                    each.original_place,
                    each.above,
                    each.below,
                    each.against,
                    each.verdict,
                    each.fooled,
                    each.words,
                    each.why,
                )
                for each in self.outcomes
            ),
            said=tuple(self.sentences()),
            notes=self.notes,
            signature=self.signature,
        )

    def places_table(self) -> Table:
        """The places alone, a row per measure."""
        kinds = list(dict.fromkeys(each.kind for each in self.outcomes))
        rows: list[tuple[Cell, ...]] = []
        for measure in self.measures:
            own = {each.kind: each for each in self.outcomes if each.measure == measure}
            shown = [_place_cell(own.get(kind)) for kind in kinds]
            rows.append((own[kinds[0]].title, *shown))
        return Table(
            name="fooling-places",
            title=f"Places among the real systems: the bigram list, and {self.source} before and after distortion",
            columns=(Column("title", "measure"), *(Column(kind, right=True) for kind in kinds)),
            rows=tuple(rows),
        )

    def tables(self) -> Tables:
        return Tables((self.table(), self.places_table()), notes=self.notes)

    # Words

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """What the table says, in plain words."""
        if said := self._list_words():
            yield said
        for measure in self.measures:
            own = [each for each in self.outcomes if each.measure == measure and each.kind in DISTORTIONS]
            if said := _distortion_words(own):
                yield f"By {own[0].title}, compared with the summaries as they were: {said}."
        yield (
            f"The distorted summaries are those of {self.source} ({self.chosen}). Changes are in the measure's unit, +"
            " for better, paired by topic, with Student's intervals, which take topics as independent; each is tested"
            f" on its own at {1 - self.level:.3g}, so that a significant one may be small."
        )
        if any(each.against for each in self.outcomes):
            yield (
                "The bigram list is compared with every real system by the paired t-test, p corrected by Holm's method"
                " over the systems of a measure."
            )

    def _list_words(self) -> str:
        own = [each for each in self.outcomes if each.kind == BIGRAM_LIST and each.place is not None]
        if not own:
            return ""
        own.sort(key=lambda each: (each.place or 0) / each.of)
        first, last = own[0], own[-1]
        said = (
            "A list of the sources' most frequent bigrams, which is no summary, has"
            f" place {first.place} of {first.of} by {first.title}"
        )
        if (last.place, last.of) == (first.place, first.of):
            return f"{said}{'' if len(own) == 1 else f', and by all {len(own)} measures'}."
        return f"{said}, and place {last.place} of {last.of} by {last.title}."

    def as_dict(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "source": self.source,
            "chosen": self.chosen,
            "systems": self.systems,
            "level": self.level,
            "seed": self.seed,
            "headline": self.headline(),
            "sentences": list(self.sentences()),
            "outcomes": [
                {**plain(each), "fooled": each.fooled, "words": each.words} for each in self.outcomes
            ],
            "unchecked": dict(self.unchecked),
            "left_out": {made.kind: dict(made.left_out) for made in self.made if made.left_out},
            "notes": list(self.notes),
            "signature": self.signature,
        }


def _place_cell(outcome: FoolingOutcome | None) -> str | None:
    if outcome is None or outcome.place is None:
        return None
    if outcome.kind == BIGRAM_LIST:
        return f"{outcome.place} of {outcome.of}"
    return f"{outcome.original_place} to {outcome.place}"


_SAID: Mapping[Verdict, str] = {
    "unseen": "{} not seen",
    "better": "{} significantly better",
    "not worse": "{} not significantly worse",
    "worse": "{} significantly worse",
    "untested": "{} not tested",
}


def _distortion_words(outcomes: Sequence[FoolingOutcome]) -> str:
    """By verdict: what was done, and how far the score moved."""
    by_verdict: dict[Verdict, list[str]] = {}
    for each in outcomes:
        size = (
            f" ({decimal(each.change, '+.4f')})" if each.verdict in ("better", "not worse", "worse") else ""
        )
        by_verdict.setdefault(each.verdict, []).append(f"{KIND_WORDS[each.kind]}{size}")
    return "; ".join(
        words.format(listed(by_verdict[verdict], most=len(DISTORTIONS)))
        for verdict, words in _SAID.items()
        if verdict in by_verdict
    )


# Checking


def fooling(
    collection: Collection,
    measures: str | Measure | Sequence[str | Measure] = (),
    *,
    cells: Cells | None = None,
    of: str | None = None,
    length: int | AllLengths | None = None,
    form: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress = lambda done, of: None,
) -> FoolingResult:
    """Score made texts among the real ones, measure by measure.

    `of` names the system whose summaries are distorted; unless said, it is the machine that people judge best, by the
    first human measure of `cells`, and without people the one with the best mean place by the measures checked.
    `measures` are those of `cells` unless said. Measures of judgments, imported scores and those that lack what they
    need are named with the reason, and left out.
    """
    checks.share("level", level)
    if of is not None:
        collection.need_system(of)
    peers = {
        topic: tuple(s for s in collection.peers(topic) if is_at(TextRef.of(s), length, form))
        for topic in collection.topics
    }
    batches = {
        topic: replace(batch, peers=peers[topic])
        for topic, batch in batches_of(collection).items()
        if peers[topic]
    }
    if not batches:
        raise DataError(f"{collection.settings.name}: there is no such summary to check measures with")
    _need_one_target((s for some in peers.values() for s in some), length, form)
    asked, unchecked = _checkable(_specs(measures, cells), collection, list(batches.values()))
    checked = _Checked(collection, batches, asked, length, form, level, seed, workers, progress)
    return checked.result(cells, of, unchecked)


def _need_one_target(peers: Iterable[Summary], length: int | AllLengths | None, form: str | None) -> None:
    """Several lengths or forms are never mixed silently; said before anything is scored."""
    targets = {peer.target for peer in peers}
    lengths = sorted({target.length for target in targets}, key=lambda n: n or 0)
    forms = sorted({target.form or UNSET for target in targets})
    for name, there, chosen in (("length", lengths, length), ("form", forms, form)):
        if chosen is None and len(there) > 1:
            said = ", ".join(UNSET if each is None else str(each) for each in there)
            raise UsageError(f"there are summaries of several {name}s ({said}): choose one with {name}")


def _specs(measures: str | Measure | Sequence[str | Measure], cells: Cells | None) -> list[str]:
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    found = list(map(str, given)) or [info.measure for info in (cells.measures if cells else ())]
    if not found:
        raise UsageError("no measure to check")
    return found


def _checkable(
    specs: Iterable[str], collection: Collection, batches: Sequence[TopicBatch]
) -> tuple[list[Measure], dict[str, str]]:
    """The measures that can score new texts, and why the others cannot."""
    have = {
        "references": any(batch.references for batch in batches),
        "documents": any(batch.documents for batch in batches),
        "units": bool(collection.units),
    }
    found: dict[Measure, None] = {}
    unchecked: dict[str, str] = {}
    for spec in specs:
        try:
            for measure in parse_measures(spec):
                measure.check_installed()
                if why := _why_not(measure, have):
                    unchecked[str(measure)] = why
                else:
                    found |= dict.fromkeys(measure.fitted(batches))
        except UsageError as error:
            unchecked[spec] = str(error)
    if not found:
        whys = "; ".join(f"{name}: {why}" for name, why in unchecked.items())
        raise DataError(f"no measure can be checked with made texts: {whys}")
    return list(found), unchecked


def _why_not(measure: Measure, have: Mapping[str, bool]) -> str | None:
    if looks_at_judgments(measure):
        return "it is made from judgments, and nobody has judged the made texts"
    if measure.better is None:
        return "it is a description: nobody is better by it"
    if measure.scope == "evaluation":
        return "its scores depend on all summaries together"
    missing = sorted(need for need in measure.needs if not have[need])
    return f"it needs {' and '.join(missing)}, and there are none" if missing else None


Work = tuple[str, Sequence[TopicBatch]]


def _score_work(measures: Sequence[Measure], work: Work) -> list[Score]:
    """Scores of topics, under the name of a kind where the work has one."""
    name, batches = work
    rows = score_batches(measures, batches)
    return [replace(row, system=name) for row in rows] if name else rows


@dataclass
class _Checked:
    collection: Collection
    batches: Mapping[str, TopicBatch]
    measures: Sequence[Measure]
    length: int | AllLengths | None
    form: str | None
    level: float
    seed: int
    workers: Workers
    progress: Progress

    def __post_init__(self) -> None:
        taken = {peer.system for batch in self.batches.values() for peer in batch.peers}
        self.systems = sorted(taken, key=natural)
        self.names = {}  # of the columns of made texts: a real system may be called as a kind is
        for kind in KIND_WORDS:
            name = kind
            while name in taken:
                name += "*"
            self.names[kind] = name

    def result(self, cells: Cells | None, of: str | None, unchecked: Mapping[str, str]) -> FoolingResult:
        peers = [peer for batch in self.batches.values() for peer in batch.peers]
        lists = bigram_lists(self.collection, peers, self.names[BIGRAM_LIST])
        rows = self._scored([("", self._with_lists(lists))], 0)
        source, chosen = self._source(cells, of, rows)
        own = [peer for peer in peers if peer.system == source]
        made = [lists, *(distortions(self.collection, kind, own, seed=self.seed) for kind in DISTORTIONS)]
        rows += self._scored(self._distorted_work(source, made[1:]), 1)
        matrices = self._matrices(rows)
        outcomes = [
            outcome
            for matrix in matrices
            for each in made
            if each.summaries
            for outcome in [self._outcome(matrix, each.kind, source)]
            if outcome is not None
        ]
        about = f"of:{source}|seed:{self.seed}|interval:t:{self.level:g}"
        return FoolingResult(
            evaluation=self.collection.settings.name,
            source=source,
            chosen=chosen,
            systems=len(self.systems),
            outcomes=tuple(outcomes),
            made=tuple(made),
            originals=tuple(own),
            unchecked=dict(unchecked),
            level=self.level,
            seed=self.seed,
            signature="\n".join(f"fooling|{about}|{matrix.signature}" for matrix in matrices),
            notes=tuple(self._notes(made, unchecked, matrices)),
        )

    # Scoring

    def _with_lists(self, lists: FoolingTexts) -> list[TopicBatch]:
        by_topic: dict[str, list[Summary]] = {}
        for each in lists.summaries:
            by_topic.setdefault(each.topic, []).append(each)
        return [
            replace(batch, peers=(*batch.peers, *by_topic.get(topic, ())))
            for topic, batch in self.batches.items()
        ]

    def _distorted_work(self, source: str, made: Sequence[FoolingTexts]) -> list[Work]:
        """Distorted texts in the batches that they are scored in.

        Those of a topic share one, each kind under its name. Where the source wrote a reference too, each kind has its
        own, under the source's name: so the text is compared with the references that the original was compared with.
        The units of the original are not those of a distorted text.
        """
        wrote = {t for t, b in self.batches.items() if any(r.system == source for r in b.references)}
        peers: dict[str, dict[str, list[Summary]]] = {}
        for each in made:
            name = self.names[each.kind]
            for text in each.summaries:
                own = text.topic in wrote
                some = peers.setdefault(name if own else "", {}).setdefault(text.topic, [])
                some.append(text if own else replace(text, system=name))
        return [
            (name, [self._only(topic, own, source) for topic, own in some.items()])
            for name, some in peers.items()
        ]

    def _only(self, topic: str, peers: Sequence[Summary], source: str) -> TopicBatch:
        batch = self.batches[topic]
        units = tuple(unit for unit in batch.units if unit.system != source)
        return replace(batch, peers=tuple(peers), units=units, _kept={})

    def _scored(self, work: Sequence[Work], turn: int) -> list[Score]:
        """The real texts and the bigram lists are the first turn, the distorted ones the second."""
        chunks: list[Work] = [(name, some) for name, batches in work for some in chunked(batches, TOGETHER)]
        workers = min(worker_count(self.workers), max(len(chunks), 1))
        found: list[Score] = []
        topics, total, done = len(self.batches), sum(len(some) for _, some in chunks), 0
        scored = run(partial(_score_work, tuple(self.measures)), chunks, workers=workers)
        for (_, batches), rows in zip(chunks, scored, strict=True):
            found += rows
            done += len(batches)
            self.progress(turn * topics + topics * done // total, 2 * topics)
        return found

    def _matrices(self, rows: Sequence[Score]) -> list[ScoreMatrix]:
        """By measure, a row per topic; columns are the real systems and the made ones."""
        infos = {str(measure): measure.info() for measure in self.measures}
        there = dict.fromkeys(row.measure for row in rows)
        table = ScoreTable.from_rows(rows, [infos[name] for name in there])
        return [
            table.matrix(name, length=self.length, form=self.form).averaged()
            for name in infos
            if name in there
        ]

    # Whose summaries are distorted

    def _source(self, cells: Cells | None, of: str | None, rows: Sequence[Score]) -> tuple[str, str]:
        if of is not None:
            if of not in self.systems:
                raise UsageError(f"{of} has no summary to distort; those that have: {listed(self.systems)}")
            return of, "as asked"
        machines = [s for s in self.systems if self.collection.kind(s) == "machine"]
        who = machines or self.systems
        noun = "machine" if machines else "system"
        if cells is not None:
            human = cells.humans[0]
            means = dict(zip(cells.systems, column_means(human.values), strict=True))
            judged = [s for s in who if not math.isnan(means.get(s, math.nan))]
            if judged:
                best = max(judged, key=lambda s: float(means[s]))
                return best, f"the best of {counted(len(judged), noun)} by {human.info.words}, by the mean"
        ranks: dict[str, list[int]] = {s: [] for s in who}
        for matrix in self._matrices(rows):
            means = dict(zip(matrix.systems, column_means(_sign(matrix.info) * matrix.values), strict=True))
            there = [s for s in who if not math.isnan(means.get(s, math.nan))]
            for system, place in zip(there, places([-means[s] for s in there]), strict=True):
                ranks[system].append(int(place))
        ranked = {system: float(np.mean(own)) for system, own in ranks.items() if own}
        if not ranked:
            raise DataError(f"{self.collection.settings.name}: no measure gave a score to {listed(who)}")
        best = min(ranked, key=lambda s: ranked[s])
        return best, f"the {noun} with the best mean place by these measures; no human measure was given"

    # Outcomes

    def _outcome(self, matrix: ScoreMatrix, kind: str, source: str) -> FoolingOutcome | None:
        """Over the topics that have the made text, and the original of a distorted one."""
        at = {system: k for k, system in enumerate(matrix.systems)}
        if self.names[kind] not in at:
            return None
        values = _sign(matrix.info) * matrix.values
        made = values[:, at[self.names[kind]]]
        own = np.full(len(made), np.nan) if source not in at else values[:, at[source]]
        rows = ~np.isnan(made) & (~np.isnan(own) | (kind == BIGRAM_LIST))
        values, made, own = values[rows], made[rows], own[rows]
        means = {s: float(column_means(values[:, [at[s]]])[0]) for s in self.systems if s in at}
        means = {s: mean for s, mean in means.items() if not math.isnan(mean)}
        found = FoolingOutcome(
            measure=matrix.measure,
            title=matrix.title,
            better=matrix.info.better,
            kind=kind,
            topics=len(made),
            score=_sign(matrix.info) * float(made.mean()) if len(made) else math.nan,
            place=None,
            of=len(means) + (kind == BIGRAM_LIST),
            verdict="untested",
            why="no topic has a score of it",
        )
        if not len(made):
            return found
        if kind == BIGRAM_LIST:
            return replace(found, **self._listed(made, values[:, [at[s] for s in means]], means))
        return replace(found, **self._distorted(made, own, means, source, _sign(matrix.info)))

    def _listed(self, made: FloatArray, real: FloatArray, means: Mapping[str, float]) -> dict[str, Any]:
        """The place of a bigram list beside all real systems, and from how many it differs."""
        tests = [paired_t(made, column) for column in real.T]
        tests = [test for test in tests if not math.isnan(test.p)]
        significant = holm([test.p for test in tests]) <= 1 - self.level
        better = np.array([test.difference > 0 for test in tests], dtype=bool)
        return {
            "place": int(places([*(-mean for mean in means.values()), -float(made.mean())])[-1]),
            "against": len(tests),
            "above": int((significant & better).sum()),
            "below": int((significant & ~better).sum()),
            "verdict": "placed",
            "why": None if tests else "needs two topics or more, and scores that vary",
        }

    def _distorted(
        self, made: FloatArray, own: FloatArray, means: Mapping[str, float], source: str, sign: int
    ) -> dict[str, Any]:
        """What distorting changes: the score, and the place when the distorted texts stand for the originals."""
        here = list(means).index(source)
        spoilt = {**means, source: float(made.mean())}
        test = paired_t(made, own)
        effect = pair_effects(np.column_stack([made, own]), level=self.level).mean
        verdict: Verdict = "not worse"
        if math.isnan(test.p):
            verdict = "untested"
        elif test.ties == test.n:
            verdict = "unseen"
        elif test.p <= 1 - self.level:
            verdict = "better" if test.difference > 0 else "worse"
        unseen = verdict == "unseen"
        return {
            "original": sign * means[source],
            "place": int(places([-mean for mean in spoilt.values()])[here]),
            "original_place": int(places([-mean for mean in means.values()])[here]),
            "change": test.difference,
            "low": float(effect.low[0]),
            "high": float(effect.high[0]),
            "p": math.nan if unseen else test.p,  # a test of zeros says nothing
            "verdict": verdict,
            "why": "the scores are the same on every topic" if unseen else test.why,
        }

    def _notes(
        self, made: Sequence[FoolingTexts], unchecked: Mapping[str, str], matrices: Sequence[ScoreMatrix]
    ) -> Iterator[str]:
        for name, why in unchecked.items():
            yield f"{name} is not checked: {why}"
        for each in made:
            if not each.left_out:
                continue
            whys = ", ".join(f"{why}: {n}" for why, n in each.left_out.items())
            left = sum(each.left_out.values())
            how = "is not made" if not each.summaries else f"is missing for {counted(left, 'text')}"
            yield f"{each.kind} {how} ({whys})"
        for matrix in matrices:
            real = [k for k, s in enumerate(matrix.systems) if s in self.systems]
            if holes := int(np.isnan(matrix.values[:, real]).sum()):
                yield (
                    f"{matrix.measure}: {counted(holes, 'score')} of real systems missing; their means are over the"
                    " topics that they have"
                )


def _sign(info: MeasureInfo) -> int:
    return -1 if info.better == "lower" else 1
