"""Units about which people and a measure disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.mismatch.result import MismatchResult
    from adjudge.analyses.scores import Scores

Agree = Literal["all", "majority"]


@dataclass(frozen=True)
class Mismatch(Analysis["MismatchResult"]):
    """Where people and a measure disagree about units: both texts side by side, tags that say why, counts.

    Model units that people call fully covered and the measure calls uncovered, and the reverse. Lin and Hovy 2002,
    section 6. Tags say why: paraphrase, generalisation, style, perspective, or your own; they are kept with the
    judgments. Of an evaluation's folder; assessors who are left out neither judged nor tagged.
    """

    NAME = "mismatch"
    GROUP = "Trust"
    EXAMPLE = "adjudge mismatch my-eval --measure nams"
    RUNS = "once"
    LEAVES_OUT = False

    measure: str | Sequence[str] | None = option(
        ("nams",),
        short="m",
        of="measure",
        metavar="SPEC",
        help="A measure that says something of single units: nams, or recall of a ROUGE.",
        unset="nams",
    )
    _: KW_ONLY
    full: float = option(
        1.0, least=0, most=1, metavar="SHARE", help="People: from where on a unit is fully covered."
    )
    none: float = option(0.0, least=0, most=1, metavar="SHARE", help="People: up to where it is not covered.")
    agree: Agree = option("all", metavar="WHO", help="How many assessors must say so.")
    covered: float = option(
        0.8, least=0, most=1, metavar="VALUE", help="The measure: from where on a unit is covered."
    )
    uncovered: float = option(
        0.2, least=0, most=1, metavar="VALUE", help="The measure: up to where it is uncovered."
    )
    level: float = shared("level", panel=ADVANCED)
    protocol: str = option("mismatch", metavar="NAME", help="The protocol with the tags to choose from.")

    def check(self) -> None:
        for low, high in (("none", "full"), ("uncovered", "covered")):
            values = getattr(self, low), getattr(self, high)
            if not values[0] < values[1]:
                raise UsageError(
                    f"{Argument(low)} is {values[0]:g} and {Argument(high)} is {values[1]:g}, expected {Argument(low)}"
                    f" below {Argument(high)}"
                )
        if isinstance(self.length, str):
            raise UsageError(f"{Argument('length')} is {self.length}, expected a number of words")

    def run(self, scores: Scores) -> MismatchResult:
        from adjudge.analyses.mismatch.result import mismatches_of

        return mismatches_of(scores, self)


mismatch = analysis_function(Mismatch)
