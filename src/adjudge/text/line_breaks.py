"""Which line breaks of a text end a sentence. What ends one inside a line lives in sentences.py."""

from __future__ import annotations

import re
from itertools import pairwise

_STOPS = ".!?…。！？।॥؟۔"
_CLOSERS = "\"'”’»›)]}」』"
_ENDED = re.compile(rf"[{_STOPS}][{re.escape(_CLOSERS)}\s]*\Z")
_CONTINUED_SHARE = 1 / 3
_COLUMNS = range(40, 121)


def line_cuts(text: str) -> list[int]:
    """Offsets at which a line break ends a sentence.

    A blank line always does. A single break does unless the text is *wrapped*: broken where the
    line was full. Only breaks after a line without a final stop tell which it is. Where the text
    has capitals, it is wrapped if a third of those breaks or more are followed by a small letter.
    Where it has none, case says nothing: it is wrapped if there are two such breaks or more and at
    each of them the next word would have made the line longer than the longest, which has 40 to
    120 columns.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return []
    wrapped = _is_wrapped(lines)
    cuts = []
    place = 0
    for line, following in pairwise(lines):
        place += len(line)
        if not (wrapped and line.strip() and following.strip()):
            cuts.append(place)
    return cuts


def _is_wrapped(lines: list[str]) -> bool:
    stripped = [line.strip() for line in lines]
    open_breaks = [(a, b) for a, b in pairwise(stripped) if a and b and not _ENDED.search(a)]
    if not open_breaks:
        return False
    if any(map(str.isupper, "".join(stripped))):
        continued = sum(b[0].islower() for _, b in open_breaks)
        return continued >= _CONTINUED_SHARE * len(open_breaks)
    width = max(map(len, stripped))
    full = all(len(a) + 1 + len(b.split()[0]) > width for a, b in open_breaks)
    return len(open_breaks) > 1 and width in _COLUMNS and full
