"""adjudge serve: the annotation app."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli import options
from adjudge.cli.output import say


def command(
    evaluation: options.Folder,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")] = 8000,
    root_path: Annotated[
        str,
        typer.Option(
            "--root-path", metavar="PATH", help="Behind a proxy: the path under which it serves this website."
        ),
    ] = "",
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            metavar="URL",
            help="Address at which people reach the server; links begin with it.",
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            help="Address or network of a proxy on another computer, whose X-Forwarded-For is trusted.",
        ),
    ] = None,
) -> None:
    """Start the website on which people judge.

    By default only this computer can reach it. The first start prints a link with which the organiser signs in, once.
    """
    from adjudge.data.folder import Folder
    from adjudge.web.serving import Address, serve

    place = Address(host, port, root_path, public_url, tuple(trusted_proxy or ()))
    serve(Folder.open(evaluation), place, say)
