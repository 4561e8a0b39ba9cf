"""Runs the app: where it listens, what it says at the start, how it ends. The app itself is in app.py."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvicorn

from adjudge.data.folder import Folder
from adjudge.errors import UsageError
from adjudge.web.app import create_app
from adjudge.web.site import Site

LOCAL = "127.0.0.1"
LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Address:
    """Where the app is to be found. Behind a proxy `public` is the address that people type."""

    host: str = LOCAL
    port: int = 8000
    root_path: str = ""
    public: str | None = None

    def __post_init__(self) -> None:
        if self.root_path and (not self.root_path.startswith("/") or self.root_path.endswith("/")):
            raise UsageError(f'--root-path is "{self.root_path}", expected something like /adjudge')
        if self.public is not None and urlsplit(self.public).scheme not in ("http", "https"):
            raise UsageError(f'--public-url is "{self.public}", expected something like https://example.org')

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public or f"http://{host}:{self.port}{self.root_path}").rstrip("/")

    @property
    def is_local(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def hosts(self) -> frozenset[str] | None:
        """The names that requests may use. On this computer only, a strange name is a strange site's trick."""
        named = {urlsplit(self.public).hostname or ""} if self.public else set()
        return LOCAL_HOSTS | {self.host} | named if self.is_local else None


def listening(place: Address) -> socket.socket:
    """The port, taken before anything is printed that would not hold."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=2048)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {place.host}, port {place.port}: {error.strerror}; choose another with --port"
        ) from None


def serve(folder: Folder, place: Address, say: Callable[[str], None], *, log_level: str = "warning") -> None:
    """Serves until it is interrupted. What is waiting to be saved is saved first."""
    with (
        suppress(KeyboardInterrupt),  # interrupted is how it ends
        closing(Site.open(folder)) as site,
        listening(place) as listener,
    ):
        say(f"{site.name}: {place.url}/")
        if place.is_local:
            say("Only this computer can reach it; --host 0.0.0.0 opens it to the network.")
        else:
            say(f"It listens on {place.host}: whoever reaches this computer reaches it. Put it behind HTTPS.")
        token = site.store.accounts.first_organiser_link()
        if token is not None:
            say(f"Organiser, sign in with this link; it works once:\n  {place.url}/in#{token}")
        app = create_app(site, root_path=place.root_path, hosts=place.hosts())
        config = uvicorn.Config(
            app,
            log_level=log_level,
            access_log=False,  # who looks at what is nobody's business
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=LOCAL,
            timeout_graceful_shutdown=5,
        )
        with closing(app.state.sampler):
            uvicorn.Server(config).run(sockets=[listener])
