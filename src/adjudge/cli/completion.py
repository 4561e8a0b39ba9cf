"""What a shell can complete: measures, protocols, and the systems of the evaluation that was named."""

from __future__ import annotations

import json
from pathlib import Path

import typer


def complete_measures(incomplete: str) -> list[str]:
    """Names of measures and presets; after a comma the next one."""
    from adjudge.measures.presets import PRESETS
    from adjudge.measures.registry import registry

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in (*PRESETS, *registry()) if name.startswith(last.lower())]


def complete_protocols(incomplete: str) -> list[str]:
    """The protocols that are shipped."""
    from adjudge.judgments.protocol import protocol_names

    return [name for name in protocol_names() if name.startswith(incomplete)]


def complete_systems(ctx: typer.Context, incomplete: str) -> list[str]:
    """The systems of the folder that the command names."""
    named = (ctx.params.get("evaluation"), ctx.params.get("scores"), *ctx.args)
    file = next(
        (f for folder in named if folder and (f := Path(str(folder)) / "systems.jsonl").is_file()), None
    )
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file else []
        names = [str(json.loads(line)["system"]) for line in lines if line.strip()]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if name.startswith(incomplete)]
