"""Measures compared with each other by their correlations with people, and systems on several measures together."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved, words_of

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.better import BetterResult, swaps_for
from adjudge.analyses.meta.better import better_measures as better_of_run
from adjudge.analyses.meta.cells import Cells, HumanCells, cells_of
from adjudge.analyses.meta.hotelling import HotellingResult, hotelling, hotelling_all
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words.better import _lines
from adjudge.analyses.scores import scores_of
from adjudge.analyses.slices.slicing import RowTexts
from adjudge.core.errors import DataError, UsageError
from adjudge.core.table import as_json
from adjudge.data.scores import MeasureInfo
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import correlations
from adjudge.stats.measure_tests import permutation_measures


def cells(measures: FloatArray, people: FloatArray, kinds: str | None = None) -> Cells:
    """Measures m0, m1 ... and the human measure overall."""
    _, topics, systems = measures.shape
    return Cells(
        name="made",
        topics=tuple(f"t{k}" for k in range(topics)),
        row_texts=tuple(RowTexts(f"t{k}") for k in range(topics)),
        clusters=None,
        systems=tuple(f"s{k}" for k in range(systems)),
        kinds=tuple({"h": "human", "m": "machine"}[k] for k in kinds or "m" * systems),
        measures=tuple(
            MeasureInfo(f"m{k}", better="higher", title=f"Measure {k}") for k in range(len(measures))
        ),
        automatic=measures,
        humans=(
            HumanCells(
                info=MeasureInfo("overall", better="higher"),
                values=people,
                assessors=(),
                by_assessor=people[None],
            ),
        ),
    )


def planted(topics: int = 30, systems: int = 9, seed: int = 1) -> Cells:
    """Two measures close to people, and a third that is noise."""
    rng = np.random.default_rng(seed)
    people = rng.normal(size=systems) + rng.normal(size=(topics, systems))
    noise = rng.normal(size=(3, topics, systems))
    close = people + 0.3 * noise[:2]
    return cells(np.concatenate([noise[2:], close]), people)


def better_measures(given: Cells, **options: Any) -> BetterResult:
    """At the system level, all systems, unless others are asked for."""
    return better_of_run(MetaRun(given, Meta(**{"levels": "system", "among": "all"} | options)))


def together(given: Cells, **options: Any) -> HotellingResult:
    return hotelling_all(MetaRun(given, Meta(among="all", **options)))


@pytest.fixture(scope="module")
def found() -> BetterResult:
    return better_measures(
        planted(), levels=("system", "input"), coefficients=("pearson", "kendall-b"), swap="systems"
    )


def test_the_numbers_are_those_of_the_tests(found: BetterResult) -> None:
    made = planted()
    [comparison] = [c for c in found.comparisons if (c.level, c.coefficient) == ("input", "kendall-b")]
    own = correlations(made.automatic, made.people[0], level="input", coefficient="kendall-b").values
    assert [place.value for place in comparison.places] == sorted(own, reverse=True)
    pairs = permutation_measures(
        made.automatic,
        made.people[0],
        level="input",
        coefficient="kendall-b",
        swap="systems",
        rng=np.random.default_rng(9),  # all swaps are taken: the generator does not matter
    )
    np.testing.assert_array_equal([each.p for each in comparison.pairs], pairs.p)
    assert comparison.exact


def test_measures_stand_in_order_with_their_groups(found: BetterResult) -> None:
    first = found.comparisons[1]
    assert (first.level, first.coefficient) == ("system", "kendall-b")
    by_input = found.comparisons[2]
    assert (by_input.level, by_input.coefficient) == ("input", "pearson")
    assert [place.measure.measure for place in by_input.places][-1] == "m0"
    assert [place.letters for place in by_input.places] == ["a", "a", "b"]
    assert [(place.best, place.worst) for place in by_input.places] == [(1, 2), (1, 2), (3, 3)]
    assert [each.conclusion for each in by_input.pairs] == ["differ", "differ", "not significantly different"]


def test_the_headline_names_level_coefficient_systems_topics_and_the_candidates(
    found: BetterResult, approved: Approved
) -> None:
    assert [each.conclusion for each in found.comparisons[2].pairs].count("differ") == 2
    approved(_lines(found.comparisons[2]))


def test_topics_at_several_lengths_are_counted_once(approved: Approved) -> None:
    made = planted(topics=12)
    rows = tuple(RowTexts(f"t{k % 5}") for k in range(12))
    (found,) = better_measures(
        replace(made, row_texts=rows), levels=["input"], coefficients=["pearson"], resamples=50
    ).comparisons
    assert (found.topics, found.distinct) == (12, 5)
    approved(_lines(found))


def test_tables_name_their_level_and_coefficient(found: BetterResult) -> None:
    for pairs in list(found.tables())[1::2]:
        headings = [column.title for column in pairs.columns if column.show != "never"]
        assert len(set(headings)) == len(headings)
        assert [heading.split(": ")[1] for heading in headings[2:4]] == [headings[2].split(": ")[1]] * 2
    for table, comparison in zip(
        found.tables(), [c for c in found.comparisons for _ in range(2)], strict=True
    ):
        assert f"at the {comparison.level} level" in table.title
    names = [table.name for table in found.tables()]
    assert len(set(names)) == len(names)


def test_frame_and_json_have_every_pair(found: BetterResult) -> None:
    frame = found.to_frame()
    assert len(frame) == 2 * 2 * 3
    assert {"a", "b", "human", "level", "coefficient", "p", "corrected_p", "conclusion"} <= set(frame.columns)
    data = json.loads(as_json(found.as_dict()))
    assert len(data["comparisons"]) == 4
    assert data["tables"]["better"][0]["smallest_p"] == 2 / 512
    assert "Measure 1" in repr(found)
    assert found.to_latex().count(r"\begin{tabular}") == 8


def test_five_systems_can_find_nothing_and_say_so(approved: Approved) -> None:
    few = better_measures(planted(systems=5))
    [comparison] = few.comparisons
    assert {each.conclusion for each in comparison.pairs} == {"could not have been found"}
    assert comparison.pairs[0].p >= 2 / 2**5
    approved(words_of(few))


def test_random_swaps_are_signed_by_their_seed(approved: Approved) -> None:
    made = planted(topics=12, systems=8)
    a, b, c = (better_measures(made, swap="both", seed=seed).comparisons[0] for seed in (0, 0, 1))
    assert "swaps:10000" in a.signature
    assert "swaps:all|" in better_measures(made).comparisons[0].signature
    assert "seed:0" in a.signature
    assert [p.p for p in a.pairs] == [p.p for p in b.pairs] != [p.p for p in c.pairs]
    approved(_lines(a))


def test_missing_cells_and_blank_measures_are_said(approved: Approved) -> None:
    made = planted(topics=6, systems=5)
    holed = made.automatic.copy()
    holed[1, 0, 0] = np.nan
    holed[2] = 7.0
    found = better_measures(cells(holed, made.people[0]), levels=("global",))
    [comparison] = found.comparisons
    assert [each.cells for each in comparison.pairs] == [29, 30, 29]
    assert [each.conclusion for each in comparison.pairs][1:] == ["not tested", "not tested"]
    codes = [note.code for note in found.notes()]
    assert codes == ["pairs-not-tested", "no-correlation", "summaries-in-common"]
    approved(words_of(found))
    assert comparison.places[-1].measure.measure == "m2"
    larger = planted(systems=9)
    blank = better_measures(cells(np.concatenate([larger.automatic, 0 * larger.people]), larger.people[0]))
    approved(blank.headline(), "blank")
    last = comparison.places[-1]
    assert (last.letters, last.best, last.worst) == ("", None, None)
    assert max(place.worst or 0 for place in comparison.places) == 2


def test_topics_that_nobody_judged_have_a_column_and_no_say_in_the_order(approved: Approved) -> None:
    made = planted(topics=8, systems=6)
    people = made.people[0].copy()
    people[5:] = np.nan
    automatic = made.automatic.copy()
    automatic[2, 5:] *= -50  # by all its topics the last one is the worst
    found = better_measures(replace(cells(automatic, people), all_topics=True))
    [comparison] = found.comparisons
    values = {place.measure.measure: (place.value, place.all_topics) for place in comparison.places}
    judged = made.people[0][:5].mean(axis=0)
    for k in range(3):
        own = [np.corrcoef(automatic[k, :end].mean(axis=0), judged)[0, 1] for end in (5, 8)]
        np.testing.assert_allclose(values[f"m{k}"], own)
    shown = [place.value for place in comparison.places]
    assert shown == sorted(shown, reverse=True)
    over_all = [place.all_topics for place in comparison.places]
    assert over_all != sorted(over_all, reverse=True)
    for pair in comparison.pairs:  # the order is that of what was tested
        np.testing.assert_allclose(
            (pair.value_a, pair.value_b), (values[pair.a.measure][0], values[pair.b.measure][0])
        )
    assert {pair.cells for pair in comparison.pairs} == {30}
    assert comparison.topics == 5
    assert found.notes_of("ordered-by-judged-topics")
    approved(found.warnings())
    headings = [column.title for column in next(comparison.tables()).columns]
    assert "Pearson, all topics" in headings
    assert "all_topics" in next(comparison.tables()).to_csv()


def test_a_pair_that_was_not_tested_is_named_and_says_nothing(approved: Approved) -> None:
    """People's own scores and the same turned round: Williams' t is 0/0."""
    made = planted(systems=12)
    people = made.people[0]
    found = better_measures(
        cells(np.stack([people, -people, made.automatic[1]]), people), measure_test="williams"
    )
    [comparison] = found.comparisons
    assert [each.conclusion for each in comparison.pairs].count("not tested") == 1
    approved(words_of(found))
    letters = {place.measure.measure: set(place.letters) for place in comparison.places}
    assert not letters["m0"] & letters["m1"]  # the third is significantly between them
    assert "not tested" not in next(comparison.tables()).title
    both = better_measures(cells(np.stack([people, -people]), people), measure_test="williams")
    [two] = both.comparisons
    assert [each.conclusion for each in two.pairs] == ["not tested"]
    approved([*words_of(both), next(two.tables()).title], "two")


def test_a_measure_out_of_reach_is_said_to_be_so(approved: Approved) -> None:
    """Few systems in common with a measure: no difference of it could have been found, however bad it is."""
    made = planted(systems=12)
    automatic = np.concatenate([made.automatic, -made.people])
    automatic[3, :, 4:] = np.nan
    [comparison] = better_measures(cells(automatic, made.people[0])).comparisons
    assert {each.conclusion for each in comparison.pairs if "m3" in (each.a.measure, each.b.measure)} == {
        "could not have been found"
    }
    approved(_lines(comparison))


def test_very_small_p_are_never_0() -> None:
    rng = np.random.default_rng(1)
    people = rng.normal(size=(200, 50))
    noise = 0.01 * rng.normal(size=(2, 200, 50))
    found = better_measures(
        cells(np.stack([people, -people]) + noise, people), levels=("global",), measure_test="williams"
    )
    [pair] = found.comparisons[0].pairs
    assert 0 < pair.p <= 1e-300
    assert "< .0001" in found.all_tables[1].to_text()
    assert "<1e-300" not in list(found.tables())[1].to_csv()
    [record] = json.loads(as_json(found.as_dict()))["tables"]["better"]
    assert record["p"] > 0
    assert record["smallest_p"] > 0


@pytest.mark.filterwarnings("error")
def test_very_large_scores() -> None:
    made = planted()
    plain, large = (
        better_measures(cells(made.automatic * factor, made.people[0]), levels=("system", "input"))
        for factor in (1.0, 1e300)
    )
    for one, other in zip(plain.comparisons, large.comparisons, strict=True):
        assert [each.p for each in one.pairs] == pytest.approx([each.p for each in other.pairs])
        assert list(_lines(one)) == list(_lines(other))


def test_systems_can_be_chosen(approved: Approved) -> None:
    made = planted(systems=9)
    mixed = cells(made.automatic, made.people[0], kinds="hhmmmmmmm")
    found = better_measures(mixed, among=("machines", "all"))
    assert [c.systems for c in found.comparisons] == [7, 9]
    approved(line for compared in found.comparisons for line in _lines(compared))


def test_williams_test_says_what_it_supposes(approved: Approved) -> None:
    made = planted()
    found = better_measures(
        made, levels=("system", "global"), coefficients=("spearman",), measure_test="williams"
    )
    approved(words_of(found))
    assert "seed" not in found.comparisons[0].signature
    with pytest.raises(UsageError, match="one for every topic"):
        better_measures(made, levels=("input",), measure_test="williams")


def test_one_measure_has_nothing_to_be_compared_with() -> None:
    made = planted()
    with pytest.raises(DataError, match="Measure 0, and none to compare it with"):
        better_measures(cells(made.automatic[:1], made.people[0]))


def test_more_pairs_have_more_swaps() -> None:
    assert swaps_for(3, Meta()) == 10_000
    assert swaps_for(300, Meta()) == 60_000
    assert swaps_for(300, Meta(correct="none")) == 10_000
    assert swaps_for(100_000, Meta()) == 100_000
    assert swaps_for(100_000, Meta(resamples=50)) == 50


# Hotelling's T-squared


def long_table(values: FloatArray) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (f"m{m}", f"t{t}", f"s{s}", values[m, t, s])
            for m, t, s in np.ndindex(values.shape)
            if not np.isnan(values[m, t, s])
        ],
        columns=["measure", "topic", "system", "value"],
    )


def test_two_systems_on_several_measures(approved: Approved) -> None:
    made = planted(topics=12)
    moved = made.automatic.copy()
    moved[:2, :, 1] = moved[:2, :, 0] + [[1.0], [-1.0]] + 0.5 * np.random.default_rng(0).normal(size=(2, 12))
    found = hotelling(long_table(moved), ("m0", "m1"), systems=("s0", "s1"))
    [pair] = found.pairs
    assert pair.conclusion == pair.conclusion_flips == "differ"
    approved(words_of(found))
    of_run = together(cells(moved[:2], made.people[0])).pairs[0]
    assert (of_run.a, of_run.b) == ("s0", "s1")
    assert of_run.test.t2 == pytest.approx(pair.test.t2)


def test_all_pairs_are_corrected_together(approved: Approved) -> None:
    found = together(planted(systems=4), correct="bonferroni")
    assert len(found.pairs) == 6
    np.testing.assert_allclose(
        [each.corrected_p for each in found.pairs], np.minimum(1, [6 * each.test.p for each in found.pairs])
    )
    differ = sum(each.conclusion == "differ" for each in found.pairs)
    assert differ == 3
    approved(found.headline())
    assert len(found.to_frame()) == 6
    assert {"difference_m0", "t2", "corrected_p", "p_flips"} <= set(found.to_frame().columns)
    json.loads(as_json(found.as_dict()))


def test_topics_that_lack_a_score_and_too_few_topics_are_said(approved: Approved) -> None:
    made = planted(topics=4, systems=3)
    holed = made.automatic.copy()
    holed[0, 0, 0] = np.nan
    found = together(cells(holed, made.people[0]))
    assert [each.conclusion for each in found.pairs] == [
        "not tested",
        "not tested",
        "not significantly different",
    ]
    assert [(note.code, note.data.get("n")) for note in found.notes()] == [
        ("pairs-not-tested", 2),
        ("topics-left-out", None),
    ]
    approved(words_of(found))
    assert found.pairs[2].conclusion_flips == "could not have been found"


def test_what_hotelling_cannot_compare_is_refused() -> None:
    scores = long_table(planted().automatic)
    with pytest.raises(UsageError, match='no scores of "m9"'):
        hotelling(scores, ("m0", "m9"))
    with pytest.raises(UsageError, match="takes several measures"):
        hotelling(scores, "m0")
    with pytest.raises(UsageError, match='no system "s99"'):
        hotelling(scores, systems=("s0", "s99"))


def test_lower_is_better_only_turns_the_differences() -> None:
    values = planted(topics=8, systems=2).automatic
    scores = scores_of(long_table(values))
    plain = hotelling(scores)
    scores.table.info["m0"] = MeasureInfo("m0", better="lower")
    turned = hotelling(scores)
    assert turned.pairs[0].test.t2 == pytest.approx(plain.pairs[0].test.t2)
    assert turned.pairs[0].test.differences[0] == -plain.pairs[0].test.differences[0]


def test_cells_of_a_table_will_do() -> None:
    made = planted(topics=5, systems=5)
    frame = long_table(np.concatenate([made.automatic, made.people]))
    frame["measure"] = frame["measure"].replace("m3", "overall")
    found = better_measures(cells_of(scores_of(frame), "overall"))
    assert found.comparisons[0].human.measure == "overall"
    assert len(found.comparisons[0].pairs) == 3
