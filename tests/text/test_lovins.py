from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.text.stemmers.lovins import CONDITIONS, ENDINGS, LONGEST_ENDING, RESPELLINGS, stem

REFERENCE = Path(__file__).parent / "data" / "stems_lovins.tsv"
PAIRS = [
    tuple(line.split("\t"))
    for line in REFERENCE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]

# A plain twin: appendix B word by word, and every rule tried in turn.
Left = Callable[[str], bool]
PLAIN: dict[str, Left] = {
    "A": lambda left: True,
    "B": lambda left: len(left) >= 3,
    "C": lambda left: len(left) >= 4,
    "D": lambda left: len(left) >= 5,
    "E": lambda left: not left.endswith("e"),
    "F": lambda left: len(left) >= 3 and not left.endswith("e"),
    "G": lambda left: len(left) >= 3 and left.endswith("f"),
    "H": lambda left: left.endswith(("t", "ll")),
    "I": lambda left: not left.endswith(("o", "e")),
    "J": lambda left: not left.endswith(("a", "e")),
    "K": lambda left: len(left) >= 3 and (left[-1] in "li" or (left[-3] == "u" and left[-1] == "e")),
    "L": lambda left: left.endswith("os") or not left.endswith(("u", "x", "s")),
    "M": lambda left: not left.endswith(("a", "c", "e", "m")),
    "N": lambda left: len(left) >= (4 if left[-3:-2] == "s" else 3),
    "O": lambda left: left.endswith(("l", "i")),
    "P": lambda left: not left.endswith("c"),
    "Q": lambda left: len(left) >= 3 and not left.endswith(("l", "n")),
    "R": lambda left: left.endswith(("n", "r")),
    "S": lambda left: left.endswith("dr") or (left.endswith("t") and not left.endswith("tt")),
    "T": lambda left: left.endswith("s") or (left.endswith("t") and not left.endswith("ot")),
    "U": lambda left: left.endswith(("l", "m", "n", "r")),
    "V": lambda left: left.endswith("c"),
    "W": lambda left: not left.endswith(("s", "u")),
    "X": lambda left: left[-1] in "li" or (left[-3:-2] == "u" and left[-1] == "e"),
    "Y": lambda left: left.endswith("in"),
    "Z": lambda left: not left.endswith("f"),
    "AA": lambda left: left.endswith(("d", "f", "ph", "th", "l", "er", "or", "es", "t")),
    "BB": lambda left: len(left) >= 3 and not left.endswith(("met", "ryst")),
    "CC": lambda left: left.endswith("l"),
}


def plain_stem(word: str) -> str:
    for ending in sorted(ENDINGS, key=len, reverse=True):
        left = word.removesuffix(ending)
        if left != word and len(left) >= 2 and PLAIN[ENDINGS[ending]](left):
            word = left
            break
    if word.endswith(tuple(2 * letter for letter in "bdglmnprst")):
        word = word[:-1]
    for old in sorted(RESPELLINGS, key=len, reverse=True):
        new, unless = RESPELLINGS[old]
        if word.endswith(old):
            return (
                word
                if word.endswith(tuple(letter + old for letter in unless))
                else word.removesuffix(old) + new
            )
    return word


ENDS = st.sampled_from(["", *ENDINGS, *RESPELLINGS])
WORDS = st.builds(lambda *parts: "".join(parts), st.text("aeiousmtnlcrfxdphyé", max_size=5), ENDS, ENDS)


def test_stems_are_snowballs() -> None:
    assert [(word, stem(word)) for word, _ in PAIRS] == [(word, expected) for word, expected in PAIRS]


@given(WORDS)
@example("")
@example("metallically")
@example("glucosides")
@example("rising")
@example("sensing")
def test_stems_are_what_plain_rules_give(word: str) -> None:
    assert stem(word) == plain_stem(word)


def test_the_tables_have_the_papers_size() -> None:
    assert len(ENDINGS) == 294
    assert len(RESPELLINGS) + 1 == 35  # rule 1 is the doubled letters
    assert list(CONDITIONS) == list(PLAIN)
    assert set(ENDINGS.values()) == set(CONDITIONS)
    assert LONGEST_ENDING == 11


def test_the_reference_covers_the_tables() -> None:
    words = [word for word, _ in PAIRS]
    assert all(any(word.endswith(ending) for word in words) for ending in ENDINGS)
    assert len(PAIRS) >= 300


# Examples in Lovins 1968 and in Porter's account of it ("Lovins revisited", 2001).
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("nationally", "nat"),
        ("sitting", "sit"),
        ("matrix", "matric"),
        ("matrices", "matric"),
        ("absorption", "absorb"),
        ("absorbing", "absorb"),
        ("believe", "belief"),
        ("rising", "ris"),
        ("glucoside", "glucos"),
        ("dissolved", "dissolut"),
    ],
)
def test_words_from_the_literature(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_two_letters_are_left_at_least_but_respelling_knows_no_length() -> None:
    assert [stem(word) for word in ("is", "ion", "able", "a", "", "add", "end", "ll")] == [
        "is",
        "ion",
        "abl",
        "a",
        "",
        "ad",
        "ens",
        "l",
    ]


@given(WORDS)
def test_a_stem_is_never_empty(word: str) -> None:
    assert bool(stem(word)) == bool(word)
