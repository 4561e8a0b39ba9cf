"""The API as its description says it, and as it does not: whatever is sent, nothing breaks (no answer above 499)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from tests.properties import examples
from tests.web import making
from tests.web.making import ORGANISER, Running

from adjudge.data.folder import Folder
from adjudge.web.access import cookie_name
from adjudge.web.routes import ROUTES, Route

DESCRIBED = [entry for entry in ROUTES if entry.described]
WITH_BODIES = {entry.path for entry in DESCRIBED if entry.method == "POST"} - {"/api/sign-out"}
SETTINGS = settings(
    examples(30),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


def test_the_description_holds_what_is_called_by_scripts_and_nothing_else(app: Running) -> None:
    paths = app.app.openapi()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == {(entry.method, entry.path) for entry in DESCRIBED}
    with_bodies = {
        path for path, methods in paths.items() for each in methods.values() if "requestBody" in each
    }
    assert with_bodies == WITH_BODIES
    assert app.client(ORGANISER).get("/api/openapi.json").json() == app.app.openapi()


def modes(entry: Route) -> list[GenerationMode]:
    """As the description says; and, where there is something that can be wrong, otherwise."""
    return [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if entry.path in WITH_BODIES else [])]


def cases(app: Running, entry: Route, mode: GenerationMode) -> st.SearchStrategy[Any]:
    schema = schemathesis.openapi.from_dict(app.app.openapi())
    schema.app = app.app
    found: st.SearchStrategy[Any] = schema[entry.path][entry.method].as_strategy(generation_mode=mode)
    return found


def real(app: Running, case: Any, person: str) -> Any:
    """Random ids are nobody's: most requests name tasks and questions that are there, so that they get further."""
    chance = random.Random(repr((case.path_parameters, case.body)))
    keys = [app.key(task) for task in app.site.tasks_of(person)] or ["a" * 20]
    if case.path_parameters and chance.random() < 0.8:
        case.path_parameters["key"] = chance.choice(keys)
    body = case.body
    if isinstance(body, dict):
        for event in body.get("events") or [] if isinstance(body.get("events"), list) else []:
            if isinstance(event, dict) and chance.random() < 0.8:
                event["task"] = chance.choice(keys)
                event["question"] = chance.choice(
                    ["comment", "preference", "unmarked", "unit:x", "rating:fluency"]
                )
        if "first" in body and chance.random() < 0.5:
            body["first"] = chance.choice(keys)
        if isinstance(body.get("person"), str) and chance.random() < 0.3:
            body["person"] = "sue"
    return case


def ask(app: Running, entry: Route, person: str, mode: GenerationMode) -> None:
    """Many requests, none of which may break; an error that nobody expected comes through as it is."""

    @given(cases(app, entry, mode))
    @SETTINGS
    def one(case: Any) -> None:
        app.clock.move(minutes=20)  # so that signing in is tried as often as it is asked for
        client = app.client(person)
        case = real(app, case, person)
        headers = {
            **(case.headers or {}),
            **{n: v for n, v in client.headers.items() if n.startswith("x-adjudge")},
        }
        name = cookie_name(app.site)
        response = case.call(
            base_url="http://127.0.0.1", headers=headers, cookies={name: client.cookies[name]}
        )
        assert response.status_code < 500

    one()


@pytest.fixture(scope="module")
def module_app(template: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One app for all operations: what one leaves behind, another meets."""
    path = tmp_path_factory.mktemp("openapi") / "evaluation"
    shutil.copytree(template, path)
    with making.running(Folder.open(path)) as found:
        yield found


@pytest.mark.parametrize("person", ["ann", ORGANISER])
@pytest.mark.parametrize(
    ("entry", "mode"),
    [(entry, mode) for entry in DESCRIBED for mode in modes(entry)],
    ids=lambda given: f"{given.method} {given.path}" if isinstance(given, Route) else given.name.lower(),
)
def test_nothing_breaks(module_app: Running, entry: Route, person: str, mode: GenerationMode) -> None:
    ask(module_app, entry, person, mode)


def test_a_route_that_raises_is_found(app: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("adjudge.web.pages.tasks.sources", fail)
    entry = next(entry for entry in DESCRIBED if entry.path.endswith("/source"))
    with pytest.raises(RuntimeError):
        ask(app, entry, "ann", GenerationMode.POSITIVE)
