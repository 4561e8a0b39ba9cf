"""What the arrays and options given to this room must look like; the only place that raises for them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError, quoted
from adjudge.core.words import counted

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


LARGEST = 1e302
"""Of numbers: sums and differences of hundreds of thousands of such still fit a float."""


def numbers(name: str, values: npt.ArrayLike, *, dimensions: int) -> FloatArray:
    """The values as floats, in so many dimensions; at most LARGEST in size, or NaN where missing."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: not an array of numbers; use NaN for missing values") from None
    if array.ndim != dimensions:
        raise UsageError(f"{name}: expected {dimensions} dimension(s), got {array.ndim}")
    infinite = np.isinf(array)
    if infinite.any():
        cell = ", ".join(str(index) for index in np.argwhere(infinite)[0])
        raise UsageError(f"{name}: infinite value at [{cell}]; expected numbers, NaN for missing")
    large = np.abs(array) > LARGEST
    if large.any():
        index = tuple(np.argwhere(large)[0])
        cell = ", ".join(map(str, index))
        raise UsageError(
            f"{name}: {array[index]:g} at [{cell}] is too large; expected no more than {LARGEST:g}"
        )
    return array


def pair(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Two vectors of one length."""
    first, second = numbers("x", x, dimensions=1), numbers("y", y, dimensions=1)
    if first.size != second.size:
        raise UsageError(f"x and y: expected one length, got {first.size} and {second.size}")
    return first, second


def clusters_of(clusters: Sequence[object] | IntArray | None, count: int, things: str = "topics") -> IntArray:
    """The cluster of each topic by its number, in the order of their first topics; without clusters each is its own."""
    if clusters is None:
        return np.arange(count)
    if len(clusters) != count:
        raise UsageError(f"clusters: expected one for each of {count} {things}, got {len(clusters)}")
    codes = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    return np.array([codes[name] for name in clusters], dtype=np.int64)


def probabilities(name: str, values: npt.ArrayLike) -> FloatArray:
    """A vector of numbers between 0 and 1; NaN where missing."""
    array = numbers(name, values, dimensions=1)
    outside = (array < 0) | (array > 1)
    if outside.any():
        index = int(np.flatnonzero(outside)[0])
        raise UsageError(f"{name}: {array[index]} at [{index}] is not between 0 and 1")
    return array


def family(asked: npt.ArrayLike | None, pairs: int) -> BoolArray:
    """Which pairs are asked for, a truth value for each; without any, all."""
    array = np.ones(pairs, dtype=np.bool_) if asked is None else np.asarray(asked)
    if array.dtype != np.bool_ or array.shape != (pairs,):
        form = f"{array.dtype} of shape {array.shape}"
        expected = counted(pairs, "truth value")
        raise UsageError(f"family: expected {expected}, one for each pair, got {form}")
    return array


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """One of the known words."""
    if value not in allowed:
        expected = ", ".join(quoted(word) for word in allowed)
        raise UsageError(f"{name}: unknown value {quoted(value)}; expected one of {expected}")


def count(name: str, value: int, *, least: int) -> None:
    """A whole number, not too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name}: expected a whole number of at least {least}, got {value!r}")


def share(name: str, value: float) -> None:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise UsageError(f"{name}: expected a number between 0 and 1, got {value!r}")


def relation(name: str, matrix: npt.ArrayLike) -> BoolArray:
    """A square, symmetric matrix of truth values with an empty diagonal."""
    array = np.asarray(matrix)
    if array.dtype != np.bool_ or array.ndim != 2 or array.shape[0] != array.shape[1]:
        form = f"{array.dtype} of shape {array.shape}"
        raise UsageError(f"{name}: expected a square matrix of truth values, got {form}")
    if not np.array_equal(array, array.T):
        i, j = np.argwhere(array != array.T)[0]
        raise UsageError(f"{name}: not symmetric, [{i}, {j}] and [{j}, {i}] disagree")
    if array.diagonal().any():
        index = int(np.flatnonzero(array.diagonal())[0])
        raise UsageError(f"{name}: [{index}, {index}] is true; nothing differs from itself")
    return array


def ranking(name: str, order: Sequence[int] | IntArray, size: int) -> list[int]:
    """Every index below size, once."""
    array = np.asarray(order)
    if not array.size:
        array = array.astype(np.int64)
    whole = array.ndim == 1 and np.issubdtype(array.dtype, np.integer)
    if not whole or sorted(array.tolist()) != list(range(size)):
        raise UsageError(f"{name}: expected each of 0 to {size - 1} once, got {quoted(order)}")
    return [int(index) for index in array]
