"""The six users of docs/first-steps.md: each reaches the answer in as many steps as the page says."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from tests.browsing import PATIENCE, launch
from tests.cli.running import ADJUDGE, typed
from tests.pages import blocks, commands
from tests.waiting import HANG, free_port, until_listening

import adjudge

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "first-steps.md").read_text(encoding="utf-8")


def journey(user: str) -> str:
    """The part of the page for a user."""
    parts: dict[str, str] = dict(
        re.findall(r"^## An? ([a-z ]+)[:,][^\n]*\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    )
    return parts[user]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def only(user: str) -> str:
    (command,) = commands(journey(user))
    return command


def test_a_student_types_one_command(place: Path) -> None:
    (comparison,) = (
        one
        for one in json.loads(typed(place, f"{only('student')} --json"))["comparisons"]
        if one["measure"] == "rouge-1"
    )
    groups = {row["system"]: row["group"] for row in comparison["tables"]["league"]}
    assert groups["fluent"] == groups["centroid"] != groups["vague"]
    assert "fluent" in typed(place, only("student"))


def test_a_notebook_has_two_lines(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    ((_, code),) = [block for block in blocks(journey("notebook")) if block[0] == "python"]
    lines = [line for line in code.splitlines() if line]
    assert len(lines) == 2
    result = eval(lines[1], {"adjudge": adjudge})
    league = result.to_frame("league")
    assert league["system"].iloc[0] == "fluent"
    assert "fluent" in repr(result)
    assert "fluent" in result._repr_html_()


def test_a_statistician_types_one_command(place: Path) -> None:
    (found,) = json.loads(typed(place, f"{only('statistician')} --json"))
    shares = {row["term"]: row["share"] for row in found["tables"]["components"]}
    assert shares["system"] > shares["assessor"] > shares["topic"] >= 0
    assert set(shares) >= {"system", "topic", "assessor", "system:topic"}


@pytest.mark.browser
@pytest.mark.slow
def test_an_organiser_takes_eight_steps(place: Path) -> None:
    """Answers depend on the text alone: the vague system gets a 2, the others 4 or 5."""
    steps = list(commands(journey("organiser")))
    in_browser = re.findall(r"^\d\. ", journey("organiser"), re.MULTILINE)
    assert len(steps) + len(in_browser) == 8
    assert len(in_browser) == 4
    *before, serve = steps
    told = [typed(place, command) for command in before]
    (link,) = re.findall(r"/in#\S+", told[1])
    vague = (place / "examples" / "outputs" / "vague.txt").read_text(encoding="utf-8")
    with served(place, serve) as (address, organiser), sync_playwright() as playwright:
        browser = launch(playwright)
        tab = browser.new_context().new_page()
        tab.goto(f"{address}{link}")
        tab.locator("#resume").click()
        pages = 0
        while judged(tab, vague):
            pages += 1
        assert pages == 36
        tab = browser.new_context().new_page()
        tab.goto(organiser)
        assert "36 of 36" in tab.locator(".big").inner_text()
        with tab.expect_download(timeout=PATIENCE) as downloaded:
            tab.get_by_text("Results").click()
        tab.goto(downloaded.value.path().rename(place / "results.html").as_uri())
        rows = tab.locator(".league tbody tr").all_inner_texts()
        browser.close()
    assert [name for row in rows for name in ("fluent", "centroid", "vague") if name in row][2] == "vague"


def judged(tab: Page, vague: str) -> bool:
    """Answers the page that is open, if there is one; everything is done where there is none."""
    tab.wait_for_url(lambda url: "/task/" in url or url.endswith("/work"), timeout=PATIENCE)
    if tab.url.endswith("/work"):
        return False
    tab.wait_for_selector("#page[data-ready]")
    text = " ".join(tab.locator(".paper").first.inner_text().split())
    worth = "2" if text[:60] in " ".join(vague.split()) else "45"[len(text) % 2]
    at = tab.url
    tab.keyboard.press(worth)
    tab.keyboard.press(worth)
    expect(tab.locator("#save")).to_have_attribute("data-state", "saved")
    tab.keyboard.press("Enter")
    tab.wait_for_url(lambda url: url != at, timeout=PATIENCE)
    return True


@contextmanager
def served(place: Path, command: str) -> Iterator[tuple[str, str]]:
    """The server's address, and the link that it prints for the organiser."""
    port = free_port()
    line = [*ADJUDGE, *command.split()[1:], "--port", str(port)]
    with Popen(line, cwd=place, stdout=PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            organiser = next(line.strip() for line in server.stdout if "/in#" in line)
            until_listening(port, server)
            yield f"http://127.0.0.1:{port}", organiser
            server.terminate()
            server.wait(HANG)
        finally:
            server.kill()


def test_a_table_with_a_judge_takes_one_command(place: Path) -> None:
    (found,) = json.loads(typed(place, f"{only('table of answers')} --json"))
    assert found["measures"] == ["judge"]
    assert (len(found["systems"]), found["topics"]) == (5, 12)
    assert "judge" in typed(place, only("table of answers"))


def test_a_metric_developer_types_one_command(place: Path) -> None:
    (found,) = json.loads(typed(place, f"{only('metric developer')} --json"))
    assert set(found["measures"]) == {"rouge1", "rouge2", "mymetric"}
    assert all(name in json.dumps(found["parts"]) for name in found["measures"])
