"""What a measure is: its text, its options, its direction, and how it scores a topic (`TopicBatch`)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, TypeVar

from adjudge import __version__
from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary, Unit
from adjudge.data.scores import Better, MeasureInfo, Score
from adjudge.judgments.batch import TopicBatch

T = TypeVar("T")
Spans = tuple[tuple[int, int], ...]
"""Parts of a text: from where to where."""
Need = Literal["references", "documents", "units", "judgments"]
Writers = Sequence[Collection[str]]
"""Of each batch, the systems whose references are kept."""


@dataclass(frozen=True, slots=True)
class UnitMatch:
    """How much of one model unit a measure finds in a whole peer; NaN where it says nothing of the unit.

    `in_unit` and `in_peer` are the words that it found, by their places in the two texts; None where it cannot say.
    """

    value: float
    in_unit: Spans | None = None
    in_peer: Spans | None = None


@dataclass(frozen=True)
class Measure:
    """Gives a topic x system a number. A subclass is a frozen dataclass; its fields are its options.

    `name` is what people write; options follow in brackets where they differ from the default. That
    text is the measure's identity: it parses back to an equal measure.
    """

    FAMILY: ClassVar[str]  # measures of a family share their work
    ABOUT: ClassVar[str]  # one line for lists
    CITATION: ClassVar[str]
    TITLE: ClassVar[str] = ""  # in words; the name, where that is what people say
    OF_SEVERAL: ClassVar[frozenset[str]] = frozenset()  # details of titles that are of several references
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {}  # choices of options that take a word
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {}  # values of options that take many more
    FIXED: ClassVar[tuple[str, ...]] = ()  # fields that are part of the name
    NAMED: ClassVar[tuple[str, ...]] = ()  # options that some names set: rouge-1-recall has no stat
    better: ClassVar[Better] = "higher"
    range: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[frozenset[Need]] = frozenset()
    uses: ClassVar[frozenset[Need]] = frozenset()  # looked at where it is there, missed where it is not
    scope: ClassVar[Literal["topic", "evaluation"]] = "topic"  # evaluation: a score depends on all topics
    EXTRA: ClassVar[str | None] = None  # the extra of this package that it comes with
    MODULES: ClassVar[tuple[str, ...]] = ()  # what that extra brings in

    @property
    def name(self) -> str:
        return self.FAMILY

    @property
    def title(self) -> str:
        """What tables and sentences call it: its name in words, then what is not as usual. No two specs share one."""
        return ", ".join([self.title_name, *self.title_details()])

    @property
    def title_name(self) -> str:
        return self.TITLE or self.name

    def title_of_one_reference(self) -> str:
        """The title where every text has one reference, so that what is made of several need not be said."""
        return ", ".join(
            [self.title_name, *(detail for detail in self.title_details() if detail not in self.OF_SEVERAL)]
        )

    def title_details(self) -> list[str]:
        """The options that are not as usual, in words."""
        return [_in_words(option, value) for option, value in self.changed().items()]

    def preparation_words(self) -> list[str]:
        """What a paper says of the options, usual ones included; what is done with several references comes last."""
        return []

    def usual(self) -> dict[str, Any]:
        """The options that a measure of this name has where none is written."""
        return {f.name: f.default for f in fields(self)}

    def changed(self) -> dict[str, Any]:
        """The options that are not as usual."""
        usual = self.usual()
        return {option: value for option, value in self.options().items() if value != usual[option]}

    def check_installed(self) -> None:
        """Say before the work starts that an extra is missing."""
        if any(find_spec(module) is None for module in self.MODULES):
            raise UsageError(f'{self.name} needs an extra: pip install "adjudge[{self.EXTRA}]"')

    def explanation(self) -> str:
        """What it is, and what its options mean, for people."""
        return inspect.getdoc(self) or self.ABOUT

    def options(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.FIXED}

    def signed_options(self) -> dict[str, Any]:
        """The options that the signature names: those that make a difference."""
        return self.options()

    def expanded(self) -> list[Measure]:
        """What a spec stands for: itself, or several measures (`stat=all`)."""
        return [self]

    def fitted(self, batches: Sequence[TopicBatch]) -> list[Measure]:
        """What a spec stands for in this evaluation: itself, or what there is where it names nothing that is there."""
        return [self]

    def why_nothing(self, batches: Sequence[TopicBatch]) -> str:
        """Why there is no score of any topic."""
        return "nothing that it is made from was judged" if "judgments" in self.needs else "it gave none"

    def __str__(self) -> str:
        changed = [f"{k}={_plain(v)}" for k, v in self.changed().items()]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def signature(self, references: str = "") -> str:
        """Enough to get the same number again; `references` says how many there were."""
        parts = [self.name]
        for option, value in self.signed_options().items():
            count = f"{references}:" if option == "refs" and references else ""
            parts.append(f"{option}:{count}{_plain(value)}")
        if references and "refs" not in self.options():
            parts.append(f"references:{references}")
        return "|".join([*parts, f"v:{__version__}"])

    def info(self, references: str = "") -> MeasureInfo:
        return MeasureInfo(
            measure=str(self),
            better=self.better,
            range=self.range,
            signature=self.signature(references),
            title=self.title,
        )

    def seen(self, batch: TopicBatch) -> TopicBatch:
        """What it looks at of a topic."""
        return batch

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        """One row per peer at least; what cannot be computed is a NaN that says why."""
        raise TypeError(f"{type(self).__name__} does not say how it scores")

    @property
    def scores_units(self) -> bool:
        """Whether it can say how much of a single model unit a peer has, from 0 to 1 (`match_unit`)."""
        return False

    def match_unit(self, batch: TopicBatch, peer: Summary, unit: Unit) -> UnitMatch:
        """One model unit compared with a whole peer, where the measure `scores_units`."""
        raise TypeError(f"{type(self).__name__} gives no value of a single unit")

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        """What somebody who reads the scores should know of these texts, before or after they are scored."""
        return []

    @classmethod
    def score_many(cls, measures: Sequence[Measure], batches: Sequence[TopicBatch]) -> Iterator[Score]:
        """Measures of one class over many topics; a family that can share work between them overrides this."""
        for batch in batches:
            for measure in measures:
                yield from measure.score(batch)

    def score_with_references(
        self, batches: Sequence[TopicBatch], choices: Iterable[Writers]
    ) -> Iterator[Sequence[float]]:
        """For every choice of references the score of each peer, batch by batch, as if there were no other references.

        Several rows of a peer, one per reference, are averaged; NaN where there is none. Every choice is scored anew; a
        family that can share work between them overrides this, and says so in `shares_references`.
        """
        for writers in choices:
            some = [
                replace(batch, references=tuple(r for r in batch.references if r.system in kept), _kept={})
                for batch, kept in zip(batches, writers, strict=True)
            ]
            values_by_peer: dict[tuple[object, ...], list[float]] = {}
            for score in type(self).score_many([self], some):
                if not math.isnan(score.value):
                    key = (score.topic, score.system, score.length, score.form)
                    values_by_peer.setdefault(key, []).append(score.value)
            of_peers = (
                values_by_peer.get((p.topic, p.system, p.length, p.form), []) for b in some for p in b.peers
            )
            yield [math.fsum(values) / len(values) if values else math.nan for values in of_peers]

    @property
    def shares_references(self) -> bool:
        """Whether further choices of references cost little once all were looked at."""
        return False

    def row(self, batch: TopicBatch, peer: Summary, value: float, *, reference: str | None = None) -> Score:
        return Score(
            str(self),
            batch.topic.topic,
            peer.system,
            value,
            length=peer.length,
            form=peer.form,
            reference=reference,
        )

    def missing(self, batch: TopicBatch, peer: Summary, why: str) -> Score:
        return Score.missing(str(self), batch.topic.topic, peer.system, why, peer.length, peer.form)


Make = Callable[..., Measure]
"""What makes a measure of its options: its class, or a partial of it."""


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _in_words(option: str, value: object) -> str:
    name = option.replace("_", " ")
    if isinstance(value, bool):
        return name if value else f"no {name}"
    return "not stemmed" if (option, value) == ("stem", "none") else f"{name} {_plain(value)}"


def no_reference(peer: Summary, references: Sequence[Summary]) -> str:
    """Why a peer has no reference to be compared with, in words."""
    others = {r.target for r in references if r.system != peer.system}
    if not references:
        return "the topic has no reference"
    if not others:
        return "the only reference is by the same system"
    there = sorted(others, key=lambda target: target.order)
    if any(target.form for target in (peer.target, *there)):
        return f"no reference of {peer.target} (there are: {'; '.join(map(str, there))})"
    lengths = ", ".join("unset" if target.length is None else str(target.length) for target in there)
    return f"no reference of length {peer.length or 'unset'} (there are: {lengths})"
