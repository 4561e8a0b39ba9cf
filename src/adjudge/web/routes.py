"""Every route with the role that it asks for. What is not in this table does not exist, and nobody may call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.web import api, assets
from adjudge.web.access import Role
from adjudge.web.pages import accounts, organiser, views

Method = Literal["GET", "POST"]


@dataclass(frozen=True)
class Route:
    """`described` routes stand in the OpenAPI description; pages for people do not."""

    method: Method
    path: str
    role: Role
    run: Callable[..., Any]
    described: bool = False


ROUTES = (
    Route("GET", "/static/{name}", "unasked", assets.file),
    Route("GET", "/in", "anyone", views.sign_in),
    Route("POST", "/api/sign-in", "anyone", api.sign_in, described=True),
    Route("GET", "/api/me", "anyone", api.me, described=True),
    Route("POST", "/api/sign-out", "anyone", api.sign_out, described=True),
    Route("GET", "/", "anyone", views.home),
    Route("GET", "/work", "assessor", views.work),
    Route("GET", "/task/{key}", "assessor", views.task),
    Route("GET", "/pairs", "assessor", views.pairs),
    Route("GET", "/api/tasks/{key}", "assessor", api.task, described=True),
    Route("GET", "/api/tasks/{key}/source", "assessor", api.source, described=True),
    Route("GET", "/api/tasks/{key}/next", "assessor", api.after, described=True),
    Route("POST", "/api/events", "assessor", api.events, described=True),
    Route("POST", "/api/pairs/next", "assessor", api.next_pairs, described=True),
    Route("GET", "/account", "anyone", accounts.account),
    Route("POST", "/api/password", "anyone", api.password, described=True),
    Route("GET", "/organiser", "organiser", organiser.page),
    Route("POST", "/api/organiser/link", "organiser", organiser.link, described=True),
    Route("POST", "/api/organiser/suspend", "organiser", organiser.suspend, described=True),
    Route("GET", "/organiser/log", "organiser", accounts.log),
    Route("GET", "/organiser/export/{form}", "organiser", organiser.export),
    Route("GET", "/api/openapi.json", "organiser", api.description),
)
ROLES: dict[tuple[str, str], Role] = {(entry.method, entry.path): entry.role for entry in ROUTES}
