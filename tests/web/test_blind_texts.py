"""What assessors see of texts: everything but headers that may name somebody, and tags as text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.making import SCRIPT, Running

from adjudge.data.rows import Summary, Unit
from adjudge.judgments.kinds.coverage import _shown
from adjudge.text.headers import hidden_spans, paragraphs, shown

SETTINGS = settings(deadline=None, max_examples=200, derandomize=True)

WORDS = st.text("abcdefgXYZäß.,!?'\"&<>;/12 ", min_size=1, max_size=30).map(str.strip).filter(bool)
"""Running text, with what would be markup if it were closed."""
LINES = st.lists(WORDS.filter(lambda line: not line.startswith("<")), min_size=1, max_size=6)
HEADERS = (
    '<SUM DOCSET="d061" SUMMARIZER="canary">',
    '<SUM\nDOCSET="d061"\nTYPE="MULTI"\nSUMMARIZER="canary">',
    "<DOCNO> canary </DOCNO>",
    "<DOC><DOCNO>canary</DOCNO>\n<FILEID>canary-1 canary-2</FILEID>",
    "<html><head><title>canary.html</title></head>",
    '<body class="canary">',
    "<PEER> canary </PEER>",
    "<TEXT>",
    "</sum>",
)
FIELDS = (
    "System: canary",
    "SUMMARIZER = canary",
    "Author: A. Canary",
    "File name: canary.txt",
    "DOCSET=canary",
)


def words(text: str) -> list[str]:
    return text.split()


@given(LINES)
@SETTINGS
def test_running_text_is_shown_whole(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert hidden_spans(text) == []
    assert shown(text) == " ".join(words(text))
    assert list(paragraphs(text)) == [" ".join(words(line)) for line in text.splitlines() if line.strip()]


@given(
    LINES,
    st.lists(st.tuples(st.sampled_from(HEADERS), st.integers(0, 6)), max_size=4),
    st.lists(st.sampled_from(FIELDS), max_size=3),
)
@SETTINGS
def test_headers_go_and_nothing_else_does(
    lines: list[str], headers: list[tuple[str, int]], fields: list[str]
) -> None:
    mixed = list(lines)
    for header, at in headers:
        mixed.insert(min(at, len(mixed)), header)
    text = "\n".join([*fields, *mixed])
    found = paragraphs(text)
    assert "canary" not in " ".join(found).lower()
    assert words(" ".join(found)) == words("\n".join(lines))
    assert words(shown(text, hidden=hidden_spans(text))) == words("\n".join(lines))


@given(st.text('<>/=" \n\rSUMdocnoTEXT:canarySystem', max_size=80), st.integers(0, 80), st.integers(0, 80))
@SETTINGS
def test_any_text_is_cut_into_pieces_of_itself(text: str, start: int, end: int) -> None:
    """Whatever a text holds: what is hidden lies inside it, and what is shown of its parts is in order."""
    spans = hidden_spans(text)
    assert spans == sorted(spans)
    assert all(0 <= begin < close <= len(text) for begin, close in spans)
    left = "".join(c for n, c in enumerate(text) if not any(begin <= n < close for begin, close in spans))
    assert "".join(words(shown(text, hidden=spans))) == "".join(words(left))
    assert "".join(words(" ".join(paragraphs(text)))) == "".join(words(left))
    part = "".join(
        c for n, c in enumerate(text) if start <= n < end and not any(b <= n < e for b, e in spans)
    )
    assert "".join(words(shown(text, start, end, hidden=spans))) == "".join(words(part))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("System: b\nThe storm came.\nSystem: b was down.", ("The storm came.", "System: b was down.")),
        ('<SUM SUMMARIZER="b">Storm hits coast.</SUM>', ("Storm hits coast.",)),
        ("<TEXT>Storm hits coast.</TEXT>", ("Storm hits coast.",)),
        ('<MODEL ID="b">And so on.</MODEL>', ("And so on.",)),
        ("<title>A title of many words</title>", ("A title of many words",)),
        ("Use the <title> tag, not <b>.", ("Use the <title> tag, not <b>.",)),
        ("a < b and c > d", ("a < b and c > d",)),
        (SCRIPT, (SCRIPT,)),
        ("System: b\r\n\r\n<DOCNO>x</DOCNO>\r\nText.\r\n", ("Text.",)),
        ("System: b", ()),
        ("", ()),
    ],
)
def test_examples(text: str, seen: tuple[str, ...]) -> None:
    assert paragraphs(text) == seen


def test_a_unit_that_is_nothing_but_a_header_is_shown_as_dots() -> None:
    text = 'System: b\n<SUM SUMMARIZER="b">\nThe storm came. It went.'
    spans = [(0, 9), (10, 30), (31, 46), (0, len(text))]
    units = [Unit("t", "b", "sentence", f"u{n}", a, b, text[a:b]) for n, (a, b) in enumerate(spans)]
    keys = {unit.id: f"key-{unit.id}" for unit in units}
    found = _shown(Summary("t", "b", text), units, keys, ["a", "b", "c", "d"])
    assert [unit.text for unit in found] == ["…", "…", "The storm came.", "The storm came. It went."]


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.scripts: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("protocol", ["duc-2002", "duc-2001", "rating"])
def test_script_tags_in_a_summary_are_text_on_the_page(app: Running, protocol: str) -> None:
    task = next(task for task in app.tasks("ann", protocol) if task.peer and task.peer.system == "machine")
    response = app.client("ann").get(f"/task/{app.key(task)}")
    page = Tags(response.text)
    assert SCRIPT in page.text
    assert SCRIPT not in response.text, "escaped"
    assert all(script.get("src") for script in page.scripts)
