"""Texts that a person approved: what the product says, kept in files beside the tests, one for each module of tests.

A test of facts asserts facts. What is said of them is compared here with the text that was approved when it was last
read. `make approve` writes what is said now; the change is read in `git diff`, sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from difflib import unified_diff
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock

import adjudge
from adjudge.core.results import Result

TESTS = Path(__file__).parent
APPROVED = TESTS / "approved"
DOCS = TESTS.parent / "docs"
MARK = "=== "
DOTS = "..."
"""Of what a page shows: here lines are left out."""


def file_of(module: Path) -> Path:
    return APPROVED / module.relative_to(TESTS).with_suffix(".txt")


def read(file: Path) -> dict[str, str]:
    """The texts of a file by name."""
    texts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if line.startswith(MARK):
            lines = texts.setdefault(line.removeprefix(MARK), [])
        else:
            lines.append(line)
    return {name: "\n".join(body).strip("\n") for name, body in texts.items()}


def write(file: Path, name: str, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock"):
        texts = {**read(file), name: text}
        file.write_text(
            "\n".join(f"{MARK}{name}\n{texts[name]}\n" for name in sorted(texts)), encoding="utf-8"
        )


def words_of(result: Result, beyond: Result | None = None) -> list[str]:
    """All that a result says: its sentences, then its notes; perhaps only what another one does not say too."""
    words = [*result.sentences(), *(f"note: {note}" for note in result.warnings())]
    usual = words_of(beyond) if beyond is not None else ()
    return [line for line in words if line not in usual]


class Approved:
    """Compares what one test says with what was approved; a second text of the test has the number 2, or a label."""

    def __init__(self, module: Path, test: str, *, rewrite: bool) -> None:
        self.file, self.test, self.rewrite = file_of(module), test, rewrite
        self.names: list[str] = []

    def __call__(self, text: str | Iterable[str], label: str = "") -> None:
        shown = text if isinstance(text, str) else "\n".join(text)
        lines = shown.replace(adjudge.__version__, "VERSION").splitlines()
        shown = "\n".join(line.rstrip() for line in lines).strip("\n")
        name = f"{self.test} {label or len(self.names) + 1}" if label or self.names else self.test
        assert name not in self.names, f"{name}: two texts under one label"
        assert not any(line.startswith(MARK) for line in lines)
        self.names.append(name)
        if self.rewrite:
            write(self.file, name, shown)
        kept = read(self.file).get(name)
        assert kept is not None, f"{name}: nobody has approved what is said: make approve, and read the diff"
        difference = unified_diff(kept.splitlines(), shown.splitlines(), "approved", "said now", lineterm="")
        assert kept == shown, "\n".join([f"{name} (make approve, if that is better):", *difference])


class CheckPage(Protocol):
    """`check_page("anova.md", "anova", run)`; see the function."""

    def __call__(self, name: str, calls: str, run: Callable[[str], Any]) -> int: ...


CONSOLE = re.compile(r"(?<=^```console\n)\$ adjudge ([^\n]*)\n(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)


def check_page(name: str, calls: str, run: Callable[[str], Any], *, rewrite: bool = False) -> int:
    """A page of the documentation shows what its commands print, or how that begins; says how many it shows.

    `calls` are the first words of the commands that are meant, `run` gives what one prints by the words after these.
    """
    count, page = 0, DOCS / name

    def block(match: re.Match[str]) -> str:
        nonlocal count
        if not match[1].startswith(calls):
            return match[0]
        count += 1
        done = run(match[1].removeprefix(calls).strip())
        printed = [line.rstrip() for line in getattr(done, "stdout", done).splitlines()]
        shown = match[2].splitlines()
        if DOTS in shown:
            cut = shown.index(DOTS)
            begins = [*printed[:cut], DOTS, *printed[len(printed) - len(shown) + cut + 1 :]]
        else:
            begins = printed if rewrite and len(printed) <= len(shown) + 2 else printed[: len(shown)]
        if rewrite:
            return "\n".join([f"$ adjudge {match[1]}", *begins, ""])
        difference = "\n".join(unified_diff(shown, begins, name, "printed now", lineterm=""))
        assert begins == shown, f"make approve, if this is better:\n{difference}"
        return match[0]

    with FileLock(f"{page}.lock") if rewrite else nullcontext():
        changed = CONSOLE.sub(block, page.read_text(encoding="utf-8"))
        if rewrite:
            page.write_text(changed, encoding="utf-8")
    return count
