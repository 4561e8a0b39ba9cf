"""A folder's judgments: its store, its protocol, the answers that count now, and simulated ones."""

from __future__ import annotations

from adjudge.assessors.simulated import Simulated, make_tasks, simulate
from adjudge.assessors.truth import Truth, truth_from_texts
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.engine import generator
from adjudge.errors import UsageError
from adjudge.formats.intake import Taken, take
from adjudge.formats.judged import Item
from adjudge.judgments.protocol import Protocol, load_protocol
from adjudge.judgments.store.store import Store, open_store
from adjudge.measures.batches import Judgments


def store_of(folder: Folder) -> Store:
    """The store, made where there is none.

    A file in the folder keeps the name under which it began, so that renaming the evaluation loses nothing.
    """
    name = folder.settings.name
    if folder.settings.database:
        return open_store(folder.settings.database, name)
    store = open_store(folder.path, name)
    known = store.evaluations()
    if not known or name in known:
        return store
    store.close()
    return open_store(folder.path, known[0])


def protocol_of(folder: Folder, name: str | None = None) -> Protocol:
    """A protocol by name; a file of one's own is named in evaluation.toml and lies in the folder."""
    own = folder.settings.protocol
    if own is not None and own.endswith(".toml"):
        found = load_protocol(folder.path / own)
        if name in (None, found.name):
            return found
    chosen = name or own
    if chosen is None:
        raise UsageError(f'{folder.path}: no protocol is named; set protocol = "duc-2002" in evaluation.toml')
    return load_protocol(chosen)


def judgments_of(folder: Folder, collection: Collection) -> Judgments:
    """The answers that count now, of texts that are still as they were judged."""
    with store_of(folder) as store:
        current = store.current()
    names = dict.fromkeys(judged.task.protocol for judged in current)
    return Judgments.of(current, collection, {name: protocol_of(folder, name) for name in names})


def simulate_judgments(
    folder: Folder,
    collection: Collection,
    protocol: str | None = None,
    *,
    assessors: int = 3,
    per_summary: int | None = None,
    noise: float = 0.1,
    bias: float = 0.0,
    drift: float = 0.0,
    inconsistency: float = 0.0,
    repeats: float = 0.0,
    seed: int = 0,
    truth: Truth | None = None,
) -> Taken:
    """Have simulated assessors fill a protocol; without a `truth` it is what the texts share.

    Biases are spread evenly from -bias to bias over the assessors.
    """
    asked = protocol_of(folder, protocol)
    spread = [0.0] if assessors == 1 else [bias * (2 * k / (assessors - 1) - 1) for k in range(assessors)]
    who = [
        Simulated(f"simulated-{k}", bias=own, noise=noise, drift=drift, inconsistency=inconsistency)
        for k, own in enumerate(spread, 1)
    ]
    names = [each.name for each in who]
    with store_of(folder) as store:
        tasks = make_tasks(collection, asked, names, store.evaluation, per_page=per_summary, repeat=repeats)
        known = truth or truth_from_texts(collection, asked)
        events = simulate(tasks, asked, known, who, generator(seed, f"judge/{asked.name}"))
        items: list[Item] = [
            *(("simulated", task) for task in tasks),
            *(("simulated", event) for event in events),
        ]
        return take(folder, store, items)
