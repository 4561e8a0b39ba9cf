"""README's examples run as printed, one after the other in one folder, judging included."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from tests.cli.running import ADJUDGE, called
from tests.waiting import HANG, free_port, until_listening

ROOT = Path(__file__).parent.parent.parent
CODE = re.compile(r"^```(console|python)\n(.*?)^```$|((?:^    adjudge [^\n]*\n)+)", re.DOTALL | re.MULTILINE)
WORDS = [
    "storm",
    "coast",
    "town",
    "rain",
    "road",
    "tree",
    "roof",
    "wind",
    "night",
    "flood",
    "bridge",
    "school",
]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Code in the order of the page: what kind it is, and its text. Indented lines that call adjudge are commands."""
    for found in CODE.finditer(text):
        yield found[1] or "commands", found[2] or found[3]


def own_files(folder: Path) -> None:
    """The repository's examples, and files that the page's reader has."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    rating = {"coherence": 3, "consistency": 5, "fluency": 4, "relevance": 2}
    rows = [
        {
            "id": f"cnn-{topic}",
            "model_id": f"M{model}",
            "decoded": f"The {WORDS[topic]} met the {WORDS[(topic + model) % 12]}. It was {WORDS[model]} weather.",
            "text": f"On Monday the {WORDS[topic]} met the {WORDS[topic - 1]}. Then came the {WORDS[topic - 2]}.",
            "references": [f"The {WORDS[topic]} met the {WORDS[topic - 1]}.", f"A {WORDS[topic]} came."],
            "expert_annotations": [rating] * 3,
            "turker_annotations": [rating] * 5,
        }
        for topic in range(8)
        for model in range(1, 4)
    ]
    (folder / "model_annotations.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    articles = [{"article": row["text"], "highlights": row["decoded"], "id": row["id"]} for row in rows[::3]]
    pd.DataFrame(articles).to_parquet(folder / "cnn.parquet")
    for path, word in (("system/news.{}.txt", "rain"), ("model/news.A.{}.txt", "storm")):
        for topic in range(1, 4):
            file = folder / "outputs" / path.format(f"00{topic}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"The {word} met the {WORDS[topic]}.\n")
    lines = [f"t{k};0,{20 + k};0,{30 + 2 * k};0,{25 + (k * 7) % 5}" for k in range(1, 9)]
    (folder / "scores.csv").write_text("\n".join(["topic;a;b;c", *lines]) + "\n")
    duels = [(("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"))[k % 4] for k in range(40)]
    (folder / "duels.csv").write_text("winner,loser\n" + "".join(f"{w},{x}\n" for w, x in duels))


def run(folder: Path, command: str) -> str:
    words = shlex.split(command, comments=True)
    assert words[0] == "adjudge", command
    if words[1] == "serve":
        return serve(folder, words[1:])
    done = called(folder, *words[1:])
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def serve(folder: Path, words: list[str]) -> str:
    """Until it answers, on a port that is free; then it is asked to stop."""
    port = free_port()
    line = [*ADJUDGE, *words, "--port", str(port)]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            until_listening(port, server)
            server.terminate()
            server.wait(HANG)
        finally:
            server.kill()
    assert f"http://127.0.0.1:{port}/" in said
    return said


def test_the_readme_runs_as_printed(tmp_path: Path) -> None:
    own_files(tmp_path)
    seen = []
    for kind, text in blocks((ROOT / "README.md").read_text(encoding="utf-8")):
        seen.append(kind)
        if kind == "python":
            script = [sys.executable, "-c", text]
            done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
            continue
        printed = ""
        shown: list[str] = []
        for line in text.splitlines():
            if kind == "commands" or line.startswith("$ "):
                printed = run(tmp_path, line.removeprefix("$ ").strip())
            else:
                shown.append(line)
        assert printed.splitlines()[: len(shown)] == shown
    assert set(seen) == {"console", "commands", "python"}
    assert (tmp_path / "report" / "index.html").is_file()


def test_what_the_page_shows_is_compared() -> None:
    text = "```console\n$ adjudge --version\nadjudge 0.0\n```\n\n    adjudge check x  # a comment\n    adjudge show x\n"
    assert list(blocks(text)) == [
        ("console", "$ adjudge --version\nadjudge 0.0\n"),
        ("commands", "    adjudge check x  # a comment\n    adjudge show x\n"),
    ]
