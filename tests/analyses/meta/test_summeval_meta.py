"""SummEval's twelve systems: correlations equal plain loops over SciPy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge.evaluation import Evaluation
from adjudge.formats import summeval

HUMANS = ("coherence", "relevance")
MEASURES = ("rouge-1-recall", "rouge-2-recall", "js")
COEFFICIENTS: dict[str, Callable[[Any, Any], float]] = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}


@pytest.fixture
def scored(shared_data: Path, tmp_path: Path) -> Evaluation:
    e = Evaluation.init(tmp_path / "e")
    e.take(summeval.read([shared_data / "summeval" / "model_annotations.12systems.jsonl"]))
    e.score(*MEASURES)
    return e


@pytest.mark.shared_data
def test_correlations_equal_loops_over_scipy(scored: Evaluation, shared_data: Path) -> None:
    file = shared_data / "summeval" / "model_annotations.12systems.jsonl"
    people: dict[str, dict[tuple[str, str], float]] = {name: {} for name in HUMANS}
    for record in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        for name in HUMANS:
            given = [each[name] for each in record["expert_annotations"]]
            people[name][record["id"], record["model_id"]] = sum(given) / len(given)
    rows = scored.scores().to_frame()
    topics = sorted({topic for topic, _ in people[HUMANS[0]]})
    systems = sorted({system for _, system in people[HUMANS[0]]})
    found = scored.meta(
        MEASURES, people=[f"expert:{name}" for name in HUMANS], parts="correlations", resamples=20
    ).to_frame()
    assert list(found.columns) == [
        "measure", "human", "level", "coefficient", "among", "n", "value", "low", "high",
        "blank", "missing", "why", "why_no_interval",
    ]  # fmt: skip
    held = found.set_index(["measure", "human", "level", "coefficient"])["value"]
    assert len(held) == len(MEASURES) * len(HUMANS) * 3 * 4
    for measure in MEASURES:
        own = rows[rows["measure"] == measure].groupby(["topic", "system"])["value"].mean()
        turn = -1 if measure == "js" else 1
        x = np.array([[turn * own[topic, system] for system in systems] for topic in topics])
        for human in HUMANS:
            y = np.array([[people[human][topic, system] for system in systems] for topic in topics])
            for name, of in COEFFICIENTS.items():
                by_topic = [of(a, b) for a, b in zip(x, y, strict=True) if np.ptp(a) > 0 and np.ptp(b) > 0]
                expected = {
                    "system": of(x.mean(axis=0), y.mean(axis=0)),
                    "input": math.fsum(by_topic) / len(by_topic),
                    "global": of(x.ravel(), y.ravel()),
                }
                for level, value in expected.items():
                    assert held[measure, f"expert:{human}", level, name] == pytest.approx(value, abs=1e-12)
