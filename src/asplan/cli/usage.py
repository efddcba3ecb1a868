"""Errors in the words of a command line, translated from click's errors to asplan's."""

from __future__ import annotations

import click

from asplan.core.errors import UsageError, suggest


def plain_usage_error(error: click.ClickException) -> UsageError:
    """Return an error of click as a `UsageError`, with a hint to the help of the command."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    hints = [_suggestion(error)]
    if context is not None:
        hints.append(f"{context.command_path} --help shows how to use it")
    return UsageError(_message(error), hint="; ".join(filter(None, hints)))


def _suggestion(error: click.ClickException) -> str:
    if not isinstance(error, click.NoSuchOption):
        return ""
    return _commands_with(error) or suggest(error.possibilities or ())


def _commands_with(error: click.NoSuchOption) -> str:
    """Return a hint with the commands of a group that have an option; empty if there are none.

    The group `asplan` itself is left out, because all its commands would have to be imported.
    """
    context = error.ctx.parent if error.ctx else None
    if context is None or context.parent is None or not isinstance(context.command, click.Group):
        return ""
    group = context.command
    owners = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and any(error.option_name in param.opts for param in command.params):
            owners.append(f"{context.command_path} {name}")
    verb = "has" if len(owners) == 1 else "have"
    return f"{' and '.join(owners)} {verb} {error.option_name}" if owners else ""


def _message(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"no option is called {error.option_name}"
    if isinstance(error, click.MissingParameter):
        return f"{_name_of(error.param)} is missing"
    if isinstance(error, click.BadParameter):
        return f"{_name_of(error.param)}: {_as_clause(error.message)}"
    if isinstance(error, click.BadOptionUsage):
        return f"{error.option_name} needs a value"
    return _as_clause(error.message)


def _name_of(param: click.Parameter | None) -> str:
    """Return the longest name of an option, or the name of an argument in the help."""
    if param is None:
        return "a value"
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name.removesuffix("...")


def _as_clause(sentence: str) -> str:
    """Return a sentence without its first capital and full stop, so that it can follow a colon."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
