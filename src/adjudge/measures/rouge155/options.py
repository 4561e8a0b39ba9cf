"""What a run of ROUGE-1.5.5 is asked for, checked; and the measures that follow from it, in its order."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from adjudge.core.errors import UsageError, quoted
from adjudge.measures.rouge.elements import MODES

Kind = Literal["N", "L", "W", "S", "BE"]
_NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{1,12})?|\.[0-9]{1,12}")
_WHOLE = re.compile(r"-?[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Rouge155Measure:
    """One measure of a run, under the name that is printed."""

    tag: str
    kind: Kind
    n: int = 1
    weight: float = 1.0
    skip: int = 0
    unigrams: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rouge155Options:
    """The original's options under names of our own; the letters are in docs/rouge155.md.

    `weight`, `skip` and `confidence` are kept as they were typed, because they are printed so.
    """

    max_n: int = 0
    lcs: bool = True
    weight: str | None = None
    skip: str | None = None
    unigrams: Literal["no", "only", "too"] = "no"
    be: str | None = None
    stem: bool = False
    stop: bool = False
    words: int = 0
    bytes: int = 0
    formula: str = "A"
    alpha: float = 0.5
    confidence: str = "95"
    samples: int = 1000
    count: int = 0
    details: bool = False
    data: Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for letter, number in (("n", self.max_n), ("l", self.words), ("b", self.bytes)):
            if number < 0:
                raise UsageError(f"-{letter} is {number}, expected a whole number, 0 or more")
        if self.words and self.bytes:
            raise UsageError("-l and -b exclude each other: a limit is in words or in bytes")
        if self.formula not in ("A", "B"):
            raise UsageError(f"-f is {quoted(self.formula)}, expected A (all models) or B (the best one)")
        if self.count not in (0, 1, 2):
            raise UsageError(f"-t is {self.count}, expected 0, 1 or 2")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"-p is {self.alpha:g}, expected a number from 0 to 1")
        if not _NUMBER.fullmatch(self.confidence) or float(self.confidence) > 100:
            raise UsageError(f"-c is {quoted(self.confidence)}, expected a number from 0 to 100")
        if self.samples < 1:
            raise UsageError(f"-r is {self.samples}, expected 1 sample or more")
        if self.be is not None and self.be not in MODES:
            raise UsageError(f"-3 is {quoted(self.be)}, expected one of: {', '.join(MODES)}")
        if self.weight is not None and not (_NUMBER.fullmatch(self.weight) and float(self.weight) > 0):
            raise UsageError(f"-w is {quoted(self.weight)}, expected a number greater than 0 such as 1.2")
        if self.skip is not None and not _WHOLE.fullmatch(self.skip):
            raise UsageError(f"-2 is {quoted(self.skip)}, expected a whole number of words, or -1 for any")
        if self.unigrams != "no" and self.skip is None:
            letter = "u" if self.unigrams == "only" else "U"
            raise UsageError(f"-{letter} adds single words to skip-bigrams: say -2 as well, for example -2 4")
        if self.stop and self.data is None:
            raise UsageError(
                "-s leaves out the words of smart_common_words.txt, which is part of ROUGE-1.5.5:"
                " give its data folder as -e DIR"
            )
        if not self.measures():
            raise UsageError("nothing to compute: with -x say -n, -w, -2 or -3 as well")
        if not math.isfinite(self.alpha):
            raise UsageError(f"-p is {self.alpha}, expected a number from 0 to 1")

    def measures(self) -> list[Rouge155Measure]:
        asked = [Rouge155Measure(f"ROUGE-{n}", "N", n=n) for n in range(1, self.max_n + 1)]
        if self.lcs and self.be is None:
            asked.append(Rouge155Measure("ROUGE-L", "L"))
        if self.weight is not None:
            asked.append(Rouge155Measure(f"ROUGE-W-{self.weight}", "W", weight=float(self.weight)))
        if self.skip is not None:
            skip = int(self.skip)
            name = "*" if skip < 0 else self.skip
            if self.unigrams != "only":
                asked.append(Rouge155Measure(f"ROUGE-S{name}", "S", skip=skip))
            if self.unigrams != "no":
                asked.append(Rouge155Measure(f"ROUGE-SU{name}", "S", skip=skip, unigrams=True))
        if self.be is not None:
            asked.append(Rouge155Measure(f"ROUGE-BE-{self.be}", "BE"))
        return asked
