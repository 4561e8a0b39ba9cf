"""Header lines inside texts: markup of a collection, fields such as `System: b`. They may name who wrote a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAMING = "docno|docid|docset|docref|fileid|filename|title|author|summari[sz]er|selector"
_ROLES = "peer|model|system"
_TAGS = f"{_NAMING}|{_ROLES}|sum|summary|doc|text|html|head|body"
_NAMED = re.compile(  # <DOCNO> AP880911-0016 </DOCNO>: up to three words, more are running text
    rf"<(?P<tag>(?:{_NAMING})(?=[\s>])|(?:{_ROLES})(?=\s*>))[^<>]*>"
    r"\s*(?:[^\s<>]+(?:\s+[^\s<>]+){0,2}\s*)?</(?P=tag)\s*>",
    re.IGNORECASE,
)
_TELLING = re.compile(rf"<(?:{_TAGS})\s[^<>]*=[^<>]*>", re.IGNORECASE)  # may go on over several lines
_BARE = re.compile(  # where a line begins, or, for closing tags, where it ends
    rf"^[^\S\n]*(?:</?(?:{_TAGS})\s*>[^\S\n]*)+|(?:</(?:{_TAGS})\s*>[^\S\n]*)+$", re.IGNORECASE | re.MULTILINE
)
_FIELD = re.compile(
    r"(?:system|summari[sz]er|peer|model|author|writer|written by|file|docno|docid|docset|docref|document|selector|run)"
    r"[ _-]?(?:id|name|no|number)?\s*[:=].*",
    re.IGNORECASE,
)


def hidden_spans(text: str) -> list[tuple[int, int]]:
    """Where a text has headers, which may name who wrote it: markup of a collection, and fields at the top.

    `<SUM DOCSET="d061" SUMMARIZER="b">` is hidden wherever it stands, `System: b` only above the first line of text,
    since further down it may be what the text says.
    """
    markup: list[tuple[int, int]] = []
    rest = text
    for pattern in (_NAMED, _TELLING, _BARE):
        markup += [match.span() for match in pattern.finditer(rest)]
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    markup.sort()
    spans, start = markup[:], 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        words = shown(text, start, end, hidden=markup)
        if words and not _FIELD.fullmatch(words):
            break
        spans.append((start, end))
        start = end
    return sorted(spans)


def shown(
    text: str, start: int = 0, end: int | None = None, *, hidden: Iterable[tuple[int, int]] = ()
) -> str:
    """The part of a text from `start` to `end` without what is hidden, white space collapsed."""
    stop = len(text) if end is None else end
    parts, at = [], start
    for begin, close in hidden:
        if close > at and begin < stop:
            parts.append(text[at : max(begin, at)])
            at = max(at, close)
    parts.append(text[at:stop] if at < stop else "")
    return " ".join(" ".join(parts).split())


def paragraphs(text: str) -> tuple[str, ...]:
    """A text as it is shown whole: its lines, without header lines and empty ones."""
    hidden = hidden_spans(text)
    lines, start = [], 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        words = shown(text, start, end, hidden=hidden)
        if words:
            lines.append(words)
        start = end
    return tuple(lines)
