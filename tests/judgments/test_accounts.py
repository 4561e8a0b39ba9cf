"""Accounts: links and passwords let the right people in, once where once was said, and nobody who is suspended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st
from tests.judgments.making import Clock, a_task, an_event, fill
from tests.properties import examples
from tests.waiting import HANG

from adjudge.core.errors import ClashError, DataError, FormatError, UsageError
from adjudge.judgments.store import accounts, schema
from adjudge.judgments.store.accounts import Account
from adjudge.judgments.store.backup import backup
from adjudge.judgments.store.records import records
from adjudge.judgments.store.sessions import Proof, digest
from adjudge.judgments.store.store import Store, open_store

GOOD = "correct horse"
HOUR = timedelta(hours=1)


class Counting(PasswordHasher):
    """Light parameters, so that tests are quick, and a note of every check."""

    def __init__(self, time_cost: int = 1) -> None:
        super().__init__(time_cost=time_cost, memory_cost=8, parallelism=1)
        self.checked: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
        self.checked.append(str(hash))
        return super().verify(hash, password)


@pytest.fixture
def hasher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    light = Counting()
    monkeypatch.setattr(accounts, "hasher", lambda: light)
    accounts._nobodys.cache_clear()
    yield light
    accounts._nobodys.cache_clear()


def column(store: Store, name: str) -> list[object]:
    table = schema.account
    query = sa.select(table.c[name]).where(table.c.evaluation == store.evaluation).order_by(table.c.person)
    with store.database.reading() as connection:
        return list(connection.scalars(query))


def test_an_account_has_a_link_that_lets_in_its_person(store: Store, clock: Clock) -> None:
    link = store.accounts.add("ann", name="Ann")
    store.accounts.add("zoe", role="organiser")
    assert link.url("http://127.0.0.1:8000/") == f"http://127.0.0.1:8000/in#{link.token}"
    assert len(link.token) == 43  # 256 bits in base 64
    assert link.token not in repr(link)
    clock.move(minutes=5)
    found = store.accounts.by_token(link.token)
    assert found == Account(
        "ann",
        "Ann",
        "assessor",
        "active",
        "2024-05-01T12:00:00.000000Z",
        "2024-05-01T12:00:00.000000Z",
        "2024-05-01T12:05:00.000000Z",
        False,
        False,
        None,
    )
    assert found == store.accounts.get("ann")
    assert found.active
    assert [(a.person, a.role) for a in store.accounts.all()] == [("ann", "assessor"), ("zoe", "organiser")]
    again = store.accounts.by_token(link.token, clock.now + HOUR)
    assert again is not None
    assert again.link_used_at == "2024-05-01T13:05:00.000000Z"


@pytest.mark.parametrize("wrong", ["", "x", "\ud800", "a\0b", "é" * 5000])
def test_other_tokens_let_nobody_in(store: Store, wrong: str) -> None:
    link = store.accounts.add("ann")
    assert store.accounts.by_token(wrong) is None
    assert store.accounts.by_token(link.token[:-1]) is None
    assert store.accounts.by_token(str(column(store, "token_hash")[0])) is None  # what is kept is no token


def test_people_who_are_known_get_accounts_and_nobody_gets_two(store: Store) -> None:
    store.add_tasks([a_task(store)])
    store.accounts.add("ann", name="Ann")
    assert store.people.get("ann").name == "Ann"
    with pytest.raises(ClashError, match='^person "ann": has an account already, as assessor$'):
        store.accounts.add("ann", role="organiser", name="Anna")
    store.people.add("bob", "Bob")
    with pytest.raises(ClashError, match='person "bob": is here already, as "Bob"'):
        store.accounts.add("bob", name="Robert")
    with pytest.raises(UsageError, match='the role is "boss", expected one of: assessor, organiser'):
        store.accounts.add("cem", role="boss")
    with pytest.raises(FormatError, match='"id" is ""'):
        store.accounts.add("")
    for call in (
        store.accounts.get,
        store.accounts.suspend,
        store.accounts.restore,
        store.accounts.renew_link,
    ):
        with pytest.raises(DataError, match=r'^"anne" has no account \(nearest: "ann"\)$'):
            call("anne")
        with pytest.raises(FormatError, match="it holds a character that no database keeps"):
            call("\0")
    assert [account.person for account in store.accounts.all()] == ["ann"]


def test_of_many_who_add_a_person_at_once_one_does(store: Store) -> None:
    done = at_once(8, lambda: store.accounts.add("ann").token)
    assert sum(isinstance(each, ClashError) for each in done) == 7
    (token,) = (each for each in done if isinstance(each, str))
    assert store.accounts.by_token(token) is not None


def at_once(n: int, call: object) -> list[object]:
    """What a function gave, or raised, in so many threads that begin together."""
    together, found = threading.Barrier(n), list[object]()

    def run() -> None:
        together.wait(HANG)
        try:
            found.append(call())  # type: ignore[operator]
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_new_link_ends_the_old_one(store: Store) -> None:
    old = store.accounts.add("ann").token
    session = store.sessions.start("ann", HOUR)
    new = store.accounts.renew_link("ann")
    assert store.accounts.by_token(old) is None
    assert store.accounts.by_token(new) is not None
    assert store.sessions.find(session) is None


def test_a_new_link_ends_the_password_too(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    store.accounts.set_password("ann", GOOD)
    mine, other = (store.sessions.start("ann", HOUR) for _ in range(2))
    store.accounts.renew_link("ann", stay=mine)
    assert store.accounts.check_password("ann", GOOD) is None
    assert not store.accounts.get("ann").has_password
    assert (store.sessions.find(mine) is not None, store.sessions.find(other)) == (True, None)


def test_what_was_replaced_since_it_was_looked_at_begins_no_session(store: Store, hasher: Counting) -> None:
    """Between a look at a link or password and the session it begins, an organiser may end both."""
    token = store.accounts.add("ann").token
    store.accounts.set_password("ann", GOOD)
    link, password = Proof("link", digest(token)), store.accounts.prove("ann", GOOD)
    assert password is not None
    for proof in (link, password):
        found = store.sessions.find(store.sessions.start("ann", HOUR, proof=proof))
        assert found is not None
        assert found.way == proof.way
        assert proof.kept not in repr(proof)
    store.accounts.renew_link("ann")
    for proof in (link, password):
        with pytest.raises(DataError, match='"ann" has no active account'):
            store.sessions.start("ann", HOUR, proof=proof)


def test_setting_a_password_ends_the_other_sessions(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    mine, other = (store.sessions.start("ann", HOUR) for _ in range(2))
    store.accounts.set_password("ann", GOOD, session=mine)
    assert (store.sessions.find(mine) is not None, store.sessions.find(other)) == (True, None)
    with pytest.raises(DataError, match="the session ended before the password was set"):
        store.accounts.set_password("ann", "another password", session=other)
    assert store.accounts.check_password("ann", GOOD) is not None


def test_a_one_time_link_works_once(store: Store) -> None:
    store.accounts.add("ann")
    token = store.accounts.renew_link("ann", once=True)
    first = store.accounts.by_token(token)
    assert first is not None
    assert first.link_once
    assert store.accounts.by_token(token) is None
    assert store.accounts.by_token(store.accounts.renew_link("ann")) is not None


def test_of_many_who_use_a_one_time_link_at_once_one_gets_in(
    store: Store, where: Path | str, evaluation: str, clock: Clock
) -> None:
    """Two stores, as two servers have: each has a writer of its own."""
    store.accounts.add("ann")
    with open_store(where, evaluation, clock=clock) as other:
        for _ in range(5):
            token = store.accounts.renew_link("ann", once=True)
            both = iter([store, other] * 4)
            found = at_once(8, lambda both=both, token=token: next(both).accounts.by_token(token))
            assert [type(each) for each in found if each is not None] == [Account]


def test_whoever_is_suspended_does_not_get_in(store: Store, hasher: Counting) -> None:
    token = store.accounts.add("ann").token
    store.accounts.set_password("ann", GOOD)
    session = store.sessions.start("ann", HOUR)
    assert store.accounts.suspend("ann").state == "suspended"
    assert store.accounts.suspend("ann") == store.accounts.get("ann")
    assert store.accounts.by_token(token) is None
    assert store.accounts.check_password("ann", GOOD) is None
    assert store.sessions.find(session) is None
    with pytest.raises(DataError, match='^"ann" has no active account$'):
        store.sessions.start("ann", HOUR)
    new = store.accounts.renew_link("ann")
    assert store.accounts.by_token(new) is None
    assert store.accounts.restore("ann").active
    assert store.accounts.by_token(new) is not None
    assert store.accounts.check_password("ann", GOOD) is None  # it may be the reason
    assert store.sessions.find(session) is None  # a session that was ended stays so


def test_a_password_lets_in(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    assert store.accounts.check_password("ann", GOOD) is None
    assert store.accounts.set_password("ann", GOOD).has_password
    assert store.accounts.check_password("ann", GOOD) == store.accounts.get("ann")
    for wrong in ("", GOOD + " ", GOOD.upper(), GOOD[:-1], "x" * 2000, "\ud800"):
        assert store.accounts.check_password("ann", wrong) is None
    store.accounts.set_password("ann", "another password")
    assert store.accounts.check_password("ann", GOOD) is None
    with pytest.raises(DataError, match='"bob" has no account'):
        store.accounts.set_password("bob", GOOD)


def test_passwords_are_neither_short_nor_endless_and_never_shown(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    for n in (10, 1000):
        store.accounts.set_password("ann", "é" * n)
        assert store.accounts.check_password("ann", "é" * n) is not None
    with pytest.raises(UsageError, match=r"^the password has 9 characters, expected 10 to 1,000$"):
        store.accounts.set_password("ann", "e\N{COMBINING ACUTE ACCENT}" * 9)  # 18 of them make 9
    with pytest.raises(UsageError, match=r"^the password has 1,001 characters, expected 10 to 1,000$"):
        store.accounts.set_password("ann", "x" * 1001)


def test_a_password_is_the_same_however_its_accents_are_composed(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    store.accounts.set_password("ann", "Ångström-Bøker")
    assert store.accounts.check_password("ann", "A\u030angstro\u0308m-Bøker") is not None
    assert store.accounts.check_password("ann", "Angstrom-Bøker") is None


@examples(50)
@given(st.text(st.characters(), min_size=10, max_size=40))
def test_any_characters_make_a_password(password: str) -> None:
    light = Counting()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "hasher", lambda: light)
        try:
            kept = accounts.hash_password(password)
        except UsageError:
            return  # composed it is too short
        assert accounts.password_fits(kept, password)
        assert not accounts.password_fits(kept, password + "x")


def test_a_name_that_nobody_has_takes_as_much_work_as_a_wrong_password(
    store: Store, hasher: Counting
) -> None:
    """One check of a hash of the same parameters each; time itself is not looked at."""
    for name in ("ann", "bob", "cem"):
        store.accounts.add(name)
    store.accounts.set_password("ann", GOOD)
    store.accounts.set_password("cem", GOOD)
    store.accounts.suspend("cem")
    parameters = set[str]()
    for name in ("ann", "bob", "cem", "nobody", "", "\0"):  # wrong, none, suspended, unknown, no names
        hasher.checked.clear()
        assert store.accounts.check_password(name, "wrong password") is None
        (checked,) = hasher.checked
        parameters.add(checked.rsplit("$", 2)[0])
    assert parameters == {"$argon2id$v=19$m=8,t=1,p=1"}


def test_a_hash_of_yesterdays_parameters_is_made_anew(
    store: Store, hasher: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.accounts.add("ann")
    store.accounts.set_password("ann", GOOD)
    (before,) = column(store, "password_hash")
    assert store.accounts.check_password("ann", GOOD) is not None
    assert column(store, "password_hash") == [before]
    stronger = Counting(time_cost=2)
    monkeypatch.setattr(accounts, "hasher", lambda: stronger)
    assert store.accounts.check_password("ann", "wrong password") is None
    assert column(store, "password_hash") == [before]
    assert store.accounts.check_password("ann", GOOD) is not None
    assert "t=2" in str(column(store, "password_hash")[0])
    assert store.accounts.check_password("ann", GOOD) is not None


def test_the_hasher_is_argon2id_with_the_librarys_parameters() -> None:
    kept = accounts.hasher().hash(GOOD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106's second choice; argon2-cffi 25.1
    assert accounts.password_fits(kept, GOOD)
    assert not accounts.password_outdated(kept)
    assert not accounts.password_fits("not a hash", GOOD)


def test_the_first_organiser_gets_a_link_until_one_was_used(store: Store) -> None:
    first = store.accounts.first_organiser_link()
    second = store.accounts.first_organiser_link("boss")  # it waits for "organiser" all the same
    assert first is not None
    assert second is not None
    assert store.accounts.by_token(first) is None
    found = store.accounts.by_token(second)
    assert found is not None
    assert (found.person, found.role, found.link_once) == ("organiser", "organiser", True)
    assert store.accounts.by_token(second) is None
    assert store.accounts.first_organiser_link() is None
    assert store.accounts.by_token(store.accounts.renew_link("organiser")) is not None  # the way back


def test_no_first_link_where_an_organiser_has_another_way_in(store: Store, hasher: Counting) -> None:
    store.accounts.add("ann")
    assert store.accounts.first_organiser_link("boss") is not None
    store.accounts.set_password("boss", GOOD)
    assert store.accounts.first_organiser_link("boss") is None
    store.accounts.add("zoe", role="organiser")
    assert store.accounts.first_organiser_link() is None
    store.accounts.suspend("boss")
    assert store.accounts.first_organiser_link() is None


def test_the_first_organiser_takes_nobodys_account(store: Store) -> None:
    store.accounts.add("organiser")
    with pytest.raises(ClashError, match='person "organiser": has an account already, as assessor'):
        store.accounts.first_organiser_link()


def test_erasing_a_name_removes_all_ways_in(store: Store, hasher: Counting) -> None:
    fill(store)
    token = store.accounts.add("ann", role="organiser").token
    other = store.accounts.add("bob").token
    store.accounts.set_password("ann", GOOD)
    session, others = store.sessions.start("ann", HOUR), store.sessions.start("bob", HOUR)
    with pytest.raises(DataError, match='no person "anne"'):
        store.people.erase_name("anne")
    assert store.people.erase_name("ann").id == "p-one"
    assert store.accounts.by_token(token) is None
    assert store.sessions.find(session) is None
    for name in ("ann", "p-one"):
        assert store.accounts.check_password(name, GOOD) is None
        with pytest.raises(DataError):
            store.sessions.start(name, HOUR)
        with pytest.raises(DataError):
            store.accounts.renew_link(name)
    with pytest.raises(
        DataError, match='^person "p-one": the name was erased; they cannot sign in any more$'
    ):
        store.accounts.add("p-one", name="Ann again")
    assert store.people.get("p-one").name is None
    assert [account.person for account in store.accounts.all()] == ["bob"]
    assert store.accounts.by_token(other) is not None
    assert store.sessions.find(others) is not None
    assert store.accounts.first_organiser_link() is not None  # no organiser is left


def test_an_account_that_came_in_the_middle_of_erasing_lets_nobody_in(store: Store, hasher: Counting) -> None:
    token = store.accounts.add("ann").token
    store.accounts.set_password("ann", GOOD)
    session = store.sessions.start("ann", HOUR)
    with store.database.writing() as connection:
        mine = schema.person.c.evaluation == store.evaluation
        connection.execute(sa.update(schema.person).where(mine).values(id="p", pseudonym="p", erased="now"))
    assert [account.person for account in store.accounts.all()] == ["p"]  # it went along with the person
    assert store.accounts.by_token(token) is None
    assert store.accounts.check_password("p", GOOD) is None
    assert store.sessions.find(session) is None


def test_nothing_that_lets_in_is_kept_or_exported(tmp_path: Path, clock: Clock) -> None:
    with open_store(tmp_path, "e", clock=clock) as store:
        fill(store)
        before = list(records(store))
        tokens = [store.accounts.add("ann").token, store.accounts.renew_link("ann", once=True)]
        store.accounts.set_password("ann", GOOD)
        tokens += [store.sessions.start("ann", HOUR), GOOD]
        store.attempts.note("ann from 192.0.2.7")
        assert list(records(store)) == before
        backup(store, tmp_path / "backup")
        held = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))
        (kept,) = column(store, "token_hash")
        assert str(kept).encode() in held  # the search can find something
        assert [token for token in [*tokens, "192.0.2.7"] if token.encode() in held] == []
        assert {field.name for field in fields(Account)} & {"token", "token_hash", "password_hash"} == set()
        store.people.erase_name("ann")
        assert str(kept).encode() not in b"".join(
            path.read_bytes() for path in sorted(tmp_path.iterdir()) if path.name != "backup"
        )


def test_evaluations_do_not_meet(store: Store, where: Path | str, clock: Clock) -> None:
    token = store.accounts.add("ann").token
    with open_store(where, f"{store.evaluation}-other", clock=clock) as other:
        other.accounts.add("ann", role="organiser")
        assert other.accounts.by_token(token) is None
        other.accounts.suspend("ann")
        session = store.sessions.start("ann", HOUR)
        assert other.sessions.find(session) is None
        other.people.erase_name("ann")
    assert store.accounts.get("ann").active
    assert store.sessions.find(session) is not None


def test_answers_of_the_suspended_stay(store: Store) -> None:
    fill(store)
    before = list(store.events())
    store.accounts.add("ann")
    store.accounts.suspend("ann")
    assert list(store.events()) == before
    assert store.append([an_event(store, 1)])[0].seq == 9  # who may send is the server's to say
