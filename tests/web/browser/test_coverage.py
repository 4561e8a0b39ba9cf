"""Whole judgments on the coverage page, by mouse and by keyboard: what was chosen is what is stored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.making import SHARED, STORM, Study
from tests.web.browser.pages import (
    banner,
    completeness,
    current_unit,
    enter,
    key,
    marked,
    open_task,
    question,
    ready,
    saved,
    sign_in,
    step,
)
from tests.web.browser.server import Server

from adjudge.judgments.tasks import Task

pytestmark = pytest.mark.browser

VALUES = {"0 %": 0.0, "20 %": 0.2, "40 %": 0.4, "60 %": 0.6, "80 %": 0.8, "100 %": 1.0}
COUNTS = {"0": "0", "1": "1-5", "6": "6-10", ">": ">10"}  # by the key on the button


def model_units(study: Study, task: Task, kind: str = "edu") -> list[str]:
    return list(study.units(task, kind, task.reference))


def test_a_duc_2002_judgment_by_mouse(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha", "beta"])
    sign_in(tab, server, person)
    expect(tab.locator(".big")).to_have_text("0 of 2 done, 2 left")
    tab.locator("#resume").click()
    ready(tab)
    task = person.tasks[0]
    models, peers = model_units(study, task), list(study.units(task, "sentence"))
    assert len(models) >= 3
    assert len(peers) == 4
    wanted: dict[str, object] = {}
    for n, unit in enumerate(models):
        assert current_unit(tab) == unit
        some = peers[:2] if n == 0 else peers[n : n + 1] if n < 3 else []
        for peer in some:
            tab.locator(f'[data-peer="{peer}"]').click()
        label = list(VALUES)[n + 1] if some else "0 %"
        completeness(tab, label).click()
        wanted[f"unit:{unit}"] = {"marked": some, "completeness": VALUES[label]}
        tab.locator("#next").click()
    unmarked = len(peers) - len({p for n in range(3) for p in (peers[:2] if n == 0 else peers[n : n + 1])})
    assert step(tab) == "unmarked"
    expect(tab.locator("#unmarked-note")).to_have_text(f"{unmarked} unit was never marked.")
    assert tab.locator("#unmarked button").all_inner_texts() == ["0 % 1", "100 % 2"]
    tab.locator("#unmarked button").nth(1).click()
    wanted["unmarked"] = {"relevant": 1.0}
    tab.locator("#next-unmarked").click()
    assert step(tab) == "quality"
    for n in reversed(range(1, 13)):  # in any order
        value = list(COUNTS.values())[n % 4]
        question(tab, f"quality:{n}").get_by_role("button", name=value, exact=True).click()
        wanted[f"quality:{n}"] = {"value": value}
    expect(tab.locator("#quality-left")).to_have_text("All questions are answered.")
    saved(tab)
    assert study.answers(person) == wanted
    tab.locator("#finish").click()
    tab.wait_for_url(f"**/task/{study.key(person.tasks[1])}")
    ready(tab)
    expect(tab.locator("#where")).to_have_text("Summary 2 of 2")
    for event in study.events(person):
        assert event.shown_at is not None
        assert event.took_ms is not None
        assert event.took_ms >= 0


def test_a_duc_2002_judgment_by_keyboard_alone(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    sign_in(tab, server, person)
    key(tab, "Enter")
    ready(tab)
    task = person.tasks[0]
    models, peers = model_units(study, task), list(study.units(task, "sentence"))
    wanted: dict[str, object] = {}
    for n, unit in enumerate(models):
        assert current_unit(tab) == unit
        if n == 0:
            key(tab, "Enter")  # nothing chosen yet: it stays
            expect(banner(tab)).to_contain_text("first")
            assert current_unit(tab) == unit
            key(tab, "a", "c", "b", "b")  # b: marked, and not
            assert marked(tab) == [peers[0], peers[2]]
            key(tab, "4")
            wanted[f"unit:{unit}"] = {"marked": [peers[0], peers[2]], "completeness": 0.6}
        else:
            key(tab, "1")
            wanted[f"unit:{unit}"] = {"marked": [], "completeness": 0.0}
        key(tab, "Enter")
    assert step(tab) == "unmarked"
    key(tab, "2", "Enter")
    wanted["unmarked"] = {"relevant": 1.0}
    assert step(tab) == "quality"
    for n in range(1, 13):
        expect(question(tab, f"quality:{n}")).to_have_class("question now")
        digit = list(COUNTS)[n % 4]
        key(tab, digit)
        wanted[f"quality:{n}"] = {"value": COUNTS[digit]}
    key(tab, "Enter")
    tab.wait_for_url("**/work")
    expect(tab.locator(".big")).to_have_text("1 of 1 done")
    assert study.answers(person) == wanted


def test_tab_and_space_reach_everything(tab: Page, server: Server, study: Study) -> None:
    """The way of those who know no shortcuts: walk, and press what has the focus."""
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    unit, peer = model_units(study, person.tasks[0])[0], next(iter(study.units(person.tasks[0], "sentence")))

    def walk_to(selector: str) -> None:
        for _ in range(60):
            key(tab, "Tab")
            if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} is never reached")

    walk_to(f'[data-peer="{peer}"]')
    key(tab, "Space")
    walk_to("#completeness button:nth-child(3)")
    key(tab, "Enter")  # on a button that was reached by keyboard, Enter is the button's
    assert current_unit(tab) == unit
    walk_to("#next")
    key(tab, "Enter")
    assert current_unit(tab) != unit
    saved(tab)
    assert study.answers(person) == {f"unit:{unit}": {"marked": [peer], "completeness": 0.4}}


def test_enter_steps_on_after_a_click(tab: Page, server: Server, study: Study) -> None:
    """A hand on the mouse and one on the keyboard: what was clicked does not take Enter for itself."""
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    first = current_unit(tab)
    completeness(tab, "20 %").click()
    key(tab, "Enter")
    assert current_unit(tab) != first


def test_a_duc_2001_judgment(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2001", peers=["beta"])
    enter(tab, server, study, person)
    task = person.tasks[0]
    models, peers = model_units(study, task, "sentence"), list(study.units(task, "sentence"))
    assert [button.inner_text() for button in tab.locator("[data-step]").all()] == [
        "1 · Content",
        "2 · Quality",
    ]
    wanted: dict[str, object] = {}
    for n, unit in enumerate(models):
        assert current_unit(tab) == unit
        tab.locator(f'[data-peer="{peers[n]}"]').click()
        completeness(tab, ("most", "hardly any")[n]).click()
        wanted[f"unit:{unit}"] = {"marked": [peers[n]], "completeness": (0.75, 0.25)[n]}
        key(tab, "Enter")
    assert step(tab) == "quality"
    for name, digit, value in (
        ("grammaticality", "1", 1.0),
        ("cohesion", "2", 0.75),
        ("coherence", "5", 0.0),
    ):
        key(tab, digit)
        wanted[f"quality:{name}"] = {"value": value}
    key(tab, "Enter")
    tab.wait_for_url("**/work")
    assert study.answers(person) == wanted


def test_marked_units_are_told_by_more_than_colour(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    unit = tab.locator("[data-peer]").first
    expect(unit.locator("[data-chip]")).to_be_empty()
    unit.click()
    expect(unit).to_have_attribute("aria-pressed", "true")
    expect(unit.locator("[data-chip]")).to_have_text("✓ marked")
    assert "underline" in unit.locator(".t").evaluate("e => getComputedStyle(e).textDecorationLine")


def test_undo_goes_back_answer_by_answer(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    first, second, *_ = model_units(study, person.tasks[0])
    peer = next(iter(study.units(person.tasks[0], "sentence")))
    expect(tab.locator("[data-tool=undo]")).to_be_disabled()
    key(tab, "a", "3", "5", "Enter", "2", "Enter")
    key(tab, "Control+z")
    assert current_unit(tab) == second
    saved(tab)
    assert study.answers(person) == {f"unit:{first}": {"marked": [peer], "completeness": 0.8}}
    tab.locator("[data-tool=undo]").click()
    assert current_unit(tab) == first
    saved(tab)
    assert study.answers(person) == {f"unit:{first}": {"marked": [peer], "completeness": 0.4}}
    key(tab, "Control+z")
    saved(tab)
    assert study.answers(person) == {}
    assert marked(tab) == [peer]  # as it was before anything was chosen
    expect(tab.locator("[data-tool=undo]")).to_be_disabled()
    assert [event.answer is None for event in study.events(person)] == [
        False,
        False,
        False,
        True,
        False,
        True,
    ]


def test_said_before_is_shown_and_can_be_used(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha", "gamma"])
    alpha, gamma = person.tasks
    enter(tab, server, study, person)
    key(tab, "a", "4")  # SHARED stands first in alpha
    saved(tab)
    tab.goto(f"{server.url}/task/{study.key(gamma)}")
    ready(tab)
    note = tab.locator("#before")
    expect(note).to_be_hidden()
    key(tab, "a")
    expect(note).to_be_hidden()
    key(tab, "a", "b")  # SHARED stands second in gamma
    expect(note).to_have_text("You judged this sentence against this unit before: 60 %. Use it")
    saved(tab)
    assert study.answers(person, gamma) == {}
    note.get_by_role("button").click()
    expect(note).to_be_hidden()
    saved(tab)
    shared = next(id for id, text in study.units(gamma, "sentence").items() if text == SHARED)
    unit = model_units(study, gamma)[0]
    assert study.answers(person, gamma) == {f"unit:{unit}": {"marked": [shared], "completeness": 0.6}}
    assert alpha.topic == STORM


def test_questions_are_found_and_boundaries_hidden(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    tab.locator("[data-step=quality]").click()
    key(tab, "/")
    tab.keyboard.type("antecedents pronoun")
    assert tab.locator("[data-question]:visible").count() == 1
    key(tab, "Enter")
    assert tab.locator("[data-question]:visible").count() == 12
    expect(question(tab, "quality:7")).to_have_class("question now")
    key(tab, "2")
    saved(tab)
    assert study.answers(person) == {"quality:7": {"value": "1-5"}}
    expect(tab.locator("#peer-units")).to_be_visible()
    key(tab, "b")
    expect(tab.locator("#peer-units")).to_be_hidden()
    expect(tab.locator("#running")).to_contain_text(SHARED)
    key(tab, "b")
    expect(tab.locator("#running")).to_be_hidden()


def test_keys_stand_on_the_buttons_and_mean_what_they_say(tab: Page, server: Server, study: Study) -> None:
    """DUC-2002 counts mistakes: 0 is none, 3 is one of 1-5."""
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    tab.locator("[data-step=quality]").click()
    shown = question(tab, "quality:1").locator("kbd")
    assert shown.all_inner_texts() == list(COUNTS)
    for each in shown.all():
        expect(each).to_be_visible()
    expect(question(tab, "quality:2").locator("kbd").first).to_be_hidden()  # its keys answer nothing now
    for digit, value in {**COUNTS, "3": "1-5", "9": "6-10"}.items():
        key(tab, digit)
        saved(tab)
        assert study.answers(person) == {"quality:1": {"value": value}}
        key(tab, "ArrowUp")
    for nothing in ("x", "Delete", "ArrowLeft"):
        key(tab, nothing)
    assert study.answers(person) == {"quality:1": {"value": "6-10"}}


def test_a_key_that_is_held_down_answers_once(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", "rating", "preference-summaries", peers=["alpha"])
    _, rating, *pairs = person.tasks
    enter(tab, server, study, person)
    hold_down(tab, "6")  # the highest, with nothing marked: a held key does not confirm it
    saved(tab)
    assert study.answers(person) == {}
    hold_down(tab, "2")
    hold_down(tab, "Enter")
    hold_down(tab, "a")
    assert len(marked(tab)) == 1
    saved(tab)
    assert len(study.answers(person)) == 1
    tab.locator("[data-step=quality]").click()
    hold_down(tab, "0")
    saved(tab)
    assert len(study.answers(person)) == 2
    hold_down(tab, "Control+z")
    saved(tab)
    assert len(study.answers(person)) == 1
    open_task(tab, server, study, rating)
    hold_down(tab, "4")
    saved(tab)
    assert study.answers(person, rating) == {"rating:coherence": {"value": 4}}
    tab.goto(f"{server.url}/task/{study.key(pairs[0])}")
    ready(tab)
    hold_down(tab, "1")
    tab.locator("[data-winner=left]").focus()
    hold_down(tab, "Enter")  # a button is not pressed again and again either
    hold_down(tab, " ")
    saved(tab)
    assert sum("preference" in study.answers(person, task) for task in pairs) == 3


def hold_down(page: Page, name: str) -> None:
    """The key goes down, repeats some times as keyboards do, and comes up."""
    *modifiers, last = name.split("+")
    for each in modifiers:
        page.keyboard.down(each)
    for _ in range(6):
        page.keyboard.down(last)
    page.keyboard.up(last)
    for each in modifiers:
        page.keyboard.up(each)


def test_what_is_typed_is_no_answer(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    tab.locator("[data-step=quality]").click()
    key(tab, "/")
    tab.keyboard.type("0 1 6 > 10 b")
    expect(tab.locator("#find")).to_have_value("0 1 6 > 10 b")
    key(tab, "Escape", "!")
    tab.keyboard.type("0 1 6 > a b")
    key(tab, "Escape")
    saved(tab)
    assert study.answers(person) == {}
    for made in ("select", "[contenteditable]"):  # whatever a page may come to have
        tab.evaluate(
            """made => {
              const field = document.createElement(made === "select" ? "select" : "div");
              if (made !== "select") field.contentEditable = "true";
              field.tabIndex = 0;
              document.querySelector("main").append(field);
              field.focus();
            }""",
            made,
        )
        key(tab, "0", "1")
    saved(tab)
    assert study.answers(person) == {}


def test_all_with_nothing_marked_and_none_with_marks_ask_once(
    tab: Page, server: Server, study: Study
) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    first, second, *_ = model_units(study, person.tasks[0])
    peers = list(study.units(person.tasks[0], "sentence"))
    doubt = tab.locator("#doubt")
    key(tab, "6")
    expect(doubt).to_contain_text("Nothing is marked, and you chose “100 %”.")
    key(tab, "Enter")  # does not go past the question
    assert current_unit(tab) == first
    saved(tab)
    assert study.answers(person) == {}
    key(tab, "6")
    expect(doubt).to_be_hidden()
    saved(tab)
    assert study.answers(person) == {f"unit:{first}": {"marked": [], "completeness": 1.0}}
    key(tab, "3", "6")  # asked once
    expect(doubt).to_be_hidden()
    saved(tab)
    assert study.answers(person)[f"unit:{first}"] == {"marked": [], "completeness": 1.0}
    key(tab, "Enter", "a", "b")
    completeness(tab, "0 %").click()
    expect(doubt).to_contain_text("2 units are marked, and you chose “0 %”.")
    key(tab, "b")  # something else is done instead: the question is over
    expect(doubt).to_be_hidden()
    key(tab, "4")
    saved(tab)
    assert study.answers(person)[f"unit:{second}"] == {"marked": [peers[0]], "completeness": 0.6}


def test_marks_that_contradict_an_answer_open_it_again(tab: Page, server: Server, study: Study) -> None:
    """None of it, and then a unit is marked: what was meant is asked, not guessed."""
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    unit, peer = model_units(study, person.tasks[0])[0], next(iter(study.units(person.tasks[0], "sentence")))
    key(tab, "1", "a")
    expect(tab.locator("#doubt")).to_contain_text("You chose “0 %”, and now something is marked.")
    saved(tab)
    assert study.answers(person) == {}
    assert marked(tab) == [peer]
    key(tab, "5")
    saved(tab)
    assert study.answers(person) == {f"unit:{unit}": {"marked": [peer], "completeness": 0.8}}


def test_other_unmarked_units_are_asked_about_again(tab: Page, server: Server, study: Study) -> None:
    """Step 2 opens after step 1; what was said of four unmarked units is not said of two."""
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    models = model_units(study, person.tasks[0])
    second_step = tab.locator("[data-step=unmarked]")
    expect(second_step).to_have_attribute("data-closed", "true")
    second_step.click()
    expect(banner(tab)).to_contain_text(
        f"Step 2 opens after step 1: {len(models)} units of the reference are open."
    )
    assert step(tab) == "content"
    for _ in models:
        key(tab, "1", "Enter")
    assert step(tab) == "unmarked"
    expect(second_step).to_have_attribute("data-closed", "false")
    key(tab, "2", "Enter")  # 20 % of four
    saved(tab)
    assert study.answers(person)["unmarked"] == {"relevant": 0.2}
    value = tab.locator("#progress").evaluate("e => e.value")
    tab.locator(f'[data-model="{models[0]}"]').dispatch_event("click")
    key(tab, "a", "b", "3")
    expect(banner(tab)).to_have_text("Other units are unmarked now: step 2 is asked again.")
    saved(tab)
    assert "unmarked" not in study.answers(person)
    assert tab.locator("#progress").evaluate("e => e.value") == value - 1
    second_step.click()
    assert tab.locator("#unmarked button[aria-pressed=true]").count() == 0
    assert tab.locator("#unmarked button").all_inner_texts() == ["0 % 1", "100 % 2"]
    tab.locator("[data-step=quality]").click()
    for _ in range(12):
        key(tab, "0")
    tab.locator("#finish").click()
    expect(banner(tab)).to_have_text("This one is still open.")
    assert step(tab) == "unmarked"
    key(tab, "1")
    saved(tab)
    expect(banner(tab)).not_to_contain_text("another tab")
    assert study.answers(person)["unmarked"] == {"relevant": 0.0}
    assert [event.answer for event in study.events(person) if event.question == "unmarked"] == [
        {"relevant": 0.2},
        None,
        {"relevant": 0.0},
    ]
    tab.reload()
    ready(tab)
    tab.locator("[data-step=unmarked]").click()
    expect(tab.locator("#unmarked button[aria-pressed=true]")).to_have_text("0 % 1")


def test_what_is_open_is_asked_for_at_the_end(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    first = current_unit(tab)
    tab.locator("[data-step=quality]").click()
    tab.locator("#finish").click()
    expect(banner(tab)).to_have_text("This one is still open.")
    assert step(tab) == "content"
    assert current_unit(tab) == first
