"""What is drawn where nobody chose a measure or a length."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.running import called

from adjudge.analyses.catalogue.catalogue import CATALOGUE
from adjudge.analyses.catalogue.choice import choices, first_drawn, main_target
from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.scores import Scores, scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import Figure

LENGTHS = {50: 4, 100: 6}


def frame() -> pd.DataFrame:
    """Two measures at two lengths, of which the longer has more topics; one names assessors."""
    rows = [
        {
            "measure": measure,
            "topic": f"t{topic}",
            "system": system,
            "length": length,
            "form": "abstract",
            "assessor": who,
            "value": mean + 0.1 * math.sin(7 * topic + length + len(system)),
        }
        for measure, assessors in (("overlap", (None,)), ("rated", ("ann", "bob")))
        for who in assessors
        for length, topics in LENGTHS.items()
        for topic in range(topics)
        for system, mean in (("one", 0.2), ("three", 0.5), ("eleven", 0.9))
    ]
    return pd.DataFrame(rows)


def test_the_target_with_most_scores_is_taken_and_what_was_asked_for_stays() -> None:
    scores = scores_of(frame())
    assert main_target(scores, FigureOptions()) == (100, "abstract")
    assert main_target(scores, FigureOptions(length=50)) is None  # nothing is left to choose
    assert main_target(scores, FigureOptions(length="all")) is None
    tried = [(each.measures, each.length, each.form) for each in choices(scores, FigureOptions())]
    assert tried[:3] == [((), None, None), ((), 100, "abstract"), ((), None, "abstract")]
    assert tried[3] == (("rated",), None, None)
    assert (("overlap",), 100, "abstract") in tried
    asked = FigureOptions(measures=("overlap",), length=50)
    assert choices(scores, asked) == [asked]


def test_what_the_data_lacks_is_said_rather_than_which_option_is_wrong() -> None:
    def make(scores: Scores, options: FigureOptions) -> Figure:
        if options.length is None:
            raise UsageError("choose a length")
        raise DataError("nobody judged")

    scores = scores_of(frame())
    assert first_drawn(FigureSpec("f", "f.", make), scores, choices(scores, FigureOptions())) == (
        None,
        "nobody judged",
    )


def test_a_figure_of_one_target_has_the_main_one() -> None:
    seen: list[int | str | None] = []

    def make(scores: Scores, options: FigureOptions) -> Figure:
        seen.append(options.length)
        raise UsageError("no")

    scores = scores_of(frame())
    asked = choices(scores, FigureOptions())
    first_drawn(FigureSpec("f", "f.", make, one_target=True), scores, asked)
    assert seen[0] == 100
    assert None in seen
    for on_paper, first in ((True, 100), (False, None)):  # a sheet has no room for panels of all lengths
        seen.clear()
        first_drawn(FigureSpec("f", "f.", make, panels=True), scores, asked, on_paper=on_paper)
        assert seen[0] == first


def test_all_draws_what_a_file_of_scores_has_and_says_which_length(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "scores.csv", index=False)
    done = called(tmp_path, "figure", "all", "scores.csv", "-o", "figures")
    assert done.returncode == 0, done.stderr
    assert "of 100 words, abstract, which has most scores" in " ".join(done.stdout.split())
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert drawn >= {"league", "matrix", "forest", "heat", "topics", "length-means", "slices", "assessors"}
    assert "Traceback" not in done.stderr
    assert "choose one with" not in done.stderr
    assert {line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("note: ")} >= (
        set(CATALOGUE) - drawn
    )


@pytest.mark.parametrize(
    ("further", "why"),
    [
        (11, ""),
        (
            12,
            "13 measures make 78 pairs, and pairs of more than 12 measures are compared only when you ask:"
            " adjudge figure measure-groups",
        ),
    ],
)
def test_measures_are_compared_unasked_up_to_a_number_of_them(further: int, why: str) -> None:
    """Every two are tested, which of many takes long; by its name the figure is drawn all the same."""
    data = frame().query("length == 100")
    near = data[data["measure"] == "overlap"]
    others = [near.assign(measure=f"own-{k}", value=near["value"] + 0.01 * k) for k in range(further)]
    scores = scores_of(pd.concat([data, *others]))
    asked: list[FigureOptions] = []

    def make(scores: Scores, options: FigureOptions) -> Figure:
        asked.append(options)
        raise DataError("drawn")

    spec = replace(CATALOGUE["measure-groups"], make=make)  # the tests of every two take long
    assert first_drawn(spec, scores, choices(scores, FigureOptions())) == (None, why or "drawn")
    assert bool(asked) == (not why)
    with pytest.raises(DataError, match="drawn"):
        spec.drawn(scores, FigureOptions())
