"""Every route with the role that it asks for. What is not in this table does not exist, and nobody may call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.web import api, assets
from adjudge.web.access import Role
from adjudge.web.pages import downloads, organising
from adjudge.web.pages import routes as pages

Method = Literal["GET", "POST"]


@dataclass(frozen=True)
class Entry:
    """`described` routes stand in the OpenAPI description; pages for people do not."""

    method: Method
    path: str
    role: Role
    run: Callable[..., Any]
    described: bool = False


ROUTES = (
    Entry("GET", "/static/{name}", "anyone", assets.file),
    Entry("GET", "/in", "anyone", pages.sign_in),
    Entry("POST", "/api/sign-in", "anyone", api.sign_in, described=True),
    Entry("GET", "/api/me", "anyone", api.me, described=True),
    Entry("POST", "/api/sign-out", "anyone", api.sign_out, described=True),
    Entry("GET", "/", "anyone", pages.home),
    Entry("GET", "/work", "assessor", pages.work),
    Entry("GET", "/task/{key}", "assessor", pages.task),
    Entry("GET", "/pairs", "assessor", pages.pairs),
    Entry("GET", "/api/tasks/{key}", "assessor", api.task, described=True),
    Entry("GET", "/api/tasks/{key}/source", "assessor", api.source, described=True),
    Entry("GET", "/api/tasks/{key}/next", "assessor", api.after, described=True),
    Entry("POST", "/api/events", "assessor", api.events, described=True),
    Entry("POST", "/api/pairs/next", "assessor", api.next_pairs, described=True),
    Entry("GET", "/account", "anyone", pages.account),
    Entry("POST", "/api/password", "anyone", api.password, described=True),
    Entry("GET", "/organiser", "organiser", organising.page),
    Entry("POST", "/api/organiser/link", "organiser", organising.link, described=True),
    Entry("POST", "/api/organiser/suspend", "organiser", organising.suspend, described=True),
    Entry("GET", "/organiser/export/{form}", "organiser", downloads.export),
    Entry("GET", "/api/openapi.json", "organiser", api.description),
)
ROLES: dict[tuple[str, str], Role] = {(entry.method, entry.path): entry.role for entry in ROUTES}
