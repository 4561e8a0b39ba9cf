"""What an evaluation holds."""

from __future__ import annotations

from dataclasses import replace

from adjudge.analyses.pages.parts import Fact
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic
from adjudge.reports.page import facts_of


def test_a_whole_evaluation(news: Collection) -> None:
    assert facts_of(news) == (
        Fact("Topics", "2"),
        Fact("Systems", "3", "1 machine, 1 baseline and 1 human"),
        Fact("Summaries", "6", "100 words"),
        Fact("Documents", "3", "1 to 2 per topic"),
        Fact("References", "4", "2 per topic"),
    )


def test_nothing_is_said_of_what_is_not_there(empty: Collection) -> None:
    assert facts_of(empty) == ()


def test_references_are_counted_at_each_length() -> None:
    summaries = [Summary("t", "ada", "x", length, ("peer", "reference")) for length in (50, 100)]
    summaries += [Summary("t", "ben", "x", 50, ("reference",))]
    collection = Collection(Settings("x"), {"t": Topic("t"), "u": Topic("u")}, {}, {}, {"t": summaries})
    facts = {fact.name: fact for fact in facts_of(_with_humans(collection))}
    assert facts["References"] == Fact("References", "3", "0 to 2 per topic and length")
    assert facts["Summaries"] == Fact("Summaries", "2", "50 and 100 words")


def test_an_unset_length_is_named() -> None:
    summaries = [Summary("t", "ada", "x")]
    collection = _with_humans(Collection(Settings("x"), {"t": Topic("t")}, {}, {}, {"t": summaries}))
    assert Fact("Summaries", "1", "no target length") in facts_of(collection)


def _with_humans(collection: Collection) -> Collection:
    who = {s.system for s in collection.all_summaries()}
    return replace(collection, systems={name: System(name, kind="human") for name in sorted(who)})
