"""Reference values of PPI++ means: ppi-python 0.2.3 under Python 3.11.7 with NumPy 2.4.6.

    python ppi_oracle.py        writes ppi_cases.csv and ppi_expected.csv beside this file

ppi-python is no dependency of the tests: what it gave is committed. It was run once, on the cases that this script
makes; lambda is what `ppi_mean_ci(lam=None)` picks, by the function that it calls for it.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # type: ignore[import-not-found]
from ppi_py.ppi import _calc_lam_glm  # type: ignore[import-not-found]

HERE = Path(__file__).parent
rng = np.random.default_rng(20231103)


def case(n: int, more: int, judge: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    y = rng.normal(0.3, 1.0, n + more)
    f = judge(y, rng.normal(0, 1, n + more))
    return np.round(y[:n], 6), np.round(f[:n], 6), np.round(f[n:], 6)


CASES = {
    "good": case(20, 80, lambda y, e: y + 0.3 * e),
    "good, few labels": case(5, 200, lambda y, e: y + 0.3 * e),
    "few further": case(40, 3, lambda y, e: y + 0.5 * e),
    "fair": case(50, 50, lambda y, e: y + e),
    "useless": case(20, 80, lambda y, e: e),
    "biased": case(20, 80, lambda y, e: 4 + 0.7 * y + 0.4 * e),
    "the opposite: lambda is 0": case(20, 80, lambda y, e: -y + 0.3 * e),
    "a narrow scale: lambda is 1": case(20, 80, lambda y, e: 0.1 * y + 0.02 * e),
    "a wide scale": case(12, 400, lambda y, e: 100 * y + 30 * e),
    "yes or no": tuple(np.sign(x) for x in case(30, 120, lambda y, e: y + 0.8 * e)),
}

with (
    (HERE / "ppi_cases.csv").open("w", newline="") as cases,
    (HERE / "ppi_expected.csv").open("w", newline="") as out,
):
    rows, found = csv.writer(cases), csv.writer(out)
    rows.writerow(["case", "y", "f"])
    found.writerow(["case", "lambda", "estimate", "low_95", "high_95", "low_90", "high_90"])
    for name, (y, f, g) in CASES.items():
        rows.writerows([name, a, b] for a, b in zip(y.tolist(), f.tolist(), strict=True))
        rows.writerows([name, "", b] for b in g.tolist())
        start = ppi_mean_pointestimate(y, f, g, lam=1)
        weight = _calc_lam_glm(y - start, f - start, g - start, np.eye(1), clip=True)
        point = ppi_mean_pointestimate(y, f, g)
        ends = [float(np.squeeze(e)) for a in (0.05, 0.1) for e in ppi_mean_ci(y, f, g, alpha=a)]
        found.writerow([name, repr(float(weight)), repr(float(np.squeeze(point))), *map(repr, ends)])
