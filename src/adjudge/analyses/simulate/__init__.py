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
    """Say how often tests detect a difference, or give a false alarm, in simulated scores.

    A score is system + topic + noise; the unit is the standard deviation of the noise. Without a difference, a good
    test gives false alarms as often as alpha says. If you give scores, they set the numbers of topics and systems and
    the spread of topics.
    """

    NAME = "simulate"
    EXAMPLE = "adjudge simulate --n-topics 24 --difference 0.5 --simulations 200"
    RUNS = "once"
    SCORES_OPTIONAL = True
    WORK = "simulating"

    n_topics: int | None = option(None, least=1, help="Number of topics.", unset="48, or those of the scores")
    n_systems: int | None = option(
        None,
        least=2,
        metavar="N",
        help="Number of systems that will be compared, in all pairs.",
        unset="2, or those of the scores",
    )
    difference: float = option(
        0.0, short="d", metavar="D", help="True difference between the first system and the others."
    )
    tests: str | Sequence[str] = option(
        (),
        metavar="A,B",
        help=f"Tests: {', '.join(TESTS)}, or all; mc and hb also with a statistic, as mc:w.",
        unset=ALL,
    )
    simulations: int = option(2000, least=1, metavar="N", help="Number of simulations.")
    alpha: float = shared_option("alpha")
    noise: Noise = option("normal", metavar="NOISE", help="Distribution of the noise; t3 has heavy tails.")
    ratings: bool = option(False, panel=ADVANCED, help="Round scores to whole ratings from 1 to 5.")
    topic_sd: float | None = option(
        None,
        metavar="SD",
        panel=ADVANCED,
        help="Standard deviation of the topics.",
        unset="1, or that of the scores",
    )
    unequal: float = option(
        1.0, metavar="RATIO", panel=ADVANCED, help="Noise of the last system, divided by the first's."
    )
    uneven: float = option(
        1.0, metavar="RATIO", panel=ADVANCED, help="Noise of the noisiest topic, divided by the quietest's."
    )
    shared: float = option(
        0.0, metavar="R", panel=ADVANCED, help="Correlation of two systems' noise on a topic."
    )
    missing_half: bool = option(
        False, panel=ADVANCED, help="Half of the topics are missing for every second system."
    )
    rounded: float | None = option(
        None, command="round", metavar="STEP", panel=ADVANCED, help="Round scores to multiples of this."
    )
    resamples: int = option(
        2000, least=1, metavar="N", panel=ADVANCED, help="Resamples of the tests mc and hb."
    )
    seed: int = shared_option("seed", panel=ADVANCED)
    workers: int | Literal["auto"] = option(
        1, least=1, metavar="N|auto", panel=ADVANCED, help="Number of processes."
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
