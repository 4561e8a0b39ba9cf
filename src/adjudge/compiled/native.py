"""Kernels that need no numba once they are compiled: machine code from disk, called with pointers.

Loading numba takes longer than scoring thousands of texts. So a bare kernel is compiled once to an object file that
refers to nothing outside itself (objects.py), which is kept on disk (store.py) and which llvmlite alone can load.

A bare kernel takes contiguous arrays and numbers. It indexes its arrays and knows their sizes from its numbers; it
makes no arrays, takes no slices and no len(), and gives back a whole number or nothing, as its annotation says. It
may call bare kernels of its own module. Wherever this cannot be done, numba runs the same function on the arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.compiled import jitted, say_uncached

Entry = Callable[..., Any]
PLATFORMS = ("linux",)  # where object files were tried; elsewhere numba does the work


class Bare:
    """A function that is compiled for the kinds of arguments it is called with."""

    def __init__(self, function: Entry) -> None:
        self.function = function
        self._entries: dict[tuple[str, ...], Entry] = {}

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple(map(kind, arguments))
        if kinds not in self._entries:
            self._entries[kinds] = self.native(kinds) or self.dispatcher
        return self._entries[kinds](*arguments)

    def native(self, kinds: tuple[str, ...]) -> Entry | None:
        """The compiled function from disk, or compiled now and kept; None where that does not work."""
        if sys.platform not in PLATFORMS:
            return None
        from adjudge.compiled import objects, store

        try:
            returns = self.function.__annotations__["return"]
            place = store.Place.of(self.function, (*kinds, returns))
            code = place.read()
            if code is None:
                code = objects.compiled(self, kinds, returns, place.symbol)
                if not place.write(code):
                    say_uncached()
            return _pointing(objects.loaded(code, place.symbol, kinds, returns), kinds)
        except Exception:  # whatever it is: numba itself can still do the work
            return None

    @cached_property
    def dispatcher(self) -> Any:
        """The function as numba's own, for arrays."""
        return jitted(self.function, error_model="numpy")

    @cached_property
    def _called(self) -> Any:
        """The function as other kernels call it: compiled once for any number, not for every one they write down."""
        import numba

        inner: Any = numba.njit(error_model="numpy")(self.function)
        of_types = inner.get_call_template
        inner.get_call_template = lambda given, named: of_types(
            tuple(map(numba.types.unliteral, given)), named
        )
        return inner

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this object for."""
        from numba import types

        return types.Dispatcher(self._called)


def kind(argument: Any) -> str:
    """i4* is an array of 32-bit integers; every number is 64 bits wide."""
    if isinstance(argument, np.ndarray):
        if not (argument.flags.c_contiguous and argument.dtype.isnative):
            raise TypeError("a bare kernel takes arrays that are contiguous and in native order")
        return f"{argument.dtype.str[1:]}*"
    return "f8" if isinstance(argument, float) else "i8"


def _pointing(native: Entry, kinds: tuple[str, ...]) -> Entry:
    """Arrays become the addresses of their first elements, NumPy's numbers plain ones."""
    given = [_address if each.endswith("*") else float if each == "f8" else int for each in kinds]
    return lambda *arguments: native(*(make(value) for make, value in zip(given, arguments, strict=True)))


def _address(array: np.ndarray) -> int:
    return array.ctypes.data
