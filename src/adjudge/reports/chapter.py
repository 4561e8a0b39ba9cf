"""The chapters of the report: each answers a question, or says what is missing to answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

TALL = 900
"""Pixels of a figure's height from which it is folded."""


@dataclass(frozen=True, slots=True)
class Absent:
    """What could not be told, and what a user can do about it."""

    why: str
    how: str = ""
    """A command, or what to bring."""

    def __str__(self) -> str:
        return f"{self.why}. {self.how}" if self.how else self.why


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure on the page: inlined SVG of our own making, its title and words, and its files."""

    name: str
    title: str
    words: str
    svg: str
    why: str = ""
    """Why there is no picture, where there is none."""

    @property
    def tall(self) -> bool:
        """Longer than a screen: it is folded, so that what follows can be found."""
        found = re.match(r'<svg[^>]*\bheight="([\d.]+)', self.svg)
        return found is not None and float(found[1]) > TALL


@dataclass(frozen=True, slots=True)
class Chapter:
    """One question of the page. `template` prints `content`, a frozen object of the chapter's own."""

    anchor: str
    question: str
    said: tuple[str, ...]
    """The answer in a few sentences."""
    template: str
    content: Any
    missing: tuple[Absent, ...] = ()
    """What else could be told here."""
    part_of: str = ""
    """The anchor of the chapter that this is a part of; without one it is a chapter of its own."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file of the report: what a link to it says, its name, its text."""

    about: str
    name: str
    text: str
