"""Porter's stemmers against plain readings of the paper, ROUGE-1.5.5's stems and NLTK's, and the exception lists."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.core.errors import FormatError
from adjudge.text.stemmers import porter
from adjudge.text.stemmers.porter import (
    EXCEPTION_FILES,
    STEP_2,
    STEP_3,
    STEP_4,
    change_ending,
    ends_short,
    has_vowel,
    load_exceptions,
    measure,
    shape,
)

DATA = Path(__file__).parent / "data"


def pairs(file: str) -> list[tuple[str, ...]]:
    """Words with their stems."""
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


PAIRS = pairs("stems_porter_nltk.tsv")
PAIRS_155 = pairs("stems_porter155.tsv")

MORE = "s es ies sses ed eed ied ing ying ion sion y ly bly fully e ll yed"
ENDINGS = [
    *STEP_2,
    *STEP_3,
    *STEP_4,
    *MORE.split(),
]
LETTERS = st.text("aeiouyybdlstwxz1", max_size=6)
WORDS = st.builds(
    lambda *parts: "".join(parts), LETTERS, st.sampled_from(["", *ENDINGS]), st.sampled_from(ENDINGS)
)

# Plain twins: Porter's rules as he prints them, tried one by one.
PLURAL = "sses>ss ies>i ss>ss s>"
TWO = """ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous
    ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive
    biliti>ble"""
THREE = "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>"
FOUR = "al> ance> ence> er> ic> able> ible> ant> ement> ou> ism> ate> iti> ous> ive> ize>"


def is_vowel(word: str, place: int) -> bool:
    if word[place] == "y":
        return place > 0 and not is_vowel(word, place - 1)
    return word[place] in "aeiou"


def plain_shape(word: str) -> str:
    return "".join("v" if is_vowel(word, place) else "c" for place in range(len(word)))


def plain_measure(word: str) -> int:
    return "".join(kind for kind, _ in groupby(plain_shape(word))).count("vc")


def rewrite(word: str, rules: str, more_than: int = -1) -> str:
    """The first rule whose ending fits, if the measure before it is large enough."""
    for rule in rules.split():
        old, new = rule.split(">")
        if word.endswith(old):
            before = word.removesuffix(old)
            return before + new if plain_measure(before) > more_than else word
    return word


def plain_past(word: str, nltk: bool) -> str:
    if nltk and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return rewrite(word, "eed>ee", 0)
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in plain_shape(stem):
            if stem[-2:] in ("at", "bl", "iz"):
                return stem + "e"
            if stem[-1] == stem[-2:-1] and not is_vowel(stem, len(stem) - 1):
                return stem if stem[-1] in ("lsz" if nltk else "lszy") else stem[:-1]
            return stem + "e" if plain_measure(stem) == 1 and plain_short(stem, nltk) else stem
    return word


def plain_short(stem: str, nltk: bool) -> bool:
    if nltk and plain_shape(stem) == "vc":
        return True
    return plain_shape(stem)[-3:] == "cvc" and stem[-1] not in "wxy"


def plain_end(word: str, nltk: bool) -> str:
    stem = word.removesuffix("e")
    if stem != word and (
        plain_measure(stem) > 1 or (plain_measure(stem) == 1 and not plain_short(stem, nltk))
    ):
        word = stem
    return word[:-1] if word.endswith("ll") and plain_measure(word) > 1 else word


def plain_porter_155(word: str) -> str:
    if len(word) < 3:
        return word
    word = plain_past(rewrite(word, PLURAL), nltk=False)
    if word[-1] == "y" and "v" in plain_shape(word[:-1]):
        word = word[:-1] + "i"
    word = rewrite(rewrite(word, TWO + " logi>log", 0), THREE, 0)
    word = rewrite(rewrite(word, FOUR, 1), "ment>", 1)
    word = rewrite(word, "ent>", 1) if word.endswith("ent") else rewrite_ion(word)
    return plain_end(word, nltk=False)


def rewrite_ion(word: str) -> str:
    return rewrite(word, "ion>", 1) if word.endswith(("sion", "tion")) else word


def plain_porter_nltk(word: str) -> str:
    if len(word) < 3 or word in porter._IRREGULAR:
        return porter._IRREGULAR.get(word, word)
    word = rewrite(word, "ies>ie" if len(word) == 4 and word.endswith("ies") else PLURAL)
    word = plain_past(word, nltk=True)
    if word[-1] == "y" and len(word) > 2 and not is_vowel(word, len(word) - 2):
        word = word[:-1] + "i"
    while word.endswith("alli") and plain_measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        word = word[:-1] if plain_measure(word[:-3]) > 0 else word
    else:
        word = rewrite(word, TWO + " fulli>ful", 0)
    word = rewrite(word, THREE, 0)
    word = rewrite_ion(word) if word.endswith("ion") else rewrite(word, FOUR + " ment> ent>", 1)
    return plain_end(word, nltk=True)


# The examples of Porter 1980, section 2, and one more for a run of y's.
@pytest.mark.parametrize(
    ("m", "words"),
    [
        (0, "tr ee tree y by"),
        (1, "trouble oats trees ivy"),
        (2, "troubles private oaten orrery"),
        (2, "syzygy"),
    ],
)
def test_the_measure_of_the_papers_examples(m: int, words: str) -> None:
    assert [measure(word) for word in words.split()] == [m] * len(words.split())


@given(st.text("aeiouybct1é"))
def test_shape_and_measure_are_what_the_definition_says(word: str) -> None:
    assert shape(word) == plain_shape(word)
    assert measure(word) == plain_measure(word)
    assert has_vowel(word) == any(is_vowel(word, place) for place in range(len(word)))


def test_short_ends() -> None:
    assert all(map(ends_short, ["hop", "wil", "syc"]))
    assert not any(map(ends_short, ["snow", "box", "tray", "fail", "us", ""]))


def test_only_the_longest_ending_is_tried() -> None:
    endings = {"ational": "ate", "tional": "tion"}
    assert change_ending("relational", endings, 0) == "relate"
    assert change_ending("conditional", endings, 0) == "condition"
    assert change_ending("rational", endings, 0) == "rational"
    assert change_ending("sky", endings, 0) == "sky"


@given(WORDS)
@example("tyyed")
@example("elementional")
@example("yying")
def test_porter_155_is_what_plain_rules_give(word: str) -> None:
    assert porter.stem_155(word) == plain_porter_155(word)


@given(WORDS)
@example("tyyed")
@example("dies")
@example("skies")
@example("rationally")
def test_porter_nltk_is_what_plain_rules_give(word: str) -> None:
    assert porter.stem_nltk(word) == plain_porter_nltk(word)


def test_porter_nltk_is_nltks() -> None:
    assert [(word, porter.stem_nltk(word)) for word, _ in PAIRS] == [(word, stem) for word, stem in PAIRS]


def test_the_reference_would_notice_another_porter() -> None:
    assert len(PAIRS) >= 300
    assert sum(porter.stem_155(word) != stem for word, stem in PAIRS) >= 80


def test_short_and_empty_words_stay() -> None:
    assert [stem(word) for stem in (porter.stem_155, porter.stem_nltk) for word in ("", "s", "as")] == [
        "",
        "s",
        "as",
    ] * 2


# ROUGE-1.5.5


def test_porter_155_is_the_scripts() -> None:
    stems = [(word, porter.stem_155(word)) for word, _ in PAIRS_155]
    assert stems == [(word, expected) for word, expected in PAIRS_155]


def test_the_reference_of_155_would_notice_the_usual_porter() -> None:
    import Stemmer

    usual = Stemmer.Stemmer("porter").stemWord
    assert len(PAIRS_155) >= 400
    assert sum(usual(word) != expected for word, expected in PAIRS_155) >= 50


# Porter 1980 leaves "element", and ends with "government" and "profession".
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("element", "elem"),
        ("governmental", "govern"),
        ("professional", "profess"),
        ("temperamental", "tempera"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
    ],
)
def test_ment_ent_and_ion_come_after_the_other_endings(word: str, expected: str) -> None:
    assert porter.stem_155(word) == expected


def write(folder: Path, **lists: str) -> Path:
    """The four exception lists; those not given are empty."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in EXCEPTION_FILES:
        (folder / name).write_text(lists.get(name.removesuffix(".exc"), ""), encoding="utf-8")
    return folder


@pytest.mark.parametrize("inner", [".", "WordNet-2.0-Exceptions", "data/WordNet-2.0-Exceptions"])
def test_exceptions_are_found_in_a_copy_of_the_release(tmp_path: Path, inner: str) -> None:
    write(tmp_path / inner, noun="children child\naxes ax axis\n\n", verb="went go\r\n")
    assert load_exceptions(tmp_path) == {"children": "child", "axes": "ax", "went": "go"}
    assert load_exceptions(str(tmp_path)) == load_exceptions(tmp_path)


def test_the_later_line_and_the_later_file_count(tmp_path: Path) -> None:
    write(
        tmp_path,
        adj="better good well\noffer off\noffer offer\n",
        adv="better well\n",
        noun="is is\n",
        verb="is be\n",
    )
    assert load_exceptions(tmp_path) == {"better": "well", "offer": "offer", "is": "be"}


def test_a_folder_without_lists_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"no exception lists, expected adj\.exc, .* WordNet-2\.0-Exceptions$"
    ) as error:
        load_exceptions(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}: ")
    with pytest.raises(FormatError, match="no exception lists"):
        load_exceptions(tmp_path / "nowhere")


def test_a_database_alone_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "WordNet-2.0.exc.db").write_bytes(b"\x00\x06\x15\x61")
    with pytest.raises(FormatError, match=r"\(WordNet-2\.0\.exc\.db alone is not read\)$"):
        load_exceptions(tmp_path)


def test_a_list_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    write(tmp_path, noun="children child\nmice\n")
    with pytest.raises(FormatError, match=r"noun\.exc:2: one word, expected a form and its base form$"):
        load_exceptions(tmp_path)
    (tmp_path / "noun.exc").write_bytes(b"caf\xe9s caf\xe9\n")
    with pytest.raises(FormatError, match=r"noun\.exc: is not text"):
        load_exceptions(tmp_path)
    (tmp_path / "noun.exc").unlink()
    with pytest.raises(FormatError, match=r"noun\.exc: is missing"):
        load_exceptions(tmp_path)
