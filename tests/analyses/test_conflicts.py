"""Repeated judgments: planted conflicts come back exactly, the five resolutions equal what is worked by hand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved

from adjudge.analyses.gathered import Gathered, gather
from adjudge.analyses.stability import Stability
from adjudge.analyses.stability.conflicts import (
    RESOLUTIONS,
    RULES,
    JudgedAgain,
    Resolve,
    Scope,
    UnitJudgment,
    judged_again,
    majority,
    resolved,
    same_text,
)
from adjudge.analyses.stability.result import StabilityResult
from adjudge.analyses.stability.words import SCOPES
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic, Unit
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.pyramid import Contributor, Expressed, Part, PeerAnnotation, Pyramid, Reference, Scu
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.judged.coverage import Retention, Uncovered
from adjudge.stats.order import better_by_interval, count_rankings

LENGTH = 20
REFERENCE = TextRef("ref", LENGTH)
PROTOCOLS = {name: load_protocol(name) for name in ("duc-2002", "pyramid")}
Answer = tuple[Sequence[int], float]
"""The numbers of the marked sentences, and the completeness."""


@dataclass
class Made:
    """An evaluation made page by page: every page has its peer's sentences and an answer for every model unit."""

    units: int = 2
    task: str | None = "multi"
    pages: list[tuple[str, str, str, Mapping[int, Answer]]] = field(default_factory=list)
    texts: dict[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    repeats: dict[int, str] = field(default_factory=dict)

    def add(
        self, topic: str, system: str, sentences: Sequence[str], answers: Mapping[int, Answer], who: str = "x"
    ) -> None:
        self.texts[topic, system] = sentences
        self.pages.append((topic, system, who, answers))

    def gathered(self) -> Gathered:
        topics = dict.fromkeys(topic for topic, *_ in self.pages)
        summaries: dict[str, list[Summary]] = {topic: [] for topic in topics}
        units: dict[str, list[Unit]] = {topic: [] for topic in topics}
        for topic in topics:
            summaries[topic].append(Summary(topic, "ref", "A model.", LENGTH, ("reference",)))
            units[topic] += [
                Unit(topic, "ref", "edu", f"m{k}", k, k + 1, f"model {k}", LENGTH) for k in range(self.units)
            ]
        for (topic, system), sentences in self.texts.items():
            summaries[topic].append(Summary(topic, system, " ".join(sentences), LENGTH))
            units[topic] += [
                Unit(topic, system, "sentence", f"p{k}", k, k + 1, text, LENGTH)
                for k, text in enumerate(sentences)
            ]
        systems = {system: System(system) for _, system in self.texts}
        collection = Collection(
            Settings("e"), {t: Topic(t, task=self.task) for t in topics}, systems, {}, summaries, units
        )
        by_topic: dict[str, tuple[Judged, ...]] = {}
        for number, (topic, system, who, answers) in enumerate(self.pages):
            task = Task(
                f"t{number}",
                "e",
                who,
                "duc-2002",
                "1",
                topic,
                TextRef(system, LENGTH),
                REFERENCE,
                position=number,
                repeat_of=self.repeats.get(number),
            )
            given = {
                f"unit:m{unit}": {"marked": [f"p{k}" for k in marked], "completeness": share}
                for unit, (marked, share) in answers.items()
            }
            by_topic[topic] = (*by_topic.get(topic, ()), judged(task, given))
        return gather(collection, Judgments(by_topic, protocols=PROTOCOLS))


def judged(task: Task, answers: Mapping[str, Any]) -> Judged:
    events = {q: Event(f"{task.id}-{q}", "e", task.id, task.assessor, q, a) for q, a in answers.items()}
    return Judged(task, events)


def kind(found: Gathered, name: str) -> JudgedAgain:
    return next(each for each in judged_again(found) if each.kind == name)


def counts(again: JudgedAgain, scope: Scope = "all") -> tuple[int, int, int, int]:
    """Judgments, those repeated, those with different answers, those with three or more."""
    found = again.recurrences(scope).values()
    return (
        len(found),
        sum(each.repeated for each in found),
        sum(each.answers > 1 for each in found),
        sum(each.answers > 2 for each in found),
    )


def shown(found: Gathered, resolve: Resolve = "one-assessor") -> StabilityResult:
    """The result as a user gets it, of judgments alone."""
    again = judged_again(found)
    return StabilityResult(
        asked=Stability(resolve=resolve),
        name="e",
        again=tuple(again),
        resolutions=tuple(resolved(found, resolve)) if again and again[0].kind == "completeness" else (),
    )


# Planted, and none


@dataclass(frozen=True)
class Planted:
    """A sentence that several systems share; of one model unit, who marks it and how complete it is then."""

    unit: int
    answers: tuple[float | None, ...]
    """A completeness where the sentence is marked, None where it is not; one for every system that has it."""


@st.composite
def plants(draw: st.DrawFn) -> list[list[Planted]]:
    """Of every topic, what is planted there: one thing for each model unit at the most."""
    topics = []
    for _ in range(draw(st.integers(1, 3))):
        chosen = draw(st.sets(st.integers(0, 2), max_size=3))
        shares = st.sampled_from([None, 0.2, 0.4, 0.6, 1.0])
        topics.append(
            [Planted(unit, tuple(draw(st.lists(shares, min_size=2, max_size=5)))) for unit in sorted(chosen)]
        )
    return topics


def planted(topics: Sequence[Sequence[Planted]]) -> Made:
    """Five systems with sentences of their own, and the planted ones among them, in other letters and spaces."""
    made = Made(units=3)
    for t, things in enumerate(topics):
        for s in range(5):
            sentences = [f"Own sentence {t} of system {s}."]
            answers: dict[int, Answer] = dict.fromkeys(range(3), ((0,), 0.8))
            for thing in things:
                if s < len(thing.answers):
                    text = f"Shared by many {t} {thing.unit}."
                    sentences.append(text.upper() if s % 2 else text.replace(" ", "  "))
                    share = thing.answers[s]
                    answers[thing.unit] = ((len(sentences) - 1,), share) if share is not None else ((), 0.0)
            made.add(f"t{t}", f"s{s}", sentences, answers)
    return made


@given(plants())
def test_planted_conflicts_come_back_exactly(topics: list[list[Planted]]) -> None:
    gathered = planted(topics).gathered()
    total = len(topics) * 5 * 3
    repeated = different = three = units = 0
    sentence_units = sentence_conflicts = sentence_judgments = 0
    for things in topics:
        for thing in things:
            marked = [each for each in thing.answers if each is not None]
            if len(marked) > 1:
                units += 1
                repeated += len(marked)
                different += len(marked) if len(set(marked)) > 1 else 0
                three += len(marked) if len(set(marked)) > 2 else 0
            sentence_units += 3  # the sentence is there, marked or not, for all three model units
            if 0 < len(marked) < len(thing.answers):
                sentence_conflicts += 1
                sentence_judgments += len(thing.answers)
    own = kind(gathered, "completeness")
    assert counts(own) == (total, repeated, different, three)
    assert counts(own, "within") == counts(own)
    assert counts(own, "between") == (total, 0, 0, 0)
    assert len(own.keys) == units
    marking = kind(gathered, "marking")
    assert len(marking.keys) == sentence_units
    assert (
        sum(len({answer for _, answer in each}) > 1 for each in marking.keys.values()) == sentence_conflicts
    )
    assert counts(marking)[2] == sentence_judgments
    row = shown(gathered).table("conflicts").row(what="same marks, different completeness", scope="all")
    assert [row[name] for name in ("judgments", "repeated", "different", "units")] == [
        total,
        repeated,
        different,
        units,
    ]
    assert row["share"] == different / total


@pytest.mark.parametrize(("topics", "systems"), [(1, 2), (2, 5), (4, 3)])
def test_a_set_without_repeats_reports_none(topics: int, systems: int, approved: Approved) -> None:
    made = Made()
    for t in range(topics):
        for s in range(systems):
            made.add(f"t{t}", f"s{s}", [f"Sentence {s} of {t}."], {0: ((0,), 0.2 * s), 1: ((), 0.0)})
    found = shown(made.gathered())
    for each in found.again:
        assert each.keys == {}
        assert counts(each) == (2 * topics * systems, 0, 0, 0)
    approved(found.headline(), f"{topics} topics, {systems} systems")
    assert "different-answers" not in [table.name for table in found.all_tables]


def test_repeated_alike_is_no_conflict(approved: Approved) -> None:
    made = Made(units=1)
    for system in "abc":
        made.add("t", system, ["The same."], {0: ((0,), 0.6)})
    found = shown(made.gathered())
    assert counts(found.again[0]) == (3, 3, 0, 0)
    approved(found.headline())


# Against the definition, pair by pair

Raw = list[tuple[str, str, str, int, frozenset[str], float]]
"""Topic, system, assessor, model unit, the marked texts, completeness."""


@st.composite
def crowded(draw: st.DrawFn) -> Made:
    """Pages of three assessors, one of them nobody, with sentences of which there are few."""
    made = Made(units=2)
    for topic in ("t1", "t2"):
        for system in ("a", "b", "c"):
            sentences = draw(st.lists(st.sampled_from(["One.", "Two.", "Three."]), min_size=1, max_size=3))
            for who in ("x", "y", "anonymous"):
                answers: dict[int, Answer] = {}
                for unit in range(2):
                    marked = sorted(draw(st.sets(st.integers(0, len(sentences) - 1))))
                    answers[unit] = (marked, draw(st.sampled_from([0.2, 0.6, 1.0])))
                made.add(topic, system, sentences, answers, who)
    return made


def compared(scope: Scope, a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    elsewhere, same, named = a[1] != b[1], a[2] == b[2], "anonymous" not in (a[2], b[2])
    rules: dict[Scope, bool] = {
        "all": True,
        "summaries": elsewhere,
        "within": named and same,
        "across": named and not same and elsewhere,
        "one": named and not same and not elsewhere,
        "between": named and not same,
    }
    return rules[scope]


def plain_counts(made: Made, scope: Scope) -> tuple[int, int, int]:
    """Repeated judgments, those that differ, and units judged again, from every pair of judgments."""
    raw: Raw = [
        (topic, system, who, unit, frozenset(made.texts[topic, system][k] for k in marked), share)
        for topic, system, who, answers in made.pages
        for unit, (marked, share) in answers.items()
    ]
    repeated, differ = set(), set()
    for i, j in combinations(range(len(raw)), 2):
        a, b = raw[i], raw[j]
        if (a[0], a[3], a[4]) != (b[0], b[3], b[4]) or not a[4]:
            continue
        if compared(scope, a, b):
            repeated |= {i, j}
    for i in repeated:
        a = raw[i]
        same = [
            b
            for j, b in enumerate(raw)
            if j != i and (a[0], a[3], a[4]) == (b[0], b[3], b[4]) and compared(scope, a, b)
        ]
        if len({a[5], *(b[5] for b in same)}) > 1:
            differ.add(i)
    return len(repeated), len(differ), len({(raw[i][0], raw[i][3], raw[i][4]) for i in repeated})


@given(crowded())
def test_counts_equal_the_definition(made: Made) -> None:
    gathered = made.gathered()
    own = kind(gathered, "completeness")
    table = shown(gathered).table("conflicts")
    for scope, words in SCOPES.items():
        repeated, differ, units = plain_counts(made, scope)
        assert counts(own, scope)[1:3] == (repeated, differ)
        row = table.row(what="same marks, different completeness", scope=words)
        assert (row["repeated"], row["different"], row["units"]) == (repeated, differ, units)


def test_sentences_of_one_summary_are_no_conflict_of_marking() -> None:
    """Two assessors who mark one summary differently disagree; the sentence stands nowhere else."""
    made = Made(units=1)
    made.add("t", "a", ["The same."], {0: ((0,), 0.6)}, "x")
    made.add("t", "a", ["The same."], {0: ((), 0.0)}, "y")
    assert kind(made.gathered(), "marking").keys == {}
    made.add("t", "b", ["the same. "], {0: ((), 0.0)}, "x")
    again = kind(made.gathered(), "marking")
    assert len(again.keys) == 1
    assert counts(again) == (3, 3, 3, 0)
    assert counts(again, "within") == (3, 2, 2, 0)
    assert counts(again, "between") == (3, 2, 0, 0)  # y's answer on a, and x's on b, are alike


def test_planted_repeats_do_not_count() -> None:
    made = Made(units=1)
    made.add("t", "a", ["The same."], {0: ((0,), 0.6)})
    made.add("t", "a", ["The same."], {0: ((0,), 1.0)})
    made.repeats[1] = "t0"
    assert counts(kind(made.gathered(), "completeness")) == (1, 0, 0, 0)


def test_lengths_topics_and_protocols_stay_apart_and_unknown_texts_are_counted(approved: Approved) -> None:
    made = Made(units=1)
    made.add("t1", "a", ["The same."], {0: ((0,), 0.6)})
    made.add("t2", "a", ["The same."], {0: ((0,), 1.0)})
    made.add("t1", "b", ["Other."], {0: ((7,), 1.0)})  # a unit that is not there
    made.add("t2", "b", ["Other."], {0: ((), 0.0)})
    own = kind(made.gathered(), "completeness")
    assert (own.keys, own.unknown, own.unmarked) == ({}, 1, 1)
    notes = shown(made.gathered()).only(["conflicts"])
    assert [(note.code, note.data) for note in notes.notes() if "conflicts" in note.tables] == [
        ("marked-nothing", {"n": 1}),
        ("unknown-texts", {"n": 1}),
    ]
    approved(notes.warnings())


def test_texts_are_the_same_but_for_case_space_and_form() -> None:
    assert same_text("A  storm\nCAME.") == same_text("a storm came.")
    assert same_text("ﬁve") == same_text("five")
    assert same_text("a storm came.") != same_text("a storm came")


# The paper's numbers


@pytest.mark.parametrize(
    ("total", "different", "three", "shares"),
    [(5921, 1076, 143, ("18.2%", "2.4%")), (6963, 528, 27, ("7.6%", "0.4%"))],
)
def test_shares_are_of_all_judgments_as_in_the_paper(
    total: int, different: int, three: int, shares: tuple[str, str], approved: Approved
) -> None:
    """Lin and Hovy 2002, section 4: 1,076 of 5,921 (18 %) and 143 (2.4 %); 528 of 6,963 (7.6 %) and 27 (0.4 %)."""
    judgments: dict[Hashable, UnitJudgment] = {
        k: UnitJudgment("duc-2001", "single", "x", TextRef(f"s{k}")) for k in range(total)
    }
    keys: dict[tuple[Hashable, ...], tuple[tuple[Hashable, Hashable], ...]] = {}
    at = 0
    for number, answers in ((three, (0.25, 0.5, 1.0)), (different - three, (0.25, 0.5))):
        left = number
        while left:
            size = left if left < 2 * len(answers) else len(answers)
            ids = range(at, at + size)
            keys[len(keys),] = tuple((id, answers[k % len(answers)]) for k, id in enumerate(ids))
            at, left = at + size, left - size
    again = JudgedAgain("completeness", judgments, keys)
    assert counts(again) == (total, different, different, three)
    found = StabilityResult(name="duc", again=(again,))
    approved(found.about("conflicts"))
    table = found.table("different-answers")
    for scope in ("different summaries", "all"):
        assert table.row(answers=3, scope=scope)["judgments"] == three
        assert table.row(answers=3, scope=scope)["share"] == three / total
        own = [row["judgments"] for row in table.records() if row["scope"] == scope]
        assert sum(own) == different  # type: ignore[arg-type]


# The resolutions, by hand
#
#   model unit   a               b              c
#   m0           "S." 100 %      "S." 60 %      "S." 60 %      the same judged three times
#   m1           own  100 %      -              -
#
# ORIGINAL a = (1 + 1)/2, b = c = .6/2; MIN and MAJORITY make m0 .6, MAX 1, AVERAGE 2.2/3.


def by_hand() -> Made:
    made = Made(task="single")
    made.add("t", "a", ["S.", "Own."], {0: ((0,), 1.0), 1: ((1,), 1.0)})
    made.add("t", "b", ["S."], {0: ((0,), 0.6), 1: ((), 0.0)})
    made.add("t", "c", ["s."], {0: ((0,), 0.6), 1: ((), 0.0)})
    return made


def test_the_five_resolutions_by_hand() -> None:
    gathered = by_hand().gathered()
    (found,) = resolved(gathered)
    assert (found.protocol, found.task, found.length, found.form) == ("duc-2002", "single", LENGTH, None)
    assert found.systems == ("a", "b", "c")
    worked = {
        "original": (1.0, 0.3, 0.3),
        "min": (0.8, 0.3, 0.3),
        "max": (1.0, 0.5, 0.5),
        "majority": (0.8, 0.3, 0.3),
        "average": (2.2 / 6 + 0.5, 2.2 / 6, 2.2 / 6),
    }
    for name in RESOLUTIONS:
        assert found.scores[name] == pytest.approx(worked[name], abs=1e-11)
    assert (found.ranks, found.low, found.high) == ((1, 2, 2), (1, 2, 2), (1, 3, 3))
    assert found.groups == (("a",), ("b", "c"))
    assert found.overlaps == (("b", "c"),)
    assert found.rankings.count == 2


def test_one_assessor_contradicts_themselves_and_two_only_each_other(approved: Approved) -> None:
    """x and y differ about each summary, which is no instability of a judgment; x alone differs from x."""
    made = Made(units=2)
    for who, shift in (("x", 0.0), ("y", 0.2)):
        made.add("t", "human", ["Own words."], {0: ((0,), 0.6 + shift), 1: ((), 0.0)}, who)
        made.add("t", "a", ["S.", "A."], {0: ((0,), 0.2 + shift), 1: ((1,), 0.4)}, who)
        made.add("t", "b", ["S.", "B."], {0: ((0,), 0.6 if who == "x" else 0.4), 1: ((), 0.0)}, who)
    gathered = made.gathered()
    (own,) = resolved(gathered)
    assert dict(zip(own.systems, own.widths, strict=True)) == pytest.approx({"human": 0, "a": 0.1, "b": 0.1})
    (everybody,) = resolved(gathered, "all-assessors")
    assert dict(zip(everybody.systems, everybody.widths, strict=True)) == pytest.approx(
        {"human": 0.1, "a": 0.2, "b": 0.2}
    )
    for resolve in ("one-assessor", "all-assessors"):
        result = shown(gathered, resolve)
        figure = result.figure("retention")
        approved(
            [
                result.headline(),
                result.table("resolutions").title,
                *result.about("resolutions"),
                *result.only(["resolutions"]).warnings(),
                figure.words,
            ],
            resolve,
        )


def test_a_sentence_marked_here_and_not_there_is_none_there(approved: Approved) -> None:
    """By hand: S is worth .8 in a and nothing in b, where T is worth .4; in c, S and T together are worth 1."""
    made = Made(units=1)
    made.add("t", "a", ["S."], {0: ((0,), 0.8)})
    made.add("t", "b", ["S.", "T."], {0: ((1,), 0.4)})
    made.add("t", "c", ["S.", "T."], {0: ((0, 1), 1.0)})
    (found,) = resolved(made.gathered())
    worked = {  # S: .8 of a, 0 of b. T: .4 of b. S and T: .4 of b, 1 of c.
        "original": {"a": 0.8, "b": 0.4, "c": 1.0},
        "min": {"a": 0.0, "b": 0.4, "c": 0.4},
        "max": {"a": 0.8, "b": 1.0, "c": 1.0},
        "majority": {"a": 0.4, "b": 0.7, "c": 0.7},
        "average": {"a": 0.4, "b": 0.7, "c": 0.7},
    }
    for name in RESOLUTIONS:
        scores = dict(zip(found.systems, found.scores[name], strict=True))
        assert scores == pytest.approx(worked[name])
    assert found.widths_of_same_marks == (0, 0, 0)
    assert found.moved == 3
    approved([shown(made.gathered()).headline(), *shown(made.gathered()).about("resolutions")])


def test_what_nobody_judged_alone_is_counted(approved: Approved) -> None:
    """b has S alone, not marked: what S is worth without T nobody said."""
    made = Made(units=1)
    made.add("t", "a", ["S.", "T."], {0: ((0, 1), 0.8)})
    made.add("t", "b", ["S."], {0: ((), 0.0)})
    result = shown(made.gathered())
    assert result.resolutions[0].moved == 0
    assert result.resolutions[0].unsettled == 2
    approved([*result.about("resolutions"), *result.only(["resolutions"]).warnings()])


@st.composite
def judged_by_some(draw: st.DrawFn) -> Made:
    """A unit, judged by one or two assessors in summaries of some of three sentences."""
    made = Made(units=1)
    share = st.sampled_from([0.2, 0.6, 1.0])
    for number in range(draw(st.integers(2, 4))):
        texts = draw(st.lists(st.sampled_from("STU"), min_size=1, max_size=3, unique=True))
        for who in draw(st.sampled_from(["x", "y", "xy"])):
            marked = draw(st.lists(st.integers(0, len(texts) - 1), unique=True, max_size=2))
            made.add("t", f"s{number}", texts, {0: (tuple(marked), draw(share) if marked else 0.0)}, who)
    return made


def worlds(pages: Sequence[tuple[str, frozenset[str], frozenset[str], float]]) -> list[list[float]]:
    """Every way of giving each set of marked texts one of the answers that it got, and what pages are worth then."""
    sets = list({marked for _, _, marked, _ in pages if marked})

    def answer_to(
        texts: frozenset[str], page: tuple[str, frozenset[str], frozenset[str], float]
    ) -> float | None:
        _, held, marked, completeness = page
        if not texts <= held:
            return None
        if marked - texts:
            return None if marked & texts else 0.0
        return completeness

    given = [[answer_to(texts, page) for page in pages] for texts in sets]
    choices = [[answer for answer in answers if answer is not None] for answers in given]
    made = []
    for world in product(*choices):
        made.append(
            [
                max(
                    (worth for worth, answers in zip(world, given, strict=True) if answers[k] is not None),
                    default=page[3],
                )
                for k, page in enumerate(pages)
            ]
        )
    return made


@pytest.mark.parametrize("resolve", ["one-assessor", "all-assessors"])
@given(made=judged_by_some())
def test_the_bars_end_at_the_lowest_and_highest_of_all_resolutions(resolve: Resolve, made: Made) -> None:
    pages = [
        (
            who,
            frozenset(made.texts[topic, system]),
            frozenset(made.texts[topic, system][k] for k in answers[0][0]),
            answers[0][1],
        )
        for topic, system, who, answers in made.pages
    ]
    ends: dict[int, tuple[float, float]] = {}
    for group in ("x", "y") if resolve == "one-assessor" else ("xy",):
        places = [k for k, page in enumerate(pages) if page[0] in group]
        every = worlds([pages[k] for k in places])
        for at, k in enumerate(places):
            ends[k] = min(world[at] for world in every), max(world[at] for world in every)
    (found,) = resolved(made.gathered(), resolve)
    for system, least, greatest in zip(found.systems, found.scores["min"], found.scores["max"], strict=True):
        own = [k for k, page in enumerate(made.pages) if page[1] == system]
        assert least == pytest.approx(sum(ends[k][0] for k in own) / len(own))
        assert greatest == pytest.approx(sum(ends[k][1] for k in own) / len(own))
    for name in RULES:
        for original, least, made_one, greatest in zip(
            found.scores["original"],
            found.scores["min"],
            found.scores[name],
            found.scores["max"],
            strict=True,
        ):
            assert least - 1e-12 <= min(original, made_one) <= max(original, made_one) <= greatest + 1e-12


def test_topics_references_and_assessors_are_pooled_in_turn() -> None:
    made = by_hand()
    made.add("t", "a", ["S.", "Own."], {0: ((), 0.0), 1: ((), 0.0)}, "y")  # a second assessor of one page
    made.add("u", "a", ["Other."], {0: ((0,), 0.2), 1: ((), 0.0)})
    gathered = made.gathered()
    (found,) = resolved(gathered)
    # a on t: (1 + 0)/2; on u: .1; their mean .3. b and c are .2 behind on t, and so .1.
    assert dict(zip(found.systems, found.scores["original"], strict=True)) == pytest.approx(
        {"a": 0.3, "b": 0.1, "c": 0.1}
    )
    assert found.ranks == (1, 2, 2)
    assert (found.topics, found.missing) == (2, {"b": 1, "c": 1})


def test_systems_with_other_topics_have_scores_adjusted_for_topics(approved: Approved) -> None:
    """a is better than b wherever both were judged, and b has the easy topic alone."""
    made = Made(units=1)
    for topic, easy in (("t1", 0.6), ("t2", 0.0), ("t3", 0.0)):
        made.add(topic, "a", [f"A {topic}."], {0: ((0,), 0.4 + easy)})
    made.add("t1", "b", ["B."], {0: ((0,), 0.8)})
    found = shown(made.gathered())
    (own,) = found.resolutions
    assert own.systems == ("a", "b")
    assert own.scores["original"] == pytest.approx((0.6, 0.4))
    assert found.notes_of("scores-adjusted")
    approved(found.only(["resolutions"]).warnings())


def test_systems_without_common_topics_are_ranked_apart(approved: Approved) -> None:
    made = Made(units=1)
    for topic, systems in (("t1", "ab"), ("t2", "cd")):
        for system in systems:
            made.add(topic, system, [f"{system}."], {0: ((0,), 0.2 * "abcd".index(system))})
    found = shown(made.gathered())
    assert [each.systems for each in found.resolutions] == [("b", "a"), ("d", "c")]
    assert [each.rankings.count for each in found.resolutions] == [1, 1]
    table = found.table("resolutions")
    assert len(found.notes_of("ranked-apart")) == 2
    approved(found.warnings())
    assert [row["part"] for row in table.records()] == [1, 1, 2, 2]


def test_the_same_text_elsewhere_is_one_thing_and_assessors_of_one_summary_another(
    approved: Approved,
) -> None:
    """One conflict of each sort: x with themselves, x with y about another summary, x with y about one summary."""
    made = Made(units=3)
    alike: Answer = ((), 0.0)
    made.add("t", "a", ["S.", "A1.", "A2."], {0: ((0,), 0.2), 1: alike, 2: ((1,), 0.2)}, "x")
    made.add("t", "b", ["S.", "B1."], {0: ((0,), 0.6), 1: ((1,), 0.2), 2: alike}, "x")
    made.add("t", "c", ["B1."], {0: alike, 1: ((0,), 1.0), 2: alike}, "y")
    made.add("t", "a", ["S.", "A1.", "A2."], {0: alike, 1: alike, 2: ((1,), 0.8)}, "y")
    found = shown(made.gathered())
    own = found.again[0]
    assert counts(own) == (12, 6, 6, 0)
    assert counts(own, "summaries") == (12, 4, 4, 0)
    assert counts(own, "within") == (12, 2, 2, 0)
    assert counts(own, "across") == (12, 2, 2, 0)
    assert counts(own, "one") == (12, 2, 2, 0)
    assert counts(own, "between") == (12, 4, 4, 0)
    approved([found.headline(), *found.about("conflicts")])


def test_one_summary_judged_twice_is_no_conflict_between_summaries(approved: Approved) -> None:
    made = Made(units=1)
    made.add("t", "a", ["S."], {0: ((0,), 0.2)}, "x")
    made.add("t", "a", ["S."], {0: ((0,), 0.6)}, "y")
    made.add("t", "b", ["B."], {0: ((0,), 0.6)}, "x")
    found = shown(made.gathered())
    approved([found.headline(), *found.about("conflicts")])


def test_without_conflicts_the_bars_have_no_width_and_ties_stay_open(approved: Approved) -> None:
    made = Made(units=1)
    for system, share in (("a", 0.8), ("b", 0.4), ("c", 0.4)):
        made.add("t", system, [f"{system}."], {0: ((0,), share)})
    gathered = made.gathered()
    (found,) = resolved(gathered)
    assert len(set(found.scores.values())) == 1
    assert (found.rankings.count, found.overlaps, found.ties) == (2, (("b", "c"),), (("b", "c"),))
    table = shown(gathered).table("resolutions")
    approved(shown(gathered).about("resolutions"))
    assert (table.row(system="b")["changes_places_with"], table.row(system="b")["tied_with"]) == (None, "c")


def test_other_measures_of_completeness_are_resolved_too() -> None:
    made = Made(units=1)
    made.add("t", "a", ["S."], {0: ((0,), 0.0)})  # marked, but none
    made.add("t", "b", ["S."], {0: ((0,), 0.6)})
    gathered = made.gathered()
    (kept,) = resolved(gathered, measure=Retention())
    assert kept.systems == ("b", "a")
    assert (kept.scores["original"], kept.scores["min"]) == ((1.0, 0.0), (0.0, 0.0))
    assert kept.scores["max"] == kept.scores["average"] == (1.0, 1.0)
    (lost,) = resolved(gathered, measure=Uncovered())  # lower is better, and MIN completeness leaves most
    assert lost.systems == ("b", "a")
    assert lost.scores["min"] == (1.0, 1.0)
    assert (lost.low, lost.high) == ((1, 1), (2, 2))


def test_lower_is_better_ranks_from_the_lowest() -> None:
    made = Made(units=1)
    made.add("t", "a", ["A."], {0: ((0,), 0.6)})
    made.add("t", "b", ["B."], {0: ((), 0.0)})
    gathered = made.gathered()
    (found,) = resolved(gathered, measure=Uncovered())
    assert (found.systems, found.ranks, found.low, found.high) == (("a", "b"), (1, 2), (1, 2), (1, 2))


def test_unfinished_pages_are_left_out_and_counted() -> None:
    made = by_hand()
    made.add("t", "d", ["D."], {0: ((0,), 1.0)})
    gathered = made.gathered()
    (found,) = resolved(gathered)
    assert found.systems == ("a", "b", "c")
    assert found.left_out == {"1 of 2 model units are not judged yet": 1}


@pytest.mark.parametrize(
    ("answers", "most"), [([1.0, 0.6, 0.6], 0.6), ([0.2, 0.6], 0.4), ([0.2, 0.2, 0.6, 0.6, 1.0], 0.4)]
)
def test_majority_of_ties_is_their_average(answers: list[float], most: float) -> None:
    assert majority(answers) == pytest.approx(most)


def test_lin_and_hovys_groups_from_bars(approved: Approved) -> None:
    """Seven groups of bars that overlap within a group alone: 2, 3, 3, 1, 3, 1 and 3 systems."""
    made = Made(units=2)
    sizes = [2, 3, 3, 1, 3, 1, 3]
    for topic in range(len(sizes)):
        for number, size in enumerate(sizes):
            for k in range(size):
                # In a topic of each group's own, its systems share a sentence that was judged from 0 to 10 %.
                share = 0.1 * k / max(1, size - 1)
                base = 1.0 - 0.15 * number
                shared: Answer = ((0,), share) if topic == number else ((), 0.0)
                text = [f"S {number}.", f"Own {number}."]  # the second is shared too, and judged alike
                made.add(f"t{topic}", f"g{number}-{k}", text, {0: shared, 1: ((1,), base)})
    gathered = made.gathered()
    (found,) = resolved(gathered)
    assert [len(group) for group in found.groups] == [2, 3, 3, 1, 3, 1, 3]
    assert found.rankings.count == 2592
    approved(list(shown(gathered).about("rankings"))[-1])


def test_more_rankings_than_can_be_counted_are_estimated_and_called_so(approved: Approved) -> None:
    """Uneven bars of 60 systems, most of which overlap."""
    rng = np.random.default_rng(2)
    middle, half = rng.random(60), 0.3 * rng.random(60)
    better = better_by_interval(middle - half, middle + half)
    (own,) = resolved(by_hand().gathered())
    for stream in (np.random.default_rng(0), None):
        rankings = count_rankings(better, most=1000, rng=stream, runs=3, kept=20)
        found = replace(shown(by_hand().gathered()), resolutions=(replace(own, rankings=rankings),))
        table = found.table("rankings")
        approved(list(found.about("rankings"))[-1], "bounds" if stream is None else "estimate")
        (row,) = table.records()
        if stream is None:
            assert (row["rankings"], row["estimated"]) == (None, False)
        else:
            assert row["estimated"] is True
            low, number, high = (int(str(row[f"rankings{end}"])) for end in ("_low", "", "_high"))
            assert 10**20 < low <= number <= high
            assert "about " in table.to_text()


# Pyramids


def annotated(topic: str, peer: str, pyramid: Pyramid, text: str, expressed: Mapping[int, str]) -> Judged:
    """A peer whose words express SCUs."""
    scus = tuple(
        Expressed(uid, (Contributor((Part(text.index(words), text.index(words) + len(words), words),)),))
        for uid, words in expressed.items()
    )
    answer = PeerAnnotation(text, scus, pyramid.digest()).to_answer()
    task = Task(f"{topic}-{peer}", "e", "x", "pyramid", "1", topic, TextRef(peer, LENGTH))
    return judged(task, {"pyramid-peer": answer})


def test_equal_sentences_with_different_scus() -> None:
    text = "The storm came.\nNobody was hurt.\n"
    scus = tuple(
        Scu(uid, label, (Contributor((Part(start, end, text[start:end]),), "ref"),))
        for uid, label, start, end in ((1, "a storm", 0, 14), (2, "nobody hurt", 16, 31), (3, "more", 4, 9))
    )
    pyramid = Pyramid(text, scus, (Reference("ref", LENGTH, 0, len(text)),))
    build = Task("build", "e", "x", "pyramid", "1", "t")
    both = "The storm came. Nobody was hurt."
    people = [
        judged(build, {"pyramid": pyramid.to_answer()}),
        annotated("t", "a", pyramid, both, {1: "storm came", 2: "Nobody"}),
        annotated(
            "t", "b", pyramid, "THE STORM CAME. Another one.", {1: "STORM", 3: "STORM CAME", 0: "Another"}
        ),
        annotated("t", "c", pyramid, "Nobody was hurt. Something else.", {2: "was hurt"}),
        annotated("t", "d", pyramid, "Something else.", {}),
    ]
    summaries = [Summary("t", each, "Text.", LENGTH) for each in "abcd"]
    collection = Collection(
        Settings("e"), {"t": Topic("t")}, {each: System(each) for each in "abcd"}, {}, {"t": summaries}, {}
    )
    again = kind(gather(collection, Judgments({"t": tuple(people)}, protocols=PROTOCOLS)), "scu")
    # Sentences: 2 + 2 + 2 + 1. The storm: {1} and {1, 3}; nobody: {2} twice; something else: nothing twice.
    assert counts(again) == (7, 6, 2, 0)
    assert len(again.keys) == 3
    answers = {answer for own in again.keys.values() for _, answer in own}
    assert answers == {frozenset({1}), frozenset({1, 3}), frozenset({2}), frozenset()}


def test_a_key_knows_its_protocol() -> None:
    """Scales of two protocols are not compared."""
    made = Made(units=1)
    made.add("t", "a", ["S."], {0: ((0,), 0.6)})
    made.add("t", "b", ["S."], {0: ((0,), 0.5)})
    gathered = made.gathered()
    first, second = gathered.judgments.by_topic["t"]
    other = replace(second, task=replace(second.task, protocol="duc-2001"))
    mixed = gather(gathered.collection, Judgments({"t": (first, other)}))
    assert kind(mixed, "completeness").keys == {}
