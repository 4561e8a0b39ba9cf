"""Where a clause opens inside a sentence, and where the one before it started. English.

The rules that cut there are in edu_rules.py.
"""

from __future__ import annotations

from adjudge.text.clauses import COORDINATORS, SUBJECT_PRONOUNS, Clauses
from adjudge.text.edu_words import (
    CONNECTIVES,
    FINITE_HEADS,
    HEAD_MODIFIERS,
    ING_HEADS,
    NOT_AFTER_AS,
    NOT_AS,
    PAIR_HEADS,
    PARTICIPLE_HEADS,
    TIME_COUNTS,
    TIME_UNITS,
    WITHOUT_THAT,
)

CLAUSE_ENDS = frozenset({",", ";", ":"})
_LONGEST_ASIDE = 6


def opens_clause(c: Clauses, i: int, high: int) -> bool:
    """Whether a subordinator stands at `i`, with what may go before it, and a clause after it."""
    j = i + 1 if c.word(i) in CONNECTIVES else i
    while c.word(j) in HEAD_MODIFIERS:
        j += 1
    j = _after_time(c, j)
    head, after = c.word(j), c.word(j + 1)
    end = clause_end(c, j + 1, high)
    if head == "as" and after in ("soon", "long") and c.word(j + 2) == "as":
        return c.clause_verb(j + 3, end) is not None
    if PAIR_HEADS.get(head) == after and c.clause_verb(j + 2, end) is not None:
        return True
    start = c.skip_adverbs(j + 1)
    if head in ING_HEADS and c.form(start) == "ing":
        return True
    if head in PARTICIPLE_HEADS and c.form(start) in ("ed", "participle"):
        return True
    if head not in FINITE_HEADS or after == "of":
        return False
    if head == "as" and (c.word(j - 1) in NOT_AS or after in NOT_AFTER_AS):
        return False
    return c.clause_verb(j + 1, end) is not None


def _after_time(c: Clauses, i: int) -> int:
    """Step over "two days" where "after" or "before" follows: the time belongs to the clause."""
    j = i
    while c.word(j) in TIME_COUNTS or c.word(j)[:1].isdigit():
        j += 1
    counted = j > i or c.word(j).endswith("s")
    return j + 1 if counted and c.word(j) in TIME_UNITS and c.word(j + 1) in ("after", "before") else i


def clause_end(c: Clauses, start: int, high: int) -> int:
    """Where a clause that opens at `start` ends at the latest: a mark, or a coordinator before a verb."""
    j = start
    while j < high:
        if c.words[j] in CLAUSE_ENDS:
            after = _after_aside(c, start, j, high)
            if after is None:
                return j
            j = after
        if c.words[j] in COORDINATORS:
            following = c.skip_adverbs(j + 1)
            if c.word(following) in SUBJECT_PRONOUNS or any(c.finite[following : following + 1]):
                return j
        j += 1
    return high


def _after_aside(c: Clauses, start: int, comma: int, high: int) -> int | None:
    """The verb after a few words between commas that follow the subject: "the coach, Ann Lee, says"."""
    close = c.until(comma + 1, high, CLAUSE_ENDS)
    verb = c.skip_adverbs(close + 1)
    if any(c.finite[start:close]) or c.size(comma, close) > _LONGEST_ASIDE or verb >= high:
        return None
    return verb if c.finite[verb] else None


def core_start(c: Clauses, low: int, i: int) -> int:
    """Where the innermost clause before `i` starts: after "that", a subordinator or a verb of saying."""
    start = low
    for j in range(low, i):
        saying = c.finite[j] and c.words[j] in WITHOUT_THAT and c.clause_verb(j + 1, i) is not None
        that = c.words[j] == "that" and not (j > low and c.may_be_noun(j - 1))
        if that or saying or (c.words[j] in FINITE_HEADS and opens_clause(c, j, i)):
            start = j + 1
    return start


def has_clause(c: Clauses, low: int, i: int) -> bool:
    """Whether the innermost clause before `i` has its verb."""
    return c.has_main_verb(core_start(c, low, i), i)
