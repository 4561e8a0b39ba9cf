"""Texts that show what a difference is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.words import listed

if TYPE_CHECKING:
    from adjudge.analyses.examples.result import ExamplesResult
    from adjudge.analyses.scores import Scores

SHOWN, MOST_SHOWN = 3, 20


@dataclass(frozen=True, kw_only=True)
class Examples(Analysis["ExamplesResult"]):
    """Show two systems' texts side by side, on the topics where they differ most.

    For ROUGE, n-grams of the references that only one of them has are marked; for judged coverage, units. Other
    measures show the scores. The first topic is where the better system is furthest ahead, the second where the other
    one is, the third has a typical difference; then more of the first two kinds. Needs an evaluation with texts.
    """

    NAME = "examples"
    EXAMPLE = "adjudge examples my-eval -m rouge-2 --between fluent,random"
    RUNS = "once"

    between: str | Sequence[str] = option(
        (),
        of="system",
        metavar="A,B",
        help="The two systems to show.",
        unset="the best, and the next that differs from it significantly",
    )
    show: int = option(SHOWN, least=1, most=MOST_SHOWN, metavar="N", help="Number of topics to show.")
    alpha: float = shared(
        "alpha", panel=ADVANCED, help="Significance level of the test that picks the second system."
    )
    seed: int = shared("seed", panel=ADVANCED)

    def check(self) -> None:
        object.__setattr__(self, "between", two_systems(self.between))

    def to_run(self, source: Scores) -> Sequence[Examples]:
        """Of the first measure, people's before others, where none is named."""
        return [self if self.measure else replace(self, measure=source.people_first()[0])]

    def run(self, scores: Scores) -> ExamplesResult:
        from adjudge.analyses.examples.result import examples_of

        return examples_of(scores, self)


def two_systems(between: str | Sequence[str]) -> tuple[str, ...]:
    """The two systems that are named, perhaps with a comma between them; or none."""
    texts = (between,) if isinstance(between, str) else tuple(between)
    if len(texts) == 1:
        texts = tuple(texts[0].split(","))
    names = tuple(dict.fromkeys(name.strip() for name in texts if name.strip()))
    if names and len(names) != 2:
        raise UsageError(
            f"texts of two systems stand side by side, not of {len(names)} ({listed(names)}): name two"
        )
    return names


examples = analysis_function(Examples)
