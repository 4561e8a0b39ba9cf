"""adjudge judge llm"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

import adjudge
from adjudge.cli import options
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import say, say_signature, show, show_json, warn
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.phrases import spoken
from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.assessors.llm.exchange import AskProgress
    from adjudge.assessors.llm.judging import LlmJob

EXAMPLE = (
    "adjudge judge llm my-eval --protocol rating --url http://localhost:8000/v1 --model qwen3-8b --dry-run"
)
MODEL, ASKED, TEXTS, LIMITS = "Which model", "What is asked", "How it is asked", "Limits"
"""Panels of the help."""
of_model, of_asked = (
    partial(typer.Option, rich_help_panel=MODEL),
    partial(typer.Option, rich_help_panel=ASKED),
)
of_texts, of_limits = (
    partial(typer.Option, rich_help_panel=TEXTS),
    partial(typer.Option, rich_help_panel=LIMITS),
)


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
        of_asked(
            "--protocol",
            metavar="NAME",
            help="Protocol: what people are asked. By default that of evaluation.toml.",
            autocompletion=complete_protocols,
        ),
    ] = None,
    url: Annotated[
        str | None,
        of_model("--url", metavar="URL", help="Server with OpenAI's interface, such as .../v1."),
    ] = None,
    model: Annotated[
        str | None, of_model("--model", metavar="NAME", help="Name of the model on the server.")
    ] = None,
    local: Annotated[
        bool,
        of_model(
            "--local",
            help="Use the small offline model of adjudge\\[local-judge]; --local PATH.gguf: another one.",
        ),
    ] = False,
    local_model: Annotated[
        Path | None, typer.Option("--local-model", metavar="PATH.gguf", hidden=True)
    ] = None,
    reuse_prompts: Annotated[
        bool,
        of_model(
            "--reuse-prompts",
            help="With --local: faster, but answers then depend slightly on earlier prompts.",
        ),
    ] = False,
    threads: Annotated[
        int | None,
        of_model(
            "--threads", min=1, metavar="N", help="With --local: number of threads; by default all cores."
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        of_model("--key-env", metavar="VARIABLE", help="Environment variable that holds the server's key."),
    ] = None,
    name: Annotated[
        str | None, of_asked("--name", metavar="NAME", help="Name of the judge; by default the model's.")
    ] = None,
    score: Annotated[
        str,
        of_texts(
            "--score",
            metavar="top|weighted",
            help="Take the answer, or the mean of the scale weighted by probability.",
        ),
    ] = "top",
    template: Annotated[
        Path | None,
        of_texts("--template", metavar="FILE", help="Template of your own prompt; see --show-prompt."),
    ] = None,
    show_what: Annotated[
        str | None,
        of_texts(
            "--show",
            metavar="A,B",
            help="What the judge also sees: documents, reference or nothing; by default what people see.",
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        of_texts("--max-words", min=0, metavar="N", help="Cut a topic's documents to this many words."),
    ] = None,
    repeats: Annotated[
        float,
        of_asked("--repeats", min=0, max=1, metavar="SHARE", help="Share of tasks that are asked twice."),
    ] = 0.1,
    ask_anew: Annotated[
        bool,
        of_asked(
            "--ask-anew",
            help="Ask again where another judge's reply is stored, and replace it.",
        ),
    ] = False,
    one_order: Annotated[
        bool, of_asked("--one-order", help="Show each pair in one order only, not in both.")
    ] = False,
    pairs: Annotated[int | None, of_asked("--per-topic", min=1, metavar="N", help="Pairs per topic.")] = None,
    topic: Annotated[
        list[str] | None,
        of_asked("--topic", metavar="TOPIC", help="Only these topics. May be repeated.", show_default=False),
    ] = None,
    system: Annotated[
        list[str] | None,
        of_asked(
            "--system", metavar="SYSTEM", help="Only these systems. May be repeated.", show_default=False
        ),
    ] = None,
    temperature: Annotated[float, of_texts("--temperature", help="Temperature of the model.")] = 0.0,
    max_tokens: Annotated[
        int | None,
        of_texts(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Most tokens of one answer; by default what the question needs.",
        ),
    ] = None,
    retries_invalid: Annotated[
        int,
        of_texts("--retries-invalid", min=0, max=99, help="How often to ask again after an invalid answer."),
    ] = 1,
    family: Annotated[
        str,
        of_asked(
            "--family",
            metavar="TEXT",
            help="Systems that the judge may favour: part of their names, such as gpt.",
        ),
    ] = "",
    concurrency: Annotated[int, of_limits("--concurrency", min=1, help="Requests at the same time.")] = 8,
    per_minute: Annotated[
        float | None, of_limits("--per-minute", metavar="N", help="Most requests per minute.")
    ] = None,
    tokens_per_minute: Annotated[
        float | None, of_limits("--tokens-per-minute", metavar="N", help="Most tokens per minute.")
    ] = None,
    max_requests: Annotated[
        int | None, of_limits("--max-requests", min=0, metavar="N", help="Most requests of this run.")
    ] = None,
    max_tokens_total: Annotated[
        int | None,
        of_limits(
            "--max-tokens-total",
            min=0,
            metavar="N",
            help="Most tokens of this run.",
        ),
    ] = None,
    max_cost: Annotated[
        float | None, of_limits("--max-cost", min=0, metavar="MONEY", help="Largest cost of this run.")
    ] = None,
    price_prompt: Annotated[
        float, of_limits("--price-prompt", min=0, help="Price of a million tokens of prompts.")
    ] = 0.0,
    price_answer: Annotated[
        float, of_limits("--price-answer", min=0, help="Price of a million tokens of answers.")
    ] = 0.0,
    retries: Annotated[
        int, of_limits("--retries", min=0, help="How often to repeat a request after an error of the server.")
    ] = 2,
    timeout: Annotated[float, of_limits("--timeout", help="Seconds to wait for one request.")] = 120.0,
    check_planted: Annotated[
        int | None,
        typer.Option(
            "--check-planted",
            min=1,
            metavar="N",
            help="Judge nothing; measure how instructions planted in N summaries change the answers.",
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
    show_signature: options.ShowSignature = False,
) -> None:
    """Let a language model judge under the same protocol as people; its answers are marked.

    Texts are sent to the server that --url names. After a break, run the same command again: nothing is asked twice.
    `adjudge judge report` says how well the judge agrees with people.
    """
    from adjudge.assessors.llm.exchange import AskLimits, LlmServer, Prices
    from adjudge.assessors.llm.judging import LlmOptions, check_cost, prepare_judging
    from adjudge.assessors.llm.local import find_model, local_server, model_name
    from adjudge.assessors.llm.prompts import load_template
    from adjudge.judgments.protocol import protocol_of

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
    if (local := local or local_model is not None) and url is not None:
        raise UsageError("--url and --local exclude each other")
    if local and model is not None:
        raise UsageError("--model names a model of a server (--url); with --local say --local PATH.gguf")
    key = None if key_env is None else os.environ.get(key_env)
    if key_env is not None and not key:
        raise UsageError(f"--key-env: there is no environment variable {quoted(key_env)}, or it is empty")
    e = adjudge.open(evaluation)
    if protocol is None and e.settings.protocol is None:
        raise UsageError(
            f"{evaluation}: no protocol is named: give --protocol NAME, or set protocol in evaluation.toml"
        )
    shown = None if show_what is None else [name.strip() for name in show_what.split(",") if name.strip()]
    kind = protocol_of(e.folder, protocol).kind if template is not None else ""
    chosen = LlmOptions(
        name=name,
        score="weighted" if score == "weighted" else "top",
        template=None if template is None else load_template(kind, template),
        show=None if shown is None else () if shown == ["nothing"] else tuple(shown),
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
    if show_prompt or dry_run:  # nothing is sent: the server by its name is enough
        if local:
            file = find_model() if local_model is None else local_model
            if not file.is_file():
                raise DataError(f"{file}: there is no such file; expected a model's (.gguf)")
            model = model_name(file)
        named = LlmServer(url=url or "", model=model or "model", prices=prices)
        job = prepare_judging(e.folder, e.collection, protocol, named, chosen, to_ask=not show_prompt)
        if show_prompt:
            _show_prompt(job, json)
        else:
            _estimate(job, check_planted, json)
        return
    serving: AbstractContextManager[LlmServer]
    if local:
        serving = local_server(local_model, reuse_prompts=reuse_prompts, threads=threads)
    elif url is None:
        raise UsageError("say where the model is: --url http://localhost:8000/v1 --model NAME, or --local")
    elif model is None:
        raise UsageError("--model is missing: the name of the model, as the server calls it")
    else:
        serving = nullcontext(LlmServer(url=url, model=model, api_key=key))
    with serving as server:
        server = replace(server, prices=prices)
        _run(prepare_judging(e.folder, e.collection, protocol, server, chosen), limits, check_planted, json)


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
        warn(note)
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
            for line in (check.headline(), *check.table().notes):
                say(line)
            say_signature(check.signature)
        if not check.total.n:
            raise typer.Exit(1)
        return
    if json:
        show_json(judged.as_dict())
    else:
        show(judged.table())
        kept = None if judged.kept is None else spoken(judged.kept, "command")
        for line in judged.lines("command"):
            say(line, "bold" if line == kept else "")
        say_signature(judged.card.signature)
    if judged.failed:
        warn("every answer of this run is missing: see why, and --show-prompt for what was asked")
    if judged.stopped is not None or judged.failed:
        raise typer.Exit(1)


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
