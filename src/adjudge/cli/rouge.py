"""adjudge rouge"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import show_json, show_table
from adjudge.errors import DataError
from adjudge.wording import decimal

DEFAULT = ("rouge-1", "rouge-2", "rouge-l", "rouge-su4")


def command(
    peer: Annotated[
        Path, typer.Option("--peer", metavar="FILE", help="The text to score.", show_default=False)
    ],
    reference: Annotated[
        list[Path],
        typer.Option(
            "--reference",
            metavar="FILE",
            help="A text to compare it with; may be repeated.",
            show_default=False,
        ),
    ],
    measure: options.Measures = None,
    json: options.Json = False,
) -> None:
    """Score plain text files with ROUGE, without a folder: rouge-1, 2, l and su4 unless measures are named."""
    found = adjudge.rouge(_read(peer), [_read(path) for path in reference], measure or DEFAULT)
    if json:
        show_json(found)
    else:
        show_table(("measure", "score>"), [(name, decimal(value, ".5f")) for name, value in found.items()])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
