"""The conditions of trust: each is stated either way, and follows from a number that can be checked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from adjudge.analyses.agreement import agreement
from adjudge.analyses.compare import compare
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.conditions.copies import copied_texts
from adjudge.analyses.conditions.result import SIGNS, TrustCondition, TrustConditions
from adjudge.analyses.conditions.trust import trust_conditions
from adjudge.analyses.plan.result import plan_of_matrix
from adjudge.analyses.plan.smallest import smallest_found
from adjudge.analyses.scores import Scores
from adjudge.analyses.stability import stability
from adjudge.core.results import Note
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.reports.page import build_page
from adjudge.reports.render import render
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


def state(found: TrustConditions, name: str) -> tuple[str, str]:
    each = found.of(name)
    return each.state, each.words


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
    said, words = state(conditions(columns), "topics")
    assert said == "met"
    assert "half of the pairs of systems lie at least that far apart" in words
    assert "Holm over 3 pairs, alpha .05" in words


def test_topics_are_not_enough_where_systems_lie_closer() -> None:
    rng = np.random.default_rng(0)
    near = {name: list(rng.normal(0.5 + k / 1000, 0.2, 15)) for k, name in enumerate("abcd")}
    said, words = state(conditions(near), "topics")
    assert said == "unmet"
    assert "fewer than half of the pairs of systems lie that far apart" in words


def test_so_few_topics_find_nothing() -> None:
    found = conditions({"a": [1.0, 2.0, 3.1, 4.0], "b": [0.5, 1.2, 1.0, 2.0], "c": [0.0, 0.1, 0.3, 0.2]})
    said, words = state(found, "topics")
    assert said == "unmet"
    # 2 / 2^4 = .125, and seven is the first n with 2 / 2^n <= .05 / 3
    assert words.startswith("4 topics cannot find any difference")
    assert "the smallest p is 0.125, above .05/3; 7 topics are the fewest" in words
    assert state(found, "found") == (
        "unmet",
        "Of 3 pairs of systems, 3 could not have been found: even with one system ahead on every topic on which the two"
        " differ, p would not be small enough.",
    )


def test_the_reach_of_a_t_test_is_that_of_the_noncentral_t() -> None:
    assert t_reach(0.5 / math.sqrt(20), 19) == pytest.approx(t_difference(20, 0.5), rel=1e-9)
    reach = t_reach(0.2, 4.5, power=0.8, alpha=0.01)
    cutoff = stats.t.ppf(0.995, 4.5)
    power = stats.nct.sf(cutoff, 4.5, reach / 0.2) + stats.nct.cdf(-cutoff, 4.5, reach / 0.2)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_differences_that_could_be_found(three: Values) -> None:
    assert state(conditions(three), "found") == (
        "met",
        "Each of the 3 pairs of systems could have been found to differ.",
    )


def test_ranks_that_differences_leave_open(three: Values) -> None:
    comparison = compare(scores_of_columns(three))
    best, worst = rank_intervals(comparison.better)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == [(1, 1), (2, 3), (2, 3)]
    assert state(conditions(three), "stable") == (
        "met",
        "Only good may be the best: for each of the other 2 systems there is one that is significantly better."
        " Significant differences settle the order of 2 of 3 pairs and 1 of the 3 ranks; most is left open for fair,"
        " which may have any rank from 2 to 3.",
    )
    settled = conditions({name: [k + t / 100 for t in range(12)] for k, name in enumerate("abc")})
    assert state(settled, "stable") == (
        "met",
        "Only c may be the best: for each of the other 2 systems there is one that is significantly better."
        " Significant differences settle the order of 3 of 3 pairs and 3 of the 3 ranks.",
    )


def test_a_top_that_most_systems_may_hold_is_not_stable(three: Values) -> None:
    alike = conditions({"a": three["fair"], "b": three["bad"]})
    assert state(alike, "stable") == (
        "unmet",
        "No pair of systems differs significantly, so any of the 2 systems may be the best.",
    )
    turned = {"x": three["good"], "y": [v + 1e-4 * (-1) ** k for k, v in enumerate(three["good"])]}
    wide = conditions({**turned, "z": [v - 0.2 for v in three["good"]]})
    said, words = state(wide, "stable")
    assert said == "unmet"
    assert words.startswith(
        "More than half of the systems, 2 of 3, may be the best. Significant differences settle the order of 2 of 3"
        " pairs and 1 of the 3 ranks; most is left open for "
    )


def test_draws_of_other_assessors_say_whether_the_best_stays_among_the_candidates(
    judged: pd.DataFrame,
) -> None:
    scores = Scores.of_frame(judged)
    comparison, drawn = compare(scores), stability(scores)
    (noise,) = drawn.noise
    assert comparison.candidates() == ["good"]
    assert noise.drawn is not None
    share = noise.drawn.best[noise.systems.index("good")]
    said, words = state(trust_conditions(scores, comparison, stability=drawn), "stable")
    assert said == "met"
    assert share >= 0.95
    assert f"In {math.floor(1000 * share) / 10:g} % of 10,000 draws for assessors like these 3" in words
    # were the draws to say otherwise, so would the condition
    tossed = replace(noise.drawn, best=np.full(3, 1 / 3))
    less = replace(drawn, noise=(replace(noise, noise=replace(noise.noise, like=tossed)),))
    said, words = state(trust_conditions(scores, comparison, stability=less), "stable")
    assert said == "unmet"
    assert (
        "In 33.3 % of 10,000 draws for assessors like these 3 on these topics, it has the best mean." in words
    )


def test_scores_of_texts_need_no_assessors_and_others_do_not_say(three: Values) -> None:
    assert conditions(three).of("assessors").state == "not applicable"
    assert conditions(three).of("agreement").state == "not applicable"
    other = conditions(three, measure="fluency")
    assert state(other, "assessors")[0] == "unknown"
    assert state(other, "agreement")[0] == "unknown"


def test_assessors_and_their_agreement(judged: pd.DataFrame) -> None:
    scores = Scores.of_frame(judged)
    comparison = compare(scores)
    assert comparison.sampled
    found = trust_conditions(scores, comparison)
    assert state(found, "assessors") == (
        "met",
        "3 assessors judged, and conclusions are for assessors like these three.",
    )
    said, words = state(found, "agreement")
    (question,) = agreement(scores).questions
    assert question.alpha.value > 0.667
    assert said == "met"
    assert words.startswith(
        f"Of overall, the scores compared here, Krippendorff's alpha = {question.alpha.value:.3f}"
    )
    assert (
        "For assessors like these 3 on these topics, the system with the better mean stays ahead"
        in found.of("stable").words
    )
    assert "with 12 topics and 3 assessors" in found.of("topics").words.lower()
    assert found.of("topics").words.endswith(
        "at the median standard error found here; adjudge plan lets another study find other errors, and so gives"
        " another number."
    )
    pairs = comparison.population.pairs  # type: ignore[union-attr]
    middle = int(np.argsort(pairs.error)[1])  # type: ignore[union-attr]
    assert smallest_found(comparison).value == pytest.approx(
        t_reach(pairs.error[middle], pairs.df[middle], alpha=0.05 / 3)  # type: ignore[union-attr]
    )


def test_one_assessor_and_assessors_left_out(judged: pd.DataFrame) -> None:
    alone = Scores.of_frame(judged[judged["assessor"] == "ada"])
    found = trust_conditions(alone, compare(alone))
    assert state(found, "assessors") == (
        "unmet",
        "1 assessor judged: conclusions hold for this one, not for others.",
    )
    assert found.of("agreement").state == "unknown"
    two = Scores.of_frame(judged).without("cem")
    found = trust_conditions(two, compare(two))
    assert state(found, "left out") == ("unmet", "1 assessor left out (cem).")


def test_assessors_who_disagree_are_not_trusted(judged: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    noise = Scores.of_frame(judged.assign(value=rng.integers(1, 6, len(judged)).astype(float)))
    said, words = state(trust_conditions(noise, compare(noise)), "agreement")
    assert said == "unmet"
    assert "not reliable (below .667)" in words


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
    said, words = state(conditions(three, collection=collection), "copies")
    assert said == "met"
    assert "bad copies the source word for word (all their words stand in runs of 4 or more" in words
    nearly = [text.replace("  ", " ") for text in own[:4]] + other[4:]
    said, words = state(conditions(three, collection=texts(good=own, fair=other, bad=nearly)), "copies")
    assert said == "unmet"
    assert "bad and fair on 6 of 10 summaries (6 word for word)" in words
    assert "good" not in words.split(";")[0]
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
    said, words = state(conditions(three, collection=texts(good=own, fair=other)), "copies")
    assert said == "unknown"
    assert words.startswith("Of the other systems no two have the same text")
    assert "; bad has no text here to compare" in words
    said, words = state(conditions(three, collection=texts(good=own, fair=own)), "copies")
    assert said == "unmet"
    assert "; bad has no text here to compare" in words


def test_one_pair_is_said_in_the_singular(three: Values) -> None:
    two = {name: three[name] for name in ("good", "bad")}
    assert state(conditions(two), "found")[1] == "The one pair of systems could have been found to differ."


def test_the_same_scores_without_texts(three: Values) -> None:
    said, words = state(conditions({**three, "twin": three["good"]}), "copies")
    assert said == "unmet"
    assert words == "The same score on every topic: good and twin; there are no texts here."
    assert state(conditions(three), "copies")[0] == "unknown"


def test_scores_that_are_all_one_number_are_not_said_to_differ() -> None:
    said, words = state(conditions({name: [0.5] * 9 for name in "abc"}), "copies")
    assert said == "unknown"
    assert words.startswith(
        "3 pairs of systems have one and the same score on all topics, which may have other"
    )
    assert "no two systems" not in words.lower()


def test_one_topic_is_not_enough_and_is_said_in_the_singular() -> None:
    found = conditions({"a": [0.5], "b": [0.7]})
    assert state(found, "topics") == (
        "unmet",
        "Two systems have 1 topic in common: without two nothing can be tested.",
    )
    assert found.of("left out").words.startswith("Each of the 2 systems has a score on the one topic;")


def test_agreement_is_of_the_questions_behind_the_scores_at_their_length(judged: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    noise = judged.assign(value=rng.integers(1, 6, len(judged)).astype(float), length=200)
    scores = Scores.of_frame(pd.concat([judged.assign(length=100), noise]))
    questions = {q.question: q.alpha.value for q in agreement(scores).questions}
    assert list(questions) == ["overall (100 words)", "overall (200 words)"]
    for length, wanted in ((100, "met"), (200, "unmet")):
        said, words = state(trust_conditions(scores, compare(scores, length=length)), "agreement")
        assert said == wanted
        alpha = f"{questions[f'overall ({length} words)']:.3f}"
        assert words.startswith(f"Of overall, the scores compared here, Krippendorff's alpha = {alpha}")


def test_what_is_missing_and_withdrawn_is_counted(three: Values) -> None:
    holes = {**three, "bad": [math.nan, math.nan, *list(three["bad"])[2:]]}
    assert state(conditions(holes), "left out") == ("unmet", "2 scores of 1 system are missing.")
    gone = replace(
        texts(good=["x"], fair=["y"], bad=["z"]), withdrawn=(Summary("t0", "late", "x", withdrawn="late"),)
    )
    assert state(conditions(three, collection=gone), "left out") == ("unmet", "1 summary withdrawn.")
    assert state(conditions(three), "left out") == (
        "met",
        "Each of the 3 systems has a score on each of the 10 topics; no summary was withdrawn, no assessor left out.",
    )


def test_what_else_does_not_count_is_told_and_a_note_is_not_read(three: Values) -> None:
    scores = scores_of_columns(three)
    noted = replace(
        scores, warnings={"rouge-2": [Note.of("about-table", text="last row left out: it holds the mean")]}
    )
    assert trust_conditions(noted, compare(noted)).of("left out").state == "met"
    fewer = replace(scores, warnings={"rouge-2": [Note.of("gone-left-out", n=2)]})
    assert state(trust_conditions(fewer, compare(fewer)), "left out") == (
        "unmet",
        "2 scores of summaries that are no longer there left out.",
    )


def test_what_was_withdrawn_in_another_form_is_not_of_these(three: Values) -> None:
    rows = [(f"t{k}", name, "abstract", v) for name, own in three.items() for k, v in enumerate(own)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "form", "score"])
    gone = Summary("t0", "late", "x", form="extract", withdrawn="late")
    for form, wanted in (("extract", "met"), ("abstract", "unmet")):
        collection = replace(texts(good=["x"]), withdrawn=(replace(gone, form=form),))
        found = trust_conditions(frame, compare(frame), collection=collection)
        said, words = state(found, "left out")
        assert said == wanted
        assert ("no summary of this length or form was withdrawn" in words) == (wanted == "met")


def test_the_page_prints_them_with_signs_and_words(
    compared: Callable[..., Comparison], three: Values, empty: Collection, parse: Callable[[str], object]
) -> None:
    one, two = compared(three), compared(three, measure="js", better="lower")
    evil = TrustCondition("x", "<b>?", "unmet", "<script>alert(1)</script>.")
    both = [TrustConditions(c.measure, None, None, c.title, (evil,)) for c in (one, two)]
    html = render(build_page(empty, [one, two], conditions=both))
    assert (
        html.count("&lt;script&gt;alert(1)&lt;/script&gt;.") == 2
    )  # of the first at the top, of the other in its card
    assert html.count('<span class="sign" aria-hidden="true">✗</span>') == 2
    assert html.count('<span class="verdict">not met</span>') == 2
    assert html.index('id="trust"') < html.index('id="overview"') < html.index('id="js"')
    assert 'id="trust"' not in render(build_page(empty, [one, two]))
