"""100,000 summaries of about 60 words: CPU seconds and peak memory of an import, beside pandas.read_json."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 100_000
OURS = """
import sys, adjudge
from adjudge.formats.records import read_jsonl
adjudge.init(sys.argv[2]).take(read_jsonl([sys.argv[1]]))
"""
THEIRS = """
import sys, pandas
frame = pandas.read_json(sys.argv[1], lines=True)
assert not frame.duplicated(["topic", "system"]).any()
frame.to_json(sys.argv[2], orient="records", lines=True)
"""

# VmHWM, because ru_maxrss of a child begins with what its parent had
USED = """
import json, re, time
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
print(json.dumps([time.process_time(), peak / 1024]))
"""


def measured(code: str, *arguments: str) -> tuple[float, float]:
    """CPU seconds and peak mebibytes of a Python process."""
    command = [sys.executable, "-c", code + USED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, mebibytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, mebibytes


def write(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for k in range(rows):
            text = " ".join(f"word{(k * 7 + j) % 5000}" for j in range(60))
            out.write(json.dumps({"topic": f"t{k // 10}", "system": f"s{k % 10}", "text": text}) + "\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.jsonl"), Path(folder, "large.jsonl")
        write(small, ROWS // 100)
        write(large, ROWS)
        _, base = measured(OURS, str(small), f"{folder}/e1")
        seconds, peak = measured(OURS, str(large), f"{folder}/e2")
        their_seconds, their_peak = measured(THEIRS, str(large), f"{folder}/out.jsonl")
        print(
            f"adjudge {seconds:6.1f} s, {peak:6.0f} MiB ({peak - base:+.1f} MiB against {ROWS // 100:,} rows)"
        )
        print(f"pandas  {their_seconds:6.1f} s, {their_peak:6.0f} MiB")
