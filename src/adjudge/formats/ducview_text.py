"""The text of a pyramid: whose reference stands where, and the names that headers and files carry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from adjudge.formats.ducview_regex import Pattern, Unsupported
from adjudge.formats.files import NIST_TASKS
from adjudge.judgments.pyramid import Reference

PATTERN_REFUSED = "regular expression that is not taken: header lines are looked for instead"
PATTERN_MISSES = (
    "regular expression that finds fewer than two references: header lines are looked for instead"
)
NO_PATTERN = "pyramid without a regular expression: header lines count the references"
NO_REFERENCES = "pyramid whose references are not marked: their number is not known, and no modified score"
TWO_TOPICS = "pyramid whose headers name several topics: the most frequent one is taken"

OUR_PATTERN = r"-+\n [^\n]+\.[MS]\.[0-9]+\.[^.\n]+\.[^\n]+\n-+\n"
_NAME = re.compile(
    r"(?P<topic>.{1,200}?)\.(?P<task>[MS])\.(?P<length>[0-9]{1,6})\.(?P<selector>[^.\s]{1,100})\.(?P<who>.{1,200})",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\s*[^\s.]{1,100}\.[MS]\.[0-9]{1,6}\.[^\s.]{1,100}\.(?:[A-Za-z]|[0-9]{1,6})\s*")
_RULE = re.compile(r"\s*([-=_*#~])\1{2,}\s*")


@dataclass(frozen=True, slots=True)
class Name:
    """What NIST's name of a summary says: D0601.M.250.A.17. Any other name is only whose it is."""

    who: str
    topic: str | None = None
    task: str | None = None
    length: int | None = None
    selector: str | None = None

    @classmethod
    def parse(cls, text: str) -> Name:
        text = text.strip()
        found = _NAME.fullmatch(text) if text.isprintable() else None
        if found is None or not found["topic"].strip():
            return cls(text)
        selector = None if found["selector"] == "-" else found["selector"]
        task = NIST_TASKS[found["task"].upper()]
        return cls(found["who"].strip(), found["topic"].strip(), task, int(found["length"]) or None, selector)

    def __str__(self) -> str:
        """The name in NIST's form; a length of 0 and a selector of - stand for what is not known, or does not fit."""
        task = "S" if self.task == "single" else "M"
        selector = self.selector if self.selector and re.fullmatch(r"[^.\s]{1,100}", self.selector) else "-"
        return f"{self.topic or '-'}.{task}.{self.length or 0}.{selector}.{self.who}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the references of a pyramid stand, what their headers say, and what was odd."""

    references: tuple[Reference, ...]
    names: tuple[Name, ...]
    notes: tuple[str, ...] = ()

    @property
    def about(self) -> Name | None:
        """What the headers say of the topic: the most frequent one."""
        known = [name for name in self.names if name.topic is not None]
        if not known:
            return None
        topic = Counter(name.topic for name in known).most_common(1)[0][0]
        return next(name for name in known if name.topic == topic)


def lay_out(text: str, pattern: str | None) -> Layout:
    """The references by the file's regular expression, or by header lines where it has none or a useless one."""
    notes: list[str] = []
    spans: Sequence[tuple[int, int]] = ()
    if pattern is None or not pattern.strip():
        notes.append(NO_PATTERN)
    else:
        try:
            ended = Pattern(pattern).spans(text + "\n")  # DUCView ends every line
            spans = [(begin, min(end, len(text))) for begin, end in ended if begin < len(text)]
            notes += [PATTERN_MISSES] if len(spans) < 2 else []
        except Unsupported:
            notes.append(PATTERN_REFUSED)
    if len(spans) < 2:
        spans = max(spans, header_lines(text), key=len)
    if not spans:
        return Layout((), (), (*notes, NO_REFERENCES))
    names = _named(text, spans)
    ends = [begin for begin, _ in spans[1:]] + [len(text)]
    references = tuple(
        Reference(name.who, name.length, *_body(text, start, end))
        for name, (_, start), end in zip(names, spans, ends, strict=True)
    )
    if len({name.topic for name in names if name.topic}) > 1:
        notes.append(TWO_TOPICS)
    return Layout(references, names, tuple(notes))


def header_lines(text: str) -> list[tuple[int, int]]:
    """The headers without a regular expression: lines between two rules, of which NIST's names win over others.

    NIST's name of a summary by a letter or a number needs no rules.
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    rules = [_RULE.fullmatch(line) is not None for line in lines] + [False, False]
    found: list[tuple[bool, int, int]] = []
    at = 0
    while at < len(lines):
        if rules[at] and rules[at + 2] and not rules[at + 1] and lines[at + 1].strip():
            named, size = _NAME.fullmatch(lines[at + 1].strip()) is not None, 3
        else:
            named, size = _ALONE.fullmatch(lines[at]) is not None, 1
        if named or size > 1:
            found.append((named, starts[at], min(starts[at + size], len(text))))
        at += size
    any_named = any(named for named, _, _ in found)
    return [(begin, end) for named, begin, end in found if named or not any_named]


def _body(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a reference stands: whole lines, without what is left of the headers before and after."""
    if start > 0 and text[start - 1] != "\n":  # the expression stopped inside the header's line
        start = text.find("\n", start) + 1 or end
    end = text.rfind("\n", 0, end) + 1 if end < len(text) else end
    lines = text[start:end].splitlines(keepends=True) if start < end else []
    rules = [_RULE.fullmatch(line) is not None for line in lines]
    words = [number for number, line in enumerate(lines) if line.strip() and not rules[number]]
    if not words:
        return min(start, end), end
    tail = words[-1] + 1
    if any(rules[tail:]):
        end -= sum(map(len, lines[tail + rules[tail:].index(True) :]))
    return start + sum(map(len, lines[: words[0]])), end


def _named(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Name, ...]:
    """Whose reference each is; a name that is missing or stands twice gets its number."""
    names: list[Name] = []
    for number, (begin, end) in enumerate(spans, 1):
        whole = text[text.rfind("\n", 0, begin) + 1 : end] + text[end:].partition("\n")[0] * (
            text[end - 1] != "\n"
        )
        lines = [line.strip() for line in whole.split("\n")]
        title = next((line for line in lines if line and not _RULE.fullmatch(line)), "")
        name = Name.parse(title)
        who = name.who if _is_name(name.who) else f"reference-{number}"
        if who in {other.who for other in names}:
            who = f"{who}-{number}"
        names.append(replace(name, who=who))
    return tuple(names)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 100 and text.isprintable()


def compose(texts: Iterable[tuple[Name, str]]) -> tuple[str, tuple[Reference, ...]]:
    """References as one text, each under its header, as DUCView's users lay them out (see OUR_PATTERN)."""
    result = ""
    references = []
    for name, text in texts:
        rule = "-" * (len(str(name)) + 1)
        result += f"{rule}\n {name}\n{rule}\n\n"
        references.append(Reference(name.who, name.length, len(result), len(result) + len(text)))
        result += f"{text}\n\n"
    return result, tuple(references)
