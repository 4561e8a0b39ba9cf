"""A real nginx and a real Caddy with TLS in front of the app, from the files in docs/proxy; no tests here."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.waiting import until, until_listening

DOCS = Path(__file__).parents[2] / "docs" / "proxy"
HOST = "judge.example.org"
UPSTREAM = "127.0.0.1:8000"

NGINX = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
PLAIN = """
server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    location {path} {{ proxy_pass http://127.0.0.1:{app}; }}
}}
"""
CADDY = """{{
	admin off
	auto_https disable_redirects
	local_certs
	skip_install_trust
	https_port {port}
	storage file_system {folder}/storage
}}
import {folder}/site
"""


@dataclass(frozen=True)
class Proxy:
    """Where it listens, and whose word proves that it is who it says."""

    port: int
    authority: Path

    @property
    def origin(self) -> str:
        return f"https://{HOST}:{self.port}"

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))

    def has_certificate(self) -> bool:
        """Whether a connection is answered with a certificate: Caddy listens, and writes its file, before it is."""
        try:
            connection = socket.create_connection(("127.0.0.1", self.port))
            with connection, self.context().wrap_socket(connection, server_hostname=HOST):
                return True
        except OSError:
            return False


Start = Callable[[Path, int, int], "subprocess.Popen[bytes]"]


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.fail(f"no {name}; get it with: sh tools/ensure_proxies.sh")
    return found


def changed(text: str, **by: str) -> str:
    """A file of the documentation with the places that a test has elsewhere; each stands there once."""
    for old, new in by.items():
        before = {"upstream": UPSTREAM, "listen": "listen 443 ", "cert": f"/etc/ssl/{HOST}.pem"}
        before["key"] = f"/etc/ssl/{HOST}.key"
        assert text.count(before[old]) == 1, before[old]
        text = text.replace(before[old], new)
    return text


def certify(folder: Path) -> None:
    subprocess.run(
        [
            *(
                program("openssl"),
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ),
            *("-nodes", "-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )


@contextmanager
def nginx(folder: Path, app: int, port: int, *, plain: bool = False, path: str = "/") -> Iterator[Proxy]:
    """nginx with the file of the documentation, or with nothing but a proxy_pass."""
    certify(folder)
    if plain:
        site = PLAIN.format(port=port, folder=folder, app=app, path=path)
    else:
        site = changed(
            (DOCS / "nginx.conf").read_text(encoding="utf-8"),
            upstream=f"127.0.0.1:{app}",
            listen=f"listen 127.0.0.1:{port} ",
            cert=f"{folder}/cert.pem",
            key=f"{folder}/key.pem",
        )
    (folder / "site.conf").write_text(site, encoding="utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=user), encoding="utf-8")
    command = [program("nginx"), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with running(command, port):
        yield Proxy(port, folder / "cert.pem")


@contextmanager
def caddy(folder: Path, app: int, port: int) -> Iterator[Proxy]:
    """Caddy with the file of the documentation; it makes certificates of its own instead of fetching them."""
    site = changed((DOCS / "Caddyfile").read_text(encoding="utf-8"), upstream=f"127.0.0.1:{app}")
    (folder / "site").write_text(site, encoding="utf-8")
    main = folder / "Caddyfile"
    main.write_text(CADDY.format(folder=folder, port=port), encoding="utf-8")
    command = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(main)]
    authority = folder / "storage" / "pki" / "authorities" / "local" / "root.crt"
    with running(command, port, home=folder):
        proxy = Proxy(port, authority)
        until(proxy.has_certificate, "Caddy answers with a certificate")
        yield proxy


@contextmanager
def running(command: list[str], port: int, home: Path | None = None) -> Iterator[None]:
    more = (
        {} if home is None else {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    )
    process = subprocess.Popen(
        command, env=os.environ | more, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        until_listening(port, process)
        yield
    finally:
        process.terminate()
        process.communicate()
