"""Where the noise comes from: the parts against mean squares, in words, and what cannot be told."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved, words_of

from adjudge.analyses.plan.noise import NoiseSources, noise_sources
from adjudge.analyses.plan.noise_words import LEFT, MEANINGS, meaning
from adjudge.core.errors import DataError

SD = {"system": 1.2, "topic": 0.8, "assessor": 1.0, "system:topic": 0.7, "assessor:system": 0.3}
SD |= {"assessor:topic": 0.5, "left": 0.6}


def judged(
    systems: int = 4, assessors: int = 3, topics: int = 12, repeats: int = 1, seed: int = 7
) -> pd.DataFrame:
    """A normal score for every judgment."""
    rng = np.random.default_rng(seed)
    s, a, t = range(systems), range(assessors), range(topics)
    likes = {
        name: SD[name] * rng.normal(size=(systems, assessors, topics)) for name in SD
    }  # each takes the axes that it has
    rows = [
        {
            "measure": "overall",
            "system": f"s{i}",
            "assessor": f"a{j}",
            "topic": f"t{k}",
            "repeat": n,
            "value": 3
            + likes["system"][i, 0, 0]
            + likes["topic"][0, 0, k]
            + likes["assessor"][0, j, 0]
            + likes["system:topic"][i, 0, k]
            + likes["assessor:system"][i, j, 0]
            + likes["assessor:topic"][0, j, k]
            + likes["left"][i, j, k]
            + 0.3 * rng.normal(),
        }
        for i, j, k, n in product(s, a, t, range(repeats))
    ]
    return pd.DataFrame(rows)


def terms(found: NoiseSources) -> list[tuple[str, ...]]:
    return [part.holds for part in found.parts]


def test_parts_are_named_in_plain_words(approved: Approved) -> None:
    found = noise_sources(judged())
    assert terms(found) == [
        ("system",),
        ("topic",),
        ("assessor",),
        ("system:topic",),
        ("assessor:system",),
        ("assessor:topic",),
        ("assessor:system:topic", "repeat"),
    ]
    assert sum(part.share for part in found.parts) == pytest.approx(1)
    assert all(part.low <= part.variance <= part.high for part in found.parts)
    assert meaning(found.parts[-1]) == LEFT
    assert found.left == found.parts[-1].variance
    assert math.isnan(found.variance("repeat"))
    assert found.complete
    said = list(found.sentences())
    largest = max(found.parts[1:], key=lambda part: part.variance)
    assert largest.name in said[0]
    approved(said)
    printed = found.table().to_text()
    for part in found.parts:
        assert meaning(part) in printed
    whole = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [part["variance"] for part in whole["parts"]] == [part.variance for part in found.parts]
    assert list(found.to_frame()["sd"]) == [part.sd for part in found.parts]


def test_the_parts_are_those_of_mean_squares() -> None:
    frame = judged()
    cube = frame.sort_values(["system", "assessor", "topic"])["value"].to_numpy().reshape(4, 3, 12)
    table = cube.mean(axis=2)
    both = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    found = noise_sources(frame)
    assert found.variance("system") == 0  # which moves no other part
    assert found.variance("assessor:system") == pytest.approx(
        (12 * np.sum(both**2) / (3 * 2) - found.left) / 12
    )


def test_the_order_of_rows_does_not_matter() -> None:
    frame = judged()
    one, other = noise_sources(frame), noise_sources(frame.sample(frac=1, random_state=1))
    assert one.as_dict() == other.as_dict()


def test_repeats_tell_what_an_assessor_makes_of_one_summary_from_chance() -> None:
    found = noise_sources(judged(repeats=2))
    assert terms(found)[-2:] == [("assessor:system:topic",), ("repeat",)]
    assert found.variance("repeat") == pytest.approx(0.09, rel=0.3)
    assert found.left == found.variance("assessor:system:topic") + found.variance("repeat")
    assert math.isfinite(found.left)
    assert meaning(found.parts[-1]) == MEANINGS["repeat"]
    assert (found.rows, found.cells) == (288, 144)
    assert found.complete


def test_missing_judgments_leave_no_intervals_and_say_so(approved: Approved) -> None:
    frame = judged(topics=20).sample(frac=0.7, random_state=3)
    found = noise_sources(frame)
    assert not found.complete
    assert not found.balanced
    assert all(math.isnan(part.low) for part in found.parts)
    approved(words_of(found))
    assert "interval" not in found.table().to_text()
    json.dumps(found.as_dict(), allow_nan=False)


def test_what_is_mixed_is_said_by_name(approved: Approved) -> None:
    frame = judged(assessors=4)
    own = frame[frame["assessor"].str[1:].astype(int) == frame["topic"].str[1:].astype(int) % 4]
    found = noise_sources(own)  # one assessor a topic
    assert ("topic", "assessor:topic") in terms(found)
    assert ("system:topic", "assessor:system:topic", "repeat") in terms(found)
    approved(found.sentences())
    assert math.isnan(found.left)
    assert math.isnan(found.variance("system:topic"))
    assert found.variance("assessor:system") >= 0


@pytest.mark.parametrize(
    "chosen",
    [{"assessor": ["a0"]}, {"topic": ["t0"]}, {"system": ["s0"]}],
    ids=["assessor", "topic", "system"],
)
def test_one_of_a_kind_is_said(chosen: dict[str, list[str]], approved: Approved) -> None:
    ((name, kept),) = chosen.items()
    frame = judged()
    found = noise_sources(frame[frame[name].isin(kept)])
    approved(found.sentences())
    assert not any(name in part.term.split(":") for part in found.parts)
    assert (name == "system") != (("system",) in terms(found))


def test_scores_without_assessors_say_so(approved: Approved) -> None:
    frame = judged(assessors=1, repeats=3).drop(columns="assessor")
    found = noise_sources(frame)
    assert terms(found) == [("system",), ("topic",), ("system:topic",), ("judgment",)]
    approved(found.sentences())
    assert "assessor" not in " ".join(meaning(part) for part in found.parts)
    assert not found.complete


def test_constant_scores_have_no_noise(approved: Approved) -> None:
    found = noise_sources(judged().assign(value=3.0))
    assert found.parts == ()
    approved(found.headline())
    with pytest.raises(DataError, match="every score is missing"):
        noise_sources(judged().assign(value=math.nan))


def test_some_systems_alone() -> None:
    frame = judged()
    some = noise_sources(frame, systems=["s0", "s2"])
    assert some.levels["system"] == 2
    assert some.as_dict() == noise_sources(frame[frame["system"].isin(["s0", "s2"])]).as_dict()
