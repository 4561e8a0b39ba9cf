"""A measure's text is its identity: it parses, prints back, and a mistake is answered with help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measure, parse_measures, registry
from adjudge.measures.rouge import RougeN


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    options = {name: draw(st.sampled_from(choices)) for name, choices in RougeN.OPTIONS.items()}
    return RougeN(n=draw(st.integers(1, 9)), **options)


@given(measures())
def test_text_and_measure_are_one_to_one(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)


def test_defaults_do_not_show_and_order_does_not_matter() -> None:
    assert str(parse_measure("rouge-2(stem=porter)")) == "rouge-2"
    spec = "rouge-2(stat=f, stem=none)"
    assert str(parse_measure(" rouge-2( stem = none ,stat=f ) ")) == spec
    assert parse_measures(["rouge-1", spec, "rouge-1(stat=recall)"]) == [
        parse_measure("rouge-1"),
        parse_measure(spec),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rogue-2", 'no measure "rogue-2" (nearest: "rouge-2"'),
        ("rouge-10", 'no measure "rouge-10" (nearest: "rouge-1"'),
        ("rouge-2(steam=none)", 'no option "steam" (nearest: "stem"'),
        ("rouge-2(stem=lovins)", "stem=lovins; expected one of: porter, none"),
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
        parse_measure("rouge-2(stat=f)")
        .signature("3-4")
        .startswith("rouge-2|stat:f|stem:porter|words:rouge|refs:3-4:pooled|v:")
    )
