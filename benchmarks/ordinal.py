"""The ordinal model of 1,500 ratings beside R's clmm, which fits the same one: CPU seconds in one run.

Ours is the whole analysis, linear model and checks included; R's is the fit alone, with standard errors. R is asked
where it is installed with its package ordinal; it is under the GPL and no part of what is installed here.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import adjudge
from benchmarks.clock import cpu_seconds

TERMS = ("topic", "assessor", "assessor:system", "system:topic", "assessor:topic")
DESIGNS = (("5 assessors of every summary", 10, 30, 5, 1.0), ("3 of 15 assessors a summary", 10, 50, 15, 0.2))
SCRIPT = """
library(ordinal)
d <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
d$fluency <- factor(d$fluency)
took <- system.time(fit <- clmm(fluency ~ system + %s, data = d, Hess = TRUE))
cat(took[["user.self"]] + took[["sys.self"]], logLik(fit))
"""


def main() -> None:
    for name, systems, topics, assessors, kept in DESIGNS:
        frame = ratings(systems, topics, assessors, kept)
        fitted = adjudge.anova_ordinal(frame)
        here = cpu_seconds(partial(adjudge.anova_ordinal, frame))
        says = f"{len(frame):,} ratings, {name}: {here:.1f} s"
        peer = by_r(frame)
        if peer is None:
            print(f"{says}; R's clmm is not here (Rscript with the package ordinal)")
            continue
        there, log_likelihood = peer
        assert abs(log_likelihood - fitted.log_likelihood) < 0.05, (log_likelihood, fitted.log_likelihood)
        print(f"{says}, R's clmm {there:.1f} s: {there / here:.1f} times as long")


def ratings(systems: int, topics: int, assessors: int, kept: float) -> pd.DataFrame:
    """Ratings from 1 to 5 with an effect of every cell of every term; a share of the judgments is kept."""
    rng = np.random.default_rng(1)
    sizes = {"system": systems, "topic": topics, "assessor": assessors}
    codes = dict(zip(sizes, (x.ravel() for x in np.indices(tuple(sizes.values()))), strict=True))
    latent = 0.3 * rng.normal(size=systems)[codes["system"]] + rng.logistic(size=codes["system"].size)
    for term, deviation in zip(TERMS, (1.0, 0.6, 0.5, 0.7, 0.4), strict=True):
        names = term.split(":")
        effects = rng.normal(size=[sizes[name] for name in names])
        latent += deviation * effects[tuple(codes[name] for name in names)]
    frame = pd.DataFrame({name: [f"{name[0]}{k:02}" for k in of_rows] for name, of_rows in codes.items()})
    frame["fluency"] = np.searchsorted([-3, -1.3, 0.3, 2], latent) + 1
    return frame[rng.random(len(frame)) < kept].reset_index(drop=True)


def by_r(frame: pd.DataFrame) -> tuple[float, float] | None:
    """CPU seconds and log-likelihood of clmm; None where R or its package is not installed."""
    rscript = shutil.which("Rscript")
    if (
        rscript is None
        or subprocess.run([rscript, "-e", "library(ordinal)"], capture_output=True, check=False).returncode
    ):
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ratings.csv")
        frame.to_csv(path, index=False)
        script = Path(folder, "clmm.R")
        script.write_text(SCRIPT % " + ".join(f"(1|{term})" for term in TERMS), encoding="utf-8")
        done = subprocess.run([rscript, script, path], capture_output=True, text=True, check=True)
    seconds, log_likelihood = map(float, done.stdout.split())
    return seconds, log_likelihood


if __name__ == "__main__":
    main()
