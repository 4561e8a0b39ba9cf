"""adjudge serve: the annotation app."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli import options
from adjudge.cli.output import say


def command(
    evaluation: options.Folder,
    host: Annotated[str, typer.Option("--host", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="On which port.")] = 8000,
    root_path: Annotated[
        str,
        typer.Option("--root-path", metavar="PATH", help="Behind a proxy: the path it serves this under."),
    ] = "",
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", metavar="URL", help="Behind a proxy: the address that people type."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            help="Behind a proxy on another computer: its address or network, whose X-Forwarded-For is believed.",
        ),
    ] = None,
) -> None:
    """Start the annotation app, in which people judge in a browser.

    It listens on this computer alone unless told otherwise. The first start prints a link with which the organiser
    signs in, once.
    """
    from adjudge.data.folder import Folder
    from adjudge.web.serving import Address, serve

    place = Address(host, port, root_path, public_url, tuple(trusted_proxy or ()))
    serve(Folder.open(evaluation), place, say)
