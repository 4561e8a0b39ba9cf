"""Which databases a user has confirmed. A folder may name any, and it may come from a stranger.

Connecting hands over what the user's environment holds for that host (PGPASSWORD, a password file, a service file, a
certificate), and writes there. So an address that a folder names is connected to only once its user has said so: in the
environment, or in a file of their own that `adjudge judgments confirm` adds to.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import URL

from adjudge.core.errors import DataError, UsageError
from adjudge.data.folder import Folder
from adjudge.data.transaction import write_whole
from adjudge.judgments.store.database import server

VARIABLE = "ADJUDGE_DATABASE"
_SECRETS = ("password", "sslpassword")


class UnconfirmedError(UsageError):
    """The folder names a database that its user has not confirmed; nothing was connected to."""


def confirmed_address(folder: Folder) -> str:
    """The address of a folder's database, with the password of the environment's where that one confirms it."""
    where = folder.settings.database or ""
    wanted = plain_address(where)
    from_environment = os.environ.get(VARIABLE, "").strip()
    if from_environment and plain_address(from_environment) == wanted:
        return from_environment if server(from_environment).password is not None else where
    if wanted in _listed():
        return where
    raise UnconfirmedError(
        f"{folder.path}: evaluation.toml names the database {wanted}, which was not connected to;"
        f" if it is yours to use: adjudge judgments confirm {folder.path}"
    )


def why_unconfirmed(folder: Folder) -> str | None:
    """Why a folder's database must not be connected to; None where it may be, or where there is none."""
    if folder.settings.database:
        try:
            confirmed_address(folder)
        except UnconfirmedError as error:
            return str(error)
    return None


def confirm(folder: Folder) -> tuple[str, Path]:
    """Note that a folder's database is its user's to use; says the address, and the file that has it now."""
    if not folder.settings.database:
        raise UsageError(f"{folder.path}: evaluation.toml names no database: there is nothing to confirm")
    wanted, path = plain_address(folder.settings.database), confirmed_file()
    addresses = _listed()
    if wanted not in addresses:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{path.parent}: cannot be made: {error.strerror}") from None
        write_whole(path, "".join(f"{address}\n" for address in (*addresses, wanted)))
    return wanted, path


def confirmed_file() -> Path:
    """The user's own list of databases, an address a line."""
    home = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME")
    return Path(home or Path.home() / ".config", "adjudge", "databases")


def plain_address(where: str) -> str:
    """An address as it is compared and shown: everything but the password, in one spelling."""
    url = server(where)
    query = {name: value for name, value in url.query.items() if name not in _SECRETS}
    return URL.create(
        "postgresql",
        username=url.username,
        host=url.host,
        port=url.port,
        database=url.database,
        query=query,
    ).render_as_string()


def _listed() -> list[str]:
    path = confirmed_file()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return [
        plain_address(line) for raw_line in lines if (line := raw_line.strip()) and not line.startswith("#")
    ]
