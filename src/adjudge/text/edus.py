"""Elementary discourse units (EDUs) of a text: clauses, found by rules.

DUC-2002 cut its references into such units (Over and Liggett 2002, "Models"). English sentences are cut by RULES, tried
in order; a rule is a name and a question: may a unit open at token `i`, given the unit [low, high) that it would cut?
Every cut must also leave two units that are large enough and hold something like a verb. Sentences of other languages
are cut at strong marks alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

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
from adjudge.text.sentences import Span, sentences, spans_between
from adjudge.text.verbs import listed
from adjudge.text.words import count_words

# Word lists: what opens a clause, what says something, what takes an infinitive

# What may stand before a word that opens a clause and goes with it: "and when", "that if".
CONNECTIVES = listed("and but or nor yet that")
FINITE_HEADS = listed(
    """because although though whereas unless until till if when whenever while whilst since once as after
    before whether lest"""
)
PAIR_HEADS = {"so": "that", "now": "that", "provided": "that", "given": "that", "in": "case", "as": "if"}
ING_HEADS = listed("after before while when since by without despite until besides")
PARTICIPLE_HEADS = listed("when while if once until unless although though as")
HEAD_MODIFIERS = listed(
    "even just only shortly soon long immediately especially particularly mainly partly largely right not"
)
TIME_COUNTS = listed(
    "about around nearly almost a an one two three four five six seven eight nine ten few several some many"
)
TIME_UNITS = listed(
    "second seconds minute minutes hour hours day days week weeks month months year years decades"
)
NOT_BEFORE_CLAUSE = listed("of for from with about at into to than like")
NOT_AS = listed("such as so same well much many soon far known described")
NOT_AFTER_AS = listed("of well much many soon long to")

SAYING = listed(
    """acknowledge acknowledged acknowledges add added adds admit admits admitted agree agreed agrees
    allege alleged alleges announce announced announces argue argued argues ask asked asks assert
    asserted asserts assure assured believe believed believes claim claimed claims complain complained
    complains concede conceded concedes conclude concluded concludes confirm confirmed confirms contend
    contended contends decide decided decides declare declared declares determine determined determines
    discover discovered discovers doubt doubted doubts emphasise emphasised estimate estimated estimates
    expect expected expects explain explained explains fear feared fears feel feels felt find finds
    found heard hint hinted hints hope hoped hopes indicate indicated indicates inform informed insist
    insisted insists knew know known knows learn learned learns maintain maintained maintains mean means
    meant note noted notes observe observed observes predict predicted predicts promise promised
    promises prove proved proves realise realised realize realized recall recalled recalls remind
    reminded replied replies reply report reported reports reveal revealed reveals said say says show
    showed shown shows state stated states stress stressed stresses suggest suggested suggests tell
    tells testified testifies testify think thinks thought told understand understands understood vow
    vowed vows warn warned warns worried worries worry write writes written wrote"""
)
WITH_HEARER = listed("told tell tells warned warn warns informed assured reminded asked promised")
WITHOUT_THAT = listed(
    """acknowledge acknowledged acknowledges added admit admits admitted allege alleged alleges announce
    announced announces argue argued argues assert asserted asserts believe believed believes claim
    claimed claims complain complained complains concede conceded concedes conclude concluded concludes
    confirm confirmed confirms contend contended contends declare declared declares determine determined
    determines discover discovered discovers emphasise emphasised estimate estimated estimates expect
    expects explain explained explains fear feared fears feel feels felt found hint hinted hints hope
    hoped hopes indicate indicated indicates insist insisted insists knew know knows learn learned
    learns noted predict predicted predicts promised realise realised realize realized recalled replied
    replies reply report reported reports reveal revealed reveals said say says showed stated stressed
    suggest suggested suggests testified testifies testify think thinks thought understands understood
    vow vowed vows warn warned warns worried worries worry"""
)
TAKES_INFINITIVE = listed(
    """ability able about agree agreed agreeing agrees aim aimed aims allow allowed allowing allows
    ambition appeal appeals appear appeared appears ask asked asks attempt attempted attempting attempts
    authority ban banned battle beg began begged begin begins best bid bids biggest bound call called
    calls campaign capacity chance choice choose chose claim claimed claims commitment compel continue
    continued continues courage course dare day days deadline deal decide decided decides decision
    declined declines demand demanded demands deserve designed desire destined determination determined
    difficult due duty eager easier easy effort efforts enable enabled enables encourage encouraged
    enough entitled expect expected expects fail failed fails failure fifth fight first force forced
    forces forcing forget forgot fourth free freedom funds glad going had happy hard has have help
    helped helps hope hoped hopes hour hours impossible inability incentive inclined instruct instructed
    intend intended intends invitation invite invited keen largest last law laws learn legislation
    licence license licensed like likely long made manage managed mission money month months motion
    motivated motivation move need needed needs next obligation obliged offer offered offers oldest only
    opportunity order ordered orders ought permission permit permitted persuade persuaded place plan
    planned plans pleased pledge pledged pledges power prefer prepare prepared pressure promise promised
    promises proposal proposed race readiness ready reason reasons refusal refuse refused refuses
    reluctance reluctant remains request require required requires resources right room rules rush
    scheduled scheme scramble second seek seem seemed seems set sought start started starts steps
    strength struggle struggled struggling supposed tell tells temptation tend tendency tends third
    threat threaten threatened threatens time told track tried tries try trying unable unlikely urge
    urged urges urging used using vote voted votes vow vowed wait waited waiting want wanted wants warn
    warned way week weeks willing willingness wish work year years youngest"""
)


# Where a clause opens inside a sentence, and where the one before it started

_COMMA = frozenset({","})
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


# Attribution: a source ("the ministry said") and what is said


def _attribution(c: Clauses, low: int, i: int, high: int) -> bool:
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
    main_verbs = list(c.main_verbs(i, end))
    if (
        main_verbs
        and c.words[main_verbs[0]] in SAYING
        and len(main_verbs) == 1
        and "that" not in c.words[i:end]
    ):
        subject_first = main_verbs[0] > i and c.words[i] not in RELATIVE_PRONOUNS | COORDINATORS
        return c.has_main_verb(low, i) and (subject_first or c.after_quote(i))
    return False


# The rules

SMALLEST = 3  # words of a unit
REACH = 200  # tokens on either side that a rule may look at: keeps a text without stops quick

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
    Rule("attribution", "The committee found | that safety checks had been skipped.", _attribution),
    Rule("resumed clause", "The airline, which flies to 40 cities, | cancelled all its flights.", _resumed),
    Rule("series", "He was born in Cork, | studied law in Dublin | and entered parliament.", _series),
    Rule("coordinator", "The ministry offered to mediate, | but the union wants a guarantee.", _coordinator),
    Rule("purpose", "Nurses marched through the capital | to demand higher pay.", _purpose),
    Rule("next clause", "Troops will leave the city, | prisoners will be exchanged.", _next_clause),
)


# Cutting a text

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
            # Whether both halves are large enough and hold something like a verb.
            if rule.opens(c, low, i, high) and (
                all(
                    c.size(start, end) >= SMALLEST
                    and (c.has_verb(start, end) or c.words[start] == "according")
                    for start, end in pairwise((low, i, high))
                )
            ):
                insort(bounds, i)
                why[i] = rule.name
    return {c.opening(i): why[i] for i in sorted(why)}


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
