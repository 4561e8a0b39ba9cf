"""The real server in a process of its own, which can be killed and started again on the same port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.waiting import HANG, free_port, until_listening


class Server:
    """`adjudge serve` on a free port of this computer."""

    def __init__(self, folder: Path, *options: str):
        self.folder, self.options = folder, options
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = self._run()
        until_listening(self.port, self.process)

    def _run(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "adjudge", "serve", str(self.folder), "--port", str(self.port)]
        return subprocess.Popen([*command, *self.options], stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """As a power cut does: no chance to tidy up."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(HANG)
