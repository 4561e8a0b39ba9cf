"""The annotation app on a small full evaluation, kept in SQLite or in a real PostgreSQL."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from tests.judgments.conftest import BOTH, new_database, server
from tests.web import making
from tests.web.making import Running

from adjudge.evaluation import Evaluation
from adjudge.judgments.store import accounts
from adjudge.judgments.store.store import store_of

__all__ = ["new_database", "server"]  # fixtures of the store's tests


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evaluation with all its tasks, made once; tests get copies."""
    path = tmp_path_factory.mktemp("web") / "evaluation"
    folder = making.settle(making.write(path))
    with store_of(folder) as store:
        making.fill(store, Evaluation.open(path))
    return path


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Argon2 with light parameters: the real ones take most of a second on a busy machine."""
    light = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "hasher", lambda: light)
    accounts._nobodys.cache_clear()
    yield
    accounts._nobodys.cache_clear()


@pytest.fixture
def evaluation(template: Path, tmp_path: Path) -> Evaluation:
    """A copy of one's own, kept in SQLite."""
    path = tmp_path / "evaluation"
    shutil.copytree(template, path)
    return Evaluation.open(path)


@pytest.fixture
def app(evaluation: Evaluation) -> Iterator[Running]:
    """The app on SQLite."""
    with making.running(evaluation.folder) as found:
        yield found


@pytest.fixture(params=BOTH)
def both(request: pytest.FixtureRequest, evaluation: Evaluation) -> Iterator[Running]:
    """The app on either database."""
    folder = evaluation.folder
    if request.param == "postgresql":
        address: str = request.getfixturevalue("server")
        folder = making.settle(evaluation, database=address, name=f"Storms {uuid.uuid4().hex[:12]}")
        with store_of(folder) as store:
            making.fill(store, evaluation)
    with making.running(folder) as found:
        yield found
