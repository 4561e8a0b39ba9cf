"""What commands share that take line files: systems as arguments, references and sources behind options."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from adjudge.core.errors import UsageError


class LinesCommand(TyperCommand):
    """Sees the words in their order: what a shell makes of --reference ref*.txt are references, then systems."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = list(args)
        rest = super().parse_args(ctx, args)
        # Refuse files that stand apart from the others, right after an option that takes one.
        files = {str(path) for path in ctx.params.get("files") or ()}
        runs: list[list[str]] = []
        before = ""
        for option, word in zip(["", *words], words, strict=False):
            is_value = option in ("--reference", "--source")
            if word in files and not is_value:
                if before not in files:
                    runs.append([before])
                runs[-1].append(word)
            before = word if not is_value else f"{option} {word}"
        apart = [run for run in runs if run[0].startswith(("--reference ", "--source "))]
        if len(runs) > 1 and apart:
            option = apart[0][0]
            raise UsageError(
                f"{apart[0][1]} stands after {option}, apart from the other systems: is it one that a pattern without"
                f" quotes matched? Put the pattern in quotes ({option.split()[0]} 'ref*.txt'), or say"
                f" {option.split()[0]} before each file"
            )
        return rest
