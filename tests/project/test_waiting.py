"""No test depends on how fast the machine is: all wait by tests/waiting.py, whose limits are against hanging alone."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
BY_TIME = re.compile(
    r"\b(?:time\.sleep|monotonic|perf_counter|process_time|wait_for_timeout)\("
    r"|\btimeout=[\d.]|\.(?:wait|join|result|acquire)\([\d.]"
    r"|set_default_timeout\([\d.]|signal\.alarm"
)
ALLOWED = {
    "waiting.py": "the one place",
    "web/browser/pages.py": "how often a page is looked at",
    "web/test_connections.py": "the server's clock, when it is let go",
    "judgments/test_kill.py": "the moment of a kill, which may be any",
    "data/test_incoming.py": "the moment of a kill, which may be any",
    "data/test_transaction.py": "the moment of a kill, which may be any",
    "assessors/llm/test_server.py": "requests to a server that never answers",
    "assessors/llm/test_hostile_servers.py": "requests to servers that never end",
    "assessors/llm/test_local.py": "requests to a real model",
}


def test_tests_wait_for_events_and_not_for_times() -> None:
    by_time = {
        str(path.relative_to(TESTS))
        for path in TESTS.rglob("*.py")
        if BY_TIME.search(path.read_text(encoding="utf-8"))
    }
    assert by_time == ALLOWED.keys()
