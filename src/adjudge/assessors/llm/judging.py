"""A language model judges: its tasks, what is asked of it, its answers in the store, and its card.

Answers are stored every few seconds, and at the end, however a run ends. What was answered before is not asked again,
and what a model said is kept with the folder before it is used, so that a run that was killed goes on where it was.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from statistics import fmean
from typing import Any, Final

from adjudge import __version__
from adjudge.assessors.cards import JudgeCard, only_run, read_cards, write_card
from adjudge.assessors.llm.answers import NOT_FOUND, SCORES, TOP, AnswerForm, Score
from adjudge.assessors.llm.cache import JudgeReplies, KeptNote, ReplyStore
from adjudge.assessors.llm.exchange import (
    AskEstimate,
    AskLimits,
    AskProgress,
    AskStopped,
    ChatReply,
    ChatRequest,
    LlmServer,
    Prices,
    ServerFeatures,
)
from adjudge.assessors.llm.prompts import (
    PosedQuestion,
    Prompter,
    PromptTemplate,
    check_kind,
    check_shown,
    cut_words,
    default_shown,
    shipped_template,
)
from adjudge.assessors.llm.server import ask_all, count, probe
from adjudge.assessors.llm.spending import Spent
from adjudge.core.engine import generator
from adjudge.core.errors import ClashError, DataError, UsageError, among, quoted
from adjudge.core.phrases import Argument, Door, Spoken, either, spoken
from adjudge.core.table import Cell, Column, Table, Tabular
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection, SourceSentence
from adjudge.data.folder import Folder
from adjudge.judgments.assign.order import even_repeats, repeat_of
from adjudge.judgments.assign.pages import need_units
from adjudge.judgments.assign.planning import make_tasks, missing_tasks
from adjudge.judgments.frozen import changed
from adjudge.judgments.intake import Item, take
from adjudge.judgments.pairs.sides import pools_of, sentences_of, sides_of
from adjudge.judgments.protocol import Protocol, protocol_of
from adjudge.judgments.store.store import Store, store_of
from adjudge.judgments.tasks import Event, Task, stable_id

ORIGIN: Final = "language-model"
PROMPTS = 1
"""How texts are put around and into a template; another number is another prompt."""
SAVED_AT_ONCE = 32
SAVED_EVERY = 2.0
"""Answers, or seconds, after which answers are stored and the card written, whichever comes first: a process that is
killed loses no more, and what it loses is still among the kept replies."""
PAIRS = 50
"""Pairs of sentences a topic, where nobody was asked about any."""
TIMES = 100
"""What `again` counts a planted repeat as: attempts at one answer are counted below it."""
MOST_NAMED = 20_000
"""Missing answers that a card names one by one; of more it has the counts alone."""
SEVERAL_DATA = "a unit of the reference has no answer"
_VERSION = re.compile(r"\|v:[^|]*$")

Progress = Callable[[AskProgress], None]


@dataclass(frozen=True, kw_only=True)
class LlmOptions:
    """What a language model is asked, and how."""

    name: str | None = None
    """As an assessor; the model's name unless given."""
    score: Score = "top"
    template: PromptTemplate | None = None
    show: tuple[str, ...] | None = None
    """Of documents and reference, what it sees beside what it judges; what people may see, unless given."""
    max_words: int | None = None
    """Of a topic's documents."""
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int | None = None
    """Of an answer; what its form needs, unless given."""
    retries_invalid: int = 1
    share_again: float = 0.1
    both_orders: bool = True
    pairs: int | None = None
    """A topic's pairs; of summaries all, of sentences those that people were asked about, unless given."""
    topics: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    family: str = ""
    ask_anew: bool = False
    """Whether it is asked also where a reply is kept, which is then replaced; what this judge has answered stays."""

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise UsageError(
                f"{Argument('score')} is {quoted(self.score)}, expected one of: {', '.join(SCORES)}"
            )
        if not 0 <= self.temperature <= 2:
            raise UsageError(
                f"{Argument('temperature')} is {self.temperature:g}, expected a number from 0 to 2"
            )
        if not 0 <= self.share_again <= 1:
            raise UsageError(
                f"{Argument('share_again', flag='repeats')} is {self.share_again:g}, expected a share from 0 to 1"
            )
        if not 0 <= self.retries_invalid < TIMES:
            raise UsageError(
                f"{Argument('retries_invalid')} is {self.retries_invalid}, expected 0 to {TIMES - 1}"
            )
        for option, least in (("max_words", 0), ("max_tokens", 1), ("pairs", 1), ("seed", 0)):
            value = getattr(self, option)
            if value is not None and value < least:
                raise UsageError(f"{Argument(option)} is {value}, expected {least} or more")


@dataclass(frozen=True)
class QuestionCount:
    """How one question of a protocol was answered."""

    question: str
    answered: int
    missing: Mapping[str, int]
    """By reason."""

    @property
    def asked(self) -> int:
        return self.answered + sum(self.missing.values())


@dataclass(frozen=True, kw_only=True, repr=False)
class LlmJudged(Tabular):
    """What a run of a language model brought."""

    card: JudgeCard
    questions: tuple[QuestionCount, ...]
    """Over all runs of this judge under the protocol."""
    tasks: int
    """That this run is about."""
    new: int
    """Answers that were stored in this run."""
    cached: int
    """Replies of this run that were there before."""
    stopped: str | None = None
    """Why not everything was asked."""
    left: int = 0
    """Questions that were not asked for that."""
    failed: bool = False
    """Whether nothing of what was asked for the first time has an answer, or the judge never gave one."""
    kept: Spoken | None = None
    """Which replies of other judges were taken instead of asking."""
    notes: tuple[str, ...] = ()

    @property
    def others(self) -> str | None:
        """The same for a reader in Python."""
        return None if self.kept is None else spoken(self.kept, "python")

    def headline(self) -> str:
        card = self.card
        missing = sum(card.invalid.values())
        sentence = (
            f"{card.name} has answered {card.answered:,} of {counted(card.asked, 'question')} that were put to it"
            f" under {card.protocol}"
        )
        if missing:
            reasons = ", ".join(
                f"{why} {n:,}" for why, n in sorted(card.invalid.items(), key=lambda x: -x[1])
            )
            sentence += f"; {counted(missing, 'answer is', 'answers are')} missing ({reasons})"
        return f"{sentence}."

    def lines(self, door: Door = "python") -> list[str]:
        """For people."""
        card = self.card
        cost = "" if card.cost is None else f", cost {card.cost:.4f}"
        kept = f"; {counted(self.cached, 'reply', 'replies')} already kept" if self.cached else ""
        lines = [
            self.headline(),
            f"This run: {counted(self.new, 'new answer')}{kept}.",
            *([] if self.kept is None else [spoken(self.kept, door)]),
            f"All runs: {counted(card.requests, 'request')}, {card.prompt_tokens:,} prompt tokens,"
            f" {card.answer_tokens:,} answer tokens{cost}.",
            *self.notes,
        ]
        if self.stopped is not None:
            lines.append(f"Stopped: {self.stopped}. {counted(self.left, 'question')} not asked yet.")
        return lines

    def table(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for q in self.questions:
            why = ", ".join(f"{reason} {n}" for reason, n in q.missing.items()) or None
            rows.append((q.question, q.asked, q.answered, sum(q.missing.values()), why))
        return Table(
            name="language-model",
            columns=(
                Column("question"),
                Column("asked"),
                Column("answered"),
                Column("missing"),
                Column("why", right=False),
            ),
            rows=tuple(rows),
            title=f"{self.card.name} under {self.card.protocol}",
            sentences=(self.headline(),),
            notes=(*([] if self.others is None else [self.others]), *self.notes),
            signature=self.card.signature,
        )

    def as_dict(self) -> dict[str, Any]:
        from dataclasses import asdict

        card = asdict(self.card)
        card["settings"] = {k: v for k, v in card["settings"].items() if k not in ("missing", "template")}
        return {
            **card,
            "tasks": self.tasks,
            "new_answers": self.new,
            "cached": self.cached,
            "questions": [
                {"question": q.question, "asked": q.asked, "answered": q.answered, "missing": dict(q.missing)}
                for q in self.questions
            ],
            "stopped": self.stopped,
            "left": self.left,
            "failed": self.failed,
            "kept_from_others": self.others,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class LlmJob:
    """What is to be asked of a model, prepared: nothing was sent or stored yet."""

    folder: Folder
    protocol: Protocol
    server: LlmServer
    options: LlmOptions
    prompter: Prompter
    name: str
    signature: str
    tasks: tuple[Task, ...]
    """All that the run is about, answered or not."""
    notes: tuple[str, ...] = ()

    def first(self) -> PosedQuestion:
        """The first question of the first task."""
        for task in self.tasks:
            for posed in self.prompter.asked(task):
                return posed
        raise DataError(f"there is nothing to ask under {self.protocol.name}")

    def request(self, posed: PosedQuestion, attempt: int = 0) -> ChatRequest:
        again = attempt + (TIMES if is_planted(posed.task) else 0)
        # At a temperature above 0 a repeat with the seed of the first would only say the same again.
        seed = self.options.seed + again
        return posed.request(
            temperature=self.options.temperature, seed=seed, max_tokens=self.options.max_tokens, again=again
        )

    def estimate(self, replies: ReplyStore | None = None) -> AskEstimate:
        """What asking all that is open would take; questions that depend on other answers are counted as asked."""
        with store_of(self.folder) as store:
            answered = _answered(store, self.name, self.protocol)
        requests = [self.request(posed) for posed in self._open(answered)]
        estimate = count(requests, self.server, None if replies is None else self.replies(replies))
        return replace(estimate, is_exact=self.protocol.last_question is None)

    def anew(self, part: str = "") -> str:
        """What is asked anew, for the kept replies: the judge under the protocol, or a part of that."""
        return "|".join((self.name, self.protocol.name, part))

    def replies(self, store: ReplyStore, part: str = "", *, begin: bool = False) -> JudgeReplies:
        """The kept replies that this judge may take."""
        since = store.anew_since(self.anew(part), begin=begin) if self.options.ask_anew else None
        return JudgeReplies(store, self.name, self.protocol.name, since)

    def _open(self, answered: Mapping[str, Mapping[str, Event]]) -> Iterator[PosedQuestion]:
        last = self.protocol.last_question
        for task in self.tasks:
            events = answered.get(task.id, {})
            yield from (posed for posed in self.prompter.asked(task) if posed.question not in events)
            if last is not None and last not in events:
                posed = self.prompter.last(task, _answers(events))
                if posed is not None:
                    yield posed


def is_planted(task: Task) -> bool:
    """Whether a task is a repeat that shows the same as its first; a pair whose sides are swapped shows another."""
    return task.repeat_of is not None and task.id != swapped_id(task.repeat_of)


def swapped_id(task: str) -> str:
    """The id of the task that shows a pair the other way round."""
    return stable_id("swapped", task)


# Preparing


def prepare_judging(
    folder: Folder,
    collection: Collection,
    protocol: str | None,
    server: LlmServer,
    options: LlmOptions = LlmOptions(),  # noqa: B008 - frozen
    *,
    to_ask: bool = True,
) -> LlmJob:
    """What a model is to be asked under a protocol.

    A judge of this name with other settings is refused, unless nothing is to be asked and the prompt is only shown.
    """
    asked = protocol_of(folder, protocol)
    check_kind(asked)
    for topic in options.topics:
        collection.need_topic(topic)
    for system in options.systems:
        if system not in collection.systems:
            raise UsageError(f"no system {quoted(system)}{among(system, collection.systems)}")
    name = options.name or judge_name(server.model)
    template = options.template or shipped_template(asked.kind)
    if options.show is None:
        show = tuple(place for place in default_shown(asked) if place in template.places)
    else:
        show = check_shown(options.show, asked)
    prompter = Prompter(
        collection=collection,
        protocol=asked,
        template=template,
        show=show,
        max_words=options.max_words,
        score=options.score,
    )
    signature = _signature(server.model, asked, prompter, options)
    need_units(collection, asked, options.topics)
    with store_of(folder) as store:
        if to_ask:
            _check_name(folder, store, name, asked, signature)
        tasks, notes = _tasks(collection, asked, store, name, options)
    if not tasks:
        raise DataError(
            f"there is nothing to judge under {asked.name}" + "".join(f": {n}" for n in notes[:1])
        )
    return LlmJob(
        folder=folder,
        protocol=asked,
        server=server,
        options=options,
        prompter=prompter,
        name=name,
        signature=signature,
        tasks=tuple(tasks),
        notes=tuple(notes),
    )


def judge_name(model: str) -> str:
    """A judge's name where none is given: the model's, without folders and what tells versions of a file apart."""
    plain = re.split(r"[/\\]", model)[-1].partition("@")[0].removesuffix(".gguf")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-") or "language-model"


def _signature(model: str, protocol: Protocol, prompter: Prompter, options: LlmOptions) -> str:
    """Everything that the answers depend on."""
    asked = sha256(repr(protocol).encode()).hexdigest()[:8]
    parts = [
        ORIGIN,
        f"model:{model}",
        f"protocol:{protocol.name}:{protocol.version}:{asked}",
        f"template:{prompter.template.hash}",
        f"prompts:{PROMPTS}",
        f"show:{'+'.join(prompter.show) or 'nothing'}",
        *([f"max-words:{options.max_words}"] if options.max_words is not None else []),
        f"score:{options.score}",
        f"temperature:{options.temperature:g}",
        f"seed:{options.seed}",
        *([f"max-tokens:{options.max_tokens}"] if options.max_tokens is not None else []),
        f"retries:{options.retries_invalid}",
        f"v:{__version__}",
    ]
    return "|".join(parts)


def _check_name(folder: Folder, store: Store, name: str, protocol: Protocol, signature: str) -> None:
    """Refuse the name of somebody else, and that of a judge whose answers depend on something else."""
    earlier = next((card for card in read_cards(folder, name) if card.protocol == protocol.name), None)
    answers = store.current(assessor=name)
    if earlier is None:
        if any(judged.task.protocol == protocol.name or judged.origin != ORIGIN for judged in answers):
            raise ClashError(
                f"an assessor {quoted(name)} is there already, and is no judge of this kind: take another"
                f" {Argument('name')}"
            )
        return
    if not any(judged.task.protocol == protocol.name for judged in answers):
        return  # it never answered
    if earlier.kind != ORIGIN or not _same(earlier.signature, signature):
        was, now = (set(text.split("|")) for text in (earlier.signature, signature))
        other = sorted(part for part in (was - now) or (now - was) if not part.startswith("v:"))
        raise ClashError(
            f"a judge {quoted(name)} with other settings is there ({', '.join(other) or earlier.kind}): take another"
            " name"
        )


def card_of(job: LlmJob) -> JudgeCard | None:
    """The card of the judge as it is asked here; None where there is none, or that of one who never answered."""
    for card in read_cards(job.folder, job.name):
        if card.protocol == job.protocol.name and _same(card.signature, job.signature):
            return card
    return None


def _same(one: str, other: str) -> bool:
    """Whether signatures differ by the release of Adjudge at most; `prompts` says whether that asks otherwise."""
    return _VERSION.sub("", one) == _VERSION.sub("", other)


def _tasks(
    collection: Collection, protocol: Protocol, store: Store, name: str, options: LlmOptions
) -> tuple[list[Task], list[str]]:
    """The tasks of a judge in the order in which they are asked, and what there is to say of those left out."""
    pairs = None
    if protocol.compares == "sentences":
        pairs = _sentence_pairs(collection, protocol, store, name, options)
    first = make_tasks(collection, protocol, [name], store.evaluation, pairs=pairs)
    if options.pairs is not None and protocol.compares == "summaries":
        # So many pairs of summaries a topic: those that others were asked about first, then some at random.
        asked_of_others = {
            (task.topic, frozenset(sides_of(task))) for task in _asked_of_others(store, protocol, name)
        }
        chosen: set[str] = set()
        for topic in dict.fromkeys(task.topic for task in first):
            of_topic = [task for task in first if task.topic == topic]
            rng = generator(options.seed, f"judge/llm/{topic}")
            order = [of_topic[k] for k in rng.permutation(len(of_topic)).tolist()]
            order.sort(key=lambda task: (task.topic, frozenset(sides_of(task))) not in asked_of_others)
            chosen.update(task.id for task in order[: options.pairs])
        first = [task for task in first if task.id in chosen]
    made = list(first)
    made += even_repeats(first, options.share_again, swap=False)
    if options.both_orders and protocol.compares is not None:
        made += [repeat_of(task, swapped_id(task.id)) for task in first]
    made = [replace(task, position=n) for n, task in enumerate(made)]
    there = store.tasks(assessor=name, protocol=protocol.name, cancelled=True)
    by_id = {task.id: task for task in missing_tasks(made, there)}
    gone = {task.id for task in there if task.cancelled}
    # What is there has the hashes of what was judged, and may have been made under other names.
    by_id |= {task.id: task for task in there}
    wanted = [task for task in by_id.values() if task.id not in gone and _is_wanted(task, options)]
    kept = [task for task in wanted if changed(task, collection, protocol) is None]
    notes = []
    if len(kept) < len(wanted):
        notes.append(
            f"{counted(len(wanted) - len(kept), 'task')} about texts that changed since left out; a judge of another"
            " name judges them anew"
        )
    return kept, notes


def _is_wanted(task: Task, options: LlmOptions) -> bool:
    if options.topics and task.topic not in options.topics:
        return False
    sides = [side["system"] for side in (task.left, task.right) if side is not None and "system" in side]
    named = [task.peer.system] if task.peer is not None else sides
    return not options.systems or all(system in options.systems for system in named)


def _asked_of_others(store: Store, protocol: Protocol, name: str) -> Iterator[Task]:
    yield from (task for task in store.tasks(protocol=protocol.name) if task.assessor != name)


def _sentence_pairs(
    collection: Collection, protocol: Protocol, store: Store, name: str, options: LlmOptions
) -> dict[str, list[tuple[SourceSentence, SourceSentence]]]:
    """The pairs that others were asked about, or, where there are none of a topic, some at random."""
    others: dict[str, list[Task]] = {}
    for task in _asked_of_others(store, protocol, name):
        others.setdefault(task.topic, []).append(task)
    pairs: dict[str, list[tuple[SourceSentence, SourceSentence]]] = {}
    for topic in collection.topics:
        documents = collection.documents.get(topic, ())
        sentences = sentences_of(documents, collection.settings.language)
        if len(sentences) < 2:
            continue
        (pool,) = pools_of(collection, topic, protocol)
        asked = dict.fromkeys(
            (min(pair), max(pair)) for task in others.get(topic, ()) if (pair := pool.pair(task)) is not None
        )
        chosen = list(asked)[: options.pairs]
        if not chosen:
            chosen = _random_pairs(len(sentences), options.pairs or PAIRS, options.seed, topic)
        pairs[topic] = [(sentences[a], sentences[b]) for a, b in chosen]
    return pairs


def _random_pairs(n: int, many: int, seed: int, topic: str) -> list[tuple[int, int]]:
    """Different pairs of n things, in either order; all of them where there are no more."""
    rng = generator(seed, f"judge/llm/{topic}")
    every = n * (n - 1) // 2
    drawn = rng.choice(every, size=min(many, every), replace=False).tolist()
    pairs = []
    for k in drawn:
        a = 0
        while k >= n - 1 - a:
            k -= n - 1 - a
            a += 1
        pair = (a, a + 1 + k)
        pairs.append(pair if rng.random() < 0.5 else pair[::-1])
    return pairs


# AskedServer


def judge_with_model(
    folder: Folder,
    collection: Collection,
    protocol: str | None,
    server: LlmServer,
    options: LlmOptions = LlmOptions(),  # noqa: B008 - frozen
    *,
    limits: AskLimits = AskLimits(),  # noqa: B008 - frozen
    replies: ReplyStore | None = None,
    progress: Progress = lambda state: None,
) -> LlmJudged:
    """Have a model judge under a protocol, and store what it says; what is stored already is not asked again."""
    job = prepare_judging(folder, collection, protocol, server, options)
    return run_judging(job, limits=limits, replies=replies, progress=progress)


def run_judging(
    job: LlmJob,
    *,
    limits: AskLimits = AskLimits(),  # noqa: B008 - frozen
    replies: ReplyStore | None = None,
    progress: Progress = lambda state: None,
) -> LlmJudged:
    """Ask what a job holds. Replies are kept with the folder, unless another place is given."""
    check_cost(limits, job.server.prices)
    with (
        only_run(job.folder, job.name, job.protocol.name),
        store_of(job.folder) as store,
        replies or ReplyStore.of(job.folder) as kept,
    ):
        goes_on = kept.is_anew(job.anew())
        asking = AskedServer.of(job, limits, job.replies(kept, begin=True), progress)
        run = _Run(job, store, asking)
        if job.options.ask_anew and not goes_on and not run.has_open():
            kept.end_anew(job.anew())
            raise ClashError(
                f"{job.name} has answered all of this already, and its answers stay: {Argument('ask_anew', True)} needs"
                f" another {Argument('name')}"
            )
        try:
            run.ask()
        finally:
            run.save()
        if run.stopped is None:
            kept.end_anew(job.anew())
        return run.result()


def check_cost(limits: AskLimits, prices: Prices) -> None:
    """A limit of cost needs prices: without them nothing would ever reach it."""
    if limits.max_cost is not None and not (prices.prompt or prices.answer):
        both = f"{Argument('price_prompt').option} and {Argument('price_answer').option}"
        prices_of_both = either("prices of prompts and answers", both)
        raise UsageError(
            f"{Argument('max_cost')} needs {prices_of_both}: without them nothing costs anything"
        )


@dataclass
class AskedServer:
    """A server that is asked several times in one run, within one set of limits."""

    server: LlmServer
    limits: AskLimits
    replies: JudgeReplies
    progress: Progress = lambda state: None
    before: Spent = field(default_factory=Spent)
    """What earlier runs of the judge took."""
    counted: int = 0
    """The number up to which kept replies of the judge are in `before` and `told`."""
    features: ServerFeatures | None = None
    spent: Spent = field(default_factory=Spent)
    """What this run took so far; of the requests under way, what was reserved for them."""
    told: Spent = field(default_factory=Spent)
    """The same, of the replies that were handed on: while others are under way it falls behind."""
    cached: int = 0
    done: int = 0
    others: Counter[KeptNote] = field(default_factory=Counter)
    """Replies of other judges that were taken, by who brought them and when."""
    _fresh: list[str] = field(default_factory=list)
    """Keys of replies that `counted` does not know yet."""

    @classmethod
    def of(cls, job: LlmJob, limits: AskLimits, replies: JudgeReplies, progress: Progress) -> AskedServer:
        """With what earlier runs took: what the card says, and what it could not say of a run that was killed."""
        card = card_of(job)
        store = replies.store
        noted = next(
            (
                c.settings.get("counted")
                for c in read_cards(job.folder, job.name)
                if c.protocol == job.protocol.name
            ),
            None,
        )
        after = noted if isinstance(noted, int) and noted <= store.last else 0  # else it is of another file
        unknown = store.spent(job.name, job.protocol.name, after=after)
        return cls(
            server=job.server,
            limits=limits,
            replies=replies,
            progress=progress,
            before=unknown
            + Spent(
                requests=card.requests if card else 0,
                prompt_tokens=card.prompt_tokens if card else 0,
                answer_tokens=card.answer_tokens if card else 0,
                cost=(card.cost or 0.0) if card else 0.0,
                seconds=card.seconds if card else 0.0,
            ),
            counted=store.last,
        )

    @property
    def total(self) -> Spent:
        """Of all runs."""
        return self.before + self.told

    def taken(self) -> dict[str, Any]:
        """The same as a card has it."""
        total, prices = self.total, self.server.prices
        is_priced = total.cost or prices.prompt or prices.answer
        return {**asdict(total), "cost": total.cost if is_priced else None}

    def counted_now(self) -> int:
        """The number up to which kept replies of the judge are in `total`."""
        notes = self.replies.store.notes(self._fresh)
        self._fresh = []
        self.counted = max([self.counted, *(note.number for note in notes.values())])
        return self.counted

    def need_logprobs(self) -> None:
        """Try the server out, and refuse one that gives no log-probabilities."""
        features = probe(self.server, self.limits)
        self._found(features)
        self.spent += _trying(features)
        if not features.logprobs:
            raise UsageError(
                f"a weighted score needs log-probabilities, and the server gives none: take {TOP}"
            )

    def _found(self, features: ServerFeatures) -> None:
        self.features = features
        self.told += _trying(features)

    def ask(
        self, requests: Sequence[ChatRequest], forms: Sequence[AnswerForm]
    ) -> Generator[tuple[int, ChatReply], None, None]:
        """The replies as they come, each of its form. `AskStopped` comes after the last of them."""
        if not requests:
            return
        keys = [request.key(self.server.model) for request in requests]
        self.replies.readers = {key: form.read for key, form in zip(keys, forms, strict=True)}
        before, done = self.spent, self.done

        def note(state: AskProgress) -> None:
            self.spent = before + Spent(
                requests=state.sent,
                prompt_tokens=state.tokens - state.answer_tokens,
                answer_tokens=state.answer_tokens,
                cost=state.cost,
            )
            if self.features is None and state.features is not None:
                self._found(state.features)
            self.progress(
                replace(
                    state,
                    done=done + state.done,
                    of=done + state.of,
                    cost=self.spent.cost,
                    tokens=self.spent.prompt_tokens + self.spent.answer_tokens,
                    answer_tokens=self.spent.answer_tokens,
                    sent=self.spent.requests,
                )
            )

        asked = ask_all(requests, self.server, self._rest(), self.replies, note, features=self.features)
        try:
            with closing(asked):
                for position, reply in asked:
                    self._note(keys[position], reply)
                    yield position, reply
        finally:  # nothing is under way any more
            self.told = replace(self.spent, seconds=self.told.seconds)
            self.counted, self._fresh = self.replies.store.last, []

    def _note(self, key: str, reply: ChatReply) -> None:
        self.done += 1
        if reply.cached:
            self.cached += 1
            if key in self.replies.others:
                self.others[self.replies.others[key]] += 1
            return
        self._fresh.append(key)
        self.told += Spent(
            requests=reply.attempts,
            prompt_tokens=reply.prompt_tokens,
            answer_tokens=reply.answer_tokens,
            cost=reply.cost,
            seconds=reply.seconds,
        )

    def of_others(self) -> Spoken | None:
        """Which replies of other judges were taken instead of asking."""
        many = self.others.total()
        if not many:
            return None
        parts = []
        for judge in dict.fromkeys(note.judge for note in self.others):
            when = sorted(note.at.replace("T", " ")[:16] for note in self.others if note.judge == judge)
            span = when[0] if when[0] == when[-1] else f"{when[0]} to {when[-1]}"
            parts.append(f"{f'the run of {judge}' if judge else 'a run without a name'} at {span} UTC")
        return (
            f"{many:,} of {counted(self.done, 'reply', 'replies')}"
            f" {'was' if many == 1 else 'were'} kept from {listed(parts)}: nothing was sent for"
            f" {'it' if many == 1 else 'them'}; to ask again, take {Argument('ask_anew', True)} and"
            f" another {Argument('name')}"
        )

    def _rest(self) -> AskLimits:
        """The limits less what was used so far."""
        limits, spent = self.limits, self.spent
        return replace(
            limits,
            max_requests=None
            if limits.max_requests is None
            else max(0, limits.max_requests - spent.requests),
            max_tokens=None
            if limits.max_tokens is None
            else max(0, limits.max_tokens - spent.prompt_tokens - spent.answer_tokens),
            max_cost=None if limits.max_cost is None else max(0.0, limits.max_cost - spent.cost),
        )


def _trying(features: ServerFeatures) -> Spent:
    """What finding out took."""
    return Spent(
        requests=features.requests,
        prompt_tokens=features.prompt_tokens,
        answer_tokens=features.answer_tokens,
        cost=features.cost,
    )


@dataclass
class _Run:
    """One run: rounds of questions, those that failed and those that had to wait for others in the next."""

    job: LlmJob
    store: Store
    asking: AskedServer
    events: list[Event] = field(default_factory=list)
    """That are not stored yet."""
    missing: dict[str, dict[str, str]] = field(default_factory=dict)
    """By task and question, why there is no answer."""
    posed: list[PosedQuestion] = field(default_factory=list)
    new: int = 0
    stopped: str | None = None
    left: int = 0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        job = self.job
        self.saved = self.clock()
        self.before = card_of(job)
        if self.before is not None:
            kept = self.before.settings.get("missing", {})
            self.missing = {task: dict(by_question) for task, by_question in kept.items()}
        answered = _answered(self.store, job.name, job.protocol)
        self.answered = {task: dict(events) for task, events in answered.items()}
        self.known = {
            (task, question) for task, by_question in self.missing.items() for question in by_question
        }
        self.planted = None if self.before is None else self.before.settings.get("planted")

    def ask(self) -> None:
        job = self.job
        open = [posed for task in job.tasks for posed in job.prompter.asked(task) if self._is_open(posed)]
        waiting = self._waiting()
        if open and job.options.score == "weighted":
            self.asking.need_logprobs()
        try:
            self._ask(open)
            if job.protocol.last_question is not None:
                self._ask(list(self._last(waiting)))
        except AskStopped as stop:
            self.stopped = stop.reason
        self.left = sum(
            self._is_open(posed) and posed.question not in self.missing.get(posed.task.id, {})
            for posed in self.posed
        )

    def has_open(self) -> bool:
        tasks = self.job.tasks
        return any(self._is_open(posed) for task in tasks for posed in self.job.prompter.asked(task)) or any(
            True for _ in self._last(self._waiting())
        )

    def _is_open(self, posed: PosedQuestion) -> bool:
        return posed.question not in self.answered.get(posed.task.id, {})

    def _waiting(self) -> list[Task]:
        """Tasks whose last question is open, where the protocol has one."""
        last = self.job.protocol.last_question
        return [
            task for task in self.job.tasks if last is not None and last not in self.answered.get(task.id, {})
        ]

    def _ask(self, posed: Sequence[PosedQuestion]) -> None:
        """Every question, and those without an answer again, as often as is asked for."""
        self.posed += posed
        for question in posed:
            self.missing.get(question.task.id, {}).pop(question.question, None)
        for attempt in range(self.job.options.retries_invalid + 1):
            again: list[PosedQuestion] = []
            requests = [self.job.request(question, attempt) for question in posed]
            with closing(
                self.asking.ask(requests, [question.form for question in posed])
            ) as replies:  # so that it has ended when an interrupted run is saved
                for position, reply in replies:
                    is_answered = self._take(posed[position], reply)
                    # What the server failed at was sent again already; here a model said something of no use.
                    if not is_answered and (reply.text is not None or reply.finish):
                        again.append(posed[position])
                    if len(self.events) >= SAVED_AT_ONCE or self.clock() - self.saved >= SAVED_EVERY:
                        self.save()
            posed = again

    def _take(self, posed: PosedQuestion, reply: ChatReply) -> bool:
        """Keep an answer, or why there is none; says whether there is one."""
        reading = posed.form.read(reply)
        task = posed.task
        if reading.answer is None:
            self.missing.setdefault(task.id, {})[posed.question] = reading.reason or NOT_FOUND
            return False
        self.missing.get(task.id, {}).pop(posed.question, None)
        self.job.protocol.check(posed.question, reading.answer)
        event = Event(
            id=stable_id(ORIGIN, task.id, posed.question, repr(sorted(reading.answer.items()))),
            evaluation=task.evaluation,
            task=task.id,
            assessor=task.assessor,
            question=posed.question,
            answer=dict(reading.answer),
            origin=ORIGIN,
        )
        self.answered.setdefault(task.id, {})[posed.question] = event
        self.events.append(event)
        return True

    def _last(self, tasks: Iterable[Task]) -> Iterator[PosedQuestion]:
        """The questions that depend on others, of tasks where these have an answer."""
        protocol = self.job.protocol
        for task in tasks:
            events = self.answered.get(task.id, {})
            asked = (posed.question for posed in self.job.prompter.asked(task))
            first = [question for question in asked if protocol.comes_before_last(question)]
            if any(question not in events for question in first):
                if any(question in self.missing.get(task.id, {}) for question in first):
                    assert protocol.last_question is not None
                    self.missing.setdefault(task.id, {})[protocol.last_question] = SEVERAL_DATA
                continue
            posed = self.job.prompter.last(task, _answers(events))
            if posed is not None:
                yield posed

    # What is kept

    def save(self) -> None:
        """Store the answers that are new with their tasks, and write the card."""
        if not self.events and not self.asking.done and (self.before is None or self.before == self.card()):
            return  # nothing came of it, and no killed run left a card that says too little
        if self.events:
            if self.before is None and not self.new:
                write_card(self.job.folder, self.card())  # no answer is there without what it depends on
            tasks = {task.id: task for task in self.job.tasks}
            wanted = dict.fromkeys(event.task for event in self.events)
            first = [tasks[id].repeat_of for id in wanted]
            wanted = dict.fromkeys([*(id for id in first if id is not None and id in tasks), *wanted])
            items: list[Item] = [(ORIGIN, tasks[id]) for id in wanted]
            if self.job.protocol.source:
                items.append((ORIGIN, self.job.protocol))
            items += [(ORIGIN, event) for event in self.events]
            self.new += take(self.job.folder, self.store, items).answers
            self.events = []
        write_card(self.job.folder, self.card())
        self.saved = self.clock()

    def card(self) -> JudgeCard:
        job, asking, before = self.job, self.asking, self.before
        answered = sum(len(events) for events in self.answered.values())
        reasons = Counter(why for by_question in self.missing.values() for why in by_question.values())
        missing = {task: by_question for task, by_question in self.missing.items() if by_question}
        template = job.prompter.template
        settings: dict[str, Any] = {
            "model": job.server.model,
            "template": template.text,
            "template_hash": template.hash,
            "show": list(job.prompter.show),
            "max_words": job.options.max_words,
            "words_cut": dict(job.prompter.cut),
            "score": job.options.score,
            "temperature": job.options.temperature,
            "seed": job.options.seed,
            "max_tokens": job.options.max_tokens,
            "retries_invalid": job.options.retries_invalid,
            "both_orders": job.options.both_orders,
            "share_again": job.options.share_again,
            "missing": missing if reasons.total() <= MOST_NAMED else {},
            "counted": asking.counted_now(),
        }
        if self.planted is not None:
            settings["planted"] = self.planted
        return JudgeCard(
            name=job.name,
            kind=ORIGIN,
            protocol=job.protocol.name,
            model=job.server.model,
            family=job.options.family or ("" if before is None else before.family),
            signature=job.signature,
            settings=settings,
            asked=answered + reasons.total(),
            answered=answered,
            invalid=dict(reasons),
            **asking.taken(),
        )

    def result(self) -> LlmJudged:
        cut = cut_words(self.job.prompter.cut)
        card = self.card()
        first = [posed for posed in self.posed if (posed.task.id, posed.question) not in self.known]
        lacking = [
            posed for posed in first if posed.question in self.missing.get(posed.task.id, {})
        ]  # and not only left out by a limit
        return LlmJudged(
            card=card,
            questions=tuple(self._counts()),
            tasks=len(self.job.tasks),
            new=self.new,
            cached=self.asking.cached,
            stopped=self.stopped,
            left=self.left,
            failed=bool(card.asked) and (not card.answered or (bool(lacking) and len(lacking) == len(first))),
            kept=self.asking.of_others(),
            notes=(*self.job.notes, *([] if cut is None else [cut]), *self._covered()),
        )

    def _covered(self) -> Iterator[str]:
        """What share of the probability weighted answers rest on."""
        shares = [
            event.answer["covered"]
            for events in self.answered.values()
            for event in events.values()
            if "covered" in event.answer
        ]
        if shares:
            yield (
                f"the choices of weighted answers have {min(shares):.0%} to {max(shares):.0%} of the probability, in"
                f" the mean {fmean(shares):.0%}"
            )

    def _counts(self) -> Iterator[QuestionCount]:
        answered = Counter(
            self.job.protocol.counted_as(q) for events in self.answered.values() for q in events
        )
        missing: dict[str, Counter[str]] = {}
        for by_question in self.missing.values():
            for question, why in by_question.items():
                missing.setdefault(self.job.protocol.counted_as(question), Counter())[why] += 1
        order = [self.job.protocol.counted_as(question) for question in self.job.protocol.asked([""])]
        for question in sorted({*answered, *missing}, key=lambda name: order.index(name)):
            yield QuestionCount(question, answered[question], dict(missing.get(question, {})))


def _answered(store: Store, name: str, protocol: Protocol) -> dict[str, Mapping[str, Event]]:
    """By task, the answers of a judge under a protocol that count now."""
    judged_tasks = (
        judged for judged in store.current(assessor=name) if judged.task.protocol == protocol.name
    )
    return {judged.task.id: judged.answers for judged in judged_tasks}


def _answers(events: Mapping[str, Event]) -> dict[str, Mapping[str, Any]]:
    return {question: event.answer for question, event in events.items()}
