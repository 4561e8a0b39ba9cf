"""ROUGE as measures: against a plain twin and hand counts, several references, lengths, options."""

from __future__ import annotations

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measure, parse_measures, registry
from adjudge.measures.rouge.counts import STATS
from adjudge.measures.rouge.family import ROUGE_NAMES, Rouge, RougeN, parse_rouge

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map(" ".join)


def score(measure: Measure, peer: str, references: list[str], system: str = "s") -> float:
    batch = TopicBatch(
        Topic("t"),
        (Summary("t", system, peer),),
        tuple(Summary("t", f"r{k}", text, roles=("reference",)) for k, text in enumerate(references)),
    )
    (row,) = measure.score(batch)
    return row.value


def grams(text: str, n: int) -> list[str]:
    w = text.split()
    return [" ".join(w[k : k + n]) for k in range(len(w) - n + 1)]


def twin(peer: str, references: list[str], n: int, stat: str) -> float:
    """Tick off a reference's n-grams in the peer, one by one."""
    hits = total = peer_total = 0
    for reference in references:
        left = grams(peer, n)
        peer_total += len(left)
        for gram in grams(reference, n):
            total += 1
            if gram in left:
                left.remove(gram)
                hits += 1
    recall, precision = hits / max(total, 1), hits / max(peer_total, 1)
    f = 2 * recall * precision / (recall + precision) if hits else 0.0
    return {"recall": recall, "precision": precision, "f": f}[stat]


@given(words, st.lists(words, min_size=1, max_size=4), st.integers(1, 9), st.sampled_from(STATS))
def test_pooled_best_and_jackknife_equal_the_twin(
    peer: str, references: list[str], n: int, stat: str
) -> None:
    def ours(refs: str) -> float:
        return score(RougeN(n=n, stat=stat, stem="none", refs=refs), peer, references)

    assert ours("pooled") == pytest.approx(twin(peer, references, n, stat))
    best = max(references, key=lambda r: twin(peer, [r], n, "recall"))
    assert ours("best") == pytest.approx(twin(peer, [best], n, stat))
    left_out = [[r for k, r in enumerate(references) if k != out] for out in range(len(references))]
    expected = mean(twin(peer, rest, n, stat) for rest in left_out) if len(references) > 1 else ours("pooled")
    assert ours("jackknife") == pytest.approx(expected)


def test_counted_by_hand() -> None:
    # Lin 2004, section 3's example sentences, with ROUGE-2 and no stemming
    reference = ["police killed the gunman"]
    assert score(
        parse_measure("rouge-2-recall(stem=none)"), "police kill the gunman", reference
    ) == pytest.approx(1 / 3)
    assert score(
        parse_measure("rouge-2-recall(stem=none)"), "the gunman kill police", reference
    ) == pytest.approx(1 / 3)
    assert score(parse_measure("rouge-1-recall"), "police kill the gunman", reference) == 1.0
    assert score(parse_measure("rouge-1-recall(stem=none)"), "police kill the gunman", reference) == 0.75


def test_nobody_is_scored_against_himself() -> None:
    peer = Summary("t", "ann", "one two three", roles=("peer", "reference"))
    other = Summary("t", "bob", "one two four", roles=("reference",))
    measure = parse_measure("rouge-1-recall(stem=none)")
    (row,) = measure.score(TopicBatch(Topic("t"), (peer,), (peer, other)))
    assert row.value == pytest.approx(2 / 3)
    (alone,) = measure.score(TopicBatch(Topic("t"), (peer,), (peer,)))
    assert alone.why == "the only reference is by the same system"


def test_jackknife_puts_people_and_machines_on_one_footing() -> None:
    references = [
        Summary("t", name, text, roles=("peer", "reference"))
        for name, text in (("ann", "a b c"), ("bob", "a b d"), ("eve", "x y z"))
    ]
    copy = Summary("t", "machine", "a b c")
    batch = TopicBatch(Topic("t"), (references[0], copy), tuple(references))
    ann, machine = parse_measure("rouge-1-recall(stem=none, refs=jackknife)").score(batch)
    assert ann.value == pytest.approx(2 / 6)
    assert machine.value == pytest.approx(mean([2 / 6, 3 / 6, 5 / 6]))  # leaving out ann, bob, eve


def test_references_of_the_peers_length() -> None:
    def reference(length: int | None) -> Summary:
        return Summary("t", f"r{length}", "one", length, ("reference",))

    def why(peer: int | None, *lengths: int | None) -> str | None:
        batch = TopicBatch(Topic("t"), (Summary("t", "s", "one", peer),), tuple(map(reference, lengths)))
        (row,) = parse_measure("rouge-1-recall").score(batch)
        return row.why or str(row.value)

    assert why(100, 100, 50) == "1.0"
    assert why(100, None) == "1.0"
    assert why(None, 50) == "1.0"
    assert why(None, 50, 100) == "no reference of length unset (there are: 50, 100)"
    assert why(100, 50) == "no reference of length 100 (there are: 50)"
    assert why(100) == "the topic has no reference"


def test_empty_texts_score_zero_not_an_error() -> None:
    for peer, reference in (("", "a b"), ("a b", ""), ("", "")):
        assert score(parse_measure("rouge-2(stem=porter-155, refs=pooled)"), peer, [reference]) == 0.0


def test_rouge_alone_knows_the_names_that_the_registry_knows() -> None:
    """parse_rouge saves loading every other measure; it must not know other ROUGEs than the registry."""
    ours = {name for name in registry() if isinstance(parse_measure(name), Rouge)}
    assert set(ROUGE_NAMES) == ours
    for spec in [*ROUGE_NAMES, "rouge-s17", "rouge-su0(stat=f)", "rouge-2(stat=all)"]:
        assert parse_rouge([spec, spec]) == parse_measures([spec])
    assert parse_rouge(["rouge-1", "words"]) is None
    assert parse_rouge(["rouge-10"]) is None
    with pytest.raises(UsageError, match="rouge-2 has no option"):
        parse_rouge(["rouge-2(weight=2)"])


def test_long_texts_are_compiled_and_endless_lines_refused() -> None:
    words = [f"w{k * 7919 % 997}" for k in range(9000)]
    peer, reference = " ".join(words), " ".join(reversed(words))
    with pytest.raises(DataError, match="a sentence of 9,000 words: ROUGE-L and ROUGE-W compare sentence by"):
        adjudge.rouge(peer, [reference], ["rouge-lsum"])
    lines = "\n".join(" ".join(words[k : k + 20]) for k in range(0, 9000, 20))
    assert (
        adjudge.rouge(lines, lines, "rouge-l-recall(split=lines)").mean("rouge-l-recall(split=lines)") == 1.0
    )
