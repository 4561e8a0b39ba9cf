"""The ordinal model of ratings: rows, random terms, contrasts, the linear model beside it, and what it refuses."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import adjudge
from adjudge.analyses.anova.ordinal import OrdinalContrast, OrdinalResult
from adjudge.core.errors import DataError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.formats import scoretable
from adjudge.stats.multiple import holm

DATA = Path(__file__).parents[1] / "stats" / "data"


def ratings(
    systems: int = 4,
    topics: int = 20,
    assessors: int = 3,
    levels: int = 5,
    apart: float = 2.0,
    seed: int = 0,
    topic: float = 0.8,
    about: float = 0.3,
) -> pd.DataFrame:
    """A crossed design; the last system is the best, the first assessor the harshest."""
    rng = np.random.default_rng(seed)
    s, t, a = (each.ravel() for each in np.indices((systems, topics, assessors)))
    latent = np.linspace(-apart / 2, apart / 2, systems)[s] + np.linspace(-1, 1, assessors)[a]
    latent += topic * rng.normal(size=topics)[t] + about * rng.normal(size=(systems, assessors))[s, a]
    latent += rng.logistic(size=s.size)
    values = np.searchsorted(np.linspace(-2, 2, levels - 1), latent) + 1
    return pd.DataFrame(
        {
            "topic": [f"d{k:02}" for k in t],
            "system": [f"s{k}" for k in s],
            "assessor": [f"ann{k}" for k in a],
            "value": values.astype(float),
            "measure": "fluency",
        }
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return ratings()


@pytest.fixture(scope="module")
def found(frame: pd.DataFrame) -> OrdinalResult:
    return adjudge.anova_ordinal(frame)


def test_the_ordinal_model_takes_no_terms(frame: pd.DataFrame, found: OrdinalResult) -> None:
    assert isinstance(found, OrdinalResult)
    for name in ("factors", "random", "ss_type", "interactions"):
        option: dict[str, Any] = {name: True}
        with pytest.raises(TypeError, match=f"has no option '{name}'"):
            adjudge.anova_ordinal(frame, **option)


def test_the_random_terms_are_those_of_the_linear_model(frame: pd.DataFrame, found: OrdinalResult) -> None:
    linear = adjudge.anova(frame, random=["topic", "assessor"], resamples=0)
    assert linear.components is not None
    assert {each.term for each in found.random} == {each.term for each in linear.components.random}
    theirs = {each.term: each.variance for each in linear.components.random}
    for each in found.random:
        assert each.linear_deviation == pytest.approx(math.sqrt(theirs[each.term]), abs=1e-6)
    means = {each.system: each.mean for each in linear.components.means}
    for pair in found.contrasts:
        assert pair.linear_difference == pytest.approx(means[pair.a] - means[pair.b])


def test_contrasts_are_t_tests_corrected_by_holm(found: OrdinalResult) -> None:
    pairs = found.contrasts
    raw = [2 * student.sf(abs(each.difference / each.error), each.df) for each in pairs]
    np.testing.assert_allclose([each.raw_p for each in pairs], raw, rtol=1e-6)
    np.testing.assert_allclose([each.p for each in pairs], holm(raw), rtol=1e-6)
    reach = student.ppf(1 - 0.05 / 12, [each.df for each in pairs]) * [each.error for each in pairs]
    low, high = (
        [each.difference + side * x for each, x in zip(pairs, reach, strict=True)] for side in (-1, 1)
    )
    for each, below, above in zip(pairs, low, high, strict=True):
        assert each.low == pytest.approx(below) or (each.low == 0 and below < 0 and each.p <= 0.05)
        assert each.high == pytest.approx(above) or (each.high == 0 and above > 0 and each.p <= 0.05)
        # The interval never contradicts p.
        assert (each.p <= 0.05) == (each.low >= 0 or each.high <= 0)
        assert (each.linear_p <= 0.05) == (each.linear_low >= 0 or each.linear_high <= 0)


# R 4.2.2, lmerTest 3.1.3, emmeans 1.8.4.1: data/ordinal_df.R on the case `full` of data/ordinal.csv
def test_degrees_of_freedom_and_errors_equal_emmeans() -> None:
    expected = pd.read_csv(DATA / "ordinal_df_expected.csv")
    frame = pd.read_csv(DATA / "ordinal.csv")
    for case, rows in expected.groupby("case"):
        given = frame[frame["case"] == case].drop(columns="case").rename(columns={"rating": "value"})
        result = adjudge.anova_ordinal(given)
        mine = {frozenset((each.a, each.b)): each for each in result.contrasts}
        assert len(rows) == len(mine)
        for row in rows.itertuples():
            pair = mine[frozenset((row.a, row.b))]
            assert pair.df == pytest.approx(row.df, rel=1e-2)
            assert abs(pair.linear_difference) == pytest.approx(abs(row.difference), abs=1e-4)
            assert pair.linear_error == pytest.approx(row.error, rel=1e-3)
            assert pair.enlarged == pytest.approx(row.error / row.full_error, rel=2e-3)


def test_systems_stand_in_order_with_ranks(found: OrdinalResult) -> None:
    names = [each.system for each in found.systems]
    assert names == ["s3", "s2", "s1", "s0"]
    positions = [each.position for each in found.systems]
    assert sum(positions) == pytest.approx(0, abs=1e-9)
    assert positions == sorted(positions, reverse=True)
    for k, each in enumerate(found.systems, 1):
        assert each.best_rank is not None
        assert each.worst_rank is not None
        assert each.best_rank <= k <= each.worst_rank
    frame = found.to_frame()
    assert list(frame["system"]) == names
    assert list(frame["n"]) == [60] * 4


def test_lower_is_better_turns_words_and_order(frame: pd.DataFrame, found: OrdinalResult) -> None:
    lower = adjudge.anova_ordinal(adjudge.read_scores(frame, lower_is_better=True))
    assert [each.system for each in lower.systems] == ["s0", "s1", "s2", "s3"]
    assert next(each.assessor for each in lower.severity) == "ann2"
    assert {each.assessor: each.word for each in lower.severity}["ann2"] in ("harsh", "")
    words = {each.assessor: each.mode for each in found.severity}
    assert {each.assessor: each.mode for each in lower.severity} == pytest.approx(words)


def test_severity_in_plain_words(found: OrdinalResult) -> None:
    assert [each.assessor for each in found.severity] == ["ann0", "ann1", "ann2"]
    modes = [each.mode for each in found.severity]
    assert modes == sorted(modes)
    expected = [each.expected for each in found.severity]
    assert expected[0] < found.average_expected < expected[2]
    said = " ".join(found.sentences())
    for each in found.severity:
        named = f"{each.assessor} ({each.expected:.2f})" in said
        assert named == bool(each.word)
        assert bool(each.word) == (each.low > 0 or each.high < 0)


def test_sentences_follow_from_the_numbers(found: OrdinalResult) -> None:
    ordinal = sum(each.p <= 0.05 for each in found.contrasts)
    linear = sum(each.linear_p <= 0.05 for each in found.contrasts)
    first = found.headline()
    assert f"{ordinal} of 6 pairs differ" in first
    assert f"{linear} by the linear model" in first
    other = [each for each in found.contrasts if each.differ_by in ("ordinal alone", "linear alone")]
    assert ("they agree on every pair" in first) == (not other)
    said = list(found.sentences())
    assert sum(line.startswith("Only the ") for line in said) == len(other)


def contrast(**changed: Any) -> OrdinalContrast:
    known: dict[str, Any] = dict.fromkeys(OrdinalContrast.__dataclass_fields__, 0.5)
    known |= {"a": "x", "b": "y", "difference": 1.0, "linear_difference": 0.4, "differ_by": "neither"}
    return OrdinalContrast(**{**known, **changed})


def test_disagreements_are_told_pair_by_pair(found: OrdinalResult) -> None:
    from dataclasses import replace

    names = [each.system for each in found.systems]
    pairs = (
        contrast(a=names[0], b=names[1], p=0.03, linear_p=0.08, differ_by="ordinal alone"),
        contrast(
            a=names[0], b=names[2], p=0.2, linear_p=0.01, differ_by="linear alone", linear_difference=-1.0
        ),
        contrast(
            a=names[1], b=names[2], p=0.001, linear_p=0.02, differ_by="both models", linear_difference=-1
        ),
        contrast(a=names[0], b=names[3], p=0.001, linear_p=0.001, differ_by="both models"),
    )
    said = list(replace(found, contrasts=pairs).sentences())
    assert said[0] == (
        "On fluency, 3 of 4 pairs differ significantly by the ordinal model, 3 by the linear model; they disagree"
        " about 3."
    )
    assert "Only the ordinal model finds s3 better than s2 (ordinal p = .030, linear p = .080)." in said
    assert "Only the linear model finds s1 better than s3 (ordinal p = .200, linear p = .010)." in said
    assert (
        "The models disagree which of s2 and s1 is higher: ordinal s2 (p = .001), linear s1 (p = .020)."
    ) in said
    down = replace(found.info, better="lower")
    assert any(
        "finds s2 better than s3" in line for line in replace(found, info=down, contrasts=pairs).sentences()
    )
    same = replace(found, contrasts=(pairs[0], pairs[3]))
    assert same.headline() == (
        "On fluency, 2 of 2 pairs differ significantly by the ordinal model, 1 by the linear model; they disagree"
        " about 1."
    )
    agreed = replace(found, contrasts=(pairs[3], pairs[3]))
    assert agreed.headline().endswith(
        "2 of 2 pairs differ significantly by the ordinal model, 2 by the linear model; they agree on every pair."
    )


def test_one_pair_is_not_counted(found: OrdinalResult) -> None:
    from dataclasses import replace

    def said(**of: Any) -> str:
        return replace(found, contrasts=(contrast(**of),)).headline()

    assert said(p=0.001, linear_p=0.001, differ_by="both models") == (
        "On fluency, the two differ significantly by both models."
    )
    assert said(p=0.001, linear_p=0.001, linear_difference=-1.0, differ_by="both models") == (
        "On fluency, the two differ significantly by both models; they disagree which is higher."
    )
    assert said(p=0.2, linear_p=0.3, differ_by="neither") == (
        "On fluency, the two do not differ significantly by either model."
    )
    assert said(p=0.001, linear_p=0.3, differ_by="ordinal alone") == (
        "On fluency, the two differ significantly by the ordinal model, but not by the linear one."
    )
    assert said(p=0.2, linear_p=0.001, differ_by="linear alone") == (
        "On fluency, the two differ significantly by the linear model, but not by the ordinal one."
    )


def test_the_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "anova.md").read_text(encoding="utf-8")
    [block] = [
        each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "anova_ordinal" in each
    ]
    exec(compile(block, "docs/anova.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in block.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def test_every_table_and_json(found: OrdinalResult) -> None:
    names = ["ordinal", "contrasts", "severity", "thresholds", "random", "checks"]
    assert [table.name for table in found.all_tables] == names
    assert len(found.table("thresholds").rows) == 4
    assert found.levels == (1, 2, 3, 4, 5)
    assert found.headline() in repr(found)
    told = json.loads(json.dumps(found.as_dict()))
    assert len(told["tables"]["contrasts"]) == 6
    assert told["sentences"][0] == told["headline"]
    assert r"\toprule" in found.to_latex()
    assert "<table>" in found._repr_html_()
    assert "clmm:rating~system+(1|" in found.signature


def test_from_a_file_a_folder_and_an_evaluation(
    frame: pd.DataFrame, found: OrdinalResult, tmp_path: Path
) -> None:
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "fluency.csv", index=False)
    Evaluation.init(tmp_path / "eval").take(scoretable.read([tmp_path / "fluency.csv"], source="people"))
    e = adjudge.open(tmp_path / "eval")
    for other in (
        adjudge.anova_ordinal(tmp_path / "fluency.csv"),
        adjudge.anova_ordinal(tmp_path / "eval", "people:fluency"),
        e.anova_ordinal("people:fluency"),
    ):
        mine, theirs = (each.to_frame("contrasts") for each in (found, other))
        pd.testing.assert_frame_equal(mine, theirs)


def test_missing_cells_are_no_trouble(frame: pd.DataFrame) -> None:
    holes = frame.sample(frac=0.6, random_state=0)
    result = adjudge.anova_ordinal(holes)
    assert result.n == len(holes)
    assert next(each.system for each in result.systems) == "s3"
    gone = frame.assign(value=frame["value"].where(frame.index % 7 > 0))
    assert any("missing" in note for note in adjudge.anova_ordinal(gone).warnings())


def test_two_levels_are_a_logistic_model(frame: pd.DataFrame) -> None:
    result = adjudge.anova_ordinal(frame.assign(value=(frame["value"] > 3).astype(float)))
    assert len(result.thresholds) == 1
    assert result.checks == ()
    assert result.levels == (0, 1)


def test_one_assessor_holds_for_that_one(frame: pd.DataFrame) -> None:
    one = frame[frame["assessor"] == "ann1"]
    result = adjudge.anova_ordinal(one)
    assert [each.term for each in result.random] == ["topic"]
    assert result.severity == ()
    assert "there is only one assessor, ann1: conclusions hold for ann1 alone" in result.warnings()


def test_answers_of_nobody_are_no_factor(frame: pd.DataFrame) -> None:
    nobody = frame.assign(assessor="crowd-anonymous", repeat=frame.groupby(["topic", "system"]).cumcount())
    result = adjudge.anova_ordinal(nobody)
    assert {each.term for each in result.random} == {"topic", "system:topic"}
    assert any(note.startswith("no rating names its assessor") for note in result.warnings())
    assert result.n == len(frame)


def test_few_assessors_are_said() -> None:
    result = adjudge.anova_ordinal(ratings(systems=3))
    assert any("3 assessors leave 4 degrees of freedom" in note for note in result.warnings())
    more = adjudge.anova_ordinal(ratings(systems=3, assessors=6))
    assert not any("disagreement about systems" in note for note in more.warnings())
    least = adjudge.anova_ordinal(ratings(systems=2, assessors=2))
    assert any("1 degree of freedom" in note and "too few to speak" in note for note in least.warnings())


def test_designs_with_some_assessors_for_each_topic() -> None:
    """Groups of assessors with topics of their own, an assessor for each topic, and whoever was assigned."""
    frame = ratings(topics=30, assessors=9)
    topic, assessor = (frame[name].str[-2:].str.strip("dn").astype(int) for name in ("topic", "assessor"))
    every = {"assessor", "topic", "assessor:system", "system:topic", "assessor:topic"}
    designs = (
        (topic % 3 == assessor // 3, every),
        (topic % 9 == assessor, {"assessor", "topic", "assessor:system"}),
        (np.random.default_rng(1).random(len(frame)) < 0.25, every),
    )
    for kept, terms in designs:
        result = adjudge.anova_ordinal(frame[kept])
        assert {each.term for each in result.random} == terms
        assert len(result.severity) == 9
        assert not any("disagreement about systems" in note for note in result.warnings())
        assert result.systems[-1].system == "s0"


def test_an_assessor_for_each_topic_is_no_factor_of_its_own(frame: pd.DataFrame) -> None:
    own = frame[frame["assessor"] == "ann1"]
    result = adjudge.anova_ordinal(own.assign(assessor="of-" + own["topic"]))
    assert [each.term for each in result.random] == ["topic"]
    assert any("cannot be separated" in note for note in result.warnings())


def test_terms_that_leave_no_noise_are_dropped() -> None:
    rng = np.random.default_rng(57)
    rows = [
        (f"t{t:02}", f"s{s}", f"a{a}", float(np.clip(round(3 + 0.4 * (s - 2) + rng.normal()), 1, 5)))
        for t in range(20)
        for s in range(5)
        for a in rng.choice(8, 2, replace=False)
    ]
    assigned = pd.DataFrame(rows, columns=["topic", "system", "assessor", "fluency"])
    result = adjudge.anova_ordinal(assigned)
    terms = [each.term for each in result.random]
    assert terms == ["assessor", "topic", "assessor:system", "system:topic"]
    assert (
        "assessor:topic is left out of the models: with it no noise would be left (1 degree of freedom)"
    ) in result.warnings()


def test_scores_without_an_assessor_are_counted(frame: pd.DataFrame) -> None:
    partly = frame.assign(assessor=frame["assessor"].where(np.arange(len(frame)) % 9 > 0))
    missing = int(partly["assessor"].isna().sum())
    with pytest.raises(DataError, match=f"^{missing} of {len(frame)} scores of fluency name no assessor, "):
        adjudge.anova_ordinal(partly)


def test_more_effects_than_ratings_are_noted(frame: pd.DataFrame) -> None:
    few = frame[frame["system"].isin(["s0", "s3"]) & frame["assessor"].isin(["ann0", "ann1"])]
    result = adjudge.anova_ordinal(few)
    effects = sum(each.cells for each in result.random)
    warned = any(f"{effects} random effects for {len(few)} ratings" in note for note in result.warnings())
    assert warned == (effects > len(few))
    assert warned
    assert result.table("contrasts").title == "The pair of systems on the latent scale"


def test_two_levels_have_no_check_of_levels(frame: pd.DataFrame) -> None:
    result = adjudge.anova_ordinal(frame.assign(value=(frame["value"] > 3).astype(float)))
    assert "checks" not in [table.name for table in result.all_tables]


def test_levels_that_nobody_gave_are_named(frame: pd.DataFrame) -> None:
    result = adjudge.anova_ordinal(frame.assign(value=frame["value"].replace(3, 4)))
    assert "nobody gave 3: the model has the 4 levels that occur" in result.warnings()
    assert [(each.below, each.above) for each in result.thresholds] == [(1, 2), (2, 4), (4, 5)]


def test_a_system_at_the_top_has_no_finite_estimate(frame: pd.DataFrame) -> None:
    top = frame.assign(value=frame["value"].where(frame["system"] != "s3", 5.0))
    result = adjudge.anova_ordinal(top)
    last, *others = result.systems
    assert (last.system, last.side) == ("s3", "above")
    assert math.isnan(last.position)
    assert last.mean == 5
    assert last.why == (
        "every one of its ratings is 5, the highest there is, so its distance from them has no finite estimate"
    )
    assert f"s3 is in neither model: {last.why}" in result.warnings()
    said = list(result.sentences())
    assert said[1].startswith("By the ordinal model, among the 3 systems in it, ")
    assert said[2] == "s3 is in neither model: by its ratings alone it is ahead of all of them."
    low = adjudge.anova_ordinal(frame.assign(value=frame["value"].where(frame["system"] != "s3", 1.0)))
    assert (low.systems[-1].system, low.systems[-1].side) == ("s3", "below")
    assert "s3 is in neither model: by its ratings alone it is behind all of them." in list(low.sentences())
    assert all("s3" not in (each.a, each.b) for each in result.contrasts)
    alone = adjudge.anova_ordinal(frame[frame["system"] != "s3"])
    assert [each.position for each in others] == pytest.approx([each.position for each in alone.systems])
    assert max(abs(each.position) for each in others) < 10


def test_systems_that_do_not_overlap(frame: pd.DataFrame) -> None:
    low = frame[frame["system"].isin(["s0", "s1", "s2"])]
    clipped = low["value"].clip(upper=3).where(low["system"] != "s2", low["value"].clip(lower=3))
    result = adjudge.anova_ordinal(low.assign(value=clipped))
    [apart] = [each for each in result.systems if each.why]
    assert apart.system == "s2"
    assert "none of its ratings lies below 3, and none of the others' above it" in str(apart.why)
    two = low.assign(value=clipped)[low["system"] != "s1"]
    with pytest.raises(DataError, match="fluency: the ratings of the systems do not overlap"):
        adjudge.anova_ordinal(two)


def test_what_is_no_scale_is_one_line(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(0)
    said = r"fluency has 240 different values \(.*\) in 240 rows: .* 20 that are not whole .*; use the linear model"
    with pytest.raises(UsageError, match=said):
        adjudge.anova_ordinal(frame.assign(value=rng.random(len(frame))))
    with pytest.raises(UsageError, match="has 12 different values"):
        adjudge.anova_ordinal(frame.head(12).assign(value=rng.random(12)))
    with pytest.raises(DataError, match="fluency: every rating is 4"):
        adjudge.anova_ordinal(frame.assign(value=4.0))
    with pytest.raises(DataError, match="fluency: there is only one system"):
        adjudge.anova_ordinal(frame[frame["system"] == "s0"])
    one = frame[(frame["topic"] == "d00") & (frame["assessor"] == "ann0")]
    again = pd.concat([one.assign(repeat=k, value=value) for k, value in enumerate([1.0, 2, 3, 2, 1])])
    with pytest.raises(DataError, match="fluency: there is one topic and no more than one assessor"):
        adjudge.anova_ordinal(again)
    halves = adjudge.anova_ordinal(frame.assign(value=frame["value"] / 2))
    assert halves.levels == (0.5, 1, 1.5, 2, 2.5)


def test_no_convergence_is_one_line(frame: pd.DataFrame) -> None:
    """Nearly every assessor gives a topic one rating whatever the system: its variance has no maximum."""
    stuck = frame.assign(value=frame.groupby(["topic", "assessor"])["value"].transform("first"))
    with pytest.raises(DataError, match="fluency: the linear model, .* fits every score exactly"):
        adjudge.anova_ordinal(stuck)
    stuck.loc[[5, 50, 100, 150], "value"] = [2.0, 4.0, 3.0, 2.0]
    said = (
        r"^fluency: the ordinal model has no solution \(the standard deviation of assessor:topic grows without bound\);"
        " use the linear model$"
    )
    with pytest.raises(DataError, match=said):
        adjudge.anova_ordinal(stuck)


def test_humans_are_one_system_with_all_their_ratings(frame: pd.DataFrame) -> None:
    result = adjudge.anova_ordinal(adjudge.read_scores(frame, human="s[12]"), pool_humans=True)
    assert [each.system for each in result.systems] == ["s3", "HUMANS", "s0"]
    assert result.n == len(frame)  # none is averaged: a mean of ratings is no rating


def test_progress_is_told(frame: pd.DataFrame) -> None:
    heard: list[int] = []
    adjudge.anova_ordinal(frame, progress=lambda tried, of: heard.append(tried))
    assert heard == sorted(heard)
    assert heard[0] == 1


@pytest.mark.shared_data
def test_summeval_and_squality(shared_data: Path) -> None:
    """3,600 ratings from 1 to 5 by three experts; 900 from 0 to 100 by four reviewers, three for each story."""
    rows = []
    file = shared_data / "summeval" / "model_annotations.12systems.jsonl"
    for record in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        for k, given in enumerate(record["expert_annotations"], 1):
            rows.append((record["id"], record["model_id"], f"expert{k}", given["coherence"], "coherence"))
    file = shared_data / "squality" / "human_eval.jsonl"
    for record in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        for question, systems in record["questions"].items():
            for system, answer in systems.items():
                for review in answer["reviews"]:
                    topic = f"{record['passage-id']}-{question}"
                    rows.append(
                        (topic, system, f"w{review['worker_id']}", review["overall-rating"], "overall")
                    )
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value", "measure"])
    coherence = adjudge.anova_ordinal(frame, "coherence")
    assert coherence.n == 3600
    assert len(coherence.pairs_found("linear")) == 15
    assert [each.assessor for each in coherence.severity] == ["expert3", "expert2", "expert1"]
    overall = adjudge.anova_ordinal(frame, "overall")
    assert len(overall.levels) == 95
    assert [each.system for each in overall.systems] == ["human", "bart-dpr", "bart"]


def test_one_assessor_for_each_topic_leaves_the_freedom_of_assessors() -> None:
    """3 assessors of 4 systems leave 6 degrees of freedom, whatever their variance is estimated as."""
    rng = np.random.default_rng(8)
    system, topic = (x.ravel() for x in np.indices((4, 24)))
    latent = rng.normal(size=24)[topic] + rng.logistic(size=96)
    frame = pd.DataFrame(
        {
            "topic": [f"t{k:02}" for k in topic],
            "system": [f"s{k}" for k in system],
            "assessor": [f"a{k // 8}" for k in topic],
            "fluency": np.searchsorted([-2, -0.5, 0.5, 2], latent) + 1,
        }
    )
    fitted = adjudge.anova_ordinal(frame)
    assert {term.term for term in fitted.random} == {"topic", "assessor", "assessor:system"}
    assert all(pair.df <= 6 + 1e-9 for pair in fitted.contrasts)
    with pytest.raises(DataError, match="every system has one assessor, so differences"):
        adjudge.anova_ordinal(frame.assign(assessor="of " + frame["system"]))


def test_a_check_of_few_ratings_is_not_passed() -> None:
    """That levels are used as the model expects is said where one system with twice the noise would show."""
    said = {}
    for topics in (6, 150):
        rng = np.random.default_rng(9)
        system, topic, assessor = (x.ravel() for x in np.indices((3, topics, 2)))
        latent = rng.normal(size=topics)[topic] + rng.logistic(size=system.size)
        frame = pd.DataFrame(
            {
                "topic": [f"t{k:03}" for k in topic],
                "system": [f"s{k}" for k in system],
                "assessor": [f"a{k}" for k in assessor],
                "fluency": np.searchsorted([-2, -0.5, 0.5, 2], latent) + 1,
            }
        )
        fitted = adjudge.anova_ordinal(frame)
        said[topics] = [check.power >= 0.8 for check in fitted.checks]
        passed = [check.over for check in fitted.checks if check.p > 0.05]
        assert passed
        told = " ".join(line for line in fitted.sentences() if line.startswith("The levels are used"))
        assert all((f"by {over}" in told) == (topics == 150) for over in passed)
    assert said == {6: [False, False], 150: [True, True]}
