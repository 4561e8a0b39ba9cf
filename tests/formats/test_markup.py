"""Tags, comments, entities and bytes of files that no XML parser would take."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import FormatError
from adjudge.formats.duc import paragraphs
from adjudge.formats.files import STRAY_BYTES, Place, decoded
from adjudge.formats.markup import UNKNOWN_ENTITY, Tag, characters, refuse_declarations, tokens


def place() -> Place:
    return Place(Path("d.sgml"), 1)


def test_tokens() -> None:
    text = "a <b> c < 5 & d > 3 <!-- x <y> --> <P x=1\ny=2></p>e<!DOCTYPE q><?pi?>f <unclosed"
    assert list(tokens(text)) == [
        "a ",
        Tag("B", "", False),
        " c < 5 & d > 3 ",
        " ",
        Tag("P", "x=1 y=2", False),
        Tag("P", "", True),
        "e",
        "f <unclosed",
    ]


def test_a_comment_that_never_ends_is_text() -> None:
    assert list(tokens("a <!-- b <!-- c <p>")) == ["a ", " b ", " c ", Tag("P", "", False)]


@given(st.text(alphabet="<>!-/ab &;"))
def test_nothing_is_invented(text: str) -> None:
    kept = "".join(token for token in tokens(text) if isinstance(token, str))
    rest = iter(text)
    assert all(character in rest for character in kept)  # a subsequence of the input


def test_entities() -> None:
    here = place()
    text = "R&AMP;D &amp; AT&T &LR; x &eacute;&#233;&#xE9; &UR;&nosuch; Q&A; &#99999999999; &lt"
    assert characters(text, here) == "R&D & AT&T  x ééé  Q &#99999999999; &lt"
    assert here.notes == [UNKNOWN_ENTITY] * 4  # &A; is one, too


def test_bytes() -> None:
    here = place()
    assert decoded("Café – naïve\r\nx\ry".encode(), here, None) == "Café – naïve\nx\ny"
    assert here.notes == []
    assert decoded(b"Caf\xe9 \x96 \x81 " + "é".encode(), here, None) == "Café – \x81 é"
    assert here.notes == [STRAY_BYTES]
    assert decoded(b"Caf\xe9", here, "latin-1") == "Café"
    with pytest.raises(FormatError, match="is not utf-8"):
        decoded(b"Caf\xe9", here, "utf-8")


def test_paragraphs() -> None:
    text = "   One\nmore.\n   Two.\n\nThree\nmore.\n\tFour."
    assert paragraphs(text) == "One more.\nTwo.\nThree more.\nFour."
    assert paragraphs(" \n\n") == ""


@pytest.mark.parametrize("line", [b'<!ENTITY a "b">', b"<!DOCTYPE x [", b"<!doctype DOC\t SYSTEM 'a' ["])
def test_declarations_are_refused(line: bytes) -> None:
    with pytest.raises(FormatError, match="declares entities"):
        refuse_declarations(line, place())


def test_a_doctype_without_declarations_is_fine() -> None:
    text = '<!DOCTYPE DOC SYSTEM "doc.dtd"> [1]'
    refuse_declarations(text.encode(), place())  # raises where there are any
    assert list(tokens(text))


@pytest.mark.parametrize("piece", ["<", "<a ", "<!--", "<!doctype ", "&", "&a", "<a b=", "</", "<!", "&#1"])
def test_a_million_marks_come_to_an_end(piece: str) -> None:
    """Work that grew with the square of the text would take hours here."""
    text = piece * (1_000_000 // len(piece))
    assert len(list(tokens(text))) <= len(text)
    characters(text, place())
    refuse_declarations(text.encode(), place())
