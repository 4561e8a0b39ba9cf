"""adjudge people: who may sign in to the annotation app, and by which link."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json, show_table, write_csv
from adjudge.cli.sources import open_judged
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.judgments.next_step import after_people

if TYPE_CHECKING:
    from adjudge.evaluation import Evaluation

people = typer.Typer(
    help="Add the people who judge in the browser, and print their links.", no_args_is_help=True
)

PEOPLE = {
    "add": 'adjudge people add my-eval anna --name "Anna B."',
    "list": "adjudge people list my-eval",
    "suspend": "adjudge people suspend my-eval bert",
    "link": "adjudge people link my-eval bert",
    "log": "adjudge people log my-eval bert",
}

Person = Annotated[
    str, typer.Argument(metavar="PERSON", help="A short name, such as anna.", show_default=False)
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--public-url", metavar="URL", help="Address at which people reach the server; links begin with it."
    ),
]
Password = Annotated[
    bool,
    typer.Option(
        "--password", help="Also ask for a password; without a terminal it is a line of standard input."
    ),
]
HERE = "http://127.0.0.1:8000"


@people.command("add", epilog=f"Example: {PEOPLE['add']}")
def add(
    evaluation: options.Folder,
    person: Person,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name that others see.")] = None,
    organiser: Annotated[
        bool, typer.Option("--organiser", help="The person also sees the organiser's pages.")
    ] = False,
    base_url: BaseUrl = HERE,
    password: Password = False,
    json: options.Json = False,
) -> None:
    """Add a person and print their personal link. It is shown only once."""
    e, base = adjudge.open(evaluation), _checked(base_url)
    typed = _ask() if password else None
    role = "organiser" if organiser else "assessor"
    with e.store() as store:
        link = store.accounts.add(person, role, name)
        if typed is not None:
            store.accounts.set_password(person, typed)
        account = store.accounts.get(person)
    if json:
        shown = {
            "person": person,
            "name": account.name,
            "role": account.role,
            "password": account.has_password,
        }
        show_json(shown | {"link": link.url(base)})
    else:
        _show(f"{person} may sign in as {account.role}", link.url(base), evaluation, person)
        if role == "assessor":
            say(str(after_people(evaluation, protocol=e.settings.protocol)))


@people.command("list", epilog=f"Example: {PEOPLE['list']}")
def list_(evaluation: options.Folder, json: options.Json = False) -> None:
    """List everybody with an account or tasks: role, progress, last visit."""
    with _need(evaluation).store() as store:
        # Everybody, by id, without anything that lets them in.
        from collections import Counter

        accounts = {account.person: account for account in store.accounts.all()}
        tasks = Counter(task.assessor for task in store.tasks())
        judged = Counter(judgment.task.assessor for judgment in store.current())
        rows: list[dict[str, Any]] = [
            {
                "person": person.id,
                "name": person.name,
                "role": account and account.role,
                "state": account and account.state,
                "tasks": tasks[person.id],
                "judged": judged[person.id],
                "password": account is not None and account.has_password,
                "last_seen": account and account.seen_at,
            }
            for person in store.people.all()
            for account in [accounts.get(person.id)]
        ]
    if not rows:
        raise DataError(f"{evaluation}: {_nobody(evaluation)}")
    if json:
        show_json({"people": rows})
        return
    show_table(
        ("person", "name", "role", "state", "password", "tasks>", "judged>", "last seen"),
        [
            (
                *(row[key] for key in ("person", "name", "role", "state")),
                "yes" if row["password"] else None,
                *(row[key] for key in ("tasks", "judged")),
                _when(row["last_seen"]),
            )
            for row in rows
        ],
    )


@people.command("suspend", epilog=f"Example: {PEOPLE['suspend']}")
def suspend(
    evaluation: options.Folder,
    person: Person,
    restore: Annotated[bool, typer.Option("--restore", help="Let the person in again.")] = False,
    json: options.Json = False,
) -> None:
    """Sign a person out and keep them out; their answers stay."""
    with _need(evaluation).store() as store:
        change = store.accounts.restore if restore else store.accounts.suspend
        account = change(person)
    if json:
        show_json({"person": person, "state": account.state})
    elif restore:
        say(f"{person} may sign in again, by the link they had")
    else:
        say(f"{person} is signed out and cannot sign in; their answers stay, their password is deleted")


@people.command("link", epilog=f"Example: {PEOPLE['link']}")
def link(
    evaluation: options.Folder,
    person: Person,
    base_url: BaseUrl = HERE,
    password: Password = False,
    json: options.Json = False,
) -> None:
    """Make a new link for a person; the old link, sessions and password stop working."""
    from adjudge.judgments.store.accounts import Link

    e, base = _need(evaluation), _checked(base_url)
    typed = _ask() if password else None
    with e.store() as store:
        made = Link(person, store.accounts.renew_link(person))
        if typed is not None:
            store.accounts.set_password(person, typed)
    if json:
        show_json({"person": person, "link": made.url(base)})
    else:
        what = f"{person} has a new link; the old link, password and sessions no longer work"
        _show(what, made.url(base), evaluation, person)


@people.command("log", epilog=f"Example: {PEOPLE['log']}")
def log(
    evaluation: options.Folder,
    person: Annotated[
        str | None, typer.Argument(metavar="[PERSON]", help="Only this person.", show_default=False)
    ] = None,
    json: options.Json = False,
    csv: options.Csv = None,
) -> None:
    """List sign-ins and changes of accounts, the latest first."""
    from dataclasses import asdict

    with _need(evaluation).store() as store:
        if person is not None:
            store.people.get(person)
        entries = [asdict(entry) for entry in store.account_log.entries(person)]
    columns = ("at", "person", "what", "by", "place")
    if csv is not None:
        import pandas as pd

        write_csv(pd.DataFrame(entries, columns=columns), csv)
    if json:
        show_json({"log": entries})
    elif csv is None:
        rows = [(_when(row["at"], 19), *(row[key] for key in columns[1:])) for row in entries]
        show_table(("time", "account", "what", "by", "from"), rows)


def _show(what: str, url: str, evaluation: Path, person: str) -> None:
    say(f"{what}. The personal link, shown only once:")
    print(url)  # on one line however long it is, so that it can be copied
    say(f"Anyone with this link signs in as {person}. Lost it? adjudge people link {evaluation} {person}")


def _when(stamp: str | None, precise: int = 16) -> str | None:
    return stamp and f"{stamp[:precise].replace('T', ' ')} UTC"


def _ask() -> str:
    """A password from the keyboard, unseen and twice, or a line of standard input; refused before anything is done."""
    from getpass import getpass

    from adjudge.judgments.store.accounts import check_password

    if sys.stdin.isatty():
        typed = getpass("Password: ")
        if getpass("Again: ") != typed:
            raise UsageError("the two passwords are not the same; nothing was changed")
    else:
        typed = sys.stdin.readline().rstrip("\r\n")
    check_password(typed)
    return typed


def _checked(url: str) -> str:
    if not url.startswith(("http://", "https://")) or any(c in url for c in "#? "):
        raise UsageError(f"--public-url is {quoted(url)}, expected an address such as {HERE}")
    return url


def _need(path: Path) -> Evaluation:
    return open_judged(path, _nobody(path))


def _nobody(path: Path) -> str:
    return f"nobody yet; add somebody with: adjudge people add {path} NAME"
