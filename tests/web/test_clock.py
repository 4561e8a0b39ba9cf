"""A clock that was wrong and is set right: nobody is locked out, and nobody is trusted for longer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.judgments.making import NOON
from tests.web.making import Running
from tests.web.test_doors import enter, is_in, set_password

from adjudge.judgments.pairs.sample import ANYONE, sample
from adjudge.judgments.store.sessions import LIMIT

ANN, BEN = "ann", "ben"
PASSWORD = "correct horse"
STEPS = [timedelta(minutes=20), timedelta(hours=3), timedelta(days=400), timedelta(days=4000)]


@pytest.fixture(params=STEPS, ids=str)
def step(request: pytest.FixtureRequest) -> timedelta:
    found: timedelta = request.param
    return found


def test_whoever_tried_too_often_before_a_clock_was_set_back_may_try_again(
    app: Running, step: timedelta
) -> None:
    app.site.store.accounts.set_password(ANN, PASSWORD)
    app.clock.now = NOON + step
    for _ in range(LIMIT):
        assert enter(app.client(), person=ANN, password="wrong password").status_code == 401
    assert enter(app.client(), person=ANN, password=PASSWORD).status_code == 429
    app.clock.now = NOON
    assert enter(app.client(), person=ANN, password=PASSWORD).status_code == 200
    app.clock.now = NOON + step
    assert enter(app.client(), person=ANN, password=PASSWORD).status_code == 200, "nor when that time comes"


def test_tries_count_though_the_clock_is_moved_by_seconds(app: Running) -> None:
    """As clocks are that are kept right, and those of two servers."""
    for n in range(LIMIT):
        app.clock.now = NOON + timedelta(seconds=30 * (n % 2))
        assert enter(app.client(), person=ANN, password="wrong password").status_code == 401
    app.clock.now = NOON
    assert enter(app.client(), person=ANN, password="wrong password").status_code == 429


def test_sessions_go_on_when_a_clock_is_set_back(app: Running, step: timedelta) -> None:
    app.clock.now = NOON + step
    client = app.client()
    assert enter(client, token=app.site.store.accounts.renew_link(ANN)).status_code == 200
    app.clock.now = NOON
    assert is_in(client)
    assert enter(app.client(), token=app.site.store.accounts.renew_link(BEN)).status_code == 200


def test_a_link_opens_though_the_clock_went_ahead_and_back(app: Running, step: timedelta) -> None:
    link = app.site.store.accounts.renew_link(ANN)
    assert enter(app.client(), token=link).status_code == 200
    for when in (NOON + step, NOON - step, NOON):
        app.clock.now = when
        client = app.client()
        assert enter(client, token=link).status_code == 200
        assert is_in(client)


def test_no_session_is_fresh_for_longer(app: Running, step: timedelta) -> None:
    """Else whoever finds a session that was left open could set a password without the old one."""
    client = app.client()
    app.clock.now = NOON + step
    assert enter(client, token=app.site.store.accounts.renew_link(ANN)).status_code == 200
    app.clock.now = NOON
    assert set_password(client, PASSWORD) == 403


def test_a_pair_is_free_again_when_the_clock_was_set_back(app: Running, step: timedelta) -> None:
    """Somebody was handed it while the clock was ahead, and left."""
    sample(app.site.collection, app.site.store, app.site.protocol("preference-sentences"), count=1)
    sampler = app.app.state.sampler
    (open_pair, *_) = [task.id for task in app.site.store.tasks(assessor=ANYONE)]
    app.clock.now = NOON + step
    minutes = timedelta(minutes=app.site.judging.lease_minutes)
    assert app.site.store.lease(open_pair, ANN, app.clock.now + minutes) is not None
    assert app.site.store.lease(open_pair, BEN, app.clock.now + minutes) is None
    app.clock.now = NOON
    assert app.site.store.lease(open_pair, BEN, NOON + minutes) is not None
    assert app.site.store.lease(open_pair, ANN, NOON + minutes) is None
    assert sampler.next_for(BEN, 1, frozenset())
