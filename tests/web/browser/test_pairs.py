"""Preferences: one key press each, the next pair is there already, order and time are recorded, undo takes back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.making import STORM, UPDATE, Person, Study
from tests.web.browser.pages import banner, hold, key, let_go, ready, saved, sign_in, until
from tests.web.browser.server import Server

from adjudge.judgments.tasks import Task, TextRef

pytestmark = pytest.mark.browser

TITLES = {"A storm at the coast": STORM, "After the storm": UPDATE}


def open_pairs(page: Page, server: Server, person: Person) -> None:
    sign_in(page, server, person)
    page.goto(f"{server.url}/pairs")
    ready(page)


def task_now(page: Page) -> str:
    found = page.locator("#page").get_attribute("data-task")
    assert found is not None
    return found


def sides(page: Page) -> tuple[str, str]:
    return page.locator("#left").inner_text(), page.locator("#right").inner_text()


def text_of(study: Study, task: Task, side: str) -> str:
    """What a side of a task holds, from the files."""
    place = getattr(task, side)
    if "document" in place:
        documents = study.collection.documents[task.topic]
        text = next(each.text for each in documents if each.id == place["document"])
        return " ".join(text[place["start"] : place["end"]].split())
    ref = TextRef(place["system"], place["length"])
    summaries = study.collection.summaries[task.topic]
    return next(s.text for s in summaries if (s.system, s.length) == (ref.system, ref.length))


def test_twenty_preferences_of_sentences(tab: Page, server: Server, study: Study) -> None:
    """Pairs come from the live sampler; tie is not a choice of this protocol, skip is."""
    person = study.person()
    open_pairs(tab, server, person)
    expect(tab.locator("[data-winner=tie]")).to_be_hidden()
    expect(tab.locator("[data-winner=skip]")).to_be_visible()
    given: dict[str, tuple[str, tuple[str, str]]] = {}
    for n in range(20):
        task = task_now(tab)
        assert task not in given
        key(tab, "3")  # no tie here: nothing happens
        assert task_now(tab) == task
        how, winner = (
            ("ArrowLeft", "left"),
            ("ArrowRight", "right"),
            ("1", "left"),
            ("2", "right"),
            ("0", "skip"),
        )[n % 5]
        given[task] = winner, sides(tab)
        if n % 4 == 3 and winner != "skip":
            tab.locator(f"[data-winner={winner}]").click()
        else:
            key(tab, how)
        expect(tab.locator("#page")).not_to_have_attribute("data-task", task)
    saved(tab)
    expect(tab.locator("#where")).to_have_text("Pair 21")
    quota = shares(tab)
    assert quota[0] >= 20, "others' answers count too"
    assert quota[1] == 18 * 17 // 2 + 1 + 1, (
        "what is planned for everybody: all pairs of 18, 2 and 2 sentences"
    )
    expect(tab.locator("#quota")).to_have_text(f"{quota[0]} of {quota[1]} answered by everybody")
    tab.reload()
    ready(tab)
    assert shares(tab) == quota
    expect(tab.locator("#where")).to_have_text("Pair 21")
    tasks = {study.key(task): task for task in study.store.tasks(assessor=person.id)}
    assert len(study.events(person)) == 20
    for event in study.events(person):
        task = next(key for key, each in tasks.items() if each.id == event.task)
        winner, shown = given[task]
        assert event.answer == {"winner": winner}
        assert shown == (text_of(study, tasks[task], "left"), text_of(study, tasks[task], "right"))
        assert event.shown_at is not None
        assert event.answered_at is not None
        assert event.shown_at <= event.answered_at
        assert event.took_ms is not None
        assert event.took_ms >= 0


def shares(page: Page) -> tuple[int, int]:
    """What the bar at the top shows."""
    value, most = page.locator("#progress").evaluate("bar => [bar.value, bar.max]")
    return int(value), int(most)


def test_pairs_of_summaries_with_ties(tab: Page, server: Server, study: Study) -> None:
    person = study.person("preference-summaries", topics=[STORM, UPDATE])
    assert len(person.tasks) == 6
    sign_in(tab, server, person)
    tab.goto(f"{server.url}/task/{study.key(person.tasks[2])}")  # any one can be opened first
    ready(tab)
    wanted: dict[str, str] = {}
    for n, how in enumerate(("3", "0", "ArrowLeft", "2", "3", "1")):
        now = task_now(tab)
        expect(tab.locator("#where")).to_have_text(f"Pair {n + 1} of 6")
        assert shares(tab) == (n, 6)
        task = next(each for each in person.tasks if study.key(each) == now)
        assert sides(tab) == (text_of(study, task, "left"), text_of(study, task, "right"))
        assert TITLES[tab.locator("#topic").inner_text()] == task.topic
        wanted[task.id] = {"3": "tie", "0": "skip", "ArrowLeft": "left", "1": "left", "2": "right"}[how]
        key(tab, how)
        expect(tab.locator("#page")).not_to_have_attribute("data-task", now)
    assert set(wanted) == {task.id for task in person.tasks}
    saved(tab)
    assert {e.task: e.answer["winner"] for e in study.events(person)} == wanted
    expect(tab.locator("#guidelines-title")).to_have_text(
        "Preference between two sentences"
    )  # live ones follow


def test_undo_goes_back_one_pair_and_takes_its_answer_back(tab: Page, server: Server, study: Study) -> None:
    person = study.person()
    open_pairs(tab, server, person)
    undo = tab.locator("[data-tool=undo]")
    expect(undo).to_be_disabled()
    first, shown = task_now(tab), sides(tab)
    key(tab, "1")
    second = task_now(tab)
    key(tab, "2")
    third = task_now(tab)
    key(tab, "Control+z")
    assert task_now(tab) == second
    undo.click()
    assert (task_now(tab), sides(tab)) == (first, shown)
    expect(undo).to_be_disabled()
    saved(tab)
    assert [event.answer for event in study.events(person)] == [
        {"winner": "left"},
        {"winner": "right"},
        None,
        None,
    ]
    assert study.store.current(assessor=person.id) == []
    key(tab, "2")
    assert task_now(tab) == second  # what was on the screen comes again
    key(tab, "1")
    assert task_now(tab) == third
    saved(tab)
    assert [event.answer for event in study.events(person)][4:] == [{"winner": "right"}, {"winner": "left"}]


def test_the_next_pair_is_there_without_the_network(tab: Page, server: Server, study: Study) -> None:
    person = study.person()
    open_pairs(tab, server, person)
    tab.wait_for_load_state("networkidle")  # the next pairs have come
    held = hold(tab, "/api/events", "/api/pairs/next")
    first, shown = task_now(tab), sides(tab)
    key(tab, "1")
    assert task_now(tab) != first
    second = task_now(tab)
    assert all(sides(tab))
    assert sides(tab) != shown  # one of its sentences may be the same
    key(tab, "2")
    assert task_now(tab) not in (first, second)
    expect(tab.locator("#save")).to_have_attribute("data-state", "saving")
    assert study.events(person) == []
    let_go(tab, held)
    saved(tab)
    assert [event.answer for event in study.events(person)] == [{"winner": "left"}, {"winner": "right"}]


def test_an_undo_while_the_next_pair_is_awaited_stays(tab: Page, server: Server, study: Study) -> None:
    """What comes late does not take the place of the pair that the person went back to."""
    person = study.person()
    open_pairs(tab, server, person)
    held = hold(tab, "/api/pairs/next")
    shown: list[str] = []

    def used_up() -> bool:
        """Answers what is there until the page has to wait for more."""
        if tab.locator("#sides").is_visible():
            shown.append(task_now(tab))
            key(tab, "1")
            return False
        return bool(held)

    until(tab, used_up)
    last = shown[-1]
    expect(tab.locator("#empty")).to_have_text("Loading …")
    key(tab, "Control+z")
    assert task_now(tab) == last
    with tab.expect_response("**/api/pairs/next"):
        let_go(tab, held)
    expect(tab.locator("#page")).to_have_attribute("data-task", last)
    key(tab, "2")
    expect(tab.locator("#page")).not_to_have_attribute("data-task", last)
    saved(tab)
    assert study.events(person)[-1].answer == {"winner": "right"}


def test_two_people_never_get_the_same_pair(tab: Page, server: Server, study: Study) -> None:
    one, other = study.person(), study.person()
    seen: list[set[frozenset[str]]] = []
    for person in (one, other):
        open_pairs(tab, server, person)
        found = set()
        for _ in range(4):
            found.add(frozenset(sides(tab)))
            before = task_now(tab)
            key(tab, "1")
            expect(tab.locator("#page")).not_to_have_attribute("data-task", before)
        saved(tab)
        seen.append(found)
    assert seen[0] & seen[1] == set()


def test_one_key_press_is_one_answer(tab: Page, server: Server, study: Study) -> None:
    """A key that is held down does not answer pair after pair."""
    person = study.person()
    open_pairs(tab, server, person)
    tab.keyboard.down("1")
    for _ in range(3):
        tab.keyboard.down("1")  # the system repeats it
    tab.keyboard.up("1")
    saved(tab)
    assert len(study.events(person)) == 1


def test_a_reload_shows_the_same_pair(tab: Page, server: Server, study: Study) -> None:
    """Assigned pairs come first, though pairs of the sampler are handed out already."""
    person = study.person("preference-summaries")
    open_pairs(tab, server, person)
    for task in person.tasks:
        assert task_now(tab) == study.key(task)
        tab.reload()
        ready(tab)
        assert task_now(tab) == study.key(task)
        key(tab, "1")
        saved(tab)
    assert task_now(tab) not in {study.key(task) for task in person.tasks}


def test_a_pair_answered_in_another_tab_is_told(tab: Page, server: Server, study: Study) -> None:
    person = study.person("preference-summaries")
    open_pairs(tab, server, person)
    other = tab.context.new_page()
    other.goto(f"{server.url}/pairs")
    ready(other)
    assert task_now(tab) == task_now(other)
    key(other, "1")
    expect(banner(tab)).to_have_text("This pair was answered in another tab. A later answer counts.")
    key(tab, "2")
    saved(tab)
    assert [event.answer for event in study.events(person)] == [{"winner": "left"}, {"winner": "right"}]
    assert re.fullmatch(r"[a-z2-7]{20}", task_now(tab))
