"""Who says it: the rule that parts a source ("the ministry said") from what is said. English."""

from __future__ import annotations

from adjudge.text.clauses import (
    COORDINATORS,
    DETERMINERS,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
    SUBJECT_PRONOUNS,
    Clauses,
)
from adjudge.text.edu_heads import clause_end
from adjudge.text.edu_words import FINITE_HEADS, SAYING, WITH_HEARER, WITHOUT_THAT

_COMMA = frozenset({","})


def attribution(c: Clauses, low: int, i: int, high: int) -> bool:
    """Between a source and what it says, either way round; before "according to"."""
    if c.word(i) == "according" and c.word(i + 1) == "to":
        return c.has_main_verb(low, i)
    return _says_that(c, low, i, high) or _says(c, low, i, high) or _said_after(c, low, i, high)


def _source_verb(c: Clauses, low: int, i: int) -> int | None:
    """The last verb before `i`, if it is one of saying or thinking and its source has two words or more."""
    last = next((j for j in reversed(range(low, i)) if c.finite[j]), None)
    if last is None or c.after_quote(last):
        return None
    verb = last
    if c.form(last) == "auxiliary" and c.skip_adverbs(last + 1) < i:
        verb = c.skip_adverbs(last + 1)
        verb += c.words[verb] == "been"
    if c.word(verb) not in SAYING or c.word(last - 1) in COORDINATORS:
        return None
    start = low
    for j in range(low, last):
        opens = c.words[j] in COORDINATORS | FINITE_HEADS | {"that", ","}
        if opens and (start == j or any(c.finite[start:j])):
            start = j + 1
    return verb if c.size(start, verb) >= 2 else None


def _says_that(c: Clauses, low: int, i: int, high: int) -> bool:
    """Before "that", right after the verb, or after a hearer, a place or a time."""
    if c.words[i] != "that" or c.clause_verb(i + 1, high) is None:
        return False
    verb = _source_verb(c, low, i)
    if verb is None or i - verb > 9:
        return False
    return i == verb + 1 or c.words[verb] in WITH_HEARER or c.words[verb + 1] in PREPOSITIONS


def _says(c: Clauses, low: int, i: int, high: int) -> bool:
    """Without "that": right after the verb."""
    verb = _source_verb(c, low, i)
    if verb is None or c.clause_verb(i, clause_end(c, i, high)) is None:
        return False
    if c.words[verb] == "told":
        return 2 <= i - verb <= 4 and c.words[i] in DETERMINERS | SUBJECT_PRONOUNS
    return i == verb + 1 and c.words[verb] in WITHOUT_THAT and c.words[i] not in PREPOSITIONS


def _said_after(c: Clauses, low: int, i: int, high: int) -> bool:
    """After what was said: ", a spokeswoman said", and what goes on after that."""
    if not c.after_comma(i):
        return False
    end = c.until(i, high, _COMMA)
    said = list(c.main_verbs(i, end))
    if said and c.words[said[0]] in SAYING and len(said) == 1 and "that" not in c.words[i:end]:
        subject_first = said[0] > i and c.words[i] not in RELATIVE_PRONOUNS | COORDINATORS
        return c.has_main_verb(low, i) and (subject_first or c.after_quote(i))
    return False
