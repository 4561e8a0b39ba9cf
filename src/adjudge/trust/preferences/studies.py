"""What Python users hold for preferences: `e.prefer`, a method for each command of `adjudge prefer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from adjudge.assessors.preferences import SimulatedPreferences
    from adjudge.comparisons.preferences import PreferenceFit
    from adjudge.comparisons.scores import ScoreData
    from adjudge.data.collection import Collection
    from adjudge.data.folder import Folder
    from adjudge.formats.batches import Exported
    from adjudge.judgments.batch import Judgments
    from adjudge.judgments.intake import Taken
    from adjudge.judgments.pairs.sample import Sampled
    from adjudge.judgments.protocol import Protocol as JudgmentProtocol
    from adjudge.judgments.store.store import Store
    from adjudge.trust.preferences import Agreement, Convergence, PaperTable

PROTOCOLS = {"sentences": "preference-sentences", "summaries": "preference-summaries"}


class Holder(Protocol):
    """What an evaluation must give."""

    @property
    def folder(self) -> Folder: ...
    @property
    def collection(self) -> Collection: ...
    def store(self) -> Store: ...
    def protocol(self, name: str | None = None) -> JudgmentProtocol: ...
    def judgments(self) -> Judgments: ...
    def data(self) -> ScoreData: ...


class Studies:
    """Preferences of one evaluation: ask, fit, and see what they are worth."""

    def __init__(self, evaluation: Holder):
        self._e = evaluation

    def protocols(self) -> dict[str, JudgmentProtocol]:
        """Those that ask for preferences: the shipped ones, and the folder's own."""
        e = self._e
        found = {name: e.protocol(name) for name in PROTOCOLS.values()}
        if e.folder.settings.protocol and e.protocol().kind == "preference":
            found[e.protocol().name] = e.protocol()
        return found

    def sample(self, of: str = "sentences", **how: Any) -> Sampled:
        """Put pairs to ask into the store; see `adjudge.judgments.pairs.sample.sample`."""
        from adjudge.judgments.pairs.sample import sample

        e = self._e
        with e.store() as store:
            return sample(e.collection, store, e.protocol(PROTOCOLS.get(of, of)), **how)

    def export(self, path: str, **how: Any) -> Exported:
        """Write the open pairs for a crowd platform; see `adjudge.formats.batches.export_batches`."""
        from adjudge.formats.batches import export_batches

        e = self._e
        with e.store() as store:
            return export_batches(store, e.collection, self.protocols(), path, **how)

    def read_batch(self, path: str) -> Taken:
        """Read an answered batch back: every answer under the worker who gave it."""
        from adjudge.formats.batches import read_batch
        from adjudge.judgments.intake import take

        e = self._e
        with e.store() as store:
            return take(e.folder, store, read_batch(path, store, self.protocols()))

    def simulate(self, origin: Any = "ref", **how: Any) -> SimulatedPreferences:
        """Have simulated annotators answer; see `adjudge.assessors.preferences.simulate_preferences`."""
        from adjudge.assessors.preferences import simulate_preferences

        return simulate_preferences(self._e.folder, self._e.collection, origin, **how)

    def fit(self, of: Any = None, **how: Any) -> list[PreferenceFit]:
        """Strengths of sentences or summaries topic by topic, or of systems; see `fit_folder`."""
        from adjudge.comparisons.preferences import fit_folder

        return fit_folder(self._e.collection, self._e.judgments(), of=of, **how)

    def agreement(
        self, human: str, measures: Sequence[str] = (), *, seed: int = 0, **how: Any
    ) -> list[Agreement]:
        """How far measures order summaries as people do (equation 1); see `agreements`."""
        from adjudge.engine import generator
        from adjudge.trust.preferences import agreements

        return agreements(self._e.data(), human, measures, rng=generator(seed, "prefer/agreement"), **how)

    def converge(self, human: str, **how: Any) -> Convergence:
        """Agreement by the number of answers (figure 3); see `adjudge.trust.preferences.converge.converge`."""
        from adjudge.judgments.batch import batches_of
        from adjudge.trust.preferences import LINES, columns, converge

        e, judgments = self._e, self._e.judgments()
        scored = columns(e.folder, e.collection, judgments, [*LINES.values(), human])
        return converge(batches_of(e.collection, judgments), scored.data, human, LINES, **how)

    def report(self, human: str, *, idle: float = 120.0, **how: Any) -> list[PaperTable]:
        """The four tables of Zopf 2018; see `adjudge.trust.preferences.tables.paper_tables`."""
        from adjudge.judgments.batch import batches_of
        from adjudge.measures.judged.preference import Preference
        from adjudge.trust.preferences import columns, minutes_of, paper_tables, specs

        e, judgments = self._e, self._e.judgments()
        wanted = [*specs(how.get("base") or Preference()).values(), human, *how.get("more", ())]
        scored = columns(e.folder, e.collection, judgments, wanted)
        batches = batches_of(e.collection, judgments)
        return paper_tables(scored, batches, human, minutes_of(e.folder, cap=idle), **how)
