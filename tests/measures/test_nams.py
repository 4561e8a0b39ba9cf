"""NAMS against a plain twin and hand counts; where units come from, and what a missing one says."""

from __future__ import annotations

import math
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary, Topic, Unit
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.nams import Nams, UnitScore, shares_of
from adjudge.measures.spec import build, split_spec
from adjudge.text.stemmers.stem import STEMMERS
from adjudge.text.stop import stop_words

words = st.lists(st.sampled_from(["oak", "elm", "ash", "the"]), max_size=7).map(" ".join)


def parsed(text: str) -> Nams:
    measure = build(Nams, *split_spec(text))
    assert isinstance(measure, Nams)
    return measure


def topic(peer: str, units: list[str], *, kind: str = "edu") -> TopicBatch:
    """One peer, one reference whose text is its units, and those units."""
    reference = Summary("t", "ann", " ".join(units), roles=("reference",))
    rows = tuple(Unit("t", "ann", kind, f"u{k}", 0, 0, text) for k, text in enumerate(units))
    return TopicBatch(Topic("t"), (Summary("t", "s", peer),), (reference,), units=rows)


def value(measure: Nams, peer: str, units: list[str]) -> float:
    (row,) = measure.score(topic(peer, units))
    assert row.reference == "ann"
    return row.value


def twin(peer: str, units: list[str], weights: tuple[float, ...], stop: set[str], spread: bool) -> float:
    """Tick off every n-gram of a unit in the peer's, order by order."""

    def grams(text: str, n: int) -> list[list[str]]:
        kept = [word for word in text.split() if word not in stop]
        return [kept[k : k + n] for k in range(len(kept) - n + 1)]

    values = []
    for unit in units:
        total = used = 0.0
        for n, weight in enumerate(weights, 1):
            left, ours = grams(peer, n), grams(unit, n)
            hits = 0
            for gram in ours:
                if gram in left:
                    left.remove(gram)
                    hits += 1
            total += weight * hits / len(ours) if ours else 0.0
            used += weight if ours else 0.0
        if not spread:
            values.append(total)
        elif used:
            values.append(total / used)
    return mean(values) if values else math.nan


@settings(deadline=None)  # the first example loads lists and libraries
@given(
    words,
    st.lists(words, min_size=1, max_size=4),
    st.sampled_from(["c1", "c2", "c3", "0.25/0.25/0.25/0.25", "0/0/0/1"]),
    st.sampled_from(["en", "none"]),
    st.booleans(),
)
def test_it_equals_the_twin(peer: str, units: list[str], weights: str, stop: str, spread: bool) -> None:
    measure = Nams(weights=weights, stem="none", stop=stop, renormalise=spread)
    expected = twin(peer, units, shares_of(weights), {"the"} if stop == "en" else set(), spread)
    assert value(measure, peer, units) == pytest.approx(expected, nan_ok=True)
    assert not value(measure, peer, units) > 1


def test_counted_by_hand() -> None:
    peer = "Earthquake kills thousands; Armenian town levelled by earthquake"
    units = ["an earthquake levelled an Armenian town", "thousands"]
    # Content words of the peer: earthquake kills thousands armenian town levelled earthquake.
    # Unit 0: earthquake levelled armenian town: 4 of 4 words, 1 of 3 bigrams (armenian town).
    # Unit 1: 1 of 1 word, no bigram.
    assert stop_words("en").isdisjoint({"earthquake", "kills", "thousands", "levelled", "armenian", "town"})
    assert value(parsed("nams(weights=c1, stem=none)"), peer, units) == 1.0
    printed = mean([1 / 3 + 2 / 3 * 1 / 3, 1 / 3])
    assert value(parsed("nams(stem=none)"), peer, units) == pytest.approx(printed)
    spread = mean([1 / 3 + 2 / 3 * 1 / 3, 1.0])
    assert value(parsed("nams(stem=none, renormalise=true)"), peer, units) == pytest.approx(spread)
    three = mean([1 / 6 + 2 / 6 * 1 / 3, 1 / 6])
    assert value(parsed("nams(weights=c3, stem=none)"), peer, units) == pytest.approx(three)


def test_counts_are_clipped() -> None:
    assert value(Nams(weights="c1"), "storm", ["storm storm storm"]) == pytest.approx(1 / 3)
    assert value(Nams(weights="c1"), "storm storm storm storm", ["storm"]) == 1.0


def test_the_whole_summary_is_looked_at() -> None:
    # footnote 4: no sentence of the peer has both words
    assert value(Nams(weights="c1"), "Storms raged. Ports flooded.", ["storms flooded ports"]) == 1.0


def test_stop_words_go_before_ngrams_are_formed() -> None:
    peer, unit = "levelled towns", "levelled some of the towns"
    assert value(Nams(), peer, [unit]) == pytest.approx(1.0)
    assert value(Nams(stop="none"), peer, [unit]) == pytest.approx(1 / 3 * 2 / 5)


def test_stemmers() -> None:
    def found(stem: str) -> float:
        return value(Nams(weights="c1", stem=stem), "nations flooded", ["nation flooding"])

    assert found("none") == 0.0
    for stem in set(STEMMERS) - {"none"}:
        assert found(stem) == 1.0


def test_per_unit_values_are_what_the_score_sums_up() -> None:
    batch = topic("storms flooded harbours", ["storms flooded coastlines", "of the"])
    measure = Nams(stem="none")
    first, second = measure.unit_scores(batch, batch.peers[0])
    assert first == UnitScore("ann", "u0", (2 / 3, 1 / 2, 0.0, 0.0), (3, 2, 1, 0), first.value)
    assert first.value == pytest.approx(2 / 9 + 1 / 3)
    assert second == UnitScore("ann", "u1", (0.0, 0.0, 0.0, 0.0), (0, 0, 0, 0), 0.0)
    (row,) = measure.score(batch)
    assert row.value == pytest.approx(mean([first.value, second.value]))
    left_out = Nams(stem="none", renormalise=True)
    assert math.isnan(left_out.unit_scores(batch, batch.peers[0])[1].value)
    (row,) = left_out.score(batch)
    assert row.value == pytest.approx(first.value)


def test_one_row_per_reference_and_never_ones_own() -> None:
    people = [
        Summary("t", name, text, roles=("peer", "reference"))
        for name, text in (("ann", "Storms flooded harbours."), ("bob", "Storms raged."))
    ]
    machine = Summary("t", "m", "Storms flooded harbours.")
    rows = list(Nams(weights="c1").score(TopicBatch(Topic("t"), (*people, machine), tuple(people))))
    assert [(r.system, r.reference, r.value) for r in rows] == [
        ("ann", "bob", 1 / 2),
        ("bob", "ann", 1 / 3),
        ("m", "ann", 1.0),
        ("m", "bob", 1 / 2),
    ]


def test_units_of_the_evaluation_come_first_and_splitting_serves_where_there_are_none() -> None:
    text = "Storms flooded harbours because dykes burst. Trains stopped."
    reference = Summary("t", "ann", text, 50, ("reference",))
    peer = Summary("t", "s", "Trains stopped.", 50)

    def values(measure: Nams, *units: Unit) -> list[float]:
        batch = TopicBatch(Topic("t"), (peer,), (reference,), units=units)
        return [round(u.value, 3) for u in measure.unit_scores(batch, peer)]

    sentence, edu = Nams(weights="c1", units="sentence"), Nams(weights="c1", units="edu")
    assert values(sentence) == [0.0, 1.0]
    assert values(edu) == [0.0, 0.0, 1.0]
    by_hand = Unit("t", "ann", "sentence", "h", 45, 60, "Trains stopped.", 50, edited=True)
    assert values(sentence, by_hand) == [1.0]
    assert values(edu, by_hand) == [0.0, 0.0, 1.0]  # of another kind
    other_length = Unit("t", "ann", "sentence", "h", 45, 60, "Trains stopped.", 100)
    other_system = Unit("t", "bob", "sentence", "h", 45, 60, "Trains stopped.", 50)
    assert values(sentence, other_length, other_system) == [0.0, 1.0]


def test_measures_of_different_options_do_not_share_what_differs() -> None:
    batch = topic("storm flooding", ["storms flooded the harbour"])
    fresh = [value(m, "storm flooding", ["storms flooded the harbour"]) for m in several()]
    assert [row.value for m in several() for row in m.score(batch)] == fresh
    assert len(set(fresh)) == len(fresh)


def several() -> list[Nams]:
    return [Nams(), Nams(stem="none"), Nams(stop="none"), Nams(weights="c1"), Nams(weights="c1", stop="none")]


def test_what_is_missing_says_why() -> None:
    peer = Summary("t", "s", "Storms raged.")
    empty = Summary("t", "ann", "", roles=("reference",))

    def why(measure: Nams, *references: Summary) -> tuple[str | None, str | None]:
        (row,) = measure.score(TopicBatch(Topic("t"), (peer,), references))
        assert math.isnan(row.value)
        return row.reference, row.why

    assert why(Nams()) == (None, "the topic has no reference")
    assert why(Nams(), empty) == ("ann", "the reference has no units")
    bare = Summary("t", "ann", "It was so.", roles=("reference",))
    assert why(Nams(renormalise=True), bare) == ("ann", "no unit of the reference has n-grams")
    (row,) = Nams().score(TopicBatch(Topic("t"), (peer,), (bare,)))
    assert row.value == 0.0  # as printed


def test_an_empty_peer_scores_zero() -> None:
    assert value(Nams(), "", ["storms raged"]) == 0.0


def test_weights_have_one_text() -> None:
    assert str(Nams()) == str(parsed("nams(weights=1/2/0/0)")) == str(parsed("nams(weights=2/4)")) == "nams"
    assert str(parsed("nams(weights=1)")) == "nams(weights=c1)"
    assert str(parsed("nams(weights=0.50/.5)")) == "nams(weights=0.5/0.5/0/0)"
    assert shares_of("c2") == (1 / 3, 2 / 3, 0, 0)
    assert shares_of("c3") == (1 / 6, 2 / 6, 3 / 6, 0)
    assert shares_of("0.5/0.5") == (0.5, 0.5, 0, 0)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=4).filter(any), st.booleans())
def test_text_and_measure_are_one_to_one(weights: list[float], spread: bool) -> None:
    measure = Nams(weights="/".join(map(str, weights)), stop="none", renormalise=spread)
    assert parsed(str(measure)) == measure
    assert str(parsed(str(measure))) == str(measure)
    assert sum(shares_of(measure.weights)) == pytest.approx(1)


@pytest.mark.parametrize(
    "weights", ["c4", "", "0/0", "1/-1", "1/2/3/4/5", "nan", "inf", "1e308/1e308", "1//2"]
)
def test_weights_that_are_none(weights: str) -> None:
    with pytest.raises(UsageError, match="nams: weights=.*expected c1, c2, c3 or one to four numbers"):
        Nams(weights=weights)


def test_other_wrong_options() -> None:
    with pytest.raises(UsageError, match='no stop words for language "klingon"'):
        parsed("nams(stop=klingon)")
    with pytest.raises(UsageError, match='no stemmer "portr"'):
        parsed("nams(stem=portr)")
    with pytest.raises(UsageError, match="units=paragraph; expected one of: sentence, edu"):
        parsed("nams(units=paragraph)")


def test_another_language() -> None:
    assert value(Nams(stop="de"), "Sturm", ["der Sturm und die Flut"]) == pytest.approx(1 / 3 * 1 / 2)
    german = parsed("nams(weights=c1, stem=german, stop=de)")
    assert value(german, "Stürme", ["der Sturm und die Flut"]) == 0.5
