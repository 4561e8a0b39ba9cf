"""The dossiers of several judges at once, beside one dossier after the other: what judges share is computed once.

8 made-up judges x 4 questions, 3 people, 16 systems x 100 topics, 1,000 resamples. CPU seconds in one run; every number
is first compared.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

import adjudge
from adjudge.analyses.judges.result import JudgeReport
from benchmarks.clock import cpu_seconds

JUDGES, PEOPLE, TOPICS, SYSTEMS = 8, 3, 100, 16
QUESTIONS = ("coherence", "consistency", "fluency", "relevance")


def main() -> None:
    frame = scores()
    names = [f"judge-{k}" for k in range(JUDGES)]
    print(
        f"{JUDGES} judges x {len(QUESTIONS)} questions, {PEOPLE} people, {SYSTEMS} systems x {TOPICS} topics"
    )
    # beside all others, who are judges too and no people
    alone = [
        partial(adjudge.judge_report, frame[~frame["assessor"].isin({*names} - {name})], name)
        for name in names
    ]
    agree(adjudge.judge_report(frame, names), [report() for report in alone])
    together = cpu_seconds(partial(adjudge.judge_report, frame, names), repeats=1)
    apart = sum(cpu_seconds(report, repeats=1) for report in alone)
    print(f"together {together:.1f} s, one by one {apart:.1f} s: {apart / together:.1f} times (wanted 2)")


def scores() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = []
    for question in QUESTIONS:
        worth = rng.normal(size=SYSTEMS) * 0.5 + rng.normal(size=(TOPICS, SYSTEMS)) * 0.7
        noise = {f"p{k}": 0.8 for k in range(PEOPLE)} | {f"judge-{k}": 0.4 + 0.3 * k for k in range(JUDGES)}
        for name, error in noise.items():
            answers = np.clip(np.round(3 + worth + error * rng.normal(size=worth.shape)), 1, 5)
            rows += [(question, f"t{t}", f"s{s}", name, v) for (t, s), v in np.ndenumerate(answers)]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


def agree(together: JudgeReport, alone: list[JudgeReport]) -> None:
    for judge, report in zip(together, alone, strict=True):
        for part in ("agreement", "ranking"):
            one, other = (dossier[part].to_frame().select_dtypes("number") for dossier in (judge, report[0]))
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


if __name__ == "__main__":
    main()
