"""Resampled topics: swaps alone, or a bootstrap and then swaps. What is computed from them lives elsewhere.

A resample gives every topic two numbers: how often it was drawn, and how much more often it was left than swapped.
Under swaps alone these are 1 and +1 or -1. No number depends on how resamples are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

import numpy as np

from adjudge.stats.checks import IntArray
from adjudge.stats.resampling.products import Bits, Columns
from adjudge.stats.resampling.quantised import Float

WEIGHTS = 2**17
"""Weights held at once, half a megabyte: they are gone through for every pair."""

Block = tuple[slice, Columns, Columns]
"""Which resamples, and for these: topics x resamples, how much more often left than swapped; how often drawn."""


class Draws(Protocol):
    """Anything that resamples the topics of a set."""

    @property
    def resamples(self) -> int: ...

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[Block]: ...


@dataclass(frozen=True)
class Swaps:
    """MC: every topic once, swapped or not. Rankel et al. 2011, section 2."""

    bits: Bits
    resamples: int

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[Block]:
        from adjudge.stats.resampling.kernels import unpack_signs

        bits = self.bits[rows]
        length = _length(rows.size)
        for start in range(0, self.resamples, length):
            stop = min(start + length, self.resamples)
            signs = np.empty((rows.size, stop - start), dtype=dtype)
            unpack_signs(bits, start, signs)
            yield slice(start, stop), signs, np.ones_like(signs)


@dataclass(frozen=True)
class Hybrid:
    """HB: n topics of the set drawn with replacement, then each swapped or not. Rankel et al. 2011, section 2.

    Every set of topics has a random stream of its own, which depends on the key and on the set, not on what else
    is in the matrix: pairs with the same common topics share their draws, and no other pair changes them.
    """

    key: int
    resamples: int

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[Block]:
        from adjudge.stats.resampling.kernels import tally

        name = int.from_bytes(blake2b(rows.astype("<i8").tobytes(), digest_size=16).digest(), "little")
        # Two streams, so that the one does not depend on how much of the other was drawn before.
        topic, swap = (np.random.default_rng([self.key, name, stream]) for stream in (0, 1))
        words = -(-rows.size // 64)
        length = _length(rows.size)
        for start in range(0, self.resamples, length):
            stop = min(start + length, self.resamples)
            drawn = topic.integers(0, rows.size, size=(stop - start, rows.size))
            bits = swap.integers(0, 2**64, size=(stop - start, words), dtype=np.uint64)
            signed, counts = np.empty((2, rows.size, stop - start), dtype=dtype)
            tally(drawn, bits, signed, counts)
            yield slice(start, stop), signed, counts


def hybrid(rng: np.random.Generator, resamples: int) -> Hybrid:
    return Hybrid(int(rng.integers(0, 2**63)), resamples)


def _length(topics: int) -> int:
    """How many resamples are drawn at once: whole words of 64."""
    return max(WEIGHTS // topics // 64, 2) * 64
