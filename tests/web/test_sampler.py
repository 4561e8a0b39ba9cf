"""Which pair comes next: assigned ones first, then open ones, then live ones; each for one person at a time."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.judgments.conftest import BOTH
from tests.waiting import HANG
from tests.web import making
from tests.web.making import Running, answer, send

from adjudge.core.errors import StoreUnavailable
from adjudge.data.folder import Folder
from adjudge.data.rows import Document, Row, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.pairs.sample import ANYONE, sample
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Task
from adjudge.web.pages.organiser import organiser_page
from adjudge.web.pages.pairs import pair_page, sentence, side_text
from adjudge.web.sampler import AHEAD, Quota, TopicLine

PEOPLE = ("ann", "ben", "cem", "dan")
SENTENCES = load_protocol("preference-sentences")


def rows() -> Iterator[Row]:
    """Two topics with twelve sentences each: 66 pairs."""
    animals = ("cats", "dogs", "cows", "bees", "owls", "pigs", "rats", "hens", "apes", "yaks", "elks", "gnus")
    for topic, verb in (("t1", "sleep"), ("t2", "run")):
        yield Topic(topic, title=f"How animals {verb}")
        text = " ".join(f"The {animal} {verb} at night number {n}." for n, animal in enumerate(animals))
        yield Document(topic, "d1", text)


@pytest.fixture(scope="session")
def animals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("animals") / "evaluation"
    evaluation = Evaluation.init(path)
    evaluation.take(("test", row) for row in rows())
    with store_of(making.settle(evaluation, name="Animals")) as store:
        for person in PEOPLE:
            store.accounts.add(person)
    return path


@pytest.fixture
def copy(animals: Path, tmp_path: Path) -> Evaluation:
    path = tmp_path / "animals"
    shutil.copytree(animals, path)
    return Evaluation.open(path)


Start = Callable[..., Running]


@pytest.fixture
def start(copy: Evaluation) -> Iterator[Start]:
    """Starts the app with settings of [judging]; `before` is what happens to the store first."""
    opened: list[Any] = []

    def begin(before: Callable[[Evaluation], None] = lambda _: None, **judging: Any) -> Running:
        folder = making.settle(copy, name="Animals", **judging)
        before(Evaluation.open(folder.path))
        opened.append(making.running(folder))
        found: Running = opened[-1].__enter__()
        return found

    yield begin
    for each in opened:
        each.__exit__(None, None, None)


def pair_of(task: Task) -> tuple[str, frozenset[str]]:
    return task.topic, frozenset(task.hashes.values())


def next_for(app: Running, person: str, count: int = 1, have: tuple[str, ...] = ()) -> list[Task]:
    found: list[Task] = app.app.state.sampler.next_for(person, count, frozenset(have))
    return found


def decide(app: Running, person: str, task: Task, winner: str = "left") -> None:
    receipt = send(app.client(person), answer(app.key(task), "preference", {"winner": winner}))
    assert receipt["refused"] == []


def test_pairs_of_the_page(start: Start) -> None:
    """What a browser gets: two sentences of a topic without headers, and no more than it asked for."""
    app = start()
    client = app.client("ann")
    found = client.post("/api/pairs/next", json={"count": 3}).json()
    assert len(found["pairs"]) == 3
    assert (found["done"], found["of"]) == (0, None)
    for pair in found["pairs"]:
        (left,), (right,) = pair["left"], pair["right"]
        assert left != right
        assert left.startswith("The ")
        assert right.startswith("The ")
        assert (pair["tie"], pair["skip"]) == (False, True)
    again = client.post("/api/pairs/next", json={"count": 3}).json()
    have = [pair["task"] for pair in found["pairs"]]
    assert {pair["task"] for pair in again["pairs"]} == set(have), "what is not answered is there still"
    more = client.post("/api/pairs/next", json={"count": 3, "have": have}).json()
    assert not set(have) & {pair["task"] for pair in more["pairs"]}
    send(client, answer(have[0], "preference", {"winner": "skip"}))
    assert client.post("/api/pairs/next", json={"count": 1}).json()["done"] == 1
    assert "1 answered by you" in client.get("/work").text


def test_a_sentence_is_shown_where_it_stands_now(start: Start) -> None:
    """A task that was made before a document was edited around its sentences shows the same two."""
    app = start()
    (task,) = next_for(app, "ann")
    before = pair_page(app.site, task)
    documents = app.site.collection.documents[task.topic]
    documents[:] = [replace(document, text=f"Something new. {document.text}") for document in documents]
    assert app.site.changed(task) is None
    assert pair_page(app.site, task) == before


def test_a_header_is_no_sentence(start: Start) -> None:
    app = start(pairs_per_topic=1000)
    for documents in app.site.collection.documents.values():
        (document,) = documents
        documents[0] = replace(document, text=f"<DOCNO> secret </DOCNO>\n\n{document.text}")
    header = {"document": "d1", "start": 0, "end": 23}
    assert [side_text(app.site, "t1", header), sentence(app.site, "t1", header)] == [("…",), ""]
    found = [next_for(app, person, 100) for person in PEOPLE]
    pages = [pair_page(app.site, task) for mine in found for task in mine]
    assert len(pages) == 2 * 66
    assert all(words.startswith("The ") for page in pages for words in (*page.left, *page.right))


@pytest.mark.parametrize("database", BOTH)
def test_people_who_ask_at_once_never_get_the_same_pair(
    request: pytest.FixtureRequest, copy: Evaluation, database: str
) -> None:
    """Four people, from as many threads, on two servers; there are fewer pairs than they ask for."""
    folder = copy.folder
    if database == "postgresql":
        address: str = request.getfixturevalue("new_database")
        folder = making.settle(copy, name="Animals", database=address)
        with store_of(folder) as store:
            for person in PEOPLE:
                store.accounts.add(person)
    with making.running(folder) as one, making.running(folder) as two:
        got: dict[str, list[Task]] = {person: [] for person in PEOPLE}
        errors: list[BaseException] = []
        gate = threading.Barrier(len(PEOPLE))

        def ask(person: str, app: Running) -> None:
            try:
                gate.wait()
                for _ in range(4):
                    have = tuple(app.key(task) for task in got[person])
                    got[person] += next_for(app, person, 5, have)
            except BaseException as error:
                errors.append(error)

        threads = [
            threading.Thread(target=ask, args=(person, (one, two)[n % 2])) for n, person in enumerate(PEOPLE)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        pairs = [pair_of(task) for mine in got.values() for task in mine]
        assert len(pairs) == 80
        assert len(set(pairs)) == 80
        assert all(task.assessor == person for person, mine in got.items() for task in mine)


def test_a_pair_is_somebody_elses_when_its_lease_is_over(start: Start) -> None:
    app = start(pairs_per_topic=1, lease_minutes=30)
    mine = next_for(app, "ann", 5)
    assert len(mine) == 2, "one of each topic"
    assert next_for(app, "ben", 5) == []
    decide(app, "ann", mine[0])
    app.clock.move(minutes=29)
    assert next_for(app, "ben", 5) == []
    app.clock.move(minutes=2)
    (late,) = next_for(app, "ben", 5)
    assert pair_of(late) == pair_of(mine[1]), "the answered one stays Ann's"
    assert (late.left, late.right) == (mine[1].left, mine[1].right)
    assert next_for(app, "cem", 5) == []
    decide(app, "ann", mine[1])  # she was slow, but her answer is an answer
    decide(app, "ben", late)
    app.clock.move(days=1)
    assert next_for(app, "cem", 5) == []


def test_a_comment_alone_does_not_decide_a_pair(start: Start) -> None:
    app = start(pairs_per_topic=1)
    mine = next_for(app, "ann", 2)
    send(app.client("ann"), *(answer(app.key(task), "comment", {"text": "hard"}) for task in mine))
    assert {task.id for task in next_for(app, "ann", 2)} == {task.id for task in mine}
    app.clock.move(minutes=31)
    assert {pair_of(task) for task in next_for(app, "ben", 2)} == {pair_of(task) for task in mine}


def test_assigned_pairs_come_first(start: Start) -> None:
    def assigned(evaluation: Evaluation) -> None:
        with store_of(evaluation.folder) as store:
            sample(evaluation.collection, store, SENTENCES, count=2, assessors=["ann"], seed=3)

    app = start(assigned)
    there = app.tasks("ann", "preference-sentences")
    assert len(there) == 4
    assert next_for(app, "ann", 4) == there
    assert len(app.site.store.tasks()) == 4, "nothing is drawn before it is needed"
    found = next_for(app, "ann", 6)
    assert found[:4] == there
    assert len({pair_of(task) for task in found}) == 6, "what is drawn is something else"
    assert not {pair_of(task) for task in there} & {pair_of(task) for task in next_for(app, "ben", 20)}


def test_open_tasks_are_handed_out(start: Start) -> None:
    """`adjudge prefer sample` without assessors: pairs for whoever comes, each for two people."""

    def opened(evaluation: Evaluation) -> None:
        with store_of(evaluation.folder) as store:
            sample(evaluation.collection, store, SENTENCES, count=3, per_pair=2, seed=3)

    app = start(opened, pairs_per_topic=3)
    wanted = {pair_of(task) for task in app.site.store.tasks(assessor=ANYONE)}
    assert len(wanted) == 6
    for person in ("ann", "ben"):
        mine = next_for(app, person, 20)
        assert {pair_of(task) for task in mine} == wanted
        assert len(mine) == 6, "nobody gets a pair twice"
        for task in mine:
            decide(app, person, task)
    assert next_for(app, "cem", 20) == []
    assert app.app.state.sampler.offer("ann").done == 6


def test_no_more_pairs_are_asked_than_there_should_be(start: Start) -> None:
    app = start(pairs_per_topic=7)
    got: list[list[Task]] = []
    gate = threading.Barrier(4)

    def ask(person: str) -> None:
        gate.wait()
        got.append(next_for(app, person, 20))

    threads = [threading.Thread(target=ask, args=(person,)) for person in PEOPLE]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tasks = [task for mine in got for task in mine]
    assert sorted(task.topic for task in tasks) == ["t1"] * 7 + ["t2"] * 7
    assert len({pair_of(task) for task in tasks}) == 14


def test_every_pair_can_be_asked_and_then_there_is_none(start: Start) -> None:
    app = start(pairs_per_topic=1000)
    have: tuple[str, ...] = ()
    pairs = set()
    while found := next_for(app, "ann", 20, have):
        have += tuple(app.key(task) for task in found)
        pairs |= {pair_of(task) for task in found}
    assert len(have) == len(pairs) == 2 * 66


def test_a_refit_puts_telling_pairs_in_line(start: Start) -> None:
    app = start(next_pair="information")
    line: TopicLine = app.app.state.sampler.live[0]
    line.refit()
    first = list(line._ready)
    assert len(first) == AHEAD
    line.refit()
    assert line._ready == first, "without an answer there is nothing new to fit"
    taken = line.take()
    assert taken is not None
    assert line.pool is not None
    assert frozenset(line.pool.pair(taken) or ()) == frozenset(first[0])
    (mine,) = [task for task in next_for(app, "ann", 20) if pair_of(task) == pair_of(taken)]
    decide(app, "ann", mine)
    line.refit()
    assert line._ready != first
    assert frozenset(first[0]) not in {frozenset(pair) for pair in line._ready}
    assert len(set(map(frozenset, line._ready))) == len(line._ready)


def test_answers_wake_the_thread_that_refits(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    refitted = threading.Event()
    monkeypatch.setattr(TopicLine, "refit", lambda self: refitted.set())
    app = start()
    (task,) = next_for(app, "ann")
    decide(app, "ann", task)
    assert refitted.wait(HANG)


def test_chosen_at_random_nothing_is_put_in_line(start: Start) -> None:
    app = start(next_pair="random")
    line: TopicLine = app.app.state.sampler.live[0]
    line.refit()
    assert line._ready == []
    assert line.take() is not None


def test_which_sentence_stands_left_is_drawn(start: Start) -> None:
    """The order is the same whoever makes the task, and neither that of the documents nor that of the texts."""
    app = start(pairs_per_topic=66)
    line: TopicLine = app.app.state.sampler.live[0]
    pool = line.pool
    assert pool is not None
    tasks = [line._task(pool, (a, b)) for b in range(len(pool)) for a in range(b)]
    assert [line._task(pool, (b, a)) for b in range(len(pool)) for a in range(b)] == tasks
    earlier = sum(task.left["start"] < task.right["start"] for task in tasks if task.left and task.right)
    hashes = sum(task.hashes["left"] < task.hashes["right"] for task in tasks)
    # 66 fair coins: fewer than 14 or more than 52 heads come once in a million times.
    assert 14 <= earlier <= 52
    assert 14 <= hashes <= 52


def test_a_protocol_of_ones_own_is_sampled_live_too(copy: Evaluation) -> None:
    own = 'name = "mine"\nversion = "1"\nkind = "preference"\ntitle = "Mine"\nof = "sentences"\n'
    (copy.path / "mine.toml").write_text(f'{own}[preference]\nask = "Which?"\n', encoding="utf-8")
    making.settle(copy, name="Animals")
    settings = copy.path / "evaluation.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("preference-sentences", "mine.toml"), encoding="utf-8"
    )
    with making.running(Folder.open(copy.path)) as app:
        pairs = app.client("ann").post("/api/pairs/next", json={"count": 2}).json()["pairs"]
        assert [pair["title"] for pair in pairs] == ["Mine", "Mine"]


def test_progress_is_against_what_is_planned(start: Start) -> None:
    """Two topics of 40 pairs: 25 answers are 25 of 80, however few were drawn so far; and whoever gave them."""
    app = start(pairs_per_topic=40)
    for _ in range(5):
        for task in next_for(app, "ann", 5):
            decide(app, "ann", task)
    given = app.client("ann").post("/api/pairs/next", json={"count": 3}).json()
    assert (given["quota_done"], given["quota"], given["done"], given["of"]) == (25, 80, 25, None)
    assert all(pair["live"] for pair in given["pairs"])
    other = app.client("ben").post("/api/pairs/next", json={"count": 3}).json()
    assert (other["quota_done"], other["quota"], other["done"]) == (25, 80, 0)
    page = organiser_page(app.site, "ann", app.app.state.sampler.quota())
    assert (page.quota, page.tasks) == (Quota(25, 80), 0)
    send(app.client("ann"), answer(app.key(task), "preference", None))
    assert app.app.state.sampler.quota() == Quota(24, 80), "taken back"


def test_simulated_answers_take_nothing_of_what_people_are_asked(start: Start) -> None:
    """The quota is people's: what a program compared is neither answered nor asked."""

    def before(evaluation: Evaluation) -> None:
        with store_of(evaluation.folder) as store:
            for program in ("simulated-1", "simulated-2"):
                sample(evaluation.collection, store, SENTENCES, count=15, assessors=[program], seed=1)
            tasks = store.tasks()
            assert len(tasks) == 60
            made = [
                Event(f"e{n}", store.evaluation, task.id, task.assessor, "preference", {"winner": "left"})
                for n, task in enumerate(tasks)
            ]
            store.append([replace(event, origin="simulated") for event in made])

    app = start(before, pairs_per_topic=10)
    assert app.app.state.sampler.quota() == Quota(0, 20)
    mine = next_for(app, "ann", 50)
    assert len(mine) == 20
    page = organiser_page(app.site, "ann", app.app.state.sampler.quota())
    assert [(each.origin, each.done, each.tasks) for each in page.programs] == [("simulated", 60, 60)]
    assert page.tasks == 0


def test_no_more_is_planned_than_there_is(start: Start) -> None:
    app = start(pairs_per_topic=1000)
    assert app.app.state.sampler.quota() == Quota(0, 2 * 66)


def test_assigned_pairs_are_counted_against_what_is_assigned(evaluation: Evaluation) -> None:
    with making.running(making.settle(evaluation, pairs_per_topic=4)) as app:
        assigned = len(app.tasks("ann", "preference-summaries"))
        given = app.client("ann").post("/api/pairs/next", json={"count": 1}).json()
        assert (given["assigned_done"], given["assigned"]) == (0, assigned)
        (pair,) = given["pairs"]
        assert not pair["live"]
        send(app.client("ann"), answer(pair["task"], "preference", {"winner": "left"}))
        given = app.client("ann").post("/api/pairs/next", json={"count": 1}).json()
        assert (given["assigned_done"], given["quota_done"]) == (1, 0)


def test_an_open_repeat_is_for_who_answered_the_first(start: Start) -> None:
    """Sides swapped, behind the others; nobody else could repeat anything."""

    def before(evaluation: Evaluation) -> None:
        with store_of(evaluation.folder) as store:
            sample(evaluation.collection, store, SENTENCES, count=2, repeats=0.5, how="random", seed=1)

    app = start(before, pairs_per_topic=1)
    planted = [task for task in app.site.store.tasks(assessor=ANYONE) if task.repeat_of]
    assert len(planted) == 2
    mine = next_for(app, "ann", 20)
    assert len(mine) == 4
    assert not any(task.repeat_of for task in mine)
    for task in mine:
        decide(app, "ann", task)
    assert next_for(app, "ben", 20) == [], "he has nothing to repeat"
    again = next_for(app, "ann", 20)
    assert len(again) == 2
    firsts = {task.id: task for task in mine}
    for task in again:
        assert task.repeat_of is not None
        assert (task.left, task.right) == (firsts[task.repeat_of].right, firsts[task.repeat_of].left)
        decide(app, "ann", task)
    assert next_for(app, "ann", 20) == []
    quota = app.app.state.sampler.quota()
    assert (quota.done, quota.of) == (6, 6)


def test_an_organiser_counts_every_pair_once(evaluation: Evaluation) -> None:
    """Live pairs are planned for whoever comes: one that somebody has in hand is not one page more."""
    with making.running(making.settle(evaluation, pairs_per_topic=4)) as app:
        sampler = app.app.state.sampler
        before = organiser_page(app.site, making.ORGANISER, sampler.quota())
        assert before.quota == Quota(0, 3 * 4)
        pairs = sampler.next_for("ann", len(app.tasks("ann", "preference-summaries")) + 3, frozenset())
        drawn = [task for task in pairs if task.protocol == "preference-sentences"]
        assert len(drawn) == 3
        sent = answer(app.key(drawn[0]), "preference", {"winner": "left"})
        assert send(app.client("ann"), sent)["refused"] == []
        page = organiser_page(app.site, making.ORGANISER, sampler.quota())
        assert (page.done, page.tasks, page.quota) == (before.done, before.tasks, Quota(1, 3 * 4))
        assert ANYONE not in page.assessors
        (ann,) = (row for row in page.people if row.id == "ann")
        (was,) = (row for row in before.people if row.id == "ann")
        assert (ann.done, ann.tasks, ann.pairs) == (was.done, was.tasks, 1)
        assert page.cells["ann", drawn[0].topic].words.endswith(" + 1 pair")


def test_the_thread_outlives_what_goes_wrong(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is away, and whatever nobody thought of: the next answer is refitted for all the same."""
    app = start()
    sampler = app.app.state.sampler
    tries: list[str] = []
    came, line = threading.Semaphore(0), sampler.live[0]

    def refit() -> None:
        tries.append("tried")
        came.release()
        if len(tries) < 3:
            raise (StoreUnavailable("away"), RuntimeError("unheard of"))[len(tries) - 1]

    monkeypatch.setattr(line, "refit", refit)
    for _ in range(3):
        sampler.wake()
        assert came.acquire(timeout=HANG)
    assert sampler._thread.is_alive()


def test_a_refit_that_failed_is_made_up_for(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    monkeypatch.setattr(app.app.state.sampler, "wake", lambda: None)
    (task,) = next_for(app, "ann")
    (line,) = (line for line in app.app.state.sampler.live if line.topic == task.topic)
    decide(app, "ann", task)
    with monkeypatch.context() as patch:
        patch.setattr(line, "_tasks", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            line.refit()
    line._ready.clear()
    line.refit()
    assert line._ready
