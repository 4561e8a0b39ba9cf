"""The command line: one short module per command. The library raises; only here does anything exit."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run a command. A user's mistake is one line; a bug keeps its traceback."""
    from adjudge.cli.app import app
    from adjudge.errors import AdjudgeError

    try:
        app()
    except AdjudgeError as error:
        print(f"adjudge: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("adjudge: interrupted; the evaluation is as it was", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # somebody read only the first lines: `adjudge show ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
