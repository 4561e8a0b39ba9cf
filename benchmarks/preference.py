"""Strengths from preferences beside choix and evalica, and propagation beside a loop of outer products.

CPU seconds, the best of a few, and wall seconds, in one run; every result is first compared with the peer's. Ours are
warm: compiling is not counted. Libraries of linear algebra run in one thread here, which is what choix is quickest
with by CPU seconds: its matrices are small.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import choix
import evalica
import numpy as np
import pandas as pd

from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated
from adjudge.stats.preference.bradley_terry import fit
from benchmarks.clock import cpu_seconds

SAME = 1e-6  # relative, of strengths of geometric mean 1
CLOSE = 1e-8  # the tolerance of all three, each in its own terms: enough for the strengths to be the same


def main() -> None:
    """In a process of its own: the number of threads is fixed when NumPy is loaded."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "benchmarks.preference"]
    subprocess.run(command, cwd=Path(__file__).parent.parent, env=os.environ | single, check=True)


def run() -> None:
    fits(1000)
    propagation(1000, 5000)


def fits(n: int) -> None:
    """A dense matrix of real weights. Each is given what it takes: a matrix, or rows, which are made beforehand."""
    wins = weighted(n)
    ours = fit(wins, tolerance=CLOSE).values
    here, wall = timed(lambda: fit(wins, tolerance=CLOSE), repeats=20)

    def by_choix() -> FloatArray:
        return scaled(choix.ilsr_pairwise_dense(wins, tol=CLOSE))

    alike(ours, by_choix())
    say(f"fit of {n:,} items", here, wall, "choix ilsr_pairwise_dense", *timed(by_choix), 5)
    # Arrays and an index are what evalica reads fastest; a list of weights it takes as it is.
    (better, worse), weights = np.nonzero(wins), wins[wins > 0].tolist()
    winners, index = [evalica.Winner.X] * len(weights), pd.Index(np.arange(n))

    def by_evalica(limit: int = 10_000) -> FloatArray:
        found = evalica.bradley_terry(
            better, worse, winners, index=index, weights=weights, tolerance=CLOSE, limit=limit
        )
        return scaled(np.log(found.scores.sort_index().to_numpy()))

    alike(ours, by_evalica())
    peer = f"evalica, {len(weights):,} weighted rows"
    say(f"fit of {n:,} items", here, wall, peer, *timed(by_evalica), 15)
    print(
        f"  of evalica's time, {cpu_seconds(lambda: by_evalica(1)) * 1e3:.0f} ms are reading rows, and one step"
    )


def weighted(n: int) -> FloatArray:
    """As if propagated: every pair has met, with real weights."""
    rng = np.random.default_rng(0)
    log = rng.normal(size=n)
    wins = rng.gamma(2.0, size=(n, n)) / (1 + np.exp(log[None, :] - log[:, None]))
    np.fill_diagonal(wins, 0)
    return np.asarray(wins)


def generated(n: int, count: int) -> PairAnswers:
    """Answers about items that do not differ by much, so that no resample falls apart."""
    rng = np.random.default_rng(0)
    log = rng.normal(scale=0.5, size=n)
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    return PairAnswers(n, first, second, rng.random(count) < 1 / (1 + np.exp(log[second] - log[first])))


def propagation(n: int, count: int) -> None:
    answers = generated(n, count)
    similarity = np.random.default_rng(2).random((n, n))
    winners = np.where(answers.won == 1, answers.first, answers.second)
    losers = np.where(answers.won == 1, answers.second, answers.first)

    def loop() -> FloatArray:
        found = np.zeros((n, n))
        for winner, loser in zip(winners, losers, strict=True):
            found += np.outer(similarity[winner], similarity[loser])
        return found

    np.testing.assert_allclose(propagated(answers, similarity), loop(), rtol=1e-10)
    here, wall = timed(lambda: propagated(answers, similarity))
    say(f"{count:,} answers, {n:,} sentences", here, wall, "loop of outer products", *timed(loop, 1), 50)


def scaled(log: FloatArray) -> FloatArray:
    return np.asarray(np.exp(log - log.mean()))


def alike(ours: FloatArray, theirs: FloatArray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=SAME)


def timed(call: Callable[[], object], repeats: int = 3) -> tuple[float, float]:
    """CPU and wall seconds; the latter of one more call."""
    cpu = cpu_seconds(call, repeats=repeats)
    start = time.perf_counter()
    call()
    return cpu, time.perf_counter() - start


def say(
    what: str, here: float, wall: float, peer: str, there: float, their_wall: float, wanted: float
) -> None:
    print(
        f"{what}: {here * 1e3:.1f} ms CPU ({wall * 1e3:.1f} wall), {peer} {there * 1e3:,.0f} ms"
        f" ({their_wall * 1e3:,.0f} wall): {there / here:.1f} x (wanted {wanted:g} x)",
        flush=True,
    )


if __name__ == "__main__":
    run()
