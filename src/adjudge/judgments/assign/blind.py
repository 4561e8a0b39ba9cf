"""Texts that give themselves away: summaries that hold the name of whoever wrote them. Only warns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjudge.data.collection import Collection
from adjudge.data.rows import Summary
from adjudge.judgments.assign.pages import Page, text_of


def named_in_texts(collection: Collection, pages: Iterable[Page]) -> list[str]:
    """`TOPIC/SYSTEM holds "NAME"` for every text shown that holds its own system's, label's or author's name."""
    shown = {
        (page.topic, *text_of(each)): each
        for page in pages
        for each in (*page.peers, *([page.reference] if page.reference else []))
    }
    found = []
    for summary in shown.values():
        name = own_name(summary, collection.label(summary.system))
        if name is not None:
            found.append(f'{summary.topic}/{summary.system} holds "{name}"')
    return found


def own_name(summary: Summary, label: str) -> str | None:
    """The name that a text gives away, as a whole word and in the same case."""
    for name in dict.fromkeys((summary.system, label, summary.author)):
        if name is not None and tells(name) and name in summary.text and _word(name).search(summary.text):
            return name
    return None


def tells(name: str) -> bool:
    """Whether finding a name in a text says something: not an ordinary word, a single letter or a number."""
    ordinary = name.isalpha() and name.islower()
    return len(name) > 1 and not name.isdigit() and not ordinary


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
