"""Passwords: which are taken, what is kept of them (argon2), and whether one fits. Knows no accounts."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.judgments.store.keys import new_token

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 10, 1000  # characters; the longest, so that nobody makes the server hash a book


@cache
def hasher() -> PasswordHasher:
    """Argon2id with the library's parameters, which grow with its releases."""
    from argon2 import PasswordHasher  # only here: most who open a store check no password

    return PasswordHasher()


def check_password(password: str) -> None:
    """Refuses one that is too short or too long. The message never shows it."""
    n = len(_normal(password))
    if not SHORTEST <= n <= LONGEST:
        raise UsageError(f"the password has {n:,} characters, expected {SHORTEST} to {LONGEST:,}")


def hashed(password: str) -> str:
    """What is kept of a password; slow on purpose, since people's passwords can be guessed."""
    check_password(password)
    return hasher().hash(_bytes(password))


def fits(kept: str | None, password: str) -> bool:
    """Whether a password is the one that was kept; where none was, False after just as much work.

    So the time taken does not tell which names have an account.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    nobodys = _nobodys()  # also where it is not needed: else the first unknown name would take longer
    tried = password if len(_normal(password)) <= LONGEST else ""  # no password is empty
    try:
        hasher().verify(nobodys if kept is None else kept, _bytes(tried))
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


def outdated(kept: str) -> bool:
    """Whether a hash was made with other parameters than those of today."""
    return hasher().check_needs_rehash(kept)


@cache
def _nobodys() -> str:
    """The hash of a password that nobody knows."""
    return hasher().hash(new_token())


def _normal(password: str) -> str:
    """One form for what looks the same: keyboards and systems compose accents differently."""
    return unicodedata.normalize("NFC", password)


def _bytes(password: str) -> bytes:
    return _normal(password).encode("utf-8", "surrogatepass")  # whatever a browser may send
