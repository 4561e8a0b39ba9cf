"""What counts as a word: three rules that cut a text into words, and the count by which lengths are measured.

Nothing here depends on a language; scripts that are written without spaces have a rule of their own.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

from adjudge.core.errors import UsageError

WordRule = Callable[[str], list[str]]

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_TO_WORDS = bytes(ord(chr(c).lower()) if chr(c).isascii() and chr(c).isalnum() else 32 for c in range(256))
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_TOKEN = re.compile(r"\S+")
_UNSPACED = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u3040-\u30ff\u31f0-\u31ff"  # Han, kana
    "\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2-\u0eb3\u0ec0-\u0ec6"  # Thai, Lao
    "\u1000-\u102a\u1780-\u17b3]"  # Burmese, Khmer
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"  # marks
)
_SOFT_HYPHEN = "\u00ad"
_JOINERS = "\u200c\u200d"  # Persian and the Indic scripts write them inside a word


def rouge_words(text: str) -> list[str]:
    """The words of ROUGE-1.5.5: runs of A-Z, a-z and 0-9, in lower case.

    The script turns a hyphen into a word of its own, which it then drops, and every other character into a
    space. A letter outside ASCII is one of those: "café" gives "caf", "naïve" gives "na" and "ve".
    """
    if text.isascii():
        return text.encode().translate(_TO_WORDS).decode().split()  # four times as fast as the pattern
    # Matched before it is lower-cased: U+212A (the kelvin sign) lower-cases to an ASCII k.
    return [word.lower() for word in _ASCII_WORD.findall(text)]


def unicode_words(text: str) -> list[str]:
    """Runs of letters, marks and digits of any script, in lower case.

    An apostrophe separates, as in ROUGE-1.5.5, so that "Maria's" shares a word with "Maria", "l'eau" one with
    "eau", and tokenised text ("maria 's") has the words of plain text. On ASCII text both rules agree.
    """
    if text.isascii():
        return rouge_words(text)
    return [word.lower() for word in _unicode_word().findall(text.replace(_SOFT_HYPHEN, ""))]


def character_words(text: str) -> list[str]:
    """As `unicode_words`, but every sign of a script that is written without spaces stands alone.

    Those are the Chinese, Japanese, Thai, Lao, Khmer and Burmese scripts; a sign keeps its combining marks.
    """
    if text.isascii():
        return rouge_words(text)
    return [part for word in unicode_words(text) for part in _UNSPACED.sub(r" \g<0> ", word).split()]


WORD_RULES: dict[str, WordRule] = {
    "rouge": rouge_words,
    "unicode": unicode_words,
    "characters": character_words,
}


def word_spans(text: str, rule: str) -> list[tuple[int, int]]:
    """Where the words stand that a rule of `WORD_RULES` cuts a text into, in their order."""
    if rule == "rouge" or text.isascii():
        return [match.span() for match in _ASCII_WORD.finditer(text)]
    at = [place for place, sign in enumerate(text) if sign != _SOFT_HYPHEN]
    words = list(_unicode_word().finditer(text.replace(_SOFT_HYPHEN, "")))
    spans = [match.span() for match in words]
    if rule == "characters":
        spans = [span for match in words for span in _sign_spans(match)]
    return [(at[start], at[end - 1] + 1) for start, end in spans]


def _sign_spans(word: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Every sign of a script without spaces, and what stands between such signs."""
    end = 0
    for sign in _UNSPACED.finditer(word[0]):
        if sign.start() > end:
            yield word.start() + end, word.start() + sign.start()
        yield word.start() + sign.start(), word.start() + sign.end()
        end = sign.end()
    if end < len(word[0]):
        yield word.start() + end, word.end()


def share_kept(text: str, words: list[str]) -> float:
    """How much of a text's letters and digits its words still have: a rule made for another script keeps little."""
    letters = sum(map(str.isalnum, text))
    return min(1.0, sum(map(len, words)) / letters) if letters else 1.0


def count_words(text: str) -> int:
    """How many tokens between white space hold a letter or a digit. Target lengths are counted so."""
    return sum(_LETTER_OR_DIGIT.search(token) is not None for token in text.split())


def first_words(text: str, n: int) -> str:
    """The text up to the end of its `n`-th word, characters as they were; all of it where it has no more."""
    if n < 0:
        raise UsageError(f"n: a text cannot be cut after {n} words, expected 0 or more")
    ends = (token.end() for token in _TOKEN.finditer(text) if _LETTER_OR_DIGIT.search(token[0]))
    end = 0
    for _ in range(n):
        end = next(ends, len(text))
    return text if next(ends, None) is None else text[:end]


@cache
def _unicode_word() -> re.Pattern[str]:
    r"""A letter or digit, then letters, digits, marks and joiners.

    The standard library's \w leaves out combining marks, which would cut Hindi and Thai words into pieces,
    and knows no class for them; so the class is gathered from unicodedata, once, when first needed.
    """
    ranges: list[tuple[int, int]] = []
    categories = map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))
    for code in (code for code, category in enumerate(categories) if category[0] == "M"):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    more = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + _JOINERS
    return re.compile(rf"[^\W_](?:[^\W_]|[{more}])*")
