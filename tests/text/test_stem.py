from __future__ import annotations

import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.text.stemmers import lovins, porter
from adjudge.text.stemmers import stem as module
from adjudge.text.stemmers.stem import STEMMERS, stem_words, stemmer_names

PAGE = Path(__file__).parents[2] / "docs" / "stemmers.md"
SOME = ["dies", "skies", "element", "enjoy", "believe", "sky", "was", "running", "national", "news"]


def test_the_names() -> None:
    assert STEMMERS == ("porter-155", "porter-nltk", "porter", "lovins", "none")
    names = stemmer_names()
    assert names[: len(STEMMERS)] == STEMMERS
    assert {"english", "german", "french", "russian"} <= set(names)
    assert len(set(names)) == len(names)


# porter-155, porter-nltk and lovins: the tools named in data/stems_*.tsv; porter: PyStemmer 3.1.0,
# Stemmer("porter"). Words of three letters stay in ROUGE-1.5.5 and in rouge-score 0.1.2.
@pytest.mark.parametrize(
    ("stemmer", "stems"),
    [
        ("porter-155", "di ski elem enjoi believ sky was run nation new"),
        ("porter-nltk", "die sky element enjoy believ sky was run nation news"),
        ("porter", "di ski element enjoi believ sky was run nation new"),
        ("lovins", "di sk el enjo belief sky wa run nat new"),
        ("none", "dies skies element enjoy believe sky was running national news"),
    ],
)
def test_each_stemmer_by_its_name(stemmer: str, stems: str) -> None:
    assert stem_words(SOME, stemmer) == stems.split()


# PyStemmer 3.1.0, Stemmer("german") and Stemmer("english").
def test_a_language_names_its_snowball_stemmer() -> None:
    assert stem_words(["häuser", "aufeinander"], "german") == ["haus", "aufeinand"]
    assert stem_words(["was", "dying"], "english") == ["was", "die"]


@given(st.lists(st.text("aeilnstudgy", max_size=8)), st.sampled_from(["porter-155", "porter-nltk", "lovins"]))
def test_many_words_are_stemmed_one_by_one(words: list[str], stemmer: str) -> None:
    one = {"porter-155": porter.stem_155, "porter-nltk": porter.stem_nltk, "lovins": lovins.stem}[stemmer]
    shortest = 0 if stemmer == "lovins" else 4
    assert stem_words(words, stemmer) == [one(word) if len(word) >= shortest else word for word in words]


def test_exceptions_come_before_the_stemmer() -> None:
    exceptions = {"better": "well", "children": "child", "is": "be", "ran": "run", "abode": "abide"}
    words = ["better", "children", "is", "ran", "abode", "abide", "houses"]
    expected = ["well", "child", "is", "ran", "abide", "abid", "hous"]
    assert stem_words(words, "porter-155", exceptions) == expected
    assert stem_words(words, "none", exceptions) == words
    assert stem_words(words, "porter-155", {}) == stem_words(words, "porter-155")
    assert stem_words(["children"], "lovins", exceptions) == ["child"]
    # What one call was given, the next does not remember.
    assert stem_words(["children"], "porter-155") == ["children"]


def test_an_unknown_stemmer_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r'^no stemmer "porter155" \(nearest: "porter-155".*\)$'):
        stem_words(["a"], "porter155")
    with pytest.raises(UsageError, match=r'^no stemmer "germn" \(nearest: "german".*\)$'):
        stem_words([], "germn")
    with pytest.raises(UsageError, match=r"\(known: porter-155, .*, none, arabic, .*\)$"):
        stem_words(["a"], "xx")


def test_a_word_is_stemmed_once_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def shout(word: str) -> str:
        asked.append(word)
        return word.upper()

    monkeypatch.setattr(module, "REMEMBERED", 3)
    stems = module._StemCache(shout)
    assert [stems[word] for word in ["a", "b", "a", "c", "a"]] == ["A", "B", "A", "C", "A"]
    assert asked == ["a", "b", "c"]
    assert [stems[word] for word in ["d", "a"]] == ["D", "A"]
    assert asked == ["a", "b", "c", "d", "a"]
    assert len(stems) <= 3


def test_threads_get_the_same_stems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 50)
    words = [f"{start}{k}ations" for start in ("rel", "nat", "stat") for k in range(100)]
    for stemmer in ("porter", "english", "lovins", "porter-155"):
        expected = stem_words(words, stemmer)
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda _, s=stemmer: stem_words(words, s), range(20))) == [expected] * 20


def test_pystemmer_is_loaded_for_its_own_stemmers_only() -> None:
    code = (
        "import sys; from adjudge.text.stemmers.stem import stem_words;"
        "[stem_words(['running'], s) for s in ('porter-155', 'porter-nltk', 'lovins', 'none')];"
        "before = {'Stemmer', 'numpy', 'pandas'} & set(sys.modules); stem_words(['running'], 'porter');"
        "print(sorted(before), 'Stemmer' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True False"


def table(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its two head lines."""
    lines = page.partition(f"\n{heading}\n")[2].splitlines()
    below = itertools.dropwhile(lambda line: not line.startswith("|"), lines)
    rows = list(itertools.takewhile(lambda line: line.startswith("|"), below))
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:1] + rows[2:]]


def test_the_page_shows_real_stems() -> None:
    head, *rows = table(PAGE.read_text(encoding="utf-8"), "## Where they differ")
    stemmers = [name.strip("`") for name in head[1:5]]
    assert set(stemmers) == set(STEMMERS) - {"none"}
    assert len(rows) > 10
    for row in rows:
        assert [stem_words([row[0]], stemmer)[0] for stemmer in stemmers] == row[1:5]


def test_the_page_names_every_stemmer() -> None:
    first = [row[0] for row in table(PAGE.read_text(encoding="utf-8"), "## Which to choose")]
    assert all(any(f"`{name}`" in cell for cell in first) for name in STEMMERS)
