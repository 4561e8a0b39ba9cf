"""Who is visiting, and what protects a visit: roles, CSRF, headers. Accounts and sessions live in judgments/.

Everything is denied unless a route's entry in routes.py allows it.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.requests import Request

from adjudge.judgments.store.log import Actor
from adjudge.judgments.store.sessions import LIFETIME, Session
from adjudge.web.site import Site

log = logging.getLogger("adjudge.web")

Role = Literal["unasked", "anyone", "assessor", "organiser"]
"""Who may; to the unasked it is not even looked who they are, so that scripts and styles do without the store."""

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


STAY_SAFE = {"Strict-Transport-Security": f"max-age={int(LIFETIME.total_seconds())}"}
"""Where HTTPS is spoken: a browser that has a session does not go back to HTTP."""


def headers_of(request: Request) -> dict[str, str]:
    """What protects the answer to a request."""
    return HEADERS | STAY_SAFE if is_secure(request) else HEADERS


class Refusal(HTTPException):
    """A refusal that says in words what to do; others say what their status says."""

    def __init__(self, status: int, says: str):
        super().__init__(status)
        self.says = says


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
            case "unasked" | "anyone":
                return True
            case "assessor":
                return self.judges
            case "organiser":
                return self.is_organiser


def cookie_name(site: Site) -> str:
    """One of its own for each evaluation: cookies do not tell ports apart."""
    return f"adjudge-{site.key[:8]}"


def cookie_of(request: Request, site: Site) -> dict[str, Any]:
    """The cookie that holds a session: its name, and where browsers send it.

    By these prefixes browsers take it over HTTPS alone. `__Host-`, which no neighbouring host can set either, has to go
    to every path; below a path of its own an evaluation keeps its session from what else is on the host.
    """
    path, secure = request.scope.get("root_path", "") or "/", is_secure(request)
    prefix = "" if not secure else "__Host-" if path == "/" else "__Secure-"
    name = prefix + cookie_name(site)
    return {"key": name, "path": path, "secure": secure, "httponly": True, "samesite": "lax"}


def visitor_of(request: Request, site: Site) -> Visitor | None:
    """Who sent a request; None where nobody is signed in (any more)."""
    token = request.cookies.get(cookie_of(request, site)["key"], "")
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
    if visitor is None:
        return False  # signing in: there is no session yet whose rights could be borrowed
    token = request.headers.get(CSRF_HEADER, "")
    return not hmac.compare_digest(token.encode(), csrf_token(site, visitor.token).encode())


def is_elsewhere(request: Request) -> bool:
    """Whether a request says that its page has another address than this app.

    That address is the public one where there is one; else the one that the request was sent to.
    """
    origin = request.headers.get("origin")
    if origin is None:
        return False
    public: str | None = request.app.state.public
    if public is not None:
        return origin != origin_of(public)
    return origin.partition("://")[2] != request.headers.get("host")


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, as browsers send them; a ValueError where it has none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host:
        raise ValueError("no host")
    host = host if _is_address(host) else host.encode("idna").decode()
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def is_secure(request: Request) -> bool:
    """Whether the browser speaks HTTPS: the public address says so, or a proxy that is trusted."""
    public: str | None = request.app.state.public
    return urlsplit(public).scheme == "https" if public is not None else request.url.scheme == "https"


def actor_of(request: Request, person: str | None = None) -> Actor:
    """Who does something and from where, for the log and for counting failed sign-ins."""
    host = request.client.host if request.client else None
    return Actor(person, host if _is_address(host) else "unknown")


def _is_address(host: str | None) -> bool:
    try:
        ipaddress.ip_address(host or "")
    except ValueError:
        return False
    return True
