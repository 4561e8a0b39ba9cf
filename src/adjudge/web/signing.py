"""Signing in and out, by personal link or by password, and setting a password: who may, and how often they may try."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from adjudge.core.errors import BusyError, DataError
from adjudge.judgments.store.log import Actor
from adjudge.judgments.store.sessions import LIFETIME, LIMIT, Proof, Session, digest
from adjudge.web.site import Site

T = TypeVar("T")

FRESH = timedelta(minutes=10)
"""After signing in by link, so long a password can be set without the old one."""
LIMIT_OF_A_PLACE = 10 * LIMIT
"""Failed tries from one address: many people may sit behind it, and one of them may be clumsy."""
WAITING = 1000
"""Passwords that wait to be checked; more are refused at once."""


class SignIn(BaseModel):
    """A token, or a name with a password."""

    model_config = ConfigDict(extra="forbid")

    token: str | None = Field(default=None, max_length=200)
    person: str | None = Field(default=None, max_length=200)
    password: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="after")
    def _one_way(self) -> SignIn:
        if (self.token is None) == (self.person is None or self.password is None):
            raise ValueError("a token, or a name and a password")
        return self


class TooManyTries(Exception):
    """More failed tries than are allowed, under one name or from one address."""


class PasswordDesk:
    """Where passwords are hashed: in few threads of their own, since each takes a core and 64 MiB for a while.

    However many wait here, pages and answers are served by others.
    """

    def __init__(self, threads: int | None = None):
        threads = threads or max(1, (os.cpu_count() or 1) // 2)
        self._pool = ThreadPoolExecutor(threads, "adjudge-passwords", initializer=_step_back)
        self._waiting = 0

    async def run(self, job: Callable[[], T]) -> T:
        if self._waiting >= WAITING:
            raise BusyError("too many passwords wait to be checked")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, job)
        finally:
            self._waiting -= 1


def _step_back() -> None:
    """Lets other threads go first, where the system has priorities for threads: pages matter more."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def enter_by_link(site: Site, actor: Actor, token: str) -> str | None:
    """A new session's token; None where the link opens nothing.

    No limit on tries: a token has 256 random bits, and whoever has a link must not wait for those who guess.
    """
    account = site.store.accounts.by_token(token)
    return None if account is None else _begin(site, actor, account.person, Proof("link", digest(token)))


def held_back(site: Site, actor: Actor, person: str) -> bool:
    """Whether a password need not even wait to be checked; the check itself takes a try (`enter_by_password`)."""
    limits = _limits(actor, person)
    return not all(site.store.attempts.allowed(key, limit) for key, limit in limits.items())


def enter_by_password(site: Site, actor: Actor, person: str, password: str) -> str | None:
    """A new session's token; None where the name or the password is wrong. Slow: run it at the `PasswordDesk`."""
    proof = _proven(site, actor, person, password)
    if proof is None:
        site.store.account_log.refused(person, "sign-in refused: wrong password", actor)
        return None
    return _begin(site, actor, person, proof)


def knows_password(site: Site, actor: Actor, person: str, password: str) -> bool:
    """Whether the old password is right, where somebody who is signed in sets a new one. Slow too."""
    right = _proven(site, actor, person, password) is not None
    if not right:
        site.store.account_log.refused(person, "password not set: wrong old password", actor)
    return right


def is_fresh(site: Site, session: Session) -> bool:
    """Whether whoever is signed in came by a personal link just now."""
    return session.by_link_within(FRESH, site.clock())


def close(site: Site, session: str, actor: Actor) -> None:
    site.store.sessions.end(session, actor)


def _proven(site: Site, actor: Actor, person: str, password: str) -> Proof | None:
    """Takes a try before the password is looked at, and gives it back where it was right."""
    taken = site.store.attempts.take_all(_limits(actor, person))
    if taken is None:
        raise TooManyTries
    proof = site.store.accounts.prove(person, password)
    if proof is not None:
        site.store.attempts.give_back(taken)
    return proof


def _begin(site: Site, actor: Actor, person: str, proof: Proof) -> str | None:
    try:
        return site.store.sessions.start(person, LIFETIME, proof=proof, actor=actor)
    except DataError:  # suspended, or given a new link, in between
        return None


def _limits(actor: Actor, person: str) -> dict[str, int]:
    return {f"person {person}": LIMIT, f"client {_network(actor.place or '?')}": LIMIT_OF_A_PLACE}


def _network(place: str) -> str:
    """An address; of IPv6 the half that a provider gives to one customer, who has all addresses in it."""
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return place
    return place if address.version == 4 else str(ipaddress.ip_network(f"{address}/64", strict=False))
