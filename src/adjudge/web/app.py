"""The application, put together: routes with their roles, headers, errors in words. Serving lives in serving.py."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adjudge import __version__
from adjudge.core.errors import DataError, FormatError, StoreUnavailable
from adjudge.core.phrases import Argument
from adjudge.web import access
from adjudge.web.access import Refusal
from adjudge.web.connections import LARGEST
from adjudge.web.pages import views
from adjudge.web.routes import ROLES, ROUTES
from adjudge.web.sampler import Sampler
from adjudge.web.signing import PasswordDesk
from adjudge.web.site import Site

log = logging.getLogger("adjudge.web")

SAYS = {
    400: "This cannot be read.",
    401: "Please sign in.",
    403: "This is not for you to see or do.",
    404: "There is nothing here.",
    405: "There is nothing here.",
    409: "Somebody else is signed in here.",
    411: "This cannot be read.",
    413: "This is too much at once.",
    422: "This cannot be read.",
    429: "Too many tries. Wait a quarter of an hour, or open your personal link, which works at any time.",
    500: "Something went wrong here. Your answers are safe; try again.",
    503: "Answers cannot be saved or read at the moment. Those not saved yet are kept on your computer.",
}
SOON = "5"  # seconds, after which who was told 503 may ask again; a page that was opened does so by itself
NO_TELEMETRY: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)
"""FastAPI would report requests to whatever the environment names; versions that do not know this ignore it."""

PUBLIC = Argument("public", flag="public-url")
ELSEWHERE = (
    "The address at which you opened this page is not the one that the server knows."
    f" The organiser can say it with: adjudge serve {PUBLIC.option}"
)


def create_app(
    site: Site, *, root_path: str = "", hosts: frozenset[str] | None = None, public: str | None = None
) -> FastAPI:
    """The app for one evaluation. `hosts` are the names it answers to, any where None is given.

    `public` is the address that people type, where a proxy stands in between.
    """
    app = FastAPI(
        title="Adjudge",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        dependencies=[Depends(guard)],
        telemetry=NO_TELEMETRY,
    )
    app.state.site, app.state.sampler = site, Sampler(site)
    app.state.public, app.state.passwords = public, PasswordDesk()
    for entry in ROUTES:
        described: dict[str, Any] = {} if entry.described else {"response_model": None}
        app.add_api_route(
            entry.path, entry.run, methods=[entry.method], include_in_schema=entry.described, **described
        )
    app.add_middleware(Protected, hosts=hosts, root_path=root_path)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(404, http_error)
    app.add_exception_handler(405, http_error)
    app.add_exception_handler(RequestValidationError, unread)
    app.add_exception_handler(StoreUnavailable, unavailable)
    app.add_exception_handler(FormatError, failed)
    app.add_exception_handler(DataError, gone)
    app.add_exception_handler(Exception, failed)
    return app


def guard(request: Request) -> None:
    """Lets a request through where its route's role allows it. Without an entry in the table nothing is allowed."""
    site: Site = request.app.state.site
    role = ROLES.get((request.method, request.scope["route"].path))
    visitor = None if role == "unasked" else access.visitor_of(request, site)
    request.state.visitor = visitor
    if role is None:
        raise HTTPException(403)
    if request.method != "GET" and access.is_elsewhere(request):
        log.warning(
            f"a page at %s sent something to %s: refused. If that is where people open the app, say {PUBLIC.option}",
            request.headers.get("origin", "")[:200],
            request.app.state.public or f"http://{request.headers.get('host', '')[:200]}",
        )
        raise Refusal(403, ELSEWHERE)
    if request.method != "GET" and access.is_forged(request, site, visitor):
        raise HTTPException(403)
    if role not in ("anyone", "unasked"):
        if visitor is None:
            raise HTTPException(401)
        if not visitor.may(role):
            raise HTTPException(403)
        site.look_at_files()


class Protected:
    """Checks the host and the size before anything else; adds the headers to every answer.

    Says where the app is, too: a proxy may take the path off a request or leave it there.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None, root_path: str = ""):
        self.app, self.hosts, self.root_path = app, hosts, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["root_path"] = self.root_path or scope.get("root_path", "")

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(access.headers_of(Request(scope)))
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(Headers(scope=scope), scope["method"])
        # Hands over a body as it comes, up to the limit, whatever its headers said.
        read = 0

        async def receive_counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > LARGEST:
                raise HTTPException(413)
            return message

        await (refusal or self.app)(scope, receive_counted, send_protected)

    def _refusal(self, headers: Headers, method: str) -> Response | None:
        if self.hosts is not None and _host(headers) not in self.hosts:
            return JSONResponse({"says": SAYS[400]}, 400)
        length = headers.get("content-length", "" if method == "POST" else "0")
        if "transfer-encoding" in headers and "content-length" in headers:  # two words on where the body ends
            return JSONResponse({"says": SAYS[400]}, 400)
        if "transfer-encoding" in headers or not length.isdecimal():  # a body of unknown size is not read
            return JSONResponse({"says": SAYS[411]}, 411)
        return JSONResponse({"says": SAYS[413]}, 413) if int(length[:20]) > LARGEST else None


def _host(headers: Headers) -> str | None:
    try:
        return urlsplit(f"//{headers.get('host', '')}").hostname
    except ValueError:  # such as a bracket that is not closed
        return None


async def http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else getattr(error, "status_code", 500)
    return answer(request, status, error.says if isinstance(error, Refusal) else None)


async def unread(request: Request, error: Exception) -> Response:
    return answer(request, 422)


async def unavailable(request: Request, error: Exception) -> Response:
    """The log has it already, once for all requests (outages.py)."""
    response = answer(request, 503)
    response.headers.update({"Retry-After": SOON, "Refresh": SOON})
    return response


async def gone(request: Request, error: Exception) -> Response:
    """Why something is not there stays in the log: an error's text may hold a name."""
    log.warning("%s %s: %s", request.method, request.scope["path"], error)
    return answer(request, 404)


async def failed(request: Request, error: Exception) -> Response:
    """What went wrong stays in the log too. This runs outside of `Protected`."""
    log.error("%s %s", request.method, request.scope["path"], exc_info=error)
    response = answer(request, 500)
    response.headers.update(access.headers_of(request) | {"Cache-Control": "no-store"})
    return response


def answer(request: Request, status: int, says: str | None = None) -> Response:
    """An error for a script as JSON, for a person as a page; who is not signed in is asked to."""
    says = says or SAYS.get(status, SAYS[500])
    if request.scope["path"].removeprefix(request.scope.get("root_path", "")).startswith("/api/"):
        return JSONResponse({"says": says}, status)
    if status == 401:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/in", 303)
    return views.problem(request, status, says)
