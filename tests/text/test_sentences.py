from __future__ import annotations

import textwrap

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.text.sentences import Span, line_cuts, sentences

WORDS = "Mr. U.S. p.m. J. . `` '' The end x. 3.5 … ? • (5) \" ( .) !"
GLUE = ["\n", "\n\n", "\u2028", "\u3000", "J.\xa0", "。", "।", '"', "'", "’", "(", ".)", "\ud800", "é"]
PIECES = st.sampled_from([word + " " for word in WORDS.split()] + GLUE)
MESSY = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


def texts(text: str, language: str = "en") -> list[str]:
    return [span.text for span in sentences(text, language)]


def assert_covers(text: str, spans: list[Span]) -> None:
    """Spans are ordered, apart, stripped, true to the text, and leave only white space out."""
    end = 0
    for span in spans:
        assert not text[end : span.start].strip()
        assert text[span.start : span.end] == span.text == span.text.strip() != ""
        assert end <= span.start < span.end
        end = span.end
    assert not text[end:].strip()


@given(MESSY, st.sampled_from(["en", "hi", "de", "ja", "th", "xx", ""]))
@example(" A .\u3000.", "en")  # sentencex 1.0.32 panics on this one
@example("J.\xa0Smith left.\u2028\u2028He", "en")
@example("a\ud800b. C", "en")
def test_spans_cover_any_text(text: str, language: str) -> None:
    assert_covers(text, sentences(text, language))


def test_offsets_count_characters() -> None:
    text = "Café 😀 Müller opened. Él llegó."
    assert sentences(text) == [Span(0, 21, "Café 😀 Müller opened."), Span(22, 31, "Él llegó.")]


@pytest.mark.parametrize("text", ["", " \n\t\n\u3000"])
def test_a_blank_text_has_no_sentences(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize(
    "parts",
    [
        ["Mr. Brown met Gov. Jones on Jan. 5.", "It rained."],
        ["Maj. Gen. Igor K. Petrov left.", "Dr. Who stayed."],
        ["J. R. Smith spoke.", "J.\xa0Smith listened."],
        ["The U.S. army came.", "He lives in the U.S.", "The state won."],
        ["He arrived at 5 p.m.", "The meeting began at 5.30 p.m. on Monday."],
        ["It rose 3.5 percent to $2.6 million.", "It fell."],
        ["Then...", "He left.", "It cost a lot…", "He paid."],
        ["He wondered ... whether to go.", "Wait . . . what now?"],
        ['"I won."', "She smiled.", "'We did!'", "They left."],
        ['"We did!" he said.', '"Where are you?" she asked.'],
        ['He said: "We won.', 'We are happy."', "They left."],
        ["'I don't want it.", "It's bad.", "'He's not leading the team."],
        ["(It rained.)", "They left (at noon)."],
        ["What?!", "No!!", "Yahoo! shares fell."],
        ["It came to me.", "I took it.", "He said no.", "Anna left."],
        ["The list: (5) Cups (4) Plates.", "He left.", "She came."],
        ["1. First item here.", "2. Second one."],
        ["• First here.", "Then more.", "• Second item", "• Third one."],
        ["No. 1 seed fell.", "He is No. 2."],
    ],
)
def test_english(parts: list[str]) -> None:
    assert texts(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["paul merson criticised townsend 's call-up last week .", "andros townsend was brought on ."],
        ["he ` armed himself with a weapon ' on march 14 .", "torres 's dog was there .", "siler left ."],
        ["`` it 's over . ''", "he said .", "did he win ?", "yes ."],
        ["a judge orders v. stiviano to pay $ 2.6 million .", "it cost $ 3 . 5 ."],
        ["bolt will run on may 2 and 3 .", "he insists ."],
    ],
)
def test_tokenised_lower_case(parts: list[str]) -> None:
    assert texts(" ".join(parts)) == parts


def test_other_languages() -> None:
    assert texts("पहला वाक्य। दूसरा वाक्य।", "hi") == ["पहला वाक्य।", "दूसरा वाक्य।"]
    assert texts("今日は。「はい。」と言った。明日は。", "ja") == [
        "今日は。",
        "「はい。」と言った。",
        "明日は。",
    ]
    assert texts("Er kam am 3. Mai an. Sie ging.", "de") == ["Er kam am 3. Mai an.", "Sie ging."]


def test_a_blank_line_always_ends_a_sentence() -> None:
    assert texts("A headline\n\nfollowed by text\r\n\r\nand more") == [
        "A headline",
        "followed by text",
        "and more",
    ]


def test_one_sentence_a_line() -> None:
    lines = ["Merson angered Townsend", "Townsend replied on Twitter", "They made up in May"]
    assert texts("\n".join(lines)) == lines
    lines = ["andros townsend was brought on .", "he hit back at merson ."]
    assert texts("\n".join(lines)) == lines


LONG = (
    "Dock workers in three ports walked out on Monday after talks about shift lengths collapsed. "
    "Shipping companies put the loss at four million a day and began to divert cargo to northern harbours. "
    "The ministry offered to mediate, but Mr. Okafor's union wants a written guarantee first."
)


@pytest.mark.parametrize("width", [30, 60, 80, 100])
def test_wrapped_text_is_not_cut_at_its_lines(width: int) -> None:
    assert [" ".join(each.split()) for each in texts(textwrap.fill(LONG, width))] == texts(LONG)
    assert len(texts(LONG)) == 3


def test_wrapped_text_without_capitals() -> None:
    low = LONG.lower().replace(". ", " . ")
    assert len(texts(textwrap.fill(low, 60))) == len(texts(low))


def test_spans_are_frozen() -> None:
    with pytest.raises(AttributeError):
        sentences("A b.")[0].start = 3  # type: ignore[misc]


# Line breaks

SENTENCE_A_LINE = "Merson angered Townsend\nTownsend replied\nThey made up"
WRAPPED = "Merson angered Townsend by\nwriting that he was not\ngood enough. Townsend\nreplied."


def test_only_a_wrapped_text_keeps_its_lines_together() -> None:
    assert line_cuts(SENTENCE_A_LINE) == [24, 41]
    assert line_cuts(WRAPPED) == []


def test_a_third_of_the_open_breaks_decides() -> None:
    three_open = "Ports closed on Monday\n{}\nNo ship left\nThe union met"
    assert line_cuts(three_open.format("as talks failed")) == []
    assert len(line_cuts(three_open.format("As talks failed"))) == 3


def test_breaks_after_a_stop_do_not_count() -> None:
    assert line_cuts('"we won." \nthe coach said.\nthen he left .') != []


def test_a_blank_line_cuts_a_wrapped_text() -> None:
    text = WRAPPED + "\n\n" + WRAPPED
    assert line_cuts(text) == [len(WRAPPED) + 1, len(WRAPPED) + 2]


@pytest.mark.parametrize(("width", "wrapped"), [(30, False), (60, True), (200, False)])
def test_without_capitals_the_width_decides(width: int, wrapped: bool) -> None:
    word = "abcd"
    line = " ".join([word] * (width // 5))
    assert (line_cuts("\n".join([line] * 4)) == []) is wrapped


def test_without_capitals_a_short_line_shows_that_breaks_were_meant() -> None:
    long = " ".join(["abcd"] * 12)
    assert len(line_cuts(f"{long}\nabcd\n{long}\n{long}")) == 3


@given(st.text(st.sampled_from("aB. \n\r\u2028")))
def test_cuts_are_ordered_and_stand_after_line_ends(text: str) -> None:
    cuts = line_cuts(text)
    assert cuts == sorted(set(cuts))
    assert all(0 < cut < len(text) and text[cut - 1] in "\n\r\u2028" for cut in cuts)
