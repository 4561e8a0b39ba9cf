"""How few topics decide who comes first: numbers of `compare` itself without them, words, table and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved

import adjudge
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.references import REFERENCES
from adjudge.stats.fewest import NEVER, NOT_FOUND, TOO_LARGE, Fewest

NAMES = ("M22", "M23", "M17")


def table(columns: Mapping[str, Any], **more: Any) -> pd.DataFrame:
    rows = [
        {"topic": f"d{k:02d}", "system": system, "m": value, **more}
        for system, values in columns.items()
        for k, value in enumerate(values, 1)
        if value is not None
    ]
    return pd.DataFrame(rows)


def without(frame: pd.DataFrame, c: Comparison) -> set[str]:
    """Who has rank 1 in `compare` of the same scores without the topics."""
    topics = set(c.to_frame("fewest")["topic"])
    assert topics
    left = adjudge.compare(frame[~frame["topic"].isin(topics)])
    return {s.system for s in left.standings if s.rank == 1}


@pytest.fixture
def complete() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    level = rng.normal(size=40)
    return table(
        {name: level + lead + rng.normal(size=40) for name, lead in zip(NAMES, (0.4, 0.3, 0.0), strict=True)}
    )


def test_without_the_topics_compare_ranks_another_first(complete: pd.DataFrame) -> None:
    c = adjudge.compare(complete)
    assert c.fewest is not None
    assert c.fewest.exact
    first = {s.system for s in c.standings if s.rank == 1}
    then = without(complete, c)
    assert then == {c.matrix.systems[k] for k in c.fewest.then}
    assert not first & then
    fact = c.as_dict()["fewest"]
    assert fact["fewest"] == len(fact["left_out"]) == len(c.to_frame("fewest"))
    assert (fact["of"], fact["what"], fact["exact"]) == (40, "topic", True)


def test_with_holes_too(complete: pd.DataFrame) -> None:
    holes = complete[np.random.default_rng(1).random(len(complete)) > 0.1]
    c = adjudge.compare(holes)
    assert c.ordering == "topics"
    fact = c.as_dict()["fewest"]
    assert without(holes, c) == set(fact["then"])
    assert all(key in REFERENCES for key in fact["cites"])
    assert bool(fact["cites"]) == (not fact["exact"])


def test_lower_is_better(complete: pd.DataFrame) -> None:
    turned = complete.assign(m=-complete["m"])
    c = adjudge.compare(turned, lower_is_better="m")
    assert (
        c.to_frame("fewest")["topic"].tolist()
        == adjudge.compare(complete).to_frame("fewest")["topic"].tolist()
    )


def test_means_adjusted_for_assessors_rank_without_the_topics_too() -> None:
    rng = np.random.default_rng(3)
    frames = []
    for k, assessor in enumerate(("ann", "ben", "cem")):
        scores = {
            name: lead + 0.4 * k + rng.normal(size=12)
            for name, lead in zip(NAMES, (0.5, 0.3, 0.0), strict=True)
        }
        frames.append(table(scores, assessor=assessor))
    frame = pd.concat(frames)
    frame = frame[rng.random(len(frame)) > 0.1]
    c = adjudge.compare(frame)
    assert (c.ordering, c.sampled) == ("assessors", True)
    assert without(frame, c) == set(c.as_dict()["fewest"]["then"])


def test_many_judgments_are_not_fitted_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.analyses.compare.fewest.QUICK", 10)
    rng = np.random.default_rng(3)
    frame = pd.concat(
        [table({name: rng.normal(size=12) for name in NAMES}, assessor=name) for name in ("ann", "ben")]
    )[1:]
    c = adjudge.compare(frame)
    assert c.sampled
    assert c.as_dict()["fewest"]["why"] == TOO_LARGE
    assert c.next_step is not None
    assert len(list(c.sentences())) == 3  # who differs, also by ranks, and the next step


def test_nothing_is_said_where_nobody_is_first(complete: pd.DataFrame) -> None:
    assert adjudge.compare(complete, against="M17").fewest is None
    assert adjudge.compare(complete, against="M17").as_dict()["fewest"] is None
    one = adjudge.compare(complete[complete["system"] == "M22"])
    assert len(list(one.sentences())) == 1
    single = adjudge.compare(complete[complete["topic"] == "d01"])
    assert single.as_dict()["fewest"]["why"] == "one-row"


def found(n: int, of: int, *, exact: bool = True, first: tuple[int, ...] = (0,), then: int = 1) -> Fewest:
    return Fewest(of=of, first=first, left_out=tuple(range(n)), then=(then,), exact=exact)


def test_what_is_said(approved: Approved) -> None:
    topics = [f"d{k:02d}" for k in range(1, 101)]
    cases = {
        "few, exact": found(3, 100),
        "few, at most": found(3, 100, exact=False),
        "one": found(1, 12),
        "few, too many to name": found(6, 200),
        "some, exact": found(12, 100),
        "some, named": found(2, 14),
        "some, at most": found(12, 100, exact=False),
        "many, exact": found(37, 100),
        "many, at most": found(37, 100, exact=False),
        "shared": found(1, 12, first=(0, 2)),
        "nobody is better anywhere": Fewest(of=12, first=(0,), why=NEVER),
        "none found": Fewest(of=12, first=(0,), why=NOT_FOUND),
    }
    for case, fewest in cases.items():
        approved(f"{case}: {fewest_words(fewest, NAMES, what='topic', labels=topics)}")
    votes = {"few": found(3, 1_200, exact=False), "many": found(444, 1_200, exact=False)}
    for case, fewest in votes.items():
        approved(f"{case} answers: {fewest_words(fewest, NAMES, what='answer')}")
    # Names that would fill a line are left to the table.
    approved(fewest_words(found(2, 100), NAMES, what="topic", labels=["topic" * 9, "title" * 9]))
    assert fewest_words(None, NAMES, what="topic") == ""
    everybody = Fewest(of=9, first=tuple(range(len(NAMES))), why=NEVER)
    assert fewest_words(everybody, NAMES, what="topic") == ""
    assert fewest_words(replace(everybody, first=(0,)), NAMES, what="topic") != ""
    assert fewest_words(Fewest(of=9, first=(), why=TOO_LARGE), NAMES, what="topic") == ""
