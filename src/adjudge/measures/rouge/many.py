"""ROUGE of texts that belong to no evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from adjudge.core.errors import UsageError
from adjudge.core.words import listed
from adjudge.measures.base import Measure
from adjudge.measures.presets import written_out
from adjudge.measures.rouge.family import Rouge, parse_rouge
from adjudge.measures.rouge.scoring import values_of


def rouge_many(
    peers: Sequence[str], references: Sequence[Sequence[str]], measures: Sequence[str], language: str = "en"
) -> dict[str, list[float]]:
    """ROUGE of many texts at once, each with references of its own: a list of numbers per measure."""
    import numpy as np

    parsed = parse_quickly(measures)
    chosen = [measure for measure in parsed if isinstance(measure, Rouge)]
    if len(chosen) < len(parsed):
        raise UsageError(f"{listed(list(measures))} are not all ROUGE of words: use adjudge.rouge")
    if len(peers) != len(references):
        raise UsageError(f"{len(peers)} texts and {len(references)} lists of references, expected as many")
    for texts in references:
        if isinstance(texts, str):
            raise UsageError("references is one text, expected a list of texts")
        if not texts:
            raise UsageError("no references: there is nothing to compare a text with")
    groups: dict[tuple[str, ...], list[Rouge]] = {}
    for measure in chosen:
        groups.setdefault(measure.alike, []).append(measure)
    numbers: dict[str, int] = {}
    peer_numbers = [numbers.setdefault(text, len(numbers)) for text in peers]
    theirs = [numbers.setdefault(text, len(numbers)) for texts in references for text in texts]
    sizes = np.asarray([len(texts) for texts in references], np.int64)
    against, mine = np.asarray(theirs, np.int64), np.repeat(np.asarray(peer_numbers, np.int64), sizes)
    by_measure: dict[str, list[float]] = {}
    for group in groups.values():
        for measure, values in values_of(
            group, list(numbers), language, mine, against, sizes, [False] * len(peers)
        ):
            by_measure[str(measure)] = list(cast(Sequence[float], values))
    return {str(measure): by_measure[str(measure)] for measure in chosen}


def parse_quickly(measures: str | Sequence[str]) -> list[Measure]:
    """Measures of their specs; where all are ROUGE's, without loading the others that there are."""
    with suppress(UsageError):  # which the registry words better, since it knows them all
        if (rouges := parse_rouge(written_out(measures))) is not None:
            return list(rouges)
    from adjudge.measures.registry import parse_measures

    return parse_measures(measures)
