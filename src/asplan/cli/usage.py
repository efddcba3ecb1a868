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
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return ""
    group = error.ctx.parent or error.ctx
    similar = suggest(error.possibilities or ())
    if group.parent is not None:
        return _commands_with(error.option_name, group) or similar
    return similar or _commands_with(error.option_name, group)  # this imports all commands


def _commands_with(option: str, context: click.Context) -> str:
    """Return a hint with the commands of a group that have an option; empty if there are none.

    `context` is that of the group.
    """
    group = context.command
    if not isinstance(group, click.Group):
        return ""
    owners = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and any(option in param.opts for param in command.params):
            owners.append(f"{context.command_path} {name}")
    if not owners:
        return ""
    *others, last = owners
    names = f"{', '.join(others)} and {last}" if others else last
    return f"{names} {'have' if others else 'has'} {option}"


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
