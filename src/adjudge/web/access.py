"""Who is visiting, and what protects a visit: roles, CSRF, headers. Accounts and sessions live in judgments/.

Everything is denied unless a route's entry in routes.py allows it.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from starlette.requests import Request

from adjudge.judgments.store.sessions import Session
from adjudge.web.site import Site

Role = Literal["anyone", "assessor", "organiser"]

CSRF_HEADER = "x-adjudge-csrf"
HEADERS = {
    # No inline script, no eval, nothing from elsewhere. Charts are SVG that the server makes.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Visitor:
    """Somebody who is signed in."""

    session: Session
    token: str
    """Of the session, as the cookie has it."""
    judges: bool
    """Whether this person has pages to judge: every assessor, and organisers whom evaluation.toml names."""

    @property
    def person(self) -> str:
        return self.session.person

    @property
    def is_organiser(self) -> bool:
        return self.session.role == "organiser"

    def may(self, role: Role) -> bool:
        match role:
            case "anyone":
                return True
            case "assessor":
                return self.judges
            case "organiser":
                return self.is_organiser


def cookie_name(site: Site) -> str:
    """One of its own for each evaluation: cookies do not tell ports apart."""
    return f"adjudge-{site.key[:8]}"


def visitor_of(request: Request, site: Site) -> Visitor | None:
    """Who sent a request; None where nobody is signed in (any more)."""
    token = request.cookies.get(cookie_name(site), "")
    session = site.store.sessions.find(token) if token else None
    if session is None:
        return None
    judges = session.role == "assessor" or session.person in site.judging.organisers_who_judge
    return Visitor(session, token, judges)


def csrf_token(site: Site, session: str) -> str:
    """What a page of one's own knows and a strange page cannot: it is bound to the session."""
    key = site.store.secret("csrf")
    return hmac.new(key, session.encode(), sha256).hexdigest()


def is_forged(request: Request, site: Site, visitor: Visitor | None) -> bool:
    """Whether a request that changes something may come from another site's page."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        return True
    if visitor is None:
        return False  # signing in: there is no session yet whose rights could be borrowed
    given = request.headers.get(CSRF_HEADER, "")
    return not hmac.compare_digest(given.encode(), csrf_token(site, visitor.token).encode())


def client_of(request: Request) -> str:
    """Where a request comes from, for counting failed sign-ins."""
    return request.client.host if request.client else "?"
