"""The real server in a process of its own, which can be killed and started again on the same port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 60.0


class Server:
    """`adjudge serve` on a free port of this computer."""

    def __init__(self, folder: Path, *options: str):
        self.folder, self.options = folder, options
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = self._run()
        end = time.monotonic() + PATIENCE
        while not self._listens():
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}")
            if time.monotonic() > end:
                raise TimeoutError("the server does not listen")
            time.sleep(0.02)

    def _run(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "adjudge", "serve", str(self.folder), "--port", str(self.port)]
        return subprocess.Popen([*command, *self.options], stdout=subprocess.DEVNULL)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """As a power cut does: no chance to tidy up."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
