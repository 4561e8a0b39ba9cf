"""A page as HTML, and the report's files on disk."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.errors import ClashError, DataError
from adjudge.reports.page import ReportPage
from adjudge.reports.sections import STEPS

if TYPE_CHECKING:
    from jinja2 import Template


HERE = Path(__file__).parent
STYLES = ("tokens.css", "report.css", "slices.css", "examples.css", "trusted.css", "method.css")
TEMPLATE = "page.html.j2"
SCRIPT = "report.js"
INDEX = "index.html"


def render(page: ReportPage) -> str:
    """One HTML page that needs nothing beside it. Its script, which the policy allows by its hash, only adds a chooser,
    sorting, filters and tooltips."""
    text = template(TEMPLATE).render(
        page=page,
        style=style(*STYLES),
        script=script(),
        script_hash=script_hash(script()),
        heat_steps=range(STEPS),
    )
    return shown(text)


_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def shown(html: str) -> str:
    """A page without what a name may not do: control characters become a sign of their own, and those that turn the
    direction of everything after them go; letters that are read from the right keep theirs."""
    return _TURNING.sub("", _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", html))


def write_report(page: ReportPage, folder: str | Path) -> list[Path]:
    """Write index.html and the tables into a folder, which may be there; the paths, index.html first."""
    tables = [*page.paper, *(table for section in page.sections for table in section.tables)]
    return write_pages({table.name: table.text for table in tables} | {INDEX: render(page)}, folder)


def write_pages(texts: Mapping[str, str], folder: str | Path) -> list[Path]:
    """Write files into a folder, which may be there; the paths, the last file, which is the index, first.

    All files are written beside their places before the first one moves there, the index last.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise ClashError(f"{folder}: is a file, expected a folder or nothing")
    drafts = {folder / name: folder / f".{name}.draft" for name in texts}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for draft, text in zip(drafts.values(), texts.values(), strict=True):
            draft.unlink(missing_ok=True)  # and if it is a link, what it leads to stays
            with draft.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        for path, draft in drafts.items():
            draft.replace(path)
    except OSError as error:
        raise DataError(f"{folder}: the report cannot be written: {error.strerror}") from None
    finally:
        _remove(drafts.values())
    *paths, index = drafts
    return [index, *paths]


def _remove(drafts: Iterable[Path]) -> None:
    for draft in drafts:
        with suppress(OSError):  # what went wrong before is what the user should hear of
            draft.unlink()


@cache
def template(name: str) -> Template:
    """One of our templates; whatever it is given to show is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


@cache
def style(*names: str) -> str:
    """Our own files: nothing in them comes from a user, so the template prints them as they are."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def script() -> str:
    """Our own script, as the template prints it."""
    return style(SCRIPT)


def script_hash(text: str) -> str:
    """How a content security policy names a script by what it says."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
