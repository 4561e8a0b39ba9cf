"""Sentences of a text, as spans of characters.

`sentencex` proposes where a sentence ends; this module decides which line breaks end one, and mends what summaries
break: quotes, bullets, numbered items, text in lower case, stops set apart by a tokenizer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

_STOPS = ".!?…。！？।॥؟۔"
_CLOSERS = "\"'”’»›)]}」』"


@dataclass(frozen=True, slots=True)
class Span:
    """`source[start:end]`: never blank, no white space at either end. Offsets count characters."""

    start: int
    end: int
    text: str


def spans_between(source: str, cuts: Iterable[int]) -> list[Span]:
    """The spans that ordered cuts leave of a source, stripped; blank ones are dropped."""
    spans = []
    start = 0
    for end in (*cuts, len(source)):
        piece = source[start:end]
        text = piece.strip()
        if text:
            first = start + len(piece) - len(piece.lstrip())
            spans.append(Span(first, first + len(text), text))
        start = end
    return spans


# Line breaks

_ENDED = re.compile(rf"[{_STOPS}][{re.escape(_CLOSERS)}\s]*\Z")
_CONTINUED_SHARE = 1 / 3
_COLUMNS = range(40, 121)


def line_cuts(text: str) -> list[int]:
    """Offsets at which a line break ends a sentence.

    A blank line always does. A single break does unless the text is *wrapped*: broken where the
    line was full. Only breaks after a line without a final stop tell which it is. Where the text
    has capitals, it is wrapped if a third of those breaks or more are followed by a small letter.
    Where it has none, case says nothing: it is wrapped if there are two such breaks or more and at
    each of them the next word would have made the line longer than the longest, which has 40 to
    120 columns.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return []
    wrapped = _is_wrapped(lines)
    cuts = []
    place = 0
    for line, following in pairwise(lines):
        place += len(line)
        if not (wrapped and line.strip() and following.strip()):
            cuts.append(place)
    return cuts


def _is_wrapped(lines: list[str]) -> bool:
    stripped = [line.strip() for line in lines]
    open_breaks = [(a, b) for a, b in pairwise(stripped) if a and b and not _ENDED.search(a)]
    if not open_breaks:
        return False
    if any(map(str.isupper, "".join(stripped))):
        continued = sum(b[0].islower() for _, b in open_breaks)
        return continued >= _CONTINUED_SHARE * len(open_breaks)
    width = max(map(len, stripped))
    full = all(len(a) + 1 + len(b.split()[0]) > width for a, b in open_breaks)
    return len(open_breaks) > 1 and width in _COLUMNS and full


# Sentences inside a paragraph

_QUOTES = "\"'“”„‘’‚«»‹›`"
_BULLETS = "•●▪◦‣"
_REACH = 100  # characters before a cut that are looked at

# After these a full stop ends nothing, whatever follows: a name or a figure does.
_NEVER_LAST = re.compile(
    r"mr|mrs|ms|messrs|dr|prof|rev|hon|gov|lt|sen|rep|gen|col|maj|capt|cmdr|cpl|sgt|det|adm|supt|insp|st|mt"
    r"|approx|cf|figs?|vs"
)
_QUOTE_MARK = re.compile(rf"(?<![^\W_])[{_QUOTES}]|[{_QUOTES}](?![^\W_])")
_APOSTROPHE = re.compile(r"['’`]")
_LAST_WORD = re.compile(r"([^\W_]+)(\s*)\.\s*\Z")
_SPACED_DOTS = re.compile(r"\.\s+\.\Z")
_LONE_STOP = re.compile(r"(?<=\s)[.!?](?=\s)")
_ENDS_IN_LONE_STOP = re.compile(r"\s[.!?]\Z")
_ELLIPSIS = re.compile(rf"…[{re.escape(_CLOSERS)}]*(?=\s)")
_STOP_IN_BRACKET = re.compile(r"[.!?][\"'”’]?\)(?=\s)")
# English words that sentencex takes for the abbreviations Me., No., Ill., Art., Miss., Ore.
_WORD_NOT_SHORT_FORM = re.compile(r"\b(?:me|no|ill|art|miss|ore|ok)\.(?=\s+[\"'“‘]?[A-Z])")
_BULLET = re.compile(rf"(?<=\s)(?=[{_BULLETS}]\s)")
_BULLET_NEXT = re.compile(rf"\s*[{_BULLETS}]\s")
_ITEM_BRACKETS = re.compile(r"(?<![^\W_])\(?([^\W_]{1,3})\)")
_ITEM_NUMBER = re.compile(r"\d{1,3}\.")
_CLOSING_QUOTE_APART = re.compile(r"\s+(''|[\"'”’»])(?=\s|\Z)")
_OPENS_NEXT = re.compile(rf"[\s(\[{{{_QUOTES}{_BULLETS}]*")


def sentences(text: str, language: str = "en") -> list[Span]:
    """The sentences of a text: in order, apart, and together holding every character but white space.

    `language` is a code such as "en" or "hi"; `sentencex` treats one that it does not know as English.
    """
    spans: list[Span] = []
    for start, end in pairwise((0, *line_cuts(text), len(text))):
        block = text[start:end]
        pieces = _join_wordless(block, spans_between(block, _cuts(block, language)))
        spans.extend(Span(start + piece.start, start + piece.end, piece.text) for piece in pieces)
    return spans


def _cuts(block: str, language: str) -> list[int]:
    """Where a block, whose line breaks mean nothing, is cut into sentences."""
    if not block.strip():
        return []
    has_case = any(map(str.isupper, block))
    quotes = [quote.start() for quote in _QUOTE_MARK.finditer(block)]
    placed, back = set(), {0: 0}
    from sentencex import get_sentence_boundaries

    cuts = {boundary["end_index"] for boundary in get_sentence_boundaries(language, _masked(block))}
    for always in (_LONE_STOP, _WORD_NOT_SHORT_FORM, _BULLET):
        cuts.update(stop.end() for stop in always.finditer(block))
    cuts.update(stop.end() for stop in _ELLIPSIS.finditer(block) if _next(block, stop.end()).isupper())
    cuts.update(stop.end() for stop in _STOP_IN_BRACKET.finditer(block) if _bracket_is_sentence(block, stop))
    for cut in sorted(cuts):
        placed.add(_beside_quotes(block, cut, quotes, back))
    return sorted(cut for cut in placed if 0 < cut < len(block) and _holds(block, cut, has_case))


def _masked(block: str) -> str:
    """A copy of the same length that `sentencex` reads well.

    It panics at white space outside ASCII after an initial and refuses lone surrogates. Inside
    quotes, and after "(5)", "1)" or a bullet, it cuts no more, so that one unpaired apostrophe can
    swallow a whole text. All of these become blanks; an apostrophe inside a word, and brackets
    that hold an item's number, become letters.
    """
    plain = "".join(
        " " if c.isspace() or c in _BULLETS else "?" if "\ud800" <= c <= "\udfff" else c for c in block
    )
    plain = _ITEM_BRACKETS.sub(lambda item: re.sub(r"[()]", "x", item[0]), plain)
    return _APOSTROPHE.sub("x", _QUOTE_MARK.sub(" ", plain))


def _beside_quotes(block: str, cut: int, quotes: list[int], back: dict[int, int]) -> int:
    """Move a cut among quotes and blanks: closing quotes stay with the left, opening ones go right.

    `back` remembers where earlier cuts came to lie, so that a long run of blanks and bullets is gone through once.
    """
    first = cut
    while cut not in back and (block[cut - 1].isspace() or block[cut - 1] in _QUOTES + _BULLETS):
        cut -= 1
    cut = back[first] = back.get(cut, cut)
    while cut < len(block) and block[cut] in _CLOSERS:
        cut += 1
    apart = _CLOSING_QUOTE_APART.match(block, cut)
    if apart and (apart[1] not in ("'", '"') or bisect_left(quotes, cut) % 2):
        cut = apart.end()
    return cut


def _holds(block: str, cut: int, has_case: bool) -> bool:
    """Whether a sentence can end at a cut, given what stands on its two sides."""
    left, following = _before(block, cut), _next(block, cut)
    if _BULLET_NEXT.match(block, cut):
        return True
    if not left or left[-1].isalnum() or following in (*_STOPS, *",;:)]"):
        return False
    if left[-1] in "」』" and not block[cut].isspace():  # the words that report a quotation follow it
        return False
    last_word = _LAST_WORD.search(left)
    if last_word:
        word, gap = last_word[1].lower(), last_word[2]
        if _NEVER_LAST.fullmatch(word) or (gap and word.isdigit() and following.isdigit()):
            return False
    if following.islower() and _SPACED_DOTS.search(left):
        return False
    if has_case and following.islower():
        return left[-1] == "." or _ENDS_IN_LONE_STOP.search(left) is not None
    return True


def _before(block: str, cut: int) -> str:
    """The end of what stands before a cut. A few words are enough, and keep long texts quick."""
    return block[max(cut - _REACH, 0) : cut].rstrip()


def _next(block: str, cut: int) -> str:
    """The first character after a cut that is no blank, quote or opening bracket; empty at the end."""
    opened = _OPENS_NEXT.match(block, cut)
    return block[opened.end() : opened.end() + 1] if opened else ""


def _bracket_is_sentence(block: str, stop: re.Match[str]) -> bool:
    """Whether the bracket closed at `stop` was opened between sentences: "(It rained.) They left." """
    before = _before(block, max(block.rfind("(", 0, stop.start()), 0)).rstrip(_QUOTES + " ")
    return _next(block, stop.end()).isupper() and (not before or before[-1] in _STOPS)


def _join_wordless(block: str, pieces: list[Span]) -> list[Span]:
    """Join a piece without words to the one before it, and a first one or an item's number to the next."""
    joined: list[Span] = []
    for piece in pieces:
        if joined and (not _has_word(piece.text) or _waits(joined[-1].text)):
            start = joined.pop().start
            piece = Span(start, piece.end, block[start : piece.end])
        joined.append(piece)
    return joined


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _waits(text: str) -> bool:
    return not _has_word(text) or _ITEM_NUMBER.fullmatch(text) is not None
