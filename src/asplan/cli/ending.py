"""How a command ends: its exit status, and the message where something went wrong."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from types import FrameType
from typing import TextIO

import click

from asplan.cli.commands import cli
from asplan.core.errors import LONGEST, AsplanError, Bug, bug_of, system_error, what_to_send
from asplan.core.limits import is_starved
from asplan.core.text import printable, shortened

INTERRUPTED = 130
NO_READER = 141
"""128 + SIGPIPE: so it is with other tools when the reader of their output goes."""


class EndSignal(BaseException):
    """SIGTERM or SIGHUP came; `status` is the one that they end with."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number


def run_command(words: list[str]) -> int:
    """Run a command to its end, whatever happens; its exit status."""
    _make_streams_safe()
    try:
        with _signals_as_exceptions():
            status = _run(words)
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = _say("interrupted", INTERRUPTED)
    except EndSignal as signal_:
        status = signal_.status
    except BrokenPipeError:
        status = NO_READER
    except click.ClickException as error:
        status = _say_usage(error)
    except BaseException as error:
        if "--debug" in words:
            import traceback

            traceback.print_exc()
        status = _say_error(error, words)
    _flush(sys.stdout)
    _flush(sys.stderr)
    return status


def _run(words: list[str]) -> int:
    if os.environ.get("_ASPLAN_COMPLETE"):
        with suppress(SystemExit):
            cli.main(words, prog_name="asplan")
        return 0
    try:
        with cli.make_context("asplan", list(words)) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return status if isinstance(status, int) else 0


def _say_error(error: BaseException, words: list[str]) -> int:
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError | SystemError) and is_starved()
    ):
        return _say("out of memory", 1)
    if isinstance(error, OSError):
        error = system_error(error)
    if isinstance(error, AsplanError) and not isinstance(error, Bug):
        return _say(str(error), error.exit_status)
    bug = bug_of(error)
    return _say(what_to_send(bug, words), bug.exit_status)


def _say(text: str, status: int) -> int:
    _echo(f"asplan: {text}\n")
    return status


def _say_usage(error: click.ClickException) -> int:
    text = StringIO()
    error.show(text)
    usage, mark, message = text.getvalue().partition("Error: ")
    message = message and printable(shortened(message, LONGEST - len(usage)))
    _echo(f"{usage}{mark}{message}")
    return error.exit_code


def _echo(text: str) -> None:
    with suppress(OSError):  # where there is no standard error, the status has to do
        click.echo(text, err=True, nl=False)


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


def _flush(stream: TextIO) -> None:
    """Flush a stream; what it does not take is dropped, so that nobody stumbles over it later."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Turn signals that would end the process at once into exceptions, so that it cleans up."""

    def end(number: int, frame: FrameType | None) -> None:
        raise EndSignal(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {n: signal.getsignal(n) for n in numbers}
    try:
        for number in numbers:
            if before[number] == signal.SIG_DFL:  # nohup ignores the one
                signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
