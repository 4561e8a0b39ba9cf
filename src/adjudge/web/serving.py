"""Runs the app: where it listens, what it says at the start, how it ends. The app itself is in app.py."""

from __future__ import annotations

import gc
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvicorn
from uvicorn.logging import DefaultFormatter

from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.data.folder import Folder
from adjudge.judgments.next_step import after_judging
from adjudge.web.access import origin_of
from adjudge.web.app import PUBLIC, create_app
from adjudge.web.connections import (
    AT_A_TIME,
    QUEUE,
    Patience,
    PromptServer,
    connections_for,
    protocol_with,
    raise_file_limit,
)
from adjudge.web.site import PATIENCE, Site

LOCAL = "127.0.0.1"
LOOPBACK = ("127.0.0.1", "::1")
LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
ROOT_PATH = Argument("root_path")


@dataclass(frozen=True)
class Address:
    """Where the app is to be found. Behind a proxy `public` is the address that people type."""

    host: str = LOCAL
    port: int = 8000
    root_path: str = ""
    public: str | None = None
    proxies: tuple[str, ...] = ()
    """Addresses and networks whose word on where a request comes from is taken, beside this computer's own."""

    def __post_init__(self) -> None:
        if self.root_path and (not self.root_path.startswith("/") or self.root_path.endswith("/")):
            raise UsageError(f"{ROOT_PATH} is {quoted(self.root_path)}, expected something like /adjudge")
        if self.public is not None and not _is_url(self.public):
            raise UsageError(
                f"{PUBLIC} is {quoted(self.public)}, expected something like https://example.org"
            )
        path = urlsplit(self.public or "").path.rstrip("/")
        if self.root_path and self.public is not None and path != self.root_path:
            raise UsageError(
                f"{PUBLIC} is {quoted(self.public)} and {ROOT_PATH} is {quoted(self.root_path)};"
                " expected the same path in both"
            )
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise UsageError(
                    f"{Argument('proxies', flag='trusted-proxy')} is {quoted(proxy)}, expected an address or a network"
                    " such as 10.0.0.5 or 10.0.0.0/24"
                ) from None

    @property
    def path(self) -> str:
        """Below which people find the app: the public address has it, too."""
        return self.root_path or urlsplit(self.public or "").path.rstrip("/")

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


def _is_url(text: str) -> bool:
    """An address without a query, whose host browsers would send."""
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(origin_of(text))
            and not (parts.query or parts.fragment)
        )
    except ValueError:  # a port that is none, a bracket that is not closed, a name that cannot be one
        return False


def listening(place: Address) -> socket.socket:
    """The port, taken before anything is printed that would not hold."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=QUEUE)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {place.host}, port {place.port}: {error.strerror}; choose another with"
            f" {Argument('port')}"
        ) from None


@contextmanager
def logged() -> Iterator[None]:
    """What the server has to say goes to standard error while it runs."""
    logger, handler = logging.getLogger("uvicorn"), logging.StreamHandler()
    handler.setFormatter(DefaultFormatter("%(levelprefix)s %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


@contextmanager
def few_pauses() -> Iterator[None]:
    """What was read before stays while the app runs: to look through it again and again for things that nobody uses
    any more would make everybody wait a tenth of a second each time."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def serve(
    folder: Folder,
    place: Address,
    say: Callable[[str], None],
    *,
    log_level: str = "warning",
    patience: Patience | None = None,
    store_patience: float = PATIENCE,
) -> None:
    """Serves until it is interrupted. What is waiting to be saved is saved first."""
    limits = patience or Patience(connections=connections_for(raise_file_limit()))
    with (
        suppress(KeyboardInterrupt),  # interrupted is how it ends
        closing(Site.open(folder, patience=store_patience)) as site,
        listening(place) as listener,
    ):
        say(f"{site.name}: {place.url}/")
        if place.is_local:
            say(f"Only this computer can reach it; {Argument('host', '0.0.0.0')} opens it to the network.")  # noqa: S104
        else:
            say(f"It listens on {place.host}: other computers can reach it. Put it behind HTTPS.")
        token = site.store.accounts.first_organiser_link()
        if token is not None:
            say(f"Organiser, sign in with this link; it works once:\n  {place.url}/in#{token}")
        app = create_app(site, root_path=place.path, hosts=place.hosts(), public=place.public)
        config = uvicorn.Config(
            app,
            log_config=None,  # its own would close the handlers of the whole process, and some of them close stderr
            log_level=log_level,
            access_log=False,  # who looks at what is nobody's business
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=[*LOOPBACK, *place.proxies],
            timeout_graceful_shutdown=5,
            http=protocol_with(limits),
            ws="none",
            backlog=AT_A_TIME,
        )
        try:
            with closing(app.state.sampler), logged(), few_pauses():
                PromptServer(config).run(sockets=[listener])
        finally:
            with suppress(AdjudgeError):  # a store that cannot be read has been told of
                todo = after_judging(folder.path, site.store)
                if todo.why:
                    say(str(todo))
