"""The pages that people open. Each gets one frozen object with everything it shows; templates decide nothing."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from adjudge.web import access, assets
from adjudge.web.access import Visitor
from adjudge.web.api import open_task, own_pair, visitor
from adjudge.web.closing import go_on
from adjudge.web.pages.tasks import task_page
from adjudge.web.pages.work import work_of
from adjudge.web.site import Site


@cache
def templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("adjudge.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment


def render(request: Request, template: str, *, status: int = 200, **shown: Any) -> HTMLResponse:
    site: Site = request.app.state.site
    who: Visitor | None = getattr(request.state, "visitor", None)
    me = (
        None
        if who is None
        else {
            "evaluation": site.key,
            "person": site.person_key(who.person),
            "csrf": access.csrf_token(site, who.token),
        }
    )
    page = (
        templates()
        .get_template(template)
        .render(
            base=request.scope.get("root_path", ""),
            version=assets.version(),
            site=site,
            visitor=who,
            me=me,
            **shown,
        )
    )
    return HTMLResponse(page, status)


def problem(request: Request, status: int, says: str) -> HTMLResponse:
    return render(request, "problem.html.j2", status=status, says=says)


def sign_in(request: Request) -> Response:
    return render(request, "sign_in.html.j2")


def home(request: Request) -> Response:
    who: Visitor | None = request.state.visitor
    where = "/in" if who is None else "/work" if who.judges else "/organiser"
    return RedirectResponse(request.scope.get("root_path", "") + where, 303)


def work(request: Request) -> Response:
    site: Site = request.app.state.site
    person = visitor(request).person
    offer = request.app.state.sampler.offer(person)
    return render(request, "work.html.j2", work=work_of(site, person), offer=offer)


def task(key: str, request: Request) -> Response:
    site: Site = request.app.state.site
    opened = open_task(request, key)
    if site.protocol(opened.protocol).compares is not None:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/pairs?task={key}", 303)
    person = visitor(request).person
    go_on(site, person, [opened])
    page = task_page(site, person, opened)
    return render(request, f"{page.kind}.html.j2", page=page)


def pairs(request: Request) -> Response:
    """Pairs one after the other: those that are assigned, then those that the sampler gives."""
    first = request.query_params.get("task", "")
    if first:
        own_pair(request, first)
    return render(request, "pairs.html.j2", first=first)
