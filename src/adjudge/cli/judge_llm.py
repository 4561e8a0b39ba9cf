"""adjudge judge llm"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

import adjudge
from adjudge.cli import options
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import say, show, show_json, warn
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.assessors.llm.exchange import AskProgress, LlmServer
    from adjudge.assessors.llm.judging import LlmJob, LlmJudged, LlmOptions

EXAMPLE = (
    "adjudge judge llm my-eval --protocol rating --url http://localhost:8000/v1 --model qwen3-8b --dry-run"
)
MODEL, ASKED, TEXTS, LIMITS = "Which model", "What is asked", "How it is asked", "Limits"
"""Panels of the help."""
NAMED = {
    "max_cost needs prices of prompts and answers": "--max-cost needs --price-prompt and --price-answer",
    "the price of a million prompt tokens": "--price-prompt",
    "the price of a million answer tokens": "--price-answer",
    "max_tokens": "--max-tokens-total",
    "ask_anew=True": "--ask-anew",
    "another name": "another --name",
    "score=top": "--score top",
    "out of show": "out of --show",
    "show names": "--show names",
    "show is": "--show is",
    **{
        name: f"--{name.replace('_', '-')}"
        for name in ("concurrency", "per_minute", "tokens_per_minute", "max_requests", "max_cost", "retries")
    },
    "timeout is": "--timeout is",
    "temperature is": "--temperature is",
}
"""What the library calls arguments, as options."""
NO_MODEL = "say where the model is: --url http://localhost:8000/v1 --model NAME, or --local"


class LlmCommand(TyperCommand):
    """Takes --local alone, and with the file of a model: --local PATH.gguf."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_local_model(args))


COMMAND_CLASS = LlmCommand


def with_local_model(words: Sequence[str]) -> list[str]:
    """The words with --local-model where --local has a value, which is a file's name that ends in .gguf."""
    rewritten: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if word.startswith("--local="):
            rewritten += ["--local-model", word.partition("=")[2]]
        elif before == "--local" and word.lower().endswith(".gguf"):
            rewritten[-1:] = ["--local-model", word]
        else:
            rewritten.append(word)
    return rewritten


def llm(
    evaluation: options.Folder,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="What it is asked; evaluation.toml's unless given.",
            autocompletion=complete_protocols,
            rich_help_panel=ASKED,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            rich_help_panel=MODEL,
            metavar="URL",
            help="Of a server with OpenAI's interface, such as .../v1.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", rich_help_panel=MODEL, metavar="NAME", help="As the server calls it."),
    ] = None,
    local: Annotated[
        bool,
        typer.Option(
            "--local",
            rich_help_panel=MODEL,
            help="The small model of adjudge\\[local-judge], offline; --local PATH.gguf takes a better one.",
        ),
    ] = False,
    local_model: Annotated[
        Path | None, typer.Option("--local-model", metavar="PATH.gguf", hidden=True)
    ] = None,
    reuse_prompts: Annotated[
        bool,
        typer.Option(
            "--reuse-prompts",
            rich_help_panel=MODEL,
            help="Of --local: faster where prompts begin alike; then answers depend a little on what came before.",
        ),
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            rich_help_panel=MODEL,
            min=1,
            metavar="N",
            help="Of --local; as many as there are cores unless given.",
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(
            "--key-env",
            rich_help_panel=MODEL,
            metavar="VARIABLE",
            help="Environment variable that holds the server's key.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", rich_help_panel=ASKED, metavar="NAME", help="The judge's; the model's unless given."
        ),
    ] = None,
    score: Annotated[
        str,
        typer.Option(
            "--score",
            rich_help_panel=TEXTS,
            metavar="top|weighted",
            help="The answer, or the scale's mean by probability.",
        ),
    ] = "top",
    template: Annotated[
        Path | None,
        typer.Option(
            "--template",
            rich_help_panel=TEXTS,
            metavar="FILE",
            help="A prompt of your own; see --show-prompt.",
        ),
    ] = None,
    show_what: Annotated[
        str | None,
        typer.Option(
            "--show",
            rich_help_panel=TEXTS,
            metavar="A,B",
            help="What it sees beside what it judges: documents, reference, or nothing; what people see unless given.",
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words",
            rich_help_panel=TEXTS,
            min=0,
            metavar="N",
            help="Cut a topic's documents to so many words.",
        ),
    ] = None,
    repeats: Annotated[
        float,
        typer.Option(
            "--repeats",
            rich_help_panel=ASKED,
            min=0,
            max=1,
            metavar="SHARE",
            help="Of tasks, asked once more.",
        ),
    ] = 0.1,
    ask_anew: Annotated[
        bool,
        typer.Option(
            "--ask-anew",
            rich_help_panel=ASKED,
            help="Ask also where a reply of another judge is kept, and replace it; the same command goes on after a"
            " break.",
        ),
    ] = False,
    one_order: Annotated[
        bool,
        typer.Option(
            "--one-order",
            rich_help_panel=ASKED,
            help="Show each pair once; it is shown both ways round unless given.",
        ),
    ] = False,
    pairs: Annotated[
        int | None,
        typer.Option("--pairs", rich_help_panel=ASKED, min=1, metavar="N", help="So many pairs a topic."),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic",
            rich_help_panel=ASKED,
            metavar="T",
            help="Topics to judge; all unless given.",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            rich_help_panel=ASKED,
            metavar="S",
            help="Systems to judge; all unless given.",
            show_default=False,
        ),
    ] = None,
    temperature: Annotated[
        float, typer.Option("--temperature", rich_help_panel=TEXTS, help="Of the model.")
    ] = 0.0,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            rich_help_panel=TEXTS,
            min=1,
            metavar="N",
            help="Of one answer (of a run: --max-tokens-total); what it needs unless given.",
        ),
    ] = None,
    retries_invalid: Annotated[
        int,
        typer.Option(
            "--retries-invalid",
            rich_help_panel=TEXTS,
            min=0,
            max=99,
            help="How often to ask again for a valid answer.",
        ),
    ] = 1,
    family: Annotated[
        str,
        typer.Option(
            "--family",
            rich_help_panel=ASKED,
            metavar="WORD",
            help="Part of the names of systems it may favour.",
        ),
    ] = "",
    concurrency: Annotated[
        int, typer.Option("--concurrency", rich_help_panel=LIMITS, min=1, help="Requests at a time.")
    ] = 8,
    per_minute: Annotated[
        float | None,
        typer.Option(
            "--per-minute", rich_help_panel=LIMITS, metavar="N", help="At most so many requests a minute."
        ),
    ] = None,
    tokens_per_minute: Annotated[
        float | None,
        typer.Option(
            "--tokens-per-minute",
            rich_help_panel=LIMITS,
            metavar="N",
            help="At most so many tokens a minute.",
        ),
    ] = None,
    max_requests: Annotated[
        int | None,
        typer.Option(
            "--max-requests", rich_help_panel=LIMITS, min=0, metavar="N", help="Stop after so many requests."
        ),
    ] = None,
    max_tokens_total: Annotated[
        int | None,
        typer.Option(
            "--max-tokens-total",
            rich_help_panel=LIMITS,
            min=0,
            metavar="N",
            help="Stop before a run takes so many tokens (of one answer: --max-tokens).",
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost",
            rich_help_panel=LIMITS,
            min=0,
            metavar="MONEY",
            help="Stop before this cost is passed.",
        ),
    ] = None,
    price_prompt: Annotated[
        float,
        typer.Option("--price-prompt", rich_help_panel=LIMITS, min=0, help="Of a million tokens of prompts."),
    ] = 0.0,
    price_answer: Annotated[
        float,
        typer.Option("--price-answer", rich_help_panel=LIMITS, min=0, help="Of a million tokens of answers."),
    ] = 0.0,
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            rich_help_panel=LIMITS,
            min=0,
            help="How often to send what failed for the server's sake again.",
        ),
    ] = 2,
    timeout: Annotated[
        float, typer.Option("--timeout", rich_help_panel=LIMITS, help="Seconds for one request.")
    ] = 120.0,
    check_planted: Annotated[
        int | None,
        typer.Option(
            "--check-planted",
            min=1,
            metavar="N",
            help="Judge nothing; see how far instructions planted in N summaries move it.",
        ),
    ] = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print the template and the first prompt; send nothing.")
    ] = False,
    seed: options.Seed = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count requests, tokens and the largest cost; send nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Let a language model judge under the same protocol as people; its answers are marked as a judge's.

    Texts are sent to the server that --url names. Run the same command again to go on after a break: nothing that was
    answered is asked twice. What the judge is worth is for its agreement with people to say.
    """
    from adjudge.assessors.llm.exchange import AskLimits, Prices
    from adjudge.assessors.llm.judging import LlmOptions, check_cost
    from adjudge.assessors.llm.prompts import load_template
    from adjudge.judgments.protocol import protocol_of

    with _as_options():
        options.one_of("--score", score, ("top", "weighted"))
        prices = Prices(price_prompt, price_answer)
        limits = AskLimits(
            concurrency=concurrency,
            per_minute=per_minute,
            tokens_per_minute=tokens_per_minute,
            max_requests=max_requests,
            max_tokens=max_tokens_total,
            max_cost=max_cost,
            retries=retries,
            timeout=timeout,
        )
        check_cost(limits, prices)
        where = Where(
            url,
            model,
            local=local or local_model is not None,
            file=local_model,
            reuse=reuse_prompts,
            threads=threads,
            key=_key(key_env),
            prices=prices,
        )
        e = adjudge.open(evaluation)
        if protocol is None and e.settings.protocol is None:
            raise UsageError(
                f"{evaluation}: no protocol is named: give --protocol NAME, or set protocol in evaluation.toml"
            )
        chosen = LlmOptions(
            name=name,
            score="weighted" if score == "weighted" else "top",
            template=None
            if template is None
            else load_template(protocol_of(e.folder, protocol).kind, template),
            show=None if show_what is None else _shown(show_what),
            max_words=max_words,
            temperature=temperature,
            seed=seed,
            max_tokens=max_tokens,
            retries_invalid=retries_invalid,
            share_again=repeats,
            both_orders=not one_order,
            pairs=pairs,
            topics=tuple(topic or ()),
            systems=tuple(system or ()),
            family=family,
            ask_anew=ask_anew,
        )
        if show_prompt:
            _show_prompt(_job(e, protocol, where.named(), chosen, to_ask=False), json)
        elif dry_run:
            _estimate(_job(e, protocol, where.named(), chosen), check_planted, json)
        else:
            with where.server() as server:
                _run(_job(e, protocol, server, chosen), limits, check_planted, json)


class Where:
    """Where the model is, as the options say."""

    def __init__(
        self,
        url: str | None,
        model: str | None,
        *,
        local: bool,
        file: Path | None,
        reuse: bool,
        threads: int | None,
        key: str | None,
        prices: Any,
    ):
        if local and url is not None:
            raise UsageError("--url and --local exclude each other")
        if local and model is not None:
            raise UsageError("--model names a model of a server (--url); with --local say --local PATH.gguf")
        self._url, self._model, self._key, self._prices = url, model, key, prices
        self._local, self._file, self._reuse, self._threads = local, file, reuse, threads

    def named(self) -> LlmServer:
        """The server by name alone, where nothing is sent."""
        from adjudge.assessors.llm.exchange import LlmServer

        if self._local:
            from adjudge.assessors.llm.local import find_model, model_name

            file = find_model() if self._file is None else self._file
            if not file.is_file():
                raise DataError(f"{file}: there is no such file; expected a model's (.gguf)")
            return LlmServer(url="", model=model_name(file), prices=self._prices)
        return LlmServer(url=self._url or "", model=self._model or "model", prices=self._prices)

    @contextmanager
    def server(self) -> Iterator[LlmServer]:
        from dataclasses import replace

        from adjudge.assessors.llm.exchange import LlmServer

        if self._local:
            from adjudge.assessors.llm.local import local_server

            with local_server(self._file, reuse_prompts=self._reuse, threads=self._threads) as local:
                yield replace(local, prices=self._prices)
            return
        if self._url is None:
            raise UsageError(NO_MODEL)
        if self._model is None:
            raise UsageError("--model is missing: the name of the model, as the server calls it")
        yield LlmServer(url=self._url, model=self._model, api_key=self._key, prices=self._prices)


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise UsageError(f"--key-env: there is no environment variable {quoted(variable)}, or it is empty")
    return key


def _shown(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    return () if names == ["nothing"] else tuple(names)


def _job(
    e: Any, protocol: str | None, server: LlmServer, chosen: LlmOptions, *, to_ask: bool = True
) -> LlmJob:
    from adjudge.assessors.llm.judging import prepare_judging

    return prepare_judging(e.folder, e.collection, protocol, server, chosen, to_ask=to_ask)


def _show_prompt(job: LlmJob, json: bool) -> None:
    first, template = job.first(), job.prompter.template
    schema = first.form.schema()
    if json:
        show_json(
            {
                "template": template.text,
                "template_hash": template.hash,
                "question": first.question,
                "messages": [dict(message) for message in first.messages],
                "schema": schema,
                "choices": list(first.form.choices),
                "signature": job.signature,
                "sent": False,
            }
        )
        return
    say(f"Template ({template.source}, {template.hash})", "bold")
    say(template.text.rstrip())
    print()
    say(f"The first prompt ({first.question})", "bold")
    for message in first.messages:
        say(f"[{message['role']}]")
        say(message["content"])
    if first.cut_words:
        warn(f"{counted(first.cut_words, 'word')} of the documents cut")
    say("nothing was sent")


def _estimate(job: LlmJob, planted: int | None, json: bool) -> None:
    from contextlib import nullcontext
    from dataclasses import asdict

    from adjudge.assessors.llm.cache import FILE, ReplyStore
    from adjudge.assessors.llm.planted import estimate_planted, sampled
    from adjudge.data.layout import JUDGES

    there = (job.folder.path / JUDGES / FILE).exists()
    with ReplyStore.of(job.folder) if there else nullcontext() as replies:
        estimate = job.estimate(replies) if planted is None else estimate_planted(job, planted, replies)
    tasks = len(job.tasks) if planted is None else len(sampled(job, planted))
    if json:
        show_json({**asdict(estimate), "judge": job.name, "tasks": tasks, "sent": False})
        return
    what = "" if planted is None else " to plant instructions in"
    say(f"{job.name} under {job.protocol.name}: {counted(tasks, 'task')}{what}")
    say(estimate.headline())
    for note in job.notes:
        warn(_in_options(note))
    say("nothing was sent; leave out --dry-run to ask")


def _run(job: LlmJob, limits: Any, planted: int | None, json: bool) -> None:
    from adjudge.assessors.llm.judging import run_judging
    from adjudge.assessors.llm.planted import check_planted

    try:
        with _ends_in_order(), _progress(job.name) as bar:
            if planted is not None:
                check = check_planted(job, planted, limits=limits, progress=bar)
            else:
                judged = run_judging(job, limits=limits, progress=bar)
    except KeyboardInterrupt as end:
        warn("interrupted; what was answered is kept, and the same command goes on from there")
        raise typer.Exit(143 if isinstance(end, _Terminated) else 130) from None
    if planted is not None:
        if json:
            show_json(check.as_dict())
        else:
            show(check.table())
            for line in (check.headline(), *check.table().notes, check.signature):
                say(_in_options(line))
        if not check.total.n:
            raise typer.Exit(1)
        return
    if json:
        show_json(judged.as_dict())
    else:
        _show(judged)
    if judged.failed:
        warn("every answer of this run is missing: see why, and --show-prompt for what was asked")
    if judged.stopped is not None or judged.failed:
        raise typer.Exit(1)


def _show(judged: LlmJudged) -> None:
    show(judged.table())
    for line in judged.lines():
        say(_in_options(line), "bold" if line == judged.others else "")
    say(judged.card.signature)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[AskProgress], None]]:
    """Replies, their rate and what they cost so far; silent where standard error is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(what, total=None, rate="")

        def note(state: AskProgress) -> None:
            if state.waiting is not None:
                warn(state.waiting)
            rate = "" if state.per_minute is None else f"{state.per_minute:,.0f}/min"
            cost = f" cost {state.cost:.4f}" if state.cost else ""
            bar.update(
                task, completed=state.done, total=state.of, rate=f"{rate}{cost} {state.tokens:,} tokens"
            )

        yield note


class _Terminated(KeyboardInterrupt):
    """SIGTERM: as Ctrl-C, and another exit code."""


@contextmanager
def _ends_in_order() -> Iterator[None]:
    """Save what was answered also where the process is told to end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread alone
        return

    def end(number: int, frame: Any) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _as_options() -> Iterator[None]:
    """What is wrong with an argument is said of the option that gave it."""
    try:
        yield
    except (UsageError, DataError) as error:
        text = _in_options(str(error))
        if text == str(error):
            raise
        raise (UsageError if isinstance(error, UsageError) else DataError)(text) from None


def _in_options(text: str) -> str:
    names = "|".join(map(re.escape, sorted(NAMED, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])({names})(?![\w-])", lambda match: NAMED[match[0]], text)
