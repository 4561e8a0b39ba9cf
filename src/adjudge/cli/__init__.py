"""The command line: one short module per command. The library raises; only here does anything exit."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> None:
    """Run a command. A user's mistake, or a full disk, is one line; a bug keeps its traceback."""
    from adjudge.cli.streams import ready

    ready()
    from adjudge.cli.app import app
    from adjudge.core.errors import AdjudgeError, Undecided

    try:
        try:
            code = app(standalone_mode=False)  # what is wrong with the words comes as an exception
        finally:
            sys.stdout.flush()  # here, where a full disk can still be told
    except Undecided as error:
        _end(error.with_commands(["adjudge", *sys.argv[1:]]), error.exit_code)
    except AdjudgeError as error:
        _end(error.text, error.exit_code)
    except KeyboardInterrupt:
        _end("interrupted; the evaluation is as it was", 130)
    except BrokenPipeError:  # somebody read only the first lines: `adjudge show ... | head`
        _to_nowhere(sys.stdout)
        sys.exit(0)
    except OSError as error:
        _end(_trouble(error), 1)
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(str(error).rstrip(), file=sys.stderr)
            sys.exit(2)
        if not hasattr(
            error, "format_message"
        ):  # what Typer raises has it, and is no subclass of anything public
            raise
        from adjudge.cli.usage import usage_words

        _end(usage_words(error, sys.argv[1:]), 2)
    if code:  # Typer's Exit, whose code comes as a result
        sys.exit(code)


def _trouble(error: OSError) -> str:
    """A file that cannot be read or written, and nobody said so closer to it."""
    why = os.strerror(error.errno) if error.errno is not None else str(error)
    if error.filename is None:
        return f"what was to be printed or written could not be: {why}"
    return f"{os.fsdecode(error.filename)}: cannot be read or written: {why}"


def _end(text: str, code: int) -> NoReturn:
    """One line on standard error, if that can be written; then the exit, in any case."""
    from adjudge.core.phrases import spoken

    line = spoken(text, "command")
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    try:
        print(f"adjudge: {line}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _to_nowhere(sys.stderr)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _to_nowhere(sys.stdout)
    sys.exit(code)


def _to_nowhere(stream: object) -> None:
    """What a stream still holds, and could not write, goes nowhere when the program ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
