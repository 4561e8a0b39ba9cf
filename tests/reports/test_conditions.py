"""The conditions of trust: each is stated either way, and follows from a number that can be checked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.analyses.test_sampled import judged as judged_by_several
from tests.approving import Approved

from adjudge.analyses.agreement import agreement
from adjudge.analyses.compare import compare
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.conclusions import OUT_OF_REACH
from adjudge.analyses.conditions.copies import copied_texts
from adjudge.analyses.conditions.result import SIGNS, TrustCondition, TrustConditions
from adjudge.analyses.conditions.trust import trust_conditions
from adjudge.analyses.conditions.words import FACTS, told
from adjudge.analyses.plan.result import plan_of_matrix
from adjudge.analyses.plan.smallest import smallest_found
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability import stability
from adjudge.analyses.tests import ASSESSORS
from adjudge.core.results import Note
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.reports.page import build_page
from adjudge.reports.render import render
from adjudge.stats.agreement import AgreementCoefficient
from adjudge.stats.order import rank_intervals
from adjudge.stats.power.rates import t_difference, t_reach

Values = Mapping[str, Sequence[float]]
NAMES = ("topics", "found", "assessors", "stable", "agreement", "copies", "left out")


def scores_of_columns(columns: Values, measure: str = "rouge-2") -> Scores:
    return Scores.of_frame(
        pd.DataFrame(columns, index=[f"t{k}" for k in range(len(next(iter(columns.values()))))]),
        unnamed=measure,
    )


def conditions(
    columns: Values, measure: str = "rouge-2", collection: Collection | None = None
) -> TrustConditions:
    scores = scores_of_columns(columns, measure)
    return trust_conditions(scores, compare(scores), collection=collection)


def state(conditions: TrustConditions, name: str) -> tuple[str, list[str]]:
    """The state of a condition, and the codes that say why."""
    condition = conditions.of(name)
    return condition.state, [note.code for note in condition.facts]


def fact(conditions: TrustConditions, name: str, code: str) -> dict[str, Any]:
    """The data of one fact."""
    (note,) = [note for note in conditions.of(name).facts if note.code == code]
    return dict(note.data)


@pytest.fixture(scope="module")
def judged() -> pd.DataFrame:
    """Three systems, twelve topics, three assessors: good is better to everybody, the others are alike."""
    rng = np.random.default_rng(4)
    rows = []
    for k in range(12):
        easy = rng.normal(0, 0.5)
        for system, mean in (("good", 4.0), ("fair", 2.6), ("poor", 2.5)):
            for who, mild in (("ada", 0.1), ("ben", 0.0), ("cem", -0.1)):
                value = float(np.clip(round(mean + easy + mild + rng.normal(0, 0.3)), 1, 5))
                rows.append((f"t{k}", system, who, value))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"]).assign(measure="overall")


def test_every_condition_is_stated(three: Values) -> None:
    found = conditions(three)
    assert tuple(each.name for each in found) == NAMES
    assert all(each.state in SIGNS and each.words.endswith(".") for each in found)
    assert found.headline() == (
        "Of 7 conditions of trust in rouge-2, 4 are met, 1 cannot be told (copies)"
        " and 2 do not apply (assessors and agreement)."
    )
    frame = found.to_frame()
    assert list(frame["name"]) == list(NAMES)
    assert list(frame["state"]) == [each["state"] for each in found.as_dict()["conditions"]]


def test_topics_are_enough_where_the_median_difference_is_found(three: Values) -> None:
    columns = three
    comparison = compare(scores_of_columns(columns))
    found = smallest_found(comparison)
    wanted = (
        plan_of_matrix(comparison.matrix, tests=()).needs[0].difference.value
    )  # the plan of the same comparison
    assert found.value == pytest.approx(wanted, rel=0.05)
    means = {name: np.mean(values) for name, values in columns.items()}
    apart = sorted(abs(means[a] - means[b]) for a, b in (("good", "fair"), ("good", "bad"), ("fair", "bad")))
    assert found.median == pytest.approx(apart[1])
    assert found.value < found.median
    stated = conditions(columns)
    assert state(stated, "topics") == ("met", ["reach"])
    assert fact(stated, "topics", "reach") == {
        "difference": found.value,
        "median": found.median,
        "power": 0.8,
        "topics": 10,
        "assessors": None,
        "tested": {"test": "t", "correct": "holm", "pairs": 3, "alpha": 0.05},
    }


def test_topics_are_not_enough_where_systems_lie_closer() -> None:
    rng = np.random.default_rng(0)
    near = {name: list(rng.normal(0.5 + k / 1000, 0.2, 15)) for k, name in enumerate("abcd")}
    found = conditions(near)
    assert state(found, "topics") == ("unmet", ["reach"])
    reach = fact(found, "topics", "reach")
    assert reach["difference"] > reach["median"]


def test_so_few_topics_find_nothing() -> None:
    scores = scores_of_columns(
        {"a": [1.0, 2.0, 3.1, 4.0], "b": [0.5, 1.2, 1.0, 2.0], "c": [0.0, 0.1, 0.3, 0.2]}
    )
    by_t = trust_conditions(scores, compare(scores))  # which four topics let find something
    assert state(by_t, "topics") == ("unmet", ["reach"])
    assert state(by_t, "found") == ("met", ["in-reach"])
    found = trust_conditions(scores, compare(scores, test="wilcoxon"))
    assert state(found, "topics") == ("unmet", ["no-difference"])
    why = fact(found, "topics", "no-difference")["why"]
    # 2 / 2^4 = .125, and seven is the first n with 2 / 2^n <= .05 / 3
    assert (why.code, why.data["topics"], why.data["pairs"], why.data["fewest"]) == (
        "too-few-topics",
        4,
        3,
        7,
    )
    assert state(found, "found") == ("unmet", ["out-of-reach"])
    assert fact(found, "found", "out-of-reach") == {
        "n": 3,
        "pairs": 3,
        "alpha": 0.05,
        "few": "topics",
        "tested": {"test": "wilcoxon", "correct": "holm", "pairs": 3},
    }


def test_so_few_resamples_find_nothing(three: Values) -> None:
    comparison = compare(scores_of_columns(three), test="mc", resamples=15)
    found = trust_conditions(scores_of_columns(three), comparison)
    assert fact(found, "found", "out-of-reach")["few"] == "resamples"


def test_the_reach_of_a_t_test_is_that_of_the_noncentral_t() -> None:
    assert t_reach(0.5 / math.sqrt(20), 19) == pytest.approx(t_difference(20, 0.5), rel=1e-9)
    reach = t_reach(0.2, 4.5, power=0.8, alpha=0.01)
    cutoff = stats.t.ppf(0.995, 4.5)
    power = stats.nct.sf(cutoff, 4.5, reach / 0.2) + stats.nct.cdf(-cutoff, 4.5, reach / 0.2)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_differences_that_could_be_found(three: Values) -> None:
    assert state(conditions(three), "found") == ("met", ["in-reach"])


def test_ranks_that_differences_leave_open(three: Values) -> None:
    comparison = compare(scores_of_columns(three))
    best, worst = rank_intervals(comparison.better)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == [(1, 1), (2, 3), (2, 3)]
    found = conditions(three)
    assert state(found, "stable") == ("met", ["top", "settled", "widest"])
    assert fact(found, "stable", "top") == {"systems": ["good"], "of": 3}
    assert fact(found, "stable", "settled") == {"differ": 2, "pairs": 3, "ranks": 1, "systems": 3}
    assert fact(found, "stable", "widest") == {"system": "fair", "best": 2, "worst": 3}
    settled = conditions({name: [k + t / 100 for t in range(12)] for k, name in enumerate("abc")})
    assert state(settled, "stable") == ("met", ["top", "settled"])
    assert fact(settled, "stable", "top") == {"systems": ["c"], "of": 3}
    assert fact(settled, "stable", "settled") == {"differ": 3, "pairs": 3, "ranks": 3, "systems": 3}


def test_a_top_that_most_systems_may_hold_is_not_stable(three: Values) -> None:
    alike = conditions({"a": three["fair"], "b": three["bad"]})
    assert state(alike, "stable") == ("unmet", ["none-differs"])
    turned = {"x": three["good"], "y": [v + 1e-4 * (-1) ** k for k, v in enumerate(three["good"])]}
    wide = conditions({**turned, "z": [v - 0.2 for v in three["good"]]})
    assert state(wide, "stable") == ("unmet", ["wide-top", "settled", "widest"])
    assert fact(wide, "stable", "wide-top") == {"systems": 2, "of": 3}
    assert fact(wide, "stable", "settled") == {"differ": 2, "pairs": 3, "ranks": 1, "systems": 3}


def test_draws_of_other_assessors_say_whether_the_best_stays_among_the_candidates(
    judged: pd.DataFrame,
) -> None:
    scores = Scores.of_frame(judged)
    comparison, drawn = compare(scores), stability(scores)
    (noise,) = drawn.noise
    assert comparison.candidates() == ["good"]
    assert noise.drawn is not None
    share = noise.drawn.best[noise.systems.index("good")]
    found = trust_conditions(scores, comparison, stability=drawn)
    assert state(found, "stable")[0] == "met"
    assert share >= 0.95
    assert fact(found, "stable", "in-draws") == {
        "like": True,
        "assessors": 3,
        "draws": 10_000,
        "level": 0.95,
        "sure": noise.sure_pairs()[0],
        "pairs": 3,
        "best": math.floor(1000 * share) / 10,
    }
    # were the draws to say otherwise, so would the condition
    tossed = replace(noise.drawn, best=np.full(3, 1 / 3))
    less = replace(drawn, noise=(replace(noise, noise=replace(noise.noise, like=tossed)),))
    found = trust_conditions(scores, comparison, stability=less)
    assert state(found, "stable")[0] == "unmet"
    assert fact(found, "stable", "in-draws")["best"] == 33.3


def test_scores_of_texts_need_no_assessors_and_others_do_not_say(three: Values) -> None:
    for name in ("assessors", "agreement"):
        assert state(conditions(three), name) == ("not applicable", ["computed-from-texts"])
        assert state(conditions(three, measure="fluency"), name) == ("unknown", ["nobody-named"])


def test_assessors_and_their_agreement(judged: pd.DataFrame) -> None:
    scores = Scores.of_frame(judged)
    comparison = compare(scores)
    assert comparison.sampled
    found = trust_conditions(scores, comparison)
    assert state(found, "assessors") == ("met", ["judged", "for-like-these"])
    assert fact(found, "assessors", "for-like-these") == {"assessors": 3}
    assert state(found, "agreement") == ("met", ["alpha"])
    (question,) = agreement(scores).questions
    assert question.alpha.value > 0.667
    assert fact(found, "agreement", "alpha") == {
        "title": "overall",
        "source": None,
        "topics": 12,
        "alpha": question.alpha,
    }
    assert "in-draws" in state(found, "stable")[1]
    assert state(found, "topics")[1] == ["reach", "at-this-error"]
    assert fact(found, "topics", "reach")["assessors"] == 3
    assert comparison.population is not None
    pairs = comparison.population.pairs
    assert pairs is not None
    for asked, sure in (
        (comparison, pairs.similar),
        (compare(scores, assessor_effects="fixed"), pairs.these),
    ):
        middle = int(np.argsort(sure.error)[1])
        assert smallest_found(asked).value == pytest.approx(
            t_reach(sure.error[middle], sure.df[middle], alpha=0.05 / 3)
        )


def test_one_assessor_and_assessors_left_out(judged: pd.DataFrame) -> None:
    alone = Scores.of_frame(judged[judged["assessor"] == "ada"])
    found = trust_conditions(alone, compare(alone))
    assert state(found, "assessors") == ("unmet", ["one-assessor"])
    assert state(found, "agreement") == ("unknown", ["nobody-to-agree"])
    two = Scores.of_frame(judged).without("cem")
    found = trust_conditions(two, compare(two))
    assert state(found, "left out") == ("unmet", ["without"])
    assert fact(found, "left out", "without") == {"assessors": ["cem"]}


def test_assessors_who_disagree_are_not_trusted(judged: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    noise = Scores.of_frame(judged.assign(value=rng.integers(1, 6, len(judged)).astype(float)))
    found = trust_conditions(noise, compare(noise))
    assert state(found, "agreement") == ("unmet", ["alpha"])
    assert fact(found, "agreement", "alpha")["alpha"].value < 0.667


SOURCE = "The river rose by two metres on Monday night and the old bridge of the town fell into the water. "
SOURCE += "Nobody was hurt since the mayor had closed the street an hour before that happened."


def texts(**by_system: Sequence[str]) -> Collection:
    topics = [f"t{k}" for k in range(len(next(iter(by_system.values()))))]
    summaries = {t: [Summary(t, s, own[k]) for s, own in by_system.items()] for k, t in enumerate(topics)}
    documents = {t: [Document(t, "d", SOURCE)] for t in topics}
    systems = {s: System(s, kind="baseline" if s == "lead" else None) for s in by_system}
    return Collection(Settings("x"), {t: Topic(t) for t in topics}, systems, documents, summaries)


def test_copies_of_another_system_and_of_the_source(three: Values) -> None:
    own = [
        f"Number {k} says that floods destroyed something near here, as {k} people told us."
        for k in range(10)
    ]
    other = [f"A different story, {k}, with words of its own and nothing else." for k in range(10)]
    collection = texts(good=own, fair=other, bad=[SOURCE[:97]] * 10)
    found = copied_texts(collection)
    assert found is not None
    assert found.copied["bad"] == 1
    assert found.near == {}
    stated = conditions(three, collection=collection)
    assert state(stated, "copies") == ("met", ["no-near-texts", "copiers"])
    assert fact(stated, "copies", "copiers") == {"systems": ["bad"], "share": 100, "baselines": []}
    nearly = [text.replace("  ", " ") for text in own[:4]] + other[4:]
    stated = conditions(three, collection=texts(good=own, fair=other, bad=nearly))
    assert state(stated, "copies") == ("unmet", ["near-texts", "no-copier"])
    assert fact(stated, "copies", "near-texts") == {"pairs": [("bad", "fair", 6, 10, 6)]}
    long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    long += " eighteen nineteen twenty " + " ".join(f"w{k}" for k in range(40))
    changed = [f"{long} last" for _ in range(10)]  # one trigram of 59 more
    found = copied_texts(texts(good=[long] * 10, fair=changed, lead=other))
    assert found is not None
    assert (found.same.get(("fair", "good"), 0), found.near["fair", "good"]) == (0, 10)


def test_a_system_without_texts_may_be_a_copy(three: Values) -> None:
    """Scores of three systems, texts of two: that no two have the same text is not known of the third."""
    own, other = [
        [f"{word} is what number {k} says here" for k in range(10)] for word in ("this", "that else")
    ]
    found = conditions(three, collection=texts(good=own, fair=other))
    assert state(found, "copies") == ("unknown", ["no-near-texts", "no-text", "no-copier"])
    assert fact(found, "copies", "no-near-texts") == {"others": True}
    assert fact(found, "copies", "no-text") == {"systems": ["bad"]}
    found = conditions(three, collection=texts(good=own, fair=own))
    assert state(found, "copies") == ("unmet", ["near-texts", "no-text", "no-copier"])


def test_the_same_scores_without_texts(three: Values) -> None:
    found = conditions({**three, "twin": three["good"]})
    assert state(found, "copies") == ("unmet", ["same-scores", "no-texts"])
    assert fact(found, "copies", "same-scores") == {"pairs": [["good", "twin"]]}
    assert state(conditions(three), "copies") == ("unknown", ["no-texts"])


def test_scores_that_are_all_one_number_are_no_copies() -> None:
    found = conditions({name: [0.5] * 9 for name in "abc"})
    assert state(found, "copies") == ("unknown", ["no-texts"])


def test_one_topic_is_not_enough() -> None:
    found = conditions({"a": [0.5], "b": [0.7]})
    assert state(found, "topics") == ("unmet", ["too-few-in-common"])
    assert fact(found, "topics", "too-few-in-common") == {"topics": 1}
    assert fact(found, "left out", "whole") == {"systems": 2, "topics": 1, "target": False}


def test_agreement_is_of_the_questions_behind_the_scores_at_their_length(judged: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    noise = judged.assign(value=rng.integers(1, 6, len(judged)).astype(float), length=200)
    scores = Scores.of_frame(pd.concat([judged.assign(length=100), noise]))
    questions = {q.question: q.alpha.value for q in agreement(scores).questions}
    assert list(questions) == ["overall (100 words)", "overall (200 words)"]
    for length, wanted in ((100, "met"), (200, "unmet")):
        found = trust_conditions(scores, compare(scores, length=length))
        assert state(found, "agreement") == (wanted, ["alpha"])
        assert fact(found, "agreement", "alpha")["alpha"].value == questions[f"overall ({length} words)"]


def test_what_is_missing_and_withdrawn_is_counted(three: Values) -> None:
    holes = {**three, "bad": [math.nan, math.nan, *list(three["bad"])[2:]]}
    assert state(conditions(holes), "left out") == ("unmet", ["missing"])
    assert fact(conditions(holes), "left out", "missing") == {"n": 2, "systems": 1}
    gone = replace(
        texts(good=["x"], fair=["y"], bad=["z"]), withdrawn=(Summary("t0", "late", "x", withdrawn="late"),)
    )
    assert state(conditions(three, collection=gone), "left out") == ("unmet", ["withdrawn"])
    assert state(conditions(three), "left out") == ("met", ["whole"])
    assert fact(conditions(three), "left out", "whole") == {"systems": 3, "topics": 10, "target": False}


def test_what_else_does_not_count_is_told_and_a_note_is_not_read(three: Values) -> None:
    scores = scores_of_columns(three)
    noted = replace(
        scores, warnings={"rouge-2": [Note.of("about-table", text="last row left out: it holds the mean")]}
    )
    assert trust_conditions(noted, compare(noted)).of("left out").state == "met"
    fewer = replace(scores, warnings={"rouge-2": [Note.of("gone-left-out", n=2)]})
    assert state(trust_conditions(fewer, compare(fewer)), "left out") == ("unmet", ["gone-left-out"])


def test_what_was_withdrawn_in_another_form_is_not_of_these(three: Values) -> None:
    rows = [(f"t{k}", name, "abstract", v) for name, own in three.items() for k, v in enumerate(own)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "form", "score"])
    gone = Summary("t0", "late", "x", form="extract", withdrawn="late")
    for form, wanted in (("extract", "met"), ("abstract", "unmet")):
        collection = replace(texts(good=["x"]), withdrawn=(replace(gone, form=form),))
        found = trust_conditions(frame, compare(frame), collection=collection)
        assert state(found, "left out") == (wanted, ["whole" if wanted == "met" else "withdrawn"])


def test_the_page_prints_them_with_signs_and_words(
    compared: Callable[..., Comparison], three: Values, empty: Collection, parse: Callable[[str], object]
) -> None:
    one, two = compared(three), compared(three, measure="js", better="lower")
    evil = TrustCondition("agreement", "unmet", (Note.of("not-known", why="<script>alert(1)</script>."),))
    both = [TrustConditions(c.measure, None, None, c.title, (evil,)) for c in (one, two)]
    html = render(build_page(empty, [one, two], conditions=both))
    assert (
        html.count("&lt;script&gt;alert(1)&lt;/script&gt;.") == 2
    )  # of the first at the top, of the other in its card
    assert html.count('<span class="sign" aria-hidden="true">✗</span>') == 2
    assert html.count('<span class="verdict">not met</span>') == 2
    assert html.index('id="trust"') < html.index('id="overview"') < html.index('id="js"')
    assert 'id="trust"' not in render(build_page(empty, [one, two]))


def test_what_could_be_found_is_told_of_the_test_that_the_headline_begins_with() -> None:
    """Five topics are too few for Wilcoxon over 15 pairs; for assessors like these three the test is another one."""
    scores = Scores.of_frame(judged_by_several(systems=6, topics=5, disagreement=0.05, step=1.0))
    others = compare(scores, test="wilcoxon")
    these = compare(scores, test="wilcoxon", assessor_effects="fixed")
    assert (others.tested["wilcoxon"].count(OUT_OF_REACH), others.tested[ASSESSORS].count(OUT_OF_REACH)) == (
        15,
        0,
    )
    for comparison, (verdict, codes) in (
        (others, ("met", ["in-reach"])),
        (these, ("unmet", ["out-of-reach"])),
        (compare(scores), ("met", ["in-reach"])),
        (compare(scores, assessor_effects="fixed"), ("met", ["in-reach"])),
    ):
        found = trust_conditions(scores, comparison)
        assert state(found, "found") == (verdict, codes)
        assert fact(found, "found", codes[0])["tested"]["test"] == comparison.test


def test_what_is_said_of_every_fact(approved: Approved) -> None:
    """Once each, and where counts change the words again."""
    tested = {"test": "wilcoxon", "correct": "holm", "pairs": 3}
    reach = {
        "difference": 0.039,
        "median": 0.25,
        "power": 0.8,
        "topics": 10,
        "assessors": None,
        "tested": {**tested, "alpha": 0.05},
    }
    few = {"n": 3, "pairs": 3, "alpha": 0.05, "few": "topics", "tested": tested}
    draws = {
        "like": True,
        "assessors": 3,
        "draws": 10_000,
        "level": 0.95,
        "sure": 2,
        "pairs": 3,
        "best": 99.9,
    }
    too_few = Note.of("too-few-topics", topics=4, alpha=0.05, pairs=3, fewest=7)
    alpha = AgreementCoefficient(
        name="alpha", value=0.8, low=0.7, high=0.871, level=0.95, units=36, values=90
    )
    source = {"share": 97, "baselines": []}
    facts: list[tuple[str, dict[str, Any]]] = [
        ("too-few-in-common", {"topics": 1}),
        ("no-difference", {"topics": 4, "tested": reach["tested"], "why": too_few}),
        ("reach-unknown", {"topics": 4, "why": Note.of("one-sided")}),
        ("reach", reach),
        ("reach", {**reach, "median": 0.02, "assessors": 3}),
        ("reach", {**reach, "median": 0.0391}),
        ("at-this-error", {}),
        ("out-of-reach", few),
        ("out-of-reach", {**few, "n": 1, "few": "resamples", "tested": {**tested, "test": "mc"}}),
        ("not-tested", {"n": 1}),
        ("not-comparable", {"n": 2}),
        ("in-reach", {"pairs": 3, "alpha": 0.05, "tested": tested}),
        ("in-reach", {"pairs": 1, "alpha": 0.05, "tested": {**tested, "pairs": 1}}),
        ("computed-from-texts", {}),
        ("nobody-named", {}),
        ("one-assessor", {}),
        ("judged", {"assessors": 3}),
        ("for-like-these", {"assessors": 3}),
        ("for-these", {"assessors": 3, "why": None}),
        ("for-these", {"assessors": 3, "why": Note.of("clusters")}),
        ("simulated", {"n": 1200}),
        ("not-ranked", {}),
        ("none-differs", {"systems": 2}),
        ("top", {"systems": ["t5", "bart"], "of": 4}),
        ("top", {"systems": ["t5"], "of": 2}),
        ("wide-top", {"systems": 3, "of": 4}),
        ("no-top", {}),
        ("settled", {"differ": 2, "pairs": 3, "ranks": 1, "systems": 3}),
        ("widest", {"system": "t5", "best": 2, "worst": 3}),
        ("in-draws", draws),
        ("in-draws", {**draws, "like": False, "best": None}),
        ("nobody-to-agree", {}),
        ("not-known", {"why": "a quick report does not look into it"}),
        ("questions-unknown", {}),
        ("no-questions", {}),
        ("alpha", {"title": "fluency", "source": "rating", "topics": 12, "alpha": alpha}),
        (
            "alphas",
            {
                "questions": 3,
                "worst": ("fluency", 0.512),
                "best": ("coverage", 0.812),
                "reach": 1,
                "least": 0.667,
            },
        ),
        ("same-scores", {"pairs": [["t5", "bart"], ["t5", "lead"]]}),
        ("no-texts", {}),
        ("near-texts", {"pairs": [("t5", "bart", 6, 10, 4)]}),
        ("near-texts", {"pairs": [("t5", f"b{k}", 6, 10, 4) for k in range(6)]}),
        ("no-near-texts", {"others": False}),
        ("no-near-texts", {"others": True}),
        ("no-text", {"systems": ["t5", "bart"]}),
        ("no-documents", {}),
        ("no-copier", {"system": "t5", "share": 34}),
        ("copiers", {**source, "systems": ["t5"]}),
        ("copiers", {"systems": ["first", "lead"], "share": 100, "baselines": ["lead"]}),
        ("missing", {"n": 2, "systems": 1}),
        ("withdrawn", {"n": 1}),
        ("without", {"assessors": ["cem"]}),
        ("stale", {"topics": 2}),
        ("gone-left-out", {"n": 2}),
        ("judgments-left-out", {"text": "3 judgments of nobody left out"}),
        ("rows-left-out", {"formula": "mean(a, b)", "n": 2, "of": 9}),
        ("whole", {"systems": 3, "topics": 10, "target": False}),
        ("whole", {"systems": 2, "topics": 1, "target": True}),
    ]
    assert {code for code, _ in facts} == set(FACTS)
    approved(f"{code}: {told([Note.of(code, **data)])}" for code, data in facts)
