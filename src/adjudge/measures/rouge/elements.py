"""ROUGE-BE: overlap of basic elements, given as HEAD|MODIFIER|RELATION a line, counted as ROUGE-1.5.5 does."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, no_reference
from adjudge.measures.rouge.counts import (
    NOTHING,
    REFS,
    REFS_TITLES,
    STAT_TITLES,
    STATS,
    Ratios,
    RougeCounts,
    overlap,
)
from adjudge.text.stemmers.porter import stem_155 as porter

MODES = ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")
_SPACE = re.compile(f"[{string.whitespace}]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_NIL = "nil"


def basic_elements(
    lines: Iterable[str], mode: str, *, stem: bool = False, exceptions: Mapping[str, str] | None = None
) -> Counter[Hashable]:
    """What a text has to match.

    H      heads that stand alone (the modifier is NIL)
    HM     head and modifier, where there is a modifier
    HMR    all three, where there is a relation
    HM1    head and modifier, also NIL
    HMR1   all three, where there is a modifier
    HMR2   all three, always
    """
    if mode not in MODES:
        raise UsageError(f"the mode is {quoted(mode)}, expected one of: {', '.join(MODES)}")
    counted: Counter[Hashable] = Counter()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        parts = line.translate(_LOWER).split("|")
        if len(parts) != 3 or not parts[2]:
            raise FormatError(
                f"{quoted(line)} is no basic element, expected HEAD|MODIFIER|RELATION", line=number
            )
        head, modifier, relation = parts
        had_modifier = modifier != _NIL
        if stem:
            head, modifier = (_stemmed(part, exceptions or {}) for part in (head, modifier))
        element: tuple[str, ...]
        match mode:  # H and HM look for NIL after stemming, HMR1 before
            case "H":
                element, counts = (head,), modifier == _NIL
            case "HM" | "HM1":
                element, counts = (head, modifier), modifier != _NIL or mode == "HM1"
            case _:
                element = (head, modifier, relation)
                counts = {"HMR": relation != _NIL, "HMR1": had_modifier, "HMR2": True}[mode]
        if counts:
            counted[element] += 1
    return counted


def _stemmed(text: str, exceptions: Mapping[str, str]) -> str:
    """Every word of a head or modifier of more than three letters; short words too where there are several."""
    if len(text) <= 3:
        return text
    return " ".join(_stem(word, exceptions) for word in _SPACE.split(text.rstrip(string.whitespace)))


def _stem(word: str, exceptions: Mapping[str, str]) -> str:
    if not any(c.isascii() and c.isalnum() for c in word):
        return word
    return exceptions[word] if word in exceptions else porter(word)


def be_counts(
    peer: Sequence[str], references: Sequence[Sequence[str]], mode: str = "HM", *, stem: bool = False
) -> RougeCounts:
    """Hits of a peer's basic elements in all references, and what recall and precision divide them by."""
    of_peer = basic_elements(peer, mode, stem=stem)
    return sum((overlap(of_peer, basic_elements(r, mode, stem=stem)) for r in references), NOTHING)


@dataclass(frozen=True)
class RougeBe(Measure):
    """Basic elements that peer and references share (Hovy, Lin, Zhou and Fukumoto 2006).

    The texts are the output of a program that finds basic elements: a line each, HEAD|MODIFIER|RELATION, as
    ROUGE-1.5.5 reads under the name SIMPLE. A text with any other line is a missing score that says so.

    match  what has to agree: H heads that stand alone; HM head and modifier; HMR the relation too; HM1, HMR1
           and HMR2 also where the modifier or the relation is NIL
    stat   recall, precision, f (with alpha: towards 1 precision counts), or all: three measures
    stem   none or porter-155
    refs   pooled, best, mean, max, jackknife, as for the other ROUGEs
    """

    stat: str = "recall"
    alpha: float = 0.5
    match: str = "HM"
    stem: str = "none"
    refs: str = "pooled"

    FAMILY = "rouge-be"
    ABOUT = "overlap of basic elements (given, not parsed) with the references"
    CITATION = "Hovy, Lin, Zhou and Fukumoto 2006, Automated Summarization Evaluation with Basic Elements"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": (*STATS, "all"),
        "match": MODES,
        "stem": ("none", "porter-155"),
        "refs": REFS,
    }
    OF_SEVERAL = frozenset(REFS_TITLES.values())
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"{self.name}: alpha={self.alpha:g}; expected a number from 0 to 1")

    def signed_options(self) -> dict[str, Any]:
        """alpha says something of F alone."""
        return {k: v for k, v in self.options().items() if k != "alpha" or self.stat == "f"}

    def expanded(self) -> list[Measure]:
        return [replace(self, stat=stat) for stat in STATS] if self.stat == "all" else [self]

    @property
    def title_name(self) -> str:
        alpha = f" (alpha {self.alpha:g})" if self.stat == "f" and self.alpha != 0.5 else ""
        return f"ROUGE-BE {STAT_TITLES[self.stat]}{alpha}"

    def title_details(self) -> list[str]:
        options = {
            k: v for k, v in self.changed().items() if k != "stat" and (k != "alpha" or self.stat != "f")
        }
        return [REFS_TITLES[v] if k == "refs" else f"{k} {v}" for k, v in options.items()]

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            references = batch.references_for(peer)
            if not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
                continue
            try:
                of_peer = self._elements(batch, peer)
                counts = [overlap(of_peer, self._elements(batch, reference)) for reference in references]
            except FormatError as error:
                yield self.missing(batch, peer, f"not basic elements: {error}")
                continue
            wrote_one = any(reference.key == peer.key for reference in batch.references)
            value = Ratios(stat=self.stat, alpha=self.alpha, refs=self.refs, digits=5)(counts, wrote_one)
            yield self.row(batch, peer, value)

    def _elements(self, batch: TopicBatch, text: Summary) -> Counter[Hashable]:
        return batch.once(
            (self.FAMILY, text.key, self.match, self.stem),
            lambda: basic_elements(text.text.splitlines(), self.match, stem=self.stem != "none"),
        )
