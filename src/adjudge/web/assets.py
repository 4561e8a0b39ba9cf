"""Static files: style sheets and scripts of the package, listed, read once, and named with their digest."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from fastapi import HTTPException, Request, Response

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def contents() -> dict[str, tuple[bytes, str]]:
    """Every static file with its type, by name. The design tokens are the report's too: there is one set of them."""
    by_name = {}
    places = [*(files("adjudge.web") / "static").iterdir(), files("adjudge.core") / "tokens.css"]
    for place in places:
        kind = TYPES.get(f".{place.name.rpartition('.')[2]}")
        if kind is not None:
            by_name[place.name] = (place.read_bytes(), kind)
    return by_name


@cache
def version() -> str:
    """Of all files together: scripts import each other without a version, so they change together."""
    digest = sha256()
    for name, (content, _) in sorted(contents().items()):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:12]


def file(name: str, request: Request) -> Response:
    if name not in contents():
        raise HTTPException(404)
    content, kind = contents()[name]
    etag = f'"{sha256(content).hexdigest()[:16]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}  # asked again each time, answered with 304
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)
