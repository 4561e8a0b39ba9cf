"""Which measures made texts fool, and that nothing more is said than that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from adjudge import __version__
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.fooling import FoolingOutcome, FoolingResult
from adjudge.analyses.meta.fooling import fooling as fooling_with
from adjudge.analyses.meta.words.fooling import verdict_words
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.fooling import BIGRAM_LIST, DISTORTIONS, KIND_WORDS
from adjudge.data.rows import Document, Row, Summary, System
from adjudge.data.scores import MeasureInfo
from adjudge.evaluation import Evaluation

MEASURES = (
    "rouge-1-recall",
    "rouge-2-recall",
    "rouge-l-recall",
    "rouge-su4",
    "js",
    "nams",
    "rouge-2(stem=porter-155, refs=pooled)",
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    from adjudge.demo.build import build

    path = tmp_path_factory.mktemp("demo") / "e"
    build(path)
    e = Evaluation.open(path)
    e.baselines()
    return e


def fooling(
    collection: Collection, measures: str | Sequence[str], *, of: str, **options: Any
) -> FoolingResult:
    """Some measures checked with the summaries of a system, which people judge best."""
    names = [measures] if isinstance(measures, str) else measures
    cells = replace(rated(**{of: 5.0}), measures=tuple(map(MeasureInfo, names)))
    return fooling_with(collection, cells, Meta(**options))


def texts_of(result: FoolingResult) -> list[Summary]:
    """The made texts, each under the name of its kind."""
    return [replace(text, system=kind) for kind, (made, _) in result.made.items() for text in made]


def outcome_of(result: FoolingResult, measure: str, kind: str) -> FoolingOutcome:
    return next(o for o in result.outcomes if (o.measure, o.kind) == (measure, kind))


@pytest.fixture(scope="module")
def found(demo: Evaluation) -> FoolingResult:
    return fooling(demo.collection, MEASURES, of="fluent", seed=1)


def rated(**means: float) -> Cells:
    """People's mean ratings of systems."""
    rows: list[tuple[object, ...]] = [
        ("overall", "d01", system, "ann", value) for system, value in means.items()
    ]
    rows += [("rouge-1-recall", "d01", system, None, 0.5) for system in means]
    columns = ["measure", "topic", "system", "assessor", "value"]
    return cells_of(scores_of(pd.DataFrame(rows, columns=columns)), "overall")


# What the papers say, on the demo


def test_the_bigram_list_ranks_high_by_rouge_recall_and_low_by_other_measures(found: FoolingResult) -> None:
    placed = {m: outcome_of(found, m, BIGRAM_LIST) for m in MEASURES}
    assert {each.of for each in placed.values()} == {12}
    assert {m: each.place for m, each in placed.items()} == {
        "rouge-1-recall": 6,
        "rouge-2-recall": 3,
        "rouge-l-recall": 9,
        "rouge-su4": 4,
        "js": 3,
        "nams": 9,
        "rouge-2(stem=porter-155, refs=pooled)": 3,
    }
    assert found.headline() == (
        "A list of the sources' most frequent bigrams ranks 3 of 12 by ROUGE-2 recall, 9 of 12 by NAMS."
    )


def test_by_rouge_2_recall_the_list_is_above_both_human_writers(
    demo: Evaluation, found: FoolingResult
) -> None:
    demo.score("rouge-2-recall")
    means = demo.matrix("rouge-2-recall").to_frame().mean()
    assert outcome_of(found, "rouge-2-recall", BIGRAM_LIST).score > means[["ada", "ben"]].max()


def test_what_each_measure_sees(found: FoolingResult) -> None:
    verdicts = {m: [outcome_of(found, m, kind).verdict for kind in DISTORTIONS] for m in MEASURES}
    assert verdicts["rouge-1-recall"] == ["unseen", "unseen", "worse", "worse", "better", "better"]
    assert verdicts["js"] == ["unseen", "unseen", "worse", "worse", "better", "worse"]
    assert verdicts["nams"][:2] == ["worse", "unseen"]
    assert verdicts["rouge-2-recall"][0] == "worse"
    # a recall grows with the text, an F does not
    assert verdicts["rouge-2-recall"][4] == "better"
    assert verdicts["rouge-2(stem=porter-155, refs=pooled)"][4:] == ["worse", "worse"]


def test_an_order_that_a_measure_does_not_see_is_no_test_of_zeros(found: FoolingResult) -> None:
    unseen = outcome_of(found, "rouge-1-recall", "shuffled-words")
    assert (unseen.change, unseen.place) == (0.0, unseen.original_place)
    assert math.isnan(unseen.p)
    assert verdict_words(unseen) == "not seen"
    said = "ROUGE-1 recall, not seen: shuffled words and shuffled sentences;"
    assert any(each.startswith(said) for each in found.sentences())


# The numbers


def test_scores_places_and_intervals_equal_those_of_a_folder_with_the_texts(
    demo: Evaluation, found: FoolingResult, tmp_path: Path
) -> None:
    """The twin: the texts imported as systems, scored and tested by SciPy."""
    twin = Evaluation.init(tmp_path / "twin")
    c = demo.collection
    rows: list[Row] = [*c.systems.values(), *c.topics.values(), *c.all_summaries(), *texts_of(found)]
    rows += [d for some in c.documents.values() for d in some]
    twin.take(("test", row) for row in rows)
    twin.score(*MEASURES)
    real = [s for s in c.systems if any(s == p.system and p.is_peer for p in c.all_summaries())]
    for measure in MEASURES:
        frame = twin.matrix(measure).to_frame()
        sign = -1 if measure == "js" else 1
        for kind in KIND_WORDS:
            each = outcome_of(found, measure, kind)
            assert each.score == pytest.approx(frame[kind].mean(), rel=1e-12)
            means = sign * frame.mean()
            others = [s for s in real if kind == BIGRAM_LIST or s != "fluent"]
            assert each.place == 1 + sum(means[others] > means[kind] + 1e-12)
            if kind == BIGRAM_LIST:
                continue
            assert each.original_place == 1 + sum(means[others] > means["fluent"] + 1e-12)
            if each.verdict == "unseen":
                np.testing.assert_allclose(frame[kind], frame["fluent"], rtol=1e-12)
                continue
            test = ttest_rel(sign * frame[kind], sign * frame["fluent"])
            limits = test.confidence_interval(0.95)
            np.testing.assert_allclose([each.low, each.high, each.p], [*limits, test.pvalue], rtol=1e-9)
            expected = "not worse" if test.pvalue > 0.05 else "better" if test.statistic > 0 else "worse"
            assert each.verdict == expected
            assert (each.low > 0) == (expected == "better")
            assert (each.high < 0) == (expected == "worse")


def test_a_writer_is_not_compared_with_what_they_wrote(demo: Evaluation) -> None:
    """Ada wrote references too: her words in another order are scored as hers are, without her reference."""
    for measure in ("rouge-1-recall", "rouge-1-recall(refs=jackknife)"):
        result = outcome_of(fooling(demo.collection, measure, of="ada"), measure, "shuffled-words")
        assert result.verdict == "unseen"
        demo.score(measure)
        assert result.original == pytest.approx(demo.matrix(measure).to_frame()["ada"].mean(), rel=1e-12)


# Whose summaries


def test_the_machine_that_people_judge_best(demo: Evaluation) -> None:
    people = rated(vague=5.0, fluent=3.0, ada=7.0)
    result = fooling_with(demo.collection, people, Meta())
    assert (result.source, result.measures) == ("vague", ("rouge-1-recall",))
    assert result.judged == (2, "machine", "overall")


def test_a_system_that_nobody_judged(demo: Evaluation) -> None:
    with pytest.raises(DataError, match="nobody judged"):
        fooling(demo.collection, "rouge-1-recall", of="chloe")


# What cannot be checked


def test_measures_that_cannot_score_new_texts_are_named(demo: Evaluation) -> None:
    result = fooling(demo.collection, ["rouge-1-recall", "coverage", "expert:coherence"], of="fluent")
    assert result.measures == ("rouge-1-recall",)
    assert list(result.unchecked) == ["coverage", "expert:coherence"]
    assert "nobody has judged the made texts" in result.unchecked["coverage"]
    assert "imported scores" in result.unchecked["expert:coherence"]
    assert any(note.startswith("coverage is not checked:") for note in result.warnings())
    with pytest.raises(DataError, match=r"no measure can be checked .* coverage: "):
        fooling(demo.collection, ["coverage"], of="fluent")


def texts(*more: Row, length: int | None = None) -> list[Row]:
    """Three topics with a reference, two systems; the second has one sentence only."""
    rows: list[Row] = [System("ann", kind="human")]
    for k, thing in enumerate(("storm", "strike", "race"), 1):
        rows += [
            Summary(
                f"t{k}", "ann", f"The {thing} began on Monday. It ended on day {k}.", length, ("reference",)
            ),
            Summary(f"t{k}", "good", f"The {thing} began. It ended on {'very ' * k}late Monday.", length),
            Summary(f"t{k}", "short", f"A {thing} began in the {k} of Monday", length),
        ]
    return [*rows, *more]


def test_without_documents_the_rest_goes_on(make: Callable[..., Evaluation]) -> None:
    result = fooling(make(*texts()).collection, ["rouge-1-recall", "js"], of="good")
    kinds = [each.kind for each in result.outcomes]
    assert kinds == [kind for kind in DISTORTIONS if kind != "padded-source"]
    assert "needs documents" in result.unchecked["js"]
    assert "bigram-list is not made (the topic has no documents: 3)" in result.warnings()
    assert result.headline().startswith("ROUGE-1 recall, not seen")


def test_summaries_of_one_sentence_are_left_out_and_counted(make: Callable[..., Evaluation]) -> None:
    two = Summary("t4", "short", "A race began. Monday came.")
    e = make(*texts(two, Summary("t4", "ann", "A race began.", roles=("reference",))))
    result = fooling(e.collection, "rouge-1-recall", of="short")
    assert outcome_of(result, "rouge-1-recall", "repeated").topics == 1
    assert outcome_of(result, "rouge-1-recall", "repeated").verdict == "untested"
    assert (
        verdict_words(outcome_of(result, "rouge-1-recall", "repeated"))
        == "not tested: needs two topics that both have, has 1"
    )
    assert outcome_of(result, "rouge-1-recall", "truncated").topics == 4
    assert "repeated is missing for 3 texts (the summary has one sentence: 3)" in result.warnings()


def test_a_change_that_is_the_same_on_every_topic_is_told_and_not_tested(
    make: Callable[..., Evaluation],
) -> None:
    rows = [
        row
        for k in (1, 2, 3)
        for row in (
            Summary(f"t{k}", "ann", "One two three four.", roles=("reference",)),
            Summary(f"t{k}", "good", "One two. Three four."),
        )
    ]
    each = outcome_of(
        fooling(make(*rows).collection, "rouge-1-recall", of="good"), "rouge-1-recall", "truncated"
    )
    assert (each.change, each.verdict) == (-0.5, "untested")
    assert verdict_words(each) == "not tested: all 3 differences are the same, and t needs them to vary"


def test_a_real_system_may_be_called_as_a_kind_is(make: Callable[..., Evaluation]) -> None:
    clash = [Summary(f"t{k}", "truncated", "Monday began.") for k in (1, 2, 3)]
    plain = outcome_of(
        fooling(make(*texts()).collection, "rouge-1-recall", of="good"), "rouge-1-recall", "truncated"
    )
    named = fooling(make(*texts(*clash), name="n").collection, "rouge-1-recall", of="good")
    each = outcome_of(named, "rouge-1-recall", "truncated")
    assert (each.score, each.change, each.of) == (plain.score, plain.change, plain.of + 1)


# Lengths


def test_lengths_are_not_mixed(make: Callable[..., Evaluation]) -> None:
    e = make(*texts(length=10), *texts(length=20))
    with pytest.raises(UsageError, match="lengths"):
        fooling(e.collection, "rouge-1-recall", of="good")
    alone = fooling(make(*texts(length=10), name="one").collection, "rouge-1-recall", of="good")
    one = fooling(e.collection, "rouge-1-recall", of="good", length=10)
    assert [o.score for o in one.outcomes] == [o.score for o in alone.outcomes]
    assert {s.length for s in texts_of(one)} == {10}
    both = fooling(e.collection, "rouge-1-recall", of="good", length="all")
    assert {s.length for s in texts_of(both)} == {10, 20}
    assert {o.topics for o in both.outcomes} == {3}
    with pytest.raises(DataError, match="no such summary"):
        fooling(e.collection, "rouge-1-recall", of="good", length=30)


# The result


def test_nothing_is_written_and_the_same_comes_again(
    small: Evaluation, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    before = snapshot(small.path)
    ticks: list[tuple[int, int]] = []
    one = fooling(
        small.collection, "rouge-1-recall", of="good", progress=lambda done, of: ticks.append((done, of))
    )
    two = fooling(small.collection, "rouge-1-recall", of="good")
    assert snapshot(small.path) == before
    assert (one.made, one.as_dict()) == (two.made, two.as_dict())
    assert ticks[-1][0] == ticks[-1][1] > 6


def test_a_row_for_every_measure_and_kind(found: FoolingResult) -> None:
    frame = found.to_frame()
    assert len(frame) == len(MEASURES) * len(KIND_WORDS)
    columns = {"measure", "kind", "score", "change", "low", "high", "place", "of", "verdict"}
    assert columns <= set(frame.columns)
    assert found.headline() in repr(found)


def test_the_list_is_made_without_the_references(make: Callable[..., Evaluation]) -> None:
    documents = [Document(f"t{k}", "d", "The source began on Monday and it ended.") for k in (1, 2, 3)]

    def listed(rows: list[Row], name: str) -> list[str]:
        result = fooling(make(*rows, *documents, name=name).collection, "rouge-1-recall", of="good")
        return [s.text for s in result.made[BIGRAM_LIST][0]]

    other = [
        Summary(row.topic, row.system, "Quite another text.", row.length, row.roles)
        if isinstance(row, Summary) and row.is_reference
        else row
        for row in texts()
    ]
    assert listed(texts(), "a") == listed(other, "b")


@pytest.mark.shared_data
def test_on_summeval_padding_fools_recall_and_not_f(shared_data: Path, tmp_path: Path) -> None:
    """Short articles, one a topic: their frequent bigrams are no better than most systems, by recall either."""
    from adjudge.formats import summeval

    e = Evaluation.init(tmp_path / "e")
    e.take(summeval.read([shared_data / "summeval" / "model_annotations.12systems.jsonl"]))
    measures = ["rouge-1-recall", "rouge-2(stem=porter-155)", "js"]
    e.score(*measures)
    result = fooling_with(e.collection, cells_of(e.scores(), "expert:relevance", measures), Meta())
    assert result.source == "M23"
    assert {m: outcome_of(result, m, BIGRAM_LIST).place for m in result.measures} == dict(
        zip(result.measures, (10, 12, 5), strict=True)
    )
    verdicts = {m: [outcome_of(result, m, kind).verdict for kind in DISTORTIONS[4:]] for m in result.measures}
    assert list(verdicts.values()) == [["better", "better"], ["worse", "worse"], ["better", "worse"]]
    assert outcome_of(result, "rouge-1-recall", "repeated").topics == 98  # two summaries have one sentence


def test_sentences_tell_sizes(found: FoolingResult) -> None:
    for measure in found.measures:
        own = [each for each in found.outcomes if each.measure == measure and each.kind in DISTORTIONS]
        [said] = [each for each in found.sentences() if each.startswith(f"{own[0].title}, ")]
        for each in own:
            shown = f"{KIND_WORDS[each.kind]} ({each.change:+.4f})"
            assert (shown in said) == (each.verdict in ("better", "not worse", "worse")), (each, said)
    assert any(each.startswith("Distorted are the summaries of fluent") for each in found.sentences())
    assert all(line.endswith(f"|v:{__version__}") for line in found.signature.splitlines())
