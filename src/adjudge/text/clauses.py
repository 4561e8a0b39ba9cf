"""An English sentence as tokens, and where in it something looks like a clause, by word lists and endings alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from adjudge.text import verbs
from adjudge.text.verbs import listed

_TOKEN = re.compile(
    r"``|''|--+|\.\.+"
    r"|[$£€#]?[^\W_]+(?:(?:['’.&/-]|(?<=\d)[,:–](?=\d))[^\W_]+)*%?"
    r"|['’][^\W\d_]{1,2}(?![^\W_])"
    r"|\S"
)

ARTICLES = listed("the a an my your his her its our their every each no another this these those 's")
_ALONE = listed("another each this these those")  # of these, the ones that can be a subject
QUANTIFIERS = listed("some any many few several most more all both half none much either neither such what")
DETERMINERS = ARTICLES | QUANTIFIERS
SUBJECT_PRONOUNS = listed("i you he she it we they there")
PRONOUNS = SUBJECT_PRONOUNS | listed(
    """this that these those who someone somebody nobody everyone everybody anyone anybody nothing everything
    something none one others him her them us me"""
)
RELATIVE_PRONOUNS = listed("who whom whose which that")
PREPOSITIONS = listed(
    """of in on at by for with from to into over under between among against during through about across
    along around behind beneath beside beyond despite down inside near off onto out outside past per since
    than throughout toward towards until up upon via within without amid like as after before above below"""
)
PLURALS_WITHOUT_S = listed("police people men women children staff others both many some most few")
COORDINATORS = listed("and but or nor yet so")
ADVERBS = listed(
    """also then now still already never ever soon later again not just even only almost always often instead
    thus therefore thereby once twice too however n't so nearly far"""
)
_NOT_IN_SUBJECT = listed("because although though unless if whether when where why how what while as")
_BEFORE_BASE = listed("who which that and or but")
_AFTER_VERB = listed("to up out off for against on as down back")
_PARTICLES = listed("up out down off over")
_MONTH_BEFORE = listed("in of last next this since by until from early late mid")
STRONG_MARKS = listed("; : – — -- -")
_OPENING_QUOTES = listed("“ ‘ « `` `")
_CLOSING_QUOTES = listed("” » ''")
_QUOTE_MARKS = _OPENING_QUOTES | _CLOSING_QUOTES | {'"', "'"}
_SHORT_QUOTE = 5


class Clauses:
    """One sentence: its tokens in lower case, where they stand, and questions about stretches of them."""

    def __init__(self, text: str) -> None:
        tokens = list(_TOKEN.finditer(text))
        self.starts = [token.start() for token in tokens]
        self.ends = [token.end() for token in tokens]
        self.surface = [token[0] for token in tokens]
        self.words = [token[0].lower().replace("’", "'") for token in tokens]
        self.forms = [verbs.form(word) for word in self.words]

    def __len__(self) -> int:
        return len(self.words)

    def word(self, i: int) -> str:
        """The token at a place, "" outside the sentence."""
        return self.words[i] if 0 <= i < len(self.words) else ""

    def form(self, i: int) -> str:
        return self.forms[i] if 0 <= i < len(self.forms) else ""

    def size(self, start: int, end: int) -> int:
        """How many words a stretch has."""
        return sum(word[0].isalnum() for word in self.words[start:end])

    def skip_adverbs(self, i: int) -> int:
        while self._is_adverb(i):
            i += 1
        return i

    def _is_adverb(self, i: int) -> bool:
        return self.word(i) in ADVERBS or self.word(i).endswith("ly")

    @cached_property
    def finite(self) -> list[bool]:
        """Whether each token looks like a finite verb where it stands."""
        return [self._is_finite(i) for i in range(len(self))]

    def _is_finite(self, i: int) -> bool:
        form, word, before, after = self.forms[i], self.words[i], self.word(i - 1), self.word(i + 1)
        if form == "auxiliary":
            return self._is_finite_auxiliary(i)
        if form == "past":
            return before not in ARTICLES - _ALONE and before != "to"
        if form == "ed":
            return self._is_finite_ed(i)
        if before in ARTICLES or before in PREPOSITIONS or before in verbs.MODALS or before in verbs.DO:
            return False
        noun_too = (verbs.base_of(word) or word) in verbs.NOUN_TOO
        if noun_too and self.form(i - 1) not in ("", "auxiliary"):
            return False
        if form in ("present", "base") and before in SUBJECT_PRONOUNS:
            return True
        if form == "present":
            if self._is_plural(i - 1):
                return False
            return not noun_too or self._takes_object(after) or self._is_adverb(i - 1)
        if form == "base":
            subject = self._is_plural(i - 1) or before in _BEFORE_BASE
            if noun_too:
                return subject and (self._takes_object(after) or not after[:1].isalnum())
            return subject or (before[:1].isalpha() and self._takes_object(after))
        return word == "'s" and before in PRONOUNS

    def _is_finite_auxiliary(self, i: int) -> bool:
        word, before, after = self.words[i], self.word(i - 1), self.word(i + 1)
        if word in ("may", "will") and (i > 0 and self.surface[i][0].isupper()):
            return False
        if word == "may" and (after[:1].isdigit() or before in _MONTH_BEFORE):
            return False
        if before in ARTICLES and word in verbs.MODALS:
            return False
        return before != "to" and not (word in verbs.HAVE | verbs.DO and before in verbs.MODALS)

    def _is_finite_ed(self, i: int) -> bool:
        """A past form that is no participle: no auxiliary before it, no article, no "by" after it."""
        before, after = self.word(i - 1), self.word(i + 1)
        articles = ARTICLES - _ALONE if self.words[i] in verbs.PAST_OR_PARTICIPLE else ARTICLES
        if i == 0 or before in articles or before in PREPOSITIONS or self._has_auxiliary_before(i):
            return False
        if after == "by":
            return False
        if before == "," and after == "to":
            return self.form(i + 2) == "base"
        return not (before == "," and after in PREPOSITIONS - _PARTICLES)

    def _has_auxiliary_before(self, i: int) -> bool:
        """Whether be or have stands before a place, with nothing but adverbs between."""
        i -= 1
        while i > 0 and self._is_adverb(i):
            i -= 1
        return i >= 0 and (
            self.words[i] in verbs.BE | verbs.HAVE or self.words[i].endswith(("'s", "'ve", "'re"))
        )

    def _is_plural(self, i: int) -> bool:
        word = self.word(i)
        return word in PLURALS_WITHOUT_S or (
            word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and len(word) > 3
        )

    def _takes_object(self, after: str) -> bool:
        """Whether the word after a form that may be a noun shows it to be a verb."""
        if after in DETERMINERS | PRONOUNS or after in _AFTER_VERB:
            return True
        return after[:1].isdigit() or after.endswith("ly") or verbs.form(after) == "ing"

    def is_infinitive(self, i: int) -> bool:
        """Whether "to" and a verb stand here; one on no list shows by an article or figure after it."""
        j = self.skip_adverbs(i + 1)
        if self.word(i) != "to" or self.word(j) in DETERMINERS | PRONOUNS:
            return False
        if self.word(j) in verbs.VERBS or self.word(j) == "be":
            return True
        object_next = self.word(j + 1) in ARTICLES - {"'s"} or self.word(j + 1)[:1].isdigit()
        return object_next and self.surface[j][0].islower()

    def verb_like(self, i: int) -> bool:
        """Whether a token looks like a verb of any kind, finite or not."""
        form, before = self.forms[i], self.word(i - 1)
        if self.finite[i]:
            return True
        if form in ("ed", "participle", "ing"):
            return before not in ARTICLES
        return form == "base" and (before == "to" or before in verbs.MODALS)

    def has_verb(self, start: int, end: int) -> bool:
        return any(self.verb_like(i) for i in range(start, end))

    def main_verbs(self, start: int, end: int) -> Iterator[int]:
        """Finite verbs of a stretch, but for those of relative clauses ("who was", "that they say")."""
        relative = False
        for i in range(start, end):
            if self.finite[i] and not relative:
                yield i
            elif self.finite[i]:
                relative = False
            elif i > start and self.words[i] in RELATIVE_PRONOUNS:
                relative = self.words[i] != "that" or self.may_be_noun(i - 1)

    def may_be_noun(self, i: int) -> bool:
        """Whether "that" after this token may open a relative clause."""
        word = self.word(i)
        if self.forms[i] and (verbs.base_of(word) or word) not in verbs.NOUN_TOO:
            return False
        return word[:1].isalpha() and word not in PREPOSITIONS | COORDINATORS | ADVERBS

    def has_main_verb(self, start: int, end: int) -> bool:
        return next(self.main_verbs(start, end), None) is not None

    def clause_verb(self, start: int, end: int, longest_subject: int = 12) -> int | None:
        """The verb of a clause with a subject that opens at `start`, or None where none does."""
        verb = next(self.main_verbs(start, end), None)
        if verb is None or verb == start or self.size(start, verb) > longest_subject:
            return None
        subject = self.words[start:verb]
        if subject.count(",") % 2 or set(subject) & (STRONG_MARKS | _NOT_IN_SUBJECT):
            return None
        # "a charge it denies": a noun, then a pronoun with its verb, is no clause of its own.
        contact = verb - 1 > start and subject[-1] in SUBJECT_PRONOUNS and subject[0] in DETERMINERS
        return None if contact else verb

    def until(self, start: int, end: int, marks: frozenset[str]) -> int:
        """The first place in a stretch where one of `marks` stands, else its end."""
        return next((i for i in range(start, end) if self.words[i] in marks), end)

    @cached_property
    def closed(self) -> list[bool]:
        """Places where no unit may open: inside brackets, and inside quotes of a few words."""
        shut = [False] * len(self)
        for first, last in (*self._brackets(), *self._short_quotes()):
            shut[first + 1 : last + 1] = [True] * (last - first)
        return shut

    def _brackets(self) -> Iterator[tuple[int, int]]:
        opened: list[int] = []
        for i, word in enumerate(self.words):
            if word in ("(", "["):
                opened.append(i)
            elif word in (")", "]") and opened:
                yield opened.pop(), i

    def _short_quotes(self) -> Iterator[tuple[int, int]]:
        opened: int | None = None
        for i, word in enumerate(self.words):
            closes = word in _CLOSING_QUOTES or (opened is not None and word in ('"', "'"))
            if closes and opened is not None:
                if self.size(opened, i) <= _SHORT_QUOTE:
                    yield opened, i
                opened = None
            elif word in _OPENING_QUOTES or word in ('"', "'"):
                opened = i

    def after_comma(self, i: int) -> bool:
        """Whether a comma stands before a place, closing quotes between them or not."""
        i -= 1
        while i >= 0 and self.words[i] in _QUOTE_MARKS:
            i -= 1
        return i >= 0 and self.words[i] == ","

    def after_quote(self, i: int) -> bool:
        return self.word(i - 1) in _QUOTE_MARKS

    def opening(self, i: int) -> int:
        """Where a unit that opens at token `i` starts in the text: before the quotes that open there."""
        while i > 0 and self._opens_quote(i - 1):
            i -= 1
        return self.starts[i]

    def _opens_quote(self, i: int) -> bool:
        """A quote mark with white space before it and none after, or one that can only open."""
        if self.words[i] in _OPENING_QUOTES or self.words[i] in ("(", "["):
            return True
        apart = i == 0 or self.ends[i - 1] < self.starts[i]
        return self.words[i] in ('"', "'") and apart and self.ends[i] == self.starts[i + 1]
