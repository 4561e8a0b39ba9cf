"""NAMS: how many of a model unit's content n-grams the whole peer has. Lin and Hovy 2002, section 5."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudge.core.errors import UsageError, quoted
from adjudge.data.rows import UNIT_KINDS, Summary, Unit
from adjudge.data.scores import Score
from adjudge.data.units import split
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, UnitMatch, no_reference
from adjudge.measures.topicwords import EXAMPLES, Cut, Grams, check_names, grams_of, ngrams, shared_spans
from adjudge.text.words import WORD_RULES

ORDERS = range(1, 5)
CONFIGURATIONS: dict[str, tuple[float, ...]] = {
    "c1": (1.0, 0.0, 0.0, 0.0),
    "c2": (1.0, 2.0, 0.0, 0.0),
    "c3": (1.0, 2.0, 3.0, 0.0),
}


@dataclass(frozen=True, slots=True)
class UnitScore:
    """One model unit compared with one peer. `ratios` and `counts` go by order, 1 to 4.

    `ratios` are NAM_1 to NAM_4, `counts` how many n-grams the unit has (Lin and Hovy's eight features,
    section 5.1). `value` is the unit's NAMS; NaN where the unit is left out.
    """

    reference: str
    unit: str
    ratios: tuple[float, ...]
    counts: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Nams(Measure):
    """Lin and Hovy 2002, section 5. NAMS = a1 NAM_1 + a2 NAM_2 + a3 NAM_3 + a4 NAM_4, where NAM_n is the
    share of a model unit's n-grams that the whole summary has (footnote 4), each as often as it has it.

    N-grams are formed of content words: stop words go first. The score is the mean over the model units of
    a reference; every reference gives its own row. Units come from units.jsonl; a reference that has none
    there is split on the fly.

    weights   c1 (1, 0, 0, 0), c2 (1/3, 2/3, 0, 0), c3 (1/6, 2/6, 3/6, 0), or numbers such as 0.5/0.5/0/0,
              which are taken as shares of their sum: 1/2/0/0 is c2
    renormalise   a unit too short for n-grams of some order has NAM_n = 0, as printed; with true, that
              order's weight goes to the others, and a unit without any n-gram is left out
    """

    weights: str = "c2"
    stem: str = "porter"
    stop: str = "function"
    units: str = "edu"
    words: str = "unicode"
    renormalise: bool = False

    FAMILY = "nams"
    TITLE = "NAMS"
    ABOUT = "content n-grams of the references' units that the summary has"
    CITATION = "Lin and Hovy 2002, Manual and Automatic Evaluation of Summaries, section 5"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "units": UNIT_KINDS,
        "words": tuple(WORD_RULES),
    }
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "weights": (*CONFIGURATIONS, "0.5/0.5/0/0"),
        **EXAMPLES,
    }
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    uses: ClassVar[frozenset[Need]] = frozenset({"units"})  # looked at where there are any

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", plain_weights(self.weights))
        check_names(self.stem, self.stop)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            references = batch.references_for(peer)
            if not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
            for reference in references:
                values = [unit.value for unit in self._against(batch, peer, reference)]
                counted = [value for value in values if not math.isnan(value)]
                if counted:
                    value = math.fsum(counted) / len(counted)
                    yield self.row(batch, peer, value, reference=reference.system)
                else:
                    why = "no unit of the reference has n-grams" if values else "the reference has no units"
                    yield replace(self.missing(batch, peer, why), reference=reference.system)

    def unit_scores(self, batch: TopicBatch, peer: Summary) -> list[UnitScore]:
        """What the scores of a peer are the means of, reference by reference, unit by unit."""
        return [u for reference in batch.references_for(peer) for u in self._against(batch, peer, reference)]

    @property
    def scores_units(self) -> bool:
        return True

    def match_unit(self, batch: TopicBatch, peer: Summary, unit: Unit) -> UnitMatch:
        """NAMS of one unit, whatever its kind; a unit without content words has none.

        What was found are the words of the n-grams that both have, of the lowest order that has a weight.
        """
        cut = self._cut()
        ours = _of_every_order(cut(unit.text))
        counts = tuple(grams.total() for grams in ours)
        ratios = tuple(
            hit_ratio(grams, grams_of(batch, peer, cut, n)) for n, grams in zip(ORDERS, ours, strict=True)
        )
        lowest = next(n for n, share in zip(ORDERS, shares_of(self.weights), strict=True) if share)
        in_unit = cut.placed(unit.text)
        in_peer = batch.once(("nams", "placed", peer.key, cut), lambda: cut.placed(peer.text))
        return UnitMatch(
            value=self._accumulate(ratios, counts) if counts[0] else math.nan,
            in_unit=shared_spans(in_unit, in_peer, lowest),
            in_peer=shared_spans(in_peer, in_unit, lowest),
        )

    def _against(self, batch: TopicBatch, peer: Summary, reference: Summary) -> Iterator[UnitScore]:
        cut = self._cut()
        theirs = [grams_of(batch, peer, cut, n) for n in ORDERS]

        def make() -> list[tuple[Unit, tuple[Grams, ...]]]:
            units = model_units(batch, reference, self.units)
            return [(unit, _of_every_order(cut(unit.text))) for unit in units]

        for unit, ours in batch.once(("nams", reference.key, self.units, cut), make):
            counts = tuple(grams.total() for grams in ours)
            ratios = tuple(hit_ratio(model, grams) for model, grams in zip(ours, theirs, strict=True))
            yield UnitScore(
                reference=reference.system,
                unit=unit.id,
                ratios=ratios,
                counts=counts,
                value=self._accumulate(ratios, counts),
            )

    def _accumulate(self, ratios: Sequence[float], counts: Sequence[int]) -> float:
        shares = shares_of(self.weights)
        value = math.fsum(share * ratio for share, ratio in zip(shares, ratios, strict=True))
        if not self.renormalise:
            return value
        present = math.fsum(share for share, count in zip(shares, counts, strict=True) if count)
        return min(value / present, 1.0) if present else math.nan

    def _cut(self) -> Cut:
        return Cut(self.words, self.stem, self.stop)


def _of_every_order(words: Sequence[str]) -> tuple[Grams, ...]:
    return tuple(Counter(ngrams(words, n)) for n in ORDERS)


def hit_ratio(unit: Grams, peer: Grams) -> float:
    """NAM_n: matched n-grams over the unit's n-grams; 0 where the unit has none."""
    matched = sum(min(count, peer[gram]) for gram, count in unit.items() if gram in peer)
    return matched / unit.total() if unit else 0.0


def model_units(batch: TopicBatch, reference: Summary, kind: str) -> list[Unit]:
    """The units of a reference as the evaluation has them, or as the splitter cuts them."""
    stored = [u for u in batch.units if u.kind == kind and u.of == reference.key]
    return stored or split(reference, kind, batch.language)


def plain_weights(text: str) -> str:
    """One text for one set of weights: the configuration's name, or four numbers between slashes."""
    if text in CONFIGURATIONS:
        return text
    shares = shares_of(text)
    for name in CONFIGURATIONS:
        if shares == shares_of(name):
            return name
    numbers = [*map(float, text.split("/")), 0.0, 0.0, 0.0, 0.0]
    return "/".join(repr(abs(number)).removesuffix(".0") for number in numbers[: len(ORDERS)])


def shares_of(text: str) -> tuple[float, ...]:
    """The weights a1 to a4, which sum to 1."""
    weights = CONFIGURATIONS.get(text) or _numbers(text)
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    padded = (*numbers, *[0.0] * (len(ORDERS) - len(numbers)))
    fits = 0 < len(numbers) <= len(ORDERS) and all(number >= 0 for number in numbers)
    if not fits or not 0 < sum(padded) < math.inf:
        raise UsageError(
            f"nams: weights={quoted(text)}; expected {', '.join(CONFIGURATIONS)} or one to four numbers,"
            " 0 or more and not all 0, such as 0.5/0.5/0/0"
        )
    return padded
