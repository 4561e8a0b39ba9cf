"""How often tests find a difference that is there, or is not, in simulated scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_without_scores
from adjudge.analyses.tests import ALL, TESTS
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option
from adjudge.core.options import shared as shared_option
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.simulate.result import Simulation

Noise = Literal["normal", "t3", "uniform", "skewed", "lognormal"]


@dataclass(frozen=True, kw_only=True)
class Simulate(Analysis["Simulation"]):
    """How often tests find a difference that is there, or is not, in simulated scores.

    Scores are system + topic + noise; the noise has a standard deviation of 1, which is the unit of everything. Where
    the systems do not differ, what is found is not there: then a test should find it as often as alpha says. Of scores
    that are given, the numbers of topics and systems and the spread of topics are taken unless they are said.
    """

    NAME = "simulate"
    EXAMPLE = "adjudge simulate --n-topics 24 --difference 0.5 --simulations 200"
    RUNS = "once"
    SCORES_OPTIONAL = True
    WORK = "simulating"

    n_topics: int | None = option(None, least=1, help="Topics.", unset="48, or those of the scores")
    n_systems: int | None = option(None, least=2, help="Systems.", unset="2, or those of the scores")
    difference: float = option(0.0, short="d", help="By what the first system is better than the others.")
    tests: str | Sequence[str] = option(
        (),
        metavar="A,B",
        help=f"Of {', '.join(TESTS)}; mc:w for a statistic; or all.",
        unset=ALL,
    )
    simulations: int = option(2000, least=1, metavar="N", help="How many.")
    alpha: float = shared_option("alpha")
    noise: Noise = option("normal", metavar="NOISE", help="Its distribution; t3 has heavy tails.")
    ratings: bool = option(False, help="Whole scores from 1 to 5.")
    topic_sd: float | None = option(
        None, metavar="SD", panel=ADVANCED, help="How far topics differ.", unset="1, or that of the scores"
    )
    unequal: float = option(
        1.0, metavar="RATIO", panel=ADVANCED, help="Noise of the last system over that of the first."
    )
    uneven: float = option(
        1.0, metavar="RATIO", panel=ADVANCED, help="Noise of the noisiest topic over the quietest."
    )
    shared: float = option(
        0.0, metavar="R", panel=ADVANCED, help="Correlation of two systems' noise on a topic."
    )
    missing_half: bool = option(False, panel=ADVANCED, help="Every second system lacks half of the topics.")
    rounded: float | None = option(
        None, command="round", metavar="STEP", panel=ADVANCED, help="Round scores to multiples of this."
    )
    resamples: int = option(2000, least=1, metavar="N", panel=ADVANCED, help="Of mc and hb.")
    seed: int = shared_option("seed", panel=ADVANCED)
    workers: int | Literal["auto"] = option(
        1, least=1, metavar="N|auto", panel=ADVANCED, help="Processes that work side by side."
    )

    def check(self) -> None:
        if self.ratings and self.rounded is not None:
            raise UsageError(f"{Argument('ratings')} are whole numbers: give no step to round to")

    @property
    def tests_run(self) -> tuple[str, ...]:
        """The tests that are simulated, each once."""
        names = [name.strip() for text in self.tests for name in text.split(",")]
        return tuple(dict.fromkeys(filter(None, names))) if names and names != [ALL] else TESTS

    def run(self, scores: Scores | None) -> Simulation:
        from adjudge.analyses.simulate.result import model_like, simulate_model

        if scores is None and self.topics:
            how_many = Argument("n_topics", ["24"])
            raise UsageError(
                f"{Argument('topics')} is about scores, and none are given: {how_many} says how many"
            )
        return simulate_model(model_like(scores, self), self)


simulate = analysis_without_scores(Simulate)
