"""Bare kernels: the same numbers from disk, freshly compiled and through numba, and never a damaged file's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.compiled import FORMAT, PLATFORMS, Bare, KernelFiles, SlowStart, bare, compiled

only_here = pytest.mark.skipif(sys.platform not in PLATFORMS, reason="numba does the work here")

TINY = """
from __future__ import annotations
import sys
import numpy as np
from adjudge.core.compiled import bare

FACTOR = 2

@bare
def _times(value: int, factor: int) -> int:
    return factor * value

@bare
def total(values: np.ndarray, n: int, scale: float, scaled: np.ndarray) -> int:
    found = 0
    for i in range(n):
        found += _times(values[i], FACTOR)
        scaled[i] = values[i] * scale
    return found

@bare
def fill(values: np.ndarray, n: int) -> None:
    for i in range(n):
        values[i] = 7

values, scaled = np.arange(5, dtype=np.int32), np.zeros(5)
print(total(values, np.int64(5), 0.5, scaled), scaled.tolist(), fill(values, 5), values.tolist())
print("numba" in sys.modules)
"""
NUMBERS = "20 [0.0, 0.5, 1.0, 1.5, 2.0] None [7, 7, 7, 7, 7]"
COMPILED, FROM_DISK = [NUMBERS, "True"], [NUMBERS, "False"]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    (tmp_path / "tiny.py").write_text(TINY, encoding="utf-8")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "NUMBA_CACHE_DIR")}
    return env | {"XDG_CACHE_HOME": str(folder / "home")}


def start(folder: Path, before: str = "", **more: str) -> subprocess.Popen[str]:
    code = f"import warnings; warnings.simplefilter('always')\n{before}\nimport tiny"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(folder) | more,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(folder: Path, before: str = "", **more: str) -> tuple[list[str], str]:
    process = start(folder, before, **more)
    out, said = process.communicate()
    assert process.returncode == 0, said
    return out.splitlines(), said


def objects(folder: Path) -> list[Path]:
    return sorted(folder.glob("**/*.object*"))


@only_here
def test_the_second_process_runs_without_numba(tiny: Path) -> None:
    assert run(tiny) == (COMPILED, "")
    assert run(tiny) == (FROM_DISK, "")
    assert [f.name.split("-")[0] for f in objects(tiny)] == ["tiny.fill", "tiny.total"]


@only_here
def test_a_damaged_file_is_compiled_again_and_put_right(tiny: Path) -> None:
    run(tiny)
    for file in objects(tiny):
        file.write_bytes(file.read_bytes()[:-1])
    assert run(tiny) == (COMPILED, "")
    assert run(tiny) == (FROM_DISK, "")


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    place = KernelFiles((tmp_path / "a" / "x", tmp_path / "b" / "x"), "name")
    assert place.read() is None
    assert place.write(b"code")
    first, second = place.files
    whole = first.read_bytes()
    assert (place.read(), second.exists()) == (b"code", False)
    for damaged in (
        b"",
        whole[:-1],
        whole[:-1] + b"f",
        whole[1:],
        whole + b"e",
        whole[len(FORMAT) :],
        b"code",
    ):
        first.write_bytes(damaged)
        assert place.read() is None
    second.parent.mkdir()
    second.write_bytes(whole)
    assert place.read() == b"code"
    assert place.write(b"more")
    assert place.read() == b"more"


@only_here
def test_another_source_or_constant_is_another_kernel(tiny: Path) -> None:
    run(tiny)
    (tiny / "other.py").write_text("FACTOR = 4", encoding="utf-8")
    (tiny / "tiny.py").write_text(TINY.replace("FACTOR = 2", "from other import FACTOR"), encoding="utf-8")
    assert run(tiny)[0][0].startswith("40 ")
    (tiny / "other.py").write_text("FACTOR = 50", encoding="utf-8")
    assert run(tiny)[0][0].startswith("500 ")


@only_here
def test_where_nothing_can_be_written_it_compiles_and_says_so_once(tiny: Path) -> None:
    for place in ("__pycache__", "home"):
        (tiny / place).write_text("a file stands where a folder should be", encoding="utf-8")
    out, said = run(tiny)
    assert out == COMPILED
    assert said.count("compiled code cannot be cached") == 1
    assert objects(tiny) == []
    told = tiny / "told"
    assert run(tiny, NUMBA_CACHE_DIR=str(told)) == (COMPILED, "")
    assert run(tiny, NUMBA_CACHE_DIR=str(told)) == (FROM_DISK, "")
    assert len(objects(told)) == 2


@only_here
def test_processes_that_compile_at_the_same_time_leave_whole_files(tiny: Path) -> None:
    processes = [start(tiny) for _ in range(3)]
    for out, said in [process.communicate() for process in processes]:
        assert (out.splitlines()[0], said) == (NUMBERS, "")
    assert [file.suffix for file in objects(tiny)] == [".object"] * 2
    assert run(tiny) == (FROM_DISK, "")


def test_without_object_files_numba_does_the_same(tiny: Path) -> None:
    elsewhere = "import adjudge.core.compiled as c; c.PLATFORMS = ()"
    assert run(tiny, elsewhere) == (COMPILED, "")
    assert objects(tiny) == []


@only_here
def test_where_object_files_fail_numba_does_the_same_and_it_is_said_once(tiny: Path) -> None:
    broken = "import adjudge.core.compiled as c\ndef fail(*given): raise OSError('damaged')\nc.loaded = fail"
    out, said = run(tiny, broken)
    assert out == COMPILED
    assert said.count("compiled code cannot be loaded without numba (OSError: damaged)") == 1


@only_here
def test_a_mistake_of_our_own_is_not_hidden(tiny: Path) -> None:
    broken = "import adjudge.core.compiled as c; c.loaded = lambda *given: 1 / 0"
    process = start(tiny, broken)
    assert "ZeroDivisionError" in process.communicate()[1]
    assert process.returncode == 1


@bare
def _length(values: np.ndarray) -> int:
    return len(values)


@bare
def _first(values: np.ndarray) -> int:
    return values[0]  # type: ignore[no-any-return]


@only_here
def test_a_function_that_is_not_bare_goes_to_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.core.compiled._slow_starts", [])
    kernel = Bare(_length.function)  # type: ignore[attr-defined]
    with pytest.warns(SlowStart, match="_length.* is not bare"):
        assert kernel.native(("i8*",)) is None
    assert kernel(np.zeros(4, np.int64)) == 4
    raising = Bare(_raises)
    with pytest.raises(ValueError, match="not bare: it asks for"):
        compiled(raising, ("i8*",), "int", "raises")


def _raises(values: np.ndarray) -> int:
    if values[0] > 3:
        raise ValueError
    return 1


def test_arrays_must_lie_in_one_piece() -> None:
    values = np.arange(6, dtype=np.int64)
    assert _first(values[1:3]) == 1
    with pytest.raises(TypeError, match="contiguous"):
        _first(values[::2])
    with pytest.raises(TypeError, match="native order"):
        _first(values.astype(values.dtype.newbyteorder()))
