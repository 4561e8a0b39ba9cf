from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import FormatError
from adjudge.text.stemmers.porter import EXCEPTION_FILES, load_exceptions
from adjudge.text.stemmers.porter import stem_155 as stem

REFERENCE = Path(__file__).parent / "data" / "stems_porter155.tsv"
PAIRS = [
    tuple(line.split("\t"))
    for line in REFERENCE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("word", "expected"), PAIRS)
def test_stems_are_the_scripts(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_the_reference_would_notice_the_usual_porter() -> None:
    import Stemmer

    usual = Stemmer.Stemmer("porter").stemWord
    assert len(PAIRS) >= 400
    assert sum(usual(word) != expected for word, expected in PAIRS) >= 50


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
    assert stem(word) == expected


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
