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
    Clauses,
)
from adjudge.text.edu_attribution import attribution
from adjudge.text.edu_heads import CLAUSE_ENDS, clause_end, core_start, has_clause, opens_clause
from adjudge.text.edu_words import CONNECTIVES, ING_HEADS, NOT_BEFORE_CLAUSE, TAKES_INFINITIVE

SMALLEST = 3
REACH = 200  # tokens on either side that a rule may look at: keeps a text without stops quick

_COMMA = frozenset({","})
_NON_FINITE = ("ing", "ed", "participle")


@dataclass(frozen=True, slots=True)
class Rule:
    """A named reason for a unit to open, with a sentence that shows it ("|" marks the cuts)."""

    name: str
    example: str
    opens: Callable[[Clauses, int, int, int], bool]


def _strong_mark(c: Clauses, low: int, i: int, high: int) -> bool:
    """After a semicolon; after a colon or a dash where a clause with its own subject follows."""
    mark = c.word(i - 1)
    if mark not in STRONG_MARKS or not c.has_main_verb(low, i):
        return False
    if mark == "-" and (c.ends[i - 2] == c.starts[i - 1] or c.ends[i - 1] == c.starts[i]):
        return False
    return mark == ";" or c.clause_verb(i, high) is not None


def _relative(c: Clauses, low: int, i: int, high: int) -> bool:
    """After a comma: who, whose, whom, which, where, also behind a preposition or "some of"."""
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
    """Before a word such as because, while or after, where a clause (not a noun) follows it."""
    if c.word(i - 1) in NOT_BEFORE_CLAUSE | verbs.BE or not opens_clause(c, i, high):
        return False
    return has_clause(c, low, i) or c.form(low) in _NON_FINITE


def _fronted(c: Clauses, low: int, i: int, high: int) -> bool:
    """At the comma where the main clause starts, if the unit opens with a subordinate one."""
    if not c.after_comma(i) or c.words[i] in COORDINATORS or c.clause_verb(i, high) is None:
        return False
    start = low
    while start < i and (c.words[start] in CONNECTIVES or not c.words[start][0].isalnum()):
        start += 1
    first, second = c.form(start), c.form(start + 1)
    if first in _NON_FINITE or c.word(start) == "having":
        return True
    if c.is_infinitive(start) or (c.word(start) == "in" and c.is_infinitive(start + 2)):
        return True
    if c.word(start) in PREPOSITIONS and second == "ing":
        return True
    return opens_clause(c, start, i)


def _resumed(c: Clauses, low: int, i: int, high: int) -> bool:
    """Where the main clause goes on with its verb after a clause between commas."""
    if c.words[i - 1] != "," or c.form(c.skip_adverbs(i)) in ("", "ing", "participle"):
        return False
    first = c.until(low, i - 1, _COMMA)
    return first < i - 1 and _opens_aside(c, first + 1, i - 1)


def _opens_aside(c: Clauses, i: int, end: int) -> bool:
    """Whether a clause stands between two commas."""
    i = c.skip_adverbs(i)
    if c.word(i) in RELATIVE_PRONOUNS or c.word(i) == "where":
        return any(c.finite[i:end])
    return c.form(i) in _NON_FINITE or opens_clause(c, i, end)


def _series(c: Clauses, low: int, i: int, high: int) -> bool:
    """After a comma: the next verb of several that share a subject, with "and" before the last."""
    verb = c.skip_adverbs(i)
    if c.words[i - 1] != "," or verb >= high or not c.finite[verb] or not has_clause(c, low, i):
        return False
    if c.size(i, c.until(i, high, _COMMA | COORDINATORS)) < SMALLEST:
        return False
    rest = range(verb + 1, min(verb + REACH, len(c)))
    return any(c.words[j] in ("and", "but", "or") and c.form(c.skip_adverbs(j + 1)) for j in rest)


def _coordinator(c: Clauses, low: int, i: int, high: int) -> bool:
    """Before and, but, or, nor, yet, so: where a clause follows, or a verb that shares the subject."""
    if c.words[i] not in COORDINATORS:
        return False
    j = c.skip_adverbs(i + 1)
    if j >= high:
        return False
    if c.form(j) == "ing":
        return _goes_on_with_ing(c, low, i)
    if c.form(j) and _joins_verbs(c, low, i, j):
        return True
    if c.form(j) == "base" and c.words[j] not in verbs.NOUN_TOO:
        return False
    if c.words[i] == "so" and not c.after_comma(i):
        return False
    if {"between", "both", "neither", "either"} & set(c.words[max(low, i - 6) : i]):
        return False
    return has_clause(c, low, i) and c.clause_verb(i + 1, clause_end(c, i + 1, high)) is not None


def _joins_verbs(c: Clauses, low: int, i: int, j: int) -> bool:
    """Whether the verb at `j` continues the clause before the coordinator at `i`."""
    form, before = c.form(j), c.form(i - 1)
    core = core_start(c, low, i)
    if form == "base":
        governor = next(
            (k for k in reversed(range(core, i)) if c.words[k] in verbs.MODALS | verbs.DO | {"to"}), None
        )
        return governor is not None and c.words[governor] != "to"
    if form == "participle":
        return any(c.words[k] in verbs.BE | verbs.HAVE for k in range(core, i))
    if not c.finite[j]:
        return False
    if not c.has_main_verb(core, i):
        # A finite verb after a unit without one goes on from before: "after signing it | but has failed".
        return low > 0 and not any(c.finite[low:i]) and c.has_main_verb(0, low)
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
    """After a comma: an -ing form, a participle and a preposition, or "with" and an -ing form."""
    if not c.after_comma(i) or not c.has_main_verb(low, i):
        return False
    if c.word(i) == "with":
        return any(c.form(j) == "ing" for j in range(i + 2, c.until(i, high, _COMMA)))
    j = c.skip_adverbs(i)
    if c.form(j) == "ing":
        return True
    return c.form(j) in ("ed", "participle") and c.word(j + 1) in PREPOSITIONS and not c.finite[j]


def _purpose(c: Clauses, low: int, i: int, high: int) -> bool:
    """Before an infinitive that says what for, if no word before it asks for an infinitive."""
    j = i + 2 if c.words[i : i + 2] == ["in", "order"] or c.words[i : i + 2] == ["so", "as"] else i
    if not c.is_infinitive(j) or not c.has_main_verb(low, i):
        return False
    if j > i or c.after_comma(i):
        return True
    if c.size(i, high) < 4 or c.form(i - 1) or c.word(i - 1) in TAKES_INFINITIVE:
        return False
    # "inappropriate to comment", "a contest for a couple to win", "those who paid to get it": no purpose
    # of the clause, but part of what stands before.
    if c.word(i - 2) in verbs.BE or ({"for"} | RELATIVE_PRONOUNS) & set(c.words[max(low, i - 5) : i]):
        return False
    # A verb that takes an infinitive has had its own once one stands before ("plans to plant trees").
    taken = [k for k in range(low, i - 1) if c.is_infinitive(k)]
    return not set(c.words[taken[-1] + 1 if taken else low : i]) & TAKES_INFINITIVE


def _next_clause(c: Clauses, low: int, i: int, high: int) -> bool:
    """After a comma: a clause with its own subject, as in a list of clauses."""
    if c.words[i - 1] != "," or c.words[i] in RELATIVE_PRONOUNS or not has_clause(c, low, i):
        return False
    return c.clause_verb(i, c.until(i, high, CLAUSE_ENDS | {"and", "but"})) is not None


RULES = (
    Rule("strong mark", "The union wants a shorter week; | the employers want longer shifts.", _strong_mark),
    Rule("relative clause", "A gas leak caused the blast, | which destroyed four houses.", _relative),
    Rule("participle", "Rain flooded the old town, | forcing 300 families to leave.", _participle),
    Rule("subordinator", "Rescue teams searched the rubble | while relatives waited.", _subordinator),
    Rule("fronted clause", "If the vote fails, | the government will call an election.", _fronted),
    Rule("attribution", "The committee found | that safety checks had been skipped.", attribution),
    Rule("resumed clause", "The airline, which flies to 40 cities, | cancelled all its flights.", _resumed),
    Rule("series", "He was born in Cork, | studied law in Dublin | and entered parliament.", _series),
    Rule("coordinator", "The ministry offered to mediate, | but the union wants a guarantee.", _coordinator),
    Rule("purpose", "Nurses marched through the capital | to demand higher pay.", _purpose),
    Rule("next clause", "Troops will leave the city, | prisoners will be exchanged.", _next_clause),
)
