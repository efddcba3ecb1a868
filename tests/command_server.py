"""A server that runs commands of asplan in forks of a process with all imports.

A command starts in a few milliseconds that way, and yet runs, ends and dies as a process. Requests
and answers are lines of JSON on standard input and output. The commands of a shell come by a socket
(`asplan_client.py`) and have the streams of the shell.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

sys.path.append(str(Path(__file__).parent))
from processes import in_session

PATIENCE = 5.0
"""Seconds after which a command that serves has surely begun to, though it cannot say so."""

LIMITS = {
    "bytes": resource.RLIMIT_FSIZE,
    "files": resource.RLIMIT_NOFILE,
    "memory": resource.RLIMIT_AS,
}


def serve(path: str, charts: bool) -> None:
    """Answer requests until there are no more."""
    shells = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    shells.bind(path)
    shells.listen()
    os.register_at_fork(after_in_child=shells.close)
    _import_all()
    if charts:
        _import_charts()
    gc.freeze()  # what is shared with all children is not to be copied by a look at it
    while True:
        if shells in select.select([sys.stdin, shells], [], [])[0]:
            answer_shell(shells.accept()[0])
        elif line := sys.stdin.readline():
            print(json.dumps(attack(**json.loads(line))), flush=True)
        else:
            return


def answer_shell(shell: socket.socket) -> None:
    """Run a command with the streams of a shell; the child reports its end."""
    with shell:
        text, streams, _, _ = socket.recv_fds(shell, 1 << 20, 3)
        if os.fork() == 0:
            given = json.loads(text)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            _enter(given["folder"], given["env"])
            _run(given["words"], "utf-8", (True, True, True), shell)
    for stream in streams:
        os.close(stream)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _import_all() -> None:
    from importlib import import_module
    from pkgutil import walk_packages

    import asplan.bench.reports.report
    import asplan.cli
    import asplan.drawing
    import asplan.studio.server
    import asplan.studio.studio

    for package in asplan.cli, asplan.drawing:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def _import_charts() -> None:
    """Import the packages for charts and statistics, which double the time of a fork."""
    import matplotlib.figure  # noqa: F401
    import pandas  # noqa: F401
    import scipy.stats  # noqa: F401


def attack(
    words: list[str], folder: str, seconds: float, serves: bool = False, **given: Any
) -> dict[str, Any]:
    """Run a command; return its status, its time, and the number of processes that it left.

    One that serves gets a Ctrl-C as soon as it has said something.
    """
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(words, folder, **given)
    status = _wait(child, start + PATIENCE, Path(folder, "out")) if serves else None
    if serves and status is None:
        os.killpg(child, signal.SIGINT)
    if status is None:
        status = _wait(child, start + seconds)
    took = time.monotonic() - start
    left = _left_by(child)
    while status is not None and left and time.monotonic() < start + took + 1:
        time.sleep(0.02)
        left = _left_by(child)
    for process in left:
        os.kill(process, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return {"status": status, "seconds": took, "left": len(left)}


def _left_by(child: int) -> list[int]:
    """The processes of a command that run; to look through all that run takes as long as it."""
    try:
        os.killpg(child, 0)
    except ProcessLookupError:
        return []
    return in_session(child)


def _wait(child: int, deadline: float, out: Path | None = None) -> int | None:
    """Return the exit status of a child; None if it runs on or has written something."""
    while time.monotonic() < deadline and not (out and out.exists() and out.stat().st_size):
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def _become(
    words: list[str],
    folder: str,
    stdin: str | None = None,
    stdout: str = "out",
    stderr: str = "err",
    encoding: str = "utf-8",
    limits: dict[str, int] | None = None,
    env: dict[str, str] | None = None,
) -> None:
    """Turn this process into the command; it ends as Python ends."""
    os.setsid()
    _enter(folder, env)
    places = (os.devnull if stdin is None else stdin, stdout, stderr)
    flags = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for number, (place, flag) in enumerate(zip(places, flags, strict=True)):
        os.close(number)
        assert os.open(place or os.devnull, flag, 0o666) == number
    for number, place in enumerate(places):
        if not place:
            os.close(number)
    for name, value in (limits or {}).items():
        resource.setrlimit(LIMITS[name], (value, value))
    _run(words, encoding, tuple(map(bool, places)))


def _enter(folder: str, env: dict[str, str] | None) -> None:
    """Go to where the command is given."""
    os.chdir(folder)
    if env is not None:
        for name in set(os.environ) - set(env):
            del os.environ[name]
        os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _run(
    words: list[str], encoding: str, is_open: tuple[bool, ...], shell: socket.socket | None = None
) -> None:
    """Run the command with the streams that are open."""
    sys.stdin = open(0, encoding=encoding, closefd=False) if is_open[0] else None  # noqa: SIM115
    for name, number in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, _stream(number, encoding) if is_open[number] else None)
    from asplan.cli import main

    try:
        main([os.fsdecode(word.encode("utf-8", "surrogateescape")) for word in words])
    except SystemExit as ended:
        _end(ended.code, shell)


def _end(code: Any, shell: socket.socket | None) -> None:
    """End as Python does, but for the modules: to take them down is slower than most commands."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream and not stream.closed:
                stream.flush()
        except (OSError, ValueError):
            code = 120
    if shell:
        shell.send(bytes([code or 0]))
    os._exit(code or 0)


def _stream(number: int, encoding: str) -> TextIO:
    errors = "strict" if number == 1 else "backslashreplace"
    return open(number, "w", encoding=encoding, errors=errors, closefd=False)


if __name__ == "__main__":
    serve(sys.argv[1], charts="charts" in sys.argv)
