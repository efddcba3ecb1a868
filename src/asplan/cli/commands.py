"""The commands by name, each imported when it is called, and how one ends: status and message."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import click

from asplan.core.errors import LONGEST, AsplanError, Bug, bug_of, bug_report, system_error
from asplan.core.files import ASP, STDIN, is_there, nearest_files
from asplan.core.limits import EndSignal, has_memory_limit, signal_behind
from asplan.core.registry import entries
from asplan.core.text import printable, shortened
from asplan.version import __version__

if TYPE_CHECKING:
    from asplan.problem.catalog import Entry

# The commands in the order in which the help names them; those of other packages follow.
_GROUPS = {
    "Plan": ("solve", "validate", "render", "play"),
    "Understand": ("check", "explain", "analyse", "profile", "studio"),
    "Compare": ("compare", "bench", "grade"),
    "Make": ("new", "generate", "convert", "list"),
}


_HELP = "help"


class _Commands(click.Group):
    """The commands that are registered as entry points in the group `asplan.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in _groups().values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = entries("asplan.commands").get(cmd_name)
        command: click.Command | None = entry.load() if entry else None
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _groups().items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(f"{n:8}", c.get_short_help_str(100)) for n, c in found if c])
        click.Command.format_options(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `asplan FILE…` as `asplan solve FILE…`, and `asplan help COMMAND` as `--help`."""
        if args[:1] == [_HELP]:
            return super().parse_args(ctx, [*args[1:], "--help"])
        return super().parse_args(ctx, ["solve", *args] if self._begins_solve(ctx, args) else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a word that is none may be misspelt."""
        known = self.list_commands(ctx)
        if args[0] in known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        word = shortened(args[0])
        names = [*known, *(entry.name for entry in _instances())]
        close = [*get_close_matches(word, names, n=1), *nearest_files(word)]
        hint = "".join(f" Did you mean {name}?" for name in close[:1])
        raise click.UsageError(f"{word!r} is neither a command nor a file.{hint}", ctx)

    def _begins_solve(self, ctx: click.Context, args: list[str]) -> bool:
        """Whether the first word is a file, or an option of solve."""
        own = ("-h", "--help", "--version")
        if not args or args[0] in own or args[0] in entries("asplan.commands"):
            return False
        word = args[0].partition("=")[0]
        if word.startswith("-") and word != "-":
            solve = self.get_command(ctx, "solve")
            known = [name for p in solve.get_params(ctx) for name in p.opts] if solve else []
            return word in known or word[:2] in known
        if word == STDIN or is_there(word) or word.endswith((*ASP, ".pddl")):
            return True
        return any(entry.is_called(word) for entry in _instances())


def _instances() -> list[Entry]:
    # Imported where a word may be the name of one: `asplan --version` does without.
    from asplan.problem.catalog import instances, rungs

    return [*instances(), *rungs()]


def _groups() -> dict[str, list[str]]:
    known = entries("asplan.commands")
    groups = {title: [n for n in names if n in known] for title, names in _GROUPS.items()}
    other = [name for name in known if all(name not in names for names in _GROUPS.values())]
    return groups | ({"Other": other} if other else {})


_EPILOG = """
Exit status: 0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
4 a plan failed its validation, 130 interrupted.

\b
Shell completion, for bash, zsh and fish:
eval "$(_ASPLAN_COMPLETE=bash_source asplan)"
eval "$(_ASPLAN_COMPLETE=zsh_source asplan)"
_ASPLAN_COMPLETE=fish_source asplan | source
"""


@click.group(
    cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="asplan")
def cli() -> None:
    """Plan with Answer Set Programming: shortest plans, proven, checked and shown.

    \b
    asplan sample02           solve a shipped puzzle
    asplan enc.lp inst.lp     solve a program of your own
    asplan solve --help       see what a command can do
    """


INTERRUPTED = 130
NO_READER = 141  # 128 + SIGPIPE: so it is with other tools when the reader of their output goes


def run_command(words: list[str]) -> int:
    """Run a command to its end, whatever happens, and return its exit status."""
    _make_streams_safe()
    try:
        with _signals_as_exceptions():
            status = _run(words)
            sys.stdout.flush()
    except BaseException as error:
        status = _end_with(error, words)
    _flush(sys.stdout)
    _flush(sys.stderr)
    return status


def _end_with(error: BaseException, words: list[str]) -> int:
    """Report an exception that ends a command, and return the exit status."""
    if (cause := signal_behind(error)) is not None:
        return cause.status if isinstance(cause, EndSignal) else _say("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return NO_READER
    if isinstance(error, click.ClickException):
        return _say_click(error)
    if "--debug" in words:
        import traceback

        traceback.print_exception(error)
    return _say_error(error, words)


def _say_click(error: click.ClickException) -> int:
    text = StringIO()
    error.show(text)
    usage, mark, message = text.getvalue().partition("Error: ")
    message = message and printable(shortened(message, LONGEST - len(usage)))
    _echo(f"{usage}{mark}{message}")
    return error.exit_code


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
        isinstance(error, ImportError | SystemError) and has_memory_limit()
    ):
        return _say("out of memory", 1)
    if isinstance(error, OSError):
        error = system_error(error)
    if isinstance(error, AsplanError) and not isinstance(error, Bug):
        return _say(str(error), error.exit_status)
    bug = bug_of(error)
    return _say(bug_report(bug, words), bug.exit_status)


def _say(text: str, status: int) -> int:
    _echo(f"asplan: {text}\n")
    return status


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
