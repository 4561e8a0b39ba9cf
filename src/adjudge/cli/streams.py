"""Standard output and error as they are found: of any encoding, closed, or no files at all."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys

ERRORS = "adjudge"
_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2026": "...",
    "\u00d7": "x",
    "\u00b7": ".",
    "\u00b1": "+-",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2248": "~",
    "\u2192": "->",
    "\u2190": "<-",
    "\u2191": "^",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "\u2500": "-",
    "\u2502": "|",
    "\u25cf": "*",
    "\u25cb": "o",
    "\u2588": "#",
}
"""What tables and sentences print beyond ASCII, for terminals and files that have no such characters."""


def ready() -> None:
    """Let every character be printed, in one way or another, and every command run without a standard output."""
    codecs.register_error(ERRORS, _spelt)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: else the next file that is opened takes its place
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def fits(text: str) -> bool:
    """Whether standard output has all characters of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_json(text: str) -> None:
    """JSON, or a part of it: what standard output has not is escaped, as JSON escapes it."""
    if not fits(text):
        text = re.sub(r"[^\x00-\x7f]", lambda match: json.dumps(match[0])[1:-1], text)
    print(text, end="")


def print_data(text: str) -> None:
    """A table for programs: in UTF-8 where standard output has not all of its characters."""
    if fits(text) or not isinstance(sys.stdout, io.TextIOWrapper):
        print(text, end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", errors="surrogateescape"))


def _spelt(error: UnicodeError) -> tuple[str, int]:
    """An error handler: a plain spelling where there is one, else the character's number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    bad = error.object[error.start : error.end]
    spelt = "".join(
        _PLAIN.get(character) or character.encode("ascii", "backslashreplace").decode() for character in bad
    )
    return spelt, error.end
