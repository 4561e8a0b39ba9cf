"""What differences look like: topics on which two systems differ most, their texts, and what made the difference.

Of ROUGE these are the n-grams or pairs of words of the references that one summary has and the other lacks, exactly as
the measure counts them; of judged coverage the units that people found in one and not, or not as much, in the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from adjudge import __version__
from adjudge.analyses.phrasebook import note_text
from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.slices.slicing import look_at
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import as_sentence, counted, decimal, listed
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary, Unit
from adjudge.data.scores import AllLengths, ScoreMatrix
from adjudge.judgments.batch import NOTHING, TopicBatch, batch_of, judgments_if_allowed
from adjudge.judgments.protocol import UNIT
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Measure, Spans
from adjudge.measures.judged.answers import pages, protocol_of
from adjudge.measures.judged.coverage import AdjustedCoverage, JudgedCoverage, LevelCoverage
from adjudge.measures.registry import parse_measure
from adjudge.measures.rouge.counts import REFS_WORDS
from adjudge.measures.rouge.family import Rouge, RougeN
from adjudge.text.segments import Segment, segments

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

TOPICS = 3
MOST_TOPICS = 20
LEAST = 0.25
"""What a unit must count more for one than for the other, from 0 to 1, to be marked."""
GRAMS = {1: "word", 2: "bigram", 3: "trigram"}
Made = Literal["n-grams", "units", "nothing"]
_UnitAnswers = dict[Any, dict[str, list[float]]]
"""By unit, and by assessor: the completeness that was given, several times where a page was repeated."""


class UnitDifference(NamedTuple):
    """A model unit that counts for one of the two and not, or not as much, for the other."""

    reference: str
    text: str
    a: float
    b: float
    """The mean completeness that assessors gave."""


@dataclass(frozen=True)
class ExampleText:
    """A text with two kinds of marks: what counts for the first system alone, and for the second alone."""

    system: str
    text: str
    first: Spans = ()
    second: Spans = ()
    counts: str = ""
    """What the measure counts in it, in words."""

    def pieces(self) -> tuple[Segment, ...]:
        """The text in pieces, each with whether it is of the first and of the second kind."""
        return tuple(segments(self.text, self.first, self.second))


@dataclass(frozen=True)
class ExampleTopic:
    """One topic: the two texts, the references that both are compared with, and what made the difference."""

    topic: str
    title: str | None
    length: int | None
    why: str
    """Why this topic is shown."""
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


@dataclass(frozen=True, repr=False)
class Examples(Tabular):
    """Topics on which two systems differ most, with their texts."""

    matrix: ScoreMatrix
    """The two systems, on the topics that both have scores on."""
    examples: tuple[ExampleTopic, ...]
    made: Made
    chosen: str
    """How the two systems were chosen, in words."""
    language: str
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unit_words: str = "n-grams"
    """What the measure counts: bigrams, pairs of words."""

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

    @property
    def signature(self) -> str:
        return f"{self.matrix.signature}|examples:{'+'.join(self.between)}|v:{__version__}"

    def called(self, system: str) -> str:
        return self.labels.get(system, system)

    # In words

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        a, b = map(self.called, self.between)
        values = self.matrix.values
        better = self.matrix.info.better
        means = values.mean(axis=0)
        form = _digits(values)
        word = "higher" if better is None else "ahead"
        sign = -1 if better == "lower" else 1
        d = sign * (values[:, 0] - values[:, 1])
        if not d.any():
            where = "the one topic" if len(d) == 1 else f"each of {counted(len(d), 'topic')}"
            yield (
                f"On {self.title} {a} and {b} have the same score on {where}; their mean there is"
                f" {decimal(means[0], form)}."
            )
            yield as_sentence(self.chosen)
            yield self.reading()
            return
        counts = f"{a} is {word} on {int((d > 0).sum())} of {counted(len(d), 'topic')}, {b} on {int((d < 0).sum())}"
        ties = int((d == 0).sum())
        tied = f", and they tie on {ties}" if ties else ""
        yield (
            f"On {self.title} {counts}{tied}; their means there are {decimal(means[0], form)} and"
            f" {decimal(means[1], form)}."
        )
        yield as_sentence(self.chosen)
        yield self.reading()

    def reading(self) -> str:
        """What the marks mean."""
        a, b = map(self.called, self.between)
        if self.made == "n-grams":
            return (
                f"Marked are the {self.unit_words} of the references that count for {a} and not, or not as often, for"
                f" {b}, and the other way round: the same that {self.title} counts."
            )
        if self.made == "units":
            return (
                f"Marked are the units of the references that count at least a quarter more for {a} than for {b}, or"
                " the other way round, and in the summaries what assessors marked as expressing these."
            )
        return f"The texts stand here with their scores: which words made the difference, {self.title} does not say."

    def table(self) -> Table:
        """A row per topic that is shown."""
        a, b = self.between
        return Table(
            name="examples",
            columns=(
                Column("measure", show="never"),
                Column("topic", right=False),
                Column("length", show="varies"),
                Column("first", show="never"),
                Column("second", show="never"),
                Column("score_first", a, format=".4f"),
                Column("score_second", b, format=".4f"),
                Column("difference", format="+.4f"),
                Column("why", "shown because", right=False),
            ),
            rows=tuple(
                (self.measure, e.topic, e.length, a, b, *e.scores, e.difference, e.why) for e in self.examples
            ),
            title=f"{self.matrix.heading}: {a} and {b}, side by side",
            said=tuple(self.sentences()),
            notes=self.notes,
            signature=self.signature,
        )

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.matrix.info.better,
                "between": list(self.between),
                "chosen": self.chosen,
                "made_by": self.made,
                "examples": [
                    {
                        "topic": e.topic,
                        "title": e.title,
                        "length": e.length,
                        "why": e.why,
                        "scores": list(e.scores),
                        "difference": e.difference,
                        "texts": [_text_dict(text) for text in e.texts],
                        "references": [_text_dict(text) for text in e.references],
                        "only_first": list(e.only_first),
                        "only_second": list(e.only_second),
                        "units": [unit._asdict() for unit in e.units],
                    }
                    for e in self.examples
                ],
                "sentences": list(self.sentences()),
                "notes": list(self.notes),
                "signature": self.signature,
            }
        )
        return found


def _text_dict(text: ExampleText) -> dict[str, Any]:
    return {
        "system": text.system,
        "text": text.text,
        "first": [list(span) for span in text.first],
        "second": [list(span) for span in text.second],
        "counts": text.counts,
    }


def _digits(values: np.ndarray) -> str:
    return ".4f" if np.abs(values).max() < 10 else ".2f"


# Choosing


def examples(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    between: str | Sequence[str] = (),
    topics: int = TOPICS,
    length: int | AllLengths | None = None,
    form: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> Examples:
    """Topics on which two systems differ most, side by side: `examples("my-eval", "rouge-2", between=("a", "b"))`.

    Without `between`, the best system and the next that differs from it significantly. The first topic is where the
    better one is furthest ahead, the second where the other is, the third one with a difference as it usually is; then
    further ones of the first two kinds. The texts are an evaluation's.
    """
    if not 1 <= topics <= MOST_TOPICS:
        raise UsageError(f"topics is {topics}, expected 1 to {MOST_TOPICS}")
    data = scores_of(scores, without=without)
    name = data.resolve(measure)
    looked = look_at(data, name, length, form)
    names = two_systems(between)
    chosen = "These two were asked for"
    if not names:
        from adjudge.analyses.compare import compare

        found = compare(data, name, length=looked.length, form=looked.form, alpha=alpha, seed=seed)
        names, chosen = default_pair(found, data.labels)
    matrix = data.matrix(name, length=looked.length, form=looked.form)
    return examples_of(data, matrix, names, chosen, topics=topics, notes=tuple(map(note_text, looked.chosen)))


def two_systems(between: str | Sequence[str]) -> tuple[str, ...]:
    """The two systems that are named, or nobody."""
    names = between.split(",") if isinstance(between, str) else list(between)
    found = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    if found and len(found) != 2:
        raise UsageError(
            f"texts of two systems stand side by side, not of {len(found)} ({listed(found)}): name two"
        )
    return found


def default_pair(
    comparison: Comparison, labels: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], str]:
    """The first of a ranking and the next that differs from it, or the first two; and how they were chosen."""
    names = [standing.system for standing in comparison.standings]
    if len(names) < 2:
        raise DataError(f"{comparison.measure}: one system has scores, so there is nothing to compare")
    first = names[0]
    called = {name: (labels or {}).get(name, name) for name in names}
    best = "highest" if comparison.matrix.info.better is None else "best"
    pairs = [p for p in comparison.pairs[comparison.test] if p.different and first in (p.a, p.b)]
    apart = {p.b if p.a == first else p.a for p in pairs}
    for name in names[1:]:
        if name in apart:
            return (first, name), (
                f"{called[first]} has the {best} mean, and {called[name]} is the next that differs"
                " from it significantly"
            )
    return (first, names[1]), (
        f"{called[first]} and {called[names[1]]} have the two {best} means; no system was found to differ from"
        f" {called[first]} significantly"
    )


def examples_of(
    data: Scores,
    matrix: ScoreMatrix,
    between: Sequence[str],
    chosen: str,
    *,
    topics: int = TOPICS,
    notes: Sequence[str] = (),
    collection: Collection | None = None,
) -> Examples:
    """The same from a matrix of scores, and two of its systems."""
    if data.folder is None:
        raise DataError(f"{data.name}: texts side by side need an evaluation's folder, which has them")
    for system in between:
        if system not in matrix.systems:
            raise UsageError(
                f"{matrix.measure} has no scores of system {quoted(system)}{among(system, matrix.systems)}"
            )
    folder = Folder.open(data.folder)
    collection = load(folder) if collection is None else collection
    said = list(notes)
    kept, stale = [], set(data.stale.get(matrix.measure, ()))
    pair = matrix.select(list(between))
    for at, topic in enumerate(pair.row_topics):
        if np.isnan(pair.values[at]).any():
            continue
        texts = [_peer(collection, pair, at, system) for system in between]
        if topic not in stale and None not in texts:
            kept.append(at)
    scored = int((~np.isnan(pair.values)).all(axis=1).sum())
    if scored > len(kept):
        said.append(
            f"{counted(scored - len(kept), 'topic')} left out: texts changed since they were scored, or are gone"
        )
    if not kept:
        raise DataError(f"{listed(list(between))} have scores on no topic together whose texts are here")
    pair = pair._take(kept)
    if _behind(pair):
        pair = pair.select([between[1], between[0]])
    spec = _measure(data, matrix.measure)
    judgments = judgments_if_allowed(folder, collection) if isinstance(spec, JudgedCoverage) else NOTHING
    judgments = judgments.without(data.left_out)
    explain = _explainer(spec)
    shown = []
    for at, why in _chosen(pair, topics):
        topic = pair.row_topics[at]
        batch = batch_of(collection, topic, judgments)
        a, b = (_peer(collection, pair, at, system) for system in pair.systems)
        assert a is not None
        assert b is not None
        row = collection.topics.get(topic)
        made = (
            explain(spec, batch, a, b) if explain is not None and spec is not None else _plainly(batch, a, b)
        )
        shown.append(
            ExampleTopic(
                topic=topic,
                title=row.title if row is not None else None,
                length=a.length,
                why=why,
                scores=(float(pair.values[at, 0]), float(pair.values[at, 1])),
                **made,
            )
        )
    writers = {r.system for topic in pair.row_topics for r in collection.references(topic)}
    return Examples(
        matrix=pair,
        examples=tuple(shown),
        made="nothing" if explain is None else "units" if explain is _by_units else "n-grams",
        chosen=chosen,
        language=collection.settings.language,
        labels=dict(data.labels),
        notes=(*said, *_measure_notes(spec, matrix, between, writers)),
        unit_words=_unit_words(spec),
    )


def _peer(collection: Collection, matrix: ScoreMatrix, at: int, system: str) -> Summary | None:
    """The text behind a score; None where it cannot be told, or is not there."""
    known: dict[str, Any] = {}
    if matrix.rows:
        known["length"] = matrix.rows[at].length
    elif matrix.length is not None:
        known["length"] = matrix.length
    if matrix.form is not None:
        known["form"] = matrix.target.form
    found = [
        peer
        for peer in collection.peers(matrix.row_topics[at])
        if peer.system == system and all(getattr(peer, name) == value for name, value in known.items())
    ]
    return found[0] if len(found) == 1 else None


def _behind(pair: ScoreMatrix) -> bool:
    """Whether the second has the better mean."""
    means = pair.values.mean(axis=0)
    return bool(means[0] > means[1]) if pair.info.better == "lower" else bool(means[0] < means[1])


def _chosen(pair: ScoreMatrix, topics: int) -> list[tuple[int, str]]:
    """Rows of the pair, and why each is shown."""
    sign = -1 if pair.info.better == "lower" else 1
    d = sign * (pair.values[:, 0] - pair.values[:, 1])
    a, b = pair.systems
    word = "above the other" if pair.info.better is None else "ahead"
    order = np.argsort(-d, kind="stable")
    ahead = [int(k) for k in order if d[k] > 0]
    behind = [int(k) for k in order[::-1] if d[k] < 0]
    usual = int(np.argmin(np.abs(d - d.mean())))
    found: dict[int, str] = {}

    def add(rows: list[int], system: str) -> None:
        for place, row in enumerate(rows):
            if row not in found:
                nth = ("", "second ", "third ")[place] if place < 3 else f"number {place + 1} of those "
                found[row] = f"{system} is {nth}furthest {word} here"
                return

    add(ahead, a)
    add(behind, b)
    if usual not in found:
        same = "the two have the same score here"
        found[usual] = "closest to the mean difference" if d.any() else same
    while len(found) < min(topics, len(d)) and (set(ahead) | set(behind)) - set(found):
        add(ahead, a)
        add(behind, b)
    return list(found.items())[:topics]


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


def _unit_words(spec: Measure | None) -> str:
    if isinstance(spec, RougeN):
        return f"{GRAMS.get(spec.n, f'{spec.n}-gram')}s"
    return "pairs of words" if isinstance(spec, Rouge) else "n-grams"


def _measure_notes(
    spec: Measure | None, matrix: ScoreMatrix, between: Sequence[str], writers: set[str]
) -> Iterator[str]:
    if isinstance(spec, Rouge) and spec.stat != "recall":
        yield (
            f"{matrix.title} also counts how many {_unit_words(spec)} the summaries have: those that hit nothing"
            " lower it"
        )
    if isinstance(spec, Rouge) and spec.refs in ("best", "max"):
        yield "of several references each summary is compared with the one that suits it best: only there does it hit"
    if isinstance(spec, Rouge) and spec.refs in ("mean", "jackknife"):
        yield (
            f"{REFS_WORDS[spec.refs]}; the counts are of all references together, so that their ratio need not be the"
            " score"
        )
    if isinstance(spec, Rouge) and set(between) & writers:
        own = sorted(set(between) & writers)
        yield (
            f"{listed(own)} also wrote {'a reference' if len(own) == 1 else 'references'}: nobody is compared with"
            " their own, so that what is in it counts for the other alone"
        )
    if isinstance(spec, JudgedCoverage) and set(between) & writers:
        yield "only references that both were judged against are shown; nobody is judged against their own"
    if isinstance(spec, AdjustedCoverage):
        yield f"{matrix.title} also rewards brevity, which no unit shows"


def _plainly(batch: TopicBatch, a: Summary, b: Summary) -> dict[str, Any]:
    return {
        "texts": (ExampleText(a.system, a.text), ExampleText(b.system, b.text)),
        "references": _plain_references(batch, a, b),
    }


def _plain_references(batch: TopicBatch, a: Summary, b: Summary) -> tuple[ExampleText, ...]:
    found = {r.key: r for peer in (a, b) for r in batch.references_for(peer)}
    return tuple(ExampleText(r.system, r.text) for r in found.values())


def _by_grams(spec: Rouge, batch: TopicBatch, a: Summary, b: Summary) -> dict[str, Any]:
    """The n-grams of every reference that hit more often in one of the two, each time that it does."""
    references = {r.key: r for peer in (a, b) for r in batch.references_for(peer)}
    against = [_compared(spec, batch, peer) for peer in (a, b)]
    words = {text.key: spec.placed(batch, text) for text in (*references.values(), a, b)}
    places = {key: _places(spec, [word for word, _ in own]) for key, own in words.items()}
    own_marks: dict[Hashable, list[set[int]]] = {key: [set(), set()] for key in references}
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
            hits = [total + each for total, each in zip(hits, n, strict=True)]
            for side, peer in enumerate((a, b)):
                more, less = n[side], n[1 - side]
                for at in range(less, more):
                    own_marks[key][side].update(there[at])
                    peer_marks[side].update(places[peer.key][gram][at])
                    only[side].append(_surface(reference.text, [words[key][k][1] for k in there[at]]))
    what = _unit_words(spec)

    def peer_text(side: int, peer: Summary) -> ExampleText:
        marked = _joined(words[peer.key], peer_marks[side])
        counts = f"{hits[side]} of {sizes[side]} {what} of {_of_references(against[side], references)}"
        if spec.stat != "recall":
            counts += f"; {sum(map(len, places[peer.key].values()))} of its own"
            many = len(against[side])
            counts += f", which count once for each of {many} references" if many > 1 else ""
        first, second = (marked, ()) if side == 0 else ((), marked)
        return ExampleText(peer.system, peer.text, first, second, counts)

    def reference_text(reference: Summary) -> ExampleText:
        first, second = (_joined(words[reference.key], own) for own in own_marks[reference.key])
        return ExampleText(reference.system, reference.text, first, second)

    return {
        "texts": (peer_text(0, a), peer_text(1, b)),
        "references": tuple(map(reference_text, references.values())),
        "only_first": tuple(_times(only[0])),
        "only_second": tuple(_times(only[1])),
    }


def _of_references(compared: set[Hashable], references: Mapping[Any, Summary]) -> str:
    """`the references`, or which of several it is that a summary is compared with."""
    if len(compared) != 1:
        return "the references"
    (key,) = compared
    return "the reference" if len(references) == 1 else f"the reference by {references[key].system}"


def _compared(spec: Rouge, batch: TopicBatch, peer: Summary) -> set[Hashable]:
    """The references that a peer's score comes from."""
    references = batch.references_for(peer)
    if spec.refs not in ("best", "max") or not references:
        return {r.key for r in references}
    counts = {r.key: spec.counts(spec.prepared(batch, peer), spec.prepared(batch, r)) for r in references}
    rank = spec.ratios.rank if spec.refs == "best" else spec.ratios.f
    return {max(counts, key=lambda key: rank(counts[key]))}


def _places(spec: Rouge, words: Sequence[str]) -> dict[Hashable, list[tuple[int, ...]]]:
    found: dict[Hashable, list[tuple[int, ...]]] = defaultdict(list)
    for gram, at in spec.occurrences(words) or ():
        found[gram].append(at)
    return found


def _surface(text: str, spans: Sequence[tuple[int, int]]) -> str:
    return " ".join(text[start:end] for start, end in spans)


def _times(grams: Sequence[str]) -> Iterator[str]:
    for gram, n in Counter(grams).items():
        yield gram if n == 1 else f"{gram} ({n} times)"


def _joined(words: Sequence[tuple[str, tuple[int, int]]], marked: set[int]) -> Spans:
    """The places of marked words; those that follow each other are one, so that a bigram is seen as one."""
    found: list[tuple[int, int]] = []
    for k in sorted(marked):
        start, end = words[k][1]
        if found and k - 1 in marked:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return tuple(found)


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
        own = {u.id: u for u in batch.units_of(task.peer, protocol.peer_units)}
        for question, event in page.judged.answers.items():
            unit = model.get(question.removeprefix(UNIT)) if question.startswith(UNIT) else None
            if unit is None:
                continue
            key = (task.reference, unit.id)
            rows[key] = task.reference, unit
            own_answers = answers[side].setdefault(key, defaultdict(list))
            own_answers[task.assessor].append(float(event.answer["completeness"]))
            marked[side][key] |= {(own[m].start, own[m].end) for m in event.answer["marked"] if m in own}
    texts = {TextRef.of(r): r for r in batch.references}
    found: list[UnitDifference] = []
    spans: dict[Any, list[set[tuple[int, int]]]] = defaultdict(lambda: [set(), set()])
    for key, (ref, unit) in rows.items():
        if not all(key in each for each in answers):
            continue
        more = _worth(spec, answers[0][key]) - _worth(spec, answers[1][key])
        if abs(more) < LEAST - 1e-9:
            continue
        means = [_completeness(each[key]) for each in answers]
        side = 0 if more > 0 else 1
        found.append(UnitDifference(ref.system, unit.text, *means))
        spans[ref][side].add((unit.start, unit.end))
        spans[(a, b)[side].key][side] |= marked[side][key]

    def shown(text: Summary, key: Any, counts: str = "") -> ExampleText:
        first, second = (tuple(sorted(each)) for each in spans[key])
        return ExampleText(text.system, text.text, first, second, counts)

    judged = [key for key in rows if all(key in each for each in answers)]
    said = ["", ""]
    if judged:
        means = [fmean([_completeness(each[key]) for key in judged]) for each in answers]
        said = [
            f"{counted(len(judged), 'unit')} expressed to {100 * mean:.0f} % on average" for mean in means
        ]
    refs = list(dict.fromkeys(rows[key][0] for key in judged))
    return {
        "texts": (shown(a, a.key, said[0]), shown(b, b.key, said[1])),
        "references": tuple(shown(texts[ref], ref) for ref in refs if ref in texts),
        "units": tuple(sorted(found, key=lambda unit: -abs(unit.a - unit.b))),
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
    each = [fmean(spec.of_units([answer]) for answer in own) for own in answers.values()]
    return sign * fmean(each)
