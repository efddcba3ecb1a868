"""The man page and the shell completions, made from the commands and installed with the wheel.

    python scripts/manual.py           write share/
    python scripts/manual.py --check   only say whether share/ is current

Run it after a change of a command, an option or a summary; a test runs the check.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from asplan.cli.commands import _GROUPS, cli
from asplan.cli.exit_codes import EXIT_CODES
from asplan.version import __version__

ROOT = Path(__file__).parents[1]
MAN = "share/man/man1/asplan.1"
COMPLETIONS = {
    "bash": "share/bash-completion/completions/asplan",
    "zsh": "share/zsh/site-functions/_asplan",
    "fish": "share/fish/vendor_completions.d/asplan.fish",
}
SUMMARY = "plan with Answer Set Programming: shortest plans, proven, checked and shown"


def files() -> dict[str, str]:
    """The text of each file below the root of the project."""
    made = {MAN: "\n".join(man_page()) + "\n"}
    for shell, path in COMPLETIONS.items():
        kind = get_completion_class(shell)
        assert kind is not None
        made[path] = kind(cli, {}, "asplan", "_ASPLAN_COMPLETE").source().rstrip() + "\n"
    return made


def man_page() -> Iterator[str]:
    """The lines of the man page, in the language of troff."""
    yield f'.TH ASPLAN 1 "" "asplan {__version__}" "User Commands"'
    yield from (".SH NAME", f"asplan \\- {plain(SUMMARY)}")
    yield from (".SH SYNOPSIS", ".B asplan")
    yield "[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... [\\fIFILE\\fR]..."
    yield ".SH DESCRIPTION"
    yield from paragraphs(
        "asplan finds a shortest plan for a planning problem in Answer Set Programming or PDDL, "
        "proves that none is shorter, checks the plan, and shows it. Without a command, FILE is "
        "solved. asplan COMMAND --help-all shows the same options as this page."
    )
    commands = load_commands()
    for title, names in _GROUPS.items():
        yield f'.SH "COMMANDS: {plain(title.upper())}"'
        for name in names:
            yield from describe(name, commands[name])
    yield ".SH EXIT STATUS"
    for status, meaning in EXIT_CODES.items():
        yield from (".TP", f".B {status}", plain(meaning))
    yield ".SH FILES"
    yield from (".TP", ".I asplan.toml", "settings of the folder, also the table tool.asplan of")
    yield ".I pyproject.toml"
    yield from (".SH SEE ALSO", ".BR clingo (1)")


def load_commands() -> dict[str, click.Command]:
    """The commands that the project declares, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {}
    for name, place in project["entry-points"]["asplan.commands"].items():
        module, _, attribute = place.partition(":")
        found[name] = getattr(import_module(module), attribute)
    return found


def describe(name: str, command: click.Command) -> Iterator[str]:
    """The section of a command, and for a group those of its commands."""
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "asplan {plain(name)} {plain(usage)}"'
    yield from paragraphs(command.help or "")
    for parameter in command.params:
        yield from option_lines(parameter, context)
    yield from examples(command.epilog or "")
    if isinstance(command, click.Group):
        for own, one in command.commands.items():
            yield from describe(f"{name} {own}", one)


def option_lines(parameter: Any, context: click.Context) -> Iterator[str]:
    """The lines of an option; none for arguments and hidden options."""
    if not isinstance(parameter, click.Option) or parameter.hidden:
        return
    record = parameter.get_help_record(context)
    if record is not None:
        yield from (".TP", f".B {plain(record[0])}", plain(record[1]) or "\\&")


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text."""
    for part in text.replace("\b", "").split("\n\n"):
        if part.strip():
            yield from (".PP", plain(" ".join(part.split())))


def examples(epilog: str) -> Iterator[str]:
    """The indented parts of a help, as they are."""
    lines = [line for line in epilog.replace("\b", "").splitlines() if line.strip()]
    if lines:
        yield from (".PP", ".nf", *map(plain, lines), ".fi")


def plain(text: str) -> str:
    """A text in which troff sees no command: backslashes, hyphens, and a dot at the start."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"^([.'])", r"\\&\1", text)
    text = text.replace('"', "\\(dq")
    return re.sub(r"[^\x00-\x7f]", lambda sign: f"\\[u{ord(sign[0]):04X}]", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    old = []
    for name, text in files().items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        old.append(name)
        if not given.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if given.check and old:
        sys.exit(f"{', '.join(old)}: not current; run python scripts/manual.py")


if __name__ == "__main__":
    main()
