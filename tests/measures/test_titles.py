"""What measures are called: titles in words, names from elsewhere, presets, several in one text."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

import pytest

from adjudge.core.errors import UsageError
from adjudge.data.scores import MeasureInfo
from adjudge.measures.presets import PRESETS
from adjudge.measures.registry import parse_measure, parse_measures, registry, titled

TITLES = {
    "rouge-2": "ROUGE-2",
    "rouge-2-recall": "ROUGE-2 recall",
    "rouge-1(stat=precision)": "ROUGE-1 precision",
    "rouge-2(stat=recall)": "ROUGE-2 recall, best reference",
    "rouge-2-recall(limit=100w)": "ROUGE-2 recall, first 100 words",
    "rouge-2(limit=1000b)": "ROUGE-2, first 1,000 bytes",
    "rouge-2(stem=porter-155, refs=pooled)": "ROUGE-2, references pooled",
    "rouge-2(stem=porter-155)": "ROUGE-2, stemmer porter-155",
    "rouge-2-recall(stem=porter-nltk)": "ROUGE-2 recall, stemmer porter-nltk",
    "rouge-2(stem=none, stop=en)": "ROUGE-2, not stemmed, without stop words (en)",
    "rouge-2(alpha=0.3)": "ROUGE-2 (alpha 0.3)",
    "rouge-l": "ROUGE-L",
    "rouge-l-recall": "ROUGE-L recall",
    "rouge-l(level=summary)": "ROUGE-L, level summary",
    "rouge-lsum-recall(refs=jackknife)": "ROUGE-Lsum recall, jackknife",
    "rouge-w(weight=1.5, split=lines)": "ROUGE-W recall, weight 1.5, split lines",
    "rouge-su4": "ROUGE-SU4 recall",
    "rouge-be(match=HMR, refs=mean)": "ROUGE-BE recall, match HMR, mean over references",
    "bleu": "BLEU",
    "bleu(lowercase=true)": "BLEU, lowercase",
    "chrf(word_order=2)": "chrF++",
    "ter": "TER",
    "js(stem=none)": "JS divergence, not stemmed",
    "novel-2": "novel 2-grams",
    "extract(stat=kappa)": "extract kappa",
    "coverage": "coverage",
    "length-adjusted-coverage": "length-adjusted coverage",
    "coverage-by-level(level=100)": "coverage of units of 100 words",
    "rating(aspect=fluency)": "fluency rating",
    "rating(aspect=fluency, scale=z)": "fluency rating, z-scores",
    "quality(question=cohesion)": "quality: cohesion",
    "pyramid(stat=original)": "pyramid score, stat original",
    "wins": "share of duels won",
    "expert:coherence": "coherence (expert)",
    "imported:rouge-2(F)": "rouge-2(F) (imported)",
    "not-installed(here=1)": "not-installed(here=1)",
}


@pytest.mark.parametrize(("spec", "title"), TITLES.items())
def test_titles_are_words(spec: str, title: str) -> None:
    assert titled(spec) == title


def variants(name: str) -> list[str]:
    """A measure with every choice of every pair of its options."""
    make = registry()[name]
    cls: Any = getattr(make, "func", make)
    defaults = {f.name: f.default for f in fields(cls)}
    choices = {
        option: [c for c in (*cls.OPTIONS.get(option, ()), *cls.EXAMPLES.get(option, ())) if c != "all"]
        for option in parse_measure(name).options()
    }
    for option, known in choices.items():
        if not known and isinstance(defaults[option], bool):
            choices[option] = ["true", "false"]
    specs = [name]
    for a, b in product(choices, repeat=2):
        specs += [f"{name}({a}={x}, {b}={y})" for x in choices[a] for y in choices[b] if a < b]
        specs += [f"{name}({a}={x})" for x in choices[a] if a == b]
    return specs


def test_no_two_measures_have_one_title() -> None:
    seen: dict[str, str] = {}
    for name in registry():
        for spec in variants(name):
            try:
                measure = parse_measure(spec)
            except UsageError:  # options that exclude each other, and data that is not on this machine
                continue
            assert seen.setdefault(measure.title, str(measure)) == str(measure), measure.title
    assert len(seen) > 1000


def test_a_title_in_a_sentence_has_its_details_in_brackets() -> None:
    info = parse_measure("rouge-2(refs=mean)").info()
    assert (info.heading, info.words) == (
        "ROUGE-2, mean over references",
        "ROUGE-2 (mean over references)",
    )
    assert MeasureInfo("coverage, mean").words == "coverage, mean"  # a stranger's column keeps its name
    assert MeasureInfo("rouge-2").heading == "rouge-2"


def test_names_without_regard_to_case() -> None:
    for name in ("ROUGE-2", "Rouge-2", "rouge-2"):
        assert str(parse_measure(name)) == "rouge-2"
    assert (
        str(parse_measure("Rouge-L(Stat=Precision, level=Summary)"))
        == "rouge-l(stat=precision, level=summary)"
    )
    assert str(parse_measure("ROUGE-SU7")) == "rouge-su7"
    assert parse_measures("TAC") == parse_measures(["tac"])


def test_several_in_one_text() -> None:
    wanted = ["rouge-1", "rouge-2(stat=precision, stem=none)", "bleu"]
    assert [str(m) for m in parse_measures("rouge-1, rouge-2(stat=precision, stem=none),bleu")] == wanted
    assert parse_measures("rouge-score,rouge-1") == parse_measures([*PRESETS["rouge-score"], "rouge-1"])
    with pytest.raises(UsageError, match="names a measure that is empty"):
        parse_measures("rouge-1,,rouge-2")


@pytest.mark.parametrize("given", [2, [2], [["rouge-2"]], None])
def test_what_is_no_text_is_one_line(given: Any) -> None:
    with pytest.raises(UsageError, match="expected a text such as rouge-2"):
        parse_measures(given)


ELSEWHERE = {
    "rouge_l": ('"rouge-l" (F as rouge-score',),
    "r2": ('"rouge-2"',),
    "rouge2_fmeasure": ('"rouge-2"',),
    "rouge2-recall": (
        '"rouge-2-recall" (recall as ROUGE-1.5.5',
        '"rouge-2(stat=recall)" (recall as rouge-score',
    ),
    "rouge-l-precision": (
        '"rouge-l(stat=precision, stem=porter-155, refs=pooled, level=summary)"',
        '"rouge-l(stat=precision)"',
    ),
    "rougesu4": ('"rouge-su4"',),
    "ROUGE": ("rouge-score", "tac"),
    "BERTScore": ("embedding(mode=token)", "adjudge import scores"),
    "bert_score": ("embedding(mode=token)", "adjudge import scores"),
    "meteor": ("not computed here", "adjudge import scores"),
    "bleu4": ("type bleu",),
    "chrF++": ("chrf(word_order=2)",),
    "tac(stat=f)": ("tac stands for several measures",),
}


def test_the_names_of_rouge_score_are_names() -> None:
    for theirs, ours in {"rouge1": "rouge-1", "rougeL": "rouge-l", "rougeLsum": "rouge-lsum"}.items():
        assert str(parse_measure(theirs)) == ours
        assert str(parse_measure(f"{theirs}(stem=none)")) == f"{ours}(stem=none)"


@pytest.mark.parametrize(("name", "said"), ELSEWHERE.items())
def test_names_from_elsewhere_are_answered_and_never_guessed(name: str, said: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as error:
        parse_measure(name)
    assert all(part in str(error.value) for part in said), error.value


def test_what_the_answers_name_is_there() -> None:
    for name in ELSEWHERE:
        with pytest.raises(UsageError) as error:
            parse_measure(name)
        for spec in str(error.value).split('"')[3::2]:
            assert parse_measure(spec)
