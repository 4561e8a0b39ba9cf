"""Signing in and out: by personal link or by password, so many tries at most."""

from __future__ import annotations

from datetime import timedelta

from pydantic import BaseModel, ConfigDict, Field, model_validator

from adjudge.errors import DataError
from adjudge.web.site import Site

LIFETIME = timedelta(days=30)
"""Of a session: an evaluation takes weeks, and every day's first minute should not be spent on signing in."""


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


def may_try(site: Site, client: str, asked: SignIn) -> bool:
    """Failed tries are counted by where they come from and by whose name they use, in the database."""
    return all(site.store.attempts.allowed(key) for key in _keys(client, asked))


def enter(site: Site, client: str, asked: SignIn) -> str | None:
    """A new session's token; None where the token, the name or the password is wrong."""
    accounts = site.store.accounts
    if asked.token is not None:
        account = accounts.by_token(asked.token)
    else:
        assert asked.person is not None
        assert asked.password is not None
        account = accounts.check_password(asked.person, asked.password)
    if account is None:
        for key in _keys(client, asked):
            site.store.attempts.note(key)
        return None
    try:
        return site.store.sessions.start(account.person, LIFETIME)
    except DataError:  # suspended in between
        return None


def close(site: Site, session: str) -> None:
    site.store.sessions.end(session)


def _keys(client: str, asked: SignIn) -> list[str]:
    return [f"client {client}", *([f"person {asked.person}"] if asked.person is not None else [])]
