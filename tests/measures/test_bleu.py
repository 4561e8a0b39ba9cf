"""BLEU, chrF and TER: sacrebleu's own numbers, plain twins, hand counts, and what a missing extra says."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import BLEU, CHRF, TER

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.measures.bleu import Bleu, Chrf, Ter
from adjudge.measures.embedding import Embedding
from adjudge.measures.spec import build, split_spec

words = st.lists(st.sampled_from(["a", "b", "Bc", "d.", "é,", "猫"]), max_size=9).map(" ".join)
texts = st.lists(words, min_size=1, max_size=3)


def parse(text: str) -> Measure:
    name, options = split_spec(text)
    return build({"bleu": Bleu, "chrf": Chrf, "ter": Ter}[name], name, options)


def score(measure: Measure, peer: str, references: list[str]) -> float:
    written = tuple(Summary("t", f"r{k}", text, roles=("reference",)) for k, text in enumerate(references))
    (row,) = measure.score(TopicBatch(Topic("t"), (Summary("t", "s", peer),), written))
    return row.value


# sacrebleu 2.6.0 (and whatever later version is installed): its own call for one text


@given(
    words,
    texts,
    st.sampled_from(Bleu.OPTIONS["tokenize"]),
    st.sampled_from(Bleu.OPTIONS["smooth"]),
    st.booleans(),
)
def test_bleu_is_sacrebleus(
    peer: str, references: list[str], tokenize: str, smooth: str, lowercase: bool
) -> None:
    theirs = BLEU(tokenize=tokenize, smooth_method=smooth, lowercase=lowercase, effective_order=True)
    ours = Bleu(tokenize=tokenize, smooth=smooth, lowercase=lowercase)
    expected = theirs.sentence_score(peer, references).score
    assert score(ours, peer, references) == pytest.approx(expected, abs=1e-9)
    assert score(ours, peer, references) <= 100


@given(words, texts, st.sampled_from(Chrf.OPTIONS["word_order"]), st.integers(1, 3), st.booleans())
def test_chrf_is_sacrebleus(peer: str, references: list[str], order: str, beta: int, lowercase: bool) -> None:
    theirs = CHRF(word_order=int(order), beta=beta, lowercase=lowercase)
    expected = theirs.sentence_score(peer, references).score
    ours = Chrf(word_order=order, beta=beta, lowercase=lowercase)
    assert score(ours, peer, references) == pytest.approx(expected, abs=1e-9)


@given(words, texts, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_ter_is_sacrebleus(
    peer: str, references: list[str], lowercase: bool, punctuation: bool, normalize: bool, asian: bool
) -> None:
    theirs = TER(
        case_sensitive=not lowercase, no_punct=not punctuation, normalized=normalize, asian_support=asian
    )
    expected = theirs.sentence_score(peer, references).score
    ours = Ter(lowercase=lowercase, punctuation=punctuation, normalize=normalize, asian=asian)
    assert score(ours, peer, references) == pytest.approx(expected, abs=1e-9)


def test_numbers_that_stay() -> None:
    # sacrebleu 2.6.0, files of one line: `sacrebleu REF1 REF2 -i PEER -m bleu chrf ter -b -w 6`, then
    # `-m chrf --chrf-word-order 2` and `-m bleu -tok intl -lc -s add-k`
    peer = "The storm began on Monday and ended on Tuesday."
    references = [
        "A storm began Monday and ended Tuesday.",
        "On Monday the storm began; it ended on Tuesday.",
    ]
    printed = {
        "bleu": 37.200908,
        "chrf": 79.314979,
        "ter": 37.5,
        "chrf(word_order=2)": 76.667560,
        "bleu(tokenize=intl, smooth=add-k, lowercase=true)": 53.801955,
    }
    assert {text: round(score(parse(text), peer, references), 6) for text in printed} == printed


# Twins


def grams(tokens: Any, n: int) -> Counter[Any]:
    return Counter(tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1))


def bleu_twin(peer: str, references: list[str]) -> float:
    """Orders that have n-grams, `exp` smoothing, one order after the other."""
    p, rs = peer.split(), [r.split() for r in references]
    logs, halving = [], 1.0
    for n in range(1, 5):
        have = grams(p, n)
        hits = sum(min(c, max(grams(r, n)[g] for r in rs)) for g, c in have.items())
        if not have or (n == 1 and not hits):
            break
        halving *= 1 if hits else 2
        logs.append(math.log((hits or 1 / halving) / have.total()))
    if not logs:
        return 0.0
    closest = min((abs(len(r) - len(p)), len(r)) for r in rs)[1]
    return 100 * min(1.0, math.exp(1 - closest / len(p))) * math.exp(sum(logs) / len(logs))


@given(words, texts)
def test_bleu_equals_the_twin(peer: str, references: list[str]) -> None:
    assert score(Bleu(tokenize="none"), peer, references) == pytest.approx(
        bleu_twin(peer, references), abs=1e-9
    )


def chrf_twin(peer: str, reference: str) -> float:
    pairs = [(grams("".join(peer.split()), n), grams("".join(reference.split()), n)) for n in range(1, 7)]
    pairs = [(p, r) for p, r in pairs if p and r]
    if not pairs:
        return 0.0
    precision = sum((p & r).total() / p.total() for p, r in pairs) / len(pairs)
    recall = sum((p & r).total() / r.total() for p, r in pairs) / len(pairs)
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision else 0.0


@given(words, texts)
def test_chrf_equals_the_twin(peer: str, references: list[str]) -> None:
    best = max(chrf_twin(peer, reference) for reference in references)
    assert score(Chrf(), peer, references) == pytest.approx(best, abs=1e-9)


def test_counted_by_hand() -> None:
    # Papineni et al. 2002, section 2.1, example 2: two of seven unigrams and no longer run; the 6 pairs count
    # half a hit, the 5 triples a quarter, the 4 runs of four an eighth (smooth=exp); no penalty, 7 tokens to 7
    the = "the the the the the the the"
    cat = ["The cat is on the mat.".lower(), "There is a cat on the mat.".lower()]
    product = 2 / 7 * (1 / 2 / 6) * (1 / 4 / 5) * (1 / 8 / 4)
    assert score(Bleu(), the, cat) == pytest.approx(100 * product ** (1 / 4))
    # a b c d -> c d a b is one move of two words
    assert score(Ter(), "c d a b", ["a b c d"]) == pytest.approx(25)
    assert score(Ter(), "a b x d", ["a b c d"]) == pytest.approx(25)
    # the fewest edits are 1, the mean length is 3
    assert score(Ter(), "a b", ["a b c", "x y z"]) == pytest.approx(100 / 3)
    # one letter in common: precision 1/2 and 0, recall 1 and nothing to recall
    assert score(Chrf(), "ab", ["a"]) == pytest.approx(100 * 5 * 0.5 / (4 * 0.5 + 1))


def test_more_references_never_lower_the_hits() -> None:
    assert score(Bleu(), "one two three four", ["one two", "three four"]) > max(
        score(Bleu(), "one two three four", ["one two"]), score(Bleu(), "one two three four", ["three four"])
    )


# How a measure behaves


def test_nobody_is_scored_against_himself_and_lengths_are_kept_apart() -> None:
    ann = Summary("t", "ann", "one two three four", 10, ("peer", "reference"))
    bob = Summary("t", "bob", "one two three five", 10, ("reference",))
    long = Summary("t", "s", "one two three four", 50)
    rows = list(Bleu().score(TopicBatch(Topic("t"), (ann, long), (ann, bob))))
    assert rows[0].value == pytest.approx(score(Bleu(), ann.text, [bob.text]), abs=1e-12)
    assert math.isnan(rows[1].value)
    assert rows[1].why == "no reference of length 50 (there are: 10)"
    (alone,) = Ter().score(TopicBatch(Topic("t"), (ann,), (ann,)))
    assert alone.why == "the only reference is by the same system"


def test_peers_with_other_references_do_not_share_them() -> None:
    people = [
        Summary("t", name, text, roles=("peer", "reference"))
        for name, text in (("ann", "a b c d e"), ("bob", "a b c d f"), ("eve", "v w x y z"))
    ]
    rows = list(Chrf().score(TopicBatch(Topic("t"), tuple(people), tuple(people))))
    for row, person in zip(rows, people, strict=True):
        others = [p.text for p in people if p is not person]
        assert row.value == pytest.approx(CHRF().sentence_score(person.text, others).score, abs=1e-9)


def test_empty_texts_are_the_worst_not_an_error() -> None:
    assert score(Bleu(), "", ["a b"]) == score(Chrf(), "", ["a b"]) == 0.0
    assert score(Bleu(), "a b", [""]) == 0.0
    assert score(Ter(), "", ["a b"]) == score(Ter(), "a b", [""]) == 100.0


@pytest.mark.parametrize(
    "text",
    [
        "bleu",
        "bleu(tokenize=intl, smooth=add-k, lowercase=true)",
        "chrf(word_order=2, beta=1)",
        "ter",
        "ter(lowercase=false, punctuation=false, normalize=true, asian=true)",
    ],
)
def test_the_text_is_the_identity(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_directions_and_ranges() -> None:
    assert (Bleu().better, Bleu().range) == ("higher", (0.0, 100.0))
    assert (Chrf().better, Chrf().range) == ("higher", (0.0, 100.0))
    assert (Ter().better, Ter().range) == ("lower", (0.0, None))
    assert score(Ter(), "a b c d e f", ["x"]) > 100


def test_the_signature_names_the_library() -> None:
    import sacrebleu

    library = f"sacrebleu:{sacrebleu.__version__}"
    said = Bleu(lowercase=True).signature("3-4")
    assert said.startswith(f"bleu|tokenize:13a|smooth:exp|lowercase:true|refs:3-4:together|{library}|v:")
    assert f"|refs:fewest-edits|{library}|v:" in Ter().signature()


def test_mistakes_in_options() -> None:
    with pytest.raises(UsageError, match="beta=0; expected a whole number of at least 1"):
        parse("chrf(beta=0)")
    with pytest.raises(UsageError, match="word_order=1.*expected one of: 0, 2"):
        parse("chrf(word_order=1)")
    with pytest.raises(UsageError, match='tokenize=13 .nearest: "13a"'):
        parse("bleu(tokenize=13)")


@pytest.mark.parametrize("measure", [Bleu(), Chrf(), Ter()])
def test_without_the_extra_one_line_says_what_to_do(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(UsageError) as error:
        score(measure, "a", ["a"])
    assert str(error.value) == f'{measure.name} needs an extra: pip install "adjudge[bleu]"'


def test_sacrebleu_is_loaded_only_when_a_measure_runs() -> None:
    code = (
        "import sys; from adjudge.measures.bleu import Bleu; Bleu().info(); print('sacrebleu' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("measure", [Bleu, Chrf, Ter, Embedding])
def test_the_page_has_every_option_with_its_default_and_choices(measure: type[Measure]) -> None:
    page = Path(__file__).parents[2] / "docs" / "measures-libraries.md"
    part = page.read_text(encoding="utf-8").split(f"\n## {measure.FAMILY}\n")[1].split("\n## ")[0]
    for each in fields(measure):
        default = str(each.default).lower() if isinstance(each.default, bool) else each.default
        assert f"| `{each.name}` | `{default}` |" in part
        assert [c for c in measure.OPTIONS.get(each.name, ()) if f"`{c}`" not in part] == []


def test_a_missing_extra_is_said_before_anything_is_scored(
    small: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(UsageError, match=r'^chrf needs an extra: pip install "adjudge\[bleu\]"$'):
        small.score("words", "chrf")
    assert not list(small.path.glob("scores/*.parquet"))
