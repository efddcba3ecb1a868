"""Commands in a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from conftest import command_server

_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(*words: str, width: int = 80, errors: bool = False) -> list[str]:
    """The lines that a command prints into a terminal, without colours and spaces at their ends.

    If `errors`, they are those of standard error.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    given = command_server().surroundings()
    environment = {k: v for k, v in given.items() if k not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        ["asplan", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if errors else theirs,
        stderr=theirs if errors else subprocess.PIPE,
        env={**environment, "TERM": "xterm"},
    )
    os.close(theirs)
    printed = b""
    try:
        while some := os.read(ours, 1 << 16):
            printed += some
    except OSError:  # so a terminal tells that nobody writes any more
        pass
    os.close(ours)
    _, error = process.communicate(timeout=60)
    assert not error, error.decode()
    return [line.rstrip() for line in _STEERING.sub("", printed.decode()).splitlines()]
