"""Full disks and kills, at every step of every command that writes: the old state or the new one, and one line."""

from __future__ import annotations

import builtins
import errno
import gc
import io
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest
from tests.cli.running import call, called
from tests.waiting import HANG

import adjudge
from adjudge.cli import main
from adjudge.data.layout import HISTORY, PENDING_EDIT, PENDING_IMPORT, STAGING
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.database import Database
from adjudge.judgments.store.records import records

WRITING = {
    "import": "import csv more.csv E",
    "replace": "import csv again.csv E --replace",
    "import scores": "import scores scores.csv E",
    "units": "units E --all",
    "score": "score E -m rouge-1 -m rouge-2",
    "baselines": "baselines E --length 5",
    "withdraw": "withdraw E --system b --why wrong",
    "rename": "rename E --system b --to c --why better",
    "remove": "remove E --system b --why gone",
    "undo": "undo E",
    "undo a renaming": "undo E",
    "redo a removal": "undo E --redo",
    "assign": "assign E --protocol duc-2002 --assessor dora",
    "judgments": "judgments import crowd crowd.csv E --aspect fluency",
    "remove judgments": "judgments remove E --protocol rating --why pilot",
    "simulate": "judge simulate E --protocol rating --assessors 2 --seed 2",
    "people": "people add E zoe",
    "compare": "compare E -m rouge-1 --csv E/out.csv",
    "scores": "scores E --csv E/out.csv",
    "export": "judgments export E E/out.jsonl",
    "backup": "judgments backup E E/copy.sqlite",
    "report": "report E -o E/report",
    "init": "init E/new",
    "demo": "demo E/new",
}


EXTRA = {
    "t1": {"a": "Trees fell.", "b": "", "ref": "Trees fell."},
    "t2": {"a": "", "b": "Roads were wet.", "ref": "Roads were closed."},
    "t3": {"a": "Roofs flew away.", "b": "Roofs flew away.", "ref": "Nobody slept."},
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation with texts, units, scores and judgments, and files to import beside it."""
    place = tmp_path_factory.mktemp("small")
    e = Evaluation.init(place / "E", name="small")
    texts = {
        "a": "A storm hit the coast. It rained.",
        "b": "Rain fell on the town.",
        "ref": "A storm hit the town.",
    }
    rows = [
        *(Topic(topic) for topic in ("t1", "t2", "t3")),
        *(System(system) for system in texts),
        *(
            Document(topic, "d1", "A storm hit the town on the coast. Rain fell.")
            for topic in ("t1", "t2", "t3")
        ),
        *(
            Summary(
                topic,
                system,
                f"{text} {more[system]}",
                roles=("reference",) if system == "ref" else ("peer",),
            )
            for topic, more in EXTRA.items()
            for system, text in texts.items()
        ),
    ]
    e.take(("test", row) for row in rows)
    e.units()
    e.score("rouge-1")
    e.simulate_judgments("rating", assessors=1)
    (place / "more.csv").write_text("topic,system,text\nt1,d,Wind and rain.\nt4,d,More wind.\n")
    (place / "again.csv").write_text("topic,system,text\nt1,b,Rain fell on the town at night.\n")
    (place / "scores.csv").write_text("measure,topic,system,value\nown,t1,a,1\nown,t1,b,2\nown,t2,a,3\n")
    (place / "crowd.csv").write_text("task,worker,label\nt1/a,w1,3\nt9/x,w1,1\n")
    return place


@pytest.fixture(scope="module")
def starts(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What a command starts from: the small evaluation, or what it was made into first."""
    first = {
        "undo a renaming": ("rename E --system b --to c --why better", "score E -m rouge-2"),
        "redo a removal": (
            "judgments remove E --protocol rating --why pilot",  # an answer would keep the system
            "assign E --protocol rating --assessor dora",
            "remove E --system b --topic t2 --why gone",
            "undo E",
        ),
        "assign": ("undo E",),  # the units
    }
    made: dict[str, Path] = {}

    def start(command: str) -> Path:
        if command not in first:
            return small
        if command not in made:
            made[command] = tmp_path_factory.mktemp("first") / "place"
            copytree(small, made[command])
            with adjudge.open(made[command] / "E").store() as store:
                store.people.add("dora")
            for line in first[command]:
                done = called(made[command], *line.split())
                assert done.returncode == 0, done.stderr
        return made[command]

    return start


def state(folder: Path) -> tuple[Any, ...]:
    """Everything that there is, after the next to come has finished what was left."""
    e = adjudge.open(folder)
    for name in (STAGING, PENDING_EDIT, PENDING_IMPORT):
        path = folder / name
        assert name == STAGING or not path.exists()
    with e.store() as store:
        kept = [{k: v for k, v in r.items() if k not in ("received_at", "pseudonym")} for r in records(store)]
        accounts = [account.person for account in store.accounts.all()]
    drawn = {"id": None}  # of tasks that `assign` makes
    kept = [{**r, **drawn} if r.get("protocol") == "duc-2002" else r for r in kept]
    kept = sorted(({**r, "renamed": None} for r in kept), key=repr)
    files = {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.startswith((".", "judgments.sqlite"))
        and not {STAGING, HISTORY} & set(path.parts)
        and not any(part.startswith(".adjudge-") for part in path.parts)
    }
    return files, kept, accounts


def _content(path: Path) -> object:
    """What a file says; databases are different bytes each time, and reports and changes say when."""
    if path.suffix == ".sqlite":
        return "a database"
    if path.suffix in (".html",) or path.name == "changes.jsonl":
        return path.stat().st_size > 0
    return path.read_bytes()


def words_of(command: str) -> list[str]:
    return WRITING[command].split()


# Processes of their own


def forked(place: Path, words: list[str]) -> tuple[int, str, list[str]]:
    """A command's exit code and messages, and the modules that it had loaded at its end."""
    processes = multiprocessing.get_context("fork")
    receive, send = processes.Pipe(duplex=False)

    def run() -> None:
        gc.disable()  # it would copy every page of this process
        done = called(place, *words)
        send.send((done.returncode, done.stderr, list(sys.modules)))
        os._exit(0)

    child = processes.Process(target=run)
    child.start()
    send.close()
    result: tuple[int, str, list[str]] = receive.recv()
    child.join(HANG)
    return result


def load_for(place: Path, words: list[str]) -> None:
    """Load what a command loads: children forked later would spend most of their time on it, every one again.

    The command itself runs in a child: this process takes over no threads and no caches from it.
    """
    *_, modules = forked(place, words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            with suppress(ImportError):
                import_module(name)


def before(start: Path, place: Path, words: list[str]) -> tuple[Any, ...]:
    """The state of a copy at `place` before a command, which can be forked quickly from now on."""
    copytree(start, place)
    load_for(place, words)
    rmtree(place)
    copytree(start, place)
    return state(place / "E")


# Step by step


class Faults:
    """Counts what a process does to the disk and to the store; one of these steps fails, or is the last."""

    def __init__(self, step: int, how: str):
        self.step, self.how, self.seen = step, how, 0

    def counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kw: Any) -> Any:
            self.count()
            return real(*args, **kw)

        return call

    def count(self) -> None:
        self.seen += 1
        if self.seen == self.step and self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "full" and self.step and self.seen >= self.step:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def install(self) -> None:
        """Space is needed to open for writing, to write, to sync, to make folders, to rename; not to remove.

        A kill can come before each of these, in the middle of a file, before removals, and around commits of the store.
        """
        real = io.open

        def opened(file: Any, mode: str = "r", *args: Any, **kw: Any) -> Any:
            if isinstance(file, int) or not set(mode) & set("wxa+"):
                return real(file, mode, *args, **kw)
            if "+" not in mode:
                self.count()
            stream = real(file, mode, *args, **kw)
            if self.how == "kill":
                self.interrupt(stream)
            return stream

        io.open = builtins.open = opened
        for name in ("fsync", "mkdir", "replace", "rename", "link"):
            setattr(os, name, self.counted(getattr(os, name)))
        if self.how == "kill":
            for name in ("unlink", "remove", "rmdir"):
                setattr(os, name, self.counted(getattr(os, name)))
            Database.writing = self.around(Database.writing)  # type: ignore[method-assign]

    def interrupt(self, stream: Any) -> None:
        """A step with half of the first piece on the disk."""
        write = stream.write

        def half(piece: Any) -> Any:
            stream.write = write
            middle = len(piece) // 2
            write(piece[:middle])
            stream.flush()
            self.count()
            write(piece[middle:])
            return len(piece)

        stream.write = half

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Steps before a transaction of the store, before its commit and after it."""

        @contextmanager
        def writing(database: Database) -> Iterator[Any]:
            self.count()
            with real(database) as connection:
                yield connection
                self.count()
            self.count()

        return writing


def run_with_faults(place: Path, words: list[str], step: int, how: str, send: Connection) -> None:
    gc.disable()  # it would copy every page of the process that was forked
    faults = Faults(step, how)
    faults.install()
    done = called(place, *words)
    send.send((done.returncode, done.stderr, faults.seen))
    send.close()
    os._exit(0)


def stopped_at(start: Path, place: Path, words: list[str], step: int, how: str) -> tuple[int, str, int]:
    """A command's exit code and messages, and how many steps it made; -9, none and 0 where it was killed."""
    rmtree(place)
    copytree(start, place)
    processes = multiprocessing.get_context("fork")
    receive, send = processes.Pipe(duplex=False)
    child = processes.Process(target=run_with_faults, args=(place, words, step, how, send))
    child.start()
    send.close()
    try:
        done: tuple[int, str, int] = receive.recv()
    except EOFError:
        done = -9, "", 0
    child.join(HANG)
    return done


def check_steps(start: Path, place: Path, command: str, how: str, some: random.Random | None) -> int:
    """Stops a command at every step, or at some. After `full`, nothing can be written; after `kill`, all can."""
    words, stopped = words_of(command), []
    old = before(start, place, words)
    code, said, count = stopped_at(start, place, words, 0, how)
    assert code == 0, said
    new = state(place / "E")
    if command not in ("people", "simulate"):  # links are drawn
        assert new != old
    for step in (
        range(1, count + 1) if some is None else sorted(some.sample(range(1, count + 1), min(3, count)))
    ):
        code, said, _ = stopped_at(start, place, words, step, how)
        if code == 0:  # what it drew needed fewer steps, or a file that could not be removed was let be
            continue
        lines = [line for line in said.splitlines() if not line.startswith("note: ")]
        if how == "full":
            assert code == 1, (step, said)
            assert len(lines) == 1, (step, said)
            assert "Traceback" not in said
        stopped.append((step, state(place / "E"), lines))
    for step, then, lines in stopped:
        if command == "report":  # several files, each of them whole
            assert then[1:] == old[1:]
        elif then != old:
            assert how == "kill" or "was made" in lines[0] or "is finished when" in lines[0], (step, lines)
            assert then[1:] == new[1:] or command in ("people", "simulate"), step
            assert then[0] == new[0] or command in ("people", "simulate"), step
    assert stopped or not count or some or command in ("people", "simulate", "remove judgments")
    return len(stopped)


POINTS = {
    "import": 50,
    "replace": 45,
    "import scores": 40,
    "units": 28,
    "score": 16,
    "baselines": 48,
    "withdraw": 52,
    "rename": 78,
    "remove": 78,
    "undo": 25,
    "undo a renaming": 82,
    "redo a removal": 75,
    "assign": 36,
    "judgments": 45,
    "remove judgments": 34,
    "simulate": 3,
    "people": 3,
    "compare": 5,
    "scores": 5,
    "export": 32,
    "backup": 3,
    "report": 36,
    "init": 5,
    "demo": 60,
}
"""At how many points each command is killed, at least."""


def test_there_are_at_least_505_points_to_be_killed_at() -> None:
    assert POINTS.keys() == WRITING.keys()
    assert sum(POINTS.values()) >= 505


@pytest.mark.slow
@pytest.mark.parametrize("how", ["kill", "full"])
@pytest.mark.parametrize("command", WRITING)
def test_every_step(starts: Callable[[str], Path], tmp_path: Path, command: str, how: str) -> None:
    count = check_steps(starts(command), tmp_path / "place", command, how, None)
    print(f"{command}: {count} points, {how}")
    assert how == "full" or count >= POINTS[command]


@pytest.mark.parametrize("how", ["kill", "full"])
def test_some_steps(starts: Callable[[str], Path], tmp_path: Path, how: str, rng: random.Random) -> None:
    for command in rng.sample(sorted(WRITING), 4):
        print(command)
        check_steps(starts(command), tmp_path / command / "place", command, how, rng)


# A real disk that is full


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where this may be had."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(path)], check=False, capture_output=True
    )
    yield path
    if mounted.returncode == 0:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill(disk: Path, pages: int) -> None:
    """Leave so many pages, or none at all, where it is a disk of its own."""
    with (disk / "ballast").open("wb") as out:
        free = os.statvfs(disk).f_bavail - pages
        out.write(bytes(max(free, 0) * 4096))


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk(starts: Callable[[str], Path], disk: Path, command: str) -> None:
    check_full_disk(starts, disk, command)


def test_some_full_disks(starts: Callable[[str], Path], disk: Path, rng: random.Random) -> None:
    for command in rng.sample(sorted(WRITING), 6):
        print(command)
        check_full_disk(starts, disk, command)


def check_full_disk(starts: Callable[[str], Path], disk: Path, command: str) -> None:
    if not os.path.ismount(disk):
        return  # only root may mount; the tests above do without
    place = disk / "place"
    rmtree(place, ignore_errors=True)
    old = before(starts(command), place, words_of(command))
    for pages in (0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 400, 800):
        rmtree(place)
        copytree(starts(command), place)
        fill(disk, pages)
        done = forked(place, words_of(command))[:2]
        (disk / "ballast").unlink()
        now = state(place / "E")
        if done[0] == 0:
            break
        said = [line for line in done[1].splitlines() if not line.startswith("note: ")]
        assert done[0] == 1, (pages, done)
        assert len(said) == 1, (pages, said)
        assert now == old or "was made" in said[0] or "is finished when" in said[0], (pages, said)
    else:
        pytest.fail("no end")
    assert pages > 0 or command in ("people", "remove judgments")


# Where the message cannot be printed


@pytest.mark.parametrize("end", [">/dev/full", "2>/dev/full", ">/dev/full 2>&1", ">&-", "2>&-", ">&- 2>&-"])
def test_output_that_cannot_be_written(small: Path, tmp_path: Path, end: str) -> None:
    place = tmp_path / "place"
    copytree(small, place)
    for line, code in (
        (f"show E {end}", 1 if end.startswith(">/dev/full") else 0),
        (f"show nowhere {end}", 1),
    ):
        shell = f"{sys.executable} -m adjudge {line}"
        done = subprocess.run(["sh", "-c", shell], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == code, (line, done)
        assert len(done.stderr.splitlines()) <= 1
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "encoding",
    [
        "ascii",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("cp1252", "utf-8", "latin-1", "cp437")),
    ],
)
def test_any_encoding_will_do(
    small: Path, tmp_path: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that no such encoding has; JSON stays JSON, and a table for programs is in UTF-8 then."""
    import json

    place = tmp_path / "place"
    copytree(small, place)
    names = "\u2264\u65e5\U0001f600"
    assert called(place, "rename", "E", "--system", "b", "--to", names, "--why", "\u2265").returncode == 0
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    for line in (
        "topics E -m rouge-1",
        "plan E -m rouge-1 --difference 0.1 --simulations 50",
        "compare E",
        "show E",
        "check E",
        "--help",
    ):
        code, error = forked_in(encoding, place, line.split())
        assert code == 0, (line, error)
        assert b"UnicodeEncodeError" not in error
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", "compare", "E", "--json"],
        cwd=place,
        capture_output=True,
        check=True,
    )
    assert names in json.dumps(json.loads(done.stdout.decode(encoding)), ensure_ascii=False)
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", "scores", "E", "--csv", "-"],
        cwd=place,
        capture_output=True,
        check=True,
    )
    assert names in done.stdout.decode("utf-8")


def forked_in(encoding: str, place: Path, words: list[str]) -> tuple[int | None, bytes]:
    """A command's exit code and messages, with streams such as an interpreter has that starts in an encoding."""
    out, error = place / "printed", place / "said"

    def run() -> None:
        os.chdir(place)
        sys.argv = ["adjudge", *words]
        sys.stdout = io.TextIOWrapper(out.open("wb"), encoding=encoding, errors="strict")
        sys.stderr = io.TextIOWrapper(error.open("wb"), encoding=encoding, errors="backslashreplace")
        try:
            main()
        finally:
            sys.stderr.flush()

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(HANG)
    assert out.stat().st_size > 0
    return child.exitcode, error.read_bytes()


def test_a_table_is_written_whole_or_not_at_all(small: Path, tmp_path: Path) -> None:
    """A link is replaced, not followed; a device is written to."""
    place = tmp_path / "place"
    copytree(small, place)
    (place / "mine.txt").write_text("mine")
    (place / "out.csv").symlink_to(place / "mine.txt")
    assert called(place, "scores", "E", "--csv", "out.csv").returncode == 0
    assert (place / "mine.txt").read_text() == "mine"
    assert (place / "out.csv").read_text().startswith("measure,")
    done = call(place, "scores", "E", "--csv", "/dev/stdout")
    assert done.stdout.startswith("measure,")
    done = call(place, "scores", "E", "--csv", "/dev/full")
    assert (done.returncode, done.stderr) == (
        1,
        "adjudge: /dev/full: cannot be written: No space left on device\n",
    )
