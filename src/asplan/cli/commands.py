"""The command group `asplan`, which imports a command when it is called, and handles its errors."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import click

from asplan.core.errors import (
    AsplanError,
    Bug,
    UsageError,
    bug_of,
    bug_report,
    suggest,
    system_error,
)
from asplan.core.files import ASP, STDIN, is_there, nearest_files
from asplan.core.limits import EndSignal, has_memory_limit, signal_behind
from asplan.core.registry import entries
from asplan.core.text import shortened
from asplan.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from asplan.catalog import ShippedFile

# The commands with their summaries, in the order of the help, which imports no command of asplan.
_GROUPS = {
    "Plan": {
        "solve": "Find a shortest plan, check it, and prove bounds.",
        "validate": "Check that a plan leads from the instance to its goal.",
        "render": "Draw a plan: an animation, a page with a player, or pictures.",
        "play": "Open a page on which you play a puzzle, with hints.",
    },
    "Understand": {
        "check": "Warn of likely mistakes in a program, without solving it.",
        "explain": "Explain why there is no plan, or why a plan is refused.",
        "analyse": "Explore and count the reachable states.",
        "profile": "Count the instantiations of each rule by step.",
        "studio": "Serve a page that solves the files whenever one is saved.",
    },
    "Compare": {
        "compare": "Measure the size of encodings, and their time and memory.",
        "bench": "Run methods on many instances, and compare their results.",
        "grade": "Grade many people's encodings or heuristics of a domain.",
    },
    "Make": {
        "new": "Make a folder with a small working domain, to change it.",
        "generate": "Make different puzzles with a proven number of moves.",
        "convert": "Turn boards in other notations into instances, and back.",
        "list": "Show the shipped domains, and the engines.",
    },
    "Serve": {
        "lsp": "Serve an editor: warnings, names and plans of ASP and PDDL.",
        "mcp": "Serve the commands of asplan as tools for a coding agent.",
    },
}
_SUMMARIES = {name: text for commands in _GROUPS.values() for name, text in commands.items()}


_HELP = "help"
_EXIT_CODES = "exit-codes"  # a topic of the help


class _Commands(click.Group):
    """The command group `asplan`: entry points of the group `asplan.commands` are its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return [name for names in _groups().values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command with a name; None if there is no such command."""
        entry = entries("asplan.commands").get(cmd_name)
        command: click.Command | None = entry.load() if entry else None
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help's lists of commands, by group, and of options."""
        for title, names in _groups().items():
            rows = [(f"{name:8}", self._summary(ctx, name)) for name in names]
            if not rows:  # an installation made before these commands
                continue
            with formatter.section(title):
                formatter.write_dl(rows)
        click.Command.format_options(self, ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with a word, without importing a command."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self._summary(ctx, name)) for name in names]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def _summary(self, ctx: click.Context, name: str) -> str:
        """Return the summary of a command.

        Only commands of other packages are imported; summaries of asplan's own are stored.
        """
        command = None if name in _SUMMARIES else self.get_command(ctx, name)
        return command.get_short_help_str(100) if command else _SUMMARIES[name]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line.

        `FILE…` means `solve FILE…`, `help COMMAND` means `COMMAND --help`, and `help exit-codes`
        prints the exit statuses.
        """
        if args == [_HELP, _EXIT_CODES]:
            from asplan.cli.exit_codes import exit_codes_text

            click.echo(exit_codes_text(), nl=False)
            ctx.exit()
        if args[:1] == [_HELP]:
            _refuse_misspelt_topic(args[1:])
            return super().parse_args(ctx, [*args[1:], "--help"])
        return super().parse_args(ctx, ["solve", *args] if self._begins_solve(ctx, args) else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names; raise `UsageError` if there is none."""
        known = self.list_commands(ctx)
        if args[0] in known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        word = shortened(args[0])
        names = [*known, *(entry.name for entry in _instances())]
        close = [*get_close_matches(word, names, n=1), *nearest_files(word)]
        hint = suggest(close[:1]) or "asplan --help lists the commands"
        raise UsageError(f"{word!r} is neither a command nor a file", hint=hint)

    def _begins_solve(self, ctx: click.Context, args: list[str]) -> bool:
        """Return True if the first word is no command, but a file or an option of `solve`."""
        own = ("-h", "--help", "--version")
        if not args or args[0] in own or args[0] in entries("asplan.commands"):
            return False
        word = args[0].partition("=")[0]
        if word.startswith("-") and word != STDIN:
            return self._is_option_of_solve(ctx, word)
        return _is_instance(word)

    def _is_option_of_solve(self, ctx: click.Context, word: str) -> bool:
        solve = self.get_command(ctx, "solve")
        options: set[str] = set()
        for parameter in solve.get_params(ctx) if solve else []:
            options.update(parameter.opts)
        return word in options or word[:2] in options


def _is_instance(word: str) -> bool:
    """Return True if a word names a file or a shipped instance."""
    if word == STDIN or is_there(word) or word.endswith((*ASP, ".pddl")):
        return True
    return any(entry.is_called(word) for entry in _instances())


def _instances() -> list[ShippedFile]:
    from asplan.catalog import instances, rungs  # `asplan --version` does without

    return [*instances(), *rungs()]


def _groups() -> dict[str, list[str]]:
    """Return the names of the installed commands, by the title of their group in the help."""
    installed = entries("asplan.commands")
    groups = {}
    for title, names in _GROUPS.items():
        groups[title] = [name for name in names if name in installed]
    others = [name for name in installed if name not in _SUMMARIES]
    if others:
        groups["Other"] = others
    return groups


_EPILOG = """
Exit status: 0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
4 a plan failed its validation, 130 interrupted. All of them: asplan help exit-codes.

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
    asplan solve --help       see the options of a command
    """  # noqa: D301  # click reads the character \b


INTERRUPTED = 130
NO_READER = 141  # 128 + SIGPIPE, as of other tools without a reader of their output


def _refuse_misspelt_topic(words: list[str]) -> None:
    """Raise `UsageError` if the word after `help` is a misspelling of the topic `exit-codes`."""
    from difflib import get_close_matches

    if len(words) == 1 and get_close_matches(words[0], [_EXIT_CODES], cutoff=0.8):
        word = shortened(words[0])
        hint = suggest([_EXIT_CODES])
        raise UsageError(f"{word!r} is neither a command nor a file", hint=hint)


def run_command(words: list[str]) -> int:
    """Run a command with its words, print any error, and return the exit status."""
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
    """Print a message about the exception that has ended a command; return the exit status."""
    cause = signal_behind(error)
    if isinstance(cause, EndSignal):
        return cause.status
    if cause is not None:
        return _print_error("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return NO_READER
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return _show_help(error, words)
    if isinstance(error, click.ClickException):
        from asplan.cli.usage import plain_usage_error

        error = plain_usage_error(error)
    if "--debug" in words:
        import traceback

        traceback.print_exception(error)
    return _report(error, words)


def _show_help(error: click.UsageError, words: list[str]) -> int:
    """Show a command's help, or for `asplan` alone the first screen; return the exit status."""
    if words or not sys.stdout.isatty():
        error.show()
        return error.exit_code
    from asplan.cli.welcome import WELCOME

    click.echo(WELCOME, nl=False)
    return 0


def _run(words: list[str]) -> int:
    """Run a command, or complete its words for a shell; return the exit status."""
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


def _report(error: BaseException, words: list[str]) -> int:
    """Print an error, or the report of a bug if it is unexpected; return the exit status."""
    is_starved = isinstance(error, ImportError | SystemError) and has_memory_limit()
    if isinstance(error, MemoryError) or is_starved:
        return _print_error("out of memory", 1)
    if isinstance(error, OSError):
        error = system_error(error)
    if isinstance(error, AsplanError) and not isinstance(error, Bug):
        from asplan.cli.diagnostics import print_error

        print_error(error)
        return error.exit_status
    bug = bug_of(error)
    return _print_error(bug_report(bug, words), bug.exit_status)


def _print_error(text: str, status: int) -> int:
    _echo(f"asplan: {text}\n")
    return status


def _echo(text: str) -> None:
    with suppress(OSError):  # without standard error, the status has to do
        click.echo(text, err=True, nl=False)


def _make_streams_safe() -> None:
    """Make sure that standard output and standard error are open and can print any text."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # No other file may get the number of a standard stream.
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _flush(stream: TextIO) -> None:
    """Flush a stream; if that fails, drop the rest of its output.

    Otherwise Python would flush it again when it ends, and print an error.
    """
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `EndSignal` in this block, so that the process cleans up."""

    def end(number: int, frame: FrameType | None) -> None:
        raise EndSignal(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number in numbers:
            if before[number] == signal.SIG_DFL:  # nohup ignores SIGHUP
                signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
