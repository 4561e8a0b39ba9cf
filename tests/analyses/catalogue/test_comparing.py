"""Figures of comparisons from a folder and from a file: systems and topics in the order of the data."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import called

from adjudge.analyses.compare import compare


def test_a_heat_map_in_the_order_of_a_folder(shown: Path) -> None:
    data = compare(shown / "my-eval", "rouge-2", length=100).figure("heat", order="given").data
    listed = [json.loads(line) for line in (shown / "my-eval" / "systems.jsonl").read_text().splitlines()]
    drawn = [name.removesuffix(" (baseline)") for name in dict.fromkeys(data["system"])]
    there = [row for row in listed if row["system"] in drawn]
    people = [row["system"] for row in there if row["kind"] == "human"]
    assert drawn == [*(row["system"] for row in there if row["kind"] != "human"), *people]
    assert people
    lines = (shown / "my-eval" / "topics.jsonl").read_text().splitlines()
    order = [json.loads(line)["topic"] for line in lines]
    assert list(dict.fromkeys(data["topic"])) == [topic for topic in order if topic in set(data["topic"])]


def test_a_heat_map_of_a_file_has_its_columns_and_rows_and_crosses_what_is_missing(tmp_path: Path) -> None:
    rows = ["topic,zeta,alpha,H", "d2,0.1,0.4,", "d10,0.3,,0.6", "d1,0.2,0.5,0.7"]
    (tmp_path / "m.csv").write_text("\n".join(rows) + "\n")
    line = "figure heat m.csv --order given --human H -o heat.svg --json"
    done = called(tmp_path, *line.split())
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "2 of 9 scores are missing and crossed" in said["words"]
    table = [row.split(",") for row in (tmp_path / "heat.csv").read_text().splitlines()]
    at = {name: k for k, name in enumerate(table[0])}
    cells = [(row[at["topic"]], row[at["system"]], row[at["value"]]) for row in table[1:]]
    expected = [
        (topic, system, value)
        for k, system in enumerate(("zeta", "alpha", "H"))
        for topic, value in ((row.split(",")[0], row.split(",")[k + 1]) for row in rows[1:])
    ]
    assert cells == expected
    picture = (tmp_path / "heat.svg").read_text()
    assert ">humans<" in picture
    assert ">no score<" in picture
