"""The Lovins stemmer (1968): one ending goes, then the end is respelt. Its tables are in lovins_tables.py.

Where the paper leaves a choice, the one of Snowball's `lovins` is taken, so that stems agree with it:

- Rule 30 is printed "end -> ens except following m", where rule 24 has "end" already; it is read as "ent".
- Of the rules 2 to 34 one applies, that of the longest end ("bex" goes before "ex"), and its result is not
  respelt again.
- Rule 1 (one of two equal letters goes) and the respelling also apply to words that lost no ending, however
  short: "add" becomes "ad", "end" becomes "ens". Only the removal of endings knows a least length.
- The conditions look at what an ending leaves before rule 1, the exceptions of the respelling after it.
- Condition N, "4 letters after s**, elsewhere 3", is about the third letter from the end of what is left, so
  that "rising" loses its ending; L lets -ide go after -os ("glucoside" -> "glucos").
- "'s" and "s'" are among the 294 endings. ROUGE's words have no apostrophe, so there they never occur.
- The list has no -ents and no -ements, and "government" keeps its m: that is the paper's, and kept. So are
  conditions that look odd beside their neighbours (-ally asks for three letters, -ically for two).
- Appendix D, on stems that match though they differ a little, is not part of the stemmer.
"""

from __future__ import annotations

import re
from functools import cache

from adjudge.text.stemmers.lovins_tables import CONDITIONS, DOUBLED, ENDINGS, LONGEST_ENDING, RESPELLINGS

_FEWEST = 2  # letters that any ending leaves
_RESPELT = range(max(map(len, RESPELLINGS)), min(map(len, RESPELLINGS)) - 1, -1)


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    return _respell(_undouble(_drop_ending(word)))


def _drop_ending(word: str) -> str:
    """Without the longest ending whose condition holds for what is left."""
    for size in range(min(LONGEST_ENDING, len(word) - _FEWEST), 0, -1):
        code = ENDINGS.get(word[-size:])
        if code is not None and _allowed(code, word[:-size]):
            return word[:-size]
    return word


def _allowed(code: str, left: str) -> bool:
    fewest, end = _condition(code)
    return len(left) >= fewest and end.search(left) is not None


@cache
def _condition(code: str) -> tuple[int, re.Pattern[str]]:
    fewest, end = CONDITIONS[code]
    return fewest, re.compile(rf"(?:{end})\Z", re.DOTALL)


def _undouble(word: str) -> str:
    return word[:-1] if word[-2:-1] == word[-1:] and word[-1:] in DOUBLED else word


def _respell(word: str) -> str:
    for size in _RESPELT:
        rule = RESPELLINGS.get(word[-size:])
        if rule is not None:
            end, forbidden = rule
            before = word[:-size]
            return word if before and before[-1] in forbidden else before + end
    return word
