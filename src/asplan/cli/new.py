"""`asplan new`: a domain of one's own to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from asplan.cli.parameters import debug_option
from asplan.scaffold import start_domain

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
