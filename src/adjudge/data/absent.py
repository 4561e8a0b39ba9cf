"""What may be meant by a path at which nothing is: the end of a message."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from adjudge.core.errors import quoted

_ADDRESS = re.compile(r"([a-z][a-z0-9]+):/{1,2}(?=[^/])")
_REPOSITORY = re.compile(r"[\w.-]+/[\w-]+")
_MOST_LOOKED_AT = 10_000  # names in a folder


def absent_words(path: str | Path) -> str:
    """What to type instead of a path where no file is; begins with a space or a semicolon."""
    text = str(path)
    if address := _ADDRESS.match(text):
        url = f"{address[1]}://{text[address.end() :]}"  # a path has one slash for two
        return f"; it is an address: download it first, such as with: curl -LO {url}"
    if text.startswith("~"):
        return f"; ~ stands for your home folder only outside of quotes: say {_at_home(text)}"
    if "\\" in text and os.sep == "/":
        return f"; folders are separated by / here: say {text.replace(chr(92), '/')}"
    folder = Path(text).parent
    try:
        if not folder.is_dir():
            if _REPOSITORY.fullmatch(text):
                return (
                    f" (there is no folder {folder}); a data set of the Hugging Face Hub is saved first, in Python:"
                    f' datasets.load_dataset("{text}", split="test").to_parquet("{Path(text).name}.parquet")'
                )
            return f" (there is no folder {folder})"
        return near_words(path) or f" in {folder.resolve()}"
    except OSError:
        return ""


def near_words(path: str | Path) -> str:
    """What lies beside a path under a name that is close to its own, the suffixes apart."""
    stem, folder = Path(path).stem.casefold(), Path(path).parent
    names: dict[str, list[str]] = {}
    try:
        for entry in islice(folder.iterdir(), _MOST_LOOKED_AT):
            if not entry.name.startswith("."):
                names.setdefault(entry.stem.casefold(), []).append(str(folder / entry.name))
    except OSError:
        return ""
    near = [
        name for close in get_close_matches(stem, names, n=2, cutoff=0.7) for name in sorted(names[close])
    ]
    return f" (nearest: {', '.join(map(quoted, near[:3]))})" if near else ""


def split_by_spaces(words: Sequence[str], at: int) -> str | None:
    """The name of a file with spaces that a shell took apart into the words from `at` on."""
    for end in range(at + 2, len(words) + 1):
        whole = " ".join(words[at:end])
        if Path(whole).is_file():
            return whole
    return None


def _at_home(text: str) -> str:
    try:
        return str(Path(text).expanduser())
    except RuntimeError:  # no such user
        return "the whole path"
