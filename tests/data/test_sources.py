"""The set of a topic's source sentences: what is one sentence, where it stands, in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.data.collection import SentencePlace, SourceSentence, source_sentences
from adjudge.data.rows import Document
from adjudge.demo.build import stories
from adjudge.text.sentences import sentences
from adjudge.text.words import character_words, count_words

PIECES = st.sampled_from(
    [
        "A storm came.",
        "It left.",
        "* * *",
        "Who knows?",
        "\n",
        "\n\n",
        "  ",
        "\u00a0",
        "été.",
        "漢字。",
        "...",
    ]
)
TEXT = st.lists(PIECES, max_size=8).map(" ".join) | st.text(max_size=30)


def texts(*documents: str) -> list[str]:
    return [
        each.text for each in source_sentences(Document("t", f"d{k}", d) for k, d in enumerate(documents))
    ]


def test_sentences_come_in_the_order_of_the_texts() -> None:
    found = source_sentences(
        [Document("t", "b", "Rain fell. Roads closed."), Document("t", "a", "Boats sank.")]
    )
    assert found == (
        SourceSentence("Rain fell.", (SentencePlace("b", 0, 10),)),
        SourceSentence("Roads closed.", (SentencePlace("b", 11, 24),)),
        SourceSentence("Boats sank.", (SentencePlace("a", 0, 11),)),
    )


def test_a_sentence_that_stands_twice_is_one_with_two_places() -> None:
    first, second = "Rain fell. Roads closed. Rain fell.", "Boats sank. Rain fell."
    rain, roads, boats = source_sentences([Document("t", "a", first), Document("t", "b", second)])
    assert rain.places == (SentencePlace("a", 0, 10), SentencePlace("a", 25, 35), SentencePlace("b", 12, 22))
    assert (roads.text, boats.text) == ("Roads closed.", "Boats sank.")


def test_white_space_makes_no_other_sentence() -> None:
    wrapped = "Heavy rain fell on\nthe coast all day, and\nroads closed."
    plain = "Heavy rain  fell on the coast\u00a0all day, and roads closed."
    (one,) = source_sentences([Document("t", "a", wrapped), Document("t", "b", plain)])
    assert one.text == "Heavy rain fell on the coast all day, and roads closed."
    assert [each.document for each in one.places] == ["a", "b"]


@pytest.mark.parametrize("other", ["rain fell.", "Rain fell!", "Rain fell, too."])
def test_anything_else_makes_another_sentence(other: str) -> None:
    assert texts("Rain fell.", other) == ["Rain fell.", other]


def test_what_has_no_word_is_no_sentence() -> None:
    assert texts("Rain fell.\n\n* * *\n\nRoads closed.\n\n...\n") == ["Rain fell.", "Roads closed."]
    assert texts("", " \n ", "---") == []
    assert source_sentences([]) == ()


def test_the_language_is_handed_on() -> None:
    text = "Er kam am 3. Mai. Dann ging er."
    found = source_sentences([Document("t", "d", text)], "de")
    assert [each.text for each in found] == [span.text for span in sentences(text, "de")]
    assert found != source_sentences([Document("t", "d", text)], "en")


@examples(300)
@given(st.lists(TEXT, max_size=4))
def test_places_cut_the_sentence_out_of_the_text(documents: list[str]) -> None:
    found = source_sentences(Document("t", f"d{k}", text) for k, text in enumerate(documents))
    by_id = {f"d{k}": text for k, text in enumerate(documents)}
    for sentence in found:
        for place in sentence.places:
            cut = by_id[place.document][place.start : place.end]
            assert cut == cut.strip()
            assert " ".join(cut.split()) == sentence.text
    # a set: no text and no place twice, firsts in order, every sentence with a word once
    places = [place for sentence in found for place in sentence.places]
    firsts = [(each.places[0].document, each.places[0].start) for each in found]
    assert len({each.text for each in found}) == len(found)
    assert len(set(places)) == len(places)
    assert firsts == sorted(firsts)
    assert len(places) == sum(
        count_words(span.text) > 0 for text in documents for span in sentences(text, "en")
    )


@examples(300)
@given(TEXT)
def test_what_is_a_sentence_has_words_to_be_compared_by(text: str) -> None:
    assert (count_words(text) > 0) == bool(character_words(text))


def test_the_demo_has_its_sentences() -> None:
    for story in stories():
        documents = [Document("t", d["id"], " ".join(d["text"])) for d in story["documents"]]
        written = [sentence for d in story["documents"] for sentence in d["text"]]
        assert [each.text for each in source_sentences(documents)] == list(dict.fromkeys(written))


def test_a_header_line_is_no_sentence() -> None:
    text = "<DOC>\n<DOCNO> AP880911-0016 </DOCNO>\n<TEXT>\nGilbert came nearer.\nHe was strong.\n</TEXT>\n</DOC>\n"
    found = source_sentences([Document("d", "1", text)])
    assert [each.text for each in found] == ["Gilbert came nearer.", "He was strong."]
