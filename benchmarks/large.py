"""200,000 summaries of 60 words: CPU seconds and peak memory of showing them, and of scoring them a second time."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks.importing import measured

ROWS = 200_000
COMMAND = """
import contextlib, io, os, sys
from adjudge.cli import main
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.suppress(SystemExit):
    main()
"""
WORK = {
    "show": ["show"],
    "show --json": ["show", "--json"],
    "the first score": ["score", "--workers", "1"],
    "a second score": ["score", "--workers", "1"],
}


def write(folder: Path, rows: int) -> Path:
    """Topics of nine systems and a reference."""
    folder.mkdir()
    (folder / "evaluation.toml").write_text('name = "large"\n', encoding="utf-8")
    with (folder / "summaries.jsonl").open("w", encoding="utf-8") as out:
        for k in range(rows):
            text = " ".join(f"word{(k * 7 + j) % 5000}" for j in range(60))
            role = "reference" if k % 10 == 9 else "peer"
            row = {"topic": f"t{k // 10}", "system": f"s{k % 10}", "roles": [role], "text": text}
            out.write(json.dumps(row) + "\n")
    return folder


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = write(Path(folder, "small"), ROWS // 100), write(Path(folder, "large"), ROWS)
        for name, (command, *options) in WORK.items():
            _, base = measured(COMMAND, command, str(small), *options)
            seconds, peak = measured(COMMAND, command, str(large), *options)
            a_row = (peak - base) * 1024 / (ROWS - ROWS // 100)
            print(f"{name:16} {seconds:6.1f} s, {peak:6.0f} MiB, {a_row:5.2f} KiB a summary")
