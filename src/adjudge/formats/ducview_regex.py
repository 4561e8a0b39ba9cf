"""The regular expressions that files carry, matched in linear time: no pattern of a stranger can stall an import.

The common part of Java's language: characters, classes, groups, alternatives, repetition. A pattern that needs more
is refused. Among matches that begin at one place the longest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MOST_STATES = 500
MOST_STEPS = 20_000_000  # states times characters
MOST_CHARACTERS = 1_000  # of a pattern
MOST_DEEP = 20
LONGEST = 2_000  # characters of one match
MOST_MATCHES = 1_000

Test = Callable[[str], bool]
Build = Callable[["_States", int], int]
"""Adds the states of a part of the pattern, given the state after it; returns the state to begin in."""

_SPACE = " \t\n\v\f\r"
_DIGITS = "0123456789"
_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_" + _DIGITS
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "e": "\x1b", "a": "\a"}
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACE}


class Unsupported(ValueError):
    """A pattern that this module does not take, or that is none."""


@dataclass(slots=True)
class _States:
    """State 0 is the end. A state takes a character, or leads on without one."""

    tests: list[Test | None] = field(default_factory=lambda: [None])
    next: list[tuple[int, ...]] = field(default_factory=lambda: [()])

    def add(self, test: Test | None, *next: int) -> int:
        if len(self.tests) >= MOST_STATES:
            raise Unsupported("too long")
        self.tests.append(test)
        self.next.append(next)
        return len(self.tests) - 1

    def reached(self, state: int) -> list[int]:
        """The states that take a character, and the end, to which a state leads without one."""
        seen, todo = {state}, [state]
        while todo:
            now = todo.pop()
            if self.tests[now] is None:
                fresh = [each for each in self.next[now] if each not in seen]
                seen.update(fresh)
                todo += fresh
        return [each for each in seen if not each or self.tests[each] is not None]


class Pattern:
    """A compiled pattern."""

    def __init__(self, source: str) -> None:
        if len(source) > MOST_CHARACTERS:
            raise Unsupported("too long")
        self._states = _States()
        start = _Parser(source).build()(self._states, 0)
        self._start = self._states.reached(start)
        self._after = [
            self._states.reached(next[0]) if test else []
            for test, next in zip(self._states.tests, self._states.next, strict=True)
        ]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the pattern matches, from left to right, without overlap; empty matches do not count."""
        if len(text) * len(self._after) > MOST_STEPS:
            raise Unsupported("too long for this text")
        found: list[tuple[int, int]] = []
        at = 0
        while (span := self._first(text, at)) is not None:
            found.append(span)
            at = span[1]
            if len(found) > MOST_MATCHES:
                raise Unsupported(f"matches more than {MOST_MATCHES} times")
        return found

    def _first(self, text: str, at: int) -> tuple[int, int] | None:
        """The leftmost match that is not empty. Every state remembers only the earliest place it was entered from."""
        best: tuple[int, int] | None = None
        now: dict[int, int] = {}
        for position in range(at, len(text)):
            if best is None:
                for state in self._start:
                    now.setdefault(state, position)
            character = text[position]
            then: dict[int, int] = {}
            for state, begin in now.items():
                test = self._states.tests[state]
                if test is None or position - begin >= LONGEST or not test(character):
                    continue
                for each in self._after[state]:
                    then[each] = min(then.get(each, begin), begin)
            if 0 in then and (best is None or then[0] <= best[0]):
                best = then[0], position + 1
            now = {state: begin for state, begin in then.items() if state and (not best or begin <= best[0])}
            if best is not None and not now:
                break
        return best


class _Parser:
    """Recursive descent over one pattern."""

    def __init__(self, source: str) -> None:
        self._source, self._at, self._deep = source, 0, 0

    def build(self) -> Build:
        whole = self._alternatives()
        if self._at < len(self._source):
            raise Unsupported("a ) without (")
        return whole

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise Unsupported("ends too early")
        self._at += 1
        return character

    def _alternatives(self) -> Build:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        return lambda states, then: states.add(None, *[branch(states, then) for branch in branches])

    def _sequence(self) -> Build:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))

        def build(states: _States, then: int) -> int:
            if not parts:  # a state even so: repeating nothing a million times must run into the limit
                return states.add(None, then)
            for part in reversed(parts):
                then = part(states, then)
            return then

        return build

    def _repeated(self, part: Build) -> Build:
        while (sign := self._peek()) and sign in "*+?{":
            self._at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign) or self._counts()
            if self._peek() in ("?", "+"):  # reluctant, possessive: how much is taken does not matter here
                self._at += 1
            part = _repeat(part, least, most)
        return part

    def _counts(self) -> tuple[int, int | None]:
        inside, closed, _ = self._source[self._at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closed or not _is_count(low) or (high and not _is_count(high)):
            raise Unsupported("a { that counts nothing")
        self._at += len(inside) + 1
        return int(low), (int(high) if high else None) if comma else int(low)

    def _atom(self) -> Build:
        match character := self._take():
            case "(":
                return self._group()
            case "[":
                return _one(self._set())
            case ".":
                return _one(lambda c: c not in "\n\r")
            case "\\":
                return _one(self._escape())
            case "^" | "$" | "*" | "+" | "?" | "{":
                raise Unsupported(f"{character} is not taken here")
            case _:
                return _one(lambda c: c == character)

    def _group(self) -> Build:
        if self._peek() == "?":
            if self._source[self._at : self._at + 2] != "?:":
                raise Unsupported("(? is not taken")
            self._at += 2
        self._deep += 1
        if self._deep > MOST_DEEP:
            raise Unsupported("too many groups inside groups")
        inside = self._alternatives()
        if self._take() != ")":
            raise Unsupported("a ( without )")
        self._deep -= 1
        return inside

    def _escape(self) -> Test:
        character = self._take()
        if character.lower() in _SETS:
            members, wanted = _SETS[character.lower()], character.islower()
            return lambda c: (c in members) == wanted
        literal = self._literal(character)
        return lambda c: c == literal

    def _literal(self, escaped: str) -> str:
        if escaped in _CONTROL:
            return _CONTROL[escaped]
        if escaped.isalnum():
            raise Unsupported(f"\\{escaped} is not taken")
        return escaped

    def _set(self) -> Test:
        negated = self._peek() == "^"
        self._at += negated
        tests = list(self._members())
        if not tests:
            raise Unsupported("an empty [ ]")
        return lambda c: any(test(c) for test in tests) != negated

    def _members(self) -> Iterator[Test]:
        while (character := self._take()) != "]":
            if character == "[" or self._source[self._at - 1 : self._at + 1] == "&&":
                raise Unsupported("a [ inside [ ]")
            if character == "\\" and self._peek().lower() in _SETS:
                yield self._escape()
                continue
            low = self._literal(self._take()) if character == "\\" else character
            if self._peek() == "-" and self._source[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._take()
                yield _between(low, self._literal(self._take()) if high == "\\" else high)
            else:
                yield _between(low, low)


def _one(test: Test) -> Build:
    return lambda states, then: states.add(test, then)


def _between(low: str, high: str) -> Test:
    if low > high:
        raise Unsupported("a range that ends before it begins")
    return lambda c: low <= c <= high


def _is_count(text: str) -> bool:
    return len(text) <= 4 and text.isascii() and text.isdigit()


def _repeat(part: Build, least: int, most: int | None) -> Build:
    if most is not None and most < least:
        raise Unsupported("a { that ends before it begins")

    def build(states: _States, then: int) -> int:
        entry = then
        if most is None:
            entry = states.add(None)
            states.next[entry] = (part(states, entry), then)
        for _ in range((most or least) - least):
            entry = states.add(None, part(states, entry), then)
        for _ in range(least):
            entry = part(states, entry)
        return entry

    return build
