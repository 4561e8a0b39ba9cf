"""What a shell can complete: measures, protocols, and the systems of the evaluation that was named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

COLUMNS = ("task", "type", "set", "selector")


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
    return [row["system"] for row in _rows(ctx, "systems.jsonl") if row["system"].startswith(incomplete)]


def complete_topics(ctx: typer.Context, incomplete: str) -> list[str]:
    """The topics of the folder that the command names, and what can be asked of them."""
    rows = _rows(ctx, "topics.jsonl")
    pairs = (f"{name}={value}" for row in rows for name, value in row.items() if name in COLUMNS and value)
    texts = dict.fromkeys([*pairs, *(row["topic"] for row in rows)])
    return [text for text in texts if text.startswith(incomplete)]


def _rows(ctx: typer.Context, name: str) -> list[dict[str, Any]]:
    named = (ctx.params.get("evaluation"), ctx.params.get("scores"), *ctx.args)
    file = next((f for folder in named if folder and (f := Path(str(folder)) / name).is_file()), None)
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file else []
        rows = [json.loads(line) for line in lines if line.strip()]
        return [row for row in rows if isinstance(row[name.removesuffix("s.jsonl")], str)]
    except (OSError, ValueError, KeyError, TypeError):
        return []
