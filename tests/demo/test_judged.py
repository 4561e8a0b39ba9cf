"""The demo with its simulated judgments: what was planted comes out, and the page on it says what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from adjudge.analyses.counts import counts
from adjudge.evaluation import Evaluation
from adjudge.measures.registry import parse_measure
from adjudge.stats.ranks import spearman

PAGE = Path(__file__).parent.parent.parent / "docs" / "demo.md"
NAMS = [f"nams(weights={c}, stem={s})" for s in ("none", "lovins", "porter") for c in ("c1", "c2", "c3")]


@pytest.fixture(scope="module")
def judged(judged_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    e = Evaluation.open(copytree(judged_demo, tmp_path_factory.mktemp("demo") / "e"))
    e.score("coverage", "retention", "pyramid", "quality-errors", "rouge-2(refs=jackknife)", *NAMS)
    return e


def test_everything_is_marked_as_simulated(judged: Evaluation) -> None:
    found = judged.judgments()
    assert {j.origin for each in found.by_topic.values() for j in each} == {"simulated"}
    assert not found.left_out
    assert any("simulated" in note for note in judged.scores().notes("coverage"))


def test_the_planted_assessors_come_out_in_order(judged: Evaluation) -> None:
    rows = judged.scores().of("coverage")
    means = rows.groupby("assessor")["value"].mean()
    assert means["simulated-1"] < means["simulated-2"] < means["simulated-3"]  # strict, fair, mild
    assert rows["repeat"].max() == 1  # a tenth was asked twice
    low, high = means["simulated-1"], means["simulated-3"]
    assert 0.05 < high - low < 0.2  # biased by -.1 and +.1; what falls off the ends of the scale is lost


def test_people_find_people_better_and_rouge_does_not(judged: Evaluation) -> None:
    table = counts(judged.scores(), ["coverage", "pyramid", "rouge-2(refs=jackknife)"])
    by_people, pyramids, rouge = (measure.tests[-1] for measure in table.measures)
    for test in (by_people, pyramids):
        assert test.human_better >= 12
        assert test.machine_better == 0
    assert rouge.machine_better > rouge.human_better


def test_the_page_shows_nams_against_retention(judged: Evaluation) -> None:
    table = judged.scores()
    retention = table.matrix("retention")
    shown = dict(
        re.findall(r"^\| `(nams\([^`]*\))` \| ([.\d]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert list(shown) == NAMS
    for spec in NAMS:
        scores = table.matrix(str(parse_measure(spec))).select(retention.systems)
        rho = spearman(np.nanmean(scores.values, axis=0), np.nanmean(retention.values, axis=0)).rho
        assert shown[spec] == f"{rho:.3f}".removeprefix("0")


def test_an_edited_text_takes_its_judgments_out_and_says_so(judged: Evaluation) -> None:
    path = judged.path / "summaries.jsonl"
    before = path.read_text(encoding="utf-8")
    try:
        lines = before.splitlines()
        at = next(k for k, line in enumerate(lines) if '"vague"' in line)
        lines[at] = lines[at].replace('"text": "', '"text": "Now ')
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        fresh = Evaluation.open(judged.path)
        found = fresh.judgments()
        assert found.left_out
        assert {why for _, why in found.left_out} == {"the peer's text has changed"}
        assert "left out" in found.notes()[0]
        codes = {finding.code for finding in fresh.check().findings}
        assert "judged-text-changed" in codes
    finally:
        path.write_text(before, encoding="utf-8")
