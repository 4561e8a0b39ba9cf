"""Object files of bare kernels: made by numba and LLVM, loaded by llvmlite alone. Files are store.py's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm

if TYPE_CHECKING:
    from adjudge.compiled.native import Bare

_RETURNS = {"None": None, "int": ctypes.c_int64}
_ENGINES: list[Any] = []  # they own the code, so they live as long as the process
_NUMBERS = {"i8": ctypes.c_int64, "f8": ctypes.c_double}


def compiled(kernel: Bare, kinds: Sequence[str], returns: str, symbol: str) -> bytes:
    """The kernel as an object file that defines `symbol` and asks for nothing.

    numba wraps a C function around a compiled one and keeps them apart, since the inner one could raise. A bare
    kernel cannot: once it is inlined, what would report its errors, and needs Python and numba for it, falls away.
    """
    import numba
    from numba import types

    numbers = {
        "u1": types.uint8,
        "i4": types.int32,
        "i8": types.int64,
        "u8": types.uint64,
        "f8": types.float64,
    }
    given = {"None": types.void, "int": types.int64}[returns]
    pointer: Any = types.CPointer
    taken = [pointer(numbers[k[:-1]]) if k.endswith("*") else numbers[k] for k in kinds]
    wrapped = numba.cfunc(given(*taken), error_model="numpy")(kernel.function)
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
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    taken: list[Any] = [ctypes.c_void_p if kind.endswith("*") else _NUMBERS[kind] for kind in kinds]
    return ctypes.CFUNCTYPE(_RETURNS[returns], *taken)(engine.get_function_address(symbol))


@cache
def target() -> str:
    """The machine that code is compiled for, and the compiler."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return " ".join((version, llvm.get_process_triple(), llvm.get_host_cpu_name(), _features()))


def _features() -> str:
    found: str = llvm.get_host_cpu_features().flatten()
    return found


@cache
def _machine() -> Any:
    """The settings are numba's."""
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
