"""A studio in a process of its own, used over plain HTTP."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from processes import in_session

PROGRAM = """goal(4).
at(0,0).
#program step(t).
{ occurs(up,t) } = 1.
at(X+1,t) :- at(X,t-1), occurs(up,t).
#program check(t).
:- query(t), goal(N), not at(N,t).
"""
ENDLESS = "n(1..1000000). p(X,Y,Z) :- n(X), n(Y), n(Z), X < Y, Y < Z.\n"


@dataclass(frozen=True)
class Running:
    """A studio that runs."""

    process: subprocess.Popen[str]
    address: str

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def path(self) -> str:
        return urlsplit(self.address).path

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, str]:
        """Return status and text of an answer to a request with any headers."""
        connection = http.client.HTTPConnection(self.host, timeout=10)
        connection.putrequest(method, path, skip_host=True)
        given = {"Host": self.host} | headers
        if body is not None:
            given["Content-Length"] = str(len(body))
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders((body or "").encode())
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def events(self) -> Iterator[tuple[str, Any]]:
        """Yield the events for browsers, section by section."""
        with urlopen(f"{self.address}events", timeout=60) as opened:
            section = ""
            for line in opened:
                kind, _, value = line.decode().strip().partition(": ")
                if kind == "event":
                    section = value
                elif kind == "data":
                    yield section, json.loads(value)

    def told(self, section: str) -> Any:
        """Return the content of the first event of a section."""
        return next(value for name, value in self.events() if name == section)

    def interrupt(self) -> int:
        """The exit status after Ctrl-C, which a terminal sends to all processes."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=90)


@contextmanager
def running(*words: str, cwd: Path, command: str = "studio") -> Iterator[Running]:
    """Yield a server; end it with Ctrl-C and assert that no process is left."""
    for package in ("starlette", "uvicorn", "watchfiles"):
        pytest.importorskip(package, reason="needs the extra studio")
    # Whatever these tests were started by, the studio heeds its signals.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    heeds += "; signal.signal(signal.SIGHUP, signal.SIG_DFL)"
    python = [sys.executable, "-c", f"{heeds}; from asplan.cli import main; main()", command]
    with subprocess.Popen(
        [*python, *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            studio = Running(process, process.stdout.readline().split()[-1])
            yield studio
            assert process.poll() is not None or studio.interrupt() == 130
            assert in_session(process.pid) == []
        finally:
            for left in in_session(process.pid):
                os.kill(left, signal.SIGKILL)
