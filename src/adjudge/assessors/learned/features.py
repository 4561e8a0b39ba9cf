"""What a learned judge sees of a model unit and a peer: Lin and Hovy's eight features, and expanded model units.

The features are NAM_1 to NAM_4 of the model unit against the whole peer, and how many n-grams of each order the model
unit has (2002, section 5.1). Peer units that people said express all of a model unit can stand beside it: NAM_n is
then the largest over that set. The counts are always those of the original unit.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import UNIT, Protocol
from adjudge.judgments.tasks import JUDGES, Event, TextRef, is_anonymous, units_of
from adjudge.measures.nams import ORDERS, hit_ratio
from adjudge.measures.topicwords import Cut, Grams, check_names, ngrams
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.text.words import WORD_RULES, unicode_words

Expand = Literal["others", "paper", "none"]
EXPAND: tuple[Expand, ...] = get_args(Expand)
Mode = Literal["original", "expanded"]
FEATURES = (*(f"NAM_{n}" for n in ORDERS), *(f"length_{n}" for n in ORDERS))
"""length_n is how many n-grams the model unit has."""
FULL = 1.0
"""All of a model unit's content is expressed; Lin and Hovy's score of 4."""

ModelUnit = tuple[str, TextRef, str]
"""Topic, reference, and the unit's id."""


@dataclass(frozen=True, slots=True)
class FeatureOptions:
    """How words become n-grams, as NAMS has it, and which units stand beside a model unit.

    expand   others: those of other systems than the peer's, but none whose words are a unit of the peer; paper: those
             of all systems, copies among them, as Lin and Hovy print it; none
    """

    expand: Expand = "others"
    stem: str = "porter"
    stop: str = "function"
    words: str = "unicode"

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("expand", self.expand, EXPAND),
            ("words", self.words, tuple(WORD_RULES)),
        ):
            if value not in choices:
                raise UsageError(
                    f"{name} is {quoted(value)}{nearest(str(value), choices)}; expected one of: {', '.join(choices)}"
                )
        check_names(self.stem, self.stop)

    @property
    def cut(self) -> Cut:
        return Cut(self.words, self.stem, self.stop)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """With which model units a judge is trained."""
        return ("original",) if self.expand == "none" else ("original", "expanded")


@dataclass(frozen=True, slots=True)
class UnitDecision:
    """How much of a model unit a peer expresses: the question, and what people answered."""

    topic: str
    task: str | None
    """single or multi, of the topic."""
    peer: TextRef
    reference: TextRef
    unit: str
    answers: Mapping[str, float] = field(default_factory=dict)
    """Completeness by assessor."""

    @property
    def model_unit(self) -> ModelUnit:
        return self.topic, self.reference, self.unit

    @property
    def consensus(self) -> float:
        """The median of the answers; of an even number the lower of the two in the middle, which is an answer too."""
        return middle(self.answers.values())


def middle(answers: Iterable[float]) -> float:
    """The median, of an even number of answers the lower one."""
    ordered = sorted(answers)
    return ordered[(len(ordered) - 1) // 2]


@dataclass(frozen=True, slots=True)
class FullScore:
    """Units of a peer that people said express all of a model unit: one alone, or several together, in text order."""

    peer: TextRef
    units: tuple[str, ...]


@dataclass(frozen=True)
class HumanDecisions:
    """What people decided under a protocol, and which peer units got the full score, by model unit."""

    decisions: tuple[UnitDecision, ...]
    full: Mapping[ModelUnit, tuple[FullScore, ...]]
    unknown: int = 0
    """Answers about units or texts that are not here."""
    repeats: int = 0
    """Pages that an assessor judged before, which do not count."""


def human_decisions(
    collection: Collection, judgments: Judgments, protocol: Protocol, without: Container[str] = ()
) -> HumanDecisions:
    """People's completeness answers, each page of an assessor once; judges are no people, simulated assessors are.

    A peer's units get the full score where the median of the answers is 1; the marks are those of the assessors who
    gave it.
    """
    by_unit: dict[tuple[str, TextRef, TextRef, str], dict[str, Event]] = {}
    seen: set[tuple[str, str, TextRef, TextRef]] = set()
    texts: dict[str, TopicTexts] = {}
    unknown = repeats = 0
    for topic in collection.topics:
        topic_texts = texts[topic] = TopicTexts(collection, topic, protocol)
        of_topic = [
            judged for judged in judgments.by_topic.get(topic, ()) if judged.task.protocol == protocol.name
        ]
        for judged in sorted(of_topic, key=lambda judged: judged.task.repeat_of is not None):
            task = judged.task
            answers = {
                question.removeprefix(UNIT): event
                for question, event in judged.answers.items()
                if question.startswith(UNIT) and event.origin not in JUDGES
            }
            if task.peer is None or task.reference is None or not answers or task.assessor in without:
                continue
            who = f"{task.assessor}/{task.id}" if is_anonymous(task.assessor) else task.assessor
            if (page := (who, topic, task.peer, task.reference)) in seen:
                repeats += 1
                continue
            seen.add(page)
            for unit, event in answers.items():
                if task.peer in topic_texts.summaries and unit in topic_texts.model_units(task.reference):
                    by_unit.setdefault((topic, task.peer, task.reference, unit), {})[who] = event
                else:
                    unknown += 1
    decisions = []
    full: dict[ModelUnit, list[FullScore]] = {}
    for (topic, peer, reference, unit), events in by_unit.items():
        decision = UnitDecision(
            topic=topic,
            task=collection.topics[topic].task,
            peer=peer,
            reference=reference,
            unit=unit,
            answers={who: float(event.answer["completeness"]) for who, event in events.items()},
        )
        decisions.append(decision)
        if decision.consensus == FULL:
            order = list(texts[topic].peer_units(peer))
            for marked in dict.fromkeys(_full_marks(events.values(), order)):
                full.setdefault(decision.model_unit, []).append(FullScore(peer, marked))
    return HumanDecisions(
        decisions=tuple(decisions),
        full={unit: tuple(sets) for unit, sets in full.items()},
        unknown=unknown,
        repeats=repeats,
    )


def _full_marks(events: Iterable[Event], order: Sequence[str]) -> Iterable[tuple[str, ...]]:
    for event in events:
        marked = set(event.answer["marked"])
        if float(event.answer["completeness"]) == FULL and marked and marked <= set(order):
            yield tuple(unit for unit in order if unit in marked)


@dataclass(frozen=True)
class UnitFeatures:
    """The features of decisions, with and without expanded model units.

    `joined` is NAM_n against the best of what stands beside the model unit, `by` whose that is (a place in `systems`,
    -1 for nobody's), `second` the best of all others': so any one system can be left out of every set.
    """

    decisions: tuple[UnitDecision, ...]
    ratios: FloatArray
    counts: FloatArray
    joined: FloatArray
    by: IntArray
    second: FloatArray
    systems: tuple[str, ...]

    def original(self) -> FloatArray:
        """A row for each decision, as `FEATURES` names the columns."""
        return np.hstack([self.ratios, self.counts])

    def expanded(self, without: str | None = None) -> FloatArray:
        """The same with expanded model units, to which the system `without` gives none of its units."""
        joined = self.joined
        if without is not None and without in self.systems:
            joined = np.where(self.by == self.systems.index(without), self.second, joined)
        return np.hstack([np.maximum(self.ratios, joined), self.counts])


def unit_features(
    collection: Collection,
    protocol: Protocol,
    decisions: Sequence[UnitDecision],
    full: Mapping[ModelUnit, Sequence[FullScore]],
    options: FeatureOptions,
) -> UnitFeatures:
    """The features of every decision, by the protocol's units."""
    cut = options.cut
    systems = tuple(dict.fromkeys(score.peer.system for sets in full.values() for score in sets))
    at = {system: number for number, system in enumerate(systems)}
    shape = (len(decisions), len(ORDERS))
    ratios, counts, joined, second = (np.zeros(shape) for _ in range(4))
    by = np.full(shape, -1, dtype=np.int64)
    texts: dict[str, TopicTexts] = {}
    for row, decision in enumerate(decisions):
        if decision.topic not in texts:
            texts[decision.topic] = TopicTexts(collection, decision.topic, protocol)
        topic_texts = texts[decision.topic]
        theirs = topic_texts.grams(topic_texts.summaries[decision.peer].text, cut)
        model = topic_texts.grams(topic_texts.model_units(decision.reference)[decision.unit].text, cut)
        ratios[row] = _ratios(model, theirs)
        counts[row] = [grams.total() for grams in model]
        beside: dict[int, FloatArray] = {}
        for score in full.get(decision.model_unit, ()) if options.expand != "none" else ():
            overlaps = _beside(topic_texts, decision.peer, score, theirs, options)
            if overlaps is not None:
                number = at[score.peer.system]
                beside[number] = np.maximum(beside.get(number, 0.0), overlaps)
        for number, overlaps in beside.items():
            better = overlaps > joined[row]
            second[row] = np.where(better, joined[row], np.maximum(second[row], overlaps))
            joined[row] = np.where(better, overlaps, joined[row])
            by[row] = np.where(better, number, by[row])
    return UnitFeatures(
        decisions=tuple(decisions),
        ratios=ratios,
        counts=counts,
        joined=joined,
        by=by,
        second=second,
        systems=systems,
    )


def _beside(
    topic_texts: TopicTexts, peer: TextRef, score: FullScore, theirs: Sequence[Grams], options: FeatureOptions
) -> FloatArray | None:
    """NAM_n of units that stand beside a model unit against a peer; None where they may not stand there."""
    cut = options.cut
    units = topic_texts.peer_units(score.peer)
    marked = [units[id] for id in score.units]
    text = " ".join(unit.text for unit in marked)
    if options.expand == "others":
        if score.peer.system == peer.system:
            return None
        # A copy got its answer already. Without it the rest of a set did not get the full score, so the set goes.
        copies = topic_texts.normalised(peer)
        if any(normalised(unit.text) in copies for unit in marked):
            return None
    elif score.peer == peer:  # "where S_i is not S_j": no unit is compared with itself
        rest = [unit.text for id, unit in units.items() if id not in score.units]
        theirs = topic_texts.grams(" ".join(rest), cut)
    return _ratios(topic_texts.grams(text, cut), theirs)


def _ratios(model: Sequence[Grams], theirs: Sequence[Grams]) -> FloatArray:
    return np.array([hit_ratio(ours, grams) for ours, grams in zip(model, theirs, strict=True)])


def normalised(text: str) -> tuple[str, ...]:
    """A text without what does not make it another: its words in lower case, without punctuation and spaces."""
    return tuple(unicode_words(unicodedata.normalize("NFKC", text)))


class TopicTexts:
    """The texts and units of one topic, and their n-grams, each made once."""

    def __init__(self, collection: Collection, topic: str, protocol: Protocol):
        self.summaries: dict[TextRef, Summary] = {
            TextRef.of(summary): summary for summary in collection.summaries.get(topic, ())
        }
        self._all = collection.units.get(topic, [])
        self._protocol = protocol
        self._units: dict[tuple[TextRef, str], dict[str, Unit]] = {}
        self._grams: dict[str, tuple[Grams, ...]] = {}
        self._normalised: dict[TextRef, frozenset[tuple[str, ...]]] = {}

    def model_units(self, reference: TextRef) -> dict[str, Unit]:
        """By id, in the order of the text."""
        return self._of(reference, self._protocol.model_units)

    def peer_units(self, peer: TextRef) -> dict[str, Unit]:
        return self._of(peer, self._protocol.peer_units)

    def _of(self, text: TextRef, kind: str) -> dict[str, Unit]:
        if (text, kind) not in self._units:
            self._units[text, kind] = {unit.id: unit for unit in units_of(self._all, text, kind)}
        return self._units[text, kind]

    def normalised(self, peer: TextRef) -> frozenset[tuple[str, ...]]:
        if peer not in self._normalised:
            units = self.peer_units(peer).values()
            self._normalised[peer] = frozenset(normalised(unit.text) for unit in units)
        return self._normalised[peer]

    def grams(self, text: str, cut: Cut) -> tuple[Grams, ...]:
        """N-grams of every order, as NAMS counts them."""
        if text not in self._grams:
            words = cut(text)
            self._grams[text] = tuple(Counter(ngrams(words, n)) for n in ORDERS)
        return self._grams[text]


def marked_units(texts: TopicTexts, decision: UnitDecision, cut: Cut) -> list[str]:
    """The peer units that share a content word with a model unit; all of them where none does.

    The judge compares the whole peer, and people who say that something is expressed mark where.
    """
    wanted = set(cut(texts.model_units(decision.reference)[decision.unit].text))
    units = texts.peer_units(decision.peer)
    return [id for id, unit in units.items() if wanted & set(cut(unit.text))] or list(units)
