"""Clauses of a text that stand for elementary discourse units (EDUs). The rules are in edu_rules.py.

DUC-2002 cut its references into such units (Over and Liggett 2002, "Models").
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from itertools import pairwise

from adjudge.text.clauses import Clauses
from adjudge.text.edu_rules import REACH, RULES, SMALLEST
from adjudge.text.sentences import Span, sentences, spans_between
from adjudge.text.words import count_words

SENTENCE = "sentence"
PUNCTUATION = RULES[0].name

# Other languages: a semicolon, a colon or a dash with blanks around it; CJK marks need no blank.
_MARK = re.compile(r"[;:](?=\s)|[；：]|(?<=\s)(?:[–—-]|--)(?=\s)|——")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_UNSPACED_PER_WORD = 2


def edus(text: str, language: str = "en") -> list[Span]:
    """The units of a text: in order, apart, each inside a sentence, together holding all but white space."""
    return [span for span, _ in explain(text, language)]


def explain(text: str, language: str = "en") -> list[tuple[Span, str]]:
    """Each unit with the name of the rule that opened it; "sentence" for the first of a sentence."""
    english = re.split("[-_]", language.strip().lower())[0] in ("en", "english")
    units = []
    for sentence in sentences(text, language):
        cuts = _english_cuts(sentence.text) if english else _other_cuts(sentence.text)
        for span, why in zip(spans_between(sentence.text, cuts), (SENTENCE, *cuts.values()), strict=True):
            units.append((Span(sentence.start + span.start, sentence.start + span.end, span.text), why))
    return units


def _english_cuts(sentence: str) -> dict[int, str]:
    """Offset of each cut in a sentence -> the rule that made it, in order."""
    c = Clauses(sentence)
    bounds = [0, len(c)]
    why: dict[int, str] = {}
    for rule in RULES:
        for i in range(1, len(c)):
            if i in why or c.closed[i] or not c.words[i][0].isalnum():
                continue
            at = bisect_right(bounds, i)
            low, high = max(bounds[at - 1], i - REACH), min(bounds[at], i + REACH)
            if rule.opens(c, low, i, high) and _both_stand(c, low, i, high):
                insort(bounds, i)
                why[i] = rule.name
    return {c.opening(i): why[i] for i in sorted(why)}


def _both_stand(c: Clauses, low: int, i: int, high: int) -> bool:
    """Whether both halves are large enough and hold something like a verb."""
    return all(
        c.size(start, end) >= SMALLEST and (c.has_verb(start, end) or c.words[start] == "according")
        for start, end in pairwise((low, i, high))
    )


def _other_cuts(sentence: str) -> dict[int, str]:
    """Cuts after strong marks alone, where both sides are large enough."""
    cuts: list[int] = []
    for mark in _MARK.finditer(sentence):
        low = cuts[-1] if cuts else 0
        if min(_size(sentence[low : mark.start()]), _size(sentence[mark.end() :])) >= SMALLEST:
            cuts.append(mark.end())
    return dict.fromkeys(cuts, PUNCTUATION)


def _size(text: str) -> int:
    """Words, or pairs of letters in a script that puts no blanks between words."""
    return max(count_words(text), len(_UNSPACED.findall(text)) // _UNSPACED_PER_WORD)
