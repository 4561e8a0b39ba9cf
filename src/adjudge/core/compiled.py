"""Compiled functions: numba's (`kernel`), and bare ones that start without loading numba (`bare`).

A bare kernel is compiled once by numba and LLVM, kept on disk as an object file, and loaded by llvmlite alone in
later processes: that saves most of a cold start. Where it does not work, numba does the same work itself.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec, source_hash
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold the cycle collector while millions of words are made: it would walk them all again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class UncachedKernels(UserWarning):
    """Compiled code cannot be kept on disk here, so it is compiled again in every process."""


class SlowStart(UserWarning):
    """Object files of bare kernels do not work here, so numba is loaded in every process."""


def kernel(function: F) -> F:
    """Compile a function when it is first called; keep the result for the next process where possible."""
    return cast(F, jitted(function))


def bare(function: F) -> F:
    """As `kernel`, for functions of arrays and numbers that only index: they start without numba."""
    return cast(F, Bare(function))


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """The function as numba's, with numba's cache where there is a place for one."""
    import numba

    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder to write to: a read-only install without a home
        say_uncached()
        return numba.njit(**options)(function)


@cache
def say_uncached() -> None:
    warnings.warn(
        "compiled code cannot be cached (no writable folder): it is compiled again in every process;"
        " set NUMBA_CACHE_DIR to a folder that can be written",
        UncachedKernels,
        stacklevel=3,
    )


_slow_starts: list[str] = []


def say_slow_start(why: str) -> None:
    """Say once in a process that numba had to do the work, and why."""
    _slow_starts.append(why)
    if len(_slow_starts) == 1:
        warnings.warn(
            f"compiled code cannot be loaded without numba ({why}): results are the same, starting takes longer",
            SlowStart,
            stacklevel=3,
        )


# Where bare kernels are kept between processes

FORMAT = b"adjudge kernel 1\n"
_CHECK = 8  # bytes of the digest that follows


@dataclass(frozen=True)
class KernelFiles:
    """Files that may hold one kernel for one kind of arguments, the first choice first, and the name inside."""

    files: tuple[Path, ...]
    symbol: str

    @classmethod
    def of(cls, function: Callable[..., Any], kinds: Sequence[str]) -> KernelFiles:
        """The name says what the code depends on: source, constants, arguments, compilers, the machine."""
        source = Path(function.__code__.co_filename)
        constants = {k: v for k, v in function.__globals__.items() if isinstance(v, int | float | np.generic)}
        parts = (FORMAT, _bytes(source), repr((constants, kinds, target())).encode(), _compiler())
        digest = source_hash(b"\0".join(parts)).hex()
        name = f"{source.stem}.{function.__name__}-{digest}.object"
        symbol = f"adjudge_{function.__name__}_{digest}"
        return cls(tuple(folder / name for folder in _folders(source)), symbol)

    def read(self) -> bytes | None:
        """The code, where a file has it whole."""
        for file in self.files:
            with suppress(OSError):
                content = file.read_bytes()
                check, code = content[len(FORMAT) : len(FORMAT) + _CHECK], content[len(FORMAT) + _CHECK :]
                if content.startswith(FORMAT) and check == source_hash(code):
                    return code
        return None

    def write(self, code: bytes) -> bool:
        """Keep the code in the first folder that takes it; by one rename, so that nobody reads half of it."""
        return any(_written(file, FORMAT + source_hash(code) + code) for file in self.files)


def _written(file: Path, content: bytes) -> bool:
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        scratch.replace(file)
    except OSError:
        with suppress(OSError):
            scratch.unlink()
        return False
    return True


def _folders(source: Path) -> Iterator[Path]:
    """Where numba would look: the folder it is told, beside the source, in the user's home."""
    if told := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(told)
    yield source.parent / "__pycache__"
    with suppress(RuntimeError):  # no home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "adjudge")


@cache
def _bytes(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _compiler() -> bytes:
    """numba's version, without loading it."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("numba")
    return Path(spec.origin).with_name("_version.py").read_bytes()


# Object files: made by numba and LLVM, loaded by llvmlite alone

_RETURNS = {"None": None, "int": ctypes.c_int64}
_ENGINES: list[Any] = []  # they own the code, so they live as long as the process
_NUMBERS = {"i8": ctypes.c_int64, "f8": ctypes.c_double}


def compiled(kernel: Bare, kinds: Sequence[str], returns: str, symbol: str) -> bytes:
    """The kernel as an object file that defines `symbol` and asks for nothing.

    numba wraps a C function around a compiled one and keeps them apart, since the inner one could raise. A bare
    kernel cannot: once it is inlined, what would report its errors, and needs Python and numba for it, falls away.
    """
    import llvmlite.binding as llvm
    import numba
    from numba import types

    numbers = {
        "u1": types.uint8,
        "i4": types.int32,
        "i8": types.int64,
        "u8": types.uint64,
        "f4": types.float32,
        "f8": types.float64,
    }
    return_type = {"None": types.void, "int": types.int64}[returns]
    pointer: Any = types.CPointer
    taken = [pointer(numbers[k[:-1]]) if k.endswith("*") else numbers[k] for k in kinds]
    try:
        wrapped = numba.cfunc(return_type(*taken), error_model="numpy")(kernel.function)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"{symbol} is not bare: {str(error).splitlines()[0]}") from None
    module = llvm.parse_assembly(wrapped.inspect_llvm().replace("noinline", "nounwind"))
    for value in (*module.functions, *module.global_variables):
        if value.name == wrapped.native_name:
            value.name = symbol
        elif not value.is_declaration:
            value.linkage = "internal"
    machine = _machine()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    asked = [value.name for value in (*module.functions, *module.global_variables) if value.is_declaration]
    if outside := [name for name in asked if not name.startswith("llvm.")]:
        raise ValueError(f"{symbol} is not bare: it asks for {', '.join(outside)}")
    code: bytes = machine.emit_object(module)
    return code


def loaded(code: bytes, symbol: str, kinds: Sequence[str], returns: str) -> Callable[..., Any]:
    """The function of an object file, which takes addresses for arrays."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    taken: list[Any] = [ctypes.c_void_p if kind.endswith("*") else _NUMBERS[kind] for kind in kinds]
    return ctypes.CFUNCTYPE(_RETURNS[returns], *taken)(engine.get_function_address(symbol))


@cache
def target() -> str:
    """The machine that code is compiled for, and the compiler."""
    import llvmlite.binding as llvm

    version = ".".join(map(str, llvm.llvm_version_info))
    return " ".join((version, llvm.get_process_triple(), llvm.get_host_cpu_name(), _features()))


def _features() -> str:
    import llvmlite.binding as llvm

    features: str = llvm.get_host_cpu_features().flatten()
    return features


@cache
def _machine() -> Any:
    """The settings are numba's."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=_features(),
        opt=3,
        reloc=reloc,
        codemodel="jitdefault",
        jit=True,
    )


Entry = Callable[..., Any]
PLATFORMS = ("linux",)  # where object files were tried; elsewhere numba does the work
FAILURES = (ImportError, AttributeError, KeyError, OSError, RuntimeError, ValueError)
"""What loading and LLVM raise where an object file cannot be made or used: another version of llvmlite or numba, an
unknown machine, a kernel that is not bare."""


class Bare:
    """A function that is compiled for the kinds of arguments it is called with."""

    def __init__(self, function: Entry) -> None:
        self.function = function
        self._entries: dict[tuple[str, ...], Entry] = {}

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple(map(_kind, arguments))
        if kinds not in self._entries:
            self._entries[kinds] = self.native(kinds) or self.dispatcher
        return self._entries[kinds](*arguments)

    def native(self, kinds: tuple[str, ...]) -> Entry | None:
        """The compiled function from disk, or compiled now and kept; None where that does not work."""
        if sys.platform not in PLATFORMS:
            return None
        try:
            returns = self.function.__annotations__["return"]
            place = KernelFiles.of(self.function, (*kinds, returns))
            code = place.read()
            if code is None:
                code = compiled(self, kinds, returns, place.symbol)
                if not place.write(code):
                    say_uncached()
            # Arrays become the addresses of their first elements, NumPy's numbers plain ones.
            native = loaded(code, place.symbol, kinds, returns)
            makers = [_address if kind.endswith("*") else float if kind == "f8" else int for kind in kinds]
            return lambda *arguments: native(
                *(make(value) for make, value in zip(makers, arguments, strict=True))
            )
        except FAILURES as error:
            say_slow_start(f"{type(error).__name__}: {error}")
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
        inner.get_call_template = lambda arg_types, named: of_types(
            tuple(map(numba.types.unliteral, arg_types)), named
        )
        return inner

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this object for."""
        from numba import types

        return types.Dispatcher(self._called)


def _kind(argument: Any) -> str:
    """i4* is an array of 32-bit integers; every number is 64 bits wide."""
    if isinstance(argument, np.ndarray):
        if not (argument.flags.c_contiguous and argument.dtype.isnative):
            raise TypeError("a bare kernel takes arrays that are contiguous and in native order")
        return f"{argument.dtype.str[1:]}*"
    return "f8" if isinstance(argument, float) else "i8"


def _address(array: np.ndarray) -> int:
    return array.ctypes.data
