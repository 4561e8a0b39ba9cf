"""The compiled ROUGE gives the same counts as the plain one, on anything."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.compiled import PLATFORMS, Bare
from adjudge.data.rows import Summary, Topic
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.registry import parse_measures
from adjudge.measures.rouge import fast as fast_module
from adjudge.measures.rouge import kernels, scoring
from adjudge.measures.rouge.counts import RougeCounts
from adjudge.measures.rouge.family import Rouge
from adjudge.measures.rouge.texts import Preparation, PreparedText, Stemming, split_text
from adjudge.text.stemmers import porter_compiled
from adjudge.text.stemmers.porter import STEP_2, STEP_3, STEP_4

words = st.text("abcdé漢", min_size=1, max_size=2)
sentences = st.lists(st.lists(words, max_size=9), max_size=4)
long_sentences = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=60, max_size=70), min_size=1, max_size=2
)
few_words = st.lists(st.lists(st.sampled_from("abc"), max_size=24), min_size=1, max_size=3)
texts = (sentences | long_sentences | few_words).map(lambda s: PreparedText([w for x in s for w in x], s))
MEASURES = [
    m
    for m in parse_measures(
        [
            "rouge-1",
            "rouge-2",
            "rouge-3",
            "rouge-9",
            "rouge-l",
            "rouge-l(level=sentence)",
            "rouge-w",
            "rouge-w(weight=2)",
            "rouge-s0",
            "rouge-s4",
            "rouge-su4",
            "rouge-s*",
            "rouge-su*",
        ]
    )
    if isinstance(m, Rouge)
]


def assert_equal(peers: list[PreparedText], references: list[PreparedText]) -> None:
    from adjudge.measures.rouge.fast import RougePairs, TextPairs, from_words

    every = [*peers, *references]
    pairs = [(p, len(peers) + r) for p in range(len(peers)) for r in range(len(references))]
    left, right = [p for p, _ in pairs], [r for _, r in pairs]
    encoded = RougePairs(from_words(every), TextPairs.of(left, right))
    for measure in MEASURES:
        columns = measure.all_counts(encoded, np.asarray(left), np.asarray(right))
        fast = [RougeCounts(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]
        assert fast == [measure.counts(every[p], every[r]) for p, r in pairs], str(measure)


@examples(150)
@given(st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3))
def test_kernels_equal_the_plain_twin(peers: list[PreparedText], references: list[PreparedText]) -> None:
    assert_equal(peers, references)


def check_same_numbers(texts: list[str], preparation: Preparation) -> None:
    """Bytes and words give the same texts, whatever the numbers are."""
    from adjudge.measures.rouge.fast import from_words, numbered

    fast = numbered(texts, preparation, "lines", "en")
    plain = from_words([preparation.unstemmed(split_text(t, "lines")) for t in texts], preparation.stem)
    assert fast.starts.tolist() == plain.starts.tolist()
    pairs = set(zip(fast.whole.tolist(), plain.whole.tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    for t in range(len(texts)):
        lengths = [
            [b - a for a, b in pairwise(n.sentences[n.texts[t] : n.texts[t + 1] + 1].tolist()) if b > a]
            for n in (fast, plain)
        ]
        assert lengths[0] == lengths[1]


@examples(150)
@given(
    st.lists(st.text("abAB19 -.\n\r\t\0éK漢'", max_size=30), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_words_from_bytes_are_the_words(texts: list[str], stop: bool, stem: bool) -> None:
    check_same_numbers(
        texts,
        Preparation(
            stop=frozenset(["a", "ab"] * stop), stem=(lambda ws: [w[:1] for w in ws]) if stem else None
        ),
    )


endings = st.sampled_from(
    [
        *STEP_2,
        *STEP_3,
        *STEP_4,
        *"sey",
        "eed",
        "ed",
        "ing",
        "sses",
        "ies",
        "sion",
        "tion",
        "at",
        "bl",
        "iz",
        "ll",
        "zz",
    ]
)
stemmable = st.builds(
    "".join, st.tuples(st.text("aeiouyblstwxzAT1", max_size=4), endings, endings | st.just(""))
)


@examples(300)
@given(st.lists(stemmable, min_size=1, max_size=40))
def test_compiled_stems_are_the_stems(words: list[str]) -> None:
    blob = np.frombuffer("-".join(words).encode(), np.uint8)
    sizes = np.asarray([len(word) for word in words], np.int32)
    at = np.cumsum(sizes + 1, dtype=np.int64) - sizes - 1
    found = porter_compiled.stems(blob, at, sizes).tobytes().decode().split(" ")
    assert found == [*Stemming("porter-155")([word.lower() for word in words]), ""]


def test_many_distinct_words_from_bytes() -> None:
    check_same_numbers(
        ["a" * 17 + " " + "a" * 16 + "b", "A" * 17 + " " + "a" * 30 + " " + "a" * 16], Preparation()
    )
    check_same_numbers([" ".join(f"w{k}x{k % 7}" for k in range(20_000)), "w1x1 W19999X1", ""], Preparation())


def one(*lists: list[str]) -> PreparedText:
    return PreparedText([w for words in lists for w in words], list(lists))


def test_n_grams_that_do_not_fit_into_a_number() -> None:
    """Nine words of a vocabulary of 300 are more than 2**62."""
    counted = [f"w{k}" for k in range(300)]
    assert_equal(
        [one(counted[:150], counted[150:]), one(counted[140:160]), one(["w1"])],
        [one(counted), one(counted[5:])],
    )


def test_a_match_that_takes_less_than_was_there() -> None:
    """ "ba" is a run of two. Where one more a follows, b and that a are none, and W's table falls from 2.3 to 2.

    What falls must be made good in the first row or column without a match, which therefore may not be left out:
    the first pair goes wrong without the column of x, the second without the row of y.
    """
    assert_equal([one(list("bax"))], [one(list("baa"))])
    assert_equal([one(list("bbx"))], [one(list("bybb"))])


def test_corner_texts() -> None:
    corners = [
        one(),
        one([]),
        one(["a"]),
        one(["a"] * 70),
        one(["a", "b"] * 40, ["b"]),
        one(["x"], [], ["a"]),
    ]
    assert_equal(corners, corners)


def test_a_byte_limit_gives_sentences_that_are_not_the_text() -> None:
    odd = [
        PreparedText(["a", "b"], [["a", "b", "c"], ["d"]]),
        PreparedText(["a", "c", "d"], [["a"], ["c", "d", "e"]]),
    ]
    assert_equal(odd, odd)


@pytest.mark.slow
def test_texts_of_ten_thousand_words() -> None:
    import random

    draw = random.Random(3)
    vocabulary = [f"w{k}" for k in range(800)]
    long = [one(*[[draw.choice(vocabulary) for _ in range(25)] for _ in range(400)]) for _ in range(2)]
    from adjudge.measures.rouge.fast import RougePairs, TextPairs, from_words

    encoded = RougePairs(from_words(long), TextPairs.of([0], [1]))
    for measure in MEASURES:
        if measure.name not in ("rouge-s*", "rouge-su*") and getattr(measure, "level", "") != "sentence":
            counts = RougeCounts(
                *(c.item() for c in measure.all_counts(encoded, np.asarray([0]), np.asarray([1])))
            )
            assert counts == measure.counts(*long), str(measure)
    hits, sizes = encoded.skip_hits(-1, False)
    assert sizes.tolist() == [10_000 * 9_999 // 2] * 2
    assert 0 < hits.item() < sizes[0]


def batch(peers: int) -> TopicBatch:
    return TopicBatch(
        Topic("t"),
        tuple(
            Summary("t", f"s{k}", f"The storm number {k} came. It was very bad {k % 7} times.")
            for k in range(peers)
        ),
        tuple(
            Summary("t", f"r{k}", f"A storm came {k} times. It was bad.", roles=("reference",))
            for k in range(4)
        ),
    )


def test_few_pairs_go_the_plain_way_and_many_the_fast_one_with_the_same_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    specs = [
        "rouge-1",
        "rouge-2(stat=f)",
        "rouge-l",
        "rouge-w(refs=jackknife)",
        "rouge-su4(refs=best, stem=none)",
        "rouge-s4(refs=max, stat=f)",
        "rouge-lsum(refs=mean)",
    ]
    measures = [m for m in parse_measures(specs) if isinstance(m, Rouge)]
    monkeypatch.setattr(scoring, "PLAIN_UP_TO", 0.0)
    fast = list(scoring.score_together(measures, [batch(40)]))
    monkeypatch.setattr(scoring, "PLAIN_UP_TO", 10**9)
    assert list(scoring.score_together(measures, [batch(40)])) == fast
    assert len(fast) == 40 * len(measures)


KERNELS = [
    each
    for module in (kernels, fast_module, porter_compiled)
    for each in vars(module).values()
    if isinstance(each, Bare)
]
SCORED = """
from adjudge.measures.rouge.many import rouge_many
peers = ["The storms came and went, and came again.\\nIt was very bad.", "A storm!", "It came and it went and came."]
specs = ["rouge-1", "rouge-2", "rouge-lsum", "rouge-l(level=sentence)", "rouge-w(split=lines)", "rouge-s4", "rouge-su*"]
found = rouge_many(peers, [[peers[1], peers[2]], [peers[0]], peers], specs)
"""


@pytest.mark.skipif(sys.platform not in PLATFORMS, reason="numba does the work here")
def test_all_kernels_are_bare() -> None:
    """None of them went to numba, whose function would then be kept."""
    test_corner_texts()
    exec(SCORED, {})
    called = [kernel for kernel in KERNELS if kernel._entries]
    assert {"_scan", "_stems", "_number_overlaps", "_key_overlaps", "_union_hits", "_lcs_lengths"} <= {
        kernel.function.__name__ for kernel in called
    }
    assert [kernel.function.__name__ for kernel in KERNELS if "dispatcher" in vars(kernel)] == []


@pytest.mark.skipif(sys.platform not in PLATFORMS, reason="numba does the work here")
def test_once_compiled_scores_load_nothing_heavy() -> None:
    loaded = "import sys; print(*{'numba', 'scipy', 'pandas', 'pyarrow', 'sentencex'} & {*sys.modules})"
    run(SCORED)  # compiles what is not on disk yet
    assert run(f"{SCORED}\n{loaded}").strip() == ""


@pytest.mark.slow  # numba compiles all of them
def test_numba_and_object_files_give_the_same_scores() -> None:
    here: dict[str, object] = {}
    exec(SCORED, here)
    elsewhere = "import adjudge.core.compiled as compiled; compiled.PLATFORMS = ()"
    assert run(f"{elsewhere}\n{SCORED}\nprint(found)").strip() == str(here["found"])


def run(code: str, **environment: str) -> str:
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "NUMBA_CACHE_DIR")} | environment
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_one_short_pair_does_not_pay_for_the_compiler() -> None:
    code = "import sys, adjudge; adjudge.rouge('A storm.', ['The storm.']); print('numba' in sys.modules)"
    assert run(code).strip() == "False"


def test_a_read_only_install_without_a_home_compiles_uncached_and_says_so_once(tmp_path: Path) -> None:
    """numba finds no place for its cache when neither the package nor a home can be written."""
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "import numba.core.caching as c\n"
        "c.CacheImpl._locator_classes = []\n"  # what is left of them where no folder can be written
        "from adjudge.core.compiled import kernel\n"
        "f, g = kernel(lambda x: x + 1), kernel(lambda x: x * 2)\n"
        "print(f(1), g(4))"
    )
    said = run(code)
    assert "2 8" in said
    assert said.count("compiled code cannot be cached") == 1
