"""The rules that cut an English sentence into clauses, in the order in which they are tried.

A rule is a name and a question: may a unit open at token `i`, given the unit [low, high) that it would cut?
What every cut must satisfy besides (size, a verb on both sides) is asked in edus.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adjudge.text import verbs
from adjudge.text.clauses import (
    COORDINATORS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE_PRONOUNS,
    STRONG_MARKS,
    SUBJECT_PRONOUNS,
    Clauses,
)
from adjudge.text.edu_words import (
    FINITE_HEADS,
    HEAD_MODIFIERS,
    ING_HEADS,
    NOT_AFTER_AS,
    NOT_AS,
    PAIR_HEADS,
    PARTICIPLE_HEADS,
    SAYING,
    TAKES_INFINITIVE,
    WITHOUT_THAT,
    WITH_HEARER,
)

Opens = Callable[[Clauses, int, int, int], bool]

_COMMA = frozenset({","})
_CLAUSE_ENDS = frozenset({",", ";", ":"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A named reason for a unit to open."""

    name: str
    opens: Opens


def _strong_mark(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "The union wants a shorter week; | the employers want longer shifts." """
    mark = c.word(i - 1)
    if mark not in STRONG_MARKS or not c.has_main_verb(low, i):
        return False
    if mark == "-" and (c.ends[i - 2] == c.starts[i - 1] or c.ends[i - 1] == c.starts[i]):
        return False
    return mark == ";" or c.clause_verb(i, high) is not None


def _relative(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "A leak caused the blast, | which destroyed four houses." """
    if not c.after_comma(i):
        return False
    near = c.words[i : i + 3]
    opened = (
        near[0] in ("who", "whose", "whom", "which", "where")
        or (near[0] in PREPOSITIONS and near[1:2] in (["which"], ["whom"], ["whose"]))
        or (near[1:2] == ["of"] and near[2:3] in (["which"], ["whom"]))
    )
    return opened and any(c.finite[i:high])


def _subordinator(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "Teams searched the rubble | while relatives waited." """
    return _head_end(c, i, high) is not None and _stands_alone(c, low, i)


def _head_end(c: Clauses, i: int, high: int) -> int | None:
    """Where the clause after a subordinator at `i` starts, or None where none opens there."""
    j = i + 1 if c.word(i) in COORDINATORS else i
    while c.word(j) in HEAD_MODIFIERS:
        j += 1
    head, after = c.word(j), c.word(j + 1)
    end = c.until(j + 1, high, _CLAUSE_ENDS)
    if PAIR_HEADS.get(head) == after and c.clause_verb(j + 2, end) is not None:
        return j + 2
    start = c.skip_adverbs(j + 1)
    if head in ING_HEADS and c.form(start) == "ing":
        return j + 1
    if head in PARTICIPLE_HEADS and c.form(start) in ("ed", "participle") and after != "to":
        return j + 1
    if head not in FINITE_HEADS or after == "of":
        return None
    if head == "as" and (c.word(j - 1) in NOT_AS or after in NOT_AFTER_AS):
        return None
    return j + 1 if c.clause_verb(j + 1, end) is not None else None


def _stands_alone(c: Clauses, low: int, i: int) -> bool:
    """Whether what stands before a subordinate clause is more than a subject."""
    return c.has_main_verb(low, i) or c.form(low) in ("ing", "ed", "participle")


def _fronted(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "If the vote fails, | the government will call an election." """
    if not c.after_comma(i) or c.clause_verb(i, high) is None:
        return False
    start = low
    while start < i and (
        c.words[start] in COORDINATORS or c.words[start] == "that" or not c.words[start][0].isalnum()
    ):
        start += 1
    first, second = c.form(start), c.form(start + 1)
    if first in ("ing", "participle", "ed") or c.word(start) == "having":
        return True
    if c.word(start) in ("to", "in") and second == "base":
        return True
    if c.word(start) in PREPOSITIONS and second == "ing":
        return True
    return _head_end(c, start, i) is not None


def _attribution(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "The committee found | that checks had been skipped." """
    if c.word(i) == "according" and c.word(i + 1) == "to":
        return c.has_main_verb(low, i)
    return _says_that(c, low, i, high) or _says(c, low, i, high) or _said_after(c, low, i, high)


def _source_verb(c: Clauses, low: int, i: int) -> int | None:
    """The last finite verb before `i`, where it is one of saying or thinking with a source of two words or more."""
    last = next((j for j in reversed(range(low, i)) if c.finite[j]), None)
    if last is None or c.words[last] not in SAYING:
        return None
    start = low
    while c.words[start] in COORDINATORS or _head_end(c, start, i) is not None and start < last:
        start += 1
    return last if c.size(start, last) >= 2 and not c.after_quote(last) else None


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
    if verb is None or c.clause_verb(i, high) is None:
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


def _resumed(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "The airline, which flies to 40 cities, | cancelled all its flights." """
    if c.words[i - 1] != "," or not c.finite[c.skip_adverbs(i)]:
        return False
    first = c.until(low, i - 1, _COMMA)
    return first < i - 1 and _opens_aside(c, first + 1, i - 1)


def _opens_aside(c: Clauses, i: int, end: int) -> bool:
    """Whether a clause stands between two commas."""
    i = c.skip_adverbs(i)
    if c.word(i) in RELATIVE_PRONOUNS or c.word(i) == "where":
        return any(c.finite[i:end])
    return c.form(i) in ("ing", "ed", "participle") or _head_end(c, i, end) is not None


def _series(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "He was born in Cork, | studied law | and entered parliament." """
    verb = c.skip_adverbs(i)
    if c.words[i - 1] != "," or verb >= high or not c.finite[verb] or not _has_clause(c, low, i):
        return False
    return any(
        c.words[j] in ("and", "but", "or") and c.form(c.skip_adverbs(j + 1)) for j in range(verb + 1, len(c))
    )


def _core(c: Clauses, low: int, i: int) -> int:
    """Where the innermost clause before `i` starts: after "that", a subordinator or a verb of saying."""
    start = low
    for j in range(low, i):
        saying = c.finite[j] and c.words[j] in WITHOUT_THAT and j + 1 < i
        if c.words[j] == "that" or c.words[j] in FINITE_HEADS or saying:
            start = j + 1
    return start


def _has_clause(c: Clauses, low: int, i: int) -> bool:
    return c.has_main_verb(_core(c, low, i), i)


def _coordinator(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "The ministry offered to mediate, | but the union wants a guarantee." """
    if c.words[i] not in COORDINATORS:
        return False
    j = c.skip_adverbs(i + 1)
    if j >= high:
        return False
    if c.form(j) == "ing":
        return _goes_on_with_ing(c, low, i)
    if c.form(j) in ("ed", "past", "participle", "auxiliary", "present", "base") and _joins_verbs(
        c, low, i, j
    ):
        return True
    if c.words[i] == "so" and not c.after_comma(i):
        return False
    if {"between", "both", "neither", "either"} & set(c.words[max(low, i - 6) : i]):
        return False
    return _has_clause(c, low, i) and c.clause_verb(i + 1, c.until(i + 1, high, _CLAUSE_ENDS)) is not None


def _joins_verbs(c: Clauses, low: int, i: int, j: int) -> bool:
    """Whether the verb at `j` continues the clause before the coordinator at `i`."""
    form, before = c.form(j), c.form(i - 1)
    core = _core(c, low, i)
    if form == "base":
        governor = next(
            (k for k in reversed(range(core, i)) if c.words[k] in verbs.MODALS | verbs.DO | {"to"}), None
        )
        return governor is not None and c.words[governor] != "to"
    if form == "participle":
        return any(c.words[k] in verbs.BE | verbs.HAVE for k in range(core, i))
    if not c.finite[j] or not c.has_main_verb(core, i):
        return False
    # "tired and frustrated workers": two forms side by side before a noun describe it.
    side_by_side = form == "ed" and before in ("ed", "ing")
    return not side_by_side or c.word(j + 1) in PREPOSITIONS | DETERMINERS | PRONOUNS


def _goes_on_with_ing(c: Clauses, low: int, i: int) -> bool:
    """Whether an -ing clause, or a progressive, is open before the coordinator at `i`."""
    for j in reversed(range(low, i)):
        if c.form(j) == "ing":
            return j == low or c.words[j - 1] == "," or c.words[j - 1] in verbs.BE | ING_HEADS
    return False


def _participle(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "Rain flooded the town, | forcing 300 families to leave." """
    if not c.after_comma(i) or not c.has_main_verb(low, i):
        return False
    if c.word(i) == "with":
        return any(c.form(j) == "ing" for j in range(i + 2, c.until(i, high, _COMMA)))
    j = c.skip_adverbs(i)
    if c.form(j) == "ing":
        return True
    return c.form(j) in ("ed", "participle") and c.word(j + 1) in PREPOSITIONS and not c.finite[j]


def _purpose(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "Nurses marched through the capital | to demand higher pay." """
    j = i + 2 if c.words[i : i + 2] == ["in", "order"] or c.words[i : i + 2] == ["so", "as"] else i
    if c.word(j) != "to" or c.form(c.skip_adverbs(j + 1)) != "base" or not c.has_main_verb(low, i):
        return False
    if j > i or c.after_comma(i):
        return True
    if c.size(i, high) < 4 or c.form(i - 1) or c.word(i - 1) in TAKES_INFINITIVE:
        return False
    return not set(c.words[low:i]) & TAKES_INFINITIVE


def _next_clause(c: Clauses, low: int, i: int, high: int) -> bool:
    """ "Troops will leave, | prisoners will be exchanged | and a force will be set up." """
    if c.words[i - 1] != "," or c.words[i] in RELATIVE_PRONOUNS or not _has_clause(c, low, i):
        return False
    return c.clause_verb(i, c.until(i, high, _CLAUSE_ENDS | {"and", "but"})) is not None


RULES = (
    Rule("strong mark", _strong_mark),
    Rule("relative clause", _relative),
    Rule("subordinator", _subordinator),
    Rule("fronted clause", _fronted),
    Rule("attribution", _attribution),
    Rule("resumed clause", _resumed),
    Rule("series", _series),
    Rule("participle", _participle),
    Rule("coordinator", _coordinator),
    Rule("purpose", _purpose),
    Rule("next clause", _next_clause),
)
