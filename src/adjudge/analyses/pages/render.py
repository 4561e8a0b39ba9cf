"""Templates and style sheets of the package, and pages as files on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.errors import ClashError, DataError

if TYPE_CHECKING:
    from jinja2 import Template

STYLES = ("core/tokens.css", "analyses/pages/page.css")
"""What every page looks like."""
INDEX = "index.html"

_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def shown(html: str) -> str:
    """A page without what a name may not do: control characters become a sign of their own, and those that turn the
    direction of everything after them go; letters that are read from the right keep theirs."""
    return _TURNING.sub("", _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", html))


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
        for draft in drafts.values():
            with suppress(OSError):  # what went wrong before is what the user should hear of
                draft.unlink()
    *paths, index = drafts
    return [index, *paths]


@cache
def template(name: str) -> Template:
    """One of our templates, by its place in the package; whatever it is given to show is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("adjudge", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


@cache
def style(*names: str) -> str:
    """Our own files, by their places in the package: nothing in them comes from a user, so templates print them as
    they are."""
    return "\n".join(files("adjudge").joinpath(name).read_text(encoding="utf-8") for name in names)
