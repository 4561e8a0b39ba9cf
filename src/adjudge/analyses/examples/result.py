"""What differences look like: topics on which two systems differ most, their texts, and what made the difference.

Of ROUGE these are the n-grams or pairs of words of the references that one summary has and the other lacks, exactly as
the measure counts them; of judged coverage the units that people found in one and not, or not as much, in the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from adjudge import __version__
from adjudge.analyses.examples import SHOWN, Examples
from adjudge.analyses.gathered import collection_of, gathered_of
from adjudge.analyses.slices.slicing import look_at
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.results import Drawn, Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import listed
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary, Unit
from adjudge.data.scores import ScoreMatrix
from adjudge.judgments.batch import NOTHING, TopicBatch, batch_of
from adjudge.judgments.protocol import UNIT
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Measure, Spans
from adjudge.measures.judged.answers import pages, protocol_of
from adjudge.measures.judged.coverage import AdjustedCoverage, JudgedCoverage, LevelCoverage
from adjudge.measures.registry import parse_measure
from adjudge.measures.rouge.family import Rouge, RougeN
from adjudge.text.segments import Segment, segments

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.scores import Scores

LEAST = 0.25
"""What a unit must count more for one than for the other, from 0 to 1, to be marked."""
Made = Literal["n-grams", "units", "nothing"]
"""What the texts are marked by."""
Pick = Literal["asked", "next-different", "first-two"]
"""How the two systems were chosen: by name; the best and the next that differs from it; the two best."""
_UnitAnswers = dict[Any, dict[str, list[float]]]
"""By unit, and by assessor: the completeness that was given, several times where a page was repeated."""


class UnitDifference(NamedTuple):
    """A model unit that counts for one of the two and not, or not as much, for the other."""

    reference: str
    text: str
    a: float
    b: float
    """The mean completeness that assessors gave."""


class GramCounts(NamedTuple):
    """What ROUGE counts in a summary: the references' n-grams or pairs of words that it hits, and its own."""

    hits: int
    total: int
    references: int
    """Compared with; of several that there are, the one by `reference`."""
    reference: str | None
    peer_grams: int | None
    """None where only recall counts."""

    def facts(self) -> dict[str, Any]:
        return {"own" if name == "peer_grams" else name: count for name, count in self._asdict().items()}


class UnitCounts(NamedTuple):
    """How many units were judged in both summaries, and how much of them this one expresses on average."""

    units: int
    mean: float

    def facts(self) -> dict[str, Any]:
        return self._asdict()


@dataclass(frozen=True)
class ExampleText:
    """A text with two kinds of marks: what counts for the first system alone, and for the second alone."""

    system: str
    text: str
    first: Spans = ()
    second: Spans = ()
    counts: GramCounts | UnitCounts | None = None

    def pieces(self) -> tuple[Segment, ...]:
        """The text in pieces, each with whether it is of the first and of the second kind."""
        return tuple(segments(self.text, self.first, self.second))


class Why(NamedTuple):
    """Why a topic is shown: `ahead` is furthest ahead here, or in this place of those; else the usual difference."""

    ahead: str | None = None
    place: int = 0
    """From 1."""
    tied: bool = False
    """No topic has a difference."""


@dataclass(frozen=True)
class ExampleTopic:
    """One topic: the two texts, the references that both are compared with, and what made the difference."""

    topic: str
    title: str | None
    length: int | None
    why: Why
    scores: tuple[float, float]
    texts: tuple[ExampleText, ExampleText]
    references: tuple[ExampleText, ...] = ()
    only_first: tuple[str, ...] = ()
    """The n-grams of the references that count for the first alone, as the references have them."""
    only_second: tuple[str, ...] = ()
    units: tuple[UnitDifference, ...] = ()

    @property
    def difference(self) -> float:
        return self.scores[0] - self.scores[1]


@dataclass(frozen=True, repr=False, kw_only=True)
class ExamplesResult(Result):
    """Topics on which two systems differ most, with their texts."""

    matrix: ScoreMatrix
    """The two systems, on the topics that both have scores on."""
    examples: tuple[ExampleTopic, ...]
    made: Made
    pick: Pick
    picked_pair: tuple[str, str]
    """The two in the order in which they were chosen; `between` has the better one on these topics first."""
    language: str
    labels: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[Note, ...] = ()
    grams: int = 0
    """The words of an n-gram that the measure counts; 0 where it counts pairs of words."""

    @property
    def between(self) -> tuple[str, str]:
        a, b = self.matrix.systems
        return a, b

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    def how(self) -> str:
        return f"{self.matrix.signature}|examples:{'+'.join(self.between)}|v:{__version__}"

    def called(self, system: str) -> str:
        return self.labels.get(system, system)

    def notes(self) -> tuple[Note, ...]:
        return self.remarks

    def tables(self) -> Iterator[Table]:
        """A row per topic that is shown."""
        from adjudge.analyses.examples.words import why

        a, b = self.between
        yield Table.of(
            "examples",
            (
                (self.measure, e.topic, e.length, a, b, *e.scores, e.difference, why(self, e, str))
                for e in self.examples
            ),
            Column("measure", show="never"),
            Column("topic", right=False),
            Column("length", show="varies"),
            Column("first", show="never"),
            Column("second", show="never"),
            Column("score_first", a, format=".4f"),
            Column("score_second", b, format=".4f"),
            Column("difference", format="+.4f"),
            Column("why", "shown because", right=False),
            title=f"{self.matrix.heading}: {a} and {b}, side by side",
        )

    def drawn(self) -> Drawn:
        from adjudge.analyses.examples.words import side_by_side

        return list(side_by_side(self))

    def facts(self) -> dict[str, Any]:
        def text_facts(text: ExampleText) -> dict[str, Any]:
            return {**asdict(text), "counts": None if text.counts is None else text.counts.facts()}

        return {
            "measure": self.measure,
            "better": self.matrix.info.better,
            "between": self.between,
            "chosen": self.pick,
            "made_by": self.made,
            "examples": [
                {
                    **asdict(topic),
                    "why": topic.why._asdict(),
                    "difference": topic.difference,
                    "texts": list(map(text_facts, topic.texts)),
                    "references": list(map(text_facts, topic.references)),
                    "units": [unit._asdict() for unit in topic.units],
                }
                for topic in self.examples
            ],
        }


# Choosing


def examples_of(data: Scores, asked: Examples) -> ExamplesResult:
    """Topics on which two systems differ most: those named, or the best and the next that differs from it."""
    name = data.resolve(asked.measure)
    looked = look_at(data, name, asked.length, asked.form)
    names: Sequence[str] = asked.between
    pick: Pick = "asked"
    if not names:
        from adjudge.analyses.compare import compare

        comparison = compare(
            data, name, length=looked.length, form=looked.form, alpha=asked.alpha, seed=asked.seed
        )
        names, pick = default_pair(comparison)
    matrix = data.matrix(name, length=looked.length, form=looked.form)
    return examples_of_matrix(data, matrix, names, pick, asked=asked, notes=looked.chosen)


def default_pair(comparison: Comparison) -> tuple[tuple[str, str], Pick]:
    """The first of a ranking and the next that differs from it, or the first two."""
    names = [standing.system for standing in comparison.standings]
    if len(names) < 2:
        raise DataError(f"{comparison.measure}: one system has scores, so there is nothing to compare")
    first = names[0]
    pairs = [p for p in comparison.pairs[comparison.test] if p.different and first in (p.a, p.b)]
    apart = {p.b if p.a == first else p.a for p in pairs}
    for name in names[1:]:
        if name in apart:
            return (first, name), "next-different"
    return (first, names[1]), "first-two"


def examples_of_matrix(
    data: Scores,
    matrix: ScoreMatrix,
    between: Sequence[str],
    pick: Pick,
    *,
    asked: Examples | None = None,
    notes: Sequence[Note] = (),
    collection: Collection | None = None,
) -> ExamplesResult:
    """The same from a matrix of scores, and two of its systems."""
    if data.folder is None:
        raise DataError(f"{data.name}: texts side by side need an evaluation's folder, which has them")
    for system in between:
        if system not in matrix.systems:
            raise UsageError(
                f"{matrix.measure} has no scores of system {quoted(system)}{among(system, matrix.systems)}"
            )
    collection = collection_of(data) if collection is None else collection
    stale = set(data.stale.get(matrix.measure, ()))
    pair = matrix.select(list(between))
    scored = np.flatnonzero(~np.isnan(pair.values).any(axis=1)).tolist()
    kept = [
        at
        for at in scored
        if pair.row_topics[at] not in stale
        and all(_peer(collection, pair, at, system) is not None for system in between)
    ]
    if not kept:
        raise DataError(f"{listed(list(between))} have scores on no topic together whose texts are here")
    all_notes = list(notes)
    if len(scored) > len(kept):
        all_notes.append(Note.of("topics-left-out", n=len(scored) - len(kept)))
    pair = pair._take(kept)
    means = pair.values.mean(axis=0)
    if means[0] > means[1] if pair.info.better == "lower" else means[0] < means[1]:
        pair = pair.select([between[1], between[0]])
    spec = _measure(data, matrix.measure)
    gathered = gathered_of(data) if isinstance(spec, JudgedCoverage) else None
    judgments = NOTHING if gathered is None else gathered.judgments.without(data.left_out)
    explain = _explainer(spec)
    shown = []
    for at, why in topics_to_show(pair, SHOWN if asked is None else asked.show):
        topic = pair.row_topics[at]
        batch = batch_of(collection, topic, judgments)
        a, b = (_peer(collection, pair, at, system) for system in pair.systems)
        assert a is not None
        assert b is not None
        row = collection.topics.get(topic)
        if explain is None:
            references = {r.key: r for peer in (a, b) for r in batch.references_for(peer)}
            parts: dict[str, Any] = {
                "texts": tuple(ExampleText(peer.system, peer.text) for peer in (a, b)),
                "references": tuple(ExampleText(r.system, r.text) for r in references.values()),
            }
        else:
            parts = explain(spec, batch, a, b)
        shown.append(
            ExampleTopic(
                topic=topic,
                title=row.title if row is not None else None,
                length=a.length,
                why=why,
                scores=(float(pair.values[at, 0]), float(pair.values[at, 1])),
                **parts,
            )
        )
    writers = {r.system for topic in pair.row_topics for r in collection.references(topic)}
    return ExamplesResult(
        asked=asked,
        about_scores=() if asked is None else data.unsaid_notes(matrix.measure),
        matrix=pair,
        examples=tuple(shown),
        made="nothing" if explain is None else "units" if explain is _by_units else "n-grams",
        pick=pick,
        picked_pair=(between[0], between[1]),
        language=collection.settings.language,
        remarks=(*all_notes, *_measure_notes(spec, matrix.title, sorted(set(between) & writers))),
        grams=spec.n if isinstance(spec, RougeN) else 0,
    )


def _peer(collection: Collection, matrix: ScoreMatrix, at: int, system: str) -> Summary | None:
    """The text behind a score; None where it cannot be told, or is not there."""
    texts = [peer for peer in collection.peers(matrix.row_topics[at]) if peer.system == system]
    length = matrix.rows[at].length if matrix.rows else matrix.length
    if matrix.rows or length is not None:
        texts = [peer for peer in texts if peer.length == length]
    if matrix.form is not None:
        texts = [peer for peer in texts if peer.form == matrix.target.form]
    return texts[0] if len(texts) == 1 else None


def topics_to_show(pair: ScoreMatrix, topics: int) -> list[tuple[int, Why]]:
    """Rows of the pair, and why each is shown."""
    sign = -1 if pair.info.better == "lower" else 1
    d = sign * (pair.values[:, 0] - pair.values[:, 1])
    order = np.argsort(-d, kind="stable").tolist()
    sides = dict(
        zip(pair.systems, ([k for k in order if d[k] > 0], [k for k in order[::-1] if d[k] < 0]), strict=True)
    )
    shown: dict[int, Why] = {}

    def add_one_of_each() -> None:
        for system, rows in sides.items():
            left = [(row, place) for place, row in enumerate(rows, 1) if row not in shown]
            for row, place in left[:1]:
                shown[row] = Why(ahead=system, place=place)

    add_one_of_each()
    shown.setdefault(int(np.argmin(np.abs(d - d.mean()))), Why(tied=not d.any()))
    while len(shown) < min(topics, len(d)) and set().union(*sides.values()) - set(shown):
        add_one_of_each()
    return list(shown.items())[:topics]


# What made the difference


def _measure(data: Scores, name: str) -> Measure | None:
    """The measure, where Adjudge computed it from these texts."""
    computed = any(file.origin == "computed" and file.info.measure == name for file in data.files)
    return parse_measure(name) if computed else None


def marks(data: Scores, name: str) -> bool:
    """Whether it can be told which words made a difference on a measure."""
    return _explainer(_measure(data, name)) is not None


def _explainer(spec: Measure | None) -> Any:
    if isinstance(spec, Rouge) and spec.occurrences([]) is not None:
        return _by_grams
    if isinstance(spec, JudgedCoverage) and not isinstance(spec, LevelCoverage):
        return _by_units
    return None


def _measure_notes(spec: Measure | None, title: str, wrote: Sequence[str]) -> Iterator[Note]:
    """What the counts do not show; `wrote` are those of the two that wrote references too."""
    if isinstance(spec, Rouge):
        if spec.stat != "recall":
            yield Note.of("own-grams-count", title=title, grams=spec.n if isinstance(spec, RougeN) else 0)
        if spec.refs in ("best", "max"):
            yield Note.of("best-reference-counts")
        if spec.refs in ("mean", "jackknife"):
            yield Note.of("mean-of-references", refs=spec.refs)
        if wrote:
            yield Note.of("writers-of-references", systems=wrote)
    if isinstance(spec, JudgedCoverage) and wrote:
        yield Note.of("references-judged-against")
    if isinstance(spec, AdjustedCoverage):
        yield Note.of("brevity-counts", title=title)


def _by_grams(spec: Rouge, batch: TopicBatch, a: Summary, b: Summary) -> dict[str, Any]:
    """The n-grams of every reference that hit more often in one of the two, each time that it does."""
    references = {r.key: r for peer in (a, b) for r in batch.references_for(peer)}
    against = [_compared_with(spec, batch, peer) for peer in (a, b)]
    words = {text.key: spec.placed(batch, text) for text in (*references.values(), a, b)}
    places: dict[Hashable, dict[Hashable, list[tuple[int, ...]]]] = {}
    for key, placed_words in words.items():
        places[key] = defaultdict(list)
        for gram, at in spec.occurrences([word for word, _ in placed_words]) or ():
            places[key][gram].append(at)
    reference_marks: dict[Hashable, list[set[int]]] = {key: [set(), set()] for key in references}
    peer_marks: list[set[int]] = [set(), set()]  # apart: whoever wrote a reference may be compared too
    only: tuple[list[str], list[str]] = ([], [])
    hits, sizes = [0, 0], [0, 0]
    for key, reference in references.items():
        for side in (0, 1):
            sizes[side] += sum(map(len, places[key].values())) if key in against[side] else 0
        for gram, there in places[key].items():
            n = [
                min(len(there), len(places[peer.key].get(gram, ()))) if key in against[side] else 0
                for side, peer in enumerate((a, b))
            ]
            for side, peer in enumerate((a, b)):
                hits[side] += n[side]
                for time in range(n[1 - side], n[side]):
                    reference_marks[key][side].update(there[time])
                    peer_marks[side].update(places[peer.key][gram][time])
                    spans = (words[key][k][1] for k in there[time])
                    only[side].append(" ".join(reference.text[start:end] for start, end in spans))
    texts = []
    for side, peer in enumerate((a, b)):
        marked = _joined(words[peer.key], peer_marks[side])
        compared = [r.system for key, r in references.items() if key in against[side]]
        counts = GramCounts(
            hits=hits[side],
            total=sizes[side],
            references=len(against[side]),
            reference=compared[0] if len(compared) == 1 and len(references) > 1 else None,
            peer_grams=None if spec.stat == "recall" else sum(map(len, places[peer.key].values())),
        )
        first, second = (marked, ()) if side == 0 else ((), marked)
        texts.append(ExampleText(peer.system, peer.text, first, second, counts))
    marked_references = []
    for key, r in references.items():
        of_a, of_b = (_joined(words[key], marks) for marks in reference_marks[key])
        marked_references.append(ExampleText(r.system, r.text, of_a, of_b))
    return {
        "texts": tuple(texts),
        "references": tuple(marked_references),
        "only_first": tuple(_times(only[0])),
        "only_second": tuple(_times(only[1])),
    }


def _compared_with(spec: Rouge, batch: TopicBatch, peer: Summary) -> set[Hashable]:
    """The references that a peer's score comes from."""
    references = batch.references_for(peer)
    if spec.refs not in ("best", "max") or not references:
        return {r.key for r in references}
    counts = {r.key: spec.counts(spec.prepared(batch, peer), spec.prepared(batch, r)) for r in references}
    rank = spec.ratios.rank if spec.refs == "best" else spec.ratios.f
    return {max(counts, key=lambda key: rank(counts[key]))}


def _times(grams: Sequence[str]) -> Iterator[str]:
    for gram, n in Counter(grams).items():
        yield gram if n == 1 else f"{gram} ({n} times)"


def _joined(words: Sequence[tuple[str, tuple[int, int]]], marked: set[int]) -> Spans:
    """The places of marked words; those that follow each other are one, so that a bigram is seen as one."""
    spans: list[tuple[int, int]] = []
    for k in sorted(marked):
        start, end = words[k][1]
        if spans and k - 1 in marked:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return tuple(spans)


def _by_units(spec: JudgedCoverage, batch: TopicBatch, a: Summary, b: Summary) -> dict[str, Any]:
    """The model units that count for one of the two and not, or not as much, for the other."""
    seen = spec.seen(batch)
    answers: tuple[_UnitAnswers, _UnitAnswers] = ({}, {})
    marked: tuple[dict[Any, set[tuple[int, int]]], dict[Any, set[tuple[int, int]]]] = (
        defaultdict(set),
        defaultdict(set),
    )
    rows: dict[Any, tuple[TextRef, Unit]] = {}
    for page in pages(seen):
        task = page.judged.task
        side = next((k for k, peer in enumerate((a, b)) if task.peer == TextRef.of(peer)), None)
        if side is None or task.reference is None or task.peer is None or page.why() is not None:
            continue
        protocol = protocol_of(seen, task.protocol)
        model = {u.id: u for u in batch.units_of(task.reference, protocol.model_units)}
        peer_units = {u.id: u for u in batch.units_of(task.peer, protocol.peer_units)}
        for question, event in page.judged.answers.items():
            unit = model.get(question.removeprefix(UNIT)) if question.startswith(UNIT) else None
            if unit is None:
                continue
            key = (task.reference, unit.id)
            rows[key] = task.reference, unit
            own_answers = answers[side].setdefault(key, defaultdict(list))
            own_answers[task.assessor].append(float(event.answer["completeness"]))
            marked[side][key] |= {
                (peer_units[m].start, peer_units[m].end) for m in event.answer["marked"] if m in peer_units
            }
    texts = {TextRef.of(r): r for r in batch.references}
    differences: list[UnitDifference] = []
    spans: dict[Any, list[set[tuple[int, int]]]] = defaultdict(lambda: [set(), set()])
    for key, (ref, unit) in rows.items():
        if not all(key in of_side for of_side in answers):
            continue
        more = _worth(spec, answers[0][key]) - _worth(spec, answers[1][key])
        if abs(more) < LEAST - 1e-9:
            continue
        means = [_completeness(of_side[key]) for of_side in answers]
        side = 0 if more > 0 else 1
        differences.append(UnitDifference(ref.system, unit.text, *means))
        spans[ref][side].add((unit.start, unit.end))
        spans[(a, b)[side].key][side] |= marked[side][key]

    def shown(text: Summary, key: Any, counts: UnitCounts | None = None) -> ExampleText:
        first, second = (tuple(sorted(of_side)) for of_side in spans[key])
        return ExampleText(text.system, text.text, first, second, counts)

    judged = [key for key in rows if all(key in of_side for of_side in answers)]
    counts: list[UnitCounts | None] = [None, None]
    if judged:
        counts = [
            UnitCounts(len(judged), fmean([_completeness(of_side[key]) for key in judged]))
            for of_side in answers
        ]
    refs = list(dict.fromkeys(rows[key][0] for key in judged))
    return {
        "texts": (shown(a, a.key, counts[0]), shown(b, b.key, counts[1])),
        "references": tuple(shown(texts[ref], ref) for ref in refs if ref in texts),
        "units": tuple(sorted(differences, key=lambda unit: -abs(unit.a - unit.b))),
    }


def _completeness(answers: Mapping[str, Sequence[float]]) -> float:
    """The mean over assessors, repeats of one being one."""
    return fmean(map(fmean, answers.values()))


def _worth(spec: JudgedCoverage, answers: Mapping[str, Sequence[float]]) -> float:
    """What a unit is worth to whoever has it, averaged over assessors: what it adds to a score or, where less is
    better, takes off."""
    if isinstance(spec, AdjustedCoverage):
        return _completeness(answers)
    sign = -1 if spec.better == "lower" else 1
    worths = [fmean(spec.of_units([answer]) for answer in of_assessor) for of_assessor in answers.values()]
    return sign * fmean(worths)
