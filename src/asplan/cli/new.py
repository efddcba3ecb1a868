"""A new domain to begin with: a copy of one that works, under another name.

The copy is made of `templates/meadow`, whose files are a domain like any other; `meadow` in their
names and texts becomes the new name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from asplan.cli.parameters import debug_option
from asplan.errors import UsageError
from asplan.files import whole_folder
from asplan.problem.catalog import templates

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def start_domain(name: str, home: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
    """Make a folder with an encoding, instances, drawing rules and a test, all of which work.

    Parameters
    ----------
    name
        What the folder, its test and its texts are called.
    home
        The folder in which it is made.

    Returns
    -------
    tuple of Path
        The files, by name. They appear all at once or not at all.

    Raises
    ------
    UsageError
        The name is no name, something has it already, or the folder cannot be written.
    """
    _check_name(name)
    template = templates() / "meadow"
    target = Path(home) / name
    with whole_folder(target) as folder:
        for file in sorted(template.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                _copy(file, folder / _renamed(str(file.relative_to(template)), name), name)
    return tuple(sorted(file for file in target.rglob("*") if file.is_file()))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a domain",
            hint="take a small letter and up to 49 small letters, digits and underscores behind it",
        )


def _copy(file: Path, to: Path, name: str) -> None:
    to.parent.mkdir(exist_ok=True)
    to.write_text(_renamed(file.read_text(encoding="utf-8"), name), encoding="utf-8")


def _renamed(text: str, name: str) -> str:
    return text.replace("meadow", name)


# `asplan new`: a domain of one's own to begin with.


_EPILOG = """
\b
Examples:
  asplan new garden
  cd garden
  asplan solve instances/first.lp -e encoding.lp

\b
Exit status: 0 done, 2 the name is none or is taken, or the folder cannot be written.
"""

_NEXT = """
Next:

  cd {name}
  asplan solve instances/first.lp -e encoding.lp
  asplan solve instances/second.lp -e encoding.lp -o second.gif -o second.html
  python -m pytest                                    # once: pip install pytest
"""


@click.command("new", epilog=_EPILOG)
@click.argument("name")
@debug_option
def command(name: str) -> None:
    """Make a folder NAME with a small domain that works, to be changed into yours.

    It has an encoding, two instances, drawing rules and a test, each with comments that say what
    its parts are for. Nothing that exists is written over. docs/tutorial.md starts from here.
    """
    for file in start_domain(name):
        click.echo(f"{file.as_posix():30} {_title(file)}".rstrip())
    click.echo(_NEXT.format(name=name), nl=False)


def _title(file: Path) -> str:
    """What a program says about itself in its first line."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return first.lstrip("% ") if file.suffix == ".lp" else ""
