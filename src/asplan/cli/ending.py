"""How a command ends: its exit status, and what is said where something went wrong."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from types import FrameType
from typing import TextIO

import click

from asplan.cli.commands import cli
from asplan.errors import LONGEST, AsplanError, Bug, bug_of, system_error, what_to_send
from asplan.limits import is_starved
from asplan.text import printable, shortened

INTERRUPTED = 130
NO_READER = 141
"""128 + SIGPIPE: so it is with other tools when the reader of their output goes."""


class ToldToEnd(BaseException):
    """SIGTERM or SIGHUP came; `status` is the one that they end with."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number


def ended(words: list[str]) -> int:
    """Run a command; its exit status, when all that it has to say is said."""
    _make_streams_safe()
    debug = "--debug" in words
    try:
        with _told_to_end():
            status = _run(words)
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = _said("interrupted", INTERRUPTED)
    except ToldToEnd as told:
        status = told.status
    except BrokenPipeError:
        status = NO_READER
    except click.ClickException as error:
        status = _shown(error)
    except BaseException as error:
        if debug:
            traceback.print_exc()
        status = _failed(error, words)
    _let_go(sys.stdout)
    _let_go(sys.stderr)
    return status


def _run(words: list[str]) -> int:
    if os.environ.get("_ASPLAN_COMPLETE"):
        with suppress(SystemExit):
            cli.main(words, prog_name="asplan")
        return 0
    try:
        with cli.make_context("asplan", list(words)) as context:
            cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return 0


def _failed(error: BaseException, words: list[str]) -> int:
    """Say what went wrong."""
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError | SystemError) and is_starved()
    ):
        return _said("out of memory", 1)
    if isinstance(error, OSError):
        error = system_error(error)
    if isinstance(error, AsplanError) and not isinstance(error, Bug):
        return _said(str(error), error.exit_status)
    bug = bug_of(error)
    return _said(what_to_send(bug, words), bug.exit_status)


def _said(text: str, status: int) -> int:
    with suppress(OSError):  # where there is no standard error, the status has to do
        click.echo(f"asplan: {text}", err=True)
    return status


def _shown(error: click.ClickException) -> int:
    text = StringIO()
    error.show(text)
    usage, mark, message = text.getvalue().partition("Error: ")
    message = printable(shortened(message, LONGEST - len(usage)))
    with suppress(OSError):
        click.echo(f"{usage}{mark}{message}", err=True, nl=False)
    return error.exit_code


def _make_streams_safe() -> None:
    """See to it that standard output and error exist, and take any text."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Nothing else that is opened may get the number of a standard stream.
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _let_go(stream: TextIO) -> None:
    """Flush a stream; what it does not take is dropped, so that nobody stumbles over it later."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _told_to_end() -> Iterator[None]:
    """Turn signals that would end the process at once into exceptions, so that it cleans up."""

    def tell(number: int, frame: FrameType | None) -> None:
        raise ToldToEnd(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {n: signal.getsignal(n) for n in numbers}
    try:
        for number in numbers:
            if before[number] == signal.SIG_DFL:  # nohup ignores the one
                signal.signal(number, tell)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
