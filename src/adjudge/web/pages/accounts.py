"""A person's own account, and the organiser's log of everybody's: who signed in, and what was changed."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import Response

from adjudge.judgments.store.log import AccountEntry
from adjudge.web.api import visitor
from adjudge.web.pages.views import render
from adjudge.web.signing import is_fresh
from adjudge.web.site import Site

SHOWN = 500
"""Entries on the page; `adjudge people log` has all."""


@dataclass(frozen=True)
class AccountPage:
    person: str
    has_password: bool
    fresh: bool
    """They came by their link just now, and need no old password."""

    @property
    def can_set(self) -> bool:
        return self.fresh or self.has_password


@dataclass(frozen=True)
class LogLine:
    at: str
    person: str
    what: str
    by: str
    place: str


@dataclass(frozen=True)
class LogPage:
    lines: tuple[LogLine, ...]
    more: bool


def account(request: Request) -> Response:
    site: Site = request.app.state.site
    signed_in = visitor(request)
    has = site.store.accounts.get(signed_in.person).has_password
    page = AccountPage(person=signed_in.person, has_password=has, fresh=is_fresh(site, signed_in.session))
    return render(request, "account.html.j2", page=page)


def log(request: Request) -> Response:
    site: Site = request.app.state.site
    entries = site.store.account_log.entries(most=SHOWN + 1)
    page = LogPage(lines=tuple(map(_line, entries[:SHOWN])), more=len(entries) > SHOWN)
    return render(request, "log.html.j2", page=page)


def _line(entry: AccountEntry) -> LogLine:
    return LogLine(
        at=entry.at[:19].replace("T", " "),
        person=entry.person or "nobody's name",
        what=entry.what,
        by=entry.by or "",
        place=entry.place or "",
    )
