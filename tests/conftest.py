"""Fixtures for all tests, and the rule that nothing is skipped in silence."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import random
import secrets
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from tests import approving
from tests.approving import Approved
from tests.properties import EXHAUSTIVE, QUICK

# Every worker has one core: with more threads of linear algebra they wait for each other, most of the time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation

# Where no bytecode is written, pytest rewrites all assertions in every worker, and every process that a test starts
# compiles the package again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The tests sync to disk tens of thousands of times, 8 ms each on a slow one: memory takes it where there is room.
MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes; a run needs up to 2 GiB at a time
if (
    "TMPDIR" not in os.environ
    and os.access(MEMORY, os.W_OK)
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    and shutil.disk_usage(MEMORY).free >= ROOM
):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# A run in the background ignores signals (Ctrl-C under &, SIGHUP under nohup), and so would processes that tests start.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# While tests are collected next to nothing becomes garbage; from then on a full collection goes through what is new.
gc.disable()
YOUNG = 50_000  # objects; with Python's 700 the collector takes a twentieth of the time

# Every run draws other examples; `make test-all` draws eight times as many.
UNCHECKED = (
    HealthCheck.too_slow,
    HealthCheck.function_scoped_fixture,
)  # machines are noisy, our fixtures are read
for profile, examples in (("quick", QUICK), ("exhaustive", EXHAUSTIVE)):
    settings.register_profile(profile, max_examples=examples, deadline=None, suppress_health_check=UNCHECKED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

ROOT = Path(__file__).parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"
_skipped: dict[str, list[str]] = {"shared_data": [], "silent": []}


@pytest.fixture(scope="session", autouse=True)
def _orders_are_the_same_in_every_run() -> Iterator[None]:
    """A secret of each store decides who judges what in which order; drawn anew, it would let tests pass by chance."""
    from adjudge.judgments.store import sessions
    from adjudge.judgments.tasks import ORDER_KEY

    drawn = sessions.new_secret
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "new_secret", lambda name: "07" * 32 if name == ORDER_KEY else drawn(name))
        yield


@pytest.fixture(scope="session", autouse=True)
def _what_is_frozen_stays_so() -> Iterator[None]:
    """A server that ends in this process would hand all that was collected back to the cycle collector."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "unfreeze", lambda: None)
        yield


@pytest.fixture
def secrets_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As outside of tests: every store has secrets of its own."""
    from adjudge.judgments.store import sessions

    monkeypatch.setattr(sessions, "new_secret", lambda name: secrets.token_hex(sessions.BYTES))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--approve", action="store_true", help="Write what tests say into tests/approved.")


@pytest.fixture
def approved(request: pytest.FixtureRequest) -> Approved:
    """`approved(text)`: the text is the one that was approved (tests/approving.py)."""
    return Approved(request.path, request.node.name, rewrite=request.config.getoption("--approve"))


@pytest.fixture
def check_page(request: pytest.FixtureRequest) -> approving.CheckPage:
    """`check_page("anova.md", "anova", run)`: the page shows what its commands print (tests/approving.py)."""
    return partial(approving.check_page, rewrite=request.config.getoption("--approve"))


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data; use it with @pytest.mark.shared_data."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs ../shared/data")
    return SHARED_DATA


@pytest.fixture(scope="session")
def once(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, Callable[[Path], object]], Path]]:
    """A folder that whoever needs it first fills, for all workers of a run: copy it before changing it.

    At the end of a run every worker looks whether the folders that it used are as they were filled.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    used: set[str] = set()

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        folder = base / f"once-{name}"
        with FileLock(base / f"once-{name}.lock"):
            if not folder.is_dir():
                scratch = base / f"once-{name}-{os.getpid()}"
                scratch.mkdir()
                fill(scratch)
                (base / f"once-{name}.json").write_text(json.dumps(digests(scratch)), encoding="utf-8")
                scratch.rename(folder)
        used.add(name)
        return folder

    yield made
    for name in sorted(used):
        filled = json.loads((base / f"once-{name}.json").read_text(encoding="utf-8"))
        assert digests(base / f"once-{name}") == filled, (
            f"a test changed the folder of all tests: once-{name}"
        )


def digests(folder: Path) -> dict[str, str]:
    """Every file of a folder, but for those that come and go while it is read."""
    passing = (".lock", "-wal", "-shm", "-journal")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(passing)
    }


@pytest.fixture(scope="session")
def judged_demo(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The demo with its simulated judgments, as `adjudge demo --judged` makes it; tests get copies."""

    def fill(folder: Path) -> None:
        from adjudge.demo.build import build
        from adjudge.demo.judged import add_judgments

        build(folder / "e")
        add_judgments(Evaluation.open(folder / "e"))

    return once("judged-demo", fill) / "e"


@pytest.fixture(scope="session")
def judged_few(once: Callable[[str, Callable[[Path], object]], Path], judged_demo: Path) -> Path:
    """The first five topics of the judged demo: for tests that need its judgments and not its numbers; tests get
    copies."""
    return once("judged-few", lambda folder: few_topics(shutil.copytree(judged_demo, folder / "e"))) / "e"


def few_topics(path: Path) -> Path:
    """A copy of the demo, left with its first five topics."""
    kept = [f"d{number:02}" for number in range(1, 6)]
    for file in set(path.glob("*.jsonl")) - {path / "systems.jsonl"}:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text(
            "".join(line for line in lines if json.loads(line)["topic"] in kept), encoding="utf-8"
        )
    if not (path / "judgments.sqlite").exists():
        return path
    with closing(sqlite3.connect(path / "judgments.sqlite", isolation_level=None)) as connection:
        others = f"SELECT id FROM task WHERE topic NOT IN ({', '.join('?' * len(kept))})"
        connection.execute(f"DELETE FROM event WHERE task IN ({others})", kept)
        connection.execute(f"DELETE FROM task WHERE id IN ({others})", kept)
        connection.execute("VACUUM")
    return path


@pytest.fixture(scope="session")
def full_demo(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The demo that has everything, as `adjudge demo --full` makes it; tests get copies."""

    def fill(folder: Path) -> None:
        from tests.cli.running import called

        done = called(folder, "demo", "my-eval", "--full")
        assert done.returncode == 0, done.stderr
        assert "pairs of summaries: " in done.stdout

    return once("full-demo", fill) / "my-eval"


@pytest.fixture(scope="session")
def shown(once: Callable[[str, Callable[[Path], object]], Path], full_demo: Path) -> Path:
    """The folder of `my-eval`: the full demo with a learned judge, and scored; nobody changes it."""
    from tools.figures_evaluation import adjudge, fill

    def run(folder: Path, *words: str) -> object:
        if words == ("demo", "my-eval", "--full"):
            return shutil.copytree(full_demo, folder / "my-eval")
        return adjudge(folder, *words)

    return once("figures", partial(fill, run=run))


@pytest.fixture(scope="session")
def summeval(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """SummEval's real file as an evaluation; use it with @pytest.mark.shared_data, and copy it before changing it."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs ../shared/data")

    def fill(folder: Path) -> None:
        from adjudge.formats.summeval import read

        file = SHARED_DATA / "summeval" / "model_annotations.12systems.jsonl"
        Evaluation.init(folder / "summeval").take(read([file]))

    return once("summeval", fill) / "summeval"


@pytest.fixture
def rng() -> random.Random:
    """Draws samples of what `make test-all` goes through; what a failed run drew, ADJUDGE_SEED draws again."""
    seed = int(os.environ.get("ADJUDGE_SEED") or random.SystemRandom().randrange(2**32))
    print(f"ADJUDGE_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Evaluation]:
    """An evaluation with the rows given: `make(Summary("t1", "a", "A text."), ...)`."""

    def evaluation(*rows: Row, name: str = "eval") -> Evaluation:
        e = Evaluation.init(tmp_path / name)
        e.take(("test", row) for row in rows)
        return e

    return evaluation


@pytest.fixture
def small(make: Callable[..., Evaluation]) -> Evaluation:
    """Three topics, two machines, two writers of whom one is a peer too, and documents."""
    rows: list[Row] = [System("ann", kind="human"), System("bob", kind="human")]
    for k, thing in enumerate(("storm", "strike", "race"), 1):
        topic = f"t{k}"
        rows += [
            Topic(topic, title=f"A {thing}", task="multi"),
            Document(topic, "d1", f"The {thing} began on Monday. It was a long one.", "2024-01-01"),
            Document(topic, "d2", f"On Tuesday the {thing} ended. Nobody was hurt.", "2024-01-02"),
            Summary(topic, "ann", f"A {thing} began Monday and ended Tuesday.", 10, ("peer", "reference")),
            Summary(topic, "bob", f"The {thing} lasted two days; nobody was hurt.", 10, ("reference",)),
            Summary(topic, "good", f"The {thing} began on Monday and ended on Tuesday.", 10),
            Summary(topic, "poor", f"Something about number {k} happened.", 10),
        ]
    return make(*rows)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes, but for the lock, which may stay."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != ".lock")
    return {str(p.relative_to(folder)): p.read_bytes() for p in found}


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    return files_of


def pytest_collection_finish() -> None:
    """Ten thousand tests and all modules stay to the end: the cycle collector need not walk them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
    gc.enable()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped["shared_data" if "shared_data" in report.keywords else "silent"].append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped["silent"].append(report.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that skips without needing the shared data fails the run."""
    if _skipped["silent"] and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"{len(_skipped['shared_data'])} tests skipped for want of shared data")
    for nodeid in _skipped["silent"]:
        terminalreporter.write_line(f"SKIPPED IN SILENCE, which fails the run: {nodeid}", red=True)


@pytest.fixture(autouse=True)
def _no_terminal_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output does not depend on who runs the tests."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
