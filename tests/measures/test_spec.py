"""A measure's text is its identity: it parses, prints back, and a mistake is answered with help."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measure, parse_measures, registry
from adjudge.measures.rouge.family import RougeN, RougeS


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    options: dict[str, Any] = {n: draw(st.sampled_from(c)) for n, c in RougeN.OPTIONS.items()}
    options |= {"stem": draw(st.sampled_from(["porter", "none", "lovins", "german"]))}
    options |= {"limit": draw(st.sampled_from(["none", "100w", "665b"]))}
    if draw(st.booleans()):
        return RougeN(n=draw(st.integers(1, 9)), alpha=draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])), **options)
    return RougeS(skip=draw(st.integers(-1, 99)), unigrams=draw(st.booleans()), **options)


@given(measures())
def test_text_and_measure_are_one_to_one(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)


def test_defaults_do_not_show_and_order_does_not_matter() -> None:
    assert str(parse_measure("rouge-2(stem=porter-nltk)")) == "rouge-2"
    assert str(parse_measure("rouge-2-recall(stem=porter-155)")) == "rouge-2-recall"
    assert str(parse_measure("rouge-2(stat=recall, stem=porter-155, refs=pooled)")) == "rouge-2-recall"
    spec = "rouge-2(stat=precision, stem=none)"
    assert str(parse_measure(" rouge-2( stem = none ,stat=precision ) ")) == spec
    assert parse_measures(["rouge-1", spec, "rouge-1(stat=f)"]) == [
        parse_measure("rouge-1"),
        parse_measure(spec),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rogue-2", 'no measure "rogue-2" (nearest: "rouge-2"'),
        ("rouge-10", 'no measure "rouge-10" (nearest: "rouge-1"'),
        ("rouge-2(steam=none)", 'no option "steam" (nearest: "stem"'),
        ("rouge-2(stem=portre)", 'no stemmer "portre" (nearest: "porter"'),
        ("rouge-2(stop=klingon)", 'no stop words for language "klingon"'),
        ("rouge-2(refs=all)", "refs=all; expected one of: pooled, best, mean, max, jackknife"),
        ("rouge-2(limit=100)", "limit=100; expected none, or words or bytes such as 100w, 665b"),
        ("rouge-2(alpha=2)", "alpha=2; expected a number from 0 to 1"),
        ("rouge-2(alpha=x)", "alpha=x; expected a number"),
        ("rouge-w(weight=0.5)", "weight=0.5; expected a number from 1 to 10"),
        ("rouge-s", 'no measure "rouge-s"'),
        ("rouge-2-recall(stat=f)", 'rouge-2-recall has no option "stat"'),
        ("rouge-2(stem)", '"stem" in "rouge-2(stem)": expected option=value'),
        ("rouge-2(stem=none, stem=none)", "gives stem twice"),
        ("rouge-2(stem=none", "is not a measure"),
        ("words(stem=none)", "words has no option"),
        ("expert:coherence", "names imported scores"),
        ("", "is not a measure"),
    ],
)
def test_a_mistake_is_answered_with_what_is_known(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_measure(text)
    assert said in str(error.value)


def test_every_registered_measure_describes_itself() -> None:
    for name in registry():
        measure = parse_measure(name)
        assert str(measure) == measure.name == name
        assert measure.ABOUT
        assert measure.CITATION
        assert measure.signature().startswith(f"{name}|") or measure.signature().startswith(name)


def test_the_signature_says_everything() -> None:
    assert (
        parse_measure("rouge-2")
        .signature("3-4")
        .startswith(
            "rouge-2|stat:f|alpha:0.5|stem:porter-nltk|stop:none|words:rouge|limit:none|refs:3-4:max|v:"
        )
    )


def test_any_skip_and_none() -> None:
    assert parse_measure("rouge-su17").signature().startswith("rouge-su17|")
    assert parse_measure("rouge-s*") == RougeS(skip=-1)
    assert str(parse_measure("rouge-su*(stat=f)")) == "rouge-su*(stat=f)"


def test_all_statistics_are_three_measures_and_presets_are_sets() -> None:
    assert [str(m) for m in parse_measures(["rouge-2(stat=all)"])] == [
        "rouge-2-recall(stem=porter-nltk, refs=max)",
        "rouge-2(stat=precision)",
        "rouge-2",
    ]
    assert [str(m) for m in parse_measures(["tac", "rouge-1-recall(limit=100w)"])] == [
        "rouge-1-recall(limit=100w)",
        "rouge-2-recall(limit=100w)",
        "rouge-l-recall(limit=100w)",
        "rouge-su4(limit=100w)",
    ]
    assert len(parse_measures(["rouge-score"])) == 4
